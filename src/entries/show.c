/* One entry in full: its fields after inheritance, what it needs, who uses it. */
#include "entries/db.h"

#include <stdlib.h>

typedef struct viewer {
    ridge_buf *out;
    ridge_registry *registry;
    ridge_arena *arena;
    ridge_err *err;
    ridge_source *source;
    ridge_ancestor *chain;
    const ridge_entry *entry; /* NULL: faulty */
    bool recursive;
} viewer;

/* ---- fields ---- */

/* JSON text, with every {reference} as it is meant for the heir */
static void add_meant(ridge_buf *out, const ridge_ancestor *from, ridge_str text)
{
    const char *at = text.p, *end = text.p + text.n;
    while (at < end) {
        const char *open = memchr(at, '{', (size_t)(end - at)), *close = open ? open + 1 : NULL;
        while (close && close < end &&
               (*close == '_' || (*close >= '0' && *close <= '9') || ((*close | 32) >= 'a' && (*close | 32) <= 'z')))
            close++;
        if (!open || close >= end) {
            ridge_buf_add(out, (ridge_str){at, (size_t)(end - at)});
            return;
        }
        ridge_buf_add(out, (ridge_str){at, (size_t)(open + 1 - at)});
        at = open + 1;
        if (*close == '}' && close > at) {
            const ridge_symbol *key = ridge_inherit_reference(from, (ridge_str){at, (size_t)(close - at)});
            ridge_buf_addz(out, key ? key->text : "");
            at = close;
        }
    }
}

static ridge_str text_of(const ridge_json *v)
{
    return (ridge_str){v->begin, (size_t)(v->end - v->begin)};
}

/* fields made of members, which an heir may change one by one */
static const char *const object_fields[] = {"let",      "weights", "buffers", "flops",   "reads",       "writes",
                                            "cache",    "holds",   "saved",   "tied",    "breakdown",   "cases",
                                            "defaults", "types",   "aliases", "derived", "sub_configs", "classes"};
static const char *const plain_fields[] = {"thinking",      "parameters",      "on",      "skip",      "value", "fused",
                                           "model_type",    "zero_ok",         "checks",  "positions", "image", "default_class",
                                           "flop_analysis", "memory_analysis", "examples"};

static void show_members(viewer *v, ridge_json_writer *w, const char *field)
{
    ridge_members m;
    ridge_err unused = {0};
    if (ridge_inherit_members(&m, v->chain, field, &unused) || m.n == 0)
        return;
    if (w) {
        ridge_jw_key(w, field);
        ridge_jw_object(w);
    } else {
        ridge_buf_addf(v->out, "%s\n", field);
    }
    for (size_t i = 0; i < m.n; i++) {
        ridge_buf text = {0};
        add_meant(&text, m.p[i].from, text_of(m.p[i].value));
        if (w) {
            ridge_jw_key_str(w, m.p[i].key);
            ridge_jw_raw(w, (ridge_str){text.p, text.n});
        } else {
            ridge_str shown = {text.p, text.n};
            bool string = m.p[i].value->type == RIDGE_JSON_STRING && shown.n >= 2;
            ridge_buf_addf(v->out, "  %-20.*s  %.*s\n", RIDGE_STR_ARG(m.p[i].key), (int)(shown.n - (string ? 2 : 0)), shown.p + string);
        }
        ridge_buf_free(&text);
    }
    if (w)
        ridge_jw_end_object(w);
}

static void show_plain(viewer *v, ridge_json_writer *w, const char *field)
{
    ridge_member m = ridge_inherit_field(v->chain, field);
    ridge_buf text = {0};
    if (!m.value)
        return;
    add_meant(&text, m.from, text_of(m.value));
    if (w) {
        ridge_jw_key(w, field);
        ridge_jw_raw(w, (ridge_str){text.p, text.n});
    } else if (m.value->type == RIDGE_JSON_STRING && text.n >= 2) {
        ridge_buf_addf(v->out, "%-20s  %.*s\n", field, (int)text.n - 2, text.p + 1);
    } else {
        ridge_buf_addf(v->out, "%-20s  %.*s\n", field, (int)text.n, text.p);
    }
    ridge_buf_free(&text);
}

static void show_fields(viewer *v, ridge_json_writer *w)
{
    for (size_t i = 0; i < sizeof plain_fields / sizeof *plain_fields; i++)
        show_plain(v, w, plain_fields[i]);
    for (size_t i = 0; i < sizeof object_fields / sizeof *object_fields; i++)
        show_members(v, w, object_fields[i]);
}

/* ---- dependencies ---- */

static ridge_status needs_of(const ridge_symbol ***out, size_t *count, viewer *v, const ridge_symbol *key)
{
    ridge_err unused = {0};
    ridge_entry *e;
    *count = 0;
    if (!ridge_registry_find(v->registry, key) || ridge_registry_entry(&e, v->registry, key, &unused))
        return RIDGE_OK;
    return ridge_entry_needs(out, count, v->registry, e, v->arena, v->err);
}

