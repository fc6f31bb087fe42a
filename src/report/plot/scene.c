#include "report/plot/scene.h"

#include <math.h>
#include <stdlib.h>

#define TURN 6.283185307179586 /* 2 pi */

uint32_t ridge_paint_rgb(ridge_paint paint, ridge_plot_theme theme)
{
    static const uint32_t colours[][2] = {
#define X(name, class, light, dark) {light, dark},
        RIDGE_PAINT_LIST(X)
#undef X
            {0, 0}};
    return colours[paint][theme == RIDGE_PLOT_DARK];
}

/* ---- shapes ---- */

static void add(ridge_scene *scene, ridge_shape shape)
{
    ridge_shape *shapes = ridge_arena_grow(scene->arena, scene->shapes, scene->count, &scene->cap, scene->count + 1, sizeof *shapes);
    ridge_xy *points = ridge_arena_array(scene->arena, shape.count, sizeof *points);
    if (shapes)
        scene->shapes = shapes;
    if (!shapes || !points) {
        scene->failed = true;
        return;
    }
    memcpy(points, shape.points, shape.count * sizeof *points);
    shape.points = points;
    scene->shapes[scene->count++] = shape;
}

void ridge_scene_path(ridge_scene *scene, ridge_stroke stroke, const ridge_xy *points, size_t count)
{
    add(scene, (ridge_shape){.kind = RIDGE_SHAPE_LINE,
                             .fill = RIDGE_PAINT_NONE,
                             .stroke = stroke.paint,
                             .width = stroke.width,
                             .dashed = stroke.dashed,
                             .opacity = 1,
                             .points = points,
                             .count = count});
}

void ridge_scene_line(ridge_scene *scene, ridge_stroke stroke, ridge_xy from, ridge_xy to)
{
    ridge_scene_path(scene, stroke, (const ridge_xy[]){from, to}, 2);
}

void ridge_scene_area(ridge_scene *scene, ridge_paint fill, double opacity, const ridge_xy *points, size_t count, const char *tip)
{
    add(scene, (ridge_shape){.kind = RIDGE_SHAPE_AREA,
                             .fill = fill,
                             .stroke = RIDGE_PAINT_NONE,
                             .opacity = opacity,
                             .points = points,
                             .count = count,
                             .tip = tip});
}

void ridge_scene_rect(ridge_scene *scene, ridge_paint fill, double opacity, double x0, double y0, double x1, double y1, const char *tip)
{
    ridge_scene_area(scene, fill, opacity, (const ridge_xy[]){{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, 4, tip);
}

/* ---- textures ---- */

/* strokes at an angle to the right, and where `crossed` also at the opposite one; 0 pixels between them: none */
static const struct texture {
    double angle, gap;
    bool crossed;
} textures[] = {{0, 0, false},        {TURN / 8, 6, false}, {-TURN / 8, 6, false}, {TURN / 8, 6.5, true},
                {TURN / 4, 5, false}, {0, 5, false},        {TURN / 8, 3, false},  {0, 6, true}};
enum { TEXTURES = sizeof textures / sizeof *textures };

typedef struct strokes {
    ridge_arena *arena;
    ridge_xy *points;
    size_t count, cap;
} strokes;

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where the line of all points p with p . (nx, ny) = at runs inside an area: even-odd, from crossing to crossing. false: no memory */
static bool cut_line(strokes *out, double nx, double ny, double at, const ridge_xy *points, size_t count, double *crossings)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const ridge_xy *a = &points[i], *b = &points[(i + 1) % count];
        double da = a->x * nx + a->y * ny - at, db = b->x * nx + b->y * ny - at;
        if ((da < 0) == (db < 0))
            continue;
        double t = da / (da - db), x = a->x + t * (b->x - a->x), y = a->y + t * (b->y - a->y);
        crossings[n++] = y * nx - x * ny; /* along the line, whose direction is (-ny, nx) */
    }
    qsort(crossings, n, sizeof *crossings, rising);
    for (size_t i = 0; i + 1 < n; i += 2) {
        ridge_xy *more = ridge_arena_grow(out->arena, out->points, out->count, &out->cap, out->count + 2, sizeof *more);
        if (!more)
            return false;
        out->points = more;
        more[out->count++] = (ridge_xy){at * nx - crossings[i] * ny, at * ny + crossings[i] * nx};
        more[out->count++] = (ridge_xy){at * nx - crossings[i + 1] * ny, at * ny + crossings[i + 1] * nx};
    }
    return true;
}

static bool cut_lines(strokes *out, double angle, double gap, const ridge_xy *points, size_t count, double *crossings)
{
    double nx = sin(angle), ny = cos(angle), low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double at = points[i].x * nx + points[i].y * ny;
        low = fmin(low, at);
        high = fmax(high, at);
    }
    for (double at = (floor(low / gap) + 0.5) * gap; at < high; at += gap)
        if (!cut_line(out, nx, ny, at, points, count, crossings))
            return false;
    return true;
}

