/* A scene as a gnuplot script: the canvas is the coordinate system, shapes are plots of inline data in order, text are labels. */
#include "report/plot/glyphs.h"
#include "base/process.h"
#include "report/plot/scene.h"

#define SECONDS 60

/* gnuplot's names for a format: terminal, and how it is told a size of width x height pixels */
static const struct format {
    const char *name, *terminal;
    double scale;  /* of lines and letters; pixels are doubled so that they stay sharp */
    double points; /* of a letter one pixel high */
} formats[] = {{"png", "pngcairo", 2, 0.75}, {"pdf", "pdfcairo", 1, 1.5}};

/* Every byte but letters and spaces as \ooo: nothing in a text can end it, or mean anything to gnuplot (a digit would be taken for
 * one more of an octal number before it). */
static void add_string(ridge_buf *out, const char *text)
{
    ridge_buf_addc(out, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ')
            ridge_buf_addc(out, *text);
        else
            ridge_buf_addf(out, "\\%03o", c);
    }
    ridge_buf_addc(out, '"');
}

static void add_terminal(ridge_buf *out, const ridge_scene *scene, ridge_plot_theme theme, const struct format *format)
{
    unsigned ground = ridge_paint_rgb(RIDGE_PAINT_GROUND, theme);
    ridge_buf_addf(out, "set encoding utf8\nset terminal %s noenhanced font \"Sans,12\" background rgb \"#%06x\" ", format->terminal,
                   ground);
    if (strcmp(format->name, "pdf") == 0)
        ridge_buf_addf(out, "linewidth 2 size %.4fin,%.4fin\n", scene->width / 72, scene->height / 72);
    else
        ridge_buf_addf(out, "fontscale %.0f linewidth %.0f size %.0f,%.0f\n", format->scale, format->scale, scene->width * format->scale,
                       scene->height * format->scale);
    ridge_buf_addf(out,
                   "unset border\nunset tics\nunset key\nset margins 0,0,0,0\nset style fill solid noborder\n"
                   "set xrange [0:%.2f]\nset yrange [%.2f:0]\n",
                   scene->width, scene->height);
}

static void add_data(ridge_buf *out, const ridge_shape *shape, size_t index)
{
    ridge_buf_addf(out, "$d%zu << EOD\n", index);
    for (size_t i = 0; i < shape->count; i++)
        ridge_buf_addf(out, "%s%.2f %.2f %.2f\n", shape->kind == RIDGE_SHAPE_HATCH && i > 0 && i % 2 == 0 ? "\n" : "", shape->points[i].x,
                       shape->points[i].y, shape->radius); /* an empty line ends a stroke */
    if (shape->kind == RIDGE_SHAPE_AREA)                   /* closed, for its outline */
        ridge_buf_addf(out, "%.2f %.2f 0\n", shape->points[0].x, shape->points[0].y);
    ridge_buf_addz(out, "EOD\n");
}

/* "#aarrggbb": gnuplot counts transparency, not opacity */
static unsigned long colour_of(ridge_paint paint, ridge_plot_theme theme, double opacity)
{
    unsigned long transparency = (unsigned long)((1 - opacity) * 255 + 0.5);
    return transparency << 24 | ridge_paint_rgb(paint, theme);
}

static void add_line(ridge_buf *out, const ridge_shape *shape, size_t index, ridge_plot_theme theme)
{
    ridge_buf_addf(out, ", \\\n $d%zu using 1:2 with lines lc rgb \"#%08lx\" lw %.2f dt %s", index, colour_of(shape->stroke, theme, 1),
                   shape->width, shape->dashed ? "(10,8)" : "1");
}

static void add_plot(ridge_buf *out, const ridge_shape *shape, size_t index, ridge_plot_theme theme)
{
    if (shape->kind == RIDGE_SHAPE_LINE || shape->kind == RIDGE_SHAPE_HATCH) {
        add_line(out, shape, index, theme);
        return;
    }
    unsigned long fill = colour_of(shape->fill, theme, shape->opacity);
    if (shape->kind == RIDGE_SHAPE_AREA) {
        ridge_buf_addf(out, ", \\\n $d%zu using 1:2 with filledcurves closed fc rgb \"#%08lx\" fs solid noborder", index, fill);
        if (shape->stroke != RIDGE_PAINT_NONE)
            add_line(out, shape, index, theme);
        return;
    }
    ridge_buf_addf(out, ", \\\n $d%zu using 1:2:3 with circles fc rgb \"#%08lx\" fs solid noborder", index, fill);
    if (shape->stroke != RIDGE_PAINT_NONE)
        ridge_buf_addf(out, ", \\\n $d%zu using 1:2:3 with circles lc rgb \"#%08lx\" lw %.2f fs empty border", index,
                       colour_of(shape->stroke, theme, 1), shape->width);
}

static void add_label(ridge_buf *out, const ridge_shape *shape, ridge_plot_theme theme, const struct format *format)
{
    static const char *const anchors[] = {"left", "center", "right"};
    ridge_buf_addz(out, "set label ");
    add_string(out, shape->text);
    ridge_buf_addf(out, " at %.2f,%.2f %s front noenhanced tc rgb \"#%06x\" font \"Sans%s,%.2f\"", shape->points[0].x, shape->points[0].y,
                   anchors[shape->anchor], ridge_paint_rgb(shape->fill, theme), shape->bold ? ":Bold" : "", shape->width * format->points);
    if (shape->angle != 0)
        ridge_buf_addf(out, " rotate by %.2f", shape->angle);
    ridge_buf_addc(out, '\n');
}

static void add_script(ridge_buf *out, const ridge_scene *scene, ridge_plot_theme theme, const struct format *format, ridge_arena *arena)
{
    ridge_glyphs glyphs;
    ridge_glyphs_find(&glyphs, scene, arena);
    add_terminal(out, scene, theme, format);
    for (size_t i = 0; i < scene->count; i++) {
        ridge_shape shape = scene->shapes[i];
        if (shape.kind != RIDGE_SHAPE_TEXT) {
            add_data(out, &shape, i);
            continue;
        }
        shape.text = ridge_glyphs_text(&glyphs, shape.text, arena);
        add_label(out, &shape, theme, format);
    }
    ridge_buf_addz(out, "plot NaN");
    for (size_t i = 0; i < scene->count; i++)
        if (scene->shapes[i].kind != RIDGE_SHAPE_TEXT)
            add_plot(out, &scene->shapes[i], i, theme);
    ridge_buf_addz(out, "\nunset output\n");
}

ridge_status ridge_scene_gnuplot(ridge_str *image, const ridge_scene *scene, ridge_plot_theme theme, const char *name, ridge_arena *arena,
                                 ridge_err *err)
{
    const struct format *format = strcmp(name, formats[0].name) == 0 ? &formats[0] : &formats[1];
    ridge_buf script = {0};
    char program[] = "gnuplot", no_settings[] = "-d";
    char *argv[] = {program, no_settings, NULL};
    add_script(&script, scene, theme, format, arena);
    ridge_status st =
        script.failed ? ridge_no_memory(err) : ridge_process_run(image, argv, (ridge_str){script.p, script.n}, SECONDS, arena, err);
    ridge_buf_free(&script);
    if (st == RIDGE_UNKNOWN)
        ridge_err_append(err, "; %s pictures need it (Debian: apt install gnuplot-nox), .svg does not", name);
    return st;
}
