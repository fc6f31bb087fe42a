/* Tensors from nothing: zeros, full, arange, tensor([...]), and those like another one. */
#include "learn/torch/factory.h"

#include <math.h>

#include "learn/python/number.h"
#include "learn/torch/content.h"
#include "learn/torch/index.h"
#include "learn/torch/methods.h"
#include "learn/torch/run.h"
#include "learn/torch/size.h"
#include "learn/torch/view.h"

static ridge_status give(ridge_py *out, ridge_tensor *t)
{
    *out = ridge_py_tensor(t);
    return RIDGE_OK;
}

static bool flag(ridge_py v)
{
    return v.type == RIDGE_PY_T_BOOL ? v.u.b : v.type == RIDGE_PY_T_INT && v.u.i != 0;
}

static ridge_dtype dtype_of_number(ridge_py v, ridge_py_interp *in)
{
    ridge_py single;
    if (v.type == RIDGE_PY_T_TENSOR)
        return v.u.tensor->dtype;
    single = v;
    return single.type == RIDGE_PY_T_BOOL  ? RIDGE_DTYPE_BOOL
           : single.type == RIDGE_PY_T_INT ? RIDGE_DTYPE_I64
                                           : ridge_run_of(in)->default_dtype;
}

/* the dtype that was asked for, or the other one */
static ridge_dtype dtype_or(ridge_py word, ridge_dtype otherwise)
{
    ridge_dtype dtype;
    return ridge_dtype_of(&dtype, word) ? dtype : otherwise;
}

/* a tensor of this shape with one value everywhere (UNSET: nobody knows), written down as `operator` */
static ridge_status filled(ridge_py *out, const char *operator, ridge_py value, ridge_dtype dtype, const ridge_py *sizes, uint32_t rank,
                           const ridge_tensor *like, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_py number;
    ridge_status st = ridge_tensor_new(&t, dtype, sizes, rank, in);
    if (st)
        return st;
    if (value.type == RIDGE_PY_T_TENSOR && (st = ridge_content_single(&value, value.u.tensor, in)))
        return st;
    if (ridge_py_is_number(value)) {
        if ((st = ridge_content_cast(&number, value, dtype, in)))
            return st;
        if (number.type != RIDGE_PY_T_UNSET)
            ridge_content_fill(t, number);
    }
    if (like && like->rank == rank && strstr(operator, "_like"))
        ridge_tensor_lay_like(t, like);
    if ((st = ridge_tensor_ran(operator, like ? &like : NULL, like ? 1 : 0, t, in)))
        return st;
    return give(out, t);
}

/* ---- of given sizes: v = sizes, dtype, requires_grad ---- */

static ridge_status of_sizes(ridge_py *out, const ridge_py *v, const char *operator, ridge_py value, ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK];
    uint32_t rank;
    ridge_py given = v[0].u.list->count == 0 && v[2].type != RIDGE_PY_T_NONE ? v[2] : v[0]; /* zeros(size=(2, 3)) */
    ridge_status st = ridge_sizes_of(sizes, &rank, given, in);
    if (!st)
        st = filled(out, operator, value, dtype_or(v[1], ridge_run_of(in)->default_dtype), sizes, rank, NULL, in);
    if (!st)
        out->u.tensor->requires_grad = flag(v[3]);
    return st;
}

ridge_status ridge_native_zeros(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return of_sizes(out, v, "aten.zeros.default", ridge_py_int(0), in);
}

ridge_status ridge_native_ones(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return of_sizes(out, v, "aten.ones.default", ridge_py_int(1), in);
}

/* What lies in new memory is anything. Of numbers, which become weights, nothing is known; of indices and sizes, which a program writes before
 * it reads them, it is 0: what is written over them is then known. */
ridge_status ridge_native_empty(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_dtype dtype = dtype_or(v[1], ridge_run_of(in)->default_dtype);
    bool indices = dtype >= RIDGE_DTYPE_U8 && dtype <= RIDGE_DTYPE_I64;
    return of_sizes(out, v, "aten.empty.memory_format", indices ? ridge_py_int(0) : ridge_py_unset(), in);
}

ridge_status ridge_native_rand(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return of_sizes(out, v, "aten.rand.default", ridge_py_unset(), in);
}

ridge_status ridge_native_randn(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return of_sizes(out, v, "aten.randn.default", ridge_py_unset(), in);
}

