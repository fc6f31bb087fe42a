/* experiment.c - experiments at sizes that take no time: rows, verdicts, errors. No time is asserted; formulas against arithmetic by hand.
 */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/parts.h"
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

static ridge_experiment answer;

static const ridge_experiment *run(const ridge_experiment_request *request)
{
    const ridge_experiment *e = &answer;
    ridge_err err = {0};
    ridge_buf json = {0};
    ridge_json *root;
    ridge_status st = ridge_experiment_run(&answer, request, NULL, &ops, &arena, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    assert_true(strlen(e->sentence) > 20);
    ridge_record_answer(&json, &ridge_experiment_record, e);
    assert_int_equal(ridge_json_parse(&root, (ridge_str){json.p, json.n}, "answer", (ridge_json_options){true}, &arena, &err), RIDGE_OK);
    assert_int_equal(ridge_json_get(root, "rows")->count, e->row_count);
    assert_non_null(ridge_json_get(root, "verdict"));
    assert_non_null(ridge_json_get(root, "sentence"));
    for (size_t i = 0; i < e->row_count; i++)
        assert_non_null(
            ridge_json_get(&ridge_json_get(root, "rows")->u.items[i], ridge_experiment_row_records[e->request.kind]->fields[0].key));
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
    assert_true(e->rows[2].share.value == 1);
    /* FLOPs and bytes of the product: 2 n k and 2 n k, so both rates are the same number */
    assert_true(fabs(e->rows[2].bytes_per_s - e->rows[2].flops_per_s) <= 1e-9 * e->rows[2].flops_per_s);
    for (size_t i = 0; i < 3; i++) {
        const ridge_sample_statistics *time = &e->rows[i].time.all;
        assert_int_equal(e->rows[i].time.rounds, RIDGE_EXPERIMENT_ROUNDS);
        assert_true(time->low_s <= time->median_s && time->median_s <= time->high_s && time->kept <= time->tried && time->tried >= 5);
    }
    if (e->verdict)
        assert_true(strstr("memory balanced compute", e->verdict) != NULL);
}

static void quant_overhead(void **state)
{
    (void)state;
    ridge_experiment_request q = small;
    q.kind = RIDGE_EXPERIMENT_QUANT;
    q.formats = (ridge_experiment_formats){.items = {ridge_format_find(RIDGE_STR("q4_K"))}, .count = 1};
    const ridge_experiment *e = run(&q);
    assert_int_equal(e->row_count, 2);
    assert_string_equal(e->rows[0].name, "bf16");
    assert_true(e->rows[0].bytes == 256 * 256 * 2);
    assert_true(e->rows[1].bytes == 256 * 144); /* one super-block of 144 bytes a row */
}

static void size_sweep(void **state)
{
    (void)state;
    ridge_experiment_request q = {.kind = RIDGE_EXPERIMENT_SIZES, .threads = 1, .most_bytes = 65536, .budget_s = 0.05};
    const ridge_experiment *e = run(&q);
    assert_int_equal(e->row_count, 5); /* 4, 8, 16, 32, 64 KiB */
    for (size_t i = 0; i < 5; i++)
        assert_true(e->rows[i].bytes == 4096 << i);
}

static void thread_sweep(void **state)
{
    (void)state;
    ridge_experiment_request q = small;
    q.kind = RIDGE_EXPERIMENT_THREADS;
    q.threads = 2;
    const ridge_experiment *e = run(&q);
    assert_int_equal(e->row_count, 2);
    assert_true(e->rows[0].speedup.value == 1);
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

/* 2e6 bytes at 2e10 B/s are 100 us, in which 1e12 FLOP/s do 1e8 FLOP:
 * 50 rows of 2e6 */
static void ridge_points(void **state)
{
    (void)state;
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
    const ridge_experiment *e = &answer;
    const ridge_experiment_extras extras = {.progress = interrupt_at};
    ridge_err err = {0};
    points_before = done;
    ridge_status st = ridge_experiment_run(&answer, &q, &extras, &ops, &arena, &err);
    ridge_measure_interrupted = 0;
    assert_string_equal(message_of(&err), "");
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

/* two of five sizes: no knee, and nobody knows which is best */
static void interrupted_in_a_sweep(void **state)
{
    (void)state;
    const ridge_experiment_request q = {.kind = RIDGE_EXPERIMENT_SIZES, .threads = 1, .most_bytes = 65536, .budget_s = 0.05};
    const ridge_experiment *e = run_until(q, 2);
    assert_string_equal(e->sentence, "interrupted after 2 of 5 points: no conclusion");
    ridge_buf text = {0};
    ridge_experiment_head(&text, e);
    ridge_experiment_conclusion(&text, e);
    ridge_buf_addc(&text, '\0');
    assert_null(strstr(text.p, "verdict"));
    ridge_buf_free(&text);
    ridge_json *root;
    ridge_buf json = {0};
    ridge_record_answer(&json, &ridge_experiment_record, e);
    assert_int_equal(ridge_json_parse(&root, (ridge_str){json.p, json.n}, "answer", (ridge_json_options){true}, &arena, NULL), RIDGE_OK);
    assert_int_equal(ridge_json_get(root, "verdict")->type, RIDGE_JSON_NULL);
    assert_int_equal(ridge_json_get(root, "interrupted")->type, RIDGE_JSON_TRUE);
    ridge_buf_free(&json);
    assert_string_equal(run_until(q, 1)->sentence, "interrupted after 1 of 5 points: no conclusion");
}

static void refused(void **state)
{
    (void)state;
    const ridge_format *q4_K = ridge_format_find(RIDGE_STR("q4_K"));
    const ridge_experiment_formats formats = {.items = {q4_K, ridge_format_find(RIDGE_STR("q8_0"))}, .count = 2},
                                   itself = {.items = {q4_K, ridge_format_find(RIDGE_STR("bf16"))}, .count = 2};
    const struct {
        ridge_experiment_request request;
        const char *message;
    } cases[] = {
        {{.kind = RIDGE_EXPERIMENT_SIZES, .n = 5}, "size-sweep reads plain memory: it takes no n, k, m or format"},
        {{.kind = RIDGE_EXPERIMENT_MEMORY, .m = 5}, "memory-vs-compute runs one row: it takes no m"},
        {{.kind = RIDGE_EXPERIMENT_TILE, .m = 5}, "tile-sweep halves m: give a power of two, not 5"},
        {{.kind = RIDGE_EXPERIMENT_MEMORY, .formats = formats}, "memory-vs-compute takes one format; quant-overhead compares several"},
        {{.kind = RIDGE_EXPERIMENT_QUANT, .formats = itself},
         "quant-overhead compares with bf16 itself: give other formats, such as q8_0 or q4_K"},
        {{.kind = RIDGE_EXPERIMENT_QUANT, .k = 100, .formats = formats}, "k 100 is not a multiple of 256, the block of q4_K"},
        {{.kind = RIDGE_EXPERIMENT_SIZES, .most_bytes = 4096, .threads = 1}, "most 4096: 1 threads need 8192 bytes at least for two sizes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_err err = {0};
        assert_int_equal(ridge_experiment_run(&answer, &cases[i].request, NULL, &ops, &arena, &err), RIDGE_USAGE);
        assert_string_equal(message_of(&err), cases[i].message);
    }
    ridge_experiment_kind kind;
    ridge_err err = {0};
    assert_int_equal(ridge_experiment_find(&kind, "size-sweeps", &err), RIDGE_USAGE);
    assert_string_equal(message_of(&err), "no experiment 'size-sweeps'; did you mean 'size-sweep'?");
}

/* the answer is complete and has a copy of the request: what was not given is filled in, and the caller's may go */
static void the_request_may_go(void **state)
{
    (void)state;
    ridge_experiment_request *q = malloc(sizeof *q);
    assert_non_null(q);
    *q = small;
    q->kind = RIDGE_EXPERIMENT_QUANT;
    q->formats = (ridge_experiment_formats){.items = {ridge_format_find(RIDGE_STR("q8_0"))}, .count = 1};
    const ridge_experiment *e = run(q);
    free(q);
    assert_int_equal(e->request.kind, RIDGE_EXPERIMENT_QUANT);
    assert_int_equal(e->request.m, 512);
    assert_string_equal(e->request.activations->name, "fp32");
    ridge_measured_row *rows;
    size_t count;
    ridge_err err = {0};
    assert_int_equal(ridge_experiment_measured(&rows, &count, e, "here", &ops, &arena, &err), RIDGE_OK);
    assert_int_equal(count, 4); /* two formats, from memory and from cache */
    assert_string_equal(rows[3].format, "q8_0");
    assert_true(rows[3].cache == RIDGE_CACHE_HOT && rows[2].cache == RIDGE_CACHE_COLD);
    assert_true(rows[2].time.median_s == e->rows[1].time.all.median_s && rows[3].time.median_s == e->rows[1].compute.all.median_s);
    assert_int_equal(rows[3].flops, 2 * 256 * 256);
}

static void formats_are_read(void **state)
{
    (void)state;
    const ridge_option *option = ridge_option_named(ridge_options_experiment, "format");
    ridge_experiment_request q = {0};
    ridge_err err = {0};
    assert_int_equal(ridge_option_store(&q, option, "q8_0,q4_K", &arena, &err), RIDGE_OK);
    assert_int_equal(ridge_option_store(&q, option, "q4_0", &arena, &err), RIDGE_OK);
    assert_int_equal(q.formats.count, 3);
    assert_string_equal(q.formats.items[2]->name, "q4_0");
    for (int i = 3; i < RIDGE_EXPERIMENT_FORMATS; i++)
        assert_int_equal(ridge_option_store(&q, option, "q4_0", &arena, &err), RIDGE_OK);
    assert_int_equal(ridge_option_store(&q, option, "q4_0", &arena, &err), RIDGE_USAGE);
    assert_string_equal(message_of(&err), "format: at most 32 formats");
    q.formats.count = 0;
    ridge_err_clear(&err);
    assert_int_equal(ridge_option_store(&q, option, "q8_0,,q4_0", &arena, &err), RIDGE_USAGE);
    ridge_err_clear(&err);
    assert_int_equal(ridge_option_store(&q, option, "", &arena, &err), RIDGE_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_vs_compute),
        cmocka_unit_test(quant_overhead),
        cmocka_unit_test(size_sweep),
        cmocka_unit_test(thread_sweep),
        cmocka_unit_test(batch_and_tile),
        cmocka_unit_test(ridge_points),
        cmocka_unit_test(refused),
        cmocka_unit_test(the_request_may_go),
        cmocka_unit_test(formats_are_read),
        cmocka_unit_test(interrupted_at_once),
        cmocka_unit_test(interrupted_in_a_sweep),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, setup, teardown);
}
