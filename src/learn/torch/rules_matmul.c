/* Matrix products, and what PyTorch makes of products of other ranks. */
#include "learn/torch/rules.h"
#include "learn/torch/size.h"

static ridge_status misfit(const char *what, const ridge_tensor *a, const ridge_tensor *b, ridge_py_interp *in)
{
    return ridge_py_raise(in, "RuntimeError", "%s: shapes %s and %s cannot be multiplied", what, ridge_shape_text(a, in),
                          ridge_shape_text(b, in));
}

static ridge_status both(ridge_tensor **a, ridge_tensor **b, const ridge_operator *op, const ridge_py *values, const char *first,
                         const char *second, ridge_py_interp *in)
{
    *a = ridge_operator_tensor(op, values, first);
    *b = ridge_operator_tensor(op, values, second);
    if (!*a || !*b)
        return ridge_py_raise(in, "TypeError", "%s(): arguments '%s' and '%s' must be Tensors", op->name, first, second);
    if ((*a)->dtype != (*b)->dtype)
        return ridge_py_raise(in, "RuntimeError", "expected m1 and m2 to have the same dtype, but got: %s != %s",
                              ridge_dtype_name((*a)->dtype), ridge_dtype_name((*b)->dtype));
    return RIDGE_OK;
}

/* [m, k] x [k, n] */
static ridge_status product(ridge_py *out, const ridge_operator *op, const ridge_py *values, const ridge_tensor *a, const ridge_tensor *b,
                            ridge_py_interp *in)
{
    if (a->rank != 2 || b->rank != 2 || ridge_dims_differ(a->dims[1], b->dims[0]))
        return misfit(op->name, a, b, in);
    const ridge_py dims[2] = {a->dims[0], b->dims[1]};
    const ridge_operator_size sizes[] = {{"m", a->dims[0]}, {"k", a->dims[1]}, {"n", b->dims[1]}};
    ridge_status st = ridge_operator_result(out, op, values, dims, 2, in);
    return st ? st : ridge_operator_ran(op, values, *out, sizes, 3, in);
}

ridge_status ridge_rule_mm(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *a, *b;
    ridge_status st = both(&a, &b, op, values, "input", "mat2", in);
    return st ? st : product(out, op, values, a, b, in);
}

ridge_status ridge_rule_addmm(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *a, *b;
    ridge_status st = both(&a, &b, op, values, "mat1", "mat2", in);
    return st ? st : product(out, op, values, a, b, in);
}

/* [b, m, k] x [b, k, n] */
static ridge_status batched(ridge_py *out, const ridge_operator *op, const ridge_py *values, const ridge_tensor *a, const ridge_tensor *b,
                            ridge_py_interp *in)
{
    if (a->rank != 3 || b->rank != 3 || ridge_dims_differ(a->dims[0], b->dims[0]) || ridge_dims_differ(a->dims[2], b->dims[1]))
        return misfit(op->name, a, b, in);
    const ridge_py dims[3] = {a->dims[0], a->dims[1], b->dims[2]};
    const ridge_operator_size sizes[] = {{"b", a->dims[0]}, {"m", a->dims[1]}, {"k", a->dims[2]}, {"n", b->dims[2]}};
    ridge_status st = ridge_operator_result(out, op, values, dims, 3, in);
    return st ? st : ridge_operator_ran(op, values, *out, sizes, 4, in);
}

ridge_status ridge_rule_bmm(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *a, *b;
    ridge_status st = both(&a, &b, op, values, "input", "mat2", in);
    return st ? st : batched(out, op, values, a, b, in);
}

ridge_status ridge_rule_baddbmm(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *a, *b;
    ridge_status st = both(&a, &b, op, values, "batch1", "batch2", in);
    return st ? st : batched(out, op, values, a, b, in);
}

/* [m, k] x [k] */
ridge_status ridge_rule_mv(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *a, *b;
    ridge_status st = both(&a, &b, op, values, "input", "vec", in);
    if (st)
        return st;
    if (a->rank != 2 || b->rank != 1 || ridge_dims_differ(a->dims[1], b->dims[0]))
        return misfit(op->name, a, b, in);
    const ridge_operator_size sizes[] = {{"m", a->dims[0]}, {"k", a->dims[1]}};
    st = ridge_operator_result(out, op, values, a->dims, 1, in);
    return st ? st : ridge_operator_ran(op, values, *out, sizes, 2, in);
}

