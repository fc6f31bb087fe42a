/* gemv.h - y[n] = W[n,k] x[k]: what the files of the GEMV kernels share.
 * In: a run with operands W, x, y. Out: y. Weights are repacked once, in open, into tiles of as many rows as a vector or a few have
 * lanes, so that a sum never crosses lanes and the weights are one stream; the activations are quantised in phase 0, which is timed.
 * The state belongs to the run until close. docs/kernels.md, "GEMV". */
#ifndef RIDGE_KERNEL_GEMV_GEMV_H
#define RIDGE_KERNEL_GEMV_GEMV_H

#include "kernel/codec/codec.h"
#include "kernel/codec/element.h"
#include "kernel/kernel.h"
#include "kernel/parts.h"

typedef enum ridge_gemv_code {
    RIDGE_GEMV_INT8,
    RIDGE_GEMV_Q8_0,
    RIDGE_GEMV_Q4_0,
    RIDGE_GEMV_IQ4_NL,
    RIDGE_GEMV_MXFP4,
    RIDGE_GEMV_NVFP4,
    RIDGE_GEMV_Q4_K,
    RIDGE_GEMV_Q6_K,
    RIDGE_GEMV_INT4,
    RIDGE_GEMV_NF4
} ridge_gemv_code;

/* How a format lies once packed. A vector is `lanes` four-byte lanes, lane r belonging to row r of the tile; a chunk is `vectors` of them
 * and holds `chunk` columns of every row of the tile; a tile is its chunks in order. */
typedef struct ridge_gemv_layout {
    const char *format;
    ridge_gemv_code code;
    unsigned chunk, vectors;
    unsigned x_block;   /* activations per step (scale) */
    unsigned sum_block; /* activations per sum */
    int offset;         /* added to codes to make them unsigned: sums hold -offset * (sum of x's codes) */
    float factor;       /* what steps are multiplied with */
    unsigned bits;      /* of the activations' codes: 8 or 16 */
} ridge_gemv_layout;

enum {
    RIDGE_GEMV_LARGEST_8 = 127,
    /* 16-bit codes: 64 products of 13-bit by 14-bit numbers stay below 2^31 (nf4 levels by activations) */
    RIDGE_GEMV_LARGEST_16 = 8191,
    RIDGE_GEMV_NF4_LARGEST = 4095,
    RIDGE_GEMV_BLOCK = 256 /* columns of x are padded to a multiple, and taken in shares of it */
};

typedef struct ridge_gemv_state {
    const ridge_gemv_layout *layout; /* NULL: fp32, bf16, fp16, or not packed */
    unsigned lanes;
    uint8_t *packed;
    size_t tile_bytes;
    int64_t tiles, chunks; /* chunks of a tile */
    int64_t padded;        /* k, rounded up to RIDGE_GEMV_BLOCK */
    size_t row_bytes;      /* of W as it is */
    ridge_element weights, activations;
    float scale;  /* the tensor's: results are multiplied with it */
    void *codes;  /* int8_t or int16_t [padded] */
    float *steps; /* [padded / x_block], times factor */
    int32_t *sums;
    float *values; /* [padded]: x itself, for kernels that quantise nothing; or a row per thread */
} ridge_gemv_state;

/* The layout of a format whose activations take `bits`; NULL where it is not one. */
const ridge_gemv_layout *ridge_gemv_layout_of(const ridge_format *format, unsigned bits);
/* Packs for vectors of `lanes` lanes: the rows of a tile. Two phases. NOMEM. */
ridge_status ridge_gemv_open_packed(ridge_kernel_run *run, unsigned lanes, unsigned bits, ridge_err *err);
/* fp32, bf16, fp16: tiles of registers x lanes rows, or of `lanes` where that would leave threads idle. A chunk is a vector of
 * every register: of fp32 a column; of bf16 two, both in a row's 32-bit lane, the even one low; of fp16 two, the even one's lanes first.
 * Two phases. NOMEM. */
ridge_status ridge_gemv_open_plain(ridge_kernel_run *run, unsigned lanes, unsigned registers, ridge_err *err);
void ridge_gemv_close(ridge_kernel_run *run);

bool ridge_gemv_takes_plain(const ridge_problem *problem);
bool ridge_gemv_takes_8(const ridge_problem *problem);
bool ridge_gemv_takes_16(const ridge_problem *problem);

/* results of `lanes` rows from `row` on to y, those beyond n left out */
void ridge_gemv_store(const ridge_kernel_run *run, int64_t row, const float *results, unsigned lanes);

/* one tile's chunk `chunk` from rows `row` .. of W; the caller zeroed it */
void ridge_gemv_pack_chunk(uint8_t *out, const ridge_gemv_layout *layout, unsigned lanes, const ridge_problem *problem, const uint8_t *w,
                           size_t row_bytes, int64_t row, int64_t chunk);

extern const ridge_kernel_variant ridge_gemv_generic;
#if defined(__x86_64__)
extern const ridge_kernel_variant ridge_gemv_avx2, ridge_gemv_avx2_int8, ridge_gemv_avx2_int16;
extern const ridge_kernel_variant ridge_gemv_avx512_vbmi, ridge_gemv_avx512, ridge_gemv_avx512_int8, ridge_gemv_avx512_int16;
#elif defined(__aarch64__)
extern const ridge_kernel_variant ridge_gemv_neon, ridge_gemv_neon_int8, ridge_gemv_neon_int16, ridge_gemv_neon_dot;
#endif

#endif
