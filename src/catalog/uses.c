#include "catalog/uses.h"

typedef struct walker {
    ridge_expr_visit *visit;
    void *data;
    ridge_context context;
} walker;

static ridge_status one(const walker *w, const ridge_expr *expr)
{
    return expr ? w->visit(w->data, expr, w->context) : RIDGE_OK;
}

ridge_status ridge_named_expressions(const ridge_named_list *list, ridge_expr_visit *visit, void *data)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < list->n && !st; i++)
        if (list->p[i].expr)
            st = visit(data, list->p[i].expr, RIDGE_CONTEXT_FLOPS);
    return st;
}

static ridge_status named(const walker *w, const ridge_named_list *list)
{
    return ridge_named_expressions(list, w->visit, w->data);
}

static ridge_status amounts(const walker *w, const ridge_amounts *list)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < list->n && !st; i++)
        if (!(st = one(w, list->p[i].format)))
            st = one(w, list->p[i].expr);
    return st;
}

static ridge_status parameters(const walker *w, const ridge_parameter *p, size_t count)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < count && !st; i++)
        st = one(w, p[i].fallback);
    return st;
}

ridge_status ridge_component_expressions(const ridge_component *c, ridge_expr_visit *visit, void *data)
{
    const walker w = {visit, data, RIDGE_CONTEXT_FLOPS};
    ridge_status st;
    if ((st = one(&w, c->config)) || (st = named(&w, &c->start)) || (st = one(&w, c->source)) || (st = named(&w, &c->spread)) ||
        (st = one(&w, c->use)) || (st = one(&w, c->calls)) || (st = named(&w, &c->carry)) || (st = named(&w, &c->tied)))
        return st;
    for (size_t i = 0; i < c->child_count && !st; i++)
        st = ridge_component_expressions(&c->children[i], visit, data);
    return st;
}

static ridge_status config(const walker *w, const ridge_config_spec *s)
{
    ridge_status st = named(w, &s->derived);
    for (size_t i = 0; i < s->check_count && !st; i++)
        st = one(w, s->checks[i].that);
    if (st || (st = one(w, s->positions_max)) || (st = one(w, s->positions_learned)))
        return st;
    if ((st = one(w, s->image)) || (st = one(w, s->video_frames)) || (st = one(w, s->frames)))
        return st;
    return (st = one(w, s->samples)) ? st : one(w, s->seq);
}

static ridge_status flat(walker *w, const ridge_flat *f)
{
    ridge_status st = RIDGE_OK;
    for (unsigned c = 0; c <= RIDGE_CONTEXT_INTERMEDIATES && !st; c++) {
        w->context = (ridge_context)c;
        if (!(st = one(w, f->templates[c].expr)))
            st = parameters(w, f->templates[c].parameters, f->templates[c].parameter_count);
    }
    w->context = RIDGE_CONTEXT_FLOPS;
    return st ? st : named(w, &f->breakdown);
}

static ridge_status body(const walker *w, const ridge_entry *e)
{
    const ridge_amounts *const all[] = {&e->weights, &e->buffers, &e->cache, &e->flops, &e->reads, &e->writes, &e->holds, &e->saved};
    ridge_status st;
    if ((st = parameters(w, e->parameters, e->parameter_count)) || (st = named(w, &e->lets)) || (st = one(w, e->skip)) ||
        (st = one(w, e->value)))
        return st;
    for (size_t i = 0; i < sizeof all / sizeof *all && !st; i++)
        st = amounts(w, all[i]);
    for (size_t i = 0; i < e->need_count && !st; i++)
        st = one(w, e->needs[i].that);
    for (size_t i = 0; i < e->breakdown_count && !st; i++)
        st = ridge_component_expressions(&e->breakdown[i], w->visit, w->data);
    for (size_t i = 0; i < e->fused_count && !st; i++)
        st = one(w, e->fused[i].by);
    for (size_t i = 0; i < e->case_count && !st; i++)
        st = one(w, e->cases[i].expr);
    return st ? st : named(w, &e->tied);
}

ridge_status ridge_entry_expressions(const ridge_entry *e, ridge_expr_visit *visit, void *data)
{
    walker w = {visit, data, RIDGE_CONTEXT_FLOPS};
    if (e->flat)
        return flat(&w, e->flat);
    ridge_status st = body(&w, e);
    return !st && e->config ? config(&w, e->config) : st;
}

/* ---- calls ---- */

typedef struct calls {
    ridge_use *p;
    size_t n, cap;
    ridge_arena *arena;
    ridge_err *err;
} calls;

static ridge_status add_calls(void *data, const ridge_expr *expr, ridge_context context)
{
    calls *c = data;
    ridge_module_use *uses;
    size_t count;
    ridge_status st = ridge_expr_modules(&uses, &count, expr, c->arena, c->err);
    for (size_t i = 0; i < count && !st; i++) {
        if (!ridge_arena_more(c->arena, &c->p, c->n, &c->cap, sizeof *c->p))
            return ridge_no_memory(c->err);
        c->p[c->n++] = (ridge_use){expr, context, uses[i]};
    }
    return st;
}

ridge_status ridge_entry_calls(ridge_use **out, size_t *count, const ridge_entry *e, ridge_arena *arena, ridge_err *err)
{
    calls c = {NULL, 0, 0, arena, err};
    ridge_status st = ridge_entry_expressions(e, add_calls, &c);
    *out = c.p;
    *count = c.n;
    return st;
}

/* ---- needs ---- */

typedef struct needs {
    const ridge_symbol **p;
    size_t n, cap;
    ridge_arena *arena;
    ridge_err *err;
} needs;

static ridge_status need(needs *list, const ridge_symbol *key)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->p[i] == key)
            return RIDGE_OK;
    list->p = ridge_arena_grow(list->arena, list->p, list->n, &list->cap, list->n + 1, sizeof *list->p);
    if (!key || !list->p)
        return ridge_no_memory(list->err);
    list->p[list->n++] = key;
    return RIDGE_OK;
}

ridge_status ridge_entry_needs(const ridge_symbol ***out, size_t *count, ridge_registry *r, const ridge_entry *e, ridge_arena *arena,
                               ridge_err *err)
{
    const ridge_json *up = ridge_json_get(e->source->json, "inherits");
    needs list = {NULL, 0, 0, arena, err};
    ridge_use *uses;
    size_t n;
    ridge_status st = ridge_entry_calls(&uses, &n, e, arena, err);
    if (!st && up && up->type == RIDGE_JSON_STRING)
        st = need(&list, ridge_registry_key(r, up->u.text));
    for (size_t i = 0; i < n && !st; i++)
        st = need(&list, uses[i].call.module);
    for (size_t i = 0; e->config && i < e->config->default_count && !st; i++)
        if (e->config->defaults[i].sub_key)
            st = need(&list, e->config->defaults[i].sub_key);
    for (size_t i = 0; e->config && i < e->config->class_count && !st; i++)
        if (e->config->classes[i].entry)
            st = need(&list, e->config->classes[i].entry);
    *out = list.p;
    *count = list.n;
    return st;
}
