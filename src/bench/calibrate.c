/* Measured ceilings into a machine (calibrate.h). */
#include "bench/calibrate.h"

#include <stdio.h>

#include "bench/machine.h"
#include "machine/fields.h"
#include "measure/placement.h"
#include "measure/store.h"

typedef struct applying {
    ridge_machine *machine;
    const ridge_ceilings *ceilings;
    const char *date;
    ridge_arena *arena;
    bool failed; /* memory ran out */
} applying;

static const char *threads_text(ridge_arena *arena, unsigned threads)
{
    return ridge_arena_printf(arena, "%u thread%s", threads, RIDGE_PLURAL(threads));
}

/* the number's source is this text from now on, and it is no longer unverified */
static void say(applying *a, ridge_machine_field field, const char *text)
{
    ridge_machine *m = a->machine;
    const char *name = ridge_machine_fields[field].key;
    size_t at = 0, kept = 0;
    a->failed = a->failed || !text;
    if (!text)
        return;
    while (at < m->source_count && strcmp(m->sources[at].field, name) != 0)
        at++;
    if (at == RIDGE_FIELD_COUNT)
        return;
    m->sources[at] = (ridge_machine_source){name, text};
    if (at == m->source_count)
        m->source_count++;
    for (size_t i = 0; i < m->unverified_count; i++)
        if (strcmp(m->unverified[i], name) != 0)
            m->unverified[kept++] = m->unverified[i];
    m->unverified_count = kept;
}

static const char *measured(applying *a, unsigned threads, const char *what)
{
    return ridge_arena_printf(a->arena, "measured by ridge machine calibrate, %.10s, %s: %s", a->date, threads_text(a->arena, threads),
                              what);
}

/* ---- peaks ---- */

static void apply_peak(applying *a, ridge_precision p, const ridge_ceiling_peak *best, bool widened)
{
    const char *what;
    if (widened)
        what = ridge_arena_printf(a->arena, "as fp32 (%s), to which it can be widened", best->peak->name);
    else if (best->clock_hz > 0)
        what = ridge_arena_printf(a->arena, "%s, %.4g %s/cycle and thread at %.3f GHz", best->peak->name, best->flops_per_cycle,
                                  p == RIDGE_PRECISION_INT8 ? "OP" : "FLOP", best->clock_hz / 1e9);
    else
        what = best->peak->name;
    a->machine->peak_flops_per_s[p] = (int64_t)best->flops_per_s;
    a->machine->lacks[p] = false;
    say(a, RIDGE_FIELD_PEAK + p, what ? measured(a, best->threads, what) : NULL);
}

static void apply_peaks(applying *a)
{
    static const ridge_precision all[] = {RIDGE_PRECISION_FP64, RIDGE_PRECISION_FP32, RIDGE_PRECISION_BF16, RIDGE_PRECISION_FP16,
                                          RIDGE_PRECISION_INT8};
    const ridge_ceiling_peak *fp32 = ridge_ceilings_peak(a->ceilings, "fp32");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const ridge_ceiling_peak *own = ridge_ceilings_peak(a->ceilings, ridge_precision_names[all[i]]);
        bool widened = fp32 && ridge_precision_bits[all[i]] < 32 && (!own || own->flops_per_s < fp32->flops_per_s);
        if (widened || own)
            apply_peak(a, all[i], widened ? fp32 : own, widened);
    }
    if (fp32 && fp32->clock_hz > 0) {
        a->machine->clock_hz = (int64_t)fp32->clock_hz;
        say(a, RIDGE_FIELD_CLOCK_HZ, measured(a, fp32->threads, "multiply chains that took turns with the fp32 load"));
    }
}

/* ---- memory, launches, notes ---- */

static void apply_levels(applying *a)
{
    for (ridge_ceiling_level level = 0; level < RIDGE_CEILING_LEVELS; level++) {
        const ridge_ceiling_stream *s = ridge_ceilings_stream(a->ceilings, level, RIDGE_STREAM_READ);
        for (size_t i = 0; s && i < a->machine->level_count; i++) {
            if (strcmp(a->machine->levels[i].name, ridge_ceiling_level_names[level]) != 0)
                continue;
            char field[64];
            (void)snprintf(field, sizeof field, "memory.%s.bytes_per_s", ridge_ceiling_level_names[level]);
            a->machine->levels[i].bytes_per_s = (int64_t)s->bytes_per_s;
            const char *what = ridge_arena_printf(a->arena, "read, %s, %zu KiB", s->stream->name, s->footprint_bytes >> 10);
            say(a, ridge_field_find(ridge_str_of(field)), what ? measured(a, s->threads, what) : NULL);
        }
    }
}

static void apply_launch(applying *a)
{
    const ridge_ceilings *c = a->ceilings;
    const ridge_ceiling_overhead *most = NULL;
    for (size_t i = 0; i < c->overhead_count; i++)
        if (!most || c->overheads[i].threads > most->threads)
            most = &c->overheads[i];
    if (!most || most->region_s <= 0)
        return;
    a->machine->launch_overhead_s = most->region_s;
    say(a, RIDGE_FIELD_LAUNCH_OVERHEAD_S, measured(a, most->threads, "an empty parallel region of threads that wait for it"));
}

/* is it a note that something measured now was missing? */
static bool outdated(const applying *a, const char *note)
{
    bool peaks = a->ceilings->peak_count > 0, bandwidth = ridge_ceilings_stream(a->ceilings, RIDGE_CEILING_DRAM, RIDGE_STREAM_READ);
    return (bandwidth && strncmp(note, "no memory bandwidth", 19) == 0) ||
           (peaks && strncmp(note, "no ", 3) == 0 && (strstr(note, " peak:") || strncmp(note, "no peak rates", 13) == 0)) ||
           (peaks && strncmp(note, "peaks are stated at the base clock", 34) == 0);
}

