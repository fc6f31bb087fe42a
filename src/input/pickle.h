/* pickle.h - reads a Python pickle (protocols 0 to 5, Lib/pickletools.py) as data: nothing in it is imported, called or executed.
 * In: the pickle's bytes. Out: the value that it describes, in the arena; what it would make by calling something is an OBJECT that names
 * what would be called and with what. Values may be shared and may hold themselves: whoever walks them has a limit of his own.
 * Fails with byte offsets on unknown opcodes, an empty stack, unknown memo numbers, too many values. */
#ifndef RIDGE_INPUT_PICKLE_H
#define RIDGE_INPUT_PICKLE_H

#include "input/binary.h"

typedef enum ridge_pickle_kind {
    RIDGE_PICKLE_NONE,
    RIDGE_PICKLE_BOOL,
    RIDGE_PICKLE_WHOLE, /* an int that fits in 64 bits */
    RIDGE_PICKLE_OTHER, /* a larger int (`text` has its bytes), a float, bytes: nothing that a tensor is made of */
    RIDGE_PICKLE_TEXT,
    RIDGE_PICKLE_TUPLE,
    RIDGE_PICKLE_LIST, /* also sets */
    RIDGE_PICKLE_DICT, /* items: key, value, key, value, ... */
    RIDGE_PICKLE_GLOBAL,
    RIDGE_PICKLE_OBJECT,    /* `made_by` would be called with `arguments`; items: of dict's subclasses, in pairs; of list's, singly */
    RIDGE_PICKLE_PERSISTENT /* `arguments` says which object outside the pickle */
} ridge_pickle_kind;

typedef struct ridge_pickle_value ridge_pickle_value;
struct ridge_pickle_value {
    ridge_pickle_kind kind;
    bool pairs;     /* OBJECT: the items are keys and values */
    uint32_t count; /* of items */
    size_t cap;     /* of items */
    ridge_pickle_value **items;
    union {
        int64_t whole;
        ridge_str text; /* TEXT, OTHER; of a GLOBAL its whole name, "torch._utils._rebuild_tensor_v2" */
        struct {
            ridge_pickle_value *made_by, *arguments, *state;
        } of;
    } u;
};

/* One pickle, from *c up to its end; *c goes behind it, where another may begin. */
ridge_status ridge_pickle_read(ridge_pickle_value **out, ridge_cursor *c, ridge_arena *arena, ridge_err *err);
/* the value of a text key in a dict, or in an object's pairs; NULL: none */
ridge_pickle_value *ridge_pickle_get(const ridge_pickle_value *dict, const char *key);
static inline bool ridge_pickle_is_global(const ridge_pickle_value *v, const char *name)
{
    return v && v->kind == RIDGE_PICKLE_GLOBAL && ridge_str_is(v->u.text, name);
}

#endif