ridge_status ridge_rule_dot(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *a, *b;
    ridge_status st = both(&a, &b, op, values, "input", "tensor", in);
    if (st)
        return st;
    if (a->rank != 1 || b->rank != 1 || ridge_dims_differ(a->dims[0], b->dims[0]))
        return misfit(op->name, a, b, in);
    const ridge_operator_size sizes[] = {{"k", a->dims[0]}};
    st = ridge_operator_result(out, op, values, NULL, 0, in);
    return st ? st : ridge_operator_ran(op, values, *out, sizes, 1, in);
}

/* ---- torch.matmul ---- */

static ridge_status method(ridge_py *out, ridge_py self, const char *name, ridge_py_interp *in)
{
    return ridge_py_call_method(out, self, name, NULL, 0, in);
}

static ridge_status shaped(ridge_py *out, ridge_py self, const char *name, const ridge_py *dims, uint32_t rank, ridge_py_interp *in)
{
    ridge_py sizes;
    ridge_status st = ridge_py_new_list(&sizes, RIDGE_PY_T_TUPLE, rank, in);
    for (uint32_t i = 0; !st && i < rank; i++)
        st = ridge_py_append(sizes.u.list, dims[i], in);
    return st ? st : ridge_py_call_method(out, self, name, &sizes, 1, in);
}

/* The leading dimensions of the larger side become the rows of one product, also where that takes a copy; but not those of a batch of
 * transposed matrices, which a batched product takes as they are (should_fold). */
static bool folds(const ridge_tensor *larger, const ridge_tensor *smaller)
{
    if (larger->rank < 3 || smaller->rank > 2)
        return false;
    return larger->rank > 3 || smaller->rank != 2 || larger->strides[2] == 1 ||
           larger->strides[0] != ridge_size_concrete(larger->dims[1]) * ridge_size_concrete(larger->dims[2]);
}

/* [..., m, k] x [k, n] or [k]: one product over all rows */
static ridge_status fold(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    const ridge_tensor *t = a.u.tensor, *u = b.u.tensor;
    ridge_py dims[RIDGE_TENSOR_RANK], rows[2], flat, result;
    ridge_status st = ridge_size_product(&rows[0], t->dims, t->rank - 1, in);
    rows[1] = t->dims[t->rank - 1];
    if (!st)
        st = shaped(&flat, a, "reshape", rows, 2, in);
    if (!st)
        st = ridge_operator_apply(&result, u->rank == 1 ? "aten.mv.default" : "aten.mm.default", (ridge_py[]){flat, b}, 2, in);
    if (st)
        return st;
    memcpy(dims, t->dims, (t->rank - 1) * sizeof *dims);
    if (u->rank == 2)
        dims[t->rank - 1] = u->dims[1];
    return shaped(out, result, "view", dims, u->rank == 2 ? t->rank : t->rank - 1, in);
}

/* the batch of a side with its own rows and columns after it, as one batch of matrices; what is not in order is copied */
static ridge_status as_batch(ridge_py *out, ridge_py side, const ridge_py *batch, uint32_t batch_rank, ridge_py count, ridge_py_interp *in)
{
    const ridge_tensor *t = side.u.tensor;
    ridge_py dims[RIDGE_TENSOR_RANK], expanded;
    memcpy(dims, batch, batch_rank * sizeof *dims);
    memcpy(dims + batch_rank, t->dims + t->rank - 2, 2 * sizeof *dims);
    ridge_status st = shaped(&expanded, side, "expand", dims, batch_rank + 2, in);
    const ridge_py matrices[3] = {count, dims[batch_rank], dims[batch_rank + 1]};
    return st ? st : shaped(out, expanded, "reshape", matrices, 3, in);
}

