/* The roofline picture: ceilings, ridge points, points, and labels that keep out of each other's way. */
#include "report/plot/layout.h"

#include <math.h>

#define LABEL_SIZE   12.0
#define LABELS_MAX   12
#define POINT_RADIUS 3.5 /* of a point that takes no time */
#define POINT_GROWS  14.0
#define CROWD        60 /* points from which on they are drawn smaller */

typedef struct drawing {
    ridge_scene *scene;
    const ridge_plot_roofline *plot;
    ridge_roof roof;
    ridge_frame frame;
    ridge_boxes labels;  /* places taken by words: never covered */
    ridge_boxes leaders; /* lines from points to their labels: neither */
    ridge_boxes marks;   /* points and ridge points: covered only where nothing else is free */
    ridge_boxes lines;   /* so are these */
} drawing;

static ridge_xy place(const drawing *d, double ai, double flops_per_s)
{
    return (ridge_xy){ridge_axis_at(&d->frame.x, ai), ridge_axis_at(&d->frame.y, flops_per_s)};
}

static ridge_box box_round(double x, double y, double half_width, double half_height)
{
    return (ridge_box){x - half_width, y - half_height, x + half_width, y + half_height};
}

static bool is_inside(const ridge_box *outer, ridge_box box)
{
    return box.x0 >= outer->x0 && box.x1 <= outer->x1 && box.y0 >= outer->y0 && box.y1 <= outer->y1;
}

/* how much a label there would cover: a marker counts as nine pieces of a line */
static double crossings(const drawing *d, ridge_box box)
{
    return 18 * (double)ridge_boxes_hit(&d->marks, box) + 2 * (double)ridge_boxes_hit(&d->lines, box);
}

/* ---- ceilings ---- */

/* a line as small boxes along it, so that labels see it */
static void add_obstacles(ridge_boxes *boxes, ridge_xy from, ridge_xy to, double step)
{
    double length = hypot(to.x - from.x, to.y - from.y);
    int steps = (int)(length / step) + 1;
    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps;
        ridge_boxes_add(boxes, box_round(from.x + t * (to.x - from.x), from.y + t * (to.y - from.y), 2, 2));
    }
}

static void draw_line(drawing *d, bool main, ridge_xy from, ridge_xy to)
{
    if (to.x <= from.x)
        return;
    ridge_stroke stroke = {main ? RIDGE_PAINT_ROOF : RIDGE_PAINT_CEILING, main ? 2.5 : 1.2, !main};
    ridge_scene_line(d->scene, stroke, from, to);
    add_obstacles(&d->lines, from, to, 8);
}

/* Where a memory level's line runs: from the left or lower edge to `top`, as AI. */
static void memory_span(const drawing *d, const ridge_roof_line *line, double top, double *from, double *to)
{
    *from = fmax(d->roof.x_lo, d->roof.y_lo / line->rate);
    *to = fmin(d->roof.x_hi, top / line->rate);
}

static void draw_memory(drawing *d, const ridge_roof_line *line)
{
    double from, to, top = d->roof.top_flops > 0 ? d->roof.top_flops : d->roof.y_hi;
    if (line == d->roof.main_memory && d->roof.main_compute) {
        memory_span(d, line, d->roof.main_compute->rate, &from, &to);
        draw_line(d, true, place(d, from, line->rate * from), place(d, to, line->rate * to));
        from = to;
        to = fmin(d->roof.x_hi, top / line->rate);
    } else {
        memory_span(d, line, top, &from, &to);
    }
    draw_line(d, line == d->roof.main_memory && !d->roof.main_compute, place(d, from, line->rate * from), place(d, to, line->rate * to));
}

