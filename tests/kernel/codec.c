/* Layouts by hand, bounds from the formats' step sizes, sizes from base/format.c. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/codec/codec.h"
#include "kernel/kernel.h"
#include "kernel/parts.h"

static const ridge_format *find(const char *name)
{
    const ridge_format *format = ridge_format_find(ridge_str_of(name));
    if (format == NULL)
        fail_msg("no format %s", name);
    return format;
}

/* every block as long as the table of formats says */
static void test_sizes(void **state)
{
    (void)state;
    static const ridge_codec *const lists[] = {ridge_codecs_plain, ridge_codecs_ggml, ridge_codecs_k, ridge_codecs_micro};
    size_t count = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const ridge_codec *codec = lists[i]; codec->name; codec++, count++) {
            const ridge_format *format = find(codec->name);
            assert_int_equal(codec->elements, format->block_elements);
            assert_int_equal(codec->bytes * 8, format->block_bits);
        }
    assert_int_equal(count, 23);
}

static void decode(float *out, const char *format, const void *row, int64_t cols)
{
    assert_true(ridge_dequantise_row(out, find(format), row, cols, 1.0f));
}

/* fp16 1.0 = 0x3c00, 0.5 = 0x3800, 2.0 = 0x4000 (IEEE 754), stored low byte first */
static void test_blocks_of_32(void **state)
{
    (void)state;
    float v[32];
    /* q4_0: d = 0.5; byte 0 = 0xf0: element 0 = (0 - 8) / 2 = -4, element 16 = (15 - 8) / 2 = 3.5; byte 1 = 0x89: 0.5 and 0 */
    uint8_t q4_0[18] = {0x00, 0x38, 0xf0, 0x89};
    decode(v, "q4_0", q4_0, 32);
    assert_true(v[0] == -4 && v[16] == 3.5f && v[1] == 0.5f && v[17] == 0);
    /* q4_1: d = 0.5, m = 2: 0 * 0.5 + 2 = 2; 15 * 0.5 + 2 = 9.5 */
    uint8_t q4_1[20] = {0x00, 0x38, 0x00, 0x40, 0xf0};
    decode(v, "q4_1", q4_1, 32);
    assert_true(v[0] == 2 && v[16] == 9.5f && v[5] == 2);
    /* q5_0: d = 1; fifth bits 0x00010001: elements 0 and 16 get 16 more: (16 + 3) - 16 = 3, (16 + 2) - 16 = 2; others 0 - 16 */
    uint8_t q5_0[22] = {0x00, 0x3c, 0x01, 0x00, 0x01, 0x00, 0x23};
    decode(v, "q5_0", q5_0, 32);
    assert_true(v[0] == 3 && v[16] == 2 && v[1] == -16);
    /* q5_1: d = 1, m = 0.5: (16 + 3) + 0.5, (16 + 2) + 0.5, 0.5 */
    uint8_t q5_1[24] = {0x00, 0x3c, 0x00, 0x38, 0x01, 0x00, 0x01, 0x00, 0x23};
    decode(v, "q5_1", q5_1, 32);
    assert_true(v[0] == 19.5f && v[16] == 18.5f && v[1] == 0.5f);
    /* q8_0: d = 2: -128 * 2, 127 * 2 */
    uint8_t q8_0[34] = {0x00, 0x40, 0x80, 0x7f};
    decode(v, "q8_0", q8_0, 32);
    assert_true(v[0] == -256 && v[1] == 254 && v[2] == 0);
    /* iq4_nl: d = 0.5; level 0 is -127, level 15 is 113, level 8 is 1 */
    uint8_t iq4_nl[18] = {0x00, 0x38, 0xf0, 0x88};
    decode(v, "iq4_nl", iq4_nl, 32);
    assert_true(v[0] == -63.5f && v[16] == 56.5f && v[1] == 0.5f);
}

