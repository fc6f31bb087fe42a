#include "predict/predict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/records.h"

/* ---- the options ---- */

#define OF ridge_predict_request
const ridge_option ridge_options_predict[] = {
    RIDGE_STRING(OF, machine, "on", 0, "MACHINE", "a machine of 'ridge machine list', or a machine file"),
    RIDGE_CHOICE(OF, method, "method", 0, ridge_method_names, "the bound itself, or what such kernels reach"),
    RIDGE_SECONDS(OF, launch_s, "launch", 0, "overhead of every kernel (default: the machine's; 0: none)"),
    RIDGE_INT(OF, prompt, "prompt", 0, "P", 1, (int64_t)1 << 40, "a request: tokens of the prompt", .fallback = "0", .unit = "tokens"),
    RIDGE_INT(OF, generate, "generate", 0, "G", 1, (int64_t)1 << 24, "... and tokens generated after it", .fallback = "0",
              .unit = "tokens"),
    RIDGE_REAL(OF, price_per_hour, "price", 0, "P", "of one machine per hour: gives the cost per million tokens"),
    RIDGE_OPTION_END,
};

const ridge_option ridge_options_reserve[] = {
    RIDGE_OTHER(OF, reserve, ridge_reserve, "reserve", 0, "BYTES", ridge_reserve_read,
                "of a device's memory, or a percentage, for the runtime (default: 0)"),
    RIDGE_OPTION_END,
};

const ridge_option_table ridge_predict_tables[] = {
    {.options = ridge_options_predict},
    {.options = ridge_options_workload, .offset = offsetof(OF, model)},
    {.options = ridge_options_class, .offset = offsetof(OF, model)},
    {.options = ridge_options_devices, .offset = offsetof(OF, parallel)},
    {.options = ridge_options_reserve},
    {.options = NULL},
};

const char *const ridge_predict_defaults[] = {"kernel=fused", "attention=causal", "lm-head=last", NULL};

void ridge_predict_default(ridge_predict_request *r)
{
    *r = (ridge_predict_request){.launch_s = RIDGE_UNSET, .price_per_hour = RIDGE_UNSET};
    ridge_parallel_default(&r->parallel);
    ridge_model_request_default(&r->model);
    r->model.kernel = RIDGE_KERNEL_FUSED;
    r->model.attention = RIDGE_PAIRS_CAUSAL;
    r->model.lm_head = RIDGE_HEAD_LAST;
}

ridge_status ridge_predict_request_check(ridge_predict_request *r, ridge_err *err)
{
    ridge_model_request *m = &r->model;
    if (!r->machine)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("on") " MACHINE is needed; 'ridge machine list' lists them");
    if ((r->prompt > 0) != (r->generate > 0))
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("prompt") " and " RIDGE_OPT("generate") " belong together");
    if (r->prompt > 0 && m->phase == RIDGE_PHASE_TRAIN)
        return ridge_fail(err, RIDGE_USAGE,
                          RIDGE_OPT("prompt") " and " RIDGE_OPT("generate") " ask for a request: " RIDGE_OPT("phase") " train has none");
    if (r->prompt > 0 && m->seq == RIDGE_UNSET && m->phase == RIDGE_PHASE_PREFILL)
        m->seq = r->prompt;
    if (r->prompt > 0 && m->past == RIDGE_UNSET && m->phase == RIDGE_PHASE_DECODE)
        m->past = r->prompt;
    return ridge_parallel_check(&r->parallel, err);
}

ridge_status ridge_prediction_note(ridge_prediction *p, ridge_err *err, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (size_t i = 0; i < p->notes.count; i++)
        if (strcmp(p->notes.items[i], text) == 0)
            return RIDGE_OK;
    const char *copy = ridge_arena_strdup(&p->model->arena, ridge_str_of(text));
    return copy ? ridge_words_add(&p->notes, copy, &p->model->arena, err) : ridge_no_memory(err);
}

/* ---- the plan ---- */

