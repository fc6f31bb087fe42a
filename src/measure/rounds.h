/* rounds.h - measurements of one work, taken some time apart, as one: what a further one would find.
 * In: the statistics of each round. Out: one of the same kind, whose interval is for the median of one more round: Student's t prediction
 * interval of the rounds' medians (Hahn, Meeker, Statistical Intervals 1991, 4.7), taken of their logarithms, so that it has no negative
 * times. A round's own interval knows the scatter of its moment only; a machine drifts by more. Pure: no clock, no allocation. */
#ifndef RIDGE_MEASURE_ROUNDS_H
#define RIDGE_MEASURE_ROUNDS_H

#include <stdbool.h>

#include "measure/measure.h"

enum { RIDGE_ROUNDS_MOST = 64, RIDGE_ROUNDS_LEAST = 3 };

/* The factor by which one more value like these may differ from their middle, either way, with 95 % confidence: at least 1.
 * Fewer than RIDGE_ROUNDS_LEAST values, or one that is not positive: 1. */
double ridge_rounds_factor(const double *values, size_t count);
/* the middle one; at most RIDGE_ROUNDS_MOST count */
double ridge_rounds_median(const double *values, size_t count);
/* clean[i]: round i counts: one without an undisturbed sample does so only where none has any. Returns how many do. */
size_t ridge_rounds_clean(bool clean[], const ridge_sample_statistics *rounds, size_t count);
/* Median of medians of the rounds that count, kept and tried added (calls_per_sample: the first round's), least of the minima. The interval
 * is never narrower than the median round's own; of fewer than RIDGE_ROUNDS_LEAST rounds it holds all of theirs. 1 <= count <=
 * RIDGE_ROUNDS_MOST. */
ridge_sample_statistics ridge_rounds_combine(const ridge_sample_statistics *rounds, size_t count);

/* How many times as long one work takes as another that was measured in the same rounds: the middle, and between what one more round would
 * find it. What drifts between rounds moves both, so this is narrower than the quotient of two combined intervals. */
typedef struct ridge_rounds_ratio {
    double value, low, high; /* 0 and INFINITY: fewer than RIDGE_ROUNDS_LEAST rounds in which neither was disturbed */
} ridge_rounds_ratio;
/* over / under, each [count]; never narrower than the median round's own intervals allow. 1 <= count <= RIDGE_ROUNDS_MOST */
ridge_rounds_ratio ridge_rounds_ratio_of(const ridge_sample_statistics *over, const ridge_sample_statistics *under, size_t count);
/* the same works, one of them counted `factor` times (rows of a batch, bytes of a set) */
ridge_rounds_ratio ridge_rounds_ratio_times(ridge_rounds_ratio ratio, double factor);

#endif
