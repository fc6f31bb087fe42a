/* avx512.h - what the AVX-512 engines share, and the vocabulary that units_tmpl.h and the *_tmpl.h are written in: 16 lanes.
 * In: registers. Out: registers. Internal to the *_avx512.c files; every function carries its target, the files need no flags. */
#ifndef RIDGE_KERNEL_GEMM_X86_AVX512_H
#define RIDGE_KERNEL_GEMM_X86_AVX512_H

#include <immintrin.h>
#include <string.h>

#include "kernel/gemm/gemm.h"

#define RIDGE_AVX512        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#define RIDGE_AVX512_INLINE RIDGE_AVX512 __attribute__((always_inline)) static inline
#if defined(__clang__)
#define RIDGE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RIDGE_UNROLL _Pragma("GCC unroll 32")
#endif

#define RIDGE_AVX512_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")))

/* ---- for the bodies ---- */
#define RIDGE_TARGET        RIDGE_AVX512
#define RIDGE_TARGET_INLINE RIDGE_AVX512_INLINE
#define RIDGE_PACKER(code)  ridge_gemm_pack_##code##_avx512
/* what makes codes of 8 bits unsigned, as vpdpbusd wants them */
enum { RIDGE_LANES = 16, RIDGE_BIAS_8 = 128 };
typedef __m512i ridge_units;         /* one of 32 bits in each lane */
typedef __m512 ridge_sixteen;        /* values */
typedef __m512i ridge_sixteen_codes; /* in 32 bits each */
typedef __m512i ridge_tally;
typedef __mmask64 ridge_part;

/* sums + the dot products of 4 unsigned bytes of w and 4 signed ones of x. In assembly, since gcc 12 keeps an array of sums that goes
 * through _mm512_dpbusd_epi32 on the stack: 0.41 of the rate instead of 0.9. */
RIDGE_AVX512_VNNI __attribute__((always_inline)) static inline __m512i ridge_dot_bytes(__m512i sums, __m512i w, __m512i x)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(w), "v"(x));
    return sums;
}

/* r[i] holds 16 units of row i; afterwards r[j] holds unit j of the 16 rows */
RIDGE_AVX512_INLINE void ridge_transpose_units(__m512i r[16])
{
    __m512i t[16];
    RIDGE_UNROLL
    for (int i = 0; i < 8; i++) {
        t[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    RIDGE_UNROLL
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    RIDGE_UNROLL
    for (int j = 0; j < 4; j++) {
        t[j] = _mm512_shuffle_i32x4(r[j], r[4 + j], 0x88);
        t[4 + j] = _mm512_shuffle_i32x4(r[8 + j], r[12 + j], 0x88);
        t[8 + j] = _mm512_shuffle_i32x4(r[j], r[4 + j], 0xdd);
        t[12 + j] = _mm512_shuffle_i32x4(r[8 + j], r[12 + j], 0xdd);
    }
    RIDGE_UNROLL
    for (int j = 0; j < 4; j++) {
        r[j] = _mm512_shuffle_i32x4(t[j], t[4 + j], 0x88);
        r[8 + j] = _mm512_shuffle_i32x4(t[j], t[4 + j], 0xdd);
        r[4 + j] = _mm512_shuffle_i32x4(t[8 + j], t[12 + j], 0x88);
        r[12 + j] = _mm512_shuffle_i32x4(t[8 + j], t[12 + j], 0xdd);
    }
}

/* the low `count` of 16 lanes, 0 <= count */
RIDGE_AVX512_INLINE __mmask16 ridge_lanes16(int64_t count)
{
    return (__mmask16)(count >= 16 ? 0xffffU : (1U << count) - 1U);
}

/* 16 values from `from` on as floats, 0 beyond `count` */
RIDGE_AVX512_INLINE __m512 ridge_load16(ridge_gemm_layout layout, const void *from, int64_t count)
{
    __mmask16 mask = ridge_lanes16(count);
    if (layout == RIDGE_GEMM_BF16)
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from)), 16));
    if (layout == RIDGE_GEMM_FP16)
        return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, from));
    return _mm512_maskz_loadu_ps(mask, from);
}

/* `count` sums to a row of C, rounded to nearest even; ridge_gemm_engine.store */
RIDGE_AVX512_INLINE void ridge_store_row(const ridge_gemm_matrix *c, int64_t row, int64_t column, const float *sums, int64_t count)
{
    unsigned char *to = c->data + (size_t)row * c->row_bytes + (size_t)column * c->block_bytes;
    for (int64_t i = 0; i < count; i += 16, to += 16 * c->block_bytes) {
        __mmask16 mask = ridge_lanes16(count - i);
        __m512 x = _mm512_loadu_ps(sums + i);
        __m512i bits = _mm512_castps_si512(x);
        if (c->layout == RIDGE_GEMM_FP32) {
            _mm512_mask_storeu_ps(to, mask, x);
        } else if (c->layout == RIDGE_GEMM_FP16) {
            _mm256_mask_storeu_epi16(to, mask, _mm512_maskz_cvtps_ph((__mmask16)0xffff, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
        } else {
            __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
            __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
            __mmask16 unordered = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
            rounded = _mm512_mask_or_epi32(rounded, unordered, bits, _mm512_set1_epi32(0x400000));
            _mm256_mask_storeu_epi16(to, mask, _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16)));
        }
    }
}

