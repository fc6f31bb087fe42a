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
    assert_true(e->rows[2].share == 1);
    /* FLOPs and bytes of the product: 2 n k and 2 n k, so both rates are the same number */
    assert_true(fabs(e->rows[2].bytes_per_s - e->rows[2].flops_per_s) <= 1e-9 * e->rows[2].flops_per_s);
    bool memory = e->rows[0].time_s >= e->rows[1].time_s;
    assert_string_equal(e->verdict, memory ? "memory" : "compute");
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
    assert_true(e->rows[0].speedup == 1);
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

/* ---- sentences, from rows as they were once measured or made up; times in us ---- */

/* options as the library names them */
static const char *plain(const char *sentence)
{
    static char text[1024];
    (void)ridge_spell(text, sizeof text, sentence, "");
    return text;
}

typedef struct point {
    double rows, us;
} point;

static ridge_experiment said;

/* rows of a tile- or batch-sweep: time per row as batch-sweep has it */
static const ridge_experiment *say_rows(const point *points, size_t count, bool tiles)
{
    ridge_err err = {0};
    ridge_experimenting x = {.out = &said, .arena = &arena, .err = &err, .threads = 1};
    said = (ridge_experiment){.request.kind = tiles ? RIDGE_EXPERIMENT_TILE : RIDGE_EXPERIMENT_BATCH, .row_count = count};
    for (size_t i = 0; i < count; i++) {
        said.rows[i].name = ridge_arena_printf(&arena, "%.0f rows", points[i].rows);
        said.rows[i].rows = (int64_t)points[i].rows;
        said.rows[i].time_s = points[i].us * 1e-6;
        said.rows[i].time_per_row_s = points[i].us * 1e-6 / points[i].rows;
    }
    assert_int_equal(tiles ? ridge_experiment_say_tile(&x) : ridge_experiment_say_batch(&x, 120.4, 1), RIDGE_OK);
    assert_null(strstr(said.sentence, "e+"));
    return &said;
}

/* 161.6 / 74.8 = 2.16; the ridge point 74.8 / (144.9 / 16) = 8.26; 4 rows take 40.5 us each, the first below 74.8; 74.8 / 9.05 = 8.3 */
static void batches_that_cost_from_the_second_row_on(void **state)
{
    (void)state;
    const point points[] = {{1, 74.8}, {2, 161.6}, {4, 162}, {8, 163}, {16, 144.9}};
    const ridge_experiment *e = say_rows(points, 5, false);
    assert_string_equal(e->verdict, "8.26 rows");
    assert_null(strstr(e->sentence, "next to nothing"));
    assert_non_null(strstr(e->sentence, "at 8.26 rows (8.26 FLOP per byte of weights)"));
    assert_non_null(strstr(e->sentence, "where the roofline says 120;"));
    assert_non_null(strstr(e->sentence, "from the gemv kernel to the gemm kernel costs: 2 rows take 161.6 µs, 2.2x the time of one"));
    assert_non_null(strstr(e->sentence, "less time than alone from 4 rows on"));
    assert_non_null(strstr(e->sentence, "at 16 rows, 8.3x less than alone"));
}

static void batches_that_never_pay(void **state)
{
    (void)state;
    const point points[] = {{1, 10}, {2, 30}, {4, 60}};
    assert_non_null(strstr(say_rows(points, 3, false)->sentence, "at the end of what was run a row takes no less time than alone"));
}

/* flat up to 4 rows: 12.9 <= 1.3 x 10 < 13.1 */
static void batches_that_cost_nothing_at_first(void **state)
{
    (void)state;
    const point points[] = {{1, 10}, {2, 11}, {4, 12.9}, {8, 13.1}, {16, 26}};
    const ridge_experiment *e = say_rows(points, 5, false);
    assert_non_null(strstr(e->sentence, "up to 4 rows take at most 1.3 times as long as one"));
    assert_null(strstr(e->sentence, "gemm kernel"));
}

