/* `ridge db add`: the entries of a file go into the user's catalog. All of them or none: they are written in one file that
 * replaces the old one atomically; who else adds waits at the lock. */
#include "entries/db.h"

#include "base/file.h"

#define LOCK_WAIT_S        60
#define CATALOG_FILE_LIMIT (64u << 20)

const char *const ridge_change_names[] = {
#define X(code, name) name,
    RIDGE_CHANGE_LIST(X)
#undef X
};

typedef struct adder {
    ridge_check *check;
    ridge_arena *arena;
    ridge_err *err;
    const char *folder, *target; /* .../catalog, .../catalog/user.json */
    ridge_db_added *added;
    size_t count;
} adder;

static bool json_equal(const ridge_json *a, const ridge_json *b)
{
    if (a->type != b->type || a->count != b->count)
        return false;
    if (a->type == RIDGE_JSON_NUMBER || a->type == RIDGE_JSON_STRING)
        return ridge_str_eq(a->u.text, b->u.text);
    for (uint32_t i = 0; a->type == RIDGE_JSON_ARRAY && i < a->count; i++)
        if (!json_equal(&a->u.items[i], &b->u.items[i]))
            return false;
    /* the order of members counts: a breakdown stands in registration order */
    for (uint32_t i = 0; a->type == RIDGE_JSON_OBJECT && i < a->count; i++)
        if (!ridge_str_eq(a->u.members[i].key, b->u.members[i].key) || !json_equal(&a->u.members[i].value, &b->u.members[i].value))
            return false;
    return true;
}

/* the user's own entry of this name before `file` was read; NULL: none */
static ridge_source *earlier(const adder *a, const ridge_source *s)
{
    ridge_source *old = s->overridden;
    while (old && old->origin == RIDGE_ORIGIN_USER && old->order >= a->check->from_user)
        old = old->overridden;
    return old && old->origin == RIDGE_ORIGIN_USER ? old : NULL;
}

static ridge_status decide(adder *a, ridge_source *s, bool replace)
{
    ridge_registry *r = a->check->registry;
    ridge_source *old = earlier(a, s);
    const ridge_json *was = NULL, *is;
    ridge_db_added *one = &a->added[a->count++];
    ridge_status st;
    if ((st = ridge_registry_json(&is, r, s, a->err)) || (old && (st = ridge_registry_json(&was, r, old, a->err))))
        return st;
    one->key = s->key;
    one->change = old             ? (json_equal(was, is) ? RIDGE_CHANGE_UNCHANGED : RIDGE_CHANGE_REPLACED)
                  : s->overridden ? RIDGE_CHANGE_OVERRIDDEN
                                  : RIDGE_CHANGE_ADDED;
    if (one->change == RIDGE_CHANGE_REPLACED && !replace)
        return ridge_fail_at(a->err, RIDGE_VALUE, s->file, s->line, s->col, "%s is already at %s:%u and differs; --replace replaces it",
                             ridge_registry_path(r, s->key), old->file, old->line);
    return RIDGE_OK;
}

/* ---- writing ---- */

/* the same entry again, further down in its file */
static bool is_repeated(const adder *a, const ridge_source *s)
{
    for (size_t i = s->order + 1; i < a->check->from_user; i++)
        if (a->check->registry->user[i]->key == s->key && strcmp(a->check->registry->user[i]->file, s->file) == 0)
            return true;
    return false;
}

static bool is_changed(const adder *a, const ridge_symbol *key)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->added[i].key == key)
            return a->added[i].change != RIDGE_CHANGE_UNCHANGED;
    return false;
}

