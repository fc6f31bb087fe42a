/* Operators with shapes of their own: scattered writes, triangles, patches, spectra. */
#include "learn/torch/content.h"
#include "learn/torch/rules.h"
#include "learn/torch/size.h"

static ridge_status like_input(ridge_py *out, const ridge_operator *op, const ridge_py *values, const ridge_py *dims, uint32_t rank,
                               ridge_py_interp *in)
{
    ridge_status st = ridge_operator_result(out, op, values, dims, rank, in);
    return st ? st : ridge_operator_ran(op, values, *out, NULL, 0, in);
}

ridge_status ridge_rule_prelu(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    return st ? st : like_input(out, op, values, t->dims, t->rank, in);
}

/* half of a dimension gates the other */
ridge_status ridge_rule_glu(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    uint32_t axis = 0;
    ridge_py dims[RIDGE_TENSOR_RANK];
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st)
        st = ridge_tensor_axis(&axis, t, ridge_operator_value(op, values, "dim"), in);
    if (st)
        return st;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    if (ridge_size_concrete(dims[axis]) % 2)
        return ridge_py_raise(in, "RuntimeError", "Halving dimension must be even, but dimension %u of %s is not", axis,
                              ridge_shape_text(t, in));
    st = ridge_size_floordiv(&dims[axis], dims[axis], ridge_py_int(2), in);
    return st ? st : like_input(out, op, values, dims, t->rank, in);
}

ridge_status ridge_rule_triangle(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    int64_t diagonal = 0;
    const ridge_py given = ridge_operator_value(op, values, "diagonal");
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank < 2)
        st = ridge_py_raise(in, "RuntimeError", "%s: input tensor must have at least 2 dimensions", op->name);
    if (!st && !(given.type == RIDGE_PY_T_INT && given.by.sym))
        st = ridge_py_concrete(&diagonal, given, in);
    bool known = given.type != RIDGE_PY_T_INT || !given.by.sym;
    if (st)
        return st;
    if (op->in_place)
        ridge_content_void(t);
    *out = values[0];
    if (!op->in_place)
        st = ridge_operator_result(out, op, values, t->dims, t->rank, in);
    if (!st && known && !op->in_place)
        st = ridge_content_triangle(out->u.tensor, t, diagonal, strstr(op->name, "triu") != NULL, in);
    return st ? st : ridge_operator_ran(op, values, *out, NULL, 0, in);
}

/* ---- scattered writes: the shape is the input's ---- */

/* what is written: s elements of a tensor, or of the index where it is one number */
static ridge_status written(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    static const char *const names[] = {"src", "source", "value", "index"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const ridge_tensor *t = ridge_operator_tensor(op, values, names[i]);
        if (t)
            return ridge_tensor_elements(out, t, in);
    }
    *out = ridge_py_int(0);
    return RIDGE_OK;
}

/* scatter(dim, index, 1.0) and scatter(dim, index, tensor) are two operators */
static const ridge_operator *scatter_overload(const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    if (!strstr(op->name, ".value") || (!ridge_operator_tensor(op, values, "value") && !ridge_operator_tensor(op, values, "src")))
        return op;
    const ridge_operator *of_tensor = ridge_operator_find(op->in_place ? "aten.scatter_.src" : "aten.scatter.src", in);
    return of_tensor ? of_tensor : op;
}

ridge_status ridge_rule_scatter(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_py count;
    uint32_t axis;
    const ridge_py dim = ridge_operator_value(op, values, "dim");
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && ridge_operator_given(dim) && t->rank)
        st = ridge_tensor_axis(&axis, t, dim, in);
    if (!st)
        st = written(&count, op, values, in);
    if (st)
        return st;
    *out = values[0];
    ridge_tag tag = ridge_tag_scatter(t, ridge_operator_tensor(op, values, "index"), ridge_operator_given(dim) && t->rank ? axis : 0,
                                      ridge_operator_value(op, values, "value"));
    if (op->in_place)
        ridge_content_void(t);
    else
        st = ridge_operator_result(out, op, values, t->dims, t->rank, in);
    if (!st)
        out->u.tensor->tag = tag;
    const ridge_operator_size sizes[] = {{"s", count}};
    return st ? st : ridge_operator_ran(scatter_overload(op, values, in), values, *out, sizes, 1, in);
}

