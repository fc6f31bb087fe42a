/* plot.c - pictures. Places by hand arithmetic; a roof of 100 TFLOP/s over 1 TB/s has its ridge point at 100 FLOP/byte. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "report/html.h"
#include "report/plot/layout.h"
#include "base/process.h"

static ridge_arena arena;
static char folder[] = "/tmp/ridge-plot-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    ridge_arena_free(&arena);
    return rmdir(folder);
}

static const char *in_folder(const char *name)
{
    return ridge_arena_printf(&arena, "%s/%s", folder, name);
}

static const ridge_plot_ceiling compute[] = {{"bf16", 100e12, true}, {"fp16", 100e12, false}, {"fp32", 10e12, false}};
static const ridge_plot_ceiling memory[] = {{"HBM", 1e12, true}};
static const char *const groups[] = {"attention", "mlp"};

static ridge_plot roofline(const ridge_plot_point *points, size_t n)
{
    return (ridge_plot){"title", "subtitle", RIDGE_PLOT_ROOFLINE, .u.roofline = {compute, 3, memory, 1, groups, 2, points, n, false}};
}

static ridge_plot one_point(const char *label, double ai, double flops_per_s)
{
    ridge_plot_point *point = ridge_arena_array(&arena, 1, sizeof *point);
    *point = (ridge_plot_point){label, ai, flops_per_s, 1, 0, 1, false, NULL};
    return roofline(point, 1);
}

static const char *svg_of(const ridge_plot *plot)
{
    ridge_buf out = {0};
    ridge_err err = {0};
    assert_int_equal(ridge_plot_svg(&out, plot, &(ridge_plot_options){0}, &arena, &err), RIDGE_OK);
    const char *text = ridge_arena_strdup(&arena, (ridge_str){out.p, out.n});
    ridge_buf_free(&out);
    return text;
}

static const char *text_of(const ridge_plot *plot, int width, int height, bool ascii)
{
    ridge_buf out = {0};
    ridge_err err = {0};
    ridge_plot_terminal terminal = {width, height, ascii, false};
    assert_int_equal(ridge_plot_text(&out, plot, &terminal, &arena, &err), RIDGE_OK);
    const char *text = ridge_arena_strdup(&arena, (ridge_str){out.p, out.n});
    ridge_buf_free(&out);
    return text;
}

#define assert_near(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))

/* ---- geometry ---- */

static void test_axis(void **state)
{
    (void)state;
    ridge_axis log = {1, 10000, 0, 400, true, "", NULL, 0}, linear = {0, 80, 500, 100, false, "B", NULL, 0};
    assert_near(ridge_axis_at(&log, 100), 200, 1e-9);
    assert_near(ridge_axis_at(&log, 1), 0, 1e-9);
    assert_near(ridge_axis_at(&log, sqrt(10)), 50, 1e-9);
    assert_near(ridge_axis_at(&log, 0), 0, 0);
    assert_near(ridge_axis_at(&log, INFINITY), 400, 0);
    assert_near(ridge_axis_at(&linear, 20), 400, 1e-9);
}

static void assert_ticks(const ridge_axis *axis, int wanted, const double *values, size_t count)
{
    ridge_ticks ticks;
    ridge_axis_ticks(&ticks, axis, wanted);
    assert_int_equal(ticks.count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(ticks.values[i] - values[i]) <= 1e-12 * values[i]);
}

static void test_ticks(void **state)
{
    (void)state;
    ridge_axis few = {0.5, 2000, 0, 1, true, "", NULL, 0}, many = {1, 1e12, 0, 1, true, "", NULL, 0},
               gb = {0, 100, 0, 1, false, "", NULL, 0};
    const double contexts[] = {1024, 2048, 4096, 8192};
    ridge_axis marked = {1024, 8192, 0, 1, true, "", contexts, 4};
    assert_ticks(&few, 10, (const double[]){1, 10, 100, 1000}, 4);
    assert_ticks(&many, 5, (const double[]){1, 1e3, 1e6, 1e9, 1e12}, 5);
    assert_ticks(&gb, 5, (const double[]){0, 20, 40, 60, 80, 100}, 6);
    assert_ticks(&marked, 2, (const double[]){1024, 4096}, 2);
    ridge_axis widest = {1e-30, 1e30, 0, 1, true, "", NULL, 0};
    ridge_ticks ticks;
    ridge_axis_ticks(&ticks, &widest, 1000);
    assert_in_range(ticks.count, 2, 60);
}

