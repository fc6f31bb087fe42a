#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ridge_sort_doubles(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
}

double ridge_median_sorted(const double *sorted, size_t count)
{
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* The largest r with P(Binomial(n, 1/2) < r) <= 0.025: exact up to 1000, then by the normal approximation with its half-step
 * correction, which differs from it by less than one rank there. */
static size_t interval_rank(size_t n)
{
    if (n > 1000) {
        double r = floor(((double)n - 1.959963984540054 * sqrt((double)n) + 1) / 2);
        return r > 0 ? (size_t)r : 0;
    }
    double term = ldexp(1, -(int)n), sum = term; /* P(X = 0); 2^-1000 is a normal double */
    size_t r = 0;
    while (sum <= 0.025) {
        r++;
        term *= (double)(n - r + 1) / (double)r;
        sum += term;
    }
    return r;
}

void ridge_median_interval(size_t *low, size_t *high, size_t count)
{
    size_t r = interval_rank(count);
    *low = r > 0 ? r - 1 : 0;
    *high = count - 1 - *low;
}

void ridge_sample_summary(ridge_sample_statistics *out, double *seconds, double *scratch, size_t count)
{
    size_t low, high;
    ridge_sort_doubles(seconds, count);
    ridge_median_interval(&low, &high, count);
    out->median_s = ridge_median_sorted(seconds, count);
    out->low_s = seconds[low];
    out->high_s = seconds[high];
    out->minimum_s = seconds[0];
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(seconds[i] - out->median_s);
    ridge_sort_doubles(scratch, count);
    out->mad_s = ridge_median_sorted(scratch, count);
}

double ridge_sample_half_width(const ridge_sample_statistics *s)
{
    return s->median_s > 0 ? (s->high_s - s->low_s) / 2 / s->median_s : INFINITY;
}

/* ---- the filter ---- */

bool ridge_usage_clean(const ridge_thread_usage *before, const ridge_thread_usage *after)
{
    double wall = after->wall_s - before->wall_s, cpu = after->cpu_s - before->cpu_s;
    if (after->preempted != before->preempted)
        return false;
    return wall < 20e-6 || cpu / wall >= RIDGE_CLEAN_SHARE;
}

void ridge_usage_now(ridge_thread_usage *out)
{
    struct rusage usage;
    struct timespec cpu;
    out->preempted = getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
    out->cpu_s = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0 ? (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9 : 0;
    out->wall_s = ridge_clock_s();
}

static ridge_status grow(ridge_sampler *s, ridge_err *err)
{
    size_t cap = s->cap == 0 ? 64 : 2 * s->cap;
    if (cap > SIZE_MAX / sizeof(double) / 2)
        return ridge_fail(err, RIDGE_LIMIT, "too many samples");
    double **arrays[] = {&s->clean, &s->all, &s->scratch};
    for (size_t i = 0; i < 3; i++) {
        double *grown = realloc(*arrays[i], cap * sizeof(double));
        if (!grown)
            return ridge_no_memory(err);
        *arrays[i] = grown;
    }
    s->cap = cap;
    return RIDGE_OK;
}

ridge_status ridge_sampler_add(ridge_sampler *s, double seconds, bool clean, ridge_err *err)
{
    if (s->tried == s->cap) {
        ridge_status st = grow(s, err);
        if (st)
            return st;
    }
    s->all[s->tried++] = seconds;
    if (clean)
        s->clean[s->kept++] = seconds;
    return RIDGE_OK;
}

void ridge_sampler_free(ridge_sampler *s)
{
    free(s->clean);
    free(s->all);
    free(s->scratch);
    *s = (ridge_sampler){0};
}

bool ridge_sampler_enough(ridge_sampler *s, double confidence, size_t least)
{
    ridge_sample_statistics statistics = {0};
    if (s->kept == 0 || s->kept < least || s->kept < s->next_look)
        return false;
    s->next_look = s->kept + s->kept / 10 + 1;
    ridge_sample_summary(&statistics, s->clean, s->scratch, s->kept);
    return ridge_sample_half_width(&statistics) <= confidence;
}

void ridge_sampler_finish(ridge_sample_statistics *out, ridge_sampler *s)
{
    bool interval = s->kept >= RIDGE_SAMPLES_OF_INTERVAL;
    ridge_sample_summary(out, interval ? s->clean : s->all, s->scratch, interval ? s->kept : s->tried);
    if (!interval) {
        out->low_s = s->all[0];
        out->high_s = s->all[s->tried - 1];
    }
    out->kept = (unsigned)s->kept;
    out->tried = (unsigned)s->tried;
}
