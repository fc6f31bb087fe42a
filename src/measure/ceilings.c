#include "measure/ceilings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kernel/kernel.h"
#include "measure/clock.h"
#include "measure/statistics.h"
#include "measure/team.h"

enum { VARIANTS = 32, PLACES_LEAST = 2 * VARIANTS, DRAM_WEIGHT = 4, PEAK_ROUNDS = 64, CHAIN_ROUNDS = 4000, WAKES = 40, KINDS_HOT = 4 };
enum { HOT_BYTES = 8 << 20 };

const char *const ridge_ceiling_level_names[RIDGE_CEILING_LEVELS + 1] = {RIDGE_CEILING_LEVEL_LIST(RIDGE_WORD_TEXT)};

/* ---- works ---- */

static void stream_phase(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    const ridge_stream_job *j = context;
    size_t at = ((size_t)((call + j->first) % j->places) * j->threads + thread) * j->bytes;
    char *p[3];
    (void)phase;
    for (size_t i = 0; i < 3; i++)
        p[i] = j->arrays[i] ? j->arrays[i] + at : NULL;
    for (unsigned i = 0; i < j->passes; i++)
        j->stream->run(p[0], p[1], p[2], j->bytes);
}

ridge_work ridge_stream_work(ridge_stream_job *job)
{
    return (ridge_work){stream_phase, job, 1};
}

double ridge_stream_job_bytes(const ridge_stream_job *j)
{
    return (double)j->bytes * j->passes * j->threads * ridge_stream_arrays[j->stream->kind];
}

static void peak_phase(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    const ridge_peak_job *j = context;
    (void)phase;
    (void)thread;
    (void)call;
    if (j->peak)
        j->peak->run(j->rounds);
    else
        (void)ridge_multiply_chain(j->rounds);
}

ridge_work ridge_peak_work(ridge_peak_job *job)
{
    return (ridge_work){peak_phase, job, 1};
}

/* ---- the run ---- */

typedef struct run {
    const ridge_ceilings_options *options;
    ridge_ceilings *out;
    ridge_team *team;
    unsigned threads, have; /* have: of the ISAs */
    char *bases[3], *arrays[3];
    size_t room;        /* bytes of each array */
    double unit_s;      /* budget of one item of weight 1 */
    size_t done, total; /* weights */
    ridge_err *err;
} run;

static bool in_level(ridge_ceiling_level level, ridge_stream_kind kind)
{
    bool past_caches = kind == RIDGE_STREAM_WRITE_NT || kind == RIDGE_STREAM_COPY_NT || kind == RIDGE_STREAM_TRIAD_NT;
    return level == RIDGE_CEILING_DRAM || !past_caches;
}

static void tell(run *r, const char *what, size_t weight)
{
    if (r->options->progress)
        r->options->progress(r->options->context, what, r->done, r->total);
    r->done += weight;
}

/* ---- bandwidth ---- */

/* Bytes of one array, thread and pass, and how many places the calls go through. A cache is filled to half by all arrays together, the
 * last level to a quarter but to no more than four times what the level above holds (other tenants, and a virtual machine that shows
 * more than it has); memory is read in pieces of at most 8 MiB, so that a sample is about a millisecond long and likely undisturbed. */
static bool stream_sizes(size_t *bytes, size_t *places, const run *r, ridge_ceiling_level level, ridge_stream_kind kind)
{
    const size_t *cache = r->options->cache_bytes;
    size_t shares = r->threads * (size_t)ridge_stream_arrays[kind], each;
    *places = 1;
    if (level == RIDGE_CEILING_DRAM) {
        size_t room = r->room / r->threads, piece = room / PLACES_LEAST / RIDGE_STREAM_UNIT * RIDGE_STREAM_UNIT;
        *bytes = piece < (size_t)8 << 20 ? piece : (size_t)8 << 20;
        *places = *bytes > 0 ? room / *bytes : 0;
        return *places > 0;
    }
    if (cache[level] == 0)
        return false;
    if (level == RIDGE_CEILING_LLC) {
        size_t above = cache[RIDGE_CEILING_L2], quarter = cache[level] / 4, four = 4 * above * r->threads;
        each = (above > 0 && four < quarter ? four : quarter) / shares;
        if (above > 0 && each * ridge_stream_arrays[kind] < 2 * above)
            return false; /* the caches above it hold it */
    } else {
        each = cache[level] / 2 / ridge_stream_arrays[kind];
    }
    *bytes = each / RIDGE_STREAM_UNIT * RIDGE_STREAM_UNIT;
    return *bytes > 0 && *bytes <= r->room / r->threads;
}

