/* syntax.c - Python's syntax tree against syntax.case: source, a line "====", the tree, an empty line. A tree is a line per statement: the
 * kind, what it carries, its children in order (- where one is left out at the front) and its items in brackets. The expected trees were
 * compared with those of Python's own ast module. And: what is broken, deep, hostile. */
#include "arena_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "learn/python/syntax.h"

static const char *const codes[] = {
#define X(code, text) #code,
    RIDGE_PY_KIND_LIST(X)
#undef X
};

static const ridge_py_node *parse_it(ridge_status *st, ridge_str text)
{
    ridge_symtab names;
    const ridge_py_node *node;
    assert_true(ridge_symtab_init(&names, &arena));
    *st = ridge_py_parse(&node, text, "t.py", &names, &arena, &err);
    return node;
}

/* a build without the grammar has nothing to test */
static bool reads_python(void)
{
    ridge_status st;
    (void)parse_it(&st, RIDGE_STR("1\n"));
    ridge_err_clear(&err);
    return st == RIDGE_OK;
}

/* ---- a tree as text ---- */
static void print_text(ridge_buf *out, ridge_str text)
{
    ridge_buf_addz(out, " \"");
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] < ' ' || text.p[i] == '"' || text.p[i] == '\\' || text.p[i] > '~')
            ridge_buf_addf(out, "\\x%02x", (unsigned char)text.p[i]);
        else
            ridge_buf_addc(out, text.p[i]);
    ridge_buf_addc(out, '"');
}

static void print_op(ridge_buf *out, const ridge_py_node *node)
{
    switch (node->kind) {
    case RIDGE_PY_UNARY:
    case RIDGE_PY_BINARY:
    case RIDGE_PY_BOOLEAN:
    case RIDGE_PY_COMPARE:
    case RIDGE_PY_AUGMENT:
        ridge_buf_addf(out, " %s", ridge_py_operator_text(node->op));
        break;
    case RIDGE_PY_CONSTANT:
    case RIDGE_PY_COMPREHENSION:
    case RIDGE_PY_PARAMETER:
    case RIDGE_PY_FROM:
        ridge_buf_addf(out, " %u", node->op);
        break;
    case RIDGE_PY_HOLE:
        if (node->op)
            ridge_buf_addf(out, " %c", node->op);
        break;
    default:
        break;
    }
}

static void print_tree(ridge_buf *out, const ridge_py_node *node)
{
    if (!node) {
        ridge_buf_addc(out, '-');
        return;
    }
    ridge_buf_addf(out, "(%s", codes[node->kind]);
    print_op(out, node);
    if (node->flags & RIDGE_PY_YIELDS)
        ridge_buf_addz(out, " yields");
    if (node->name)
        ridge_buf_addf(out, " %s", node->name->text);
    if (node->text.p)
        print_text(out, node->text);
    const ridge_py_node *const children[] = {node->a, node->b, node->c, node->d};
    for (size_t i = 0, n = node->d ? 4 : node->c ? 3 : node->b ? 2 : node->a ? 1 : 0; i < n; i++) {
        ridge_buf_addc(out, ' ');
        print_tree(out, children[i]);
    }
    for (uint32_t i = 0; i < node->count; i++) {
        ridge_buf_addz(out, i == 0 ? " [" : " ");
        print_tree(out, node->items[i]);
    }
    ridge_buf_addz(out, node->count ? "])" : ")");
}

static char *tree_of(ridge_str text)
{
    ridge_status st;
    const ridge_py_node *node = parse_it(&st, text);
    ridge_buf out = {0};
    assert_int_equal(st, RIDGE_OK);
    assert_int_equal(node->kind, RIDGE_PY_BLOCK);
    for (uint32_t i = 0; i < node->count; i++) {
        print_tree(&out, node->items[i]);
        ridge_buf_addc(&out, '\n');
    }
    return ridge_arena_take(&arena, &out);
}

static void test_cases(void **state)
{
    (void)state;
    ridge_str text;
    if (!reads_python())
        return;
    assert_int_equal(ridge_file_read(&text, TESTS_FOLDER "/learn/syntax.case", 1 << 20, &arena, &err), RIDGE_OK);
    const char *at = text.p, *rule, *end;
    unsigned cases = 0;
    while ((rule = strstr(at, "====\n")) != NULL) {
        ridge_str source = {at, (size_t)(rule - at)};
        end = strstr(rule += 5, "\n\n");
        assert_non_null(end);
        const char *want = ridge_arena_strdup(&arena, (ridge_str){rule, (size_t)(end + 1 - rule)}), *got = tree_of(source);
        if (strcmp(want, got) != 0)
            print_error("of\n%.*s", RIDGE_STR_ARG(source));
        assert_string_equal(got, want);
        at = end + 2;
        cases++;
    }
    assert_true(cases >= 40);
}

/* ---- what is broken ---- */
static unsigned count_kind(const ridge_py_node *node, ridge_py_kind kind)
{
    unsigned n = 0;
    if (!node)
        return 0;
    n += node->kind == kind;
    n += count_kind(node->a, kind) + count_kind(node->b, kind) + count_kind(node->c, kind) + count_kind(node->d, kind);
    for (uint32_t i = 0; i < node->count; i++)
        n += count_kind(node->items[i], kind);
    return n;
}

