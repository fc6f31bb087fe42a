/* A run against a baseline: verdicts by hand arithmetic, matching, and what the outputs say. */
#include "arena_test.h"

#include <string.h>

#include "bench/baseline.h"

static ridge_measured_row row(const char *variant, double low, double median, double high)
{
    return (ridge_measured_row){.kernel = "gemv",
                                .variant = variant,
                                .provider = "ridge",
                                .shape = "{\"n\": 8, \"k\": 4}",
                                .format = "fp32",
                                .threads = 1,
                                .time = {.median_s = median, .low_s = low, .high_s = high, .kept = 9, .tried = 9}};
}

static ridge_comparison compare(ridge_measured_row *was, size_t was_n, ridge_measured_row *is, size_t is_n, double tolerance)
{
    static ridge_store_run runs[2] = {{.id = 1, .finished = "2026-11-20T09:00:00Z"}, {.id = 2, .finished = "2026-11-21T09:00:00Z"}};
    ridge_measurements a = {.runs = &runs[0], .rows = was, .run_count = 1, .row_count = was_n};
    ridge_measurements b = {.runs = &runs[1], .rows = is, .run_count = 1, .row_count = is_n};
    ridge_comparison c;
    if (ridge_comparison_make(&c, "base", &a, &b, tolerance, &arena, &err) != RIDGE_OK)
        fail_msg("%s", err.msg);
    return c;
}

/* against 90 .. 100 .. 110 ms, tolerance 3 % */
static void verdicts(void **state)
{
    (void)state;
    static const struct {
        double low, median, high;
        ridge_verdict verdict;
    } cases[] = {
        {0.111, 0.120, 0.130, RIDGE_VERDICT_SLOWER}, /* 111 > 110 and 120 > 103 */
        {0.110, 0.120, 0.130, RIDGE_VERDICT_SAME},   /* the intervals touch */
        {0.105, 0.200, 0.300, RIDGE_VERDICT_SAME},   /* twice the time, but noise */
        {0.070, 0.080, 0.089, RIDGE_VERDICT_FASTER}, /* 89 < 90 and 100 > 80 * 1.03 */
        {0.070, 0.080, 0.090, RIDGE_VERDICT_SAME},   {0.090, 0.100, 0.110, RIDGE_VERDICT_SAME},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_measured_row was = row("a", 0.090, 0.100, 0.110), is = row("a", cases[i].low, cases[i].median, cases[i].high);
        ridge_comparison c = compare(&was, 1, &is, 1, 0.03);
        assert_int_equal(c.count, 1);
        if (c.rows[0].verdict != cases[i].verdict)
            fail_msg("case %zu is %s", i, ridge_verdict_names[c.rows[0].verdict]);
        assert_true(c.rows[0].ratio > cases[i].median / 0.100 - 1e-12 && c.rows[0].ratio < cases[i].median / 0.100 + 1e-12);
    }
}

/* intervals apart, medians 2 % apart: slower than a tolerance of 1 %, not of 3 % */
static void the_tolerance_counts(void **state)
{
    (void)state;
    ridge_measured_row was = row("a", 0.0999, 0.1, 0.1001), is = row("a", 0.1019, 0.102, 0.1021);
    assert_int_equal(compare(&was, 1, &is, 1, 0.03).rows[0].verdict, RIDGE_VERDICT_SAME);
    assert_int_equal(compare(&was, 1, &is, 1, 0.01).rows[0].verdict, RIDGE_VERDICT_SLOWER);
    assert_int_equal(compare(&was, 1, &is, 1, 0).rows[0].verdict, RIDGE_VERDICT_SLOWER);
}

