/* Writes the pictures that people (and pictures.py) look at: pictures FOLDER [.svg|.png|.pdf|.html|.txt]
 * The points are made by arithmetic, not measured: GEMMs of growing size under the roof of an H100. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "report/html.h"
#include "report/plot/plot.h"
#include "report/table.h"

static const ridge_plot_ceiling compute[] = {
    {"bf16", 989.5e12, true}, {"fp16", 989.5e12, false}, {"fp8", 1979e12, false}, {"tf32", 494.7e12, false}, {"fp32", 66.9e12, false},
};
static const ridge_plot_ceiling memory[] = {{"HBM3", 3.35e12, true}, {"L2", 12e12, false}};
static const char *const groups[] = {"attention", "mlp", "norm", "embedding", "head", "other"};
static const char *const layers[] = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",     "scores",          "self_attn.o_proj",
                                     "mlp.gate_proj",    "mlp.up_proj",      "mlp.down_proj",        "input_layernorm", "mlp.act_fn",
                                     "lm_head",          "embed_tokens",     "softmax <&> \"it's\"", "rotary_emb",      "residual"};
static const unsigned layer_group[] = {0, 0, 0, 0, 0, 1, 1, 1, 2, 1, 4, 3, 0, 0, 5};

static double roof(double ai)
{
    return fmin(989.5e12, ai * 3.35e12);
}

/* n points over about 5 decades of intensity; the heavy ones first */
static ridge_plot_point *points_of(size_t n, ridge_arena *arena)
{
    ridge_plot_point *points = ridge_arena_array(arena, n + 1, sizeof *points);
    double whole = 0;
    unsigned state = 12345;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        double random = (double)(state >> 8) / 16777216.0;
        size_t kind = i % 15;
        double ai = kind == 11 ? 0 : pow(10, kind < 8 ? 1.5 + random * 2 : -1 + random * 1.6);
        points[i] = (ridge_plot_point){
            .label = n <= 15 ? layers[kind] : ridge_arena_printf(arena, "layers.%zu.%s", i / 15, layers[kind]),
            .ai = ai,
            .flops_per_s = roof(ai) * (n > 50 ? 0.35 + 0.6 * random : 1),
            .weight = 1 / (1 + (double)i),
            .group = layer_group[kind],
            .count = n <= 15 ? 32 : 1,
            .measured = n == 50 && i % 3 == 0,
        };
        whole += points[i].weight;
    }
    for (size_t i = 0; i < n; i++)
        points[i].weight /= whole;
    return points;
}

static ridge_plot roofline_of(const char *subtitle, const ridge_plot_point *points, size_t n)
{
    return (ridge_plot){.title = "Llama-2-7B on H100 SXM",
                        .subtitle = subtitle,
                        .kind = RIDGE_PLOT_ROOFLINE,
                        .u.roofline = {compute, 5, memory, 2, groups, 6, points, n, false}};
}

static ridge_plot hard_roofline(ridge_arena *arena)
{
    ridge_plot_point *points = ridge_arena_array(arena, 6, sizeof *points);
    points[0] = (ridge_plot_point){"all bytes", 0, 0, 0.3, 3, 1, false, NULL};
    points[1] = (ridge_plot_point){"no bytes", INFINITY, 989.5e12, 0.1, 5, 1, false, NULL};
    points[2] = (ridge_plot_point){"far left", 1e-6, 3.35e6, 0.2, 0, 1, false, NULL};
    points[3] = (ridge_plot_point){"far right", 1e6, 989.5e12, 0.2, 1, 1, false, NULL};
    points[4] = (ridge_plot_point){"at the ridge", 989.5e12 / 3.35e12, 989.5e12, 0.2, 4, 1, false, NULL};
    return roofline_of("twelve decades, no FLOPs, no bytes", points, 5);
}

