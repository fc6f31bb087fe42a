/* Block formats in int8 arithmetic (vpdpbusd): activations become signed bytes with a scale per step, W's codes stay unsigned.
 * C = sum over steps of a.scale * (w.scale * (sum of codes * a - bias * sum of a)), less w.minimum * a.scale * (sum of a).
 * 6 x 32 tiles: 12 registers of sums, 12 of the step's products. A tile's step: [step / 4][6][4] bytes, [6] scales, [6] of
 * -bias * sum (int32), or scale * sum (float) where the format has minima. */
#include "kernel/gemm.h"

#if defined(__x86_64__)
#include <string.h>

#include "kernel/gemm_avx512.h"
#include "kernel/gemm_blocks.h"

enum { ROWS = 6, LANES = 16, COLUMNS = 2 * LANES };

/* ---- activations ---- */

/* 16 values as bytes at 4 units of 4 */
RIDGE_AVX512_INLINE void put_bytes(unsigned char *to, __m512i values)
{
    uint32_t units[4];
    _mm_storeu_si128((void *)units, _mm512_cvtsepi32_epi8(values));
    for (size_t i = 0; i < 4; i++)
        memcpy(to + i * (ROWS * 4), &units[i], sizeof units[i]);
}

/* one step of row `i` of a tile: x0 its first 16 values, x1 the second, if it has any */
RIDGE_AVX512_INLINE void put_step(unsigned char *to, const ridge_gemm_engine *e, unsigned i, __m512 x0, __m512 x1)
{
    float largest = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(x0), _mm512_abs_ps(x1)));
    float scale = largest / 127.0F;
    __m512 inverse = _mm512_set1_ps(largest > 0.0F ? 127.0F / largest : 0.0F);
    __m512i q0 = _mm512_cvtps_epi32(_mm512_mul_ps(x0, inverse)), q1 = _mm512_cvtps_epi32(_mm512_mul_ps(x1, inverse));
    put_bytes(to + (size_t)i * 4, q0);
    if (e->step > LANES)
        put_bytes(to + (size_t)i * 4 + ROWS * 16, q1);
    int32_t sum = _mm512_reduce_add_epi32(_mm512_add_epi32(q0, q1));
    int32_t corrected = -e->bias * sum;
    float minimum = scale * (float)sum;
    unsigned char *scales = to + (size_t)e->step * ROWS + i * sizeof scale;
    memcpy(scales, &scale, sizeof scale);
    if (e->minimum)
        memcpy(scales + ROWS * sizeof scale, &minimum, sizeof minimum);
    else
        memcpy(scales + ROWS * sizeof scale, &corrected, sizeof corrected);
}

RIDGE_AVX512 static void pack_a(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *tile, int64_t row, unsigned rows)
{
    const ridge_gemm_engine *e = s->engine;
    (void)own;
    for (unsigned i = 0; i < rows; i++) {
        unsigned char *to = tile;
        for (int64_t k = 0; k < s->k; k += e->step, to += e->a_step_bytes) {
            __m512 x0 = ridge_matrix16(&s->a, row + i, k, LANES);
            __m512 x1 = e->step > LANES ? ridge_matrix16(&s->a, row + i, k + LANES, LANES) : _mm512_setzero_ps();
            put_step(to, e, i, x0, x1);
        }
    }
}

/* ---- products ---- */

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

#define MULTIPLY(name, step, minimum)                                                                                                      \
    RIDGE_AVX512_VNNI static void name(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows)        \
    {                                                                                                                                      \
        switch (rows) {                                                                                                                    \
        case 1:                                                                                                                            \
            multiply_rows(sums, stride, tile, panel, steps, 1, step, minimum);                                                             \
            break;                                                                                                                         \
        case 2:                                                                                                                            \
            multiply_rows(sums, stride, tile, panel, steps, 2, step, minimum);                                                             \
            break;                                                                                                                         \
        case 3:                                                                                                                            \
            multiply_rows(sums, stride, tile, panel, steps, 3, step, minimum);                                                             \
            break;                                                                                                                         \
        case 4:                                                                                                                            \
            multiply_rows(sums, stride, tile, panel, steps, 4, step, minimum);                                                             \
            break;                                                                                                                         \
        case 5:                                                                                                                            \
            multiply_rows(sums, stride, tile, panel, steps, 5, step, minimum);                                                             \
            break;                                                                                                                         \
        default:                                                                                                                           \
            multiply_rows(sums, stride, tile, panel, steps, ROWS, step, minimum);                                                          \
        }                                                                                                                                  \
    }
MULTIPLY(multiply_16, 16, false)
MULTIPLY(multiply_32, 32, false)
MULTIPLY(multiply_32_minimum, 32, true)
#undef MULTIPLY

/* ---- engines: one per format ---- */

RIDGE_AVX512 static void store(const ridge_gemm_matrix *c, int64_t row, int64_t column, const float *sums, int64_t count)
{
    ridge_store_row(c, row, column, sums, count);
}

static const struct {
    const char *format;
    ridge_gemm_engine engine;
} engines[] = {
#define ENGINE(name, values, codes_bias, with_minimum, packer, multiplier)                                                                 \
    {name,                                                                                                                                 \
     {.mr = ROWS,                                                                                                                          \
      .nr = COLUMNS,                                                                                                                       \
      .step = values,                                                                                                                      \
      .a_step_bytes = ROWS * (values + 8),                                                                                                 \
      .w_step_bytes = COLUMNS * (values + (with_minimum ? 8 : 4)),                                                                         \
      .kc = 512,                                                                                                                           \
      .nc = 256,                                                                                                                           \
      .pack_a = pack_a,                                                                                                                    \
      .pack_w = packer,                                                                                                                    \
      .multiply = multiplier,                                                                                                              \
      .store = store,                                                                                                                      \
      .bias = codes_bias,                                                                                                                  \
      .minimum = with_minimum}},
    ENGINE("q8_0", 32, RIDGE_GEMM_BIAS_Q8, false, ridge_gemm_pack_q8_0, multiply_32)
        ENGINE("q4_0", 32, RIDGE_GEMM_BIAS_Q4, false, ridge_gemm_pack_q4_0, multiply_32)
            ENGINE("q4_K", 32, 0, true, ridge_gemm_pack_q4_k, multiply_32_minimum)
                ENGINE("q6_K", 16, RIDGE_GEMM_BIAS_Q6, false, ridge_gemm_pack_q6_k, multiply_16)
                    ENGINE("iq4_nl", 32, RIDGE_GEMM_BIAS_IQ4, false, ridge_gemm_pack_iq4_nl, multiply_32)
                        ENGINE("mxfp4", 32, RIDGE_GEMM_BIAS_FP4, false, ridge_gemm_pack_mxfp4, multiply_32)
                            ENGINE("nvfp4", 16, RIDGE_GEMM_BIAS_FP4, false, ridge_gemm_pack_nvfp4, multiply_16)
                                ENGINE("int4_g128", 32, 0, true, ridge_gemm_pack_int4, multiply_32_minimum)
#undef ENGINE
};

static const ridge_gemm_engine *engine_of(const ridge_format *format)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (strcmp(engines[i].format, format->name) == 0)
            return &engines[i].engine;
    return NULL;
}

static bool takes(const ridge_problem *problem)
{
    return ridge_gemm_takes_any(problem) && engine_of(problem->weights) != NULL;
}

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemm_open(run, engine_of(run->problem.weights), err);
}

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
