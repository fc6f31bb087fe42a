/* onnx.c - fuzzes an ONNX file in memory: what comes out is a graph whose names are places in it, made before they are read, each by one
 * node; small constants have as many numbers as elements. An input is read as it is, and again with lengths mended that its parents do not
 * hold, so that a change inside does not end at the first of them. */
#include "weights.h"

#include "input/onnx/onnx.h"

/* ---- lengths mended ---- */

enum { DEEPEST = 40 };
typedef enum message { LEAF, MODEL, GRAPH, NODE, ATTRIBUTE, TENSOR, SPARSE, INFO, TYPE, TENSOR_TYPE, SHAPE, FUNCTION } message;

/* which fields of a message are messages: onnx.proto */
static message inside(message in, uint64_t number)
{
    static const struct {
        message in;
        uint64_t number;
        message is;
    } fields[] = {{MODEL, 7, GRAPH},      {MODEL, 25, FUNCTION},   {GRAPH, 1, NODE},        {GRAPH, 5, TENSOR},
                  {GRAPH, 11, INFO},      {GRAPH, 12, INFO},       {GRAPH, 13, INFO},       {GRAPH, 15, SPARSE},
                  {NODE, 5, ATTRIBUTE},   {ATTRIBUTE, 5, TENSOR},  {ATTRIBUTE, 6, GRAPH},   {ATTRIBUTE, 10, TENSOR},
                  {ATTRIBUTE, 11, GRAPH}, {ATTRIBUTE, 22, SPARSE}, {FUNCTION, 7, NODE},     {FUNCTION, 11, ATTRIBUTE},
                  {INFO, 2, TYPE},        {TYPE, 1, TENSOR_TYPE},  {TENSOR_TYPE, 2, SHAPE}, {SPARSE, 1, TENSOR},
                  {SPARSE, 2, TENSOR}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].in == in && fields[i].number == number)
            return fields[i].is;
    return LEAF;
}

static void put(ridge_buf *out, uint64_t n)
{
    for (; n >= 128; n >>= 7)
        ridge_buf_addc(out, (char)(unsigned char)((n & 127) | 128));
    ridge_buf_addc(out, (char)(unsigned char)n);
}

static size_t take(uint64_t *out, const uint8_t *data, size_t n)
{
    *out = 0;
    for (size_t i = 0; i < n && i < 10; i++) {
        *out |= (uint64_t)(data[i] & 127) << (7 * i);
        if (data[i] < 128)
            return i + 1;
    }
    return 0;
}

static void mend(ridge_buf *out, const uint8_t *data, size_t n, message in, unsigned depth)
{
    for (size_t at = 0; at < n && depth < DEEPEST;) {
        uint64_t key, length = 0;
        size_t step = take(&key, data + at, n - at);
        if (!step || !(key >> 3))
            return;
        at += step;
        const unsigned wire = key & 7;
        step = wire == 1 ? 8 : wire == 5 ? 4 : take(&length, data + at, n - at);
        if ((wire != 0 && wire != 1 && wire != 2 && wire != 5) || !step || step > n - at)
            return;
        put(out, key);
        if (wire != 2) {
            ridge_buf_add(out, (ridge_str){(const char *)data + at, step});
            at += step;
            continue;
        }
        at += step;
        const size_t size = length < n - at ? (size_t)length : n - at;
        ridge_buf part = {0};
        if (inside(in, key >> 3) != LEAF)
            mend(&part, data + at, size, inside(in, key >> 3), depth + 1);
        else
            ridge_buf_add(&part, (ridge_str){(const char *)data + at, size});
        put(out, part.n);
        ridge_buf_add(out, (ridge_str){part.p, part.n});
        ridge_buf_free(&part);
        at += size;
    }
}

/* ---- what a graph must be ---- */

typedef struct checker {
    const ridge_opgraph *g;
    bool *made, *body_seen;
} checker;

static void check_value(const ridge_opgraph *g, const ridge_opgraph_value *v)
{
    ridge_int elements = 1;
    bool none = false;
    FUZZ_CHECK(v->rank <= RIDGE_OPGRAPH_RANK && (v->ranked || v->rank == 0) && !(v->ints && v->reals));
    for (uint32_t i = 0; i < v->rank; i++) {
        FUZZ_CHECK(v->dims[i].size >= -1 && (v->dims[i].size < 0 || v->dims[i].name.n == 0));
        none |= v->dims[i].size == 0;
        elements = v->dims[i].size < 0 || elements > INT32_MAX ? INT32_MAX : elements * v->dims[i].size;
    }
    elements = none ? 0 : elements;
    if (v->ints || v->reals)
        FUZZ_CHECK(v->ranked && (ridge_int)v->content_count == elements && elements <= RIDGE_OPGRAPH_CONTENT && v->format);
    FUZZ_CHECK(v->weight <= g->weights.count && !v->weight == !(v->origin == RIDGE_OPGRAPH_PARAMETER || v->origin == RIDGE_OPGRAPH_BUFFER));
    FUZZ_CHECK(!v->weight || (g->weights.tensors[v->weight - 1].rank == v->rank && g->weights.tensors[v->weight - 1].format == v->format));
}

