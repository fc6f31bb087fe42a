#include "input/onnx/parts.h"

/* What a reader knows of where it is, to come back to it. */
typedef struct place {
    uint32_t floor;
    const onnx_opsets *opsets;
    const ridge_opgraph_argument *call;
    size_t call_count;
    const onnx_function *function;
    const onnx_frame *frame;
} place;

static place here(const onnx_reader *r)
{
    return (place){r->floor, r->opsets_now, r->call, r->call_count, r->function, r->frame};
}

static void back(onnx_reader *r, place p)
{
    r->floor = p.floor;
    r->opsets_now = p.opsets;
    r->call = p.call;
    r->call_count = p.call_count;
    r->function = p.function;
    r->frame = p.frame;
}

static ridge_status bind_inputs(onnx_reader *r, const onnx_node *n, const onnx_function *f, const uint32_t *inputs)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < f->inputs.count && !st; i++)
        st = ridge_onnx_define(r, f->inputs.items[i], i < n->inputs.count ? inputs[i] : RIDGE_OPGRAPH_NONE, "an input of a function");
    return st;
}

static ridge_status find_outputs(uint32_t *out, onnx_reader *r, const onnx_node *n, const onnx_function *f)
{
    for (size_t i = 0; i < n->outputs.count; i++)
        if (!ridge_onnx_lookup(&out[i], r, f->outputs.items[i]))
            return ridge_onnx_bad_node(r, n, RIDGE_NAME, "the function that it calls has the output '%s', which nothing in it makes",
                                       ridge_weight_shown(r->arena, ridge_onnx_text(f->outputs.items[i])));
    return RIDGE_OK;
}

/* Results have the name that the call gives them, nodes stand below the call's name. */
static ridge_status rename_made(onnx_nodes *into, size_t first_node, onnx_reader *r, const onnx_node *n)
{
    for (size_t i = first_node; i < into->count && n->name->len; i++) {
        ridge_opgraph_node *made = &into->items[i];
        const char *name = ridge_arena_printf(r->arena, "%s/%.*s", n->name->text, RIDGE_STR_ARG(made->name));
        if (!name)
            return ridge_no_memory(r->err);
        made->name = ridge_str_of(name);
    }
    return ridge_onnx_memory(r);
}

static ridge_status define_outputs(onnx_reader *r, const onnx_node *n, const uint32_t *outputs, uint32_t first_value)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < n->outputs.count && !st; i++) {
        const ridge_symbol *name = n->outputs.items[i];
        if (!name->len)
            continue;
        if (outputs[i] == RIDGE_OPGRAPH_NONE)
            return ridge_onnx_bad_node(r, n, RIDGE_VALUE, "its output '%s' is an input of the function, which the call leaves out",
                                       ridge_weight_shown(r->arena, ridge_onnx_text(name)));
        if (outputs[i] >= first_value && r->out->values[outputs[i]].origin == RIDGE_OPGRAPH_RESULT)
            r->out->values[outputs[i]].name = ridge_onnx_text(name);
        st = ridge_onnx_define(r, name, outputs[i], NULL);
    }
    return st;
}

static ridge_status check_call(onnx_reader *r, const onnx_node *n, const onnx_function *f)
{
    if (f->running)
        return ridge_onnx_bad_node(r, n, RIDGE_CYCLE, "it calls a function that it is a part of");
    if (n->inputs.count > f->inputs.count || n->outputs.count > f->outputs.count)
        return ridge_onnx_bad_node(r, n, RIDGE_ARITY, "it has %zu inputs and %zu outputs, and the function that it calls %zu and %zu",
                                   n->inputs.count, n->outputs.count, f->inputs.count, f->outputs.count);
    return RIDGE_OK;
}

ridge_status ridge_onnx_call(onnx_nodes *into, onnx_reader *r, const onnx_node *n, onnx_function *f, const uint32_t *inputs,
                             const ridge_opgraph_argument *arguments, size_t argument_count)
{
    const place before = here(r);
    const size_t first_node = into->count;
    const uint32_t first_value = (uint32_t)r->out->value_count;
    uint32_t *outputs = ridge_arena_array(r->arena, n->outputs.count + 1, sizeof *outputs);
    size_t mark;
    ridge_status st = outputs ? check_call(r, n, f) : ridge_no_memory(r->err);
    if (st || (st = ridge_onnx_enter(&mark, r)))
        return st;
    r->floor = r->level;
    r->opsets_now = &f->opsets;
    r->call = arguments;
    r->call_count = argument_count;
    r->function = f;
    r->frame = NULL;
    f->running = true;
    if (!(st = bind_inputs(r, n, f, inputs)) && !(st = ridge_onnx_resolve_nodes(into, r, &f->body)))
        st = find_outputs(outputs, r, n, f);
    f->running = false;
    ridge_onnx_leave(r, mark);
    back(r, before);
    if (st || (st = rename_made(into, first_node, r, n)))
        return st;
    return define_outputs(r, n, outputs, first_value);
}
