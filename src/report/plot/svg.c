/* A scene as SVG: colours by class, so that one file does for light and dark. */
#include "report/plot/scene.h"

#include <stdio.h>

static const char *const classes[] = {
#define X(name, class, light, dark) class,
    RIDGE_PAINT_LIST(X) "none"
#undef X
};

/* one rule per paint, for fills and strokes */
static void add_rules(ridge_buf *out, ridge_plot_theme theme)
{
    for (int i = 0; i < RIDGE_PAINT_NONE; i++) {
        unsigned rgb = ridge_paint_rgb((ridge_paint)i, theme);
        ridge_buf_addf(out, ".ridge-plot .%s{fill:#%06x}.ridge-plot .%s-line{stroke:#%06x}", classes[i], rgb, classes[i], rgb);
    }
}

void ridge_plot_style(ridge_buf *out, ridge_plot_theme theme)
{
    ridge_buf_addz(
        out, ".ridge-plot text{font-family:system-ui,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif}"
             ".ridge-plot .none{fill:none}.ridge-plot .line{fill:none;stroke-linejoin:round;stroke-linecap:round;pointer-events:none}");
    add_rules(out, theme == RIDGE_PLOT_DARK ? RIDGE_PLOT_DARK : RIDGE_PLOT_LIGHT);
    if (theme == RIDGE_PLOT_AUTO) {
        ridge_buf_addz(out, "@media(prefers-color-scheme:dark){");
        add_rules(out, RIDGE_PLOT_DARK);
        ridge_buf_addz(out, "}");
    }
}

static void add_escaped(ridge_buf *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : *text == '"' ? "&quot;" : NULL;
        if (entity)
            ridge_buf_addz(out, entity);
        else
            ridge_buf_addc(out, *text);
    }
}

/* a hundredth of a pixel is enough, and keeps the file small: "12.5", "7" */
static void add_number(ridge_buf *out, double value)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%.2f", value);
    while (n > 1 && text[n - 1] == '0')
        n--;
    if (text[n - 1] == '.')
        n--;
    bool zero = n == 2 && text[0] == '-' && text[1] == '0';
    ridge_buf_add(out, (ridge_str){text + zero, (size_t)n - zero});
}

static void add_attribute(ridge_buf *out, const char *name, double value)
{
    ridge_buf_addf(out, " %s=\"", name);
    add_number(out, value);
    ridge_buf_addc(out, '"');
}

static void add_end(ridge_buf *out, const ridge_shape *shape, const char *element)
{
    if (!shape->tip) {
        ridge_buf_addz(out, "/>\n");
        return;
    }
    ridge_buf_addz(out, "><title>");
    add_escaped(out, shape->tip);
    ridge_buf_addf(out, "</title></%s>\n", element);
}

static void add_paints(ridge_buf *out, const ridge_shape *shape)
{
    ridge_buf_addf(out, " class=\"%s", shape->kind == RIDGE_SHAPE_LINE || shape->kind == RIDGE_SHAPE_HATCH ? "line" : classes[shape->fill]);
    if (shape->stroke != RIDGE_PAINT_NONE)
        ridge_buf_addf(out, " %s-line", classes[shape->stroke]);
    ridge_buf_addc(out, '"');
    if (shape->stroke != RIDGE_PAINT_NONE)
        add_attribute(out, "stroke-width", shape->width);
    if (shape->dashed)
        ridge_buf_addz(out, " stroke-dasharray=\"5 4\"");
    if (shape->opacity < 1)
        add_attribute(out, "fill-opacity", shape->opacity);
}

static void add_points(ridge_buf *out, const ridge_shape *shape)
{
    ridge_buf_addz(out, " points=\"");
    for (size_t i = 0; i < shape->count; i++) {
        if (i)
            ridge_buf_addc(out, ' ');
        add_number(out, shape->points[i].x);
        ridge_buf_addc(out, ',');
        add_number(out, shape->points[i].y);
    }
    ridge_buf_addc(out, '"');
}

static void add_strokes(ridge_buf *out, const ridge_shape *shape)
{
    ridge_buf_addz(out, " d=\"");
    for (size_t i = 0; i < shape->count; i++) {
        ridge_buf_addc(out, i % 2 == 0 ? 'M' : 'L');
        add_number(out, shape->points[i].x);
        ridge_buf_addc(out, ' ');
        add_number(out, shape->points[i].y);
    }
    ridge_buf_addc(out, '"');
}

static void add_text(ridge_buf *out, const ridge_shape *shape)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    double x = shape->points[0].x, y = shape->points[0].y;
    ridge_buf_addf(out, "<text class=\"%s\"%s", classes[shape->fill], anchors[shape->anchor]);
    add_attribute(out, "font-size", shape->width);
    if (shape->bold)
        ridge_buf_addz(out, " font-weight=\"600\"");
    add_attribute(out, "x", x);
    add_attribute(out, "y", y);
    ridge_buf_addz(out, " dy=\".35em\""); /* half the height of a digit, below the middle */
    if (shape->angle != 0) {
        ridge_buf_addz(out, " transform=\"rotate(");
        add_number(out, -shape->angle);
        ridge_buf_addc(out, ' ');
        add_number(out, x);
        ridge_buf_addc(out, ' ');
        add_number(out, y);
        ridge_buf_addz(out, ")\"");
    }
    ridge_buf_addc(out, '>');
    add_escaped(out, shape->text);
    ridge_buf_addz(out, "</text>\n");
}

static void add_shape(ridge_buf *out, const ridge_shape *shape)
{
    static const char *const elements[] = {"polyline", "polygon", "circle", "text", "path"};
    const char *element = elements[shape->kind];
    if (shape->kind == RIDGE_SHAPE_TEXT) {
        add_text(out, shape);
        return;
    }
    ridge_buf_addf(out, "<%s", element);
    add_paints(out, shape);
    if (shape->kind == RIDGE_SHAPE_CIRCLE) {
        add_attribute(out, "cx", shape->points[0].x);
        add_attribute(out, "cy", shape->points[0].y);
        add_attribute(out, "r", shape->radius);
    } else if (shape->kind == RIDGE_SHAPE_HATCH) {
        add_strokes(out, shape);
    } else {
        add_points(out, shape);
    }
    add_end(out, shape, element);
}

void ridge_scene_svg(ridge_buf *out, const ridge_scene *scene, ridge_plot_theme theme, bool embedded)
{
    ridge_buf_addz(out, "<svg class=\"ridge-plot\" xmlns=\"http://www.w3.org/2000/svg\"");
    if (!embedded) {
        add_attribute(out, "width", scene->width);
        add_attribute(out, "height", scene->height);
    }
    ridge_buf_addz(out, " viewBox=\"0 0 ");
    add_number(out, scene->width);
    ridge_buf_addc(out, ' ');
    add_number(out, scene->height);
    ridge_buf_addz(out, "\" role=\"img\" aria-label=\"");
    add_escaped(out, scene->name);
    ridge_buf_addz(out, "\">\n");
    if (!embedded) {
        ridge_buf_addz(out, "<style>");
        ridge_plot_style(out, theme);
        ridge_buf_addz(out, "</style>\n");
    }
    for (int words = 0; words < 2; words++)
        for (size_t i = 0; i < scene->count; i++)
            if ((scene->shapes[i].kind == RIDGE_SHAPE_TEXT) == words)
                add_shape(out, &scene->shapes[i]);
    ridge_buf_addz(out, "</svg>\n");
}
