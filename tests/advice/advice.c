/* advice.c - advice, formats per kind of operator. Expected values: arithmetic by hand from the shapes of Llama-2-7B and the published
 * rates of the machines; every gain again by running what it suggests. */
#include "predict/predicting.h"

/* Llama-2-7B: 32 layers of 4 h x h and 3 h x f matrices, h = 4096, f = 11008; lm_head 32000 x h; 65 norms of h */
static const double matrices = 32.0 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008) + 32000.0 * 4096;
static const double h100_bytes_per_s = 3350e9;

/* lives as long as now */
static ridge_advice *advise(const ridge_prediction *now)
{
    ridge_advice *a = ridge_arena_alloc(&now->timed->arena, sizeof *a);
    ridge_err err = {0};
    ridge_status st = ridge_advice_make(a, now, RIDGE_ADVICE_ALL, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    return a;
}

static const ridge_format *format(const char *name)
{
    return ridge_format_find(ridge_str_of(name));
}

/* ---- advice ---- */

static const char *option_of(const ridge_advice_item *item, const char *key)
{
    for (size_t i = 0; i < item->changes.count; i++)
        if (strcmp(item->changes.items[i].option->name, key) == 0)
            return item->changes.items[i].value;
    return NULL;
}

static const ridge_advice_item *item_with(const ridge_advice *a, const char *key, const char *value)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].changes.count == 1 && option_of(&a->items[i], key) && strcmp(option_of(&a->items[i], key), value) == 0)
            return &a->items[i];
    return NULL;
}

/* the item's options give the item's figures, and they differ from what is asked already */
static void assert_item(const ridge_advice_item *item, const ridge_prediction *now)
{
    ridge_predict_request r = now->request;
    ridge_err err = {0};
    assert_int_equal(ridge_changes_apply(&r, &item->changes, &arena, &err), RIDGE_OK);
    ridge_prediction *then = predict(&r);
    const ridge_workload *w = &now->model->workload, *x = &then->model->workload;
    double total = ridge_prediction_total_s(then), was = ridge_prediction_total_s(now);
    double same_tokens = total * (double)w->batch / (double)x->batch;
    assert_close(item->time_s, total, 1e-12);
    assert_close(item->gain_s, was - same_tokens, 1e-9);
    assert_close(item->speedup, was / same_tokens, 1e-9);
    assert_true(item->gain_s > 0);
    assert_true(item->fits == then->fits);
    assert_true((item->of == RIDGE_GAIN_THROUGHPUT) == (x->batch != w->batch));
    assert_true(x->batch != w->batch || x->kernel != w->kernel || x->attention != w->attention || x->lm_head != w->lm_head ||
                x->recompute != w->recompute || x->weights != w->weights || x->activations != w->activations || x->kv != w->kv);
    ridge_prediction_free(then);
}

static void check_advice(ridge_predict_request r, size_t least)
{
    ridge_prediction *now = predict(&r);
    ridge_advice *a = advise(now);
    assert_true(a->count >= least);
    for (size_t i = 0; i < a->count; i++) {
        assert_item(&a->items[i], now);
        assert_true(i == 0 || a->items[i - 1].gain_s >= a->items[i].gain_s);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(a->items[i].action, a->items[k].action);
    }
    ridge_prediction_free(now);
}

static void test_advice_is_true(void **state)
{
    (void)state;
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_DECODE);
    check_advice(r, 5);
    r.model.kernel = RIDGE_KERNEL_EAGER;
    check_advice(r, 5);
    r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_PREFILL);
    r.model.attention = RIDGE_PAIRS_FULL;
    r.model.lm_head = RIDGE_HEAD_ALL;
    check_advice(r, 3);
    r.method = RIDGE_METHOD_ESTIMATE;
    check_advice(r, 3);
    r = request_of(LLAMA, "b200-sxm", RIDGE_PHASE_PREFILL);
    check_advice(r, 2);
    r = request_of(LLAMA, "a100-sxm-80", RIDGE_PHASE_PREFILL);
    r.prompt = 512;
    r.generate = 64;
    check_advice(r, 4);
    r = request_of(LLAMA, "h200-sxm-141", RIDGE_PHASE_TRAIN);
    r.model.seq = 256;
    r.model.recompute = RIDGE_RECOMPUTE_FULL;
    check_advice(r, 2);
    check_advice(request_of("EleutherAI/gpt-neox-20b", "rtx-4090", RIDGE_PHASE_DECODE), 3);
    check_advice(request_of("deepseek-ai/DeepSeek-V3", "mi300x", RIDGE_PHASE_DECODE), 2);
}

