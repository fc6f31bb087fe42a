#include "catalog/registry.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "catalog/embedded.h"

#define CATALOG_FILE_LIMIT (64u << 20)

const char *ridge_registry_user_folder(ridge_arena *arena)
{
    return ridge_file_user_data("catalog", arena);
}

const ridge_symbol *ridge_registry_key(ridge_registry *r, ridge_str name)
{
    char small[256], *text = small;
    size_t n = 0, room = name.n * 2 + 1;
    if (!memchr(name.p, '.', name.n))
        return ridge_intern(&r->symbols, name);
    if (room > sizeof small && !(text = ridge_arena_alloc(&r->arena, room)))
        return NULL;
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '.')
            text[n++] = '_';
        text[n++] = name.p[i] == '.' ? '_' : name.p[i];
    }
    return ridge_intern(&r->symbols, (ridge_str){text, n});
}

const char *ridge_registry_path(ridge_registry *r, const ridge_symbol *key)
{
    char small[256], *path = small;
    size_t n = 0;
    if (key->len > sizeof small && !(path = ridge_arena_alloc(&r->arena, key->len)))
        return NULL;
    for (uint32_t i = 0; i < key->len; i++) {
        bool dot = i > 0 && i + 2 < key->len && key->text[i] == '_' && key->text[i + 1] == '_';
        path[n++] = dot ? '.' : key->text[i];
        i += dot;
    }
    const ridge_symbol *kept = ridge_intern(&r->symbols, (ridge_str){path, n}); /* once, however often it is asked for */
    return kept ? kept->text : NULL;
}

static bool put(ridge_registry *r, ridge_source *source)
{
    uint32_t id = source->key->id;
    if (id >= r->slot_cap) {
        ridge_source **slots = ridge_arena_grow(&r->arena, r->slots, r->slot_cap, &r->slot_cap, id + 1u, sizeof *slots);
        if (!slots)
            return false;
        r->slots = slots; /* what the arena gives is NULL */
    }
    r->slots[id] = source;
    return true;
}

/* is this the entry's key? It stands before the entry's text, which is read next; among the names it would be far from it */
static bool has_key(const ridge_embedded_entry *e, ridge_str key)
{
    const char *text = ridge_embedded_text(e);
    size_t before = 1;
    while (before < e->text && *(text - before) != '"')
        before++;
    return before + key.n + 1 <= e->text && memcmp(text - before - key.n, key.p, key.n) == 0 && *(text - before - key.n - 1) == '"';
}

static const ridge_embedded_entry *embedded(const ridge_symbol *key)
{
    const uint32_t hash = ridge_embedded_hash(key->text), mask = ridge_embedded_catalog_slot_mask,
                   most = (1u << RIDGE_EMBEDDED_ENTRY_BITS) - 1;
    for (uint32_t at = hash & mask; ridge_embedded_catalog_slots[at] != 0; at = (at + 1) & mask) {
        const uint32_t slot = ridge_embedded_catalog_slots[at], entry = (slot & most) - 1;
        if (slot == ridge_embedded_slot(hash, entry) && has_key(&ridge_embedded_catalog[entry], (ridge_str){key->text, key->len}))
            return &ridge_embedded_catalog[entry];
    }
    return NULL;
}

static ridge_source *from_embedded(ridge_registry *r, const ridge_symbol *key)
{
    const ridge_embedded_entry *e = embedded(key);
    ridge_source *s = e ? ridge_arena_alloc(&r->arena, sizeof *s) : NULL;
    if (s)
        *s = (ridge_source){.key = key,
                            .written = key,
                            .file = ridge_embedded_file(e),
                            .text = {ridge_embedded_text(e), e->length},
                            .line = e->line,
                            .col = e->col};
    if (s && put(r, s))
        return s;
    r->failed = r->failed || e;
    return NULL;
}

bool ridge_registry_failed(ridge_registry *r)
{
    bool failed = r->failed;
    r->failed = false;
    return failed;
}

ridge_source *ridge_registry_find(ridge_registry *r, const ridge_symbol *key)
{
    if (key->id < r->slot_cap && r->slots[key->id])
        return r->slots[key->id];
    return from_embedded(r, key);
}

ridge_status ridge_registry_json(const ridge_json **out, ridge_registry *r, ridge_source *source, ridge_err *err)
{
    ridge_json *json;
    *out = source->json;
    if (source->json)
        return RIDGE_OK;
    ridge_status st = ridge_json_parse(&json, source->text, source->file, (ridge_json_options){.unique_keys = true}, &r->arena, err);
    if (!st)
        *out = source->json = json;
    return st;
}

/* a flat entry whose key and module_path disagree goes by its path */
static const ridge_symbol *key_of(ridge_registry *r, const ridge_json_member *m)
{
    const ridge_json *path = ridge_json_get(&m->value, "module_path");
    if (path && path->type == RIDGE_JSON_STRING && path->u.text.n)
        return ridge_registry_key(r, path->u.text);
    return ridge_registry_key(r, m->key);
}