static ridge_status plan_with(ridge_plan **plan, ridge_analysis *a, const ridge_machine *machine, const ridge_predict_request *request,
                              ridge_int weight_bytes, const ridge_plan_split *splits)
{
    ridge_plan_options o = {.machine = machine,
                            .graph = &a->graph,
                            .method = request->method,
                            .launch_s = request->launch_s,
                            .causal = request->model.attention == RIDGE_PAIRS_CAUSAL,
                            .kernel = request->model.kernel,
                            .weight_bytes = weight_bytes,
                            .splits = splits};
    const ridge_calc *calc = &a->graph.run.calc;
    o.weights = a->coster.weights;
    o.activations = a->coster.activations;
    o.kv = a->coster.kv;
    ridge_status st = ridge_value_binary(&o.tokens, RIDGE_OP_MUL, a->graph.globals[RIDGE_GLOBAL_B], a->graph.globals[RIDGE_GLOBAL_S], calc);
    return st ? st : ridge_plan_make(plan, &a->kernels, &o, calc);
}

ridge_status ridge_predict_plan_on(ridge_plan **plan, ridge_analysis *a, const ridge_machine *machine, const ridge_predict_request *request,
                                   ridge_int weight_bytes)
{
    return plan_with(plan, a, machine, request, weight_bytes, NULL);
}

ridge_status ridge_predict_plan(ridge_analysis **timed, ridge_plan **plan, ridge_registry *registry, const ridge_machine *machine,
                                const ridge_predict_request *request, const ridge_analysis *exact, bool symbolic, ridge_err *err)
{
    ridge_model_request r = request->model;
    ridge_plan_split *splits = NULL;
    *plan = NULL;
    ridge_status st = ridge_parallel_batch(&r.batch, &request->parallel, r.batch == RIDGE_UNSET ? 1 : r.batch, err);
    if (st || (st = ridge_analysis_kernels(timed, registry, &r, exact, request->all ? RIDGE_ROWS_ALL : RIDGE_ROWS_FOLDED, symbolic, err)))
        return st;
    if (ridge_parallel_is_on(&request->parallel) && (st = ridge_parallel_apply(&splits, *timed, &request->parallel, machine, err)))
        return st;
    return plan_with(plan, *timed, machine, request, exact->memory.weights, splits);
}

/* ---- rows ---- */

/* how often all devices together do a row's work: every replica all microbatches, an optimiser's step once, or its part of it */
static ridge_int passes_of(const ridge_parallel *p, const ridge_row *row)
{
    const ridge_int replicas = ridge_parallel_replicas(p);
    if (ridge_str_is(row->path, "(optimizer)"))
        return p->zero > 0 ? 1 : replicas;
    return replicas * p->microbatches;
}

static ridge_status exact_of(ridge_int *flops, ridge_int *bytes, const ridge_kernel *k, double weight_bytes, ridge_int passes,
                             ridge_err *err)
{
    ridge_flop_sums f;
    ridge_byte_sums b;
    ridge_int calls = 0;
    ridge_status st = ridge_cost_sums(&f, &b, &k->cost, err);
    if (st)
        return st;
    if (k->experts)
        b.total -= b.reads[RIDGE_BYTE_WEIGHTS];
    if (!ridge_value_as_int(&calls, k->calls) || !ridge_int_mul(flops, f.total, calls) || !ridge_int_mul(bytes, b.total, calls) ||
        (k->experts && !ridge_int_add(bytes, *bytes, (ridge_int)nearbyint(weight_bytes))) || !ridge_int_mul(flops, *flops, passes) ||
        !ridge_int_mul(bytes, *bytes, passes))
        return ridge_overflow(err, "a total");
    return RIDGE_OK;
}

static void add_to_row(ridge_predicted_row *to, const ridge_predicted_row *a)
{
    to->time_s += a->time_s;
    to->compute_s += a->compute_s;
    to->memory_s += a->memory_s;
    to->waits_s += a->waits_s;
    to->launch_s += a->launch_s;
    to->link_s += a->link_s;
    to->link_bytes += a->link_bytes;
    to->memory_bound_s += a->memory_bound_s;
    to->flops += a->flops;
    to->bytes += a->bytes;
}

