#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>

double ridge_compare_error(double predicted_s, double measured_s)
{
    return predicted_s >= 0 && measured_s > 0 ? fabs(predicted_s - measured_s) / measured_s : RIDGE_MEASURE_UNKNOWN;
}

double ridge_compare_bound_s(ridge_compare_sides sides)
{
    double larger = fmax(sides.memory_s, sides.compute_s);
    return larger >= 0 ? larger : RIDGE_MEASURE_UNKNOWN;
}

ridge_side ridge_compare_bound(ridge_compare_sides sides)
{
    if (!(ridge_compare_bound_s(sides) >= 0))
        return RIDGE_SIDE_UNKNOWN;
    return sides.compute_s > sides.memory_s ? RIDGE_SIDE_COMPUTE : RIDGE_SIDE_MEMORY;
}

static double share_of(double ceiling_s, double measured_s)
{
    return ceiling_s >= 0 && measured_s > 0 ? ceiling_s / measured_s : RIDGE_MEASURE_UNKNOWN;
}

/* measured over the least time */
static double slowdown_of(const ridge_measured_row *row, ridge_compare_sides seen)
{
    double least = ridge_compare_bound_s(seen);
    if (least > 0)
        return row->time.median_s / least;
    return row->percent_of_ceiling > 0 ? 100 / row->percent_of_ceiling : RIDGE_MEASURE_UNKNOWN;
}

void ridge_compare_row(ridge_joined *out, const ridge_measured_row *row, ridge_compare_sides seen)
{
    *out = (ridge_joined){
        .row = row,
        .bound = row->bound,
        .bound_seen = ridge_compare_bound(seen),
        .memory_share = share_of(seen.memory_s, row->time.median_s),
        .compute_share = share_of(seen.compute_s, row->time.median_s),
        .slowdown = slowdown_of(row, seen),
        .error = ridge_compare_error(row->predicted_s, row->time.median_s),
    };
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ridge_compare_median(double *values, size_t count)
{
    if (count == 0)
        return RIDGE_MEASURE_UNKNOWN;
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* keeps the largest errors, the largest first; of equal ones the earlier row */
static void note_worst(ridge_compare_summary *s, const ridge_joined *rows, size_t index)
{
    size_t at = s->worst_count;
    while (at > 0 && rows[s->worst[at - 1]].error < rows[index].error)
        at--;
    if (at == RIDGE_COMPARE_WORST)
        return;
    size_t last = s->worst_count < RIDGE_COMPARE_WORST ? s->worst_count++ : RIDGE_COMPARE_WORST - 1;
    for (size_t i = last; i > at; i--)
        s->worst[i] = s->worst[i - 1];
    s->worst[at] = index;
}

ridge_status ridge_compare_summarise(ridge_compare_summary *out, const ridge_joined *rows, size_t count, ridge_arena *arena, ridge_err *err)
{
    double *errors = ridge_arena_array(arena, count + 1, sizeof *errors), sum = 0;
    if (!errors)
        return ridge_no_memory(err);
    *out = (ridge_compare_summary){.rows = count, .mean_error = RIDGE_MEASURE_UNKNOWN};
    for (size_t i = 0; i < count; i++) {
        const ridge_joined *c = &rows[i];
        out->beat_roofline += c->row->beats_roofline;
        if (c->bound != RIDGE_SIDE_UNKNOWN && c->bound_seen != RIDGE_SIDE_UNKNOWN) {
            out->bounds_known++;
            out->bounds_agree += c->bound == c->bound_seen;
        }
        if (!(c->error >= 0))
            continue;
        sum += c->error;
        errors[out->predicted++] = c->error;
        note_worst(out, rows, i);
    }
    if (out->predicted > 0)
        out->mean_error = sum / (double)out->predicted;
    out->median_error = ridge_compare_median(errors, out->predicted);
    return RIDGE_OK;
}
