#include "input/model.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "input/names.h"

#define CONFIG_LIMIT (16u << 20)

ridge_status ridge_model_parse(ridge_model_file *out, const char *name, const char *path, ridge_str text, ridge_arena *arena,
                               ridge_err *err)
{
    ridge_json *json;
    ridge_status st = ridge_json_parse(&json, text, path, (ridge_json_options){0}, arena, err);
    if (st)
        return st;
    if (json->type != RIDGE_JSON_OBJECT)
        return ridge_fail_at(err, RIDGE_TYPE, path, json->line, json->col, "a config.json is an object, not %s",
                             ridge_json_type_name(json->type));
    *out = (ridge_model_file){name, path, text, json};
    return RIDGE_OK;
}

static ridge_status read_file(ridge_model_file *out, const char *name, const char *path, ridge_arena *arena, ridge_err *err)
{
    ridge_str text;
    ridge_status st = ridge_file_read(&text, path, CONFIG_LIMIT, arena, err);
    return st ? st : ridge_model_parse(out, name, path, text, arena, err);
}

/* ---- the Hugging Face cache ---- */

static const char *hub_folder(ridge_arena *arena)
{
    const char *cache = getenv("HF_HUB_CACHE"), *home = getenv("HF_HOME"), *xdg = getenv("XDG_CACHE_HOME"), *user = getenv("HOME");
    if (!cache || !cache[0])
        cache = getenv("HUGGINGFACE_HUB_CACHE");
    if (cache && cache[0])
        return ridge_arena_strdup(arena, ridge_str_of(cache));
    if (home && home[0])
        return ridge_arena_printf(arena, "%s/hub", home);
    if (xdg && xdg[0])
        return ridge_arena_printf(arena, "%s/huggingface/hub", xdg);
    return user && user[0] ? ridge_arena_printf(arena, "%s/.cache/huggingface/hub", user) : NULL;
}

/* models--org--name */
static const char *repo_folder(const char *hub, const char *id, ridge_arena *arena)
{
    char *folder = ridge_arena_alloc(arena, strlen(hub) + 2 * strlen(id) + 16);
    if (!folder)
        return NULL;
    char *p = folder + sprintf(folder, "%s/models--", hub);
    for (; *id; id++)
        if (*id == '/') {
            *p++ = '-';
            *p++ = '-';
        } else {
            *p++ = *id;
        }
    return folder;
}

/* the commit refs/main names, if its snapshot has a config.json */
static const char *main_snapshot(const char *repo, ridge_arena *arena)
{
    ridge_str commit;
    const char *ref = ridge_arena_printf(arena, "%s/refs/main", repo);
    const ridge_status st = ref ? ridge_file_read(&commit, ref, 256, arena, NULL) : RIDGE_NOMEM;
    arena->failed |= st == RIDGE_NOMEM;
    if (st)
        return NULL;
    while (commit.n && (commit.p[commit.n - 1] == '\n' || commit.p[commit.n - 1] == '\r' || commit.p[commit.n - 1] == ' '))
        commit.n--;
    if (!commit.n || memchr(commit.p, '/', commit.n))
        return NULL;
    const char *path = ridge_arena_printf(arena, "%s/snapshots/%.*s/config.json", repo, RIDGE_STR_ARG(commit));
    return path && ridge_file_exists(path) ? path : NULL;
}

/* no refs/main: the newest snapshot that has a config.json */
static const char *newest_snapshot(const char *repo, ridge_arena *arena)
{
    const char *folder = ridge_arena_printf(arena, "%s/snapshots", repo), *best = NULL;
    errno = 0;
    DIR *dir = folder ? opendir(folder) : NULL;
    struct timespec newest = {0};
    arena->failed |= !dir && errno == ENOMEM; /* else it would be said that there is none */
    for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) {
        struct stat info;
        const char *path = d->d_name[0] == '.' ? NULL : ridge_arena_printf(arena, "%s/%s/config.json", folder, d->d_name);
        if (!path || stat(path, &info) != 0)
            continue;
        bool later = info.st_mtim.tv_sec > newest.tv_sec || (info.st_mtim.tv_sec == newest.tv_sec && info.st_mtim.tv_nsec > newest.tv_nsec);
        if (!best || later) {
            best = path;
            newest = info.st_mtim;
        }
    }
    if (dir)
        closedir(dir);
    return best;
}

static bool is_id(const char *spec)
{
    unsigned slashes = 0;
    for (const char *p = spec; *p; p++) {
        slashes += *p == '/';
        bool fine = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || strchr("-_./", *p);
        if (!fine)
            return false;
    }
    return spec[0] && spec[0] != '/' && spec[0] != '.' && slashes <= 1 && !strstr(spec, "..");
}

