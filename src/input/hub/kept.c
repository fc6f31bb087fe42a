#include "input/hub/kept.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"

enum { LINE_MOST = 64, LIST_MOST = 64 << 20 };

static const char first_line[] = "ridge beginning 1 of %" PRIu64 ": %" PRIu64 "\n"; /* bytes of the file, and how many follow */

/* ---- where ---- */

/* HF_ASSETS_CACHE/ridge/KIND/models--org--name */
static const char *folder_of(const char *kind, const char *repo, ridge_arena *arena)
{
    const char *assets = getenv("HF_ASSETS_CACHE");
    if (!assets || !assets[0])
        assets = getenv("HUGGINGFACE_ASSETS_CACHE");
    if (!assets || !assets[0])
        assets = ridge_hub_home("assets", arena);
    return assets && repo ? ridge_arena_printf(arena, "%s/ridge/%s/%s", assets, kind, repo) : NULL;
}

static const char *beginning_path(const char *repo, const char *commit, const char *file, ridge_arena *arena)
{
    const char *folder = folder_of("beginnings", repo, arena);
    return folder ? ridge_arena_printf(arena, "%s/%s/%s.beginning", folder, commit, file) : NULL;
}

static const char *ref_path(const ridge_hub_name *name, ridge_arena *arena)
{
    const char *folder = folder_of("refs", ridge_hub_repo(name->id, arena), arena);
    return folder ? ridge_arena_printf(arena, "%s/%s", folder, name->revision) : NULL;
}

static const char *list_path(const char *id, const char *commit, ridge_arena *arena)
{
    const char *folder = folder_of("lists", ridge_hub_repo(id, arena), arena);
    return folder ? ridge_arena_printf(arena, "%s/%s.json", folder, commit) : NULL;
}

static ridge_status no_place(const ridge_arena *arena, ridge_err *err)
{
    return arena->failed ? ridge_no_memory(err)
                         : ridge_fail(err, RIDGE_IO, "no folder for what is read of the hub: neither HF_HOME nor HOME is set");
}

static ridge_status write_text(const char *path, ridge_str text, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = path ? ridge_hub_make_folder_of(path, arena, err) : no_place(arena, err);
    return st ? st : ridge_file_write_atomic(path, text, err);
}

/* ---- refs ---- */

ridge_status ridge_hub_keep_ref(const ridge_hub_name *name, const char *commit, ridge_arena *arena, ridge_err *err)
{
    if (strcmp(name->revision, commit) == 0)
        return RIDGE_OK;
    return write_text(ref_path(name, arena), ridge_str_of(commit), arena, err);
}

const char *ridge_hub_kept_commit(const ridge_hub_name *name, ridge_arena *arena)
{
    if (ridge_hub_is_commit(name->revision))
        return name->revision;
    const char *path = ref_path(name, arena), *commit = path ? ridge_hub_ref(path, arena) : NULL;
    return ridge_hub_is_commit(commit) ? commit : NULL;
}

/* ---- beginnings ---- */

ridge_status ridge_hub_keep(const ridge_hub_beginning *b, ridge_arena *arena, ridge_err *err)
{
    ridge_buf text = {0};
    ridge_buf_addf(&text, first_line, b->size, (uint64_t)b->bytes.n);
    ridge_buf_add(&text, b->bytes);
    ridge_status st = text.failed ? ridge_no_memory(err) : RIDGE_OK;
    if (!st)
        st = write_text(beginning_path(ridge_hub_repo(b->id, arena), b->commit, b->file, arena), (ridge_str){text.p, text.n}, arena, err);
    ridge_buf_free(&text);
    return st;
}

