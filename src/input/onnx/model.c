#include <inttypes.h>

#include "input/onnx/parts.h"

enum { OPSETS_MOST = 256 };

/* ---- OperatorSetIdProto ---- */

static ridge_status opset_domain(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    onnx_opset *o = into;
    ridge_status st = ridge_onnx_name(&o->domain, r, f->part, "the domain of operators");
    if (!st && ridge_str_is(ridge_onnx_text(o->domain), "ai.onnx"))
        o->domain = r->empty;
    return st;
}

static ridge_status opset_version(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    ((onnx_opset *)into)->version = (int64_t)f->value;
    if (f->value <= INT32_MAX)
        return RIDGE_OK;
    return ridge_fail(r->err, RIDGE_VALUE, "%s: the version %" PRId64 " of operators at byte %" PRIu64 " cannot be", r->file->path,
                      (int64_t)f->value, f->at);
}

static ridge_status add_opset(onnx_opsets *opsets, onnx_reader *r, const ridge_proto_field *f)
{
    static const onnx_field fields[] = {
        {1, RIDGE_PROTO_BYTES, "domain", opset_domain}, {2, RIDGE_PROTO_VARINT, "version", opset_version}, {0, 0, NULL, NULL}};
    ridge_status st = ridge_onnx_more(r, &opsets->items, opsets->count, &opsets->cap, sizeof *opsets->items);
    if (st)
        return st;
    if (opsets->count == OPSETS_MOST)
        return ridge_fail(r->err, RIDGE_LIMIT, "%s: more than %d sets of operators", r->file->path, OPSETS_MOST);
    onnx_opset *o = &opsets->items[opsets->count++];
    *o = (onnx_opset){r->empty, 0};
    return ridge_onnx_message(r, o, f->part, fields, "a set of operators");
}

/* ---- FunctionProto ---- */

static ridge_status function_text(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    onnx_function *fn = into;
    const ridge_symbol **to = f->number == 1 ? &fn->name : f->number == 10 ? &fn->domain : &fn->overload;
    return ridge_onnx_name(to, r, f->part, "a text of a function");
}

static ridge_status function_names(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    onnx_function *fn = into;
    return ridge_onnx_names_add(f->number == 4 ? &fn->inputs : &fn->outputs, r, f, "a name of a function");
}

static ridge_status function_node(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_node_add(&((onnx_function *)into)->body, r, f);
}

static ridge_status function_opset(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return add_opset(&((onnx_function *)into)->opsets, r, f);
}

static ridge_status function_default(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    onnx_function *fn = into;
    ridge_status st = ridge_onnx_more(r, &fn->defaults, fn->default_count, &fn->default_cap, sizeof *fn->defaults);
    return st ? st : ridge_onnx_attribute(&fn->defaults[fn->default_count++], r, f->part);
}

static ridge_status add_function(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    static const onnx_field fields[] = {
        {1, RIDGE_PROTO_BYTES, "name", function_text},
        {4, RIDGE_PROTO_BYTES, "input", function_names},
        {5, RIDGE_PROTO_BYTES, "output", function_names},
        {7, RIDGE_PROTO_BYTES, "node", function_node},
        {9, RIDGE_PROTO_BYTES, "opset_import", function_opset},
        {10, RIDGE_PROTO_BYTES, "domain", function_text},
        {11, RIDGE_PROTO_BYTES, "attribute_proto", function_default},
        {13, RIDGE_PROTO_BYTES, "overload", function_text},
        {0, 0, NULL, NULL},
    };
    (void)into;
    ridge_status st = ridge_onnx_more(r, &r->functions, r->function_count, &r->function_cap, sizeof *r->functions);
    if (st)
        return st;
    onnx_function *fn = &r->functions[r->function_count++];
    *fn = (onnx_function){.name = r->empty, .domain = r->empty, .overload = r->empty, .at = f->part.at, .body = {.at = f->part.at}};
    fn->body.name = r->empty;
    if ((st = ridge_onnx_message(r, fn, f->part, fields, "a function")))
        return st;
    if (ridge_str_is(ridge_onnx_text(fn->domain), "ai.onnx"))
        fn->domain = r->empty;
    if (!fn->name->len)
        return ridge_fail(r->err, RIDGE_SYNTAX, "%s: the function at byte %" PRIu64 " has no name", r->file->path, fn->at);
    return RIDGE_OK;
}

/* ---- ModelProto ---- */

static ridge_status model_version(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    (void)into;
    r->ir_version = f->value;
    r->has_version = true;
    if (f->value > 0 && f->value <= INT32_MAX)
        return RIDGE_OK;
    return ridge_fail(r->err, RIDGE_VALUE, "%s: %" PRId64 " is no version of ONNX's format (ir_version, byte %" PRIu64 ")", r->file->path,
                      (int64_t)f->value, f->at);
}

static ridge_status model_text(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    (void)into;
    return ridge_onnx_name(f->number == 2 ? &r->producer : &r->producer_version, r, f->part, "the producer");
}

static ridge_status model_graph(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    (void)into;
    if (r->graph)
        return ridge_fail(r->err, RIDGE_SYNTAX, "%s: it has two graphs: the second begins at byte %" PRIu64, r->file->path, f->at);
    return ridge_onnx_graph(&r->graph, r, f->part);
}

