/* view.h - tensors that are other tensors seen in another way: reshaped, permuted, cut, broadcast. Nothing runs and nothing is written down
 * but the copy that reshape makes where strides don't allow a view (PyTorch's computeStride).
 * In: a tensor. Out: a view; RuntimeError or IndexError as PyTorch raises them. Also the natives that Python calls, by name (methods.h). */
#ifndef RIDGE_LEARN_TORCH_VIEW_H
#define RIDGE_LEARN_TORCH_VIEW_H

#include "learn/torch/tensor.h"

/* dims and strides of `rank`; the first element is `offset` further on */
ridge_status ridge_view_strided(ridge_tensor **out, const ridge_tensor *of, const ridge_py *dims, const int64_t *strides, uint32_t rank,
                                int64_t offset, ridge_py_interp *in);
/* the same elements in order; sizes may hold one -1. copy_allowed: reshape, which clones where it must; else raises. */
ridge_status ridge_view_reshape(ridge_tensor **out, ridge_tensor *of, const ridge_py *sizes, uint32_t rank, bool copy_allowed,
                                ridge_py_interp *in);
ridge_status ridge_view_permute(ridge_tensor **out, const ridge_tensor *of, const uint32_t *order, ridge_py_interp *in);
ridge_status ridge_view_unsqueeze(ridge_tensor **out, const ridge_tensor *of, uint32_t axis, ridge_py_interp *in);
ridge_status ridge_view_expand(ridge_tensor **out, const ridge_tensor *of, const ridge_py *sizes, uint32_t rank,
                               ridge_py_interp *in); /* -1 keeps */
/* without that dimension; index INT or UNKNOWN */
ridge_status ridge_view_select(ridge_tensor **out, const ridge_tensor *of, uint32_t axis, ridge_py index, ridge_py_interp *in);
/* start, stop, step as in Python: NONE, INT (below 0: from the end) or UNKNOWN */
ridge_status ridge_view_slice(ridge_tensor **out, const ridge_tensor *of, uint32_t axis, ridge_py start, ridge_py stop, ridge_py step,
                              ridge_py_interp *in);
/* length elements from start, which lie within it */
ridge_status ridge_view_narrow(ridge_tensor **out, const ridge_tensor *of, uint32_t axis, ridge_py start, ridge_py length,
                               ridge_py_interp *in);
ridge_status ridge_view_array(ridge_py *out, const ridge_tensor *of, bool array, ridge_py_interp *in); /* NumPy's, or no longer */
ridge_status ridge_view_all(ridge_tensor **out, const ridge_tensor *of, ridge_py_interp *in); /* alias, detach */

/* strides as PyTorch gives a copy of `of` that keeps its order of dimensions (torch.preserve_format) */
void ridge_tensor_lay_like(ridge_tensor *t, const ridge_tensor *of);
/* strides of what an elementwise operator makes of these tensors, which broadcast to t (ATen's TensorIterator) */
void ridge_tensor_lay_elementwise(ridge_tensor *t, const ridge_tensor *const *operands, size_t count);
/* a copy: aten.clone.default; contiguous, or with of's order of dimensions */
ridge_status ridge_tensor_clone(ridge_tensor **out, ridge_tensor *of, bool contiguous, ridge_py_interp *in);
/* writes down that an operator ran; nothing where the table lacks it */
ridge_status ridge_tensor_ran(const char *operator, const ridge_tensor * const * inputs, size_t input_count, ridge_tensor *result,
                              ridge_py_interp *in);

#endif
