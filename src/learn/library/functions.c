/* Built-in functions of numbers and texts, and what the files of the library share. */
#include "learn/library/library.h"

#include <math.h>

/* ---- arguments ---- */

ridge_py ridge_py_argument(const ridge_py_call *call, size_t place, const char *name)
{
    if (place < call->count)
        return call->args[place];
    for (size_t i = 0; i < call->keyword_count && name; i++)
        if (strcmp(call->keywords[i].name->text, name) == 0)
            return call->keywords[i].value;
    return ridge_py_unset();
}

ridge_py ridge_py_first_unknown(const ridge_py_call *call)
{
    for (size_t i = 0; i < call->count; i++)
        if (call->args[i].type == RIDGE_PY_T_UNKNOWN)
            return call->args[i];
    return ridge_py_unset();
}

ridge_status ridge_py_arity(const ridge_py_call *call, size_t low, size_t high, ridge_py_interp *in)
{
    if (call->count >= low && call->count <= high)
        return RIDGE_OK;
    return ridge_py_raise(in, "TypeError", "%s() takes %zu to %zu arguments (%zu given)",
                          call->function ? call->function->name : "function", low, high, call->count);
}

ridge_status ridge_py_new_tuple(ridge_py *out, const ridge_py *items, size_t count, ridge_py_interp *in)
{
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, count, in);
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_py_append(out->u.list, items[i], in);
    return st;
}

/* ---- sorting ---- */

static ridge_status merge(ridge_py *items, ridge_py *keys, ridge_py *room, ridge_py *key_room, size_t low, size_t middle, size_t high,
                          bool reverse, ridge_py_interp *in)
{
    size_t i = low, k = middle, n = low;
    while (i < middle || k < high) {
        bool second = i >= middle;
        if (i < middle && k < high) {
            ridge_py less;
            ridge_status st = reverse ? ridge_py_binary(&less, RIDGE_PY_OP_LT, keys[i], keys[k], in)
                                      : ridge_py_binary(&less, RIDGE_PY_OP_LT, keys[k], keys[i], in);
            if (st || (st = ridge_py_truth(&second, less, in)))
                return st;
        }
        room[n] = items[second ? k : i];
        key_room[n++] = keys[second ? k++ : i++];
    }
    memcpy(items + low, room + low, (high - low) * sizeof *items);
    memcpy(keys + low, key_room + low, (high - low) * sizeof *keys);
    return RIDGE_OK;
}

ridge_status ridge_py_sort(ridge_py_list *list, ridge_py key, bool reverse, ridge_py_interp *in)
{
    size_t count = list->count;
    ridge_py *keys = ridge_arena_array(in->arena, 3 * count + 1, sizeof *keys);
    ridge_status st = keys ? RIDGE_OK : ridge_no_memory(in->err);
    for (size_t i = 0; i < count && !st; i++) {
        keys[i] = list->items[i];
        if (key.type != RIDGE_PY_T_UNSET && key.type != RIDGE_PY_T_NONE)
            st = ridge_py_call_value(&keys[i], key, &list->items[i], 1, NULL, 0, in);
    }
    for (size_t width = 1; width < count && !st; width *= 2)
        for (size_t low = 0; low + width < count && !st; low += 2 * width) {
            size_t high = low + 2 * width < count ? low + 2 * width : count;
            in->steps += high - low;
            st = merge(list->items, keys, keys + count, keys + 2 * count, low, low + width, high, reverse, in);
        }
    return st;
}

static ridge_status f_sorted(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    bool reverse = false;
    ridge_py flag = ridge_py_argument(call, 2, "reverse");
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = ridge_py_collect(out, RIDGE_PY_T_LIST, call->args[0], in)) || out->type == RIDGE_PY_T_UNKNOWN)
        return st;
    if (flag.type != RIDGE_PY_T_UNSET && (st = ridge_py_truth(&reverse, flag, in)))
        return st;
    return ridge_py_sort(out->u.list, ridge_py_argument(call, 1, "key"), reverse, in);
}

/* ---- numbers ---- */

