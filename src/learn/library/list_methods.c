/* Methods of list, tuple and numbers. */
#include "learn/library/library.h"

#include <math.h>

/* the list that a method is called of; NULL after raising */
static ridge_py_list *self_of(const ridge_py_call *call, size_t low, size_t high, ridge_status *st, ridge_py_interp *in)
{
    *st = ridge_py_arity(call, low + 1, high + 1, in);
    if (*st)
        return NULL;
    ridge_py v = ridge_py_base(call->args[0]);
    if (v.type != RIDGE_PY_T_LIST && v.type != RIDGE_PY_T_TUPLE) {
        *st = ridge_py_raise(in, "TypeError", "a list is wanted, not '%s'", ridge_py_type_text(v));
        return NULL;
    }
    return v.u.list;
}

static ridge_status m_append(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py_list *list = self_of(call, 1, 1, &st, in);
    *out = ridge_py_none();
    return list ? ridge_py_append(list, call->args[1], in) : st;
}

static ridge_status m_extend(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py items;
    ridge_py_list *list = self_of(call, 1, 1, &st, in);
    *out = ridge_py_none();
    if (!list || (st = ridge_py_collect(&items, RIDGE_PY_T_LIST, call->args[1], in)))
        return st;
    for (size_t i = 0; items.type == RIDGE_PY_T_LIST && i < items.u.list->count && !st; i++)
        st = ridge_py_append(list, items.u.list->items[i], in);
    return st;
}

static ridge_status m_insert(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    int64_t at;
    ridge_py_list *list = self_of(call, 2, 2, &st, in);
    *out = ridge_py_none();
    if (!list || (st = ridge_py_concrete(&at, call->args[1], in)) || (st = ridge_py_append(list, call->args[2], in)))
        return st;
    int64_t count = (int64_t)list->count - 1;
    at = at < 0 ? at + count : at;
    at = at < 0 ? 0 : at > count ? count : at;
    memmove(list->items + at + 1, list->items + at, (size_t)(count - at) * sizeof *list->items);
    list->items[at] = call->args[2];
    return RIDGE_OK;
}

static ridge_status m_pop(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    int64_t at = -1;
    ridge_py_list *list = self_of(call, 0, 1, &st, in);
    if (!list || (call->count > 1 && (st = ridge_py_concrete(&at, call->args[1], in))))
        return st;
    at = at < 0 ? at + (int64_t)list->count : at;
    if (at < 0 || (size_t)at >= list->count)
        return ridge_py_raise(in, "IndexError", list->count ? "pop index out of range" : "pop from empty list");
    *out = list->items[at];
    memmove(list->items + at, list->items + at + 1, (list->count - (size_t)at - 1) * sizeof *list->items);
    list->count--;
    return RIDGE_OK;
}

/* place of the first equal item; SIZE_MAX: none */
static ridge_status place_of(size_t *at, const ridge_py_list *list, ridge_py v, ridge_py_interp *in)
{
    ridge_status st = ridge_py_ask_value(v, in);
    bool same = false;
    for (*at = 0; !st && *at < list->count; ++*at) {
        ridge_py one;
        if ((st = ridge_py_binary(&one, RIDGE_PY_OP_EQ, list->items[*at], v, in)) || (st = ridge_py_truth(&same, one, in)) || same)
            return st;
    }
    *at = SIZE_MAX;
    return st;
}

static ridge_status m_remove(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    size_t at;
    ridge_py_list *list = self_of(call, 1, 1, &st, in);
    *out = ridge_py_none();
    if (!list || (st = place_of(&at, list, call->args[1], in)))
        return st;
    if (at == SIZE_MAX)
        return ridge_py_raise(in, "ValueError", "list.remove(x): x not in list");
    memmove(list->items + at, list->items + at + 1, (list->count - at - 1) * sizeof *list->items);
    list->count--;
    return RIDGE_OK;
}

static ridge_status m_index(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    size_t at;
    const ridge_py_list *list = self_of(call, 1, 3, &st, in);
    if (!list || (st = place_of(&at, list, call->args[1], in)))
        return st;
    if (at == SIZE_MAX)
        return ridge_py_raise(in, "ValueError", "x is not in list");
    *out = ridge_py_int((int64_t)at);
    return RIDGE_OK;
}

static ridge_status m_count(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py one;
    const ridge_py_list *list = self_of(call, 1, 1, &st, in);
    if (!list)
        return st;
    *out = ridge_py_int(0);
    for (size_t i = 0; i < list->count && !st; i++) {
        if ((st = ridge_py_binary(&one, RIDGE_PY_OP_EQ, list->items[i], call->args[1], in)) || (st = ridge_py_truth_value(&one, one, in)))
            return st;
        st = ridge_py_binary(out, RIDGE_PY_OP_ADD, *out, one, in);
    }
    return st;
}

