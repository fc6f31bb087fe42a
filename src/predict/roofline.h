/* roofline.h - the time of one kernel on one machine: max(FLOPs / peak, bytes / bandwidth), and which of the two it is.
 * In: FLOPs and bytes (exact counts become doubles here, nowhere before), a machine, the precision it computes at.
 * Out: times in seconds, the bound, what was taken instead of a precision the chip lacks.
 * Williams, Waterman, Patterson 2009; FACTS "Roofline". Fails where the machine gives no rate that would do, naming the machine. */
#ifndef RIDGE_PREDICT_ROOFLINE_H
#define RIDGE_PREDICT_ROOFLINE_H

#include "base/format.h"
#include "machine/machine.h"

typedef enum ridge_bound { RIDGE_BOUND_MEMORY, RIDGE_BOUND_COMPUTE, RIDGE_BOUND_LAUNCH, RIDGE_BOUND_LINK } ridge_bound;
extern const char *const ridge_bound_names[]; /* "memory", "compute", "launch", "link"; NULL-terminated */

/* What a kernel computes at. `wanted` follows from its operands' formats; `used` is the narrowest precision of the chip that holds both
 * operands, its peak the one that counts. They differ where the chip lacks `wanted`: then the output says so. */
typedef struct ridge_computes_at {
    ridge_precision wanted, used;
    double peak_flops_per_s; /* of `used` */
} ridge_computes_at;

/* Operands in formats a (activations) and b (weights, or K and V). Weight-only formats (q4_K, nf4, int4_g128, int2, ...) take the
 * other operand's precision; otherwise the wider of the two counts, int8 with a float format the float. A precision the chip lacks
 * runs at the next wider one it has: nvfp4, mxfp4, int4 -> fp8 or int8 -> bf16 -> fp16 (bf16 -> fp32) -> tf32 -> fp32 -> fp64.
 * UNKNOWN where the machine gives no peak from there on, VALUE never. */
ridge_status ridge_computes_at_find(ridge_computes_at *out, const ridge_machine *machine, const ridge_format *a, const ridge_format *b,
                                    ridge_err *err);

/* the vector units' rate, for what is no matrix product (norms, activations, softmax): the fp32 peak, in double for fp64; where the
 * machine does not give it, the narrowest known wider one, else 0 = unknown: then such work counts by its bytes alone */
double ridge_vector_flops_per_s(const ridge_machine *machine, const ridge_format *activations);

/* Bandwidth that a working set is read at: of the innermost level that holds it and whose bandwidth is known; else main memory's.
 * UNKNOWN where main memory's is not given. */
ridge_status ridge_bandwidth_find(double *bytes_per_s, const ridge_machine_level **level, const ridge_machine *machine, double working_set,
                                  ridge_err *err);

/* One kernel: matrix and vector units, and the memory levels, work at the same time; the slowest decides. */
typedef struct ridge_kernel_time {
    double compute_s, memory_s, launch_s;
    double time_s;     /* max(compute, memory) + launch */
    ridge_bound bound; /* LAUNCH where launch_s is more than half */
} ridge_kernel_time;

/* seconds; memory_s has the sum over the levels; compute_s is that of all FLOPs at the matrix rate (FACTS: FLOPs / peak), or of the
 * vector work at its own where that is longer; launch_s < 0 or unknown counts as 0 */
ridge_kernel_time ridge_kernel_time_of(double matrix_flops, double matrix_flops_per_s, double vector_flops, double vector_flops_per_s,
                                       double memory_s, double launch_s);

/* FLOP/byte at which compute and main memory take the same time */
double ridge_ridge_point(const ridge_machine *machine, double peak_flops_per_s);

#endif
