#include "cli/bench.h"

#include <unistd.h>

#include "model/analysis.h"
#include "cli/interrupt.h"
#include "cli/threads.h"
#include "measure/placement.h"

#define NAMED(member, name, help) RIDGE_INT(ridge_bench_shape_args, sizes[RIDGE_BENCH_##member], name, 0, "N", 1, (int64_t)1 << 40, help)

const ridge_option ridge_options_bench_shape[] = {
    NAMED(m, "m", "gemm: rows of activations"),
    NAMED(n, "n", "gemv, gemm: rows of W; embedding: rows of the table"),
    NAMED(k, "k", "gemv, gemm: columns of W, the reduction"),
    NAMED(rows, "rows", "norms, softmax, silu, gelu, add, rope: rows; embedding: rows looked up"),
    NAMED(cols, "cols", "... elements of a row"),
    NAMED(batch, "batch", "attention, a model: sequences (default 1)"),
    NAMED(seq, "seq", "attention, wkv, a model: new tokens per sequence"),
    NAMED(past, "past", "attention, rope, a model's decode: tokens before them"),
    NAMED(kv_len, "kv-len", "attention: keys per sequence, in place of --past"),
    NAMED(heads, "heads", "attention, rope: query heads"),
    NAMED(kv_heads, "kv-heads", "attention: key and value heads (default: heads)"),
    NAMED(head_dim, "head-dim", "attention, rope: length of a head"),
    RIDGE_FLAG(ridge_bench_shape_args, causal, "causal", 0, "attention: a token sees none after it"),
    RIDGE_OPTION_END,
};

static const char *const phases[] = {"prefill", "decode", NULL};
const ridge_option ridge_options_bench_what[] = {
    RIDGE_FORMAT(ridge_bench_how_args, dtype, "dtype", 0, "format of the weights, of K and V (default: bf16, or that of the activations)"),
    RIDGE_FORMAT(ridge_bench_how_args, activations, "activations", 0, "format of everything else: fp32 (default), bf16, fp16"),
    RIDGE_FLAG(ridge_bench_how_args, all_formats, "all-formats", 0, "a row for --dtype, then for every other format that has a kernel"),
    RIDGE_STRING(ridge_bench_how_args, suite, "suite", 0, "NAME", "the shipped suite: cpu"),
    RIDGE_STRING(ridge_bench_how_args, model, "model", 0, "MODEL", "the distinct products and attentions of one pass of a model"),
    RIDGE_CHOICE(ridge_bench_how_args, phase, "phase", 0, phases, "of the model: decode (default) or prefill"),
    RIDGE_FLAG(ridge_bench_how_args, layer, "layer", 0, "of the model: one of its layers"),
    RIDGE_FORMAT(ridge_bench_how_args, kv, "kv", 0, "of the model: format of K and V (default: that of the activations)"),
    RIDGE_OPTION_END,
};

static const char *const caches[] = {"usual", "hot", "cold", "both", NULL};
const ridge_option ridge_options_bench_how[] = {
    RIDGE_STRING(ridge_bench_how_args, threads, "threads", 't', "N,...", "numbers of threads (default 1)"),
    RIDGE_CHOICE(ridge_bench_how_args, cache, "cache", 0, caches,
                 "hot: operands in cache; cold: from memory; both; usual (default): cold where weights are read once"),
    RIDGE_STRING(ridge_bench_how_args, variant, "variant", 0, "NAME", "this implementation: generic, avx2, ..."),
    RIDGE_STRING(ridge_bench_how_args, provider, "provider", 0, "NAME", "the best of this provider: ridge, ..."),
    RIDGE_FLAG(ridge_bench_how_args, all_variants, "all-variants", 0, "every implementation (default: the best of each provider)"),
    RIDGE_BUDGET(ridge_bench_how_args, budget, "budget", 0, "time a row may take, all its rounds together (default 1s)"),
    RIDGE_INT(ridge_bench_how_args, rounds, "rounds", 0, "N", 1, RIDGE_ROUNDS_MOST,
              "times that all rows are measured in turn, for intervals that a later run agrees with (default 5; 1 for one kernel)"),
    RIDGE_BUDGET(ridge_bench_how_args, ceilings_budget, "ceilings-budget", 0,
                 "seconds for the machine's ceilings (default 4 per number of threads)"),
    RIDGE_INT(ridge_bench_how_args, bandwidth, "bandwidth", 0, "N", 1000000, INT64_MAX,
              "bytes per second of main memory as its maker tells, for the prediction before calibration"),
    RIDGE_FLAG(ridge_bench_how_args, no_store, "no-store", 0, "do not keep the rows"),
    RIDGE_OPTION_END,
};

/* ---- what to measure ---- */

static bool has_weights(ridge_kernel_kind kind)
{
    return kind == RIDGE_KERNEL_KIND_GEMV || kind == RIDGE_KERNEL_KIND_GEMM || kind == RIDGE_KERNEL_KIND_EMBEDDING ||
           kind == RIDGE_KERNEL_KIND_ATTENTION;
}

