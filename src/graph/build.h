/* build.h - a node's parts; private to the graph folder. */
#ifndef RIDGE_GRAPH_BUILD_H
#define RIDGE_GRAPH_BUILD_H

#include "graph/graph.h"

/* Evaluates the breakdown and the ties of a node whose names have their values. */
ridge_status ridge_graph_build_parts(ridge_graph *graph, ridge_node *node);

#endif
