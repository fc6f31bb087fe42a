/* rounds.c - several measurements as one: factors by hand, intervals that hold a further round in a simulation with drift. */
#include "test.h"

#include <math.h>

#include "measure/rounds.h"

/* e^-0.1, 1, e^0.1: standard deviation of the logarithms 0.1, t(2) = 4.303, sqrt(1 + 1/3) = 1.15470: exp(0.496868) = 1.64357 */
static void test_factor_by_hand(void **state)
{
    (void)state;
    const double values[] = {exp(0.1), exp(-0.1), 1};
    assert_true(fabs(ridge_rounds_factor(values, 3) - 1.64357) < 1e-4);
    const double same[] = {2, 2, 2, 2};
    assert_true(fabs(ridge_rounds_factor(same, 4) - 1) < 1e-12);
    assert_true(ridge_rounds_factor(values, 2) == 1); /* too few */
    const double zero[] = {1, 0, 2};
    assert_true(ridge_rounds_factor(zero, 3) == 1);
    assert_true(ridge_rounds_median(values, 3) == 1);
}

static ridge_sample_statistics round_of(double median, double half)
{
    return (ridge_sample_statistics){.median_s = median,
                                     .low_s = median * (1 - half),
                                     .high_s = median * (1 + half),
                                     .mad_s = median / 10,
                                     .minimum_s = median / 2,
                                     .kept = 8,
                                     .tried = 10,
                                     .calls_per_sample = 4};
}

static void test_combine(void **state)
{
    (void)state;
    const ridge_sample_statistics rounds[] = {round_of(exp(0.1), 0.01), round_of(1, 0.01), round_of(exp(-0.1), 0.01)};
    ridge_sample_statistics s = ridge_rounds_combine(rounds, 3);
    assert_true(fabs(s.median_s - 1) < 1e-12 && fabs(s.mad_s - 0.1) < 1e-12);
    assert_true(fabs(s.high_s - 1.64357) < 1e-4 && fabs(s.low_s - 1 / 1.64357) < 1e-4);
    assert_true(fabs(s.minimum_s - exp(-0.1) / 2) < 1e-12);
    assert_int_equal(s.kept, 24);
    assert_int_equal(s.tried, 30);
    assert_int_equal(s.calls_per_sample, 4);
    /* rounds that agree better than each knows its own median: not narrower than theirs */
    const ridge_sample_statistics alike[] = {round_of(1, 0.03), round_of(1, 0.03), round_of(1, 0.03)};
    s = ridge_rounds_combine(alike, 3);
    assert_true(fabs(s.low_s - 0.97) < 1e-12 && fabs(s.high_s - 1.03) < 1e-12);
    /* a round without an undisturbed sample counts only where none has any */
    ridge_sample_statistics disturbed[] = {round_of(1, 0.03), round_of(1, 0.03), round_of(800, 0.5), round_of(1, 0.03)};
    disturbed[2].kept = 0;
    s = ridge_rounds_combine(disturbed, 4);
    assert_true(fabs(s.low_s - 0.97) < 1e-12 && fabs(s.high_s - 1.03) < 1e-12 && s.median_s == 1);
    assert_int_equal(s.kept, 24);
    assert_int_equal(s.tried, 40);
    s = ridge_rounds_combine(&disturbed[2], 1);
    assert_true(s.median_s == 800 && s.kept == 0);
    /* two: all that both hold; one: itself */
    s = ridge_rounds_combine(rounds, 2);
    assert_true(fabs(s.low_s - 0.99) < 1e-12 && fabs(s.high_s - exp(0.1) * 1.01) < 1e-12);
    s = ridge_rounds_combine(rounds, 1);
    assert_true(s.median_s == rounds[0].median_s && s.low_s == rounds[0].low_s && s.kept == 8);
}

/* uniform in (0, 1): xorshift64 */
static double uniform(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}
static double normal(uint64_t *state)
{
    return sqrt(-2 * log(uniform(state))) * cos(6.283185307179586 * uniform(state));
}

/* 4,000 times: five rounds of a machine whose logarithms scatter by 0.1, then a sixth. The interval holds it 95 times in 100; with four
 * deviations of a binomial count between 93.6 and 96.4. */
static void test_holds_the_next_round(void **state)
{
    (void)state;
    enum { TRIALS = 4000, ROUNDS = 5 };
    uint64_t random = 88172645463325252u;
    int held = 0;
    for (int i = 0; i < TRIALS; i++) {
        ridge_sample_statistics rounds[ROUNDS];
        double logs = 0;
        for (int r = 0; r < ROUNDS; r++) {
            double log_s = 0.1 * normal(&random);
            logs += log_s / ROUNDS;
            rounds[r] = round_of(exp(log_s), 0.0001);
        }
        ridge_sample_statistics s = ridge_rounds_combine(rounds, ROUNDS);
        /* its middle is a median; the theory's is a mean */
        double shift = exp(logs) / s.median_s, next = exp(0.1 * normal(&random));
        held += next >= s.low_s * shift && next <= s.high_s * shift;
    }
    assert_true(held > 0.936 * TRIALS && held < 0.964 * TRIALS);
}

/* Drift moves both works of a round: 1, 2, 4 and 2, 4, 8 are in the ratio 2 every time, however far their times are apart. */
static void test_ratio(void **state)
{
    (void)state;
    ridge_sample_statistics a[] = {round_of(1, 0), round_of(2, 0), round_of(4, 0)}, b[] = {round_of(2, 0), round_of(4, 0), round_of(8, 0)};
    ridge_rounds_ratio r = ridge_rounds_ratio_of(b, a, 3);
    assert_true(fabs(r.value - 2) < 1e-12 && fabs(r.low - 2) < 1e-12 && fabs(r.high - 2) < 1e-12);
    /* ratios e^-0.1, 1, e^0.1, as in test_factor_by_hand */
    const ridge_sample_statistics one[] = {round_of(1, 0), round_of(1, 0), round_of(1, 0)},
                                  other[] = {round_of(exp(0.1), 0), round_of(1, 0), round_of(exp(-0.1), 0)};
    r = ridge_rounds_ratio_of(other, one, 3);
    assert_true(fabs(r.high - 1.64357) < 1e-4 && fabs(r.low - 1 / 1.64357) < 1e-4);
    r = ridge_rounds_ratio_times(r, 3);
    assert_true(fabs(r.value - 3) < 1e-12 && fabs(r.high - 3 * 1.64357) < 1e-3);
    /* rounds that agree better than each knows its own median: 1.02 / 0.99 and 0.98 / 1.01 */
    const ridge_sample_statistics wide[] = {round_of(1, 0.02), round_of(1, 0.02), round_of(1, 0.02)},
                                  narrow[] = {round_of(1, 0.01), round_of(1, 0.01), round_of(1, 0.01)};
    r = ridge_rounds_ratio_of(wide, narrow, 3);
    assert_true(fabs(r.high - 1.02 / 0.99) < 1e-12 && fabs(r.low - 0.98 / 1.01) < 1e-12);
    /* one of the two disturbed in one of three: two are left, and nothing is sure */
    b[1].kept = 0;
    r = ridge_rounds_ratio_of(b, a, 3);
    assert_true(r.value == 2 && r.low == 0 && isinf(r.high));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factor_by_hand),
        cmocka_unit_test(test_combine),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_holds_the_next_round),
    };
    return RUN_TESTS(tests);
}
