/* torch.h - the names of torch: functions, methods of tensors, words, and what stands in for the parts that models only ask.
 * In: a name. Out: a value, UNSET where there is none. */
#ifndef RIDGE_LEARN_TORCH_TORCH_H
#define RIDGE_LEARN_TORCH_TORCH_H

#include "learn/torch/run.h"

#define RIDGE_TORCH_PARAMETERS 24 /* of one operator, at most */

/* the function that runs an operator */
ridge_status ridge_operator_function(ridge_py *out, const ridge_operator *op, ridge_py_interp *in);
/* "torch.add", "torch.nn.functional.linear", "torch.Tensor.add": of learn/torch or an operator */
ridge_status ridge_torch_function(ridge_py *out, const char *name, ridge_py_interp *in);
/* tensor.NAME where NAME is a method: bound to it */
ridge_status ridge_torch_method(ridge_py *out, ridge_py tensor, const ridge_symbol *name, ridge_py_interp *in);
/* torch.device('cpu'): where every tensor is */
ridge_status ridge_torch_device(ridge_py *out, ridge_py_interp *in);
/* the hooks of interp.h that are operators */
ridge_status ridge_torch_skipped(ridge_py unknown, ridge_py_interp *in); /* an operator of unknown cost stands for what did not run */
ridge_status ridge_torch_binary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in);
ridge_status ridge_torch_unary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in);
/* the native module torch and those below it that have no file */
ridge_status ridge_torch_modules(ridge_py_interp *in);

/* a call of something that nobody knows: an answer (learn/python/question.h), or UNKNOWN with a hole, and an operator of unknown cost */
ridge_status ridge_torch_unknown_call(ridge_py *out, const char *name, const char *what, const ridge_py_call *call, ridge_py_interp *in);

/* the operator that stands for calls of a function that the table lacks: one for each name and class of FLOPs */
ridge_status ridge_torch_named_operator(const ridge_operator **out, const char *name, const char *flop_class, ridge_py_interp *in);

#endif
