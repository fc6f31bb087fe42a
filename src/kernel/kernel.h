/* kernel.h - runnable kernels behind one table: what can be computed here, how, and whether it is right.
 * In: a problem (kind, shape, formats) and operands in caller-owned aligned buffers. Out: results in the output operand.
 * A variant is one implementation (plain C, AVX2, AVX-512, a library's); which run on this CPU is decided at run time by cpuid.
 * Nothing here allocates while it is timed, prints, or knows a clock: timing is src/measure's. FLOPs and bytes come from the catalog.
 * docs/kernels.md. Device back ends (CUDA, Vulkan) join as further variants: `device`, with copies as kinds of their own. */
#ifndef RIDGE_KERNEL_KERNEL_H
#define RIDGE_KERNEL_KERNEL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/format.h"

/* ---- what the CPU can do ---- */
#define RIDGE_ISA_LIST(X)                                                                                                                  \
    X(AVX2, avx2)               /* with FMA and F16C */                                                                                    \
    X(AVX512, avx512)           /* F, BW, DQ, VL */                                                                                        \
    X(AVX512_VNNI, avx512_vnni) /* int8 dot products */                                                                                    \
    X(AVX512_BF16, avx512_bf16)                                                                                                            \
    X(AVX512_VBMI, avx512_vbmi)                                                                                                            \
    X(AVX512_FP16, avx512_fp16)                                                                                                            \
    X(AMX_INT8, amx_int8)                                                                                                                  \
    X(AMX_BF16, amx_bf16)                                                                                                                  \
    X(NEON, neon)                                                                                                                          \
    X(NEON_DOT, neon_dot)

typedef enum ridge_isa_bit {
#define X(code, name) RIDGE_ISA_BIT_##code,
    RIDGE_ISA_LIST(X) RIDGE_ISA_COUNT
#undef X
} ridge_isa_bit;
enum {
#define X(code, name) RIDGE_ISA_##code = 1 << RIDGE_ISA_BIT_##code,
    RIDGE_ISA_LIST(X)
#undef X
};
extern const char *const ridge_isa_names[RIDGE_ISA_COUNT];
/* What this CPU and its kernel support; RIDGE_ISA in the environment ("avx2", "generic") takes away, never adds. */
unsigned ridge_isa_have(void);
/* NAME, with the nearest, where RIDGE_ISA holds what is no instruction set: commands that measure ask before they begin, and
 * ridge_kernel_variants does, since ridge_isa_have takes such a name for nothing allowed. */
ridge_status ridge_isa_check(ridge_err *err);

/* ---- problems ---- */
#define RIDGE_KERNEL_KIND_LIST(X)                                                                                                          \
    X(GEMV, gemv)           /* y[n] = W[n,k] x[k] */                                                                                       \
    X(GEMM, gemm)           /* C[m,n] = A[m,k] W[n,k]^T: m rows of activations */                                                          \
    X(ATTENTION, attention) /* O[batch,seq,heads,head_dim] = softmax(Q K^T / sqrt(head_dim)) V; K, V [batch,kv_heads,past+seq,head_dim] */ \
    X(SOFTMAX, softmax)     /* [rows,cols] */                                                                                              \
    X(LAYERNORM, layernorm)                                                                                                                \
    X(RMSNORM, rmsnorm)                                                                                                                    \
    X(SILU, silu)                                                                                                                          \
    X(GELU, gelu)                                                                                                                          \
    X(ROPE, rope)           /* [rows,heads,head_dim], rotated by position; halves as in Llama */                                           \
    X(ADD, add)             /* residual */                                                                                                 \
    X(EMBEDDING, embedding) /* gathers `rows` rows of [n,cols] */                                                                          \
    X(WKV, wkv)             /* RWKV-4 time mixing over [seq,cols] */
typedef enum ridge_kernel_kind {
#define X(code, name) RIDGE_KERNEL_KIND_##code,
    RIDGE_KERNEL_KIND_LIST(X) RIDGE_KERNEL_KIND_COUNT
#undef X
} ridge_kernel_kind;
extern const char *const ridge_kernel_kind_names[RIDGE_KERNEL_KIND_COUNT + 1];

/* members a kind does not use are 0 */
typedef struct ridge_problem {
    ridge_kernel_kind kind;
    int64_t m, n, k;
    int64_t rows, cols;
    int64_t batch, seq, past, heads, kv_heads, head_dim;
    bool causal;
    const ridge_format *weights;     /* of W, of the table, of K and V */
    const ridge_format *activations; /* of everything else: fp32, bf16, fp16 */
} ridge_problem;

