/* sweep.c - axes and their errors, the order and number of points, exact integers beyond 64 bits, summaries, stopping, failures.
 * Values by hand; that every point equals `ridge predict` is tests/golden/sweep.py's. */
#include "test.h"

#include <stdlib.h>

#include "sweep/rows.h"
#include "predict/counts.h"

/* ---- axes ---- */

static ridge_status read_axis(ridge_sweep_axis *a, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_err_clear(err);
    return ridge_sweep_axis_read(a, text, "batch", 1, (int64_t)1 << 40, arena, err);
}

static void has(const char *text, const int64_t *values, size_t n, int64_t most)
{
    ridge_arena arena;
    ridge_sweep_axis a;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    assert_int_equal(read_axis(&a, text, &arena, &err), RIDGE_OK);
    assert_int_equal(a.count, n);
    assert_int_equal(a.most, most);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ridge_sweep_axis_at(&a, (int64_t)i), values[i]);
    ridge_arena_free(&arena);
}
#define HAS(text, most, ...) has(text, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), most)

static void test_axes(void **state)
{
    (void)state;
    HAS("7", 7, 7);
    HAS("1,2,8", 8, 1, 2, 8);
    HAS("8,1", 8, 8, 1);
    HAS("1:256:*2", 256, 1, 2, 4, 8, 16, 32, 64, 128, 256);
    HAS("3:50:*3", 27, 3, 9, 27);
    HAS("1:10:+4", 9, 1, 5, 9);
    HAS("5:5:*2", 5, 5);
    HAS("1,4:16:*2,100:104:+2", 104, 1, 4, 8, 16, 100, 102, 104);
    HAS("1k,1Ki", 1024, 1000, 1024);
}

static void test_long_axes(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_sweep_axis a;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    assert_int_equal(read_axis(&a, "1:1099511627776:+1", &arena, &err), RIDGE_OK);
    assert_int_equal(a.count, (int64_t)1 << 40);
    assert_int_equal(ridge_sweep_axis_at(&a, ((int64_t)1 << 40) - 1), (int64_t)1 << 40);
    assert_true(arena.total < 4096);
    assert_int_equal(read_axis(&a, "1:1099511627776:*2", &arena, &err), RIDGE_OK);
    assert_int_equal(a.count, 41);
    ridge_arena_free(&arena);
}

static void test_bad_axes(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "'' lacks a number"},
        {"1,,2", "'' lacks a number"},
        {"a", "'a' is no number"},
        {"1:8", "'1:8' lacks its step"},
        {"1:8:2", "'1:8:2' lacks its step"},
        {"4,1:8:*1", "'1:8:*1' never ends"},
        {"1:8:+0", "'1:8:+0' never ends"},
        {"8:1:*2", "'8:1:*2' ends before it begins"},
        {"1:8:*2:3", "'1:8:*2:3' is no number"},
        {"0", "0 is out of range: it must be from 1 to 1099511627776"},
        {"1:99999999999999999999999:+1", "99999999999999999999999 is out of range"},
        {"1:8:*-2", "'1:8:*-2'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ridge_arena arena;
        ridge_sweep_axis a;
        ridge_err err = {0};
        ridge_arena_init(&arena);
        assert_int_equal(read_axis(&a, bad[i].text, &arena, &err), RIDGE_USAGE);
        if (strstr(err.msg, bad[i].says) == NULL)
            fail_msg("'%s' gives: %s", bad[i].text, err.msg);
        assert_non_null(strstr(err.msg, RIDGE_OPT("batch")));
        ridge_arena_free(&arena);
    }
}

/* ---- exact integers ---- */

typedef struct algebra {
    ridge_arena arena;
    ridge_algebra algebra;
    ridge_err err;
    ridge_calc calc;
    ridge_value x, y;
} algebra;

static void begin(algebra *a)
{
    memset(a, 0, sizeof *a);
    ridge_arena_init(&a->arena);
    assert_true(ridge_algebra_init(&a->algebra, &a->arena));
    a->calc = (ridge_calc){&a->arena, &a->algebra, &a->err};
    assert_int_equal(ridge_sym_name(&a->x, "x", 1, &a->calc), RIDGE_OK);
    assert_int_equal(ridge_sym_name(&a->y, "y", 0, &a->calc), RIDGE_OK);
}