/* ---- activations to codes ---- */

RIDGE_AVX512_INLINE __m512 ridge_no_sixteen(void)
{
    return _mm512_setzero_ps();
}
RIDGE_AVX512_INLINE __m512 ridge_sizes16(__m512 x)
{
    return _mm512_abs_ps(x);
}
RIDGE_AVX512_INLINE __m512 ridge_larger16(__m512 largest, __m512 x)
{
    return _mm512_max_ps(largest, ridge_sizes16(x));
}
RIDGE_AVX512_INLINE float ridge_largest16(__m512 sizes)
{
    return _mm512_reduce_max_ps(sizes);
}
/* whole numbers, to nearest */
RIDGE_AVX512_INLINE __m512i ridge_codes16(__m512 x, float inverse)
{
    return _mm512_cvtps_epi32(_mm512_mul_ps(x, _mm512_set1_ps(inverse)));
}
/* sums of codes in the making */
RIDGE_AVX512_INLINE __m512i ridge_no_tally(void)
{
    return _mm512_setzero_si512();
}
RIDGE_AVX512_INLINE __m512i ridge_tally_codes(__m512i tally, __m512i codes)
{
    return _mm512_add_epi32(tally, codes);
}
RIDGE_AVX512_INLINE int32_t ridge_total(__m512i tally)
{
    return _mm512_reduce_add_epi32(tally);
}
RIDGE_AVX512_INLINE void ridge_store_codes16(int8_t *to, __m512i codes, int64_t count)
{
    _mm_mask_storeu_epi8(to, ridge_lanes16(count), _mm512_cvtsepi32_epi8(codes));
}
/* as bytes, four to a unit, units `stride` bytes apart */
RIDGE_AVX512_INLINE void ridge_put_codes16(unsigned char *to, size_t stride, __m512i codes)
{
    uint32_t units[4];
    _mm_storeu_si128((void *)units, _mm512_cvtsepi32_epi8(codes));
    for (size_t i = 0; i < 4; i++)
        memcpy(to + i * stride, &units[i], sizeof units[i]);
}
/* what the sums of a step's products with codes plus `bias` begin with */
RIDGE_AVX512_INLINE int32_t ridge_start_of(int bias, __m512i tally)
{
    return -bias * ridge_total(tally);
}

/* ---- units ---- */

RIDGE_AVX512_INLINE __m512i ridge_no_units(void)
{
    return _mm512_setzero_si512();
}
RIDGE_AVX512_INLINE __m512i ridge_unit_bytes(unsigned char byte)
{
    return _mm512_set1_epi8((char)byte);
}
/* of the bytes of RIDGE_LANES units, those that are there: `bytes` > 0 */
RIDGE_AVX512_INLINE __mmask64 ridge_part_of(int64_t bytes)
{
    return bytes >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << bytes) - 1;
}
/* xor `flip`; what is beyond `part` is not read */
RIDGE_AVX512_INLINE __m512i ridge_load_units(const unsigned char *at, __mmask64 part, __m512i flip)
{
    return _mm512_xor_si512(_mm512_maskz_loadu_epi8(part, at), flip);
}
/* the first `lanes` */
RIDGE_AVX512_INLINE void ridge_store_units(uint32_t *to, unsigned lanes, __m512i units)
{
    _mm512_mask_storeu_epi32(to, ridge_lanes16(lanes), units);
}

/* ---- scales ---- */

/* sixteen bytes, the first eight times `first`, the rest times `second` */
RIDGE_AVX512_INLINE void ridge_scale_bytes(float to[16], const void *bytes, float first, float second)
{
    __m512 values = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(bytes)));
    _mm512_storeu_ps(to, _mm512_mul_ps(values, _mm512_insertf32x8(_mm512_set1_ps(first), _mm256_set1_ps(second), 1)));
}
/* sixteen signed bytes times `scale` */
RIDGE_AVX512_INLINE void ridge_scale_signed_bytes(float to[16], const void *bytes, float scale)
{
    _mm512_storeu_ps(to, _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(bytes))), _mm512_set1_ps(scale)));
}
/* int32 sums, less `bias`, times `scale`, to a row of C. 64-byte aligned; the sums are used up, up to 15 beyond `count` too. */
RIDGE_AVX512_INLINE void ridge_store_scaled(const ridge_gemm_matrix *c, int64_t row, int64_t column, float *sums, int64_t count,
                                            int32_t bias, float scale)
{
    const __m512i off = _mm512_set1_epi32(bias);
    const __m512 step = _mm512_set1_ps(scale);
    float *to = (float *)(void *)(c->data + (size_t)row * c->row_bytes + (size_t)column * c->block_bytes);
    for (int64_t i = 0; i < count; i += 16) {
        __m512i exact = _mm512_sub_epi32(_mm512_load_si512(sums + i), off);
        __m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(exact), step);
        if (c->layout == RIDGE_GEMM_FP32)
            _mm512_mask_storeu_ps(to + i, ridge_lanes16(count - i), value);
        else
            _mm512_store_ps(sums + i, value);
    }
    if (c->layout != RIDGE_GEMM_FP32)
        ridge_store_row(c, row, column, sums, count);
}

#include "kernel/gemm/x86/units_tmpl.h"

#endif
