/* ridge profile: the parts of attention, of a layer, of a model, timed apart on this machine (profile/profile.h). */
#include <stdio.h>
#include <unistd.h>

#include "profile/rows.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/picture.h"
#include "cli/store.h"
#include "cli/threads.h"
#include "measure/placement.h"
#include "cli/workload.h"

enum { TRACE_EVENTS = 1 << 14 };

typedef struct profile_args {
    ridge_words model;
    ridge_output_args output;
    ridge_catalog_args catalog;
    ridge_picture_args pictures;
    ridge_keep_args keep;
    struct profile_sizes {
        int64_t hidden, heads, kv_heads, head_dim, intermediate;
        bool rwkv, layernorm, plain_mlp;
    } sizes;
    struct profile_run {
        ridge_phase phase;
        int64_t batch, seq, past, threads, optimize;
        const ridge_format *dtype, *activations;
        int cache;
        double budget_s;
        const char *trace;
    } run;
} profile_args;

#define SIZE(member, name, help) RIDGE_INT(struct profile_sizes, member, name, 0, "N", 1, (int64_t)1 << 24, help)
#define SIZES                                                                                                                              \
    SIZE(hidden, "hidden", "length of the residual stream"), SIZE(heads, "heads", "query heads"),                                          \
        SIZE(kv_heads, "kv-heads", "key and value heads (default: heads)"),                                                                \
        SIZE(head_dim, "head-dim", "length of a head (default: hidden / heads)"),                                                          \
        RIDGE_FLAG(struct profile_sizes, rwkv, "rwkv", 0, "RWKV-4: linear attention, wkv, no heads")

static const ridge_option attention_sizes[] = {SIZES, RIDGE_OPTION_END};
static const ridge_option layer_sizes[] = {
    SIZES,
    SIZE(intermediate, "intermediate", "length inside the MLP"),
    RIDGE_FLAG(struct profile_sizes, layernorm, "layernorm", 0, "LayerNorm instead of RMSNorm"),
    RIDGE_FLAG(struct profile_sizes, plain_mlp, "plain-mlp", 0, "up, GELU, down instead of a gated MLP with SiLU"),
    RIDGE_OPTION_END,
};

static const char *const phases[] = {"prefill", "decode", NULL};
static const char *const caches[] = {"hot", "cold", NULL};

#define RUN_OPTIONS                                                                                                                        \
    RIDGE_CHOICE(struct profile_run, phase, "phase", 0, phases, "what is run (default decode)"),                                           \
        RIDGE_INT(struct profile_run, batch, "batch", 0, "N", 1, 1 << 20, "sequences at once (default 1)"),                                \
        RIDGE_INT(struct profile_run, seq, "seq", 0, "N", 1, 1 << 24, "new tokens per sequence (default: decode 1, prefill 512)"),         \
        RIDGE_INT(struct profile_run, past, "past", 0, "N", 0, (int64_t)1 << 32,                                                           \
                  "tokens already in the cache (default: decode 512, prefill 0)"),                                                         \
        RIDGE_FORMAT(struct profile_run, dtype, "dtype", 0, "format of the weights (default bf16)"),                                       \
        RIDGE_FORMAT(struct profile_run, activations, "activations", 0,                                                                    \
                     "of activations, K and V (default: --dtype where that is fp32, bf16 or fp16, else fp32)"),                            \
        RIDGE_INT(struct profile_run, threads, "threads", 't', "N", 1, RIDGE_THREADS_MOST, "threads (default: all CPUs of the process)"),  \
        RIDGE_CHOICE(struct profile_run, cache, "cache", 0, caches, "weights and KV from memory, as in a run (cold), or as they lie"),     \
        RIDGE_BUDGET(struct profile_run, budget_s, "budget", 0, "time to spend, about (default 8s)"),                                      \
        RIDGE_STRING(struct profile_run, trace, "trace", 0, "FILE", "write a timeline for chrome://tracing or Perfetto")

static const ridge_option attention_options[] = {
    RUN_OPTIONS,
    RIDGE_INT(struct profile_run, optimize, "optimize", 0, "LEVEL", 0, 3,
              "also as one kernel: 0 naive, 1 and blocked, 2 and fused, 3 and flash, with gain and error"),
    RIDGE_OPTION_END,
};
static const ridge_option run_options[] = {RUN_OPTIONS, RIDGE_OPTION_END};

/* ---- progress, trace ---- */

static void progress(void *context, const char *what, size_t done, size_t total)
{
    ridge_io *io = context;
    (void)fprintf(io->err, "\r\033[K%3zu %% %s", 100 * done / total, what);
    (void)fflush(io->err);
}

static unsigned threads_of(const struct profile_run *run)
{
    return run->threads > 0 ? (unsigned)run->threads : ridge_placement_cpus();
}

static ridge_status write_trace(const char *path, const ridge_trace *trace, ridge_err *err)
{
    ridge_buf text = {0};
    ridge_status st = ridge_trace_json(&text, trace, err);
    if (!st)
        st = ridge_file_write_atomic(path, (ridge_str){text.p, text.n}, err);
    ridge_buf_free(&text);
    return st;
}

