#include "report/csv_read.h"

#include <string.h>

ridge_status ridge_csv_at(ridge_csv *c, ridge_status st, const ridge_csv_cell *where)
{
    if (st && c->err) {
        ridge_err_place(c->err, c->file, where->line, where->col);
        ridge_err_excerpt(c->err, c->text.p, c->text.n, where->at, where->text.n > 0 ? where->text.n : 1);
    }
    return st;
}

static bool at_line_end(const ridge_csv *c)
{
    return c->at == c->text.n || c->text.p[c->at] == '\n' ||
           (c->text.p[c->at] == '\r' && c->at + 1 < c->text.n && c->text.p[c->at + 1] == '\n');
}

/* after the opening quote, to behind the closing one */
static ridge_status quoted_cell(ridge_csv *c, ridge_csv_cell *out)
{
    ridge_buf text = {0};
    ridge_status st = RIDGE_OK;
    for (;;) {
        if (c->at == c->text.n) {
            st = ridge_csv_at(c, ridge_fail(c->err, RIDGE_SYNTAX, "this cell's closing quote is missing"), out);
            break;
        }
        char ch = c->text.p[c->at++];
        if (ch == '"' && (c->at == c->text.n || c->text.p[c->at] != '"'))
            break;
        c->at += ch == '"';
        if (ch == '\n') {
            c->line++;
            c->line_at = c->at;
        }
        ridge_buf_addc(&text, ch);
    }
    out->text = (ridge_str){ridge_arena_strdup(c->arena, (ridge_str){text.p, text.n}), text.n};
    if (!st && (text.failed || !out->text.p))
        st = ridge_no_memory(c->err);
    ridge_buf_free(&text);
    return st;
}

static ridge_status next_cell(ridge_csv *c, ridge_csv_cell *out)
{
    ridge_status st = RIDGE_OK;
    size_t from = c->at;
    *out = (ridge_csv_cell){{"", 0}, from, c->line, (unsigned)(from - c->line_at) + 1};
    if (c->at < c->text.n && c->text.p[c->at] == '"') {
        c->at++;
        st = quoted_cell(c, out);
        if (!st && !at_line_end(c) && c->text.p[c->at] != ',')
            st = ridge_csv_at(c, ridge_fail(c->err, RIDGE_SYNTAX, "after a quoted cell comes a comma or the end of the line"), out);
        return st;
    }
    while (!at_line_end(c) && c->text.p[c->at] != ',')
        c->at++;
    out->text = (ridge_str){c->text.p + from, c->at - from};
    if (memchr(out->text.p, '"', out->text.n))
        return ridge_csv_at(c, ridge_fail(c->err, RIDGE_SYNTAX, "a quote inside a cell: the whole cell must be in quotes"), out);
    return RIDGE_OK;
}

ridge_status ridge_csv_line(ridge_csv *c, size_t *count)
{
    ridge_csv_cell spare;
    memcpy(c->before, c->cells, sizeof c->cells);
    for (*count = 0;;) {
        ridge_csv_cell *to = *count < RIDGE_CSV_COLUMNS_MOST ? &c->cells[*count] : &spare;
        ridge_status st = next_cell(c, to);
        if (st)
            return st;
        ++*count;
        if (at_line_end(c))
            break;
        c->at++; /* the comma */
    }
    if (c->at < c->text.n) {
        c->at += c->text.p[c->at] == '\r' ? 2 : 1;
        c->line++;
        c->line_at = c->at;
    }
    return RIDGE_OK;
}

ridge_status ridge_csv_begin(ridge_csv *c, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err)
{
    *c = (ridge_csv){.text = text.n > 0 ? text : RIDGE_STR(""), .file = file, .line = 1, .arena = arena, .err = err};
    if (memchr(c->text.p, '\0', c->text.n))
        return ridge_fail_at(err, RIDGE_SYNTAX, file, 1, 1, "not text: it holds a zero byte");
    if (ridge_str_starts(text, RIDGE_STR("\xEF\xBB\xBF")))
        c->at = c->line_at = 3;
    return RIDGE_OK;
}
