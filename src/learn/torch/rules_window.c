/* Convolutions, pooling, and resampling: windows that move over the last dimensions. */
#include "learn/torch/content.h"
#include "learn/torch/rules.h"
#include "learn/torch/size.h"

/* one dimension of a window */
typedef struct window {
    ridge_py kernel, stride, padding, dilation, more; /* more: output_padding of a transposed convolution */
} window;

static ridge_status size_item(ridge_py *out, const ridge_operator *op, const ridge_py *values, const char *name, size_t at,
                              int64_t otherwise, ridge_py_interp *in)
{
    ridge_py v = ridge_operator_value(op, values, name);
    *out = ridge_py_int(otherwise);
    if (!ridge_operator_given(v) || v.type == RIDGE_PY_T_STR)
        return RIDGE_OK;
    ridge_status st = ridge_operator_item(&v, v, at, in);
    return st ? st : ridge_size_of(out, v, in);
}

/* dilation * (kernel - 1): how far the window reaches beyond its first element */
static ridge_status reach(ridge_py *out, const window *w, ridge_py_interp *in)
{
    ridge_status st = ridge_size_sub(out, w->kernel, ridge_py_int(1), in);
    return st ? st : ridge_size_mul(out, *out, w->dilation, in);
}

/* (size + 2*padding - reach - 1) // stride + 1 */
static ridge_status moved(ridge_py *out, ridge_py size, const window *w, bool ceil_mode, ridge_py_interp *in)
{
    ridge_py far, padded, left, last;
    ridge_status st = reach(&far, w, in);
    if (!st)
        st = ridge_size_add(&padded, w->padding, w->padding, in);
    if (!st)
        st = ridge_size_add(&padded, padded, size, in);
    if (!st)
        st = ridge_size_sub(&left, padded, far, in);
    if (!st)
        st = ridge_size_sub(&left, left, ridge_py_int(1), in);
    if (!st && ridge_size_concrete(left) < 0 && !ceil_mode)
        return ridge_py_raise(in, "RuntimeError", "Kernel size can't be greater than actual input size");
    if (!st)
        st = (ceil_mode ? ridge_size_ceildiv : ridge_size_floordiv)(out, left, w->stride, in);
    if (!st)
        st = ridge_size_add(out, *out, ridge_py_int(1), in);
    if (st || !ceil_mode)
        return st;
    /* a window that starts in the border on the right is left out */
    st = ridge_size_sub(&last, *out, ridge_py_int(1), in);
    if (!st)
        st = ridge_size_mul(&last, last, w->stride, in);
    ridge_py border, outside;
    if (!st)
        st = ridge_size_add(&border, size, w->padding, in);
    bool cut = false;
    if (!st)
        st = ridge_py_binary(&outside, RIDGE_PY_OP_GE, last, border, in);
    if (!st && outside.type != RIDGE_PY_T_UNKNOWN)
        st = ridge_py_truth(&cut, outside, in);
    return st || !cut ? st : ridge_size_sub(out, *out, ridge_py_int(1), in);
}

/* (size - 1)*stride - 2*padding + reach + output_padding + 1 */
static ridge_status moved_back(ridge_py *out, ridge_py size, const window *w, ridge_py_interp *in)
{
    ridge_py far, border;
    ridge_status st = reach(&far, w, in);
    if (!st)
        st = ridge_size_sub(out, size, ridge_py_int(1), in);
    if (!st)
        st = ridge_size_mul(out, *out, w->stride, in);
    if (!st)
        st = ridge_size_add(&border, w->padding, w->padding, in);
    if (!st)
        st = ridge_size_sub(out, *out, border, in);
    if (!st)
        st = ridge_size_add(out, *out, far, in);
    if (!st)
        st = ridge_size_add(out, *out, w->more, in);
    return st ? st : ridge_size_add(out, *out, ridge_py_int(1), in);
}

