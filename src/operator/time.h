/* time.h - how long an operator takes on a machine, by the roofline (predict/roofline.h).
 * In: a record of ridge_ops_count, the formats it was counted in, a machine. Out: times, rates and what bounds it.
 * A composite kind is the sum of its kernels, each bounded on its own. docs/operators.md
 * A rate or a bandwidth that the machine does not give bounds nothing. Fails (UNKNOWN) where neither is known. */
#ifndef RIDGE_OPERATOR_TIME_H
#define RIDGE_OPERATOR_TIME_H

#include "operator/ops.h"
#include "predict/roofline.h"

typedef struct ridge_op_conditions {
    ridge_launch launch; /* what of it is part of time_s; launch_s tells the machine's all the same */
    const char *level;   /* memory level the operands are in; NULL: the innermost that holds them and whose bandwidth is known */
} ridge_op_conditions;

typedef enum ridge_op_unit { RIDGE_OP_MATRIX_UNIT, RIDGE_OP_VECTOR_UNIT } ridge_op_unit;
extern const char *const ridge_op_unit_names[];

/* What a unit computes at: what the formats want, and what the machine has instead. */
typedef struct ridge_op_rate {
    ridge_precision wanted, used;
    ridge_op_unit unit;
    double peak_flops_per_s; /* negative where the machine gives none */
} ridge_op_rate;

/* doubles are negative where unknown */
typedef struct ridge_op_time {
    const ridge_machine *machine;
    bool has_matrix, has_attention, has_vector; /* work of this kind is there */
    ridge_op_rate matrix;                       /* products with weights; of attention alone, its own */
    ridge_op_rate attention;                    /* products with K and V */
    ridge_op_rate vector;
    const ridge_machine_level *level; /* the outermost one that a kernel's operands come from */
    double ridge_point;               /* FLOP/byte, at the main rate's peak and main memory */
    double memory_s, compute_s;       /* sums over the kernels */
    double unit_s;                    /* of compute_s, what runs at the main rate (attention: at its own) */
    double launch_s;                  /* of all kernels; in time_s only where `launch_counted` */
    bool launch_counted;
    double time_s; /* the sum of each kernel's max(memory, compute) */
    ridge_bound bound;
    double flops_per_s, bytes_per_s;              /* reached: all FLOPs and all bytes over time_s */
    double percent_of_peak, percent_of_bandwidth; /* of the time in which the units of the main rate work, and the memory */
} ridge_op_time;

ridge_status ridge_op_time_of(ridge_op_time *out, const ridge_op_record *record, const ridge_op_formats *formats,
                              const ridge_machine *machine, const ridge_op_conditions *conditions, ridge_err *err);

/* the rate of what does most of the arithmetic: products where there are any, else the vector units */
const ridge_op_rate *ridge_op_main_rate(const ridge_op_time *time);
/* what the vector units calculate in: fp32, or fp64 for fp64 and where the machine lacks fp32 */
ridge_precision ridge_op_vector_uses(const ridge_op_formats *formats, const ridge_machine *machine);

#endif
