/* collectives.c - collectives and the pipeline's bubble, against the documented factors.
 * NCCL's doc/PERFORMANCE.md: all-reduce 2 (n-1)/n, reduce-scatter, all-gather and all-to-all (n-1)/n. GPipe (Huang 2019, section 2.3):
 * (K-1)/(M+K-1). */
#include <math.h>

#include "predict/parallel/exchange.h"
#include "test.h"

/* latency_s < 0: unknown, counts as 0 */
static double seconds(ridge_collective kind, int64_t devices, double bytes, double bytes_per_s, double latency_s)
{
    double waits = latency_s > 0 ? ridge_collective_steps(kind, devices) * latency_s : 0;
    return ridge_collective_factor(kind, devices) * bytes / bytes_per_s + waits;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void factors(void **state)
{
    (void)state;
    assert_true(near(ridge_collective_factor(RIDGE_COLLECTIVE_ALL_REDUCE, 2), 1));
    assert_true(near(ridge_collective_factor(RIDGE_COLLECTIVE_ALL_REDUCE, 8), 1.75));
    assert_true(near(ridge_collective_factor(RIDGE_COLLECTIVE_ALL_GATHER, 8), 0.875));
    assert_true(near(ridge_collective_factor(RIDGE_COLLECTIVE_REDUCE_SCATTER, 8), 0.875));
    assert_true(near(ridge_collective_factor(RIDGE_COLLECTIVE_ALL_TO_ALL, 4), 0.75));
    assert_true(near(ridge_collective_factor(RIDGE_COLLECTIVE_SEND, 4), 1));
    for (int kind = 0; kind < RIDGE_COLLECTIVE_COUNT; kind++) {
        assert_true(ridge_collective_factor((ridge_collective)kind, 1) == 0);
        assert_true(seconds((ridge_collective)kind, 1, 1e9, 1e9, 1) == 0);
    }
}

/* a ring of n: reduce-scatter and all-gather of n - 1 steps each, 1/n of the array in each; Thakur 2005 */
static double ring_all_reduce(int n, double bytes, double bytes_per_s, double latency_s)
{
    double seconds = 0;
    for (int phase = 0; phase < 2; phase++)
        for (int step = 1; step < n; step++)
            seconds += latency_s + bytes / n / bytes_per_s;
    return seconds;
}

static void ring(void **state)
{
    (void)state;
    for (int n = 2; n <= 64; n *= 2) {
        double want = ring_all_reduce(n, 3e8, 450e9, 2e-6);
        assert_true(fabs(seconds(RIDGE_COLLECTIVE_ALL_REDUCE, n, 3e8, 450e9, 2e-6) - want) < 1e-9 * want);
    }
    /* the two halves of an all-reduce */
    double halves = seconds(RIDGE_COLLECTIVE_REDUCE_SCATTER, 8, 1e9, 3e11, 1e-6) + seconds(RIDGE_COLLECTIVE_ALL_GATHER, 8, 1e9, 3e11, 1e-6);
    assert_true(near(seconds(RIDGE_COLLECTIVE_ALL_REDUCE, 8, 1e9, 3e11, 1e-6), halves));
    /* an unknown latency counts as none */
    assert_true(near(seconds(RIDGE_COLLECTIVE_SEND, 2, 9e9, 450e9, -1), 0.02));
    assert_true(near(seconds(RIDGE_COLLECTIVE_SEND, 2, 9e9, 450e9, 0.01), 0.03));
}

static void bubble(void **state)
{
    (void)state;
    assert_true(ridge_pipeline_bubble(1, 1) == 0);
    assert_true(near(ridge_pipeline_bubble(4, 1), 0.75));
    assert_true(near(ridge_pipeline_bubble(4, 8), 3.0 / 11));
    assert_true(ridge_pipeline_bubble(4, 16) < 0.16); /* GPipe: small when M >= 4 K */
}

/* ---- in practice ---- */

/* on NVLink of 450 GB/s, a kernel of 1 us; LINK_SHARE of it are 352.5 GB/s */
static ridge_exchange over(const char *link, ridge_collective kind, int64_t devices)
{
    return (ridge_exchange){kind, devices, ridge_fabric_find(link), 450e9, RIDGE_MACHINE_UNKNOWN, 1e-6};
}

static void takes(ridge_exchange x, double bytes, double microseconds)
{
    double found = 1e6 * ridge_exchange_estimate_s(&x, bytes);
    if (fabs(found - microseconds) > 1e-6 * microseconds)
        fail_msg("%g bytes: %.9g us, wanted %.9g", bytes, found, microseconds);
    assert_true(found * 1e-6 >= ridge_collective_factor(x.kind, x.devices) * bytes / x.bytes_per_s);
}

/* by hand, from NCCL's tables: src/graph/tuning.cc */
static void test_small_messages_take_their_latency(void **state)
{
    (void)state;
    takes(over("NVLink4", RIDGE_COLLECTIVE_ALL_REDUCE, 2), 0, 1 + 4 * 0.6);
    takes(over("NVLink4", RIDGE_COLLECTIVE_ALL_REDUCE, 8), 0, 1 + 4 * 0.6); /* they read each other's at once */
    takes(over("NVLink5", RIDGE_COLLECTIVE_ALL_REDUCE, 16), 0, 6.6 + 30 * 0.6);
    takes(over("PCIe 5.0 x16", RIDGE_COLLECTIVE_ALL_REDUCE, 8), 0, 6.6 + 14 * 1.0);
    takes(over("NVLink4", RIDGE_COLLECTIVE_ALL_GATHER, 8), 0, 6.6 + 7 * 0.6);
    takes(over("NVLink4", RIDGE_COLLECTIVE_ALL_TO_ALL, 8), 0, 6.6 + 0.6);
    takes(over("NVLink4", RIDGE_COLLECTIVE_SEND, 2), 0, 6.6 + 0.6);
    takes(over("xGMI (7x64)", RIDGE_COLLECTIVE_ALL_GATHER, 8), 0, 12 + 7 * 0.8);
    takes(over("NVLink4", RIDGE_COLLECTIVE_ALL_REDUCE, 1), 1e6, 0.0);
}

static void test_large_messages_take_the_link(void **state)
{
    (void)state;
    takes(over("NVLink4", RIDGE_COLLECTIVE_ALL_REDUCE, 8), 1e6, 1 + 6 * 0.6 + 1.75e6 / 352.5e3);    /* in two stages */
    takes(over("NVLink4", RIDGE_COLLECTIVE_ALL_REDUCE, 8), 1e9, 8.4 + 14 * 3.4 + 1.75e9 / 352.5e3); /* above vLLM's limit: a ring */
    takes(over("NVLink4", RIDGE_COLLECTIVE_ALL_GATHER, 2), 4e6, 8.4 + 3.4 + 2e6 / 352.5e3);         /* LL 29.9, LL128 22.1 us */
}

/* a latency that is given is the hop's; a link of no known kind has what its file says alone */
static void test_latencies_that_are_known(void **state)
{
    (void)state;
    ridge_exchange x = over("NVLink4", RIDGE_COLLECTIVE_ALL_GATHER, 8), other = over("ICI 3D", RIDGE_COLLECTIVE_ALL_GATHER, 8);
    x.latency_s = 2e-6;
    takes(x, 0, 6.6 + 7 * 2.0);
    assert_null(other.fabric);
    assert_null(ridge_fabric_find(NULL));
    takes(other, 8e6, 7e6 / 450e3);
    other.latency_s = 1e-6;
    takes(other, 8e6, 7e6 / 450e3 + 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(factors),
                                       cmocka_unit_test(ring),
                                       cmocka_unit_test(bubble),
                                       cmocka_unit_test(test_small_messages_take_their_latency),
                                       cmocka_unit_test(test_large_messages_take_the_link),
                                       cmocka_unit_test(test_latencies_that_are_known)};
    return RUN_TESTS(tests);
}