static void draw_compute(drawing *d, const ridge_roof_line *line)
{
    double start = d->roof.top_bytes > 0 ? line->rate / d->roof.top_bytes : d->roof.x_lo, end = d->roof.x_hi;
    if (line == d->roof.main_compute) {
        double ridge = d->roof.main_memory ? ridge_roof_point(line, d->roof.main_memory) : start;
        draw_line(d, true, place(d, ridge, line->rate), place(d, end, line->rate));
        end = ridge;
    }
    draw_line(d, false, place(d, start, line->rate), place(d, end, line->rate));
}

static void draw_shade(drawing *d)
{
    const ridge_roof_line *c = d->roof.main_compute, *m = d->roof.main_memory;
    if (!c || !m)
        return;
    const ridge_box *in = &d->frame.inside;
    double from = fmax(d->roof.x_lo, d->roof.y_lo / m->rate);
    ridge_xy start = place(d, from, m->rate * from), corner = place(d, ridge_roof_point(c, m), c->rate);
    const ridge_xy area[] = {{start.x, in->y1}, start, corner, {in->x1, corner.y}, {in->x1, in->y1}};
    ridge_scene_area(d->scene, RIDGE_PAINT_G0, 0.06, area, 5, NULL);
}

/* what a name costs beside a ceiling: points that it would cover first of all, then lines */
static double covering(const drawing *d, ridge_box box)
{
    return 10 * (double)ridge_boxes_hit(&d->marks, box) + ridge_boxes_cover(&d->marks, box) / 5 +
           2 * (double)ridge_boxes_hit(&d->lines, box);
}

/* Above its line, at the right; where that is taken, further left, below the line, or further away from it. Where points are everywhere it
 * covers as little of them as may be, on a ground of its own. */
static void label_compute(drawing *d, const ridge_roof_line *line)
{
    double width = ridge_text_width(line->label, LABEL_SIZE), y = ridge_axis_at(&d->frame.y, line->rate);
    double left = d->roof.top_bytes > 0 ? ridge_axis_at(&d->frame.x, line->rate / d->roof.top_bytes) : d->frame.inside.x0;
    double best_cost = INFINITY, best_right = 0, best_y = 0;
    static const double offsets[] = {-10.5, 11, -14, -17, -20, 14, 17, 20, -23, 23};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        for (double right = d->frame.inside.x1 - 8; right - width > d->frame.inside.x0; right -= 4) {
            ridge_box box = {right - width, y + offsets[i] - 7.5, right, y + offsets[i] + 7.5};
            double before = fmax(left - 40 - box.x0, 0); /* left of where the line begins, where it has no other place */
            double cost = covering(d, box) + 0.6 * (double)i + (d->frame.inside.x1 - right) / 200 + (before > 0 ? 12 + before / 10 : 0);
            if (cost >= best_cost || !is_inside(&d->frame.inside, box) || ridge_boxes_hit(&d->labels, box) ||
                ridge_boxes_hit(&d->leaders, box))
                continue;
            best_cost = cost;
            best_right = right;
            best_y = y + offsets[i];
        }
    if (best_cost == INFINITY)
        return;
    ridge_box best = {best_right - width - 3, best_y - 7.5, best_right + 3, best_y + 7.5};
    if (covering(d, best) > 0)
        ridge_scene_rect(d->scene, RIDGE_PAINT_PANEL, 0.75, best.x0, best.y0, best.x1, best.y1, NULL);
    ridge_boxes_add(&d->labels, best);
    ridge_scene_text(d->scene, line->main ? RIDGE_PAINT_INK : RIDGE_PAINT_FAINT, LABEL_SIZE, RIDGE_ANCHOR_END,
                     (ridge_xy){best_right, best_y}, line->label);
}

/* The boxes of a text turned by an angle, along its middle, and how many points they hit; false where one is outside or hits a label. */
static bool turned_boxes(ridge_boxes *boxes, double *hits, const drawing *d, ridge_xy at, double angle, double width)
{
    *hits = 0;
    for (double s = -width / 2; s <= width / 2 + 1; s += width / 12) {
        ridge_box box = box_round(at.x + s * cos(angle), at.y - s * sin(angle), 9, 9);
        if (!is_inside(&d->frame.inside, box) || ridge_boxes_hit(&d->labels, box) || ridge_boxes_hit(&d->leaders, box))
            return false;
        *hits += (double)ridge_boxes_hit(&d->marks, box);
        ridge_boxes_add(boxes, box);
    }
    return true;
}

