/* hub.h - files of a model on the Hugging Face hub: from the shared cache, else from the server, into the cache.
 * In: a name, a file's path in the repository, the environment: HF_ENDPOINT, HF_TOKEN (or the token's file), HF_HUB_OFFLINE, HF_HUB_CACHE,
 * HF_HOME, HF_HUB_DOWNLOAD_TIMEOUT, HF_HUB_ETAG_TIMEOUT. Out: a path in the cache. docs/hub.md
 * Fails with NAME where there is no such model (or a private one), with IO on the rest, saying which: no such revision, gated, offline, no
 * network, an answer that cannot be. */
#ifndef RIDGE_INPUT_HUB_HUB_H
#define RIDGE_INPUT_HUB_HUB_H

#include "base/number.h"
#include "input/hub/cache.h"
#include "input/hub/http.h"

/* no server may be asked: HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE */
bool ridge_hub_is_offline(void);
/* The file from the server, anew; *path NULL and RIDGE_OK: the repository has no such file. *bytes: that it has; `limit`: that it may
 * have. */
ridge_status ridge_hub_download(const char **path, size_t *bytes, const ridge_hub_name *name, const char *file, size_t limit,
                                ridge_arena *arena, ridge_err *err);

/* bytes [from, to] of a file, which go into no cache, and what the server says of it; *there false: no such file */
typedef struct ridge_hub_part {
    bool there;
    ridge_str bytes;
    int64_t size; /* of the whole file */
    const char *etag, *commit;
} ridge_hub_part;
ridge_status ridge_hub_range(ridge_hub_part *out, const ridge_hub_name *name, const char *file, uint64_t from, uint64_t to,
                             ridge_arena *arena, ridge_err *err);

/* the files of a revision, as the hub's interface lists them */
typedef struct ridge_hub_file {
    const char *name; /* its path in the repository */
    ridge_int bytes;  /* negative: not told */
} ridge_hub_file;
typedef struct ridge_hub_list {
    ridge_hub_file *files;
    size_t count;
    const char *commit;
} ridge_hub_list;
ridge_status ridge_hub_list_ask(ridge_hub_list *out, const ridge_hub_name *name, ridge_arena *arena, ridge_err *err);
/* the same of an answer's text; path: for messages */
ridge_status ridge_hub_list_read(ridge_hub_list *out, ridge_str text, const char *path, const char *id, ridge_arena *arena, ridge_err *err);
/* a path that stays in its repository, without control characters */
bool ridge_hub_is_file(ridge_str name);

#endif
