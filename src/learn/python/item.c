/* Indices and slices of built-in containers. */
#include "learn/python/container.h"
#include "learn/python/machine.h"
#include "learn/python/number.h"

#include <ctype.h>

/* ---- positions ---- */

/* start, stop and step of a slice over `length` items; asks for what symbols it is made of */
ridge_status ridge_py_slice_bounds(int64_t *start, int64_t *step, int64_t *count, const ridge_py_slice *slice, int64_t length,
                                   ridge_py_interp *in)
{
    int64_t from, to;
    ridge_status st = RIDGE_OK;
    *step = 1;
    if (slice->step.type != RIDGE_PY_T_NONE && (st = ridge_py_concrete(step, slice->step, in)))
        return st;
    if (!*step)
        return ridge_py_raise(in, "ValueError", "slice step cannot be zero");
    from = *step > 0 ? 0 : length - 1;
    to = *step > 0 ? length : -1;
    int64_t low = *step > 0 ? 0 : -1, high = *step > 0 ? length : length - 1;
    if (slice->start.type != RIDGE_PY_T_NONE) {
        if ((st = ridge_py_concrete(&from, slice->start, in)))
            return st;
        from = from < 0 ? from + length : from;
        from = from < low ? low : from > high ? high : from;
    }
    if (slice->stop.type != RIDGE_PY_T_NONE) {
        if ((st = ridge_py_concrete(&to, slice->stop, in)))
            return st;
        to = to < 0 ? to + length : to;
        to = to < low ? low : to > high ? high : to;
    }
    *start = from;
    *count = *step > 0 ? (to > from ? (to - from + *step - 1) / *step : 0) : (from > to ? (from - to - *step - 1) / -*step : 0);
    return RIDGE_OK;
}

static ridge_status position(size_t *out, ridge_py index, size_t count, const char *what, ridge_py_interp *in)
{
    int64_t i;
    if (index.type == RIDGE_PY_T_STR || index.type == RIDGE_PY_T_NONE || index.type == RIDGE_PY_T_TUPLE || index.type == RIDGE_PY_T_FLOAT)
        return ridge_py_raise(in, "TypeError", "%s indices must be integers or slices, not %s", what, ridge_py_type_text(index));
    ridge_status st = ridge_py_concrete(&i, index, in);
    if (st)
        return st;
    if (i < 0)
        i += (int64_t)count;
    if (i < 0 || (uint64_t)i >= count)
        return ridge_py_raise(in, "IndexError", "%s index out of range", what);
    *out = (size_t)i;
    return RIDGE_OK;
}

/* ---- origins of items ---- */

/* A constant from the config that is part of a value with an origin gets its own: config.layer_types[3], config.rope_scaling.factor */
static ridge_status give_origin(ridge_py *v, const char *origin, ridge_py_interp *in)
{
    switch (v->type) {
    case RIDGE_PY_T_NONE:
    case RIDGE_PY_T_STR:
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
    case RIDGE_PY_T_DICT:
        v->by.origin = origin;
        return RIDGE_OK;
    case RIDGE_PY_T_BOOL:
        return ridge_py_named_bool(v, v->u.b, origin, in);
    case RIDGE_PY_T_INT:
        return ridge_py_named_int(v, v->u.i, origin, v->u.i < 0 ? v->u.i : v->u.i > 0, in);
    case RIDGE_PY_T_FLOAT:
        return ridge_py_named_float(v, v->u.f, origin, in);
    default:
        return RIDGE_OK;
    }
}

static bool has_by(ridge_py v)
{
    return ridge_py_has_sym(v) || ridge_py_origin(v);
}

static ridge_status item_origin(ridge_py *v, const char *origin, size_t place, ridge_py_interp *in)
{
    if (!origin || origin[0] == '=' || has_by(*v))
        return RIDGE_OK;
    const char *text = ridge_arena_printf(in->arena, "%s[%zu]", origin, place);
    return text ? give_origin(v, text, in) : ridge_no_memory(in->err);
}

static bool is_name(ridge_str s)
{
    bool ok = s.n > 0 && !ridge_is_digit(s.p[0]);
    for (size_t i = 0; i < s.n && ok; i++)
        ok = isalnum((unsigned char)s.p[i]) || s.p[i] == '_';
    return ok;
}

ridge_status ridge_py_field_origin(ridge_py *v, const char *origin, ridge_py key, ridge_py_interp *in)
{
    if (!origin || origin[0] == '=' || has_by(*v) || key.type != RIDGE_PY_T_STR || !is_name(key.u.s->text))
        return RIDGE_OK;
    const char *text = ridge_arena_printf(in->arena, "%s.%.*s", origin, RIDGE_STR_ARG(key.u.s->text));
    return text ? give_origin(v, text, in) : ridge_no_memory(in->err);
}

/* ---- reading ---- */

