#include "bench/options.h"

#include "measure/rounds.h"

#define OF ridge_bench_request

const ridge_option ridge_options_bench_shape[] = {
#define X(member, name, help) RIDGE_INT(OF, sizes[RIDGE_BENCH_##member], name, 0, "N", 1, (int64_t)1 << 40, help),
    RIDGE_BENCH_SIZE_LIST(X)
#undef X
        RIDGE_FLAG(OF, causal, "causal", 0, "attention: a token sees none after it"),
    RIDGE_OPTION_END,
};

static const char *const phases[] = {"prefill", "decode", NULL}; /* the first of ridge_phase */
const ridge_option ridge_options_bench_what[] = {
    RIDGE_FORMATS(OF, dtypes, "dtype", 0,
                  "format of the weights, of K and V, several: a row each (default: bf16, or that of the activations)"),
    RIDGE_FORMAT(OF, activations, "activations", 0, "format of everything else: fp32 (default), bf16, fp16", .needs = "!frameworks"),
    RIDGE_FLAG(OF, all_formats, "all-formats", 0, "a row for " RIDGE_OPT("dtype") ", then for every other format that has a kernel",
               .needs = "!frameworks"),
    RIDGE_STRING(OF, suite, "suite", 0, "NAME", "the shipped suite: cpu", .needs = "!frameworks"),
    RIDGE_STRING(OF, model, "model", 0, "MODEL", "the distinct products and attentions of one pass of a model", .reach = RIDGE_REACH_MODEL),
    RIDGE_CHOICE(OF, phase, "phase", 0, phases, "of the model", .fallback = "decode", .needs = "model|frameworks"),
    RIDGE_FLAG(OF, layer, "layer", 0, "of the model: one of its layers", .needs = "model !frameworks"),
    RIDGE_FORMAT(OF, kv, "kv", 0, "of the model: format of K and V (default: that of the activations)", .needs = "model !frameworks"),
    RIDGE_OPTION_END,
};

static const char *const caches[] = {RIDGE_BENCH_CACHE_LIST(RIDGE_WORD_TEXT) NULL};
const ridge_option ridge_options_bench_how[] = {
    RIDGE_OTHER(OF, threads, ridge_threads, "threads", 't', "N,...", ridge_threads_read, "numbers of threads", .fallback = "1"),
    RIDGE_CHOICE(OF, cache, "cache", 0, caches, "hot: operands in cache; cold: from memory; usual: cold where weights are read once",
                 .fallback = "usual", .needs = "!frameworks"),
    RIDGE_STRING(OF, variant, "variant", 0, "NAME", "this implementation: generic, avx2, ...", .needs = "!frameworks"),
    RIDGE_STRING(OF, provider, "provider", 0, "NAME", "the best of this provider: ridge, ...", .needs = "!frameworks"),
    RIDGE_FLAG(OF, all_variants, "all-variants", 0, "every implementation (default: the best of each provider)", .needs = "!frameworks"),
    RIDGE_BUDGET(OF, budget_s, "budget", 0, "time a row may take, all its rounds together", .fallback = "1s"),
    RIDGE_INT(OF, rounds, "rounds", 0, "N", 1, RIDGE_ROUNDS_MOST,
              "times that all rows are measured in turn, for intervals that a later run agrees with (default 5; 1 for one kernel)"),
    RIDGE_BUDGET(OF, ceilings_budget_s, "ceilings-budget", 0, "time for the machine's ceilings (default 4s per number of threads)"),
    RIDGE_INT(OF, bandwidth_bytes_per_s, "bandwidth", 0, "N", 1000000, INT64_MAX,
              "of main memory as its maker tells, for the prediction before calibration", .unit = "bytes/s", .needs = "!frameworks"),
    RIDGE_OPTION_END,
};
