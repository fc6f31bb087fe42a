/* Measurements with their intervals: a curve over a logarithmic axis, or alternatives in rows. */
#include "report/plot/layout.h"

#include <math.h>

#define RADIUS 4.5
#define CAP    4.0  /* half the end of an interval */
#define ROW    44.0 /* pixels of an alternative */
#define APART  56.0 /* pixels between two places that have a label */

static ridge_paint paint_of(unsigned group)
{
    return (ridge_paint)(RIDGE_PAINT_G0 + group % RIDGE_PLOT_GROUPS);
}

static bool is_sure(const ridge_plot_sample *s)
{
    return s->low <= s->high;
}

static bool shares_row(const ridge_plot_samples *p, size_t i)
{
    return i > 0 && strcmp(p->items[i].label, p->items[i - 1].label) == 0;
}

double ridge_samples_height(const ridge_plot_samples *p)
{
    double rows = 0;
    for (size_t i = 0; i < p->count; i++)
        rows += !shares_row(p, i);
    return 160 + ROW * rows;
}

void ridge_samples_range(double *low, double *high, const ridge_plot_samples *p)
{
    *low = INFINITY;
    *high = 0;
    for (size_t i = 0; i < p->count; i++) {
        const ridge_plot_sample *s = &p->items[i];
        *low = fmin(*low, is_sure(s) && s->low > 0 ? s->low : s->y);
        *high = fmax(*high, is_sure(s) ? s->high : s->y);
    }
    if (!(*high > 0)) {
        *low = 0.1;
        *high = 1;
    }
    *low = p->log_y ? *low / 1.25 : 0;
    *high *= p->log_y ? 1.25 : 1.08;
}

/* ---- one measurement ---- */

static const char *tip_of(ridge_arena *arena, const ridge_plot_samples *p, const ridge_plot_sample *s)
{
    const char *group = p->group_count > 1 ? p->groups[s->group] : p->y_title, *value = ridge_text_quantity(arena, s->y, p->y_unit);
    const char *label = ridge_text_clean(arena, s->label, 80), *name = ridge_text_clean(arena, group, 60);
    const char *text =
        is_sure(s) ? ridge_arena_printf(arena, "%s, %s: %s (%s to %s)", label, name, value, ridge_text_quantity(arena, s->low, p->y_unit),
                                        ridge_text_quantity(arena, s->high, p->y_unit))
                   : ridge_arena_printf(arena, "%s, %s: %s, how sure is not known", label, name, value);
    return text ? text : "";
}

/* the interval along one axis, its ends across it */
static void draw_interval(ridge_scene *scene, ridge_paint paint, ridge_xy from, ridge_xy to)
{
    const bool upright = from.x == to.x;
    const double dx = upright ? CAP : 0, dy = upright ? 0 : CAP;
    ridge_scene_line(scene, (ridge_stroke){paint, 1.6, false}, from, to);
    ridge_scene_line(scene, (ridge_stroke){paint, 1.6, false}, (ridge_xy){from.x - dx, from.y - dy}, (ridge_xy){from.x + dx, from.y + dy});
    ridge_scene_line(scene, (ridge_stroke){paint, 1.6, false}, (ridge_xy){to.x - dx, to.y - dy}, (ridge_xy){to.x + dx, to.y + dy});
}

/* ---- over x ---- */

static void draw_line(ridge_scene *scene, const ridge_plot_samples *p, const ridge_frame *frame, unsigned group)
{
    ridge_xy *points = ridge_arena_array(scene->arena, p->count + 1, sizeof *points);
    size_t n = 0;
    if (!points) {
        scene->failed = true;
        return;
    }
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].group == group)
            points[n++] = (ridge_xy){ridge_axis_at(&frame->x, p->items[i].x), ridge_axis_at(&frame->y, p->items[i].y)};
    if (n > 1)
        ridge_scene_path(scene, (ridge_stroke){paint_of(group), 1, false}, points, n);
}

