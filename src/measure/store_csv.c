/* The CSV of store_text.h, read: RFC 4180 with the header that ridge writes, LF or CRLF. */
#include "measure/store_fields.h"
#include "measure/store_text.h"

enum { COLUMNS_MOST = 64 };

typedef struct csv_cell {
    ridge_str text; /* decoded */
    size_t at;      /* offset of its first character in the file */
    unsigned line, col;
} csv_cell;

typedef struct csv {
    ridge_str text;
    const char *file;
    size_t at, line_at;
    unsigned line;
    ridge_arena *arena;
    ridge_err *err;
    ridge_collection all;
    ridge_store_columns of;
    size_t columns, run_columns; /* in all; of the run: all of them, or all but the last in files from before that was there */
    csv_cell cells[COLUMNS_MOST], before[COLUMNS_MOST]; /* of this line and of the one above */
} csv;

/* puts the place of a cell into an error that has none */
static ridge_status at_cell(csv *c, ridge_status st, const csv_cell *where)
{
    if (st && c->err) {
        ridge_err_place(c->err, c->file, where->line, where->col);
        ridge_err_excerpt(c->err, c->text.p, c->text.n, where->at, where->text.n > 0 ? where->text.n : 1);
    }
    return st;
}

static bool at_line_end(const csv *c)
{
    return c->at == c->text.n || c->text.p[c->at] == '\n' ||
           (c->text.p[c->at] == '\r' && c->at + 1 < c->text.n && c->text.p[c->at + 1] == '\n');
}

