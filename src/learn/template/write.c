/* Drafts as JSON (docs/catalog.md). */
#include "learn/template/write.h"

#include "learn/template/terms.h"

/* ---- what modules are for ---- */

static const ridge_sketch *child_of(const ridge_sketch *s, const char *name)
{
    for (size_t i = 0; i < s->child_count; i++)
        if (strcmp(s->children[i].name, name) == 0)
            return s->children[i].alias ? NULL : s->children[i].module;
    return NULL;
}

/* a matrix: the same entry serves many purposes, which are said where it is invoked */
static bool is_said_by_part(const ridge_sketch *s)
{
    return s->role && s->child_count == 0 && strcmp(s->role, "norm") != 0 && strcmp(s->role, "attention") != 0;
}

/* Do all modules of the entry have the purpose of the first? Parts that variants have added are not known. */
static bool has_purpose(const ridge_draft *d)
{
    const ridge_sketch *first = d->instances[0];
    for (size_t k = 0; k < d->instance_count; k++) {
        const ridge_sketch *s = d->instances[k];
        if (!ridge_draft_same_text(s->role, first->role) || s->splits != first->splits || s->kv_heads.type != first->kv_heads.type ||
            (s->kv_heads.type != RIDGE_V_UNSET &&
             (!ridge_value_equal(s->kv_heads, first->kv_heads) || !ridge_value_equal(s->heads, first->heads))))
            return false;
        for (size_t i = 0; i < d->member_count; i++) {
            if (strcmp(d->members[i].section, "breakdown") != 0)
                continue;
            const ridge_sketch *a = child_of(first, d->members[i].key), *b = child_of(s, d->members[i].key);
            if (!a && !first->splits)
                continue; /* what says nothing of all its parts says nothing of this one */
            if (!a || !b || !ridge_draft_same_text(a->way, b->way) || !ridge_draft_same_text(a->role, b->role))
                return false;
        }
    }
    return true;
}

/* an elementwise part between the two matrices of a layer's wide part */
static bool is_between(const ridge_sketch *s)
{
    for (size_t i = 0; i < s->flops.n; i++)
        if (s->flops.p[i].what == RIDGE_FLOP_ACTIVATION)
            return s->weight_count == 0 && s->child_count == 0;
    return false;
}

static bool has_columns(const ridge_sketch *s)
{
    for (size_t i = 0; i < s->child_count; i++)
        if (ridge_draft_same_text(s->children[i].module->way, "columns"))
            return true;
    return false;
}

static const char *way_of(const ridge_sketch *child, const ridge_sketch *s)
{
    if (child->way)
        return child->way;
    if (!s->splits)
        return has_columns(s) && is_between(child) ? "share" : NULL;
    return ridge_draft_same_text(child->role, "norm") ? "whole" : NULL;
}

static void split(ridge_json_writer *w, const ridge_draft *d)
{
    const ridge_sketch *s = d->instances[0];
    bool any = false;
    for (size_t i = 0; i < s->child_count; i++)
        any |= !s->children[i].alias && s->children[i].module->way;
    if (!any)
        return;
    ridge_jw_key(w, "split");
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < s->child_count; i++) {
        const char *way = s->children[i].alias ? NULL : way_of(s->children[i].module, s);
        if (way)
            ridge_jw_member_text(w, s->children[i].name, way);
    }
    if (s->splits)
        ridge_jw_member_text(w, "*", "share");
    ridge_jw_end_object(w);
}

static ridge_status purpose(ridge_json_writer *w, const ridge_draft *d, const ridge_calc *calc)
{
    const ridge_sketch *s = d->instances[0];
    if (!has_purpose(d))
        return RIDGE_OK;
    if (s->role && !is_said_by_part(s))
        ridge_jw_member_text(w, "role", s->role);
    if (s->kv_heads.type != RIDGE_V_UNSET) {
        const char *H = ridge_draft_formula(s->heads, calc), *K = ridge_draft_formula(s->kv_heads, calc);
        const char *text = H && K ? ridge_arena_printf(calc->arena, "[%s, %s]", H, K) : NULL;
        if (!text)
            return ridge_no_memory(calc->err);
        ridge_jw_member_text(w, "heads", text);
    }
    split(w, d);
    return RIDGE_OK;
}

