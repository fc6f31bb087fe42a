#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FOLDER_DEPTH_LIMIT = 16, TEMPORARY_TRIES = 100, LOCK_POLL_NS = 10 * 1000 * 1000 };

/* `reason` is an errno value; strerror is not safe between threads, strerrordesc_np is (glibc 2.32) */
static ridge_status fail_path(ridge_err *err, const char *verb, const char *path, int reason)
{
    const char *text = strerrordesc_np(reason);
    return ridge_fail(err, RIDGE_IO, "cannot %s %s: %s", verb, path, text ? text : "unknown reason");
}

static ridge_status fail_large(ridge_err *err, const char *path, size_t limit)
{
    return ridge_fail(err, RIDGE_LIMIT, "cannot read %s: larger than %zu bytes", path, limit);
}

/* as read(2), again after a signal */
static ssize_t read_some(int fd, char *to, size_t n)
{
    ssize_t got;
    do
        got = read(fd, to, n);
    while (got < 0 && errno == EINTR);
    return got;
}

/* ---- reading ---- */
static ridge_status read_known(ridge_str *out, int fd, size_t size, const char *path, ridge_arena *arena, ridge_err *err)
{
    char *text = ridge_arena_alloc(arena, size + 1);
    if (!text)
        return ridge_no_memory(err);
    size_t n = 0;
    while (n < size) {
        ssize_t got = read_some(fd, text + n, size - n);
        if (got < 0)
            return fail_path(err, "read", path, errno);
        if (got == 0)
            break;
        n += (size_t)got;
    }
    *out = (ridge_str){text, n};
    return RIDGE_OK;
}

/* pipes, and files of /proc and /sys, which claim to be empty */
static ridge_status read_stream(ridge_str *out, int fd, const char *path, size_t limit, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    ridge_buf buf = {0};
    char piece[8192];
    ssize_t got;
    while ((got = read_some(fd, piece, sizeof piece)) > 0) {
        if ((size_t)got > limit - buf.n) {
            st = fail_large(err, path, limit);
            goto done;
        }
        ridge_buf_add(&buf, (ridge_str){piece, (size_t)got});
    }
    if (got < 0) {
        st = fail_path(err, "read", path, errno);
        goto done;
    }
    const char *text = buf.failed ? NULL : ridge_arena_strdup(arena, (ridge_str){buf.p, buf.n});
    if (!text)
        st = ridge_no_memory(err);
    else
        *out = (ridge_str){text, buf.n};
done:
    ridge_buf_free(&buf);
    return st;
}

ridge_status ridge_file_read(ridge_str *out, const char *path, size_t limit, ridge_arena *arena, ridge_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_path(err, "read", path, errno);
    struct stat info;
    ridge_status st;
    if (fstat(fd, &info) != 0)
        st = fail_path(err, "read", path, errno);
    else if (S_ISDIR(info.st_mode))
        st = fail_path(err, "read", path, EISDIR);
    else if (S_ISREG(info.st_mode) && info.st_size > 0)
        st = (uintmax_t)info.st_size > limit ? fail_large(err, path, limit) : read_known(out, fd, (size_t)info.st_size, path, arena, err);
    else
        st = read_stream(out, fd, path, limit, arena, err);
    (void)close(fd);
    return st;
}

/* ---- writing ---- */
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
        return fail_path(err, "write", path, errno);
    ridge_status st = RIDGE_OK;
    if (!write_all(fd, content))
        st = fail_path(err, "write", path, errno);
    if (close(fd) != 0 && !st)
        st = fail_path(err, "write", path, errno);
    return st;
}

