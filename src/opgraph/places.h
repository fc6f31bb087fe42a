/* places.h - where the nodes and weights of a graph stand in a tree of modules.
 * In: a run and what its steps move. Out: places in the order of first use, each a module, a node or a list, with the weights that it
 * holds; owned by the arena. Paths come from what the file says of modules, else from the names: "/model/layers.0/fc1/MatMul",
 * "model.layers.0.fc1.weight". */
#ifndef RIDGE_OPGRAPH_PLACES_H
#define RIDGE_OPGRAPH_PLACES_H

#include "opgraph/traffic.h"

typedef struct ridge_opgraph_place {
    ridge_str name;                     /* "" is the model */
    uint32_t parent, first, last, next; /* places; RIDGE_OPGRAPH_NONE: none */
    uint32_t depth;
    uint32_t step;                      /* a node's; RIDGE_OPGRAPH_NONE: a module */
    ridge_str class_name;               /* of a module, where the file says it */
    uint32_t first_weight, last_weight; /* of ridge_opgraph_places.held; RIDGE_OPGRAPH_NONE */
    uint32_t entry;                     /* for who writes entries */
} ridge_opgraph_place;

typedef struct ridge_opgraph_held {
    uint32_t value; /* in the graph */
    ridge_str name; /* in its module */
    uint32_t next;
} ridge_opgraph_held;

typedef struct ridge_opgraph_places {
    ridge_opgraph_place *p;
    size_t n, cap;
    ridge_opgraph_held *held;
    size_t held_count, held_cap;
} ridge_opgraph_places;

enum { RIDGE_OPGRAPH_PLACE_DEPTH = 64, RIDGE_OPGRAPH_PLACES = 150000 };

ridge_status ridge_opgraph_places_make(ridge_opgraph_places *out, const ridge_opgraph_run *run);
/* "model.layers.0.fc1.weight", in the arena; NULL when memory runs out */
const char *ridge_opgraph_held_path(const ridge_opgraph_places *places, uint32_t place, const ridge_opgraph_held *held, ridge_arena *arena);

#endif
