#include "test.h"

#include <math.h>

#include "base/json.h"

static ridge_status parse(ridge_json **json, ridge_str text, bool unique, ridge_arena *arena, ridge_err *err)
{
    *json = NULL;
    return ridge_json_parse(json, text, "x.json", (ridge_json_options){.unique_keys = unique}, arena, err);
}

/* ---- accepted ---- */
static const ridge_json *parse_good(const char *text, ridge_arena *arena)
{
    ridge_err err = {0};
    ridge_json *json;
    if (parse(&json, ridge_str_of(text), false, arena, &err) != RIDGE_OK)
        fail_msg("%s: %s", text, err.msg);
    return json;
}

static void test_every_type(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    const ridge_json *json = parse_good("{\"a\": null, \"b\": [true, false, -1.5e+3], \"c\": \"text\", \"d\": {}, \"e\": []}", &arena);
    assert_int_equal(json->type, RIDGE_JSON_OBJECT);
    assert_int_equal(json->count, 5);
    assert_int_equal(ridge_json_get(json, "a")->type, RIDGE_JSON_NULL);
    const ridge_json *list = ridge_json_get(json, "b");
    assert_int_equal(list->type, RIDGE_JSON_ARRAY);
    assert_int_equal(list->count, 3);
    assert_int_equal(list->u.items[0].type, RIDGE_JSON_TRUE);
    assert_int_equal(list->u.items[1].type, RIDGE_JSON_FALSE);
    assert_int_equal(list->u.items[2].type, RIDGE_JSON_NUMBER);
    assert_str(list->u.items[2].u.text, "-1.5e+3");
    assert_str(ridge_json_get(json, "c")->u.text, "text");
    assert_int_equal(ridge_json_get(json, "d")->count, 0);
    assert_int_equal(ridge_json_get(json, "e")->type, RIDGE_JSON_ARRAY);
    assert_null(ridge_json_get(json, "f"));
    assert_null(ridge_json_get(list, "a"));
    assert_null(ridge_json_get(NULL, "a"));
    ridge_arena_free(&arena);
}

static void test_positions(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    const char *text = "{\n  \"a\": 12,\r\n\t\"b\": [\"\\u0041\",\n {\"c\": null}]\n}\n";
    const ridge_json *json = parse_good(text, &arena);
    assert_int_equal(json->line, 1);
    assert_int_equal(json->col, 1);
    assert_ptr_equal(json->begin, text);
    assert_ptr_equal(json->end, text + strlen(text) - 1);
    assert_int_equal(json->u.members[0].line, 2);
    assert_int_equal(json->u.members[0].col, 3);
    assert_int_equal(json->u.members[0].value.col, 8);
    const ridge_json *b = ridge_json_get(json, "b");
    assert_int_equal(b->line, 3);
    assert_int_equal(b->col, 7);
    assert_int_equal(b->u.items[0].col, 8);
    assert_str(((ridge_str){b->u.items[0].begin, (size_t)(b->u.items[0].end - b->u.items[0].begin)}), "\"\\u0041\"");
    const ridge_json *c = ridge_json_get(&b->u.items[1], "c");
    assert_int_equal(c->line, 4);
    assert_int_equal(c->col, 8);
    assert_str(((ridge_str){c->begin, (size_t)(c->end - c->begin)}), "null");
    ridge_arena_free(&arena);
}

static void number_is(const char *text)
{
    ridge_arena arena;
    ridge_arena_init(&arena);
    const ridge_json *json = parse_good(text, &arena);
    assert_int_equal(json->type, RIDGE_JSON_NUMBER);
    assert_true(ridge_str_is(json->u.text, text));
    ridge_arena_free(&arena);
}

static void test_numbers_stay_text(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "0", "-0", "0.0", "1e5", "1E-05", "-1.25e+10", "123456789012345678901234567890123456789012345", "NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        number_is(numbers[i]);
}

