/* bf16 by vdpbf16ps: pairs of products added to fp32 sums, both operands bf16. 14 x 32 tiles. Twice the rate of widening to fp32
 * where a core starts one 512-bit vdpbf16ps a cycle (measured on Zen 4: 64 FLOP a cycle against 32): docs/kernels.md. */
#include "kernel/gemm/gemm.h"

#if defined(__x86_64__)
#include "kernel/gemm/x86/avx512.h"

enum { ROWS = 14, LANES = 16, COLUMNS = 2 * LANES };

#define BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,avx2,fma,f16c")))

RIDGE_AVX512 static void pack_a(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *tile, int64_t row, unsigned rows)
{
    (void)own;
    ridge_unit_rows from = {s->a.data + (size_t)row * s->a.row_bytes, s->a.row_bytes, 0, rows};
    ridge_pack_units(tile, ROWS, &from, s->k * 2, ROWS, ridge_no_units());
}

RIDGE_AVX512 static void pack_w(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, int64_t k,
                                int64_t count)
{
    ridge_pack_unit_panel(panel, &s->w, row, rows, k * 2, count * 2, own->ahead, ridge_no_units());
}

BF16 __attribute__((always_inline)) static inline void multiply_rows(float *sums, size_t stride, const uint32_t *a, const uint32_t *w,
                                                                     size_t steps, const unsigned rows)
{
    __m512 c[ROWS][2];
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        c[i][0] = c[i][1] = _mm512_setzero_ps();
        _mm_prefetch((const char *)(sums + i * stride), _MM_HINT_T0);
        _mm_prefetch((const char *)(sums + i * stride + LANES), _MM_HINT_T0);
    }
    for (size_t k = 0; k < steps; k++, a += ROWS, w += COLUMNS) {
        __m512bh w0 = (__m512bh)_mm512_load_si512(w), w1 = (__m512bh)_mm512_load_si512(w + LANES);
        RIDGE_UNROLL
        for (unsigned i = 0; i < rows; i++) {
            __m512bh x = (__m512bh)_mm512_set1_epi32((int)a[i]);
            c[i][0] = _mm512_dpbf16_ps(c[i][0], x, w0);
            c[i][1] = _mm512_dpbf16_ps(c[i][1], x, w1);
        }
    }
    RIDGE_UNROLL
    for (unsigned i = 0; i < rows; i++) {
        float *to = sums + i * stride;
        _mm512_store_ps(to, _mm512_add_ps(_mm512_load_ps(to), c[i][0]));
        _mm512_store_ps(to + LANES, _mm512_add_ps(_mm512_load_ps(to + LANES), c[i][1]));
    }
}

BF16 static void multiply(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows)
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
    .step = 2,
    .a_step_bytes = ROWS * 2 * sizeof(uint16_t),
    .w_step_bytes = COLUMNS * 2 * sizeof(uint16_t),
    .kc = 512,
    .nc = 128,
    .pack_a = pack_a,
    .pack_w = pack_w,
    .store = store,
    .multiply = multiply,
};

static bool takes(const ridge_problem *problem)
{
    return ridge_gemm_takes_any(problem) && ridge_gemm_layout_of(problem->weights) == RIDGE_GEMM_BF16 &&
           ridge_gemm_layout_of(problem->activations) == RIDGE_GEMM_BF16;
}

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemm_open(run, &engine, err);
}

const ridge_kernel_variant ridge_gemm_avx512_bf16 = {
    .kind = RIDGE_KERNEL_KIND_GEMM,
    .name = "avx512-bf16",
    .provider = "ridge",
    .isa = RIDGE_ISA_AVX512 | RIDGE_ISA_AVX2 | RIDGE_ISA_AVX512_BF16,
    .takes = takes,
    .open = open_run,
    .phase = ridge_gemm_phase,
    .close = ridge_gemm_close,
};
#endif
