/* fuzz.h - a fuzzer is one function over arbitrary bytes that must neither crash, leak nor contradict itself.
 * Built with -Dfuzzers=true it is a libFuzzer program (scripts/fuzz.sh); otherwise replay.c runs it over its corpus, as an ordinary test.
 */
#ifndef RIDGE_TESTS_FUZZ_H
#define RIDGE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* a contradiction is a crash: libFuzzer keeps the input, the replay fails */
#define FUZZ_CHECK(condition)                                                                                                              \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                                \
            abort();                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

/* a failure has the code that was returned and says something; success leaves no error behind */
static inline void fuzz_check_err(ridge_status st, const ridge_err *err)
{
    char text[2048];
    FUZZ_CHECK(st == err->code);
    FUZZ_CHECK((st == RIDGE_OK) == (err->msg[0] == '\0'));
    FUZZ_CHECK(ridge_err_format(text, sizeof text, err, "") >= 0);
}

#endif
