/* Views that keep the order of elements: view, reshape, flatten, squeeze; and copies that make such views possible. */
#include "learn/torch/view.h"

#include <stdio.h>

#include "learn/torch/content.h"
#include "learn/torch/methods.h"
#include "learn/torch/operator.h"
#include "learn/torch/size.h"

ridge_status ridge_view_strided(ridge_tensor **out, const ridge_tensor *of, const ridge_py *dims, const int64_t *strides, uint32_t rank,
                                int64_t offset, ridge_py_interp *in)
{
    ridge_status st = ridge_tensor_view(out, of, dims, rank, in);
    if (st)
        return st;
    memcpy((*out)->strides, strides, rank * sizeof *strides);
    (*out)->offset = of->offset + offset;
    ridge_tensor_lay(*out);
    return RIDGE_OK;
}

/* ---- copies ---- */

ridge_status ridge_tensor_ran(const char *operator, const ridge_tensor * const * inputs, size_t input_count, ridge_tensor *result,
                              ridge_py_interp *in)
{
    ridge_py operands[8], output = ridge_py_tensor(result);
    const ridge_operator *op = ridge_operator_find(operator, in);
    if (!op)
        return RIDGE_OK;
    for (size_t i = 0; i < input_count && i < 8; i++)
        operands[i] = ridge_py_tensor((ridge_tensor *)(uintptr_t)inputs[i]);
    return ridge_operator_record(op, operands, input_count < 8 ? input_count : 8, &output, 1, NULL, 0, in);
}

/* the stride of dimension d of a result of `rank` in an operand that broadcasts to it */
static int64_t stride_in(const ridge_tensor *of, uint32_t rank, uint32_t d, const ridge_tensor *result)
{
    if (d + of->rank < rank)
        return 0;
    uint32_t own = d + of->rank - rank;
    bool broadcast = ridge_size_is(of->dims[own], 1) && !ridge_size_is(result->dims[d], 1);
    return broadcast ? 0 : of->strides[own];
}

/* ATen's TensorIterator: dimension a belongs further in than b: > 0 (a swap), further out: < 0, cannot tell: 0; the first operand that can
 * tell does */
static int outer(const ridge_tensor *t, const ridge_tensor *const *operands, size_t count, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < count; i++) {
        int64_t x = stride_in(operands[i], t->rank, a, t), y = stride_in(operands[i], t->rank, b, t);
        if (x == 0 || y == 0)
            continue;
        if (x != y)
            return x < y ? -1 : 1;
        if (ridge_size_concrete(t->dims[a]) > ridge_size_concrete(t->dims[b]))
            return 1;
    }
    return 0;
}

/* dimensions sorted by stride, innermost first, by insertion so that ambiguous ones stay */
static void sort_dimensions(uint32_t *order, const ridge_tensor *t, const ridge_tensor *const *operands, size_t count)
{
    for (uint32_t i = 0; i < t->rank; i++)
        order[i] = t->rank - 1 - i;
    for (uint32_t i = 1; i < t->rank; i++) {
        uint32_t at = i;
        for (uint32_t k = i; k-- > 0;) {
            int c = outer(t, operands, count, order[k], order[at]);
            if (c < 0)
                break;
            if (c == 0)
                continue;
            uint32_t other = order[k];
            order[k] = order[at];
            order[at] = other;
            at = k;
        }
    }
}

void ridge_tensor_lay_elementwise(ridge_tensor *t, const ridge_tensor *const *operands, size_t count)
{
    uint32_t order[RIDGE_TENSOR_RANK];
    int64_t stride = 1;
    bool contiguous = true;
    for (size_t i = 0; i < count; i++)
        contiguous = contiguous && operands[i]->contiguous;
    if (contiguous || t->rank < 2) { /* the usual case; broadcast ones, too, come out in order */
        ridge_tensor_lay_contiguous(t);
        return;
    }
    sort_dimensions(order, t, operands, count);
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t size = ridge_size_concrete(t->dims[order[i]]);
        t->strides[order[i]] = stride;
        if (size > 1 && __builtin_mul_overflow(stride, size, &stride))
            stride = INT64_MAX;
    }
    ridge_tensor_lay(t);
}

