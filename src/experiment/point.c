/* Points measured in rounds (parts.h). In: products and loops. Out: the statistics of each round. Every point comes once a round, so drift
 * and disturbance hit all alike, and what differs from round to round tells how sure a comparison is. */
#include <math.h>

#include "experiment/parts.h"

/* A sample is about so long: several passes where works that take turns spoil each other's caches, and short against the time slices that
 * other programs take. */
#define SAMPLE_S 3e-3
/* an experiment that takes this much more than its budget says so */
#define LONGER 1.5

ridge_experiment_point *ridge_experiment_points(const ridge_experimenting *x, size_t count)
{
    ridge_experiment_point *points = ridge_arena_array(x->arena, count + 1, sizeof *points);
    for (size_t i = 0; points && i < count; i++) {
        points[i] = (ridge_experiment_point){.threads = x->threads};
        if (!(points[i].seen = ridge_arena_array(x->arena, RIDGE_EXPERIMENT_WORKS, sizeof *points[i].seen)))
            return NULL;
    }
    return points;
}

/* ---- operands: made for a turn, kept for the next round where there is room ---- */

static ridge_status make_chain(ridge_experiment_chain *c, const ridge_experimenting *x, ridge_team *team, unsigned threads)
{
    const ridge_chain_step step = {
        .name = ridge_kernel_kind_names[c->problem.kind], .problem = c->problem, .repeat = c->repeat, .same_weights = true};
    const ridge_chain_options options = {.cache = c->cache, .threads = threads};
    ridge_status st = c->chain ? RIDGE_OK : ridge_chain_make(&c->chain, &step, 1, team, &options, x->err);
    if (!st && c->chain)
        c->variant = ridge_chain_variant(c->chain, 0)->name;
    return st;
}

static void drop_chain(ridge_experiment_chain *c, ridge_experimenting *x)
{
    ridge_chain_free(c->chain);
    c->chain = NULL;
    x->kept_bytes -= c->kept_bytes;
    c->kept_bytes = 0;
}

static void put_away(ridge_experiment_point *p, ridge_experimenting *x, bool last)
{
    for (size_t i = 0; i < p->chain_count; i++) {
        ridge_experiment_chain *c = &p->chains[i];
        size_t bytes = c->chain ? ridge_chain_bytes(c->chain) : 0;
        if (last || x->kept_bytes - c->kept_bytes + bytes > x->keep_most) {
            drop_chain(c, x);
            continue;
        }
        x->kept_bytes += bytes - c->kept_bytes;
        c->kept_bytes = bytes;
    }
}

/* ---- a turn ---- */

static ridge_status measure_works(ridge_experiment_point *p, const ridge_experimenting *x, ridge_team *team, double budget_s)
{
    const ridge_measure_options options = {.budget_s = budget_s, .threads = p->threads, .pinned = true, .sample_s = SAMPLE_S};
    ridge_sample_statistics times[RIDGE_EXPERIMENT_WORKS];
    ridge_work works[RIDGE_EXPERIMENT_WORKS];
    size_t count = p->chain_count + p->other_count;
    for (size_t i = 0; i < p->chain_count; i++)
        works[i] = ridge_chain_work(p->chains[i].chain);
    for (size_t i = 0; i < p->other_count; i++)
        works[p->chain_count + i] = p->others[i];
    ridge_status st = ridge_measure_interleaved(times, team, works, count, &options, x->err);
    if (st || ridge_experiment_stopped())
        return st;
    for (size_t i = 0; i < count; i++)
        p->seen[i][p->rounds] = times[i];
    p->rounds++;
    return RIDGE_OK;
}

static ridge_status take_turn(ridge_experiment_point *p, ridge_experimenting *x, double budget_s, bool last)
{
    const double began_s = ridge_clock_s();
    ridge_team *team = NULL;
    bool ready = true;
    ridge_status st = ridge_team_make(&team, p->threads, true, x->err);
    for (size_t i = 0; i < p->chain_count && !st && !ridge_experiment_stopped(); i++) {
        st = make_chain(&p->chains[i], x, team, p->threads);
        ready = ready && p->chains[i].chain;
    }
    const double making_s = ridge_clock_s() - began_s;
    if (!st && ready && !ridge_experiment_stopped())
        st = measure_works(p, x, team, budget_s);
    ridge_team_free(team);
    put_away(p, x, st || last || ridge_experiment_stopped());
    if (p->chain_count > 0 && p->chains[0].chain)
        x->kept_s += making_s;
    return st;
}

/* ---- rounds ---- */

/* after the first round, in which all operands were made: where they took much more than the budget, which was told at the start */
static void estimate(const ridge_experimenting *x, double round_s, double budget_s)
{
    double all_s = round_s + (round_s - x->kept_s) * (double)(x->request->rounds - 1);
    if (x->extras && x->extras->estimate && all_s > LONGER * budget_s)
        x->extras->estimate(x->extras->context, all_s);
}

ridge_status ridge_experiment_measure(ridge_experimenting *x, ridge_experiment_point *points, size_t count, const char *what,
                                      double budget_s)
{
    const size_t rounds = (size_t)x->request->rounds;
    const double began_s = ridge_clock_s();
    ridge_status st = RIDGE_OK;
    x->keep_most = ridge_memory_available() / 4;
    for (size_t r = 0; r < rounds && !st; r++) {
        for (size_t i = 0; i < count && !st && !ridge_experiment_stopped(); i++) {
            const char *where = ridge_arena_printf(x->arena, "round %zu of %zu: %s", r + 1, rounds, points[i].name ? points[i].name : what);
            ridge_experiment_tell(x, where ? where : what, r * count + i, rounds * count);
            if (!ridge_experiment_stopped())
                st = take_turn(&points[i], x, budget_s / (double)(rounds * count), r + 1 == rounds);
        }
        if (r == 0 && !ridge_experiment_stopped())
            estimate(x, ridge_clock_s() - began_s, budget_s);
    }
    for (size_t i = 0; i < count; i++)
        put_away(&points[i], x, true);
    return st;
}

size_t ridge_experiment_done(const ridge_experiment_point *points, size_t count)
{
    size_t done = 0;
    while (done < count && points[done].rounds > 0)
        done++;
    return done;
}

/* ---- times ---- */

ridge_experiment_time ridge_experiment_time_of(const ridge_experiment_point *p, size_t work, double factor)
{
    ridge_sample_statistics *seen = p->seen[work];
    for (unsigned r = 0; r < p->rounds && factor != 1; r++) {
        double *const times[] = {&seen[r].median_s, &seen[r].low_s, &seen[r].high_s, &seen[r].mad_s, &seen[r].minimum_s};
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            *times[i] *= factor;
    }
    return (ridge_experiment_time){.all = ridge_rounds_combine(seen, p->rounds), .seen = seen, .rounds = p->rounds};
}

ridge_rounds_ratio ridge_experiment_ratio_of(const ridge_experiment_time *over, const ridge_experiment_time *under)
{
    unsigned rounds = over->rounds < under->rounds ? over->rounds : under->rounds;
    if (rounds == 0)
        return (ridge_rounds_ratio){RIDGE_MEASURE_UNKNOWN, 0, INFINITY};
    return ridge_rounds_ratio_of(over->seen, under->seen, rounds);
}

ridge_rounds_ratio ridge_experiment_ratio_told(const ridge_experiment_time *over, const ridge_experiment_time *under)
{
    ridge_rounds_ratio ratio = ridge_experiment_ratio_of(over, under);
    if (isinf(ratio.high))
        ratio.low = ratio.high = RIDGE_MEASURE_UNKNOWN;
    return ratio;
}
