/* combine.h - drafts of two configurations as drafts for both.
 * In: drafts, those of a variant, and the condition that tells the variant from the first. Out: the first say what both say: formulas that
 * differ become `X if condition else Y`; a class that cannot be said so is invoked under another name where the condition holds. */
#ifndef RIDGE_LEARN_TEMPLATE_COMBINE_H
#define RIDGE_LEARN_TEMPLATE_COMBINE_H

#include "learn/template/draft.h"

/* *fits false: nothing was changed, the model itself cannot be combined */
ridge_status ridge_drafts_combine(bool *fits, ridge_drafts *base, const ridge_drafts *variant, const char *when);

/* Do both configurations give the same entries, text by text? Neither is changed. */
ridge_status ridge_drafts_agree(bool *agree, const ridge_drafts *base, const ridge_drafts *variant);

#endif
