/* file.h - whole files in, atomic files out.
 * Reading maps or reads a regular file of at most `limit` bytes. Writing goes to a temporary file in the same folder that is
 * synced and renamed over the target: a kill at any moment leaves the old or the new file. */
#ifndef RIDGE_BASE_FILE_H
#define RIDGE_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* Whole file into the arena, NUL-terminated. Errors say the path and the reason (missing, a directory, too large, permission). */
ridge_status ridge_file_read(ridge_str *out, const char *path, size_t limit, ridge_arena *arena, ridge_err *err);
/* Replaces `path` atomically; keeps the mode of an existing file, else 0666 & ~umask. */
ridge_status ridge_file_write_atomic(const char *path, ridge_str content, ridge_err *err);
/* Removes the temporary files of writers of `path` that were killed; for who holds a lock that keeps other writers away. */
void ridge_file_remove_leftovers(const char *path);
/* Makes a folder and its parents. */
ridge_status ridge_file_make_folders(const char *path, ridge_err *err);

/* An exclusive lock on `path` (created if missing, never removed), waiting at most `wait_s` seconds. *fd is the handle. */
ridge_status ridge_file_lock(int *fd, const char *path, unsigned wait_s, ridge_err *err);
void ridge_file_unlock(int fd);

bool ridge_file_is_folder(const char *path);
bool ridge_file_exists(const char *path);
/* Paths of the files below `folder` ending in `suffix`, sorted bytewise, recursively (depth <= 16); missing folder: none. */
ridge_status ridge_file_list(char ***paths, size_t *count, const char *folder, const char *suffix, ridge_arena *arena, ridge_err *err);

#endif
