/* spread.h - what must hold where an entry that shares rows among experts is used.
 * In: a draft and one of the modules it was made from. Out: more needs of the draft. Fails where memory runs out. */
#ifndef RIDGE_LEARN_TEMPLATE_SPREAD_H
#define RIDGE_LEARN_TEMPLATE_SPREAD_H

#include "learn/template/draft.h"

/* Every expert had rows in the runs, and the loop over them was counted with as many as there were: neither is known of other numbers. */
ridge_status ridge_spread_needs(ridge_draft *draft, const ridge_sketch *s, const ridge_calc *calc);

#endif
