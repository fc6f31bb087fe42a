/* The public interface. Expected values: FACTS, PyTorch (the recorded runs of Llama-2-7B and GPT-2), arithmetic by hand. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "ridge.h"

static ridge_session *session;

static int open_session(void **state)
{
    (void)state;
    setenv("XDG_DATA_HOME", "/nonexistent", 1);
    session = ridge_session_open(NULL, 0);
    return session == NULL;
}

static int close_session(void **state)
{
    (void)state;
    ridge_session_close(session);
    return 0;
}

static void assert_count(ridge_count count, const char *expected)
{
    char text[48];
    (void)ridge_count_text(count, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_compute_flops(void **state)
{
    (void)state;
    const char *linear[] = {"2048", "4096", "4096"}, *named[] = {"rows=2048", "in_features=4096", "out_features=11008"};
    ridge_count n;
    assert_int_equal(ridge_compute_flops(session, &n, "torch.nn.Linear", linear, 3), 0);
    assert_count(n, "68719476736");
    assert_int_equal(ridge_compute_flops(session, &n, "torch__nn__Linear", named, 3), 0);
    assert_count(n, "184683593728");
    assert_int_equal(ridge_compute_flops(session, &n, "ridge.examples.TransformerBlock", NULL, 0), 0);
    assert_count(n, "678711263232");
}

static void test_compute_contexts(void **state)
{
    (void)state;
    const char *linear[] = {"10", "20", "30", "True"};
    ridge_count n;
    assert_int_equal(ridge_compute(session, &n, "params", "torch.nn.Linear", linear, 4), 0);
    assert_count(n, "630"); /* 20 x 30 + 30 */
    assert_int_equal(ridge_compute(session, &n, "reads", "torch.nn.Linear", linear, 4), 0);
    assert_count(n, "830"); /* weights and 10 x 20 */
    assert_int_equal(ridge_compute(session, &n, "writes", "torch.nn.Linear", linear, 4), 0);
    assert_count(n, "300");
    assert_int_equal(ridge_compute(session, &n, "speed", "torch.nn.Linear", linear, 4), 2);
    assert_non_null(strstr(ridge_session_error(session), "unknown context 'speed'"));
}

static void test_beyond_64_bits(void **state)
{
    (void)state;
    const char *huge[] = {"15000000000000", "405000000000", "3"}; /* 6 N D of Llama-3-405B on 15e12 tokens = 3.645e25 */
    ridge_count n;
    assert_int_equal(ridge_compute_flops(session, &n, "torch.nn.Linear", huge, 3), 0);
    assert_count(n, "36450000000000000000000000");
    const char *too_large[] = {"100000000000000000000", "100000000000000000000", "1"};
    assert_int_equal(ridge_compute_flops(session, &n, "torch.nn.Linear", too_large, 3), 1);
    assert_non_null(strstr(ridge_session_error(session), "overflow"));
}

static void test_model_cost(void **state)
{
    (void)state;
    const char *options[] = {"batch=8", "phase=decode", "past=1024", "weights=fp16", "activations=fp16"};
    ridge_cost_totals t;
    assert_int_equal(ridge_model_cost(session, &t, "meta-llama/Llama-2-7b-hf", options, 5), 0);
    assert_count(t.parameters, "6738415616");
    assert_count(t.parameters_embedding, "131072000");
    assert_count(t.memory.weights, "13476831232");
    assert_count(t.memory.kv_cache, "4299161600"); /* 2 x 32 layers x 8 x 32 heads x 1025 x 128 x 2 bytes */
    assert_count(t.memory.gradients, "0");
}

static void test_training_memory_is_16_bytes_a_parameter(void **state)
{
    (void)state;
    const char *options[] = {"phase=train", "seq=128"};
    ridge_cost_totals t;
    assert_int_equal(ridge_model_cost(session, &t, "meta-llama/Llama-2-7b-hf", options, 2), 0);
    assert_count(t.memory.weights, "13476831232");
    assert_count(t.memory.gradients, "13476831232");
    assert_count(t.memory.optimizer, "80860987392"); /* master copy 4 and moments 8 (Rajbhandari 2020) */
}