/* One user file anew: its entries in order, those that change with their new text; `more`: with the new entries behind them. */
static ridge_status rewrite(const adder *a, const char *path, bool more)
{
    ridge_registry *r = a->check->registry;
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_jw_object(&w);
    for (size_t i = 0; i < a->check->from_user; i++) {
        const ridge_source *s = r->user[i];
        if (strcmp(s->file, path) != 0 || is_repeated(a, s))
            continue;
        const ridge_source *now = is_changed(a, s->key) ? ridge_registry_find(r, s->key) : s;
        ridge_jw_key(&w, s->key->text);
        ridge_jw_raw(&w, now->text);
    }
    for (size_t i = 0; i < a->count && more; i++) {
        const ridge_source *s = ridge_registry_find(r, a->added[i].key);
        if (earlier(a, s))
            continue;
        ridge_jw_key(&w, s->key->text);
        ridge_jw_raw(&w, s->text);
    }
    ridge_jw_end_object(&w);
    ridge_buf_addc(&text, '\n');
    ridge_status st = text.failed ? ridge_no_memory(a->err) : ridge_file_write_atomic(path, (ridge_str){text.p, text.n}, a->err);
    ridge_buf_free(&text);
    return st;
}

static ridge_status write_files(const adder *a)
{
    bool fresh = false;
    ridge_status st = RIDGE_OK;
    /* entries that stand in files of the user's own making are replaced where they stand */
    for (size_t i = 0; i < a->count && !st; i++) {
        const ridge_source *old = earlier(a, ridge_registry_find(a->check->registry, a->added[i].key));
        bool done = false;
        if (!old || strcmp(old->file, a->target) == 0) {
            fresh = fresh || a->added[i].change != RIDGE_CHANGE_UNCHANGED;
            continue;
        }
        for (size_t k = 0; k < i && !done; k++) {
            const ridge_source *before = earlier(a, ridge_registry_find(a->check->registry, a->added[k].key));
            done = a->added[k].change == RIDGE_CHANGE_REPLACED && before && strcmp(before->file, old->file) == 0;
        }
        if (!done && a->added[i].change == RIDGE_CHANGE_REPLACED)
            st = rewrite(a, old->file, false);
    }
    return !st && fresh ? rewrite(a, a->target, true) : st;
}

/* ---- the whole ---- */

/* with the lock held: nobody else changes the user's catalog */
static ridge_status add_locked(adder *a, const char *file, bool replace)
{
    ridge_check *c = a->check;
    ridge_status st = RIDGE_OK;
    c->only_user = true;
    if (ridge_file_is_folder(a->folder) && (st = ridge_check_load(c, a->folder)))
        return st;
    c->from_user = c->registry->user_count;
    if ((st = ridge_check_load(c, file)) || (st = ridge_db_check(c)))
        return st;
    if (c->errors)
        return ridge_fail(a->err, RIDGE_CHECK, "%s is not added: %zu %s", file, c->errors, c->errors == 1 ? "error" : "errors");
    if (!(a->added = ridge_arena_array(a->arena, c->count + 1, sizeof *a->added)))
        return ridge_no_memory(a->err);
    for (size_t i = 0; i < c->count && !st; i++)
        st = decide(a, c->sources[i], replace);
    return st ? st : write_files(a);
}

ridge_status ridge_db_add(ridge_db_added **out, size_t *count, ridge_check *check, const char *file, bool replace)
{
    adder a = {.check = check, .arena = check->arena, .err = check->err};
    int lock = -1;
    ridge_status st;
    *out = NULL;
    *count = 0;
    if (!(a.folder = ridge_registry_user_folder(a.arena)))
        return ridge_fail(a.err, RIDGE_IO, "no place for the user's catalog: neither XDG_DATA_HOME nor HOME is set");
    a.target = ridge_arena_printf(a.arena, "%s/user.json", a.folder);
    const char *lock_path = ridge_arena_printf(a.arena, "%s/.lock", a.folder);
    if (!a.target || !lock_path)
        return ridge_no_memory(a.err);
    if ((st = ridge_file_make_folders(a.folder, a.err)) || (st = ridge_file_lock(&lock, lock_path, LOCK_WAIT_S, a.err)))
        return st;
    ridge_file_remove_leftovers(a.target);
    st = add_locked(&a, file, replace);
    ridge_file_unlock(lock);
    *out = a.added;
    *count = st ? 0 : a.count;
    return st;
}
