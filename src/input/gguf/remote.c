#include "input/gguf/remote.h"

#include "base/file.h"
#include "input/hub/head.h"
#include "input/hub/kept.h"

enum { FIRST = 1 << 20, TAG_MOST = 128 };

/* ---- names ---- */

static bool is_tag(const char *text)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (!ridge_is_digit(text[n]) && !(ridge_lower(text[n]) >= 'a' && ridge_lower(text[n]) <= 'z') && !strchr("-_.", text[n]))
            return false;
    return n > 0 && n <= TAG_MOST;
}

static bool read_name(ridge_hub_name *out, const char *text, size_t n, ridge_arena *arena)
{
    const char *own = ridge_arena_strdup(arena, (ridge_str){text, n});
    return own && ridge_hub_name_read(out, own, arena);
}

bool ridge_gguf_id_read(ridge_gguf_id *out, const char *text, ridge_arena *arena)
{
    const char *colon = strrchr(text, ':'), *slash = strchr(text, '/'), *second = slash ? strchr(slash + 1, '/') : NULL;
    *out = (ridge_gguf_id){0};
    if (second && ridge_str_ends(ridge_str_of(text), RIDGE_STR(".gguf"))) {
        out->file = second + 1;
        return ridge_hub_is_file(ridge_str_of(out->file)) && read_name(&out->name, text, (size_t)(second - text), arena);
    }
    if (slash && colon && is_tag(colon + 1)) {
        out->tag = colon + 1;
        return read_name(&out->name, text, (size_t)(colon - text), arena);
    }
    return ridge_hub_name_read(&out->name, text, arena);
}

const char *ridge_gguf_part_name(unsigned *count, const char *file, unsigned number, ridge_arena *arena)
{
    ridge_str stem;
    unsigned own;
    if (ridge_gguf_split_name(&stem, &own, count, file) && *count <= RIDGE_GGUF_FILES)
        return ridge_arena_printf(arena, "%.*s-%05u-of-%05u.gguf", RIDGE_STR_ARG(stem), number, *count);
    *count = 1;
    return file;
}

/* ---- which ---- */

static ridge_status choices_of(ridge_gguf_choices *out, const ridge_hub_list *list, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    *out = (ridge_gguf_choices){0};
    for (size_t i = 0; i < list->count && !st; i++)
        if (ridge_str_ends(ridge_str_of(list->files[i].name), RIDGE_STR(".gguf")))
            st = ridge_gguf_choices_add(out, list->files[i].name, list->files[i].bytes, arena, err);
    return st;
}

static ridge_status not_one(const ridge_gguf_id *id, const ridge_gguf_choices *all, const ridge_gguf_choices *meant, ridge_arena *arena,
                            ridge_err *err)
{
    const char *name = id->name.id;
    if (!id->tag)
        return ridge_fail(err, RIDGE_VALUE, "%s has %zu GGUFs: name one as %s:TAG, or by its path: %s", name, all->count, name,
                          ridge_gguf_choices_told(all, true, arena));
    if (meant->count > 1)
        return ridge_fail(err, RIDGE_VALUE, "%s has %zu GGUFs that '%s' may mean: name one as %s/FILE: %s", name, meant->count, id->tag,
                          name, ridge_gguf_choices_told(meant, true, arena));
    return ridge_fail(err, RIDGE_VALUE, "%s has no GGUF '%s'; it has %s", name, id->tag, ridge_gguf_choices_told(all, true, arena));
}

static ridge_status choose(const char **file, const ridge_gguf_id *id, const ridge_gguf_choices *all, ridge_arena *arena, ridge_err *err)
{
    ridge_gguf_choices meant = *all;
    ridge_status st = id->tag ? ridge_gguf_choices_of(&meant, all, id->tag, arena, err) : RIDGE_OK;
    *file = NULL;
    if (st || all->count == 0)
        return st;
    if (meant.count != 1)
        return not_one(id, all, &meant, arena, err);
    unsigned count;
    *file = ridge_gguf_part_name(&count, meant.items[0].file, 1, arena);
    return *file ? RIDGE_OK : ridge_no_memory(err);
}

