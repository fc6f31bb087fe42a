/* Checking and timing kernels beside their ceilings (bench.h). */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>

#include "bench/beside.h"
#include "bench/plan.h"
#include "measure/placement.h"
#include "measure/rounds.h"
#include "measure/statistics.h"

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

typedef struct bench_run {
    ridge_bench *out;
    ridge_bench_asked asked;
    ridge_bench_beside beside;
    pending *rows; /* [planned], in order */
    size_t at;     /* the next row of this round */
    unsigned round, rounds;
} bench_run;

static void tell(const bench_run *r, const char *what)
{
    const ridge_bench_extras *extras = r->asked.extras;
    if (extras->progress)
        extras->progress(extras->context, what, r->round * r->out->planned + r->at, r->rounds * r->out->planned);
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
    m->max_relative_error = fmax(m->max_relative_error, result->max_relative_error); /* of all rounds */
    m->flops = c->cost.record.flops.total;
    m->bytes = c->cost.record.bytes;
}

static void begin_row(pending *p, const bench_run *r, const ridge_bench_plan *c, const ridge_kernel_variant *v, unsigned threads,
                      ridge_cache_state cache)
{
    const ridge_problem *problem = &c->of->problem;
    ridge_measured_row *m = &p->row.row;
    p->row = (ridge_bench_row){.row = ridge_measured_row_unknown(),
                               .spread_percent = RIDGE_MEASURE_UNKNOWN,
                               .theory_s = RIDGE_MEASURE_UNKNOWN,
                               .dense_flops_per_s = RIDGE_MEASURE_UNKNOWN,
                               .dense_flops = c->dense_flops,
                               .of = c->of,
                               .shape = c->shape};
    m->kernel = ridge_kernel_kind_names[problem->kind];
    m->variant = v->name;
    m->provider = v->provider;
    m->shape = c->shape_json;
    m->format = problem->weights->name;
    m->activations = problem->activations->name;
    m->threads = threads;
    m->cache = cache;
    m->machine = r->out->machine->fingerprint;
}

/* one round of the row that is next; one that was found wrong is not run again */
static ridge_status run_row(bench_run *r, const ridge_bench_plan *c, ridge_kernel_bench *bench, ridge_team *team,
                            const ridge_bench_rates *rates, const ridge_kernel_variant *v, ridge_cache_state cache)
{
    pending *p = &r->rows[r->at];
    ridge_measure_options options = {.budget_s = r->asked.request->budget_s / r->rounds, .threads = rates->threads, .pinned = true};
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
    ridge_status st =
        ridge_kernel_bench_run_beside(&result, &r->beside.beside, bench, v, team, rates->threads, cache, &options, r->asked.err);
    if (st || result.stopped)
        return st;
    fill_result(&p->row, c, &result, r->asked.arena);
    if (result.right) {
        p->times[p->rounds] = result.time;
        p->seen[p->rounds] = ridge_bench_beside_sides(&r->beside, rates, &least, bytes);
    }
    p->rounds++;
    return RIDGE_OK;
}

/* every variant and cache state of a case, with so many threads */
static ridge_status run_with_threads(bench_run *r, const ridge_bench_plan *c, ridge_kernel_bench *bench, const ridge_bench_rates *rates)
{
    ridge_team *team = NULL;
    ridge_status st = ridge_team_make(&team, rates->threads, true, r->asked.err);
    for (size_t k = 0; k < c->cache_count && !st; k++)
        for (size_t v = 0; v < c->variant_count && !st && !ridge_measure_interrupted; v++) {
            char what[200];
            int n = r->rounds > 1 ? snprintf(what, sizeof what, "round %u of %u: ", r->round + 1, r->rounds) : 0;
            (void)snprintf(what + n, sizeof what - (size_t)n, "%s %s %s %s, %u thread%s, %s", ridge_kernel_kind_names[c->of->problem.kind],
                           c->shape, c->of->problem.weights->name, c->variants[v]->name, rates->threads, RIDGE_PLURAL(rates->threads),
                           ridge_cache_state_names[c->caches[k]]);
            tell(r, what);
            st = run_row(r, c, bench, team, rates, c->variants[v], c->caches[k]);
            r->at++;
        }
    ridge_team_free(team);
    return st;
}

static ridge_status run_case(bench_run *r, const ridge_bench_plan *c)
{
    ridge_kernel_bench *bench = NULL;
    ridge_status st = ridge_kernel_bench_make(&bench, &c->of->problem, r->asked.err);
    for (size_t t = 0; t < r->out->machine->rate_count && !st && !ridge_measure_interrupted; t++)
        st = run_with_threads(r, c, bench, &r->out->machine->rates[t]);
    ridge_kernel_bench_free(bench);
    return st;
}

