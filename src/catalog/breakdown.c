/* Compiles an entry's breakdown: components in registration order, and the fusion rules over them. */
#include "catalog/compile.h"

static ridge_status component(ridge_compiler *c, ridge_component *out, const ridge_member *m);

static ridge_status named_object(ridge_compiler *c, ridge_named_list *out, const ridge_ancestor *from, const ridge_json *object, bool slots)
{
    ridge_member small[16], *m = small;
    if (!object)
        return RIDGE_OK;
    if (object->type != RIDGE_JSON_OBJECT)
        return ridge_compile_wrong(c, from, object, "want an object: name to formula");
    if (object->count > 16 && !(m = ridge_compile_array(c, object->count, sizeof *m)))
        return RIDGE_NOMEM;
    for (uint32_t i = 0; i < object->count; i++)
        m[i] = (ridge_member){object->u.members[i].key, &object->u.members[i].value, from, 0, 0};
    return ridge_compile_named(c, out, m, object->count, slots);
}

/* "i in range(n)" */
static ridge_status loop(ridge_compiler *c, ridge_component *out, const ridge_ancestor *from, const ridge_json *at)
{
    const ridge_symbol *name;
    ridge_str text = at->u.text;
    size_t n = 0;
    if (at->type != RIDGE_JSON_STRING)
        return ridge_compile_wrong(c, from, at, "'for' is a string like \"i in range(n)\"");
    while (n < text.n && text.p[n] != ' ')
        n++;
    if (n == 0 || text.n < n + 4 || memcmp(text.p + n, " in ", 4) != 0)
        return ridge_compile_wrong(c, from, at, "'for' is a string like \"i in range(n)\"");
    ridge_status st = ridge_compile_text(c, &out->source, from, at, (ridge_str){text.p + n + 4, text.n - n - 4});
    return st ? st : ridge_compile_slot(c, &out->for_slot, &name, (ridge_str){text.p, n});
}

static ridge_status flop_class(ridge_compiler *c, ridge_component *out, const ridge_ancestor *from, const ridge_json *at)
{
    out->flop_class = at->type == RIDGE_JSON_STRING ? ridge_compile_word(at->u.text, ridge_flop_names, RIDGE_FLOP_COUNT) : -1;
    return out->flop_class < 0 ? ridge_compile_wrong(c, from, at, "'class' is one of matmul, attention, activation, embedding, other")
                               : RIDGE_OK;
}

static ridge_status children(ridge_compiler *c, ridge_component *out, const ridge_ancestor *from, const ridge_json *object)
{
    ridge_status st = RIDGE_OK;
    if (object->type != RIDGE_JSON_OBJECT || !out->container)
        return ridge_compile_wrong(c, from, object, "'children' is an object and wants a 'container'");
    if (!(out->children = ridge_compile_array(c, object->count, sizeof *out->children)))
        return RIDGE_NOMEM;
    for (uint32_t i = 0; i < object->count && !st; i++) {
        const ridge_json_member *jm = &object->u.members[i];
        st = ridge_compile_tolerate(c, component(c, &out->children[i], &(ridge_member){jm->key, &jm->value, from, jm->line, jm->col}));
    }
    out->child_count = object->count;
    return st;
}

static ridge_status check_keys(ridge_compiler *c, const ridge_ancestor *from, const ridge_json *object)
{
    static const char *const known[] = {"use",   "for",   "container", "start", "carry",    "spread", "calls",  "called",   "children",
                                        "alias", "class", "config",    "tied",  "thinking", "role",   "prefix", "per_token"};
    for (uint32_t i = 0; i < object->count; i++) {
        const ridge_json_member *m = &object->u.members[i];
        if (ridge_compile_word(m->key, known, sizeof known / sizeof *known) >= 0)
            continue;
        const char *near = ridge_compile_nearest(m->key, known, sizeof known / sizeof *known);
        ridge_status st = ridge_inherit_fail(c->err, RIDGE_NAME, from, &m->value, "unknown key '%.*s' in a component%s%s%s",
                                             RIDGE_STR_ARG(m->key), RIDGE_MEANT(near));
        if ((st = ridge_compile_tolerate(c, st)))
            return st;
    }
    return RIDGE_OK;
}

static ridge_status strings(ridge_compiler *c, ridge_component *out, const ridge_ancestor *from, const ridge_json *object)
{
    const ridge_json *container = ridge_json_get(object, "container"), *alias = ridge_json_get(object, "alias");
    const ridge_json *prefix = ridge_json_get(object, "prefix");
    if ((container && container->type != RIDGE_JSON_STRING) || (alias && alias->type != RIDGE_JSON_STRING) ||
        (prefix && prefix->type != RIDGE_JSON_STRING))
        return ridge_compile_wrong(c, from, object, "'container', 'prefix' and 'alias' are strings");
    if (prefix &&
        (!container || !ridge_json_get(object, "for") || prefix->u.text.n == 0 || memchr(prefix->u.text.p, '.', prefix->u.text.n)))
        return ridge_compile_wrong(c, from, prefix,
                                   "'prefix' is what stands before the number in the names of a 'container' with 'for', without dots");
    if ((container && !(out->container = ridge_arena_strdup(c->arena, container->u.text))) ||
        (prefix && !(out->prefix = ridge_arena_strdup(c->arena, prefix->u.text))))
        return ridge_no_memory(c->err);
    if (alias)
        out->alias = alias->u.text;
    const ridge_json *called = ridge_json_get(object, "called");
    out->called = called && called->type == RIDGE_JSON_TRUE;
    out->not_called = called && called->type == RIDGE_JSON_FALSE;
    return RIDGE_OK;
}