static void check_body(checker *c, const ridge_opgraph_body *body);

static void check_argument(checker *c, const ridge_opgraph_argument *a)
{
    if (a->kind == RIDGE_OPGRAPH_ARG_VALUE)
        FUZZ_CHECK(a->u.value < c->g->value_count && c->made[a->u.value]);
    for (size_t i = 0; a->kind == RIDGE_OPGRAPH_ARG_VALUES && i < a->count; i++)
        FUZZ_CHECK(a->u.values[i] < c->g->value_count);
    for (size_t i = 0; a->kind == RIDGE_OPGRAPH_ARG_TEXTS && i < a->count; i++)
        FUZZ_CHECK(a->u.texts[i].n == 0 || a->u.texts[i].p);
    if (a->kind == RIDGE_OPGRAPH_ARG_BODY) {
        FUZZ_CHECK(a->u.body < c->g->body_count);
        if (!c->body_seen[a->u.body])
            check_body(c, &c->g->bodies[a->u.body]);
        c->body_seen[a->u.body] = true;
    }
}

static void check_node(checker *c, const ridge_opgraph_node *n)
{
    FUZZ_CHECK(n->op.n > 0 && n->opset >= 0);
    for (uint32_t i = 0; i < n->input_count; i++)
        FUZZ_CHECK(n->inputs[i] == RIDGE_OPGRAPH_NONE || (n->inputs[i] < c->g->value_count && c->made[n->inputs[i]]));
    for (uint32_t i = 0; i < n->argument_count; i++)
        check_argument(c, &n->arguments[i]);
    for (uint32_t i = 0; i < n->output_count; i++) {
        if (n->outputs[i] == RIDGE_OPGRAPH_NONE)
            continue;
        FUZZ_CHECK(n->outputs[i] < c->g->value_count && !c->made[n->outputs[i]]);
        FUZZ_CHECK(c->g->values[n->outputs[i]].origin == RIDGE_OPGRAPH_RESULT);
        c->made[n->outputs[i]] = true;
    }
}

static void check_body(checker *c, const ridge_opgraph_body *body)
{
    for (uint32_t i = 0; i < body->input_count; i++) {
        FUZZ_CHECK(body->inputs[i] < c->g->value_count);
        c->made[body->inputs[i]] = true;
    }
    for (size_t i = 0; i < body->count; i++)
        check_node(c, &body->nodes[i]);
    for (uint32_t i = 0; i < body->output_count; i++)
        FUZZ_CHECK(body->outputs[i] < c->g->value_count && c->made[body->outputs[i]]);
}

static void check_graph(const ridge_opgraph *g, size_t size)
{
    checker c = {g, calloc(g->value_count + 1, sizeof *c.made), calloc(g->body_count + 1, sizeof *c.body_seen)};
    FUZZ_CHECK(c.made && c.body_seen);
    for (size_t i = 0; i < g->value_count; i++) {
        check_value(g, &g->values[i]);
        c.made[i] = g->values[i].origin >= RIDGE_OPGRAPH_PARAMETER;
    }
    check_body(&c, &g->main);
    for (size_t i = 0; i < g->symbol_count; i++)
        FUZZ_CHECK(g->symbols[i].name.n > 0);
    fuzz_check_weights(&g->weights, size);
    free(c.made);
    free(c.body_seen);
}

static void read_once(ridge_str bytes)
{
    ridge_arena arena;
    ridge_binary file;
    ridge_opgraph g;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    ridge_binary_memory(&file, "input.onnx", bytes);
    (void)ridge_onnx_looks(&file);
    const ridge_status st = ridge_onnx_read(&g, &file, &arena, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK) {
        check_graph(&g, bytes.n);
        fuzz_check_modules(&g.weights, &arena);
    }
    ridge_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_buf mended = {0};
    if (size > 1 << 20)
        return 0;
    read_once((ridge_str){(const char *)data, size});
    mend(&mended, data, size, MODEL, 0);
    if (mended.n && !mended.failed && (mended.n != size || memcmp(mended.p, data, size) != 0))
        read_once((ridge_str){mended.p, mended.n});
    ridge_buf_free(&mended);
    return 0;
}
