/* blocks_tmpl.h - block formats in int8 arithmetic, in the vocabulary of avx512.h or avx2.h: activations to tiles, engines.
 * C = sum over steps of a.scale * (w.scale * (sum of codes * a - bias * sum of a)), less w.minimum * a.scale * (sum of a).
 * A tile's step: [step / 4][ROWS][4] bytes, [ROWS] scales, [ROWS] of what the sums begin with (ridge_start_of), or scale * sum (float)
 * where the format has minima. In: from the file that includes it ROWS, COLUMNS, the products that kernel/gemm/blocks.h lists. Out: takes
 * and open_run for its variant. */
#ifndef RIDGE_KERNEL_GEMM_X86_BLOCKS_TMPL_H
#define RIDGE_KERNEL_GEMM_X86_BLOCKS_TMPL_H

#include "kernel/gemm/gemm.h"
#include "kernel/gemm/blocks.h"

/* ---- activations ---- */

/* one step of row `i` of a tile: x0 its first 16 values, x1 the second, if it has any */
RIDGE_TARGET_INLINE void put_step(unsigned char *to, const ridge_gemm_engine *e, unsigned i, ridge_sixteen x0, ridge_sixteen x1)
{
    float largest = ridge_largest16(ridge_larger16(ridge_sizes16(x0), x1));
    float scale = largest / 127.0F, inverse = largest > 0x1p-100F ? 127.0F / largest : 0.0F;
    ridge_sixteen_codes q0 = ridge_codes16(x0, inverse), q1 = ridge_codes16(x1, inverse);
    ridge_put_codes16(to + (size_t)i * 4, ROWS * 4, q0);
    if (e->step > 16)
        ridge_put_codes16(to + (size_t)i * 4 + ROWS * 16, ROWS * 4, q1);
    ridge_tally tally = ridge_tally_codes(ridge_tally_codes(ridge_no_tally(), q0), q1);
    int32_t start = ridge_start_of(e->bias, tally);
    float minimum = scale * (float)ridge_total(tally);
    unsigned char *scales = to + (size_t)e->step * ROWS + i * sizeof scale;
    memcpy(scales, &scale, sizeof scale);
    if (e->minimum)
        memcpy(scales + ROWS * sizeof scale, &minimum, sizeof minimum);
    else
        memcpy(scales + ROWS * sizeof scale, &start, sizeof start);
}

RIDGE_TARGET static void pack_a(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *tile, int64_t row, unsigned rows)
{
    const ridge_gemm_engine *e = s->engine;
    (void)own;
    for (unsigned i = 0; i < rows; i++) {
        unsigned char *to = tile;
        for (int64_t k = 0; k < s->k; k += e->step, to += e->a_step_bytes) {
            ridge_sixteen x0 = ridge_matrix16(&s->a, row + i, k, 16);
            ridge_sixteen x1 = e->step > 16 ? ridge_matrix16(&s->a, row + i, k + 16, 16) : ridge_no_sixteen();
            put_step(to, e, i, x0, x1);
        }
    }
}

/* ---- engines: one per format ---- */

RIDGE_TARGET static void store(const ridge_gemm_state *s, int64_t row, int64_t column, float *sums, int64_t count)
{
    ridge_store_row(&s->c, row, column, sums, count);
}

static const struct {
    const char *format;
    ridge_gemm_engine engine;
} engines[] = {
#define X(code, name, block_format, values, codes_bias, with_minimum, products)                                                            \
    {block_format,                                                                                                                         \
     {.mr = ROWS,                                                                                                                          \
      .nr = COLUMNS,                                                                                                                       \
      .step = values,                                                                                                                      \
      .a_step_bytes = ROWS * (values + 8),                                                                                                 \
      .w_step_bytes = COLUMNS * (values + (with_minimum ? 8 : 4)),                                                                         \
      .kc = 512,                                                                                                                           \
      .nc = 256,                                                                                                                           \
      .pack_a = pack_a,                                                                                                                    \
      .pack_w = RIDGE_PACKER(name),                                                                                                        \
      .multiply = products,                                                                                                                \
      .store = store,                                                                                                                      \
      .bias = codes_bias,                                                                                                                  \
      .minimum = with_minimum}},
    RIDGE_GEMM_BLOCK_LIST(X)
#undef X
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
    return ridge_gemm_takes_any(problem) && engine_of(problem->weights);
}

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemm_open(run, engine_of(run->problem.weights), err);
}

#endif
