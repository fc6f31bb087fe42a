#include "measure/rounds.h"

#include <math.h>
#include <string.h>

#include "measure/statistics.h"

/* two-sided 95 % points of Student's t by degrees of freedom, 1 .. (NIST/SEMATECH e-Handbook, 1.3.6.7.2); those beyond count as the last */
static const double student[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                                 2.120,  2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
enum { FREEDOMS = sizeof student / sizeof *student };

double ridge_rounds_factor(const double *values, size_t count)
{
    double mean = 0, squares = 0;
    if (count < RIDGE_ROUNDS_LEAST)
        return 1;
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0))
            return 1;
        mean += log(values[i]) / (double)count;
    }
    for (size_t i = 0; i < count; i++)
        squares += (log(values[i]) - mean) * (log(values[i]) - mean);
    size_t freedom = count - 1;
    double t = student[(freedom < FREEDOMS ? freedom : FREEDOMS) - 1];
    return exp(t * sqrt(squares / (double)freedom * (1 + 1 / (double)count)));
}

double ridge_rounds_median(const double *values, size_t count)
{
    double sorted[RIDGE_ROUNDS_MOST];
    memcpy(sorted, values, count * sizeof *sorted);
    ridge_sort_doubles(sorted, count);
    return ridge_median_sorted(sorted, count);
}

size_t ridge_rounds_clean(bool clean[], const ridge_sample_statistics *rounds, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += clean[i] = rounds[i].kept > 0;
    for (size_t i = 0; i < count && n == 0; i++)
        clean[i] = true;
    return n > 0 ? n : count;
}

/* Around the median of n rounds: what a later run of rounds would give, or the rounds' own scatter where that is wider. `lows` and `highs`
 * are the ends of the rounds' intervals, as shares of their medians. */
static void set_interval(double *low, double *high, const double *medians, const double *lows, const double *highs, size_t n)
{
    const double factor = ridge_rounds_factor(medians, n), median = ridge_rounds_median(medians, n);
    *low = median * fmin(1 / factor, ridge_rounds_median(lows, n));
    *high = median * fmax(factor, ridge_rounds_median(highs, n));
}

ridge_sample_statistics ridge_rounds_combine(const ridge_sample_statistics *rounds, size_t count)
{
    ridge_sample_statistics out = {.calls_per_sample = rounds[0].calls_per_sample, .low_s = INFINITY, .minimum_s = INFINITY};
    double medians[RIDGE_ROUNDS_MOST], mads[RIDGE_ROUNDS_MOST], lows[RIDGE_ROUNDS_MOST], highs[RIDGE_ROUNDS_MOST];
    bool clean[RIDGE_ROUNDS_MOST];
    size_t n = 0;
    (void)ridge_rounds_clean(clean, rounds, count);
    for (size_t i = 0; i < count; i++) {
        const ridge_sample_statistics *r = &rounds[i];
        out.tried += r->tried;
        out.stopped = out.stopped || r->stopped;
        if (!clean[i])
            continue;
        medians[n] = r->median_s;
        mads[n] = r->mad_s;
        lows[n] = r->low_s / r->median_s;
        highs[n++] = r->high_s / r->median_s;
        out.minimum_s = fmin(out.minimum_s, r->minimum_s);
        out.low_s = fmin(out.low_s, r->low_s);
        out.high_s = fmax(out.high_s, r->high_s);
        out.kept += r->kept;
    }
    out.median_s = ridge_rounds_median(medians, n);
    out.mad_s = ridge_rounds_median(mads, n);
    if (n < RIDGE_ROUNDS_LEAST)
        return out;
    set_interval(&out.low_s, &out.high_s, medians, lows, highs, n);
    return out;
}

ridge_rounds_ratio ridge_rounds_ratio_of(const ridge_sample_statistics *over, const ridge_sample_statistics *under, size_t count)
{
    double ratios[RIDGE_ROUNDS_MOST], lows[RIDGE_ROUNDS_MOST], highs[RIDGE_ROUNDS_MOST];
    size_t clean = 0;
    for (size_t i = 0; i < count; i++)
        clean += over[i].kept > 0 && under[i].kept > 0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const ridge_sample_statistics *a = &over[i], *b = &under[i];
        if (clean > 0 && (a->kept == 0 || b->kept == 0))
            continue;
        ratios[n] = a->median_s / b->median_s;
        lows[n] = a->low_s / b->high_s / ratios[n];
        highs[n] = a->high_s / b->low_s / ratios[n];
        n++;
    }
    if (n == 0)
        return (ridge_rounds_ratio){0, 0, INFINITY};
    ridge_rounds_ratio out = {ridge_rounds_median(ratios, n), 0, INFINITY};
    if (clean < RIDGE_ROUNDS_LEAST)
        return out;
    set_interval(&out.low, &out.high, ratios, lows, highs, n);
    return out;
}

ridge_rounds_ratio ridge_rounds_ratio_times(ridge_rounds_ratio ratio, double factor)
{
    return (ridge_rounds_ratio){ratio.value * factor, ratio.low * factor, ratio.high * factor};
}