static ridge_value op(algebra *a, ridge_op o, ridge_value p, ridge_value q)
{
    ridge_value out;
    assert_int_equal(ridge_value_binary(&out, o, p, q, &a->calc), RIDGE_OK);
    return out;
}

/* lane k has x = first + k, y = 3 k; `wanted` by the plain rules of integers */
static void count(algebra *a, ridge_value v, int64_t first, ridge_int (*wanted)(ridge_int x, ridge_int y))
{
    ridge_counts *c;
    ridge_counts_room room;
    ridge_int out[RIDGE_LANES];
    int64_t inputs[2][RIDGE_LANES];
    assert_int_equal(ridge_counts_make(&c, &v, 1, &a->calc), RIDGE_OK);
    assert_true(ridge_counts_room_make(&room, c));
    for (int k = 0; k < RIDGE_LANES; k++) {
        inputs[0][k] = first + k;
        inputs[1][k] = 3 * k;
    }
    ridge_counts_run(c, &room, (const int64_t(*)[RIDGE_LANES])inputs);
    ridge_counts_output(out, c, &room, 0);
    for (int k = 0; k < RIDGE_LANES; k++) {
        assert_true(room.good[k]);
        assert_true(out[k] == wanted(inputs[0][k], inputs[1][k]));
    }
    ridge_counts_room_free(&room);
}

static ridge_int triangle(ridge_int x, ridge_int y)
{
    return x * (x + 1) / 2 + y;
}

static ridge_int floors(ridge_int x, ridge_int y)
{
    ridge_int a = x * x - 7 * y, q = a / 10; /* to zero */
    return q - (a % 10 != 0 && a < 0);
}

static ridge_int larger(ridge_int x, ridge_int y)
{
    return x * x > 40 * y ? x * x : 40 * y;
}

static ridge_int fifth(ridge_int x, ridge_int y)
{
    return x * x * x * x * x + y;
}

static ridge_int where(ridge_int x, ridge_int y)
{
    return x >= y ? x * y : 0;
}

static void test_counts(void **state)
{
    algebra a;
    ridge_value v, square, w;
    (void)state;
    begin(&a);
    square = op(&a, RIDGE_OP_MUL, a.x, a.x);
    v = op(&a, RIDGE_OP_ADD, op(&a, RIDGE_OP_DIV, op(&a, RIDGE_OP_ADD, square, a.x), ridge_value_int(2)), a.y);
    count(&a, v, 1, triangle);
    count(&a, v, INT64_C(4000000000), triangle); /* x * (x + 1) is beyond 2^63 */
    v = op(&a, RIDGE_OP_FLOORDIV, op(&a, RIDGE_OP_SUB, square, op(&a, RIDGE_OP_MUL, a.y, ridge_value_int(7))), ridge_value_int(10));
    count(&a, v, 1, floors);
    count(&a, v, INT64_C(1) << 40, floors);
    assert_int_equal(ridge_sym_min_max(&v, true, square, op(&a, RIDGE_OP_MUL, a.y, ridge_value_int(40)), &a.calc), RIDGE_OK);
    count(&a, v, 1, larger);
    count(&a, v, INT64_C(1) << 40, larger);
    v = op(&a, RIDGE_OP_ADD, op(&a, RIDGE_OP_MUL, op(&a, RIDGE_OP_MUL, square, square), a.x), a.y);
    count(&a, v, 1, fifth);
    count(&a, v, 1 << 20, fifth);
    w = op(&a, RIDGE_OP_GE, a.x, a.y);
    count(&a, op(&a, RIDGE_OP_MUL, w, op(&a, RIDGE_OP_MUL, a.x, a.y)), 1, where);
    ridge_arena_free(&a.arena);
}