static void draw_on_curve(ridge_scene *scene, const ridge_plot_samples *p, const ridge_frame *frame, const ridge_plot_sample *s)
{
    double x = ridge_axis_at(&frame->x, s->x);
    if (is_sure(s))
        draw_interval(scene, paint_of(s->group), (ridge_xy){x, ridge_axis_at(&frame->y, s->low)},
                      (ridge_xy){x, ridge_axis_at(&frame->y, s->high)});
    ridge_scene_marker(scene, s->group, (ridge_xy){x, ridge_axis_at(&frame->y, s->y)}, RADIUS, true, tip_of(scene->arena, p, s));
}

/* what the places on the axis are called, as many as have room */
static void draw_places(ridge_scene *scene, const ridge_plot_samples *p, const ridge_frame *frame)
{
    double last = -INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        double x = ridge_axis_at(&frame->x, p->items[i].x);
        if (p->items[i].group != 0 || x - last < APART)
            continue;
        last = x;
        ridge_scene_line(scene, (ridge_stroke){RIDGE_PAINT_GRID, 1, false}, (ridge_xy){x, frame->inside.y0},
                         (ridge_xy){x, frame->inside.y1});
        ridge_scene_text(scene, RIDGE_PAINT_FAINT, 12, RIDGE_ANCHOR_MIDDLE, (ridge_xy){x, frame->inside.y1 + 14},
                         ridge_text_clean(scene->arena, p->items[i].label, 24));
    }
}

/* an upright line, its name to the left of its upper end, a line lower where the one before is near */
static void draw_marks(ridge_scene *scene, const ridge_plot_samples *p, const ridge_frame *frame)
{
    double taken = -INFINITY, y = frame->inside.y0 + 11;
    for (size_t i = 0; i < p->mark_count; i++) {
        const char *label = ridge_text_clean(scene->arena, p->marks[i].label, 40);
        double x = ridge_axis_at(&frame->x, p->marks[i].x), width = ridge_text_width(label, 12);
        y = x - width - 8 < taken ? y + 16 : frame->inside.y0 + 11;
        taken = x;
        ridge_scene_line(scene, (ridge_stroke){RIDGE_PAINT_CEILING, 1.4, true}, (ridge_xy){x, frame->inside.y0},
                         (ridge_xy){x, frame->inside.y1});
        ridge_scene_text(scene, RIDGE_PAINT_INK, 12, x - width - 6 > frame->inside.x0 ? RIDGE_ANCHOR_END : RIDGE_ANCHOR_START,
                         (ridge_xy){x + (x - width - 6 > frame->inside.x0 ? -6 : 6), y}, label);
    }
}

/* 1, 2 and 5 times powers of ten: decades alone leave a narrow range without a tick */
static size_t fine_ticks(double *out, size_t most, double low, double high)
{
    static const double steps[] = {1, 2, 5};
    size_t n = 0;
    for (int e = (int)floor(log10(low)); e <= (int)ceil(log10(high)); e++)
        for (size_t k = 0; k < 3; k++) {
            double value = steps[k] * pow(10, e);
            if (value >= low && value <= high && n < most)
                out[n++] = value;
        }
    return n;
}

static void draw_curve(ridge_scene *scene, const ridge_plot_samples *p, double top)
{
    static const double none[1] = {0};
    const ridge_box in = {112, top + 2, scene->width - 28, scene->height - 52};
    double low, high, first = INFINITY, last = 0, ticks[32];
    ridge_samples_range(&low, &high, p);
    for (size_t i = 0; i < p->count; i++) {
        first = fmin(first, p->items[i].x);
        last = fmax(last, p->items[i].x);
    }
    if (p->count == 0)
        first = last = 1;
    size_t tick_count = p->log_y ? fine_ticks(ticks, sizeof ticks / sizeof *ticks, low, high) : 0;
    const ridge_frame frame = {in,
                               {first / 1.3, last * 1.3, in.x0, in.x1, true, "", none, 0},
                               {low, high, in.y1, in.y0, p->log_y, p->y_unit, tick_count > 0 ? ticks : NULL, tick_count},
                               ridge_text_clean(scene->arena, p->x_title, 80),
                               ridge_text_clean(scene->arena, p->y_title, 60)};
    ridge_draw_frame(scene, &frame);
    draw_places(scene, p, &frame);
    draw_marks(scene, p, &frame);
    for (unsigned g = 0; g < p->group_count; g++)
        draw_line(scene, p, &frame, g);
    for (size_t i = 0; i < p->count; i++)
        draw_on_curve(scene, p, &frame, &p->items[i]);
}