/* makes positions relative to the entry's own '{', as embedded entries have them */
static ridge_status add_member(ridge_registry *r, const ridge_json_member *m, const char *file, ridge_err *err)
{
    if (m->value.type != RIDGE_JSON_OBJECT)
        return ridge_fail_at(err, RIDGE_TYPE, file, m->value.line, m->value.col, "entry '%.*s' must be an object, not %s",
                             RIDGE_STR_ARG(m->key), ridge_json_type_name(m->value.type));
    const ridge_symbol *key = key_of(r, m);
    ridge_source *s = ridge_arena_alloc(&r->arena, sizeof *s);
    if (!key || !s)
        return ridge_no_memory(err);
    *s = (ridge_source){.key = key,
                        .written = ridge_registry_key(r, m->key),
                        .file = file,
                        .text = {m->value.begin, (size_t)(m->value.end - m->value.begin)},
                        .line = m->value.line,
                        .col = m->value.col,
                        .origin = RIDGE_ORIGIN_USER,
                        .overridden = ridge_registry_find(r, key)};
    if (!s->written || ridge_registry_failed(r) || !ridge_arena_more(&r->arena, &r->user, r->user_count, &r->user_cap, sizeof *r->user) ||
        !put(r, s))
        return ridge_no_memory(err);
    if (s->overridden)
        s->overridden->overriding = s;
    s->order = r->user_count;
    r->user[r->user_count++] = s;
    return RIDGE_OK;
}

ridge_status ridge_registry_add(ridge_registry *r, ridge_str text, const char *file, ridge_err *err)
{
    ridge_json *json;
    ridge_status st = ridge_json_parse(&json, text, file, (ridge_json_options){.unique_keys = true}, &r->arena, err);
    if (st)
        return st;
    if (json->type != RIDGE_JSON_OBJECT)
        return ridge_fail_at(err, RIDGE_TYPE, file, json->line, json->col, "a catalog file is one object, not %s",
                             ridge_json_type_name(json->type));
    for (uint32_t i = 0; i < json->count && st != RIDGE_NOMEM; i++) { /* the first fault is told, the rest still loads */
        ridge_status one = add_member(r, &json->u.members[i], file, err);
        st = st ? st : one;
    }
    return st;
}

static ridge_status add_folder(ridge_registry *r, const char *folder, ridge_err *err)
{
    char **paths = NULL;
    size_t count = 0;
    ridge_str text;
    ridge_status st = RIDGE_OK;
    if (!ridge_file_is_folder(folder)) { /* a single file is a catalog too */
        if ((st = ridge_file_read(&text, folder, CATALOG_FILE_LIMIT, &r->arena, err)))
            return st;
        const char *name = ridge_arena_strdup(&r->arena, ridge_str_of(folder));
        return name ? ridge_registry_add(r, text, name, err) : ridge_no_memory(err);
    }
    st = ridge_file_list(&paths, &count, folder, ".json", &r->arena, err);
    for (size_t i = 0; i < count && !st; i++)
        if (!(st = ridge_file_read(&text, paths[i], CATALOG_FILE_LIMIT, &r->arena, err)))
            st = ridge_registry_add(r, text, paths[i], err);
    return st;
}

ridge_status ridge_registry_open(ridge_registry **out, const char *const *folders, size_t count, bool default_folder, ridge_err *err)
{
    ridge_registry *r = calloc(1, sizeof *r);
    ridge_status st = RIDGE_OK;
    *out = NULL;
    if (!r)
        return ridge_no_memory(err);
    ridge_arena_init(&r->arena);
    r->learned = default_folder;
    if (!ridge_symtab_init(&r->symbols, &r->arena))
        st = ridge_no_memory(err);
    const char *user = default_folder && !st ? ridge_registry_user_folder(&r->arena) : NULL;
    if (user && ridge_file_is_folder(user) && !(st = ridge_user_catalog_settle(user, &r->arena, err)))
        st = add_folder(r, user, err);
    for (size_t i = 0; i < count && !st; i++)
        st = add_folder(r, folders[i], err);
    if (st) {
        ridge_registry_close(r);
        return st;
    }
    *out = r;
    return RIDGE_OK;
}

void ridge_registry_close(ridge_registry *r)
{
    if (!r)
        return;
    ridge_arena_free(&r->arena);
    free(r);
}

/* ---- the config entry of a model ---- */

