/* Views that move, add, drop, broadcast or cut dimensions. */
#include "learn/torch/content.h"
#include "learn/torch/methods.h"
#include "learn/torch/size.h"
#include "learn/torch/view.h"

static ridge_status give(ridge_py *out, ridge_tensor *t)
{
    *out = ridge_py_tensor(t);
    return RIDGE_OK;
}

/* ---- order ---- */

ridge_status ridge_view_permute(ridge_tensor **out, const ridge_tensor *of, const uint32_t *order, ridge_py_interp *in)
{
    ridge_py dims[RIDGE_TENSOR_RANK];
    int64_t strides[RIDGE_TENSOR_RANK];
    for (uint32_t i = 0; i < of->rank; i++) {
        dims[i] = of->dims[order[i]];
        strides[i] = of->strides[order[i]];
    }
    ridge_status st = ridge_view_strided(out, of, dims, strides, of->rank, 0, in);
    if (!st)
        ridge_content_permute(*out, of, order);
    return st;
}

static ridge_status swap(ridge_py *out, const ridge_tensor *of, uint32_t a, uint32_t b, ridge_py_interp *in)
{
    uint32_t order[RIDGE_TENSOR_RANK];
    ridge_tensor *t;
    for (uint32_t i = 0; i < of->rank; i++)
        order[i] = i == a ? b : i == b ? a : i;
    ridge_status st = ridge_view_permute(&t, of, order, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_transpose(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    uint32_t a, b;
    ridge_status st = ridge_tensor_axis(&a, v[0].u.tensor, v[1], in);
    if (st || (st = ridge_tensor_axis(&b, v[0].u.tensor, v[2], in)))
        return st;
    return swap(out, v[0].u.tensor, a, b, in);
}

ridge_status ridge_native_t(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    const ridge_tensor *t = v[0].u.tensor;
    if (t->rank > 2)
        return ridge_py_raise(in, "RuntimeError", "t() expects a tensor with <= 2 dimensions, but self is %uD", t->rank);
    return swap(out, t, 0, t->rank == 2, in);
}

ridge_status ridge_native_reversed(ridge_py *out, const ridge_py *v, ridge_py_interp *in) /* .T */
{
    uint32_t order[RIDGE_TENSOR_RANK];
    ridge_tensor *t;
    const ridge_tensor *of = v[0].u.tensor;
    for (uint32_t i = 0; i < of->rank; i++)
        order[i] = of->rank - 1 - i;
    ridge_status st = ridge_view_permute(&t, of, order, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_matrix_transpose(ridge_py *out, const ridge_py *v, ridge_py_interp *in) /* .mT, .mH, adjoint() */
{
    const ridge_tensor *of = v[0].u.tensor;
    if (of->rank < 2)
        return ridge_py_raise(in, "RuntimeError", "tensor.mT is only supported on matrices or batches of matrices. Got %u-D tensor.",
                              of->rank);
    return swap(out, of, of->rank - 2, of->rank - 1, in);
}

ridge_status ridge_native_permute(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py axes[RIDGE_TENSOR_RANK];
    uint32_t order[RIDGE_TENSOR_RANK], count, seen = 0;
    const ridge_tensor *of = v[0].u.tensor;
    ridge_tensor *t;
    ridge_status st = ridge_sizes_of(axes, &count, v[1], in);
    if (st)
        return st;
    if (count != of->rank)
        return ridge_py_raise(
            in, "RuntimeError",
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of "
            "dimensions i.e. input.dim() = %u is not equal to len(dims) = %u",
            of->rank, count);
    for (uint32_t i = 0; i < count; i++) {
        if ((st = ridge_tensor_axis(&order[i], of, axes[i], in)))
            return st;
        if (seen >> order[i] & 1)
            return ridge_py_raise(in, "RuntimeError", "permute(): duplicate dims are not allowed.");
        seen |= 1u << order[i];
    }
    st = ridge_view_permute(&t, of, order, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_movedim(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py from[RIDGE_TENSOR_RANK], to[RIDGE_TENSOR_RANK];
    uint32_t order[RIDGE_TENSOR_RANK], froms, tos, source, target, used = 0, placed = 0, next = 0;
    const ridge_tensor *of = v[0].u.tensor;
    ridge_tensor *t;
    ridge_status st = ridge_sizes_of(from, &froms, v[1], in);
    if (st || (st = ridge_sizes_of(to, &tos, v[2], in)))
        return st;
    if (froms != tos)
        return ridge_py_raise(in, "RuntimeError", "movedim: Invalid source or destination dims: source (%u dims) and destination (%u dims)",
                              froms, tos);
    for (uint32_t i = 0; i < froms; i++) {
        if ((st = ridge_tensor_axis(&source, of, from[i], in)) || (st = ridge_tensor_axis(&target, of, to[i], in)))
            return st;
        order[target] = source;
        used |= 1u << source;
        placed |= 1u << target;
    }
    for (uint32_t i = 0; i < of->rank; i++) {
        if (placed >> i & 1)
            continue;
        while (used >> next & 1)
            next++;
        order[i] = next++;
    }
    st = ridge_view_permute(&t, of, order, in);
    return st ? st : give(out, t);
}

/* ---- dimensions of size 1 ---- */

ridge_status ridge_view_unsqueeze(ridge_tensor **out, const ridge_tensor *of, uint32_t axis, ridge_py_interp *in)
{
    ridge_py dims[RIDGE_TENSOR_RANK + 1];
    int64_t strides[RIDGE_TENSOR_RANK + 1];
    for (uint32_t i = 0, k = 0; i <= of->rank; i++) {
        dims[i] = i == axis ? ridge_py_int(1) : of->dims[k];
        strides[i] = i == axis ? (k < of->rank ? of->strides[k] * ridge_size_concrete(of->dims[k]) : 1) : of->strides[k];
        k += i != axis;
    }
    ridge_status st = ridge_view_strided(out, of, dims, strides, of->rank + 1, 0, in);
    return st ? st : ridge_content_copy(*out, of, in);
}

ridge_status ridge_native_unsqueeze(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    const ridge_tensor *of = v[0].u.tensor;
    ridge_tensor grown = {.rank = of->rank + 1}, *t;
    uint32_t axis;
    if (of->rank >= RIDGE_TENSOR_RANK)
        return ridge_fail(in->err, RIDGE_LIMIT, "a tensor of more than %d dimensions", RIDGE_TENSOR_RANK);
    ridge_status st = ridge_tensor_axis(&axis, &grown, v[1], in);
    if (st || (st = ridge_view_unsqueeze(&t, of, axis, in)))
        return st;
    return give(out, t);
}

static ridge_status drop(ridge_py *out, const ridge_tensor *of, uint32_t axes, ridge_py_interp *in)
{
    ridge_py dims[RIDGE_TENSOR_RANK];
    int64_t strides[RIDGE_TENSOR_RANK];
    uint32_t n = 0;
    ridge_tensor *t;
    for (uint32_t i = 0; i < of->rank; i++) {
        bool one = false;
        ridge_status st = axes >> i & 1 ? ridge_size_equal(&one, of->dims[i], ridge_py_int(1), in) : RIDGE_OK;
        if (st)
            return st;
        if (one)
            continue;
        dims[n] = of->dims[i];
        strides[n++] = of->strides[i];
    }
    ridge_status st = ridge_view_strided(&t, of, dims, strides, n, 0, in);
    if (st || (st = ridge_content_copy(t, of, in)))
        return st;
    return give(out, t);
}

ridge_status ridge_native_squeeze(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py list[RIDGE_TENSOR_RANK];
    uint32_t count, axis, axes = 0;
    ridge_status st;
    if (v[1].type == RIDGE_PY_T_NONE)
        return drop(out, v[0].u.tensor, UINT32_MAX, in);
    if ((st = ridge_sizes_of(list, &count, v[1], in)))
        return st;
    for (uint32_t i = 0; i < count; i++) {
        if ((st = ridge_tensor_axis(&axis, v[0].u.tensor, list[i], in)))
            return st;
        axes |= 1u << axis;
    }
    return drop(out, v[0].u.tensor, axes, in);
}

/* ---- broadcasting ---- */

ridge_status ridge_view_expand(ridge_tensor **out, const ridge_tensor *of, const ridge_py *sizes, uint32_t rank, ridge_py_interp *in)
{
    ridge_py dims[RIDGE_TENSOR_RANK];
    int64_t strides[RIDGE_TENSOR_RANK];
    if (rank < of->rank)
        return ridge_py_raise(
            in, "RuntimeError",
            "expand: the number of sizes provided (%u) must be greater or equal to the number of dimensions in the tensor (%u)", rank,
            of->rank);
    uint32_t added = rank - of->rank;
    for (uint32_t i = 0; i < rank; i++) {
        bool keeps = ridge_size_is(sizes[i], -1), equal;
        dims[i] = sizes[i];
        strides[i] = 0;
        if (i < added) {
            if (keeps)
                return ridge_py_raise(in, "RuntimeError",
                                      "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension %u", i);
            continue;
        }
        ridge_py have = of->dims[i - added];
        strides[i] = of->strides[i - added];
        if (keeps || ridge_size_same(have, sizes[i], in)) {
            dims[i] = have;
            continue;
        }
        if (have.type != RIDGE_PY_T_INT || sizes[i].type != RIDGE_PY_T_INT)
            continue;
        ridge_status st = ridge_size_constant(have) && have.u.i == 1 ? RIDGE_OK : ridge_size_equal(&equal, have, sizes[i], in);
        if (st)
            return st;
        if (have.u.i != 1 && have.u.i != sizes[i].u.i)
            return ridge_py_raise(
                in, "RuntimeError",
                "The expanded size of the tensor (%lld) must match the existing size (%lld) at non-singleton dimension %u",
                (long long)sizes[i].u.i, (long long)have.u.i, i);
        if (have.u.i == 1 && sizes[i].u.i != 1)
            strides[i] = 0;
    }
    ridge_status st = ridge_view_strided(out, of, dims, strides, rank, 0, in);
    if (!st)
        ridge_content_expand(*out, of);
    return st;
}

ridge_status ridge_native_expand(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK];
    uint32_t rank;
    ridge_tensor *t;
    ridge_status st = ridge_sizes_of(sizes, &rank, v[1], in);
    if (st || (st = ridge_view_expand(&t, v[0].u.tensor, sizes, rank, in)))
        return st;
    return give(out, t);
}

ridge_status ridge_native_expand_as(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *t;
    if (v[1].type != RIDGE_PY_T_TENSOR)
        return ridge_py_raise(in, "TypeError", "argument 'other' must be Tensor, not %s", ridge_py_type_text(v[1]));
    ridge_status st = ridge_view_expand(&t, v[0].u.tensor, v[1].u.tensor->dims, v[1].u.tensor->rank, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_broadcast_tensors(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py dims[RIDGE_TENSOR_RANK];
    const ridge_tensor *tensors[64];
    ridge_tensor *t;
    uint32_t rank;
    const ridge_py_list *list = v[0].u.list;
    if (list->count == 1 && (list->items[0].type == RIDGE_PY_T_TUPLE || list->items[0].type == RIDGE_PY_T_LIST))
        list = list->items[0].u.list;
    if (list->count > 64)
        return ridge_fail(in->err, RIDGE_LIMIT, "broadcast_tensors of more than 64 tensors");
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].type != RIDGE_PY_T_TENSOR)
            return ridge_py_raise(in, "TypeError", "expected Tensor, not %s", ridge_py_type_text(list->items[i]));
        tensors[i] = list->items[i].u.tensor;
    }
    ridge_status st = ridge_tensor_broadcast(dims, &rank, tensors, list->count, in);
    if (st || (st = ridge_py_new_list(out, RIDGE_PY_T_LIST, list->count, in)))
        return st;
    for (size_t i = 0; i < list->count && !st; i++)
        if (!(st = ridge_view_expand(&t, tensors[i], dims, rank, in)))
            st = ridge_py_append(out->u.list, ridge_py_tensor(t), in);
    return st;
}

/* ---- other strides ---- */

ridge_status ridge_native_diagonal(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    const ridge_tensor *of = v[0].u.tensor;
    ridge_py dims[RIDGE_TENSOR_RANK], a, b, offset;
    int64_t strides[RIDGE_TENSOR_RANK], shift;
    uint32_t first, second, n = 0;
    ridge_tensor *t;
    ridge_status st = ridge_size_of(&offset, v[1], in);
    if (st || (st = ridge_tensor_axis(&first, of, v[2], in)) || (st = ridge_tensor_axis(&second, of, v[3], in)) ||
        (st = ridge_py_concrete(&shift, offset, in)))
        return st;
    if (first == second)
        return ridge_py_raise(in, "RuntimeError", "diagonal dimensions cannot be identical %u, %u", first, second);
    a = of->dims[first];
    b = of->dims[second];
    st = shift < 0 ? ridge_size_add(&a, a, ridge_py_int(shift), in) : ridge_size_sub(&b, b, ridge_py_int(shift), in);
    if (st || (st = ridge_size_min(&a, a, b, in)) || (st = ridge_size_max(&a, a, ridge_py_int(0), in)))
        return st;
    for (uint32_t i = 0; i < of->rank; i++) {
        if (i == first || i == second)
            continue;
        dims[n] = of->dims[i];
        strides[n++] = of->strides[i];
    }
    dims[n] = a;
    strides[n++] = of->strides[first] + of->strides[second];
    int64_t start = shift < 0 ? -shift * of->strides[first] : shift * of->strides[second];
    st = ridge_view_strided(&t, of, dims, strides, n, start, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_unfold(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    const ridge_tensor *of = v[0].u.tensor;
    ridge_py dims[RIDGE_TENSOR_RANK + 1], size, step, count;
    int64_t strides[RIDGE_TENSOR_RANK + 1];
    uint32_t axis;
    ridge_tensor *t;
    ridge_status st = ridge_tensor_axis(&axis, of, v[1], in);
    if (st || (st = ridge_size_of(&size, v[2], in)) || (st = ridge_size_of(&step, v[3], in)))
        return st;
    if (of->rank && size.type == RIDGE_PY_T_INT && of->dims[axis].type == RIDGE_PY_T_INT && size.u.i > of->dims[axis].u.i)
        return ridge_py_raise(in, "RuntimeError", "maximum size for tensor at dimension %u is %lld but size is %lld", axis,
                              (long long)of->dims[axis].u.i, (long long)size.u.i);
    for (uint32_t i = 0; i < of->rank; i++) {
        dims[i] = of->dims[i];
        strides[i] = of->strides[i];
    }
    if (of->rank) {
        if ((st = ridge_size_sub(&count, of->dims[axis], size, in)) || (st = ridge_size_floordiv(&count, count, step, in)) ||
            (st = ridge_size_add(&dims[axis], count, ridge_py_int(1), in)))
            return st;
        strides[axis] = of->strides[axis] * ridge_size_concrete(step);
    }
    dims[of->rank] = size;
    strides[of->rank] = of->rank ? of->strides[axis] : 1;
    st = ridge_view_strided(&t, of, dims, strides, of->rank + 1, 0, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_as_strided(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK], steps[RIDGE_TENSOR_RANK], offset;
    int64_t strides[RIDGE_TENSOR_RANK];
    uint32_t rank, count;
    ridge_tensor *t;
    ridge_status st = ridge_sizes_of(sizes, &rank, v[1], in);
    if (st || (st = ridge_sizes_of(steps, &count, v[2], in)))
        return st;
    if (rank != count)
        return ridge_py_raise(in, "RuntimeError", "mismatch in length of strides and shape");
    for (uint32_t i = 0; i < rank; i++)
        strides[i] = ridge_size_concrete(steps[i]);
    if ((st = ridge_view_strided(&t, v[0].u.tensor, sizes, strides, rank, 0, in)))
        return st;
    if (v[3].type != RIDGE_PY_T_NONE) {
        if ((st = ridge_size_of(&offset, v[3], in)))
            return st;
        t->offset = ridge_size_concrete(offset);
    }
    return give(out, t);
}

static ridge_status complex_view(ridge_py *out, const ridge_tensor *of, bool to_complex, ridge_py_interp *in)
{
    ridge_py dims[RIDGE_TENSOR_RANK + 1];
    uint32_t rank = to_complex ? of->rank - 1 : of->rank + 1;
    ridge_tensor *t;
    if (to_complex && (of->rank == 0 || !ridge_size_is(of->dims[of->rank - 1], 2)))
        return ridge_py_raise(in, "RuntimeError", "Tensor must have a last dimension of size 2");
    if (!to_complex && of->dtype != RIDGE_DTYPE_C64 && of->dtype != RIDGE_DTYPE_C128)
        return ridge_py_raise(in, "RuntimeError", "view_as_real is only supported for complex tensors");
    for (uint32_t i = 0; i < of->rank; i++)
        dims[i] = of->dims[i];
    dims[of->rank] = ridge_py_int(2);
    ridge_status st = ridge_tensor_view(&t, of, dims, rank, in);
    if (st)
        return st;
    for (uint32_t i = 0; i < rank; i++)
        t->strides[i] = to_complex ? of->strides[i] / 2 : i < of->rank ? of->strides[i] * 2 : 1;
    ridge_tensor_lay(t);
    bool wide = of->dtype == RIDGE_DTYPE_F64 || of->dtype == RIDGE_DTYPE_C128;
    if (to_complex)
        t->dtype = wide ? RIDGE_DTYPE_C128 : RIDGE_DTYPE_C64;
    else
        t->dtype = wide ? RIDGE_DTYPE_F64 : RIDGE_DTYPE_F32;
    return give(out, t);
}

ridge_status ridge_native_view_as_complex(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return complex_view(out, v[0].u.tensor, true, in);
}

ridge_status ridge_native_view_as_real(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return complex_view(out, v[0].u.tensor, false, in);
}

/* ---- in place: the tensor itself becomes the view ---- */

static ridge_status become(ridge_py *out, ridge_py self, ridge_status st, ridge_py view)
{
    if (st)
        return st;
    ridge_tensor *t = self.u.tensor, *seen = view.u.tensor;
    memcpy(t->dims, seen->dims, seen->rank * sizeof *t->dims); /* one more at most: there is room */
    memcpy(t->strides, seen->strides, sizeof t->strides);
    t->rank = seen->rank;
    if (t->storage->owner == t) /* its values in order are no longer what they were */
        ridge_content_void(t);
    ridge_tensor_lay(t);
    *out = self;
    return RIDGE_OK;
}

ridge_status ridge_native_transpose_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py view = v[0];
    return become(out, v[0], ridge_native_transpose(&view, v, in), view);
}

ridge_status ridge_native_unsqueeze_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py view = v[0];
    return become(out, v[0], ridge_native_unsqueeze(&view, v, in), view);
}

ridge_status ridge_native_squeeze_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py view = v[0];
    return become(out, v[0], ridge_native_squeeze(&view, v, in), view);
}
