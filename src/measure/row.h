/* row.h - one measured result, as every output, the store and `compare` have it (INTERFACE, "ridge bench").
 * In: a problem, a variant, statistics; FLOPs and bytes from the catalog. Out: one struct; strings live as long as its arena.
 * Numbers nobody knows are negative and print as null. */
#ifndef RIDGE_MEASURE_ROW_H
#define RIDGE_MEASURE_ROW_H

#include "base/number.h"
#include "kernel/kernel.h"
#include "measure/measure.h"

#define RIDGE_MEASURE_UNKNOWN (-1.0)

typedef enum ridge_cache_state { RIDGE_CACHE_HOT, RIDGE_CACHE_COLD } ridge_cache_state;
extern const char *const ridge_cache_state_names[]; /* "hot", "cold" */

typedef struct ridge_measured_row {
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
    double error;      /* |predicted - measured| / measured */
    const char *bound; /* as predicted: "memory", "compute"; NULL: not predicted */
    double max_relative_error; /* against the reference, by kernel.h's scale */
    bool beats_roofline;       /* then a ceiling or a byte count is wrong, and the output says so */
    const char *machine;       /* fingerprint hash, 16 hexadecimal digits */
} ridge_measured_row;

/* one row as INTERFACE has it: an object */
struct ridge_json_writer;
void ridge_measured_row_json(struct ridge_json_writer *w, const ridge_measured_row *row);
/* ... its members, into an object that is open */
void ridge_measured_row_json_members(struct ridge_json_writer *w, const ridge_measured_row *row);

#endif
