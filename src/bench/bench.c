/* Checking and timing kernels beside their ceilings (bench.h). */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>

#include "bench/beside.h"
#include "bench/plan.h"
#include "measure/placement.h"
#include "measure/rounds.h"

/* fewer undisturbed samples have no 95 % interval (binomial: 2 x 2^-6 = 3 %) */
enum { LEAST_TO_FLAG = 6 };

/* A sample is about as long as a call of the kernel, for what stands beside it too: a disturbance hits a long sample, which is dropped, and
 * passes between short ones. In hot rows so many calls, since the first finds what the others left in the caches. At most so long. */
#define HOT_CALLS 20
#define SAMPLE_S  5e-3

/* a row while its rounds are measured */
typedef struct pending {
    ridge_bench_row row;
    ridge_sample_statistics *times; /* [rounds] */
    ridge_compare_sides *seen;
    unsigned rounds;
} pending;

typedef struct running {
    ridge_bench *out;
    const ridge_bench_request *request;
    ridge_ops *ops;
    ridge_arena *arena;
    ridge_err *err;
    ridge_bench_beside beside;
    pending *rows; /* [planned], in order */
    size_t at;     /* the next row of this round */
    unsigned round, rounds;
} running;

static void tell(const running *r, const char *what)
{
    if (r->request->progress)
        r->request->progress(r->request->context, what, r->round * r->out->planned + r->at, r->rounds * r->out->planned);
}

/* ---- one row ---- */

static double as_double(ridge_int n)
{
    return n < 0 ? RIDGE_MEASURE_UNKNOWN : ridge_rational_double(ridge_rational_of(n));
}

static void predict(ridge_bench_row *row, ridge_bench_least *least, const ridge_bench_plan *c, const ridge_bench_rates *rates,
                    const ridge_kernel_variant *v, ridge_cache_state cache)
{
    bool cold = cache == RIDGE_CACHE_COLD;
    *least = ridge_bench_least_of(&c->cost, &rates->mixed[ridge_bench_mix_of(&c->of->problem)], v->activation_bits, cold);
    ridge_bench_least theory = ridge_bench_least_of(&c->cost, &rates->theory, v->activation_bits, cold);
    row->measured_ceilings = least->sides;
    row->level = least->level ? least->level->name : NULL;
    row->row.predicted_s = ridge_compare_bound_s(least->sides);
    row->row.bound = ridge_compare_bound(least->sides);
    /* where nobody tells the bandwidth, the theory still has the side that bounds the row, if that is the arithmetic */
    bool enough = theory.sides.memory_s >= 0 || row->row.bound == RIDGE_SIDE_COMPUTE;
    row->theory_s = enough ? ridge_compare_bound_s(theory.sides) : RIDGE_MEASURE_UNKNOWN;
}

static void fill_result(ridge_bench_row *row, const ridge_bench_plan *c, const ridge_kernel_result *result, ridge_arena *arena)
{
    ridge_measured_row *m = &row->row;
    row->right = result->right;
    row->tolerance = result->tolerance;
    row->packed_bytes = result->packed_bytes;
    row->places = result->places;
    row->huge_pages = result->huge_pages;
    row->library = result->library[0] != '\0' ? ridge_arena_strdup(arena, ridge_str_of(result->library)) : NULL;
    row->seen = (ridge_compare_sides){RIDGE_MEASURE_UNKNOWN, RIDGE_MEASURE_UNKNOWN};
    m->max_relative_error = fmax(m->max_relative_error, result->max_relative_error);
    m->flops = c->cost.record.flops.total;
    m->bytes = c->cost.record.bytes;
    m->flops_per_s = m->bytes_per_s = m->percent_of_ceiling = m->error = RIDGE_MEASURE_UNKNOWN;
}

