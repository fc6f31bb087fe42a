/* sketch_parts.h - what the files that make sketches share. */
#ifndef RIDGE_LEARN_TEMPLATE_SKETCH_PARTS_H
#define RIDGE_LEARN_TEMPLATE_SKETCH_PARTS_H

#include "learn/template/sketch.h"

typedef struct ridge_sketch_coster {
    ridge_sketch *const *by_id; /* [cap] by the module's id */
    size_t cap;
    ridge_translation *t;
    const ridge_calc *calc;
    ridge_dtype act;
    const bool *attention; /* [operators of the run, in order]: a product of attention */
    size_t at;             /* the next operator */
    uint32_t depth;
} ridge_sketch_coster;

/* a number format of the catalog that has as many bits */
const char *ridge_sketch_format(ridge_dtype dtype);
ridge_status ridge_sketch_argue(ridge_sketch *s, const char *name, ridge_value value, const ridge_calc *calc);
/* Marks the products of attention among the operators of a run, in the order in which they ran; in the arena. */
ridge_status ridge_sketch_attention(bool **attention, const ridge_run_call *call, const ridge_calc *calc);
/* Adds what a call and all calls in it cost to the sketches of their modules. */
ridge_status ridge_sketch_costs(const ridge_run_call *call, ridge_sketch_coster *c);
/* Notes what of a run's cache each module made. */
ridge_status ridge_sketch_keeps(ridge_py cache, const ridge_run_call *call, ridge_sketch_coster *c);
/* Turns sums over all calls into what one call costs, and counts calls per call of the module around. */
ridge_status ridge_sketch_settle(ridge_sketches *sketches, const ridge_calc *calc);

#endif
