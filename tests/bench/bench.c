/* bench.c - what a benchmark counts, checks and refuses. Costs by hand; no time is asserted, budgets are tiny. */
#include "test.h"

#include "model/analysis.h"
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    ridge_arena arena;
    ridge_ops ops;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){0};
    ridge_arena_init(&f.arena);
    assert_int_equal(ridge_ops_open(&f.ops, NULL), RIDGE_OK);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    ridge_ops_close(&f->ops);
    ridge_arena_free(&f->arena);
    return 0;
}

static const ridge_format *format(const char *name)
{
    const ridge_format *f = ridge_format_find(ridge_str_of(name));
    assert_non_null(f);
    return f;
}

static ridge_problem problem_of(ridge_kernel_kind kind, const char *weights)
{
    return (ridge_problem){.kind = kind, .weights = format(weights), .activations = format("fp32")};
}

/* ---- sizes ---- */

static ridge_status sizes(ridge_problem *p, ridge_kernel_kind kind, const char *given, bool causal, ridge_err *err)
{
    int64_t values[RIDGE_BENCH_SIZES];
    for (size_t i = 0; i < RIDGE_BENCH_SIZES; i++)
        values[i] = RIDGE_UNSET;
    *p = problem_of(kind, "fp32");
    *err = (ridge_err){0};
    for (const char *at = given; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        size_t n = strcspn(at, "="), i = 0;
        while (i < RIDGE_BENCH_SIZES && (strlen(ridge_bench_size_options[i]) != n || strncmp(ridge_bench_size_options[i], at, n) != 0))
            i++;
        assert_true(i < RIDGE_BENCH_SIZES);
        values[i] = strtoll(at + n + 1, NULL, 10);
    }
    return ridge_bench_problem_sizes(p, values, causal, err);
}

static void test_sizes(void **state)
{
    fixture *f = *state;
    ridge_problem p;
    ridge_err err;
    assert_int_equal(sizes(&p, RIDGE_KERNEL_KIND_ATTENTION, "seq=2 kv-len=7 heads=8 head-dim=16", true, &err), RIDGE_OK);
    assert_int_equal(p.past, 5);
    assert_int_equal(p.batch, 1);
    assert_int_equal(p.kv_heads, 8);
    assert_string_equal(ridge_bench_shape_json(&p, &f->arena), "{\"batch\": 1, \"seq\": 2, \"kv_len\": 7, \"heads\": 8, \"kv_heads\": 8, "
                                                               "\"head_dim\": 16, \"causal\": true}");
    assert_string_equal(ridge_bench_shape_text(&p, &f->arena), "1x2 kv7 8/8x16 causal");
    assert_int_equal(sizes(&p, RIDGE_KERNEL_KIND_GEMV, "n=3 k=4", false, &err), RIDGE_OK);
    assert_string_equal(ridge_bench_shape_json(&p, &f->arena), "{\"n\": 3, \"k\": 4}");
    assert_int_equal(sizes(&p, RIDGE_KERNEL_KIND_GEMM, "n=3", false, &err), RIDGE_USAGE);
    assert_string_equal(message_of(&err), "gemm needs m, k");
    assert_int_equal(sizes(&p, RIDGE_KERNEL_KIND_GEMV, "n=3 k=4 heads=2", false, &err), RIDGE_USAGE);
    assert_string_equal(message_of(&err), "gemv takes no heads");
    assert_int_equal(sizes(&p, RIDGE_KERNEL_KIND_ATTENTION, "seq=8 kv-len=7 heads=8 head-dim=16", false, &err), RIDGE_USAGE);
    assert_int_equal(sizes(&p, RIDGE_KERNEL_KIND_ATTENTION, "seq=2 kv-len=7 past=3 heads=8 head-dim=16", false, &err), RIDGE_USAGE);
    assert_int_equal(sizes(&p, RIDGE_KERNEL_KIND_SOFTMAX, "rows=2 cols=7", true, &err), RIDGE_USAGE);
}

/* ---- costs ---- */

