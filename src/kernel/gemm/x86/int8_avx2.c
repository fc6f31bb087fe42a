/* int8 weights with one scale a tensor in AVX2: signed bytes of W times signed ones of A. 4 x 16 tiles. */
#include "kernel/gemm/gemm.h"

#if defined(__x86_64__)
#include "kernel/gemm/x86/avx2.h"

enum { ROWS = 4, LANES = RIDGE_LANES, COLUMNS = 2 * LANES };

RIDGE_AVX2_INLINE void multiply_rows(int32_t *sums, size_t stride, const int32_t *a, const int32_t *w, size_t steps, const unsigned rows)
{
    __m256i c[ROWS][2];
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++)
        c[i][0] = c[i][1] = _mm256_setzero_si256();
    for (size_t k = 0; k < steps; k++, a += ROWS, w += COLUMNS) {
        __m256i w0 = _mm256_load_si256((const void *)w), w1 = _mm256_load_si256((const void *)(w + LANES));
        __m256i size0 = _mm256_abs_epi8(w0), size1 = _mm256_abs_epi8(w1);
        RIDGE_UNROLL
        for (unsigned i = 0; i < rows; i++) {
            __m256i x = _mm256_set1_epi32(a[i]);
            c[i][0] = ridge_dot_signed(c[i][0], size0, w0, x);
            c[i][1] = ridge_dot_signed(c[i][1], size1, w1, x);
        }
    }
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        __m256i *to = (__m256i *)(void *)(sums + i * stride);
        _mm256_store_si256(to, _mm256_add_epi32(_mm256_load_si256(to), c[i][0]));
        _mm256_store_si256(to + 1, _mm256_add_epi32(_mm256_load_si256(to + 1), c[i][1]));
    }
}

RIDGE_AVX2 static void multiply(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows)
{
    switch (rows) {
    case 1:
        multiply_rows(sums, stride, tile, panel, steps, 1);
        break;
    case 2:
        multiply_rows(sums, stride, tile, panel, steps, 2);
        break;
    case 3:
        multiply_rows(sums, stride, tile, panel, steps, 3);
        break;
    default:
        multiply_rows(sums, stride, tile, panel, steps, ROWS);
    }
}

/* after its vocabulary and multiply */
#include "kernel/gemm/x86/int8_tmpl.h"

const ridge_kernel_variant ridge_gemm_avx2_int8 = {
    .kind = RIDGE_KERNEL_KIND_GEMM,
    .name = "avx2-int8",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX2,
    .activation_bits = 8,
    .takes = takes,
    .open = open_run,
    .phase = ridge_gemm_phase,
    .close = ridge_gemm_close,
};
#endif
