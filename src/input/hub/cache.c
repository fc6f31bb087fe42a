#include "input/hub/cache.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { PART_MOST = 96, REF_MOST = 256, LOCK_WAIT_S = 30 };

/* ---- names ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* letters, digits, '-', '_', '.'; no '-' or '.' at an end, no "--" and no ".." */
static bool is_part(ridge_str part)
{
    if (part.n == 0 || part.n > PART_MOST || !is_letter(part.p[0]) || !is_letter(part.p[part.n - 1]))
        return false;
    for (size_t i = 0; i < part.n; i++) {
        const char c = part.p[i];
        if (!is_letter(c) && c != '-' && c != '.')
            return false;
        if (!is_letter(c) && part.p[i + 1] == c)
            return false;
    }
    return true;
}

static bool is_revision(const char *text)
{
    size_t n = strlen(text);
    if (n == 0 || n > REF_MOST || text[0] == '/' || text[0] == '.' || text[n - 1] == '/' || strstr(text, "..") || strstr(text, "//") ||
        strstr(text, "/."))
        return false;
    for (; *text; text++)
        if (!is_letter(*text) && !strchr("-./", *text))
            return false;
    return true;
}

bool ridge_hub_name_read(ridge_hub_name *out, const char *text, ridge_arena *arena)
{
    const char *at = strchr(text, '@'), *slash = strchr(text, '/');
    const size_t n = at ? (size_t)(at - text) : strlen(text);
    if (slash && at && slash > at)
        slash = NULL;
    const ridge_str first = {text, slash ? (size_t)(slash - text) : n};
    *out = (ridge_hub_name){.revision = "main"};
    if (!is_part(first) || (slash && !is_part((ridge_str){slash + 1, n - first.n - 1})) || (at && !is_revision(at + 1)))
        return false;
    out->id = ridge_arena_strdup(arena, (ridge_str){text, n});
    if (at)
        out->revision = ridge_arena_strdup(arena, ridge_str_of(at + 1));
    return out->id && out->revision;
}

static bool is_hex(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(text[i] >= '0' && text[i] <= '9') && !(text[i] >= 'a' && text[i] <= 'f'))
            return false;
    return text[n] == '\0';
}

bool ridge_hub_is_commit(const char *text)
{
    return text && strnlen(text, 41) == 40 && is_hex(text, 40);
}

bool ridge_hub_is_etag(const char *text)
{
    if (!text || text[0] == '\0' || text[0] == '.' || strlen(text) > 128)
        return false;
    for (; *text; text++)
        if (!is_letter(*text) && *text != '-' && *text != '.')
            return false;
    return true;
}

/* ---- where ---- */

const char *ridge_hub_home(const char *name, ridge_arena *arena)
{
    const char *home = getenv("HF_HOME"), *xdg = getenv("XDG_CACHE_HOME"), *user = getenv("HOME");
    if (home && home[0])
        return ridge_arena_printf(arena, "%s/%s", home, name);
    if (xdg && xdg[0])
        return ridge_arena_printf(arena, "%s/huggingface/%s", xdg, name);
    return user && user[0] ? ridge_arena_printf(arena, "%s/.cache/huggingface/%s", user, name) : NULL;
}

const char *ridge_hub_folder(ridge_arena *arena)
{
    const char *cache = getenv("HF_HUB_CACHE");
    if (!cache || !cache[0])
        cache = getenv("HUGGINGFACE_HUB_CACHE");
    return cache && cache[0] ? ridge_arena_strdup(arena, ridge_str_of(cache)) : ridge_hub_home("hub", arena);
}

const char *ridge_hub_repo(const char *id, ridge_arena *arena)
{
    const char *slash = strchr(id, '/');
    return slash ? ridge_arena_printf(arena, "models--%.*s--%s", (int)(slash - id), id, slash + 1)
                 : ridge_arena_printf(arena, "models--%s", id);
}

static const char *repo_folder(const char *hub, const char *id, ridge_arena *arena)
{
    const char *repo = ridge_hub_repo(id, arena);
    return repo ? ridge_arena_printf(arena, "%s/%s", hub, repo) : NULL;
}

/* ---- what is there ---- */

