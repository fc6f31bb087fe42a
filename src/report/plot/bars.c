/* Stacked horizontal bars, and stacked areas under their limits. */
#include "report/plot/layout.h"

#include <math.h>

static const char *unit_name(ridge_plot_unit unit)
{
    return unit == RIDGE_PLOT_SECONDS ? "s" : "B";
}

#define SERIES_MAX 32
#define NAME_LIMIT 60 /* characters of a series' name in the legend */

static ridge_paint paint_of(size_t series)
{
    return (ridge_paint)(RIDGE_PAINT_G0 + series % RIDGE_PLOT_GROUPS);
}

static size_t series_legend(ridge_legend_item *items, const char *const *series, size_t count, ridge_arena *arena)
{
    size_t n = count < SERIES_MAX ? count : SERIES_MAX;
    for (size_t i = 0; i < n; i++)
        items[i] = (ridge_legend_item){ridge_text_clean(arena, i < count - 1 || count <= SERIES_MAX ? series[i] : "all others", NAME_LIMIT),
                                       (unsigned)i, RIDGE_LEGEND_AREA};
    return n;
}

static const char *tip_of(ridge_arena *arena, const char *label, const char *series, double value, const char *unit, double share)
{
    const char *text = ridge_arena_printf(arena, "%s, %s: %s (%.3g %%)", ridge_text_clean(arena, label, 80),
                                          ridge_text_clean(arena, series, 32), ridge_text_quantity(arena, value, unit), share * 100);
    return text ? text : "";
}

/* ---- bars ---- */

#define BARS_MAX 40

typedef struct bar_row {
    const char *label;
    double values[SERIES_MAX];
    double total;
} bar_row;

static double total_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

/* the bars as drawn: at most BARS_MAX, the last then being the sum of the others; series past the last that has a place go into it */
static size_t rows_of(bar_row *rows, const ridge_plot_bars *bars, ridge_arena *arena)
{
    size_t n = bars->bar_count < BARS_MAX ? bars->bar_count : BARS_MAX;
    for (size_t i = 0; i < bars->bar_count; i++) {
        bar_row *row = &rows[i < n ? i : n - 1];
        for (size_t s = 0; s < bars->series_count; s++)
            row->values[s < SERIES_MAX ? s : SERIES_MAX - 1] += bars->bars[i].values[s];
        row->total += total_of(bars->bars[i].values, bars->series_count);
        if (i < n)
            row->label = ridge_text_clean(arena, bars->bars[i].label, 60);
    }
    if (bars->bar_count > BARS_MAX) {
        const char *rest = ridge_arena_printf(arena, "%zu others", bars->bar_count - BARS_MAX + 1);
        rows[n - 1].label = rest ? rest : "";
    }
    return n;
}

/* "12 %", "< 0.01 %" */
static const char *share_text(ridge_arena *arena, double share)
{
    const char *text = share > 0 && share < 0.0001 ? "< 0.01 %" : ridge_arena_printf(arena, "%.3g %%", share * 100);
    return text ? text : "";
}

/* "1.2 ms, 12 %" behind the end of its bar; on a phone at the right, on the label's line */
static void draw_total(ridge_scene *scene, const ridge_plot_bars *bars, const bar_row *row, ridge_xy at, ridge_anchor anchor, double whole)
{
    const char *total = ridge_text_quantity(scene->arena, row->total, unit_name(bars->unit));
    const char *text = whole > 0 ? ridge_arena_printf(scene->arena, "%s, %s", total, share_text(scene->arena, row->total / whole)) : total;
    ridge_scene_text(scene, RIDGE_PAINT_FAINT, 12, anchor, at, text ? text : total);
}

static void draw_bar(ridge_scene *scene, const ridge_plot_bars *bars, const bar_row *row, const ridge_axis *x, ridge_box box, double whole)
{
    double before = 0;
    for (size_t s = 0; s < bars->series_count && s < SERIES_MAX; s++) {
        double from = ridge_axis_at(x, before), to = ridge_axis_at(x, before + row->values[s]);
        before += row->values[s];
        if (row->values[s] <= 0)
            continue;
        const char *tip = tip_of(scene->arena, row->label, bars->series[s], row->values[s], unit_name(bars->unit),
                                 whole > 0 ? row->values[s] / whole : 0);
        ridge_scene_rect(scene, paint_of(s), 0.85, from, box.y0, to, box.y1, tip);
        ridge_scene_hatch_rect(scene, s, from, box.y0, to, box.y1);
    }
}

