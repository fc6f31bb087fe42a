/* counter.h - adds up layers whose shapes are known: one record per layer, in the order they were added.
 * In: names, shapes (or FLOPs counted elsewhere). Out: records and totals owned by the counter, valid until clear or free.
 * Names and metadata are copied. A layer that fails to count is not added. Not thread-safe: one counter per thread. */
#ifndef RIDGE_OPERATOR_COUNTER_H
#define RIDGE_OPERATOR_COUNTER_H

#include "operator/ops.h"

typedef struct ridge_layer_record {
    const char *name;
    const char *kind; /* "matmul", "attention", ..., "custom" */
    ridge_op_flops flops;
    const char *metadata; /* a JSON object: the shape, and what the caller gave */
} ridge_layer_record;

typedef struct ridge_layer_counter {
    ridge_ops ops;
    ridge_arena arena;
    ridge_layer_record *layers;
    size_t count, cap;
    ridge_op_flops total;
} ridge_layer_counter;

ridge_status ridge_layer_counter_init(ridge_layer_counter *counter, ridge_err *err);
void ridge_layer_counter_free(ridge_layer_counter *counter);
void ridge_layer_counter_clear(ridge_layer_counter *counter); /* usable as after init */

/* Counts one op. Names need not be unique. metadata: a JSON object whose members stand behind those of the shape, NULL is {}. */
ridge_status ridge_layer_counter_add(ridge_layer_counter *counter, const char *name, ridge_op_kind kind, const ridge_op_shape *shape,
                                     const char *metadata, ridge_err *err);
/* Takes FLOPs counted elsewhere: none negative, the total their sum (or 0: computed here). metadata: a JSON object, NULL is {}. */
ridge_status ridge_layer_counter_add_layer(ridge_layer_counter *counter, const char *name, const ridge_op_flops *flops,
                                           const char *metadata, ridge_err *err);

/* the first layer of this name, NULL where there is none */
const ridge_layer_record *ridge_layer_counter_find(const ridge_layer_counter *counter, const char *name);
/* of the total; 0 where the total is 0 */
double ridge_layer_counter_percent(const ridge_layer_counter *counter, const ridge_layer_record *layer);

/* Indices of the layers by cost, most expensive first, equal ones in order of adding; lives in `arena`. */
ridge_status ridge_layer_counter_sorted(size_t **order, const ridge_layer_counter *counter, ridge_arena *arena, ridge_err *err);
/* A table of the top_n most expensive layers (0: all) with their share of the total. */
ridge_status ridge_layer_counter_summary(ridge_buf *out, const ridge_layer_counter *counter, size_t top_n, ridge_err *err);

#endif
