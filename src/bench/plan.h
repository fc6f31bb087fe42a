/* plan.h - what a benchmark runs of one case: its cost, which variants, from which caches. Internal to src/bench.
 * In: a request, a case. Out: a plan in the arena. Fails (USAGE, NAME, UNKNOWN) where no variant is what was asked for. */
#ifndef RIDGE_BENCH_PLAN_H
#define RIDGE_BENCH_PLAN_H

#include "bench/bench.h"

typedef struct ridge_bench_plan {
    const ridge_bench_case *of;
    ridge_bench_cost cost;
    ridge_int dense_flops; /* attention with masked pairs: of all pairs; else 0 */
    const ridge_kernel_variant **variants;
    size_t variant_count; /* 0: the case is left out */
    ridge_cache_state caches[2];
    size_t cache_count;
    const char *shape, *shape_json;
} ridge_bench_plan;

/* what a run was asked for, and where its things live */
typedef struct ridge_bench_asked {
    const ridge_bench_request *request;
    const ridge_bench_cases *cases;
    const ridge_bench_extras *extras;
    ridge_ops *ops;
    ridge_arena *arena;
    ridge_err *err; /* not NULL */
} ridge_bench_asked;

/* NAME where the request names a variant or provider that no kernel of its cases' kinds has */
ridge_status ridge_bench_check_names(const ridge_bench_asked *asked);
ridge_status ridge_bench_plan_case(ridge_bench_plan *out, const ridge_bench_asked *asked, const ridge_bench_case *of);

#endif
