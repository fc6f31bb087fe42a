/* counter.c - the layer counters through the public header, as a foreign program uses them. */
#include "test.h"

#include <stdio.h>

#include "ridge_counter.h"

static char message[256];

#define OK(call)                                                                                                                           \
    do {                                                                                                                                   \
        int code_ = (call);                                                                                                                \
        assert_string_equal(message, "");                                                                                                  \
        assert_int_equal(code_, 0);                                                                                                        \
    } while (0)
#define FAILS(call, text)                                                                                                                  \
    do {                                                                                                                                   \
        assert_int_not_equal(call, 0);                                                                                                     \
        assert_string_equal(message, text);                                                                                                \
    } while (0)
#define SAY message, sizeof message

static void check_count(ridge_count value, const char *want)
{
    char text[48];
    size_t n = ridge_count_text(value, text, sizeof text);
    assert_string_equal(text, want);
    assert_int_equal(n, strlen(want));
}

static ridge_count small(uint64_t n)
{
    return (ridge_count){n, 0};
}

static void test_counts_as_text(void **state)
{
    (void)state;
    char cut[4];
    check_count(small(0), "0");
    check_count((ridge_count){UINT64_MAX, -1}, "-1");
    check_count((ridge_count){0, 1}, "18446744073709551616");
    check_count((ridge_count){UINT64_MAX, INT64_MAX}, "170141183460469231731687303715884105727");
    check_count((ridge_count){0, INT64_MIN}, "-170141183460469231731687303715884105728");
    assert_int_equal(ridge_count_text(small(123456), cut, sizeof cut), 6);
    assert_string_equal(cut, "123");
    assert_int_equal(ridge_count_text(small(7), NULL, 0), 1);
    assert_true(ridge_count_double((ridge_count){0, 1}) == 18446744073709551616.0);
    assert_true(ridge_count_double((ridge_count){UINT64_MAX, -1}) == -1);
}

static void test_matmul(void **state)
{
    (void)state;
    ridge_flops f;
    OK(ridge_op_matmul(&f, 4096, 4096, 4096, 0, SAY));
    check_count(f.total, "137438953472");
    check_count(f.matmul, "137438953472");
    check_count(f.dequantisation, "0");
    OK(ridge_op_matmul(&f, 4096, 4096, 4096, 1, SAY));
    check_count(f.total, "274877906944");
    check_count(f.matmul, "137438953472");
    check_count(f.dequantisation, "137438953472");
    check_count(f.other, "0");
}

static void test_attention_is_halved_when_causal(void **state)
{
    (void)state;
    ridge_flops f;
    /* 9 scores: 2 * 2*9*4 + 5*9 = 189, halved 94 */
    OK(ridge_op_attention(&f, 1, 3, 1, 4, 0, SAY));
    check_count(f.attention, "144");
    check_count(f.other, "45");
    check_count(f.total, "189");
    OK(ridge_op_attention(&f, 1, 3, 1, 4, 1, SAY));
    check_count(f.attention, "72");
    check_count(f.other, "22");
    check_count(f.total, "94");
    OK(ridge_op_attention(&f, 1, 2048, 32, 128, 0, SAY));
    check_count(f.attention, "68719476736");
    check_count(f.total, "69390565376");
}

static void test_ffn_layernorm_embedding(void **state)
{
    (void)state;
    ridge_flops f;
    OK(ridge_op_ffn(&f, 1, 2048, 4096, 11008, 0, 0, SAY));
    check_count(f.matmul, "369367187456"); /* FACTS: Linear(2048, 4096, 11008) twice */
    check_count(f.activation, "180355072");
    check_count(f.total, "369547542528");
    OK(ridge_op_ffn(&f, 1, 2048, 4096, 11008, 1, 0, SAY));
    check_count(f.matmul, "554050781184"); /* three times */
    check_count(f.other, "22544384");
    OK(ridge_op_ffn(&f, 1, 2048, 4096, 11008, 1, 1, SAY));
    check_count(f.dequantisation, "554050781184");
    OK(ridge_op_layernorm(&f, 1, 2048, 4096, SAY));
    check_count(f.total, "41943040");
    check_count(f.other, "41943040");
    OK(ridge_op_embedding(&f, 1, 2048, 4096, SAY));
    check_count(f.total, "8388608");
    check_count(f.embedding, "8388608");
}

