#include "test.h"

#include <stdio.h>

#include "base/err.h"

static void test_first_cause_is_kept(void **state)
{
    (void)state;
    ridge_err err = {0};
    assert_int_equal(ridge_fail(&err, RIDGE_VALUE, "bad %d", 7), RIDGE_VALUE);
    assert_int_equal(ridge_fail(&err, RIDGE_NOMEM, "later"), RIDGE_VALUE);
    assert_string_equal(message_of(&err), "bad 7");
    ridge_err_clear(&err);
    assert_int_equal(ridge_fail(&err, RIDGE_NOMEM, "later"), RIDGE_NOMEM);
}

static void test_without_an_error_struct(void **state)
{
    (void)state;
    assert_int_equal(ridge_fail(NULL, RIDGE_IO, "x"), RIDGE_IO);
    assert_int_equal(ridge_fail_at(NULL, RIDGE_IO, "f", 1, 2, "x"), RIDGE_IO);
    ridge_err_place(NULL, "f", 1, 1);
    ridge_err_excerpt(NULL, "x", 1, 0, 1);
    ridge_err_clear(NULL);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(ridge_status_name(RIDGE_OK), "OK");
    assert_string_equal(ridge_status_name(RIDGE_CYCLE), "CYCLE");
    assert_string_equal(ridge_status_name((ridge_status)999), "?");
}

static void test_long_message_is_cut_between_characters(void **state)
{
    (void)state;
    ridge_err err = {0};
    char text[600];
    memset(text, 'a', sizeof text);
    memcpy(text + 510, "\xC3\xA9", 3); /* byte 511 of the message would be the first half of an e acute */
    (void)ridge_fail(&err, RIDGE_VALUE, "%s", text);
    assert_int_equal(strlen(err.msg), 510);
}

static void test_place_is_set_once(void **state)
{
    (void)state;
    ridge_err err = {0};
    ridge_err_place(&err, "none", 1, 1); /* no error, nothing to place */
    assert_string_equal(err.file, "");
    (void)ridge_fail(&err, RIDGE_VALUE, "x");
    ridge_err_place(&err, "a", 3, 4);
    ridge_err_place(&err, "b", 5, 6);
    assert_string_equal(err.file, "a");
    assert_int_equal(err.line, 3);
    assert_int_equal(err.col, 4);
}

static void format_is(const ridge_err *err, const char *expected)
{
    char text[1200];
    assert_int_equal(ridge_err_format(text, sizeof text, err, ""), strlen(expected));
    assert_string_equal(text, expected);
}

static void test_format(void **state)
{
    (void)state;
    const char *source = "first\nrows * hiden_size + 1\nlast";
    ridge_err err = {0};
    (void)ridge_fail_at(&err, RIDGE_NAME, "x.json", 2, 8, "unknown name 'hiden_size'");
    format_is(&err, "x.json:2:8: unknown name 'hiden_size'");
    ridge_err_excerpt(&err, source, strlen(source), 6 + 7, 10);
    format_is(&err, "x.json:2:8: unknown name 'hiden_size'\n    rows * hiden_size + 1\n           ^~~~~~~~~~");
    ridge_err_clear(&err);
    (void)ridge_fail(&err, RIDGE_IO, "gone");
    format_is(&err, "gone");
    ridge_err_place(&err, "a.json", 0, 0);
    format_is(&err, "a.json: gone");
    ridge_err_clear(&err);
    (void)ridge_fail_at(&err, RIDGE_SYNTAX, NULL, 1, 5, "odd");
    format_is(&err, "1:5: odd");
}

static void test_format_into_a_short_buffer(void **state)
{
    (void)state;
    ridge_err err = {0};
    char text[8];
    (void)ridge_fail(&err, RIDGE_IO, "0123456789");
    assert_int_equal(ridge_err_format(text, sizeof text, &err, ""), 10);
    assert_string_equal(text, "0123456");
}

static void excerpt_is(const char *text, size_t offset, size_t span, const char *expected)
{
    ridge_err err = {0};
    (void)ridge_fail(&err, RIDGE_SYNTAX, "x");
    ridge_err_excerpt(&err, text, strlen(text), offset, span);
    assert_string_equal(err.excerpt, expected);
}

static void test_excerpt_edges(void **state)
{
    (void)state;
    excerpt_is("", 0, 1, "\n^");
    excerpt_is("ab", 2, 1, "ab\n  ^");
    excerpt_is("ab\ncd", 2, 1, "ab\n  ^");
    excerpt_is("ab\ncd", 3, 99, "cd\n^~");
    excerpt_is("ab", 99, 5, "ab\n  ^");
    excerpt_is("a\tb\rc", 2, 1, "a b c\n  ^");
    excerpt_is("\xC3\xA9\xC3\xA9x", 4, 1, "\xC3\xA9\xC3\xA9x\n  ^"); /* marks count characters, not bytes */
}

static void test_excerpt_of_a_long_line(void **state)
{
    (void)state;
    char text[5001];
    memset(text, 'a', 5000);
    text[5000] = '\0';
    text[2500] = 'X';
    for (size_t offset = 0; offset <= 5000; offset += 500) {
        ridge_err err = {0};
        (void)ridge_fail(&err, RIDGE_SYNTAX, "x");
        ridge_err_excerpt(&err, text, 5000, offset, 5000);
        const char *newline = strchr(err.excerpt, '\n');
        assert_non_null(newline);
        assert_in_range(newline - err.excerpt, 60, 120);
        const char *mark = strchr(newline, '^');
        assert_non_null(mark);
        if (offset == 2500)
            assert_int_equal(err.excerpt[mark - newline - 1], 'X');
    }
}

static void test_append(void **state)
{
    (void)state;
    ridge_err err = {0};
    ridge_err_append(NULL, "x");
    ridge_err_append(&err, "x"); /* no error, no message */
    assert_string_equal(message_of(&err), "");
    (void)ridge_fail(&err, RIDGE_VALUE, "a");
    ridge_err_append(&err, " %d\x1b", 7);
    assert_string_equal(message_of(&err), "a 7\\x1b");
    for (int i = 0; i < 300; i++)
        ridge_err_append(&err, "\xC3\xA9");
    assert_int_equal((strlen(err.msg) - strlen("a 7\\x1b")) % 2, 0); /* cut between characters */
    assert_in_range(strlen(err.msg), sizeof err.msg - 3, sizeof err.msg - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_cause_is_kept),
        cmocka_unit_test(test_without_an_error_struct),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_long_message_is_cut_between_characters),
        cmocka_unit_test(test_place_is_set_once),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_format_into_a_short_buffer),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_excerpt_edges),
        cmocka_unit_test(test_excerpt_of_a_long_line),
    };
    return RUN_TESTS(tests);
}
