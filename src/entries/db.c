#include "entries/db.h"

#include <stdlib.h>

#include "base/shown.h"
#include "catalog/verdict.h"

/* ---- one entry ---- */

static const char *const origins[] = {"built-in", "user", NULL};
static const char *const statuses[] = {"any", "none", RIDGE_VALIDATION_LIST(RIDGE_WORD_TEXT) NULL};
static const char *const kinds[] = {"any", RIDGE_KIND_LIST(RIDGE_WORD_TEXT) NULL};

/* a kind that is no word is told by `ridge db check` */
static ridge_kind kind_of(ridge_registry *r, ridge_source *source)
{
    ridge_ancestor *chain;
    if (ridge_inherit_chain(&chain, r, source, NULL))
        return RIDGE_KIND_MODULE;
    ridge_member kind = ridge_inherit_field(chain, "kind");
    for (int k = 0; kind.value && kind.value->type == RIDGE_JSON_STRING && k < RIDGE_KIND_COUNT; k++)
        if (ridge_str_is(kind.value->u.text, ridge_kind_names[k]))
            return (ridge_kind)k;
    return RIDGE_KIND_MODULE;
}

ridge_status ridge_db_describe(ridge_db_entry *out, ridge_registry *r, ridge_source *s, ridge_err *err)
{
    const ridge_json *json;
    const char *key = s->key->text, *end = strstr(key, "__");
    ridge_status st = ridge_registry_json(&json, r, s, err);
    if (st)
        return st;
    *out = (ridge_db_entry){.source = s,
                            .name = ridge_registry_path(r, s->key),
                            .key = key,
                            .kind = kind_of(r, s),
                            .library = {key, end ? (size_t)(end - key) : s->key->len},
                            .origin = s->origin,
                            .file = s->file,
                            .line = s->line};
    return out->name ? RIDGE_OK : ridge_no_memory(err);
}

/* of the class's own library, which another's form of the class is not */
static bool of_library(const ridge_source *s, const char *class_name)
{
    size_t n = strcspn(class_name, ".");
    return strncmp(s->key->text, class_name, n) == 0 && strncmp(s->key->text + n, "__", 2) == 0;
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
        const ridge_json *json, *class_name = ridge_registry_json(&json, r, all[i], NULL) ? NULL : ridge_json_get(json, "class");
        if (class_name && class_name->type == RIDGE_JSON_STRING && ridge_str_is(class_name->u.text, name)) {
            if (!*out)
                *out = all[i];
            if (of_library(all[i], name)) {
                *out = all[i];
                return RIDGE_OK;
            }
        }
    }
    return st || *out ? st : ridge_registry_entry(&e, r, key, err); /* UNKNOWN, with the nearest name */
}

static const ridge_record_field entry_fields[] = {
    RIDGE_R_TEXT(ridge_db_entry, name, "name", NULL, RIDGE_IN_ALL, "its dotted path"),
    RIDGE_R_TEXT(ridge_db_entry, key, "key", NULL, RIDGE_IN_DATA, "its key in a catalog file"),
    RIDGE_R_WORD(ridge_db_entry, kind, kinds + 1, "kind", NULL, RIDGE_IN_ALL, "module, function, formula, choice or config"),
    RIDGE_R_STR(ridge_db_entry, library, "library", NULL, RIDGE_IN_DATA, "the first part of its path"),
    RIDGE_R_WORD(ridge_db_entry, origin, origins, "origin", NULL, RIDGE_IN_ALL, "built-in, or the user's own"),
    RIDGE_R_TEXT(ridge_db_entry, file, "file", NULL, RIDGE_IN_DATA, "the catalog file"),
    RIDGE_R_UNSIGNED(ridge_db_entry, line, "line", NULL, RIDGE_IN_DATA, "its line there, from 1"),
};
const ridge_record ridge_db_entry_record = RIDGE_RECORD(ridge_db_entry, "entry", entry_fields, "a catalog entry");

/* ---- list ---- */

const ridge_option ridge_options_db_list[] = {
    RIDGE_CHOICE(ridge_db_list_request, kind, "kind", 'k', kinds, "entries of one kind"),
    RIDGE_STRING(ridge_db_list_request, library, "library", 'l', "NAME", "entries of one library: torch, transformers, ..."),
    RIDGE_CHOICE(ridge_db_list_request, status, "status", 0, statuses, "entries of one validation status; none: those that say nothing"),
    RIDGE_OPTION_END,
};

static bool has_status(const ridge_db_list_request *f, ridge_str status)
{
    return f->status == 0 || ridge_str_is(status.p ? status : RIDGE_STR("none"), statuses[f->status]);
}

static bool is_wanted(const ridge_db_list_request *f, const ridge_db_entry *e)
{
    return (f->kind == 0 || (int)e->kind == f->kind - 1) && (!f->library || ridge_str_is(e->library, f->library)) &&
           (!f->text || strcasestr(e->name, f->text) || strcasestr(e->key, f->text));
}

