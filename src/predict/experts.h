/* experts.h - a product of a mixture as single products, each with the weights of one expert.
 * In: a kernel that stands for all experts (cost/kernels.h). Out: how many products with how many rows: as many as `ridge predict` expects
 * distinct experts under uniform routing, and in all as many rows as are routed. Fails by returning 0. */
#ifndef RIDGE_PREDICT_EXPERTS_H
#define RIDGE_PREDICT_EXPERTS_H

#include "model/analysis.h"

typedef struct ridge_experts_share {
    int64_t rows;    /* of one product */
    ridge_int calls; /* products with so many rows */
} ridge_experts_share;

/* `calls` calls of the kernel, each for `rows` rows: one or two shares, whose rows differ by one; the sum over the calls is rounded to
 * whole experts, no single call is. 0: not a mixture, symbolic, or too large. */
size_t ridge_experts_split(ridge_experts_share out[2], const ridge_analysis *analysis, const ridge_kernel *kernel, ridge_int rows,
                           ridge_int calls);

#endif
