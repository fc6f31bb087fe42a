/* int8_tmpl.h - int8 weights with one scale a tensor, in the vocabulary of avx512.h or avx2.h: activations become int8
 * with one scale a row, sums are exact int32. In: from the file that includes it LANES, COLUMNS, ROWS and multiply. Out: `engine`, takes
 * and open_run for its variant. W is stored plus RIDGE_BIAS_8, which is taken off at the end. */
#ifndef RIDGE_KERNEL_GEMM_X86_INT8_TMPL_H
#define RIDGE_KERNEL_GEMM_X86_INT8_TMPL_H

#include "kernel/gemm/gemm.h"

enum { MOST_K = 1 << 17 }; /* |sum| <= 127 * 128 * k must fit in 31 bits */

RIDGE_TARGET_INLINE float largest_of_row(const ridge_gemm_matrix *a, int64_t row, int64_t k)
{
    ridge_sixteen largest = ridge_no_sixteen();
    for (int64_t i = 0; i < k; i += 16)
        largest = ridge_larger16(largest, ridge_matrix16(a, row, i, k - i));
    return ridge_largest16(largest);
}

/* a row as bytes; its scale and sum noted */
RIDGE_TARGET_INLINE void quantise_row(const ridge_gemm_state *s, int8_t *to, int64_t row)
{
    float largest = largest_of_row(&s->a, row, s->k);
    float inverse = largest > 0x1p-100F ? 127.0F / largest : 0.0F;
    ridge_tally tally = ridge_no_tally();
    for (int64_t k = 0; k < s->k; k += 16) {
        ridge_sixteen_codes q = ridge_codes16(ridge_matrix16(&s->a, row, k, s->k - k), inverse);
        tally = ridge_tally_codes(tally, q);
        ridge_store_codes16(to + k, q, s->k - k);
    }
    s->row_scales[row] = largest / 127.0F;
    s->row_sums[row] = ridge_total(tally);
}

RIDGE_TARGET static void pack_a(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *tile, int64_t row, unsigned rows)
{
    int8_t *bytes = (int8_t *)own->values;
    for (unsigned i = 0; i < rows; i++)
        quantise_row(s, bytes + i * s->k, row + i);
    ridge_unit_rows from = {(const unsigned char *)bytes, (size_t)s->k, 0, rows};
    ridge_pack_units(tile, ROWS, &from, s->k, ROWS, ridge_no_units());
}

RIDGE_TARGET static void pack_w(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, int64_t k,
                                int64_t count)
{
    ridge_pack_unit_panel(panel, &s->w, row, rows, k, count, own->ahead, ridge_unit_bytes(RIDGE_BIAS_8));
}

RIDGE_TARGET static void store(const ridge_gemm_state *s, int64_t row, int64_t column, float *sums, int64_t count)
{
    ridge_store_scaled(&s->c, row, column, sums, count, s->row_sums[row] * RIDGE_BIAS_8, s->row_scales[row] * s->w.tensor_scale);
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
};

static bool takes(const ridge_problem *problem)
{
    return ridge_gemm_takes_any(problem) && ridge_gemm_layout_of(problem->weights) == RIDGE_GEMM_INT8 && problem->k <= MOST_K;
}

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemm_open(run, &engine, err);
}

#endif
