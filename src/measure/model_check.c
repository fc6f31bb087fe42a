/* The operands of a chain and the gate in front of its clock (model_parts.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/kernel_run.h"
#include "measure/model_parts.h"

bool ridge_chain_streams(const ridge_operand *o)
{
    return strcmp(o->name, "W") == 0 || strcmp(o->name, "K") == 0 || strcmp(o->name, "V") == 0 || strcmp(o->name, "table") == 0;
}

size_t ridge_chain_row_bytes(const ridge_format *f, int64_t cols)
{
    ridge_int bytes = 0;
    (void)ridge_format_bytes(&bytes, f, 1, cols);
    return (size_t)bytes - (cols > 0 ? f->tensor_bytes : 0);
}

float ridge_chain_tensor_scale(const ridge_format *f)
{
    return f->tensor_bytes != 0 ? 1.0f / 448.0f : 1.0f;
}

/* ---- operands ---- */

static void fill_indices(int32_t *out, int64_t count, int64_t below)
{
    for (int64_t i = 0; i < count; i++) /* Knuth's multiplicative hash: spread, no two neighbours close */
        out[i] = (int32_t)((uint64_t)i * 2654435761u % (uint64_t)below);
}

ridge_status ridge_chain_fill(void *data, const ridge_operand *o, const ridge_problem *problem, uint64_t seed, ridge_err *err)
{
    size_t stride = ridge_chain_row_bytes(o->format, o->cols);
    int64_t drawn = ridge_chain_streams(o) ? RIDGE_CHAIN_WEIGHT_ROWS : RIDGE_CHAIN_ROWS;
    if (o->format->integer) {
        fill_indices(data, o->rows * o->cols, problem->n > 0 ? problem->n : 1);
        return RIDGE_OK;
    }
    float *row = malloc((size_t)o->cols * sizeof *row);
    ridge_status st = row ? RIDGE_OK : ridge_no_memory(err);
    for (int64_t r = 0; r < o->rows && r < drawn && !st && ridge_measure_interrupted == 0; r++) {
        ridge_fill_normal(row, (size_t)o->cols, seed * 1024 + (uint64_t)r);
        if (!ridge_quantise_row((char *)data + (size_t)r * stride, o->format, row, o->cols, ridge_chain_tensor_scale(o->format)))
            st = ridge_fail(err, RIDGE_UNKNOWN, "'%s' cannot be %s: no kernel here reads that format", o->name, o->format->name);
    }
    for (int64_t r = drawn; r < o->rows && !st && ridge_measure_interrupted == 0; r++)
        memcpy((char *)data + (size_t)r * stride, (const char *)data + (size_t)(r % drawn) * stride, stride);
    free(row);
    return st;
}

/* ---- products ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* the whole output against [m, n] values of the reference, which repeat */
static double difference(const ridge_kernel_run *run, const ridge_operand *c, const double *want, int64_t m, int64_t n, float *row)
{
    const size_t stride = ridge_chain_row_bytes(c->format, c->cols);
    double worst = 0, squares = 0;
    for (int64_t i = 0; i < m * n; i++)
        squares += want[i] * want[i];
    for (int64_t i = 0; i < c->rows; i++) {
        if (!ridge_dequantise_row(row, c->format, (const char *)run->operands[2] + (size_t)i * stride, c->cols, 1))
            return INFINITY;
        for (int64_t k = 0; k < c->cols; k++) {
            double off = fabs((double)row[k] - want[i % m * n + k % n]);
            worst = isfinite(off) ? fmax(worst, off) : INFINITY;
        }
    }
    double scale = sqrt(squares / (double)(m * n));
    return scale > 0 ? worst / scale : worst;
}

ridge_status ridge_chain_check_product(double *error, const ridge_kernel_run *run, ridge_err *err)
{
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    size_t count;
    ridge_problem part = run->problem;
    bool gemm = part.kind == RIDGE_KERNEL_KIND_GEMM;
    ridge_status st = ridge_problem_operands(operands, &count, &part, err);
    if (st)
        return st;
    int64_t m = gemm ? least(part.m, RIDGE_CHAIN_ROWS) : 1;
    part.n = least(part.n, RIDGE_CHAIN_WEIGHT_ROWS);
    part.m = gemm ? m : part.m;
    double *want = calloc((size_t)(m * part.n), sizeof *want);
    float *row = calloc((size_t)operands[2].cols, sizeof *row);
    if (!want || !row)
        st = ridge_no_memory(err);
    else if (!(st = ridge_kernel_reference(want, &part, run->operands, run->tensor_scales, err)))
        *error = difference(run, &operands[2], want, m, part.n, row);
    free(row);
    free(want);
    return st;
}

/* ---- the other kinds ---- */

enum { CHECK_ROWS = 128, CHECK_SEQ = 192, CHECK_PAST = 1024, CHECK_TABLE = 4096 };

ridge_status ridge_chain_check_other(double *error, const ridge_problem *problem, const ridge_kernel_variant *variant, ridge_team *team,
                                     unsigned threads, ridge_err *err)
{
    ridge_problem part = *problem;
    ridge_kernel_bench *bench = NULL;
    ridge_kernel_result result = {0};
    part.rows = least(part.rows, CHECK_ROWS);
    part.seq = least(part.seq, CHECK_SEQ);
    part.past = least(part.past, CHECK_PAST);
    part.n = least(part.n, CHECK_TABLE);
    ridge_status st = ridge_kernel_bench_make(&bench, &part, err);
    if (!st && bench)
        st = ridge_kernel_bench_check(&result, bench, variant, team, threads, err);
    ridge_kernel_bench_free(bench);
    *error = result.max_relative_error;
    return st;
}
