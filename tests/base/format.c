#include "test.h"

#include "base/format.h"

/* Sizes in bytes of ggml's block structs, static_asserted in ggml-common.h (QK 32, QK_K 256); OCP MX v1.0; NVFP4; bitsandbytes NF4 with a
 * 16-bit absmax; GPTQ/AWQ: 128 four-bit weights, an fp16 scale, a 4-bit zero = 532 bits. */
static const struct {
    const char *name;
    unsigned elements, bits;
} blocks[] = {
    {"q4_0", 32, 18 * 8},
    {"q4_1", 32, 20 * 8},
    {"q5_0", 32, 22 * 8},
    {"q5_1", 32, 24 * 8},
    {"q8_0", 32, 34 * 8},
    {"iq4_nl", 32, 18 * 8},
    {"q2_K", 256, 84 * 8},
    {"q3_K", 256, 110 * 8},
    {"q4_K", 256, 144 * 8},
    {"q5_K", 256, 176 * 8},
    {"q6_K", 256, 210 * 8},
    {"iq4_xs", 256, 136 * 8},
    {"mxfp8", 32, 33 * 8},
    {"mxint8", 32, 33 * 8},
    {"mxfp6", 32, 25 * 8},
    {"mxfp4", 32, 17 * 8},
    {"nvfp4", 16, 9 * 8},
    {"nf4", 64, 34 * 8},
    {"int4_g128", 128, 532},
    /* a half and 128 bits; a half and 64 of 2; two halves and 32 bytes; a float, 256 bytes, 16 sums of 16 bits */
    {"q1_0", 128, 18 * 8},
    {"q2_0", 64, 18 * 8},
    {"q8_1", 32, 36 * 8},
    {"q8_K", 256, 292 * 8},
    {"iq1_s", 256, 50 * 8},
    {"iq1_m", 256, 56 * 8},
    {"iq2_xxs", 256, 66 * 8},
    {"iq2_xs", 256, 74 * 8},
    {"iq2_s", 256, 82 * 8},
    {"iq3_xxs", 256, 98 * 8},
    {"iq3_s", 256, 110 * 8},
    {"tq1_0", 256, 54 * 8},
    {"tq2_0", 256, 66 * 8},
    {"nvfp4_g64", 64, 36 * 8},
};

static const ridge_format *find(const char *name)
{
    const ridge_format *format = ridge_format_find(ridge_str_of(name));
    if (format == NULL)
        fail_msg("no format %s", name);
    return format;
}

static void test_block_layouts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const ridge_format *format = find(blocks[i].name);
        assert_int_equal(format->block_elements, blocks[i].elements);
        assert_int_equal(format->block_bits, blocks[i].bits);
    }
}

/* the planning figure is the block's own, but for nvfp4, which adds one fp32 per 1024 elements */
static void test_bits_agree_with_the_layout(void **state)
{
    (void)state;
    size_t count;
    const ridge_format *table = ridge_format_table(&count);
    assert_int_equal(count, 59);
    for (size_t i = 0; i < count; i++) {
        ridge_rational bits, scale = {0, 1};
        assert_true(ridge_rational_make(&bits, table[i].block_bits, table[i].block_elements));
        if (strcmp(table[i].name, "nvfp4") == 0)
            assert_true(ridge_rational_make(&scale, 32, 1024));
        assert_true(ridge_rational_add(&bits, bits, scale));
        assert_int_equal(ridge_rational_compare(bits, table[i].bits), 0);
        assert_true(bits.num == table[i].bits.num && bits.den == table[i].bits.den);
    }
}

