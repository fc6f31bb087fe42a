/* Streams and chains of AVX2 with FMA (ceiling.h). */
#include "kernel/ceiling/loops.h"
#include "kernel/kernel.h"

#if defined __x86_64__
#define RIDGE_TARGET      __attribute__((target("avx2,fma")))
#define RIDGE_LEAVE       "vzeroupper\n\t"
#define RIDGE_WIDTH       32
#define RIDGE_LINE(X)     X(0) X(1)
#define RIDGE_REGISTER    "ymm"
#define RIDGE_MOVE        "vmovaps"
#define RIDGE_MOVE_NT     "vmovntps"
#define RIDGE_SCALAR      "vbroadcastss %[s], %%ymm15"
#define RIDGE_TRIAD(i, r) "vmovaps " PLACE(i, "a") ", %%ymm" #r "\n\tvfmadd231ps " PLACE(i, "b") ", %%ymm15, %%ymm" #r "\n\t"
#include "kernel/ceiling/x86/streams_tmpl.h"

const ridge_stream ridge_streams_avx2[] = {RIDGE_STREAMS("avx2", RIDGE_ISA_AVX2)};

#define RIDGE_OPERANDS "vpbroadcastq %[x], %%ymm14\n\tvpbroadcastq %[y], %%ymm15\n\t"
#include "kernel/ceiling/x86/peaks_tmpl.h"

#define TWELVE(X)   X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define ZERO(r)     "vxorps %%ymm" #r ", %%ymm" #r ", %%ymm" #r "\n\t"
#define FMA_FP32(r) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #r "\n\t"
#define FMA_FP64(r) "vfmadd231pd %%ymm14, %%ymm15, %%ymm" #r "\n\t"
RIDGE_CHAINS(fp32, TWELVE(ZERO), TWELVE(FMA_FP32), RIDGE_FP32_ONE, RIDGE_FP32_QUARTER, RIDGE_XMM)
RIDGE_CHAINS(fp64, TWELVE(ZERO), TWELVE(FMA_FP64), RIDGE_FP64_ONE, RIDGE_FP64_QUARTER, RIDGE_XMM)

/* 32 products of bytes, summed in pairs to 16 bits, in pairs to 32 bits, added: three instructions for 64 operations */
#define FIVE(X) X(0, 5) X(1, 6) X(2, 7) X(3, 8) X(4, 9)
/* clang-format off */
#define DOT(r, t) \
    "vpmaddubsw %%ymm14, %%ymm14, %%ymm" #t "\n\t" \
    "vpmaddwd %%ymm15, %%ymm" #t ", %%ymm" #t "\n\t" \
    "vpaddd %%ymm" #t ", %%ymm" #r ", %%ymm" #r "\n\t"
/* clang-format on */
RIDGE_CHAINS(int8, TWELVE(ZERO), FIVE(DOT), RIDGE_INT8_MIXED, RIDGE_INT16_ONE, RIDGE_XMM)

const ridge_peak ridge_peaks_avx2[] = {
    {"fp64", "avx2 fma", RIDGE_ISA_AVX2, RIDGE_SETS * 12 * 4 * 2, fp64},
    {"fp32", "avx2 fma", RIDGE_ISA_AVX2, RIDGE_SETS * 12 * 8 * 2, fp32},
    {"int8", "avx2 maddubs", RIDGE_ISA_AVX2, RIDGE_SETS * 5 * 32 * 2, int8},
    {NULL, NULL, 0, 0, NULL},
};
#else
const ridge_stream ridge_streams_avx2[] = {{RIDGE_STREAM_COUNT, NULL, 0, NULL}};
const ridge_peak ridge_peaks_avx2[] = {{NULL, NULL, 0, 0, NULL}};
#endif