static void drop_notes(const applying *a)
{
    ridge_machine *m = a->machine;
    size_t kept = 0;
    for (size_t i = 0; i < m->note_count; i++)
        if (!outdated(a, m->notes[i]))
            m->notes[kept++] = m->notes[i];
    m->note_count = kept;
}

ridge_status ridge_calibrate_apply(ridge_detected *d, const ridge_ceilings *c, const char *date, ridge_arena *arena, ridge_err *err)
{
    applying a = {.machine = &d->machine, .ceilings = c, .date = date, .arena = arena};
    apply_peaks(&a);
    apply_levels(&a);
    apply_launch(&a);
    drop_notes(&a);
    d->note_count = d->machine.note_count;
    return a.failed ? ridge_no_memory(err) : RIDGE_OK;
}

/* ---- the command ---- */

#define OF ridge_calibrate_request
const ridge_option ridge_options_calibrate[] = {
    RIDGE_OTHER(OF, threads, ridge_threads, "threads", 't', "N,...", ridge_threads_read,
                "numbers of threads to measure with (default: 1 and all usable cores)"),
    RIDGE_BUDGET(OF, budget_s, "budget", 0, "time to spend, about", .fallback = "30s"),
    RIDGE_INT(OF, memory_bytes, "memory", 0, "N", 3 << 20, INT64_MAX, "memory to use at most (default: half of what is free)",
              .unit = "bytes"),
    RIDGE_SET(OF, save, "save", 0, RIDGE_CALIBRATE_SAVE,
              "keep it as the machine 'this', for " RIDGE_OPT("on") " this (so it is without this option)", .reach = RIDGE_REACH_KEPT),
    RIDGE_SET(OF, save, "no-save", 0, RIDGE_CALIBRATE_PRINT, "print only"),
    RIDGE_OPTION_END,
};

ridge_status ridge_calibrate_prepare(ridge_calibrate_answer *out, const ridge_calibrate_request *request, ridge_arena *arena,
                                     ridge_err *err)
{
    *out = (ridge_calibrate_answer){.threads = request->threads, .cpus = ridge_placement_cpus()};
    ridge_threads *threads = &out->threads;
    ridge_status st = ridge_isa_check(err);
    if (st || (st = ridge_detect(&out->detected, &(ridge_detect_options){.no_gpus = true}, arena, err)) || threads->count > 0)
        return st;
    int64_t all = out->detected->machine.compute_units;
    threads->counts[threads->count++] = 1;
    if (all > 1 && all <= RIDGE_THREADS_MOST)
        threads->counts[threads->count++] = (unsigned)all;
    return RIDGE_OK;
}

/* streams of a level and number of threads stand together */
static ridge_status gather(ridge_calibrate_answer *a, ridge_arena *arena, ridge_err *err)
{
    const ridge_ceilings *c = a->ceilings;
    ridge_calibrate_bandwidth *rows = a->bandwidths = ridge_arena_array(arena, c->stream_count + 1, sizeof *rows), *row = rows;
    if (!rows)
        return ridge_no_memory(err);
    for (size_t i = 0; i < c->stream_count; i++) {
        const ridge_ceiling_stream *s = &c->streams[i];
        if (i == 0 || s->level != row->level || s->threads != row->threads) {
            row = &rows[a->bandwidth_count++];
            *row = (ridge_calibrate_bandwidth){.level = s->level, .threads = s->threads};
            for (size_t k = 0; k < RIDGE_STREAM_COUNT; k++)
                row->bytes_per_s[k] = RIDGE_CEILING_UNKNOWN;
        }
        row->bytes_per_s[s->stream->kind] = s->bytes_per_s;
    }
    return RIDGE_OK;
}

ridge_status ridge_calibrate_measure(ridge_calibrate_answer *answer, const ridge_calibrate_request *request,
                                     void (*progress)(void *context, const char *what, size_t done, size_t total), void *context,
                                     ridge_arena *arena, ridge_err *err)
{
    const int64_t half = ridge_bench_memory(answer->detected) / 2, most = request->memory_bytes;
    ridge_ceilings *ceilings;
    char date[RIDGE_STORE_DATE_CHARS];
    ridge_ceilings_options o = {.threads = answer->threads.counts,
                                .thread_counts = answer->threads.count,
                                .cache_bytes = {[RIDGE_CEILING_DRAM] = (size_t)(most > 0 && most < half ? most : half)},
                                .budget_s = request->budget_s,
                                .progress = progress,
                                .context = context};
    ridge_bench_cache_bytes(o.cache_bytes, answer->detected);
    ridge_status st = ridge_ceilings_measure(&ceilings, &o, arena, err);
    if (st)
        return st;
    ridge_store_now(date);
    answer->ceilings = ceilings;
    st = gather(answer, arena, err);
    return st ? st : ridge_calibrate_apply(answer->detected, ceilings, date, arena, err);
}

ridge_status ridge_calibrate_save(ridge_calibrate_answer *answer, const ridge_calibrate_request *request, ridge_arena *arena,
                                  ridge_err *err)
{
    if (request->save == RIDGE_CALIBRATE_PRINT || answer->ceilings->interrupted)
        return RIDGE_OK;
    return ridge_detected_save(&answer->saved, answer->detected, arena, err);
}
