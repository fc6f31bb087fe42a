/* The functions of the formula language. */
#include "formula/ast.h"

#include "formula/poly.h"

#define RANGE_LIMIT 1000000

static ridge_status not_for(const ridge_calc *calc, const char *name, ridge_value v)
{
    return ridge_fail(calc->err, RIDGE_TYPE, "%s does not work on %s", name, ridge_value_type_name(v.type));
}

static ridge_status min_max(ridge_value *out, bool maximum, const ridge_value *args, size_t count, const ridge_calc *calc)
{
    const char *name = maximum ? "max" : "min";
    if (count == 1 && args[0].type == RIDGE_V_LIST) {
        count = args[0].u.list->count;
        args = args[0].u.list->items;
        if (!count)
            return ridge_fail(calc->err, RIDGE_VALUE, "%s of an empty list", name);
    }
    for (size_t i = 0; i < count; i++) {
        ridge_rational a, b;
        if (!ridge_value_is_number(args[i]))
            return not_for(calc, name, args[i]);
        if (i == 0) {
            *out = args[0];
        } else if (ridge_value_as_rational(&a, *out) && ridge_value_as_rational(&b, args[i])) {
            int order = ridge_rational_compare(a, b);
            if (maximum ? order < 0 : order > 0)
                *out = args[i];
        } else {
            ridge_status st = ridge_sym_min_max(out, maximum, *out, args[i], calc);
            if (st)
                return st;
        }
    }
    return RIDGE_OK;
}

/* -floor(-v) */
static ridge_status symbolic_ceil(ridge_value *out, ridge_value v, const ridge_calc *calc)
{
    ridge_status st;
    if ((st = ridge_value_binary(out, RIDGE_OP_SUB, ridge_value_int(0), v, calc)) || (st = ridge_sym_floor(out, *out, calc)))
        return st;
    return ridge_value_binary(out, RIDGE_OP_SUB, ridge_value_int(0), *out, calc);
}

static ridge_status rounded(ridge_value *out, ridge_builtin which, ridge_value v, const ridge_calc *calc)
{
    ridge_rational r;
    ridge_int i;
    if (v.type == RIDGE_V_SYM) {
        ridge_status st;
        ridge_value condition, down, up;
        if (which == RIDGE_BUILTIN_ceil)
            return symbolic_ceil(out, v, calc);
        if ((st = ridge_sym_floor(&down, v, calc)) || (st = ridge_sym_binary(&condition, RIDGE_OP_GE, v, ridge_value_int(0), calc)))
            return st;
        *out = down;
        if (which == RIDGE_BUILTIN_floor || (condition.type == RIDGE_V_BOOL && condition.u.b) || ridge_value_equal(down, v))
            return RIDGE_OK;
        if ((st = symbolic_ceil(&up, v, calc)))
            return st;
        return ridge_sym_select(out, condition, down, up, calc); /* int() truncates */
    }
    if (!ridge_value_as_rational(&r, v))
        return not_for(calc, which == RIDGE_BUILTIN_ceil ? "ceil" : which == RIDGE_BUILTIN_floor ? "floor" : "int", v);
    bool up = which == RIDGE_BUILTIN_ceil || (which == RIDGE_BUILTIN_int && r.num < 0);
    if (!(up ? ridge_rational_ceil(&i, r) : ridge_rational_floor(&i, r)))
        return ridge_overflow(calc->err, "the rounded value");
    *out = ridge_value_int(i);
    return RIDGE_OK;
}

static ridge_status ceil_div(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_status st = ridge_value_binary(out, RIDGE_OP_SUB, ridge_value_int(0), a, calc);
    if (st || (st = ridge_value_binary(out, RIDGE_OP_FLOORDIV, *out, b, calc)))
        return st;
    return ridge_value_binary(out, RIDGE_OP_SUB, ridge_value_int(0), *out, calc);
}

static ridge_status length(ridge_value *out, ridge_value v, const ridge_calc *calc)
{
    if (v.type == RIDGE_V_LIST)
        *out = ridge_value_int((ridge_int)v.u.list->count);
    else if (v.type == RIDGE_V_STRING)
        *out = ridge_value_int((ridge_int)v.u.s.n);
    else if (v.type == RIDGE_V_OBJECT)
        *out = ridge_value_int((ridge_int)v.u.object->count);
    else
        return not_for(calc, "len", v);
    return RIDGE_OK;
}

static ridge_status sum(ridge_value *out, ridge_value v, const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    if (v.type != RIDGE_V_LIST)
        return not_for(calc, "sum", v);
    *out = ridge_value_int(0);
    for (size_t i = 0; i < v.u.list->count && !st; i++)
        st = ridge_value_binary(out, RIDGE_OP_ADD, *out, v.u.list->items[i], calc);
    return st;
}

