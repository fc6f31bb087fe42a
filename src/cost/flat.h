/* flat.h - what an invocation is worth as one number: for formulas that add and multiply {Module}(args), as those of the flat
 * published form do. In: a coster, a context (FLOPs, bytes read, bytes written, bytes of intermediates, parameters).
 * Out: the number, exact. Fails on wrong arity, a missing or faulty template, a cycle (printed); never a guess. */
#ifndef RIDGE_COST_FLAT_H
#define RIDGE_COST_FLAT_H

#include "cost/cost.h"

/* From now on {Module}(args) in arithmetic is that module's number in this context (graph->run.number_of), and invocations of
 * flat entries take the arguments of their template for it. Returns the context that held before. */
ridge_context ridge_flat_enter(ridge_coster *coster, ridge_context context);

/* the number of a node in the graph's context; of a flat entry's node in the context it was invoked in */
ridge_status ridge_flat_number(ridge_value *out, ridge_coster *coster, const ridge_node *node);

/* Evaluates one entry's template for `context` with these arguments; for an entry of ours, its count in that context. */
ridge_status ridge_flat_value(ridge_value *out, ridge_coster *coster, const ridge_symbol *module, ridge_context context,
                              const ridge_argument *args, size_t count);

/* The cost of a flat entry that stands in a breakdown: FLOPs in class `other` (the form tells no class), reads and writes as
 * activations, intermediates as written. The memory templates get the arguments of the same name; `dtype_bytes` is the size of
 * an activation. */
ridge_status ridge_flat_cost(ridge_cost *out, ridge_coster *coster, const ridge_node *node);

#endif
