/* avx2.h - what the AVX2 engines share, and the vocabulary that units_tmpl.h and the *_tmpl.h are written in: 8 lanes.
 * In: registers. Out: registers. Internal to the *_avx2.c files; every function carries its target, the files need no flags. */
#ifndef RIDGE_KERNEL_GEMM_X86_AVX2_H
#define RIDGE_KERNEL_GEMM_X86_AVX2_H

#include <immintrin.h>
#include <string.h>

#include "kernel/gemm/gemm.h"

#define RIDGE_AVX2        __attribute__((target("avx2,fma,f16c")))
#define RIDGE_AVX2_INLINE RIDGE_AVX2 __attribute__((always_inline)) static inline
#if defined(__clang__)
#define RIDGE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RIDGE_UNROLL _Pragma("GCC unroll 16")
#endif

/* ---- for the bodies ---- */
#define RIDGE_TARGET        RIDGE_AVX2
#define RIDGE_TARGET_INLINE RIDGE_AVX2_INLINE
#define RIDGE_PACKER(code)  ridge_gemm_pack_##code##_avx2
/* codes of 8 bits stay signed: as unsigned ones their products in pairs would not fit vpmaddubsw's 16 bits */
enum { RIDGE_LANES = 8, RIDGE_BIAS_8 = 0 };
typedef __m256i ridge_units; /* one of 32 bits in each lane */
typedef struct ridge_sixteen {
    __m256 low, high;
} ridge_sixteen;                     /* values */
typedef __m128i ridge_sixteen_codes; /* bytes */
typedef __m256i ridge_tally;         /* of a unit's first two codes in even lanes, of the others in odd ones */
typedef int64_t ridge_part;          /* bytes */

/* r[i] holds 8 values of row i; afterwards r[j] holds value j of the 8 rows */
RIDGE_AVX2_INLINE void ridge_transpose8(__m256 r[8])
{
    __m256 t[8];
    RIDGE_UNROLL
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    RIDGE_UNROLL
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    RIDGE_UNROLL
    for (int i = 0; i < 4; i++) {
        t[i] = _mm256_permute2f128_ps(r[i], r[4 + i], 0x20);
        t[4 + i] = _mm256_permute2f128_ps(r[i], r[4 + i], 0x31);
    }
    memcpy(r, t, sizeof t);
}

/* r[i] holds 8 units of row i; afterwards r[j] holds unit j of the 8 rows */
RIDGE_AVX2_INLINE void ridge_transpose_units(__m256i r[8])
{
    __m256 t[8];
    memcpy(t, r, sizeof t);
    ridge_transpose8(t);
    memcpy(r, t, sizeof t);
}

/* 8 bf16 or fp16 as floats */
RIDGE_AVX2_INLINE __m256 ridge_widen8(ridge_gemm_layout layout, const void *from)
{
    __m128i words = _mm_loadu_si128(from);
    return layout == RIDGE_GEMM_FP16 ? _mm256_cvtph_ps(words) : _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(words), 16));
}

/* 16 values from `from` on as floats, 0 beyond `count` */
RIDGE_AVX2_INLINE ridge_sixteen ridge_load16(ridge_gemm_layout layout, const void *from, int64_t count)
{
    unsigned char room[64] = {0};
    if (count < 16)
        from = memcpy(room, from, (size_t)count * (layout == RIDGE_GEMM_FP32 ? 4 : 2));
    if (layout == RIDGE_GEMM_FP32)
        return (ridge_sixteen){_mm256_loadu_ps(from), _mm256_loadu_ps((const float *)from + 8)};
    return (ridge_sixteen){ridge_widen8(layout, from), ridge_widen8(layout, (const uint16_t *)from + 8)};
}

/* `count` sums to a row of C; ridge_gemm_engine.store */
static inline void ridge_store_row(const ridge_gemm_matrix *c, int64_t row, int64_t column, const float *sums, int64_t count)
{
    ridge_gemm_store(c, row, column, sums, count);
}

