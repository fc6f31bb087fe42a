/* parts.h - what the files of this folder share: the lists the table is made of, sizes of rows, references by kind.
 * In: problems and operands as kernel.h has them. Out: nothing owned. Internal to src/kernel. */
#ifndef RIDGE_KERNEL_PARTS_H
#define RIDGE_KERNEL_PARTS_H

#include "kernel/kernel.h"

/* ---- variants: one list per group of files, the expected best first within a kind, NULL at its end ---- */
extern const ridge_kernel_variant *const ridge_gemm_variants[];
extern const ridge_kernel_variant *const ridge_gemv_variants[];
extern const ridge_kernel_variant *const ridge_attention_variants[];
extern const ridge_kernel_variant *const ridge_elementwise_variants[];

/* ---- sizes ---- */
/* bytes of one row of whole blocks, without what the format keeps per tensor; false on overflow */
bool ridge_row_bytes(size_t *bytes, const ridge_format *format, int64_t cols);
bool ridge_is_activation_format(const ridge_format *format); /* fp32, bf16, fp16 */
bool ridge_format_is(const ridge_format *format, const char *name);

/* the share [*begin, *end) of `count` things that thread `thread` of `threads` does; shares differ by one at most */
static inline void ridge_kernel_share(int64_t *begin, int64_t *end, int64_t count, unsigned thread, unsigned threads)
{
    int64_t each = count / threads, rest = count % threads;
    *begin = each * thread + (thread < rest ? thread : rest);
    *end = *begin + each + (thread < rest);
}

/* ---- references ---- */
/* In: the inputs of `problem` in the order of ridge_problem_operands, dequantised, row after row (indices too, as floats). Out: rows * cols
 * of the output. Sums in double precision, in the order of the formula. To add a kind: one line in reference.c's table. */
typedef void ridge_reference(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS]);
ridge_reference ridge_reference_gemv, ridge_reference_gemm;
ridge_reference ridge_reference_attention, ridge_reference_softmax, ridge_reference_layernorm, ridge_reference_rmsnorm,
    ridge_reference_silu, ridge_reference_gelu, ridge_reference_rope, ridge_reference_add, ridge_reference_embedding, ridge_reference_wkv;

#endif
