#include "serve/posted.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

enum { NAME_MOST = 100, PICTURE_MOST = 64 << 20 };

ridge_status ridge_posted_folder(const char **folder, ridge_arena *arena, ridge_err *err)
{
    const char *base = getenv("TMPDIR");
    if (*folder)
        return RIDGE_OK;
    char *path = ridge_arena_printf(arena, "%s/ridge-posted-XXXXXX", base && base[0] == '/' ? base : "/tmp");
    if (!path)
        return ridge_no_memory(err);
    if (!mkdtemp(path))
        return ridge_fail(err, RIDGE_IO, "no room for what was posted");
    *folder = path;
    return RIDGE_OK;
}

/* letters, digits, '-', '_' and '.', which does not begin it */
static bool is_name(const char *name)
{
    const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");
    return n > 0 && n <= NAME_MOST && name[n] == '\0' && name[0] != '.';
}

ridge_status ridge_posted_file(const char **path, const char **folder, const ridge_json *value, ridge_arena *arena, ridge_err *err)
{
    const ridge_json *content = ridge_json_get(value, "content");
    const char *name = content ? ridge_json_text(value, "name", arena) : "posted.json";
    if (!name)
        return ridge_fail(err, RIDGE_USAGE, "what is posted as {\"name\", \"content\"} has a name");
    if (!is_name(name))
        return ridge_fail(err, RIDGE_USAGE, "'%s' is no name of a file: letters, digits, '-', '_' and '.'", name);
    content = content ? content : value;
    const ridge_str text =
        content->type == RIDGE_JSON_STRING ? content->u.text : (ridge_str){content->begin, (size_t)(content->end - content->begin)};
    ridge_status st = ridge_posted_folder(folder, arena, err);
    *path = st ? NULL : ridge_arena_printf(arena, "%s/%s", *folder, name);
    if (!st && !*path)
        st = ridge_no_memory(err);
    return st ? st : ridge_file_write_atomic(*path, text, err);
}

ridge_status ridge_posted_read(ridge_buf *out, const char *path, ridge_arena *arena, ridge_err *err)
{
    ridge_str text;
    ridge_status st = ridge_file_read(&text, path, PICTURE_MOST, arena, err);
    if (!st)
        ridge_buf_add(out, text);
    return !st && out->failed ? ridge_no_memory(err) : st;
}

static void cut_out(char *text, const char *folder)
{
    const size_t n = strlen(folder) + 1;
    for (char *at = strstr(text, folder); at && strlen(at) >= n; at = strstr(text, folder))
        memmove(at, at + n, strlen(at + n) + 1);
}

void ridge_posted_hide(ridge_err *err, const char *folder)
{
    cut_out(err->msg, folder);
    cut_out(err->file, folder);
}

void ridge_posted_remove(const char *folder)
{
    char path[512];
    DIR *dir = folder ? opendir(folder) : NULL;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
        if (entry->d_name[0] != '.' && snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            (void)unlink(path);
    if (dir)
        (void)closedir(dir);
    if (folder)
        (void)rmdir(folder);
}
