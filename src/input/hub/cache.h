/* cache.h - the Hugging Face cache as its own library lays it out and shares it: models--org--name/{blobs,refs,snapshots}.
 * In: the environment (HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, HOME), a model's id. Out: paths in the arena.
 * What is stored is complete: a blob is written beside its place and renamed into it, then the snapshot's link to it, then the ref.
 * Source: huggingface_hub, "Understand caching". */
#ifndef RIDGE_INPUT_HUB_CACHE_H
#define RIDGE_INPUT_HUB_CACHE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* "org/name@revision" */
typedef struct ridge_hub_name {
    const char *id;       /* "org/name", "gpt2" */
    const char *revision; /* a branch, a tag or a commit; "main" where none is named */
} ridge_hub_name;
/* false: the text is no id as the hub has them; in the arena */
bool ridge_hub_name_read(ridge_hub_name *out, const char *text, ridge_arena *arena);

/* A file or folder that Hugging Face's programs share: HF_HOME/NAME, else where that is by default; NULL: the environment names none, or
 * memory runs out (the arena says so). */
const char *ridge_hub_home(const char *name, ridge_arena *arena);
/* the folder of the cache; NULL: as above */
const char *ridge_hub_folder(ridge_arena *arena);
/* "models--org--name" */
const char *ridge_hub_repo(const char *id, ridge_arena *arena);
/* ... and back: "org/name"; NULL: it is the folder of no model, or memory runs out */
const char *ridge_hub_id_of_folder(const char *name, ridge_arena *arena);
/* where a commit's file is, or would be; file "": the commit's folder */
const char *ridge_hub_place(const char *hub, const char *id, const char *commit, const char *file, ridge_arena *arena);
/* the folder of the revision's commit; NULL: that is not known, or memory runs out */
const char *ridge_hub_snapshot(const char *hub, const ridge_hub_name *name, ridge_arena *arena);
/* the commit that the file of a ref names; NULL: it names none, or memory runs out */
const char *ridge_hub_ref(const char *path, ridge_arena *arena);
ridge_status ridge_hub_make_folder_of(const char *path, ridge_arena *arena, ridge_err *err);
/* A file of the revision's snapshot that is there; of "main" without a ref, of the newest snapshot that has it. NULL: there is none, or
 * memory runs out. */
const char *ridge_hub_cached(const char *hub, const ridge_hub_name *name, const char *file, ridge_arena *arena);

/* The ids of the models in the cache whose config.json is there, sorted bytewise; a cache that is not there has none. */
ridge_status ridge_hub_cached_ids(const char ***ids, size_t *count, const char *hub, ridge_arena *arena, ridge_err *err);

/* what a server says of a file */
typedef struct ridge_hub_blob {
    const char *commit; /* 40 hexadecimal digits */
    const char *etag;   /* name of the blob: no path in it */
    ridge_str content;
} ridge_hub_blob;
/* Stores it; *path is its place in the snapshot. IO */
ridge_status ridge_hub_store(const char **path, const char *hub, const ridge_hub_name *name, const char *file, const ridge_hub_blob *blob,
                             ridge_arena *arena, ridge_err *err);
/* does a server's word name a commit, or a blob? */
bool ridge_hub_is_commit(const char *text);
bool ridge_hub_is_etag(const char *text);

#endif
