/* Arithmetic and comparison of numbers, concrete as Python has them and in symbols beside it, and truth. */
#include "learn/python/number.h"

#include <math.h>

#define UNDECIDED RIDGE_VALUE /* the algebra cannot say it */

static const ridge_op ops[] = {
    [RIDGE_PY_OP_ADD] = RIDGE_OP_ADD,
    [RIDGE_PY_OP_SUB] = RIDGE_OP_SUB,
    [RIDGE_PY_OP_MUL] = RIDGE_OP_MUL,
    [RIDGE_PY_OP_DIV] = RIDGE_OP_DIV,
    [RIDGE_PY_OP_FLOORDIV] = RIDGE_OP_FLOORDIV,
    [RIDGE_PY_OP_MOD] = RIDGE_OP_MOD,
    [RIDGE_PY_OP_POW] = RIDGE_OP_POW,
    [RIDGE_PY_OP_EQ] = RIDGE_OP_EQ,
    [RIDGE_PY_OP_NE] = RIDGE_OP_NE,
    [RIDGE_PY_OP_LT] = RIDGE_OP_LT,
    [RIDGE_PY_OP_LE] = RIDGE_OP_LE,
    [RIDGE_PY_OP_GT] = RIDGE_OP_GT,
    [RIDGE_PY_OP_GE] = RIDGE_OP_GE,
};

static bool is_comparison(ridge_py_operator op)
{
    return op >= RIDGE_PY_OP_EQ && op <= RIDGE_PY_OP_GE;
}

/* ---- concrete ---- */

/* a whole number that does not fit in 64 bits goes on as a float: no shape is as large */
static ridge_py whole(ridge_int value)
{
    return value == (int64_t)value ? ridge_py_int((int64_t)value) : ridge_py_float((double)value);
}

static ridge_status no_zero(ridge_py_interp *in, const char *what)
{
    return ridge_py_raise(in, "ZeroDivisionError", "%s by zero", what);
}

static ridge_status integer_power(ridge_py *out, int64_t base, int64_t exponent, ridge_py_interp *in)
{
    ridge_int value = 1;
    if (exponent < 0) {
        if (!base)
            return ridge_py_raise(in, "ZeroDivisionError", "0.0 cannot be raised to a negative power");
        *out = ridge_py_float(pow((double)base, (double)exponent));
        return RIDGE_OK;
    }
    if (base == 0 || base == 1 || base == -1) {
        *out = ridge_py_int(exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base);
        return RIDGE_OK;
    }
    for (int64_t i = 0; i < exponent; i++)
        if (!ridge_int_mul(&value, value, base)) {
            *out = ridge_py_float(pow((double)base, (double)exponent));
            return RIDGE_OK;
        }
    *out = whole(value);
    return RIDGE_OK;
}

static ridge_status shift(ridge_py *out, ridge_py_operator op, int64_t a, int64_t b, ridge_py_interp *in)
{
    if (b < 0)
        return ridge_py_raise(in, "ValueError", "negative shift count");
    if (op == RIDGE_PY_OP_RSHIFT) {
        *out = ridge_py_int(b > 62 ? (a < 0 ? -1 : 0) : a >> b);
        return RIDGE_OK;
    }
    *out = b < 63 ? whole((ridge_int)a * ((ridge_int)1 << b))
           : a    ? ridge_py_float(ldexp((double)a, (int)(b < 2000 ? b : 2000)))
                  : ridge_py_int(0);
    return RIDGE_OK;
}

