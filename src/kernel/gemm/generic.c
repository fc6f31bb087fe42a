/* fp32 arithmetic in plain C: 4 x 8 tiles, which a compiler keeps in the registers of any machine. */
#include <string.h>

#include "kernel/gemm/gemm.h"

enum { ROWS = 4, COLUMNS = 8 };

/* one row into a tile or panel whose steps are `stride` values apart */
static void spread(float *to, size_t stride, const float *values, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        to[(size_t)k * stride] = values[k];
}

static void pack_a(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *tile, int64_t row, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++)
        spread((float *)tile + i, ROWS, ridge_gemm_values(own->values, &s->a, row + i, 0, s->k), s->k);
}

static void pack_w(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, int64_t k,
                   int64_t count)
{
    if (rows < COLUMNS)
        memset(panel, 0, (size_t)count * COLUMNS * sizeof(float));
    for (unsigned i = 0; i < rows; i++)
        spread((float *)panel + i, COLUMNS, ridge_gemm_values(own->values, &s->w, row + i, k, count), count);
}

/* all ROWS are computed, `rows` are kept: the tile is 0 beyond them */
static void multiply(void *sums, size_t stride, const void *tile, const void *panel, size_t steps, unsigned rows)
{
    const float *a = tile, *w = panel;
    float c[ROWS][COLUMNS] = {{0}};
    for (size_t k = 0; k < steps; k++, a += ROWS, w += COLUMNS)
        for (unsigned i = 0; i < ROWS; i++)
            for (unsigned j = 0; j < COLUMNS; j++)
                c[i][j] += a[i] * w[j];
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < COLUMNS; j++)
            ((float *)sums)[i * stride + j] += c[i][j];
}

static const ridge_gemm_engine engine = {
    .mr = ROWS,
    .nr = COLUMNS,
    .step = 1,
    .a_step_bytes = ROWS * sizeof(float),
    .w_step_bytes = COLUMNS * sizeof(float),
    .kc = 256,
    .nc = 64,
    .pack_a = pack_a,
    .pack_w = pack_w,
    .multiply = multiply,
};

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemm_open(run, &engine, err);
}

const ridge_kernel_variant ridge_gemm_generic = {
    .kind = RIDGE_KERNEL_KIND_GEMM,
    .name = "generic",
    .provider = "ridge",
    .takes = ridge_gemm_takes_any,
    .open = open_run,
    .phase = ridge_gemm_phase,
    .close = ridge_gemm_close,
};
