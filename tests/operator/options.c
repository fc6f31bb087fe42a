/* options.c - a request made of words is the request made in C; what is wrong is named. The words go the way of `ridge op`: its commands.
 */
#include "test.h"

#include "command/command.h"
#include "operator/answer.h"

#include <string.h>

static ridge_call call;

static int open_call(void **state)
{
    (void)state;
    ridge_call_init(&call, NULL, NULL);
    return 0;
}

static int close_call(void **state)
{
    (void)state;
    ridge_call_free(&call);
    return 0;
}

/* the request of `ridge op KIND`, of which the shared part stands first */
static ridge_status read_words(const ridge_op_request **out, const char *kind, const char *const *words, ridge_err *err)
{
    const char *const path_words[] = {"op", kind};
    const ridge_command *command;
    const char *path;
    size_t used, count = 0;
    void *request = NULL;
    ridge_status status = ridge_command_find(&command, &path, &used, 2, path_words, &call.arena, err);
    while (words[count])
        count++;
    if (!status)
        status = ridge_command_read(&request, &call, command, NULL, 0, words, count, err);
    *out = request;
    return status;
}

static const ridge_op_request *request_of(const char *kind, const char *const *words)
{
    const ridge_op_request *r;
    ridge_err err = {0};
    ridge_status status = read_words(&r, kind, words, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(status, RIDGE_OK);
    return r;
}

static void test_words(void **state)
{
    (void)state;
    static const char *const gemm[] = {
        "m=4096",     "n=2k",        "k=1Ki", "quantised=true", "dtype=fp16", "weights=q4_K", "on=h100-sxm-80,a100-sxm-80", "launch=4e-6",
        "level=dram", "tiling=true", NULL};
    const ridge_op_request *r = request_of("gemm", gemm);
    assert_true(r->shape.dims[RIDGE_OP_M] == 4096 && r->shape.dims[RIDGE_OP_N] == 2000 && r->shape.dims[RIDGE_OP_K] == 1024);
    assert_true(r->shape.flags[RIDGE_OP_QUANTISED] && r->tiling && !r->all_formats);
    assert_string_equal(r->dtypes.items[0]->name, "fp16");
    assert_string_equal(r->weights->name, "q4_K");
    assert_null(r->kv);
    assert_int_equal(r->machines.count, 2);
    assert_string_equal(r->machines.items[1], "a100-sxm-80");
    assert_int_equal(r->conditions.launch.counted, RIDGE_LAUNCH_GIVEN);
    assert_true(r->conditions.launch.seconds > 3.99e-6 && r->conditions.launch.seconds < 4.01e-6);
    assert_string_equal(r->conditions.level, "dram");
    static const char *const conv[] = {"in-channels=3", "out_channels=8", "height=9", "width=8",
                                       "kernel=3x5",    "padding=0x1",    "stride=2", NULL};
    r = request_of("conv", conv);
    assert_true(r->shape.dims[RIDGE_OP_IN_CHANNELS] == 3 && r->shape.dims[RIDGE_OP_OUT_CHANNELS] == 8);
    assert_true(r->shape.dims[RIDGE_OP_KERNEL_H] == 3 && r->shape.dims[RIDGE_OP_KERNEL_W] == 5);
    assert_true(r->shape.dims[RIDGE_OP_STRIDE_H] == 2 && r->shape.dims[RIDGE_OP_STRIDE_W] == 2);
    assert_true(r->shape.dims[RIDGE_OP_PADDING_H] == 0 && r->shape.dims[RIDGE_OP_PADDING_W] == 1);
    assert_true(r->shape.dims[RIDGE_OP_BATCH] == 0 && r->shape.dims[RIDGE_OP_GROUPS] == 0); /* left to the catalog */
    static const char *const softmax[] = {"rows=1", "cols=2", "all-formats=true", "launch=machine", NULL};
    r = request_of("softmax", softmax);
    assert_true(r->all_formats && r->conditions.launch.counted == RIDGE_LAUNCH_MACHINE);
    assert_string_equal(r->dtypes.items[0]->name, "bf16");
    assert_int_equal(r->machines.count, 0);
}

static void test_words_that_are_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *option, *message;
    } cases[] = {
        {"gemm", "m", "'m' is not an option: want name=value"},
        {"gemm", "m=", "'m' needs a value (N)"},
        {"gemm", "m=0", "m: 0 is out of range: it must be at least 1"},
        {"gemm", "m=many", "m: 'many' is not an integer (write 1000 or 1k, 1024 or 1Ki)"},
        {"gemm", "m=99999999999999999999", "m: 99999999999999999999 is out of range: it must be from 1 to 9223372036854775807"},
        {"gemm", "heads=1", "unknown option 'heads'"}, /* another kind's */
        {"attention", "kv-heds=1", "unknown option 'kv-heds'; did you mean 'kv-heads'?"},
        {"gemm", "nothing-like-it=1", "unknown option 'nothing-like-it'"},
        {"conv", "kernel=3x", "kernel: '3x' is neither a number nor two of them (3, or 3x5: height x width)"},
        {"conv", "stride=0", "stride: 0 is out of range: it must be at least 1"},
        {"attention", "causal=yes", "causal: 'yes' is neither true nor false"},
        {"gemm", "dtype=q4K", "dtype: unknown number format 'q4K'; did you mean 'q4_K'?"},
        {"gemm", "dtype=fp16,int8,half", "dtype: 'half' stands there twice"},
        {"gemm", "weights=fp16,int8",
         "weights: 'fp16,int8' is a list, and one number format is wanted here ('ridge sweep' takes lists, as does dtype of 'ridge op' and "
         "'ridge bench')"},
        {"gemm", "launch=-1", "launch: '-1' is neither a time (write 2.5us, 3ms or 1e-6) nor the word 'machine' or 'none'"},
        {"gemm", "on=,", "on: ',' has an empty place: write machines with one comma between"},
        {"norm", "op=silu", "op: unknown word 'silu'; it takes layernorm or rmsnorm"},
        {"gemmm", "m=1", "unknown command 'op gemmm'; did you mean 'op gemm'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const words[] = {cases[i].option, NULL};
        const ridge_op_request *r;
        ridge_err err = {0};
        assert_int_equal(read_words(&r, cases[i].kind, words, &err), RIDGE_USAGE);
        assert_string_equal(message_of(&err), cases[i].message);
    }
}

