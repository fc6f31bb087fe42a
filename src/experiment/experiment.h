/* experiment.h - `ridge experiment`: questions about this machine that one comparison answers, each ending in a verdict and a sentence.
 * In: a name, sizes, formats, threads, a budget. Out: rows of named numbers, what they mean, a picture; in the caller's arena.
 * What is compared is measured in turn, sample by sample; every kernel matches its reference first. docs/experiments.md
 * Ctrl-C (ridge_measure_interrupted) ends it with the points that are done; a verdict needs all of them.
 * Fails (NAME) on an instruction set in RIDGE_ISA that does not exist, (USAGE) on an unknown name or sizes that do not fit, (UNKNOWN) where
 * no kernel here does it, (NOMEM). */
#ifndef RIDGE_EXPERIMENT_EXPERIMENT_H
#define RIDGE_EXPERIMENT_EXPERIMENT_H

#include "bench/machine.h"
#include "bench/problem.h"
#include "measure/model.h"
#include "report/plot/plot.h"
#include "report/table.h"

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
    RIDGE_EXPERIMENT_LIST(X)
#undef X
        RIDGE_EXPERIMENT_COUNT
} ridge_experiment_kind;
extern const char *const ridge_experiment_names[], *const ridge_experiment_asks[]; /* NULL-terminated */
ridge_status ridge_experiment_find(ridge_experiment_kind *out, const char *name, ridge_err *err);

typedef struct ridge_experiment_request {
    ridge_experiment_kind kind;
    int64_t n, k, m;                    /* of the product; 0: 4096, 4096; most rows of tile- and batch-sweep: 256, 512 */
    const ridge_format *const *formats; /* of the weights; quant-overhead: those compared with 16 bits */
    size_t format_count;                /* 0: bf16; quant-overhead: q8_0, q4_0, q4_K */
    const ridge_format *activations;    /* NULL: fp32 */
    unsigned threads;                   /* 0: all CPUs of the process; thread-sweep: the most */
    int64_t most_bytes;                 /* size-sweep: the largest working set; 0: four times the last-level cache */
    double budget_s;                    /* of everything; 0: 6 s */
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
} ridge_experiment_request;

typedef enum ridge_experiment_unit {
    RIDGE_EXPERIMENT_UNIT_NONE,  /* a ratio, a share */
    RIDGE_EXPERIMENT_UNIT_COUNT, /* an integer */
    RIDGE_EXPERIMENT_UNIT_SECONDS,
    RIDGE_EXPERIMENT_UNIT_BYTES,
    RIDGE_EXPERIMENT_UNIT_BYTES_PER_S,
    RIDGE_EXPERIMENT_UNIT_FLOPS_PER_S
} ridge_experiment_unit;
typedef struct ridge_experiment_column {
    const char *key, *title; /* "bytes_per_s", "bandwidth" */
    ridge_experiment_unit unit;
} ridge_experiment_column;

enum { RIDGE_EXPERIMENT_COLUMNS = 8, RIDGE_EXPERIMENT_ROWS = 64 };
typedef struct ridge_experiment_row {
    const char *name;                        /* "read only", "q4_K", "16 rows" */
    double values[RIDGE_EXPERIMENT_COLUMNS]; /* RIDGE_MEASURE_UNKNOWN where not known */
} ridge_experiment_row;

typedef struct ridge_experiment {
    const ridge_experiment_request *request; /* the caller's */
    const char *subject;                     /* "GEMV 4096x4096 bf16, 2 threads" */
    const char *row_key, *row_title;         /* of the names: "kernel", "format", "threads" */
    const ridge_experiment_column *columns;
    size_t column_count;
    ridge_experiment_row rows[RIDGE_EXPERIMENT_ROWS];
    size_t row_count;
    size_t shown;         /* column that the picture shows */
    const char *verdict;  /* a word or a number: "memory", "4 threads"; NULL: interrupted before there was one, or too few points */
    const char *sentence; /* what to do; how far it came where it was interrupted */
    unsigned cpus;        /* that this process may use */
    bool interrupted;
} ridge_experiment;

/* allocated in the arena */
ridge_status ridge_experiment_run(ridge_experiment **out, const ridge_experiment_request *request, ridge_ops *ops, ridge_arena *arena,
                                  ridge_err *err);

/* ---- what verdicts follow from; pure ---- */
/* Times t_1 of one row and t_m of m rows: rows at which arithmetic takes as long as reading the weights: t_1 / (t_m / m). Above m
 * where the product is bound by memory up to there. */
double ridge_experiment_ridge_rows(double one_s, double many_s, double rows);
/* by the roofline: rows whose FLOPs take as long as the weights' bytes */
double ridge_experiment_predicted_rows(double weight_bytes, double bytes_per_s, double flops_per_row, double flops_per_s);

/* ---- outputs ---- */
void ridge_experiment_json(ridge_buf *out, const ridge_experiment *experiment);
ridge_status ridge_experiment_table(ridge_buf *out, const ridge_experiment *experiment, ridge_form style, int width,
                                    ridge_arena *arena, ridge_err *err);
ridge_status ridge_experiment_text(ridge_buf *out, const ridge_experiment *experiment, int width, ridge_arena *arena, ridge_err *err);
/* times as bars, the cases of a sweep as a curve: time over rows or threads, the time of reading 1 GB over the working set */
ridge_status ridge_experiment_picture(ridge_plot *out, const ridge_experiment *experiment, ridge_arena *arena, ridge_err *err);

#endif