static const ridge_layer_shape llama = {.batch = 1, .seq_len = 2048, .hidden = 4096, .heads = 32, .intermediate = 11008};

static void test_layer_and_model(void **state)
{
    (void)state;
    ridge_layer_flops layer;
    ridge_model_flops model;
    OK(ridge_op_transformer_layer(&layer, &llama, SAY));
    check_count(layer.attention.total, "69390565376");
    check_count(layer.ffn.total, "369547542528");
    check_count(layer.layernorm.total, "83886080");
    check_count(layer.total.total, "439021993984");
    OK(ridge_op_model(&model, &llama, 32, 32000, SAY));
    check_count(model.embedding.total, "8388608");
    check_count(model.layers.total, "14048703807488");
    check_count(model.lm_head.total, "536870912000");
    check_count(model.total.total, "14585583108096");
}

static void test_beyond_64_bits(void **state)
{
    (void)state;
    ridge_flops f;
    OK(ridge_op_matmul(&f, 15000000000000, 405000, 1000000, 0, SAY));
    check_count(f.total, "12150000000000000000000000");
    assert_true(f.total.hi == 658652); /* 12150000000000000000000000 >> 64 */
    assert_int_equal(ridge_op_matmul(&f, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, SAY), 1);
    assert_non_null(strstr(message, "overflow"));
    assert_int_not_equal(ridge_op_layernorm(&f, UINT64_MAX, UINT64_MAX, 1, NULL, 0), 0);
}

static void test_refuses_zero(void **state)
{
    (void)state;
    ridge_flops f = {.total = {1, 2}};
    FAILS(ridge_op_matmul(&f, 0, 1, 1, 0, SAY), "matmul wants m: at least 1");
    FAILS(ridge_op_attention(&f, 0, 1, 1, 1, 0, SAY), "attention wants batch: at least 1");
    FAILS(ridge_op_layernorm(&f, 0, 1, 1, SAY), "layernorm wants rows: at least 1");
    assert_true(f.total.lo == 1 && f.total.hi == 2); /* untouched */
    char cut[8];
    assert_int_equal(ridge_op_matmul(&f, 0, 1, 1, 0, cut, sizeof cut), 2);
    assert_string_equal(cut, "matmul ");
}

/* a flag is 0 or 1: 7 was taken for 1 before */
static void test_refuses_flags(void **state)
{
    (void)state;
    ridge_flops f = {.total = {1, 2}};
    ridge_layer_flops layer;
    ridge_model_flops model;
    ridge_layer_shape shape = llama;
    ridge_counter *c;
    shape.gated = -1;
    FAILS(ridge_op_matmul(&f, 1, 1, 1, 7, SAY), "quantised: 7 is neither 0 nor 1");
    FAILS(ridge_op_attention(&f, 1, 1, 1, 1, 2, SAY), "causal: 2 is neither 0 nor 1");
    FAILS(ridge_op_ffn(&f, 1, 1, 1, 1, 1, 256, SAY), "quantised: 256 is neither 0 nor 1");
    FAILS(ridge_op_transformer_layer(&layer, &shape, SAY), "gated: -1 is neither 0 nor 1");
    FAILS(ridge_op_model(&model, &shape, 1, 1, SAY), "gated: -1 is neither 0 nor 1");
    assert_true(f.total.lo == 1 && f.total.hi == 2); /* untouched */
    OK(ridge_counter_new(&c, SAY));
    FAILS(ridge_counter_add_ffn(c, "ffn", 1, 1, 1, 1, 7, 0, SAY), "gated: 7 is neither 0 nor 1");
    assert_int_equal(ridge_counter_layer_count(c), 0);
    ridge_counter_free(c);
}

/* ---- the counter ---- */

static int make(void **state)
{
    ridge_counter *c;
    int code = ridge_counter_new(&c, SAY);
    *state = c;
    return code;
}

static int unmake(void **state)
{
    ridge_counter_free(*state);
    return 0;
}

static void add_some(ridge_counter *c)
{
    OK(ridge_counter_add_embedding(c, "embed", 1, 2048, 4096, SAY));
    OK(ridge_counter_add_transformer_layer(c, "layer", &llama, SAY));
    OK(ridge_counter_add_layernorm(c, "norm", 1, 2048, 4096, SAY));
    OK(ridge_counter_add_matmul(c, "lm_head", 2048, 32000, 4096, 0, SAY));
    OK(ridge_counter_add_attention(c, "extra", 1, 3, 1, 4, 1, SAY));
    OK(ridge_counter_add_ffn(c, "ffn", 1, 2, 3, 5, 1, 1, SAY));
}

