/* The experiments about one product: memory-vs-compute, quant-overhead, tile-sweep, batch-sweep, thread-sweep (parts.h). */
#include <math.h>
#include <string.h>

#include "experiment/parts.h"

static const char *subject(const ridge_experimenting *x, const char *what)
{
    const char *text = ridge_arena_printf(x->arena, "%s, weights %s, activations %s, %u thread%s", what, x->weights->name,
                                          x->request->activations->name, x->threads, RIDGE_PLURAL(x->threads));
    return text ? text : "";
}

static const char *product_name(const ridge_experimenting *x)
{
    const char *text = ridge_arena_printf(x->arena, "product %lld x %lld", (long long)x->request->n, (long long)x->request->k);
    return text ? text : "";
}

static ridge_measure_options options_of(const ridge_experimenting *x, double budget_s)
{
    return (ridge_measure_options){.budget_s = budget_s, .threads = x->threads, .pinned = true};
}

/* ---- reading alone ---- */

/* the weights' bytes through every loop that reads here, from memory each time */
enum { STREAMS_MOST = 8 };
typedef struct reading {
    ridge_stream_job jobs[STREAMS_MOST];
    size_t count;
    char *buffer;
    size_t room;
} reading;

static bool make_reading(reading *r, const ridge_experimenting *x, double bytes)
{
    size_t each = (size_t)(bytes / x->threads) / RIDGE_STREAM_UNIT * RIDGE_STREAM_UNIT;
    each = each > 0 ? each : RIDGE_STREAM_UNIT;
    size_t places = 2 * ridge_last_level_cache() / (each * x->threads) + 2;
    *r = (reading){.room = each * x->threads * places};
    if (!(r->buffer = ridge_buffer_make(r->room, NULL)))
        return false;
    memset(r->buffer, 1, r->room); /* pages of their own */
    for (size_t i = 0; ridge_stream_at(i) && r->count < STREAMS_MOST; i++) {
        const ridge_stream *s = ridge_stream_at(i);
        if (s->kind == RIDGE_STREAM_READ && (s->isa & ~ridge_isa_have()) == 0)
            r->jobs[r->count++] = (ridge_stream_job){
                .stream = s, .arrays = {NULL, r->buffer, NULL}, .bytes = each, .places = places, .passes = 1, .threads = x->threads};
    }
    for (size_t i = 0; i < r->count; i++) /* apart, or one warms the next one's */
        r->jobs[i].first = places * i / r->count;
    return r->count > 0;
}

/* of `bytes`, by the fastest */
static double read_seconds(const reading *r, const ridge_sample_statistics *times, double bytes)
{
    double best = INFINITY;
    for (size_t i = 0; i < r->count; i++)
        best = fmin(best, times[i].median_s * bytes / ridge_stream_job_bytes(&r->jobs[i]));
    return best;
}

/* ---- memory-vs-compute: full, from cache, reading alone, in turn ---- */

typedef struct three {
    double read_s, compute_s, full_s;
} three;

/* nothing in *out after Ctrl-C */
static ridge_status measure_three(three *out, ridge_experimenting *x, ridge_team *team, const ridge_format *weights, double budget_s)
{
    double bytes = ridge_experiment_weight_bytes(x, weights, x->request->n);
    int64_t cached = ridge_experiment_cached_rows(x, weights);
    const ridge_problem whole = ridge_experiment_product(x->request, weights, 1, x->request->n),
                        part = ridge_experiment_product(x->request, weights, 1, cached);
    const ridge_measure_options options = options_of(x, budget_s);
    ridge_sample_statistics times[STREAMS_MOST + 2];
    ridge_work works[STREAMS_MOST + 2];
    ridge_chain *full = NULL, *near = NULL;
    reading r = {0};
    ridge_status st = ridge_experiment_chain(&full, x, team, &whole, RIDGE_CACHE_COLD, 1, x->threads);
    if (!st && !ridge_experiment_stopped())
        st = ridge_experiment_chain(&near, x, team, &part, RIDGE_CACHE_HOT, (unsigned)((x->request->n + cached - 1) / cached), x->threads);
    if (!st && !ridge_experiment_stopped() && !make_reading(&r, x, bytes))
        st = ridge_no_memory(x->err);
    for (size_t i = 0; i < r.count && !st; i++)
        works[i] = ridge_stream_work(&r.jobs[i]);
    bool ready = !st && near && r.buffer;
    if (ready) {
        works[r.count] = ridge_chain_work(near);
        works[r.count + 1] = ridge_chain_work(full);
        st = ridge_measure_interleaved(times, team, works, r.count + 2, &options, x->err);
    }
    if (!st && ready) {
        double calls = ceil((double)x->request->n / (double)cached);
        out->read_s = read_seconds(&r, times, bytes);
        out->compute_s = times[r.count].median_s * ((double)x->request->n / (double)cached) / calls;
        out->full_s = times[r.count + 1].median_s;
    }
    ridge_buffer_free(r.buffer, r.room);
    ridge_chain_free(near);
    ridge_chain_free(full);
    return st;
}

