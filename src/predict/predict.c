#include "predict/predict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/records.h"

/* ---- the options ---- */

/* in seconds; UNSET: the machine's */
static ridge_status read_launch(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_launch launch = {.seconds = 0};
    ridge_status st = ridge_launch_read(&launch, option, text, arena, err);
    if (!st)
        *(double *)at = launch.counted == RIDGE_LAUNCH_MACHINE ? RIDGE_UNSET : launch.seconds;
    return st;
}

#define OF ridge_predict_request
const ridge_option ridge_options_predict[] = {
    RIDGE_STRING(OF, machine, "on", 0, "MACHINE", "a machine of 'ridge machine list', or a machine file", .reach = RIDGE_REACH_MACHINE),
    RIDGE_CHOICE(OF, method, "method", 0, ridge_method_names, "the bound itself, or what such kernels reach"),
    RIDGE_OTHER(OF, launch_s, double, "launch", 0, "TIME", read_launch,
                "overhead of every kernel's launch: a time, 'machine' (its own) or 'none'", .fallback = "machine"),
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

const char *const ridge_predict_defaults[] = {"kernel=fused", "attention=causal", "lm-head=needed", NULL};

void ridge_predict_default(ridge_predict_request *r)
{
    *r = (ridge_predict_request){.launch_s = RIDGE_UNSET, .price_per_hour = RIDGE_UNSET};
    ridge_parallel_default(&r->parallel);
    ridge_model_request_default(&r->model);
    r->model.kernel = RIDGE_KERNEL_FUSED;
    r->model.attention = RIDGE_PAIRS_CAUSAL;
    r->model.lm_head = RIDGE_HEAD_NEEDED;
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

enum { NOTE_LIMIT = 512 };

ridge_status ridge_prediction_note(ridge_prediction *p, ridge_err *err, const char *fmt, ...)
{
    char text[NOTE_LIMIT];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (ridge_words_find(&p->notes, text))
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
    to->device_flops += a->device_flops;
    to->device_bytes += a->device_bytes;
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

/* the whole as the plan adds it up, kernel after kernel: every digit is that of a sweep's point, which knows no rows */
static void set_whole(ridge_predicted_row *whole, const ridge_plan_times *t)
{
    whole->time_s = t->time_s[0];
    whole->launch_s = t->launch_s[0];
    whole->link_s = t->link_s[0];
    whole->memory_bound_s = t->memory_s[0];
    whole->bound = bound_of(whole);
}

/* the side that nobody can tell is no 0 */
static void hide_unknown(ridge_predicted_row *r, const ridge_plan_rates *rates)
{
    const bool computes = ridge_rate_is_known(&rates->matmul) && ridge_rate_is_known(&rates->attention);
    if (!computes && r->flops > 0)
        r->compute_s = RIDGE_PREDICT_UNKNOWN;
    if (rates->bytes_per_s <= 0 && r->bytes > 0)
        r->memory_s = RIDGE_PREDICT_UNKNOWN;
}

static ridge_status fill_rows(ridge_prediction *p, ridge_plan_room *room, const ridge_plan_times *times, ridge_err *err)
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
                                   .device_flops = t.device_flops,
                                   .device_bytes = t.device_bytes,
                                   .link_s = t.link_s,
                                   .link_bytes = t.link_bytes};
        ridge_status st = t.message ? RIDGE_OK
                                    : exact_of(&one.flops, &one.bytes, k, t.weight_bytes / (double)p->request.parallel.expert,
                                               passes_of(&p->request.parallel, &rows->p[k->row]), err);
        if (st)
            return st;
        p->main_memory_s += t.main_memory_s;
        one.memory_bound_s = !t.message && t.memory_s >= t.compute_s ? t.memory_s + t.waits_s : 0;
        add_to_row(&p->rows[k->row], &one);
    }
    for (size_t i = rows->n; i-- > 0;) {
        p->rows[i].bound = bound_of(&p->rows[i]);
        if (rows->p[i].parent != UINT32_MAX)
            add_to_row(&p->rows[rows->p[i].parent], &p->rows[i]);
    }
    set_whole(&p->rows[0], times);
    for (size_t i = 0; i < rows->n; i++)
        if (!complete_row(&p->rows[i], p, &rows->p[i]))
            return ridge_no_memory(err);
        else
            hide_unknown(&p->rows[i], &p->rates);
    return RIDGE_OK;
}

/* ---- totals ---- */

/* what stands in for a peak that is not known; 0: nothing */
static double measured_rate(const ridge_prediction *p, const ridge_computes_at *c)
{
    const int64_t reached = p->machine->achieved.flops_per_s[c->used];
    return p->request.method == RIDGE_METHOD_ESTIMATE && !ridge_rate_is_known(c) && reached > 0 ? (double)reached : 0;
}

