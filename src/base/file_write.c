/* Files written so that a kill, a full disk or a second writer leaves the old or the new one, never a part (file.h). */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { TEMPORARY_TRIES = 100, JOURNAL_LIMIT = 1 << 20 };

/* Files that are written are ".name.pid-n.tmp"; those that a journal lists are ".name.pid-n.new". */
#define WRITTEN ".tmp"
#define LISTED  ".new"

static bool write_all(int fd, ridge_str content)
{
    size_t n = 0;
    while (n < content.n) {
        ssize_t wrote = write(fd, content.p + n, content.n - n);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return false;
        n += (size_t)wrote;
    }
    return true;
}

/* a device or pipe has no old content to keep */
static ridge_status write_in_place(const char *path, ridge_str content, ridge_err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return ridge_file_fail(err, "write", path, errno);
    ridge_status st = RIDGE_OK;
    if (!write_all(fd, content))
        st = ridge_file_fail(err, "write", path, errno);
    if (close(fd) != 0 && !st)
        st = ridge_file_fail(err, "write", path, errno);
    return st;
}

/* ---- names ---- */

/* Bytes of the folder part of a path, its last slash included. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* malloc */
static char *folder_of(const char *path)
{
    size_t n = folder_length(path);
    return n != 0 ? strndup(path, n) : strdup(".");
}

/* "12-0" */
static bool is_number_pair(ridge_str text)
{
    size_t i = 0, dash = 0;
    for (; i < text.n && (isdigit((unsigned char)text.p[i]) || (text.p[i] == '-' && i > 0 && dash == 0)); i++)
        dash = text.p[i] == '-' ? i : dash;
    return i == text.n && dash > 0 && dash + 1 < text.n;
}

/* is `file` ".name.pid-n" and this ending? `name` NULL: of any name */
static bool is_temporary(const char *file, const char *name, const char *ending)
{
    ridge_str text = ridge_str_of(file);
    if (text.p[0] != '.' || !ridge_str_ends(text, ridge_str_of(ending)))
        return false;
    text.n -= strlen(ending);
    size_t at = text.n;
    while (at > 1 && text.p[at - 1] != '.')
        at--;
    if (at < 3 || !is_number_pair((ridge_str){text.p + at, text.n - at}))
        return false;
    return !name || ridge_str_is((ridge_str){text.p + 1, at - 2}, name);
}

/* ---- temporary files ---- */

/* Its writer holds a lock on it while it lives: who gets the lock may remove it. */
static void remove_if_dead(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder, name, 0);
    (void)close(fd);
}

/* what killed writers of this name, or of any, have left */
static void remove_stale(const char *folder, const char *name)
{
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (is_temporary(e->d_name, name, WRITTEN))
            remove_if_dead(dirfd(dir), e->d_name);
    if (dir)
        (void)closedir(dir);
}

/* Holds it: a second look finds a file that somebody took for a dead writer's before it was locked. */
static bool lock_new(int fd)
{
    struct stat info;
    return flock(fd, LOCK_EX | LOCK_NB) == 0 ? fstat(fd, &info) == 0 && info.st_nlink > 0 : errno != EWOULDBLOCK;
}

/* A new file beside `path`; its name goes into *name (malloc). -1 and errno on failure. */
static int open_temporary(char **name, const char *path, const char *ending)
{
    int folder = (int)folder_length(path);
    for (int i = 0; i < TEMPORARY_TRIES; i++) {
        ridge_buf buf = {0};
        ridge_buf_addf(&buf, "%.*s.%s.%ld-%d%s", folder, path, path + folder, (long)getpid(), i, ending);
        if (buf.failed) {
            ridge_buf_free(&buf);
            errno = ENOMEM;
            return -1;
        }
        int fd = open(buf.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), reason = errno;
        if (fd >= 0 && lock_new(fd)) {
            *name = buf.p;
            return fd;
        }
        if (fd >= 0)
            (void)close(fd);
        ridge_buf_free(&buf);
        errno = reason;
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    errno = EEXIST; /* whatever the last try said: every name was taken, or taken away */
    return -1;
}

/* makes the rename itself durable; a file system that cannot sync a folder is none of the caller's worry */
static void sync_folder_of(const char *path)
{
    char *folder = folder_of(path);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

static void remove_stale_of(const char *path)
{
    char *folder = folder_of(path);
    if (folder)
        remove_stale(folder, path + folder_length(path));
    free(folder);
}

/* ---- one file ---- */

/* like rename(), but never over a file: EEXIST */
static int rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) /* file systems that cannot */
        return -1;
    if (link(from, to) != 0)
        return -1;
    (void)unlink(from);
    return 0;
}

/* the text in a new file beside `path`, on disk; *fd holds its lock */
static ridge_status write_beside(char **name, int *fd, const char *path, const struct stat *old, ridge_str content, const char *ending,
                                 ridge_err *err)
{
    *name = NULL;
    *fd = open_temporary(name, path, ending);
    if (*fd < 0)
        return ridge_file_fail(err, "write", path, errno);
    if (write_all(*fd, content) && (!old || fchmod(*fd, old->st_mode & 07777) == 0) && fsync(*fd) == 0)
        return RIDGE_OK;
    int reason = errno;
    (void)unlink(*name);
    (void)close(*fd);
    free(*name);
    *name = NULL;
    return ridge_file_fail(err, "write", path, reason);
}

