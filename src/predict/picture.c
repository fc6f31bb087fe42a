#include "predict/picture.h"

#include <stdio.h>

#include "model/records.h"
#include "predict/labels.h"

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

/* messages have the colour that they have among the parts of the time */
typedef enum point_group { GROUP_MATRIX, GROUP_EXPERTS, GROUP_ATTENTION, GROUP_MESSAGES, GROUP_REST, GROUPS } point_group;
static const char *const group_names[GROUPS] = {"matrix products", "experts", "attention", "messages between devices",
                                                "elementwise, copies"};

/* [row] of leaf rows, by what their kernels compute */
static unsigned *groups_of(const ridge_prediction *p)
{
    unsigned *groups = ridge_arena_array(&p->timed->arena, p->timed->rows.n + 1, sizeof *groups);
    for (size_t i = 0; groups && i < p->timed->rows.n; i++)
        groups[i] = p->rows[i].link_s > 0 ? GROUP_MESSAGES : GROUP_REST;
    for (size_t i = 0; groups && i < p->timed->kernels.n; i++) {
        const ridge_kernel *k = &p->timed->kernels.p[i];
        if (groups[k->row] == GROUP_MESSAGES)
            continue;
        if (!ridge_value_is_zero(k->cost.flops[RIDGE_FLOP_ATTENTION]))
            groups[k->row] = GROUP_ATTENTION;
        else if (!ridge_value_is_zero(k->cost.flops[RIDGE_FLOP_MATMUL]) && groups[k->row] == GROUP_REST)
            groups[k->row] = k->experts ? GROUP_EXPERTS : GROUP_MATRIX;
    }
    return groups;
}

static const char *subtitle(const ridge_prediction *p)
{
    const ridge_workload *w = &p->model->workload;
    ridge_buf text = {0};
    ridge_buf_addf(&text, "%s, batch %lld", ridge_phase_names[w->phase], (long long)w->batch);
    if (w->takes.tokens)
        ridge_buf_addf(&text, ", seq %lld", (long long)w->seq);
    if (ridge_image_size_given(&w->image)) {
        ridge_buf_addz(&text, ", image ");
        ridge_image_size_add(&text, &w->image);
    }
    if (w->past > 0)
        ridge_buf_addf(&text, ", past %lld", (long long)w->past);
    ridge_buf_addf(&text, ", weights %s, activations %s", w->weights->name, w->activations->name);
    if (w->takes.cache)
        ridge_buf_addf(&text, ", KV %s", w->kv->name);
    ridge_buf_addf(&text, ", %s kernels, %s", ridge_kernel_names[w->kernel], ridge_method_names[p->request.method]);
    const char *out = cell(ridge_arena_take(&p->timed->arena, &text));
    return out;
}

/* ---- what is drawn: one of the devices ---- */

static int64_t devices_of(const ridge_prediction *p)
{
    return ridge_parallel_devices(&p->request.parallel);
}

/* "falcon-7b on H100 SXM 80GB", "... on 8 × H100 SXM 80GB"; `what` is said of one device, `of_one` besides where there are several */
static const char *title(const ridge_prediction *p, const char *what, const char *of_one)
{
    ridge_arena *arena = &p->timed->arena;
    const int64_t devices = devices_of(p);
    if (devices == 1)
        return cell(ridge_arena_printf(arena, "%s on %s%s", p->model->file.name, p->machine->name, what));
    return cell(ridge_arena_printf(arena, "%s on %lld × %s%s%s", p->model->file.name, (long long)devices, p->machine->name, what, of_one));
}

/* ---- points ---- */

/* What one device does, in the time that takes: no such point is above the device's roof. Messages and copies do no arithmetic. */
static ridge_plot_point point_of(const ridge_prediction *p, const ridge_predicted_row *r, const char *label, unsigned group)
{
    unsigned long long count = r->row->count < 1000000000 ? (unsigned long long)r->row->count : 0;
    return (ridge_plot_point){.label = label,
                              .name = r->name,
                              .ai = r->device_flops > 0 ? r->device_flops / r->device_bytes : 0,
                              .flops_per_s = r->device_flops / r->time_s,
                              .weight = p->time_s > 0 ? r->time_s / p->time_s : 0,
                              .group = group,
                              .count = count};
}

