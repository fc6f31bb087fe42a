/* Attributes of built-in values: their methods, slice.start, range.stop, int.real. */
#include "learn/library/library.h"
#include "learn/python/container.h"

static ridge_status m_indices(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    int64_t length, start, step, count;
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    if (st || (st = ridge_py_concrete(&length, call->args[1], in)) ||
        (st = ridge_py_slice_bounds(&start, &step, &count, call->args[0].u.slice, length, in)))
        return st;
    ridge_py v[3] = {ridge_py_int(start), ridge_py_int(start + count * step), ridge_py_int(step)};
    return ridge_py_new_tuple(out, v, 3, in);
}

static bool pick(ridge_py *out, const char *name, ridge_py start, ridge_py stop, ridge_py step)
{
    if (strcmp(name, "start") == 0)
        *out = start;
    else if (strcmp(name, "stop") == 0)
        *out = stop;
    else if (strcmp(name, "step") == 0)
        *out = step;
    else
        return false;
    return true;
}

static ridge_status bind(ridge_py *out, ridge_py function, ridge_py self, ridge_py_interp *in)
{
    ridge_py_method *m = ridge_arena_alloc(in->arena, sizeof *m);
    if (!m)
        return ridge_no_memory(in->err);
    *m = (ridge_py_method){function, self};
    *out = (ridge_py){.type = RIDGE_PY_T_METHOD, .u.method = m};
    return RIDGE_OK;
}

static ridge_status slice_attribute(ridge_py *out, ridge_py v, const char *name, ridge_py_interp *in)
{
    ridge_py f;
    ridge_status st;
    if (pick(out, name, v.u.slice->start, v.u.slice->stop, v.u.slice->step) || strcmp(name, "indices") != 0)
        return RIDGE_OK;
    st = ridge_py_native_function(&f, "indices", m_indices, NULL, NULL, in);
    return st ? st : bind(out, f, v, in);
}

ridge_status ridge_py_builtin_find(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    *out = ridge_py_unset();
    if (object.type == RIDGE_PY_T_SLICE)
        return slice_attribute(out, object, name->text, in);
    if (object.type == RIDGE_PY_T_RANGE && pick(out, name->text, object.u.range->start, object.u.range->stop, object.u.range->step))
        return RIDGE_OK;
    if (ridge_py_is_number(object)) {
        if (strcmp(name->text, "real") == 0 || strcmp(name->text, "numerator") == 0)
            *out = object;
        else if (strcmp(name->text, "imag") == 0)
            *out = ridge_py_int(0);
        if (out->type != RIDGE_PY_T_UNSET)
            return RIDGE_OK;
    }
    const ridge_py_class *class = object.type <= RIDGE_PY_T_UNKNOWN ? in->classes[object.type] : NULL;
    if (object.type == RIDGE_PY_T_BOOL)
        class = in->classes[RIDGE_PY_T_INT];
    if (object.type == RIDGE_PY_T_CLASS || object.type == RIDGE_PY_T_INSTANCE || !class)
        return RIDGE_OK;
    const ridge_py *found = ridge_py_scope_find(&class->attributes, name);
    if (!found)
        return RIDGE_OK;
    if (found->type == RIDGE_PY_T_PROPERTY) {
        *out = found->u.property->function;
        return RIDGE_OK;
    }
    if (found->type == RIDGE_PY_T_NATIVE)
        return bind(out, *found, object, in);
    *out = *found;
    return RIDGE_OK;
}
