/* parallel_model.c - a model on several devices: memory of each, messages between them. Expected values: arithmetic by hand from the
 * models' shapes, written out below. */
#include <sys/stat.h>

#include "predict/on_h100.h"

static const ridge_predicted_row *row_at(const ridge_prediction *p, const char *path)
{
    for (size_t i = 0; i < p->timed->rows.n; i++)
        if (ridge_str_is(p->rows[i].row->path, path))
            return &p->rows[i];
    fail_msg("no row '%s'", path);
    return NULL;
}

/* every parent is the sum of its leaves, the model the sum of all, messages too */
static void assert_sums(const ridge_prediction *p)
{
    double time = 0, link = 0;
    for (size_t i = 0; i < p->timed->rows.n; i++)
        if (p->rows[i].row->leaf) {
            time += p->rows[i].time_s;
            link += p->rows[i].link_s;
        }
    assert_true(near(time, p->time_s));
    assert_true(fabs(link - p->link_s) <= 1e-9 * p->time_s);
}

static void assert_usage(const ridge_predict_request *r, const char *what)
{
    ridge_prediction *p;
    ridge_err err = {0};
    assert_int_not_equal(ridge_prediction_make(&p, registry, machines, r, &err), RIDGE_OK);
    if (!strstr(message_of(&err), what))
        fail_msg("'%s' is not in '%s'", what, message_of(&err));
    ridge_prediction_free(p);
}

/* ---- tensor parallel ---- */

static void llama_on_two(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(LLAMA, RIDGE_PHASE_DECODE, 1);
    r.parallel.tensor = 2;
    ridge_prediction *p = predict(&r);
    /* half of: tables 2 x 32000 x 4096; a layer's 4 h h + 3 h f; whole: 2 norms of h a layer, one at the end */
    const int64_t parameters = 2 * 32000LL * 4096 / 2 + 32 * ((4 * 4096LL * 4096 + 3 * 4096LL * 11008) / 2 + 2 * 4096) + 4096;
    assert_bytes(p->model->memory.weights, parameters * 2);
    assert_bytes(p->model->memory.kv_cache, 2048LL * 2 * 32 * 4096 * 2 / 2);
    /* two all-reduces a layer of [1, 4096] in fp16; with two devices each sends 2 (n-1)/n = 1 times the array */
    const ridge_predicted_row *attention = row_at(p, "model.layers.*.self_attn.(all-reduce)"),
                              *mlp = row_at(p, "model.layers.*.mlp.(all-reduce)");
    assert_true(near(attention->link_bytes + mlp->link_bytes, 2 * 32 * 4096 * 2));
    assert_true(near(attention->time_s + mlp->time_s, 2 * 32 * 4096 * 2 / 450e9));
    assert_int_equal(attention->bound, RIDGE_BOUND_LINK);
    assert_bytes(attention->flops, 0);
    assert_bytes(attention->bytes, 0);
    assert_string_equal(attention->row->class_name, "collective.all_reduce");
    /* the embedding's sum, and half of 32000 logits from the other */
    assert_true(near(p->rows[0].link_bytes, 2 * 32 * 4096 * 2 + 4096 * 2 + 32000 * 2 / 2));
    /* q_proj: half its weights, all of its input, half its output, at 3.35e12 B/s */
    assert_true(near(row_at(p, "model.layers.*.self_attn.q_proj")->time_s, 32 * (4096 * 4096 + 2 * 4096 + 4096) / 3.35e12));
    assert_true(near(row_at(p, "model.layers.*.mlp.down_proj")->time_s, 32 * (4096 * 11008 + 11008 + 2 * 4096) / 3.35e12));
    assert_sums(p);
    ridge_prediction_free(p);
}

/* a latency is waited for 2 (n - 1) times in every all-reduce, n - 1 times in the all-gather */
static void latency(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(LLAMA, RIDGE_PHASE_DECODE, 1);
    r.parallel.tensor = 4;
    ridge_prediction *p = predict(&r);
    double without = p->time_s;
    ridge_prediction_free(p);
    r.parallel.link_latency_s = 1e-5;
    p = predict(&r);
    assert_true(near(p->time_s - without, 1e-5 * (6 * 65 + 3)));
    ridge_prediction_free(p);
}