/* the ground of a turned text that covers points */
static void draw_turned_ground(drawing *d, ridge_xy at, double angle, double width)
{
    double ux = cos(angle) * (width / 2 + 3), uy = -sin(angle) * (width / 2 + 3), vx = sin(angle) * 7.5, vy = cos(angle) * 7.5;
    const ridge_xy corners[] = {{at.x - ux - vx, at.y - uy - vy},
                                {at.x + ux - vx, at.y + uy - vy},
                                {at.x + ux + vx, at.y + uy + vy},
                                {at.x - ux + vx, at.y - uy + vy}};
    ridge_scene_area(d->scene, RIDGE_PAINT_PANEL, 0.75, corners, 4, NULL);
}

/* Along its line, from its lower end up, beside it on the upper left, else on the lower right; where points are everywhere, over the
 * fewest. */
static void label_memory(drawing *d, const ridge_roof_line *line)
{
    double from, to, width = ridge_text_width(line->label, LABEL_SIZE), best_cost = INFINITY, best_hits = 0;
    ridge_xy best = {0};
    ridge_boxes taken = {0};
    memory_span(d, line, d->roof.top_flops > 0 ? d->roof.top_flops : d->roof.y_hi, &from, &to);
    ridge_xy a = place(d, from, line->rate * from), b = place(d, to, line->rate * to);
    double angle = atan2(a.y - b.y, b.x - a.x), length = hypot(b.x - a.x, b.y - a.y);
    for (int side = 1; side >= -1; side -= 2)
        for (double s = width / 2 + 12; s + width / 2 < length + 10; s += 12) {
            ridge_xy at = {a.x + s * cos(angle) - side * 10 * sin(angle), a.y - s * sin(angle) - side * 10 * cos(angle)};
            ridge_boxes boxes = {.arena = d->scene->arena};
            double hits, beyond = side > 0 ? 0 : 2;
            if (!turned_boxes(&boxes, &hits, d, at, angle, width) || 10 * hits + beyond + s / length >= best_cost)
                continue;
            best_cost = 10 * hits + beyond + s / length;
            best_hits = hits;
            best = at;
            taken = boxes;
        }
    if (best_cost == INFINITY)
        return;
    for (size_t i = 0; i < taken.count; i++)
        ridge_boxes_add(&d->labels, taken.items[i]);
    if (best_hits > 0)
        draw_turned_ground(d, best, angle, width);
    ridge_scene_text_turned(d->scene, line->main ? RIDGE_PAINT_INK : RIDGE_PAINT_FAINT, LABEL_SIZE, best, angle * 57.29577951308232,
                            line->label);
}

static void draw_ceilings(drawing *d)
{
    draw_shade(d);
    for (size_t i = 0; i < d->roof.memory_count; i++)
        draw_memory(d, &d->roof.memory[i]);
    for (size_t i = 0; i < d->roof.compute_count; i++)
        draw_compute(d, &d->roof.compute[i]);
}

/* After the points are drawn, so that the grounds of names lie above them. The roof's own names come before those of points, the others
 * after them: a thin line's has many places. */
static void label_ceilings(drawing *d, bool main)
{
    for (size_t i = 0; i < d->roof.compute_count; i++)
        if ((&d->roof.compute[i] == d->roof.main_compute) == main)
            label_compute(d, &d->roof.compute[i]);
    for (size_t i = 0; i < d->roof.memory_count; i++)
        if ((&d->roof.memory[i] == d->roof.main_memory) == main)
            label_memory(d, &d->roof.memory[i]);
}

