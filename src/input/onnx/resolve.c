#include <inttypes.h>
#include <stdio.h>

#include "input/onnx/parts.h"

ridge_status ridge_onnx_bad_node(onnx_reader *r, const onnx_node *n, ridge_status code, const char *fmt, ...)
{
    char what[320];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    const char *op = n->op->len ? ridge_weight_shown(r->arena, ridge_onnx_text(n->op)) : "?";
    if (!n->name->len)
        return ridge_fail(r->err, code, "%s: node (%s) at byte %" PRIu64 ": %s", r->file->path, op, n->at, what);
    return ridge_fail(r->err, code, "%s: node '%s' (%s) at byte %" PRIu64 ": %s", r->file->path,
                      ridge_weight_shown(r->arena, ridge_onnx_text(n->name)), op, n->at, what);
}

/* ---- types ---- */

/* What value_info says of a result, where nothing has said more. */
static void describe(ridge_opgraph_value *v, const onnx_type *type)
{
    if (v->origin != RIDGE_OPGRAPH_RESULT && v->origin != RIDGE_OPGRAPH_INPUT)
        return;
    if (!v->dtype) {
        v->format = type->format;
        v->dtype = type->dtype;
    }
    if (!v->ranked && type->ranked) {
        v->ranked = true;
        v->rank = type->rank;
        v->dims = type->dims;
    }
}

static void describe_all(onnx_reader *r, const onnx_info *infos, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        if (ridge_onnx_lookup(&value, r, infos[i].name) && r->bindings[infos[i].name->id].level == r->level && value != RIDGE_OPGRAPH_NONE)
            describe(&r->out->values[value], &infos[i].type);
    }
}

/* ---- operators ---- */

static int64_t version_in(const onnx_opsets *opsets, const ridge_symbol *domain)
{
    int64_t version = 0;
    for (size_t i = 0; i < opsets->count; i++)
        if (opsets->items[i].domain == domain && opsets->items[i].version > version)
            version = opsets->items[i].version;
    return version;
}

/* Before IR version 3 there was one set of operators, and its version was 1. */
static ridge_status find_opset(int *out, onnx_reader *r, const onnx_node *n)
{
    enum { FIRST_WITH_OPSETS = 3 };
    int64_t version = version_in(r->opsets_now, n->domain);
    if (!version)
        version = version_in(&r->opsets, n->domain);
    if (!version && !n->domain->len && r->ir_version < FIRST_WITH_OPSETS)
        version = 1;
    if (!version && !n->domain->len)
        return ridge_onnx_bad_node(r, n, RIDGE_VALUE, "the model imports no version of ONNX's operators (opset_import)");
    *out = (int)version;
    return RIDGE_OK;
}

static ridge_status find_op(ridge_str *out, onnx_reader *r, const onnx_node *n)
{
    *out = ridge_onnx_text(n->op);
    if (!n->domain->len)
        return RIDGE_OK;
    char few[256];
    const int length = snprintf(few, sizeof few, "%s.%s", n->domain->text, n->op->text);
    if (length < 0 || (size_t)length >= sizeof few)
        return ridge_onnx_bad_node(r, n, RIDGE_LIMIT, "the name of its operator, with its domain, has more than %zu bytes", sizeof few - 1);
    const ridge_symbol *op = ridge_onnx_intern(r, (ridge_str){few, (size_t)length});
    *out = ridge_onnx_text(op);
    return op ? RIDGE_OK : ridge_no_memory(r->err);
}

/* ---- nodes ---- */

static ridge_status find_inputs(uint32_t **out, onnx_reader *r, const onnx_node *n)
{
    if (!(*out = ridge_arena_array(r->arena, n->inputs.count + 1, sizeof **out)))
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < n->inputs.count; i++) {
        const ridge_symbol *name = n->inputs.items[i];
        if (!name->len)
            (*out)[i] = RIDGE_OPGRAPH_NONE;
        else if (!ridge_onnx_lookup(&(*out)[i], r, name))
            return ridge_onnx_not_made(r, name);
    }
    return RIDGE_OK;
}