static void check_cost(fixture *f, const ridge_problem *p, int64_t flops, int64_t bytes)
{
    ridge_bench_cost cost;
    assert_int_equal(ridge_bench_cost_of(&cost, p, &f->ops, &f->arena, NULL), RIDGE_OK);
    assert_int_equal((int64_t)cost.record.flops.total, flops);
    assert_int_equal((int64_t)cost.record.bytes, bytes);
}

static void test_costs(void **state)
{
    fixture *f = *state;
    ridge_problem p = problem_of(RIDGE_KERNEL_KIND_GEMV, "q4_K");
    p.n = p.k = 2560;
    check_cost(f, &p, 2 * 2560 * 2560, 2560 * 10 * 144 + 2 * 2560 * 4); /* 144 bytes per 256 weights */
    p = problem_of(RIDGE_KERNEL_KIND_GEMM, "bf16");
    p.m = 3;
    p.n = 5;
    p.k = 7;
    check_cost(f, &p, 2 * 3 * 5 * 7, 3 * 7 * 4 + 5 * 7 * 2 + 3 * 5 * 4);
    p = problem_of(RIDGE_KERNEL_KIND_ATTENTION, "fp16");
    p.batch = 2;
    p.seq = 3;
    p.past = 4;
    p.heads = 6;
    p.kv_heads = 2;
    p.head_dim = 8;
    p.causal = true; /* pairs: 5 + 6 + 7 = 18 of each head; 4 d for the products, 5 for the softmax */
    check_cost(f, &p, 2 * 6 * 18 * (4 * 8 + 5), 2 * (2 * 6 * 3 * 8 * 4) + 2 * (2 * 2 * 7 * 8 * 2));
    p = problem_of(RIDGE_KERNEL_KIND_ADD, "fp32");
    p.rows = 3;
    p.cols = 5;
    check_cost(f, &p, 15, 3 * 15 * 4);
    p = problem_of(RIDGE_KERNEL_KIND_ROPE, "q4_K"); /* no weights: their format has no say */
    p.rows = 3;
    p.heads = 2;
    p.head_dim = 8;
    p.past = 100;
    check_cost(f, &p, 3 * 48, 2 * 48 * 4 + 3 * 8 * 4); /* x, y; 4 cosines and 4 sines a row */
    p = problem_of(RIDGE_KERNEL_KIND_WKV, "q4_K");
    p.seq = 3;
    p.cols = 8;
    check_cost(f, &p, 25 * 24 + 2 * 8, 3 * 24 * 4 + 2 * 8 * 4); /* k, v, y; w, u */
}

/* A machine of 10 FLOP/s in fp32, 40 in int8, 2 byte/s: C[4,2] = A[4,5] W[2,5] has 80 FLOPs and 152 bytes in fp32. */
static void test_least(void **state)
{
    fixture *f = *state;
    ridge_machine m = {.id = "m", .name = "m", .level_count = 1, .levels = {{"dram", NULL, 2, -1}}};
    ridge_bench_cost cost;
    ridge_problem p = problem_of(RIDGE_KERNEL_KIND_GEMM, "fp32");
    for (int i = 0; i < RIDGE_PRECISION_COUNT; i++)
        m.peak_flops_per_s[i] = RIDGE_MACHINE_UNKNOWN;
    m.peak_flops_per_s[RIDGE_PRECISION_FP32] = 10;
    m.peak_flops_per_s[RIDGE_PRECISION_INT8] = 40;
    p.m = 4;
    p.n = 2;
    p.k = 5;
    assert_int_equal(ridge_bench_cost_of(&cost, &p, &f->ops, &f->arena, NULL), RIDGE_OK);
    ridge_bench_least least = ridge_bench_least_of(&cost, &m, 0, true);
    assert_true(least.sides.memory_s == 76 && least.sides.compute_s == 8);
    assert_int_equal(least.used, RIDGE_PRECISION_FP32);
    assert_string_equal(least.level->name, "dram");
    least = ridge_bench_least_of(&cost, &m, 8, true);
    assert_true(least.sides.compute_s == 2);
    assert_int_equal(least.used, RIDGE_PRECISION_INT8);
    m.levels[0].bytes_per_s = RIDGE_MACHINE_UNKNOWN; /* the side of the arithmetic is known all the same */
    least = ridge_bench_least_of(&cost, &m, 0, true);
    assert_true(least.sides.memory_s < 0 && least.sides.compute_s == 8);
    assert_null(least.level);
}