/* the gains that arithmetic gives */
static void test_gains_by_hand(void **state)
{
    (void)state;
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_DECODE);
    ridge_prediction *now = predict(&r);
    ridge_advice *a = advise(now);
    const ridge_advice_item *fp8 = item_with(a, "weights", "fp8_e4m3"), *q4 = item_with(a, "weights", "q4_K"),
                            *kv = item_with(a, "kv", "fp8_e4m3");
    assert_non_null(fp8);
    assert_non_null(q4);
    assert_non_null(kv);
    assert_close(fp8->gain_s, 13.21e9 / 2 / 3.35e12, 1e-3);
    /* 4.5 bits instead of 16; 144 bytes for every 256 elements of a row */
    assert_close(q4->gain_s, matrices * (16 - 4.5) / 8 / h100_bytes_per_s, 1e-3);
    assert_close(kv->gain_s, 0.5 * 1.074e9 / 3.35e12, 2e-3);
    assert_true(fp8->lossy && q4->lossy && kv->lossy);
    assert_null(item_with(a, "weights", "nvfp4")); /* Hopper has no FP4 */
    ridge_prediction_free(now);
}

/* nothing is faster than what is asked already; what a machine cannot do is not there */
static void test_no_advice_repeats(void **state)
{
    (void)state;
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_DECODE);
    r.model.weights = format("q4_K");
    r.model.kv = format("fp8_e4m3");
    ridge_prediction *now = predict(&r);
    ridge_advice *a = advise(now);
    for (size_t i = 0; i < a->count; i++) {
        assert_null(option_of(&a->items[i], "weights"));
        assert_null(option_of(&a->items[i], "kv"));
        assert_null(option_of(&a->items[i], "kernel"));
        assert_null(option_of(&a->items[i], "attention"));
    }
    ridge_prediction_free(now);
}

static const ridge_advice_item *batch_item(const ridge_advice *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].of == RIDGE_GAIN_THROUGHPUT)
            return &a->items[i];
    return NULL;
}

/* seconds the matrix products with weights wait for memory longer than they compute, of a decode step */
static double waits(int64_t batch)
{
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_DECODE);
    r.model.batch = batch;
    r.model.past = 64;
    ridge_prediction *p = predict(&r);
    double sum = 0;
    for (size_t i = 0; i < p->timed->rows.n; i++) {
        ridge_str path = p->rows[i].row->path;
        if (p->rows[i].row->leaf && (ridge_str_ends(path, RIDGE_STR("_proj")) || ridge_str_ends(path, RIDGE_STR("lm_head"))))
            sum += p->rows[i].memory_s - p->rows[i].compute_s;
    }
    ridge_prediction_free(p);
    return sum;
}

/* the batch at the ridge is the first at which the matrix products do not wait; where it does not fit, the most that does is named */
static void test_batch(void **state)
{
    (void)state;
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_DECODE);
    r.model.past = 64;
    ridge_prediction *now = predict(&r);
    ridge_advice *a = advise(now);
    const ridge_advice_item *item = batch_item(a);
    assert_non_null(item);
    int64_t batch = strtoll(option_of(item, "batch"), NULL, 10);
    /* weights alone: 989.5e12 / 3.35e12 = 295.4 FLOP/byte, one token being 2 FLOP for every 2 bytes; its activations add bytes */
    assert_true(batch > 295 && batch < 400);
    assert_true(waits(batch) <= 0 && waits(batch - 1) > 0);
    ridge_prediction_free(now);

    r.model.past = 4000; /* 2.1 GB of cache a sequence, 72 GB of room */
    now = predict(&r);
    a = advise(now);
    item = batch_item(a);
    assert_non_null(item);
    assert_true(item->fits);
    batch = strtoll(option_of(item, "batch"), NULL, 10);
    const double sequence = 32 * 2 * 4096.0 * 2 * 4001;
    assert_int_equal(batch, (int64_t)((80 * 1073741824.0 - 13476831232.0) / sequence)); /* activations: far less than a sequence */
    ridge_prediction_free(now);
}

