/* One number and another, as torch computes with them. */
#include <math.h>

#include "learn/python/number.h"
#include "learn/torch/content_math.h"
#include "learn/torch/size.h"

/* ---- numbers ---- */

double ridge_math_real(ridge_py v)
{
    return v.type == RIDGE_PY_T_FLOAT ? v.u.f : v.type == RIDGE_PY_T_BOOL ? (double)v.u.b : (double)v.u.i;
}

bool ridge_math_truth(ridge_py v)
{
    return v.type == RIDGE_PY_T_FLOAT ? v.u.f != 0 : v.type == RIDGE_PY_T_BOOL ? v.u.b : v.u.i != 0;
}

static int64_t int_of(ridge_py v)
{
    return v.type == RIDGE_PY_T_BOOL ? v.u.b : v.u.i;
}

/* a BOOL as the INT that it counts as */
ridge_py ridge_math_counted(ridge_py v)
{
    if (v.type == RIDGE_PY_T_BOOL) {
        v.u.i = v.u.b;
        v.type = RIDGE_PY_T_INT;
    }
    return v;
}

/* the nearest number of so many bits, whose last is worth 2^least or more; half to even */
static double rounded(double f, int bits, int least, double largest)
{
    int exponent;
    if (!isfinite(f) || f == 0)
        return f;
    frexp(f, &exponent);
    int last = exponent - bits > least ? exponent - bits : least;
    double near = ldexp(nearbyint(ldexp(f, -last)), last);
    return fabs(near) > largest ? copysign((double)INFINITY, f) : near;
}

ridge_status ridge_content_cast(ridge_py *out, ridge_py v, ridge_dtype dtype, ridge_py_interp *in)
{
    *out = ridge_py_unset();
    if (!ridge_py_is_number(v))
        return RIDGE_OK;
    if (dtype == RIDGE_DTYPE_BOOL) {
        if (v.type == RIDGE_PY_T_BOOL) {
            *out = v;
            return RIDGE_OK;
        }
        if (v.by.sym)
            return ridge_py_binary(out, RIDGE_PY_OP_NE, v, ridge_py_int(0), in);
        *out = ridge_py_bool(ridge_math_truth(v));
        return RIDGE_OK;
    }
    if (dtype <= RIDGE_DTYPE_I64) {
        *out = ridge_math_counted(v);
        if (v.type != RIDGE_PY_T_FLOAT)
            return RIDGE_OK;
        *out = ridge_py_unset();
        return fabs(v.u.f) < 9e18 ? ridge_py_to_integer(out, v, RIDGE_PY_TRUNCATE, in) : RIDGE_OK;
    }
    if (dtype == RIDGE_DTYPE_C64 || dtype == RIDGE_DTYPE_C128 || dtype == RIDGE_DTYPE_F8)
        return RIDGE_OK;
    *out = v;
    if (v.type != RIDGE_PY_T_FLOAT) {
        out->type = RIDGE_PY_T_FLOAT;
        out->u.f = ridge_math_real(v);
    }
    if (dtype == RIDGE_DTYPE_F32)
        out->u.f = (double)(float)out->u.f;
    else if (dtype == RIDGE_DTYPE_F16)
        out->u.f = rounded(out->u.f, 11, -24, 65504);
    else if (dtype == RIDGE_DTYPE_BF16)
        out->u.f = rounded(out->u.f, 8, -133, 0x1.fep127);
    return RIDGE_OK;
}

