/* Convolutions: "n" elements of the result, "c" input channels of a group, "k" places of the kernel; transposed ones: "m" elements of the
 * input, "c" output channels of a group. */
#include "opgraph/onnx.h"

/* X and W of a convolution, wherever they stand among the inputs */
typedef struct convolution {
    const ridge_opgraph_tensor *x, *w, *b;
    int64_t group;
    uint32_t axes;
    bool last; /* channels stand last in X and in the result */
} convolution;

static ridge_status gather(convolution *c, ridge_opgraph_call *call, uint32_t iw, uint32_t ib)
{
    *c = (convolution){.x = ridge_opgraph_in(call, 0), .w = ridge_opgraph_in(call, iw), .b = ridge_opgraph_in(call, ib)};
    ridge_status st = ridge_opset_needs(call, iw + 1);
    if (st)
        return st;
    c->group = ridge_opgraph_whole(call->node, "group", 1);
    if (c->x->rank < 3 || c->w->rank != c->x->rank)
        return ridge_opgraph_wrong(call, "X is %s and W %s; it wants batch, channels and the same spatial dimensions",
                                   ridge_opgraph_shape_text(call, c->x), ridge_opgraph_shape_text(call, c->w));
    c->axes = c->x->rank - 2;
    return c->group > 0 ? RIDGE_OK : ridge_opgraph_wrong(call, "group is %lld", (long long)c->group);
}

static int64_t channels_of(const convolution *c)
{
    return c->x->dims[c->last ? c->x->rank - 1 : 1];
}

static ridge_status check_bias(const convolution *c, ridge_opgraph_call *call, int64_t channels)
{
    if (!c->b || (c->b->rank == 1 && c->b->dims[0] == channels))
        return RIDGE_OK;
    return ridge_opgraph_wrong(call, "B is %s; it wants %lld numbers", ridge_opgraph_shape_text(call, c->b), (long long)channels);
}

/* the result: batch, channels, and each spatial axis as the window has it */
static ridge_status slide(ridge_opgraph_call *call, const convolution *c, const ridge_opset_window *w, int64_t channels,
                          const ridge_format *format)
{
    ridge_opset_dims out = {.rank = c->x->rank, .at = {c->x->dims[0]}};
    out.at[c->last ? out.rank - 1 : 1] = channels;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; !st && i < c->axes; i++) {
        uint32_t axis = i + (c->last ? 1 : 2);
        st = ridge_opset_window_size(&out.at[axis], call, w, i, c->x->dims[axis]);
    }
    if (st)
        return st;
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(out.at, 0, out.rank));
    ridge_opgraph_size_is(call, "k", ridge_opset_window_places(w));
    return ridge_opset_set(call, 0, format, &out);
}

static ridge_status convolve(ridge_opgraph_call *call, convolution *c, const ridge_format *format, bool kernel_last)
{
    ridge_opset_window w;
    int64_t in = c->w->dims[kernel_last ? c->w->rank - 1 : 1], channels = c->w->dims[0], all;
    if (__builtin_mul_overflow(in, c->group, &all) || all != channels_of(c) || channels % c->group != 0)
        return ridge_opgraph_wrong(call, "X is %s and W %s in %lld group%s: the channels do not fit", ridge_opgraph_shape_text(call, c->x),
                                   ridge_opgraph_shape_text(call, c->w), (long long)c->group, RIDGE_PLURAL(c->group));
    ridge_status st = check_bias(c, call, channels);
    if (!st)
        st = ridge_opset_window_read(&w, call, c->axes, c->w->dims + (kernel_last ? 1 : 2));
    ridge_opgraph_size_is(call, "c", in);
    return st ? st : slide(call, c, &w, channels, format);
}

ridge_status ridge_onnx_rule_conv(ridge_opgraph_call *call)
{
    convolution c;
    ridge_status st = gather(&c, call, 1, 2);
    return st ? st : convolve(call, &c, ridge_opset_format_of(call, 0), false);
}