/* ---- the answer ---- */

static ridge_status print(ridge_io *io, const profile_args *args, const ridge_profile *p, ridge_err *err)
{
    int width = io->terminal ? io->width : 0;
    switch (args->output.as) {
    case RIDGE_OUTPUT_JSON:
        ridge_profile_json(&io->data, p);
        return RIDGE_OK;
    case RIDGE_OUTPUT_CSV:
        return ridge_profile_table(&io->data, p, RIDGE_FORM_CSV, 0, &io->arena, err);
    case RIDGE_OUTPUT_MARKDOWN:
        return ridge_profile_table(&io->data, p, RIDGE_FORM_MARKDOWN, 0, &io->arena, err);
    case RIDGE_OUTPUT_TEXT:
        break;
    }
    return ridge_profile_text(&io->data, p, width, &io->arena, err);
}

/* files first: an error then leaves no answer */
static ridge_status answer(ridge_io *io, const profile_args *args, const ridge_profile *p, const ridge_trace *trace, int64_t run,
                           ridge_err *err)
{
    ridge_plot plot;
    ridge_buf picture = {0};
    ridge_status st = trace ? write_trace(args->run.trace, trace, err) : RIDGE_OK;
    if (!st && ridge_picture_wanted(&args->pictures) && !(st = ridge_profile_picture(&plot, p, &io->arena, err)))
        st = ridge_picture_draw(&picture, io, &args->pictures, &plot, err);
    if (!st && !(st = print(io, args, p, err)))
        ridge_store_tell(io, args->output.as, run);
    if (!st && picture.n > 0 && args->output.as == RIDGE_OUTPUT_TEXT) {
        ridge_buf_addc(&io->data, '\n');
        ridge_buf_add(&io->data, (ridge_str){picture.p, picture.n});
    }
    ridge_buf_free(&picture);
    return st;
}

static void make_request(ridge_profile_request *q, ridge_profile_what what, const profile_args *args, ridge_trace *trace)
{
    const struct profile_sizes *s = &args->sizes;
    ridge_profile_default(q);
    q->what = what;
    q->model = args->model.count > 0 ? args->model.items[0] : NULL;
    q->shape = (ridge_profile_shape){.hidden = s->hidden,
                                     .heads = s->heads,
                                     .kv_heads = s->kv_heads,
                                     .head_dim = s->head_dim,
                                     .intermediate = s->intermediate,
                                     .rwkv = s->rwkv,
                                     .layernorm = s->layernorm,
                                     .plain_mlp = s->plain_mlp,
                                     .rope = true};
    q->phase = args->run.phase;
    q->batch = args->run.batch;
    q->seq = args->run.seq;
    q->past = args->run.past;
    q->weights = args->run.dtype;
    q->activations = args->run.activations;
    q->threads = threads_of(&args->run);
    q->cache = (ridge_cache_state)args->run.cache;
    q->optimize = (int)args->run.optimize;
    q->budget_s = args->run.budget_s;
    q->trace = trace;
}

/* where it cannot be kept, it is shown all the same */
static void keep(int64_t *run, ridge_io *io, const profile_args *args, const ridge_profile *p, ridge_ops *ops, const char *started)
{
    double budget_s = p->request->budget_s > 0 ? p->request->budget_s : 8;
    ridge_err err = {0};
    ridge_measured_row *rows;
    size_t count;
    const ridge_store_run what = {.started = started,
                                  .machine = p->machine->fingerprint,
                                  .machine_text = p->machine->text,
                                  .interrupted = p->interrupted,
                                  .settings = ridge_arena_printf(&io->arena, "{\"budget_s\": %.6g, \"pinned\": true}", budget_s)};
    if (ridge_profile_rows(&rows, &count, p, ops, &io->arena, &err))
        ridge_io_warn(io, "these rows are not stored: %s", err.msg);
    else
        ridge_store_keep(run, io, args->keep.db, &what, rows, count);
}

static ridge_status measure(ridge_profile *out, ridge_io *io, ridge_profile_request *q, ridge_registry *registry, ridge_ops *ops,
                            ridge_err *err)
{
    struct sigaction before;
    bool shown = isatty(fileno(io->err)) == 1;
    if (shown) {
        q->progress = progress;
        q->context = io;
    }
    ridge_threads_warn(io, q->threads, ridge_placement_cpus());
    ridge_interrupt_catch(&before);
    ridge_status st = ridge_profile_run(out, q, registry, ops, &io->arena, err);
    ridge_interrupt_release(&before);
    io->interrupted = !st && out->interrupted;
    if (shown)
        (void)fprintf(io->err, "\r\033[K");
    return st;
}

