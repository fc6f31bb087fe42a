/* roofline.h - the time of one kernel on one machine: max(FLOPs / peak, bytes / bandwidth), and which of the two it is.
 * In: FLOPs and bytes (exact counts become doubles here, nowhere before), a machine, the precision it computes at.
 * Out: times in seconds, the bound, what was taken instead of a precision the chip lacks.
 * Williams, Waterman, Patterson 2009; FACTS "Roofline". A rate that a machine does not give is unknown and bounds nothing: the bound is
 * then of what is known. Fails where nothing is, naming the machine. */
#ifndef RIDGE_PREDICT_ROOFLINE_H
#define RIDGE_PREDICT_ROOFLINE_H

#include "base/option.h"
#include "machine/machine.h"

typedef enum ridge_bound { RIDGE_BOUND_MEMORY, RIDGE_BOUND_COMPUTE, RIDGE_BOUND_LAUNCH, RIDGE_BOUND_LINK } ridge_bound;
extern const char *const ridge_bound_names[]; /* "memory", "compute", "launch", "link"; NULL-terminated */

/* What a kernel computes at. `wanted` follows from its operands' formats; `used` is the narrowest precision of the chip that holds both
 * operands, its peak the one that counts. They differ where the chip lacks units for `wanted`: then the output says so. */
typedef struct ridge_computes_at {
    ridge_precision wanted, used;
    double peak_flops_per_s; /* of `used`; RIDGE_MACHINE_UNKNOWN: the machine's file does not give it, and arithmetic bounds nothing */
} ridge_computes_at;
bool ridge_rate_is_known(const ridge_computes_at *at);

/* Operands in formats a (activations) and b (weights, or K and V). Weight-only formats (q4_K, nf4, int4_g128, int2, ...) take the
 * other operand's precision, and where the chip lacks that of 16 bits the other one of 16 bits (they are unpacked either way); otherwise
 * the wider of the two counts, int8 with a float format the float. A precision the chip lacks (ridge_machine.lacks) is converted to the
 * next wider one that it does not: nvfp4, mxfp4, int4 -> fp8 or int8 -> bf16 -> fp16 (bf16 -> fp32) -> tf32 -> fp32 -> fp64. A peak that
 * is merely not given is unknown: no other format's stands in for it.
 * UNKNOWN for a format of indices and masks, which no machine multiplies. */
ridge_status ridge_computes_at_find(ridge_computes_at *out, const ridge_machine *machine, const ridge_format *a, const ridge_format *b,
                                    ridge_err *err);

/* What a reader must know of a rate: "a100 has no fp8 units: matrix products are converted and run at its bf16 peak", or that it is not
 * known. `what` computes at it. False where there is nothing to say. */
bool ridge_rate_remark(char *text, size_t room, const ridge_machine *machine, const ridge_computes_at *at, const char *what);

/* the vector units' rate, for what is no matrix product (norms, activations, softmax): the fp32 peak, in double for fp64 and where the
 * chip lacks fp32; 0 = unknown: then such work counts by its bytes alone */
double ridge_vector_flops_per_s(const ridge_machine *machine, const ridge_format *activations);

/* Bandwidth that a working set is read at: of the innermost level that holds it and whose bandwidth is known; else main memory's,
 * RIDGE_MACHINE_UNKNOWN where that is not given: then bytes bound nothing. */
void ridge_bandwidth_find(double *bytes_per_s, const ridge_machine_level **level, const ridge_machine *machine, double working_set);

/* UNKNOWN where neither the rate of the arithmetic (NULL: none is needed) nor the bandwidth is known: no bound is left */
ridge_status ridge_bound_check(const ridge_computes_at *at, double bytes_per_s, const ridge_machine *machine, ridge_err *err);

/* One kernel: matrix and vector units, and the memory levels, work at the same time; the slowest decides. */
typedef struct ridge_kernel_time {
    double compute_s, memory_s, launch_s;
    double time_s;     /* max(compute, memory) + launch */
    ridge_bound bound; /* LAUNCH where launch_s is more than half */
} ridge_kernel_time;

/* what is counted for the launch of a kernel: the option `launch`, in the words "machine", "none" or a time */
typedef struct ridge_launch {
    enum {
        RIDGE_LAUNCH_NONE,    /* nothing */
        RIDGE_LAUNCH_MACHINE, /* what the machine tells */
        RIDGE_LAUNCH_GIVEN    /* these seconds */
    } counted;
    double seconds; /* GIVEN: of one kernel */
} ridge_launch;
/* fills a ridge_launch; USAGE on anything else */
ridge_option_read ridge_launch_read;

/* seconds; memory_s has the sum over the levels; compute_s is that of all FLOPs at the matrix rate (FACTS: FLOPs / peak), or of the
 * vector work at its own where that is longer; launch_s < 0 or unknown counts as 0 */
ridge_kernel_time ridge_kernel_time_of(double matrix_flops, double matrix_flops_per_s, double vector_flops, double vector_flops_per_s,
                                       double memory_s, double launch_s);

/* FLOP/byte at which compute and main memory take the same time */
double ridge_ridge_point(const ridge_machine *machine, double peak_flops_per_s);

#endif
