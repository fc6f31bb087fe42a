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

void ridge_table_render(ridge_buf *out, const ridge_table *t, ridge_form style, int width)
{
    if (style == RIDGE_FORM_CSV)
        render_csv(out, t);
    else if (style == RIDGE_FORM_MARKDOWN)
        render_markdown(out, t);
    else
        render_text(out, t, width);
}
