/* sentences.c - what experiments say of finished rows, and how they are drawn: rows as they were once measured or made up, against
 * arithmetic by hand. */
#include "arena_test.h"

#include <math.h>
#include <string.h>

#include "experiment/parts.h"

/* ---- sentences; times in us ---- */

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

/* RIDGE_EXPERIMENT_ROUNDS rounds of ten samples: the middle one takes `us`; two are shorter and two longer by `scatter`, as parts of it.
 * With log(1 + s) = d the medians' logarithms are -d, -d, 0, d, d: deviation d, so the interval's factor is exp(2.776 sqrt(1.2) d) = (1 +
 * s)^3.041. */
static ridge_experiment_time rounds_of(double us, double scatter)
{
    static const double turns[RIDGE_EXPERIMENT_ROUNDS] = {1, -1, 0, -1, 1};
    ridge_sample_statistics *seen = ridge_arena_array(&arena, RIDGE_EXPERIMENT_ROUNDS, sizeof *seen);
    assert_non_null(seen);
    for (size_t i = 0; i < RIDGE_EXPERIMENT_ROUNDS; i++) {
        double s = us * 1e-6 * pow(1 + scatter, turns[i]);
        seen[i] = (ridge_sample_statistics){.median_s = s, .low_s = s, .high_s = s, .minimum_s = s, .kept = 9, .tried = 10};
    }
    return (ridge_experiment_time){ridge_rounds_combine(seen, RIDGE_EXPERIMENT_ROUNDS), seen, RIDGE_EXPERIMENT_ROUNDS};
}

/* what is said of rows; the first scatters, the others do not, so every ratio to it is as sure as that */
static ridge_experimenting saying(ridge_experiment_kind kind, size_t count)
{
    said = (ridge_experiment){.request.kind = kind, .request.rounds = RIDGE_EXPERIMENT_ROUNDS, .row_count = count};
    return (ridge_experimenting){.out = &said, .request = &said.request, .arena = &arena, .threads = 1};
}

/* rows of a tile- or batch-sweep: time per row as batch-sweep has it */
static const ridge_experiment *say_scattered(const point *points, size_t count, bool tiles, double scatter)
{
    ridge_experimenting x = saying(tiles ? RIDGE_EXPERIMENT_TILE : RIDGE_EXPERIMENT_BATCH, count);
    x.err = &err;
    for (size_t i = 0; i < count; i++) {
        said.rows[i].name = ridge_arena_printf(&arena, "%.0f rows", points[i].rows);
        said.rows[i].rows = (int64_t)points[i].rows;
        said.rows[i].time = rounds_of(points[i].us, i == 0 ? scatter : 0);
        said.rows[i].time_per_row_s = points[i].us * 1e-6 / points[i].rows;
    }
    assert_int_equal(tiles ? ridge_experiment_say_tile(&x) : ridge_experiment_say_batch(&x, 120.4, 1), RIDGE_OK);
    assert_null(strstr(said.sentence, "e+"));
    return &said;
}

static const ridge_experiment *say_rows(const point *points, size_t count, bool tiles)
{
    return say_scattered(points, count, tiles, 0);
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
    assert_non_null(strstr(e->sentence, "from the gemv kernel to the gemm kernel costs: 2 rows take 2.2x the time of one"));
    assert_non_null(strstr(e->sentence, "and a row takes less time than alone from 4 rows on"));
    assert_non_null(strstr(e->sentence, "at 16 rows a row takes 8.3x less time than alone"));
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
    assert_string_equal(e->sentence, "tiles of 4 rows take 120x less time than row by row, and the weights are read 4 times less often; it "
                                     "is the largest measured");
    e = say_rows(saturated, 3, true);
    assert_string_equal(e->sentence, "tiles of 2 rows take 2x less time than row by row, and the weights are read 2 times less often; no "
                                     "larger one that was measured, up to 4 rows, takes 10 % less than that");
    e = say_rows(level, 3, true);
    assert_string_equal(e->sentence, "row by row is enough: no larger one that was measured, up to 4 rows, takes 10 % less than that");
}

