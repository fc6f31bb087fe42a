/* ridge_measure.h - how long code takes on this machine: any function, a kernel of yours against a reference and the roofline, attention.
 * In: functions and plain arrays. Out: the caller's structs; times are seconds, memory is bytes, what is not known is negative.
 * Functions that return int answer 0, or a positive code (2 wrong use, 1 anything else, 3 a kernel that is wrong); where they take a
 * message, it gets the reason, NUL-terminated, in message[0..size) (NULL, 0 is fine). One object belongs to one thread at a time.
 * docs/profile.md */
#ifndef RIDGE_MEASURE_H
#define RIDGE_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#ifndef RIDGE_API
#if defined(__GNUC__)
#define RIDGE_API __attribute__((visibility("default")))
#else
#define RIDGE_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- any function ---- */

/* of one call, seconds; low .. high is the 95 % interval of the median. A sample during which the thread was preempted, or had its core
 * for less than 97 % of the time, is not kept. */
typedef struct ridge_statistics {
    double median_s, low_s, high_s, mad_s, minimum_s;
    uint32_t kept, tried;
    uint32_t calls_per_sample; /* short functions are called several times a sample */
    int32_t reserved;
} ridge_statistics;

/* Calls function(argument) warm_up times, then takes `iterations` samples (at least 1). */
RIDGE_API int ridge_benchmark(void (*function)(void *argument), void *argument, uint32_t warm_up, uint32_t iterations,
                              ridge_statistics *out);

typedef struct ridge_memory_use {
    int64_t peak_bytes;        /* highest resident set while it ran; of the whole process so far where the system cannot start anew */
    int64_t current_bytes;     /* resident set afterwards */
    int64_t heap_bytes;        /* what malloc holds for the program afterwards */
    int64_t heap_change_bytes; /* since before; what it did not give back */
    double wall_s, cpu_s;
} ridge_memory_use;
/* Calls function(argument) once. */
RIDGE_API int ridge_measure_memory(void (*function)(void *argument), void *argument, ridge_memory_use *out);

/* The same, and what else the run took; -1: the system does not tell. Counters are of user space; `reason` says why there are none. */
typedef struct ridge_run_use {
    ridge_memory_use memory;
    double user_s, system_s; /* CPU time of all threads */
    int64_t voluntary_switches, involuntary_switches, minor_faults, major_faults;
    int64_t cycles, instructions, cache_references, cache_misses, branches, branch_misses;
    char reason[128];
} ridge_run_use;
/* Calls function(argument) once. */
RIDGE_API int ridge_measure_run(void (*function)(void *argument), void *argument, ridge_run_use *out);

/* ---- rows, whoever measured them ---- */

typedef struct ridge_timed_row {
    const char *name;
    double time_s;
    double flops, bytes; /* negative: not known */
} ridge_timed_row;
typedef struct ridge_bottleneck {
    uint64_t index;      /* of the row that takes longest */
    double percent;      /* of the sum of all */
    double memory_share; /* of bytes_per_s that it reaches, 0..1; negative: not known */
    double compute_share;
    int32_t memory_bound; /* 1 memory, 0 compute (the larger share), -1 not known */
    int32_t reserved;
} ridge_bottleneck;
/* bytes_per_s, flops_per_s: ceilings of the machine, 0 where not known. Fails where there is no row, or a time is not above 0. */
RIDGE_API int ridge_identify_bottleneck(ridge_bottleneck *out, const ridge_timed_row *rows, uint64_t count, double bytes_per_s,
                                        double flops_per_s);

/* out[0..*count): the rows that take longest, longest first, equal ones in their order: at most `room`, three for the top three. */
RIDGE_API int ridge_identify_bottlenecks(ridge_bottleneck *out, uint64_t room, uint64_t *count, const ridge_timed_row *rows,
                                         uint64_t row_count, double bytes_per_s, double flops_per_s);

/* ---- attention ---- */

typedef struct ridge_attention_shape {
    uint64_t batch, seq, past, heads, kv_heads, head_dim;
    uint64_t hidden;  /* profile: length of the residual stream; 0: heads * head_dim */
    int32_t causal;   /* optimize: mask keys after the query */
    uint32_t threads; /* 0: 1 */
} ridge_attention_shape;

enum { RIDGE_ATTENTION_COMPONENTS = 5 };
typedef struct ridge_attention_component {
    const char *name; /* "qkv_projection", "scores", "softmax", "weighted_sum", "output_projection" */
    double time_s, percent, predicted_s, percent_of_ceiling;
    int32_t memory_bound; /* as ridge_bottleneck */
    int32_t reserved;
} ridge_attention_component;
typedef struct ridge_attention_profile {
    ridge_attention_component components[RIDGE_ATTENTION_COMPONENTS];
    double total_s; /* their sum */
    char bottleneck[64], recommendation[512];
} ridge_attention_profile;
/* On random data in `format` ("bf16", "fp32", "q4_K", ...), in about budget_s seconds (0: 8). */
RIDGE_API int ridge_profile_attention(ridge_attention_profile *out, const ridge_attention_shape *shape, const char *format, double budget_s,
                                      char *message, size_t size);

