/* `ridge predict --html`: one page with the figures, the tables and the pictures. */
#include <stdio.h>

#include "model/records.h"
#include "predict/picture.h"
#include "report/html.h"

enum { FIGURES = 8, SECTIONS = 6 };

typedef struct page {
    ridge_prediction *p;
    ridge_arena *arena;
    ridge_html_figure figures[FIGURES];
    size_t figure_count;
    ridge_html_section sections[SECTIONS];
    size_t section_count;
    ridge_plot roofline, time, memory;
    ridge_table table;
} page;

static const char *cell(const char *text)
{
    return text ? text : "";
}

static void figure(page *g, const char *name, const char *value, const char *note)
{
    g->figures[g->figure_count++] = (ridge_html_figure){name, cell(value), note};
}

static void section(page *g, ridge_html_section s)
{
    g->sections[g->section_count++] = s;
}

static void key_figures(page *g)
{
    ridge_prediction *p = g->p;
    ridge_arena *a = g->arena;
    const ridge_generation *gen = &p->generation;
    figure(g, "time of a pass", ridge_units_seconds(a, p->time_s), cell(ridge_arena_printf(a, "%s-bound", ridge_bound_names[p->bound])));
    figure(g, "throughput", ridge_units_scaled(a, p->tokens_per_s, "tokens/s"), NULL);
    if (gen->generate) {
        figure(g, "first token", ridge_units_seconds(a, gen->ttft_s),
               cell(ridge_arena_printf(a, "prompt of %lld", (long long)gen->prompt)));
        figure(g, "per token", ridge_units_seconds(a, gen->tpot_s),
               cell(ridge_arena_printf(a, "%lld generated", (long long)gen->generate)));
        figure(g, "requests", ridge_units_scaled(a, gen->requests_per_s, "/s"), NULL);
    }
    figure(g, "model FLOPs utilisation", ridge_arena_printf(a, "%.1f %%", 100 * p->mfu),
           cell(ridge_arena_printf(a, "of %s %s", ridge_units_scaled(a, p->rates.matmul.peak_flops_per_s, "FLOP/s"),
                                   ridge_precision_names[p->rates.matmul.used])));
    figure(g, "bandwidth", ridge_arena_printf(a, "%.1f %%", 100 * p->bandwidth_utilisation),
           cell(ridge_arena_printf(a, "of %s", ridge_units_scaled(a, p->rates.bytes_per_s, "B/s"))));
    figure(g, "memory", ridge_units_bytes(a, p->model->memory.total),
           p->capacity_bytes < 0
               ? "capacity not known"
               : cell(ridge_arena_printf(a, "%s %s", p->fits ? "fits in" : "does not fit in", ridge_units_bytes(a, p->capacity_bytes))));
}

static const char *notes(page *g)
{
    ridge_buf text = {0};
    for (size_t i = 0; i < g->p->note_count; i++)
        ridge_buf_addf(&text, "%s%s.", i ? "\n\n" : "", g->p->notes[i]);
    const char *out = text.n ? ridge_arena_strdup(g->arena, (ridge_str){text.p, text.n}) : NULL;
    ridge_buf_free(&text);
    return out;
}

static ridge_status pictures(page *g, ridge_err *err)
{
    bool has_context;
    ridge_status st;
    if ((st = ridge_picture_roofline(&g->roofline, g->p, err)) || (st = ridge_picture_time(&g->time, g->p, err)) ||
        (st = ridge_picture_memory(&g->memory, &has_context, g->p, err)))
        return st;
    section(g,
            (ridge_html_section){.heading = "Roofline",
                                 .text = "A point is a kernel, as large as its share of the time. Under the slope memory bounds it, under "
                                         "the roof arithmetic does.",
                                 .plot = &g->roofline});
    section(g, (ridge_html_section){.heading = "Where the time goes", .plot = &g->time});
    if (has_context)
        section(g, (ridge_html_section){.heading = "Memory by context", .plot = &g->memory});
    return RIDGE_OK;
}

ridge_status ridge_output_predict_html(ridge_buf *out, ridge_prediction *p, ridge_err *err)
{
    page *g = ridge_arena_alloc(&p->timed->arena, sizeof *g);
    ridge_view view = {.style = RIDGE_FORM_MARKDOWN, .depth = -1};
    ridge_buf workload = {0};
    ridge_status st;
    if (!g)
        return ridge_no_memory(err);
    g->p = p;
    g->arena = &p->timed->arena;
    key_figures(g);
    ridge_output_workload_line(&workload, p->model);
    if ((st = pictures(g, err)) || (st = ridge_predict_table_make(&g->table, p, &view, err)))
        goto done;
    section(g, (ridge_html_section){.heading = "Every module", .text = notes(g), .table = &g->table});
    ridge_html html = {.title = cell(ridge_arena_printf(g->arena, "%s on %s", p->model->file.name, p->machine->name)),
                       .subtitle = workload.p ? cell(ridge_arena_strdup(g->arena, (ridge_str){workload.p, workload.n - 1})) : "",
                       .figures = g->figures,
                       .figure_count = g->figure_count,
                       .sections = g->sections,
                       .section_count = g->section_count,
                       .foot = cell(ridge_arena_printf(g->arena, "Predicted by ridge %s, method %s; docs/prediction.md has the rules.",
                                                       RIDGE_VERSION, ridge_method_names[p->request->method]))};
    st = ridge_html_write(out, &html, g->arena, err);
done:
    ridge_buf_free(&workload);
    return st;
}
