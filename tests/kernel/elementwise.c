/* Elementwise kernels: every variant against the definition in double precision; the definitions against numbers by hand. */
#include "kernel_case.h"

#include "kernel/vector_tmpl.h"

static const char *const formats[] = {"fp32", "bf16", "fp16"};

static void rows_of(ridge_kernel_kind kind)
{
    static const int64_t columns[] = {1, 3, 8, 16, 17, 31, 64, 100, 257, 1000};
    uint64_t random = (uint64_t)kind + 1;
    for (int i = 0; i < 30; i++) {
        ridge_problem p = {.kind = kind, .rows = case_between(&random, 1, 9), .cols = columns[i % 10]};
        p.activations = p.weights = case_format(formats[i / 10]);
        assert_true(case_run(&p, (uint64_t)i + 1) >= 1);
    }
}
static void softmax(void **state)
{
    (void)state;
    rows_of(RIDGE_KERNEL_KIND_SOFTMAX);
}
static void layernorm(void **state)
{
    (void)state;
    rows_of(RIDGE_KERNEL_KIND_LAYERNORM);
}
static void rmsnorm(void **state)
{
    (void)state;
    rows_of(RIDGE_KERNEL_KIND_RMSNORM);
}
static void silu(void **state)
{
    (void)state;
    rows_of(RIDGE_KERNEL_KIND_SILU);
}
static void gelu(void **state)
{
    (void)state;
    rows_of(RIDGE_KERNEL_KIND_GELU);
}
static void add(void **state)
{
    (void)state;
    rows_of(RIDGE_KERNEL_KIND_ADD);
}

static void rope(void **state)
{
    (void)state;
    static const int64_t dims[] = {2, 6, 32, 50, 64, 80, 128, 256};
    uint64_t random = 7;
    for (int i = 0; i < 24; i++) {
        ridge_problem p = {.kind = RIDGE_KERNEL_KIND_ROPE, .rows = case_between(&random, 1, 9), .heads = case_between(&random, 1, 5)};
        p.past = case_between(&random, 0, 4000);
        p.head_dim = dims[i % 8];
        p.activations = p.weights = case_format(formats[i / 8]);
        assert_true(case_run(&p, (uint64_t)i + 1) >= 1);
    }
}

static void embedding(void **state)
{
    (void)state;
    static const int64_t columns[] = {1, 16, 33, 100};
    uint64_t random = 8;
    for (int i = 0; i < 36; i++) {
        ridge_problem p = {.kind = RIDGE_KERNEL_KIND_EMBEDDING, .rows = case_between(&random, 1, 40), .n = 11, .cols = columns[i % 4]};
        p.weights = case_format(formats[i / 4 % 3]);
        p.activations = case_format(formats[i / 12]);
        assert_true(case_run(&p, (uint64_t)i + 1) >= 1);
    }
}

static void wkv(void **state)
{
    (void)state;
    static const int64_t columns[] = {1, 15, 16, 64, 65, 130, 200};
    uint64_t random = 9;
    for (int i = 0; i < 21; i++) {
        ridge_problem p = {.kind = RIDGE_KERNEL_KIND_WKV, .seq = case_between(&random, 1, 60), .cols = columns[i % 7]};
        p.activations = p.weights = case_format(formats[i / 7]);
        assert_true(case_run(&p, (uint64_t)i + 1) >= 1);
    }
}

/* every variant's output in fp32, operands given, against what is wanted */
static void by_hand_within(double relative, const ridge_problem *shape, void *const *in, size_t inputs, const double *wanted, size_t n)
{
    ridge_problem p = *shape;
    ridge_err err = {0};
    ridge_arena arena;
    const ridge_kernel_variant *const *variants;
    size_t count;
    p.weights = p.activations = case_format("fp32");
    ridge_arena_init(&arena);
    assert_int_equal(ridge_kernel_variants(&variants, &count, &p, &arena, &err), RIDGE_OK);
    assert_true(count >= 1);
    for (size_t i = 0; i < count; i++) {
        float out[16] = {0};
        ridge_kernel_run run = {.variant = variants[i], .problem = p, .threads = 1};
        memcpy(run.operands, in, inputs * sizeof *in);
        run.operands[inputs] = out;
        assert_int_equal(variants[i]->open(&run, &err), RIDGE_OK);
        variants[i]->phase(&run, 0, 0);
        variants[i]->close(&run);
        for (size_t j = 0; j < n; j++)
            assert_true(fabs(out[j] - wanted[j]) <= relative * (1 + fabs(wanted[j])));
    }
    ridge_arena_free(&arena);
}
static void by_hand(const ridge_problem *shape, void *const *in, size_t inputs, const double *wanted, size_t n)
{
    by_hand_within(3e-7, shape, in, inputs, wanted, n);
}

