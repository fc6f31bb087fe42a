/* The CSV of store_text.h, read: RFC 4180 with the header that ridge writes, LF or CRLF. */
#include "measure/store_fields.h"
#include "measure/store_text.h"
#include "report/csv_read.h"

typedef struct csv {
    ridge_csv from;
    ridge_collection all;
    ridge_store_columns of;
    size_t columns, run_columns; /* in all; of the run: all of them, or all but the last in files from before that was there */
} csv;

static ridge_status at_cell(csv *c, ridge_status st, const ridge_csv_cell *where)
{
    return ridge_csv_at(&c->from, st, where);
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
    c->run_columns = last + (count <= last || !ridge_str_is(c->from.cells[last].text, "row_count"));
    c->columns = c->run_columns + 1 + c->of.row.count;
}

static ridge_status read_header(csv *c)
{
    size_t count;
    ridge_status st = ridge_csv_line(&c->from, &count);
    if (!st)
        choose_columns(c, count);
    for (size_t i = 0; i < c->columns && !st; i++) {
        if (i >= count)
            st = at_cell(
                c,
                ridge_fail(c->from.err, RIDGE_SYNTAX, "the column '%s' is missing: this is no export of ridge history", column_name(c, i)),
                &c->from.cells[count - 1]);
        else if (!ridge_str_is(c->from.cells[i].text, column_name(c, i)))
            st = at_cell(c,
                         ridge_fail(c->from.err, RIDGE_NAME, "column %zu is '%s' in an export of ridge history, found '%.*s'", i + 1,
                                    column_name(c, i), c->from.cells[i].text.n > 60 ? 60 : (int)c->from.cells[i].text.n,
                                    c->from.cells[i].text.p),
                         &c->from.cells[i]);
    }
    if (!st && count > c->columns)
        st = at_cell(c, ridge_fail(c->from.err, RIDGE_SYNTAX, "%zu columns, wanted %zu", count, c->columns), &c->from.cells[c->columns]);
    return st;
}

/* columns beyond `count` are missing */
static ridge_status set_fields(csv *c, void *row, const ridge_record_columns *columns, const ridge_csv_cell *cells, size_t count)
{
    for (size_t i = 0; i < columns->count; i++) {
        const char *reason = "out of memory";
        ridge_str text = i < count ? cells[i].text : (ridge_str){"", 0};
        ridge_status st = ridge_record_set(row, &columns->items[i], text, &reason, c->from.arena);
        if (st)
            return at_cell(c, ridge_fail(c->from.err, st, "%s: %s", columns->items[i].key, reason), &cells[i < count ? i : 0]);
    }
    return RIDGE_OK;
}

/* ---- lines ---- */

static ridge_status finish_run(csv *c, const ridge_csv_cell *where)
{
    return at_cell(c, ridge_collection_check_count(&c->all, c->from.err), where);
}

static ridge_status start_run(csv *c)
{
    const ridge_csv_cell *count = &c->from.cells[c->run_columns];
    ridge_int rows;
    ridge_status st = finish_run(c, &c->from.cells[0]);
    if (st)
        return st;
    ridge_store_run *run = ridge_collection_run(&c->all);
    if (!run)
        return ridge_no_memory(c->from.err);
    if ((st = set_fields(c, run, &c->of.run, c->from.cells, c->run_columns)))
        return st;
    if (!ridge_int_parse(&rows, count->text) || rows < 0 || rows > UINT32_MAX)
        return at_cell(c, ridge_fail(c->from.err, RIDGE_VALUE, "row_count: wanted a whole number from 0 to 4294967295"), count);
    run->row_count = (size_t)rows;
    return at_cell(c, ridge_collection_check_uuid(&c->all, c->from.err), &c->from.cells[0]);
}

/* the same run as the line above: every column of it must say so */
static ridge_status continue_run(csv *c)
{
    for (size_t i = 0; i <= c->run_columns; i++)
        if (!ridge_str_eq(c->from.cells[i].text, c->from.before[i].text))
            return at_cell(
                c, ridge_fail(c->from.err, RIDGE_VALUE, "%s differs from the line above, which is of the same run", column_name(c, i)),
                &c->from.cells[i]);
    return RIDGE_OK;
}

static bool has_row(const csv *c)
{
    for (size_t i = c->run_columns + 1; i < c->columns; i++)
        if (c->from.cells[i].text.n > 0)
            return true;
    return false;
}

static ridge_status read_row(csv *c)
{
    const ridge_csv_cell *cells = &c->from.cells[c->run_columns + 1];
    ridge_store_run *run = &c->all.m->runs[c->all.m->run_count - 1];
    ridge_measured_row *row = ridge_collection_row(&c->all);
    if (!row)
        return ridge_no_memory(c->from.err);
    ridge_status st = set_fields(c, row, &c->of.row, cells, c->of.row.count);
    if (st)
        return st;
    row->run = run->id;
    row->machine = run->machine;
    run->rows++;
    return at_cell(c, ridge_row_check(row, c->from.err), cells);
}

static ridge_status read_line(csv *c)
{
    size_t count;
    bool first = c->all.m->run_count == 0;
    ridge_status st = ridge_csv_line(&c->from, &count);
    if (st)
        return st;
    if (count != c->columns)
        return at_cell(c, ridge_fail(c->from.err, RIDGE_SYNTAX, "%zu %s, wanted %zu", count, count == 1 ? "column" : "columns", c->columns),
                       &c->from.cells[0]);
    bool fresh = first || !ridge_str_eq(c->from.cells[0].text, c->from.before[0].text);
    st = fresh ? start_run(c) : continue_run(c);
    if (st)
        return st;
    if (!has_row(c) && fresh) /* a run without rows */
        return c->all.m->runs[c->all.m->run_count - 1].row_count == 0 ? RIDGE_OK : finish_run(c, &c->from.cells[0]);
    return read_row(c);
}

ridge_status ridge_measurements_read_csv(ridge_measurements *out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_measurements){0};
    csv *c = ridge_arena_alloc(arena, sizeof *c);
    if (!c)
        return ridge_no_memory(err);
    *c = (csv){.all = {.m = out, .arena = arena}};
    ridge_status st = ridge_csv_begin(&c->from, text, file, arena, err);
    if (!st)
        st = ridge_store_columns_make(&c->of, arena, err);
    if (!st)
        st = read_header(c);
    while (!st && c->from.at < c->from.text.n)
        st = read_line(c);
    ridge_collection_end(&c->all);
    return !st ? finish_run(c, &c->from.cells[0]) : st;
}