void ridge_tensor_lay_like(ridge_tensor *t, const ridge_tensor *of)
{
    if (of->rank == t->rank)
        ridge_tensor_lay_elementwise(t, &of, 1);
    else
        ridge_tensor_lay_contiguous(t);
}

ridge_status ridge_tensor_clone(ridge_tensor **out, ridge_tensor *of, bool contiguous, ridge_py_interp *in)
{
    ridge_status st = ridge_tensor_new(out, of->dtype, of->dims, of->rank, in);
    if (st)
        return st;
    if (!contiguous)
        ridge_tensor_lay_like(*out, of);
    (*out)->requires_grad = of->requires_grad;
    if ((st = ridge_content_copy(*out, of, in)))
        return st;
    return ridge_tensor_ran("aten.clone.default", (const ridge_tensor *const[]){of}, 1, *out, in);
}

/* ---- reshape ---- */

/* ATen's computeStride: false where no strides make a view of this shape */
static bool view_strides(int64_t *strides, const ridge_tensor *of, const ridge_py *sizes, uint32_t rank)
{
    int64_t chunk = of->rank ? of->strides[of->rank - 1] : 1, have = 1, want = 1;
    uint32_t d = rank; /* dimensions of the view that are still without stride */
    for (uint32_t i = of->rank; i-- > 0;) {
        have *= ridge_size_concrete(of->dims[i]);
        if (i > 0 && (ridge_size_is(of->dims[i - 1], 1) || of->strides[i - 1] == have * chunk))
            continue;
        while (d > 0 && (want < have || ridge_size_is(sizes[d - 1], 1))) {
            strides[d - 1] = want * chunk;
            want *= ridge_size_concrete(sizes[--d]);
        }
        if (want != have)
            return false;
        if (i > 0) {
            chunk = of->strides[i - 1];
            have = want = 1;
        }
    }
    while (of->rank == 0 && d > 0)
        strides[--d] = 1;
    return d == 0;
}

static bool any_unknown(const ridge_py *sizes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (sizes[i].type != RIDGE_PY_T_INT)
            return true;
    return false;
}

/* what is left of two products when equal factors are taken out of both */
typedef struct remainder {
    ridge_py left[RIDGE_TENSOR_RANK], right[RIDGE_TENSOR_RANK];
    uint32_t left_count, right_count;
} remainder;

static void cancel(remainder *r, const ridge_tensor *of, const ridge_py *sizes, uint32_t rank, uint32_t solved, ridge_py_interp *in)
{
    bool taken[RIDGE_TENSOR_RANK] = {false};
    r->left_count = r->right_count = 0;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t k = 0;
        if (i == solved)
            continue;
        while (k < of->rank && (taken[k] || ridge_size_is(sizes[i], 0) || !ridge_size_same(of->dims[k], sizes[i], in)))
            k++;
        if (k < of->rank)
            taken[k] = true;
        else
            r->right[r->right_count++] = sizes[i];
    }
    for (uint32_t k = 0; k < of->rank; k++)
        if (!taken[k])
            r->left[r->left_count++] = of->dims[k];
}

