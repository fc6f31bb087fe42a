/* test.h - what every unit test includes: cmocka with the headers it wants before it, and checks for the project's types.
 * cmocka's skip() is not for use here: it prints "not ok", which meson counts as a failure; return instead. */
#ifndef RIDGE_TESTS_TEST_H
#define RIDGE_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka comes after these */
#include <cmocka.h>

#include "base/err.h"
#include "base/str.h"

/* an error's message as the library has it: options without dashes; valid until the next call */
static inline const char *message_of(const ridge_err *err)
{
    static char text[2 * sizeof err->msg];
    (void)ridge_spell(text, sizeof text, err->msg, "");
    return text;
}

/* a ridge_str against a literal, both shown where they differ */
#define assert_str(view, literal)                                                                                                          \
    do {                                                                                                                                   \
        ridge_str view_ = (view);                                                                                                          \
        char text_[1024];                                                                                                                  \
        size_t n_ = view_.n < sizeof text_ ? view_.n : sizeof text_ - 1;                                                                   \
        if (n_ != 0)                                                                                                                       \
            memcpy(text_, view_.p, n_);                                                                                                    \
        text_[n_] = '\0';                                                                                                                  \
        assert_string_equal(text_, literal);                                                                                               \
        assert_int_equal(view_.n, sizeof(literal) - 1);                                                                                    \
    } while (0)

#define RUN_TESTS(tests) cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL)

#endif
