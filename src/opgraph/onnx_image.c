/* Pictures and signals: sizes that change, grids that are sampled, transforms.
 * "n" elements of the result, "t" points that each is made of by interpolation (1: it is taken as it is). */
#include <math.h>

#include "opgraph/onnx.h"

/* points of the interpolation over so many axes: 2 or 4 along each */
static ridge_int points_of(ridge_str mode, uint32_t axes)
{
    int along = ridge_str_is(mode, "cubic") || ridge_str_is(mode, "bicubic")                                        ? 4
                : ridge_str_is(mode, "linear") || ridge_str_is(mode, "bilinear") || ridge_str_is(mode, "trilinear") ? 2
                                                                                                                    : 1;
    ridge_int points = 1;
    for (uint32_t i = 0; i < axes && i < 30; i++)
        points *= along;
    return points;
}

/* Axes that interpolate: pictures in all of theirs as soon as one changes, as ONNX Runtime and PyTorch do; nothing changes: none. */
static uint32_t interpolated(const ridge_opgraph_tensor *x, const ridge_opset_dims *out)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < x->rank; i++)
        changed += x->dims[i] != out->at[i];
    bool picture = x->rank > 2 && x->dims[0] == out->at[0] && x->dims[1] == out->at[1];
    return changed && picture ? x->rank - 2 : changed;
}

static ridge_status resized(ridge_opgraph_call *call, const ridge_opset_dims *out)
{
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_opgraph_size_is(call, "t", points_of(ridge_opgraph_text(call->node, "mode", "nearest"), interpolated(x, out)));
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(out->at, 0, out->rank));
    return ridge_opset_set(call, 0, x->format, out);
}

/* as the file says, where nothing else tells */
static ridge_status resized_as_said(ridge_opgraph_call *call, const char *why)
{
    ridge_opset_dims out;
    bool said;
    ridge_status st = ridge_opset_declared(&said, &out, call, 0);
    if (st)
        return st;
    return said && out.rank == call->in[0]->rank ? resized(call, &out) : ridge_opgraph_unknown(call, "%s", why);
}

/* ONNX Runtime multiplies in single precision and rounds down */
static ridge_status scaled(int64_t *out, ridge_opgraph_call *call, int64_t size, double scale)
{
    float product = (float)size * (float)scale;
    if (!(product >= 0 && product < 4e18F))
        return ridge_opgraph_wrong(call, "an axis of %lld is scaled by %g", (long long)size, scale);
    *out = (int64_t)floorf(product);
    return RIDGE_OK;
}

/* numbers of an attribute or an input, of floats */
typedef struct reals {
    const double *at;
    size_t count;
    bool there, open;
} reals;

static reals reals_of(const ridge_opgraph_call *call, const char *attribute, uint32_t input)
{
    const ridge_opgraph_argument *a = attribute ? ridge_opgraph_argument_of(call->node, attribute) : NULL;
    const ridge_opgraph_tensor *t = ridge_opgraph_in(call, input);
    if (a && a->kind == RIDGE_OPGRAPH_ARG_REALS)
        return (reals){a->u.reals, a->count, true, false};
    if (!t || (t->known && t->elements == 0))
        return (reals){0};
    return (reals){t->reals, t->content_count, true, !t->reals};
}

/* which axis the i-th number is of */
static uint32_t axis_at(const ridge_opgraph_call *call, ridge_opset_list axes, size_t i)
{
    uint32_t axis = (uint32_t)i;
    if (axes.there)
        (void)ridge_opgraph_axis(&axis, axes.at[i], call->in[0]->rank);
    return axis;
}

static ridge_status by_scales(ridge_opset_dims *out, ridge_opgraph_call *call, reals scales, ridge_opset_list axes)
{
    const ridge_opgraph_tensor *x = call->in[0];
    size_t count = axes.there ? axes.count : x->rank;
    ridge_status st = ridge_opset_count_is(call, "scales", scales.count, count);
    for (size_t i = 0; !st && i < count; i++) {
        uint32_t axis = axis_at(call, axes, i);
        st = scaled(&out->at[axis], call, x->dims[axis], scales.at[i]);
    }
    return st;
}