static ridge_status integers(ridge_py *out, ridge_py_operator op, int64_t a, int64_t b, ridge_py_interp *in)
{
    ridge_int quotient, remainder;
    switch (op) {
    case RIDGE_PY_OP_ADD:
        *out = whole((ridge_int)a + b);
        return RIDGE_OK;
    case RIDGE_PY_OP_SUB:
        *out = whole((ridge_int)a - b);
        return RIDGE_OK;
    case RIDGE_PY_OP_MUL:
        *out = whole((ridge_int)a * b);
        return RIDGE_OK;
    case RIDGE_PY_OP_DIV:
        *out = ridge_py_float(b ? (double)a / (double)b : 0);
        return b ? RIDGE_OK : no_zero(in, "division");
    case RIDGE_PY_OP_FLOORDIV:
    case RIDGE_PY_OP_MOD:
        if (!b || !ridge_int_floordiv(&quotient, &remainder, a, b))
            return no_zero(in, "integer division or modulo");
        *out = whole(op == RIDGE_PY_OP_MOD ? remainder : quotient);
        return RIDGE_OK;
    case RIDGE_PY_OP_POW:
        return integer_power(out, a, b, in);
    case RIDGE_PY_OP_LSHIFT:
    case RIDGE_PY_OP_RSHIFT:
        return shift(out, op, a, b, in);
    case RIDGE_PY_OP_BITAND:
        *out = ridge_py_int(a & b);
        return RIDGE_OK;
    case RIDGE_PY_OP_BITOR:
        *out = ridge_py_int(a | b);
        return RIDGE_OK;
    default:
        *out = ridge_py_int(a ^ b);
        return RIDGE_OK;
    }
}