/* where there is no integer, the lane says so; where 128 bits do not hold it, all do */
static void test_counts_that_are_none(void **state)
{
    algebra a;
    ridge_counts *c;
    ridge_counts_room room;
    int64_t inputs[2][RIDGE_LANES] = {{0}};
    (void)state;
    begin(&a);
    ridge_value half = op(&a, RIDGE_OP_DIV, a.x, ridge_value_int(2)), v = a.x;
    assert_int_equal(ridge_counts_make(&c, &half, 1, &a.calc), RIDGE_OK);
    assert_true(ridge_counts_room_make(&room, c));
    for (int k = 0; k < RIDGE_LANES; k++)
        inputs[0][k] = k;
    ridge_counts_run(c, &room, (const int64_t(*)[RIDGE_LANES])inputs);
    for (int k = 0; k < RIDGE_LANES; k++)
        assert_int_equal(room.good[k], k % 2 == 0);
    ridge_counts_room_free(&room);
    for (int i = 0; i < 3; i++)
        v = op(&a, RIDGE_OP_MUL, v, v); /* x^8 */
    assert_int_equal(ridge_counts_make(&c, &v, 1, &a.calc), RIDGE_OK);
    assert_true(ridge_counts_room_make(&room, c));
    for (int k = 0; k < RIDGE_LANES; k++)
        inputs[0][k] = 1 << 20;
    ridge_counts_run(c, &room, (const int64_t(*)[RIDGE_LANES])inputs);
    for (int k = 0; k < RIDGE_LANES; k++)
        assert_false(room.good[k]);
    ridge_counts_room_free(&room);
    v = op(&a, RIDGE_OP_DIV, ridge_value_int(1), a.x);
    assert_int_equal(ridge_counts_make(&c, &v, 1, &a.calc), RIDGE_VALUE);
    ridge_arena_free(&a.arena);
}

/* ---- sweeps ---- */

static const char config[] = "{\"model_type\": \"llama\", \"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 256, "
                             "\"intermediate_size\": 512, \"num_hidden_layers\": 3, \"num_attention_heads\": 4, \"vocab_size\": 1000, "
                             "\"max_position_embeddings\": 4096, \"torch_dtype\": \"bfloat16\"}";

typedef struct grid {
    ridge_registry *registry;
    ridge_machines *machines;
    ridge_arena arena;
    ridge_err err;
    ridge_sweep_request request;
    ridge_sweep sweep;
    int64_t written; /* points, as write() heard */
    ridge_buf text;
    int fail_after; /* blocks; 0: never */
    ridge_stop stop;
    int64_t stop_after; /* points; 0: never */
    size_t notes;
} grid;

/* an option as the command line has it */
static ridge_status store(grid *g, const char *option, const char *text)
{
    return ridge_option_store(&g->request, ridge_option_named(ridge_options_sweep, option), text, &g->arena, &g->err);
}

static void set(grid *g, const char *option, const char *text)
{
    assert_int_equal(store(g, option, text), RIDGE_OK);
}

static void open_grid(grid *g, const char *machines, const char *batch, const char *seq)
{
    memset(g, 0, sizeof *g);
    ridge_arena_init(&g->arena);
    assert_int_equal(ridge_registry_open(&g->registry, NULL, 0, false, &g->err), RIDGE_OK);
    assert_int_equal(ridge_machines_open(&g->machines, NULL, 0, &g->err), RIDGE_OK);
    ridge_predict_default(&g->request.predict);
    g->request.predict.model.model = "tiny";
    g->request.predict.model.config_text = config;
    g->request.predict.model.config_length = sizeof config - 1;
    set(g, "phase", "prefill");
    set(g, "on", machines);
    set(g, "batch", batch);
    set(g, "seq", seq);
}

static void close_grid(grid *g)
{
    ridge_sweep_free(&g->sweep);
    ridge_buf_free(&g->text);
    ridge_machines_close(g->machines);
    ridge_registry_close(g->registry);
    ridge_arena_free(&g->arena);
}

/* "first batch seq" of every block's first and last point */
static void take(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *b)
{
    const ridge_sweep_point *last = &b->points[b->n - 1];
    (void)data;
    (void)thread;
    ridge_buf_addf(text, "%lld %s %lld,%lld..%lld,%lld\n", (long long)b->first, b->shared.machine_id, (long long)b->points[0].batch,
                   (long long)b->points[0].seq, (long long)last->batch, (long long)last->seq);
}

static ridge_status write_text(void *data, ridge_buf *text, int64_t done, ridge_err *err)
{
    grid *g = data;
    assert_int_equal(atoll(text->p), g->written); /* in order: a block begins where the last one ended */
    g->written = done;
    ridge_buf_add(&g->text, (ridge_str){text->p, text->n});
    g->stop = g->stop_after && done >= g->stop_after;
    if (g->fail_after && --g->fail_after == 0)
        return ridge_fail(err, RIDGE_IO, "the disk is full");
    return RIDGE_OK;
}

static void note(void *data, const char *text)
{
    (void)text;
    ((grid *)data)->notes++;
}

