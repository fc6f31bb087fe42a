/* cost.h - the FLOPs and bytes of every node of a module graph, exact.
 * In: graph, node, kernel mode. Out: cost per node, inclusive of its parts, cached per distinct node, owned by the arena.
 * Fails on a negative or fractional count and on 128-bit overflow; never answers 0 for "don't know".
 * Conventions: docs/numbers.md. */
#ifndef RIDGE_COST_COST_H
#define RIDGE_COST_COST_H

#include "graph/graph.h"

#define RIDGE_KERNEL_LIST(X)                                                                                                               \
    X(EAGER, eager)                                                                                                                        \
    X(FUSED, fused)

typedef enum ridge_kernel_mode {
#define X(code, name) RIDGE_KERNEL_##code,
    RIDGE_KERNEL_LIST(X)
#undef X
} ridge_kernel_mode;

/* Numbers are INT, or SYM in symbolic runs. */
typedef struct ridge_cost {
    ridge_value flops[RIDGE_FLOP_COUNT];
    ridge_value reads[RIDGE_BYTE_SCORES]; /* bytes by kind */
    ridge_value writes[RIDGE_BYTE_SCORES];
    ridge_value saved;        /* bytes kept for the backward pass, without the scores */
    ridge_value saved_scores; /* S x T tensors of unfused attention kept for the backward pass */
    ridge_value peak;         /* activation bytes alive at once; symbolic runs: 0 unless ridge_coster.memory */
    ridge_value held;         /* of them, what the node itself keeps alive while its parts run */
} ridge_cost;

typedef struct ridge_coster {
    ridge_graph *graph;
    ridge_kernel_mode kernel;
    const ridge_format *weights, *activations, *kv;
    const ridge_tensors *stored; /* of the node that is counted (graph/stored.h) */
    bool elements;               /* count elements, not bytes: every format is one byte */
    bool memory;                 /* symbolic runs: closed forms of the peaks too */
    ridge_cost **of;             /* [node id] */
    size_t cap;
} ridge_coster;

/* formats: those of graph->globals */
ridge_status ridge_coster_init(ridge_coster *coster, ridge_graph *graph, ridge_kernel_mode kernel);
ridge_status ridge_cost_of(const ridge_cost **out, ridge_coster *coster, const ridge_node *node);

/* out += times * a; the matmul FLOPs of `a` count as flop_class where that is >= 0; without_bytes leaves the traffic out */
ridge_status ridge_cost_add(ridge_cost *out, const ridge_cost *a, ridge_value times, int flop_class, bool without_bytes,
                            const ridge_calc *calc);
void ridge_cost_zero(ridge_cost *cost);
/* what the node does itself, without its parts and the kernels that replace some: FLOPs, and its traffic where it has any in this
 * kernel mode; peak is that of its operands */
ridge_status ridge_cost_own(ridge_cost *out, ridge_coster *coster, const ridge_node *node);
/* the kernel of the node's fusion rule `rule`: its traffic; *kernel is NULL where the rule names none for these values */
ridge_status ridge_cost_fused(const ridge_cost **out, const ridge_node **kernel, ridge_coster *coster, const ridge_node *node, size_t rule);

/* does some fusion rule of this parent replace this child */
bool ridge_cost_is_replaced(const ridge_node *parent, const ridge_child *child);

/* ... by a kernel whose own FLOPs count instead of the child's */
bool ridge_cost_is_recomputed(const ridge_node *parent, const ridge_child *child);

/* bytes of what the model keeps between calls: KV cache, states. An INT in concrete runs; VALUE in a symbolic one where whether a
 * cache exists depends on the workload */
ridge_status ridge_cost_cache(ridge_value *bytes, ridge_coster *coster, const ridge_node *root);

/* sums over kinds and classes */
ridge_status ridge_cost_flops_total(ridge_value *out, const ridge_cost *cost, const ridge_calc *calc);
ridge_status ridge_cost_bytes_total(ridge_value *out, const ridge_value *kinds, const ridge_calc *calc);

#endif
