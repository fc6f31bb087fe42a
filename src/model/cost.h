/* cost.h - what a model costs: the totals, and a row per module.
 * In: a model, a workload, which rows are wanted. Out: one struct with everything any output shows; the answer owns its analysis.
 * Numbers are exact. Fails as the analysis does. */
#ifndef RIDGE_MODEL_COST_H
#define RIDGE_MODEL_COST_H

#include "model/records.h"

/* how rows are ordered; the first is registration order */
#define RIDGE_SORT_LIST(X)                                                                                                                 \
    X(TREE, tree)                                                                                                                          \
    X(FLOPS, flops)                                                                                                                        \
    X(BYTES, bytes)                                                                                                                        \
    X(INTENSITY, intensity)                                                                                                                \
    X(PATH, path)
typedef enum ridge_sort {
#define X(code, name) RIDGE_SORT_##code,
    RIDGE_SORT_LIST(X)
#undef X
} ridge_sort;

typedef struct ridge_cost_request {
    ridge_model_request model;
    bool all;      /* a row per called module, layers unfolded */
    int64_t top;   /* rows shown, most expensive first; 0: all */
    int64_t depth; /* deepest row shown; RIDGE_UNSET: all */
    ridge_sort sort;
} ridge_cost_request;

extern const ridge_option ridge_options_cost[]; /* all, top, sort, depth */

typedef struct ridge_cost_row {
    ridge_str path;
    const char *class_name;
    const char *label; /* for people: indented below its parent in the tree, else the path */
    const char *name;  /* ... the path */
    ridge_int count, calls;
    ridge_flop_sums flops;
    ridge_byte_sums bytes;
    double arithmetic_intensity;         /* FLOPs per byte; negative where none move */
    double flops_percent, bytes_percent; /* of the model's; negative where that has none */
} ridge_cost_row;

typedef struct ridge_cost_answer {
    ridge_analysis *analysis;
    ridge_model_told told;
    const ridge_flop_sums *flops; /* NULL where nothing is known */
    const ridge_byte_sums *bytes;
    const ridge_memory *memory;
    double arithmetic_intensity;
    ridge_cost_row *rows;
    size_t row_count;
    const ridge_unknown *unknown;
    size_t unknown_count;
    ridge_words warnings;
    ridge_flop_sums flop_sums; /* what flops and bytes point to */
    ridge_byte_sums byte_sums;
} ridge_cost_answer;

/* free with ridge_cost_answer_free also after an error */
ridge_status ridge_cost_answer_make(ridge_cost_answer *out, ridge_registry *registry, const ridge_cost_request *request, ridge_err *err);
void ridge_cost_answer_free(ridge_cost_answer *answer);

extern const ridge_record ridge_cost_record, ridge_cost_row_record;
/* the summary above the table */
void ridge_cost_summary(ridge_buf *out, const ridge_cost_answer *answer);

#endif
