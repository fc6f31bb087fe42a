/* inventory.h - a torch.nn.Module as tools/ridge_inventory.py lists it.
 * In: that JSON. Out: modules in the order of named_modules(), tensors as a table of weights, the config that the model keeps, what a
 * forward pass ran as a graph of operators; owned by the arena. Fails with line and column on wrong types, on what stands twice, on names
 * of what is not there, on totals that are not the sum, and on a version of the format that it does not know. */
#ifndef RIDGE_INPUT_INVENTORY_H
#define RIDGE_INPUT_INVENTORY_H

#include "input/opgraph.h"

enum { RIDGE_INVENTORY_LIMIT = 256 << 20, RIDGE_INVENTORY_MODULES = 1000000, RIDGE_INVENTORY_DEPTH = 128 };

typedef struct ridge_inventory_module {
    ridge_str path, name, class_name; /* path "" is the model; name is its last part */
    uint32_t parent;                  /* UINT32_MAX at the root */
    uint32_t end;                     /* one past the last module below */
    uint32_t depth;
    uint32_t first, parameters, buffers; /* its tensors in `weights`: the first, how many parameters from there on, then how many buffers */
    const ridge_json *values;            /* what its constructor was called with, as far as it keeps it: an object; NULL: not said */
    ridge_int calls;                     /* of the recorded pass; 0 where there is none */
} ridge_inventory_module;

/* where a module is seen a second time */
typedef struct ridge_inventory_alias {
    ridge_str path;
    uint32_t parent, of; /* modules */
} ridge_inventory_alias;

typedef struct ridge_inventory {
    const char *path;
    ridge_str text; /* the whole file */
    ridge_str class_name, torch, python;
    ridge_inventory_module *modules;
    uint32_t count;
    ridge_weights weights;          /* parameters and buffers by their full names; tied: the same tensor in PyTorch */
    ridge_inventory_alias *aliases; /* by their parents */
    size_t alias_count;
    ridge_int parameters;     /* elements of all parameters, tied ones once */
    const ridge_json *config; /* of transformers or diffusers; NULL: it keeps none */
    ridge_opgraph *graph;     /* what a forward pass ran; NULL: none is recorded */
    const char *failed;       /* why it did not run; NULL: it did, or nobody asked */
} ridge_inventory;

/* "LlamaForCausalLM" of its class, which has the Python module before it */
ridge_str ridge_inventory_class(const ridge_inventory *inventory);
/* By its text: an object with the key "ridge_inventory". */
bool ridge_inventory_is(ridge_str text);
/* a regular file of that kind, as its first 32 KiB tell */
bool ridge_inventory_looks(const char *path);
ridge_status ridge_inventory_read(ridge_inventory *out, const char *path, ridge_arena *arena, ridge_err *err);
/* text already in memory; it must outlive the inventory */
ridge_status ridge_inventory_parse(ridge_inventory *out, const char *path, ridge_str text, ridge_arena *arena, ridge_err *err);

#endif