static ridge_status model_opset(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    (void)into;
    return add_opset(&r->opsets, r, f);
}

static const onnx_field model_fields[] = {
    {1, RIDGE_PROTO_VARINT, "ir_version", model_version},
    {2, RIDGE_PROTO_BYTES, "producer_name", model_text},
    {3, RIDGE_PROTO_BYTES, "producer_version", model_text},
    {7, RIDGE_PROTO_BYTES, "graph", model_graph},
    {8, RIDGE_PROTO_BYTES, "opset_import", model_opset},
    {25, RIDGE_PROTO_BYTES, "functions", add_function},
    {0, 0, NULL, NULL},
};

/* the wire types of a model's fields, of those too that are not read; what higher numbers are, later versions know */
bool ridge_onnx_looks(ridge_binary *file)
{
    static const char wires[] = "-02220222-----2-----2----22222222";
    ridge_cursor c = ridge_cursor_all(file);
    ridge_proto_field f;
    bool graph = false, version = false;
    if (!file->size)
        return false;
    for (unsigned i = 0; i < RIDGE_ONNX_NODES; i++) {
        if (ridge_proto_next(&f, &c, "", NULL))
            return false;
        if (!f.number)
            return graph && version;
        if (f.number < sizeof wires - 1 && wires[f.number] != (char)('0' + (int)f.wire))
            return false;
        graph |= f.number == 7;
        version |= f.number == 1;
    }
    return false;
}

static ridge_status start(onnx_reader *r)
{
    if (!ridge_symtab_init(&r->texts, r->arena) || !ridge_symtab_init(&r->function_names, r->arena) ||
        !(r->empty = ridge_onnx_intern(r, RIDGE_STR(""))))
        return ridge_no_memory(r->err);
    r->producer = r->producer_version = r->empty;
    return RIDGE_OK;
}

/* The key of a function: names have no NUL in them. */
static const ridge_symbol *function_key(onnx_reader *r, const ridge_symbol *domain, const ridge_symbol *name, const ridge_symbol *overload,
                                        bool make)
{
    const uint32_t key[3] = {domain->id, name->id, overload->id};
    const ridge_str text = {(const char *)key, sizeof key};
    return make ? ridge_intern(&r->function_names, text) : ridge_intern_find(&r->function_names, text);
}

static ridge_status index_functions(onnx_reader *r)
{
    for (size_t i = 0; i < r->function_count; i++) {
        const onnx_function *fn = &r->functions[i];
        const uint32_t before = r->function_names.count;
        ridge_status st = ridge_onnx_more(r, &r->function_at, before, &r->function_at_cap, sizeof *r->function_at);
        const ridge_symbol *key = st ? NULL : function_key(r, fn->domain, fn->name, fn->overload, true);
        if (st || !key)
            return st ? st : ridge_no_memory(r->err);
        if (key->id < before)
            return ridge_fail(r->err, RIDGE_VALUE, "%s: the function '%s' at byte %" PRIu64 " is defined twice", r->file->path,
                              ridge_weight_shown(r->arena, ridge_onnx_text(fn->name)), fn->at);
        r->function_at[key->id] = (uint32_t)i;
    }
    return RIDGE_OK;
}

onnx_function *ridge_onnx_function_of(onnx_reader *r, const onnx_node *n)
{
    const ridge_symbol *key = r->function_count ? function_key(r, n->domain, n->op, n->overload, false) : NULL;
    return key ? &r->functions[r->function_at[key->id]] : NULL;
}

static ridge_status read_model(onnx_reader *r)
{
    ridge_cursor c = ridge_cursor_all(r->file);
    ridge_status st = ridge_onnx_message(r, r, c, model_fields, "the model");
    if (st)
        return st;
    if (!r->has_version)
        return ridge_fail(r->err, RIDGE_SYNTAX, "%s: no ONNX model: it has no ir_version", r->file->path);
    if (!r->graph)
        return ridge_fail(r->err, RIDGE_SYNTAX, "%s: the model has no graph", r->file->path);
    return index_functions(r);
}

static ridge_status describe(onnx_reader *r)
{
    ridge_opgraph *g = r->out;
    const char *version = r->producer_version->text;
    const char *text = r->producer->len && r->producer_version->len ? ridge_arena_printf(r->arena, "%s %s", r->producer->text, version)
                                                                    : r->producer->text;
    if (!text)
        return ridge_no_memory(r->err);
    g->producer = ridge_str_of(text);
    g->name = ridge_onnx_text(r->graph->name);
    return RIDGE_OK;
}

ridge_status ridge_onnx_read(ridge_opgraph *out, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    onnx_reader r = {.out = out, .file = file, .arena = arena, .err = err, .memory_before = arena->total};
    *out = (ridge_opgraph){.kind = "ONNX", .path = file->path};
    ridge_status st = ridge_onnx_refuse(file, arena, err);
    if (st || (st = start(&r)) || (st = read_model(&r)) || (st = describe(&r)) || (st = ridge_onnx_resolve(&r)) ||
        (st = ridge_onnx_tell_weights(&r)) || (st = ridge_onnx_table(&r)))
        return st;
    return arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}

ridge_status ridge_onnx_weights(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    ridge_opgraph graph;
    ridge_status st = ridge_onnx_read(&graph, file, arena, err);
    *out = graph.weights;
    return st;
}
