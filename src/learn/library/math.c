/* The modules math and operator. Roots, logarithms and the like of symbols are functions of them: number.h says how far those go. */
#include "learn/library/library.h"

#include <math.h>

/* the number of an argument; *unknown: it depends on data */
static ridge_status number(ridge_py *out, bool *unknown, const ridge_py_call *call, size_t place, ridge_py_interp *in)
{
    ridge_status st;
    ridge_py v = place < call->count ? ridge_py_base(call->args[place]) : ridge_py_unset();
    if (v.type == RIDGE_PY_T_TENSOR && (st = in->tensors->number(&v, v, RIDGE_PY_T_FLOAT, in)))
        return st;
    *out = v;
    *unknown = v.type == RIDGE_PY_T_UNKNOWN;
    if (*unknown || ridge_py_is_number(v))
        return RIDGE_OK;
    return ridge_py_raise(in, "TypeError", "must be real number, not %s", ridge_py_type_text(v));
}

struct real {
    const char *name;
    double (*function)(double v);
    double low, high; /* of the domain */
};

static double degrees(double v)
{
    return v * 180 / acos(-1);
}
static double radians(double v)
{
    return v * acos(-1) / 180;
}

static const struct real reals[] = {
    {"sqrt", sqrt, 0, INFINITY},
    {"exp", exp, -INFINITY, INFINITY},
    {"expm1", expm1, -INFINITY, INFINITY},
    {"log2", log2, 5e-324, INFINITY},
    {"log10", log10, 5e-324, INFINITY},
    {"log1p", log1p, -1, INFINITY},
    {"sin", sin, -INFINITY, INFINITY},
    {"cos", cos, -INFINITY, INFINITY},
    {"tan", tan, -INFINITY, INFINITY},
    {"asin", asin, -1, 1},
    {"acos", acos, -1, 1},
    {"atan", atan, -INFINITY, INFINITY},
    {"sinh", sinh, -INFINITY, INFINITY},
    {"cosh", cosh, -INFINITY, INFINITY},
    {"tanh", tanh, -INFINITY, INFINITY},
    {"erf", erf, -INFINITY, INFINITY},
    {"erfc", erfc, -INFINITY, INFINITY},
    {"gamma", tgamma, -INFINITY, INFINITY},
    {"lgamma", lgamma, -INFINITY, INFINITY},
    {"degrees", degrees, -INFINITY, INFINITY},
    {"radians", radians, -INFINITY, INFINITY},
    {"fabs", fabs, -INFINITY, INFINITY},
};

static ridge_status f_real(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const struct real *r = call->function->data;
    ridge_py v = ridge_py_unset();
    bool unknown;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = number(&v, &unknown, call, 0, in)) || unknown) {
        *out = v;
        return st;
    }
    double x = ridge_py_double(v);
    if (x < r->low || x > r->high)
        return ridge_py_raise(in, "ValueError", "math domain error");
    *out = ridge_py_float(r->function(x));
    return ridge_py_set_function(out, r->name, v, ridge_py_unset(), in);
}

static ridge_status f_log(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v = ridge_py_unset(), base = v;
    bool unknown;
    ridge_status st = ridge_py_arity(call, 1, 2, in);
    if (st || (st = number(&v, &unknown, call, 0, in)) || unknown) {
        *out = v;
        return st;
    }
    if (call->count == 2 && ((st = number(&base, &unknown, call, 1, in)) || unknown)) {
        *out = base;
        return st;
    }
    double x = ridge_py_double(v), b = call->count == 2 ? ridge_py_double(base) : 0;
    if (x <= 0 || (call->count == 2 && (b <= 0 || b == 1)))
        return ridge_py_raise(in, "ValueError", "math domain error");
    *out = ridge_py_float(call->count == 2 ? log(x) / log(b) : log(x));
    return ridge_py_set_function(out, "log", v, base, in);
}

static ridge_status f_pair(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    double (*const *function)(double, double) = call->function->data;
    ridge_py a = ridge_py_unset(), b = a;
    bool unknown;
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    if (st || (st = number(&a, &unknown, call, 0, in)) || unknown) {
        *out = a;
        return st;
    }
    if ((st = number(&b, &unknown, call, 1, in)) || unknown) {
        *out = b;
        return st;
    }
    *out = ridge_py_float((*function)(ridge_py_double(a), ridge_py_double(b)));
    return ridge_py_set_function(out, call->function->name, a, b, in);
}

static double (*const f_pow)(double, double) = pow;
static double (*const f_atan2)(double, double) = atan2;
static double (*const f_hypot)(double, double) = hypot;
static double (*const f_fmod)(double, double) = fmod;
static double (*const f_copysign)(double, double) = copysign;

/* ---- whole numbers ---- */