static const char *below_hub(const char *path, ridge_arena *arena)
{
    const char *hub = ridge_hub_folder(arena);
    const size_t n = hub ? strlen(hub) : 0;
    return n && strncmp(path, hub, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

const char *ridge_hub_id_of(const char *path, ridge_arena *arena)
{
    const char *below = below_hub(path, arena);
    const char *folder = below ? ridge_arena_strdup(arena, (ridge_str){below, strcspn(below, "/")}) : NULL;
    return folder ? ridge_hub_id_of_folder(folder, arena) : NULL;
}

/* HUB/models--org--name/snapshots/COMMIT/FILE -> where the beginning of that is kept; NULL: the path is another */
static const char *kept_path(const char *path, ridge_arena *arena)
{
    static const char middle[] = "/snapshots/";
    const char *repo = below_hub(path, arena), *slash = repo ? strchr(repo, '/') : NULL;
    if (!slash || strncmp(slash, middle, sizeof middle - 1) != 0)
        return NULL;
    const char *commit = slash + sizeof middle - 1, *file = strchr(commit, '/');
    const char *own_repo = ridge_arena_strdup(arena, (ridge_str){repo, (size_t)(slash - repo)});
    const char *own_commit = file ? ridge_arena_strdup(arena, (ridge_str){commit, (size_t)(file - commit)}) : NULL;
    if (!own_repo || !ridge_hub_id_of_folder(own_repo, arena) || !ridge_hub_is_commit(own_commit) ||
        !ridge_hub_is_file(ridge_str_of(file + 1)))
        return NULL;
    return beginning_path(own_repo, own_commit, file + 1, arena);
}

/* Is it as it was written? Then it stands for the file. */
static bool take_first_line(ridge_binary *file)
{
    char line[LINE_MOST + 1], again[LINE_MOST + 1];
    const size_t n = file->size < LINE_MOST ? (size_t)file->size : LINE_MOST;
    uint64_t size, count;
    if (ridge_binary_read(file, line, 0, n, NULL))
        return false;
    line[n] = '\0';
    if (sscanf(line, "ridge beginning 1 of %20" SCNu64 ": %20" SCNu64, &size, &count) != 2)
        return false;
    const int length = snprintf(again, sizeof again, first_line, size, count);
    if (length < 0 || (size_t)length > n || strncmp(line, again, (size_t)length) != 0)
        return false;
    if (file->size - (uint64_t)length != count || count > size || size > INT64_MAX)
        return false;
    file->base = (uint64_t)length;
    file->size = size;
    file->here = count;
    file->window_size = 0;
    file->read_to = 0;
    return true;
}

static bool open_kept(ridge_binary *out, const char *path, ridge_arena *arena)
{
    const char *kept = kept_path(path, arena);
    if (!kept || !ridge_file_exists(kept) || ridge_binary_open(out, kept, arena, NULL))
        return false;
    out->path = path; /* what it stands for */
    if (take_first_line(out))
        return true;
    ridge_binary_close(out);
    return false;
}

bool ridge_hub_is_there(const char *path, ridge_arena *arena)
{
    ridge_arena window; /* of thousands of files, one at a time is there */
    ridge_binary file;
    if (ridge_file_exists(path))
        return true;
    ridge_arena_init(&window);
    const bool there = open_kept(&file, path, &window);
    if (there)
        ridge_binary_close(&file);
    arena->failed |= window.failed; /* else it would be said that there is none */
    ridge_arena_free(&window);
    return there;
}

ridge_status ridge_hub_open(ridge_binary *out, const char *path, ridge_arena *arena, ridge_err *err)
{
    if (!ridge_file_exists(path) && open_kept(out, path, arena))
        return RIDGE_OK;
    return arena->failed ? ridge_no_memory(err) : ridge_binary_open(out, path, arena, err);
}

/* ---- lists ---- */

ridge_status ridge_hub_keep_list(const ridge_hub_name *name, const ridge_hub_list *list, ridge_arena *arena, ridge_err *err)
{
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_jw_object(&w);
    ridge_jw_member_text(&w, "sha", list->commit);
    ridge_jw_key(&w, "siblings");
    ridge_jw_array(&w);
    for (size_t i = 0; i < list->count; i++) {
        const ridge_hub_file *file = &list->files[i];
        if (strcmp(file->name, "config.json") != 0 && !ridge_str_ends(ridge_str_of(file->name), RIDGE_STR(".gguf")))
            continue;
        ridge_jw_object_compact(&w);
        ridge_jw_member_text(&w, "rfilename", file->name);
        ridge_jw_member_whole(&w, "size", file->bytes);
        ridge_jw_end_object(&w);
    }
    ridge_jw_end_array(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&text, '\n');
    ridge_status st = text.failed ? ridge_no_memory(err) : RIDGE_OK;
    if (!st)
        st = write_text(list_path(name->id, list->commit, arena), (ridge_str){text.p, text.n}, arena, err);
    ridge_buf_free(&text);
    return st ? st : ridge_hub_keep_ref(name, list->commit, arena, err);
}

ridge_status ridge_hub_kept_list(ridge_hub_list *out, bool *there, const ridge_hub_name *name, ridge_arena *arena, ridge_err *err)
{
    const char *commit = ridge_hub_kept_commit(name, arena), *path = commit ? list_path(name->id, commit, arena) : NULL;
    ridge_str text;
    *there = false;
    *out = (ridge_hub_list){0};
    if (!path || !ridge_file_exists(path))
        return arena->failed ? ridge_no_memory(err) : RIDGE_OK;
    ridge_status st = ridge_file_read(&text, path, LIST_MOST, arena, NULL);
    if (!st)
        st = ridge_hub_list_read(out, text, path, name->id, arena, NULL);
    *there = !st && strcmp(out->commit, commit) == 0;
    return st == RIDGE_NOMEM ? ridge_no_memory(err) : RIDGE_OK;
}
