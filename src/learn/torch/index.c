/* t[...]: what an index means, and what it takes. */
#include "learn/python/number.h"
#include "learn/torch/index.h"

#include "learn/python/question.h"
#include "learn/torch/content.h"
#include "learn/torch/hooks.h"
#include "learn/torch/operator.h"
#include "learn/torch/size.h"
#include "learn/torch/view.h"

/* ---- masks ---- */

static ridge_status ask_size(ridge_py *out, const char *what, const char *help, ridge_question_subject of, bool bounded,
                             ridge_py_interp *in)
{
    ridge_question question = {.wants = RIDGE_WANTS_NUMBER, .subjects = &of, .subject_count = 1};
    ridge_status st = bounded ? ridge_tensor_elements(&question.most, of.value.u.tensor, in) : RIDGE_OK;
    return st ? st : ridge_py_unknown_asked(out, "shape from data", what, help, &question, in);
}

static ridge_question_subject subject(const char *name, const ridge_tensor *t)
{
    return (ridge_question_subject){name, ridge_py_tensor((ridge_tensor *)(uintptr_t)t)};
}

ridge_status ridge_index_ask(ridge_py *out, const char *what, const ridge_tensor *of, bool bounded, ridge_py_interp *in)
{
    return ask_size(out, what, "say how many", subject("x", of), bounded, in);
}

ridge_status ridge_index_count(ridge_py *out, const ridge_tensor *mask, ridge_py_interp *in)
{
    ridge_py fill;
    const ridge_py *values;
    size_t count;
    ridge_status st;
    if (mask->tag.kind == RIDGE_TAG_EXPERT_ROWS) {
        *out = mask->tag.rows;
        return RIDGE_OK;
    }
    if (ridge_content_filled(&fill, mask) && !fill.by.sym) {
        bool set = fill.type == RIDGE_PY_T_FLOAT ? fill.u.f != 0 : fill.type == RIDGE_PY_T_BOOL ? fill.u.b : fill.u.i != 0;
        *out = ridge_py_int(0);
        if ((st = ridge_content_settle(mask, in)))
            return st;
        return set ? ridge_tensor_elements(out, mask, in) : RIDGE_OK;
    }
    ridge_tensor *sum;
    if ((st = ridge_tensor_new(&sum, RIDGE_DTYPE_I64, NULL, 0, in)) ||
        (st = ridge_content_reduce(sum, "count_nonzero", mask, NULL, 0, in)) || (st = ridge_content_values(&values, &count, sum, 1, in)))
        return st;
    if (!values || values[0].type != RIDGE_PY_T_INT)
        return ask_size(out, "how many elements of a mask are true", "say how many rows it selects", subject("mask", mask), true, in);
    *out = values[0];
    return RIDGE_OK;
}

static bool truthy(ridge_py v)
{
    return v.type == RIDGE_PY_T_FLOAT ? v.u.f != 0 : v.type == RIDGE_PY_T_BOOL ? v.u.b : v.u.i != 0;
}

