/* An exported program from its archive: torch/_export/serde/schema.py, ExportedProgram, of every version since PyTorch 2.1 (schema 1). */
#include "input/pt2/parts.h"

enum { SCHEMA_MOST = 8 };

/* 2, or {"major": 8, "minor": 7} since schema 3; the first releases of PyTorch 2.1 say none */
static ridge_status check_schema(pt2_reader *r, const ridge_json *program)
{
    const ridge_json *v = ridge_json_get(program, "schema_version"), *major = v;
    int64_t number;
    ridge_status st = RIDGE_OK;
    if (!v || v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    if (v->type == RIDGE_JSON_OBJECT && (st = pt2_member(&major, r, v, "major", RIDGE_JSON_NUMBER)))
        return st;
    if ((st = pt2_whole(&number, r, major)))
        return st;
    return number >= 1 && number <= SCHEMA_MOST
               ? RIDGE_OK
               : pt2_bad(r, RIDGE_VALUE, major, "schema %lld is none that is known (1 to %d)", (long long)number, SCHEMA_MOST);
}

/* torch_version: "2.6.0+cu124"; what older files have in its place is not said */
static ridge_status read_producer(pt2_reader *r, const ridge_json *program)
{
    const ridge_json *v = ridge_json_get(program, "torch_version");
    if (!v || v->type != RIDGE_JSON_STRING || !v->u.text.n)
        return RIDGE_OK;
    const char *producer = ridge_arena_printf(r->scratch, "pytorch %.*s", RIDGE_STR_ARG(v->u.text));
    return producer ? pt2_keep(&r->out->producer, r, ridge_str_of(producer)) : ridge_no_memory(r->err);
}

/* the class of the model itself */
static void name_graph(ridge_opgraph *g)
{
    for (size_t i = 0; i < g->module_count && !g->name.n; i++)
        if (!g->modules[i].path.n)
            g->name = g->modules[i].class_name;
}

static ridge_status read_program(pt2_reader *r)
{
    const ridge_json *program, *module, *graph, *signature;
    pt2_scope scope = {0};
    ridge_status st = pt2_program(&program, r);
    if (st || (st = check_schema(r, program)) || (st = pt2_member(&module, r, program, "graph_module", RIDGE_JSON_OBJECT)) ||
        (st = pt2_member(&graph, r, module, "graph", RIDGE_JSON_OBJECT)) ||
        (st = pt2_member(&signature, r, module, "signature", RIDGE_JSON_OBJECT)) || (st = pt2_graph(&r->out->main, &scope, r, graph, 0)) ||
        (st = pt2_signature(r, &scope, signature)) || (st = pt2_symbols(r, program)) || (st = pt2_module_calls(r, module)) ||
        (st = read_producer(r, program)))
        return st;
    name_graph(r->out);
    return pt2_weights(r);
}

static ridge_status start(pt2_reader *r, ridge_binary *file)
{
    ridge_opgraph *g = r->out;
    const char **files = ridge_arena_array(r->arena, 1, sizeof *files);
    *g = (ridge_opgraph){.kind = "torch.export", .path = file->path};
    g->weights = (ridge_weights){.kind = "torch.export", .files = files, .file_count = 1};
    if (!files || !ridge_symtab_init(&r->texts, r->arena) || !ridge_symtab_init(&r->hint_names, r->scratch) ||
        !ridge_symtab_init(&r->modules, r->scratch) || !ridge_symtab_init(&r->weights, r->scratch))
        return ridge_no_memory(r->err);
    files[0] = file->path;
    return pt2_find(&r->archive, file, r->scratch, r->err);
}

ridge_status ridge_pt2_read(ridge_opgraph *out, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    ridge_arena scratch;
    ridge_arena_init(&scratch);
    pt2_reader r = {.out = out, .arena = arena, .scratch = &scratch, .err = err, .json_path = file->path};
    ridge_status st = start(&r, file);
    st = st ? st : read_program(&r);
    if (!st && (scratch.failed || arena->failed))
        st = ridge_no_memory(err);
    ridge_arena_free(&scratch);
    return st;
}

ridge_status ridge_pt2_weights(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    ridge_opgraph graph;
    ridge_status st = ridge_pt2_read(&graph, file, arena, err);
    *out = graph.weights;
    return st;
}
