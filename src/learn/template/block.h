/* block.h - modules that the catalog knows as blocks (torch.nn.Linear): invoked by entries, not derived.
 * In: a sketch. Out: a draft that is known, and the arguments for this module; no draft where the entry would say something else. */
#ifndef RIDGE_LEARN_TEMPLATE_BLOCK_H
#define RIDGE_LEARN_TEMPLATE_BLOCK_H

#include "learn/template/draft.h"

#define RIDGE_BLOCK_WORDS 8

typedef struct ridge_blocks {
    const ridge_calc *calc;
    const ridge_sketch_condition *conditions; /* of the runs: which activation was asked for */
    size_t condition_count;
    ridge_draft **drafts;                                   /* one per block that was met */
    ridge_draft *by_word;                                   /* the choice of an activation by a word of the config */
    const ridge_sketch_condition *words[RIDGE_BLOCK_WORDS]; /* the conditions that it resolves */
    size_t word_count;
} ridge_blocks;

/* ridge_drafts.block; data: a ridge_blocks */
ridge_status ridge_block_find(ridge_draft **draft, ridge_value **values, const ridge_sketch *s, void *data);

#endif
