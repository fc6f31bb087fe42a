/* ONNX: the wire format (protobuf.dev, "Encoding", whose examples are used), and what becomes of names, weights and functions. Beside
 * onnx's own module: tests/golden/onnx_files.py; malformed files: tests/malformed/onnx.case. */
#include "arena_test.h"

#include "input/onnx/onnx.h"
#include "input/onnx/proto.h"

/* ---- the wire format ---- */

static ridge_status varint(uint64_t *out, const char *bytes, size_t n, uint64_t *used)
{
    ridge_binary file;
    ridge_binary_memory(&file, "in", (ridge_str){bytes, n});
    ridge_cursor c = ridge_cursor_all(&file);
    ridge_err_clear(&err);
    ridge_status st = ridge_proto_varint(out, &c, "a number", &err);
    *used = c.at;
    return st;
}

static void test_varints(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        uint64_t value;
    } all[] = {{"\0", 1, 0},
               {"\x01", 1, 1},
               {"\x96\x01", 2, 150},
               {"\x96\x81\0", 3, 150}, /* longer than it need be */
               {"\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 9, INT64_MAX},
               {"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, (uint64_t)-2},
               {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint64_t value, used;
        assert_int_equal(varint(&value, all[i].bytes, all[i].n, &used), RIDGE_OK);
        assert_true(value == all[i].value && used == all[i].n);
    }
}

static void test_varints_that_cannot_be(void **state)
{
    (void)state;
    uint64_t value, used;
    assert_int_equal(varint(&value, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, &used), RIDGE_SYNTAX);
    assert_string_equal(err.msg, "in: in a number, the number at byte 0 has more than 64 bits");
    assert_int_equal(varint(&value, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, &used), RIDGE_SYNTAX);
    assert_int_equal(varint(&value, "\x96", 1, &used), RIDGE_SYNTAX);
    assert_string_equal(err.msg, "in: a number ends at byte 1 inside a number that begins at byte 0");
    assert_int_equal(varint(&value, "", 0, &used), RIDGE_SYNTAX);
    assert_int_equal(used, 0);
}

/* 1: 150; 2: "testing"; 3: fixed32; 4: fixed64; then the end, again and again */
static void test_fields(void **state)
{
    (void)state;
    static const char bytes[] = "\x08\x96\x01\x12\x07testing\x1d\1\2\3\4\x21\1\2\3\4\5\6\7\x80";
    ridge_binary file;
    ridge_proto_field f;
    ridge_binary_memory(&file, "in", (ridge_str){bytes, sizeof bytes - 1});
    ridge_cursor c = ridge_cursor_all(&file);
    assert_int_equal(ridge_proto_next(&f, &c, "it", &err), RIDGE_OK);
    assert_true(f.number == 1 && f.wire == RIDGE_PROTO_VARINT && f.value == 150 && f.at == 0);
    assert_int_equal(ridge_proto_next(&f, &c, "it", &err), RIDGE_OK);
    assert_true(f.number == 2 && f.wire == RIDGE_PROTO_BYTES && f.part.at == 5 && f.part.end == 12 && f.at == 3);
    assert_int_equal(ridge_proto_next(&f, &c, "it", &err), RIDGE_OK);
    assert_true(f.number == 3 && f.value == 0x04030201);
    assert_int_equal(ridge_proto_next(&f, &c, "it", &err), RIDGE_OK);
    assert_true(f.number == 4 && f.value == UINT64_C(0x8007060504030201));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ridge_proto_next(&f, &c, "it", &err), RIDGE_OK);
        assert_int_equal(f.number, 0);
    }
}

/* ---- models, written by hand ---- */

static ridge_status read_model(ridge_opgraph *g, ridge_buf *bytes)
{
    ridge_binary file;
    ridge_binary_memory(&file, "folder/in.onnx", (ridge_str){bytes->p, bytes->n});
    ridge_err_clear(&err);
    return ridge_onnx_read(g, &file, &arena, &err);
}

/* a field of bytes below 128 */
static void part(ridge_buf *to, unsigned field, ridge_str content)
{
    assert_true(content.n < 128 && field < 16);
    ridge_buf_addc(to, (char)(field << 3 | 2));
    ridge_buf_addc(to, (char)content.n);
    ridge_buf_add(to, content);
}

static void text(ridge_buf *to, unsigned field, const char *content)
{
    part(to, field, ridge_str_of(content));
}

static void number(ridge_buf *to, unsigned field, unsigned value)
{
    ridge_buf_addc(to, (char)(field << 3));
    ridge_buf_addc(to, (char)value);
}

static void join(ridge_buf *to, unsigned field, ridge_buf *content)
{
    part(to, field, (ridge_str){content->p, content->n});
    ridge_buf_free(content);
}

static void node(ridge_buf *graph, const char *op, const char *input, const char *other, const char *output)
{
    ridge_buf n = {0};
    text(&n, 1, input);
    if (other)
        text(&n, 1, other);
    text(&n, 2, output);
    text(&n, 4, op);
    join(graph, 1, &n);
}

static void named(ridge_buf *graph, unsigned field, const char *name)
{
    ridge_buf info = {0};
    text(&info, 1, name);
    join(graph, field, &info);
}

