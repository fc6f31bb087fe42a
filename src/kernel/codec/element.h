/* element.h - the plain number formats a kernel computes on as they lie in memory: fp32, bf16, fp16.
 * In: a format, or bits. Out: an element kind; values to and from single precision, rounded to nearest even. No state, no failure. */
#ifndef RIDGE_KERNEL_CODEC_ELEMENT_H
#define RIDGE_KERNEL_CODEC_ELEMENT_H

#include <stdint.h>
#include <string.h>

#include "base/format.h"

typedef enum ridge_element {
    RIDGE_ELEMENT_NONE, /* not one of these */
    RIDGE_ELEMENT_FP32,
    RIDGE_ELEMENT_BF16,
    RIDGE_ELEMENT_FP16
} ridge_element;

static inline ridge_element ridge_element_of(const ridge_format *format)
{
    if (!format)
        return RIDGE_ELEMENT_NONE;
    if (strcmp(format->name, "fp32") == 0)
        return RIDGE_ELEMENT_FP32;
    if (strcmp(format->name, "bf16") == 0)
        return RIDGE_ELEMENT_BF16;
    return strcmp(format->name, "fp16") == 0 ? RIDGE_ELEMENT_FP16 : RIDGE_ELEMENT_NONE;
}

static inline int64_t ridge_element_bytes(ridge_element element)
{
    return element == RIDGE_ELEMENT_FP32 ? 4 : 2;
}

static inline uint32_t ridge_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float ridge_bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline float ridge_bf16_to_float(uint16_t x)
{
    return ridge_bits_float((uint32_t)x << 16);
}
static inline uint16_t ridge_float_to_bf16(float x)
{
    uint32_t bits = ridge_float_bits(x);
    if (x != x)
        return (uint16_t)((bits | 0x400000u) >> 16);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
static inline float ridge_fp16_to_float(uint16_t x)
{
    uint32_t sign = (uint32_t)(x & 0x8000u) << 16, exponent = x >> 10 & 31u, mantissa = x & 1023u;
    if (exponent == 31)
        return ridge_bits_float(sign | 0x7f800000u | mantissa << 13);
    if (exponent != 0)
        return ridge_bits_float(sign | (exponent + 112u) << 23 | mantissa << 13);
    float value = (float)mantissa * 0x1p-24f; /* subnormal: exact in single */
    return sign != 0 ? -value : value;
}
static inline uint16_t ridge_float_to_fp16(float x)
{
    uint32_t bits = ridge_float_bits(x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u);
    if (size >= 0x477ff000u) /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7c00u);
    if (size < 0x38800000u) { /* below 2^-14: units of 2^-24, rounded by the adder (0.5 has that unit in single) */
        uint32_t units = ridge_float_bits(ridge_bits_float(size) + 0.5f) - 0x3f000000u;
        return (uint16_t)(sign | units);
    }
    return (uint16_t)(sign | (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13);
}

static inline float ridge_element_get(const void *from, ridge_element element, int64_t at)
{
    if (element == RIDGE_ELEMENT_FP32)
        return ((const float *)from)[at];
    uint16_t half = ((const uint16_t *)from)[at];
    return element == RIDGE_ELEMENT_BF16 ? ridge_bf16_to_float(half) : ridge_fp16_to_float(half);
}
static inline void ridge_element_put(void *to, ridge_element element, int64_t at, float x)
{
    if (element == RIDGE_ELEMENT_FP32)
        ((float *)to)[at] = x;
    else
        ((uint16_t *)to)[at] = element == RIDGE_ELEMENT_BF16 ? ridge_float_to_bf16(x) : ridge_float_to_fp16(x);
}
/* where element `at` lies */
static inline const void *ridge_element_at(const void *from, ridge_element element, int64_t at)
{
    return (const char *)from + at * ridge_element_bytes(element);
}

#endif
