/* vector_neon.h - kernel/vector_tmpl.h's vocabulary in arm64's Advanced SIMD: four lanes. Included by kernel/vector_tmpl.h alone.
 * In and out: registers, and memory of any alignment. */
#ifndef RIDGE_KERNEL_ARM_VECTOR_NEON_H
#define RIDGE_KERNEL_ARM_VECTOR_NEON_H

#include <arm_neon.h>
#include <stdint.h>

enum { V_WIDTH = 4 };
typedef float32x4_t vfloat;
typedef uint32x4_t vmask;

static inline vfloat v_all(float x)
{
    return vdupq_n_f32(x);
}
static inline vfloat v_load(const float *p)
{
    return vld1q_f32(p);
}
static inline void v_store(float *p, vfloat x)
{
    vst1q_f32(p, x);
}
static inline vfloat v_add(vfloat a, vfloat b)
{
    return vaddq_f32(a, b);
}
static inline vfloat v_sub(vfloat a, vfloat b)
{
    return vsubq_f32(a, b);
}
static inline vfloat v_mul(vfloat a, vfloat b)
{
    return vmulq_f32(a, b);
}
static inline vfloat v_div(vfloat a, vfloat b)
{
    return vdivq_f32(a, b);
}
static inline vfloat v_max(vfloat a, vfloat b)
{
    return vmaxq_f32(a, b);
}
static inline vfloat v_min(vfloat a, vfloat b)
{
    return vminq_f32(a, b);
}
static inline vfloat v_fma(vfloat a, vfloat b, vfloat c)
{
    return vfmaq_f32(c, a, b);
}
static inline vfloat v_fnma(vfloat a, vfloat b, vfloat c)
{
    return vfmsq_f32(c, a, b);
}
static inline vfloat v_round(vfloat x)
{
    return vrndnq_f32(x);
}
static inline vfloat v_scale(vfloat x, vfloat n)
{
    int32x4_t bits = vshlq_n_s32(vaddq_s32(vcvtnq_s32_f32(n), vdupq_n_s32(127)), 23);
    return vmulq_f32(x, vreinterpretq_f32_s32(bits));
}
static inline vmask v_less(vfloat a, vfloat b)
{
    return vcltq_f32(a, b);
}
static inline vfloat v_select(vmask mask, vfloat a, vfloat b)
{
    return vbslq_f32(mask, b, a);
}
static inline float v_sum(vfloat x)
{
    return vaddvq_f32(x);
}
static inline float v_largest(vfloat x)
{
    return vmaxvq_f32(x);
}
static inline vfloat v_load_bf16(const uint16_t *p)
{
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
}
static inline vfloat v_load_fp16(const uint16_t *p)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}
static inline void v_store_bf16(uint16_t *p, vfloat x)
{
    uint32x4_t bits = vreinterpretq_u32_f32(x);
    uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    uint32x4_t up = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fff)), odd);
    uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
    vst1_u16(p, vshrn_n_u32(vbslq_u32(vceqq_f32(x, x), up, quiet), 16));
}
static inline void v_store_fp16(uint16_t *p, vfloat x)
{
    vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(x)));
}

#endif
