/* flops.h - the formula of an operator's FLOPs, evaluated with its names bound to polynomials.
 * In: an entry with a formula, sizes by name. Out: a polynomial. Fails where the formula is wrong or names what its rule does not give. */
#ifndef RIDGE_LEARN_TORCH_FLOPS_H
#define RIDGE_LEARN_TORCH_FLOPS_H

#include "learn/torch/operator.h"

#define RIDGE_FLOPS_SIZES 24

ridge_status ridge_flops_evaluate(const ridge_poly **out, const ridge_operator *op, const ridge_operator_size *sizes, size_t count,
                                  ridge_py_interp *in);
/* a number of Python as a value of the formula language: symbolic where it has symbols */
ridge_status ridge_flops_value(ridge_value *out, ridge_py v, ridge_py_interp *in);

#endif
