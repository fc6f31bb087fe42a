/* Block formats in int8 arithmetic by vpdpbusd: activations become signed bytes with a scale per step, W's codes stay unsigned.
 * 6 x 32 tiles: 12 registers of sums, 12 of the step's products. blocks_tmpl.h has the formula and a tile's layout. */
#include "kernel/gemm/gemm.h"

#if defined(__x86_64__)
#include "kernel/gemm/x86/avx512.h"

enum { ROWS = 6, LANES = RIDGE_LANES, COLUMNS = 2 * LANES };

/* products[i] = the step's sums of codes * a, less the bias */
RIDGE_AVX512_VNNI __attribute__((always_inline)) static inline void multiply_step(__m512i products[ROWS][2], const unsigned char *a,
                                                                                  const unsigned char *w, const unsigned rows,
                                                                                  const unsigned step, const bool minimum)
{
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        int32_t start = 0;
        if (!minimum)
            memcpy(&start, a + (step + sizeof(float)) * ROWS + i * sizeof start, sizeof start);
        products[i][0] = products[i][1] = minimum ? _mm512_setzero_si512() : _mm512_set1_epi32(start);
    }
    RIDGE_UNROLL
    for (unsigned unit = 0; unit < step / 4; unit++) {
        __m512i w0 = _mm512_load_si512(w + unit * (COLUMNS * 4)), w1 = _mm512_load_si512(w + unit * (COLUMNS * 4) + 64);
        RIDGE_UNROLL
        for (unsigned i = 0; i < rows; i++) {
            int32_t four;
            memcpy(&four, a + (unit * ROWS + i) * 4, sizeof four);
            __m512i x = _mm512_set1_epi32(four);
            products[i][0] = ridge_dot_bytes(products[i][0], w0, x);
            products[i][1] = ridge_dot_bytes(products[i][1], w1, x);
        }
    }
}

RIDGE_AVX512_VNNI __attribute__((always_inline)) static inline void multiply_rows(float *sums, size_t stride, const unsigned char *a,
                                                                                  const unsigned char *w, size_t steps, const unsigned rows,
                                                                                  const unsigned step, const bool minimum)
{
    const size_t w_bytes = (size_t)COLUMNS * (step + (minimum ? 8 : 4)), a_bytes = (size_t)ROWS * (step + 8);
    __m512 c[ROWS][2];
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        c[i][0] = c[i][1] = _mm512_setzero_ps();
        _mm_prefetch((const char *)(sums + i * stride), _MM_HINT_T0);
        _mm_prefetch((const char *)(sums + i * stride + LANES), _MM_HINT_T0);
    }
    for (size_t s = 0; s < steps; s++, a += a_bytes, w += w_bytes) {
        __m512i products[ROWS][2];
        multiply_step(products, a, w, rows, step, minimum);
        const float *scales = (const float *)(const void *)(w + step * COLUMNS), *a_scales = (const float *)(const void *)(a + step * ROWS);
        __m512 w0 = _mm512_load_ps(scales), w1 = _mm512_load_ps(scales + LANES);
        RIDGE_UNROLL
        for (unsigned i = 0; i < rows; i++) {
            __m512 x = _mm512_set1_ps(a_scales[i]);
            c[i][0] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(products[i][0]), _mm512_mul_ps(w0, x), c[i][0]);
            c[i][1] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(products[i][1]), _mm512_mul_ps(w1, x), c[i][1]);
        }
        RIDGE_UNROLL
        for (unsigned i = 0; minimum && i < rows; i++) {
            __m512 x = _mm512_set1_ps(a_scales[ROWS + i]);
            c[i][0] = _mm512_fnmadd_ps(_mm512_load_ps(scales + COLUMNS), x, c[i][0]);
            c[i][1] = _mm512_fnmadd_ps(_mm512_load_ps(scales + COLUMNS + LANES), x, c[i][1]);
        }
    }
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        float *to = sums + i * stride;
        _mm512_store_ps(to, _mm512_add_ps(_mm512_load_ps(to), c[i][0]));
        _mm512_store_ps(to + LANES, _mm512_add_ps(_mm512_load_ps(to + LANES), c[i][1]));
    }
}

/* clang-format off */
#define MULTIPLY(name, step, minimum) \
    RIDGE_AVX512_VNNI static void name(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows) \
    { \
        switch (rows) { \
            case 1: multiply_rows(sums, stride, tile, panel, steps, 1, step, minimum); break; \
            case 2: multiply_rows(sums, stride, tile, panel, steps, 2, step, minimum); break; \
            case 3: multiply_rows(sums, stride, tile, panel, steps, 3, step, minimum); break; \
            case 4: multiply_rows(sums, stride, tile, panel, steps, 4, step, minimum); break; \
            case 5: multiply_rows(sums, stride, tile, panel, steps, 5, step, minimum); break; \
            default: multiply_rows(sums, stride, tile, panel, steps, ROWS, step, minimum); \
        } \
    }
/* clang-format on */
MULTIPLY(multiply_16, 16, false)
MULTIPLY(multiply_32, 32, false)
MULTIPLY(multiply_32_minimum, 32, true)
#undef MULTIPLY
#define multiply_32_full multiply_32 /* codes of 8 bits, unsigned: no other products */

/* after its vocabulary and the products */
#include "kernel/gemm/x86/blocks_tmpl.h"

const ridge_kernel_variant ridge_gemm_avx512_blocks = {
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
