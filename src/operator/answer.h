/* answer.h - `ridge op`: one operator in number formats and on machines, counted and timed.
 * In: a kind, a request, machines. Out: rows (one, one per machine, one per format, or both) with everything any output shows; they live in
 * the caller's arena and point to the machines and to the catalog's entry. docs/operators.md
 * Fails (USAGE) on options that do not go together, and as ridge_ops_count and ridge_op_time_of do; of several rows, one may lack its time
 * and says why. */
#ifndef RIDGE_OPERATOR_ANSWER_H
#define RIDGE_OPERATOR_ANSWER_H

#include "operator/time.h"
#include "predict/tiles.h"
#include "report/record.h"

typedef struct ridge_op_request {
    ridge_op_shape shape;
    bool no_projections;              /* of a layer, a model: without the products to Q, K, V and O */
    ridge_formats dtypes;             /* a row each */
    const ridge_format *weights, *kv; /* weights NULL: dtype; kv NULL: that of the activations */
    bool all_formats;                 /* after dtypes a row for every other format of the table; weights and kv are NULL */
    ridge_words machines;             /* ids or files; none: no times */
    ridge_op_conditions conditions;
    bool tiling; /* of a GEMM on one GPU: how it is cut into tiles too */
} ridge_op_request;

/* a kind's shape; all are of a ridge_op_request */
extern const ridge_option ridge_options_op_gemm[], ridge_options_op_gemv[], ridge_options_op_attention[], ridge_options_op_conv[],
    ridge_options_op_rows[], ridge_options_op_rope[], ridge_options_op_wkv[], ridge_options_op_ffn[], ridge_options_op_embedding[],
    ridge_options_op_layer[], ridge_options_op_model[];
extern const ridge_option ridge_options_op_formats[]; /* dtype, weights, kv, all-formats */
extern const ridge_option ridge_options_op_machine[]; /* on, launch, level */

/* The names of the options that a shape lacks and the kind cannot do without, *count of them. */
ridge_status ridge_op_missing(const char *names[RIDGE_OP_DIM_COUNT], size_t *count, ridge_ops *ops, ridge_op_kind kind,
                              const ridge_op_shape *shape, ridge_err *err);
bool ridge_op_has_projections(ridge_op_kind kind);
/* "gemm m=4096 n=4096 k=4096 quantised", as the options have it; NULL when memory runs out */
const char *ridge_op_shape_words(ridge_op_kind kind, const ridge_op_shape *shape, ridge_arena *arena);

typedef struct ridge_op_row {
    const ridge_machine *machine; /* NULL: none was asked for */
    const char *machine_id;
    const ridge_format *format; /* what the row is about: the weights', K's and V's or, where the kind has none, the activations' */
    ridge_rational bits;        /* of an element in it */
    ridge_op_formats formats;
    ridge_op_record record;
    double arithmetic_intensity;
    const char *problem; /* why it is not timed; NULL */

    /* on the machine; what is not known is negative or NULL, all of it where the row is not `timed` */
    bool timed;
    ridge_op_time time;
    ridge_op_rate rate;                                   /* the main one */
    const ridge_op_rate *precision, *attention_precision; /* of the matrix units, for weights; ... for K and V, where both are there */
    const char *memory_level;
    double speedup;             /* time of the first row over this one's */
    const ridge_tiling *tiling; /* NULL: not asked for */
} ridge_op_row;

typedef struct ridge_op_answer {
    ridge_arena *arena; /* the caller's */
    ridge_op_kind kind;
    ridge_op_shape shape;
    const char *title; /* the shape as text */
    bool several_formats;
    const ridge_machine **machines;
    size_t machine_count;
    ridge_op_row *rows;
    size_t row_count;     /* at least 1 */
    bool many;            /* rows of a table, not one operator in full */
    ridge_words problems; /* of all rows, each once */
    ridge_words warnings; /* formats whose blocks the heads do not fill */
} ridge_op_answer;

/* kind: one of people's, with options; machines may be NULL where the request names none */
ridge_status ridge_op_answer_make(ridge_op_answer *out, ridge_ops *ops, ridge_machines *machines, ridge_op_kind kind,
                                  const ridge_op_request *request, ridge_arena *arena, ridge_err *err);

extern const ridge_record ridge_op_one_record, ridge_op_many_record, ridge_op_row_record;
/* for people, one screen; many rows: a table */
ridge_status ridge_op_answer_text(ridge_buf *out, const ridge_op_answer *answer, int width, ridge_err *err);
/* the rows as a table: all columns (CSV), or those that have something to say (text, Markdown) */
ridge_status ridge_op_table(ridge_buf *out, const ridge_op_answer *answer, ridge_form form, int width, ridge_err *err);

#endif
