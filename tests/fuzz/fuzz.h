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
#include "report/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* mutate.c: changes data[0..size) in place, at most max_size bytes; its new size */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
/* libFuzzer's own changes of bytes; replay.c has a plain one */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* the corpus as a test (replay.c), not a long run (libFuzzer) */
#ifndef FUZZ_REPLAYS
#define FUZZ_REPLAYS 0
#endif

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

/* an answer prints as JSON that can be read, each key once */
static inline void fuzz_check_json(const ridge_record *record, const void *answer)
{
    ridge_arena arena;
    ridge_buf text = {0};
    ridge_json *json;
    ridge_arena_init(&arena);
    ridge_record_answer(&text, record, answer);
    FUZZ_CHECK(!text.failed);
    FUZZ_CHECK(ridge_json_parse(&json, (ridge_str){text.p, text.n}, "", (ridge_json_options){.unique_keys = true}, &arena, NULL) ==
               RIDGE_OK);
    ridge_buf_free(&text);
    ridge_arena_free(&arena);
}

/* FNV-1a: a long run asks one question of an input, by this; its neighbours get the others */
static inline uint32_t fuzz_digest(ridge_str text)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < text.n; i++)
        hash = (hash ^ (uint8_t)text.p[i]) * 16777619u;
    return hash;
}

#endif
