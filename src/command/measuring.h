/* bench.h - the options `ridge bench` and `ridge compare` share: what is measured, how, where it is kept.
 * In: parsed options. Out: cases, a finished benchmark run (bench/bench.h), stored unless that was not wanted.
 * Fails (USAGE) on options that do not fit together, (NAME) on a RIDGE_ISA that does not exist. Shows progress on stderr where that is a
 * terminal; Ctrl-C ends the run early (io->interrupted). */
#ifndef RIDGE_CLI_BENCH_H
#define RIDGE_CLI_BENCH_H

#include "bench/bench.h"
#include "cli/command.h"
#include "cli/store.h"

typedef struct ridge_bench_shape_args {
    int64_t sizes[RIDGE_BENCH_SIZES];
    bool causal;
} ridge_bench_shape_args;

typedef struct ridge_bench_how_args {
    const ridge_format *dtype, *activations, *kv;
    const char *threads, *variant, *provider, *suite, *model;
    int cache; /* ridge_bench_cache */
    int phase; /* of a model: 0 prefill, 1 decode */
    bool all_formats, all_variants, layer, no_store;
    double budget, ceilings_budget;
    int64_t bandwidth, rounds;
} ridge_bench_how_args;

typedef struct ridge_bench_args {
    ridge_words kind;
    ridge_bench_shape_args shape;
    ridge_bench_how_args how;
    ridge_store_args store;
    ridge_output_args output;
} ridge_bench_args;

extern const ridge_option ridge_options_bench_shape[];
extern const ridge_option ridge_options_bench_what[]; /* formats, suite, model; for a ridge_bench_how_args */
extern const ridge_option ridge_options_bench_how[];  /* threads, variants, budgets; for a ridge_bench_how_args */
#define RIDGE_BENCH_ARGS_DEFAULTS .how = {.phase = 1}

/* Measures what the arguments ask for. *run: its number in the store; 0: not stored. `rows` of `out` live in io->arena. */
ridge_status ridge_bench_args_run(ridge_bench *out, int64_t *run, ridge_io *io, const ridge_bench_args *args, ridge_err *err);
/* CHECK where a variant was wrong */
ridge_status ridge_bench_args_verdict(const ridge_bench *bench, ridge_err *err);

#endif
