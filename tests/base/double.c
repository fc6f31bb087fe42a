/* double.c - the text of a double against what the C library prints and reads: numbers of every size, near powers, near ties. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/double.h"

static void check(double value)
{
    char found[RIDGE_DOUBLE_CHARS], wanted[RIDGE_DOUBLE_CHARS];
    if (!isfinite(value))
        return;
    size_t n = ridge_double_print(found, value);
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(wanted, sizeof wanted, "%.*g", digits, value);
        double back = strtod(wanted, NULL);
        if (memcmp(&back, &value, sizeof back) == 0)
            break;
    }
    if (strcmp(found, wanted) != 0)
        fail_msg("%a is '%s', found '%s'", value, wanted, found);
    assert_int_equal(n, strlen(found));
}

static void around(double value)
{
    const double low = nextafter(value, -INFINITY), high = nextafter(value, INFINITY);
    check(value);
    check(-value);
    check(low);
    check(high);
    check(nextafter(low, -INFINITY));
    check(nextafter(high, INFINITY));
}

static void test_plain_numbers(void **state)
{
    static const double numbers[] = {0,
                                     1,
                                     2,
                                     10,
                                     0.5,
                                     0.1,
                                     0.3,
                                     1.0 / 3,
                                     123456789.0,
                                     1e15,
                                     1e16,
                                     1e17,
                                     1e21,
                                     1e22,
                                     1e23,
                                     5e-324,
                                     1.7976931348623157e308,
                                     0.0001,
                                     0.00001,
                                     999999999999999.0,
                                     9999999999999998.0,
                                     99999999999999.95,
                                     0.99999999999999995,
                                     1e-22,
                                     9.5e-5};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        around(numbers[i]);
    check(-0.0);
}

static void test_powers(void **state)
{
    (void)state;
    for (int e = -1060; e < 1020; e++)
        around(ldexp(1, e));
    for (int e = -300; e < 300; e++) {
        around(pow(10, e));
        around(5 * pow(10, e));
        around(9.99999999999999 * pow(10, e));
    }
}

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

/* decimals of 1 to 17 digits, and any mantissa at the sizes that times and rates have */
static void test_random_numbers(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (int i = 0; i < 300000; i++) {
        int power = (int)(next(&seed) % 40) - 22;
        uint64_t digits = next(&seed);
        for (uint64_t cut = next(&seed) % 17; cut > 0; cut--)
            digits /= 10;
        check((double)(digits % UINT64_C(100000000000000000)) * pow(10, power - 8));
        check(ldexp((double)(next(&seed) >> 11), (int)(next(&seed) % 130) - 125));
        uint64_t bits = next(&seed);
        double any;
        memcpy(&any, &bits, sizeof any);
        check(any);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_numbers),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_random_numbers),
    };
    return RUN_TESTS(tests);
}