/* sizes as they are; or, where the ratio is to be kept, by the smallest or the largest scale of them */
static ridge_status by_sizes(ridge_opset_dims *out, ridge_opgraph_call *call, ridge_opset_list sizes, ridge_opset_list axes)
{
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_str policy = ridge_opgraph_text(call->node, "keep_aspect_ratio_policy", "stretch");
    bool larger = ridge_str_is(policy, "not_smaller"), keep = larger || ridge_str_is(policy, "not_larger");
    size_t count = axes.there ? axes.count : x->rank;
    float scale = 0;
    ridge_status st = ridge_opset_count_is(call, "sizes", sizes.count, count);
    if (st)
        return st;
    for (size_t i = 0; i < count; i++) {
        int64_t from = x->dims[axis_at(call, axes, i)];
        float one = from ? (float)sizes.at[i] / (float)from : 0;
        scale = i == 0 || (larger ? one > scale : one < scale) ? one : scale;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t axis = axis_at(call, axes, i);
        float rounded = roundf(scale * (float)x->dims[axis]);
        if (sizes.at[i] < 0 || (keep && !(rounded >= 0 && rounded < 4e18F)))
            return ridge_opgraph_wrong(call, "a size of %lld", (long long)sizes.at[i]);
        out->at[axis] = keep ? (int64_t)rounded : sizes.at[i];
    }
    return RIDGE_OK;
}

/* A region that is cut out and scaled: ONNX takes the scale of the region, ONNX Runtime that of the whole. */
static bool crops(const ridge_opgraph_call *call)
{
    return ridge_str_is(ridge_opgraph_text(call->node, "coordinate_transformation_mode", ""), "tf_crop_and_resize");
}

/* version 10: X, scales; since 11: X, roi, scales, sizes */
ridge_status ridge_onnx_rule_resize(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    bool old = call->node->opset == 10 || (call->in_count == 2 && call->node->opset < 11);
    reals scales = reals_of(call, NULL, old ? 1 : 2);
    ridge_opset_list sizes = {0}, axes = ridge_opset_attribute(call, "axes");
    bool is[RIDGE_OPGRAPH_RANK], open = !old && !ridge_opset_held(&sizes, call, 3);
    if (st || (st = ridge_opset_axes(is, call, axes, call->in[0]->rank)))
        return st;
    ridge_opset_dims out = ridge_opset_dims_of(call->in[0]);
    bool by_size = sizes.count || open;
    if (open || (!by_size && scales.open))
        return resized_as_said(call, "the size of its result is decided by data");
    if (!by_size && scales.there && crops(call))
        return resized_as_said(call, "of a region that is cut out and scaled, runtimes differ in the size");
    if (!sizes.count && !scales.there)
        return ridge_opgraph_wrong(call, "it has neither scales nor sizes");
    st = sizes.count ? by_sizes(&out, call, sizes, axes) : by_scales(&out, call, scales, axes);
    return st ? st : resized(call, &out);
}

/* version 1: height_scale and width_scale; 7: scales; 9: an input */
ridge_status ridge_onnx_rule_upsample(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    double first[4] = {1, 1, ridge_opgraph_real(call->node, "height_scale", 0), ridge_opgraph_real(call->node, "width_scale", 0)};
    reals scales = reals_of(call, "scales", 1);
    ridge_opset_dims out = ridge_opset_dims_of(x);
    if (!scales.there && x->rank == 4 && first[2] > 0 && first[3] > 0)
        scales = (reals){first, 4, true, false};
    if (scales.open)
        return resized_as_said(call, "its scales are decided by data");
    if (!scales.there)
        return ridge_opgraph_wrong(call, "it has no scales");
    st = by_scales(&out, call, scales, (ridge_opset_list){0});
    return st ? st : resized(call, &out);
}

/* ---- blocks of channels and of places ---- */