/* the remainder of a division of floats has the divisor's sign */
static double modulo(double a, double b)
{
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static ridge_status floats(ridge_py *out, ridge_py_operator op, double a, double b, ridge_py_interp *in)
{
    double r = 0;
    switch (op) {
    case RIDGE_PY_OP_ADD:
        r = a + b;
        break;
    case RIDGE_PY_OP_SUB:
        r = a - b;
        break;
    case RIDGE_PY_OP_MUL:
        r = a * b;
        break;
    case RIDGE_PY_OP_DIV:
        if (b == 0)
            return no_zero(in, "float division");
        r = a / b;
        break;
    case RIDGE_PY_OP_FLOORDIV:
    case RIDGE_PY_OP_MOD:
        if (b == 0)
            return no_zero(in, "float division");
        r = op == RIDGE_PY_OP_MOD ? modulo(a, b) : floor((a - modulo(a, b)) / b + 0.5);
        break;
    case RIDGE_PY_OP_POW:
        if (a == 0 && b < 0)
            return ridge_py_raise(in, "ZeroDivisionError", "0.0 cannot be raised to a negative power");
        r = pow(a, b);
        break;
    default:
        *out = ridge_py_unset();
        return RIDGE_OK;
    }
    *out = ridge_py_float(r);
    return RIDGE_OK;
}

static bool compare(ridge_py_operator op, ridge_py a, ridge_py b)
{
    bool fractional = a.type == RIDGE_PY_T_FLOAT || b.type == RIDGE_PY_T_FLOAT;
    double x = ridge_py_double(a), y = ridge_py_double(b);
    int64_t i = fractional ? 0 : ridge_py_integer(a), k = fractional ? 0 : ridge_py_integer(b);
    bool equal = fractional ? x == y : i == k, less = fractional ? x < y : i < k, more = fractional ? x > y : i > k;
    switch (op) {
    case RIDGE_PY_OP_EQ:
        return equal;
    case RIDGE_PY_OP_NE:
        return !equal;
    case RIDGE_PY_OP_LT:
        return less;
    case RIDGE_PY_OP_LE:
        return less || equal;
    case RIDGE_PY_OP_GT:
        return more;
    default:
        return more || equal;
    }
}

static ridge_status concrete(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    if (is_comparison(op)) {
        *out = ridge_py_bool(compare(op, a, b));
        return RIDGE_OK;
    }
    if (a.type == RIDGE_PY_T_FLOAT || b.type == RIDGE_PY_T_FLOAT)
        return floats(out, op, ridge_py_double(a), ridge_py_double(b), in);
    ridge_status st = integers(out, op, ridge_py_integer(a), ridge_py_integer(b), in);
    bool bits = op == RIDGE_PY_OP_BITAND || op == RIDGE_PY_OP_BITOR || op == RIDGE_PY_OP_BITXOR;
    if (!st && bits && a.type == RIDGE_PY_T_BOOL && b.type == RIDGE_PY_T_BOOL)
        *out = ridge_py_bool(out->u.i != 0);
    return st;
}

/* ---- in symbols ---- */

ridge_status ridge_py_settle(ridge_py *out, ridge_py concrete, ridge_value sym, ridge_py_interp *in)
{
    ridge_rational value;
    *out = concrete;
    out->by.sym = sym.type == RIDGE_V_SYM ? sym.u.sym : NULL;
    if (concrete.type == RIDGE_PY_T_FLOAT)
        return RIDGE_OK;
    bool known = sym.type == RIDGE_V_SYM ? ridge_py_evaluate(&value, sym.u.sym, in) : ridge_value_as_rational(&value, sym);
    if (known && value.den == 1 && value.num == ridge_py_integer(concrete))
        return RIDGE_OK;
    out->by.sym = NULL;
    return sym.type == RIDGE_V_SYM ? ridge_py_pin_poly(sym.u.sym, in) : UNDECIDED;
}

/* a function of symbols may be added, subtracted and multiplied; what else happens to it is another function */
static bool may_calculate(ridge_py_operator op, ridge_py a, ridge_py b)
{
    bool function = (a.by.sym && ridge_py_has_function(a.by.sym)) || (b.by.sym && ridge_py_has_function(b.by.sym));
    if (op == RIDGE_PY_OP_DIV)
        return !(b.by.sym && ridge_py_has_function(b.by.sym));
    return !function || op == RIDGE_PY_OP_ADD || op == RIDGE_PY_OP_SUB || op == RIDGE_PY_OP_MUL;
}

/* a << 3 is a*8, a >> 3 is a//8; a & 1 is a%2 */
static bool as_arithmetic(ridge_py_operator *op, ridge_py *b)
{
    if (*op == RIDGE_PY_OP_BITAND && !b->by.sym && ridge_py_integer(*b) == 1) {
        *op = RIDGE_PY_OP_MOD;
        *b = ridge_py_int(2);
        return true;
    }
    if ((*op != RIDGE_PY_OP_LSHIFT && *op != RIDGE_PY_OP_RSHIFT) || b->by.sym || ridge_py_integer(*b) > 62)
        return *op <= RIDGE_PY_OP_POW || is_comparison(*op);
    *b = ridge_py_int((int64_t)1 << ridge_py_integer(*b));
    *op = *op == RIDGE_PY_OP_LSHIFT ? RIDGE_PY_OP_MUL : RIDGE_PY_OP_FLOORDIV;
    return true;
}

/* logic of booleans: a & b is a*b, a | b is a + b - a*b, a ^ b is a + b - 2*a*b */
static ridge_status logic(ridge_value *out, ridge_py_operator op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value sum, product;
    ridge_status st;
    if ((st = ridge_value_binary(&product, RIDGE_OP_MUL, a, b, calc)) || op == RIDGE_PY_OP_BITAND) {
        *out = product;
        return st;
    }
    if ((st = ridge_value_binary(&sum, RIDGE_OP_ADD, a, b, calc)) ||
        (st = ridge_value_binary(&product, RIDGE_OP_MUL, product, ridge_value_int(op == RIDGE_PY_OP_BITOR ? 1 : 2), calc)))
        return st;
    return ridge_value_binary(out, RIDGE_OP_SUB, sum, product, calc);
}

static ridge_status symbolic(ridge_value *out, ridge_py_operator op, ridge_py a, ridge_py b, ridge_py_type type, ridge_py_interp *in)
{
    ridge_err err = {0};
    ridge_calc calc = {in->arena, &in->algebra, &err};
    ridge_value x, y;
    bool known_a, known_b;
    ridge_status st;
    bool boolean = type == RIDGE_PY_T_BOOL && !is_comparison(op);
    if (!boolean && !as_arithmetic(&op, &b))
        return UNDECIDED;
    if (!may_calculate(op, a, b))
        return UNDECIDED;
    if ((st = ridge_py_exact(&x, &known_a, a, in)) || (st = ridge_py_exact(&y, &known_b, b, in)))
        return st;
    if (!known_a || !known_b)
        return UNDECIDED;
    if (op == RIDGE_PY_OP_FLOORDIV && y.type == RIDGE_V_INT && y.u.i < 0) { /* a // -2 is -a // 2 */
        y = ridge_value_int(-y.u.i);
        if ((st = ridge_value_binary(&x, RIDGE_OP_SUB, ridge_value_int(0), x, &calc)))
            return st != RIDGE_NOMEM ? UNDECIDED : st;
    }
    if (boolean)
        st = logic(out, op, x, y, &calc);
    else
        st = ridge_value_binary(out, ops[op], x, y, &calc);
    return st && st != RIDGE_NOMEM ? UNDECIDED : st;
}

ridge_status ridge_py_number_binary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_py result;
    ridge_value sym;
    ridge_status st = concrete(&result, op, a, b, in);
    *out = result;
    if (st || (!a.by.sym && !b.by.sym) || result.type == RIDGE_PY_T_UNSET)
        return st;
    st = symbolic(&sym, op, a, b, result.type, in);
    if (!st)
        st = ridge_py_settle(out, result, sym, in);
    if (st != UNDECIDED)
        return st;
    *out = result;
    if (result.type == RIDGE_PY_T_FLOAT)
        return ridge_py_set_function(out, ridge_py_operator_text(op), a, b, in);
    return (st = ridge_py_pin(a, in)) ? st : ridge_py_pin(b, in);
}

