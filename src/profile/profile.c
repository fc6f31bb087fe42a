/* Running a profile: the plan's groups one after the other, their steps' times into components (profile.h). */
#include "profile/profile.h"

#include "profile/plan.h"
#include "measure/clock.h"
#include "measure/placement.h"
#include "measure/threads.h"

enum { USUAL_PAST = 512 };

const char *const ridge_profile_names[] = {"attention", "layer", "model", NULL};

/* ---- what is asked ---- */

static const char *const phases[] = {"prefill", "decode", NULL}; /* the first of ridge_phase */

#define OF ridge_profile_request
const ridge_option ridge_options_profile[] = {
    RIDGE_CHOICE(OF, phase, "phase", 0, phases, "what is run", .fallback = "decode"),
    RIDGE_INT(OF, batch, "batch", 0, "N", 1, 1 << 20, "sequences at once", .fallback = "1"),
    RIDGE_INT(OF, seq, "seq", 0, "N", 1, 1 << 24, "new tokens per sequence (default: decode 1, prefill 512)", .unit = "tokens"),
    RIDGE_INT(OF, past, "past", 0, "N", 0, (int64_t)1 << 32,
              "tokens already in the cache (default: decode 512 or what the model's positions leave, prefill 0)", .unit = "tokens"),
    RIDGE_FORMAT(OF, weights, "dtype", 0, "format of the weights", .fallback = "bf16"),
    RIDGE_FORMAT(OF, activations, "activations", 0,
                 "of activations, K and V (default: " RIDGE_OPT("dtype") " where that is fp32, bf16 or fp16, else fp32)"),
    RIDGE_INT(OF, threads, "threads", 't', "N", 1, RIDGE_THREADS_MOST, "threads (default: all CPUs of the process)"),
    RIDGE_CHOICE(OF, cache, "cache", 0, ridge_cache_state_names, "weights and KV from memory, as in a run (cold), or as they lie",
                 .fallback = "cold"),
    RIDGE_BUDGET(OF, budget_s, "budget", 0, "time to spend, about", .fallback = "8s"),
    RIDGE_OPTION_END,
};
const ridge_option ridge_options_profile_levels[] = {
    RIDGE_INT(OF, optimize, "optimize", 0, "LEVEL", 0, RIDGE_PROFILE_LEVELS - 1,
              "also as one kernel: 0 naive, 1 and blocked, 2 and fused, 3 and flash, with gain and error"),
    RIDGE_OPTION_END,
};

ridge_status ridge_profile_default(ridge_profile_request *request, ridge_arena *arena, ridge_err *err)
{
    static const ridge_option_table tables[] = {{.options = ridge_options_profile},
                                                {.options = ridge_options_profile_levels},
                                                {.options = ridge_options_profile_sizes, .offset = offsetof(OF, shape)},
                                                {.options = NULL}};
    *request = (ridge_profile_request){.what = RIDGE_PROFILE_ATTENTION};
    return ridge_options_default(&(ridge_option_places){.request = request}, tables, arena, err);
}

static ridge_status check(const ridge_profile_request *q, const ridge_profile_extras *extras, ridge_err *err)
{
    if (q->phase == RIDGE_PHASE_TRAIN)
        return ridge_fail(err, RIDGE_USAGE, "profile runs " RIDGE_OPT("phase") " decode or prefill, not train");
    if (q->optimize >= 0 && q->what != RIDGE_PROFILE_ATTENTION)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("optimize") " belongs to 'ridge profile attention'");
    if (q->what == RIDGE_PROFILE_MODEL && !q->model)
        return ridge_fail(err, RIDGE_USAGE, "profile model needs a MODEL: a folder, a config.json, or an id");
    if (extras->trace && q->threads < 1)
        return ridge_fail(err, RIDGE_USAGE, "a trace is of so many threads: say how many");
    return ridge_profile_check_sizes(q, err);
}

