/* measure.h - how long something takes here: warm-up, repetition until the wanted confidence, clean samples, median and spread.
 * In: a function of threads and phases, a budget. Out: statistics in seconds; what was kept, dropped and why.
 * A sample with a context switch against its will, or with CPU time / wall time below 0.97, is dropped; kept / tried is told.
 * Never times a kernel that has not matched its reference (kernel_run.h). Clock: CLOCK_MONOTONIC_RAW, its resolution measured.
 * docs/measuring.md */
#ifndef RIDGE_MEASURE_MEASURE_H
#define RIDGE_MEASURE_MEASURE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/stop.h"

typedef struct ridge_measure_options {
    double budget_s;      /* wall time to spend, warm-up included; 0: 1 s */
    double confidence;    /* wanted half-width of the 95 % interval of the median, relative; 0: 0.01 */
    unsigned warm_up;     /* calls before the first sample; 0: 2 */
    unsigned least, most; /* samples; 0: 5 and 10000 */
    unsigned threads;     /* 0: 1 */
    bool pinned;          /* one thread a core, in the order of the process's affinity mask */
    double sample_s;      /* least length of a sample: long where works that take turns spoil each other's caches; 0: the clock's need */
} ridge_measure_options;

typedef struct ridge_sample_statistics {
    double median_s, low_s, high_s; /* low .. high: 95 % interval of the median, by order statistics */
    double mad_s;                   /* median absolute deviation */
    double minimum_s;
    unsigned kept, tried;
    unsigned calls_per_sample; /* so that a sample is at least 1000 resolutions of the clock long */
    bool stopped;              /* Ctrl-C or the budget ended it before the wanted confidence */
} ridge_sample_statistics;

/* One call of the work: every thread runs phase 0, a barrier, phase 1, ... `call` counts up, for rotating buffers. */
typedef struct ridge_work {
    void (*phase)(void *context, unsigned phase, unsigned thread, uint64_t call);
    void *context;
    unsigned phases;
} ridge_work;

/* A team of pinned threads with spinning barriers; thread 0 is the caller. */
typedef struct ridge_team ridge_team;
ridge_status ridge_team_make(ridge_team **out, unsigned threads, bool pinned, ridge_err *err);
void ridge_team_free(ridge_team *team);
/* runs the work once */
void ridge_team_run(ridge_team *team, const ridge_work *work, uint64_t call);

ridge_status ridge_measure(ridge_sample_statistics *out, ridge_team *team, const ridge_work *work, const ridge_measure_options *options,
                           ridge_err *err);
/* Two or more works in turn, sample by sample, so that drift hits all alike: ratios of out[i].median_s are what it is for. */
ridge_status ridge_measure_interleaved(ridge_sample_statistics *out, ridge_team *team, const ridge_work *works, size_t count,
                                       const ridge_measure_options *options, ridge_err *err);

/* ---- the clock ---- */
double ridge_clock_s(void);
double ridge_clock_resolution_s(void);
/* Core clock in Hz under the load of one thread: a chain of dependent 64-bit multiplications (3 cycles each on x86 since Haswell and
 * Zen, 3 on Neoverse N1 and later); add chains are folded by newer cores and lie. 0 where the latency is not known. */
double ridge_core_clock_hz(double seconds);

/* set by the program's SIGINT handler: measuring stops after the sample in flight */
extern ridge_stop ridge_measure_interrupted;

/* ---- buffers ---- */
/* 64-byte aligned (2 MiB where huge pages are had), touched, filled by the caller; *huge tells. NULL: no memory, or less is
 * available than that. Free with ridge_buffer_free. */
void *ridge_buffer_make(size_t bytes, bool *huge);
void ridge_buffer_free(void *buffer, size_t bytes);
/* bytes that programs may still take, as /proc/meminfo says; 0: it does not say */
size_t ridge_memory_available(void);
/* bytes of the last-level cache this process shares in, as the system tells; a guess of 64 MiB where it does not */
size_t ridge_last_level_cache(void);
/* Standard normal values, deterministic from the seed: no denormals (they make bf16 five times slower), no zeros. */
void ridge_fill_normal(float *out, size_t count, uint64_t seed);

#endif
