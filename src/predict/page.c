/* `ridge predict --html`: one page with the figures, the table and the pictures. */
#include "predict/picture.h"
#include "report/html.h"

enum { FIGURES = 8, SECTIONS = 4 };

typedef struct page {
    const ridge_prediction_told *told;
    const ridge_prediction *p;
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

static void request_figures(page *g, const ridge_generation *gen)
{
    ridge_arena *a = g->arena;
    figure(g, "first token", ridge_units_seconds(a, gen->ttft_s), cell(ridge_arena_printf(a, "prompt of %lld", (long long)gen->prompt)));
    figure(g, "per token", ridge_units_seconds(a, gen->tpot_s), cell(ridge_arena_printf(a, "%lld generated", (long long)gen->generate)));
    figure(g, "requests", ridge_units_scaled(a, gen->requests_per_s, "/s"), NULL);
}

static void key_figures(page *g)
{
    const ridge_prediction_told *t = g->told;
    const ridge_rate_told *matmul = &t->rates.matmul;
    ridge_arena *a = g->arena;
    figure(g, "time of a pass", ridge_units_seconds(a, t->time_s), cell(ridge_arena_printf(a, "%s-bound", ridge_bound_names[t->bound])));
    figure(g, "throughput", ridge_units_scaled(a, t->tokens_per_s, "tokens/s"), NULL);
    if (t->generation)
        request_figures(g, t->generation);
    figure(g, "model FLOPs utilisation", ridge_arena_printf(a, "%s %%", ridge_units_percent(a, 100 * t->mfu)),
           cell(ridge_arena_printf(a, "of %s %s", ridge_units_scaled(a, matmul->peak_flops_per_s, "FLOP/s"),
                                   ridge_precision_names[matmul->used])));
    figure(g, "bandwidth", ridge_arena_printf(a, "%s %%", ridge_units_percent(a, 100 * t->bandwidth_utilisation)),
           cell(ridge_arena_printf(a, "of %s", ridge_units_scaled(a, t->rates.bytes_per_s, "B/s"))));
    figure(g, "memory", ridge_units_bytes(a, t->memory.memory.total),
           t->memory.capacity < 0 ? "capacity not known"
                                  : cell(ridge_arena_printf(a, "%s %s", t->memory.fits > 0 ? "fits in" : "does not fit in",
                                                            ridge_units_bytes(a, t->memory.capacity))));
}

static const char *notes(page *g)
{
    ridge_buf text = {0};
    for (size_t i = 0; i < g->told->notes.count; i++)
        ridge_buf_addf(&text, "%s%s.", i > 0 ? "\n\n" : "", g->told->notes.items[i]);
    const char *out = text.n > 0 ? ridge_arena_strdup(g->arena, (ridge_str){text.p, text.n}) : NULL;
    ridge_buf_free(&text);
    return out;
}

static ridge_status add_pictures(page *g, ridge_err *err)
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

static ridge_status write_page(ridge_buf *out, page *g, ridge_err *err)
{
    ridge_buf workload = {0};
    ridge_workload_line(&workload, &g->p->model->workload);
    const ridge_html html = {.title = cell(ridge_arena_printf(g->arena, "%s on %s", g->told->model.model, g->p->machine->name)),
                             .subtitle = workload.p ? cell(ridge_arena_strdup(g->arena, (ridge_str){workload.p, workload.n - 1})) : "",
                             .figures = g->figures,
                             .figure_count = g->figure_count,
                             .sections = g->sections,
                             .section_count = g->section_count,
                             .foot =
                                 cell(ridge_arena_printf(g->arena, "Predicted by ridge %s, method %s; docs/prediction.md has the rules.",
                                                         RIDGE_VERSION, ridge_method_names[g->told->method]))};
    ridge_buf_free(&workload);
    return ridge_html_write(out, &html, g->arena, err);
}

ridge_status ridge_prediction_page(ridge_buf *out, const ridge_prediction_told *told, ridge_err *err)
{
    const ridge_prediction *p = told->prediction;
    page *g = ridge_arena_alloc(&p->timed->arena, sizeof *g);
    if (!g)
        return ridge_no_memory(err);
    g->told = told;
    g->p = p;
    g->arena = &p->timed->arena;
    key_figures(g);
    ridge_status st = add_pictures(g, err);
    if (!st)
        st = ridge_record_table(&g->table, &ridge_predicted_row_record, RIDGE_FORM_MARKDOWN, told->rows, told->row_count, g->arena, err);
    if (st)
        return st;
    section(g, (ridge_html_section){.heading = "Every module", .text = notes(g), .table = &g->table});
    return write_page(out, g, err);
}
