/* The roofline in characters: ceilings as lines of dots (Braille, 2 x 4 a character), points as letters, their names below. */
#include <math.h>
#include <stdio.h>

#include "base/columns.h"
#include "report/plot/layout.h"
#include "report/plot/text.h"

#define GUTTER  7 /* columns of the y axis' labels */
#define NAMED   12
#define BRAILLE 0x2800u

typedef struct cell {
    uint32_t text; /* 0: none, then the dots */
    uint8_t dots;
    uint8_t look;
    bool main; /* a dot is the roof's */
    bool point;
} cell;

typedef struct canvas {
    const ridge_plot_terminal *terminal;
    ridge_arena *arena;
    ridge_roof roof;
    ridge_axis x, y;           /* in dots */
    int columns, rows, sx, sy; /* dots of a cell */
    cell *cells;
} canvas;

static cell *cell_at(const canvas *c, int column, int row)
{
    return column >= 0 && column < c->columns && row >= 0 && row < c->rows ? &c->cells[row * c->columns + column] : NULL;
}

static int column_of(const canvas *c, double ai)
{
    return (int)(ridge_axis_at(&c->x, ai) / c->sx);
}

static int row_of(const canvas *c, double flops_per_s)
{
    return (int)(ridge_axis_at(&c->y, flops_per_s) / c->sy);
}

/* ---- lines ---- */

static void put_dot(canvas *c, int x, int y, bool main, bool level)
{
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cell *at = cell_at(c, x / c->sx, y / c->sy);
    if (!at)
        return;
    if (!c->terminal->ascii)
        at->dots |= bits[y % 4][x % 2];
    else if (main || !at->main)
        at->dots = (uint8_t)(level ? (main ? '=' : '-') : main ? '/' : '.');
    at->main = at->main || main;
}

/* from one place of the data to another; a line that is no part of the roof has gaps */
static void draw_line(canvas *c, bool main, double ai0, double flops0, double ai1, double flops1)
{
    double x0 = ridge_axis_at(&c->x, ai0), y0 = ridge_axis_at(&c->y, flops0);
    double x1 = ridge_axis_at(&c->x, ai1), y1 = ridge_axis_at(&c->y, flops1);
    int steps = (int)ceil(fmax(x1 - x0, fabs(y1 - y0)));
    if (x1 < x0)
        return;
    for (int i = 0; i <= steps; i++) {
        double t = steps ? (double)i / steps : 0;
        int x = (int)(x0 + t * (x1 - x0)), y = (int)(y0 + t * (y1 - y0));
        if (main || c->terminal->ascii || x % 4 < 2)
            put_dot(c, x, y, main, flops0 == flops1);
    }
}

static double memory_start(const canvas *c, const ridge_roof_line *m)
{
    return fmax(c->roof.x_lo, c->roof.y_lo / m->rate);
}

static void draw_ceilings(canvas *c)
{
    const ridge_roof *r = &c->roof;
    double top = r->top_flops > 0 ? r->top_flops : r->y_hi;
    for (size_t i = 0; i < r->memory_count; i++) {
        const ridge_roof_line *m = &r->memory[i];
        double from = memory_start(c, m), to = fmin(r->x_hi, top / m->rate);
        if (m == r->main_memory) {
            double corner = r->main_compute ? ridge_roof_point(r->main_compute, m) : to;
            draw_line(c, true, from, from * m->rate, corner, corner * m->rate);
            from = corner;
        }
        draw_line(c, false, from, from * m->rate, to, to * m->rate);
    }
    for (size_t i = 0; i < r->compute_count; i++) {
        const ridge_roof_line *p = &r->compute[i];
        double from = r->top_bytes > 0 ? p->rate / r->top_bytes : r->x_lo;
        if (p == r->main_compute)
            draw_line(c, true, r->main_memory ? ridge_roof_point(p, r->main_memory) : from, p->rate, r->x_hi, p->rate);
        draw_line(c, false, from, p->rate, r->x_hi, p->rate);
    }
}

/* ---- words ---- */

/* the second cell of a character that is two columns wide */
#define COVERED UINT32_MAX

static int length_of(const canvas *c, const char *text)
{
    return ridge_term_columns(text, c->terminal->ascii);
}

/* Writes a text from a cell on, where nothing is in its way; false: something is */
static bool write_text(canvas *c, int column, int row, const char *text, int look, bool over_lines)
{
    int n = length_of(c, text);
    for (int i = -1; i <= n; i++) {
        const cell *at = cell_at(c, column + i, row);
        bool edge = i < 0 || i == n; /* a letter's room on both sides */
        if (!edge && !at)
            return false;
        if (at && (at->text || (!edge && !over_lines && at->dots)))
            return false;
    }
    for (uint32_t next; (next = ridge_term_next(&text)) != 0;) {
        const int width = c->terminal->ascii ? 1 : (int)ridge_columns(next);
        for (int i = 0; i < width; i++, column++) {
            cell *at = cell_at(c, column, row);
            at->text = i > 0 ? COVERED : next;
            at->look = (uint8_t)look;
        }
    }
    return true;
}

