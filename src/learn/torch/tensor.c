/* Tensors: made, seen anew, broadcast. */
#include "learn/torch/tensor.h"

#include "learn/torch/run.h"
#include "learn/torch/size.h"

void ridge_tensor_lay_contiguous(ridge_tensor *t)
{
    int64_t stride = 1;
    for (uint32_t i = t->rank; i-- > 0;) {
        int64_t size = ridge_size_concrete(t->dims[i]);
        t->strides[i] = stride;
        if (size > 1 && __builtin_mul_overflow(stride, size, &stride))
            stride = INT64_MAX;
    }
    t->contiguous = true;
    t->expanded = false;
}

/* PyTorch's is_contiguous: strides of dimensions of size 1 don't matter, nor any where there are no elements */
void ridge_tensor_lay(ridge_tensor *t)
{
    int64_t stride = 1;
    bool empty = false;
    t->contiguous = true;
    t->expanded = false;
    for (uint32_t i = t->rank; i-- > 0;) {
        int64_t size = ridge_size_concrete(t->dims[i]);
        empty = empty || size == 0;
        if (size == 1)
            continue;
        if (t->strides[i] == 0)
            t->expanded = true;
        if (t->strides[i] != stride)
            t->contiguous = false;
        if (__builtin_mul_overflow(stride, size, &stride))
            stride = INT64_MAX;
    }
    if (empty)
        t->contiguous = true;
}

void ridge_tensor_read(ridge_tensor *out, const ridge_tensor *t)
{
    memcpy(out, t, offsetof(ridge_tensor, dims) + t->rank * sizeof t->dims[0]);
}

static ridge_tensor *make(ridge_dtype dtype, const ridge_py *dims, uint32_t rank, ridge_py_interp *in)
{
    uint32_t room = rank < RIDGE_TENSOR_RANK ? rank + 1 : rank;
    ridge_tensor *t = ridge_arena_alloc(in->arena, offsetof(ridge_tensor, dims) + room * sizeof t->dims[0]);
    if (!t)
        return NULL;
    t->room = room;
    t->rank = rank;
    t->dtype = dtype;
    for (uint32_t i = 0; i < rank; i++)
        t->dims[i] = dims[i];
    ridge_tensor_lay_contiguous(t);
    return t;
}

static ridge_status check_rank(uint32_t rank, ridge_py_interp *in)
{
    return rank <= RIDGE_TENSOR_RANK ? RIDGE_OK
                                     : ridge_fail(in->err, RIDGE_LIMIT, "a tensor of more than %d dimensions", RIDGE_TENSOR_RANK);
}

ridge_status ridge_tensor_new(ridge_tensor **out, ridge_dtype dtype, const ridge_py *dims, uint32_t rank, ridge_py_interp *in)
{
    ridge_trace *run = in->run;
    ridge_status st = check_rank(rank, in);
    if (st)
        return st;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i].type == RIDGE_PY_T_INT && dims[i].u.i < 0)
            return ridge_py_raise(in, "RuntimeError", "Trying to create tensor with negative dimension %lld", (long long)dims[i].u.i);
        if (dims[i].type != RIDGE_PY_T_INT && dims[i].type != RIDGE_PY_T_UNKNOWN)
            return ridge_py_raise(in, "TypeError", "a size must be an int, not %s", ridge_py_type_text(dims[i]));
    }
    ridge_tensor *t = make(dtype, dims, rank, in);
    ridge_storage *storage = ridge_arena_alloc(in->arena, sizeof *storage);
    if (!t || !storage)
        return ridge_no_memory(in->err);
    storage->id = run ? ++run->storages : 0;
    storage->owner = t;
    t->storage = storage;
    *out = t;
    return RIDGE_OK;
}

ridge_status ridge_tensor_view(ridge_tensor **out, const ridge_tensor *of, const ridge_py *dims, uint32_t rank, ridge_py_interp *in)
{
    ridge_status st = check_rank(rank, in);
    if (st)
        return st;
    ridge_tensor *t = make(of->dtype, dims, rank, in);
    if (!t)
        return ridge_no_memory(in->err);
    t->storage = of->storage;
    t->offset = of->offset;
    t->conjugate = of->conjugate;
    t->array = of->array;
    t->requires_grad = of->requires_grad;
    t->differentiable = of->differentiable;
    t->version = of->storage->version;
    *out = t;
    return RIDGE_OK;
}

ridge_status ridge_tensor_elements(ridge_py *out, const ridge_tensor *t, ridge_py_interp *in)
{
    return ridge_size_product(out, t->dims, t->rank, in);
}

ridge_status ridge_tensor_axis(uint32_t *out, const ridge_tensor *t, ridge_py axis, ridge_py_interp *in)
{
    int64_t a, rank = t->rank ? t->rank : 1; /* a number has dimension 0 and -1, too */
    ridge_status st = ridge_size_of(&axis, axis, in);
    if (st)
        return st;
    if ((st = ridge_py_concrete(&a, axis, in)))
        return st;
    if (a < -rank || a >= rank)
        return ridge_py_raise(in, "IndexError", "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
                              (long long)-rank, (long long)rank - 1, (long long)a);
    *out = (uint32_t)(a < 0 ? a + rank : a);
    return RIDGE_OK;
}

/* one dimension of two shapes */
static ridge_status broadcast_size(ridge_py *out, ridge_py a, ridge_py b, uint32_t axis, ridge_py_interp *in)
{
    bool equal, one;
    ridge_status st;
    if (ridge_size_constant(a) && a.u.i == 1) {
        *out = b;
        return RIDGE_OK;
    }
    *out = a;
    if ((ridge_size_constant(b) && b.u.i == 1) || ridge_size_same(a, b, in))
        return RIDGE_OK;
    /* a size that nobody knows is the other one, or that is 1: the known one is the better answer unless it is 1 */
    if (a.type == RIDGE_PY_T_UNKNOWN || b.type == RIDGE_PY_T_UNKNOWN) {
        if (a.type == RIDGE_PY_T_UNKNOWN)
            *out = b.type == RIDGE_PY_T_INT && b.u.i != 1 ? b : a;
        else if (a.u.i == 1)
            *out = b;
        return RIDGE_OK;
    }
    if ((st = ridge_size_equal(&equal, a, b, in)) || equal)
        return st;
    if (a.u.i == 1) {
        *out = b;
        return ridge_size_equal(&one, a, ridge_py_int(1), in);
    }
    if (b.u.i == 1)
        return ridge_size_equal(&one, b, ridge_py_int(1), in);
    return ridge_py_raise(in, "RuntimeError",
                          "The size of tensor a (%lld) must match the size of tensor b (%lld) at non-singleton dimension %u",
                          (long long)a.u.i, (long long)b.u.i, axis);
}

ridge_status ridge_tensor_broadcast(ridge_py *dims, uint32_t *rank, const ridge_tensor *const *tensors, size_t count, ridge_py_interp *in)
{
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = tensors[i]->rank > most ? tensors[i]->rank : most;
    for (uint32_t d = 0; d < most; d++) {
        dims[d] = ridge_py_int(1);
        for (size_t i = 0; i < count; i++) {
            const ridge_tensor *t = tensors[i];
            if (d + t->rank < most)
                continue;
            ridge_status st = broadcast_size(&dims[d], dims[d], t->dims[d + t->rank - most], d, in);
            if (st)
                return st;
        }
    }
    *rank = most;
    return RIDGE_OK;
}