static void test_escapes(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    /* RFC 8259 section 7; the surrogate pair is its own example, U+1D11E */
    assert_str(parse_good("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", &arena)->u.text, "\"\\/\b\f\n\r\t");
    assert_str(parse_good("\"\\uD834\\uDd1E\"", &arena)->u.text, "\xF0\x9D\x84\x9E");
    assert_str(parse_good("\"a long plain start, \\u00e9 and \\u20AC and a long plain end\"", &arena)->u.text,
               "a long plain start, \xC3\xA9 and \xE2\x82\xAC and a long plain end");
    assert_str(parse_good("\"\\u0000\"", &arena)->u.text, "\0");
    assert_str(parse_good("\"\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E\x7F\"", &arena)->u.text, "\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E\x7F");
    assert_str(parse_good("{\"\\u0061\": 1}", &arena)->u.members[0].key, "a");
    ridge_arena_free(&arena);
}

static void test_plain_text_is_not_copied(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    const char *text = "[\"plain\"]";
    assert_ptr_equal(parse_good(text, &arena)->u.items[0].u.text.p, text + 2);
    ridge_arena_free(&arena);
}

static void test_byte_order_mark(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    assert_int_equal(parse_good("\xEF\xBB\xBF{}", &arena)->col, 1);
    ridge_arena_free(&arena);
}

static void test_last_of_equal_names_counts(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    assert_str(ridge_json_get(parse_good("{\"a\": 1, \"b\": 2, \"a\": 3}", &arena), "a")->u.text, "3");
    ridge_arena_free(&arena);
}

static void test_many_items(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_buf buf = {0};
    ridge_err err = {0};
    ridge_json *json;
    ridge_arena_init(&arena);
    ridge_buf_addz(&buf, "{\"list\": [0");
    for (int i = 1; i < 3000; i++)
        ridge_buf_addf(&buf, ",%d", i);
    ridge_buf_addz(&buf, "]");
    for (int i = 0; i < 3000; i++)
        ridge_buf_addf(&buf, ",\"key%d\":{\"n\":%d}", i, i);
    ridge_buf_addz(&buf, "}");
    assert_int_equal(parse(&json, (ridge_str){buf.p, buf.n}, true, &arena, &err), RIDGE_OK);
    assert_int_equal(json->count, 3001);
    assert_int_equal(json->u.members[0].value.count, 3000);
    assert_str(json->u.members[0].value.u.items[2999].u.text, "2999");
    assert_str(ridge_json_get(ridge_json_get(json, "key1234"), "n")->u.text, "1234");
    ridge_buf_free(&buf);
    ridge_arena_free(&arena);
}

static void nested(ridge_buf *buf, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        ridge_buf_addc(buf, '[');
    for (unsigned i = 0; i < depth; i++)
        ridge_buf_addc(buf, ']');
}

static void test_depth(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_json *json;
    ridge_arena_init(&arena);
    for (unsigned depth = 255; depth <= 257; depth++) {
        ridge_buf buf = {0};
        ridge_err err = {0};
        nested(&buf, depth);
        assert_int_equal(parse(&json, (ridge_str){buf.p, buf.n}, false, &arena, &err), depth <= 256 ? RIDGE_OK : RIDGE_LIMIT);
        if (depth > 256)
            assert_string_equal(message_of(&err), "nested deeper than 256");
        ridge_buf_free(&buf);
    }
    ridge_arena_free(&arena);
}