static ridge_status broadcast_batches(ridge_py *dims, uint32_t *rank, const ridge_tensor *a, const ridge_tensor *b, ridge_py_interp *in)
{
    ridge_tensor *x = NULL, *y = NULL;
    ridge_status st = ridge_tensor_new(&x, a->dtype, a->dims, a->rank - 2, in);
    if (!st)
        st = ridge_tensor_new(&y, b->dtype, b->dims, b->rank - 2, in);
    const ridge_tensor *const parts[2] = {x, y};
    return st ? st : ridge_tensor_broadcast(dims, rank, parts, 2, in);
}

static ridge_status batches(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    const ridge_tensor *t = a.u.tensor, *u = b.u.tensor;
    ridge_py dims[RIDGE_TENSOR_RANK], count, x, y, result;
    uint32_t rank;
    ridge_status st = broadcast_batches(dims, &rank, t, u, in);
    if (!st && rank + 2 > RIDGE_TENSOR_RANK)
        st = ridge_py_raise(in, "RuntimeError", "a product of more than %d dimensions", RIDGE_TENSOR_RANK);
    if (!st)
        st = ridge_size_product(&count, dims, rank, in);
    if (!st)
        st = as_batch(&x, a, dims, rank, count, in);
    if (!st)
        st = as_batch(&y, b, dims, rank, count, in);
    if (!st)
        st = ridge_operator_apply(&result, "aten.bmm.default", (ridge_py[]){x, y}, 2, in);
    if (st)
        return st;
    dims[rank] = t->dims[t->rank - 2];
    dims[rank + 1] = u->dims[u->rank - 1];
    return shaped(out, result, "view", dims, rank + 2, in);
}

static ridge_status with_axis(ridge_py *out, ridge_py side, int axis, const char *name, ridge_py_interp *in)
{
    const ridge_py at = ridge_py_int(axis);
    return ridge_py_call_method(out, side, name, &at, 1, in);
}

/* a vector is a matrix of one row (on the left) or column */
static ridge_status of_vectors(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_py matrix, result;
    bool left = a.u.tensor->rank == 1;
    ridge_status st = with_axis(&matrix, left ? a : b, left ? 0 : 1, "unsqueeze", in);
    if (!st && left && b.u.tensor->rank == 2)
        st = ridge_operator_apply(&result, "aten.mm.default", (ridge_py[]){matrix, b}, 2, in);
    else if (!st)
        st = batches(&result, left ? matrix : a, left ? b : matrix, in);
    return st ? st : with_axis(out, result, left ? -2 : -1, "squeeze", in);
}

/* [m, k] x [..., k, n] is the transpose of [..., n, k] x [k, m]: PyTorch takes that way where it copies nothing */
static ridge_status fold_right(ridge_py *out, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    const ridge_py last_two[2] = {ridge_py_int(-2), ridge_py_int(-1)};
    ridge_py left, right, result;
    ridge_status st = ridge_py_call_method(&left, b, "transpose", last_two, 2, in);
    if (!st && !folds(left.u.tensor, a.u.tensor))
        return batches(out, a, b, in);
    if (!st)
        st = a.u.tensor->rank == 2 ? method(&right, a, "t", in) : RIDGE_OK;
    if (a.u.tensor->rank == 1)
        right = a;
    if (!st)
        st = fold(&result, left, right, in);
    if (st || a.u.tensor->rank == 1) {
        *out = result;
        return st;
    }
    return ridge_py_call_method(out, result, "transpose", last_two, 2, in);
}

ridge_status ridge_rule_matmul(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *a, *b;
    ridge_status st = both(&a, &b, op, values, "input", "other", in);
    if (st)
        return st;
    if (!a->rank || !b->rank)
        return ridge_py_raise(in, "RuntimeError", "both arguments to matmul need to be at least 1D");
    const ridge_py pair[2] = {ridge_py_tensor(a), ridge_py_tensor(b)};
    if (ridge_dims_differ(a->dims[a->rank - 1], b->dims[b->rank == 1 ? 0 : b->rank - 2]))
        return misfit(op->name, a, b, in);
    if (a->rank == 1 && b->rank == 1)
        return ridge_operator_apply(out, "aten.dot.default", pair, 2, in);
    if (a->rank == 2 && b->rank == 1)
        return ridge_operator_apply(out, "aten.mv.default", pair, 2, in);
    if (a->rank == 2 && b->rank == 2)
        return ridge_operator_apply(out, "aten.mm.default", pair, 2, in);
    if (folds(a, b))
        return fold(out, pair[0], pair[1], in);
    if (a->rank <= 2 && b->rank >= 3 && a->rank == 1)
        return fold_right(out, pair[0], pair[1], in);
    if (a->rank == 1 || b->rank == 1)
        return of_vectors(out, pair[0], pair[1], in);
    return batches(out, pair[0], pair[1], in);
}

