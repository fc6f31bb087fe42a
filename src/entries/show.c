/* One entry in full: its fields after inheritance, what it needs, who uses it. */
#include "base/shown.h"
#include "catalog/verdict.h"
#include "entries/db.h"

enum { DEEPEST = 60 }; /* levels that are indented */

const ridge_option ridge_options_db_show[] = {
    RIDGE_FLAG(ridge_db_show_request, recursive, "recursive", 'r', "dependencies as a tree, down to the leaves"),
    RIDGE_OPTION_END,
};

static const char of_entry[] = "entry", of_needs[] = "needs", of_users[] = "used by"; /* sections */

typedef struct viewer {
    ridge_db_show_answer *out;
    ridge_registry *registry;
    ridge_arena *arena;
    ridge_err *err;
    ridge_source *source;
    ridge_ancestor *chain;
    const ridge_json *validation; /* of this machine, or the entry's own; NULL: none */
} viewer;

static ridge_status add_line(viewer *v, ridge_db_line line)
{
    ridge_db_show_answer *a = v->out;
    if (!line.name || !line.value || !ridge_arena_more(v->arena, &a->lines, a->count, &a->cap, sizeof *a->lines))
        return ridge_no_memory(v->err);
    a->lines[a->count++] = line;
    return RIDGE_OK;
}

/* ---- what it is ---- */

static ridge_str source_text(const ridge_json *v)
{
    return v ? (ridge_str){v->begin, (size_t)(v->end - v->begin)} : (ridge_str){NULL, 0};
}

/* a line of the entry itself */
static ridge_status add_about(viewer *v, const char *name, const char *value)
{
    return add_line(v, (ridge_db_line){.section = of_entry, .name = name, .value = value});
}

static const char *place_text(const viewer *v)
{
    const ridge_db_entry *e = &v->out->entry;
    return ridge_arena_printf(v->arena, "%s:%u (%s%s)", e->file, e->line, e->origin == RIDGE_ORIGIN_USER ? "user" : "built-in",
                              v->out->overrides ? ", overrides the built-in" : "");
}

/* "modeling_llama.py:12-40"; "" where it is not said in full */
static const char *location_text(const viewer *v, const ridge_json *location)
{
    const ridge_json *file = ridge_json_get(location, "file");
    ridge_str first = source_text(ridge_json_get(location, "line_start")), last = source_text(ridge_json_get(location, "line_end"));
    if (!file || file->type != RIDGE_JSON_STRING || !first.p || !last.p)
        return "";
    return ridge_arena_printf(v->arena, "%.*s:%.*s-%.*s", RIDGE_STR_ARG(file->u.text), RIDGE_STR_ARG(first), RIDGE_STR_ARG(last));
}

/* "validated by PyTorch, 2026-11-21: notes" */
static const char *validation_text(const viewer *v, const ridge_json *validation)
{
    static const char *const fields[] = {"status", "validator", "date", "notes"};
    static const char *const before[] = {"", " by ", ", ", ": "};
    const char *text = "";
    for (size_t i = 0; i < 4 && text; i++) {
        const ridge_json *f = ridge_json_get(validation, fields[i]);
        if (f && f->type == RIDGE_JSON_STRING && f->u.text.n > 0)
            text = ridge_arena_printf(v->arena, "%s%s%.*s", text, before[i], RIDGE_STR_ARG(f->u.text));
    }
    return text;
}

static ridge_status add_identity(viewer *v)
{
    const ridge_json *location = ridge_json_get(v->chain->json, "code_location"), *up = ridge_json_get(v->chain->json, "inherits");
    const ridge_db_entry *e = &v->out->entry;
    const char *source = location_text(v, location);
    ridge_status st;
    if ((st = add_about(v, "key", e->key)) || (st = add_about(v, "kind", ridge_kind_names[e->kind])) ||
        (st = add_about(v, "class", v->out->class_name)) || (st = add_about(v, "from", place_text(v))))
        return st;
    if ((!source || source[0] != '\0') && (st = add_about(v, "source", source)))
        return st;
    if (v->validation && (st = add_about(v, "validation", validation_text(v, v->validation))))
        return st;
    return up && up->type == RIDGE_JSON_STRING ? add_about(v, "inherits", ridge_arena_strdup(v->arena, up->u.text)) : RIDGE_OK;
}

