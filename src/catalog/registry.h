/* registry.h - the catalog as one database: the embedded one, overridden by the user's folder and by --catalog folders.
 * In: folders. Out: entries by name, compiled on first use; everything lives in the registry's arena.
 * Not thread-safe: one registry per thread (opening one costs microseconds). */
#ifndef RIDGE_CATALOG_REGISTRY_H
#define RIDGE_CATALOG_REGISTRY_H

#include "base/json.h"
#include "formula/expr.h"

typedef struct ridge_entry ridge_entry;
typedef struct ridge_registry ridge_registry;

typedef enum ridge_origin { RIDGE_ORIGIN_BUILTIN, RIDGE_ORIGIN_USER } ridge_origin;

/* An entry as it stands in its file. */
typedef struct ridge_source {
    const ridge_symbol *key;     /* torch__nn__Linear */
    const ridge_symbol *written; /* the key in the file, where module_path overruled it; else == key */
    const char *file;
    ridge_str text;     /* from '{' to '}' */
    unsigned line, col; /* of the '{' in the file */
    ridge_origin origin;
    const ridge_json *json; /* parsed on first use; positions are relative to text */
    ridge_entry *entry;     /* compiled on first use */
    bool compiling;
    size_t order;                    /* a user's entry: its index in registry->user */
    struct ridge_source *overridden; /* what a user's entry replaces */
} ridge_source;

struct ridge_registry {
    ridge_arena arena;
    ridge_symtab symbols;
    ridge_source **slots; /* by symbol id; NULL: not looked up yet or absent */
    size_t slot_cap;
    ridge_source **user; /* entries of the user's folders, in order of reading */
    size_t user_count, user_cap;
};

/* folders may be empty; default_folder adds $XDG_DATA_HOME/ridge/catalog (or ~/.local/share/...) before them */
ridge_status ridge_registry_open(ridge_registry **out, const char *const *folders, size_t count, bool default_folder, ridge_err *err);
void ridge_registry_close(ridge_registry *registry);

/* Takes the entries of one catalog text (a file's content): those of the same name are overridden. file and text must outlive the registry.
 */
ridge_status ridge_registry_add(ridge_registry *registry, ridge_str text, const char *file, ridge_err *err);

/* "torch.nn.Linear" or "torch__nn__Linear" -> its key */
const ridge_symbol *ridge_registry_key(ridge_registry *registry, ridge_str name);
/* torch__nn__Linear -> torch.nn.Linear, in the arena */
const char *ridge_registry_path(ridge_registry *registry, const ridge_symbol *key);

/* the built-in entry that a user's one replaces, directly or not; NULL: none */
ridge_source *ridge_source_replaced(const ridge_source *source);

/* NULL where absent (no error) */
ridge_source *ridge_registry_find(ridge_registry *registry, const ridge_symbol *key);
ridge_status ridge_registry_json(const ridge_json **out, ridge_registry *registry, ridge_source *source, ridge_err *err);
/* compiled; UNKNOWN with a suggestion where absent */
ridge_status ridge_registry_entry(ridge_entry **out, ridge_registry *registry, const ridge_symbol *key, ridge_err *err);
/* all entries, sorted by key, overrides once */
ridge_status ridge_registry_all(ridge_source ***out, size_t *count, ridge_registry *registry, ridge_err *err);
/* the config entry of a model_type, or (type empty) the one that has the head class; NULL where none */
ridge_source *ridge_registry_config(ridge_registry *registry, ridge_str model_type, ridge_str head_class);

/* the config entries that are there, one for every model_type and nested config, sorted by key */
ridge_status ridge_registry_configs(ridge_source ***out, size_t *count, ridge_registry *registry, ridge_err *err);

/* where the user's own entries are kept; in the arena, NULL where neither XDG_DATA_HOME nor HOME is set */
const char *ridge_registry_user_folder(ridge_arena *arena);

#endif
