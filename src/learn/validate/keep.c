/* A verdict as the catalog keeps it: status, who compared what and when, and the rows that differ. */
#include "learn/validate/validate.h"

#include "catalog/verdict.h"

enum { ROWS = 20 };

static void write_difference(ridge_json_writer *w, const ridge_validate_case *c, const ridge_validate_difference *d)
{
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "config");
    ridge_jw_raw(w, ridge_str_of(c->config ? c->config : "null"));
    ridge_jw_member_text(w, "path", d->path);
    ridge_jw_member_text(w, "what", d->what);
    ridge_jw_member_text(w, "ours", d->ours);
    ridge_jw_member_text(w, "theirs", d->theirs);
    ridge_jw_end_object(w);
}

static void write_differences(ridge_json_writer *w, const ridge_validate_answer *a)
{
    size_t rows = 0;
    ridge_jw_key(w, "differences");
    ridge_jw_array(w);
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < a->cases[i].difference_count && rows < ROWS; k++, rows++)
            write_difference(w, &a->cases[i], &a->cases[i].differences[k]);
    ridge_jw_end_array(w);
}

/* "status": .., "validator": .., without the braces */
static const char *members(const ridge_validate_answer *a, ridge_arena *arena)
{
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_jw_object(&w);
    ridge_jw_member_text(&w, "status", a->status);
    ridge_jw_member_text(&w, "validator", a->validator);
    ridge_jw_member_text(&w, "date", a->date);
    ridge_jw_member_text(&w, "by", a->by);
    ridge_jw_member_whole(&w, "cases", (int64_t)a->ran);
    if (!a->validated)
        write_differences(&w, a);
    ridge_jw_end_object(&w);
    const char *whole = ridge_arena_take(arena, &text);
    const char *first = whole ? strchr(whole, '"') : NULL, *last = whole ? strrchr(whole, '}') : NULL;
    while (first && last > first && (last[-1] == '\n' || last[-1] == ' '))
        last--;
    return first && last > first ? ridge_arena_strdup(arena, (ridge_str){first, (size_t)(last - first)}) : NULL;
}

ridge_status ridge_validate_keep(ridge_validate_answer *a, ridge_registry *registry, ridge_arena *arena, ridge_err *err)
{
    const ridge_symbol *key = ridge_registry_key(registry, ridge_str_of(a->class_path));
    const ridge_source *source = key ? ridge_registry_find(registry, key) : NULL;
    if (!key || ridge_registry_failed(registry))
        return ridge_no_memory(err);
    if (!source)
        return RIDGE_OK;
    const char *text = members(a, arena);
    return text ? ridge_verdict_write(&a->kept, source, ridge_str_of(text), arena, err) : ridge_no_memory(err);
}
