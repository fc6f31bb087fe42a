/* Reductions, sums along an axis, the largest of a row: "m" elements of the input, "n" of the result. */
#include "opgraph/onnx.h"

/* the axes of an attribute, an input (version 13 and 18), or all; *none: by noop_with_empty_axes nothing is reduced */
static ridge_status reduced_axes(bool *is, bool *none, ridge_opgraph_call *call, ridge_opset_list axes)
{
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_status st = ridge_opset_axes(is, call, axes, x->rank);
    *none = !axes.count && ridge_opgraph_whole(call->node, "noop_with_empty_axes", 0) != 0;
    for (uint32_t i = 0; !st && !axes.count && !*none && i < x->rank; i++)
        is[i] = true;
    return st;
}

static ridge_opset_dims without(const ridge_opgraph_tensor *x, const bool *is, bool keep)
{
    ridge_opset_dims out = {0};
    for (uint32_t i = 0; i < x->rank; i++)
        if (!is[i])
            out.at[out.rank++] = x->dims[i];
        else if (keep)
            out.at[out.rank++] = 1;
    return out;
}

/* ReduceMean of a quantised tensor has scales where the axes would be: QLinearReduceMean has them as an attribute */
ridge_status ridge_onnx_rule_reduce(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    ridge_opset_list axes = ridge_opset_attribute(call, "axes");
    bool is[RIDGE_OPGRAPH_RANK], none, quantised = strncmp(ridge_opset_op(call), "QLinear", 7) == 0;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (!axes.there && !quantised && !ridge_opset_held(&axes, call, 1))
        return ridge_opset_as_declared(call, 0, x->format, "its axes are decided by data");
    if ((st = reduced_axes(is, &none, call, axes)))
        return st;
    ridge_opset_dims out = without(x, is, ridge_opgraph_whole(call->node, "keepdims", 1) != 0);
    ridge_opgraph_size_is(call, "m", none ? 0 : x->elements);
    if ((st = ridge_opset_set(call, 0, x->format, &out)))
        return st;
    if (!none)
        return ridge_opset_fold_reduce(call, ridge_opset_op(call), is);
    ridge_opset_hold_same(call, 0, x);
    return RIDGE_OK;
}

ridge_status ridge_onnx_rule_arg(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    bool is[RIDGE_OPGRAPH_RANK] = {false};
    uint32_t axis;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if ((st = ridge_opset_axis(&axis, call, ridge_opgraph_whole(call->node, "axis", 0), x->rank)))
        return st;
    is[axis] = true;
    ridge_opset_dims out = without(x, is, ridge_opgraph_whole(call->node, "keepdims", 1) != 0);
    ridge_opset_count(call, "m", x);
    return ridge_opset_set(call, 0, ridge_opset_format_named("i64"), &out);
}

/* ---- CumSum ---- */

static ridge_status hold_sums(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *x = call->in[0];
    bool plain = !ridge_opgraph_whole(call->node, "exclusive", 0) && !ridge_opgraph_whole(call->node, "reverse", 0);
    if (!ridge_opgraph_holds(call, 0) || !plain || x->rank != 1 || !x->ints)
        return RIDGE_OK;
    int64_t *ints = ridge_opgraph_room(call, 0), sum = 0;
    if (!ints)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < x->content_count; i++) {
        if (__builtin_add_overflow(sum, x->ints[i], &sum) || !ridge_opset_fits(sum, x->format))
            return RIDGE_OK;
        ints[i] = sum;
    }
    return ridge_opgraph_give_ints(call, 0, ints, x->content_count);
}

ridge_status ridge_onnx_rule_scan_sum(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    if (!st)
        st = ridge_opgraph_set_like(call, 0, ridge_opset_format_of(call, 0), call->in[0]);
    if (st)
        return st;
    ridge_opset_count(call, "n", call->in[0]);
    return hold_sums(call);
}

/* before version 13 the axis parts rows from columns, which changes nothing of what it costs */
ridge_status ridge_onnx_rule_softmax(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    int64_t axis = ridge_opgraph_whole(call->node, "axis", -1);
    uint32_t at;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (x->rank && axis != x->rank && (st = ridge_opset_axis(&at, call, axis, x->rank)))
        return st;
    ridge_opset_count(call, "n", x);
    return ridge_opgraph_set_like(call, 0, x->format, x);
}

/* k is an attribute before version 10 */
ridge_status ridge_onnx_rule_topk(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    ridge_opset_list k;
    uint32_t axis;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if ((st = ridge_opset_axis(&axis, call, ridge_opgraph_whole(call->node, "axis", -1), x->rank)))
        return st;
    if (!ridge_opset_listed(&k, call, "k", 1)) {
        st = ridge_opset_as_declared(call, 0, x->format, "how many it takes is decided by data");
        return st ? st : ridge_opset_as_declared(call, 1, ridge_opset_format_named("i64"), "how many it takes is decided by data");
    }
    if (k.count != 1 || k.at[0] < 0 || k.at[0] > x->dims[axis])
        return ridge_opgraph_wrong(call, "it takes %lld of axis %u of %s", k.count ? (long long)k.at[0] : -1LL, axis,
                                   ridge_opgraph_shape_text(call, x));
    ridge_opset_dims out = ridge_opset_dims_of(x);
    out.at[axis] = k.at[0];
    if (!(st = ridge_opset_set(call, 0, x->format, &out)))
        st = ridge_opset_set(call, 1, ridge_opset_format_named("i64"), &out);
    return st;
}

/* scores [N, C, d1, ...] against labels [N, d1, ...]: one number, or one per label */
ridge_status ridge_onnx_rule_loss(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    if (st)
        return st;
    const ridge_opgraph_tensor *scores = call->in[0], *labels = call->in[1];
    if (scores->rank != labels->rank + 1 || scores->rank < 2)
        return ridge_opgraph_wrong(call, "the scores are %s and the labels %s", ridge_opgraph_shape_text(call, scores),
                                   ridge_opgraph_shape_text(call, labels));
    bool none = ridge_str_is(ridge_opgraph_text(call->node, "reduction", "mean"), "none");
    ridge_opset_count(call, "m", scores);
    ridge_opset_count(call, "l", labels);
    st = ridge_opgraph_set(call, 0, scores->format, labels->dims, none ? labels->rank : 0);
    return st ? st : ridge_opgraph_set_like(call, 1, scores->format, scores);
}