/* ---- labels of places ---- */

#define LEADER_MAX 170.0 /* pixels: what is further away is not seen to belong together */
#define REACH      8
static const double distances[REACH] = {5,  20,  38,  60,
                                        90, 130, 180, 240}; /* of a label from its point; past the first, a leader joins them */

/* where the leader from a place meets a label: on its near side */
static ridge_xy leader_end(ridge_xy at, ridge_box box)
{
    return (ridge_xy){fmin(fmax(at.x, box.x0 + 3), box.x1 - 3), fmin(fmax(at.y, box.y0 + 3), box.y1 - 3)};
}

/* Whether a leader would cross a label or another leader, or be too long; its own point's place is left out, where leaders of points close
 * by begin. */
static bool leader_crosses(const drawing *d, ridge_xy from, ridge_xy to, double radius)
{
    double length = hypot(to.x - from.x, to.y - from.y);
    int steps = (int)(length / 3) + 1;
    if (length > fmin(LEADER_MAX, d->scene->width * 0.28))
        return true;
    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps;
        ridge_box at = box_round(from.x + t * (to.x - from.x), from.y + t * (to.y - from.y), 1, 1);
        if (ridge_boxes_hit(&d->labels, at) || (t * length > radius + 2 && ridge_boxes_hit(&d->leaders, at)))
            return true;
    }
    return false;
}

/* a place for a label: its box, how far from the point, and how little it disturbs */
typedef struct label_spot {
    ridge_box box;
    double cost;
    bool leads; /* a leader joins them */
} label_spot;

/* its length, and the markers that it runs over */
static double leader_cost(const drawing *d, ridge_xy from, ridge_xy to, double radius)
{
    double length = hypot(to.x - from.x, to.y - from.y), cost = length / 12;
    for (double s = radius + 3; s < length; s += 4)
        cost +=
            ridge_boxes_hit(&d->marks, box_round(from.x + s / length * (to.x - from.x), from.y + s / length * (to.y - from.y), 1, 1)) > 0;
    return cost;
}

/* What a box costs that may hold a label: INFINITY where it or its leader is in the way of another label or leader. */
static double spot_cost(const drawing *d, ridge_box box, ridge_xy at, double radius, bool leads)
{
    if (!is_inside(&d->frame.inside, box) || ridge_boxes_hit(&d->labels, box) || ridge_boxes_hit(&d->leaders, box) ||
        (leads && leader_crosses(d, at, leader_end(at, box), radius)))
        return INFINITY;
    return crossings(d, box) + (leads ? leader_cost(d, at, leader_end(at, box), radius) : 0);
}

/* the box of a label in a direction from its place; what is above or below it is moved into the picture */
static ridge_box spot_box(const drawing *d, ridge_xy at, double ux, double uy, double out, double slant, double width)
{
    const ridge_box *in = &d->frame.inside;
    ridge_box box = box_round(at.x + ux * (width / 2 + (uy != 0 ? slant * out : out)), at.y + uy * (out + 4), width / 2 + 3, 8.5);
    const double aside = uy != 0 ? fmax(in->x0 - box.x0, 0) - fmax(box.x1 - in->x1, 0) : 0;
    box.x0 += aside;
    box.x1 += aside;
    return box;
}

/* The best box for a label near a place, rather below it (under the roof) or above, at most `reach` of the distances away: level with it,
 * above or below; with a leader also slanted, more and more. */