/* size, fill_value, dtype, requires_grad */
ridge_status ridge_native_full(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK];
    uint32_t rank;
    ridge_status st = ridge_sizes_of(sizes, &rank, v[0], in);
    return st ? st : filled(out, "aten.full.default", v[1], dtype_or(v[2], dtype_of_number(v[1], in)), sizes, rank, NULL, in);
}

/* low, high, size, dtype: randint(high, size) has two */
ridge_status ridge_native_randint(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK];
    uint32_t rank;
    ridge_py given = v[2].type != RIDGE_PY_T_NONE ? v[2] : v[1];
    ridge_status st = ridge_sizes_of(sizes, &rank, given, in);
    return st ? st : filled(out, "aten.randint.low", ridge_py_unset(), dtype_or(v[3], RIDGE_DTYPE_I64), sizes, rank, NULL, in);
}

ridge_status ridge_native_randperm(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py size;
    ridge_status st = ridge_size_of(&size, v[0], in);
    return st ? st : filled(out, "aten.randperm.default", ridge_py_unset(), dtype_or(v[1], RIDGE_DTYPE_I64), &size, 1, NULL, in);
}

/* mean, std, size */
ridge_status ridge_native_normal(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK];
    uint32_t rank;
    const ridge_tensor *like = v[0].type == RIDGE_PY_T_TENSOR ? v[0].u.tensor : v[1].type == RIDGE_PY_T_TENSOR ? v[1].u.tensor : NULL;
    if (like)
        return filled(out, "aten.normal.Tensor_Tensor", ridge_py_unset(), like->dtype, like->dims, like->rank, like, in);
    ridge_status st = ridge_sizes_of(sizes, &rank, v[2], in);
    return st ? st
              : filled(out, "aten.randn.default", ridge_py_unset(), dtype_or(v[3], ridge_run_of(in)->default_dtype), sizes, rank, NULL, in);
}

/* ---- like another tensor: v = input, dtype ---- */

static ridge_status like(ridge_py *out, const ridge_py *v, const char *operator, ridge_py value, ridge_py dtype, ridge_py_interp *in)
{
    const ridge_tensor *t = v[0].u.tensor;
    return filled(out, operator, value, dtype_or(dtype, t->dtype), t->dims, t->rank, t, in);
}

ridge_status ridge_native_zeros_like(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return like(out, v, "aten.zeros_like.default", ridge_py_int(0), v[1], in);
}

ridge_status ridge_native_ones_like(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return like(out, v, "aten.ones_like.default", ridge_py_int(1), v[1], in);
}

ridge_status ridge_native_empty_like(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return like(out, v, "aten.empty_like.default", ridge_py_unset(), v[1], in);
}

ridge_status ridge_native_rand_like(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return like(out, v, "aten.rand_like.default", ridge_py_unset(), v[1], in);
}

ridge_status ridge_native_randn_like(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return like(out, v, "aten.randn_like.default", ridge_py_unset(), v[1], in);
}

ridge_status ridge_native_full_like(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return like(out, v, "aten.full_like.default", v[1], v[2], in);
}

/* v = input, sizes, dtype, size */
static ridge_status new_sizes(ridge_py *out, const ridge_py *v, const char *operator, ridge_py value, ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK];
    uint32_t rank;
    const ridge_tensor *t = v[0].u.tensor;
    ridge_status st = ridge_sizes_of(sizes, &rank, v[1].u.list->count == 0 && v[3].type != RIDGE_PY_T_NONE ? v[3] : v[1], in);
    return st ? st : filled(out, operator, value, dtype_or(v[2], t->dtype), sizes, rank, t, in);
}

ridge_status ridge_native_new_zeros(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return new_sizes(out, v, "aten.new_zeros.default", ridge_py_int(0), in);
}

ridge_status ridge_native_new_ones(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return new_sizes(out, v, "aten.new_ones.default", ridge_py_int(1), in);
}

ridge_status ridge_native_new_empty(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return new_sizes(out, v, "aten.new_empty.default", ridge_py_unset(), in);
}

ridge_status ridge_native_new_full(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK];
    uint32_t rank;
    const ridge_tensor *t = v[0].u.tensor;
    ridge_status st = ridge_sizes_of(sizes, &rank, v[1], in);
    return st ? st : filled(out, "aten.new_full.default", v[2], dtype_or(v[3], t->dtype), sizes, rank, t, in);
}

/* ---- ranges ---- */

