/* vector_tmpl.h - one vocabulary for vectors of floats, and the functions a kernel needs on them: exp, exp2, erfc.
 * In: RIDGE_VECTOR_BITS, set by the file that includes it: 512 (AVX-512 F, BW, DQ, VL), 256 (AVX2, FMA, F16C), 128 (NEON) or nothing (one
 * lane, plain C). Such a file ends with RIDGE_VECTOR_END. Out: inline functions for that width. No state, no failure: results are as IEEE
 * single precision has them, except that results below 2^-126 may be flushed to 0. */
#ifndef RIDGE_KERNEL_VECTOR_TMPL_H
#define RIDGE_KERNEL_VECTOR_TMPL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernel/codec/element.h"

#ifndef RIDGE_VECTOR_BITS
#define RIDGE_VECTOR_BITS 0
#endif

/* the instructions that functions from here on may use; gcc takes them to the end of the file, clang to RIDGE_VECTOR_END */
#if RIDGE_VECTOR_BITS == 512
#define RIDGE_VECTOR_TARGET "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif
#elif RIDGE_VECTOR_BITS == 256
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif
#endif
#if RIDGE_VECTOR_BITS > 128 && defined(__clang__)
#define RIDGE_VECTOR_END _Pragma("clang attribute pop")
#else
#define RIDGE_VECTOR_END
#endif

/* loops over registers: unrolled whole, so that arrays of vectors live in registers */
#ifdef __clang__
#define V_UNROLL _Pragma("clang loop unroll(full)")
#else
#define V_UNROLL _Pragma("GCC unroll 32")
#endif

#if RIDGE_VECTOR_BITS > 128
#include <immintrin.h>
#endif

#if RIDGE_VECTOR_BITS == 512
enum { V_WIDTH = 16 };
typedef __m512 vfloat;
typedef __mmask16 vmask;

