/* A run against a baseline: which rows are slower by more than both the noise and a tolerance. */
#include "bench/history.h"
#include "base/json.h"
#include "measure/statistics.h"

const char *const ridge_verdict_names[] = {
#define X(code, name) name,
    RIDGE_VERDICT_LIST(X)
#undef X
};

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
static bool uncertain(const ridge_measured_row *row)
{
    return row->time.kept < RIDGE_SAMPLES_OF_INTERVAL;
}

static ridge_compared judge(const ridge_measured_row *was, const ridge_measured_row *is, double tolerance)
{
    const ridge_sample_statistics *a = &was->time, *b = &is->time;
    ridge_verdict verdict = uncertain(was) || uncertain(is)                                       ? RIDGE_VERDICT_UNCERTAIN
                            : b->low_s > a->high_s && b->median_s > a->median_s * (1 + tolerance) ? RIDGE_VERDICT_SLOWER
                            : b->high_s < a->low_s && a->median_s > b->median_s * (1 + tolerance) ? RIDGE_VERDICT_FASTER
                                                                                                  : RIDGE_VERDICT_SAME;
    return (ridge_compared){was, is, a->median_s > 0 ? b->median_s / a->median_s : RIDGE_MEASURE_UNKNOWN, verdict};
}

static void put(ridge_comparison *out, ridge_compared row)
{
    out->rows[out->count++] = row;
    out->verdicts[row.verdict]++;
}

ridge_status ridge_baseline_compare(ridge_comparison *out, const ridge_measurements *was, const ridge_measurements *is, double tolerance,
                                    ridge_arena *arena, ridge_err *err)
{
    const char *baseline = out->baseline;
    *out = (ridge_comparison){.baseline = baseline,
                              .was = was->runs[0].id,
                              .is = is->runs[0].id,
                              .tolerance = tolerance,
                              .was_cut = ridge_store_run_is_cut(&was->runs[0]),
                              .is_cut = ridge_store_run_is_cut(&is->runs[0])};
    ridge_verdict absent = out->is_cut ? RIDGE_VERDICT_UNREACHED : RIDGE_VERDICT_MISSING;
    out->rows = ridge_arena_array(arena, was->row_count + is->row_count + 1, sizeof *out->rows);
    bool *taken = ridge_arena_alloc(arena, is->row_count + 1);
    if (!out->rows || !taken)
        return ridge_no_memory(err);
    for (size_t i = 0; i < was->row_count; i++) {
        size_t k = 0;
        while (k < is->row_count && (taken[k] || !same_row(&was->rows[i], &is->rows[k])))
            k++;
        if (k < is->row_count)
            put(out, judge(&was->rows[i], &is->rows[k], tolerance));
        else
            put(out, (ridge_compared){&was->rows[i], NULL, RIDGE_MEASURE_UNKNOWN, absent});
        taken[k] = true;
    }
    if (out->verdicts[absent] == was->row_count)
        return ridge_fail(err, RIDGE_VALUE, "run %lld has none of the %zu %s of the baseline, run %lld%s", (long long)out->is,
                          was->row_count, was->row_count == 1 ? "row" : "rows", (long long)out->was,
                          out->is_cut ? ": it did not come to its end" : "");
    for (size_t k = 0; k < is->row_count; k++)
        if (!taken[k])
            put(out, (ridge_compared){NULL, &is->rows[k], RIDGE_MEASURE_UNKNOWN, RIDGE_VERDICT_NEW});
    return RIDGE_OK;
}

/* ---- output ---- */

