#include "report/table.h"

#include <stdio.h>

enum { NARROWEST = 8, NARROWEST_FIRST = 16 }; /* of the column that is shortened */

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

/* bytes of the first `columns` columns */
static size_t bytes_of(const char *s, size_t columns)
{
    const char *at = s;
    for (; *at; at++)
        if (((unsigned char)*at & 0xC0) != 0x80 && columns-- == 0)
            break;
    return (size_t)(at - s);
}

static void pad(ridge_buf *out, size_t n)
{
    while (n-- > 0)
        ridge_buf_addc(out, ' ');
}

/* of a cell `have` wide: "model.layers...q_proj", or where the middle is not the part to lose "model.layers.0..." */
static void add_shortened(ridge_buf *out, const char *text, size_t have, size_t width, bool middle)
{
    size_t tail = middle ? (width - 3) * 2 / 3 : 0;
    ridge_buf_addf(out, "%.*s...%s", (int)bytes_of(text, width - 3 - tail), text, text + bytes_of(text, have - tail));
}

static void add_cell(ridge_buf *out, const ridge_table *t, const char *text, size_t c, size_t width)
{
    size_t have = width_of(text);
    if (have > width && width >= NARROWEST) {
        add_shortened(out, text, have, width, c == 0);
        return;
    }
    if (t->columns[c].right)
        pad(out, width > have ? width - have : 0);
    ridge_buf_addz(out, text);
    if (!t->columns[c].right && c + 1 < t->column_count)
        pad(out, width > have ? width - have : 0);
}

/* as wide as the widest cell, the title among them */
static size_t column_width(const ridge_table *t, size_t c)
{
    size_t widest = width_of(t->columns[c].title);
    for (size_t r = 0; r < t->row_count; r++) {
        size_t w = width_of(t->cells[r * t->column_count + c]);
        widest = w > widest ? w : widest;
    }
    return widest;
}

static void find_widths(size_t *widths, const ridge_table *t, int limit)
{
    size_t total = 0, *shortened = &widths[t->shortened];
    for (size_t c = 0; c < t->column_count; c++) {
        widths[c] = column_width(t, c);
        total += widths[c] + (c ? 2u : 0u);
    }
    if (limit > 0 && total > (size_t)limit) {
        size_t over = total - (size_t)limit, narrowest = t->shortened ? NARROWEST : NARROWEST_FIRST;
        size_t floor = *shortened < narrowest ? *shortened : narrowest;
        *shortened = *shortened > over + floor ? *shortened - over : floor;
    }
}

static void render_text(ridge_buf *out, const ridge_table *t, int limit)
{
    size_t n = t->column_count, *widths = ridge_arena_array(t->arena, n + 1, sizeof *widths);
    if (!widths) {
        out->failed = true;
        return;
    }
    find_widths(widths, t, limit);
    for (size_t r = 0; r <= t->row_count; r++) {
        for (size_t c = 0; c < n; c++) {
            if (c)
                ridge_buf_addz(out, "  ");
            add_cell(out, t, r ? t->cells[(r - 1) * n + c] : t->columns[c].title, c, widths[c]);
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

void ridge_table_render(ridge_buf *out, const ridge_table *t, ridge_form style, int width)
{
    if (style == RIDGE_FORM_CSV)
        render_csv(out, t);
    else if (style == RIDGE_FORM_MARKDOWN)
        render_markdown(out, t);
    else
        render_text(out, t, width);
}