/* One row: its label at the left of the bar, or above it, where the picture is a phone's. */
static void draw_row(ridge_scene *scene, const ridge_plot_bars *bars, const bar_row *row, const ridge_axis *x, ridge_box box, double whole)
{
    double pitch = box.y1 - box.y0, middle = (box.y0 + box.y1) / 2, thick = fmin(pitch * 0.72, 26);
    if (scene->width < RIDGE_NARROW) {
        const char *label[1];
        if (ridge_text_lines(label, 1, scene->arena, row->label, 12, (box.x1 - box.x0) * 0.62))
            ridge_scene_text(scene, RIDGE_PAINT_INK, 12, RIDGE_ANCHOR_START, (ridge_xy){box.x0, box.y0 + 9}, label[0]);
        draw_total(scene, bars, row, (ridge_xy){box.x1, box.y0 + 9}, RIDGE_ANCHOR_END, whole);
        draw_bar(scene, bars, row, x, (ridge_box){box.x0, box.y0 + 18, box.x1, box.y1 - 6}, whole);
        return;
    }
    draw_bar(scene, bars, row, x, (ridge_box){box.x0, middle - thick / 2, box.x1, middle + thick / 2}, whole);
    ridge_scene_text(scene, RIDGE_PAINT_INK, 12, RIDGE_ANCHOR_END, (ridge_xy){box.x0 - 8, middle}, row->label);
    draw_total(scene, bars, row, (ridge_xy){ridge_axis_at(x, row->total) + 6, middle}, RIDGE_ANCHOR_START, whole);
}

/* Labels that take more of the picture than they may end in an ellipsis; returns the room that they take. */
static double fit_labels(bar_row *rows, size_t count, ridge_scene *scene)
{
    double taken = 40, most = scene->width * 0.42;
    for (size_t i = 0; i < count; i++) {
        const char *line[1];
        if (ridge_text_width(rows[i].label, 12) > most && ridge_text_lines(line, 1, scene->arena, rows[i].label, 12, most))
            rows[i].label = line[0];
        taken = fmax(taken, ridge_text_width(rows[i].label, 12));
    }
    return fmin(taken, most);
}

void ridge_draw_bars(ridge_scene *scene, const ridge_plot *plot, bool embedded)
{
    const ridge_plot_bars *bars = &plot->u.bars;
    ridge_legend_item items[RIDGE_LEGEND_MOST];
    bar_row *rows = ridge_arena_array(scene->arena, BARS_MAX, sizeof *rows);
    double top, longest = 0, whole = 0;
    const bool narrow = scene->width < RIDGE_NARROW;
    if (!rows) {
        scene->failed = true;
        return;
    }
    size_t n = rows_of(rows, bars, scene->arena);
    for (size_t i = 0; i < n; i++) {
        longest = fmax(longest, rows[i].total);
        whole += rows[i].total;
    }
    const double labels = narrow ? 0 : fit_labels(rows, n, scene), totals = narrow ? 0 : 130;
    ridge_draw_head(scene, &top, plot, embedded, items, series_legend(items, bars->series, bars->series_count, scene->arena));
    ridge_box in = {narrow ? 20 : labels + 24, top + 2, scene->width - (narrow ? 22 : 24), scene->height - 52};
    double pitch = (in.y1 - in.y0) / (double)(n ? n : 1), width = in.x1 - in.x0;
    ridge_frame frame = {
        in,
        {0, longest > 0 ? longest * width / fmax(width - totals, 60) : 1, in.x0, in.x1, false, unit_name(bars->unit), NULL, 0},
        {0, 0, in.y0, in.y1, false, "", NULL, 0},
        bars->unit == RIDGE_PLOT_SECONDS ? "time" : "bytes",
        ""};
    ridge_draw_frame(scene, &frame);
    for (size_t i = 0; i < n; i++) {
        double y = in.y0 + pitch * (double)i;
        draw_row(scene, bars, &rows[i], &frame.x, (ridge_box){in.x0, y, in.x1, y + pitch}, whole);
    }
}

/* ---- areas ---- */

static double highest_of(const ridge_plot_areas *a)
{
    double high = 0;
    for (size_t i = 0; i < a->x_count; i++) {
        double sum = 0;
        for (size_t s = 0; s < a->series_count; s++)
            sum += a->values[s * a->x_count + i];
        high = fmax(high, sum);
    }
    for (size_t i = 0; i < a->limit_count; i++)
        high = fmax(high, a->limits[i].value);
    return high > 0 ? high * 1.12 : 1;
}

