/* enumerate, zip, map, filter, reversed, iter, next: one value after another. */
#include "learn/library/library.h"

ridge_status ridge_py_new_iterator(ridge_py *out, ridge_py_next_function *next, const void *state, size_t size, ridge_py_interp *in)
{
    ridge_py_iterator *it = ridge_arena_alloc(in->arena, sizeof *it);
    void *copy = ridge_arena_alloc(in->arena, size);
    if (!it || !copy)
        return ridge_no_memory(in->err);
    memcpy(copy, state, size);
    *it = (ridge_py_iterator){next, copy};
    *out = (ridge_py){.type = RIDGE_PY_T_ITERATOR, .u.iterator = it};
    return RIDGE_OK;
}

enum { WIDE = 100000 }; /* iterables side by side: zip(*rows) has as many as there are rows */

struct side_by_side {
    ridge_py function;
    ridge_py *of, *row; /* [count] */
    size_t count;
    int64_t at;
    bool strict;
};

/* the next of each; *done where the first to end does */
static ridge_status next_row(ridge_py *row, bool *done, struct side_by_side *s, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *done = false;
    for (size_t i = 0; i < s->count && !st && !*done; i++) {
        st = ridge_py_next(&row[i], done, s->of[i], in);
        if (!st && *done && s->strict && i)
            return ridge_py_raise(in, "ValueError", "zip() argument %zu is shorter than argument 1", i + 1);
    }
    return st;
}

static ridge_status next_of_enumerate(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    struct side_by_side *s = it->state;
    ridge_py pair[2];
    ridge_status st = next_row(pair + 1, done, s, in);
    pair[0] = ridge_py_int(s->at++);
    return st || *done ? st : ridge_py_new_tuple(out, pair, 2, in);
}

static ridge_status next_of_zip(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    struct side_by_side *s = it->state;
    *done = s->count == 0;
    ridge_status st = *done ? RIDGE_OK : next_row(s->row, done, s, in);
    return st || *done ? st : ridge_py_new_tuple(out, s->row, s->count, in);
}

static ridge_status next_of_map(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    struct side_by_side *s = it->state;
    ridge_status st = next_row(s->row, done, s, in);
    return st || *done ? st : ridge_py_call_value(out, s->function, s->row, s->count, NULL, 0, in);
}

static ridge_status next_of_filter(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    struct side_by_side *s = it->state;
    bool keep = false;
    while (!keep) {
        ridge_py test;
        ridge_status st = next_row(out, done, s, in);
        if (st || *done)
            return st;
        test = *out;
        if (s->function.type != RIDGE_PY_T_NONE && (st = ridge_py_call_value(&test, s->function, out, 1, NULL, 0, in)))
            return st;
        if ((st = ridge_py_truth(&keep, test, in)))
            return st;
    }
    return RIDGE_OK;
}

static ridge_status start(struct side_by_side *s, const ridge_py *args, size_t count, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (count > WIDE)
        return ridge_fail(in->err, RIDGE_LIMIT, "more than %d iterables side by side", WIDE);
    s->of = ridge_arena_array(in->arena, 2 * count + 1, sizeof *s->of);
    if (!s->of)
        return ridge_no_memory(in->err);
    s->row = s->of + count;
    s->count = count;
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_py_iterate(&s->of[i], args[i], in);
    return st;
}

static ridge_status f_enumerate(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    struct side_by_side s = {0};
    ridge_py first = ridge_py_argument(call, 1, "start"), over = ridge_py_argument(call, 0, "iterable");
    ridge_status st = start(&s, &over, 1, in);
    if (!st && first.type != RIDGE_PY_T_UNSET)
        st = ridge_py_concrete(&s.at, first, in);
    return st ? st : ridge_py_new_iterator(out, next_of_enumerate, &s, sizeof s, in);
}

static ridge_status f_zip(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    struct side_by_side s = {0};
    ridge_py strict = ridge_py_argument(call, SIZE_MAX, "strict");
    ridge_status st = start(&s, call->args, call->count, in);
    if (!st && strict.type != RIDGE_PY_T_UNSET)
        st = ridge_py_truth(&s.strict, strict, in);
    return st ? st : ridge_py_new_iterator(out, next_of_zip, &s, sizeof s, in);
}

