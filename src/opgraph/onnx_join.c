/* Tensors that are joined, cut and padded. */
#include "opgraph/onnx.h"

/* ---- Concat ---- */

/* the inputs' contents, one block after the other along the axis */
static ridge_status join_contents(ridge_opgraph_call *call, uint32_t axis, uint32_t first, uint32_t every)
{
    if (!ridge_opgraph_holds(call, 0))
        return RIDGE_OK;
    const ridge_opgraph_tensor *out = call->out[0];
    bool whole = call->in[first]->ints != NULL;
    for (uint32_t i = first; i < call->in_count; i += every)
        if (!ridge_opset_is_held(call->in[i]) || (call->in[i]->ints != NULL) != whole)
            return RIDGE_OK;
    size_t count = (size_t)out->elements, to = 0, rows = (size_t)ridge_opgraph_product(out->dims, 0, axis);
    int64_t *ints = whole ? ridge_opgraph_room(call, 0) : NULL;
    double *reals = whole ? NULL : ridge_opgraph_room(call, 0);
    if (!ints && !reals)
        return ridge_no_memory(call->run->err);
    for (size_t row = 0; row < rows; row++)
        for (uint32_t i = first; i < call->in_count; i += every) {
            size_t block = call->in[i]->content_count / rows;
            for (size_t j = 0; j < block && to < count; j++, to++)
                if (whole)
                    ints[to] = call->in[i]->ints[row * block + j];
                else
                    reals[to] = call->in[i]->reals[row * block + j];
        }
    return whole ? ridge_opgraph_give_ints(call, 0, ints, count) : ridge_opgraph_give_reals(call, 0, reals, count);
}

/* tensors at first, first + every, ... */
static ridge_status join(ridge_opgraph_call *call, uint32_t first, uint32_t every, const ridge_format *format)
{
    if (call->in_count <= first)
        return ridge_opgraph_wrong(call, "it has nothing to join");
    const ridge_opgraph_tensor *x = call->in[first];
    uint32_t axis;
    ridge_status st = ridge_opset_needs(call, call->in_count - (every == 3 ? 2 : 0));
    if (!st)
        st = ridge_opset_axis(&axis, call, ridge_opgraph_whole(call->node, "axis", 1),
                              x->rank); /* 1: versions before 4, where it may be left out */
    if (st)
        return st;
    ridge_opset_dims out = ridge_opset_dims_of(x);
    for (uint32_t i = first + every; i < call->in_count; i += every) {
        const ridge_opgraph_tensor *t = call->in[i];
        bool fits = t->rank == x->rank;
        for (uint32_t d = 0; fits && d < t->rank; d++)
            fits = d == axis || t->dims[d] == x->dims[d];
        if (!fits || __builtin_add_overflow(out.at[axis], t->dims[axis], &out.at[axis]))
            return ridge_opgraph_wrong(call, "%s and %s do not join along axis %u", ridge_opgraph_shape_text(call, x),
                                       ridge_opgraph_shape_text(call, t), axis);
    }
    st = ridge_opset_set(call, 0, format, &out);
    return st ? st : join_contents(call, axis, first, every);
}

ridge_status ridge_onnx_rule_concat(ridge_opgraph_call *call)
{
    return join(call, 0, 1, ridge_opset_format_of(call, 0));
}

/* Y_scale, Y_zero_point, then each tensor with its scale and its zero point */
ridge_status ridge_onnx_rule_concat_quantised(ridge_opgraph_call *call)
{
    if (call->in_count < 5 || (call->in_count - 2) % 3 != 0)
        return ridge_opgraph_wrong(call, "it has %u inputs; it wants two, and three for each tensor", call->in_count);
    return join(call, 2, 3, ridge_opset_format_of(call, 2));
}

/* ---- cuts: an element at `at` comes from begin + at*step ---- */
typedef struct cut {
    uint32_t rank;
    int64_t begin[RIDGE_OPGRAPH_RANK], step[RIDGE_OPGRAPH_RANK], strides[RIDGE_OPGRAPH_RANK],
        size[RIDGE_OPGRAPH_RANK]; /* size: of the input */
} cut;

