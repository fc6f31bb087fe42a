/* buffer.c - buffers, normal values, the clock, metrics, the fingerprint. Expected: the contract, moments of the normal distribution,
 * published test vectors of FNV-1a. No times. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/clock.h"
#include "measure/fingerprint.h"
#include "measure/measure.h"
#include "measure/metrics.h"

static void test_buffers(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 64, 4096, 100000, 2 << 20, (5 << 20) + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bool huge = true;
        unsigned char *p = ridge_buffer_make(sizes[i], &huge);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        if (sizes[i] >= 2 << 20)
            assert_int_equal((uintptr_t)p % (2 << 20), 0);
        else
            assert_false(huge);
        assert_true(p[0] == 0 && p[sizes[i] - 1] == 0);
        p[0] = p[sizes[i] - 1] = 1;
        ridge_buffer_free(p, sizes[i]);
    }
    assert_null(ridge_buffer_make(0, NULL));
    assert_null(ridge_buffer_make(SIZE_MAX, NULL));
    assert_null(ridge_buffer_make(SIZE_MAX / 2, NULL));
    ridge_buffer_free(NULL, 100);
}

/* as much as the machine has: some of it is always in use, and who touches all of it is killed */
static unsigned maps(void)
{
    unsigned lines = 0;
    FILE *in = fopen("/proc/self/maps", "r");
    for (int c; in && (c = fgetc(in)) != EOF;)
        lines += c == '\n';
    if (in)
        (void)fclose(in);
    return lines;
}

/* copies of a small operand that fill a large cache: a process may have 65,530 mappings, and neighbours are one */
static void test_many_small_buffers(void **state)
{
    enum { COUNT = 2000, BYTES = 8192 };
    static void *buffers[COUNT];
    (void)state;
    const unsigned before = maps();
    for (size_t i = 0; i < COUNT; i++)
        assert_non_null(buffers[i] = ridge_buffer_make(BYTES, NULL));
    assert_true(maps() < before + COUNT / 10);
    for (size_t i = 0; i < COUNT; i++)
        ridge_buffer_free(buffers[i], BYTES);
}

static void test_more_than_is_available(void **state)
{
    (void)state;
    if (access("/proc/meminfo", R_OK) != 0) {
        print_message("no /proc/meminfo: skipped\n");
        skip();
    }
    assert_null(ridge_buffer_make((size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE), NULL));
}

/* everything that was mapped is unmapped: the pages are there before and not after (mincore fails with ENOMEM) */
static void test_buffers_are_given_back(void **state)
{
    (void)state;
    unsigned char resident;
    unsigned char *p = ridge_buffer_make(3 << 20, NULL);
    assert_non_null(p);
    assert_int_equal(mincore(p + (4 << 20) - 4096, 4096, &resident), 0);
    ridge_buffer_free(p, 3 << 20);
    assert_int_equal(mincore(p, 4096, &resident), -1);
    assert_int_equal(mincore(p + (4 << 20) - 4096, 4096, &resident), -1);
}

/* mean 0 within 5 standard errors (1/sqrt(n)), variance 1 within 5 (sqrt(2/n)), 68.27 % within one sigma within 5 (0.465/sqrt(n)) */
static void test_normal_values(void **state)
{
    (void)state;
    enum { COUNT = 1 << 18 };
    float *x = malloc(COUNT * sizeof *x), *y = malloc(COUNT * sizeof *y);
    double sum = 0, squares = 0, inside = 0, root = sqrt(COUNT);
    assert_non_null(x);
    assert_non_null(y);
    ridge_fill_normal(x, COUNT, 1);
    for (size_t i = 0; i < COUNT; i++) {
        sum += x[i];
        squares += (double)x[i] * x[i];
        inside += fabsf(x[i]) < 1;
        assert_true(fabsf(x[i]) >= 0x1p-14f && fabsf(x[i]) < 10); /* no zero, no denormal of any 16-bit format */
    }
    assert_true(fabs(sum / COUNT) < 5 / root);
    assert_true(fabs(squares / COUNT - 1) < 5 * sqrt(2) / root);
    assert_true(fabs(inside / COUNT - 0.6827) < 5 * 0.4655 / root);
    ridge_fill_normal(y, COUNT, 1);
    assert_memory_equal(x, y, COUNT * sizeof *x);
    ridge_fill_normal(y, COUNT, 2);
    assert_memory_not_equal(x, y, COUNT * sizeof *x);
    y[3] = 77;
    ridge_fill_normal(y, 3, 1); /* an odd count writes no further */
    assert_true(y[3] == 77 && memcmp(x, y, 3 * sizeof *x) == 0);
    free(x);
    free(y);
}

static void test_clock_never_goes_back(void **state)
{
    (void)state;
    double before = ridge_clock_s();
    for (size_t i = 0; i < 100000; i++) {
        double now = ridge_clock_s();
        assert_true(now >= before);
        before = now;
    }
    assert_true(ridge_clock_resolution_s() > 0);
}