static ridge_status with_function(ridge_py *out, const ridge_py_call *call, ridge_py_next_function *next, ridge_py_interp *in)
{
    struct side_by_side s = {0};
    ridge_status st = ridge_py_arity(call, 2, WIDE + 1, in);
    if (st || (st = start(&s, call->args + 1, call->count - 1, in)))
        return st;
    s.function = call->args[0];
    return ridge_py_new_iterator(out, next, &s, sizeof s, in);
}

static ridge_status f_map(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return with_function(out, call, next_of_map, in);
}

static ridge_status f_filter(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return with_function(out, call, next_of_filter, in);
}

static ridge_status f_reversed(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py list, method;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st)
        return st;
    if (call->args[0].type == RIDGE_PY_T_INSTANCE) {
        const ridge_symbol *name = ridge_py_symbol(in, "__reversed__");
        if (!name)
            return ridge_no_memory(in->err);
        if ((st = ridge_py_find(&method, call->args[0], name, in)))
            return st;
        if (method.type != RIDGE_PY_T_UNSET)
            return ridge_py_call_value(out, method, NULL, 0, NULL, 0, in);
    }
    if ((st = ridge_py_collect(&list, RIDGE_PY_T_LIST, call->args[0], in)) || list.type == RIDGE_PY_T_UNKNOWN) {
        *out = list;
        return st;
    }
    for (size_t i = 0, n = list.u.list->count; i < n / 2; i++) {
        ridge_py t = list.u.list->items[i];
        list.u.list->items[i] = list.u.list->items[n - 1 - i];
        list.u.list->items[n - 1 - i] = t;
    }
    return ridge_py_iterate(out, list, in);
}

/* iter(function, end): calls until it gives `end` */
static ridge_status next_of_calls(ridge_py *out, bool *done, ridge_py_iterator *it, ridge_py_interp *in)
{
    struct side_by_side *s = it->state;
    ridge_status st = ridge_py_call_value(out, s->function, NULL, 0, NULL, 0, in);
    return st ? st : ridge_py_equal(done, *out, s->of[0], in);
}

static ridge_status f_iter(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    struct side_by_side s = {0};
    ridge_status st = ridge_py_arity(call, 1, 2, in);
    if (st)
        return st;
    if (call->count == 1)
        return ridge_py_iterate(out, call->args[0], in);
    s.function = call->args[0];
    s.of[0] = call->args[1];
    return ridge_py_new_iterator(out, next_of_calls, &s, sizeof s, in);
}

static ridge_status f_next(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    bool done;
    ridge_status st = ridge_py_arity(call, 1, 2, in);
    if (st)
        return st;
    if (call->args[0].type == RIDGE_PY_T_UNKNOWN) {
        *out = call->args[0];
        return RIDGE_OK;
    }
    if ((st = ridge_py_next(out, &done, call->args[0], in)) || !done)
        return st;
    if (call->count == 1)
        return ridge_py_raise(in, "StopIteration", "%s", "");
    *out = call->args[1];
    return RIDGE_OK;
}

ridge_status ridge_py_iterators_install(ridge_py_interp *in)
{
    static const ridge_py_native_entry entries[] = {
        {"enumerate", f_enumerate, NULL}, {"zip", f_zip, NULL},   {"map", f_map, NULL},   {"filter", f_filter, NULL},
        {"reversed", f_reversed, NULL},   {"iter", f_iter, NULL}, {"next", f_next, NULL},
    };
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < RIDGE_PY_COUNT(entries) && !st; i++) {
        ridge_py f;
        const ridge_symbol *name = ridge_py_symbol(in, entries[i].name);
        if (!name)
            return ridge_no_memory(in->err);
        if (!(st = ridge_py_native_function(&f, entries[i].name, entries[i].call, NULL, NULL, in)))
            st = ridge_py_scope_set(&in->builtins, name, f, in);
    }
    return st;
}