static ridge_status run(grid *g)
{
    ridge_sweep_sink sink = {.data = g, .take = take, .write = write_text, .note = note, .stop = &g->stop};
    ridge_status st = ridge_sweep_open(&g->sweep, g->registry, g->machines, &g->request, &g->err);
    return st ? st : ridge_sweep_run(&g->sweep, &sink, &g->err);
}

static void test_order(void **state)
{
    grid g;
    (void)state;
    open_grid(&g, "h100-sxm-80,l4", "1:300:+1", "1:5:*2,10");
    g.request.threads = 1;
    assert_int_equal(run(&g), RIDGE_OK);
    assert_int_equal(g.sweep.count, 2 * 300 * 4);
    assert_int_equal(g.written, 2400);
    assert_false(g.sweep.stopped);
    /* 1,200 points a machine: blocks of 1,024 and 176; 1,024 / 4 lengths is batch 256 */
    assert_string_equal(g.text.p,
                        "0 h100-sxm-80 1,1..256,10\n1024 h100-sxm-80 257,1..300,10\n1200 l4 1,1..256,10\n2224 l4 257,1..300,10\n");
    close_grid(&g);
}

static void test_threads_keep_the_order(void **state)
{
    (void)state;
    for (int64_t threads = 2; threads <= 9; threads += 7) {
        grid g;
        open_grid(&g, "h100-sxm-80,l4,mi300x", "1:400:+1", "1:100:+1"); /* 40 blocks a machine */
        g.request.threads = threads;
        assert_int_equal(run(&g), RIDGE_OK);
        assert_int_equal(g.written, 120000);
        close_grid(&g);
    }
}

static void test_stopping(void **state)
{
    (void)state;
    for (int64_t threads = 1; threads <= 3; threads++) {
        grid g;
        open_grid(&g, "l4", "1:1000:+1", "1:1000:+1");
        g.request.threads = threads;
        g.stop_after = 3000;
        assert_int_equal(run(&g), RIDGE_OK);
        assert_true(g.sweep.stopped);
        assert_true(g.written >= 3000 && g.written < 100000);
        assert_int_equal(g.sweep.done, g.written);
        close_grid(&g);
    }
}

static void test_a_sink_that_fails(void **state)
{
    (void)state;
    for (int64_t threads = 1; threads <= 3; threads++) {
        grid g;
        open_grid(&g, "l4", "1:1000:+1", "1:1000:+1");
        g.request.threads = threads;
        g.fail_after = 3;
        assert_int_equal(run(&g), RIDGE_IO);
        assert_string_equal(g.err.msg, "the disk is full");
        assert_int_equal(g.written, 3 * 1024);
        close_grid(&g);
    }
}

static void test_sweeps_that_cannot_be(void **state)
{
    grid g;
    (void)state;
    open_grid(&g, "h100-sxm-8", "1", "1");
    assert_int_equal(run(&g), RIDGE_UNKNOWN);
    assert_non_null(strstr(g.err.msg, "h100-sxm-80"));
    close_grid(&g);
    open_grid(&g, "l4", "1:1000000000:+1", "1:1000000000:+1");
    set(&g, "past", "0:999:+1");
    assert_int_equal(run(&g), RIDGE_USAGE);
    assert_non_null(strstr(g.err.msg, "1,000,000,000,000,000,000,000 points"));
    close_grid(&g);
    open_grid(&g, "l4", "1", "1");
    assert_int_equal(store(&g, "weights", "bf16,q4_Z"), RIDGE_USAGE);
    assert_non_null(strstr(g.err.msg, "q4_Z"));
    close_grid(&g);
}

/* a length above the model's: said once, not once a point */
static void test_notes(void **state)
{
    grid g;
    (void)state;
    open_grid(&g, "l4,h100-sxm-80", "1:4:+1", "4000:5000:+500");
    set(&g, "weights", "bf16,fp16,q8_0");
    assert_int_equal(run(&g), RIDGE_OK);
    assert_int_equal(g.written, 2 * 4 * 3 * 3);
    assert_int_equal(g.notes, 1);
    close_grid(&g);
}

/* ---- summaries ---- */

static ridge_sweep_point point(double time_s, double tokens_per_s, bool fits)
{
    return (ridge_sweep_point){.time_s = time_s, .tokens_per_s = tokens_per_s, .fits = fits};
}

