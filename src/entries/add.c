/* `ridge db add`: the entries of a file go into the user's catalog. All of them or none, also where they go to several
 * files (catalog/user.c); who else adds waits at the lock. */
#include "entries/db.h"

#include "base/file.h"

const ridge_option ridge_options_db_add[] = {
    RIDGE_FLAG(ridge_db_add_request, replace, "replace", 0, "replace entries that you added before"),
    RIDGE_OPTION_END,
};

typedef struct adder {
    ridge_db_add_answer *out;
    const ridge_db_add_request *request;
    ridge_check *check;
    ridge_err *err;
    const char *folder, *target; /* .../catalog, .../catalog/user.json */
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

/* the user's own entry of this name before the file was read; NULL: none */
static ridge_source *earlier(const ridge_check *c, const ridge_source *s)
{
    ridge_source *old = s->overridden;
    while (old && old->origin == RIDGE_ORIGIN_USER && old->order >= c->from_user)
        old = old->overridden;
    return old && old->origin == RIDGE_ORIGIN_USER ? old : NULL;
}

static ridge_status decide(adder *a, ridge_source *s)
{
    ridge_registry *r = a->check->registry;
    ridge_source *old = earlier(a->check, s);
    const ridge_json *was = NULL, *is;
    ridge_db_added *one = &a->out->entries[a->out->count++];
    ridge_status st;
    if ((st = ridge_registry_json(&is, r, s, a->err)) || (old && (st = ridge_registry_json(&was, r, old, a->err))))
        return st;
    *one = (ridge_db_added){.name = ridge_registry_path(r, s->key), .now = s, .old = old};
    one->change = old             ? (json_equal(was, is) ? RIDGE_CHANGE_UNCHANGED : RIDGE_CHANGE_REPLACED)
                  : s->overridden ? RIDGE_CHANGE_OVERRIDDEN
                                  : RIDGE_CHANGE_ADDED;
    if (one->change == RIDGE_CHANGE_REPLACED && !a->request->replace)
        return ridge_fail_at(a->err, RIDGE_VALUE, s->file, s->line, s->col,
                             "%s is already at %s:%u and differs; " RIDGE_OPT("replace") " replaces it", one->name, old->file, old->line);
    return one->name ? RIDGE_OK : ridge_no_memory(a->err);
}

/* ---- writing ---- */

/* the same entry again, further down in its file */
static bool is_repeated(const ridge_check *c, const ridge_source *s)
{
    for (const ridge_source *next = s->overriding; next && next->order < c->from_user; next = next->overriding)
        if (strcmp(next->file, s->file) == 0)
            return true;
    return false;
}

/* what an entry of the user's is from now on */
static const ridge_source *source_now(const adder *a, const ridge_source *s)
{
    for (const ridge_db_added *one = a->out->entries; one < a->out->entries + a->out->count; one++)
        if (one->now->key == s->key && one->change != RIDGE_CHANGE_UNCHANGED)
            return one->now;
    return s;
}

static void write_entry(ridge_json_writer *w, const ridge_source *s)
{
    ridge_jw_key(w, s->key->text);
    ridge_jw_raw(w, s->text);
}

/* One user file anew: its entries in order, those that change with their new text; `more`: with the new entries behind them. */
static ridge_status rewrite(ridge_file_text *out, const adder *a, const char *path, bool more)
{
    ridge_source *const *user = a->check->registry->user;
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_jw_object(&w);
    for (size_t i = 0; i < a->check->from_user; i++)
        if (strcmp(user[i]->file, path) == 0 && !is_repeated(a->check, user[i]))
            write_entry(&w, source_now(a, user[i]));
    for (size_t i = 0; i < a->out->count && more; i++)
        if (!a->out->entries[i].old)
            write_entry(&w, a->out->entries[i].now);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&text, '\n');
    const char *copy = text.failed ? NULL : ridge_arena_strdup(a->check->arena, (ridge_str){text.p, text.n});
    *out = (ridge_file_text){path, {copy, text.n}};
    ridge_buf_free(&text);
    return copy ? RIDGE_OK : ridge_no_memory(a->err);
}

/* the file that an entry goes to: one of the user's own making keeps its entries */
static const char *file_of(const adder *a, const ridge_db_added *one)
{
    return one->old ? one->old->file : a->target;
}

