/* Checking and timing kernels beside their ceilings (bench.h). */
#include "app/bench.h"

#include <math.h>
#include <stdio.h>

#include "app/bench_beside.h"
#include "kernel/provider.h"

/* fewer undisturbed samples have no 95 % interval (binomial: 2 x 2^-6 = 3 %) */
enum { LEAST_TO_FLAG = 6 };

/* a sample of a hot row: about so many calls, at most so long */
#define HOT_CALLS    20
#define HOT_SAMPLE_S 5e-3

typedef struct running {
    ridge_bench *out;
    const ridge_bench_request *request;
    ridge_ops *ops;
    ridge_arena *arena;
    ridge_err *err;
    ridge_bench_beside beside;
    size_t done;
} running;

/* what is run of one case */
typedef struct planned_case {
    const ridge_bench_case *of;
    ridge_bench_cost cost;
    const ridge_kernel_variant **variants;
    size_t variant_count;
    ridge_cache_state caches[2];
    size_t cache_count;
    const char *shape, *shape_json;
} planned_case;

static ridge_status nomem(ridge_err *err)
{
    return ridge_fail(err, RIDGE_NOMEM, "out of memory");
}

/* ---- which variants ---- */

static bool is_wanted(const running *r, const planned_case *c, const ridge_kernel_variant *v)
{
    const ridge_bench_request *q = r->request;
    if ((q->variant && strcmp(q->variant, v->name) != 0) || (q->provider && strcmp(q->provider, v->provider) != 0))
        return false;
    for (size_t i = 0; i < c->variant_count && !q->all_variants && !q->variant; i++)
        if (strcmp(c->variants[i]->provider, v->provider) == 0)
            return false; /* a better one of this provider is there */
    return true;
}

static bool is_extra(const ridge_bench_request *q, const ridge_problem *p, size_t i)
{
    const ridge_kernel_variant *v = q->extra[i];
    return v->kind == p->kind && (v->isa & ~ridge_isa_have()) == 0 && v->takes(p);
}

static ridge_status find_variants(planned_case *c, const running *r)
{
    const ridge_kernel_variant *const *all;
    const ridge_bench_request *q = r->request;
    size_t count;
    ridge_status st = ridge_kernel_variants(&all, &count, &c->of->problem, r->arena, r->err);
    if (st)
        return st;
    if (!(c->variants = ridge_arena_array(r->arena, count + q->extra_count + 1, sizeof *c->variants)))
        return nomem(r->err);
    for (size_t i = 0; i < count; i++)
        if (is_wanted(r, c, all[i]))
            c->variants[c->variant_count++] = all[i];
    for (size_t i = 0; i < q->extra_count; i++)
        if (is_extra(q, &c->of->problem, i) && is_wanted(r, c, q->extra[i]))
            c->variants[c->variant_count++] = q->extra[i];
    return RIDGE_OK;
}

static const char *name_of(const running *r, const ridge_kernel_variant *v)
{
    return r->request->variant ? v->name : v->provider;
}

/* the names a kind has, each once, after the error's message */
static void append_names(const running *r, ridge_kernel_kind kind, const ridge_kernel_variant *const *all, size_t count)
{
    const char *comma = "";
    for (size_t i = 0; i < count && r->err; i++) {
        size_t before = 0;
        while (before < i && (all[before]->kind != kind || strcmp(name_of(r, all[before]), name_of(r, all[i])) != 0))
            before++;
        if (all[i]->kind != kind || before < i)
            continue;
        ridge_err_append(r->err, "%s %s", comma, name_of(r, all[i]));
        comma = ",";
    }
}

