#include "catalog/inherit.h"

#include <stdio.h>

#define CHAIN_LIMIT   16
#define MEMBERS_LIMIT 4096      /* of a field: merging looks each up among the others */
#define PARTS_LIMIT   (1 << 20) /* of a breakdown into which nothing is merged: a graph has a node for each */

unsigned ridge_inherit_line(const ridge_ancestor *from, unsigned line)
{
    return from->source->line + line - 1;
}

unsigned ridge_inherit_col(const ridge_ancestor *from, unsigned line, unsigned col)
{
    return line == 1 ? from->source->col + col - 1 : col;
}

ridge_status ridge_inherit_fail(ridge_err *err, ridge_status code, const ridge_ancestor *from, const ridge_json *at, const char *fmt, ...)
{
    char msg[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    ridge_status st = ridge_fail_at(err, code, from->source->file, ridge_inherit_line(from, at->line),
                                    ridge_inherit_col(from, at->line, at->col), "%s: %s", from->source->key->text, msg);
    if (at->begin)
        ridge_err_excerpt(err, from->source->text.p, from->source->text.n, (size_t)(at->begin - from->source->text.p),
                          (size_t)(at->end - at->begin));
    return st;
}

/* What two keys do not share: the common end, from its first capital on, is the class's role (DecoderLayer); before it stands the family.
 */
static ridge_rename family(ridge_str from, ridge_str to)
{
    size_t same = 0;
    while (same < from.n && same < to.n && from.p[from.n - 1 - same] == to.p[to.n - 1 - same])
        same++;
    while (same > 0 && !(from.p[from.n - same] >= 'A' && from.p[from.n - same] <= 'Z'))
        same--;
    return (ridge_rename){{from.p, from.n - same}, {to.p, to.n - same}};
}

static ridge_str text_of(const ridge_symbol *s)
{
    return (ridge_str){s->text, s->len};
}

/* renames of the parent: its own family to the heir's, then whatever the heir's text undergoes */
static ridge_status link_parent(ridge_ancestor *a, ridge_ancestor *heir, ridge_err *err)
{
    a->rename_count = heir->rename_count + 1;
    a->renames = ridge_arena_array(&a->registry->arena, a->rename_count, sizeof *a->renames);
    if (!a->renames)
        return ridge_no_memory(err);
    a->renames[0] = family(text_of(a->source->key), text_of(heir->source->key));
    for (size_t i = 0; i < heir->rename_count; i++)
        a->renames[i + 1] = heir->renames[i];
    heir->parent = a;
    return RIDGE_OK;
}

/* CYCLE, printing the way from `again` to itself */
static ridge_status cycle(const ridge_ancestor *first, const ridge_ancestor *last, const ridge_source *again, const ridge_json *at,
                          ridge_err *err)
{
    ridge_buf text = {0};
    while (first->source != again)
        first = first->parent;
    for (; first; first = first->parent)
        ridge_buf_addf(&text, "%s -> ", ridge_registry_path(first->registry, first->source->key));
    ridge_status st = ridge_inherit_fail(err, RIDGE_CYCLE, last, at, "inheritance cycle: %s%s", text.p ? text.p : "",
                                         ridge_registry_path(last->registry, again->key));
    ridge_buf_free(&text);
    return st;
}

static bool is_in_chain(const ridge_ancestor *a, const ridge_source *source)
{
    while (a && a->source != source)
        a = a->parent;
    return a;
}

ridge_status ridge_inherit_chain(ridge_ancestor **out, ridge_registry *r, ridge_source *source, ridge_err *err)
{
    ridge_ancestor *heir = NULL;
    for (int depth = 0;; depth++) {
        ridge_ancestor *a = ridge_arena_alloc(&r->arena, sizeof *a);
        if (!a)
            return ridge_no_memory(err);
        a->registry = r;
        a->source = source;
        ridge_status st = ridge_registry_json(&a->json, r, source, err);
        if (st || (heir && (st = link_parent(a, heir, err))))
            return st;
        if (!heir)
            *out = a;
        const ridge_json *up = ridge_json_get(a->json, "inherits");
        if (!up && (source = source->origin == RIDGE_ORIGIN_USER ? ridge_source_replaced(source) : NULL)) {
            a->implied = true;
            heir = a;
            continue;
        }
        if (!up || up->type == RIDGE_JSON_NULL)
            return RIDGE_OK;
        if (up->type != RIDGE_JSON_STRING)
            return ridge_inherit_fail(err, RIDGE_TYPE, a, up, "'inherits' names one entry");
        const ridge_symbol *key = ridge_registry_key(r, up->u.text);
        ridge_source *parent = key ? ridge_registry_find(r, key) : NULL;
        if (parent == source) /* an override of itself builds on what it replaces */
            parent = source->overridden;
        if (!key || ridge_registry_failed(r))
            return ridge_no_memory(err);
        if (!parent)
            return ridge_inherit_fail(err, RIDGE_UNKNOWN, a, up, "inherits '%.*s', which is not in the catalog", RIDGE_STR_ARG(up->u.text));
        if (is_in_chain(*out, parent))
            return cycle(*out, a, parent, up, err);
        if (depth >= CHAIN_LIMIT)
            return ridge_inherit_fail(err, RIDGE_LIMIT, a, up, "inherits through more than %d others", CHAIN_LIMIT);
        source = parent;
        heir = a;
    }
}

static bool is_identity(const char *field)
{
    static const char *const own[] = {"class", "module_path", "code_location", "thinking", "validation", "examples"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], field) == 0)
            return true;
    return false;
}

