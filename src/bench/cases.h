/* cases.h - what is benchmarked: one kernel, all its formats, the shipped suite, the kernels of a model.
 * In: a request (bench/options.h). Out: cases in the caller's arena. docs/bench.md
 * Fails (USAGE) on options that do not fit together and on names nobody has, with the nearest; else as ridge_analysis_exact does. */
#ifndef RIDGE_BENCH_CASES_H
#define RIDGE_BENCH_CASES_H

#include "bench/options.h"
#include "bench/problem.h"

typedef struct ridge_bench_case {
    ridge_problem problem;
    ridge_int count;   /* runs in one pass of a model; 1 */
    const char *where; /* rows of the model that run it; NULL */
    ridge_bench_cache cache;
} ridge_bench_case;

typedef struct ridge_bench_cases {
    ridge_bench_case *items;
    size_t count;
    bool some;            /* those that no variant takes are left out: all formats, suites, models */
    ridge_words slow;     /* formats left out of all: only plain C takes them here, which is some hundred times slower */
    ridge_words warnings; /* of a model: options that have no effect on it */
} ridge_bench_cases;

ridge_status ridge_bench_cases_make(ridge_bench_cases *out, const ridge_bench_request *request, ridge_ops *ops, ridge_arena *arena,
                                    ridge_err *err);

/* ---- one kind of them ---- */
/* USAGE, with the nearest */
ridge_status ridge_bench_kind_find(ridge_kernel_kind *out, const char *name, ridge_err *err);
/* the shipped suite: formats x shapes x kinds. USAGE where there is none of the name */
ridge_status ridge_bench_suite(ridge_bench_cases *out, const char *name, ridge_arena *arena, ridge_err *err);
struct ridge_model_request;
/* the distinct products with weights, and attentions, of one pass of a model; weights and K, V in the request's formats, activations as
 * given. A product with one row is a gemv. `layer`: of one of the layers that repeat. */
ridge_status ridge_bench_model(ridge_bench_cases *out, const struct ridge_model_request *model, bool layer, const ridge_format *activations,
                               ridge_registry *registry, ridge_arena *arena, ridge_err *err);

#endif
