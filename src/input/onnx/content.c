#include <inttypes.h>
#include <math.h>

#include "input/onnx/parts.h"

/* Reads the numbers of a small tensor, whose message was read and found well-formed, once more. */
typedef struct content {
    const onnx_tensor *t;
    int64_t *ints; /* one of both */
    double *reals;
    size_t count, want;
    bool lost; /* a number above 2^63 - 1 */
} content;

static uint64_t low(uint64_t bits, unsigned n)
{
    return n >= 64 ? bits : bits & ((UINT64_C(1) << n) - 1);
}

/* IEEE 754 in small: a sign where there is room for one, exponent, mantissa */
static double real_of(uint64_t bits, const onnx_dtype *d)
{
    const uint64_t mantissa = low(bits, d->mantissa), exponent = low(bits >> d->mantissa, d->exponent);
    const uint64_t most = (UINT64_C(1) << d->exponent) - 1, all = (UINT64_C(1) << d->mantissa) - 1;
    const bool has_sign = d->exponent + d->mantissa < d->bits, negative = has_sign && bits >> (d->exponent + d->mantissa) & 1;
    if (d->special == 'i' && exponent == most)
        return mantissa ? NAN : negative ? -INFINITY : INFINITY;
    if ((d->special == 'n' && exponent == most && mantissa == all) || (d->special == 'z' && negative && !exponent && !mantissa))
        return NAN;
    const bool normal = exponent || !d->mantissa;
    const double fraction = (double)(normal && d->mantissa ? mantissa | (all + 1) : d->mantissa ? mantissa : 1);
    const double value = ldexp(fraction, (int)(normal ? exponent : 1) - d->bias - (int)d->mantissa);
    return negative ? -value : value;
}

static int64_t whole_of(uint64_t bits, const onnx_dtype *d)
{
    const uint64_t value = low(bits, d->bits);
    if (d->kind == ONNX_SIGNED && d->bits < 64 && value >> (d->bits - 1))
        return (int64_t)value - (INT64_C(1) << d->bits);
    return (int64_t)value;
}

static void put(content *c, uint64_t bits)
{
    const onnx_dtype *d = c->t->dtype;
    if (c->count == c->want)
        return; /* the last byte of small numbers may have room for more */
    if (c->reals)
        c->reals[c->count++] = real_of(low(bits, d->bits), d);
    else
        c->ints[c->count++] = whole_of(bits, d);
    c->lost |= c->ints && d->kind == ONNX_UNSIGNED && d->bits == 64 && bits > INT64_MAX;
}

/* An item of a list: one number, or a byte of several small ones, the first in the low bits. */
static ridge_status put_item(onnx_reader *r, void *into, uint64_t bits)
{
    content *c = into;
    const unsigned width = c->t->dtype->bits;
    (void)r;
    for (unsigned at = 0; at == 0 || (width < 8 && at < 8); at += width)
        put(c, bits >> at);
    return RIDGE_OK;
}

static ridge_status read_raw(content *c, onnx_reader *r, ridge_cursor part)
{
    const unsigned bytes = c->t->dtype->bits < 8 ? 1 : c->t->dtype->bits / 8;
    const size_t n = (size_t)ridge_cursor_left(&part);
    if (!r->scratch && !(r->scratch = ridge_arena_alloc(r->arena, (size_t)RIDGE_OPGRAPH_CONTENT * 8)))
        return ridge_no_memory(r->err);
    ridge_status st = ridge_binary_read(part.file, r->scratch, part.at, n, r->err);
    for (size_t i = 0; i + bytes <= n && !st; i += bytes) {
        uint64_t bits = 0;
        for (unsigned k = bytes; k-- > 0;)
            bits = bits << 8 | ((unsigned char *)r->scratch)[i + k];
        st = put_item(r, c, bits);
    }
    return st;
}

static ridge_status read_numbers(content *c, onnx_reader *r)
{
    const uint32_t field = c->t->dtype->field;
    const ridge_proto_wire wire = field == 4 ? RIDGE_PROTO_FIXED32 : field == 10 ? RIDGE_PROTO_FIXED64 : RIDGE_PROTO_VARINT;
    ridge_cursor message = c->t->message;
    ridge_proto_field f;
    ridge_status st;
    while (!(st = ridge_proto_next(&f, &message, "a tensor", r->err)) && f.number) {
        if (f.number == ONNX_TENSOR_RAW)
            st = read_raw(c, r, f.part);
        else if (f.number == field)
            st = ridge_onnx_numbers(r, &f, wire, put_item, c, "a tensor's numbers");
        if (st)
            return st;
    }
    return st;
}

ridge_status ridge_onnx_content(ridge_opgraph_value *v, onnx_reader *r, const onnx_tensor *t)
{
    content c = {.t = t, .want = (size_t)t->elements};
    if (t->external || t->sparse || t->stripped || t->dtype->kind == ONNX_OTHER || t->dtype->bits > 64)
        return RIDGE_OK;
    if (t->dtype->kind == ONNX_FLOAT)
        c.reals = ridge_arena_array(r->arena, c.want + 1, sizeof *c.reals);
    else
        c.ints = ridge_arena_array(r->arena, c.want + 1, sizeof *c.ints);
    if (!c.reals && !c.ints)
        return ridge_no_memory(r->err);
    ridge_status st = read_numbers(&c, r);
    if (st || c.count != c.want || c.lost)
        return st;
    v->ints = c.ints;
    v->reals = c.reals;
    v->content_count = c.count;
    return ridge_onnx_memory(r);
}
