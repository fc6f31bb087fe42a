/* file.h - whole files in, atomic files out.
 * Reading maps or reads a regular file of at most `limit` bytes. Writing goes to a temporary file in the same folder that is
 * synced and renamed over the target: a kill at any moment leaves the old or the new file. The temporary file of a writer that was killed
 * is removed by the next one of the same file; a lock on it tells that its writer lives. */
#ifndef RIDGE_BASE_FILE_H
#define RIDGE_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* Whole file into the arena, NUL-terminated. Errors say the path and the reason (missing, a directory, too large, permission). */
ridge_status ridge_file_read(ridge_str *out, const char *path, size_t limit, ridge_arena *arena, ridge_err *err);
/* Replaces `path` atomically; keeps the mode of an existing file, else 0666 & ~umask. */
ridge_status ridge_file_write_atomic(const char *path, ridge_str content, ridge_err *err);
/* Makes the file, unless there is one: then *there, and it stays as it is. Of several at once, one makes it. */
ridge_status ridge_file_write_new(bool *there, const char *path, ridge_str content, ridge_err *err);

/* ---- several files as one ---- */
/* One writer at a time, and a name for the journal: who holds a lock that keeps other writers away. */
typedef struct ridge_file_text {
    const char *path;
    ridge_str content;
} ridge_file_text;
/* Replaces all of them or none: the new ones lie beside the old ones before the journal, which lists them, is renamed into its place. Up to
 * that moment nothing has changed; from then on ridge_file_complete ends what was begun, whoever calls it. */
ridge_status ridge_file_write_together(const ridge_file_text *files, size_t count, const char *journal, ridge_err *err);
/* Ends what a killed writer had begun, by its journal; nothing where there is none. */
ridge_status ridge_file_complete(const char *journal, ridge_err *err);
/* Removes what killed writers have left in a folder of Ridge's own, for who holds its lock: nothing that a journal still needs. */
void ridge_file_remove_leftovers(const char *folder);
/* "cannot VERB PATH: reason", of an errno value; IO */
ridge_status ridge_file_fail(ridge_err *err, const char *verb, const char *path, int reason);

/* Makes a folder and its parents. */
ridge_status ridge_file_make_folders(const char *path, ridge_err *err);

/* An exclusive lock on `path` (created if missing, never removed), waiting at most `wait_s` seconds. *fd is the handle. */
ridge_status ridge_file_lock(int *fd, const char *path, unsigned wait_s, ridge_err *err);
void ridge_file_unlock(int fd);

/* $XDG_DATA_HOME/ridge/NAME, else ~/.local/share/ridge/NAME; NULL: neither is set, or memory runs out */
const char *ridge_file_user_data(const char *name, ridge_arena *arena);
/* Changes with every file below those of these folders that are there (NULL-terminated; at most 4096 files are looked at). */
uint64_t ridge_file_user_state(const char *const *names);
bool ridge_file_is_folder(const char *path);
bool ridge_file_exists(const char *path);
/* Paths of the regular files (or links to such) below `folder` ending in `suffix`, sorted bytewise, recursively (depth <= 16); missing
 * folder: none. */
ridge_status ridge_file_list(char ***paths, size_t *count, const char *folder, const char *suffix, ridge_arena *arena, ridge_err *err);
/* the same of the folder alone, without those inside it */
ridge_status ridge_file_list_flat(char ***paths, size_t *count, const char *folder, const char *suffix, ridge_arena *arena, ridge_err *err);

#endif