static void test_roof(void **state)
{
    (void)state;
    ridge_plot plot = one_point("x", 100, 100e12);
    ridge_roof roof;
    assert_true(ridge_roof_of(&roof, &plot.u.roofline, &arena));
    assert_int_equal(roof.compute_count, 2); /* equal ceilings are one */
    assert_string_equal(roof.main_compute->label, "bf16, fp16 100 TFLOP/s");
    assert_string_equal(roof.main_memory->label, "HBM 1 TB/s");
    assert_near(ridge_roof_point(roof.main_compute, roof.main_memory), 100, 0);
    assert_true(roof.x_lo < 10 && roof.x_hi > 100 && roof.y_lo < 10e12 && roof.y_hi > 100e12);
}

/* The point at the ridge lies on the roof's corner: where its two bold lines meet. */
static void test_point_on_the_corner(void **state)
{
    (void)state;
    ridge_plot plot = one_point("corner", 100, 100e12);
    const char *svg = svg_of(&plot), *line = strstr(svg, "class=\"line roof-line\""), *circle = strstr(svg, "cx=\"");
    double x0, y0, x1, y1, cx, cy;
    assert_non_null(line);
    assert_non_null(circle);
    assert_int_equal(sscanf(strstr(line, "points="), "points=\"%lf,%lf %lf,%lf", &x0, &y0, &x1, &y1), 4);
    assert_int_equal(sscanf(circle, "cx=\"%lf\" cy=\"%lf", &cx, &cy), 2);
    assert_near(x1, cx, 0.006);
    assert_near(y1, cy, 0.006);
    line = strstr(line + 1, "class=\"line roof-line\"");
    assert_int_equal(sscanf(strstr(line, "points="), "points=\"%lf,%lf", &x0, &y0), 2);
    assert_near(x0, cx, 0.006);
    assert_near(y0, cy, 0.006);
    /* intensities 10 to 100 occur (fp32's ridge point, bf16's); with room that is 1 to 1000, over pixels 80 to 936: 2/3 of the way */
    assert_near(cx, 80 + 856 * 2.0 / 3, 0.006);
    assert_non_null(strstr(svg, ">ridge point 100 FLOP/byte<"));
    assert_non_null(strstr(svg, ">corner<"));
}

static void test_clusters(void **state)
{
    (void)state;
    const ridge_plot_point points[] = {{"a", 1, 1e12, 0.1, 0, 1, false, NULL},
                                       {"b", 50, 5e13, 0.3, 0, 1, false, NULL},
                                       {"c", 1, 1e12, 0.4, 0, 1, false, NULL},
                                       {"d", 1, 1e12, 0.2, 0, 1, false, NULL}};
    ridge_plot plot = roofline(points, 4);
    ridge_axis x = {1, 100, 0, 100, true, "", NULL, 0}, y = {1e10, 1e14, 100, 0, true, "", NULL, 0};
    size_t n;
    const ridge_roof_cluster *clusters = ridge_roof_clusters(&n, &plot.u.roofline, &x, &y, 2, 2, false, &arena);
    assert_int_equal(n, 2);
    assert_string_equal(clusters[0].label, "c, d +1");
    assert_near(clusters[0].weight, 0.7, 1e-12);
    assert_string_equal(clusters[1].label, "b");
}

