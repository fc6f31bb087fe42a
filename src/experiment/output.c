/* An experiment as JSON (INTERFACE, "experiment"), as a table, for people, as a picture. */
#include "experiment/experiment.h"

static double value_of(const ridge_experiment *e, size_t row, size_t column)
{
    return e->rows[row].values[column];
}

/* ---- JSON ---- */

static void write_row(ridge_json_writer *w, const ridge_experiment *e, size_t row)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, e->row_key, e->rows[row].name);
    for (size_t i = 0; i < e->column_count; i++) {
        double value = value_of(e, row, i);
        bool whole = e->columns[i].unit == RIDGE_EXPERIMENT_UNIT_COUNT || e->columns[i].unit == RIDGE_EXPERIMENT_UNIT_BYTES;
        ridge_jw_key(w, e->columns[i].key);
        if (value < 0)
            ridge_jw_null(w);
        else if (whole)
            ridge_jw_int(w, (ridge_int)value);
        else
            ridge_jw_double(w, value);
    }
    ridge_jw_end_object(w);
}

void ridge_experiment_json(ridge_buf *out, const ridge_experiment *e)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_member_text(&w, "experiment", ridge_experiment_names[e->request->kind]);
    ridge_jw_member_text(&w, "subject", e->subject);
    ridge_jw_key(&w, "rows");
    ridge_jw_array(&w);
    for (size_t i = 0; i < e->row_count; i++)
        write_row(&w, e, i);
    ridge_jw_end_array(&w);
    ridge_jw_member_text(&w, "verdict", e->verdict);
    ridge_jw_member_text(&w, "sentence", e->sentence);
    ridge_jw_key(&w, "interrupted");
    ridge_jw_bool(&w, e->interrupted);
    ridge_jw_key(&w, "cpus");
    ridge_jw_int(&w, e->cpus);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

/* ---- the table ---- */

static const char *cell(const ridge_experiment *e, size_t row, size_t column, bool csv, ridge_arena *arena)
{
    double value = value_of(e, row, column);
    if (value < 0)
        return csv ? "" : "-";
    if (csv)
        return ridge_arena_printf(arena, "%.17g", value);
    switch (e->columns[column].unit) {
    case RIDGE_EXPERIMENT_UNIT_COUNT:
        return ridge_units_exact(arena, (ridge_int)value);
    case RIDGE_EXPERIMENT_UNIT_SECONDS:
        return ridge_units_seconds(arena, value);
    case RIDGE_EXPERIMENT_UNIT_BYTES:
        return ridge_units_bytes(arena, (ridge_int)value);
    case RIDGE_EXPERIMENT_UNIT_BYTES_PER_S:
        return ridge_units_scaled(arena, value, "B/s");
    case RIDGE_EXPERIMENT_UNIT_FLOPS_PER_S:
        return ridge_units_scaled(arena, value, "FLOP/s");
    case RIDGE_EXPERIMENT_UNIT_NONE:
        break;
    }
    return ridge_arena_printf(arena, value >= 100 ? "%.0f" : "%.3g", value);
}

ridge_status ridge_experiment_table(ridge_buf *out, const ridge_experiment *e, ridge_form style, int width, ridge_arena *arena,
                                    ridge_err *err)
{
    ridge_column columns[RIDGE_EXPERIMENT_COLUMNS + 1] = {{e->row_title, e->row_key, false}};
    ridge_table table;
    for (size_t i = 0; i < e->column_count; i++)
        columns[i + 1] = (ridge_column){e->columns[i].title, e->columns[i].key, true};
    ridge_table_init(&table, arena, columns, e->column_count + 1);
    for (size_t r = 0; r < e->row_count; r++) {
        const char **cells = ridge_table_row(&table);
        if (!cells)
            return ridge_no_memory(err);
        cells[0] = e->rows[r].name;
        for (size_t i = 0; i < e->column_count; i++)
            if (!(cells[i + 1] = cell(e, r, i, style == RIDGE_FORM_CSV, arena)))
                return ridge_no_memory(err);
    }
    ridge_table_render(out, &table, style, width);
    return RIDGE_OK;
}