static ridge_status read_window(window *w, const ridge_operator *op, const ridge_py *values, size_t at, ridge_py_interp *in)
{
    ridge_status st = size_item(&w->stride, op, values, "stride", at, 1, in);
    if (!st)
        st = size_item(&w->padding, op, values, "padding", at, 0, in);
    if (!st)
        st = size_item(&w->dilation, op, values, "dilation", at, 1, in);
    return st ? st : size_item(&w->more, op, values, "output_padding", at, 0, in);
}

/* padding='same': as much on both sides that the size stays; PyTorch pads by hand first where that is odd */
static ridge_status same_padding(ridge_py *input, window *w, const ridge_tensor *weight, const ridge_operator *op, const ridge_py *values,
                                 uint32_t spatial, ridge_py_interp *in)
{
    ridge_py pads;
    bool odd = false;
    ridge_status st = ridge_py_new_list(&pads, RIDGE_PY_T_LIST, 2 * spatial, in);
    for (uint32_t i = spatial; !st && i-- > 0;) {
        window one = {.kernel = weight->dims[2 + i]};
        ridge_py total, half = ridge_py_unset(), rest = half;
        st = size_item(&one.dilation, op, values, "dilation", i, 1, in);
        if (!st)
            st = reach(&total, &one, in);
        if (!st)
            st = ridge_size_floordiv(&half, total, ridge_py_int(2), in);
        if (!st)
            st = ridge_size_sub(&rest, total, half, in);
        if (!st)
            st = ridge_size_sub(&rest, rest, half, in);
        odd |= !ridge_size_is(rest, 0);
        w[i].padding = half;
        if (!st)
            st = ridge_py_append(pads.u.list, ridge_py_int(0), in);
        if (!st)
            st = ridge_py_append(pads.u.list, rest, in);
    }
    return st || !odd ? st : ridge_operator_apply(input, "aten.constant_pad_nd.default", (ridge_py[]){*input, pads}, 2, in);
}

static ridge_status check_channels(const ridge_tensor *t, const ridge_tensor *weight, uint32_t channel, bool transposed, ridge_py groups,
                                   ridge_py_interp *in)
{
    ridge_py wanted = weight->dims[0];
    ridge_status st = transposed ? RIDGE_OK : ridge_size_mul(&wanted, weight->dims[1], groups, in);
    if (!st && ridge_dims_differ(t->dims[channel], wanted))
        return ridge_py_raise(in, "RuntimeError", "Given groups=%lld, weight of size %s, expected input%s to have other channels",
                              (long long)ridge_size_concrete(groups), ridge_shape_text(weight, in), ridge_shape_text(t, in));
    return st;
}

/* The channels lie next to each other, as PyTorch guesses it from the strides (suggest_memory_format). */
static bool is_channels_last(const ridge_tensor *t)
{
    int64_t least = 0;
    if ((t->rank != 4 && t->rank != 5) || t->strides[1] == 0)
        return false;
    for (uint32_t i = 0; i < t->rank; i++) {
        uint32_t d = i == 0 ? 1 : i + 1 == t->rank ? 0 : t->rank - i;
        int64_t size = ridge_size_concrete(t->dims[d]);
        if (size == 0 || t->strides[d] < least || (d == 0 && least == t->strides[1]))
            return false;
        least = t->strides[d] > 1 ? t->strides[d] * size : t->strides[d];
    }
    return true;
}

/* a result with channels last where those of the input are */
static void lay_window(ridge_tensor *result, const ridge_tensor *input)
{
    int64_t stride = 1;
    if (!is_channels_last(input) || result->rank != input->rank)
        return;
    for (uint32_t i = 0; i < result->rank; i++) {
        uint32_t d = i == 0 ? 1 : i + 1 == result->rank ? 0 : result->rank - i;
        result->strides[d] = stride;
        stride *= ridge_size_concrete(result->dims[d]);
    }
    ridge_tensor_lay(result);
}

