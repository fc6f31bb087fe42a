/* Arithmetic of sizes over the run's algebra. */
#include "learn/torch/size.h"

static ridge_calc calc_of(ridge_py_interp *in)
{
    return (ridge_calc){.arena = in->arena, .algebra = &in->algebra, .err = in->err};
}

static ridge_value value_of(ridge_py v)
{
    if (!v.by.sym)
        return ridge_value_int(v.u.i);
    ridge_value value = {.type = RIDGE_V_SYM};
    value.u.sym = v.by.sym;
    return value;
}

/* an INT of this concrete value; what is no integer in symbols keeps none: the number stands for this configuration alone */
static ridge_py size_from(int64_t concrete, ridge_value v)
{
    ridge_py out = ridge_py_int(concrete);
    if (v.type == RIDGE_V_SYM)
        out.by.sym = v.u.sym;
    return out;
}

static bool unknown(ridge_py *out, ridge_py a, ridge_py b)
{
    if (a.type != RIDGE_PY_T_UNKNOWN && b.type != RIDGE_PY_T_UNKNOWN)
        return false;
    *out = a.type == RIDGE_PY_T_UNKNOWN ? a : b;
    return true;
}

static ridge_status symbolic(ridge_py *out, ridge_op op, int64_t concrete, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_value v;
    ridge_calc calc = calc_of(in);
    if (!a.by.sym && !b.by.sym) {
        *out = ridge_py_int(concrete);
        return RIDGE_OK;
    }
    ridge_status st = ridge_sym_binary(&v, op, value_of(a), value_of(b), &calc);
    if (!st)
        *out = size_from(concrete, v);
    return st;
}

static ridge_status overflow(ridge_py_interp *in)
{
    return ridge_py_raise(in, "OverflowError", "a size does not fit in 64 bits");
}

ridge_status ridge_size_add(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    int64_t c;
    if (unknown(out, a, b))
        return RIDGE_OK;
    if (__builtin_add_overflow(a.u.i, b.u.i, &c))
        return overflow(in);
    return symbolic(out, RIDGE_OP_ADD, c, a, b, in);
}

ridge_status ridge_size_sub(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    int64_t c;
    if (unknown(out, a, b))
        return RIDGE_OK;
    if (__builtin_sub_overflow(a.u.i, b.u.i, &c))
        return overflow(in);
    return symbolic(out, RIDGE_OP_SUB, c, a, b, in);
}

ridge_status ridge_size_mul(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    int64_t c;
    bool zero = (a.type == RIDGE_PY_T_INT && !a.by.sym && a.u.i == 0) || (b.type == RIDGE_PY_T_INT && !b.by.sym && b.u.i == 0);
    if (zero) { /* whatever the other one is */
        *out = ridge_py_int(0);
        return RIDGE_OK;
    }
    if (unknown(out, a, b))
        return RIDGE_OK;
    if (__builtin_mul_overflow(a.u.i, b.u.i, &c))
        return overflow(in);
    return symbolic(out, RIDGE_OP_MUL, c, a, b, in);
}