static bool add_memory_row(ridge_experimenting *x, const char *name, double time_s, double full_s, double bytes, double flops)
{
    ridge_experiment_row *row = ridge_experiment_add(x, name);
    if (!row)
        return false;
    row->time_s = time_s;
    row->share = time_s / full_s;
    row->bytes_per_s = bytes >= 0 ? bytes / time_s : RIDGE_MEASURE_UNKNOWN;
    row->flops_per_s = flops >= 0 ? flops / time_s : RIDGE_MEASURE_UNKNOWN;
    return true;
}

static ridge_status say_memory(ridge_experimenting *x, const three *t)
{
    bool memory = t->read_s >= t->compute_s;
    double ratio = memory ? t->read_s / t->compute_s : t->compute_s / t->read_s,
           reached = fmin(fmax(t->read_s, t->compute_s) / t->full_s, 1);
    return ridge_experiment_say(
        x, memory ? "memory" : "compute",
        "%s-bound by %s: reading the weights alone takes %.0f %% of the full time, calculating alone %.0f %%; the kernel is at %.0f %% "
        "of its bound, so %s",
        memory ? "memory" : "compute", ridge_experiment_ratio(x, ratio), 100 * t->read_s / t->full_s, 100 * t->compute_s / t->full_s,
        100 * reached,
        reached < 0.6 ? "first make reading and calculating overlap (prefetching, another variant, more threads)"
        : memory      ? "only fewer bytes (a narrower format) or a larger batch help"
                      : "only cheaper arithmetic (int8, more cores, cheaper unpacking) helps");
}

ridge_status ridge_experiment_memory(ridge_experimenting *x)
{
    ridge_team *team = NULL;
    three t = {0};
    double bytes = ridge_experiment_weight_bytes(x, x->weights, x->request->n), flops = 0;
    x->out->subject = subject(x, product_name(x));
    ridge_experiment_tell(x, "reading, calculating, both", 0, 1);
    ridge_status st = ridge_experiment_flops(&flops, x, 1);
    if (!st)
        st = ridge_team_make(&team, x->threads, true, x->err);
    if (!st)
        st = measure_three(&t, x, team, x->weights, x->request->budget_s);
    ridge_team_free(team);
    if (st)
        return st;
    if (ridge_experiment_stopped()) /* the three take turns: none is done before the others */
        return ridge_experiment_say_stopped(x, 3);
    if (!add_memory_row(x, "read only", t.read_s, t.full_s, bytes, -1) ||
        !add_memory_row(x, "compute only", t.compute_s, t.full_s, -1, flops) ||
        !add_memory_row(x, "full", t.full_s, t.full_s, bytes, flops))
        return ridge_no_memory(x->err);
    return say_memory(x, &t);
}

/* ---- quant-overhead ---- */

static ridge_status add_quant(ridge_experimenting *x, ridge_team *team, const ridge_format *weights, double budget_s)
{
    three t = {0};
    ridge_status st = measure_three(&t, x, team, weights, budget_s);
    if (st || ridge_experiment_stopped())
        return st;
    ridge_experiment_row *row = ridge_experiment_add(x, weights->name);
    if (!row)
        return ridge_no_memory(x->err);
    const ridge_experiment_row *first = x->out->rows;
    double bytes = ridge_experiment_weight_bytes(x, weights, x->request->n);
    row->time_s = t.full_s;
    row->bytes = (int64_t)bytes;
    row->speedup = first->time_s / t.full_s;
    row->bytes_ratio = (double)first->bytes / bytes;
    row->compute_s = t.compute_s;
    row->dequantisation_share = t.compute_s / t.full_s;
    row->bytes_per_s = bytes / t.full_s;
    return RIDGE_OK;
}

