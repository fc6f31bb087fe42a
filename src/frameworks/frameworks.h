/* frameworks.h - `ridge compare --frameworks`: the same product, attention or decoder layer in Ridge, PyTorch, JAX, NumPy, ONNX Runtime.
 * In: a request. Out: an answer in the caller's arena: a row for each framework and format, who could not run and why, who wins and why.
 * All get the same numbers, which Ridge draws, the same CPUs and as many threads; each result is held against a reference in double
 * precision before it is timed; rounds go round the frameworks. A framework is a Python process of its own (helper.h). docs/frameworks.md
 * Fails (USAGE) on sizes that do not fit, (UNKNOWN) where none of the frameworks runs or a model's layer is another, (NOMEM). Ctrl-C
 * (ridge_measure_interrupted) ends it with the rounds that are done. */
#ifndef RIDGE_FRAMEWORKS_FRAMEWORKS_H
#define RIDGE_FRAMEWORKS_FRAMEWORKS_H

#include "bench/machine.h"
#include "bench/options.h"
#include "measure/rounds.h"
#include "report/plot/plot.h"

#define RIDGE_FRAMEWORK_LIST(X)                                                                                                            \
    X(RIDGE, "ridge")                                                                                                                      \
    X(TORCH, "torch")                                                                                                                      \
    X(JAX, "jax")                                                                                                                          \
    X(NUMPY, "numpy")                                                                                                                      \
    X(ONNXRUNTIME, "onnxruntime")
typedef enum ridge_framework_kind {
#define X(code, name) RIDGE_FRAMEWORK_##code,
    RIDGE_FRAMEWORK_LIST(X) RIDGE_FRAMEWORKS
#undef X
} ridge_framework_kind;
extern const char *const ridge_framework_names[RIDGE_FRAMEWORKS + 1];

/* "torch,numpy": each once, in this order */
typedef struct ridge_framework_choice {
    ridge_framework_kind items[RIDGE_FRAMEWORKS];
    size_t count; /* 0: not asked for */
} ridge_framework_choice;

/* What compare has beside its other options; below 1 where not given. */
typedef struct ridge_frameworks_options {
    ridge_framework_choice choice;
    int64_t hidden, intermediate;
    double patience_s;
} ridge_frameworks_options;
extern const ridge_option ridge_options_frameworks[];

typedef struct ridge_frameworks_request {
    const ridge_bench_request *bench; /* kind: gemm, attention, layer, or a model; sizes, formats, threads, budgets */
    const ridge_frameworks_options *options;
    const char *script; /* what python3 runs (tools/ridge_frameworks*.py) */
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    void (*estimate)(void *context, double seconds);
    void *context;
} ridge_frameworks_request;

/* What one framework did in one format. Doubles are RIDGE_MEASURE_UNKNOWN where not known. */
typedef struct ridge_framework_row {
    ridge_measured_row row;    /* provider: the framework; variant: its version, or Ridge's kernel */
    ridge_joined joined;       /* points to it */
    ridge_compare_sides least; /* by the ceilings: what memory and arithmetic alone would take */
    ridge_framework_kind framework;
    const ridge_format *format;
    bool right;                     /* else it was not timed */
    double tolerance;               /* of row.max_relative_error */
    double spread_percent;          /* half the 95 % interval over the median */
    int64_t peak_bytes;             /* operands and what the run added, beyond what the framework itself takes */
    double cpus;                    /* CPU time of all its threads over the time, of undisturbed samples */
    bool fused;                     /* attention that does not write its scores out */
    const char *how;                /* what was run, in words */
    ridge_sample_statistics *times; /* [rounds] */
    unsigned rounds;                /* that it was measured in */
    ridge_rounds_ratio slower;      /* its time over the fastest's of its format, in the same rounds */
    const char *why;                /* why it is slower; NULL: it is not, or it was not timed */
} ridge_framework_row;

/* a framework, or one format of it, that did not run (to the end) */
typedef struct ridge_framework_absence {
    ridge_framework_kind framework;
    const ridge_format *format; /* NULL: in none */
    const char *reason;
} ridge_framework_absence;

/* what was learnt of a framework's installation */
typedef struct ridge_framework_version {
    ridge_framework_kind framework;
    const char *version;
    const char *python; /* NULL: Ridge itself */
} ridge_framework_version;

typedef struct ridge_framework_verdict {
    const ridge_format *format;
    const char *winner; /* NULL: the first two cannot be told apart, or fewer than two were timed */
    const char *sentence;
} ridge_framework_verdict;

typedef struct ridge_frameworks {
    const char *what;  /* "gemm", "attention", "layer" */
    const char *model; /* whose layer it is; NULL */
    int64_t layers;    /* that the model has of them; 0 */
    const char *shape, *shape_json;
    unsigned threads, cpus;
    const ridge_bench_machine *machine;
    ridge_framework_row *rows; /* as asked for, right or wrong */
    size_t row_count;
    ridge_framework_row *right, *wrong; /* the same again: those that were timed, and those that were not since they are wrong */
    size_t timed, wrong_count;
    ridge_joined *joined; /* [timed] */
    ridge_compare_summary summary;
    ridge_framework_absence *absent;
    size_t absent_count;
    ridge_framework_version *versions;
    size_t version_count;
    ridge_framework_verdict *verdicts;
    size_t verdict_count;
    unsigned rounds, rounds_begun;
    bool interrupted;
    int64_t run; /* its number in the store; RIDGE_UNSET: in none */
} ridge_frameworks;

ridge_status ridge_frameworks_run(ridge_frameworks *out, const ridge_frameworks_request *request, ridge_ops *ops, ridge_arena *arena,
                                  ridge_err *err);
/* CHECK where a framework was wrong */
ridge_status ridge_frameworks_verdict(const ridge_frameworks *answer, ridge_err *err);
/* the rows that were timed, for the store; in the arena */
ridge_status ridge_frameworks_measured(ridge_measured_row **out, size_t *count, const ridge_frameworks *answer, ridge_arena *arena,
                                       ridge_err *err);

/* ---- how it is told ---- */
extern const ridge_record ridge_frameworks_record, ridge_framework_row_record;
void ridge_frameworks_head(ridge_buf *out, const ridge_frameworks *answer);
/* below the table: who wins and why, who is absent, wrong ones */
void ridge_frameworks_remarks(ridge_buf *out, const ridge_frameworks *answer);
/* the times with their intervals, one below the other */
ridge_status ridge_frameworks_picture(ridge_plot *out, const ridge_frameworks *answer, ridge_arena *arena, ridge_err *err);

#endif
