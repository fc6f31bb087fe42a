/* stored.h - gives the weights of a model formats of their own, each by its path: those of a quantised file, those of patterns.
 * In: a graph's root, who says how a weight is stored. Out: the root anew; modules whose weights are stored alike stay one node, those that
 * are not are told apart, and so do not fold. Functions know the weights of the module that they work for.
 * Fails as who was asked does. */
#ifndef RIDGE_GRAPH_STORED_H
#define RIDGE_GRAPH_STORED_H

#include "graph/graph.h"

typedef struct ridge_storing {
    /* path: "model.layers.3.mlp.experts.7.up_proj.weight"; in a graph of pooled experts "model.layers.3.mlp.experts.*.up_proj.weight".
     * NULL: the graph stays as it is */
    ridge_status (*of)(ridge_stored *out, void *data, ridge_str path, const ridge_node *module, const ridge_node_tensor *weight,
                       ridge_err *err);
    void *data;
    bool ties; /* a tied weight is asked for by the path of the one that it shares */
} ridge_storing;

ridge_status ridge_graph_store(const ridge_node **root, ridge_graph *graph, const ridge_storing *storing);
/* A kernel that a module's formulas ask for while they are counted, as one that reads that module's weights; the same node for the same
 * weights. `stored` NULL: as it is. */
ridge_status ridge_graph_reads_stored(const ridge_node **kernel, ridge_graph *graph, const ridge_tensors *stored);

/* Are experts of one mixture stored unlike each other? Then they do not pool. */
bool ridge_stored_experts_unlike(const ridge_graph *graph);

/* bytes of a whole weight as stored, in `format` where nothing else is said; its first dimension is rows (the GEMM's view). -1: overflow */
ridge_int ridge_stored_bytes(const ridge_node_tensor *weight, const ridge_format *format);
/* what a kernel of the node multiplies with: how the largest weight that it can read is stored; members NULL where nothing is said */
ridge_stored ridge_stored_format(const ridge_node *node);

#endif