static void test_adds_up(void **state)
{
    ridge_counter *c = *state;
    ridge_flops total;
    add_some(c);
    ridge_counter_total(&total, c);
    /* 8388608 + 439021993984 + 41943040 + 536870912000 + 94 + 450 */
    check_count(total.total, "975943238176");
    check_count(total.embedding, "8388608");
    check_count(total.attention, "68719476808"); /* 68719476736 + 72 */
    check_count(total.dequantisation, "180");
    assert_true(ridge_counter_gflops(c) == 975.943238176);
    assert_true(ridge_counter_tflops(c) == 0.975943238176);
    assert_int_equal(ridge_counter_layer_count(c), 6);
}

static void test_layers_in_order(void **state)
{
    static const char *const names[] = {"embed", "layer", "norm", "lm_head", "extra", "ffn"};
    static const char *const kinds[] = {"embedding", "layer", "layernorm", "matmul", "attention", "ffn"};
    ridge_counter *c = *state;
    ridge_layer layers[8];
    uint64_t count;
    add_some(c);
    ridge_counter_layers(layers, 8, &count, c);
    assert_int_equal(count, 6);
    for (uint64_t i = 0; i < 6; i++) {
        assert_string_equal(layers[i].name, names[i]);
        assert_string_equal(layers[i].kind, kinds[i]);
        assert_int_equal(layers[i].index, i);
    }
    assert_string_equal(layers[3].metadata, "{\"m\": 2048, \"n\": 32000, \"k\": 4096, \"quantised\": false}");
    assert_string_equal(layers[1].metadata,
                        "{\"batch\": 1, \"seq_len\": 2048, \"heads\": 32, \"hidden\": 4096, \"intermediate\": 11008, \"causal\": false, "
                        "\"gated\": false, \"quantised\": false, \"projections\": false, \"flops\": {\"attention\": 69390565376, "
                        "\"ffn\": 369547542528, \"layernorm\": 83886080}}");
    ridge_counter_layers(layers, 2, &count, c); /* room for fewer */
    assert_int_equal(count, 6);
    ridge_counter_layers(NULL, 0, &count, c);
    assert_int_equal(count, 6);
}

static void test_get_layer(void **state)
{
    ridge_counter *c = *state;
    ridge_layer layer;
    char name[] = "down";
    OK(ridge_counter_add_matmul(c, name, 2, 3, 5, 0, SAY));
    name[0] = 'X'; /* names are copied */
    OK(ridge_counter_add_matmul(c, "down", 2, 3, 7, 0, SAY));
    OK(ridge_counter_get_layer(&layer, c, "down", SAY));
    assert_int_equal(layer.index, 0); /* the first of that name */
    check_count(layer.flops.total, "60");
    assert_true(layer.percent > 41.66 && layer.percent < 41.67); /* 60 of 144 */
    OK(ridge_counter_layer_at(&layer, c, 1, SAY));
    check_count(layer.flops.total, "84");
    FAILS(ridge_counter_get_layer(&layer, c, "up", SAY), "there is no layer 'up'");
    FAILS(ridge_counter_layer_at(&layer, c, 2, SAY), "there is no layer 2: 2 were added");
}

static void test_add_layer(void **state)
{
    ridge_counter *c = *state;
    ridge_layer layer;
    ridge_flops f = {.matmul = small(10), .activation = small(3), .other = small(1)};
    OK(ridge_counter_add_layer(c, "router", &f, "{\"experts\": 8}", SAY));
    OK(ridge_counter_get_layer(&layer, c, "router", SAY));
    check_count(layer.flops.total, "14"); /* computed */
    assert_string_equal(layer.kind, "custom");
    assert_string_equal(layer.metadata, "{\"experts\": 8}");
    f.total = small(14);
    OK(ridge_counter_add_layer(c, "router", &f, NULL, SAY));
    OK(ridge_counter_layer_at(&layer, c, 1, SAY));
    assert_string_equal(layer.metadata, "{}");
    f.total = small(15);
    FAILS(ridge_counter_add_layer(c, "bad", &f, NULL, SAY), "layer 'bad': total 15 is not the sum of its classes, 14");
    f.total = small(0);
    f.other = (ridge_count){UINT64_MAX, -1};
    FAILS(ridge_counter_add_layer(c, "bad", &f, NULL, SAY), "layer 'bad': a negative number of FLOPs");
    f.other = (ridge_count){UINT64_MAX, INT64_MAX};
    FAILS(ridge_counter_add_layer(c, "bad", &f, NULL, SAY), "layer 'bad': its FLOPs do not fit in 128 bits");
    f = (ridge_flops){.other = {UINT64_MAX, INT64_MAX}};
    FAILS(ridge_counter_add_layer(c, "bad", &f, NULL, SAY), "overflow: with layer 'bad' the total does not fit in 128 bits");
    f = (ridge_flops){.other = {1, 0}};
    FAILS(ridge_counter_add_layer(c, "bad", &f, "[1]", SAY), "metadata is a JSON object, not an array");
    assert_int_not_equal(ridge_counter_add_layer(c, "bad", &f, "{\"a\":", SAY), 0);
    assert_int_equal(ridge_counter_layer_count(c), 2); /* what fails is not added */
    ridge_counter_total(&f, c);
    check_count(f.total, "28");
}