/* ---- rounds ---- */

static size_t rows_of(const bench_run *r, const ridge_bench_plan *c)
{
    return c->variant_count * c->cache_count * r->asked.request->threads.count;
}

/* A case that fails among others is told of at the end, and not run again: what the others took is not lost. */
static ridge_status run_or_note(bench_run *r, ridge_bench_plan *c)
{
    const size_t next = r->at + rows_of(r, c);
    ridge_bench *out = r->out;
    ridge_status st = run_case(r, c);
    r->at = next;
    if (!st || r->asked.cases->count == 1)
        return st;
    const char *why = r->asked.err->msg[0] != '\0' ? r->asked.err->msg : "it failed";
    out->failed[out->failed_count++] = (ridge_bench_failure){c->of, c->shape, ridge_arena_strdup(r->asked.arena, ridge_str_of(why)), st};
    c->variant_count = 0;
    ridge_err_clear(r->asked.err);
    return RIDGE_OK;
}

static ridge_status run_round(bench_run *r, ridge_bench_plan *plans, const size_t *first)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < r->asked.cases->count && !st && !ridge_measure_interrupted; i++) {
        r->at = first[i];
        if (plans[i].variant_count > 0)
            st = run_or_note(r, &plans[i]);
    }
    return st;
}

/* Times of all rounds as one; ceilings as they stood to the kernel in the same round, whose middle is taken. */
static ridge_compare_sides finish_row(ridge_bench_row *row, const pending *p)
{
    ridge_compare_sides seen = {RIDGE_MEASURE_UNKNOWN, RIDGE_MEASURE_UNKNOWN};
    ridge_measured_row *m = &row->row;
    double memory[RIDGE_ROUNDS_MOST], compute[RIDGE_ROUNDS_MOST], least[RIDGE_ROUNDS_MOST];
    bool clean[RIDGE_ROUNDS_MOST];
    if (!row->right)
        return seen;
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
    if (m->time.kept >= RIDGE_SAMPLES_OF_INTERVAL)
        row->spread_percent = 100 * ridge_sample_half_width(&m->time);
    seen.memory_s = m->time.median_s * ridge_rounds_median(memory, n);
    seen.compute_s = m->time.median_s * ridge_rounds_median(compute, n);
    m->flops_per_s = as_double(m->flops) / m->time.median_s;
    m->bytes_per_s = as_double(m->bytes) / m->time.median_s;
    if (row->dense_flops > 0)
        row->dense_flops_per_s = as_double(row->dense_flops) / m->time.median_s;
    m->error = ridge_compare_error(m->predicted_s, m->time.median_s);
    const double share = ridge_rounds_median(least, n);
    if (!(share > 0))
        return seen;
    m->percent_of_ceiling = 100 * share;
    /* beyond its interval, where it has one */
    const double sure = n < RIDGE_ROUNDS_LEAST ? m->time.high_s / m->time.median_s : ridge_rounds_factor(least, n);
    m->beats_roofline = (n >= RIDGE_ROUNDS_LEAST || m->time.kept >= LEAST_TO_FLAG) && share > sure;
    return seen;
}

/* the rows that were begun, all of them and by kind */
static ridge_status finish_rows(bench_run *r)
{
    ridge_bench *b = r->out;
    b->rows = ridge_arena_array(r->asked.arena, b->planned + 1, sizeof *b->rows);
    b->right = ridge_arena_array(r->asked.arena, b->planned + 1, sizeof *b->right);
    b->wrong = ridge_arena_array(r->asked.arena, b->planned + 1, sizeof *b->wrong);
    if (!b->rows || !b->right || !b->wrong)
        return ridge_no_memory(r->asked.err);
    for (size_t i = 0; i < b->planned; i++) {
        if (r->rows[i].rounds == 0)
            continue;
        ridge_bench_row *row = &b->rows[b->row_count++];
        *row = r->rows[i].row;
        const ridge_compare_sides seen = finish_row(row, &r->rows[i]);
        ridge_compare_row(&row->joined, &row->row, seen);
        *(row->right ? &b->right[b->timed++] : &b->wrong[b->wrong_count++]) = *row;
    }
    return RIDGE_OK;
}

/* ---- of all rows ---- */

/* each library once, in the order of the rows */
static void note_library(ridge_bench *b, const ridge_bench_row *row)
{
    for (size_t i = 0; i < b->library_count && row->library; i++)
        if (strcmp(b->libraries[i].name, row->library) == 0)
            return;
    if (row->library)
        b->libraries[b->library_count++] = (ridge_bench_library){row->row.provider, row->library};
}