/* Does the entry's text give `"member": "value"`? Looks at text, so that nothing is parsed that is not needed. */
static bool text_has(ridge_str text, const char *member, ridge_str value)
{
    size_t m = strlen(member);
    for (const char *at = text.p, *end = text.p + text.n; (at = memmem(at, (size_t)(end - at), member, m)); at++) {
        const char *p = at + m;
        while (p < end && (*p == ' ' || *p == ':' || *p == '\n' || *p == '\t'))
            p++;
        if ((size_t)(end - p) > value.n + 2 && *p == '"' && memcmp(p + 1, value.p, value.n) == 0 && p[value.n + 1] == '"')
            return true;
    }
    return false;
}

static bool names_class(ridge_str text, ridge_str head_class)
{
    char quoted[160];
    int n = snprintf(quoted, sizeof quoted, "\"%.*s\"", RIDGE_STR_ARG(head_class));
    return n > 0 && (size_t)n < sizeof quoted && memmem(text.p, text.n, quoted, (size_t)n);
}

/* may it be one? A quick look: what is deeper in the entry than its own fields counts too */
static bool may_be_config_of(ridge_str text, ridge_str model_type, ridge_str head_class)
{
    if (!text_has(text, "\"kind\"", RIDGE_STR("config")))
        return false;
    return model_type.n ? text_has(text, "\"model_type\"", model_type) : head_class.n && names_class(text, head_class);
}

/* a field of the entry itself; NULL where it gives none, or is no JSON (which is told when it is used) */
static const ridge_json *own_field(ridge_registry *r, ridge_source *s, const char *field)
{
    const ridge_json *json;
    ridge_err unused = {0};
    ridge_status st = ridge_registry_json(&json, r, s, &unused);
    r->failed = r->failed || st == RIDGE_NOMEM;
    return st ? NULL : ridge_json_get(json, field);
}

static bool field_is(const ridge_json *v, ridge_str text)
{
    return v && v->type == RIDGE_JSON_STRING && ridge_str_eq(v->u.text, text);
}

static bool is_config(ridge_registry *r, ridge_source *s)
{
    return text_has(s->text, "\"kind\"", RIDGE_STR("config")) && field_is(own_field(r, s, "kind"), RIDGE_STR("config"));
}

static bool is_config_of(ridge_registry *r, ridge_source *s, ridge_str model_type, ridge_str head_class)
{
    if (!may_be_config_of(s->text, model_type, head_class) || !is_config(r, s))
        return false;
    if (model_type.n)
        return field_is(own_field(r, s, "model_type"), model_type);
    return ridge_json_get_str(own_field(r, s, "classes"), head_class) || ridge_json_get_str(own_field(r, s, "classes+"), head_class);
}

/* the entry of this key that holds now, where the built-in one is the config of what is asked for */
static ridge_source *config_from_embedded(ridge_registry *r, const ridge_embedded_entry *e, ridge_str model_type, ridge_str head_class)
{
    const ridge_symbol *key = ridge_intern(&r->symbols, ridge_str_of(ridge_embedded_key(e)));
    ridge_source *now = key ? ridge_registry_find(r, key) : NULL, *builtin = now;
    r->failed = r->failed || !key;
    while (builtin && builtin->origin == RIDGE_ORIGIN_USER)
        builtin = builtin->overridden;
    return builtin && is_config_of(r, builtin, model_type, head_class) ? now : NULL;
}

/* is the type of a built-in config before this one? */
static bool is_before(const char *type, ridge_str model_type)
{
    return strncmp(type, model_type.p, model_type.n) < 0; /* of two that begin alike the longer one is not */
}

