#include "report/plot/layout.h"

#include <math.h>
#include <stdlib.h>

#define NAME_LIMIT  40 /* characters of a name in a label */
#define DECADES_MAX 32.0
#define CROWD       60 /* points from which on one name stands for a cluster */
#define TINIEST     1e-30
#define LARGEST     1e30

/* ---- ceilings ---- */

static int rates_fall(const void *a, const void *b)
{
    double x = ((const ridge_roof_line *)a)->rate, y = ((const ridge_roof_line *)b)->rate;
    return (x < y) - (x > y);
}

/* "bf16, fp16": the names of all ceilings of this rate */
static const char *names_of(const ridge_plot_ceiling *ceilings, size_t count, double rate, ridge_arena *arena)
{
    const char *all = NULL;
    for (size_t i = 0; i < count; i++) {
        if (ceilings[i].rate != rate)
            continue;
        const char *name = ridge_text_clean(arena, ceilings[i].name, NAME_LIMIT);
        all = all ? ridge_arena_printf(arena, "%s, %s", all, name) : name;
    }
    return all;
}

static ridge_roof_line *lines_of(size_t *n, const ridge_plot_ceiling *ceilings, size_t count, const char *unit, ridge_arena *arena)
{
    ridge_roof_line *lines = ridge_arena_array(arena, count + 1, sizeof *lines);
    if (!lines)
        return NULL;
    *n = 0;
    bool marked = false;
    for (size_t i = 0; i < count; i++)
        marked = marked || ceilings[i].main;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < *n && lines[at].rate != ceilings[i].rate)
            at++;
        lines[at].rate = ceilings[i].rate;
        lines[at].main = lines[at].main || (marked ? ceilings[i].main : i == 0);
        *n += at == *n;
    }
    for (size_t i = 0; i < *n; i++) {
        const char *names = names_of(ceilings, count, lines[i].rate, arena);
        lines[i].label = ridge_arena_printf(arena, "%s %s", names ? names : "", ridge_text_quantity(arena, lines[i].rate, unit));
        if (!lines[i].label)
            return NULL;
    }
    qsort(lines, *n, sizeof *lines, rates_fall);
    return lines;
}

static const ridge_roof_line *main_of(const ridge_roof_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i].main)
            return &lines[i];
    return NULL;
}

double ridge_roof_point(const ridge_roof_line *compute, const ridge_roof_line *memory)
{
    return compute->rate / memory->rate;
}

/* ---- what the axes show ---- */

static void stretch(double *lo, double *hi, double value)
{
    if (value < TINIEST || value > LARGEST) /* 0, infinite: on the edge */
        return;
    *lo = fmin(*lo, value);
    *hi = fmax(*hi, value);
}

/* at least `decades` wide, around what it is, and no wider than a picture can show */
static void widen(double *lo, double *hi, double decades)
{
    double middle = (log10(*lo) + log10(*hi)) / 2, have = log10(*hi / *lo);
    double want = fmin(fmax(have, decades), DECADES_MAX);
    *lo = pow(10, middle - want / 2);
    *hi = pow(10, middle + want / 2);
}

static void find_range(ridge_roof *roof, const ridge_plot_roofline *plot)
{
    double xl = INFINITY, xh = 0, yl = INFINITY, yh = 0;
    for (size_t i = 0; i < plot->point_count; i++) {
        stretch(&xl, &xh, plot->points[i].ai);
        stretch(&yl, &yh, plot->points[i].flops_per_s);
    }
    for (size_t i = 0; i < roof->compute_count; i++) {
        stretch(&yl, &yh, roof->compute[i].rate);
        for (size_t j = 0; j < roof->memory_count; j++)
            stretch(&xl, &xh, ridge_roof_point(&roof->compute[i], &roof->memory[j]));
    }
    if (xh == 0)
        xl = xh = 1;
    widen(&xl, &xh, 2);
    roof->x_lo = pow(10, floor(log10(xl) - 0.15));
    roof->x_hi = pow(10, ceil(log10(xh) + 0.4));
    if (roof->main_memory)
        stretch(&yl, &yh, fmin(roof->main_memory->rate * roof->x_lo, roof->top_flops > 0 ? roof->top_flops : LARGEST));
    if (yh == 0)
        yl = yh = 1;
    widen(&yl, &yh, 2);
    double room = fmax(0.08 * log10(yh / yl), 0.2);
    roof->y_lo = yl / pow(10, room);
    roof->y_hi = yh * pow(10, room);
}

bool ridge_roof_of(ridge_roof *out, const ridge_plot_roofline *plot, ridge_arena *arena)
{
    *out = (ridge_roof){0};
    out->compute = lines_of(&out->compute_count, plot->compute, plot->compute_count, "FLOP/s", arena);
    out->memory = lines_of(&out->memory_count, plot->memory, plot->memory_count, "B/s", arena);
    if (!out->compute || !out->memory)
        return false;
    out->main_compute = main_of(out->compute, out->compute_count);
    out->main_memory = main_of(out->memory, out->memory_count);
    out->top_flops = out->compute_count ? out->compute[0].rate : 0;
    out->top_bytes = out->memory_count ? out->memory[0].rate : 0;
    find_range(out, plot);
    return true;
}

/* ---- points ---- */

