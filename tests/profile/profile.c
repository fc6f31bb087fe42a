/* profile.c - the parts of attention and of layers: what is run, sums, the rules behind the advice, timelines. Times are never asserted:
 * expected values are arithmetic by hand on times made up here. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/plan.h"
#include "base/json.h"

static ridge_arena arena;

static int setup(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ridge_arena_free(&arena);
    return 0;
}

static const ridge_format *format(const char *name)
{
    return ridge_format_find(ridge_str_of(name));
}

#define assert_near(value, wanted)                                                                                                         \
    do {                                                                                                                                   \
        double value_ = (value), wanted_ = (wanted);                                                                                       \
        if (!(fabs(value_ - wanted_) <= 1e-9 * fabs(wanted_)))                                                                             \
            fail_msg("%s is %.12g, want %.12g", #value, value_, wanted_);                                                                  \
    } while (0)

/* ---- rules, on times made up ---- */

static ridge_profile_component component(const char *name, ridge_profile_role role, double time_s, double memory_s, double compute_s)
{
    return (ridge_profile_component){.name = name,
                                     .role = role,
                                     .count = 1,
                                     .time_s = time_s,
                                     .least = {memory_s, compute_s},
                                     .variant = "avx2",
                                     .streamed_bytes = 90000000};
}

static void advise(ridge_profile *p, ridge_profile_component *components, size_t count, const char *weights)
{
    *p = (ridge_profile){
        .request = {.what = RIDGE_PROFILE_LAYER, .weights = format(weights)}, .components = components, .component_count = count};
    ridge_profile_sum(p);
    assert_int_equal(ridge_profile_advise(p, &arena, NULL), RIDGE_OK);
}

static void sums_by_hand(void **state)
{
    (void)state;
    ridge_profile p;
    ridge_profile_component c[] = {component("a", RIDGE_PROFILE_WEIGHTS, 3e-3, 2.4e-3, 1e-3),
                                   component("b", RIDGE_PROFILE_CORE, 1e-3, 0, 0.5e-3)};
    advise(&p, c, 2, "bf16");
    assert_near(p.total_s, 4e-3);
    assert_near(c[0].percent, 75);
    assert_near(c[1].percent, 25);
    assert_int_equal(c[0].bound, RIDGE_SIDE_MEMORY);
    assert_near(c[0].percent_of_ceiling, 80);
    assert_int_equal(c[1].bound, RIDGE_SIDE_COMPUTE);
    assert_near(c[1].percent_of_ceiling, 50);
    assert_string_equal(p.bottleneck, "a");
}

/* 16 bits over 4.5 is 3.56 */
static void weights_from_memory(void **state)
{
    (void)state;
    ridge_profile p;
    ridge_profile_component c[] = {component("mlp_down", RIDGE_PROFILE_WEIGHTS, 4e-3, 3.2e-3, 1e-3),
                                   component("norm", RIDGE_PROFILE_SMALL, 1e-3, 1e-4, 1e-5)};
    advise(&p, c, 2, "bf16");
    assert_string_equal(
        p.recommendation,
        "mlp_down takes 80 % and reaches 80 % of the memory's bandwidth, reading 90.00 MB of bf16 weights: only fewer bytes "
        "help; q4_K has 4.5 bits instead of 16, up to 3.6x on all products with weights");
    advise(&p, c, 2, "q4_K");
    assert_string_equal(
        p.recommendation,
        "mlp_down takes 80 % and reaches 80 % of the memory's bandwidth, reading 90.00 MB of q4_K weights: only fewer bytes "
        "help; or a larger batch, which reads them once for all of its tokens");
}

static void slow_kernel(void **state)
{
    (void)state;
    ridge_profile p;
    ridge_profile_component c[] = {component("up", RIDGE_PROFILE_WEIGHTS, 4e-3, 1e-3, 1e-4)};
    advise(&p, c, 1, "bf16");
    assert_non_null(strstr(p.recommendation, "reaches 25 % of the memory's bandwidth: the kernel avx2 is in the way"));
    c[0] = component("attention", RIDGE_PROFILE_CORE, 4e-3, 1e-3, 1e-4);
    advise(&p, c, 1, "bf16");
    assert_non_null(strstr(p.recommendation, "'ridge bench attention --all-variants'"));
    c[0] = component("attention", RIDGE_PROFILE_CORE, 4e-3, 3e-3, 1e-4);
    advise(&p, c, 1, "bf16");
    assert_non_null(strstr(p.recommendation, "reaches 75 % of the memory's bandwidth, reading 90.00 MB of K and V"));
}