static ridge_status slice_list(ridge_py *out, ridge_py object, const ridge_py_slice *slice, ridge_py_interp *in)
{
    int64_t start, step, count;
    ridge_status st = ridge_py_slice_bounds(&start, &step, &count, slice, (int64_t)object.u.list->count, in);
    if (st || (st = ridge_py_new_list(out, object.type, (size_t)count, in)))
        return st;
    for (int64_t i = 0; i < count && !st; i++) {
        size_t at = (size_t)(start + i * step);
        ridge_py item = object.u.list->items[at];
        if (!(st = item_origin(&item, object.by.origin, at, in)))
            st = ridge_py_append(out->u.list, item, in);
    }
    return st;
}

static bool is_ascii(ridge_str s, ridge_py_interp *in)
{
    in->steps += s.n / 64; /* as much work as a step for so many */
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 128)
            return false;
    return true;
}

static ridge_status slice_text(ridge_py *out, ridge_py object, const ridge_py_slice *slice, ridge_py_interp *in)
{
    ridge_str s = object.u.s->text;
    int64_t start, step, count;
    ridge_buf buf = {0};
    if (!is_ascii(s, in))
        return ridge_fail(in->err, RIDGE_UNKNOWN, "a slice of a text that is not ASCII");
    ridge_status st = ridge_py_slice_bounds(&start, &step, &count, slice, (int64_t)s.n, in);
    for (int64_t i = 0; i < count && !st; i++)
        ridge_buf_addc(&buf, s.p[start + i * step]);
    if (!st)
        st = buf.failed ? ridge_no_memory(in->err) : ridge_py_str(out, (ridge_str){buf.p ? buf.p : "", buf.n}, in);
    ridge_buf_free(&buf);
    return st;
}

static ridge_status slice_range(ridge_py *out, const ridge_py_range *r, const ridge_py_slice *slice, ridge_py_interp *in)
{
    ridge_py all;
    ridge_status st = ridge_py_collect(&all, RIDGE_PY_T_LIST, (ridge_py){.type = RIDGE_PY_T_RANGE, .u.range = r}, in);
    return st ? st : slice_list(out, all, slice, in);
}

static ridge_status get_from_dict(ridge_py *out, ridge_py object, ridge_py key, ridge_py_interp *in)
{
    ridge_status st = ridge_py_dict_get(out, object.u.dict, key, in);
    if (st || (st = ridge_py_ask_value(key, in)))
        return st;
    if (out->type != RIDGE_PY_T_UNSET)
        return ridge_py_field_origin(out, object.by.origin, key, in);
    if (object.u.dict->missing.type == RIDGE_PY_T_UNSET || object.u.dict->missing.type == RIDGE_PY_T_NONE)
        return ridge_py_raise_key(in, key);
    if ((st = ridge_py_call_value(out, object.u.dict->missing, NULL, 0, NULL, 0, in)))
        return st;
    return ridge_py_dict_set(object.u.dict, key, *out, in);
}

static ridge_status get_from_range(ridge_py *out, ridge_py object, ridge_py index, ridge_py_interp *in)
{
    ridge_py n, product;
    size_t at;
    ridge_status st = ridge_py_length(&n, object, in);
    if (st || (st = ridge_py_ask_value(n, in)) || (st = position(&at, index, (size_t)n.u.i, "range object", in)) ||
        (st = ridge_py_number_binary(&product, RIDGE_PY_OP_MUL, object.u.range->step, ridge_py_int((int64_t)at), in)))
        return st;
    return ridge_py_number_binary(out, RIDGE_PY_OP_ADD, object.u.range->start, product, in);
}

static ridge_status get_from_text(ridge_py *out, ridge_py object, ridge_py index, ridge_py_interp *in)
{
    ridge_str s = object.u.s->text;
    size_t at;
    ridge_status st;
    if (!is_ascii(s, in))
        return ridge_fail(in->err, RIDGE_UNKNOWN, "an index into a text that is not ASCII");
    if ((st = position(&at, index, s.n, "string", in)))
        return st;
    return ridge_py_str(out, (ridge_str){s.p + at, 1}, in);
}

/* x[i] of a list where i is data: any item; the same type for all is all that is known */
ridge_status ridge_py_builtin_get_item(ridge_py *out, ridge_py object, ridge_py index, ridge_py_interp *in)
{
    size_t at;
    ridge_status st;
    object = ridge_py_base(object);
    *out = ridge_py_unset();
    if (object.type == RIDGE_PY_T_UNKNOWN || index.type == RIDGE_PY_T_UNKNOWN) {
        *out = object.type == RIDGE_PY_T_UNKNOWN ? object : index;
        return RIDGE_OK;
    }
    switch (object.type) {
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
        if (index.type == RIDGE_PY_T_SLICE)
            return slice_list(out, object, index.u.slice, in);
        if ((st = position(&at, index, object.u.list->count, object.type == RIDGE_PY_T_LIST ? "list" : "tuple", in)))
            return st;
        *out = object.u.list->items[at];
        return item_origin(out, object.by.origin, at, in);
    case RIDGE_PY_T_DICT:
        return get_from_dict(out, object, index, in);
    case RIDGE_PY_T_STR:
        return index.type == RIDGE_PY_T_SLICE ? slice_text(out, object, index.u.slice, in) : get_from_text(out, object, index, in);
    case RIDGE_PY_T_RANGE:
        return index.type == RIDGE_PY_T_SLICE ? slice_range(out, object.u.range, index.u.slice, in)
                                              : get_from_range(out, object, index, in);
    default:
        return RIDGE_OK;
    }
}

