/* Sums and the like over dimensions, cumulative ones, softmax, norms, and orders. */
#include "learn/torch/content.h"
#include "learn/torch/rules.h"
#include "learn/torch/size.h"
#include "learn/torch/view.h"

/* "aten.sum.dim_IntList" is "sum" */
static const char *plain_name(const ridge_operator *op, ridge_py_interp *in)
{
    const char *name = strncmp(op->name, "aten.", 5) == 0 ? op->name + 5 : op->name;
    const char *plain = ridge_arena_strdup(in->arena, (ridge_str){name, strcspn(name, ".")});
    return plain ? plain : "";
}

static uint32_t reduced_dims(ridge_py *dims, const ridge_tensor *t, const bool *axes, bool keep)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!axes[i])
            dims[rank++] = t->dims[i];
        else if (keep)
            dims[rank++] = ridge_py_int(1);
    return rank;
}

static ridge_status reduced_contents(ridge_tensor *out, const ridge_operator *op, const ridge_tensor *t, const bool *axes,
                                     ridge_py_interp *in)
{
    uint32_t list[RIDGE_TENSOR_RANK], count = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (axes[i])
            list[count++] = i;
    return ridge_content_reduce(out, plain_name(op, in), t, list, count, in);
}

ridge_status ridge_rule_reduce(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    bool axes[RIDGE_TENSOR_RANK];
    ridge_py dims[RIDGE_TENSOR_RANK];
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st)
        st = ridge_operator_axes(axes, t, ridge_operator_value(op, values, "dim"), in);
    if (st)
        return st;
    uint32_t rank = reduced_dims(dims, t, axes, ridge_operator_flag(ridge_operator_value(op, values, "keepdim")));
    st = ridge_operator_result(out, op, values, dims, rank, in);
    if (!st)
        st = reduced_contents(out->u.tensor, op, t, axes, in);
    return st ? st : ridge_operator_ran(op, values, *out, NULL, 0, in);
}

/* a tuple that also has its parts by name */
static ridge_status pair_of(ridge_py *out, ridge_py first, ridge_py second, ridge_py_interp *in)
{
    ridge_py tuple;
    ridge_status st = ridge_py_new_list(&tuple, RIDGE_PY_T_TUPLE, 2, in);
    if (!st)
        st = ridge_py_append(tuple.u.list, first, in);
    if (!st)
        st = ridge_py_append(tuple.u.list, second, in);
    if (!st)
        st = ridge_py_new_instance(out, ridge_run_of(in)->pair_class, in);
    if (st)
        return st;
    out->u.instance->base = tuple;
    st = ridge_py_setz(*out, "values", first, in);
    return st ? st : ridge_py_setz(*out, "indices", second, in);
}

/* the two tensors of a pair */
static ridge_tensor *part(ridge_py pair, size_t at)
{
    return pair.u.instance->base.u.list->items[at].u.tensor;
}

static ridge_status values_and_indices(ridge_py *out, const ridge_operator *op, const ridge_py *values, const ridge_py *dims, uint32_t rank,
                                       ridge_py_interp *in)
{
    ridge_py first;
    ridge_tensor *indices;
    ridge_status st = ridge_operator_result(&first, op, values, dims, rank, in);
    if (!st)
        st = ridge_tensor_new(&indices, RIDGE_DTYPE_I64, dims, rank, in);
    return st ? st : pair_of(out, first, ridge_py_tensor(indices), in);
}

/* max(dim=...): the values and where they stand */
ridge_status ridge_rule_reduce_pair(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    bool axes[RIDGE_TENSOR_RANK];
    ridge_py dims[RIDGE_TENSOR_RANK];
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st)
        st = ridge_operator_axes(axes, t, ridge_operator_value(op, values, "dim"), in);
    if (st)
        return st;
    uint32_t rank = reduced_dims(dims, t, axes, ridge_operator_flag(ridge_operator_value(op, values, "keepdim")));
    st = values_and_indices(out, op, values, dims, rank, in);
    if (!st)
        st = reduced_contents(part(*out, 0), op, t, axes, in);
    ridge_py rows;
    if (!st && strncmp(op->name, "aten.max.", 9) == 0 && !(st = ridge_size_product(&rows, dims, rank, in)))
        for (uint32_t i = 0; i < t->rank; i++)
            if (axes[i])
                ridge_tag_choice(part(*out, 1), t, i, rows);
    return st ? st : ridge_operator_ran(op, values, out->u.instance->base, NULL, 0, in);
}

