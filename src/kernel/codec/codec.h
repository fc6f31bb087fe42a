/* codec.h - the number formats' true layouts, block by block: GGUF, OCP MX, NVFP4, NF4, int4 groups.
 * In: rows of floats or of blocks. Out: the other. What kernel.h's ridge_quantise_row is made of.
 * Bit-exact against the formats' references (docs/kernels.md); the caller owns every buffer; nothing fails but an unknown format. */
#ifndef RIDGE_KERNEL_CODEC_CODEC_H
#define RIDGE_KERNEL_CODEC_CODEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/format.h"

/* One format's block. `scale` is the tensor's, which only nvfp4, int8 and the plain fp8 use: a value is code * scale. */
typedef struct ridge_codec {
    const char *name;
    unsigned elements, bytes; /* of a block; what base/format.c says, asserted at compile time and by tests */
    void (*quantise)(uint8_t *block, const float *values, float scale);
    void (*dequantise)(float *values, const uint8_t *block, float scale);
} ridge_codec;

/* NULL where there is none, and for int4_g128, whose rows are not blocks one after the other */
const ridge_codec *ridge_codec_of(const ridge_format *format);
bool ridge_has_codec(const ridge_format *format);

/* `count` values from column `from` on, both multiples of the block, of a row of `cols` */
bool ridge_dequantise_part(float *out, const ridge_format *format, const void *row, int64_t cols, int64_t from, int64_t count, float scale);

/* A row of int4_g128: 64 bytes of 4-bit codes per group of 128 (element 2i in the low half of byte i), then an fp16 scale per group,
 * then a 4-bit zero per group (group 2i in the low half); value = scale * (code - zero). 66.5 bytes a group, as GPTQ and AWQ count. */
enum { RIDGE_INT4_GROUP = 128 };
static inline const uint8_t *ridge_int4_scales(const void *row, int64_t cols)
{
    return (const uint8_t *)row + cols / 2;
}
static inline const uint8_t *ridge_int4_zeros(const void *row, int64_t cols)
{
    return (const uint8_t *)row + cols / 2 + cols / RIDGE_INT4_GROUP * 2;
}

/* ---- lists of the codec files, ended by a NULL name ---- */
extern const ridge_codec ridge_codecs_plain[], ridge_codecs_ggml[], ridge_codecs_k[], ridge_codecs_micro[];

/* ---- pieces ---- */
extern const int8_t ridge_iq4_values[16];  /* iq4_nl and iq4_xs: ggml's non-uniform levels */
extern const int8_t ridge_fp4_doubled[16]; /* E2M1 values times two */
extern const float ridge_nf4_values[16];   /* QLoRA (Dettmers 2023), appendix E */

/* Binary formats of 8 bits and less: mantissa bits, exponent bias, the code of the largest finite value. */
typedef struct ridge_minifloat {
    int mantissa, bias;
    unsigned largest, sign; /* code; sign bit */
} ridge_minifloat;
extern const ridge_minifloat ridge_e4m3, ridge_e5m2, ridge_e2m3, ridge_e2m1;
/* nearest, ties to even, saturating; -0 becomes 0 */
unsigned ridge_minifloat_encode(const ridge_minifloat *format, float value);
float ridge_minifloat_decode(const ridge_minifloat *format, unsigned code);
/* 2^(code - 127); 255 is NaN (OCP MX v1.0, 5.4.1) */
float ridge_e8m0_decode(unsigned code);

/* nearest integer, ties to even; beyond 2^22 - 1 that bound. Adding 1.5 * 2^23 leaves the integer in the lowest bits. */
static inline int ridge_round_int(float value)
{
    value = value > 4194303.0f ? 4194303.0f : value < -4194303.0f ? -4194303.0f : value;
    union {
        float f;
        uint32_t u;
    } sum = {.f = value + 0x1.8p23f};
    return (int)(sum.u & 0x7fffff) - 0x400000;
}
static inline int ridge_clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}
/* the value of largest magnitude, with its sign; the first of several */
float ridge_extreme(const float *values, unsigned count);

#endif
