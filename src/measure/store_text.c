#include "measure/store_text.h"

#include <search.h>

#include "measure/store_fields.h"

/* ---- CSV ---- */

static void csv_names(ridge_buf *out, const ridge_record_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        ridge_buf_addf(out, "%s%s", i > 0 ? "," : "", columns->items[i].key);
}

/* at NULL: empty cells */
static void csv_cells(ridge_buf *out, const ridge_record_columns *columns, const void *at)
{
    for (size_t i = 0; i < columns->count; i++) {
        ridge_buf_addz(out, i > 0 ? "," : "");
        if (at)
            ridge_record_csv_cell(out, &columns->items[i], at);
    }
}

static void csv_lines(ridge_buf *out, const ridge_store_columns *columns, const ridge_measurements *m)
{
    csv_names(out, &columns->run);
    ridge_buf_addz(out, ",row_count,");
    csv_names(out, &columns->row);
    ridge_buf_addc(out, '\n');
    for (size_t i = 0; i < m->run_count; i++) {
        const ridge_store_run *run = &m->runs[i];
        for (size_t k = 0; k < run->rows || k == 0; k++) {
            csv_cells(out, &columns->run, run);
            ridge_buf_addf(out, ",%zu,", run->row_count);
            csv_cells(out, &columns->row, run->rows > 0 ? &m->rows[run->first + k] : NULL);
            ridge_buf_addc(out, '\n');
        }
    }
}

void ridge_measurements_csv(ridge_buf *out, const ridge_measurements *m)
{
    ridge_store_columns columns;
    ridge_arena arena;
    ridge_arena_init(&arena);
    if (ridge_store_columns_make(&columns, &arena, NULL))
        out->failed = true;
    else
        csv_lines(out, &columns, m);
    ridge_arena_free(&arena);
}

/* ---- JSON ---- */

static const ridge_record_field runs_fields[] = {
    RIDGE_R_LIST(ridge_measurements, runs, run_count, &ridge_stored_run_record, "runs", RIDGE_IN_JSON, "the runs, oldest first"),
};
const ridge_record ridge_runs_record = RIDGE_RECORD(ridge_measurements, "runs", runs_fields, "runs that were kept");

static const ridge_record_field fields[] = {
    RIDGE_R_ALSO(&ridge_runs_record),
    RIDGE_R_LIST(ridge_measurements, rows, row_count, &ridge_stored_row_record, "rows", RIDGE_IN_JSON, "their rows, run by run"),
};
const ridge_record ridge_measurements_record =
    RIDGE_RECORD(ridge_measurements, "measurements", fields, "runs that were kept, and their rows");

/* ---- reading: what both forms share ---- */

ridge_store_run *ridge_collection_run(ridge_collection *c)
{
    ridge_measurements *m = c->m;
    if (!ridge_arena_more(c->arena, &m->runs, m->run_count, &c->run_cap, sizeof *m->runs))
        return NULL;
    ridge_store_run *run = &m->runs[m->run_count++];
    *run = (ridge_store_run){.id = (int64_t)m->run_count, .first = m->row_count};
    return run;
}

ridge_measured_row *ridge_collection_row(ridge_collection *c)
{
    ridge_measurements *m = c->m;
    if (!ridge_arena_more(c->arena, &m->rows, m->row_count, &c->row_cap, sizeof *m->rows))
        return NULL;
    ridge_measured_row *row = &m->rows[m->row_count++];
    *row = (ridge_measured_row){0};
    return row;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* in a tree that is balanced whatever the names are */
ridge_status ridge_collection_check_uuid(ridge_collection *c, ridge_err *err)
{
    const char *uuid = c->m->runs[c->m->run_count - 1].uuid;
    const char *const *found = tsearch(uuid, &c->uuids, compare_texts);
    if (!found)
        return ridge_no_memory(err);
    if (*found != uuid)
        return ridge_fail(err, RIDGE_VALUE, "run %s was here before: its rows must stand together", uuid);
    return RIDGE_OK;
}

static void keep_text(void *text)
{
    (void)text; /* the arena's */
}

void ridge_collection_end(ridge_collection *c)
{
    tdestroy(c->uuids, keep_text);
    c->uuids = NULL;
}

ridge_status ridge_collection_check_count(const ridge_collection *c, ridge_err *err)
{
    if (c->m->run_count == 0)
        return RIDGE_OK;
    const ridge_store_run *run = &c->m->runs[c->m->run_count - 1];
    if (run->rows == run->row_count)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_VALUE, "run %s has %zu %s here but says it has %zu: part of it is missing, or it was filtered", run->uuid,
                      run->rows, run->rows == 1 ? "row" : "rows", run->row_count);
}

bool ridge_measurements_is_json(ridge_str text)
{
    size_t at = ridge_str_starts(text, RIDGE_STR("\xEF\xBB\xBF")) ? 3 : 0;
    while (at < text.n && strchr(" \t\r\n", text.p[at]) && text.p[at] != '\0')
        at++;
    return at < text.n && (text.p[at] == '{' || text.p[at] == '[');
}

ridge_status ridge_measurements_read(ridge_measurements *out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err)
{
    return ridge_measurements_is_json(text) ? ridge_measurements_read_json(out, text, file, arena, err)
                                            : ridge_measurements_read_csv(out, text, file, arena, err);
}