/* ceil((end - start) / step) of reals; INT */
static ridge_status real_length(ridge_py *out, ridge_py start, ridge_py end, ridge_py step, ridge_py_interp *in)
{
    ridge_py span;
    ridge_status st = ridge_py_binary(&span, RIDGE_PY_OP_SUB, start, end, in);
    if (st || (st = ridge_py_binary(&span, RIDGE_PY_OP_FLOORDIV, span, step, in)) ||
        (st = ridge_py_unary(&span, RIDGE_PY_OP_NEGATIVE, span, in)))
        return st;
    if (span.type == RIDGE_PY_T_FLOAT) {
        span.u.i = (int64_t)span.u.f;
        span.type = RIDGE_PY_T_INT;
    }
    *out = span;
    return RIDGE_OK;
}

static ridge_status range_length(ridge_py *out, ridge_py start, ridge_py end, ridge_py step, ridge_py_interp *in)
{
    ridge_status st;
    if (start.type == RIDGE_PY_T_FLOAT || end.type == RIDGE_PY_T_FLOAT || step.type == RIDGE_PY_T_FLOAT) {
        st = real_length(out, start, end, step, in);
    } else if (step.type == RIDGE_PY_T_INT && step.u.i < 0) {
        st = ridge_size_sub(out, start, end, in);
        if (!st && (st = ridge_size_sub(&step, ridge_py_int(0), step, in)))
            return st;
        st = st ? st : ridge_size_ceildiv(out, *out, step, in);
    } else {
        st = ridge_size_sub(out, end, start, in);
        if (!st && !(ridge_size_constant(step) && step.u.i == 1))
            st = ridge_size_ceildiv(out, *out, step, in);
    }
    if (!st && out->type == RIDGE_PY_T_INT && out->u.i < 0)
        return ridge_py_raise(in, "RuntimeError", "upper bound and larger bound inconsistent with step sign");
    return st;
}

static ridge_status bound(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    *out = v;
    if (v.type == RIDGE_PY_T_TENSOR)
        return in->tensors->number(out, v, v.u.tensor->dtype > RIDGE_DTYPE_I64 ? RIDGE_PY_T_FLOAT : RIDGE_PY_T_INT, in);
    return v.type == RIDGE_PY_T_FLOAT ? RIDGE_OK : ridge_size_of(out, v, in);
}

/* start, end, step, dtype */
ridge_status ridge_native_arange(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py start = v[0], end = v[1], step, length;
    ridge_tensor *t;
    bool one = v[1].type == RIDGE_PY_T_NONE, zero = v[0].type == RIDGE_PY_T_NONE;
    if (one || zero) {
        start = ridge_py_int(0);
        end = one ? v[0] : v[1];
    }
    ridge_status st = bound(&start, start, in);
    if (st || (st = bound(&end, end, in)) || (st = bound(&step, v[2], in)) || (st = range_length(&length, start, end, step, in)))
        return st;
    bool real = start.type == RIDGE_PY_T_FLOAT || end.type == RIDGE_PY_T_FLOAT || step.type == RIDGE_PY_T_FLOAT;
    ridge_dtype dtype = dtype_or(v[3], real ? ridge_run_of(in)->default_dtype : RIDGE_DTYPE_I64);
    if ((st = ridge_tensor_new(&t, dtype, &length, 1, in)))
        return st;
    if (start.type != RIDGE_PY_T_UNKNOWN && step.type != RIDGE_PY_T_UNKNOWN &&
        ((st = ridge_content_cast(&t->linear.start, start, dtype, in)) || (st = ridge_content_cast(&t->linear.step, step, dtype, in))))
        return st;
    if (t->linear.step.type == RIDGE_PY_T_UNSET)
        t->linear.start = ridge_py_unset();
    const char *name = ridge_size_is(step, 1) ? (one || zero ? "aten.arange.default" : "aten.arange.start") : "aten.arange.start_step";
    if ((st = ridge_tensor_ran(name, NULL, 0, t, in)))
        return st;
    return give(out, t);
}

/* (start*(n-1-i) + end*i)/(n-1): the i-th of n numbers, in symbols; `value` is what PyTorch computes */
static ridge_status spaced(ridge_py *out, ridge_py start, ridge_py end, int64_t i, int64_t n, double value, ridge_py_interp *in)
{
    ridge_py low, high;
    *out = ridge_py_float(value);
    if (n == 1 || (!start.by.sym && !end.by.sym))
        return RIDGE_OK;
    ridge_status st = ridge_py_binary(&low, RIDGE_PY_OP_MUL, start, ridge_py_int(n - 1 - i), in);
    if (!st)
        st = ridge_py_binary(&high, RIDGE_PY_OP_MUL, end, ridge_py_int(i), in);
    if (!st)
        st = ridge_py_binary(&low, RIDGE_PY_OP_ADD, low, high, in);
    if (!st)
        st = ridge_py_binary(&low, RIDGE_PY_OP_DIV, low, ridge_py_int(n - 1), in);
    if (!st && low.type == RIDGE_PY_T_FLOAT)
        out->by.sym = low.by.sym;
    return st;
}

