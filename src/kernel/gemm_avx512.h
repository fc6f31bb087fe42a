/* gemm_avx512.h - what the AVX-512 engines share: 16 rows of 32-bit units turned into columns.
 * In: registers. Out: registers. Internal to the gemm_*_avx512.c files; every function carries its target, the files need no flags. */
#ifndef RIDGE_KERNEL_GEMM_AVX512_H
#define RIDGE_KERNEL_GEMM_AVX512_H

#include <immintrin.h>

#include "kernel/gemm.h"

#define RIDGE_AVX512        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#define RIDGE_AVX512_INLINE RIDGE_AVX512 __attribute__((always_inline)) static inline
#if defined(__clang__)
#define RIDGE_UNROLL _Pragma("unroll")
#else
#define RIDGE_UNROLL _Pragma("GCC unroll 32")
#endif

#define RIDGE_AVX512_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")))

/* sums + the dot products of 4 unsigned bytes of w and 4 signed ones of x. In assembly, since gcc 12 keeps an array of sums that goes
 * through _mm512_dpbusd_epi32 on the stack: 0.41 of the rate instead of 0.9. */
RIDGE_AVX512_VNNI __attribute__((always_inline)) static inline __m512i ridge_dot_bytes(__m512i sums, __m512i w, __m512i x)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(w), "v"(x));
    return sums;
}

/* r[i] holds 16 units of row i; afterwards r[j] holds unit j of the 16 rows */
RIDGE_AVX512_INLINE void ridge_transpose16(__m512i r[16])
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

/* into the second-level cache; as an integer, since it may lie outside the buffer */
RIDGE_AVX512_INLINE void ridge_prefetch(const void *at, ptrdiff_t ahead)
{
    _mm_prefetch((const char *)((uintptr_t)at + (uintptr_t)ahead), _MM_HINT_T1);
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

/* 16 values of a matrix of floats from (row, k) on, 0 beyond `count` */
RIDGE_AVX512_INLINE __m512 ridge_matrix16(const ridge_gemm_matrix *matrix, int64_t row, int64_t k, int64_t count)
{
    const unsigned char *at = matrix->data + (size_t)row * matrix->row_bytes + (size_t)k * matrix->block_bytes;
    return ridge_load16(matrix->layout, at, count);
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

/* rows of bytes that are packed by 32-bit units as they lie: pairs of bf16, quadruples of int8 */
typedef struct ridge_unit_rows {
    const unsigned char *first;
    size_t row_bytes;
    ptrdiff_t ahead;
    unsigned rows; /* <= 16; the rest are 0 */
} ridge_unit_rows;

/* `bytes` of each row to columns of units, to[unit][stride] (in units), xor `flip`; only lanes in `written` are stored */
RIDGE_AVX512_INLINE void ridge_pack_units(uint32_t *to, size_t stride, const ridge_unit_rows *from, int64_t bytes, __mmask16 written,
                                          __m512i flip)
{
    for (int64_t done = 0; done < bytes; done += 64, to += 16 * stride) {
        __m512i r[16];
        int64_t left = bytes - done;
        __mmask64 mask = left >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << left) - 1;
        RIDGE_UNROLL
        for (unsigned i = 0; i < 16; i++) {
            const unsigned char *at = from->first + i * from->row_bytes + done;
            r[i] = i < from->rows ? _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, at), flip) : _mm512_setzero_si512();
            ridge_prefetch(at, from->ahead);
        }
        ridge_transpose16(r);
        int64_t units = left >= 64 ? 16 : (left + 3) / 4;
        RIDGE_UNROLL
        for (int64_t j = 0; j < 16; j++)
            if (j < units)
                _mm512_mask_storeu_epi32(to + (size_t)j * stride, written, r[j]);
    }
}

/* both halves of a panel of 32 rows of W, `bytes` of each from byte `from` on */
RIDGE_AVX512_INLINE void ridge_pack_unit_panel(void *panel, const ridge_gemm_matrix *w, int64_t row, unsigned rows, int64_t from,
                                               int64_t bytes, ptrdiff_t ahead, __m512i flip)
{
    ridge_unit_rows half = {w->data + (size_t)row * w->row_bytes + from, w->row_bytes, ahead, rows < 16 ? rows : 16};
    ridge_pack_units(panel, 32, &half, bytes, 0xffff, flip);
    half.first += 16 * half.row_bytes;
    half.rows = rows - half.rows;
    ridge_pack_units((uint32_t *)panel + 16, 32, &half, bytes, 0xffff, flip);
}

#endif
