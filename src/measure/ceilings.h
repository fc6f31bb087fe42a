/* ceilings.h - what this machine reaches at best: bandwidth of each memory level, multiply-adds per ISA, the cost of a parallel region.
 * In: cache sizes, thread counts, a budget. Out: measured ceilings in the arena; of the variants of a loop the fastest, by its median.
 * Every clock is measured beside the load it is told for. What this CPU cannot run is left out. docs/measuring.md
 * Fails (NOMEM, VALUE). Ctrl-C ends it early with what is done. */
#ifndef RIDGE_MEASURE_CEILINGS_H
#define RIDGE_MEASURE_CEILINGS_H

#include "kernel/ceiling/ceiling.h"
#include "measure/measure.h"
#include "report/record.h"

/* ---- one loop as a work, for anybody who wants a ceiling in an interleaved run of his own ---- */

/* Call n passes `passes` times over place (n + first) % places of each array the stream has, thread t over its part of it: `bytes` at
 * (place * threads + t) * bytes. Works that take turns on the same arrays want places apart (`first`), or one warms the next one's. */
typedef struct ridge_stream_job {
    const ridge_stream *stream;
    char *arrays[3]; /* to, a, b; NULL where the stream has none */
    size_t bytes;    /* of one array, thread and pass; a multiple of RIDGE_STREAM_UNIT */
    size_t places;   /* 1: the same each time (hot) */
    size_t first;
    unsigned threads, passes;
} ridge_stream_job;
/* Arrays begin this much apart beside whole huge pages: a load whose address ends in the 12 bits of a recent store's waits for it
 * (Intel Optimization Reference Manual, "4-KByte aliasing"). */
enum { RIDGE_CEILING_STAGGER = 21 * 64 };
ridge_work ridge_stream_work(ridge_stream_job *job);
/* bytes moved by one call of all threads */
double ridge_stream_job_bytes(const ridge_stream_job *job);

typedef struct ridge_peak_job {
    const ridge_peak *peak; /* NULL: the multiply chain of clock.h */
    uint64_t rounds;        /* a call, on each thread */
} ridge_peak_job;
ridge_work ridge_peak_work(ridge_peak_job *job);

/* ---- all of them ---- */

/* code, name as in machine files */
#define RIDGE_CEILING_LEVEL_LIST(X)                                                                                                        \
    X(DRAM, "dram")                                                                                                                        \
    X(LLC, "llc")                                                                                                                          \
    X(L2, "l2")                                                                                                                            \
    X(L1, "l1")
typedef enum ridge_ceiling_level {
#define X(code, name) RIDGE_CEILING_##code,
    RIDGE_CEILING_LEVEL_LIST(X) RIDGE_CEILING_LEVELS
#undef X
} ridge_ceiling_level;
extern const char *const ridge_ceiling_level_names[RIDGE_CEILING_LEVELS + 1];

#define RIDGE_CEILING_UNKNOWN (-1.0)

typedef struct ridge_ceiling_stream {
    ridge_ceiling_level level;
    const ridge_stream *stream; /* the fastest variant */
    unsigned threads;
    size_t footprint_bytes; /* of all arrays and threads together */
    ridge_sample_statistics time;
    double bytes_per_s, low_bytes_per_s, high_bytes_per_s; /* of all threads; the 95 % interval of the median */
} ridge_ceiling_stream;

typedef struct ridge_ceiling_peak {
    const ridge_peak *peak;
    unsigned threads;
    ridge_sample_statistics time;
    double flops_per_s, low_flops_per_s, high_flops_per_s; /* of all threads */
    double clock_hz;        /* median of multiply chains that took turns with the load; negative: not known */
    double flops_per_cycle; /* of one thread; negative: not known */
} ridge_ceiling_peak;

/* what it takes to have threads do nothing, seconds */
typedef struct ridge_ceiling_overhead {
    unsigned threads;
    double barrier_s; /* between two phases */
    double region_s;  /* a whole run of threads that wait for it */
    double wake_s;    /* a whole run of threads that sleep; negative: not known, as with one thread */
} ridge_ceiling_overhead;

typedef struct ridge_ceilings {
    ridge_ceiling_stream *streams;
    ridge_ceiling_peak *peaks;
    ridge_ceiling_overhead *overheads;
    size_t stream_count, peak_count, overhead_count;
    double clock_resolution_s;
    bool huge_pages;  /* the large buffers had them */
    bool interrupted; /* not all was measured */
} ridge_ceilings;

typedef struct ridge_ceilings_options {
    const unsigned *threads; /* counts, ascending */
    size_t thread_counts;
    size_t cache_bytes[RIDGE_CEILING_LEVELS]; /* of one instance of llc, l2, l1 (data); 0: not measured. dram: memory to use at most */
    double budget_s;                          /* of everything; 0: 20 s */
    void (*progress)(void *context, const char *what, size_t done, size_t total); /* NULL: none */
    void *context;
} ridge_ceilings_options;

ridge_status ridge_ceilings_measure(ridge_ceilings **out, const ridge_ceilings_options *options, ridge_arena *arena, ridge_err *err);

/* The best of a level, kind and precision over all thread counts; NULL where none was measured. */
const ridge_ceiling_stream *ridge_ceilings_stream(const ridge_ceilings *ceilings, ridge_ceiling_level level, ridge_stream_kind kind);
const ridge_ceiling_peak *ridge_ceilings_peak(const ridge_ceilings *ceilings, const char *precision);

/* {"bandwidth": [..], "flops": [..], "overhead": [..], ..}; rows of the last two as tables */
extern const ridge_record ridge_ceilings_record, ridge_ceiling_peak_record, ridge_ceiling_overhead_record;

#endif
