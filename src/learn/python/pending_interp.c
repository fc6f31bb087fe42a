#include "learn/python/interp.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
ridge_status ridge_py_init(ridge_py_interp *in, ridge_py_loader loader, ridge_arena *arena, ridge_err *err)
{
    return ridge_fail(err, RIDGE_UNKNOWN, "init: not yet");
}
ridge_status ridge_py_import(ridge_py *out, const char *name, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "import: not yet");
}
ridge_status ridge_py_call_value(ridge_py *out, ridge_py callee, const ridge_py *args, size_t count, const ridge_py_keyword *keywords,
                                 size_t keyword_count, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "call_value: not yet");
}
ridge_status ridge_py_call_method(ridge_py *out, ridge_py self, const char *name, const ridge_py *args, size_t count, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "call_method: not yet");
}
ridge_status ridge_py_get(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "get: not yet");
}
ridge_status ridge_py_find(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "find: not yet");
}
ridge_status ridge_py_getz(ridge_py *out, ridge_py object, const char *name, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "getz: not yet");
}
ridge_status ridge_py_set(ridge_py object, const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "set: not yet");
}
ridge_status ridge_py_setz(ridge_py object, const char *name, ridge_py value, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "setz: not yet");
}
ridge_status ridge_py_get_item(ridge_py *out, ridge_py object, ridge_py index, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "get_item: not yet");
}
ridge_status ridge_py_set_item(ridge_py object, ridge_py index, ridge_py value, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "set_item: not yet");
}
ridge_status ridge_py_binary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "binary: not yet");
}
ridge_status ridge_py_unary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "unary: not yet");
}
ridge_status ridge_py_raise(ridge_py_interp *in, const char *class, const char *fmt, ...)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "raise: not yet");
}
ridge_status ridge_py_unknown(ridge_py *out, const char *kind, const char *what, const char *known, const char *help, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "unknown: not yet");
}
ridge_status ridge_py_chain(const char *const **out, size_t *count, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "chain: not yet");
}
ridge_status ridge_py_bind(ridge_py *values, size_t count, const ridge_py_call *call, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "bind: not yet");
}
ridge_status ridge_py_native_module(ridge_py_module **out, const char *name, const ridge_py_native_entry *entries, size_t count, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "native_module: not yet");
}
ridge_status ridge_py_native_class(ridge_py_class **out, const char *name, ridge_py_class *const *bases, size_t base_count,
                                   const ridge_py_native_entry *methods, size_t count, ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "native_class: not yet");
}
ridge_status ridge_py_native_function(ridge_py *out, const char *name, ridge_py_native_call *call, const char *parameters, const void *data,
                                      ridge_py_interp *in)
{
    return ridge_fail(in->err, RIDGE_UNKNOWN, "native_function: not yet");
}
const ridge_symbol *ridge_py_symbol(ridge_py_interp *in, const char *text)
{
    return ridge_intern(&in->names, ridge_str_of(text));
}
