/* Copies of parts of a tensor, some of a size that data decide: gather, nonzero, repeat, unique, bincount. */
#include <stdlib.h>

#include "learn/torch/content.h"
#include "learn/torch/factory.h"
#include "learn/torch/hooks.h"
#include "learn/torch/index.h"
#include "learn/torch/methods.h"
#include "learn/torch/size.h"
#include "learn/torch/view.h"

static ridge_status give(ridge_py *out, ridge_tensor *t)
{
    *out = ridge_py_tensor(t);
    return RIDGE_OK;
}

static ridge_status need_tensor(ridge_tensor **out, ridge_py v, const char *name, ridge_py_interp *in)
{
    if (v.type != RIDGE_PY_T_TENSOR)
        return ridge_py_raise(in, "TypeError", "argument '%s' must be Tensor, not %s", name, ridge_py_type_text(v));
    *out = v.u.tensor;
    return RIDGE_OK;
}

static ridge_status ran1(ridge_py *out, const char *operator, const ridge_tensor * a, const ridge_tensor *b, ridge_tensor *t,
                         ridge_py_interp *in)
{
    const ridge_tensor *inputs[2] = {a, b};
    *out = ridge_py_tensor(t);
    return ridge_tensor_ran(operator, inputs, b ? 2 : 1, t, in);
}

/* ---- by index ---- */

/* input, dim, index */
ridge_status ridge_native_gather(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *index = NULL, *t, *of = v[0].u.tensor;
    uint32_t axis;
    ridge_status st = need_tensor(&index, v[2], "index", in);
    if (st || (st = ridge_tensor_axis(&axis, of, v[1], in)) || (st = ridge_tensor_new(&t, of->dtype, index->dims, index->rank, in)) ||
        (st = ridge_content_gather(t, of, index, axis, in)))
        return st;
    return ran1(out, "aten.gather.default", of, index, t, in);
}

/* input, indices, dim */
ridge_status ridge_native_take_along_dim(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *index = NULL, *t, *of = v[0].u.tensor;
    ridge_py sizes[RIDGE_TENSOR_RANK];
    uint32_t axis, rank;
    ridge_status st = need_tensor(&index, v[1], "indices", in);
    if (st || (st = ridge_tensor_axis(&axis, of, v[2], in)))
        return st;
    ridge_tensor a, b; /* all other dimensions broadcast */
    ridge_tensor_read(&a, of);
    ridge_tensor_read(&b, index);
    a.dims[axis] = b.dims[axis] = ridge_py_int(1);
    const ridge_tensor *both[2] = {&a, &b};
    if ((st = ridge_tensor_broadcast(sizes, &rank, both, 2, in)))
        return st;
    sizes[axis] = index->dims[axis];
    if ((st = ridge_tensor_new(&t, of->dtype, sizes, rank, in)))
        return st;
    return ran1(out, "aten.gather.default", of, index, t, in);
}

/* input, dim, index */
ridge_status ridge_native_index_select(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *index = NULL, *t, *of = v[0].u.tensor;
    ridge_py sizes[RIDGE_TENSOR_RANK], count;
    uint32_t axis;
    ridge_status st = need_tensor(&index, v[2], "index", in);
    if (st || (st = ridge_tensor_axis(&axis, of, v[1], in)) || (st = ridge_tensor_elements(&count, index, in)))
        return st;
    memcpy(sizes, of->dims, of->rank * sizeof *sizes);
    sizes[axis] = count;
    if ((st = ridge_tensor_new(&t, of->dtype, sizes, of->rank, in)))
        return st;
    ridge_content_fill_like(t, of);
    return ran1(out, "aten.index_select.default", of, index, t, in);
}

ridge_status ridge_native_masked_select(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *mask = NULL, *t, *of = v[0].u.tensor;
    ridge_py count;
    ridge_status st = need_tensor(&mask, v[1], "mask", in);
    if (st || (st = ridge_index_count(&count, mask, in)) || (st = ridge_tensor_new(&t, of->dtype, &count, 1, in)))
        return st;
    return ran1(out, "aten.masked_select.default", of, mask, t, in);
}

