/* GEMV of weights that are looked up in a table, with AVX-512 VBMI; the other formats are avx512.c's. */
#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vbmi,avx2,fma,f16c"))),            \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vbmi,avx2,fma,f16c")
#endif

#define RIDGE_GEMV_VBMI
#pragma GCC diagnostic ignored "-Wunused-function" /* those of the formats that are avx512.c's */
#include "kernel/gemv/x86/lanes_avx512.h"
/* after the vocabulary it is written in */
#include "kernel/gemv/tiles_tmpl.h"

static bool takes_tables(const ridge_problem *problem)
{
    const ridge_gemv_layout *l = ridge_gemv_layout_of(problem->weights, 8);
    return l && (l->code == RIDGE_GEMV_IQ4_NL || l->code == RIDGE_GEMV_MXFP4 || l->code == RIDGE_GEMV_NVFP4);
}

const ridge_kernel_variant ridge_gemv_avx512_vbmi = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "avx512-vbmi",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX512 | RIDGE_ISA_AVX512_VNNI | RIDGE_ISA_AVX512_VBMI,
    .activation_bits = 8,
    .takes = takes_tables,
    .open = open_8,
    .phase = packed_phase,
    .close = ridge_gemv_close,
};

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int ridge_gemv_avx512_vbmi_elsewhere; /* a file is never empty */
#endif
