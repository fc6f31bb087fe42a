/* int8 weights with one scale a tensor: activations become int8 with one scale a row, sums are exact int32 (vpdpbusd). W is stored plus
 * 128, which is taken off at the end. 12 x 32 tiles. */
#include "kernel/gemm.h"

#if defined(__x86_64__)
#include "kernel/gemm_avx512.h"

/* |sum| <= 127 * 128 * k must fit in 31 bits */
enum { ROWS = 12, LANES = 16, COLUMNS = 2 * LANES, MOST_K = 1 << 17 };

RIDGE_AVX512_INLINE float largest_of_row(const ridge_gemm_matrix *a, int64_t row, int64_t k)
{
    __m512 largest = _mm512_setzero_ps();
    for (int64_t i = 0; i < k; i += LANES)
        largest = _mm512_max_ps(largest, _mm512_abs_ps(ridge_matrix16(a, row, i, k - i)));
    return _mm512_reduce_max_ps(largest);
}

/* a row as bytes; its scale and sum noted */
RIDGE_AVX512_INLINE void quantise_row(const ridge_gemm_state *s, int8_t *to, int64_t row)
{
    float largest = largest_of_row(&s->a, row, s->k);
    __m512 inverse = _mm512_set1_ps(largest > 0.0F ? 127.0F / largest : 0.0F);
    __m512i sum = _mm512_setzero_si512();
    for (int64_t k = 0; k < s->k; k += LANES) {
        __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(ridge_matrix16(&s->a, row, k, s->k - k), inverse));
        sum = _mm512_add_epi32(sum, q);
        _mm_mask_storeu_epi8(to + k, ridge_lanes16(s->k - k), _mm512_cvtsepi32_epi8(q));
    }
    s->row_scales[row] = largest / 127.0F;
    s->row_sums[row] = _mm512_reduce_add_epi32(sum);
}

RIDGE_AVX512 static void pack_a(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *tile, int64_t row, unsigned rows)
{
    int8_t *bytes = (int8_t *)own->values;
    for (unsigned i = 0; i < rows; i++)
        quantise_row(s, bytes + i * s->k, row + i);
    ridge_unit_rows from = {(const unsigned char *)bytes, (size_t)s->k, 0, rows};
    ridge_pack_units(tile, ROWS, &from, s->k, (__mmask16)((1U << ROWS) - 1U), _mm512_setzero_si512());
}

RIDGE_AVX512 static void pack_w(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, int64_t k,
                                int64_t count)
{
    ridge_pack_unit_panel(panel, &s->w, row, rows, k, count, own->ahead, _mm512_set1_epi8((char)0x80));
}

RIDGE_AVX512_VNNI __attribute__((always_inline)) static inline void multiply_rows(int32_t *sums, size_t stride, const int32_t *a,
                                                                                  const int32_t *w, size_t steps, const unsigned rows)
{
    __m512i c[ROWS][2];
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        c[i][0] = c[i][1] = _mm512_setzero_si512();
        _mm_prefetch((const char *)(sums + i * stride), _MM_HINT_T0);
        _mm_prefetch((const char *)(sums + i * stride + LANES), _MM_HINT_T0);
    }
    for (size_t k = 0; k < steps; k++, a += ROWS, w += COLUMNS) {
        __m512i w0 = _mm512_load_si512(w), w1 = _mm512_load_si512(w + LANES);
        _mm_prefetch((const char *)(a + 16 * ROWS), _MM_HINT_T0);
        RIDGE_UNROLL
        for (unsigned i = 0; i < rows; i++) {
            __m512i x = _mm512_set1_epi32(a[i]);
            c[i][0] = ridge_dot_bytes(c[i][0], w0, x);
            c[i][1] = ridge_dot_bytes(c[i][1], w1, x);
        }
    }
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        int32_t *to = sums + i * stride;
        _mm512_store_si512(to, _mm512_add_epi32(_mm512_load_si512(to), c[i][0]));
        _mm512_store_si512(to + LANES, _mm512_add_epi32(_mm512_load_si512(to + LANES), c[i][1]));
    }
}

RIDGE_AVX512_VNNI static void multiply(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows)
{
    switch (rows) {
#define X(count)                                                                                                                           \
    case count:                                                                                                                            \
        multiply_rows(sums, stride, tile, panel, steps, count);                                                                            \
        break;
        X(1)
        X(2)
        X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#undef X
            default : multiply_rows(sums, stride, tile, panel, steps, ROWS);
    }
}

/* W is stored plus 128: that much of the row's sum is taken off */
RIDGE_AVX512 static void scale(const ridge_gemm_state *s, float *sums, int64_t row, int64_t count)
{
    __m512i bias = _mm512_set1_epi32(s->row_sums[row] * 128);
    __m512 step = _mm512_set1_ps(s->row_scales[row] * s->w.tensor_scale);
    for (int64_t i = 0; i < count; i += LANES) {
        __m512i exact = _mm512_sub_epi32(_mm512_load_si512(sums + i), bias);
        _mm512_store_ps(sums + i, _mm512_mul_ps(_mm512_cvtepi32_ps(exact), step));
    }
}

RIDGE_AVX512 static void store(const ridge_gemm_matrix *c, int64_t row, int64_t column, const float *sums, int64_t count)
{
    ridge_store_row(c, row, column, sums, count);
}

static const ridge_gemm_engine engine = {
    .mr = ROWS,
    .nr = COLUMNS,
    .step = 4,
    .a_step_bytes = ROWS * 4,
    .w_step_bytes = COLUMNS * 4,
    .kc = 512,
    .nc = 128,
    .pack_a = pack_a,
    .pack_w = pack_w,
    .store = store,
    .multiply = multiply,
    .scale = scale,
};

static bool takes(const ridge_problem *problem)
{
    return ridge_gemm_takes_any(problem) && ridge_gemm_layout_of(problem->weights) == RIDGE_GEMM_INT8 && problem->k <= MOST_K;
}

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemm_open(run, &engine, err);
}

const ridge_kernel_variant ridge_gemm_avx512_int8 = {
    .kind = RIDGE_KERNEL_KIND_GEMM,
    .name = "avx512-vnni",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX512 | RIDGE_ISA_AVX2 | RIDGE_ISA_AVX512_VNNI,
    .activation_bits = 8,
    .takes = takes,
    .open = open_run,
    .phase = ridge_gemm_phase,
    .close = ridge_gemm_close,
};
#endif