/* names first (start, spread, the loop's), then the formulas that use them */
static ridge_status object_component(ridge_compiler *c, ridge_component *out, const ridge_ancestor *from, const ridge_json *o)
{
    const ridge_json *v;
    ridge_status st;
    if ((st = check_keys(c, from, o)) || (st = strings(c, out, from, o)))
        return st;
    if ((v = ridge_json_get(o, "class")) && (st = flop_class(c, out, from, v)))
        return st;
    if ((v = ridge_json_get(o, "role")) && (st = ridge_compile_role(c, &out->role, from, v)))
        return st;
    if ((v = ridge_json_get(o, "config")) && (st = ridge_compile_expr(c, &out->config, from, v)))
        return st;
    if ((st = named_object(c, &out->start, from, ridge_json_get(o, "start"), true)))
        return st;
    if ((v = ridge_json_get(o, "for")) && (st = loop(c, out, from, v)))
        return st;
    if ((st = named_object(c, &out->spread, from, ridge_json_get(o, "spread"), true)) ||
        (st = named_object(c, &out->carry, from, ridge_json_get(o, "carry"), true)) ||
        (st = named_object(c, &out->tied, from, ridge_json_get(o, "tied"), false)))
        return st;
    if ((v = ridge_json_get(o, "use")) && (st = ridge_compile_expr(c, &out->use, from, v)))
        return st;
    if ((v = ridge_json_get(o, "calls")) && (st = ridge_compile_expr(c, &out->calls, from, v)))
        return st;
    if ((v = ridge_json_get(o, "per_token")) && (st = ridge_compile_expr(c, &out->per_token, from, v)))
        return st;
    if ((v = ridge_json_get(o, "children")))
        return children(c, out, from, v);
    if (!out->use && !out->alias.n)
        return ridge_compile_wrong(c, from, o, "a component wants 'use', 'children' or 'alias'");
    return RIDGE_OK;
}

static ridge_status component(ridge_compiler *c, ridge_component *out, const ridge_member *m)
{
    out->flop_class = -1;
    out->file = m->from->source->file;
    out->line = ridge_inherit_line(m->from, m->value->line);
    out->col = ridge_inherit_col(m->from, m->value->line, m->value->col);
    if (!(out->name = ridge_intern(&c->registry->symbols, m->key)))
        return ridge_no_memory(c->err);
    if (m->value->type == RIDGE_JSON_OBJECT)
        return object_component(c, out, m->from, m->value);
    return ridge_compile_expr(c, &out->use, m->from, m->value);
}

/* {"replaces": [names], "by": formula}; "*" is every component */
static ridge_status fusion(ridge_compiler *c, ridge_fusion *out, const ridge_entry *e, const ridge_ancestor *from, const ridge_json *o)
{
    const ridge_json *names = ridge_json_get(o, "replaces"), *by = ridge_json_get(o, "by"), *kernel = ridge_json_get(o, "kernel");
    const ridge_json *flops = ridge_json_get(o, "flops");
    if (!names || names->type != RIDGE_JSON_ARRAY)
        return ridge_compile_wrong(c, from, o, "a 'fused' rule is {\"replaces\": [names], \"by\": formula}");
    if (!(out->replaces = ridge_compile_array(c, e->breakdown_count, sizeof *out->replaces)))
        return RIDGE_NOMEM;
    for (uint32_t i = 0; i < names->count; i++) {
        const ridge_json *n = &names->u.items[i];
        bool found = false;
        for (size_t k = 0; k < e->breakdown_count && n->type == RIDGE_JSON_STRING; k++)
            if (ridge_str_is(n->u.text, "*") || (e->breakdown[k].name && ridge_str_is(n->u.text, e->breakdown[k].name->text)))
                out->replaces[k] = found = true;
        if (!found)
            return ridge_compile_wrong(c, from, n, "'replaces' names a component that the breakdown does not have");
    }
    out->computes = flops && flops->type == RIDGE_JSON_TRUE;
    if (flops && (!out->computes || !by || by->type == RIDGE_JSON_NULL))
        return ridge_compile_wrong(c, from, flops, "'flops' of a 'fused' rule is true, and wants 'by'");
    ridge_status st = by && by->type != RIDGE_JSON_NULL ? ridge_compile_expr(c, &out->by, from, by) : RIDGE_OK;
    return st || !kernel ? st : ridge_compile_runs(c, &out->runs, from, kernel);
}

ridge_status ridge_compile_breakdown(ridge_compiler *c, ridge_entry *e)
{
    ridge_members m;
    ridge_member fused = ridge_inherit_field(c->chain, "fused");
    ridge_status st = ridge_inherit_members(&m, c->chain, "breakdown", c->err);
    if (st)
        return st;
    if (!(e->breakdown = ridge_compile_array(c, m.n, sizeof *e->breakdown)))
        return RIDGE_NOMEM;
    for (size_t i = 0; i < m.n && !st; i++)
        st = ridge_compile_tolerate(c, component(c, &e->breakdown[i], &m.p[i]));
    e->breakdown_count = m.n;
    if (st || !fused.value)
        return st;
    if (fused.value->type != RIDGE_JSON_ARRAY)
        return ridge_compile_wrong(c, fused.from, fused.value, "'fused' is a list of rules");
    e->fused_count = fused.value->count;
    if (!(e->fused = ridge_compile_array(c, e->fused_count, sizeof *e->fused)))
        return RIDGE_NOMEM;
    for (size_t i = 0; i < e->fused_count && !st; i++)
        st = ridge_compile_tolerate(c, fusion(c, &e->fused[i], e, fused.from, &fused.value->u.items[i]));
    return st;
}
