#include "test.h"

#include "base/arena.h"

static bool all_zero(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static void test_objects_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    char *objects[2000];
    for (size_t i = 0; i < 2000; i++) {
        objects[i] = ridge_arena_alloc(&arena, i % 97 + 1);
        assert_non_null(objects[i]);
        assert_int_equal((uintptr_t)objects[i] % 16, 0);
        assert_true(all_zero(objects[i], i % 97 + 1));
        memset(objects[i], (int)(i % 251 + 1), i % 97 + 1);
    }
    for (size_t i = 0; i < 2000; i++)
        for (size_t k = 0; k < i % 97 + 1; k++)
            assert_int_equal((unsigned char)objects[i][k], i % 251 + 1);
    ridge_arena_free(&arena);
}

static void test_large_objects_between_small_ones(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    char *large = ridge_arena_alloc(&arena, 3000000);
    char *small = ridge_arena_alloc(&arena, 10);
    char *larger = ridge_arena_alloc(&arena, 5000000);
    char *after = ridge_arena_alloc(&arena, 10);
    assert_true(all_zero(large, 3000000) && all_zero(larger, 5000000));
    memset(large, 1, 3000000);
    memset(larger, 2, 5000000);
    assert_true(all_zero(small, 10) && all_zero(after, 10));
    assert_true(arena.total >= 8000020);
    ridge_arena_free(&arena);
}

static void test_usable_again_after_free(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    ridge_arena_free(&arena);
    for (int i = 0; i < 3; i++) {
        assert_non_null(ridge_arena_alloc(&arena, 100));
        ridge_arena_free(&arena);
        assert_int_equal(arena.total, 0);
    }
}

static void test_sizes_that_cannot_be(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    assert_null(ridge_arena_array(&arena, SIZE_MAX / 2 + 1, 2));
    assert_null(ridge_arena_array(&arena, SIZE_MAX, 1));
    assert_null(ridge_arena_alloc(&arena, SIZE_MAX));
    assert_non_null(ridge_arena_alloc(&arena, 0));
    assert_non_null(ridge_arena_array(&arena, 0, 8));
    ridge_arena_free(&arena);
}

static void test_text(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    assert_string_equal(ridge_arena_strdup(&arena, (ridge_str){"abcdef", 3}), "abc");
    assert_string_equal(ridge_arena_strdup(&arena, (ridge_str){NULL, 0}), "");
    assert_string_equal(ridge_arena_printf(&arena, "%s-%d", "x", 42), "x-42");
    ridge_buf buf = {0};
    assert_string_equal(ridge_arena_take(&arena, &buf), "");
    ridge_buf_addz(&buf, "taken");
    assert_string_equal(ridge_arena_take(&arena, &buf), "taken");
    assert_null(buf.p);
    buf.failed = true;
    assert_null(ridge_arena_take(&arena, &buf));
    ridge_arena_free(&arena);
}

static void test_grow(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_arena_init(&arena);
    int *values = NULL;
    size_t cap = 0;
    for (size_t i = 0; i < 1000; i++) {
        values = ridge_arena_grow(&arena, values, i, &cap, i + 1, sizeof *values);
        assert_non_null(values);
        assert_true(cap > i);
        values[i] = (int)i;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(values[i], i);
    assert_null(ridge_arena_grow(&arena, values, 1000, &cap, SIZE_MAX, sizeof *values));
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects_are_zeroed_aligned_and_apart),
        cmocka_unit_test(test_large_objects_between_small_ones),
        cmocka_unit_test(test_usable_again_after_free),
        cmocka_unit_test(test_sizes_that_cannot_be),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_grow),
    };
    return RUN_TESTS(tests);
}
