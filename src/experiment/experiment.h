/* experiment.h - `ridge experiment`: questions about this machine that one comparison answers, each ending in a verdict and a sentence.
 * In: a request. Out: an answer with rows of named numbers, what they mean, a picture; it has a copy of the request, its texts are in the
 * caller's arena. All points are measured in rounds, what is compared within one in turn; every kernel matches its reference first. A
 * sentence claims what holds in the next round too, with 95 % confidence (measure/rounds.h), and else that it cannot tell.
 * Ctrl-C (ridge_measure_interrupted) ends it with the rounds that are done; a verdict needs RIDGE_ROUNDS_LEAST of every point.
 * Fails (NAME) on an instruction set in RIDGE_ISA that does not exist, (USAGE) on an unknown name or sizes that do not fit, (UNKNOWN) where
 * no kernel here does it, (NOMEM). */
#ifndef RIDGE_EXPERIMENT_EXPERIMENT_H
#define RIDGE_EXPERIMENT_EXPERIMENT_H

#include "bench/machine.h"
#include "bench/problem.h"
#include "measure/model.h"
#include "measure/rounds.h"
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

enum { RIDGE_EXPERIMENT_FORMATS = 32, RIDGE_EXPERIMENT_ROWS = 64, RIDGE_EXPERIMENT_ROUNDS = 5, RIDGE_EXPERIMENT_CACHES = 3 };

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
    int64_t rounds;     /* that every point is measured in */
    double budget_s;    /* of everything */
} ridge_experiment_request;
extern const ridge_option ridge_options_experiment[]; /* all but the kind */

/* what a caller adds to the request; may be NULL */
typedef struct ridge_experiment_extras {
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    /* how long all rounds will take: by the budget, before the first; after it again where that is much more */
    void (*estimate)(void *context, double seconds);
    void *context;
} ridge_experiment_extras;

/* A time: of all rounds as one, and each of them */
typedef struct ridge_experiment_time {
    ridge_sample_statistics all;         /* median_s negative: not measured */
    const ridge_sample_statistics *seen; /* [rounds] */
    unsigned rounds;
} ridge_experiment_time;

/* A point. Which numbers it has follows from the experiment; the others are negative. */
typedef struct ridge_experiment_row {
    const char *name; /* "read only", "q4_K", "16 rows, avx2" */
    int64_t rows, threads, bytes;
    ridge_experiment_time time;
    ridge_experiment_time compute; /* of the same arithmetic from cache */
    double time_per_row_s, bytes_per_s, flops_per_s;
    double spread_percent;             /* half the interval of the time over its median; negative: too few undisturbed samples */
    ridge_rounds_ratio share;          /* of the time of reading and calculating */
    ridge_rounds_ratio speedup;        /* over the first row */
    ridge_rounds_ratio compute_share;  /* calculating from cache over the time */
    ridge_rounds_ratio unpack_percent; /* compute over that with 16-bit weights, less 1, in percent; may be negative */
    double bytes_ratio;                /* the first row's over its own */
    double dequantisation_share;       /* compute_share of a format that is unpacked */
    double efficiency;                 /* speedup by thread */
} ridge_experiment_row;

/* size-sweep: a cache, with what all threads together have of it */
typedef struct ridge_experiment_cache {
    const char *name;
    int64_t bytes;
} ridge_experiment_cache;

typedef struct ridge_experiment {
    ridge_experiment_request request; /* as run: whatever was not given is filled in */
    const char *subject;              /* "product 4096 x 4096, weights bf16, activations fp32, 2 threads" */
    ridge_experiment_row rows[RIDGE_EXPERIMENT_ROWS];
    size_t row_count;
    ridge_experiment_cache caches[RIDGE_EXPERIMENT_CACHES];
    size_t cache_count;
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
/* by the roofline: rows whose FLOPs take as long as the weights' bytes */
double ridge_experiment_predicted_rows(double weight_bytes, double bytes_per_s, double flops_per_row, double flops_per_s);

/* ---- how it is told ---- */
extern const ridge_record ridge_experiment_record;
/* of the rows of each kind of experiment */
extern const ridge_record *const ridge_experiment_row_records[RIDGE_EXPERIMENT_COUNT];
/* for people: what was asked, and of what; below the table the verdict */
void ridge_experiment_head(ridge_buf *out, const ridge_experiment *experiment);
void ridge_experiment_conclusion(ridge_buf *out, const ridge_experiment *experiment);
/* Points with their intervals: of alternatives side by side, of a sweep over rows, threads or the working set, there the bandwidth with
 * the caches marked. */
ridge_status ridge_experiment_picture(ridge_plot *out, const ridge_experiment *experiment, ridge_arena *arena, ridge_err *err);
/* for the store: a row for each time that was measured, strings in the arena. Points of products are "gemv" and "gemm"; reading alone is
 * "read" with the loop that reads. machine: a fingerprint, kept as it is. Fails (NOMEM), and as ridge_ops_count. */
ridge_status ridge_experiment_measured(ridge_measured_row **out, size_t *count, const ridge_experiment *experiment, const char *machine,
                                       ridge_ops *ops, ridge_arena *arena, ridge_err *err);

#endif
