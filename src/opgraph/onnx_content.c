/* Contents of small tensors that an operator moves to other places: shapes and indices on their way through a graph. */
#include <math.h>

#include "opgraph/onnx.h"

bool ridge_opset_is_held(const ridge_op_tensor *t)
{
    return t && (t->ints || t->reals);
}

void ridge_opset_strides(int64_t *strides, const ridge_op_tensor *t)
{
    int64_t stride = 1;
    for (uint32_t i = t->rank; i-- > 0; stride *= t->dims[i])
        strides[i] = stride;
}

/* the next coordinates, row by row */
static void step(int64_t *at, const ridge_op_tensor *t)
{
    for (uint32_t i = t->rank; i-- > 0;) {
        if (++at[i] < t->dims[i])
            return;
        at[i] = 0;
    }
}

ridge_status ridge_opset_hold_from(ridge_op_call *call, uint32_t out, const ridge_op_tensor *from, ridge_opset_source *source,
                                   const void *how, ridge_opset_filling filling)
{
    const ridge_op_tensor *to = ridge_opset_wants(call, out) ? call->out[out] : NULL;
    if (!to || !to->known || to->elements > RIDGE_OP_CONTENT || !ridge_opset_is_held(from))
        return RIDGE_OK;
    size_t count = (size_t)to->elements;
    int64_t *ints = from->ints ? ridge_arena_array(call->run->arena, count + 1, sizeof *ints) : NULL;
    double *reals = from->ints ? NULL : ridge_arena_array(call->run->arena, count + 1, sizeof *reals);
    if (!ints && !reals)
        return ridge_no_memory(call->run->err);
    int64_t at[RIDGE_OP_RANK] = {0};
    for (size_t i = 0; i < count; i++, step(at, to)) {
        size_t place = source(how, at);
        if (place != SIZE_MAX && place >= from->content_count)
            return RIDGE_OK; /* an index that is outside: nothing is known of the result */
        if (ints)
            ints[i] = place == SIZE_MAX ? filling.whole : from->ints[place];
        else
            reals[i] = place == SIZE_MAX ? filling.real : from->reals[place];
    }
    return ints ? ridge_op_hold_ints(call, out, ints, count) : ridge_op_hold_reals(call, out, reals, count);
}

ridge_status ridge_opset_hold_same(ridge_op_call *call, uint32_t out, const ridge_op_tensor *from)
{
    const ridge_op_tensor *to = ridge_opset_wants(call, out) ? call->out[out] : NULL;
    if (!to || !to->known || to->elements != (ridge_int)from->content_count)
        return RIDGE_OK;
    if (from->ints)
        return ridge_op_hold_ints(call, out, from->ints, from->content_count);
    return from->reals ? ridge_op_hold_reals(call, out, from->reals, from->content_count) : RIDGE_OK;
}

/* significant bits of a format of floats; 0: not one that is computed in here */
static int significant(const ridge_format *format)
{
    if (!format)
        return 0;
    return strcmp(format->name, "fp16") == 0 ? 11 : strcmp(format->name, "bf16") == 0 ? 8 : 0;
}

bool ridge_opset_round(double *value, const ridge_format *format)
{
    if (format && strcmp(format->name, "fp64") == 0)
        return true;
    if (format && strcmp(format->name, "fp32") == 0) {
        *value = (double)(float)*value;
        return true;
    }
    int bits = significant(format), exponent;
    if (!bits || !isfinite(*value))
        return false;
    double mantissa = ldexp(frexp(*value, &exponent), bits);
    return mantissa == floor(mantissa) && exponent > -10 && exponent < 15; /* exact, and of both formats' range */
}

bool ridge_opset_fits(int64_t value, const ridge_format *format)
{
    static const struct {
        const char *name;
        int64_t low, high;
    } ranges[] = {{"i64", INT64_MIN, INT64_MAX}, {"i32", INT32_MIN, INT32_MAX}, {"i16", INT16_MIN, INT16_MAX},
                  {"int8", INT8_MIN, INT8_MAX},  {"u8", 0, UINT8_MAX},          {"u16", 0, UINT16_MAX},
                  {"u32", 0, UINT32_MAX},        {"u64", 0, INT64_MAX},         {"bool", 0, 1}};
    for (size_t i = 0; format && i < sizeof ranges / sizeof *ranges; i++)
        if (strcmp(format->name, ranges[i].name) == 0)
            return value >= ranges[i].low && value <= ranges[i].high;
    return false;
}