static void too_few_points(void **state)
{
    (void)state;
    const point points[] = {{1, 10}, {2, 11}};
    for (size_t count = 1; count <= 2; count++) {
        const ridge_experiment *e = say_rows(points, count, false);
        assert_null(e->verdict);
        assert_string_equal(plain(e->sentence), "no conclusion: a ridge point needs 3 batches, so m 4 at least");
        e = say_rows(points, count, true);
        assert_null(e->verdict);
        assert_string_equal(plain(e->sentence), "no conclusion: a sweep needs 3 points, so m 4 at least");
    }
}

/* no word of tiles that were not measured: the best is the last, and within 10 % of it there is none or one before it; 1200 / 10 = 120 */
static void tiles(void **state)
{
    (void)state;
    const point rising[] = {{1, 1200}, {2, 100}, {4, 10}}, saturated[] = {{1, 100}, {2, 51}, {4, 50}},
                level[] = {{1, 100}, {2, 99}, {4, 98}};
    const ridge_experiment *e = say_rows(rising, 3, true);
    assert_string_equal(e->verdict, "4 rows");
    assert_string_equal(e->sentence,
                        "tiles of 4 rows take 120x less time than row by row, since the weights are read 4 times less often; it "
                        "is the largest measured");
    e = say_rows(saturated, 3, true);
    assert_string_equal(e->sentence, "tiles of 2 rows take 2x less time than row by row, since the weights are read 2 times less often; no "
                                     "larger one that was measured, up to 4 rows, takes 10 % less than that");
    e = say_rows(level, 3, true);
    assert_string_equal(e->sentence, "row by row is enough: no larger one that was measured, up to 4 rows, takes 10 % less than that");
}

static void threads_beyond_those_measured(void **state)
{
    (void)state;
    ridge_experimenting x = {.out = &said, .arena = &arena, .threads = 2};
    said = (ridge_experiment){.request.kind = RIDGE_EXPERIMENT_THREADS,
                              .row_count = 2,
                              .rows = {{.name = "1 thread", .time_s = 2e-3, .bytes_per_s = 1e10, .speedup = 1},
                                       {.name = "2 threads", .time_s = 1e-3, .bytes_per_s = 2e10, .speedup = 2}}};
    assert_int_equal(ridge_experiment_say_threads(&x), RIDGE_OK);
    assert_string_equal(said.sentence,
                        "2 threads: 2x over one, 20.00 GB/s; the most that were measured, and fewer are slower by more than 5 %");
    said.row_count = 1;
    assert_int_equal(ridge_experiment_say_threads(&x), RIDGE_OK);
    assert_string_equal(said.sentence, "1 thread: 10.00 GB/s; more were not measured");
}

/* 2e12 / 1e10 = 200 times slower; then nothing beyond the largest */
static void sizes_beyond_those_measured(void **state)
{
    (void)state;
    ridge_experimenting x = {.out = &said, .arena = &arena, .threads = 1};
    said = (ridge_experiment){
        .request.kind = RIDGE_EXPERIMENT_SIZES,
        .row_count = 2,
        .rows = {{.name = "4 KiB", .bytes = 4096, .bytes_per_s = 2e12}, {.name = "8 KiB", .bytes = 8192, .bytes_per_s = 1e10}}};
    assert_int_equal(ridge_experiment_say_sizes(&x), RIDGE_OK);
    assert_string_equal(said.verdict, "4 KiB");
    assert_non_null(strstr(said.sentence, ": 200x slower"));
    said.rows[1].bytes_per_s = 1.9e12;
    assert_int_equal(ridge_experiment_say_sizes(&x), RIDGE_OK);
    assert_string_equal(said.verdict, "8 KiB");
    assert_null(strstr(said.sentence, "slower"));
    assert_non_null(strstr(said.sentence, "8 KiB, the largest that was measured"));
}

/* ---- pictures ---- */