static ridge_bound bound_of(const ridge_predicted_row *r)
{
    if (r->launch_s > r->time_s / 2)
        return RIDGE_BOUND_LAUNCH;
    if (r->link_s > r->time_s / 2)
        return RIDGE_BOUND_LINK;
    return r->memory_bound_s >= (r->time_s - r->launch_s - r->link_s) / 2 ? RIDGE_BOUND_MEMORY : RIDGE_BOUND_COMPUTE;
}

/* what is told of a row besides its times; false when memory runs out */
static bool complete_row(ridge_predicted_row *r, const ridge_prediction *p, const ridge_row *row)
{
    ridge_arena *arena = &p->timed->arena;
    r->row = row;
    r->path = row->path;
    r->class_name = row->class_name;
    r->name = row->path.n ? ridge_arena_strdup(arena, row->path) : "(model)";
    r->label = ridge_row_label(&p->timed->rows, row, arena);
    r->count = row->count;
    r->leaf = row->leaf;
    r->parallel = ridge_parallel_is_on(&p->request.parallel);
    r->percent = p->rows[0].time_s > 0 ? 100 * r->time_s / p->rows[0].time_s : RIDGE_PREDICT_UNKNOWN;
    r->arithmetic_intensity = r->bytes > 0 ? (double)r->flops / (double)r->bytes : RIDGE_PREDICT_UNKNOWN;
    return r->name && r->label;
}

static ridge_status fill_rows(ridge_prediction *p, ridge_plan_room *room, ridge_err *err)
{
    const ridge_rows *rows = &p->timed->rows;
    if (!(p->rows = ridge_arena_array(&p->timed->arena, rows->n + 1, sizeof *p->rows)))
        return ridge_no_memory(err);
    for (size_t i = 0; i < p->timed->kernels.n; i++) {
        const ridge_kernel *k = &p->timed->kernels.p[i];
        ridge_plan_kernel_times t = ridge_plan_kernel_at(p->plan, room, i, 0);
        ridge_predicted_row one = {.time_s = t.time_s,
                                   .compute_s = t.compute_s,
                                   .memory_s = t.memory_s,
                                   .waits_s = t.waits_s,
                                   .launch_s = t.launch_s,
                                   .link_s = t.link_s,
                                   .link_bytes = t.link_bytes};
        ridge_status st = t.message ? RIDGE_OK
                                    : exact_of(&one.flops, &one.bytes, k, t.weight_bytes / (double)p->request.parallel.expert,
                                               passes_of(&p->request.parallel, &rows->p[k->row]), err);
        if (st)
            return st;
        one.memory_bound_s = !t.message && t.memory_s >= t.compute_s ? t.memory_s + t.waits_s : 0;
        add_to_row(&p->rows[k->row], &one);
    }
    for (size_t i = rows->n; i-- > 0;) {
        p->rows[i].bound = bound_of(&p->rows[i]);
        if (rows->p[i].parent != UINT32_MAX)
            add_to_row(&p->rows[rows->p[i].parent], &p->rows[i]);
    }
    for (size_t i = 0; i < rows->n; i++)
        if (!complete_row(&p->rows[i], p, &rows->p[i]))
            return ridge_no_memory(err);
    return RIDGE_OK;
}

/* ---- totals ---- */

static ridge_status note_precision(ridge_prediction *p, const ridge_computes_at *c, const char *what, ridge_err *err)
{
    if (c->wanted == c->used)
        return RIDGE_OK;
    return ridge_prediction_note(p, err, "%s has no %s rate: %s run at its %s peak", p->machine->id, ridge_precision_names[c->wanted], what,
                                 ridge_precision_names[c->used]);
}

