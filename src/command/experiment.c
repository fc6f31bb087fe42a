/* ridge experiment: memory-vs-compute, quant-overhead and sweeps on this machine (experiment/experiment.h). */
#include <stdio.h>
#include <unistd.h>

#include "experiment/rows.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/picture.h"
#include "cli/store.h"
#include "cli/threads.h"
#include "measure/placement.h"
#include "measure/fingerprint.h"

enum { FORMATS_MOST = 32 };

typedef struct experiment_args {
    ridge_words name;
    ridge_output_args output;
    ridge_picture_args pictures;
    ridge_keep_args keep;
    struct experiment_run {
        int64_t n, k, m, threads, most;
        ridge_words formats;
        const ridge_format *activations;
        double budget_s;
    } run;
} experiment_args;

static const ridge_option run_options[] = {
    RIDGE_INT(struct experiment_run, n, "n", 0, "N", 1, (int64_t)1 << 24, "rows of W, length of y (default 4096)"),
    RIDGE_INT(struct experiment_run, k, "k", 0, "N", 1, (int64_t)1 << 24, "columns of W, length of x (default 4096)"),
    RIDGE_INT(struct experiment_run, m, "m", 0, "N", 1, 1 << 16, "most rows at once (default: tile-sweep 256, batch-sweep 512)"),
    RIDGE_LIST(struct experiment_run, formats, "format", 0, "FMT",
               "of the weights (default bf16; quant-overhead: repeatable, q8_0, q4_0, q4_K)"),
    RIDGE_FORMAT(struct experiment_run, activations, "activations", 0, "of x and y (default fp32)"),
    RIDGE_INT(struct experiment_run, threads, "threads", 't', "N", 1, RIDGE_THREADS_MOST, "threads (default: all CPUs of the process)"),
    RIDGE_INT(struct experiment_run, most, "most", 0, "BYTES", 1, (int64_t)1 << 40,
              "size-sweep: the largest working set (default: four times the last-level cache)"),
    RIDGE_BUDGET(struct experiment_run, budget_s, "budget", 0, "time to spend, about (default 6s)"),
    RIDGE_OPTION_END,
};

static const ridge_option picture_options[] = {
    RIDGE_STRING(ridge_picture_args, plot, "plot", 0, "FILE", "the result as a picture: .svg, .png or .pdf"),
    RIDGE_FLAG(ridge_picture_args, terminal, "curve", 0, "draw the picture below the answer"),
    RIDGE_FLAG(ridge_picture_args, dark, "dark", 0, "pictures on a dark ground (SVG follows the reader's choice by itself)"),
    RIDGE_FLAG(ridge_picture_args, ascii, "ascii", 0, "draw with ASCII characters alone"),
    RIDGE_OPTION_END,
};

static void progress(void *context, const char *what, size_t done, size_t total)
{
    ridge_io *io = context;
    (void)fprintf(io->err, "\r\033[K%3zu %% %s", 100 * done / total, what);
    (void)fflush(io->err);
}

/* "q8_0,q4_K", or --format several times */
static ridge_status read_formats(const ridge_format **out, size_t *count, const ridge_words *words, ridge_err *err)
{
    for (size_t i = 0; i < words->count; i++) {
        for (const char *at = words->items[i]; *at != '\0';) {
            size_t n = strcspn(at, ",");
            if (*count == FORMATS_MOST)
                return ridge_fail(err, RIDGE_USAGE, "--format: at most %d formats", FORMATS_MOST);
            ridge_status st = ridge_format_read(&out[*count], (ridge_str){at, n}, "--format", err);
            if (st)
                return st;
            ++*count;
            at += n + (at[n] == ',');
        }
    }
    return RIDGE_OK;
}

static ridge_status print(ridge_io *io, const experiment_args *args, const ridge_experiment *e, ridge_err *err)
{
    switch (args->output.as) {
    case RIDGE_OUTPUT_JSON:
        ridge_experiment_json(&io->data, e);
        return RIDGE_OK;
    case RIDGE_OUTPUT_CSV:
        return ridge_experiment_table(&io->data, e, RIDGE_FORM_CSV, 0, &io->arena, err);
    case RIDGE_OUTPUT_MARKDOWN:
        return ridge_experiment_table(&io->data, e, RIDGE_FORM_MARKDOWN, 0, &io->arena, err);
    case RIDGE_OUTPUT_TEXT:
        break;
    }
    return ridge_experiment_text(&io->data, e, io->terminal ? io->width : 0, &io->arena, err);
}