static const char *svg_of(const ridge_experiment *e)
{
    ridge_plot plot;
    ridge_buf out = {0};
    const ridge_plot_options options = {0};
    assert_int_equal(ridge_experiment_picture(&plot, e, &arena, NULL), RIDGE_OK);
    assert_int_equal(ridge_plot_svg(&out, &plot, &options, &arena, NULL), RIDGE_OK);
    const char *text = ridge_arena_strdup(&arena, (ridge_str){out.p, out.n});
    ridge_buf_free(&out);
    assert_non_null(text);
    return text;
}

/* rates and sizes: 1e9 bytes at 1e10 B/s take 100 ms; 16 MiB are 16384 KiB; no bytes, no memory, no powers of ten */
static void picture_of_sizes(void **state)
{
    (void)state;
    const ridge_experiment e = {
        .request.kind = RIDGE_EXPERIMENT_SIZES,
        .subject = "",
        .verdict = "8 MiB",
        .row_count = 2,
        .rows = {{.name = "8 MiB", .bytes = 8 << 20, .bytes_per_s = 2e10}, {.name = "16 MiB", .bytes = 16 << 20, .bytes_per_s = 1e10}}};
    ridge_plot plot;
    assert_int_equal(ridge_experiment_picture(&plot, &e, &arena, NULL), RIDGE_OK);
    assert_int_equal(plot.kind, RIDGE_PLOT_AREAS);
    assert_true(plot.u.areas.unit == RIDGE_PLOT_SECONDS);
    assert_true(fabs(plot.u.areas.values[1] - 0.1) < 1e-12);
    const char *svg = svg_of(&e);
    assert_non_null(strstr(svg, ">16384<"));
    assert_non_null(strstr(svg, "working set (KiB)"));
    assert_null(strstr(svg, "memory"));
    assert_null(strstr(svg, "e+0"));
}

/* the time of a whole batch over its rows, and no share of all of them */
static void picture_of_batches(void **state)
{
    (void)state;
    const point points[] = {{1, 10}, {2, 11}, {4, 12}};
    (void)say_rows(points, 2, false);
    said.subject = "";
    ridge_plot plot;
    assert_int_equal(ridge_experiment_picture(&plot, &said, &arena, NULL), RIDGE_OK);
    assert_int_equal(plot.kind, RIDGE_PLOT_AREAS);
    assert_true(plot.u.areas.x[1] == 2);
    assert_true(fabs(plot.u.areas.values[1] - 11e-6) < 1e-15);
    assert_string_equal(plot.title, "batch-sweep: no conclusion");
    assert_null(strchr(strstr(svg_of(&said), "rows at once"), '%'));
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

/* two of five sizes: the better of the two, and no knee */
static void interrupted_in_a_sweep(void **state)
{
    (void)state;
    const ridge_experiment_request q = {.kind = RIDGE_EXPERIMENT_SIZES, .threads = 1, .most_bytes = 65536, .budget_s = 0.05};
    const ridge_experiment *e = run_until(q, 2);
    const char *best = e->rows[e->rows[1].bytes_per_s > e->rows[0].bytes_per_s].name;
    assert_string_equal(e->sentence, ridge_arena_printf(&arena,
                                                        "interrupted after 2 of 5 points: the best of these is %s, and what the others "
                                                        "would have shown is not known",
                                                        best));
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
    assert_true(rows[2].time.median_s == e->rows[1].time_s && rows[3].time.median_s == e->rows[1].compute_s);
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
        cmocka_unit_test(batches_that_cost_from_the_second_row_on),
        cmocka_unit_test(batches_that_never_pay),
        cmocka_unit_test(batches_that_cost_nothing_at_first),
        cmocka_unit_test(too_few_points),
        cmocka_unit_test(tiles),
        cmocka_unit_test(threads_beyond_those_measured),
        cmocka_unit_test(sizes_beyond_those_measured),
        cmocka_unit_test(picture_of_sizes),
        cmocka_unit_test(picture_of_batches),
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
