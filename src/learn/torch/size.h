/* size.h - arithmetic of sizes: INTs with symbols, UNKNOWN where they depend on data.
 * In: sizes. Out: sizes; comparisons answer with the concrete values and write down the condition where symbols leave it open.
 * An operation with UNKNOWN gives that UNKNOWN. */
#ifndef RIDGE_LEARN_TORCH_SIZE_H
#define RIDGE_LEARN_TORCH_SIZE_H

#include "learn/torch/tensor.h"

ridge_status ridge_size_add(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in);
ridge_status ridge_size_sub(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in);
ridge_status ridge_size_mul(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in);
ridge_status ridge_size_floordiv(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in); /* b > 0 */
ridge_status ridge_size_ceildiv(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in);
ridge_status ridge_size_min(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in); /* a min term where bounds don't decide */
ridge_status ridge_size_max(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in);
/* with the concrete values; UNKNOWN equals nothing */
ridge_status ridge_size_equal(bool *out, ridge_py a, ridge_py b, ridge_py_interp *in);
bool ridge_size_same(ridge_py a, ridge_py b, ridge_py_interp *in); /* equal whatever the symbols are; asks nothing */
bool ridge_size_is(ridge_py a, int64_t value);                     /* concretely; asks nothing */
static inline bool ridge_size_constant(ridge_py a)
{
    return a.type == RIDGE_PY_T_INT && !a.by.sym;
}
/* its concrete value; what is UNKNOWN counts as 2: neither 0 nor 1 */
static inline int64_t ridge_size_concrete(ridge_py a)
{
    return a.type == RIDGE_PY_T_INT ? a.u.i : 2;
}
ridge_status ridge_size_product(ridge_py *out, const ridge_py *sizes, uint32_t count, ridge_py_interp *in);
/* Makes an INT or UNKNOWN of what stands where a size is wanted (a tensor's number, a bool); TypeError for others. */
ridge_status ridge_size_of(ridge_py *out, ridge_py v, ridge_py_interp *in);
/* Sizes of `view(2, 3)`, `view((2, 3))`, `view(shape)`: the arguments of *args; RUNTIME limit RIDGE_TENSOR_RANK */
ridge_status ridge_sizes_of(ridge_py *sizes, uint32_t *count, ridge_py args, ridge_py_interp *in);

#endif
