/* The sweeps over one product: tile-sweep, batch-sweep, thread-sweep (parts.h). */
#include "experiment/parts.h"

static ridge_experiment_chain chain_of(const ridge_experimenting *x, int64_t m, ridge_cache_state cache)
{
    return (ridge_experiment_chain){
        .problem = ridge_experiment_product(x->request, x->weights, m, x->request->n), .cache = cache, .repeat = 1};
}

/* ---- rows at once: tile-sweep, batch-sweep ---- */

/* A tile's first call finds the weights in memory, the others find them where the first has left them. Both are timed alone, since a sample
 * of all calls would be so long that none is undisturbed. */
enum { FIRST_CALL, NEXT_CALL };

static double calls_of(const ridge_experimenting *x, int64_t m)
{
    return x->request->kind == RIDGE_EXPERIMENT_TILE ? (double)(x->request->m / m) : 1;
}

static void plan_rows(ridge_experiment_point *p, const ridge_experimenting *x, int64_t m)
{
    p->chains[FIRST_CALL] = chain_of(x, m, RIDGE_CACHE_COLD);
    p->chains[NEXT_CALL] = chain_of(x, m, RIDGE_CACHE_HOT);
    p->chain_count = calls_of(x, m) > 1 ? 2 : 1;
}

/* the first call and `more` others, round by round */
static ridge_experiment_time all_calls(const ridge_experiment_point *p, double more)
{
    ridge_sample_statistics *all = p->seen[FIRST_CALL], *next = p->seen[NEXT_CALL];
    for (unsigned r = 0; r < p->rounds && more > 0; r++) {
        bool clean = all[r].kept > 0 && next[r].kept > 0;
        all[r].median_s += more * next[r].median_s;
        all[r].low_s += more * next[r].low_s;
        all[r].high_s += more * next[r].high_s;
        all[r].mad_s += more * next[r].mad_s;
        all[r].minimum_s += more * next[r].minimum_s;
        all[r].kept = clean ? all[r].kept + next[r].kept : 0;
        all[r].tried += next[r].tried;
    }
    return ridge_experiment_time_of(p, FIRST_CALL, 1);
}

/* m rows a call */
static ridge_status add_rows(ridge_experimenting *x, const ridge_experiment_point *p, int64_t m)
{
    double calls = calls_of(x, m), weights = ridge_experiment_weight_bytes(x, x->weights, x->request->n), flops = 0;
    ridge_status st = ridge_experiment_flops(&flops, x, m);
    if (st)
        return st;
    const char *variant = p->chains[FIRST_CALL].variant;
    ridge_experiment_row *row =
        ridge_experiment_add(x, ridge_arena_printf(x->arena, "%lld row%s, %s", (long long)m, RIDGE_PLURAL(m), variant));
    if (!row)
        return ridge_no_memory(x->err);
    ridge_experiment_set_time(row, all_calls(p, calls - 1));
    row->rows = m;
    row->time_per_row_s = row->time.all.median_s / ((double)m * calls);
    row->flops_per_s = flops * calls / row->time.all.median_s;
    row->bytes_per_s = weights * calls / row->time.all.median_s;
    return RIDGE_OK;
}

/* 1, 2, 4, ... rows */
static size_t count_rows(const ridge_experimenting *x)
{
    size_t count = 0;
    for (int64_t m = 1; m <= x->request->m; m *= 2)
        count++;
    return count;
}

static ridge_status sweep_rows(ridge_experimenting *x, const char *what, double budget_s)
{
    size_t count = count_rows(x);
    ridge_experiment_point *points = ridge_experiment_points(x, count);
    if (!points)
        return ridge_no_memory(x->err);
    for (size_t i = 0; i < count; i++)
        plan_rows(&points[i], x, (int64_t)1 << i);
    ridge_status st = ridge_experiment_measure(x, points, count, what, budget_s);
    for (size_t i = 0; i < ridge_experiment_done(points, count) && !st; i++)
        st = add_rows(x, &points[i], (int64_t)1 << i);
    return st;
}

