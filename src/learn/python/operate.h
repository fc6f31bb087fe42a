/* operate.h - what numbers, texts and containers do under operators, indices and attributes.
 * The interpreter asks tensors and instances' own methods first, then this. In: values that are neither (an instance that is also a list,
 * a dict, ... stands for its `base`). Out: the value, UNSET where these types have no such operator or attribute, or UNKNOWN. */
#ifndef RIDGE_LEARN_PYTHON_OPERATE_H
#define RIDGE_LEARN_PYTHON_OPERATE_H

#include "learn/python/interp.h"

/* every operator but AND and OR, comparisons, IS and IN among them; in-place operators of lists, dicts and sets change the left side */
ridge_status ridge_py_builtin_binary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in);
ridge_status ridge_py_builtin_unary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in);
ridge_status ridge_py_builtin_get_item(ridge_py *out, ridge_py object, ridge_py index,
                                       ridge_py_interp *in); /* raises IndexError, KeyError */
ridge_status ridge_py_builtin_set_item(bool *done, ridge_py object, ridge_py index, ridge_py value, ridge_py_interp *in);
ridge_status ridge_py_builtin_del_item(bool *done, ridge_py object, ridge_py index, ridge_py_interp *in);
/* a method of str, list, dict, ... bound to its object, or an attribute (slice.start); UNSET: there is none */
ridge_status ridge_py_builtin_find(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in);

/* int, str, list, type, ...: the class of any value. in->classes holds those of built-in types; all have `data` =
 * &ridge_py_type_tags[type]. */
extern const char ridge_py_type_tags[RIDGE_PY_T_UNKNOWN + 1];
ridge_py_class *ridge_py_class_of(ridge_py v, ridge_py_interp *in);
/* what an instance also is (its tuple, list, dict, str or number); any other value is itself */
static inline ridge_py ridge_py_base(ridge_py v)
{
    return v.type == RIDGE_PY_T_INSTANCE && v.u.instance->base.type != RIDGE_PY_T_UNSET ? v.u.instance->base : v;
}

/* format(v, spec): "", ".2f", ">10", "d", ",", "x", "%", "e", "g" */
ridge_status ridge_py_format(ridge_buf *buf, ridge_py v, ridge_str spec, ridge_py_interp *in);
ridge_status ridge_py_print(ridge_buf *buf, ridge_py v, bool repr, ridge_py_interp *in);
/* a literal of Python: digits, 0x, 0b, 0o; LIMIT where it does not fit in 64 bits */
ridge_status ridge_py_read_int(ridge_py *out, ridge_str text, ridge_py_interp *in);
ridge_status ridge_py_read_float(ridge_py *out, ridge_str text, ridge_py_interp *in);

/* the built-in names and types, and the native modules of learn/library */
ridge_status ridge_py_builtins_install(ridge_py_interp *in);

#endif