/* ---- writing ---- */

/* list[a:b] = items */
static ridge_status set_slice(ridge_py_list *list, const ridge_py_slice *slice, ridge_py value, ridge_py_interp *in)
{
    int64_t start, step, count;
    ridge_py items, made;
    ridge_status st;
    if ((st = ridge_py_slice_bounds(&start, &step, &count, slice, (int64_t)list->count, in)) ||
        (st = ridge_py_collect(&items, RIDGE_PY_T_LIST, value, in)))
        return st;
    if (items.type == RIDGE_PY_T_UNKNOWN)
        return ridge_py_raise(in, "TypeError", "can only assign an iterable");
    if (step != 1) {
        if ((size_t)count != items.u.list->count)
            return ridge_py_raise(in, "ValueError", "attempt to assign sequence of size %zu to extended slice of size %lld",
                                  items.u.list->count, (long long)count);
        for (int64_t i = 0; i < count; i++)
            list->items[start + i * step] = items.u.list->items[i];
        return RIDGE_OK;
    }
    if ((st = ridge_py_new_list(&made, RIDGE_PY_T_LIST, list->count + items.u.list->count, in)))
        return st;
    for (size_t i = 0; i < (size_t)start && !st; i++)
        st = ridge_py_append(made.u.list, list->items[i], in);
    for (size_t i = 0; i < items.u.list->count && !st; i++)
        st = ridge_py_append(made.u.list, items.u.list->items[i], in);
    for (size_t i = (size_t)(start + count); i < list->count && !st; i++)
        st = ridge_py_append(made.u.list, list->items[i], in);
    if (!st)
        *list = *made.u.list;
    return st;
}

ridge_status ridge_py_builtin_set_item(bool *done, ridge_py object, ridge_py index, ridge_py value, ridge_py_interp *in)
{
    size_t at;
    ridge_status st;
    object = ridge_py_base(object);
    *done = true;
    if (object.type == RIDGE_PY_T_UNKNOWN)
        return RIDGE_OK;
    if (object.type == RIDGE_PY_T_LIST) {
        if (index.type == RIDGE_PY_T_SLICE)
            return set_slice(object.u.list, index.u.slice, value, in);
        if (!(st = position(&at, index, object.u.list->count, "list assignment", in)))
            object.u.list->items[at] = value;
        return st;
    }
    if (object.type == RIDGE_PY_T_DICT)
        return (st = ridge_py_ask_value(index, in)) ? st : ridge_py_dict_set(object.u.dict, index, value, in);
    *done = false;
    return RIDGE_OK;
}

/* del list[a:b:c] */
static ridge_status delete_slice(ridge_py_list *list, const ridge_py_slice *slice, ridge_py_interp *in)
{
    int64_t start, step, count;
    ridge_status st = ridge_py_slice_bounds(&start, &step, &count, slice, (int64_t)list->count, in);
    if (st || count == 0)
        return st;
    if (step < 0) {
        start += (count - 1) * step;
        step = -step;
    }
    size_t kept = (size_t)start, gone = 0;
    for (size_t i = kept; i < list->count; i++)
        if (gone < (size_t)count && i == (size_t)start + gone * (size_t)step)
            gone++;
        else
            list->items[kept++] = list->items[i];
    list->count = kept;
    return RIDGE_OK;
}

ridge_status ridge_py_builtin_del_item(bool *done, ridge_py object, ridge_py index, ridge_py_interp *in)
{
    size_t at;
    bool there;
    ridge_status st;
    object = ridge_py_base(object);
    *done = object.type == RIDGE_PY_T_LIST || object.type == RIDGE_PY_T_DICT;
    if (object.type == RIDGE_PY_T_LIST && index.type == RIDGE_PY_T_SLICE)
        return delete_slice(object.u.list, index.u.slice, in);
    if (object.type == RIDGE_PY_T_LIST) {
        if ((st = position(&at, index, object.u.list->count, "list assignment", in)))
            return st;
        memmove(object.u.list->items + at, object.u.list->items + at + 1, (object.u.list->count - at - 1) * sizeof *object.u.list->items);
        object.u.list->count--;
        return RIDGE_OK;
    }
    if (object.type != RIDGE_PY_T_DICT)
        return RIDGE_OK;
    if ((st = ridge_py_ask_value(index, in)) || (st = ridge_py_dict_remove(&there, object.u.dict, index, in)))
        return st;
    return there ? RIDGE_OK : ridge_py_raise_key(in, index);
}
