/* table.c - tables as text: any number of columns, shortened or left out where a table is too wide. Expected lines: by hand. */
#include "test.h"

#include "base/shown.h"
#include "report/table.h"

static ridge_arena arena;

static void check(const ridge_table *table, int width, const char *wanted)
{
    ridge_buf out = {0};
    ridge_table_render(&out, table, RIDGE_FORM_TEXT, width);
    ridge_buf_drop_marks(&out); /* of the titles */
    assert_string_equal(out.p, wanted);
    ridge_buf_free(&out);
}

static void add(ridge_table *table, const char *a, const char *b, const char *c)
{
    const char **cells = ridge_table_row(table);
    assert_non_null(cells);
    cells[0] = a;
    cells[1] = b;
    cells[2] = c;
}

/* a column of words, of numbers, and one that is left out first */
#define WORDS(name)                                                                                                                        \
    {                                                                                                                                      \
        .title = (name), .key = (name)                                                                                                     \
    }
#define NUMBERS(name)                                                                                                                      \
    {                                                                                                                                      \
        .title = (name), .key = (name), .right = true                                                                                      \
    }
#define MINOR(name)                                                                                                                        \
    {                                                                                                                                      \
        .title = (name), .key = (name), .right = true, .minor = true                                                                       \
    }

static const ridge_column columns[] = {WORDS("what"), NUMBERS("n"), WORDS("name")};

/* the first column loses its middle and is not made narrower than 16 */
static void test_first_column(void **state)
{
    (void)state;
    ridge_table t;
    ridge_table_init(&t, &arena, columns, 3);
    add(&t, "model.layers.0.self_attn.q_proj", "12", "x");
    check(&t, 0, "what                              n  name\nmodel.layers.0.self_attn.q_proj  12  x\n");
    check(&t, 30, "what                   n  name\nmodel....attn.q_proj  12  x\n");
    check(&t, 26, "what               n  name\nmodel...n.q_proj  12  x\n");
}

/* a chosen one loses its end; characters of several bytes are not cut in two */
static void test_chosen_column(void **state)
{
    (void)state;
    ridge_table t;
    ridge_table_init(&t, &arena, columns, 3);
    t.shortened = 2;
    add(&t, "a", "1", "µµµµµµµµµµµµ");
    add(&t, "b", "2", "short");
    check(&t, 20, "what  n  name\na     1  µµµµµµµµ...\nb     2  short\n");
    check(&t, 17, "what  n  name\na     1  µµµµµ...\nb     2  short\n");
}

/* then other columns of words are shortened, the widest first; a number is never cut */
static void test_other_columns(void **state)
{
    (void)state;
    static const ridge_column words[] = {WORDS("id"), WORDS("class"), NUMBERS("n"), WORDS("family")};
    ridge_table t;
    ridge_table_init(&t, &arena, words, 4);
    const char **cells = ridge_table_row(&t);
    assert_non_null(cells);
    cells[0] = "x", cells[1] = "LlamaForCausalLM", cells[2] = "123456789012", cells[3] = "llama_moe_4";
    check(&t, 47, "id  class                        n  family\nx   LlamaForCausalLM  123456789012  llama_moe_4\n");
    check(&t, 41, "id  class                  n  family\nx   LlamaFo...  123456789012  llama_moe_4\n");
    check(&t, 36, "id  class                n  family\nx   Llama...  123456789012  llama...\n");
}

/* what still is too wide is left out, minor columns first, from the right, and said below */
static void test_left_out(void **state)
{
    (void)state;
    static const ridge_column numbers[] = {WORDS("module"), MINOR("bytes"), NUMBERS("time"), MINOR("FLOPs"), NUMBERS("fits")};
    ridge_table t;
    ridge_table_init(&t, &arena, numbers, 5);
    const char **cells = ridge_table_row(&t);
    assert_non_null(cells);
    cells[0] = "layer", cells[1] = "1.00 GB", cells[2] = "1.00 s", cells[3] = "2 T", cells[4] = "yes";
    check(&t, 36, "module    bytes    time  FLOPs  fits\nlayer   1.00 GB  1.00 s    2 T   yes\n");
    check(&t, 35, "module    bytes    time  fits\nlayer   1.00 GB  1.00 s   yes\nnot shown, for want of room: FLOPs\n");
    check(&t, 20, "module    time  fits\nlayer   1.00 s   yes\nnot shown, for want of room: bytes, FLOPs\n");
    check(&t, 19, "module    time\nlayer   1.00 s\nnot shown, for want of room: bytes, FLOPs, fits\n");
    check(&t, 1, "module\nlayer\nnot shown, for want of room: bytes, time, FLOPs, fits\n");
}

/* East Asian characters and emoji take two columns, what combines none; half of one is not shown */
static void test_wide_characters(void **state)
{
    (void)state;
    ridge_table t;
    ridge_table_init(&t, &arena, columns, 3);
    add(&t, "模型", "1", "x");
    add(&t, "a\u0301b", "2", "🚀");
    add(&t, "abcde", "3", "y");
    check(&t, 0, "what   n  name\n模型   1  x\na\u0301b     2  🚀\nabcde  3  y\n");
    ridge_table_init(&t, &arena, columns, 3);
    add(&t, "模型模型模型模型模型模型", "1", "x");
    check(&t, 26, "what               n  name\n模型...模型模型    1  x\n");
}

/* more columns than a screen has: as many as there are machines to compare */
static void test_many_columns(void **state)
{
    (void)state;
    enum { MANY = 100 };
    ridge_column many[MANY];
    ridge_buf wanted = {0};
    ridge_table t;
    for (size_t i = 0; i < MANY; i++) {
        many[i] = (ridge_column)WORDS("c");
        ridge_buf_addz(&wanted, i > 0 ? "  c" : "c");
    }
    ridge_buf_addz(&wanted, "\n");
    ridge_table_init(&t, &arena, many, MANY);
    check(&t, 0, wanted.p);
    ridge_buf_free(&wanted);
}

static int open_arena(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    ridge_arena_free(&arena);
    return 0;
}

/* the titles are bold; a name from a file stays in its cell */
static void test_looks_and_names(void **state)
{
    (void)state;
    ridge_table t;
    ridge_buf out = {0};
    ridge_table_init(&t, &arena, columns, 3);
    add(&t, "a\n\033[2J", "1",
        "\xe2\x80\xae"
        "b\xff");
    ridge_table_render(&out, &t, RIDGE_FORM_TEXT, 0);
    assert_string_equal(out.p, RIDGE_LOOK_BOLD "what        n  name" RIDGE_LOOK_PLAIN "\na\\n\\x1b[2J  1  \\u202eb\\xff\n");
    out.n = 0;
    ridge_table_render(&out, &t, RIDGE_FORM_MARKDOWN, 0);
    assert_non_null(strstr(out.p, "| a\\n\\x1b[2J | 1 | \\u202eb\\xff |\n"));
    ridge_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_column),    cmocka_unit_test(test_chosen_column),
                                       cmocka_unit_test(test_other_columns),   cmocka_unit_test(test_left_out),
                                       cmocka_unit_test(test_wide_characters), cmocka_unit_test(test_many_columns),
                                       cmocka_unit_test(test_looks_and_names)};
    return cmocka_run_group_tests_name(__FILE__, tests, open_arena, close_arena);
}