/* one sequence of 16384 tokens fits beside the weights, a second does not; in 4.5 and 8 bits five do */
static void test_batch_does_not_fit(void **state)
{
    (void)state;
    const double capacity = 24 * 1073741824.0, sequence = 32 * 2 * 4096.0 * 16384, parameters = 6738415616.0;
    ridge_predict_request r = request_of(LLAMA, "rtx-4090", RIDGE_PHASE_DECODE);
    char wanted[64];
    r.model.past = 16383;
    ridge_prediction *now = predict(&r);
    ridge_advice *a = advise(now);
    const ridge_advice_item *item = batch_item(a);
    assert_true(now->fits && item && !item->fits);
    assert_non_null(strstr(item->why, "a larger batch does not fit: the most is 1;"));
    (void)snprintf(wanted, sizeof wanted, "weights=q4_K, kv=fp8_e4m3 up to batch %d", (int)((capacity - parameters * 4.5 / 8) / sequence));
    assert_string_equal(item->to_fit, wanted);
    ridge_prediction_free(now);
}

/* what does not fit says so, and says what would: 20.55e9 parameters and 2048 tokens of cache in the 25.77e9 bytes of an RTX 4090 */
static void test_fits(void **state)
{
    (void)state;
    const double cache = 44 * 2 * 6144.0 * 2 * 2048; /* 2.2e9 in fp16 */
    ridge_predict_request r = request_of("EleutherAI/gpt-neox-20b", "rtx-4090", RIDGE_PHASE_DECODE);
    ridge_prediction *now = predict(&r);
    ridge_advice *a = advise(now);
    const ridge_advice_item *q4 = item_with(a, "weights", "q4_K"), *fp8 = item_with(a, "weights", "fp8_e4m3"),
                            *kv = item_with(a, "kv", "fp8_e4m3");
    assert_false(now->fits);
    assert_true(q4 && fp8 && kv);
    assert_true(q4->fits && !q4->to_fit);   /* 11.6e9 + 2.2e9 */
    assert_true(fp8->fits && !fp8->to_fit); /* 20.6e9 + 2.2e9 */
    assert_false(kv->fits);                 /* 41.1e9 + 1.1e9 */
    assert_string_equal(kv->to_fit, "weights=fp8_e4m3");
    assert_close((double)kv->memory_bytes, 20554567680.0 * 2 + cache / 2, 2e-3);
    assert_null(batch_item(a));
    ridge_prediction_free(now);
    r = request_of("meta-llama/Llama-3.1-405B", "h100-sxm-80", RIDGE_PHASE_DECODE);
    now = predict(&r);
    a = advise(now);
    q4 = item_with(a, "weights", "q4_K");
    assert_true(q4 && !q4->fits);
    assert_string_equal(q4->to_fit, "3 devices sharing it"); /* 405.85e9 * 4.5 / 8 = 228.3e9 of 85.9e9 each */
    ridge_prediction_free(now);
}

/* ---- formats per kind ---- */

static const ridge_precision_choice *choice(const ridge_precision_advice *a, ridge_situation s, ridge_precision_kind kind)
{
    const ridge_precision_choice *found = a->tables[s].of_kind[kind];
    if (!found || found->kind != kind || found->situation != s)
        fail_msg("no %s in %s", ridge_operator_names[kind], ridge_situation_names[s]);
    return found;
}

