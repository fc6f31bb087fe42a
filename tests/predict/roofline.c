/* roofline.c - which rate counts, from where, and the time. Rates: vendors' dense figures in TFLOP/s, literals here; times by hand. */
#include "test.h"

#include "predict/roofline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TERA INT64_C(1000000000000)
#define GIGA INT64_C(1000000000)

static void unknown_peaks(ridge_machine *m)
{
    for (int i = 0; i < RIDGE_PRECISION_COUNT; i++)
        m->peak_flops_per_s[i] = RIDGE_MACHINE_UNKNOWN;
}

/* "bf16 312 fp16 312": TFLOP/s */
static ridge_machine machine_of(const char *id, const char *peaks)
{
    ridge_machine m = {.id = id, .name = id, .level_count = 1, .levels = {{"dram", NULL, 1000 * GIGA, 80 * GIGA}}};
    unknown_peaks(&m);
    char text[256], *save = NULL;
    (void)snprintf(text, sizeof text, "%s", peaks);
    for (char *name = strtok_r(text, " ", &save); name != NULL; name = strtok_r(NULL, " ", &save)) {
        ridge_precision p = ridge_precision_find(ridge_str_of(name));
        assert_int_not_equal(p, RIDGE_PRECISION_COUNT);
        m.peak_flops_per_s[p] = atoll(strtok_r(NULL, " ", &save)) * TERA;
    }
    return m;
}

/* ... all its rates: it has no units for another */
static ridge_machine chip_of(const char *id, const char *peaks)
{
    ridge_machine m = machine_of(id, peaks);
    for (int i = 0; i < RIDGE_PRECISION_COUNT; i++)
        m.lacks[i] = m.peak_flops_per_s[i] == RIDGE_MACHINE_UNKNOWN;
    return m;
}

#define V100   chip_of("v100", "fp64 7 fp32 14 fp16 112")
#define A100   chip_of("a100", "fp64 19 fp32 19 tf32 156 bf16 312 fp16 312 int8 624 int4 1248")
#define H100   chip_of("h100", "fp64 67 fp32 67 tf32 494 bf16 989 fp16 989 fp8 1979 int8 1979")
#define B200   chip_of("b200", "fp64 40 fp32 80 tf32 1125 bf16 2250 fp16 2250 fp8 4500 int8 4500 fp6 4500 mxfp4 9000 nvfp4 9000")
#define T4     chip_of("t4", "fp32 8.1 fp16 65 int8 130 int4 260")
#define TPU_V5 chip_of("tpu-v5e", "bf16 197 int8 393")

static const ridge_format *format(const char *name)
{
    const ridge_format *f = ridge_format_find(ridge_str_of(name));
    assert_non_null(f);
    return f;
}

static void computes(ridge_machine m, const char *activations, const char *weights, const char *wanted, const char *used, int64_t tflops)
{
    ridge_computes_at at;
    ridge_err err = {0};
    assert_int_equal(ridge_computes_at_find(&at, &m, format(activations), format(weights), &err), RIDGE_OK);
    assert_string_equal(ridge_precision_names[at.wanted], wanted);
    assert_string_equal(ridge_precision_names[at.used], used);
    assert_true(fabs(at.peak_flops_per_s - (double)tflops * 1e12) < 1);
}

static void test_a_rate_the_chip_has(void **state)
{
    (void)state;
    computes(A100, "bf16", "bf16", "bf16", "bf16", 312);
    computes(A100, "fp32", "fp32", "fp32", "fp32", 19);
    computes(A100, "tf32", "tf32", "tf32", "tf32", 156);
    computes(A100, "int4", "int4", "int4", "int4", 1248);
    computes(H100, "fp8", "fp8", "fp8", "fp8", 1979);
    computes(H100, "fp8_e5m2", "mxfp8", "fp8", "fp8", 1979);
    computes(B200, "nvfp4", "nvfp4", "nvfp4", "nvfp4", 9000);
    computes(B200, "mxfp6", "mxfp6", "fp6", "fp6", 4500);
}

/* a chip without it runs the next wider one that holds its values */
static void test_a_rate_the_chip_lacks(void **state)
{
    (void)state;
    computes(V100, "bf16", "bf16", "bf16", "fp32", 14); /* fp16 has not bf16's exponent */
    computes(V100, "fp8", "fp8", "fp8", "fp16", 112);
    computes(V100, "int8", "int8", "int8", "fp16", 112);
    computes(A100, "fp8", "fp8", "fp8", "bf16", 312);
    computes(A100, "nvfp4", "nvfp4", "nvfp4", "bf16", 312);
    computes(H100, "nvfp4", "nvfp4", "nvfp4", "fp8", 1979);
    computes(H100, "mxfp6", "mxfp6", "fp6", "fp8", 1979);
    computes(H100, "int4", "int4", "int4", "int8", 1979);
    computes(TPU_V5, "fp8", "fp8", "fp8", "bf16", 197);
    computes(chip_of("no-fp32", "fp64 10"), "fp32", "fp32", "fp32", "fp64", 10);
}

