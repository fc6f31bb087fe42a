/* Windows that slide over the spatial dimensions, of convolutions and pools. */
#include "opgraph/onnx.h"

static ridge_status read_sizes(int64_t *out, ridge_opgraph_call *call, const char *name, uint32_t axes, int64_t least, int64_t otherwise)
{
    ridge_opset_list given = ridge_opset_attribute(call, name);
    ridge_status st = given.count ? ridge_opset_count_is(call, name, given.count, axes) : RIDGE_OK;
    if (st)
        return st;
    for (uint32_t i = 0; i < axes; i++) {
        out[i] = given.count ? given.at[i] : otherwise;
        if (out[i] < least || out[i] > INT32_MAX)
            return ridge_opgraph_wrong(call, "%s has %lld; it is at least %lld", name, (long long)out[i], (long long)least);
    }
    return RIDGE_OK;
}

static ridge_status read_pads(ridge_opset_window *w, ridge_opgraph_call *call)
{
    ridge_opset_list pads = ridge_opset_attribute(call, "pads");
    ridge_status st = pads.count ? ridge_opset_count_is(call, "pads", pads.count, 2 * (size_t)w->axes) : RIDGE_OK;
    if (st)
        return st;
    for (uint32_t i = 0; i < w->axes && pads.count; i++) {
        w->before[i] = pads.at[i];
        w->after[i] = pads.at[w->axes + i];
        if (w->before[i] < -INT32_MAX || w->before[i] > INT32_MAX || w->after[i] < -INT32_MAX || w->after[i] > INT32_MAX)
            return ridge_opgraph_wrong(call, "a padding of %lld is out of range", (long long)w->before[i]);
    }
    return RIDGE_OK;
}

static ridge_status read_auto(ridge_opset_window *w, ridge_opgraph_call *call)
{
    ridge_str word = ridge_opgraph_text(call->node, "auto_pad", "NOTSET");
    w->same = ridge_str_is(word, "SAME_UPPER") || ridge_str_is(word, "SAME_LOWER");
    w->valid = ridge_str_is(word, "VALID");
    if (!w->same && !w->valid && word.n && !ridge_str_is(word, "NOTSET"))
        return ridge_opgraph_wrong(call, "there is no auto_pad '%.*s'", word.n > 40 ? 40 : (int)word.n, word.p);
    if (w->same || w->valid)
        for (uint32_t i = 0; i < w->axes; i++)
            w->before[i] = w->after[i] = 0;
    return RIDGE_OK;
}

ridge_status ridge_opset_window_read(ridge_opset_window *out, ridge_opgraph_call *call, uint32_t axes, const int64_t *kernel)
{
    *out = (ridge_opset_window){.axes = axes, .ceil = ridge_opgraph_whole(call->node, "ceil_mode", 0) != 0};
    ridge_opset_list given = ridge_opset_attribute(call, "kernel_shape");
    if (!kernel && !given.count)
        return ridge_opgraph_wrong(call, "it has no kernel_shape");
    ridge_status st = read_sizes(out->kernel, call, "kernel_shape", axes, 1, 1);
    for (uint32_t i = 0; !st && kernel && i < axes; i++) {
        if (given.count && given.at[i] != kernel[i])
            st = ridge_opgraph_wrong(call, "kernel_shape has %lld where the weight has %lld", (long long)given.at[i], (long long)kernel[i]);
        out->kernel[i] = kernel[i];
        if (!st && (kernel[i] < 1 || kernel[i] > INT32_MAX))
            st = ridge_opgraph_wrong(call, "a kernel of %lld", (long long)kernel[i]);
    }
    if (!st)
        st = read_sizes(out->stride, call, "strides", axes, 1, 1);
    if (!st)
        st = read_sizes(out->dilation, call, "dilations", axes, 1, 1);
    if (!st)
        st = read_pads(out, call);
    if (!st && ridge_opset_window_places(out) < 0)
        st = ridge_opgraph_wrong(call, "its window is too large");
    return st ? st : read_auto(out, call);
}

/* places of the window on a padded axis; with ceil_mode the last one may hang over, but begins inside (PyTorch, ONNX since 1.16) */
ridge_status ridge_opset_window_size(int64_t *out, ridge_opgraph_call *call, const ridge_opset_window *w, uint32_t axis, int64_t in)
{
    int64_t stride = w->stride[axis], reach = (w->kernel[axis] - 1) * w->dilation[axis] + 1;
    if (in > INT64_MAX / 4)
        return ridge_opgraph_wrong(call, "an axis of %lld is too long", (long long)in);
    if (w->same) {
        *out = (in + stride - 1) / stride;
        return RIDGE_OK;
    }
    int64_t room = in + w->before[axis] + w->after[axis] - reach;
    if (room < 0)
        return ridge_opgraph_wrong(call, "its window of %lld does not fit into %lld with a padding of %lld and %lld", (long long)reach,
                                   (long long)in, (long long)w->before[axis], (long long)w->after[axis]);
    *out = (w->ceil ? (room + stride - 1) / stride : room / stride) + 1;
    if (w->ceil && (*out - 1) * stride >= in + w->before[axis])
        --*out;
    return RIDGE_OK;
}

ridge_int ridge_opset_window_places(const ridge_opset_window *w)
{
    return ridge_opgraph_product(w->kernel, 0, w->axes);
}
