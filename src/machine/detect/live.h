/* live.h - what this machine does at this moment: load, memory, clocks, GPUs.
 * In: nothing. Out: numbers of /proc and /sys, and of NVML where the driver is; what is not told is RIDGE_MACHINE_UNKNOWN or negative.
 * Takes RIDGE_LIVE_MS, in which the processors are watched. Fails (NOMEM). */
#ifndef RIDGE_MACHINE_DETECT_LIVE_H
#define RIDGE_MACHINE_DETECT_LIVE_H

#include "machine/machine.h"
#include "report/record.h"

enum { RIDGE_LIVE_MS = 50 };

typedef struct ridge_live_gpu {
    const char *name;
    int64_t busy_percent, memory_total_bytes, memory_used_bytes, sm_clock_hz, memory_clock_hz, power_w, temperature_c;
} ridge_live_gpu;

typedef struct ridge_live {
    int64_t cpus;
    double load_1m, load_5m, load_15m; /* processes that run or wait for a processor */
    double busy;                       /* share of all processors' time, while they were watched */
    int64_t memory_total_bytes, memory_available_bytes;
    int64_t clock_least_hz, clock_most_hz; /* over all processors */
    const char *driver;                    /* NULL: no NVIDIA driver */
    ridge_live_gpu *gpus;
    size_t gpu_count;
} ridge_live;

ridge_status ridge_live_look(ridge_live *out, ridge_arena *arena, ridge_err *err);
extern const ridge_record ridge_live_record, ridge_live_gpu_record;

#endif