static ridge_status f_abs(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py negative;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st)
        return st;
    ridge_py v = ridge_py_base(call->args[0]);
    if (v.type == RIDGE_PY_T_UNKNOWN) {
        *out = v;
        return RIDGE_OK;
    }
    if (v.type == RIDGE_PY_T_TENSOR)
        return ridge_py_call_method(out, v, "abs", NULL, 0, in);
    if (v.type == RIDGE_PY_T_INSTANCE)
        return ridge_py_call_method(out, v, "__abs__", NULL, 0, in);
    if (!ridge_py_is_number(v))
        return ridge_py_raise(in, "TypeError", "bad operand type for abs(): '%s'", ridge_py_type_text(v));
    if (v.type == RIDGE_PY_T_FLOAT && !v.by.sym) {
        *out = ridge_py_float(fabs(v.u.f));
        return RIDGE_OK;
    }
    if ((st = ridge_py_number_unary(&negative, RIDGE_PY_OP_NEGATIVE, v, in)))
        return st;
    if (v.type == RIDGE_PY_T_BOOL)
        st = ridge_py_number_unary(&v, RIDGE_PY_OP_POSITIVE, v, in);
    return st ? st : ridge_py_min_max(out, true, v, negative, in);
}

static ridge_status f_round(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    int64_t digits;
    ridge_status st = ridge_py_arity(call, 1, 2, in);
    if (st)
        return st;
    ridge_py v = ridge_py_base(call->args[0]), n = ridge_py_argument(call, 1, "ndigits");
    if (v.type == RIDGE_PY_T_UNKNOWN) {
        *out = v;
        return RIDGE_OK;
    }
    if (v.type == RIDGE_PY_T_TENSOR)
        return ridge_py_call_method(out, v, "round", NULL, 0, in);
    if (!ridge_py_is_number(v))
        return ridge_py_raise(in, "TypeError", "type %s doesn't define __round__ method", ridge_py_type_text(v));
    if (n.type == RIDGE_PY_T_UNSET || n.type == RIDGE_PY_T_NONE)
        return ridge_py_to_integer(out, v, RIDGE_PY_ROUND, in);
    if ((st = ridge_py_concrete(&digits, n, in)))
        return st;
    if (v.type != RIDGE_PY_T_FLOAT) {
        *out = v;
        return digits >= 0 ? RIDGE_OK : ridge_fail(in->err, RIDGE_UNKNOWN, "round() of an int to tens");
    }
    char *text = ridge_arena_printf(in->arena, "%.*f", digits < 0 ? 0 : digits > 20 ? 20 : (int)digits, v.u.f);
    if (!text)
        return ridge_no_memory(in->err);
    if ((st = ridge_py_read_float(out, ridge_str_of(text[0] == '-' ? text + 1 : text), in)))
        return st;
    out->u.f = text[0] == '-' ? -out->u.f : out->u.f;
    return ridge_py_set_function(out, "round", v, ridge_py_unset(), in);
}

static ridge_status f_divmod(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py pair[2];
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    if (st || (st = ridge_py_binary(&pair[0], RIDGE_PY_OP_FLOORDIV, call->args[0], call->args[1], in)) ||
        (st = ridge_py_binary(&pair[1], RIDGE_PY_OP_MOD, call->args[0], call->args[1], in)))
        return st;
    return ridge_py_new_tuple(out, pair, 2, in);
}

static ridge_status f_pow(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 2, 3, in);
    if (st || (st = ridge_py_binary(out, RIDGE_PY_OP_POW, call->args[0], call->args[1], in)))
        return st;
    return call->count == 3 ? ridge_py_binary(out, RIDGE_PY_OP_MOD, *out, call->args[2], in) : RIDGE_OK;
}

static ridge_status f_sum(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py items, start = ridge_py_argument(call, 1, "start");
    ridge_status st = ridge_py_arity(call, 1, 2, in);
    if (st || (st = ridge_py_collect(&items, RIDGE_PY_T_LIST, call->args[0], in)))
        return st;
    *out = start.type == RIDGE_PY_T_UNSET ? ridge_py_int(0) : start;
    if (items.type == RIDGE_PY_T_UNKNOWN) {
        *out = items;
        return RIDGE_OK;
    }
    for (size_t i = 0; i < items.u.list->count && !st; i++)
        st = ridge_py_binary(out, RIDGE_PY_OP_ADD, *out, items.u.list->items[i], in);
    return st;
}

