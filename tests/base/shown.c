/* shown.c - foreign text as people may see it. Expected texts: by hand from the rule in base/shown.h. */
#include "test.h"

#include "base/err.h"
#include "base/shown.h"

static void check(const char *text, unsigned how, const char *wanted)
{
    ridge_buf out = {0};
    ridge_buf_add_shown(&out, ridge_str_of(text), how);
    assert_string_equal(out.p ? out.p : "", wanted);
    ridge_buf_free(&out);
}

static void test_names(void **state)
{
    (void)state;
    check("plain name", 0, "plain name");
    check("J\xC3\xBCrgen \xF0\x9F\x98\x80", 0, "J\xC3\xBCrgen \xF0\x9F\x98\x80");
    check("a\nb\tc\rd", 0, "a\\nb\\tc\\rd");
    check("\033[2J\a\x7F", 0, "\\x1b[2J\\x07\\x7f");
    check("\xC2\x9B"
          "31m",
          0, "\\u009b31m"); /* CSI of C1 */
    check("\xE2\x80\xAE"
          "cba\xE2\x81\xA9",
          0, "\\u202ecba\\u2069"); /* RLO, PDI */
    check("a\xE2\x80\xA8"
          "b\xE2\x80\x8B"
          "c",
          0, "a\\u2028b\\u200bc");
    check("\xF3\xA0\x81\x81", 0, "\\U000e0041"); /* a tag */
    check("a\xFF\xC3", 0, "a\\xff\\xc3");        /* no UTF-8, half a character */
    check("\xED\xA0\x80", 0, "\\xed\\xa0\\x80"); /* a surrogate */
}

static void test_whole_texts(void **state)
{
    (void)state;
    check("a\nb\r\n", RIDGE_SHOWN_LINES, "a\nb\\r\n");
    check("a " RIDGE_OPT("batch") " b", RIDGE_SHOWN_LINES | RIDGE_SHOWN_DASHES, "a --batch b");
    check("\376!", RIDGE_SHOWN_DASHES, "\\xfe!"); /* no name of an option follows */
}

static void test_looks(void **state)
{
    (void)state;
    check(RIDGE_LOOK_ALARM "no" RIDGE_LOOK_PLAIN, RIDGE_SHOWN_COLOURS, "\033[1;31mno\033[0m");
    check(RIDGE_LOOK_ALARM "no" RIDGE_LOOK_PLAIN, 0, "no");
    check(RIDGE_LOOK("8") "hidden", RIDGE_SHOWN_COLOURS, "\\xfd8mhidden");
    check("\375[2J", RIDGE_SHOWN_COLOURS, "\\xfd[2J");
    ridge_buf out = {0};
    ridge_buf_addz(&out, RIDGE_LOOK_BOLD "a" RIDGE_LOOK_PLAIN " " RIDGE_OPT("on"));
    ridge_buf_drop_marks(&out);
    assert_string_equal(out.p, "a on");
    ridge_buf_free(&out);
    const char *text = RIDGE_LOOK_BOLD "\xC3\xBC" RIDGE_LOOK_PLAIN RIDGE_OPT("on");
    assert_int_equal(ridge_shown_columns(text, strlen(text)), 5);
    assert_int_equal(ridge_shown_columns("模型 e\u0301 🚀", strlen("模型 e\u0301 🚀")), 9);
    assert_int_equal(ridge_shown_within("模型", 3), strlen("模"));
    assert_int_equal(ridge_shown_within("\xff\xfe", 1), 1);
    assert_int_equal(ridge_shown_within("ab", 9), 2);
}

static void test_ascii(void **state)
{
    (void)state;
    check("12.3 \xC2\xB5s \xC3\x97 2 \xE2\x80\xA6", RIDGE_SHOWN_ASCII, "12.3 us x 2 ...");
    check("\xC2\xB1 2 \xE2\x89\xA4 3", RIDGE_SHOWN_ASCII, "+- 2 <= 3");
    check("J\xC3\xBCrgen \xF0\x9F\x98\x80", RIDGE_SHOWN_ASCII, "J\\u00fcrgen \\U0001f600");
}

static void test_json(void **state)
{
    (void)state;
    const unsigned how = RIDGE_SHOWN_JSON | RIDGE_SHOWN_LINES;
    check("{\n\"a\": \"\xC2\x9B\x7F\"}\n", how, "{\n\"a\": \"\\u009b\\u007f\"}\n");
    check("\xF3\xA0\x81\x81", how, "\\udb40\\udc41"); /* U+E0041 as a surrogate pair */
    check("\xC2\xB5", how, "\xC2\xB5");
    check("\xC2\xB5", how | RIDGE_SHOWN_ASCII, "\\u00b5");
}

static void test_copies(void **state)
{
    (void)state;
    char out[6];
    ridge_arena arena;
    ridge_arena_init(&arena);
    const char *plain = "plain";
    assert_ptr_equal(ridge_shown(&arena, plain), plain);
    assert_string_equal(ridge_shown(&arena, "a\nb"), "a\\nb");
    ridge_shown_copy(out, sizeof out, "ab\033cd"); /* cut before what does not fit whole */
    assert_string_equal(out, "ab");
    ridge_shown_copy(out, sizeof out, "abcdefgh");
    assert_string_equal(out, "abcde");
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names), cmocka_unit_test(test_whole_texts), cmocka_unit_test(test_looks),
        cmocka_unit_test(test_ascii), cmocka_unit_test(test_json),        cmocka_unit_test(test_copies),
    };
    return RUN_TESTS(tests);
}
