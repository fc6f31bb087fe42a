/* experiment.h - `ridge experiment`: questions about this machine that one comparison answers, each ending in a verdict and a sentence.
 * In: a request. Out: an answer with rows of named numbers, what they mean, a picture; it has a copy of the request, its texts are in the
 * caller's arena. What is compared is measured in turn, sample by sample; every kernel matches its reference first. docs/experiments.md
 * Ctrl-C (ridge_measure_interrupted) ends it with the points that are done; a verdict needs all of them.
 * Fails (NAME) on an instruction set in RIDGE_ISA that does not exist, (USAGE) on an unknown name or sizes that do not fit, (UNKNOWN) where
 * no kernel here does it, (NOMEM). */
#ifndef RIDGE_EXPERIMENT_EXPERIMENT_H
#define RIDGE_EXPERIMENT_EXPERIMENT_H

#include "bench/machine.h"
#include "bench/problem.h"
#include "measure/model.h"
#include "report/plot/plot.h"

/* code, name, what it asks */
#define RIDGE_EXPERIMENT_LIST(X)                                                                                                           \
    X(MEMORY, "memory-vs-compute", "does memory or arithmetic bound a product with weights, and by how much")                              \
    X(QUANT, "quant-overhead", "what quantised weights save, and what unpacking them costs")                                               \
    X(TILE, "tile-sweep", "how many rows to multiply at once, so that weights are read less often")                                        \
    X(THREADS, "thread-sweep", "how many threads saturate the memory")                                                                     \
    X(SIZES, "size-sweep", "how fast each cache level reads, and where it ends")                                                           \
    X(BATCH, "batch-sweep", "from which batch on arithmetic bounds instead of memory: the measured ridge point")
typedef enum ridge_experiment_kind {
#define X(code, name, asks) RIDGE_EXPERIMENT_##code,
    RIDGE_EXPERIMENT_LIST(X) RIDGE_EXPERIMENT_COUNT
#undef X
} ridge_experiment_kind;
extern const char *const ridge_experiment_names[]; /* NULL-terminated */
ridge_status ridge_experiment_find(ridge_experiment_kind *out, const char *name, ridge_err *err);

enum { RIDGE_EXPERIMENT_FORMATS = 32, RIDGE_EXPERIMENT_ROWS = 64 };

typedef struct ridge_experiment_formats {
    const ridge_format *items[RIDGE_EXPERIMENT_FORMATS];
    size_t count;
} ridge_experiment_formats;

/* Numbers below 1: not given. */
typedef struct ridge_experiment_request {
    ridge_experiment_kind kind;
    int64_t n, k, m;                  /* of the product; m: most rows of tile- and batch-sweep */
    ridge_experiment_formats formats; /* of the weights; quant-overhead: those compared with 16 bits */
    const ridge_format *activations;
    int64_t threads;    /* thread-sweep: the most; not given: all CPUs of the process */
    int64_t most_bytes; /* size-sweep: the largest working set; not given: four times the last-level cache */
    double budget_s;    /* of everything */
} ridge_experiment_request;
extern const ridge_option ridge_options_experiment[]; /* all but the kind */

/* what a caller adds to the request; may be NULL */
typedef struct ridge_experiment_extras {
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
} ridge_experiment_extras;

/* A point. Which numbers it has follows from the experiment; the others are negative. */
typedef struct ridge_experiment_row {
    const char *name; /* "read only", "q4_K", "16 rows, avx2" */
    int64_t rows, threads, bytes;
    double time_s, time_per_row_s;
    double compute_s; /* of the same arithmetic from cache */
    double bytes_per_s, flops_per_s;
    double share;                /* of the time of reading and calculating */
    double speedup;              /* over the first row */
    double bytes_ratio;          /* the first row's over its own */
    double dequantisation_share; /* compute_s over time_s */
    double efficiency;           /* speedup by thread */
} ridge_experiment_row;

typedef struct ridge_experiment {
    ridge_experiment_request request; /* as run: whatever was not given is filled in */
    const char *subject;              /* "product 4096 x 4096, weights bf16, activations fp32, 2 threads" */
    ridge_experiment_row rows[RIDGE_EXPERIMENT_ROWS];
    size_t row_count;
    const char *verdict;  /* a word or a number: "memory", "4 threads"; NULL: interrupted before there was one, or too few points */
    const char *sentence; /* what to do; how far it came where it was interrupted */
    unsigned cpus;        /* that this process may use */
    bool interrupted;
    int64_t run; /* its number in the store; RIDGE_UNSET: in none */
} ridge_experiment;

/* extras may be NULL */
ridge_status ridge_experiment_run(ridge_experiment *out, const ridge_experiment_request *request, const ridge_experiment_extras *extras,
                                  ridge_ops *ops, ridge_arena *arena, ridge_err *err);

/* ---- what verdicts follow from; pure ---- */
/* Times t_1 of one row and t_m of m rows: rows at which arithmetic takes as long as reading the weights: t_1 / (t_m / m). Above m
 * where the product is bound by memory up to there. */
double ridge_experiment_ridge_rows(double one_s, double many_s, double rows);
/* by the roofline: rows whose FLOPs take as long as the weights' bytes */
double ridge_experiment_predicted_rows(double weight_bytes, double bytes_per_s, double flops_per_row, double flops_per_s);

/* ---- how it is told ---- */
extern const ridge_record ridge_experiment_record;
/* of the rows of each kind of experiment */
extern const ridge_record *const ridge_experiment_row_records[RIDGE_EXPERIMENT_COUNT];
/* for people: what was asked, and of what; below the table the verdict */
void ridge_experiment_head(ridge_buf *out, const ridge_experiment *experiment);
void ridge_experiment_conclusion(ridge_buf *out, const ridge_experiment *experiment);
/* times as bars, the cases of a sweep as a curve: time over rows or threads, the time of reading 1 GB over the working set */
ridge_status ridge_experiment_picture(ridge_plot *out, const ridge_experiment *experiment, ridge_arena *arena, ridge_err *err);
/* for the store: a row for each time that was measured, strings in the arena. Points of products are "gemv" and "gemm"; reading alone is
 * "read" with the loop that reads. An experiment has medians only: low and high are the median, kept and tried 0, mad_s and minimum_s 0.
 * machine: a fingerprint, kept as it is. Fails (NOMEM), and as ridge_ops_count. */
ridge_status ridge_experiment_measured(ridge_measured_row **out, size_t *count, const ridge_experiment *experiment, const char *machine,
                                       ridge_ops *ops, ridge_arena *arena, ridge_err *err);

#endif