/* x as a number of this format has it: so many bits, the nearest */
static double rounded(double x, ridge_dtype dtype)
{
    int exponent, bits = dtype == RIDGE_DTYPE_F16 ? 11 : 8;
    if (dtype == RIDGE_DTYPE_F64 || x == 0)
        return x;
    if (dtype == RIDGE_DTYPE_F32)
        return (double)(float)x;
    double fraction = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(fraction, bits)), exponent - bits);
}

static ridge_status linspace_content(ridge_tensor *t, ridge_py start, ridge_py end, int64_t n, ridge_py_interp *in)
{
    double a = start.type == RIDGE_PY_T_FLOAT ? start.u.f : (double)start.u.i, b = end.type == RIDGE_PY_T_FLOAT ? end.u.f : (double)end.u.i;
    ridge_py *list = ridge_arena_array(in->arena, (size_t)n, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (int64_t i = 0; i < n; i++) {
        double x = n == 1 ? a : i < n / 2 ? a + (b - a) / (double)(n - 1) * (double)i : b - (b - a) / (double)(n - 1) * (double)(n - 1 - i);
        ridge_status st = spaced(&list[i], start, end, i, n, rounded(x, t->dtype), in);
        if (st)
            return st;
    }
    return ridge_content_set(t, list, (size_t)n, in);
}

/* start, end, steps, dtype */
ridge_status ridge_native_linspace(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    enum { MOST = 4096 };
    ridge_py count, start, end;
    ridge_tensor *t;
    ridge_status st = ridge_size_of(&count, v[2], in);
    if (st || (st = bound(&start, v[0], in)) || (st = bound(&end, v[1], in)) ||
        (st = ridge_tensor_new(&t, dtype_or(v[3], ridge_run_of(in)->default_dtype), &count, 1, in)))
        return st;
    if (count.type == RIDGE_PY_T_INT && count.u.i > 0 && count.u.i <= MOST && ridge_py_is_number(start) && ridge_py_is_number(end) &&
        t->dtype >= RIDGE_DTYPE_F16 && t->dtype <= RIDGE_DTYPE_F64) {
        /* how many there are decides what each of them is: it is how often a loop runs */
        if ((st = ridge_py_ask_loop(count, in)) || (st = linspace_content(t, start, end, count.u.i, in)))
            return st;
    }
    if ((st = ridge_tensor_ran("aten.linspace.default", NULL, 0, t, in)))
        return st;
    return give(out, t);
}

/* n, m, dtype */
ridge_status ridge_native_eye(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py sizes[2];
    ridge_status st = ridge_size_of(&sizes[0], v[0], in);
    sizes[1] = sizes[0];
    if (!st && v[1].type != RIDGE_PY_T_NONE)
        st = ridge_size_of(&sizes[1], v[1], in);
    return st ? st : filled(out, "aten.eye.default", ridge_py_unset(), dtype_or(v[2], ridge_run_of(in)->default_dtype), sizes, 2, NULL, in);
}

/* how many places of a row x col matrix lie on and below (above) a diagonal */
static ridge_status triangle_count(ridge_py *out, const ridge_py *v, bool upper, ridge_py_interp *in)
{
    ridge_py rows, columns;
    int64_t shift, r, c, n = 0;
    ridge_status st = ridge_size_of(&rows, v[0], in);
    if (st || (st = ridge_size_of(&columns, v[1], in)) || (st = ridge_py_concrete(&shift, v[2], in)))
        return st;
    if (ridge_size_same(rows, columns, in) && (shift == 0 || shift == (upper ? 1 : -1))) {
        ridge_py next = rows;
        if ((st = ridge_size_add(&next, rows, ridge_py_int(shift == 0 ? 1 : -1), in)) || (st = ridge_size_mul(out, rows, next, in)))
            return st;
        return ridge_size_floordiv(out, *out, ridge_py_int(2), in);
    }
    if ((st = ridge_py_concrete(&r, rows, in)) || (st = ridge_py_concrete(&c, columns, in)))
        return st;
    for (int64_t i = 0; i < r; i++) {
        int64_t below = i + shift + 1 < 0 ? 0 : i + shift + 1 > c ? c : i + shift + 1; /* columns j <= i + shift */
        int64_t before = i + shift < 0 ? 0 : i + shift > c ? c : i + shift;
        n += upper ? c - before : below;
    }
    *out = ridge_py_int(n);
    return RIDGE_OK;
}

static ridge_status triangle_indices(ridge_py *out, const ridge_py *v, bool upper, const char *operator, ridge_py_interp * in)
{
    ridge_py sizes[2] = {ridge_py_int(2)};
    ridge_status st = triangle_count(&sizes[1], v, upper, in);
    return st ? st : filled(out, operator, ridge_py_unset(), dtype_or(v[3], RIDGE_DTYPE_I64), sizes, 2, NULL, in);
}

ridge_status ridge_native_tril_indices(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return triangle_indices(out, v, false, "aten.tril_indices.default", in);
}

ridge_status ridge_native_triu_indices(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return triangle_indices(out, v, true, "aten.triu_indices.default", in);
}

/* tensors, indexing */
ridge_status ridge_native_meshgrid(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    const ridge_py_list *list = v[0].u.list;
    ridge_py sizes[RIDGE_TENSOR_RANK], shape[RIDGE_TENSOR_RANK];
    ridge_tensor *t;
    if (list->count == 1 && (list->items[0].type == RIDGE_PY_T_TUPLE || list->items[0].type == RIDGE_PY_T_LIST))
        list = list->items[0].u.list;
    uint32_t count = (uint32_t)list->count;
    bool swapped = v[1].type == RIDGE_PY_T_STR && ridge_str_is(v[1].u.s->text, "xy") && count >= 2;
    if (count > RIDGE_TENSOR_RANK)
        return ridge_fail(in->err, RIDGE_LIMIT, "a tensor of more than %d dimensions", RIDGE_TENSOR_RANK);
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, count, in);
    for (uint32_t i = 0; i < count && !st; i++) {
        if (list->items[i].type != RIDGE_PY_T_TENSOR || list->items[i].u.tensor->rank > 1)
            return ridge_py_raise(in, "RuntimeError", "torch.meshgrid: Expected 0D or 1D tensors");
        ridge_py size = list->items[i].u.tensor->rank ? list->items[i].u.tensor->dims[0] : ridge_py_int(1);
        sizes[swapped && i < 2 ? 1 - i : i] = size;
    }
    for (uint32_t i = 0; i < count && !st; i++) {
        uint32_t axis = swapped && i < 2 ? 1 - i : i;
        for (uint32_t d = 0; d < count; d++)
            shape[d] = d == axis ? sizes[d] : ridge_py_int(1);
        if ((st = ridge_view_reshape(&t, list->items[i].u.tensor, shape, count, true, in)) ||
            (st = ridge_view_expand(&t, t, sizes, count, in)))
            return st;
        st = ridge_py_append(out->u.list, ridge_py_tensor(t), in);
    }
    return st;
}