static int by_library(const void *a, const void *b)
{
    const ridge_db_entry *x = &((const ridge_db_row *)a)->entry, *y = &((const ridge_db_row *)b)->entry;
    size_t common = x->library.n < y->library.n ? x->library.n : y->library.n;
    int order = memcmp(x->library.p, y->library.p, common);
    if (order == 0 && x->library.n != y->library.n)
        order = x->library.n < y->library.n ? -1 : 1;
    return order != 0 ? order : strcmp(x->key, y->key);
}

ridge_status ridge_db_list_answer_make(ridge_db_list_answer *out, ridge_registry *r, const ridge_db_list_request *request,
                                       ridge_arena *arena, ridge_err *err)
{
    ridge_source **all;
    size_t count;
    ridge_status st = ridge_registry_all(&all, &count, r, err);
    if (st)
        return st;
    *out = (ridge_db_list_answer){.rows = ridge_arena_array(arena, count + 1, sizeof *out->rows)};
    if (!out->rows)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count && !st; i++) {
        ridge_db_row *row = &out->rows[out->count];
        if ((st = ridge_db_describe(&row->entry, r, all[i], err)) || !is_wanted(request, &row->entry))
            continue;
        const ridge_json *validation;
        if ((st = ridge_verdict_or_own(&validation, all[i], arena, err)))
            break;
        const ridge_json *status = ridge_json_get(validation, "status");
        row->validation = status && status->type == RIDGE_JSON_STRING ? status->u.text : (ridge_str){NULL, 0};
        if (!has_status(request, row->validation))
            continue;
        out->count++;
        out->by_kind[row->entry.kind]++;
        out->derived += ridge_str_is(row->validation, ridge_validation_names[RIDGE_VALIDATION_DERIVED]);
        out->validated += ridge_str_is(row->validation, ridge_validation_names[RIDGE_VALIDATION_VALIDATED]);
        out->user += row->entry.origin == RIDGE_ORIGIN_USER;
    }
    if (!st && out->count > 0)
        qsort(out->rows, out->count, sizeof *out->rows, by_library);
    return st;
}

static const ridge_record_field row_fields[] = {
    RIDGE_R_MEMBERS(ridge_db_row, entry, &ridge_db_entry_record),
    RIDGE_R_STR(ridge_db_row, validation, "validation", NULL, RIDGE_IN_ALL, "pending, derived, validated or failed, where it says so"),
};
const ridge_record ridge_db_row_record = RIDGE_RECORD(ridge_db_row, "listed entry", row_fields, "an entry in a list");

static const ridge_record_field list_fields[] = {
    RIDGE_R_LIST(ridge_db_list_answer, rows, count, &ridge_db_row_record, "entries", RIDGE_IN_JSON, "by library, then by key"),
    RIDGE_R_SIZE(ridge_db_list_answer, count, "count", NULL, RIDGE_IN_JSON, "how many there are"),
};
const ridge_record ridge_db_list_record = RIDGE_RECORD(ridge_db_list_answer, "ridge db list", list_fields, "entries of the catalog");

/* one library */
static void group_text(ridge_buf *out, const ridge_db_row *rows, size_t count)
{
    int width = 0;
    for (size_t i = 0; i < count; i++)
        width = (int)strlen(rows[i].entry.name) > width ? (int)strlen(rows[i].entry.name) : width;
    ridge_buf_add_shown(out, rows->entry.library, 0);
    ridge_buf_addf(out, " (%zu)\n", count);
    for (size_t i = 0; i < count; i++) {
        const ridge_db_entry *e = &rows[i].entry;
        ridge_str status = rows[i].validation.n > 0 ? rows[i].validation : RIDGE_STR("-");
        ridge_buf_addz(out, "  ");
        ridge_buf_add_shown(out, ridge_str_of(e->name), 0);
        ridge_buf_addf(out, "%*s  %-8s  %-9.*s  %s\n", width - (int)strlen(e->name), "", ridge_kind_names[e->kind], RIDGE_STR_ARG(status),
                       origins[e->origin]);
    }
    ridge_buf_addc(out, '\n');
}

void ridge_db_list_text(ridge_buf *out, const ridge_db_list_answer *a)
{
    for (size_t from = 0, to; from < a->count; from = to) {
        for (to = from + 1; to < a->count && ridge_str_eq(a->rows[from].entry.library, a->rows[to].entry.library);)
            to++;
        group_text(out, &a->rows[from], to - from);
    }
    ridge_buf_addf(out, "%zu %s", a->count, a->count == 1 ? "entry" : "entries");
    for (int k = 0; k < RIDGE_KIND_COUNT; k++)
        if (a->by_kind[k] > 0)
            ridge_buf_addf(out, ", %zu %s", a->by_kind[k], ridge_kind_names[k]);
    ridge_buf_addf(out, "; %zu validated, ", a->validated);
    if (a->derived > 0)
        ridge_buf_addf(out, "%zu derived, ", a->derived);
    ridge_buf_addf(out, "%zu of the user\n", a->user);
}

/* ---- export ---- */

ridge_status ridge_db_export(ridge_buf *out, ridge_registry *r, ridge_err *err)
{
    ridge_source **all;
    size_t count;
    ridge_json_writer w;
    ridge_status st = ridge_registry_all(&all, &count, r, err);
    if (st)
        return st;
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