/* what was not given, but the sizes */
static ridge_status complete(ridge_profile *p, ridge_arena *arena, ridge_err *err)
{
    ridge_profile_request *q = &p->request;
    const ridge_format *const fp32 = ridge_format_find(RIDGE_STR("fp32")), *const bf16 = ridge_format_find(RIDGE_STR("bf16"));
    bool decode = q->phase == RIDGE_PHASE_DECODE;
    p->cpus = ridge_placement_cpus();
    q->model = q->model ? ridge_arena_strdup(arena, ridge_str_of(q->model)) : NULL;
    q->seq = q->seq != RIDGE_UNSET ? q->seq : decode ? 1 : 512;
    if (q->past == RIDGE_UNSET && !(decode && q->model && q->what != RIDGE_PROFILE_ATTENTION)) /* else the model's positions are asked */
        q->past = decode ? USUAL_PAST : 0;
    q->weights = q->weights ? q->weights : bf16;
    bool plain = q->weights == fp32 || q->weights == bf16 || q->weights == ridge_format_find(RIDGE_STR("fp16"));
    q->activations = q->activations ? q->activations : plain ? q->weights : fp32;
    q->threads = q->threads > 0 ? q->threads : p->cpus;
    return q->model || q->what != RIDGE_PROFILE_MODEL ? RIDGE_OK : ridge_no_memory(err);
}

/* ---- costs of a step ---- */

static bool reads_large(ridge_kernel_kind kind)
{
    return kind == RIDGE_KERNEL_KIND_GEMV || kind == RIDGE_KERNEL_KIND_GEMM || kind == RIDGE_KERNEL_KIND_ATTENTION ||
           kind == RIDGE_KERNEL_KIND_EMBEDDING;
}

static void add_side(double *sum, double side, double times)
{
    if (side > 0)
        *sum += side * times;
}

static void add_count(ridge_int *sum, ridge_int each, ridge_int times)
{
    ridge_int all;
    if (*sum < 0 || !ridge_int_mul(&all, each, times) || !ridge_int_add(sum, *sum, all))
        *sum = -1;
}

static ridge_status add_cost(ridge_profile_component *c, const ridge_profile *p, const ridge_profile_step *s, const ridge_chain_result *r,
                             ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    const ridge_machine *machine = &p->machine->rates[0].measured;
    double times = ridge_rational_double(ridge_rational_of(s->calls));
    ridge_bench_cost cost;
    ridge_status st = ridge_bench_cost_of(&cost, &s->step.problem, ops, arena, err);
    if (st)
        return st;
    bool cold = p->request.cache == RIDGE_CACHE_COLD && reads_large(s->step.problem.kind);
    ridge_compare_sides sides = ridge_bench_least_of(&cost, machine, r->variant->activation_bits, cold).sides;
    add_count(&c->flops, cost.record.flops.total, s->calls);
    add_count(&c->bytes, cost.record.bytes, s->calls);
    add_side(&c->least.memory_s, sides.memory_s, times);
    add_side(&c->least.compute_s, sides.compute_s, times);
    double bound = ridge_compare_bound_s(sides);
    if (bound >= 0)
        c->predicted_s = (c->predicted_s < 0 ? 0 : c->predicted_s) + bound * times;
    return RIDGE_OK;
}

/* ---- groups ---- */

static void add_result(ridge_profile_component *c, double *longest, const ridge_profile_step *s, const ridge_chain_result *r)
{
    unsigned repeat = s->step.repeat > 0 ? s->step.repeat : 1;
    double times = ridge_rational_double(ridge_rational_of(s->calls)) / repeat;
    c->time_s += r->time_s * times;
    c->low_s += r->low_s * times;
    c->high_s += r->high_s * times;
    c->streamed_bytes += r->streamed_bytes / repeat * (size_t)s->calls;
    if (!c->variant || r->time_s > *longest) {
        *longest = r->time_s;
        c->variant = r->variant->name;
    }
    if (c->tolerance <= 0 || r->max_relative_error * c->tolerance > c->max_relative_error * r->tolerance) {
        c->max_relative_error = r->max_relative_error;
        c->tolerance = r->tolerance;
    }
}

typedef struct profiling {
    ridge_profile *p;
    const ridge_profile_extras *extras;
    ridge_profile_plan *plan;
    ridge_team *team;
    ridge_ops *ops;
    ridge_arena *arena;
    ridge_err *err;
    bool seq_given;
} profiling;

