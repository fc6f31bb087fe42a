/* compare.c - errors, bounds, slowdowns and efficiencies by hand arithmetic, on rows made up here. */
#include "test.h"

#include "compare/calibration.h"

#include <math.h>

static ridge_arena arena;

static int set_up(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ridge_arena_free(&arena);
    return 0;
}

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fabs(want)))
        fail_msg("%.17g, wanted %.17g", got, want);
}

static ridge_measured_row row_of(double measured_s, double predicted_s, ridge_side bound)
{
    return (ridge_measured_row){.kernel = "gemv",
                                .variant = "generic",
                                .provider = "ridge",
                                .shape = "{\"n\": 2, \"k\": 2}",
                                .format = "bf16",
                                .time = {.median_s = measured_s},
                                .percent_of_ceiling = RIDGE_MEASURE_UNKNOWN,
                                .predicted_s = predicted_s,
                                .bound = bound};
}

/* |p - m| / m, of what was measured and not of what was predicted */
static void test_error(void **state)
{
    (void)state;
    near(ridge_compare_error(3, 4), 0.25);
    near(ridge_compare_error(6, 4), 0.5);
    near(ridge_compare_error(4, 4), 0);
    assert_true(ridge_compare_error(-1, 4) < 0);
    assert_true(ridge_compare_error(4, 0) < 0);
}

static void test_median(void **state)
{
    (void)state;
    double odd[] = {9, 1, 4}, even[] = {10, 1, 2, 5};
    near(ridge_compare_median(odd, 3), 4);
    near(ridge_compare_median(even, 4), 3.5);
    assert_true(ridge_compare_median(odd, 0) < 0);
}

static void test_sides(void **state)
{
    (void)state;
    const ridge_compare_sides memory = {3, 1}, compute = {1, 3}, half = {-1, 2}, none = {-1, -1};
    near(ridge_compare_bound_s(memory), 3);
    assert_int_equal(ridge_compare_bound(memory), RIDGE_SIDE_MEMORY);
    near(ridge_compare_bound_s(compute), 3);
    assert_int_equal(ridge_compare_bound(compute), RIDGE_SIDE_COMPUTE);
    near(ridge_compare_bound_s(half), 2);
    assert_int_equal(ridge_compare_bound(half), RIDGE_SIDE_COMPUTE);
    assert_true(ridge_compare_bound_s(none) < 0);
    assert_int_equal(ridge_compare_bound(none), RIDGE_SIDE_UNKNOWN);
}

/* measured 8 s; the stream would have taken 6 s (75 %), the arithmetic 2 s (25 %): memory, 8 / 6 slower than it could be */
static void test_row(void **state)
{
    (void)state;
    ridge_measured_row row = row_of(8, 5, RIDGE_SIDE_COMPUTE);
    ridge_joined joined;
    ridge_compare_row(&joined, &row, (ridge_compare_sides){6, 2});
    assert_ptr_equal(joined.row, &row);
    assert_int_equal(joined.bound, RIDGE_SIDE_COMPUTE);
    assert_int_equal(joined.bound_seen, RIDGE_SIDE_MEMORY);
    near(joined.memory_percent, 75);
    near(joined.compute_percent, 25);
    near(joined.slowdown, 8.0 / 6);
    near(joined.error, 3.0 / 8);
}

/* a stored row knows its share of the ceiling, not which ceiling: 40 % is 2.5 times the least time */
static void test_stored_row(void **state)
{
    (void)state;
    ridge_measured_row row = row_of(8, 8, RIDGE_SIDE_MEMORY);
    ridge_joined joined;
    row.percent_of_ceiling = 40;
    ridge_compare_row(&joined, &row, (ridge_compare_sides){-1, -1});
    assert_int_equal(joined.bound_seen, RIDGE_SIDE_UNKNOWN);
    assert_true(joined.memory_percent < 0 && joined.compute_percent < 0);
    near(joined.slowdown, 2.5);
    row.percent_of_ceiling = RIDGE_MEASURE_UNKNOWN;
    ridge_compare_row(&joined, &row, (ridge_compare_sides){-1, -1});
    assert_true(joined.slowdown < 0);
}