/* q4_K: d = 1, dmin = 0.5. Scale and minimum 0: bytes 0 and 4, low six bits; sub-block 4's scale: low half of byte 8 and the two upper
 * bits of byte 0, its minimum: high half of byte 8 and the upper bits of byte 4. */
static void test_q4_k(void **state)
{
    (void)state;
    float v[256];
    uint8_t block[144] = {0x00, 0x3c, 0x00, 0x38};
    block[4] = 5 | 2 << 6;     /* scale 0 = 5; scale 4 = 2 * 16 + 3 = 35 */
    block[4 + 4] = 7 | 1 << 6; /* minimum 0 = 7; minimum 4 = 1 * 16 + 9 = 25 */
    block[4 + 8] = 3 | 9 << 4;
    block[16] = 0xa4;      /* element 0: 4, element 32: 10 */
    block[16 + 64] = 0x0f; /* element 128, the first of sub-block 4: 15 */
    decode(v, "q4_K", block, 256);
    assert_true(v[0] == 4 * 5 - 3.5f);
    assert_true(v[1] == -3.5f);
    assert_true(v[32] == 0); /* scale 1 = minimum 1 = 0 */
    assert_true(v[128] == 15 * 35 - 12.5f);
    /* q5_K: the same head, then fifth bits (bit j of byte i: element 32 j + i), then the halves */
    uint8_t five[176];
    memset(five, 0, sizeof five);
    memcpy(five, block, 16);
    five[16] = 1 | 1 << 4;
    five[48] = 4;
    five[48 + 64] = 15;
    decode(v, "q5_K", five, 256);
    assert_true(v[0] == (4 + 16) * 5 - 3.5f && v[128] == (15 + 16) * 35 - 12.5f);
}

/* q6_K: element 0 in the low half of byte 0 and bits 0, 1 of byte 128; element 64 in the high half of byte 0 and bits 4, 5 of byte 128 */
static void test_q6_k(void **state)
{
    (void)state;
    float v[256];
    uint8_t block[210] = {0x21};
    block[128] = 3 | 2 << 4;
    block[192] = 2;                       /* scale of elements 0 .. 15 */
    block[192 + 4] = (uint8_t)-3;         /* of 64 .. 79 */
    block[208] = 0x00, block[209] = 0x38; /* d = 0.5 */
    decode(v, "q6_K", block, 256);
    assert_true(v[0] == 0.5f * 2 * (1 + 48 - 32));
    assert_true(v[64] == 0.5f * -3 * (2 + 32 - 32));
    assert_true(v[1] == 0.5f * 2 * -32);
    assert_true(v[16] == 0);
}

static void test_micro_formats(void **state)
{
    (void)state;
    float v[64];
    /* mxfp4: 2^(128 - 127) = 2; E2M1 codes 7 = 6, 9 = -0.5 */
    uint8_t mxfp4[17] = {128, 0x97};
    decode(v, "mxfp4", mxfp4, 32);
    assert_true(v[0] == 12 && v[16] == -1 && v[1] == 0);
    /* mxfp8: 2^-1; E4M3 0x7e = 448, 0x38 = 1, 0x01 = 2^-9 */
    uint8_t mxfp8[33] = {126, 0x7e, 0xb8, 0x01};
    decode(v, "mxfp8", mxfp8, 32);
    assert_true(v[0] == 224 && v[1] == -0.5f && v[2] == 0x1p-10f);
    /* mxfp6 (E2M3): element 0 in the low six bits of byte 1: 0x1f = 7.5; element 1: bits 6, 7 of it and four of the next: 0x28 = -1.0 */
    uint8_t mxfp6[25] = {127, 0x1f | (0x28 & 3) << 6, 0x28 >> 2};
    decode(v, "mxfp6", mxfp6, 32);
    assert_true(v[0] == 7.5f && v[1] == -1 && v[2] == 0);
    /* mxint8: q / 64 */
    uint8_t mxint8[33] = {127, 64, 0x81};
    decode(v, "mxint8", mxint8, 32);
    assert_true(v[0] == 1 && v[1] == -127.0f / 64);
    /* nvfp4: E4M3 scale 0x40 = 2 times the tensor's 0.25; codes 7 and 0xf in the low and high halves of byte 1: 6 and -6 */
    uint8_t nvfp4[9] = {0x40, 0xf7, 0x02};
    assert_true(ridge_dequantise_row(v, find("nvfp4"), nvfp4, 16, 0.25f));
    assert_true(v[0] == 3 && v[1] == -3 && v[2] == 0.5f && v[3] == 0);
    /* nf4: absmax 2; code 15 = 1, first element in the high half; code 7 = 0; code 0 = -1 */
    uint8_t nf4[34] = {0x00, 0x40, 0xf7, 0x0f};
    decode(v, "nf4", nf4, 64);
    assert_true(v[0] == 2 && v[1] == 0 && v[2] == -2 && v[3] == 2);
}