/* weight [out, in/groups, kernel...]; transposed: [in, out/groups, kernel...]. The first dimension of the input may be missing. */
ridge_status ridge_rule_convolution(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    const ridge_tensor *t = ridge_operator_tensor(op, values, "input"), *weight = ridge_operator_tensor(op, values, "weight");
    if (!t || !weight || weight->rank < 3 || t->rank + 1 < weight->rank || t->rank > weight->rank)
        return ridge_py_raise(in, "RuntimeError", "Expected a batched or unbatched input to a convolution");
    bool transposed = ridge_operator_value(op, values, "output_padding").type != RIDGE_PY_T_UNSET;
    uint32_t spatial = weight->rank - 2, channel = t->rank - spatial - 1;
    const ridge_py groups = ridge_operator_value(op, values, "groups"), padding = ridge_operator_value(op, values, "padding");
    ridge_py dims[RIDGE_TENSOR_RANK], input = values[0], kernel = ridge_py_unset();
    window windows[RIDGE_TENSOR_RANK];
    ridge_status st = check_channels(t, weight, channel, transposed, groups, in);
    for (uint32_t i = 0; !st && i < spatial; i++) {
        st = read_window(&windows[i], op, values, i, in);
        windows[i].kernel = weight->dims[2 + i];
    }
    if (!st && padding.type == RIDGE_PY_T_STR && ridge_str_is(padding.u.s->text, "same"))
        st = same_padding(&input, windows, weight, op, values, spatial, in);
    if (st)
        return st;
    t = input.u.tensor;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[channel] = weight->dims[0];
    if (transposed)
        st = ridge_size_mul(&dims[channel], weight->dims[1], groups, in);
    for (uint32_t i = 0; !st && i < spatial; i++) {
        uint32_t at = channel + 1 + i;
        st = transposed ? moved_back(&dims[at], t->dims[at], &windows[i], in) : moved(&dims[at], t->dims[at], &windows[i], false, in);
    }
    if (!st)
        st = ridge_operator_result(out, op, values, dims, t->rank, in);
    if (!st)
        lay_window(out->u.tensor, t);
    if (!st)
        st = ridge_size_product(&kernel, weight->dims + 2, spatial, in);
    const ridge_operator_size sizes[] = {{"c", weight->dims[1]}, {"k", kernel}};
    ridge_py copy[16];
    for (size_t i = 0; i < op->name_count && i < 16; i++)
        copy[i] = i ? values[i] : input;
    return st ? st : ridge_operator_ran(op, copy, *out, sizes, 2, in);
}

/* how many dimensions a function's windows have: the digit in max_pool2d */
static uint32_t digit_of(const ridge_operator *op)
{
    const char *d = strstr(op->name, "d_") ? strstr(op->name, "d_") : strstr(op->name, "d.");
    return d && d > op->name && ridge_is_digit(d[-1]) ? (uint32_t)(d[-1] - '0') : 2;
}

/* Maxima have their places written beside them; where nobody asks for these, only the maxima are handed on. Other pools have no places. */
static ridge_status maxima(ridge_py *out, const ridge_operator *op, const ridge_py *values, const ridge_operator_size *sizes, size_t count,
                           ridge_py_interp *in)
{
    const ridge_tensor *t = out->u.tensor;
    ridge_py all = *out;
    ridge_tensor *indices;
    ridge_status st = RIDGE_OK;
    if (strstr(op->name, "max_pool")) {
        st = ridge_tensor_new(&indices, RIDGE_DTYPE_I64, t->dims, t->rank, in);
        if (!st)
            st = ridge_py_new_list(&all, RIDGE_PY_T_TUPLE, 2, in);
        if (!st)
            st = ridge_py_append(all.u.list, *out, in);
        if (!st)
            st = ridge_py_append(all.u.list, ridge_py_tensor(indices), in);
    }
    if (!st)
        st = ridge_operator_ran(op, values, all, sizes, count, in);
    if (!st && ridge_operator_flag(ridge_operator_value(op, values, "return_indices")))
        *out = all;
    return st;
}

