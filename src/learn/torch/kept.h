/* kept.h - what autograd keeps of an operator for the backward pass, by `saved` of its entry; private to learn/torch.
 * In: the operator with its arguments and results. Out: the tensors kept, and which results take part in the backward pass.
 * `saved` has names of parameters and "result", "indices", "mean", "rstd", "norms" of results; NAME:OTHER is kept for the gradient of OTHER
 * alone. Source: PyTorch's derivatives.yaml. Fails where memory runs out. */
#ifndef RIDGE_LEARN_TORCH_KEPT_H
#define RIDGE_LEARN_TORCH_KEPT_H

#include "learn/torch/run.h"

/* values: the arguments in the order of the signature; inputs in their order where that names no parameters */
ridge_status ridge_kept_of(ridge_run_operator *record, const ridge_py *values, size_t value_count, const ridge_py *outputs,
                           size_t output_count, ridge_py_interp *in);

#endif