static void one_device_is_the_same(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(MIXTRAL, RIDGE_PHASE_DECODE, 4), one = r;
    one.parallel =
        (ridge_parallel){.tensor = 1, .pipeline = 1, .expert = 1, .data = 1, .microbatches = 1, .link_bytes_per_s = 1, .link_latency_s = 1};
    ridge_predict_answer a, b;
    ridge_buf x = {0}, y = {0};
    answer(&a, &r, (ridge_advice_request){.advice = RIDGE_ADVICE_ALL}, RIDGE_FORM_JSON);
    answer(&b, &one, (ridge_advice_request){.advice = RIDGE_ADVICE_ALL}, RIDGE_FORM_JSON);
    ridge_record_answer(&x, &ridge_predict_record, &a);
    ridge_record_answer(&y, &ridge_predict_record, &b);
    assert_int_equal(x.n, y.n);
    assert_memory_equal(x.p, y.p, x.n);
    ridge_buf_free(&x);
    ridge_buf_free(&y);
    ridge_predict_answer_free(&a);
    ridge_predict_answer_free(&b);
}

/* K and V: 8 heads; 8 devices have one each, 16 devices one each too, so a copy */
static void grouped_queries(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(LLAMA_3, RIDGE_PHASE_DECODE, 1);
    r.model.past = 999;
    r.model.weights = r.model.activations = ridge_format_find(RIDGE_STR("fp16"));
    ridge_prediction *p = predict(&r);
    assert_bytes(p->model->memory.kv_cache, 131072LL * 1000);
    ridge_prediction_free(p);
    for (int64_t n = 8; n <= 16; n *= 2) {
        r.parallel.tensor = n;
        p = predict(&r);
        assert_bytes(p->model->memory.kv_cache, 131072LL * 1000 / 8);
        /* 128256 x 4096 twice, q and o h x h, K and V h x 128 each, 3 h x 14336, norms */
        const int64_t layer = 2 * 4096LL * 4096 / n + 2 * 4096LL * 128 + 3 * 4096LL * 14336 / n + 2 * 4096;
        assert_bytes(p->model->memory.weights, 2 * (2 * 128256LL * 4096 / n + 32 * layer + 4096));
        ridge_prediction_free(p);
    }
}

/* 80 layers, h 8192, 64 heads and 8 of K and V of 128, f 28672, vocabulary 128256 */
static void llama_70b_on_eight(void **state)
{
    (void)state;
    const char *folder = SOURCE_ROOT "/../shared/models/meta-llama--Llama-3.1-70B-Instruct";
    struct stat there;
    if (stat(folder, &there) != 0) {
        printf("# skipped: %s is not here\n", folder);
        return;
    }
    ridge_predict_request r = on_h100(folder, RIDGE_PHASE_DECODE, 1);
    r.model.past = 8191;
    r.parallel.tensor = 8;
    ridge_prediction *p = predict(&r);
    const int64_t layer = (2 * 8192LL * 8192 + 2 * 8192LL * 1024 + 3 * 8192LL * 28672) / 8 + 2 * 8192;
    assert_bytes(p->model->memory.weights, 2 * (2 * 128256LL * 8192 / 8 + 80 * layer + 8192));
    assert_bytes(p->model->memory.kv_cache, 2LL * 80 * 128 * 2 * 8192);
    assert_true(p->fits);
    r.parallel.tensor = 1;
    ridge_prediction_free(p);
    p = predict(&r);
    assert_false(p->fits); /* 141 GB */
    ridge_prediction_free(p);
}

/* DeepSeek's latent cache is of no head: every device keeps it; its low-rank projections are whole */
static void latent_attention(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100("deepseek-ai/DeepSeek-V2-Lite", RIDGE_PHASE_DECODE, 1);
    ridge_prediction *p = predict(&r);
    ridge_int cache = p->model->memory.kv_cache;
    double compressed = row_at(p, "model.layers.{1-26}.self_attn.kv_a_proj_with_mqa")->time_s;
    double expanded = row_at(p, "model.layers.{1-26}.self_attn.kv_b_proj")->time_s;
    ridge_prediction_free(p);
    r.parallel.tensor = 4;
    p = predict(&r);
    assert_bytes(p->model->memory.kv_cache, cache);
    assert_true(row_at(p, "model.layers.{1-26}.self_attn.kv_a_proj_with_mqa")->time_s == compressed);
    assert_true(row_at(p, "model.layers.{1-26}.self_attn.kv_b_proj")->time_s < expanded / 3.9);
    assert_sums(p);
    ridge_prediction_free(p);
}