/* a machine is looked for when the question is answered */
static void test_unknown_machine(void **state)
{
    (void)state;
    static const char *const words[] = {"rows=1", "cols=2", "on=rtx4090", NULL};
    ridge_op_answer answer;
    ridge_machines *machines;
    ridge_ops ops;
    ridge_err err = {0};
    assert_int_equal(ridge_machines_open(&machines, NULL, 0, NULL), RIDGE_OK);
    assert_int_equal(ridge_ops_open(&ops, NULL), RIDGE_OK);
    assert_int_equal(ridge_op_answer_make(&answer, &ops, machines, RIDGE_OP_SILU, request_of("silu", words), &call.arena, &err),
                     RIDGE_UNKNOWN);
    assert_string_equal(message_of(&err), "unknown machine 'rtx4090'; did you mean 'rtx-4090'?");
    ridge_ops_close(&ops);
    ridge_machines_close(machines);
}

/* `ridge op KIND` runs the kind of that name, and each of its options stands for a dimension or a flag that the catalog knows */
static void test_every_kind(void **state)
{
    (void)state;
    ridge_ops ops;
    assert_int_equal(ridge_ops_open(&ops, NULL), RIDGE_OK);
    for (int kind = 0; kind < RIDGE_OP_MATMUL; kind++) {
        const char *names[RIDGE_OP_DIM_COUNT], *words[RIDGE_OP_DIM_COUNT + 2] = {"json=true"};
        size_t n, used;
        ridge_op_shape none = {0};
        const char *const path_words[] = {"op", ridge_op_kind_names[kind]};
        const ridge_command *command;
        const char *path;
        void *request;
        ridge_err err = {0};
        assert_int_equal(ridge_op_missing(names, &n, &ops, (ridge_op_kind)kind, &none, &err), RIDGE_OK);
        assert_in_range(n, 2, RIDGE_OP_DIM_COUNT);
        for (size_t i = 0; i < n; i++)
            words[i + 1] = ridge_arena_printf(&call.arena, "%s=2", names[i]);
        assert_int_equal(ridge_command_find(&command, &path, &used, 2, path_words, &call.arena, &err), RIDGE_OK);
        assert_int_equal(ridge_command_read(&request, &call, command, NULL, 0, words, n + 1, &err), RIDGE_OK);
        assert_int_equal(ridge_command_run(&call, command, request, &err), RIDGE_OK);
        const char *wanted = ridge_arena_printf(&call.arena, "\"kind\": \"%s\",", ridge_op_kind_names[kind]);
        ridge_buf_addc(&call.data, '\0');
        assert_non_null(strstr(call.data.p, wanted));
        call.data.n = 0;
    }
    ridge_ops_close(&ops);
}

/* what is said of the JSON is JSON itself, and names its members */
static void test_schemas(void **state)
{
    (void)state;
    static const ridge_record *const records[] = {&ridge_op_one_record, &ridge_op_many_record, &ridge_op_row_record};
    static const char *const members[] = {"\"precision\"", "\"flops_by_class\"", "\"bits_per_element\""};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        ridge_buf text = {0};
        ridge_json_writer w;
        ridge_json *json;
        ridge_err err = {0};
        ridge_jw_init(&w, &text);
        ridge_record_schema(&w, records[i]);
        assert_false(text.failed);
        (void)ridge_json_parse(&json, (ridge_str){text.p, text.n}, "schema", (ridge_json_options){0}, &call.arena, &err);
        assert_string_equal(message_of(&err), "");
        ridge_buf_addc(&text, '\0');
        assert_non_null(strstr(text.p, members[i]));
        ridge_buf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),           cmocka_unit_test(test_words_that_are_wrong),
        cmocka_unit_test(test_unknown_machine), cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_schemas),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, open_call, close_call);
}
