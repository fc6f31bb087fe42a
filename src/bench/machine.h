/* machine.h - what the machine here can do with so many threads: as detected, and by ceilings measured just now.
 * In: thread counts, a budget. Out: the ceilings, and for every count a machine that roofline.h takes; all in the arena.
 * Fails as ridge_detect and ridge_ceilings_measure do. */
#ifndef RIDGE_BENCH_MACHINE_H
#define RIDGE_BENCH_MACHINE_H

#include "machine/machine.h"
#include "measure/ceilings.h"

/* What a kernel does to memory decides which loop is its ceiling: one that writes can be faster than any that only reads (two ports to
 * a cache), and one that writes past the caches moves more bytes it asked for. */
#define RIDGE_BENCH_MIX_LIST(X)                                                                                                            \
    X(READS, RIDGE_STREAM_READ, RIDGE_STREAM_READ)                                                                                         \
    X(COPIES, RIDGE_STREAM_COPY, RIDGE_STREAM_COPY_NT)     /* as much written as read */                                                   \
    X(COMBINES, RIDGE_STREAM_TRIAD, RIDGE_STREAM_TRIAD_NT) /* two arrays read, one written */
typedef enum ridge_bench_mix {
#define X(code, ...) RIDGE_BENCH_##code,
    RIDGE_BENCH_MIX_LIST(X) RIDGE_BENCH_MIXES
#undef X
} ridge_bench_mix;

/* The machine as `threads` threads have it: peaks and bandwidths are theirs, a core's own caches count once a thread. */
typedef struct ridge_bench_rates {
    unsigned threads;
    ridge_machine theory;   /* as detected: peaks are a share of all cores'; bandwidths of all, where they are known at all */
    ridge_machine measured; /* by the ceilings */
    ridge_machine mixed[RIDGE_BENCH_MIXES];         /* the same, each level at the rate of the mix's fastest loop, or the reading one's */
    const ridge_peak *peaks[RIDGE_PRECISION_COUNT]; /* the loop that reaches each precision's peak; NULL: not measured */
    const ridge_stream *streams[RIDGE_CEILING_LEVELS][RIDGE_BENCH_MIXES]; /* the loop of that rate; NULL: not measured */
} ridge_bench_rates;

struct ridge_detected;
typedef struct ridge_bench_machine {
    const struct ridge_detected *detected;
    const ridge_ceilings *ceilings;
    ridge_bench_rates *rates; /* [rate_count], by thread count as asked for */
    size_t rate_count;
    const char *fingerprint; /* 16 hexadecimal digits */
    const char *label;       /* one line for people */
    const char *text;        /* measure/fingerprint.h */
} ridge_bench_machine;

typedef struct ridge_bench_machine_options {
    const unsigned *threads;
    size_t thread_count;
    double budget_s;               /* of the ceilings, all of them */
    int64_t bandwidth_bytes_per_s; /* of main memory, told by the user for the theory; 0: not told */
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
} ridge_bench_machine_options;

ridge_status ridge_bench_machine_make(ridge_bench_machine **out, const ridge_bench_machine_options *options, ridge_arena *arena,
                                      ridge_err *err);

/* the members "machine" (fingerprint, name, what was detected) and "ceilings" of an answer */
extern const ridge_record ridge_bench_machine_record;

/* ---- for who measures ceilings himself ---- */
/* bytes of memory that may be used */
int64_t ridge_bench_memory(const struct ridge_detected *detected);
/* of one cache of each level; 0: not known. Main memory's is left alone. */
void ridge_bench_cache_bytes(size_t out[RIDGE_CEILING_LEVELS], const struct ridge_detected *detected);

#endif