/* blocks of other shapes: messages a layer, wherever the matrices stand */
static void other_models(void **state)
{
    static const struct {
        const char *model;
        int messages; /* in layers */
    } cases[] = {
        {"openai-community/gpt2", 2 * 12},  {"google-bert/bert-base-uncased", 2 * 12}, {"google-t5/t5-small", 2 * 6 + 3 * 6},
        {"facebook/opt-125m", 2 * 12},      {"bigscience/bloom-560m", 2 * 24},         {"microsoft/Phi-3-mini-4k-instruct", 2 * 32},
        {"EleutherAI/pythia-1.4b", 2 * 24}, {"google/vit-base-patch16-224", 2 * 12},   {"deepseek-ai/DeepSeek-V3", 2 * 61}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_predict_request r = on_h100(cases[i].model, RIDGE_PHASE_PREFILL, 1);
        r.parallel.tensor = 2;
        ridge_prediction *p = predict(&r);
        ridge_int messages = 0;
        for (size_t k = 0; k < p->timed->rows.n; k++)
            if (strcmp(p->rows[k].row->class_name, "collective.all_reduce") == 0 && p->rows[k].row->depth > 2)
                messages += p->rows[k].row->count;
        assert_int_equal((int)messages, cases[i].messages);
        assert_sums(p);
        ridge_prediction_free(p);
    }
}

/* ---- experts ---- */

/* 8 experts of 3 h x 14336 over 8 devices: one each; everything else on all */
static void mixtral_experts(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(MIXTRAL, RIDGE_PHASE_DECODE, 8);
    r.parallel.expert = 8;
    ridge_prediction *p = predict(&r);
    const int64_t attention = 2 * 4096LL * 4096 + 2 * 4096LL * 1024, expert = 3 * 4096LL * 14336;
    assert_bytes(p->model->memory.weights, 2 * (2 * 32000LL * 4096 + 32 * (attention + 8 * 4096LL + 2 * 4096 + expert) + 4096));
    assert_bytes(p->model->memory.kv_cache, 2048LL * 2 * 32 * 1024 * 2); /* of one sequence */
    /* out and back: 2 experts x h x 2 bytes of the device's token, 7/8 of them to other devices; each of 32 layers */
    const ridge_predicted_row *m = row_at(p, "model.layers.*.block_sparse_moe.(all-to-all)");
    assert_true(near(m->link_bytes, 32 * 2 * (2 * 4096 * 2) * 7.0 / 8));
    assert_string_equal(m->row->class_name, "collective.all_to_all");
    /* 8 tokens reach 8 (1 - (3/4)^8) experts, an eighth of them on each device; a token's two rows pass by w1: 2 (h + f) */
    const double reached = 8 * (1 - pow(0.75, 8)), bytes = reached / 8 * 4096 * 14336 * 2 + 2 * (4096 + 14336) * 2;
    assert_true(near(row_at(p, "model.layers.*.block_sparse_moe.experts.*.w1")->time_s, 32 * bytes / 3.35e12));
    assert_sums(p);
    ridge_prediction_free(p);
}

/* ---- pipeline ---- */

