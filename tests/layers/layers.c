/* layers.c - every #include "folder/..." of src/ against layers.txt. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

enum { FOLDERS_MAX = 64 };

typedef struct table {
    ridge_str folders[FOLDERS_MAX];
    long layers[FOLDERS_MAX];
    size_t count;
} table;

static ridge_arena arena;
static table layers;

/* the next line of *text, without its newline; false at the end */
static bool next_line(ridge_str *line, ridge_str *text)
{
    if (text->n == 0)
        return false;
    const char *newline = memchr(text->p, '\n', text->n);
    line->p = text->p;
    line->n = newline != NULL ? (size_t)(newline - text->p) : text->n;
    size_t used = line->n + (newline != NULL);
    text->p += used;
    text->n -= used;
    return true;
}

static long layer_of(ridge_str folder)
{
    for (size_t i = 0; i < layers.count; i++)
        if (ridge_str_eq(layers.folders[i], folder))
            return layers.layers[i];
    return -1;
}

static int load_table(void **state)
{
    (void)state;
    ridge_str text, line;
    ridge_arena_init(&arena);
    if (ridge_file_read(&text, SOURCE_ROOT "/tests/layers/layers.txt", 1 << 16, &arena, NULL) != RIDGE_OK)
        return 1;
    while (next_line(&line, &text)) {
        const char *space = memchr(line.p, ' ', line.n);
        if (line.p[0] == '#' || space == NULL || layers.count == FOLDERS_MAX)
            continue;
        layers.layers[layers.count] = strtol(line.p, NULL, 10);
        const char *name = space + 1, *end = memchr(name, ' ', (size_t)(line.p + line.n - name));
        layers.folders[layers.count++] = (ridge_str){name, (size_t)((end ? end : line.p + line.n) - name)};
    }
    return layers.count == 0;
}

static int free_table(void **state)
{
    (void)state;
    ridge_arena_free(&arena);
    return 0;
}

/* The folder of a line `#include "folder/file"`, or `<folder/file>` where it is one of ours; empty for every other line.
 * Preprocessing: "#" "include" ( q-char-sequence | h-char-sequence ) */
static ridge_str included_folder(ridge_str line)
{
    size_t i = 0;
    const char *p = line.p;
    while (i < line.n && (p[i] == ' ' || p[i] == '\t'))
        i++;
    if (i == line.n || p[i++] != '#')
        return (ridge_str){NULL, 0};
    while (i < line.n && (p[i] == ' ' || p[i] == '\t'))
        i++;
    if (!ridge_str_starts((ridge_str){p + i, line.n - i}, RIDGE_STR("include")))
        return (ridge_str){NULL, 0};
    for (i += 7; i < line.n && (p[i] == ' ' || p[i] == '\t');)
        i++;
    if (i == line.n || (p[i] != '"' && p[i] != '<'))
        return (ridge_str){NULL, 0};
    const char *begin = p + i + 1, *slash = memchr(begin, '/', line.n - i - 1);
    ridge_str folder = slash != NULL ? (ridge_str){begin, (size_t)(slash - begin)} : (ridge_str){NULL, 0};
    return p[i] == '"' || layer_of(folder) >= 0 ? folder : (ridge_str){NULL, 0}; /* <sys/stat.h> */
}

/* why `folder` may not include `other`; NULL where it may */
static const char *objection(ridge_str folder, ridge_str other)
{
    if (other.n == 0 || ridge_str_eq(folder, other) || ridge_str_is(other, "base"))
        return NULL;
    if (layer_of(other) < 0)
        return "is not in layers.txt";
    if (layer_of(other) == layer_of(folder))
        return "is on the same layer";
    return layer_of(other) > layer_of(folder) ? "is on a higher layer" : NULL;
}

/* the number of bad includes of one file, each printed */
static unsigned check_file(ridge_str folder, const char *path, ridge_str text)
{
    ridge_str line;
    unsigned number = 0, bad = 0;
    while (next_line(&line, &text)) {
        number++;
        ridge_str other = included_folder(line);
        const char *why = objection(folder, other);
        if (why == NULL)
            continue;
        print_error("%s:%u: %.*s includes %.*s, which %s\n", path, number, RIDGE_STR_ARG(folder), RIDGE_STR_ARG(other), why);
        bad++;
    }
    return bad;
}

