/* compare.h - `ridge compare`: a run of benchmarks, or a stored one, with its errors, bounds, slowdowns and their summary.
 * In: a benchmark run, or rows from the store. Out: an answer in the arena; sentences and a roofline with both kinds of points.
 * Fails with NOMEM; the picture also as ridge_picture_ceilings does. docs/bench.md */
#ifndef RIDGE_BENCH_COMPARE_H
#define RIDGE_BENCH_COMPARE_H

#include "bench/bench.h"
#include "compare/calibration.h"
#include "report/plot/plot.h"

typedef struct ridge_compare_answer {
    const ridge_bench *bench; /* NULL: rows from the store */
    const char *machine;      /* fingerprint */
    ridge_joined *rows;
    size_t row_count;
    ridge_compare_summary summary;
    const ridge_calibration *calibration; /* NULL: not asked */
} ridge_compare_answer;
/* with a benchmark, and of the store */
extern const ridge_record ridge_compare_record, ridge_compare_stored_record;

/* Rows that are right. `calibrate`: efficiencies too. */
ridge_status ridge_compare_bench(ridge_compare_answer *out, const ridge_bench *bench, bool calibrate, ridge_arena *arena, ridge_err *err);
ridge_status ridge_compare_stored(ridge_compare_answer *out, const ridge_measured_row *rows, size_t count, bool calibrate,
                                  ridge_arena *arena, ridge_err *err);

/* the summary in sentences, and the calibration where it was asked for */
ridge_status ridge_compare_text(ridge_buf *out, const ridge_compare_answer *answer, int width, ridge_arena *arena, ridge_err *err);

/* measured rows hollow, predictions filled, on the ceilings of `machine` */
ridge_status ridge_compare_roofline(ridge_plot *out, const ridge_compare_answer *answer, const ridge_machine *machine, ridge_arena *arena,
                                    ridge_err *err);

#endif
