/* units.c - numbers as people read them, against what is written by hand. */
#include "test.h"

#include "base/units.h"

static const struct {
    ridge_unit unit;
    int64_t value;
    const char *text;
} wholes[] = {
    {RIDGE_UNIT_NONE, 12345, "12,345"},
    {RIDGE_UNIT_COUNT, 29300000000000, "29.30 T"},
    {RIDGE_UNIT_COUNT, 999, "999"},
    {RIDGE_UNIT_BYTES, 1420000000, "1.420 GB"},
    {RIDGE_UNIT_FLOPS_PER_S, 989500000000000, "989.5 TFLOP/s"},
    {RIDGE_UNIT_BYTES_PER_S, 3350000000000, "3.350 TB/s"},
    {RIDGE_UNIT_CAPACITY, 0, "0 B"},
    {RIDGE_UNIT_CAPACITY, 1023, "1023 B"},
    {RIDGE_UNIT_CAPACITY, INT64_C(80) << 30, "80 GiB"},
    {RIDGE_UNIT_CAPACITY, INT64_C(24682416) << 10, "23.54 GiB"},
    {RIDGE_UNIT_CAPACITY, INT64_C(1536) << 30, "1.5 TiB"},
    {RIDGE_UNIT_CAPACITY, INT64_MAX, "8 EiB"},
    {RIDGE_UNIT_HERTZ, 1620000000, "1.620 GHz"},
    {RIDGE_UNIT_WATTS, 350, "350 W"},
    {RIDGE_UNIT_WATTS, 1200, "1.200 kW"},
};

static void test_wholes(void **state)
{
    ridge_arena arena;
    (void)state;
    ridge_arena_init(&arena);
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        assert_string_equal(ridge_unit_text_int(&arena, wholes[i].unit, wholes[i].value), wholes[i].text);
    for (int unit = RIDGE_UNIT_NONE; unit <= RIDGE_UNIT_TEXT; unit++) /* not known */
        assert_string_equal(ridge_unit_text_int(&arena, (ridge_unit)unit, -1), "-");
    ridge_arena_free(&arena);
}

static const struct {
    ridge_unit unit;
    double value;
    const char *text;
} reals[] = {
    {RIDGE_UNIT_SECONDS, 4e-6, "4.000 µs"}, {RIDGE_UNIT_SECONDS, 0, "0 s"},         {RIDGE_UNIT_RATIO, 141.06, "141.1"},
    {RIDGE_UNIT_PERCENT, 12.34, "12.3"},    {RIDGE_UNIT_HERTZ, 2.5e9, "2.500 GHz"}, {RIDGE_UNIT_CAPACITY, 2048, "2 KiB"},
};

static void test_reals(void **state)
{
    ridge_arena arena;
    (void)state;
    ridge_arena_init(&arena);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        assert_string_equal(ridge_unit_text(&arena, reals[i].unit, reals[i].value), reals[i].text);
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wholes), cmocka_unit_test(test_reals)};
    return RUN_TESTS(tests);
}
