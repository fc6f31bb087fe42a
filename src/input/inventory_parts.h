/* inventory_parts.h - what the two halves of the reader of inventories share: the modules (inventory.c), the recorded pass
 * (inventory_run.c). In: JSON values. Out: their C values. Fails with the place, what was found and what was wanted. */
#ifndef RIDGE_INPUT_INVENTORY_PARTS_H
#define RIDGE_INPUT_INVENTORY_PARTS_H

#include "input/inventory.h"

typedef struct ridge_inventory_reader {
    ridge_inventory *out;
    ridge_arena *arena;
    ridge_err *err;
    ridge_symtab paths;       /* of modules, then of aliases: a module's number is its symbol's */
    ridge_weight_names names; /* of the tensors */
    bool *buffers;            /* of the tensors: is it one? */
    size_t module_cap, tensor_cap, buffer_cap, alias_cap;
    uint32_t open; /* the module that was read last */
} ridge_inventory_reader;

ridge_status ridge_inventory_bad(const ridge_inventory_reader *r, ridge_status code, const ridge_json *at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A member of an object. TYPE where it is of another type, or missing and wanted; *out NULL where it may be missing, and is. */
ridge_status ridge_inventory_member(const ridge_json **out, const ridge_inventory_reader *r, const ridge_json *object, const char *key,
                                    ridge_json_type type, bool wanted);
ridge_status ridge_inventory_text(ridge_str *out, const ridge_inventory_reader *r, const ridge_json *object, const char *key, bool wanted);
/* a whole number from 0 to 2^63 - 1 */
bool ridge_inventory_whole(int64_t *out, const ridge_json *v);
/* the format that PyTorch's dtype is; VALUE where it is none of PyTorch's */
ridge_status ridge_inventory_dtype(const ridge_format **out, const char **word, const ridge_inventory_reader *r, const ridge_json *object);
/* "run": fills out->graph or out->failed */
ridge_status ridge_inventory_run(ridge_inventory_reader *r, const ridge_json *run);

#endif
