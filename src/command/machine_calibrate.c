/* ridge machine calibrate: measures this machine's ceilings and keeps them as the machine 'this' (measure/ceilings.h). */
#include "bench/calibrate.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/threads.h"
#include "measure/placement.h"
#include "kernel/kernel.h"
#include "machine/fields.h"

#include <time.h>
#include <unistd.h>

typedef struct calibrate_view {
    const char *threads;
    double budget;
    int64_t memory;
    int save;
} calibrate_view;

typedef struct calibrate_args {
    ridge_words words;
    ridge_output_args output;
    calibrate_view view;
} calibrate_args;

static const ridge_option calibrate_options[] = {
    RIDGE_STRING(calibrate_view, threads, "threads", 't', "N,...", "numbers of threads to measure with (1 and all usable cores)"),
    RIDGE_BUDGET(calibrate_view, budget, "budget", 0, "time to spend, about (default 30s)"),
    RIDGE_INT(calibrate_view, memory, "memory", 0, "N", 3 << 20, INT64_MAX, "bytes of memory to use at most (half of what is free)"),
    RIDGE_SET(calibrate_view, save, "save", 0, 1, "keep it as the machine 'this', for --on this (so it is without this option)"),
    RIDGE_SET(calibrate_view, save, "no-save", 0, 0, "print only"),
    RIDGE_OPTION_END,
};

static const calibrate_args defaults = {.view = {.budget = 30, .save = 1}};

/* ---- what to measure ---- */

/* 1 and the physical cores that may be used */
static void default_threads(unsigned *out, size_t *count, const ridge_detected *d)
{
    int64_t all = d->machine.compute_units;
    *count = 0;
    out[(*count)++] = 1;
    if (all > 1 && all <= RIDGE_THREADS_MOST)
        out[(*count)++] = (unsigned)all;
}

/* bytes of one cache of a level; 0: not known */
static size_t cache_of(const ridge_detected *d, int64_t level)
{
    for (size_t i = 0; i < d->cache_count; i++)
        if (d->caches[i].level == level && strcmp(d->caches[i].type, "instruction") != 0 && d->caches[i].size_bytes > 0)
            return (size_t)d->caches[i].size_bytes;
    return 0;
}

static void read_sizes(ridge_ceilings_options *o, const ridge_detected *d, int64_t most)
{
    int64_t memory = d->memory.available_bytes != RIDGE_MACHINE_UNKNOWN ? d->memory.available_bytes : (int64_t)1 << 30;
    if (d->memory.limit_bytes != RIDGE_MACHINE_UNKNOWN && d->memory.limit_bytes < memory)
        memory = d->memory.limit_bytes;
    o->cache_bytes[RIDGE_CEILING_DRAM] = (size_t)(most > 0 && most < memory / 2 ? most : memory / 2);
    o->cache_bytes[RIDGE_CEILING_LLC] = cache_of(d, 3);
    o->cache_bytes[RIDGE_CEILING_L2] = cache_of(d, 2);
    o->cache_bytes[RIDGE_CEILING_L1] = cache_of(d, 1);
}

/* ---- progress ---- */

static void progress(void *context, const char *what, size_t done, size_t total)
{
    ridge_io *io = context;
    (void)fprintf(io->err, "\r\033[K%3zu %% %s", 100 * done / total, what);
    (void)fflush(io->err);
}

static ridge_status measure(ridge_ceilings **out, ridge_io *io, ridge_ceilings_options *o, ridge_err *err)
{
    struct sigaction before;
    bool shown = isatty(fileno(io->err)) == 1;
    if (shown) {
        o->progress = progress;
        o->context = io;
    }
    ridge_interrupt_catch(&before);
    ridge_status st = ridge_ceilings_measure(out, o, &io->arena, err);
    ridge_interrupt_release(&before);
    if (shown)
        (void)fprintf(io->err, "\r\033[K");
    return st;
}

/* ---- answers ---- */

static const char *today(ridge_arena *arena)
{
    char text[32];
    time_t now = time(NULL);
    struct tm date;
    return gmtime_r(&now, &date) && strftime(text, sizeof text, "%Y-%m-%d", &date) > 0 ? ridge_arena_strdup(arena, ridge_str_of(text))
                                                                                       : NULL;
}

