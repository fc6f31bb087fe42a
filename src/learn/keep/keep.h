/* keep.h - learns a model's class, holds what was learned against the source, and keeps it in the user's catalog (catalog/learned.h).
 * In: what is to be derived, the key of its set. Out: the entries' text and the path where they are, owned by the arena; all of a set is
 * written or nothing, by one process at a time.
 * Fails where nothing can be learned. That it could not be kept (a full disk, a folder that is read-only) is told in `unkept`. */
#ifndef RIDGE_LEARN_KEEP_KEEP_H
#define RIDGE_LEARN_KEEP_KEEP_H

#include "catalog/learned.h"
#include "learn/derive/derive.h"
#include "model/analysis.h"

typedef struct ridge_kept {
    const char *text, *path;
    const char *class_path, *library, *version; /* library, version: NULL where they are not told */
    const char *unkept;                         /* why it is not on disk; NULL: it is */
    const char *source;                         /* which files were read, as JSON */
} ridge_kept;

/* `path` is where it would be kept */
ridge_status ridge_keep_learn(ridge_kept *out, ridge_registry *registry, const ridge_learned_key *key, const ridge_derive_request *request,
                              ridge_arena *arena, ridge_err *err);
/* The entries are in the registry: their parameters, FLOPs and bytes against runs of the source, of the workload asked for and of small
 * ones. VALUE: they differ, so that they must not be used. A workload that either side refuses is passed over. */
ridge_status ridge_keep_check(ridge_registry *registry, const ridge_derive_request *request, const ridge_model_request *asked,
                              ridge_err *err);
ridge_status ridge_keep_write(ridge_kept *kept, const ridge_learned_key *key, ridge_arena *arena, ridge_err *err);

#endif
