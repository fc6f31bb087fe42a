#include "measure/store.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "measure/store_parts.h"
#include "measure/store_schema.h"

#if __has_include("ridge_build.h") /* made by meson */
#include "ridge_build.h"
#include "ridge_commit.h"
#endif
#ifndef RIDGE_COMMIT
#define RIDGE_COMMIT "unknown"
#endif
#ifndef RIDGE_BUILD_FLAGS
#define RIDGE_BUILD_FLAGS ""
#endif

enum { UUID_BYTES = 16 };

/* ---- where, when, what ---- */

const char *ridge_store_default_path(ridge_arena *arena)
{
    return ridge_file_user_data("measurements.db", arena);
}

const char *ridge_store_build(void)
{
    return
#ifdef __clang__
        "clang " __clang_version__
#else
        "gcc " __VERSION__
#endif
            RIDGE_BUILD_FLAGS ", commit " RIDGE_COMMIT;
}

bool ridge_store_run_is_cut(const ridge_store_run *run)
{
    return run->interrupted || !run->finished;
}

bool ridge_store_is_date(ridge_str text)
{
    static const char form[] = "dddd-Dd-Dd"
                               "TDd:Dd:DdZ"; /* D: at most 6; months, days and hours are looked at below */
    int numbers[6] = {0};
    size_t at = 0;
    if (text.n != 10 && text.n != sizeof form - 1)
        return false;
    for (size_t i = 0; i < text.n; i++) {
        bool digit = form[i] == 'd' || form[i] == 'D';
        if (digit ? !isdigit((unsigned char)text.p[i]) : text.p[i] != form[i])
            return false;
        if (digit)
            numbers[at] = 10 * numbers[at] + (text.p[i] - '0');
        else
            at = at < 5 ? at + 1 : at;
    }
    return numbers[1] >= 1 && numbers[1] <= 12 && numbers[2] >= 1 && numbers[2] <= 31 && numbers[3] <= 23 && numbers[4] <= 59 &&
           numbers[5] <= 60;
}

