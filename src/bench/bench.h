/* bench.h - `ridge bench`: kernels checked, timed beside the ceiling that bounds them, and set against what the roofline predicts.
 * In: cases (a problem, how often a model runs it), thread counts, cache states, which variants, a budget. Out: rows in the caller's arena,
 * the ceilings they were predicted from; a variant that is wrong is a row without a time. docs/bench.md
 * Fails (USAGE, NAME) on a variant or provider that nobody has, (VALUE) on sizes a format does not take, (NOMEM). Ctrl-C
 * (ridge_measure_interrupted) ends it early with the rows that are done. */
#ifndef RIDGE_BENCH_BENCH_H
#define RIDGE_BENCH_BENCH_H

#include "bench/cases.h"
#include "bench/machine.h"
#include "measure/kernel_run.h"
#include "measure/metrics.h"
#include "measure/rounds.h"
#include "report/table.h"

/* Rows of one moment agree with each other and not with those of the next quarter of an hour: their intervals come from rounds. */
enum { RIDGE_BENCH_ROUNDS = 5 };

typedef struct ridge_bench_request {
    const ridge_bench_case *cases;
    size_t case_count;
    const unsigned *threads; /* ascending */
    size_t thread_count;
    const char *variant, *provider; /* NULL: any */
    bool all_variants;              /* else of each provider the one expected best */
    bool skip_unsupported;          /* a case that no variant takes is left out: --all-formats, suites, models */
    unsigned rounds;                /* times that all rows are measured, one after the other; 0: RIDGE_BENCH_ROUNDS, 1 for one case */
    double budget_s;                /* of a row, all rounds and the ceilings beside it included; 0: 1 */
    double ceilings_budget_s;       /* of the ceilings before the rows; 0: 4 per thread count */
    int64_t bandwidth_bytes_per_s;  /* told for the theory (machine.h) */
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
    /* more variants than the table has, tried as its own are; [extra_count] */
    const ridge_kernel_variant *const *extra;
    size_t extra_count;
} ridge_bench_request;

typedef struct ridge_bench_row {
    ridge_measured_row row; /* where `right`; else time.kept is 0 */
    const ridge_bench_case *of;
    const char *shape; /* for people */
    bool right;
    unsigned rounds;  /* its median and interval come from: measure/rounds.h */
    double tolerance; /* of max_relative_error */
    size_t packed_bytes;
    unsigned places; /* that a cold run goes through */
    bool huge_pages;
    const char *library;                   /* what computed it: library, version, its kernel; NULL: Ridge */
    ridge_int dense_flops;                 /* of all pairs; 0: none is masked */
    double dense_flops_per_s;              /* attention: as if masked pairs counted; negative: none is */
    double theory_s;                       /* predicted from the machine as detected; negative: not known */
    ridge_compare_sides measured_ceilings; /* predicted by the ceilings measured before */
    ridge_compare_sides seen;              /* by those measured beside the row */
    const char *level;                     /* memory level the operands are predicted to come from; NULL: not known */
} ridge_bench_row;

/* a case among others that could not be run */
typedef struct ridge_bench_failure {
    const ridge_bench_case *of;
    const char *shape, *why;
    ridge_status status;
} ridge_bench_failure;

typedef struct ridge_bench {
    const ridge_bench_machine *machine;
    ridge_bench_row *rows;
    size_t row_count, cap, timed;         /* timed: rows that are right */
    size_t planned;                       /* rows there would be without Ctrl-C */
    unsigned rounds, rounds_begun;        /* that were to be measured */
    unsigned cpus;                        /* that this process may use: more threads share them */
    const ridge_bench_case **unsupported; /* cases left out */
    size_t unsupported_count;
    ridge_bench_failure *failed;
    size_t failed_count;
    ridge_metrics metrics; /* of the measuring, ceilings included */
    bool interrupted;
} ridge_bench;

ridge_status ridge_bench_run(ridge_bench *out, const ridge_bench_request *request, ridge_ops *ops, ridge_arena *arena, ridge_err *err);

/* ---- outputs ---- */
/* what stands in an object that is open: machine, ceilings, rows */
void ridge_bench_json(ridge_json_writer *w, const ridge_bench *bench);
void ridge_bench_row_json(ridge_json_writer *w, const ridge_bench_row *row);
ridge_status ridge_bench_table(ridge_buf *out, const ridge_bench *bench, ridge_form style, int width, ridge_arena *arena,
                               ridge_err *err);
/* lines below the table: wrong variants, rows that beat their roofline, cases left out */
void ridge_bench_remarks(ridge_buf *out, const ridge_bench *bench);
/* of a model's rows: the time of one pass (or layer), each row as often as it runs; a pair of measured and predicted per thread count */
void ridge_bench_totals(ridge_buf *out, const ridge_bench *bench, ridge_arena *arena);
void ridge_bench_totals_json(ridge_json_writer *w, const ridge_bench *bench); /* "totals": [..], of an open object */
/* the measured rows that are right, for the store; in the arena */
ridge_status ridge_bench_measured(ridge_measured_row **out, size_t *count, const ridge_bench *bench, ridge_arena *arena, ridge_err *err);

#endif
