/* cases.h - what is benchmarked: one kernel, all its formats, the shipped suite, the kernels of a model.
 * In: names, a problem, a model. Out: cases in the caller's arena. docs/bench.md
 * Fails (USAGE) on names nobody has, with the nearest; else as ridge_analysis_exact does. */
#ifndef RIDGE_BENCH_CASES_H
#define RIDGE_BENCH_CASES_H

#include "bench/problem.h"

typedef enum ridge_bench_cache {
    RIDGE_BENCH_USUAL, /* gemv, embedding, attention of one token: cold; others hot */
    RIDGE_BENCH_HOT,
    RIDGE_BENCH_COLD,
    RIDGE_BENCH_BOTH
} ridge_bench_cache;

typedef struct ridge_bench_case {
    ridge_problem problem;
    ridge_int count;   /* runs in one pass of a model; 1 */
    const char *where; /* rows of the model that run it; NULL */
    ridge_bench_cache cache;
} ridge_bench_case;

ridge_status ridge_bench_kind_find(ridge_kernel_kind *out, const char *name, ridge_err *err);
/* one case per format that some variant here takes with this problem; the problem's own format first. In the arena. */
ridge_status ridge_bench_all_formats(ridge_bench_case **out, size_t *count, const ridge_bench_case *first, ridge_arena *arena,
                                     ridge_err *err);
/* the shipped suite: formats x shapes x kinds. USAGE, with the nearest, where there is none of the name */
ridge_status ridge_bench_suite(ridge_bench_case **out, size_t *count, const char *name, ridge_arena *arena, ridge_err *err);
struct ridge_model_request;
/* the distinct products with weights, and attentions, of one pass of a model; weights and K, V in the request's formats, activations as
 * given. A product with one row is a gemv. `layer`: of one of the layers that repeat. */
ridge_status ridge_bench_model(ridge_bench_case **out, size_t *count, const struct ridge_model_request *model, bool layer,
                               const ridge_format *activations, ridge_registry *registry, ridge_arena *arena, ridge_err *err);

#endif