/* ---- refused ---- */
static const struct {
    const char *text;
    unsigned line, col;
    const char *msg;
} malformed[] = {
    {"", 1, 1, "expected a value, found the end of the text"},
    {" \n ", 2, 2, "expected a value, found the end of the text"},
    {"{", 1, 2, "expected '\"' and a name, found the end of the text"},
    {"[", 1, 2, "expected a value, found the end of the text"},
    {"[1", 1, 3, "expected ',' or ']', found the end of the text"},
    {"[1 2]", 1, 4, "expected ',' or ']', found '2'"},
    {"[1,]", 1, 4, "expected a value, found ']'"},
    {"[,1]", 1, 2, "expected a value, found ','"},
    {"[1}", 1, 3, "expected ',' or ']', found '}'"},
    {"{\"a\" 1}", 1, 6, "expected ':', found '1'"},
    {"{\"a\":}", 1, 6, "expected a value, found '}'"},
    {"{\"a\":1,}", 1, 8, "expected '\"' and a name, found '}'"},
    {"{\"a\":1 \"b\":2}", 1, 8, "expected ',' or '}', found '\"'"},
    {"{a: 1}", 1, 2, "expected '\"' and a name, found 'a'"},
    {"{'a': 1}", 1, 2, "expected '\"' and a name, found '''"},
    {"{\n \"a\": 1\n]", 3, 1, "expected ',' or '}', found ']'"},
    {"1 2", 1, 3, "expected the end of the text, found '2'"},
    {"{} // x", 1, 4, "expected the end of the text, found '/'"},
    {"tru", 1, 1, "expected a value, found 'tru'"},
    {"True", 1, 1, "expected a value, found 'True'"},
    {"nul\n", 1, 1, "expected a value, found 'nul'"},
    {"nan", 1, 1, "expected a value, found 'nan'"},
    {"-", 1, 2, "expected a digit, found the end of the text"},
    {"-a", 1, 2, "expected a digit, found 'a'"},
    {"-Inf", 1, 2, "expected a value, found 'Inf'"},
    {"+1", 1, 1, "expected a value, found '+'"},
    {".5", 1, 1, "expected a value, found '.'"},
    {"01", 1, 1, "a number cannot start with 0"},
    {"-012", 1, 2, "a number cannot start with 0"},
    {"1.", 1, 3, "expected a digit after '.', found the end of the text"},
    {"1.e5", 1, 3, "expected a digit after '.', found 'e'"},
    {"1e", 1, 3, "expected a digit in the exponent, found the end of the text"},
    {"1e+]", 1, 4, "expected a digit in the exponent, found ']'"},
    {"0x10", 1, 2, "expected the end of the text, found 'x'"},
    {"\"abc", 1, 5, "expected '\"', found the end of the text"},
    {"\"a\nb\"", 1, 3, "expected an escape instead of a control character, found byte 0x0a"},
    {"\"a\tb\"", 1, 3, "expected an escape instead of a control character, found byte 0x09"},
    {"\"a\\qb\"", 1, 3, "unknown escape"},
    {"\"a\\", 1, 4, "expected '\"', found the end of the text"},
    {"\"\\u12G4\"", 1, 2, "\\u needs four hexadecimal digits"},
    {"\"\\u12", 1, 2, "\\u needs four hexadecimal digits"},
    {"\"\\ud800\"", 1, 2, "a high surrogate without a low one after it"},
    {"\"\\ud800\\u0041\"", 1, 2, "a high surrogate without a low one after it"},
    {"\"x\\udc00\"", 1, 3, "a low surrogate without a high one before it"},
    {"\"\xC3(\"", 1, 2, "not UTF-8"},
    {"\"plain text and then \xFF\"", 1, 22, "not UTF-8"},
    {"\"\xED\xA0\x80\"", 1, 2, "not UTF-8"},
    {"[\x01]", 1, 2, "expected a value, found byte 0x01"},
    {"[\xC2\xA0]", 1, 2, "expected a value, found '\xC2\xA0'"},
    {"{\"a\": 1, \"a\": 2}", 1, 10, "duplicate name 'a', first on line 1"},
    {"{\"b\": 1,\n \"\\u0062\": 2}", 2, 2, "duplicate name 'b', first on line 1"},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        ridge_arena arena;
        ridge_err err = {0};
        ridge_json *json;
        ridge_arena_init(&arena);
        if (parse(&json, ridge_str_of(malformed[i].text), true, &arena, &err) != RIDGE_SYNTAX)
            fail_msg("accepted: %s", malformed[i].text);
        assert_null(json);
        assert_string_equal(message_of(&err), malformed[i].msg);
        assert_string_equal(err.file, "x.json");
        if (err.line != malformed[i].line || err.col != malformed[i].col)
            fail_msg("%s: at %u:%u instead of %u:%u", malformed[i].text, err.line, err.col, malformed[i].line, malformed[i].col);
        ridge_arena_free(&arena);
    }
}