/* ---- runs ---- */

static bool takes_fp32(const ridge_problem *p)
{
    return p->kind == RIDGE_KERNEL_KIND_GEMV && p->weights == p->activations;
}

static ridge_status open_nothing(ridge_kernel_run *run, ridge_err *err)
{
    (void)err;
    run->phases = 1;
    return RIDGE_OK;
}

static void product(const ridge_kernel_run *run, float wrong)
{
    const float *w = run->operands[0], *x = run->operands[1];
    float *y = run->operands[2];
    for (int64_t i = 0; i < run->problem.n; i++) {
        y[i] = wrong;
        for (int64_t k = 0; k < run->problem.k; k++)
            y[i] += w[i * run->problem.k + k] * x[k];
    }
}

static int wrong_calls;
static void wrong_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    (void)phase;
    wrong_calls += thread == 0;
    if (thread == 0)
        product(run, 1);
}

static void right_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    (void)phase;
    if (thread == 0)
        product(run, 0);
}

static const ridge_kernel_variant wrong = {RIDGE_KERNEL_KIND_GEMV, "wrong", "test", 0, 0, takes_fp32, open_nothing, wrong_phase, NULL};
static const ridge_kernel_variant right = {RIDGE_KERNEL_KIND_GEMV, "right", "test", 0, 0, takes_fp32, open_nothing, right_phase, NULL};
static const ridge_kernel_variant *const extra[] = {&wrong, &right};
static ridge_status open_wide(ridge_kernel_run *run, ridge_err *err)
{
    run->phases = 1;
    return run->problem.k == 32 ? ridge_fail(err, RIDGE_NOMEM, "no room for 32 columns") : RIDGE_OK;
}
static const ridge_kernel_variant fails = {RIDGE_KERNEL_KIND_GEMV, "fails", "test", 0, 0, takes_fp32, open_wide, right_phase, NULL};
static const ridge_kernel_variant *const failing[] = {&fails};
static ridge_bench_case small_case(void)
{
    ridge_bench_case c = {problem_of(RIDGE_KERNEL_KIND_GEMV, "fp32"), 1, NULL, RIDGE_BENCH_HOT};
    c.problem.n = 64;
    c.problem.k = 64;
    return c;
}

/* what is asked of a run */
typedef struct asking {
    ridge_bench_request request;
    ridge_bench_cases cases;
    ridge_bench_extras extras;
} asking;

static asking small_request(ridge_bench_case *c)
{
    return (asking){.request = {.threads = {{1}, 1}, .budget_s = 0.02, .ceilings_budget_s = 0.05, .rounds = RIDGE_UNSET},
                    .cases = {.items = c, .count = 1},
                    .extras = {.variants = extra, .variant_count = 2}};
}

static ridge_status run(ridge_bench *b, const asking *a, fixture *f, ridge_err *err)
{
    return ridge_bench_run(b, &a->request, &a->cases, &a->extras, &f->ops, &f->arena, err);
}