static void test_planning_figures(void **state)
{
    (void)state;
    /* FACTS, "Number formats" */
    static const struct {
        const char *name, *bits;
    } rows[] = {{"fp64", "64"},       {"tf32", "32"},     {"bf16", "16"},      {"fp8_e5m2", "8"},  {"int4", "4"},
                {"int2", "2"},        {"mxfp8", "8.25"},  {"mxint8", "8.25"},  {"mxfp6", "6.25"},  {"mxfp4", "4.25"},
                {"nvfp4", "4.53125"}, {"nf4", "4.25"},    {"gptq", "4.15625"}, {"q4_1", "5"},      {"q8_0", "8.5"},
                {"q2_K", "2.625"},    {"q3_K", "3.4375"}, {"q6_K", "6.5625"},  {"iq4_xs", "4.25"}, {"iq4_nl", "4.5"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ridge_rational bits;
        assert_true(ridge_rational_parse(&bits, ridge_str_of(rows[i].bits)));
        assert_int_equal(ridge_rational_compare(bits, find(rows[i].name)->bits), 0);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const same[][2] = {{"BF16", "bf16"},
                                          {"bfloat16", "bf16"},
                                          {"torch.bfloat16", "bf16"},
                                          {"torch.float16", "fp16"},
                                          {"half", "fp16"},
                                          {"float", "fp32"},
                                          {"FLOAT32", "fp32"},
                                          {"double", "fp64"},
                                          {"fp8", "fp8_e4m3"},
                                          {"q4_k", "q4_K"},
                                          {"Q4_K", "q4_K"},
                                          {"gptq", "int4_g128"},
                                          {"AWQ", "int4_g128"},
                                          {"int64", "i64"},
                                          {"uint8", "u8"},
                                          {"torch.uint16", "u16"},
                                          {"F8_E8M0", "fp8_e8m0"},
                                          {"F4", "fp4_e2m1"},
                                          {"F6_E3M2", "fp6_e3m2"},
                                          {"C64", "complex64"},
                                          {"torch.bool", "bool"},
                                          {"torch.float8_e4m3fn", "fp8_e4m3"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_string_equal(find(same[i][0])->name, same[i][1]);
    static const char *const unknown[] = {"", "bf", "bf161", "torch.", "q4", "fp4", "torch.torch.bf16"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_null(ridge_format_find(ridge_str_of(unknown[i])));
}

static void test_reading_says_what_is_wrong(void **state)
{
    (void)state;
    const ridge_format *format;
    static const char *const wrong[][2] = {
        {"q4K", "act: unknown number format 'q4K'; did you mean 'q4_K'?"},
        {"foo", "act: unknown number format 'foo'; 'ridge formats' lists them"},
        {"int64", "act: 'int64' is a format of indices and masks"},
    };
    assert_int_equal(ridge_format_read(&format, RIDGE_STR("half"), "act", NULL), RIDGE_OK);
    assert_string_equal(format->name, "fp16");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ridge_err err = {0};
        assert_int_equal(ridge_format_read(&format, ridge_str_of(wrong[i][0]), "act", &err), RIDGE_USAGE);
        assert_string_equal(message_of(&err), wrong[i][1]);
    }
}

/* what a chip has a rate for: the precisions vendors state (FACTS, "Roofline"); both fp8 have one rate, both fp6 too */
static bool is_rate(const char *name)
{
    static const char *const rates[] = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "int4", "mxfp4", "nvfp4"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcmp(name, rates[i]) == 0)
            return true;
    return false;
}

static void test_compute_names_a_rate(void **state)
{
    (void)state;
    size_t count;
    const ridge_format *table = ridge_format_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (table[i].integer)
            assert_string_equal(table[i].compute, table[i].name);
        else if (!is_rate(table[i].compute))
            fail_msg("%s computes at %s", table[i].name, table[i].compute);
        assert_ptr_equal(find(table[i].name), &table[i]);
    }
    static const char *const computes[][2] = {{"fp8_e4m3", "fp8"}, {"fp8_e5m2", "fp8"}, {"mxfp8", "fp8"}, {"mxfp6", "fp6"},
                                              {"mxint8", "int8"},  {"q4_K", "bf16"},    {"nf4", "bf16"},  {"int2", "bf16"}};
    for (size_t i = 0; i < sizeof computes / sizeof *computes; i++)
        assert_string_equal(find(computes[i][0])->compute, computes[i][1]);
    size_t weight_only = 0;
    for (size_t i = 0; i < count; i++)
        weight_only += ridge_format_is_weight_only(&table[i]);
    assert_int_equal(weight_only, 29); /* int2, nf4, int3_g128, int4_g128 and ggml's 25 of whole blocks; nvfp4_g64 has a rate */
    assert_true(ridge_format_is_weight_only(find("q8_0")) && !ridge_format_is_weight_only(find("bf16")));
}

static void bytes_are(const char *name, ridge_int rows, ridge_int columns, ridge_int expected)
{
    ridge_int bytes;
    assert_true(ridge_format_bytes(&bytes, find(name), rows, columns));
    assert_true(bytes == expected);
}

static void test_bytes(void **state)
{
    (void)state;
    bytes_are("bf16", 4096, 4096, 33554432);
    bytes_are("q4_K", 2560, 2560, 3686400); /* FACTS: 3.7 MB */
    bytes_are("q4_K", 3, 257, 3 * 2 * 144); /* whole blocks per row */
    bytes_are("q8_0", 1, 1, 34);
    bytes_are("nvfp4", 2, 17, 2 * 2 * 9 + 4); /* and one fp32 scale for the tensor */
    bytes_are("int4", 3, 3, 5);               /* 36 bits */
    bytes_are("int4_g128", 1, 128, 67);
    bytes_are("int4_g128", 2, 128, 133);
    bytes_are("int2", 1, 0, 0);
    bytes_are("fp6_e2m3", 2, 4, 6);
    bytes_are("fp4_e2m1", 1, 3, 2);
    bytes_are("complex128", 2, 3, 96);
    bytes_are("fp32", 0, 5, 0);
}

static void test_bytes_that_do_not_fit(void **state)
{
    (void)state;
    ridge_int bytes;
    assert_false(ridge_format_bytes(&bytes, find("fp32"), RIDGE_INT_MAX, 1));
    assert_false(ridge_format_bytes(&bytes, find("fp32"), 1, RIDGE_INT_MAX));
    assert_false(ridge_format_bytes(&bytes, find("fp32"), -1, 4));
    assert_false(ridge_format_bytes(&bytes, find("q4_0"), 4, -1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_layouts),         cmocka_unit_test(test_bits_agree_with_the_layout),
        cmocka_unit_test(test_planning_figures),      cmocka_unit_test(test_names),
        cmocka_unit_test(test_compute_names_a_rate),  cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bytes_that_do_not_fit), cmocka_unit_test(test_reading_says_what_is_wrong),
    };
    return RUN_TESTS(tests);
}