/* the picture's file first: an error then leaves no answer */
static ridge_status answer(ridge_io *io, const experiment_args *args, const ridge_experiment *e, int64_t kept, ridge_err *err)
{
    ridge_plot plot;
    ridge_buf picture = {0};
    ridge_status st = RIDGE_OK;
    bool drawn = ridge_picture_wanted(&args->pictures) && e->row_count > 0; /* none where Ctrl-C came before a point */
    if (drawn && !(st = ridge_experiment_picture(&plot, e, &io->arena, err)))
        st = ridge_picture_draw(&picture, io, &args->pictures, &plot, err);
    if (!st && !(st = print(io, args, e, err)))
        ridge_store_tell(io, args->output.as, kept);
    if (!st && picture.n > 0 && args->output.as == RIDGE_OUTPUT_TEXT) {
        ridge_buf_addc(&io->data, '\n');
        ridge_buf_add(&io->data, (ridge_str){picture.p, picture.n});
    }
    ridge_buf_free(&picture);
    return st;
}

/* where it cannot be kept, it is shown all the same */
static void keep(int64_t *kept, ridge_io *io, const experiment_args *args, const ridge_experiment *e, ridge_ops *ops, const char *started)
{
    const char *name = ridge_experiment_names[e->request->kind];
    double budget_s = e->request->budget_s > 0 ? e->request->budget_s : 6;
    ridge_err err = {0};
    ridge_fingerprint print;
    ridge_measured_row *rows;
    size_t count;
    ridge_store_run what = {.started = started, .interrupted = e->interrupted};
    what.settings = ridge_arena_printf(&io->arena, "{\"experiment\": \"%s\", \"budget_s\": %.6g, \"pinned\": true}", name, budget_s);
    ridge_status st = ridge_fingerprint_read(&print, &io->arena, &err);
    what.machine = print.digits;
    what.machine_text = print.text;
    if (!st)
        st = ridge_experiment_rows(&rows, &count, e, print.digits, ops, &io->arena, &err);
    if (st)
        ridge_io_warn(io, "these rows are not stored: %s", err.msg);
    else
        ridge_store_keep(kept, io, args->keep.db, &what, rows, count);
}

static ridge_status measure(ridge_experiment **out, ridge_io *io, ridge_experiment_request *q, ridge_ops *ops, ridge_err *err)
{
    struct sigaction before;
    bool shown = isatty(fileno(io->err)) == 1;
    if (shown)
        q->progress = progress;
    ridge_threads_warn(io, q->threads, ridge_placement_cpus());
    ridge_interrupt_catch(&before);
    ridge_status st = ridge_experiment_run(out, q, ops, &io->arena, err);
    ridge_interrupt_release(&before);
    io->interrupted = !st && (*out)->interrupted;
    if (shown)
        (void)fprintf(io->err, "\r\033[K");
    return st;
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const experiment_args *args = values;
    const ridge_format *formats[FORMATS_MOST];
    char started[RIDGE_STORE_DATE_CHARS];
    ridge_experiment *e;
    ridge_ops ops;
    int64_t kept = 0;
    ridge_experiment_request q = {.n = args->run.n,
                                  .k = args->run.k,
                                  .m = args->run.m,
                                  .formats = formats,
                                  .activations = args->run.activations,
                                  .threads = (unsigned)args->run.threads,
                                  .most_bytes = args->run.most,
                                  .budget_s = args->run.budget_s,
                                  .context = io};
    ridge_status st = ridge_experiment_find(&q.kind, args->name.items[0], err);
    if (st || (st = read_formats(formats, &q.format_count, &args->run.formats, err)) || (st = ridge_ops_open(&ops, err)))
        return st;
    ridge_store_now(started);
    st = measure(&e, io, &q, &ops, err);
    if (!st && !args->keep.no_store)
        keep(&kept, io, args, e, &ops, started);
    if (!st)
        st = answer(io, args, e, kept, err);
    ridge_ops_close(&ops);
    return st;
}

const ridge_command ridge_cmd_experiment = {
    .name = "experiment",
    .group = "Measuring",
    .summary = "what bounds products on this machine: memory or arithmetic, formats, tiles, threads, sizes, batches",
    .example = "ridge experiment memory-vs-compute --n 14336 --k 4096 --format q4_K",
    .details =
        "memory-vs-compute: reading, calculating and both, in turn. quant-overhead: 16 bits against quantised weights. tile-sweep: rows "
        "at once. thread-sweep: where memory is saturated. size-sweep: cache levels. batch-sweep: where GEMV turns into GEMM. Each "
        "ends in a sentence to act on (docs/experiments.md). Ctrl-C prints the points that are done and exits with 130.",
    .operands = RIDGE_OPERANDS(experiment_args, name, "NAME", 1, 1,
                               "memory-vs-compute, quant-overhead, tile-sweep, thread-sweep, size-sweep or batch-sweep"),
    .tables =
        {
            RIDGE_TABLE(run_options, offsetof(experiment_args, run), NULL),
            RIDGE_TABLE(ridge_options_keep, offsetof(experiment_args, keep), "Measurements"),
            RIDGE_TABLE(ridge_options_output, offsetof(experiment_args, output), "Output"),
            RIDGE_TABLE(picture_options, offsetof(experiment_args, pictures), "Pictures"),
        },
    .args_size = sizeof(experiment_args),
    .run = run,
};
