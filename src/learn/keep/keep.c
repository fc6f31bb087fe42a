#include "learn/keep/keep.h"

#include <stdlib.h>

#include "base/sha256.h"
#include "learn/template/template.h"

/* an entry of the catalog stays: what is learned gets another name */
static bool is_taken(const char *key, void *data)
{
    ridge_registry *registry = data;
    const ridge_symbol *symbol = ridge_registry_key(registry, ridge_str_of(key));
    const ridge_source *source = symbol ? ridge_registry_find(registry, symbol) : NULL;
    return source && !ridge_learned_holds(source->file);
}

static void write_file(ridge_json_writer *w, const ridge_py_module *m)
{
    char hash[65];
    if (!m->path || m->path[0] != '/' || m->text.n == 0) /* ours, or none that was read */
        return;
    ridge_sha256(hash, m->text);
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "path", m->path);
    ridge_jw_member_text(w, "sha256", hash);
    ridge_jw_end_object(w);
}

/* every file that was read on the way: the model's own, and what it calls */
static const char *source_text(const ridge_derivation *d, const ridge_derive_request *request, ridge_arena *arena)
{
    ridge_buf text = {0};
    ridge_json_writer w;
    char *from = request->source ? realpath(request->source, NULL) : NULL;
    ridge_jw_init(&w, &text);
    ridge_jw_object(&w);
    ridge_jw_member_text(&w, "class", d->class_path);
    ridge_jw_member_text(&w, "library", d->library);
    ridge_jw_member_text(&w, "version", d->version);
    ridge_jw_member_text(&w, "from", from);
    ridge_jw_key(&w, "files");
    ridge_jw_array(&w);
    for (size_t i = 0; d->in.modules && i < d->in.modules->used; i++)
        if (d->in.modules->entries[i].value.type == RIDGE_PY_T_MODULE)
            write_file(&w, d->in.modules->entries[i].value.u.module);
    ridge_jw_end_array(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&text, '\n');
    free(from);
    const char *out = ridge_arena_take(arena, &text);
    ridge_buf_free(&text);
    return out;
}

static ridge_status write_set(const char *folder, const ridge_file_text files[2], ridge_arena *arena, ridge_err *err)
{
    int lock;
    ridge_status st = ridge_user_catalog_lock(&lock, folder, arena, err);
    if (st)
        return st;
    st = ridge_user_catalog_write(folder, files, 2, arena, err);
    ridge_file_unlock(lock);
    return st;
}

ridge_status ridge_keep_write(ridge_kept *kept, const ridge_learned_key *key, ridge_arena *arena, ridge_err *err)
{
    ridge_err why = {0};
    if (kept->unkept)
        return RIDGE_OK;
    const char *beside = ridge_learned_source(kept->path, arena);
    if (!beside)
        return ridge_no_memory(err);
    const ridge_file_text files[2] = {{kept->path, ridge_str_of(kept->text)}, {beside, ridge_str_of(kept->source)}};
    const ridge_status st = write_set(key->folder, files, arena, &why);
    if (st == RIDGE_NOMEM || (st && !(kept->unkept = ridge_arena_strdup(arena, ridge_str_of(why.msg)))))
        return ridge_no_memory(err);
    return RIDGE_OK;
}

static void find_path(ridge_kept *out, const ridge_learned_key *key, ridge_arena *arena)
{
    out->path = key->folder ? ridge_learned_path(key, arena) : "what was learned";
    out->unkept = key->folder ? NULL : "neither XDG_DATA_HOME nor HOME is set";
}

ridge_status ridge_keep_learn(ridge_kept *out, ridge_registry *registry, const ridge_learned_key *key, const ridge_derive_request *request,
                              ridge_arena *arena, ridge_err *err)
{
    ridge_template_answer answer;
    ridge_derivation *d = ridge_arena_alloc(arena, sizeof *d);
    *out = (ridge_kept){0};
    if (!d)
        return ridge_no_memory(err);
    ridge_status st = ridge_derive_open(d, request, arena, err);
    if (st || (st = ridge_template_learn(&answer, request, is_taken, registry, arena, err)))
        return st;
    out->source = source_text(d, request, arena);
    out->text = answer.text;
    out->class_path = d->class_path;
    out->library = d->library;
    out->version = d->version;
    find_path(out, key, arena);
    return out->source && out->path ? RIDGE_OK : ridge_no_memory(err);
}