bool ridge_prediction_is_least(const ridge_prediction *p)
{
    const ridge_computes_at *at = &p->rates.matmul;
    return p->rates.bytes_per_s <= 0 || (!ridge_rate_is_known(at) && measured_rate(p, at) <= 0);
}

static ridge_status note_precision(ridge_prediction *p, const ridge_computes_at *c, const char *what, ridge_err *err)
{
    char text[NOTE_LIMIT];
    const double reached = measured_rate(p, c);
    if (reached > 0)
        return ridge_prediction_note(p, err, "the %s peak of %s is not known: %s are estimated at the %s that was measured",
                                     ridge_precision_names[c->used], p->machine->id, what,
                                     ridge_units_scaled(&p->model->arena, reached, "FLOP/s"));
    return ridge_rate_remark(text, sizeof text, p->machine, c, what) ? ridge_prediction_note(p, err, "%s", text) : RIDGE_OK;
}

static ridge_status note_precisions(ridge_prediction *p, ridge_err *err)
{
    const ridge_plan_rates *r = &p->rates;
    if (!ridge_rate_is_known(&r->matmul) && r->matmul.used == r->attention.used)
        return note_precision(p, &r->matmul, "matrix products and attention", err);
    ridge_status st = note_precision(p, &r->matmul, "matrix products", err);
    return st ? st : note_precision(p, &r->attention, "attention scores", err);
}

/* the same for every machine that does not tell, so that it is said once of several */
static ridge_status note_launches(ridge_prediction *p, ridge_err *err)
{
    ridge_status st = ridge_prediction_note(
        p, err, "launches are not counted: the machine's file does not say what one takes (" RIDGE_OPT("launch") " gives it)");
    if (!st)
        p->launch_note = p->notes.items[p->notes.count - 1];
    return st;
}

static ridge_status notes(ridge_prediction *p, ridge_err *err)
{
    const ridge_analysis *a = p->model;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < a->unknown_count && !st; i++)
        st = ridge_prediction_note(p, err, "not counted: %s (needed by %s), %s", a->unknown[i].module, a->unknown[i].needed_by,
                                   a->unknown[i].why ? a->unknown[i].why : "which is not in the catalog");
    if (st || (st = note_precisions(p, err)))
        return st;
    if (p->request.method == RIDGE_METHOD_ROOFLINE && p->request.launch_s < 0 && p->machine->launch_overhead_s < 0)
        st = note_launches(p, err);
    const ridge_machine_link *link = ridge_machine_link_find(p->machine, RIDGE_LINK_DEVICE);
    const bool estimated = p->request.method == RIDGE_METHOD_ESTIMATE && link && ridge_fabric_find(link->name);
    if (!st && p->link_s > 0 && !estimated && p->request.parallel.link_latency_s < 0 && (!link || link->latency_s < 0))
        st = ridge_prediction_note(
            p, err, "the latency of the link between devices of %s is not known: none is counted (" RIDGE_OPT("link-latency") " gives one)",
            p->machine->id);
    if (!st && p->rates.bytes_per_s <= 0)
        st = ridge_prediction_note(
            p, err, "the bandwidth of %s is not known: kernels are bound by arithmetic only, so they take at least what is said",
            p->machine->id);
    if (!st && p->rates.vector_flops_per_s <= 0)
        st = ridge_prediction_note(p, err, "%s gives no fp32 rate: norms and activations count by their bytes alone", p->machine->id);
    return st;
}

static double per_device(const ridge_prediction *p)
{
    return (double)ridge_parallel_devices(&p->request.parallel);
}

/* formats of different width, as weights in fp32 beside a cache in fp16, multiply at peaks of their own */
static double at_peaks(const ridge_prediction *p, double matmul, double attention)
{
    const ridge_computes_at *m = &p->rates.matmul, *a = &p->rates.attention;
    if (!ridge_rate_is_known(m) || (!ridge_rate_is_known(a) && attention > 0))
        return RIDGE_PREDICT_UNKNOWN;
    return (matmul / m->peak_flops_per_s + (attention > 0 ? attention / a->peak_flops_per_s : 0)) / per_device(p);
}

/* what model FLOPs utilisation counts (Chowdhery 2022, PaLM, appendix B): matrix products of forward and backward, none of the
 * recomputation. Seconds of one device at the peaks; unknown where a peak is. */
static ridge_status model_flops_s(double *out, const ridge_prediction *p, ridge_registry *registry, ridge_err *err)
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
        *out = at_peaks(p, (double)f.by_class[RIDGE_FLOP_MATMUL], (double)f.by_class[RIDGE_FLOP_ATTENTION]);
    if (again)
        ridge_analysis_free(a);
    return st;
}

/* of so many in those seconds; unknown where there are none */
static double per_million(const ridge_prediction *p, double seconds, double count)
{
    const double price = p->request.price_per_hour;
    return price >= 0 && seconds > 0 && count > 0 ? price * per_device(p) * seconds / 3600 / count * 1e6 : RIDGE_PREDICT_UNKNOWN;
}