ridge_status ridge_py_number_unary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in)
{
    switch (op) {
    case RIDGE_PY_OP_NEGATIVE:
        if (a.type == RIDGE_PY_T_FLOAT && !a.by.sym) {
            *out = ridge_py_float(-a.u.f); /* -0.0, too */
            return RIDGE_OK;
        }
        return ridge_py_number_binary(out, RIDGE_PY_OP_MUL, a, ridge_py_int(-1), in);
    case RIDGE_PY_OP_POSITIVE:
        *out = a;
        if (a.type == RIDGE_PY_T_BOOL) {
            *out = ridge_py_int(a.u.b);
            out->by.sym = a.by.sym;
        }
        return RIDGE_OK;
    case RIDGE_PY_OP_INVERT:
        if (a.type == RIDGE_PY_T_FLOAT) {
            *out = ridge_py_unset();
            return RIDGE_OK;
        }
        return ridge_py_number_binary(out, RIDGE_PY_OP_SUB, ridge_py_int(-1), a, in);
    default:
        return ridge_py_truth_value(out, a, in);
    }
}

/* ---- conversions ---- */

static double rounded(double v, ridge_py_rounding how)
{
    switch (how) {
    case RIDGE_PY_FLOOR:
        return floor(v);
    case RIDGE_PY_CEIL:
        return ceil(v);
    case RIDGE_PY_TRUNCATE:
        return trunc(v);
    default:
        return rint(v); /* halves to the even one */
    }
}

/* v >= 0, which is asked where bounds don't say it */
static ridge_status ask_sign(bool *holds, ridge_py v, ridge_py_interp *in)
{
    ridge_py r;
    ridge_status st = ridge_py_number_binary(&r, RIDGE_PY_OP_GE, v, ridge_py_int(0), in);
    *holds = !st && r.u.b;
    return st ? st : ridge_py_ask(r.u.b, r.by.sym, NULL, in);
}

