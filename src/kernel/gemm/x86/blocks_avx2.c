/* Block formats in int8 arithmetic in AVX2 (vpmaddubsw): 4 x 16 tiles, 8 registers of the step's products; the sums stay in memory.
 * Codes of up to 6 bits are unsigned and added up in 16 bits over a step, from -bias * x on. |code - bias| <= bias, so that sums stay
 * within 8 * 32 * 127 = 32512 where multiply_16 has 8 products in a lane, and within 16 * 12 * 127 where multiply_32 has 16, on their way
 * too; codes of 0 to 15 without a bias within 16 * 15 * 127 = 30480; single pairs within 2 * 63 * 127. blocks_tmpl.h has the
 * formula. */
#include "kernel/gemm/gemm.h"

#if defined(__x86_64__)
#include "kernel/gemm/x86/avx2.h"

enum { ROWS = 4, LANES = RIDGE_LANES, COLUMNS = 2 * LANES };

RIDGE_AVX2_INLINE __m256i unit_of(const unsigned char *w, unsigned unit, unsigned half)
{
    return _mm256_load_si256((const void *)(w + unit * (COLUMNS * 4) + half * 32));
}
/* four bytes of `a` in every lane */
RIDGE_AVX2_INLINE __m256i spread(const unsigned char *a)
{
    int32_t four;
    memcpy(&four, a, sizeof four);
    return _mm256_set1_epi32(four);
}

/* products[i] = the step's sums of codes * a, less the bias */
RIDGE_AVX2_INLINE void multiply_step(__m256i products[ROWS][2], const unsigned char *a, const unsigned char *w, const unsigned rows,
                                     const unsigned step, const bool minimum)
{
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++)
        products[i][0] = products[i][1] = minimum ? _mm256_setzero_si256() : spread(a + (step + sizeof(float)) * ROWS + i * 4);
    RIDGE_UNROLL
    for (unsigned unit = 0; unit < step / 4; unit++) {
        __m256i w0 = unit_of(w, unit, 0), w1 = unit_of(w, unit, 1);
        RIDGE_UNROLL
        for (unsigned i = 0; i < rows; i++) {
            __m256i x = spread(a + (unit * ROWS + i) * 4);
            products[i][0] = ridge_add_pairs(products[i][0], w0, x);
            products[i][1] = ridge_add_pairs(products[i][1], w1, x);
        }
    }
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        products[i][0] = _mm256_madd_epi16(products[i][0], _mm256_set1_epi16(1));
        products[i][1] = _mm256_madd_epi16(products[i][1], _mm256_set1_epi16(1));
    }
}

/* the same of signed codes of 8 bits */
RIDGE_AVX2_INLINE void multiply_full_step(__m256i products[ROWS][2], const unsigned char *a, const unsigned char *w, const unsigned rows,
                                          const unsigned step)
{
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++)
        products[i][0] = products[i][1] = _mm256_setzero_si256();
    RIDGE_UNROLL
    for (unsigned unit = 0; unit < step / 4; unit++) {
        __m256i w0 = unit_of(w, unit, 0), w1 = unit_of(w, unit, 1), size0 = _mm256_abs_epi8(w0), size1 = _mm256_abs_epi8(w1);
        RIDGE_UNROLL
        for (unsigned i = 0; i < rows; i++) {
            __m256i x = spread(a + (unit * ROWS + i) * 4);
            products[i][0] = ridge_dot_signed(products[i][0], size0, w0, x);
            products[i][1] = ridge_dot_signed(products[i][1], size1, w1, x);
        }
    }
}

/* a step's products, scaled, to the sums of a row */
RIDGE_AVX2_INLINE void add_products(float *sums, const __m256i products[2], const float *w_scales, const float *a_scale, const bool minimum)
{
    __m256 x = _mm256_broadcast_ss(a_scale);
    RIDGE_UNROLL
    for (unsigned half = 0; half < 2; half++) {
        const float *scales = w_scales + half * LANES;
        __m256 sum = _mm256_load_ps(sums + half * LANES);
        if (minimum)
            sum = _mm256_fnmadd_ps(_mm256_load_ps(scales + COLUMNS), _mm256_broadcast_ss(a_scale + ROWS), sum);
        sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(products[half]), _mm256_mul_ps(_mm256_load_ps(scales), x), sum);
        _mm256_store_ps(sums + half * LANES, sum);
    }
}

RIDGE_AVX2_INLINE void multiply_rows(float *sums, size_t stride, const unsigned char *a, const unsigned char *w, size_t steps,
                                     const unsigned rows, const unsigned step, const bool minimum, const bool full)
{
    const size_t w_bytes = (size_t)COLUMNS * (step + (minimum ? 8 : 4)), a_bytes = (size_t)ROWS * (step + 8);
    for (size_t s = 0; s < steps; s++, a += a_bytes, w += w_bytes) {
        __m256i products[ROWS][2];
        if (full)
            multiply_full_step(products, a, w, rows, step);
        else
            multiply_step(products, a, w, rows, step, minimum);
        const float *w_scales = (const float *)(const void *)(w + step * COLUMNS),
                    *a_scales = (const float *)(const void *)(a + step * ROWS);
        RIDGE_UNROLL
        for (unsigned i = 0; i < rows; i++)
            add_products(sums + i * stride, products[i], w_scales, a_scales + i, minimum);
    }
}

/* clang-format off */
#define MULTIPLY(name, step, minimum, full) \
    RIDGE_AVX2 static void name(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows) \
    { \
        switch (rows) { \
            case 1: multiply_rows(sums, stride, tile, panel, steps, 1, step, minimum, full); break; \
            case 2: multiply_rows(sums, stride, tile, panel, steps, 2, step, minimum, full); break; \
            case 3: multiply_rows(sums, stride, tile, panel, steps, 3, step, minimum, full); break; \
            default: multiply_rows(sums, stride, tile, panel, steps, ROWS, step, minimum, full); \
        } \
    }
/* clang-format on */
MULTIPLY(multiply_16, 16, false, false)
MULTIPLY(multiply_32, 32, false, false)
MULTIPLY(multiply_32_minimum, 32, true, false)
MULTIPLY(multiply_32_full, 32, false, true)
#undef MULTIPLY

/* after its vocabulary and the products */
#include "kernel/gemm/x86/blocks_tmpl.h"

const ridge_kernel_variant ridge_gemm_avx2_blocks = {
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
