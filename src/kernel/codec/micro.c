/* Micro-scaled and table formats: mxfp8 (E4M3), mxfp6 (E2M3), mxfp4, mxint8 (OCP MX v1.0), nvfp4 (NVIDIA), nf4 (QLoRA). */
#include <math.h>
#include <string.h>

#include "kernel/codec/codec.h"
#include "kernel/codec/element.h"

const ridge_minifloat ridge_e4m3 = {3, 7, 0x7e, 0x80}, ridge_e5m2 = {2, 15, 0x7b, 0x80}, ridge_e2m3 = {3, 1, 0x1f, 0x20},
                      ridge_e2m1 = {1, 1, 0x7, 0x8};
const int8_t ridge_fp4_doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
const float ridge_nf4_values[16] = {-1.0f,
                                    -0.6961928009986877f,
                                    -0.5250730514526367f,
                                    -0.39491748809814453f,
                                    -0.28444138169288635f,
                                    -0.18477343022823334f,
                                    -0.09105003625154495f,
                                    0.0f,
                                    0.07958029955625534f,
                                    0.16093020141124725f,
                                    0.24611230194568634f,
                                    0.33791524171829224f,
                                    0.44070982933044434f,
                                    0.5626170039176941f,
                                    0.7229568362236023f,
                                    1.0f};

/* Codes of a sign-magnitude format ascend with the magnitude: code = units above the smallest normal's binade + its own significand. */
unsigned ridge_minifloat_encode(const ridge_minifloat *format, float value)
{
    const int lowest = 1 - format->bias;
    float size = fabsf(value);
    if (!(size <= 0x1p100f)) /* NaN and what is beyond every format */
        return format->largest | (value < 0 ? format->sign : 0);
    int exponent = lowest;
    if (size > 0) {
        (void)frexpf(size, &exponent);
        exponent = exponent - 1 < lowest ? lowest : exponent - 1;
    }
    double units = rint(ldexp((double)size, format->mantissa - exponent));
    double code = units + ldexp(exponent - lowest, format->mantissa);
    unsigned magnitude = code > (double)format->largest ? format->largest : (unsigned)code;
    return magnitude | (value < 0 && magnitude != 0 ? format->sign : 0);
}

float ridge_minifloat_decode(const ridge_minifloat *format, unsigned code)
{
    const unsigned one = 1u << format->mantissa;
    unsigned magnitude = code & (format->sign - 1), exponent = magnitude >> format->mantissa, rest = magnitude & (one - 1);
    float size = ldexpf((float)(exponent ? one + rest : rest), (int)(exponent ? exponent : 1) - format->bias - format->mantissa);
    if (format == &ridge_e4m3 && magnitude == 0x7f)
        size = NAN;
    if (format == &ridge_e5m2 && magnitude > 0x7b)
        size = magnitude == 0x7c ? INFINITY : NAN;
    return (code & format->sign) != 0 ? -size : size;
}

float ridge_e8m0_decode(unsigned code)
{
    return code == 255 ? NAN : ldexpf(1.0f, (int)code - 127);
}

/* OCP MX v1.0, 6.3: the shared exponent is the largest value's less the element format's largest exponent; as E8M0 */
static unsigned shared_exponent(const float *values, unsigned count, int largest_exponent)
{
    int exponent;
    float extreme = fabsf(ridge_extreme(values, count));
    if (!(extreme > 0) || isinf(extreme))
        return extreme > 0 ? 254 : 0;
    (void)frexpf(extreme, &exponent);
    return (unsigned)ridge_clamp(exponent - 1 - largest_exponent + 127, 0, 254);
}

enum { MX = 32, NV = 16, NF = 64 };

static void mxfp8_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    block[0] = (uint8_t)shared_exponent(values, MX, 8);
    float inverse = 1 / ridge_e8m0_decode(block[0]);
    for (int i = 0; i < MX; i++)
        block[1 + i] = (uint8_t)ridge_minifloat_encode(&ridge_e4m3, values[i] * inverse);
}
static void mxfp8_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = ridge_e8m0_decode(block[0]);
    for (int i = 0; i < MX; i++)
        values[i] = ridge_minifloat_decode(&ridge_e4m3, block[1 + i]) * d;
}

/* elements of six bits, the first in the lowest bits of the first byte */
static void mxfp6_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    block[0] = (uint8_t)shared_exponent(values, MX, 2);
    float inverse = 1 / ridge_e8m0_decode(block[0]);
    memset(block + 1, 0, 24);
    for (int i = 0; i < MX; i++) {
        unsigned bits = ridge_minifloat_encode(&ridge_e2m3, values[i] * inverse) << 6 * i % 8;
        block[1 + 6 * i / 8] |= (uint8_t)bits;
        if (bits > 255)
            block[2 + 6 * i / 8] |= (uint8_t)(bits >> 8);
    }
}
static void mxfp6_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = ridge_e8m0_decode(block[0]);
    for (int i = 0; i < MX; i++) {
        const uint8_t *at = block + 1 + 6 * i / 8;
        unsigned bits = at[0] | (6 * i % 8 > 2 ? (unsigned)at[1] << 8 : 0);
        values[i] = ridge_minifloat_decode(&ridge_e2m3, bits >> 6 * i % 8 & 63) * d;
    }
}