/* two float numbers */
static void initializer(ridge_buf *graph, const char *name)
{
    ridge_buf t = {0};
    number(&t, 1, 2);
    number(&t, 2, 1);
    text(&t, 8, name);
    part(&t, 9, (ridge_str){"\0\0\x80\x3f\0\0\0\x40", 8}); /* 1, 2 */
    join(graph, 5, &t);
}

static void model(ridge_buf *to, ridge_buf *graph)
{
    ridge_buf opset = {0};
    number(to, 1, 8);
    join(to, 7, graph);
    number(&opset, 2, 17);
    join(to, 8, &opset);
}

static void test_a_model(void **state)
{
    (void)state;
    ridge_buf graph = {0}, bytes = {0};
    ridge_opgraph g;
    node(&graph, "Mul", "x", "w", "t");
    node(&graph, "Relu", "t", NULL, "y");
    initializer(&graph, "w");
    named(&graph, 11, "x");
    named(&graph, 12, "y");
    model(&bytes, &graph);
    assert_int_equal(read_model(&g, &bytes), RIDGE_OK);
    assert_string_equal(g.kind, "ONNX");
    assert_int_equal(g.main.count, 2);
    assert_str(g.main.nodes[0].op, "Mul");
    assert_int_equal(g.main.nodes[0].opset, 17);
    assert_int_equal(g.value_count, 4);
    const ridge_opgraph_value *w = &g.values[g.main.nodes[0].inputs[1]];
    assert_str(w->name, "w");
    assert_int_equal(w->origin, RIDGE_OPGRAPH_PARAMETER);
    assert_string_equal(w->format->name, "fp32");
    assert_true(w->ranked && w->rank == 1 && w->dims[0].size == 2 && w->content_count == 2 && w->reals[1] == 2);
    assert_int_equal(w->weight, 1);
    assert_true(g.weights.count == 1 && g.weights.bytes == 8 && g.weights.tensors[0].offset + 8 < bytes.n);
    assert_memory_equal(bytes.p + g.weights.tensors[0].offset, "\0\0\x80\x3f\0\0\0\x40", 8);
    assert_int_equal(g.values[g.main.inputs[0]].origin, RIDGE_OPGRAPH_INPUT);
    assert_int_equal(g.main.outputs[0], g.main.nodes[1].outputs[0]);
    ridge_buf_free(&bytes);
}

/* of IR version 3: an initializer that is an input is a weight, and the user gives the other inputs alone */
static void test_an_initializer_among_the_inputs(void **state)
{
    (void)state;
    ridge_buf graph = {0}, bytes = {0};
    ridge_opgraph g;
    named(&graph, 11, "w");
    named(&graph, 11, "x");
    named(&graph, 12, "y");
    node(&graph, "Mul", "x", "w", "y");
    initializer(&graph, "w");
    model(&bytes, &graph);
    assert_int_equal(read_model(&g, &bytes), RIDGE_OK);
    assert_int_equal(g.main.input_count, 1);
    assert_str(g.values[g.main.inputs[0]].name, "x");
    assert_int_equal(g.values[g.main.nodes[0].inputs[1]].origin, RIDGE_OPGRAPH_PARAMETER);
    ridge_buf_free(&bytes);
}

/* An answer does not depend on where the file lies; a file cut anywhere is refused, or is a model that ends there. */
static void test_a_model_cut_anywhere(void **state)
{
    (void)state;
    ridge_buf graph = {0}, bytes = {0};
    ridge_opgraph g;
    initializer(&graph, "w");
    node(&graph, "Relu", "w", NULL, "y");
    named(&graph, 12, "y");
    model(&bytes, &graph);
    const size_t whole = bytes.n, without_opset = whole - 4;
    for (size_t n = 0; n < whole; n++) {
        bytes.n = n;
        const ridge_status st = read_model(&g, &bytes);
        assert_int_not_equal(st, RIDGE_OK);
        assert_true(err.msg[0] != '\0' && err.code == st);
        ridge_binary file;
        ridge_binary_memory(&file, "in", (ridge_str){bytes.p, n});
        assert_int_equal(ridge_onnx_looks(&file), n == without_opset);
    }
    ridge_buf_free(&bytes);
}

static void test_what_is_no_model(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
    } all[] = {
        {"", 0}, {"{\"a\":1}", 7}, {"PK\3\4", 4}, {"\x80\x02.", 3}, {"\x08\x08", 2}, {"\x0a\x02hi", 4}, {"\x08\0\0\0\0\0\0\0{}      ", 16}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ridge_binary file;
        ridge_binary_memory(&file, "in", (ridge_str){all[i].bytes, all[i].n});
        assert_false(ridge_onnx_looks(&file));
    }
}

int main(void)
{
#define ARENA_TEST(f) cmocka_unit_test_setup_teardown(f, open_arena, close_arena)
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_varints),          ARENA_TEST(test_varints_that_cannot_be),          ARENA_TEST(test_fields),
        ARENA_TEST(test_a_model),          ARENA_TEST(test_an_initializer_among_the_inputs), ARENA_TEST(test_a_model_cut_anywhere),
        ARENA_TEST(test_what_is_no_model),
    };
    return RUN_TESTS(tests);
}
