/* experiment.c - experiments at sizes that take no time: rows, verdicts, errors. No time is asserted; formulas against arithmetic by hand.
 */
#include "test.h"

#include <math.h>
#include <string.h>

#include "app/experiment.h"
#include "base/json.h"

static ridge_arena arena;
static ridge_ops ops;

static int setup(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return ridge_ops_open(&ops, NULL) != RIDGE_OK;
}

static int teardown(void **state)
{
    (void)state;
    ridge_ops_close(&ops);
    ridge_arena_free(&arena);
    return 0;
}

static const ridge_experiment *run(const ridge_experiment_request *request)
{
    ridge_experiment *e;
    ridge_err err = {0};
    ridge_buf json = {0};
    ridge_json *root;
    ridge_status st = ridge_experiment_run(&e, request, &ops, &arena, &err);
    assert_string_equal(err.msg, "");
    assert_int_equal(st, RIDGE_OK);
    assert_true(strlen(e->sentence) > 20);
    ridge_experiment_json(&json, e);
    assert_int_equal(ridge_json_parse(&root, (ridge_str){json.p, json.n}, "answer", (ridge_json_options){true}, &arena, &err), RIDGE_OK);
    assert_int_equal(ridge_json_get(root, "rows")->count, e->row_count);
    assert_non_null(ridge_json_get(root, "verdict"));
    assert_non_null(ridge_json_get(root, "sentence"));
    for (size_t i = 0; i < e->row_count; i++)
        assert_non_null(ridge_json_get(&ridge_json_get(root, "rows")->u.items[i], e->columns[0].key));
    ridge_buf_free(&json);
    return e;
}

static const ridge_experiment_request small = {.n = 256, .k = 256, .threads = 1, .budget_s = 0.05};

static void memory_vs_compute(void **state)
{
    (void)state;
    ridge_experiment_request q = small;
    const ridge_experiment *e = run(&q);
    assert_int_equal(e->row_count, 3);
    assert_string_equal(e->rows[0].name, "read only");
    assert_string_equal(e->rows[2].name, "full");
    assert_true(e->rows[2].values[1] == 1);
    /* FLOPs and bytes of the product: 2 n k and 2 n k, so both rates are the same number */
    assert_true(fabs(e->rows[2].values[2] - e->rows[2].values[3]) <= 1e-9 * e->rows[2].values[3]);
    bool memory = e->rows[0].values[0] >= e->rows[1].values[0];
    assert_string_equal(e->verdict, memory ? "memory" : "compute");
}

static void quant_overhead(void **state)
{
    (void)state;
    const ridge_format *formats[] = {ridge_format_find(RIDGE_STR("q4_K"))};
    ridge_experiment_request q = small;
    q.kind = RIDGE_EXPERIMENT_QUANT;
    q.formats = formats;
    q.format_count = 1;
    const ridge_experiment *e = run(&q);
    assert_int_equal(e->row_count, 2);
    assert_string_equal(e->rows[0].name, "bf16");
    assert_true(e->rows[0].values[1] == 256 * 256 * 2);
    assert_true(e->rows[1].values[1] == 256 * 144); /* one super-block of 144 bytes a row */
}

static void size_sweep(void **state)
{
    (void)state;
    ridge_experiment_request q = {.kind = RIDGE_EXPERIMENT_SIZES, .threads = 1, .most_bytes = 65536, .budget_s = 0.05};
    const ridge_experiment *e = run(&q);
    assert_int_equal(e->row_count, 5); /* 4, 8, 16, 32, 64 KiB */
    for (size_t i = 0; i < 5; i++)
        assert_true(e->rows[i].values[0] == (double)(4096 << i));
}

static void thread_sweep(void **state)
{
    (void)state;
    ridge_experiment_request q = small;
    q.kind = RIDGE_EXPERIMENT_THREADS;
    q.threads = 2;
    const ridge_experiment *e = run(&q);
    assert_int_equal(e->row_count, 2);
    assert_true(e->rows[0].values[3] == 1);
}

static void batch_and_tile(void **state)
{
    (void)state;
    ridge_experiment_request q = small;
    q.kind = RIDGE_EXPERIMENT_BATCH;
    q.m = 4;
    assert_int_equal(run(&q)->row_count, 3); /* 1, 2, 4 */
    q.kind = RIDGE_EXPERIMENT_TILE;
    assert_int_equal(run(&q)->row_count, 3);
}

/* 1 ms for one row and 8 ms for 64: 1 / (8 / 64) = 8 rows; 2e6 bytes at 2e10 B/s are 100 us, in which 1e12 FLOP/s do 1e8 FLOP:
 * 50 rows of 2e6 */
static void ridge_points(void **state)
{
    (void)state;
    assert_true(fabs(ridge_experiment_ridge_rows(1e-3, 8e-3, 64) - 8) < 1e-9);
    assert_true(fabs(ridge_experiment_predicted_rows(2e6, 2e10, 2e6, 1e12) - 50) < 1e-9);
    assert_true(ridge_experiment_predicted_rows(2e6, 0, 2e6, 1e12) < 0);
}

/* ---- Ctrl-C, which sets ridge_measure_interrupted ---- */

static size_t points_before;

static void interrupt_at(void *context, const char *what, size_t done, size_t total)
{
    (void)context;
    (void)what;
    (void)total;
    if (done == points_before)
        ridge_measure_interrupted = 1;
}

