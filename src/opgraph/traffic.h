/* traffic.h - what the steps of a run move, and which run in one kernel.
 * In: a run. Out: elements by kind and format that each step reads and writes, alone and as one kernel with the elementwise steps that
 * follow it; bytes that are alive at once. Steps whose operands have no known format become unknown. */
#ifndef RIDGE_OPGRAPH_TRAFFIC_H
#define RIDGE_OPGRAPH_TRAFFIC_H

#include "opgraph/run.h"

/* elements of one kind and format */
typedef struct ridge_opgraph_amount {
    ridge_byte_kind kind; /* WEIGHTS or ACTIVATIONS */
    const ridge_format *format;
    ridge_int elements;
} ridge_opgraph_amount;

typedef struct ridge_opgraph_amounts {
    ridge_opgraph_amount *p;
    size_t n, cap;
} ridge_opgraph_amounts;

typedef struct ridge_opgraph_moves {
    ridge_opgraph_amounts reads, writes; /* of the step alone */
    uint32_t group;                      /* the step whose kernel it runs in: its own number where it begins one */
    uint32_t next, last;                 /* the next step of that kernel; of who begins one, its last; RIDGE_OPGRAPH_NONE: none */
    bool joined;                         /* others run in the kernel that it begins */
    ridge_opgraph_amounts fused_reads, fused_writes;
} ridge_opgraph_moves;

typedef struct ridge_opgraph_traffic {
    ridge_opgraph_moves *of; /* [run->step_count] */
    ridge_int peak;          /* bytes of tensors that are no weights, alive at once at most */
    ridge_int step_peak;     /* ... of one step's operands alone, at most */
} ridge_opgraph_traffic;

ridge_status ridge_opgraph_traffic_make(ridge_opgraph_traffic *out, ridge_opgraph_run *run);

#endif
