/* plan.h - kernels (cost/kernels.h) on a machine: seconds for one workload or for millions.
 * In: the kernels of a model, their numbers concrete or symbolic; a machine; formats. Out: a plan in the arena; then, for batches of
 * points, the time of the pass and of each kernel. A point is arithmetic: nothing is allocated, parsed or looked up in it.
 * One kernel: max(matrix, vector, memory) + launches (predict/roofline.h); a pass is the sum of its kernels, one after the other.
 * Fails where the machine gives neither a peak that would do nor a bandwidth. docs/prediction.md has the rules. */
#ifndef RIDGE_PREDICT_PLAN_H
#define RIDGE_PREDICT_PLAN_H

#include "cost/kernels.h"
#include "predict/numeric.h"
#include "predict/parallel/exchange.h"
#include "predict/roofline.h"

#define RIDGE_METHOD_LIST(X)                                                                                                               \
    X(ROOFLINE, roofline) /* the bound itself: nothing is faster */                                                                        \
    X(ESTIMATE, estimate) /* what such a kernel reaches (predict/estimate.h) */
typedef enum ridge_method {
#define X(code, name) RIDGE_METHOD_##code,
    RIDGE_METHOD_LIST(X) RIDGE_METHOD_COUNT
#undef X
} ridge_method;
extern const char *const ridge_method_names[];

/* The part of a kernel that one of several devices does (predict/parallel/parallel.h finds it), and how often. */
typedef struct ridge_plan_split {
    double compute, weights, activations, kv; /* of its FLOPs and bytes, the part of one device */
    double calls;                             /* passes of its place in a pipeline, in one pass of the model */
    double device_calls;                      /* ... and passes that one device does, on average */
    double tokens;                            /* a mixture: replicas whose tokens meet at its experts */
    bool rows;                                /* a matrix split along its inputs, not its outputs */
    bool link;                                /* a message of cost.reads[INTERMEDIATES] bytes; moves nothing in memory */
    double wire_bytes;                        /* ... one device sends this times the bytes */
    ridge_exchange exchange;
} ridge_plan_split;

typedef struct ridge_plan_options {
    const ridge_machine *machine;
    ridge_graph *graph; /* of the kernels: asked for what the catalog counts (estimates) */
    const ridge_format *weights, *activations, *kv;
    ridge_method method;
    double launch_s;                /* of every kernel; negative: the machine's, 0 where that is unknown */
    bool causal;                    /* attention counts the causal pairs alone (estimates) */
    ridge_kernel_mode kernel;       /* eager: every expert launches its own kernels; fused: one grouped kernel */
    ridge_value tokens;             /* B*S, of which each is routed to its experts */
    ridge_int weight_bytes;         /* of the whole model: do they stay in a cache from pass to pass? */
    const ridge_plan_split *splits; /* [kernels]; NULL: one device does all */
} ridge_plan_options;

/* what one kernel of the plan computes at */
typedef struct ridge_plan_rates {
    ridge_computes_at matmul, attention;
    double vector_flops_per_s, bytes_per_s;
} ridge_plan_rates;

typedef struct ridge_plan ridge_plan;
ridge_status ridge_plan_make(ridge_plan **out, const ridge_kernels *kernels, const ridge_plan_options *options, const ridge_calc *calc);
const ridge_plan_rates *ridge_plan_rates_of(const ridge_plan *plan);
/* seconds of one launch, as counted */
double ridge_plan_launch_s(const ridge_plan *plan);

/* One kernel at one point; all its calls together. */
typedef struct ridge_plan_kernel_times {
    double flops, bytes, weight_bytes;
    double device_flops, device_bytes;                     /* what one device does of them while time_s passes */
    double main_memory_s;                                  /* what one device brings from main memory, at its bandwidth */
    bool message;                                          /* to other devices: link_bytes and link_s alone */
    double link_bytes, link_s;                             /* sent by one device */
    double compute_s, memory_s, waits_s, launch_s, time_s; /* waits: latencies that nothing overlaps (estimates) */
    double launches;
} ridge_plan_kernel_times;

/* The pass at a batch of points, one number per lane. */
typedef struct ridge_plan_times {
    double time_s[RIDGE_LANES];
    double memory_s[RIDGE_LANES], launch_s[RIDGE_LANES]; /* the parts of time_s in memory-bound kernels, and in launches */
    double flops[RIDGE_LANES], bytes[RIDGE_LANES];       /* of the pass */
    double link_s[RIDGE_LANES];                          /* the part of time_s in messages */
    double expert_bytes[RIDGE_LANES];                    /* weights of expected experts, each mixture's rounded; part of bytes */
} ridge_plan_times;

/* a thread's working memory */
typedef struct ridge_plan_room {
    ridge_numeric_room numeric;
    struct plan_memo *memo; /* estimates: [kernel] */
} ridge_plan_room;
bool ridge_plan_room_make(ridge_plan_room *room, const ridge_plan *plan);
void ridge_plan_room_free(ridge_plan_room *room);

/* inputs[input][lane], by ridge_atom.input of the algebra; NULL for concrete kernels */
void ridge_plan_run(const ridge_plan *plan, ridge_plan_room *room, ridge_plan_times *out, const double (*inputs)[RIDGE_LANES]);
/* kernel i at one lane of the last run */
ridge_plan_kernel_times ridge_plan_kernel_at(const ridge_plan *plan, ridge_plan_room *room, size_t i, int lane);

/* experts of E that n tokens with k each are expected to reach, under uniform routing: E (1 - (1 - k/E)^n) */
double ridge_expected_experts(double experts, double per_token, double tokens);

#endif