/* One kernel at a level: 0 naive, 1 blocked, 2 fused, 3 flash. q, out: float [batch, seq, heads, head_dim]; k, v: float [batch,
 * kv_heads, past + seq, head_dim]; the queries stand at the end of the keys. An array that is 64-byte aligned and a multiple of 64 bytes
 * long is used where it is, others are copied. */
RIDGE_API int ridge_optimize_attention(const float *q, const float *k, const float *v, float *out, const ridge_attention_shape *shape,
                                       int level, char *message, size_t size);

/* ---- kernels of your own ---- */

typedef struct ridge_kernels_own ridge_kernels_own;
RIDGE_API ridge_kernels_own *ridge_kernels_new(void); /* NULL when memory runs out */
RIDGE_API void ridge_kernels_free(ridge_kernels_own *kernels);
/* flops, bytes: of one call; negative: not known. The name is copied; a second one of the same name is refused. */
RIDGE_API int ridge_kernel_register(ridge_kernels_own *kernels, const char *name, void (*function)(void *argument), void *argument,
                                    double flops, double bytes, char *message, size_t size);
/* What is right: after function(argument) `result` holds what reference(argument, expected) writes into expected[count], within
 * tolerance * the root of its mean square. Without a reference a kernel is timed unchecked, and its row says so. */
RIDGE_API int ridge_kernel_set_reference(ridge_kernels_own *kernels, const char *name, void (*reference)(void *argument, double *expected),
                                         const float *result, uint64_t count, double tolerance, char *message, size_t size);
typedef struct ridge_own_row {
    ridge_statistics time;
    double flops_per_s, bytes_per_s, arithmetic_intensity; /* negative: not known */
    double least_s;                                        /* by the roofline of these ceilings */
    double percent_of_ceiling;                             /* least_s of the time */
    double max_relative_error;                             /* negative: no reference */
    int32_t memory_bound;                                  /* as predicted; -1: not known */
    int32_t beats_roofline;                                /* 1: a ceiling, or the FLOPs or bytes that were given, are wrong */
} ridge_own_row;
/* Checks (3: wrong, not timed), then times; bytes_per_s and flops_per_s are the ceilings, 0 where not known (ridge_measure_ceilings). */
RIDGE_API int ridge_kernel_measure(ridge_own_row *out, ridge_kernels_own *kernels, const char *name, uint32_t iterations,
                                   double bytes_per_s, double flops_per_s, char *message, size_t size);
/* Measures main memory's read bandwidth and the fp32 peak of so many threads, in about budget_s seconds (0: 2). */
RIDGE_API int ridge_measure_ceilings(double *bytes_per_s, double *flops_per_s, uint32_t threads, double budget_s, char *message,
                                     size_t size);

/* ---- timelines ---- */

typedef struct ridge_timeline ridge_timeline;
/* events: kept per thread, the last ones. NULL when memory runs out or a number is 0. */
RIDGE_API ridge_timeline *ridge_timeline_new(uint32_t threads, uint64_t events);
RIDGE_API void ridge_timeline_free(ridge_timeline *timeline);
/* Told of every region too, on its thread: ITT, NVTX or anything alike. NULL functions take them away. */
RIDGE_API void ridge_timeline_hooks(ridge_timeline *timeline, void (*begin)(void *context, const char *name), void (*end)(void *context),
                                    void *context);
/* Regions of thread 0 .. threads - 1, nested; name outlives the timeline. Each thread marks its own; nothing is locked or allocated. */
RIDGE_API void ridge_timeline_push(ridge_timeline *timeline, uint32_t thread, const char *name);
RIDGE_API void ridge_timeline_pop(ridge_timeline *timeline, uint32_t thread);
/* Marks to leave in code: with a NULL timeline they cost one predicted branch. */
#define RIDGE_REGION_BEGIN(timeline, thread, name) ((timeline) ? ridge_timeline_push(timeline, thread, name) : (void)0)
#define RIDGE_REGION_END(timeline, thread)         ((timeline) ? ridge_timeline_pop(timeline, thread) : (void)0)
/* The JSON that chrome://tracing and Perfetto load; NULL when memory runs out; free with ridge_timeline_text_free. */
RIDGE_API char *ridge_timeline_json(const ridge_timeline *timeline);
RIDGE_API void ridge_timeline_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
