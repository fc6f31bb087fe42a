/* Shapes as numbers, and the same elements in another shape. */
#include "opgraph/onnx.h"

/* ---- Shape, Size: nothing of the input is read ---- */

static int64_t clamped(int64_t at, int64_t rank)
{
    at = at < 0 ? at + rank : at;
    return at < 0 ? 0 : at > rank ? rank : at;
}

/* start and end (version 15) count dimensions; of an input whose shape is known in part its rank is enough for the result's shape */
ridge_status ridge_onnx_rule_shape(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    bool ranked = x->known || (x->value && x->value->ranked);
    if (!ranked)
        return ridge_opgraph_unknown(call, "%s", x->why ? x->why : "the shape of its input is not known");
    int64_t rank = x->known ? x->rank : x->value->rank;
    int64_t start = clamped(ridge_opgraph_whole(call->node, "start", 0), rank),
            end = clamped(ridge_opgraph_whole(call->node, "end", rank), rank);
    int64_t count = end > start ? end - start : 0;
    call->step->gathered = 0;
    st = ridge_opgraph_set(call, 0, ridge_opset_format_named("i64"), &count, 1);
    return st || !x->known ? st : ridge_opgraph_give_ints(call, 0, x->dims + (count ? start : 0), (size_t)count);
}

ridge_status ridge_onnx_rule_size(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    call->step->gathered = 0;
    int64_t elements = (int64_t)call->in[0]->elements; /* at most 2^62: ridge_opgraph_set */
    st = ridge_opgraph_set(call, 0, ridge_opset_format_named("i64"), NULL, 0);
    return st ? st : ridge_opgraph_hold_ints(call, 0, &elements, 1);
}

/* ---- views ---- */

static ridge_status viewed(ridge_opgraph_call *call, const ridge_opset_dims *dims)
{
    ridge_status st = ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), dims);
    if (!st)
        ridge_opset_hold_same(call, 0, call->in[0]);
    return st;
}

/* one -1 is what is left; 0 is the input's own dimension, but with allowzero (version 14) */
static ridge_status reshaped(ridge_opset_dims *out, ridge_opgraph_call *call, ridge_opset_list shape)
{
    const ridge_opgraph_tensor *x = call->in[0];
    bool zero = ridge_opgraph_whole(call->node, "allowzero", 0) != 0;
    uint32_t open = RIDGE_OPGRAPH_NONE;
    if (shape.count > RIDGE_OPGRAPH_RANK)
        return ridge_opgraph_wrong(call, "a shape of %zu dimensions", shape.count);
    out->rank = (uint32_t)shape.count;
    for (uint32_t i = 0; i < out->rank; i++) {
        out->at[i] = shape.at[i];
        if (shape.at[i] == 0 && !zero) {
            if (i >= x->rank)
                return ridge_opgraph_wrong(call, "dimension %u of the new shape is to be that of %s", i, ridge_opgraph_shape_text(call, x));
            out->at[i] = x->dims[i];
        } else if (shape.at[i] == -1 && open == RIDGE_OPGRAPH_NONE) {
            open = i;
            out->at[i] = 1;
        } else if (shape.at[i] < 0) {
            return ridge_opgraph_wrong(call, "dimension %u of the new shape is %lld", i, (long long)shape.at[i]);
        }
    }
    ridge_int given = ridge_opgraph_product(out->at, 0, out->rank);
    if (open != RIDGE_OPGRAPH_NONE && given > 0 && x->elements % given == 0) {
        out->at[open] = (int64_t)(x->elements / given);
        given = x->elements;
    }
    ridge_opgraph_tensor wanted = {.known = true, .rank = out->rank, .dims = shape.at};
    return given == x->elements ? RIDGE_OK
                                : ridge_opgraph_wrong(call, "%s has other elements than the new shape %s",
                                                      ridge_opgraph_shape_text(call, x), ridge_opgraph_shape_text(call, &wanted));
}

ridge_status ridge_onnx_rule_reshape(ridge_opgraph_call *call)
{
    ridge_opset_list shape;
    ridge_opset_dims out;
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    if (!ridge_opset_listed(&shape, call, "shape", 1))
        return ridge_opset_as_declared(call, 0, ridge_opset_format_of(call, 0), "its shape is decided by data");
    if (!shape.there)
        return ridge_opgraph_wrong(call, "it has no shape");
    st = reshaped(&out, call, shape);
    return st ? st : viewed(call, &out);
}