/* The precision of the roof: that of the products, or of the scores where those compute at a narrower one, faster. */
static ridge_precision roof_of(const ridge_prediction *p, const unsigned *groups)
{
    bool scores = false;
    for (size_t i = 0; i < p->timed->rows.n; i++)
        scores = scores || groups[i] == GROUP_ATTENTION;
    const ridge_plan_rates *r = &p->rates;
    return scores && r->attention.peak_flops_per_s > r->matmul.peak_flops_per_s ? r->attention.used : r->matmul.used;
}

ridge_status ridge_picture_roofline(ridge_plot *out, const ridge_prediction *p, ridge_err *err)
{
    ridge_plot_roofline *r = &out->u.roofline;
    ridge_arena *arena = &p->timed->arena;
    ridge_plot_point *points = ridge_arena_array(arena, p->timed->rows.n + 1, sizeof *points);
    const unsigned *groups = groups_of(p);
    ridge_row_labels labels;
    if (!points || !groups || !ridge_row_labels_make(&labels, &p->timed->rows, arena))
        return ridge_no_memory(err);
    *out = (ridge_plot){.title = title(p, "", ": roofline of one device"), .subtitle = subtitle(p), .kind = RIDGE_PLOT_ROOFLINE};
    r->points = points;
    r->groups = group_names;
    r->group_count = GROUPS;
    for (size_t i = 0; i < p->timed->rows.n; i++)
        if (p->rows[i].leaf && p->rows[i].time_s > 0)
            points[r->point_count++] = point_of(p, &p->rows[i], ridge_row_short(&labels, i), groups[i]);
    return ridge_picture_ceilings(r, p->machine, roof_of(p, groups), arena, err);
}

/* ---- time ---- */

typedef enum time_part { PART_MEMORY, PART_COMPUTE, PART_WAITS, PART_MESSAGES, TIME_PARTS } time_part;

static void add_times(double parts[TIME_PARTS], const ridge_predicted_row *r)
{
    double waits = r->waits_s + r->launch_s, busy = r->time_s - waits - r->link_s;
    double memory = r->memory_bound_s > busy ? busy : r->memory_bound_s; /* the estimate's waits stand apart */
    parts[PART_MEMORY] += memory;
    parts[PART_COMPUTE] += busy - memory;
    parts[PART_WAITS] += waits;
    parts[PART_MESSAGES] += r->link_s;
}

/* One bar for the rows of a kind: every layer's, where layers are unfolded. */
ridge_status ridge_picture_time(ridge_plot *out, const ridge_prediction *p, ridge_err *err)
{
    static const char *const series[TIME_PARTS] = {"memory-bound", "compute-bound", "launches, waits", "messages between devices"};
    ridge_arena *arena = &p->timed->arena;
    ridge_row_labels labels;
    if (!ridge_row_labels_make(&labels, &p->timed->rows, arena))
        return ridge_no_memory(err);
    ridge_plot_bar *bars = ridge_arena_array(arena, labels.kinds + 1, sizeof *bars);
    double(*values)[TIME_PARTS] = ridge_arena_array(arena, labels.kinds + 1, sizeof *values);
    size_t *bar_of = ridge_arena_array(arena, labels.kinds + 1, sizeof *bar_of), count = 0; /* [kind] + 1; 0: none yet */
    if (!bars || !values || !bar_of)
        return ridge_no_memory(err);
    for (size_t i = 0; i < p->timed->rows.n; i++) {
        const size_t kind = labels.kind[i];
        if (!p->rows[i].leaf || p->rows[i].time_s <= 0)
            continue;
        if (bar_of[kind] == 0) {
            bars[count] = (ridge_plot_bar){ridge_row_short(&labels, i), values[count]};
            bar_of[kind] = ++count;
        }
        add_times(values[bar_of[kind] - 1], &p->rows[i]);
    }
    *out = (ridge_plot){.title = title(p, ": where the time goes", p->request.parallel.pipeline > 1 ? ", through all stages" : " on each"),
                        .subtitle = subtitle(p),
                        .kind = RIDGE_PLOT_BARS};
    out->u.bars = (ridge_plot_bars){.unit = RIDGE_PLOT_SECONDS,
                                    .series = series,
                                    .series_count = p->link_s > 0 ? TIME_PARTS : PART_MESSAGES,
                                    .bars = bars,
                                    .bar_count = count};
    return RIDGE_OK;
}

