/* Arithmetic on what is known of elements: numbers, fills, ranges, short lists. */
#include <math.h>

#include "learn/python/number.h"
#include "learn/torch/content.h"
#include "learn/torch/size.h"

/* ---- numbers ---- */

static double real_of(ridge_py v)
{
    return v.type == RIDGE_PY_T_FLOAT ? v.u.f : v.type == RIDGE_PY_T_BOOL ? (double)v.u.b : (double)v.u.i;
}

static bool truthy(ridge_py v)
{
    return v.type == RIDGE_PY_T_FLOAT ? v.u.f != 0 : v.type == RIDGE_PY_T_BOOL ? v.u.b : v.u.i != 0;
}

static int64_t int_of(ridge_py v)
{
    return v.type == RIDGE_PY_T_BOOL ? v.u.b : v.u.i;
}

/* a BOOL as the INT that it counts as */
static ridge_py counted(ridge_py v)
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
        *out = ridge_py_bool(truthy(v));
        return RIDGE_OK;
    }
    if (dtype <= RIDGE_DTYPE_I64) {
        *out = counted(v);
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
        out->u.f = real_of(v);
    }
    if (dtype == RIDGE_DTYPE_F32)
        out->u.f = (double)(float)out->u.f;
    else if (dtype == RIDGE_DTYPE_F16)
        out->u.f = rounded(out->u.f, 11, -24, 65504);
    else if (dtype == RIDGE_DTYPE_BF16)
        out->u.f = rounded(out->u.f, 8, -133, 0x1.fep127);
    return RIDGE_OK;
}

typedef enum math_op {
    ADD,
    SUB,
    RSUB,
    MUL,
    DIV,
    DIV_TRUNC,
    FLOORDIV,
    REM,
    POW,
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
    AND,
    OR,
    XOR,
    BITAND,
    BITOR,
    BITXOR,
    MIN,
    MAX,
    NEG,
    ABS,
    NOT,
    BITNOT,
    FLOOR,
    CEIL,
    ROUND,
    TRUNC,
    SQRT,
    EXP,
    LOG,
    LOG2,
    ISNAN,
    ISINF,
    ISFINITE,
    SAME,
    WHERE,
    CLAMP,
    NO_OP
} math_op;
static const struct {
    const char *name;
    math_op op;
} math_names[] = {
    {"add", ADD},
    {"sub", SUB},
    {"rsub", RSUB},
    {"mul", MUL},
    {"div", DIV},
    {"true_divide", DIV},
    {"div_trunc", DIV_TRUNC},
    {"floor_divide", FLOORDIV},
    {"remainder", REM},
    {"pow", POW},
    {"eq", EQ},
    {"ne", NE},
    {"lt", LT},
    {"le", LE},
    {"gt", GT},
    {"ge", GE},
    {"logical_and", AND},
    {"logical_or", OR},
    {"logical_xor", XOR},
    {"bitwise_and", BITAND},
    {"__and__", BITAND},
    {"bitwise_or", BITOR},
    {"__or__", BITOR},
    {"bitwise_xor", BITXOR},
    {"minimum", MIN},
    {"maximum", MAX},
    {"clamp_max", MIN},
    {"clamp_min", MAX},
    {"neg", NEG},
    {"abs", ABS},
    {"logical_not", NOT},
    {"isnan", ISNAN},
    {"isinf", ISINF},
    {"isfinite", ISFINITE},
    {"bitwise_not", BITNOT},
    {"floor", FLOOR},
    {"ceil", CEIL},
    {"round", ROUND},
    {"trunc", TRUNC},
    {"sqrt", SQRT},
    {"exp", EXP},
    {"log", LOG},
    {"log2", LOG2},
    {"to", SAME},
    {"_to_copy", SAME},
    {"clone", SAME},
    {"positive", SAME},
    {"where", WHERE},
    {"clamp", CLAMP},
};

static math_op op_of(const char *name)
{
    for (size_t i = 0; i < sizeof math_names / sizeof *math_names; i++)
        if (strcmp(math_names[i].name, name) == 0)
            return math_names[i].op;
    return NO_OP;
}