static void threads_beyond_those_measured(void **state)
{
    (void)state;
    ridge_experimenting x = saying(RIDGE_EXPERIMENT_THREADS, 2);
    said.rows[0] = (ridge_experiment_row){.name = "1 thread", .time = rounds_of(2e3, 0), .bytes_per_s = 1e10};
    said.rows[1] = (ridge_experiment_row){.name = "2 threads", .time = rounds_of(1e3, 0), .bytes_per_s = 2e10};
    assert_int_equal(ridge_experiment_say_threads(&x), RIDGE_OK);
    assert_string_equal(said.sentence,
                        "2 threads: 2x over one, 20.00 GB/s; the most that were measured, and fewer are slower by more than 5 %");
    said.row_count = 1;
    assert_int_equal(ridge_experiment_say_threads(&x), RIDGE_OK);
    assert_string_equal(said.sentence, "1 thread: 10.00 GB/s; more were not measured");
}

/* 2e12 / 1e10 = 200 times slower; then nothing beyond the largest: 0.95 of the best */
static void sizes_beyond_those_measured(void **state)
{
    (void)state;
    ridge_experimenting x = saying(RIDGE_EXPERIMENT_SIZES, 2);
    said.rows[0] = (ridge_experiment_row){.name = "4 KiB", .bytes = 4096, .bytes_per_s = 2e12, .time = rounds_of(4096 / 2e6, 0)};
    said.rows[1] = (ridge_experiment_row){.name = "8 KiB", .bytes = 8192, .bytes_per_s = 1e10, .time = rounds_of(8192 / 1e4, 0)};
    assert_int_equal(ridge_experiment_say_sizes(&x), RIDGE_OK);
    assert_string_equal(said.verdict, "4 KiB");
    assert_non_null(strstr(said.sentence, ": 200x slower"));
    said.rows[1].bytes_per_s = 1.9e12;
    said.rows[1].time = rounds_of(8192 / 1.9e6, 0);
    assert_int_equal(ridge_experiment_say_sizes(&x), RIDGE_OK);
    assert_string_equal(said.verdict, "8 KiB");
    assert_null(strstr(said.sentence, "slower"));
    assert_non_null(strstr(said.sentence, "8 KiB, the largest that was measured"));
}

/* ---- no sentence goes beyond its interval ---- */

/* Three runs of one sweep said 20x, 24x and 1.5x: with such a scatter 20x may be 1.5x or 260x, as (1 + s)^3.041 = 13.3 of s = 1.342 says */
static void tiles_that_scatter(void **state)
{
    (void)state;
    const point points[] = {{1, 200}, {2, 20}, {4, 10}};
    const ridge_experiment *e = say_scattered(points, 3, true, 1.342);
    assert_string_equal(e->verdict, "4 rows");
    assert_non_null(strstr(e->sentence, "tiles of 4 rows take between 1.5x and 266x less time than row by row"));
    /* 2 x 13.3 and 2 / 13.3: perhaps faster, perhaps slower */
    const point near[] = {{1, 20}, {2, 12}, {4, 10}};
    e = say_scattered(near, 3, true, 1.342);
    assert_null(e->verdict);
    assert_string_equal(e->sentence,
                        "no conclusion: 1 rows and 4 rows cannot be told apart: the first takes between 0.15x and 27x the time of "
                        "the second");
}

/* 1.03^3.041 = 1.094: the ridge point is 8.26 / 1.094 to 8.26 x 1.094 */
static void a_ridge_point_has_two_ends(void **state)
{
    (void)state;
    const point points[] = {{1, 74.8}, {2, 161.6}, {4, 162}, {8, 163}, {16, 144.9}};
    const ridge_experiment *e = say_scattered(points, 5, false, 0.03);
    assert_string_equal(e->verdict, "7.55 to 9.04 rows");
    assert_non_null(strstr(e->sentence, "at 7.55 to 9.04 rows (7.55 to 9.04 FLOP per byte of weights)"));
}

/* reading, calculating and both in us */
static const ridge_experiment *say_three(double read, double compute, double full, double scatter)
{
    ridge_experimenting x = saying(RIDGE_EXPERIMENT_MEMORY, 3);
    said.rows[0] = (ridge_experiment_row){.name = "read only", .time = rounds_of(read, scatter)};
    said.rows[1] = (ridge_experiment_row){.name = "compute only", .time = rounds_of(compute, 0)};
    said.rows[2] = (ridge_experiment_row){.name = "full", .time = rounds_of(full, 0)};
    assert_int_equal(ridge_experiment_say_memory(&x), RIDGE_OK);
    return &said;
}