static ridge_status say_quant(ridge_experimenting *x)
{
    const ridge_experiment_row *best = &x->out->rows[0];
    for (size_t i = 1; i < x->out->row_count; i++)
        if (x->out->rows[i].time_s < best->time_s)
            best = &x->out->rows[i];
    if (best == &x->out->rows[0])
        return ridge_experiment_say(x, best->name, "no quantised format is faster than %s here: keep it, or look for a better kernel",
                                    best->name);
    return ridge_experiment_say(
        x, best->name,
        "%s is fastest: %s over %s from %s fewer bytes; unpacking and multiplying from cache takes %.0f %% of its time, so %s", best->name,
        ridge_experiment_ratio(x, best->speedup), x->out->rows[0].name, ridge_experiment_ratio(x, best->bytes_ratio),
        100 * best->dequantisation_share,
        best->dequantisation_share > 0.8 ? "the arithmetic of unpacking is what is left to improve, not the bytes"
                                         : "memory is still the bound: a narrower format would gain more");
}

ridge_status ridge_experiment_quant(ridge_experimenting *x)
{
    const ridge_experiment_formats *formats = &x->request->formats;
    ridge_team *team = NULL;
    x->weights = ridge_format_find(RIDGE_STR("bf16"));
    x->out->subject = subject(x, product_name(x));
    ridge_status st = ridge_team_make(&team, x->threads, true, x->err);
    double budget_s = x->request->budget_s / (double)(formats->count + 1);
    for (size_t i = 0; i <= formats->count && !st && !ridge_experiment_stopped(); i++) {
        const ridge_format *f = i == 0 ? x->weights : formats->items[i - 1];
        ridge_experiment_tell(x, f->name, i, formats->count + 1);
        st = add_quant(x, team, f, budget_s);
    }
    ridge_team_free(team);
    if (!st && x->out->row_count < formats->count + 1)
        return ridge_experiment_say_stopped(x, formats->count + 1);
    return st ? st : say_quant(x);
}

/* ---- rows at once: tile-sweep, batch-sweep ---- */

/* seconds of a pass over `repeat` calls of m rows each, weights from memory once and then as they lie; not known after Ctrl-C */
static ridge_status time_rows(double *time_s, const char **variant, ridge_experimenting *x, ridge_team *team, int64_t m, unsigned repeat,
                              double budget_s)
{
    const ridge_problem problem = ridge_experiment_product(x->request, x->weights, m, x->request->n);
    const ridge_measure_options options = options_of(x, budget_s);
    ridge_chain *chain = NULL;
    ridge_chain_result result;
    ridge_sample_statistics whole;
    ridge_status st = ridge_experiment_chain(&chain, x, team, &problem, RIDGE_CACHE_COLD, repeat, x->threads);
    if (!st && chain && !(st = ridge_chain_measure(&result, &whole, chain, team, &options, x->err))) {
        *time_s = whole.median_s;
        *variant = result.variant->name;
    }
    ridge_chain_free(chain);
    return st;
}