void ridge_scene_hatch(ridge_scene *scene, size_t series, const ridge_xy *points, size_t count)
{
    const struct texture *t = &textures[(series + series / RIDGE_PLOT_GROUPS * 3) % TEXTURES]; /* series of one colour differ */
    strokes out = {.arena = scene->arena};
    double *crossings = ridge_arena_array(scene->arena, count + 1, sizeof *crossings);
    if (t->gap <= 0)
        return;
    if (!crossings || !cut_lines(&out, t->angle, t->gap, points, count, crossings) ||
        (t->crossed && !cut_lines(&out, t->angle + TURN / 4, t->gap, points, count, crossings)))
        scene->failed = true;
    else if (out.count > 0)
        add(scene, (ridge_shape){.kind = RIDGE_SHAPE_HATCH,
                                 .fill = RIDGE_PAINT_NONE,
                                 .stroke = RIDGE_PAINT_GROUND,
                                 .opacity = 1,
                                 .width = 1.1,
                                 .points = out.points,
                                 .count = out.count});
}

void ridge_scene_hatch_rect(ridge_scene *scene, size_t series, double x0, double y0, double x1, double y1)
{
    if (x1 - x0 > 0.5 && y1 - y0 > 0.5)
        ridge_scene_hatch(scene, series, (const ridge_xy[]){{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, 4);
}

/* ---- markers ---- */

/* Corners of the groups' markers, turned by `turn` of a full circle from the right; 0 corners: a circle. */
static const struct marker {
    unsigned corners;
    double turn;
} markers[RIDGE_PLOT_GROUPS] = {{0, 0}, {4, 0.125}, {3, 0.25}, {4, 0}, {3, 0.75}, {5, 0.25}, {6, 0}, {0, 0}};

/* The corners of a marker, none for a circle; of equal area: n/2 R^2 sin(2 pi / n) = pi r^2. */
static unsigned corners_of(ridge_xy corners[6], unsigned group, ridge_xy at, double radius)
{
    const struct marker *m = &markers[group % RIDGE_PLOT_GROUPS];
    double n = m->corners, out = n > 0 ? radius * sqrt(TURN / (n * sin(TURN / n))) : 0;
    for (unsigned i = 0; i < m->corners; i++) {
        double angle = TURN * (m->turn + i / n);
        corners[i] = (ridge_xy){at.x + out * cos(angle), at.y - out * sin(angle)};
    }
    return m->corners;
}

void ridge_scene_marker_box(ridge_xy *low, ridge_xy *high, unsigned group, ridge_xy at, double radius)
{
    ridge_xy corners[6];
    unsigned n = corners_of(corners, group, at, radius);
    *low = n ? at : (ridge_xy){at.x - radius, at.y - radius};
    *high = n ? at : (ridge_xy){at.x + radius, at.y + radius};
    for (unsigned i = 0; i < n; i++) {
        *low = (ridge_xy){fmin(low->x, corners[i].x), fmin(low->y, corners[i].y)};
        *high = (ridge_xy){fmax(high->x, corners[i].x), fmax(high->y, corners[i].y)};
    }
}

void ridge_scene_marker(ridge_scene *scene, unsigned group, ridge_xy at, double radius, bool hollow, const char *tip)
{
    ridge_paint paint = (ridge_paint)(RIDGE_PAINT_G0 + group % RIDGE_PLOT_GROUPS);
    ridge_xy corners[6] = {at};
    unsigned n = corners_of(corners, group, at, radius);
    add(scene, (ridge_shape){.kind = n ? RIDGE_SHAPE_AREA : RIDGE_SHAPE_CIRCLE,
                             .fill = hollow ? RIDGE_PAINT_GROUND : paint,
                             .stroke = paint,
                             .opacity = hollow ? 0.85 : 0.6,
                             .width = hollow ? 2 : 1,
                             .points = corners,
                             .count = n ? n : 1,
                             .radius = radius,
                             .tip = tip});
}

static ridge_shape words(ridge_paint paint, double size, const ridge_xy *at, const char *text)
{
    return (ridge_shape){.kind = RIDGE_SHAPE_TEXT,
                         .fill = paint,
                         .stroke = RIDGE_PAINT_NONE,
                         .opacity = 1,
                         .width = size,
                         .points = at,
                         .count = 1,
                         .text = text};
}

void ridge_scene_text(ridge_scene *scene, ridge_paint paint, double size, ridge_anchor anchor, ridge_xy at, const char *text)
{
    ridge_shape shape = words(paint, size, &at, text);
    shape.anchor = anchor;
    add(scene, shape);
}

void ridge_scene_title(ridge_scene *scene, double size, ridge_xy at, const char *text)
{
    ridge_shape shape = words(RIDGE_PAINT_INK, size, &at, text);
    shape.bold = true;
    add(scene, shape);
}

void ridge_scene_text_turned(ridge_scene *scene, ridge_paint paint, double size, ridge_xy at, double angle, const char *text)
{
    ridge_shape shape = words(paint, size, &at, text);
    shape.anchor = RIDGE_ANCHOR_MIDDLE;
    shape.angle = angle;
    add(scene, shape);
}