static void memory_or_compute_or_neither(void **state)
{
    (void)state;
    /* 64 against 62 %: was "memory-bound by 1x" */
    const ridge_experiment *e = say_three(64, 62, 100, 0);
    assert_string_equal(e->verdict, "balanced");
    assert_string_equal(e->sentence,
                        "balanced: reading the weights alone takes 64 % of the full time, calculating alone 62 %, which together are "
                        "more than the full time: they overlap; so fewer bytes help only with cheaper arithmetic, and the "
                        "other way round");
    /* reading and calculating one after the other: 60 + 40 = 100 */
    e = say_three(60, 40, 100, 0);
    assert_string_equal(e->verdict, "balanced");
    assert_non_null(strstr(e->sentence, "they take turns; so both count"));
    e = say_three(80, 20, 98, 0);
    assert_string_equal(e->verdict, "memory");
    assert_non_null(strstr(e->sentence, "memory-bound: reading the weights alone takes 4x the time of calculating alone"));
    e = say_three(20, 80, 82, 0);
    assert_string_equal(e->verdict, "compute");
    assert_non_null(strstr(e->sentence, "compute-bound: calculating alone takes 4x the time of reading the weights alone"));
    /* 1.2^3.041 = 1.74: 1.5 / 1.74 to 1.5 x 1.74 */
    e = say_three(75, 50, 95, 0.2);
    assert_null(e->verdict);
    assert_non_null(
        strstr(e->sentence, "no conclusion: reading the weights alone takes between 0.86x and 2.6x the time of calculating alone"));
}

/* bf16 and one format, in us from memory; calculating takes half */
static const ridge_experiment *say_formats(double bf16, double other, double scatter)
{
    ridge_experimenting x = saying(RIDGE_EXPERIMENT_QUANT, 2);
    said.rows[0] =
        (ridge_experiment_row){.name = "bf16", .time = rounds_of(bf16, scatter), .compute = rounds_of(bf16 / 2, 0), .bytes_ratio = 1};
    said.rows[1] =
        (ridge_experiment_row){.name = "q8_0", .time = rounds_of(other, 0), .compute = rounds_of(other / 2, 0), .bytes_ratio = 1.9};
    assert_int_equal(ridge_experiment_say_quant(&x), RIDGE_OK);
    return &said;
}

static void formats_that_scatter(void **state)
{
    (void)state;
    const ridge_experiment *e = say_formats(100, 50, 0);
    assert_string_equal(e->verdict, "q8_0");
    assert_string_equal(e->sentence,
                        "q8_0 is fastest: 2x over bf16, from 1.9x fewer bytes; unpacking and multiplying from cache takes 50 % of its "
                        "time, so memory is still the bound: a narrower format would gain more");
    assert_null(say_formats(100, 90, 0.2)->verdict);
    assert_null(say_formats(90, 100, 0.2)->verdict);
    assert_string_equal(say_formats(90, 100, 0)->verdict, "bf16");
}

