#include "bench/baseline.h"

#include "measure/statistics.h"

const char *const ridge_verdict_names[] = {RIDGE_VERDICT_LIST(RIDGE_WORD_TEXT) NULL};

/* ---- matching ---- */

static bool same_text(const char *a, const char *b)
{
    return !a || !b ? a == b : strcmp(a, b) == 0;
}

static bool same_row(const ridge_measured_row *a, const ridge_measured_row *b)
{
    return same_text(a->kernel, b->kernel) && same_text(a->variant, b->variant) && same_text(a->provider, b->provider) &&
           same_text(a->shape, b->shape) && same_text(a->format, b->format) && same_text(a->activations, b->activations) &&
           a->threads == b->threads && a->cache == b->cache;
}

/* too few undisturbed samples for an interval: the row is no regression, and did not pass */
static bool uncertain(const ridge_sample_statistics *time)
{
    return time->kept < RIDGE_SAMPLES_OF_INTERVAL;
}

static ridge_verdict judge(const ridge_sample_statistics *was, const ridge_sample_statistics *is, double tolerance)
{
    if (uncertain(was) || uncertain(is))
        return RIDGE_VERDICT_UNCERTAIN;
    if (is->low_s > was->high_s && is->median_s > was->median_s * (1 + tolerance))
        return RIDGE_VERDICT_SLOWER;
    bool faster = is->high_s < was->low_s && was->median_s > is->median_s * (1 + tolerance);
    return faster ? RIDGE_VERDICT_FASTER : RIDGE_VERDICT_SAME;
}

/* was or is NULL: the row is in one of the runs, and `verdict` says why */
static bool put(ridge_comparison *out, const ridge_measured_row *was, const ridge_measured_row *is, ridge_verdict verdict,
                ridge_arena *arena)
{
    const ridge_measured_row *row = was ? was : is;
    ridge_compared *c = &out->rows[out->count++];
    *c = (ridge_compared){.row = row,
                          .problem = ridge_measured_row_problem(arena, row),
                          .variant = row->variant,
                          .format = row->format,
                          .how = ridge_measured_row_how(arena, row),
                          .was = was ? &was->time : NULL,
                          .is = is ? &is->time : NULL,
                          .was_s = was ? was->time.median_s : RIDGE_MEASURE_UNKNOWN,
                          .is_s = is ? is->time.median_s : RIDGE_MEASURE_UNKNOWN,
                          .ratio = RIDGE_MEASURE_UNKNOWN,
                          .verdict = was && is ? judge(&was->time, &is->time, out->tolerance) : verdict};
    if (c->was_s > 0 && is)
        c->ratio = c->is_s / c->was_s;
    out->verdicts[c->verdict]++;
    return c->problem && c->how;
}

static bool match(ridge_comparison *out, const ridge_measurements *was, const ridge_measurements *is, bool *taken, ridge_arena *arena)
{
    bool made = true;
    for (size_t i = 0; i < was->row_count && made; i++) {
        size_t k = 0;
        while (k < is->row_count && (taken[k] || !same_row(&was->rows[i], &is->rows[k])))
            k++;
        made = put(out, &was->rows[i], k < is->row_count ? &is->rows[k] : NULL,
                   out->is_cut ? RIDGE_VERDICT_UNREACHED : RIDGE_VERDICT_MISSING, arena);
        taken[k] = true;
    }
    for (size_t k = 0; k < is->row_count && made; k++)
        made = taken[k] || put(out, NULL, &is->rows[k], RIDGE_VERDICT_NEW, arena);
    return made;
}

ridge_status ridge_comparison_make(ridge_comparison *out, const char *baseline, const ridge_measurements *was, const ridge_measurements *is,
                                   double tolerance, ridge_arena *arena, ridge_err *err)
{
    bool was_cut = ridge_store_run_is_cut(&was->runs[0]), is_cut = ridge_store_run_is_cut(&is->runs[0]);
    *out = (ridge_comparison){.baseline = baseline,
                              .was = was->runs[0].id,
                              .is = is->runs[0].id,
                              .tolerance = tolerance,
                              .was_cut = was_cut,
                              .is_cut = is_cut,
                              .complete = !was_cut && !is_cut};
    out->rows = ridge_arena_array(arena, was->row_count + is->row_count + 1, sizeof *out->rows);
    bool *taken = ridge_arena_alloc(arena, is->row_count + 1);
    if (!out->rows || !taken || !match(out, was, is, taken, arena))
        return ridge_no_memory(err);
    if (out->verdicts[RIDGE_VERDICT_MISSING] + out->verdicts[RIDGE_VERDICT_UNREACHED] < was->row_count)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_VALUE, "run %lld has none of the %zu %s of the baseline, run %lld%s", (long long)out->is, was->row_count,
                      was->row_count == 1 ? "row" : "rows", (long long)out->was, is_cut ? ": it did not come to its end" : "");
}

/* ---- how it is told ---- */