const char *ridge_hub_ref(const char *path, ridge_arena *arena)
{
    ridge_str commit;
    const ridge_status st = ridge_file_read(&commit, path, REF_MOST, arena, NULL);
    arena->failed |= st == RIDGE_NOMEM;
    if (st)
        return NULL;
    while (commit.n && (commit.p[commit.n - 1] == '\n' || commit.p[commit.n - 1] == '\r' || commit.p[commit.n - 1] == ' '))
        commit.n--;
    return commit.n && !memchr(commit.p, '/', commit.n) ? ridge_arena_strdup(arena, commit) : NULL;
}

const char *ridge_hub_place(const char *hub, const char *id, const char *commit, const char *file, ridge_arena *arena)
{
    const char *repo = repo_folder(hub, id, arena);
    return repo ? ridge_arena_printf(arena, "%s/snapshots/%s%s%s", repo, commit, file[0] ? "/" : "", file) : NULL;
}

const char *ridge_hub_snapshot(const char *hub, const ridge_hub_name *name, ridge_arena *arena)
{
    const char *repo = repo_folder(hub, name->id, arena), *commit = name->revision;
    if (repo && !ridge_hub_is_commit(commit)) {
        const char *ref = ridge_arena_printf(arena, "%s/refs/%s", repo, name->revision);
        commit = ref ? ridge_hub_ref(ref, arena) : NULL;
    }
    return repo && commit ? ridge_hub_place(hub, name->id, commit, "", arena) : NULL;
}

static bool is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

/* no refs/main: of the newest snapshot that has it */
static const char *of_newest(const char *repo, const char *file, ridge_arena *arena)
{
    const char *folder = ridge_arena_printf(arena, "%s/snapshots", repo), *best = NULL;
    errno = 0;
    DIR *dir = folder ? opendir(folder) : NULL;
    struct timespec newest = {0};
    arena->failed |= !dir && errno == ENOMEM; /* else it would be said that there is none */
    for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) {
        struct stat info;
        const char *path = d->d_name[0] == '.' ? NULL : ridge_arena_printf(arena, "%s/%s/%s", folder, d->d_name, file);
        if (!path || stat(path, &info) != 0 || (best && !is_later(info.st_mtim, newest)))
            continue;
        best = path;
        newest = info.st_mtim;
    }
    if (dir)
        closedir(dir);
    return best;
}

const char *ridge_hub_cached(const char *hub, const ridge_hub_name *name, const char *file, ridge_arena *arena)
{
    const char *repo = repo_folder(hub, name->id, arena), *snapshot = ridge_hub_snapshot(hub, name, arena);
    const char *path = snapshot ? ridge_arena_printf(arena, "%s/%s", snapshot, file) : NULL;
    if (path && ridge_file_exists(path))
        return path;
    return repo && strcmp(name->revision, "main") == 0 ? of_newest(repo, file, arena) : NULL;
}