/* ---- fields ---- */

static bool is_of_path(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* JSON text, with every {reference} as it is meant for the heir */
static const char *meant(const viewer *v, const ridge_ancestor *from, ridge_str text)
{
    ridge_buf out = {0};
    const char *end = text.p + text.n;
    for (const char *at = text.p; at < end; at++) {
        const char *close = at + 1;
        ridge_buf_addc(&out, *at);
        if (*at != '{')
            continue;
        while (close < end && is_of_path(*close))
            close++;
        if (close == end || *close != '}' || close == at + 1)
            continue;
        const ridge_symbol *key = ridge_inherit_reference(from, (ridge_str){at + 1, (size_t)(close - at - 1)});
        ridge_buf_addz(&out, key ? key->text : "");
        at = close - 1;
    }
    return ridge_arena_take(v->arena, &out);
}

/* a string without its quotes */
static ridge_status add_field(viewer *v, const char *section, const char *name, const ridge_member *m)
{
    const char *json = meant(v, m->from, source_text(m->value)), *value = json;
    if (json && m->value->type == RIDGE_JSON_STRING)
        value = ridge_arena_strdup(v->arena, (ridge_str){json + 1, strlen(json) - 2});
    return add_line(v, (ridge_db_line){.section = section, .name = name, .value = value, .json = json});
}

/* fields made of members, which an heir may change one by one */
static const char *const object_fields[] = {"let",      "weights", "buffers", "flops",   "reads",       "writes",
                                            "cache",    "holds",   "saved",   "tied",    "breakdown",   "cases",
                                            "defaults", "types",   "aliases", "derived", "sub_configs", "classes"};
static const char *const plain_fields[] = {"thinking",        "parameters",    "on",         "skip",    "value",
                                           "fused",           "model_type",    "zero_ok",    "checks",  "positions",
                                           "image",           "default_class", "refused",    "experts", "flop_analysis",
                                           "memory_analysis", "examples",      "holds_when", "source",  "video_frames",
                                           "frames",          "samples",       "seq"};

static ridge_status add_fields(viewer *v)
{
    ridge_status st = RIDGE_OK;
    ridge_members list;
    for (size_t i = 0; i < sizeof plain_fields / sizeof *plain_fields && !st; i++) {
        ridge_member m = ridge_inherit_field(v->chain, plain_fields[i]);
        if (m.value)
            st = add_field(v, of_entry, plain_fields[i], &m);
    }
    for (size_t i = 0; i < sizeof object_fields / sizeof *object_fields && !st; i++) {
        if (ridge_inherit_members(&list, v->chain, object_fields[i], NULL))
            continue;
        for (size_t k = 0; k < list.n && !st; k++)
            st = add_field(v, object_fields[i], ridge_arena_strdup(v->arena, list.p[k].key), &list.p[k]);
    }
    return st;
}

/* ---- dependencies ---- */

static const char absent[] = "not in the catalog", above[] = "above", cycle[] = "a cycle";

static ridge_status needs_of(const ridge_symbol ***out, size_t *count, viewer *v, const ridge_symbol *key)
{
    ridge_entry *e;
    *count = 0;
    if (!ridge_registry_find(v->registry, key) || ridge_registry_entry(&e, v->registry, key, NULL))
        return RIDGE_OK;
    return ridge_entry_needs(out, count, v->registry, e, v->arena, v->err);
}

/* the way from the entry down to what is looked at */
typedef struct way_step {
    const ridge_symbol *key;
    const ridge_symbol **needs;
    size_t count, at;
} way_step;

typedef struct way {
    way_step *steps;
    size_t count, cap;
} way;

static ridge_status go_down(way *w, viewer *v, const ridge_symbol *key)
{
    if (!ridge_arena_more(v->arena, &w->steps, w->count, &w->cap, sizeof *w->steps))
        return ridge_no_memory(v->err);
    way_step *s = &w->steps[w->count++];
    *s = (way_step){.key = key};
    return needs_of(&s->needs, &s->count, v, key);
}

static const char *note_of(const viewer *v, const way *w, const ridge_symbol *key, const char *path)
{
    for (size_t i = 0; i < w->count && v->out->recursive; i++)
        if (w->steps[i].key == key)
            return cycle;
    if (ridge_words_find(&v->out->all_needs, path))
        return above;
    return ridge_registry_find(v->registry, key) ? "" : absent;
}

static ridge_status add_need(viewer *v, way *w, const ridge_symbol *key)
{
    const char *path = ridge_registry_path(v->registry, key), *note = path ? note_of(v, w, key, path) : "";
    unsigned depth = (unsigned)w->count - 1;
    ridge_status st = add_line(v, (ridge_db_line){of_needs, path, note, depth, NULL});
    if (!st && depth == 0)
        st = ridge_words_add(&v->out->needs, path, v->arena, v->err);
    if (st || note == cycle || note == above)
        return st;
    if ((st = ridge_words_add(&v->out->all_needs, path, v->arena, v->err)))
        return st;
    return v->out->recursive ? go_down(w, v, key) : RIDGE_OK;
}

/* What was shown once is not unfolded again. A chain may be as long as the catalog. */
static ridge_status add_needs(viewer *v)
{
    way w = {0};
    ridge_status st = go_down(&w, v, v->source->key);
    while (w.count > 0 && !st) {
        way_step *s = &w.steps[w.count - 1];
        if (s->at == s->count)
            w.count--;
        else
            st = add_need(v, &w, s->needs[s->at++]);
    }
    return st;
}

static ridge_status add_user(viewer *v, const ridge_source *s)
{
    const ridge_symbol **keys;
    size_t count, i = 0;
    ridge_status st = needs_of(&keys, &count, v, s->key);
    while (i < count && keys[i] != v->source->key)
        i++;
    if (st || i == count || s == v->source)
        return st;
    const char *path = ridge_registry_path(v->registry, s->key);
    st = add_line(v, (ridge_db_line){.section = of_users, .name = path, .value = ""});
    return st ? st : ridge_words_add(&v->out->users, path, v->arena, v->err);
}

static ridge_status add_users(viewer *v)
{
    ridge_source **all;
    size_t count;
    ridge_status st = ridge_registry_all(&all, &count, v->registry, v->err);
    for (size_t i = 0; i < count && !st; i++)
        st = add_user(v, all[i]);
    return st;
}

/* ---- the whole ---- */

static const char *json_text(const viewer *v, const ridge_json *value)
{
    ridge_str text = source_text(value);
    return text.p ? ridge_arena_strdup(v->arena, text) : NULL;
}

ridge_status ridge_db_show_answer_make(ridge_db_show_answer *out, ridge_registry *r, const ridge_db_show_request *request,
                                       ridge_arena *arena, ridge_err *err)
{
    viewer v = {.out = out, .registry = r, .arena = arena, .err = err};
    ridge_entry *e;
    ridge_status st;
    *out = (ridge_db_show_answer){.recursive = request->recursive};
    if ((st = ridge_db_find(&v.source, r, request->name, err)) || (st = ridge_db_describe(&out->entry, r, v.source, err)) ||
        (st = ridge_inherit_chain(&v.chain, r, v.source, err)) || (st = ridge_registry_entry(&e, r, v.source->key, err)))
        return st;
    out->class_name = e->class_name;
    out->overrides = v.source->overridden;
    out->code_location = json_text(&v, ridge_json_get(v.chain->json, "code_location"));
    if ((st = ridge_verdict_or_own(&v.validation, v.source, arena, err)))
        return st;
    out->validation = json_text(&v, v.validation);
    out->text = ridge_arena_strdup(arena, v.source->text);
    if ((st = add_identity(&v)) || (st = add_fields(&v)))
        return st;
    out->first_need = out->count;
    if ((st = add_needs(&v)))
        return st;
    out->first_user = out->count;
    return add_users(&v);
}

/* ---- how it is written ---- */

static void write_resolved(ridge_json_writer *w, const void *row)
{
    const ridge_db_show_answer *a = row;
    const char *section = of_entry;
    ridge_jw_object(w);
    for (const ridge_db_line *l = a->lines; l < a->lines + a->first_need; section = l++->section) {
        if (l->section != section && section != of_entry)
            ridge_jw_end_object(w);
        if (l->section != section) {
            ridge_jw_key(w, l->section);
            ridge_jw_object(w);
        }
        if (l->json) {
            ridge_jw_key(w, l->name);
            ridge_jw_raw(w, ridge_str_of(l->json));
        }
    }
    if (section != of_entry)
        ridge_jw_end_object(w);
    ridge_jw_end_object(w);
}

static const ridge_record_field line_fields[] = {
    RIDGE_R_TEXT(ridge_db_line, section, "section", NULL, RIDGE_IN_ALL, "the field that it is a member of; entry, needs, used by"),
    RIDGE_R_TEXT(ridge_db_line, name, "name", NULL, RIDGE_IN_ALL, "of a field, of a member, of another entry"),
    RIDGE_R_TEXT(ridge_db_line, value, "value", NULL, RIDGE_IN_ALL, "what it is, or a note on the other entry"),
    RIDGE_R_UNSIGNED(ridge_db_line, depth, "depth", NULL, RIDGE_IN_DATA, "of what is needed, below the first"),
};
const ridge_record ridge_db_line_record = RIDGE_RECORD(ridge_db_line, "line", line_fields, "something that is said of an entry");

#define ANSWER ridge_db_show_answer
static const ridge_record_field fields[] = {
    RIDGE_R_MEMBERS(ANSWER, entry, &ridge_db_entry_record),
    RIDGE_R_TEXT(ANSWER, class_name, "class", NULL, RIDGE_IN_JSON, "the class name that is printed"),
    RIDGE_R_BOOL(ANSWER, overrides, "overrides_builtin", NULL, RIDGE_IN_JSON, "does it replace another entry of its name?"),
    RIDGE_R_RAW(ANSWER, code_location, "code_location", NULL, RIDGE_IN_JSON, "where its source stands"),
    RIDGE_R_RAW(ANSWER, validation, "validation", NULL, RIDGE_IN_JSON, "who compared it with what"),
    RIDGE_R_RAW(ANSWER, text, "entry", NULL, RIDGE_IN_JSON, "as it stands in its file"),
    RIDGE_R_WRITTEN("resolved", write_resolved, "its fields after inheritance"),
    RIDGE_R_TEXTS(ANSWER, needs, "depends", NULL, RIDGE_IN_JSON, "the entries it needs itself"),
    RIDGE_R_TEXTS(ANSWER, all_needs, "depends_all", NULL, RIDGE_IN_JSON, "and all those that they need",
                  RIDGE_WHERE(ridge_db_show_answer, recursive)),
    RIDGE_R_TEXTS(ANSWER, users, "used_by", NULL, RIDGE_IN_JSON, "the entries that need it themselves"),
};
const ridge_record ridge_db_show_record = RIDGE_RECORD(ANSWER, "ridge db show", fields, "one entry in full");

static void others_text(ridge_buf *out, const ridge_db_line *lines, size_t count)
{
    for (const ridge_db_line *l = lines; l < lines + count; l++)
        ridge_buf_addf(out, l->value[0] != '\0' ? "  %*s%s  (%s)\n" : "  %*s%s\n", 2 * (int)(l->depth < DEEPEST ? l->depth : DEEPEST), "",
                       l->name, l->value);
}

void ridge_db_show_text(ridge_buf *out, const ridge_db_show_answer *a)
{
    const char *section = of_entry;
    size_t needs = a->first_user - a->first_need, users = a->count - a->first_user;
    ridge_buf_addf(out, "%s\n", a->entry.name);
    for (const ridge_db_line *l = a->lines; l < a->lines + a->first_need; section = l++->section) {
        if (l->section != section)
            ridge_buf_addf(out, "%s\n", l->section);
        ridge_buf_addf(out, "%s%-20s  ", l->section != of_entry ? "  " : "", l->name);
        ridge_buf_add_shown(out, ridge_str_of(l->value), 0);
        ridge_buf_addc(out, '\n');
    }
    if (a->recursive)
        ridge_buf_addz(out, "needs\n");
    else
        ridge_buf_addf(out, "needs (%zu)\n", needs);
    others_text(out, &a->lines[a->first_need], needs);
    ridge_buf_addf(out, "used by (%zu)\n", users);
    others_text(out, &a->lines[a->first_user], users);
}
