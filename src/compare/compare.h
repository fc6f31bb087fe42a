/* compare.h - predicted against measured: the error of a row, what bounds it as predicted and as seen, how far it is from the bound.
 * In: measured rows (measure/row.h), the times that memory and arithmetic alone would take. Out: plain structs and their records, arrays in
 * the arena. Times are seconds; what is not known is negative and stays out of every mean. Fails with NOMEM only.
 * docs/bench.md has the definitions. */
#ifndef RIDGE_COMPARE_COMPARE_H
#define RIDGE_COMPARE_COMPARE_H

#include "measure/row.h"

/* |predicted - measured| / measured; negative where one of them is not known */
double ridge_compare_error(double predicted_s, double measured_s);

/* What a roofline has of one kernel: the time of each side alone. */
typedef struct ridge_compare_sides {
    double memory_s, compute_s;
} ridge_compare_sides;
/* the larger of the two: the least time; negative where neither is known */
double ridge_compare_bound_s(ridge_compare_sides sides);
/* which that is; unknown where neither is known */
ridge_side ridge_compare_bound(ridge_compare_sides sides);

typedef struct ridge_joined {
    const ridge_measured_row *row;
    ridge_side bound;                       /* as predicted */
    ridge_side bound_seen;                  /* the ceiling of which the kernel reached the larger share, measured beside it */
    double memory_percent, compute_percent; /* of the ceilings measured beside it, 0..100 */
    double slowdown;                        /* measured / the theoretical minimum */
    double error;
} ridge_joined;
/* the row's data and what was joined; the same in columns for people */
extern const ridge_record ridge_joined_record;

/* seen: the sides by ceilings of the same run. Where they are not known (a run from the store), the slowdown follows from the row's
 * percent_of_ceiling. */
void ridge_compare_row(ridge_joined *out, const ridge_measured_row *row, ridge_compare_sides seen);

typedef struct ridge_compare_worst {
    size_t row; /* its place among the rows */
    const ridge_joined *joined;
} ridge_compare_worst;

enum { RIDGE_COMPARE_WORST = 5 };
typedef struct ridge_compare_summary {
    size_t rows, predicted; /* all; those with an error */
    double median_error, mean_error;
    ridge_compare_worst *worst; /* the largest error first */
    size_t worst_count;
    size_t bounds_agree, bounds_known; /* rows with a bound predicted and seen */
    size_t beat_roofline;
} ridge_compare_summary;
extern const ridge_record ridge_compare_summary_record;
ridge_status ridge_compare_summarise(ridge_compare_summary *out, const ridge_joined *rows, size_t count, ridge_arena *arena,
                                     ridge_err *err);

/* the middle of count values, the mean of the two middle ones; sorts them. Negative for none. */
double ridge_compare_median(double *values, size_t count);

#endif
