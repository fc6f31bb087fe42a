/* operators and indices: tensors first, then what classes define, then built-in types */
#include "learn/python/machine.h"

bool ridge_py_special_method(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    const ridge_py_class *class = object.type == RIDGE_PY_T_INSTANCE ? object.u.instance->class
                                  : object.type == RIDGE_PY_T_CLASS  ? object.u.class->meta
                                                                     : NULL;
    const ridge_py_class *where;
    const ridge_py *v = class && name ? ridge_py_class_find(&where, class, name, in) : NULL;
    if (!v || v->type == RIDGE_PY_T_NONE)
        return false;
    const char *tag = where->data;
    if (tag >= ridge_py_type_tags && tag <= &ridge_py_type_tags[RIDGE_PY_T_UNKNOWN])
        return false;
    *out = *v;
    return true;
}

ridge_status ridge_py_call_special(ridge_py *out, ridge_py method, ridge_py self, const ridge_py *args, size_t count, ridge_py_interp *in)
{
    ridge_py_call call = {.args = args, .count = count};
    if (method.type == RIDGE_PY_T_FUNCTION || method.type == RIDGE_PY_T_NATIVE)
        return ridge_py_call_with(out, method, self, &call, in);
    ridge_py_class *class = self.type == RIDGE_PY_T_INSTANCE ? self.u.instance->class : NULL;
    ridge_status st = ridge_py_bind_attribute(&method, method, self, class, NULL, in);
    return st ? st : ridge_py_call_with(out, method, ridge_py_unset(), &call, in);
}

static ridge_status try_method(ridge_py *out, const ridge_symbol *name, ridge_py self, ridge_py other, ridge_py_interp *in)
{
    ridge_py method;
    *out = (ridge_py){.type = RIDGE_PY_T_NOT_IMPLEMENTED};
    if (!ridge_py_special_method(&method, self, name, in))
        return RIDGE_OK;
    return ridge_py_call_special(out, method, self, &other, 1, in);
}

static bool has_class(ridge_py v)
{
    return v.type == RIDGE_PY_T_INSTANCE || (v.type == RIDGE_PY_T_CLASS && v.u.class->meta);
}

static ridge_status contains(ridge_py *out, ridge_py item, ridge_py container, ridge_py_interp *in)
{
    ridge_py method, it, x;
    bool done = false, equal = false;
    if (ridge_py_special_method(&method, container, RIDGE_PY_S(in, CONTAINS), in)) {
        ridge_status st = ridge_py_call_special(out, method, container, &item, 1, in);
        return st ? st : ridge_py_truth_value(out, *out, in);
    }
    if (ridge_py_base(container).type != RIDGE_PY_T_INSTANCE && container.type != RIDGE_PY_T_CLASS)
        return ridge_py_builtin_binary(out, RIDGE_PY_OP_IN, item, ridge_py_base(container), false, in);
    ridge_status st = ridge_py_iterate(&it, container, in);
    while (!st && !equal) {
        st = ridge_py_next(&x, &done, it, in);
        if (st || done)
            break;
        st = ridge_py_equal(&equal, x, item, in);
    }
    *out = ridge_py_bool(equal);
    return st;
}

static ridge_status negate(ridge_py *out, ridge_py_interp *in)
{
    if (out->type == RIDGE_PY_T_BOOL && !out->by.sym) {
        out->u.b = !out->u.b;
        return RIDGE_OK;
    }
    return ridge_py_unary(out, RIDGE_PY_OP_NOT, *out, in);
}

/* what classes define: __iadd__, __add__, __radd__; NOT_IMPLEMENTED where none does */
static ridge_status by_methods(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in)
{
    const struct ridge_py_machine *m = in->machine;
    ridge_status st = RIDGE_OK;
    *out = (ridge_py){.type = RIDGE_PY_T_NOT_IMPLEMENTED};
    bool derived = a.type == RIDGE_PY_T_INSTANCE && b.type == RIDGE_PY_T_INSTANCE && a.u.instance->class != b.u.instance->class &&
                   ridge_py_is_subclass(b.u.instance->class, a.u.instance->class);
    if (in_place && m->in_place[op])
        st = try_method(out, m->in_place[op], a, b, in);
    if (!st && derived && out->type == RIDGE_PY_T_NOT_IMPLEMENTED)
        st = try_method(out, m->reflected[op], b, a, in);
    if (!st && out->type == RIDGE_PY_T_NOT_IMPLEMENTED)
        st = try_method(out, m->method[op], a, b, in);
    if (!st && !derived && out->type == RIDGE_PY_T_NOT_IMPLEMENTED)
        st = try_method(out, m->reflected[op], b, a, in);
    if (!st && op == RIDGE_PY_OP_NE && out->type == RIDGE_PY_T_NOT_IMPLEMENTED) {
        st = try_method(out, m->method[RIDGE_PY_OP_EQ], a, b, in);
        if (!st && out->type == RIDGE_PY_T_NOT_IMPLEMENTED)
            st = try_method(out, m->method[RIDGE_PY_OP_EQ], b, a, in);
        if (!st && out->type != RIDGE_PY_T_NOT_IMPLEMENTED)
            st = negate(out, in);
    }
    return st;
}

