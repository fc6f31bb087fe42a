#include "entries/db.h"

#include <strings.h>

/* ---- what an entry says of itself ---- */

ridge_str ridge_db_library(const ridge_symbol *key)
{
    const char *end = strstr(key->text, "__");
    return (ridge_str){key->text, end ? (size_t)(end - key->text) : key->len};
}

ridge_str ridge_db_validation(const ridge_json *entry)
{
    const ridge_json *status = ridge_json_get(ridge_json_get(entry, "validation"), "status");
    return status && status->type == RIDGE_JSON_STRING ? status->u.text : (ridge_str){"", 0};
}

static ridge_str class_of(const ridge_json *entry)
{
    const ridge_json *name = ridge_json_get(entry, "class");
    return name && name->type == RIDGE_JSON_STRING ? name->u.text : (ridge_str){"", 0};
}

ridge_kind ridge_db_kind(ridge_registry *r, ridge_source *source)
{
    ridge_ancestor *chain;
    ridge_err unused = {0};
    if (ridge_inherit_chain(&chain, r, source, &unused))
        return RIDGE_KIND_MODULE;
    ridge_member kind = ridge_inherit_field(chain, "kind");
    for (int k = 0; kind.value && kind.value->type == RIDGE_JSON_STRING && k <= RIDGE_KIND_CONFIG; k++)
        if (ridge_str_is(kind.value->u.text, ridge_kind_names[k]))
            return (ridge_kind)k;
    return RIDGE_KIND_MODULE;
}

ridge_status ridge_db_find(ridge_source **out, ridge_registry *r, const char *name, ridge_err *err)
{
    ridge_source **all;
    size_t count;
    ridge_entry *e;
    const ridge_symbol *key = ridge_registry_key(r, ridge_str_of(name));
    if (!key)
        return ridge_no_memory(err);
    if ((*out = ridge_registry_find(r, key)))
        return RIDGE_OK;
    ridge_status st = ridge_registry_all(&all, &count, r, err);
    for (size_t i = 0; i < count && !st; i++) {
        const ridge_json *json;
        if (!ridge_registry_json(&json, r, all[i], NULL) && ridge_str_is(class_of(json), name)) {
            *out = all[i];
            return RIDGE_OK;
        }
    }
    return st ? st : ridge_registry_entry(&e, r, key, err); /* UNKNOWN, with the nearest name */
}

/* ---- list ---- */

typedef struct item {
    ridge_source *source;
    const ridge_json *json;
    const char *path;
    ridge_kind kind;
} item;

typedef struct listing {
    item *p;
    size_t n;
    size_t by_kind[RIDGE_KIND_CONFIG + 1];
    size_t validated, user;
} listing;

static bool contains(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, n) == 0)
            return true;
    return n == 0;
}

static bool passes(const item *i, const ridge_db_filter *f)
{
    if (f->kind >= 0 && (int)i->kind != f->kind)
        return false;
    if (f->library && !ridge_str_is(ridge_db_library(i->source->key), f->library))
        return false;
    return !f->text || contains(i->path, f->text) || contains(i->source->key->text, f->text);
}

static ridge_status gather(listing *out, ridge_registry *r, const ridge_db_filter *filter, ridge_arena *arena, ridge_err *err)
{
    ridge_source **all;
    size_t count;
    ridge_status st = ridge_registry_all(&all, &count, r, err);
    if (st)
        return st;
    *out = (listing){.p = ridge_arena_array(arena, count + 1, sizeof *out->p)};
    if (!out->p)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        item one = {all[i], NULL, ridge_registry_path(r, all[i]->key), ridge_db_kind(r, all[i])};
        if ((st = ridge_registry_json(&one.json, r, all[i], err)))
            return st;
        if (!one.path)
            return ridge_no_memory(err);
        if (!passes(&one, filter))
            continue;
        out->p[out->n++] = one;
        out->by_kind[one.kind]++;
        out->validated += ridge_str_is(ridge_db_validation(one.json), "validated");
        out->user += all[i]->origin == RIDGE_ORIGIN_USER;
    }
    return RIDGE_OK;
}

static const char *origin_name(const ridge_source *s)
{
    return s->origin == RIDGE_ORIGIN_USER ? "user" : "built-in";
}

static void write_str_or_null(ridge_json_writer *w, const char *key, ridge_str text)
{
    ridge_jw_key(w, key);
    if (text.n)
        ridge_jw_str(w, text);
    else
        ridge_jw_null(w);
}

