/* request.c - a question asked in words is the question asked in C, answered the same; what is wrong is named. */
#include "test.h"

#include "operator/request.h"

#include <string.h>

static ridge_machines *machines;
static ridge_arena arena;

static int open_machines(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return ridge_machines_open(&machines, NULL, 0, NULL) != RIDGE_OK;
}

static int close_machines(void **state)
{
    (void)state;
    ridge_machines_close(machines);
    ridge_arena_free(&arena);
    return 0;
}

static ridge_op_question read_words(const char *kind, const char *const *words)
{
    ridge_op_question q = {0};
    ridge_err err = {0};
    (void)ridge_op_read_kind(&q.kind, kind, &err);
    for (; *words != NULL; words++)
        (void)ridge_op_request_set(&q, *words, machines, &arena, &err);
    assert_string_equal(message_of(&err), "");
    return q;
}

static void test_words(void **state)
{
    (void)state;
    static const char *const gemm[] = {
        "m=4096",     "n=2k",        "k=1Ki", "quantised=true", "dtype=fp16", "weights=q4_K", "on=h100-sxm-80,a100-sxm-80", "launch=4e-6",
        "level=dram", "tiling=true", NULL};
    ridge_op_question q = read_words("gemm", gemm);
    assert_int_equal(q.kind, RIDGE_OP_GEMM);
    assert_true(q.shape.dims[RIDGE_OP_M] == 4096 && q.shape.dims[RIDGE_OP_N] == 2000 && q.shape.dims[RIDGE_OP_K] == 1024);
    assert_true(q.shape.flags[RIDGE_OP_QUANTISED] && q.tiling && !q.all_formats);
    assert_string_equal(q.dtype->name, "fp16");
    assert_string_equal(q.weights->name, "q4_K");
    assert_null(q.kv);
    assert_int_equal(q.machine_count, 2);
    assert_string_equal(q.machines[1]->id, "a100-sxm-80");
    assert_int_equal(q.conditions.launch, RIDGE_OP_LAUNCH_GIVEN);
    assert_true(q.conditions.launch_s > 3.99e-6 && q.conditions.launch_s < 4.01e-6);
    assert_string_equal(q.conditions.level, "dram");
    static const char *const conv[] = {"in-channels=3", "out-channels=8", "height=9", "width=8",
                                       "kernel=3x5",    "padding=0x1",    "stride=2", NULL};
    q = read_words("conv", conv);
    assert_true(q.shape.dims[RIDGE_OP_KERNEL_H] == 3 && q.shape.dims[RIDGE_OP_KERNEL_W] == 5);
    assert_true(q.shape.dims[RIDGE_OP_STRIDE_H] == 2 && q.shape.dims[RIDGE_OP_STRIDE_W] == 2);
    assert_true(q.shape.dims[RIDGE_OP_PADDING_H] == 0 && q.shape.dims[RIDGE_OP_PADDING_W] == 1);
    static const char *const softmax[] = {"rows=1", "cols=2", "all-formats=true", "launch=machine", NULL};
    q = read_words("softmax", softmax);
    assert_true(q.all_formats && q.conditions.launch == RIDGE_OP_LAUNCH_MACHINE);
}

static void test_words_that_are_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        ridge_status status;
        const char *message;
    } cases[] = {
        {"m", RIDGE_USAGE, "'m' is not an option: want name=value"},
        {"m=", RIDGE_USAGE, "m: '' is not an integer of at least 1"},
        {"m=0", RIDGE_USAGE, "m: '0' is not an integer of at least 1"},
        {"m=99999999999999999999", RIDGE_USAGE, "m: '99999999999999999999' is not an integer of at least 1"},
        {"kv-heds=1", RIDGE_USAGE, "unknown option 'kv-heds'; did you mean 'kv-heads'?"},
        {"nothing-like-it=1", RIDGE_USAGE, "unknown option 'nothing-like-it'"},
        {"kernel=3x", RIDGE_USAGE, "kernel: '3x' is neither a number nor two of them (3, or 3x5: height x width)"},
        {"stride=0", RIDGE_USAGE, "stride: 0 is out of range: it must be at least 1"},
        {"causal=yes", RIDGE_USAGE, "causal: 'yes' is neither true nor false"},
        {"dtype=q4K", RIDGE_USAGE, "dtype: unknown number format 'q4K'; did you mean 'q4_K'?"},
        {"launch=-1", RIDGE_USAGE, "launch: '-1' is neither seconds (4e-6) nor the word 'machine'"},
        {"on=,", RIDGE_USAGE, "on: ',' has an empty place: write machines with one comma between"},
        {"on=rtx4090", RIDGE_UNKNOWN, "unknown machine 'rtx4090'; did you mean 'rtx-4090'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_op_question q = {0};
        ridge_err err = {0};
        assert_int_equal(ridge_op_request_set(&q, cases[i].option, machines, &arena, &err), cases[i].status);
        assert_string_equal(message_of(&err), cases[i].message);
    }
    ridge_op_kind kind;
    ridge_err err = {0};
    assert_int_equal(ridge_op_read_kind(&kind, "gemmm", &err), RIDGE_USAGE);
    assert_string_equal(message_of(&err), "unknown operator 'gemmm'; did you mean 'gemm'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_words_that_are_wrong),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, open_machines, close_machines);
}