static void test_wrong_is_not_timed(void **state)
{
    fixture *f = *state;
    ridge_bench_case c = small_case();
    asking a = small_request(&c);
    ridge_measured_row *rows;
    size_t count;
    ridge_bench b;
    ridge_err err = {0};
    a.request.provider = "test";
    a.request.all_variants = true;
    wrong_calls = 0;
    assert_int_equal(run(&b, &a, f, &err), RIDGE_OK);
    assert_int_equal(b.row_count, 2);
    assert_int_equal(b.planned, 2);
    assert_int_equal(b.timed, 1);
    assert_false(b.rows[0].right);
    assert_string_equal(b.rows[0].row.variant, "wrong");
    assert_true(b.rows[0].row.max_relative_error > b.rows[0].tolerance);
    assert_int_equal(b.rows[0].row.time.tried, 0);
    assert_int_equal(wrong_calls, 1);
    assert_true(b.rows[1].right);
    assert_true(b.rows[1].row.time.median_s > 0);
    assert_true(b.rows[1].row.time.kept <= b.rows[1].row.time.tried);
    assert_int_equal((int64_t)b.rows[1].row.flops, 2 * 64 * 64);
    assert_int_equal((int64_t)b.rows[1].row.bytes, 64 * 64 * 4 + 2 * 64 * 4);
    assert_int_equal(ridge_bench_measured(&rows, &count, &b, &f->arena, NULL), RIDGE_OK);
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].variant, "right");
    ridge_buf text = {0};
    ridge_bench_remarks(&text, &b, &f->arena);
    assert_non_null(strstr(text.p, "wrong: gemv 64x64, wrong in fp32 is off by"));
    ridge_buf_free(&text);
}

/* Two cases, three rounds: in turn, each checked in each round. The one that cannot be opened is told, the other one's rows stay. */
static void test_rounds_and_a_failure(void **state)
{
    fixture *f = *state;
    ridge_bench_case cases[] = {small_case(), small_case(), small_case()};
    asking a = small_request(cases);
    ridge_bench b;
    ridge_err err = {0};
    cases[1].problem.k = 32;
    a.cases.count = 3;
    a.request.rounds = 3;
    a.request.provider = "test";
    a.request.variant = "fails";
    a.extras.variants = failing;
    a.extras.variant_count = 1;
    assert_int_equal(run(&b, &a, f, &err), RIDGE_OK);
    assert_int_equal(b.planned, 3);
    assert_int_equal(b.row_count, 2);
    assert_int_equal(b.failed_count, 1);
    assert_ptr_equal(b.failed[0].of, &cases[1]);
    assert_string_equal(b.failed[0].why, "no room for 32 columns");
    assert_int_equal(b.failed[0].status, RIDGE_NOMEM);
    assert_int_equal(err.msg[0], '\0');
    for (size_t i = 0; i < 2; i++) {
        const ridge_measured_row *m = &b.rows[i].row;
        assert_ptr_equal(b.rows[i].of, &cases[2 * i]);
        assert_int_equal(b.rows[i].rounds, 3);
        assert_true(m->time.low_s <= m->time.median_s && m->time.median_s <= m->time.high_s);
        assert_true(m->time.tried >= 3);
    }
    ridge_buf text = {0};
    ridge_bench_remarks(&text, &b, &f->arena);
    assert_non_null(strstr(text.p, "not measured to the end: gemv 64x32 in fp32: no room for 32 columns"));
    ridge_buf_free(&text);
    /* alone it is an error */
    a.cases.items = &cases[1];
    a.cases.count = 1;
    assert_int_equal(run(&b, &a, f, &err), RIDGE_NOMEM);
    assert_string_equal(message_of(&err), "no room for 32 columns");
}

/* Keys of a causal prefill of 4: 1 + 2 + 3 + 4 pairs of 16; a decode step sees all it has. */
static void test_masked_pairs(void **state)
{
    fixture *f = *state;
    ridge_bench_case cases[] = {{problem_of(RIDGE_KERNEL_KIND_ATTENTION, "fp32"), 1, NULL, RIDGE_BENCH_HOT},
                                {problem_of(RIDGE_KERNEL_KIND_ATTENTION, "fp32"), 1, NULL, RIDGE_BENCH_HOT}};
    ridge_bench b;
    for (size_t i = 0; i < 2; i++) {
        ridge_problem *p = &cases[i].problem;
        p->batch = p->heads = p->kv_heads = 1;
        p->head_dim = 8;
        p->causal = true;
        p->seq = i == 0 ? 4 : 1;
        p->past = i == 0 ? 0 : 3;
    }
    asking a = small_request(cases);
    a.cases.count = 2;
    a.request.rounds = 1;
    a.request.variant = "naive";
    a.extras.variant_count = 0;
    assert_int_equal(run(&b, &a, f, NULL), RIDGE_OK);
    assert_int_equal(b.row_count, 2);
    assert_true(b.rows[0].dense_flops * 10 == b.rows[0].row.flops * 16);
    assert_true(b.rows[0].dense_flops_per_s > b.rows[0].row.flops_per_s);
    assert_true(b.rows[1].dense_flops == 0 && b.rows[1].dense_flops_per_s < 0);
}