static ridge_precision_advice *recommend(ridge_predict_request *r, ridge_prediction **now)
{
    ridge_err err = {0};
    *now = predict(r);
    ridge_precision_advice *a = ridge_arena_alloc(&(*now)->timed->arena, sizeof *a);
    ridge_status st = ridge_precision_advice_make(a, *now, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    return a;
}

static const char *weights_chosen(const ridge_precision_advice *a, ridge_situation s, ridge_precision_kind kind, bool uniform)
{
    const ridge_precision_trial *t = &a->trials[choice(a, s, kind)->best];
    return t->uniform == uniform ? t->formats.weights->name : "";
}

static void test_precision(void **state)
{
    (void)state;
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_DECODE);
    ridge_prediction *now;
    ridge_precision_advice *a = recommend(&r, &now);
    /* decode waits for memory: the fewest bits; prefill computes: the narrowest rate of the chip */
    for (int kind = RIDGE_OPERATOR_ATTENTION_PROJECTIONS; kind <= RIDGE_OPERATOR_MLP; kind++) {
        assert_string_equal(weights_chosen(a, RIDGE_SITUATION_DECODE, (ridge_precision_kind)kind, false), "q4_K");
        assert_string_equal(weights_chosen(a, RIDGE_SITUATION_LONG_CONTEXT, (ridge_precision_kind)kind, false), "q4_K");
        assert_string_equal(weights_chosen(a, RIDGE_SITUATION_PREFILL, (ridge_precision_kind)kind, true), "fp8_e4m3");
    }
    assert_string_equal(choice(a, RIDGE_SITUATION_LONG_CONTEXT, RIDGE_OPERATOR_ATTENTION)->formats.kv->name, "fp8_e4m3");
    assert_int_equal(a->tables[RIDGE_SITUATION_LONG_CONTEXT].past, 4095);
    assert_int_equal(choice(a, RIDGE_SITUATION_DECODE, RIDGE_OPERATOR_NORMS)->best, 0); /* 0.02 % of the time */
    /* by hand: the matrices of the MLP, in 16 bits; and their x and y of one token */
    assert_close(choice(a, RIDGE_SITUATION_DECODE, RIDGE_OPERATOR_MLP)->now_s, 32 * 3 * 4096.0 * 11008 * 2 / h100_bytes_per_s, 1e-3);
    for (int s = 0; s < RIDGE_SITUATION_COUNT; s++) {
        double sum = 0;
        for (size_t i = 0; i < a->tables[s].count; i++)
            sum += a->tables[s].choices[i].now_s;
        assert_close(sum, a->tables[s].now_s, 1e-12);
        assert_true(a->tables[s].time_s < a->tables[s].now_s);
    }
    ridge_prediction_free(now);
}

/* a chip without fp8 takes int8; one with FP4 takes that; experts are a kind; an encoder does not decode */
static void test_precision_elsewhere(void **state)
{
    (void)state;
    ridge_predict_request r = request_of(LLAMA, "a100-sxm-80", RIDGE_PHASE_PREFILL);
    ridge_prediction *now;
    ridge_precision_advice *a = recommend(&r, &now);
    assert_string_equal(weights_chosen(a, RIDGE_SITUATION_PREFILL, RIDGE_OPERATOR_MLP, true), "int8");
    ridge_prediction_free(now);
    r = request_of("google-bert/bert-base-uncased", "h100-sxm-80", RIDGE_PHASE_PREFILL);
    a = recommend(&r, &now);
    assert_string_equal(a->tables[RIDGE_SITUATION_DECODE].absent, "the model keeps nothing from step to step");
    assert_null(a->tables[RIDGE_SITUATION_PREFILL].absent);
    ridge_prediction_free(now);
    r = request_of("deepseek-ai/DeepSeek-V3", "b200-sxm", RIDGE_PHASE_DECODE);
    a = recommend(&r, &now);
    assert_string_equal(weights_chosen(a, RIDGE_SITUATION_DECODE, RIDGE_OPERATOR_EXPERTS, false), "mxfp4"); /* 4.25 bits, q4_K 4.5 */
    ridge_prediction_free(now);
}

