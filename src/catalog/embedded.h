/* embedded.h - the built-in catalog, indexed at build time by tools/embed.c.
 * One entry per top-level key of every catalog file, sorted bytewise by key; keys are unique over all files. */
#ifndef RIDGE_CATALOG_EMBEDDED_H
#define RIDGE_CATALOG_EMBEDDED_H

typedef struct ridge_embedded_entry {
    const char *key;
    const char *file; /* "catalog/torch/nn.json" */
    const char *text; /* the value's '{'; the rest of the file follows its `length` bytes */
    unsigned length;
    unsigned line, col; /* of `text` in the file, 1-based */
} ridge_embedded_entry;

extern const ridge_embedded_entry ridge_embedded_catalog[];
extern const unsigned ridge_embedded_catalog_count;

#endif