/* An operand as it lies in memory: rows of whole blocks, row after row; 64-byte aligned. Plain formats are arrays of their element. */
enum { RIDGE_PROBLEM_OPERANDS = 6 };
typedef struct ridge_operand {
    const char *name; /* "W", "x", "y" */
    const ridge_format *format;
    int64_t rows, cols;
    bool written;
    bool rotates; /* the large one that a cold run takes from another place each time */
} ridge_operand;
/* the operands of a problem, inputs first, the output last; VALUE where sizes are missing, odd for a block format, or too large */
ridge_status ridge_problem_operands(ridge_operand out[RIDGE_PROBLEM_OPERANDS], size_t *count, const ridge_problem *problem, ridge_err *err);
/* bytes of an operand's buffer, scales per tensor included at its end, rounded up to 64 */
ridge_status ridge_operand_bytes(size_t *bytes, const ridge_operand *operand, ridge_err *err);

/* ---- formats: true layouts (GGUF blocks, OCP MX, NVFP4, NF4, int4 groups) ---- */
/* One row of `cols` values to and from a format. quantise rounds to nearest as the format's reference does (ggml, OCP MX v1.0,
 * bitsandbytes); it is not fast and not meant to be. false: no codec for that format. */
bool ridge_quantise_row(void *out, const ridge_format *format, const float *values, int64_t cols, float tensor_scale);
bool ridge_dequantise_row(float *out, const ridge_format *format, const void *row, int64_t cols, float tensor_scale);

/* ---- variants ---- */
typedef struct ridge_kernel_run ridge_kernel_run;
typedef struct ridge_kernel_variant {
    ridge_kernel_kind kind;
    const char *name;         /* "generic", "avx2", "avx512-vnni", "flash-avx512", "naive" */
    const char *provider;     /* "ridge", "onednn", "openblas" */
    unsigned isa;             /* all of these bits are needed */
    unsigned activation_bits; /* 8: activations are rounded to int8 with a scale per block; 0: they are used as they are */
    /* can it do this problem? formats, multiples, limits. Pure. */
    bool (*takes)(const ridge_problem *problem);
    /* Prepares: packs weights where it packs (said in run->packed_bytes), makes scratch per thread. Not timed. */
    ridge_status (*open)(ridge_kernel_run *run, ridge_err *err);
    /* Timed: thread `thread` of run->threads does its share of phase `phase`; a barrier stands between phases. */
    void (*phase)(const ridge_kernel_run *run, unsigned phase, unsigned thread);
    void (*close)(ridge_kernel_run *run); /* may be NULL */
} ridge_kernel_variant;

struct ridge_kernel_run {
    const ridge_kernel_variant *variant;
    ridge_problem problem;
    void *operands[RIDGE_PROBLEM_OPERANDS]; /* the caller's, as ridge_problem_operands lists them */
    float tensor_scales[RIDGE_PROBLEM_OPERANDS];
    const ridge_kernel_run *like; /* one that is open, of the same problem and equal operands, whose packed weights may be copied; or NULL */
    unsigned threads, phases;
    size_t packed_bytes; /* of a packed copy that is read instead of the weights; 0: they are read as they are */
    void *state;         /* the variant's */
};

/* All variants of a kind that this CPU runs and that take the problem, the expected best first. In the arena. NAME as
 * ridge_isa_check. */
ridge_status ridge_kernel_variants(const ridge_kernel_variant *const **out, size_t *count, const ridge_problem *problem, ridge_arena *arena,
                                   ridge_err *err);
/* every variant there is, for listings, whether it runs here or not. In the arena. */
ridge_status ridge_kernel_table(const ridge_kernel_variant *const **out, size_t *count, ridge_arena *arena, ridge_err *err);

/* The reference in double precision, from the operands' exact (dequantised) values into out[rows * cols] of the output operand. */
ridge_status ridge_kernel_reference(double *out, const ridge_problem *problem, void *const operands[RIDGE_PROBLEM_OPERANDS],
                                    const float tensor_scales[RIDGE_PROBLEM_OPERANDS], ridge_err *err);
/* What a right variant may differ by: |result - reference| <= tolerance * scale, scale = sqrt(mean(reference^2)). Larger where a
 * variant quantises its activations (int8 arithmetic). Sources in docs/kernels.md. */
double ridge_kernel_tolerance(const ridge_problem *problem, const ridge_kernel_variant *variant);

#endif
