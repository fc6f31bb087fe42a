/* ridge sweep: predictions over a grid of machines, formats and shapes. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "sweep/request.h"
#include "sweep/rows.h"
#include "cli/commands.h"
#include "cli/workload.h"

enum { TABLE_MOST = 2000 }; /* points that a table for people has */

typedef struct sweep_args {
    ridge_words model;
    ridge_output_args output;
    ridge_catalog_args catalog;
    ridge_machines_args machines;
    struct sweep_grid {
        ridge_sweep_words words;
        int64_t threads;
        bool summary, progress;
    } grid;
    struct sweep_fixed {
        ridge_workload_args workload; /* what does not vary */
        ridge_method method;
        double launch_s;
    } fixed;
} sweep_args;

static const ridge_option grid_options[] = {
    RIDGE_STRING(struct sweep_grid, words.on, "on", 0, "MACHINES", "machines of 'ridge machine list', or machine files: a,b,c"),
    RIDGE_STRING(struct sweep_grid, words.batch, "batch", 'b', "RANGE", "sequences at once (default 1)"),
    RIDGE_STRING(struct sweep_grid, words.seq, "seq", 's', "RANGE", "new tokens per sequence (default: as 'ridge predict' has it)"),
    RIDGE_STRING(struct sweep_grid, words.past, "past", 0, "RANGE", "tokens already in the cache"),
    RIDGE_STRING(struct sweep_grid, words.phase, "phase", 0, "PHASES", "prefill, decode, train (default prefill)"),
    RIDGE_STRING(struct sweep_grid, words.weights, "weights", 0, "FORMATS", "number formats of the weights (default: the config's dtype)"),
    RIDGE_STRING(struct sweep_grid, words.activations, "activations", 0, "FORMATS", "... of the activations"),
    RIDGE_STRING(struct sweep_grid, words.kv, "kv", 0, "FORMATS", "... of the KV cache"),
    RIDGE_FLAG(struct sweep_grid, summary, "summary", 0, "the best points and the Pareto front instead of the rows"),
    RIDGE_INT(struct sweep_grid, threads, "threads", 0, "N", 1, RIDGE_SWEEP_THREADS, "threads (default: one per processor)"),
    RIDGE_FLAG(struct sweep_grid, progress, "progress", 0, "progress on stderr even where that is no terminal"),
    RIDGE_OPTION_END,
};

#define MOST ((int64_t)1 << 40)

/* one value each, as 'ridge predict' has them */
static const ridge_option fixed_options[] = {
    RIDGE_INT(struct sweep_fixed, workload.decoder_seq, "decoder-seq", 0, "N", 1, MOST,
              "encoder-decoder models: tokens of the decoder; --seq is the encoder's"),
    RIDGE_INT(struct sweep_fixed, workload.encoder_len, "encoder-len", 0, "N", 1, MOST, "decode: length of the encoder's output"),
    RIDGE_INT(struct sweep_fixed, workload.image, "image-size", 0, "N", 1, 1 << 20,
              "pixels of a square image's side (default: the config's)"),
    RIDGE_INT(struct sweep_fixed, workload.frames, "frames", 0, "N", 1, MOST, "spectrogram frames"),
    RIDGE_INT(struct sweep_fixed, workload.samples, "samples", 0, "N", 1, MOST, "audio samples"),
    RIDGE_CHOICE(struct sweep_fixed, workload.attention, "attention", 0, ridge_attention_names,
                 "S x T pairs as executed, or exactly the causal ones"),
    RIDGE_CHOICE(struct sweep_fixed, workload.kernel, "kernel", 0, ridge_kernel_names,
                 "every operator's traffic, or the least with chains fused"),
    RIDGE_CHOICE(struct sweep_fixed, workload.lm_head, "lm-head", 0, ridge_lm_head_names, "positions the output head runs on"),
    RIDGE_CHOICE(struct sweep_fixed, workload.optimizer, "optimizer", 0, ridge_optimizer_names, "train: the optimiser's state"),
    RIDGE_CHOICE(struct sweep_fixed, workload.recompute, "recompute", 0, ridge_recompute_names,
                 "train: activations computed again in the backward pass"),
    RIDGE_STRING(struct sweep_fixed, workload.head_class, "class", 0, "NAME", "another class of the family than the config's"),
    RIDGE_CHOICE(struct sweep_fixed, method, "method", 0, ridge_method_names, "the bound itself, or what such kernels reach"),
    RIDGE_SECONDS(struct sweep_fixed, launch_s, "launch", 0, "overhead of every kernel (default: the machine's; 0: none)"),
    RIDGE_OPTION_END,
};

/* ---- the request ---- */