/* points that are dominated, equal, do not fit; in two summaries in either order */
static void test_front(void **state)
{
    const ridge_sweep_point points[] = {point(3, 30, true),   point(1, 5, true),  point(2, 20, true), point(2, 20, true),
                                        point(2.5, 20, true), point(2, 19, true), point(1, 5, false), point(0.5, 99, false),
                                        point(4, 30, true),   point(5, 31, true)};
    static const int64_t wanted[] = {1, 2, 0, 9};
    static const ridge_sweep_shared prefill = {.phase = RIDGE_PHASE_PREFILL};
    (void)state;
    for (size_t cut = 0; cut <= 10; cut++) {
        grid g;
        ridge_sweep_summary a, b;
        open_grid(&g, "l4", "1", "1");
        assert_int_equal(ridge_sweep_open(&g.sweep, g.registry, g.machines, &g.request, &g.err), RIDGE_OK);
        assert_int_equal(ridge_sweep_summary_init(&a, &g.sweep, &g.err), RIDGE_OK);
        assert_int_equal(ridge_sweep_summary_init(&b, &g.sweep, &g.err), RIDGE_OK);
        ridge_sweep_block block = {.shared = prefill, .first = (int64_t)cut, .n = 10 - cut, .points = points + cut};
        ridge_sweep_summary_add(&a, &block);
        block = (ridge_sweep_block){.shared = prefill, .n = cut, .points = points};
        ridge_sweep_summary_add(&b, &block);
        ridge_sweep_summary_merge(&a, &b);
        assert_int_equal(a.fit, 8);
        assert_int_equal(a.fronts[RIDGE_PHASE_PREFILL].n, 4);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(a.fronts[RIDGE_PHASE_PREFILL].p[i].index, wanted[i]);
        assert_int_equal(a.fastest[RIDGE_PHASE_PREFILL].index, 9);
        assert_int_equal(a.shortest[RIDGE_PHASE_PREFILL].index, 1);
        ridge_sweep_summary_free(&a);
        ridge_sweep_summary_free(&b);
        close_grid(&g);
    }
}

/* RFC 4180: a name with a comma and quotes. Columns as docs/sweep.md has them; no images, and no front is known yet */
static void test_csv_quotes(void **state)
{
    const ridge_sweep_point p = {.batch = 1,
                                 .seq = 2,
                                 .past = 3,
                                 .flops = 4,
                                 .bytes = 5,
                                 .memory_bytes = 6,
                                 .time_s = 0.5,
                                 .tokens_per_s = 2,
                                 .images_per_s = -1,
                                 .bound = RIDGE_BOUND_COMPUTE,
                                 .fits = 1};
    const ridge_sweep_block b = {.shared = {.model = "a,\"b\"",
                                            .machine_id = "l4",
                                            .phase = RIDGE_PHASE_PREFILL,
                                            .weights = ridge_format_find(RIDGE_STR("bf16")),
                                            .activations = ridge_format_find(RIDGE_STR("fp16")),
                                            .kv = ridge_format_find(RIDGE_STR("fp8_e4m3"))},
                                 .n = 1,
                                 .points = &p};
    ridge_record_columns columns;
    ridge_arena arena;
    ridge_buf out = {0};
    (void)state;
    ridge_arena_init(&arena);
    assert_int_equal(ridge_record_columns_make(&columns, &ridge_sweep_record, RIDGE_FORM_CSV, &arena, NULL), RIDGE_OK);
    ridge_record_csv_head(&out, &columns);
    ridge_sweep_csv(&out, &columns, &b);
    assert_string_equal(out.p,
                        "model,machine,phase,batch,seq,past,weights,activations,kv,flops,bytes,time_s,tokens_per_s,bound,memory_bytes,"
                        "fits,pareto,images_per_s\n"
                        "\"a,\"\"b\"\"\",l4,prefill,1,2,3,bf16,fp16,fp8_e4m3,4,5,0.5,2,compute,6,true,,\n");
    ridge_buf_free(&out);
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_long_axes),
        cmocka_unit_test(test_bad_axes),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counts_that_are_none),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_threads_keep_the_order),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_a_sink_that_fails),
        cmocka_unit_test(test_sweeps_that_cannot_be),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_front),
        cmocka_unit_test(test_csv_quotes),
    };
    return RUN_TESTS(tests);
}
