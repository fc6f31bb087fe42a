#include "report/table.h"

#include "base/shown.h"

enum { READABLE = 20, NARROWEST = 8, NARROWEST_FIRST = 16 }; /* columns of text that is shortened */

void ridge_table_init(ridge_table *t, ridge_arena *arena, const ridge_column *columns, size_t count)
{
    *t = (ridge_table){.arena = arena, .columns = columns, .column_count = count};
}

const char **ridge_table_row(ridge_table *t)
{
    size_t n = t->column_count, at = t->row_count * n;
    const char **cells = ridge_arena_grow(t->arena, t->cells, at, &t->cap, at + n, sizeof *cells);
    if (!cells)
        return NULL;
    t->cells = cells;
    for (size_t i = 0; i < n; i++)
        t->cells[at + i] = "";
    t->row_count++;
    return &t->cells[at];
}

static size_t width_of(const char *s)
{
    return ridge_shown_columns(s, strlen(s));
}

static void pad(ridge_buf *out, size_t n)
{
    while (n-- > 0)
        ridge_buf_addc(out, ' ');
}

/* of a cell `have` wide: "model.layers...q_proj", or where the middle is not the part to lose "model.layers.0..."; its columns */
static size_t add_shortened(ridge_buf *out, const char *text, size_t have, size_t width, bool middle)
{
    const size_t tail = middle ? (width - 3) * 2 / 3 : 0, head = ridge_shown_within(text, width - 3 - tail);
    const char *end = text + strlen(text), *rest = text + ridge_shown_within(text, have - tail);
    if (width_of(rest) > tail) /* a wide character would stand on both sides */
        rest += ridge_utf8_length(rest, end);
    ridge_buf_addf(out, "%.*s...%s", (int)head, text, rest);
    return ridge_shown_columns(text, head) + 3 + width_of(rest);
}

static void add_cell(ridge_buf *out, const ridge_table *t, const char *text, size_t c, size_t width, bool last)
{
    size_t have = width_of(text);
    if (have > width && width >= NARROWEST) {
        have = add_shortened(out, text, have, width, c == 0);
        pad(out, last ? 0 : width - have);
        return;
    }
    if (t->columns[c].right)
        pad(out, width > have ? width - have : 0);
    ridge_buf_addz(out, text);
    if (!t->columns[c].right && !last)
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

/* ---- fit a width ---- */

static size_t total_of(const ridge_table *t, const size_t *widths)
{
    size_t total = 0;
    for (size_t c = 0; c < t->column_count; c++)
        total += widths[c] > 0 ? widths[c] + (total > 0 ? 2u : 0u) : 0;
    return total;
}

/* takes `over` columns from one, down to a floor; what remains over */
static size_t shrink(size_t *width, size_t over, size_t narrowest)
{
    size_t floor = *width < narrowest ? *width : narrowest, less = *width - floor < over ? *width - floor : over;
    *width -= less;
    return over - less;
}

/* the widest column of words that may still lose its end; the column count: none */
static size_t widest_text(const ridge_table *t, const size_t *widths)
{
    size_t widest = t->column_count;
    for (size_t c = 1; c < t->column_count; c++)
        if (!t->columns[c].right && widths[c] > NARROWEST && (widest == t->column_count || widths[c] > widths[widest]))
            widest = c;
    return widest;
}

/* Narrows the chosen column, where room is tight further and then other columns of words too; false: it is not enough. */
static bool narrow(const ridge_table *t, size_t *widths, size_t limit, bool tight)
{
    size_t total = total_of(t, widths), over = total > limit ? total - limit : 0;
    over = shrink(&widths[t->shortened], over, !tight ? READABLE : t->shortened ? NARROWEST : NARROWEST_FIRST);
    for (size_t c; over > 0 && tight && (c = widest_text(t, widths)) < t->column_count;)
        over = over - 1 + shrink(&widths[c], 1, NARROWEST);
    return over == 0;
}

/* the last column that is left, of the minor ones or of all but the first; 0: none */
static size_t last_column(const ridge_table *t, const size_t *natural, bool minor)
{
    for (size_t c = t->column_count; c-- > 1;)
        if (natural[c] > 0 && (!minor || t->columns[c].minor))
            return c;
    return 0;
}

/* A column is narrowed, then minor ones are left out, then others narrowed, then others left out: their width is 0. */
static void find_widths(size_t *widths, size_t *natural, const ridge_table *t, int limit)
{
    const size_t n = t->column_count;
    for (size_t c = 0; c < n; c++)
        natural[c] = column_width(t, c);
    for (bool tight = false;;) {
        memcpy(widths, natural, n * sizeof *widths);
        if (limit <= 0 || narrow(t, widths, (size_t)limit, tight))
            return;
        size_t last = last_column(t, natural, !tight);
        if (last > 0)
            natural[last] = 0;
        else if (tight)
            return;
        else
            tight = true;
    }
}

/* "not shown, for want of room: bytes, FLOP/B" */
static void tell_left_out(ridge_buf *out, const ridge_table *t, const size_t *widths)
{
    size_t told = 0;
    for (size_t c = 0; c < t->column_count; c++)
        if (widths[c] == 0 && t->columns[c].title[0] != '\0')
            ridge_buf_addf(out, "%s%s", told++ > 0 ? ", " : "not shown, for want of room: ", t->columns[c].title);
    ridge_buf_addz(out, told > 0 ? "\n" : "");
}

/* ---- text ---- */

/* names in cells come from files: a cell is one line that steers no terminal */
static void show_cells(const ridge_table *t)
{
    for (size_t i = 0; i < t->row_count * t->column_count; i++)
        t->cells[i] = ridge_shown(t->arena, t->cells[i]);
}

static void add_line(ridge_buf *out, const ridge_table *t, const size_t *widths, size_t r)
{
    size_t n = t->column_count, last = n;
    while (last > 0 && widths[last - 1] == 0)
        last--;
    ridge_buf_addz(out, r ? "" : RIDGE_LOOK_BOLD);
    for (size_t c = 0, shown = 0; c < last; c++) {
        if (widths[c] == 0)
            continue;
        ridge_buf_addz(out, shown++ > 0 ? "  " : "");
        add_cell(out, t, r ? t->cells[(r - 1) * n + c] : t->columns[c].title, c, widths[c], c + 1 == last);
    }
    ridge_buf_addz(out, r ? "\n" : RIDGE_LOOK_PLAIN "\n");
}

static void render_text(ridge_buf *out, const ridge_table *t, int limit)
{
    size_t n = t->column_count, *widths = ridge_arena_array(t->arena, 2 * n + 2, sizeof *widths);
    if (!widths) {
        out->failed = true;
        return;
    }
    find_widths(widths, widths + n, t, limit);
    for (size_t r = 0; r <= t->row_count; r++)
        add_line(out, t, widths, r);
    tell_left_out(out, t, widths);
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

/* without the blanks at the end that align marks in text */
static void markdown_cell(ridge_buf *out, const char *text)
{
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    ridge_buf_addz(out, "| ");
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '|' || text[i] == '*')
            ridge_buf_addc(out, '\\');
        ridge_buf_addc(out, text[i]);
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
    if (style != RIDGE_FORM_CSV) /* which is data: its reader unquotes the names themselves */
        show_cells(t);
    if (style == RIDGE_FORM_CSV)
        render_csv(out, t);
    else if (style == RIDGE_FORM_MARKDOWN)
        render_markdown(out, t);
    else
        render_text(out, t, width);
    out->failed = out->failed || t->arena->failed; /* cells may be blank for want of memory */
}