static ridge_status make_request(ridge_sweep_request *r, const sweep_args *args, ridge_arena *arena, ridge_err *err)
{
    *r = (ridge_sweep_request){.threads = args->grid.threads};
    ridge_predict_default(&r->predict);
    ridge_workload_request(&r->predict.model, &args->fixed.workload, args->model.items[0]);
    r->predict.method = args->fixed.method;
    r->predict.launch_s = args->fixed.launch_s;
    return ridge_sweep_request_grid(r, &args->grid.words, arena, err);
}

/* ---- what happens with the points ---- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

typedef struct output {
    ridge_io *io;
    const sweep_args *args;
    ridge_sweep sweep;
    bool progress;
    double start, said;             /* seconds; when progress was said last */
    ridge_sweep_summary *summaries; /* [threads] */
    ridge_sweep_entry *entries;     /* for a table */
    size_t entry_count;
} output;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void say_progress(output *o, int64_t done)
{
    double at = now(), elapsed = at - o->start;
    char points[RIDGE_INT_COMMA_CHARS], count[RIDGE_INT_COMMA_CHARS];
    if (!o->progress || at - o->said < 0.2)
        return;
    o->said = at;
    ridge_int_print_comma(points, done);
    ridge_int_print_comma(count, o->sweep.count);
    (void)fprintf(o->io->err, "\r%5.1f %%  %s of %s points, %.3g million/s ", 100.0 * (double)done / (double)o->sweep.count, points, count,
                  (double)done / elapsed / 1e6);
    (void)fflush(o->io->err);
}

static void end_progress(output *o)
{
    if (o->said > 0)
        (void)fputs("\r\033[K", o->io->err);
    o->said = 0;
}

static void note(void *data, const char *text)
{
    output *o = data;
    end_progress(o);
    ridge_io_warn(o->io, "%s", text);
}

static void take_csv(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block)
{
    (void)data;
    (void)thread;
    ridge_sweep_csv(text, block);
}

static void take_json(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block)
{
    (void)data;
    (void)thread;
    ridge_sweep_json(text, block);
}

static void take_summary(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block)
{
    output *o = data;
    (void)text;
    ridge_sweep_summary_add(&o->summaries[thread], block);
}

/* on one thread: entries has room for all */
static void take_table(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *b)
{
    output *o = data;
    (void)thread;
    (void)text;
    for (size_t i = 0; i < b->n; i++)
        o->entries[o->entry_count++] = (ridge_sweep_entry){.index = b->first + (int64_t)i,
                                                           .machine = b->machine,
                                                           .phase = b->phase,
                                                           .weights = b->weights,
                                                           .activations = b->activations,
                                                           .kv = b->kv,
                                                           .point = b->points[i]};
}

static ridge_status write_text(void *data, ridge_buf *text, int64_t done, ridge_err *err)
{
    output *o = data;
    ridge_buf_add(&o->io->data, (ridge_str){text->p, text->n});
    say_progress(o, done);
    return text->n ? ridge_io_flush(o->io, err) : RIDGE_OK;
}

/* ---- the forms of the answer ---- */

static ridge_status run_sink(output *o, void (*take)(void *, unsigned, ridge_buf *, const ridge_sweep_block *), ridge_err *err)
{
    ridge_sweep_sink sink = {.data = o, .take = take, .write = write_text, .note = note, .stop = &interrupted};
    ridge_status st = ridge_sweep_run(&o->sweep, &sink, err);
    end_progress(o);
    return st;
}

static ridge_status as_csv(output *o, ridge_err *err)
{
    ridge_sweep_csv_head(&o->io->data);
    return run_sink(o, take_csv, err);
}

static ridge_status as_json(output *o, ridge_err *err)
{
    ridge_buf *out = &o->io->data;
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_key(&w, "points");
    ridge_jw_int(&w, o->sweep.count);
    ridge_buf_addz(out, ",\n  \"rows\": [\n");
    ridge_status st = run_sink(o, take_json, err);
    if (!st)
        ridge_buf_addf(out, "\n  ],\n  \"complete\": %s\n}\n", o->sweep.stopped ? "false" : "true");
    return st;
}

static ridge_status as_summary(output *o, ridge_err *err)
{
    const unsigned threads = o->sweep.threads;
    ridge_status st = RIDGE_OK;
    unsigned made = 0;
    if (!(o->summaries = calloc(threads, sizeof *o->summaries)))
        return ridge_no_memory(err);
    while (made < threads && !st)
        st = ridge_sweep_summary_init(&o->summaries[made++], &o->sweep, err);
    if (!st)
        st = run_sink(o, take_summary, err);
    double elapsed = now() - o->start;
    for (unsigned i = 1; i < threads && !st; i++)
        ridge_sweep_summary_merge(&o->summaries[0], &o->summaries[i]);
    if (!st && o->args->output.as == RIDGE_OUTPUT_JSON)
        st = ridge_sweep_summary_json(&o->io->data, &o->summaries[0], elapsed, err);
    else if (!st && o->args->output.as == RIDGE_OUTPUT_CSV)
        st = ridge_sweep_summary_csv(&o->io->data, &o->summaries[0], err);
    else if (!st)
        st = ridge_sweep_summary_text(&o->io->data, &o->summaries[0], elapsed, ridge_io_width(o->io), err);
    for (unsigned i = 0; i < made; i++)
        ridge_sweep_summary_free(&o->summaries[i]);
    free(o->summaries);
    return st;
}

