/* ggml's blocks of 32: q4_0, q4_1, q5_0, q5_1, q8_0, iq4_nl. Layouts as ggml-common.h has them: the fp16 scale (and minimum) first,
 * then the fifth bits, then two 4-bit codes a byte: element i in the low half of byte i, element 16 + i in the high half. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/codec/codec.h"
#include "kernel/codec/element.h"

enum { BLOCK = 32, HALF = BLOCK / 2 };

const int8_t ridge_iq4_values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

static float half_at(const uint8_t *at)
{
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    return ridge_fp16_to_float(bits);
}
static void put_half(uint8_t *at, float value)
{
    uint16_t bits = ridge_float_to_fp16(value);
    memcpy(at, &bits, sizeof bits);
}
static void pack_halves(uint8_t *out, const uint8_t codes[BLOCK])
{
    for (int i = 0; i < HALF; i++)
        out[i] = (uint8_t)((codes[i] & 15) | (codes[i + HALF] & 15) << 4);
}
static int code_at(const uint8_t *packed, int i)
{
    return i < HALF ? packed[i] & 15 : packed[i - HALF] >> 4;
}
/* towards zero, kept within the codes */
static uint8_t truncated(float value, int largest)
{
    return value >= (float)largest ? (uint8_t)largest : value > 0 ? (uint8_t)value : 0;
}

static void q8_0_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    float d = fabsf(ridge_extreme(values, BLOCK)) / 127, inverse = d != 0 ? 1.0f / d : 0.0f;
    put_half(block, d);
    for (int i = 0; i < BLOCK; i++)
        block[2 + i] = (uint8_t)(int8_t)ridge_clamp((int)roundf(values[i] * inverse), -128, 127);
}
static void q8_0_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = half_at(block);
    for (int i = 0; i < BLOCK; i++)
        values[i] = (float)(int8_t)block[2 + i] * d;
}

/* codes 0 .. 2 * offset - 1 for extreme / -offset steps: the extreme value gets the code furthest from the middle */
static float signed_codes(uint8_t codes[BLOCK], const float *values, int offset)
{
    float d = ridge_extreme(values, BLOCK) / (float)-offset, inverse = d != 0 ? 1.0f / d : 0.0f;
    for (int i = 0; i < BLOCK; i++)
        codes[i] = truncated(values[i] * inverse + ((float)offset + 0.5f), 2 * offset - 1);
    return d;
}
/* codes 0 .. largest between the smallest and the largest value */
static float ranged_codes(uint8_t codes[BLOCK], float *minimum, const float *values, int largest)
{
    float low = FLT_MAX, high = -FLT_MAX;
    for (int i = 0; i < BLOCK; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    float d = (high - low) / (float)largest, inverse = d != 0 ? 1.0f / d : 0.0f;
    for (int i = 0; i < BLOCK; i++)
        codes[i] = truncated((values[i] - low) * inverse + 0.5f, largest);
    *minimum = low;
    return d;
}
static void put_fifth_bits(uint8_t *at, const uint8_t codes[BLOCK])
{
    uint32_t bits = 0;
    for (int i = 0; i < BLOCK; i++)
        bits |= (uint32_t)(codes[i] >> 4) << i;
    memcpy(at, &bits, sizeof bits);
}
static int fifth_bit(const uint8_t *at, int i)
{
    return (at[i / 8] >> i % 8 & 1) << 4;
}

static void q4_0_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    uint8_t codes[BLOCK];
    put_half(block, signed_codes(codes, values, 8));
    pack_halves(block + 2, codes);
}
static void q4_0_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = half_at(block);
    for (int i = 0; i < BLOCK; i++)
        values[i] = (float)(code_at(block + 2, i) - 8) * d;
}