/* Of an override with parts of its own, what the built-in one says of its parts does not hold. A class is the same class. */
static const ridge_ancestor *heir_of(const ridge_ancestor *a, const char *field)
{
    static const char *const of_breakdown[] = {"fused", "tied", "split", "heads", "kernel"};
    if (a->implied && strcmp(field, "class") == 0)
        return a->parent;
    if (is_identity(field))
        return NULL;
    for (size_t i = 0; a->implied && i < sizeof of_breakdown / sizeof *of_breakdown; i++)
        if (strcmp(of_breakdown[i], field) == 0 && ridge_json_get(a->json, "breakdown"))
            return NULL;
    return a->parent;
}

ridge_member ridge_inherit_field(const ridge_ancestor *chain, const char *field)
{
    for (const ridge_ancestor *a = chain; a; a = heir_of(a, field)) {
        const ridge_json *v = ridge_json_get(a->json, field);
        if (v)
            return (ridge_member){ridge_str_of(field), v, a, v->line, v->col};
    }
    return (ridge_member){.from = chain};
}

static ridge_status push(ridge_members *list, ridge_member m, const ridge_ancestor *a, ridge_err *err)
{
    if (!ridge_arena_more(&a->registry->arena, &list->p, list->n, &list->cap, sizeof *list->p))
        return ridge_no_memory(err);
    list->p[list->n++] = m;
    return RIDGE_OK;
}

static ridge_status check_members(const ridge_ancestor *a, const ridge_json *object, uint32_t limit, ridge_err *err)
{
    if (object->type != RIDGE_JSON_OBJECT)
        return ridge_inherit_fail(err, RIDGE_TYPE, a, object, "want an object here, not %s", ridge_json_type_name(object->type));
    if (object->count > limit)
        return ridge_inherit_fail(err, RIDGE_LIMIT, a, object, "%u members: at most %u", object->count, limit);
    return RIDGE_OK;
}

static ridge_status append_all(ridge_members *out, const ridge_ancestor *a, const ridge_json *object, uint32_t limit, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if ((st = check_members(a, object, limit, err)))
        return st;
    for (uint32_t i = 0; i < object->count && !st; i++) {
        const ridge_json_member *m = &object->u.members[i];
        st = push(out, (ridge_member){m->key, &m->value, a, m->line, m->col}, a, err);
    }
    return st;
}

/* a known name is replaced in place, a new one appended, null removes (but a default may be null) */
static ridge_status merge(ridge_members *out, const ridge_ancestor *a, const ridge_json *object, bool null_removes, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if ((st = check_members(a, object, out->n > MEMBERS_LIMIT ? 0 : MEMBERS_LIMIT, err)))
        return st;
    for (uint32_t i = 0; i < object->count && !st; i++) {
        const ridge_json_member *m = &object->u.members[i];
        size_t k = 0;
        while (k < out->n && !ridge_str_eq(out->p[k].key, m->key))
            k++;
        if (m->value.type == RIDGE_JSON_NULL && null_removes) {
            for (; k + 1 < out->n; k++)
                out->p[k] = out->p[k + 1];
            if (k + 1 == out->n)
                out->n--;
        } else if (k < out->n) {
            out->p[k] = (ridge_member){m->key, &m->value, a, m->line, m->col};
        } else {
            st = push(out, (ridge_member){m->key, &m->value, a, m->line, m->col}, a, err);
        }
    }
    return st;
}

static ridge_status gather(ridge_members *out, const ridge_ancestor *a, const char *field, const char *plus, ridge_err *err)
{
    const ridge_json *own = ridge_json_get(a->json, field), *more = ridge_json_get(a->json, plus);
    ridge_status st = RIDGE_OK;
    if (own)
        st = append_all(out, a, own, strcmp(field, "breakdown") == 0 ? PARTS_LIMIT : MEMBERS_LIMIT, err);
    else if (heir_of(a, field))
        st = gather(out, a->parent, field, plus, err);
    return st || !more ? st : merge(out, a, more, strcmp(field, "defaults") != 0, err);
}

ridge_status ridge_inherit_members(ridge_members *out, const ridge_ancestor *chain, const char *field, ridge_err *err)
{
    char plus[64];
    *out = (ridge_members){NULL, 0, 0};
    snprintf(plus, sizeof plus, "%s+", field);
    return gather(out, chain, field, plus, err);
}

const ridge_symbol *ridge_inherit_reference(const ridge_ancestor *from, ridge_str name)
{
    ridge_registry *r = from->registry;
    const ridge_symbol *key = ridge_registry_key(r, name);
    char text[512];
    for (size_t i = 0; key && i < from->rename_count; i++) {
        const ridge_rename *rn = &from->renames[i];
        if (key->len < rn->from.n || memcmp(key->text, rn->from.p, rn->from.n) != 0)
            continue;
        int n = snprintf(text, sizeof text, "%.*s%s", RIDGE_STR_ARG(rn->to), key->text + rn->from.n);
        if (n <= 0 || (size_t)n >= sizeof text)
            continue;
        const ridge_symbol *heir = ridge_intern(&r->symbols, (ridge_str){text, (size_t)n});
        if (heir && ridge_registry_find(r, heir))
            key = heir;
    }
    return key;
}
