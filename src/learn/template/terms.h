/* terms.h - sizes that the formulas of one entry share get names of their own, so that no formula repeats them at every depth.
 * In: the formulas of an entry, as text. Out: the same with names in the place of floor divisions, and what the names are, in an order in
 * which each needs only those before it. Owned by the arena of `calc`. */
#ifndef RIDGE_LEARN_TEMPLATE_TERMS_H
#define RIDGE_LEARN_TEMPLATE_TERMS_H

#include "learn/template/draft.h"

typedef struct ridge_terms {
    const char **texts; /* [count]: given, and rewritten */
    size_t count;
    const char *const *parameters; /* names that a shared size may speak of, beside config and the workload */
    size_t parameter_count;
    const char **names, **formulas; /* of what is shared: [shared] */
    size_t shared, cap;
} ridge_terms;

ridge_status ridge_terms_share(ridge_terms *terms, const ridge_calc *calc);

#endif
