/* arena_test.h - test.h for tests that each have a new arena and a new error: cmocka_unit_test_setup_teardown(f, open_arena, close_arena). */
#ifndef RIDGE_TESTS_ARENA_TEST_H
#define RIDGE_TESTS_ARENA_TEST_H

#include "test.h"

#include "base/arena.h"

static ridge_arena arena;
static ridge_err err;

static int open_arena(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    ridge_err_clear(&err);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    ridge_arena_free(&arena);
    return 0;
}

#endif