/* predicted and measured of one row, on one place: one name; two places where the kinds are kept apart */
static void test_clusters_of_both_kinds(void **state)
{
    (void)state;
    const ridge_plot_point points[] = {{"a", 1, 1e12, 0.5, 0, 1, false, NULL},
                                       {"a", 1, 1e12, 0.5, 0, 1, true, NULL},
                                       {"b", 1, 1e12, 0.4, 0, 1, false, NULL},
                                       {"a", 1, 1e12, 0.3, 0, 1, true, NULL}};
    ridge_plot plot = roofline(points, 4);
    ridge_axis x = {1, 100, 0, 100, true, "", NULL, 0}, y = {1e10, 1e14, 100, 0, true, "", NULL, 0};
    size_t n;
    const ridge_roof_cluster *clusters = ridge_roof_clusters(&n, &plot.u.roofline, &x, &y, 2, 2, false, &arena);
    assert_int_equal(n, 1);
    assert_int_equal(clusters[0].count, 4);
    assert_string_equal(clusters[0].label, "a, b");
    clusters = ridge_roof_clusters(&n, &plot.u.roofline, &x, &y, 2, 2, true, &arena);
    assert_int_equal(n, 2);
    assert_string_equal(clusters[0].label, "a, b");
    assert_string_equal(clusters[1].label, "a");
    assert_near(clusters[1].weight, 0.8, 1e-12);
}

/* ---- words ---- */

static void test_quantities(void **state)
{
    (void)state;
    assert_string_equal(ridge_text_quantity(&arena, 989.5e12, "FLOP/s"), "989.5 TFLOP/s");
    assert_string_equal(ridge_text_quantity(&arena, 3.35e12, "B/s"), "3.35 TB/s");
    assert_string_equal(ridge_text_quantity(&arena, 0.0123, "s"), "12.30 ms"); /* as tables print it */
    assert_string_equal(ridge_text_quantity(&arena, 117e-6, "s"), "117.0 µs");
    assert_string_equal(ridge_text_tick(&arena, 117e-6, "s"), "117 µs");
    assert_string_equal(ridge_text_quantity(&arena, 999.96, "B"), "1 kB");
    assert_string_equal(ridge_text_quantity(&arena, 0, "B"), "0 B");
    assert_string_equal(ridge_text_number(&arena, 989.5 / 3.35), "295.4");
    assert_string_equal(ridge_text_number(&arena, INFINITY), "infinite");
}

static void test_clean(void **state)
{
    (void)state;
    assert_string_equal(ridge_text_clean(&arena, "plain", 9), "plain");
    assert_string_equal(ridge_text_clean(&arena, "a\n\033[31mb\x7f", 99), "a  [31mb ");
    assert_string_equal(ridge_text_clean(&arena, "\xff\xc3", 9), "\xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(ridge_text_clean(&arena, "x\xe2\x80\xaey\xc2\x9bz", 9), "x y z"); /* right-to-left override; C1's CSI */
    assert_string_equal(ridge_text_clean(&arena, "abcdef", 4), "abc…");
    assert_string_equal(ridge_text_clean(&arena, "äöü", 3), "äöü");
    assert_string_equal(ridge_text_clean(&arena, "abc", 1), "…");
    assert_string_equal(ridge_text_clean(&arena, "", 5), "");
}

#define HOSTILE "<b>&\"'</text>\033[31m\n`id`\"; system(\"x\") @y \\ %s \xff"

static void test_escaping(void **state)
{
    (void)state;
    ridge_plot plot = one_point(HOSTILE, 10, 10e12);
    const char *svg = svg_of(&plot);
    assert_non_null(strstr(svg, "&lt;b&gt;&amp;&quot;'&lt;/text&gt;"));
    assert_null(strstr(svg, "<b>"));
    assert_null(strchr(svg, '\033'));
    const char *text = text_of(&plot, 200, 24, true);
    for (const char *p = text; *p; p++)
        assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7f));
    ridge_html_section section = {.heading = HOSTILE, .text = HOSTILE, .plot = &plot};
    ridge_html html = {.title = HOSTILE, .subtitle = "", .sections = &section, .section_count = 1};
    ridge_buf page = {0};
    assert_int_equal(ridge_html_write(&page, &html, &arena, NULL), RIDGE_OK);
    assert_null(strstr(page.p, "<b>"));
    assert_null(strchr(page.p, '\033'));
    assert_non_null(strstr(page.p, "<h1>&lt;b&gt;&amp;&quot;&#39;&lt;/text&gt;"));
    ridge_buf_free(&page);
}

