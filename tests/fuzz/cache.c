/* cache.c - fuzzes how a model is found and its config read: ids in the Hugging Face cache, folders, files.
 * Input (files.h): the files of a cache with one model, and the words that name models, a line each. */
#include "fuzz.h"

#include <string.h>

#include "base/file.h"
#include "files.h"
#include "input/model.h"

enum { SIZE_LIMIT = 1 << 20, WORDS = 8, WORD_CHARS = 256 };

#define REPO "hub/models--org--name"
static const char *const paths[] = {
    REPO "/refs/main", /* a */
    REPO "/snapshots/0123456789abcdef0123456789abcdef01234567/config.json",
    REPO "/snapshots/main/config.json",
    "folder/config.json",
    "folder/model.safetensors", /* e */
    "words",
    "assets/ridge/refs/models--org--name/main",
    "assets/ridge/lists/models--org--name/0123456789abcdef0123456789abcdef01234567.json", /* h */
    REPO "/snapshots/0123456789abcdef0123456789abcdef01234567/a-Q4_K_M.gguf",
};
enum { WORDS_FILE = 5 };

static void read_model(const char *spec)
{
    ridge_arena arena;
    ridge_model_file file;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    const ridge_status st = ridge_model_read(&file, spec, &arena, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK)
        FUZZ_CHECK(file.json->type == RIDGE_JSON_OBJECT && strcmp(file.name, spec) == 0);
    ridge_arena_free(&arena);
}

/* words lead to the input's files and to ids, never to files of this machine */
static bool is_tried(const char *word)
{
    return strncmp(word, FUZZ_FOLDER "/", sizeof FUZZ_FOLDER) == 0 ? strstr(word, "..") == NULL : !ridge_file_exists(word);
}

static void read_words(ridge_str text)
{
    for (size_t i = 0; i < WORDS && text.n > 0; i++) {
        char word[WORD_CHARS];
        const char *end = memchr(text.p, '\n', text.n);
        const size_t n = end != NULL ? (size_t)(end - text.p) : text.n;
        (void)snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), text.p);
        if (is_tried(word))
            read_model(word);
        text = end != NULL ? (ridge_str){end + 1, text.n - n - 1} : (ridge_str){text.p, 0};
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool ready;
    if (size > SIZE_LIMIT)
        return 0;
    if (!ready) {
        FUZZ_CHECK(setenv("HF_HOME", FUZZ_FOLDER, 1) == 0 && unsetenv("HF_HUB_CACHE") == 0 && unsetenv("HUGGINGFACE_HUB_CACHE") == 0);
        FUZZ_CHECK(unsetenv("HF_ASSETS_CACHE") == 0 && unsetenv("HUGGINGFACE_ASSETS_CACHE") == 0 && setenv("HF_HUB_OFFLINE", "1", 1) == 0);
        ready = true;
    }
    fuzz_files_set(paths, sizeof paths / sizeof *paths, (ridge_str){(const char *)data, size});
    read_model("org/name");
    read_model("org/name:Q4_K_M");
    read_model("org/name/a-Q4_K_M.gguf");
    read_model(FUZZ_FOLDER "/folder");
    read_model(FUZZ_FOLDER "/folder/config.json");
    read_words(fuzz_file(WORDS_FILE));
    return 0;
}
