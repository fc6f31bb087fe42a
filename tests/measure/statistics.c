/* statistics.c - medians and intervals against hand-computed examples, published tables and a simulation; the filter on made-up samples. */
#include "test.h"

#include <math.h>

#include "measure/statistics.h"

static ridge_sample_statistics summary(const double *values, size_t count)
{
    ridge_sample_statistics s = {0};
    double copy[64], scratch[64];
    assert_true(count <= 64);
    memcpy(copy, values, count * sizeof *values);
    ridge_sample_summary(&s, copy, scratch, count);
    return s;
}

/* by hand: sorted 1 2 3 4 100; median 3; deviations 2 1 0 1 97, sorted 0 1 1 2 97: MAD 1 */
static void test_summary_of_five(void **state)
{
    (void)state;
    ridge_sample_statistics s = summary((double[]){4, 100, 1, 3, 2}, 5);
    assert_true(s.median_s == 3 && s.mad_s == 1 && s.minimum_s == 1);
    assert_true(s.low_s == 1 && s.high_s == 100);
}

/* by hand: 10 20 30 40: median 25; deviations 15 5 5 15: MAD 10 */
static void test_summary_of_four(void **state)
{
    (void)state;
    ridge_sample_statistics s = summary((double[]){40, 10, 30, 20}, 4);
    assert_true(s.median_s == 25 && s.mad_s == 10 && s.low_s == 10 && s.high_s == 40);
    s = summary((double[]){7}, 1);
    assert_true(s.median_s == 7 && s.mad_s == 0 && s.low_s == 7 && s.high_s == 7);
}

/* Ranks (from 1) of the 95 % interval of the median, tables of the sign test: 6: 1, 6; 9: 2, 8; 10: 2, 9; 15: 4, 12; 20: 6, 15;
 * 25: 8, 18; 50: 18, 33; 100: 40, 61 (Conover, Practical Nonparametric Statistics; Campbell and Gardner 1988). Below 6: all. */
static void test_ranks(void **state)
{
    (void)state;
    static const size_t table[][3] = {{1, 1, 1},   {5, 1, 5},   {6, 1, 6},   {8, 1, 8},    {9, 2, 8},    {10, 2, 9},
                                      {15, 4, 12}, {20, 6, 15}, {25, 8, 18}, {50, 18, 33}, {100, 40, 61}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t low, high;
        ridge_median_interval(&low, &high, table[i][0]);
        assert_int_equal(low + 1, table[i][1]);
        assert_int_equal(high + 1, table[i][2]);
    }
}

/* Exact and approximate ranks meet: from 1000 to 1001 neither end jumps by more than one. */
static void test_ranks_of_many(void **state)
{
    (void)state;
    size_t low[2], high[2];
    ridge_median_interval(&low[0], &high[0], 1000);
    ridge_median_interval(&low[1], &high[1], 1001);
    assert_true(low[1] - low[0] <= 1 && high[1] - high[0] <= 1);
    /* 1000 / 2 - 1.96 sqrt(1000) / 2 = 469.01 */
    assert_int_equal(low[0] + 1, 469);
    ridge_median_interval(&low[0], &high[0], 1000000);
    assert_int_equal(low[0] + high[0], 999999);
    assert_true(low[0] > 499000 && low[0] < 499030); /* 500000 - 980 */
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* Times as they are: a floor and an exponential tail, so the mean is not the median. The interval holds the true median,
 * 1 + ln 2, in at least 95 % of 4000 trials (less three standard errors, 0.0034 each), and is no wider than order statistics must be:
 * the exact coverage at n = 25 is 0.9567, at n = 100 0.9648. */
static void check_coverage(size_t count, double exact)
{
    enum { TRIALS = 4000 };
    uint64_t seed = 20261121 + count;
    unsigned covered = 0;
    double values[100], scratch[100];
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        ridge_sample_statistics s;
        for (size_t i = 0; i < count; i++)
            values[i] = 1 - log(uniform(&seed));
        ridge_sample_summary(&s, values, scratch, count);
        covered += s.low_s <= 1 + log(2) && 1 + log(2) <= s.high_s;
    }
    assert_true(fabs((double)covered / TRIALS - exact) < 3 * 0.0034);
}

static void test_coverage_on_skewed_times(void **state)
{
    (void)state;
    check_coverage(25, 0.9567);
    check_coverage(100, 0.9648);
}