/* contents of the index tensors of a mask whose elements are known */
static ridge_status place_values(ridge_tensor **places, const ridge_tensor *mask, const ridge_py *values, size_t count, size_t found,
                                 ridge_py_interp *in)
{
    size_t inner = 1;
    ridge_status st = RIDGE_OK;
    ridge_py *list = ridge_arena_array(in->arena, found + 1, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (uint32_t d = mask->rank; d-- > 0 && !st;) {
        size_t n = 0, size = (size_t)mask->dims[d].u.i;
        for (size_t i = 0; i < count && n < found; i++)
            if (truthy(values[i]))
                list[n++] = ridge_py_int((int64_t)(i / inner % size));
        st = ridge_content_set(places[d], list, n, in);
        inner *= size;
    }
    return st;
}

ridge_status ridge_index_places(ridge_tensor **out, const ridge_tensor *mask, ridge_py_interp *in)
{
    ridge_py count;
    const ridge_py *values;
    size_t n;
    ridge_status st = ridge_index_count(&count, mask, in);
    for (uint32_t d = 0; d < mask->rank && !st; d++) {
        st = ridge_tensor_new(&out[d], RIDGE_DTYPE_I64, &count, 1, in);
        if (!st && mask->tag.kind == RIDGE_TAG_EXPERT_ROWS)
            out[d]->tag = mask->tag;
    }
    if (st || count.type != RIDGE_PY_T_INT || count.u.i > RIDGE_TENSOR_KNOWN || mask->tag.kind == RIDGE_TAG_EXPERT_ROWS)
        return st;
    if ((st = ridge_content_values(&values, &n, mask, RIDGE_TENSOR_KNOWN, in)) || !values)
        return st;
    return place_values(out, mask, values, n, (size_t)count.u.i, in);
}

/* ---- reading an index ---- */

/* parts of an index that take a dimension of the tensor each */
static uint32_t dimensions_of(ridge_py v)
{
    switch (v.type) {
    case RIDGE_PY_T_NONE:
    case RIDGE_PY_T_BOOL:
    case RIDGE_PY_T_ELLIPSIS:
        return 0;
    case RIDGE_PY_T_TENSOR:
        return v.u.tensor->dtype == RIDGE_DTYPE_BOOL || v.u.tensor->dtype == RIDGE_DTYPE_U8 ? v.u.tensor->rank : 1;
    default:
        return 1;
    }
}

static bool only_numbers(const ridge_py_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        ridge_py v = list->items[i];
        if (v.type == RIDGE_PY_T_LIST || v.type == RIDGE_PY_T_TUPLE ? !only_numbers(v.u.list) : !ridge_py_is_number(v))
            return false;
    }
    return true;
}

/* One part: lists of numbers become tensors, ranges lists, 0-d integer tensors and instances that are ints the number. */
static ridge_status normal_part(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_status st;
    if (v.type == RIDGE_PY_T_INSTANCE && v.u.instance->base.type != RIDGE_PY_T_UNSET)
        v = v.u.instance->base;
    if (v.type == RIDGE_PY_T_RANGE && (st = ridge_py_collect(&v, RIDGE_PY_T_LIST, v, in)))
        return st;
    *out = v;
    if (v.type == RIDGE_PY_T_LIST || v.type == RIDGE_PY_T_TUPLE) {
        for (size_t i = 0; i < v.u.list->count; i++)
            if (v.u.list->items[i].type == RIDGE_PY_T_UNKNOWN) {
                ridge_py count = ridge_py_int((int64_t)v.u.list->count);
                st = ridge_tensor_new(&t, RIDGE_DTYPE_I64, &count, 1, in);
                *out = ridge_py_tensor(t);
                return st;
            }
        if ((st = ridge_tensor_from(&t, v, ridge_py_none(), in)))
            return st;
        if (v.u.list->count == 0)
            t->dtype = RIDGE_DTYPE_I64;
        *out = ridge_py_tensor(t);
        return RIDGE_OK;
    }
    if (v.type == RIDGE_PY_T_TENSOR && v.u.tensor->rank == 0 && v.u.tensor->dtype >= RIDGE_DTYPE_I8 && v.u.tensor->dtype <= RIDGE_DTYPE_I64)
        return ridge_tensor_number(out, v, RIDGE_PY_T_INT, in);
    if (v.type == RIDGE_PY_T_FLOAT || v.type == RIDGE_PY_T_STR || v.type == RIDGE_PY_T_DICT || v.type == RIDGE_PY_T_INSTANCE)
        return ridge_py_raise(in, "IndexError",
                              "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got %s)",
                              ridge_py_type_text(v));
    return RIDGE_OK;
}

/* the parts of an index, Ellipsis among them */
static ridge_status parts_of(ridge_py *parts, uint32_t *count, ridge_py index, ridge_py_interp *in)
{
    const ridge_py_list *list = NULL;
    ridge_status st = RIDGE_OK;
    if (index.type == RIDGE_PY_T_INSTANCE && index.u.instance->base.type != RIDGE_PY_T_UNSET)
        index = index.u.instance->base;
    if (index.type == RIDGE_PY_T_TUPLE || (index.type == RIDGE_PY_T_LIST && index.u.list->count < 32 && !only_numbers(index.u.list)))
        list = index.u.list;
    if (list && list->count > 2 * RIDGE_TENSOR_RANK)
        return ridge_py_raise(in, "IndexError", "too many indices for tensor");
    *count = list ? (uint32_t)list->count : 1;
    for (uint32_t i = 0; i < *count && !st; i++)
        st = normal_part(&parts[i], list ? list->items[i] : index, in);
    return st;
}