/* after `done` points; the one in flight is none */
static const ridge_experiment *run_until(ridge_experiment_request q, size_t done)
{
    ridge_experiment *e;
    ridge_err err = {0};
    points_before = done;
    q.progress = interrupt_at;
    ridge_status st = ridge_experiment_run(&e, &q, &ops, &arena, &err);
    ridge_measure_interrupted = 0;
    assert_string_equal(err.msg, "");
    assert_int_equal(st, RIDGE_OK);
    assert_true(e->interrupted);
    assert_int_equal(e->row_count, done);
    assert_null(e->verdict);
    return e;
}

static void interrupted_at_once(void **state)
{
    (void)state;
    static const unsigned points[RIDGE_EXPERIMENT_COUNT] = {
        [RIDGE_EXPERIMENT_MEMORY] = 3,  [RIDGE_EXPERIMENT_QUANT] = 4, [RIDGE_EXPERIMENT_TILE] = 3,
        [RIDGE_EXPERIMENT_THREADS] = 2, [RIDGE_EXPERIMENT_SIZES] = 5, [RIDGE_EXPERIMENT_BATCH] = 3,
    };
    for (int kind = 0; kind < RIDGE_EXPERIMENT_COUNT; kind++) {
        bool sizes = kind == RIDGE_EXPERIMENT_SIZES, rows = kind == RIDGE_EXPERIMENT_TILE || kind == RIDGE_EXPERIMENT_BATCH;
        ridge_experiment_request q = {.kind = (ridge_experiment_kind)kind, .threads = 1, .budget_s = 0.05, .most_bytes = 65536};
        q.n = q.k = sizes ? 0 : 256;
        q.m = rows ? 4 : 0;
        q.threads = kind == RIDGE_EXPERIMENT_THREADS ? 2 : 1;
        const ridge_experiment *e = run_until(q, 0);
        const char *wanted = ridge_arena_printf(&arena, "interrupted after 0 of %u points: no conclusion", points[kind]);
        assert_string_equal(e->sentence, wanted);
    }
}

/* two of five sizes: the better of the two, and no knee */
static void interrupted_in_a_sweep(void **state)
{
    (void)state;
    const ridge_experiment_request q = {.kind = RIDGE_EXPERIMENT_SIZES, .threads = 1, .most_bytes = 65536, .budget_s = 0.05};
    const ridge_experiment *e = run_until(q, 2);
    const char *best = e->rows[e->rows[1].values[1] > e->rows[0].values[1]].name;
    assert_string_equal(e->sentence, ridge_arena_printf(&arena,
                                                        "interrupted after 2 of 5 points: the best of these is %s, and what the others "
                                                        "would have shown is not known",
                                                        best));
    ridge_buf text = {0};
    assert_int_equal(ridge_experiment_text(&text, e, 0, &arena, NULL), RIDGE_OK);
    ridge_buf_addc(&text, '\0');
    assert_null(strstr(text.p, "verdict"));
    ridge_buf_free(&text);
    ridge_json *root;
    ridge_buf json = {0};
    ridge_experiment_json(&json, e);
    assert_int_equal(ridge_json_parse(&root, (ridge_str){json.p, json.n}, "answer", (ridge_json_options){true}, &arena, NULL), RIDGE_OK);
    assert_int_equal(ridge_json_get(root, "verdict")->type, RIDGE_JSON_NULL);
    assert_int_equal(ridge_json_get(root, "interrupted")->type, RIDGE_JSON_TRUE);
    ridge_buf_free(&json);
    assert_string_equal(run_until(q, 1)->sentence, "interrupted after 1 of 5 points: no conclusion");
}

static void refused(void **state)
{
    (void)state;
    const ridge_format *formats[] = {ridge_format_find(RIDGE_STR("q4_K")), ridge_format_find(RIDGE_STR("q8_0"))};
    const struct {
        ridge_experiment_request request;
        const char *message;
    } cases[] = {
        {{.kind = RIDGE_EXPERIMENT_SIZES, .n = 5}, "size-sweep reads plain memory: it takes no --n, --k, --m or --format"},
        {{.kind = RIDGE_EXPERIMENT_MEMORY, .m = 5}, "memory-vs-compute runs one row: it takes no --m"},
        {{.kind = RIDGE_EXPERIMENT_TILE, .m = 5}, "tile-sweep halves --m: give a power of two, not 5"},
        {{.kind = RIDGE_EXPERIMENT_MEMORY, .formats = formats, .format_count = 2},
         "memory-vs-compute takes one --format; quant-overhead compares several"},
        {{.kind = RIDGE_EXPERIMENT_QUANT, .k = 100, .formats = formats, .format_count = 2},
         "--k 100 is not a multiple of 256, the block of q4_K"},
        {{.kind = RIDGE_EXPERIMENT_SIZES, .most_bytes = 4096, .threads = 1},
         "--most 4096: 1 threads need 8192 bytes at least for two sizes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_experiment *e;
        ridge_err err = {0};
        assert_int_equal(ridge_experiment_run(&e, &cases[i].request, &ops, &arena, &err), RIDGE_USAGE);
        assert_string_equal(err.msg, cases[i].message);
    }
    ridge_experiment_kind kind;
    ridge_err err = {0};
    assert_int_equal(ridge_experiment_find(&kind, "size-sweeps", &err), RIDGE_USAGE);
    assert_string_equal(err.msg, "no experiment 'size-sweeps'; did you mean 'size-sweep'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_vs_compute), cmocka_unit_test(quant_overhead),      cmocka_unit_test(size_sweep),
        cmocka_unit_test(thread_sweep),      cmocka_unit_test(batch_and_tile),      cmocka_unit_test(ridge_points),
        cmocka_unit_test(refused),           cmocka_unit_test(interrupted_at_once), cmocka_unit_test(interrupted_in_a_sweep),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, setup, teardown);
}