static void test_underlined(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_err err = {0};
    ridge_json *json;
    ridge_arena_init(&arena);
    assert_int_equal(parse(&json, RIDGE_STR("{\n  \"a\": nope,\n}"), false, &arena, &err), RIDGE_SYNTAX);
    assert_string_equal(err.excerpt, "  \"a\": nope,\n       ^~~~");
    ridge_arena_free(&arena);
}

static void test_duplicate_among_many(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_buf buf = {0};
    ridge_err err = {0};
    ridge_json *json;
    ridge_arena_init(&arena);
    for (int i = 0; i < 500; i++)
        ridge_buf_addf(&buf, "%s\"key%d\": %d", i == 0 ? "{" : ",\n", i, i);
    ridge_buf_addz(&buf, ",\n\"key77\": 1}");
    assert_int_equal(parse(&json, (ridge_str){buf.p, buf.n}, true, &arena, &err), RIDGE_SYNTAX);
    assert_string_equal(message_of(&err), "duplicate name 'key77', first on line 78");
    assert_int_equal(err.line, 501);
    ridge_err_clear(&err);
    assert_int_equal(parse(&json, (ridge_str){buf.p, buf.n}, false, &arena, &err), RIDGE_OK);
    ridge_buf_free(&buf);
    ridge_arena_free(&arena);
}

static void test_without_an_error_struct(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_json *json;
    ridge_arena_init(&arena);
    assert_int_equal(ridge_json_parse(&json, RIDGE_STR("[}"), NULL, (ridge_json_options){0}, &arena, NULL), RIDGE_SYNTAX);
    ridge_arena_free(&arena);
}

/* Every prefix and every one-byte change of a text, in a block of exactly its size: no read past the end (the sanitizers see), and
 * a refusal always has its place. */
static const char sample[] = "{\"a\": [1, -2.5e+3, \"x\\n\\u00e9\\ud834\\udd1e\xC3\xA9\", NaN], \"bb\": {\"c\": null, \"d\": true}}";

static void parse_copy(const char *text, size_t n)
{
    ridge_arena arena;
    ridge_err err = {0};
    ridge_json *json;
    ridge_arena_init(&arena);
    char *copy = test_malloc(n != 0 ? n : 1);
    memcpy(copy, text, n);
    if (parse(&json, (ridge_str){copy, n}, true, &arena, &err) != RIDGE_OK) {
        assert_int_equal(err.code, RIDGE_SYNTAX);
        assert_int_not_equal(err.line, 0);
        assert_in_range(err.col, 1, n + 1);
    }
    test_free(copy);
    ridge_arena_free(&arena);
}

static void test_every_prefix(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof sample; n++)
        parse_copy(sample, n);
}

static void test_every_one_byte_change(void **state)
{
    (void)state;
    char text[sizeof sample];
    for (size_t i = 0; i < sizeof sample - 1; i++) {
        memcpy(text, sample, sizeof sample);
        for (unsigned c = 0; c < 256; c++) {
            text[i] = (char)c;
            parse_copy(text, sizeof sample - 1);
        }
    }
}

/* ---- writer ---- */
static void test_writer_layout(void **state)
{
    (void)state;
    ridge_buf buf = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &buf);
    ridge_jw_object(&w);
    ridge_jw_key(&w, "name");
    ridge_jw_strz(&w, "x");
    ridge_jw_key(&w, "none");
    ridge_jw_strz(&w, NULL);
    ridge_jw_key(&w, "rows");
    ridge_jw_array(&w);
    for (int i = 0; i < 2; i++) {
        ridge_jw_object_compact(&w);
        ridge_jw_key(&w, "i");
        ridge_jw_int(&w, i);
        ridge_jw_key(&w, "list");
        ridge_jw_array(&w);
        ridge_jw_bool(&w, true);
        ridge_jw_raw(&w, RIDGE_STR("1e5"));
        ridge_jw_end_array(&w);
        ridge_jw_end_object(&w);
    }
    ridge_jw_end_array(&w);
    ridge_jw_key(&w, "empty");
    ridge_jw_object(&w);
    ridge_jw_end_object(&w);
    ridge_jw_key(&w, "after");
    ridge_jw_null(&w);
    ridge_jw_end_object(&w);
    assert_false(buf.failed);
    assert_string_equal(buf.p, "{\n"
                               "  \"name\": \"x\",\n"
                               "  \"none\": null,\n"
                               "  \"rows\": [\n"
                               "    {\"i\": 0, \"list\": [true, 1e5]},\n"
                               "    {\"i\": 1, \"list\": [true, 1e5]}\n"
                               "  ],\n"
                               "  \"empty\": {},\n"
                               "  \"after\": null\n"
                               "}");
    ridge_buf_free(&buf);
}