static ridge_status take_tensor(ridge_index *out, uint32_t *axis, ridge_tensor *t, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    out->given[out->given_count++] = t;
    if (t->dtype == RIDGE_DTYPE_BOOL || t->dtype == RIDGE_DTYPE_U8) {
        bool equal;
        for (uint32_t d = 0; d < t->rank && !st; d++) {
            ridge_py have = out->view->dims[*axis + d];
            if (have.type == RIDGE_PY_T_INT && t->dims[d].type == RIDGE_PY_T_INT &&
                !(st = ridge_size_equal(&equal, t->dims[d], have, in)) && !equal)
                st = ridge_py_raise(in, "IndexError",
                                    "The shape of the mask at index %u does not match the shape of the indexed tensor at index %u", d,
                                    *axis + d);
        }
        st = st ? st : ridge_index_places(out->tensors + *axis, t, in);
        *axis += t->rank;
        out->tensor_count += t->rank;
        return st;
    }
    if (t->dtype > RIDGE_DTYPE_I64)
        return ridge_py_raise(in, "IndexError", "tensors used as indices must be long, int, byte or bool tensors");
    out->tensors[(*axis)++] = t;
    out->tensor_count++;
    return RIDGE_OK;
}

/* True adds a dimension of one element, False one of none: a mask of no dimensions */
static ridge_status take_bool(ridge_index *out, uint32_t *axis, ridge_py v, ridge_py_interp *in)
{
    ridge_py count = ridge_py_int(v.u.b);
    ridge_status st = ridge_view_unsqueeze(&out->view, out->view, *axis, in);
    if (st || (st = ridge_tensor_new(&out->tensors[*axis], RIDGE_DTYPE_I64, &count, 1, in)))
        return st;
    ridge_content_fill(out->tensors[(*axis)++], ridge_py_int(0));
    out->tensor_count++;
    return RIDGE_OK;
}

static ridge_status take_part(ridge_index *out, uint32_t *axis, ridge_py v, ridge_py_interp *in)
{
    ridge_status st;
    switch (v.type) {
    case RIDGE_PY_T_NONE:
        if (out->view->rank >= RIDGE_TENSOR_RANK)
            return ridge_fail(in->err, RIDGE_LIMIT, "a tensor of more than %d dimensions", RIDGE_TENSOR_RANK);
        return ridge_view_unsqueeze(&out->view, out->view, (*axis)++, in);
    case RIDGE_PY_T_BOOL:
        return take_bool(out, axis, v, in);
    case RIDGE_PY_T_TENSOR:
        return take_tensor(out, axis, v.u.tensor, in);
    case RIDGE_PY_T_SLICE: {
        const ridge_py_slice *s = v.u.slice;
        bool all = s->start.type == RIDGE_PY_T_NONE && s->stop.type == RIDGE_PY_T_NONE && s->step.type == RIDGE_PY_T_NONE;
        st = all ? RIDGE_OK : ridge_view_slice(&out->view, out->view, *axis, s->start, s->stop, s->step, in);
        ++*axis;
        return st;
    }
    default:
        if (v.type != RIDGE_PY_T_UNKNOWN && (st = ridge_size_of(&v, v, in)))
            return st;
        return ridge_view_select(&out->view, out->view, *axis, v, in);
    }
}

ridge_status ridge_index_read(ridge_index *out, ridge_tensor *t, ridge_py index, ridge_py_interp *in)
{
    ridge_py parts[2 * RIDGE_TENSOR_RANK];
    uint32_t count = 0, taken = 0, axis = 0;
    bool ellipsis = false;
    ridge_status st = parts_of(parts, &count, index, in);
    *out = (ridge_index){.view = t};
    if (st)
        return st;
    for (uint32_t i = 0; i < count; i++)
        taken += dimensions_of(parts[i]);
    if (taken > t->rank)
        return ridge_py_raise(in, "IndexError", "too many indices for tensor of dimension %u", t->rank);
    for (uint32_t i = 0; i < count && !st; i++) {
        if (parts[i].type != RIDGE_PY_T_ELLIPSIS) {
            st = take_part(out, &axis, parts[i], in);
            continue;
        }
        if (ellipsis)
            return ridge_py_raise(in, "IndexError", "an index can only have a single ellipsis ('...')");
        ellipsis = true;
        axis += t->rank - taken;
    }
    if (!st && out->view == t)
        st = ridge_view_all(&out->view, t, in);
    return st;
}