static const struct {
    const char *name;
    ridge_math op;
} math_names[] = {
    {"add", RIDGE_MATH_ADD},
    {"sub", RIDGE_MATH_SUB},
    {"rsub", RIDGE_MATH_RSUB},
    {"mul", RIDGE_MATH_MUL},
    {"div", RIDGE_MATH_DIV},
    {"true_divide", RIDGE_MATH_DIV},
    {"div_trunc", RIDGE_MATH_DIV_TRUNC},
    {"floor_divide", RIDGE_MATH_FLOORDIV},
    {"remainder", RIDGE_MATH_REM},
    {"pow", RIDGE_MATH_POW},
    {"eq", RIDGE_MATH_EQ},
    {"ne", RIDGE_MATH_NE},
    {"lt", RIDGE_MATH_LT},
    {"le", RIDGE_MATH_LE},
    {"gt", RIDGE_MATH_GT},
    {"ge", RIDGE_MATH_GE},
    {"logical_and", RIDGE_MATH_AND},
    {"logical_or", RIDGE_MATH_OR},
    {"logical_xor", RIDGE_MATH_XOR},
    {"bitwise_and", RIDGE_MATH_BITAND},
    {"__and__", RIDGE_MATH_BITAND},
    {"bitwise_or", RIDGE_MATH_BITOR},
    {"__or__", RIDGE_MATH_BITOR},
    {"bitwise_xor", RIDGE_MATH_BITXOR},
    {"minimum", RIDGE_MATH_MIN},
    {"maximum", RIDGE_MATH_MAX},
    {"clamp_max", RIDGE_MATH_MIN},
    {"clamp_min", RIDGE_MATH_MAX},
    {"neg", RIDGE_MATH_NEG},
    {"abs", RIDGE_MATH_ABS},
    {"logical_not", RIDGE_MATH_NOT},
    {"isnan", RIDGE_MATH_ISNAN},
    {"isinf", RIDGE_MATH_ISINF},
    {"isfinite", RIDGE_MATH_ISFINITE},
    {"bitwise_not", RIDGE_MATH_BITNOT},
    {"floor", RIDGE_MATH_FLOOR},
    {"ceil", RIDGE_MATH_CEIL},
    {"round", RIDGE_MATH_ROUND},
    {"trunc", RIDGE_MATH_TRUNC},
    {"sqrt", RIDGE_MATH_SQRT},
    {"exp", RIDGE_MATH_EXP},
    {"log", RIDGE_MATH_LOG},
    {"log2", RIDGE_MATH_LOG2},
    {"to", RIDGE_MATH_SAME},
    {"_to_copy", RIDGE_MATH_SAME},
    {"clone", RIDGE_MATH_SAME},
    {"positive", RIDGE_MATH_SAME},
    {"where", RIDGE_MATH_WHERE},
    {"clamp", RIDGE_MATH_CLAMP},
};

ridge_math ridge_math_of(const char *name)
{
    for (size_t i = 0; i < sizeof math_names / sizeof *math_names; i++)
        if (strcmp(math_names[i].name, name) == 0)
            return math_names[i].op;
    return RIDGE_MATH_NO_OP;
}

static ridge_py whole(double f, bool was_int, ridge_py v)
{
    return was_int ? v : ridge_py_float(f);
}

/* of a number with symbols: rounded, it stays a polynomial with floors in it */
static ridge_status symbolic_unary(ridge_py *out, ridge_math op, ridge_py a, ridge_py_interp *in)
{
    ridge_py_rounding how = op == RIDGE_MATH_FLOOR ? RIDGE_PY_FLOOR : op == RIDGE_MATH_CEIL ? RIDGE_PY_CEIL : op == RIDGE_MATH_TRUNC ? RIDGE_PY_TRUNCATE : RIDGE_PY_ROUND;
    ridge_py whole_number;
    if (op != RIDGE_MATH_FLOOR && op != RIDGE_MATH_CEIL && op != RIDGE_MATH_ROUND && op != RIDGE_MATH_TRUNC)
        return RIDGE_OK;
    if (a.type != RIDGE_PY_T_FLOAT) {
        *out = a;
        return RIDGE_OK;
    }
    ridge_status st = ridge_py_to_integer(&whole_number, a, how, in);
    return st ? st : ridge_py_to_float(out, whole_number, in);
}

