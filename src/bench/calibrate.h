/* calibrate.h - measured ceilings put into the description of this machine.
 * In: what was detected, what was measured, the date. Out: the same description, its peaks, bandwidths, clock and launch overhead
 * replaced by measured ones with their sources; what was not measured stays as it was. Fails (NOMEM). */
#ifndef RIDGE_BENCH_CALIBRATE_H
#define RIDGE_BENCH_CALIBRATE_H

#include "machine/detect/detect.h"
#include "measure/ceilings.h"

/* `date`: "2026-11-21". Peaks are of the largest number of threads that is best. bf16, fp16 and int8 can always be widened to fp32: where
 * their own instructions are slower than fp32's (or missing), fp32's rate is their ceiling, and the source says so. */
ridge_status ridge_calibrate_apply(ridge_detected *detected, const ridge_ceilings *ceilings, const char *date, ridge_arena *arena,
                                   ridge_err *err);

/* Tables of bandwidths, rates and overheads for people. */
ridge_status ridge_output_ceilings(ridge_buf *out, const ridge_ceilings *ceilings, int width, ridge_arena *arena, ridge_err *err);

#endif
