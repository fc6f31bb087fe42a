/* The definitions, in double precision, one function a kind. */
#include "kernel/elementwise/elementwise.h"
#include "kernel/parts.h"

#include <math.h>

void ridge_reference_softmax(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    for (int64_t row = 0; row < problem->rows; row++, out += problem->cols) {
        const float *x = in[0] + row * problem->cols;
        double largest = x[0], sum = 0;
        for (int64_t i = 1; i < problem->cols; i++)
            largest = fmax(largest, x[i]);
        for (int64_t i = 0; i < problem->cols; i++)
            sum += out[i] = exp(x[i] - largest);
        for (int64_t i = 0; i < problem->cols; i++)
            out[i] /= sum;
    }
}

/* mean of (x - shift)^power */
static double moment(const float *x, int64_t count, double shift, int power)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += power == 1 ? x[i] - shift : (x[i] - shift) * (x[i] - shift);
    return sum / (double)count;
}

void ridge_reference_layernorm(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    for (int64_t row = 0; row < problem->rows; row++, out += problem->cols) {
        const float *x = in[0] + row * problem->cols;
        double mean = moment(x, problem->cols, 0, 1), deviation = sqrt(moment(x, problem->cols, mean, 2) + RIDGE_LAYERNORM_EPSILON);
        for (int64_t i = 0; i < problem->cols; i++)
            out[i] = (x[i] - mean) / deviation * in[1][i] + in[2][i];
    }
}

void ridge_reference_rmsnorm(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    for (int64_t row = 0; row < problem->rows; row++, out += problem->cols) {
        const float *x = in[0] + row * problem->cols;
        double root = sqrt(moment(x, problem->cols, 0, 2) + RIDGE_RMSNORM_EPSILON);
        for (int64_t i = 0; i < problem->cols; i++)
            out[i] = x[i] / root * in[1][i];
    }
}

void ridge_reference_silu(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    for (int64_t i = 0; i < problem->rows * problem->cols; i++)
        out[i] = in[0][i] / (1 + exp(-(double)in[0][i]));
}

void ridge_reference_gelu(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    for (int64_t i = 0; i < problem->rows * problem->cols; i++)
        out[i] = in[0][i] * 0.5 * erfc(-in[0][i] * 0.70710678118654752);
}

void ridge_reference_add(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    for (int64_t i = 0; i < problem->rows * problem->cols; i++)
        out[i] = (double)in[0][i] + in[1][i];
}

void ridge_reference_rope(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    const int64_t half = problem->head_dim / 2;
    for (int64_t at = 0; at < problem->rows * problem->heads; at++)
        for (int64_t i = 0; i < half; i++) {
            double position = (double)(problem->past + at / problem->heads);
            double angle = position / pow(RIDGE_ROPE_THETA, (double)i / (double)half);
            double a = in[0][at * 2 * half + i], b = in[0][at * 2 * half + half + i];
            out[at * 2 * half + i] = a * cos(angle) - b * sin(angle);
            out[at * 2 * half + half + i] = b * cos(angle) + a * sin(angle);
        }
}

/* in[1] holds indices */
void ridge_reference_embedding(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    for (int64_t row = 0; row < problem->rows; row++) {
        int64_t id = (int64_t)in[1][row];
        for (int64_t i = 0; i < problem->cols; i++)
            out[row * problem->cols + i] = id < 0 || id >= problem->n ? 0 : in[0][id * problem->cols + i];
    }
}

/* Peng et al. 2023, equation 16: a sum over the past, recomputed for each token, its exponents less their largest */
void ridge_reference_wkv(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    const int64_t cols = problem->cols;
    for (int64_t c = 0; c < cols; c++) {
        const double decay = exp((double)in[0][c]);
        for (int64_t t = 0; t < problem->seq; t++) {
            double above = 0, below = 0, largest = (double)in[1][c] + in[2][t * cols + c];
            for (int64_t i = 0; i < t; i++)
                largest = fmax(largest, in[2][i * cols + c] - (double)(t - 1 - i) * decay);
            for (int64_t i = 0; i <= t; i++) {
                double exponent = i == t ? (double)in[1][c] + in[2][t * cols + c] : in[2][i * cols + c] - (double)(t - 1 - i) * decay;
                above += exp(exponent - largest) * in[3][i * cols + c];
                below += exp(exponent - largest);
            }
            out[t * cols + c] = above / below;
        }
    }
}
