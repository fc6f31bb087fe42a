/* collectives.h - what it costs that devices share a model: the collectives between them, the bubble of a pipeline.
 * In: how many devices, the bytes of a message, a link. Out: seconds, and the bytes that one device sends.
 * Ring algorithms: Thakur, Rabenseifner, Gropp 2005; the factors are those of NCCL's doc/PERFORMANCE.md. A link's bandwidth is one
 * direction of one device. Nothing fails: one device sends nothing and waits for nothing. docs/parallel.md */
#ifndef RIDGE_PREDICT_PARALLEL_COLLECTIVES_H
#define RIDGE_PREDICT_PARALLEL_COLLECTIVES_H

#include <stdint.h>

/* code, name, class of its row */
#define RIDGE_COLLECTIVE_LIST(X)                                                                                                           \
    X(ALL_REDUCE, "all-reduce", "collective.all_reduce")                                                                                   \
    X(ALL_GATHER, "all-gather", "collective.all_gather")                                                                                   \
    X(REDUCE_SCATTER, "reduce-scatter", "collective.reduce_scatter")                                                                       \
    X(ALL_TO_ALL, "all-to-all", "collective.all_to_all")                                                                                   \
    X(SEND, "send", "collective.send")
typedef enum ridge_collective {
#define X(code, name, class_name) RIDGE_COLLECTIVE_##code,
    RIDGE_COLLECTIVE_LIST(X) RIDGE_COLLECTIVE_COUNT
#undef X
} ridge_collective;
extern const char *const ridge_collective_names[];
extern const char *const ridge_collective_classes[];

/* Of `bytes`, the part one device sends. bytes: all-reduce: of the array every device has; all-gather, reduce-scatter: of the gathered
 * (whole) array; all-to-all: of what one device holds before, its own part included; send: of the message. */
double ridge_collective_factor(ridge_collective kind, int64_t devices);
/* messages one after the other, each of which waits for the link's latency */
double ridge_collective_steps(ridge_collective kind, int64_t devices);

/* of the time of a step, the part in which a stage waits: (p - 1) / (m + p - 1); GPipe, Huang 2019 */
double ridge_pipeline_bubble(int64_t stages, int64_t microbatches);

#endif
