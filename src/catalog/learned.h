/* learned.h - what was learned of models and kept: one set of entries per class and config, read when a model needs it, so that no other
 * command gets slower with what was learned.
 * In: what a config says it is, its text, the folder where it lies. Out: the paths of its set; its entries in the registry.
 * A set is a catalog file of the user's, TYPE.CLASS.CONFIG.json, with TYPE.CLASS.CONFIG.source beside it: the files it was made from. */
#ifndef RIDGE_CATALOG_LEARNED_H
#define RIDGE_CATALOG_LEARNED_H

#include "catalog/registry.h"

typedef struct ridge_learned_key {
    const char *folder; /* $XDG_DATA_HOME/ridge/learned; NULL: neither that nor HOME is set */
    const char *prefix; /* "llama.LlamaModel.": what it is; Python files beside the config are part of it */
    char config[17];    /* the first digits of the SHA-256 of the config */
} ridge_learned_key;

/* model_folder: where the config lies, NULL: nowhere */
ridge_status ridge_learned_key_of(ridge_learned_key *out, ridge_str model_type, ridge_str class, ridge_str config, const char *model_folder,
                                  ridge_arena *arena, ridge_err *err);
/* the path of the set of this key; its .source goes beside it; NULL when memory runs out */
const char *ridge_learned_path(const ridge_learned_key *key, ridge_arena *arena);
const char *ridge_learned_source(const char *path, ridge_arena *arena);
/* The set that was learned of this very config; NULL: there is none. Those of other configs of the class were not held against this one. */
const char *ridge_learned_find(const ridge_learned_key *key, ridge_arena *arena);
/* its entries, over what the registry has */
ridge_status ridge_learned_load(ridge_registry *registry, const char *path, ridge_err *err);
/* all sets, for who looks at the catalog itself; a file that is none is left out. NOMEM is all that fails. */
ridge_status ridge_learned_load_all(ridge_registry *registry, ridge_err *err);
/* is the file one of them? */
bool ridge_learned_holds(const char *file);

typedef enum ridge_learned_state { RIDGE_LEARNED_FRESH, RIDGE_LEARNED_CHANGED, RIDGE_LEARNED_GONE } ridge_learned_state;
typedef struct ridge_learned_told {
    ridge_learned_state state;
    const char *file; /* the first that changed or is gone; NULL: none */
    const char *from; /* what --source named; NULL: nothing */
} ridge_learned_told;
/* looks at the files that a set was made from; a set without such a list is gone from its source */
ridge_status ridge_learned_tell(ridge_learned_told *out, const char *path, ridge_arena *arena, ridge_err *err);

#endif