/* int | None, A | B: what isinstance takes */
static ridge_status join_types(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_py both[2] = {a, b};
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, 2, in);
    for (int i = 0; i < 2 && !st; i++) {
        if (both[i].type == RIDGE_PY_T_TUPLE)
            for (size_t j = 0; j < both[i].u.list->count && !st; j++)
                st = ridge_py_append(out->u.list, both[i].u.list->items[j], in);
        else
            st = ridge_py_append(out->u.list, both[i], in);
    }
    return st;
}

static ridge_status identity(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    if (a.type != RIDGE_PY_T_UNKNOWN && b.type != RIDGE_PY_T_UNKNOWN)
        return ridge_py_builtin_binary(out, op, a, b, false, in);
    /* what depends on data is no None */
    *out = ridge_py_bool(op == RIDGE_PY_OP_IS_NOT);
    return RIDGE_OK;
}

static ridge_status no_operator(ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in)
{
    if (op >= RIDGE_PY_OP_LT && op <= RIDGE_PY_OP_GE)
        return ridge_py_raise(in, "TypeError", "'%s' not supported between instances of '%s' and '%s'", ridge_py_operator_text(op),
                              ridge_py_type_text(a), ridge_py_type_text(b));
    if (op == RIDGE_PY_OP_IN || op == RIDGE_PY_OP_NOT_IN)
        return ridge_py_raise(in, "TypeError", "argument of type '%s' is not iterable", ridge_py_type_text(b));
    return ridge_py_raise(in, "TypeError", "unsupported operand type(s) for %s%s: '%s' and '%s'", ridge_py_operator_text(op),
                          in_place ? "=" : "", ridge_py_type_text(a), ridge_py_type_text(b));
}

static ridge_status operate_in(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (has_class(b))
        st = contains(out, a, b, in);
    else if (b.type == RIDGE_PY_T_UNKNOWN || b.type == RIDGE_PY_T_TENSOR)
        st = ridge_py_unknown(out, "branch on data", "whether a tensor holds a value", NULL, NULL, in);
    else
        st = ridge_py_builtin_binary(out, RIDGE_PY_OP_IN, a, b, false, in);
    if (!st && out->type == RIDGE_PY_T_UNSET)
        return no_operator(op, a, b, false, in);
    return st || op == RIDGE_PY_OP_IN || out->type == RIDGE_PY_T_UNKNOWN ? st : negate(out, in);
}

ridge_status ridge_py_operate(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (op == RIDGE_PY_OP_IS || op == RIDGE_PY_OP_IS_NOT)
        return identity(out, op, a, b, in);
    if (op == RIDGE_PY_OP_IN || op == RIDGE_PY_OP_NOT_IN)
        return operate_in(out, op, a, b, in);
    if (in->tensors && (a.type == RIDGE_PY_T_TENSOR || b.type == RIDGE_PY_T_TENSOR))
        return in->tensors->binary(out, op, a, b, in_place, in);
    if (has_class(a) || has_class(b)) {
        st = by_methods(out, op, a, b, in_place, in);
        if (st || out->type != RIDGE_PY_T_NOT_IMPLEMENTED)
            return st;
    }
    if (a.type == RIDGE_PY_T_UNKNOWN || b.type == RIDGE_PY_T_UNKNOWN) {
        *out = a.type == RIDGE_PY_T_UNKNOWN ? a : b;
        return RIDGE_OK;
    }
    if (op == RIDGE_PY_OP_BITOR && (a.type == RIDGE_PY_T_CLASS || b.type == RIDGE_PY_T_CLASS))
        return join_types(out, a, b, in);
    st = ridge_py_builtin_binary(out, op, ridge_py_base(a), ridge_py_base(b), in_place, in);
    if (st || out->type != RIDGE_PY_T_UNSET)
        return st;
    if (op == RIDGE_PY_OP_EQ || op == RIDGE_PY_OP_NE) {
        *out = ridge_py_bool(ridge_py_same(a, b) == (op == RIDGE_PY_OP_EQ));
        return RIDGE_OK;
    }
    return no_operator(op, a, b, in_place, in);
}

ridge_status ridge_py_binary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    return ridge_py_operate(out, op, a, b, false, in);
}