/* ---- places ---- */

/* the numbers of the experts that get any rows: [hit, rank], all other columns unknown unless there is one */
static ridge_status experts_hit(ridge_tensor **out, const ridge_tensor *mask, ridge_py_interp *in)
{
    ridge_py sizes[2], *numbers;
    ridge_status st = ridge_experts_hit(&sizes[0], &numbers, &mask->tag, in);
    sizes[1] = ridge_py_int(mask->rank);
    if (st || (st = ridge_tensor_new(out, RIDGE_DTYPE_I64, sizes, 2, in)))
        return st;
    return numbers && mask->rank == 1 ? ridge_content_set(*out, numbers, (size_t)sizes[0].u.i, in) : RIDGE_OK;
}

ridge_status ridge_where_places(ridge_py *out, ridge_tensor *t, ridge_py_interp *in)
{
    ridge_tensor *places[RIDGE_TENSOR_RANK], *hit;
    ridge_py count = ridge_py_int(-1);
    bool experts = t->rank == 1 && (t->tag.kind == RIDGE_TAG_EXPERT_HIT || t->tag.kind == RIDGE_TAG_COUNTS);
    ridge_status st = experts ? experts_hit(&hit, t, in) : ridge_index_places(places, t, in);
    if (!st && experts)
        st = ridge_view_reshape(&places[0], hit, &count, 1, true, in);
    if (!st)
        st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, t->rank, in);
    for (uint32_t d = 0; d < t->rank && !st; d++)
        st = ridge_py_append(out->u.list, ridge_py_tensor(places[d]), in);
    if (st || t->rank == 0)
        return st;
    ridge_tensor *rows; /* what PyTorch makes first: a row for each place */
    const ridge_py sizes[2] = {places[0]->dims[0], ridge_py_int(t->rank)};
    st = ridge_tensor_new(&rows, RIDGE_DTYPE_I64, sizes, 2, in);
    return st ? st : ridge_tensor_ran("aten.nonzero.default", (const ridge_tensor *const[]){t}, 1, rows, in);
}

/* input, as_tuple */
ridge_status ridge_native_nonzero(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *of = v[0].u.tensor, *places[RIDGE_TENSOR_RANK], *t;
    ridge_py sizes[2];
    const ridge_py *values;
    size_t count;
    ridge_status st;
    if (v[1].type == RIDGE_PY_T_BOOL && v[1].u.b)
        return ridge_where_places(out, of, in);
    if (of->tag.kind == RIDGE_TAG_EXPERT_HIT || of->tag.kind == RIDGE_TAG_COUNTS) {
        if ((st = experts_hit(&t, of, in)))
            return st;
        return ran1(out, "aten.nonzero.default", of, NULL, t, in);
    }
    if ((st = ridge_index_count(&sizes[0], of, in)) ||
        (sizes[1] = ridge_py_int(of->rank), st = ridge_tensor_new(&t, RIDGE_DTYPE_I64, sizes, 2, in)))
        return st;
    t->tag = of->tag.kind == RIDGE_TAG_EXPERT_ROWS ? of->tag : (ridge_tag){0};
    if (sizes[0].type == RIDGE_PY_T_INT && sizes[0].u.i * of->rank <= RIDGE_CONTENT_COMPUTED && of->rank && sizes[0].u.i) {
        if ((st = ridge_index_places(places, of, in)))
            return st;
        size_t rows = (size_t)sizes[0].u.i, n = 0;
        ridge_py *list = ridge_arena_array(in->arena, rows * of->rank, sizeof *list);
        if (!list)
            return ridge_no_memory(in->err);
        for (uint32_t d = 0; d < of->rank; d++, n++) {
            if ((st = ridge_content_values(&values, &count, places[d], RIDGE_CONTENT_COMPUTED, in)))
                return st;
            for (size_t i = 0; values && i < rows; i++)
                list[i * of->rank + d] = values[i];
            if (!values)
                break;
        }
        if (n == of->rank && (st = ridge_content_set(t, list, rows * of->rank, in)))
            return st;
    }
    return ran1(out, "aten.nonzero.default", of, NULL, t, in);
}

