/* The machine that a benchmark runs on (machine.h). */
#include "bench/machine.h"

#include <time.h>

#include "bench/calibrate.h"
#include "kernel/ceiling/ceiling.h"
#include "machine/fields.h"
#include "measure/fingerprint.h"

/* bytes of one cache of a level; 0: not known */
static size_t cache_of(const ridge_detected *d, int64_t level)
{
    for (size_t i = 0; i < d->cache_count; i++)
        if (d->caches[i].level == level && strcmp(d->caches[i].type, "instruction") != 0 && d->caches[i].size_bytes > 0)
            return (size_t)d->caches[i].size_bytes;
    return 0;
}

static ridge_status measure(ridge_bench_machine *m, const ridge_bench_machine_options *options, ridge_arena *arena, ridge_err *err)
{
    const ridge_detected *d = m->detected;
    ridge_ceilings *ceilings;
    int64_t memory = d->memory.available_bytes > 0 ? d->memory.available_bytes : (int64_t)1 << 30;
    if (d->memory.limit_bytes > 0 && d->memory.limit_bytes < memory)
        memory = d->memory.limit_bytes;
    /* arrays of four times the last-level cache: enough to be beyond it, and touched in a moment */
    size_t llc = ridge_last_level_cache(), room = (size_t)memory / 4;
    if (llc < room / 12)
        room = 12 * llc;
    ridge_ceilings_options o = {.threads = options->threads,
                                .thread_counts = options->thread_count,
                                .cache_bytes = {room, cache_of(d, 3), cache_of(d, 2), cache_of(d, 1)},
                                .budget_s = options->budget_s,
                                .progress = options->progress,
                                .context = options->context};
    ridge_status st = ridge_ceilings_measure(&ceilings, &o, arena, err);
    m->ceilings = ceilings;
    return st;
}

/* ---- rates of so many threads ---- */

/* those that were measured with so many threads; the arrays are the caller's, as long as all */
static void ceilings_of(ridge_ceilings *out, const ridge_ceilings *all, unsigned threads)
{
    ridge_ceiling_stream *streams = out->streams;
    ridge_ceiling_peak *peaks = out->peaks;
    *out = (ridge_ceilings){.streams = streams, .peaks = peaks};
    for (size_t i = 0; i < all->stream_count; i++)
        if (all->streams[i].threads == threads)
            streams[out->stream_count++] = all->streams[i];
    for (size_t i = 0; i < all->peak_count; i++)
        if (all->peaks[i].threads == threads)
            peaks[out->peak_count++] = all->peaks[i];
}

/* a share of all cores' */
static void scale(ridge_machine *m, unsigned threads)
{
    double share = m->compute_units > 0 && threads < m->compute_units ? (double)threads / (double)m->compute_units : 1;
    for (size_t p = 0; p < RIDGE_PRECISION_COUNT; p++)
        if (m->peak_flops_per_s[p] > 0)
            m->peak_flops_per_s[p] = (int64_t)((double)m->peak_flops_per_s[p] * share);
    for (size_t i = 0; i < m->level_count; i++)
        if (strcmp(m->levels[i].name, "dram") != 0 && strcmp(m->levels[i].name, "llc") != 0 && m->levels[i].capacity_bytes > 0)
            m->levels[i].capacity_bytes = (int64_t)((double)m->levels[i].capacity_bytes * share);
}

/* narrow formats can be widened to fp32, so fp32's rate is theirs at least (docs/measuring.md) */
static void find_loops(ridge_bench_rates *r, const ridge_ceilings *mine)
{
    const ridge_ceiling_peak *fp32 = ridge_ceilings_peak(mine, "fp32");
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT; p++) {
        const ridge_ceiling_peak *own = ridge_ceilings_peak(mine, ridge_precision_names[p]);
        bool widened = fp32 && ridge_precision_bits[p] < 32 && own && own->flops_per_s < fp32->flops_per_s;
        if (!own && p != RIDGE_PRECISION_FP64)
            own = fp32;
        r->peaks[p] = widened ? fp32->peak : own ? own->peak : NULL;
    }
}

/* the fastest way to move a mix of reads and writes from and to a level, reading alone among them */
static const ridge_ceiling_stream *fastest(const ridge_ceilings *mine, ridge_ceiling_level level, ridge_bench_mix mix)
{
    static const ridge_stream_kind kinds[RIDGE_BENCH_MIXES][3] = {
#define X(code, stored, past) {RIDGE_STREAM_READ, stored, past},
        RIDGE_BENCH_MIX_LIST(X)
#undef X
    };
    const ridge_ceiling_stream *best = NULL;
    for (unsigned i = 0; i < 3; i++) {
        const ridge_ceiling_stream *s = ridge_ceilings_stream(mine, level, kinds[mix][i]);
        if (s && (!best || s->bytes_per_s > best->bytes_per_s))
            best = s;
    }
    return best;
}