static void note_timed(ridge_bench *b, const ridge_bench_row *row)
{
    b->disturbed_rows += row->row.time.kept == 0;
    if (row->packed_bytes == 0 || row->row.bytes <= 0)
        return;
    b->packed_rows++;
    b->packed_ratio = fmax(b->packed_ratio, (double)row->packed_bytes / as_double(row->row.bytes));
}

static ridge_status note_rows(bench_run *r)
{
    ridge_bench *b = r->out;
    if (!(b->libraries = ridge_arena_array(r->asked.arena, b->row_count + 1, sizeof *b->libraries)))
        return ridge_no_memory(r->asked.err);
    for (size_t i = 0; i < b->row_count; i++)
        note_library(b, &b->rows[i]);
    for (size_t i = 0; i < b->timed; i++)
        note_timed(b, &b->right[i]);
    return RIDGE_OK;
}

/* ---- a model's pass ---- */

/* of the first row of each case with so many threads, the best variant; false where one is wrong or not predicted, or there is none */
static bool total_of(ridge_bench_total *out, const ridge_bench *b, unsigned threads)
{
    const ridge_bench_case *last = NULL;
    *out = (ridge_bench_total){.threads = threads};
    for (size_t i = 0; i < b->row_count; i++) {
        const ridge_bench_row *row = &b->rows[i];
        double calls = as_double(row->of->count);
        if (row->row.threads != threads || !row->of->where || row->of == last)
            continue;
        last = row->of;
        if (!row->right || row->row.predicted_s < 0)
            return false;
        out->measured_s += calls * row->row.time.median_s;
        out->predicted_s += calls * row->row.predicted_s;
        out->calls += calls;
    }
    return last;
}

static ridge_status finish(bench_run *r)
{
    ridge_bench *b = r->out;
    ridge_status st = finish_rows(r);
    if (!st)
        st = note_rows(r);
    if (!st && !(b->totals = ridge_arena_array(r->asked.arena, b->machine->rate_count + 1, sizeof *b->totals)))
        st = ridge_no_memory(r->asked.err);
    bool complete = !b->interrupted && b->unsupported == 0 && b->failed_count == 0;
    for (size_t i = 0; !st && complete && i < b->machine->rate_count; i++)
        b->total_count += total_of(&b->totals[b->total_count], b, b->machine->rates[i].threads);
    return st;
}

/* ---- the run ---- */

static ridge_status make_rows(bench_run *r)
{
    const size_t count = r->out->planned;
    if (!(r->rows = ridge_arena_array(r->asked.arena, count + 1, sizeof *r->rows)))
        return ridge_no_memory(r->asked.err);
    for (size_t i = 0; i < count; i++) {
        pending *p = &r->rows[i];
        *p = (pending){.times = ridge_arena_array(r->asked.arena, r->rounds, sizeof *p->times),
                       .seen = ridge_arena_array(r->asked.arena, r->rounds, sizeof *p->seen)};
        if (!p->times || !p->seen)
            return ridge_no_memory(r->asked.err);
    }
    return RIDGE_OK;
}

static void leave_out(ridge_bench *b, const ridge_problem *p)
{
    size_t i = 0;
    while (i < b->left_out_count &&
           (b->left_out[i].kind != p->kind || b->left_out[i].weights != p->weights || b->left_out[i].activations != p->activations))
        i++;
    if (i == b->left_out_count)
        b->left_out[b->left_out_count++] = (ridge_bench_left_out){p->kind, p->weights, p->activations, 0};
    b->left_out[i].cases++;
    b->unsupported++;
}

/* first[i]: the place of case i's first row */
static ridge_status plan_all(ridge_bench_plan **out, size_t **first, bench_run *r)
{
    const ridge_bench_cases *cases = r->asked.cases;
    ridge_bench *b = r->out;
    ridge_status st = ridge_bench_check_names(&r->asked);
    *out = ridge_arena_array(r->asked.arena, cases->count + 1, sizeof **out);
    *first = ridge_arena_array(r->asked.arena, cases->count + 1, sizeof **first);
    b->left_out = ridge_arena_array(r->asked.arena, cases->count + 1, sizeof *b->left_out);
    b->failed = ridge_arena_array(r->asked.arena, cases->count + 1, sizeof *b->failed);
    if (!*out || !*first || !b->left_out || !b->failed)
        return ridge_no_memory(r->asked.err);
    for (size_t i = 0; i < cases->count && !st; i++) {
        st = ridge_bench_plan_case(&(*out)[i], &r->asked, &cases->items[i]);
        if (!st && (*out)[i].variant_count == 0)
            leave_out(b, &cases->items[i].problem);
        (*first)[i] = b->planned;
        b->planned += rows_of(r, &(*out)[i]);
    }
    if (!st && b->planned == 0)
        st = ridge_fail(r->asked.err, RIDGE_UNKNOWN, "nothing to measure: no kernel here takes any of the %zu case%s", cases->count,
                        RIDGE_PLURAL(cases->count));
    return st ? st : make_rows(r);
}

