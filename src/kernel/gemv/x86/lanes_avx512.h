/* lanes_avx512.h - kernel/gemv/tiles_tmpl.h's vocabulary in AVX-512 (F, BW, DQ, VL) with VNNI, and VBMI where RIDGE_GEMV_VBMI is set:
 * sixteen lanes of 32 bits. In and out: registers. Included by avx512.c and avx512_vbmi.c alone, after the instruction set is chosen. */
#ifndef RIDGE_KERNEL_GEMV_X86_LANES_AVX512_H
#define RIDGE_KERNEL_GEMV_X86_LANES_AVX512_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 16, HIGH_SHIFT = 4, PLAIN_REGISTERS = 8 };
typedef __m512i ints;
typedef __m512 floats;

#define SHIFT           unsigned /* what shifts count in */
#define VECTOR_REGISTER "v"
#define INLINE          static inline __attribute__((always_inline))

INLINE ints v_load(const uint8_t *at)
{
    return _mm512_load_si512((const void *)at);
}
INLINE ints v_set(int value)
{
    return _mm512_set1_epi32(value);
}
/* the same four bytes in every lane */
INLINE ints v_spread(const void *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    return _mm512_set1_epi32(value);
}
INLINE ints v_and(ints a, ints b)
{
    return _mm512_and_si512(a, b);
}
INLINE ints v_or(ints a, ints b)
{
    return _mm512_or_si512(a, b);
}
INLINE ints v_right(ints a, unsigned bits)
{
    return _mm512_srli_epi32(a, bits);
}
INLINE ints v_left(ints a, unsigned bits)
{
    return _mm512_slli_epi32(a, bits);
}
INLINE ints v_right_signed(ints a, unsigned bits)
{
    return _mm512_srai_epi32(a, bits);
}
INLINE ints v_add(ints a, ints b)
{
    return _mm512_add_epi32(a, b);
}
INLINE ints v_sub(ints a, ints b)
{
    return _mm512_sub_epi32(a, b);
}
INLINE ints v_times(ints a, ints b)
{
    return _mm512_mullo_epi32(a, b);
}
/* low halves of the bytes; high halves times 2^HIGH_SHIFT: the shift is saved up for the sum */
INLINE ints v_low(ints a)
{
    return _mm512_and_si512(a, _mm512_set1_epi8(15));
}
INLINE ints v_high(ints a)
{
    return _mm512_andnot_si512(_mm512_set1_epi8(15), a);
}
/* sum + the four products of each lane; u8 by s8 */
INLINE ints v_dot(ints sum, ints u, ints s)
{
    return _mm512_dpbusd_epi32(sum, u, s);
}
/* the same for u up to 128 only */
INLINE ints v_dot_small(ints sum, ints u, ints s)
{
    return _mm512_dpbusd_epi32(sum, u, s);
}
/* sum + the two products of 16-bit words of each lane */
INLINE ints v_dot16(ints sum, ints a, ints b)
{
    return _mm512_dpwssd_epi32(sum, a, b);
}
/* sixteen bytes, for v_lookup */
INLINE ints v_table(const uint8_t table[16])
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)table));
}
/* table[index] for the low and the high half of each byte; with VBMI six bits choose, of a table that stands there four times, so that
 * nothing need be masked */
INLINE ints v_lookup_low(ints table, ints both)
{
#ifdef RIDGE_GEMV_VBMI
    return _mm512_permutexvar_epi8(both, table);
#else
    return _mm512_shuffle_epi8(table, v_low(both));
#endif
}
INLINE ints v_lookup_high(ints table, ints both)
{
#ifdef RIDGE_GEMV_VBMI
    return _mm512_permutexvar_epi8(_mm512_srli_epi32(both, 4), table);
#else
    return _mm512_shuffle_epi8(table, v_low(_mm512_srli_epi32(both, 4)));
#endif
}
/* sixteen words, for v_lookup16, which reads the low four bits of each word only */
typedef ints words_table;
INLINE words_table v_table16(const int16_t table[16])
{
    return _mm512_broadcast_i64x4(_mm256_loadu_si256((const void *)table));
}
INLINE ints v_lookup16(words_table table, ints index)
{
    return _mm512_permutexvar_epi16(index, table); /* five bits: the table stands there twice */
}
INLINE ints v_widen_u8(const uint8_t *at)
{
    return _mm512_cvtepu8_epi32(_mm_load_si128((const void *)at));
}
INLINE ints v_round(floats a)
{
    return _mm512_cvtps_epi32(a);
}
INLINE void v_store8(int8_t *to, ints a)
{
    _mm_storeu_si128((void *)to, _mm512_cvtepi32_epi8(a));
}
INLINE void v_store16(int16_t *to, ints a)
{
    _mm256_storeu_si256((void *)to, _mm512_cvtepi32_epi16(a));
}
INLINE int v_total(ints a)
{
    return _mm512_reduce_add_epi32(a);
}

INLINE floats f_zero(void)
{
    return _mm512_setzero_ps();
}
INLINE floats f_set(float value)
{
    return _mm512_set1_ps(value);
}
INLINE floats f_load(const float *at)
{
    return _mm512_loadu_ps(at);
}
INLINE floats f_halves(const void *at)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256(at));
}
INLINE floats f_bf16(const void *at)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(at)), 16));
}
INLINE floats f_from(ints a)
{
    return _mm512_cvtepi32_ps(a);
}
INLINE floats f_bits(ints a)
{
    return _mm512_castsi512_ps(a);
}
/* E8M0: the exponent of a float */
INLINE floats f_e8m0(const uint8_t *at)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(v_widen_u8(at), 23));
}
/* E4M3 without its sign, 2^8 too small: the upper byte of an fp16 but for the bias */
INLINE floats f_e4m3(const uint8_t *at)
{
    return _mm512_cvtph_ps(_mm256_slli_epi16(_mm256_cvtepu8_epi16(_mm_load_si128((const void *)at)), 7));
}
INLINE floats f_times(floats a, floats b)
{
    return _mm512_mul_ps(a, b);
}
INLINE floats f_add(floats a, floats b)
{
    return _mm512_add_ps(a, b);
}
INLINE floats f_fma(floats a, floats b, floats sum)
{
    return _mm512_fmadd_ps(a, b, sum);
}
/* sum - a * b */
INLINE floats f_fnma(floats a, floats b, floats sum)
{
    return _mm512_fnmadd_ps(a, b, sum);
}
INLINE floats f_larger_size(floats largest, floats a)
{
    return _mm512_max_ps(largest, _mm512_abs_ps(a));
}
INLINE float f_largest(floats a)
{
    return _mm512_reduce_max_ps(a);
}
INLINE float f_total(floats a)
{
    return _mm512_reduce_add_ps(a);
}
INLINE void f_store(float *to, floats a)
{
    _mm512_storeu_ps(to, a);
}

#endif