/* cumsum and its like: the shape stays */
ridge_status ridge_rule_scan(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    uint32_t axis;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank)
        st = ridge_tensor_axis(&axis, t, ridge_operator_value(op, values, "dim"), in);
    if (!st)
        st = ridge_operator_result(out, op, values, t->dims, t->rank, in);
    if (!st && t->rank)
        st = ridge_content_cumulate(out->u.tensor, plain_name(op, in), t, axis, in);
    return st ? st : ridge_operator_ran(op, values, *out, NULL, 0, in);
}

/* With dtype, PyTorch casts first (outside CUDA); F.softmax(x, dim, dtype). */
ridge_status ridge_rule_softmax(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_dtype dtype;
    const ridge_py asked = ridge_operator_value(op, values, "dtype");
    ridge_py input = values[0];
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && ridge_operator_given(asked) && ridge_dtype_of(&dtype, asked) && dtype != t->dtype)
        st = ridge_py_call_method(&input, values[0], "to", &asked, 1, in);
    ridge_py copy[16];
    for (size_t i = 0; i < op->name_count && i < 16; i++)
        copy[i] = i ? values[i] : input;
    if (!st)
        st = ridge_operator_result(out, op, copy, t->dims, t->rank, in);
    return st ? st : ridge_operator_ran(op, copy, *out, NULL, 0, in);
}

/* ---- norms: the result, and what the backward pass wants of each row ---- */

/* A first dimension of 1 has the stride that a view as rows gives it. */
static void lay_rows_like(ridge_tensor *result, const ridge_tensor *t)
{
    ridge_tensor_lay_like(result, t);
    if (!result->contiguous && result->rank > 2 && ridge_size_is(result->dims[0], 1))
        result->strides[0] = result->strides[1] * ridge_size_concrete(result->dims[1]);
}

/* devices other than the CPU sum numbers of 16 bits in fp32, and keep the sums so */
static ridge_dtype summed(ridge_dtype dtype)
{
    return dtype == RIDGE_DTYPE_F16 || dtype == RIDGE_DTYPE_BF16 ? RIDGE_DTYPE_F32 : dtype;
}

/* `kept`: the dtype of the two statistics */
static ridge_status with_statistics(ridge_py *out, const ridge_operator *op, const ridge_py *values, const ridge_tensor *t, ridge_dtype kept,
                                    const ridge_py *dims, uint32_t rank, bool keeps_layout, ridge_py_interp *in)
{
    ridge_py result, all;
    ridge_tensor *statistic;
    ridge_status st = ridge_operator_result(&result, op, values, t->dims, t->rank, in);
    if (!st && keeps_layout)
        lay_rows_like(result.u.tensor, t);
    if (!st)
        st = ridge_py_new_list(&all, RIDGE_PY_T_TUPLE, 3, in);
    if (!st)
        st = ridge_py_append(all.u.list, result, in);
    for (int i = 0; !st && i < 2; i++) {
        st = ridge_tensor_new(&statistic, kept, dims, rank, in);
        if (!st)
            st = ridge_py_append(all.u.list, ridge_py_tensor(statistic), in);
    }
    *out = result;
    return st ? st : ridge_operator_ran(op, values, all, NULL, 0, in);
}

/* dimensions from `first` to before `last` lie in memory as one */
static bool is_flat(const ridge_tensor *t, uint32_t first, uint32_t last)
{
    int64_t expected = -1;
    for (uint32_t i = last; i-- > first;) {
        int64_t size = ridge_size_concrete(t->dims[i]);
        if (size == 1)
            continue;
        if (expected >= 0 && t->strides[i] != expected)
            return false;
        expected = t->strides[i] * size;
    }
    return true;
}