static ridge_status to_whole(ridge_py *out, const ridge_py_call *call, ridge_py_rounding how, ridge_py_interp *in)
{
    ridge_py v = ridge_py_unset();
    bool unknown;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = number(&v, &unknown, call, 0, in)) || unknown) {
        *out = v;
        return st;
    }
    return ridge_py_to_integer(out, v, how, in);
}

static ridge_status f_ceil(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return to_whole(out, call, RIDGE_PY_CEIL, in);
}
static ridge_status f_floor(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return to_whole(out, call, RIDGE_PY_FLOOR, in);
}
static ridge_status f_trunc(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return to_whole(out, call, RIDGE_PY_TRUNCATE, in);
}

static ridge_status f_gcd(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    int64_t v;
    ridge_int g = 0;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < call->count && !st; i++)
        if (!(st = ridge_py_concrete(&v, call->args[i], in)))
            g = ridge_int_gcd(g, v);
    *out = ridge_py_int((int64_t)g);
    return st;
}

static ridge_status f_lcm(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    int64_t v;
    ridge_int m = 1;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < call->count && !st; i++)
        if (!(st = ridge_py_concrete(&v, call->args[i], in)))
            m = v ? m / ridge_int_gcd(m, v) * (v < 0 ? -v : v) : 0;
    *out = ridge_py_int((int64_t)m);
    return st;
}

static ridge_status f_isqrt(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    int64_t v;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = ridge_py_concrete(&v, call->args[0], in)))
        return st;
    if (v < 0)
        return ridge_py_raise(in, "ValueError", "isqrt() argument must be nonnegative");
    int64_t r = (int64_t)sqrt((double)v);
    while (r * r > v)
        r--;
    while ((r + 1) * (r + 1) <= v)
        r++;
    *out = ridge_py_int(r);
    return RIDGE_OK;
}

static ridge_status f_factorial(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    int64_t v;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = ridge_py_concrete(&v, call->args[0], in)))
        return st;
    if (v < 0 || v > 20)
        return ridge_py_raise(in, "ValueError", "factorial() of a number that is not in 0..20");
    *out = ridge_py_int(1);
    for (int64_t i = 2; i <= v; i++)
        out->u.i *= i;
    return RIDGE_OK;
}

static ridge_status f_prod(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py items, start = ridge_py_argument(call, SIZE_MAX, "start");
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = ridge_py_collect(&items, RIDGE_PY_T_LIST, call->args[0], in)))
        return st;
    *out = start.type == RIDGE_PY_T_UNSET ? ridge_py_int(1) : start;
    if (items.type == RIDGE_PY_T_UNKNOWN)
        *out = items;
    for (size_t i = 0; items.type == RIDGE_PY_T_LIST && i < items.u.list->count && !st; i++)
        st = ridge_py_binary(out, RIDGE_PY_OP_MUL, *out, items.u.list->items[i], in);
    return st;
}

/* ---- tests ---- */

static ridge_status f_test(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v = ridge_py_unset();
    bool unknown;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = number(&v, &unknown, call, 0, in)) || unknown) {
        *out = v;
        return st;
    }
    double x = ridge_py_double(v);
    const char *name = call->function->name;
    *out = ridge_py_bool(strcmp(name, "isnan") == 0 ? isnan(x) : strcmp(name, "isinf") == 0 ? isinf(x) : isfinite(x));
    return RIDGE_OK; /* symbols are finite */
}

static ridge_status f_isclose(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py a, b, relative = ridge_py_argument(call, SIZE_MAX, "rel_tol"), absolute = ridge_py_argument(call, SIZE_MAX, "abs_tol");
    bool unknown, other;
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    if (st || (st = number(&a, &unknown, call, 0, in)) || (st = number(&b, &other, call, 1, in)))
        return st;
    if (unknown || other) {
        *out = unknown ? a : b;
        return RIDGE_OK;
    }
    double x = ridge_py_double(a), y = ridge_py_double(b), size = fmax(fabs(x), fabs(y));
    double rel = ridge_py_is_number(relative) ? ridge_py_double(relative) : 1e-9,
           abs = ridge_py_is_number(absolute) ? ridge_py_double(absolute) : 0;
    *out = ridge_py_bool(fabs(x - y) <= fmax(rel * size, abs));
    return (st = ridge_py_pin(a, in)) ? st : ridge_py_pin(b, in);
}

/* ---- the modules ---- */

static ridge_status add(ridge_py_module *m, const char *name, ridge_py v, ridge_py_interp *in)
{
    const ridge_symbol *s = ridge_py_symbol(in, name);
    return s ? ridge_py_scope_set(&m->globals, s, v, in) : ridge_no_memory(in->err);
}

static ridge_status add_function(ridge_py_module *m, const char *name, ridge_py_native_call *call, const void *data, ridge_py_interp *in)
{
    ridge_py f;
    ridge_status st = ridge_py_native_function(&f, name, call, NULL, data, in);
    return st ? st : add(m, name, f, in);
}

