/* fit.c - what fits a device's memory. Expected values: arithmetic by hand from the models' shapes, written out below; the largest that
 * fits is checked by asking for one more. */
#include "predict/on_h100.h"

static ridge_int total_with(ridge_predict_request r, int64_t batch, int64_t context)
{
    ridge_memory m;
    ridge_err err = {0};
    if (batch)
        r.model.batch = batch;
    if (context && r.model.phase == RIDGE_PHASE_DECODE)
        r.model.past = context - 1;
    else if (context)
        r.model.seq = context;
    ridge_status st = ridge_parallel_memory(&m, registry, &r.model, &r.parallel, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    return m.total;
}

static void assert_largest(ridge_predict_request *r, ridge_int bytes)
{
    const int64_t unit = ridge_parallel_replicas(&r->parallel) * r->parallel.microbatches;
    ridge_err err = {0};
    ridge_fit fit;
    assert_int_equal(ridge_fit_find(&fit, registry, &r->model, &r->parallel, bytes, &err), RIDGE_OK);
    assert_true(fit.max_batch > 0);
    assert_true(total_with(*r, fit.max_batch, 0) <= bytes);
    assert_true(total_with(*r, fit.max_batch + unit, 0) > bytes);
    if (fit.max_context < 0)
        return;
    assert_true(total_with(*r, 0, fit.max_context) <= bytes);
    if (!fit.ends)
        assert_true(total_with(*r, 0, fit.max_context + 1) > bytes);
}

static void largest(void **state)
{
    static const char *const models[] = {LLAMA,
                                         LLAMA_3,
                                         MIXTRAL,
                                         "google/gemma-2-2b",
                                         "mistralai/Mistral-7B-v0.1",
                                         "google-t5/t5-small",
                                         "openai-community/gpt2",
                                         "state-spaces/mamba-130m-hf",
                                         "microsoft/resnet-50"};
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int phase = RIDGE_PHASE_PREFILL; phase <= RIDGE_PHASE_TRAIN; phase++) {
            bool decodes = i < 8, large = strcmp(models[i], MIXTRAL) == 0 || phase == RIDGE_PHASE_TRAIN;
            if (phase == RIDGE_PHASE_DECODE && !decodes)
                continue;
            ridge_predict_request r = on_h100(models[i], (ridge_phase)phase, RIDGE_UNSET);
            assert_largest(&r, (ridge_int)(large ? 900 : 80) * 1000000000 + 12345);
        }
    ridge_predict_request r = on_h100(MIXTRAL, RIDGE_PHASE_DECODE, 8);
    r.parallel.expert = 4;
    r.parallel.tensor = 2;
    assert_largest(&r, (ridge_int)80 * 1000000000);
}

/* Llama-2-7B in fp16: 2 bytes of 6,738,415,616 parameters, 524,288 a token of the cache */
static void llama_by_hand(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(LLAMA, RIDGE_PHASE_DECODE, 1);
    ridge_prediction *p = predict(&r);
    ridge_err err = {0};
    assert_int_equal(ridge_prediction_fit(p, registry, &err), RIDGE_OK);
    const double capacity = (double)p->capacity_bytes, weights = 2 * 6738415616.0, each = 524288;
    /* activations of one token are under 200 kB a sequence */
    assert_in_range(p->fit.max_batch, (int64_t)((capacity - weights) / (2048 * each + 2e5)),
                    (int64_t)((capacity - weights) / (2048 * each)));
    assert_in_range(p->fit.max_context, (int64_t)((capacity - weights - 2e5) / each), (int64_t)((capacity - weights) / each));
    assert_int_equal(p->fit.model_context, 4096);
    ridge_prediction_free(p);
    /* a reserve that leaves less than the weights */
    r.reserve.percent = 90;
    p = predict(&r);
    assert_int_equal(ridge_prediction_fit(p, registry, &err), RIDGE_OK);
    assert_false(p->fits);
    assert_int_equal(p->fit.max_batch, 0);
    assert_int_equal(p->fit.max_context, 0);
    ridge_prediction_free(p);
}

static void position_tables_end(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100("openai-community/gpt2", RIDGE_PHASE_DECODE, 1);
    ridge_fit fit;
    ridge_err err = {0};
    assert_int_equal(ridge_fit_find(&fit, registry, &r.model, &r.parallel, (ridge_int)80 * 1000000000, &err), RIDGE_OK);
    assert_int_equal(fit.max_context, 1024);
    assert_true(fit.ends);
}

/* the cache at the last token: 100 of the prompt and 28 of 29 generated are in it; the last one is not read again */
static void request_end(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(LLAMA, RIDGE_PHASE_PREFILL, 2), last;
    ridge_err err = {0};
    r.model.seq = r.prompt = 100;
    r.generate = 29;
    r.parallel.tensor = 2;
    ridge_prediction *p = predict(&r);
    assert_bytes(p->generation.kv_bytes, 2 * 128LL * 524288 / 2);
    assert_int_equal(ridge_prediction_fit(p, registry, &err), RIDGE_OK);
    last = on_h100(LLAMA, RIDGE_PHASE_DECODE, 1);
    last.parallel.tensor = 2;
    assert_true(total_with(last, p->generation.max_batch, 128) <= p->capacity_bytes);
    assert_true(total_with(last, p->generation.max_batch + 1, 128) > p->capacity_bytes);
    /* the steps are those of single predictions */
    double steps = 0;
    for (int i = 0; i < 28; i++) {
        ridge_predict_request step = last;
        step.model.batch = 2;
        step.model.past = 100 + i;
        ridge_prediction *one = predict(&step);
        steps += one->time_s;
        ridge_prediction_free(one);
    }
    assert_true(near(p->generation.generation_s, steps));
    ridge_prediction_free(p);
}

static void reserves(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
        double percent;
    } good[] = {{"2GB", 2000000000, 0}, {"1.5GiB", 1610612736, 0}, {"10%", 0, 10}, {"123", 123, 0}, {"0", 0, 0}, {"7kB", 7000, 0}, {"2 GB", 2000000000, 0}};
    static const char *const bad[] = {"", "GB", "-1GB", "101%", "2Gb", "nan", "1e30GB", "10%%"};
    const ridge_option *option = ridge_option_named(ridge_options_reserve, "reserve");
    ridge_reserve r;
    ridge_err err = {0};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(ridge_reserve_read(&r, option, good[i].text, &arena, &err), RIDGE_OK);
        assert_int_equal(r.bytes, good[i].bytes);
        assert_true(near(r.percent + 1, good[i].percent + 1));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ridge_err_clear(&err);
        assert_int_equal(ridge_reserve_read(&r, option, bad[i], &arena, &err), RIDGE_USAGE);
    }
    assert_true(ridge_reserve_left(&(ridge_reserve){0, 10}, 1000) == 900);
    assert_true(ridge_reserve_left(&(ridge_reserve){2000, 0}, 1000) == 0);
    assert_true(ridge_reserve_left(&(ridge_reserve){2000, 0}, -1) == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest),     cmocka_unit_test(llama_by_hand), cmocka_unit_test(position_tables_end),
        cmocka_unit_test(request_end), cmocka_unit_test(reserves),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