static ridge_py whole(double f, bool was_int, ridge_py v)
{
    return was_int ? v : ridge_py_float(f);
}

/* of a number with symbols: rounded, it stays a polynomial with floors in it */
static ridge_status symbolic_unary(ridge_py *out, math_op op, ridge_py a, ridge_py_interp *in)
{
    ridge_py_rounding how = op == FLOOR ? RIDGE_PY_FLOOR : op == CEIL ? RIDGE_PY_CEIL : op == TRUNC ? RIDGE_PY_TRUNCATE : RIDGE_PY_ROUND;
    ridge_py whole_number;
    if (op != FLOOR && op != CEIL && op != ROUND && op != TRUNC)
        return RIDGE_OK;
    if (a.type != RIDGE_PY_T_FLOAT) {
        *out = a;
        return RIDGE_OK;
    }
    ridge_status st = ridge_py_to_integer(&whole_number, a, how, in);
    return st ? st : ridge_py_to_float(out, whole_number, in);
}

static ridge_status unary(ridge_py *out, math_op op, ridge_py a, ridge_py_interp *in)
{
    bool is_int = a.type != RIDGE_PY_T_FLOAT;
    double f = real_of(a);
    if (op == SAME) {
        *out = a;
        return RIDGE_OK;
    }
    if (a.by.sym) {
        if (op == ISNAN || op == ISINF || op == ISFINITE) {
            *out = ridge_py_bool(op == ISFINITE);
            return RIDGE_OK;
        }
        if (op == NEG)
            return ridge_py_unary(out, RIDGE_PY_OP_NEGATIVE, counted(a), in);
        if (op == NOT || (op == BITNOT && a.type == RIDGE_PY_T_BOOL))
            return ridge_py_binary(out, RIDGE_PY_OP_EQ, counted(a), ridge_py_int(0), in);
        return symbolic_unary(out, op, a, in);
    }
    switch (op) {
    case NEG:
        *out = is_int ? ridge_py_int(-int_of(a)) : ridge_py_float(-f);
        break;
    case ABS:
        *out = is_int ? ridge_py_int(int_of(a) < 0 ? -int_of(a) : int_of(a)) : ridge_py_float(fabs(f));
        break;
    case NOT:
        *out = ridge_py_bool(!truthy(a));
        break;
    case BITNOT:
        *out = a.type == RIDGE_PY_T_BOOL ? ridge_py_bool(!a.u.b) : is_int ? ridge_py_int(~a.u.i) : ridge_py_unset();
        break;
    case FLOOR:
        *out = whole(floor(f), is_int, a);
        break;
    case CEIL:
        *out = whole(ceil(f), is_int, a);
        break;
    case ROUND: /* half to even */
        *out = whole(nearbyint(f), is_int, a);
        break;
    case TRUNC:
        *out = whole(trunc(f), is_int, a);
        break;
    case SQRT:
        *out = ridge_py_float(sqrt(f));
        break;
    case EXP:
        *out = ridge_py_float(exp(f));
        break;
    case LOG:
        *out = ridge_py_float(log(f));
        break;
    case LOG2:
        *out = ridge_py_float(log2(f));
        break;
    case ISNAN:
        *out = ridge_py_bool(isnan(f));
        break;
    case ISINF:
        *out = ridge_py_bool(isinf(f));
        break;
    case ISFINITE:
        *out = ridge_py_bool(isfinite(f));
        break;
    default:
        break;
    }
    return RIDGE_OK;
}