static void known_values(void **state)
{
    (void)state;
    /* e^0 : e^ln 2 : e^ln 4 = 1 : 2 : 4; far from 0 too */
    float x[3] = {80, 80.69314718F, 81.38629436F};
    ridge_problem p = {.kind = RIDGE_KERNEL_KIND_SOFTMAX, .rows = 1, .cols = 3};
    float near[3] = {0, 0.69314718F, 1.38629436F};
    by_hand(&p, (void *[]){near}, 1, (double[]){1 / 7., 2 / 7., 4 / 7.}, 3);
    float equal[3] = {x[0], x[0], x[0]};
    by_hand(&p, (void *[]){equal}, 1, (double[]){1 / 3., 1 / 3., 1 / 3.}, 3);
    /* the logistic function and the normal distribution at 1, -1 and 2 (Abramowitz, Stegun, table 26.1) */
    float at[4] = {1, -1, 2, 0};
    p = (ridge_problem){.kind = RIDGE_KERNEL_KIND_SILU, .rows = 2, .cols = 2};
    by_hand(&p, (void *[]){at}, 1, (double[]){0.7310585786300049, -0.2689414213699951, 1.7615941559557649, 0}, 4);
    p.kind = RIDGE_KERNEL_KIND_GELU;
    by_hand(&p, (void *[]){at}, 1, (double[]){0.8413447460685429, -0.1586552539314571, 1.9544997361036416, 0}, 4);
    /* far out both are x and 0 */
    float far[4] = {100, -100, 30, -30};
    by_hand(&p, (void *[]){far}, 1, (double[]){100, 0, 30, 0}, 4);
    p.kind = RIDGE_KERNEL_KIND_SILU;
    by_hand(&p, (void *[]){far}, 1, (double[]){100, 0, 30, 0}, 4);
}

static void known_norms(void **state)
{
    (void)state;
    /* 1, 3: mean 2, deviation 1 (epsilon moves it by 5e-6); times 2 and 10, plus 1 and 0 */
    float x[2] = {1, 3}, gamma[2] = {2, 10}, beta[2] = {1, 0};
    ridge_problem p = {.kind = RIDGE_KERNEL_KIND_LAYERNORM, .rows = 1, .cols = 2};
    const double one = 1 / sqrt(1 + 1e-5);
    by_hand(&p, (void *[]){x, gamma, beta}, 3, (double[]){1 - 2 * one, 10 * one}, 2);
    /* 1, 7: the mean of squares is 25 */
    float y[2] = {1, 7};
    p.kind = RIDGE_KERNEL_KIND_RMSNORM;
    const double fifth = 1 / sqrt(25 + 1e-6);
    by_hand(&p, (void *[]){y, gamma}, 2, (double[]){2 * fifth, 70 * fifth}, 2);
    /* position 1, angle 1: (1, 0) turns to (cos 1, sin 1) */
    float pair[2] = {1, 0};
    p = (ridge_problem){.kind = RIDGE_KERNEL_KIND_ROPE, .rows = 1, .heads = 1, .head_dim = 2, .past = 1};
    by_hand(&p, (void *[]){pair}, 1, (double[]){0.5403023058681398, 0.8414709848078965}, 2);
}

/* One channel, decay e^ln 2 = 2 a step, bonus ln 3; keys 0. Token 1: v1. Token 2: (v1 + 3 v2) / 4. Token 3: the first has decayed
 * once, by e^-2: (e^-2 v1 + v2 + 3 v3) / (e^-2 + 4). */
