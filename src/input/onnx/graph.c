#include <inttypes.h>

#include "input/onnx/parts.h"

/* ---- NodeProto ---- */

static ridge_status node_input(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_names_add(&((onnx_node *)into)->inputs, r, f, "an input of a node");
}

static ridge_status node_output(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_names_add(&((onnx_node *)into)->outputs, r, f, "an output of a node");
}

static ridge_status node_text(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    onnx_node *n = into;
    const ridge_symbol **to = f->number == 3 ? &n->name : f->number == 4 ? &n->op : f->number == 7 ? &n->domain : &n->overload;
    return ridge_onnx_name(to, r, f->part, "a text of a node");
}

static ridge_status node_attribute(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    onnx_node *n = into;
    ridge_status st = ridge_onnx_more(r, &n->attributes, n->attribute_count, &n->attribute_cap, sizeof *n->attributes);
    if (st || (st = ridge_onnx_attribute(&n->attributes[n->attribute_count], r, f->part)))
        return st;
    for (size_t i = 0; i < n->attribute_count && i < 64; i++)
        if (n->attributes[i].name == n->attributes[n->attribute_count].name)
            return ridge_onnx_bad_node(r, n, RIDGE_VALUE, "it has the attribute '%s' twice",
                                       ridge_weight_shown(r->arena, ridge_onnx_text(n->attributes[i].name)));
    n->attribute_count++;
    return RIDGE_OK;
}

/* An entry of metadata_props; of those of a node torch.onnx's notes of modules are kept. */
typedef struct entry {
    ridge_cursor key, text;
} entry;

static ridge_status entry_part(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    entry *e = into;
    (void)r;
    *(f->number == 1 ? &e->key : &e->text) = f->part;
    return RIDGE_OK;
}

static ridge_status node_metadata(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    static const onnx_field fields[] = {
        {1, RIDGE_PROTO_BYTES, "its key", entry_part}, {2, RIDGE_PROTO_BYTES, "its value", entry_part}, {0, 0, NULL, NULL}};
    static const char scopes[] = "pkg.torch.onnx.name_scopes", classes[] = "pkg.torch.onnx.class_hierarchy";
    onnx_node *n = into;
    entry e = {0};
    char key[sizeof classes];
    ridge_status st = ridge_onnx_message(r, &e, f->part, fields, "metadata");
    const uint64_t left = st || !e.key.file ? 0 : ridge_cursor_left(&e.key);
    if (st || !left || left > sizeof key || !e.text.file || ridge_cursor_left(&e.text) > RIDGE_ONNX_NAME)
        return st;
    if ((st = ridge_binary_read(e.key.file, key, e.key.at, (size_t)left, r->err)))
        return st;
    const ridge_str text = {key, (size_t)left};
    const bool is_scopes = ridge_str_is(text, scopes);
    if (!is_scopes && !ridge_str_is(text, classes))
        return RIDGE_OK;
    const ridge_symbol *kept;
    st = ridge_onnx_name(&kept, r, e.text, "metadata of a node");
    if (!st)
        *(is_scopes ? &n->scopes : &n->classes) = ridge_onnx_text(kept);
    return st;
}

ridge_status ridge_onnx_node_add(onnx_graph *g, onnx_reader *r, const ridge_proto_field *f)
{
    static const onnx_field fields[] = {
        {1, RIDGE_PROTO_BYTES, "input", node_input},
        {2, RIDGE_PROTO_BYTES, "output", node_output},
        {3, RIDGE_PROTO_BYTES, "name", node_text},
        {4, RIDGE_PROTO_BYTES, "op_type", node_text},
        {5, RIDGE_PROTO_BYTES, "attribute", node_attribute},
        {7, RIDGE_PROTO_BYTES, "domain", node_text},
        {8, RIDGE_PROTO_BYTES, "overload", node_text},
        {9, RIDGE_PROTO_BYTES, "metadata_props", node_metadata},
        {0, 0, NULL, NULL},
    };
    ridge_status st = ridge_onnx_more(r, &g->nodes, g->node_count, &g->node_cap, sizeof *g->nodes);
    if (st)
        return st;
    if (++r->node_count > RIDGE_ONNX_NODES)
        return ridge_fail(r->err, RIDGE_LIMIT, "%s: more than %d nodes", r->file->path, RIDGE_ONNX_NODES);
    onnx_node n = {.name = r->empty, .op = r->empty, .domain = r->empty, .overload = r->empty, .at = f->part.at};
    if ((st = ridge_onnx_message(r, &n, f->part, fields, "a node")))
        return st;
    if (!n.op->len)
        return ridge_onnx_bad_node(r, &n, RIDGE_SYNTAX, "it names no operator");
    if (ridge_str_is(ridge_onnx_text(n.domain), "ai.onnx")) /* another word for the same */
        n.domain = r->empty;
    g->nodes[g->node_count++] = n;
    return RIDGE_OK;
}

