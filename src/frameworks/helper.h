/* helper.h - one framework in one format: a Python process that loads operands, runs the task once, and measures when it is asked to.
 * In: a task, data, the CPUs it may use. Out: its result, samples, what it says of itself. Its answers are foreign: every one is checked,
 * and what does not fit is an error of that helper alone. Internal to src/frameworks. Fails (UNKNOWN) where the framework is not there or
 * cannot do it, its reason as the message; (IO, LIMIT) as base/talk.h; (VALUE) on an answer that is none. */
#ifndef RIDGE_FRAMEWORKS_HELPER_H
#define RIDGE_FRAMEWORKS_HELPER_H

#include "base/talk.h"
#include "frameworks/task.h"

typedef struct ridge_framework_helper {
    ridge_talk *talk; /* NULL: not started, or of no use any more */
    const char *name; /* in messages: "torch" */
    int result;       /* descriptor that the result is written to; -1 */
    double patience_s;
    double run_s;                 /* that the one run took, or so */
    const char *version, *python; /* "1.13.0"; "Python 3.11.2, /usr/bin/python3" */
    const char *how;              /* what it runs, in words */
    bool fused;
    bool missing; /* start failed since the framework is not there, in any format */
    ridge_arena *arena;
} ridge_framework_helper;

/* cpus: "0,1", those that it runs on */
ridge_status ridge_framework_helper_start(ridge_framework_helper *helper, ridge_framework_kind framework, const ridge_format *format,
                                          const ridge_framework_data *data, const char *script, const char *cpus, double patience_s,
                                          ridge_arena *arena, ridge_err *err);
ridge_status ridge_framework_helper_load(ridge_framework_helper *helper, const ridge_framework_task *task, ridge_err *err);
/* the result as fp32: out[output_rows * output_cols] */
ridge_status ridge_framework_helper_run(float *out, ridge_framework_helper *helper, const ridge_framework_task *task, ridge_err *err);

typedef struct ridge_framework_timing {
    ridge_sample_statistics time;
    double cpus;        /* CPU time of the process over the time, in undisturbed samples; negative: not known */
    int64_t peak_bytes; /* negative: not known */
} ridge_framework_timing;
/* measures for about so long */
ridge_status ridge_framework_helper_time(ridge_framework_timing *out, ridge_framework_helper *helper, double seconds, ridge_err *err);
void ridge_framework_helper_end(ridge_framework_helper *helper);

/* the answer to "time"; `most_s`: how long it took in all. VALUE */
ridge_status ridge_framework_timing_read(ridge_framework_timing *out, const ridge_json *answer, double most_s, ridge_err *err);

#endif