static ridge_status gather(profiling *r, size_t first, size_t count, const ridge_chain_result *results)
{
    ridge_status st = RIDGE_OK;
    double longest = 0;
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < count && !st; i++) {
        const ridge_profile_step *s = &r->plan->steps[first + i];
        ridge_profile_component *c = &r->p->components[s->component];
        longest = s->component == last ? longest : 0;
        last = s->component;
        add_result(c, &longest, s, &results[i]);
        st = add_cost(c, r->p, s, &results[i], r->ops, r->arena, r->err);
    }
    return st;
}

static ridge_status run_group(profiling *r, size_t g, double budget_s)
{
    unsigned threads = (unsigned)r->p->request.threads;
    size_t first = r->plan->group_first[g], count = r->plan->group_first[g + 1] - first;
    const ridge_chain_options options = {.cache = r->p->request.cache, .threads = threads, .trace = r->extras->trace};
    const ridge_measure_options measure = {.budget_s = budget_s, .threads = threads, .pinned = true};
    ridge_profile_group *group = &r->p->groups[g];
    ridge_chain_step *steps = ridge_arena_array(r->arena, count + 1, sizeof *steps);
    ridge_chain_result *results = ridge_arena_array(r->arena, count + 1, sizeof *results);
    ridge_chain *chain = NULL;
    if (!steps || !results)
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < count; i++)
        steps[i] = r->plan->steps[first + i].step;
    ridge_status st = ridge_chain_make(&chain, steps, count, r->team, &options, r->err);
    if (!st && chain && !(st = ridge_chain_measure(results, &group->whole, chain, r->team, &measure, r->err))) {
        group->places = ridge_chain_places(chain);
        st = gather(r, first, count, results);
    }
    ridge_chain_free(chain);
    return st;
}

static void estimate(const profiling *r, double seconds)
{
    if (r->extras->estimate)
        r->extras->estimate(r->extras->context, seconds);
}

/* weights have to be made too, and a model's layers may take longer to make than to measure */
static void estimate_again(const profiling *r, double first_s, double budget_s)
{
    const double all_s = first_s * (double)r->p->group_count;
    if (ridge_measure_interrupted == 0 && all_s > 1.5 * budget_s)
        estimate(r, all_s);
}

static void tell(const profiling *r, const char *what, size_t done)
{
    if (r->extras->progress)
        r->extras->progress(r->extras->context, what, done, r->p->group_count + 1);
}

static ridge_status run_groups(profiling *r, double budget_s)
{
    ridge_profile *p = r->p;
    ridge_status st = ridge_team_make(&r->team, (unsigned)p->request.threads, true, r->err);
    bool levels = p->request.optimize >= 0 && !p->request.shape.rwkv;
    for (size_t g = 0; g < p->group_count && !st && ridge_measure_interrupted == 0; g++) {
        const double began_s = ridge_clock_s();
        tell(r, p->groups[g].name[0] != '\0' ? p->groups[g].name : "kernels", g + 1);
        st = run_group(r, g, budget_s / (double)(p->group_count + levels));
        if (g == 0 && !st)
            estimate_again(r, ridge_clock_s() - began_s, budget_s);
    }
    if (!st && levels && ridge_measure_interrupted == 0)
        st = ridge_profile_run_levels(p, r->team, budget_s / 2, r->arena, r->err);
    ridge_team_free(r->team);
    p->interrupted = ridge_measure_interrupted != 0;
    return st;
}

/* ---- sums ---- */

/* what Ctrl-C left out has no time; then there is no total, of which others could be a share */
static void forget_unmeasured(ridge_profile *p)
{
    p->total_s = RIDGE_MEASURE_UNKNOWN;
    for (size_t i = 0; i < p->component_count; i++) {
        ridge_profile_component *c = &p->components[i];
        c->percent = RIDGE_MEASURE_UNKNOWN;
        if (!c->variant)
            c->time_s = c->low_s = c->high_s = c->max_relative_error = c->tolerance = RIDGE_MEASURE_UNKNOWN;
    }
}