ridge_status ridge_gguf_id_choose(const char **file, const ridge_gguf_id *id, const ridge_hub_list *list, ridge_arena *arena,
                                  ridge_err *err)
{
    ridge_gguf_choices all;
    ridge_status st = choices_of(&all, list, arena, err);
    return st ? st : choose(file, id, &all, arena, err);
}

/* ---- headers ---- */

ridge_status ridge_gguf_fetch(ridge_gguf *out, const char **commit, bool *there, const ridge_hub_name *name, const char *file,
                              ridge_arena *arena, ridge_err *err)
{
    ridge_hub_head head;
    ridge_status st = ridge_hub_head_open(&head, there, name, file, FIRST, arena, err);
    if (!st && *there && !(st = ridge_gguf_read_one(out, &head.binary, arena, err))) {
        *commit = head.name.revision;
        st = ridge_hub_head_keep(&head, arena, err);
    }
    ridge_hub_head_close(&head);
    return st;
}

/* what is not here of the parts of a file, at a commit */
static ridge_status fetch_parts(const char *hub, const ridge_hub_name *at, const char *file, ridge_arena *arena, ridge_err *err)
{
    unsigned count = 1;
    for (unsigned i = 1; i <= count; i++) {
        ridge_gguf part;
        const char *name = ridge_gguf_part_name(&count, file, i, arena), *commit;
        const char *place = name ? ridge_hub_place(hub, at->id, at->revision, name, arena) : NULL;
        bool there;
        if (!place)
            return ridge_no_memory(err);
        if (ridge_hub_is_there(place, arena))
            continue;
        ridge_status st = ridge_gguf_fetch(&part, &commit, &there, at, name, arena, err);
        if (st || !there)
            return st ? st : ridge_fail(err, RIDGE_IO, "%s has no file %s", at->id, name);
    }
    return arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}

/* ---- all ---- */

typedef struct finder {
    const ridge_gguf_id *id;
    const char *hub;
    const char *file;   /* its path in the repository */
    const char *commit; /* NULL: any */
    ridge_arena *arena;
    ridge_err *err;
} finder;

/* GGUFs that the shared cache has of the revision */
static ridge_status in_snapshot(ridge_gguf_choices *out, const char **folder, const finder *f)
{
    char **paths;
    size_t count;
    *out = (ridge_gguf_choices){0};
    *folder = ridge_hub_snapshot(f->hub, &f->id->name, f->arena);
    if (!*folder)
        return f->arena->failed ? ridge_no_memory(f->err) : RIDGE_OK;
    ridge_status st = ridge_file_list(&paths, &count, *folder, ".gguf", f->arena, f->err);
    if (st)
        return st;
    for (size_t i = 0; i < count && !st; i++) {
        const char *file = paths[i] + strlen(*folder) + 1;
        if (ridge_hub_is_file(ridge_str_of(file)))
            st = ridge_gguf_choices_add(out, file, -1, f->arena, f->err);
    }
    return st;
}

static ridge_status choose_of_list(finder *f, const ridge_hub_list *list)
{
    f->commit = list->commit;
    return ridge_gguf_id_choose(&f->file, f->id, list, f->arena, f->err);
}

/* no server may be asked for the list */
static ridge_status choose_offline(const finder *f, const ridge_gguf_choices *here)
{
    const char *id = f->id->name.id;
    if (here->count == 0)
        return ridge_fail(f->err, RIDGE_IO, "%s is not in the cache, and HF_HUB_OFFLINE keeps the hub from being asked", id);
    return ridge_fail(f->err, RIDGE_IO, "%s: HF_HUB_OFFLINE keeps the hub from being asked which GGUFs it has; the cache has %s: name one",
                      id, ridge_gguf_choices_told(here, true, f->arena));
}