enum { LINES = RIDGE_IN_CSV | RIDGE_IN_TABLES };
#define COMPARED ridge_compared
#define SECONDS  .unit = RIDGE_UNIT_SECONDS
static const ridge_record_field compared_fields[] = {
    RIDGE_R_THROUGH(COMPARED, row, &ridge_measured_kernel_record, RIDGE_IN_JSON),
    RIDGE_R_AT(COMPARED, was, &ridge_interval_record, "was_s", RIDGE_IN_JSON, "the baseline's time", .compact = true),
    RIDGE_R_AT(COMPARED, is, &ridge_interval_record, "is_s", RIDGE_IN_JSON, "the run's time", .compact = true),
    RIDGE_R_TEXT(COMPARED, problem, "problem", NULL, LINES, "kernel and sizes"),
    RIDGE_R_TEXT(COMPARED, variant, "variant", NULL, LINES, "the implementation"),
    RIDGE_R_TEXT(COMPARED, format, "format", NULL, LINES, "number format of the weights"),
    RIDGE_R_TEXT(COMPARED, how, "how", "thr.", LINES, "threads and cache"),
    RIDGE_R_REAL(COMPARED, was_s, "was_s", "was", LINES, "the baseline's median", SECONDS),
    RIDGE_R_REAL(COMPARED, is_s, "is_s", "is", LINES, "the run's", SECONDS),
    RIDGE_R_REAL(COMPARED, ratio, "ratio", NULL, RIDGE_IN_ALL, "is / was", .unit = RIDGE_UNIT_RATIO),
    RIDGE_R_WORD(COMPARED, verdict, ridge_verdict_names, "verdict", NULL, RIDGE_IN_ALL, "what that means"),
};
const ridge_record ridge_compared_record = RIDGE_RECORD(COMPARED, "compared row", compared_fields, "a row then and now");

/* clang-format off */
#define ANSWER ridge_comparison
static const ridge_record_field verdict_fields[] = {
#define X(code, name) RIDGE_R_SIZE(ANSWER, verdicts[RIDGE_VERDICT_##code], name, NULL, RIDGE_IN_JSON, "rows of that verdict"),
    RIDGE_VERDICT_LIST(X)
#undef X
};
/* clang-format on */
static const ridge_record verdict_record = RIDGE_RECORD(ANSWER, "verdicts", verdict_fields, "how many rows have which verdict");

static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(ANSWER, baseline, "baseline", NULL, RIDGE_IN_JSON, "its name"),
    RIDGE_R_WHOLE(ANSWER, was, "baseline_run", NULL, RIDGE_IN_JSON, "the run that it names"),
    RIDGE_R_WHOLE(ANSWER, is, "run", NULL, RIDGE_IN_JSON, "the run that was checked"),
    RIDGE_R_BOOL(ANSWER, complete, "complete", NULL, RIDGE_IN_JSON, "both came to their end"),
    RIDGE_R_REAL(ANSWER, tolerance, "tolerance", NULL, RIDGE_IN_JSON, "how much slower is still the same"),
    RIDGE_R_LIST(ANSWER, rows, count, &ridge_compared_record, "rows", RIDGE_IN_JSON, "the rows of both"),
    RIDGE_R_GROUP(&verdict_record, "summary", RIDGE_IN_JSON, "rows by verdict", .compact = true),
};
const ridge_record ridge_comparison_record = RIDGE_RECORD(ANSWER, "ridge baseline check", fields, "a run against a baseline");

void ridge_comparison_summary(ridge_buf *out, const ridge_comparison *c)
{
    ridge_buf_addf(out, "\nrun %lld against baseline %s (run %lld):", (long long)c->is, c->baseline, (long long)c->was);
    for (size_t v = 0; v < RIDGE_VERDICT_COUNT; v++)
        if (c->verdicts[v] > 0 || v == RIDGE_VERDICT_SLOWER)
            ridge_buf_addf(out, "%s %zu %s", v > 0 ? "," : "", c->verdicts[v], ridge_verdict_names[v]);
    ridge_buf_addf(out, "; tolerance %.3g %%\n", 100 * c->tolerance);
    if (c->verdicts[RIDGE_VERDICT_UNCERTAIN] > 0)
        ridge_buf_addf(out, "uncertain rows have fewer than %d undisturbed samples, then or now: they neither passed nor failed\n",
                       RIDGE_SAMPLES_OF_INTERVAL);
    if (c->is_cut)
        ridge_buf_addf(out, "run %lld did not come to its end: unreached rows are neither gone nor passed\n", (long long)c->is);
    if (c->was_cut)
        ridge_buf_addf(out, "the baseline's run %lld did not come to its end: new rows may be those it did not reach\n", (long long)c->was);
}

ridge_status ridge_comparison_verdict(const ridge_comparison *c, ridge_err *err)
{
    size_t slower = c->verdicts[RIDGE_VERDICT_SLOWER], unreached = c->verdicts[RIDGE_VERDICT_UNREACHED];
    if (slower > 0)
        return ridge_fail(err, RIDGE_CHECK, "%zu %s slower than the baseline '%s'", slower, slower == 1 ? "row is" : "rows are",
                          c->baseline);
    if (unreached > 0)
        return ridge_fail(err, RIDGE_CHECK, "run %lld did not come to its end: %zu %s of the baseline '%s' not checked", (long long)c->is,
                          unreached, unreached == 1 ? "row" : "rows", c->baseline);
    return RIDGE_OK;
}