/* "no variant 'avx51'; did you mean 'avx512'?", or why one that exists does not do */
static ridge_status no_variant(const running *r, const planned_case *c)
{
    const ridge_bench_request *q = r->request;
    const ridge_problem *p = &c->of->problem;
    const ridge_kernel_variant *const *all;
    const char *wanted = q->variant ? q->variant : q->provider, *what = q->variant ? "variant" : "provider";
    ridge_nearest nearest = {0};
    bool exists = false;
    size_t count;
    ridge_status st = ridge_kernel_table(&all, &count, r->arena, r->err);
    if (st)
        return st;
    if (!wanted)
        return ridge_fail(r->err, RIDGE_UNKNOWN, "no kernel here does %s with %s and activations in %s", ridge_kernel_kind_names[p->kind],
                          p->weights->name, p->activations->name);
    for (size_t i = 0; i < count; i++) {
        const char *name = name_of(r, all[i]);
        if (all[i]->kind != p->kind)
            continue;
        exists = exists || strcmp(name, wanted) == 0;
        ridge_nearest_offer(&nearest, ridge_str_of(wanted), name);
    }
    if (exists) {
        char why[160];
        st = ridge_fail(r->err, RIDGE_UNKNOWN, "%s '%s' does not do %s %s in %s with %s here", what, wanted,
                        ridge_kernel_kind_names[p->kind], c->shape, p->weights->name, p->activations->name);
        if (!q->variant && !ridge_provider_detail(why, sizeof why, wanted, NULL) && r->err)
            ridge_err_append(r->err, ": %s", why);
        return st;
    }
    if (nearest.best)
        return ridge_fail(r->err, RIDGE_NAME, "%s has no %s '%s'; did you mean '%s'?", ridge_kernel_kind_names[p->kind], what, wanted,
                          nearest.best);
    st = ridge_fail(r->err, RIDGE_NAME, "%s has no %s '%s'; there are", ridge_kernel_kind_names[p->kind], what, wanted);
    append_names(r, p->kind, all, count);
    return st;
}

/* ---- what is run ---- */

static bool streams_its_weights(const ridge_problem *p)
{
    return p->kind == RIDGE_KERNEL_KIND_GEMV || p->kind == RIDGE_KERNEL_KIND_EMBEDDING ||
           (p->kind == RIDGE_KERNEL_KIND_ATTENTION && p->seq == 1);
}

static void choose_caches(planned_case *c)
{
    ridge_bench_cache cache = c->of->cache;
    if (cache == RIDGE_BENCH_USUAL)
        cache = streams_its_weights(&c->of->problem) ? RIDGE_BENCH_COLD : RIDGE_BENCH_HOT;
    if (cache != RIDGE_BENCH_COLD)
        c->caches[c->cache_count++] = RIDGE_CACHE_HOT;
    if (cache != RIDGE_BENCH_HOT)
        c->caches[c->cache_count++] = RIDGE_CACHE_COLD;
}

static ridge_status plan_case(planned_case *c, const running *r, const ridge_bench_case *of)
{
    ridge_err ignored = {0};
    *c = (planned_case){.of = of};
    choose_caches(c);
    c->shape = ridge_bench_shape_text(&of->problem, r->arena);
    if (!(c->shape_json = ridge_bench_shape_json(&of->problem, r->arena)))
        return nomem(r->err);
    running quiet = *r;
    if (r->request->skip_unsupported)
        quiet.err = &ignored; /* sizes that a format's blocks do not divide are no error of a list of formats */
    ridge_status st = find_variants(c, &quiet);
    if (st == RIDGE_NOMEM)
        return nomem(r->err);
    if (r->request->skip_unsupported && (st || c->variant_count == 0)) {
        c->variant_count = 0;
        r->out->unsupported[r->out->unsupported_count++] = of;
        return RIDGE_OK;
    }
    if (!st && c->variant_count == 0)
        st = no_variant(r, c);
    return st ? st : ridge_bench_cost_of(&c->cost, &of->problem, r->ops, r->arena, r->err);
}

static void tell(const running *r, const char *what)
{
    if (r->request->progress)
        r->request->progress(r->request->context, what, r->done, r->out->planned);
}

/* ---- one row ---- */

static double as_double(ridge_int n)
{
    return n < 0 ? RIDGE_MEASURE_UNKNOWN : ridge_rational_double(ridge_rational_of(n));
}

static void predict(ridge_bench_row *row, ridge_bench_least *least, const planned_case *c, const ridge_bench_rates *rates,
                    const ridge_kernel_variant *v, ridge_cache_state cache)
{
    bool cold = cache == RIDGE_CACHE_COLD;
    *least = ridge_bench_least_of(&c->cost, &rates->measured, v->activation_bits, cold);
    ridge_bench_least theory = ridge_bench_least_of(&c->cost, &rates->theory, v->activation_bits, cold);
    row->measured_ceilings = least->sides;
    row->level = least->level ? least->level->name : NULL;
    row->row.predicted_s = ridge_compare_bound_s(least->sides);
    row->row.bound = ridge_compare_bound(least->sides);
    /* where nobody tells the bandwidth, the theory still has the side that bounds the row, if that is the arithmetic */
    bool enough = theory.sides.memory_s >= 0 || (row->row.bound && strcmp(row->row.bound, "compute") == 0);
    row->theory_s = enough ? ridge_compare_bound_s(theory.sides) : RIDGE_MEASURE_UNKNOWN;
}