/* ---- terminal ---- */

static size_t columns_of(const char *line, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += (line[i] & 0xC0) != 0x80;
    return n;
}

static void test_terminal_keeps_its_width(void **state)
{
    (void)state;
    ridge_plot plot = one_point("a name that is rather long for the legend of a narrow terminal, and then some more of it", 3, 3e12);
    for (int width = 40; width <= 200; width += 20)
        for (int ascii = 0; ascii < 2; ascii++)
            for (const char *line = text_of(&plot, width, 24, ascii); *line;) {
                size_t n = strcspn(line, "\n");
                assert_true(columns_of(line, n) <= (size_t)width);
                assert_true(n == 0 || line[n - 1] != ' ');
                line += n + 1;
            }
}

/* 80 x 24, title and subtitle: 18 rows of 72 columns from column 8. The ridge point is 2/3 to the right: dot 47.3 of 71. */
static void test_terminal_corner(void **state)
{
    (void)state;
    ridge_plot plot = roofline(NULL, 0);
    const char *text = text_of(&plot, 80, 24, true), *row = text;
    size_t found = 0;
    while (*row) {
        size_t n = strcspn(row, "\n");
        if (n > 8 + 48 && row[8 + 47] == '+' && row[8 + 48] == '=')
            found++;
        row += n + 1;
    }
    assert_int_equal(found, 1);
    assert_non_null(strstr(text, "ridge 100"));
    assert_non_null(strstr(text, "bf16, fp16 100 TFLOP/s"));
    assert_non_null(strstr(text, "fp32 10 TFLOP/s"));
    assert_non_null(strstr(text, "HBM 1 TB/s"));
}

static void test_terminal_bars(void **state)
{
    (void)state;
    static const char *const series[] = {"compute", "memory"};
    static const double values[][2] = {{3e-3, 1e-3}, {0, 2e-3}};
    const ridge_plot_bar rows[] = {{"mlp", values[0]}, {"norm", values[1]}};
    ridge_plot plot = {"", "", RIDGE_PLOT_BARS, .u.bars = {RIDGE_PLOT_SECONDS, series, 2, rows, 2}};
    /* 40 columns: 4 for labels, 1, 12 for totals: 23 for 4 ms; 3 ms are 17.25, 2 ms 11.5 */
    assert_string_equal(text_of(&plot, 40, 24, true), "# compute  = memory\n"
                                                      "mlp  #################======    4.000 ms\n"
                                                      "norm ============               2.000 ms\n");
}

/* ---- what cannot be drawn ---- */

static void assert_refused(const ridge_plot *plot, const char *message)
{
    ridge_buf out = {0};
    ridge_err err = {0};
    assert_int_equal(ridge_plot_svg(&out, plot, &(ridge_plot_options){0}, &arena, &err), RIDGE_VALUE);
    assert_string_equal(message_of(&err), message);
    assert_int_equal(out.n, 0);
    assert_int_equal(ridge_plot_text(&out, plot, &(ridge_plot_terminal){0}, &arena, NULL), RIDGE_VALUE);
    assert_int_equal(out.n, 0);
}

static void test_refusals(void **state)
{
    (void)state;
    ridge_plot plot = one_point("x", NAN, 1);
    assert_refused(&plot, "cannot draw point 'x': its FLOP/byte is nan");
    plot = one_point("x", 1, -1);
    assert_refused(&plot, "cannot draw point 'x': its FLOP/s is -1");
    static const ridge_plot_ceiling none[] = {{"fp8", 0, true}};
    plot.u.roofline.compute = none;
    plot.u.roofline.compute_count = 1;
    assert_refused(&plot, "cannot draw compute ceiling 'fp8': its rate is 0");
    static const double falling[] = {2, 1}, amounts[] = {1, 1};
    ridge_plot areas = {"", "", RIDGE_PLOT_AREAS, .u.areas = {RIDGE_PLOT_BYTES, "x", falling, 2, groups, 1, amounts, NULL, 0, false}};
    assert_refused(&areas, "cannot draw areas: x[1] = 1 does not rise from x[0]");
}