/* what a part says beside its expression: a role that the entry it invokes does not say */
static const char *extra_of(const ridge_draft *d, const ridge_draft_member *m, const ridge_calc *calc)
{
    const ridge_sketch *part = strcmp(m->section, "breakdown") == 0 ? child_of(d->instances[0], m->key) : NULL;
    if (!part || !is_said_by_part(part) || !has_purpose(d))
        return m->extra;
    return ridge_arena_printf(calc->arena, "%s, \"role\": \"%s\"", m->extra, part->role);
}

/* ---- members ---- */

/* an expression (`text`), or an object where there is more to say */
static ridge_status member(ridge_json_writer *w, const ridge_draft *d, const ridge_draft_member *m, const char *text, const ridge_calc *calc)
{
    const char *extra = extra_of(d, m, calc);
    if (!extra)
        return ridge_no_memory(calc->err);
    ridge_jw_key(w, m->key);
    if (!*extra) {
        ridge_jw_strz(w, text);
        return RIDGE_OK;
    }
    const char *json = *text ? ridge_arena_printf(calc->arena, "{\"use\": \"%s\"%s}", text, extra)
                             : ridge_arena_printf(calc->arena, "{%s}", extra + 2); /* an alias alone */
    if (!json)
        return ridge_no_memory(calc->err);
    ridge_jw_raw(w, ridge_str_of(json));
    return RIDGE_OK;
}

/* ---- fields ---- */

/* the formulas of all members, and the sizes that they share */
static ridge_status formulas(ridge_terms *terms, const ridge_draft *d, const ridge_calc *calc)
{
    *terms = (ridge_terms){.count = d->member_count, .parameters = d->parameters, .parameter_count = d->parameter_count};
    if (!(terms->texts = ridge_arena_array(calc->arena, d->member_count + 1, sizeof *terms->texts)))
        return ridge_no_memory(calc->err);
    for (size_t i = 0; i < d->member_count; i++)
        if (!(terms->texts[i] = ridge_draft_filled(d, &d->members[i], calc)))
            return ridge_no_memory(calc->err);
    return ridge_terms_share(terms, calc);
}

static void shared(ridge_json_writer *w, const ridge_terms *terms)
{
    if (terms->shared == 0)
        return;
    ridge_jw_key(w, "let");
    ridge_jw_object(w);
    for (size_t i = 0; i < terms->shared; i++)
        ridge_jw_member_text(w, terms->names[i], terms->formulas[i]);
    ridge_jw_end_object(w);
}

static ridge_status sections(ridge_json_writer *w, const ridge_draft *d, const ridge_calc *calc)
{
    static const char *const names[] = {"weights", "buffers", "flops", "reads", "writes", "cache", "breakdown"};
    ridge_terms terms;
    ridge_status st = formulas(&terms, d, calc);
    if (st)
        return st;
    shared(w, &terms);
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
            st = member(w, d, &d->members[i], terms.texts[i], calc);
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

static bool is_tied_always(const ridge_sketch_tie *tie, const ridge_template_text *about)
{
    for (size_t i = 0; i < about->always->tie_count; i++)
        if (strcmp(about->always->ties[i].path, tie->path) == 0 && strcmp(about->always->ties[i].target, tie->target) == 0)
            return true;
    return false;
}

static ridge_status tied(ridge_json_writer *w, const ridge_template_text *about)
{
    if (about->tie_count == 0)
        return RIDGE_OK;
    ridge_jw_key(w, "tied");
    ridge_jw_object(w);
    for (size_t i = 0; i < about->tie_count; i++) {
        const char *when = is_tied_always(&about->ties[i], about) ? NULL : about->tied_when;
        const char *text = ridge_arena_printf(about->calc->arena, "'%s'%s%s%s", about->ties[i].target, when ? " if " : "", when ? when : "",
                                              when ? " else None" : "");
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
    if ((st = sections(w, d, about->calc)) || (st = purpose(w, d, about->calc)) || (d == about->model && (st = tied(w, about))))
        return st;
    needs(w, d);
    ridge_jw_key(w, "validation");
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "status", ridge_validation_names[about->answered ? RIDGE_VALIDATION_PENDING : RIDGE_VALIDATION_DERIVED]);
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