static ridge_status install_math(ridge_py_interp *in)
{
    static const ridge_py_native_entry entries[] = {
        {"log", f_log, NULL},         {"ceil", f_ceil, NULL},  {"floor", f_floor, NULL}, {"trunc", f_trunc, NULL},
        {"gcd", f_gcd, NULL},         {"lcm", f_lcm, NULL},    {"isqrt", f_isqrt, NULL}, {"factorial", f_factorial, NULL},
        {"prod", f_prod, NULL},       {"isnan", f_test, NULL}, {"isinf", f_test, NULL},  {"isfinite", f_test, NULL},
        {"isclose", f_isclose, NULL},
    };
    ridge_py_module *m;
    ridge_status st = ridge_py_native_module(&m, "math", entries, RIDGE_PY_COUNT(entries), in);
    for (size_t i = 0; i < RIDGE_PY_COUNT(reals) && !st; i++)
        st = add_function(m, reals[i].name, f_real, &reals[i], in);
    if (st || (st = add_function(m, "pow", f_pair, &f_pow, in)) || (st = add_function(m, "atan2", f_pair, &f_atan2, in)) ||
        (st = add_function(m, "hypot", f_pair, &f_hypot, in)) || (st = add_function(m, "fmod", f_pair, &f_fmod, in)) ||
        (st = add_function(m, "copysign", f_pair, &f_copysign, in)) || (st = add(m, "pi", ridge_py_float(acos(-1)), in)) ||
        (st = add(m, "e", ridge_py_float(exp(1)), in)) || (st = add(m, "tau", ridge_py_float(2 * acos(-1)), in)) ||
        (st = add(m, "inf", ridge_py_float(INFINITY), in)))
        return st;
    return add(m, "nan", ridge_py_float(NAN), in);
}

struct operation {
    const char *name;
    ridge_py_operator op;
};

static ridge_status f_operation(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const struct operation *o = call->function->data;
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    return st ? st : ridge_py_binary(out, o->op, call->args[0], call->args[1], in);
}

static ridge_status f_contains(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    return st ? st : ridge_py_binary(out, RIDGE_PY_OP_IN, call->args[1], call->args[0], in);
}

static ridge_status f_single(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const struct operation *o = call->function->data;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    return st ? st : ridge_py_unary(out, o->op, call->args[0], in);
}

static ridge_status f_getitem(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    return st ? st : ridge_py_get_item(out, call->args[0], call->args[1], in);
}

/* operator's names; those with an underscore in front are functions in C, itemgetter and attrgetter are in catalog/python/operator.py */
static ridge_status install_operator(ridge_py_interp *in)
{
    static const struct operation operations[] = {
        {"add", RIDGE_PY_OP_ADD},
        {"sub", RIDGE_PY_OP_SUB},
        {"mul", RIDGE_PY_OP_MUL},
        {"truediv", RIDGE_PY_OP_DIV},
        {"floordiv", RIDGE_PY_OP_FLOORDIV},
        {"mod", RIDGE_PY_OP_MOD},
        {"pow", RIDGE_PY_OP_POW},
        {"matmul", RIDGE_PY_OP_MATMUL},
        {"and_", RIDGE_PY_OP_BITAND},
        {"or_", RIDGE_PY_OP_BITOR},
        {"xor", RIDGE_PY_OP_BITXOR},
        {"lshift", RIDGE_PY_OP_LSHIFT},
        {"rshift", RIDGE_PY_OP_RSHIFT},
        {"eq", RIDGE_PY_OP_EQ},
        {"ne", RIDGE_PY_OP_NE},
        {"lt", RIDGE_PY_OP_LT},
        {"le", RIDGE_PY_OP_LE},
        {"gt", RIDGE_PY_OP_GT},
        {"ge", RIDGE_PY_OP_GE},
        {"is_", RIDGE_PY_OP_IS},
        {"is_not", RIDGE_PY_OP_IS_NOT},
    };
    static const struct operation singles[] = {
        {"neg", RIDGE_PY_OP_NEGATIVE}, {"pos", RIDGE_PY_OP_POSITIVE}, {"not_", RIDGE_PY_OP_NOT}, {"invert", RIDGE_PY_OP_INVERT}};
    static const ridge_py_native_entry entries[] = {{"contains", f_contains, NULL}, {"getitem", f_getitem, NULL}};
    ridge_py_module *m;
    ridge_status st = ridge_py_native_module(&m, "_operator", entries, RIDGE_PY_COUNT(entries), in);
    for (size_t i = 0; i < RIDGE_PY_COUNT(operations) && !st; i++)
        st = add_function(m, operations[i].name, f_operation, &operations[i], in);
    for (size_t i = 0; i < RIDGE_PY_COUNT(singles) && !st; i++)
        st = add_function(m, singles[i].name, f_single, &singles[i], in);
    return st;
}

ridge_status ridge_py_math_install(ridge_py_interp *in)
{
    ridge_status st = install_math(in);
    return st ? st : install_operator(in);
}
