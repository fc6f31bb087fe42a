/* tree.h - the graph unfolded: every module at its path, as named_modules() lists them.
 * In: a graph's root. Out: modules in registration order with own and total parameters, tensors and what they share.
 * Fails where a tie or alias names something that does not exist. */
#ifndef RIDGE_GRAPH_TREE_H
#define RIDGE_GRAPH_TREE_H

#include "graph/graph.h"

typedef struct ridge_tree_module ridge_tree_module;
struct ridge_tree_module {
    ridge_str path; /* "" is the model */
    ridge_str name; /* last part of the path */
    const ridge_node *node;
    uint32_t parent; /* UINT32_MAX at the root */
    uint32_t end;    /* one past the last module below */
    uint32_t depth;
    ridge_int parameters, parameters_total; /* own; unique of the subtree */
};

typedef struct ridge_tree_tie {
    uint32_t module; /* that holds the tied tensor */
    const ridge_symbol *tensor;
    ridge_str target; /* full path of the tensor it shares */
} ridge_tree_tie;

typedef struct ridge_tree_alias {
    ridge_str path;  /* where the module is seen a second time */
    uint32_t target; /* the module, which is listed where it was seen first */
} ridge_tree_alias;

typedef struct ridge_tree {
    ridge_tree_module *modules;
    uint32_t count;
    size_t cap;
    ridge_tree_tie *ties;
    size_t tie_count, tie_cap;
    bool ties_in_order; /* of their modules: whoever made them says so */
    ridge_tree_alias *aliases;
    size_t alias_count, alias_cap;
    ridge_int buffer_bytes;
} ridge_tree;

ridge_status ridge_tree_make(ridge_tree *out, ridge_graph *graph, const ridge_node *root);
/* the path a tensor of a module shares, n == 0: its own */
ridge_str ridge_tree_tied_to(const ridge_tree *tree, uint32_t module, const ridge_symbol *tensor);
/* UINT32_MAX where there is none */
uint32_t ridge_tree_find(const ridge_tree *tree, ridge_str path);

#endif
