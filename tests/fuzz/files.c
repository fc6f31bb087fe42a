#include "files.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const char *const *names;
static size_t name_count;
static ridge_str texts[FUZZ_FILES];

/* ---- the input ---- */

void fuzz_files_set(const char *const *paths, size_t count, ridge_str input)
{
    const char *end = input.p + input.n;
    names = paths;
    name_count = count;
    memset(texts, 0, sizeof texts);
    for (const char *at = fuzz_next_mark(input.p, input.p, end); at < end;) {
        const char *next = fuzz_next_mark(at + 3, input.p, end);
        if ((size_t)(at[1] - 'a') < count)
            texts[at[1] - 'a'] = (ridge_str){at + 3, (size_t)(next - at - 3)};
        at = next;
    }
}

ridge_str fuzz_file(size_t index)
{
    return texts[index];
}

/* ---- paths ---- */

/* the path below FUZZ_FOLDER, without a slash at its end ("" for the folder itself); p == NULL: it is elsewhere */
static ridge_str inside(const char *path)
{
    static const size_t n = sizeof FUZZ_FOLDER - 1;
    if (strncmp(path, FUZZ_FOLDER, n) != 0 || (path[n] != '/' && path[n] != '\0'))
        return (ridge_str){NULL, 0};
    ridge_str rest = ridge_str_of(path + n);
    while (rest.n > 0 && rest.p[0] == '/')
        rest = (ridge_str){rest.p + 1, rest.n - 1};
    while (rest.n > 0 && rest.p[rest.n - 1] == '/')
        rest.n--;
    return rest;
}

static bool is_below(const char *name, ridge_str folder)
{
    return folder.n == 0 || (strncmp(name, folder.p, folder.n) == 0 && name[folder.n] == '/');
}

static size_t find(ridge_str path)
{
    size_t i = 0;
    while (i < name_count && !(texts[i].p != NULL && ridge_str_eq(ridge_str_of(names[i]), path)))
        i++;
    return i;
}

/* ---- in place of base/file.c ---- */

ridge_status __real_ridge_file_read(ridge_str *out, const char *path, size_t limit, ridge_arena *arena, ridge_err *err);
ridge_status __wrap_ridge_file_read(ridge_str *out, const char *path, size_t limit, ridge_arena *arena, ridge_err *err);
bool __real_ridge_file_is_folder(const char *path);
bool __wrap_ridge_file_is_folder(const char *path);
bool __real_ridge_file_exists(const char *path);
bool __wrap_ridge_file_exists(const char *path);
ridge_status __real_ridge_file_list(char ***paths, size_t *count, const char *folder, const char *suffix, ridge_arena *arena,
                                    ridge_err *err);
ridge_status __wrap_ridge_file_list(char ***paths, size_t *count, const char *folder, const char *suffix, ridge_arena *arena,
                                    ridge_err *err);

ridge_status __wrap_ridge_file_read(ridge_str *out, const char *path, size_t limit, ridge_arena *arena, ridge_err *err)
{
    const ridge_str rest = inside(path);
    if (rest.p == NULL)
        return __real_ridge_file_read(out, path, limit, arena, err);
    const size_t i = find(rest);
    if (i == name_count)
        return ridge_fail(err, RIDGE_IO, "%s: No such file or directory", path);
    if (texts[i].n > limit)
        return ridge_fail(err, RIDGE_LIMIT, "%s: larger than %zu bytes", path, limit);
    char *copy = ridge_arena_strdup(arena, texts[i]);
    *out = (ridge_str){copy, texts[i].n};
    return copy != NULL ? RIDGE_OK : ridge_no_memory(err);
}

bool __wrap_ridge_file_is_folder(const char *path)
{
    const ridge_str rest = inside(path);
    if (rest.p == NULL)
        return __real_ridge_file_is_folder(path);
    bool found = rest.n == 0;
    for (size_t i = 0; i < name_count && !found; i++) /* the folders of files that are not there are there */
        found = is_below(names[i], rest);
    return found;
}

bool __wrap_ridge_file_exists(const char *path)
{
    const ridge_str rest = inside(path);
    return rest.p == NULL ? __real_ridge_file_exists(path) : find(rest) < name_count || __wrap_ridge_file_is_folder(path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

ridge_status __wrap_ridge_file_list(char ***paths, size_t *count, const char *folder, const char *suffix, ridge_arena *arena,
                                    ridge_err *err)
{
    const ridge_str rest = inside(folder);
    if (rest.p == NULL)
        return __real_ridge_file_list(paths, count, folder, suffix, arena, err);
    char **list = ridge_arena_array(arena, FUZZ_FILES, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < name_count && list != NULL; i++)
        if (texts[i].p != NULL && is_below(names[i], rest) && ridge_str_ends(ridge_str_of(names[i]), ridge_str_of(suffix)) &&
            (list[n++] = ridge_arena_printf(arena, FUZZ_FOLDER "/%s", names[i])) == NULL)
            list = NULL;
    if (list == NULL)
        return ridge_no_memory(err);
    qsort(list, n, sizeof *list, compare_paths);
    *paths = list;
    *count = n;
    return RIDGE_OK;
}
