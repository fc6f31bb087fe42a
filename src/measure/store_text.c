#include "measure/store_text.h"

#include "measure/store_fields.h"

/* ---- CSV ---- */

/* at NULL: empty cells */
static void csv_fields(ridge_buf *out, const ridge_fields *fields, const void *at)
{
    ridge_buf text = {0};
    for (size_t i = 0; i < fields->count; i++) {
        text.n = 0;
        if (at)
            ridge_field_print(&text, &fields->items[i], at);
        if (i > 0)
            ridge_buf_addc(out, ',');
        ridge_buf_add_csv(out, (ridge_str){text.p, text.n});
    }
    out->failed |= text.failed;
    ridge_buf_free(&text);
}

static void csv_names(ridge_buf *out, const ridge_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++)
        ridge_buf_addf(out, "%s%s", i > 0 ? "," : "", fields->items[i].name);
}

void ridge_measurements_csv(ridge_buf *out, const ridge_measurements *m)
{
    csv_names(out, &ridge_run_fields);
    ridge_buf_addz(out, ",row_count,");
    csv_names(out, &ridge_row_fields);
    ridge_buf_addc(out, '\n');
    for (size_t i = 0; i < m->run_count; i++) {
        const ridge_store_run *run = &m->runs[i];
        for (size_t k = 0; k < run->rows || k == 0; k++) {
            csv_fields(out, &ridge_run_fields, run);
            ridge_buf_addf(out, ",%zu,", run->row_count);
            csv_fields(out, &ridge_row_fields, run->rows > 0 ? &m->rows[run->first + k] : NULL);
            ridge_buf_addc(out, '\n');
        }
    }
}

/* ---- JSON ---- */

static void json_run(ridge_json_writer *w, const ridge_store_run *run)
{
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "run");
    ridge_jw_int(w, run->id);
    ridge_fields_json(w, &ridge_run_fields, run);
    ridge_jw_key(w, "row_count");
    ridge_jw_int(w, (ridge_int)run->row_count);
    ridge_jw_end_object(w);
}

static void json_row(ridge_json_writer *w, const ridge_store_run *run, const ridge_measured_row *row)
{
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "run");
    ridge_jw_int(w, run->id);
    ridge_fields_json(w, &ridge_row_fields, row);
    ridge_jw_key(w, "machine");
    ridge_jw_strz(w, run->machine);
    ridge_jw_end_object(w);
}

void ridge_measurements_json(ridge_json_writer *w, const ridge_measurements *m, bool rows)
{
    ridge_jw_key(w, "runs");
    ridge_jw_array(w);
    for (size_t i = 0; i < m->run_count; i++)
        json_run(w, &m->runs[i]);
    ridge_jw_end_array(w);
    if (!rows)
        return;
    ridge_jw_key(w, "rows");
    ridge_jw_array(w);
    for (size_t i = 0; i < m->run_count; i++)
        for (size_t k = 0; k < m->runs[i].rows; k++)
            json_row(w, &m->runs[i], &m->rows[m->runs[i].first + k]);
    ridge_jw_end_array(w);
}

/* ---- reading: what both forms share ---- */

ridge_store_run *ridge_collection_run(ridge_collection *c)
{
    ridge_measurements *m = c->m;
    m->runs = ridge_arena_grow(c->arena, m->runs, m->run_count, &c->run_cap, m->run_count + 1, sizeof *m->runs);
    if (!m->runs)
        return NULL;
    ridge_store_run *run = &m->runs[m->run_count++];
    *run = (ridge_store_run){.id = (int64_t)m->run_count, .first = m->row_count};
    return run;
}

ridge_measured_row *ridge_collection_row(ridge_collection *c)
{
    ridge_measurements *m = c->m;
    m->rows = ridge_arena_grow(c->arena, m->rows, m->row_count, &c->row_cap, m->row_count + 1, sizeof *m->rows);
    if (!m->rows)
        return NULL;
    ridge_measured_row *row = &m->rows[m->row_count++];
    *row = (ridge_measured_row){0};
    return row;
}

ridge_status ridge_collection_check_uuid(const ridge_collection *c, ridge_err *err)
{
    const ridge_store_run *runs = c->m->runs;
    size_t last = c->m->run_count - 1;
    for (size_t i = 0; i < last; i++)
        if (strcmp(runs[i].uuid, runs[last].uuid) == 0)
            return ridge_fail(err, RIDGE_VALUE, "run %s was here before: its rows must stand together", runs[last].uuid);
    return RIDGE_OK;
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

ridge_status ridge_measurements_read(ridge_measurements *out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err)
{
    size_t at = ridge_str_starts(text, RIDGE_STR("\xEF\xBB\xBF")) ? 3 : 0;
    while (at < text.n && strchr(" \t\r\n", text.p[at]) && text.p[at] != '\0')
        at++;
    if (at < text.n && text.p[at] == '{')
        return ridge_measurements_read_json(out, text, file, arena, err);
    return ridge_measurements_read_csv(out, text, file, arena, err);
}