/* the better of two by their keys */
static ridge_status choose(ridge_py *best, ridge_py *best_key, ridge_py v, ridge_py key, bool maximum, ridge_py_interp *in)
{
    ridge_py r;
    bool take;
    ridge_status st;
    ridge_py x = ridge_py_base(*best_key), y = ridge_py_base(key);
    if (x.type == RIDGE_PY_T_UNKNOWN || y.type == RIDGE_PY_T_UNKNOWN) {
        *best = *best_key = x.type == RIDGE_PY_T_UNKNOWN ? x : y;
        return RIDGE_OK;
    }
    if (ridge_py_same(*best, *best_key) && ridge_py_is_number(x) && ridge_py_is_number(y)) {
        st = ridge_py_min_max(best, maximum, x, y, in);
        *best_key = *best;
        return st;
    }
    if ((st = ridge_py_binary(&r, maximum ? RIDGE_PY_OP_GT : RIDGE_PY_OP_LT, key, *best_key, in)) || (st = ridge_py_truth(&take, r, in)))
        return st;
    if (take) {
        *best = v;
        *best_key = key;
    }
    return RIDGE_OK;
}

static ridge_status best_of(ridge_py *out, const ridge_py_call *call, bool maximum, ridge_py_interp *in)
{
    ridge_py items, best_key, key = ridge_py_argument(call, SIZE_MAX, "key"), otherwise = ridge_py_argument(call, SIZE_MAX, "default");
    bool by_key = key.type != RIDGE_PY_T_UNSET && key.type != RIDGE_PY_T_NONE;
    ridge_status st = ridge_py_arity(call, 1, 100000, in);
    if (st)
        return st;
    if (call->count > 1)
        st = ridge_py_new_tuple(&items, call->args, call->count, in);
    else
        st = ridge_py_collect(&items, RIDGE_PY_T_LIST, call->args[0], in);
    if (st || items.type == RIDGE_PY_T_UNKNOWN) {
        *out = items;
        return st;
    }
    if (!items.u.list->count) {
        *out = otherwise;
        return otherwise.type == RIDGE_PY_T_UNSET
                   ? ridge_py_raise(in, "ValueError", "%s() arg is an empty sequence", maximum ? "max" : "min")
                   : st;
    }
    *out = best_key = items.u.list->items[0];
    if (by_key)
        st = ridge_py_call_value(&best_key, key, out, 1, NULL, 0, in);
    for (size_t i = 1; i < items.u.list->count && !st; i++) {
        ridge_py k = items.u.list->items[i];
        if (by_key && (st = ridge_py_call_value(&k, key, &items.u.list->items[i], 1, NULL, 0, in)))
            return st;
        st = choose(out, &best_key, items.u.list->items[i], k, maximum, in);
    }
    return st;
}

static ridge_status f_min(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return best_of(out, call, false, in);
}

static ridge_status f_max(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return best_of(out, call, true, in);
}

/* any() and all() ask one item after another, as Python does */
static ridge_status some(ridge_py *out, const ridge_py_call *call, bool wanted, ridge_py_interp *in)
{
    ridge_py iterator, item;
    bool done = false, is = !wanted;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = ridge_py_iterate(&iterator, call->args[0], in)))
        return st;
    while (!st && is != wanted) {
        if ((st = ridge_py_next(&item, &done, iterator, in)) || done)
            break;
        st = ridge_py_truth(&is, item, in);
    }
    *out = ridge_py_bool(is);
    return st;
}

static ridge_status f_any(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return some(out, call, true, in);
}

static ridge_status f_all(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return some(out, call, false, in);
}

static ridge_status f_len(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    return st ? st : ridge_py_length(out, call->args[0], in);
}

/* ---- texts ---- */

static ridge_status f_repr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    return st ? st : ridge_py_to_str(out, call->args[0], true, in);
}

static ridge_status f_format(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_buf buf = {0};
    ridge_str spec = {"", 0};
    ridge_status st = ridge_py_arity(call, 1, 2, in);
    if (!st && call->count == 2 && call->args[1].type == RIDGE_PY_T_STR)
        spec = call->args[1].u.s->text;
    if (!st)
        st = ridge_py_format(&buf, call->args[0], spec, in);
    if (!st)
        st = ridge_py_str(out, (ridge_str){buf.p ? buf.p : "", buf.n}, in);
    ridge_buf_free(&buf);
    return st;
}