/* the fastest of the variants, by the medians of an interleaved run */
static ridge_status measure_variants(run *r, ridge_stream_job *jobs, size_t count, ridge_ceiling_level level, double budget_s)
{
    ridge_work works[VARIANTS];
    ridge_sample_statistics found[VARIANTS];
    ridge_measure_options options = {.budget_s = budget_s, .confidence = 0.005, .least = 9};
    size_t best = 0;
    for (size_t i = 0; i < count; i++)
        works[i] = ridge_stream_work(&jobs[i]);
    ridge_status st = ridge_measure_interleaved(found, r->team, works, count, &options, r->err);
    if (st)
        return st;
    for (size_t i = 1; i < count; i++)
        if (found[i].median_s < found[best].median_s)
            best = i;
    double bytes = ridge_stream_job_bytes(&jobs[best]);
    r->out->streams[r->out->stream_count++] = (ridge_ceiling_stream){
        .level = level,
        .stream = jobs[best].stream,
        .threads = r->threads,
        .footprint_bytes = (size_t)bytes / jobs[best].passes * jobs[best].places,
        .time = found[best],
        .bytes_per_s = bytes / found[best].median_s,
        .low_bytes_per_s = bytes / found[best].high_s,
        .high_bytes_per_s = bytes / found[best].low_s,
    };
    return RIDGE_OK;
}

static ridge_status measure_stream(run *r, ridge_ceiling_level level, ridge_stream_kind kind)
{
    ridge_stream_job jobs[VARIANTS];
    size_t count = 0, bytes, places, weight = level == RIDGE_CEILING_DRAM ? DRAM_WEIGHT : 1;
    const ridge_stream *s;
    char what[64];
    (void)snprintf(what, sizeof what, "%s %s, %u thread%s", ridge_ceiling_level_names[level], ridge_stream_names[kind], r->threads,
                   RIDGE_PLURAL(r->threads));
    tell(r, what, weight);
    if (!stream_sizes(&bytes, &places, r, level, kind))
        return RIDGE_OK;
    for (size_t i = 0; (s = ridge_stream_at(i)) && count < VARIANTS; i++)
        if (s->kind == kind && (s->isa & r->have) == s->isa)
            jobs[count++] = (ridge_stream_job){
                .stream = s,
                .arrays = {r->arrays[0], r->arrays[1], r->arrays[2]},
                .bytes = bytes,
                .places = places,
                .threads = r->threads,
                .passes = places > 1 ? 1 : (unsigned)(HOT_BYTES / bytes + 1), /* long against a barrier */
            };
    for (size_t i = 0; i < count; i++)
        jobs[i].first = i * (places / count); /* what one variant has read, the next reads again when all of the room came between */
    return count == 0 ? RIDGE_OK : measure_variants(r, jobs, count, level, r->unit_s * (double)weight);
}

static ridge_status measure_streams(run *r)
{
    ridge_status st = RIDGE_OK;
    for (ridge_ceiling_level level = 0; level < RIDGE_CEILING_LEVELS; level++)
        for (ridge_stream_kind kind = 0; kind < RIDGE_STREAM_COUNT; kind++) {
            if (ridge_measure_interrupted != 0)
                return RIDGE_OK;
            if (in_level(level, kind) && (st = measure_stream(r, level, kind)))
                return st;
        }
    return st;
}

/* ---- multiply-adds ---- */

static ridge_status measure_peak(run *r, const ridge_peak *peak)
{
    ridge_peak_job jobs[2] = {{peak, PEAK_ROUNDS}, {NULL, CHAIN_ROUNDS}};
    ridge_work works[2] = {ridge_peak_work(&jobs[0]), ridge_peak_work(&jobs[1])};
    ridge_sample_statistics found[2];
    ridge_measure_options options = {.budget_s = r->unit_s, .confidence = 0.001, .least = 15};
    char what[64];
    (void)snprintf(what, sizeof what, "%s %s, %u thread%s", peak->precision, peak->name, r->threads, RIDGE_PLURAL(r->threads));
    tell(r, what, 1);
    /* a call of about 200 us: long against a barrier, short against a time slice */
    bool clean;
    while (ridge_team_time(&clean, r->team, &works[0], 0, 1) < 200e-6 && jobs[0].rounds < UINT64_C(1) << 40)
        jobs[0].rounds *= 2;
    ridge_status st = ridge_measure_interleaved(found, r->team, works, 2, &options, r->err);
    if (st)
        return st;
    double flops = (double)peak->flops_per_round * (double)jobs[0].rounds, cycles = ridge_multiply_chain(CHAIN_ROUNDS);
    double clock = cycles / found[1].median_s;
    r->out->peaks[r->out->peak_count++] = (ridge_ceiling_peak){
        .peak = peak,
        .threads = r->threads,
        .time = found[0],
        .flops_per_s = flops * r->threads / found[0].median_s,
        .low_flops_per_s = flops * r->threads / found[0].high_s,
        .high_flops_per_s = flops * r->threads / found[0].low_s,
        .clock_hz = clock > 0 ? clock : RIDGE_CEILING_UNKNOWN,
        .flops_per_cycle = clock > 0 ? flops / found[0].median_s / clock : RIDGE_CEILING_UNKNOWN,
    };
    return RIDGE_OK;
}