static double ceilings_budget_s(const ridge_bench_request *q)
{
    return q->ceilings_budget_s > 0 ? q->ceilings_budget_s : 4.0 * (double)q->threads.count;
}

static ridge_status make_machine(bench_run *r)
{
    const ridge_bench_request *q = r->asked.request;
    ridge_bench_machine *machine;
    const ridge_bench_machine_options options = {
        .threads = q->threads.counts,
        .thread_count = q->threads.count,
        .budget_s = ceilings_budget_s(q),
        .bandwidth_bytes_per_s = q->bandwidth_bytes_per_s > 0 ? q->bandwidth_bytes_per_s : 0,
        .progress = r->asked.extras->progress,
        .context = r->asked.extras->context,
    };
    ridge_status st = ridge_bench_machine_make(&machine, &options, r->asked.arena, r->asked.err);
    r->out->machine = machine;
    return st;
}

static ridge_status measure_all(bench_run *r, ridge_bench_plan *plans, const size_t *first)
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

/* Bytes of weights that are generated, packed, copied and checked in a second, about: on a server of 2023 with little else to do. */
#define PREPARED_BYTES_PER_S 0.1e9

/* Seconds all of it will take: the ceilings, the rows' budgets, and what is made anew for each case and round: cold rows go through twice
 * the last-level cache, and two places more. */
static double expected_s(const bench_run *r, const ridge_bench_plan *plans)
{
    const ridge_bench_request *q = r->asked.request;
    double seconds = ceilings_budget_s(q) + q->budget_s * (double)r->out->planned;
    for (size_t i = 0; i < r->asked.cases->count; i++) {
        const ridge_bench_plan *c = &plans[i];
        bool cold = false;
        for (size_t k = 0; k < c->cache_count; k++)
            cold = cold || c->caches[k] == RIDGE_CACHE_COLD;
        const double bytes = 2 * as_double(c->cost.record.bytes) + (cold ? 2 * (double)ridge_last_level_cache() : 0);
        if (c->variant_count > 0)
            seconds += r->rounds * bytes / PREPARED_BYTES_PER_S;
    }
    return seconds;
}

ridge_status ridge_bench_run(ridge_bench *out, const ridge_bench_request *request, const ridge_bench_cases *cases,
                             const ridge_bench_extras *extras, ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    static const ridge_bench_extras none = {0};
    ridge_err own = {0};
    bench_run r = {.out = out, .asked = {request, cases, extras ? extras : &none, ops, arena, err ? err : &own}};
    ridge_metrics_run metrics;
    ridge_bench_plan *plans;
    size_t *first;
    *out = (ridge_bench){.run = RIDGE_UNSET, .cpus = ridge_placement_cpus(), .slow = cases->slow};
    r.rounds = out->rounds = request->rounds > 0 ? (unsigned)request->rounds : cases->count > 1 ? RIDGE_BENCH_ROUNDS : 1;
    ridge_status st = plan_all(&plans, &first, &r);
    if (st)
        return st;
    if (r.asked.extras->estimate)
        r.asked.extras->estimate(r.asked.extras->context, expected_s(&r, plans));
    ridge_metrics_begin(&metrics);
    st = measure_all(&r, plans, first);
    ridge_metrics_end(&out->metrics, &metrics);
    return st ? st : finish(&r);
}

ridge_status ridge_bench_measured(ridge_measured_row **out, size_t *count, const ridge_bench *b, ridge_arena *arena, ridge_err *err)
{
    *count = b->timed;
    if (!(*out = ridge_arena_array(arena, b->timed + 1, sizeof **out)))
        return ridge_no_memory(err);
    for (size_t i = 0; i < b->timed; i++)
        (*out)[i] = b->right[i].row;
    return RIDGE_OK;
}

ridge_status ridge_bench_verdict(const ridge_bench *b, ridge_err *err)
{
    if (b->wrong_count > 0)
        return ridge_fail(err, RIDGE_CHECK, "%zu of %zu variants %s wrong", b->wrong_count, b->row_count,
                          b->wrong_count == 1 ? "is" : "are");
    if (b->failed_count > 0)
        return ridge_fail(err, b->failed[0].status, "%zu case%s could not be measured; the first: %s", b->failed_count,
                          RIDGE_PLURAL(b->failed_count), b->failed[0].why);
    return RIDGE_OK;
}