/* one clean sample tells no interval: twice the time, or half of it, is neither slower, faster nor the same */
static void a_single_sample_is_uncertain(void **state)
{
    (void)state;
    ridge_measured_row sure = row("a", 0.1, 0.1, 0.1), lone = row("a", 0.2, 0.2, 0.2);
    assert_int_equal(compare(&sure, 1, &lone, 1, 0.03).rows[0].verdict, RIDGE_VERDICT_SLOWER);
    for (unsigned kept = 0; kept < 2; kept++) {
        lone.time.kept = kept;
        assert_int_equal(compare(&sure, 1, &lone, 1, 0.03).rows[0].verdict, RIDGE_VERDICT_UNCERTAIN);
        assert_int_equal(compare(&lone, 1, &sure, 1, 0.03).rows[0].verdict, RIDGE_VERDICT_UNCERTAIN);
        assert_int_equal(compare(&lone, 1, &lone, 1, 0.03).rows[0].verdict, RIDGE_VERDICT_UNCERTAIN);
    }
    lone.time.kept = 2;
    ridge_comparison c = compare(&sure, 1, &lone, 1, 0.03);
    assert_int_equal(c.rows[0].verdict, RIDGE_VERDICT_SLOWER);
    assert_int_equal(c.verdicts[RIDGE_VERDICT_UNCERTAIN], 0);
}

/* a row differs in one member of the eight: then it is another row */
static void rows_match_in_all_members(void **state)
{
    (void)state;
    ridge_measured_row was[2] = {row("a", 1, 1, 1), row("b", 1, 1, 1)};
    for (int member = 0; member < 8; member++) {
        ridge_measured_row is[2] = {row("a", 1, 1, 1), row("b", 1, 1, 1)};
        const char **words[] = {&is[0].kernel, &is[0].variant, &is[0].provider, &is[0].shape, &is[0].format, &is[0].activations};
        if (member < 6)
            *words[member] = "{}";
        else if (member == 6)
            is[0].threads = 2;
        else
            is[0].cache = RIDGE_CACHE_COLD;
        ridge_comparison c = compare(was, 2, is, 2, 0.03);
        assert_int_equal(c.count, 3);
        assert_int_equal(c.rows[0].verdict, RIDGE_VERDICT_MISSING);
        assert_ptr_equal(c.rows[0].was, &was[0].time);
        assert_ptr_equal(c.rows[0].row, &was[0]);
        assert_null(c.rows[0].is);
        assert_int_equal(c.rows[1].verdict, RIDGE_VERDICT_SAME);
        assert_int_equal(c.rows[2].verdict, RIDGE_VERDICT_NEW);
        assert_ptr_equal(c.rows[2].is, &is[0].time);
        assert_ptr_equal(c.rows[2].row, &is[0]);
        assert_null(c.rows[2].was);
    }
}

/* the same row twice: first with first, second with second */
static void repeated_rows_match_in_order(void **state)
{
    (void)state;
    ridge_measured_row was[2] = {row("a", 1, 1, 1), row("a", 2, 2, 2)}, is[2] = {row("a", 1, 1, 1), row("a", 4, 4, 4)};
    ridge_comparison c = compare(was, 2, is, 2, 0.03);
    assert_int_equal(c.verdicts[RIDGE_VERDICT_SAME], 1);
    assert_int_equal(c.verdicts[RIDGE_VERDICT_SLOWER], 1);
    assert_true(c.rows[1].ratio == 2);
}

static void nothing_in_common_is_an_error(void **state)
{
    (void)state;
    ridge_measured_row was = row("a", 1, 1, 1), is = row("b", 1, 1, 1);
    ridge_store_run runs[2] = {{.id = 3, .finished = "2026-11-20T09:00:00Z"}, {.id = 9, .finished = "2026-11-21T09:00:00Z"}};
    ridge_measurements a = {&runs[0], &was, 1, 1}, b = {&runs[1], &is, 1, 1};
    ridge_comparison c;
    assert_int_equal(ridge_comparison_make(&c, "base", &a, &b, 0.03, &arena, &err), RIDGE_VALUE);
    assert_string_equal(message_of(&err), "run 9 has none of the 1 row of the baseline, run 3");
    runs[1].interrupted = true;
    ridge_err_clear(&err);
    assert_int_equal(ridge_comparison_make(&c, "base", &a, &b, 0.03, &arena, &err), RIDGE_VALUE);
    assert_string_equal(message_of(&err), "run 9 has none of the 1 row of the baseline, run 3: it did not come to its end");
}

