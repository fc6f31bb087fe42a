#include "serve/reach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH_MOST = 6, ENTRIES_MOST = 20000 };

/* ---- the folder ---- */

/* a folder that is gone: what is opened from there by a name is not there, and nothing can be made in it */
static ridge_status enter_nowhere(ridge_err *err)
{
    char path[] = "/tmp/ridge-serve-XXXXXX";
    if (mkdtemp(path)) {
        const bool entered = chdir(path) == 0;
        (void)rmdir(path);
        if (entered)
            return RIDGE_OK;
    }
    return chdir("/proc/self/fdinfo") == 0 ? RIDGE_OK : ridge_fail(err, RIDGE_IO, "cannot leave the working folder");
}

ridge_status ridge_reach_enter(ridge_reach_policy *out, const char *folder, ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_reach_policy){.fd = -1};
    if (!folder)
        return enter_nowhere(err);
    char *real = realpath(folder, NULL);
    out->fd = real ? open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    out->folder = real ? ridge_arena_strdup(arena, ridge_str_of(real)) : NULL;
    free(real);
    if (out->fd < 0 || fchdir(out->fd) != 0)
        return ridge_fail(err, RIDGE_IO, RIDGE_OPT("files") ": %s is no folder that can be entered", folder);
    return out->folder ? RIDGE_OK : ridge_no_memory(err);
}

/* ---- one path ---- */

typedef enum where { BELOW, OUTSIDE, NOWHERE } where;

/* Where a path leads from an open folder, links followed. *fd: what is there, -1 where nothing is. Without openat2 (before Linux 5.6) no
 * path is known to stay below. */
static where follow(int *fd, int folder, const char *path)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    *fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (*fd >= 0)
        return BELOW;
    return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG ? NOWHERE : OUTSIDE;
}

typedef struct walk {
    int top;
    const char *folder; /* its path below the top */
    unsigned depth, entries;
} walk;

static bool links_stay_below(walk *w, const char *path);

static bool entry_stays_below(walk *w, const char *folder, const struct dirent *entry)
{
    char path[4096];
    int fd = -1;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
        return true;
    if (++w->entries > ENTRIES_MOST || snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
        return false;
    if (entry->d_type == DT_DIR)
        return links_stay_below(w, path);
    if (entry->d_type == DT_REG)
        return true;
    const where there = follow(&fd, w->top, path);
    if (fd >= 0)
        (void)close(fd);
    return there != OUTSIDE;
}

/* does every link of a folder, and of those in it, end below the top? */
static bool links_stay_below(walk *w, const char *path)
{
    int fd = w->depth < DEPTH_MOST ? openat(w->top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    bool below = folder != NULL;
    if (fd >= 0 && !folder)
        (void)close(fd);
    w->depth++;
    for (struct dirent *entry = below ? readdir(folder) : NULL; entry && below; entry = readdir(folder))
        below = entry_stays_below(w, path, entry);
    w->depth--;
    if (folder)
        (void)closedir(folder);
    return below;
}

/* the path as it is below the folder; NULL: it is absolute and elsewhere */
static const char *relative(const ridge_reach_policy *policy, const char *path)
{
    const size_t n = strlen(policy->folder);
    if (path[0] != '/')
        return path;
    if (strncmp(path, policy->folder, n) != 0 || (path[n] != '/' && path[n] != '\0'))
        return NULL;
    while (path[n] == '/')
        path++;
    return path[n] != '\0' ? path + n : ".";
}

static where place_of(const ridge_reach_policy *policy, const char *path)
{
    const char *below = relative(policy, path);
    struct stat s;
    int fd = -1;
    where there = below ? follow(&fd, policy->fd, below) : OUTSIDE;
    if (there == BELOW && fstat(fd, &s) == 0 && S_ISDIR(s.st_mode)) {
        walk w = {.top = policy->fd};
        there = links_stay_below(&w, below) ? BELOW : OUTSIDE;
    } else if (there == BELOW && !S_ISREG(s.st_mode)) {
        there = OUTSIDE; /* a pipe would be waited for */
    }
    if (fd >= 0)
        (void)close(fd);
    return there;
}

/* ---- values ---- */

/* absolute, or upwards */
static bool leads_away(ridge_str text)
{
    if (text.n > 0 && (text.p[0] == '/' || text.p[0] == '~'))
        return true;
    for (size_t i = 0; i + 1 < text.n; i++)
        if (text.p[i] == '.' && text.p[i + 1] == '.' && (i == 0 || text.p[i - 1] == '/') && (i + 2 == text.n || text.p[i + 2] == '/'))
            return true;
    return false;
}

static ridge_status refuse(bool *refused, const char *name, const char *why, ridge_err *err)
{
    *refused = true;
    return ridge_fail(err, RIDGE_USAGE, "'%s' %s", name, why);
}

static ridge_status check_path(bool *refused, const ridge_reach_policy *policy, bool must_be_path, const char *name, ridge_str text,
                               ridge_err *err)
{
    char path[4096];
    if (text.n >= sizeof path)
        return refuse(refused, name, "is too long for a path", err);
    memcpy(path, text.p, text.n);
    path[text.n] = '\0';
    if (!policy->folder && (must_be_path || leads_away(text)))
        return refuse(refused, name, "names a file of the server, which was started without " RIDGE_OPT("files"), err);
    if (policy->folder && place_of(policy, path) == OUTSIDE)
        return refuse(refused, name, "leads out of the folder that the server was given with " RIDGE_OPT("files"), err);
    return RIDGE_OK;
}

/* "a100-sxm-80,mine.json", "weights=q4_K,on=mine.json": each piece, and the whole, which may be one name */
static ridge_status check_pieces(bool *refused, const ridge_reach_policy *policy, const char *name, const char *text, ridge_err *err)
{
    ridge_status st = check_path(refused, policy, false, name, ridge_str_of(text), err);
    for (const char *at = text; *at != '\0' && !st;) {
        const size_t n = strcspn(at, ",=; ");
        if (n > 0)
            st = check_path(refused, policy, false, name, (ridge_str){at, n}, err);
        at += n + (at[n] != '\0');
    }
    return st;
}

ridge_status ridge_reach_check(bool *refused, const ridge_reach_policy *policy, ridge_reach reach, const char *name, const char *text,
                               ridge_err *err)
{
    switch (reach) {
    case RIDGE_REACH_NOTHING:
    case RIDGE_REACH_KEPT:
        return RIDGE_OK;
    case RIDGE_REACH_FILE:
        return check_path(refused, policy, true, name, ridge_str_of(text), err);
    case RIDGE_REACH_MODEL:
        return check_path(refused, policy, false, name, ridge_str_of(text), err);
    case RIDGE_REACH_MACHINE:
        return check_pieces(refused, policy, name, text, err);
    case RIDGE_REACH_OUTPUT:
        return strcmp(text, "-") == 0 ? RIDGE_OK : refuse(refused, name, "writes a file of the server: the answer is in the reply", err);
    case RIDGE_REACH_PROGRAM:
        break;
    }
    return refuse(refused, name, "is for the person at the server alone", err);
}