/* nothing at all, one place for all, everything on the edges: still a picture, without a number that is none */
static void test_extremes(void **state)
{
    (void)state;
    const ridge_plot_point points[] = {{"e", 0, 0, 0.5, 0, 1, false, NULL},
                                       {"f", INFINITY, 1e12, 0, 1, 1, true, NULL},
                                       {"g", 1e-300, 1e-300, 0, 9, 1, false, NULL},
                                       {"h", 1e300, 1e300, 0.5, 1, 1, false, NULL}};
    ridge_plot plots[] = {roofline(NULL, 0), roofline(points, 4), roofline(points, 1)};
    plots[0].u.roofline.compute_count = plots[0].u.roofline.memory_count = 0;
    for (size_t i = 0; i < 3; i++) {
        const char *svg = svg_of(&plots[i]);
        assert_null(strstr(svg, "nan"));
        assert_null(strstr(svg, "inf,"));
        assert_null(strstr(text_of(&plots[i], 80, 24, false), "nan"));
    }
}

static void test_determinism(void **state)
{
    (void)state;
    const ridge_plot_point points[] = {{"e", 1, 1e12, 0.5, 0, 1, false, NULL}, {"f", 1, 1e12, 0.5, 1, 1, true, NULL}};
    ridge_plot plot = roofline(points, 2);
    assert_string_equal(svg_of(&plot), svg_of(&plot));
    assert_string_equal(text_of(&plot, 80, 24, false), text_of(&plot, 80, 24, false));
}

/* ---- gnuplot ---- */

static ridge_status write_plot(const char *name, ridge_err *err)
{
    ridge_plot plot = one_point(HOSTILE, 10, 10e12);
    return ridge_plot_write(in_folder(name), &plot, &(ridge_plot_options){0}, &arena, err);
}

/* Runs `body` with PATH set, then puts it back. */
static ridge_status write_with_path(const char *path, const char *name, ridge_err *err)
{
    const char *before = ridge_arena_strdup(&arena, ridge_str_of(getenv("PATH")));
    assert_int_equal(setenv("PATH", path, 1), 0);
    ridge_status status = write_plot(name, err);
    assert_int_equal(setenv("PATH", before, 1), 0);
    return status;
}

static ridge_str read_back(const char *name)
{
    ridge_str text;
    assert_int_equal(ridge_file_read(&text, in_folder(name), (size_t)64 << 20, &arena, NULL), RIDGE_OK);
    return text;
}

static void test_without_gnuplot(void **state)
{
    (void)state;
    ridge_err err = {0};
    assert_int_equal(ridge_file_write_atomic(in_folder("old.png"), RIDGE_STR("old"), NULL), RIDGE_OK);
    assert_int_equal(write_with_path("", "old.png", &err), RIDGE_UNKNOWN);
    assert_string_equal(message_of(&err), "gnuplot is not on PATH; png pictures need it (Debian: apt install gnuplot-nox), .svg does not");
    assert_str(read_back("old.png"), "old");
    assert_int_equal(write_with_path("relative:.", "new.pdf", NULL), RIDGE_UNKNOWN);
    assert_false(ridge_file_exists(in_folder("new.pdf")));
    assert_int_equal(write_with_path("", "fine.svg", NULL), RIDGE_OK);
    assert_true(ridge_str_starts(read_back("fine.svg"), RIDGE_STR("<svg ")));
    assert_int_equal(unlink(in_folder("old.png")) | unlink(in_folder("fine.svg")), 0);
}

static void put_gnuplot(const char *script)
{
    assert_int_equal(ridge_file_write_atomic(in_folder("gnuplot"), ridge_str_of(script), NULL), RIDGE_OK);
    assert_int_equal(chmod(in_folder("gnuplot"), 0755), 0);
}

