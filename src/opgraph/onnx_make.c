/* Tensors that are made: constants, ranges, random numbers, window functions. */
#include <math.h>

#include "opgraph/onnx.h"

/* ---- Constant: an attribute is its result ---- */

static ridge_status constant_tensor(ridge_opgraph_call *call, const ridge_opgraph_argument *a)
{
    const ridge_opgraph_tensor *from = a->u.value == RIDGE_OPGRAPH_NONE ? NULL : &call->run->tensors[a->u.value];
    if (!from || !from->known)
        return ridge_opgraph_unknown(call, "its tensor is of a kind that is not read");
    ridge_status st = ridge_opgraph_set_like(call, 0, from->format, from);
    if (!st)
        ridge_opset_hold_same(call, 0, from);
    return st;
}

static ridge_status constant_reals(ridge_opgraph_call *call, const double *reals, size_t count, uint32_t rank)
{
    int64_t n = (int64_t)count;
    ridge_status st = ridge_opgraph_set(call, 0, ridge_opset_format_named("fp32"), &n, rank);
    return st ? st : ridge_opgraph_give_reals(call, 0, reals, count);
}

static ridge_status constant_ints(ridge_opgraph_call *call, const int64_t *ints, size_t count, uint32_t rank)
{
    int64_t n = (int64_t)count;
    ridge_status st = ridge_opgraph_set(call, 0, ridge_opset_format_named("i64"), &n, rank);
    return st ? st : ridge_opgraph_give_ints(call, 0, ints, count);
}

ridge_status ridge_onnx_rule_constant(ridge_opgraph_call *call)
{
    for (uint32_t i = 0; i < call->node->argument_count; i++) {
        const ridge_opgraph_argument *a = &call->node->arguments[i];
        int64_t texts = (int64_t)a->count;
        switch (a->kind) {
        case RIDGE_OPGRAPH_ARG_VALUE:
            return constant_tensor(call, a);
        case RIDGE_OPGRAPH_ARG_INT:
            return constant_ints(call, &a->u.whole, 1, 0);
        case RIDGE_OPGRAPH_ARG_INTS:
            return constant_ints(call, a->u.ints, a->count, 1);
        case RIDGE_OPGRAPH_ARG_REAL:
            return constant_reals(call, &a->u.real, 1, 0);
        case RIDGE_OPGRAPH_ARG_REALS:
            return constant_reals(call, a->u.reals, a->count, 1);
        case RIDGE_OPGRAPH_ARG_TEXT:
        case RIDGE_OPGRAPH_ARG_TEXTS:
            return ridge_opgraph_set(call, 0, NULL, &texts, a->kind == RIDGE_OPGRAPH_ARG_TEXTS ? 1 : 0);
        default:
            break;
        }
    }
    return ridge_opgraph_unknown(call, "it has no value of a kind that is read");
}

/* the tensor of an attribute; NULL: none */
static const ridge_opgraph_tensor *value_of(const ridge_opgraph_call *call, const char *name)
{
    const ridge_opgraph_argument *a = ridge_opgraph_argument_of(call->node, name);
    return a && a->kind == RIDGE_OPGRAPH_ARG_VALUE && a->u.value != RIDGE_OPGRAPH_NONE ? &call->run->tensors[a->u.value] : NULL;
}

static ridge_status fill(ridge_opgraph_call *call, const ridge_opgraph_tensor *value)
{
    if (!ridge_opgraph_holds(call, 0) || (value && !ridge_opset_is_held(value)))
        return RIDGE_OK;
    size_t count = (size_t)call->out[0]->elements;
    bool whole = value && value->ints;
    int64_t *ints = whole ? ridge_opgraph_room(call, 0) : NULL;
    double *reals = whole ? NULL : ridge_opgraph_room(call, 0);
    if (!ints && !reals)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < count; i++)
        if (whole)
            ints[i] = value->ints[0];
        else
            reals[i] = value ? value->reals[0] : 0;
    return whole ? ridge_opgraph_give_ints(call, 0, ints, count) : ridge_opgraph_give_reals(call, 0, reals, count);
}

ridge_status ridge_onnx_rule_constant_of_shape(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    const ridge_opgraph_tensor *value = value_of(call, "value");
    const ridge_format *format = value ? value->format : ridge_opset_format_named("fp32");
    ridge_opset_list shape;
    if (st)
        return st;
    if (!ridge_opset_held(&shape, call, 0))
        return ridge_opset_as_declared(call, 0, format, "its shape is decided by data");
    if (value && value->known && value->elements != 1)
        return ridge_opgraph_wrong(call, "its value is %s; it wants one number", ridge_opgraph_shape_text(call, value));
    if (shape.count > RIDGE_OPGRAPH_RANK)
        return ridge_opgraph_wrong(call, "a shape of %zu dimensions", shape.count);
    st = ridge_opgraph_set(call, 0, format, shape.at, (uint32_t)shape.count);
    return st ? st : fill(call, value);
}

/* ---- Range: start, limit, delta ---- */

static ridge_status range_of_ints(ridge_opgraph_call *call, int64_t start, int64_t limit, int64_t delta)
{
    __extension__ typedef __int128 wide;
    if (delta == 0)
        return ridge_opgraph_wrong(call, "its step is 0");
    wide length = delta > 0 ? (wide)limit - start : (wide)start - limit, step = delta > 0 ? (wide)delta : -(wide)delta;
    wide n = length > 0 ? (length + step - 1) / step : 0;
    int64_t count = n > INT64_MAX ? INT64_MAX : (int64_t)n;
    ridge_status st = ridge_opgraph_set(call, 0, ridge_opset_format_of(call, 0), &count, 1);
    if (st || !ridge_opgraph_holds(call, 0))
        return st;
    int64_t *ints = ridge_opgraph_room(call, 0);
    if (!ints)
        return ridge_no_memory(call->run->err);
    for (int64_t i = 0; i < count; i++)
        ints[i] = (int64_t)((wide)start + (wide)i * delta);
    return ridge_opgraph_give_ints(call, 0, ints, (size_t)count);
}

