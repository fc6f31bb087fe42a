#include "generate/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shown.h"

/* The list of what was written: by it a folder is known as one of ours. */
#define LIST_NAME ".ridge-generated"
enum { LIST_LIMIT = 16 << 20, TRIES = 100, HANDLES = 16, DEEPEST = 4 };

typedef struct writer {
    const char *path;          /* of the folder itself, links followed */
    const char *parent, *name; /* "/a/b" and "c" of "/a/b/c" */
    const char *temporary;     /* where the files are written first */
    ridge_symtab listed;       /* files of the folder that is there */
    ridge_arena *arena;
    ridge_err *err;
} writer;

/* ---- what is there ---- */

static ridge_status read_list(bool *found, writer *w)
{
    const char *path = ridge_arena_printf(w->arena, "%s/" LIST_NAME, w->path);
    ridge_str text;
    if (!path)
        return ridge_no_memory(w->err);
    *found = ridge_file_exists(path);
    ridge_status st = *found ? ridge_file_read(&text, path, LIST_LIMIT, w->arena, w->err) : RIDGE_OK;
    for (size_t at = 0; *found && !st && at < text.n;) {
        const char *end = memchr(text.p + at, '\n', text.n - at);
        const size_t n = end ? (size_t)(end - text.p) - at : text.n - at;
        if (!ridge_intern(&w->listed, (ridge_str){text.p + at, n}))
            return ridge_no_memory(w->err);
        at += n + 1;
    }
    return st;
}

static ridge_status is_foreign(const writer *w, const char *name)
{
    return ridge_fail(w->err, RIDGE_NAME, "%s holds %s, which ridge generate did not write: choose another folder, or move it away",
                      ridge_shown(w->arena, w->path), ridge_shown(w->arena, name));
}

/* Python's own files beside those that it has imported */
static bool is_compiled(const char *relative)
{
    return strstr(relative, "__pycache__") && ridge_str_ends(ridge_str_of(relative), RIDGE_STR(".pyc"));
}

static ridge_status look_into(const writer *w, const char *relative, unsigned depth)
{
    const char *path = *relative ? ridge_arena_printf(w->arena, "%s/%s", w->path, relative) : w->path;
    DIR *dir = path ? opendir(path) : NULL;
    ridge_status st = !path ? ridge_no_memory(w->err) : dir ? RIDGE_OK : ridge_file_fail(w->err, "read", path, errno);
    for (const struct dirent *e; !st && (e = readdir(dir));) {
        struct stat info;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || (!*relative && strcmp(e->d_name, LIST_NAME) == 0))
            continue;
        const char *name =
            *relative ? ridge_arena_printf(w->arena, "%s/%s", relative, e->d_name) : ridge_arena_strdup(w->arena, ridge_str_of(e->d_name));
        if (!name)
            st = ridge_no_memory(w->err);
        else if (fstatat(dirfd(dir), e->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            st = errno == ENOENT ? RIDGE_OK : ridge_file_fail(w->err, "read", name, errno);
        else if (S_ISDIR(info.st_mode) && depth < DEEPEST)
            st = look_into(w, name, depth + 1);
        else if (!S_ISREG(info.st_mode) || (!ridge_intern_find(&w->listed, ridge_str_of(name)) && !is_compiled(name)))
            st = is_foreign(w, name);
    }
    if (dir)
        (void)closedir(dir);
    return st;
}

/* *there: a folder that is to be replaced */
static ridge_status look(bool *there, writer *w)
{
    struct stat info;
    bool listed;
    *there = false;
    if (lstat(w->path, &info) != 0)
        return errno == ENOENT ? RIDGE_OK : ridge_file_fail(w->err, "write", w->path, errno);
    if (!S_ISDIR(info.st_mode))
        return ridge_file_fail(w->err, "write", w->path, ENOTDIR);
    *there = true;
    ridge_status st = read_list(&listed, w);
    return st ? st : look_into(w, "", 0);
}

/* ---- temporary folders ---- */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

static void remove_tree(const char *path)
{
    (void)nftw(path, remove_one, HANDLES, FTW_DEPTH | FTW_PHYS);
}

/* ".name.12-0.tmp" */
static bool is_temporary(const writer *w, const char *file)
{
    const size_t n = strlen(w->name);
    return file[0] == '.' && strncmp(file + 1, w->name, n) == 0 && file[n + 1] == '.' && ridge_is_digit(file[n + 2]) &&
           ridge_str_ends(ridge_str_of(file), RIDGE_STR(".tmp"));
}

/* What killed writers have left: who writes holds a lock on its folder. */
static void remove_stale(const writer *w)
{
    DIR *dir = opendir(w->parent);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        const char *path = is_temporary(w, e->d_name) ? ridge_arena_printf(w->arena, "%s/%s", w->parent, e->d_name) : NULL;
        int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (fd < 0)
            continue;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            remove_tree(path);
        (void)close(fd);
    }
    if (dir)
        (void)closedir(dir);
}

/* A new folder beside the one that is wanted; *fd holds its lock. */
static ridge_status make_temporary(int *fd, writer *w)
{
    for (int i = 0; i < TRIES; i++) {
        const char *path = ridge_arena_printf(w->arena, "%s/.%s.%ld-%d.tmp", w->parent, w->name, (long)getpid(), i);
        if (!path)
            return ridge_no_memory(w->err);
        if (mkdir(path, 0777) != 0) {
            if (errno == EEXIST)
                continue;
            return ridge_file_fail(w->err, "write", w->path, errno);
        }
        w->temporary = path;
        *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return *fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) == 0 ? RIDGE_OK : ridge_file_fail(w->err, "write", w->path, errno);
    }
    return ridge_file_fail(w->err, "write", w->path, EEXIST);
}

