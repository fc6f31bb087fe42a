/* Running a profile: the plan's groups one after the other, their steps' times into components (profile.h). */
#include "profile/profile.h"

#include <math.h>

#include "predict/predict.h"
#include "profile/plan.h"
#include "measure/placement.h"

const char *const ridge_profile_names[] = {"attention", "layer", "model", NULL};

void ridge_profile_default(ridge_profile_request *request)
{
    *request = (ridge_profile_request){.phase = RIDGE_PHASE_DECODE,
                                       .shape = {.rope = true},
                                       .batch = RIDGE_UNSET,
                                       .seq = RIDGE_UNSET,
                                       .past = RIDGE_UNSET,
                                       .cache = RIDGE_CACHE_COLD,
                                       .optimize = -1};
}

/* ---- what was asked ---- */

static ridge_status set_workload(ridge_profile *p, ridge_err *err)
{
    const ridge_profile_request *q = p->request;
    bool decode = q->phase == RIDGE_PHASE_DECODE;
    if (q->phase == RIDGE_PHASE_TRAIN)
        return ridge_fail(err, RIDGE_USAGE, "profile runs --phase decode or prefill, not train");
    if (q->optimize >= 0 && q->what != RIDGE_PROFILE_ATTENTION)
        return ridge_fail(err, RIDGE_USAGE, "--optimize belongs to 'ridge profile attention'");
    if (q->what == RIDGE_PROFILE_MODEL && !q->model)
        return ridge_fail(err, RIDGE_USAGE, "profile model needs a MODEL: a folder, a config.json, or an id");
    p->batch = q->batch == RIDGE_UNSET ? 1 : q->batch;
    p->seq = q->seq != RIDGE_UNSET ? q->seq : decode ? 1 : 512;
    p->past = q->past != RIDGE_UNSET ? q->past : decode ? 512 : 0;
    p->shape = q->shape;
    return RIDGE_OK;
}