/* after the opening quote, to behind the closing one */
static ridge_status quoted_cell(csv *c, csv_cell *out)
{
    ridge_buf text = {0};
    ridge_status st = RIDGE_OK;
    for (;;) {
        if (c->at == c->text.n) {
            st = at_cell(c, ridge_fail(c->err, RIDGE_SYNTAX, "this cell's closing quote is missing"), out);
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

static ridge_status next_cell(csv *c, csv_cell *out)
{
    ridge_status st = RIDGE_OK;
    size_t from = c->at;
    *out = (csv_cell){{"", 0}, from, c->line, (unsigned)(from - c->line_at) + 1};
    if (c->at < c->text.n && c->text.p[c->at] == '"') {
        c->at++;
        st = quoted_cell(c, out);
        if (!st && !at_line_end(c) && c->text.p[c->at] != ',')
            st = at_cell(c, ridge_fail(c->err, RIDGE_SYNTAX, "after a quoted cell comes a comma or the end of the line"), out);
        return st;
    }
    while (!at_line_end(c) && c->text.p[c->at] != ',')
        c->at++;
    out->text = (ridge_str){c->text.p + from, c->at - from};
    if (memchr(out->text.p, '"', out->text.n))
        return at_cell(c, ridge_fail(c->err, RIDGE_SYNTAX, "a quote inside a cell: the whole cell must be in quotes"), out);
    return RIDGE_OK;
}

/* One line into c->cells; *count of them. */
static ridge_status next_line(csv *c, size_t *count)
{
    csv_cell spare;
    memcpy(c->before, c->cells, sizeof c->cells);
    for (*count = 0;;) {
        csv_cell *to = *count < COLUMNS_MOST ? &c->cells[*count] : &spare;
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

/* ---- columns ---- */

static const char *column_name(const csv *c, size_t i)
{
    if (i < c->run_columns)
        return c->of.run.items[i].key;
    return i == c->run_columns ? "row_count" : c->of.row.items[i - c->run_columns - 1].key;
}

static void choose_columns(csv *c, size_t count)
{
    size_t last = c->of.run.count - 1;
    c->run_columns = last + (count <= last || !ridge_str_is(c->cells[last].text, "row_count"));
    c->columns = c->run_columns + 1 + c->of.row.count;
}

static ridge_status read_header(csv *c)
{
    size_t count;
    ridge_status st = next_line(c, &count);
    if (!st)
        choose_columns(c, count);
    for (size_t i = 0; i < c->columns && !st; i++) {
        if (i >= count)
            st = at_cell(
                c, ridge_fail(c->err, RIDGE_SYNTAX, "the column '%s' is missing: this is no export of ridge history", column_name(c, i)),
                &c->cells[count - 1]);
        else if (!ridge_str_is(c->cells[i].text, column_name(c, i)))
            st = at_cell(c,
                         ridge_fail(c->err, RIDGE_NAME, "column %zu is '%s' in an export of ridge history, found '%.*s'", i + 1,
                                    column_name(c, i), c->cells[i].text.n > 60 ? 60 : (int)c->cells[i].text.n, c->cells[i].text.p),
                         &c->cells[i]);
    }
    if (!st && count > c->columns)
        st = at_cell(c, ridge_fail(c->err, RIDGE_SYNTAX, "%zu columns, wanted %zu", count, c->columns), &c->cells[c->columns]);
    return st;
}

/* columns beyond `count` are missing */
static ridge_status set_fields(csv *c, void *row, const ridge_record_columns *columns, const csv_cell *cells, size_t count)
{
    for (size_t i = 0; i < columns->count; i++) {
        const char *reason = "out of memory";
        ridge_str text = i < count ? cells[i].text : (ridge_str){"", 0};
        ridge_status st = ridge_record_set(row, &columns->items[i], text, &reason, c->arena);
        if (st)
            return at_cell(c, ridge_fail(c->err, st, "%s: %s", columns->items[i].key, reason), &cells[i < count ? i : 0]);
    }
    return RIDGE_OK;
}

/* ---- lines ---- */

static ridge_status finish_run(csv *c, const csv_cell *where)
{
    return at_cell(c, ridge_collection_check_count(&c->all, c->err), where);
}

static ridge_status start_run(csv *c)
{
    const csv_cell *count = &c->cells[c->run_columns];
    ridge_int rows;
    ridge_status st = finish_run(c, &c->cells[0]);
    if (st)
        return st;
    ridge_store_run *run = ridge_collection_run(&c->all);
    if (!run)
        return ridge_no_memory(c->err);
    if ((st = set_fields(c, run, &c->of.run, c->cells, c->run_columns)))
        return st;
    if (!ridge_int_parse(&rows, count->text) || rows < 0 || rows > UINT32_MAX)
        return at_cell(c, ridge_fail(c->err, RIDGE_VALUE, "row_count: wanted a whole number from 0 to 4294967295"), count);
    run->row_count = (size_t)rows;
    return at_cell(c, ridge_collection_check_uuid(&c->all, c->err), &c->cells[0]);
}

/* the same run as the line above: every column of it must say so */
static ridge_status continue_run(csv *c)
{
    for (size_t i = 0; i <= c->run_columns; i++)
        if (!ridge_str_eq(c->cells[i].text, c->before[i].text))
            return at_cell(c,
                           ridge_fail(c->err, RIDGE_VALUE, "%s differs from the line above, which is of the same run", column_name(c, i)),
                           &c->cells[i]);
    return RIDGE_OK;
}

static bool has_row(const csv *c)
{
    for (size_t i = c->run_columns + 1; i < c->columns; i++)
        if (c->cells[i].text.n > 0)
            return true;
    return false;
}

static ridge_status read_row(csv *c)
{
    const csv_cell *cells = &c->cells[c->run_columns + 1];
    ridge_store_run *run = &c->all.m->runs[c->all.m->run_count - 1];
    ridge_measured_row *row = ridge_collection_row(&c->all);
    if (!row)
        return ridge_no_memory(c->err);
    ridge_status st = set_fields(c, row, &c->of.row, cells, c->of.row.count);
    if (st)
        return st;
    row->run = run->id;
    row->machine = run->machine;
    run->rows++;
    return at_cell(c, ridge_row_check(row, c->err), cells);
}

static ridge_status read_line(csv *c)
{
    size_t count;
    bool first = c->all.m->run_count == 0;
    ridge_status st = next_line(c, &count);
    if (st)
        return st;
    if (count != c->columns)
        return at_cell(c, ridge_fail(c->err, RIDGE_SYNTAX, "%zu %s, wanted %zu", count, count == 1 ? "column" : "columns", c->columns),
                       &c->cells[0]);
    bool fresh = first || !ridge_str_eq(c->cells[0].text, c->before[0].text);
    st = fresh ? start_run(c) : continue_run(c);
    if (st)
        return st;
    if (!has_row(c) && fresh) /* a run without rows */
        return c->all.m->runs[c->all.m->run_count - 1].row_count == 0 ? RIDGE_OK : finish_run(c, &c->cells[0]);
    return read_row(c);
}

ridge_status ridge_measurements_read_csv(ridge_measurements *out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_measurements){0};
    if (text.n == 0)
        text.p = "";
    if (memchr(text.p, '\0', text.n))
        return ridge_fail_at(err, RIDGE_SYNTAX, file, 1, 1, "not text: it holds a zero byte");
    csv *c = ridge_arena_alloc(arena, sizeof *c);
    if (!c)
        return ridge_no_memory(err);
    *c = (csv){.text = text, .file = file, .line = 1, .arena = arena, .err = err, .all = {.m = out, .arena = arena}};
    if (ridge_str_starts(text, RIDGE_STR("\xEF\xBB\xBF")))
        c->at = c->line_at = 3;
    ridge_status st = ridge_store_columns_make(&c->of, arena, err);
    if (!st)
        st = read_header(c);
    while (!st && c->at < text.n)
        st = read_line(c);
    ridge_collection_end(&c->all);
    return !st ? finish_run(c, &c->cells[0]) : st;
}