/* what the caller says stands behind the shape, and never in its place */
static void test_metadata(void **state)
{
    ridge_counter *c = *state;
    ridge_layer layer;
    OK(ridge_counter_add_matmul_with(c, "a", 2, 3, 5, 0, "{\"stage\": 1, \"tags\": [\"x}\"]}", SAY));
    OK(ridge_counter_add_layernorm_with(c, "b", 1, 2, 3, " { } ", SAY));
    OK(ridge_counter_add_embedding_with(c, "c", 1, 2, 3, NULL, SAY));
    OK(ridge_counter_add_attention_with(c, "d", 1, 3, 1, 4, 1, "{\"device\": \"g\u00f6\"}", SAY));
    OK(ridge_counter_add_ffn_with(c, "e", 1, 2, 3, 5, 1, 1, "{\"expert\": 7}", SAY));
    OK(ridge_counter_add_transformer_layer_with(c, "f", &llama, "{\"block\": 0}", SAY));
    OK(ridge_counter_get_layer(&layer, c, "a", SAY));
    assert_string_equal(layer.metadata, "{\"m\": 2, \"n\": 3, \"k\": 5, \"quantised\": false, \"stage\": 1, \"tags\": [\"x}\"]}");
    OK(ridge_counter_get_layer(&layer, c, "b", SAY));
    assert_string_equal(layer.metadata, "{\"rows\": 2, \"cols\": 3}");
    OK(ridge_counter_get_layer(&layer, c, "d", SAY));
    assert_non_null(strstr(layer.metadata, ", \"device\": \"g\u00f6\"}"));
    OK(ridge_counter_get_layer(&layer, c, "f", SAY));
    assert_non_null(strstr(layer.metadata, "\"layernorm\": 83886080}, \"block\": 0}"));
    FAILS(ridge_counter_add_matmul_with(c, "bad", 2, 3, 5, 0, "{\"k\": 6}", SAY), "metadata: 'k' is a name of the layer's shape");
    FAILS(ridge_counter_add_matmul_with(c, "bad", 2, 3, 5, 0, "3", SAY), "metadata is a JSON object, not a number");
    assert_int_equal(ridge_counter_layer_count(c), 6);
}

/* 2*2*3*5 = 60, once more for quantised weights; a gated FFN of 1 x 1 x 1 has 6 in products, 8 in the activation, 1 gate product */
static void test_units_of_a_layer(void **state)
{
    ridge_counter *c = *state;
    ridge_layer layer;
    ridge_flops f = {.total = small(0)};
    assert_true(ridge_flops_overhead_percent(&f) == 0);
    OK(ridge_op_matmul(&f, 2, 3, 5, 0, SAY));
    assert_true(ridge_flops_overhead_percent(&f) == 0);
    OK(ridge_op_matmul(&f, 2, 3, 5, 1, SAY));
    assert_true(ridge_flops_overhead_percent(&f) == 100);
    OK(ridge_op_ffn(&f, 1, 1, 1, 1, 1, 1, SAY));
    assert_true(ridge_flops_overhead_percent(&f) == 40); /* 6 of 15 */
    assert_true(ridge_flops_gflops(&f) == 21e-9 && ridge_flops_tflops(&f) == 21e-12);
    OK(ridge_counter_add_matmul(c, "lm_head", 2048, 32000, 4096, 0, SAY));
    OK(ridge_counter_get_layer(&layer, c, "lm_head", SAY));
    assert_true(ridge_layer_gflops(&layer) == 536.870912 && ridge_layer_tflops(&layer) == 0.536870912);
}

