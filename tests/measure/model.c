/* model.c - repeats of a step: how often a variant that packs its weights is opened, and which copies a pass then reads. The variant is the
 * test's own and computes with the reference. */
#include "test.h"

#include <stdlib.h>

#include "measure/model.h"

enum { REPEAT = 8, ROWS = 64, COLS = 64 };

static ridge_team *team;

static int setup(void **state)
{
    (void)state;
    return ridge_team_make(&team, 1, false, NULL) != RIDGE_OK;
}

static int teardown(void **state)
{
    (void)state;
    ridge_team_free(team);
    team = NULL;
    return 0;
}

/* what passes did: calls of a phase, and the copies and outputs that they came across */
static struct {
    unsigned opened, closed, calls, copies, outputs;
    const void *copy[REPEAT], *output[REPEAT];
} seen;

static void note(const void **list, unsigned *count, const void *what)
{
    unsigned i = 0;
    while (i < *count && list[i] != what)
        i++;
    assert_true(i < REPEAT);
    list[i] = what;
    *count = i == *count ? *count + 1 : *count;
}

static bool takes(const ridge_problem *problem)
{
    (void)problem;
    return true;
}

static ridge_status open_packed(ridge_kernel_run *run, ridge_err *err)
{
    (void)err;
    seen.opened++;
    run->packed_bytes = (size_t)ROWS * COLS * 4;
    run->state = malloc(run->packed_bytes);
    assert_non_null(run->state);
    return RIDGE_OK;
}

static void close_packed(ridge_kernel_run *run)
{
    seen.closed++;
    free(run->state);
}

static void run_reference(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    double want[ROWS];
    float *y = run->operands[2];
    (void)phase;
    (void)thread;
    assert_int_equal(ridge_kernel_reference(want, &run->problem, run->operands, run->tensor_scales, NULL), RIDGE_OK);
    for (int i = 0; i < ROWS; i++)
        y[i] = (float)want[i];
    seen.calls++;
    note(seen.copy, &seen.copies, run->state);
    note(seen.output, &seen.outputs, y);
}

static const ridge_kernel_variant packs = {.kind = RIDGE_KERNEL_KIND_GEMV,
                                           .name = "packs",
                                           .provider = "test",
                                           .takes = takes,
                                           .open = open_packed,
                                           .phase = run_reference,
                                           .close = close_packed};

/* two passes; the result of the step */
static ridge_chain_result run_twice(bool same_weights)
{
    const ridge_format *fp32 = ridge_format_find(RIDGE_STR("fp32"));
    const ridge_chain_step step = {.name = "up",
                                   .problem = {.kind = RIDGE_KERNEL_KIND_GEMV, .n = ROWS, .k = COLS, .weights = fp32, .activations = fp32},
                                   .variant = &packs,
                                   .repeat = REPEAT,
                                   .same_weights = same_weights};
    const ridge_chain_options options = {.cache = RIDGE_CACHE_HOT, .threads = 1};
    ridge_chain *chain;
    ridge_chain_result result;
    ridge_err err = {0};
    seen.opened = seen.closed = seen.calls = seen.copies = seen.outputs = 0;
    assert_int_equal(ridge_chain_make(&chain, &step, 1, team, &options, &err), RIDGE_OK);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(ridge_chain_places(chain), 1);
    const ridge_work work = ridge_chain_work(chain);
    seen.calls = seen.copies = seen.outputs = 0;
    ridge_team_run(team, &work, 0);
    ridge_team_run(team, &work, 1);
    assert_int_equal(ridge_chain_results(&result, chain, &err), RIDGE_OK);
    ridge_chain_free(chain);
    return result;
}

/* opened once for the check and once for all passes: one packed copy, which is then in cache, is read in every call */
static void repeats_of_the_same_weights_read_one_packed_copy(void **state)
{
    (void)state;
    ridge_chain_result result = run_twice(true);
    assert_int_equal(seen.calls, 2 * REPEAT);
    assert_int_equal(seen.copies, 1);
    assert_int_equal(seen.outputs, 1);
    assert_int_equal(seen.opened, 2);
    assert_int_equal(seen.closed, 2);
    assert_int_equal(result.streamed_bytes, ROWS * COLS * 4);
    assert_int_equal(result.near_bytes, (ROWS + COLS) * 4);
}

/* heads: each of the calls has weights, inputs and an output of its own */
static void repeats_with_weights_of_their_own_do_not(void **state)
{
    (void)state;
    ridge_chain_result result = run_twice(false);
    assert_int_equal(seen.calls, 2 * REPEAT);
    assert_int_equal(seen.copies, REPEAT);
    assert_int_equal(seen.outputs, REPEAT);
    assert_int_equal(seen.opened, 2 * REPEAT);
    assert_int_equal(seen.closed, seen.opened);
    assert_int_equal(result.streamed_bytes, REPEAT * ROWS * COLS * 4);
    assert_int_equal(result.near_bytes, REPEAT * (ROWS + COLS) * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_of_the_same_weights_read_one_packed_copy),
        cmocka_unit_test(repeats_with_weights_of_their_own_do_not),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, setup, teardown);
}
