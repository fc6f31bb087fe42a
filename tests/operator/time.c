/* time.c - operators on machines. Expected values: FACTS' worked examples, or arithmetic by hand on machines made up here. */
#include "test.h"

#include "operator/answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ridge_ops ops;
static ridge_machines *machines;
static ridge_arena arena;
static char folder[] = "/tmp/ridge-op-XXXXXX";
static const char *files[4];
static size_t file_count;

static int open_all(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return !mkdtemp(folder) || ridge_machines_open(&machines, NULL, 0, NULL) || ridge_ops_open(&ops, NULL);
}

static int close_all(void **state)
{
    (void)state;
    ridge_machines_close(machines);
    ridge_ops_close(&ops);
    for (size_t i = 0; i < file_count; i++)
        assert_int_equal(unlink(files[i]), 0);
    ridge_arena_free(&arena);
    return rmdir(folder);
}

static ridge_op_record count_as(ridge_op_kind kind, const ridge_op_shape *shape, const char *activations, const char *weights,
                                const char *kv)
{
    ridge_op_formats formats = {ridge_format_find(ridge_str_of(activations)), ridge_format_find(ridge_str_of(weights)),
                                ridge_format_find(ridge_str_of(kv))};
    ridge_op_record record;
    ridge_err err = {0};
    ridge_status status = ridge_ops_count(&record, &ops, kind, shape, &formats, &arena, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(status, RIDGE_OK);
    return record;
}

static ridge_machine test_machine(int64_t gigabytes_per_s)
{
    ridge_machine m = {.id = "test", .name = "Test", .kind = "gpu", .level_count = 1, .launch_overhead_s = RIDGE_MACHINE_UNKNOWN};
    for (int i = 0; i < RIDGE_PRECISION_COUNT; i++)
        m.peak_flops_per_s[i] = RIDGE_MACHINE_UNKNOWN;
    m.levels[0] = (ridge_machine_level){"dram", NULL, gigabytes_per_s * 1000000000, 80000000000};
    return m;
}

static ridge_op_time time_as(ridge_op_kind kind, const ridge_op_shape *shape, const ridge_machine *m, const char *activations,
                             const char *weights, const ridge_op_conditions *conditions)
{
    ridge_op_record r = count_as(kind, shape, activations, weights, activations);
    ridge_op_formats formats = {ridge_format_find(ridge_str_of(activations)), ridge_format_find(ridge_str_of(weights)),
                                ridge_format_find(ridge_str_of(activations))};
    ridge_op_time t;
    ridge_err err = {0};
    ridge_status status = ridge_op_time_of(&t, &r, &formats, m, conditions, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(status, RIDGE_OK);
    return t;
}

#define assert_near(value, wanted, within)                                                                                                 \
    do {                                                                                                                                   \
        if (!(fabs((value) - (wanted)) <= (within)))                                                                                       \
            fail_msg("%s is %.9g, not %.9g", #value, (double)(value), (double)(wanted));                                                   \
    } while (0)

/* FACTS: GEMV 4096 x 4096 at 287 GB/s: 117, 58, 33 us; ridge point 216 at 62 TFLOP/s */
static void test_gemv_of_the_worked_example(void **state)
{
    (void)state;
    ridge_machine m = test_machine(287);
    ridge_op_shape shape = {.dims = {[RIDGE_OP_N] = 4096, [RIDGE_OP_K] = 4096}};
    m.peak_flops_per_s[RIDGE_PRECISION_FP16] = 62000000000000;
    m.peak_flops_per_s[RIDGE_PRECISION_FP8] = 124000000000000;
    m.peak_flops_per_s[RIDGE_PRECISION_NVFP4] = 1000000000000000;
    ridge_op_time t = time_as(RIDGE_OP_GEMV, &shape, &m, "fp16", "fp16", NULL);
    assert_near(t.time_s, 117e-6, 0.5e-6);
    assert_near(t.memory_s, (4096. * 4096 + 2 * 4096) * 2 / 287e9, 1e-12);
    assert_near(t.compute_s, 2 * 4096. * 4096 / 62e12, 1e-12);
    assert_near(t.ridge_point, 216, 0.05);
    assert_int_equal(t.bound, RIDGE_BOUND_MEMORY);
    assert_near(t.bytes_per_s, 287e9, 1);
    assert_near(t.flops_per_s, 2 * 4096. * 4096 / t.time_s, 1e3);
    assert_near(t.percent_of_bandwidth, 100, 1e-9);
    t = time_as(RIDGE_OP_GEMV, &shape, &m, "fp8", "fp8", NULL);
    assert_near(t.time_s, 58e-6, 0.6e-6);
    assert_int_equal(t.matrix.used, RIDGE_PRECISION_FP8);
    t = time_as(RIDGE_OP_GEMV, &shape, &m, "nvfp4", "nvfp4", NULL);
    assert_near(t.time_s, 33e-6, 0.5e-6);
    assert_int_equal(t.matrix.used, RIDGE_PRECISION_NVFP4);
}

/* FACTS: 3.7 MB of weights, 13.1 MFLOP; 9.2 us at 400 GB/s, 1 us at 13.6 TFLOP/s */
static void test_gemv_in_q4_K_of_the_worked_example(void **state)
{
    (void)state;
    ridge_machine m = test_machine(400);
    ridge_op_shape shape = {.dims = {[RIDGE_OP_N] = 2560, [RIDGE_OP_K] = 2560}};
    m.peak_flops_per_s[RIDGE_PRECISION_FP16] = 13600000000000;
    ridge_op_time t = time_as(RIDGE_OP_GEMV, &shape, &m, "fp16", "q4_K", NULL);
    assert_near(t.memory_s, 9.2e-6, 0.05e-6);
    assert_near(t.compute_s, 1e-6, 0.05e-6);
    assert_int_equal(t.matrix.wanted, RIDGE_PRECISION_FP16);
    assert_int_equal(t.bound, RIDGE_BOUND_MEMORY);
}

/* 2 * 8192^3 at 989.5 TFLOP/s; 3 matrices of 128 MiB at 3.35 TB/s */
static void test_gemm_that_computes(void **state)
{
    (void)state;
    ridge_machine m = test_machine(3350);
    ridge_op_shape shape = {.dims = {[RIDGE_OP_M] = 8192, [RIDGE_OP_N] = 8192, [RIDGE_OP_K] = 8192}};
    m.peak_flops_per_s[RIDGE_PRECISION_BF16] = 989500000000000;
    ridge_op_time t = time_as(RIDGE_OP_GEMM, &shape, &m, "bf16", "bf16", NULL);
    assert_near(t.compute_s, 1.111179e-3, 1e-9);
    assert_near(t.memory_s, 120.195e-6, 1e-9);
    assert_near(t.time_s, t.compute_s, 1e-15);
    assert_int_equal(t.bound, RIDGE_BOUND_COMPUTE);
    assert_near(t.flops_per_s, 989.5e12, 1e3);
    assert_near(t.percent_of_peak, 100, 1e-9);
    shape.flags[RIDGE_OP_QUANTISED] = true; /* counted as one more product */
    ridge_op_time twice = time_as(RIDGE_OP_GEMM, &shape, &m, "bf16", "bf16", NULL);
    assert_near(twice.compute_s, 2 * t.compute_s, 1e-12);
    assert_near(twice.flops_per_s, 989.5e12, 1e3);
}

/* each kernel is bounded on its own: time is their sum, above what the sums alone would say */
static void test_composite_kinds_are_sums_of_kernels(void **state)
{
    (void)state;
    ridge_machine m = test_machine(1000);
    ridge_op_shape shape = {.dims = {[RIDGE_OP_SEQ_LEN] = 2048, [RIDGE_OP_HIDDEN] = 4096, [RIDGE_OP_INTERMEDIATE] = 11008}};
    m.peak_flops_per_s[RIDGE_PRECISION_BF16] = 100000000000000;
    m.peak_flops_per_s[RIDGE_PRECISION_FP32] = 10000000000000;
    ridge_op_time t = time_as(RIDGE_OP_FFN, &shape, &m, "bf16", "bf16", NULL);
    double product = 184683593728., elements = 2048. * 11008;
    double product_bytes = 2 * (2048. * 4096 + 4096. * 11008 + elements);
    assert_near(t.compute_s, 2 * product / 100e12 + 8 * elements / 10e12, 1e-12);
    assert_near(t.memory_s, (2 * product_bytes + 2 * 2 * elements) / 1e12, 1e-12);
    assert_near(t.time_s, 2 * product / 100e12 + 4 * elements / 1e12, 1e-12); /* products compute, the activation moves bytes */
    assert_int_equal(t.bound, RIDGE_BOUND_COMPUTE);
}

/* two norms a layer; a model is its embedding, its layers and its head */
static void test_kernels_that_are_called_several_times(void **state)
{
    (void)state;
    ridge_machine m = test_machine(1000);
    ridge_op_shape layer = {.dims = {[RIDGE_OP_SEQ_LEN] = 4, [RIDGE_OP_HIDDEN] = 8, [RIDGE_OP_HEADS] = 2, [RIDGE_OP_INTERMEDIATE] = 16}};
    ridge_op_shape model = layer, norm = {.dims = {[RIDGE_OP_ROWS] = 4, [RIDGE_OP_COLS] = 8}};
    ridge_op_shape ffn = {.dims = {[RIDGE_OP_SEQ_LEN] = 4, [RIDGE_OP_HIDDEN] = 8, [RIDGE_OP_INTERMEDIATE] = 16}};
    ridge_op_shape attention = {.dims = {[RIDGE_OP_SEQ_LEN] = 4, [RIDGE_OP_HEADS] = 2, [RIDGE_OP_HEAD_DIM] = 4}};
    m.peak_flops_per_s[RIDGE_PRECISION_BF16] = 1000000000000;
    m.peak_flops_per_s[RIDGE_PRECISION_FP32] = 500000000000;
    double one = time_as(RIDGE_OP_LAYER, &layer, &m, "bf16", "bf16", NULL).time_s;
    double parts = time_as(RIDGE_OP_COUNTED_ATTENTION, &attention, &m, "bf16", "bf16", NULL).time_s +
                   time_as(RIDGE_OP_FFN, &ffn, &m, "bf16", "bf16", NULL).time_s +
                   2 * time_as(RIDGE_OP_LAYERNORM, &norm, &m, "bf16", "bf16", NULL).time_s;
    assert_near(one / parts, 1, 1e-9);
    model.dims[RIDGE_OP_VOCAB] = 32;
    model.dims[RIDGE_OP_LAYERS] = 1;
    double short_one = time_as(RIDGE_OP_MODEL, &model, &m, "bf16", "bf16", NULL).time_s;
    model.dims[RIDGE_OP_LAYERS] = 5;
    assert_near((time_as(RIDGE_OP_MODEL, &model, &m, "bf16", "bf16", NULL).time_s - short_one) / (4 * one), 1, 1e-9);
}

static void test_launches(void **state)
{
    (void)state;
    ridge_machine m = test_machine(1000);
    ridge_op_shape ffn = {.dims = {[RIDGE_OP_SEQ_LEN] = 1, [RIDGE_OP_HIDDEN] = 64, [RIDGE_OP_INTERMEDIATE] = 64}};
    m.peak_flops_per_s[RIDGE_PRECISION_BF16] = 100000000000000;
    ridge_op_time bare = time_as(RIDGE_OP_FFN, &ffn, &m, "bf16", "bf16", NULL);
    assert_true(bare.launch_s < 0 && !bare.launch_counted);
    ridge_op_conditions given = {.launch = {RIDGE_LAUNCH_GIVEN, 4e-6}};
    ridge_op_time t = time_as(RIDGE_OP_FFN, &ffn, &m, "bf16", "bf16", &given);
    assert_near(t.launch_s, 12e-6, 1e-12); /* up, activation, down */
    assert_near(t.time_s, bare.time_s + 12e-6, 1e-12);
    assert_int_equal(t.bound, RIDGE_BOUND_LAUNCH);
    m.launch_overhead_s = 5e-6;
    t = time_as(RIDGE_OP_FFN, &ffn, &m, "bf16", "bf16", NULL);
    assert_near(t.launch_s, 15e-6, 1e-12); /* told, not counted */
    assert_near(t.time_s, bare.time_s, 1e-15);
}

/* a working set that a cache holds is read at the cache's bandwidth, where that is known */
static void test_memory_level(void **state)
{
    (void)state;
    ridge_machine m = test_machine(1000);
    ridge_op_shape shape = {.dims = {[RIDGE_OP_ROWS] = 1000, [RIDGE_OP_COLS] = 1000}}; /* 4 MB */
    m.levels[1] = (ridge_machine_level){"l2", NULL, 5000000000000, 4000000};
    m.level_count = 2;
    m.peak_flops_per_s[RIDGE_PRECISION_FP32] = 60000000000000;
    ridge_op_time t = time_as(RIDGE_OP_SOFTMAX, &shape, &m, "bf16", "bf16", NULL);
    assert_string_equal(t.level->name, "l2");
    assert_near(t.memory_s, 0.8e-6, 1e-12);
    assert_near(t.compute_s, 5e6 / 60e12, 1e-12);
    assert_near(t.ridge_point, 60, 1e-9); /* of main memory, at the vector units' rate */
    ridge_op_conditions cold = {.level = "dram"};
    t = time_as(RIDGE_OP_SOFTMAX, &shape, &m, "bf16", "bf16", &cold);
    assert_near(t.memory_s, 4e-6, 1e-12);
    m.levels[1].capacity_bytes = 3999999;
    t = time_as(RIDGE_OP_SOFTMAX, &shape, &m, "bf16", "bf16", NULL);
    assert_string_equal(t.level->name, "dram");
}

static void test_vector_rate_that_is_unknown(void **state)
{
    (void)state;
    ridge_machine m = test_machine(819);
    ridge_op_shape shape = {.dims = {[RIDGE_OP_ROWS] = 8, [RIDGE_OP_COLS] = 8}};
    m.peak_flops_per_s[RIDGE_PRECISION_BF16] = 197000000000000;
    ridge_op_time t = time_as(RIDGE_OP_SILU, &shape, &m, "bf16", "bf16", NULL);
    assert_true(t.compute_s < 0 && t.ridge_point < 0 && t.percent_of_peak < 0);
    assert_near(t.time_s, 256 / 819e9, 1e-15);
    assert_int_equal(t.bound, RIDGE_BOUND_MEMORY);
}

/* the machines of a request are named by their files */
static const char *machine_file(const char *id, int64_t gigabytes_per_s, const char *peaks)
{
    const char *path = ridge_arena_printf(&arena, "%s/%s.json", folder, id);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    (void)fprintf(f, "{\"id\": \"%s\", \"name\": \"%s\", \"kind\": \"gpu\", \"memory\": [{\"level\": \"dram\", ", id, id);
    if (gigabytes_per_s > 0)
        (void)fprintf(f, "\"bytes_per_s\": %lld000000000, ", (long long)gigabytes_per_s);
    (void)fprintf(f, "\"capacity_bytes\": 80000000000}], \"peak_flops_per_s\": {%s}}", peaks);
    assert_int_equal(fclose(f), 0);
    files[file_count++] = path;
    return path;
}

/* every option at its default */
static void set_dtype(ridge_op_request *r, const char *name)
{
    static const ridge_format *format;
    format = ridge_format_find(ridge_str_of(name));
    r->dtypes = (ridge_formats){&format, 1};
}

static ridge_op_request request_of(const ridge_op_shape *shape)
{
    static const ridge_option_table tables[] = {
        {.options = ridge_options_op_formats}, {.options = ridge_options_op_machine}, {.options = NULL}};
    ridge_op_request r = {.shape = *shape};
    ridge_option_places places = {.request = &r};
    assert_int_equal(ridge_options_default(&places, tables, &arena, NULL), RIDGE_OK);
    return r;
}

static ridge_op_answer ask(ridge_op_kind kind, const ridge_op_request *r)
{
    ridge_op_answer answer;
    ridge_err err = {0};
    ridge_status status = ridge_op_answer_make(&answer, &ops, machines, kind, r, &arena, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(status, RIDGE_OK);
    return answer;
}

static void test_all_formats(void **state)
{
    (void)state;
    const char *on[] = {machine_file("fast", 1000, "\"fp16\": 100e12"), machine_file("slow", 500, "\"fp16\": 100e12")};
    ridge_op_shape shape = {.dims = {[RIDGE_OP_N] = 4096, [RIDGE_OP_K] = 4096}};
    ridge_op_request r = request_of(&shape);
    set_dtype(&r, "fp16");
    r.all_formats = true;
    r.machines = (ridge_words){on, 2};
    ridge_op_answer a = ask(RIDGE_OP_GEMV, &r);
    size_t formats = 0, count;
    const ridge_format *table = ridge_format_table(&count);
    for (size_t i = 0; i < count; i++)
        formats += !table[i].integer; /* all but those of indices and of files alone */
    assert_int_equal(a.row_count, 2 * formats);
    assert_string_equal(a.rows[0].format->name, "fp16");
    assert_near(a.rows[0].speedup, 1, 1e-15);
    assert_near(a.rows[formats].speedup, 0.5, 1e-12); /* half the bandwidth */
    size_t untimed = 0;
    for (size_t i = 0; i < formats; i++) {
        const ridge_op_row *row = &a.rows[i];
        assert_ptr_equal(row->formats.weights, row->format);
        if (strcmp(row->format->name, "q4_K") == 0) {
            assert_string_equal(row->formats.activations->name, "fp16");
            assert_near(row->speedup, (33554432. + 16384) / (4096. * 16 * 144 + 16384), 1e-9);
        }
        untimed += !row->timed;
        assert_true(row->timed == (row->problem == NULL));
        assert_true(row->timed == (row->precision != NULL) && row->timed == (row->time.time_s > 0));
        assert_true((row->timed && row->rate.peak_flops_per_s > 0) == (row->speedup > 0)); /* a lower bound is no ratio */
    }
    assert_int_equal(untimed, 0); /* a rate that is not given leaves the bound of the memory */
    assert_int_equal(a.problems.count, 0);
    shape = (ridge_op_shape){.dims = {[RIDGE_OP_ROWS] = 2, [RIDGE_OP_COLS] = 2}};
    r.shape = shape; /* no weights: a format that is for weights alone changes nothing */
    r.machines.count = 0;
    assert_int_equal(ask(RIDGE_OP_SILU, &r).row_count, 15); /* fp64 fp32 tf32 bf16 fp16 2 x fp8 int8 int4 mxfp8 mxint8 mxfp6 mxfp4 2 x nvfp4 */
}

static void refuse_request(ridge_op_kind kind, const ridge_op_request *r, ridge_status status, const char *message)
{
    ridge_op_answer answer;
    ridge_err err = {0};
    assert_int_equal(ridge_op_answer_make(&answer, &ops, machines, kind, r, &arena, &err), status);
    assert_string_equal(message_of(&err), message);
}

static void test_requests_without_an_answer(void **state)
{
    (void)state;
    const char *peakless = machine_file("test", 1000, ""), *nothing = machine_file("nothing", 0, ""), *on[] = {peakless, "h100-sxm-80"};
    ridge_op_shape shape = {.dims = {[RIDGE_OP_M] = 1, [RIDGE_OP_N] = 1, [RIDGE_OP_K] = 1}};
    ridge_op_request r = request_of(&shape);
    static const char no_rates[] =
        "machine 'nothing' bounds nothing: it gives neither memory.dram.bytes_per_s nor peak_flops_per_s.bf16 (a "
        "machine file that inherits 'nothing' can add them)";
    on[0] = nothing;
    r.machines = (ridge_words){on, 1};
    refuse_request(RIDGE_OP_GEMM, &r, RIDGE_UNKNOWN, no_rates);
    on[0] = peakless; /* its memory bounds all the same */
    ridge_op_answer a;
    assert_int_equal(ridge_op_answer_make(&a, &ops, machines, RIDGE_OP_GEMM, &r, &arena, NULL), RIDGE_OK);
    assert_near(a.rows[0].time.time_s, 6e-12, 1e-24); /* three bf16 at 1000 GB/s */
    assert_true(a.rows[0].time.compute_s < 0 && a.rows[0].time.percent_of_peak < 0 && a.rows[0].rate.peak_flops_per_s < 0);
    r.all_formats = true;
    r.weights = ridge_format_find(RIDGE_STR("q4_K"));
    refuse_request(RIDGE_OP_GEMM, &r, RIDGE_USAGE,
                   "all-formats goes through the formats of weights itself: leave it out (dtype is the first row)");
    r.weights = NULL;
    r.tiling = true;
    refuse_request(RIDGE_OP_GEMM, &r, RIDGE_USAGE,
                   "tiling is of one GEMM in one format: it goes with one machine of on, one dtype and without all-formats");
    r.all_formats = false;
    r.machines.count = 2;
    refuse_request(RIDGE_OP_GEMM, &r, RIDGE_USAGE,
                   "tiling is of one GEMM in one format: it goes with one machine of on, one dtype and without all-formats");
    ridge_op_shape rows = {.dims = {[RIDGE_OP_ROWS] = 1, [RIDGE_OP_COLS] = 1}};
    r = request_of(&rows);
    r.machines = (ridge_words){on, 1};
    r.tiling = true;
    refuse_request(RIDGE_OP_SILU, &r, RIDGE_USAGE, "tiling: silu is no GEMM");
    r.machines.count = 0;
    refuse_request(RIDGE_OP_SILU, &r, RIDGE_USAGE, "tiling is about a machine: name one with on ('ridge machine list' has them)");
    r = request_of(&rows);
    r.all_formats = true;
    set_dtype(&r, "q4_K");
    refuse_request(RIDGE_OP_SILU, &r, RIDGE_USAGE, "all-formats: silu has no weights that q4_K could be for");
    r.shape.dims[RIDGE_OP_ROWS] = 0;
    refuse_request(RIDGE_OP_SILU, &r, RIDGE_USAGE, "silu needs rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemv_of_the_worked_example),
        cmocka_unit_test(test_gemv_in_q4_K_of_the_worked_example),
        cmocka_unit_test(test_gemm_that_computes),
        cmocka_unit_test(test_composite_kinds_are_sums_of_kernels),
        cmocka_unit_test(test_kernels_that_are_called_several_times),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_memory_level),
        cmocka_unit_test(test_vector_rate_that_is_unknown),
        cmocka_unit_test(test_all_formats),
        cmocka_unit_test(test_requests_without_an_answer),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, open_all, close_all);
}