static ridge_status make_outputs(uint32_t **out, onnx_reader *r, const onnx_node *n)
{
    ridge_status st = RIDGE_OK;
    if (!(*out = ridge_arena_array(r->arena, n->outputs.count + 1, sizeof **out)))
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < n->outputs.count && !st; i++) {
        const ridge_symbol *name = n->outputs.items[i];
        (*out)[i] = RIDGE_OPGRAPH_NONE;
        if (!name->len)
            continue;
        const ridge_opgraph_value value = {.name = ridge_onnx_text(name), .origin = RIDGE_OPGRAPH_RESULT};
        st = ridge_onnx_value_add(&(*out)[i], r, value, NULL);
        if (!st)
            st = ridge_onnx_define(r, name, (*out)[i], NULL);
    }
    return st;
}

static bool is_list(ridge_opgraph_argument_kind kind)
{
    return kind == RIDGE_OPGRAPH_ARG_INTS || kind == RIDGE_OPGRAPH_ARG_REALS || kind == RIDGE_OPGRAPH_ARG_TEXTS;
}

static bool is_number_or_text(ridge_opgraph_argument_kind kind)
{
    return is_list(kind) || kind == RIDGE_OPGRAPH_ARG_INT || kind == RIDGE_OPGRAPH_ARG_REAL || kind == RIDGE_OPGRAPH_ARG_TEXT;
}

/* value_int, value_floats, ...: its name says what it is, its kind too */
static ridge_status number_value(uint32_t *out, onnx_reader *r, ridge_str name, const ridge_opgraph_argument *a)
{
    const bool whole = a->kind == RIDGE_OPGRAPH_ARG_INT || a->kind == RIDGE_OPGRAPH_ARG_INTS;
    const bool text = a->kind == RIDGE_OPGRAPH_ARG_TEXT || a->kind == RIDGE_OPGRAPH_ARG_TEXTS;
    const size_t count = is_list(a->kind) ? a->count : 1;
    ridge_opgraph_dim *dims = ridge_arena_array(r->arena, 1, sizeof *dims);
    ridge_opgraph_argument *own = ridge_arena_alloc(r->arena, sizeof *own); /* a number alone is a list of one there */
    if (!dims || !own)
        return ridge_no_memory(r->err);
    *own = *a;
    *dims = (ridge_opgraph_dim){(int64_t)count, {"", 0}};
    ridge_opgraph_value v = {.name = name, .origin = RIDGE_OPGRAPH_CONSTANT, .ranked = true, .rank = is_list(a->kind), .dims = dims};
    v.dtype = text ? "STRING" : whole ? "INT64" : "FLOAT";
    v.format = text ? NULL : ridge_format_find(ridge_str_of(whole ? "i64" : "fp32"));
    if (count <= RIDGE_OPGRAPH_CONTENT && whole)
        v.ints = is_list(a->kind) ? a->u.ints : &own->u.whole;
    else if (count <= RIDGE_OPGRAPH_CONTENT && !text)
        v.reals = is_list(a->kind) ? a->u.reals : &own->u.real;
    v.content_count = v.ints || v.reals ? count : 0;
    return ridge_onnx_value_add(out, r, v, NULL);
}

/* A node Constant is its value. false: it has none that is kept, and stays a node. */
static ridge_status constant(bool *is_value, onnx_reader *r, const onnx_node *n, const ridge_opgraph_argument *arguments, uint32_t count)
{
    const ridge_opgraph_argument *a = arguments;
    if (n->domain->len || !ridge_str_is(ridge_onnx_text(n->op), "Constant") || count != 1 || n->outputs.count != 1 ||
        !n->outputs.items[0]->len || (a->kind != RIDGE_OPGRAPH_ARG_VALUE && !is_number_or_text(a->kind)))
        return RIDGE_OK;
    const ridge_symbol *name = n->outputs.items[0];
    uint32_t value = a->kind == RIDGE_OPGRAPH_ARG_VALUE ? a->u.value : 0;
    ridge_status st = a->kind == RIDGE_OPGRAPH_ARG_VALUE ? RIDGE_OK : number_value(&value, r, ridge_onnx_text(name), a);
    *is_value = true;
    return st ? st : ridge_onnx_define(r, name, value, NULL);
}