static void test_advice_outputs(void **state)
{
    (void)state;
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_PREFILL);
    r.model.kernel = RIDGE_KERNEL_EAGER;
    ridge_predict_answer now;
    answer(&now, &r, (ridge_advice_request){.advice = RIDGE_ADVICE_ALL}, RIDGE_FORM_JSON);
    const ridge_advice *a = advise(now.prediction);
    ridge_buf out = {0};
    const ridge_json *items = member(json_of(&now, &out), "advice");
    ridge_buf text = table_of(&now, RIDGE_FORM_TEXT), csv = table_of(&now, RIDGE_FORM_CSV);
    assert_int_equal(items->count, a->count);
    for (size_t i = 0; i < a->count; i++) {
        char sentence[256];
        assert_true(number_of(&items->u.items[i], "gain_s") == a->items[i].gain_s);
        assert_true(number_of(&items->u.items[i], "time_s") == a->items[i].time_s);
        if (!strchr(a->items[i].action, ',')) {
            assert_string_equal(field(&csv, i + 1, 0), a->items[i].action);
            assert_true(strtod(field(&csv, i + 1, 1), NULL) == a->items[i].gain_s);
        }
        (void)snprintf(sentence, sizeof sentence, "%zu. %.20s", i + 1, a->items[i].action);
        assert_non_null(strstr(text.p, sentence));
    }
    ridge_buf_free(&csv);
    ridge_buf_free(&text);
    ridge_buf_free(&out);
    ridge_predict_answer_free(&now);
}

/* what each form shows of the advice where no number is given; CSV has one table */
static void test_what_forms_show(void **state)
{
    (void)state;
    static const struct {
        ridge_form form;
        ridge_advice_request asked;
        int64_t items; /* negative: refused */
    } cases[] = {
        {RIDGE_FORM_TEXT, {.advice = RIDGE_ADVICE_USUAL}, 5},
        {RIDGE_FORM_TEXT, {.advice = RIDGE_ADVICE_USUAL, .recommend = true}, 0},
        {RIDGE_FORM_TEXT, {.advice = 7, .against = {.count = 1}}, 0},
        {RIDGE_FORM_JSON, {.advice = RIDGE_ADVICE_USUAL, .recommend = true}, RIDGE_ADVICE_ALL},
        {RIDGE_FORM_JSON, {.advice = 0}, 0},
        {RIDGE_FORM_MARKDOWN, {.advice = RIDGE_ADVICE_USUAL}, 0},
        {RIDGE_FORM_MARKDOWN, {.advice = 3, .recommend = true}, 3},
        {RIDGE_FORM_CSV, {.advice = RIDGE_ADVICE_USUAL, .recommend = true}, 0},
        {RIDGE_FORM_CSV, {.advice = 0, .against = {.count = 1}}, 0},
        {RIDGE_FORM_CSV, {.advice = 3, .recommend = true}, -1},
        {RIDGE_FORM_CSV, {.advice = RIDGE_ADVICE_USUAL, .against = {.count = 1}, .recommend = true}, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_advice_request asked = cases[i].asked;
        ridge_err err = {0};
        assert_int_equal(ridge_advice_request_check(&asked, cases[i].form, &err), cases[i].items < 0 ? RIDGE_USAGE : RIDGE_OK);
        assert_true(cases[i].items < 0 || asked.advice == cases[i].items);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_advice_is_true),  cmocka_unit_test(test_gains_by_hand),       cmocka_unit_test(test_no_advice_repeats),
        cmocka_unit_test(test_batch),           cmocka_unit_test(test_batch_does_not_fit),  cmocka_unit_test(test_fits),
        cmocka_unit_test(test_precision),       cmocka_unit_test(test_precision_elsewhere), cmocka_unit_test(test_advice_outputs),
        cmocka_unit_test(test_what_forms_show),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, open_all, close_all);
}