static ridge_plot one_place(ridge_arena *arena)
{
    ridge_plot_point *points = ridge_arena_array(arena, 8, sizeof *points);
    for (size_t i = 0; i < 8; i++)
        points[i] =
            (ridge_plot_point){layers[i], 1 + 0.001 * (double)i, roof(1 + 0.001 * (double)i), 0.125, layer_group[i], 32, false, NULL};
    return roofline_of("decode, batch 1: every GEMV at one place", points, 8);
}

/* a prefill of Llama-3.1-405B on an MI300X: nearly all the time in products on the roof, right where the roof's name would stand */
static ridge_plot heavy_on_the_roof(void)
{
    static const ridge_plot_ceiling rates[] = {
        {"bf16, fp16", 1307.4e12, true}, {"fp8, int8", 2614.9e12, false}, {"tf32", 653.7e12, false}, {"fp32", 163.4e12, false}};
    static const ridge_plot_ceiling hbm[] = {{"HBM3", 5.3e12, true}};
    static const ridge_plot_point points[] = {{"mlp.gate_proj", 1780, 1307.4e12, 0.9, 1, 126, false, NULL},
                                              {"self_attn.core", 980, 1307.4e12, 0.05, 0, 126, false, NULL},
                                              {"self_attn.k_proj", 655, 1307.4e12, 0.03, 1, 252, false, NULL},
                                              {"residual", 0.5, 2.65e12, 0.01, 5, 252, false, NULL},
                                              {"embed_tokens", 0, 0, 0.01, 3, 1, false, NULL}};
    return (ridge_plot){"Llama-3.1-405B on MI300X", "the heaviest point under the name of the roof", RIDGE_PLOT_ROOFLINE,
                        .u.roofline = {rates, 4, hbm, 1, groups, 6, points, 5, false}};
}

/* no place without a point: shares of the time that are too large on purpose */
static ridge_plot everywhere(ridge_arena *arena)
{
    ridge_plot_point *points = ridge_arena_array(arena, 300, sizeof *points);
    for (size_t i = 0; i < 300; i++) {
        double x = (double)(i % 25) / 24, y = (double)(i / 25) / 11;
        points[i] =
            (ridge_plot_point){layers[i % 15], pow(10, -0.5 + 4.5 * x), pow(10, 12 + 3.5 * y), 0.8, layer_group[i % 15], 1, false, NULL};
    }
    return roofline_of("300 operators, a point in every place", points, 300);
}

/* what a file may hold for a name: scripts, shell, escapes, directions, a byte that is no UTF-8, wide characters, emoji */
#define HOSTILE                                                                                                                            \
    "\u6a21\u578b \U0001F680 <script>alert(1)</script> `touch PWNED` $(touch PWNED) \"; system(\"touch PWNED\") # '\\\\' ]]> --> "         \
    "\u202egnp\u2066 \x1b[31m\x07 \x9b \xff {/Symbol a}_b^c %s \u061c\U000E0041"

static ridge_plot hostile(void)
{
    static const ridge_plot_ceiling rates[] = {{HOSTILE, 989.5e12, true}};
    static const ridge_plot_ceiling hbm[] = {{"\u5185\u5b58 \U0001F4BE", 3.35e12, true}};
    static const char *const names[] = {HOSTILE, "`touch PWNED`"};
    static const ridge_plot_point points[] = {{HOSTILE, 3, 1e13, 0.5, 0, 1, false, NULL},
                                              {"\x1b]0;x\x07", 300, 9e14, 0.5, 1, 1, true, HOSTILE}};
    return (ridge_plot){HOSTILE, HOSTILE, RIDGE_PLOT_ROOFLINE, .u.roofline = {rates, 1, hbm, 1, names, 2, points, 2, false}};
}

