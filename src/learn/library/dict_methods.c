/* Methods of dict and set. */
#include "learn/library/library.h"
#include "learn/python/container.h"

/* the dict or set that a method is called of; NULL after raising */
static ridge_py_dict *self_of(const ridge_py_call *call, size_t low, size_t high, ridge_status *st, ridge_py_interp *in)
{
    *st = ridge_py_arity(call, low + 1, high + 1, in);
    if (*st)
        return NULL;
    ridge_py v = ridge_py_base(call->args[0]);
    if (v.type != RIDGE_PY_T_DICT && v.type != RIDGE_PY_T_SET) {
        *st = ridge_py_raise(in, "TypeError", "a dict is wanted, not '%s'", ridge_py_type_text(v));
        return NULL;
    }
    return v.u.dict;
}

static const char *origin_of(const ridge_py_call *call)
{
    return ridge_py_origin(ridge_py_base(call->args[0]));
}

/* the value of a key; with an origin, whether it is there is a condition */
static ridge_status look_up(ridge_py *out, const ridge_py_call *call, const ridge_py_dict *dict, ridge_py_interp *in)
{
    ridge_py there;
    bool is;
    ridge_status st = ridge_py_dict_get(out, dict, call->args[1], in);
    if (st || (st = ridge_py_ask_value(call->args[1], in)) || !origin_of(call))
        return st;
    if ((st = ridge_py_builtin_binary(&there, RIDGE_PY_OP_IN, call->args[1], call->args[0], false, in)) ||
        (st = ridge_py_truth(&is, there, in)))
        return st;
    return out->type == RIDGE_PY_T_UNSET ? RIDGE_OK : ridge_py_field_origin(out, origin_of(call), call->args[1], in);
}

static ridge_status m_get(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py otherwise = ridge_py_argument(call, 2, "default");
    const ridge_py_dict *dict = self_of(call, 1, 2, &st, in);
    if (!dict || (st = look_up(out, call, dict, in)))
        return st;
    if (out->type == RIDGE_PY_T_UNSET)
        *out = otherwise.type == RIDGE_PY_T_UNSET ? ridge_py_none() : otherwise;
    return RIDGE_OK;
}

static ridge_status m_pop(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    bool there;
    ridge_py otherwise = ridge_py_argument(call, 2, "default");
    ridge_py_dict *dict = self_of(call, 0, 2, &st, in);
    if (!dict)
        return st;
    if (call->count == 1) { /* of a set: any */
        for (size_t i = 0; i < dict->used; i++)
            if (dict->entries[i].key.type != RIDGE_PY_T_UNSET) {
                *out = dict->entries[i].key;
                return ridge_py_dict_remove(&there, dict, *out, in);
            }
        return ridge_py_raise(in, "KeyError", "pop from an empty set");
    }
    if ((st = look_up(out, call, dict, in)))
        return st;
    if (out->type != RIDGE_PY_T_UNSET)
        return ridge_py_dict_remove(&there, dict, call->args[1], in);
    *out = otherwise;
    if (otherwise.type != RIDGE_PY_T_UNSET)
        return RIDGE_OK;
    return ridge_py_raise_key(in, call->args[1]);
}

static ridge_status m_popitem(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    bool there, last = true;
    ridge_py flag = ridge_py_argument(call, 1, "last");
    ridge_py_dict *dict = self_of(call, 0, 1, &st, in);
    if (!dict || (flag.type != RIDGE_PY_T_UNSET && (st = ridge_py_truth(&last, flag, in))))
        return st;
    for (size_t n = 0; n < dict->used; n++) {
        const ridge_py_entry *e = &dict->entries[last ? dict->used - 1 - n : n];
        if (e->key.type == RIDGE_PY_T_UNSET)
            continue;
        ridge_py pair[2] = {e->key, e->value};
        return (st = ridge_py_new_tuple(out, pair, 2, in)) ? st : ridge_py_dict_remove(&there, dict, pair[0], in);
    }
    return ridge_py_raise(in, "KeyError", "popitem(): dictionary is empty");
}

static ridge_status m_setdefault(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py_dict *dict = self_of(call, 1, 2, &st, in);
    if (!dict || (st = look_up(out, call, dict, in)) || out->type != RIDGE_PY_T_UNSET)
        return st;
    *out = call->count > 2 ? call->args[2] : ridge_py_none();
    return ridge_py_dict_set(dict, call->args[1], *out, in);
}

/* keys are a set, values and pairs a list: as they are now */
static ridge_status m_keys(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    const ridge_py_dict *dict = self_of(call, 0, 0, &st, in);
    if (!dict || (st = ridge_py_new_dict(out, RIDGE_PY_T_SET, in)))
        return st;
    for (size_t i = 0; i < dict->used && !st; i++)
        if (dict->entries[i].key.type != RIDGE_PY_T_UNSET)
            st = ridge_py_dict_set(out->u.dict, dict->entries[i].key, ridge_py_unset(), in);
    return st;
}