/* ---- memory ---- */

enum { CONTEXTS = 14, KINDS = 4 };

/* of one device, the same workload at another context */
static ridge_status memory_at(ridge_memory *out, const ridge_prediction *p, int64_t context, ridge_err *err)
{
    ridge_model_request r = p->request.model;
    ridge_analysis *a;
    r.partial = false;
    if (r.phase == RIDGE_PHASE_DECODE)
        r.past = context > p->model->workload.seq ? context - p->model->workload.seq : 0;
    else
        r.seq = context;
    if (ridge_parallel_is_on(&p->request.parallel))
        return ridge_parallel_memory(out, p->model->registry, &r, &p->request.parallel, err);
    ridge_status st = ridge_analysis_exact(&a, p->model->registry, &r, RIDGE_ROWS_NONE, err);
    if (!st)
        *out = a->memory;
    ridge_analysis_free(a);
    return st;
}

/* values [KINDS, CONTEXTS] one kind after the other; the contexts that the model takes */
static ridge_status measure_contexts(size_t *count, double *x, double (*by_context)[KINDS], const ridge_prediction *p, ridge_err *err)
{
    const ridge_workload *w = &p->model->workload;
    int64_t now = (w->past > 0 ? w->past : 0) + w->seq, first = 128, last = now * 4 > 8192 ? now * 4 : 8192;
    size_t n = 0;
    while (last / first > (int64_t)1 << (CONTEXTS - 1))
        first *= 2;
    for (int64_t at = first; at <= last && n < CONTEXTS; at *= 2) {
        ridge_memory m;
        ridge_err ignored = {0};
        const ridge_status st = memory_at(&m, p, at, &ignored);
        if (st == RIDGE_NOMEM)
            return ridge_no_memory(err);
        if (st)
            break; /* a learned position table ends */
        x[n] = (double)at;
        by_context[n][0] = (double)m.weights;
        by_context[n][1] = (double)m.kv_cache;
        by_context[n][2] = (double)m.activations_peak;
        by_context[n][3] = (double)(m.gradients + m.optimizer);
        n++;
    }
    *count = n;
    return RIDGE_OK;
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
    size_t n;
    if (measure_contexts(&n, x, by_context, p, err))
        return RIDGE_NOMEM;
    *any = n > 1 && (by_context[n - 1][1] != by_context[0][1] || by_context[n - 1][2] != by_context[0][2]);
    for (size_t k = 0; k < kinds; k++)
        for (size_t i = 0; i < n; i++)
            values[k * n + i] = by_context[i][k];
    *out = (ridge_plot){.title = title(p, ": memory by context", ", of one device"), .subtitle = subtitle(p), .kind = RIDGE_PLOT_AREAS};
    out->u.areas = (ridge_plot_areas){.unit = RIDGE_PLOT_BYTES,
                                      .x_title = "context (tokens)",
                                      .x = x,
                                      .x_count = n,
                                      .series = series,
                                      .series_count = kinds,
                                      .values = values,
                                      .log_x = true};
    if (p->capacity_bytes > 0) {
        const ridge_int left = ridge_reserve_left(&p->request.reserve, p->capacity_bytes);
        *limit = (ridge_plot_limit){
            cell(ridge_arena_printf(arena, "capacity%s%s %s", devices_of(p) > 1 ? " of one device" : "",
                                    left < p->capacity_bytes ? " without the reserve" : "", ridge_units_bytes(arena, left))),
            left > 0 ? (double)left : 0};
        out->u.areas.limits = limit;
        out->u.areas.limit_count = 1;
    }
    return RIDGE_OK;
}
