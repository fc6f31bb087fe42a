/* keep.h - learns a model's class and keeps it in the user's catalog (catalog/learned.h).
 * In: what is to be derived, the key of its set. Out: the entries' text and the path where they are, owned by the arena; all of a set is
 * written or nothing, by one process at a time.
 * Fails where nothing can be learned. That it could not be kept (a full disk, a folder that is read-only) is told in `unkept`. */
#ifndef RIDGE_LEARN_KEEP_KEEP_H
#define RIDGE_LEARN_KEEP_KEEP_H

#include "catalog/learned.h"
#include "learn/derive/derive.h"

typedef struct ridge_kept {
    const char *text, *path;
    const char *class_path, *library, *version; /* library, version: NULL where they are not told */
    const char *unkept;                         /* why it is not on disk; NULL: it is */
} ridge_kept;

ridge_status ridge_keep_learned(ridge_kept *out, ridge_registry *registry, const ridge_learned_key *key,
                                const ridge_derive_request *request, ridge_arena *arena, ridge_err *err);

#endif