/* what has no weights is all in one format, whichever option named it */
static ridge_status set_formats(ridge_problem *p, const ridge_bench_how_args *how, ridge_err *err)
{
    const ridge_format *fp32 = ridge_format_find(RIDGE_STR("fp32")), *bf16 = ridge_format_find(RIDGE_STR("bf16"));
    bool weights = has_weights(p->kind);
    if (!weights && how->dtype && how->activations && how->dtype != how->activations)
        return ridge_fail(err, RIDGE_USAGE, "%s has no weights: --dtype and --activations are one format",
                          ridge_kernel_kind_names[p->kind]);
    if (!weights && how->all_formats)
        return ridge_fail(err, RIDGE_USAGE, "%s has no weights: --all-formats has nothing to go through", ridge_kernel_kind_names[p->kind]);
    p->activations = how->activations ? how->activations : !weights && how->dtype ? how->dtype : fp32;
    p->weights = how->dtype && weights ? how->dtype : weights && p->kind != RIDGE_KERNEL_KIND_ATTENTION ? bf16 : p->activations;
    return RIDGE_OK;
}

static ridge_status kind_cases(ridge_bench_case **cases, size_t *count, const ridge_bench_args *args, ridge_arena *arena, ridge_err *err)
{
    ridge_bench_case *c = *cases = ridge_arena_alloc(arena, sizeof *c);
    if (!c)
        return ridge_no_memory(err);
    *c = (ridge_bench_case){.count = 1, .cache = (ridge_bench_cache)args->how.cache};
    *count = 1;
    ridge_status st = ridge_bench_kind_find(&c->problem.kind, args->kind.items[0], err);
    if (st || (st = set_formats(&c->problem, &args->how, err)) ||
        (st = ridge_bench_problem_sizes(&c->problem, args->shape.sizes, args->shape.causal, err)))
        return st;
    return args->how.all_formats ? ridge_bench_all_formats(cases, count, c, arena, err) : RIDGE_OK;
}

static ridge_status model_cases(ridge_bench_case **cases, size_t *count, const ridge_bench_args *args, ridge_ops *ops, ridge_arena *arena,
                                ridge_err *err)
{
    static const ridge_bench_size known[] = {RIDGE_BENCH_batch, RIDGE_BENCH_seq, RIDGE_BENCH_past};
    const ridge_bench_how_args *how = &args->how;
    const int64_t *sizes = args->shape.sizes;
    ridge_request request;
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++)
        if (sizes[i] != 0 && i != known[0] && i != known[1] && i != known[2])
            return ridge_fail(err, RIDGE_USAGE, "--%s is a kernel's; a model takes --batch, --seq and --past", ridge_bench_size_options[i]);
    const ridge_format *activations = how->activations ? how->activations : ridge_format_find(RIDGE_STR("fp32"));
    ridge_request_default(&request);
    request.model = how->model;
    request.phase = how->phase == 0 ? RIDGE_PHASE_PREFILL : RIDGE_PHASE_DECODE;
    request.batch = sizes[RIDGE_BENCH_batch] ? sizes[RIDGE_BENCH_batch] : RIDGE_UNSET;
    request.seq = sizes[RIDGE_BENCH_seq] ? sizes[RIDGE_BENCH_seq] : RIDGE_UNSET;
    request.past = sizes[RIDGE_BENCH_past] ? sizes[RIDGE_BENCH_past] : RIDGE_UNSET;
    request.weights = how->dtype ? how->dtype->name : NULL;
    request.activations = activations->name;
    request.kv = how->kv ? how->kv->name : activations->name;
    request.causal = true;
    request.kernel = RIDGE_KERNEL_FUSED;
    request.lm_head_last = true;
    ridge_status st = ridge_bench_model(cases, count, &request, how->layer, activations, ops->registry, arena, err);
    for (size_t i = 0; i < *count && !st; i++)
        (*cases)[i].cache = (ridge_bench_cache)how->cache;
    return st;
}

static ridge_status suite_cases(ridge_bench_case **cases, size_t *count, const ridge_bench_args *args, ridge_arena *arena, ridge_err *err)
{
    const ridge_bench_how_args *how = &args->how;
    if (how->dtype || how->activations || how->all_formats)
        return ridge_fail(err, RIDGE_USAGE, "--suite has its own formats: leave --dtype, --activations and --all-formats out");
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++)
        if (args->shape.sizes[i] != 0)
            return ridge_fail(err, RIDGE_USAGE, "--suite has its own shapes: leave --%s out", ridge_bench_size_options[i]);
    ridge_status st = ridge_bench_suite(cases, count, how->suite, arena, err);
    for (size_t i = 0; i < *count && !st && how->cache != RIDGE_BENCH_USUAL; i++)
        (*cases)[i].cache = (ridge_bench_cache)how->cache;
    return st;
}