ridge_status ridge_onnx_rule_squeeze(ridge_opgraph_call *call)
{
    ridge_opset_list axes;
    bool is[RIDGE_OPGRAPH_RANK];
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (!ridge_opset_listed(&axes, call, "axes", 1))
        return ridge_opset_as_declared(call, 0, x->format, "its axes are decided by data");
    if ((st = ridge_opset_axes(is, call, axes, x->rank)))
        return st;
    ridge_opset_dims out = {0};
    for (uint32_t i = 0; i < x->rank; i++) {
        if (is[i] && x->dims[i] != 1)
            return ridge_opgraph_wrong(call, "axis %u of %s is not 1", i, ridge_opgraph_shape_text(call, x));
        if (axes.there ? !is[i] : x->dims[i] != 1)
            out.at[out.rank++] = x->dims[i];
    }
    return viewed(call, &out);
}

ridge_status ridge_onnx_rule_unsqueeze(ridge_opgraph_call *call)
{
    ridge_opset_list axes;
    bool is[RIDGE_OPGRAPH_RANK];
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (!ridge_opset_listed(&axes, call, "axes", 1))
        return ridge_opset_as_declared(call, 0, x->format, "its axes are decided by data");
    if (!axes.there)
        return ridge_opgraph_wrong(call, "it has no axes");
    if (axes.count > RIDGE_OPGRAPH_RANK - x->rank)
        return ridge_opgraph_wrong(call, "its result has more than %d dimensions", RIDGE_OPGRAPH_RANK);
    ridge_opset_dims out = {.rank = x->rank + (uint32_t)axes.count};
    if ((st = ridge_opset_axes(is, call, axes, out.rank)))
        return st;
    for (uint32_t i = 0, from = 0; i < out.rank; i++)
        out.at[i] = is[i] ? 1 : x->dims[from++];
    return viewed(call, &out);
}

/* two dimensions: those before the axis, and the others; the axis may be the rank itself */
ridge_status ridge_onnx_rule_flatten(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    int64_t axis = ridge_opgraph_whole(call->node, "axis", 1);
    if (axis < -(int64_t)x->rank || axis > x->rank)
        return ridge_opgraph_wrong(call, "there is no axis %lld in %s", (long long)axis, ridge_opgraph_shape_text(call, x));
    uint32_t cut = (uint32_t)(axis < 0 ? axis + x->rank : axis);
    ridge_int before = ridge_opgraph_product(x->dims, 0, cut), behind = ridge_opgraph_product(x->dims, cut, x->rank);
    if (before < 0 || before > INT64_MAX || behind < 0 || behind > INT64_MAX)
        return ridge_opgraph_wrong(call, "%s is too large", ridge_opgraph_shape_text(call, x));
    ridge_opset_dims out = {.rank = 2, .at = {(int64_t)before, (int64_t)behind}};
    return viewed(call, &out);
}

/* ---- copies ---- */

/* an element's place is the sum of its coordinates times these */
typedef struct strided {
    uint32_t rank;
    int64_t strides[RIDGE_OPGRAPH_RANK], sizes[RIDGE_OPGRAPH_RANK]; /* sizes: coordinates repeat after so many; 0: they do not */
} strided;

static size_t strided_place(const void *how, const int64_t *at)
{
    const strided *s = how;
    int64_t place = 0;
    for (uint32_t i = 0; i < s->rank; i++)
        place += (s->sizes[i] ? at[i] % s->sizes[i] : at[i]) * s->strides[i];
    return (size_t)place;
}

static bool is_moved_as_view(const ridge_opgraph_tensor *x, const uint32_t *perm)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (x->dims[perm[i]] == 1)
            continue;
        if (perm[i] < last)
            return false;
        last = perm[i];
    }
    return true;
}