static size_t cut_place(const void *how, const int64_t *at)
{
    const cut *c = how;
    int64_t place = 0;
    for (uint32_t i = 0; i < c->rank; i++) {
        int64_t from = c->begin[i] + at[i] * c->step[i];
        if (from < 0 || from >= c->size[i])
            return SIZE_MAX;
        place += from * c->strides[i];
    }
    return (size_t)place;
}

static cut whole_of(const ridge_opgraph_tensor *x)
{
    cut c = {.rank = x->rank};
    ridge_opset_strides(c.strides, x);
    for (uint32_t i = 0; i < x->rank; i++) {
        c.step[i] = 1;
        c.size[i] = x->dims[i];
    }
    return c;
}

/* ---- Split: into the parts that `split` says, else into equal ones, of which the last may be shorter ---- */

static ridge_status part_of(int64_t *size, ridge_opgraph_call *call, ridge_opset_list split, int64_t whole, uint32_t i, int64_t parts)
{
    if (split.there) {
        *size = split.at[i];
        return *size >= 0 ? RIDGE_OK : ridge_opgraph_wrong(call, "a part of %lld", (long long)*size);
    }
    int64_t each = whole / parts + (whole % parts != 0);
    if (whole % parts != 0 && !ridge_opgraph_argument_of(call->node, "num_outputs"))
        return ridge_opgraph_wrong(call, "%lld are to be split into %lld equal parts", (long long)whole, (long long)parts);
    int64_t left = whole - each * i;
    *size = left < 0 ? 0 : left < each ? left : each;
    return RIDGE_OK;
}

ridge_status ridge_onnx_rule_split(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    ridge_opset_list split;
    uint32_t axis;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if ((st = ridge_opset_axis(&axis, call, ridge_opgraph_whole(call->node, "axis", 0), x->rank)))
        return st;
    if (!ridge_opset_listed(&split, call, "split", 1))
        return ridge_opgraph_unknown(call, "the sizes of its parts are decided by data");
    if (split.there && (st = ridge_opset_count_is(call, "split", split.count, call->out_count)))
        return st;
    int64_t parts = ridge_opgraph_whole(call->node, "num_outputs", call->out_count), sum = 0;
    if (parts < 1 || (!split.there && parts != call->out_count))
        return ridge_opgraph_wrong(call, "num_outputs is %lld, and it has %u result%s", (long long)parts, call->out_count,
                                   RIDGE_PLURAL(call->out_count));
    cut c = whole_of(x);
    ridge_opset_dims out = ridge_opset_dims_of(x);
    for (uint32_t i = 0; !st && i < call->out_count; i++) {
        if ((st = part_of(&out.at[axis], call, split, x->dims[axis], i, parts)) || (st = ridge_opset_set(call, i, x->format, &out)))
            return st;
        c.begin[axis] = sum;
        st = ridge_opset_hold_from(call, i, x, cut_place, &c, (ridge_opset_filling){0});
        if (__builtin_add_overflow(sum, out.at[axis], &sum))
            return ridge_opgraph_wrong(call, "its parts are too long");
    }
    return st || sum == x->dims[axis] ? st
                                      : ridge_opgraph_wrong(call, "the parts of axis %u of %s are %lld together", axis,
                                                            ridge_opgraph_shape_text(call, x), (long long)sum);
}

/* ---- Slice ---- */
typedef struct slices {
    ridge_opset_list starts, ends, axes, steps;
} slices;

/* attributes before version 10, inputs since then */
static bool slices_of(slices *s, const ridge_opgraph_call *call)
{
    return ridge_opset_listed(&s->starts, call, "starts", 1) && ridge_opset_listed(&s->ends, call, "ends", 2) &&
           ridge_opset_listed(&s->axes, call, "axes", 3) && ridge_opset_held(&s->steps, call, 4);
}

static int64_t bounded(int64_t at, int64_t low, int64_t high)
{
    return at < low ? low : at > high ? high : at;
}