static ridge_status measure_peaks(run *r)
{
    const ridge_peak *p;
    for (size_t i = 0; (p = ridge_peak_at(i)) && ridge_measure_interrupted == 0; i++) {
        ridge_status st = (p->isa & r->have) == p->isa ? measure_peak(r, p) : RIDGE_OK;
        if (st)
            return st;
    }
    return RIDGE_OK;
}

/* ---- parallel regions ---- */

static void nothing(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    (void)context;
    (void)phase;
    (void)thread;
    (void)call;
}

enum { REGIONS = 201, PHASES = 64 };
#define REGIONS_S 0.02 /* enough for all of them where each thread has a CPU */

/* A run with `phases` phases of nothing, as its caller sees it; one at least, then until the time of an item is spent: with more threads
 * than CPUs a barrier takes milliseconds. */
static double region_s(const run *r, unsigned phases)
{
    ridge_work empty = {nothing, NULL, phases};
    double seconds[REGIONS], end = ridge_clock_s() + fmax(r->unit_s, REGIONS_S);
    size_t n = 0;
    do {
        double begin = ridge_clock_s();
        ridge_team_run(r->team, &empty, n);
        seconds[n++] = ridge_clock_s() - begin;
    } while (n < REGIONS && ridge_measure_interrupted == 0 && ridge_clock_s() < end);
    ridge_sort_doubles(seconds, n);
    return ridge_median_sorted(seconds, n);
}

static double wake_s(ridge_team *team)
{
    ridge_work empty = {nothing, NULL, 1};
    double seconds[WAKES];
    size_t n = 0;
    if (ridge_team_threads(team) == 1)
        return RIDGE_CEILING_UNKNOWN;
    for (; n < WAKES && ridge_measure_interrupted == 0; n++) {
        for (unsigned waited = 0; ridge_team_sleepers(team) + 1 < ridge_team_threads(team) && waited < 100; waited++)
            (void)nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
        double begin = ridge_clock_s();
        ridge_team_run(team, &empty, n);
        seconds[n] = ridge_clock_s() - begin;
    }
    if (n == 0)
        return RIDGE_CEILING_UNKNOWN;
    ridge_sort_doubles(seconds, n);
    return ridge_median_sorted(seconds, n);
}

static void measure_overhead(run *r)
{
    if (ridge_measure_interrupted != 0)
        return;
    tell(r, "parallel regions", 1);
    double one = region_s(r, 1), many = region_s(r, PHASES + 1);
    r->out->overheads[r->out->overhead_count++] = (ridge_ceiling_overhead){
        .threads = r->threads,
        .barrier_s = many > one ? (many - one) / PHASES : 0,
        .region_s = one,
        .wake_s = wake_s(r->team),
    };
}

/* ---- all ---- */

/* Bytes of each array: eight times the last-level cache, at least 512 MiB, at most a third of what may be used. */
static size_t room_wanted(const ridge_ceilings_options *o)
{
    size_t llc = o->cache_bytes[RIDGE_CEILING_LLC] > 0 ? o->cache_bytes[RIDGE_CEILING_LLC] : ridge_last_level_cache();
    size_t least = (size_t)512 << 20, wanted = llc > SIZE_MAX / 8 ? SIZE_MAX : 8 * llc, most = o->cache_bytes[RIDGE_CEILING_DRAM] / 3;
    if (wanted < least)
        wanted = least;
    return most > 0 && wanted > most ? most : wanted;
}

