/* verify.h - the parameters of a model's tree beside the tensors of its files: do both say the same?
 * In: the tree, the tensor table. Out: how many fit by name and shape, and a row for what does not: shared, joined, renamed, quantised and
 * ignored tensors with the reason, and what is missing, extra or of another shape. Nothing is explained that the libraries do not do. */
#ifndef RIDGE_MODEL_VERIFY_H
#define RIDGE_MODEL_VERIFY_H

#include "graph/tree.h"
#include "input/weights.h"
#include "report/record.h"

/* X(CODE, word): the rows' kinds, the unexplained ones first */
#define RIDGE_VERIFY_LIST(X)                                                                                                               \
    X(MISSING, missing)                                                                                                                    \
    X(EXTRA, extra) X(RESHAPED, reshaped) X(TIED, tied) X(FUSED, fused) X(RENAMED, renamed) X(QUANTISED, quantised) X(BUFFER, buffers)
typedef enum ridge_verify_what {
#define X(code, word) RIDGE_VERIFY_##code,
    RIDGE_VERIFY_LIST(X)
#undef X
        RIDGE_VERIFY_KINDS
} ridge_verify_what;
extern const char *const ridge_verify_words[];

typedef struct ridge_verify_row {
    int what;                        /* a ridge_verify_what */
    const char *tree, *stored;       /* names; NULL: there is none on that side */
    const ridge_node_tensor *tensor; /* of the tree; NULL */
    const ridge_weight *weight;      /* of the files; NULL */
    const char *why;                 /* NULL: nothing explains it */
    size_t count;                    /* folded: how many are alike but for numbers in their names */
} ridge_verify_row;

typedef struct ridge_verify_rows {
    ridge_verify_row *items;
    size_t count, cap;
} ridge_verify_rows;

typedef struct ridge_verify {
    size_t tensors;       /* of the files */
    size_t parameters;    /* tensors of the tree */
    size_t matched;       /* that fit as they are, or renamed */
    const char *compared; /* "names and shapes"; "names" where files are not there */
    ridge_verify_rows of[RIDGE_VERIFY_KINDS];
    size_t unexplained;
    ridge_verify_rows folded; /* for people */
    const ridge_weights *weights;
} ridge_verify;

ridge_status ridge_verify_make(ridge_verify *out, const ridge_tree *tree, const ridge_weights *weights, ridge_arena *arena, ridge_err *err);

extern const ridge_record ridge_verify_record, ridge_verify_row_record;
/* "148 parameters in the model, 160 tensors in the files: names and shapes agree, ..." and the table */
ridge_status ridge_verify_text(ridge_buf *out, const ridge_verify *verify, const char *model, int width, ridge_err *err);

#endif
