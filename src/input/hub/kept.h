/* kept.h - what Ridge alone reads of a repository: the beginnings of its weight files, and the list of its GGUFs.
 * In: names, bytes. Out: files in the folder that Hugging Face gives to programs that build on its hub (HF_ASSETS_CACHE/ridge), so that its
 * cache has whole files alone. Each is written beside its place and renamed into it.
 * Fails (IO) as files do; what is there and not as Ridge writes it counts as not there. */
#ifndef RIDGE_INPUT_HUB_KEPT_H
#define RIDGE_INPUT_HUB_KEPT_H

#include "input/binary.h"
#include "input/hub/hub.h"

/* what a file of a commit begins with, and how many bytes it has */
typedef struct ridge_hub_beginning {
    const char *id, *commit, *file;
    ridge_str bytes;
    uint64_t size;
} ridge_hub_beginning;
ridge_status ridge_hub_keep(const ridge_hub_beginning *beginning, ridge_arena *arena, ridge_err *err);
/* the commit is what the revision is now */
ridge_status ridge_hub_keep_ref(const ridge_hub_name *name, const char *commit, ridge_arena *arena, ridge_err *err);
/* of a revision, as it was kept; NULL: it was not, or memory runs out */
const char *ridge_hub_kept_commit(const ridge_hub_name *name, ridge_arena *arena);

/* "org/name" of a path in the shared cache; NULL: it is elsewhere, or memory runs out */
const char *ridge_hub_id_of(const char *path, ridge_arena *arena);
/* `path` as the shared cache has it, or would have it (ridge_hub_place): is the file there, or its beginning? */
bool ridge_hub_is_there(const char *path, ridge_arena *arena);
/* Opens any file; where it is not there, its beginning. */
ridge_status ridge_hub_open(ridge_binary *out, const char *path, ridge_arena *arena, ridge_err *err);

/* Of a list, the GGUFs and whether there is a config.json. */
ridge_status ridge_hub_keep_list(const ridge_hub_name *name, const ridge_hub_list *list, ridge_arena *arena, ridge_err *err);
/* *there false: none was kept of this revision */
ridge_status ridge_hub_kept_list(ridge_hub_list *out, bool *there, const ridge_hub_name *name, ridge_arena *arena, ridge_err *err);

#endif
