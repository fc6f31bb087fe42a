/* container.h - parts of lists, dicts and sets; private to learn/python and learn/library. */
#ifndef RIDGE_LEARN_PYTHON_CONTAINER_H
#define RIDGE_LEARN_PYTHON_CONTAINER_H

#include "learn/python/operate.h"

/* which items of `length` ones a slice takes; asks for the symbols it is made of */
ridge_status ridge_py_slice_bounds(int64_t *start, int64_t *step, int64_t *count, const ridge_py_slice *slice, int64_t length,
                                   ridge_py_interp *in);
/* a value of the config that is part of a dict with an origin gets its own: config.rope_scaling.factor */
ridge_status ridge_py_field_origin(ridge_py *v, const char *origin, ridge_py key, ridge_py_interp *in);
ridge_status ridge_py_dict_update(ridge_py_dict *into, const ridge_py_dict *from, ridge_py_interp *in);
/* a | b, a & b, a - b, a ^ b */
ridge_status ridge_py_set_operation(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in);
/* text as an int, a float: int('12'), float('1e-5'); raises ValueError */
ridge_status ridge_py_parse_number(ridge_py *out, ridge_str text, bool whole, ridge_py_interp *in);

#endif
