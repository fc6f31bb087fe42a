/* rows.h - the measured points of an experiment as rows (measure/row.h), for the store.
 * In: an experiment as it ended, the catalog. Out: a row for each time that was measured; strings in the arena. Points of products are
 * "gemv" and "gemm"; reading alone is "read" with the loop that reads. An experiment has medians only: low and high are the median, kept
 * and tried 0, mad_s and minimum_s 0. Fails (NOMEM), and as ridge_ops_count. */
#ifndef RIDGE_EXPERIMENT_ROWS_H
#define RIDGE_EXPERIMENT_ROWS_H

#include "experiment/experiment.h"

/* (*out)[*count]; machine: a fingerprint, kept as it is */
ridge_status ridge_experiment_rows(ridge_measured_row **out, size_t *count, const ridge_experiment *experiment, const char *machine,
                                   ridge_ops *ops, ridge_arena *arena, ridge_err *err);

#endif