/* errors 0.5, 0.25, unknown, 0, 1, 0.25, 0.75: median 0.375, mean 2.75 / 6 */
static void test_summary(void **state)
{
    (void)state;
    static const double predicted[] = {2, 3, -1, 4, 8, 5, 7};
    ridge_measured_row rows[7];
    ridge_joined joined[7];
    ridge_compare_summary s;
    for (size_t i = 0; i < 7; i++) {
        rows[i] = row_of(4, predicted[i], i == 2 ? RIDGE_SIDE_UNKNOWN : RIDGE_SIDE_MEMORY);
        rows[i].beats_roofline = i == 4;
        ridge_compare_row(&joined[i], &rows[i], i < 5 ? (ridge_compare_sides){2, i == 1 ? 3 : 1} : (ridge_compare_sides){-1, -1});
    }
    assert_int_equal(ridge_compare_summarise(&s, joined, 7, &arena, NULL), RIDGE_OK);
    assert_int_equal(s.rows, 7);
    assert_int_equal(s.predicted, 6);
    near(s.median_error, 0.375);
    near(s.mean_error, 2.75 / 6);
    static const size_t worst[] = {4, 6, 0, 1, 5};
    assert_int_equal(s.worst_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(s.worst[i].row, worst[i]);
        assert_ptr_equal(s.worst[i].joined, &joined[worst[i]]);
    }
    assert_int_equal(s.bounds_known, 4);
    assert_int_equal(s.bounds_agree, 3);
    assert_int_equal(s.beat_roofline, 1);
}

static void test_summary_of_nothing(void **state)
{
    (void)state;
    ridge_compare_summary s;
    assert_int_equal(ridge_compare_summarise(&s, NULL, 0, &arena, NULL), RIDGE_OK);
    assert_int_equal(s.worst_count, 0);
    assert_true(s.median_error < 0 && s.mean_error < 0);
}