/* the rest of the file is there, and so is the rest of the function */
static void test_broken_statement(void **state)
{
    (void)state;
    ridge_status st;
    if (!reads_python())
        return;
    const ridge_py_node *node =
        parse_it(&st, RIDGE_STR("a = 1\ndef f():\n    b = (2 +\n    return b\n\ndef g():\n    print 3\n    return 4\nc = 5j\n"));
    assert_int_equal(st, RIDGE_OK);
    assert_true(count_kind(node, RIDGE_PY_BROKEN) >= 2);
    node = parse_it(&st, RIDGE_STR("def g():\n    print 3\n    return 4\nc = 5j\nd = 6\n"));
    assert_int_equal(node->count, 3);
    assert_int_equal(node->items[0]->kind, RIDGE_PY_FUNCTION);
    assert_int_equal(node->items[0]->b->items[0]->kind, RIDGE_PY_BROKEN);
    assert_int_equal(node->items[0]->b->items[0]->line, 2);
    assert_str(node->items[0]->b->items[0]->text, "print 3");
    assert_int_equal(node->items[0]->b->items[1]->kind, RIDGE_PY_RETURN);
    assert_int_equal(node->items[1]->kind, RIDGE_PY_BROKEN);
    assert_int_equal(node->items[2]->kind, RIDGE_PY_ASSIGN);
}

static void test_places(void **state)
{
    (void)state;
    ridge_status st;
    if (!reads_python())
        return;
    const ridge_py_node *node =
        parse_it(&st, RIDGE_STR("\n@d\ndef f(a,\n      b):\n    return (a +\n            b)\n    # the end\n\nx = 1\n"));
    const ridge_py_node *function = node->items[0], *sum = function->b->items[0]->a;
    assert_int_equal(function->line, 3);
    assert_int_equal(function->last_line, 6);
    assert_int_equal(sum->line, 5);
    assert_int_equal(sum->column, 13);
    assert_int_equal(sum->last_line, 6);
    assert_int_equal(sum->b->line, 6);
    assert_int_equal(node->items[1]->line, 9);
}

/* ---- what is deep, long, or no text ---- */
static ridge_str repeat(const char *before, const char *middle, const char *after, size_t times)
{
    ridge_buf out = {0};
    for (size_t i = 0; i < times; i++)
        ridge_buf_addz(&out, before);
    ridge_buf_addz(&out, middle);
    for (size_t i = 0; i < times; i++)
        ridge_buf_addz(&out, after);
    ridge_buf_addc(&out, '\n');
    char *text = ridge_arena_take(&arena, &out);
    return ridge_str_of(text);
}

static void test_nesting(void **state)
{
    (void)state;
    static const struct {
        const char *before, *middle, *after;
    } cases[] = {
        {"(", "1", ")"},
        {"[", "", "]"},
        {"f(", "1", ")"},
        {"not ", "1", ""},
        {"1 + ", "1", ""},
        {"a.", "b", ""},
        {"-", "1", ""},
        {"{1: ", "2", "}"},
        {"a[", "0", "]"},
        {"lambda: ", "0", ""},
        {"a if b else ", "c", ""},
        {"if a: pass\nel", "if b: pass", ""},
        {"f'{", "1", "}'"},
        {"a = ", "1", ""},
        {"a and ", "b", ""},
        {"(yield ", "1", ")"},
    };
    ridge_status st;
    if (!reads_python())
        return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ridge_py_node *node = parse_it(&st, repeat(cases[i].before, cases[i].middle, cases[i].after, 3));
        assert_int_equal(st, RIDGE_OK);
        if (strcmp(cases[i].before, "f'{") != 0) /* of the same quotes: Python 3.12 */
            assert_int_equal(count_kind(node, RIDGE_PY_BROKEN), 0);
        for (size_t times = 300; times < 10000; times *= 17) {
            (void)parse_it(&st, repeat(cases[i].before, cases[i].middle, cases[i].after, times));
            assert_true(st == RIDGE_OK || st == RIDGE_LIMIT);
            ridge_err_clear(&err);
        }
    }
}

/* tree-sitter 0.20 frees what is not there where a node has more than 65,535 children */
static void test_width(void **state)
{
    (void)state;
    static const char *const parts[] = {"if ", "# a\n", "f'{x", "def ", "'a' ", "@", "a = 1\n", "a, "};
    ridge_status st;
    if (!reads_python())
        return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        (void)parse_it(&st, repeat(parts[i], "", "", 70000));
        assert_true(st == RIDGE_OK || st == RIDGE_LIMIT);
        ridge_err_clear(&err);
    }
}

static void test_limits(void **state)
{
    (void)state;
    ridge_status st;
    if (!reads_python())
        return;
    char *text = ridge_arena_alloc(&arena, RIDGE_PY_SOURCE_LIMIT + 1);
    memset(text, '\n', RIDGE_PY_SOURCE_LIMIT + 1);
    (void)parse_it(&st, (ridge_str){text, RIDGE_PY_SOURCE_LIMIT + 1});
    assert_int_equal(st, RIDGE_LIMIT);
    assert_string_equal(err.msg, "a module of 16777217 bytes; at most 16777216 are read");
    ridge_err_clear(&err);
    (void)parse_it(&st, (ridge_str){"\xff\xfe\0\x01 = (", 8});
    assert_int_equal(st, RIDGE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cases, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_broken_statement, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_places, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_nesting, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_width, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_limits, open_arena, close_arena),
    };
    return RUN_TESTS(tests);
}
