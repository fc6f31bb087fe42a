#include <stdlib.h>

#include "kernel/kernel.h"
#include "kernel/parts.h"

/* ---- the references of this file: matrix products ---- */

/* y[n] = sum over k of W[n,k] x[k] */
void ridge_reference_gemv(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    ridge_problem row = *problem;
    row.m = 1;
    ridge_reference_gemm(out, &row, in);
}

/* C[m,n] = sum over k of A[m,k] W[n,k]; in: W, A */
void ridge_reference_gemm(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    for (int64_t i = 0; i < problem->m; i++)
        for (int64_t j = 0; j < problem->n; j++) {
            const float *w = in[0] + j * problem->k, *a = in[1] + i * problem->k;
            double sum = 0;
            for (int64_t l = 0; l < problem->k; l++)
                sum += (double)w[l] * (double)a[l];
            out[i * problem->n + j] = sum;
        }
}

/* ---- by kind; one line each ---- */
static ridge_reference *const references[RIDGE_KERNEL_KIND_COUNT] = {
    [RIDGE_KERNEL_KIND_GEMV] = ridge_reference_gemv,           [RIDGE_KERNEL_KIND_GEMM] = ridge_reference_gemm,
    [RIDGE_KERNEL_KIND_ATTENTION] = ridge_reference_attention, [RIDGE_KERNEL_KIND_SOFTMAX] = ridge_reference_softmax,
    [RIDGE_KERNEL_KIND_LAYERNORM] = ridge_reference_layernorm, [RIDGE_KERNEL_KIND_RMSNORM] = ridge_reference_rmsnorm,
    [RIDGE_KERNEL_KIND_SILU] = ridge_reference_silu,           [RIDGE_KERNEL_KIND_GELU] = ridge_reference_gelu,
    [RIDGE_KERNEL_KIND_ROPE] = ridge_reference_rope,           [RIDGE_KERNEL_KIND_ADD] = ridge_reference_add,
    [RIDGE_KERNEL_KIND_EMBEDDING] = ridge_reference_embedding, [RIDGE_KERNEL_KIND_WKV] = ridge_reference_wkv,
};

/* a whole operand as floats: exact, but for int32 indices beyond 2^24 */
static ridge_status read_operand(float **out, const ridge_operand *o, const void *data, float tensor_scale, ridge_err *err)
{
    size_t row_bytes = 0, cols = (size_t)o->cols, count;
    if (!ridge_row_bytes(&row_bytes, o->format, o->cols) || __builtin_mul_overflow((size_t)o->rows, cols, &count) ||
        count > SIZE_MAX / sizeof(float) || !(*out = malloc(count * sizeof(float))))
        return ridge_fail(err, RIDGE_NOMEM, "no memory for the values of '%s'", o->name);
    bool known = true;
    for (int64_t row = 0; row < o->rows && known; row++) {
        const char *from = (const char *)data + (size_t)row * row_bytes;
        float *to = *out + (size_t)row * cols;
        if (!ridge_format_is(o->format, "i32"))
            known = ridge_dequantise_row(to, o->format, from, o->cols, tensor_scale);
        for (size_t i = 0; i < cols && ridge_format_is(o->format, "i32"); i++)
            to[i] = (float)((const int32_t *)(const void *)from)[i];
    }
    return known ? RIDGE_OK : ridge_fail(err, RIDGE_UNKNOWN, "'%s' is in %s, which nothing here reads", o->name, o->format->name);
}

ridge_status ridge_kernel_reference(double *out, const ridge_problem *problem, void *const operands[RIDGE_PROBLEM_OPERANDS],
                                    const float tensor_scales[RIDGE_PROBLEM_OPERANDS], ridge_err *err)
{
    ridge_operand list[RIDGE_PROBLEM_OPERANDS];
    float *values[RIDGE_PROBLEM_OPERANDS] = {NULL};
    size_t count;
    ridge_status st = ridge_problem_operands(list, &count, problem, err);
    if (!st && !references[problem->kind])
        st = ridge_fail(err, RIDGE_UNKNOWN, "%s has no reference yet", ridge_kernel_kind_names[problem->kind]);
    for (size_t i = 0; i + 1 < count && !st; i++)
        st = read_operand(&values[i], &list[i], operands[i], tensor_scales[i], err);
    if (!st)
        references[problem->kind](out, problem, (const float *const *)values);
    for (size_t i = 0; i < RIDGE_PROBLEM_OPERANDS; i++)
        free(values[i]);
    return st;
}
