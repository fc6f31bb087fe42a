/* hooks.h - what Python asks of a tensor (ridge_py_tensor_hooks, but for arithmetic): attributes, items, truth, numbers.
 * In: a TENSOR. Out: the value; UNKNOWN with a hole where it depends on data. */
#ifndef RIDGE_LEARN_TORCH_HOOKS_H
#define RIDGE_LEARN_TORCH_HOOKS_H

#include "learn/torch/tensor.h"

ridge_status ridge_tensor_get(ridge_py *out, ridge_py tensor, const ridge_symbol *name, ridge_py_interp *in); /* UNSET: no such attribute */
ridge_status ridge_tensor_set(ridge_py tensor, const ridge_symbol *name, ridge_py value, ridge_py_interp *in);
ridge_status ridge_tensor_get_item(ridge_py *out, ridge_py tensor, ridge_py index, ridge_py_interp *in);
ridge_status ridge_tensor_set_item(ridge_py tensor, ridge_py index, ridge_py value, ridge_py_interp *in);
ridge_status ridge_tensor_length(ridge_py *out, ridge_py tensor, ridge_py_interp *in);
ridge_status ridge_tensor_truth(ridge_py *out, ridge_py tensor, ridge_py_interp *in);
ridge_status ridge_tensor_iterate(ridge_py *out, ridge_py tensor, ridge_py_interp *in);
ridge_status ridge_tensor_number(ridge_py *out, ridge_py tensor, ridge_py_type wanted, ridge_py_interp *in);
/* as ridge_py_bind; takes NumPy's names of parameters, too: axis for dim, keepdims for keepdim */
ridge_status ridge_torch_bind(ridge_py *values, size_t count, const ridge_py_call *call, ridge_py_interp *in);
/* whether a device that is given is the host, where the model's tensors are not; false for a name */
ridge_status ridge_tensor_is_of_host(bool *out, ridge_py device, ridge_py_interp *in);
/* torch.where(condition): the places where it holds, a tuple of index tensors */
ridge_status ridge_where_places(ridge_py *out, ridge_tensor *t, ridge_py_interp *in);

#endif