static unsigned check_paths(ridge_str folder, const char *suffix, size_t *checked)
{
    char **paths, *root = ridge_arena_printf(&arena, "%s/src/%.*s", SOURCE_ROOT, RIDGE_STR_ARG(folder));
    size_t count;
    unsigned bad = 0;
    assert_int_equal(ridge_file_list(&paths, &count, root, suffix, &arena, NULL), RIDGE_OK);
    for (size_t i = 0; i < count; i++) {
        ridge_str text;
        if (strstr(paths[i], "/node_modules/")) /* not ours */
            continue;
        assert_int_equal(ridge_file_read(&text, paths[i], 1 << 24, &arena, NULL), RIDGE_OK);
        bad += check_file(folder, paths[i] + sizeof SOURCE_ROOT, text);
    }
    *checked += count;
    return bad;
}

static void test_sources(void **state)
{
    (void)state;
    size_t checked = 0;
    unsigned bad = 0;
    for (size_t i = 0; i < layers.count; i++) {
        bad += check_paths(layers.folders[i], ".c", &checked);
        bad += check_paths(layers.folders[i], ".h", &checked);
    }
    assert_true(checked >= 14);
    assert_int_equal(bad, 0);
}

/* what is installed names no folder of src/ */
static void test_public_headers(void **state)
{
    (void)state;
    char **paths;
    size_t count;
    ridge_str text, line;
    assert_int_equal(ridge_file_list(&paths, &count, SOURCE_ROOT "/include", ".h", &arena, NULL), RIDGE_OK);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ridge_file_read(&text, paths[i], 1 << 24, &arena, NULL), RIDGE_OK);
        while (next_line(&line, &text))
            if (included_folder(line).n != 0)
                fail_msg("%s: %.*s", paths[i], RIDGE_STR_ARG(line));
    }
}

/* the first folder of a path below src/ */
static ridge_str folder_of(const char *path)
{
    const char *begin = path + sizeof SOURCE_ROOT "/src", *slash = strchr(begin, '/');
    return slash != NULL ? (ridge_str){begin, (size_t)(slash - begin)} : (ridge_str){NULL, 0};
}

static void test_every_folder_is_in_the_table(void **state)
{
    (void)state;
    char **paths;
    size_t count;
    assert_int_equal(ridge_file_list(&paths, &count, SOURCE_ROOT "/src", "", &arena, NULL), RIDGE_OK);
    for (size_t i = 0; i < count; i++) {
        ridge_str folder = folder_of(paths[i]);
        if (folder.n != 0 && layer_of(folder) < 0)
            fail_msg("src/%.*s is not in layers.txt", RIDGE_STR_ARG(folder));
    }
}

static const char *judge(const char *folder, const char *line)
{
    return objection(ridge_str_of(folder), included_folder(ridge_str_of(line)));
}

/* the check itself can fail */
static void test_the_check_sees_a_breach(void **state)
{
    (void)state;
    assert_null(judge("cost", "#include \"graph/tree.h\""));
    assert_null(judge("cost", "#include \"cost/rows.h\""));
    assert_null(judge("formula", "#include \"base/err.h\""));
    assert_null(judge("base", "#include <sys/stat.h>"));
    assert_null(judge("base", "/* #include \"cost/rows.h\" */"));
    assert_string_equal(judge("formula", "#include \"input/model.h\""), "is on the same layer");
    assert_string_equal(judge("predict", " #  include \"compare/compare.h\""), "is on the same layer");
    assert_string_equal(judge("base", "#include\"cli/main.h\""), "is on a higher layer");
    assert_string_equal(judge("base", "#include <formula/expr.h>"), "is on a higher layer");
    assert_string_equal(judge("cli", "#include \"tools/x.h\""), "is not in layers.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_public_headers),
        cmocka_unit_test(test_every_folder_is_in_the_table),
        cmocka_unit_test(test_the_check_sees_a_breach),
    };
    return cmocka_run_group_tests_name("layers", tests, load_table, free_table);
}