static ridge_status make_cases(ridge_bench_case **cases, size_t *count, const ridge_bench_args *args, ridge_ops *ops, ridge_arena *arena,
                               ridge_err *err)
{
    const ridge_bench_how_args *how = &args->how;
    int asked = (args->kind.count > 0) + (how->suite != NULL) + (how->model != NULL);
    *count = 0;
    if (asked != 1)
        return ridge_fail(err, RIDGE_USAGE, "%s: a KIND of kernel, --suite NAME or --model MODEL",
                          asked == 0 ? "nothing to measure" : "one of these at a time");
    if (how->layer && !how->model)
        return ridge_fail(err, RIDGE_USAGE, "--layer is one of a model: name it with --model");
    if (how->suite)
        return suite_cases(cases, count, args, arena, err);
    return how->model ? model_cases(cases, count, args, ops, arena, err) : kind_cases(cases, count, args, arena, err);
}

/* ---- the run ---- */

static void progress(void *context, const char *what, size_t done, size_t total)
{
    ridge_io *io = context;
    (void)fprintf(io->err, "\r\033[K%3zu/%zu %.*s", done, total, io->width > 16 ? io->width - 16 : 64, what);
    (void)fflush(io->err);
}

static ridge_status measure(ridge_bench *out, ridge_io *io, ridge_bench_request *request, ridge_ops *ops, ridge_err *err)
{
    struct sigaction before;
    bool shown = isatty(fileno(io->err)) == 1;
    if (shown) {
        request->progress = progress;
        request->context = io;
    }
    ridge_threads_warn(io, request->threads[request->thread_count - 1], ridge_placement_cpus());
    ridge_interrupt_catch(&before);
    ridge_status st = ridge_bench_run(out, request, ops, &io->arena, err);
    ridge_interrupt_release(&before);
    io->interrupted = out->interrupted;
    if (shown)
        (void)fprintf(io->err, "\r\033[K");
    return st;
}

/* What was measured took time: where it cannot be kept, it is shown all the same. */
static void store(int64_t *run, ridge_io *io, const ridge_bench *bench, const ridge_bench_args *args, const ridge_bench_request *request,
                  const char *started)
{
    ridge_err err = {0};
    ridge_measured_row *rows;
    size_t count;
    double budget = request->budget_s > 0 ? request->budget_s : 1;
    ridge_store_run what = {
        .machine = bench->machine->fingerprint,
        .machine_text = bench->machine->text,
        .started = started,
        .interrupted = bench->interrupted,
        .settings = ridge_arena_printf(&io->arena, "{\"budget_s\": %.6g, \"rounds\": %u, \"pinned\": true}", budget, bench->rounds)};
    ridge_status st = ridge_bench_measured(&rows, &count, bench, &io->arena, &err);
    if (st)
        ridge_io_warn(io, "these rows are not stored: %s", err.msg);
    else
        ridge_store_keep(run, io, args->store.db, &what, rows, count);
}

ridge_status ridge_bench_args_run(ridge_bench *out, int64_t *run, ridge_io *io, const ridge_bench_args *args, ridge_err *err)
{
    const ridge_bench_how_args *how = &args->how;
    unsigned threads[RIDGE_THREADS_COUNTS];
    char started[RIDGE_STORE_DATE_CHARS];
    ridge_bench_case *cases;
    ridge_ops ops = {0};
    ridge_bench_request request = {.threads = threads,
                                   .variant = how->variant,
                                   .provider = how->provider,
                                   .all_variants = how->all_variants,
                                   .budget_s = how->budget,
                                   .rounds = (unsigned)how->rounds,
                                   .ceilings_budget_s = how->ceilings_budget,
                                   .bandwidth_bytes_per_s = how->bandwidth,
                                   .skip_unsupported = how->suite || how->model || how->all_formats};
    ridge_status st = ridge_threads_read(threads, &request.thread_count, how->threads ? how->threads : "1", err);
    *run = 0;
    if (st || (st = ridge_isa_check(err)) || (st = ridge_ops_open(&ops, err)))
        return st;
    if (!(st = make_cases(&cases, &request.case_count, args, &ops, &io->arena, err))) {
        request.cases = cases;
        ridge_store_now(started);
        st = measure(out, io, &request, &ops, err);
    }
    ridge_ops_close(&ops);
    if (!st && !how->no_store)
        store(run, io, out, args, &request, started);
    return st;
}

ridge_status ridge_bench_args_verdict(const ridge_bench *bench, ridge_err *err)
{
    size_t wrong = bench->row_count - bench->timed;
    if (wrong > 0)
        return ridge_fail(err, RIDGE_CHECK, "%zu of %zu variants %s wrong", wrong, bench->row_count, wrong == 1 ? "is" : "are");
    if (bench->failed_count > 0)
        return ridge_fail(err, bench->failed[0].status, "%zu case%s could not be measured; the first: %s", bench->failed_count,
                          bench->failed_count == 1 ? "" : "s", bench->failed[0].why);
    return RIDGE_OK;
}