/* two groups: 128 bytes of codes, scales 0.5 and 2, zeros 8 and 3 in one byte */
static void test_int4_groups(void **state)
{
    (void)state;
    float v[256];
    uint8_t row[133] = {0x0f};
    row[127] = 0x50;
    row[129] = 0x38, row[131] = 0x40, row[132] = 0x38;
    decode(v, "int4_g128", row, 256);
    assert_true(v[0] == 0.5f * (15 - 8) && v[1] == 0.5f * (0 - 8) && v[255] == 2 * (5 - 3) && v[254] == 2 * (0 - 3));
    float part[128];
    assert_true(ridge_dequantise_part(part, find("int4_g128"), row, 256, 128, 128, 1));
    assert_memory_equal(part, v + 128, sizeof part);
}

/* each code of E4M3 and E2M1 is its own nearest; ties go to even; beyond the largest it stays */
static void test_minifloats(void **state)
{
    (void)state;
    for (unsigned code = 0; code <= 0x7e; code++)
        assert_int_equal(ridge_minifloat_encode(&ridge_e4m3, ridge_minifloat_decode(&ridge_e4m3, code)), code);
    assert_true(ridge_minifloat_decode(&ridge_e4m3, 0x7e) == 448 && isnan(ridge_minifloat_decode(&ridge_e4m3, 0x7f)));
    assert_true(ridge_minifloat_decode(&ridge_e5m2, 0x7b) == 57344);
    assert_int_equal(ridge_minifloat_encode(&ridge_e4m3, 1e9f), 0x7e);
    assert_int_equal(ridge_minifloat_encode(&ridge_e2m1, 2.5f), 4);      /* between 2 (code 4) and 3 (code 5) */
    assert_int_equal(ridge_minifloat_encode(&ridge_e2m1, -5.0f), 8 | 6); /* between 4 (code 6) and 6 (code 7) */
    assert_int_equal(ridge_minifloat_encode(&ridge_e2m1, -0.1f), 0);
    assert_true(ridge_e8m0_decode(0) == 0x1p-127f && ridge_e8m0_decode(254) == 0x1p127f && isnan(ridge_e8m0_decode(255)));
}

/* The mean square error of rounding standard normal values, as a share of theirs: below what the format's step allows. A uniform step s
 * leaves s^2 / 12; the largest of 32 normal values is about 2.1, of 16 about 1.8, of 64 about 2.4 (order statistics), 3.5 never passed
 * on average; scales in few bits add some. */
