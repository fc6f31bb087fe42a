/* The user's own catalog on disk: one writer at a time, and what a killed one has begun is ended by whoever comes next (registry.h). */
#include "base/file.h"
#include "catalog/registry.h"

enum { LOCK_WAIT_S = 60 };

static const char *journal_of(const char *folder, ridge_arena *arena)
{
    return ridge_arena_printf(arena, "%s/.pending", folder);
}

ridge_status ridge_user_catalog_lock(int *lock, const char *folder, ridge_arena *arena, ridge_err *err)
{
    const char *path = ridge_arena_printf(arena, "%s/.lock", folder), *journal = journal_of(folder, arena);
    ridge_status st = path && journal ? ridge_file_make_folders(folder, err) : ridge_no_memory(err);
    if (st || (st = ridge_file_lock(lock, path, LOCK_WAIT_S, err)))
        return st;
    if ((st = ridge_file_complete(journal, err)))
        ridge_file_unlock(*lock);
    else
        ridge_file_remove_leftovers(folder);
    return st;
}

ridge_status ridge_user_catalog_write(const char *folder, const ridge_file_text *files, size_t count, ridge_arena *arena, ridge_err *err)
{
    const char *journal = journal_of(folder, arena);
    if (!journal)
        return ridge_no_memory(err);
    return count == 1 ? ridge_file_write_atomic(files[0].path, files[0].content, err)
                      : ridge_file_write_together(files, count, journal, err);
}

ridge_status ridge_user_catalog_settle(const char *folder, ridge_arena *arena, ridge_err *err)
{
    const char *journal = journal_of(folder, arena);
    int lock;
    if (!journal)
        return ridge_no_memory(err);
    if (!ridge_file_exists(journal))
        return RIDGE_OK;
    ridge_status st = ridge_user_catalog_lock(&lock, folder, arena, err);
    if (!st)
        ridge_file_unlock(lock);
    return st;
}