/* ---- from Python's numbers ---- */

typedef struct reading {
    ridge_py dims[RIDGE_TENSOR_RANK];
    uint32_t rank;
    ridge_py *values;
    size_t count, cap;
    bool real, integer, unknown; /* what was met */
    ridge_dtype tensor_dtype;    /* of tensors among the numbers */
    bool has_tensor;
} reading;

static ridge_status read_number(reading *r, ridge_py v, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (v.type == RIDGE_PY_T_TENSOR) {
        r->has_tensor = true;
        r->tensor_dtype = v.u.tensor->dtype;
        if ((st = ridge_content_single(&v, v.u.tensor, in)))
            return st;
    }
    if (v.type == RIDGE_PY_T_FLOAT)
        r->real = true;
    else if (v.type == RIDGE_PY_T_INT)
        r->integer = true;
    else if (v.type == RIDGE_PY_T_UNKNOWN || v.type == RIDGE_PY_T_UNSET)
        r->unknown = true;
    else if (v.type != RIDGE_PY_T_BOOL)
        return ridge_py_raise(in, "TypeError", "not a number: '%s'", ridge_py_type_text(v));
    if (!ridge_arena_more(in->arena, &r->values, r->count, &r->cap, sizeof *r->values))
        return ridge_no_memory(in->err);
    r->values[r->count++] = v;
    return RIDGE_OK;
}