static bool needs_key(viewer *v, ridge_source *s)
{
    const ridge_symbol **keys;
    size_t count;
    if (s == v->source || needs_of(&keys, &count, v, s->key))
        return false;
    for (size_t i = 0; i < count; i++)
        if (keys[i] == v->source->key)
            return true;
    return false;
}

static ridge_status users_of(const ridge_symbol ***out, size_t *count, viewer *v)
{
    ridge_source **all;
    size_t n;
    ridge_status st = ridge_registry_all(&all, &n, v->registry, v->err);
    if (st)
        return st;
    *count = 0;
    if (!(*out = ridge_arena_array(v->arena, n + 1, sizeof **out)))
        return ridge_no_memory(v->err);
    for (size_t i = 0; i < n; i++)
        if (needs_key(v, all[i]))
            (*out)[(*count)++] = all[i]->key;
    return RIDGE_OK;
}

/* What was shown once is not unfolded again; `way` are the entries above. */
typedef struct way {
    const ridge_symbol *key;
    const struct way *up;
} way;

typedef struct seen {
    const ridge_symbol **p;
    size_t n, cap;
} seen;

static bool is_seen(const seen *s, const ridge_symbol *key)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->p[i] == key)
            return true;
    return false;
}

static ridge_status tree(viewer *v, const way *up, seen *s, unsigned depth)
{
    const ridge_symbol **keys;
    size_t count;
    ridge_status st = needs_of(&keys, &count, v, up->key);
    s->p = ridge_arena_grow(v->arena, s->p, s->n, &s->cap, s->n + 1, sizeof *s->p);
    if (!s->p)
        return ridge_no_memory(v->err);
    s->p[s->n++] = up->key;
    for (size_t i = 0; i < count && !st; i++) {
        const char *note = ridge_registry_find(v->registry, keys[i]) ? "" : "  (not in the catalog)";
        const way *w = up;
        while (w && w->key != keys[i])
            w = w->up;
        bool known = is_seen(s, keys[i]);
        ridge_buf_addf(v->out, "  %*s%s%s\n", (int)(depth * 2), "", ridge_registry_path(v->registry, keys[i]),
                       w       ? "  (a cycle)"
                       : known ? "  (above)"
                               : note);
        if (!w && !known && depth < 60)
            st = tree(v, &(way){keys[i], up}, s, depth + 1);
    }
    return st;
}

static void list_keys(viewer *v, const char *title, const ridge_symbol **keys, size_t count)
{
    ridge_buf_addf(v->out, "%s (%zu)\n", title, count);
    for (size_t i = 0; i < count; i++)
        ridge_buf_addf(v->out, "  %s%s\n", ridge_registry_path(v->registry, keys[i]),
                       ridge_registry_find(v->registry, keys[i]) ? "" : "  (not in the catalog)");
}

static void write_keys(viewer *v, ridge_json_writer *w, const char *name, const ridge_symbol **keys, size_t count)
{
    ridge_jw_key(w, name);
    ridge_jw_array(w);
    for (size_t i = 0; i < count; i++)
        ridge_jw_strz(w, ridge_registry_path(v->registry, keys[i]));
    ridge_jw_end_array(w);
}

/* everything needed, directly or not */
static ridge_status closure(const ridge_symbol ***out, size_t *count, viewer *v)
{
    seen s = {NULL, 0, 0};
    const ridge_symbol **keys;
    size_t n;
    ridge_status st = needs_of(&keys, &n, v, v->source->key);
    for (size_t done = 0; !st; done++) {
        for (size_t i = 0; i < n; i++) {
            if (keys[i] == v->source->key || is_seen(&s, keys[i]))
                continue;
            if (!(s.p = ridge_arena_grow(v->arena, s.p, s.n, &s.cap, s.n + 1, sizeof *s.p)))
                return ridge_no_memory(v->err);
            s.p[s.n++] = keys[i];
        }
        if (done == s.n)
            break;
        st = needs_of(&keys, &n, v, s.p[done]);
    }
    *out = s.p;
    *count = s.n;
    return st;
}

/* ---- the whole ---- */

/* "validated (PyTorch, 2026-11-21): notes" */
static void show_validation(ridge_buf *out, const ridge_json *validation)
{
    static const char *const fields[] = {"status", "validator", "date", "notes"};
    static const char *const before[] = {"", " by ", ", ", ": "};
    ridge_buf_addf(out, "%-20s  ", "validation");
    for (size_t i = 0; i < 4; i++) {
        const ridge_json *f = ridge_json_get(validation, fields[i]);
        if (f && f->type == RIDGE_JSON_STRING && f->u.text.n)
            ridge_buf_addf(out, "%s%.*s", before[i], RIDGE_STR_ARG(f->u.text));
    }
    ridge_buf_addc(out, '\n');
}

static void write_own(viewer *v, ridge_json_writer *w, const char *field)
{
    const ridge_json *value = ridge_json_get(v->chain->json, field);
    ridge_jw_key(w, field);
    if (value)
        ridge_jw_raw(w, text_of(value));
    else
        ridge_jw_null(w);
}

