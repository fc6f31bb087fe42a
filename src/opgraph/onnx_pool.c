/* Pools: "n" elements of the result, "k" places of the window, "m" elements of the input. */
#include "opgraph/onnx.h"

/* ONNX pads for the kernel with its holes, ONNX Runtime for one without: they come to other sizes. */
static bool is_disputed(const ridge_opset_window *w)
{
    bool holes = false;
    for (uint32_t i = 0; i < w->axes; i++)
        holes = holes || (w->kernel[i] > 1 && w->dilation[i] > 1);
    return w->same && holes;
}

/* the result of a pool; indices of a maximum beside it */
static ridge_status pool(ridge_opgraph_call *call, const ridge_format *format)
{
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_opset_window w;
    bool last = ridge_opgraph_whole(call->node, "channels_last", 0) != 0 || strcmp(ridge_opset_op(call), "NhwcMaxPool") == 0;
    if (x->rank < 3)
        return ridge_opgraph_wrong(call, "X is %s; it wants batch, channels and spatial dimensions", ridge_opgraph_shape_text(call, x));
    ridge_status st = ridge_opset_window_read(&w, call, x->rank - 2, NULL);
    ridge_opset_dims out = ridge_opset_dims_of(x);
    if (!st && is_disputed(&w))
        return ridge_opgraph_unknown(call, "runtimes differ in what auto_pad is with dilations");
    for (uint32_t i = 0; !st && i < w.axes; i++) {
        uint32_t axis = i + (last ? 1 : 2);
        st = ridge_opset_window_size(&out.at[axis], call, &w, i, x->dims[axis]);
    }
    if (st)
        return st;
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(out.at, 0, out.rank));
    ridge_opgraph_size_is(call, "k", ridge_opset_window_places(&w));
    st = ridge_opset_set(call, 0, format, &out);
    return st ? st : ridge_opset_set(call, 1, ridge_opset_format_named("i64"), &out);
}

ridge_status ridge_onnx_rule_pool(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    return st ? st : pool(call, ridge_opset_format_of(call, 0));
}

ridge_status ridge_onnx_rule_pool_global(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    bool last = ridge_opgraph_whole(call->node, "channels_last", 0) != 0;
    if (x->rank < 2)
        return ridge_opgraph_wrong(call, "X is %s; it wants batch and channels", ridge_opgraph_shape_text(call, x));
    ridge_opset_dims out = ridge_opset_dims_of(x);
    for (uint32_t i = last ? 1 : 2; i < x->rank - (last ? 1 : 0); i++)
        out.at[i] = 1;
    ridge_opset_count(call, "m", x);
    return ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), &out);
}

/* ---- MaxUnpool: X, indices, output_shape ---- */
ridge_status ridge_onnx_rule_unpool(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    ridge_opset_list shape;
    ridge_opset_window w;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (x->rank < 3)
        return ridge_opgraph_wrong(call, "X is %s; it wants batch, channels and spatial dimensions", ridge_opgraph_shape_text(call, x));
    if (!ridge_opset_held(&shape, call, 2))
        return ridge_opset_as_declared(call, 0, ridge_opset_format_of(call, 0), "the shape of its result is decided by data");
    if ((st = ridge_opset_window_read(&w, call, x->rank - 2, NULL)))
        return st;
    if (shape.there && (st = ridge_opset_count_is(call, "output_shape", shape.count, x->rank)))
        return st;
    ridge_opset_dims out = ridge_opset_dims_of(x);
    for (uint32_t i = 0; i < w.axes; i++) {
        if (x->dims[2 + i] > INT32_MAX)
            return ridge_opgraph_wrong(call, "an axis of %lld is too long", (long long)x->dims[2 + i]);
        out.at[2 + i] = (x->dims[2 + i] - 1) * w.stride[i] - w.before[i] - w.after[i] + w.kernel[i];
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        out.at[i] = shape.there ? shape.at[i] : out.at[i];
        if (out.at[i] < 0)
            return ridge_opgraph_wrong(call, "an axis of its result has %lld elements", (long long)out.at[i]);
    }
    return ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), &out);
}

/* ---- regions ---- */

static ridge_status regions(ridge_opgraph_call *call, int64_t height, int64_t width)
{
    const ridge_opgraph_tensor *x = call->in[0], *boxes = call->in[1];
    if (x->rank != 4 || boxes->rank != 2)
        return ridge_opgraph_wrong(call, "X is %s and the boxes are %s; it wants [N, C, H, W] and a row per box",
                                   ridge_opgraph_shape_text(call, x), ridge_opgraph_shape_text(call, boxes));
    if (height < 0 || width < 0)
        return ridge_opgraph_wrong(call, "a region of %lld by %lld", (long long)height, (long long)width);
    ridge_opset_dims out = {.rank = 4, .at = {boxes->dims[0], x->dims[1], height, width}};
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(out.at, 0, 4));
    return ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), &out);
}

/* "k" samples of each bin */
ridge_status ridge_onnx_rule_roi_align(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 3);
    if (!st)
        st = regions(call, ridge_opgraph_whole(call->node, "output_height", 1), ridge_opgraph_whole(call->node, "output_width", 1));
    if (st)
        return st;
    int64_t samples = ridge_opgraph_whole(call->node, "sampling_ratio", 0);
    if (samples <= 0 || samples > INT32_MAX)
        return ridge_opgraph_unknown(call, "how many points it takes of a region is decided by the boxes, which are data");
    ridge_opgraph_size_is(call, "k", (ridge_int)samples * samples);
    return RIDGE_OK;
}

ridge_status ridge_onnx_rule_roi_pool(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    ridge_opset_list pooled = ridge_opset_attribute(call, "pooled_shape");
    if (st || (st = ridge_opset_count_is(call, "pooled_shape", pooled.count, 2)))
        return st;
    st = regions(call, pooled.at[0], pooled.at[1]);
    return st ? st : ridge_opgraph_unknown(call, "how large its windows are is decided by the boxes, which are data");
}
