/* baseline.h - a run set against a baseline: which rows are slower by more than both the noise and a tolerance.
 * In: two runs (measure/store.h). Out: an answer in the arena, rows that point to theirs. Fails with VALUE where no row matches, NOMEM. */
#ifndef RIDGE_BENCH_BASELINE_H
#define RIDGE_BENCH_BASELINE_H

#include "measure/store.h"
#include "report/record.h"

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
    RIDGE_VERDICT_LIST(X) RIDGE_VERDICT_COUNT
#undef X
} ridge_verdict;
extern const char *const ridge_verdict_names[RIDGE_VERDICT_COUNT + 1];

typedef struct ridge_compared {
    const ridge_measured_row *row; /* of the baseline, or a new one */
    const char *problem, *variant, *format, *how;
    const ridge_sample_statistics *was, *is; /* NULL: new, missing */
    double was_s, is_s;                      /* the medians; negative where there is none */
    double ratio;                            /* is / was; negative where unknown */
    ridge_verdict verdict;
} ridge_compared;

typedef struct ridge_comparison {
    const char *baseline;
    int64_t was, is; /* runs */
    double tolerance;
    ridge_compared *rows; /* in the order of the baseline, new ones last */
    size_t count, verdicts[RIDGE_VERDICT_COUNT];
    bool was_cut, is_cut, complete; /* interrupted, killed, or still running (ridge_store_run_is_cut); neither is */
} ridge_comparison;
extern const ridge_record ridge_comparison_record, ridge_compared_record;

/* Rows match in kernel, variant, provider, shape, format, activations, threads and cache; of equal ones the first matches the first.
 * Each of `was` and `is` holds one run. The name outlives the answer. */
ridge_status ridge_comparison_make(ridge_comparison *out, const char *baseline, const ridge_measurements *was, const ridge_measurements *is,
                                   double tolerance, ridge_arena *arena, ridge_err *err);
/* lines below the table */
void ridge_comparison_summary(ridge_buf *out, const ridge_comparison *comparison);
/* CHECK: a row is slower, or what the run did not reach was not checked */
ridge_status ridge_comparison_verdict(const ridge_comparison *comparison, ridge_err *err);

#endif