static void test_config_in_memory(void **state)
{
    (void)state;
    static const char config[] = "{\"model_type\": \"gpt2\", \"architectures\": [\"GPT2LMHeadModel\"]}"; /* the class defaults are GPT-2 */
    ridge_cost_totals t;
    assert_int_equal(ridge_config_cost(session, &t, "mine", config, sizeof config - 1, NULL, 0), 0);
    assert_count(t.parameters, "124439808");
    assert_count(t.flops.torch, "291648307200"); /* PyTorch, 1024 positions */
    static const char broken[] = "{\"model_type\": \"gpt2\", \"n_head\": 5}";
    assert_int_equal(ridge_config_cost(session, &t, "mine", broken, sizeof broken - 1, NULL, 0), 1);
    assert_non_null(strstr(ridge_session_error(session), "mine:1:"));
}

static void test_options_are_checked(void **state)
{
    (void)state;
    const char *typo[] = {"bach=8"}, *word[] = {"phase=sleep"}, *number[] = {"batch=many"}, *shape[] = {"batch"};
    ridge_cost_totals t;
    assert_int_equal(ridge_model_cost(session, &t, "gpt2", typo, 1), 2);
    assert_string_equal(ridge_session_error(session), "unknown option 'bach'; did you mean 'batch'?");
    assert_int_equal(ridge_model_cost(session, &t, "gpt2", word, 1), 2);
    assert_string_equal(ridge_session_error(session), "phase=sleep: want prefill, decode, train");
    assert_int_equal(ridge_model_cost(session, &t, "gpt2", number, 1), 2);
    assert_string_equal(ridge_session_error(session), "batch=many: want an integer");
    assert_int_equal(ridge_model_cost(session, &t, "gpt2", shape, 1), 2);
    assert_int_equal(ridge_model_cost(session, &t, "no/such", NULL, 0), 1);
    assert_int_equal(ridge_model_cost(session, &t, "gpt2", NULL, 0), 0);
    assert_string_equal(ridge_session_error(session), "");
}

static void test_json(void **state)
{
    (void)state;
    const char *all[] = {"all=true", "seq=128"};
    char *cost = ridge_model_cost_json(session, "gpt2", all, 2), *inspect = ridge_model_inspect_json(session, "gpt2", NULL, 0);
    assert_non_null(cost);
    assert_non_null(inspect);
    assert_non_null(strstr(cost, "\"torch\": 32228179968")); /* PyTorch, 128 positions */
    assert_non_null(strstr(cost, "\"path\": \"transformer.h.11.mlp.c_proj\""));
    assert_non_null(strstr(inspect, "\"tied_to\": \"transformer.wte.weight\""));
    ridge_free(cost);
    ridge_free(inspect);
    assert_null(ridge_model_cost_json(session, "no/such", NULL, 0));
}

static void test_a_session_that_could_not_open(void **state)
{
    (void)state;
    const char *catalogs[] = {"/no/such/catalog.json"};
    ridge_session *s = ridge_session_open(catalogs, 1);
    ridge_count n;
    assert_non_null(s);
    assert_non_null(strstr(ridge_session_error(s), "/no/such/catalog.json"));
    assert_int_equal(ridge_compute_flops(s, &n, "torch.nn.Linear", NULL, 0), 1);
    assert_non_null(strstr(ridge_session_error(s), "/no/such/catalog.json"));
    ridge_session_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compute_flops),
        cmocka_unit_test(test_compute_contexts),
        cmocka_unit_test(test_beyond_64_bits),
        cmocka_unit_test(test_model_cost),
        cmocka_unit_test(test_training_memory_is_16_bytes_a_parameter),
        cmocka_unit_test(test_config_in_memory),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_a_session_that_could_not_open),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, open_session, close_session);
}
