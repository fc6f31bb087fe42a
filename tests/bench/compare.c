/* compare.c - what `ridge compare` prints and draws, of rows made up here. Expected values: arithmetic by hand. */
#include "arena_test.h"

#include <string.h>

#include "base/shown.h"
#include "bench/compare.h"
#include "report/plot/text.h"

/* gemv of 4096 x 4096: 2 x 4096^2 FLOPs, two bytes for each weight */
static ridge_measured_row row_of(const char *variant, double measured_s)
{
    return (ridge_measured_row){.kernel = "gemv",
                                .variant = variant,
                                .provider = "ridge",
                                .shape = "{\"n\": 4096, \"k\": 4096}",
                                .format = "bf16",
                                .activations = "fp32",
                                .threads = 1,
                                .cache = RIDGE_CACHE_COLD,
                                .time = {.median_s = measured_s, .low_s = measured_s, .high_s = measured_s, .kept = 9, .tried = 9},
                                .flops = 33554432,
                                .bytes = 33587200,
                                .percent_of_ceiling = 50,
                                .predicted_s = 0.003,
                                .error = 0.1,
                                .bound = RIDGE_SIDE_MEMORY,
                                .machine = "0123456789abcdef"};
}

static ridge_compare_answer answer_of(const ridge_measured_row *rows, size_t count)
{
    ridge_compare_answer a;
    if (ridge_compare_stored(&a, rows, count, true, &arena, &err) != RIDGE_OK)
        fail_msg("%s", err.msg);
    return a;
}

static const char *text_of(ridge_buf *out)
{
    assert_false(out->failed);
    const char *text = ridge_arena_strdup(&arena, (ridge_str){out->p, out->n});
    ridge_buf_free(out);
    return text;
}

static const char *picture_of(const ridge_measured_row *rows, size_t count)
{
    const ridge_machine machine = {.name = "a box"};
    const ridge_plot_terminal terminal = {100, 24, true, false};
    ridge_compare_answer a = answer_of(rows, count);
    ridge_plot plot;
    ridge_buf out = {0};
    assert_int_equal(ridge_compare_roofline(&plot, &a, &machine, &arena, &err), RIDGE_OK);
    assert_int_equal(ridge_plot_text(&out, &plot, &terminal, &arena, &err), RIDGE_OK);
    return text_of(&out);
}

static size_t times_in(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        n++;
    return n;
}

/* a row, predicted and measured on nearly the same place: two signs, and 100 % of the time once */
static void both_kinds_of_one_row(void **state)
{
    (void)state;
    const ridge_measured_row row = row_of("avx512", 0.00301);
    const char *text = picture_of(&row, 1);
    assert_int_equal(times_in(text, " A gemv 4096x4096 bf16 "), 1);
    assert_int_equal(times_in(text, " a gemv 4096x4096 bf16 "), 1);
    assert_int_equal(times_in(text, "100.0 %"), 1);
    assert_int_equal(times_in(text, "200.0 %"), 0);
    assert_null(strstr(text, "bf16, gemv"));
    assert_non_null(strstr(text, " A predicted; a measured, with its time\n"));
    assert_true(strstr(text, "Aa") || strstr(text, "aA")); /* side by side in the picture */
}

/* 3 ms of 12 and 9 of 12; the variant tells them apart. Both are predicted on one place, A, which has no time of its own. */
static void shares_of_the_measured_time(void **state)
{
    (void)state;
    const ridge_measured_row rows[] = {row_of("avx512", 0.003), row_of("generic", 0.009)};
    const char *text = picture_of(rows, 2);
    assert_int_equal(times_in(text, "25.0 %"), 1);
    assert_int_equal(times_in(text, "75.0 %"), 1);
    assert_non_null(strstr(text, " b gemv 4096x4096 bf16 generic "));
    assert_non_null(strstr(text, " c gemv 4096x4096 bf16 avx512 "));
    assert_null(strstr(text, "1 cold"));
}

static void threads_where_they_differ(void **state)
{
    (void)state;
    ridge_measured_row rows[] = {row_of("avx512", 0.003), row_of("avx512", 0.002)};
    rows[1].threads = 2;
    const char *text = picture_of(rows, 2);
    assert_non_null(strstr(text, "gemv 4096x4096 bf16 1 cold "));
    assert_non_null(strstr(text, "gemv 4096x4096 bf16 2 cold "));
}

static const char *table_of(const ridge_measured_row *row, ridge_form form)
{
    const ridge_record_style style = {.form = form};
    ridge_compare_answer a = answer_of(row, 1);
    ridge_buf out = {0};
    assert_int_equal(ridge_record_print(&out, &ridge_joined_record, &style, a.rows, a.row_count, &err), RIDGE_OK);
    return text_of(&out);
}

/* a long name, a long variant and a bound seen elsewhere: no line beyond 100 columns, no column without a cell */
static void the_table_is_narrow(void **state)
{
    (void)state;
    ridge_measured_row row = row_of("avx512_bf16", 0.00301);
    row.shape = "{\"n\": 14336, \"k\": 4096}";
    const char *text = table_of(&row, RIDGE_FORM_TEXT), *end = strchr(text, '\n');
    assert_non_null(end);
    assert_true(ridge_shown_columns(text, (size_t)(end - text)) <= 100 && strlen(end + 1) <= 101);
    assert_null(strstr(text, "shape"));
    assert_non_null(strstr(text, "gemv 14336x4096  avx512_bf16  bf16    1 cold  3.010 ms  3.000 ms   0.3  memory"));
    assert_non_null(strstr(text, "xceil"));
    assert_non_null(strstr(text, "2.000\n")); /* half of the ceiling */
    const char *csv = table_of(&row, RIDGE_FORM_CSV);
    static const char head[] = "kernel,variant,provider,shape,format,activations,threads,cache,time_s,low_s,high_s,kept,tried,flops,bytes,"
                               "flops_per_s,bytes_per_s,percent_of_ceiling,predicted_s,error,bound,max_relative_error,beats_roofline,"
                               "machine,bound_seen,memory_percent,compute_percent,slowdown\n";
    assert_memory_equal(csv, head, sizeof head - 1);
}

static void efficiencies_name_their_variants(void **state)
{
    (void)state;
    const ridge_measured_row rows[] = {row_of("avx512", 0.006), row_of("generic", 0.6)};
    ridge_compare_answer a = answer_of(rows, 2);
    ridge_buf text = {0}, json = {0};
    assert_int_equal(ridge_compare_text(&text, &a, 0, &arena, &err), RIDGE_OK);
    const char *words = text_of(&text);
    assert_non_null(strstr(words, "gemv    vector   16-bit  memory      0.5000     1\n"));
    assert_non_null(strstr(words, "gemv    generic  16-bit  memory    0.005000     1\n"));
    ridge_record_answer(&json, &ridge_compare_stored_record, &a);
    assert_non_null(strstr(text_of(&json), "{\"kernel\": \"gemv\", \"variant\": \"generic\", \"format_class\": \"16-bit\""));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
    const struct CMUnitTest tests[] = {
        T(both_kinds_of_one_row), T(shares_of_the_measured_time),      T(threads_where_they_differ),
        T(the_table_is_narrow),   T(efficiencies_name_their_variants),
    };
    return cmocka_run_group_tests_name("bench/compare", tests, NULL, NULL);
}