#define STEPS 8 /* from one x to the next: what is straight on a linear axis is a curve on a log one */

static double between(double from, double to, double t)
{
    return from + t * (to - from);
}

/* one series on top of those before it: below[] is raised by it */
static void draw_area(ridge_scene *scene, const ridge_plot_areas *a, const ridge_frame *frame, size_t s, double *below)
{
    size_t given = a->x_count, n = (given - 1) * STEPS + 1;
    ridge_xy *points = ridge_arena_array(scene->arena, n * 2, sizeof *points);
    if (!points) {
        scene->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        size_t k = i / STEPS, next = k + 1 < given ? k + 1 : k;
        double t = (double)(i % STEPS) / STEPS, x = ridge_axis_at(&frame->x, between(a->x[k], a->x[next], t));
        double low = between(below[k], below[next], t), high = low + between(a->values[s * given + k], a->values[s * given + next], t);
        points[2 * n - 1 - i] = (ridge_xy){x, ridge_axis_at(&frame->y, low)};
        points[i] = (ridge_xy){x, ridge_axis_at(&frame->y, high)};
    }
    for (size_t k = 0; k < given; k++)
        below[k] += a->values[s * given + k];
    ridge_paint paint = paint_of(s);
    const char *series = ridge_text_clean(scene->arena, a->series[s], NAME_LIMIT);
    const char *tip = ridge_arena_printf(scene->arena, "%s: %s to %s", series,
                                         ridge_text_quantity(scene->arena, a->values[s * given], unit_name(a->unit)),
                                         ridge_text_quantity(scene->arena, a->values[s * given + given - 1], unit_name(a->unit)));
    ridge_scene_area(scene, paint, 0.75, points, 2 * n, tip);
    ridge_scene_hatch(scene, s, points, 2 * n);
    ridge_scene_path(scene, (ridge_stroke){paint, 1.2, false}, points, n);
}

static void draw_limit(ridge_scene *scene, const ridge_frame *frame, const ridge_plot_limit *limit)
{
    double y = ridge_axis_at(&frame->y, limit->value), x0 = frame->inside.x0, x1 = frame->inside.x1;
    const char *label = ridge_text_clean(scene->arena, limit->label, 60);
    double width = ridge_text_width(label, 12);
    ridge_scene_line(scene, (ridge_stroke){RIDGE_PAINT_ALARM, 1.8, true}, (ridge_xy){x0, y}, (ridge_xy){x1, y});
    ridge_scene_rect(scene, RIDGE_PAINT_PANEL, 0.75, x0 + 5, y - 19, x0 + 13 + width, y - 3, NULL);
    ridge_scene_text(scene, RIDGE_PAINT_ALARM, 12, RIDGE_ANCHOR_START, (ridge_xy){x0 + 9, y - 11}, label);
}

void ridge_draw_areas(ridge_scene *scene, const ridge_plot *plot, bool embedded)
{
    const ridge_plot_areas *a = &plot->u.areas;
    ridge_legend_item items[RIDGE_LEGEND_MOST];
    double top, *below = ridge_arena_array(scene->arena, a->x_count + 1, sizeof *below);
    if (!below) {
        scene->failed = true;
        return;
    }
    ridge_draw_head(scene, &top, plot, embedded, items, series_legend(items, a->series, a->series_count, scene->arena));
    ridge_box in = {scene->width < RIDGE_NARROW ? 82 : 98, top + 2, scene->width - 28, scene->height - 52};
    double lo = a->x_count ? a->x[0] : 1, hi = a->x_count ? a->x[a->x_count - 1] : 2;
    if (hi <= lo) /* one place only: shown as a level */
        hi = lo > 0 ? lo * 2 : lo + 1;
    ridge_frame frame = {in,
                         {lo, hi, in.x0, in.x1, a->log_x, "", a->log_x && a->x_count <= 24 ? a->x : NULL, a->x_count},
                         {0, highest_of(a), in.y1, in.y0, false, unit_name(a->unit), NULL, 0},
                         ridge_text_clean(scene->arena, a->x_title, 60),
                         a->unit == RIDGE_PLOT_BYTES ? "memory" : "time"};
    ridge_draw_frame(scene, &frame);
    for (size_t s = 0; s < a->series_count && a->x_count > 0; s++)
        draw_area(scene, a, &frame, s, below);
    for (size_t i = 0; i < a->limit_count; i++)
        draw_limit(scene, &frame, &a->limits[i]);
}
