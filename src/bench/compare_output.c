/* `ridge compare` as JSON, as a table, in sentences (compare.h). */
#include "bench/compare.h"
#include "bench/history.h"

/* ---- JSON ---- */

static double in_percent(double share)
{
    return share < 0 ? share : 100 * share;
}

void ridge_joined_json_members(ridge_json_writer *w, const ridge_joined *c)
{
    ridge_jw_member_text(w, "bound_seen", c->bound_seen >= 0 ? ridge_side_names[c->bound_seen] : NULL);
    ridge_jw_member_real(w, "memory_percent", in_percent(c->memory_share));
    ridge_jw_member_real(w, "compute_percent", in_percent(c->compute_share));
    ridge_jw_member_real(w, "slowdown", c->slowdown);
}

static void stored_row_json(ridge_json_writer *w, const ridge_joined *c)
{
    ridge_jw_object_compact(w);
    ridge_record_members(w, &ridge_measured_row_record, c->row);
    ridge_joined_json_members(w, c);
    ridge_jw_end_object(w);
}

static void summary_json(ridge_json_writer *w, const ridge_compare_answer *a)
{
    const ridge_compare_summary *s = &a->summary;
    ridge_jw_key(w, "summary");
    ridge_jw_object(w);
    ridge_jw_member_real(w, "median_error", s->median_error);
    ridge_jw_member_real(w, "mean_error", s->mean_error);
    ridge_jw_key(w, "worst");
    ridge_jw_array(w);
    for (size_t i = 0; i < s->worst_count; i++) {
        const ridge_joined *c = &a->rows[s->worst[i]];
        ridge_jw_object_compact(w);
        ridge_jw_member_whole(w, "row", (ridge_int)s->worst[i]);
        ridge_jw_member_text(w, "kernel", c->row->kernel);
        ridge_jw_member_text(w, "variant", c->row->variant);
        ridge_jw_key(w, "shape");
        ridge_jw_raw(w, ridge_str_of(c->row->shape));
        ridge_jw_member_text(w, "format", c->row->format);
        ridge_jw_member_real(w, "error", c->error);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
    ridge_jw_member_whole(w, "rows", (ridge_int)s->rows);
    ridge_jw_member_whole(w, "predicted", (ridge_int)s->predicted);
    ridge_jw_member_whole(w, "bounds_agree", (ridge_int)s->bounds_agree);
    ridge_jw_member_whole(w, "bounds_known", (ridge_int)s->bounds_known);
    ridge_jw_member_whole(w, "beat_roofline", (ridge_int)s->beat_roofline);
    ridge_jw_end_object(w);
}

static void calibration_json(ridge_json_writer *w, const ridge_calibration *c)
{
    ridge_jw_key(w, "calibration");
    ridge_jw_object(w);
    ridge_jw_member_whole(w, "fitted", (ridge_int)c->fitted);
    ridge_jw_member_whole(w, "tested", (ridge_int)c->tested);
    ridge_jw_member_whole(w, "theory_rows", (ridge_int)c->theory_rows);
    ridge_jw_member_real(w, "theory_error", c->theory_error);
    ridge_jw_member_real(w, "theory_error_tested", c->theory_test_error);
    ridge_jw_member_real(w, "roofline_error", c->roofline_error);
    ridge_jw_member_real(w, "roofline_error_tested", c->roofline_test_error);
    ridge_jw_member_real(w, "calibrated_error_tested", c->calibrated_error);
    ridge_jw_member_real(w, "calibrated_mean_error_tested", c->calibrated_mean_error);
    ridge_jw_key(w, "efficiencies");
    ridge_jw_array(w);
    for (size_t i = 0; i < c->group_count; i++) {
        const ridge_efficiency *g = &c->groups[i];
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "kernel", g->kernel);
        ridge_jw_member_text(w, "variant", g->variant);
        ridge_jw_member_text(w, "format_class", g->format_class);
        ridge_jw_member_text(w, "bound", g->bound);
        ridge_jw_member_real(w, "efficiency", g->efficiency);
        ridge_jw_member_whole(w, "fitted_on", (ridge_int)g->fitted_on);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

void ridge_compare_json(ridge_buf *out, const ridge_compare_answer *a)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    if (a->bench) {
        ridge_bench_json(&w, a->bench);
    } else {
        ridge_jw_key(&w, "machine");
        ridge_jw_object_compact(&w);
        ridge_jw_member_text(&w, "fingerprint", a->machine);
        ridge_jw_end_object(&w);
        ridge_jw_key(&w, "rows");
        ridge_jw_array(&w);
        for (size_t i = 0; i < a->row_count; i++)
            stored_row_json(&w, &a->rows[i]);
        ridge_jw_end_array(&w);
    }
    summary_json(&w, a);
    if (a->calibrated)
        calibration_json(&w, &a->calibration);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

/* ---- table ---- */

static const ridge_column columns[] = {
    {"kernel", "kernel", false}, {"variant", "variant", false}, {"format", "format", false}, {"thr.", "how", false},
    {"time", "time_s", true},    {"pred", "predicted_s", true}, {"err", "error", true},      {"bound", "bound", false},
    {"mem", "memory", true},     {"comp", "compute", true},     {"xceil", "slowdown", true},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *percent(ridge_arena *arena, double share)
{
    return share < 0 ? "-" : ridge_arena_printf(arena, share < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share);
}

/* as percent, without the space: in a column */
static const char *percent_cell(ridge_arena *arena, double share)
{
    return share < 0 ? "-" : ridge_arena_printf(arena, share < 0.0995 ? "%.1f%%" : "%.0f%%", 100 * share);
}

static const char *short_bound(ridge_side bound)
{
    return bound == RIDGE_SIDE_MEMORY ? "mem" : "comp";
}

/* as predicted; "mem/comp": predicted/seen, where the two differ */
static const char *bounds_cell(ridge_arena *arena, const ridge_joined *c)
{
    if (c->bound >= 0 && c->bound_seen >= 0 && c->bound != c->bound_seen)
        return ridge_arena_printf(arena, "%s/%s", short_bound(c->bound), short_bound(c->bound_seen));
    return c->bound >= 0 ? ridge_side_names[c->bound] : "-";
}

static bool take(const char **cells, const char *const *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(cells[i] = values[i]))
            return false;
    return true;
}

static bool fill_text(const char **cells, const ridge_joined *c, ridge_arena *a)
{
    const ridge_measured_row *m = c->row;
    const char *const values[COLUMNS] = {
        ridge_history_problem(m, a),
        m->variant,
        m->format,
        ridge_history_how(m, a),
        ridge_units_seconds(a, m->time.median_s),
        ridge_units_seconds(a, m->predicted_s),
        percent_cell(a, c->error),
        bounds_cell(a, c),
        percent_cell(a, c->memory_share),
        percent_cell(a, c->compute_share),
        c->slowdown < 0 ? "-" : ridge_arena_printf(a, "%.2f%s", c->slowdown, m->beats_roofline ? "!" : ""),
    };
    return take(cells, values, COLUMNS);
}

static const ridge_column csv_columns[] = {
    {"", "kernel", false},     {"", "shape", false},         {"", "variant", false},        {"", "format", false},  {"", "threads", true},
    {"", "cache", false},      {"", "time_s", true},         {"", "predicted_s", true},     {"", "error", true},    {"", "bound", false},
    {"", "bound_seen", false}, {"", "memory_percent", true}, {"", "compute_percent", true}, {"", "slowdown", true},
};
enum { CSV_COLUMNS = sizeof csv_columns / sizeof *csv_columns };

static const char *number(ridge_arena *arena, double value)
{
    return value < 0 ? "" : ridge_arena_printf(arena, "%.9g", value);
}

static bool fill_csv(const char **cells, const ridge_joined *c, ridge_arena *a)
{
    const ridge_measured_row *m = c->row;
    const char *const values[CSV_COLUMNS] = {
        m->kernel,
        m->shape,
        m->variant,
        m->format,
        ridge_arena_printf(a, "%u", m->threads),
        ridge_cache_state_names[m->cache],
        number(a, m->time.median_s),
        number(a, m->predicted_s),
        number(a, c->error),
        c->bound >= 0 ? ridge_side_names[c->bound] : "",
        c->bound_seen >= 0 ? ridge_side_names[c->bound_seen] : "",
        number(a, in_percent(c->memory_share)),
        number(a, in_percent(c->compute_share)),
        number(a, c->slowdown),
    };
    return take(cells, values, CSV_COLUMNS);
}

ridge_status ridge_compare_table(ridge_buf *out, const ridge_compare_answer *a, ridge_form style, int width, ridge_arena *arena,
                                 ridge_err *err)
{
    const bool csv = style == RIDGE_FORM_CSV;
    ridge_table t;
    ridge_table_init(&t, arena, csv ? csv_columns : columns, csv ? CSV_COLUMNS : COLUMNS);
    for (size_t i = 0; i < a->row_count; i++) {
        const char **cells = ridge_table_row(&t);
        if (!cells || !(csv ? fill_csv : fill_text)(cells, &a->rows[i], arena))
            return ridge_no_memory(err);
    }
    ridge_table_render(out, &t, style, width);
    return RIDGE_OK;
}

/* ---- sentences ---- */

static void calibration_text(ridge_buf *out, const ridge_calibration *c, ridge_arena *arena)
{
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
        ridge_buf_addf(out, "  (nothing tells this machine's %s: the first line is of %zu rows; --bandwidth N gives that of main memory)\n",
                       c->theory_rows > 0 ? "bandwidths" : "peaks and bandwidths", c->theory_rows);
    for (size_t i = 0; i < c->group_count; i++)
        ridge_buf_addf(out, "  %-9s %-7s %-6s %-8s efficiency %#.2g (%zu row%s)\n", c->groups[i].kernel, c->groups[i].variant,
                       c->groups[i].format_class, c->groups[i].bound, c->groups[i].efficiency, c->groups[i].fitted_on,
                       c->groups[i].fitted_on == 1 ? "" : "s");
}

void ridge_compare_text(ridge_buf *out, const ridge_compare_answer *a, ridge_arena *arena)
{
    const ridge_compare_summary *s = &a->summary;
    ridge_buf_addf(out, "error of %zu of %zu rows: median %s, mean %s\n", s->predicted, s->rows, percent(arena, s->median_error),
                   percent(arena, s->mean_error));
    for (size_t i = 0; i < s->worst_count && i < 3; i++) {
        const ridge_joined *c = &a->rows[s->worst[i]];
        ridge_buf_addf(out, "%s %s, %s %s: %s\n", i == 0 ? "worst:" : "      ", ridge_history_problem(c->row, arena), c->row->variant,
                       c->row->format, percent(arena, c->error));
    }
    if (s->bounds_known > 0)
        ridge_buf_addf(out, "the bottleneck was seen where it was predicted in %zu of %zu rows\n", s->bounds_agree, s->bounds_known);
    if (s->beat_roofline > 0)
        ridge_buf_addf(out, "%zu row%s faster than the ceiling (!): a ceiling or a byte count is wrong there\n", s->beat_roofline,
                       s->beat_roofline == 1 ? " is" : "s are");
    if (a->calibrated)
        calibration_text(out, &a->calibration, arena);
}
