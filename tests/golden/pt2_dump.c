/* pt2_dump.c - prints the graph that the reader of torch.export archives makes of each file, as a line of JSON; for pt2.py. */
#include <stdio.h>

#include "base/json.h"
#include "input/pt2/pt2.h"

static void put_dims(ridge_json_writer *w, const ridge_opgraph_value *v)
{
    ridge_jw_key(w, "dims");
    if (!v->ranked) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_array(w);
    for (uint32_t i = 0; i < v->rank; i++) {
        if (v->dims[i].size >= 0)
            ridge_jw_int(w, v->dims[i].size);
        else
            ridge_jw_str(w, v->dims[i].name);
    }
    ridge_jw_end_array(w);
}

static void put_text(ridge_json_writer *w, const char *key, ridge_str text)
{
    ridge_jw_key(w, key);
    ridge_jw_str(w, text);
}

static void put_value(ridge_json_writer *w, const ridge_opgraph_value *v)
{
    static const char *const origins[] = {"result", "input", "parameter", "buffer", "constant"};
    ridge_jw_object(w);
    put_text(w, "name", v->name);
    ridge_jw_member_text(w, "origin", origins[v->origin]);
    ridge_jw_member_text(w, "format", v->format ? v->format->name : NULL);
    ridge_jw_member_text(w, "dtype", v->dtype);
    put_dims(w, v);
    ridge_jw_member_whole(w, "weight", v->weight);
    if (v->number.n)
        put_text(w, "number", v->number);
    if (v->ints || v->reals) {
        ridge_jw_key(w, "content");
        ridge_jw_array(w);
        for (size_t i = 0; i < v->content_count; i++) {
            if (v->ints)
                ridge_jw_int(w, v->ints[i]);
            else
                ridge_jw_double(w, v->reals[i]);
        }
        ridge_jw_end_array(w);
    }
    ridge_jw_end_object(w);
}

static void put_ids(ridge_json_writer *w, const uint32_t *ids, size_t count)
{
    ridge_jw_array(w);
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == RIDGE_OPGRAPH_NONE)
            ridge_jw_null(w);
        else
            ridge_jw_int(w, ids[i]);
    }
    ridge_jw_end_array(w);
}

static void put_argument(ridge_json_writer *w, const ridge_opgraph_argument *a)
{
    static const char *const kinds[] = {"none", "int", "real", "text", "ints", "reals", "texts", "value", "values", "body"};
    ridge_jw_array(w);
    ridge_jw_str(w, a->name);
    ridge_jw_strz(w, kinds[a->kind]);
    switch (a->kind) {
    case RIDGE_OPGRAPH_ARG_NONE:
        ridge_jw_null(w);
        break;
    case RIDGE_OPGRAPH_ARG_INT:
        ridge_jw_int(w, a->u.whole);
        break;
    case RIDGE_OPGRAPH_ARG_REAL:
        ridge_jw_double(w, a->u.real);
        break;
    case RIDGE_OPGRAPH_ARG_TEXT:
        ridge_jw_str(w, a->u.text);
        break;
    case RIDGE_OPGRAPH_ARG_VALUE:
        ridge_jw_int(w, a->u.value);
        break;
    case RIDGE_OPGRAPH_ARG_BODY:
        ridge_jw_int(w, a->u.body);
        break;
    case RIDGE_OPGRAPH_ARG_VALUES:
        put_ids(w, a->u.values, a->count);
        break;
    case RIDGE_OPGRAPH_ARG_INTS:
    case RIDGE_OPGRAPH_ARG_REALS:
    case RIDGE_OPGRAPH_ARG_TEXTS:
        ridge_jw_array(w);
        for (size_t i = 0; i < a->count; i++) {
            if (a->kind == RIDGE_OPGRAPH_ARG_INTS)
                ridge_jw_int(w, a->u.ints[i]);
            else if (a->kind == RIDGE_OPGRAPH_ARG_REALS)
                ridge_jw_double(w, a->u.reals[i]);
            else
                ridge_jw_str(w, a->u.texts[i]);
        }
        ridge_jw_end_array(w);
        break;
    }
    ridge_jw_end_array(w);
}