static void begin_row(pending *p, const running *r, const ridge_bench_plan *c, const ridge_kernel_variant *v, unsigned threads,
                      ridge_cache_state cache)
{
    p->row = (ridge_bench_row){.theory_s = RIDGE_MEASURE_UNKNOWN,
                               .dense_flops_per_s = RIDGE_MEASURE_UNKNOWN,
                               .dense_flops = c->dense_flops,
                               .of = c->of,
                               .shape = c->shape};
    p->row.row = (ridge_measured_row){.kernel = ridge_kernel_kind_names[c->of->problem.kind],
                                      .variant = v->name,
                                      .provider = v->provider,
                                      .shape = c->shape_json,
                                      .format = c->of->problem.weights->name,
                                      .activations = c->of->problem.activations->name,
                                      .threads = threads,
                                      .cache = cache,
                                      .machine = r->out->machine->fingerprint};
}

/* one round of the row that is next; one that was found wrong is not run again */
static ridge_status run_row(running *r, const ridge_bench_plan *c, ridge_kernel_bench *bench, ridge_team *team,
                            const ridge_bench_rates *rates, const ridge_kernel_variant *v, ridge_cache_state cache)
{
    pending *p = &r->rows[r->at];
    ridge_measure_options options = {
        .budget_s = (r->request->budget_s > 0 ? r->request->budget_s : 1) / r->rounds, .threads = rates->threads, .pinned = true};
    ridge_kernel_result result;
    ridge_bench_least least;
    if (p->rounds == 0)
        begin_row(p, r, c, v, rates->threads, cache);
    else if (!p->row.right)
        return RIDGE_OK;
    predict(&p->row, &least, c, rates, v, cache);
    if (p->row.row.predicted_s > 0)
        options.sample_s = fmin((cache == RIDGE_CACHE_HOT ? HOT_CALLS : 1) * p->row.row.predicted_s, SAMPLE_S);
    const double bytes = as_double(c->cost.record.bytes);
    ridge_bench_beside_set(&r->beside, rates, &least, ridge_bench_mix_of(&c->of->problem), bytes, cache);
    ridge_status st = ridge_kernel_bench_run_beside(&result, &r->beside.beside, bench, v, team, rates->threads, cache, &options, r->err);
    if (st || result.stopped)
        return st;
    fill_result(&p->row, c, &result, r->arena);
    if (result.right) {
        p->times[p->rounds] = result.time;
        p->seen[p->rounds] = ridge_bench_beside_sides(&r->beside, rates, &least, bytes);
    }
    p->rounds++;
    return RIDGE_OK;
}

/* every variant and cache state of a case, with so many threads */
static ridge_status run_with_threads(running *r, const ridge_bench_plan *c, ridge_kernel_bench *bench, const ridge_bench_rates *rates)
{
    ridge_team *team = NULL;
    ridge_status st = ridge_team_make(&team, rates->threads, true, r->err);
    for (size_t k = 0; k < c->cache_count && !st; k++)
        for (size_t v = 0; v < c->variant_count && !st && !ridge_measure_interrupted; v++) {
            char what[200];
            int n = r->rounds > 1 ? snprintf(what, sizeof what, "round %u of %u: ", r->round + 1, r->rounds) : 0;
            (void)snprintf(what + n, sizeof what - (size_t)n, "%s %s %s %s, %u thread%s, %s", ridge_kernel_kind_names[c->of->problem.kind],
                           c->shape, c->of->problem.weights->name, c->variants[v]->name, rates->threads, rates->threads == 1 ? "" : "s",
                           ridge_cache_state_names[c->caches[k]]);
            tell(r, what);
            st = run_row(r, c, bench, team, rates, c->variants[v], c->caches[k]);
            r->at++;
        }
    ridge_team_free(team);
    return st;
}

static ridge_status run_case(running *r, const ridge_bench_plan *c)
{
    ridge_kernel_bench *bench = NULL;
    ridge_status st = ridge_kernel_bench_make(&bench, &c->of->problem, r->err);
    for (size_t t = 0; t < r->out->machine->rate_count && !st && !ridge_measure_interrupted; t++)
        st = run_with_threads(r, c, bench, &r->out->machine->rates[t]);
    ridge_kernel_bench_free(bench);
    return st;
}

