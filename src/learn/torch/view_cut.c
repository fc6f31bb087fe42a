/* Views of a part of a dimension: select, slice, narrow, split, chunk, unbind. */
#include "learn/torch/content.h"
#include "learn/torch/hooks.h"
#include "learn/torch/methods.h"
#include "learn/torch/size.h"
#include "learn/torch/view.h"

static ridge_status give(ridge_py *out, ridge_tensor *t)
{
    *out = ridge_py_tensor(t);
    return RIDGE_OK;
}

ridge_status ridge_view_select(ridge_tensor **out, const ridge_tensor *of, uint32_t axis, ridge_py index, ridge_py_interp *in)
{
    ridge_py dims[RIDGE_TENSOR_RANK];
    int64_t strides[RIDGE_TENSOR_RANK];
    ridge_py size = of->dims[axis];
    ridge_status st;
    if (index.type == RIDGE_PY_T_INT && size.type == RIDGE_PY_T_INT && (index.u.i < -size.u.i || index.u.i >= size.u.i))
        return ridge_py_raise(in, "IndexError", "index %lld is out of bounds for dimension %u with size %lld", (long long)index.u.i, axis,
                              (long long)size.u.i);
    if (index.type == RIDGE_PY_T_INT && index.u.i < 0 && (st = ridge_size_add(&index, size, index, in)))
        return st;
    for (uint32_t i = 0, n = 0; i < of->rank; i++) {
        if (i == axis)
            continue;
        dims[n] = of->dims[i];
        strides[n++] = of->strides[i];
    }
    int64_t offset = index.type == RIDGE_PY_T_INT ? index.u.i * of->strides[axis] : 0;
    if ((st = ridge_view_strided(out, of, dims, strides, of->rank - 1, offset, in)))
        return st;
    return ridge_content_select(*out, of, axis, index, in);
}

/* Is v below 0? Where symbols leave it open, the answer is a condition. */
static ridge_status below_zero(bool *out, ridge_py v, ridge_py_interp *in)
{
    ridge_py answer;
    *out = v.type == RIDGE_PY_T_INT && v.u.i < 0;
    if (v.type != RIDGE_PY_T_INT || !v.by.sym)
        return RIDGE_OK;
    ridge_status st = ridge_py_binary(&answer, RIDGE_PY_OP_LT, v, ridge_py_int(0), in);
    return st ? st : ridge_py_truth(out, answer, in);
}

/* one end of a slice, between 0 and the size */
static ridge_status clamp(ridge_py *out, ridge_py bound, ridge_py otherwise, ridge_py size, ridge_py_interp *in)
{
    bool negative;
    ridge_status st;
    if (bound.type == RIDGE_PY_T_NONE) {
        *out = otherwise;
        return RIDGE_OK;
    }
    if ((st = ridge_size_of(out, bound, in)) || (st = below_zero(&negative, *out, in)))
        return st;
    if (negative)
        return (st = ridge_size_add(out, size, *out, in)) ? st : ridge_size_max(out, *out, ridge_py_int(0), in);
    return ridge_size_constant(*out) && out->u.i == 0 ? RIDGE_OK : ridge_size_min(out, *out, size, in);
}

static ridge_status cut(ridge_tensor **out, const ridge_tensor *of, uint32_t axis, ridge_py start, ridge_py length, ridge_py step,
                        ridge_py_interp *in)
{
    ridge_py dims[RIDGE_TENSOR_RANK];
    int64_t strides[RIDGE_TENSOR_RANK];
    memcpy(dims, of->dims, of->rank * sizeof *dims);
    memcpy(strides, of->strides, of->rank * sizeof *strides);
    dims[axis] = length;
    strides[axis] *= ridge_size_concrete(step);
    int64_t offset = start.type == RIDGE_PY_T_INT ? start.u.i * of->strides[axis] : 0;
    ridge_status st = ridge_view_strided(out, of, dims, strides, of->rank, offset, in);
    return st ? st : ridge_content_slice(*out, of, axis, start, step, in);
}