/* range([from,] to [, step]); its length must be known, so it may not depend on a symbolic workload */
static ridge_status range(ridge_value *out, const ridge_value *args, size_t count, const ridge_calc *calc)
{
    ridge_int v[3] = {0, 0, 1};
    for (size_t i = 0; i < count; i++) {
        if (args[i].type == RIDGE_V_SYM)
            return ridge_fail(calc->err, RIDGE_TYPE, "how long a list is may not depend on the workload here");
        if (!ridge_value_as_int(&v[i], args[i]))
            return ridge_fail(calc->err, RIDGE_TYPE, "range wants integers, not %s", ridge_value_type_name(args[i].type));
    }
    if (count == 1) {
        v[1] = v[0];
        v[0] = 0;
    }
    if (v[2] == 0)
        return ridge_fail(calc->err, RIDGE_VALUE, "range with a step of 0");
    ridge_int span, n = 0;
    if (!ridge_int_sub(&span, v[1], v[0]) || span == RIDGE_INT_MIN)
        return ridge_overflow(calc->err, "this range");
    if (v[2] > 0 && span > 0)
        n = (span - 1) / v[2] + 1;
    else if (v[2] < 0 && span < 0)
        n = (span + 1) / v[2] + 1;
    if (n > RANGE_LIMIT)
        return ridge_fail(calc->err, RIDGE_LIMIT, "a range of more than %d items", RANGE_LIMIT);
    ridge_status st = ridge_value_list(out, (size_t)n, calc);
    for (size_t i = 0; i < (size_t)n && !st; i++)
        out->u.list->items[i] = ridge_value_int(v[0] + (ridge_int)i * v[2]);
    return st;
}

static ridge_status any_all(ridge_value *out, bool all, ridge_value v, const ridge_calc *calc)
{
    if (v.type != RIDGE_V_LIST)
        return not_for(calc, all ? "all" : "any", v);
    for (size_t i = 0; i < v.u.list->count; i++) {
        ridge_value t;
        bool unknown;
        ridge_status st = ridge_value_truth(&t, &unknown, v.u.list->items[i], calc);
        if (st)
            return st;
        if (unknown)
            return ridge_fail(calc->err, RIDGE_TYPE, "%s may not depend on the workload", all ? "all" : "any");
        if (t.u.b != all) {
            *out = ridge_value_bool(!all);
            return RIDGE_OK;
        }
    }
    *out = ridge_value_bool(all);
    return RIDGE_OK;
}

/* split('gated-gelu', '-') -> ['gated', 'gelu'] */
static ridge_status split(ridge_value *out, ridge_value text, ridge_value by, const ridge_calc *calc)
{
    if (text.type != RIDGE_V_STRING || by.type != RIDGE_V_STRING || by.u.s.n == 0)
        return ridge_fail(calc->err, RIDGE_TYPE, "split wants two strings, the second not empty");
    ridge_str s = text.u.s, sep = by.u.s;
    size_t parts = 1;
    for (size_t i = 0; i + sep.n <= s.n; i++)
        if (memcmp(s.p + i, sep.p, sep.n) == 0) {
            parts++;
            i += sep.n - 1;
        }
    ridge_status st = ridge_value_list(out, parts, calc);
    if (st)
        return st;
    size_t from = 0, k = 0;
    for (size_t i = 0; k + 1 < parts; i++)
        if (memcmp(s.p + i, sep.p, sep.n) == 0) {
            out->u.list->items[k++] = ridge_value_str((ridge_str){s.p + from, i - from});
            from = i + sep.n;
            i = from - 1;
        }
    out->u.list->items[k] = ridge_value_str((ridge_str){s.p + from, s.n - from});
    return RIDGE_OK;
}

static ridge_status absolute(ridge_value *out, ridge_value v, const ridge_calc *calc)
{
    ridge_rational r;
    if (!ridge_value_as_rational(&r, v))
        return not_for(calc, "abs", v);
    if (r.num >= 0) {
        *out = v;
        return RIDGE_OK;
    }
    return ridge_value_binary(out, RIDGE_OP_SUB, ridge_value_int(0), v, calc);
}

ridge_status ridge_builtin_call(ridge_value *out, ridge_builtin which, const ridge_value *args, size_t count, const ridge_calc *calc)
{
    switch (which) {
    case RIDGE_BUILTIN_min:
    case RIDGE_BUILTIN_max:
        return min_max(out, which == RIDGE_BUILTIN_max, args, count, calc);
    case RIDGE_BUILTIN_ceil:
    case RIDGE_BUILTIN_floor:
    case RIDGE_BUILTIN_int:
        return rounded(out, which, args[0], calc);
    case RIDGE_BUILTIN_abs:
        return absolute(out, args[0], calc);
    case RIDGE_BUILTIN_len:
        return length(out, args[0], calc);
    case RIDGE_BUILTIN_sum:
        return sum(out, args[0], calc);
    case RIDGE_BUILTIN_range:
        return range(out, args, count, calc);
    case RIDGE_BUILTIN_ceil_div:
        return ceil_div(out, args[0], args[1], calc);
    case RIDGE_BUILTIN_any:
    case RIDGE_BUILTIN_all:
        return any_all(out, which == RIDGE_BUILTIN_all, args[0], calc);
    case RIDGE_BUILTIN_split:
        return split(out, args[0], args[1], calc);
    case RIDGE_BUILTIN_COUNT:
        break;
    }
    return ridge_fail(calc->err, RIDGE_NAME, "no such function");
}
