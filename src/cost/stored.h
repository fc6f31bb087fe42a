/* stored.h - the bytes of weights that are stored each in its way (graph/stored.h); private to the cost folder.
 * In: the weights that a node can read, an amount of its formulas. Out: bytes; those of a file to the byte, of whole weights and of slices.
 * Fails (UNKNOWN) where it is not known which of several weights in unlike formats an amount means. */
#ifndef RIDGE_COST_STORED_H
#define RIDGE_COST_STORED_H

#include "cost/cost.h"
#include "graph/stored.h"

/* v: the amount, a number or a list of dimensions; rows and columns of it as the blocks of a format count them */
ridge_status ridge_cost_stored_bytes(ridge_value *out, ridge_coster *coster, const ridge_amount *amount, ridge_value v, ridge_value rows,
                                     ridge_value columns);
/* The i-th of an amount's shapes, where several are rows of several weights, as of the tables of an embedding: the first of the first, in
 * the order of registration. *found false: it is told otherwise which weight it means. */
ridge_status ridge_cost_stored_in_order(ridge_value *out, bool *found, ridge_coster *coster, const ridge_list *shapes, size_t i);
/* whole blocks per row, also where rows or columns are symbolic */
ridge_status ridge_cost_block_bytes(ridge_value *out, ridge_coster *coster, const ridge_format *format, ridge_value rows,
                                    ridge_value columns);

#endif
