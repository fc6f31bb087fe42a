/* Contents of what is joined, ordered, padded, cut to a triangle or gathered: the same elements at other places. */
#include <stdlib.h>

#include "learn/python/number.h"
#include "learn/torch/content.h"
#include "learn/torch/size.h"

/* ---- joining ---- */

/* ranges that go on where the one before ends; a single number begins one of step 1 */
static ridge_status join_ranges(bool *done, ridge_tensor *out, ridge_tensor *const *parts, size_t count, uint32_t axis, ridge_py_interp *in)
{
    ridge_py start = ridge_py_unset(), step_by = ridge_py_unset(), next, fill;
    ridge_status st;
    *done = false;
    for (size_t i = 0; i < count; i++)
        if (ridge_content_linear(parts[i]) && parts[i]->linear.axis == axis && parts[i]->linear.start.type == RIDGE_PY_T_INT)
            step_by = parts[i]->linear.step;
    if (step_by.type == RIDGE_PY_T_UNSET)
        return RIDGE_OK;
    for (size_t i = 0; i < count; i++) {
        const ridge_tensor *t = parts[i];
        ridge_py first;
        if (t->rank == 1 && ridge_size_is(t->dims[0], 0))
            continue;
        if (ridge_content_linear(t) && t->linear.axis == axis && ridge_size_same(t->linear.step, step_by, in))
            first = t->linear.start;
        else if (ridge_size_is(t->dims[axis], 1) && ridge_size_constant(t->dims[axis]) && ridge_content_filled(&fill, t) &&
                 fill.type == RIDGE_PY_T_INT)
            first = fill;
        else
            return RIDGE_OK;
        if (start.type == RIDGE_PY_T_UNSET)
            start = first;
        else if (!ridge_size_same(next, first, in))
            return RIDGE_OK;
        if ((st = ridge_size_mul(&next, step_by, t->dims[axis], in)) || (st = ridge_size_add(&next, first, next, in)))
            return st;
    }
    *done = true;
    out->linear.start = start;
    out->linear.step = step_by;
    out->linear.axis = axis;
    out->version = out->storage->version;
    return RIDGE_OK;
}

static bool join_fills(ridge_py *value, ridge_tensor *const *parts, size_t count, ridge_dtype dtype, ridge_py_interp *in)
{
    ridge_py fill, first = ridge_py_unset();
    for (size_t i = 0; i < count; i++) {
        if (ridge_content_count(parts[i]) == 0)
            continue;
        if (!ridge_content_filled(&fill, parts[i]) || ridge_content_cast(&fill, fill, dtype, in) || fill.type == RIDGE_PY_T_UNSET)
            return false;
        if (first.type != RIDGE_PY_T_UNSET && (fill.type != first.type || fill.by.sym != first.by.sym || fill.u.i != first.u.i))
            return false;
        first = fill;
    }
    *value = first;
    return first.type != RIDGE_PY_T_UNSET;
}

static ridge_status cat_held(ridge_tensor *out, ridge_tensor *const *parts, size_t count, uint32_t axis, ridge_py_interp *in)
{
    ridge_py fill;
    bool done;
    size_t inner = 1, n = 0;
    int64_t total = ridge_content_count(out);
    ridge_status st = ridge_tag_join(out, parts, count, in);
    if (st)
        return st;
    if (join_fills(&fill, parts, count, out->dtype, in)) {
        ridge_content_fill(out, fill);
        return RIDGE_OK;
    }
    if (out->dtype <= RIDGE_DTYPE_I64 && ((st = join_ranges(&done, out, parts, count, axis, in)) || done))
        return st;
    if (total <= 0 || total > RIDGE_CONTENT_COMPUTED || count > 4096)
        return RIDGE_OK;
    const ridge_py **values = ridge_arena_array(in->arena, count + 1, sizeof(const ridge_py *));
    size_t *counts = ridge_arena_array(in->arena, count + 1, sizeof *counts), outer = 1;
    ridge_py *list = ridge_arena_array(in->arena, (size_t)total, sizeof *list);
    if (!values || !counts || !list)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < count; i++)
        if ((st = ridge_content_values(&values[i], &counts[i], parts[i], RIDGE_CONTENT_COMPUTED, in)) || !values[i])
            return st;
    for (uint32_t d = axis + 1; d < out->rank; d++)
        inner *= (size_t)out->dims[d].u.i;
    outer = (size_t)total / (inner * (size_t)out->dims[axis].u.i);
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < counts[i] / outer && n < (size_t)total; k++)
                if ((st = ridge_content_cast(&list[n++], values[i][o * (counts[i] / outer) + k], out->dtype, in)) ||
                    list[n - 1].type == RIDGE_PY_T_UNSET)
                    return st;
    return n == (size_t)total ? ridge_content_set(out, list, n, in) : RIDGE_OK;
}

