/* row.h - one measured result, as every output, the store and `compare` have it.
 * In: a problem, a variant, statistics; FLOPs and bytes from the catalog. Out: one struct and its record (report/record.h), from which
 * JSON, CSV, the store's columns and what is read back all follow; strings live as long as the row's arena.
 * Numbers nobody knows are negative. */
#ifndef RIDGE_MEASURE_ROW_H
#define RIDGE_MEASURE_ROW_H

#include "base/number.h"
#include "kernel/kernel.h"
#include "measure/measure.h"
#include "report/record.h"

#define RIDGE_MEASURE_UNKNOWN (-1.0)

#define RIDGE_CACHE_STATE_LIST(X)                                                                                                          \
    X(HOT, "hot")   /* operands are where the last call left them */                                                                       \
    X(COLD, "cold") /* the large one comes from another place each call */
typedef enum ridge_cache_state {
#define X(code, name) RIDGE_CACHE_##code,
    RIDGE_CACHE_STATE_LIST(X) RIDGE_CACHE_STATES
#undef X
} ridge_cache_state;
extern const char *const ridge_cache_state_names[RIDGE_CACHE_STATES + 1];

/* the side of the roofline that bounds a kernel; negative: not known */
#define RIDGE_SIDE_LIST(X)                                                                                                                 \
    X(MEMORY, "memory")                                                                                                                    \
    X(COMPUTE, "compute")
typedef enum ridge_side {
    RIDGE_SIDE_UNKNOWN = -1,
#define X(code, name) RIDGE_SIDE_##code,
    RIDGE_SIDE_LIST(X) RIDGE_SIDES
#undef X
} ridge_side;
extern const char *const ridge_side_names[RIDGE_SIDES + 1];

typedef struct ridge_measured_row {
    int64_t run;                             /* its number in the store; 0: in none */
    const char *kernel, *variant, *provider; /* "gemv", "avx512-vnni", "ridge"; a user's own kernel has its name */
    const char *shape;                       /* JSON object of the sizes: {"n": 14336, "k": 4096} */
    const char *format;                      /* of the weights (K, V); "activations" where there are none */
    const char *activations;
    unsigned threads;
    ridge_cache_state cache;
    ridge_sample_statistics time;
    ridge_int flops, bytes; /* of one call, from the catalog; negative: unknown */
    double flops_per_s, bytes_per_s;
    double percent_of_ceiling; /* of the ceiling that bounds it, 0..100 */
    double predicted_s;
    double error;              /* |predicted - measured| / measured */
    ridge_side bound;          /* as predicted */
    double max_relative_error; /* against the reference, by kernel.h's scale */
    bool beats_roofline;       /* then a ceiling or a byte count is wrong, and the output says so */
    const char *machine;       /* fingerprint hash, 16 hexadecimal digits */
} ridge_measured_row;

/* a row of Ridge's own of which nothing else is known */
ridge_measured_row ridge_measured_row_unknown(void);

/* "gemv 14336x4096": the kernel and its sizes in order; flags that are set by name. NULL where memory runs out */
const char *ridge_measured_row_problem(ridge_arena *arena, const ridge_measured_row *row);
/* "2 cold": threads, cache */
const char *ridge_measured_row_how(ridge_arena *arena, const ridge_measured_row *row);

/* of ridge_sample_statistics: {"median", "low", "high"} */
extern const ridge_record ridge_interval_record;
/* what was measured: kernel to cache; what the store keeps of a row; the same with its machine; with its run too */
extern const ridge_record ridge_measured_kernel_record, ridge_measured_record, ridge_measured_row_record, ridge_stored_row_record;
/* columns for people: problem; variant, format, threads and cache */
extern const ridge_record ridge_measured_problem_record, ridge_measured_how_record;

#endif