static ridge_status blocks(ridge_opgraph_call *call, int64_t *size)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st || (st = ridge_opset_rank_is(call, 0, "its input", 4)))
        return st;
    *size = ridge_opgraph_whole(call->node, "blocksize", 0);
    return *size > 0 && *size <= INT32_MAX ? RIDGE_OK : ridge_opgraph_wrong(call, "blocksize is %lld", (long long)*size);
}

ridge_status ridge_onnx_rule_depth_to_space(ridge_opgraph_call *call)
{
    int64_t size;
    ridge_status st = blocks(call, &size);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (x->dims[1] % (size * size) != 0 || x->dims[2] > INT32_MAX || x->dims[3] > INT32_MAX)
        return ridge_opgraph_wrong(call, "the channels of %s are no blocks of %lld", ridge_opgraph_shape_text(call, x), (long long)size);
    ridge_opset_dims out = {.rank = 4, .at = {x->dims[0], x->dims[1] / (size * size), x->dims[2] * size, x->dims[3] * size}};
    return ridge_opset_set(call, 0, x->format, &out);
}

ridge_status ridge_onnx_rule_space_to_depth(ridge_opgraph_call *call)
{
    int64_t size;
    ridge_status st = blocks(call, &size);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_opset_dims out = {.rank = 4, .at = {x->dims[0], 0, x->dims[2] / size, x->dims[3] / size}};
    if (x->dims[2] % size != 0 || x->dims[3] % size != 0 || __builtin_mul_overflow(x->dims[1], size * size, &out.at[1]))
        return ridge_opgraph_wrong(call, "%s are no blocks of %lld", ridge_opgraph_shape_text(call, x), (long long)size);
    return ridge_opset_set(call, 0, x->format, &out);
}

/* ---- grids: X [N, C, D...], grid [N, d..., D] ---- */
ridge_status ridge_onnx_rule_grid_sample(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0], *grid = call->in[1];
    if (x->rank < 3 || grid->rank != x->rank || grid->dims[grid->rank - 1] != x->rank - 2 || grid->dims[0] != x->dims[0])
        return ridge_opgraph_wrong(call, "X is %s and the grid %s", ridge_opgraph_shape_text(call, x),
                                   ridge_opgraph_shape_text(call, grid));
    ridge_opset_dims out = ridge_opset_dims_of(x);
    for (uint32_t i = 2; i < x->rank; i++)
        out.at[i] = grid->dims[i - 1];
    ridge_opgraph_size_is(call, "t", points_of(ridge_opgraph_text(call->node, "mode", "linear"), x->rank - 2));
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(out.at, 0, out.rank));
    return ridge_opset_set(call, 0, x->format, &out);
}

/* theta [N, d, d + 1], size [N, C, D...]: for each of N a product of the D... places, each with a 1 beside it, and theta */
ridge_status ridge_onnx_rule_affine_grid(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    ridge_opset_list size;
    if (st || (st = ridge_opset_rank_is(call, 0, "theta", 3)))
        return st;
    if (!ridge_opset_held(&size, call, 1))
        return ridge_opgraph_unknown(call, "its size is decided by data");
    const ridge_opgraph_tensor *theta = call->in[0];
    if ((size.count != 4 && size.count != 5) || theta->dims[1] != (int64_t)size.count - 2 || theta->dims[2] != theta->dims[1] + 1)
        return ridge_opgraph_wrong(call, "theta is %s for a size of %zu numbers", ridge_opgraph_shape_text(call, theta), size.count);
    ridge_opset_dims out = {.rank = (uint32_t)size.count, .at = {size.at[0]}};
    for (uint32_t i = 1; i + 1 < out.rank; i++)
        out.at[i] = size.at[i + 1];
    out.at[out.rank - 1] = (int64_t)size.count - 2;
    ridge_opgraph_size_is(call, "b", size.at[0]);
    ridge_opgraph_size_is(call, "m", ridge_opgraph_product(out.at, 1, out.rank - 1));
    ridge_opgraph_size_is(call, "k", theta->dims[2]);
    ridge_opgraph_size_is(call, "n", theta->dims[1]);
    return ridge_opset_set(call, 0, theta->format, &out);
}

/* ---- Fourier: the last dimension has real and imaginary part, or the real one alone ---- */

