/* statistics.h - median, its 95 % interval by order statistics, MAD; which samples are clean.
 * In: samples in seconds, with what their threads did meanwhile. Out: numbers of a sorted array. Pure: no clock, no allocation. */
#ifndef RIDGE_MEASURE_STATISTICS_H
#define RIDGE_MEASURE_STATISTICS_H

#include "measure/measure.h"

/* Sorts ascending, in place. */
void ridge_sort_doubles(double *values, size_t count);
/* Of sorted values: the middle one, or the mean of the middle two. count > 0. */
double ridge_median_sorted(const double *sorted, size_t count);
/* Ranks of the 95 % interval of the median: sorted[*low] .. sorted[*high], 0-based. The rank r is the largest with
 * P(Binomial(n, 1/2) < r) <= 0.025 (David, Nagaraja, Order Statistics 2003, 7.1). Fewer than 6 values have no such interval: all of
 * them are it, which covers 1 - 2^(1-n) (0.9375 of 5). */
void ridge_median_interval(size_t *low, size_t *high, size_t count);
/* Median, interval, MAD, minimum of `seconds` (sorted here; count > 0); members about counts are left alone. `scratch` holds as many. */
void ridge_sample_summary(ridge_sample_statistics *out, double *seconds, double *scratch, size_t count);
/* (high - low) / 2 / median; what options->confidence is compared with */
double ridge_sample_half_width(const ridge_sample_statistics *statistics);

/* ---- the filter ---- */

/* what a thread has used so far */
typedef struct ridge_thread_usage {
    double wall_s, cpu_s;
    int64_t preempted; /* involuntary context switches */
} ridge_thread_usage;

#define RIDGE_CLEAN_SHARE 0.97 /* least CPU time / wall time */

/* Did the thread have its core for itself between the two? Below 20 us of wall time only preemption tells: the two clocks are read one
 * after the other. */
bool ridge_usage_clean(const ridge_thread_usage *before, const ridge_thread_usage *after);
/* of the calling thread, now: getrusage(RUSAGE_THREAD), CLOCK_THREAD_CPUTIME_ID */
void ridge_usage_now(ridge_thread_usage *out);

/* Takes samples of one work, keeps the clean ones, and says when they are enough. */
#define RIDGE_SAMPLES_OF_INTERVAL 2 /* fewer clean samples: no interval is known */
typedef struct ridge_sampler {
    double *clean, *all, *scratch;
    size_t kept, tried, cap;
    size_t next_look; /* `kept` at which the interval is computed again: sorting after each sample would cost more than the samples */
} ridge_sampler;
ridge_status ridge_sampler_add(ridge_sampler *sampler, double seconds, bool clean, ridge_err *err);
void ridge_sampler_free(ridge_sampler *sampler);
/* Is the 95 % interval as narrow as `confidence` wants, with at least `least` clean samples? Looks only when 10 % came on top. */
bool ridge_sampler_enough(ridge_sampler *sampler, double confidence, size_t least);
/* Statistics of the clean samples. Fewer than RIDGE_SAMPLES_OF_INTERVAL of them tell no interval: then median, MAD and minimum are of all
 * samples, low and high their extremes, and `kept` says so. At least one was added. */
void ridge_sampler_finish(ridge_sample_statistics *out, ridge_sampler *sampler);

#endif
