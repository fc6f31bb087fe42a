/* embedded.h - the built-in catalog, indexed at build time by tools/embed.c.
 * One entry per top-level key of every catalog file, sorted bytewise by key; keys are unique over all files. */
#ifndef RIDGE_CATALOG_EMBEDDED_H
#define RIDGE_CATALOG_EMBEDDED_H

#include <stdint.h>

/* Places in two long texts, and no pointers: what would have to be relocated is read and written at every start, and grows with the
 * catalog. */
typedef struct ridge_embedded_entry {
    unsigned key, file;    /* in the names: "torch__nn__Linear", "catalog/torch/nn.json" */
    unsigned text, length; /* in the texts: the value's '{'; the rest of the file follows its `length` bytes */
    unsigned line, col;    /* of `text` in the file, 1-based */
} ridge_embedded_entry;

extern const char ridge_embedded_catalog_names[], ridge_embedded_catalog_texts[];
extern const ridge_embedded_entry ridge_embedded_catalog[];
extern const unsigned ridge_embedded_catalog_count;

static inline const char *ridge_embedded_key(const ridge_embedded_entry *e)
{
    return ridge_embedded_catalog_names + e->key;
}
static inline const char *ridge_embedded_file(const ridge_embedded_entry *e)
{
    return ridge_embedded_catalog_names + e->file;
}
static inline const char *ridge_embedded_text(const ridge_embedded_entry *e)
{
    return ridge_embedded_catalog_texts + e->text;
}

/* Where a key is looked for: open addressing from its hash on. A slot says which entry, and with bits of the hash whether it is worth a
 * look: a search through the names would bring all of them into memory. 0: free */
extern const uint32_t ridge_embedded_catalog_slots[];
extern const uint32_t ridge_embedded_catalog_slot_mask;
#define RIDGE_EMBEDDED_ENTRY_BITS 20u

/* FNV-1a */
static inline uint32_t ridge_embedded_hash(const char *key)
{
    uint32_t hash = 2166136261u;
    for (; *key != '\0'; key++)
        hash = (hash ^ (unsigned char)*key) * 16777619u;
    return hash;
}
static inline uint32_t ridge_embedded_slot(uint32_t hash, uint32_t entry)
{
    return hash >> RIDGE_EMBEDDED_ENTRY_BITS << RIDGE_EMBEDDED_ENTRY_BITS | (entry + 1);
}

/* Which entries are configs of a model type: sorted by type; of one type a model's config stands before those nested in others. */
typedef struct ridge_embedded_config {
    unsigned model_type; /* in the names */
    unsigned entry;      /* its index in ridge_embedded_catalog */
} ridge_embedded_config;

extern const ridge_embedded_config ridge_embedded_configs[];
extern const unsigned ridge_embedded_config_count;

static inline const char *ridge_embedded_config_type(const ridge_embedded_config *c)
{
    return ridge_embedded_catalog_names + c->model_type;
}

#endif
