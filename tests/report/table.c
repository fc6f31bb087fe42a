/* table.c - tables as text: any number of columns, one of them shortened where a table is too wide. Expected lines: by hand. */
#include "test.h"

#include "report/table.h"

static ridge_arena arena;

static void check(const ridge_table *table, int width, const char *wanted)
{
    ridge_buf out = {0};
    ridge_table_render(&out, table, RIDGE_FORM_TEXT, width);
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

static const ridge_column columns[] = {{"what", "what", false}, {"n", "n", true}, {"name", "name", false}};

/* the first column loses its middle and is not made narrower than 16 */
static void test_first_column(void **state)
{
    (void)state;
    ridge_table t;
    ridge_table_init(&t, &arena, columns, 3);
    add(&t, "model.layers.0.self_attn.q_proj", "12", "x");
    check(&t, 0, "what                              n  name\nmodel.layers.0.self_attn.q_proj  12  x\n");
    check(&t, 30, "what                   n  name\nmodel....attn.q_proj  12  x\n");
    check(&t, 1, "what               n  name\nmodel...n.q_proj  12  x\n");
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
    check(&t, 1, "what  n  name\na     1  µµµµµ...\nb     2  short\n");
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
        many[i] = (ridge_column){"c", "c", false};
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_column), cmocka_unit_test(test_chosen_column),
                                       cmocka_unit_test(test_many_columns)};
    return cmocka_run_group_tests_name(__FILE__, tests, open_arena, close_arena);
}