/* the axis is an attribute before version 20, then an input; -2: the last before the parts */
static ridge_status dft_axis(uint32_t *axis, bool *open, ridge_opgraph_call *call)
{
    int64_t at = ridge_opgraph_whole(call->node, "axis", call->node->opset < 20 ? 1 : -2);
    *open = ridge_opset_has(call, 2) && !ridge_opset_whole(&at, call, 2);
    ridge_status st = *open ? RIDGE_OK : ridge_opset_axis(axis, call, at, call->in[0]->rank);
    return !st && !*open && *axis + 1 == call->in[0]->rank ? ridge_opgraph_wrong(call, "the axis is that of real and imaginary part") : st;
}

/* "n": elements, real or complex, of all transforms: their length is dft_length, where it is given */
ridge_status ridge_onnx_rule_dft(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    uint32_t axis = 0;
    bool open;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (x->rank < 2 || (x->dims[x->rank - 1] != 1 && x->dims[x->rank - 1] != 2))
        return ridge_opgraph_wrong(call, "its input is %s; the last dimension is 1 or 2", ridge_opgraph_shape_text(call, x));
    if ((st = dft_axis(&axis, &open, call)))
        return st;
    bool one_sided = ridge_opgraph_whole(call->node, "onesided", 0) != 0, inverse = ridge_opgraph_whole(call->node, "inverse", 0) != 0;
    int64_t length = x->dims[axis]; /* below 2^48 */
    if (inverse && one_sided)
        length = length > 0 ? 2 * (length - 1) : 0;
    if (open || (ridge_opset_has(call, 1) && !ridge_opset_whole(&length, call, 1)))
        return ridge_opgraph_unknown(call, "the length of the transform is decided by data");
    if (length < 0 || length > INT64_MAX / 4)
        return ridge_opgraph_wrong(call, "a transform of %lld", (long long)length);
    ridge_opset_dims out = ridge_opset_dims_of(x);
    out.at[axis] = length;
    out.at[out.rank - 1] = 1;
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(out.at, 0, out.rank));
    out.at[axis] = one_sided && !inverse ? length / 2 + 1 : length;
    out.at[out.rank - 1] = one_sided && inverse ? 1 : 2;
    return ridge_opset_set(call, 0, x->format, &out);
}

/* signal [B, L, 1 or 2], frame_step, window, frame_length -> [B, frames, bins, 2]; "w": 1 where a window is multiplied in */
ridge_status ridge_onnx_rule_stft(ridge_opgraph_call *call)
{
    enum { SIGNAL, STEP, WINDOW, LENGTH };
    ridge_status st = ridge_opset_needs(call, 2);
    int64_t step, length = 0;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[SIGNAL], *window = ridge_opgraph_in(call, WINDOW);
    if (x->rank != 2 && (x->rank != 3 || x->dims[2] < 1 || x->dims[2] > 2))
        return ridge_opgraph_wrong(call, "the signal is %s", ridge_opgraph_shape_text(call, x));
    if (window && window->rank == 1)
        length = window->dims[0];
    bool known = ridge_opset_whole(&step, call, STEP);
    if (!known || (ridge_opset_has(call, LENGTH) && !ridge_opset_whole(&length, call, LENGTH)))
        return ridge_opgraph_unknown(call, "the step and the length of its frames are decided by data");
    if (step < 1 || length < 1 || length > x->dims[1])
        return ridge_opgraph_wrong(call, "frames of %lld every %lld of %s", (long long)length, (long long)step,
                                   ridge_opgraph_shape_text(call, x));
    int64_t frames = (x->dims[1] - length) / step + 1;
    bool one_sided = ridge_opgraph_whole(call->node, "onesided", 1) != 0;
    ridge_opset_dims out = {.rank = 4, .at = {x->dims[0], frames, one_sided ? length / 2 + 1 : length, 2}};
    ridge_opset_dims all = {.rank = 3, .at = {x->dims[0], frames, length}};
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(all.at, 0, 3));
    ridge_opgraph_size_is(call, "w", window ? 1 : 0);
    return ridge_opset_set(call, 0, x->format, &out);
}
