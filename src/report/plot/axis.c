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
        return value == 0 ? "0" : ridge_text_tick(arena, value, axis->unit);
    double tiny = fabs(value);
    const char *text;
    if (axis->marks)
        text = ridge_arena_printf(arena, "%.7g", value);
    else if (value != 0 && (tiny < 0.00099 || tiny > 9.9e20))
        text = exponent_label(arena, value);
    else if (tiny < 9999)
        text = ridge_arena_printf(arena, "%.4g", value);
    else
        text = ridge_text_tick(arena, value, "");
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

#define TITLE_SIZE    18.0
#define SUBTITLE_SIZE 13.0
#define LEGEND_SIZE   12.5
#define LEGEND_LINE   21.0
#define LEGEND_INDENT 19.0 /* of a name behind its mark */

static void legend_mark(ridge_scene *scene, const ridge_legend_item *item, double x, double y)
{
    if (item->mark != RIDGE_LEGEND_AREA) {
        ridge_scene_marker(scene, item->group, (ridge_xy){x + 6, y}, 5.5, item->mark == RIDGE_LEGEND_HOLLOW, NULL);
        return;
    }
    ridge_scene_rect(scene, (ridge_paint)(RIDGE_PAINT_G0 + item->group % RIDGE_PLOT_GROUPS), 0.85, x, y - 6.5, x + 13, y + 6.5, NULL);
    ridge_scene_hatch_rect(scene, item->group, x, y - 6.5, x + 13, y + 6.5);
}

/* Where a legend's items stand, side by side on as many lines as they need; returns the height of the lines. */
static double place_legend(ridge_xy *places, double width, const ridge_legend_item *items, size_t count)
{
    ridge_xy at = {MARGIN, 0};
    for (size_t i = 0; i < count; i++) {
        double taken = LEGEND_INDENT + ridge_text_width(items[i].name, LEGEND_SIZE);
        if (at.x > MARGIN && at.x + taken > width - MARGIN)
            at = (ridge_xy){MARGIN, at.y + LEGEND_LINE};
        places[i] = at;
        at.x += taken + 18;
    }
    return count > 0 ? at.y + LEGEND_LINE : 0;
}

static void draw_legend(ridge_scene *scene, double y, const ridge_legend_item *items, const ridge_xy *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        legend_mark(scene, &items[i], places[i].x, y + places[i].y);
        ridge_scene_text(scene, RIDGE_PAINT_INK, LEGEND_SIZE, RIDGE_ANCHOR_START, (ridge_xy){places[i].x + LEGEND_INDENT, y + places[i].y},
                         items[i].name);
    }
}

enum { TITLE_LINES = 5, SUBTITLE_LINES = 6 };

void ridge_draw_head(ridge_scene *scene, double *top, const ridge_plot *plot, bool embedded, const ridge_legend_item *items, size_t count)
{
    const char *title[TITLE_LINES], *subtitle[SUBTITLE_LINES];
    ridge_xy places[RIDGE_LEGEND_MOST];
    const double inside = scene->width - 2 * MARGIN, size = scene->width < RIDGE_NARROW ? TITLE_SIZE - 2 : TITLE_SIZE;
    double y = embedded ? 6 : 18, legend = place_legend(places, scene->width, items, count);
    size_t titles = 0, subtitles = 0;
    if (!embedded) { /* bold letters are a tenth wider */
        titles =
            ridge_text_lines(title, TITLE_LINES, scene->arena, ridge_text_clean(scene->arena, plot->title, SIZE_MAX), size * 1.1, inside);
        subtitles = ridge_text_lines(subtitle, SUBTITLE_LINES, scene->arena, ridge_text_clean(scene->arena, plot->subtitle, SIZE_MAX),
                                     SUBTITLE_SIZE, inside);
        if (scene->grows)
            scene->height += (titles > 1 ? (double)(titles - 1) * 23 : 0) + (subtitles > 1 ? (double)(subtitles - 1) * 17 : 0);
    }
    if (scene->grows && legend > LEGEND_LINE)
        scene->height += legend - LEGEND_LINE;
    if (!embedded)
        ridge_scene_rect(scene, RIDGE_PAINT_GROUND, 1, 0, 0, scene->width, scene->height, NULL);
    for (size_t i = 0; i < titles; i++, y += 23)
        ridge_scene_title(scene, size, (ridge_xy){MARGIN, y + 9}, title[i]);
    y += titles > 0 ? 5 : 0;
    for (size_t i = 0; i < subtitles; i++, y += 17)
        ridge_scene_text(scene, RIDGE_PAINT_FAINT, SUBTITLE_SIZE, RIDGE_ANCHOR_START, (ridge_xy){MARGIN, y + 6}, subtitle[i]);
    y += subtitles > 0 ? 5 : 0;
    draw_legend(scene, y + 8, items, places, count);
    *top = y + legend + 6;
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