/* ---- files ---- */

static ridge_status write_file(const writer *w, int folder, const char *name, ridge_str content)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool ok = fd >= 0;
    for (size_t n = 0; ok && n < content.n;) {
        const ssize_t wrote = write(fd, content.p + n, content.n - n);
        ok = wrote >= 0 || errno == EINTR;
        n += wrote > 0 ? (size_t)wrote : 0;
    }
    const int reason = errno;
    if (fd >= 0 && close(fd) != 0 && ok)
        return ridge_file_fail(w->err, "write", name, errno);
    return ok ? RIDGE_OK : ridge_file_fail(w->err, "write", name, reason);
}

/* the folder of "a/b.py"; *last is the one that was made last */
static ridge_status make_folder(const writer *w, int folder, const char *name, ridge_str *last)
{
    const char *slash = strchr(name, '/');
    ridge_str part = {name, slash ? (size_t)(slash - name) : 0};
    if (!slash || ridge_str_eq(part, *last))
        return RIDGE_OK;
    const char *path = ridge_arena_strdup(w->arena, part);
    if (!path)
        return ridge_no_memory(w->err);
    *last = part;
    return mkdirat(folder, path, 0777) == 0 || errno == EEXIST ? RIDGE_OK : ridge_file_fail(w->err, "write", name, errno);
}

static ridge_status write_files(const writer *w, int folder, const ridge_file_text *files, size_t count)
{
    ridge_buf list = {0};
    ridge_str last = {"", 0};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < count && !st; i++) {
        ridge_buf_addf(&list, "%s\n", files[i].path);
        if (!(st = make_folder(w, folder, files[i].path, &last)))
            st = write_file(w, folder, files[i].path, files[i].content);
    }
    if (!st && list.failed)
        st = ridge_no_memory(w->err);
    if (!st)
        st = write_file(w, folder, LIST_NAME, (ridge_str){list.p ? list.p : "", list.n});
    ridge_buf_free(&list);
    return st;
}

/* ---- the exchange ---- */

/* The new folder takes the place of the old one in one step; where a file system cannot, in two. */
static ridge_status exchange(const writer *w, bool there)
{
    if (!there)
        return renameat2(AT_FDCWD, w->temporary, AT_FDCWD, w->path, RENAME_NOREPLACE) == 0 ||
                       ((errno == EINVAL || errno == ENOSYS) && rename(w->temporary, w->path) == 0)
                   ? RIDGE_OK
                   : ridge_file_fail(w->err, "write", w->path, errno);
    if (renameat2(AT_FDCWD, w->temporary, AT_FDCWD, w->path, RENAME_EXCHANGE) == 0)
        return RIDGE_OK;
    if (errno != EINVAL && errno != ENOSYS)
        return ridge_file_fail(w->err, "write", w->path, errno);
    const char *old = ridge_arena_printf(w->arena, "%s.old", w->temporary);
    if (!old)
        return ridge_no_memory(w->err);
    if (rename(w->path, old) != 0)
        return ridge_file_fail(w->err, "write", w->path, errno);
    if (rename(w->temporary, w->path) == 0)
        return rename(old, w->temporary) == 0 ? RIDGE_OK : ridge_file_fail(w->err, "remove", old, errno);
    const int reason = errno;
    (void)rename(old, w->path);
    return ridge_file_fail(w->err, "write", w->path, reason);
}

static ridge_status replace(writer *w, const ridge_file_text *files, size_t count)
{
    bool there;
    int fd = -1;
    ridge_status st = look(&there, w);
    if (st)
        return st;
    remove_stale(w);
    if (!(st = make_temporary(&fd, w)) && !(st = write_files(w, fd, files, count))) {
        (void)syncfs(fd); /* before the names change: a file system that cannot is none of the caller's worry */
        st = exchange(w, there);
    }
    if (w->temporary && (st || there)) /* what did not come to be, or the old folder */
        remove_tree(w->temporary);
    if (fd >= 0)
        (void)close(fd);
    return st;
}

/* "a/b/" -> "a/b"; of a link what it names */
static ridge_status resolve(writer *w, const char *path)
{
    ridge_str text = ridge_str_of(path);
    while (text.n > 1 && text.p[text.n - 1] == '/')
        text.n--;
    char *real = realpath(path, NULL);
    w->path = ridge_arena_strdup(w->arena, real ? ridge_str_of(real) : text);
    free(real);
    if (!w->path)
        return ridge_no_memory(w->err);
    const char *slash = strrchr(w->path, '/');
    w->name = slash ? slash + 1 : w->path;
    w->parent = !slash ? "." : slash == w->path ? "/" : ridge_arena_strdup(w->arena, (ridge_str){w->path, (size_t)(slash - w->path)});
    if (!w->parent)
        return ridge_no_memory(w->err);
    return *w->name ? RIDGE_OK : ridge_fail(w->err, RIDGE_USAGE, "%s is no folder that could be written", ridge_shown(w->arena, path));
}

ridge_status ridge_folder_write(const char *path, const ridge_file_text *files, size_t count, ridge_arena *arena, ridge_err *err)
{
    writer w = {.arena = arena, .err = err};
    ridge_status st;
    if (!ridge_symtab_init(&w.listed, arena))
        return ridge_no_memory(err);
    return (st = resolve(&w, path)) ? st : replace(&w, files, count);
}