/* The list that was kept says which file; else, of a tag, the only one of it in the cache; else the hub. */
static ridge_status find_file(finder *f)
{
    ridge_hub_list list;
    ridge_gguf_choices here, meant = {0};
    const char *folder;
    bool there;
    ridge_status st = ridge_hub_kept_list(&list, &there, &f->id->name, f->arena, f->err);
    if (st || there)
        return st ? st : choose_of_list(f, &list);
    if ((st = in_snapshot(&here, &folder, f)))
        return st;
    if (f->id->tag && (st = ridge_gguf_choices_of(&meant, &here, f->id->tag, f->arena, f->err)))
        return st;
    if (meant.count == 1)
        return choose(&f->file, f->id, &here, f->arena, f->err);
    if (ridge_hub_is_offline())
        return choose_offline(f, &here);
    if ((st = ridge_hub_list_ask(&list, &f->id->name, f->arena, f->err)) || (st = choose_of_list(f, &list)) || !f->file)
        return st;
    return ridge_hub_keep_list(&f->id->name, &list, f->arena, f->err);
}

/* "COMMIT" of HUB/models--org--name/snapshots/COMMIT/FILE */
static const char *commit_of(const char *path, const char *file, ridge_arena *arena)
{
    const size_t n = strlen(path) - strlen(file) - 1;
    const char *commit = ridge_arena_strdup(arena, (ridge_str){path, n});
    const char *slash = commit ? strrchr(commit, '/') : NULL;
    return slash ? slash + 1 : NULL;
}

/* A file that was named, of which neither the cache nor a header is here: the first part says which commit it is. */
static ridge_status find_commit(finder *f)
{
    ridge_gguf part;
    bool there;
    const ridge_hub_name *name = &f->id->name;
    ridge_status st = ridge_gguf_fetch(&part, &f->commit, &there, name, f->file, f->arena, f->err);
    if (st)
        return st;
    return there ? ridge_hub_keep_ref(name, f->commit, f->arena, f->err)
                 : ridge_fail(f->err, RIDGE_IO, "%s has no file %s", name->id, f->file);
}

static ridge_status find(const char **path, finder *f)
{
    unsigned count;
    ridge_status st = RIDGE_OK;
    if (f->id->file && !(f->file = ridge_gguf_part_name(&count, f->id->file, 1, f->arena)))
        return ridge_no_memory(f->err);
    if (!f->file && ((st = find_file(f)) || !f->file))
        return st;
    const char *full = ridge_hub_cached(f->hub, &f->id->name, f->file, f->arena);
    if (full)
        f->commit = commit_of(full, f->file, f->arena);
    else if (!f->commit)
        f->commit = ridge_hub_kept_commit(&f->id->name, f->arena);
    const char *place = f->commit ? ridge_hub_place(f->hub, f->id->name.id, f->commit, f->file, f->arena) : NULL;
    if (f->arena->failed)
        return ridge_no_memory(f->err);
    if ((!place || (f->id->file && !ridge_hub_is_there(place, f->arena))) && (st = find_commit(f)))
        return st;
    const ridge_hub_name at = {f->id->name.id, f->commit};
    *path = ridge_hub_place(f->hub, at.id, at.revision, f->file, f->arena);
    return *path ? fetch_parts(f->hub, &at, f->file, f->arena, f->err) : ridge_no_memory(f->err);
}

ridge_status ridge_gguf_id_find(const char **path, const ridge_gguf_id *id, ridge_arena *arena, ridge_err *err)
{
    finder f = {.id = id, .hub = ridge_hub_folder(arena), .arena = arena, .err = err};
    *path = NULL;
    if (!f.hub)
        return arena->failed ? ridge_no_memory(err) : ridge_fail(err, RIDGE_IO, "no folder for the cache: neither HF_HOME nor HOME is set");
    return find(path, &f);
}

bool ridge_gguf_id_is_known(const ridge_gguf_id *id, ridge_arena *arena)
{
    finder f = {.id = id, .hub = ridge_hub_folder(arena), .arena = arena};
    ridge_hub_list list;
    ridge_gguf_choices here = {0};
    const char *folder;
    bool there, config = false;
    if (!f.hub || ridge_hub_kept_list(&list, &there, &id->name, arena, NULL))
        return false;
    for (size_t i = 0; there && i < list.count; i++)
        config |= strcmp(list.files[i].name, "config.json") == 0;
    if (there)
        return !config;
    return ridge_hub_is_offline() && !in_snapshot(&here, &folder, &f) && here.count > 0;
}