static ridge_status symbolic(ridge_py *out, math_op op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    static const struct {
        math_op op;
        ridge_py_operator python;
    } same[] = {
        {ADD, RIDGE_PY_OP_ADD}, {SUB, RIDGE_PY_OP_SUB}, {MUL, RIDGE_PY_OP_MUL}, {DIV, RIDGE_PY_OP_DIV}, {FLOORDIV, RIDGE_PY_OP_FLOORDIV},
        {REM, RIDGE_PY_OP_MOD}, {POW, RIDGE_PY_OP_POW}, {EQ, RIDGE_PY_OP_EQ},   {NE, RIDGE_PY_OP_NE},   {LT, RIDGE_PY_OP_LT},
        {LE, RIDGE_PY_OP_LE},   {GT, RIDGE_PY_OP_GT},   {GE, RIDGE_PY_OP_GE}};
    if (op == DIV_TRUNC && a.type == RIDGE_PY_T_INT && b.type == RIDGE_PY_T_INT && a.u.i >= 0 && b.u.i > 0)
        op = FLOORDIV; /* sizes are not below 0 */
    if ((op == DIV || op == FLOORDIV || op == REM) && real_of(b) == 0)
        return RIDGE_OK;
    a = counted(a);
    b = counted(b);
    if (op == RSUB)
        return ridge_py_binary(out, RIDGE_PY_OP_SUB, b, a, in);
    if ((op == MIN || op == MAX) && a.type == RIDGE_PY_T_INT && b.type == RIDGE_PY_T_INT)
        return op == MIN ? ridge_size_min(out, a, b, in) : ridge_size_max(out, a, b, in);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].op == op)
            return ridge_py_binary(out, same[i].python, a, b, in);
    return RIDGE_OK;
}

static ridge_py compare(math_op op, double order)
{
    return ridge_py_bool(op == EQ   ? order == 0
                         : op == NE ? order != 0
                         : op == LT ? order < 0
                         : op == LE ? order <= 0
                         : op == GT ? order > 0
                                    : order >= 0);
}

static int64_t int_power(int64_t base, int64_t exponent, bool *overflow)
{
    int64_t result = 1;
    while (exponent-- > 0 && !*overflow)
        *overflow = __builtin_mul_overflow(result, base, &result);
    return result;
}

static void binary_int(ridge_py *out, math_op op, int64_t a, int64_t b, bool bools)
{
    int64_t c = 0;
    bool overflow = false;
    switch (op) {
    case ADD:
        overflow = __builtin_add_overflow(a, b, &c);
        break;
    case SUB:
        overflow = __builtin_sub_overflow(a, b, &c);
        break;
    case RSUB:
        overflow = __builtin_sub_overflow(b, a, &c);
        break;
    case MUL:
        overflow = __builtin_mul_overflow(a, b, &c);
        break;
    case DIV_TRUNC:
        overflow = b == 0 || (a == INT64_MIN && b == -1);
        c = overflow ? 0 : a / b;
        break;
    case DIV:
        *out = b ? ridge_py_float((double)a / (double)b) : ridge_py_unset();
        return;
    case FLOORDIV:
    case REM:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return;
        c = a / b - (a % b != 0 && (a < 0) != (b < 0));
        if (op == REM)
            c = a - c * b;
        break;
    case POW:
        overflow = b < 0 || b > 64;
        c = overflow ? 0 : int_power(a, b, &overflow);
        break;
    case BITAND:
        c = a & b;
        break;
    case BITOR:
        c = a | b;
        break;
    case BITXOR:
        c = a ^ b;
        break;
    case MIN:
        c = a < b ? a : b;
        break;
    case MAX:
        c = a > b ? a : b;
        break;
    default:
        *out = compare(op, a < b ? -1 : a > b);
        return;
    }
    bool bitwise = op == BITAND || op == BITOR || op == BITXOR;
    if (!overflow)
        *out = bools && bitwise ? ridge_py_bool(c != 0) : ridge_py_int(c);
}

static void binary_real(ridge_py *out, math_op op, double a, double b)
{
    double c;
    switch (op) {
    case ADD:
        c = a + b;
        break;
    case SUB:
        c = a - b;
        break;
    case RSUB:
        c = b - a;
        break;
    case MUL:
        c = a * b;
        break;
    case DIV_TRUNC:
        c = trunc(a / b);
        break;
    case DIV:
        c = a / b;
        break;
    case FLOORDIV:
        c = floor(a / b);
        break;
    case REM:
        c = a - floor(a / b) * b;
        break;
    case POW:
        c = pow(a, b);
        break;
    case MIN:
        c = a < b ? a : b;
        break;
    case MAX:
        c = a > b ? a : b;
        break;
    case BITAND:
    case BITOR:
    case BITXOR:
        return;
    default:
        *out = compare(op, a < b ? -1 : a > b);
        if (isnan(a) || isnan(b))
            *out = ridge_py_bool(op == NE);
        return;
    }
    *out = ridge_py_float(c);
}