/* one of each provider, unless all are asked for */
static void test_one_of_a_provider(void **state)
{
    fixture *f = *state;
    ridge_bench_case c = small_case();
    asking a = small_request(&c);
    ridge_bench b;
    a.request.provider = "test";
    assert_int_equal(run(&b, &a, f, NULL), RIDGE_OK);
    assert_int_equal(b.row_count, 1);
    assert_string_equal(b.rows[0].row.variant, "wrong"); /* the first, as they are listed */
    a.request.provider = NULL;
    a.request.variant = "right";
    assert_int_equal(run(&b, &a, f, NULL), RIDGE_OK);
    assert_int_equal(b.row_count, 1);
    assert_true(b.rows[0].right);
}

static void test_unknown_names(void **state)
{
    fixture *f = *state;
    ridge_bench_case c = small_case();
    asking a = small_request(&c);
    ridge_kernel_kind kind;
    ridge_bench b;
    ridge_err err = {0};
    a.request.variant = "generik";
    assert_int_equal(run(&b, &a, f, &err), RIDGE_NAME);
    assert_string_equal(message_of(&err), "gemv has no variant 'generik'; did you mean 'generic'?");
    ridge_bench_case both[] = {c, c}; /* of a list, too */
    err = (ridge_err){0};
    a.cases.items = both;
    a.cases.count = 2;
    a.cases.some = true;
    assert_int_equal(run(&b, &a, f, &err), RIDGE_NAME);
    assert_string_equal(message_of(&err), "no kernel of these has the variant 'generik'; did you mean 'generic'?");
    err = (ridge_err){0};
    assert_int_equal(ridge_bench_kind_find(&kind, "gemw", &err), RIDGE_USAGE);
    assert_non_null(strstr(err.msg, "did you mean 'gem"));
    assert_int_equal(ridge_bench_kind_find(&kind, "softmax", NULL), RIDGE_OK);
    assert_int_equal(kind, RIDGE_KERNEL_KIND_SOFTMAX);
}

/* ---- lists of cases ---- */

static bool has(const ridge_words *words, const char *name)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], name) == 0)
            return true;
    return false;
}

/* MXFP6 is nobody's but plain C's, Q4_K has a kernel wherever there is AVX2 or dot products of Arm */
static void test_slow_formats_by_name(void **state)
{
    fixture *f = *state;
    ridge_bench_request r = {.kind = "gemv", .all_formats = true};
    ridge_bench_cases quick, every;
    for (size_t i = 0; i < RIDGE_BENCH_SIZES; i++)
        r.sizes[i] = i == RIDGE_BENCH_n || i == RIDGE_BENCH_k ? 256 : RIDGE_UNSET;
    assert_int_equal(ridge_bench_cases_make(&quick, &r, &f->ops, &f->arena, NULL), RIDGE_OK);
    r.variant = "generic";
    assert_int_equal(ridge_bench_cases_make(&every, &r, &f->ops, &f->arena, NULL), RIDGE_OK);
    assert_int_equal(every.slow.count, 0);
    assert_int_equal(quick.count + quick.slow.count, every.count);
    if (quick.slow.count > 0) {
        assert_true(has(&quick.slow, "mxfp6"));
        assert_false(has(&quick.slow, "q4_K"));
    }
    for (size_t i = 0; i < quick.count; i++)
        assert_false(has(&quick.slow, quick.items[i].problem.weights->name));
    r.variant = NULL;
    const ridge_format *first[] = {format("mxfp6")};
    r.dtypes = (ridge_formats){first, 1}; /* the first is no faster: nothing is left out */
    assert_int_equal(ridge_bench_cases_make(&every, &r, &f->ops, &f->arena, NULL), RIDGE_OK);
    assert_int_equal(every.slow.count, 0);
}

