/* `ridge predict --html`: one page with the figures, the table and the pictures. */
#include "advice/answer.h"
#include "base/shown.h"
#include "predict/picture.h"
#include "report/html.h"

enum { FIGURES = 8, SECTIONS = 5 };

typedef struct page {
    const ridge_predict_answer *answer;
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
    g->figures[g->figure_count++] = (ridge_html_figure){.name = name, .value = cell(value), .note = note};
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
    figure(g, "throughput", ridge_throughput_text(a, t->tokens_per_s, t->images_per_s), NULL);
    if (t->generation)
        request_figures(g, t->generation);
    if (t->mfu >= 0)
        figure(g, "model FLOPs utilisation", ridge_arena_printf(a, "%s %%", ridge_units_percent(a, 100 * t->mfu)),
               cell(ridge_arena_printf(a, "of %s", ridge_mfu_peaks_text(a, t->prediction))));
    else
        figure(g, "model FLOPs utilisation", "unknown",
               cell(ridge_arena_printf(a, "no %s rate known: memory bound only", ridge_precision_names[matmul->used])));
    if (t->bandwidth_utilisation >= 0)
        figure(g, "bandwidth", ridge_arena_printf(a, "%s %%", ridge_units_percent(a, 100 * t->bandwidth_utilisation)),
               cell(ridge_arena_printf(a, "of %s", ridge_units_scaled(a, t->rates.bytes_per_s, "B/s"))));
    else
        figure(g, "bandwidth", "unknown", "compute bound only");
}

/* first: whether it fits is asked before how fast it is */
static void memory_figure(page *g)
{
    const ridge_memory_told *m = &g->told->memory;
    const bool alone = !g->told->parallel;
    const char *held = ridge_units_bytes(g->arena, m->memory.total);
    if (m->capacity < 0)
        figure(g, "memory", held, alone ? "capacity not known" : "of one device; its capacity is not known");
    else
        figure(g, alone ? "memory" : "memory of one device", held,
               cell(ridge_arena_printf(g->arena, "%s %s", m->fits > 0 ? "fits in" : "does not fit in",
                                       ridge_units_bytes(g->arena, m->capacity))));
    g->figures[g->figure_count - 1].alarm = m->fits == 0;
}

/* the first line of the text, as a sentence of its own */
static const char *verdict(const page *g)
{
    ridge_buf text = {0};
    ridge_prediction_verdict(&text, g->told);
    ridge_buf_drop_marks(&text);
    text.n -= text.n > 0; /* its line break */
    char *line = ridge_arena_take(g->arena, &text);
    if (line && line[0] >= 'a' && line[0] <= 'z')
        line[0] = (char)(line[0] - 'a' + 'A');
    return cell(line);
}

static ridge_status add_advice(page *g, ridge_err *err)
{
    const ridge_advice *a = &g->answer->advice;
    const char **items = ridge_arena_array(g->arena, a->shown + 1, sizeof *items);
    if (!items)
        return ridge_no_memory(err);
    for (size_t i = 0; i < a->shown; i++)
        items[i] = ridge_advice_sentence(a, &a->items[i]);
    if (a->shown > 0)
        section(g, (ridge_html_section){.heading = "What would make it faster", .items = items, .item_count = a->shown});
    return RIDGE_OK;
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

/* the text's line of the workload, with commas where it has wide blanks, which a page would lose */
static const char *workload_of(page *g)
{
    ridge_buf line = {0}, text = {0};
    ridge_workload_line(&line, &g->p->model->workload);
    const char *end = line.n > 0 ? line.p + line.n - 1 : line.p; /* without its line break */
    for (const char *p = line.p; p < end;) {
        const char *gap = strstr(p, "  ");
        const size_t n = (size_t)((gap && gap < end ? gap : end) - p);
        ridge_buf_addf(&text, "%s%.*s", text.n > 0 ? ", " : "", (int)n, p);
        p += n;
        p += strspn(p, " ");
    }
    text.failed |= line.failed;
    ridge_buf_free(&line);
    return cell(ridge_arena_take(g->arena, &text));
}

static ridge_status write_page(ridge_buf *out, page *g, ridge_err *err)
{
    const ridge_html html = {
        .title = cell(g->told->parallel ? ridge_arena_printf(g->arena, "%s on %lld × %s", g->told->model.model,
                                                             (long long)g->told->parallel->devices, g->p->machine->name)
                                        : ridge_arena_printf(g->arena, "%s on %s", g->told->model.model, g->p->machine->name)),
        .subtitle = workload_of(g),
        .verdict = verdict(g),
        .alarm = g->told->memory.fits == 0,
        .figures = g->figures,
        .figure_count = g->figure_count,
        .sections = g->sections,
        .section_count = g->section_count,
        .foot = cell(ridge_arena_printf(g->arena, "Predicted by ridge %s, method %s; docs/prediction.md has the rules.", RIDGE_VERSION,
                                        ridge_method_names[g->told->method]))};
    return ridge_html_write(out, &html, g->arena, err);
}

ridge_status ridge_predict_answer_page(ridge_buf *out, const ridge_predict_answer *answer, ridge_err *err)
{
    const ridge_prediction *p = answer->prediction;
    const char *const *exact;
    page *g = ridge_arena_alloc(&p->timed->arena, sizeof *g);
    if (!g)
        return ridge_no_memory(err);
    g->answer = answer;
    g->told = &answer->told;
    g->p = p;
    g->arena = &p->timed->arena;
    memory_figure(g);
    key_figures(g);
    ridge_status st = add_advice(g, err);
    if (st || (st = add_pictures(g, err)) ||
        (st = ridge_html_record_table(&g->table, &exact, &ridge_predicted_row_record, g->told->rows, g->told->row_count, g->arena, err)))
        return st;
    section(g, (ridge_html_section){.heading = "Modules", .text = notes(g), .table = &g->table, .exact = exact});
    return write_page(out, g, err);
}