/* ---- the filter ---- */

static bool clean(double wall, double cpu, int64_t preempted)
{
    ridge_thread_usage before = {100, 40, 7}, after = {100 + wall, 40 + cpu, 7 + preempted};
    return ridge_usage_clean(&before, &after);
}

static void test_filter(void **state)
{
    (void)state;
    assert_true(clean(1e-3, 1e-3, 0));
    assert_true(clean(1e-3, 0.971e-3, 0));
    assert_false(clean(1e-3, 0.969e-3, 0));
    assert_false(clean(1e-3, 1e-3, 1)); /* preempted, however short */
    assert_false(clean(1e-3, 0, 0));
    assert_true(clean(10e-6, 5e-6, 0)); /* too short for the CPU clock to tell */
    assert_false(clean(10e-6, 10e-6, 1));
}

static void test_sampler_keeps_clean_samples(void **state)
{
    (void)state;
    ridge_sampler s = {0};
    ridge_sample_statistics out = {0};
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(ridge_sampler_add(&s, i % 2 == 0 ? 1 : 50, i % 2 == 0, NULL), RIDGE_OK);
    ridge_sampler_finish(&out, &s);
    assert_int_equal(out.kept, 100);
    assert_int_equal(out.tried, 200);
    assert_true(out.median_s == 1 && out.high_s == 1);
    ridge_sampler_free(&s);
}

/* nothing clean: an answer all the same, and kept says what it is worth */
static void test_sampler_without_clean_samples(void **state)
{
    (void)state;
    ridge_sampler s = {0};
    ridge_sample_statistics out = {0};
    for (unsigned i = 1; i <= 7; i++)
        assert_int_equal(ridge_sampler_add(&s, i, false, NULL), RIDGE_OK);
    assert_false(ridge_sampler_enough(&s, 100, 1));
    ridge_sampler_finish(&out, &s);
    assert_int_equal(out.kept, 0);
    assert_int_equal(out.tried, 7);
    assert_true(out.median_s == 4 && out.low_s == 1 && out.high_s == 7);
    ridge_sampler_free(&s);
}

/* 1 clean of 9 has no interval: 1 .. 9, not 1 .. 1. With 2 clean ones it is theirs. */
static void test_sampler_with_one_clean_sample(void **state)
{
    (void)state;
    for (unsigned clean = 1; clean <= 2; clean++) {
        ridge_sampler s = {0};
        ridge_sample_statistics out = {0};
        for (unsigned i = 9; i > 0; i--)
            assert_int_equal(ridge_sampler_add(&s, i, i <= clean, NULL), RIDGE_OK);
        ridge_sampler_finish(&out, &s);
        assert_int_equal(out.kept, clean);
        assert_int_equal(out.tried, 9);
        assert_true(out.low_s == 1 && out.high_s == (clean == 1 ? 9 : 2));
        assert_true(out.median_s == (clean == 1 ? 5 : 1.5));
        ridge_sampler_free(&s);
    }
}

static void test_sampler_is_content_when_narrow(void **state)
{
    (void)state;
    ridge_sampler s = {0};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(ridge_sampler_add(&s, 1, true, NULL), RIDGE_OK);
        assert_false(ridge_sampler_enough(&s, 0.01, 5)); /* too few */
    }
    assert_int_equal(ridge_sampler_add(&s, 1, true, NULL), RIDGE_OK);
    assert_true(ridge_sampler_enough(&s, 0.01, 5));
    ridge_sampler_free(&s);
    for (unsigned i = 0; i < 50; i++) { /* half-width 0.2 or more of the median 1.5 */
        assert_int_equal(ridge_sampler_add(&s, i % 2 == 0 ? 1 : 2, true, NULL), RIDGE_OK);
        assert_false(ridge_sampler_enough(&s, 0.01, 5));
    }
    ridge_sampler_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary_of_five),
        cmocka_unit_test(test_summary_of_four),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_ranks_of_many),
        cmocka_unit_test(test_coverage_on_skewed_times),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_sampler_keeps_clean_samples),
        cmocka_unit_test(test_sampler_without_clean_samples),
        cmocka_unit_test(test_sampler_with_one_clean_sample),
        cmocka_unit_test(test_sampler_is_content_when_narrow),
    };
    return RUN_TESTS(tests);
}