static const char *summary(const ridge_comparison *c)
{
    ridge_buf text = {0};
    ridge_comparison_summary(&text, c);
    const char *copy = ridge_arena_strdup(&arena, (ridge_str){text.p, text.n});
    ridge_buf_free(&text);
    return copy;
}

/* what a run did not reach is neither missing nor the same; rows it has are judged */
static void an_interrupted_run_is_judged_by_its_rows(void **state)
{
    (void)state;
    ridge_measured_row was[2] = {row("a", 1, 1, 1), row("b", 1, 1, 1)}, is = row("a", 4, 4, 4);
    ridge_store_run runs[2] = {{.id = 1, .finished = "2026-11-20T09:00:00Z"}, {.id = 2, .finished = "x", .interrupted = true}};
    ridge_measurements a = {&runs[0], was, 1, 2}, b = {&runs[1], &is, 1, 1};
    ridge_comparison c;
    assert_int_equal(ridge_comparison_make(&c, "base", &a, &b, 0.03, &arena, &err), RIDGE_OK);
    assert_int_equal(c.rows[0].verdict, RIDGE_VERDICT_SLOWER);
    assert_int_equal(c.rows[1].verdict, RIDGE_VERDICT_UNREACHED);
    assert_int_equal(c.verdicts[RIDGE_VERDICT_MISSING], 0);
    assert_false(c.complete);
    assert_non_null(strstr(summary(&c), "run 2 did not come to its end: unreached rows are neither gone nor passed\n"));
    /* the other way round: the new run is whole */
    assert_int_equal(ridge_comparison_make(&c, "base", &b, &a, 0.03, &arena, &err), RIDGE_OK);
    assert_int_equal(c.rows[1].verdict, RIDGE_VERDICT_NEW);
    assert_non_null(strstr(summary(&c), "the baseline's run 2 did not come to its end: new rows may be those it did not reach\n"));
    /* killed: it has no end */
    runs[1] = (ridge_store_run){.id = 2};
    assert_int_equal(ridge_comparison_make(&c, "base", &a, &b, 0.03, &arena, &err), RIDGE_OK);
    assert_int_equal(c.rows[1].verdict, RIDGE_VERDICT_UNREACHED);
}

static void a_time_of_zero_has_no_ratio(void **state)
{
    (void)state;
    ridge_measured_row was = row("a", 0, 0, 0), is = row("a", 1, 1, 1);
    ridge_comparison c = compare(&was, 1, &is, 1, 0.03);
    assert_int_equal(c.rows[0].verdict, RIDGE_VERDICT_SLOWER);
    assert_true(c.rows[0].ratio < 0);
}

static void words(void **state)
{
    (void)state;
    ridge_measured_row r = row("a", 1, 1, 1);
    r.shape = "{\"seq\": 128, \"causal\": true, \"heads\": 32, \"packed\": false, \"mask\": \"full\"}";
    r.kernel = "attention";
    assert_string_equal(ridge_measured_row_problem(&arena, &r), "attention 128x32xfull causal");
    assert_string_equal(ridge_measured_row_how(&arena, &r), "1 hot");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
        T(verdicts),
        T(the_tolerance_counts),
        T(a_single_sample_is_uncertain),
        T(rows_match_in_all_members),
        T(repeated_rows_match_in_order),
        T(an_interrupted_run_is_judged_by_its_rows),
        T(nothing_in_common_is_an_error),
        T(a_time_of_zero_has_no_ratio),
        T(words),
#undef T
    };
    return RUN_TESTS(tests);
}
