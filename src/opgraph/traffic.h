/* traffic.h - what the steps of a run move, and which run in one kernel.
 * In: a run. Out: elements by kind and format that each step reads and writes, alone and as one kernel with the elementwise steps that
 * follow it; bytes that are alive at once. Steps whose operands have no known format become unknown. */
#ifndef RIDGE_OPGRAPH_TRAFFIC_H
#define RIDGE_OPGRAPH_TRAFFIC_H

#include "opgraph/run.h"

/* elements of one kind and format */
typedef struct ridge_op_amount {
    ridge_byte_kind kind; /* WEIGHTS or ACTIVATIONS */
    const ridge_format *format;
    ridge_int elements;
} ridge_op_amount;

typedef struct ridge_op_amounts {
    ridge_op_amount *p;
    size_t n, cap;
} ridge_op_amounts;

typedef struct ridge_op_moves {
    ridge_op_amounts reads, writes; /* of the step alone */
    uint32_t group;                 /* the step whose kernel it runs in: its own number where it begins one */
    uint32_t next, last;            /* the next step of that kernel; of who begins one, its last; RIDGE_OP_NONE: none */
    bool joined;                    /* others run in the kernel that it begins */
    ridge_op_amounts fused_reads, fused_writes;
} ridge_op_moves;

typedef struct ridge_op_traffic {
    ridge_op_moves *of;  /* [run->step_count] */
    ridge_int peak;      /* bytes of tensors that are no weights, alive at once at most */
    ridge_int step_peak; /* ... of one step's operands alone, at most */
} ridge_op_traffic;

ridge_status ridge_op_traffic_make(ridge_op_traffic *out, ridge_op_run *run);

#endif
