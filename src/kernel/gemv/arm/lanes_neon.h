/* lanes_neon.h - kernel/gemv/tiles_tmpl.h's vocabulary in arm64's Advanced SIMD: four lanes of 32 bits.
 * In and out: registers. RIDGE_NEON_DOT, set by the file that includes it: with SDOT (Armv8.2-A's dot product), else without. Included
 * by tiles_tmpl.h alone. Nothing multiplies unsigned bytes by signed ones here: see v_dot. */
#ifndef RIDGE_KERNEL_GEMV_ARM_LANES_NEON_H
#define RIDGE_KERNEL_GEMV_ARM_LANES_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 4, HIGH_SHIFT = 0, PLAIN_REGISTERS = 8 };
typedef int32x4_t ints;
typedef float32x4_t floats;

#define SHIFT           int /* what shifts count in */
#define VECTOR_REGISTER "w"
#define INLINE          static inline __attribute__((always_inline))

INLINE uint8x16_t bytes_of(ints a)
{
    return vreinterpretq_u8_s32(a);
}
INLINE ints from_bytes(uint8x16_t a)
{
    return vreinterpretq_s32_u8(a);
}

INLINE ints v_load(const uint8_t *at)
{
    return from_bytes(vld1q_u8(at));
}
INLINE ints v_set(int value)
{
    return vdupq_n_s32(value);
}
INLINE ints v_spread(const void *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    return vdupq_n_s32(value);
}
INLINE ints v_and(ints a, ints b)
{
    return vandq_s32(a, b);
}
INLINE ints v_or(ints a, ints b)
{
    return vorrq_s32(a, b);
}
/* operators, since intrinsics shift by constants or by registers */
INLINE ints v_right(ints a, int bits)
{
    return vreinterpretq_s32_u32(vreinterpretq_u32_s32(a) >> (uint32_t)bits);
}
INLINE ints v_left(ints a, int bits)
{
    return a << bits;
}
INLINE ints v_right_signed(ints a, int bits)
{
    return a >> bits;
}
INLINE ints v_add(ints a, ints b)
{
    return vaddq_s32(a, b);
}
INLINE ints v_sub(ints a, ints b)
{
    return vsubq_s32(a, b);
}
INLINE ints v_times(ints a, ints b)
{
    return vmulq_s32(a, b);
}
INLINE ints v_low(ints a)
{
    return from_bytes(vandq_u8(bytes_of(a), vdupq_n_u8(15)));
}
INLINE ints v_high(ints a)
{
    return from_bytes(vshrq_n_u8(bytes_of(a), 4));
}
/* sum + the four products of each lane, for u up to 127, which is a signed byte too */
INLINE ints v_dot_small(ints sum, ints u, ints s)
{
#ifdef RIDGE_NEON_DOT
    /* in words: clang 14 has the intrinsic only where the whole file is compiled for it */
    __asm__("sdot %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(u), "w"(s));
    return sum;
#else
    /* pairs fit 16 bits: at most 2 * 128 * 127, since s is never -128 */
    const int8x16_t a = vreinterpretq_s8_s32(u), b = vreinterpretq_s8_s32(s);
    return vpadalq_s16(sum, vpaddq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(b)), vmull_high_s8(a, b)));
#endif
}
/* any u: u - 128 is the signed byte. What that leaves out, 128 times the sum of s, is in the sums that prepare_signed makes. */
INLINE ints v_dot(ints sum, ints u, ints s)
{
    return v_dot_small(sum, from_bytes(veorq_u8(bytes_of(u), vdupq_n_u8(128))), s);
}
INLINE ints v_dot16(ints sum, ints a, ints b)
{
    const int16x8_t x = vreinterpretq_s16_s32(a), y = vreinterpretq_s16_s32(b);
    return vaddq_s32(sum, vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y)));
}
INLINE ints v_table(const uint8_t table[16])
{
    return from_bytes(vld1q_u8(table));
}
/* table[index] for the low and the high half of each byte */
INLINE ints v_lookup_low(ints table, ints both)
{
    return from_bytes(vqtbl1q_u8(bytes_of(table), bytes_of(v_low(both))));
}
INLINE ints v_lookup_high(ints table, ints both)
{
    return from_bytes(vqtbl1q_u8(bytes_of(table), bytes_of(v_low(v_right(both, 4)))));
}
typedef uint8x16x2_t words_table;
INLINE words_table v_table16(const int16_t table[16])
{
    return (words_table){{vreinterpretq_u8_s16(vld1q_s16(table)), vreinterpretq_u8_s16(vld1q_s16(table + 8))}};
}
/* word i is bytes 2i and 2i + 1 of the table */
INLINE ints v_lookup16(words_table table, ints index)
{
    const uint16x8_t word = vandq_u16(vreinterpretq_u16_s32(index), vdupq_n_u16(15));
    return from_bytes(vqtbl2q_u8(table, vreinterpretq_u8_u16(vmlaq_u16(vdupq_n_u16(0x100), word, vdupq_n_u16(0x202)))));
}
/* four bytes to words of 16 bits */
INLINE uint16x4_t words_at(const uint8_t *at)
{
    uint32_t four;
    memcpy(&four, at, sizeof four);
    return vget_low_u16(vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(four))));
}
INLINE ints v_widen_u8(const uint8_t *at)
{
    return vreinterpretq_s32_u32(vmovl_u16(words_at(at)));
}
INLINE ints v_round(floats a)
{
    return vcvtnq_s32_f32(a);
}
INLINE void v_store8(int8_t *to, ints a)
{
    const int16x4_t words = vqmovn_s32(a);
    const int32_t four = vget_lane_s32(vreinterpret_s32_s8(vqmovn_s16(vcombine_s16(words, words))), 0);
    memcpy(to, &four, sizeof four);
}
INLINE void v_store16(int16_t *to, ints a)
{
    vst1_s16(to, vqmovn_s32(a));
}
INLINE int v_total(ints a)
{
    return vaddvq_s32(a);
}

INLINE floats f_zero(void)
{
    return vdupq_n_f32(0);
}
INLINE floats f_set(float value)
{
    return vdupq_n_f32(value);
}
INLINE floats f_load(const float *at)
{
    return vld1q_f32(at);
}
INLINE floats f_halves(const void *at)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(at)));
}
INLINE floats f_bf16(const void *at)
{
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(at), 16));
}
INLINE floats f_bits(ints a)
{
    return vreinterpretq_f32_s32(a);
}
INLINE floats f_from(ints a)
{
    return vcvtq_f32_s32(a);
}
INLINE floats f_e8m0(const uint8_t *at)
{
    return vreinterpretq_f32_s32(vshlq_n_s32(v_widen_u8(at), 23));
}
INLINE floats f_e4m3(const uint8_t *at)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vshl_n_u16(words_at(at), 7)));
}
INLINE floats f_times(floats a, floats b)
{
    return vmulq_f32(a, b);
}
INLINE floats f_add(floats a, floats b)
{
    return vaddq_f32(a, b);
}
INLINE floats f_fma(floats a, floats b, floats sum)
{
    return vfmaq_f32(sum, a, b);
}
INLINE floats f_fnma(floats a, floats b, floats sum)
{
    return vfmsq_f32(sum, a, b);
}
INLINE floats f_larger_size(floats largest, floats a)
{
    return vmaxq_f32(largest, vabsq_f32(a));
}
INLINE float f_largest(floats a)
{
    return vmaxvq_f32(a);
}
INLINE float f_total(floats a)
{
    return vaddvq_f32(a);
}
INLINE void f_store(float *to, floats a)
{
    vst1q_f32(to, a);
}

#endif