/* ---- rounds ---- */

static size_t rows_of(const running *r, const ridge_bench_plan *c)
{
    return c->variant_count * c->cache_count * r->request->thread_count;
}

/* A case that fails among others is told of at the end, and not run again: what the others took is not lost. */
static ridge_status run_or_note(running *r, ridge_bench_plan *c)
{
    const size_t next = r->at + rows_of(r, c);
    ridge_bench *out = r->out;
    ridge_status st = run_case(r, c);
    r->at = next;
    if (!st || r->request->case_count == 1)
        return st;
    const char *why = r->err && r->err->msg[0] != '\0' ? r->err->msg : "it failed";
    out->failed[out->failed_count++] = (ridge_bench_failure){c->of, c->shape, ridge_arena_strdup(r->arena, ridge_str_of(why)), st};
    c->variant_count = 0;
    if (r->err)
        *r->err = (ridge_err){0};
    return RIDGE_OK;
}

static ridge_status run_round(running *r, ridge_bench_plan *plans, const size_t *first)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < r->request->case_count && !st && !ridge_measure_interrupted; i++) {
        r->at = first[i];
        if (plans[i].variant_count > 0)
            st = run_or_note(r, &plans[i]);
    }
    return st;
}

/* Times of all rounds as one; ceilings as they stood to the kernel in the same round, whose middle is taken. */
static void finish_row(ridge_bench_row *row, const pending *p)
{
    ridge_measured_row *m = &row->row;
    double memory[RIDGE_ROUNDS_MOST], compute[RIDGE_ROUNDS_MOST], least[RIDGE_ROUNDS_MOST];
    bool clean[RIDGE_ROUNDS_MOST];
    if (!row->right)
        return;
    m->time = ridge_rounds_combine(p->times, p->rounds);
    const size_t n = ridge_rounds_clean(clean, p->times, p->rounds);
    for (unsigned i = 0, at = 0; i < p->rounds; i++) {
        if (!clean[i])
            continue;
        memory[at] = p->seen[i].memory_s / p->times[i].median_s;
        compute[at] = p->seen[i].compute_s / p->times[i].median_s;
        least[at++] = ridge_compare_bound_s(p->seen[i]) / p->times[i].median_s;
    }
    row->rounds = p->rounds;
    row->seen.memory_s = m->time.median_s * ridge_rounds_median(memory, n);
    row->seen.compute_s = m->time.median_s * ridge_rounds_median(compute, n);
    m->flops_per_s = as_double(m->flops) / m->time.median_s;
    m->bytes_per_s = as_double(m->bytes) / m->time.median_s;
    if (row->dense_flops > 0)
        row->dense_flops_per_s = as_double(row->dense_flops) / m->time.median_s;
    m->error = ridge_compare_error(m->predicted_s, m->time.median_s);
    const double share = ridge_rounds_median(least, n);
    if (!(share > 0))
        return;
    m->percent_of_ceiling = 100 * share;
    /* beyond its interval, where it has one */
    const double sure = n < RIDGE_ROUNDS_LEAST ? m->time.high_s / m->time.median_s : ridge_rounds_factor(least, n);
    m->beats_roofline = (n >= RIDGE_ROUNDS_LEAST || m->time.kept >= LEAST_TO_FLAG) && share > sure;
}

static ridge_status finish(running *r)
{
    ridge_bench *b = r->out;
    if (!(b->rows = ridge_arena_array(r->arena, b->planned + 1, sizeof *b->rows)))
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < b->planned; i++) {
        if (r->rows[i].rounds == 0)
            continue;
        ridge_bench_row *row = &b->rows[b->row_count++];
        *row = r->rows[i].row;
        finish_row(row, &r->rows[i]);
        b->timed += row->right;
    }
    return RIDGE_OK;
}

/* ---- the run ---- */

