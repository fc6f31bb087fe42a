/* fp32 arithmetic in AVX-512: 14 x 32 tiles, 28 of the 32 registers hold sums. bf16 and fp16 are widened as they are packed; other
 * formats go through their codec. */
#include "kernel/gemm/gemm.h"

#if defined(__x86_64__)
#include "kernel/gemm/x86/avx512.h"

enum { ROWS = 14, LANES = 16, COLUMNS = 2 * LANES };

/* where the values of `count` columns of a row are, and how far apart rows lie */
typedef struct rows_source {
    const unsigned char *at;
    size_t row_bytes, value_bytes;
    ptrdiff_t ahead; /* what to prefetch, from where a value lies */
    ridge_gemm_layout layout;
} rows_source;

/* plain formats as they lie; the others by way of own->values */
static rows_source source_of(const ridge_gemm_matrix *matrix, float *room, int64_t row, unsigned rows, int64_t k, int64_t count)
{
    if (matrix->layout <= RIDGE_GEMM_FP16) {
        size_t bytes = matrix->layout == RIDGE_GEMM_FP32 ? sizeof(float) : sizeof(uint16_t);
        return (rows_source){matrix->data + (size_t)row * matrix->row_bytes + (size_t)k * bytes, matrix->row_bytes, bytes, 0,
                             matrix->layout};
    }
    for (unsigned i = 0; i < rows; i++)
        (void)ridge_gemm_values(room + i * count, matrix, row + i, k, count);
    return (rows_source){(const unsigned char *)room, (size_t)count * sizeof *room, sizeof *room, 0, RIDGE_GEMM_FP32};
}

/* `rows` <= 16 rows to columns: to[k][stride], 16 lanes written at each k; where stride < 16 the next k overwrites the surplus */
RIDGE_AVX512_INLINE void columns_of(float *to, size_t stride, const rows_source *from, ridge_gemm_layout layout, unsigned rows,
                                    int64_t count, __mmask16 written)
{
    for (int64_t k = 0; k < count; k += LANES) {
        __m512i r[LANES];
        RIDGE_UNROLL
        for (unsigned i = 0; i < LANES; i++) {
            const unsigned char *at = from->at + i * from->row_bytes + (size_t)k * from->value_bytes;
            r[i] = i < rows ? _mm512_castps_si512(ridge_load16(layout, at, count - k)) : _mm512_setzero_si512();
            ridge_prefetch(at, from->ahead);
        }
        ridge_transpose_units(r);
        int64_t left = count - k < LANES ? count - k : LANES;
        if (left == LANES) {
            RIDGE_UNROLL
            for (int j = 0; j < LANES; j++)
                _mm512_mask_storeu_epi32(to + (size_t)(k + j) * stride, written, r[j]);
        } else
            for (int64_t j = 0; j < left; j++)
                _mm512_mask_storeu_epi32(to + (size_t)(k + j) * stride, written, r[j]);
    }
}

RIDGE_AVX512 static void pack_columns(float *to, size_t stride, const rows_source *from, unsigned rows, int64_t count, __mmask16 written)
{
    if (from->layout == RIDGE_GEMM_BF16)
        columns_of(to, stride, from, RIDGE_GEMM_BF16, rows, count, written);
    else if (from->layout == RIDGE_GEMM_FP16)
        columns_of(to, stride, from, RIDGE_GEMM_FP16, rows, count, written);
    else
        columns_of(to, stride, from, RIDGE_GEMM_FP32, rows, count, written);
}

RIDGE_AVX512 static void pack_a(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *tile, int64_t row, unsigned rows)
{
    rows_source from = source_of(&s->a, own->values, row, rows, 0, s->k);
    pack_columns(tile, ROWS, &from, rows, s->k, (__mmask16)((1U << ROWS) - 1U));
}

RIDGE_AVX512 static void pack_w(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, int64_t k,
                                int64_t count)
{
    rows_source from = source_of(&s->w, own->values, row, rows, k, count);
    from.ahead = s->w.layout <= RIDGE_GEMM_FP16 ? own->ahead : 0;
    unsigned first = rows < LANES ? rows : LANES;
    pack_columns(panel, COLUMNS, &from, first, count, 0xffff);
    from.at += LANES * from.row_bytes;
    pack_columns((float *)panel + LANES, COLUMNS, &from, rows - first, count, 0xffff);
}

RIDGE_AVX512_INLINE void multiply_rows(float *sums, size_t stride, const float *a, const float *w, size_t steps, const unsigned rows)
{
    __m512 c[ROWS][2];
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        c[i][0] = c[i][1] = _mm512_setzero_ps();
        _mm_prefetch((const char *)(sums + i * stride), _MM_HINT_T0);
        _mm_prefetch((const char *)(sums + i * stride + LANES), _MM_HINT_T0);
    }
    for (size_t k = 0; k < steps; k++, a += ROWS, w += COLUMNS) {
        __m512 w0 = _mm512_load_ps(w), w1 = _mm512_load_ps(w + LANES);
        _mm_prefetch((const char *)(a + 16 * ROWS), _MM_HINT_T0);
        RIDGE_UNROLL
        for (unsigned i = 0; i < rows; i++) {
            __m512 x = _mm512_set1_ps(a[i]);
            c[i][0] = _mm512_fmadd_ps(x, w0, c[i][0]);
            c[i][1] = _mm512_fmadd_ps(x, w1, c[i][1]);
        }
    }
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        float *to = sums + i * stride;
        _mm512_store_ps(to, _mm512_add_ps(_mm512_load_ps(to), c[i][0]));
        _mm512_store_ps(to + LANES, _mm512_add_ps(_mm512_load_ps(to + LANES), c[i][1]));
    }
}

RIDGE_AVX512 static void multiply(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows)
{
    /* clang-format off */
    switch (rows) {
#define X(count) case count: multiply_rows(sums, stride, tile, panel, steps, count); break;
        X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)
#undef X
        default: multiply_rows(sums, stride, tile, panel, steps, ROWS);
    }
    /* clang-format on */
}

RIDGE_AVX512 static void store(const ridge_gemm_state *s, int64_t row, int64_t column, float *sums, int64_t count)
{
    ridge_store_row(&s->c, row, column, sums, count);
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
    .store = store,
    .multiply = multiply,
};

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemm_open(run, &engine, err);
}

const ridge_kernel_variant ridge_gemm_avx512 = {
    .kind = RIDGE_KERNEL_KIND_GEMM,
    .name = "avx512",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX512 | RIDGE_ISA_AVX2,
    .takes = ridge_gemm_takes_any,
    .open = open_run,
    .phase = ridge_gemm_phase,
    .close = ridge_gemm_close,
};
#endif
