/* Ctrl-C while operands are made: what fills, packs and opens ends there, nothing is checked or measured, and no error is made of it.
 * The signal's handler only sets ridge_measure_interrupted, so the tests set it. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "measure/kernel_run.h"
#include "measure/model_parts.h"

static ridge_team *team;

static int setup(void **state)
{
    (void)state;
    return ridge_team_make(&team, 1, false, NULL) != RIDGE_OK;
}

static int teardown(void **state)
{
    (void)state;
    ridge_measure_interrupted = 0;
    ridge_team_free(team);
    team = NULL;
    return 0;
}

static ridge_problem product(const char *weights)
{
    return (ridge_problem){.kind = RIDGE_KERNEL_KIND_GEMV,
                           .n = 256,
                           .k = 256,
                           .weights = ridge_format_find(ridge_str_of(weights)),
                           .activations = ridge_format_find(RIDGE_STR("fp32"))};
}

static size_t nonzero(const unsigned char *p, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += p[i] != 0;
    return count;
}

/* rows drawn and rows repeated; fp32 normal values are never 0 */
static void rows_are_not_filled(void **state)
{
    (void)state;
    const ridge_problem problem = product("fp32");
    const ridge_operand w = {.name = "W", .format = problem.weights, .rows = 256, .cols = 256};
    unsigned char *data = calloc(256, 1024);
    assert_non_null(data);
    ridge_measure_interrupted = 1;
    assert_int_equal(ridge_chain_fill(data, &w, &problem, 1, NULL), RIDGE_OK);
    assert_int_equal(nonzero(data, (size_t)256 * 1024), 0);
    ridge_measure_interrupted = 0;
    assert_int_equal(ridge_chain_fill(data, &w, &problem, 1, NULL), RIDGE_OK);
    assert_true(nonzero(data + (size_t)255 * 1024, 1024) > 0);
    free(data);
}

static void a_buffer_is_had_all_the_same(void **state)
{
    (void)state;
    ridge_measure_interrupted = 1;
    unsigned char *p = ridge_buffer_make((size_t)3 << 20, NULL);
    assert_non_null(p);
    p[0] = p[((size_t)3 << 20) - 1] = 1;
    ridge_buffer_free(p, (size_t)3 << 20);
}

static void no_chain_is_made(void **state)
{
    (void)state;
    const ridge_chain_step step = {.name = "up", .problem = product("q4_K")};
    const ridge_chain_options options = {.cache = RIDGE_CACHE_COLD, .threads = 1};
    ridge_chain *chain;
    ridge_err err = {0};
    ridge_measure_interrupted = 1;
    assert_int_equal(ridge_chain_make(&chain, &step, 1, team, &options, &err), RIDGE_OK);
    assert_null(chain);
    assert_string_equal(message_of(&err), "");
    ridge_measure_interrupted = 0;
    assert_int_equal(ridge_chain_make(&chain, &step, 1, team, &options, &err), RIDGE_OK);
    assert_non_null(chain);
    ridge_chain_free(chain);
}

/* a variant that is interrupted while it packs the fourth copy of its weights: 50 of them are for the check, 50 for the passes */
enum { COPIES = 50 };
static unsigned opened, closed;

static bool takes(const ridge_problem *problem)
{
    (void)problem;
    return true;
}

static ridge_status open_and_count(ridge_kernel_run *run, ridge_err *err)
{
    (void)run;
    (void)err;
    if (++opened == COPIES + 4)
        ridge_measure_interrupted = 1;
    return RIDGE_OK;
}

/* right, by the reference */
static void run_reference(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    double want[256];
    float *y = run->operands[2];
    (void)phase;
    (void)thread;
    assert_int_equal(ridge_kernel_reference(want, &run->problem, run->operands, run->tensor_scales, NULL), RIDGE_OK);
    for (int i = 0; i < 256; i++)
        y[i] = (float)want[i];
}

static void close_and_count(ridge_kernel_run *run)
{
    (void)run;
    closed++;
}

static void packing_ends_at_the_next_place(void **state)
{
    (void)state;
    const ridge_kernel_variant variant = {.kind = RIDGE_KERNEL_KIND_GEMV,
                                          .name = "slow to pack",
                                          .provider = "test",
                                          .takes = takes,
                                          .open = open_and_count,
                                          .phase = run_reference,
                                          .close = close_and_count};
    const ridge_chain_step step = {.name = "up", .problem = product("q4_K"), .variant = &variant, .repeat = COPIES};
    const ridge_chain_options options = {.cache = RIDGE_CACHE_HOT, .threads = 1};
    ridge_chain *chain;
    ridge_err err = {0};
    opened = closed = 0;
    assert_int_equal(ridge_chain_make(&chain, &step, 1, team, &options, &err), RIDGE_OK);
    assert_string_equal(message_of(&err), "");
    assert_null(chain);
    assert_int_equal(opened, COPIES + 4);
    assert_int_equal(closed, opened);
}

static void no_operands_of_a_bench(void **state)
{
    (void)state;
    const ridge_problem problem = product("q8_0");
    ridge_kernel_bench *bench;
    ridge_err err = {0};
    ridge_measure_interrupted = 1;
    assert_int_equal(ridge_kernel_bench_make(&bench, &problem, &err), RIDGE_OK);
    assert_null(bench);
    ridge_kernel_bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(rows_are_not_filled),    T(a_buffer_is_had_all_the_same), T(no_chain_is_made), T(packing_ends_at_the_next_place),
        T(no_operands_of_a_bench),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