static ridge_status binary(ridge_py *out, math_op op, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    if (op == AND || op == OR || op == XOR) {
        if (!a.by.sym && !b.by.sym)
            *out = ridge_py_bool(op == AND ? truthy(a) && truthy(b) : op == OR ? truthy(a) || truthy(b) : truthy(a) != truthy(b));
        return RIDGE_OK;
    }
    if (a.by.sym || b.by.sym)
        return symbolic(out, op, a, b, in);
    if (a.type == RIDGE_PY_T_FLOAT || b.type == RIDGE_PY_T_FLOAT)
        binary_real(out, op, real_of(a), real_of(b));
    else
        binary_int(out, op, int_of(a), int_of(b), a.type == RIDGE_PY_T_BOOL && b.type == RIDGE_PY_T_BOOL);
    return RIDGE_OK;
}

static ridge_status scalar(ridge_py *out, math_op op, const ridge_py *args, size_t count, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *out = ridge_py_unset();
    if (op == CLAMP) {
        *out = args[0];
        if (count > 1 && ridge_py_is_number(args[1]))
            st = binary(out, MAX, *out, args[1], in);
        if (!st && count > 2 && ridge_py_is_number(args[2]))
            st = binary(out, MIN, *out, args[2], in);
        return st;
    }
    for (size_t i = 0; i < count; i++)
        if (!ridge_py_is_number(args[i]))
            return RIDGE_OK;
    if (op == WHERE) {
        if (count == 3 && !args[0].by.sym)
            *out = truthy(args[0]) ? args[1] : args[2];
        return RIDGE_OK;
    }
    if (op >= NEG && op <= SAME)
        return count >= 1 ? unary(out, op, args[0], in) : RIDGE_OK;
    st = op < NEG && count >= 2 ? binary(out, op, args[0], args[1], in) : RIDGE_OK;
    if (!st && !ridge_py_is_number(*out))
        *out = ridge_py_unset();
    return st;
}

ridge_status ridge_content_scalar(ridge_py *out, const char *name, const ridge_py *args, size_t count, ridge_py_interp *in)
{
    return scalar(out, op_of(name), args, count, in);
}

/* ---- tensors ---- */

/* an operand that is the same number everywhere */
static bool one_number(ridge_py *out, ridge_py v)
{
    *out = v;
    return v.type == RIDGE_PY_T_TENSOR ? ridge_content_filled(out, v.u.tensor) : true;
}

/* what the result is whatever the other operand: x and False, x * 0, or the content of the other one: x and True */
static bool absorbs(ridge_py *out, math_op op, const ridge_py *operands, size_t count, ridge_dtype dtype)
{
    ridge_py v;
    for (size_t i = 0; i < count && i < 2; i++) {
        if (!one_number(&v, operands[i]) || !ridge_py_is_number(v) || v.by.sym)
            continue;
        bool bools = dtype == RIDGE_DTYPE_BOOL;
        if ((op == AND || (op == BITAND && bools)) && !truthy(v)) {
            *out = ridge_py_bool(false);
            return true;
        }
        if ((op == OR || (op == BITOR && bools)) && truthy(v)) {
            *out = ridge_py_bool(true);
            return true;
        }
        if (op == MUL && v.type != RIDGE_PY_T_FLOAT && v.u.i == 0 && dtype <= RIDGE_DTYPE_I64) {
            *out = ridge_py_int(0);
            return true;
        }
    }
    return false;
}

