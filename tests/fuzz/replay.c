/* replay.c - main of a fuzzer that is run as an ordinary test: every file of the folders given, one TAP line each. */
#include "fuzz.h"

#include "base/file.h"

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
            ridge_str text;
            if (ridge_file_read(&text, paths[k], 1u << 26, &arena, &err) != RIDGE_OK) {
                printf("Bail out! %s\n", err.msg);
                return 1;
            }
            fprintf(stderr, "# %s\n", paths[k]); /* the last one named is the one that crashed */
            (void)LLVMFuzzerTestOneInput((const uint8_t *)text.p, text.n);
            const char *slash = strrchr(paths[k], '/');
            printf("ok %zu - %s\n", ++count, slash != NULL ? slash + 1 : paths[k]);
            fflush(stdout);
        }
    }
    printf("1..%zu\n", count);
    ridge_arena_free(&arena);
    return 0;
}
