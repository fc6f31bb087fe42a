#include "predict/picture.h"

#include <stdio.h>

#include "model/records.h"

static const char *cell(const char *text)
{
    return text ? text : "";
}

/* ---- the machine ---- */

ridge_status ridge_picture_ceilings(ridge_plot_roofline *out, const ridge_machine *m, ridge_precision used, ridge_arena *arena,
                                    ridge_err *err)
{
    ridge_plot_ceiling *compute = ridge_arena_array(arena, RIDGE_PRECISION_COUNT, sizeof *compute);
    ridge_plot_ceiling *memory = ridge_arena_array(arena, RIDGE_MACHINE_LEVELS, sizeof *memory);
    if (!compute || !memory)
        return ridge_no_memory(err);
    out->compute = compute;
    out->memory = memory;
    for (int i = RIDGE_PRECISION_FP32; i < RIDGE_PRECISION_COUNT; i++)
        if (m->peak_flops_per_s[i] > 0)
            compute[out->compute_count++] = (ridge_plot_ceiling){ridge_precision_names[i], (double)m->peak_flops_per_s[i], i == (int)used};
    for (size_t i = 0; i < m->level_count; i++)
        if (m->levels[i].bytes_per_s > 0)
            memory[out->memory_count++] = (ridge_plot_ceiling){i == 0 && m->levels[i].type ? m->levels[i].type : m->levels[i].name,
                                                               (double)m->levels[i].bytes_per_s, i == 0};
    return RIDGE_OK;
}

/* ---- the kernels ---- */

typedef enum point_group { GROUP_MATRIX, GROUP_EXPERTS, GROUP_ATTENTION, GROUP_REST, GROUPS } point_group;
static const char *const group_names[GROUPS] = {"matrix products", "experts", "attention", "elementwise, copies"};

/* [row] of leaf rows, by what their kernels compute */
static unsigned *groups_of(const ridge_prediction *p)
{
    unsigned *groups = ridge_arena_array(&p->timed->arena, p->timed->rows.n + 1, sizeof *groups);
    for (size_t i = 0; groups && i < p->timed->rows.n; i++)
        groups[i] = GROUP_REST;
    for (size_t i = 0; groups && i < p->timed->kernels.n; i++) {
        const ridge_kernel *k = &p->timed->kernels.p[i];
        if (!ridge_value_is_zero(k->cost.flops[RIDGE_FLOP_ATTENTION]))
            groups[k->row] = GROUP_ATTENTION;
        else if (!ridge_value_is_zero(k->cost.flops[RIDGE_FLOP_MATMUL]) && groups[k->row] == GROUP_REST)
            groups[k->row] = k->experts ? GROUP_EXPERTS : GROUP_MATRIX;
    }
    return groups;
}

/* the last two parts of a path: "self_attn.q_proj" */
static const char *short_label(const ridge_prediction *p, const ridge_row *row)
{
    size_t dots = 0, at = row->path.n;
    while (at > 0 && dots < 2)
        dots += row->path.p[--at] == '.';
    at += dots == 2;
    while (at < row->path.n && (row->path.p[at] == '*' || row->path.p[at] == '{')) { /* "*.mlp": the list's place says nothing */
        const char *dot = memchr(row->path.p + at, '.', row->path.n - at);
        at = dot ? (size_t)(dot - row->path.p) + 1 : row->path.n;
    }
    if (at >= row->path.n)
        at = 0;
    return cell(ridge_arena_printf(&p->timed->arena, "%.*s", (int)(row->path.n - at), row->path.p + at));
}

static const char *subtitle(const ridge_prediction *p)
{
    const ridge_workload *w = &p->model->workload;
    ridge_buf text = {0};
    ridge_buf_addf(&text, "%s, batch %lld, seq %lld", ridge_phase_names[w->phase], (long long)w->batch, (long long)w->seq);
    if (w->past)
        ridge_buf_addf(&text, ", past %lld", (long long)w->past);
    ridge_buf_addf(&text, ", weights %s, activations %s, KV %s, %s kernels, %s", w->weights->name, w->activations->name, w->kv->name,
                   ridge_kernel_names[w->kernel], ridge_method_names[p->request.method]);
    const char *out = cell(ridge_arena_strdup(&p->timed->arena, (ridge_str){text.p, text.n}));
    ridge_buf_free(&text);
    return out;
}

static const char *title(const ridge_prediction *p, const char *what)
{
    return cell(ridge_arena_printf(&p->timed->arena, "%s on %s%s", p->model->file.name, p->machine->name, what));
}

static ridge_plot_point point_of(const ridge_prediction *p, const ridge_predicted_row *r, unsigned group)
{
    double flops = (double)r->flops, bytes = (double)r->bytes;
    unsigned long long count = r->row->count < 1000000000 ? (unsigned long long)r->row->count : 0;
    return (ridge_plot_point){.label = short_label(p, r->row),
                              .ai = flops / bytes,
                              .flops_per_s = flops / r->time_s,
                              .weight = p->time_s > 0 ? r->time_s / p->time_s : 0,
                              .group = group,
                              .count = count};
}

ridge_status ridge_picture_roofline(ridge_plot *out, const ridge_prediction *p, ridge_err *err)
{
    ridge_plot_roofline *r = &out->u.roofline;
    ridge_plot_point *points = ridge_arena_array(&p->timed->arena, p->timed->rows.n + 1, sizeof *points);
    const unsigned *groups = groups_of(p);
    if (!points || !groups)
        return ridge_no_memory(err);
    *out = (ridge_plot){.title = title(p, ""), .subtitle = subtitle(p), .kind = RIDGE_PLOT_ROOFLINE};
    r->points = points;
    r->groups = group_names;
    r->group_count = GROUPS;
    for (size_t i = 0; i < p->timed->rows.n; i++)
        if (p->rows[i].row->leaf && p->rows[i].bytes > 0 && p->rows[i].time_s > 0)
            points[r->point_count++] = point_of(p, &p->rows[i], groups[i]);
    return ridge_picture_ceilings(r, p->machine, p->rates.matmul.used, &p->timed->arena, err);
}

