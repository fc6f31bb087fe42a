/* registry.h - the catalog as one database: the embedded one, overridden by the user's folder and by --catalog folders.
 * In: folders. Out: entries by name, compiled on first use; everything lives in the registry's arena.
 * Not thread-safe: one registry per thread (opening one costs microseconds). */
#ifndef RIDGE_CATALOG_REGISTRY_H
#define RIDGE_CATALOG_REGISTRY_H

#include "base/file.h"
#include "base/json.h"
#include "formula/expr.h"

typedef struct ridge_entry ridge_entry;
typedef struct ridge_registry ridge_registry;

typedef enum ridge_origin { RIDGE_ORIGIN_BUILTIN, RIDGE_ORIGIN_USER } ridge_origin;

/* of a search through the catalog */
typedef enum ridge_search_state { RIDGE_SEARCH_NEW, RIDGE_SEARCH_ON_THE_WAY, RIDGE_SEARCH_DONE } ridge_search_state;

#define RIDGE_HINT_BUDGET ((size_t)2000000)

/* An entry as it stands in its file. */
typedef struct ridge_source {
    const ridge_symbol *key;     /* torch__nn__Linear */
    const ridge_symbol *written; /* the key in the file, where module_path overruled it; else == key */
    const char *file;
    ridge_str text;     /* from '{' to '}' */
    unsigned line, col; /* of the '{' in the file */
    ridge_origin origin;
    const ridge_json *json;          /* parsed on first use; positions are relative to text */
    ridge_entry *entry;              /* compiled on first use */
    ridge_search_state search;       /* `ridge db check`, through nested configs */
    bool used;                       /* something was counted with it, since ridge_registry_forget_used */
    size_t order;                    /* a user's entry: its index in registry->user */
    struct ridge_source *overridden; /* what a user's entry replaces */
    struct ridge_source *overriding; /* what replaces this one; NULL: nothing */
} ridge_source;

struct ridge_registry {
    ridge_arena arena;
    ridge_symtab symbols;
    ridge_source **slots; /* by symbol id; NULL: not looked up yet or absent */
    size_t slot_cap;
    ridge_source **user; /* entries of the user's folders, in order of reading */
    size_t user_count, user_cap;
    ridge_source **configs; /* what ridge_registry_configs found, while there were so many entries of the user */
    size_t config_count, configs_user_count;
    size_t hints_spent; /* names compared for "did you mean", of RIDGE_HINT_BUDGET, since ridge_registry_forget_used */
    bool learned;       /* what the user's commands have learned may be read (learned.h) */
    bool failed;        /* memory ran out in a look-up, so what it did not find may be there (ridge_registry_failed) */
};

/* folders may be empty; default_folder adds $XDG_DATA_HOME/ridge/catalog (or ~/.local/share/...) before them */
ridge_status ridge_registry_open(ridge_registry **out, const char *const *folders, size_t count, bool default_folder, ridge_err *err);
void ridge_registry_close(ridge_registry *registry);

/* Takes the entries of one catalog text (a file's content): those of the same name are overridden. file and text must outlive the registry.
 */
ridge_status ridge_registry_add(ridge_registry *registry, ridge_str text, const char *file, ridge_err *err);

/* "torch.nn.Linear" or "torch__nn__Linear" -> its key */
const ridge_symbol *ridge_registry_key(ridge_registry *registry, ridge_str name);
/* torch__nn__Linear -> torch.nn.Linear, as long as the registry; NULL when memory runs out */
const char *ridge_registry_path(ridge_registry *registry, const ridge_symbol *key);

/* what is told of numbers that rest on an override, in the arena; NULL when memory runs out */
const char *ridge_source_told(const ridge_source *override, ridge_registry *registry, ridge_arena *arena);
/* a new call begins */
void ridge_registry_forget_used(ridge_registry *registry);
/* the built-in entry that a user's one replaces, directly or not; NULL: none */
ridge_source *ridge_source_replaced(const ridge_source *source);

/* Has memory run out in a look-up since this was asked last? Ask before an absence is told or relied on. */
bool ridge_registry_failed(ridge_registry *registry);
/* NULL where absent (no error) */
ridge_source *ridge_registry_find(ridge_registry *registry, const ridge_symbol *key);
ridge_status ridge_registry_json(const ridge_json **out, ridge_registry *registry, ridge_source *source, ridge_err *err);
/* compiled; UNKNOWN with a suggestion where absent */
ridge_status ridge_registry_entry(ridge_entry **out, ridge_registry *registry, const ridge_symbol *key, ridge_err *err);
/* all entries, sorted by key, overrides once */
ridge_status ridge_registry_all(ridge_source ***out, size_t *count, ridge_registry *registry, ridge_err *err);
/* the config entry of a model_type, of several the one that has the head class, the user's before built-in ones; (type empty) the one that
 * has the head class; NULL where none */
ridge_source *ridge_registry_config(ridge_registry *registry, ridge_str model_type, ridge_str head_class);
/* As ridge_registry_entry, for an entry that must be a config: its `config` is there. TYPE where it is something else. */
ridge_status ridge_registry_config_entry(ridge_entry **out, ridge_registry *registry, const ridge_symbol *key, ridge_err *err);

/* the config entries that are there, one for every model_type and nested config, sorted by key */
ridge_status ridge_registry_configs(ridge_source ***out, size_t *count, ridge_registry *registry, ridge_err *err);

/* where the user's own entries are kept; in the arena, NULL where neither XDG_DATA_HOME nor HOME is set */
const char *ridge_registry_user_folder(ridge_arena *arena);
/* For who writes there: waits for other writers, ends what a killed one has begun and removes what it has left. Release with
 * ridge_file_unlock. */
ridge_status ridge_user_catalog_lock(int *lock, const char *folder, ridge_arena *arena, ridge_err *err);
/* with the lock held: all of the files or none */
ridge_status ridge_user_catalog_write(const char *folder, const ridge_file_text *files, size_t count, ridge_arena *arena, ridge_err *err);
/* For who reads: ends what a killed writer has begun, if there is such a thing. */
ridge_status ridge_user_catalog_settle(const char *folder, ridge_arena *arena, ridge_err *err);

#endif
