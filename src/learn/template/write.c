/* Drafts as JSON (docs/catalog.md). */
#include "learn/template/write.h"

/* ---- members ---- */

/* an expression, or an object where there is more to say */
static ridge_status member(ridge_json_writer *w, const ridge_draft *d, const ridge_draft_member *m, const ridge_calc *calc)
{
    const char *text = ridge_draft_filled(d, m, calc);
    if (!text)
        return ridge_no_memory(calc->err);
    ridge_jw_key(w, m->key);
    if (!*m->extra) {
        ridge_jw_strz(w, text);
        return RIDGE_OK;
    }
    const char *json = *text ? ridge_arena_printf(calc->arena, "{\"use\": \"%s\"%s}", text, m->extra)
                             : ridge_arena_printf(calc->arena, "{%s}", m->extra + 2); /* an alias alone */
    if (!json)
        return ridge_no_memory(calc->err);
    ridge_jw_raw(w, ridge_str_of(json));
    return RIDGE_OK;
}

/* ---- fields ---- */

static ridge_status sections(ridge_json_writer *w, const ridge_draft *d, const ridge_calc *calc)
{
    static const char *const names[] = {"weights", "buffers", "flops", "reads", "writes", "cache", "breakdown"};
    ridge_status st = RIDGE_OK;
    for (size_t k = 0; k < sizeof names / sizeof *names && !st; k++) {
        bool open = false;
        for (size_t i = 0; i < d->member_count && !st; i++) {
            if (strcmp(d->members[i].section, names[k]) != 0)
                continue;
            if (!open) {
                ridge_jw_key(w, names[k]);
                ridge_jw_object(w);
                open = true;
            }
            st = member(w, d, &d->members[i], calc);
        }
        if (open)
            ridge_jw_end_object(w);
    }
    return st;
}

static void location(ridge_json_writer *w, const ridge_draft *d, const ridge_template_text *about)
{
    ridge_package_place place;
    if (d->instances[0]->container || !ridge_package_place_of(&place, d->instances[0]->module->instance->class, about->package))
        return;
    ridge_jw_key(w, "code_location");
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "file", place.shown);
    ridge_jw_member_whole(w, "line_start", place.first);
    ridge_jw_member_whole(w, "line_end", place.last);
    ridge_jw_end_object(w);
    ridge_jw_key(w, "source");
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "sha256", place.lines_sha256);
    if (about->library)
        ridge_jw_member_text(w, "library", about->library);
    if (about->version)
        ridge_jw_member_text(w, "version", about->version);
    ridge_jw_end_object(w);
}

static ridge_status tied(ridge_json_writer *w, const ridge_template_text *about)
{
    if (about->tie_count == 0)
        return RIDGE_OK;
    ridge_jw_key(w, "tied");
    ridge_jw_object(w);
    for (size_t i = 0; i < about->tie_count; i++) {
        const char *text = ridge_arena_printf(about->calc->arena, "'%s'%s%s%s", about->ties[i].target, about->tied_when ? " if " : "",
                                              about->tied_when ? about->tied_when : "", about->tied_when ? " else None" : "");
        if (!text)
            return ridge_no_memory(about->calc->err);
        ridge_jw_member_text(w, about->ties[i].path, text);
    }
    ridge_jw_end_object(w);
    return RIDGE_OK;
}

static void needs(ridge_json_writer *w, const ridge_draft *d)
{
    if (d->need_count == 0 && !d->unknown)
        return;
    ridge_jw_key(w, "holds_when");
    ridge_jw_array(w);
    for (size_t i = 0; i < d->need_count + (d->unknown ? 1 : 0); i++) {
        bool never = i == d->need_count;
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "that", never ? "False" : d->needs[i].that);
        ridge_jw_member_text(w, "why", never ? d->unknown : d->needs[i].why);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static ridge_status entry(ridge_json_writer *w, const ridge_draft *d, const ridge_template_text *about)
{
    const char *words = ridge_draft_words(d, about->calc);
    ridge_status st;
    if (!words)
        return ridge_no_memory(about->calc->err);
    ridge_jw_key(w, d->key);
    ridge_jw_object(w);
    ridge_jw_member_text(w, "class", d->class_path);
    ridge_jw_key(w, "inherits"); /* where it replaces an entry, all of that one */
    ridge_jw_null(w);
    location(w, d, about);
    ridge_jw_member_text(w, "thinking", words);
    ridge_jw_key(w, "parameters");
    ridge_jw_array_compact(w);
    for (size_t i = 0; i < d->parameter_count; i++)
        ridge_jw_strz(w, d->parameters[i]);
    ridge_jw_end_array(w);
    if ((st = sections(w, d, about->calc)) || (d == about->model && (st = tied(w, about))))
        return st;
    needs(w, d);
    ridge_jw_key(w, "validation");
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "status", about->answered ? "pending" : "derived");
    ridge_jw_member_text(w, "validator", about->answered ? "ridge learn --agent" : "ridge learn");
    if (about->answered && d == about->model) {
        ridge_jw_key(w, "answers");
        ridge_jw_raw(w, ridge_str_of(about->answered));
    }
    ridge_jw_end_object(w);
    ridge_jw_end_object(w);
    return RIDGE_OK;
}

ridge_status ridge_template_write(ridge_json_writer *w, const ridge_drafts *drafts, const ridge_template_text *about)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = drafts->count; i-- > 0 && !st;) /* the model first, what it is made of after it */
        st = entry(w, drafts->p[i], about);
    return st;
}
