/* count.h - what a run cost, module by module, with the numbers of its configuration.
 * In: a built model and the trace of a run. Out: parameters per module, and per called module FLOPs by class, bytes and calls, all
 * inclusive of what is inside. What is not known of one operator is not known of every module round it. Owned by the arena of the
 * interpreter. */
#ifndef RIDGE_LEARN_DERIVE_COUNT_H
#define RIDGE_LEARN_DERIVE_COUNT_H

#include "base/number.h"
#include "learn/torch/run.h"

enum { RIDGE_COUNT_UNKNOWN = -1 };
/* as `flop_class` of an operator has them; torch's FlopCounterMode counts matmul and attention */
#define RIDGE_COUNT_CLASS_LIST(X)                                                                                                          \
    X(MATMUL, matmul) X(ATTENTION, attention) X(ACTIVATION, activation) X(EMBEDDING, embedding) X(OTHER, other)
typedef enum ridge_count_class {
#define X(code, word) RIDGE_COUNT_##code,
    RIDGE_COUNT_CLASS_LIST(X)
#undef X
        RIDGE_COUNT_CLASSES
} ridge_count_class;
extern const char *const ridge_count_class_names[];

typedef struct ridge_count_sums {
    ridge_int flops[RIDGE_COUNT_CLASSES]; /* RIDGE_COUNT_UNKNOWN: something in it is not known */
    ridge_int reads, writes;              /* bytes */
} ridge_count_sums;
ridge_int ridge_count_torch(const ridge_count_sums *sums); /* matmul and attention */
ridge_int ridge_count_total(const ridge_count_sums *sums);

typedef struct ridge_count_tensor {
    const ridge_symbol *name;
    const ridge_tensor *tensor;
    const char *tied_to; /* path of the parameter that came first, or NULL */
} ridge_count_tensor;

typedef struct ridge_count_module {
    const char *path;
    ridge_run_module *module;
    ridge_int parameters, parameters_total; /* RIDGE_COUNT_UNKNOWN: a shape depends on data */
    ridge_count_tensor *tensors;
    size_t tensor_count;
    uint64_t calls; /* 0: not called in the run */
    ridge_count_sums sums;
} ridge_count_module;

typedef struct ridge_count_operator {
    const char *name;
    uint64_t count;
    ridge_int reads, writes; /* bytes of all of them */
} ridge_count_operator;

typedef struct ridge_counted {
    ridge_count_module *modules; /* as named_modules() lists them */
    size_t count, cap;
    ridge_int parameters, buffers, buffer_bytes; /* unique, of the whole model */
    ridge_count_sums total;                      /* of the run, what ran outside the model's own call included */
    ridge_count_operator *operators;             /* that ran, by name */
    size_t operator_count, operator_cap;
    uint64_t ran; /* operators in all */
} ridge_counted;

ridge_status ridge_count_tree(ridge_counted *out, ridge_run_module *model, ridge_py_interp *in);
/* fills in the sums of a run, in the place of those of the run before */
ridge_status ridge_count_run(ridge_counted *count, const ridge_run_call *root, ridge_py_interp *in);
/* the sums of a run that ended early: none of them is known */
void ridge_count_forget(ridge_counted *count);
/* bytes of the tensors that a value holds (a cache), each storage once */
ridge_status ridge_count_held(ridge_int *bytes, ridge_py holder, ridge_py_interp *in);

#endif