/* ---- activations to codes ---- */

RIDGE_AVX2_INLINE ridge_sixteen ridge_no_sixteen(void)
{
    return (ridge_sixteen){_mm256_setzero_ps(), _mm256_setzero_ps()};
}
RIDGE_AVX2_INLINE ridge_sixteen ridge_sizes16(ridge_sixteen x)
{
    const __m256 sign = _mm256_set1_ps(-0.0F);
    return (ridge_sixteen){_mm256_andnot_ps(sign, x.low), _mm256_andnot_ps(sign, x.high)};
}
RIDGE_AVX2_INLINE ridge_sixteen ridge_larger16(ridge_sixteen largest, ridge_sixteen x)
{
    x = ridge_sizes16(x);
    return (ridge_sixteen){_mm256_max_ps(largest.low, x.low), _mm256_max_ps(largest.high, x.high)};
}
RIDGE_AVX2_INLINE float ridge_largest16(ridge_sixteen sizes)
{
    __m256 eight = _mm256_max_ps(sizes.low, sizes.high);
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
RIDGE_AVX2_INLINE __m128i ridge_words8(__m256 x, float inverse)
{
    __m256i q = _mm256_cvtps_epi32(_mm256_mul_ps(x, _mm256_set1_ps(inverse)));
    return _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
}
/* whole numbers, to nearest */
RIDGE_AVX2_INLINE __m128i ridge_codes16(ridge_sixteen x, float inverse)
{
    return _mm_packs_epi16(ridge_words8(x.low, inverse), ridge_words8(x.high, inverse));
}
/* sums of codes in the making */
RIDGE_AVX2_INLINE __m256i ridge_no_tally(void)
{
    return _mm256_setzero_si256();
}
RIDGE_AVX2_INLINE __m256i ridge_tally_codes(__m256i tally, __m128i codes)
{
    return _mm256_add_epi32(tally, _mm256_cvtepi16_epi32(_mm_maddubs_epi16(_mm_set1_epi8(1), codes)));
}
/* even lanes' sum, odd lanes' sum, and both again */
RIDGE_AVX2_INLINE __m128i ridge_total_halves(__m256i tally)
{
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(tally), _mm256_extracti128_si256(tally, 1));
    return _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
}
RIDGE_AVX2_INLINE int32_t ridge_total(__m256i tally)
{
    __m128i halves = ridge_total_halves(tally);
    return _mm_cvtsi128_si32(halves) + _mm_extract_epi32(halves, 1);
}
RIDGE_AVX2_INLINE void ridge_store_codes16(int8_t *to, __m128i codes, int64_t count)
{
    unsigned char room[16];
    _mm_storeu_si128((void *)room, codes);
    memcpy(to, room, (size_t)(count < 16 ? count : 16));
}
/* as bytes, four to a unit, units `stride` bytes apart */
RIDGE_AVX2_INLINE void ridge_put_codes16(unsigned char *to, size_t stride, __m128i codes)
{
    uint32_t units[4];
    _mm_storeu_si128((void *)units, codes);
    for (size_t i = 0; i < 4; i++)
        memcpy(to + i * stride, &units[i], sizeof units[i]);
}
/* What the sums of a step's products with codes plus `bias` begin with: 16 bits for a unit's first two codes, 16 for the others. */
RIDGE_AVX2_INLINE int32_t ridge_start_of(int bias, __m256i tally)
{
    __m128i starts = _mm_mullo_epi16(ridge_total_halves(tally), _mm_set1_epi32(-bias)); /* of lanes' lower halves */
    return (int32_t)((uint32_t)_mm_extract_epi16(starts, 0) | (uint32_t)_mm_extract_epi16(starts, 2) << 16);
}

/* ---- units ---- */