/* m rows a call, `repeat` calls */
static ridge_status add_rows(ridge_experimenting *x, ridge_team *team, int64_t m, unsigned repeat, double budget_s)
{
    double time_s = 0, all = (double)m * repeat, weights = ridge_experiment_weight_bytes(x, x->weights, x->request->n);
    double flops = 0;
    const char *variant = "";
    ridge_status st = ridge_experiment_flops(&flops, x, m);
    if (st || (st = time_rows(&time_s, &variant, x, team, m, repeat, budget_s)) || ridge_experiment_stopped())
        return st;
    ridge_experiment_row *row =
        ridge_experiment_add(x, ridge_arena_printf(x->arena, "%lld row%s, %s", (long long)m, RIDGE_PLURAL(m), variant));
    if (!row)
        return ridge_no_memory(x->err);
    row->rows = m;
    row->time_s = time_s;
    row->time_per_row_s = time_s / all;
    row->flops_per_s = flops * repeat / time_s;
    row->bytes_per_s = weights * repeat / time_s;
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

static ridge_status sweep_rows(ridge_experimenting *x, bool tiles)
{
    ridge_team *team = NULL;
    size_t steps = count_rows(x), done = 0;
    ridge_status st = ridge_team_make(&team, x->threads, true, x->err);
    for (int64_t m = 1; m <= x->request->m && !st && !ridge_experiment_stopped(); m *= 2) {
        ridge_experiment_tell(x, tiles ? "tiles" : "batches", done++, steps);
        st = add_rows(x, team, m, tiles ? (unsigned)(x->request->m / m) : 1, x->request->budget_s * 3 / 4 / (double)steps);
    }
    ridge_team_free(team);
    return st;
}

ridge_status ridge_experiment_tile(ridge_experimenting *x)
{
    if ((x->request->m & (x->request->m - 1)) != 0)
        return ridge_fail(x->err, RIDGE_USAGE, "tile-sweep halves " RIDGE_OPT("m") ": give a power of two, not %lld",
                          (long long)x->request->m);
    const char *what = ridge_arena_printf(x->arena, "%lld rows through a %s in tiles", (long long)x->request->m, product_name(x));
    x->out->subject = subject(x, what ? what : "");
    ridge_status st = sweep_rows(x, true);
    if (st)
        return st;
    if (x->out->row_count < count_rows(x))
        return ridge_experiment_say_stopped(x, count_rows(x));
    return ridge_experiment_say_tile(x);
}

ridge_status ridge_experiment_batch(ridge_experimenting *x)
{
    const ridge_bench_rates *rates;
    double flops = 0;
    x->out->subject = subject(x, product_name(x));
    ridge_status st = ridge_experiment_flops(&flops, x, 1);
    if (st || (st = ridge_experiment_machine(&rates, x)) || (st = sweep_rows(x, false)))
        return st;
    if (x->out->row_count < count_rows(x))
        return ridge_experiment_say_stopped(x, count_rows(x));
    ridge_computes_at at;
    double peak =
        ridge_computes_at_find(&at, &rates->measured, x->request->activations, x->weights, NULL) == RIDGE_OK ? at.peak_flops_per_s : 0;
    double predicted = ridge_experiment_predicted_rows(ridge_experiment_weight_bytes(x, x->weights, x->request->n),
                                                       (double)rates->measured.levels[0].bytes_per_s, flops, peak);
    return ridge_experiment_say_batch(x, predicted, flops / ridge_experiment_weight_bytes(x, x->weights, x->request->n));
}

/* ---- thread-sweep ---- */

static ridge_status add_threads(ridge_experimenting *x, unsigned threads, double budget_s)
{
    const ridge_problem problem = ridge_experiment_product(x->request, x->weights, 1, x->request->n);
    const ridge_measure_options options = {.budget_s = budget_s, .threads = threads, .pinned = true};
    ridge_team *team = NULL;
    ridge_chain *chain = NULL;
    ridge_chain_result result;
    ridge_sample_statistics whole = {0};
    ridge_status st = ridge_team_make(&team, threads, true, x->err);
    if (!st)
        st = ridge_experiment_chain(&chain, x, team, &problem, RIDGE_CACHE_COLD, 1, threads);
    if (!st && chain)
        st = ridge_chain_measure(&result, &whole, chain, team, &options, x->err);
    ridge_chain_free(chain);
    ridge_team_free(team);
    if (st || ridge_experiment_stopped())
        return st;
    ridge_experiment_row *row = ridge_experiment_add(x, ridge_arena_printf(x->arena, "%u thread%s", threads, RIDGE_PLURAL(threads)));
    if (!row)
        return ridge_no_memory(x->err);
    row->threads = threads;
    row->time_s = whole.median_s;
    row->bytes_per_s = ridge_experiment_weight_bytes(x, x->weights, x->request->n) / whole.median_s;
    row->speedup = x->out->rows[0].time_s / whole.median_s;
    row->efficiency = row->speedup / threads;
    return RIDGE_OK;
}

ridge_status ridge_experiment_threads(ridge_experimenting *x)
{
    size_t steps = 1, done = 0; /* 1, 2, 4, ..., all */
    ridge_status st = RIDGE_OK;
    for (unsigned t = 1; t < x->threads; t *= 2)
        steps++;
    x->out->subject = subject(x, product_name(x));
    for (unsigned t = 1; !st && !ridge_experiment_stopped(); t = 2 * t < x->threads ? 2 * t : x->threads) {
        ridge_experiment_tell(x, "threads", done++, steps);
        st = add_threads(x, t, x->request->budget_s / (double)steps);
        if (t == x->threads)
            break;
    }
    if (st)
        return st;
    if (x->out->row_count < steps)
        return ridge_experiment_say_stopped(x, steps);
    return ridge_experiment_say_threads(x);
}
