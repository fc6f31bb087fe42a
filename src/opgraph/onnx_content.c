/* Contents of small tensors that an operator moves to other places: shapes and indices on their way through a graph. */
#include <math.h>

#include "opgraph/onnx.h"

bool ridge_opset_is_held(const ridge_opgraph_tensor *t)
{
    return t && (t->ints || t->reals);
}

void ridge_opset_strides(int64_t *strides, const ridge_opgraph_tensor *t)
{
    int64_t stride = t->elements ? 1 : 0; /* without elements there are no places */
    for (uint32_t i = t->rank; i-- > 0; stride *= t->dims[i])
        strides[i] = stride;
}

void ridge_opset_step(int64_t *at, const ridge_opgraph_tensor *t)
{
    for (uint32_t i = t->rank; i-- > 0;) {
        if (++at[i] < t->dims[i])
            return;
        at[i] = 0;
    }
}

size_t ridge_opset_place(const ridge_opgraph_tensor *t, uint32_t rank, const int64_t *at)
{
    size_t place = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        place = place * (size_t)t->dims[i] + (t->dims[i] == 1 ? 0 : (size_t)at[rank - t->rank + i]);
    return place;
}

ridge_status ridge_opset_hold_from(ridge_opgraph_call *call, uint32_t out, const ridge_opgraph_tensor *from, ridge_opset_source *source,
                                   const void *how, ridge_opset_filling filling)
{
    if (!ridge_opgraph_holds(call, out) || !ridge_opset_is_held(from))
        return RIDGE_OK;
    const ridge_opgraph_tensor *to = call->out[out];
    size_t count = (size_t)to->elements;
    int64_t *ints = from->ints ? ridge_opgraph_room(call, out) : NULL;
    double *reals = from->ints ? NULL : ridge_opgraph_room(call, out);
    if (!ints && !reals)
        return ridge_no_memory(call->run->err);
    int64_t at[RIDGE_OPGRAPH_RANK] = {0};
    for (size_t i = 0; i < count; i++, ridge_opset_step(at, to)) {
        size_t place = source(how, at);
        if (place != SIZE_MAX && place >= from->content_count)
            return RIDGE_OK; /* an index that is outside: nothing is known of the result */
        if (ints)
            ints[i] = place == SIZE_MAX ? filling.whole : from->ints[place];
        else
            reals[i] = place == SIZE_MAX ? filling.real : from->reals[place];
    }
    return ints ? ridge_opgraph_give_ints(call, out, ints, count) : ridge_opgraph_give_reals(call, out, reals, count);
}

void ridge_opset_hold_same(ridge_opgraph_call *call, uint32_t out, const ridge_opgraph_tensor *from)
{
    ridge_opgraph_tensor *to = ridge_opset_wants(call, out) ? call->out[out] : NULL;
    if (!to || !to->known || to->elements != (ridge_int)from->content_count || !ridge_opset_is_held(from))
        return;
    to->ints = from->ints;
    to->reals = from->reals;
    to->content_count = from->content_count;
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