/* x, w, x_zero_point, w_zero_point */
ridge_status ridge_onnx_rule_conv_integer(ridge_opgraph_call *call)
{
    convolution c;
    ridge_status st = gather(&c, call, 1, UINT32_MAX);
    return st ? st : convolve(call, &c, ridge_opset_format_named("i32"), false);
}

/* x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B */
ridge_status ridge_onnx_rule_conv_quantised(ridge_opgraph_call *call)
{
    convolution c;
    ridge_status st = ridge_opset_needs(call, 8);
    if (!st)
        st = gather(&c, call, 3, 8);
    if (st)
        return st;
    c.last = ridge_opgraph_whole(call->node, "channels_last", 0) != 0;
    return convolve(call, &c, ridge_opset_format_of(call, 7), false);
}

/* can W be [M, C/group, k...], or, channels last, [M, k..., C/group]? */
static bool fits(const convolution *c, ridge_opgraph_call *call, bool kernel_last)
{
    ridge_opset_list kernel = ridge_opset_attribute(call, "kernel_shape");
    int64_t all;
    if (__builtin_mul_overflow(c->w->dims[kernel_last ? c->w->rank - 1 : 1], c->group, &all) || all != channels_of(c))
        return false;
    for (uint32_t i = 0; kernel.count == c->axes && i < c->axes; i++)
        if (kernel.at[i] != c->w->dims[i + (kernel_last ? 1 : 2)])
            return false;
    return true;
}

/* X [N, H, W, C]. The weight of NhwcFusedConv is as that of Conv; of NhwcConv it is in either order, as its shape tells. */
ridge_status ridge_onnx_rule_conv_channels_last(ridge_opgraph_call *call)
{
    convolution c;
    ridge_status st = gather(&c, call, 1, 2);
    if (st)
        return st;
    c.last = true;
    bool either = strcmp(ridge_opset_op(call), "NhwcConv") == 0, first = fits(&c, call, false), last = either && fits(&c, call, true);
    for (uint32_t i = 1; first && last && i + 1 < c.w->rank; i++)
        if (c.w->dims[i] != c.w->dims[i + 1])
            return ridge_opgraph_unknown(call, "whether the channels of its weight stand first or last, no shape tells");
    return convolve(call, &c, ridge_opset_format_of(call, 0), last && !first);
}

/* X, W, offset, B, mask; the kernel's places are moved, and read by bilinear interpolation */
ridge_status ridge_onnx_rule_deform_conv(ridge_opgraph_call *call)
{
    convolution c;
    ridge_status st = ridge_opset_needs(call, 3);
    if (!st)
        st = gather(&c, call, 1, 3);
    return st ? st : convolve(call, &c, ridge_opset_format_of(call, 0), false);
}

/* ---- transposed ---- */

/* SAME with a kernel that is shorter than its stride: ONNX wants padding below 0, ONNX Runtime adds none */
static bool is_disputed(const ridge_opgraph_call *call, const ridge_opset_window *w)
{
    ridge_opset_list more = ridge_opset_attribute(call, "output_padding");
    bool shorter = false;
    for (uint32_t i = 0; i < w->axes; i++) {
        int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1, added = more.count == w->axes ? more.at[i] : 0;
        shorter = shorter || reach < w->stride[i] - (added > 0 && added < INT32_MAX ? added : 0);
    }
    return w->same && shorter && !ridge_opset_attribute(call, "output_shape").count;
}

