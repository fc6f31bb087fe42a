#include "report/plot/layout.h"

#include <math.h>

static double share_of(const ridge_axis *axis, double value)
{
    if (!axis->log)
        return (value - axis->lo) / (axis->hi - axis->lo);
    return value > 0 ? log10(value / axis->lo) / log10(axis->hi / axis->lo) : -INFINITY;
}

double ridge_axis_at(const ridge_axis *axis, double value)
{
    double share = fmin(fmax(share_of(axis, value), 0), 1);
    return axis->from + share * (axis->to - axis->from);
}

static void log_ticks(ridge_ticks *out, const ridge_axis *axis, int wanted)
{
    int first = (int)ceil(log10(axis->lo) - 1e-9), last = (int)floor(log10(axis->hi) + 1e-9);
    int step = 1;
    while ((last - first) / step >= wanted || (last - first) / step >= 60)
        step++;
    for (int e = first; e <= last; e++)
        if (e % step == 0)
            out->values[out->count++] = pow(10, e);
}

static void linear_ticks(ridge_ticks *out, const ridge_axis *axis, int wanted)
{
    double step = pow(10, floor(log10((axis->hi - axis->lo) / wanted)));
    for (int i = 0; (axis->hi - axis->lo) / step > wanted; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    for (double k = ceil(axis->lo / step - 1e-9); k * step <= axis->hi * (1 + 1e-9) && out->count < 60; k++)
        out->values[out->count++] = k * step;
}

/* every, every 2nd, 3rd ... of the marks */
static void marked_ticks(ridge_ticks *out, const ridge_axis *axis, int wanted)
{
    size_t most = wanted < 60 ? (size_t)wanted : 60, step = (axis->mark_count + most - 1) / most;
    for (size_t i = 0; i < axis->mark_count; i += step)
        out->values[out->count++] = axis->marks[i];
}

void ridge_axis_ticks(ridge_ticks *out, const ridge_axis *axis, int wanted)
{
    out->count = 0;
    wanted = wanted < 2 ? 2 : wanted;
    if (axis->marks)
        marked_ticks(out, axis, wanted);
    else if (axis->log)
        log_ticks(out, axis, wanted);
    else
        linear_ticks(out, axis, wanted);
}

/* "1e-7", where printf says "1e-07" */
static const char *exponent_label(ridge_arena *arena, double value)
{
    char *text = ridge_arena_printf(arena, "%.3g", value), *zero = text ? strstr(text, "e-0") : NULL;
    if (zero)
        memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
    return text;
}

const char *ridge_axis_label(ridge_arena *arena, const ridge_axis *axis, double value)
{
    if (!isfinite(value))
        return ridge_text_number(arena, value);
    if (axis->unit[0])
        return value == 0 ? "0" : ridge_text_quantity(arena, value, axis->unit);
    double tiny = fabs(value);
    const char *text;
    if (axis->marks)
        text = ridge_arena_printf(arena, "%.7g", value);
    else if (value != 0 && (tiny < 0.00099 || tiny > 9.9e20))
        text = exponent_label(arena, value);
    else if (tiny < 9999)
        text = ridge_arena_printf(arena, "%.4g", value);
    else
        text = ridge_text_quantity(arena, value, "");
    return text ? text : "";
}

/* ---- boxes ---- */

void ridge_boxes_add(ridge_boxes *boxes, ridge_box box)
{
    ridge_box *items = ridge_arena_grow(boxes->arena, boxes->items, boxes->count, &boxes->cap, boxes->count + 1, sizeof *items);
    if (!items)
        return;
    boxes->items = items;
    items[boxes->count++] = box;
}

size_t ridge_boxes_hit(const ridge_boxes *boxes, ridge_box box)
{
    size_t hits = 0;
    for (size_t i = 0; i < boxes->count; i++) {
        const ridge_box *b = &boxes->items[i];
        hits += b->x0 < box.x1 && box.x0 < b->x1 && b->y0 < box.y1 && box.y0 < b->y1;
    }
    return hits;
}

double ridge_boxes_cover(const ridge_boxes *boxes, ridge_box box)
{
    double area = 0;
    for (size_t i = 0; i < boxes->count; i++) {
        const ridge_box *b = &boxes->items[i];
        double width = fmin(b->x1, box.x1) - fmax(b->x0, box.x0), height = fmin(b->y1, box.y1) - fmax(b->y0, box.y0);
        area += width > 0 && height > 0 ? width * height : 0;
    }
    return area;
}

/* ---- frame ---- */

#define MARGIN 20.0

static void legend_mark(ridge_scene *scene, const ridge_legend_item *item, double x, double y)
{
    if (item->mark == RIDGE_LEGEND_AREA)
        ridge_scene_rect(scene, (ridge_paint)(RIDGE_PAINT_G0 + item->group % RIDGE_PLOT_GROUPS), 0.85, x, y - 5.5, x + 11, y + 5.5, NULL);
    else
        ridge_scene_marker(scene, item->group, (ridge_xy){x + 5.5, y}, 5.5, item->mark == RIDGE_LEGEND_HOLLOW, NULL);
}

/* items side by side, on as many lines as they need; the place below */
static double draw_legend(ridge_scene *scene, double y, const ridge_legend_item *items, size_t count)
{
    double x = MARGIN, line = 21;
    for (size_t i = 0; i < count; i++) {
        double width = 17 + ridge_text_width(items[i].name, 12.5);
        if (x > MARGIN && x + width > scene->width - MARGIN) {
            x = MARGIN;
            y += line;
        }
        legend_mark(scene, &items[i], x, y);
        ridge_scene_text(scene, RIDGE_PAINT_INK, 12.5, RIDGE_ANCHOR_START, (ridge_xy){x + 17, y}, items[i].name);
        x += width + 18;
    }
    return y + line;
}

void ridge_draw_head(ridge_scene *scene, double *top, const ridge_plot *plot, bool embedded, const ridge_legend_item *items, size_t count)
{
    double y = embedded ? 6 : 18;
    if (!embedded)
        ridge_scene_rect(scene, RIDGE_PAINT_GROUND, 1, 0, 0, scene->width, scene->height, NULL);
    if (!embedded && plot->title[0]) {
        size_t limit = (size_t)(scene->width / 9.5);
        ridge_scene_title(scene, 18, (ridge_xy){MARGIN, y + 9}, ridge_text_clean(scene->arena, plot->title, limit));
        y += 28;
    }
    if (!embedded && plot->subtitle[0]) {
        size_t limit = (size_t)(scene->width / 7);
        ridge_scene_text(scene, RIDGE_PAINT_FAINT, 13, RIDGE_ANCHOR_START, (ridge_xy){MARGIN, y + 6},
                         ridge_text_clean(scene->arena, plot->subtitle, limit));
        y += 22;
    }
    if (count)
        y = draw_legend(scene, y + 8, items, count) - 8;
    *top = y + 6;
}

/* the lines at 2, 3, ... 9 times a power of ten */
static void draw_minor(ridge_scene *scene, const ridge_axis *axis, const ridge_box *box, bool upright)
{
    double decades = log10(axis->hi / axis->lo);
    if (!axis->log || axis->marks || fabs(axis->to - axis->from) / decades < 60)
        return;
    ridge_stroke stroke = {RIDGE_PAINT_GRID, 0.5, false};
    for (double e = floor(log10(axis->lo)); e <= log10(axis->hi); e++)
        for (int k = 2; k <= 9; k++) {
            double value = k * pow(10, e), at = ridge_axis_at(axis, value);
            if (value <= axis->lo || value >= axis->hi)
                continue;
            if (upright)
                ridge_scene_line(scene, stroke, (ridge_xy){at, box->y0}, (ridge_xy){at, box->y1});
            else
                ridge_scene_line(scene, stroke, (ridge_xy){box->x0, at}, (ridge_xy){box->x1, at});
        }
}

static void draw_ticks(ridge_scene *scene, const ridge_axis *axis, const ridge_box *box, bool upright)
{
    ridge_ticks ticks;
    ridge_axis_ticks(&ticks, axis, (int)(fabs(axis->to - axis->from) / (upright ? 58 : 36)));
    for (size_t i = 0; i < ticks.count; i++) {
        double at = ridge_axis_at(axis, ticks.values[i]);
        const char *label = ridge_axis_label(scene->arena, axis, ticks.values[i]);
        ridge_stroke stroke = {RIDGE_PAINT_GRID, 1, false};
        if (upright) {
            ridge_scene_line(scene, stroke, (ridge_xy){at, box->y0}, (ridge_xy){at, box->y1});
            ridge_scene_text(scene, RIDGE_PAINT_FAINT, 12, RIDGE_ANCHOR_MIDDLE, (ridge_xy){at, box->y1 + 14}, label);
        } else {
            ridge_scene_line(scene, stroke, (ridge_xy){box->x0, at}, (ridge_xy){box->x1, at});
            ridge_scene_text(scene, RIDGE_PAINT_FAINT, 12, RIDGE_ANCHOR_END, (ridge_xy){box->x0 - 8, at}, label);
        }
    }
}

void ridge_draw_frame(ridge_scene *scene, const ridge_frame *frame)
{
    const ridge_box *box = &frame->inside;
    ridge_scene_rect(scene, RIDGE_PAINT_PANEL, 1, box->x0, box->y0, box->x1, box->y1, NULL);
    draw_minor(scene, &frame->x, box, true);
    draw_minor(scene, &frame->y, box, false);
    draw_ticks(scene, &frame->x, box, true);
    if (frame->y.hi > frame->y.lo)
        draw_ticks(scene, &frame->y, box, false);
    ridge_scene_text(scene, RIDGE_PAINT_FAINT, 12.5, RIDGE_ANCHOR_MIDDLE, (ridge_xy){(box->x0 + box->x1) / 2, box->y1 + 36},
                     frame->x_title);
    ridge_scene_text_turned(scene, RIDGE_PAINT_FAINT, 12.5, (ridge_xy){18, (box->y0 + box->y1) / 2}, 90, frame->y_title);
}