void ridge_store_now(char out[RIDGE_STORE_DATE_CHARS])
{
    struct tm tm;
    time_t now = time(NULL);
    if (!gmtime_r(&now, &tm) || strftime(out, RIDGE_STORE_DATE_CHARS, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        (void)snprintf(out, RIDGE_STORE_DATE_CHARS, "1970-01-01T00:00:00Z");
}

static bool make_uuid(char out[2 * UUID_BYTES + 1])
{
    unsigned char bytes[UUID_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < UUID_BYTES; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* ---- opening ---- */

static ridge_status make_folder_of(const char *path, ridge_err *err)
{
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return RIDGE_OK;
    char *folder = strndup(path, (size_t)(slash - path));
    ridge_status st = folder ? ridge_file_make_folders(folder, err) : ridge_no_memory(err);
    free(folder);
    return st;
}

/* a file that cannot be written can be read */
static ridge_status open_file(ridge_sql **sql, const char *path, bool create, ridge_err *err)
{
    ridge_err first = {0};
    ridge_status st = ridge_sql_open(sql, path, create ? RIDGE_SQL_CREATE : RIDGE_SQL_WRITE, &first);
    if (!st)
        st = ridge_store_migrate(*sql, &first);
    if (st == RIDGE_IO && !create && *sql && access(path, R_OK) == 0 && !ridge_sql_was_busy(*sql)) {
        ridge_sql_close(*sql);
        ridge_err_clear(&first);
        if (!(st = ridge_sql_open(sql, path, RIDGE_SQL_READ, &first)))
            st = ridge_store_migrate(*sql, &first);
    }
    return !st ? RIDGE_OK : ridge_fail(err, st, "%s", first.msg);
}

ridge_status ridge_store_open(ridge_store **out, const char *path, bool create, ridge_err *err)
{
    *out = NULL;
    ridge_status st = create ? make_folder_of(path, err) : RIDGE_OK;
    if (st)
        return st;
    ridge_store *store = calloc(1, sizeof *store);
    if (!store)
        return ridge_no_memory(err);
    ridge_arena_init(&store->scratch);
    ridge_arena_init(&store->arena);
    st = ridge_store_columns_make(&store->columns, &store->arena, err);
    if (!st)
        st = open_file(&store->sql, path, create, err);
    if (!st)
        *out = store;
    else
        ridge_store_close(store);
    return st;
}

void ridge_store_close(ridge_store *store)
{
    if (!store)
        return;
    ridge_query_close(&store->insert);
    ridge_query_close(&store->insert_run);
    ridge_query_close(&store->find);
    ridge_sql_close(store->sql);
    ridge_arena_free(&store->scratch);
    ridge_arena_free(&store->arena);
    free(store);
}

/* ---- transactions ---- */

ridge_status ridge_store_transaction(ridge_store *store, ridge_err *err)
{
    return ridge_sql_run(store->sql, "BEGIN IMMEDIATE", err);
}

ridge_status ridge_store_settle(ridge_store *store, ridge_status st, ridge_err *err)
{
    if (!st)
        st = ridge_sql_run(store->sql, "COMMIT", err);
    if (st) {
        (void)ridge_sql_run(store->sql, "ROLLBACK", NULL);
        store->run = 0;
    }
    return st;
}

/* ---- values ---- */

void ridge_store_names(ridge_buf *out, const ridge_record_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        ridge_buf_addf(out, "%s%s", i > 0 ? ", " : "", columns->items[i].key);
}

static void bind_count(ridge_query *query, int at, ridge_int value, const char *text)
{
    if (value >= 0 && value <= INT64_MAX)
        ridge_query_bind_integer(query, at, (int64_t)value);
    else
        ridge_query_bind_text(query, at, value < 0 ? NULL : text);
}

/* text: of the value; "" where it is not known */
static void bind(ridge_query *query, int at, const ridge_record_column *column, const void *row, const char *text)
{
    const void *member = (const char *)row + column->offset + column->field->offset;
    ridge_int count;
    switch (column->field->kind) {
    case RIDGE_RECORD_UNSIGNED:
        ridge_query_bind_integer(query, at, *(const unsigned *)member);
        break;
    case RIDGE_RECORD_COUNT:
        memcpy(&count, member, sizeof count);
        bind_count(query, at, count, text);
        break;
    case RIDGE_RECORD_REAL:
        if (text[0] != '\0')
            ridge_query_bind_double(query, at, *(const double *)member);
        else
            ridge_query_bind_text(query, at, NULL);
        break;
    default:
        ridge_query_bind_text(query, at, text[0] != '\0' ? text : NULL);
    }
}

/* binds all columns to parameters first, first + 1, ...; texts live in the store's scratch */
static ridge_status bind_all(ridge_query *query, int first, ridge_store *store, const ridge_record_columns *columns, const void *row,
                             ridge_err *err)
{
    ridge_buf text = {0};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < columns->count && !st; i++) {
        text.n = 0;
        ridge_record_text(&text, &columns->items[i], row);
        const char *copy = text.failed ? NULL : ridge_arena_strdup(&store->scratch, (ridge_str){text.p, text.n});
        if (!copy)
            st = ridge_no_memory(err);
        else
            bind(query, first + (int)i, &columns->items[i], row, copy);
    }
    ridge_buf_free(&text);
    return st;
}

/* INSERT of all columns, with the number of the run before them in rows */
static ridge_status open_insert(ridge_query *query, ridge_store *store, const char *table, const ridge_record_columns *columns,
                                ridge_err *err)
{
    bool of_run = columns == &store->columns.row;
    ridge_buf text = {0};
    ridge_buf_addf(&text, "INSERT INTO %s (%s", table, of_run ? "run, " : "");
    ridge_store_names(&text, columns);
    ridge_buf_addf(&text, ") VALUES (%s", of_run ? "?, " : "");
    for (size_t i = 0; i < columns->count; i++)
        ridge_buf_addz(&text, i > 0 ? ", ?" : "?");
    ridge_buf_addc(&text, ')');
    ridge_status st = text.failed ? ridge_no_memory(err) : ridge_query_open(query, store->sql, text.p, err);
    ridge_buf_free(&text);
    return st;
}

/* ---- runs ---- */

static ridge_status insert_run(int64_t *run, ridge_store *store, const ridge_store_run *what, ridge_err *err)
{
    const ridge_record_columns *columns = &store->columns.run;
    ridge_store_run checked;
    ridge_query *query = &store->insert_run;
    ridge_status st = ridge_record_copy(&checked, &ridge_store_run_record, columns, what, &store->scratch, err);
    if (!st && !query->statement)
        st = open_insert(query, store, "runs", columns, err);
    if (!st)
        st = bind_all(query, 1, store, columns, &checked, err);
    if (!st)
        st = ridge_query_run(query, err);
    if (!st) {
        *run = store->run = ridge_sql_last_id(store->sql);
        (void)snprintf(store->machine, sizeof store->machine, "%s", checked.machine);
    }
    ridge_arena_free(&store->scratch);
    return st;
}

ridge_status ridge_store_begin(int64_t *run, ridge_store *store, const ridge_store_run *what, ridge_err *err)
{
    char now[RIDGE_STORE_DATE_CHARS], uuid[2 * UUID_BYTES + 1];
    ridge_store_run full = *what;
    ridge_store_now(now);
    if (!make_uuid(uuid))
        return ridge_fail(err, RIDGE_IO, "cannot get random bytes for the name of a run");
    full.uuid = what->uuid ? what->uuid : uuid;
    full.started = what->started ? what->started : now;
    full.ridge = what->ridge ? what->ridge : RIDGE_VERSION;
    full.build = what->build ? what->build : ridge_store_build();
    return insert_run(run, store, &full, err);
}

/* store->run and its machine */
static ridge_status choose_run(ridge_store *store, int64_t run, ridge_err *err)
{
    bool found = false;
    ridge_query query;
    if (store->run == run && run > 0)
        return RIDGE_OK;
    ridge_status st = ridge_query_open(&query, store->sql, "SELECT machine FROM runs WHERE id = ?", err);
    if (st)
        return st;
    ridge_query_bind_integer(&query, 1, run);
    st = ridge_query_step(&found, &query, err);
    if (!st && found) {
        (void)snprintf(store->machine, sizeof store->machine, "%.*s", RIDGE_STR_ARG(ridge_query_text(&query, 0)));
        store->run = run;
        st = query.failed ? ridge_no_memory(err) : RIDGE_OK;
    } else if (!st) {
        st = ridge_fail(err, RIDGE_NAME, "%s has no run %lld", ridge_sql_path(store->sql), (long long)run);
    }
    ridge_query_close(&query);
    return st;
}

ridge_status ridge_store_need_run(ridge_store *store, int64_t run, ridge_err *err)
{
    store->run = 0;
    return choose_run(store, run, err);
}

static ridge_status check_row(const ridge_store *store, const ridge_measured_row *row, ridge_err *err)
{
    if (row->machine && strcmp(row->machine, store->machine) != 0)
        return ridge_fail(err, RIDGE_VALUE, "a row of machine %s cannot join run %lld, which is of machine %s", row->machine,
                          (long long)store->run, store->machine);
    return ridge_row_check(row, err);
}

ridge_status ridge_store_add(ridge_store *store, int64_t run, const ridge_measured_row *row, ridge_err *err)
{
    const ridge_record_columns *columns = &store->columns.row;
    ridge_measured_row checked;
    ridge_status st = choose_run(store, run, err);
    if (!st)
        st = check_row(store, row, err);
    if (!st)
        st = ridge_record_copy(&checked, &ridge_measured_record, columns, row, &store->scratch, err);
    if (!st && !store->insert.statement)
        st = open_insert(&store->insert, store, "rows", columns, err);
    if (!st) {
        ridge_query_bind_integer(&store->insert, 1, run);
        st = bind_all(&store->insert, 2, store, columns, &checked, err);
    }
    if (!st)
        st = ridge_query_run(&store->insert, err);
    if (st)
        store->run = 0;
    ridge_arena_free(&store->scratch);
    return st;
}

static ridge_status finish(ridge_store *store, int64_t run, ridge_err *err)
{
    char now[RIDGE_STORE_DATE_CHARS];
    ridge_query query;
    ridge_store_now(now);
    ridge_status st = choose_run(store, run, err);
    if (!st)
        st = ridge_query_open(&query, store->sql, "UPDATE runs SET finished = ? WHERE id = ?", err);
    if (st)
        return st;
    ridge_query_bind_text(&query, 1, now);
    ridge_query_bind_integer(&query, 2, run);
    st = ridge_query_run(&query, err);
    ridge_query_close(&query);
    return st;
}

/* Rows are committed without waiting for the disk, which would disturb what is measured next; the end of the run waits for all. */
ridge_status ridge_store_end(ridge_store *store, int64_t run, ridge_err *err)
{
    ridge_status st = ridge_sql_run(store->sql, "PRAGMA synchronous = FULL", err);
    if (!st)
        st = finish(store, run, err);
    (void)ridge_sql_run(store->sql, "PRAGMA synchronous = NORMAL", NULL);
    return st;
}

ridge_status ridge_store_record(int64_t *run, const char *path, const ridge_store_run *what, const ridge_measured_row *rows, size_t count,
                                ridge_err *err)
{
    ridge_arena arena;
    ridge_store *store = NULL;
    ridge_arena_init(&arena);
    const char *file = path ? path : ridge_store_default_path(&arena);
    ridge_status st = file           ? ridge_store_open(&store, file, true, err)
                      : arena.failed ? ridge_no_memory(err)
                                     : ridge_fail(err, RIDGE_IO, "no place for measurements: neither XDG_DATA_HOME nor HOME is set");
    if (!st && !(st = ridge_sql_run(store->sql, "PRAGMA synchronous = FULL", err)) && !(st = ridge_store_transaction(store, err))) {
        st = ridge_store_begin(run, store, what, err);
        for (size_t i = 0; i < count && !st; i++)
            st = ridge_store_add(store, *run, &rows[i], err);
        if (!st)
            st = finish(store, *run, err);
        st = ridge_store_settle(store, st, err);
    }
    ridge_store_close(store);
    ridge_arena_free(&arena);
    return st;
}

/* ---- deleting ---- */

/* VALUE: a baseline is this run */
static ridge_status check_baselines(ridge_store *store, int64_t run, ridge_err *err)
{
    bool found = false;
    ridge_query query;
    ridge_status st = ridge_query_open(&query, store->sql, "SELECT name FROM baselines WHERE run = ? ORDER BY name", err);
    if (st)
        return st;
    ridge_query_bind_integer(&query, 1, run);
    st = ridge_query_step(&found, &query, err);
    if (!st && found)
        st = ridge_fail(err, RIDGE_VALUE, "run %lld is the baseline '%.*s': delete that first", (long long)run,
                        RIDGE_STR_ARG(ridge_query_text(&query, 0)));
    ridge_query_close(&query);
    return st;
}

static ridge_status delete_run(ridge_store *store, int64_t run, ridge_err *err)
{
    ridge_query query;
    ridge_status st = ridge_store_need_run(store, run, err);
    if (!st)
        st = check_baselines(store, run, err);
    if (!st)
        st = ridge_query_open(&query, store->sql, "DELETE FROM runs WHERE id = ?", err);
    if (st)
        return st;
    ridge_query_bind_integer(&query, 1, run);
    st = ridge_query_run(&query, err);
    ridge_query_close(&query);
    store->run = 0;
    return st;
}

ridge_status ridge_store_delete(ridge_store *store, const int64_t *runs, size_t count, ridge_err *err)
{
    ridge_status st = ridge_store_transaction(store, err);
    if (st)
        return st;
    for (size_t i = 0; i < count && !st; i++)
        st = delete_run(store, runs[i], err);
    return ridge_store_settle(store, st, err);
}

/* ---- merging ---- */

static ridge_status is_known(bool *known, ridge_store *store, const char *uuid, ridge_err *err)
{
    ridge_query *query = &store->find;
    ridge_status st = query->statement ? RIDGE_OK : ridge_query_open(query, store->sql, "SELECT 1 FROM runs WHERE uuid = ?", err);
    if (st)
        return st;
    ridge_query_bind_text(query, 1, uuid);
    st = ridge_query_step(known, query, err);
    ridge_query_reset(query);
    return st;
}

static ridge_status merge_run(size_t *added, size_t *known, ridge_store *store, const ridge_measurements *from, const ridge_store_run *run,
                              ridge_err *err)
{
    bool is_there = false;
    int64_t id;
    ridge_status st = is_known(&is_there, store, run->uuid, err);
    if (!st && is_there) {
        ++*known;
        return RIDGE_OK;
    }
    if (!st)
        st = insert_run(&id, store, run, err);
    for (size_t i = 0; i < run->rows && !st; i++)
        st = ridge_store_add(store, id, &from->rows[run->first + i], err);
    *added += st == RIDGE_OK;
    return st;
}

ridge_status ridge_store_merge(size_t *added, size_t *known, ridge_store *store, const ridge_measurements *from, size_t count,
                               ridge_err *err)
{
    *added = *known = 0;
    ridge_status st = ridge_store_transaction(store, err);
    if (st)
        return st;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < from[i].run_count && !st; k++)
            st = merge_run(added, known, store, &from[i], &from[i].runs[k], err);
    return ridge_store_settle(store, st, err);
}

/* Into a file that is not there yet: made in memory, then put in its place in one piece. *there: somebody was faster. UNKNOWN: this SQLite
 * cannot. */
static ridge_status merge_into_new(bool *there, size_t *added, size_t *known, const char *path, const ridge_measurements *from,
                                   size_t count, ridge_err *err)
{
    ridge_store *store = NULL;
    ridge_buf image = {0};
    ridge_status st = ridge_store_open(&store, ":memory:", true, err);
    if (!st)
        st = ridge_store_merge(added, known, store, from, count, err);
    if (!st)
        st = ridge_sql_image(&image, store->sql, err);
    if (!st && !(st = make_folder_of(path, err)))
        st = ridge_file_write_new(there, path, (ridge_str){image.p, image.n}, err);
    ridge_buf_free(&image);
    ridge_store_close(store);
    return st;
}

ridge_status ridge_store_import(size_t *added, size_t *known, const char *path, const ridge_measurements *from, size_t count,
                                ridge_err *err)
{
    ridge_store *store = NULL;
    ridge_err first = {0};
    bool there = true;
    ridge_status st = ridge_file_exists(path) ? RIDGE_OK : merge_into_new(&there, added, known, path, from, count, &first);
    if (st && st != RIDGE_UNKNOWN)
        return ridge_fail(err, st, "%s", first.msg);
    if (!st && !there)
        return RIDGE_OK;
    st = ridge_store_open(&store, path, true, err);
    if (!st)
        st = ridge_store_merge(added, known, store, from, count, err);
    ridge_store_close(store);
    return st;
}