ridge_status ridge_experiment_text(ridge_buf *out, const ridge_experiment *e, int width, ridge_arena *arena, ridge_err *err)
{
    ridge_buf_addf(out, "%s: %s\n%s, measured\n\n", ridge_experiment_names[e->request->kind], ridge_experiment_asks[e->request->kind],
                   e->subject);
    ridge_status st = ridge_experiment_table(out, e, RIDGE_FORM_TEXT, width, arena, err);
    if (st)
        return st;
    if (e->verdict)
        ridge_buf_addf(out, "\nverdict   %s\n%s\n", e->verdict, e->sentence);
    else
        ridge_buf_addf(out, "\n%s\n", e->sentence);
    return RIDGE_OK;
}

/* ---- pictures ---- */

/* what the x axis of a sweep is, and its curve */
typedef struct sweep {
    const char *x_title;
    const char *series[1];
} sweep;
static const sweep sweeps[RIDGE_EXPERIMENT_COUNT] = {
    [RIDGE_EXPERIMENT_TILE] = {"rows of a tile", {"time of all rows"}},
    [RIDGE_EXPERIMENT_THREADS] = {"threads", {"time"}},
    [RIDGE_EXPERIMENT_SIZES] = {"working set (KiB)", {"time to read 1 GB"}},
    [RIDGE_EXPERIMENT_BATCH] = {"rows at once", {"time of all rows at once"}},
};

/* seconds over the first column */
static ridge_status time_curve(ridge_plot *out, const ridge_experiment *e, ridge_arena *arena, ridge_err *err)
{
    const sweep *s = &sweeps[e->request->kind];
    bool sizes = e->request->kind == RIDGE_EXPERIMENT_SIZES;
    double *x = ridge_arena_array(arena, e->row_count + 1, sizeof *x), *y = ridge_arena_array(arena, e->row_count + 1, sizeof *y);
    if (!x || !y)
        return ridge_no_memory(err);
    for (size_t i = 0; i < e->row_count; i++) {
        x[i] = value_of(e, i, 0) / (sizes ? 1024 : 1);
        y[i] = sizes ? 1e9 / value_of(e, i, e->shown) : value_of(e, i, e->shown);
    }
    out->kind = RIDGE_PLOT_AREAS;
    out->u.areas = (ridge_plot_areas){.unit = RIDGE_PLOT_SECONDS,
                                      .x_title = s->x_title,
                                      .x = x,
                                      .x_count = e->row_count,
                                      .series = s->series,
                                      .series_count = 1,
                                      .values = y,
                                      .log_x = true};
    return RIDGE_OK;
}

enum { SERIES = 2 };

/* times as bars; where a part of a time is told (calculating from cache), it stands apart */
static ridge_status time_bars(ridge_plot *out, const ridge_experiment *e, ridge_arena *arena, ridge_err *err)
{
    static const char *const names[SERIES] = {"unpacking and multiplying, from cache", "waiting for memory"};
    static const char *const plain[] = {"time"};
    bool parts = e->request->kind == RIDGE_EXPERIMENT_QUANT;
    ridge_plot_bar *bars = ridge_arena_array(arena, e->row_count + 1, sizeof *bars);
    double(*values)[SERIES] = ridge_arena_array(arena, e->row_count + 1, sizeof *values);
    if (!bars || !values)
        return ridge_no_memory(err);
    for (size_t i = 0; i < e->row_count; i++) {
        double full = value_of(e, i, e->shown), near = parts ? value_of(e, i, 4) : full;
        values[i][0] = near < full ? near : full;
        values[i][1] = full - values[i][0];
        bars[i] = (ridge_plot_bar){e->rows[i].name, values[i]};
    }
    out->kind = RIDGE_PLOT_BARS;
    out->u.bars = (ridge_plot_bars){RIDGE_PLOT_SECONDS, parts ? names : plain, parts ? SERIES : 1, bars, e->row_count};
    return RIDGE_OK;
}

ridge_status ridge_experiment_picture(ridge_plot *out, const ridge_experiment *e, ridge_arena *arena, ridge_err *err)
{
    const char *verdict = e->verdict ? e->verdict : e->interrupted ? "interrupted" : "no conclusion";
    const char *title = ridge_arena_printf(arena, "%s: %s", ridge_experiment_names[e->request->kind], verdict);
    *out = (ridge_plot){.title = title ? title : "", .subtitle = e->subject};
    return sweeps[e->request->kind].x_title ? time_curve(out, e, arena, err) : time_bars(out, e, arena, err);
}
