/* The definition, in double precision: O = softmax(Q K^T / sqrt(head_dim)) V, row by row (Vaswani et al. 2017, equation 1). */
#include "kernel/parts.h"

#include <float.h>
#include <math.h>

/* where one query's row, its head's keys and what it attends to are */
typedef struct query {
    const float *q, *k, *v; /* k and v: [past + seq, head_dim] */
    int64_t keys, head_dim;
} query;

static double score(const query *x, int64_t key)
{
    double sum = 0;
    for (int64_t i = 0; i < x->head_dim; i++)
        sum += (double)x->q[i] * x->k[key * x->head_dim + i];
    return sum / sqrt((double)x->head_dim);
}

static void attend(double *out, const query *x)
{
    double largest = -DBL_MAX, sum = 0;
    for (int64_t key = 0; key < x->keys; key++)
        largest = fmax(largest, score(x, key));
    for (int64_t i = 0; i < x->head_dim; i++)
        out[i] = 0;
    for (int64_t key = 0; key < x->keys; key++) {
        double weight = exp(score(x, key) - largest);
        sum += weight;
        for (int64_t i = 0; i < x->head_dim; i++)
            out[i] += weight * x->v[key * x->head_dim + i];
    }
    for (int64_t i = 0; i < x->head_dim; i++)
        out[i] /= sum;
}

void ridge_reference_attention(double *out, const ridge_problem *problem, const float *const in[RIDGE_PROBLEM_OPERANDS])
{
    const int64_t total = problem->past + problem->seq, d = problem->head_dim, group = problem->heads / problem->kv_heads;
    for (int64_t b = 0; b < problem->batch; b++)
        for (int64_t s = 0; s < problem->seq; s++)
            for (int64_t h = 0; h < problem->heads; h++) {
                int64_t row = ((b * problem->seq + s) * problem->heads + h) * d, head = (b * problem->kv_heads + h / group) * total * d;
                query x = {in[0] + row, in[1] + head, in[2] + head, problem->causal ? problem->past + s + 1 : total, d};
                attend(out + row, &x);
            }
}