static void arithmetic(void **state)
{
    (void)state;
    ridge_profile p;
    ridge_profile_component c[] = {component("up", RIDGE_PROFILE_WEIGHTS, 4e-3, 1e-3, 3.6e-3)};
    advise(&p, c, 1, "bf16");
    assert_non_null(strstr(p.recommendation, "up takes 100 % and reaches 90 % of the peak of arithmetic: more cores"));
}

/* 2 + 1 + 1 of 8 ms: half; 4 ms / 0.5 ms = 8x; 8 / (8 - 4 + 0.5) = 1.8x */
static void score_matrix(void **state)
{
    (void)state;
    ridge_profile p;
    ridge_profile_component c[] = {
        component("qkv_projection", RIDGE_PROFILE_WEIGHTS, 4e-3, 1e-3, 3e-3), component("scores", RIDGE_PROFILE_SCORES, 2e-3, 1e-3, 1e-3),
        component("softmax", RIDGE_PROFILE_SCORES, 1e-3, 1e-3, 1e-3), component("weighted_sum", RIDGE_PROFILE_SCORES, 1e-3, 1e-3, 1e-3)};
    advise(&p, c, 4, "bf16");
    assert_non_null(strstr(p.recommendation, "scores, softmax and weighted sum take 50 % (4.000 ms)"));
    assert_non_null(strstr(p.recommendation, RIDGE_OPT("optimize") " 3 measures that"));
    ridge_profile_level levels[] = {{.level = 0, .variant = "naive", .right = true, .time_s = 3e-3},
                                    {.level = 3, .variant = "flash-avx2", .right = true, .time_s = 0.5e-3}};
    p.levels = levels;
    p.level_count = 2;
    assert_int_equal(ridge_profile_advise(&p, &arena, NULL), RIDGE_OK);
    assert_non_null(strstr(p.recommendation, "flash-avx2 does all three in 500.0 µs: 8x on them, 1.8x on the whole"));
}

static void small_kernels(void **state)
{
    (void)state;
    ridge_profile p;
    ridge_profile_component c[] = {component("attention", RIDGE_PROFILE_CORE, 5e-3, 1e-3, 4e-3),
                                   component("norm", RIDGE_PROFILE_SMALL, 3e-3, 1e-4, 1e-5)};
    advise(&p, c, 2, "bf16");
    assert_non_null(strstr(p.recommendation, "norms, activations and residuals take 38 %"));
}

/* ---- what is run ---- */

