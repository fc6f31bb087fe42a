#include "report/table.h"

#include <stdio.h>

#define COLUMN_LIMIT 24
#define NARROWEST    16 /* of the first column */

void ridge_table_init(ridge_table *t, ridge_arena *arena, const ridge_column *columns, size_t count)
{
    *t = (ridge_table){.arena = arena, .columns = columns, .column_count = count};
}

const char **ridge_table_row(ridge_table *t)
{
    size_t n = t->column_count, at = t->row_count * n;
    t->cells = ridge_arena_grow(t->arena, t->cells, at, &t->cap, at + n, sizeof *t->cells);
    if (!t->cells)
        return NULL;
    for (size_t i = 0; i < n; i++)
        t->cells[at + i] = "";
    t->row_count++;
    return &t->cells[at];
}

/* columns a terminal needs: UTF-8 continuation bytes take none */
static size_t width_of(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

static void pad(ridge_buf *out, size_t n)
{
    while (n-- > 0)
        ridge_buf_addc(out, ' ');
}

/* a cell too wide for its column loses its middle: "model.layers...q_proj" */
static void add_cell(ridge_buf *out, const char *text, size_t width, bool right, bool last)
{
    size_t have = width_of(text);
    if (have > width && width >= 8) {
        size_t n = strlen(text), tail = (width - 3) * 2 / 3, head = width - 3 - tail;
        ridge_buf_addf(out, "%.*s...%s", (int)head, text, text + n - tail);
        return;
    }
    if (right)
        pad(out, width > have ? width - have : 0);
    ridge_buf_addz(out, text);
    if (!right && !last)
        pad(out, width > have ? width - have : 0);
}

static void render_text(ridge_buf *out, const ridge_table *t, int limit)
{
    size_t widths[COLUMN_LIMIT], total = 0, n = t->column_count;
    for (size_t c = 0; c < n; c++) {
        widths[c] = width_of(t->columns[c].title);
        for (size_t r = 0; r < t->row_count; r++) {
            size_t w = width_of(t->cells[r * n + c]);
            widths[c] = w > widths[c] ? w : widths[c];
        }
        total += widths[c] + (c ? 2u : 0u);
    }
    if (limit > 0 && total > (size_t)limit) {
        size_t over = total - (size_t)limit;
        size_t floor = widths[0] < NARROWEST ? widths[0] : NARROWEST;
        widths[0] = widths[0] > over + floor ? widths[0] - over : floor;
    }
    for (size_t r = 0; r <= t->row_count; r++) {
        for (size_t c = 0; c < n; c++) {
            if (c)
                ridge_buf_addz(out, "  ");
            add_cell(out, r ? t->cells[(r - 1) * n + c] : t->columns[c].title, widths[c], t->columns[c].right, c + 1 == n);
        }
        ridge_buf_addc(out, '\n');
    }
}

static void render_csv(ridge_buf *out, const ridge_table *t)
{
    size_t n = t->column_count;
    for (size_t r = 0; r <= t->row_count; r++)
        for (size_t c = 0; c < n; c++) {
            if (c)
                ridge_buf_addc(out, ',');
            ridge_buf_add_csv(out, ridge_str_of(r ? t->cells[(r - 1) * n + c] : t->columns[c].key));
            if (c + 1 == n)
                ridge_buf_addc(out, '\n');
        }
}

static void markdown_cell(ridge_buf *out, const char *text)
{
    ridge_buf_addz(out, "| ");
    for (; *text; text++) {
        if (*text == '|' || *text == '*')
            ridge_buf_addc(out, '\\');
        ridge_buf_addc(out, *text);
    }
    ridge_buf_addc(out, ' ');
}

static void render_markdown(ridge_buf *out, const ridge_table *t)
{
    size_t n = t->column_count;
    for (size_t r = 0; r <= t->row_count; r++) {
        for (size_t c = 0; c < n; c++)
            markdown_cell(out, r ? t->cells[(r - 1) * n + c] : t->columns[c].title);
        ridge_buf_addz(out, "|\n");
        for (size_t c = 0; r == 0 && c < n; c++)
            ridge_buf_addz(out, t->columns[c].right ? "|--:" : "|---");
        if (r == 0)
            ridge_buf_addz(out, "|\n");
    }
}

void ridge_table_render(ridge_buf *out, const ridge_table *t, ridge_table_style style, int width)
{
    if (style == RIDGE_TABLE_CSV)
        render_csv(out, t);
    else if (style == RIDGE_TABLE_MARKDOWN)
        render_markdown(out, t);
    else
        render_text(out, t, width);
}

/* ---- numbers for people ---- */

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static const char *scaled(ridge_arena *arena, ridge_int value, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"};
    double v = (double)value;
    size_t p = 0;
    while (v >= 999.95 && p + 1 < sizeof prefixes / sizeof *prefixes) {
        v /= 1000;
        p++;
    }
    int digits = p == 0 ? 0 : v < 10 ? 3 : v < 100 ? 2 : 1;
    const char *gap = p || unit[0] ? " " : "";
    return or_empty(ridge_arena_printf(arena, "%.*f%s%s%s", digits, v, gap, prefixes[p], unit));
}

const char *ridge_units(ridge_arena *arena, ridge_int value)
{
    return scaled(arena, value, "");
}

const char *ridge_units_bytes(ridge_arena *arena, ridge_int value)
{
    return scaled(arena, value, "B");
}

const char *ridge_units_exact(ridge_arena *arena, ridge_int value)
{
    char text[RIDGE_INT_COMMA_CHARS];
    (void)ridge_int_print_comma(text, value);
    return or_empty(ridge_arena_strdup(arena, ridge_str_of(text)));
}

const char *ridge_units_percent(ridge_arena *arena, ridge_int part, ridge_int whole)
{
    if (whole <= 0)
        return "";
    return or_empty(ridge_arena_printf(arena, "%.1f", 100.0 * (double)part / (double)whole));
}

const char *ridge_units_ratio(ridge_arena *arena, double v)
{
    if (v < 0)
        return "-";
    if (v == 0)
        return "0";
    if (v >= 1000)
        return or_empty(ridge_arena_printf(arena, "%.0f", v));
    return or_empty(ridge_arena_printf(arena, "%.4g", v));
}

const char *ridge_units_seconds(ridge_arena *arena, double s)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};
    size_t u = 0;
    if (s < 0)
        return "-";
    while (s < units[u].least * 0.99995 && units[u].least > 0)
        u++;
    double v = s / (units[u].least > 0 ? units[u].least : 1e-9);
    return or_empty(ridge_arena_printf(arena, "%.*f %s", v < 9.9995 ? 3 : v < 99.995 ? 2 : 1, v, units[u].unit));
}

const char *ridge_units_scaled(ridge_arena *arena, double v, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"};
    size_t p = 0;
    if (v < 0)
        return "-";
    while (v >= 999.95 && p + 1 < sizeof prefixes / sizeof *prefixes) {
        v /= 1000;
        p++;
    }
    return or_empty(ridge_arena_printf(arena, "%.4g %s%s", v, prefixes[p], unit));
}
