/* Pictures of an experiment (experiment.h): medians with the interval that one more round is sure to be in. */
#include <math.h>

#include "experiment/experiment.h"

/* what a picture is of */
typedef struct experiment_view {
    bool alternatives, log_y;
    const char *x_title, *y_title, *y_unit;
    const char *groups[2];
    size_t group_count;
} experiment_view;

#define INTERVAL "median, with its 95 % interval where that is known"
static const experiment_view views[RIDGE_EXPERIMENT_COUNT] = {
    [RIDGE_EXPERIMENT_MEMORY] = {.alternatives = true, .y_title = "time", .y_unit = "s", .groups = {INTERVAL}, .group_count = 1},
    [RIDGE_EXPERIMENT_QUANT] = {.alternatives = true,
                                .y_title = "time",
                                .y_unit = "s",
                                .groups = {"weights from memory, " INTERVAL, "from cache: unpacking and multiplying alone"},
                                .group_count = 2},
    [RIDGE_EXPERIMENT_TILE] =
        {.log_y = true, .x_title = "rows of a tile", .y_title = "time of all rows", .y_unit = "s", .groups = {INTERVAL}, .group_count = 1},
    [RIDGE_EXPERIMENT_THREADS] = {.x_title = "threads", .y_title = "weights read", .y_unit = "B/s", .groups = {INTERVAL}, .group_count = 1},
    [RIDGE_EXPERIMENT_SIZES] = {.log_y = true,
                                .x_title = "working set of all threads",
                                .y_title = "bandwidth",
                                .y_unit = "B/s",
                                .groups = {INTERVAL},
                                .group_count = 1},
    [RIDGE_EXPERIMENT_BATCH] =
        {.log_y = true, .x_title = "rows at once", .y_title = "time of a row", .y_unit = "s", .groups = {INTERVAL}, .group_count = 1},
};

/* an amount over the time where rates are shown; else the time, of `parts` of it */
static ridge_plot_sample sample_of(const char *label, double x, const ridge_experiment_time *time, double amount, double parts,
                                   unsigned group)
{
    const ridge_sample_statistics *all = &time->all;
    const bool rate = amount > 0, sure = all->kept >= RIDGE_ROUNDS_LEAST && time->rounds >= RIDGE_ROUNDS_LEAST;
    ridge_plot_sample s = {.label = label, .x = x, .y = rate ? amount / all->median_s : all->median_s / parts, .low = 1, .group = group};
    if (sure) {
        s.low = rate ? amount / all->high_s : all->low_s / parts;
        s.high = rate ? amount / all->low_s : all->high_s / parts;
    }
    return s;
}

/* one measurement of a row; from cache where `near` */
static ridge_plot_sample item_of(const ridge_experiment *e, const ridge_experiment_row *row, const char *number, bool near)
{
    const double bytes = row->bytes_per_s * row->time.all.median_s;
    switch (e->request.kind) {
    case RIDGE_EXPERIMENT_SIZES:
        return sample_of(row->name, (double)row->bytes, &row->time, (double)row->bytes, 1, 0);
    case RIDGE_EXPERIMENT_THREADS:
        return sample_of(number, (double)row->threads, &row->time, bytes, 1, 0);
    case RIDGE_EXPERIMENT_BATCH:
        return sample_of(number, (double)row->rows, &row->time, 0, (double)row->rows, 0);
    case RIDGE_EXPERIMENT_TILE:
        return sample_of(number, (double)row->rows, &row->time, 0, 1, 0);
    default:
        return sample_of(row->name, 1, near ? &row->compute : &row->time, 0, 1, near);
    }
}

static ridge_status add_items(ridge_plot_samples *p, const ridge_experiment *e, ridge_arena *arena, ridge_err *err)
{
    const bool both = e->request.kind == RIDGE_EXPERIMENT_QUANT;
    ridge_plot_sample *items = ridge_arena_array(arena, 2 * e->row_count + 1, sizeof *items);
    if (!items)
        return ridge_no_memory(err);
    for (const ridge_experiment_row *row = e->rows; row < e->rows + e->row_count; row++) {
        const int64_t number = row->threads > 0 ? row->threads : row->rows;
        const char *text = ridge_arena_printf(arena, "%lld", (long long)number);
        if (!text)
            return ridge_no_memory(err);
        items[p->count++] = item_of(e, row, text, false);
        if (both)
            items[p->count++] = item_of(e, row, text, true);
    }
    p->items = items;
    return RIDGE_OK;
}

/* the caches within what was measured */
static ridge_status add_marks(ridge_plot_samples *p, const ridge_experiment *e, ridge_arena *arena, ridge_err *err)
{
    ridge_plot_mark *marks = ridge_arena_array(arena, e->cache_count + 1, sizeof *marks);
    if (!marks)
        return ridge_no_memory(err);
    for (const ridge_experiment_cache *c = e->caches; c < e->caches + e->cache_count; c++) {
        const char *label = c->bytes < 1 << 20 ? ridge_arena_printf(arena, "%s %.4g KiB", c->name, (double)c->bytes / 1024)
                                               : ridge_arena_printf(arena, "%s %.4g MiB", c->name, (double)c->bytes / (1 << 20));
        if (!label)
            return ridge_no_memory(err);
        if (e->row_count > 0 && c->bytes <= e->rows[e->row_count - 1].bytes)
            marks[p->mark_count++] = (ridge_plot_mark){label, (double)c->bytes};
    }
    p->marks = marks;
    return RIDGE_OK;
}

ridge_status ridge_experiment_picture(ridge_plot *out, const ridge_experiment *e, ridge_arena *arena, ridge_err *err)
{
    const experiment_view *v = &views[e->request.kind];
    const char *verdict = e->verdict ? e->verdict : e->interrupted ? "interrupted" : "no conclusion";
    const char *title = ridge_arena_printf(arena, "%s: %s", ridge_experiment_names[e->request.kind], verdict);
    *out = (ridge_plot){.title = title ? title : "", .subtitle = e->subject, .kind = RIDGE_PLOT_SAMPLES};
    out->u.samples = (ridge_plot_samples){.alternatives = v->alternatives,
                                          .log_y = v->log_y,
                                          .x_title = v->x_title ? v->x_title : "",
                                          .y_title = v->y_title,
                                          .y_unit = v->y_unit,
                                          .groups = v->groups,
                                          .group_count = v->group_count};
    ridge_status st = add_items(&out->u.samples, e, arena, err);
    return st ? st : add_marks(&out->u.samples, e, arena, err);
}
