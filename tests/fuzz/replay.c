/* replay.c - main of a fuzzer that is run as an ordinary test: every file of the folders and some inputs near it, a TAP line each. */
#include "fuzz.h"

#include <string.h>

#include "base/file.h"

enum { NEIGHBOURS = 12, LARGEST = 1 << 16 };

/* one byte different */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    static uint32_t state = 1;
    (void)max_size;
    state = state * 1664525u + 1013904223u; /* Numerical Recipes' linear congruence */
    if (size > 0)
        data[(state >> 8) % size] ^= (uint8_t)(1u << (state >> 29));
    return size;
}

/* inputs that the mutator makes of this one, each of the one before; the same in every run */
static void run_near(ridge_str text)
{
    uint8_t *data = malloc(LARGEST);
    size_t size = text.n;
    FUZZ_CHECK(data != NULL);
    memcpy(data, text.p, size);
    for (unsigned seed = 1; seed <= NEIGHBOURS; seed++) {
        size = LLVMFuzzerCustomMutator(data, size, LARGEST, seed);
        fprintf(stderr, "#   neighbour %u, %zu bytes\n", seed, size);
        (void)LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
}

static bool run_file(const char *path, ridge_arena *arena)
{
    ridge_str text;
    ridge_err err = {0};
    if (ridge_file_read(&text, path, 1u << 26, arena, &err) != RIDGE_OK) {
        printf("Bail out! %s\n", err.msg);
        return false;
    }
    fprintf(stderr, "# %s\n", path); /* the last one named is the one that crashed */
    (void)LLVMFuzzerTestOneInput((const uint8_t *)text.p, text.n);
    if (text.n <= LARGEST)
        run_near(text);
    return true;
}

int main(int argc, char **argv)
{
    ridge_arena arena;
    size_t count = 0;
    ridge_arena_init(&arena);
    for (int i = 1; i < argc; i++) {
        char **paths;
        size_t n;
        ridge_err err = {0};
        if (ridge_file_list(&paths, &n, argv[i], "", &arena, &err) != RIDGE_OK || n == 0) {
            printf("Bail out! no corpus in %s %s\n", argv[i], err.msg);
            return 1;
        }
        for (size_t k = 0; k < n; k++) {
            if (!run_file(paths[k], &arena))
                return 1;
            const char *slash = strrchr(paths[k], '/');
            printf("ok %zu - %s\n", ++count, slash != NULL ? slash + 1 : paths[k]);
            fflush(stdout);
        }
    }
    printf("1..%zu\n", count);
    ridge_arena_free(&arena);
    return 0;
}