ridge_status ridge_content_cat(ridge_tensor *out, ridge_tensor *const *parts, size_t count, uint32_t axis, ridge_py_interp *in)
{
    ridge_content_hold hold;
    ridge_status st = ridge_content_begin(&hold, NULL, in);
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_content_settle(parts[i], in);
    if (!st)
        st = cat_held(out, parts, count, axis, in);
    return ridge_content_end(st, out, &hold, in);
}

/* ---- orders ---- */

typedef struct keyed {
    double key;
    int64_t place;
} keyed;

static int ascending(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->place > y->place) - (x->place < y->place);
}

static int descending_order(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key ? -1 : 1) : (x->place > y->place) - (x->place < y->place);
}

/* along the last dimension of known numbers without symbols; stable, as only equal elements could differ */
static ridge_status sort_held(ridge_tensor *values, ridge_tensor *indices, const ridge_tensor *of, uint32_t axis, bool descending,
                              ridge_py_interp *in)
{
    const ridge_py *list;
    size_t count;
    if (values)
        values->tag = of->tag.kind == RIDGE_TAG_TOP_INDEX ? of->tag : (ridge_tag){0};
    ridge_status st = ridge_content_values(&list, &count, of, RIDGE_CONTENT_COMPUTED, in);
    if (st || !list || count == 0 || of->rank == 0 || axis != of->rank - 1)
        return st;
    size_t size = (size_t)of->dims[axis].u.i;
    keyed *keys = ridge_arena_array(in->arena, count, sizeof *keys);
    ridge_py *sorted = ridge_arena_array(in->arena, count, sizeof *sorted), *places = ridge_arena_array(in->arena, count, sizeof *places);
    if (!keys || !sorted || !places)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < count; i++) {
        if (list[i].by.sym)
            return RIDGE_OK;
        keys[i] = (keyed){list[i].type == RIDGE_PY_T_FLOAT  ? list[i].u.f
                          : list[i].type == RIDGE_PY_T_BOOL ? list[i].u.b
                                                            : (double)list[i].u.i,
                          (int64_t)(i % size)};
    }
    for (size_t row = 0; row < count; row += size)
        qsort(keys + row, size, sizeof *keys, descending ? descending_order : ascending);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = list[i - i % size + (size_t)keys[i].place];
        places[i] = ridge_py_int(keys[i].place);
    }
    if (values && (st = ridge_content_set(values, sorted, count, in)))
        return st;
    return indices ? ridge_content_set(indices, places, count, in) : RIDGE_OK;
}

ridge_status ridge_content_sort(ridge_tensor *values, ridge_tensor *indices, const ridge_tensor *of, uint32_t axis, bool descending,
                                ridge_py_interp *in)
{
    ridge_content_hold hold;
    ridge_status st = ridge_content_begin(&hold, of, in);
    if (!st)
        st = sort_held(values, indices, of, axis, descending, in);
    st = ridge_content_end(st, values, &hold, in);
    return ridge_content_end(st, indices, &hold, in);
}

/* ---- places ---- */

