/* pt2.c - fuzzes the reader of torch.export archives. An input is a file, or, where it begins with '{', {"program": ..., "weights": ...,
 * "constants": ...}: the three JSON texts of a PT2 archive, which gets storages of 64 bytes; without "program" it is the program itself. */
#include "pt2_archive.h"
#include "weights.h"

#include "base/json.h"
#include "input/pt2/pt2.h"

/* ---- what a graph must be ---- */

static void check_value_id(const ridge_opgraph *g, uint32_t id, bool gaps)
{
    FUZZ_CHECK(id < g->value_count || (gaps && id == RIDGE_OPGRAPH_NONE));
}

static void check_ids(const ridge_opgraph *g, const uint32_t *ids, size_t count, bool gaps)
{
    for (size_t i = 0; i < count; i++)
        check_value_id(g, ids[i], gaps);
}

static void check_text(ridge_str text)
{
    size_t sum = 0;
    for (size_t i = 0; i < text.n; i++)
        sum += (unsigned char)text.p[i];
    FUZZ_CHECK(text.n == 0 || text.p[0] == '\0' || sum > 0);
}

static void check_argument(const ridge_opgraph *g, const ridge_opgraph_argument *a)
{
    check_text(a->name);
    FUZZ_CHECK(a->kind <= RIDGE_OPGRAPH_ARG_BODY);
    if (a->kind == RIDGE_OPGRAPH_ARG_TEXT)
        check_text(a->u.text);
    if (a->kind == RIDGE_OPGRAPH_ARG_VALUE)
        check_value_id(g, a->u.value, false);
    if (a->kind == RIDGE_OPGRAPH_ARG_VALUES)
        check_ids(g, a->u.values, a->count, true);
    if (a->kind == RIDGE_OPGRAPH_ARG_BODY)
        FUZZ_CHECK(a->u.body < g->body_count);
    for (size_t i = 0; a->kind == RIDGE_OPGRAPH_ARG_TEXTS && i < a->count; i++)
        check_text(a->u.texts[i]);
}

static void check_body(const ridge_opgraph *g, const ridge_opgraph_body *b)
{
    check_ids(g, b->inputs, b->input_count, false);
    check_ids(g, b->outputs, b->output_count, false);
    for (size_t i = 0; i < b->count; i++) {
        const ridge_opgraph_node *n = &b->nodes[i];
        FUZZ_CHECK(n->op.n > 0);
        check_text(n->op);
        check_text(n->name);
        check_text(n->module);
        check_text(n->class_name);
        check_ids(g, n->inputs, n->input_count, false);
        check_ids(g, n->outputs, n->output_count, true);
        for (uint32_t k = 0; k < n->argument_count; k++)
            check_argument(g, &n->arguments[k]);
    }
}

static void check_value(const ridge_opgraph *g, const ridge_opgraph_value *v)
{
    check_text(v->name);
    check_text(v->number);
    FUZZ_CHECK(v->format && v->dtype && v->ranked && v->rank <= RIDGE_OPGRAPH_RANK && v->weight <= g->weights.count);
    FUZZ_CHECK(v->content_count <= RIDGE_OPGRAPH_CONTENT && !(v->ints && v->reals));
    for (uint32_t i = 0; i < v->rank; i++)
        FUZZ_CHECK(v->dims[i].size >= 0 || v->dims[i].name.n > 0);
    if (v->weight)
        FUZZ_CHECK(ridge_str_eq(v->name, g->weights.tensors[v->weight - 1].name) &&
                   (v->origin == RIDGE_OPGRAPH_PARAMETER || v->origin == RIDGE_OPGRAPH_BUFFER));
}

static void check_graph(const ridge_opgraph *g, uint64_t file_size)
{
    check_body(g, &g->main);
    for (size_t i = 0; i < g->body_count; i++)
        check_body(g, &g->bodies[i]);
    for (size_t i = 0; i < g->value_count; i++)
        check_value(g, &g->values[i]);
    for (uint32_t i = 0; i < g->main.input_count; i++)
        FUZZ_CHECK(g->values[g->main.inputs[i]].origin == RIDGE_OPGRAPH_INPUT);
    for (size_t i = 0; i < g->symbol_count; i++)
        FUZZ_CHECK(g->symbols[i].name.n > 0 && g->symbols[i].low >= 0 && g->symbols[i].hint >= -1);
    for (size_t i = 0; i < g->module_count; i++)
        check_text(g->modules[i].path);
    fuzz_check_weights(&g->weights, file_size);
}

static void read_file(ridge_str bytes)
{
    ridge_arena arena;
    ridge_binary file;
    ridge_opgraph graph;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    ridge_binary_memory(&file, "input.pt2", bytes);
    const ridge_status st = ridge_pt2_read(&graph, &file, &arena, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK)
        check_graph(&graph, bytes.n);
    ridge_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ridge_str text = {(const char *)data, size};
    fuzz_archive made = {0};
    if (size == 0 || data[0] != '{') {
        read_file(text);
        fuzz_weights(text);
        return 0;
    }
    fuzz_pt2_make(&made, text);
    read_file((ridge_str){made.file.p, made.file.n});
    if (fuzz_digest(text) & 1)
        fuzz_weights((ridge_str){made.file.p, made.file.n});
    ridge_buf_free(&made.file);
    return 0;
}