static void test_suite(void **state)
{
    fixture *f = *state;
    ridge_bench_cases cases;
    bool kinds[RIDGE_KERNEL_KIND_COUNT] = {0};
    assert_int_equal(ridge_bench_suite(&cases, "cpu", &f->arena, NULL), RIDGE_OK);
    assert_true(cases.count >= 40 && cases.some);
    for (size_t i = 0; i < cases.count; i++) {
        ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
        ridge_bench_cost cost;
        size_t n;
        assert_int_equal(ridge_problem_operands(operands, &n, &cases.items[i].problem, NULL), RIDGE_OK);
        assert_int_equal(ridge_bench_cost_of(&cost, &cases.items[i].problem, &f->ops, &f->arena, NULL), RIDGE_OK);
        assert_true(cost.record.flops.total > 0 && cost.record.bytes > 0);
        kinds[cases.items[i].problem.kind] = true;
    }
    assert_true(kinds[RIDGE_KERNEL_KIND_GEMV] && kinds[RIDGE_KERNEL_KIND_GEMM] && kinds[RIDGE_KERNEL_KIND_ATTENTION]);
    assert_int_equal(ridge_bench_suite(&cases, "gpu", &f->arena, NULL), RIDGE_USAGE);
}

/* examples/tiny-llama or the like is not needed: a config as text. Hidden 64, 4 heads of 16, 2 key-value heads, intermediate 128, 3
 * layers, 96 words: per layer q, o [64,64]; k, v [32,64]; gate, up [128,64]; down [64,128]; lm_head [96,64]. */
static void test_model(void **state)
{
    static const char config[] = "{\"model_type\": \"llama\", \"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 64, "
                                 "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"intermediate_size\": 128, "
                                 "\"num_hidden_layers\": 3, \"vocab_size\": 96, \"torch_dtype\": \"float32\", "
                                 "\"tie_word_embeddings\": false}";
    static const struct {
        int64_t n, k, all, layer;
    } wanted[] = {{64, 64, 6, 2}, {32, 64, 6, 2}, {128, 64, 6, 2}, {64, 128, 3, 1}, {96, 64, 1, 0}};
    fixture *f = *state;
    for (int layer = 0; layer < 2; layer++) {
        ridge_model_request request;
        ridge_bench_cases cases;
        size_t attentions = 0, products = 0;
        ridge_err err = {0};
        ridge_model_request_default(&request);
        request.model = "tiny";
        request.config_text = config;
        request.config_length = sizeof config - 1;
        request.phase = RIDGE_PHASE_DECODE;
        request.past = 9;
        request.attention = RIDGE_PAIRS_CAUSAL;
        request.kernel = RIDGE_KERNEL_FUSED;
        ridge_status st = ridge_bench_model(&cases, &request, layer == 1, format("fp32"), f->ops.registry, &f->arena, &err);
        if (st != RIDGE_OK)
            fail_msg("%s", err.msg);
        for (size_t i = 0; i < cases.count; i++) {
            const ridge_problem *p = &cases.items[i].problem;
            if (p->kind == RIDGE_KERNEL_KIND_ATTENTION) {
                attentions++;
                assert_int_equal(p->heads, 4);
                assert_int_equal(p->kv_heads, 2);
                assert_int_equal(p->head_dim, 16);
                assert_int_equal(p->seq, 1);
                assert_int_equal(p->past, 9);
                assert_int_equal((int64_t)cases.items[i].count, layer ? 1 : 3);
                continue;
            }
            assert_int_equal(p->kind, RIDGE_KERNEL_KIND_GEMV);
            for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
                if (p->n == wanted[k].n && p->k == wanted[k].k) {
                    products++;
                    assert_int_equal((int64_t)cases.items[i].count, layer ? wanted[k].layer : wanted[k].all);
                }
        }
        assert_int_equal(attentions, 1);
        assert_int_equal(products, layer ? 4 : 5);
        assert_int_equal(cases.count, attentions + products);
    }
}

