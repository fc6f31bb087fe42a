#include "catalog/learned.h"

#include "base/file.h"
#include "base/sha256.h"

enum { SET_LIMIT = 16 << 20, PYTHON_LIMIT = 8 << 20 };

static const char *folder(ridge_arena *arena)
{
    return ridge_file_user_data("learned", arena);
}

/* letters, digits, '-' and '_': what is said in a config leads to no other folder */
static void add_word(ridge_buf *buf, ridge_str word)
{
    for (size_t i = 0; i < word.n && i < 80; i++) {
        const char c = word.p[i];
        const bool plain = c == '-' || c == '_' || ridge_is_digit(c) || (ridge_lower(c) >= 'a' && ridge_lower(c) <= 'z');
        ridge_buf_addc(buf, plain ? c : '_');
    }
    ridge_buf_addz(buf, word.n == 0 ? "none." : ".");
}

/* The Python files beside a config are its code: their hash is part of what it is, so code that is another is another class. */
static ridge_status add_code(ridge_buf *buf, const char *model_folder, ridge_arena *arena, ridge_err *err)
{
    char **paths = NULL, hash[65];
    size_t count = 0;
    ridge_buf all = {0};
    ridge_err unread = {0};
    ridge_status st =
        ridge_file_list_flat(&paths, &count, model_folder, ".py", arena, &unread) == RIDGE_NOMEM ? ridge_no_memory(err) : RIDGE_OK;
    for (size_t i = 0; i < count && !st; i++) {
        ridge_str text = {"", 0};
        ridge_err_clear(&unread);
        if (ridge_file_read(&text, paths[i], PYTHON_LIMIT, arena, &unread) == RIDGE_NOMEM)
            st = ridge_no_memory(err);
        ridge_sha256(hash, text);
        ridge_buf_addf(&all, "%s %s\n", paths[i] + strlen(model_folder) + 1, hash);
    }
    if (!st && count > 0) {
        ridge_sha256(hash, (ridge_str){all.p, all.n});
        ridge_buf_addf(buf, "code-%.16s.", hash);
    }
    st = all.failed ? ridge_no_memory(err) : st;
    ridge_buf_free(&all);
    return st;
}

ridge_status ridge_learned_key_of(ridge_learned_key *out, ridge_str model_type, ridge_str class, ridge_str config, const char *model_folder,
                                  ridge_arena *arena, ridge_err *err)
{
    ridge_buf prefix = {0};
    char hash[65];
    ridge_sha256(hash, config);
    *out = (ridge_learned_key){.folder = folder(arena)};
    memcpy(out->config, hash, sizeof out->config - 1);
    add_word(&prefix, model_type);
    add_word(&prefix, class);
    ridge_status st = model_folder ? add_code(&prefix, model_folder, arena, err) : RIDGE_OK;
    out->prefix = ridge_arena_take(arena, &prefix);
    ridge_buf_free(&prefix);
    return st || (out->prefix && !arena->failed) ? st : ridge_no_memory(err);
}

const char *ridge_learned_path(const ridge_learned_key *key, ridge_arena *arena)
{
    return ridge_arena_printf(arena, "%s/%s%s.json", key->folder, key->prefix, key->config);
}

const char *ridge_learned_source(const char *path, ridge_arena *arena)
{
    return ridge_arena_printf(arena, "%.*s.source", (int)(strlen(path) - strlen(".json")), path);
}

bool ridge_learned_holds(const char *file)
{
    const char *at = strstr(file, "/ridge/learned/");
    return at && !strchr(at + strlen("/ridge/learned/"), '/');
}

const char *ridge_learned_find(const ridge_learned_key *key, ridge_arena *arena)
{
    const char *own = key->folder ? ridge_learned_path(key, arena) : NULL;
    return own && ridge_file_exists(own) ? own : NULL;
}

ridge_status ridge_learned_load(ridge_registry *r, const char *path, ridge_err *err)
{
    ridge_str text;
    const char *copy = ridge_arena_strdup(&r->arena, ridge_str_of(path));
    if (!copy)
        return ridge_no_memory(err);
    ridge_status st = ridge_file_read(&text, copy, SET_LIMIT, &r->arena, err);
    return st ? st : ridge_registry_add(r, text, copy, err);
}

ridge_status ridge_learned_load_all(ridge_registry *r, ridge_err *err)
{
    const char *where = r->learned ? folder(&r->arena) : NULL;
    char **paths = NULL;
    size_t count = 0;
    ridge_err skipped = {0};
    if (where && ridge_file_list(&paths, &count, where, ".json", &r->arena, &skipped) == RIDGE_NOMEM)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        ridge_err_clear(&skipped);
        if (ridge_learned_load(r, paths[i], &skipped) == RIDGE_NOMEM)
            return ridge_no_memory(err);
    }
    return RIDGE_OK;
}

/* ---- the files it was made from ---- */

static bool has_hash(const char *path, const char *wanted)
{
    ridge_arena arena;
    ridge_str text;
    ridge_err unread = {0};
    char hash[65] = "";
    ridge_arena_init(&arena);
    if (!ridge_file_read(&text, path, PYTHON_LIMIT, &arena, &unread))
        ridge_sha256(hash, text);
    ridge_arena_free(&arena);
    return wanted && strcmp(wanted, hash) == 0;
}

ridge_status ridge_learned_tell(ridge_learned_told *out, const char *path, ridge_arena *arena, ridge_err *err)
{
    const char *beside = ridge_learned_source(path, arena);
    ridge_str text;
    ridge_json *json;
    ridge_err unread = {0};
    *out = (ridge_learned_told){RIDGE_LEARNED_GONE, beside, NULL};
    if (!beside)
        return ridge_no_memory(err);
    if (ridge_file_read(&text, beside, SET_LIMIT, arena, &unread) ||
        ridge_json_parse(&json, text, beside, (ridge_json_options){0}, arena, &unread))
        return unread.code == RIDGE_NOMEM ? ridge_no_memory(err) : RIDGE_OK;
    const ridge_json *files = ridge_json_get(json, "files");
    *out = (ridge_learned_told){RIDGE_LEARNED_FRESH, NULL, ridge_json_text(json, "from", arena)};
    for (uint32_t i = 0; files && files->type == RIDGE_JSON_ARRAY && i < files->count && out->state != RIDGE_LEARNED_CHANGED; i++) {
        const char *file = ridge_json_text(&files->u.items[i], "path", arena), *hash = ridge_json_text(&files->u.items[i], "sha256", arena);
        if (arena->failed)
            return ridge_no_memory(err);
        if (!file)
            continue;
        const ridge_learned_state state = !ridge_file_exists(file) ? RIDGE_LEARNED_GONE
                                          : !has_hash(file, hash)  ? RIDGE_LEARNED_CHANGED
                                                                   : RIDGE_LEARNED_FRESH;
        if (state > 0 && (out->state == RIDGE_LEARNED_FRESH || state == RIDGE_LEARNED_CHANGED))
            *out = (ridge_learned_told){state, file, out->from};
    }
    return RIDGE_OK;
}