static ridge_status each(ridge_py *out, const ridge_py_call *call, bool pairs, ridge_py_interp *in)
{
    ridge_status st;
    const ridge_py_dict *dict = self_of(call, 0, 0, &st, in);
    if (!dict || (st = ridge_py_new_list(out, RIDGE_PY_T_LIST, dict->count, in)))
        return st;
    for (size_t i = 0; i < dict->used && !st; i++) {
        ridge_py v = dict->entries[i].value, key = dict->entries[i].key;
        if (key.type == RIDGE_PY_T_UNSET)
            continue;
        st = ridge_py_field_origin(&v, origin_of(call), key, in);
        if (!st && pairs)
            st = ridge_py_new_tuple(&v, (ridge_py[]){key, v}, 2, in);
        if (!st)
            st = ridge_py_append(out->u.list, v, in);
    }
    return st;
}

static ridge_status m_values(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return each(out, call, false, in);
}

static ridge_status m_items(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return each(out, call, true, in);
}

/* dict.update(other, **more) by dict's own __init__, set.update(*iterables) likewise */
static ridge_status m_update(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py init, self = call->count ? ridge_py_base(call->args[0]) : ridge_py_unset();
    const ridge_symbol *name = ridge_py_symbol(in, "__init__");
    if (!name)
        return ridge_no_memory(in->err);
    if (!self_of(call, 0, 100, &st, in))
        return st;
    init = *ridge_py_scope_find(&in->classes[self.type]->attributes, name);
    for (size_t i = 1; i < call->count && !st; i++) {
        ridge_py args[2] = {self, call->args[i]};
        st = ridge_py_call_value(out, init, args, 2, NULL, 0, in);
    }
    if (!st && call->keyword_count)
        st = ridge_py_call_value(out, init, &self, 1, call->keywords, call->keyword_count, in);
    *out = ridge_py_none();
    return st;
}

static ridge_status m_clear(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py_dict *dict = self_of(call, 0, 0, &st, in);
    *out = ridge_py_none();
    if (dict) {
        ridge_py missing = dict->missing;
        *dict = (ridge_py_dict){.missing = missing};
    }
    return st;
}

static ridge_status m_copy(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    const ridge_py_dict *dict = self_of(call, 0, 0, &st, in);
    if (!dict || (st = ridge_py_new_dict(out, ridge_py_base(call->args[0]).type, in)))
        return st;
    out->u.dict->missing = dict->missing;
    if (out->type == RIDGE_PY_T_DICT)
        out->by.origin = origin_of(call);
    return ridge_py_dict_update(out->u.dict, dict, in);
}

static ridge_status m_move_to_end(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    bool there;
    ridge_py value;
    ridge_py_dict *dict = self_of(call, 1, 2, &st, in);
    *out = ridge_py_none();
    if (!dict || (st = ridge_py_dict_get(&value, dict, call->args[1], in)) || (st = ridge_py_dict_remove(&there, dict, call->args[1], in)))
        return st;
    return there ? ridge_py_dict_set(dict, call->args[1], value, in) : ridge_py_raise(in, "KeyError", "no such key");
}

/* dict.fromkeys(keys, value), also as a method of a dict */
static ridge_status m_fromkeys(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py keys;
    size_t first = call->count && (call->args[0].type == RIDGE_PY_T_CLASS || call->count == 3) ? 1 : 0;
    ridge_py value = call->count > first + 1 ? call->args[first + 1] : ridge_py_none();
    ridge_status st = ridge_py_arity(call, first + 1, first + 2, in);
    if (st || (st = ridge_py_collect(&keys, RIDGE_PY_T_LIST, call->args[first], in)) || (st = ridge_py_new_dict(out, RIDGE_PY_T_DICT, in)))
        return st;
    for (size_t i = 0; keys.type == RIDGE_PY_T_LIST && i < keys.u.list->count && !st; i++)
        st = ridge_py_dict_set(out->u.dict, keys.u.list->items[i], value, in);
    return st;
}

/* the factory of a defaultdict */
static ridge_status m_set_missing(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py_dict *dict = self_of(call, 1, 1, &st, in);
    *out = ridge_py_none();
    if (dict)
        dict->missing = call->args[1];
    return st;
}

/* ---- sets ---- */

static ridge_status m_add(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py_dict *set = self_of(call, 1, 1, &st, in);
    *out = ridge_py_none();
    return set ? ridge_py_dict_set(set, call->args[1], ridge_py_unset(), in) : st;
}

static ridge_status m_discard(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    bool there;
    ridge_py_dict *set = self_of(call, 1, 1, &st, in);
    *out = ridge_py_none();
    return set ? ridge_py_dict_remove(&there, set, call->args[1], in) : st;
}

static ridge_status m_remove(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    bool there;
    ridge_py_dict *set = self_of(call, 1, 1, &st, in);
    *out = ridge_py_none();
    if (!set || (st = ridge_py_dict_remove(&there, set, call->args[1], in)))
        return st;
    return there ? RIDGE_OK : ridge_py_raise(in, "KeyError", "no such element");
}

static ridge_status as_set(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    ridge_py class = {.type = RIDGE_PY_T_CLASS, .u.class = in->classes[RIDGE_PY_T_SET]};
    *out = ridge_py_base(v);
    return out->type == RIDGE_PY_T_SET ? RIDGE_OK : ridge_py_call_value(out, class, &v, 1, NULL, 0, in);
}

