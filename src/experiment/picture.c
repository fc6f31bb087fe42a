/* Pictures of an experiment (experiment.h). */
#include "experiment/experiment.h"

/* what the x axis of a sweep is, and its curve */
typedef struct experiment_axis {
    const char *x_title;
    const char *series[1];
} experiment_axis;
static const experiment_axis sweeps[RIDGE_EXPERIMENT_COUNT] = {
    [RIDGE_EXPERIMENT_TILE] = {"rows of a tile", {"time of all rows"}},
    [RIDGE_EXPERIMENT_THREADS] = {"threads", {"time"}},
    [RIDGE_EXPERIMENT_SIZES] = {"working set (KiB)", {"time to read 1 GB"}},
    [RIDGE_EXPERIMENT_BATCH] = {"rows at once", {"time of all rows at once"}},
};

/* KiB, threads or rows */
static double x_of(const ridge_experiment *e, const ridge_experiment_row *row)
{
    switch (e->request.kind) {
    case RIDGE_EXPERIMENT_SIZES:
        return (double)row->bytes / 1024;
    case RIDGE_EXPERIMENT_THREADS:
        return (double)row->threads;
    default:
        return (double)row->rows;
    }
}

static ridge_status time_curve(ridge_plot *out, const ridge_experiment *e, ridge_arena *arena, ridge_err *err)
{
    const experiment_axis *s = &sweeps[e->request.kind];
    double *x = ridge_arena_array(arena, e->row_count + 1, sizeof *x), *y = ridge_arena_array(arena, e->row_count + 1, sizeof *y);
    if (!x || !y)
        return ridge_no_memory(err);
    for (size_t i = 0; i < e->row_count; i++) {
        x[i] = x_of(e, &e->rows[i]);
        y[i] = e->request.kind == RIDGE_EXPERIMENT_SIZES ? 1e9 / e->rows[i].bytes_per_s : e->rows[i].time_s;
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
    bool parts = e->request.kind == RIDGE_EXPERIMENT_QUANT;
    ridge_plot_bar *bars = ridge_arena_array(arena, e->row_count + 1, sizeof *bars);
    double(*values)[SERIES] = ridge_arena_array(arena, e->row_count + 1, sizeof *values);
    if (!bars || !values)
        return ridge_no_memory(err);
    for (size_t i = 0; i < e->row_count; i++) {
        double full = e->rows[i].time_s, near = parts ? e->rows[i].compute_s : full;
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
    const char *title = ridge_arena_printf(arena, "%s: %s", ridge_experiment_names[e->request.kind], verdict);
    *out = (ridge_plot){.title = title ? title : "", .subtitle = e->subject};
    return sweeps[e->request.kind].x_title ? time_curve(out, e, arena, err) : time_bars(out, e, arena, err);
}