static ridge_status profile(ridge_io *io, ridge_profile_what what, const profile_args *args, ridge_err *err)
{
    ridge_profile_request q;
    ridge_profile p;
    ridge_ops ops;
    ridge_trace *trace = NULL;
    ridge_registry *registry = NULL;
    int64_t run = 0;
    char started[RIDGE_STORE_DATE_CHARS];
    ridge_status st = args->run.trace ? ridge_trace_make(&trace, threads_of(&args->run), TRACE_EVENTS, err) : RIDGE_OK;
    make_request(&q, what, args, trace);
    if (!st && q.model)
        st = ridge_catalog_open(&registry, &args->catalog, err);
    if (!st && !(st = ridge_ops_open(&ops, err))) {
        ridge_store_now(started);
        st = measure(&p, io, &q, registry, &ops, err);
        if (!st && !args->keep.no_store)
            keep(&run, io, args, &p, &ops, started);
        ridge_ops_close(&ops);
    }
    if (!st)
        st = answer(io, args, &p, trace, run, err);
    ridge_registry_close(registry);
    ridge_trace_free(trace);
    return st;
}

static ridge_status run_attention(ridge_io *io, const void *args, ridge_err *err)
{
    return profile(io, RIDGE_PROFILE_ATTENTION, args, err);
}

static ridge_status run_layer(ridge_io *io, const void *args, ridge_err *err)
{
    return profile(io, RIDGE_PROFILE_LAYER, args, err);
}

static ridge_status run_model(ridge_io *io, const void *args, ridge_err *err)
{
    return profile(io, RIDGE_PROFILE_MODEL, args, err);
}

/* ---- the commands ---- */

static const profile_args defaults = {.run = {.phase = RIDGE_PHASE_DECODE,
                                              .batch = RIDGE_UNSET,
                                              .seq = RIDGE_UNSET,
                                              .past = RIDGE_UNSET,
                                              .optimize = -1,
                                              .cache = RIDGE_CACHE_COLD}};

#define MODEL_HELP "a folder, a config.json, or an id such as meta-llama/Llama-2-7b-hf"
#define COMMON                                                                                                                             \
    RIDGE_TABLE(ridge_options_output, offsetof(profile_args, output), "Output"),                                                           \
        RIDGE_TABLE(ridge_options_plot, offsetof(profile_args, pictures), "Pictures"),                                                     \
        RIDGE_TABLE(ridge_options_keep, offsetof(profile_args, keep), "Measurements"),                                                     \
    {                                                                                                                                      \
        ridge_options_catalog, offsetof(profile_args, catalog), "Catalog"                                                                  \
    }

static const ridge_command profile_attention = {
    .name = "attention",
    .summary = "QKV projection, scores, softmax, weighted sum, output projection",
    .example = "ridge profile attention --hidden 4096 --heads 32 --phase prefill --seq 512 --optimize 3",
    .details = "Scores, softmax and weighted sum are three kernels here, over all pairs; --optimize runs attention as one kernel, causal.",
    .operands = RIDGE_OPERANDS(profile_args, model, "[MODEL]", 0, 1, MODEL_HELP),
    .tables =
        {
            RIDGE_TABLE(attention_sizes, offsetof(profile_args, sizes), "Sizes"),
            RIDGE_TABLE(attention_options, offsetof(profile_args, run), NULL),
            COMMON,
        },
    .args_size = sizeof(profile_args),
    .defaults = &defaults,
    .run = run_attention,
};
static const ridge_command profile_layer = {
    .name = "layer",
    .summary = "norms, projections, RoPE, attention, MLP, residuals of one layer",
    .example = "ridge profile layer meta-llama/Llama-2-7b-hf --dtype q4_K --past 2048",
    .operands = RIDGE_OPERANDS(profile_args, model, "[MODEL]", 0, 1, MODEL_HELP),
    .tables =
        {
            RIDGE_TABLE(layer_sizes, offsetof(profile_args, sizes), "Sizes"),
            RIDGE_TABLE(run_options, offsetof(profile_args, run), NULL),
            COMMON,
        },
    .args_size = sizeof(profile_args),
    .defaults = &defaults,
    .run = run_layer,
};
static const ridge_command profile_model = {
    .name = "model",
    .summary = "a pass of a whole model with random weights: distinct layers run, times their count",
    .example = "ridge profile model meta-llama/Llama-3.2-1B --dtype q4_K --phase decode --past 1024",
    .details = "One layer of each kind is in memory at a time, so models larger than the memory can be profiled. The rows are those of "
               "'ridge predict'; weights come from memory in each pass, as in a run over all layers.",
    .operands = RIDGE_OPERANDS(profile_args, model, "MODEL", 1, 1, MODEL_HELP),
    .tables =
        {
            RIDGE_TABLE(run_options, offsetof(profile_args, run), NULL),
            COMMON,
        },
    .args_size = sizeof(profile_args),
    .defaults = &defaults,
    .run = run_model,
};

static const ridge_command *const profiles[] = {&profile_attention, &profile_layer, &profile_model, NULL};

const ridge_command ridge_cmd_profile = {
    .name = "profile",
    .group = "Measuring",
    .summary = "where the time of attention, of a layer or of a model goes on this machine",
    .example = "ridge profile layer meta-llama/Llama-2-7b-hf --dtype q4_K",
    .details = "Every kernel is checked against a reference in double precision before it is timed; what bounds it follows from ceilings "
               "measured in the same run (docs/profile.md). Ctrl-C prints what is done and exits with 130.",
    .commands = profiles,
};