/* 64 multiplications of 3 cycles a round; a clock is between 100 MHz and 10 GHz, or not known */
static void test_core_clock(void **state)
{
    (void)state;
    double cycles = ridge_multiply_chain(10), hz = ridge_core_clock_hz(0.001);
#if defined __x86_64__ || defined __aarch64__
    assert_true(cycles == 10 * 64 * 3);
    assert_true(hz > 1e7 && hz < 1e10);
#else
    assert_true(cycles == 0 && hz == 0);
#endif
    assert_true(ridge_last_level_cache() >= 1 << 15);
}

/* ---- metrics ---- */

static void test_metrics_see_memory(void **state)
{
    (void)state;
    enum { BYTES = 32 << 20, HELD = 1 << 20 };
    ridge_metrics_run run;
    ridge_metrics m;
    ridge_metrics_begin(&run);
    char *p = ridge_buffer_make(BYTES, NULL);
    assert_non_null(p);
    ridge_buffer_free(p, BYTES);
    char *held = malloc(HELD);
    assert_non_null(held);
    memset(held, 1, HELD);
    ridge_metrics_end(&m, &run);
    assert_true(m.wall_s > 0 && m.user_s >= 0 && m.system_s >= 0);
    assert_true(m.peak_bytes >= BYTES && m.current_bytes > 0 && m.current_bytes <= m.peak_bytes);
    assert_true(!m.peak_is_of_run || m.peak_bytes >= m.current_bytes + BYTES - (BYTES >> 2)); /* the freed buffer is in the peak alone */
    assert_true(m.minor_faults > 0 && m.major_faults >= 0 && m.voluntary_switches >= 0 && m.involuntary_switches >= 0);
#if !defined RIDGE_ARENA_MALLOC /* a sanitizer's: its allocator is another, which mallinfo2 does not know */
    assert_true(m.heap_bytes == RIDGE_METRIC_UNKNOWN || m.heap_change_bytes >= HELD);
#endif
    free(held);
}

/* counters are there or the reason is said, never neither */
static void test_metrics_say_why_not(void **state)
{
    (void)state;
    ridge_metrics_run run;
    ridge_metrics m;
    ridge_buf text = {0};
    ridge_metrics_begin(&run);
    double cycles = ridge_multiply_chain(10000);
    ridge_metrics_end(&m, &run);
    if (m.counters[RIDGE_COUNTER_CYCLES] == RIDGE_METRIC_UNKNOWN)
        assert_true(m.reason[0] != '\0');
    else
        assert_true((double)m.counters[RIDGE_COUNTER_CYCLES] > cycles / 2);
    ridge_record_answer(&text, &ridge_metrics_record, &m);
    assert_non_null(strstr(text.p, "\"counters\": {"));
    assert_non_null(strstr(text.p, m.reason[0] != '\0' ? m.reason : "\"reason\": null"));
    ridge_buf_free(&text);
}

/* ---- fingerprint ---- */

/* test vectors of draft-eastlake-fnv, appendix: "", "a", "foobar" */
static void test_fnv1a(void **state)
{
    (void)state;
    assert_true(ridge_fnv1a("", 0) == 0xcbf29ce484222325u);
    assert_true(ridge_fnv1a("a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(ridge_fnv1a("foobar", 6) == 0x85944171f73967e8u);
}

static void test_fingerprint(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "cpu: ", "\narchitecture: ", "\nmicrocode: ", "\ncores: ", "\ncaches: ", "\nmemory: ", "\nkernel: ", "\nhypervisor: "};
    ridge_arena arena;
    ridge_fingerprint a, b;
    ridge_arena_init(&arena);
    assert_int_equal(ridge_fingerprint_read(&a, &arena, NULL), RIDGE_OK);
    assert_int_equal(ridge_fingerprint_read(&b, &arena, NULL), RIDGE_OK);
    const char *at = a.text;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        at = strstr(at, keys[i]); /* in this order */
        assert_non_null(at);
    }
    assert_string_equal(a.text, b.text);
    assert_true(a.hash == b.hash && a.hash == ridge_fnv1a(a.text, strlen(a.text)));
    assert_int_equal(strlen(a.digits), 16);
    assert_true(strtoull(a.digits, NULL, 16) == a.hash);
    assert_null(strchr(a.label, '\n'));
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_buffers_are_given_back),
        cmocka_unit_test(test_many_small_buffers),
        cmocka_unit_test(test_more_than_is_available),
        cmocka_unit_test(test_normal_values),
        cmocka_unit_test(test_clock_never_goes_back),
        cmocka_unit_test(test_core_clock),
        cmocka_unit_test(test_metrics_see_memory),
        cmocka_unit_test(test_metrics_say_why_not),
        cmocka_unit_test(test_fnv1a),
        cmocka_unit_test(test_fingerprint),
    };
    return RUN_TESTS(tests);
}