static ridge_status read_data(reading *r, ridge_py v, uint32_t depth, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (v.type == RIDGE_PY_T_INSTANCE && v.u.instance->base.type != RIDGE_PY_T_UNSET)
        v = v.u.instance->base;
    if (v.type == RIDGE_PY_T_RANGE && (st = ridge_py_collect(&v, RIDGE_PY_T_LIST, v, in)))
        return st;
    if (v.type == RIDGE_PY_T_TENSOR && v.u.tensor->rank > 0) {
        ridge_py list;
        if ((st = ridge_py_call_method(&list, v, "tolist", NULL, 0, in)))
            return st;
        if (list.type == RIDGE_PY_T_UNKNOWN)
            return ridge_fail(in->err, RIDGE_UNKNOWN, "a tensor made of tensors whose contents are not known");
        v = list;
    }
    if (v.type != RIDGE_PY_T_LIST && v.type != RIDGE_PY_T_TUPLE)
        return depth == r->rank
                   ? read_number(r, v, in)
                   : ridge_py_raise(in, "ValueError", "expected sequence of length %lld at dim %u", (long long)r->dims[depth].u.i, depth);
    if (depth >= RIDGE_TENSOR_RANK)
        return ridge_fail(in->err, RIDGE_LIMIT, "a tensor of more than %d dimensions", RIDGE_TENSOR_RANK);
    if (depth == r->rank && r->count == 0)
        r->dims[r->rank++] = ridge_py_int((int64_t)v.u.list->count);
    else if (depth >= r->rank || (int64_t)v.u.list->count != r->dims[depth].u.i)
        return ridge_py_raise(in, "ValueError", "expected sequence of length %lld at dim %u (got %zu)",
                              depth < r->rank ? (long long)r->dims[depth].u.i : 0LL, depth, v.u.list->count);
    for (size_t i = 0; i < v.u.list->count && !st; i++)
        st = read_data(r, v.u.list->items[i], depth + 1, in);
    return st;
}

ridge_status ridge_tensor_from(ridge_tensor **out, ridge_py data, ridge_py word, ridge_py_interp *in)
{
    reading r = {.tensor_dtype = RIDGE_DTYPE_I64};
    ridge_status st = read_data(&r, data, 0, in);
    if (st)
        return st;
    ridge_dtype otherwise = r.has_tensor             ? r.tensor_dtype
                            : r.real || r.count == 0 ? ridge_run_of(in)->default_dtype
                            : r.integer || r.unknown ? RIDGE_DTYPE_I64
                                                     : RIDGE_DTYPE_BOOL;
    ridge_dtype dtype = dtype_or(word, otherwise);
    if ((st = ridge_tensor_new(out, dtype, r.dims, r.rank, in)))
        return st;
    for (size_t i = 0; i < r.count && !r.unknown; i++) {
        if ((st = ridge_content_cast(&r.values[i], r.values[i], dtype, in)))
            return st;
        r.unknown = r.values[i].type == RIDGE_PY_T_UNSET;
    }
    return r.unknown ? RIDGE_OK : ridge_content_set(*out, r.values, r.count, in);
}

/* data, dtype, requires_grad; as_tensor gives a tensor of the right dtype back as it is */
static ridge_status tensor_of(ridge_py *out, const ridge_py *v, bool copies, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_dtype dtype;
    ridge_status st;
    if (v[0].type == RIDGE_PY_T_UNKNOWN) {
        *out = v[0];
        return RIDGE_OK;
    }
    if (v[0].type == RIDGE_PY_T_TENSOR) {
        dtype = dtype_or(v[1], v[0].u.tensor->dtype);
        if (dtype != v[0].u.tensor->dtype)
            st = ridge_tensor_to(&t, v[0].u.tensor, dtype, in);
        else if (copies)
            st = ridge_tensor_clone(&t, v[0].u.tensor, true, in);
        else
            return give(out, v[0].u.tensor);
    } else {
        st = ridge_tensor_from(&t, v[0], v[1], in);
        if (!st)
            st = ridge_tensor_ran("aten.lift_fresh.default", NULL, 0, t, in);
    }
    return st ? st : give(out, t);
}

ridge_status ridge_native_tensor(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return tensor_of(out, v, true, in);
}

ridge_status ridge_native_as_tensor(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return tensor_of(out, v, false, in);
}

ridge_status ridge_native_scalar_tensor(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return filled(out, "aten.scalar_tensor.default", v[0], dtype_or(v[1], ridge_run_of(in)->default_dtype), NULL, 0, NULL, in);
}

/* input, data, dtype */
ridge_status ridge_native_new_tensor(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    const ridge_py args[2] = {v[1], v[2]};
    return tensor_of(out, args, true, in);
}
