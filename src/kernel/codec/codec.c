#include "kernel/codec/codec.h"

#include <string.h>

#include "kernel/codec/element.h"
#include "kernel/kernel.h"
#include "kernel/parts.h"

float ridge_extreme(const float *values, unsigned count)
{
    float largest = 0, extreme = 0;
    for (unsigned i = 0; i < count; i++)
        if (largest < __builtin_fabsf(values[i])) {
            largest = __builtin_fabsf(values[i]);
            extreme = values[i];
        }
    return extreme;
}

/* ---- plain formats: a block of one ---- */

static void fp32_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    memcpy(block, values, sizeof *values);
}
static void fp32_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    memcpy(values, block, sizeof *values);
}
static void bf16_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    uint16_t bits = ridge_float_to_bf16(*values);
    memcpy(block, &bits, sizeof bits);
}
static void bf16_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    uint16_t bits;
    memcpy(&bits, block, sizeof bits);
    *values = ridge_bf16_to_float(bits);
}
static void fp16_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    uint16_t bits = ridge_float_to_fp16(*values);
    memcpy(block, &bits, sizeof bits);
}
static void fp16_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    uint16_t bits;
    memcpy(&bits, block, sizeof bits);
    *values = ridge_fp16_to_float(bits);
}
static void int8_in(uint8_t *block, const float *values, float scale)
{
    float code = scale != 0 ? *values / scale : 0;
    code = code > 127 ? 127 : code < -127 ? -127 : code;
    *block = (uint8_t)ridge_round_int(code);
}
static void int8_out(float *values, const uint8_t *block, float scale)
{
    *values = (float)(int8_t)*block * scale;
}
static void e4m3_in(uint8_t *block, const float *values, float scale)
{
    *block = (uint8_t)ridge_minifloat_encode(&ridge_e4m3, scale != 0 ? *values / scale : 0);
}
static void e4m3_out(float *values, const uint8_t *block, float scale)
{
    *values = ridge_minifloat_decode(&ridge_e4m3, *block) * scale;
}
static void e5m2_in(uint8_t *block, const float *values, float scale)
{
    *block = (uint8_t)ridge_minifloat_encode(&ridge_e5m2, scale != 0 ? *values / scale : 0);
}
static void e5m2_out(float *values, const uint8_t *block, float scale)
{
    *values = ridge_minifloat_decode(&ridge_e5m2, *block) * scale;
}

const ridge_codec ridge_codecs_plain[] = {
    {"fp32", 1, 4, fp32_in, fp32_out}, {"bf16", 1, 2, bf16_in, bf16_out},     {"fp16", 1, 2, fp16_in, fp16_out},
    {"int8", 1, 1, int8_in, int8_out}, {"fp8_e4m3", 1, 1, e4m3_in, e4m3_out}, {"fp8_e5m2", 1, 1, e5m2_in, e5m2_out},
    {NULL, 0, 0, NULL, NULL},
};

/* ---- finding one ---- */

const ridge_codec *ridge_codec_of(const ridge_format *format)
{
    static const ridge_codec *const lists[] = {ridge_codecs_plain, ridge_codecs_ggml, ridge_codecs_k, ridge_codecs_micro};
    if (!format)
        return NULL;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const ridge_codec *codec = lists[i]; codec->name; codec++)
            if (strcmp(codec->name, format->name) == 0)
                return codec;
    return NULL;
}

bool ridge_has_codec(const ridge_format *format)
{
    return ridge_codec_of(format) || ridge_format_is(format, "int4_g128");
}

/* ---- int4 in groups of 128: asymmetric round-to-nearest, as AutoGPTQ's and AWQ's quantizer.find_params without a search ---- */

static void int4_group_in(uint8_t *codes, uint16_t *scale, unsigned *zero, const float *values)
{
    float low = 0, high = 0; /* 0 is always representable */
    for (int i = 0; i < RIDGE_INT4_GROUP; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    *scale = ridge_float_to_fp16((high - low) / 15);
    float step = ridge_fp16_to_float(*scale), inverse = step != 0 ? 1 / step : 0;
    *zero = (unsigned)ridge_clamp(ridge_round_int(-low * inverse), 0, 15);
    memset(codes, 0, RIDGE_INT4_GROUP / 2);
    for (int i = 0; i < RIDGE_INT4_GROUP; i++) {
        unsigned code = (unsigned)ridge_clamp(ridge_round_int(values[i] * inverse) + (int)*zero, 0, 15);
        codes[i / 2] |= (uint8_t)(code << i % 2 * 4);
    }
}

static void int4_row_in(uint8_t *row, const float *values, int64_t cols)
{
    int64_t groups = cols / RIDGE_INT4_GROUP;
    uint8_t *scales = row + cols / 2, *zeros = scales + 2 * groups;
    memset(zeros, 0, (size_t)(groups + 1) / 2);
    for (int64_t g = 0; g < groups; g++) {
        uint16_t scale;
        unsigned zero;
        int4_group_in(row + g * RIDGE_INT4_GROUP / 2, &scale, &zero, values + g * RIDGE_INT4_GROUP);
        memcpy(scales + 2 * g, &scale, sizeof scale);
        zeros[g / 2] |= (uint8_t)(zero << g % 2 * 4);
    }
}

static void int4_part_out(float *out, const uint8_t *row, int64_t cols, int64_t from, int64_t count)
{
    for (int64_t i = from; i < from + count; i++) {
        int64_t g = i / RIDGE_INT4_GROUP;
        uint16_t scale;
        memcpy(&scale, ridge_int4_scales(row, cols) + 2 * g, sizeof scale);
        int zero = ridge_int4_zeros(row, cols)[g / 2] >> g % 2 * 4 & 15, code = row[i / 2] >> i % 2 * 4 & 15;
        *out++ = ridge_fp16_to_float(scale) * (float)(code - zero);
    }
}

/* ---- rows ---- */

bool ridge_quantise_row(void *out, const ridge_format *format, const float *values, int64_t cols, float tensor_scale)
{
    const ridge_codec *codec = ridge_codec_of(format);
    if (!codec && !ridge_has_codec(format))
        return false;
    if (!codec)
        int4_row_in(out, values, cols);
    for (int64_t i = 0; codec && i < cols / codec->elements; i++)
        codec->quantise((uint8_t *)out + i * codec->bytes, values + i * codec->elements, tensor_scale);
    return true;
}

bool ridge_dequantise_part(float *out, const ridge_format *format, const void *row, int64_t cols, int64_t from, int64_t count, float scale)
{
    const ridge_codec *codec = ridge_codec_of(format);
    if (!codec && !ridge_has_codec(format))
        return false;
    if (!codec)
        int4_part_out(out, row, cols, from, count);
    for (int64_t i = 0; codec && i < count / codec->elements; i++)
        codec->dequantise(out + i * codec->elements, (const uint8_t *)row + (from / codec->elements + i) * codec->bytes, scale);
    return true;
}

bool ridge_dequantise_row(float *out, const ridge_format *format, const void *row, int64_t cols, float tensor_scale)
{
    return ridge_dequantise_part(out, format, row, cols, 0, cols, tensor_scale);
}