/* ---- alternatives ---- */

static void draw_in_row(ridge_scene *scene, const ridge_plot_samples *p, const ridge_axis *x, const ridge_plot_sample *s, double y)
{
    double at = ridge_axis_at(x, s->y), right = is_sure(s) ? ridge_axis_at(x, s->high) : at;
    if (is_sure(s))
        draw_interval(scene, paint_of(s->group), (ridge_xy){ridge_axis_at(x, s->low), y}, (ridge_xy){right, y});
    ridge_scene_marker(scene, s->group, (ridge_xy){at, y}, RADIUS, true, tip_of(scene->arena, p, s));
    ridge_scene_text(scene, RIDGE_PAINT_FAINT, 12, RIDGE_ANCHOR_START, (ridge_xy){fmax(right, at + RADIUS) + 6, y},
                     ridge_text_quantity(scene->arena, s->y, p->y_unit));
}

static void draw_alternatives(ridge_scene *scene, const ridge_plot_samples *p, double top)
{
    double low, high, labels = 40, y = 0;
    ridge_samples_range(&low, &high, p);
    for (size_t i = 0; i < p->count; i++)
        labels = fmax(labels, ridge_text_width(ridge_text_clean(scene->arena, p->items[i].label, 40), 12));
    labels = fmin(labels, scene->width * 0.4);
    const ridge_box in = {labels + 24, top + 2, scene->width - 24, scene->height - 52};
    const double room = in.x1 - in.x0;
    const ridge_frame frame = {in,
                               {low, high * room / fmax(room - 90, 60), in.x0, in.x1, p->log_y, p->y_unit, NULL, 0},
                               {0, 0, in.y0, in.y1, false, "", NULL, 0},
                               ridge_text_clean(scene->arena, p->y_title, 60),
                               ""};
    ridge_draw_frame(scene, &frame);
    const double pitch = (in.y1 - in.y0) / fmax((ridge_samples_height(p) - 160) / ROW, 1);
    for (size_t i = 0, row = 0; i < p->count; i++) {
        row += i > 0 && !shares_row(p, i);
        const bool alone = !shares_row(p, i) && !(i + 1 < p->count && shares_row(p, i + 1));
        y = in.y0 + pitch * ((double)row + 0.5);
        if (!shares_row(p, i))
            ridge_scene_text(scene, RIDGE_PAINT_INK, 12, RIDGE_ANCHOR_END, (ridge_xy){in.x0 - 8, y},
                             ridge_text_clean(scene->arena, p->items[i].label, 40));
        draw_in_row(scene, p, &frame.x, &p->items[i], alone ? y : y + (shares_row(p, i) ? 9 : -9));
    }
}

void ridge_draw_samples(ridge_scene *scene, const ridge_plot *plot, bool embedded)
{
    const ridge_plot_samples *p = &plot->u.samples;
    ridge_legend_item items[RIDGE_PLOT_GROUPS];
    size_t count = p->group_count < RIDGE_PLOT_GROUPS ? p->group_count : RIDGE_PLOT_GROUPS;
    double top;
    for (size_t i = 0; i < count; i++)
        items[i] = (ridge_legend_item){ridge_text_clean(scene->arena, p->groups[i], 120), (unsigned)i, RIDGE_LEGEND_HOLLOW};
    ridge_draw_head(scene, &top, plot, embedded, items, count);
    if (p->alternatives)
        draw_alternatives(scene, p, top);
    else
        draw_curve(scene, p, top);
}