ridge_status ridge_view_slice(ridge_tensor **out, const ridge_tensor *of, uint32_t axis, ridge_py start, ridge_py stop, ridge_py step,
                              ridge_py_interp *in)
{
    ridge_py from, to, by, length, size = of->dims[axis];
    ridge_status st;
    by = ridge_py_int(1);
    if (step.type != RIDGE_PY_T_NONE && (st = ridge_size_of(&by, step, in)))
        return st;
    if (by.type == RIDGE_PY_T_INT && by.u.i <= 0)
        return ridge_py_raise(in, "ValueError", "step must be greater than zero");
    if ((st = clamp(&from, start, ridge_py_int(0), size, in)) || (st = clamp(&to, stop, size, size, in)) ||
        (st = ridge_size_sub(&length, to, from, in)) || (st = ridge_size_max(&length, length, ridge_py_int(0), in)))
        return st;
    if (!ridge_size_constant(by) || by.u.i != 1)
        if ((st = ridge_size_ceildiv(&length, length, by, in)))
            return st;
    return cut(out, of, axis, from, length, by, in);
}

ridge_status ridge_view_narrow(ridge_tensor **out, const ridge_tensor *of, uint32_t axis, ridge_py start, ridge_py length,
                               ridge_py_interp *in)
{
    ridge_status st;
    ridge_py size = of->dims[axis];
    bool known = start.type == RIDGE_PY_T_INT && length.type == RIDGE_PY_T_INT && size.type == RIDGE_PY_T_INT;
    if (start.type == RIDGE_PY_T_INT && start.u.i < 0 && (st = ridge_size_add(&start, size, start, in)))
        return st;
    if (known && (start.u.i < 0 || length.u.i < 0 || start.u.i > size.u.i || length.u.i > size.u.i - start.u.i))
        return ridge_py_raise(in, "RuntimeError", "start (%lld) + length (%lld) exceeds dimension size (%lld).", (long long)start.u.i,
                              (long long)length.u.i, (long long)size.u.i);
    return cut(out, of, axis, start, length, ridge_py_int(1), in);
}

ridge_status ridge_native_narrow(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    uint32_t axis;
    ridge_py start, length;
    ridge_tensor *t;
    ridge_status st = ridge_tensor_axis(&axis, v[0].u.tensor, v[1], in);
    if (st || (st = ridge_size_of(&start, v[2], in)) || (st = ridge_size_of(&length, v[3], in)) ||
        (st = ridge_view_narrow(&t, v[0].u.tensor, axis, start, length, in)))
        return st;
    return give(out, t);
}

ridge_status ridge_native_select(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    uint32_t axis;
    ridge_py index;
    ridge_tensor *t;
    ridge_status st = ridge_tensor_axis(&axis, v[0].u.tensor, v[1], in);
    if (st || (st = ridge_size_of(&index, v[2], in)) || (st = ridge_view_select(&t, v[0].u.tensor, axis, index, in)))
        return st;
    return give(out, t);
}

/* ---- into parts ---- */

static ridge_status add_part(ridge_py *out, const ridge_tensor *of, uint32_t axis, ridge_py *start, ridge_py length, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_status st = ridge_view_narrow(&t, of, axis, *start, length, in);
    if (st || (st = ridge_py_append(out->u.list, ridge_py_tensor(t), in)))
        return st;
    return ridge_size_add(start, *start, length, in);
}