static ridge_status write_files(const adder *a)
{
    ridge_file_text *files = ridge_arena_array(a->check->arena, a->out->count + 1, sizeof *files);
    ridge_status st = files ? RIDGE_OK : ridge_no_memory(a->err);
    size_t count = 0;
    for (size_t i = 0; i < a->out->count && !st; i++) {
        const ridge_db_added *one = &a->out->entries[i];
        bool done = one->change == RIDGE_CHANGE_UNCHANGED;
        for (size_t k = 0; k < i && !done; k++)
            done = a->out->entries[k].change != RIDGE_CHANGE_UNCHANGED && strcmp(file_of(a, &a->out->entries[k]), file_of(a, one)) == 0;
        if (!done)
            st = rewrite(&files[count++], a, file_of(a, one), strcmp(file_of(a, one), a->target) == 0);
    }
    return st || count == 0 ? st : ridge_user_catalog_write(a->folder, files, count, a->check->arena, a->err);
}

/* ---- the whole ---- */

/* with the lock held: nobody else changes the user's catalog */
static ridge_status add_locked(adder *a)
{
    ridge_check *c = a->check;
    ridge_status st = RIDGE_OK;
    c->only_user = true;
    if (ridge_file_is_folder(a->folder) && (st = ridge_check_load(c, a->folder)))
        return st;
    c->from_user = c->registry->user_count;
    if ((st = ridge_check_load(c, a->request->file)) || (st = ridge_db_check(&a->out->check, c)))
        return st;
    if (c->errors > 0)
        return ridge_fail(a->err, RIDGE_CHECK, "%s is not added: %zu %s", a->request->file, c->errors, c->errors == 1 ? "error" : "errors");
    if (!(a->out->entries = ridge_arena_array(c->arena, c->count + 1, sizeof *a->out->entries)))
        return ridge_no_memory(a->err);
    for (size_t i = 0; i < c->count && !st; i++)
        st = decide(a, c->sources[i]);
    return st ? st : write_files(a);
}

ridge_status ridge_db_add(ridge_db_add_answer *out, ridge_check *check, const ridge_db_add_request *request)
{
    adder a = {.out = out, .request = request, .check = check, .err = check->err};
    int lock = -1;
    ridge_status st;
    *out = (ridge_db_add_answer){0};
    if (!(a.folder = ridge_registry_user_folder(check->arena)))
        return check->arena->failed ? ridge_no_memory(a.err)
                                    : ridge_fail(a.err, RIDGE_IO, "no place for the user's catalog: neither XDG_DATA_HOME nor HOME is set");
    a.target = ridge_arena_printf(check->arena, "%s/user.json", a.folder);
    if (!a.target)
        return ridge_no_memory(a.err);
    if ((st = ridge_user_catalog_lock(&lock, a.folder, check->arena, a.err)))
        return st;
    st = add_locked(&a);
    ridge_file_unlock(lock);
    return st;
}

/* ---- how it is written ---- */

static const char *const changes[] = {RIDGE_CHANGE_LIST(RIDGE_WORD_TEXT) NULL};

static const ridge_record_field added_fields[] = {
    RIDGE_R_TEXT(ridge_db_added, name, "name", NULL, RIDGE_IN_ALL, "the entry's dotted path"),
    RIDGE_R_WORD(ridge_db_added, change, changes, "change", NULL, RIDGE_IN_ALL, "what became of the entry of this name"),
};
const ridge_record ridge_db_added_record = RIDGE_RECORD(ridge_db_added, "added entry", added_fields, "an entry of the file");

static const ridge_record_field fields[] = {
    RIDGE_R_LIST(ridge_db_add_answer, entries, count, &ridge_db_added_record, "entries", RIDGE_IN_JSON, "the entries of the file"),
    RIDGE_R_LIST(ridge_db_add_answer, check.changes, check.change_count, &ridge_db_model_change_record, "changes", RIDGE_IN_JSON,
                 "the shipped models that overrides among the entries change"),
};
const ridge_record ridge_db_add_record = RIDGE_RECORD(ridge_db_add_answer, "ridge db add", fields, "what was added to the user's catalog");

void ridge_db_add_text(ridge_buf *out, const ridge_db_add_answer *a, ridge_arena *arena)
{
    if (a->check.count > 0)
        ridge_db_check_text(out, &a->check, arena);
    else
        ridge_db_check_changes_text(out, &a->check, arena);
    for (size_t i = 0; i < a->count; i++)
        ridge_buf_addf(out, "%-10s  %s\n", changes[a->entries[i].change], a->entries[i].name);
    if (a->count == 0)
        ridge_buf_addz(out, "nothing to add: the file has no entries\n");
}