static ridge_status make_arrays(run *r)
{
    r->room = room_wanted(r->options);
    r->out->huge_pages = true;
    for (size_t i = 0; i < 3; i++) {
        bool huge;
        r->bases[i] = ridge_buffer_make(r->room + (size_t)3 * RIDGE_CEILING_STAGGER, &huge);
        if (!r->bases[i])
            return ridge_fail(r->err, RIDGE_NOMEM, "no memory for 3 arrays of %zu bytes", r->room);
        r->arrays[i] = r->bases[i] + i * RIDGE_CEILING_STAGGER;
        r->out->huge_pages = r->out->huge_pages && huge;
        ridge_fill_normal((float *)(void *)r->arrays[i], (size_t)1 << 16, i + 1);
        for (size_t at = (size_t)1 << 18; at < r->room && ridge_measure_interrupted == 0; at += (size_t)1 << 18) /* the same all over */
            memcpy(r->arrays[i] + at, r->arrays[i], r->room - at < (size_t)1 << 18 ? r->room - at : (size_t)1 << 18);
    }
    return RIDGE_OK;
}

static size_t peaks_here(const run *r)
{
    const ridge_peak *p;
    size_t n = 0;
    for (size_t i = 0; (p = ridge_peak_at(i)); i++)
        n += (p->isa & r->have) == p->isa;
    return n;
}

static ridge_status prepare(run *r, ridge_arena *arena)
{
    const ridge_ceilings_options *o = r->options;
    size_t streams = (RIDGE_STREAM_COUNT + (RIDGE_CEILING_LEVELS - 1) * KINDS_HOT) * o->thread_counts,
           peaks = peaks_here(r) * o->thread_counts;
    r->total = (RIDGE_STREAM_COUNT * DRAM_WEIGHT + (RIDGE_CEILING_LEVELS - 1) * KINDS_HOT + 1) * o->thread_counts + peaks;
    r->unit_s = (o->budget_s > 0 ? o->budget_s : 20) / (double)r->total;
    r->out->clock_resolution_s = ridge_clock_resolution_s();
    r->out->streams = ridge_arena_array(arena, streams, sizeof *r->out->streams);
    r->out->peaks = ridge_arena_array(arena, peaks, sizeof *r->out->peaks);
    r->out->overheads = ridge_arena_array(arena, o->thread_counts, sizeof *r->out->overheads);
    if (!r->out->streams || (!r->out->peaks && peaks > 0) || !r->out->overheads)
        return ridge_no_memory(r->err);
    return make_arrays(r);
}

static ridge_status measure_threads(run *r, unsigned threads)
{
    r->threads = threads;
    ridge_status st = ridge_team_make(&r->team, threads, true, r->err);
    if (st)
        return st;
    st = measure_peaks(r);
    if (!st)
        st = measure_streams(r);
    if (!st)
        measure_overhead(r);
    ridge_team_free(r->team);
    return st;
}

ridge_status ridge_ceilings_measure(ridge_ceilings **out, const ridge_ceilings_options *options, ridge_arena *arena, ridge_err *err)
{
    if (options->thread_counts == 0)
        return ridge_fail(err, RIDGE_VALUE, "no number of threads to measure with");
    *out = ridge_arena_alloc(arena, sizeof **out);
    if (!*out)
        return ridge_no_memory(err);
    run r = {.options = options, .out = *out, .have = ridge_isa_have(), .err = err};
    ridge_status st = prepare(&r, arena);
    for (size_t i = 0; !st && i < options->thread_counts && ridge_measure_interrupted == 0; i++)
        st = measure_threads(&r, options->threads[i]);
    for (size_t i = 0; i < 3; i++)
        ridge_buffer_free(r.bases[i], r.room + (size_t)3 * RIDGE_CEILING_STAGGER);
    (*out)->interrupted = ridge_measure_interrupted != 0;
    return st;
}

/* ---- answers ---- */

const ridge_ceiling_stream *ridge_ceilings_stream(const ridge_ceilings *c, ridge_ceiling_level level, ridge_stream_kind kind)
{
    const ridge_ceiling_stream *best = NULL;
    for (size_t i = 0; i < c->stream_count; i++)
        if (c->streams[i].level == level && c->streams[i].stream->kind == kind && (!best || c->streams[i].bytes_per_s > best->bytes_per_s))
            best = &c->streams[i];
    return best;
}

const ridge_ceiling_peak *ridge_ceilings_peak(const ridge_ceilings *c, const char *precision)
{
    const ridge_ceiling_peak *best = NULL;
    for (size_t i = 0; i < c->peak_count; i++)
        if (strcmp(c->peaks[i].peak->precision, precision) == 0 && (!best || c->peaks[i].flops_per_s > best->flops_per_s))
            best = &c->peaks[i];
    return best;
}
