/* operator.h - what an ATen operator is, as data (catalog/torch/operators.json): names by which torch offers it, signature, rules for shape
 * and dtype, FLOPs by class, bytes, what autograd keeps, how it fuses. The C side knows a few dozen rules of shape; which operator follows
 * which, and what it costs, is in the data. */
#ifndef RIDGE_LEARN_TORCH_OPERATOR_H
#define RIDGE_LEARN_TORCH_OPERATOR_H

#include "learn/torch/tensor.h"

typedef struct ridge_operator ridge_operator;

/* How the shapes of results follow from the arguments; rules.c has a function for each */
typedef ridge_status ridge_shape_rule(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in);

struct ridge_operator {
    const char *name;       /* "aten.add.Tensor" */
    const char *signature;  /* "input, other, *, alpha=1" for ridge_py_bind */
    const char *functions;  /* "torch.add torch.Tensor.add": every name under which it is found */
    const char *shape;      /* the rule's name; "given": whoever makes the result writes it down */
    ridge_shape_rule *rule;
    const char *dtype;      /* "same", "promote", "bool", "int64", "float" (integers become the default float), "argument" (dtype=), ... */
    const char *flops;      /* a formula over the rule's names (n: elements of the result, m: of the input, ...); NULL: 0 */
    const char *flop_class; /* matmul, attention, activation, embedding, other */
    const char *bytes;      /* "each" (every distinct input once, every result), "view" (none), "gather" (the rows taken), "scatter" (the places written),
                             * "scatter_add" (those and what was there) */
    const char *saved;      /* what autograd keeps: names, or NAME:OTHER for the gradient of OTHER alone; kept.h */
    const char *fuses;      /* "elementwise", "reduction"; NULL: not said */
    const char *scalar;     /* the operator that runs where `other` is a number ("aten.pow.Tensor_Scalar"), "" or NULL: this one */
    const char *whole;      /* the operator that runs where no `dim` is given ("aten.sum.default"), "" or NULL: this one */
    const char *mode;       /* the operator that runs where a rounding_mode is given, "" or NULL: this one */
    bool in_place;
    const char *const *names; /* of the parameters in the signature, in order */
    size_t name_count;
    struct ridge_operator_formula *formula; /* of flops, read at its first use */
    const struct ridge_py_native *native;   /* the function that runs it, made at its first use */
};

/* The table, read once per run from the embedded data. */
/* a catalog file whose operators ridge_operators_load takes instead of the built-in ones of the same keys, and besides them */
ridge_status ridge_operators_read(const char *path, ridge_py_interp *in);
ridge_status ridge_operators_load(ridge_py_interp *in);
const ridge_operator *ridge_operator_find(const char *function, ridge_py_interp *in); /* by a name of `functions` or its own; NULL */
/* are its FLOPs of this class? One that counts none has no class. */
bool ridge_operator_does(const ridge_operator *op, const char *flop_class);

/* Writes down that it ran, with FLOPs and bytes by its formulas. `sizes`: the rule's names and their values. */
typedef struct ridge_operator_size {
    const char *name;
    ridge_py value;
} ridge_operator_size;
/* `values`: the arguments in the order of the signature; NULL: the inputs are */
ridge_status ridge_operator_record_of(const ridge_operator *op, const ridge_py *values, const ridge_py *inputs, size_t input_count,
                                      const ridge_py *outputs, size_t output_count, const ridge_operator_size *sizes, size_t size_count,
                                      ridge_py_interp *in);
ridge_status ridge_operator_record(const ridge_operator *op, const ridge_py *inputs, size_t input_count, const ridge_py *outputs, size_t output_count,
                                   const ridge_operator_size *sizes, size_t size_count, ridge_py_interp *in);

#endif
