/* plan_parts.h - what a plan is made of; private to plan.c and plan_estimate.c. */
#ifndef RIDGE_PREDICT_PLAN_PARTS_H
#define RIDGE_PREDICT_PLAN_PARTS_H

#include "predict/estimate.h"
#include "predict/plan.h"

/* what the numeric program computes of each kernel, for one call */
typedef enum quantity {
    MATMUL,
    ATTENTION,
    VECTOR,
    WEIGHTS,
    ACTIVATIONS,
    KV,
    CALLS,
    ROUTED,
    HIT,
    WRITTEN,
    QUERIES,
    KEYS,
    PAIRS,
    QUANTITIES
} quantity;
/* ... and of the whole pass */
typedef enum total { TOTAL_FLOPS, TOTAL_BYTES, TOTAL_TOKENS, TOTALS } total;

/* what an estimate needs to know of a kernel beside its counts */
typedef enum shape_kind { SHAPE_STREAM, SHAPE_GEMM, SHAPE_ATTENTION } shape_kind;
typedef struct plan_shape {
    shape_kind kind;
    int64_t n, k;                      /* GEMM: of its weight [n, k]; m follows from its FLOPs */
    int64_t heads, kv_heads, head_dim; /* attention; queries, keys and pairs of a sequence are quantities */
    bool causal;                       /* a query looks at keys up to its own position; an encoder's at all */
} plan_shape;

typedef struct plan_kernel {
    uint32_t output[QUANTITIES]; /* of the numeric program */
    bool has[QUANTITIES];        /* false: it is 0 (CALLS: 1) for every workload */
    ridge_mixture_form mixture;
    bool all_run;
    double launches, experts, per_token;
    double shared;               /* devices that share its arithmetic */
    const ridge_format *weights; /* of what it multiplies with */
    double seconds_per_matmul_flop;
    ridge_plan_split split;
    plan_shape shape;
} plan_kernel;

/* a kernel's estimate depends on little that changes from point to point: FLOPs of three kinds, bytes of weights, read and written,
 * queries, keys, products */
enum { PLAN_MEMO_KEY = 9 };
typedef struct plan_memo {
    double key[PLAN_MEMO_KEY];
    bool known;
    ridge_estimate estimate;
} plan_memo;

struct ridge_plan {
    ridge_numeric *numeric;
    plan_kernel *kernels;
    size_t count;
    uint32_t totals[TOTALS];
    ridge_plan_rates rates;
    double seconds_per_flop[3]; /* by quantity: MATMUL, ATTENTION, VECTOR */
    double launch_s;
    bool grouped; /* a mixture's experts are one kernel */
    /* per kind of bytes: the level that holds the working set */
    const ridge_machine *machine;
    bool caches; /* a level beside main memory has a known bandwidth */
    double weight_seconds_per_byte, seconds_per_byte;
    bool estimate; /* of what such kernels reach, not the bound alone */
    bool causal, launch_given;
    const ridge_format *weights, *activations_format, *kv;
};

/* one kernel, one call, all lanes */
typedef struct lanes {
    double compute_s[RIDGE_LANES], memory_s[RIDGE_LANES], weights[RIDGE_LANES], launches[RIDGE_LANES];
    double waits_s[RIDGE_LANES], launch_s[RIDGE_LANES]; /* what nothing overlaps: latencies, launches */
} lanes;

/* a quantity of one kernel, one number per lane */
const double *ridge_plan_quantity(const ridge_plan *plan, const ridge_plan_room *room, const plan_kernel *kernel, quantity q);
/* a mixture's experts that the tokens are expected to reach, of a lane: those whose work the kernel does */
double ridge_plan_reached(const ridge_plan *plan, const ridge_plan_room *room, const plan_kernel *kernel, int lane);
/* the shape of a kernel, and the values of QUERIES and KEYS where it is attention */
ridge_status ridge_plan_shape_of(plan_shape *out, ridge_value *queries, ridge_value *keys, ridge_graph *graph, const ridge_kernel *kernel);
/* the value of PAIRS; causal attention is taken so where the queries can end with the last key */
ridge_status ridge_plan_pairs_of(ridge_value *out, const ridge_plan_options *options, bool causal, ridge_value queries, ridge_value keys);
/* turns the bound of a kernel (in `l`) into what such a kernel reaches */
void ridge_plan_estimate(lanes *l, const ridge_plan *plan, ridge_plan_room *room, const plan_kernel *kernel);

#endif