static label_spot find_spot(const drawing *d, ridge_xy at, double radius, bool below, size_t reach, double width)
{
    static const double directions[][2] = {{1, 0},    {1, 1},     {0, 1},     {1, -1},     {-1, 1},    {-1, 0},    {0, -1},
                                           {-1, -1},  {0.5, 1},   {-0.5, 1},  {0.5, -1},   {-0.5, -1}, {0.25, 1},  {-0.25, 1},
                                           {0.75, 1}, {-0.75, 1}, {0.25, -1}, {-0.25, -1}, {0.75, -1}, {-0.75, -1}};
    static const double slants[] = {0.6, 1.6, 3};
    label_spot best = {.cost = INFINITY};
    for (size_t i = 0; i < reach; i++)
        for (size_t j = 0; j < sizeof directions / sizeof *directions; j++)
            for (size_t k = 0; k < (i > 0 && j > 0 ? 3 : 1); k++) {
                const double sign = below ? 1 : -1;
                ridge_box box = spot_box(d, at, sign * directions[j][0], sign * directions[j][1], radius + distances[i], slants[k], width);
                double least = 2.0 * (double)i + 0.2 * (double)j + 2.5 * (double)k;
                double cost = least < best.cost ? least + spot_cost(d, box, at, radius, i > 0) : INFINITY;
                if (cost < best.cost)
                    best = (label_spot){box, cost, i > 0};
            }
    return best;
}

/* Draws a label near a place where it hits no other label and no leader, its own leader crosses none of them, and it covers as little else
 * as may be. What is faint covers no point. false: there is no room. */
