/* plot.h - pictures: a log-log roofline, stacked bars, stacked areas over a line, measurements with intervals; as SVG, PNG, PDF, or text
 * for a terminal. In: plain numbers and names (never NULL, any bytes: what is no printable UTF-8 is replaced). Out: a buffer, or a file
 * replaced atomically. Equal input gives equal bytes. SVG and text are drawn here; PNG and PDF need gnuplot at run time. Fails with VALUE
 * naming the number that cannot be drawn, USAGE for a file name of no known kind, UNKNOWN without gnuplot. */
#ifndef RIDGE_REPORT_PLOT_PLOT_H
#define RIDGE_REPORT_PLOT_PLOT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#define RIDGE_PLOT_GROUPS 8 /* groups or series that have a colour of their own; group g is drawn as g % 8 */

/* A peak rate: FLOP/s of a precision, or byte/s of a memory level. Equal ceilings share one line and one label. */
typedef struct ridge_plot_ceiling {
    const char *name; /* "bf16", "HBM3"; the rate is added */
    double rate;      /* > 0, finite */
    bool main;        /* belongs to the bold roof; where none is marked, the first does */
} ridge_plot_ceiling;

/* One operator or layer. */
typedef struct ridge_plot_point {
    const char *label;
    double ai;                /* FLOP/byte; 0 and infinity are drawn on the picture's edge */
    double flops_per_s;       /* attainable or measured; 0 is drawn on the edge */
    double weight;            /* share of the time, 0 to 1: the point's area */
    unsigned group;           /* colour and marker; its name is groups[group] */
    unsigned long long count; /* how many such there are; 0 and 1 are not shown */
    bool measured;            /* drawn hollow; a prediction is filled */
    const char *name;         /* the whole of it, told on hover; NULL: the label is */
} ridge_plot_point;

typedef struct ridge_plot_roofline {
    const ridge_plot_ceiling *compute; /* FLOP/s */
    size_t compute_count;
    const ridge_plot_ceiling *memory; /* byte/s */
    size_t memory_count;
    const char *const *groups; /* names for the legend, which is left out for fewer than two */
    size_t group_count;
    const ridge_plot_point *points;
    size_t point_count;
    bool alternatives; /* points are choices, not parts of one time: no share of it is told */
} ridge_plot_roofline;

typedef enum ridge_plot_unit { RIDGE_PLOT_SECONDS, RIDGE_PLOT_BYTES } ridge_plot_unit;

typedef struct ridge_plot_bar {
    const char *label;
    const double *values; /* [series_count], >= 0 */
} ridge_plot_bar;

/* Horizontal stacked bars, top to bottom as given. Past 40 bars, the rest is summed into the last one. */
typedef struct ridge_plot_bars {
    ridge_plot_unit unit;
    const char *const *series; /* names for the legend */
    size_t series_count;
    const ridge_plot_bar *bars;
    size_t bar_count;
} ridge_plot_bars;

typedef struct ridge_plot_limit {
    const char *label; /* "80 GB" */
    double value;
} ridge_plot_limit;

/* Stacked areas over x, with horizontal lines for what limits them. */
typedef struct ridge_plot_areas {
    ridge_plot_unit unit;
    const char *x_title;
    const double *x; /* [x_count], rising; > 0 where log_x */
    size_t x_count;
    const char *const *series;
    size_t series_count;
    const double *values; /* [series_count, x_count], >= 0 */
    const ridge_plot_limit *limits;
    size_t limit_count;
    bool log_x;
} ridge_plot_areas;

/* A measurement: the middle, and the interval it is sure to be in; low above high: none is known. */
typedef struct ridge_plot_sample {
    const char *label; /* of its row, or of its place on the x axis */
    double x;          /* > 0, rising within a group; alternatives have none */
    double y, low, high;
    unsigned group;
} ridge_plot_sample;

/* what a place on the x axis is, by an upright line: "L2 4 MiB" */
typedef struct ridge_plot_mark {
    const char *label;
    double x;
} ridge_plot_mark;

/* Measurements with their intervals: over x (logarithmic), those of a group joined by a line; or alternatives, one below the other. */
typedef struct ridge_plot_samples {
    bool alternatives; /* items of one label, next to each other, share a row */
    bool log_y;
    const char *x_title, *y_title;
    const char *y_unit; /* "s", "B/s" */
    const char *const *groups;
    size_t group_count;
    const ridge_plot_sample *items;
    size_t count;
    const ridge_plot_mark *marks;
    size_t mark_count;
} ridge_plot_samples;

typedef enum ridge_plot_kind { RIDGE_PLOT_ROOFLINE, RIDGE_PLOT_BARS, RIDGE_PLOT_AREAS, RIDGE_PLOT_SAMPLES } ridge_plot_kind;

typedef struct ridge_plot {
    const char *title, *subtitle; /* "" for none */
    ridge_plot_kind kind;
    union {
        ridge_plot_roofline roofline;
        ridge_plot_bars bars;
        ridge_plot_areas areas;
        ridge_plot_samples samples;
    } u;
} ridge_plot;

/* AUTO: as the reader's screen asks for (SVG); light in PNG and PDF */
typedef enum ridge_plot_theme { RIDGE_PLOT_AUTO, RIDGE_PLOT_LIGHT, RIDGE_PLOT_DARK } ridge_plot_theme;

typedef struct ridge_plot_options {
    double width, height; /* pixels, at least 320 x 200; 0: what suits the picture */
    ridge_plot_theme theme;
    bool embedded; /* SVG to stand in an HTML page: no style of its own, no title and frame round it (see ridge_plot_style) */
} ridge_plot_options;

/* Appends an SVG document, or element where embedded. */
ridge_status ridge_plot_svg(ridge_buf *out, const ridge_plot *plot, const ridge_plot_options *options, ridge_arena *arena, ridge_err *err);
/* Appends the style sheet that embedded pictures need, once a page. */
void ridge_plot_style(ridge_buf *out, ridge_plot_theme theme);

/* Writes the picture; the ending says how: .svg, .png, .pdf. IO with gnuplot's own words where it fails; a file that stands
 * there stays as it was after any failure. */
ridge_status ridge_plot_write(const char *path, const ridge_plot *plot, const ridge_plot_options *options, ridge_arena *arena,
                              ridge_err *err);

typedef struct ridge_plot_terminal {
    int width, height; /* columns and lines of the drawing, its legend comes below; at least 40 x 10 is taken, 0: 80 x 24 */
    bool ascii;        /* 7-bit characters only */
    bool colour;       /* ANSI colours */
} ridge_plot_terminal;

/* Appends the picture as lines of text, none longer than the width. */
ridge_status ridge_plot_text(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena,
                             ridge_err *err);

#endif