static ridge_status shape_error(const ridge_tensor *of, const ridge_py *sizes, uint32_t rank, ridge_py_interp *in)
{
    char text[512];
    size_t n = 0;
    for (uint32_t i = 0; i < rank && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld", i ? ", " : "", (long long)ridge_size_concrete(sizes[i]));
    text[sizeof text - 1] = 0;
    int64_t count = 1;
    for (uint32_t i = 0; i < of->rank; i++)
        count *= ridge_size_concrete(of->dims[i]);
    return ridge_py_raise(in, "RuntimeError", "shape '[%s]' is invalid for input of size %lld", rank ? text : "", (long long)count);
}

/* A size that nobody knows is on both sides: one may be a product of the other, so that what is left proves nothing. */
static const ridge_py *unknown_of(const ridge_py *sizes, uint32_t rank, const ridge_tensor *of)
{
    for (uint32_t k = 0; k < of->rank; k++)
        for (uint32_t i = 0; i < rank; i++)
            if (of->dims[k].type == RIDGE_PY_T_UNKNOWN && sizes[i].type == RIDGE_PY_T_UNKNOWN)
                return &of->dims[k];
    return NULL;
}

/* Sets the size that is -1, and checks that the shape holds as many elements. */
static ridge_status solve(ridge_py *sizes, uint32_t rank, const ridge_tensor *of, ridge_py_interp *in)
{
    uint32_t solved = UINT32_MAX;
    remainder r;
    ridge_py left, right;
    ridge_status st;
    bool equal;
    for (uint32_t i = 0; i < rank; i++)
        if (ridge_size_is(sizes[i], -1)) {
            if (solved != UINT32_MAX)
                return ridge_py_raise(in, "RuntimeError", "only one dimension can be inferred");
            solved = i;
        } else if (sizes[i].type == RIDGE_PY_T_INT && sizes[i].u.i < 0) {
            return ridge_py_raise(in, "RuntimeError", "invalid shape dimension %lld", (long long)sizes[i].u.i);
        }
    const ridge_py *unknown = unknown_of(sizes, rank, of);
    cancel(&r, of, sizes, rank, solved, in);
    if ((st = ridge_size_product(&left, r.left, r.left_count, in)) || (st = ridge_size_product(&right, r.right, r.right_count, in)))
        return st;
    if (solved == UINT32_MAX) {
        if (left.type != RIDGE_PY_T_INT || right.type != RIDGE_PY_T_INT) /* a size from data is what makes it fit */
            return RIDGE_OK;
        st = ridge_size_equal(&equal, left, right, in);
        return st ? st : equal || unknown ? RIDGE_OK : shape_error(of, sizes, rank, in);
    }
    if (left.type == RIDGE_PY_T_INT && right.type == RIDGE_PY_T_INT && (right.u.i == 0 || left.u.i % right.u.i != 0)) {
        if (unknown) {
            sizes[solved] = *unknown;
            return RIDGE_OK;
        }
        if (right.u.i == 0 && left.u.i == 0)
            return ridge_py_raise(in, "RuntimeError",
                                  "cannot reshape tensor of 0 elements: the unspecified dimension size -1 can be any value");
        return shape_error(of, sizes, rank, in);
    }
    return ridge_size_floordiv(&sizes[solved], left, right, in);
}

static bool no_elements(const ridge_tensor *t)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (ridge_size_is(t->dims[i], 0))
            return true;
    return false;
}

ridge_status ridge_view_reshape(ridge_tensor **out, ridge_tensor *of, const ridge_py *wanted, uint32_t rank, bool copy_allowed,
                                ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK];
    int64_t strides[RIDGE_TENSOR_RANK];
    ridge_status st;
    for (uint32_t i = 0; i < rank; i++)
        sizes[i] = wanted[i];
    if ((st = solve(sizes, rank, of, in)))
        return st;
    bool unknown = any_unknown(sizes, rank) || any_unknown(of->dims, of->rank), strided = !of->contiguous && !no_elements(of) && !unknown;
    if (strided && !view_strides(strides, of, sizes, rank)) {
        if (!copy_allowed)
            return ridge_py_raise(
                in, "RuntimeError",
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
                "contiguous subspaces). Use .reshape(...) instead.");
        strided = false;
        if ((st = ridge_tensor_clone(&of, of, true, in)))
            return st;
    } else if (!strided && unknown && !of->contiguous && copy_allowed) {
        if ((st = ridge_tensor_clone(&of, of, true, in)))
            return st;
    }
    if (!strided)
        st = ridge_tensor_view(out, of, sizes, rank, in);
    else
        st = ridge_view_strided(out, of, sizes, strides, rank, 0, in);
    return st ? st : ridge_content_copy(*out, of, in);
}