/* ---- taking ---- */

ridge_status ridge_index_shape(ridge_py *dims, uint32_t *rank, const ridge_index *index, ridge_py_interp *in)
{
    const ridge_tensor *tensors[RIDGE_TENSOR_RANK];
    ridge_py common[RIDGE_TENSOR_RANK];
    uint32_t n = 0, first = UINT32_MAX, last = 0, common_rank, at = 0;
    const ridge_tensor *view = index->view;
    for (uint32_t d = 0; d < view->rank; d++)
        if (index->tensors[d]) {
            tensors[n++] = index->tensors[d];
            first = d < first ? d : first;
            last = d;
        }
    ridge_status st = ridge_tensor_broadcast(common, &common_rank, tensors, n, in);
    if (st)
        return st;
    if (common_rank + view->rank - n > RIDGE_TENSOR_RANK)
        return ridge_fail(in->err, RIDGE_LIMIT, "a tensor of more than %d dimensions", RIDGE_TENSOR_RANK);
    bool adjacent = last - first + 1 == n;
    uint32_t place = adjacent ? first : 0;
    for (uint32_t d = 0; d <= view->rank; d++) {
        if (d == place)
            for (uint32_t k = 0; k < common_rank; k++)
                dims[at++] = common[k];
        if (d < view->rank && !index->tensors[d])
            dims[at++] = view->dims[d];
    }
    *rank = at;
    return RIDGE_OK;
}