static ridge_status show_text(viewer *v)
{
    const ridge_json *location = ridge_json_get(v->chain->json, "code_location"), *up = ridge_json_get(v->chain->json, "inherits"),
                     *validation = ridge_json_get(v->chain->json, "validation"), *file = ridge_json_get(location, "file"),
                     *first = ridge_json_get(location, "line_start"), *last = ridge_json_get(location, "line_end");
    const ridge_source *s = v->source;
    const ridge_symbol **keys;
    size_t count;
    ridge_status st;
    ridge_buf_addf(v->out, "%s\n", ridge_registry_path(v->registry, s->key));
    ridge_buf_addf(v->out, "%-20s  %s\n", "key", s->key->text);
    ridge_buf_addf(v->out, "%-20s  %s\n", "kind", ridge_kind_names[ridge_db_kind(v->registry, v->source)]);
    if (v->entry)
        ridge_buf_addf(v->out, "%-20s  %s\n", "class", v->entry->class_name);
    ridge_buf_addf(v->out, "%-20s  %s:%u (%s%s)\n", "from", s->file, s->line, s->origin == RIDGE_ORIGIN_USER ? "user" : "built-in",
                   s->overridden ? ", overrides the built-in" : "");
    if (file && first && last && file->type == RIDGE_JSON_STRING)
        ridge_buf_addf(v->out, "%-20s  %.*s:%.*s-%.*s\n", "source", RIDGE_STR_ARG(file->u.text), RIDGE_STR_ARG(text_of(first)),
                       RIDGE_STR_ARG(text_of(last)));
    if (validation)
        show_validation(v->out, validation);
    if (up && up->type == RIDGE_JSON_STRING)
        ridge_buf_addf(v->out, "%-20s  %.*s\n", "inherits", RIDGE_STR_ARG(up->u.text));
    show_fields(v, NULL);
    if ((st = needs_of(&keys, &count, v, s->key)))
        return st;
    if (v->recursive) {
        ridge_buf_addz(v->out, "needs\n");
        st = tree(v, &(way){s->key, NULL}, &(seen){NULL, 0, 0}, 0);
    } else {
        list_keys(v, "needs", keys, count);
    }
    if (st || (st = users_of(&keys, &count, v)))
        return st;
    list_keys(v, "used by", keys, count);
    return RIDGE_OK;
}

static ridge_status show_json(viewer *v)
{
    ridge_json_writer w;
    const ridge_source *s = v->source;
    const ridge_symbol **needs, **users, **all = NULL;
    size_t need_count, user_count, all_count = 0;
    ridge_status st;
    if ((st = needs_of(&needs, &need_count, v, s->key)) || (st = users_of(&users, &user_count, v)) ||
        (v->recursive && (st = closure(&all, &all_count, v))))
        return st;
    ridge_jw_answer(&w, v->out);
    ridge_jw_member_text(&w, "name", ridge_registry_path(v->registry, s->key));
    ridge_jw_member_text(&w, "key", s->key->text);
    ridge_jw_member_text(&w, "kind", ridge_kind_names[ridge_db_kind(v->registry, v->source)]);
    ridge_jw_key(&w, "library");
    ridge_jw_str(&w, ridge_db_library(s->key));
    ridge_jw_member_text(&w, "class", v->entry ? v->entry->class_name : NULL);
    ridge_jw_member_text(&w, "origin", s->origin == RIDGE_ORIGIN_USER ? "user" : "built-in");
    ridge_jw_key(&w, "overrides_builtin");
    ridge_jw_bool(&w, s->overridden);
    ridge_jw_member_text(&w, "file", s->file);
    ridge_jw_key(&w, "line");
    ridge_jw_int(&w, s->line);
    write_own(v, &w, "code_location");
    write_own(v, &w, "validation");
    ridge_jw_key(&w, "entry");
    ridge_jw_raw(&w, s->text);
    ridge_jw_key(&w, "resolved");
    ridge_jw_object(&w);
    show_fields(v, &w);
    ridge_jw_end_object(&w);
    write_keys(v, &w, "depends", needs, need_count);
    if (v->recursive)
        write_keys(v, &w, "depends_all", all, all_count);
    write_keys(v, &w, "used_by", users, user_count);
    ridge_jw_end_object(&w);
    ridge_buf_addc(v->out, '\n');
    return RIDGE_OK;
}

ridge_status ridge_db_show(ridge_buf *out, ridge_registry *r, ridge_source *source, bool recursive, bool json, ridge_arena *arena,
                           ridge_err *err)
{
    viewer v = {out, r, arena, err, source, NULL, NULL, recursive};
    ridge_entry *e;
    ridge_status st = ridge_inherit_chain(&v.chain, r, source, err);
    if (st || (st = ridge_registry_entry(&e, r, source->key, err)))
        return st;
    v.entry = e;
    return json ? show_json(&v) : show_text(&v);
}
