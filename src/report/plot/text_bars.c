/* Stacked bars in characters; areas as one bar for every x, with what goes over a limit told beside it. */
#include <math.h>

#include "report/plot/scene.h"
#include "report/plot/text.h"

#define TOTAL 12 /* columns of a total */

static const uint32_t fills[] = {0x2588, 0x2593, 0x2592, 0x2591, 0x2586, 0x2584, 0x2582, 0xB7};
static const char ascii_fills[] = "#=+-*%o.";

typedef struct bar_chart {
    const ridge_plot_terminal *terminal;
    ridge_arena *arena;
    const char *const *series;
    size_t series_count;
    const char *unit;
    int label, bar; /* columns */
    double longest;
} bar_chart;

static void put_fill(ridge_buf *out, const bar_chart *b, size_t series)
{
    size_t i = series % 8;
    ridge_term_put(out, b->terminal->ascii ? (uint32_t)(unsigned char)ascii_fills[i] : fills[i], b->terminal->ascii);
}

static void add_legend(ridge_buf *out, const bar_chart *b)
{
    int used = 0;
    for (size_t s = 0; s < b->series_count; s++) {
        const char *name = ridge_text_clean(b->arena, b->series[s], 24);
        int width = 4 + ridge_term_columns(name, b->terminal->ascii);
        if (used && used + width > b->terminal->width) {
            ridge_buf_addc(out, '\n');
            used = 0;
        }
        ridge_term_look_at(out, (int)(s % RIDGE_PLOT_GROUPS), b->terminal->colour);
        put_fill(out, b, s);
        ridge_term_look_at(out, RIDGE_TERM_PLAIN, b->terminal->colour);
        ridge_buf_addc(out, ' ');
        ridge_term_cell(out, name, width - 2, false, b->terminal->ascii);
        used += width;
    }
    ridge_buf_addc(out, '\n');
}

/* one bar: values are `step` apart */
static void add_bar(ridge_buf *out, const bar_chart *b, const char *label, const double *values, size_t step, const char *note)
{
    double sum = 0;
    int drawn = 0;
    ridge_term_cell(out, label, b->label, false, b->terminal->ascii);
    ridge_buf_addc(out, ' ');
    for (size_t s = 0; s < b->series_count; s++) {
        sum += values[s * step];
        int to = b->longest > 0 ? (int)(sum / b->longest * b->bar + 0.5) : 0;
        ridge_term_look_at(out, (int)(s % RIDGE_PLOT_GROUPS), b->terminal->colour && to > drawn);
        for (; drawn < to; drawn++)
            put_fill(out, b, s);
        ridge_term_look_at(out, RIDGE_TERM_PLAIN, b->terminal->colour);
    }
    ridge_term_cell(out, "", b->bar - drawn, false, true);
    ridge_term_cell(out, ridge_text_quantity(b->arena, sum, b->unit), TOTAL, true, b->terminal->ascii);
    ridge_buf_addf(out, "%s\n", note);
}

static double sum_of(const double *values, size_t count, size_t step)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i * step];
    return sum;
}

/* room for the labels, at most 2 in 5 columns, and for the bars */
static void measure(bar_chart *b, int label, int note)
{
    int most = b->terminal->width * 2 / 5;
    b->label = label < most ? label : most;
    b->bar = b->terminal->width - b->label - 1 - TOTAL - note;
    b->bar = b->bar < 4 ? 4 : b->bar;
}

static void add_bars(ridge_buf *out, bar_chart *b, const ridge_plot_bars *p)
{
    int label = 4;
    for (size_t i = 0; i < p->bar_count; i++) {
        int n = ridge_term_columns(ridge_text_clean(b->arena, p->bars[i].label, 60), b->terminal->ascii);
        label = n > label ? n : label;
        b->longest = fmax(b->longest, sum_of(p->bars[i].values, p->series_count, 1));
    }
    measure(b, label, 0);
    for (size_t i = 0; i < p->bar_count; i++)
        add_bar(out, b, ridge_text_clean(b->arena, p->bars[i].label, 60), p->bars[i].values, 1, "");
}

static void add_areas(ridge_buf *out, bar_chart *b, const ridge_plot_areas *p)
{
    double limit = INFINITY;
    const char *name = "";
    for (size_t i = 0; i < p->limit_count; i++)
        if (p->limits[i].value < limit) {
            limit = p->limits[i].value;
            name = p->limits[i].label;
        }
    for (size_t i = 0; i < p->x_count; i++)
        b->longest = fmax(b->longest, sum_of(p->values + i, p->series_count, p->x_count));
    measure(b, 10, 5);
    ridge_term_cell(out, ridge_text_clean(b->arena, p->x_title, (size_t)b->terminal->width), b->terminal->width, false, b->terminal->ascii);
    ridge_buf_addc(out, '\n');
    for (size_t i = 0; i < p->x_count; i++) {
        const char *x = ridge_arena_printf(b->arena, "%.10g", p->x[i]);
        bool over = sum_of(p->values + i, p->series_count, p->x_count) > limit;
        add_bar(out, b, x ? x : "", p->values + i, p->x_count, over ? " over" : "");
    }
    if (isfinite(limit)) {
        const char *text = ridge_arena_printf(b->arena, "limit: %s (%s)", ridge_text_clean(b->arena, name, 40),
                                              ridge_text_quantity(b->arena, limit, b->unit));
        ridge_term_cell(out, text ? text : "", b->terminal->width, false, b->terminal->ascii);
        ridge_buf_addc(out, '\n');
    }
}

void ridge_term_bars(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena)
{
    bool bars = plot->kind == RIDGE_PLOT_BARS;
    bar_chart b = {.terminal = terminal, .arena = arena};
    b.unit = (bars ? plot->u.bars.unit : plot->u.areas.unit) == RIDGE_PLOT_SECONDS ? "s" : "B";
    b.series = bars ? plot->u.bars.series : plot->u.areas.series;
    b.series_count = bars ? plot->u.bars.series_count : plot->u.areas.series_count;
    ridge_term_head(out, plot, terminal, arena);
    add_legend(out, &b);
    if (bars)
        add_bars(out, &b, &plot->u.bars);
    else
        add_areas(out, &b, &plot->u.areas);
}