ridge_status ridge_experiment_tile(ridge_experimenting *x)
{
    bool too_little;
    if ((x->request->m & (x->request->m - 1)) != 0)
        return ridge_fail(x->err, RIDGE_USAGE, "tile-sweep halves " RIDGE_OPT("m") ": give a power of two, not %lld",
                          (long long)x->request->m);
    const char *rows = ridge_arena_printf(x->arena, "%lld rows in tiles through a ", (long long)x->request->m);
    x->out->subject = ridge_experiment_subject(x, rows ? rows : "");
    ridge_status st = sweep_rows(x, "tiles", x->request->budget_s);
    if (st || (st = ridge_experiment_say_too_little(&too_little, x, count_rows(x))) || too_little)
        return st;
    return ridge_experiment_say_tile(x);
}

ridge_status ridge_experiment_batch(ridge_experimenting *x)
{
    const ridge_bench_rates *rates;
    bool too_little;
    double flops = 0;
    x->out->subject = ridge_experiment_subject(x, "");
    ridge_status st = ridge_experiment_flops(&flops, x, 1);
    if (st || (st = ridge_experiment_machine(&rates, x)) || (st = sweep_rows(x, "batches", x->request->budget_s * 3 / 4)) ||
        (st = ridge_experiment_say_too_little(&too_little, x, count_rows(x))) || too_little)
        return st;
    ridge_computes_at at;
    double peak =
        ridge_computes_at_find(&at, &rates->measured, x->request->activations, x->weights, NULL) == RIDGE_OK ? at.peak_flops_per_s : 0;
    double predicted = ridge_experiment_predicted_rows(ridge_experiment_weight_bytes(x, x->weights, x->request->n),
                                                       (double)rates->measured.levels[0].bytes_per_s, flops, peak);
    return ridge_experiment_say_batch(x, predicted, flops / ridge_experiment_weight_bytes(x, x->weights, x->request->n));
}

/* ---- thread-sweep ---- */

/* 1, 2, 4, ..., all */
static unsigned threads_at(const ridge_experimenting *x, size_t step)
{
    unsigned threads = step < 16 ? 1u << step : x->threads;
    return threads < x->threads ? threads : x->threads;
}

static ridge_status add_threads(ridge_experimenting *x, const ridge_experiment_point *p)
{
    unsigned threads = p->threads;
    ridge_experiment_row *row = ridge_experiment_add(x, ridge_arena_printf(x->arena, "%u thread%s", threads, RIDGE_PLURAL(threads)));
    if (!row)
        return ridge_no_memory(x->err);
    ridge_experiment_set_time(row, ridge_experiment_time_of(p, 0, 1));
    row->threads = threads;
    row->bytes_per_s = ridge_experiment_weight_bytes(x, x->weights, x->request->n) / row->time.all.median_s;
    row->speedup = ridge_experiment_ratio_told(&x->out->rows[0].time, &row->time);
    row->efficiency = row->speedup.value / threads;
    return RIDGE_OK;
}

ridge_status ridge_experiment_threads(ridge_experimenting *x)
{
    size_t steps = 1;
    bool too_little;
    while (threads_at(x, steps - 1) < x->threads)
        steps++;
    ridge_experiment_point *points = ridge_experiment_points(x, steps);
    x->out->subject = ridge_experiment_subject(x, "");
    if (!points)
        return ridge_no_memory(x->err);
    for (size_t i = 0; i < steps; i++) {
        points[i].threads = threads_at(x, i);
        points[i].chains[points[i].chain_count++] = chain_of(x, 1, RIDGE_CACHE_COLD);
    }
    ridge_status st = ridge_experiment_measure(x, points, steps, "threads", x->request->budget_s);
    for (size_t i = 0; i < ridge_experiment_done(points, steps) && !st; i++)
        st = add_threads(x, &points[i]);
    if (st || (st = ridge_experiment_say_too_little(&too_little, x, steps)) || too_little)
        return st;
    return ridge_experiment_say_threads(x);
}
