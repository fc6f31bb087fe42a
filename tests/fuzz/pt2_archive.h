/* pt2_archive.h - an archive of torch.export made of its JSON texts, for fuzzers whose inputs are these. */
#ifndef RIDGE_TESTS_FUZZ_PT2_ARCHIVE_H
#define RIDGE_TESTS_FUZZ_PT2_ARCHIVE_H

#include "archive.h"

#include "base/json.h"

enum { FUZZ_STORAGE = 64 };

static inline ridge_str fuzz_member(const ridge_json *v, const char *key, ridge_str otherwise)
{
    const ridge_json *one = ridge_json_get(v, key);
    return one ? (ridge_str){one->begin, (size_t)(one->end - one->begin)} : otherwise;
}

/* "program", "weights" and "constants" of the text, or the text as the program, with storages of FUZZ_STORAGE bytes */
static inline void fuzz_pt2_make(fuzz_archive *a, ridge_str text)
{
    static const char storage[FUZZ_STORAGE] = {1, 2, 3, -1};
    static const char *const storages[] = {"data/weights/weight_0", "data/weights/weight_1", "data/constants/tensor_0"};
    ridge_arena arena;
    ridge_json *v = NULL;
    ridge_arena_init(&arena);
    if (ridge_json_parse(&v, text, "", (ridge_json_options){0}, &arena, NULL))
        v = NULL;
    fuzz_archive_add(a, "archive_format", RIDGE_STR("pt2"));
    fuzz_archive_add(a, "models/m.json", fuzz_member(v, "program", text));
    fuzz_archive_add(a, "data/weights/m_weights_config.json", fuzz_member(v, "weights", RIDGE_STR("{\"config\": {}}")));
    fuzz_archive_add(a, "data/constants/m_constants_config.json", fuzz_member(v, "constants", RIDGE_STR("{\"config\": {}}")));
    for (size_t i = 0; i < sizeof storages / sizeof *storages; i++)
        fuzz_archive_add(a, storages[i], (ridge_str){storage, sizeof storage});
    fuzz_archive_end(a);
    ridge_arena_free(&arena);
}

#endif
