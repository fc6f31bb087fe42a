/* head.h - the beginning of a file on the hub, fetched by its ranges as far as a reader asks for it.
 * In: a name, a file's path in the repository. Out: a file to read from; what was fetched is one commit's and one version's.
 * Fails (IO, LIMIT) as the hub does, where the file changes meanwhile, and where a reader wants more than any header has. */
#ifndef RIDGE_INPUT_HUB_HEAD_H
#define RIDGE_INPUT_HUB_HEAD_H

#include "input/binary.h"
#include "input/hub/hub.h"

typedef struct ridge_hub_head {
    ridge_binary binary; /* its path in messages is "org/name/FILE" */
    ridge_hub_name name; /* the revision: the commit that the first answer was of */
    const char *file, *etag;
    ridge_buf bytes;
} ridge_hub_head;

/* Its first bytes; *there false: the repository has no such file. Close it also after an error. It stays where it is until then. */
ridge_status ridge_hub_head_open(ridge_hub_head *out, bool *there, const ridge_hub_name *name, const char *file, size_t first,
                                 ridge_arena *arena, ridge_err *err);
/* Keeps what was read of it (kept.h). */
ridge_status ridge_hub_head_keep(const ridge_hub_head *head, ridge_arena *arena, ridge_err *err);
void ridge_hub_head_close(ridge_hub_head *head);

#endif
