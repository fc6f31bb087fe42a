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

enum { FOLDER_DEPTH_LIMIT = 16, LOCK_POLL_NS = 10 * 1000 * 1000 };

/* `reason` is an errno value; strerror is not safe between threads, strerrordesc_np is (glibc 2.32) */
ridge_status ridge_file_fail(ridge_err *err, const char *verb, const char *path, int reason)
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
            return ridge_file_fail(err, "read", path, errno);
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
        st = ridge_file_fail(err, "read", path, errno);
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
        return ridge_file_fail(err, "read", path, errno);
    struct stat info;
    ridge_status st;
    if (fstat(fd, &info) != 0)
        st = ridge_file_fail(err, "read", path, errno);
    else if (S_ISDIR(info.st_mode))
        st = ridge_file_fail(err, "read", path, EISDIR);
    else if (S_ISREG(info.st_mode) && info.st_size > 0)
        st = (uintmax_t)info.st_size > limit ? fail_large(err, path, limit) : read_known(out, fd, (size_t)info.st_size, path, arena, err);
    else
        st = read_stream(out, fd, path, limit, arena, err);
    (void)close(fd);
    return st;
}

/* ---- folders ---- */
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
        if (mkdir(copy, 0777) != 0) {
            int reason = errno; /* looking at what is there sets it anew */
            if (!ridge_file_is_folder(copy))
                st = ridge_file_fail(err, "make folder", copy, reason);
        }
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
        return ridge_file_fail(err, "lock", path, errno);
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
        return ridge_file_fail(err, "lock", path, reason);
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
    bool flat; /* folders inside are not entered */
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
        return list->flat ? RIDGE_OK : list_folder(list, path, depth + 1);
    if (!ridge_str_ends(ridge_str_of(name), list->suffix))
        return RIDGE_OK;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) /* a pipe would wait for who writes, a device may never end */
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
        return errno == ENOENT ? RIDGE_OK : ridge_file_fail(list->err, "list", folder, errno);
    ridge_status st = RIDGE_OK;
    const struct dirent *entry;
    while (!st && (errno = 0, entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            st = list_entry(list, folder, entry->d_name, depth);
    if (!st && errno != 0)
        st = ridge_file_fail(list->err, "list", folder, errno);
    (void)closedir(dir);
    return st;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static ridge_status list_sorted(char ***paths, size_t *count, const char *folder, listing list)
{
    ridge_status st = list_folder(&list, folder, 0);
    if (st)
        return st;
    if (list.count != 0)
        qsort(list.paths, list.count, sizeof *list.paths, compare_paths);
    *paths = list.paths;
    *count = list.count;
    return RIDGE_OK;
}

ridge_status ridge_file_list(char ***paths, size_t *count, const char *folder, const char *suffix, ridge_arena *arena, ridge_err *err)
{
    return list_sorted(paths, count, folder, (listing){.suffix = ridge_str_of(suffix), .arena = arena, .err = err});
}

ridge_status ridge_file_list_flat(char ***paths, size_t *count, const char *folder, const char *suffix, ridge_arena *arena, ridge_err *err)
{
    return list_sorted(paths, count, folder, (listing){.suffix = ridge_str_of(suffix), .flat = true, .arena = arena, .err = err});
}

const char *ridge_file_user_data(const char *name, ridge_arena *arena)
{
    const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (xdg && xdg[0] == '/')
        return ridge_arena_printf(arena, "%s/ridge/%s", xdg, name);
    return home && home[0] ? ridge_arena_printf(arena, "%s/.local/share/ridge/%s", home, name) : NULL;
}