ridge_status ridge_onnx_rule_range(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    double number[3] = {0, 0, 1};
    int64_t whole[3] = {0, 0, 1};
    bool known = true, ints = true;
    if (st)
        return st;
    for (uint32_t i = 0; i < 3 && ridge_opset_has(call, i); i++) {
        known = known && ridge_opset_number(&number[i], call, i);
        ints = ints && ridge_opset_whole(&whole[i], call, i);
    }
    if (!known)
        return ridge_opset_as_declared(call, 0, ridge_opset_format_of(call, 0), "how long it is is decided by data");
    if (ints)
        return range_of_ints(call, whole[0], whole[1], whole[2]);
    double n = number[2] != 0 ? ceil((number[1] - number[0]) / number[2]) : -1;
    if (!(n < 4e18) || number[2] == 0)
        return ridge_opgraph_wrong(call, "a range from %g to %g by %g", number[0], number[1], number[2]);
    int64_t count = n > 0 ? (int64_t)n : 0;
    return ridge_opgraph_set(call, 0, ridge_opset_format_of(call, 0), &count, 1);
}

/* ---- like another tensor, of which nothing is read: EyeLike, RandomNormalLike, RandomUniformLike ---- */

static const ridge_format *dtype_or(const ridge_opgraph_call *call, const char *name, const ridge_format *otherwise)
{
    const ridge_format *given = ridge_opset_format(ridge_opgraph_whole(call->node, name, 0));
    return given ? given : otherwise;
}

ridge_status ridge_onnx_rule_like(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    call->step->gathered = 0;
    return st ? st : ridge_opgraph_set_like(call, 0, dtype_or(call, "dtype", ridge_opset_format_of(call, 0)), call->in[0]);
}

/* RandomNormal, RandomUniform */
ridge_status ridge_onnx_rule_random(ridge_opgraph_call *call)
{
    ridge_opset_list shape = ridge_opset_attribute(call, "shape");
    if (!shape.there || shape.count > RIDGE_OPGRAPH_RANK)
        return ridge_opgraph_wrong(call, "it has no shape");
    return ridge_opgraph_set(call, 0, dtype_or(call, "dtype", ridge_opset_format_named("fp32")), shape.at, (uint32_t)shape.count);
}

ridge_status ridge_onnx_rule_multinomial(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st || (st = ridge_opset_rank_is(call, 0, "its input", 2)))
        return st;
    ridge_opset_dims out = {.rank = 2, .at = {call->in[0]->dims[0], ridge_opgraph_whole(call->node, "sample_size", 1)}};
    return ridge_opset_set(call, 0, dtype_or(call, "dtype", ridge_opset_format_named("i32")), &out);
}

ridge_status ridge_onnx_rule_bernoulli(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    return st ? st : ridge_opgraph_set_like(call, 0, dtype_or(call, "dtype", ridge_opset_format_of(call, 0)), call->in[0]);
}

/* indices, depth, values [off, on] */
ridge_status ridge_onnx_rule_one_hot(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 3);
    double depth;
    uint32_t axis;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (x->rank + 1 > RIDGE_OPGRAPH_RANK)
        return ridge_opgraph_wrong(call, "its result has more than %d dimensions", RIDGE_OPGRAPH_RANK);
    if ((st = ridge_opset_axis(&axis, call, ridge_opgraph_whole(call->node, "axis", -1), x->rank + 1)))
        return st;
    if (!ridge_opset_number(&depth, call, 1))
        return ridge_opset_as_declared(call, 0, ridge_opset_format_of(call, 2), "its depth is decided by data");
    if (!(depth >= 0 && depth < 4e18))
        return ridge_opgraph_wrong(call, "its depth is %g", depth);
    ridge_opset_dims out = {.rank = x->rank + 1};
    for (uint32_t i = 0, from = 0; i < out.rank; i++)
        out.at[i] = i == axis ? (int64_t)depth : x->dims[from++];
    return ridge_opset_set(call, 0, ridge_opset_format_of(call, 2), &out);
}

/* ---- signals ---- */

/* HannWindow and the like: as long as the input says */
ridge_status ridge_onnx_rule_window_function(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    const ridge_format *format = dtype_or(call, "output_datatype", ridge_opset_format_named("fp32"));
    int64_t size;
    if (st)
        return st;
    if (!ridge_opset_whole(&size, call, 0))
        return ridge_opset_as_declared(call, 0, format, "its length is decided by data");
    return ridge_opgraph_set(call, 0, format, &size, 1);
}

/* num_mel_bins, dft_length, sample_rate, lower and upper edge */
ridge_status ridge_onnx_rule_mel_weights(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 5);
    const ridge_format *format = dtype_or(call, "output_datatype", ridge_opset_format_named("fp32"));
    int64_t bins, length;
    if (st)
        return st;
    if (!ridge_opset_whole(&bins, call, 0) || !ridge_opset_whole(&length, call, 1))
        return ridge_opset_as_declared(call, 0, format, "its shape is decided by data");
    if (bins < 0 || length < 0)
        return ridge_opgraph_wrong(call, "%lld bins of a transform of %lld", (long long)bins, (long long)length);
    ridge_opset_dims out = {.rank = 2, .at = {length / 2 + 1, bins}};
    return ridge_opset_set(call, 0, format, &out);
}
