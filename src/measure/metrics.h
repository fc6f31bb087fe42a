/* metrics.h - what a run took of the machine: memory, wall and CPU time, context switches, page faults, hardware counters.
 * In: begin, the run, end. Out: the differences; memory at the end and at its highest. What the system does not give is
 * RIDGE_METRIC_UNKNOWN, and `reason` says why. Of the whole process; counters of the calling thread and of threads it starts meanwhile. */
#ifndef RIDGE_MEASURE_METRICS_H
#define RIDGE_MEASURE_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/record.h"

#define RIDGE_METRIC_UNKNOWN (-1)

/* code, name, PERF_TYPE_HARDWARE event */
#define RIDGE_COUNTER_LIST(X)                                                                                                              \
    X(CYCLES, "cycles", PERF_COUNT_HW_CPU_CYCLES)                                                                                          \
    X(INSTRUCTIONS, "instructions", PERF_COUNT_HW_INSTRUCTIONS)                                                                            \
    X(CACHE_REFERENCES, "cache_references", PERF_COUNT_HW_CACHE_REFERENCES)                                                                \
    X(CACHE_MISSES, "cache_misses", PERF_COUNT_HW_CACHE_MISSES)                                                                            \
    X(BRANCHES, "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS)                                                                             \
    X(BRANCH_MISSES, "branch_misses", PERF_COUNT_HW_BRANCH_MISSES)
typedef enum ridge_counter_kind {
#define X(code, ...) RIDGE_COUNTER_##code,
    RIDGE_COUNTER_LIST(X) RIDGE_COUNTER_KINDS
#undef X
} ridge_counter_kind;
extern const char *const ridge_counter_kind_names[RIDGE_COUNTER_KINDS + 1];

typedef struct ridge_metrics {
    double wall_s, user_s, system_s; /* user and system: CPU time of all threads */
    double cpu_s;                    /* both */
    int64_t peak_bytes;              /* highest resident set during the run (where the system lets it be reset; else of the process) */
    int64_t current_bytes;           /* resident set at the end */
    int64_t heap_bytes;              /* held by the allocator for the program at the end (mallinfo2: in use, mapped blocks included) */
    int64_t heap_change_bytes;       /* since begin; may be negative */
    int64_t voluntary_switches, involuntary_switches, minor_faults, major_faults;
    int64_t page_faults;                   /* both */
    int64_t counters[RIDGE_COUNTER_KINDS]; /* user space only; scaled where the machine had to share its counters */
    double instructions_per_cycle;         /* negative where one of them is unknown */
    bool counted;                          /* one of them at least is known */
    bool peak_is_of_run;
    char reason[128]; /* why counters are unknown; "" where they are not */
} ridge_metrics;

/* a measurement in progress; the caller's, no need to look inside */
typedef struct ridge_metrics_run {
    ridge_metrics before;
    int files[RIDGE_COUNTER_KINDS]; /* -1: not open */
    char reason[128];
    bool peak_reset;
} ridge_metrics_run;

/* Always followed by ridge_metrics_end, which closes the counters. */
void ridge_metrics_begin(ridge_metrics_run *run);
void ridge_metrics_end(ridge_metrics *out, ridge_metrics_run *run);

/* "counters" are {"cycles": .., .., "available": bool, "reason": text or null} */
extern const ridge_record ridge_metrics_record;

#endif
