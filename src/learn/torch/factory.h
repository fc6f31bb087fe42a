/* factory.h - tensors that are made, converted and written over; the natives of torch's names for it are in methods.h.
 * In: sizes, numbers, tensors. Out: a new tensor, with contents where they are known. */
#ifndef RIDGE_LEARN_TORCH_FACTORY_H
#define RIDGE_LEARN_TORCH_FACTORY_H

#include "learn/torch/tensor.h"

/* the tensor in another dtype: aten._to_copy, or the same where it has it */
ridge_status ridge_tensor_to(ridge_tensor **out, ridge_tensor *of, ridge_dtype dtype, ridge_py_interp *in);

#endif