static ridge_status set_formats(ridge_profile *p, ridge_err *err)
{
    const ridge_format *const w = p->request->weights, *fp32 = ridge_format_find(RIDGE_STR("fp32"));
    p->weights = w ? w : ridge_format_find(RIDGE_STR("bf16"));
    bool plain =
        p->weights == fp32 || p->weights == ridge_format_find(RIDGE_STR("bf16")) || p->weights == ridge_format_find(RIDGE_STR("fp16"));
    p->activations = p->request->activations ? p->request->activations : plain ? p->weights : fp32;
    if (p->request->trace && p->request->threads == 0)
        return ridge_fail(err, RIDGE_USAGE, "a trace is of so many threads: say how many");
    p->cpus = ridge_placement_cpus();
    p->threads = p->request->threads > 0 ? p->request->threads : p->cpus;
    return RIDGE_OK;
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
    bool cold = p->request->cache == RIDGE_CACHE_COLD && reads_large(s->step.problem.kind);
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

typedef struct running {
    ridge_profile *p;
    ridge_profile_plan *plan;
    ridge_team *team;
    ridge_ops *ops;
    ridge_arena *arena;
    ridge_err *err;
} running;

static ridge_status gather(running *r, size_t first, size_t count, const ridge_chain_result *results)
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

static ridge_status run_group(running *r, size_t g, double budget_s)
{
    size_t first = r->plan->group_first[g], count = r->plan->group_first[g + 1] - first;
    const ridge_chain_options options = {.cache = r->p->request->cache, .threads = r->p->threads, .trace = r->p->request->trace};
    const ridge_measure_options measure = {.budget_s = budget_s, .threads = r->p->threads, .pinned = true};
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

static void tell(const ridge_profile *p, const char *what, size_t done)
{
    if (p->request->progress)
        p->request->progress(p->request->context, what, done, p->group_count + 1);
}

static ridge_status run_groups(running *r, double budget_s)
{
    ridge_profile *p = r->p;
    ridge_status st = ridge_team_make(&r->team, p->threads, true, r->err);
    bool levels = p->request->optimize >= 0 && !p->shape.rwkv;
    for (size_t g = 0; g < p->group_count && !st && ridge_measure_interrupted == 0; g++) {
        tell(p, p->groups[g].name[0] != '\0' ? p->groups[g].name : "kernels", g + 1);
        st = run_group(r, g, budget_s / (double)(p->group_count + levels));
    }
    if (!st && levels && ridge_measure_interrupted == 0)
        st = ridge_profile_run_levels(p, r->team, budget_s / 2, r->arena, r->err);
    ridge_team_free(r->team);
    p->interrupted = ridge_measure_interrupted != 0;
    return st;
}

/* ---- sums ---- */

size_t ridge_profile_unmeasured(const ridge_profile *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->component_count; i++)
        count += p->components[i].variant == NULL;
    return count;
}

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

void ridge_profile_sum(ridge_profile *p)
{
    p->total_s = 0;
    for (size_t i = 0; i < p->component_count; i++)
        p->total_s += p->components[i].time_s;
    for (size_t i = 0; i < p->component_count; i++)
        p->components[i].percent = p->total_s > 0 ? 100 * p->components[i].time_s / p->total_s : 0;
    if (ridge_profile_unmeasured(p) > 0)
        forget_unmeasured(p);
    for (size_t i = 0; i < p->component_count; i++) {
        ridge_profile_component *c = &p->components[i];
        double most = fmax(c->least.memory_s, c->least.compute_s);
        c->bound = most > 0 ? ridge_side_names[ridge_compare_bound(c->least)] : NULL;
        c->beats_roofline = most > c->high_s && c->high_s > 0;
        c->percent_of_ceiling = most > 0 && c->time_s > 0 ? 100 * most / c->time_s : RIDGE_MEASURE_UNKNOWN;
    }
}

static void sum_predictions(ridge_profile *p)
{
    p->predicted_s = 0;
    for (size_t i = 0; i < p->component_count; i++)
        p->predicted_s += p->components[i].predicted_s > 0 ? p->components[i].predicted_s : 0;
    if (ridge_profile_unmeasured(p) > 0)
        p->predicted_s = RIDGE_MEASURE_UNKNOWN;
}

static ridge_status measure_machine(ridge_profile *p, double budget_s, ridge_arena *arena, ridge_err *err)
{
    ridge_bench_machine *machine;
    const ridge_bench_machine_options options = {
        .threads = &p->threads, .thread_count = 1, .budget_s = budget_s, .progress = NULL, .context = p->request->context};
    tell(p, "ceilings", 0);
    ridge_status st = ridge_bench_machine_make(&machine, &options, arena, err);
    p->machine = machine;
    return st;
}

/* tokens/s of a pass: in decode and prefill alike batch x seq tokens go through; not known where rows of it were not run */
void ridge_profile_rates(ridge_profile *p)
{
    p->tokens_per_s = p->predicted_tokens_per_s = RIDGE_MEASURE_UNKNOWN;
    if (p->left_out_count > 0)
        return;
    double tokens = (double)(p->batch * p->seq);
    p->tokens_per_s = p->total_s > 0 ? tokens / p->total_s : RIDGE_MEASURE_UNKNOWN;
    p->predicted_tokens_per_s = p->predicted_s > 0 ? tokens / p->predicted_s : RIDGE_MEASURE_UNKNOWN;
}

static ridge_status run(running *r, ridge_profile_model *model, ridge_registry *registry)
{
    ridge_profile *p = r->p;
    bool whole = p->request->what == RIDGE_PROFILE_MODEL;
    double budget_s = p->request->budget_s > 0 ? p->request->budget_s : 8;
    ridge_status st = whole ? ridge_profile_plan_model(model, r->plan, registry) : ridge_profile_complete_shape(p, registry, r->err);
    if (!st && !whole)
        st = ridge_profile_plan_shape(r->plan);
    if (st || (st = measure_machine(p, budget_s / 4, r->arena, r->err)) || (st = run_groups(r, budget_s * 3 / 4)))
        return st;
    ridge_profile_sum(p);
    sum_predictions(p);
    if (whole && (st = ridge_profile_predict_model(p, model, &p->machine->rates[0].measured, r->err)))
        return st;
    ridge_profile_rates(p);
    return ridge_profile_unmeasured(p) > 0 ? RIDGE_OK : ridge_profile_advise(p, r->arena, r->err);
}

ridge_status ridge_profile_run(ridge_profile *out, const ridge_profile_request *request, ridge_registry *registry, ridge_ops *ops,
                               ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_profile){.request = request, .left_out_predicted_s = 0};
    ridge_profile_plan plan = {.profile = out, .arena = arena, .err = err};
    ridge_profile_model model = {0};
    running r = {.p = out, .plan = &plan, .ops = ops, .arena = arena, .err = err};
    ridge_status st = ridge_isa_check(err);
    if (!st)
        st = set_workload(out, err);
    if (!st)
        st = set_formats(out, err);
    if (!st)
        st = run(&r, &model, registry);
    ridge_profile_model_free(&model);
    return st;
}