static void fill_result(ridge_bench_row *row, const planned_case *c, const ridge_kernel_result *result, ridge_arena *arena)
{
    ridge_measured_row *m = &row->row;
    row->right = result->right;
    row->tolerance = result->tolerance;
    row->packed_bytes = result->packed_bytes;
    row->places = result->places;
    row->huge_pages = result->huge_pages;
    row->library = result->library[0] != '\0' ? ridge_arena_strdup(arena, ridge_str_of(result->library)) : NULL;
    m->max_relative_error = result->max_relative_error;
    m->flops = c->cost.record.flops.total;
    m->bytes = c->cost.record.bytes;
    m->flops_per_s = m->bytes_per_s = m->percent_of_ceiling = m->error = RIDGE_MEASURE_UNKNOWN;
    if (!result->right)
        return;
    m->time = result->time;
    m->flops_per_s = as_double(m->flops) / m->time.median_s;
    m->bytes_per_s = as_double(m->bytes) / m->time.median_s;
    m->error = ridge_compare_error(m->predicted_s, m->time.median_s);
}

/* against what was measured beside it */
static void set_against(ridge_bench_row *row)
{
    ridge_measured_row *m = &row->row;
    double least = ridge_compare_bound_s(row->seen);
    if (!row->right || !(least > 0))
        return;
    m->percent_of_ceiling = 100 * least / m->time.median_s;
    m->beats_roofline = m->time.kept >= LEAST_TO_FLAG && least > m->time.high_s; /* beyond its interval, where it has one */
}

static ridge_bench_row *new_row(running *r)
{
    ridge_bench *b = r->out;
    b->rows = ridge_arena_grow(r->arena, b->rows, b->row_count, &b->cap, b->row_count + 1, sizeof *b->rows);
    if (!b->rows) {
        (void)nomem(r->err);
        return NULL;
    }
    ridge_bench_row *row = &b->rows[b->row_count];
    *row = (ridge_bench_row){.theory_s = RIDGE_MEASURE_UNKNOWN};
    return row;
}

static ridge_status run_row(running *r, const planned_case *c, ridge_kernel_bench *bench, ridge_team *team, const ridge_bench_rates *rates,
                            const ridge_kernel_variant *v, ridge_cache_state cache)
{
    ridge_measure_options options = {.budget_s = r->request->budget_s, .threads = rates->threads, .pinned = true};
    const ridge_problem *p = &c->of->problem;
    ridge_kernel_result result;
    ridge_bench_least least;
    ridge_bench_row *row = new_row(r);
    if (!row)
        return RIDGE_NOMEM;
    row->of = c->of;
    row->shape = c->shape;
    row->row = (ridge_measured_row){.kernel = ridge_kernel_kind_names[p->kind],
                                    .variant = v->name,
                                    .provider = v->provider,
                                    .shape = c->shape_json,
                                    .format = p->weights->name,
                                    .activations = p->activations->name,
                                    .threads = rates->threads,
                                    .cache = cache,
                                    .machine = r->out->machine->fingerprint};
    predict(row, &least, c, rates, v, cache);
    if (cache == RIDGE_CACHE_HOT && row->row.predicted_s > 0) /* the first call of a sample finds what the others left in the caches */
        options.sample_s = fmin(HOT_CALLS * row->row.predicted_s, HOT_SAMPLE_S);
    ridge_bench_beside_set(&r->beside, rates, &least, as_double(c->cost.record.bytes), cache);
    ridge_status st = ridge_kernel_bench_run_beside(&result, &r->beside.beside, bench, v, team, rates->threads, cache, &options, r->err);
    if (st)
        return st;
    fill_result(row, c, &result, r->arena);
    if (result.right)
        row->seen = ridge_bench_beside_sides(&r->beside, rates, &least, as_double(c->cost.record.bytes));
    else
        row->seen = (ridge_compare_sides){RIDGE_MEASURE_UNKNOWN, RIDGE_MEASURE_UNKNOWN};
    set_against(row);
    r->out->row_count++;
    r->out->timed += row->right;
    return RIDGE_OK;
}