/* low-bit weights save bytes, not FLOPs (FACTS, "Bytes") */
static void test_weight_only_formats_take_the_other_operand_s_precision(void **state)
{
    (void)state;
    static const char *const formats[] = {"q4_K", "nf4", "int4_g128", "int2", "q8_0", "iq4_xs"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        computes(A100, "fp16", formats[i], "fp16", "fp16", 312);
        computes(V100, "fp16", formats[i], "fp16", "fp16", 112);
        computes(H100, "fp32", formats[i], "fp32", "fp32", 67);
        computes(H100, formats[i], "fp8", "fp8", "fp8", 1979);
        /* unpacked to whichever 16-bit format is there: tensor cores of Volta have fp16 and no bf16, TPUs bf16 and no fp16 */
        computes(V100, "bf16", formats[i], "bf16", "fp16", 112);
        computes(V100, formats[i], formats[i], "bf16", "fp16", 112);
        computes(T4, "bf16", formats[i], "bf16", "fp16", 65);
        computes(TPU_V5, "fp16", formats[i], "fp16", "bf16", 197);
        computes(chip_of("pascal", "fp32 12"), "bf16", formats[i], "bf16", "fp32", 12);
    }
}

static void test_operands_of_two_formats(void **state)
{
    (void)state;
    computes(H100, "bf16", "nvfp4", "bf16", "bf16", 989); /* the wider of the two */
    computes(H100, "bf16", "fp8", "bf16", "bf16", 989);
    computes(H100, "fp32", "bf16", "fp32", "fp32", 67);
    computes(H100, "bf16", "int8", "bf16", "bf16", 989); /* an integer with a float: the float */
    computes(H100, "int8", "bf16", "bf16", "bf16", 989);
    computes(H100, "fp8", "int8", "fp8", "fp8", 1979);
    computes(B200, "nvfp4", "int8", "fp8", "fp8", 4500);  /* ... no narrower than the integer */
    computes(B200, "mxfp4", "nvfp4", "fp8", "fp8", 4500); /* neither holds the other */
    computes(H100, "bf16", "fp16", "tf32", "tf32", 494);  /* 8 bits of exponent and 10 of fraction */
    computes(B200, "mxfp6", "fp8_e4m3", "fp8", "fp8", 4500);
}

static void is_unknown(ridge_machine m, const char *a, const char *b, const char *used)
{
    ridge_computes_at at;
    char text[300];
    assert_int_equal(ridge_computes_at_find(&at, &m, format(a), format(b), NULL), RIDGE_OK);
    assert_false(ridge_rate_is_known(&at));
    assert_string_equal(ridge_precision_names[at.used], used);
    assert_true(at.peak_flops_per_s < 0);
    assert_true(ridge_rate_remark(text, sizeof text, &m, &at, "matrix products"));
    assert_non_null(strstr(text, "is not known: matrix products are bound by memory only"));
}

/* A peak that is not given is unknown: another format's is no bound of it. GB10: fp32 31 TFLOP/s, 92.3 measured in bf16. */
static void test_a_rate_nobody_gives(void **state)
{
    (void)state;
    ridge_machine gb10 = machine_of("gb10", "fp32 31 nvfp4 500"), m4 = machine_of("m4-max", "");
    gb10.lacks[RIDGE_PRECISION_INT4] = true;
    computes(gb10, "fp32", "fp32", "fp32", "fp32", 31);
    computes(gb10, "nvfp4", "nvfp4", "nvfp4", "nvfp4", 500);
    is_unknown(gb10, "bf16", "bf16", "bf16");
    is_unknown(gb10, "fp8", "fp8", "fp8");
    is_unknown(gb10, "bf16", "q4_K", "bf16");
    is_unknown(gb10, "int4", "int4", "int8"); /* it lacks int4, and nobody says what it does in int8 */
    is_unknown(m4, "fp32", "fp32", "fp32");
    is_unknown(TPU_V5, "fp16", "fp16", "fp64"); /* nothing it has holds fp16's fractions */
    is_unknown(machine_of("half", "fp32 10"), "fp64", "fp64", "fp64");
}