/* ---- GraphProto ---- */

static ridge_status graph_node(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_node_add(into, r, f);
}

static ridge_status graph_name(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_name(&((onnx_graph *)into)->name, r, f->part, "the name of a graph");
}

static ridge_status graph_tensor(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    onnx_graph *g = into;
    ridge_status st = ridge_onnx_more(r, &g->tensors, g->tensor_count, &g->tensor_cap, sizeof *g->tensors);
    if (st)
        return st;
    onnx_tensor **to = &g->tensors[g->tensor_count];
    if ((st = f->number == 5 ? ridge_onnx_tensor(to, r, f->part) : ridge_onnx_sparse(to, r, f->part)))
        return st;
    if (!(*to)->name->len)
        return ridge_onnx_bad_tensor(r, *to, RIDGE_SYNTAX, "an initializer without a name");
    g->tensor_count++;
    return RIDGE_OK;
}

static ridge_status graph_info(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    onnx_graph *g = into;
    onnx_info **list = f->number == 11 ? &g->inputs : f->number == 12 ? &g->outputs : &g->infos;
    size_t *count = f->number == 11 ? &g->input_count : f->number == 12 ? &g->output_count : &g->info_count;
    size_t *cap = f->number == 11 ? &g->input_cap : f->number == 12 ? &g->output_cap : &g->info_cap;
    ridge_status st = ridge_onnx_more(r, list, *count, cap, sizeof **list);
    if (st || (st = ridge_onnx_info(&(*list)[*count], r, f->part)))
        return st;
    if (f->number != 13 && !(*list)[*count].name->len)
        return ridge_fail(r->err, RIDGE_SYNTAX, "%s: %s at byte %" PRIu64 " has no name", r->file->path,
                          f->number == 11 ? "an input of a graph" : "an output of a graph", f->at);
    ++*count;
    return RIDGE_OK;
}

ridge_status ridge_onnx_graph(onnx_graph **out, onnx_reader *r, ridge_cursor c)
{
    static const onnx_field fields[] = {
        {1, RIDGE_PROTO_BYTES, "node", graph_node},
        {2, RIDGE_PROTO_BYTES, "name", graph_name},
        {5, RIDGE_PROTO_BYTES, "initializer", graph_tensor},
        {11, RIDGE_PROTO_BYTES, "input", graph_info},
        {12, RIDGE_PROTO_BYTES, "output", graph_info},
        {13, RIDGE_PROTO_BYTES, "value_info", graph_info},
        {15, RIDGE_PROTO_BYTES, "sparse_initializer", graph_tensor},
        {0, 0, NULL, NULL},
    };
    if (r->depth > RIDGE_OPGRAPH_DEPTH)
        return ridge_fail(r->err, RIDGE_LIMIT, "%s: the graph at byte %" PRIu64 " is inside more than %d others", r->file->path, c.at,
                          RIDGE_OPGRAPH_DEPTH);
    onnx_graph *g = ridge_arena_alloc(r->arena, sizeof *g);
    if (!g)
        return ridge_no_memory(r->err);
    *g = (onnx_graph){.name = r->empty, .at = c.at};
    *out = g;
    r->depth++;
    ridge_status st = ridge_onnx_message(r, g, c, fields, "a graph");
    r->depth--;
    return st;
}