static void write_json(ridge_io *io, const ridge_detected *d, const ridge_ceilings *c, const char *saved, unsigned cpus)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, &io->data);
    ridge_jw_key(&w, "machine");
    ridge_machine_json(&w, &d->machine);
    ridge_jw_key(&w, "ceilings");
    ridge_ceilings_json(&w, c);
    ridge_jw_key(&w, "cpus");
    ridge_jw_int(&w, cpus);
    ridge_jw_key(&w, "saved");
    ridge_jw_strz(&w, saved);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&io->data, '\n');
}

static ridge_status answer(ridge_io *io, const calibrate_args *args, ridge_detected *d, const ridge_ceilings *c, unsigned cpus,
                           ridge_err *err)
{
    const char *saved = NULL, *date = today(&io->arena);
    if (!date)
        return ridge_no_memory(err);
    ridge_status st = ridge_calibrate_apply(d, c, date, &io->arena, err), not_saved = RIDGE_OK;
    if (!st && args->view.save == 1 && !c->interrupted)
        not_saved = ridge_detected_save(&saved, d, &io->arena, err); /* what was measured is shown all the same */
    if (st)
        return st;
    if (args->output.as == RIDGE_OUTPUT_JSON) {
        write_json(io, d, c, saved, cpus);
        return not_saved;
    }
    st = ridge_output_ceilings(&io->data, c, io->terminal ? io->width : 0, &io->arena, err);
    if (saved)
        ridge_buf_addf(&io->data, "saved as %s: --on this\n", saved);
    else if (c->interrupted)
        ridge_buf_addz(&io->data, "not saved\n");
    return st ? st : not_saved;
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const calibrate_args *args = values;
    unsigned threads[RIDGE_THREADS_COUNTS];
    ridge_detected *d;
    ridge_ceilings *c;
    ridge_ceilings_options o = {.threads = threads, .budget_s = args->view.budget};
    ridge_status st = args->view.threads ? ridge_threads_read(threads, &o.thread_counts, args->view.threads, err) : RIDGE_OK;
    if (!st)
        st = ridge_isa_check(err);
    if (!st)
        st = ridge_detect(&d, &(ridge_detect_options){.no_gpus = true}, &io->arena, err);
    if (st)
        return st;
    if (!args->view.threads)
        default_threads(threads, &o.thread_counts, d);
    if (threads[o.thread_counts - 1] < (unsigned)d->machine.compute_units && d->machine.compute_units > 0 && args->view.save == 1)
        ridge_io_warn(io, "the machine will have the peaks of %u of its %lld cores", threads[o.thread_counts - 1],
                      (long long)d->machine.compute_units);
    const unsigned cpus = ridge_placement_cpus();
    ridge_threads_warn(io, threads[o.thread_counts - 1], cpus);
    read_sizes(&o, d, args->view.memory);
    st = measure(&c, io, &o, err);
    io->interrupted = !st && c->interrupted;
    return !st ? answer(io, args, d, c, cpus, err) : st;
}

const ridge_command ridge_cmd_machine_calibrate = {
    .name = "calibrate",
    .summary = "measure this machine's ceilings, for --on this",
    .example = "ridge machine calibrate --budget 60",
    .details =
        "Bandwidth of memory and of each cache (read, write, copy, triad), multiply-adds per precision and instruction set, with the clock "
        "measured beside each, and the cost of a parallel region. Of the variants of a loop the fastest counts. The machine 'this' gets "
        "these numbers in place of derived ones, each with its source. Leave the machine alone meanwhile; Ctrl-C prints what is done and "
        "exits with 130.",
    .operands = {NULL, NULL, 0, 0, 0, false},
    .tables =
        {
            RIDGE_TABLE(ridge_options_json, offsetof(calibrate_args, output), NULL),
            RIDGE_TABLE(calibrate_options, offsetof(calibrate_args, view), NULL),
        },
    .args_size = sizeof(calibrate_args),
    .defaults = &defaults,
    .run = run,
};