/* start + step*i with a number, or with another range along the same axis */
static ridge_status ranges(bool *done, ridge_tensor *out, math_op op, const ridge_py *operands, size_t count, ridge_py_interp *in)
{
    ridge_py start[2], step[2];
    uint32_t axis = UINT32_MAX;
    ridge_status st;
    *done = false;
    if ((op != ADD && op != SUB && op != RSUB && op != MUL && op != SAME && op != NEG) || (op != SAME && op != NEG && count < 2))
        return RIDGE_OK;
    for (size_t i = 0; i < (op == SAME || op == NEG ? 1u : 2u); i++) {
        const ridge_tensor *t = operands[i].type == RIDGE_PY_T_TENSOR ? operands[i].u.tensor : NULL;
        step[i] = ridge_py_int(0);
        if (t && ridge_content_linear(t)) {
            uint32_t at = t->linear.axis + out->rank - t->rank;
            if ((axis != UINT32_MAX && axis != at) || (axis != UINT32_MAX && op == MUL) ||
                !ridge_size_same(t->dims[t->linear.axis], out->dims[at], in))
                return RIDGE_OK;
            axis = at;
            start[i] = t->linear.start;
            step[i] = t->linear.step;
        } else if (!one_number(&start[i], operands[i]) || !ridge_py_is_number(start[i])) {
            return RIDGE_OK;
        }
        start[i] = counted(start[i]);
    }
    if (axis == UINT32_MAX)
        return RIDGE_OK;
    ridge_py a = ridge_py_unset(), b = ridge_py_unset();
    if (op == SAME || op == NEG) {
        if ((st = unary(&a, op, start[0], in)) || (st = unary(&b, op, step[0], in)))
            return st;
    } else if (op == MUL) {
        bool first = operands[0].type == RIDGE_PY_T_TENSOR && ridge_content_linear(operands[0].u.tensor);
        if ((st = binary(&a, MUL, start[0], start[1], in)) ||
            (st = binary(&b, MUL, first ? step[0] : start[0], first ? start[1] : step[1], in)))
            return st;
    } else if ((st = binary(&a, op, start[0], start[1], in)) || (st = binary(&b, op, step[0], step[1], in))) {
        return st;
    }
    if ((st = ridge_content_cast(&a, a, out->dtype, in)) || (st = ridge_content_cast(&b, b, out->dtype, in)))
        return st;
    if (a.type == RIDGE_PY_T_UNSET || b.type == RIDGE_PY_T_UNSET || out->dtype == RIDGE_DTYPE_BOOL)
        return RIDGE_OK;
    *done = true;
    if (!b.by.sym && real_of(b) == 0) {
        ridge_content_fill(out, a);
        return RIDGE_OK;
    }
    out->linear.start = a;
    out->linear.step = b;
    out->linear.axis = axis;
    out->version = out->storage->version;
    return RIDGE_OK;
}

typedef struct spread {
    const ridge_py *values; /* NULL: one number */
    ridge_py one;
    int64_t strides[RIDGE_TENSOR_RANK]; /* over the result's dimensions */
} spread;

static ridge_status read_operand(bool *known, spread *o, ridge_py v, const ridge_tensor *out, ridge_py_interp *in)
{
    size_t count;
    int64_t stride = 1;
    *known = true;
    o->values = NULL;
    if (one_number(&o->one, v))
        return RIDGE_OK;
    const ridge_tensor *t = v.u.tensor;
    ridge_status st = ridge_content_values(&o->values, &count, t, RIDGE_CONTENT_COMPUTED, in);
    *known = !st && o->values && t->rank <= out->rank;
    for (uint32_t d = 0; d < out->rank; d++)
        o->strides[d] = 0;
    for (uint32_t d = t->rank; *known && d-- > 0;) {
        uint32_t at = d + out->rank - t->rank;
        o->strides[at] = t->dims[d].u.i == 1 ? 0 : stride;
        if (t->dims[d].u.i != 1 && t->dims[d].u.i != out->dims[at].u.i)
            *known = false;
        stride *= t->dims[d].u.i;
    }
    return st;
}