static void put_node(ridge_json_writer *w, const ridge_opgraph_node *n)
{
    ridge_jw_object(w);
    put_text(w, "op", n->op);
    put_text(w, "name", n->name);
    put_text(w, "module", n->module);
    put_text(w, "class", n->class_name);
    ridge_jw_key(w, "inputs");
    put_ids(w, n->inputs, n->input_count);
    ridge_jw_key(w, "outputs");
    put_ids(w, n->outputs, n->output_count);
    ridge_jw_key(w, "arguments");
    ridge_jw_array(w);
    for (uint32_t i = 0; i < n->argument_count; i++)
        put_argument(w, &n->arguments[i]);
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

static void put_body(ridge_json_writer *w, const ridge_opgraph_body *b)
{
    ridge_jw_object(w);
    ridge_jw_key(w, "inputs");
    put_ids(w, b->inputs, b->input_count);
    ridge_jw_key(w, "outputs");
    put_ids(w, b->outputs, b->output_count);
    ridge_jw_key(w, "nodes");
    ridge_jw_array(w);
    for (size_t i = 0; i < b->count; i++)
        put_node(w, &b->nodes[i]);
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

static void put_weight(ridge_json_writer *w, const ridge_weight *t)
{
    ridge_jw_object(w);
    put_text(w, "name", t->name);
    ridge_jw_member_text(w, "format", t->format->name);
    ridge_jw_key(w, "shape");
    ridge_jw_array(w);
    for (uint32_t i = 0; i < t->rank; i++)
        ridge_jw_int(w, (ridge_int)t->shape[i]);
    ridge_jw_end_array(w);
    ridge_jw_member_whole(w, "bytes", t->bytes);
    ridge_jw_member_whole(w, "offset", (ridge_int)t->offset);
    ridge_jw_member_whole(w, "tied", t->tied);
    ridge_jw_key(w, "buffer");
    ridge_jw_bool(w, t->buffer);
    ridge_jw_end_object(w);
}

static void put_symbol(ridge_json_writer *w, const ridge_opgraph_symbol *s)
{
    ridge_jw_array(w);
    ridge_jw_str(w, s->name);
    ridge_jw_int(w, s->low);
    ridge_jw_int(w, s->high);
    ridge_jw_int(w, s->hint);
    ridge_jw_end_array(w);
}

static void put_module(ridge_json_writer *w, const ridge_opgraph_module *m)
{
    ridge_jw_array(w);
    ridge_jw_str(w, m->path);
    ridge_jw_str(w, m->class_name);
    ridge_jw_end_array(w);
}

static void put_graph(ridge_json_writer *w, const ridge_opgraph *g)
{
    ridge_jw_object_compact(w);
    put_text(w, "name", g->name);
    put_text(w, "producer", g->producer);
    ridge_jw_key(w, "main");
    put_body(w, &g->main);
#define LIST(key, put, items, count)                                                                                                       \
    ridge_jw_key(w, key);                                                                                                                  \
    ridge_jw_array(w);                                                                                                                     \
    for (size_t i = 0; i < count; i++)                                                                                                     \
        put(w, &items[i]);                                                                                                                 \
    ridge_jw_end_array(w)
    LIST("bodies", put_body, g->bodies, g->body_count);
    LIST("values", put_value, g->values, g->value_count);
    LIST("symbols", put_symbol, g->symbols, g->symbol_count);
    LIST("modules", put_module, g->modules, g->module_count);
    LIST("weights", put_weight, g->weights.tensors, g->weights.count);
#undef LIST
    ridge_jw_end_object(w);
}

static void dump(const char *path)
{
    ridge_arena arena;
    ridge_binary file;
    ridge_opgraph graph;
    ridge_err err = {0};
    ridge_buf text = {0};
    ridge_json_writer w;
    char message[1024];
    ridge_arena_init(&arena);
    ridge_status st = ridge_binary_open(&file, path, &arena, &err);
    if (!st)
        st = ridge_pt2_read(&graph, &file, &arena, &err);
    ridge_jw_init(&w, &text);
    if (st) {
        ridge_err_format(message, sizeof message, &err, "--");
        ridge_jw_strz(&w, message);
    } else {
        put_graph(&w, &graph);
    }
    printf("%s\n", text.p);
    ridge_buf_free(&text);
    ridge_binary_close(&file);
    ridge_arena_free(&arena);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        dump(argv[i]);
    return 0;
}