/* there: NULL where it may be replaced */
static ridge_status put_file(const char *path, const struct stat *old, ridge_str content, bool *there, ridge_err *err)
{
    char *name;
    int fd;
    remove_stale_of(path);
    ridge_status st = write_beside(&name, &fd, path, old, content, WRITTEN, err);
    if (st)
        return st;
    if ((there ? rename_new(name, path) : rename(name, path)) == 0) {
        sync_folder_of(path);
    } else {
        int reason = errno;
        (void)unlink(name);
        if (there && reason == EEXIST)
            *there = true;
        else
            st = ridge_file_fail(err, "write", path, reason);
    }
    (void)close(fd);
    free(name);
    return st;
}

ridge_status ridge_file_write_atomic(const char *path, ridge_str content, ridge_err *err)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return errno == ENOENT ? put_file(path, NULL, content, NULL, err) : ridge_file_fail(err, "write", path, errno);
    if (S_ISDIR(info.st_mode))
        return ridge_file_fail(err, "write", path, EISDIR);
    if (!S_ISREG(info.st_mode))
        return write_in_place(path, content, err);
    char *target = realpath(path, NULL); /* a symbolic link stays one: the file it names is replaced */
    if (!target)
        return ridge_file_fail(err, "write", path, errno);
    ridge_status st = put_file(target, &info, content, NULL, err);
    free(target);
    return st;
}

ridge_status ridge_file_write_new(bool *there, const char *path, ridge_str content, ridge_err *err)
{
    *there = false;
    return put_file(path, NULL, content, there, err);
}

/* ---- several files: what is to be renamed, as "from\0to\0" of each ---- */

static ridge_status rename_listed(const char *list, size_t n, ridge_err *err)
{
    for (size_t at = 0; at < n;) {
        const char *from = list + at, *to = from + strlen(from) + 1;
        at = (size_t)(to - list) + strlen(to) + 1;
        if (rename(from, to) != 0 && errno != ENOENT) /* ENOENT: done before the kill */
            return ridge_file_fail(err, "write", to, errno);
        sync_folder_of(to);
    }
    return RIDGE_OK;
}

/* every list ends in a text's end, and has pairs */
static bool is_list(ridge_str list)
{
    size_t ends = 0;
    for (size_t i = 0; i < list.n; i++)
        ends += list.p[i] == '\0';
    return list.n == 0 || (list.p[list.n - 1] == '\0' && ends % 2 == 0);
}

ridge_status ridge_file_complete(const char *journal, ridge_err *err)
{
    ridge_arena arena;
    ridge_str list = {"", 0};
    if (!ridge_file_exists(journal))
        return RIDGE_OK;
    ridge_arena_init(&arena);
    ridge_status st = ridge_file_read(&list, journal, JOURNAL_LIMIT, &arena, err);
    if (!st && !is_list(list))
        st = ridge_fail(err, RIDGE_SYNTAX, "%s is no list of files that Ridge wrote: remove it", journal);
    if (!st)
        st = rename_listed(list.p, list.n, err);
    if (!st && unlink(journal) != 0 && errno != ENOENT)
        st = ridge_file_fail(err, "remove", journal, errno);
    ridge_arena_free(&arena);
    return st;
}

static void remove_listed(const ridge_buf *list)
{
    for (size_t at = 0; at < list->n;) {
        const char *from = list->p + at, *to = from + strlen(from) + 1;
        (void)unlink(from);
        at = (size_t)(to - list->p) + strlen(to) + 1;
    }
}

/* the new text beside the file, and its line in the list */
static ridge_status add_listed(ridge_buf *list, const ridge_file_text *file, ridge_err *err)
{
    struct stat info;
    bool old = stat(file->path, &info) == 0;
    char *target = old ? realpath(file->path, NULL) : strdup(file->path), *name = NULL;
    int fd = -1;
    ridge_status st = target ? write_beside(&name, &fd, target, old ? &info : NULL, file->content, LISTED, err)
                             : ridge_file_fail(err, "write", file->path, errno);
    if (!st) {
        (void)close(fd);
        ridge_buf_add(list, (ridge_str){name, strlen(name) + 1});
        ridge_buf_add(list, (ridge_str){target, strlen(target) + 1});
        if (list->failed) {
            (void)unlink(name);
            st = ridge_no_memory(err);
        }
    }
    free(name);
    free(target);
    return st;
}

ridge_status ridge_file_write_together(const ridge_file_text *files, size_t count, const char *journal, ridge_err *err)
{
    ridge_buf list = {0};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < count && !st; i++)
        st = add_listed(&list, &files[i], err);
    if (!st && list.n > 0)
        st = ridge_file_write_atomic(journal, (ridge_str){list.p, list.n}, err);
    if (st)
        remove_listed(&list);
    else
        st = ridge_file_complete(journal, err);
    ridge_buf_free(&list);
    return st;
}

void ridge_file_remove_leftovers(const char *folder)
{
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (is_temporary(e->d_name, NULL, LISTED))
            (void)unlinkat(dirfd(dir), e->d_name, 0);
    if (dir)
        (void)closedir(dir);
    remove_stale(folder, NULL);
}