/* A gnuplot that complains, one that ends without a word, and one that gives its script back: no byte of a label reaches it raw. */
static void test_gnuplot_answers(void **state)
{
    (void)state;
    ridge_err err = {0};
    put_gnuplot("#!/bin/sh\necho 'line 3: undefined\tvariable' >&2\nexit 1\n");
    assert_int_equal(write_with_path(folder, "a.png", &err), RIDGE_IO);
    assert_string_equal(message_of(&err), "gnuplot failed: line 3: undefined variable");
    ridge_err_clear(&err);
    put_gnuplot("#!/bin/sh\nexit 0\n");
    assert_int_equal(write_with_path(folder, "a.png", &err), RIDGE_IO);
    assert_string_equal(message_of(&err), "gnuplot failed: it gave no reason");
    assert_false(ridge_file_exists(in_folder("a.png")));
    put_gnuplot("#!/bin/sh\nexec /bin/cat\n");
    assert_int_equal(write_with_path(folder, "a.png", NULL), RIDGE_OK);
    const char *script = read_back("a.png").p;
    assert_non_null(strstr(script, "set terminal pngcairo noenhanced"));
    assert_non_null(strstr(script, "set label \"\\074b\\076\\046\\042\\047\\074\\057text\\076"));
    assert_null(strpbrk(script, "`@'%"));
    assert_null(strstr(script, "system("));
    assert_int_equal(unlink(in_folder("a.png")) | unlink(in_folder("gnuplot")), 0);
}

static void test_gnuplot(void **state)
{
    (void)state;
    ridge_err err = {0};
    ridge_status status = write_plot("real.png", &err);
    if (status == RIDGE_UNKNOWN) {
        print_message("# gnuplot is not here: PNG and PDF are not tested\n");
        return;
    }
    assert_string_equal(message_of(&err), "");
    assert_true(ridge_str_starts(read_back("real.png"), RIDGE_STR("\x89PNG\r\n")));
    assert_int_equal(write_plot("real.pdf", NULL), RIDGE_OK);
    assert_true(ridge_str_starts(read_back("real.pdf"), RIDGE_STR("%PDF-")));
    assert_int_equal(unlink(in_folder("real.png")) | unlink(in_folder("real.pdf")), 0);
}

static void test_kinds_of_file(void **state)
{
    (void)state;
    ridge_err err = {0};
    ridge_plot plot = roofline(NULL, 0);
    assert_int_equal(ridge_plot_write("x.gif", &plot, &(ridge_plot_options){0}, &arena, &err), RIDGE_USAGE);
    assert_string_equal(message_of(&err), "cannot tell the kind of picture from 'x.gif': its name has to end in .svg, .png or .pdf");
}

static void test_process(void **state)
{
    (void)state;
    char sleep_name[] = "sleep", ten[] = "10", cat[] = "cat", none[] = "no-such-program";
    ridge_str output = {0};
    ridge_err err = {0};
    assert_int_equal(ridge_process_run(&output, (char *[]){sleep_name, ten, NULL}, RIDGE_STR(""), 1, &arena, &err), RIDGE_LIMIT);
    assert_string_equal(message_of(&err), "sleep did not finish within 1 s");
    assert_int_equal(ridge_process_run(&output, (char *[]){none, NULL}, RIDGE_STR(""), 1, &arena, NULL), RIDGE_UNKNOWN);
    size_t n = (size_t)4 << 20; /* more than a pipe holds, both ways */
    char *text = ridge_arena_alloc(&arena, n);
    memset(text, 'x', n);
    assert_int_equal(ridge_process_run(&output, (char *[]){cat, NULL}, (ridge_str){text, n}, 20, &arena, NULL), RIDGE_OK);
    assert_int_equal(output.n, n);
    assert_memory_equal(output.p, text, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axis),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_roof),
        cmocka_unit_test(test_point_on_the_corner),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_clusters_of_both_kinds),
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_escaping),
        cmocka_unit_test(test_terminal_keeps_its_width),
        cmocka_unit_test(test_terminal_corner),
        cmocka_unit_test(test_terminal_bars),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_determinism),
        cmocka_unit_test(test_without_gnuplot),
        cmocka_unit_test(test_gnuplot_answers),
        cmocka_unit_test(test_gnuplot),
        cmocka_unit_test(test_kinds_of_file),
        cmocka_unit_test(test_process),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, make_folder, remove_folder);
}