/* the first of the built-in configs of this model type */
static unsigned first_of_type(ridge_str model_type)
{
    unsigned low = 0, high = ridge_embedded_config_count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (is_before(ridge_embedded_config_type(&ridge_embedded_configs[middle]), model_type))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* the built-in config of this model type; of several the one with this head class, else the first: one type may have classes of two
 * libraries */
static ridge_source *config_of_type(ridge_registry *r, ridge_str model_type, ridge_str head_class)
{
    ridge_source *first = NULL;
    for (unsigned i = first_of_type(model_type); i < ridge_embedded_config_count; i++) {
        const ridge_embedded_entry *e = &ridge_embedded_catalog[ridge_embedded_configs[i].entry];
        if (!ridge_str_is(model_type, ridge_embedded_config_type(&ridge_embedded_configs[i])))
            break;
        ridge_source *found = config_from_embedded(r, e, model_type, RIDGE_STR(""));
        if (found && head_class.n && config_from_embedded(r, e, RIDGE_STR(""), head_class))
            return found;
        first = first ? first : found;
    }
    return first;
}

/* A config that lists its classes has no others; one that lists none, or adds some, may inherit them. */
static bool may_have_class(ridge_registry *r, ridge_source *s, ridge_str head_class)
{
    const ridge_json *classes = own_field(r, s, "classes");
    return head_class.n == 0 || !classes || ridge_json_get_str(classes, head_class);
}

/* the newest of the user's configs; of a model type, with this head class or without */
static ridge_source *users_config(ridge_registry *r, ridge_str model_type, ridge_str head_class, bool with_class)
{
    for (size_t i = r->user_count; i-- > 0;) {
        ridge_source *s = r->user[i];
        if (r->slots[s->key->id] == s && is_config_of(r, s, model_type, head_class) &&
            (!model_type.n || !with_class || may_have_class(r, s, head_class)))
            return s;
    }
    return NULL;
}

/* of a model type: the user's config with the head class, a built-in one with it, the user's, the first of the built-in ones */
static ridge_source *config_of_type_and_class(ridge_registry *r, ridge_str model_type, ridge_str head_class)
{
    ridge_source *builtin = config_of_type(r, model_type, head_class), *users = users_config(r, model_type, head_class, false);
    return users && !(builtin && ridge_json_get_str(own_field(r, builtin, "classes"), head_class)) ? users : builtin;
}

ridge_source *ridge_registry_config(ridge_registry *r, ridge_str model_type, ridge_str head_class)
{
    ridge_source *found = users_config(r, model_type, head_class, true);
    if (found)
        return found;
    if (model_type.n)
        return config_of_type_and_class(r, model_type, head_class);
    for (unsigned i = 0; i < ridge_embedded_catalog_count && !found; i++) {
        const ridge_embedded_entry *e = &ridge_embedded_catalog[i];
        if (strstr(ridge_embedded_key(e), "onfig") &&
            may_be_config_of((ridge_str){ridge_embedded_text(e), e->length}, model_type, head_class))
            found = config_from_embedded(r, e, model_type, head_class);
    }
    return found;
}

/* ---- listing ---- */

static int compare_sources(const void *a, const void *b)
{
    return strcmp((*(ridge_source *const *)a)->key->text, (*(ridge_source *const *)b)->key->text);
}

ridge_source *ridge_source_replaced(const ridge_source *s)
{
    ridge_source *old = s->overridden;
    while (old && old->origin == RIDGE_ORIGIN_USER)
        old = old->overridden;
    return old;
}

const char *ridge_source_told(const ridge_source *s, ridge_registry *r, ridge_arena *arena)
{
    const char *path = ridge_registry_path(r, s->key);
    return path ? ridge_arena_printf(arena, "%s is your own entry (%s:%u), not the built-in one", path, s->file, s->line) : NULL;
}

void ridge_registry_forget_used(ridge_registry *r)
{
    for (size_t i = 0; i < r->user_count; i++)
        r->user[i]->used = false;
    r->hints_spent = 0;
}

ridge_status ridge_registry_all(ridge_source ***out, size_t *count, ridge_registry *r, ridge_err *err)
{
    size_t n = 0, most = r->user_count + ridge_embedded_catalog_count;
    ridge_source **all = ridge_arena_array(&r->arena, most + 1, sizeof *all);
    if (!all)
        return ridge_no_memory(err);
    for (unsigned i = 0; i < ridge_embedded_catalog_count; i++) {
        const ridge_symbol *key = ridge_intern(&r->symbols, ridge_str_of(ridge_embedded_key(&ridge_embedded_catalog[i])));
        ridge_source *s = key ? ridge_registry_find(r, key) : NULL;
        if (!s)
            return ridge_no_memory(err);
        all[n++] = s;
    }
    for (size_t i = 0; i < r->user_count; i++)
        if (r->slots[r->user[i]->key->id] == r->user[i] && !ridge_source_replaced(r->user[i]))
            all[n++] = r->user[i];
    qsort(all, n, sizeof *all, compare_sources);
    *out = all;
    *count = n;
    return RIDGE_OK;
}

/* it says no kind of its own and stands for a built-in config */
static bool replaces_config(ridge_registry *r, ridge_source *s)
{
    ridge_source *builtin = ridge_source_replaced(s);
    return builtin && !own_field(r, s, "kind") && is_config(r, builtin);
}

ridge_status ridge_registry_configs(ridge_source ***out, size_t *count, ridge_registry *r, ridge_err *err)
{
    size_t n = 0, all = 0;
    ridge_status st = RIDGE_OK;
    const bool known = r->configs && r->configs_user_count == r->user_count;
    if (!known && (st = ridge_registry_all(out, &all, r, err)))
        return st;
    for (size_t i = 0; i < all; i++)
        if (is_config(r, (*out)[i]) || ((*out)[i]->origin == RIDGE_ORIGIN_USER && replaces_config(r, (*out)[i])))
            (*out)[n++] = (*out)[i];
    if (ridge_registry_failed(r))
        return ridge_no_memory(err);
    if (!known) {
        r->configs = *out;
        r->config_count = n;
        r->configs_user_count = r->user_count;
    }
    *out = r->configs;
    *count = r->config_count;
    return RIDGE_OK;
}