static ridge_status notes(ridge_prediction *p, ridge_err *err)
{
    const ridge_analysis *a = p->model;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < a->unknown_count && !st; i++)
        st = ridge_prediction_note(p, err, "not counted: %s (needed by %s), which is not in the catalog", a->unknown[i].module,
                                   a->unknown[i].needed_by);
    if (st || (st = note_precision(p, &p->rates.matmul, "matrix products", err)) ||
        (st = note_precision(p, &p->rates.attention, "attention scores", err)))
        return st;
    if (p->request.method == RIDGE_METHOD_ROOFLINE && p->request.launch_s < 0 && p->machine->launch_overhead_s < 0)
        st = ridge_prediction_note(p, err, "the launch overhead of %s is not known: none is counted (" RIDGE_OPT("launch") " gives one)",
                                   p->machine->id);
    const ridge_machine_link *link = ridge_machine_link_find(p->machine, RIDGE_LINK_DEVICE);
    if (!st && p->link_s > 0 && p->request.parallel.link_latency_s < 0 && (!link || link->latency_s < 0))
        st = ridge_prediction_note(
            p, err, "the latency of the link between devices of %s is not known: none is counted (" RIDGE_OPT("link-latency") " gives one)",
            p->machine->id);
    if (!st && p->rates.vector_flops_per_s <= 0)
        st = ridge_prediction_note(p, err, "%s gives no fp32 rate: norms and activations count by their bytes alone", p->machine->id);
    return st;
}

static double per_device(const ridge_prediction *p)
{
    return (double)ridge_parallel_devices(&p->request.parallel);
}

/* bytes of memory that one device moves */
static double moved(const ridge_prediction *p, const ridge_plan_times *t)
{
    return ridge_parallel_is_on(&p->request.parallel) ? t->device_bytes[0] : t->bytes[0];
}

/* what model FLOPs utilisation counts (Chowdhery 2022, PaLM, appendix B): matrix products of forward and backward, none of the
 * recomputation */
static ridge_status model_flops(double *out, const ridge_prediction *p, ridge_registry *registry, ridge_err *err)
{
    ridge_model_request once = p->request.model;
    ridge_analysis *a = p->model;
    ridge_flop_sums f;
    ridge_byte_sums b;
    ridge_status st = RIDGE_OK;
    bool again = once.phase == RIDGE_PHASE_TRAIN && once.recompute != RIDGE_RECOMPUTE_NONE;
    once.recompute = RIDGE_RECOMPUTE_NONE;
    if (again)
        st = ridge_analysis_exact(&a, registry, &once, RIDGE_ROWS_NONE, err);
    if (!st)
        st = ridge_cost_sums(&f, &b, &a->total, err);
    if (!st)
        *out = (double)f.torch;
    if (again)
        ridge_analysis_free(a);
    return st;
}

void ridge_prediction_price(ridge_prediction *p, double seconds, double tokens)
{
    const double devices = per_device(p), price = p->request.price_per_hour;
    bool any = seconds > 0 && tokens > 0;
    p->energy_j = p->machine->power_w > 0 ? (double)p->machine->power_w * devices * seconds : RIDGE_PREDICT_UNKNOWN;
    p->cost_per_million_tokens = price >= 0 && any ? price * devices * seconds / 3600 / tokens * 1e6 : RIDGE_PREDICT_UNKNOWN;
}

static void totals(ridge_prediction *p, const ridge_plan_times *t, double matrix_flops)
{
    const ridge_workload *w = &p->model->workload;
    const ridge_predicted_row *all = &p->rows[0];
    int64_t tokens_each = w->encoder_decoder && w->phase != RIDGE_PHASE_DECODE ? w->decoder_seq : w->seq;
    p->time_s = all->time_s;
    p->memory_bound_s = all->memory_bound_s;
    p->launch_s = all->launch_s;
    p->link_s = all->link_s;
    p->bound = all->bound;
    p->tokens = (double)w->batch * (double)tokens_each;
    p->tokens_per_s = p->time_s > 0 ? p->tokens / p->time_s : RIDGE_PREDICT_UNKNOWN;
    p->mfu = p->time_s > 0 ? matrix_flops / (p->time_s * p->rates.matmul.peak_flops_per_s * per_device(p)) : 0;
    p->bandwidth_utilisation = p->time_s > 0 ? moved(p, t) / (p->time_s * p->rates.bytes_per_s) : 0;
    ridge_prediction_price(p, p->time_s, p->tokens);
    p->capacity_bytes = p->machine->levels[0].capacity_bytes;
    p->fits = p->capacity_bytes < 0 || p->model->memory.total <= ridge_reserve_left(&p->request.reserve, p->capacity_bytes);
}

