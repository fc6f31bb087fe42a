#include "generate/walk.h"

typedef struct walker {
    ridge_expr_visit *visit;
    void *data;
} walker;

static ridge_status one(const walker *w, const ridge_expr *expr)
{
    return expr ? w->visit(w->data, expr, RIDGE_CONTEXT_FLOPS) : RIDGE_OK;
}

static ridge_status named(const walker *w, const ridge_named_list *list)
{
    return ridge_named_expressions(list, w->visit, w->data);
}

static ridge_status amounts(const walker *w, const ridge_amounts *list, bool formats)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < list->n && !st; i++)
        if (!(st = one(w, list->p[i].expr)) && formats)
            st = one(w, list->p[i].format);
    return st;
}

static ridge_status config(const walker *w, const ridge_config_spec *s)
{
    ridge_status st = named(w, &s->derived);
    for (size_t i = 0; i < s->check_count && !st; i++)
        st = one(w, s->checks[i].that);
    return st;
}

/* what a module is made of */
static ridge_status made_of(const walker *w, const ridge_entry *e)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < e->need_count && !st; i++)
        st = one(w, e->needs[i].that);
    if (st || (st = one(w, e->skip)) || (st = one(w, e->experts)) || (st = amounts(w, &e->weights, true)) ||
        (st = amounts(w, &e->buffers, true)) || (st = amounts(w, &e->cache, true)))
        return st;
    for (size_t i = 0; i < e->breakdown_count && !st; i++)
        st = ridge_component_expressions(&e->breakdown[i], w->visit, w->data);
    return st ? st : named(w, &e->tied);
}

ridge_status ridge_generated_expressions(const ridge_entry *e, ridge_expr_visit *visit, void *data)
{
    const walker w = {visit, data};
    const ridge_amounts *const costs[] = {&e->flops, &e->reads, &e->writes, &e->holds, &e->saved};
    ridge_status st = RIDGE_OK;
    if (e->config)
        return config(&w, e->config);
    for (size_t i = 0; i < e->parameter_count && !st; i++)
        st = one(&w, e->parameters[i].fallback);
    if (st || (st = named(&w, &e->lets)) || (st = one(&w, e->value)))
        return st;
    for (size_t i = 0; i < e->case_count && !st; i++)
        st = one(&w, e->cases[i].expr);
    if (st || e->kind == RIDGE_KIND_FORMULA || e->kind == RIDGE_KIND_CHOICE || (st = made_of(&w, e)))
        return st;
    for (size_t i = 0; i < sizeof costs / sizeof *costs && !st; i++)
        st = amounts(&w, costs[i], false);
    return st;
}

/* ---- names that loops change ---- */

static bool has_slot(const ridge_named_list *list, uint32_t slot)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->p[i].slot == slot)
            return true;
    return false;
}

static bool is_set_by(const ridge_component *c, uint32_t slot)
{
    bool found = (c->source && c->for_slot == slot) || has_slot(&c->start, slot) || has_slot(&c->spread, slot) || has_slot(&c->carry, slot);
    for (size_t i = 0; i < c->child_count && !found; i++)
        found = is_set_by(&c->children[i], slot);
    return found;
}

bool ridge_generated_is_changed(const ridge_entry *e, uint32_t slot)
{
    bool own = slot < e->parameter_count || has_slot(&e->lets, slot);
    for (size_t i = 0; i < e->weights.n; i++)
        own = own || e->weights.p[i].slot == slot;
    for (size_t i = 0; i < e->breakdown_count && own; i++)
        if (is_set_by(&e->breakdown[i], slot))
            return true;
    return false;
}
