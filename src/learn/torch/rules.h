/* rules.h - the rules that say what the result of an operator is: shape, dtype, contents; private to learn/torch.
 * In: an operator's entry and its arguments in the order of its signature. Out: the result, and the operator written into the run.
 * Fails as PyTorch does: RuntimeError where shapes don't fit. What depends on an UNKNOWN is UNKNOWN. */
#ifndef RIDGE_LEARN_TORCH_RULES_H
#define RIDGE_LEARN_TORCH_RULES_H

#include "learn/torch/run.h"

// clang-format off
#define RIDGE_RULE_LIST(X)                                                                                                                  \
    /* rules.c: element by element */                                                                                                       \
    X(same) X(broadcast) X(where) X(identity) X(given) X(prelu) X(glu)                                                                      \
    /* rules_matmul.c */                                                                                                                    \
    X(mm) X(addmm) X(bmm) X(baddbmm) X(mv) X(dot) X(matmul) X(linear) X(sdpa)                                                               \
    /* rules_reduce.c */                                                                                                                    \
    X(reduce) X(reduce_pair) X(scan) X(softmax) X(norm_rows) X(norm_batch) X(norm_group) X(topk) X(sort)                                    \
    /* rules_join.c */                                                                                                                      \
    X(cat) X(stack) X(embedding) X(one_hot) X(pad) X(triangle) X(scatter) X(searchsorted) X(multinomial) X(cdist)                           \
    /* rules_window.c */                                                                                                                    \
    X(convolution) X(pool) X(adaptive_pool) X(interpolate) X(grid_sample) X(im2col) X(col2im)                                               \
    X(fft_half) X(fft_real) X(weight_norm)
// clang-format on
#define X(name) ridge_shape_rule ridge_rule_##name;
RIDGE_RULE_LIST(X)
#undef X

/* ---- arguments ---- */
/* UNSET where the signature has no parameter of this name */
ridge_py ridge_operator_value(const ridge_operator *op, const ridge_py *values, const char *name);
/* NULL where it is no tensor */
ridge_tensor *ridge_operator_tensor(const ridge_operator *op, const ridge_py *values, const char *name);
/* the first argument, which must be a tensor: TypeError */
ridge_status ridge_operator_input(ridge_tensor **out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in);
/* Which dimensions `dim` names: an int, a tuple or list of them, None (all). */
ridge_status ridge_operator_axes(bool *axes, const ridge_tensor *t, ridge_py dim, ridge_py_interp *in);
/* an item of an int or of a tuple of ints: kernel_size=3 is (3, 3) */
ridge_status ridge_operator_item(ridge_py *out, ridge_py v, size_t at, ridge_py_interp *in);
/* true with its concrete value, where v is a bool or int */
bool ridge_operator_flag(ridge_py v);
static inline bool ridge_operator_given(ridge_py v)
{
    return v.type != RIDGE_PY_T_UNSET && v.type != RIDGE_PY_T_NONE;
}
/* both are known and differ */
bool ridge_dims_differ(ridge_py a, ridge_py b);
const char *ridge_shape_text(const ridge_tensor *t, ridge_py_interp *in); /* "[1, 128, 64]", for messages */

/* ---- results ---- */
/* the dtype that the operator's entry gives for these arguments */
ridge_status ridge_operator_dtype(ridge_dtype *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in);
/* a new tensor of this shape and the operator's dtype */
ridge_status ridge_operator_result(ridge_py *out, const ridge_operator *op, const ridge_py *values, const ridge_py *dims, uint32_t rank,
                                   ridge_py_interp *in);
/* writes down that it ran over all tensors of its arguments; `result` is a tensor or a tuple of them */
ridge_status ridge_operator_ran(const ridge_operator *op, const ridge_py *values, ridge_py result, const ridge_operator_size *sizes,
                                size_t count, ridge_py_interp *in);

/* that it ran over something unknown: its FLOPs and bytes are, too */
ridge_status ridge_operator_record_unknown(const ridge_operator *op, const ridge_hole *hole, ridge_py_interp *in);

/* ---- operators that are made of others ---- */
/* calls an operator by its name ("aten.mm.default") with positional arguments; the rest have their defaults */
ridge_status ridge_operator_apply(ridge_py *out, const char *name, const ridge_py *args, size_t count, ridge_py_interp *in);
ridge_status ridge_operator_run(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in);

#endif
