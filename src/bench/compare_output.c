/* How `ridge compare` is told (compare.h). */
#include "bench/compare.h"

/* ---- the answer ---- */

#define ANSWER ridge_compare_answer
static const ridge_record_field judged_fields[] = {
    RIDGE_R_IN(ANSWER, summary, &ridge_compare_summary_record, "summary", RIDGE_IN_JSON, "errors of all rows"),
    RIDGE_R_AT(ANSWER, calibration, &ridge_calibration_record, "calibration", RIDGE_IN_JSON, "errors before and after efficiencies",
               RIDGE_WHERE(ANSWER, calibration)),
};
static const ridge_record judged_record = RIDGE_RECORD(ANSWER, "judgement", judged_fields, "how far predictions were off");

static const ridge_record_field fields[] = {
    RIDGE_R_THROUGH(ANSWER, bench, &ridge_bench_record, RIDGE_IN_ALL),
    RIDGE_R_ALSO(&judged_record),
};
const ridge_record ridge_compare_record = RIDGE_RECORD(ANSWER, "ridge compare", fields, "predicted against measured");

static const ridge_record_field machine_fields[] = {
    RIDGE_R_TEXT(ANSWER, machine, "fingerprint", NULL, RIDGE_IN_JSON, "hash of what may change results there"),
};
static const ridge_record machine_record = RIDGE_RECORD(ANSWER, "machine", machine_fields, "where it was measured");

static const ridge_record_field stored_fields[] = {
    RIDGE_R_GROUP(&machine_record, "machine", RIDGE_IN_JSON, "where it was measured", .compact = true),
    RIDGE_R_LIST(ANSWER, rows, row_count, &ridge_joined_record, "rows", RIDGE_IN_JSON, "the rows of the store"),
    RIDGE_R_ALSO(&judged_record),
};
const ridge_record ridge_compare_stored_record =
    RIDGE_RECORD(ANSWER, "ridge compare --run", stored_fields, "predicted against measured before");

/* ---- sentences ---- */

/* of a share 0..1: "12.3 %" */
static const char *percent(ridge_arena *arena, double share)
{
    return share < 0 ? "-" : ridge_arena_printf(arena, "%.1f %%", 100 * share);
}

static ridge_status calibration_text(ridge_buf *out, const ridge_calibration *c, int width, ridge_arena *arena, ridge_err *err)
{
    const ridge_record_style style = {.form = RIDGE_FORM_TEXT, .width = width};
    ridge_buf_addf(out,
                   "calibration: an efficiency per kernel, class of variant and of format, and bound, fitted on every\n"
                   "other row of its group (%zu), tested on the rest (%zu)\n",
                   c->fitted, c->tested);
    ridge_buf_addf(out, "  median error                 all rows   tested rows\n");
    ridge_buf_addf(out, "  from the machine as detected %8s   %11s\n", percent(arena, c->theory_error),
                   percent(arena, c->theory_test_error));
    ridge_buf_addf(out, "  from measured ceilings       %8s   %11s\n", percent(arena, c->roofline_error),
                   percent(arena, c->roofline_test_error));
    ridge_buf_addf(out, "  ... and efficiencies         %8s   %11s   (mean %s)\n", "", percent(arena, c->calibrated_error),
                   percent(arena, c->calibrated_mean_error));
    if (c->theory_rows < c->fitted + c->tested)
        ridge_buf_addf(
            out,
            "  (nothing tells this machine's %s: the first line is of %zu rows; " RIDGE_OPT("bandwidth") " N gives that of main memory)\n",
            c->theory_rows > 0 ? "bandwidths" : "peaks and bandwidths", c->theory_rows);
    return ridge_record_print(out, &ridge_efficiency_record, &style, c->groups, c->group_count, err);
}

ridge_status ridge_compare_text(ridge_buf *out, const ridge_compare_answer *a, int width, ridge_arena *arena, ridge_err *err)
{
    const ridge_compare_summary *s = &a->summary;
    ridge_buf_addf(out, "error of %zu of %zu rows: median %s, mean %s\n", s->predicted, s->rows, percent(arena, s->median_error),
                   percent(arena, s->mean_error));
    for (size_t i = 0; i < s->worst_count && i < 3; i++) {
        const ridge_joined *c = s->worst[i].joined;
        const char *problem = ridge_measured_row_problem(arena, c->row);
        ridge_buf_addf(out, "%s %s, %s %s: %s\n", i == 0 ? "worst:" : "      ", problem ? problem : c->row->kernel, c->row->variant,
                       c->row->format, percent(arena, c->error));
    }
    if (s->bounds_known > 0)
        ridge_buf_addf(out, "the bottleneck was seen where it was predicted in %zu of %zu rows\n", s->bounds_agree, s->bounds_known);
    if (s->beat_roofline > 0)
        ridge_buf_addf(out, "%zu row%s faster than the ceiling (!): a ceiling or a byte count is wrong there\n", s->beat_roofline,
                       s->beat_roofline == 1 ? " is" : "s are");
    return a->calibration ? calibration_text(out, a->calibration, width, arena, err) : RIDGE_OK;
}
