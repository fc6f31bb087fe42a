/* labels.h - short names of rows for pictures: the last two parts of a path, and what else it takes to tell it from the others.
 * In: rows. Out: one name for each row, in the arena; rows that differ in their places in lists alone ("layers.3", "layers.*") are of one
 * kind and share a name: "self_attn.q_proj", "encoder…SelfAttention.q". NULL where memory runs out. */
#ifndef RIDGE_PREDICT_LABELS_H
#define RIDGE_PREDICT_LABELS_H

#include "cost/rows.h"

typedef struct ridge_row_labels {
    size_t *kind;       /* [rows] */
    const char **names; /* [kinds] */
    size_t kinds;
} ridge_row_labels;

/* false where memory runs out */
bool ridge_row_labels_make(ridge_row_labels *out, const ridge_rows *rows, ridge_arena *arena);
static inline const char *ridge_row_short(const ridge_row_labels *labels, size_t row)
{
    return labels->names[labels->kind[row]];
}

#endif
