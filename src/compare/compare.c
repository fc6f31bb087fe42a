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

static double percent_of(double ceiling_s, double measured_s)
{
    return ceiling_s >= 0 && measured_s > 0 ? 100 * ceiling_s / measured_s : RIDGE_MEASURE_UNKNOWN;
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
        .memory_percent = percent_of(seen.memory_s, row->time.median_s),
        .compute_percent = percent_of(seen.compute_s, row->time.median_s),
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
    while (at > 0 && s->worst[at - 1].joined->error < rows[index].error)
        at--;
    if (at == RIDGE_COMPARE_WORST)
        return;
    size_t last = s->worst_count < RIDGE_COMPARE_WORST ? s->worst_count++ : RIDGE_COMPARE_WORST - 1;
    for (size_t i = last; i > at; i--)
        s->worst[i] = s->worst[i - 1];
    s->worst[at] = (ridge_compare_worst){index, &rows[index]};
}

ridge_status ridge_compare_summarise(ridge_compare_summary *out, const ridge_joined *rows, size_t count, ridge_arena *arena, ridge_err *err)
{
    double *errors = ridge_arena_array(arena, count + 1, sizeof *errors), sum = 0;
    *out = (ridge_compare_summary){.rows = count, .mean_error = RIDGE_MEASURE_UNKNOWN};
    if (!errors || !(out->worst = ridge_arena_array(arena, RIDGE_COMPARE_WORST, sizeof *out->worst)))
        return ridge_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        const ridge_joined *c = &rows[i];
        out->beat_roofline += c->row->beats_roofline;
        if (c->bound >= 0 && c->bound_seen >= 0) {
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

/* ---- how it is written ---- */

#define JOINED  ridge_joined
#define PERCENT .unit = RIDGE_UNIT_PERCENT
#define SHARE   .unit = RIDGE_UNIT_SHARE

/* as predicted; "mem/comp": predicted/seen, where the two differ */
static const char *bounds_text(ridge_arena *arena, const void *row)
{
    static const char *const brief[] = {"mem", "comp"};
    const JOINED *c = row;
    if (c->bound >= 0 && c->bound_seen >= 0 && c->bound != c->bound_seen)
        return ridge_arena_printf(arena, "%s/%s", brief[c->bound], brief[c->bound_seen]);
    return c->bound >= 0 ? ridge_side_names[c->bound] : "-";
}

static const char *slowdown_text(ridge_arena *arena, const void *row)
{
    const JOINED *c = row;
    return ridge_arena_printf(arena, "%s%s", ridge_units_ratio(arena, c->slowdown), c->row->beats_roofline ? "!" : "");
}

static const ridge_record_field times_fields[] = {
    RIDGE_R_REAL(ridge_measured_row, time.median_s, "time", NULL, RIDGE_IN_TABLES, "measured", .unit = RIDGE_UNIT_SECONDS),
    RIDGE_R_REAL(ridge_measured_row, predicted_s, "pred", NULL, RIDGE_IN_TABLES, "predicted", .unit = RIDGE_UNIT_SECONDS),
};
static const ridge_record times_record = RIDGE_RECORD(ridge_measured_row, "times", times_fields, "measured and predicted");

static const ridge_record_field joined_fields[] = {
    RIDGE_R_THROUGH(JOINED, row, &ridge_measured_row_record, RIDGE_IN_ALL),
    RIDGE_R_WORD(JOINED, bound_seen, ridge_side_names, "bound_seen", NULL, RIDGE_IN_DATA,
                 "the ceiling of which the larger share was reached"),
    RIDGE_R_REAL(JOINED, memory_percent, "memory_percent", NULL, RIDGE_IN_DATA, "of the bandwidth measured beside it", PERCENT),
    RIDGE_R_REAL(JOINED, compute_percent, "compute_percent", NULL, RIDGE_IN_DATA, "of the arithmetic measured beside it", PERCENT),
    RIDGE_R_REAL(JOINED, slowdown, "slowdown", NULL, RIDGE_IN_DATA, "measured time in multiples of the least one",
                 .unit = RIDGE_UNIT_RATIO),
    RIDGE_R_THROUGH(JOINED, row, &ridge_measured_problem_record, RIDGE_IN_ALL),
    RIDGE_R_THROUGH(JOINED, row, &ridge_measured_how_record, RIDGE_IN_ALL),
    RIDGE_R_THROUGH(JOINED, row, &times_record, RIDGE_IN_ALL),
    RIDGE_R_REAL(JOINED, error, "err", "err%", RIDGE_IN_TABLES, "|predicted - measured| / measured", SHARE),
    RIDGE_R_WORD(JOINED, bound, ridge_side_names, "bounds", "bound", RIDGE_IN_TABLES, "predicted, and seen", .text = bounds_text),
    RIDGE_R_REAL(JOINED, memory_percent, "mem", "mem%", RIDGE_IN_TABLES, "of the bandwidth measured beside it", PERCENT),
    RIDGE_R_REAL(JOINED, compute_percent, "comp", "comp%", RIDGE_IN_TABLES, "of the arithmetic measured beside it", PERCENT),
    RIDGE_R_REAL(JOINED, slowdown, "xceil", NULL, RIDGE_IN_TABLES, "measured time in multiples of the least one", .text = slowdown_text),
};
const ridge_record ridge_joined_record = RIDGE_RECORD(JOINED, "joined row", joined_fields, "a measured row beside its prediction");

static const ridge_record_field worst_joined_fields[] = {
    RIDGE_R_THROUGH(JOINED, row, &ridge_measured_kernel_record, RIDGE_IN_ALL),
    RIDGE_R_REAL(JOINED, error, "error", NULL, RIDGE_IN_JSON, "|predicted - measured| / measured", SHARE),
};
static const ridge_record worst_joined_record = RIDGE_RECORD(JOINED, "error", worst_joined_fields, "a kernel and its error");

static const ridge_record_field worst_fields[] = {
    RIDGE_R_SIZE(ridge_compare_worst, row, "row", NULL, RIDGE_IN_JSON, "its place among the rows, from 0"),
    RIDGE_R_THROUGH(ridge_compare_worst, joined, &worst_joined_record, RIDGE_IN_ALL),
};
static const ridge_record worst_record = RIDGE_RECORD(ridge_compare_worst, "worst row", worst_fields, "a row that was far off");

#define SUMMARY ridge_compare_summary
static const ridge_record_field summary_fields[] = {
    RIDGE_R_REAL(SUMMARY, median_error, "median_error", NULL, RIDGE_IN_JSON, "the median of the errors", SHARE),
    RIDGE_R_REAL(SUMMARY, mean_error, "mean_error", NULL, RIDGE_IN_JSON, "their mean", SHARE),
    RIDGE_R_LIST(SUMMARY, worst, worst_count, &worst_record, "worst", RIDGE_IN_JSON, "the largest errors"),
    RIDGE_R_SIZE(SUMMARY, rows, "rows", NULL, RIDGE_IN_JSON, "rows compared"),
    RIDGE_R_SIZE(SUMMARY, predicted, "predicted", NULL, RIDGE_IN_JSON, "rows with a prediction"),
    RIDGE_R_SIZE(SUMMARY, bounds_agree, "bounds_agree", NULL, RIDGE_IN_JSON, "rows whose bound was seen as predicted"),
    RIDGE_R_SIZE(SUMMARY, bounds_known, "bounds_known", NULL, RIDGE_IN_JSON, "rows whose bound was predicted and seen"),
    RIDGE_R_SIZE(SUMMARY, beat_roofline, "beat_roofline", NULL, RIDGE_IN_JSON, "rows faster than their ceiling"),
};
const ridge_record ridge_compare_summary_record = RIDGE_RECORD(SUMMARY, "summary", summary_fields, "errors of all rows");