/* The roof's own above its line where that is free; else in the line, as far right as may be; else over what is above or below. */
static void label_compute(canvas *c, const ridge_roof_line *line)
{
    int row = row_of(c, line->rate), n = length_of(c, line->label), look = line->main ? RIDGE_TERM_BOLD : RIDGE_TERM_FAINT;
    int first = c->roof.top_bytes > 0 ? column_of(c, line->rate / c->roof.top_bytes) : 0;
    static const struct {
        int side;
        bool over;
    } attempts[] = {{-1, false}, {0, true}, {-1, true}, {1, true}};
    for (size_t i = line == c->roof.main_compute ? 0 : 1; i < 8; i++) /* at last, left of where it starts */
        for (int column = c->columns - n; column > (i < 4 ? first : 0); column--)
            if (write_text(c, column, row + attempts[i % 4].side, line->label, look, attempts[i % 4].over))
                return;
}

/* beside its line: left of the upper ones, right of the lowest, on the line's own row; else on the right */
static void label_memory(canvas *c, const ridge_roof_line *line, bool lowest)
{
    int n = length_of(c, line->label), look = line->main ? RIDGE_TERM_BOLD : RIDGE_TERM_FAINT;
    int first = column_of(c, memory_start(c, line)) + 1;
    for (int attempt = 0; attempt < 2; attempt++)
        for (int column = first; column < c->columns; column++) {
            double ai = c->x.lo * pow(c->x.hi / c->x.lo, (column * c->sx + 0.5 - c->x.from) / (c->x.to - c->x.from));
            if (c->roof.top_flops > 0 && ai * line->rate > c->roof.top_flops)
                break;
            int row = row_of(c, ai * line->rate);
            bool right = lowest == (attempt == 0);
            if (write_text(c, right ? column + 3 : column - n - 2, row, line->label, look, false))
                return;
        }
}

/* a sign on the corner and its number, at the upper left or lower right of it */
static void mark_ridge(canvas *c, const ridge_roof_line *line, bool main)
{
    double ridge = ridge_roof_point(line, c->roof.main_memory);
    int column = column_of(c, ridge), row = row_of(c, line->rate);
    cell *at = cell_at(c, column, row);
    const char *number = ridge_text_number(c->arena, ridge);
    const char *label = main ? ridge_arena_printf(c->arena, "ridge %s", number) : number;
    if (!at || at->text || !label)
        return;
    at->text = c->terminal->ascii ? '+' : main ? 0x25C6 : 0x25C7;
    at->look = main ? RIDGE_TERM_BOLD : RIDGE_TERM_FAINT;
    int n = length_of(c, label), look = at->look;
    for (int over = 0; over < 2; over++)
        if (write_text(c, column - n - 1, row - 1, label, look, over) || write_text(c, column + 2, row + 1, label, look, over) ||
            write_text(c, column - n - 2, row, label, look, over))
            return;
}

static void write_ceilings(canvas *c)
{
    const ridge_roof *r = &c->roof;
    for (int main = 1; main >= 0; main--) {
        for (size_t i = 0; r->main_memory && i < r->compute_count; i++)
            if ((&r->compute[i] == r->main_compute) == main)
                mark_ridge(c, &r->compute[i], main);
        for (size_t i = 0; i < r->compute_count; i++)
            if ((&r->compute[i] == r->main_compute) == main)
                label_compute(c, &r->compute[i]);
        for (size_t i = 0; i < r->memory_count; i++)
            if ((&r->memory[i] == r->main_memory) == main)
                label_memory(c, &r->memory[i], i + 1 == r->memory_count);
    }
}

/* ---- points ---- */

typedef struct place {
    ridge_roof_cluster cluster;
    const ridge_plot_point *point; /* the heaviest */
    size_t letter;
} place;

typedef struct places {
    place *items; /* the heaviest first */
    size_t count;
    bool measured, predicted; /* such points are there */
    bool alternatives;
} places;

