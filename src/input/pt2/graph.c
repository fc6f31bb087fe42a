/* A graph's nodes in the order in which they run. What getitem would take out of a tuple is an output of the node itself in the file. */
#include "input/pt2/parts.h"

/* "torch.ops.aten.addmm.default" is "aten.addmm.default"; schema 1 wrote "torch._ops."; "_operator.add", "math.trunc" stay */
static ridge_status read_target(ridge_opgraph_node *n, pt2_reader *r, const ridge_json *v)
{
    static const char *const prefixes[] = {"torch.ops.", "torch._ops."};
    ridge_str target;
    ridge_status st = pt2_text(&target, r, v, "target");
    if (st)
        return st;
    for (size_t i = 0; i < 2; i++)
        if (ridge_str_starts(target, ridge_str_of(prefixes[i]))) {
            const size_t cut = strlen(prefixes[i]);
            target = (ridge_str){target.p + cut, target.n - cut};
            break;
        }
    if (!target.n)
        return pt2_bad(r, RIDGE_VALUE, v, "a node without an operator");
    return pt2_keep(&n->op, r, target);
}

static ridge_status read_arguments(ridge_opgraph_node *n, pt2_scope *s, pt2_reader *r, const ridge_json *v)
{
    const ridge_json *list, *arg;
    ridge_status st = pt2_member(&list, r, v, "inputs", RIDGE_JSON_ARRAY);
    s->argument_count = s->inputs.count = 0;
    for (uint32_t i = 0; !st && i < list->count; i++) {
        ridge_str name;
        st = pt2_text(&name, r, &list->u.items[i], "name");
        st = st ? st : pt2_member(&arg, r, &list->u.items[i], "arg", RIDGE_JSON_OBJECT);
        st = st ? st : pt2_argument(r, s, name, arg);
    }
    if (st || (st = pt2_keep_ids(&n->inputs, &n->input_count, r, &s->inputs)))
        return st;
    ridge_opgraph_argument *arguments = ridge_arena_array(r->arena, s->argument_count + 1, sizeof *arguments);
    if (!arguments)
        return ridge_no_memory(r->err);
    if (s->argument_count)
        memcpy(arguments, s->arguments, s->argument_count * sizeof *arguments);
    n->arguments = arguments;
    n->argument_count = (uint32_t)s->argument_count;
    return RIDGE_OK;
}

/* its own name since schema 8.13, else that of what it makes first */
static ridge_status read_name(ridge_opgraph_node *n, pt2_reader *r, const ridge_json *v)
{
    const ridge_json *name = ridge_json_get(v, "name");
    if (name && name->type == RIDGE_JSON_STRING)
        return pt2_keep(&n->name, r, name->u.text);
    for (uint32_t i = 0; i < n->output_count && !n->name.n; i++)
        if (n->outputs[i] != RIDGE_OPGRAPH_NONE)
            n->name = r->out->values[n->outputs[i]].name;
    return RIDGE_OK;
}

static ridge_status read_node(ridge_opgraph_node *n, pt2_scope *s, pt2_reader *r, const ridge_json *v)
{
    const ridge_json *outputs;
    ridge_status st = read_target(n, r, v);
    if (st || (st = read_arguments(n, s, r, v)) || (st = pt2_member(&outputs, r, v, "outputs", RIDGE_JSON_ARRAY)) ||
        (st = pt2_ends(&s->outputs, r, s, outputs, true, true)) || (st = pt2_keep_ids(&n->outputs, &n->output_count, r, &s->outputs)) ||
        (st = read_name(n, r, v)))
        return st;
    return pt2_module(&n->module, &n->class_name, r, ridge_json_get(v, "metadata"));
}

static ridge_status read_nodes(ridge_opgraph_body *out, pt2_scope *s, pt2_reader *r, const ridge_json *graph)
{
    const ridge_json *list;
    ridge_status st = pt2_member(&list, r, graph, "nodes", RIDGE_JSON_ARRAY);
    ridge_opgraph_node *nodes = st ? NULL : ridge_arena_array(r->arena, list->count + 1u, sizeof *nodes);
    if (!st && !nodes)
        return ridge_no_memory(r->err);
    for (uint32_t i = 0; !st && i < list->count; i++)
        st = read_node(&nodes[i], s, r, &list->u.items[i]);
    out->nodes = nodes;
    out->count = st ? 0 : list->count;
    return st;
}

static ridge_status read_inputs(ridge_opgraph_body *out, pt2_scope *s, pt2_reader *r, const ridge_json *graph)
{
    const ridge_json *list;
    pt2_ids ids = {0};
    ridge_status st = pt2_member(&list, r, graph, "inputs", RIDGE_JSON_ARRAY);
    st = st ? st : pt2_ends(&ids, r, s, list, true, false);
    for (size_t i = 0; !st && i < ids.count; i++)
        r->out->values[ids.at[i]].origin = RIDGE_OPGRAPH_INPUT;
    return st ? st : pt2_keep_ids(&out->inputs, &out->input_count, r, &ids);
}

static ridge_status read_outputs(ridge_opgraph_body *out, pt2_scope *s, pt2_reader *r, const ridge_json *graph)
{
    const ridge_json *list;
    pt2_ids ids = {0};
    ridge_status st = pt2_member(&list, r, graph, "outputs", RIDGE_JSON_ARRAY);
    st = st ? st : pt2_ends(&ids, r, s, list, false, false);
    return st ? st : pt2_keep_ids(&out->outputs, &out->output_count, r, &ids);
}

ridge_status pt2_graph(ridge_opgraph_body *out, pt2_scope *s, pt2_reader *r, const ridge_json *graph, unsigned depth)
{
    *out = (ridge_opgraph_body){0};
    s->depth = depth;
    ridge_status st = pt2_values(s, r, graph);
    if (st || (st = read_inputs(out, s, r, graph)) || (st = read_nodes(out, s, r, graph)))
        return st;
    return read_outputs(out, s, r, graph);
}
