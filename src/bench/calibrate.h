/* calibrate.h - `ridge machine calibrate`: measured ceilings put into the description of this machine, kept as the machine 'this'.
 * In: what was detected, what was measured, the date. Out: the same description, its peaks, bandwidths, clock and launch overhead
 * replaced by measured ones with their sources; what was not measured stays as it was. Fails as ridge_detect and ridge_ceilings_measure do.
 */
#ifndef RIDGE_BENCH_CALIBRATE_H
#define RIDGE_BENCH_CALIBRATE_H

#include "machine/detect/detect.h"
#include "measure/ceilings.h"
#include "measure/threads.h"

typedef struct ridge_calibrate_request {
    ridge_threads threads; /* none: 1 and all cores that may be used */
    double budget_s;
    int64_t memory_bytes; /* to use at most; RIDGE_UNSET: half of what is free */
    enum { RIDGE_CALIBRATE_UNSAID, RIDGE_CALIBRATE_SAVE, RIDGE_CALIBRATE_PRINT } save; /* UNSAID: as SAVE */
} ridge_calibrate_request;
extern const ridge_option ridge_options_calibrate[];

/* what all threads together reach at one level of memory, by each way to use it */
typedef struct ridge_calibrate_bandwidth {
    ridge_ceiling_level level;
    unsigned threads;
    double bytes_per_s[RIDGE_STREAM_COUNT]; /* negative: not measured */
} ridge_calibrate_bandwidth;

typedef struct ridge_calibrate_answer {
    ridge_detected *detected; /* then with what was measured */
    const ridge_ceilings *ceilings;
    ridge_calibrate_bandwidth *bandwidths; /* the same streams, side by side */
    size_t bandwidth_count;
    ridge_threads threads;
    unsigned cpus;     /* that this process may use */
    const char *saved; /* the file; NULL: not saved */
} ridge_calibrate_answer;
extern const ridge_record ridge_calibrate_record;

/* What is here and what is to be measured; in the arena. */
ridge_status ridge_calibrate_prepare(ridge_calibrate_answer *out, const ridge_calibrate_request *request, ridge_arena *arena,
                                     ridge_err *err);
/* Measures it. Ctrl-C ends it early. */
ridge_status ridge_calibrate_measure(ridge_calibrate_answer *answer, const ridge_calibrate_request *request,
                                     void (*progress)(void *context, const char *what, size_t done, size_t total), void *context,
                                     ridge_arena *arena, ridge_err *err);
/* Saves the machine 'this', unless that was not wanted or not all was measured. */
ridge_status ridge_calibrate_save(ridge_calibrate_answer *answer, const ridge_calibrate_request *request, ridge_arena *arena,
                                  ridge_err *err);
/* Tables of bandwidths, rates and overheads, for people with what was saved; as CSV one of all ceilings. */
ridge_status ridge_calibrate_print(ridge_buf *out, const ridge_calibrate_answer *answer, const ridge_record_style *style,
                                   ridge_arena *arena, ridge_err *err);

/* `date`: begins with "2026-11-21". Peaks are of the largest number of threads that is best. bf16, fp16 and int8 can always be widened to
 * fp32: where their own instructions are slower than fp32's (or missing), fp32's rate is their ceiling, and the source says so. */
ridge_status ridge_calibrate_apply(ridge_detected *detected, const ridge_ceilings *ceilings, const char *date, ridge_arena *arena,
                                   ridge_err *err);

#endif
