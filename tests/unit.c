/* unit.c - every unit test in one program, since each would carry the library: `unit base_str` runs tests/base/str.c.
 * Their main() is compiled as unit_<folder>_<name>() (meson.build), which gives UNIT_TESTS(X) too. */
#include <stdio.h>
#include <string.h>

#define X(name) int unit_##name(void);
UNIT_TESTS(X)
#undef X

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define X(name) {#name, unit_##name},
    UNIT_TESTS(X)
#undef X
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (argc == 2 && strcmp(argv[1], tests[i].name) == 0)
            return tests[i].run();
    fprintf(stderr, "usage: unit TEST; there are\n");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        fprintf(stderr, "  %s\n", tests[i].name);
    return 2;
}
