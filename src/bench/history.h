/* history.h - stored measurements for people, and a run set against a baseline.
 * In: runs and rows (measure/store.h). Out: tables as text or Markdown, JSON, appended to a buffer; NOMEM otherwise. */
#ifndef RIDGE_BENCH_HISTORY_H
#define RIDGE_BENCH_HISTORY_H

#include "measure/store.h"
#include "report/table.h"

/* one line a run; CSV has base units and full words */
ridge_status ridge_history_runs(ridge_buf *out, const ridge_measurements *m, ridge_form style, int width, ridge_arena *arena,
                                ridge_err *err);
/* one line a row; text and Markdown (for CSV: ridge_measurements_csv) */
ridge_status ridge_history_rows(ridge_buf *out, const ridge_measurements *m, ridge_form style, int width, ridge_arena *arena,
                                ridge_err *err);
/* what is known about each run, its rows below */
ridge_status ridge_history_show(ridge_buf *out, const ridge_measurements *m, int width, ridge_arena *arena, ridge_err *err);
/* "gemv 14336x4096": the kernel and its sizes in order; flags that are set by name */
const char *ridge_history_problem(const ridge_measured_row *row, ridge_arena *arena);
/* "2 cold": threads, cache */
const char *ridge_history_how(const ridge_measured_row *row, ridge_arena *arena);

/* ---- baselines ---- */
#define RIDGE_VERDICT_LIST(X)                                                                                                              \
    X(SLOWER, "slower")       /* the new interval lies above the old one, and the medians differ by more than the tolerance */             \
    X(FASTER, "faster")       /* the other way round */                                                                                    \
    X(SAME, "same")           /* neither */                                                                                                \
    X(MISSING, "missing")     /* not measured now */                                                                                       \
    X(NEW, "new")             /* not in the baseline */                                                                                    \
    X(UNREACHED, "unreached") /* not measured now, as the run was interrupted or killed */                                                 \
    X(UNCERTAIN, "uncertain") /* fewer than 2 undisturbed samples, then or now: no interval to tell by */
typedef enum ridge_verdict {
#define X(code, name) RIDGE_VERDICT_##code,
    RIDGE_VERDICT_LIST(X)
#undef X
        RIDGE_VERDICT_COUNT
} ridge_verdict;
extern const char *const ridge_verdict_names[RIDGE_VERDICT_COUNT];

typedef struct ridge_compared {
    const ridge_measured_row *was, *is; /* NULL: missing, new */
    double ratio;                       /* of the medians, is / was; negative where unknown */
    ridge_verdict verdict;
} ridge_compared;

typedef struct ridge_comparison {
    const char *baseline;
    int64_t was, is; /* runs */
    double tolerance;
    ridge_compared *rows; /* in the order of the baseline, new ones last */
    size_t count, verdicts[RIDGE_VERDICT_COUNT];
    bool was_cut, is_cut; /* interrupted, killed, or still running (ridge_store_run_is_cut) */
} ridge_comparison;

/* Rows match in kernel, variant, provider, shape, format, activations, threads and cache; of equal ones the first matches the first.
 * Each of `was` and `is` holds one run. VALUE where no row matches. */
ridge_status ridge_baseline_compare(ridge_comparison *out, const ridge_measurements *was, const ridge_measurements *is, double tolerance,
                                    ridge_arena *arena, ridge_err *err);
ridge_status ridge_baseline_table(ridge_buf *out, const ridge_comparison *c, ridge_form style, int width, ridge_arena *arena,
                                  ridge_err *err);
void ridge_baseline_json(ridge_buf *out, const ridge_comparison *c);

#endif
