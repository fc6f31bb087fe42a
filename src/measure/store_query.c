/* Reading a store: runs by filter, newest first, each with its rows, until there are enough; then in order. */
#include "measure/store_parts.h"

#include <math.h>

typedef struct store_reading {
    ridge_store *store;
    const ridge_store_filter *filter;
    ridge_arena *arena;
    ridge_err *err;
    ridge_query runs, rows, count;
    ridge_measurements found; /* newest run first */
    size_t run_cap, row_cap;
} store_reading;

/* columns of a result from 1 on; a value that no ridge would write is an error */
static ridge_status read_fields(store_reading *r, void *row, ridge_query *query, const ridge_record_columns *columns, const char *table)
{
    for (size_t i = 0; i < columns->count; i++) {
        const ridge_record_column *column = &columns->items[i];
        const char *reason = "out of memory";
        int place = 1 + (int)i;
        /* text of a double would lose digits */
        if (column->field->kind == RIDGE_RECORD_REAL) {
            bool known = ridge_query_text(query, place).p;
            double value = known ? ridge_query_double(query, place) : RIDGE_MEASURE_UNKNOWN;
            if (query->failed)
                return ridge_no_memory(r->err);
            if (!(isfinite(value) && (value >= 0 || !known)) || (!known && column->field->rule && column->field->rule->needed))
                return ridge_fail(r->err, RIDGE_VALUE, "%s: %s.%s of %s %lld: wanted a number of at least 0", ridge_sql_path(r->store->sql),
                                  table, column->key, table, (long long)ridge_query_integer(query, 0));
            memcpy((char *)row + column->offset + column->field->offset, &value, sizeof value);
            continue;
        }
        const ridge_str text = ridge_query_text(query, place);
        if (query->failed)
            return ridge_no_memory(r->err);
        ridge_status st = ridge_record_set(row, column, text, &reason, r->arena);
        if (st)
            return ridge_fail(r->err, st, "%s: %s.%s of %s %lld: %s", ridge_sql_path(r->store->sql), table, column->key, table,
                              (long long)ridge_query_integer(query, 0), reason);
    }
    return RIDGE_OK;
}

static bool filters_rows(const ridge_store_filter *f)
{
    return f->kernel || f->format || f->sizes.count > 0;
}

static ridge_status open_statement(store_reading *r, ridge_query *query, const ridge_record_columns *columns, const char *after)
{
    ridge_buf text = {0};
    ridge_buf_addz(&text, "SELECT id, ");
    ridge_store_names(&text, columns);
    ridge_buf_addz(&text, after);
    ridge_status st = text.failed ? ridge_no_memory(r->err) : ridge_query_open(query, r->store->sql, text.p, r->err);
    ridge_buf_free(&text);
    return st;
}

static ridge_status open_queries(store_reading *r)
{
    const ridge_store_filter *f = r->filter;
    const ridge_store_columns *columns = &r->store->columns;
    ridge_status st = open_statement(r, &r->runs, &columns->run,
                                     " FROM runs WHERE (?1 = 0 OR id = ?1) AND (?2 IS NULL OR substr(machine, 1, length(?2)) = ?2)"
                                     " AND (?3 IS NULL OR started >= ?3) AND (?4 = 0 OR finished IS NOT NULL AND interrupted = 'false')"
                                     " ORDER BY started DESC, id DESC");
    if (!st)
        st = open_statement(r, &r->rows, &columns->row,
                            " FROM rows WHERE run = ?1 AND (?2 IS NULL OR kernel = ?2) AND (?3 IS NULL OR format = ?3) ORDER BY id");
    if (st)
        return st;
    ridge_query_bind_integer(&r->runs, 1, f->run);
    ridge_query_bind_text(&r->runs, 2, f->machine);
    ridge_query_bind_text(&r->runs, 3, f->since);
    ridge_query_bind_integer(&r->runs, 4, f->finished);
    return ridge_query_open(&r->count, r->store->sql, "SELECT count(*) FROM rows WHERE run = ?", r->err);
}

/* {"n": 14336, "k": 4096} has "n=14336" */
static bool has_size(const char *shape, const char *wanted)
{
    const char *equals = strchr(wanted, '=');
    size_t name_n = equals ? (size_t)(equals - wanted) : 0, value_n = equals ? strlen(equals + 1) : 0;
    for (const char *p = shape; name_n > 0 && (p = strchr(p, '"')); p++) {
        if (strncmp(p + 1, wanted, name_n) != 0 || strncmp(p + 1 + name_n, "\": ", 3) != 0)
            continue;
        const char *value = p + name_n + 4;
        value += value[0] == '"';
        if (strncmp(value, equals + 1, value_n) == 0 && strchr(",}\"", value[value_n]) && value[value_n] != '\0')
            return true;
    }
    return false;
}

static bool has_sizes(const ridge_store_filter *f, const char *shape)
{
    for (size_t i = 0; i < f->sizes.count; i++)
        if (!has_size(shape, f->sizes.items[i]))
            return false;
    return true;
}

static ridge_status count_rows(store_reading *r, ridge_store_run *run)
{
    bool found = false;
    ridge_query_bind_integer(&r->count, 1, run->id);
    ridge_status st = ridge_query_step(&found, &r->count, r->err);
    if (!st && found)
        run->row_count = (size_t)ridge_query_integer(&r->count, 0);
    ridge_query_reset(&r->count);
    return st;
}

