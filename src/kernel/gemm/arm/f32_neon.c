/* fp32 arithmetic in arm64's Advanced SIMD: 8 x 12 tiles, 24 of the 32 registers hold sums, and two hold a column of the tile of A, whose
 * lanes are multiplied with. bf16 and fp16 are widened as they are packed; other formats go through their codec. */
#include "kernel/gemm/gemm.h"

#if defined(__aarch64__)
#include <arm_neon.h>

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum { ROWS = 8, LANES = 4, VECTORS = 3, COLUMNS = VECTORS * LANES };

/* `count` values of a row as floats: bf16 and fp16 four at a time */
static const float *values_of(float *room, const ridge_gemm_matrix *matrix, int64_t row, int64_t k, int64_t count)
{
    if (matrix->layout != RIDGE_GEMM_BF16 && matrix->layout != RIDGE_GEMM_FP16)
        return ridge_gemm_values(room, matrix, row, k, count);
    const uint16_t *from = (const uint16_t *)(const void *)(matrix->data + (size_t)row * matrix->row_bytes) + k;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const uint16x4_t words = vld1_u16(from + i);
        vst1q_f32(room + i, matrix->layout == RIDGE_GEMM_FP16 ? vcvt_f32_f16(vreinterpret_f16_u16(words))
                                                              : vreinterpretq_f32_u32(vshll_n_u16(words, 16)));
    }
    if (i < count)
        (void)ridge_gemm_values(room + i, matrix, row, k + i, count - i);
    return room;
}

/* four rows to columns, to[k][stride] */
static void put_columns(float *to, size_t stride, const float *const rows[LANES], int64_t count)
{
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES, to += LANES * stride) {
        const float32x4_t r[LANES] = {vld1q_f32(rows[0] + k), vld1q_f32(rows[1] + k), vld1q_f32(rows[2] + k), vld1q_f32(rows[3] + k)};
        const float32x4x2_t a = vtrnq_f32(r[0], r[1]), b = vtrnq_f32(r[2], r[3]);
        vst1q_f32(to, vcombine_f32(vget_low_f32(a.val[0]), vget_low_f32(b.val[0])));
        vst1q_f32(to + stride, vcombine_f32(vget_low_f32(a.val[1]), vget_low_f32(b.val[1])));
        vst1q_f32(to + 2 * stride, vcombine_f32(vget_high_f32(a.val[0]), vget_high_f32(b.val[0])));
        vst1q_f32(to + 3 * stride, vcombine_f32(vget_high_f32(a.val[1]), vget_high_f32(b.val[1])));
    }
    for (; k < count; k++, to += stride)
        for (int i = 0; i < LANES; i++)
            to[i] = rows[i][k];
}

static void pack_a(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *tile, int64_t row, unsigned rows)
{
    float *to = tile;
    for (unsigned i = 0; i < rows; i++) {
        const float *values = values_of(own->values, &s->a, row + i, 0, s->k);
        for (int64_t k = 0; k < s->k; k++)
            to[k * ROWS + i] = values[k];
    }
}

/* rows beyond the last repeat it: their sums are not kept */
static void pack_w(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, int64_t k,
                   int64_t count)
{
    const float *values[COLUMNS];
    for (unsigned i = 0; i < COLUMNS; i++)
        values[i] = i < rows ? values_of(own->values + i * count, &s->w, row + i, k, count) : values[rows - 1];
    for (unsigned i = 0; i < COLUMNS; i += LANES)
        put_columns((float *)panel + i, COLUMNS, values + i, count);
}

/* row i of the tile: lane `lane`, a constant, of a column of A times a step of the panel */
#define ROW(i, column, lane)                                                                                                               \
    if ((i) < rows) {                                                                                                                      \
        c[i][0] = vfmaq_laneq_f32(c[i][0], w0, column, lane);                                                                              \
        c[i][1] = vfmaq_laneq_f32(c[i][1], w1, column, lane);                                                                              \
        c[i][2] = vfmaq_laneq_f32(c[i][2], w2, column, lane);                                                                              \
    }

/* `rows` is a constant where this is called */
__attribute__((always_inline)) static inline void multiply_rows(float *sums, size_t stride, const float *a, const float *w, size_t steps,
                                                                const unsigned rows)
{
    float32x4_t c[ROWS][VECTORS];
    UNROLL
    for (unsigned i = 0; i < ROWS; i++)
        c[i][0] = c[i][1] = c[i][2] = vdupq_n_f32(0);
    for (size_t k = 0; k < steps; k++, a += ROWS, w += COLUMNS) {
        const float32x4_t w0 = vld1q_f32(w), w1 = vld1q_f32(w + LANES), w2 = vld1q_f32(w + 2 * LANES);
        const float32x4_t low = vld1q_f32(a), high = vld1q_f32(a + LANES);
        ROW(0, low, 0)
        ROW(1, low, 1)
        ROW(2, low, 2)
        ROW(3, low, 3)
        ROW(4, high, 0)
        ROW(5, high, 1)
        ROW(6, high, 2)
        ROW(7, high, 3)
    }
    UNROLL
    for (unsigned i = 0; i < rows; i++) {
        float *to = sums + i * stride;
        vst1q_f32(to, vaddq_f32(vld1q_f32(to), c[i][0]));
        vst1q_f32(to + LANES, vaddq_f32(vld1q_f32(to + LANES), c[i][1]));
        vst1q_f32(to + 2 * LANES, vaddq_f32(vld1q_f32(to + 2 * LANES), c[i][2]));
    }
}

static void multiply(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows)
{
    /* clang-format off */
    switch (rows) {
#define X(count) case count: multiply_rows(sums, stride, tile, panel, steps, count); break;
        X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#undef X
        default: multiply_rows(sums, stride, tile, panel, steps, ROWS);
    }
    /* clang-format on */
}

static const ridge_gemm_engine engine = {
    .mr = ROWS,
    .nr = COLUMNS,
    .step = 1,
    .a_step_bytes = ROWS * sizeof(float),
    .w_step_bytes = COLUMNS * sizeof(float),
    .kc = 320,
    .nc = 120,
    .pack_a = pack_a,
    .pack_w = pack_w,
    .multiply = multiply,
};

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemm_open(run, &engine, err);
}

const ridge_kernel_variant ridge_gemm_neon = {
    .kind = RIDGE_KERNEL_KIND_GEMM,
    .name = "neon",
    .provider = "ridge",
    .isa = RIDGE_ISA_NEON,
    .takes = ridge_gemm_takes_any,
    .open = open_run,
    .phase = ridge_gemm_phase,
    .close = ridge_gemm_close,
};
#endif