static void pipeline(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(LLAMA, RIDGE_PHASE_PREFILL, 1);
    r.model.seq = 512;
    ridge_prediction *p = predict(&r);
    const double all = p->time_s, layers = row_at(p, "model.layers.*")->time_s, before = row_at(p, "model.embed_tokens")->time_s;
    ridge_prediction_free(p);
    r.model.batch = 4;
    r.parallel.pipeline = 4;
    r.parallel.microbatches = 4;
    p = predict(&r);
    /* the first microbatch passes all stages, three more follow in the last one's time: a quarter of the layers, and the head;
     * [512, 4096] in fp16 crosses 3 boundaries, then one each for three more */
    const double sends = 6 * 512.0 * 4096 * 2 / 450e9, want = all + 3 * (layers / 4 + all - layers - before) + sends;
    assert_true(near(p->time_s, want));
    assert_true(near(row_at(p, "(send)")->time_s, sends));
    assert_true(near(p->tokens_per_s, 4 * 512 / want));
    assert_bytes(p->model->memory.kv_cache, 4 * 512LL * 2 * 8 * 4096 * 2); /* 4 sequences, 8 layers */
    const int64_t layer = 4 * 4096LL * 4096 + 3 * 4096LL * 11008 + 2 * 4096;
    assert_bytes(p->model->memory.weights, 2 * (8 * layer + 32000LL * 4096 + 4096)); /* the last stage: the head, the norm */
    assert_sums(p);
    ridge_prediction_free(p);
}

/* a decode step passes all stages */
static void pipeline_decode(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(LLAMA, RIDGE_PHASE_DECODE, 1);
    ridge_prediction *p = predict(&r);
    const double alone = p->time_s;
    ridge_prediction_free(p);
    r.parallel.pipeline = 8;
    p = predict(&r);
    assert_true(near(p->time_s, alone + 7 * 4096 * 2 / 450e9));
    ridge_prediction_free(p);
}

/* ---- training ---- */

/* 16 bytes a parameter: 2 + 2 + 12 (Rajbhandari 2020, figure 1: stages 1, 2, 3 over N leave 4 + 12/N, 2 + 14/N, 16/N) */
static void zero(void **state)
{
    (void)state;
    const double parameters = 6738415616.0;
    for (int stage = 0; stage <= 3; stage++) {
        ridge_predict_request r = on_h100(LLAMA, RIDGE_PHASE_TRAIN, 8);
        r.model.seq = 256;
        r.parallel.data = 8;
        r.parallel.zero = stage;
        ridge_prediction *p = predict(&r);
        const ridge_memory *m = &p->model->memory;
        const double each[] = {16, 4 + 12.0 / 8, 2 + 14.0 / 8, 16.0 / 8};
        assert_true(near((double)(m->weights + m->gradients + m->optimizer), parameters * each[stage]));
        /* gradients in fp16: an all-reduce, or as much in two halves, or half as much again */
        const double sent = parameters * 2 * 7 / 8 * (stage == 3 ? 3 : 2);
        assert_true(near(p->rows[0].link_bytes, sent));
        assert_true(near(p->link_s, sent / 450e9));
        /* every replica reads and writes 14 bytes a parameter once; with ZeRO its eighth of them */
        assert_true(near((double)row_at(p, "(optimizer)")->bytes, parameters * 28 * (stage ? 1 : 8)));
        assert_sums(p);
        ridge_prediction_free(p);
    }
}

/* 16 replicas, an expert on two of them each: its states are halves, those of all else sixteenths */
static void zero_of_experts(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(MIXTRAL, RIDGE_PHASE_TRAIN, 16);
    r.model.seq = 64;
    r.parallel.expert = 8;
    r.parallel.data = 16;
    r.parallel.zero = 1;
    ridge_prediction *p = predict(&r);
    const double experts = 32 * 3.0 * 4096 * 14336, rest = 46702792704.0 - 8 * experts;
    assert_true(near((double)p->model->memory.optimizer, 12 * (experts / 2 + rest / 16)));
    assert_true(near((double)p->model->memory.gradients, 2 * (experts + rest)));
    /* all replicas share the gradients of the rest, two those of an expert: halves of an all-reduce each */
    assert_true(near(row_at(p, "(reduce-scatter)")->link_bytes, 2 * rest * 15 / 16));
    assert_true(near(p->rows[0].link_bytes, 2 * (2 * rest * 15 / 16 + 2 * experts / 2) + row_at(p, "model.layers.*")->link_bytes));
    assert_sums(p);
    ridge_prediction_free(p);
}

