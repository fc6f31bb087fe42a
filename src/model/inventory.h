/* inventory.h - an inventory of a torch.nn.Module (input/inventory.h) as the tree that `ridge inspect` shows.
 * In: an inventory. Out: modules with paths, classes, tensors, ties and parameters as PyTorch counts them; equal modules are one node. It
 * is owned by the arena. Fails where aliases make more of it than is looked at, and on sums above 2^127. */
#ifndef RIDGE_MODEL_INVENTORY_H
#define RIDGE_MODEL_INVENTORY_H

#include "graph/tree.h"
#include "input/inventory.h"
#include "model/analysis.h"

ridge_status ridge_inventory_tree(ridge_tree *out, const ridge_inventory *inventory, ridge_arena *arena, ridge_err *err);
/* the formats of its parameters, tied ones once, the most bytes first */
ridge_status ridge_inventory_shares(ridge_stored_weights *out, const ridge_inventory *inventory, ridge_arena *arena, ridge_err *err);

#endif
