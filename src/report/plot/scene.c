#include "report/plot/scene.h"

#include <math.h>

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

/* ---- words ---- */

double ridge_text_width(const char *text, double size)
{
    double ems = 0;
    for (; *text; text++) {
        if (((unsigned char)*text & 0xC0) == 0x80)
            continue;
        if (strchr("ijl|'", *text))
            ems += 0.31;
        else if (strchr("tfrI.,:;!()[] /-", *text))
            ems += 0.4;
        else if (strchr("mwMW@%", *text))
            ems += 0.95;
        else
            ems += *text >= 'A' && *text <= 'Z' ? 0.7 : 0.6;
    }
    return ems * size;
}

/* code points that steer or break what shows them: controls, line ends, directions, non-characters */
static bool is_harmful(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c & 0xFFFE) == 0xFFFE;
}

static uint32_t decode(const char *p, size_t n)
{
    static const unsigned char first[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t c = (unsigned char)*p & first[n];
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)p[i] & 0x3Fu);
    return c;
}

const char *ridge_text_clean(ridge_arena *arena, const char *text, size_t limit)
{
    const char *end = text + strlen(text);
    size_t room = (size_t)(end - text);
    char *out = room < SIZE_MAX / 4 ? ridge_arena_alloc(arena, room * 3 + 4) : NULL; /* a bad byte becomes three */
    if (!out)
        return "";
    char *to = out, *cut = out;
    for (size_t shown = 0; text < end; shown++) {
        if (shown == limit) {
            cut = ridge_utf8_put(cut, 0x2026);
            *cut = '\0';
            return out;
        }
        size_t n = ridge_utf8_length(text, end);
        uint32_t c = n ? decode(text, n) : 0xFFFD;
        to = ridge_utf8_put(to, n && is_harmful(c) ? ' ' : c);
        if (shown + 2 == limit)
            cut = to;
        text += n ? n : 1;
    }
    *to = '\0';
    return out;
}

const char *ridge_text_number(ridge_arena *arena, double value)
{
    const char *text = isfinite(value) ? ridge_arena_printf(arena, "%.4g", value) : "infinite";
    return text ? text : "";
}

const char *ridge_text_quantity(ridge_arena *arena, double value, const char *unit)
{
    static const char *const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"};
    size_t at = 4;
    for (; value >= 999.95 && at < 10; at++)
        value /= 1000;
    for (; value > 0 && value < 0.99995 && at > 0 && unit[0] == 's'; at--) /* only times are small */
        value *= 1000;
    const char *text = ridge_arena_printf(arena, "%.4g %s%s", value, prefixes[at], unit);
    return text ? text : "";
}
