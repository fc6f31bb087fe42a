/* gemm_blocks.h - block formats unpacked for int8 arithmetic: what gemm_unpack_avx512.c gives to gemm_blocks_avx512.c.
 * In: rows of W in their format. Out: panels of codes plus the bias, scales and minima, as ridge_gemm_engine.pack_w fills them. */
#ifndef RIDGE_KERNEL_GEMM_BLOCKS_H
#define RIDGE_KERNEL_GEMM_BLOCKS_H

#include "kernel/gemm.h"

/* what makes a format's codes unsigned */
enum { RIDGE_GEMM_BIAS_Q8 = 128, RIDGE_GEMM_BIAS_Q4 = 8, RIDGE_GEMM_BIAS_IQ4 = 128, RIDGE_GEMM_BIAS_FP4 = 12, RIDGE_GEMM_BIAS_Q6 = 32 };

typedef void ridge_gemm_packer(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, int64_t k,
                               int64_t count);
ridge_gemm_packer ridge_gemm_pack_q8_0, ridge_gemm_pack_q4_0, ridge_gemm_pack_iq4_nl, ridge_gemm_pack_mxfp4, ridge_gemm_pack_nvfp4,
    ridge_gemm_pack_q4_k, ridge_gemm_pack_q6_k, ridge_gemm_pack_int4;

#endif