/* the places of input's elements among the boundaries */
ridge_status ridge_rule_searchsorted(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    const ridge_tensor *t = ridge_operator_tensor(op, values, "input");
    return like_input(out, op, values, t ? t->dims : NULL, t ? t->rank : 0, in);
}

ridge_status ridge_rule_multinomial(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_py dims[2];
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && (t->rank < 1 || t->rank > 2))
        st = ridge_py_raise(in, "RuntimeError", "prob_dist must be 1 or 2 dim");
    if (!st)
        st = ridge_size_of(&dims[t->rank - 1], ridge_operator_value(op, values, "num_samples"), in);
    if (!st && t->rank == 2)
        dims[0] = t->dims[0];
    return st ? st : like_input(out, op, values, dims, t->rank, in);
}

/* distances of every row of [..., p, d] to every row of [..., r, d] */
ridge_status ridge_rule_cdist(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    const ridge_tensor *a = ridge_operator_tensor(op, values, "x1"), *b = ridge_operator_tensor(op, values, "x2");
    ridge_py dims[RIDGE_TENSOR_RANK];
    if (!a || !b || a->rank < 2 || b->rank != a->rank || ridge_dims_differ(a->dims[a->rank - 1], b->dims[b->rank - 1]))
        return ridge_py_raise(in, "RuntimeError", "cdist: X1 and X2 do not fit");
    memcpy(dims, a->dims, a->rank * sizeof *dims);
    dims[a->rank - 1] = b->dims[b->rank - 2];
    const ridge_operator_size sizes[] = {{"d", a->dims[a->rank - 1]}};
    ridge_status st = ridge_operator_result(out, op, values, dims, a->rank, in);
    return st ? st : ridge_operator_ran(op, values, *out, sizes, 1, in);
}

/* ---- patches ---- */

/* input [N, C, ...] sampled at grid [N, ..., 2 or 3] */
ridge_status ridge_rule_grid_sample(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    const ridge_tensor *t = ridge_operator_tensor(op, values, "input"), *grid = ridge_operator_tensor(op, values, "grid");
    ridge_py dims[RIDGE_TENSOR_RANK];
    if (!t || !grid || t->rank != grid->rank || t->rank < 4)
        return ridge_py_raise(in, "RuntimeError", "grid_sampler(): expected input and grid of one rank");
    dims[0] = t->dims[0];
    dims[1] = t->dims[1];
    memcpy(dims + 2, grid->dims + 1, (t->rank - 2) * sizeof *dims);
    return like_input(out, op, values, dims, t->rank, in);
}

/* how many windows there are along a dimension: (size + 2*padding - dilation*(kernel - 1) - 1) // stride + 1 */
static ridge_status windows(ridge_py *out, ridge_py size, const ridge_operator *op, const ridge_py *values, size_t at, ridge_py_interp *in)
{
    static const char *const names[] = {"kernel_size", "dilation", "padding", "stride"};
    ridge_py w[4];
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; !st && i < 4; i++) {
        st = ridge_operator_item(&w[i], ridge_operator_value(op, values, names[i]), at, in);
        if (!st)
            st = ridge_size_of(&w[i], w[i], in);
    }
    ridge_py far;
    if (!st)
        st = ridge_size_sub(&far, w[0], ridge_py_int(1), in);
    if (!st)
        st = ridge_size_mul(&far, far, w[1], in);
    if (!st)
        st = ridge_size_add(out, w[2], w[2], in);
    if (!st)
        st = ridge_size_add(out, *out, size, in);
    if (!st)
        st = ridge_size_sub(out, *out, far, in);
    if (!st)
        st = ridge_size_sub(out, *out, ridge_py_int(1), in);
    if (!st)
        st = ridge_size_floordiv(out, *out, w[3], in);
    return st ? st : ridge_size_add(out, *out, ridge_py_int(1), in);
}

