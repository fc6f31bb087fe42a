/* The machine that a benchmark runs on (machine.h). */
#include "bench/machine.h"

#include "bench/calibrate.h"
#include "kernel/ceiling/ceiling.h"
#include "machine/fields.h"
#include "machine/records.h"
#include "measure/fingerprint.h"
#include "measure/store.h"

/* bytes of one cache of a level; 0: not known */
static size_t cache_of(const ridge_detected *d, int64_t level)
{
    for (size_t i = 0; i < d->cache_count; i++)
        if (d->caches[i].level == level && strcmp(d->caches[i].type, "instruction") != 0 && d->caches[i].size_bytes > 0)
            return (size_t)d->caches[i].size_bytes;
    return 0;
}

void ridge_bench_cache_bytes(size_t out[RIDGE_CEILING_LEVELS], const ridge_detected *d)
{
    out[RIDGE_CEILING_LLC] = cache_of(d, 3);
    out[RIDGE_CEILING_L2] = cache_of(d, 2);
    out[RIDGE_CEILING_L1] = cache_of(d, 1);
}

int64_t ridge_bench_memory(const ridge_detected *d)
{
    int64_t memory = d->memory.available_bytes > 0 ? d->memory.available_bytes : (int64_t)1 << 30;
    return d->memory.limit_bytes > 0 && d->memory.limit_bytes < memory ? d->memory.limit_bytes : memory;
}

static ridge_status measure(ridge_bench_machine *m, const ridge_bench_machine_options *options, ridge_arena *arena, ridge_err *err)
{
    ridge_ceilings *ceilings;
    /* arrays of four times the last-level cache: enough to be beyond it, and touched in a moment */
    size_t llc = ridge_last_level_cache(), room = (size_t)ridge_bench_memory(m->detected) / 4;
    ridge_ceilings_options o = {.threads = options->threads,
                                .thread_counts = options->thread_count,
                                .cache_bytes = {[RIDGE_CEILING_DRAM] = llc < room / 12 ? 12 * llc : room},
                                .budget_s = options->budget_s,
                                .progress = options->progress,
                                .context = options->context};
    ridge_bench_cache_bytes(o.cache_bytes, m->detected);
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

ridge_status ridge_bench_machine_make(ridge_bench_machine **out, const ridge_bench_machine_options *options, ridge_arena *arena,
                                      ridge_err *err)
{
    ridge_bench_machine *m = *out = ridge_arena_alloc(arena, sizeof *m);
    ridge_detected *detected;
    char date[RIDGE_STORE_DATE_CHARS];
    ridge_store_now(date);
    if (!m || !(m->rates = ridge_arena_array(arena, options->thread_count + 1, sizeof *m->rates)))
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

/* ---- how it is told ---- */

static const ridge_record_field detected_fields[] = {
    RIDGE_R_IN(ridge_detected, machine, &ridge_machine_record, "detected", RIDGE_IN_JSON, "its description, as of ridge machine"),
};
static const ridge_record detected_record = RIDGE_RECORD(ridge_detected, "detected", detected_fields, "the machine as detected");

#define MACHINE ridge_bench_machine
static const ridge_record_field identity_fields[] = {
    RIDGE_R_TEXT(MACHINE, fingerprint, "fingerprint", NULL, RIDGE_IN_JSON, "hash of what may change results here"),
    RIDGE_R_TEXT(MACHINE, label, "name", NULL, RIDGE_IN_JSON, "the machine in one line"),
    RIDGE_R_THROUGH(MACHINE, detected, &detected_record, RIDGE_IN_ALL),
};
static const ridge_record identity_record = RIDGE_RECORD(MACHINE, "machine", identity_fields, "the machine here");

static const ridge_record_field fields[] = {
    RIDGE_R_GROUP(&identity_record, "machine", RIDGE_IN_JSON, "the machine here"),
    RIDGE_R_AT(MACHINE, ceilings, &ridge_ceilings_record, "ceilings", RIDGE_IN_JSON, "what it reaches at best, measured just now"),
};
const ridge_record ridge_bench_machine_record = RIDGE_RECORD(MACHINE, "machine", fields, "the machine here and its ceilings");