static void list_json(ridge_buf *out, const listing *l)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_key(&w, "entries");
    ridge_jw_array(&w);
    for (size_t i = 0; i < l->n; i++) {
        const item *it = &l->p[i];
        ridge_jw_object_compact(&w);
        ridge_jw_member_text(&w, "name", it->path);
        ridge_jw_member_text(&w, "key", it->source->key->text);
        ridge_jw_member_text(&w, "kind", ridge_kind_names[it->kind]);
        ridge_jw_key(&w, "library");
        ridge_jw_str(&w, ridge_db_library(it->source->key));
        write_str_or_null(&w, "validation", ridge_db_validation(it->json));
        ridge_jw_member_text(&w, "origin", origin_name(it->source));
        ridge_jw_member_text(&w, "file", it->source->file);
        ridge_jw_key(&w, "line");
        ridge_jw_int(&w, it->source->line);
        ridge_jw_end_object(&w);
    }
    ridge_jw_end_array(&w);
    ridge_jw_key(&w, "count");
    ridge_jw_int(&w, (ridge_int)l->n);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

static void list_group(ridge_buf *out, const listing *l, size_t from, size_t to)
{
    int width = 0;
    for (size_t i = from; i < to; i++)
        width = (int)strlen(l->p[i].path) > width ? (int)strlen(l->p[i].path) : width;
    ridge_str library = ridge_db_library(l->p[from].source->key);
    ridge_buf_addf(out, "%.*s (%zu)\n", RIDGE_STR_ARG(library), to - from);
    for (size_t i = from; i < to; i++) {
        ridge_str status = ridge_db_validation(l->p[i].json);
        ridge_buf_addf(out, "  %-*s  %-8s  %-9.*s  %s\n", width, l->p[i].path, ridge_kind_names[l->p[i].kind],
                       RIDGE_STR_ARG(status.n ? status : RIDGE_STR("-")), origin_name(l->p[i].source));
    }
}

static void list_text(ridge_buf *out, const listing *l)
{
    for (size_t from = 0, to; from < l->n; from = to) {
        ridge_str library = ridge_db_library(l->p[from].source->key);
        for (to = from + 1; to < l->n && ridge_str_eq(library, ridge_db_library(l->p[to].source->key)); to++)
            continue;
        list_group(out, l, from, to);
        ridge_buf_addc(out, '\n');
    }
    ridge_buf_addf(out, "%zu %s", l->n, l->n == 1 ? "entry" : "entries");
    for (int k = 0; k <= RIDGE_KIND_CONFIG; k++)
        if (l->by_kind[k])
            ridge_buf_addf(out, ", %zu %s", l->by_kind[k], ridge_kind_names[k]);
    ridge_buf_addf(out, "; %zu validated, %zu of the user\n", l->validated, l->user);
}

/* the library stands first in a key, so entries sorted by key are grouped, but "torch" < "torch__a" < "torchvision" */
static bool is_grouped_before(const item *a, const item *b)
{
    ridge_str x = ridge_db_library(a->source->key), y = ridge_db_library(b->source->key);
    int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);
    return order < 0 || (order == 0 && x.n <= y.n);
}

static void group(listing *l)
{
    for (size_t i = 1; i < l->n; i++) { /* nearly sorted: insertion, stable */
        item one = l->p[i];
        size_t k = i;
        for (; k > 0 && !is_grouped_before(&l->p[k - 1], &one); k--)
            l->p[k] = l->p[k - 1];
        l->p[k] = one;
    }
}

ridge_status ridge_db_list(ridge_buf *out, ridge_registry *r, const ridge_db_filter *filter, bool json, ridge_arena *arena, ridge_err *err)
{
    listing l;
    ridge_status st = gather(&l, r, filter, arena, err);
    if (st)
        return st;
    if (json) {
        list_json(out, &l);
        return RIDGE_OK;
    }
    group(&l);
    list_text(out, &l);
    return RIDGE_OK;
}

/* ---- export ---- */

ridge_status ridge_db_export(ridge_buf *out, ridge_registry *r, ridge_err *err)
{
    ridge_source **all;
    size_t count;
    ridge_status st = ridge_registry_all(&all, &count, r, err);
    if (st)
        return st;
    ridge_json_writer w;
    ridge_jw_init(&w, out);
    ridge_jw_object(&w);
    for (size_t i = 0; i < count; i++) {
        ridge_jw_key(&w, all[i]->key->text);
        ridge_jw_raw(&w, all[i]->text);
    }
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
    return out->failed ? ridge_no_memory(err) : RIDGE_OK;
}