static void find_streams(ridge_bench_rates *r, const ridge_ceilings *mine)
{
    for (unsigned mix = 0; mix < RIDGE_BENCH_MIXES; mix++) {
        ridge_machine *m = &r->mixed[mix];
        *m = r->measured;
        for (unsigned level = 0; level < RIDGE_CEILING_LEVELS; level++) {
            const ridge_ceiling_stream *s = fastest(mine, level, mix);
            r->streams[level][mix] = s ? s->stream : NULL;
            for (size_t i = 0; i < m->level_count && s; i++)
                if (strcmp(m->levels[i].name, ridge_ceiling_level_names[level]) == 0 && m->levels[i].bytes_per_s > 0)
                    m->levels[i].bytes_per_s = (int64_t)s->bytes_per_s;
        }
    }
}

static ridge_status make_rates(ridge_bench_rates *r, const ridge_bench_machine *m, unsigned threads, const char *date, ridge_arena *arena,
                               ridge_err *err)
{
    ridge_ceilings mine = {.streams = ridge_arena_array(arena, m->ceilings->stream_count + 1, sizeof *mine.streams),
                           .peaks = ridge_arena_array(arena, m->ceilings->peak_count + 1, sizeof *mine.peaks)};
    ridge_detected copy = *m->detected;
    size_t room = RIDGE_FIELD_COUNT + copy.machine.source_count;
    ridge_machine_source *sources = ridge_arena_array(arena, room, sizeof *sources);
    if (!mine.streams || !mine.peaks || !sources)
        return ridge_no_memory(err);
    if (copy.machine.source_count > 0)
        memcpy(sources, copy.machine.sources, copy.machine.source_count * sizeof *sources);
    copy.machine.sources = sources;
    copy.machine.unverified_count = copy.machine.note_count = 0; /* those arrays are the detected machine's */
    ceilings_of(&mine, m->ceilings, threads);
    r->threads = threads;
    r->theory = m->detected->machine;
    scale(&r->theory, threads);
    ridge_status st = ridge_calibrate_apply(&copy, &mine, date, arena, err);
    r->measured = copy.machine;
    for (size_t i = 0; i < r->measured.level_count; i++)
        r->measured.levels[i].capacity_bytes = r->theory.levels[i].capacity_bytes;
    find_loops(r, &mine);
    find_streams(r, &mine);
    return st;
}

const ridge_bench_rates *ridge_bench_rates_of(const ridge_bench_machine *m, unsigned threads)
{
    for (size_t i = 0; i < m->rate_count; i++)
        if (m->rates[i].threads == threads)
            return &m->rates[i];
    return NULL;
}

/* ---- who it is ---- */

static ridge_status identify(ridge_bench_machine *m, ridge_arena *arena, ridge_err *err)
{
    ridge_fingerprint *f = ridge_arena_alloc(arena, sizeof *f);
    if (!f)
        return ridge_no_memory(err);
    ridge_status st = ridge_fingerprint_read(f, arena, err);
    m->fingerprint = f->digits;
    m->label = f->label;
    m->text = f->text;
    return st;
}

static const char *today(ridge_arena *arena)
{
    char text[32];
    time_t now = time(NULL);
    struct tm date;
    bool ok = gmtime_r(&now, &date) && strftime(text, sizeof text, "%Y-%m-%d", &date) > 0;
    return ridge_arena_strdup(arena, ok ? ridge_str_of(text) : RIDGE_STR("today"));
}

ridge_status ridge_bench_machine_make(ridge_bench_machine **out, const ridge_bench_machine_options *options, ridge_arena *arena,
                                      ridge_err *err)
{
    ridge_bench_machine *m = *out = ridge_arena_alloc(arena, sizeof *m);
    ridge_detected *detected;
    const char *date = today(arena);
    if (!m || !date || !(m->rates = ridge_arena_array(arena, options->thread_count + 1, sizeof *m->rates)))
        return ridge_no_memory(err);
    ridge_detect_options detect = {.no_gpus = true, .bandwidth_bytes_per_s = options->bandwidth_bytes_per_s};
    ridge_status st = ridge_detect(&detected, &detect, arena, err);
    if (st)
        return st;
    m->detected = detected;
    if ((st = identify(m, arena, err)) || (st = measure(m, options, arena, err)))
        return st;
    for (size_t i = 0; i < options->thread_count && !st; i++)
        st = make_rates(&m->rates[m->rate_count++], m, options->threads[i], date, arena, err);
    return st;
}

void ridge_bench_machine_json(ridge_json_writer *w, const ridge_bench_machine *m)
{
    ridge_jw_key(w, "machine");
    ridge_jw_object(w);
    ridge_jw_key(w, "fingerprint");
    ridge_jw_strz(w, m->fingerprint);
    ridge_jw_key(w, "name");
    ridge_jw_strz(w, m->label);
    ridge_jw_key(w, "detected");
    ridge_machine_json(w, &m->detected->machine);
    ridge_jw_end_object(w);
    ridge_jw_key(w, "ceilings");
    ridge_record_object(w, &ridge_ceilings_record, m->ceilings, false);
}
