/* Bytes of what a model keeps from step to step: the caches of its nodes, each where it is called. */
#include "cost/stored.h"

static ridge_status no_size(ridge_coster *c, const ridge_node *n, const ridge_node_tensor *t)
{
    return ridge_fail(c->graph->err, RIDGE_OVERFLOW, "%s: cache '%s' has no size", n->class_name, t->name->text);
}

/* symbolic runs: the shape's dimensions are values */
static ridge_status add_symbolic_tensor(ridge_value *sum, ridge_coster *c, const ridge_node *n, const ridge_node_tensor *t)
{
    const ridge_format *f = t->format ? ridge_format_find(ridge_str_of(t->format)) : c->kv;
    const ridge_calc *calc = &c->graph->run.calc;
    ridge_value bytes, rows = ridge_value_int(1), columns = ridge_value_int(1);
    ridge_status st = RIDGE_OK;
    if (!f)
        return no_size(c, n, t);
    if (t->shape.type != RIDGE_V_LIST)
        return ridge_fail(c->graph->err, RIDGE_VALUE, "%s: cache '%s' has no closed form", n->class_name, t->name->text);
    const ridge_list *dims = t->shape.u.list;
    for (size_t i = 0; i + 1 < dims->count && !st; i++)
        st = ridge_value_binary(&rows, RIDGE_OP_MUL, rows, dims->items[i], calc);
    if (dims->count)
        columns = dims->items[dims->count - 1];
    if (st || (st = ridge_cost_block_bytes(&bytes, c, f, rows, columns)))
        return st;
    return ridge_value_binary(sum, RIDGE_OP_ADD, *sum, bytes, calc);
}

static ridge_status add_tensor(ridge_value *sum, ridge_coster *c, const ridge_node *n, const ridge_node_tensor *t)
{
    const ridge_format *f = t->format ? ridge_format_find(ridge_str_of(t->format)) : c->kv;
    ridge_int columns = t->rank ? t->dims[t->rank - 1] : 1, bytes;
    if (!f || !ridge_format_bytes(&bytes, f, columns ? t->elements / columns : 0, columns))
        return no_size(c, n, t);
    return ridge_value_binary(sum, RIDGE_OP_ADD, *sum, ridge_value_int(bytes), &c->graph->run.calc);
}

static ridge_status cache_of(ridge_value *out, ridge_coster *c, const ridge_node *n, ridge_value *done)
{
    ridge_value total = ridge_value_int(0), part;
    ridge_status st = RIDGE_OK;
    if (done[n->id].type != RIDGE_V_UNSET) {
        *out = done[n->id];
        return RIDGE_OK;
    }
    for (size_t i = 0; i < n->cache.n && !st; i++)
        st = c->graph->algebra ? add_symbolic_tensor(&total, c, n, &n->cache.p[i]) : add_tensor(&total, c, n, &n->cache.p[i]);
    for (size_t i = 0; i < n->child_count && !st; i++) {
        if (!n->children[i].node || ridge_value_is_zero(n->children[i].calls) || /* what is never called keeps nothing */
            (st = cache_of(&part, c, n->children[i].node, done)) || ridge_value_is_zero(part))
            continue;
        if (n->children[i].calls.type == RIDGE_V_SYM) /* called never, or not there at all? The form cannot tell. */
            st = ridge_fail(c->graph->err, RIDGE_VALUE, "%s: its cache has no closed form", n->class_name);
        else
            st = ridge_value_binary(&total, RIDGE_OP_ADD, total, part, &c->graph->run.calc);
    }
    if (!st && n->runs.type != RIDGE_V_UNSET)
        st = ridge_value_binary(&total, RIDGE_OP_MUL, total, n->runs, &c->graph->run.calc);
    *out = done[n->id] = total;
    return st;
}

ridge_status ridge_cost_cache(ridge_value *bytes, ridge_coster *c, const ridge_node *root)
{
    ridge_value *done = ridge_arena_array(c->graph->arena, c->graph->node_count + 1u, sizeof *done);
    if (!done)
        return ridge_no_memory(c->graph->err);
    return cache_of(bytes, c, root, done);
}
