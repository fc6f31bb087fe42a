/* output.h - an analysis as JSON (INTERFACE: `ridge cost`, `ridge inspect`) or for people.
 * In: a finished analysis. Out: text appended to a buffer; the same numbers in every form. */
#ifndef RIDGE_MODEL_OUTPUT_H
#define RIDGE_MODEL_OUTPUT_H

#include "model/analysis.h"
#include "base/json.h"
#include "report/table.h"

/* numbers of a cost as INTERFACE groups them; INT values only */
typedef struct ridge_flop_sums {
    ridge_int total, by_class[RIDGE_FLOP_COUNT], torch;
} ridge_flop_sums;
typedef struct ridge_byte_sums {
    ridge_int total, reads[RIDGE_BYTE_SCORES], writes[RIDGE_BYTE_SCORES], reads_total, writes_total;
} ridge_byte_sums;

ridge_status ridge_output_sums(ridge_flop_sums *flops, ridge_byte_sums *bytes, const ridge_cost *cost, ridge_err *err);
/* of one call of a node */
ridge_status ridge_output_node_sums(ridge_flop_sums *flops, ridge_byte_sums *bytes, ridge_analysis *a, const ridge_node *node);
/* FLOPs per byte; negative where no bytes move */
double ridge_output_intensity(const ridge_flop_sums *flops, const ridge_byte_sums *bytes);

/* rows: those of a->shown where ridge_output_select was called, else all */
ridge_status ridge_output_cost_json(ridge_buf *out, ridge_analysis *a, ridge_err *err);
ridge_status ridge_output_inspect_json(ridge_buf *out, ridge_analysis *a, ridge_err *err);

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

typedef struct ridge_view ridge_view;
struct ridge_view {
    ridge_table_style style;
    int64_t top; /* rows shown, most expensive first; 0: all */
    ridge_sort sort;
    int64_t depth; /* deepest row shown; negative: all */
    int width;     /* of the terminal; 0: unlimited */
    bool exact;    /* every digit in text too */
    bool all;      /* inspect: layers unfolded */
};

/* fills a->shown */
ridge_status ridge_output_select(ridge_analysis *a, const ridge_view *view, ridge_err *err);
/* "prefill  batch 1  seq 2048   weights bf16, ..." and a newline */
void ridge_output_workload_line(ridge_buf *out, const ridge_analysis *a);
ridge_status ridge_output_cost_table(ridge_buf *out, ridge_analysis *a, const ridge_view *view, ridge_err *err);
ridge_status ridge_output_inspect_tree(ridge_buf *out, ridge_analysis *a, const ridge_view *view, ridge_err *err);
ridge_status ridge_output_symbolic(ridge_buf *out, ridge_analysis *a, bool json, ridge_err *err);
ridge_status ridge_output_explain_json(ridge_buf *out, ridge_analysis *a, const ridge_tree_module *module);
/* JSON writer pieces that several outputs share */
void ridge_output_json_head(ridge_json_writer *w, ridge_buf *out,
                            const ridge_analysis *a); /* opens the object: version, model, architecture */
void ridge_output_json_workload(ridge_json_writer *w, const ridge_workload *workload);
void ridge_output_json_memory_members(ridge_json_writer *w, const ridge_memory *memory); /* of an open object */
void ridge_output_json_warnings(ridge_json_writer *w, const ridge_analysis *a);
void ridge_output_json_flops(ridge_json_writer *w, const ridge_flop_sums *flops);
void ridge_output_json_bytes(ridge_json_writer *w, const ridge_byte_sums *bytes);
void ridge_output_json_value(ridge_json_writer *w, ridge_value v);
/* one module: the formula, the values put in, the result, the template's place; a folded row's name means its first module */
ridge_status ridge_output_explain(ridge_buf *out, ridge_analysis *a, const char *path, bool json, ridge_err *err);

#endif