static void test_round_trips(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        double most; /* root of the mean square */
    } rows[] = {
        {"fp32", 0},
        {"bf16", 0x1p-9}, /* half a unit of 8 bits */
        {"fp16", 0x1p-12},
        {"int8", 4.0 / 127 / 3.46 * 1.1}, /* tensor scale 4 / 127 */
        {"fp8_e4m3", 0x1p-4},
        {"fp8_e5m2", 0x1p-3},
        {"mxfp8", 0x1p-4},
        {"mxfp6", 0x1p-4},
        {"mxint8", 4.0 / 64 / 3.46},
        {"q8_0", 2.5 / 127 / 3.46},
        {"q5_0", 2.5 / 16 / 3.46},
        {"q5_1", 4.5 / 31 / 3.46},
        {"q4_0", 2.5 / 8 / 3.46},
        {"q4_1", 4.5 / 15 / 3.46},
        {"iq4_nl", 2.5 / 8 / 3.46},
        {"nf4", 0.12},
        {"int4_g128", 6.0 / 15 / 3.46},
        {"mxfp4", 0.14},
        {"nvfp4", 0.12},
        {"q6_K", 2.2 / 32 / 3.46 * 1.1},
        {"q5_K", 4.5 / 31 / 3.46},
        {"q4_K", 4.5 / 15 / 3.46},
        {"q3_K", 2.2 / 4 / 3.46 * 1.1},
        {"q2_K", 4.0 / 3 / 3.46},
    };
    enum { COUNT = 256 * 64 };
    float *values = malloc(COUNT * sizeof *values), *back = malloc(COUNT * sizeof *back);
    uint8_t *row = malloc(COUNT * sizeof *values);
    srand(1);
    for (int i = 0; i < COUNT; i++) { /* Box and Muller */
        double u = (rand() + 1.0) / (RAND_MAX + 2.0), angle = 6.283185307179586 * rand() / RAND_MAX;
        values[i] = (float)(sqrt(-2 * log(u)) * cos(angle));
    }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const ridge_format *format = find(rows[r].format);
        const float scale = strcmp(rows[r].format, "int8") == 0 ? 4.0f / 127 : 1;
        double error = 0, all = 0;
        assert_true(ridge_quantise_row(row, format, values, COUNT, scale));
        assert_true(ridge_dequantise_row(back, format, row, COUNT, scale));
        for (int i = 0; i < COUNT; i++) {
            error += pow((double)back[i] - values[i], 2);
            all += pow(values[i], 2);
        }
        if (!(sqrt(error / all) <= rows[r].most) || (rows[r].most > 0 && error == 0))
            fail_msg("%s: off by %g of the values, at most %g", rows[r].format, sqrt(error / all), rows[r].most);
    }
    free(values);
    free(back);
    free(row);
}

/* zeros stay zeros, and a block of one value far out keeps it */
static void test_extremes(void **state)
{
    (void)state;
    size_t count;
    const ridge_format *table = ridge_format_table(&count);
    for (size_t i = 0; i < count; i++) {
        float values[256] = {0}, back[256];
        uint8_t row[1024];
        if (!ridge_has_codec(&table[i])) {
            assert_false(ridge_quantise_row(row, &table[i], values, 256, 1));
            continue;
        }
        assert_true(ridge_quantise_row(row, &table[i], values, 256, 1));
        assert_true(ridge_dequantise_row(back, &table[i], row, 256, 1));
        for (int j = 0; j < 256; j++)
            assert_true(back[j] == 0);
        values[7] = -100;
        assert_true(ridge_quantise_row(row, &table[i], values, 256, 1));
        assert_true(ridge_dequantise_row(back, &table[i], row, 256, 1));
        /* the widest step at the largest value is E2M1's, a third of it; next to nothing, iq4_nl's level 1 of 127 */
        if (!(fabsf(back[7] + 100) <= 34) || !(fabsf(back[8]) <= 0.8f))
            fail_msg("%s: -100 became %g, 0 became %g", table[i].name, (double)back[7], (double)back[8]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_blocks_of_32),  cmocka_unit_test(test_q4_k),
        cmocka_unit_test(test_q6_k),       cmocka_unit_test(test_micro_formats), cmocka_unit_test(test_int4_groups),
        cmocka_unit_test(test_minifloats), cmocka_unit_test(test_round_trips),   cmocka_unit_test(test_extremes),
    };
    return RUN_TESTS(tests);
}
