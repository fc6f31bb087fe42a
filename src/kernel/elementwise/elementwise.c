/* elementwise.c - elementwise.h: the table of variants, what they take, RoPE's angles. */
#include "kernel/elementwise/elementwise.h"

#include <math.h>
#include <stdlib.h>

static bool positive(int64_t a, int64_t b, int64_t c)
{
    return a > 0 && b > 0 && c > 0;
}

bool ridge_elementwise_takes(const ridge_problem *problem)
{
    if (ridge_element_of(problem->activations) == RIDGE_ELEMENT_NONE)
        return false;
    switch (problem->kind) {
    case RIDGE_KERNEL_KIND_SOFTMAX:
    case RIDGE_KERNEL_KIND_LAYERNORM:
    case RIDGE_KERNEL_KIND_RMSNORM:
    case RIDGE_KERNEL_KIND_SILU:
    case RIDGE_KERNEL_KIND_GELU:
    case RIDGE_KERNEL_KIND_ADD:
        return positive(problem->rows, problem->cols, 1);
    case RIDGE_KERNEL_KIND_ROPE:
        return positive(problem->rows, problem->heads, problem->head_dim) && problem->head_dim % 2 == 0 && problem->past >= 0;
    case RIDGE_KERNEL_KIND_EMBEDDING:
        return positive(problem->rows, problem->cols, problem->n) && ridge_element_of(problem->weights) != RIDGE_ELEMENT_NONE;
    case RIDGE_KERNEL_KIND_WKV:
        return positive(problem->seq, problem->cols, 1);
    default:
        return false;
    }
}

ridge_status ridge_elementwise_open(ridge_kernel_run *run, ridge_err *err)
{
    (void)err;
    run->state = NULL;
    run->phases = 1;
    run->packed_bytes = 0;
    return RIDGE_OK;
}

ridge_status ridge_rope_open(ridge_kernel_run *run, ridge_err *err)
{
    const int64_t rows = run->problem.rows, half = run->problem.head_dim / 2;
    int64_t floats, bytes;
    if (__builtin_mul_overflow(rows, 2 * half, &floats) || __builtin_mul_overflow(floats, (int64_t)sizeof(float), &bytes))
        return ridge_fail(err, RIDGE_OVERFLOW, "rope: the angles of this problem do not fit in memory");
    float *table = malloc((size_t)bytes);
    if (!table)
        return ridge_fail(err, RIDGE_NOMEM, "rope: no %lld bytes for the angles", (long long)bytes);
    for (int64_t i = 0; i < half; i++) {
        double frequency = pow(RIDGE_ROPE_THETA, -2.0 * (double)i / (double)run->problem.head_dim);
        for (int64_t row = 0; row < rows; row++) {
            double angle = (double)(run->problem.past + row) * frequency;
            table[row * 2 * half + i] = (float)cos(angle);
            table[row * 2 * half + half + i] = (float)sin(angle);
        }
    }
    ridge_status st = ridge_elementwise_open(run, err);
    run->state = table;
    return st;
}

void ridge_elementwise_close(ridge_kernel_run *run)
{
    free(run->state);
    run->state = NULL;
}

#define EACH_KIND(list) &list[0], &list[1], &list[2], &list[3], &list[4], &list[5], &list[6], &list[7], &list[8]

const ridge_kernel_variant *const ridge_elementwise_variants[] = {
#if defined(__x86_64__)
    EACH_KIND(ridge_elementwise_avx512),
    EACH_KIND(ridge_elementwise_avx2),
#elif defined(__aarch64__)
    EACH_KIND(ridge_elementwise_neon),
#endif
    EACH_KIND(ridge_elementwise_generic),
    NULL,
};
