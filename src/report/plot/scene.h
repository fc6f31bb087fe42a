/* scene.h - a picture as a list of shapes in pixels, drawn in order; text always comes last, on top.
 * In: lines, areas, markers and words with a paint that a theme turns into a colour. Out: the list, in the arena.
 * Where memory runs out the scene says so (`failed`) and stays drawable. */
#ifndef RIDGE_REPORT_PLOT_SCENE_H
#define RIDGE_REPORT_PLOT_SCENE_H

#include <stdint.h>

#include "report/plot/plot.h"

/* paint, CSS class, colour in light, colour in dark. G0.. are the groups: told apart with any colour vision, by marker as well */
#define RIDGE_PAINT_LIST(X)                                                                                                                \
    X(GROUND, "ground", 0xffffff, 0x14181f)                                                                                                \
    X(PANEL, "panel", 0xf6f8fa, 0x1a2028)                                                                                                  \
    X(GRID, "grid", 0xe1e6eb, 0x2a323c)                                                                                                    \
    X(INK, "ink", 0x1c2733, 0xdde4ec)                                                                                                      \
    X(FAINT, "faint", 0x5b6875, 0x97a3b0)                                                                                                  \
    X(CEILING, "ceiling", 0x94a1ae, 0x677482)                                                                                              \
    X(ROOF, "roof", 0x26323f, 0xe3e9f0)                                                                                                    \
    X(ALARM, "alarm", 0xc0262d, 0xff7b72)                                                                                                  \
    X(G0, "g0", 0x2463c8, 0x6ea8ff)                                                                                                        \
    X(G1, "g1", 0xd9730d, 0xffa657)                                                                                                        \
    X(G2, "g2", 0x17875a, 0x56d39b)                                                                                                        \
    X(G3, "g3", 0x8b4fc6, 0xc297ff)                                                                                                        \
    X(G4, "g4", 0xc2356b, 0xff8fb4)                                                                                                        \
    X(G5, "g5", 0x0e8aa0, 0x56d4e4)                                                                                                        \
    X(G6, "g6", 0x94760c, 0xe3c454)                                                                                                        \
    X(G7, "g7", 0x6b7683, 0xa0acb8)

typedef enum ridge_paint {
#define X(name, class, light, dark) RIDGE_PAINT_##name,
    RIDGE_PAINT_LIST(X) RIDGE_PAINT_NONE
#undef X
} ridge_paint;

typedef enum ridge_shape_kind {
    RIDGE_SHAPE_LINE,
    RIDGE_SHAPE_AREA,
    RIDGE_SHAPE_CIRCLE,
    RIDGE_SHAPE_TEXT,
    RIDGE_SHAPE_HATCH /* strokes, each of two points */
} ridge_shape_kind;
typedef enum ridge_anchor { RIDGE_ANCHOR_START, RIDGE_ANCHOR_MIDDLE, RIDGE_ANCHOR_END } ridge_anchor;

typedef struct ridge_xy {
    double x, y; /* pixels from the upper left corner */
} ridge_xy;

typedef struct ridge_shape {
    ridge_shape_kind kind;
    ridge_paint fill, stroke;
    double opacity; /* of the fill */
    double width;   /* of the stroke; text: its size in pixels */
    bool dashed, bold;
    const ridge_xy *points; /* line, area: the corners; circle, text: one, the text's being half its height up */
    size_t count;
    double radius;
    const char *text; /* clean */
    ridge_anchor anchor;
    double angle;    /* of text, degrees, counter-clockwise */
    const char *tip; /* clean, shown on hover; NULL: none */
} ridge_shape;

typedef struct ridge_scene {
    ridge_arena *arena;
    double width, height;
    bool grows;       /* its height is not asked for: a head of many lines makes it higher */
    const char *name; /* clean */
    ridge_shape *shapes;
    size_t count, cap;
    bool failed;
} ridge_scene;

/* how a line or an area is drawn */
typedef struct ridge_stroke {
    ridge_paint paint;
    double width;
    bool dashed;
} ridge_stroke;

void ridge_scene_line(ridge_scene *scene, ridge_stroke stroke, ridge_xy from, ridge_xy to);
void ridge_scene_path(ridge_scene *scene, ridge_stroke stroke, const ridge_xy *points, size_t count);
void ridge_scene_area(ridge_scene *scene, ridge_paint fill, double opacity, const ridge_xy *points, size_t count, const char *tip);
void ridge_scene_rect(ridge_scene *scene, ridge_paint fill, double opacity, double x0, double y0, double x1, double y1, const char *tip);
/* The texture of a series over an area of its colour, so that areas are told apart without colours: none for the first, then strokes. */
void ridge_scene_hatch(ridge_scene *scene, size_t series, const ridge_xy *points, size_t count);
void ridge_scene_hatch_rect(ridge_scene *scene, size_t series, double x0, double y0, double x1, double y1);
/* The marker of a group round a place; radius as of a circle of equal area. Hollow: an outline on the ground. */
void ridge_scene_marker(ridge_scene *scene, unsigned group, ridge_xy at, double radius, bool hollow, const char *tip);
/* The least box round that marker: its upper left and lower right corners. */
void ridge_scene_marker_box(ridge_xy *low, ridge_xy *high, unsigned group, ridge_xy at, double radius);
/* Words; `size` in pixels. */
void ridge_scene_text(ridge_scene *scene, ridge_paint paint, double size, ridge_anchor anchor, ridge_xy at, const char *text);
void ridge_scene_title(ridge_scene *scene, double size, ridge_xy at, const char *text); /* bold */
void ridge_scene_text_turned(ridge_scene *scene, ridge_paint paint, double size, ridge_xy at, double angle, const char *text);

/* "#rrggbb"'s number; AUTO as LIGHT */
uint32_t ridge_paint_rgb(ridge_paint paint, ridge_plot_theme theme);
/* pixels a text takes in a common sans serif, a little more rather than less */
double ridge_text_width(const char *text, double size);
/* A clean text in lines of at most `width` pixels, broken between words, else after / - _ . or anywhere; past `most` lines the last ends in
 * an ellipsis. The number of lines; 0 where memory runs out. */
size_t ridge_text_lines(const char *lines[], size_t most, ridge_arena *arena, const char *text, double size, double width);
/* A text fit to be shown: UTF-8 without control, direction and non-characters (each replaced by a space or U+FFFD), at most
 * `limit` characters, the last then being an ellipsis. "" where memory runs out. */
const char *ridge_text_clean(ridge_arena *arena, const char *text, size_t limit);
/* 4 digits and a decimal prefix: "989.5 TFLOP/s", "0 B", a time as everywhere (base/units.h), "12.30 ms"; in the arena */
const char *ridge_text_quantity(ridge_arena *arena, double value, const char *unit);
/* the same at a mark of an axis, a time too without zeros behind: "10 µs" */
const char *ridge_text_tick(ridge_arena *arena, double value, const char *unit);
/* 4 digits: "295.4"; "infinite" */
const char *ridge_text_number(ridge_arena *arena, double value);

/* ---- renderers ---- */
void ridge_scene_svg(ridge_buf *out, const ridge_scene *scene, ridge_plot_theme theme, bool embedded);
/* PNG or PDF ("png", "pdf") by gnuplot, into *image (the arena's) */
ridge_status ridge_scene_gnuplot(ridge_str *image, const ridge_scene *scene, ridge_plot_theme theme, const char *format, ridge_arena *arena,
                                 ridge_err *err);

#endif