/* what the ceilings say of it */
static void judge(ridge_profile_component *c)
{
    double most = ridge_compare_bound_s(c->least);
    bool known = most > 0;
    c->bound = known ? ridge_compare_bound(c->least) : RIDGE_SIDE_UNKNOWN;
    c->beats_roofline = most > c->high_s && c->high_s > 0;
    c->percent_of_ceiling = known && c->time_s > 0 ? 100 * most / c->time_s : RIDGE_MEASURE_UNKNOWN;
}

void ridge_profile_sum(ridge_profile *p)
{
    p->total_s = 0;
    p->unmeasured = p->beaten = 0;
    for (size_t i = 0; i < p->component_count; i++) {
        p->total_s += p->components[i].time_s;
        p->unmeasured += p->components[i].variant == NULL;
    }
    for (size_t i = 0; i < p->component_count; i++)
        p->components[i].percent = p->total_s > 0 ? 100 * p->components[i].time_s / p->total_s : 0;
    if (p->unmeasured > 0)
        forget_unmeasured(p);
    for (size_t i = 0; i < p->component_count; i++) {
        judge(&p->components[i]);
        p->beaten += p->components[i].beats_roofline;
    }
}

static void sum_predictions(ridge_profile *p)
{
    p->predicted_s = 0;
    for (size_t i = 0; i < p->component_count; i++)
        p->predicted_s += p->components[i].predicted_s > 0 ? p->components[i].predicted_s : 0;
    if (p->unmeasured > 0)
        p->predicted_s = RIDGE_MEASURE_UNKNOWN;
}

static double rate(double count, double seconds)
{
    return count >= 0 && seconds > 0 ? count / seconds : RIDGE_MEASURE_UNKNOWN;
}

/* in decode and prefill alike batch x seq tokens go through; there is no rate where rows were not run */
void ridge_profile_rates(ridge_profile *p)
{
    const ridge_profile_request *q = &p->request;
    bool whole = q->what == RIDGE_PROFILE_MODEL && p->left_out.count == 0;
    double tokens = whole && p->takes.tokens ? (double)(q->batch * q->seq) : -1, images = whole && p->takes.image ? (double)q->batch : -1;
    p->tokens_per_s = rate(tokens, p->total_s);
    p->predicted_tokens_per_s = rate(tokens, p->predicted_s);
    p->images_per_s = rate(images, p->total_s);
    p->predicted_images_per_s = rate(images, p->predicted_s);
    p->error = ridge_compare_error(p->predicted_s, p->total_s);
    for (size_t i = 0; i < p->component_count; i++)
        p->components[i].error = ridge_compare_error(p->components[i].predicted_s, p->components[i].time_s);
}

/* ---- the run ---- */

static ridge_status measure_machine(profiling *r, double budget_s)
{
    ridge_bench_machine *machine;
    const unsigned threads = (unsigned)r->p->request.threads;
    const ridge_bench_machine_options options = {.threads = &threads, .thread_count = 1, .budget_s = budget_s};
    tell(r, "ceilings", 0);
    ridge_status st = ridge_bench_machine_make(&machine, &options, r->arena, r->err);
    r->p->machine = machine;
    return st;
}

/* fills the past that was not given: the usual one, or less where the model's positions end before it */
static ridge_status open_model(ridge_profile_model *model, ridge_profile_request *q, ridge_registry *registry, profiling *r)
{
    ridge_status st = ridge_profile_model_open(model, q, registry, r->arena, r->err);
    if (!st && !r->seq_given && !model->exact->workload.takes.tokens) { /* the usual seq is none of its own */
        ridge_profile_model_free(model);
        q->seq = RIDGE_UNSET;
        st = ridge_profile_model_open(model, q, registry, r->arena, r->err);
    }
    if (st || q->past != RIDGE_UNSET)
        return st;
    const int64_t most = model->exact->workload.past;
    q->past = most < 0 ? 0 : most < USUAL_PAST ? most : USUAL_PAST;
    if (q->past == most)
        return RIDGE_OK;
    ridge_profile_model_free(model);
    return ridge_profile_model_open(model, q, registry, r->arena, r->err);
}