typedef struct ordered {
    double weight;
    size_t index;
} ordered;

static int weights_fall(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static int clusters_fall(const void *a, const void *b)
{
    const ridge_roof_cluster *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

/* "q_proj, k_proj +3" */
static void name_cluster(ridge_roof_cluster *cluster, const char *second, const ridge_plot_roofline *plot, ridge_arena *arena)
{
    const ridge_plot_point *p = &plot->points[cluster->first];
    const char *label = ridge_text_clean(arena, p->label, NAME_LIMIT), *more = NULL;
    const char *brief = cluster->names > 1 ? ridge_arena_printf(arena, "%s +%zu", label, cluster->names - 1) : label;
    if (cluster->names == 2)
        more = ridge_arena_printf(arena, "%s, %s", label, ridge_text_clean(arena, second, NAME_LIMIT));
    else if (cluster->names > 2 && plot->point_count > CROWD)
        more = brief;
    else if (cluster->names > 2)
        more = ridge_arena_printf(arena, "%s, %s +%zu", label, ridge_text_clean(arena, second, NAME_LIMIT), cluster->names - 2);
    cluster->label = more ? more : label;
    cluster->brief = brief ? brief : label;
}

/* what a point may join, and how points found their place */
typedef struct clustering {
    const ridge_plot_roofline *plot;
    double dx, dy;
    bool kinds_apart;
    ridge_roof_cluster *clusters;
    ordered *order;
    size_t *cluster_of;   /* [points], in that order */
    const char **seconds; /* [clusters], the second name */
    size_t count;
} clustering;

static bool joins(const clustering *c, const ridge_roof_cluster *cluster, const ridge_plot_point *p, double x, double y)
{
    return !(fabs(cluster->x - x) > c->dx || fabs(cluster->y - y) > c->dy) &&
           !(c->kinds_apart && c->plot->points[cluster->first].measured != p->measured);
}

/* was the name of the i-th point, in order, in its cluster before? */
static bool named_before(const clustering *c, size_t i)
{
    const ridge_plot_point *points = c->plot->points;
    for (size_t k = 0; k < i; k++)
        if (c->cluster_of[k] == c->cluster_of[i] && strcmp(points[c->order[k].index].label, points[c->order[i].index].label) == 0)
            return true;
    return false;
}

static void put_point(clustering *c, size_t i, double x, double y)
{
    const ridge_plot_point *p = &c->plot->points[c->order[i].index];
    size_t at = 0;
    while (at < c->count && !joins(c, &c->clusters[at], p, x, y))
        at++;
    if (at == c->count)
        c->clusters[c->count++] = (ridge_roof_cluster){.x = x, .y = y, .first = c->order[i].index};
    c->cluster_of[i] = at;
    c->clusters[at].weight += p->weight;
    if ((c->clusters[at].count++ == 0 || !named_before(c, i)) && c->clusters[at].names++ == 1)
        c->seconds[at] = p->label;
}

ridge_roof_cluster *ridge_roof_clusters(size_t *count, const ridge_plot_roofline *plot, const ridge_axis *x, const ridge_axis *y, double dx,
                                        double dy, bool kinds_apart, ridge_arena *arena)
{
    size_t points = plot->point_count;
    clustering c = {.plot = plot, .dx = dx, .dy = dy, .kinds_apart = kinds_apart};
    c.order = ridge_arena_array(arena, points + 1, sizeof *c.order);
    c.clusters = ridge_arena_array(arena, points + 1, sizeof *c.clusters);
    c.cluster_of = ridge_arena_array(arena, points + 1, sizeof *c.cluster_of);
    c.seconds = ridge_arena_array(arena, points + 1, sizeof *c.seconds);
    if (!c.order || !c.clusters || !c.cluster_of || !c.seconds)
        return NULL;
    for (size_t i = 0; i < points; i++)
        c.order[i] = (ordered){plot->points[i].weight, i};
    qsort(c.order, points, sizeof *c.order, weights_fall);
    for (size_t i = 0; i < points; i++) {
        const ridge_plot_point *p = &plot->points[c.order[i].index];
        put_point(&c, i, ridge_axis_at(x, p->ai), ridge_axis_at(y, p->flops_per_s));
    }
    for (size_t i = 0; i < c.count; i++)
        name_cluster(&c.clusters[i], c.seconds[i], plot, arena);
    qsort(c.clusters, c.count, sizeof *c.clusters, clusters_fall);
    *count = c.count;
    return c.clusters;
}

const char *ridge_roof_tip(const ridge_plot_roofline *plot, const ridge_plot_point *p, ridge_arena *arena)
{
    const char *times = p->count > 1 ? ridge_arena_printf(arena, " ×%llu", p->count) : "";
    const char *share = plot->alternatives ? "" : ridge_arena_printf(arena, ", %.3g %% of the time", p->weight * 100);
    const char *text =
        ridge_arena_printf(arena, "%s%s, %s FLOP/byte, %s%s%s", ridge_text_clean(arena, p->name ? p->name : p->label, 160),
                           times ? times : "", ridge_text_number(arena, p->ai), ridge_text_quantity(arena, p->flops_per_s, "FLOP/s"),
                           share ? share : "", p->measured ? ", measured" : "");
    return text ? text : "";
}