/* GGUF's order: element i in the low half of byte i, 16 + i in the high half */
static void mxfp4_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    block[0] = (uint8_t)shared_exponent(values, MX, 2);
    float inverse = 1 / ridge_e8m0_decode(block[0]);
    for (int i = 0; i < MX / 2; i++)
        block[1 + i] = (uint8_t)(ridge_minifloat_encode(&ridge_e2m1, values[i] * inverse) |
                                 ridge_minifloat_encode(&ridge_e2m1, values[i + MX / 2] * inverse) << 4);
}
static void mxfp4_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = ridge_e8m0_decode(block[0]);
    for (int i = 0; i < MX; i++) {
        unsigned code = i < MX / 2 ? block[1 + i] & 15u : block[1 + i - MX / 2] >> 4;
        values[i] = (float)ridge_fp4_doubled[code] * 0.5f * d;
    }
}

/* q * 2^-6 * 2^shared: -2 .. 2 (OCP MX v1.0, 5.3.4); -128 is left out, for symmetry */
static void mxint8_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    block[0] = (uint8_t)shared_exponent(values, MX, 0);
    float inverse = 64 / ridge_e8m0_decode(block[0]);
    for (int i = 0; i < MX; i++)
        block[1 + i] = (uint8_t)(int8_t)ridge_clamp(ridge_round_int(values[i] * inverse), -127, 127);
}
static void mxint8_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = ridge_e8m0_decode(block[0]) / 64;
    for (int i = 0; i < MX; i++)
        values[i] = (float)(int8_t)block[1 + i] * d;
}

/* The E4M3 scale, then 16 E2M1 elements, element 2i in the low half of byte i (NVIDIA, "Introducing NVFP4"); value = element * scale *
 * the tensor's fp32 scale. */
static void nvfp4_in(uint8_t *block, const float *values, float scale)
{
    float extreme = fabsf(ridge_extreme(values, NV));
    block[0] = (uint8_t)ridge_minifloat_encode(&ridge_e4m3, scale != 0 ? extreme / 6 / scale : 0);
    float d = ridge_minifloat_decode(&ridge_e4m3, block[0]) * scale;
    memset(block + 1, 0, NV / 2);
    for (int i = 0; i < NV; i++)
        block[1 + i / 2] |= (uint8_t)(ridge_minifloat_encode(&ridge_e2m1, d != 0 ? values[i] / d : 0) << i % 2 * 4);
}
static void nvfp4_out(float *values, const uint8_t *block, float scale)
{
    float d = ridge_minifloat_decode(&ridge_e4m3, block[0]) * scale;
    for (int i = 0; i < NV; i++)
        values[i] = (float)ridge_fp4_doubled[block[1 + i / 2] >> i % 2 * 4 & 15] * 0.5f * d;
}

/* the nearest of the sixteen, by bitsandbytes' thresholds: the middles between neighbours; the lower at the middle */
static unsigned nearest_nf4(float x)
{
    unsigned code = 0;
    while (code < 15 && x > (ridge_nf4_values[code] + ridge_nf4_values[code + 1]) * 0.5f)
        code++;
    return code;
}
/* absmax as fp16, then 64 codes, element 2i in the high half of byte i, as bitsandbytes packs them */
static void nf4_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    uint16_t bits = ridge_float_to_fp16(fabsf(ridge_extreme(values, NF)));
    float largest = ridge_fp16_to_float(bits), inverse = largest != 0 ? 1 / largest : 0;
    memcpy(block, &bits, sizeof bits);
    for (int i = 0; i < NF / 2; i++)
        block[2 + i] = (uint8_t)(nearest_nf4(values[2 * i] * inverse) << 4 | nearest_nf4(values[2 * i + 1] * inverse));
}
static void nf4_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    uint16_t bits;
    memcpy(&bits, block, sizeof bits);
    float largest = ridge_fp16_to_float(bits);
    for (int i = 0; i < NF; i++)
        values[i] = ridge_nf4_values[block[2 + i / 2] >> (1 - i % 2) * 4 & 15] * largest;
}

const ridge_codec ridge_codecs_micro[] = {
    {"mxfp8", MX, 33, mxfp8_in, mxfp8_out},
    {"mxfp6", MX, 25, mxfp6_in, mxfp6_out},
    {"mxfp4", MX, 17, mxfp4_in, mxfp4_out},
    {"mxint8", MX, 33, mxint8_in, mxint8_out},
    {"nvfp4", NV, 9, nvfp4_in, nvfp4_out},
    {"nf4", NF, 34, nf4_in, nf4_out},
    {NULL, 0, 0, NULL, NULL},
};