static ridge_status read_id(ridge_model_file *out, const char *spec, ridge_arena *arena, ridge_err *err)
{
    const ridge_embedded_model *m = ridge_example_find(spec);
    if (m)
        return ridge_model_parse(out, spec, m->file, (ridge_str){m->text, m->length}, arena, err);
    const char *hub = hub_folder(arena), *repo = hub ? repo_folder(hub, spec, arena) : NULL;
    const char *path = repo ? main_snapshot(repo, arena) : NULL;
    if (repo && !path)
        path = newest_snapshot(repo, arena);
    if (path)
        return read_file(out, spec, path, arena, err);
    if (arena->failed)
        return ridge_no_memory(err); /* there may be one */
    return ridge_example_unknown(spec, hub, arena, err);
}

/* ---- what is no config ---- */

static bool is_weights(const char *path)
{
    static const char *const endings[] = {".safetensors", ".bin", ".gguf", ".onnx", ".pt", ".pth"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ridge_str_ends(ridge_str_of(path), ridge_str_of(endings[i])))
            return true;
    return false;
}

/* what is no folder, file or id */
static ridge_status no_model(const char *spec, ridge_err *err)
{
    if (strcmp(spec, "-") == 0)
        return ridge_fail(err, RIDGE_IO, "'-' is no model: a config that is piped is read as /dev/stdin");
    if (strstr(spec, "://"))
        return ridge_fail(err, RIDGE_IO, "%s: an address; nothing is downloaded: give an id (org/name), or the config.json's folder", spec);
    return ridge_fail(err, RIDGE_IO, "%s: no such file or folder", spec);
}

/* a pipeline of diffusers: its model_index.json names the folders that have the models */
static ridge_status is_pipeline(const char *folder, const char *index, ridge_arena *arena, ridge_err *err)
{
    ridge_model_file file;
    const char *parts = "";
    ridge_status st = read_file(&file, folder, index, arena, err);
    for (uint32_t i = 0; !st && i < file.json->count; i++) {
        const ridge_str name = file.json->u.members[i].key;
        const char *path = ridge_arena_printf(arena, "%s/%.*s/config.json", folder, RIDGE_STR_ARG(name));
        if (path && file.json->u.members[i].value.type == RIDGE_JSON_ARRAY && ridge_file_exists(path))
            parts = ridge_arena_printf(arena, "%s%s%.*s", parts, parts[0] ? ", " : "", RIDGE_STR_ARG(name));
        if (arena->failed)
            return ridge_no_memory(err);
    }
    if (st)
        return st;
    return parts[0] ? ridge_fail(err, RIDGE_IO, "%s: a pipeline of several models: give one of its folders: %s", folder, parts)
                    : ridge_fail(err, RIDGE_IO, "%s: a pipeline of several models, and no folder in it has a config.json", folder);
}

static ridge_status no_config(const char *folder, ridge_arena *arena, ridge_err *err)
{
    const char *index = ridge_arena_printf(arena, "%s/model_index.json", folder);
    if (index && ridge_file_exists(index))
        return is_pipeline(folder, index, arena, err);
    DIR *dir = opendir(folder);
    const char *weights = NULL;
    for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) /* the first by name: the order of a folder is not fixed */
        if (is_weights(d->d_name) && (!weights || strcmp(d->d_name, weights) < 0))
            weights = ridge_arena_strdup(arena, ridge_str_of(d->d_name));
    if (dir)
        closedir(dir);
    if (arena->failed)
        return ridge_no_memory(err);
    if (!weights)
        return ridge_fail(err, RIDGE_IO,
                          "%s: the folder has no config.json; give the folder that has it, the file itself, or an id (org/name)", folder);
    return ridge_fail(err, RIDGE_IO, "%s: Ridge reads config.json so far, not weights; the folder has %s and no config.json", folder,
                      weights);
}

ridge_status ridge_model_read(ridge_model_file *out, const char *spec, ridge_arena *arena, ridge_err *err)
{
    if (!spec[0])
        return ridge_fail(err, RIDGE_USAGE, "the model's name is empty");
    if (ridge_file_is_folder(spec)) {
        size_t n = strlen(spec);
        const char *path = ridge_arena_printf(arena, "%s%sconfig.json", spec, spec[n - 1] == '/' ? "" : "/");
        if (!path)
            return ridge_no_memory(err);
        if (!ridge_file_exists(path))
            return no_config(spec, arena, err);
        return read_file(out, spec, path, arena, err);
    }
    if (is_weights(spec))
        return ridge_fail(err, RIDGE_IO, "%s: Ridge reads config.json so far, not weights; give the folder or the id", spec);
    if (ridge_file_exists(spec))
        return read_file(out, spec, spec, arena, err);
    const char *id = ridge_id_of_address(spec, arena);
    if (strcmp(id, "-") != 0 && is_id(id))
        return read_id(out, id, arena, err);
    return no_model(spec, err);
}
