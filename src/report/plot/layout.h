/* layout.h - what the pictures share: axes and ticks, the frame, the legend, labels that keep out of each other's way.
 * In: ranges in the data's units, pixels. Out: places, and shapes added to a scene.
 * Nothing here fails; memory running out is told by the scene. */
#ifndef RIDGE_REPORT_PLOT_LAYOUT_H
#define RIDGE_REPORT_PLOT_LAYOUT_H

#include "report/plot/scene.h"

/* ---- axes ---- */
typedef struct ridge_axis {
    double lo, hi;   /* data; 0 < lo < hi where log */
    double from, to; /* where lo and hi are: pixels, or a terminal's dots */
    bool log;
    const char *unit;    /* "FLOP/s": ticks get decimal prefixes; "": plain numbers */
    const double *marks; /* where ticks are wanted, rising; NULL: decided here */
    size_t mark_count;
} ridge_axis;

/* the place of a value, held inside the axis; 0, infinite and negative values are on its ends */
double ridge_axis_at(const ridge_axis *axis, double value);

typedef struct ridge_ticks {
    double values[64];
    size_t count;
} ridge_ticks;
/* Decades where log (every 2nd, 3rd, ... where they are many), else 1, 2 or 5 times a power of ten; about `wanted`, never above 60. */
void ridge_axis_ticks(ridge_ticks *out, const ridge_axis *axis, int wanted);
/* "10", "0.01", "1k", "1e-7"; "100 G", "20 ms" */
const char *ridge_axis_label(ridge_arena *arena, const ridge_axis *axis, double value);

/* ---- boxes that labels keep out of ---- */
typedef struct ridge_box {
    double x0, y0, x1, y1;
} ridge_box;

typedef struct ridge_boxes {
    ridge_arena *arena;
    ridge_box *items;
    size_t count, cap;
} ridge_boxes;

void ridge_boxes_add(ridge_boxes *boxes, ridge_box box);
/* how many of the boxes touch this one */
size_t ridge_boxes_hit(const ridge_boxes *boxes, ridge_box box);
/* square pixels of this one that the boxes cover; where they lie on each other, each counts */
double ridge_boxes_cover(const ridge_boxes *boxes, ridge_box box);

/* ---- frame ---- */
typedef struct ridge_frame {
    ridge_box inside; /* where data goes */
    ridge_axis x, y;
    const char *x_title, *y_title;
} ridge_frame;

#define RIDGE_LEGEND_MOST 34    /* 32 series or groups, measured, predicted */
#define RIDGE_NARROW      560.0 /* pixels of a picture below which it is laid out for a phone */

typedef struct ridge_legend_item {
    const char *name; /* clean */
    unsigned group;
    enum { RIDGE_LEGEND_AREA, RIDGE_LEGEND_POINT, RIDGE_LEGEND_HOLLOW } mark;
} ridge_legend_item;

/* Ground, title, subtitle and legend, in as many lines as they take; *top is the first pixel below them. Embedded pictures get the legend
 * alone. A scene that grows is made higher by the lines past the first of each. */
void ridge_draw_head(ridge_scene *scene, double *top, const ridge_plot *plot, bool embedded, const ridge_legend_item *items, size_t count);
/* The panel, grid lines, ticks and axis titles. */
void ridge_draw_frame(ridge_scene *scene, const ridge_frame *frame);

/* ---- the kinds of picture ---- */
void ridge_draw_roofline(ridge_scene *scene, const ridge_plot *plot, bool embedded);
void ridge_draw_bars(ridge_scene *scene, const ridge_plot *plot, bool embedded);
void ridge_draw_areas(ridge_scene *scene, const ridge_plot *plot, bool embedded);
void ridge_draw_samples(ridge_scene *scene, const ridge_plot *plot, bool embedded);
/* pixels that alternatives take */
double ridge_samples_height(const ridge_plot_samples *samples);
/* the range of the values and their intervals, with some room; from 0 where it is not logarithmic */
void ridge_samples_range(double *low, double *high, const ridge_plot_samples *samples);

/* ---- what a roofline is, before it is drawn ---- */
/* Equal ceilings made one. */
typedef struct ridge_roof_line {
    const char *label; /* "bf16, fp16 989.5 TFLOP/s", clean */
    double rate;
    bool main;
} ridge_roof_line;

/* Points that fall on one place, with one label for all. */
typedef struct ridge_roof_cluster {
    double x, y;       /* of the heaviest */
    double weight;     /* sum */
    size_t first;      /* index of the heaviest point */
    size_t count;      /* points */
    size_t names;      /* different ones of them */
    const char *label; /* "q_proj, k_proj +3", each name once, clean */
    const char *brief; /* "q_proj +4" */
} ridge_roof_cluster;

typedef struct ridge_roof {
    ridge_roof_line *compute, *memory; /* rates falling */
    size_t compute_count, memory_count;
    const ridge_roof_line *main_compute, *main_memory; /* NULL where there is none */
    double top_flops, top_bytes;                       /* the highest ceilings, 0 where there is none */
    double x_lo, x_hi, y_lo, y_hi;                     /* what a picture shows */
} ridge_roof;

/* false where memory runs out */
bool ridge_roof_of(ridge_roof *out, const ridge_plot_roofline *plot, ridge_arena *arena);
/* FLOP/byte where this memory's line meets this compute ceiling */
double ridge_roof_point(const ridge_roof_line *compute, const ridge_roof_line *memory);
/* Points no further apart than (dx, dy) on these axes, the heaviest cluster first; NULL where memory runs out. kinds_apart: predicted and
 * measured points share no cluster. */
ridge_roof_cluster *ridge_roof_clusters(size_t *count, const ridge_plot_roofline *plot, const ridge_axis *x, const ridge_axis *y, double dx,
                                        double dy, bool kinds_apart, ridge_arena *arena);
/* "q_proj ×32, 1.5 FLOP/byte, 3.3 TFLOP/s, 12 % of the time" */
const char *ridge_roof_tip(const ridge_plot_roofline *plot, const ridge_plot_point *point, ridge_arena *arena);

#endif