static ridge_status in_base(ridge_py *out, const ridge_py_call *call, const char *spec, ridge_py_interp *in)
{
    ridge_py args[2];
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = ridge_py_strz(&args[1], spec, in)))
        return st;
    args[0] = call->args[0];
    return f_format(out, &(ridge_py_call){.args = args, .count = 2, .function = call->function}, in);
}

static ridge_status f_hex(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return in_base(out, call, "#x", in);
}

static ridge_status f_bin(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return in_base(out, call, "#b", in);
}

static ridge_status f_oct(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return in_base(out, call, "#o", in);
}

static ridge_status f_chr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    int64_t code;
    char utf8[4];
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = ridge_py_concrete(&code, call->args[0], in)))
        return st;
    if (code < 0 || code > 0x10FFFF)
        return ridge_py_raise(in, "ValueError", "chr() arg not in range(0x110000)");
    char *end = ridge_utf8_put(utf8, (uint32_t)code);
    return ridge_py_str(out, (ridge_str){utf8, (size_t)(end - utf8)}, in);
}

static ridge_status f_ord(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st)
        return st;
    ridge_str s = call->args[0].type == RIDGE_PY_T_STR ? call->args[0].u.s->text : (ridge_str){"", 0};
    size_t n = s.n ? ridge_utf8_length(s.p, s.p + s.n) : 0;
    if (!n || n != s.n)
        return ridge_py_raise(in, "TypeError", "ord() expected a character");
    *out = ridge_py_int(ridge_utf8_decode(s.p, n));
    return RIDGE_OK;
}

static ridge_status f_print(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)call;
    (void)in;
    *out = ridge_py_none();
    return RIDGE_OK;
}

/* ---- what is not there ---- */

static ridge_status f_open(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)out;
    (void)call;
    return ridge_py_raise(in, "OSError", "no file is opened here");
}

static ridge_status f_no(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)out;
    return ridge_py_raise(in, "RuntimeError", "%s() runs nothing here", call->function ? call->function->name : "this function");
}

static const ridge_py_native_entry entries[] = {
    {"sorted", f_sorted, NULL},    {"abs", f_abs, NULL},   {"round", f_round, NULL}, {"divmod", f_divmod, NULL}, {"pow", f_pow, NULL},
    {"sum", f_sum, NULL},          {"min", f_min, NULL},   {"max", f_max, NULL},     {"any", f_any, NULL},       {"all", f_all, NULL},
    {"len", f_len, NULL},          {"repr", f_repr, NULL}, {"ascii", f_repr, NULL},  {"format", f_format, NULL}, {"hex", f_hex, NULL},
    {"bin", f_bin, NULL},          {"oct", f_oct, NULL},   {"chr", f_chr, NULL},     {"ord", f_ord, NULL},       {"print", f_print, NULL},
    {"open", f_open, NULL},        {"exec", f_no, NULL},   {"eval", f_no, NULL},     {"compile", f_no, NULL},    {"input", f_no, NULL},
    {"breakpoint", f_print, NULL},
};

static ridge_status install(const ridge_py_native_entry *list, size_t count, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < count && !st; i++) {
        ridge_py f;
        const ridge_symbol *name = ridge_py_symbol(in, list[i].name);
        if (!name)
            return ridge_no_memory(in->err);
        if (!(st = ridge_py_native_function(&f, list[i].name, list[i].call, list[i].parameters, NULL, in)))
            st = ridge_py_scope_set(&in->builtins, name, f, in);
    }
    return st;
}

ridge_status ridge_py_functions_install(ridge_py_interp *in)
{
    return install(entries, RIDGE_PY_COUNT(entries), in);
}

ridge_status ridge_py_builtins_install(ridge_py_interp *in)
{
    ridge_status st;
    if ((st = ridge_py_types_install(in)) || (st = ridge_py_functions_install(in)) || (st = ridge_py_iterators_install(in)) ||
        (st = ridge_py_objects_install(in)) || (st = ridge_py_math_install(in)))
        return st;
    return (st = ridge_py_regex_install(in)) ? st : ridge_py_modules_install(in);
}
