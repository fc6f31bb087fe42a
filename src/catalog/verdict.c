#include "catalog/verdict.h"

#include "base/file.h"
#include "base/sha256.h"

enum { VERDICT_LIMIT = 4 << 20 };

static const char *folder_of(ridge_arena *arena)
{
    return ridge_file_user_data("validated", arena);
}

static const char *path_of(const char *folder, const ridge_source *source, ridge_arena *arena)
{
    return folder ? ridge_arena_printf(arena, "%s/%s.json", folder, source->key->text) : NULL;
}

/* an entry's own text: what it inherits has verdicts of its own */
static void hash_of(char out[65], const ridge_source *source)
{
    ridge_sha256(out, source->text);
}

ridge_status ridge_verdict_find(const ridge_json **out, const ridge_source *source, ridge_arena *arena, ridge_err *err)
{
    const char *path = path_of(folder_of(arena), source, arena);
    char hash[65];
    ridge_str text;
    ridge_json *json;
    ridge_err unread = {0};
    *out = NULL;
    if (arena->failed)
        return ridge_no_memory(err);
    if (!path || !ridge_file_exists(path))
        return RIDGE_OK;
    ridge_status st = ridge_file_read(&text, path, VERDICT_LIMIT, arena, &unread);
    if (!st)
        st = ridge_json_parse(&json, text, path, (ridge_json_options){0}, arena, &unread);
    if (st == RIDGE_NOMEM)
        return ridge_no_memory(err);
    if (st) /* a file that is none says nothing */
        return RIDGE_OK;
    hash_of(hash, source);
    const ridge_json *of = ridge_json_get(json, "sha256");
    if (of && of->type == RIDGE_JSON_STRING && ridge_str_is(of->u.text, hash))
        *out = json;
    return RIDGE_OK;
}

ridge_status ridge_verdict_write(const char **path, const ridge_source *source, ridge_str verdict, ridge_arena *arena, ridge_err *err)
{
    const char *folder = folder_of(arena);
    char hash[65];
    *path = path_of(folder, source, arena);
    if (arena->failed)
        return ridge_no_memory(err);
    if (!*path)
        return RIDGE_OK;
    hash_of(hash, source);
    const char *text = ridge_arena_printf(arena, "{\n  \"sha256\": \"%s\",\n  %.*s\n}\n", hash, RIDGE_STR_ARG(verdict));
    ridge_status st = text ? ridge_file_make_folders(folder, err) : ridge_no_memory(err);
    return st ? st : ridge_file_write_atomic(*path, ridge_str_of(text), err);
}

ridge_status ridge_verdict_or_own(const ridge_json **out, const ridge_source *source, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = ridge_verdict_find(out, source, arena, err);
    if (!st && !*out)
        *out = source->json ? ridge_json_get(source->json, "validation") : NULL;
    return st;
}
