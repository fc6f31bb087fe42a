/* GEMV in AVX-512, with VNNI for quantised weights. */
#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")
#endif

#include "kernel/gemv/x86/lanes_avx512.h"
/* after the vocabulary it is written in */
#include "kernel/gemv/tiles_tmpl.h"

const ridge_kernel_variant ridge_gemv_avx512 = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "avx512",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX512,
    .takes = ridge_gemv_takes_plain,
    .open = open_plain,
    .phase = plain_phase,
    .close = ridge_gemv_close,
};
const ridge_kernel_variant ridge_gemv_avx512_int8 = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "avx512-vnni",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX512 | RIDGE_ISA_AVX512_VNNI,
    .activation_bits = 8,
    .takes = ridge_gemv_takes_8,
    .open = open_8,
    .phase = packed_phase,
    .close = ridge_gemv_close,
};
const ridge_kernel_variant ridge_gemv_avx512_int16 = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "avx512-vnni-int16",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX512 | RIDGE_ISA_AVX512_VNNI,
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
typedef int ridge_gemv_avx512_elsewhere; /* a file is never empty */
#endif