/* 2 all-reduces a layer forward, 2 backward (Shoeybi 2019, figure 4); 2 more where the forward pass is repeated */
static void training_messages(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        ridge_predict_request r = on_h100(LLAMA, RIDGE_PHASE_TRAIN, 1);
        r.model.seq = 256;
        r.model.recompute = again ? RIDGE_RECOMPUTE_FULL : RIDGE_RECOMPUTE_NONE;
        r.parallel.tensor = 2;
        ridge_prediction *p = predict(&r);
        assert_true(near(row_at(p, "model.layers.*.mlp.(all-reduce)")->link_bytes, 32.0 * (2 + again) * 256 * 4096 * 2));
        assert_sums(p);
        ridge_prediction_free(p);
    }
}

/* s b h (10 + 24/t) bytes of a layer's s b h 34 (Korthikanti 2022, section 4.2.1, without sequence parallelism and scores), and the
 * logits of every position: s b v of 2 bytes, their columns over t devices (section 4.3) */
static void saved_activations(void **state)
{
    (void)state;
    double saved[2], sbh = 1024.0 * 2 * 1280 * 36;
    for (int i = 0; i < 2; i++) {
        ridge_predict_request r = on_h100("openai-community/gpt2-large", RIDGE_PHASE_TRAIN, 2);
        r.model.seq = 1024;
        r.model.weights = r.model.activations = ridge_format_find(RIDGE_STR("fp16"));
        r.parallel.tensor = i ? 4 : 1;
        ridge_prediction *p = predict(&r);
        const double logits = 2.0 * 1024 * 2 * 50257 / (i ? 4 : 1);
        saved[i] = ((double)p->model->memory.activations_peak - logits) / sbh;
        ridge_prediction_free(p);
    }
    assert_true(fabs(saved[0] - 34) < 1.5);
    assert_true(fabs(saved[1] - (10 + 24.0 / 4)) < 1.5);
}

/* ---- what does not split ---- */

static void refusals(void **state)
{
    (void)state;
    ridge_predict_request r = on_h100(LLAMA, RIDGE_PHASE_DECODE, 1);
    r.parallel.tensor = 3;
    assert_usage(&r, "32 heads");
    assert_usage(&r, "valid: 1, 2, 4, 8, 16, 32");
    r.parallel.tensor = 1;
    r.parallel.pipeline = 5;
    assert_usage(&r, "32 layers do not split over 5 devices; valid: 1, 2, 4, 8, 16, 32");
    r.parallel.pipeline = 1;
    r.parallel.expert = 2;
    r.model.batch = 2;
    assert_usage(&r, "no experts");
    r = on_h100(MIXTRAL, RIDGE_PHASE_DECODE, 12);
    r.parallel.expert = 3;
    assert_usage(&r, "8 experts do not split over 3 devices; valid: 1, 2, 4, 8");
    r.parallel.expert = 8;
    assert_usage(&r, "multiples of 8");
    r = on_h100("microsoft/resnet-50", RIDGE_PHASE_PREFILL, 2);
    r.parallel.tensor = 2;
    assert_usage(&r, "no attention");
    r.parallel.tensor = 1;
    r.parallel.data = 2;
    ridge_prediction_free(predict(&r));
    r = on_h100("state-spaces/mamba-130m-hf", RIDGE_PHASE_DECODE, 1);
    r.parallel.pipeline = 2;
    assert_usage(&r, "MambaBlock");
    r = on_h100(LLAMA, RIDGE_PHASE_DECODE, 1);
    r.machine = "rtx-4090"; /* no link between devices is known */
    r.parallel.tensor = 2;
    assert_usage(&r, "; link-bandwidth gives one");
    r.parallel.link_bytes_per_s = 2e10;
    ridge_prediction_free(predict(&r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(llama_on_two),
        cmocka_unit_test(latency),
        cmocka_unit_test(one_device_is_the_same),
        cmocka_unit_test(grouped_queries),
        cmocka_unit_test(llama_70b_on_eight),
        cmocka_unit_test(latent_attention),
        cmocka_unit_test(other_models),
        cmocka_unit_test(mixtral_experts),
        cmocka_unit_test(pipeline),
        cmocka_unit_test(pipeline_decode),
        cmocka_unit_test(zero),
        cmocka_unit_test(zero_of_experts),
        cmocka_unit_test(training_messages),
        cmocka_unit_test(saved_activations),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
