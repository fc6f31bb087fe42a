/* The clock, and the core's (measure.h). */
#include "measure/clock.h"
#include "measure/measure.h"

#include <stdlib.h>
#include <time.h>

ridge_stop ridge_measure_interrupted;

double ridge_clock_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int64_t clock_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The least step that two readings in a row can show: the median of the steps seen, which holds the cost of a reading too. What
 * clock_getres says (1 ns) is the unit, not the resolution. */
double ridge_clock_resolution_s(void)
{
    enum { STEPS = 255 };
    int64_t steps[STEPS];
    for (size_t i = 0; i < STEPS; i++) {
        int64_t begin = clock_ns(), now;
        do
            now = clock_ns();
        while (now == begin);
        steps[i] = now - begin;
    }
    qsort(steps, STEPS, sizeof *steps, by_value);
    return (double)steps[STEPS / 2] * 1e-9;
}

/* ---- the core's clock ---- */

enum { CHAIN = 64, CYCLES_PER_MULTIPLY = 3 };

#if defined __x86_64__
#define MULTIPLY "imul %0, %0\n\t"
#elif defined __aarch64__
#define MULTIPLY "mul %0, %0, %0\n\t"
#endif

double ridge_multiply_chain(uint64_t rounds)
{
#ifdef MULTIPLY
    uint64_t x = 3;
    for (uint64_t i = 0; i < rounds; i++) {
#define FOUR    MULTIPLY MULTIPLY MULTIPLY MULTIPLY
#define SIXTEEN FOUR FOUR FOUR FOUR
        __asm__ volatile(SIXTEEN SIXTEEN SIXTEEN SIXTEEN : "+r"(x));
    }
    return (double)rounds * CHAIN * CYCLES_PER_MULTIPLY;
#else
    (void)rounds;
    return 0;
#endif
}

static int by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* median over slices of about 50 us, so that a preemption spoils one of them and not the answer */
double ridge_core_clock_hz(double seconds)
{
    enum { SLICES = 1024, ROUNDS = 800 };
    double rates[SLICES], end = ridge_clock_s() + seconds;
    size_t n = 0;
    while (n < SLICES && (n < 3 || ridge_clock_s() < end)) {
        double begin = ridge_clock_s(), cycles = ridge_multiply_chain(ROUNDS);
        double took = ridge_clock_s() - begin;
        rates[n++] = took > 0 ? cycles / took : 0;
    }
    qsort(rates, n, sizeof *rates, by_double);
    return rates[n / 2];
}