ridge_status ridge_math_unary(ridge_py *out, ridge_math op, ridge_py a, ridge_py_interp *in)
{
    bool is_int = a.type != RIDGE_PY_T_FLOAT;
    double f = ridge_math_real(a);
    if (op == RIDGE_MATH_SAME) {
        *out = a;
        return RIDGE_OK;
    }
    if (a.by.sym) {
        if (op == RIDGE_MATH_ISNAN || op == RIDGE_MATH_ISINF || op == RIDGE_MATH_ISFINITE) {
            *out = ridge_py_bool(op == RIDGE_MATH_ISFINITE);
            return RIDGE_OK;
        }
        if (op == RIDGE_MATH_NEG)
            return ridge_py_unary(out, RIDGE_PY_OP_NEGATIVE, ridge_math_counted(a), in);
        if (op == RIDGE_MATH_NOT || (op == RIDGE_MATH_BITNOT && a.type == RIDGE_PY_T_BOOL))
            return ridge_py_binary(out, RIDGE_PY_OP_EQ, ridge_math_counted(a), ridge_py_int(0), in);
        return symbolic_unary(out, op, a, in);
    }
    switch (op) {
    case RIDGE_MATH_NEG:
        *out = is_int ? ridge_py_int(-int_of(a)) : ridge_py_float(-f);
        break;
    case RIDGE_MATH_ABS:
        *out = is_int ? ridge_py_int(int_of(a) < 0 ? -int_of(a) : int_of(a)) : ridge_py_float(fabs(f));
        break;
    case RIDGE_MATH_NOT:
        *out = ridge_py_bool(!ridge_math_truth(a));
        break;
    case RIDGE_MATH_BITNOT:
        *out = a.type == RIDGE_PY_T_BOOL ? ridge_py_bool(!a.u.b) : is_int ? ridge_py_int(~a.u.i) : ridge_py_unset();
        break;
    case RIDGE_MATH_FLOOR:
        *out = whole(floor(f), is_int, a);
        break;
    case RIDGE_MATH_CEIL:
        *out = whole(ceil(f), is_int, a);
        break;
    case RIDGE_MATH_ROUND: /* half to even */
        *out = whole(nearbyint(f), is_int, a);
        break;
    case RIDGE_MATH_TRUNC:
        *out = whole(trunc(f), is_int, a);
        break;
    case RIDGE_MATH_SQRT:
        *out = ridge_py_float(sqrt(f));
        break;
    case RIDGE_MATH_EXP:
        *out = ridge_py_float(exp(f));
        break;
    case RIDGE_MATH_LOG:
        *out = ridge_py_float(log(f));
        break;
    case RIDGE_MATH_LOG2:
        *out = ridge_py_float(log2(f));
        break;
    case RIDGE_MATH_ISNAN:
        *out = ridge_py_bool(isnan(f));
        break;
    case RIDGE_MATH_ISINF:
        *out = ridge_py_bool(isinf(f));
        break;
    case RIDGE_MATH_ISFINITE:
        *out = ridge_py_bool(isfinite(f));
        break;
    default:
        break;
    }
    return RIDGE_OK;
}

static ridge_status symbolic(ridge_py *out, ridge_math op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    static const struct {
        ridge_math op;
        ridge_py_operator python;
    } same[] = {
        {RIDGE_MATH_ADD, RIDGE_PY_OP_ADD}, {RIDGE_MATH_SUB, RIDGE_PY_OP_SUB}, {RIDGE_MATH_MUL, RIDGE_PY_OP_MUL}, {RIDGE_MATH_DIV, RIDGE_PY_OP_DIV}, {RIDGE_MATH_FLOORDIV, RIDGE_PY_OP_FLOORDIV},
        {RIDGE_MATH_REM, RIDGE_PY_OP_MOD}, {RIDGE_MATH_POW, RIDGE_PY_OP_POW}, {RIDGE_MATH_EQ, RIDGE_PY_OP_EQ},   {RIDGE_MATH_NE, RIDGE_PY_OP_NE},   {RIDGE_MATH_LT, RIDGE_PY_OP_LT},
        {RIDGE_MATH_LE, RIDGE_PY_OP_LE},   {RIDGE_MATH_GT, RIDGE_PY_OP_GT},   {RIDGE_MATH_GE, RIDGE_PY_OP_GE}};
    if (op == RIDGE_MATH_DIV_TRUNC && a.type == RIDGE_PY_T_INT && b.type == RIDGE_PY_T_INT && a.u.i >= 0 && b.u.i > 0)
        op = RIDGE_MATH_FLOORDIV; /* sizes are not below 0 */
    if ((op == RIDGE_MATH_DIV || op == RIDGE_MATH_FLOORDIV || op == RIDGE_MATH_REM) && ridge_math_real(b) == 0)
        return RIDGE_OK;
    a = ridge_math_counted(a);
    b = ridge_math_counted(b);
    if (op == RIDGE_MATH_RSUB)
        return ridge_py_binary(out, RIDGE_PY_OP_SUB, b, a, in);
    if ((op == RIDGE_MATH_MIN || op == RIDGE_MATH_MAX) && a.type == RIDGE_PY_T_INT && b.type == RIDGE_PY_T_INT)
        return op == RIDGE_MATH_MIN ? ridge_size_min(out, a, b, in) : ridge_size_max(out, a, b, in);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].op == op)
            return ridge_py_binary(out, same[i].python, a, b, in);
    return RIDGE_OK;
}

