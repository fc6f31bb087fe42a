#include "test.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/str.h"

static void test_starts_and_ends(void **state)
{
    (void)state;
    ridge_str text = RIDGE_STR("model.safetensors"), empty = {NULL, 0};
    assert_true(ridge_str_starts(text, RIDGE_STR("model.")));
    assert_true(ridge_str_ends(text, RIDGE_STR(".safetensors")));
    assert_false(ridge_str_starts(text, RIDGE_STR("models")));
    assert_false(ridge_str_ends(RIDGE_STR("s"), RIDGE_STR("ss")));
    assert_true(ridge_str_starts(text, empty) && ridge_str_ends(empty, empty) && ridge_str_eq(empty, RIDGE_STR("")));
    assert_false(ridge_str_eq(RIDGE_STR("ab"), RIDGE_STR("ac")));
    assert_true(ridge_str_is(RIDGE_STR("ab"), "ab"));
}

static void test_parts_of_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path, *part;
        bool has;
    } rows[] = {
        {"model.layers.0.mlp", "layers.0", true},
        {"model.layers.0.mlp", "model", true},
        {"model.layers.0.mlp", "mlp", true},
        {"model.layers.0.mlp", "layers.", false},
        {"model.layers.01.mlp", "layers.0", false},
        {"model.xlayers.0", "layers.0", false},
        {"mlp", "mlp", true},
        {"mlp", "", false},
        {"", "mlp", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ridge_str_has_components(ridge_str_of(rows[i].path), ridge_str_of(rows[i].part)) != rows[i].has)
            fail_msg("%s: %s", rows[i].path, rows[i].part);
    assert_true(ridge_str_is_digits(RIDGE_STR("0")) && ridge_str_is_digits(RIDGE_STR("0123456789")));
    assert_false(ridge_str_is_digits(RIDGE_STR("")) || ridge_str_is_digits(RIDGE_STR("1a")) || ridge_str_is_digits(RIDGE_STR("-1")));
}

static unsigned distance(const char *a, const char *b)
{
    return ridge_str_distance(ridge_str_of(a), ridge_str_of(b), 10);
}

static void test_distance(void **state)
{
    (void)state;
    assert_int_equal(distance("kitten", "sitting"), 3); /* Wagner and Fischer's example pair */
    assert_int_equal(distance("", "abc"), 3);
    assert_int_equal(distance("abc", ""), 3);
    assert_int_equal(distance("same", "same"), 0);
    assert_int_equal(distance("hidden_size", "hiden_size"), 1);
    assert_int_equal(distance("hidden_size", "hidden_szie"), 1); /* a swap is one */
    assert_int_equal(distance("ca", "abc"), 3);                  /* optimal string alignment; the unrestricted distance is 2 */
}

static void test_distance_stops_at_the_limit(void **state)
{
    (void)state;
    assert_int_equal(ridge_str_distance(RIDGE_STR("aaaaaaaa"), RIDGE_STR("bbbbbbbb"), 2), 3);
    assert_int_equal(ridge_str_distance(RIDGE_STR("a"), RIDGE_STR("abcdefgh"), 2), 3);
    assert_int_equal(ridge_str_distance(RIDGE_STR("ab"), RIDGE_STR("ba"), 0), 1);
    assert_int_equal(ridge_str_distance(RIDGE_STR("abcd"), RIDGE_STR("badc"), 2), 2);
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const words[] = {"bias", "rows", "in_features", "out_features"};
    static const char *const typed[][2] = {
        {"biass", "bias"}, {"in_feature", "in_features"}, {"out", "out_features"}, {"zebra", NULL}, {"x", NULL}};
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        ridge_nearest nearest = {0};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            ridge_nearest_offer(&nearest, ridge_str_of(typed[i][0]), words[k]);
        if (typed[i][1])
            assert_string_equal(nearest.best, typed[i][1]);
        else
            assert_null(nearest.best);
    }
}