/* ---- repeated ---- */

/* a range that is repeated along other dimensions than its own stays one */
static bool repeated_range(ridge_tensor *out, const ridge_tensor *of, ridge_py_interp *in)
{
    if (!ridge_content_linear(of))
        return false;
    const uint32_t axis = of->linear.axis + out->rank - of->rank;
    if (!ridge_size_same(out->dims[axis], of->dims[of->linear.axis], in))
        return false;
    out->linear = of->linear;
    out->linear.axis = axis;
    out->version = out->storage->version;
    return true;
}

/* elements of `out` that are those of `of` at the same place modulo its sizes */
static ridge_status repeated_values_held(ridge_tensor *out, const ridge_tensor *of, ridge_py_interp *in)
{
    const ridge_py *values;
    size_t count;
    int64_t total = ridge_content_count(out);
    if (ridge_content_fill_like(out, of))
        return RIDGE_OK;
    if (repeated_range(out, of, in))
        return RIDGE_OK;
    if (total <= 0 || total > RIDGE_CONTENT_COMPUTED)
        return RIDGE_OK;
    ridge_status st = ridge_content_values(&values, &count, of, RIDGE_CONTENT_COMPUTED, in);
    if (st || !values || count == 0)
        return st;
    ridge_py *list = ridge_arena_array(in->arena, (size_t)total, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (int64_t i = 0; i < total; i++) {
        int64_t left = i, at = 0, stride = 1;
        for (uint32_t d = out->rank; d-- > 0;) {
            int64_t k = left % out->dims[d].u.i;
            left /= out->dims[d].u.i;
            if (d + of->rank < out->rank)
                continue;
            int64_t size = of->dims[d + of->rank - out->rank].u.i;
            at += k % size * stride;
            stride *= size;
        }
        list[i] = values[at];
    }
    return ridge_content_set(out, list, (size_t)total, in);
}

static ridge_status repeated_values(ridge_tensor *out, const ridge_tensor *of, ridge_py_interp *in)
{
    ridge_content_hold hold;
    const ridge_status st = ridge_content_begin(&hold, NULL, in);
    return ridge_content_end(st ? st : repeated_values_held(out, of, in), out, &hold, in);
}

static ridge_status repeat(ridge_py *out, ridge_tensor *of, const ridge_py *times, uint32_t count, ridge_py_interp *in)
{
    ridge_py sizes[RIDGE_TENSOR_RANK];
    ridge_tensor *t;
    ridge_status st = RIDGE_OK;
    for (uint32_t d = 0; d < count && !st; d++) {
        sizes[d] = times[d];
        if (d + of->rank >= count)
            st = ridge_size_mul(&sizes[d], times[d], of->dims[d + of->rank - count], in);
    }
    if (st || (st = ridge_tensor_new(&t, of->dtype, sizes, count, in)) || (st = repeated_values(t, of, in)))
        return st;
    return ran1(out, "aten.repeat.default", of, NULL, t, in);
}

ridge_status ridge_native_repeat(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py times[RIDGE_TENSOR_RANK];
    uint32_t count;
    ridge_status st = ridge_sizes_of(times, &count, v[1], in);
    if (!st && count < v[0].u.tensor->rank)
        st = ridge_py_raise(in, "RuntimeError",
                            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
    return st ? st : repeat(out, v[0].u.tensor, times, count, in);
}

ridge_status ridge_native_tile(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py times[RIDGE_TENSOR_RANK], all[RIDGE_TENSOR_RANK];
    uint32_t count, rank = v[0].u.tensor->rank;
    ridge_status st = ridge_sizes_of(times, &count, v[1], in);
    if (st || count >= rank)
        return st ? st : repeat(out, v[0].u.tensor, times, count, in);
    for (uint32_t d = 0; d < rank; d++)
        all[d] = d + count < rank ? ridge_py_int(1) : times[d + count - rank];
    return repeat(out, v[0].u.tensor, all, rank, in);
}

/* each element n times: contents along one dimension */
static ridge_status interleaved_values_held(ridge_tensor *out, const ridge_tensor *of, uint32_t axis, const ridge_py *times,
                                            size_t times_count, ridge_py_interp *in)
{
    const ridge_py *values;
    size_t count, inner = 1, n = 0;
    int64_t total = ridge_content_count(out);
    if (ridge_content_fill_like(out, of))
        return RIDGE_OK;
    if (total <= 0 || total > RIDGE_CONTENT_COMPUTED)
        return RIDGE_OK;
    ridge_status st = ridge_content_values(&values, &count, of, RIDGE_CONTENT_COMPUTED, in);
    if (st || !values || count == 0)
        return st;
    ridge_py *list = ridge_arena_array(in->arena, (size_t)total, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (uint32_t d = axis + 1; d < of->rank; d++)
        inner *= (size_t)of->dims[d].u.i;
    size_t size = of->rank ? (size_t)of->dims[axis].u.i : 1;
    for (size_t row = 0; row < count / inner; row++)
        for (int64_t k = 0; k < times[times_count == 1 ? 0 : row % size].u.i; k++)
            for (size_t i = 0; i < inner && n < (size_t)total; i++)
                list[n++] = values[row * inner + i];
    return n == (size_t)total ? ridge_content_set(out, list, n, in) : RIDGE_OK;
}

static ridge_status interleaved_values(ridge_tensor *out, const ridge_tensor *of, uint32_t axis, const ridge_py *times, size_t times_count,
                                       ridge_py_interp *in)
{
    ridge_content_hold hold;
    const ridge_status st = ridge_content_begin(&hold, NULL, in);
    return ridge_content_end(st ? st : interleaved_values_held(out, of, axis, times, times_count, in), out, &hold, in);
}

/* input, repeats, dim, output_size */
ridge_status ridge_native_repeat_interleave(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *of = v[0].u.tensor, *t;
    ridge_py sizes[RIDGE_TENSOR_RANK], one, total = ridge_py_int(0);
    const ridge_py *times = &one;
    size_t count = 1;
    uint32_t axis = 0;
    ridge_status st = RIDGE_OK;
    if (v[2].type == RIDGE_PY_T_NONE) { /* of all elements in a row */
        if ((st = ridge_tensor_elements(&sizes[0], of, in)) || (of->rank != 1 && (st = ridge_view_reshape(&of, of, sizes, 1, true, in))))
            return st;
    } else if ((st = ridge_tensor_axis(&axis, of, v[2], in))) {
        return st;
    }
    memcpy(sizes, of->dims, of->rank * sizeof *sizes);
    if (v[1].type == RIDGE_PY_T_TENSOR && ridge_content_count(v[1].u.tensor) != 1) {
        if ((st = ridge_content_values(&times, &count, v[1].u.tensor, RIDGE_CONTENT_COMPUTED, in)))
            return st;
        for (size_t i = 0; times && i < count && !st; i++)
            st = ridge_size_add(&total, total, times[i], in);
        if (!st && !times)
            st = v[3].type != RIDGE_PY_T_NONE ? ridge_size_of(&total, v[3], in)
                                              : ridge_index_ask(&total, "how often elements are repeated", of, false, in);
    } else if (!(st = ridge_size_of(&one, v[1], in))) {
        st = ridge_size_mul(&total, sizes[axis], one, in);
    }
    if (st)
        return st;
    sizes[axis] = total;
    if ((st = ridge_tensor_new(&t, of->dtype, sizes, of->rank, in)))
        return st;
    if (times && total.type == RIDGE_PY_T_INT && (times != &one || one.type == RIDGE_PY_T_INT) &&
        (st = interleaved_values(t, of, axis, times, count, in)))
        return st;
    if (v[1].type != RIDGE_PY_T_TENSOR) { /* a number: a copy of the expanded tensor */
        *out = ridge_py_tensor(t);
        return ridge_tensor_ran("aten.clone.default", (const ridge_tensor *const[]){of}, 1, t, in);
    }
    ridge_tensor *rows; /* first the row of each, then the rows are taken */
    if ((st = ridge_tensor_new(&rows, RIDGE_DTYPE_I64, &total, 1, in)) ||
        (st = ridge_tensor_ran("aten.repeat_interleave.Tensor", (const ridge_tensor *const[]){v[1].u.tensor}, 1, rows, in)))
        return st;
    return ran1(out, "aten.index_select.default", of, rows, t, in);
}

/* ---- turned ---- */

/* a copy whose element i along an axis is element (i*sign + shift) mod size of `of` */
static ridge_status turned_values_held(ridge_tensor *out, const ridge_tensor *of, uint32_t axes, const int64_t *shift, int64_t sign,
                                       ridge_py_interp *in)
{
    const ridge_py *values;
    size_t count;
    if (ridge_content_fill_like(out, of))
        return RIDGE_OK;
    ridge_status st = ridge_content_values(&values, &count, of, RIDGE_CONTENT_COMPUTED, in);
    if (st || !values || count == 0)
        return st;
    ridge_py *list = ridge_arena_array(in->arena, count, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < count; i++) {
        int64_t left = (int64_t)i, at = 0, stride = 1;
        for (uint32_t d = of->rank; d-- > 0;) {
            int64_t size = of->dims[d].u.i, k = left % size;
            left /= size;
            if (axes >> d & 1)
                k = (((k * sign + shift[d]) % size) + size) % size;
            at += k * stride;
            stride *= size;
        }
        list[i] = values[at];
    }
    return ridge_content_set(out, list, count, in);
}

static ridge_status turned_values(ridge_tensor *out, const ridge_tensor *of, uint32_t axes, const int64_t *shift, int64_t sign,
                                  ridge_py_interp *in)
{
    ridge_content_hold hold;
    const ridge_status st = ridge_content_begin(&hold, NULL, in);
    return ridge_content_end(st ? st : turned_values_held(out, of, axes, shift, sign, in), out, &hold, in);
}

ridge_status ridge_native_flip(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *of = v[0].u.tensor, *t;
    ridge_py dims[RIDGE_TENSOR_RANK];
    int64_t shift[RIDGE_TENSOR_RANK];
    uint32_t count, axis, axes = 0;
    ridge_status st = ridge_sizes_of(dims, &count, v[1], in);
    for (uint32_t i = 0; i < count && !st; i++)
        if (!(st = ridge_tensor_axis(&axis, of, dims[i], in)))
            axes |= 1u << axis;
    for (uint32_t d = 0; d < RIDGE_TENSOR_RANK; d++)
        shift[d] = -1;
    if (st || (st = ridge_tensor_new(&t, of->dtype, of->dims, of->rank, in)) || (st = turned_values(t, of, axes, shift, -1, in)))
        return st;
    ridge_tensor_lay_like(t, of);
    return ran1(out, "aten.flip.default", of, NULL, t, in);
}

/* input, shifts, dims */
ridge_status ridge_native_roll(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *of = v[0].u.tensor, *t;
    ridge_py by[RIDGE_TENSOR_RANK], dims[RIDGE_TENSOR_RANK];
    int64_t shift[RIDGE_TENSOR_RANK] = {0};
    uint32_t count, dim_count = 0, axis, axes = 0;
    ridge_status st = ridge_sizes_of(by, &count, v[1], in);
    if (!st && v[2].type != RIDGE_PY_T_NONE)
        st = ridge_sizes_of(dims, &dim_count, v[2], in);
    for (uint32_t i = 0; i < dim_count && i < count && !st; i++)
        if (!(st = ridge_tensor_axis(&axis, of, dims[i], in))) {
            axes |= 1u << axis;
            shift[axis] -= ridge_size_concrete(by[i]);
        }
    if (st || (st = ridge_tensor_new(&t, of->dtype, of->dims, of->rank, in)))
        return st;
    if (dim_count && (st = turned_values(t, of, axes, shift, 1, in)))
        return st;
    return ran1(out, "aten.roll.default", of, NULL, t, in);
}

/* ---- sets and counts ---- */

static int by_value(const void *a, const void *b)
{
    const ridge_py *x = a, *y = b;
    return (x->u.i > y->u.i) - (x->u.i < y->u.i);
}

/* distinct values: of all (sorted), or of runs; counts[i] how often each; -1: not known */
static ridge_status distinct(int64_t *found, ridge_py *values, ridge_py *counts, const ridge_tensor *of, bool consecutive,
                             ridge_py_interp *in)
{
    const ridge_py *all;
    size_t count;
    ridge_py fill;
    *found = -1;
    if (ridge_content_filled(&fill, of) && ridge_py_is_number(fill) && !fill.by.sym && ridge_content_count(of) > 0) {
        *found = 1;
        values[0] = fill;
        return ridge_tensor_elements(&counts[0], of, in);
    }
    ridge_status st = ridge_content_values(&all, &count, of, RIDGE_CONTENT_COMPUTED, in);
    if (st || !all || of->dtype > RIDGE_DTYPE_I64)
        return st;
    ridge_py *list = ridge_arena_array(in->arena, count + 1, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < count; i++) {
        if (all[i].type != RIDGE_PY_T_INT)
            return RIDGE_OK;
        list[i] = ridge_py_int(all[i].u.i); /* which of them are equal depends on what they are: who asks pins them */
    }
    if (!consecutive)
        qsort(list, count, sizeof *list, by_value);
    *found = 0;
    for (size_t i = 0; i < count; i++)
        if (i && list[i].u.i == list[i - 1].u.i)
            counts[*found - 1].u.i++;
        else {
            values[*found] = list[i];
            counts[(*found)++] = ridge_py_int(1);
        }
    return RIDGE_OK;
}

/* input, return_inverse, return_counts */
static ridge_status unique(ridge_py *out, const ridge_py *v, bool consecutive, ridge_py_interp *in)
{
    const ridge_tensor *of = v[0].u.tensor;
    ridge_py *values = ridge_arena_array(in->arena, RIDGE_CONTENT_COMPUTED, sizeof *values), size;
    ridge_py *counts = ridge_arena_array(in->arena, RIDGE_CONTENT_COMPUTED, sizeof *counts);
    ridge_tensor *t, *inverse, *times;
    int64_t found;
    bool with_inverse = v[1].type == RIDGE_PY_T_BOOL && v[1].u.b, with_counts = v[2].type == RIDGE_PY_T_BOOL && v[2].u.b;
    if (!values || !counts)
        return ridge_no_memory(in->err);
    ridge_status st = distinct(&found, values, counts, of, consecutive, in);
    if (st)
        return st;
    size = ridge_py_int(found);
    if (found < 0 && (st = ridge_index_ask(&size, "how many distinct values a tensor holds", of, true, in)))
        return st;
    if ((st = ridge_tensor_new(&t, of->dtype, &size, 1, in)) ||
        (st = ridge_tensor_new(&inverse, RIDGE_DTYPE_I64, of->dims, of->rank, in)) ||
        (st = ridge_tensor_new(&times, RIDGE_DTYPE_I64, &size, 1, in)))
        return st;
    if (found >= 0 && ((st = ridge_content_ask(of, in)) || (st = ridge_content_set(t, values, (size_t)found, in)) ||
                       (st = ridge_content_set(times, counts, (size_t)found, in))))
        return st;
    if ((st = ridge_tensor_ran(consecutive ? "aten.unique_consecutive.default" : "aten._unique2.default", (const ridge_tensor *const[]){of},
                               1, t, in)))
        return st;
    if (!with_inverse && !with_counts)
        return give(out, t);
    st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, 3, in);
    if (!st)
        st = ridge_py_append(out->u.list, ridge_py_tensor(t), in);
    if (!st && with_inverse)
        st = ridge_py_append(out->u.list, ridge_py_tensor(inverse), in);
    if (!st && with_counts)
        st = ridge_py_append(out->u.list, ridge_py_tensor(times), in);
    return st;
}

ridge_status ridge_native_unique(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return unique(out, (const ridge_py[]){v[0], v[2], v[3]}, false, in);
}

ridge_status ridge_native_unique_consecutive(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return unique(out, v, true, in);
}

/* how often each of 0..n-1 occurs; of routed experts: their even shares */
static ridge_status counts_of(ridge_py *out, const ridge_tensor *of, ridge_py size, ridge_dtype dtype, ridge_py_interp *in)
{
    ridge_tensor *t;
    const ridge_py *all;
    size_t count;
    ridge_status st = ridge_tensor_new(&t, dtype, &size, 1, in);
    if (st)
        return st;
    if (of->tag.kind == RIDGE_TAG_TOP_INDEX && ridge_size_concrete(size) == ridge_size_concrete(of->tag.experts)) {
        t->tag = of->tag;
        t->tag.kind = RIDGE_TAG_COUNTS;
    } else if (size.type == RIDGE_PY_T_INT && size.u.i <= RIDGE_CONTENT_COMPUTED) {
        if ((st = ridge_content_values(&all, &count, of, RIDGE_CONTENT_COMPUTED, in)))
            return st;
        ridge_py *list = ridge_arena_array(in->arena, (size_t)size.u.i + 1, sizeof *list);
        if (!list)
            return ridge_no_memory(in->err);
        for (int64_t i = 0; i < size.u.i; i++)
            list[i] = ridge_py_int(0);
        for (size_t i = 0; all && i < count; i++)
            if (all[i].type != RIDGE_PY_T_INT || all[i].by.sym || all[i].u.i < 0 || all[i].u.i >= size.u.i)
                all = NULL;
            else
                list[all[i].u.i].u.i++;
        if (all && (st = ridge_content_set(t, list, (size_t)size.u.i, in)))
            return st;
    }
    return ran1(out, "aten.bincount.default", of, NULL, t, in);
}

/* input, weights, minlength */
ridge_status ridge_native_bincount(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    const ridge_tensor *of = v[0].u.tensor;
    ridge_py size, largest;
    const ridge_py *all;
    size_t count;
    ridge_status st = ridge_size_of(&size, v[2], in);
    if (st)
        return st;
    if (of->tag.kind == RIDGE_TAG_TOP_INDEX) { /* the last expert has rows in an even spread */
        if ((st = ridge_size_max(&size, size, of->tag.experts, in)))
            return st;
        return counts_of(out, of, size, RIDGE_DTYPE_I64, in);
    }
    if ((st = ridge_content_values(&all, &count, of, RIDGE_CONTENT_COMPUTED, in)))
        return st;
    if (!all && (st = ridge_index_ask(&size, "the largest number in a tensor, and one", of, false, in)))
        return st;
    for (size_t i = 0; all && i < count; i++)
        if ((st = ridge_size_add(&largest, all[i], ridge_py_int(1), in)) || (st = ridge_size_max(&size, size, largest, in)))
            return st;
    return counts_of(out, of, size, RIDGE_DTYPE_I64, in);
}

/* input, bins, min, max */
ridge_status ridge_native_histc(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_py size;
    ridge_status st = ridge_size_of(&size, v[1], in);
    return st ? st : counts_of(out, v[0].u.tensor, size, v[0].u.tensor->dtype, in);
}

ridge_status ridge_native_argwhere(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return ridge_native_nonzero(out, (const ridge_py[]){v[0], ridge_py_bool(false)}, in);
}
