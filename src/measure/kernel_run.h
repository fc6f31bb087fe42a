/* kernel_run.h - a kernel made ready, proven right, then timed: operands, correctness gate, hot and cold runs.
 * In: a problem; for each variant threads, cache state, a budget. Out: statistics and the largest error against the reference.
 * A variant that is wrong is told (`right` false, with its error) and never timed. Operands are standard normal, quantised to their
 * formats; cold runs take the large operand from another place each call, over more memory than twice the last-level cache.
 * Fails (NOMEM) where the operands do not fit, (VALUE) on sizes that a kind does not take. */
#ifndef RIDGE_MEASURE_KERNEL_RUN_H
#define RIDGE_MEASURE_KERNEL_RUN_H

#include "measure/row.h"

/* the operands of one problem, shared by all variants that are tried on it */
typedef struct ridge_kernel_bench ridge_kernel_bench;
/* *out is NULL without an error where Ctrl-C (ridge_measure_interrupted) came before the operands were filled */
ridge_status ridge_kernel_bench_make(ridge_kernel_bench **out, const ridge_problem *problem, ridge_err *err);
void ridge_kernel_bench_free(ridge_kernel_bench *bench);

typedef struct ridge_kernel_result {
    bool stopped; /* by Ctrl-C, before it was known whether it is right; no other member is */
    bool right;
    double max_relative_error, tolerance; /* by the scale of ridge_kernel_tolerance */
    ridge_sample_statistics time;         /* where right */
    size_t packed_bytes;                  /* read instead of the weights; 0: none */
    unsigned places;                      /* that a cold run goes through */
    bool huge_pages;
    char library[160]; /* what computed it: library, version, its kernel (kernel/provider/provider.h); empty: Ridge */
} ridge_kernel_result;

ridge_status ridge_kernel_bench_check(ridge_kernel_result *out, ridge_kernel_bench *bench, const ridge_kernel_variant *variant,
                                      ridge_team *team, unsigned threads, ridge_err *err);
/* checks, then measures; the team has `threads` threads */
ridge_status ridge_kernel_bench_run(ridge_kernel_result *out, ridge_kernel_bench *bench, const ridge_kernel_variant *variant,
                                    ridge_team *team, unsigned threads, ridge_cache_state cache, const ridge_measure_options *options,
                                    ridge_err *err);
/* The same, with other works (ceilings) taking turns with the kernel sample by sample: beside_times[beside_count], for ratios. At most
 * RIDGE_KERNEL_BESIDE of them. */
enum { RIDGE_KERNEL_BESIDE = 3 };
typedef struct ridge_kernel_beside {
    ridge_work works[RIDGE_KERNEL_BESIDE];
    ridge_sample_statistics times[RIDGE_KERNEL_BESIDE]; /* where the variant was right */
    size_t count;
} ridge_kernel_beside;
ridge_status ridge_kernel_bench_run_beside(ridge_kernel_result *out, ridge_kernel_beside *beside, ridge_kernel_bench *bench,
                                           const ridge_kernel_variant *variant, ridge_team *team, unsigned threads, ridge_cache_state cache,
                                           const ridge_measure_options *options, ridge_err *err);

#endif
