/* model.h - a layer as it runs: its kernels one after the other, on random weights, each step timed inside the run.
 * In: steps (problems of kernel.h, in order), threads, a cache state. Out: the time of every step and of a whole pass, seconds.
 * Cold: each pass takes weights and KV cache from another place, over twice the last-level cache in all, as a run over many layers does;
 * activations stay where the step before left them. Every step matches the reference before anything is timed (docs/profile.md).
 * Fails (NOMEM) where one layer does not fit in memory, (UNKNOWN) where no kernel takes a step, (CHECK) where none is right. */
#ifndef RIDGE_MEASURE_MODEL_H
#define RIDGE_MEASURE_MODEL_H

#include "measure/row.h"
#include "measure/trace.h"

typedef struct ridge_chain_step {
    const char *name; /* outlives the chain */
    ridge_problem problem;
    const ridge_kernel_variant *variant; /* NULL: the first that takes the problem and is right */
    unsigned repeat;                     /* calls in one pass, each with operands of its own (heads); 0: 1 */
    bool same_weights;                   /* ... but all on the same operands, opened (and packed) once */
} ridge_chain_step;

typedef struct ridge_chain_options {
    ridge_cache_state cache;
    unsigned threads;   /* of the team it runs on; 0: 1 */
    ridge_trace *trace; /* NULL: none; else of as many threads: steps are marked in it */
} ridge_chain_options;

typedef struct ridge_chain_result {
    const ridge_kernel_variant *variant;
    double max_relative_error, tolerance; /* by the scale of ridge_kernel_tolerance */
    double time_s, low_s, high_s;         /* median of all calls of the step in a pass, its 95 % interval */
    size_t passes;                        /* that these are of: clean ones (statistics.h), or all where fewer than 5 are */
    size_t streamed_bytes;                /* weights, K and V that a pass reads; a packed copy where the variant makes one */
    size_t near_bytes;                    /* other operands: activations */
} ridge_chain_result;

typedef struct ridge_chain ridge_chain;
/* Makes operands and checks every step on the team; steps are copied. *out is NULL without an error where Ctrl-C
 * (ridge_measure_interrupted) came before all was ready. */
ridge_status ridge_chain_make(ridge_chain **out, const ridge_chain_step *steps, size_t count, ridge_team *team,
                              const ridge_chain_options *options, ridge_err *err);
void ridge_chain_free(ridge_chain *chain);
/* One pass as a work, for whoever measures it himself; passes are remembered from here on. */
ridge_work ridge_chain_work(ridge_chain *chain);
/* The times of the steps over the passes since then, into results[count]; without passes they are RIDGE_MEASURE_UNKNOWN. NOMEM. */
ridge_status ridge_chain_results(ridge_chain_result *results, ridge_chain *chain, ridge_err *err);
/* both: measures passes, then tells the steps. *whole may be NULL */
ridge_status ridge_chain_measure(ridge_chain_result *results, ridge_sample_statistics *whole, ridge_chain *chain, ridge_team *team,
                                 const ridge_measure_options *options, ridge_err *err);
/* copies of the streamed operands that passes go through */
unsigned ridge_chain_places(const ridge_chain *chain);
/* memory that it holds: operands, and the copies that variants have packed */
size_t ridge_chain_bytes(const ridge_chain *chain);
/* of a step */
const ridge_kernel_variant *ridge_chain_variant(const ridge_chain *chain, size_t step);

#endif