/* what the model takes, and what it says of options that it does not */
static ridge_status take_facts(profiling *r, const ridge_analysis *exact)
{
    ridge_status st = RIDGE_OK;
    r->p->takes = exact->workload.takes;
    for (size_t i = 0; i < exact->warnings.count && !st; i++) {
        const char *copy = ridge_arena_strdup(r->arena, ridge_str_of(exact->warnings.items[i]));
        st = copy ? ridge_words_add(&r->p->warnings, copy, r->arena, r->err) : ridge_no_memory(r->err);
    }
    return st;
}

/* attention by the sizes of a model's, with any workload; a layer and a model by the catalog's rows */
static ridge_status plan_of_model(profiling *r, ridge_profile_model *model, ridge_registry *registry)
{
    ridge_profile *p = r->p;
    ridge_profile_request q = p->request;
    bool sizes_alone = q.what == RIDGE_PROFILE_ATTENTION;
    if (sizes_alone)
        q = (ridge_profile_request){.model = q.model, .batch = RIDGE_UNSET, .seq = RIDGE_UNSET, .phase = RIDGE_PHASE_PREFILL};
    ridge_status st = open_model(model, &q, registry, r);
    if (!st && !sizes_alone) {
        p->request.past = q.past;
        st = take_facts(r, model->exact);
    }
    if (st || p->request.what == RIDGE_PROFILE_MODEL)
        return st ? st : ridge_profile_plan_model(model, r->plan);
    if (!sizes_alone)
        return ridge_profile_plan_layer(model, r->plan);
    st = ridge_profile_model_shape(&p->request.shape, model, r->plan);
    p->request.shape.intermediate = RIDGE_UNSET; /* attention has none */
    return st;
}

static ridge_status make_plan(profiling *r, ridge_profile_model *model, ridge_registry *registry)
{
    ridge_profile *p = r->p;
    ridge_status st = p->request.model ? plan_of_model(r, model, registry) : RIDGE_OK;
    p->shape = p->request.what == RIDGE_PROFILE_MODEL ? NULL : &p->request.shape;
    if (st || r->plan->count > 0)
        return st;
    st = ridge_profile_complete_shape(p, r->err);
    return st ? st : ridge_profile_plan_shape(r->plan);
}

static ridge_status run(profiling *r, ridge_profile_model *model, ridge_registry *registry)
{
    ridge_profile *p = r->p;
    double budget_s = p->request.budget_s;
    ridge_status st = make_plan(r, model, registry);
    if (!st)
        estimate(r, budget_s);
    if (st || (st = measure_machine(r, budget_s / 4)) || (st = run_groups(r, budget_s * 3 / 4)))
        return st;
    ridge_profile_sum(p);
    sum_predictions(p);
    if (p->request.what == RIDGE_PROFILE_MODEL && (st = ridge_profile_predict_model(p, model, &p->machine->rates[0].measured, r->err)))
        return st;
    ridge_profile_rates(p);
    return p->unmeasured > 0 ? RIDGE_OK : ridge_profile_advise(p, r->arena, r->err);
}

ridge_status ridge_profile_run(ridge_profile *out, const ridge_profile_request *request, const ridge_profile_extras *extras,
                               ridge_registry *registry, ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    static const ridge_profile_extras none = {0};
    *out = (ridge_profile){
        .request = *request, .left_out_predicted_s = RIDGE_MEASURE_UNKNOWN, .run = RIDGE_UNSET, .takes = {.tokens = true, .cache = true}};
    ridge_profile_plan plan = {.profile = out, .arena = arena, .err = err};
    ridge_profile_model model = {0};
    profiling r = {.p = out, .extras = extras ? extras : &none, .plan = &plan, .ops = ops, .arena = arena, .err = err};
    r.seq_given = request->seq != RIDGE_UNSET;
    ridge_status st = ridge_isa_check(err);
    if (!st)
        st = check(request, r.extras, err);
    if (!st)
        st = complete(out, arena, err);
    if (!st)
        st = run(&r, &model, registry);
    ridge_profile_model_free(&model);
    return st;
}