/* mean and reciprocal deviation of each row: the dimensions before those of normalized_shape, 1 for these */
ridge_status ridge_rule_norm_rows(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    const ridge_py shape = ridge_operator_value(op, values, "normalized_shape");
    if (st)
        return st;
    bool listed = shape.type == RIDGE_PY_T_TUPLE || shape.type == RIDGE_PY_T_LIST;
    size_t count = listed ? shape.u.list->count : 1;
    ridge_py dims[RIDGE_TENSOR_RANK];
    if (count > t->rank)
        return ridge_py_raise(in, "RuntimeError", "Given normalized_shape of %zu dimensions, got input of size %s", count,
                              ridge_shape_text(t, in));
    for (uint32_t i = 0; i < t->rank; i++) {
        bool normed = i >= t->rank - count;
        dims[i] = normed ? ridge_py_int(1) : t->dims[i];
        if (normed && ridge_dims_differ(t->dims[i], listed ? shape.u.list->items[i - (t->rank - count)] : shape))
            return ridge_py_raise(in, "RuntimeError", "normalized_shape does not fit input of size %s", ridge_shape_text(t, in));
    }
    /* PyTorch makes rows of it, which keeps its layout unless that takes a copy */
    uint32_t rows = t->rank - (uint32_t)count;
    return with_statistics(out, op, values, t, summed(t->dtype), dims, t->rank, is_flat(t, 0, rows) && is_flat(t, rows, t->rank), in);
}

/* also in evaluation, PyTorch writes the mean and the reciprocal deviation of each channel */
ridge_status ridge_rule_norm_batch(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank < 2)
        return ridge_py_raise(in, "ValueError", "batch_norm expected at least 2D input (got %uD input)", t->rank);
    return st ? st : with_statistics(out, op, values, t, summed(t->dtype), &t->dims[1], 1, true, in);
}

ridge_status ridge_rule_norm_group(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank < 2)
        return ridge_py_raise(in, "RuntimeError", "Expected at least 2 dimensions for input tensor but received %u", t->rank);
    const ridge_py dims[2] = {st ? ridge_py_none() : t->dims[0], ridge_operator_value(op, values, "num_groups")};
    if (st)
        return st;
    /* PyTorch keeps these in the input's format, unless the weights have a wider one */
    const ridge_tensor *weight = ridge_operator_tensor(op, values, "weight");
    return with_statistics(out, op, values, t, weight && weight->dtype != t->dtype ? summed(t->dtype) : t->dtype, dims, 2, false, in);
}

/* ---- orders ---- */

/* the k best of E are the indices of a mixture of experts, as long as nothing else is known of them */
ridge_status ridge_rule_topk(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    uint32_t axis = 0;
    ridge_py dims[RIDGE_TENSOR_RANK], k;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank)
        st = ridge_tensor_axis(&axis, t, ridge_operator_value(op, values, "dim"), in);
    if (!st)
        st = ridge_size_of(&k, ridge_operator_value(op, values, "k"), in);
    if (st)
        return st;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    if (t->rank && k.type == RIDGE_PY_T_INT && t->dims[axis].type == RIDGE_PY_T_INT && k.u.i > t->dims[axis].u.i)
        return ridge_py_raise(in, "RuntimeError", "selected index k out of range");
    dims[axis] = k;
    st = values_and_indices(out, op, values, dims, t->rank, in);
    if (!st && t->rank) {
        ridge_tag *tag = &part(*out, 1)->tag;
        tag->kind = RIDGE_TAG_TOP_INDEX;
        tag->experts = t->dims[axis];
        tag->axis = axis;
        st = ridge_size_product(&tag->rows, dims, t->rank, in);
    }
    return st ? st : ridge_operator_ran(op, values, out->u.instance->base, NULL, 0, in);
}

ridge_status ridge_rule_sort(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    uint32_t axis = 0;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank)
        st = ridge_tensor_axis(&axis, t, ridge_operator_value(op, values, "dim"), in);
    if (!st)
        st = values_and_indices(out, op, values, t->dims, t->rank, in);
    if (!st && t->rank)
        st = ridge_content_sort(part(*out, 0), part(*out, 1), t, axis, ridge_operator_flag(ridge_operator_value(op, values, "descending")),
                                in);
    return st ? st : ridge_operator_ran(op, values, out->u.instance->base, NULL, 0, in);
}
