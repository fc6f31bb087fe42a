/* elementwise.h - what the elementwise variants share: which problems they take, the table of RoPE's angles, constants of the norms.
 * In: a run. Out: its state (RoPE's cosines and sines; nothing for the others), freed by ridge_elementwise_close.
 * Operands: softmax, silu, gelu x y; layernorm x gamma beta y; rmsnorm x gamma y; rope x y; add a b y; embedding table ids y;
 * wkv w u k v y. Fails where memory runs out. docs/kernels.md */
#ifndef RIDGE_KERNEL_ELEMENTWISE_ELEMENTWISE_H
#define RIDGE_KERNEL_ELEMENTWISE_ELEMENTWISE_H

#include "kernel/codec/element.h"
#include "kernel/kernel.h"

#define RIDGE_LAYERNORM_EPSILON 1e-5     /* torch.nn.LayerNorm's default */
#define RIDGE_RMSNORM_EPSILON   1e-6     /* LlamaConfig.rms_norm_eps' default */
#define RIDGE_ROPE_THETA        10000.0  /* LlamaConfig.rope_theta's default */
#define RIDGE_WKV_NOTHING       (-1e38f) /* the largest exponent before the first token, as transformers starts it */

/* plain formats, sizes above 0 */
bool ridge_elementwise_takes(const ridge_problem *problem);
/* nothing to prepare: one phase */
ridge_status ridge_elementwise_open(ridge_kernel_run *run, ridge_err *err);
/* RoPE: state is float [rows][2][head_dim / 2], cosines then sines of position * theta^(-2 i / head_dim), as models keep them ready */
ridge_status ridge_rope_open(ridge_kernel_run *run, ridge_err *err);
void ridge_elementwise_close(ridge_kernel_run *run);

/* the share of `count` things in pieces of `piece` */
static inline void ridge_elementwise_share(int64_t *first, int64_t *last, const ridge_kernel_run *run, unsigned thread, int64_t count,
                                           int64_t piece)
{
    int64_t pieces = (count + piece - 1) / piece, each = pieces / run->threads, rest = pieces % run->threads;
    int64_t from = each * thread + (thread < rest ? thread : rest), to = from + each + (thread < rest);
    *first = from * piece < count ? from * piece : count;
    *last = to * piece < count ? to * piece : count;
}

/* variants of one width: softmax, layernorm, rmsnorm, silu, gelu, rope, add, embedding, wkv */
enum { RIDGE_ELEMENTWISE_KINDS = 9 };
extern const ridge_kernel_variant ridge_elementwise_generic[RIDGE_ELEMENTWISE_KINDS];
#if defined(__x86_64__)
extern const ridge_kernel_variant ridge_elementwise_avx2[RIDGE_ELEMENTWISE_KINDS], ridge_elementwise_avx512[RIDGE_ELEMENTWISE_KINDS];
#elif defined(__aarch64__)
extern const ridge_kernel_variant ridge_elementwise_neon[RIDGE_ELEMENTWISE_KINDS];
#endif
/* NULL-terminated, the expected best first */
extern const ridge_kernel_variant *const ridge_elementwise_variants[];

#endif