/* Letters in order; what is predicted and measured of one name has the same. */
static bool find_places(places *out, const canvas *c, const ridge_plot_roofline *plot)
{
    size_t n = 0, letters = 0;
    ridge_roof_cluster *clusters = ridge_roof_clusters(&n, plot, &c->x, &c->y, c->sx * 0.75, c->sy * 0.6, true, c->arena);
    *out = (places){.items = clusters ? ridge_arena_array(c->arena, n + 1, sizeof *out->items) : NULL};
    for (size_t i = 0; out->items && i < n; i++) {
        const ridge_plot_point *p = &plot->points[clusters[i].first];
        size_t twin = 0;
        while (twin < i && (out->items[twin].point->measured == p->measured || strcmp(clusters[twin].label, clusters[i].label) != 0))
            twin++;
        out->items[i] = (place){clusters[i], p, twin < i ? out->items[twin].letter : letters++};
        out->measured = out->measured || p->measured;
        out->predicted = out->predicted || !p->measured;
    }
    out->alternatives = plot->alternatives;
    out->count = out->items ? n : 0;
    return out->items;
}

/* "A", "B", ... for the heaviest; in lower case where measured; the others are small */
static uint32_t sign_of(const canvas *c, size_t letter, bool measured)
{
    if (letter < NAMED)
        return (uint32_t)(measured ? 'a' : 'A') + (uint32_t)letter;
    return c->terminal->ascii ? 'o' : 0x2022;
}

/* a point whose cell is taken by one of the other kind is put beside it, so that both are seen */
static void draw_points(canvas *c, const places *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const place *p = &all->items[i];
        int column = (int)(p->cluster.x / c->sx), row = (int)(p->cluster.y / c->sy);
        cell *at = cell_at(c, column, row);
        for (int side = 1; side >= -1 && all->measured && all->predicted && p->letter < NAMED && at && at->point; side -= 2)
            at = cell_at(c, column + side, row);
        if (at && !at->point)
            *at = (cell){sign_of(c, p->letter, p->point->measured), 0, (uint8_t)(p->point->group % RIDGE_PLOT_GROUPS), false, true};
    }
}

/* letter, name, FLOP/byte, FLOP/s, share of the time */
static void add_row(ridge_buf *out, const canvas *c, int look, uint32_t sign, const char *const cells[4])
{
    static const int widths[] = {0, 10, 14, 8};
    bool ascii = c->terminal->ascii;
    ridge_buf_addc(out, ' ');
    ridge_term_look_at(out, look, c->terminal->colour);
    ridge_term_put(out, sign, ascii);
    ridge_term_look_at(out, RIDGE_TERM_PLAIN, c->terminal->colour);
    ridge_buf_addc(out, ' ');
    int name = c->terminal->width - 3 - widths[1] - widths[2] - widths[3];
    ridge_term_cell(out, cells[0], name > 56 ? 56 : name, false, ascii);
    for (int i = 1; i < 4; i++)
        ridge_term_cell(out, cells[i], widths[i], true, ascii);
    ridge_buf_addc(out, '\n');
}

static const char *share_text(const canvas *c, double weight)
{
    const char *text = ridge_arena_printf(c->arena, "%.1f %%", weight * 100);
    return text ? text : "";
}

/* Beside measured points, predicted ones have no time of their own. */
static bool has_time(const places *all, const place *p)
{
    return !all->alternatives && (p->point->measured || !all->measured);
}

static void add_names(ridge_buf *out, const canvas *c, const places *all)
{
    double rest = 0;
    size_t others = 0;
    if (all->count > 0)
        add_row(out, c, RIDGE_TERM_PLAIN, ' ', (const char *const[]){"", "FLOP/byte", "FLOP/s", all->alternatives ? "" : "time"});
    for (size_t i = 0; i < all->count; i++) {
        const place *p = &all->items[i];
        bool named = p->letter < NAMED, timed = has_time(all, p);
        others += !named;
        rest += !named && timed ? p->cluster.weight : 0;
        if (named)
            add_row(out, c, (int)(p->point->group % RIDGE_PLOT_GROUPS), sign_of(c, p->letter, p->point->measured),
                    (const char *const[]){p->cluster.label, ridge_axis_label(c->arena, &c->x, p->point->ai),
                                          ridge_text_quantity(c->arena, p->point->flops_per_s, "FLOP/s"),
                                          timed               ? share_text(c, p->cluster.weight)
                                          : all->alternatives ? ""
                                                              : "-"});
    }
    if (others > 0) {
        const char *text = ridge_arena_printf(c->arena, "%zu other places", others);
        add_row(out, c, RIDGE_TERM_PLAIN, sign_of(c, NAMED, false),
                (const char *const[]){text ? text : "", "", "", all->alternatives ? "" : share_text(c, rest)});
    }
    if (all->measured)
        ridge_buf_addz(out, all->predicted ? " A predicted; a measured, with its time\n" : " a measured\n");
}

/* ---- axes and output ---- */

/* what stands at a row of the y axis: a tick's label, or NULL */
static const char *tick_label(const canvas *c, const ridge_ticks *ticks, int row)
{
    for (size_t i = 0; i < ticks->count; i++)
        if (row_of(c, ticks->values[i]) == row)
            return ridge_axis_label(c->arena, &c->y, ticks->values[i]);
    return NULL;
}