ridge_status ridge_py_unary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in)
{
    ridge_py method;
    ridge_status st = RIDGE_OK;
    if (a.type == RIDGE_PY_T_UNKNOWN) {
        *out = a;
        return RIDGE_OK;
    }
    if (op == RIDGE_PY_OP_NOT) {
        st = ridge_py_truth_value(&a, a, in);
        if (st || a.type == RIDGE_PY_T_UNKNOWN) {
            *out = a;
            return st;
        }
    } else if (a.type == RIDGE_PY_T_TENSOR && in->tensors) {
        return in->tensors->unary(out, op, a, in);
    } else if (ridge_py_special_method(&method, a, in->machine->method[op], in)) {
        return ridge_py_call_special(out, method, a, NULL, 0, in);
    }
    st = ridge_py_builtin_unary(out, op, ridge_py_base(a), in);
    if (!st && out->type == RIDGE_PY_T_UNSET)
        return ridge_py_raise(in, "TypeError", "bad operand type for unary %s: '%s'", ridge_py_operator_text(op), ridge_py_type_text(a));
    return st;
}

/* ---- indices ---- */

/* X[int]: __class_getitem__, or the class itself */
static ridge_status class_item(ridge_py *out, ridge_py object, ridge_py index, ridge_py_interp *in)
{
    const ridge_py_class *where;
    const ridge_py *v = ridge_py_class_find(&where, object.u.class, RIDGE_PY_S(in, CLASS_GETITEM), in);
    if (!v) {
        *out = object;
        return RIDGE_OK;
    }
    ridge_py method = *v;
    if (method.type == RIDGE_PY_T_PROPERTY)
        method = method.u.property->function;
    ridge_py_call call = {.args = &index, .count = 1};
    return ridge_py_call_with(out, method, object, &call, in);
}

/* an instance that is a list, dict, ...; a dict's __missing__ makes what is not there */
static ridge_status base_item(ridge_py *out, ridge_py object, ridge_py index, ridge_py_interp *in)
{
    ridge_py base = ridge_py_base(object), method;
    if (base.type == RIDGE_PY_T_DICT && ridge_py_special_method(&method, object, RIDGE_PY_S(in, MISSING), in)) {
        ridge_status st = ridge_py_dict_get(out, base.u.dict, index, in);
        return st || out->type != RIDGE_PY_T_UNSET ? st : ridge_py_call_special(out, method, object, &index, 1, in);
    }
    return ridge_py_builtin_get_item(out, base, base.type == RIDGE_PY_T_DICT ? index : ridge_py_base(index), in);
}

ridge_status ridge_py_get_item(ridge_py *out, ridge_py object, ridge_py index, ridge_py_interp *in)
{
    ridge_py method;
    if (object.type == RIDGE_PY_T_TENSOR && in->tensors)
        return in->tensors->get_item(out, object, index, in);
    if (object.type == RIDGE_PY_T_UNKNOWN) {
        *out = object;
        return RIDGE_OK;
    }
    if (has_class(object) && ridge_py_special_method(&method, object, RIDGE_PY_S(in, GETITEM), in))
        return ridge_py_call_special(out, method, object, &index, 1, in);
    if (object.type == RIDGE_PY_T_CLASS)
        return class_item(out, object, index, in);
    if (index.type == RIDGE_PY_T_UNKNOWN) {
        *out = index;
        return RIDGE_OK;
    }
    ridge_status st = base_item(out, object, index, in);
    if (!st && out->type == RIDGE_PY_T_UNSET)
        return ridge_py_raise(in, "TypeError", "'%s' object is not subscriptable", ridge_py_type_text(object));
    return st;
}

ridge_status ridge_py_set_item(ridge_py object, ridge_py index, ridge_py value, ridge_py_interp *in)
{
    ridge_py method, ignored, args[2] = {index, value};
    bool done = false;
    if (object.type == RIDGE_PY_T_TENSOR && in->tensors)
        return in->tensors->set_item(object, index, value, in);
    if (object.type == RIDGE_PY_T_UNKNOWN)
        return RIDGE_OK;
    if (has_class(object) && ridge_py_special_method(&method, object, RIDGE_PY_S(in, SETITEM), in))
        return ridge_py_call_special(&ignored, method, object, args, 2, in);
    ridge_py base = ridge_py_base(object);
    ridge_status st = ridge_py_builtin_set_item(&done, base, base.type == RIDGE_PY_T_DICT ? index : ridge_py_base(index), value, in);
    if (!st && !done)
        return ridge_py_raise(in, "TypeError", "'%s' object does not support item assignment", ridge_py_type_text(object));
    return st;
}

ridge_status ridge_py_del_item(ridge_py object, ridge_py index, ridge_py_interp *in)
{
    ridge_py method, ignored;
    bool done = false;
    if (object.type == RIDGE_PY_T_UNKNOWN)
        return RIDGE_OK;
    if (has_class(object) && ridge_py_special_method(&method, object, RIDGE_PY_S(in, DELITEM), in))
        return ridge_py_call_special(&ignored, method, object, &index, 1, in);
    ridge_status st = ridge_py_builtin_del_item(&done, ridge_py_base(object), index, in);
    if (!st && !done)
        return ridge_py_raise(in, "TypeError", "'%s' object doesn't support item deletion", ridge_py_type_text(object));
    return st;
}