static ridge_status m_clear(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py_list *list = self_of(call, 0, 0, &st, in);
    *out = ridge_py_none();
    if (list)
        list->count = 0;
    return st;
}

static ridge_status m_copy(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    return self_of(call, 0, 0, &st, in) ? ridge_py_collect(out, RIDGE_PY_T_LIST, ridge_py_base(call->args[0]), in) : st;
}

static ridge_status m_reverse(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py_list *list = self_of(call, 0, 0, &st, in);
    *out = ridge_py_none();
    for (size_t i = 0; list && i < list->count / 2; i++) {
        ridge_py t = list->items[i];
        list->items[i] = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = t;
    }
    return st;
}

static ridge_status m_sort(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    bool reverse = false;
    ridge_py flag = ridge_py_argument(call, SIZE_MAX, "reverse");
    ridge_py_list *list = self_of(call, 0, 0, &st, in);
    *out = ridge_py_none();
    if (!list || (flag.type != RIDGE_PY_T_UNSET && (st = ridge_py_truth(&reverse, flag, in))))
        return st;
    return ridge_py_sort(list, ridge_py_argument(call, SIZE_MAX, "key"), reverse, in);
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

static ridge_status m_str(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    return st ? st : ridge_py_to_str(out, ridge_py_base(call->args[0]), false, in);
}

static ridge_status m_eq(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    return st ? st : ridge_py_builtin_binary(out, RIDGE_PY_OP_EQ, call->args[0], call->args[1], false, in);
}

#define CONTAINER                                                                                                                          \
    {"__getitem__", m_getitem, NULL}, {"__len__", m_len, NULL}, {"__iter__", m_iter, NULL}, {"__contains__", m_contains, NULL},            \
        {"__repr__", m_repr, NULL}, {"__str__", m_str, NULL},                                                                              \
    {                                                                                                                                      \
        "__eq__", m_eq, NULL                                                                                                               \
    }

const ridge_py_native_entry ridge_py_list_methods[] = {
    {"append", m_append, NULL},       {"extend", m_extend, NULL},
    {"insert", m_insert, NULL},       {"pop", m_pop, NULL},
    {"remove", m_remove, NULL},       {"index", m_index, NULL},
    {"count", m_count, NULL},         {"clear", m_clear, NULL},
    {"copy", m_copy, NULL},           {"reverse", m_reverse, NULL},
    {"sort", m_sort, NULL},           {"__setitem__", m_setitem, NULL},
    {"__delitem__", m_delitem, NULL}, CONTAINER,
};
const size_t ridge_py_list_method_count = RIDGE_PY_COUNT(ridge_py_list_methods);

/* torch.Size is a tuple with numel() */
static ridge_status m_numel(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st;
    const ridge_py_list *list = self_of(call, 0, 0, &st, in);
    *out = ridge_py_int(1);
    for (size_t i = 0; list && i < list->count && !st; i++)
        st = ridge_py_binary(out, RIDGE_PY_OP_MUL, *out, list->items[i], in);
    return st;
}

const ridge_py_native_entry ridge_py_tuple_methods[] = {
    {"index", m_index, NULL},
    {"count", m_count, NULL},
    {"numel", m_numel, NULL},
    CONTAINER,
};
const size_t ridge_py_tuple_method_count = RIDGE_PY_COUNT(ridge_py_tuple_methods);

/* ---- numbers ---- */

static ridge_status m_is_integer(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st)
        return st;
    ridge_py v = ridge_py_base(call->args[0]);
    *out = ridge_py_bool(v.type != RIDGE_PY_T_FLOAT || v.u.f == floor(v.u.f));
    return v.type == RIDGE_PY_T_FLOAT ? ridge_py_pin(v, in) : RIDGE_OK;
}

static ridge_status m_bit_length(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    int64_t v, n = 0;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = ridge_py_concrete(&v, call->args[0], in)))
        return st;
    for (uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v; rest; rest >>= 1)
        n++;
    *out = ridge_py_int(n);
    return RIDGE_OK;
}

static ridge_status m_self(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (!st)
        *out = ridge_py_base(call->args[0]);
    return st;
}

const ridge_py_native_entry ridge_py_number_methods[] = {
    {"is_integer", m_is_integer, NULL},
    {"bit_length", m_bit_length, NULL},
    {"item", m_self, NULL},
    {"conjugate", m_self, NULL},
};
const size_t ridge_py_number_method_count = RIDGE_PY_COUNT(ridge_py_number_methods);
