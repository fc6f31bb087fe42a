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
    ridge_sort(sorted, count);
    return ridge_median_sorted(sorted, count);
}

ridge_sample_statistics ridge_rounds_combine(const ridge_sample_statistics *rounds, size_t count)
{
    ridge_sample_statistics out = rounds[0];
    double medians[RIDGE_ROUNDS_MOST], mads[RIDGE_ROUNDS_MOST], lows[RIDGE_ROUNDS_MOST], highs[RIDGE_ROUNDS_MOST];
    for (size_t i = 0; i < count; i++) {
        const ridge_sample_statistics *r = &rounds[i];
        medians[i] = r->median_s;
        mads[i] = r->mad_s;
        lows[i] = r->low_s / r->median_s;
        highs[i] = r->high_s / r->median_s;
        out.minimum_s = fmin(out.minimum_s, r->minimum_s);
        out.low_s = fmin(out.low_s, r->low_s);
        out.high_s = fmax(out.high_s, r->high_s);
        out.kept += i > 0 ? r->kept : 0;
        out.tried += i > 0 ? r->tried : 0;
        out.stopped = out.stopped || r->stopped;
    }
    out.median_s = ridge_rounds_median(medians, count);
    out.mad_s = ridge_rounds_median(mads, count);
    if (count < RIDGE_ROUNDS_LEAST)
        return out;
    double factor = ridge_rounds_factor(medians, count);
    out.low_s = out.median_s * fmin(1 / factor, ridge_rounds_median(lows, count));
    out.high_s = out.median_s * fmax(factor, ridge_rounds_median(highs, count));
    return out;
}