void ridge_prediction_price(ridge_prediction *p, double seconds, double tokens, double images)
{
    p->energy_j = p->machine->power_w > 0 ? (double)p->machine->power_w * per_device(p) * seconds : RIDGE_PREDICT_UNKNOWN;
    p->cost_per_million_tokens = per_million(p, seconds, tokens);
    p->cost_per_million_images = per_million(p, seconds, images);
}

/* tokens and images that go through a pass, and how many of them a second; unknown where the model takes none */
static void throughput(ridge_prediction *p)
{
    const ridge_workload *w = &p->model->workload;
    const int64_t each = w->encoder_decoder && w->phase != RIDGE_PHASE_DECODE ? w->decoder_seq : w->seq;
    const double tokens = w->takes.tokens ? (double)w->batch * (double)each : RIDGE_PREDICT_UNKNOWN,
                 images = ridge_workload_images(w) > 0 ? (double)w->batch * (double)ridge_workload_images(w) : RIDGE_PREDICT_UNKNOWN;
    p->tokens_per_s = p->time_s > 0 && tokens >= 0 ? tokens / p->time_s : RIDGE_PREDICT_UNKNOWN;
    p->images_per_s = p->time_s > 0 && images >= 0 ? images / p->time_s : RIDGE_PREDICT_UNKNOWN;
    ridge_prediction_price(p, p->time_s, tokens, images);
}

/* The share of the time that the work takes at its peak; unknown where the peak is. Both are sums of the same kernels, in an order of their
 * own: of a pass that is nothing else, the share is 1 but for the rounding. */
static double share_of(double peak_s, double time_s)
{
    const double rounding = 1e-12, share = time_s > 0 ? peak_s / time_s : 0;
    return peak_s < 0 ? RIDGE_PREDICT_UNKNOWN : share > 1 && share < 1 + rounding ? 1 : share;
}

static void totals(ridge_prediction *p, double model_flops_at_peak_s)
{
    const ridge_predicted_row *all = &p->rows[0];
    p->time_s = all->time_s;
    p->memory_bound_s = all->memory_bound_s;
    p->launch_s = all->launch_s;
    p->link_s = all->link_s;
    p->bound = all->bound;
    p->mfu = share_of(model_flops_at_peak_s, p->time_s);
    p->bandwidth_utilisation = share_of(p->rates.bytes_per_s > 0 ? p->main_memory_s : RIDGE_PREDICT_UNKNOWN, p->time_s);
    throughput(p);
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
    double flops_s = 0;
    ridge_status st;
    if ((st = ridge_machines_find(&p->machine, p->machines, p->request.machine, err)) ||
        (st = ridge_analysis_exact(&p->model, registry, &p->request.model, RIDGE_ROWS_NONE, err)))
        return st;
    if (ridge_parallel_is_on(&p->request.parallel) &&
        (st = ridge_parallel_memory(&p->model->memory, registry, &p->request.model, &p->request.parallel, err)))
        return st;
    if (p->model->nothing_known)
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to predict", p->model->architecture);
    if (p->request.generate > 0 && !p->model->workload.takes.cache)
        return ridge_fail(err, RIDGE_USAGE,
                          RIDGE_OPT("prompt") " and " RIDGE_OPT("generate") ": %s keeps no KV cache and no state: it generates nothing",
                          p->model->architecture);
    if ((st = ridge_predict_plan(&p->timed, &p->plan, registry, p->machine, &p->request, p->model, false, err)))
        return st;
    p->rates = *ridge_plan_rates_of(p->plan);
    bool launch_known = p->request.launch_s >= 0 || p->machine->launch_overhead_s >= 0;
    p->launch_overhead_s = launch_known ? ridge_plan_launch_s(p->plan) : RIDGE_PREDICT_UNKNOWN;
    if ((st = ridge_prediction_run(&times, &room, p, err)))
        return st;
    st = fill_rows(p, &room, times, err);
    ridge_plan_room_free(&room);
    if (st || (st = model_flops_s(&flops_s, p, registry, err)))
        return st;
    totals(p, flops_s);
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
    const ridge_int searched = p->model->batch_fixed ? -1 : bytes; /* a graph of one batch has no larger ones */
    ridge_status st = ridge_fit_find(&p->fit, registry, &p->request.model, parallel, searched, err);
    if (!st)
        st = model_context(&p->fit.model_context, p->model);
    if (!st && p->fit.max_batch == 0 && p->model->workload.phase != RIDGE_PHASE_TRAIN)
        st = ridge_fit_weights(&p->fit.weights, registry, &p->request.model, parallel, bytes, err);
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
    p->fit = (ridge_fit){RIDGE_FIT_UNKNOWN, RIDGE_FIT_UNKNOWN, RIDGE_FIT_UNKNOWN, false, NULL};
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