static ridge_status push(onnx_nodes *into, onnx_reader *r, const onnx_node *n, ridge_opgraph_node made)
{
    uint32_t *outputs;
    ridge_status st = find_op(&made.op, r, n);
    if (st || (st = make_outputs(&outputs, r, n)) || (st = ridge_onnx_module(&made, r, n)) ||
        (st = ridge_onnx_more(r, &into->items, into->count, &into->cap, sizeof *into->items)))
        return st;
    made.name = ridge_onnx_text(n->name);
    made.outputs = outputs;
    made.output_count = (uint32_t)n->outputs.count;
    into->items[into->count++] = made;
    return RIDGE_OK;
}

static ridge_status resolve_node(onnx_nodes *into, onnx_reader *r, const onnx_node *n)
{
    onnx_function *f = ridge_onnx_function_of(r, n);
    uint32_t *inputs;
    ridge_opgraph_argument *arguments;
    ridge_opgraph_node made = {.input_count = (uint32_t)n->inputs.count};
    bool is_value = false;
    ridge_status st =
        ++r->made > RIDGE_ONNX_NODES
            ? ridge_onnx_bad_node(r, n, RIDGE_LIMIT, "functions put in place of their calls make more than %d nodes", RIDGE_ONNX_NODES)
            : ridge_onnx_memory(r);
    if (st || (!f && (st = find_opset(&made.opset, r, n))) || (st = find_inputs(&inputs, r, n)) ||
        (st = ridge_onnx_arguments(&arguments, &made.argument_count, r, n)))
        return st;
    if (f)
        return ridge_onnx_call(into, r, n, f, inputs, arguments, made.argument_count);
    if ((st = constant(&is_value, r, n, arguments, made.argument_count)) || is_value ||
        (st = ridge_onnx_stripped(&is_value, r, n, inputs)) || is_value)
        return st;
    made.inputs = inputs;
    made.arguments = arguments;
    return push(into, r, n, made);
}

ridge_status ridge_onnx_resolve_nodes(onnx_nodes *into, onnx_reader *r, const onnx_graph *g)
{
    onnx_frame frame = {g, 0, r->frame};
    ridge_status st = RIDGE_OK;
    r->frame = &frame;
    for (; frame.node < g->node_count && !st; frame.node++)
        st = resolve_node(into, r, &g->nodes[frame.node]);
    r->frame = frame.outer;
    return st;
}

/* ---- graphs ---- */

static ridge_status add_initializers(onnx_reader *r, const onnx_graph *g)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < g->tensor_count && !st; i++) {
        onnx_tensor *t = g->tensors[i];
        uint32_t value;
        st = ridge_onnx_tensor_value(&value, r, t, ridge_onnx_text(t->name));
        if (!st)
            st = ridge_onnx_define(r, t->name, value, "an initializer");
    }
    return st;
}

/* Of the model's own inputs, those that are initializers too are weights. A size without a name gets one, so that it can be given. */
static ridge_status name_dims(ridge_opgraph_value *v, onnx_reader *r)
{
    ridge_opgraph_dim *dims = ridge_arena_array(r->arena, v->rank + 1u, sizeof *dims);
    if (!dims)
        return ridge_no_memory(r->err);
    for (uint32_t i = 0; i < v->rank; i++) {
        dims[i] = v->dims[i];
        if (dims[i].size >= 0 || dims[i].name.n)
            continue;
        const char *name = ridge_arena_printf(r->arena, "%.*s_dim_%" PRIu32, RIDGE_STR_ARG(v->name), i);
        if (!name)
            return ridge_no_memory(r->err);
        dims[i].name = ridge_str_of(name);
    }
    v->dims = dims;
    return RIDGE_OK;
}

