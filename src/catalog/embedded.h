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

/* Which entries are configs of a model type: sorted by type; of one type a model's config stands before those nested in others. */
typedef struct ridge_embedded_config {
    const char *model_type;
    unsigned entry; /* its index in ridge_embedded_catalog */
} ridge_embedded_config;

extern const ridge_embedded_config ridge_embedded_configs[];
extern const unsigned ridge_embedded_config_count;

#endif
