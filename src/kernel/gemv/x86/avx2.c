/* GEMV in AVX2 with FMA and F16C. */
#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif

#include "kernel/gemv/x86/lanes_avx2.h"
/* after the vocabulary it is written in */
#include "kernel/gemv/tiles_tmpl.h"

const ridge_kernel_variant ridge_gemv_avx2 = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "avx2",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX2,
    .takes = ridge_gemv_takes_plain,
    .open = open_plain,
    .phase = plain_phase,
    .close = ridge_gemv_close,
};
const ridge_kernel_variant ridge_gemv_avx2_int8 = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "avx2-int8",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX2,
    .activation_bits = 8,
    .takes = ridge_gemv_takes_8,
    .open = open_8,
    .phase = packed_phase,
    .close = ridge_gemv_close,
};
const ridge_kernel_variant ridge_gemv_avx2_int16 = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "avx2-int16",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX2,
    .activation_bits = 16,
    .takes = ridge_gemv_takes_16,
    .open = open_16,
    .phase = packed_phase,
    .close = ridge_gemv_close,
};

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int ridge_gemv_avx2_elsewhere; /* a file is never empty */
#endif