static void test_clear(void **state)
{
    ridge_counter *c = *state;
    ridge_flops total;
    add_some(c);
    ridge_counter_clear(c);
    assert_int_equal(ridge_counter_layer_count(c), 0);
    ridge_counter_total(&total, c);
    check_count(total.total, "0");
    add_some(c);
    assert_int_equal(ridge_counter_layer_count(c), 6);
    ridge_counter_free(NULL);
}

static void test_top(void **state)
{
    ridge_counter *c = *state;
    ridge_layer top[8];
    uint64_t count;
    add_some(c);
    OK(ridge_counter_add_layernorm(c, "norm 2", 1, 2048, 4096, SAY));
    OK(ridge_counter_top(top, 8, &count, c, 4, SAY));
    assert_int_equal(count, 4);
    assert_string_equal(top[0].name, "lm_head");
    assert_string_equal(top[1].name, "layer");
    assert_string_equal(top[2].name, "norm"); /* equal ones in the order of adding */
    assert_string_equal(top[3].name, "norm 2");
    assert_true(top[0].percent > 55.00 && top[0].percent < 55.01); /* 536870912000 / 975985181216 = 0.550081 */
    OK(ridge_counter_top(top, 1, &count, c, 0, SAY));
    assert_int_equal(count, 7);
}

static void test_summary(void **state)
{
    ridge_counter *c = *state;
    char text[1024], cut[10];
    size_t length;
    ridge_flops f = {.other = small(250)};
    OK(ridge_counter_add_layer(c, "a", &f, NULL, SAY));
    OK(ridge_counter_add_matmul(c, "größer", 5, 5, 15, 0, SAY)); /* 750 */
    OK(ridge_counter_summary(text, sizeof text, &length, c, 0, SAY));
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "layer   kind    FLOPs      %\n"
                              "größer  matmul    750   75.0\n"
                              "a       custom    250   25.0\n"
                              "total           1,000  100.0\n"
                              "= 1.000 kFLOP in 2 layers\n");
    OK(ridge_counter_summary(text, sizeof text, &length, c, 1, SAY));
    assert_non_null(strstr(text, "other layers  (1)       250   25.0\n"));
    assert_null(strstr(text, "custom"));
    OK(ridge_counter_summary(cut, sizeof cut, &length, c, 1, SAY));
    assert_string_equal(cut, "layer    ");
    assert_int_equal(length, strlen(text));
    OK(ridge_counter_summary(NULL, 0, &length, c, 1, SAY));
    assert_int_equal(length, strlen(text));
    ridge_counter_clear(c);
    OK(ridge_counter_summary(text, sizeof text, &length, c, 0, SAY));
    assert_non_null(strstr(text, "0 layers"));
}

static void test_many_layers(void **state)
{
    ridge_counter *c = *state;
    ridge_flops total;
    char name[32];
    for (int i = 0; i < 2000; i++) {
        (void)snprintf(name, sizeof name, "layers.%d", i);
        OK(ridge_counter_add_transformer_layer(c, name, &llama, SAY));
    }
    ridge_layer layer;
    OK(ridge_counter_get_layer(&layer, c, "layers.1234", SAY));
    assert_int_equal(layer.index, 1234);
    ridge_counter_total(&total, c);
    check_count(total.total, "878043987968000");
}

#define COUNTER_TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_as_text),
        cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_attention_is_halved_when_causal),
        cmocka_unit_test(test_ffn_layernorm_embedding),
        cmocka_unit_test(test_layer_and_model),
        cmocka_unit_test(test_beyond_64_bits),
        cmocka_unit_test(test_refuses_zero),
        cmocka_unit_test(test_refuses_flags),
        COUNTER_TEST(test_adds_up),
        COUNTER_TEST(test_layers_in_order),
        COUNTER_TEST(test_get_layer),
        COUNTER_TEST(test_add_layer),
        COUNTER_TEST(test_metadata),
        COUNTER_TEST(test_units_of_a_layer),
        COUNTER_TEST(test_clear),
        COUNTER_TEST(test_top),
        COUNTER_TEST(test_summary),
        COUNTER_TEST(test_many_layers),
    };
    return RUN_TESTS(tests);
}
