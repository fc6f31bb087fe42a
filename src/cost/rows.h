/* rows.h - the table of costs: one row per module (--all), or equal layers folded into one row.
 * In: a costed graph. Out: rows in registration order, inclusive of their children, "" (the model) first. */
#ifndef RIDGE_COST_ROWS_H
#define RIDGE_COST_ROWS_H

#include "cost/cost.h"

typedef struct ridge_row {
    ridge_str path; /* "model.layers.*.self_attn", "model.layers.{0-2}" */
    const char *class_name;
    const ridge_node *node;
    ridge_int count; /* modules folded into this row */
    ridge_int calls; /* calls of them all in one pass */
    ridge_cost cost; /* of all calls of all of them */
    uint32_t depth;
    uint32_t parent; /* row index; UINT32_MAX for the first */
    bool leaf;       /* no row below it */
    bool module;     /* a module's; else that of a part of one: a function, a fused kernel, a message */
    bool element;    /* of a list: "layers.3", "layers.*" */
    ridge_role role; /* its own, or that of the module around it */
    ridge_split_way split;
} ridge_row;

typedef struct ridge_rows {
    ridge_row *p;
    size_t n, cap;
} ridge_rows;

/* a row for people who see its parent above: its own part of the path, indented; "(model)" for the first. NULL when memory runs out. */
const char *ridge_row_label(const ridge_rows *rows, const ridge_row *row, ridge_arena *arena);

/* the layer that a row stands in: the outermost row above it, itself included, that is folded from several elements of a list; UINT32_MAX:
 * none */
uint32_t ridge_rows_layer(const ridge_rows *rows, uint32_t row);

ridge_status ridge_rows_make(ridge_rows *out, ridge_coster *coster, const ridge_node *root, bool all);

#endif