static ridge_py compare(ridge_math op, double order)
{
    return ridge_py_bool(op == RIDGE_MATH_EQ   ? order == 0
                         : op == RIDGE_MATH_NE ? order != 0
                         : op == RIDGE_MATH_LT ? order < 0
                         : op == RIDGE_MATH_LE ? order <= 0
                         : op == RIDGE_MATH_GT ? order > 0
                                    : order >= 0);
}

static int64_t int_power(int64_t base, int64_t exponent, bool *overflow)
{
    int64_t result = 1;
    while (exponent-- > 0 && !*overflow)
        *overflow = __builtin_mul_overflow(result, base, &result);
    return result;
}

static void binary_int(ridge_py *out, ridge_math op, int64_t a, int64_t b, bool bools)
{
    int64_t c = 0;
    bool overflow = false;
    switch (op) {
    case RIDGE_MATH_ADD:
        overflow = __builtin_add_overflow(a, b, &c);
        break;
    case RIDGE_MATH_SUB:
        overflow = __builtin_sub_overflow(a, b, &c);
        break;
    case RIDGE_MATH_RSUB:
        overflow = __builtin_sub_overflow(b, a, &c);
        break;
    case RIDGE_MATH_MUL:
        overflow = __builtin_mul_overflow(a, b, &c);
        break;
    case RIDGE_MATH_DIV_TRUNC:
        overflow = b == 0 || (a == INT64_MIN && b == -1);
        c = overflow ? 0 : a / b;
        break;
    case RIDGE_MATH_DIV:
        *out = b ? ridge_py_float((double)a / (double)b) : ridge_py_unset();
        return;
    case RIDGE_MATH_FLOORDIV:
    case RIDGE_MATH_REM:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return;
        c = a / b - (a % b != 0 && (a < 0) != (b < 0));
        if (op == RIDGE_MATH_REM)
            c = a - c * b;
        break;
    case RIDGE_MATH_POW:
        overflow = b < 0 || b > 64;
        c = overflow ? 0 : int_power(a, b, &overflow);
        break;
    case RIDGE_MATH_BITAND:
        c = a & b;
        break;
    case RIDGE_MATH_BITOR:
        c = a | b;
        break;
    case RIDGE_MATH_BITXOR:
        c = a ^ b;
        break;
    case RIDGE_MATH_MIN:
        c = a < b ? a : b;
        break;
    case RIDGE_MATH_MAX:
        c = a > b ? a : b;
        break;
    default:
        *out = compare(op, a < b ? -1 : a > b);
        return;
    }
    bool bitwise = op == RIDGE_MATH_BITAND || op == RIDGE_MATH_BITOR || op == RIDGE_MATH_BITXOR;
    if (!overflow)
        *out = bools && bitwise ? ridge_py_bool(c != 0) : ridge_py_int(c);
}