ridge_status ridge_view_all(ridge_tensor **out, const ridge_tensor *of, ridge_py_interp *in)
{
    ridge_status st = ridge_view_strided(out, of, of->dims, of->strides, of->rank, 0, in);
    return st ? st : ridge_content_copy(*out, of, in);
}

/* ---- what Python calls ---- */

static ridge_status give(ridge_py *out, ridge_tensor *t)
{
    *out = ridge_py_tensor(t);
    return RIDGE_OK;
}

static ridge_status reshape(ridge_py *out, const ridge_py *v, bool copy_allowed, ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK];
    uint32_t rank;
    ridge_tensor *t;
    ridge_status st = ridge_sizes_of(sizes, &rank, v[1], in);
    if (st || (st = ridge_view_reshape(&t, v[0].u.tensor, sizes, rank, copy_allowed, in)))
        return st;
    return give(out, t);
}

/* view(dtype): the last dimension grows or shrinks with the size of an element */
static ridge_status view_dtype(ridge_py *out, ridge_tensor *of, ridge_dtype dtype, ridge_py_interp *in)
{
    ridge_py dims[RIDGE_TENSOR_RANK];
    unsigned from = ridge_dtype_bytes(of->dtype), to = ridge_dtype_bytes(dtype);
    ridge_tensor *t;
    ridge_status st = RIDGE_OK;
    memcpy(dims, of->dims, of->rank * sizeof *dims);
    if (from != to && of->rank == 0)
        return ridge_py_raise(in, "RuntimeError", "self.dim() cannot be 0 to view as a dtype of another size");
    if (from > to)
        st = ridge_size_mul(&dims[of->rank - 1], dims[of->rank - 1], ridge_py_int(from / to), in);
    else if (to > from)
        st = ridge_size_floordiv(&dims[of->rank - 1], dims[of->rank - 1], ridge_py_int(to / from), in);
    if (st || (st = ridge_tensor_view(&t, of, dims, of->rank, in)))
        return st;
    t->dtype = dtype;
    if (from == to) {
        memcpy(t->strides, of->strides, sizeof t->strides);
        ridge_tensor_lay(t);
    }
    return give(out, t);
}

ridge_status ridge_native_view(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_dtype dtype;
    const ridge_py_list *args = v[1].u.list;
    if (args->count == 1 && ridge_dtype_of(&dtype, args->items[0]))
        return view_dtype(out, v[0].u.tensor, dtype, in);
    return reshape(out, v, false, in);
}

ridge_status ridge_native_reshape(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return reshape(out, v, true, in);
}