static void q4_1_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    uint8_t codes[BLOCK];
    float minimum;
    put_half(block, ranged_codes(codes, &minimum, values, 15));
    put_half(block + 2, minimum);
    pack_halves(block + 4, codes);
}
static void q4_1_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = half_at(block), minimum = half_at(block + 2);
    for (int i = 0; i < BLOCK; i++)
        values[i] = (float)code_at(block + 4, i) * d + minimum;
}

static void q5_0_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    uint8_t codes[BLOCK];
    put_half(block, signed_codes(codes, values, 16));
    put_fifth_bits(block + 2, codes);
    pack_halves(block + 6, codes);
}
static void q5_0_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = half_at(block);
    for (int i = 0; i < BLOCK; i++)
        values[i] = (float)((code_at(block + 6, i) | fifth_bit(block + 2, i)) - 16) * d;
}

static void q5_1_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    uint8_t codes[BLOCK];
    float minimum;
    put_half(block, ranged_codes(codes, &minimum, values, 31));
    put_half(block + 2, minimum);
    put_fifth_bits(block + 4, codes);
    pack_halves(block + 8, codes);
}
static void q5_1_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = half_at(block), minimum = half_at(block + 2);
    for (int i = 0; i < BLOCK; i++)
        values[i] = (float)(code_at(block + 8, i) | fifth_bit(block + 4, i)) * d + minimum;
}

/* ---- iq4_nl ---- */

/* the level nearest to x: bisection, the upper of two equally near */
static uint8_t nearest_level(float x)
{
    int low = 0, high = 15;
    if (x <= (float)ridge_iq4_values[0])
        return 0;
    if (x >= (float)ridge_iq4_values[15])
        return 15;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x < (float)ridge_iq4_values[middle])
            high = middle;
        else
            low = middle;
    }
    return (uint8_t)(x - (float)ridge_iq4_values[low] < (float)ridge_iq4_values[high] - x ? low : high);
}

/* With step = 1 / inverse: sums of w x q and w q q, w = x^2, whose quotient is the step of least weighted squared error. */
static void level_sums(float *sum_qx, float *sum_q2, uint8_t *codes, const float *values, float inverse)
{
    *sum_qx = *sum_q2 = 0;
    for (int i = 0; i < BLOCK; i++) {
        uint8_t code = nearest_level(inverse * values[i]);
        float q = (float)ridge_iq4_values[code], w = values[i] * values[i];
        *sum_qx += w * q * values[i];
        *sum_q2 += w * q * q;
        if (codes)
            codes[i] = code;
    }
}

/* ggml's quantize_row_iq4_nl_impl as its reference calls it: the extreme value on the level -127 or, where better, as 127 levels up */
static void iq4_nl_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    const float negligible = 1e-15f;
    uint8_t codes[BLOCK] = {0};
    float extreme = ridge_extreme(values, BLOCK), d = 0;
    if (fabsf(extreme) >= negligible) {
        float sum_qx, sum_q2;
        d = extreme / (float)ridge_iq4_values[0];
        level_sums(&sum_qx, &sum_q2, codes, values, 1 / d);
        d = sum_q2 > 0 ? sum_qx / sum_q2 : 0;
    }
    put_half(block, d);
    pack_halves(block + 2, codes);
}
static void iq4_nl_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = half_at(block);
    for (int i = 0; i < BLOCK; i++)
        values[i] = d * (float)ridge_iq4_values[code_at(block + 2, i)];
}

const ridge_codec ridge_codecs_ggml[] = {
    {"q8_0", BLOCK, 34, q8_0_in, q8_0_out},
    {"q4_0", BLOCK, 18, q4_0_in, q4_0_out},
    {"q4_1", BLOCK, 20, q4_1_in, q4_1_out},
    {"q5_0", BLOCK, 22, q5_0_in, q5_0_out},
    {"q5_1", BLOCK, 24, q5_1_in, q5_1_out},
    {"iq4_nl", BLOCK, 18, iq4_nl_in, iq4_nl_out},
    {NULL, 0, 0, NULL, NULL},
};