/* a row of which two of five rounds were undisturbed carries nothing */
static void disturbed_rounds_say_nothing(void **state)
{
    (void)state;
    bool too_little = false;
    ridge_experimenting x = saying(RIDGE_EXPERIMENT_THREADS, 1);
    ridge_experiment_time time = rounds_of(10, 0);
    ridge_sample_statistics seen[RIDGE_EXPERIMENT_ROUNDS];
    memcpy(seen, time.seen, sizeof seen);
    for (size_t i = 0; i < 3; i++)
        seen[i].kept = 0;
    time.seen = seen;
    said.rows[0] = (ridge_experiment_row){.name = "1 thread", .time = time};
    assert_int_equal(ridge_experiment_say_too_little(&too_little, &x, 1), RIDGE_OK);
    assert_true(too_little);
    assert_null(said.verdict);
    assert_string_equal(plain(said.sentence),
                        "no conclusion: '1 thread' was undisturbed in 2 of 5 rounds, and 3 are needed: other programs hold "
                        "the cores; a quieter machine, fewer threads or more rounds would tell");
    seen[0].kept = 1;
    assert_int_equal(ridge_experiment_say_too_little(&too_little, &x, 1), RIDGE_OK);
    assert_false(too_little);
    said.rows[0].time.rounds = 2;
    assert_int_equal(ridge_experiment_say_too_little(&too_little, &x, 1), RIDGE_OK);
    assert_string_equal(said.sentence, "interrupted after 2 of 5 rounds: no conclusion");
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

/* bandwidth over the working set: 8 MiB in 400 us are 2.097e10 B/s; caches within what was measured are marked, others are not */
static void picture_of_sizes(void **state)
{
    (void)state;
    ridge_experiment e = {.request.kind = RIDGE_EXPERIMENT_SIZES,
                          .subject = "",
                          .verdict = "8 MiB",
                          .caches = {{"L2", 12 << 20}, {"last level", (int64_t)1 << 30}},
                          .cache_count = 2,
                          .row_count = 2};
    e.rows[0] = (ridge_experiment_row){.name = "8 MiB", .bytes = 8 << 20, .time = rounds_of(400, 0.1)};
    e.rows[1] = (ridge_experiment_row){.name = "16 MiB", .bytes = 16 << 20, .time = rounds_of(1600, 0)};
    ridge_plot plot;
    assert_int_equal(ridge_experiment_picture(&plot, &e, &arena, NULL), RIDGE_OK);
    assert_int_equal(plot.kind, RIDGE_PLOT_SAMPLES);
    const ridge_plot_sample *first = &plot.u.samples.items[0];
    assert_true(fabs(first->y / 2.097152e10 - 1) < 1e-9);
    assert_true(fabs(first->high / first->y - pow(1.1, 3.041)) < 1e-3); /* as rounds_of has it */
    assert_int_equal(plot.u.samples.mark_count, 1);
    const char *svg = svg_of(&e);
    assert_non_null(strstr(svg, ">16 MiB<"));
    assert_non_null(strstr(svg, ">L2 12 MiB<"));
    assert_null(strstr(svg, "last level"));
    assert_non_null(strstr(svg, "median, with its 95 % interval where that is known"));
    assert_null(strstr(svg, "e+0"));
}

/* the time of a row over the rows at once; alternatives are in no sum, so they have no share of one */
static void picture_of_batches(void **state)
{
    (void)state;
    const point points[] = {{1, 10}, {2, 11}, {4, 12}};
    (void)say_rows(points, 2, false);
    said.subject = "";
    ridge_plot plot;
    assert_int_equal(ridge_experiment_picture(&plot, &said, &arena, NULL), RIDGE_OK);
    assert_true(plot.u.samples.items[1].x == 2);
    assert_true(fabs(plot.u.samples.items[1].y - 5.5e-6) < 1e-15);
    assert_string_equal(plot.title, "batch-sweep: no conclusion");
    (void)say_formats(100, 50, 0);
    said.subject = "";
    const char *svg = svg_of(&said);
    assert_true(strstr(svg, "%<") == NULL && strstr(svg, "%)") == NULL);
    assert_non_null(strstr(svg, ">from cache: unpacking and multiplying alone<"));
}

/* on a terminal: a line each, the interval around the point; in the left half 10 of 20 */
static void picture_on_a_terminal(void **state)
{
    (void)state;
    (void)say_three(20, 10, 20, 0);
    said.subject = "";
    ridge_plot plot;
    ridge_buf out = {0};
    const ridge_plot_terminal terminal = {.width = 60, .ascii = true};
    assert_int_equal(ridge_experiment_picture(&plot, &said, &arena, NULL), RIDGE_OK);
    assert_int_equal(ridge_plot_text(&out, &plot, &terminal, &arena, NULL), RIDGE_OK);
    ridge_buf_addc(&out, '\0');
    assert_false(out.failed);
    const char *full = strstr(out.p, "\nfull"), *compute = strstr(out.p, "\ncompute only |");
    assert_true(full && compute);
    const size_t at_full = strcspn(full, "o"), at_compute = strcspn(compute + 14, "o") + 14; /* "compute" and "only" have an o, too */
    assert_true(at_compute < at_full && at_full < 60);
    assert_non_null(strstr(out.p, "o median, with its 95 % interval where that is known"));
    for (const char *p = out.p; *p; p++)
        assert_true((unsigned char)*p < 0x80);
    ridge_buf_free(&out);
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
        cmocka_unit_test(tiles_that_scatter),
        cmocka_unit_test(a_ridge_point_has_two_ends),
        cmocka_unit_test(memory_or_compute_or_neither),
        cmocka_unit_test(formats_that_scatter),
        cmocka_unit_test(disturbed_rounds_say_nothing),
        cmocka_unit_test(picture_of_sizes),
        cmocka_unit_test(picture_of_batches),
        cmocka_unit_test(picture_on_a_terminal),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, open_arena, close_arena);
}