static ridge_status pad_held(ridge_tensor *out, const ridge_tensor *of, const int64_t *before, const int64_t *after, ridge_py value,
                             ridge_py_interp *in)
{
    const ridge_py *values;
    size_t count;
    ridge_py fill, pad;
    int64_t total = ridge_content_count(out);
    bool none = true;
    ridge_status st = ridge_content_cast(&pad, value, out->dtype, in);
    for (uint32_t d = 0; d < of->rank; d++)
        none = none && before[d] == 0 && after[d] == 0;
    if (st || none)
        return st ? st : ridge_content_copy(out, of, in);
    if (ridge_content_filled(&fill, of) && fill.type == pad.type && fill.by.sym == pad.by.sym && fill.u.i == pad.u.i) {
        ridge_content_fill(out, fill);
        return RIDGE_OK;
    }
    if (pad.type == RIDGE_PY_T_UNSET || total <= 0 || total > RIDGE_CONTENT_COMPUTED ||
        (st = ridge_content_values(&values, &count, of, RIDGE_CONTENT_COMPUTED, in)) || !values)
        return st;
    ridge_py *list = ridge_arena_array(in->arena, (size_t)total, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (int64_t i = 0; i < total; i++) {
        int64_t left = i, at = 0, stride = 1;
        bool inside = true;
        for (uint32_t d = out->rank; d-- > 0;) {
            int64_t k = left % out->dims[d].u.i - before[d], size = of->dims[d].u.i;
            left /= out->dims[d].u.i;
            inside = inside && k >= 0 && k < size;
            at += k * stride;
            stride *= size;
        }
        list[i] = inside ? values[at] : pad;
    }
    return ridge_content_set(out, list, (size_t)total, in);
}

ridge_status ridge_content_pad(ridge_tensor *out, const ridge_tensor *of, const int64_t *before, const int64_t *after, ridge_py value,
                               ridge_py_interp *in)
{
    ridge_content_hold hold;
    const ridge_status st = ridge_content_begin(&hold, of, in);
    return ridge_content_end(st ? st : pad_held(out, of, before, after, value, in), out, &hold, in);
}

static ridge_status triangle_held(ridge_tensor *out, const ridge_tensor *of, int64_t diagonal, bool upper, ridge_py_interp *in)
{
    const ridge_py *values;
    size_t count;
    ridge_py zero;
    ridge_status st = ridge_content_cast(&zero, ridge_py_int(0), out->dtype, in);
    if (st || of->rank < 2 || (st = ridge_content_values(&values, &count, of, RIDGE_CONTENT_COMPUTED, in)) || !values || count == 0)
        return st;
    ridge_py *list = ridge_arena_array(in->arena, count, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    int64_t columns = of->dims[of->rank - 1].u.i, rows = of->dims[of->rank - 2].u.i;
    for (size_t i = 0; i < count; i++) {
        int64_t column = (int64_t)i % columns, row = (int64_t)i / columns % rows;
        list[i] = (upper ? column - row >= diagonal : column - row <= diagonal) ? values[i] : zero;
    }
    return ridge_content_set(out, list, count, in);
}

ridge_status ridge_content_triangle(ridge_tensor *out, const ridge_tensor *of, int64_t diagonal, bool upper, ridge_py_interp *in)
{
    ridge_content_hold hold;
    const ridge_status st = ridge_content_begin(&hold, of, in);
    return ridge_content_end(st ? st : triangle_held(out, of, diagonal, upper, in), out, &hold, in);
}

static ridge_status gather_held(ridge_tensor *out, const ridge_tensor *of, const ridge_tensor *index, uint32_t axis, ridge_py_interp *in)
{
    const ridge_py *values, *places;
    size_t count, taken;
    ridge_py fill;
    ridge_status st;
    if (ridge_content_filled(&fill, of)) {
        ridge_content_fill(out, fill);
        return RIDGE_OK;
    }
    if (!ridge_content_known(of) || !ridge_content_known(index) || of->rank == 0 || of->rank != index->rank ||
        (st = ridge_content_values(&places, &taken, index, RIDGE_CONTENT_COMPUTED, in)) || !places || taken == 0 ||
        (st = ridge_content_values(&values, &count, of, RIDGE_TENSOR_KNOWN, in)) || !values)
        return RIDGE_OK;
    ridge_py *list = ridge_arena_array(in->arena, taken, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < taken; i++) {
        int64_t left = (int64_t)i, at = 0, stride = 1;
        for (uint32_t d = of->rank; d-- > 0;) {
            int64_t k = left % index->dims[d].u.i;
            left /= index->dims[d].u.i;
            at += (d == axis ? places[i].u.i : k) * stride;
            stride *= of->dims[d].u.i;
        }
        if (at < 0 || (size_t)at >= count)
            return ridge_py_raise(in, "RuntimeError", "index %lld is out of bounds for dimension %u", (long long)places[i].u.i, axis);
        if ((st = ridge_py_pin(places[i], in)))
            return st;
        list[i] = values[at];
    }
    return ridge_content_set(out, list, taken, in);
}

ridge_status ridge_content_gather(ridge_tensor *out, const ridge_tensor *of, const ridge_tensor *index, uint32_t axis, ridge_py_interp *in)
{
    ridge_content_hold hold;
    ridge_status st = ridge_content_begin(&hold, of, in);
    if (!st)
        st = ridge_content_settle(index, in);
    if (!st)
        st = gather_held(out, of, index, axis, in);
    return ridge_content_end(st, out, &hold, in);
}