/* `count` parts of `part` each, the last one what is left */
static ridge_status equal_parts(ridge_py *out, const ridge_tensor *of, uint32_t axis, ridge_py part, ridge_py_interp *in)
{
    ridge_py size = of->dims[axis], start = ridge_py_int(0), whole, length;
    int64_t count;
    bool even;
    ridge_status st;
    if (size.type != RIDGE_PY_T_INT || part.type != RIDGE_PY_T_INT) {
        *out = size.type != RIDGE_PY_T_INT ? size : part; /* how many parts there are depends on data */
        return RIDGE_OK;
    }
    if (part.u.i < 0 || (part.u.i == 0 && size.u.i != 0))
        return ridge_py_raise(in, "RuntimeError", "split expects split_size be non-negative, but got split_size=%lld", (long long)part.u.i);
    if ((st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, 4, in)))
        return st;
    count = part.u.i == 0 || size.u.i == 0 ? 1 : (size.u.i + part.u.i - 1) / part.u.i;
    even = part.u.i != 0 && size.u.i != 0 && size.u.i % part.u.i == 0;
    if ((st = ridge_size_mul(&whole, part, ridge_py_int(count), in)))
        return st;
    if (even && (st = ridge_size_equal(&even, size, whole, in)))
        return st;
    if (!even && (size.by.sym || part.by.sym) && part.u.i != 0) {
        ridge_py parts;
        if ((st = ridge_size_ceildiv(&parts, size, part, in)) || (st = ridge_py_concrete(&count, parts, in)))
            return st;
        count = count ? count : 1;
    }
    for (int64_t i = 0; i < count && !st; i++) {
        in->steps++;
        length = part;
        if (i == count - 1 && !even)
            st = ridge_size_sub(&length, size, start, in);
        st = st ? st : add_part(out, of, axis, &start, length, in);
    }
    return st;
}

static ridge_status given_parts(ridge_py *out, const ridge_tensor *of, uint32_t axis, const ridge_py_list *lengths, ridge_py_interp *in)
{
    ridge_py start = ridge_py_int(0), length;
    bool equal;
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, lengths->count, in);
    for (size_t i = 0; i < lengths->count && !st; i++)
        if (!(st = ridge_size_of(&length, lengths->items[i], in)))
            st = add_part(out, of, axis, &start, length, in);
    if (st || start.type != RIDGE_PY_T_INT || of->dims[axis].type != RIDGE_PY_T_INT)
        return st;
    st = ridge_size_equal(&equal, start, of->dims[axis], in);
    if (st || equal)
        return st;
    return ridge_py_raise(
        in, "RuntimeError",
        "split_with_sizes expects split_sizes to sum exactly to %lld (input tensor's size at dimension %u), but got split_sizes that "
        "sum to %lld",
        (long long)of->dims[axis].u.i, axis, (long long)start.u.i);
}

ridge_status ridge_native_split(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    uint32_t axis;
    ridge_py part, list = v[1];
    const ridge_tensor *of = v[0].u.tensor;
    ridge_status st = ridge_tensor_axis(&axis, of, v[2], in);
    if (st)
        return st;
    if (list.type == RIDGE_PY_T_INSTANCE && list.u.instance->base.type != RIDGE_PY_T_UNSET)
        list = list.u.instance->base;
    if (list.type == RIDGE_PY_T_TUPLE || list.type == RIDGE_PY_T_LIST)
        return given_parts(out, of, axis, list.u.list, in);
    st = ridge_size_of(&part, list, in);
    return st ? st : equal_parts(out, of, axis, part, in);
}

ridge_status ridge_native_chunk(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    uint32_t axis;
    ridge_py chunks, part;
    int64_t count;
    bool even = false;
    const ridge_tensor *of = v[0].u.tensor;
    ridge_status st = ridge_tensor_axis(&axis, of, v[2], in);
    if (st || (st = ridge_size_of(&chunks, v[1], in)) || (st = ridge_py_concrete(&count, chunks, in)))
        return st;
    if (count <= 0)
        return ridge_py_raise(in, "RuntimeError", "chunk expects `chunks` to be greater than 0, got: %lld", (long long)count);
    ridge_py size = of->dims[axis], whole;
    /* the number of chunks is what was asked for even where the size is not known: who calls unpacks them */
    if (size.type != RIDGE_PY_T_INT || size.u.i % count == 0) {
        if ((st = ridge_size_floordiv(&part, size, ridge_py_int(count), in)) ||
            (st = ridge_size_mul(&whole, part, ridge_py_int(count), in)) ||
            (size.type == RIDGE_PY_T_INT && (st = ridge_size_equal(&even, whole, size, in))))
            return st;
        even = even || size.type != RIDGE_PY_T_INT;
    }
    if (!even || ridge_size_is(size, 0))
        return (st = ridge_size_ceildiv(&part, size, ridge_py_int(count), in)) ? st : equal_parts(out, of, axis, part, in);
    ridge_py start = ridge_py_int(0);
    st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, (size_t)count, in);
    for (int64_t i = 0; i < count && !st; i++)
        st = add_part(out, of, axis, &start, part, in);
    return st;
}