/* Bytes of the folder part of a path, its last slash included. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* A new file ".name.pid-n.tmp" beside `path`; its name goes into *name (malloc). -1 and errno on failure. */
static int open_temporary(char **name, const char *path)
{
    int folder = (int)folder_length(path);
    for (int i = 0; i < TEMPORARY_TRIES; i++) {
        ridge_buf buf = {0};
        ridge_buf_addf(&buf, "%.*s.%s.%ld-%d.tmp", folder, path, path + folder, (long)getpid(), i);
        if (buf.failed) {
            ridge_buf_free(&buf);
            errno = ENOMEM;
            return -1;
        }
        int fd = open(buf.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            *name = buf.p;
            return fd;
        }
        ridge_buf_free(&buf);
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

void ridge_file_remove_leftovers(const char *path)
{
    size_t n = folder_length(path), name_n = strlen(path + n);
    char *folder = n != 0 ? strndup(path, n) : strdup(".");
    DIR *dir = folder ? opendir(folder) : NULL;
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        ridge_str name = ridge_str_of(e->d_name);
        if (name.n > name_n + 2 && name.p[0] == '.' && strncmp(name.p + 1, path + n, name_n) == 0 && name.p[name_n + 1] == '.' &&
            ridge_str_ends(name, RIDGE_STR(".tmp")))
            (void)unlinkat(dirfd(dir), e->d_name, 0);
    }
    if (dir)
        (void)closedir(dir);
    free(folder);
}

/* makes the rename itself durable; a file system that cannot sync a folder is none of the caller's worry */
static void sync_folder_of(const char *path)
{
    size_t n = folder_length(path);
    char *folder = n != 0 ? strndup(path, n) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

static ridge_status replace_file(const char *path, const struct stat *old, ridge_str content, ridge_err *err)
{
    char *temporary = NULL;
    ridge_status st = RIDGE_OK;
    int fd = open_temporary(&temporary, path);
    if (fd < 0)
        return fail_path(err, "write", path, errno);
    bool good = write_all(fd, content) && (!old || fchmod(fd, old->st_mode & 07777) == 0) && fsync(fd) == 0;
    int reason = errno;
    if (close(fd) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        reason = errno;
    }
    if (good) {
        sync_folder_of(path);
    } else {
        (void)unlink(temporary);
        st = fail_path(err, "write", path, reason);
    }
    free(temporary);
    return st;
}

ridge_status ridge_file_write_atomic(const char *path, ridge_str content, ridge_err *err)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return errno == ENOENT ? replace_file(path, NULL, content, err) : fail_path(err, "write", path, errno);
    if (S_ISDIR(info.st_mode))
        return fail_path(err, "write", path, EISDIR);
    if (!S_ISREG(info.st_mode))
        return write_in_place(path, content, err);
    char *target = realpath(path, NULL); /* a symbolic link stays one: the file it names is replaced */
    if (!target)
        return fail_path(err, "write", path, errno);
    ridge_status st = replace_file(target, &info, content, err);
    free(target);
    return st;
}

ridge_status ridge_file_make_folders(const char *path, ridge_err *err)
{
    char *copy = strdup(path);
    if (!copy)
        return ridge_no_memory(err);
    ridge_status st = RIDGE_OK;
    for (char *p = copy; *p != '\0' && !st;) {
        p += strspn(p, "/");
        p += strcspn(p, "/");
        char rest = *p;
        *p = '\0';
        if (mkdir(copy, 0777) != 0 && !ridge_file_is_folder(copy))
            st = fail_path(err, "make folder", copy, errno);
        *p = rest;
    }
    free(copy);
    return st;
}

/* ---- locks ---- */
static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

ridge_status ridge_file_lock(int *fd, const char *path, unsigned wait_s, ridge_err *err)
{
    int handle = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (handle < 0)
        return fail_path(err, "lock", path, errno);
    int64_t deadline = now_ns() + (int64_t)wait_s * 1000000000;
    while (flock(handle, LOCK_EX | LOCK_NB) != 0) {
        int reason = errno;
        if (reason == EWOULDBLOCK && now_ns() < deadline) {
            (void)nanosleep(&(struct timespec){0, LOCK_POLL_NS}, NULL);
            continue;
        }
        if (reason == EINTR)
            continue;
        (void)close(handle);
        if (reason == EWOULDBLOCK)
            return ridge_fail(err, RIDGE_IO, "cannot lock %s: held by another process for %u s", path, wait_s);
        return fail_path(err, "lock", path, reason);
    }
    *fd = handle;
    return RIDGE_OK;
}

void ridge_file_unlock(int fd)
{
    (void)close(fd); /* the lock goes with its last handle */
}

/* ---- listing ---- */
bool ridge_file_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool ridge_file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

typedef struct listing {
    char **paths;
    size_t count, cap;
    ridge_str suffix;
    ridge_arena *arena;
    ridge_err *err;
} listing;

static ridge_status list_folder(listing *list, const char *folder, int depth);

static ridge_status list_entry(listing *list, const char *folder, const char *name, int depth)
{
    const char *slash = ridge_str_ends(ridge_str_of(folder), RIDGE_STR("/")) ? "" : "/";
    char *path = ridge_arena_printf(list->arena, "%s%s%s", folder, slash, name);
    if (!path)
        return ridge_no_memory(list->err);
    struct stat info;
    if (lstat(path, &info) != 0) /* gone since it was listed */
        return RIDGE_OK;
    if (S_ISDIR(info.st_mode)) /* linked folders are not entered: they may lead back */
        return list_folder(list, path, depth + 1);
    if (!ridge_str_ends(ridge_str_of(name), list->suffix) || ridge_file_is_folder(path))
        return RIDGE_OK;
    char **paths = ridge_arena_grow(list->arena, list->paths, list->count, &list->cap, list->count + 1, sizeof *paths);
    if (!paths)
        return ridge_no_memory(list->err);
    list->paths = paths;
    list->paths[list->count++] = path;
    return RIDGE_OK;
}

static ridge_status list_folder(listing *list, const char *folder, int depth)
{
    if (depth > FOLDER_DEPTH_LIMIT)
        return ridge_fail(list->err, RIDGE_LIMIT, "cannot list %s: folders nested deeper than %d", folder, FOLDER_DEPTH_LIMIT);
    DIR *dir = opendir(folder);
    if (!dir)
        return errno == ENOENT ? RIDGE_OK : fail_path(list->err, "list", folder, errno);
    ridge_status st = RIDGE_OK;
    const struct dirent *entry;
    while (!st && (errno = 0, entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            st = list_entry(list, folder, entry->d_name, depth);
    if (!st && errno != 0)
        st = fail_path(list->err, "list", folder, errno);
    (void)closedir(dir);
    return st;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

ridge_status ridge_file_list(char ***paths, size_t *count, const char *folder, const char *suffix, ridge_arena *arena, ridge_err *err)
{
    listing list = {.suffix = ridge_str_of(suffix), .arena = arena, .err = err};
    ridge_status st = list_folder(&list, folder, 0);
    if (st)
        return st;
    if (list.count != 0)
        qsort(list.paths, list.count, sizeof *list.paths, compare_paths);
    *paths = list.paths;
    *count = list.count;
    return RIDGE_OK;
}
