/* posted.h - files that a request brings instead of naming them, and those that a command draws: in a folder of the task's own.
 * In: {"name": "mine.json", "content": {...}}, or the content alone. Out: a path that a command reads; removed with the task.
 * Fails (USAGE) on a name that is more than one, (IO) where there is no room for it. */
#ifndef RIDGE_SERVE_POSTED_H
#define RIDGE_SERVE_POSTED_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

/* makes the folder where *folder is NULL */
ridge_status ridge_posted_folder(const char **folder, ridge_arena *arena, ridge_err *err);
ridge_status ridge_posted_file(const char **path, const char **folder, const ridge_json *value, ridge_arena *arena, ridge_err *err);
ridge_status ridge_posted_read(ridge_buf *out, const char *path, ridge_arena *arena, ridge_err *err);
/* takes the folder's path out of a message: whoever asked does not know it */
void ridge_posted_hide(ridge_err *err, const char *folder);
void ridge_posted_remove(const char *folder); /* NULL: nothing */

#endif
