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

/* the format of most of its parameters, where that is one to compute with; NULL: it is none, or there are no parameters */
const ridge_format *ridge_inventory_format(const ridge_inventory *inventory);
/* Of an inventory whose config the catalog knows: does the tree of the catalog have the same parameters, by name and shape? CHECK where it
 * does not; *counted false: the config by itself is an error, which is that. Warns `a`, whose inventory it is, of classes that are others,
 * and of a config that says another format. */
ridge_status ridge_inventory_hold(bool *counted, ridge_analysis *a, ridge_err *err);

#endif