RIDGE_AVX2_INLINE __m256i ridge_no_units(void)
{
    return _mm256_setzero_si256();
}
RIDGE_AVX2_INLINE __m256i ridge_unit_bytes(unsigned char byte)
{
    return _mm256_set1_epi8((char)byte);
}
/* of the bytes of RIDGE_LANES units, those that are there: `bytes` > 0 */
RIDGE_AVX2_INLINE int64_t ridge_part_of(int64_t bytes)
{
    return bytes < 32 ? bytes : 32;
}
/* xor `flip`; what is beyond `part` is not read */
RIDGE_AVX2_INLINE __m256i ridge_load_units(const unsigned char *at, int64_t part, __m256i flip)
{
    unsigned char room[32] = {0};
    if (part < 32)
        at = memcpy(room, at, (size_t)part);
    return _mm256_xor_si256(_mm256_loadu_si256((const void *)at), flip);
}
/* the first `lanes` */
RIDGE_AVX2_INLINE void ridge_store_units(uint32_t *to, unsigned lanes, __m256i units)
{
    __m256i stored = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)lanes), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_maskstore_epi32((int *)(void *)to, stored, units);
}

/* ---- scales ---- */

/* sixteen bytes, the first eight times `first`, the rest times `second` */
RIDGE_AVX2_INLINE void ridge_scale_bytes(float to[16], const void *bytes, float first, float second)
{
    __m128i all = _mm_loadu_si128(bytes);
    __m256 low = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(all)), high = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(all, 8)));
    _mm256_storeu_ps(to, _mm256_mul_ps(low, _mm256_set1_ps(first)));
    _mm256_storeu_ps(to + 8, _mm256_mul_ps(high, _mm256_set1_ps(second)));
}
/* sixteen signed bytes times `scale` */
RIDGE_AVX2_INLINE void ridge_scale_signed_bytes(float to[16], const void *bytes, float scale)
{
    __m128i all = _mm_loadu_si128(bytes);
    __m256 low = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(all)), high = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(all, 8)));
    _mm256_storeu_ps(to, _mm256_mul_ps(low, _mm256_set1_ps(scale)));
    _mm256_storeu_ps(to + 8, _mm256_mul_ps(high, _mm256_set1_ps(scale)));
}
/* int32 sums, less `bias`, times `scale`, to a row of C. 32-byte aligned; the sums are used up, up to 7 beyond `count` too. */
RIDGE_AVX2_INLINE void ridge_store_scaled(const ridge_gemm_matrix *c, int64_t row, int64_t column, float *sums, int64_t count, int32_t bias,
                                          float scale)
{
    __m256i off = _mm256_set1_epi32(bias);
    __m256 step = _mm256_set1_ps(scale);
    for (int64_t i = 0; i < count; i += 8) {
        __m256i exact = _mm256_sub_epi32(_mm256_load_si256((const void *)(sums + i)), off);
        _mm256_store_ps(sums + i, _mm256_mul_ps(_mm256_cvtepi32_ps(exact), step));
    }
    ridge_store_row(c, row, column, sums, count);
}

/* ---- products. The empty statements keep gcc 12 from computing all products of a tile first, for which registers do not suffice. ---- */

/* A unit's products in pairs, added to sums of 16 bits: unsigned w of up to 128, signed x. */
RIDGE_AVX2_INLINE __m256i ridge_add_pairs(__m256i sums, __m256i w, __m256i x)
{
    sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(w, x));
    __asm__("" : "+x"(sums));
    return sums;
}
/* All four in 32 bits, of signed w: |w| <= 128 times x with w's sign, of which |x| <= 127, so that a pair stays within 16 bits:
 * 2 * 128 * 127 = 32512. */
RIDGE_AVX2_INLINE __m256i ridge_dot_signed(__m256i sums, __m256i size_of_w, __m256i w, __m256i x)
{
    __m256i pairs = _mm256_maddubs_epi16(size_of_w, _mm256_sign_epi8(x, w));
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    __asm__("" : "+x"(sums));
    return sums;
}

#include "kernel/gemm/x86/units_tmpl.h"

#endif
