/* blocks.h - block formats in int8 arithmetic: their list, and what x86/unpack_*.c gives to x86/blocks_*.c.
 * In: rows of W in their format. Out: panels of codes plus the bias, scales and minima, as ridge_gemm_engine.pack_w fills them.
 * RIDGE_BIAS_8 is kernel/gemm/x86/avx512.h's or kernel/gemm/x86/avx2.h's; the products are of the files that include
 * kernel/gemm/x86/blocks_tmpl.h. */
#ifndef RIDGE_KERNEL_GEMM_BLOCKS_H
#define RIDGE_KERNEL_GEMM_BLOCKS_H

#include "kernel/gemm/gemm.h"

/* X(enumerator, name in C, format, values that share a scale, what is added to codes, value = code * scale - minimum?, products) */
#define RIDGE_GEMM_BLOCK_LIST(X)                                                                                                           \
    X(Q8_0, q8_0, "q8_0", 32, RIDGE_BIAS_8, false, multiply_32_full)                                                                       \
    X(Q4_0, q4_0, "q4_0", 32, 8, false, multiply_32)                                                                                       \
    X(Q4_K, q4_k, "q4_K", 32, 0, true, multiply_32_minimum)                                                                                \
    X(Q6_K, q6_k, "q6_K", 16, 32, false, multiply_16)                                                                                      \
    X(IQ4_NL, iq4_nl, "iq4_nl", 32, RIDGE_BIAS_8, false, multiply_32_full)                                                                 \
    X(MXFP4, mxfp4, "mxfp4", 32, RIDGE_BIAS_FP4, false, multiply_32)                                                                       \
    X(NVFP4, nvfp4, "nvfp4", 16, RIDGE_BIAS_FP4, false, multiply_16)                                                                       \
    X(INT4, int4, "int4_g128", 32, 0, true, multiply_32_minimum)
enum { RIDGE_BIAS_FP4 = 12 }; /* twice E2M1's largest value, 6: codes are doubled values */

typedef void ridge_gemm_packer(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, int64_t k,
                               int64_t count);
#define X(code, name, ...) extern ridge_gemm_packer ridge_gemm_pack_##name##_avx512, ridge_gemm_pack_##name##_avx2;
RIDGE_GEMM_BLOCK_LIST(X)
#undef X

#endif