static ridge_status kernel_elements(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_py a, b;
    const ridge_py kernel = ridge_operator_value(op, values, "kernel_size");
    ridge_status st = ridge_operator_item(&a, kernel, 0, in);
    if (!st)
        st = ridge_operator_item(&b, kernel, 1, in);
    if (!st)
        st = ridge_size_of(&a, a, in);
    if (!st)
        st = ridge_size_of(&b, b, in);
    return st ? st : ridge_size_mul(out, a, b, in);
}

/* F.unfold: [N, C, H, W] to [N, C*kernel, windows] */
ridge_status ridge_rule_im2col(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_py dims[3], kernel, high, wide;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank != 4)
        st = ridge_py_raise(in, "RuntimeError", "Expected 4D input to unfold, got %s", ridge_shape_text(t, in));
    if (!st)
        st = kernel_elements(&kernel, op, values, in);
    if (!st)
        st = windows(&high, t->dims[2], op, values, 0, in);
    if (!st)
        st = windows(&wide, t->dims[3], op, values, 1, in);
    if (!st)
        st = ridge_size_mul(&dims[1], t->dims[1], kernel, in);
    if (!st)
        st = ridge_size_mul(&dims[2], high, wide, in);
    if (st)
        return st;
    dims[0] = t->dims[0];
    return like_input(out, op, values, dims, 3, in);
}

/* F.fold: [N, C*kernel, windows] to [N, C, *output_size] */
ridge_status ridge_rule_col2im(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_py dims[4], kernel;
    const ridge_py size = ridge_operator_value(op, values, "output_size");
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank != 3)
        st = ridge_py_raise(in, "RuntimeError", "Expected 3D input to fold, got %s", ridge_shape_text(t, in));
    if (!st)
        st = kernel_elements(&kernel, op, values, in);
    if (!st)
        st = ridge_size_floordiv(&dims[1], t->dims[1], kernel, in);
    for (uint32_t i = 0; !st && i < 2; i++) {
        st = ridge_operator_item(&dims[2 + i], size, i, in);
        if (!st)
            st = ridge_size_of(&dims[2 + i], dims[2 + i], in);
    }
    if (st)
        return st;
    dims[0] = t->dims[0];
    return like_input(out, op, values, dims, 4, in);
}

/* ---- spectra: dim is the last of the transformed dimensions ---- */

static ridge_status spectrum(ridge_py *out, const ridge_operator *op, const ridge_py *values, bool half, ridge_py_interp *in)
{
    ridge_tensor *t;
    uint32_t axis = 0;
    ridge_py dims[RIDGE_TENSOR_RANK], n;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st)
        st = ridge_tensor_axis(&axis, t, ridge_operator_value(op, values, "dim"), in);
    if (!st)
        st = ridge_size_of(&n, ridge_operator_value(op, values, "n"), in);
    if (st)
        return st;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    if (half)
        st = ridge_size_floordiv(&n, n, ridge_py_int(2), in);
    if (!st && half)
        st = ridge_size_add(&n, n, ridge_py_int(1), in);
    dims[axis] = n;
    return st ? st : like_input(out, op, values, dims, t->rank, in);
}

/* of n real numbers, n // 2 + 1 complex ones */
ridge_status ridge_rule_fft_half(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    return spectrum(out, op, values, true, in);
}

ridge_status ridge_rule_fft_real(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    return spectrum(out, op, values, false, in);
}

/* v scaled to the lengths in g; the lengths of v are kept for the backward pass */
ridge_status ridge_rule_weight_norm(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *v, *norm;
    const ridge_tensor *g = ridge_operator_tensor(op, values, "g");
    ridge_py all;
    ridge_status st = ridge_operator_input(&v, op, values, in);
    if (!st && !g)
        st = ridge_py_raise(in, "TypeError", "_weight_norm(): argument 'g' must be Tensor");
    if (!st)
        st = ridge_operator_result(out, op, values, v->dims, v->rank, in);
    if (!st)
        st = ridge_tensor_new(&norm, g->dtype, g->dims, g->rank, in);
    if (!st)
        st = ridge_py_new_list(&all, RIDGE_PY_T_TUPLE, 2, in);
    if (!st)
        st = ridge_py_append(all.u.list, *out, in);
    if (!st)
        st = ridge_py_append(all.u.list, ridge_py_tensor(norm), in);
    return st ? st : ridge_operator_ran(op, values, all, NULL, 0, in);
}