/* what is not known is null */
static void test_writer_members(void **state)
{
    (void)state;
    ridge_buf buf = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &buf);
    ridge_jw_object_compact(&w);
    ridge_jw_member_text(&w, "a", "x");
    ridge_jw_member_text(&w, "b", NULL);
    ridge_jw_member_whole(&w, "c", 0);
    ridge_jw_member_whole(&w, "d", (ridge_int)1 << 70);
    ridge_jw_member_whole(&w, "e", -1);
    ridge_jw_end_object(&w);
    assert_string_equal(buf.p,
                        "{\"a\": \"x\", \"b\": null, \"c\": 0, \"d\": 1180591620717411303424, \"e\": null}");
    ridge_buf_free(&buf);
}

static void test_writer_strings_read_back(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    for (unsigned c = 0; c < 128; c++) {
        char text[3] = {'a', (char)c, 'b'};
        ridge_buf buf = {0};
        ridge_json_writer w;
        ridge_jw_init(&w, &buf);
        ridge_jw_str(&w, (ridge_str){text, 3});
        const ridge_json *json = parse_good(buf.p, &arena);
        assert_int_equal(json->u.text.n, 3);
        assert_memory_equal(json->u.text.p, text, 3);
        ridge_buf_free(&buf);
    }
    ridge_arena_free(&arena);
}

static void string_is_written(ridge_str text, const char *expected)
{
    ridge_buf buf = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &buf);
    ridge_jw_str(&w, text);
    assert_string_equal(buf.p, expected);
    ridge_buf_free(&buf);
}

static void test_writer_escapes(void **state)
{
    (void)state;
    string_is_written(RIDGE_STR("\"\\\n\x01\xC3\xA9"), "\"\\\"\\\\\\n\\u0001\xC3\xA9\"");
    string_is_written(RIDGE_STR("a\xFFz\xE2\x82"), "\"a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\""); /* what is no UTF-8 becomes U+FFFD */
    string_is_written((ridge_str){NULL, 0}, "\"\"");
}

static void double_is_written(double value, const char *expected)
{
    ridge_buf buf = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &buf);
    ridge_jw_double(&w, value);
    assert_string_equal(buf.p, expected);
    ridge_buf_free(&buf);
}

static void test_writer_doubles(void **state)
{
    (void)state;
    double_is_written(0.1, "0.1");
    double_is_written(0.1 + 0.2, "0.30000000000000004"); /* Python's repr */
    double_is_written(5, "5");
    double_is_written(-1e300, "-1e+300");
    double_is_written(1.0 / 3, "0.3333333333333333");
    double_is_written(0.0 / 1, "0");
    double_is_written((double)INFINITY, "null");
    double_is_written((double)NAN, "null");
}

static void test_writer_depth(void **state)
{
    (void)state;
    ridge_buf buf = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &buf);
    for (int i = 0; i < 60; i++)
        ridge_jw_array(&w);
    assert_false(buf.failed);
    ridge_jw_array(&w);
    assert_true(buf.failed);
    ridge_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_numbers_stay_text),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_plain_text_is_not_copied),
        cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_last_of_equal_names_counts),
        cmocka_unit_test(test_many_items),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_underlined),
        cmocka_unit_test(test_duplicate_among_many),
        cmocka_unit_test(test_without_an_error_struct),
        cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_every_one_byte_change),
        cmocka_unit_test(test_writer_layout),
        cmocka_unit_test(test_writer_members),
        cmocka_unit_test(test_writer_strings_read_back),
        cmocka_unit_test(test_writer_escapes),
        cmocka_unit_test(test_writer_doubles),
        cmocka_unit_test(test_writer_depth),
    };
    return RUN_TESTS(tests);
}