static ridge_status make_rows(running *r)
{
    const size_t count = r->out->planned;
    if (!(r->rows = ridge_arena_array(r->arena, count + 1, sizeof *r->rows)))
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < count; i++) {
        pending *p = &r->rows[i];
        *p = (pending){.times = ridge_arena_array(r->arena, r->rounds, sizeof *p->times),
                       .seen = ridge_arena_array(r->arena, r->rounds, sizeof *p->seen)};
        if (!p->times || !p->seen)
            return ridge_no_memory(r->err);
    }
    return RIDGE_OK;
}

/* first[i]: the place of case i's first row */
static ridge_status plan_all(ridge_bench_plan **out, size_t **first, running *r)
{
    const ridge_bench_request *q = r->request;
    ridge_bench *b = r->out;
    ridge_status st = ridge_bench_check_names(q, r->arena, r->err);
    *out = ridge_arena_array(r->arena, q->case_count + 1, sizeof **out);
    *first = ridge_arena_array(r->arena, q->case_count + 1, sizeof **first);
    b->unsupported = ridge_arena_array(r->arena, q->case_count + 1, sizeof *b->unsupported);
    b->failed = ridge_arena_array(r->arena, q->case_count + 1, sizeof *b->failed);
    if (!*out || !*first || !b->unsupported || !b->failed)
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < q->case_count && !st; i++) {
        st = ridge_bench_plan_case(&(*out)[i], q, &q->cases[i], r->ops, r->arena, r->err);
        if (!st && (*out)[i].variant_count == 0)
            b->unsupported[b->unsupported_count++] = &q->cases[i];
        (*first)[i] = b->planned;
        b->planned += rows_of(r, &(*out)[i]);
    }
    if (!st && b->planned == 0)
        st = ridge_fail(r->err, RIDGE_UNKNOWN, "nothing to measure: no kernel here takes any of the %zu case%s", q->case_count,
                        q->case_count == 1 ? "" : "s");
    return st ? st : make_rows(r);
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

static ridge_status measure_all(running *r, ridge_bench_plan *plans, const size_t *first)
{
    ridge_bench *out = r->out;
    ridge_status st = make_machine(r);
    for (r->round = 0; r->round < r->rounds && !st && !ridge_measure_interrupted; r->round++) {
        out->rounds_begun = r->round + 1;
        st = run_round(r, plans, first);
    }
    out->interrupted = ridge_measure_interrupted != 0;
    ridge_bench_beside_free(&r->beside);
    return st;
}

ridge_status ridge_bench_run(ridge_bench *out, const ridge_bench_request *request, ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    ridge_err own = {0};
    running r = {.out = out, .request = request, .ops = ops, .arena = arena, .err = err ? err : &own};
    ridge_metrics_run metrics;
    ridge_bench_plan *plans;
    size_t *first;
    *out = (ridge_bench){0};
    r.rounds = out->rounds = request->rounds ? request->rounds : request->case_count > 1 ? RIDGE_BENCH_ROUNDS : 1;
    if (r.rounds > RIDGE_ROUNDS_MOST)
        return ridge_fail(err, RIDGE_USAGE, "at most %d rounds", RIDGE_ROUNDS_MOST);
    out->cpus = ridge_placement_cpus();
    ridge_status st = plan_all(&plans, &first, &r);
    if (st)
        return st;
    ridge_metrics_begin(&metrics);
    st = measure_all(&r, plans, first);
    ridge_metrics_end(&out->metrics, &metrics);
    return st ? st : finish(&r);
}

ridge_status ridge_bench_measured(ridge_measured_row **out, size_t *count, const ridge_bench *b, ridge_arena *arena, ridge_err *err)
{
    *count = 0;
    if (!(*out = ridge_arena_array(arena, b->row_count + 1, sizeof **out)))
        return ridge_no_memory(err);
    for (size_t i = 0; i < b->row_count; i++)
        if (b->rows[i].right)
            (*out)[(*count)++] = b->rows[i].row;
    return RIDGE_OK;
}
