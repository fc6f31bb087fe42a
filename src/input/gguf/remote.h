/* remote.h - a GGUF of a repository on the hub, by its quantisation or its path: which is meant, and where its header is.
 * In: "org/name", "org/name:Q4_K_M", "org/name@revision:Q4_K_M", "org/name/file.gguf". Out: a path that ridge_hub_open reads: the file
 * where the shared cache has it, else its header, which is fetched once and kept (hub/kept.h).
 * Fails where several could be meant (VALUE, with the list), as the hub does, and where what came is no GGUF. */
#ifndef RIDGE_INPUT_GGUF_REMOTE_H
#define RIDGE_INPUT_GGUF_REMOTE_H

#include "input/gguf/choice.h"
#include "input/gguf/gguf.h"
#include "input/hub/hub.h"

typedef struct ridge_gguf_id {
    ridge_hub_name name;
    const char *tag;  /* NULL: none */
    const char *file; /* its path in the repository; NULL: none */
} ridge_gguf_id;
/* false: the text is no such id; in the arena */
bool ridge_gguf_id_read(ridge_gguf_id *out, const char *text, ridge_arena *arena);

/* Is it known without asking that the repository has GGUFs and no config.json? */
bool ridge_gguf_id_is_known(const ridge_gguf_id *id, ridge_arena *arena);
/* Of a split model, the path of the first part. NULL: the repository has no GGUF. */
ridge_status ridge_gguf_id_find(const char **path, const ridge_gguf_id *id, ridge_arena *arena, ridge_err *err);

/* The one of a list that is meant, its first part; NULL: the list has no GGUF. `name`: for messages. */
ridge_status ridge_gguf_id_choose(const char **file, const ridge_gguf_id *id, const ridge_hub_list *list, ridge_arena *arena,
                                  ridge_err *err);
/* the file of one part, counted from 1; *count: how many there are */
const char *ridge_gguf_part_name(unsigned *count, const char *file, unsigned number, ridge_arena *arena);
/* The header of one file, fetched and kept; *commit: of what. *there false: the repository has no such file. */
ridge_status ridge_gguf_fetch(ridge_gguf *out, const char **commit, bool *there, const ridge_hub_name *name, const char *file,
                              ridge_arena *arena, ridge_err *err);

#endif