static bool label_place(drawing *d, ridge_xy at, double radius, bool below, size_t reach, ridge_paint paint, const char *label)
{
    const label_spot spot = find_spot(d, at, radius, below, reach, ridge_text_width(label, LABEL_SIZE));
    const ridge_box *box = &spot.box;
    if (spot.cost == INFINITY || (paint == RIDGE_PAINT_FAINT && ridge_boxes_hit(&d->marks, *box)))
        return false;
    if (spot.leads) {
        ridge_scene_line(d->scene, (ridge_stroke){RIDGE_PAINT_FAINT, 0.7, false}, at, leader_end(at, *box));
        add_obstacles(&d->leaders, at, leader_end(at, *box), 4);
    }
    if (crossings(d, *box) > 0)
        ridge_scene_rect(d->scene, RIDGE_PAINT_PANEL, 0.75, box->x0, box->y0, box->x1, box->y1, NULL);
    ridge_scene_text(d->scene, paint, LABEL_SIZE, RIDGE_ANCHOR_MIDDLE, (ridge_xy){(box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2}, label);
    ridge_boxes_add(&d->labels, *box);
    return true;
}

/* ---- ridge points ---- */

static ridge_xy ridge_at(const drawing *d, const ridge_roof_line *line)
{
    return place(d, ridge_roof_point(line, d->roof.main_memory), line->rate);
}

static void draw_ridge(drawing *d, const ridge_roof_line *line)
{
    const bool main = line == d->roof.main_compute;
    const ridge_xy at = ridge_at(d, line);
    double r = main ? 5 : 3.5;
    const ridge_xy diamond[] = {{at.x - r, at.y}, {at.x, at.y - r}, {at.x + r, at.y}, {at.x, at.y + r}};
    const ridge_xy outline[] = {diamond[0], diamond[1], diamond[2], diamond[3], diamond[0]};
    const char *number = ridge_text_number(d->scene->arena, ridge_roof_point(line, d->roof.main_memory));
    const char *tip = ridge_arena_printf(d->scene->arena, "%s: ridge point at %s FLOP/byte", line->label, number);
    ridge_scene_area(d->scene, RIDGE_PAINT_GROUND, 1, diamond, 4, tip);
    ridge_scene_path(d->scene, (ridge_stroke){main ? RIDGE_PAINT_ROOF : RIDGE_PAINT_CEILING, 1.8, false}, outline, 5);
}

static void draw_ridges(drawing *d)
{
    for (size_t i = 0; i < d->roof.compute_count && d->roof.main_memory; i++)
        draw_ridge(d, &d->roof.compute[i]);
}

/* The roof's own in words, before the points are named; the others' numbers where they are in nobody's way. */
static void label_ridges(drawing *d, bool main)
{
    for (size_t i = 0; i < d->roof.compute_count && d->roof.main_memory; i++) {
        const ridge_roof_line *line = &d->roof.compute[i];
        const char *number = ridge_text_number(d->scene->arena, ridge_roof_point(line, d->roof.main_memory));
        const char *label = main ? ridge_arena_printf(d->scene->arena, "ridge point %s FLOP/byte", number) : number;
        if ((line == d->roof.main_compute) == main && label)
            (void)label_place(d, ridge_at(d, line), main ? 5 : 3.5, false, main ? REACH : 1, main ? RIDGE_PAINT_INK : RIDGE_PAINT_FAINT,
                              label);
    }
}

/* ---- points ---- */

static double radius_of(const drawing *d, double weight)
{
    double least = d->plot->point_count > CROWD ? POINT_RADIUS * 0.6 : POINT_RADIUS;
    return least + POINT_GROWS * sqrt(fmin(fmax(weight, 0), 1));
}

/* Where a point is drawn: what no axis holds is on the picture's edge, its whole marker inside. */
static ridge_xy spot_of(const drawing *d, const ridge_plot_point *p)
{
    const ridge_box *in = &d->frame.inside;
    ridge_xy at = place(d, p->ai, p->flops_per_s), low, high;
    ridge_scene_marker_box(&low, &high, p->group, at, radius_of(d, p->weight));
    at.x += fmax(in->x0 - low.x, 0) - fmax(high.x - in->x1, 0);
    at.y += fmax(in->y0 - low.y, 0) - fmax(high.y - in->y1, 0);
    return at;
}

static void draw_points(drawing *d)
{
    size_t n = 0; /* clusters of no extent: every point by itself, heaviest first, so that small ones stay in sight */
    ridge_roof_cluster *each = ridge_roof_clusters(&n, d->plot, &d->frame.x, &d->frame.y, -1, -1, false, d->scene->arena);
    for (size_t i = 0; each && i < n; i++) {
        const ridge_plot_point *p = &d->plot->points[each[i].first];
        ridge_scene_marker(d->scene, p->group, spot_of(d, p), radius_of(d, p->weight), p->measured,
                           ridge_roof_tip(d->plot, p, d->scene->arena));
    }
}

/* before anything is labelled: names of ceilings keep off points, too */
static void add_marks(drawing *d)
{
    for (size_t i = 0; i < d->plot->point_count; i++) {
        const ridge_plot_point *p = &d->plot->points[i];
        ridge_xy low, high;
        ridge_scene_marker_box(&low, &high, p->group, spot_of(d, p), radius_of(d, p->weight));
        ridge_boxes_add(&d->marks, (ridge_box){low.x, low.y, high.x, high.y});
    }
    for (size_t i = 0; i < d->roof.compute_count && d->roof.main_memory; i++) {
        const ridge_roof_line *line = &d->roof.compute[i];
        ridge_xy at = place(d, ridge_roof_point(line, d->roof.main_memory), line->rate);
        ridge_boxes_add(&d->marks, box_round(at.x, at.y, 5, 5));
    }
}

/* points that no axis holds say why they are on the edge */
static const char *told(const drawing *d, const char *label, const ridge_plot_point *p)
{
    const char *edge = p->ai == 0 ? " (no FLOPs)" : isinf(p->ai) ? " (no bytes)" : "";
    const char *text = ridge_arena_printf(d->scene->arena, "%s%s", label, edge);
    return text ? text : "";
}

/* "o_proj, q_proj +3"; shorter where that has no place, or takes half of the picture */
static bool label_cluster(drawing *d, const ridge_roof_cluster *cluster)
{
    const ridge_plot_point *first = &d->plot->points[cluster->first];
    const bool wide = ridge_text_width(cluster->label, LABEL_SIZE) > (d->frame.inside.x1 - d->frame.inside.x0) * 0.45;
    ridge_xy at = spot_of(d, first), low, high;
    ridge_scene_marker_box(&low, &high, first->group, at, radius_of(d, first->weight));
    const double radius = (high.x - low.x) / 2;
    return (!wide && label_place(d, at, radius, true, REACH, RIDGE_PAINT_INK, told(d, cluster->label, first))) ||
           label_place(d, at, radius, true, REACH, RIDGE_PAINT_INK, told(d, cluster->brief, first));
}

static void label_points(drawing *d)
{
    size_t n = 0, labels = 0;
    ridge_roof_cluster *clusters = ridge_roof_clusters(&n, d->plot, &d->frame.x, &d->frame.y, 6, 6, false, d->scene->arena);
    for (size_t i = 0; clusters && i < n && labels < LABELS_MAX; i++)
        labels += label_cluster(d, &clusters[i]);
}

/* ---- the whole ---- */

/* names of the groups that occur, then "measured" where both kinds are there */
static size_t legend_of(ridge_legend_item *items, const ridge_plot_roofline *plot, ridge_arena *arena)
{
    size_t n = 0, hollow = 0;
    for (size_t g = 0; g < plot->group_count && n + 2 < RIDGE_LEGEND_MOST; g++) {
        bool used = false;
        for (size_t i = 0; i < plot->point_count; i++)
            used = used || plot->points[i].group == g;
        if (used)
            items[n++] = (ridge_legend_item){ridge_text_clean(arena, plot->groups[g], 60), (unsigned)g, RIDGE_LEGEND_POINT};
    }
    for (size_t i = 0; i < plot->point_count; i++)
        hollow += plot->points[i].measured;
    if (n < 2 && hollow == 0)
        n = 0;
    if (hollow > 0) {
        items[n++] = (ridge_legend_item){"measured", 7, RIDGE_LEGEND_HOLLOW};
        if (hollow < plot->point_count)
            items[n++] = (ridge_legend_item){"predicted", 7, RIDGE_LEGEND_POINT};
    }
    return n;
}

void ridge_draw_roofline(ridge_scene *scene, const ridge_plot *plot, bool embedded)
{
    drawing d = {.scene = scene,
                 .plot = &plot->u.roofline,
                 .labels.arena = scene->arena,
                 .leaders.arena = scene->arena,
                 .marks.arena = scene->arena,
                 .lines.arena = scene->arena};
    ridge_legend_item items[RIDGE_LEGEND_MOST];
    const bool narrow = scene->width<RIDGE_NARROW, shares = plot->u.roofline.point_count> 1 && !plot->u.roofline.alternatives;
    double top;
    if (!ridge_roof_of(&d.roof, d.plot, scene->arena)) {
        scene->failed = true;
        return;
    }
    ridge_draw_head(scene, &top, plot, embedded, items, legend_of(items, d.plot, scene->arena));
    ridge_box in = {narrow ? 72 : 80, top + 4, scene->width - 24, scene->height - 52};
    d.frame = (ridge_frame){in,
                            {d.roof.x_lo, d.roof.x_hi, in.x0, in.x1, true, "", NULL, 0},
                            {d.roof.y_lo, d.roof.y_hi, in.y1, in.y0, true, "", NULL, 0},
                            narrow ? shares ? "FLOP/byte (area: share of the time)" : "FLOP/byte" : "arithmetic intensity, FLOP/byte",
                            narrow ? "FLOP/s" : "performance, FLOP/s"};
    ridge_draw_frame(scene, &d.frame);
    add_marks(&d);
    draw_ceilings(&d);
    draw_points(&d);
    draw_ridges(&d);
    label_ceilings(&d, true);
    label_ridges(&d, true);
    label_points(&d);
    label_ceilings(&d, false);
    label_ridges(&d, false);
    if (shares && !narrow)
        ridge_scene_text(scene, RIDGE_PAINT_FAINT, 11, RIDGE_ANCHOR_END, (ridge_xy){in.x1, in.y1 + 36}, "area: share of the time");
}