static ridge_status as_table(output *o, ridge_err *err)
{
    char count[RIDGE_INT_COMMA_CHARS];
    ridge_int_print_comma(count, o->sweep.count);
    if (o->sweep.count > TABLE_MOST)
        return ridge_fail(err, RIDGE_USAGE, "%s points are too many for a table: --csv and --json stream them, --summary sums them up",
                          count);
    o->sweep.threads = 1;
    if (!(o->entries = ridge_arena_array(&o->io->arena, (size_t)o->sweep.count + 1, sizeof *o->entries)))
        return ridge_no_memory(err);
    ridge_status st = run_sink(o, take_table, err);
    const ridge_table_style style = ridge_output_style(o->args->output.as);
    if (st)
        return st;
    if (style == RIDGE_TABLE_TEXT)
        ridge_buf_addf(&o->io->data, "%s: %s point%s\n", o->sweep.model ? o->sweep.model : "", count, o->sweep.count == 1 ? "" : "s");
    return ridge_sweep_table(&o->io->data, &o->sweep, o->entries, o->entry_count, style, ridge_io_width(o->io), err);
}

static ridge_status answer(output *o, ridge_err *err)
{
    struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, before; /* a second ^C ends it at once */
    (void)sigemptyset(&stop.sa_mask);
    (void)sigaction(SIGINT, &stop, &before);
    o->start = now();
    o->progress = o->args->grid.progress || (isatty(fileno(o->io->err)) == 1 && (o->args->grid.summary || !o->io->terminal));
    ridge_status st = o->args->grid.summary                     ? as_summary(o, err)
                      : o->args->output.as == RIDGE_OUTPUT_CSV  ? as_csv(o, err)
                      : o->args->output.as == RIDGE_OUTPUT_JSON ? as_json(o, err)
                                                                : as_table(o, err);
    (void)sigaction(SIGINT, &before, NULL);
    return st;
}

/* what a shell has for a program that ^C ended */
static void exit_interrupted(ridge_io *io)
{
    ridge_err err = {0};
    if (ridge_io_close(io, &err))
        ridge_io_error(io, &err);
    exit(128 + SIGINT);
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const sweep_args *args = values;
    output o = {.io = io, .args = args};
    ridge_sweep_request request;
    ridge_registry *registry = NULL;
    ridge_machines *machines = NULL;
    ridge_status st;
    if ((st = make_request(&request, args, &io->arena, err)) || (st = ridge_catalog_open(&registry, &args->catalog, err)))
        return st;
    if (!(st = ridge_machines_args_open(&machines, &args->machines, err)) &&
        !(st = ridge_sweep_open(&o.sweep, registry, machines, &request, err)))
        st = answer(&o, err);
    ridge_sweep_free(&o.sweep);
    ridge_machines_close(machines);
    ridge_registry_close(registry);
    if (!st && interrupted)
        exit_interrupted(io);
    return st;
}

static const sweep_args defaults = {
    .fixed = {.workload = {RIDGE_WORKLOAD_UNSET, .kernel = RIDGE_KERNEL_FUSED, .attention = 1, .lm_head = 1},
              .launch_s = RIDGE_PREDICT_UNKNOWN},
};

const ridge_command ridge_cmd_sweep = {
    .name = "sweep",
    .group = "Models",
    .summary = "predictions over machines, batches, lengths and formats: every point, or the best ones",
    .example = "ridge sweep meta-llama/Llama-2-7b-hf --on h100-sxm-80,l4 --batch 1:256:*2 --seq 128:4096:*2 --weights bf16,q4_K --csv",
    .details =
        "RANGE is a:b:*f, a:b:+d or a list; they mix: 1,2,8:64:*2. Every combination is a point, with the numbers that 'ridge predict' "
        "has for it. Rows stream in a fixed order, whatever the number of threads; memory does not grow with them.",
    .operands = RIDGE_OPERANDS(sweep_args, model, "MODEL", 1, 1, "a folder, a config.json, or an id such as meta-llama/Llama-2-7b-hf"),
    .tables = {{grid_options, offsetof(sweep_args, grid), "Grid"},
               {fixed_options, offsetof(sweep_args, fixed), "Every point"},
               {ridge_options_output, offsetof(sweep_args, output), "Output"},
               {ridge_options_machines, offsetof(sweep_args, machines), "Machines"},
               {ridge_options_catalog, offsetof(sweep_args, catalog), "Catalog"}},
    .args_size = sizeof(sweep_args),
    .defaults = &defaults,
    .run = run,
};