/* ---- time ---- */

enum { SERIES = 3 };

ridge_status ridge_picture_time(ridge_plot *out, const ridge_prediction *p, ridge_err *err)
{
    static const char *const series[SERIES] = {"memory-bound", "compute-bound", "launches, waits"};
    const size_t n = p->timed->rows.n;
    ridge_plot_bar *bars = ridge_arena_array(&p->timed->arena, n + 1, sizeof *bars);
    double(*values)[SERIES] = ridge_arena_array(&p->timed->arena, n + 1, sizeof *values);
    size_t count = 0;
    if (!bars || !values)
        return ridge_no_memory(err);
    for (size_t i = 0; i < n; i++) {
        const ridge_predicted_row *r = &p->rows[i];
        double waits = r->waits_s + r->launch_s, memory = r->memory_bound_s, busy = r->time_s - waits;
        if (!r->row->leaf || r->time_s <= 0)
            continue;
        memory = memory > busy ? busy : memory; /* the estimate's waits stand apart */
        values[count][0] = memory;
        values[count][1] = busy - memory;
        values[count][2] = waits;
        bars[count] = (ridge_plot_bar){short_label(p, r->row), values[count]};
        count++;
    }
    *out = (ridge_plot){.title = title(p, ": where the time goes"), .subtitle = subtitle(p), .kind = RIDGE_PLOT_BARS};
    out->u.bars = (ridge_plot_bars){RIDGE_PLOT_SECONDS, series, SERIES, bars, count};
    return RIDGE_OK;
}

/* ---- memory ---- */

enum { CONTEXTS = 14, KINDS = 4 };

/* the same workload at another context */
static ridge_status memory_at(ridge_memory *out, const ridge_prediction *p, int64_t context, ridge_err *err)
{
    ridge_model_request r = p->request.model;
    ridge_analysis *a;
    r.partial = false;
    if (r.phase == RIDGE_PHASE_DECODE)
        r.past = context > p->model->workload.seq ? context - p->model->workload.seq : 0;
    else
        r.seq = context;
    ridge_status st = ridge_analysis_exact(&a, p->model->registry, &r, RIDGE_ROWS_NONE, err);
    if (!st)
        *out = a->memory;
    ridge_analysis_free(a);
    return st;
}

/* values [KINDS, CONTEXTS] one kind after the other; the contexts that the model takes */
static size_t measure_contexts(double *x, double (*by_context)[KINDS], const ridge_prediction *p)
{
    const ridge_workload *w = &p->model->workload;
    int64_t now = w->past + w->seq, first = 128, last = now * 4 > 8192 ? now * 4 : 8192;
    size_t n = 0;
    while (last / first > (int64_t)1 << (CONTEXTS - 1))
        first *= 2;
    for (int64_t at = first; at <= last && n < CONTEXTS; at *= 2) {
        ridge_memory m;
        ridge_err ignored = {0};
        if (memory_at(&m, p, at, &ignored))
            break; /* a learned position table ends */
        x[n] = (double)at;
        by_context[n][0] = (double)m.weights;
        by_context[n][1] = (double)m.kv_cache;
        by_context[n][2] = (double)m.activations_peak;
        by_context[n][3] = (double)(m.gradients + m.optimizer);
        n++;
    }
    return n;
}

ridge_status ridge_picture_memory(ridge_plot *out, bool *any, const ridge_prediction *p, ridge_err *err)
{
    static const char *const series[KINDS] = {"weights", "KV cache", "activations", "gradients, optimizer"};
    ridge_arena *arena = &p->timed->arena;
    double *x = ridge_arena_array(arena, CONTEXTS, sizeof *x), *values = ridge_arena_array(arena, CONTEXTS * KINDS, sizeof *values);
    double(*by_context)[KINDS] = ridge_arena_array(arena, CONTEXTS, sizeof *by_context);
    ridge_plot_limit *limit = ridge_arena_alloc(arena, sizeof *limit);
    const size_t kinds = p->model->memory.gradients ? KINDS : KINDS - 1;
    if (!x || !values || !by_context || !limit)
        return ridge_no_memory(err);
    size_t n = measure_contexts(x, by_context, p);
    *any = n > 1 && (by_context[n - 1][1] != by_context[0][1] || by_context[n - 1][2] != by_context[0][2]);
    for (size_t k = 0; k < kinds; k++)
        for (size_t i = 0; i < n; i++)
            values[k * n + i] = by_context[i][k];
    *out = (ridge_plot){.title = title(p, ": memory by context"), .subtitle = subtitle(p), .kind = RIDGE_PLOT_AREAS};
    out->u.areas = (ridge_plot_areas){.unit = RIDGE_PLOT_BYTES,
                                      .x_title = "context (tokens)",
                                      .x = x,
                                      .x_count = n,
                                      .series = series,
                                      .series_count = kinds,
                                      .values = values,
                                      .log_x = true};
    if (p->capacity_bytes > 0) {
        *limit = (ridge_plot_limit){cell(ridge_arena_printf(arena, "capacity %s", ridge_units_bytes(arena, p->capacity_bytes))),
                                    (double)p->capacity_bytes};
        out->u.areas.limits = limit;
        out->u.areas.limit_count = 1;
    }
    return RIDGE_OK;
}