/* n parts, the first size % n of them one longer; or cut at these places */
ridge_status ridge_native_tensor_split(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    uint32_t axis;
    int64_t count, size;
    ridge_py from = ridge_py_none(), places = v[1];
    const ridge_tensor *of = v[0].u.tensor;
    ridge_tensor *t;
    ridge_status st = ridge_tensor_axis(&axis, of, v[2], in);
    if (st || (st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, 4, in)))
        return st;
    if (places.type == RIDGE_PY_T_TENSOR && places.u.tensor->rank == 1 &&
        (st = ridge_py_call_method(&places, places, "tolist", NULL, 0, in)))
        return st;
    if (places.type == RIDGE_PY_T_TUPLE || places.type == RIDGE_PY_T_LIST) {
        for (size_t i = 0; i <= places.u.list->count; i++) {
            ridge_py to = i < places.u.list->count ? places.u.list->items[i] : ridge_py_none();
            if ((st = ridge_view_slice(&t, of, axis, from, to, ridge_py_none(), in)) ||
                (st = ridge_py_append(out->u.list, ridge_py_tensor(t), in)))
                return st;
            from = to;
        }
        return RIDGE_OK;
    }
    if ((st = ridge_size_of(&places, places, in)) || (st = ridge_py_concrete(&count, places, in)) ||
        (st = ridge_py_concrete(&size, of->dims[axis], in)))
        return st;
    if (count <= 0)
        return ridge_py_raise(in, "RuntimeError", "number of sections must be larger than 0, got %lld", (long long)count);
    from = ridge_py_int(0);
    for (int64_t i = 0; i < count && !st; i++)
        st = add_part(out, of, axis, &from, ridge_py_int(size / count + (i < size % count)), in);
    return st;
}

static ridge_status unbind(ridge_py *out, ridge_py_type type, const ridge_tensor *of, uint32_t axis, ridge_py_interp *in)
{
    int64_t count;
    ridge_tensor *t;
    if (of->dims[axis].type == RIDGE_PY_T_UNKNOWN) {
        *out = of->dims[axis];
        return RIDGE_OK;
    }
    ridge_status st = ridge_py_concrete(&count, of->dims[axis], in);
    if (st || (st = ridge_py_new_list(out, type, (size_t)(count < 1024 ? count : 1024), in)))
        return st;
    for (int64_t i = 0; i < count && !st; i++) {
        if (++in->steps > in->limits.steps)
            return ridge_fail(in->err, RIDGE_LIMIT, "more than %llu steps", (unsigned long long)in->limits.steps);
        if (!(st = ridge_view_select(&t, of, axis, ridge_py_int(i), in)))
            st = ridge_py_append(out->u.list, ridge_py_tensor(t), in);
    }
    return st;
}

ridge_status ridge_native_unbind(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    uint32_t axis;
    const ridge_tensor *of = v[0].u.tensor;
    ridge_status st = ridge_tensor_axis(&axis, of, v[1], in);
    if (st)
        return st;
    if (of->rank == 0)
        return ridge_py_raise(in, "RuntimeError", "Dimension specified as 0 but tensor has no dimensions");
    return unbind(out, RIDGE_PY_T_TUPLE, of, axis, in);
}

ridge_status ridge_tensor_iterate(ridge_py *out, ridge_py tensor, ridge_py_interp *in)
{
    if (tensor.u.tensor->rank == 0)
        return ridge_py_raise(in, "TypeError", "iteration over a 0-d tensor");
    return unbind(out, RIDGE_PY_T_LIST, tensor.u.tensor, 0, in);
}
