/* Results whose shape depends on what their inputs hold: known where the input is a known constant, else what the file says of it. */
#include "opgraph/onnx.h"

static bool is_set(const ridge_opgraph_tensor *t, size_t i)
{
    return t->ints ? t->ints[i] != 0 : t->reals[i] != 0;
}

static size_t set_count(const ridge_opgraph_tensor *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->content_count; i++)
        n += is_set(t, i);
    return n;
}

/* coordinates of those that are not 0, a column each */
static ridge_status hold_places(ridge_opgraph_call *call, const ridge_opgraph_tensor *x, size_t count)
{
    if (!ridge_opgraph_holds(call, 0))
        return RIDGE_OK;
    int64_t *ints = ridge_opgraph_room(call, 0);
    if (!ints)
        return ridge_no_memory(call->run->err);
    size_t column = 0;
    for (size_t i = 0; i < x->content_count; i++) {
        if (!is_set(x, i))
            continue;
        size_t rest = i;
        for (uint32_t d = x->rank; d-- > 0; rest /= (size_t)x->dims[d])
            ints[d * count + column] = (int64_t)(rest % (size_t)x->dims[d]);
        column++;
    }
    return ridge_opgraph_give_ints(call, 0, ints, count * x->rank);
}

ridge_status ridge_onnx_rule_nonzero(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (!ridge_opset_is_held(x))
        return ridge_opset_as_declared(call, 0, ridge_opset_format_named("i64"), "how many elements are not 0 is decided by data");
    size_t count = set_count(x);
    ridge_opset_dims out = {.rank = 2, .at = {x->rank, (int64_t)count}};
    st = ridge_opset_set(call, 0, ridge_opset_format_named("i64"), &out);
    return st ? st : hold_places(call, x, count);
}

/* the slices along an axis, or the elements, whose condition is true; a condition that is too short is false for the rest */
ridge_status ridge_onnx_rule_compress(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    uint32_t axis = 0;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0], *condition = call->in[1];
    ridge_opset_list at = ridge_opset_attribute(call, "axis");
    if (at.count && (st = ridge_opset_axis(&axis, call, at.at[0], x->rank)))
        return st;
    if (!ridge_opset_is_held(condition))
        return ridge_opset_as_declared(call, 0, x->format, "how much it takes is decided by data");
    ridge_opset_dims out = at.count ? ridge_opset_dims_of(x) : (ridge_opset_dims){.rank = 1};
    out.at[axis] = (int64_t)set_count(condition);
    call->step->gathered = ridge_opgraph_product(out.at, 0, out.rank);
    return ridge_opset_set(call, 0, x->format, &out);
}

/* Y, indices, inverse_indices, counts: how many are distinct is the data's to say; the inverse has an index for each */
ridge_status ridge_onnx_rule_unique(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    uint32_t axis = 0;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    const ridge_format *i64 = ridge_opset_format_named("i64");
    ridge_opset_list at = ridge_opset_attribute(call, "axis");
    if (at.count && (st = ridge_opset_axis(&axis, call, at.at[0], x->rank)))
        return st;
    int64_t inverse = at.count ? x->dims[axis] : (int64_t)x->elements;
    if ((st = ridge_opgraph_set(call, 2, i64, &inverse, 1)))
        return st;
    static const char *const why = "how many are distinct is decided by data";
    if ((st = ridge_opset_as_declared(call, 0, x->format, why)) ||
        (ridge_opset_wants(call, 1) && (st = ridge_opset_as_declared(call, 1, i64, why))))
        return st;
    return ridge_opset_wants(call, 3) ? ridge_opset_as_declared(call, 3, i64, why) : RIDGE_OK;
}

/* boxes [N, B, 4], scores [N, C, B] -> [selected, 3] */
ridge_status ridge_onnx_rule_nms(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    return st ? st : ridge_opset_as_declared(call, 0, ridge_opset_format_named("i64"), "how many boxes are left is decided by data");
}