static ridge_status read_rows(store_reading *r, ridge_store_run *run)
{
    ridge_measurements *found = &r->found;
    bool more = true;
    ridge_query_bind_integer(&r->rows, 1, run->id);
    ridge_query_bind_text(&r->rows, 2, r->filter->kernel);
    ridge_query_bind_text(&r->rows, 3, r->filter->format);
    run->first = found->row_count;
    for (;;) {
        ridge_status st = ridge_query_step(&more, &r->rows, r->err);
        if (st || !more) {
            run->rows = found->row_count - run->first;
            ridge_query_reset(&r->rows);
            return st;
        }
        if (!ridge_arena_more(r->arena, &found->rows, found->row_count, &r->row_cap, sizeof *found->rows))
            return ridge_no_memory(r->err);
        ridge_measured_row *row = &found->rows[found->row_count];
        memset(row, 0, sizeof *row);
        if ((st = read_fields(r, row, &r->rows, &r->store->columns.row, "rows")))
            return st;
        if (ridge_row_check(row, r->err))
            return RIDGE_VALUE;
        row->run = run->id;
        row->machine = run->machine;
        found->row_count += has_sizes(r->filter, row->shape);
    }
}

/* one run of r->runs; *kept: it has rows as wanted */
static ridge_status read_run(store_reading *r, bool *kept)
{
    ridge_measurements *found = &r->found;
    if (!ridge_arena_more(r->arena, &found->runs, found->run_count, &r->run_cap, sizeof *found->runs))
        return ridge_no_memory(r->err);
    ridge_store_run *run = &found->runs[found->run_count];
    *run = (ridge_store_run){.id = ridge_query_integer(&r->runs, 0)};
    ridge_status st = read_fields(r, run, &r->runs, &r->store->columns.run, "runs");
    if (st)
        return st;
    st = count_rows(r, run);
    if (!st && (filters_rows(r->filter) || !r->filter->runs_only))
        st = read_rows(r, run);
    *kept = run->rows > 0 || !filters_rows(r->filter);
    return st;
}

static ridge_status read_runs(store_reading *r)
{
    bool more = true, kept = false;
    while (r->filter->last <= 0 || r->found.run_count < (size_t)r->filter->last) {
        ridge_status st = ridge_query_step(&more, &r->runs, r->err);
        if (st || !more)
            return st;
        if ((st = read_run(r, &kept)))
            return st;
        r->found.run_count += kept;
    }
    return RIDGE_OK;
}

/* oldest run first */
static ridge_status put_in_order(ridge_measurements *out, store_reading *r)
{
    const ridge_measurements *found = &r->found;
    *out = (ridge_measurements){.run_count = found->run_count};
    out->runs = ridge_arena_array(r->arena, found->run_count + 1, sizeof *out->runs);
    out->rows = ridge_arena_array(r->arena, found->row_count + 1, sizeof *out->rows);
    if (!out->runs || !out->rows)
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < found->run_count; i++) {
        ridge_store_run *run = &out->runs[i];
        *run = found->runs[found->run_count - 1 - i];
        if (r->filter->runs_only)
            run->rows = 0;
        if (run->rows > 0)
            memcpy(out->rows + out->row_count, found->rows + run->first, run->rows * sizeof *out->rows);
        run->first = out->row_count;
        out->row_count += run->rows;
    }
    return RIDGE_OK;
}

ridge_status ridge_store_query(ridge_measurements *out, ridge_store *store, const ridge_store_filter *filter, ridge_arena *arena,
                               ridge_err *err)
{
    ridge_err first = {0};
    store_reading r = {.store = store, .filter = filter, .arena = arena, .err = &first};
    ridge_status st = ridge_sql_run(store->sql, "BEGIN", &first); /* runs and rows of one moment */
    if (!st && !(st = open_queries(&r)) && !(st = read_runs(&r)))
        st = put_in_order(out, &r);
    ridge_query_close(&r.runs);
    ridge_query_close(&r.rows);
    ridge_query_close(&r.count);
    const ridge_status ended = ridge_sql_run(store->sql, "COMMIT", &first); /* the first cause is kept */
    st = st ? st : ended;
    return !st ? RIDGE_OK : ridge_fail(err, first.code, "%s", first.msg);
}

ridge_status ridge_store_check_name(ridge_store *store, const char *column, const char *name, ridge_err *err)
{
    ridge_nearest nearest = {0};
    ridge_arena arena;
    ridge_query query;
    bool more = true, any = false;
    const char *text =
        strcmp(column, "kernel") == 0 ? "SELECT DISTINCT kernel FROM rows ORDER BY 1" : "SELECT DISTINCT format FROM rows ORDER BY 1";
    ridge_status st = ridge_query_open(&query, store->sql, text, err);
    ridge_arena_init(&arena);
    while (!st && !(st = ridge_query_step(&more, &query, err)) && more) {
        const char *known = ridge_arena_strdup(&arena, ridge_query_text(&query, 0));
        if (!known)
            st = ridge_no_memory(err);
        else if (strcmp(known, name) == 0)
            goto done;
        else
            ridge_nearest_offer(&nearest, ridge_str_of(name), known);
        any = true;
    }
    if (!st && any)
        st = ridge_fail(err, RIDGE_NAME, "no measurement has the %s '%s'%s%s%s", column, name, RIDGE_MEANT(nearest.best));
done:
    ridge_query_close(&query);
    ridge_arena_free(&arena);
    return st;
}
