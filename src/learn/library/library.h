/* library.h - what the files of Python's built-ins share: methods of built-in types, iterators, arguments of native calls.
 * In: native calls. Out: values; UNKNOWN wherever an argument that matters is. Everything lives in the run's arena. */
#ifndef RIDGE_LEARN_LIBRARY_LIBRARY_H
#define RIDGE_LEARN_LIBRARY_LIBRARY_H

#include "learn/python/number.h"

/* an argument by place or keyword; UNSET: it is left out */
ridge_py ridge_py_argument(const ridge_py_call *call, size_t place, const char *name);
/* the first UNKNOWN among the arguments; UNSET: none */
ridge_py ridge_py_first_unknown(const ridge_py_call *call);
/* TypeError unless there are low..high positional arguments */
ridge_status ridge_py_arity(const ridge_py_call *call, size_t low, size_t high, ridge_py_interp *in);
ridge_status ridge_py_new_tuple(ridge_py *out, const ridge_py *items, size_t count, ridge_py_interp *in);
ridge_status ridge_py_sort(ridge_py_list *list, ridge_py key, bool reverse, ridge_py_interp *in); /* key UNSET or NONE: none */

typedef ridge_status ridge_py_next_function(ridge_py *out, bool *done, ridge_py_iterator *iterator, ridge_py_interp *in);
ridge_status ridge_py_new_iterator(ridge_py *out, ridge_py_next_function *next, const void *state, size_t size, ridge_py_interp *in);

#define RIDGE_PY_COUNT(entries) (sizeof(entries) / sizeof *(entries))

/* each puts its names into in->builtins or its module into in->modules */
ridge_status ridge_py_functions_install(ridge_py_interp *in);
ridge_status ridge_py_iterators_install(ridge_py_interp *in);
ridge_status ridge_py_types_install(ridge_py_interp *in);
ridge_status ridge_py_objects_install(ridge_py_interp *in); /* getattr, isinstance, ... */
ridge_status ridge_py_math_install(ridge_py_interp *in);
ridge_status ridge_py_regex_install(ridge_py_interp *in);
ridge_status ridge_py_modules_install(ridge_py_interp *in);
/* methods of built-in types */
extern const ridge_py_native_entry ridge_py_str_methods[], ridge_py_list_methods[], ridge_py_tuple_methods[], ridge_py_dict_methods[],
    ridge_py_set_methods[], ridge_py_number_methods[];
extern const size_t ridge_py_str_method_count, ridge_py_list_method_count, ridge_py_tuple_method_count, ridge_py_dict_method_count,
    ridge_py_set_method_count, ridge_py_number_method_count;

#endif
