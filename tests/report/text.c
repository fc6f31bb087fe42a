/* text.c - lines folded at a width. Expected lines: by hand. */
#include "test.h"

#include "base/shown.h"
#include "report/text.h"

static void check(const char *text, size_t width, const char *wanted)
{
    ridge_buf out = {0};
    ridge_buf_addz(&out, "kept as it is, however long\n");
    size_t from = out.n;
    ridge_buf_addz(&out, text);
    ridge_text_fold(&out, from, width);
    assert_memory_equal(out.p, "kept as it is, however long\n", from);
    assert_string_equal(out.p + from, wanted);
    ridge_buf_free(&out);
}

static void test_below_the_text(void **state)
{
    (void)state;
    check("short\n", 20, "short\n");
    check("label  one two three four\n", 18, "label  one two\n       three four\n");
    check("       one two three four\n", 18, "       one two\n       three four\n");
    check("a/long/name  and words after it\n", 20, "a/long/name  and\n             words\n             after\n             it\n");
    check("no label but many words\n", 12, "no label but\n  many words\n");
    check("any width is enough for this\n", 0, "any width is enough for this\n");
    check("", 10, "");
}

static void test_what_stays_together(void **state)
{
    (void)state;
    check("memory  12.5 GB and 13.48 GB\n", 24, "memory  12.5 GB and\n        13.48 GB\n"); /* a number and its unit */
    check("a_word_that_is_far_too_long x\n", 10, "a_word_that_is_far_too_long\n  x\n");
    check("\xC2\xB5\xC2\xB5\xC2\xB5 \xC2\xB5\xC2\xB5\xC2\xB5\n", 7, "\xC2\xB5\xC2\xB5\xC2\xB5 \xC2\xB5\xC2\xB5\xC2\xB5\n"); /* 7 columns */
    check(RIDGE_LOOK_ALARM "no" RIDGE_LOOK_PLAIN " room\n", 7, RIDGE_LOOK_ALARM "no" RIDGE_LOOK_PLAIN " room\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_below_the_text), cmocka_unit_test(test_what_stays_together)};
    return RUN_TESTS(tests);
}