static ridge_status spread(ridge_opset_dims *out, ridge_opgraph_call *call, const convolution *c, const ridge_opset_window *w)
{
    ridge_opset_list shape = ridge_opset_attribute(call, "output_shape"), more = ridge_opset_attribute(call, "output_padding");
    ridge_status st = shape.count < c->axes && shape.count ? ridge_opset_count_is(call, "output_shape", shape.count, c->axes) : RIDGE_OK;
    if (!st && more.count)
        st = ridge_opset_count_is(call, "output_padding", more.count, c->axes);
    for (size_t i = 0; !st && i < more.count; i++)
        if (more.at[i] < 0 || more.at[i] > INT32_MAX)
            st = ridge_opgraph_wrong(call, "output_padding has %lld; it is at least 0", (long long)more.at[i]);
    if (st)
        return st;
    for (uint32_t i = 0; i < c->axes; i++) {
        int64_t in = c->x->dims[2 + i], reach = (w->kernel[i] - 1) * w->dilation[i] + 1;
        if (in > INT32_MAX)
            return ridge_opgraph_wrong(call, "an axis of %lld is too long", (long long)in);
        int64_t size = w->stride[i] * (in - 1) + (more.count ? more.at[i] : 0) + reach - w->before[i] - w->after[i];
        if (shape.count)
            size = shape.at[shape.count - c->axes + i];
        else if (w->same)
            size = in * w->stride[i];
        if (size < 0)
            return ridge_opgraph_wrong(call, "an axis of its result has %lld elements", (long long)size);
        out->at[2 + i] = size;
    }
    return RIDGE_OK;
}

ridge_status ridge_onnx_rule_conv_transpose(ridge_opgraph_call *call)
{
    convolution c;
    ridge_opset_window w;
    ridge_status st = gather(&c, call, 1, 2);
    if (st)
        return st;
    int64_t channels;
    if (channels_of(&c) != c.w->dims[0] || c.w->dims[0] % c.group != 0 || __builtin_mul_overflow(c.w->dims[1], c.group, &channels))
        return ridge_opgraph_wrong(call, "X is %s and W %s in %lld group%s: the channels do not fit", ridge_opgraph_shape_text(call, c.x),
                                   ridge_opgraph_shape_text(call, c.w), (long long)c.group, RIDGE_PLURAL(c.group));
    ridge_opset_dims out = {.rank = c.x->rank, .at = {c.x->dims[0], channels}};
    if ((st = check_bias(&c, call, channels)) || (st = ridge_opset_window_read(&w, call, c.axes, c.w->dims + 2)))
        return st;
    if (is_disputed(call, &w))
        return ridge_opgraph_unknown(call, "runtimes differ in what auto_pad is with a stride that is longer than the kernel");
    if ((st = spread(&out, call, &c, &w)))
        return st;
    ridge_opset_count(call, "m", c.x);
    ridge_opgraph_size_is(call, "c", c.w->dims[1]);
    ridge_opgraph_size_is(call, "k", ridge_opset_window_places(&w));
    return ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), &out);
}

/* ---- Col2Im: input [N, C*k, L], image_shape, block_shape ---- */
ridge_status ridge_onnx_rule_col2im(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 3);
    ridge_opset_list image, block;
    if (st || (st = ridge_opset_rank_is(call, 0, "input", 3)))
        return st;
    if (!ridge_opset_held(&image, call, 1) || !ridge_opset_held(&block, call, 2))
        return ridge_opset_as_declared(call, 0, ridge_opset_format_of(call, 0), "the size of its image is decided by data");
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_int places = ridge_opgraph_product(block.at, 0, (uint32_t)block.count);
    if (image.count != block.count || image.count + 2 > RIDGE_OPGRAPH_RANK || places <= 0 || x->dims[1] % places != 0)
        return ridge_opgraph_wrong(call, "the input is %s, which are no blocks of %zu dimension%s in an image of %zu",
                                   ridge_opgraph_shape_text(call, x), block.count, RIDGE_PLURAL(block.count), image.count);
    ridge_opset_dims out = {.rank = (uint32_t)image.count + 2, .at = {x->dims[0], (int64_t)(x->dims[1] / places)}};
    for (size_t i = 0; i < image.count; i++)
        out.at[2 + i] = image.at[i];
    ridge_opset_count(call, "m", x);
    return ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), &out);
}