static void known_wkv(void **state)
{
    (void)state;
    float w[1] = {0.69314718F}, u[1] = {1.09861229F}, k[3] = {0, 0, 0}, v[3] = {4, 8, 16};
    ridge_problem p = {.kind = RIDGE_KERNEL_KIND_WKV, .seq = 3, .cols = 1};
    const double e = 0.1353352832366127;
    by_hand(&p, (void *[]){w, u, k, v}, 4, (double[]){4, 7, (4 * e + 8 + 48) / (e + 4)}, 3);
    /* keys of 1000: no exponential overflows, and a constant in all keys changes nothing but the last place of 1000, 6e-5 */
    float large[3] = {1000, 1000, 1000};
    by_hand_within(6e-5, &p, (void *[]){w, u, large, v}, 4, (double[]){4, 7, (4 * e + 8 + 48) / (e + 4)}, 3);
}

/* a row outside the table is zeros, as no memory beyond it may be read */
static void outside_the_table(void **state)
{
    (void)state;
    float table[2] = {5, 6};
    int32_t ids[3] = {1, 2, -1};
    ridge_problem p = {.kind = RIDGE_KERNEL_KIND_EMBEDDING, .rows = 3, .n = 2, .cols = 1};
    by_hand(&p, (void *[]){table, ids}, 2, (double[]){6, 0, 0}, 3);
}

/* distance from the exact value in units of the last place of a single near it */
static double ulps(float got, double exact)
{
    int exponent;
    frexp(exact, &exponent);
    return fabs((double)got - exact) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}
static void exponentials(void **state)
{
    (void)state;
    double worst_e = 0, worst_2 = 0;
    for (double x = -87; x < 88.3; x += 0.000731) {
        float at = (float)x;
        double off = ulps(v_exp(at), exp((double)at));
        worst_e = off > worst_e ? off : worst_e;
        if (at > -126) {
            off = ulps(v_exp2(at), exp2((double)at));
            worst_2 = off > worst_2 ? off : worst_2;
        }
    }
    assert_true(worst_e <= 2);
    assert_true(worst_2 <= 2);
    assert_true(v_exp(-1000) == 0 && v_exp2(-1e30F) == 0);
    assert_true(v_exp(1000) == INFINITY && v_exp2(1000) == INFINITY);
    for (double z = 0; z < 9; z += 0.00071)
        assert_true(fabs(v_erfc((float)z) - erfc((double)(float)z)) <=
                    5e-7 * erfc((double)(float)z) + 2e-7 * z * z * erfc((double)(float)z));
}

/* 16-bit halves there and back; rounding to even by hand: 1 + 2^-9 lies between bf16's 1 and 1 + 2^-7, 1 + 3 * 2^-8 goes to the even */
static void halves(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        float b = ridge_bf16_to_float((uint16_t)bits), h = ridge_fp16_to_float((uint16_t)bits);
        if (b == b)
            assert_int_equal(ridge_float_to_bf16(b), bits);
        if (h == h)
            assert_int_equal(ridge_float_to_fp16(h), bits);
    }
    assert_int_equal(ridge_float_to_bf16(1 + 0x1p-9F), 0x3f80);
    assert_int_equal(ridge_float_to_bf16(1 + 0x1p-8F), 0x3f80);
    assert_int_equal(ridge_float_to_bf16(1 + 3 * 0x1p-8F), 0x3f82);
    assert_int_equal(ridge_float_to_fp16(1 + 0x1p-11F), 0x3c00);
    assert_int_equal(ridge_float_to_fp16(1 + 3 * 0x1p-11F), 0x3c02);
    assert_int_equal(ridge_float_to_fp16(65519), 0x7bff);
    assert_int_equal(ridge_float_to_fp16(65520), 0x7c00);
    assert_int_equal(ridge_float_to_fp16(0x1p-25F), 0);
    assert_int_equal(ridge_float_to_fp16(0x1.8p-25F), 1);
    assert_true(ridge_bf16_to_float(ridge_float_to_bf16(NAN)) != 0 && isnan(ridge_fp16_to_float(ridge_float_to_fp16(NAN))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmax),
        cmocka_unit_test(layernorm),
        cmocka_unit_test(rmsnorm),
        cmocka_unit_test(silu),
        cmocka_unit_test(gelu),
        cmocka_unit_test(add),
        cmocka_unit_test(rope),
        cmocka_unit_test(embedding),
        cmocka_unit_test(wkv),
        cmocka_unit_test(known_values),
        cmocka_unit_test(known_norms),
        cmocka_unit_test(known_wkv),
        cmocka_unit_test(outside_the_table),
        cmocka_unit_test(exponentials),
        cmocka_unit_test(halves),
    };
    return RUN_TESTS(tests);
}