/* FACTS "Number formats": bits per element, scales included: q8_0 8.5, q6_K 6.5625, q4_K 4.5 */
static void test_format_classes(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {{"fp32", "fp32"},  {"bf16", "16-bit"}, {"fp16", "16-bit"}, {"q8_0", "8-bit"},
                                            {"int8", "8-bit"}, {"q6_K", "4-bit"},  {"q4_K", "4-bit"},  {"nf4", "4-bit"}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_string_equal(ridge_format_class_names[ridge_calibration_format_class(ridge_format_find(ridge_str_of(wanted[i][0])))],
                            wanted[i][1]);
    assert_int_equal(ridge_calibration_format_class(NULL), RIDGE_FORMAT_CLASS_UNKNOWN);
}

#define MEMORY  RIDGE_CALIBRATION_BOUND_MEMORY
#define COMPUTE RIDGE_CALIBRATION_BOUND_COMPUTE

static ridge_calibration_row calibration_row(const char *kernel, ridge_calibration_bound bound, double measured_s, double roofline_s,
                                             double theory_s)
{
    return (ridge_calibration_row){.group = {kernel, "vector", RIDGE_FORMAT_CLASS_BITS_4, bound},
                                   .measured_s = measured_s,
                                   .roofline_s = roofline_s,
                                   .theory_s = theory_s};
}

/* a stream from a cache is a bound of its own; a format that is none has no class; what is not predicted has no bound */
static void test_calibration_groups(void **state)
{
    (void)state;
    ridge_measured_row row = row_of(8, 4, RIDGE_SIDE_MEMORY);
    row.cache = RIDGE_CACHE_COLD;
    ridge_calibration_row of = ridge_calibration_row_of(&row, 2);
    assert_string_equal(of.group.kernel, "gemv");
    assert_string_equal(of.group.variant, "generic");
    assert_int_equal(of.group.format_class, RIDGE_FORMAT_CLASS_BITS_16);
    assert_int_equal(of.group.bound, MEMORY);
    near(of.measured_s, 8);
    near(of.roofline_s, 4);
    near(of.theory_s, 2);
    row.cache = RIDGE_CACHE_HOT;
    row.format = "bytes";
    of = ridge_calibration_row_of(&row, 2);
    assert_int_equal(of.group.bound, RIDGE_CALIBRATION_BOUND_CACHE);
    assert_int_equal(of.group.format_class, RIDGE_FORMAT_CLASS_UNKNOWN);
    row.bound = RIDGE_SIDE_COMPUTE;
    assert_int_equal(ridge_calibration_row_of(&row, 2).group.bound, COMPUTE);
    row.bound = RIDGE_SIDE_UNKNOWN;
    assert_int_equal(ridge_calibration_row_of(&row, 2).group.bound, RIDGE_CALIBRATION_BOUND_UNKNOWN);
}

/* gemv rows at half of their roofline: the first and third fit 0.5; of the tested, one takes just that, the other 2.5 where 2 are
 * predicted: error 0.2. One gemm row is fitted on (0.8), none is left to test it. */
static void test_calibration(void **state)
{
    (void)state;
    const ridge_calibration_row rows[] = {
        calibration_row("gemv", MEMORY, 2, 1, 0.5),   calibration_row("gemm", COMPUTE, 10, 8, -1),
        calibration_row("gemv", MEMORY, 4, 2, -1),    calibration_row("gemv", MEMORY, 6, 3, 3),
        calibration_row("gemv", MEMORY, 2.5, 1, 0.5), calibration_row("silu", RIDGE_CALIBRATION_BOUND_UNKNOWN, 1, 1, 1),
    };
    ridge_calibration c;
    assert_int_equal(ridge_calibrate(&c, rows, 6, &arena, NULL), RIDGE_OK);
    assert_int_equal(c.fitted, 3);
    assert_int_equal(c.tested, 2);
    assert_int_equal(c.group_count, 2);
    assert_string_equal(c.groups[0].group.kernel, "gemv");
    near(c.groups[0].efficiency, 0.5);
    assert_int_equal(c.groups[0].fitted_on, 2);
    near(c.groups[1].efficiency, 0.8);
    /* rooflines 1/2, 8/10, 2/4, 3/6, 1/2.5: errors 0.5, 0.2, 0.5, 0.5, 0.6; tested 0.5 (the third of gemv is fitted on), 0.6 */
    near(c.roofline_error, 0.5);
    near(c.roofline_test_error, 0.55);
    near(c.theory_error, 0.75); /* 0.75, 0.5, 0.8 */
    near(c.theory_test_error, 0.8);
    near(c.calibrated_error, 0.1); /* 0 and 0.2 */
    near(c.calibrated_mean_error, 0.1);
}

/* a group nobody fitted takes the same kernel and bound, else the same bound: by rows, (2 x 0.5 + 1 x 0.8) / 3 */
static void test_calibrated_neighbours(void **state)
{
    (void)state;
    ridge_efficiency groups[] = {{{"gemv", "vector", RIDGE_FORMAT_CLASS_BITS_4, MEMORY}, 0.5, 2},
                                 {{"add", "vector", RIDGE_FORMAT_CLASS_FP32, MEMORY}, 0.8, 1},
                                 {{"gemm", "vector", RIDGE_FORMAT_CLASS_FP32, COMPUTE}, 0.9, 4}};
    const ridge_calibration c = {.groups = groups, .group_count = 3};
    ridge_calibration_row row = {.group = {"gemv", "vector", RIDGE_FORMAT_CLASS_BITS_16, MEMORY}, .measured_s = 1, .roofline_s = 1};
    near(ridge_calibrated_s(&c, &row), 2);
    row.group.kernel = "softmax";
    near(ridge_calibrated_s(&c, &row), 1 / 0.6);
    row.group.bound = COMPUTE;
    near(ridge_calibrated_s(&c, &row), 1 / 0.9);
    row.group.bound = RIDGE_CALIBRATION_BOUND_CACHE;
    assert_true(ridge_calibrated_s(&c, &row) < 0);
}

/* Plain C takes 20 times the roofline, vectors twice: each kind of variant by itself predicts its tested row just so; in one group, taking
 * turns by order, 1/20 would be the efficiency of all. */
static void test_calibration_keeps_variants_apart(void **state)
{
    (void)state;
    ridge_calibration_row rows[4];
    for (size_t i = 0; i < 4; i++) {
        rows[i] = calibration_row("gemv", MEMORY, i < 2 ? 20 : 2, 1, -1);
        rows[i].group.variant = ridge_calibration_variant_class("ridge", i < 2 ? "generic" : "avx512");
    }
    ridge_calibration c;
    assert_int_equal(ridge_calibrate(&c, rows, 4, &arena, NULL), RIDGE_OK);
    assert_int_equal(c.group_count, 2);
    assert_string_equal(c.groups[0].group.variant, "generic");
    near(c.groups[0].efficiency, 0.05);
    assert_string_equal(c.groups[1].group.variant, "vector");
    near(c.groups[1].efficiency, 0.5);
    assert_int_equal(c.tested, 2);
    assert_true(c.calibrated_mean_error < 1e-12);
    /* a kernel nobody fitted is nearer to others of its variant */
    rows[0].group.kernel = "gemm";
    near(ridge_calibrated_s(&c, &rows[0]), 20);
    assert_string_equal(ridge_calibration_variant_class("openblas", "sgemm"), "openblas");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error),
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_stored_row),
        cmocka_unit_test_setup_teardown(test_summary, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_summary_of_nothing, set_up, tear_down),
        cmocka_unit_test(test_format_classes),
        cmocka_unit_test(test_calibration_groups),
        cmocka_unit_test_setup_teardown(test_calibration, set_up, tear_down),
        cmocka_unit_test(test_calibrated_neighbours),
        cmocka_unit_test_setup_teardown(test_calibration_keeps_variants_apart, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