/* more series than colours, with long names */
static ridge_plot many_series(void)
{
    static const char *const series[] = {
        "weights",   "KV cache",  "activations", "gradients", "optimizer", "a runtime's buffers and whatever it keeps",
        "workspace", "fragments", "the ninth",   "the tenth", "11th",      "12th"};
    static const double values[] = {9, 8, 7, 6, 5, 4, 3, 2, 9, 8, 7, 6};
    static const ridge_plot_bar rows[] = {{"one", values}, {"two", values}};
    return (ridge_plot){"A title that is so long that it has to go on in the next line, and in the line after that one, since nobody "
                        "should have to guess how a title ends that could just as well have been written out in full",
                        "twelve series", RIDGE_PLOT_BARS, .u.bars = {RIDGE_PLOT_BYTES, series, 12, rows, 2}};
}

static ridge_plot bars(void)
{
    static const char *const series[] = {"compute", "memory", "launch"};
    static const double values[][3] = {
        {12.1e-3, 0, 0.4e-3}, {25.2e-3, 0, 0.6e-3}, {0, 1.3e-3, 0.2e-3}, {1.1e-3, 0, 0.01e-3}, {0, 0.02e-3, 0}};
    static const ridge_plot_bar rows[] = {{"model.layers[0:32].self_attn", values[0]},
                                          {"model.layers[0:32].mlp", values[1]},
                                          {"model.layers[0:32].input_layernorm", values[2]},
                                          {"lm_head", values[3]},
                                          {"model.embed_tokens", values[4]}};
    return (ridge_plot){"Time by module", "prefill, batch 1, seq 2048", RIDGE_PLOT_BARS,
                        .u.bars = {RIDGE_PLOT_SECONDS, series, 3, rows, 5}};
}

static ridge_plot areas(bool log_x)
{
    static const char *const series[] = {"weights", "KV cache", "activations"};
    static const double x[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536, 98304, 131072};
    static double values[27];
    static const ridge_plot_limit limits[] = {{"H100 SXM: 80 GB", 80e9}};
    for (size_t i = 0; i < 9; i++) {
        values[i] = 13.48e9;
        values[9 + i] = x[i] * 524288; /* 2 * 32 layers * 4096 * 2 bytes */
        values[18 + i] = x[i] * 90000;
    }
    return (ridge_plot){"Memory by context length", "Llama-2-7B, batch 1, fp16", RIDGE_PLOT_AREAS,
                        .u.areas = {RIDGE_PLOT_BYTES, "context length, tokens", x, 9, series, 3, values, limits, 1, log_x}};
}

typedef struct named {
    const char *name;
    ridge_plot plot;
} named;

static int fail(const ridge_err *err)
{
    char text[1024];
    (void)ridge_err_format(text, sizeof text, err, "");
    (void)fprintf(stderr, "%s\n", text);
    return 1;
}

static int write_all(const char *folder, const char *ending, const named *all, size_t n, ridge_arena *arena)
{
    static const char *const themes[] = {"", "-light", "-dark"};
    const bool svg = strcmp(ending, ".svg") == 0, pdf = strcmp(ending, ".pdf") == 0; /* gnuplot is slow: AUTO is LIGHT there */
    for (size_t i = 0; i < n; i++)
        for (ridge_plot_theme theme = svg ? RIDGE_PLOT_AUTO : RIDGE_PLOT_LIGHT; theme <= (pdf ? RIDGE_PLOT_LIGHT : RIDGE_PLOT_DARK);
             theme++) {
            const char *path = ridge_arena_printf(arena, "%s/%s%s%s", folder, all[i].name, themes[theme], ending);
            ridge_err err = {0};
            if (ridge_plot_write(path, &all[i].plot, &(ridge_plot_options){.theme = theme}, arena, &err) != RIDGE_OK)
                return fail(&err);
        }
    return 0;
}