ridge_status ridge_onnx_rule_transpose(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_opset_list perm = ridge_opset_attribute(call, "perm");
    bool is[RIDGE_OPGRAPH_RANK];
    uint32_t from[RIDGE_OPGRAPH_RANK];
    int64_t strides[RIDGE_OPGRAPH_RANK];
    if ((perm.there && (st = ridge_opset_count_is(call, "perm", perm.count, x->rank))) || (st = ridge_opset_axes(is, call, perm, x->rank)))
        return st;
    ridge_opset_dims out = {.rank = x->rank};
    strided how = {.rank = x->rank};
    ridge_opset_strides(strides, x);
    for (uint32_t i = 0; i < x->rank; i++) {
        from[i] = x->rank - 1 - i;
        if (perm.there)
            (void)ridge_opgraph_axis(&from[i], perm.at[i], x->rank);
        out.at[i] = x->dims[from[i]];
        how.strides[i] = strides[from[i]];
    }
    call->step->is_view = is_moved_as_view(x, from); /* only ones change places: ONNX Runtime reshapes */
    st = ridge_opset_set(call, 0, x->format, &out);
    return st ? st : ridge_opset_hold_from(call, 0, x, strided_place, &how, (ridge_opset_filling){0});
}

ridge_status ridge_onnx_rule_expand(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    ridge_opset_list shape;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (!ridge_opset_held(&shape, call, 1))
        return ridge_opset_as_declared(call, 0, x->format, "its shape is decided by data");
    if (shape.count > RIDGE_OPGRAPH_RANK)
        return ridge_opgraph_wrong(call, "a shape of %zu dimensions", shape.count);
    ridge_opset_dims out = ridge_opset_dims_of(x);
    for (size_t i = 0; i < shape.count; i++)
        if (shape.at[i] < 0)
            return ridge_opgraph_wrong(call, "dimension %zu of the new shape is %lld", i, (long long)shape.at[i]);
    ridge_opgraph_tensor wanted = {.known = true, .rank = (uint32_t)shape.count, .dims = shape.at};
    if ((st = ridge_opset_broadcast(&out, call, &wanted)) || (st = ridge_opset_set(call, 0, x->format, &out)))
        return st;
    strided how = {.rank = out.rank};
    int64_t strides[RIDGE_OPGRAPH_RANK];
    ridge_opset_strides(strides, x);
    for (uint32_t i = 0; i < x->rank; i++)
        how.strides[out.rank - x->rank + i] = x->dims[i] == 1 ? 0 : strides[i];
    return ridge_opset_hold_from(call, 0, x, strided_place, &how, (ridge_opset_filling){0});
}

/* repeats: one number per dimension; in version 1 inputs 1 and 2 are one count and one axis */
static ridge_status repeats_of(int64_t *repeats, bool *open, ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_opset_list first, second;
    *open = !ridge_opset_held(&first, call, 1) || !ridge_opset_held(&second, call, 2);
    if (*open)
        return RIDGE_OK;
    uint32_t axis;
    for (uint32_t i = 0; i < x->rank; i++)
        repeats[i] = second.there ? 1 : i < first.count ? first.at[i] : -1;
    if (second.there) {
        if (first.count != 1 || second.count != 1)
            return ridge_opgraph_wrong(call, "tiles and axis are one number each");
        ridge_status st = ridge_opset_axis(&axis, call, second.at[0], x->rank);
        if (st)
            return st;
        repeats[axis] = first.at[0];
    } else {
        ridge_status st = ridge_opset_count_is(call, "repeats", first.count, x->rank);
        if (st)
            return st;
    }
    for (uint32_t i = 0; i < x->rank; i++)
        if (repeats[i] < 0)
            return ridge_opgraph_wrong(call, "a dimension is repeated %lld times", (long long)repeats[i]);
    return RIDGE_OK;
}

ridge_status ridge_onnx_rule_tile(ridge_opgraph_call *call)
{
    int64_t repeats[RIDGE_OPGRAPH_RANK];
    bool open;
    ridge_status st = ridge_opset_needs(call, 2);
    if (!st)
        st = repeats_of(repeats, &open, call);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (open)
        return ridge_opset_as_declared(call, 0, x->format, "how often it repeats is decided by data");
    ridge_opset_dims out = {.rank = x->rank};
    strided how = {.rank = x->rank};
    ridge_opset_strides(how.strides, x);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (__builtin_mul_overflow(x->dims[i], repeats[i], &out.at[i]))
            return ridge_opgraph_wrong(call, "a dimension of %lld is repeated %lld times", (long long)x->dims[i], (long long)repeats[i]);
        how.sizes[i] = x->dims[i];
    }
    st = ridge_opset_set(call, 0, x->format, &out);
    return st ? st : ridge_opset_hold_from(call, 0, x, strided_place, &how, (ridge_opset_filling){0});
}
