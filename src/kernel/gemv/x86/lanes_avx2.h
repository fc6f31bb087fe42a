/* lanes_avx2.h - kernel/gemv/tiles_tmpl.h's vocabulary in AVX2 with FMA and F16C: eight lanes of 32 bits.
 * In and out: registers. Included by avx2.c alone, after the instruction set is chosen. */
#ifndef RIDGE_KERNEL_GEMV_X86_LANES_AVX2_H
#define RIDGE_KERNEL_GEMV_X86_LANES_AVX2_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 8, HIGH_SHIFT = 0, PLAIN_REGISTERS = 4 };
typedef __m256i ints;
typedef __m256 floats;

#define SHIFT           int /* what shifts count in */
#define VECTOR_REGISTER "x"
#define INLINE          static inline __attribute__((always_inline))

INLINE ints v_load(const uint8_t *at)
{
    return _mm256_load_si256((const void *)at);
}
INLINE ints v_set(int value)
{
    return _mm256_set1_epi32(value);
}
INLINE ints v_spread(const void *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    return _mm256_set1_epi32(value);
}
INLINE ints v_and(ints a, ints b)
{
    return _mm256_and_si256(a, b);
}
INLINE ints v_or(ints a, ints b)
{
    return _mm256_or_si256(a, b);
}
INLINE ints v_right(ints a, int bits)
{
    return _mm256_srli_epi32(a, bits);
}
INLINE ints v_left(ints a, int bits)
{
    return _mm256_slli_epi32(a, bits);
}
INLINE ints v_right_signed(ints a, int bits)
{
    return _mm256_srai_epi32(a, bits);
}
INLINE ints v_add(ints a, ints b)
{
    return _mm256_add_epi32(a, b);
}
INLINE ints v_sub(ints a, ints b)
{
    return _mm256_sub_epi32(a, b);
}
INLINE ints v_times(ints a, ints b)
{
    return _mm256_mullo_epi32(a, b);
}
INLINE ints v_low(ints a)
{
    return _mm256_and_si256(a, _mm256_set1_epi8(15));
}
INLINE ints v_high(ints a) /* shifted: what maddubs takes must stay below 129 */
{
    return v_low(_mm256_srli_epi16(a, 4));
}
/* Pairs of products in 16 bits saturate above 2 * 128 * 127: for u up to 128. */
INLINE ints v_dot_small(ints sum, ints u, ints s)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(u, s), _mm256_set1_epi16(1)));
}
/* any u: its lower seven bits and its highest one apart */
INLINE ints v_dot(ints sum, ints u, ints s)
{
    const ints highest = _mm256_set1_epi8((char)0x80);
    return v_dot_small(v_dot_small(sum, _mm256_andnot_si256(highest, u), s), _mm256_and_si256(highest, u), s);
}
INLINE ints v_dot16(ints sum, ints a, ints b)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}
INLINE ints v_table(const uint8_t table[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)table));
}
/* table[index] for the low and the high half of each byte */
INLINE ints v_lookup_low(ints table, ints both)
{
    return _mm256_shuffle_epi8(table, v_low(both));
}
INLINE ints v_lookup_high(ints table, ints both)
{
    return _mm256_shuffle_epi8(table, v_low(v_right(both, 4)));
}
/* lower and upper bytes of the words apart */
typedef struct words_table {
    ints low, high;
} words_table;
INLINE words_table v_table16(const int16_t table[16])
{
    uint8_t low[16], high[16];
    for (int i = 0; i < 16; i++) {
        low[i] = (uint8_t)((uint16_t)table[i] & 255);
        high[i] = (uint8_t)((uint16_t)table[i] >> 8);
    }
    return (words_table){v_table(low), v_table(high)};
}
INLINE ints v_lookup16(words_table table, ints index)
{
    const ints none = _mm256_set1_epi16((short)0x8000); /* a set upper bit looks up 0 */
    index = _mm256_and_si256(index, _mm256_set1_epi16(15));
    ints low = _mm256_shuffle_epi8(table.low, _mm256_or_si256(index, none));
    ints high = _mm256_shuffle_epi8(table.high, _mm256_or_si256(_mm256_slli_epi16(index, 8), _mm256_set1_epi16(0x80)));
    return _mm256_or_si256(low, high);
}
INLINE ints v_widen_u8(const uint8_t *at)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)at));
}
INLINE ints v_round(floats a)
{
    return _mm256_cvtps_epi32(a);
}
INLINE __m128i words_of(ints a)
{
    return _mm_packs_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}
INLINE void v_store8(int8_t *to, ints a)
{
    _mm_storel_epi64((void *)to, _mm_packs_epi16(words_of(a), _mm_setzero_si128()));
}
INLINE void v_store16(int16_t *to, ints a)
{
    _mm_storeu_si128((void *)to, words_of(a));
}
INLINE int v_total(ints a)
{
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

INLINE floats f_zero(void)
{
    return _mm256_setzero_ps();
}
INLINE floats f_set(float value)
{
    return _mm256_set1_ps(value);
}
INLINE floats f_load(const float *at)
{
    return _mm256_loadu_ps(at);
}
INLINE floats f_halves(const void *at)
{
    return _mm256_cvtph_ps(_mm_loadu_si128(at));
}
INLINE floats f_bf16(const void *at)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(at)), 16));
}
INLINE floats f_bits(ints a)
{
    return _mm256_castsi256_ps(a);
}
INLINE floats f_from(ints a)
{
    return _mm256_cvtepi32_ps(a);
}
INLINE floats f_e8m0(const uint8_t *at)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(v_widen_u8(at), 23));
}
INLINE floats f_e4m3(const uint8_t *at)
{
    return _mm256_cvtph_ps(_mm_slli_epi16(_mm_cvtepu8_epi16(_mm_loadl_epi64((const void *)at)), 7));
}
INLINE floats f_times(floats a, floats b)
{
    return _mm256_mul_ps(a, b);
}
INLINE floats f_add(floats a, floats b)
{
    return _mm256_add_ps(a, b);
}
INLINE floats f_fma(floats a, floats b, floats sum)
{
    return _mm256_fmadd_ps(a, b, sum);
}
INLINE floats f_fnma(floats a, floats b, floats sum)
{
    return _mm256_fnmadd_ps(a, b, sum);
}
INLINE floats f_larger_size(floats largest, floats a)
{
    return _mm256_max_ps(largest, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a));
}
INLINE float f_largest(floats a)
{
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
INLINE float f_total(floats a)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
INLINE void f_store(float *to, floats a)
{
    _mm256_storeu_ps(to, a);
}

#endif