static ridge_status like(ridge_py *out, const ridge_py *v, bool copy_allowed, ridge_py_interp *in)
{
    ridge_tensor *t;
    if (v[1].type != RIDGE_PY_T_TENSOR)
        return ridge_py_raise(in, "TypeError", "argument 'other' must be Tensor, not %s", ridge_py_type_text(v[1]));
    ridge_status st = ridge_view_reshape(&t, v[0].u.tensor, v[1].u.tensor->dims, v[1].u.tensor->rank, copy_allowed, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_view_as(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return like(out, v, false, in);
}

ridge_status ridge_native_reshape_as(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return like(out, v, true, in);
}

ridge_status ridge_native_flatten(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *of = v[0].u.tensor, *t;
    ridge_py sizes[RIDGE_TENSOR_RANK];
    uint32_t first, last, n = 0;
    ridge_status st = ridge_tensor_axis(&first, of, v[1], in);
    if (st || (st = ridge_tensor_axis(&last, of, v[2], in)))
        return st;
    if (of->rank == 0) {
        sizes[0] = ridge_py_int(1);
        st = ridge_view_reshape(&t, of, sizes, 1, true, in);
        return st ? st : give(out, t);
    }
    if (first > last)
        return ridge_py_raise(in, "RuntimeError", "flatten() has invalid args: start_dim cannot come after end_dim");
    for (uint32_t i = 0; i < first; i++)
        sizes[n++] = of->dims[i];
    if ((st = ridge_size_product(&sizes[n++], of->dims + first, last - first + 1, in)))
        return st;
    for (uint32_t i = last + 1; i < of->rank; i++)
        sizes[n++] = of->dims[i];
    st = first == last ? ridge_view_all(&t, of, in) : ridge_view_reshape(&t, of, sizes, n, true, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_unflatten(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *of = v[0].u.tensor, *t;
    ridge_py sizes[RIDGE_TENSOR_RANK * 2], parts[RIDGE_TENSOR_RANK];
    uint32_t axis, count, n = 0;
    ridge_status st = ridge_tensor_axis(&axis, of, v[1], in);
    if (st || (st = ridge_sizes_of(parts, &count, v[2], in)))
        return st;
    ridge_tensor one = {.rank = 1, .dims = {of->dims[axis]}}; /* -1 is solved within the dimension */
    if ((st = solve(parts, count, &one, in)))
        return st;
    for (uint32_t i = 0; i < axis; i++)
        sizes[n++] = of->dims[i];
    for (uint32_t i = 0; i < count; i++)
        sizes[n++] = parts[i];
    for (uint32_t i = axis + 1; i < of->rank; i++)
        sizes[n++] = of->dims[i];
    if (n > RIDGE_TENSOR_RANK)
        return ridge_fail(in->err, RIDGE_LIMIT, "a tensor of more than %d dimensions", RIDGE_TENSOR_RANK);
    st = ridge_view_reshape(&t, of, sizes, n, false, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_contiguous(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *t = v[0].u.tensor;
    ridge_status st = t->contiguous ? RIDGE_OK : ridge_tensor_clone(&t, t, true, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_clone(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *t;
    bool contiguous = v[1].type == RIDGE_PY_T_WORD && strstr(v[1].u.word->text, "contiguous_format");
    ridge_status st = ridge_tensor_clone(&t, v[0].u.tensor, contiguous, in);
    return st ? st : give(out, t);
}

ridge_status ridge_native_detach(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_status st = ridge_view_all(&t, v[0].u.tensor, in);
    if (st)
        return st;
    t->requires_grad = t->differentiable = false;
    return give(out, t);
}

ridge_status ridge_view_array(ridge_py *out, const ridge_tensor *of, bool array, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_status st = ridge_view_all(&t, of, in);
    if (st)
        return st;
    t->array = array;
    return give(out, t);
}

/* of a complex tensor a view that says so */
ridge_status ridge_native_conj(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *t, *of = v[0].u.tensor;
    if (of->dtype != RIDGE_DTYPE_C64 && of->dtype != RIDGE_DTYPE_C128)
        return give(out, of);
    ridge_status st = ridge_view_all(&t, of, in);
    if (st)
        return st;
    t->conjugate = !of->conjugate;
    return give(out, t);
}

ridge_status ridge_native_resolve_conj(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *t = v[0].u.tensor;
    ridge_status st = t->conjugate ? ridge_tensor_clone(&t, t, false, in) : RIDGE_OK;
    return st ? st : give(out, t);
}

ridge_status ridge_native_reshape1(ridge_py *out, const ridge_py *v, ridge_py_interp *in) /* ravel */
{
    ridge_tensor *t;
    ridge_py size = ridge_py_int(-1);
    ridge_status st = ridge_tensor_elements(&size, v[0].u.tensor, in);
    if (!st)
        st = ridge_view_reshape(&t, v[0].u.tensor, &size, 1, true, in);
    return st ? st : give(out, t);
}