static int64_t floor_quotient(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

ridge_status ridge_size_floordiv(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    if (unknown(out, a, b))
        return RIDGE_OK;
    if (b.u.i == 0)
        return ridge_py_raise(in, "ZeroDivisionError", "integer division or modulo by zero");
    return symbolic(out, RIDGE_OP_FLOORDIV, floor_quotient(a.u.i, b.u.i), a, b, in);
}

ridge_status ridge_size_ceildiv(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_status st = ridge_size_sub(out, b, ridge_py_int(1), in);
    if (!st)
        st = ridge_size_add(out, a, *out, in);
    return st ? st : ridge_size_floordiv(out, *out, b, in);
}

static ridge_status extreme(ridge_py *out, bool maximum, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_value v;
    ridge_calc calc = calc_of(in);
    if (unknown(out, a, b))
        return RIDGE_OK;
    int64_t concrete = (a.u.i > b.u.i) == maximum ? a.u.i : b.u.i;
    if (!a.by.sym && !b.by.sym) {
        *out = ridge_py_int(concrete);
        return RIDGE_OK;
    }
    ridge_status st = ridge_sym_min_max(&v, maximum, value_of(a), value_of(b), &calc);
    if (!st)
        *out = size_from(concrete, v);
    return st;
}

ridge_status ridge_size_min(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    return extreme(out, false, a, b, in);
}

ridge_status ridge_size_max(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    return extreme(out, true, a, b, in);
}

bool ridge_size_same(ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_value v;
    ridge_calc calc = calc_of(in);
    if (a.type != RIDGE_PY_T_INT || b.type != RIDGE_PY_T_INT)
        return a.type == RIDGE_PY_T_UNKNOWN && b.type == RIDGE_PY_T_UNKNOWN && a.u.hole == b.u.hole;
    if (a.u.i != b.u.i)
        return false;
    if (a.by.sym == b.by.sym)
        return true;
    if (ridge_sym_binary(&v, RIDGE_OP_SUB, value_of(a), value_of(b), &calc))
        return false;
    return v.type == RIDGE_V_INT && v.u.i == 0;
}

bool ridge_size_is(ridge_py a, int64_t value)
{
    return a.type == RIDGE_PY_T_INT && a.u.i == value;
}

ridge_status ridge_size_equal(bool *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_py answer;
    *out = false;
    if (a.type != RIDGE_PY_T_INT || b.type != RIDGE_PY_T_INT)
        return RIDGE_OK;
    *out = a.u.i == b.u.i;
    if (a.by.sym == b.by.sym || ridge_size_same(a, b, in))
        return RIDGE_OK;
    ridge_status st = ridge_py_binary(&answer, RIDGE_PY_OP_EQ, a, b, in);
    return st ? st : ridge_py_truth(out, answer, in);
}

ridge_status ridge_size_product(ridge_py *out, const ridge_py *sizes, uint32_t count, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *out = ridge_py_int(1);
    for (uint32_t i = 0; i < count && !st; i++)
        st = ridge_size_mul(out, *out, sizes[i], in);
    return st;
}

ridge_status ridge_size_of(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    if (v.type == RIDGE_PY_T_INSTANCE && v.u.instance->base.type != RIDGE_PY_T_UNSET)
        v = v.u.instance->base;
    switch (v.type) {
    case RIDGE_PY_T_INT:
    case RIDGE_PY_T_UNKNOWN:
        *out = v;
        return RIDGE_OK;
    case RIDGE_PY_T_BOOL:
        v.type = RIDGE_PY_T_INT;
        v.u.i = v.u.b;
        *out = v;
        return RIDGE_OK;
    case RIDGE_PY_T_TENSOR:
        return in->tensors->number(out, v, RIDGE_PY_T_INT, in);
    default:
        return ridge_py_raise(in, "TypeError", "a size must be an int, not %s", ridge_py_type_text(v));
    }
}

ridge_status ridge_sizes_of(ridge_py *sizes, uint32_t *count, ridge_py args, ridge_py_interp *in)
{
    ridge_py list = args;
    ridge_status st = RIDGE_OK;
    *count = 0;
    for (int depth = 0; depth < 2; depth++) { /* view((2, 3)): a tuple in the tuple of arguments */
        if (list.type == RIDGE_PY_T_INSTANCE && list.u.instance->base.type != RIDGE_PY_T_UNSET)
            list = list.u.instance->base;
        if ((list.type != RIDGE_PY_T_TUPLE && list.type != RIDGE_PY_T_LIST) || list.u.list->count != 1)
            break;
        ridge_py first = list.u.list->items[0];
        if (first.type == RIDGE_PY_T_INSTANCE && first.u.instance->base.type != RIDGE_PY_T_UNSET)
            first = first.u.instance->base;
        if (first.type != RIDGE_PY_T_TUPLE && first.type != RIDGE_PY_T_LIST)
            break;
        list = first;
    }
    if (list.type != RIDGE_PY_T_TUPLE && list.type != RIDGE_PY_T_LIST) {
        *count = 1;
        return ridge_size_of(&sizes[0], list, in);
    }
    if (list.u.list->count > RIDGE_TENSOR_RANK)
        return ridge_fail(in->err, RIDGE_LIMIT, "a tensor of more than %d dimensions", RIDGE_TENSOR_RANK);
    for (size_t i = 0; i < list.u.list->count && !st; i++)
        st = ridge_size_of(&sizes[i], list.u.list->items[i], in);
    *count = (uint32_t)list.u.list->count;
    return st;
}
