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
    assert_string_equal(ridge_session_error(session),
                        "context: unknown word 'speed'; it takes flops, reads, writes, intermediates or params");
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
    assert_string_equal(ridge_session_error(session), "phase: unknown word 'sleep'; it takes prefill, decode or train");
    assert_int_equal(ridge_model_cost(session, &t, "gpt2", number, 1), 2);
    assert_string_equal(ridge_session_error(session), "batch: 'many' is not an integer (write 1000 or 1k, 1024 or 1Ki)");
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

/* FACTS: GEMV of 4096 x 4096 in fp16 moves 2 x (4096^2 + 2 x 4096) bytes; H100 SXM reads 3.35e12 a second */
static void test_operator_and_machine(void **state)
{
    (void)state;
    const char *options[] = {"n=4096", "k=4096", "dtype=fp16", "on=h100-sxm-80"}, *typo[] = {"n=4096", "kk=4096"};
    char *op = ridge_op_json_text(session, "gemv", options, 4), *machine = ridge_machine_json_text(session, "h100-sxm-80");
    assert_non_null(op);
    assert_non_null(machine);
    assert_non_null(strstr(op, "\"total\": 33570816"));
    assert_non_null(strstr(op, "\"bound\": \"memory\""));
    assert_non_null(strstr(machine, "\"bytes_per_s\": 3350000000000"));
    ridge_free(op);
    ridge_free(machine);
    assert_null(ridge_op_json_text(session, "gemv", typo, 2));
    assert_string_not_equal(ridge_session_error(session), "");
    assert_null(ridge_machine_json_text(session, "h100"));
    assert_non_null(strstr(ridge_session_error(session), "did you mean 'h100-"));
}

typedef struct swept {
    size_t rows, most;
    double time_s;
    bool ordered;
} swept;

static int take_row(void *data, const ridge_sweep_row *row)
{
    swept *s = data;
    static const int64_t batches[] = {1, 2, 4, 8};
    s->ordered = s->ordered && row->batch == batches[s->rows / 2 % 4] && row->seq == (s->rows % 2 ? 256 : 128);
    if (row->batch == 4 && row->seq == 256 && strcmp(row->weights, "q8_0") == 0)
        s->time_s = row->time_s;
    return ++s->rows == s->most;
}

/* a point of a sweep is the prediction of the same options; rows come in order; the function ends it */
static void test_sweep(void **state)
{
    (void)state;
    const char *grid[] = {"on=l4", "batch=1:8:*2", "seq=128,256", "weights=fp16,q8_0"};
    const char *one[] = {"on=l4", "batch=4", "seq=256", "weights=q8_0"};
    swept all = {.ordered = true}, some = {.most = 5, .ordered = true};
    ridge_predict_totals p;
    assert_int_equal(ridge_model_sweep(session, "gpt2", grid, 4, take_row, &all), 0);
    assert_int_equal(all.rows, 16);
    assert_true(all.ordered);
    assert_int_equal(ridge_model_predict(session, &p, "gpt2", one, 4), 0);
    assert_true(p.time_s > 0 && all.time_s > p.time_s * (1 - 1e-9) && all.time_s < p.time_s * (1 + 1e-9));
    assert_int_equal(ridge_model_sweep(session, "gpt2", grid, 4, take_row, &some), 0);
    assert_int_equal(some.rows, 5);
    grid[1] = "batch=8:1:*2";
    assert_int_equal(ridge_model_sweep(session, "gpt2", grid, 4, take_row, &some), 2);
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
        cmocka_unit_test(test_operator_and_machine),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_a_session_that_could_not_open),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, open_session, close_session);
}