/* ---- F.linear ---- */

static ridge_status linear_with_bias(ridge_py *out, ridge_py input, ridge_py weight, ridge_py bias, ridge_py_interp *in)
{
    const ridge_tensor *t = input.u.tensor;
    ridge_py rows[2], flat = input, result, dims[RIDGE_TENSOR_RANK];
    ridge_status st = RIDGE_OK;
    if (t->rank > 2) {
        st = ridge_size_product(&rows[0], t->dims, t->rank - 1, in);
        rows[1] = t->dims[t->rank - 1];
        if (!st)
            st = shaped(&flat, input, "reshape", rows, 2, in);
    }
    if (!st)
        st = ridge_operator_apply(&result, "aten.addmm.default", (ridge_py[]){bias, flat, weight}, 3, in);
    if (st || t->rank == 2) {
        *out = result;
        return st;
    }
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[t->rank - 1] = weight.u.tensor->dims[1];
    return shaped(out, result, "view", dims, t->rank, in);
}

ridge_status ridge_rule_linear(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *input, *weight;
    ridge_status st = both(&input, &weight, op, values, "input", "weight", in);
    if (st)
        return st;
    const ridge_py bias = ridge_operator_value(op, values, "bias");
    ridge_py transposed, product_;
    st = weight->rank > 1 ? method(&transposed, ridge_py_tensor(weight), "t", in) : RIDGE_OK;
    if (weight->rank == 1)
        transposed = ridge_py_tensor(weight);
    bool flat = input->rank == 2 || (input->rank == 3 && input->contiguous); /* else the product comes first, then the bias */
    if (!st && bias.type == RIDGE_PY_T_TENSOR && flat && weight->rank == 2)
        return linear_with_bias(out, ridge_py_tensor(input), transposed, bias, in);
    if (!st)
        st = ridge_operator_apply(&product_, "torch.matmul", (ridge_py[]){ridge_py_tensor(input), transposed}, 2, in);
    if (st || bias.type != RIDGE_PY_T_TENSOR) {
        *out = product_;
        return st;
    }
    return ridge_operator_apply(out, "aten.add.Tensor", (ridge_py[]){product_, bias}, 2, in);
}

/* ---- F.scaled_dot_product_attention ---- */

/* query [..., H, S, d], key [..., H, T, d], value [..., H, T, v]; one kernel that keeps no scores */
ridge_status ridge_rule_sdpa(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    const ridge_tensor *q = ridge_operator_tensor(op, values, "query"), *k = ridge_operator_tensor(op, values, "key");
    const ridge_tensor *v = ridge_operator_tensor(op, values, "value");
    if (!q || !k || !v || q->rank < 2 || k->rank != q->rank || v->rank != q->rank)
        return ridge_py_raise(in, "RuntimeError", "scaled_dot_product_attention wants query, key and value of one rank");
    uint32_t rank = q->rank;
    if (ridge_dims_differ(q->dims[rank - 1], k->dims[rank - 1]) || ridge_dims_differ(k->dims[rank - 2], v->dims[rank - 2]))
        return misfit(op->name, q, k, in);
    ridge_py dims[RIDGE_TENSOR_RANK], heads;
    memcpy(dims, q->dims, rank * sizeof *dims);
    dims[rank - 1] = v->dims[rank - 1];
    ridge_status st = ridge_size_product(&heads, dims, rank - 2, in);
    const ridge_operator_size sizes[] = {
        {"b", heads}, {"s", q->dims[rank - 2]}, {"t", k->dims[rank - 2]}, {"d", q->dims[rank - 1]}, {"v", v->dims[rank - 1]}};
    if (!st)
        st = ridge_operator_result(out, op, values, dims, rank, in);
    return st ? st : ridge_operator_ran(op, values, *out, sizes, 5, in);
}
