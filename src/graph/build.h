/* build.h - how nodes are made: their parts, the memo of invocations; private to the graph folder. */
#ifndef RIDGE_GRAPH_BUILD_H
#define RIDGE_GRAPH_BUILD_H

#include "graph/graph.h"

/* Evaluates the breakdown and the ties of a node whose names have their values. */
ridge_status ridge_graph_build_parts(ridge_graph *graph, ridge_node *node);

/* The memo's bucket of a hash to which those of the values are added; grows the table where it is full. NULL when memory runs out. */
ridge_node **ridge_graph_bucket(ridge_graph *graph, uint32_t *hash, const ridge_value *values, size_t count);

#endif
