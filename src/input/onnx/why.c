#include "input/onnx/parts.h"

#define NOBODY UINT32_MAX

/* which node of a graph makes a name: by the symbol's number */
static uint32_t *makers(onnx_reader *r, const onnx_graph *g)
{
    uint32_t *made_by = ridge_arena_array(r->arena, r->binding_count, sizeof *made_by);
    if (!made_by)
        return NULL;
    memset(made_by, 255, r->binding_count * sizeof *made_by);
    for (size_t i = 0; i < g->node_count; i++)
        for (size_t k = 0; k < g->nodes[i].outputs.count; k++)
            made_by[g->nodes[i].outputs.items[k]->id] = (uint32_t)i;
    made_by[r->empty->id] = NOBODY;
    return made_by;
}

/* Does what node `from` reads come, over any number of nodes, from node `to`? */
static bool comes_from(bool *out, onnx_reader *r, const onnx_graph *g, const uint32_t *made_by, size_t from, size_t to)
{
    uint32_t *todo = ridge_arena_array(r->arena, g->node_count + 1, sizeof *todo);
    bool *seen = ridge_arena_array(r->arena, g->node_count + 1, sizeof *seen);
    if (!todo || !seen)
        return false;
    size_t count = 0;
    todo[count++] = (uint32_t)from;
    seen[from] = true;
    while (count) {
        const onnx_names *inputs = &g->nodes[todo[--count]].inputs;
        for (size_t i = 0; i < inputs->count; i++) {
            const uint32_t maker = made_by[inputs->items[i]->id];
            if (maker == NOBODY || seen[maker])
                continue;
            seen[maker] = true;
            todo[count++] = maker;
        }
    }
    *out = seen[to];
    return true;
}

static ridge_status later(onnx_reader *r, const onnx_node *n, const onnx_frame *frame, const uint32_t *made_by, const char *name,
                          uint32_t maker)
{
    const onnx_node *other = &frame->graph->nodes[maker];
    const char *its = ridge_weight_shown(r->arena, ridge_onnx_text(other->name->len ? other->name : other->op));
    bool cycle = false;
    if (maker == frame->node)
        return ridge_onnx_bad_node(r, n, RIDGE_CYCLE, "it reads '%s', which it makes itself", name);
    if (!comes_from(&cycle, r, frame->graph, made_by, maker, frame->node))
        return ridge_no_memory(r->err);
    if (cycle)
        return ridge_onnx_bad_node(r, n, RIDGE_CYCLE, "it reads '%s' of node '%s', which reads what comes from it: a cycle", name, its);
    return ridge_onnx_bad_node(
        r, n, RIDGE_VALUE, "it reads '%s', which node '%s' behind it makes: ONNX wants nodes in the order in which they run", name, its);
}

ridge_status ridge_onnx_not_made(onnx_reader *r, const ridge_symbol *name)
{
    const onnx_node *n = &r->frame->graph->nodes[r->frame->node];
    const char *shown = ridge_weight_shown(r->arena, ridge_onnx_text(name));
    for (const onnx_frame *frame = r->frame; frame; frame = frame->outer) {
        const uint32_t *made_by = makers(r, frame->graph);
        if (!made_by)
            return ridge_no_memory(r->err);
        if (made_by[name->id] != NOBODY)
            return later(r, n, frame, made_by, shown, made_by[name->id]);
    }
    return ridge_onnx_bad_node(r, n, RIDGE_NAME, "it reads '%s', which no node, input or initializer %s", shown,
                               r->function ? "of its function makes" : "makes");
}