static void add_cell(ridge_buf *out, const canvas *c, const cell *at)
{
    bool colour = c->terminal->colour && (at->text || at->dots);
    if (at->text == COVERED)
        return;
    ridge_term_look_at(out, at->text ? at->look : at->main ? RIDGE_TERM_BOLD : RIDGE_TERM_FAINT, colour);
    if (at->text)
        ridge_term_put(out, at->text, c->terminal->ascii);
    else if (at->dots)
        ridge_term_put(out, c->terminal->ascii ? at->dots : BRAILLE | at->dots, c->terminal->ascii);
    else
        ridge_buf_addc(out, ' ');
    ridge_term_look_at(out, RIDGE_TERM_PLAIN, colour);
}

static void add_rows(ridge_buf *out, const canvas *c)
{
    ridge_ticks ticks;
    ridge_axis_ticks(&ticks, &c->y, c->rows / 2);
    ridge_term_cell(out, "FLOP/s", GUTTER, true, false);
    ridge_buf_addc(out, '\n');
    for (int row = 0; row < c->rows; row++) {
        const char *label = tick_label(c, &ticks, row);
        ridge_term_cell(out, label ? label : "", GUTTER, true, c->terminal->ascii);
        ridge_term_put(out, c->terminal->ascii ? (label ? '+' : '|') : label ? 0x2524 : 0x2502, c->terminal->ascii);
        int last = c->columns - 1;
        while (last >= 0 && !cell_at(c, last, row)->text && !cell_at(c, last, row)->dots)
            last--;
        for (int column = 0; column <= last; column++)
            add_cell(out, c, cell_at(c, column, row));
        ridge_buf_addc(out, '\n');
    }
}

/* the axis with its ticks, the numbers under them, and what they are */
static void add_x_axis(ridge_buf *out, const canvas *c)
{
    ridge_ticks ticks;
    ridge_axis_ticks(&ticks, &c->x, c->columns / 8);
    char *numbers = ridge_arena_alloc(c->arena, (size_t)c->terminal->width + 1);
    bool ascii = c->terminal->ascii;
    ridge_term_cell(out, "", GUTTER, true, ascii);
    ridge_term_put(out, ascii ? '+' : 0x2514, ascii);
    if (numbers)
        memset(numbers, ' ', (size_t)c->terminal->width);
    for (int column = 0; column < c->columns; column++) {
        const char *label = NULL;
        for (size_t i = 0; i < ticks.count; i++)
            if (column_of(c, ticks.values[i]) == column)
                label = ridge_axis_label(c->arena, &c->x, ticks.values[i]);
        ridge_term_put(out, ascii ? (label ? '+' : '-') : label ? 0x2534 : 0x2500, ascii);
        int n = label ? (int)strlen(label) : 0, at = GUTTER + 1 + column - n / 2;
        at = at + n > c->terminal->width ? c->terminal->width - n : at;
        if (label && numbers)
            memcpy(numbers + at, label, (size_t)n);
    }
    ridge_buf_addf(out, "\n%s\n", numbers ? numbers : "");
    ridge_term_cell(out, "FLOP/byte", GUTTER + 1 + (c->columns + 9) / 2, true, ascii);
    ridge_buf_addc(out, '\n');
}

static bool open_canvas(canvas *c, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena)
{
    bool ascii = terminal->ascii;
    *c = (canvas){.terminal = terminal, .arena = arena, .sx = ascii ? 1 : 2, .sy = ascii ? 1 : 4};
    c->columns = terminal->width - GUTTER - 1;
    c->rows = terminal->height - 4 - (plot->title[0] != 0) - (plot->subtitle[0] != 0);
    c->cells = ridge_arena_array(arena, (size_t)(c->columns * c->rows), sizeof *c->cells);
    if (!c->cells || !ridge_roof_of(&c->roof, &plot->u.roofline, arena))
        return false;
    c->x = (ridge_axis){c->roof.x_lo, c->roof.x_hi, 0, c->columns * c->sx - 1, true, "", NULL, 0};
    c->y = (ridge_axis){c->roof.y_lo, c->roof.y_hi, c->rows * c->sy - 1, 0, true, "", NULL, 0};
    return true;
}

void ridge_term_roofline(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena)
{
    canvas c;
    places all;
    if (!open_canvas(&c, plot, terminal, arena)) {
        out->failed = true;
        return;
    }
    out->failed = !find_places(&all, &c, &plot->u.roofline) || out->failed;
    draw_ceilings(&c);
    draw_points(&c, &all);
    write_ceilings(&c);
    ridge_term_head(out, plot, terminal, arena);
    add_rows(out, &c);
    add_x_axis(out, &c);
    add_names(out, &c, &all);
}