static void binary_real(ridge_py *out, ridge_math op, double a, double b)
{
    double c;
    switch (op) {
    case RIDGE_MATH_ADD:
        c = a + b;
        break;
    case RIDGE_MATH_SUB:
        c = a - b;
        break;
    case RIDGE_MATH_RSUB:
        c = b - a;
        break;
    case RIDGE_MATH_MUL:
        c = a * b;
        break;
    case RIDGE_MATH_DIV_TRUNC:
        c = trunc(a / b);
        break;
    case RIDGE_MATH_DIV:
        c = a / b;
        break;
    case RIDGE_MATH_FLOORDIV:
        c = floor(a / b);
        break;
    case RIDGE_MATH_REM:
        c = a - floor(a / b) * b;
        break;
    case RIDGE_MATH_POW:
        c = pow(a, b);
        break;
    case RIDGE_MATH_MIN:
        c = a < b ? a : b;
        break;
    case RIDGE_MATH_MAX:
        c = a > b ? a : b;
        break;
    case RIDGE_MATH_BITAND:
    case RIDGE_MATH_BITOR:
    case RIDGE_MATH_BITXOR:
        return;
    default:
        *out = compare(op, a < b ? -1 : a > b);
        if (isnan(a) || isnan(b))
            *out = ridge_py_bool(op == RIDGE_MATH_NE);
        return;
    }
    *out = ridge_py_float(c);
}

ridge_status ridge_math_binary(ridge_py *out, ridge_math op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    if (op == RIDGE_MATH_AND || op == RIDGE_MATH_OR || op == RIDGE_MATH_XOR) {
        if (!a.by.sym && !b.by.sym)
            *out = ridge_py_bool(op == RIDGE_MATH_AND ? ridge_math_truth(a) && ridge_math_truth(b) : op == RIDGE_MATH_OR ? ridge_math_truth(a) || ridge_math_truth(b) : ridge_math_truth(a) != ridge_math_truth(b));
        return RIDGE_OK;
    }
    if (a.by.sym || b.by.sym)
        return symbolic(out, op, a, b, in);
    if (a.type == RIDGE_PY_T_FLOAT || b.type == RIDGE_PY_T_FLOAT)
        binary_real(out, op, ridge_math_real(a), ridge_math_real(b));
    else
        binary_int(out, op, int_of(a), int_of(b), a.type == RIDGE_PY_T_BOOL && b.type == RIDGE_PY_T_BOOL);
    return RIDGE_OK;
}

ridge_status ridge_math_apply(ridge_py *out, ridge_math op, const ridge_py *args, size_t count, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *out = ridge_py_unset();
    if (op == RIDGE_MATH_CLAMP) {
        *out = args[0];
        if (count > 1 && ridge_py_is_number(args[1]))
            st = ridge_math_binary(out, RIDGE_MATH_MAX, *out, args[1], in);
        if (!st && count > 2 && ridge_py_is_number(args[2]))
            st = ridge_math_binary(out, RIDGE_MATH_MIN, *out, args[2], in);
        return st;
    }
    for (size_t i = 0; i < count; i++)
        if (!ridge_py_is_number(args[i]))
            return RIDGE_OK;
    if (op == RIDGE_MATH_WHERE) {
        if (count == 3 && !args[0].by.sym)
            *out = ridge_math_truth(args[0]) ? args[1] : args[2];
        return RIDGE_OK;
    }
    if (op >= RIDGE_MATH_NEG && op <= RIDGE_MATH_SAME)
        return count >= 1 ? ridge_math_unary(out, op, args[0], in) : RIDGE_OK;
    st = op < RIDGE_MATH_NEG && count >= 2 ? ridge_math_binary(out, op, args[0], args[1], in) : RIDGE_OK;
    if (!st && !ridge_py_is_number(*out))
        *out = ridge_py_unset();
    return st;
}

ridge_status ridge_content_scalar(ridge_py *out, const char *name, const ridge_py *args, size_t count, ridge_py_interp *in)
{
    return ridge_math_apply(out, ridge_math_of(name), args, count, in);
}