ridge_status ridge_rule_pool(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    uint32_t spatial = digit_of(op);
    ridge_py dims[RIDGE_TENSOR_RANK], kernel = ridge_py_int(1);
    bool ceil_mode = ridge_operator_flag(ridge_operator_value(op, values, "ceil_mode"));
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank <= spatial)
        st = ridge_py_raise(in, "RuntimeError", "pooling over %u dimensions of an input of size %s", spatial, ridge_shape_text(t, in));
    if (st)
        return st;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    for (uint32_t i = 0; !st && i < spatial; i++) {
        uint32_t at = t->rank - spatial + i;
        window w;
        st = read_window(&w, op, values, i, in);
        if (!st)
            st = size_item(&w.kernel, op, values, "kernel_size", i, 1, in);
        const ridge_py stride = ridge_operator_value(op, values, "stride");
        bool given = ridge_operator_given(stride) && (stride.type == RIDGE_PY_T_INT || stride.u.list->count);
        w.stride = given ? w.stride : w.kernel;
        if (!st)
            st = moved(&dims[at], t->dims[at], &w, ceil_mode, in);
        if (!st)
            st = ridge_size_mul(&kernel, kernel, w.kernel, in);
    }
    if (!st)
        st = ridge_operator_result(out, op, values, dims, t->rank, in);
    if (!st)
        lay_window(out->u.tensor, t);
    const ridge_operator_size sizes[] = {{"k", kernel}};
    return st ? st : maxima(out, op, values, sizes, 1, in);
}

/* the last dimensions become output_size; where all of them become 1 the mean of PyTorch runs */
ridge_status ridge_rule_adaptive_pool(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    uint32_t spatial = digit_of(op);
    ridge_py dims[RIDGE_TENSOR_RANK], axes;
    const ridge_py wanted = ridge_operator_value(op, values, "output_size");
    bool ones = strstr(op->name, "avg") != NULL;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank <= spatial)
        st = ridge_py_raise(in, "RuntimeError", "pooling over %u dimensions of an input of size %s", spatial, ridge_shape_text(t, in));
    if (!st)
        st = ridge_py_new_list(&axes, RIDGE_PY_T_LIST, spatial, in);
    if (st)
        return st;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    for (uint32_t i = 0; !st && i < spatial; i++) {
        ridge_py size;
        uint32_t at = t->rank - spatial + i;
        st = ridge_operator_item(&size, wanted, i, in);
        if (!st && ridge_operator_given(size))
            st = ridge_size_of(&dims[at], size, in);
        ones &= ridge_size_is(dims[at], 1);
        if (!st)
            st = ridge_py_append(axes.u.list, ridge_py_int((int64_t)i - spatial), in);
    }
    if (!st && ones)
        return ridge_operator_apply(out, "aten.mean.dim", (ridge_py[]){values[0], axes, ridge_py_bool(true)}, 3, in);
    if (!st)
        st = ridge_operator_result(out, op, values, dims, t->rank, in);
    return st ? st : maxima(out, op, values, NULL, 0, in);
}

/* upsample: the dimensions after the second become `size` */
ridge_status ridge_rule_interpolate(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_py dims[RIDGE_TENSOR_RANK];
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st && t->rank < 3)
        st = ridge_py_raise(in, "RuntimeError", "interpolate wants a batch of channels, got %s", ridge_shape_text(t, in));
    if (st)
        return st;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    for (uint32_t i = 2; !st && i < t->rank; i++) {
        ridge_py size;
        st = ridge_operator_item(&size, ridge_operator_value(op, values, "size"), i - 2, in);
        if (!st)
            st = ridge_size_of(&dims[i], size, in);
    }
    if (!st)
        st = ridge_operator_result(out, op, values, dims, t->rank, in);
    if (!st) /* between equal numbers lies nothing else */
        ridge_content_fill_like(out->u.tensor, t);
    return st ? st : ridge_operator_ran(op, values, *out, NULL, 0, in);
}
