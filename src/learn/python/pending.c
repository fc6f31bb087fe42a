/* What built-in values cannot do yet. */
#include "learn/python/operate.h"

#define PENDING(name) return ridge_fail(in->err, RIDGE_UNKNOWN, "%s is not there yet", name)

ridge_status ridge_py_builtin_binary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in)
{
    (void)out, (void)op, (void)a, (void)b, (void)in_place;
    PENDING("binary");
}
ridge_status ridge_py_builtin_unary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in)
{
    (void)out, (void)op, (void)a;
    PENDING("unary");
}
ridge_status ridge_py_builtin_get_item(ridge_py *out, ridge_py object, ridge_py index, ridge_py_interp *in)
{
    (void)out, (void)object, (void)index;
    PENDING("get_item");
}
ridge_status ridge_py_builtin_set_item(bool *done, ridge_py object, ridge_py index, ridge_py value, ridge_py_interp *in)
{
    (void)done, (void)object, (void)index, (void)value;
    PENDING("set_item");
}
ridge_status ridge_py_builtin_del_item(bool *done, ridge_py object, ridge_py index, ridge_py_interp *in)
{
    (void)done, (void)object, (void)index;
    PENDING("del_item");
}
ridge_status ridge_py_builtin_find(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    (void)out, (void)object, (void)name;
    PENDING("find");
}
ridge_status ridge_py_format(ridge_buf *buf, ridge_py v, ridge_str spec, ridge_py_interp *in)
{
    (void)buf, (void)v, (void)spec;
    PENDING("format");
}
ridge_status ridge_py_print(ridge_buf *buf, ridge_py v, bool repr, ridge_py_interp *in)
{
    (void)buf, (void)v, (void)repr;
    PENDING("print");
}
ridge_status ridge_py_read_int(ridge_py *out, ridge_str text, ridge_py_interp *in)
{
    (void)out, (void)text;
    PENDING("int");
}
ridge_status ridge_py_read_float(ridge_py *out, ridge_str text, ridge_py_interp *in)
{
    (void)out, (void)text;
    PENDING("float");
}
ridge_status ridge_py_builtins_install(ridge_py_interp *in)
{
    PENDING("builtins");
}
ridge_status ridge_py_iterate(ridge_py *out, ridge_py object, ridge_py_interp *in)
{
    (void)out, (void)object;
    PENDING("iterate");
}
ridge_status ridge_py_next(ridge_py *out, bool *done, ridge_py iterator, ridge_py_interp *in)
{
    (void)out, (void)done, (void)iterator;
    PENDING("next");
}
ridge_status ridge_py_collect(ridge_py *out, ridge_py_type tuple_or_list, ridge_py object, ridge_py_interp *in)
{
    (void)out, (void)tuple_or_list, (void)object;
    PENDING("collect");
}
ridge_status ridge_py_length(ridge_py *out, ridge_py object, ridge_py_interp *in)
{
    (void)out, (void)object;
    PENDING("length");
}
ridge_status ridge_py_to_str(ridge_py *out, ridge_py object, bool repr, ridge_py_interp *in)
{
    (void)out, (void)object, (void)repr;
    PENDING("str");
}
ridge_status ridge_py_truth(bool *out, ridge_py v, ridge_py_interp *in)
{
    (void)out, (void)v;
    PENDING("truth");
}
ridge_status ridge_py_truth_value(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    (void)out, (void)v;
    PENDING("truth");
}
ridge_status ridge_py_concrete(int64_t *out, ridge_py v, ridge_py_interp *in)
{
    (void)out, (void)v;
    PENDING("concrete");
}
ridge_status ridge_py_ask(bool holds, const ridge_poly *sym, const char *text, ridge_py_interp *in)
{
    (void)holds, (void)sym, (void)text;
    PENDING("ask");
}
ridge_status ridge_py_named_int(ridge_py *out, int64_t value, const char *name, int64_t least, ridge_py_interp *in)
{
    (void)out, (void)value, (void)name, (void)least;
    PENDING("named_int");
}
ridge_status ridge_py_named_float(ridge_py *out, double value, const char *name, ridge_py_interp *in)
{
    (void)out, (void)value, (void)name;
    PENDING("named_float");
}
ridge_status ridge_py_named_bool(ridge_py *out, bool value, const char *name, ridge_py_interp *in)
{
    (void)out, (void)value, (void)name;
    PENDING("named_bool");
}
const ridge_poly *ridge_py_poly(ridge_py v, ridge_py_interp *in)
{
    (void)v, (void)in;
    return NULL;
}
const char *ridge_py_formula(ridge_py v, ridge_py_interp *in)
{
    (void)v, (void)in;
    return NULL;
}