/* every variant and cache state of a case, with so many threads */
static ridge_status run_with_threads(running *r, const planned_case *c, ridge_kernel_bench *bench, const ridge_bench_rates *rates)
{
    ridge_team *team = NULL;
    ridge_status st = ridge_team_make(&team, rates->threads, true, r->err);
    for (size_t k = 0; k < c->cache_count && !st; k++)
        for (size_t v = 0; v < c->variant_count && !st && !ridge_measure_interrupted; v++) {
            char what[160];
            (void)snprintf(what, sizeof what, "%s %s %s %s, %u thread%s, %s", ridge_kernel_kind_names[c->of->problem.kind], c->shape,
                           c->of->problem.weights->name, c->variants[v]->name, rates->threads, rates->threads == 1 ? "" : "s",
                           ridge_cache_state_names[c->caches[k]]);
            tell(r, what);
            st = run_row(r, c, bench, team, rates, c->variants[v], c->caches[k]);
            r->done++;
        }
    ridge_team_free(team);
    return st;
}

static ridge_status run_case(running *r, const planned_case *c)
{
    ridge_kernel_bench *bench = NULL;
    ridge_status st = ridge_kernel_bench_make(&bench, &c->of->problem, r->err);
    for (size_t t = 0; t < r->out->machine->rate_count && !st && !ridge_measure_interrupted; t++)
        st = run_with_threads(r, c, bench, &r->out->machine->rates[t]);
    ridge_kernel_bench_free(bench);
    return st;
}

/* ---- the run ---- */

static ridge_status plan_all(planned_case **out, running *r)
{
    const ridge_bench_request *q = r->request;
    ridge_status st = RIDGE_OK;
    *out = ridge_arena_array(r->arena, q->case_count + 1, sizeof **out);
    r->out->unsupported = ridge_arena_array(r->arena, q->case_count + 1, sizeof *r->out->unsupported);
    if (!*out || !r->out->unsupported)
        return nomem(r->err);
    for (size_t i = 0; i < q->case_count && !st; i++) {
        st = plan_case(&(*out)[i], r, &q->cases[i]);
        r->out->planned += (*out)[i].variant_count * (*out)[i].cache_count * q->thread_count;
    }
    if (!st && r->out->planned == 0)
        st = ridge_fail(r->err, RIDGE_UNKNOWN, "nothing to measure: no kernel here takes any of the %zu case%s", q->case_count,
                        q->case_count == 1 ? "" : "s");
    return st;
}

static ridge_status make_machine(running *r)
{
    const ridge_bench_request *q = r->request;
    ridge_bench_machine *machine;
    const ridge_bench_machine_options options = {
        .threads = q->threads,
        .thread_count = q->thread_count,
        .budget_s = q->ceilings_budget_s > 0 ? q->ceilings_budget_s : 4.0 * (double)q->thread_count,
        .bandwidth_bytes_per_s = q->bandwidth_bytes_per_s,
        .progress = q->progress,
        .context = q->context,
    };
    ridge_status st = ridge_bench_machine_make(&machine, &options, r->arena, r->err);
    r->out->machine = machine;
    return st;
}

ridge_status ridge_bench_run(ridge_bench *out, const ridge_bench_request *request, ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    running r = {.out = out, .request = request, .ops = ops, .arena = arena, .err = err};
    planned_case *cases;
    *out = (ridge_bench){0};
    ridge_status st = plan_all(&cases, &r);
    if (st || (st = make_machine(&r)))
        return st;
    for (size_t i = 0; i < request->case_count && !st && !ridge_measure_interrupted; i++)
        if (cases[i].variant_count > 0)
            st = run_case(&r, &cases[i]);
    out->interrupted = ridge_measure_interrupted != 0;
    ridge_bench_beside_free(&r.beside);
    return st;
}

ridge_status ridge_bench_measured(ridge_measured_row **out, size_t *count, const ridge_bench *b, ridge_arena *arena, ridge_err *err)
{
    *count = 0;
    if (!(*out = ridge_arena_array(arena, b->row_count + 1, sizeof **out)))
        return nomem(err);
    for (size_t i = 0; i < b->row_count; i++)
        if (b->rows[i].right)
            (*out)[(*count)++] = b->rows[i].row;
    return RIDGE_OK;
}
