/* Attention: every variant against the definition in double precision, over sizes that no tile divides; and against numbers by hand. */
#include "kernel_case.h"

static const char *const formats[] = {"fp32", "bf16", "fp16"};

static void random_sizes(void **state)
{
    (void)state;
    static const int64_t groups[] = {1, 2, 4, 8}, dims[] = {32, 64, 80, 96, 128, 256, 40, 7, 33, 65, 1};
    uint64_t random = 4;
    for (int i = 0; i < 66; i++) {
        ridge_problem p = {.kind = RIDGE_KERNEL_KIND_ATTENTION, .causal = i % 3 != 0};
        p.batch = case_between(&random, 1, 2);
        p.kv_heads = case_between(&random, 1, 3);
        p.heads = p.kv_heads * groups[i % 4];
        p.head_dim = dims[i % 11];
        p.seq = i % 5 == 0 ? 1 : case_between(&random, 2, 60);
        p.past = i % 2 == 0 ? 0 : case_between(&random, 1, 100);
        p.weights = case_format(formats[i % 3]);
        p.activations = case_format(formats[i / 3 % 3]);
        assert_true(case_run(&p, (uint64_t)i + 1) >= 4);
    }
}

/* a cache longer than decode's tile, and more threads' parts than keys */
static void decode_sizes(void **state)
{
    (void)state;
    static const int64_t pasts[] = {0, 1, 255, 256, 700};
    for (int i = 0; i < 15; i++) {
        ridge_problem p = {.kind = RIDGE_KERNEL_KIND_ATTENTION, .batch = 1, .seq = 1, .past = pasts[i % 5], .heads = 4, .causal = true};
        p.kv_heads = i % 2 == 0 ? 1 : 4;
        p.head_dim = i < 8 ? 128 : 48;
        p.weights = p.activations = case_format(formats[i % 3]);
        assert_true(case_run(&p, (uint64_t)i + 100) >= 5);
    }
}

/* a problem of one head in fp32 with its values given; every variant's output in turn against what is wanted */
static void by_hand(const ridge_problem *shape, float *q, float *k, float *v, const float *wanted, size_t n)
{
    ridge_problem p = *shape;
    ridge_err err = {0};
    ridge_arena arena;
    const ridge_kernel_variant *const *variants;
    size_t count;
    p.kind = RIDGE_KERNEL_KIND_ATTENTION;
    p.batch = 1;
    p.weights = p.activations = case_format("fp32");
    ridge_arena_init(&arena);
    assert_int_equal(ridge_kernel_variants(&variants, &count, &p, &arena, &err), RIDGE_OK);
    assert_true(count >= 4);
    for (size_t i = 0; i < count; i++) {
        float o[16] = {0};
        ridge_kernel_run run = {.variant = variants[i], .problem = p, .threads = 1, .operands = {q, k, v, o}};
        assert_int_equal(variants[i]->open(&run, &err), RIDGE_OK);
        for (unsigned phase = 0; phase < run.phases; phase++)
            variants[i]->phase(&run, phase, 0);
        variants[i]->close(&run);
        for (size_t j = 0; j < n; j++)
            assert_float_equal(o[j], wanted[j], 2e-6F);
    }
    ridge_arena_free(&arena);
}

/* Scores all 0: each token's output is the mean of the values it sees. */
static void means(void **state)
{
    (void)state;
    float q[3] = {0, 0, 0}, k[3] = {1, 2, 3}, v[3] = {3, 6, 12};
    ridge_problem p = {.seq = 3, .heads = 1, .kv_heads = 1, .head_dim = 1, .causal = true};
    by_hand(&p, q, k, v, (const float[]){3, 4.5F, 7}, 3);
    p.causal = false;
    by_hand(&p, q, k, v, (const float[]){7, 7, 7}, 3);
}

/* head_dim 4, so scores are halved: 2 ln 3 / 2 = ln 3 and 0, weights 3/4 and 1/4; two heads share K and V; one token after one. */
static void groups_and_cache(void **state)
{
    (void)state;
    const float ln3 = 1.0986122886681098F;
    float q[8] = {2 * ln3, 0, 0, 0, 0, 2 * ln3, 0, 0};
    float k[8] = {1, 0, 0, 0, 0, 1, 0, 0}, v[8] = {4, 8, 0, 1, 8, 4, 0, 1};
    ridge_problem p = {.seq = 1, .past = 1, .heads = 2, .kv_heads = 1, .head_dim = 4, .causal = true};
    by_hand(&p, q, k, v, (const float[]){5, 7, 0, 1, 7, 5, 0, 1}, 8);
}

/* Scores of 400 and -400: no exponential overflows. */
static void large_scores(void **state)
{
    (void)state;
    float q[2] = {20, -20}, k[2] = {20, -20}, v[2] = {1, 2};
    ridge_problem p = {.seq = 2, .heads = 1, .kv_heads = 1, .head_dim = 1};
    by_hand(&p, q, k, v, (const float[]){1, 2}, 2);
}

static void too_large(void **state)
{
    (void)state;
    ridge_problem p = {.kind = RIDGE_KERNEL_KIND_ATTENTION, .batch = 1, .seq = (int64_t)1 << 40, .heads = 1, .kv_heads = 1, .head_dim = 1};
    p.weights = p.activations = case_format("fp32");
    ridge_err err = {0};
    ridge_arena arena;
    const ridge_kernel_variant *const *variants;
    size_t count, refused = 0;
    ridge_arena_init(&arena);
    assert_int_equal(ridge_kernel_variants(&variants, &count, &p, &arena, &err), RIDGE_OK);
    for (size_t i = 0; i < count; i++)
        if (strncmp(variants[i]->name, "naive", 5) == 0) { /* 2^80 scores */
            ridge_kernel_run run = {.variant = variants[i], .problem = p, .threads = 1};
            ridge_err_clear(&err);
            assert_int_equal(variants[i]->open(&run, &err), RIDGE_OVERFLOW);
            assert_string_equal(message_of(&err), "attention: the scores of this problem do not fit in memory");
            refused++;
        }
    assert_true(refused > 0);
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sizes),     cmocka_unit_test(decode_sizes), cmocka_unit_test(means),
        cmocka_unit_test(groups_and_cache), cmocka_unit_test(large_scores), cmocka_unit_test(too_large),
    };
    return RUN_TESTS(tests);
}
