/* walk.h - the formulas of an entry that become code: those of its numbers, not those of kernels, splits and sizes of pictures.
 * In: a compiled entry. Out: calls of a function, in the order of evaluation. Fails where the function does. */
#ifndef RIDGE_GENERATE_WALK_H
#define RIDGE_GENERATE_WALK_H

#include "catalog/uses.h"

/* the context is FLOPS */
ridge_status ridge_generated_expressions(const ridge_entry *entry, ridge_expr_visit *visit, void *data);

/* A name of the module itself (a parameter, a local name, a weight) that a loop over its parts changes: its terms mean the value before. */
bool ridge_generated_is_changed(const ridge_entry *entry, uint32_t slot);

#endif