/* elements from start to end, which count from the end where below 0, and end outside where above it */
static ridge_status slice_axis(int64_t *size, cut *c, ridge_opgraph_call *call, uint32_t axis, int64_t start, int64_t end, int64_t step)
{
    int64_t n = c->size[axis];
    if (step == 0 || step == INT64_MIN)
        return ridge_opgraph_wrong(call, "a step of %lld", (long long)step);
    start = start < 0 && start >= -n ? start + n : start;
    end = end < 0 && end >= -n ? end + n : end;
    start = bounded(start, 0, step > 0 ? n : n - 1);
    end = step > 0 ? bounded(end, 0, n) : bounded(end, -1, n);
    int64_t length = step > 0 ? end - start : start - end, stride = step > 0 ? step : -step;
    *size = length > 0 ? length / stride + (length % stride != 0) : 0;
    c->begin[axis] = start;
    c->step[axis] = *size > 1 ? step : 1;
    return RIDGE_OK;
}

static ridge_status slice_all(ridge_opset_dims *out, cut *c, ridge_opgraph_call *call, const slices *s)
{
    const ridge_opgraph_tensor *x = call->in[0];
    bool is[RIDGE_OPGRAPH_RANK];
    if (!s->starts.there || s->starts.count != s->ends.count || (s->axes.there && s->axes.count != s->starts.count) ||
        (s->steps.there && s->steps.count != s->starts.count) || (!s->axes.there && s->starts.count > x->rank))
        return ridge_opgraph_wrong(call, "it has %zu starts, %zu ends, %zu axes and %zu steps for %s", s->starts.count, s->ends.count,
                                   s->axes.count, s->steps.count, ridge_opgraph_shape_text(call, x));
    ridge_status st = ridge_opset_axes(is, call, s->axes, x->rank);
    for (size_t i = 0; !st && i < s->starts.count; i++) {
        uint32_t axis = (uint32_t)i;
        if (s->axes.there)
            (void)ridge_opgraph_axis(&axis, s->axes.at[i], x->rank);
        st = slice_axis(&out->at[axis], c, call, axis, s->starts.at[i], s->ends.at[i], s->steps.there ? s->steps.at[i] : 1);
    }
    return st;
}

ridge_status ridge_onnx_rule_slice(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    slices s;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_opset_dims out = ridge_opset_dims_of(x);
    if (!slices_of(&s, call)) {
        bool said;
        if ((st = ridge_opset_declared(&said, &out, call, 0)) || !said)
            return st ? st : ridge_opgraph_unknown(call, "where it cuts is decided by data");
        call->step->gathered = ridge_opgraph_product(out.at, 0, out.rank);
        return ridge_opset_set(call, 0, x->format, &out);
    }
    cut c = whole_of(x);
    if ((st = slice_all(&out, &c, call, &s)) || (st = ridge_opset_set(call, 0, x->format, &out)))
        return st;
    call->step->gathered = ridge_opgraph_product(out.at, 0, out.rank);
    return ridge_opset_hold_from(call, 0, x, cut_place, &c, (ridge_opset_filling){0});
}

/* ---- Pad: data, pads, constant_value, axes ---- */

static ridge_status pad_all(ridge_opset_dims *out, cut *c, ridge_opgraph_call *call, ridge_opset_list pads, ridge_opset_list axes)
{
    const ridge_opgraph_tensor *x = call->in[0];
    size_t count = axes.there ? axes.count : x->rank;
    bool is[RIDGE_OPGRAPH_RANK];
    ridge_status st = ridge_opset_count_is(call, "pads", pads.count, 2 * count);
    if (!st)
        st = ridge_opset_axes(is, call, axes, x->rank);
    for (size_t i = 0; !st && i < count; i++) {
        uint32_t axis = (uint32_t)i;
        if (axes.there)
            (void)ridge_opgraph_axis(&axis, axes.at[i], x->rank);
        int64_t before = pads.at[i], after = pads.at[count + i];
        if (__builtin_add_overflow(out->at[axis], before, &out->at[axis]) || __builtin_add_overflow(out->at[axis], after, &out->at[axis]) ||
            out->at[axis] < 0 || before == INT64_MIN)
            return ridge_opgraph_wrong(call, "axis %u of %s is padded by %lld and %lld", axis, ridge_opgraph_shape_text(call, x),
                                       (long long)before, (long long)after);
        c->begin[axis] = -before;
    }
    return st;
}

