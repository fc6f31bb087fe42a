/* parts.h - what the files of a graph's run have in common; private to the folder. */
#ifndef RIDGE_OPGRAPH_PARTS_H
#define RIDGE_OPGRAPH_PARTS_H

#include "opgraph/run.h"

/* "node 'fc1' (Gemm)", for messages; "" when memory runs out */
const char *ridge_opgraph_node_text(ridge_opgraph_run *run, const ridge_opgraph_node *node);
/* numbers for the graph's symbols: those bound, else 1, which is told */
ridge_status ridge_opgraph_bind_symbols(ridge_opgraph_run *run, const ridge_opgraph_bind *binds, size_t count);
/* The number that a dimension is; -1 and *why where it is not known. */
ridge_status ridge_opgraph_dim_size(int64_t *out, const char **why, ridge_opgraph_run *run, const ridge_opgraph_dim *dim);

/* The shape that the file says of a value, where all of it is bound; else it stays unknown, with the reason. */
ridge_status ridge_opgraph_shape_said(ridge_opgraph_run *run, ridge_opgraph_tensor *tensor);
/* a new step of a node, at the end of run->steps; NULL when memory runs out */
ridge_opgraph_step *ridge_opgraph_step_new(ridge_opgraph_run *run, const ridge_opgraph_node *node);
/* the nodes of a branch or a loop, each `times` */
ridge_status ridge_opgraph_run_body(ridge_opgraph_run *run, const ridge_opgraph_body *body, ridge_int times);
/* Branches, loops and what runs a body: *done where the node is one, and has run. */
ridge_status ridge_opgraph_flow(bool *done, ridge_opgraph_run *run, const ridge_opgraph_node *node);

#endif
