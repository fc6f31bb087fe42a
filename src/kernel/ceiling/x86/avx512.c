/* Streams and chains of AVX-512: FMA, VNNI, BF16, FP16 (ceiling.h). */
#include "kernel/ceiling/loops.h"
#include "kernel/kernel.h"

#if defined __x86_64__
#define RIDGE_TARGET      __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx512bf16,avx512fp16")))
#define RIDGE_LEAVE       "vzeroupper\n\t"
#define RIDGE_WIDTH       64
#define RIDGE_LINE(X)     X(0)
#define RIDGE_REGISTER    "zmm"
#define RIDGE_MOVE        "vmovaps"
#define RIDGE_MOVE_NT     "vmovntps"
#define RIDGE_SCALAR      "vbroadcastss %[s], %%zmm15"
#define RIDGE_TRIAD(i, r) "vmovaps " PLACE(i, "a") ", %%zmm" #r "\n\tvfmadd231ps " PLACE(i, "b") ", %%zmm15, %%zmm" #r "\n\t"
#include "kernel/ceiling/x86/streams_tmpl.h"

const ridge_stream ridge_streams_avx512[] = {RIDGE_STREAMS("avx512", RIDGE_ISA_AVX512)};

#define RIDGE_OPERANDS "vpbroadcastq %[x], %%zmm30\n\tvpbroadcastq %[y], %%zmm31\n\t"
#include "kernel/ceiling/x86/peaks_tmpl.h"

#define TWENTY_FOUR(X) RIDGE_16(X) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#define ZERO(r)        "vpxorq %%zmm" #r ", %%zmm" #r ", %%zmm" #r "\n\t"
#define CHAIN(op, r)   op " %%zmm30, %%zmm31, %%zmm" #r "\n\t"
#define FMA_FP32(r)    CHAIN("vfmadd231ps", r)
#define FMA_FP64(r)    CHAIN("vfmadd231pd", r)
#define FMA_FP16(r)    CHAIN("vfmadd231ph", r)
#define DOT_BF16(r)    CHAIN("vdpbf16ps", r)
#define DOT_INT8(r)    CHAIN("vpdpbusd", r)
#define ZMM                                                                                                                                \
    RIDGE_XMM, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28",        \
        "xmm29", "xmm30", "xmm31"
RIDGE_CHAINS(fp32, TWENTY_FOUR(ZERO), TWENTY_FOUR(FMA_FP32), RIDGE_FP32_ONE, RIDGE_FP32_QUARTER, ZMM)
RIDGE_CHAINS(fp64, TWENTY_FOUR(ZERO), TWENTY_FOUR(FMA_FP64), RIDGE_FP64_ONE, RIDGE_FP64_QUARTER, ZMM)
RIDGE_CHAINS(fp16, TWENTY_FOUR(ZERO), TWENTY_FOUR(FMA_FP16), RIDGE_FP16_ONE, RIDGE_FP16_QUARTER, ZMM)
RIDGE_CHAINS(bf16, TWENTY_FOUR(ZERO), TWENTY_FOUR(DOT_BF16), RIDGE_BF16_ONE, RIDGE_BF16_QUARTER, ZMM)
RIDGE_CHAINS(int8, TWENTY_FOUR(ZERO), TWENTY_FOUR(DOT_INT8), RIDGE_INT8_MIXED, RIDGE_INT8_MIXED, ZMM)

const ridge_peak ridge_peaks_avx512[] = {
    {"fp64", "avx512 fma", RIDGE_ISA_AVX512, RIDGE_SETS * 24 * 8 * 2, fp64},
    {"fp32", "avx512 fma", RIDGE_ISA_AVX512, RIDGE_SETS * 24 * 16 * 2, fp32},
    {"bf16", "avx512 vdpbf16ps", RIDGE_ISA_AVX512 | RIDGE_ISA_AVX512_BF16, RIDGE_SETS * 24 * 32 * 2, bf16},
    {"fp16", "avx512 fp16 fma", RIDGE_ISA_AVX512 | RIDGE_ISA_AVX512_FP16, RIDGE_SETS * 24 * 32 * 2, fp16},
    {"int8", "avx512 vnni", RIDGE_ISA_AVX512 | RIDGE_ISA_AVX512_VNNI, RIDGE_SETS * 24 * 64 * 2, int8},
    {NULL, NULL, 0, 0, NULL},
};
#else
const ridge_stream ridge_streams_avx512[] = {{RIDGE_STREAM_COUNT, NULL, 0, NULL}};
const ridge_peak ridge_peaks_avx512[] = {{NULL, NULL, 0, 0, NULL}};
#endif
