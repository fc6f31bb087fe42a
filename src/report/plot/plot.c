#include "report/plot/plot.h"

#include <math.h>

#include "base/file.h"
#include "report/plot/layout.h"
#include "report/plot/text.h"

#define EXTENT_MAX 8192.0 /* pixels, or columns */

/* ---- what cannot be drawn ---- */

static ridge_status fail_number(ridge_err *err, const char *what, const char *name, const char *quantity, double value)
{
    return ridge_fail(err, RIDGE_VALUE, "cannot draw %s '%.80s': its %s is %g", what, name, quantity, value);
}

static ridge_status check_ceilings(const char *what, const ridge_plot_ceiling *ceilings, size_t count, ridge_err *err)
{
    for (size_t i = 0; i < count; i++)
        if (!(ceilings[i].rate > 0) || isinf(ceilings[i].rate))
            return fail_number(err, what, ceilings[i].name, "rate", ceilings[i].rate);
    return RIDGE_OK;
}

static ridge_status check_roofline(const ridge_plot_roofline *p, ridge_err *err)
{
    ridge_status st = check_ceilings("compute ceiling", p->compute, p->compute_count, err);
    if (!st)
        st = check_ceilings("memory ceiling", p->memory, p->memory_count, err);
    for (size_t i = 0; !st && i < p->point_count; i++) {
        const ridge_plot_point *point = &p->points[i];
        if (!(point->ai >= 0))
            st = fail_number(err, "point", point->label, "FLOP/byte", point->ai);
        else if (!(point->flops_per_s >= 0) || isinf(point->flops_per_s))
            st = fail_number(err, "point", point->label, "FLOP/s", point->flops_per_s);
        else if (!(point->weight >= 0) || point->weight > 1.000001)
            st = fail_number(err, "point", point->label, "share of the time", point->weight);
    }
    return st;
}

static bool is_amount(double value)
{
    return value >= 0 && !isinf(value);
}

static ridge_status check_bars(const ridge_plot_bars *p, ridge_err *err)
{
    for (size_t i = 0; i < p->bar_count; i++)
        for (size_t s = 0; s < p->series_count; s++)
            if (!is_amount(p->bars[i].values[s]))
                return fail_number(err, "bar", p->bars[i].label, p->series[s], p->bars[i].values[s]);
    return RIDGE_OK;
}

static ridge_status check_areas(const ridge_plot_areas *p, ridge_err *err)
{
    for (size_t i = 0; i < p->x_count; i++)
        if (!is_amount(p->x[i]) || (i && !(p->x[i] > p->x[i - 1])) || (p->log_x && !(p->x[i] > 0)))
            return ridge_fail(err, RIDGE_VALUE, "cannot draw areas: x[%zu] = %g does not rise from x[%zu]", i, p->x[i], i ? i - 1 : 0);
    for (size_t s = 0; s < p->series_count; s++)
        for (size_t i = 0; i < p->x_count; i++)
            if (!is_amount(p->values[s * p->x_count + i]))
                return fail_number(err, "area", p->series[s], "value", p->values[s * p->x_count + i]);
    for (size_t i = 0; i < p->limit_count; i++)
        if (!is_amount(p->limits[i].value))
            return fail_number(err, "limit", p->limits[i].label, "value", p->limits[i].value);
    return RIDGE_OK;
}

static ridge_status check_samples(const ridge_plot_samples *p, ridge_err *err)
{
    for (size_t i = 0; i < p->count; i++) {
        const ridge_plot_sample *s = &p->items[i];
        bool sure = s->low <= s->high, inside = !sure || (s->low <= s->y && s->y <= s->high);
        if (!is_amount(s->y) || (p->log_y && !(s->y > 0)) || !inside || (sure && !is_amount(s->high)))
            return fail_number(err, "point", s->label, "value", s->y);
        if (!p->alternatives && (!(s->x > 0) || isinf(s->x)))
            return fail_number(err, "point", s->label, "place", s->x);
    }
    for (size_t i = 0; i < p->mark_count; i++)
        if (!(p->marks[i].x > 0) || isinf(p->marks[i].x))
            return fail_number(err, "mark", p->marks[i].label, "place", p->marks[i].x);
    return RIDGE_OK;
}

static ridge_status check(const ridge_plot *plot, ridge_err *err)
{
    if (plot->kind == RIDGE_PLOT_SAMPLES)
        return check_samples(&plot->u.samples, err);
    if (plot->kind == RIDGE_PLOT_ROOFLINE)
        return check_roofline(&plot->u.roofline, err);
    return plot->kind == RIDGE_PLOT_BARS ? check_bars(&plot->u.bars, err) : check_areas(&plot->u.areas, err);
}

/* ---- the scene ---- */

static double extent(double wanted, double otherwise, double least)
{
    return fmin(fmax(wanted > 0 ? wanted : otherwise, least), EXTENT_MAX);
}