/* the cases of a model given as text, 16 tokens kept in decode */
static size_t cases_of(ridge_bench_case **out, fixture *f, const char *config, ridge_phase phase, int64_t batch, int64_t seq, bool layer)
{
    ridge_model_request request;
    ridge_bench_cases cases;
    ridge_err err = {0};
    ridge_model_request_default(&request);
    request.model = "tiny";
    request.config_text = config;
    request.config_length = strlen(config);
    request.phase = phase;
    request.batch = batch;
    request.seq = seq;
    request.past = phase == RIDGE_PHASE_DECODE ? 16 : RIDGE_UNSET;
    request.attention = RIDGE_PAIRS_CAUSAL;
    request.kernel = RIDGE_KERNEL_FUSED;
    if (ridge_bench_model(&cases, &request, layer, format("fp32"), f->ops.registry, &f->arena, &err) != RIDGE_OK)
        fail_msg("%s", err.msg);
    *out = cases.items;
    return cases.count;
}

/* how often [m, k] x [n, k]^T is run; m = 1: gemv */
static int64_t count_of(const ridge_bench_case *cases, size_t count, int64_t m, int64_t n, int64_t k)
{
    for (size_t i = 0; i < count; i++) {
        const ridge_problem *p = &cases[i].problem;
        if (p->kind == (m == 1 ? RIDGE_KERNEL_KIND_GEMV : RIDGE_KERNEL_KIND_GEMM) && p->m == (m == 1 ? 0 : m) && p->n == n && p->k == k)
            return (int64_t)cases[i].count;
    }
    return 0;
}

/* 8 experts of which a token takes 2; w1, w3 [128,64], w2 [64,128]; 3 layers */
static const char mixtral[] = "{\"model_type\": \"mixtral\", \"architectures\": [\"MixtralForCausalLM\"], \"hidden_size\": 64, "
                              "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"intermediate_size\": 128, "
                              "\"num_hidden_layers\": 3, \"vocab_size\": 96, \"num_local_experts\": 8, \"num_experts_per_tok\": 2, "
                              "\"torch_dtype\": \"float32\", \"tie_word_embeddings\": false}";

/* Each expert reads weights of its own. One token reaches 2; 4 tokens 8 (1 - (3/4)^4) = 5.47: 5 in one layer, 16 in three, for 8 and 24
 * rows: 3 * 2 + 2 * 1, 8 * 2 + 8 * 1; 16 tokens 7.92: 8 and 24, for 32 and 96 rows. w1 and w3 are one case. */
static void test_mixture(void **state)
{
    static const struct {
        ridge_phase phase;
        int64_t batch, seq;
        bool layer;
        int64_t rows, up, down; /* rows of a product; how many of w1 and w3, of w2 */
    } wanted[] = {
        {RIDGE_PHASE_DECODE, 1, 1, true, 1, 4, 2},      {RIDGE_PHASE_DECODE, 1, 1, false, 1, 12, 6},
        {RIDGE_PHASE_DECODE, 1, 1, true, 2, 0, 0},      {RIDGE_PHASE_DECODE, 4, 1, true, 1, 4, 2},
        {RIDGE_PHASE_DECODE, 4, 1, true, 2, 6, 3},      {RIDGE_PHASE_DECODE, 4, 1, false, 1, 16, 8},
        {RIDGE_PHASE_DECODE, 4, 1, false, 2, 16, 8},    {RIDGE_PHASE_PREFILL, 1, 16, true, 4, 16, 8},
        {RIDGE_PHASE_PREFILL, 1, 16, false, 4, 48, 24},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        ridge_bench_case *cases;
        size_t count = cases_of(&cases, f, mixtral, wanted[i].phase, wanted[i].batch, wanted[i].seq, wanted[i].layer);
        assert_int_equal(count_of(cases, count, wanted[i].rows, 128, 64), wanted[i].up);
        assert_int_equal(count_of(cases, count, wanted[i].rows, 64, 128), wanted[i].down);
        assert_int_equal(count_of(cases, count, wanted[i].batch * wanted[i].seq, 8, 64), wanted[i].layer ? 1 : 3); /* the router */
    }
}

