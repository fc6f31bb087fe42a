/* answer.h - `ridge op`: one operator on machines and in number formats, counted, timed and written.
 * In: a kind, a shape, formats, machines. Out: rows (one, one per machine, one per format, or both), as JSON, text or a table with the
 * same numbers in each; everything in the caller's arena. docs/operators.md
 * Fails as ridge_ops_count and ridge_op_time_of do; a row of several may lack its time and says why. */
#ifndef RIDGE_OPERATOR_ANSWER_H
#define RIDGE_OPERATOR_ANSWER_H

#include "operator/time.h"
#include "predict/tiles.h"
#include "report/table.h"

typedef struct ridge_op_question {
    ridge_op_kind kind;
    ridge_op_shape shape;
    const ridge_format *dtype, *weights, *kv; /* NULL: bf16, that of dtype, that of the activations */
    bool all_formats;                         /* a row for dtype, then for every other format of the table; weights and kv are NULL */
    bool as_rows;                             /* rows even where there is one */
    const ridge_machine *const *machines;
    size_t machine_count; /* 0: no times */
    bool tiling;          /* GEMM on one GPU: how it is cut into tiles too */
    ridge_op_conditions conditions;
} ridge_op_question;

typedef struct ridge_op_row {
    const ridge_format *format; /* what the row is about: the weights', K's and V's or, where the kind has none, the activations' */
    ridge_op_formats formats;
    ridge_op_record record;
    const ridge_machine *machine; /* NULL: none was asked for */
    ridge_op_time time;           /* where `timed` */
    bool timed;
    const char *problem; /* why it is not timed; NULL */
    bool tiled;
    ridge_tiling tiling; /* where `tiled` */
    double speedup;      /* time of the first row over this one's; negative where unknown */
} ridge_op_row;

typedef struct ridge_op_answer {
    const ridge_op_question *question;
    ridge_arena *arena;
    ridge_op_row *rows;
    size_t row_count; /* at least 1 */
    bool many;        /* written as rows */
} ridge_op_answer;

ridge_status ridge_op_ask(ridge_op_answer *out, const ridge_op_question *question, ridge_ops *ops, ridge_arena *arena, ridge_err *err);

/* INTERFACE, "ridge op"; {"rows": [..]} where the answer has many */
void ridge_op_json(ridge_buf *out, const ridge_op_answer *answer);
/* for people, one screen; many rows: a table */
void ridge_op_text(ridge_buf *out, const ridge_op_answer *answer, int width);
/* every column of the rows, numbers in full (CSV), or those people look at (text, Markdown) */
ridge_status ridge_op_table(ridge_buf *out, const ridge_op_answer *answer, ridge_form style, int width);

/* option of each dimension of a shape: "kv-len" */
extern const char *const ridge_op_dim_options[RIDGE_OP_DIM_COUNT];
/* "117 µs", "989.5 TFLOP/s": four digits and a decimal prefix; "-" where negative */
const char *ridge_op_scaled(ridge_arena *arena, double value, const char *unit);

#endif
