/* opgraph.c - a graph of operators as JSON, for tests in Python. In: files as arguments. Out: an object a line, or {"error": "message"};
 * a float that JSON has no number for is a text. */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "input/onnx/onnx.h"

static void text(ridge_json_writer *w, const char *key, ridge_str value)
{
    ridge_jw_key(w, key);
    ridge_jw_str(w, value);
}

static void real(ridge_json_writer *w, double value)
{
    if (isfinite(value))
        ridge_jw_double(w, value);
    else
        ridge_jw_strz(w, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

static void indices(ridge_json_writer *w, const char *key, const uint32_t *values, size_t count)
{
    ridge_jw_key(w, key);
    ridge_jw_array(w);
    for (size_t i = 0; i < count; i++)
        ridge_jw_int(w, values[i] == RIDGE_OPGRAPH_NONE ? -1 : (ridge_int)values[i]);
    ridge_jw_end_array(w);
}

static void dims(ridge_json_writer *w, const ridge_opgraph_value *v)
{
    ridge_jw_key(w, "dims");
    if (!v->ranked) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_array(w);
    for (uint32_t i = 0; i < v->rank; i++)
        if (v->dims[i].size >= 0)
            ridge_jw_int(w, v->dims[i].size);
        else
            ridge_jw_str(w, v->dims[i].name);
    ridge_jw_end_array(w);
}

static void value(ridge_json_writer *w, const ridge_opgraph_value *v)
{
    static const char *const origins[] = {"result", "input", "parameter", "buffer", "constant"};
    ridge_jw_object(w);
    text(w, "name", v->name);
    ridge_jw_member_text(w, "origin", origins[v->origin]);
    ridge_jw_member_text(w, "format", v->format ? v->format->name : NULL);
    ridge_jw_member_text(w, "dtype", v->dtype);
    dims(w, v);
    ridge_jw_member_whole(w, "weight", (ridge_int)v->weight - 1);
    ridge_jw_key(w, "content");
    if (!v->ints && !v->reals)
        ridge_jw_null(w);
    else
        ridge_jw_array(w);
    for (size_t i = 0; (v->ints || v->reals) && i < v->content_count; i++)
        if (v->ints)
            ridge_jw_int(w, v->ints[i]);
        else
            real(w, v->reals[i]);
    if (v->ints || v->reals)
        ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

static void list(ridge_json_writer *w, const ridge_opgraph_argument *a)
{
    ridge_jw_array(w);
    for (size_t i = 0; i < a->count; i++)
        if (a->kind == RIDGE_OPGRAPH_ARG_INTS)
            ridge_jw_int(w, a->u.ints[i]);
        else if (a->kind == RIDGE_OPGRAPH_ARG_REALS)
            real(w, a->u.reals[i]);
        else if (a->kind == RIDGE_OPGRAPH_ARG_TEXTS)
            ridge_jw_str(w, a->u.texts[i]);
        else
            ridge_jw_int(w, a->u.values[i]);
    ridge_jw_end_array(w);
}

/* ["kind", value] */
static void argument(ridge_json_writer *w, const ridge_opgraph_argument *a)
{
    static const char *const kinds[] = {"none", "int", "real", "text", "ints", "reals", "texts", "value", "values", "body"};
    ridge_jw_key_str(w, a->name);
    ridge_jw_array(w);
    ridge_jw_strz(w, kinds[a->kind]);
    switch (a->kind) {
    case RIDGE_OPGRAPH_ARG_NONE:
        ridge_jw_null(w);
        break;
    case RIDGE_OPGRAPH_ARG_INT:
        ridge_jw_int(w, a->u.whole);
        break;
    case RIDGE_OPGRAPH_ARG_REAL:
        real(w, a->u.real);
        break;
    case RIDGE_OPGRAPH_ARG_TEXT:
        ridge_jw_str(w, a->u.text);
        break;
    case RIDGE_OPGRAPH_ARG_VALUE:
    case RIDGE_OPGRAPH_ARG_BODY:
        ridge_jw_int(w, a->kind == RIDGE_OPGRAPH_ARG_VALUE ? a->u.value : a->u.body);
        break;
    default:
        list(w, a);
    }
    ridge_jw_end_array(w);
}

static void node(ridge_json_writer *w, const ridge_opgraph_node *n)
{
    ridge_jw_object(w);
    text(w, "op", n->op);
    text(w, "name", n->name);
    text(w, "module", n->module);
    text(w, "class", n->class_name);
    ridge_jw_member_whole(w, "opset", n->opset);
    indices(w, "inputs", n->inputs, n->input_count);
    indices(w, "outputs", n->outputs, n->output_count);
    ridge_jw_key(w, "arguments");
    ridge_jw_object(w);
    for (uint32_t i = 0; i < n->argument_count; i++)
        argument(w, &n->arguments[i]);
    ridge_jw_end_object(w);
    ridge_jw_end_object(w);
}

static void body(ridge_json_writer *w, const ridge_opgraph_body *b)
{
    ridge_jw_object(w);
    indices(w, "inputs", b->inputs, b->input_count);
    indices(w, "outputs", b->outputs, b->output_count);
    ridge_jw_key(w, "nodes");
    ridge_jw_array(w);
    for (size_t i = 0; i < b->count; i++)
        node(w, &b->nodes[i]);
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

static void weight(ridge_json_writer *w, const ridge_weights *of, const ridge_weight *t)
{
    ridge_jw_object(w);
    text(w, "name", t->name);
    ridge_jw_member_text(w, "stored_as", t->stored_as);
    ridge_jw_key(w, "shape");
    ridge_jw_array(w);
    for (uint32_t i = 0; i < t->rank; i++)
        ridge_jw_int(w, t->shape[i]);
    ridge_jw_end_array(w);
    ridge_jw_member_whole(w, "bytes", t->bytes);
    ridge_jw_member_text(w, "file", of->files[t->file]);
    ridge_jw_member_whole(w, "offset", (ridge_int)t->offset);
    ridge_jw_member_whole(w, "tied", (ridge_int)t->tied - 1);
    ridge_jw_end_object(w);
}

static void graph(ridge_json_writer *w, const ridge_opgraph *g)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "kind", g->kind);
    text(w, "name", g->name);
    text(w, "producer", g->producer);
    ridge_jw_key(w, "values");
    ridge_jw_array(w);
    for (size_t i = 0; i < g->value_count; i++)
        value(w, &g->values[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "main");
    body(w, &g->main);
    ridge_jw_key(w, "bodies");
    ridge_jw_array(w);
    for (size_t i = 0; i < g->body_count; i++)
        body(w, &g->bodies[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "symbols");
    ridge_jw_array(w);
    for (size_t i = 0; i < g->symbol_count; i++)
        ridge_jw_str(w, g->symbols[i].name);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "weights");
    ridge_jw_array(w);
    for (size_t i = 0; i < g->weights.count; i++)
        weight(w, &g->weights, &g->weights.tensors[i]);
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

static void answer(const char *path)
{
    ridge_arena arena;
    ridge_binary file;
    ridge_opgraph g;
    ridge_err err = {0};
    ridge_buf out = {0};
    ridge_json_writer w;
    ridge_arena_init(&arena);
    ridge_jw_init(&w, &out);
    ridge_status st = ridge_binary_open(&file, path, &arena, &err);
    if (!st)
        st = ridge_onnx_read(&g, &file, &arena, &err);
    if (st) {
        ridge_jw_object_compact(&w);
        ridge_jw_member_text(&w, "error", err.msg);
        ridge_jw_end_object(&w);
    } else {
        graph(&w, &g);
    }
    puts(out.p);
    ridge_buf_free(&out);
    ridge_binary_close(&file);
    ridge_arena_free(&arena);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        answer(argv[i]);
    return 0;
}
