/* Arithmetic on what is known of tensors: fills, ranges, short lists. */
#include "learn/torch/content_math.h"
#include "learn/torch/run.h"
#include "learn/torch/size.h"

/* an operand that is the same number everywhere */
static bool one_number(ridge_py *out, ridge_py v)
{
    *out = v;
    return v.type == RIDGE_PY_T_TENSOR ? ridge_content_filled(out, v.u.tensor) : true;
}

/* what the result is whatever the other operand: x and False, x * 0, or the content of the other one: x and True */
static bool absorbs(ridge_py *out, ridge_math op, const ridge_py *operands, size_t count, ridge_dtype dtype)
{
    ridge_py v;
    for (size_t i = 0; i < count && i < 2; i++) {
        if (!one_number(&v, operands[i]) || !ridge_py_is_number(v) || v.by.sym)
            continue;
        bool bools = dtype == RIDGE_DTYPE_BOOL;
        if ((op == RIDGE_MATH_AND || (op == RIDGE_MATH_BITAND && bools)) && !ridge_math_truth(v)) {
            *out = ridge_py_bool(false);
            return true;
        }
        if ((op == RIDGE_MATH_OR || (op == RIDGE_MATH_BITOR && bools)) && ridge_math_truth(v)) {
            *out = ridge_py_bool(true);
            return true;
        }
        if (op == RIDGE_MATH_MUL && v.type != RIDGE_PY_T_FLOAT && v.u.i == 0 && dtype <= RIDGE_DTYPE_I64) {
            *out = ridge_py_int(0);
            return true;
        }
    }
    return false;
}

/* start + step*i with a number, or with another range along the same axis */
static ridge_status ranges(bool *done, ridge_tensor *out, ridge_math op, const ridge_py *operands, size_t count, ridge_py_interp *in)
{
    ridge_py start[2], step[2];
    uint32_t axis = UINT32_MAX;
    ridge_status st;
    *done = false;
    if ((op != RIDGE_MATH_ADD && op != RIDGE_MATH_SUB && op != RIDGE_MATH_RSUB && op != RIDGE_MATH_MUL && op != RIDGE_MATH_SAME && op != RIDGE_MATH_NEG) || (op != RIDGE_MATH_SAME && op != RIDGE_MATH_NEG && count < 2))
        return RIDGE_OK;
    for (size_t i = 0; i < (op == RIDGE_MATH_SAME || op == RIDGE_MATH_NEG ? 1u : 2u); i++) {
        const ridge_tensor *t = operands[i].type == RIDGE_PY_T_TENSOR ? operands[i].u.tensor : NULL;
        step[i] = ridge_py_int(0);
        if (t && ridge_content_linear(t)) {
            uint32_t at = t->linear.axis + out->rank - t->rank;
            if ((axis != UINT32_MAX && axis != at) || (axis != UINT32_MAX && op == RIDGE_MATH_MUL) ||
                !ridge_size_same(t->dims[t->linear.axis], out->dims[at], in))
                return RIDGE_OK;
            axis = at;
            start[i] = t->linear.start;
            step[i] = t->linear.step;
        } else if (!one_number(&start[i], operands[i]) || !ridge_py_is_number(start[i])) {
            return RIDGE_OK;
        }
        start[i] = ridge_math_counted(start[i]);
    }
    if (axis == UINT32_MAX)
        return RIDGE_OK;
    ridge_py a = ridge_py_unset(), b = ridge_py_unset();
    if (op == RIDGE_MATH_SAME || op == RIDGE_MATH_NEG) {
        if ((st = ridge_math_unary(&a, op, start[0], in)) || (st = ridge_math_unary(&b, op, step[0], in)))
            return st;
    } else if (op == RIDGE_MATH_MUL) {
        bool first = operands[0].type == RIDGE_PY_T_TENSOR && ridge_content_linear(operands[0].u.tensor);
        if ((st = ridge_math_binary(&a, RIDGE_MATH_MUL, start[0], start[1], in)) ||
            (st = ridge_math_binary(&b, RIDGE_MATH_MUL, first ? step[0] : start[0], first ? start[1] : step[1], in)))
            return st;
    } else if ((st = ridge_math_binary(&a, op, start[0], start[1], in)) || (st = ridge_math_binary(&b, op, step[0], step[1], in))) {
        return st;
    }
    if ((st = ridge_content_cast(&a, a, out->dtype, in)) || (st = ridge_content_cast(&b, b, out->dtype, in)))
        return st;
    if (a.type == RIDGE_PY_T_UNSET || b.type == RIDGE_PY_T_UNSET || out->dtype == RIDGE_DTYPE_BOOL)
        return RIDGE_OK;
    *done = true;
    if (!b.by.sym && ridge_math_real(b) == 0) {
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

static ridge_status each(ridge_tensor *out, ridge_math op, const spread *operands, size_t count, int64_t total, ridge_py_interp *in)
{
    int64_t at[RIDGE_TENSOR_RANK] = {0}, place[3] = {0};
    ridge_py args[3], value, *list = ridge_arena_array(in->arena, (size_t)total + 1, sizeof *list);
    ridge_status st = list ? RIDGE_OK : ridge_no_memory(in->err);
    in->steps += (uint64_t)total / 8;
    for (int64_t i = 0; i < total && !st; i++) {
        for (size_t k = 0; k < count; k++)
            args[k] = operands[k].values ? operands[k].values[place[k]] : operands[k].one;
        if (!(st = ridge_math_apply(&value, op, args, count, in)))
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

static ridge_status elementwise_held(ridge_tensor *out, const char *name, const ridge_py *operands, size_t count, ridge_py_interp *in)
{
    ridge_math op = ridge_math_of(name);
    ridge_py numbers[3], value;
    spread read[3];
    bool done, fills = true;
    ridge_status st;
    if (count > 0 && assumed_finite(&value, name, operands[0])) {
        ridge_content_fill(out, value);
        return ridge_run_assume("no number that is computed is infinite or NaN", in);
    }
    if (count > 0 && assumed_dense(&value, name, operands, count)) {
        ridge_content_fill(out, value);
        return ridge_run_assume("no element of a real-valued input is the number that it is compared with", in);
    }
    if (op == RIDGE_MATH_NO_OP || count == 0 || count > 3)
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
        if ((st = ridge_math_apply(&value, op, numbers, count, in)) || (st = ridge_content_cast(&value, value, out->dtype, in)))
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

ridge_status ridge_content_elementwise(ridge_tensor *out, const char *name, const ridge_py *operands, size_t count, ridge_py_interp *in)
{
    ridge_content_hold hold;
    ridge_status st = ridge_content_begin(&hold, NULL, in);
    for (size_t i = 0; i < count && !st; i++)
        if (operands[i].type == RIDGE_PY_T_TENSOR)
            st = ridge_content_settle(operands[i].u.tensor, in);
    if (!st)
        st = elementwise_held(out, name, operands, count, in);
    return ridge_content_end(st, out, &hold, in);
}
