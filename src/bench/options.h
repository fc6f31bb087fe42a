/* options.h - what is asked of a benchmark: what is measured and how; `ridge bench` and `ridge compare` have these options. */
#ifndef RIDGE_BENCH_OPTIONS_H
#define RIDGE_BENCH_OPTIONS_H

#include "bench/problem.h"
#include "measure/threads.h"
#include "model/analysis.h"

#define RIDGE_BENCH_CACHE_LIST(X)                                                                                                          \
    X(USUAL, "usual") /* gemv, embedding, attention of one token: cold; others hot */                                                      \
    X(HOT, "hot")                                                                                                                          \
    X(COLD, "cold")                                                                                                                        \
    X(BOTH, "both")
typedef enum ridge_bench_cache {
#define X(code, name) RIDGE_BENCH_##code,
    RIDGE_BENCH_CACHE_LIST(X)
#undef X
} ridge_bench_cache;

typedef struct ridge_bench_request {
    const char *kind, *suite, *model; /* one of them: a kind of kernel, a shipped suite, a model's kernels */
    int64_t sizes[RIDGE_BENCH_SIZES]; /* RIDGE_UNSET: not given */
    bool causal;
    ridge_formats dtypes;                 /* a case each; n 0: the default of the kind */
    const ridge_format *activations, *kv; /* NULL: the defaults of the kind */
    bool all_formats;
    ridge_phase phase; /* of a model: prefill or decode */
    bool layer;        /* of a model: one of its layers */
    ridge_threads threads;
    ridge_bench_cache cache;
    const char *variant, *provider; /* NULL: any */
    bool all_variants;              /* else of each provider the one expected best */
    double budget_s;                /* of a row, all rounds and the ceilings beside it included */
    double ceilings_budget_s;       /* of the ceilings before the rows; RIDGE_UNSET: 4 per thread count */
    int64_t rounds; /* times that all rows are measured, one after the other; RIDGE_UNSET: RIDGE_BENCH_ROUNDS, 1 for one case */
    int64_t bandwidth_bytes_per_s; /* told for the theory (machine.h); RIDGE_UNSET: not told */
} ridge_bench_request;

extern const ridge_option ridge_options_bench_shape[]; /* sizes */
extern const ridge_option ridge_options_bench_what[];  /* formats, suite, model */
extern const ridge_option ridge_options_bench_how[];   /* threads, variants, budgets */

#endif
