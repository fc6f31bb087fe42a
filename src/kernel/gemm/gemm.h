/* gemm.h - dense and quantised matrix products C[m,n] = A[m,k] W[n,k]^T: one blocked driver, one engine per arithmetic.
 * In: a run whose operands are W, A, C as ridge_problem_operands lists them. Out: C. Scratch belongs to the run until close.
 * The driver packs A (or quantises it) in phase 0 and, in phase 1, unpacks W panel by panel and multiplies; both are timed.
 * Blocking after Van Zee & van de Geijn, BLIS (ACM TOMS 41(3), 2015), with the roles of A and B chosen so that n runs along lanes. */
#ifndef RIDGE_KERNEL_GEMM_GEMM_H
#define RIDGE_KERNEL_GEMM_GEMM_H

#include "kernel/kernel.h"

/* how an operand's values lie; CODEC: whatever ridge_dequantise_row reads */
typedef enum ridge_gemm_layout { RIDGE_GEMM_FP32, RIDGE_GEMM_BF16, RIDGE_GEMM_FP16, RIDGE_GEMM_INT8, RIDGE_GEMM_CODEC } ridge_gemm_layout;

typedef struct ridge_gemm_matrix {
    unsigned char *data;
    size_t row_bytes;
    const ridge_format *format;
    ridge_gemm_layout layout;
    int64_t cols;
    size_t block_bytes; /* int4_g128's are 64 of codes and 2.5 elsewhere: 66 here, which only prefetching sees */
    float tensor_scale; /* of the formats that have one */
} ridge_gemm_matrix;

typedef struct ridge_gemm_thread {
    unsigned char *w;    /* packed panel of W: [steps][w_step_bytes] */
    unsigned char *sums; /* [mc][stride] float, int32 where the engine scales them */
    float *values;       /* rows dequantised on their way into a panel or a tile */
    ptrdiff_t ahead;     /* bytes from what pack_w reads to what it will read next: to be prefetched */
} ridge_gemm_thread;

typedef struct ridge_gemm_state ridge_gemm_state;

/* An arithmetic. A tile is mr rows of A, a panel nr rows of W; both are packed k-step by k-step, so that the inner loop runs through
 * each once, in order. */
typedef struct ridge_gemm_engine {
    unsigned mr, nr;
    unsigned step;         /* consecutive k packed together: 1 for fp32, a block for formats with scales */
    unsigned a_step_bytes; /* one step of a tile */
    unsigned w_step_bytes; /* one step of a panel */
    unsigned kc;           /* of a panel; rounded up to whole blocks of W's format */
    unsigned nc;           /* of a block of C, a multiple of nr */
    /* a tile of `rows` <= mr rows from `row` on, all of k; what is beyond is 0 */
    void (*pack_a)(const ridge_gemm_state *state, const ridge_gemm_thread *own, void *tile, int64_t row, unsigned rows);
    /* a panel of `rows` <= nr rows from `row` on, `count` values from k on */
    void (*pack_w)(const ridge_gemm_state *state, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, int64_t k,
                   int64_t count);
    /* sums[rows][nr], rows on lines of their own, `stride` elements apart, += tile * panel over `steps` */
    void (*multiply)(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows);
    /* one row of C: `count` sums, which it may use up, to C's format; NULL: floats, in plain C */
    void (*store)(const ridge_gemm_state *state, int64_t row, int64_t column, float *sums, int64_t count);
    /* int8 arithmetic by blocks: W's codes are stored plus `bias`; or code * scale - minimum is the value */
    int bias;
    bool minimum;
} ridge_gemm_engine;

struct ridge_gemm_state {
    const ridge_gemm_engine *engine;
    ridge_gemm_matrix w, a, c;
    int64_t m, n, k;
    int64_t kc, nc, mc; /* as used for this shape */
    int64_t stride;     /* of sums */
    size_t tile_bytes;  /* of a whole tile of A */
    unsigned char *a_packed;
    float *row_scales; /* [m], [m]: the engine's, from pack_a to store */
    int32_t *row_sums;
    ridge_gemm_thread *own; /* [threads] */
    unsigned threads;
};

/* Opens a run with an engine: 2 phases. NOMEM, OVERFLOW. */
ridge_status ridge_gemm_open(ridge_kernel_run *run, const ridge_gemm_engine *engine, ridge_err *err);
void ridge_gemm_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread);
void ridge_gemm_close(ridge_kernel_run *run);

/* A GEMM with A and C in fp32, bf16 or fp16 and weights that can be read: what every fp32 engine takes. */
bool ridge_gemm_takes_any(const ridge_problem *problem);
/* the layout of a format */
ridge_gemm_layout ridge_gemm_layout_of(const ridge_format *format);
/* `count` values of a row from column k on, as floats: fp32 is not copied, the pointer goes into it. k on a block's start. */
const float *ridge_gemm_values(float *room, const ridge_gemm_matrix *matrix, int64_t row, int64_t k, int64_t count);
/* sums to C, in plain C */
void ridge_gemm_store(const ridge_gemm_matrix *c, int64_t row, int64_t column, const float *sums, int64_t count);

extern const ridge_kernel_variant ridge_gemm_generic;
#if defined(__x86_64__)
extern const ridge_kernel_variant ridge_gemm_avx2, ridge_gemm_avx2_int8, ridge_gemm_avx2_blocks, ridge_gemm_avx512, ridge_gemm_avx512_bf16,
    ridge_gemm_avx512_int8, ridge_gemm_avx512_blocks;
#elif defined(__aarch64__)
extern const ridge_kernel_variant ridge_gemm_neon;
#endif

#endif