static void plan(ridge_profile *p, ridge_profile_plan *out, ridge_profile_request *request)
{
    ridge_err err = {0};
    *p = (ridge_profile){.request = *request};
    p->request.batch = 2;
    p->request.seq = 3;
    p->request.past = 5;
    p->request.weights = p->request.activations = format("bf16");
    *out = (ridge_profile_plan){.profile = p, .arena = &arena, .err = &err};
    ridge_status st = ridge_profile_complete_shape(p, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    assert_int_equal(ridge_profile_plan_shape(out), RIDGE_OK);
}

/* grouped heads: 8 of them share 2 K and V heads, so the products per K and V head have 3 * 4 rows */
static void attention_parts(void **state)
{
    (void)state;
    static const char *const names[] = {"qkv_projection", "scores", "softmax", "weighted_sum", "output_projection"};
    ridge_profile_request request;
    ridge_profile p;
    ridge_profile_plan l;
    assert_int_equal(ridge_profile_default(&request, &arena, NULL), RIDGE_OK);
    request.what = RIDGE_PROFILE_ATTENTION;
    request.shape = (ridge_profile_shape){.hidden = 64, .heads = 8, .kv_heads = 2};
    plan(&p, &l, &request);
    assert_int_equal(p.component_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(p.components[i].name, names[i]);
    assert_int_equal(l.count, 7);
    const ridge_problem *q = &l.steps[0].step.problem, *k = &l.steps[1].step.problem, *scores = &l.steps[3].step.problem;
    assert_int_equal(q->m, 6);
    assert_int_equal(q->n, 64);
    assert_int_equal(k->n, 16);
    assert_int_equal(scores->m, 12);
    assert_int_equal(scores->n, 8);
    assert_int_equal(scores->k, 8);
    assert_int_equal(l.steps[3].step.repeat, 4);
    assert_int_equal(l.steps[4].step.problem.rows, 48); /* batch * heads * seq */
    assert_int_equal(l.steps[4].step.problem.cols, 8);  /* past + seq */
    assert_int_equal(l.steps[5].step.problem.n, 8);
    assert_int_equal(l.steps[5].step.problem.k, 8);
}

static void rwkv_layer(void **state)
{
    (void)state;
    static const char *const wanted[] = {"attention_norm",     "attention_linear", "wkv", "attention_output",
                                         "attention_residual", "ffn_norm",         "ffn", "ffn_residual"};
    ridge_profile_request request;
    ridge_profile p;
    ridge_profile_plan l;
    assert_int_equal(ridge_profile_default(&request, &arena, NULL), RIDGE_OK);
    request.what = RIDGE_PROFILE_LAYER;
    request.shape = (ridge_profile_shape){.hidden = 64, .rwkv = true};
    plan(&p, &l, &request);
    assert_int_equal(p.component_count, 8);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(p.components[i].name, wanted[i]);
    assert_int_equal(p.request.shape.intermediate, 256);
}

static void refused_shapes(void **state)
{
    (void)state;
    static const struct {
        ridge_profile_what what;
        ridge_profile_shape shape;
        const char *message;
    } cases[] = {
        {RIDGE_PROFILE_ATTENTION, {0}, "profile attention needs a MODEL, or hidden"},
        {RIDGE_PROFILE_ATTENTION, {.hidden = 64}, "profile attention needs a MODEL, or heads"},
        {RIDGE_PROFILE_ATTENTION, {.hidden = 64, .heads = 7}, "hidden 64 is not a multiple of heads 7: give head-dim"},
        {RIDGE_PROFILE_ATTENTION, {.hidden = 64, .heads = 8, .kv_heads = 3}, "heads 8 is not a multiple of kv-heads 3"},
        {RIDGE_PROFILE_LAYER, {.hidden = 64, .heads = 8}, "profile layer needs a MODEL, or intermediate"},
        {RIDGE_PROFILE_LAYER, {.hidden = 60, .heads = 4}, "head-dim 15 is odd: rotary positions turn pairs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_err err = {0};
        ridge_profile p = {.request = {.what = cases[i].what, .shape = cases[i].shape, .batch = 1, .seq = 1}};
        assert_int_equal(ridge_profile_complete_shape(&p, &err), RIDGE_USAGE);
        assert_string_equal(message_of(&err), cases[i].message);
    }
}

/* ---- a run, small and short ---- */

static void runs_and_adds_up(void **state)
{
    (void)state;
    ridge_profile_request request;
    ridge_profile p;
    ridge_ops ops;
    ridge_err err = {0};
    ridge_buf json = {0};
    ridge_json *root;
    double sum = 0;
    assert_int_equal(ridge_ops_open(&ops, &err), RIDGE_OK);
    assert_int_equal(ridge_profile_default(&request, &arena, NULL), RIDGE_OK);
    request.what = RIDGE_PROFILE_ATTENTION;
    request.shape = (ridge_profile_shape){.hidden = 128, .heads = 4, .kv_heads = 2};
    request.past = 31;
    request.threads = 1;
    request.budget_s = 0.2;
    request.optimize = 3;
    ridge_status st = ridge_profile_run(&p, &request, NULL, NULL, &ops, &arena, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    for (size_t i = 0; i < p.component_count; i++) {
        sum += p.components[i].time_s;
        assert_true(p.components[i].time_s > 0);
        assert_true(p.components[i].low_s <= p.components[i].time_s && p.components[i].time_s <= p.components[i].high_s);
        assert_true(p.components[i].max_relative_error <= p.components[i].tolerance);
    }
    assert_near(p.total_s, sum);
    assert_int_equal(p.components[0].flops, 2 * 128 * (128 + 64 + 64));
    assert_int_equal(p.level_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(p.levels[i].right);
    ridge_record_answer(&json, &ridge_profile_record, &p);
    assert_int_equal(ridge_json_parse(&root, (ridge_str){json.p, json.n}, "answer", (ridge_json_options){true}, &arena, &err), RIDGE_OK);
    const char *const keys[] = {"what", "machine", "components", "total_s", "bottleneck", "recommendation", "levels"};
    for (size_t i = 0; i < 7; i++)
        assert_non_null(ridge_json_get(root, keys[i]));
    ridge_buf_free(&json);
    ridge_ops_close(&ops);
}

/* ---- a model ---- */

/* where `word` begins in the line that begins with `line` */
static size_t column_of(const char *text, const char *line, const char *word)
{
    const char *at = strstr(text, line), *found = at != NULL ? strstr(at, word) : NULL;
    if (found == NULL)
        fail_msg("no '%s' in a line '%s' of:\n%s", word, line, text);
    return (size_t)(found - at);
}

static void levels_stand_below_their_heads(void **state)
{
    (void)state;
    ridge_profile_request request;
    ridge_profile p;
    ridge_ops ops;
    ridge_err err = {0};
    ridge_buf text = {0};
    assert_int_equal(ridge_ops_open(&ops, &err), RIDGE_OK);
    assert_int_equal(ridge_profile_default(&request, &arena, NULL), RIDGE_OK);
    request.shape = (ridge_profile_shape){.hidden = 128, .heads = 4, .kv_heads = 2};
    request.threads = 1;
    request.budget_s = 0.2;
    request.optimize = 0;
    assert_int_equal(ridge_profile_run(&p, &request, NULL, NULL, &ops, &arena, &err), RIDGE_OK);
    assert_int_equal(p.level_count, 1);
    p.levels[0].variant = "blocked-avx512"; /* the longest name there is */
    p.levels[0].time_s = 12.34e-6;
    p.levels[0].speedup = 1;
    assert_int_equal(ridge_profile_below(&text, &p, 0, &arena, &err), RIDGE_OK);
    ridge_buf_addc(&text, '\0');
    /* numbers end where their heads end */
    assert_int_equal(column_of(text.p, "level  attention in one", "time") + 4,
                     column_of(text.p, "0      naive", "µs") + 2); /* µ has two bytes */
    assert_int_equal(column_of(text.p, "level  attention in one", "gain") + 4 + 1, column_of(text.p, "0      naive", "1.000") + 5);
    assert_int_equal(column_of(text.p, "level  attention in one", "  kernel") + 2, column_of(text.p, "0      naive", "blocked-avx512"));
    assert_non_null(strstr(text.p, "12.34 µs"));
    assert_non_null(strstr(text.p, "errors are parts of the root mean square of the result\n"));
    ridge_buf_free(&text);
    ridge_ops_close(&ops);
}

static const ridge_profile_component *find(const ridge_profile *p, const char *name)
{
    for (size_t i = 0; i < p->component_count; i++)
        if (strcmp(p->components[i].name, name) == 0)
            return &p->components[i];
    fail_msg("no component %s", name);
    return NULL;
}

static ridge_status run_config(ridge_profile *p, ridge_profile_request *request, const char *config, ridge_ops *ops, ridge_err *err)
{
    char folder[] = "/tmp/ridge-profile-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *file = ridge_arena_printf(&arena, "%s/config.json", folder);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    assert_true(fputs(config, out) >= 0);
    assert_int_equal(fclose(out), 0);
    request->model = folder;
    request->threads = 1;
    request->budget_s = 0.4;
    ridge_status st = ridge_profile_run(p, request, NULL, ops->registry, ops, &arena, err);
    request->model = NULL; /* the answer has its own */
    remove(file);
    remove(folder);
    return st;
}

static void run_model(ridge_profile *p, ridge_profile_what what, const char *config, int64_t batch, ridge_ops *ops)
{
    ridge_profile_request request;
    ridge_err err = {0};
    assert_int_equal(ridge_profile_default(&request, &arena, NULL), RIDGE_OK);
    request.what = what;
    request.batch = batch;
    request.past = 16;
    ridge_status st = run_config(p, &request, config, ops, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    assert_non_null(strstr(p->request.model, "/tmp/ridge-profile-"));
}

/* 8 experts of which a token takes 2; w1 and w3 [128,64], w2 [64,128]; 3 layers */
static const char mixtral[] = "{\"model_type\": \"mixtral\", \"architectures\": [\"MixtralForCausalLM\"], \"hidden_size\": 64, "
                              "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"intermediate_size\": 128, "
                              "\"num_hidden_layers\": 3, \"vocab_size\": 96, \"num_local_experts\": 8, \"num_experts_per_tok\": 2, "
                              "\"torch_dtype\": \"bfloat16\", \"tie_word_embeddings\": false}";

/* One token: 2 experts in each of 3 layers, each reading its own bf16 weights. 4 tokens: 8 (1 - (3/4)^4) * 3 = 16.4 experts for 24 rows,
 * of which the FLOPs are. */
static void experts_are_run(void **state)
{
    (void)state;
    static const struct {
        int64_t batch, experts, rows;
    } wanted[] = {{1, 6, 6}, {4, 16, 24}};
    static const char *const names[] = {"w1", "w2", "w3"};
    ridge_ops ops;
    assert_int_equal(ridge_ops_open(&ops, NULL), RIDGE_OK);
    for (size_t i = 0; i < 2; i++) {
        ridge_profile p;
        double sum = 0;
        run_model(&p, RIDGE_PROFILE_MODEL, mixtral, wanted[i].batch, &ops);
        assert_int_equal(p.left_out.count, 0);
        for (size_t k = 0; k < 3; k++) {
            const ridge_profile_component *c =
                find(&p, ridge_arena_printf(&arena, "model.layers.*.block_sparse_moe.experts.*.%s", names[k]));
            assert_int_equal(c->count, wanted[i].experts);
            assert_int_equal(c->flops, 2 * 128 * 64 * wanted[i].rows);
            assert_int_equal(c->bytes, 2 * (128 * 64 * wanted[i].experts + (128 + 64) * wanted[i].rows));
            assert_true(c->time_s > 0 && c->predicted_s > 0);
        }
        for (size_t k = 0; k < p.component_count; k++)
            sum += p.components[k].predicted_s;
        assert_true(fabs(p.predicted_s - sum) < 1e-3 * sum); /* of the same rows; what runs inside of others is beside them */
        assert_near(p.tokens_per_s, (double)wanted[i].batch / p.total_s);
    }
    ridge_ops_close(&ops);
}

static const char gpt2[] = "{\"model_type\": \"gpt2\", \"architectures\": [\"GPT2LMHeadModel\"], \"n_embd\": 64, \"n_head\": 4, "
                           "\"n_layer\": 2, \"vocab_size\": 96}";

/* keys and values that are copied into the cache, unturned: 4 heads of 16, both, read and written, are 512 bytes; a sum moves three tables
 * of 85 elements */
static void a_cache_is_written(void **state)
{
    (void)state;
    ridge_profile p;
    ridge_ops ops;
    assert_int_equal(ridge_ops_open(&ops, NULL), RIDGE_OK);
    run_model(&p, RIDGE_PROFILE_MODEL, gpt2, 1, &ops);
    assert_int_equal(p.left_out.count, 0);
    assert_int_equal(find(&p, "transformer.h.*.attn.cache")->bytes, 2 * 3 * 85 * 2);
    assert_true(p.tokens_per_s > 0);
    ridge_ops_close(&ops);
}

/* rows that were not run are named, and there are no tokens per second without them */
static void rows_not_run(void **state)
{
    (void)state;
    static const char *names[] = {"model.layers.*.conv", "model.mask"};
    ridge_profile p;
    ridge_ops ops;
    ridge_buf text = {0}, json = {0};
    ridge_json *root;
    assert_int_equal(ridge_ops_open(&ops, NULL), RIDGE_OK);
    run_model(&p, RIDGE_PROFILE_MODEL, mixtral, 1, &ops);
    p.left_out = (ridge_words){names, 2};
    p.left_out_predicted_s = 4e-6;
    p.total_s = 3e-3;
    p.predicted_s = 2e-3;
    ridge_profile_rates(&p);
    assert_int_equal(ridge_profile_below(&text, &p, 0, &arena, NULL), RIDGE_OK);
    ridge_buf_addc(&text, '\0');
    assert_non_null(strstr(text.p, "total        3.000 ms measured, 2.000 ms predicted from the ceilings, both without the rows not run\n"
                                   "tokens/s     -, since not all rows were run\n"
                                   "not run      2 rows without a kernel here, predicted 4.000 µs together:\n"
                                   "             model.layers.*.conv\n"
                                   "             model.mask\n"));
    ridge_record_answer(&json, &ridge_profile_record, &p);
    assert_int_equal(ridge_json_parse(&root, (ridge_str){json.p, json.n}, "answer", (ridge_json_options){true}, &arena, NULL), RIDGE_OK);
    assert_int_equal(ridge_json_get(root, "tokens_per_s")->type, RIDGE_JSON_NULL);
    assert_int_equal(ridge_json_get(root, "predicted_tokens_per_s")->type, RIDGE_JSON_NULL);
    assert_int_equal(ridge_json_get(root, "left_out")->count, 2);
    ridge_buf_free(&text);
    ridge_buf_free(&json);
    p.left_out.count = 0;
    ridge_profile_rates(&p);
    assert_near(p.tokens_per_s, 1 / 3e-3);
    assert_near(p.predicted_tokens_per_s, 500);
    ridge_ops_close(&ops);
}

/* ---- one layer of a model, by the catalog ---- */

/* 2 of 8 experts a token: a product of [128, 64] each. Q [64, 64]; attention of 4 heads over 17 keys, 16 long, and 2 K and V heads. */
static void a_layer_of_a_mixture(void **state)
{
    (void)state;
    ridge_profile p;
    ridge_ops ops;
    double sum = 0;
    assert_int_equal(ridge_ops_open(&ops, NULL), RIDGE_OK);
    run_model(&p, RIDGE_PROFILE_LAYER, mixtral, 1, &ops);
    assert_int_equal(find(&p, "block_sparse_moe.experts.*.w1")->count, 2);
    assert_int_equal(find(&p, "block_sparse_moe.experts.*.w1")->flops, 2 * 2 * 128 * 64);
    assert_int_equal(find(&p, "self_attn.q_proj")->count, 1);
    assert_int_equal(find(&p, "self_attn.q_proj")->flops, 2 * 64 * 64);
    assert_int_equal(find(&p, "self_attn.core")->role, RIDGE_PROFILE_CORE);
    assert_int_equal(find(&p, "input_layernorm")->role, RIDGE_PROFILE_SMALL);
    const ridge_profile_shape *s = p.shape;
    assert_true(s->hidden == 64 && s->heads == 4 && s->kv_heads == 2 && s->head_dim == 16 && s->intermediate == 128);
    for (size_t i = 0; i < p.component_count; i++)
        sum += p.components[i].predicted_s;
    assert_near(p.predicted_s, sum);
    assert_true(p.tokens_per_s < 0 && p.left_out_predicted_s < 0); /* of whole models alone */
    assert_int_equal(p.group_count, 1);
    assert_string_equal(p.groups[0].name, "model.layers.*");
    ridge_ops_close(&ops);
}

/* one layer is called as often as there are layers; every token looks at every other: 2 products of 4 heads, 5 x 5 pairs, 16 long */
static void a_shared_layer_without_a_mask(void **state)
{
    (void)state;
    static const char albert[] = "{\"model_type\": \"albert\", \"architectures\": [\"AlbertForMaskedLM\"], \"hidden_size\": 64, "
                                 "\"num_attention_heads\": 4, \"intermediate_size\": 128, \"num_hidden_layers\": 3, "
                                 "\"embedding_size\": 32, \"vocab_size\": 96, \"hidden_act\": \"gelu_new\"}";
    ridge_profile_request request;
    ridge_profile p;
    ridge_ops ops;
    ridge_err err = {0};
    size_t cores = 0;
    assert_int_equal(ridge_ops_open(&ops, NULL), RIDGE_OK);
    assert_int_equal(ridge_profile_default(&request, &arena, NULL), RIDGE_OK);
    request.what = RIDGE_PROFILE_LAYER;
    request.phase = RIDGE_PHASE_PREFILL;
    request.seq = 5;
    ridge_status st = run_config(&p, &request, albert, &ops, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    for (size_t i = 0; i < p.component_count; i++) {
        assert_int_equal(p.components[i].count, 1);
        if (p.components[i].role != RIDGE_PROFILE_CORE)
            continue;
        cores++;
        assert_true(p.components[i].flops >= 2 * 2 * 4 * 25 * 16); /* causal: 15 pairs instead of 25 */
    }
    assert_int_equal(cores, 1);
    ridge_ops_close(&ops);
}

/* the score matrix of Bloom has a bias, which no kernel adds: its rows are named. Sizes beside a model that has its own are refused. */
static void refused_layers(void **state)
{
    (void)state;
    static const char bloom[] =
        "{\"model_type\": \"bloom\", \"architectures\": [\"BloomForCausalLM\"], \"hidden_size\": 64, \"n_head\": 4, "
        "\"n_layer\": 2, \"vocab_size\": 96}";
    ridge_profile_request request;
    ridge_profile p;
    ridge_ops ops;
    assert_int_equal(ridge_ops_open(&ops, NULL), RIDGE_OK);
    for (int what = RIDGE_PROFILE_ATTENTION; what <= RIDGE_PROFILE_LAYER; what++) {
        ridge_err err = {0};
        assert_int_equal(ridge_profile_default(&request, &arena, NULL), RIDGE_OK);
        request.what = (ridge_profile_what)what;
        assert_int_equal(run_config(&p, &request, bloom, &ops, &err), RIDGE_UNKNOWN);
        assert_non_null(strstr(message_of(&err), "no kernel here runs self_attention.core"));
        assert_non_null(strstr(message_of(&err), what == RIDGE_PROFILE_LAYER ? " of a layer of /" : " of the attention of /"));
    }
    ridge_err err = {0};
    request.shape.plain_mlp = true;
    assert_int_equal(run_config(&p, &request, gpt2, &ops, &err), RIDGE_USAGE);
    assert_non_null(strstr(message_of(&err), "have sizes of their own: leave plain-mlp out"));
    ridge_ops_close(&ops);
}

/* GPT-2 has Q, K and V in one product; its heads are those of the kernel that the catalog has for its attention. What is given stays. */
static void attention_of_a_model(void **state)
{
    (void)state;
    ridge_profile_request request;
    ridge_profile p;
    ridge_ops ops;
    ridge_err err = {0};
    assert_int_equal(ridge_ops_open(&ops, NULL), RIDGE_OK);
    assert_int_equal(ridge_profile_default(&request, &arena, NULL), RIDGE_OK);
    request.shape.heads = 8;
    ridge_status st = run_config(&p, &request, gpt2, &ops, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    assert_true(p.shape->hidden == 64 && p.shape->heads == 8 && p.shape->kv_heads == 4 && p.shape->head_dim == 16);
    assert_string_equal(p.components[2].name, "softmax");
    ridge_ops_close(&ops);
}

/* ---- Ctrl-C, which sets ridge_measure_interrupted ---- */

static void interrupt_at(void *context, const char *what, size_t done, size_t total)
{
    const size_t *at = context;
    (void)what;
    (void)total;
    if (done == *at)
        ridge_measure_interrupted = 1;
}

/* during the ceilings, and before the operands of the only group are filled: nothing is measured, and nothing is made up */
static void interrupted_before_anything(void **state)
{
    (void)state;
    for (size_t at = 0; at < 2; at++) {
        ridge_profile p;
        ridge_profile_request request;
        ridge_ops ops;
        ridge_err err = {0};
        ridge_buf text = {0};
        assert_int_equal(ridge_ops_open(&ops, &err), RIDGE_OK);
        assert_int_equal(ridge_profile_default(&request, &arena, NULL), RIDGE_OK);
        request.shape = (ridge_profile_shape){.hidden = 128, .heads = 4, .kv_heads = 2};
        request.threads = 1;
        request.budget_s = 0.2;
        request.optimize = 3;
        const ridge_profile_extras extras = {.progress = interrupt_at, .context = &at};
        ridge_status st = ridge_profile_run(&p, &request, &extras, NULL, &ops, &arena, &err);
        ridge_measure_interrupted = 0;
        assert_string_equal(message_of(&err), "");
        assert_int_equal(st, RIDGE_OK);
        assert_true(p.interrupted && p.total_s < 0 && p.level_count == 0);
        assert_int_equal(p.unmeasured, p.component_count);
        assert_null(p.bottleneck);
        assert_int_equal(ridge_profile_below(&text, &p, 0, &arena, &err), RIDGE_OK);
        ridge_buf_addc(&text, '\0');
        assert_non_null(strstr(text.p, "interrupted: 0 of 5 components were measured, so there is no total and no advice\n"));
        ridge_buf_free(&text);
        ridge_ops_close(&ops);
    }
}

/* one of two groups was run: its time stands, and is no share of anything */
static void a_part_is_no_total(void **state)
{
    (void)state;
    ridge_profile p;
    ridge_profile_component c[] = {component("a", RIDGE_PROFILE_WEIGHTS, 3e-3, 2.4e-3, 1e-3), {.name = "b", .role = RIDGE_PROFILE_CORE}};
    p = (ridge_profile){.components = c, .component_count = 2};
    ridge_profile_sum(&p);
    assert_int_equal(p.unmeasured, 1);
    assert_true(p.total_s < 0 && c[0].percent < 0 && c[1].time_s < 0 && c[1].percent < 0);
    assert_near(c[0].time_s, 3e-3);
    assert_near(c[0].percent_of_ceiling, 80);
}

/* ---- timelines ---- */

static int begun, ended;
static void on_begin(void *context, const char *name)
{
    assert_string_equal(name, context);
    begun++;
}
static void on_end(void *context)
{
    (void)context;
    ended++;
}

static void timeline(void **state)
{
    (void)state;
    ridge_trace *t;
    ridge_buf json = {0};
    ridge_json *root;
    size_t lost;
    assert_int_equal(ridge_trace_make(&t, 1, 2, NULL), RIDGE_OK);
    ridge_trace_begin(NULL, 0, "nothing");
    ridge_trace_begin(t, 0, "outer");
    for (int i = 0; i < 3; i++) {
        ridge_trace_begin(t, 0, "inner \"quoted\"");
        ridge_trace_end(t, 0);
    }
    ridge_trace_end(t, 0);
    ridge_trace_end(t, 0); /* one too many */
    assert_int_equal(ridge_trace_count(t, &lost), 2);
    assert_int_equal(lost, 2);
    assert_int_equal(ridge_trace_json(&json, t, NULL), RIDGE_OK);
    assert_int_equal(ridge_json_parse(&root, (ridge_str){json.p, json.n}, "trace", (ridge_json_options){true}, &arena, NULL), RIDGE_OK);
    const ridge_json *events = ridge_json_get(root, "traceEvents");
    assert_int_equal(events->count, 3); /* the thread's name, then the outer region first */
    assert_str(ridge_json_get(&events->u.items[1], "name")->u.text, "outer");
    assert_str(ridge_json_get(&events->u.items[2], "name")->u.text, "inner \"quoted\"");
    char expected[] = "region";
    const ridge_trace_hooks hooks = {on_begin, on_end, expected};
    ridge_trace_set_hooks(t, &hooks);
    ridge_trace_begin(t, 0, "region");
    ridge_trace_end(t, 0);
    ridge_trace_set_hooks(t, NULL);
    ridge_trace_begin(t, 0, "unheard");
    ridge_trace_end(t, 0);
    assert_int_equal(begun, 1);
    assert_int_equal(ended, 1);
    ridge_trace_free(t);
    assert_int_equal(ridge_trace_make(&t, 0, 2, NULL), RIDGE_VALUE);
    ridge_buf_free(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_by_hand, setup, teardown),
        cmocka_unit_test_setup_teardown(weights_from_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(slow_kernel, setup, teardown),
        cmocka_unit_test_setup_teardown(arithmetic, setup, teardown),
        cmocka_unit_test_setup_teardown(score_matrix, setup, teardown),
        cmocka_unit_test_setup_teardown(small_kernels, setup, teardown),
        cmocka_unit_test_setup_teardown(attention_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(rwkv_layer, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(runs_and_adds_up, setup, teardown),
        cmocka_unit_test_setup_teardown(levels_stand_below_their_heads, setup, teardown),
        cmocka_unit_test_setup_teardown(experts_are_run, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cache_is_written, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_not_run, setup, teardown),
        cmocka_unit_test_setup_teardown(a_layer_of_a_mixture, setup, teardown),
        cmocka_unit_test_setup_teardown(a_shared_layer_without_a_mask, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_layers, setup, teardown),
        cmocka_unit_test_setup_teardown(attention_of_a_model, setup, teardown),
        cmocka_unit_test_setup_teardown(interrupted_before_anything, setup, teardown),
        cmocka_unit_test_setup_teardown(a_part_is_no_total, setup, teardown),
        cmocka_unit_test_setup_teardown(timeline, setup, teardown),
    };
    return RUN_TESTS(tests);
}