static ridge_status add_inputs(ridge_opgraph_body *out, onnx_reader *r, const onnx_graph *g, bool is_main)
{
    uint32_t *inputs = ridge_arena_array(r->arena, g->input_count + 1, sizeof *inputs), value;
    if (!inputs)
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < g->input_count; i++) {
        const onnx_info *info = &g->inputs[i];
        const bool there = ridge_onnx_lookup(&value, r, info->name) && r->bindings[info->name->id].level == r->level &&
                           value != RIDGE_OPGRAPH_NONE && r->tensor_of[value];
        ridge_opgraph_value v = {.name = ridge_onnx_text(info->name), .origin = RIDGE_OPGRAPH_INPUT};
        if (there && is_main)
            continue;
        describe(&v, &info->type);
        ridge_status st = is_main ? name_dims(&v, r) : RIDGE_OK;
        if (!st && !there)
            st = ridge_onnx_value_add(&value, r, v, NULL);
        if (!st && !there)
            st = ridge_onnx_define(r, info->name, value, "an input of the graph");
        if (st)
            return st;
        inputs[out->input_count++] = value;
    }
    out->inputs = inputs;
    return RIDGE_OK;
}

static ridge_status add_outputs(ridge_opgraph_body *out, onnx_reader *r, const onnx_graph *g)
{
    uint32_t *outputs = ridge_arena_array(r->arena, g->output_count + 1, sizeof *outputs);
    if (!outputs)
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < g->output_count; i++)
        if (!ridge_onnx_lookup(&outputs[i], r, g->outputs[i].name) || outputs[i] == RIDGE_OPGRAPH_NONE)
            return ridge_fail(r->err, RIDGE_NAME, "%s: the graph at byte %" PRIu64 " has the output '%s', which nothing in it makes",
                              r->file->path, g->at, ridge_weight_shown(r->arena, ridge_onnx_text(g->outputs[i].name)));
    out->outputs = outputs;
    out->output_count = (uint32_t)g->output_count;
    return RIDGE_OK;
}

static ridge_status resolve_graph(ridge_opgraph_body *out, onnx_reader *r, const onnx_graph *g, bool is_main)
{
    onnx_nodes nodes = {0};
    *out = (ridge_opgraph_body){0};
    ridge_status st = add_initializers(r, g);
    if (st || (st = add_inputs(out, r, g, is_main)) || (st = ridge_onnx_resolve_nodes(&nodes, r, g)) || (st = add_outputs(out, r, g)))
        return st;
    describe_all(r, g->infos, g->info_count);
    describe_all(r, g->outputs, g->output_count);
    out->nodes = nodes.items;
    out->count = nodes.count;
    return RIDGE_OK;
}

ridge_status ridge_onnx_body(uint32_t *out, onnx_reader *r, const onnx_graph *g)
{
    ridge_opgraph *to = r->out;
    size_t mark;
    ridge_opgraph_body body;
    ridge_status st = ridge_onnx_more(r, &to->bodies, to->body_count, &r->body_cap, sizeof *to->bodies);
    if (st || (st = ridge_onnx_enter(&mark, r)))
        return st;
    *out = (uint32_t)to->body_count++;
    to->bodies[*out] = (ridge_opgraph_body){0};
    st = resolve_graph(&body, r, g, false);
    ridge_onnx_leave(r, mark);
    to->bodies[*out] = body;
    return st;
}

ridge_status ridge_onnx_resolve(onnx_reader *r)
{
    size_t mark;
    r->binding_count = r->texts.count;
    if (!(r->bindings = ridge_arena_array(r->arena, r->binding_count, sizeof *r->bindings)))
        return ridge_no_memory(r->err);
    r->opsets_now = &r->opsets;
    ridge_status st = ridge_onnx_enter(&mark, r);
    if (st || (st = resolve_graph(&r->out->main, r, r->graph, true)))
        return st;
    return ridge_onnx_symbols(r);
}