static int write_text(const char *folder, const named *all, size_t n, ridge_arena *arena)
{
    static const ridge_plot_terminal terminals[] = {
        {60, 20, false, false}, {80, 24, false, false}, {200, 50, false, false}, {80, 24, true, false}};
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < 4; t++) {
            const char *path =
                ridge_arena_printf(arena, "%s/%s-%d%s.txt", folder, all[i].name, terminals[t].width, terminals[t].ascii ? "-ascii" : "");
            ridge_buf text = {0};
            ridge_err err = {0};
            if (ridge_plot_text(&text, &all[i].plot, &terminals[t], arena, &err) != RIDGE_OK ||
                ridge_file_write_atomic(path, (ridge_str){text.p, text.n}, &err) != RIDGE_OK)
                return fail(&err);
            ridge_buf_free(&text);
        }
    return 0;
}

static int write_html(const char *folder, const named *all, size_t n, ridge_arena *arena)
{
    static const ridge_column columns[] = {{.title = "module", .key = "module"},
                                           {.title = "count", .key = "count", .right = true},
                                           {.title = "time", .key = "time_s", .right = true},
                                           {.title = "bound", .key = "bound"}};
    ridge_table table;
    ridge_table_init(&table, arena, columns, 4);
    for (size_t i = 0; i < 12; i++) {
        const char **row = ridge_table_row(&table);
        row[0] = layers[i];
        row[1] = "32";
        row[2] = "1.234 ms";
        row[3] = i % 2 ? "compute" : "memory";
    }
    const ridge_html_figure figures[] = {{"memory", "815.97 GB", "does not fit in 80 GB", true},
                                         {"time", "41.2 ms", "compute-bound", false},
                                         {"throughput", "49,700 tokens/s", "prefill", false},
                                         {"MFU", "71.8 %", "of 989.5 TFLOP/s", false}};
    ridge_html_section sections[20] = {
        {.heading = "Modules", .text = "Rows of equal layers are one row, with their <count>.\n\nTimes are predicted.", .table = &table}};
    for (size_t i = 0; i < n; i++)
        sections[i + 1] = (ridge_html_section){.heading = all[i].name, .plot = &all[i].plot};
    ridge_html html = {.title = "Llama-2-7B on H100 SXM",
                       .subtitle = "prefill, batch 1, seq 2048, bf16",
                       .verdict = "Does not fit: it needs 816 GB of memory, and there are 80 GB.",
                       .alarm = true,
                       .figures = figures,
                       .figure_count = 4,
                       .sections = sections,
                       .section_count = n + 1,
                       .foot = "ridge 0.1.0"};
    ridge_buf page = {0};
    ridge_err err = {0};
    if (ridge_html_write(&page, &html, arena, &err) != RIDGE_OK ||
        ridge_file_write_atomic(ridge_arena_printf(arena, "%s/report.html", folder), (ridge_str){page.p, page.n}, &err) != RIDGE_OK)
        return fail(&err);
    ridge_buf_free(&page);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    ridge_arena arena;
    ridge_arena_init(&arena);
    const named all[] = {{"points-1", roofline_of("one point", points_of(1, &arena), 1)},
                         {"points-5", roofline_of("prefill, batch 1, seq 2048, bf16", points_of(5, &arena), 5)},
                         {"points-50", roofline_of("predicted and measured", points_of(50, &arena), 50)},
                         {"points-500", roofline_of("500 operators", points_of(500, &arena), 500)},
                         {"hard", hard_roofline(&arena)},
                         {"one-place", one_place(&arena)},
                         {"heavy", heavy_on_the_roof()},
                         {"everywhere", everywhere(&arena)},
                         {"nothing", roofline_of("no points", NULL, 0)},
                         {"bars", bars()},
                         {"areas", areas(false)},
                         {"areas-log", areas(true)},
                         {"hostile", hostile()},
                         {"series", many_series()}};
    size_t n = sizeof all / sizeof *all;
    int answer;
    if (strcmp(argv[2], ".html") == 0)
        answer = write_html(argv[1], all, n, &arena);
    else if (strcmp(argv[2], ".txt") == 0)
        answer = write_text(argv[1], all, n, &arena);
    else
        answer = write_all(argv[1], argv[2], all, n, &arena);
    ridge_arena_free(&arena);
    return answer;
}