const char *ridge_hub_id_of_folder(const char *name, ridge_arena *arena)
{
    static const char before[] = "models--";
    ridge_hub_name read;
    if (strncmp(name, before, sizeof before - 1) != 0)
        return NULL;
    name += sizeof before - 1;
    const char *dashes = strstr(name, "--");
    const char *id = dashes ? ridge_arena_printf(arena, "%.*s/%s", (int)(dashes - name), name, dashes + 2)
                            : ridge_arena_strdup(arena, ridge_str_of(name));
    return id && ridge_hub_name_read(&read, id, arena) ? id : NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

ridge_status ridge_hub_cached_ids(const char ***ids, size_t *count, const char *hub, ridge_arena *arena, ridge_err *err)
{
    size_t cap = 0;
    *ids = NULL;
    *count = 0;
    DIR *dir = hub ? opendir(hub) : NULL;
    for (struct dirent *d = dir ? readdir(dir) : NULL; d && !arena->failed; d = readdir(dir)) {
        const char *id = ridge_hub_id_of_folder(d->d_name, arena);
        const ridge_hub_name name = {id, "main"};
        if (id && ridge_hub_cached(hub, &name, "config.json", arena) && ridge_arena_more(arena, ids, *count, &cap, sizeof **ids))
            (*ids)[(*count)++] = id;
    }
    if (dir)
        closedir(dir);
    if (*count > 0)
        qsort(*ids, *count, sizeof **ids, by_text);
    return arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}

/* ---- what is stored ---- */

ridge_status ridge_hub_make_folder_of(const char *path, ridge_arena *arena, ridge_err *err)
{
    const char *slash = strrchr(path, '/');
    const char *folder = ridge_arena_strdup(arena, (ridge_str){path, (size_t)(slash - path)});
    return folder ? ridge_file_make_folders(folder, err) : ridge_no_memory(err);
}

/* a link from the snapshot to its blob, "../../blobs/ETAG"; a copy where the file system has no links */
static ridge_status link_blob(const char *place, const char *file, const ridge_hub_blob *blob, ridge_arena *arena, ridge_err *err)
{
    const char *up = "../..";
    for (const char *p = file; *p && up; p++)
        if (*p == '/')
            up = ridge_arena_printf(arena, "%s/..", up);
    const char *target = up ? ridge_arena_printf(arena, "%s/blobs/%s", up, blob->etag) : NULL;
    const char *beside = ridge_arena_printf(arena, "%s.%ld.ridge", place, (long)getpid());
    if (!target || !beside)
        return ridge_no_memory(err);
    (void)unlink(beside);
    if (symlink(target, beside) != 0)
        return ridge_file_write_atomic(place, blob->content, err);
    if (rename(beside, place) == 0)
        return RIDGE_OK;
    const int reason = errno;
    (void)unlink(beside);
    return ridge_file_fail(err, "write", place, reason);
}

static ridge_status store_blob(const char *repo, const ridge_hub_blob *blob, ridge_arena *arena, ridge_err *err)
{
    struct stat info;
    const char *path = ridge_arena_printf(arena, "%s/blobs/%s", repo, blob->etag);
    if (!path)
        return ridge_no_memory(err);
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size == blob->content.n)
        return RIDGE_OK;
    ridge_status st = ridge_hub_make_folder_of(path, arena, err);
    return st ? st : ridge_file_write_atomic(path, blob->content, err);
}

static ridge_status store_ref(const char *repo, const ridge_hub_name *name, const char *commit, ridge_arena *arena, ridge_err *err)
{
    if (strcmp(name->revision, commit) == 0)
        return RIDGE_OK;
    const char *path = ridge_arena_printf(arena, "%s/refs/%s", repo, name->revision);
    if (!path)
        return ridge_no_memory(err);
    ridge_status st = ridge_hub_make_folder_of(path, arena, err);
    return st ? st : ridge_file_write_atomic(path, ridge_str_of(commit), err);
}

/* one writer of a blob at a time, with the lock that Hugging Face's library takes; where it cannot be had, writing is atomic all the same
 */
static int lock_blob(const char *hub, const ridge_hub_name *name, const char *etag, ridge_arena *arena)
{
    int fd = -1;
    const char *repo = ridge_hub_repo(name->id, arena),
               *path = repo ? ridge_arena_printf(arena, "%s/.locks/%s/%s.lock", hub, repo, etag) : NULL;
    if (!path || ridge_hub_make_folder_of(path, arena, NULL) || ridge_file_lock(&fd, path, LOCK_WAIT_S, NULL))
        return -1;
    return fd;
}

ridge_status ridge_hub_store(const char **path, const char *hub, const ridge_hub_name *name, const char *file, const ridge_hub_blob *blob,
                             ridge_arena *arena, ridge_err *err)
{
    const char *repo = repo_folder(hub, name->id, arena);
    const char *place = repo ? ridge_arena_printf(arena, "%s/snapshots/%s/%s", repo, blob->commit, file) : NULL;
    if (!place)
        return ridge_no_memory(err);
    const int lock = lock_blob(hub, name, blob->etag, arena);
    ridge_status st = store_blob(repo, blob, arena, err);
    if (!st && !(st = ridge_hub_make_folder_of(place, arena, err)) && !(st = link_blob(place, file, blob, arena, err)))
        st = store_ref(repo, name, blob->commit, arena, err);
    if (lock >= 0)
        ridge_file_unlock(lock);
    *path = place;
    return st;
}