/* elements of view[index] where the one tensor and the view are known: along one dimension */
static ridge_status take_values_held(ridge_tensor *out, const ridge_index *index, ridge_py_interp *in)
{
    const ridge_py *values, *places;
    size_t count, taken, inner = 1, size, outer;
    uint32_t axis = 0;
    const ridge_tensor *view = index->view;
    ridge_status st;
    if (ridge_content_fill_like(out, view))
        return RIDGE_OK;
    while (axis < view->rank && !index->tensors[axis])
        axis++;
    if (index->tensor_count != 1 || axis == view->rank || !ridge_content_known(view) ||
        (st = ridge_content_values(&places, &taken, index->tensors[axis], 4096, in)) || !places ||
        (st = ridge_content_values(&values, &count, view, RIDGE_TENSOR_KNOWN, in)) || !values)
        return RIDGE_OK;
    for (uint32_t d = axis + 1; d < view->rank; d++)
        inner *= (size_t)view->dims[d].u.i;
    size = (size_t)view->dims[axis].u.i;
    outer = size && inner ? count / size / inner : 0;
    if (outer * taken * inner > RIDGE_TENSOR_KNOWN)
        return RIDGE_OK;
    ridge_py *list = ridge_arena_array(in->arena, outer * taken * inner + 1, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    size_t n = 0;
    for (size_t o = 0; o < outer; o++)
        for (size_t k = 0; k < taken; k++) {
            int64_t at = places[k].u.i < 0 ? places[k].u.i + (int64_t)size : places[k].u.i;
            if (at < 0 || at >= (int64_t)size)
                return ridge_py_raise(in, "IndexError", "index %lld is out of bounds for dimension %u with size %zu",
                                      (long long)places[k].u.i, axis, size);
            if (o == 0 && (st = ridge_py_pin(places[k], in)))
                return st;
            for (size_t i = 0; i < inner; i++)
                list[n++] = values[(o * size + (size_t)at) * inner + i];
        }
    return ridge_content_set(out, list, n, in);
}

static ridge_status take_values(ridge_tensor *out, const ridge_index *index, ridge_py_interp *in)
{
    ridge_content_hold hold;
    const ridge_status st = ridge_content_begin(&hold, NULL, in);
    return ridge_content_end(st ? st : take_values_held(out, index, in), out, &hold, in);
}

/* rows of one expert stay that; one expert's part of a one-hot tensor holds its rows */
static ridge_status take_tags(ridge_tensor *t, const ridge_index *index, ridge_py_interp *in)
{
    ridge_py expert;
    const ridge_tag *tag = &index->view->tag;
    for (uint32_t d = 0; d < index->view->rank; d++)
        if (index->tensors[d] && index->tensors[d]->tag.kind == RIDGE_TAG_EXPERT_ROWS)
            t->tag = index->tensors[d]->tag;
    if (tag->kind != RIDGE_TAG_ONE_HOT || index->tensor_count != 1 || !index->tensors[tag->axis] ||
        ridge_content_count(index->tensors[tag->axis]) != 1)
        return RIDGE_OK;
    ridge_status st = ridge_content_single(&expert, index->tensors[tag->axis], in);
    if (st || expert.type != RIDGE_PY_T_INT)
        return st;
    t->tag.kind = RIDGE_TAG_EXPERT_ROWS;
    return ridge_expert_share(&t->tag.rows, tag->rows, tag->experts, expert.u.i, in);
}

/* Strides of the copy: ATen runs over the view, whose indexed dimensions stand still, and the index tensors. */
static void lay_taken(ridge_tensor *t, const ridge_index *index)
{
    ridge_tensor shapes[3];
    const ridge_tensor *operands[3];
    const ridge_tensor *view = index->view;
    uint32_t first = UINT32_MAX, last = 0, n = 0, taken = 0, common = t->rank - (view->rank - index->tensor_count), at = 0;
    for (uint32_t d = 0; d < view->rank; d++)
        if (index->tensors[d]) {
            first = d < first ? d : first;
            last = d;
            taken++;
        }
    uint32_t place = last - first + 1 == taken ? first : 0;
    ridge_tensor_read(&shapes[0], t);
    memset(shapes[0].strides, 0, sizeof shapes[0].strides);
    for (uint32_t d = 0; d <= view->rank; d++) {
        at += d == place ? common : 0;
        if (d < view->rank && !index->tensors[d])
            shapes[0].strides[at++] = view->strides[d];
    }
    for (uint32_t d = 0; d < view->rank && n < 2; d++) {
        const ridge_tensor *by = index->tensors[d];
        if (!by)
            continue;
        ridge_tensor *s = &shapes[++n];
        ridge_tensor_read(s, t);
        memset(s->strides, 0, sizeof s->strides);
        s->contiguous = shapes[0].contiguous = false;
        for (uint32_t k = 0; k < by->rank; k++)
            if (!ridge_size_is(by->dims[k], 1))
                s->strides[place + common - by->rank + k] = by->strides[k];
    }
    for (uint32_t i = 0; i <= n; i++)
        operands[i] = &shapes[i];
    ridge_tensor_lay_elementwise(t, operands, n + 1);
}

ridge_status ridge_tensor_get_item(ridge_py *out, ridge_py tensor, ridge_py index, ridge_py_interp *in)
{
    ridge_index read;
    ridge_py dims[RIDGE_TENSOR_RANK];
    const ridge_tensor *inputs[RIDGE_TENSOR_RANK + 1];
    uint32_t rank;
    ridge_tensor *t;
    ridge_status st = ridge_index_read(&read, tensor.u.tensor, index, in);
    if (st)
        return st;
    *out = ridge_py_tensor(read.view);
    if (read.tensor_count == 0)
        return RIDGE_OK;
    if ((st = ridge_index_shape(dims, &rank, &read, in)) || (st = ridge_tensor_new(&t, read.view->dtype, dims, rank, in)) ||
        (st = take_values(t, &read, in)))
        return st;
    lay_taken(t, &read);
    t->requires_grad = read.view->requires_grad;
    if ((st = take_tags(t, &read, in)))
        return st;
    inputs[0] = read.view;
    for (uint32_t i = 0; i < read.given_count; i++)
        inputs[i + 1] = read.given[i];
    *out = ridge_py_tensor(t);
    return ridge_tensor_ran("aten.index.Tensor", inputs, read.given_count + 1, t, in);
}

/* ---- writing ---- */

/* aten.index_put_: the elements of dims are written */
static ridge_status put(const ridge_index *index, ridge_py value, const ridge_py *dims, uint32_t rank, ridge_py_interp *in)
{
    ridge_py inputs[RIDGE_TENSOR_RANK + 2] = {ridge_py_tensor(index->view)}, output = inputs[0];
    ridge_operator_size written = {.name = "s"};
    size_t n = 1;
    const ridge_operator *op = ridge_operator_find("aten.index_put_.default", in);
    ridge_status st = ridge_size_product(&written.value, dims, rank, in);
    if (st || !op)
        return st;
    for (uint32_t i = 0; i < index->given_count; i++)
        inputs[n++] = ridge_py_tensor(index->given[i]);
    if (value.type == RIDGE_PY_T_TENSOR)
        inputs[n++] = value;
    return ridge_operator_record(op, inputs, n, &output, 1, &written, 1, in);
}

/* The places that tensors of the first dimensions name, one after the other, as offsets in rows of the rest; NULL where not all is known */
static ridge_status offsets_of(size_t **out, size_t *count, const ridge_index *index, ridge_py_interp *in)
{
    size_t *at = NULL, n = 0, all = 0;
    *out = NULL;
    for (uint32_t d = 0; d < index->tensor_count; d++) {
        const ridge_py *places;
        if (d >= index->view->rank || !index->tensors[d])
            return RIDGE_OK;
        ridge_status st = ridge_content_values(&places, &n, index->tensors[d], 4096, in);
        if (st || !places || (d && n != all))
            return st;
        if (!at && !(at = ridge_arena_array(in->arena, n + 1, sizeof *at)))
            return ridge_no_memory(in->err);
        all = n;
        int64_t size = ridge_size_concrete(index->view->dims[d]);
        for (size_t i = 0; i < n; i++) {
            int64_t place = places[i].u.i < 0 ? places[i].u.i + size : places[i].u.i;
            if (places[i].type != RIDGE_PY_T_INT || place < 0 || place >= size)
                return RIDGE_OK;
            at[i] = at[i] * (size_t)size + (size_t)place;
        }
        if ((st = ridge_content_ask(index->tensors[d], in)))
            return st;
    }
    *out = at;
    *count = all;
    return RIDGE_OK;
}

/* t[rows, columns] = number: the contents afterwards; NULL: they are not known */
static ridge_status after_writing(ridge_tensor **out, const ridge_index *index, ridge_py value, ridge_py_interp *in)
{
    ridge_tensor *view = index->view, *after;
    const ridge_py *values;
    size_t *at, rows, count, inner = 1;
    *out = NULL;
    if (!ridge_py_is_number(value) || !ridge_content_known(view))
        return RIDGE_OK;
    ridge_status st = ridge_content_values(&values, &count, view, RIDGE_TENSOR_KNOWN, in);
    if (st || !values || (st = offsets_of(&at, &rows, index, in)) || !at)
        return st;
    for (uint32_t d = index->tensor_count; d < view->rank; d++)
        inner *= (size_t)ridge_size_concrete(view->dims[d]);
    ridge_py *list = ridge_arena_array(in->arena, count + 1, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    memcpy(list, values, count * sizeof *list);
    if ((st = ridge_content_cast(&value, value, view->dtype, in)))
        return st;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < inner && at[i] * inner + k < count; k++)
            list[at[i] * inner + k] = value;
    if ((st = ridge_tensor_new(&after, view->dtype, view->dims, view->rank, in)) || (st = ridge_content_set(after, list, count, in)))
        return st;
    *out = after;
    return RIDGE_OK;
}

static ridge_status write_places(bool *known, const ridge_index *index, ridge_py value, ridge_py_interp *in)
{
    ridge_content_hold hold;
    ridge_tensor *after = NULL;
    ridge_status st = ridge_content_begin(&hold, NULL, in);
    if (!st)
        st = after_writing(&after, index, value, in);
    st = ridge_content_end(st, after, &hold, in);
    *known = !st && after;
    return *known ? ridge_content_write(index->view, ridge_py_tensor(after), in) : st;
}

/* A number becomes a tensor first: on the host without an operator, on a device by one. */
static ridge_status tensor_of_number(ridge_tensor **out, const ridge_tensor *to, ridge_py_interp *in)
{
    ridge_status st = ridge_tensor_new(out, to->dtype, NULL, 0, in);
    if (st)
        return st;
    (*out)->storage->host = to->storage->host;
    return to->storage->host || to->array ? RIDGE_OK : ridge_tensor_ran("aten.scalar_tensor.default", NULL, 0, *out, in);
}

/* t[1:, 0] = number: a tensor of the host fills what lies there, others are copied */
static ridge_status write_number(ridge_tensor *to, ridge_py_interp *in)
{
    ridge_tensor *number;
    ridge_status st = tensor_of_number(&number, to, in);
    const char *operator= to->storage->host && to->rank ? "aten.fill_.Tensor" : "aten.copy_.default";
    return st ? st : ridge_tensor_ran(operator,(const ridge_tensor *const[]){number}, 1, to, in);
}

/* t[mask] = number: how many elements it takes is in no shape, so all of them are taken to be written */
static ridge_status write_where(ridge_tensor *to, ridge_tensor *mask, ridge_py value, ridge_py_interp *in)
{
    ridge_py output = ridge_py_tensor(to);
    ridge_operator_size written = {.name = "s"};
    ridge_tensor *number, *after;
    const ridge_operator *op = ridge_operator_find("aten.index_put_.default", in);
    ridge_status st = ridge_tensor_elements(&written.value, to, in);
    if (!st)
        st = tensor_of_number(&number, to, in);
    if (!st)
        st = ridge_tensor_new(&after, to->dtype, to->dims, to->rank, in);
    if (!st)
        st = ridge_content_elementwise(after, "where", (ridge_py[]){ridge_py_tensor(mask), value, output}, 3, in);
    if (!st)
        st = ridge_content_write(to, ridge_py_tensor(after), in);
    if (st || !op)
        return st;
    return ridge_operator_record(op, (ridge_py[]){output, ridge_py_tensor(mask), ridge_py_tensor(number)}, 3, &output, 1, &written, 1, in);
}

ridge_status ridge_tensor_set_item(ridge_py tensor, ridge_py index, ridge_py value, ridge_py_interp *in)
{
    ridge_index read;
    const ridge_tensor *inputs[RIDGE_TENSOR_RANK + 2];
    ridge_py dims[RIDGE_TENSOR_RANK], joined[RIDGE_TENSOR_RANK];
    uint32_t rank, joined_rank, n = 0;
    bool mask =
        index.type == RIDGE_PY_T_TENSOR && index.u.tensor->dtype == RIDGE_DTYPE_BOOL && index.u.tensor->rank == tensor.u.tensor->rank;
    if (mask && ridge_py_is_number(value))
        return write_where(tensor.u.tensor, index.u.tensor, value, in);
    ridge_status st = ridge_index_read(&read, tensor.u.tensor, index, in);
    if (st)
        return st;
    if (value.type == RIDGE_PY_T_UNKNOWN || value.type == RIDGE_PY_T_NONE)
        value = ridge_py_unset();
    if (read.tensor_count)
        st = ridge_index_shape(dims, &rank, &read, in);
    else {
        rank = read.view->rank;
        memcpy(dims, read.view->dims, read.view->rank * sizeof *dims);
    }
    if (st)
        return st;
    if (value.type == RIDGE_PY_T_TENSOR) { /* must broadcast to what is written; leading dimensions of 1 more are let through */
        const ridge_tensor shape = {.rank = rank}, *both[2] = {&shape, value.u.tensor};
        memcpy(((ridge_tensor *)(uintptr_t)&shape)->dims, dims, rank * sizeof *dims);
        if ((st = ridge_tensor_broadcast(joined, &joined_rank, both, 2, in)))
            return st;
        inputs[n++] = value.u.tensor;
    }
    if (read.tensor_count) {
        bool known;
        if ((st = write_places(&known, &read, value, in)))
            return st;
        if (!known)
            ridge_content_void(read.view);
        return put(&read, value, dims, rank, in);
    }
    if ((st = ridge_content_write(read.view, value, in)))
        return st;
    return value.type == RIDGE_PY_T_TENSOR ? ridge_tensor_ran("aten.copy_.default", inputs, n, read.view, in) : write_number(read.view, in);
}