static void test_a_remark_of_a_rate(void **state)
{
    (void)state;
    ridge_computes_at at;
    ridge_machine a100 = A100;
    char text[300];
    assert_int_equal(ridge_computes_at_find(&at, &a100, format("fp8"), format("fp8"), NULL), RIDGE_OK);
    assert_true(ridge_rate_remark(text, sizeof text, &a100, &at, "matrix products"));
    assert_string_equal(text, "a100 has no fp8 units: matrix products are converted and run at its bf16 peak");
    assert_int_equal(ridge_computes_at_find(&at, &a100, format("bf16"), format("bf16"), NULL), RIDGE_OK);
    assert_false(ridge_rate_remark(text, sizeof text, &a100, &at, "matrix products"));
}

static void test_formats_that_nothing_multiplies(void **state)
{
    (void)state;
    ridge_computes_at at;
    ridge_err err = {0};
    ridge_machine h100 = H100;
    assert_int_equal(ridge_computes_at_find(&at, &h100, format("bf16"), format("i64"), &err), RIDGE_UNKNOWN);
    assert_string_equal(message_of(&err), "no machine has a rate for bf16 times i64: it is a format of indices and masks");
}

static void test_nothing_is_bound_by_nothing(void **state)
{
    (void)state;
    ridge_err err = {0};
    ridge_machine m = machine_of("m", "bf16 1");
    ridge_computes_at known = {RIDGE_PRECISION_BF16, RIDGE_PRECISION_BF16, 1e12}, unknown = known;
    unknown.peak_flops_per_s = RIDGE_MACHINE_UNKNOWN;
    assert_int_equal(ridge_bound_check(&known, RIDGE_MACHINE_UNKNOWN, &m, &err), RIDGE_OK);
    assert_int_equal(ridge_bound_check(&unknown, 1e9, &m, &err), RIDGE_OK);
    assert_int_equal(ridge_bound_check(NULL, 1e9, &m, &err), RIDGE_OK);
    assert_int_equal(ridge_bound_check(&unknown, RIDGE_MACHINE_UNKNOWN, &m, &err), RIDGE_UNKNOWN);
    assert_string_equal(message_of(&err),
                        "machine 'm' bounds nothing: it gives neither memory.dram.bytes_per_s nor peak_flops_per_s.bf16 (a "
                        "machine file that inherits 'm' can add them)");
}

/* on a chip that has everything nothing falls back, and nothing computes narrower than either operand asks */
static void test_every_pair_of_formats(void **state)
{
    (void)state;
    size_t count;
    const ridge_format *table = ridge_format_table(&count);
    ridge_machine all = {.id = "all", .level_count = 1};
    for (int i = 0; i < RIDGE_PRECISION_COUNT; i++)
        all.peak_flops_per_s[i] = 1 + i;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            ridge_computes_at ab, ba;
            if (table[i].integer || table[k].integer)
                continue;
            assert_int_equal(ridge_computes_at_find(&ab, &all, &table[i], &table[k], NULL), RIDGE_OK);
            assert_int_equal(ridge_computes_at_find(&ba, &all, &table[k], &table[i], NULL), RIDGE_OK);
            assert_int_equal(ab.wanted, ba.wanted);
            assert_int_equal(ab.wanted, ab.used);
            assert_int_not_equal(ridge_precision_find(ridge_str_of(table[i].compute)), RIDGE_PRECISION_COUNT);
        }
}

static void test_vector_rate(void **state)
{
    (void)state;
    ridge_machine h100 = H100, tpu = TPU_V5, old = chip_of("old", "fp64 10");
    assert_true(fabs(ridge_vector_flops_per_s(&h100, format("bf16")) - 67e12) < 1);
    assert_true(fabs(ridge_vector_flops_per_s(&h100, format("q4_K")) - 67e12) < 1);
    assert_true(fabs(ridge_vector_flops_per_s(&old, format("bf16")) - 10e12) < 1);
    assert_true(fabs(ridge_vector_flops_per_s(&tpu, format("bf16"))) < 0.5);
    ridge_machine a = machine_of("a", "fp64 9 fp32 19"), no_double = machine_of("b", "fp32 19");
    assert_true(fabs(ridge_vector_flops_per_s(&a, format("fp64")) - 9e12) < 1);
    assert_true(fabs(ridge_vector_flops_per_s(&no_double, format("fp64"))) < 0.5);
}

static void reads_at(const ridge_machine *m, double bytes, const char *level, double gigabytes_per_s)
{
    const ridge_machine_level *found;
    double bytes_per_s;
    ridge_bandwidth_find(&bytes_per_s, &found, m, bytes);
    assert_string_equal(found->name, level);
    assert_true(fabs(bytes_per_s - gigabytes_per_s * 1e9) < 1);
}

