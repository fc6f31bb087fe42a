/* names.h - what the classes, files and local names of the generated code are called.
 * In: the entries of the catalog. Out: for each a library, a file, a class, a C name; the same for the same catalog, whatever is chosen
 * of it; a second entry of a short name gets the path behind it, so that none is taken twice. Owned by the arena. */
#ifndef RIDGE_GENERATE_NAMES_H
#define RIDGE_GENERATE_NAMES_H

#include "catalog/entry.h"

/* An entry and what it is called in the code. */
typedef struct ridge_generated {
    ridge_source *source;
    ridge_entry *entry;                   /* NULL: it cannot be compiled, or nobody has asked */
    const char *path;                     /* torch.nn.Linear */
    const char *library;                  /* torch: the folder, the C file */
    const char *stem;                     /* nn_linear: the file in it */
    const char *class_name;               /* TorchLinear */
    const char *c_name;                   /* torch_nn_linear */
    const struct ridge_generated *family; /* the config whose fields its formulas read; NULL: none of its own */
    const ridge_symbol **needs;           /* what its formulas call, and the configs it needs */
    size_t need_count;
    bool chosen; /* asked for, or needed by what was */
} ridge_generated;

typedef struct ridge_generated_list {
    ridge_generated *p;
    size_t n;
    ridge_generated **by_symbol; /* [symbol id]; NULL: no entry */
    size_t symbols;
} ridge_generated_list;

/* Names for all of the list: built-in entries before the user's, those with fewer components first. */
ridge_status ridge_generated_name(ridge_generated_list *list, ridge_arena *arena, ridge_err *err);
/* the entry of a key; NULL: none */
ridge_generated *ridge_generated_find(const ridge_generated_list *list, const ridge_symbol *key);

/* The local names of one entry's code, by slot. */
typedef struct ridge_locals {
    const char **of; /* [slots]; NULL: a name of a comprehension, which stands in its formula */
    bool *used;      /* [slots]: some formula reads it */
    uint32_t slots;
    bool (*is_taken)(ridge_str name); /* words of the language */
    ridge_arena *arena;
} ridge_locals;
/* `all`: comprehensions' names have slots of their own, too */
ridge_status ridge_locals_make(ridge_locals *out, const ridge_entry *entry, bool (*is_taken)(ridge_str), bool all, ridge_arena *arena,
                               ridge_err *err);
/* a name that the language takes, of one of the catalog; NULL without memory */
const char *ridge_locals_word(const ridge_locals *locals, ridge_str name);

#endif