static ridge_status integer_symbol(ridge_value *out, ridge_py v, ridge_py_rounding how, ridge_py_interp *in)
{
    ridge_err err = {0};
    ridge_calc calc = {in->arena, &in->algebra, &err};
    ridge_value x;
    bool known, up = how == RIDGE_PY_CEIL;
    ridge_status st;
    if (ridge_py_has_function(v.by.sym) || how == RIDGE_PY_ROUND)
        return UNDECIDED;
    if (how == RIDGE_PY_TRUNCATE) {
        if ((st = ask_sign(&known, v, in)))
            return st;
        up = !known;
    }
    if ((st = ridge_py_exact(&x, &known, v, in)))
        return st;
    if (up) /* ceil(x) is -floor(-x) */
        st = ridge_value_binary(&x, RIDGE_OP_MUL, x, ridge_value_int(-1), &calc);
    if (!st)
        st = ridge_value_binary(out, RIDGE_OP_FLOORDIV, x, ridge_value_int(1), &calc);
    if (!st && up)
        st = ridge_value_binary(out, RIDGE_OP_MUL, *out, ridge_value_int(-1), &calc);
    return st && st != RIDGE_NOMEM ? UNDECIDED : st;
}

ridge_status ridge_py_to_integer(ridge_py *out, ridge_py v, ridge_py_rounding how, ridge_py_interp *in)
{
    ridge_value sym;
    ridge_status st;
    if (v.type != RIDGE_PY_T_FLOAT) {
        *out = ridge_py_int(ridge_py_integer(v));
        out->by.sym = v.by.sym;
        return RIDGE_OK;
    }
    if (!isfinite(v.u.f))
        return ridge_py_raise(in, isnan(v.u.f) ? "ValueError" : "OverflowError", "cannot convert float %s to integer",
                              isnan(v.u.f) ? "NaN" : "infinity");
    double r = rounded(v.u.f, how);
    ridge_py value = fabs(r) < 9.2e18 ? ridge_py_int((int64_t)r) : ridge_py_float(r);
    *out = value;
    if (!v.by.sym)
        return RIDGE_OK;
    st = integer_symbol(&sym, v, how, in);
    if (!st)
        st = ridge_py_settle(out, value, sym, in);
    if (st != UNDECIDED)
        return st;
    *out = value;
    return ridge_py_pin(v, in);
}

ridge_status ridge_py_to_float(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    (void)in;
    *out = ridge_py_float(ridge_py_double(v));
    out->by.sym = v.by.sym;
    return RIDGE_OK;
}

ridge_status ridge_py_min_max(ridge_py *out, bool maximum, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_err err = {0};
    ridge_calc calc = {in->arena, &in->algebra, &err};
    ridge_value x, y, sym;
    bool known_a, known_b, other = compare(maximum ? RIDGE_PY_OP_GT : RIDGE_PY_OP_LT, b, a);
    ridge_status st;
    *out = other ? b : a;
    if (!a.by.sym && !b.by.sym)
        return RIDGE_OK;
    bool function = (a.by.sym && ridge_py_has_function(a.by.sym)) || (b.by.sym && ridge_py_has_function(b.by.sym));
    if ((st = ridge_py_exact(&x, &known_a, a, in)) || (st = ridge_py_exact(&y, &known_b, b, in)))
        return st;
    if (function || !known_a || !known_b || a.type != b.type || ridge_sym_min_max(&sym, maximum, x, y, &calc))
        goto ask;
    if (!(st = ridge_py_settle(out, *out, sym, in)) || st != UNDECIDED)
        return st;
ask : { /* which one it is becomes a condition */
    ridge_py r;
    *out = other ? b : a;
    st = ridge_py_number_binary(&r, maximum ? RIDGE_PY_OP_GT : RIDGE_PY_OP_LT, b, a, in);
    return st ? st : ridge_py_ask(r.u.b, r.by.sym, NULL, in);
}
}