static ridge_status combine(ridge_py *out, const ridge_py_call *call, ridge_py_operator op, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py other;
    if (!self_of(call, 0, 100, &st, in))
        return st;
    *out = ridge_py_base(call->args[0]);
    for (size_t i = 1; i < call->count && !st; i++)
        if (!(st = as_set(&other, call->args[i], in)))
            st = ridge_py_set_operation(out, op, *out, other, false, in);
    return st;
}

static ridge_status m_union(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return combine(out, call, RIDGE_PY_OP_BITOR, in);
}
static ridge_status m_intersection(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return combine(out, call, RIDGE_PY_OP_BITAND, in);
}
static ridge_status m_difference(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return combine(out, call, RIDGE_PY_OP_SUB, in);
}
static ridge_status m_symmetric_difference(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return combine(out, call, RIDGE_PY_OP_BITXOR, in);
}

static ridge_status relation(ridge_py *out, const ridge_py_call *call, ridge_py_operator op, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py other;
    if (!self_of(call, 1, 1, &st, in) || (st = as_set(&other, call->args[1], in)))
        return st;
    return ridge_py_builtin_binary(out, op, ridge_py_base(call->args[0]), other, false, in);
}

static ridge_status m_issubset(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return relation(out, call, RIDGE_PY_OP_LE, in);
}
static ridge_status m_issuperset(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return relation(out, call, RIDGE_PY_OP_GE, in);
}
static ridge_status m_isdisjoint(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = m_intersection(out, call, in);
    if (!st)
        *out = ridge_py_bool(out->u.dict->count == 0);
    return st;
}

/* ---- what super() asks for ---- */

static ridge_status m_getitem(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    return st ? st : ridge_py_builtin_get_item(out, call->args[0], call->args[1], in);
}
static ridge_status m_setitem(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    bool done;
    ridge_status st = ridge_py_arity(call, 3, 3, in);
    *out = ridge_py_none();
    return st ? st : ridge_py_builtin_set_item(&done, call->args[0], call->args[1], call->args[2], in);
}
static ridge_status m_delitem(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    bool done;
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    *out = ridge_py_none();
    return st ? st : ridge_py_builtin_del_item(&done, call->args[0], call->args[1], in);
}
static ridge_status m_len(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    return st ? st : ridge_py_length(out, ridge_py_base(call->args[0]), in);
}
static ridge_status m_iter(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    return st ? st : ridge_py_iterate(out, ridge_py_base(call->args[0]), in);
}
static ridge_status m_contains(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    return st ? st : ridge_py_builtin_binary(out, RIDGE_PY_OP_IN, call->args[1], ridge_py_base(call->args[0]), false, in);
}
static ridge_status m_repr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    return st ? st : ridge_py_to_str(out, ridge_py_base(call->args[0]), true, in);
}
static ridge_status m_eq(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    return st ? st : ridge_py_builtin_binary(out, RIDGE_PY_OP_EQ, ridge_py_base(call->args[0]), ridge_py_base(call->args[1]), false, in);
}

#define CONTAINER                                                                                                                          \
    {"__len__", m_len, NULL}, {"__iter__", m_iter, NULL}, {"__contains__", m_contains, NULL}, {"__repr__", m_repr, NULL},                  \
        {"__str__", m_repr, NULL}, {"__eq__", m_eq, NULL}, {"pop", m_pop, NULL}, {"update", m_update, NULL}, {"clear", m_clear, NULL},     \
    {                                                                                                                                      \
        "copy", m_copy, NULL                                                                                                               \
    }

const ridge_py_native_entry ridge_py_dict_methods[] = {
    {"get", m_get, NULL},
    {"popitem", m_popitem, NULL},
    {"setdefault", m_setdefault, NULL},
    {"keys", m_keys, NULL},
    {"values", m_values, NULL},
    {"items", m_items, NULL},
    {"move_to_end", m_move_to_end, NULL},
    {"fromkeys", m_fromkeys, NULL},
    {"_missing_", m_set_missing, NULL},
    {"__getitem__", m_getitem, NULL},
    {"__setitem__", m_setitem, NULL},
    {"__delitem__", m_delitem, NULL},
    CONTAINER,
};
const size_t ridge_py_dict_method_count = RIDGE_PY_COUNT(ridge_py_dict_methods);

const ridge_py_native_entry ridge_py_set_methods[] = {
    {"add", m_add, NULL},
    {"discard", m_discard, NULL},
    {"remove", m_remove, NULL},
    {"union", m_union, NULL},
    {"intersection", m_intersection, NULL},
    {"difference", m_difference, NULL},
    {"symmetric_difference", m_symmetric_difference, NULL},
    {"issubset", m_issubset, NULL},
    {"issuperset", m_issuperset, NULL},
    {"isdisjoint", m_isdisjoint, NULL},
    CONTAINER,
};
const size_t ridge_py_set_method_count = RIDGE_PY_COUNT(ridge_py_set_methods);