/* layers that are not all alike fold as "layers.{1-2}": one of those is run, and none of the one before. 64 experts of which a token
 * takes 6, each [48,64] twice and [64,48]; the first layer's product is [80,64]. */
static void test_layer_of_some(void **state)
{
    static const char config[] =
        "{\"model_type\": \"deepseek_v2\", \"architectures\": [\"DeepseekV2ForCausalLM\"], \"hidden_size\": 64, "
        "\"num_attention_heads\": 4, \"num_key_value_heads\": 4, \"intermediate_size\": 80, \"moe_intermediate_size\": 48, "
        "\"num_hidden_layers\": 3, \"first_k_dense_replace\": 1, \"moe_layer_freq\": 1, \"n_routed_experts\": 64, "
        "\"n_shared_experts\": 2, \"num_experts_per_tok\": 6, \"n_group\": 1, \"topk_group\": 1, \"topk_method\": \"greedy\", "
        "\"kv_lora_rank\": 32, \"q_lora_rank\": null, \"qk_nope_head_dim\": 16, \"qk_rope_head_dim\": 8, \"v_head_dim\": 16, "
        "\"vocab_size\": 96, \"torch_dtype\": \"float32\", \"tie_word_embeddings\": false}";
    ridge_bench_case *cases;
    size_t count = cases_of(&cases, *state, config, RIDGE_PHASE_DECODE, 1, 1, true);
    assert_int_equal(count_of(cases, count, 1, 48, 64), 12);
    assert_int_equal(count_of(cases, count, 1, 64, 48), 6);
    assert_int_equal(count_of(cases, count, 1, 80, 64), 0);
}

/* a case for each format of a list, in its order; what has formats of its own takes one */
static void test_lists_of_formats(void **state)
{
    fixture *f = *state;
    const ridge_format *formats[] = {ridge_format_find(RIDGE_STR("q8_0")), ridge_format_find(RIDGE_STR("bf16"))};
    ridge_bench_request request = {.kind = "gemv", .dtypes = {formats, 2}};
    ridge_bench_cases cases;
    ridge_err err = {0};
    for (size_t i = 0; i < RIDGE_BENCH_SIZES; i++)
        request.sizes[i] = i == RIDGE_BENCH_n || i == RIDGE_BENCH_k ? 64 : RIDGE_UNSET;
    assert_int_equal(ridge_bench_cases_make(&cases, &request, &f->ops, &f->arena, &err), RIDGE_OK);
    assert_int_equal(cases.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_ptr_equal(cases.items[i].problem.weights, formats[i]);
        assert_string_equal(cases.items[i].problem.activations->name, "fp32");
        assert_int_equal(cases.items[i].problem.k, 64);
    }
    request.all_formats = true;
    assert_int_equal(ridge_bench_cases_make(&cases, &request, &f->ops, &f->arena, &err), RIDGE_USAGE);
    assert_string_equal(message_of(&err), "all-formats goes with one dtype, not with 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_of_formats),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_wrong_is_not_timed),
        cmocka_unit_test(test_rounds_and_a_failure),
        cmocka_unit_test(test_masked_pairs),
        cmocka_unit_test(test_one_of_a_provider),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_suite),
        cmocka_unit_test(test_slow_formats_by_name),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_mixture),
        cmocka_unit_test(test_layer_of_some),
    };
    return cmocka_run_group_tests_name("bench", tests, set_up, tear_down);
}
