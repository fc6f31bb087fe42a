/* Invocations of entries of the flat published form: nodes that hold arguments; cost/flat.h evaluates their templates. */
#include "graph/build.h"

static bool same(const ridge_node *n, const ridge_graph *g, const ridge_entry *e, const ridge_value *frame, size_t count)
{
    if (n->entry != e || n->config != g->run.config || n->context != g->context)
        return false;
    for (size_t i = 0; i < count; i++)
        if (n->args[i].type != frame[i].type || !ridge_value_equal(n->args[i], frame[i]))
            return false;
    return true;
}

ridge_status ridge_graph_flat(ridge_value *out, ridge_graph *g, const ridge_entry *e, const ridge_argument *args, size_t count)
{
    const ridge_template *t = g->context <= RIDGE_CONTEXT_INTERMEDIATES ? &e->flat->templates[g->context] : NULL;
    ridge_value *frame;
    ridge_status st;
    if (t && t->fault) { /* told where it stands */
        if (g->err && !g->err->code)
            *g->err = *t->fault;
        return t->fault->code;
    }
    if (!t || !t->expr)
        return ridge_fail(g->err, RIDGE_UNKNOWN, "%s does not say its %s", ridge_registry_path(g->registry, e->key),
                          ridge_context_names[g->context]);
    size_t room = e->slots > t->parameter_count ? e->slots : t->parameter_count;
    if (!(frame = ridge_arena_array(g->arena, room + t->parameter_count + 1, sizeof *frame)))
        return ridge_no_memory(g->err);
    if ((st = ridge_graph_bind(g, e, t->parameters, t->parameter_count, frame, args, count)))
        return st;
    uint32_t hash = e->key->hash * 31u + (uint32_t)g->context;
    ridge_node **bucket = ridge_graph_bucket(g, &hash, frame, t->parameter_count);
    if (!bucket)
        return ridge_no_memory(g->err);
    out->type = RIDGE_V_NODE;
    for (ridge_node *n = *bucket; n; n = n->next)
        if (n->hash == hash && same(n, g, e, frame, t->parameter_count)) {
            out->u.node = n;
            return RIDGE_OK;
        }
    ridge_node *n = ridge_arena_alloc(g->arena, sizeof *n);
    if (!n)
        return ridge_no_memory(g->err);
    *n = (ridge_node){.entry = e,
                      .class_name = e->class_name,
                      .kind = e->kind,
                      .config = g->run.config,
                      .slots = frame,
                      .args = frame + room,
                      .called = true,
                      .context = g->context,
                      .id = g->node_count++,
                      .hash = hash,
                      .next = *bucket};
    memcpy(n->args, frame, t->parameter_count * sizeof *frame);
    *bucket = n;
    out->u.node = n;
    return RIDGE_OK;
}