static void test_memory_level_by_working_set(void **state)
{
    (void)state;
    ridge_machine m = {.id = "m",
                       .levels = {{"dram", NULL, 400 * GIGA, 32 * GIGA},
                                  {"llc", NULL, 2000 * GIGA, 96000000},
                                  {"l2", NULL, RIDGE_MACHINE_UNKNOWN, 6000000},
                                  {"l1", NULL, 9000 * GIGA, 1000000}},
                       .level_count = 4};
    reads_at(&m, 1e12, "dram", 400); /* held by nothing: it streams from main memory */
    reads_at(&m, 96000001, "dram", 400);
    reads_at(&m, 96000000, "llc", 2000);
    reads_at(&m, 5e6, "llc", 2000); /* l2 holds it, at a bandwidth nobody tells */
    reads_at(&m, 1e6, "l1", 9000);
    m.levels[3].capacity_bytes = RIDGE_MACHINE_UNKNOWN;
    reads_at(&m, 10, "llc", 2000);
    m.levels[0].bytes_per_s = RIDGE_MACHINE_UNKNOWN;
    reads_at(&m, 10, "llc", 2000);
    const ridge_machine_level *level;
    double bytes_per_s;
    ridge_bandwidth_find(&bytes_per_s, &level, &m, 1e9);
    assert_true(bytes_per_s < 0);
    assert_string_equal(level->name, "dram");
}

static void test_ridge_point(void **state)
{
    (void)state;
    ridge_machine m = {.levels = {{"dram", NULL, 287 * GIGA, 0}}, .level_count = 1};
    assert_true(fabs(ridge_ridge_point(&m, 62e12) - 216.03) < 0.01); /* FACTS: 216 */
    assert_true(ridge_ridge_point(&m, 0) < 0);
    m.levels[0].bytes_per_s = RIDGE_MACHINE_UNKNOWN;
    assert_true(ridge_ridge_point(&m, 62e12) < 0);
}

static void takes(ridge_kernel_time t, double compute_s, double memory_s, double time_s, ridge_bound bound)
{
    assert_true(fabs(t.compute_s - compute_s) < 1e-12);
    assert_true(fabs(t.memory_s - memory_s) < 1e-12);
    assert_true(fabs(t.time_s - time_s) < 1e-12);
    assert_int_equal(t.bound, bound);
}

static void test_kernel_time(void **state)
{
    (void)state;
    takes(ridge_kernel_time_of(100, 10, 0, 1, 3, -1), 10, 3, 10, RIDGE_BOUND_COMPUTE);
    takes(ridge_kernel_time_of(10, 10, 0, 1, 3, -1), 1, 3, 3, RIDGE_BOUND_MEMORY);
    takes(ridge_kernel_time_of(30, 10, 0, 1, 3, 0), 3, 3, 3, RIDGE_BOUND_MEMORY);  /* at the ridge point */
    takes(ridge_kernel_time_of(10, 10, 8, 2, 3, 0), 4, 3, 4, RIDGE_BOUND_COMPUTE); /* the vector units are slower */
    takes(ridge_kernel_time_of(10, 10, 8, 0, 3, 0), 1.8, 3, 3,
          RIDGE_BOUND_MEMORY); /* ... at a rate nobody tells: all FLOPs at the matrix rate */
    takes(ridge_kernel_time_of(20, 10, 8, 4, 1, 0), 2.8, 1, 2.8, RIDGE_BOUND_COMPUTE); /* FLOPs / peak, vector work among them */
    takes(ridge_kernel_time_of(10, 10, 0, 1, 3, 2), 1, 3, 5, RIDGE_BOUND_MEMORY);
    takes(ridge_kernel_time_of(10, 10, 0, 1, 3, 4), 1, 3, 7, RIDGE_BOUND_LAUNCH);   /* more than half */
    takes(ridge_kernel_time_of(10, 10, 0, 1, 3, NAN), 1, 3, 3, RIDGE_BOUND_MEMORY); /* unknown */
}

static void test_bounds_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {"memory", "compute", "launch", "link"};
    for (int i = RIDGE_BOUND_MEMORY; i <= RIDGE_BOUND_LINK; i++)
        assert_string_equal(ridge_bound_names[i], names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rate_the_chip_has),
        cmocka_unit_test(test_a_rate_the_chip_lacks),
        cmocka_unit_test(test_weight_only_formats_take_the_other_operand_s_precision),
        cmocka_unit_test(test_operands_of_two_formats),
        cmocka_unit_test(test_a_rate_nobody_gives),
        cmocka_unit_test(test_a_remark_of_a_rate),
        cmocka_unit_test(test_formats_that_nothing_multiplies),
        cmocka_unit_test(test_nothing_is_bound_by_nothing),
        cmocka_unit_test(test_every_pair_of_formats),
        cmocka_unit_test(test_vector_rate),
        cmocka_unit_test(test_memory_level_by_working_set),
        cmocka_unit_test(test_ridge_point),
        cmocka_unit_test(test_kernel_time),
        cmocka_unit_test(test_bounds_have_names),
    };
    return RUN_TESTS(tests);
}