static void test_buffer(void **state)
{
    (void)state;
    ridge_buf buf = {0};
    for (int i = 0; i < 1000; i++) {
        ridge_buf_addf(&buf, "%d,", i);
        ridge_buf_addc(&buf, ' ');
    }
    ridge_buf_add(&buf, (ridge_str){NULL, 0});
    ridge_buf_addz(&buf, "end");
    assert_false(buf.failed);
    assert_int_equal(buf.n, 10 + 180 + 2700 + 2000 + 3);
    assert_memory_equal(buf.p, "0, 1, 2, ", 9);
    assert_string_equal(buf.p + buf.n - 8, "999, end");
    ridge_buf_free(&buf);
    assert_null(buf.p);
}

static void test_empty_addition_terminates(void **state)
{
    (void)state;
    ridge_buf buf = {0};
    ridge_buf_addz(&buf, "");
    assert_string_equal(buf.p, "");
    ridge_buf_free(&buf);
}

static void test_equal_names_are_equal_pointers(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_symtab tab;
    const ridge_symbol *symbols[5000];
    char name[32];
    ridge_arena_init(&arena);
    assert_true(ridge_symtab_init(&tab, &arena));
    for (uint32_t i = 0; i < 5000; i++) {
        int n = snprintf(name, sizeof name, "name_%u", i);
        assert_null(ridge_intern_find(&tab, (ridge_str){name, (size_t)n}));
        symbols[i] = ridge_intern(&tab, (ridge_str){name, (size_t)n});
        assert_non_null(symbols[i]);
        assert_int_equal(symbols[i]->id, i);
        assert_string_equal(symbols[i]->text, name);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        int n = snprintf(name, sizeof name, "name_%u", i);
        assert_ptr_equal(ridge_intern(&tab, (ridge_str){name, (size_t)n}), symbols[i]);
        assert_ptr_equal(ridge_intern_find(&tab, (ridge_str){name, (size_t)n}), symbols[i]);
    }
    assert_int_equal(tab.count, 5000);
    assert_ptr_equal(ridge_intern(&tab, (ridge_str){NULL, 0}), ridge_intern(&tab, RIDGE_STR("")));
    ridge_arena_free(&arena);
}

static size_t utf8(const char *z)
{
    return ridge_utf8_length(z, z + strlen(z));
}

static void test_utf8(void **state)
{
    (void)state;
    assert_int_equal(utf8("a"), 1);
    assert_int_equal(utf8("\xC3\xA9"), 2);
    assert_int_equal(utf8("\xE2\x82\xAC"), 3);
    assert_int_equal(utf8("\xF0\x9F\x98\x80"), 4);
    assert_int_equal(utf8("\xF4\x8F\xBF\xBF"), 4); /* U+10FFFF */
    /* RFC 3629: overlong, surrogate, past U+10FFFF, cut short, stray continuation */
    const char *bad[] = {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xF0\x80\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
                         "\xE2\x82", "\x80",     "\xFF"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(utf8(bad[i]), 0);
    for (uint32_t c = 1; c < 0x110000; c += 7) {
        char text[4], *end = ridge_utf8_put(text, c);
        if (c < 0xD800 || c >= 0xE000)
            assert_int_equal(ridge_utf8_length(text, end), end - text);
    }
}

/* RFC 4180, 2.6 and 2.7 */
static void test_csv(void **state)
{
    static const char *const cells[][2] = {
        {"plain text", "plain text"},       {"", ""},         {"a,b", "\"a,b\""}, {"line\nbreak", "\"line\nbreak\""},
        {"say \"x\"", "\"say \"\"x\"\"\""}, {"\r", "\"\r\""}, {"'", "'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        ridge_buf buf = {0};
        ridge_buf_add_csv(&buf, ridge_str_of(cells[i][0]));
        assert_int_equal(buf.n, strlen(cells[i][1]));
        if (buf.n > 0)
            assert_string_equal(buf.p, cells[i][1]);
        ridge_buf_free(&buf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_starts_and_ends),
        cmocka_unit_test(test_parts_of_paths),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_distance_stops_at_the_limit),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_empty_addition_terminates),
        cmocka_unit_test(test_equal_names_are_equal_pointers),
        cmocka_unit_test(test_utf8),
    };
    return RUN_TESTS(tests);
}
