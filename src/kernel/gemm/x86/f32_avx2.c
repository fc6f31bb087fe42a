/* fp32 arithmetic in AVX2: 6 x 16 tiles, 12 of the 16 registers hold sums. bf16 and fp16 are widened as they are packed; other formats
 * go through their codec. */
#include "kernel/gemm/gemm.h"

#if defined(__x86_64__)
#include "kernel/gemm/x86/avx2.h"

enum { ROWS = 6, LANES = 8, COLUMNS = 2 * LANES };

/* `count` values of a row as floats: bf16 and fp16 eight at a time */
RIDGE_AVX2 static const float *values_of(float *room, const ridge_gemm_matrix *matrix, int64_t row, int64_t k, int64_t count)
{
    if (matrix->layout != RIDGE_GEMM_BF16 && matrix->layout != RIDGE_GEMM_FP16)
        return ridge_gemm_values(room, matrix, row, k, count);
    const uint16_t *from = (const uint16_t *)(const void *)(matrix->data + (size_t)row * matrix->row_bytes) + k;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        _mm256_storeu_ps(room + i, ridge_widen8(matrix->layout, from + i));
    if (i < count)
        (void)ridge_gemm_values(room + i, matrix, row, k + i, count - i);
    return room;
}

/* 8 rows to columns, to[k][stride] */
RIDGE_AVX2 static void put_columns(float *to, size_t stride, const float *const rows[LANES], int64_t count)
{
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES) {
        __m256 r[LANES];
        RIDGE_UNROLL
        for (int i = 0; i < LANES; i++)
            r[i] = _mm256_loadu_ps(rows[i] + k);
        ridge_transpose8(r);
        RIDGE_UNROLL
        for (int j = 0; j < LANES; j++)
            _mm256_storeu_ps(to + (size_t)(k + j) * stride, r[j]);
    }
    for (; k < count; k++)
        for (int i = 0; i < LANES; i++)
            to[(size_t)k * stride + (size_t)i] = rows[i][k];
}

RIDGE_AVX2 static void pack_a(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *tile, int64_t row, unsigned rows)
{
    float *to = tile;
    for (unsigned i = 0; i < rows; i++) {
        const float *values = values_of(own->values, &s->a, row + i, 0, s->k);
        for (int64_t k = 0; k < s->k; k++)
            to[k * ROWS + i] = values[k];
    }
}

/* rows beyond the last repeat it: their sums are not kept */
RIDGE_AVX2 static void pack_w(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, int64_t k,
                              int64_t count)
{
    const float *values[COLUMNS];
    for (unsigned i = 0; i < COLUMNS; i++)
        values[i] = i < rows ? values_of(own->values + i * count, &s->w, row + i, k, count) : values[rows - 1];
    put_columns(panel, COLUMNS, values, count);
    put_columns((float *)panel + LANES, COLUMNS, values + LANES, count);
}

RIDGE_AVX2_INLINE void multiply_rows(float *sums, size_t stride, const float *a, const float *w, size_t steps, const unsigned rows)
{
    __m256 c[ROWS][2];
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++)
        c[i][0] = c[i][1] = _mm256_setzero_ps();
    for (size_t k = 0; k < steps; k++, a += ROWS, w += COLUMNS) {
        __m256 w0 = _mm256_load_ps(w), w1 = _mm256_load_ps(w + LANES);
        RIDGE_UNROLL
        for (unsigned i = 0; i < rows; i++) {
            __m256 x = _mm256_broadcast_ss(a + i);
            c[i][0] = _mm256_fmadd_ps(x, w0, c[i][0]);
            c[i][1] = _mm256_fmadd_ps(x, w1, c[i][1]);
        }
    }
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        float *to = sums + i * stride;
        _mm256_store_ps(to, _mm256_add_ps(_mm256_load_ps(to), c[i][0]));
        _mm256_store_ps(to + LANES, _mm256_add_ps(_mm256_load_ps(to + LANES), c[i][1]));
    }
}

RIDGE_AVX2 static void multiply(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows)
{
    /* clang-format off */
    switch (rows) {
#define X(count) case count: multiply_rows(sums, stride, tile, panel, steps, count); break;
        X(1) X(2) X(3) X(4) X(5)
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
    .nc = 128,
    .pack_a = pack_a,
    .pack_w = pack_w,
    .multiply = multiply,
};

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemm_open(run, &engine, err);
}

const ridge_kernel_variant ridge_gemm_avx2 = {
    .kind = RIDGE_KERNEL_KIND_GEMM,
    .name = "avx2",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX2,
    .takes = ridge_gemm_takes_any,
    .open = open_run,
    .phase = ridge_gemm_phase,
    .close = ridge_gemm_close,
};
#endif
