/* int8 weights with one scale a tensor by vpdpbusd: unsigned bytes of W times signed ones of A. 12 x 32 tiles. */
#include "kernel/gemm/gemm.h"

#if defined(__x86_64__)
#include "kernel/gemm/x86/avx512.h"

enum { ROWS = 12, LANES = RIDGE_LANES, COLUMNS = 2 * LANES };

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
    /* clang-format off */
    switch (rows) {
#define X(count) case count: multiply_rows(sums, stride, tile, panel, steps, count); break;
        X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#undef X
        default: multiply_rows(sums, stride, tile, panel, steps, ROWS);
    }
    /* clang-format on */
}

/* after its vocabulary and multiply */
#include "kernel/gemm/x86/int8_tmpl.h"

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