static const ridge_column columns[] = {
    {"problem", "problem", false}, {"variant", "variant", false}, {"format", "format", false}, {"thr.", "how", false},
    {"was", "was_s", true},        {"is", "is_s", true},          {"ratio", "ratio", true},    {"verdict", "verdict", false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *seconds(const ridge_measured_row *row, bool exact, ridge_arena *arena)
{
    if (!row)
        return exact ? "" : "-";
    return exact ? ridge_arena_printf(arena, "%.9g", row->time.median_s) : ridge_units_seconds(arena, row->time.median_s);
}

static bool fill(const char **cells, const ridge_compared *c, bool exact, ridge_arena *arena)
{
    const ridge_measured_row *row = c->was ? c->was : c->is;
    cells[0] = ridge_history_problem(row, arena);
    cells[1] = row->variant;
    cells[2] = row->format;
    cells[3] = ridge_history_how(row, arena);
    cells[4] = seconds(c->was, exact, arena);
    cells[5] = seconds(c->is, exact, arena);
    cells[6] = c->ratio >= 0 ? ridge_arena_printf(arena, "%.3f", c->ratio) : exact ? "" : "-";
    cells[7] = ridge_verdict_names[c->verdict];
    for (size_t i = 0; i < COLUMNS; i++)
        if (!cells[i])
            return false;
    return true;
}

static void add_summary(ridge_buf *out, const ridge_comparison *c)
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

ridge_status ridge_baseline_table(ridge_buf *out, const ridge_comparison *c, ridge_form style, int width, ridge_arena *arena,
                                  ridge_err *err)
{
    ridge_table table;
    ridge_table_init(&table, arena, columns, COLUMNS);
    for (size_t i = 0; i < c->count; i++) {
        const char **cells = ridge_table_row(&table);
        if (!cells || !fill(cells, &c->rows[i], style == RIDGE_FORM_CSV, arena))
            return ridge_no_memory(err);
    }
    ridge_table_render(out, &table, style, width);
    if (style != RIDGE_FORM_CSV)
        add_summary(out, c);
    return RIDGE_OK;
}

static void json_time(ridge_json_writer *w, const char *key, const ridge_measured_row *row)
{
    ridge_jw_key(w, key);
    if (!row) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "median");
    ridge_jw_double(w, row->time.median_s);
    ridge_jw_key(w, "low");
    ridge_jw_double(w, row->time.low_s);
    ridge_jw_key(w, "high");
    ridge_jw_double(w, row->time.high_s);
    ridge_jw_end_object(w);
}

static void json_row(ridge_json_writer *w, const ridge_compared *c)
{
    const ridge_measured_row *row = c->was ? c->was : c->is;
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "kernel", row->kernel);
    ridge_jw_member_text(w, "variant", row->variant);
    ridge_jw_member_text(w, "provider", row->provider);
    ridge_jw_key(w, "shape");
    ridge_jw_raw(w, ridge_str_of(row->shape));
    ridge_jw_member_text(w, "format", row->format);
    ridge_jw_member_text(w, "activations", row->activations);
    ridge_jw_key(w, "threads");
    ridge_jw_int(w, row->threads);
    ridge_jw_member_text(w, "cache", ridge_cache_state_names[row->cache]);
    json_time(w, "was_s", c->was);
    json_time(w, "is_s", c->is);
    ridge_jw_member_real(w, "ratio", c->ratio);
    ridge_jw_member_text(w, "verdict", ridge_verdict_names[c->verdict]);
    ridge_jw_end_object(w);
}

void ridge_baseline_json(ridge_buf *out, const ridge_comparison *c)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_member_text(&w, "baseline", c->baseline);
    ridge_jw_key(&w, "baseline_run");
    ridge_jw_int(&w, c->was);
    ridge_jw_key(&w, "run");
    ridge_jw_int(&w, c->is);
    ridge_jw_key(&w, "complete"); /* both runs came to their end */
    ridge_jw_bool(&w, !c->was_cut && !c->is_cut);
    ridge_jw_key(&w, "tolerance");
    ridge_jw_double(&w, c->tolerance);
    ridge_jw_key(&w, "rows");
    ridge_jw_array(&w);
    for (size_t i = 0; i < c->count; i++)
        json_row(&w, &c->rows[i]);
    ridge_jw_end_array(&w);
    ridge_jw_key(&w, "summary");
    ridge_jw_object_compact(&w);
    for (size_t v = 0; v < RIDGE_VERDICT_COUNT; v++) {
        ridge_jw_key(&w, ridge_verdict_names[v]);
        ridge_jw_int(&w, (ridge_int)c->verdicts[v]);
    }
    ridge_jw_end_object(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}