static inline vfloat v_all(float x)
{
    return _mm512_set1_ps(x);
}
static inline vfloat v_load(const float *p)
{
    return _mm512_loadu_ps(p);
}
static inline void v_store(float *p, vfloat x)
{
    _mm512_storeu_ps(p, x);
}
static inline vfloat v_add(vfloat a, vfloat b)
{
    return _mm512_add_ps(a, b);
}
static inline vfloat v_sub(vfloat a, vfloat b)
{
    return _mm512_sub_ps(a, b);
}
static inline vfloat v_mul(vfloat a, vfloat b)
{
    return _mm512_mul_ps(a, b);
}
static inline vfloat v_div(vfloat a, vfloat b)
{
    return _mm512_div_ps(a, b);
}
static inline vfloat v_max(vfloat a, vfloat b)
{
    return _mm512_max_ps(a, b);
}
static inline vfloat v_min(vfloat a, vfloat b)
{
    return _mm512_min_ps(a, b);
}
/* a b + c; c - a b */
static inline vfloat v_fma(vfloat a, vfloat b, vfloat c)
{
    return _mm512_fmadd_ps(a, b, c);
}
static inline vfloat v_fnma(vfloat a, vfloat b, vfloat c)
{
    return _mm512_fnmadd_ps(a, b, c);
}
/* to the nearest integer */
static inline vfloat v_round(vfloat x)
{
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* x 2^n, n an integer in -127 .. 128; 0 at n = -127 */
static inline vfloat v_scale(vfloat x, vfloat n)
{
    __m512i bits = _mm512_slli_epi32(_mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127)), 23);
    return _mm512_mul_ps(x, _mm512_castsi512_ps(bits));
}
static inline vmask v_less(vfloat a, vfloat b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
/* lanes of b where the mask has them, of a elsewhere */
static inline vfloat v_select(vmask mask, vfloat a, vfloat b)
{
    return _mm512_mask_blend_ps(mask, a, b);
}
static inline float v_sum(vfloat x)
{
    return _mm512_reduce_add_ps(x);
}
/* the sums of four vectors, with a third of the instructions */
static inline void v_sum_4(float out[4], const vfloat x[4])
{
    __m512 ab = _mm512_add_ps(_mm512_unpacklo_ps(x[0], x[1]), _mm512_unpackhi_ps(x[0], x[1]));
    __m512 cd = _mm512_add_ps(_mm512_unpacklo_ps(x[2], x[3]), _mm512_unpackhi_ps(x[2], x[3]));
    __m512d low = _mm512_unpacklo_pd(_mm512_castps_pd(ab), _mm512_castps_pd(cd));
    __m512d high = _mm512_unpackhi_pd(_mm512_castps_pd(ab), _mm512_castps_pd(cd));
    __m512 all = _mm512_add_ps(_mm512_castpd_ps(low), _mm512_castpd_ps(high));
    __m256 half = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
}
static inline float v_largest(vfloat x)
{
    return _mm512_reduce_max_ps(x);
}
static inline vfloat v_load_bf16(const uint16_t *p)
{
    __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
static inline vfloat v_load_fp16(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
/* round to nearest even; a NaN stays one */
static inline void v_store_bf16(uint16_t *p, vfloat x)
{
    __m512i bits = _mm512_castps_si512(x);
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    __m512i out = _mm512_mask_or_epi32(up, nan, bits, _mm512_set1_epi32(0x400000));
    _mm256_storeu_si256((__m256i *)(void *)p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(out, 16)));
}
static inline void v_store_fp16(uint16_t *p, vfloat x)
{
    _mm256_storeu_si256((__m256i *)(void *)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

#elif RIDGE_VECTOR_BITS == 256
enum { V_WIDTH = 8 };
typedef __m256 vfloat;
typedef __m256 vmask;

static inline vfloat v_all(float x)
{
    return _mm256_set1_ps(x);
}
static inline vfloat v_load(const float *p)
{
    return _mm256_loadu_ps(p);
}
static inline void v_store(float *p, vfloat x)
{
    _mm256_storeu_ps(p, x);
}
static inline vfloat v_add(vfloat a, vfloat b)
{
    return _mm256_add_ps(a, b);
}
static inline vfloat v_sub(vfloat a, vfloat b)
{
    return _mm256_sub_ps(a, b);
}
static inline vfloat v_mul(vfloat a, vfloat b)
{
    return _mm256_mul_ps(a, b);
}
static inline vfloat v_div(vfloat a, vfloat b)
{
    return _mm256_div_ps(a, b);
}
static inline vfloat v_max(vfloat a, vfloat b)
{
    return _mm256_max_ps(a, b);
}
static inline vfloat v_min(vfloat a, vfloat b)
{
    return _mm256_min_ps(a, b);
}
static inline vfloat v_fma(vfloat a, vfloat b, vfloat c)
{
    return _mm256_fmadd_ps(a, b, c);
}
static inline vfloat v_fnma(vfloat a, vfloat b, vfloat c)
{
    return _mm256_fnmadd_ps(a, b, c);
}
static inline vfloat v_round(vfloat x)
{
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline vfloat v_scale(vfloat x, vfloat n)
{
    __m256i bits = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(x, _mm256_castsi256_ps(bits));
}
static inline vmask v_less(vfloat a, vfloat b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
static inline vfloat v_select(vmask mask, vfloat a, vfloat b)
{
    return _mm256_blendv_ps(a, b, mask);
}
static inline float v_sum(vfloat x)
{
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}
/* the sums of four vectors, with a third of the instructions */
static inline void v_sum_4(float out[4], const vfloat x[4])
{
    __m256 all = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)));
}
static inline float v_largest(vfloat x)
{
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}
static inline vfloat v_load_bf16(const uint16_t *p)
{
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
static inline vfloat v_load_fp16(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
}
static inline void v_store_bf16(uint16_t *p, vfloat x)
{
    __m256i bits = _mm256_castps_si256(x);
    __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    __m256i up = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    __m256 nan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
    __m256i out = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(up), _mm256_castsi256_ps(quiet), nan));
    out = _mm256_srli_epi32(out, 16);
    _mm_storeu_si128((__m128i *)(void *)p, _mm_packus_epi32(_mm256_castsi256_si128(out), _mm256_extracti128_si256(out, 1)));
}
static inline void v_store_fp16(uint16_t *p, vfloat x)
{
    _mm_storeu_si128((__m128i *)(void *)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

#elif RIDGE_VECTOR_BITS == 128
#include "kernel/arm/vector_neon.h"

#else
enum { V_WIDTH = 1 };
typedef float vfloat;
typedef bool vmask;

static inline vfloat v_all(float x)
{
    return x;
}
static inline vfloat v_load(const float *p)
{
    return *p;
}
static inline void v_store(float *p, vfloat x)
{
    *p = x;
}
static inline vfloat v_add(vfloat a, vfloat b)
{
    return a + b;
}
static inline vfloat v_sub(vfloat a, vfloat b)
{
    return a - b;
}
static inline vfloat v_mul(vfloat a, vfloat b)
{
    return a * b;
}
static inline vfloat v_div(vfloat a, vfloat b)
{
    return a / b;
}
static inline vfloat v_max(vfloat a, vfloat b)
{
    return a > b ? a : b;
}
static inline vfloat v_min(vfloat a, vfloat b)
{
    return a < b ? a : b;
}
static inline vfloat v_fma(vfloat a, vfloat b, vfloat c)
{
    return a * b + c;
}
static inline vfloat v_fnma(vfloat a, vfloat b, vfloat c)
{
    return c - a * b;
}
/* to the nearest integer, |x| < 2^22 */
static inline vfloat v_round(vfloat x)
{
    const float shift = 12582912.0f; /* 1.5 2^23: its unit is 1 */
    volatile float moved = x + shift;
    return moved - shift;
}
static inline vfloat v_scale(vfloat x, vfloat n)
{
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return x * power;
}
static inline vmask v_less(vfloat a, vfloat b)
{
    return a < b;
}
static inline vfloat v_select(vmask mask, vfloat a, vfloat b)
{
    return mask ? b : a;
}
static inline float v_sum(vfloat x)
{
    return x;
}
static inline float v_largest(vfloat x)
{
    return x;
}
static inline vfloat v_load_bf16(const uint16_t *p)
{
    return ridge_bf16_to_float(*p);
}
static inline vfloat v_load_fp16(const uint16_t *p)
{
    return ridge_fp16_to_float(*p);
}
static inline void v_store_bf16(uint16_t *p, vfloat x)
{
    *p = ridge_float_to_bf16(x);
}
static inline void v_store_fp16(uint16_t *p, vfloat x)
{
    *p = ridge_float_to_fp16(x);
}
#endif

#if RIDGE_VECTOR_BITS <= 128
static inline void v_sum_4(float out[4], const vfloat x[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = v_sum(x[i]);
}
#endif

/* ---- elements of a plain format ---- */
/* V_WIDTH elements from element `at` on */
static inline vfloat v_get(const void *from, ridge_element element, int64_t at)
{
    if (element == RIDGE_ELEMENT_FP32)
        return v_load((const float *)from + at);
    if (element == RIDGE_ELEMENT_BF16)
        return v_load_bf16((const uint16_t *)from + at);
    return v_load_fp16((const uint16_t *)from + at);
}
static inline void v_put(void *to, ridge_element element, int64_t at, vfloat x)
{
    if (element == RIDGE_ELEMENT_FP32)
        v_store((float *)to + at, x);
    else if (element == RIDGE_ELEMENT_BF16)
        v_store_bf16((uint16_t *)to + at, x);
    else
        v_store_fp16((uint16_t *)to + at, x);
}
/* the same for `count` < V_WIDTH elements, the other lanes 0 and left alone: nothing beyond them is touched */
static inline vfloat v_get_some(const void *from, ridge_element element, int64_t at, int64_t count)
{
    float lanes[V_WIDTH] = {0};
    for (int64_t i = 0; i < count; i++)
        lanes[i] = ridge_element_get(from, element, at + i);
    return v_load(lanes);
}
static inline void v_put_some(void *to, ridge_element element, int64_t at, int64_t count, vfloat x)
{
    float lanes[V_WIDTH];
    v_store(lanes, x);
    for (int64_t i = 0; i < count; i++)
        ridge_element_put(to, element, at + i, lanes[i]);
}
/* whole rows of `count` elements to and from single precision */
static inline void v_get_all(float *to, const void *from, ridge_element element, int64_t at, int64_t count)
{
    int64_t i = 0;
    for (; i + V_WIDTH <= count; i += V_WIDTH)
        v_store(to + i, v_get(from, element, at + i));
    for (; i < count; i++)
        to[i] = ridge_element_get(from, element, at + i);
}
static inline void v_put_all(void *to, ridge_element element, int64_t at, const float *from, int64_t count)
{
    int64_t i = 0;
    for (; i + V_WIDTH <= count; i += V_WIDTH)
        v_put(to, element, at + i, v_load(from + i));
    for (; i < count; i++)
        ridge_element_put(to, element, at + i, from[i]);
}

/* ---- functions: coefficients fitted at Chebyshev nodes for the relative error named, then rounded to single ---- */
/* 2^x, at most 2 ulp; 0 below -126.5, infinite from 128 on. f in [-1/2, 1/2]: degree 6, 9.2e-9 */
static inline vfloat v_exp2(vfloat x)
{
    x = v_min(v_max(x, v_all(-127.0f)), v_all(128.0f));
    vfloat n = v_round(x), f = v_sub(x, n);
    vfloat p = v_fma(f, v_all(0.000154531634f), v_all(0.00133908633f));
    p = v_fma(f, p, v_all(0.00961808302f));
    p = v_fma(f, p, v_all(0.0555035695f));
    p = v_fma(f, p, v_all(0.240226507f));
    p = v_fma(f, p, v_all(0.693147182f));
    return v_scale(v_fma(f, p, v_all(1.0f)), n);
}
/* e^x, at most 2 ulp; 0 below -87.6, infinite above 88.37. Cody and Waite's two-part ln 2; degree 6, 9.7e-9 */
static inline vfloat v_exp(vfloat x)
{
    x = v_min(v_max(x, v_all(-88.0f)), v_all(88.75f));
    vfloat n = v_round(v_mul(x, v_all(1.44269504f)));
    vfloat r = v_fnma(n, v_all(-2.12194440e-4f), v_fnma(n, v_all(0.693359375f), x));
    vfloat p = v_fma(r, v_all(0.00139261759f), v_all(0.00836317334f));
    p = v_fma(r, p, v_all(0.0416665561f));
    p = v_fma(r, p, v_all(0.166665778f));
    p = v_fma(r, p, v_all(0.5f));
    return v_scale(v_add(v_fma(v_mul(r, r), p, r), v_all(1.0f)), n);
}
/* erfc(z) for z >= 0, off by at most (5 + 2 z^2) 1e-7 of it: t e^(P(t) - z^2), t = 1 / (1 + z / 2); P of degree 9 on z in 0 .. 10, where
 * erfc reaches 0 in single: 1.0e-7 */
static inline vfloat v_erfc(vfloat z)
{
    z = v_min(z, v_all(10.0f));
    vfloat t = v_div(v_all(1.0f), v_fma(z, v_all(0.5f), v_all(1.0f)));
    vfloat p = v_fma(t, v_all(0.149805024f), v_all(-0.707060754f));
    p = v_fma(t, p, v_all(1.21759295f));
    p = v_fma(t, p, v_all(-0.775881469f));
    p = v_fma(t, p, v_all(-0.0157489553f));
    p = v_fma(t, p, v_all(-0.0321960673f));
    p = v_fma(t, p, v_all(0.0456637256f));
    p = v_fma(t, p, v_all(0.384401649f));
    p = v_fma(t, p, v_all(0.998883784f));
    p = v_fma(t, p, v_all(-1.2654599f));
    return v_mul(t, v_exp(v_fnma(z, z, p)));
}

#endif
