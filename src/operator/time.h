/* time.h - how long an operator takes on a machine, by the roofline (predict/roofline.h).
 * In: a record of ridge_ops_count, the formats it was counted in, a machine. Out: times, rates and what bounds it.
 * A composite kind is the sum of its kernels, each bounded on its own. docs/operators.md
 * Fails (UNKNOWN) where the machine gives no rate for a matrix product in these formats, or no memory bandwidth. */
#ifndef RIDGE_OPERATOR_TIME_H
#define RIDGE_OPERATOR_TIME_H

#include "operator/ops.h"
#include "predict/roofline.h"

/* launch overhead of a kernel */
typedef enum ridge_op_launch {
    RIDGE_OP_LAUNCH_LEFT_OUT, /* told apart, not part of time_s */
    RIDGE_OP_LAUNCH_MACHINE,  /* the machine's own is part of time_s */
    RIDGE_OP_LAUNCH_GIVEN     /* the caller's is */
} ridge_op_launch;

typedef struct ridge_op_conditions {
    ridge_op_launch launch;
    double launch_s;   /* GIVEN: of one kernel */
    const char *level; /* memory level the operands are in; NULL: the innermost that holds them and whose bandwidth is known */
} ridge_op_conditions;

/* doubles are negative where unknown */
typedef struct ridge_op_time {
    const ridge_machine *machine;
    bool has_matrix, has_attention, has_vector; /* work of this kind is there */
    ridge_computes_at matrix;                   /* products with weights; of attention alone, its own */
    ridge_computes_at attention;                /* products with K and V */
    double vector_flops_per_s;
    double peak_flops_per_s;          /* of what does most of the arithmetic: products where there are any, else the vector units */
    const ridge_machine_level *level; /* the outermost one that a kernel's operands come from */
    double ridge_point;               /* FLOP/byte, at peak_flops_per_s and main memory */
    double memory_s, compute_s;       /* sums over the kernels */
    double unit_s;                    /* of compute_s, what runs at peak_flops_per_s (attention: at its own peak) */
    double launch_s;                  /* of all kernels; in time_s only where `launch_counted` */
    bool launch_counted;
    double time_s; /* the sum of each kernel's max(memory, compute) */
    ridge_bound bound;
    double flops_per_s, bytes_per_s; /* reached: all FLOPs and all bytes over time_s */
} ridge_op_time;

ridge_status ridge_op_time_of(ridge_op_time *out, const ridge_op_record *record, const ridge_op_formats *formats,
                              const ridge_machine *machine, const ridge_op_conditions *conditions, ridge_err *err);

/* how much of the time the units that do most of the arithmetic work, and the memory; negative where unknown */
double ridge_op_percent_of_peak(const ridge_op_time *time);
double ridge_op_percent_of_bandwidth(const ridge_op_time *time);
/* what the vector units calculate in: fp32, or fp64 for fp64 and where the machine gives no fp32 */
ridge_precision ridge_op_vector_wants(const ridge_op_formats *formats);
ridge_precision ridge_op_vector_uses(const ridge_op_formats *formats, const ridge_machine *machine);

#endif