ridge_status ridge_prediction_run(ridge_plan_times **out, ridge_plan_room *room, const ridge_prediction *p, ridge_err *err)
{
    *out = ridge_arena_alloc(&p->timed->arena, sizeof **out);
    if (!*out || !ridge_plan_room_make(room, p->plan))
        return ridge_no_memory(err);
    ridge_plan_run(p->plan, room, *out, NULL);
    return RIDGE_OK;
}

static ridge_status run(ridge_prediction *p, ridge_registry *registry, ridge_err *err)
{
    ridge_plan_room room = {0};
    ridge_plan_times *times;
    double matrix_flops = 0;
    ridge_status st;
    if ((st = ridge_machines_find(&p->machine, p->machines, p->request.machine, err)) ||
        (st = ridge_analysis_exact(&p->model, registry, &p->request.model, RIDGE_ROWS_NONE, err)))
        return st;
    if (ridge_parallel_is_on(&p->request.parallel) &&
        (st = ridge_parallel_memory(&p->model->memory, registry, &p->request.model, &p->request.parallel, err)))
        return st;
    if (p->model->nothing_known)
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to predict", p->model->architecture);
    if ((st = ridge_predict_plan(&p->timed, &p->plan, registry, p->machine, &p->request, p->model, false, err)))
        return st;
    p->rates = *ridge_plan_rates_of(p->plan);
    bool launch_known = p->request.launch_s >= 0 || p->machine->launch_overhead_s >= 0;
    p->launch_overhead_s = launch_known ? ridge_plan_launch_s(p->plan) : RIDGE_PREDICT_UNKNOWN;
    if ((st = ridge_prediction_run(&times, &room, p, err)))
        return st;
    st = fill_rows(p, &room, err);
    ridge_plan_room_free(&room);
    if (st || (st = model_flops(&matrix_flops, p, registry, err)))
        return st;
    totals(p, times, matrix_flops);
    if ((st = notes(p, err)))
        return st;
    return p->request.generate > 0 ? ridge_prediction_generation(p, registry, err) : RIDGE_OK;
}

/* the largest number of positions that the config gives */
static ridge_status model_context(int64_t *out, ridge_analysis *a)
{
    ridge_status st = ridge_analysis_size(out, a, a->config_entry ? a->config_entry->config->positions_max : NULL);
    if (*out == RIDGE_UNSET)
        *out = RIDGE_FIT_UNKNOWN;
    return st;
}

ridge_status ridge_prediction_fit(ridge_prediction *p, ridge_registry *registry, ridge_err *err)
{
    const ridge_parallel *parallel = &p->request.parallel;
    const ridge_int bytes = ridge_reserve_left(&p->request.reserve, p->capacity_bytes);
    const ridge_model_request last = ridge_prediction_last_step(p);
    ridge_status st = ridge_fit_find(&p->fit, registry, &p->request.model, parallel, bytes, err);
    if (!st)
        st = model_context(&p->fit.model_context, p->model);
    if (st || p->generation.generate == 0)
        return st;
    return ridge_fit_batch(&p->generation.max_batch, registry, &last, parallel, bytes, err);
}

ridge_status ridge_prediction_make(ridge_prediction **out, ridge_registry *registry, ridge_machines *machines,
                                   const ridge_predict_request *request, ridge_err *err)
{
    ridge_prediction *p = *out = calloc(1, sizeof *p);
    if (!p)
        return ridge_no_memory(err);
    p->request = *request;
    p->machines = machines;
    p->fit = (ridge_fit){RIDGE_FIT_UNKNOWN, RIDGE_FIT_UNKNOWN, RIDGE_FIT_UNKNOWN, false};
    return run(p, registry, err);
}

void ridge_prediction_free(ridge_prediction *p)
{
    if (!p)
        return;
    ridge_analysis_free(p->timed);
    ridge_analysis_free(p->model);
    free(p);
}
