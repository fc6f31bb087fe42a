/* bench.h - `ridge bench`: kernels checked, timed beside the ceiling that bounds them, and set against what the roofline predicts.
 * In: a request (options.h). Out: an answer in the caller's arena: rows, the ceilings they were predicted from, totals; a variant that is
 * wrong is a row without a time. docs/bench.md
 * Fails (USAGE, NAME) on a variant or provider that nobody has, (VALUE) on sizes a format does not take, (NOMEM). Ctrl-C
 * (ridge_measure_interrupted) ends it early with the rows that are done. */
#ifndef RIDGE_BENCH_BENCH_H
#define RIDGE_BENCH_BENCH_H

#include "bench/cases.h"
#include "bench/machine.h"
#include "measure/kernel_run.h"
#include "measure/metrics.h"
#include "measure/rounds.h"

/* Rows of one moment agree with each other and not with those of the next quarter of an hour: their intervals come from rounds. */
enum { RIDGE_BENCH_ROUNDS = 5 };

/* what a caller adds to the request; all may be NULL */
typedef struct ridge_bench_extras {
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    void (*estimate)(void *context, double seconds); /* said before anything is measured: how long all of it will take */
    void *context;
    const ridge_kernel_variant *const *variants; /* more than the table has, tried as its own are */
    size_t variant_count;
} ridge_bench_extras;

typedef struct ridge_bench_row {
    ridge_measured_row row; /* where `right`; else its times are not known and time.kept is 0 */
    ridge_joined joined;    /* points to it */
    const ridge_bench_case *of;
    const char *shape; /* for people */
    bool right;
    unsigned rounds;       /* its median and interval come from: measure/rounds.h */
    double spread_percent; /* half the 95 % interval over the median; negative: too few undisturbed samples tell none */
    double tolerance;      /* of max_relative_error */
    size_t packed_bytes;
    unsigned places; /* that a cold run goes through */
    bool huge_pages;
    const char *library;                   /* what computed it: library, version, its kernel; NULL: Ridge */
    ridge_int dense_flops;                 /* of all pairs; 0: none is masked */
    double dense_flops_per_s;              /* attention: as if masked pairs counted; negative: none is */
    double theory_s;                       /* predicted from the machine as detected; negative: not known */
    ridge_compare_sides measured_ceilings; /* predicted by the ceilings measured before */
    const char *level;                     /* memory level the operands are predicted to come from; NULL: not known */
} ridge_bench_row;

/* a case among others that could not be run */
typedef struct ridge_bench_failure {
    const ridge_bench_case *of;
    const char *shape, *why;
    ridge_status status;
} ridge_bench_failure;

/* cases of a kind with the same formats that no kernel here takes */
typedef struct ridge_bench_left_out {
    ridge_kernel_kind kind;
    const ridge_format *weights, *activations;
    size_t cases;
} ridge_bench_left_out;

typedef struct ridge_bench_library {
    const char *provider;
    const char *name; /* library, version, its kernel */
} ridge_bench_library;

/* of a model: one pass (or layer), each row as often as it runs, the best variant of each */
typedef struct ridge_bench_total {
    unsigned threads;
    double calls, measured_s, predicted_s;
} ridge_bench_total;

typedef struct ridge_bench {
    const ridge_bench_machine *machine;
    ridge_bench_row *rows; /* as planned, right or wrong */
    size_t row_count;
    ridge_bench_row *right, *wrong; /* the same rows again */
    size_t timed, wrong_count;
    size_t planned;                 /* rows there would be without Ctrl-C */
    unsigned rounds, rounds_begun;  /* that were to be measured */
    unsigned cpus;                  /* that this process may use: more threads share them */
    size_t unsupported;             /* cases left out ... */
    ridge_bench_left_out *left_out; /* ... by kind and formats */
    size_t left_out_count;
    ridge_words slow; /* formats that only plain C takes here: left out of all formats */
    ridge_bench_failure *failed;
    size_t failed_count;
    ridge_metrics metrics; /* of the measuring, ceilings included */
    bool interrupted;
    ridge_bench_library *libraries; /* that computed rows in place of Ridge, each once */
    size_t library_count;
    size_t packed_rows;        /* timed rows that read a copy of the weights, made by their variant */
    double packed_ratio;       /* the largest such copy over all bytes that count */
    size_t disturbed_rows;     /* timed rows without an undisturbed sample */
    ridge_bench_total *totals; /* for each number of threads with which all was measured */
    size_t total_count;
    int64_t run; /* its number in the store; RIDGE_UNSET: in none */
} ridge_bench;

/* cases: the request's (ridge_bench_cases_make), or others; they outlive the answer. extras may be NULL. */
ridge_status ridge_bench_run(ridge_bench *out, const ridge_bench_request *request, const ridge_bench_cases *cases,
                             const ridge_bench_extras *extras, ridge_ops *ops, ridge_arena *arena, ridge_err *err);
/* CHECK where a variant was wrong; why a case could not be measured */
ridge_status ridge_bench_verdict(const ridge_bench *bench, ridge_err *err);

/* ---- how it is told ---- */
extern const ridge_record ridge_bench_record, ridge_bench_row_record;
/* lines below the table: wrong variants, rows that beat their roofline, cases left out, totals */
void ridge_bench_remarks(ridge_buf *out, const ridge_bench *bench, ridge_arena *arena);
/* the measured rows that are right, for the store; in the arena */
ridge_status ridge_bench_measured(ridge_measured_row **out, size_t *count, const ridge_bench *bench, ridge_arena *arena, ridge_err *err);

#endif