/* with one line each of title, subtitle and legend; a phone's pictures have the labels of bars above them */
static double height_of(const ridge_plot *plot, bool narrow)
{
    if (plot->kind == RIDGE_PLOT_ROOFLINE)
        return narrow ? 480 : 600;
    if (plot->kind == RIDGE_PLOT_AREAS)
        return narrow ? 340 : 420;
    if (plot->kind == RIDGE_PLOT_SAMPLES)
        return plot->u.samples.alternatives ? ridge_samples_height(&plot->u.samples) : 460;
    size_t bars = plot->u.bars.bar_count < 40 ? plot->u.bars.bar_count : 40;
    return 170 + (narrow ? 40 : 28) * (double)bars;
}

static ridge_status draw(ridge_scene *scene, const ridge_plot *plot, const ridge_plot_options *options, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = check(plot, err);
    if (st)
        return st;
    const double width = extent(options->width, 960, 320);
    *scene = (ridge_scene){.arena = arena,
                           .width = width,
                           .height = extent(options->height, height_of(plot, width < RIDGE_NARROW) - (options->embedded ? 50 : 0), 200),
                           .grows = !(options->height > 0),
                           .name = ridge_text_clean(arena, plot->title, 200)};
    if (plot->kind == RIDGE_PLOT_ROOFLINE)
        ridge_draw_roofline(scene, plot, options->embedded);
    else if (plot->kind == RIDGE_PLOT_BARS)
        ridge_draw_bars(scene, plot, options->embedded);
    else if (plot->kind == RIDGE_PLOT_SAMPLES)
        ridge_draw_samples(scene, plot, options->embedded);
    else
        ridge_draw_areas(scene, plot, options->embedded);
    return scene->failed || arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}

ridge_status ridge_plot_svg(ridge_buf *out, const ridge_plot *plot, const ridge_plot_options *options, ridge_arena *arena, ridge_err *err)
{
    ridge_scene scene;
    ridge_status st = draw(&scene, plot, options, arena, err);
    if (st)
        return st;
    ridge_scene_svg(out, &scene, options->theme, options->embedded);
    return out->failed ? ridge_no_memory(err) : RIDGE_OK;
}

/* ---- text ---- */

/* takes the spaces before line ends off what was added since `from` */
static void trim_lines(ridge_buf *out, size_t from)
{
    size_t to = from;
    for (size_t i = from; i < out->n; i++) {
        while (out->p[i] == '\n' && to > from && out->p[to - 1] == ' ')
            to--;
        out->p[to++] = out->p[i];
    }
    out->n = to;
}

ridge_status ridge_plot_text(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *wanted, ridge_arena *arena, ridge_err *err)
{
    ridge_plot_terminal terminal = *wanted;
    size_t before = out->n;
    ridge_status st = check(plot, err);
    if (st)
        return st;
    terminal.width = (int)extent(wanted->width, 80, 40);
    terminal.height = (int)extent(wanted->height, 24, 10);
    if (plot->kind == RIDGE_PLOT_ROOFLINE)
        ridge_term_roofline(out, plot, &terminal, arena);
    else if (plot->kind == RIDGE_PLOT_SAMPLES)
        ridge_term_samples(out, plot, &terminal, arena);
    else
        ridge_term_bars(out, plot, &terminal, arena);
    if (out->failed || arena->failed)
        return ridge_no_memory(err);
    trim_lines(out, before);
    return RIDGE_OK;
}

/* ---- files ---- */

static ridge_status write_svg(const char *path, const ridge_plot *plot, const ridge_plot_options *options, ridge_arena *arena,
                              ridge_err *err)
{
    ridge_buf svg = {0};
    ridge_status st = ridge_plot_svg(&svg, plot, options, arena, err);
    if (!st)
        st = ridge_file_write_atomic(path, (ridge_str){svg.p, svg.n}, err);
    ridge_buf_free(&svg);
    return st;
}

static ridge_status write_by_gnuplot(const char *path, const char *format, const ridge_plot *plot, const ridge_plot_options *options,
                                     ridge_arena *arena, ridge_err *err)
{
    ridge_scene scene;
    ridge_str image;
    ridge_status st = draw(&scene, plot, options, arena, err);
    if (!st)
        st = ridge_scene_gnuplot(&image, &scene, options->theme, format, arena, err);
    return !st ? ridge_file_write_atomic(path, image, err) : st;
}

ridge_status ridge_plot_write(const char *path, const ridge_plot *plot, const ridge_plot_options *options, ridge_arena *arena,
                              ridge_err *err)
{
    ridge_plot_options whole = *options;
    ridge_str name = ridge_str_of(path);
    whole.embedded = false;
    if (ridge_str_ends(name, RIDGE_STR(".svg")))
        return write_svg(path, plot, &whole, arena, err);
    if (ridge_str_ends(name, RIDGE_STR(".png")))
        return write_by_gnuplot(path, "png", plot, &whole, arena, err);
    if (ridge_str_ends(name, RIDGE_STR(".pdf")))
        return write_by_gnuplot(path, "pdf", plot, &whole, arena, err);
    return ridge_fail(err, RIDGE_USAGE, "cannot tell the kind of picture from '%s': its name has to end in .svg, .png or .pdf", path);
}
