/* entries.h - a graph of operators as a model that the catalog knows: a config, and an entry for each module and node.
 * In: a graph and numbers for its symbols. Out: the texts of both, where its weights stand in the tree, and what could not be counted;
 * owned by the arena. Equal nodes and equal layers are one entry. The formulas are those of the catalog's operators, with the sizes put in.
 */
#ifndef RIDGE_OPGRAPH_ENTRIES_H
#define RIDGE_OPGRAPH_ENTRIES_H

#include "opgraph/places.h"

typedef struct ridge_opgraph_placed {
    const char *path; /* "layers.0.fc1.weight" */
    const ridge_weight *weight;
    bool buffer;
} ridge_opgraph_placed;

typedef struct ridge_opgraph_open {
    const char *what;  /* the operator */
    const char *where; /* "node 'x'", "node 'x' and 3 more" */
    const char *why;
} ridge_opgraph_open;

typedef struct ridge_opgraph_model {
    ridge_opgraph_run run;
    ridge_opgraph_traffic traffic;
    const ridge_format *activations, *weights; /* of most elements; formats of their own are said where they are others */
    ridge_str config, entries;                 /* JSON */
    const char *type;                          /* model_type, that no other graph has */
    ridge_opgraph_placed *placed;
    size_t placed_count;
    ridge_symtab paths;       /* theirs ... */
    uint32_t *placed_of;      /* [symbol]: its place in `placed` */
    ridge_opgraph_open *open; /* alike ones once */
    size_t open_count;
    size_t uncounted; /* nodes that are not counted */
} ridge_opgraph_model;

ridge_status ridge_opgraph_model_make(ridge_opgraph_model *out, const ridge_opgraph *graph, const ridge_opgraph_bind *binds,
                                      size_t bind_count, ridge_registry *registry, ridge_arena *arena, ridge_err *err);

#endif