static ridge_status each(ridge_tensor *out, math_op op, const spread *operands, size_t count, int64_t total, ridge_py_interp *in)
{
    int64_t at[RIDGE_TENSOR_RANK] = {0}, place[3] = {0};
    ridge_py args[3], value, *list = ridge_arena_array(in->arena, (size_t)total + 1, sizeof *list);
    ridge_status st = list ? RIDGE_OK : ridge_no_memory(in->err);
    in->steps += (uint64_t)total / 8;
    for (int64_t i = 0; i < total && !st; i++) {
        for (size_t k = 0; k < count; k++)
            args[k] = operands[k].values ? operands[k].values[place[k]] : operands[k].one;
        if (!(st = scalar(&value, op, args, count, in)))
            st = ridge_content_cast(&list[i], value, out->dtype, in);
        if (st || list[i].type == RIDGE_PY_T_UNSET)
            return st;
        for (uint32_t d = out->rank; d-- > 0;) {
            bool over = ++at[d] >= out->dims[d].u.i;
            for (size_t k = 0; k < count; k++)
                place[k] += operands[k].strides[d] * (over ? 1 - at[d] : 1);
            if (!over)
                break;
            at[d] = 0;
        }
    }
    return st ? st : ridge_content_set(out, list, (size_t)total, in);
}

/* What a model computes is finite: models that look, to clamp what overflowed in half precision, find nothing. */
static bool assumed_finite(ridge_py *value, const char *name, ridge_py operand)
{
    bool asks = strcmp(name, "isnan") == 0 || strcmp(name, "isinf") == 0 || strcmp(name, "isfinite") == 0;
    if (!asks || operand.type != RIDGE_PY_T_TENSOR || ridge_content_known(operand.u.tensor))
        return false;
    *value = ridge_py_bool(strcmp(name, "isfinite") == 0);
    return true;
}

/* Pictures and sounds are no padding: no element of a real-valued input is the very number that a model asks for. */
static bool assumed_dense(ridge_py *value, const char *name, const ridge_py *operands, size_t count)
{
    bool asks = strcmp(name, "eq") == 0 || strcmp(name, "ne") == 0;
    if (!asks || count != 2 || operands[0].type != RIDGE_PY_T_TENSOR || !ridge_py_is_number(operands[1]))
        return false;
    const ridge_tensor *t = operands[0].u.tensor;
    if (t->storage->kind != RIDGE_STORAGE_INPUT || t->dtype < RIDGE_DTYPE_F16 || ridge_content_known(t))
        return false;
    *value = ridge_py_bool(strcmp(name, "ne") == 0);
    return true;
}

ridge_status ridge_content_elementwise(ridge_tensor *out, const char *name, const ridge_py *operands, size_t count, ridge_py_interp *in)
{
    math_op op = op_of(name);
    ridge_py numbers[3], value;
    spread read[3];
    bool done, fills = true;
    ridge_status st;
    if (count > 0 && (assumed_finite(&value, name, operands[0]) || assumed_dense(&value, name, operands, count))) {
        ridge_content_fill(out, value);
        return RIDGE_OK;
    }
    if (op == NO_OP || count == 0 || count > 3)
        return RIDGE_OK;
    if ((st = ridge_tag_elementwise(out, name, operands, count, in)) || out->fill.type != RIDGE_PY_T_UNSET)
        return st;
    if (absorbs(&value, op, operands, count, out->dtype)) {
        ridge_content_fill(out, value);
        return RIDGE_OK;
    }
    for (size_t i = 0; i < count; i++)
        fills = one_number(&numbers[i], operands[i]) && fills;
    if (fills) {
        if ((st = scalar(&value, op, numbers, count, in)) || (st = ridge_content_cast(&value, value, out->dtype, in)))
            return st;
        if (value.type != RIDGE_PY_T_UNSET)
            ridge_content_fill(out, value);
        return RIDGE_OK;
    }
    if ((st = ranges(&done, out, op, operands, count, in)) || done)
        return st;
    int64_t total = ridge_content_count(out);
    if (total < 0 || total > (out->dtype >= RIDGE_DTYPE_F16 ? RIDGE_CONTENT_REAL : RIDGE_CONTENT_COMPUTED))
        return RIDGE_OK;
    for (size_t i = 0; i < count; i++) {
        bool known;
        memset(&read[i], 0, sizeof read[i]);
        if ((st = read_operand(&known, &read[i], operands[i], out, in)) || !known)
            return st;
    }
    for (size_t i = 0; i < count; i++)
        if (total > RIDGE_CONTENT_SYMBOLIC && (read[i].values ? read[i].values[0].by.sym : read[i].one.by.sym))
            return RIDGE_OK;
    return each(out, op, read, count, total, in);
}