/* Paddings below 0 cut off: what is left is read. */
static ridge_status reads_left(ridge_opgraph_call *call, const ridge_opset_dims *out, const cut *c)
{
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_opset_dims left = ridge_opset_dims_of(x);
    bool cuts = false;
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t begin = c->begin[i] > 0 ? c->begin[i] : 0, end = c->begin[i] + out->at[i]; /* of the input */
        end = end < x->dims[i] ? end : x->dims[i];
        left.at[i] = end > begin ? end - begin : 0;
        cuts = cuts || left.at[i] < x->dims[i];
    }
    return cuts ? ridge_opset_reads(call, 0, ridge_opgraph_product(left.at, 0, left.rank)) : RIDGE_OK;
}

static bool filling_of(ridge_opset_filling *out, const ridge_opgraph_call *call)
{
    *out = (ridge_opset_filling){.real = ridge_opgraph_real(call->node, "value", 0)};
    const ridge_opgraph_tensor *value = ridge_opgraph_in(call, 2);
    if (!value)
        return true;
    if (value->content_count != 1)
        return false;
    out->whole = value->ints ? value->ints[0] : 0;
    out->real = value->reals ? value->reals[0] : 0;
    return true;
}

ridge_status ridge_onnx_rule_pad(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    ridge_opset_list pads = ridge_opset_attribute(call, "paddings"), axes; /* its name in version 1 */
    ridge_opset_filling filling;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if ((!pads.there && !ridge_opset_listed(&pads, call, "pads", 1)) || !ridge_opset_held(&axes, call, 3))
        return ridge_opset_as_declared(call, 0, x->format, "how much it pads is decided by data");
    ridge_opset_dims out = ridge_opset_dims_of(x);
    cut c = whole_of(x);
    if ((st = pad_all(&out, &c, call, pads, axes)) || (st = ridge_opset_set(call, 0, x->format, &out)) || (st = reads_left(call, &out, &c)))
        return st;
    bool constant = ridge_str_is(ridge_opgraph_text(call->node, "mode", "constant"), "constant");
    return constant && filling_of(&filling, call) ? ridge_opset_hold_from(call, 0, x, cut_place, &c, filling) : RIDGE_OK;
}

/* ---- CenterCropPad: the middle of the input, or the input in the middle ---- */
ridge_status ridge_onnx_rule_center_crop_pad(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    ridge_opset_list shape, axes = ridge_opset_attribute(call, "axes");
    bool is[RIDGE_OPGRAPH_RANK];
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (!ridge_opset_held(&shape, call, 1))
        return ridge_opset_as_declared(call, 0, x->format, "its shape is decided by data");
    if ((st = ridge_opset_count_is(call, "the new shape", shape.count, axes.there ? axes.count : x->rank)) ||
        (st = ridge_opset_axes(is, call, axes, x->rank)))
        return st;
    ridge_opset_dims out = ridge_opset_dims_of(x), taken = out;
    for (size_t i = 0; i < shape.count; i++) {
        uint32_t axis = (uint32_t)i;
        if (axes.there)
            (void)ridge_opgraph_axis(&axis, axes.at[i], x->rank);
        if (shape.at[i] < 0)
            return ridge_opgraph_wrong(call, "a dimension of %lld", (long long)shape.at[i]);
        out.at[axis] = shape.at[i];
        taken.at[axis] = shape.at[i] < x->dims[axis] ? shape.at[i] : x->dims[axis];
    }
    call->step->gathered = ridge_opgraph_product(taken.at, 0, taken.rank);
    return ridge_opset_set(call, 0, x->format, &out);
}
