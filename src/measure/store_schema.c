/* user_version counts the migrations a file has seen; application_id says whose it is. A column is never given another meaning:
 * a change is one more migration. docs/history.md lists the columns. */
#include "measure/store_schema.h"

#include <time.h>

enum { APPLICATION_ID = 0x52494447 /* "RIDG" */, WAIT_S = 10, RETRY_NS = 20 * 1000 * 1000 };

/* flops and bytes have no type: beyond 64 bits they are decimal text */
static const char *const migrations[] = {
    "CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, started TEXT NOT NULL, finished TEXT,"
    " ridge TEXT NOT NULL, build TEXT NOT NULL, machine TEXT NOT NULL, machine_text TEXT NOT NULL, command TEXT, settings TEXT NOT NULL);"
    "CREATE TABLE rows (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,"
    " kernel TEXT NOT NULL, variant TEXT NOT NULL, provider TEXT NOT NULL, shape TEXT NOT NULL, format TEXT NOT NULL, activations TEXT,"
    " threads INTEGER NOT NULL, cache TEXT NOT NULL, time_median_s REAL NOT NULL, time_low_s REAL NOT NULL, time_high_s REAL NOT NULL,"
    " mad_s REAL NOT NULL, minimum_s REAL NOT NULL, kept INTEGER NOT NULL, tried INTEGER NOT NULL, calls_per_sample INTEGER NOT NULL,"
    " stopped TEXT NOT NULL, flops, bytes, flops_per_s REAL, bytes_per_s REAL, percent_of_ceiling REAL, predicted_s REAL, error REAL,"
    " bound TEXT, max_relative_error REAL, beats_roofline TEXT NOT NULL);"
    "CREATE INDEX rows_of_run ON rows (run);",

    "CREATE TABLE baselines (name TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (id), made TEXT NOT NULL);",

    "ALTER TABLE runs ADD COLUMN interrupted TEXT NOT NULL DEFAULT 'false';",
};
enum { SCHEMA = sizeof migrations / sizeof *migrations };

/* *version of the file; a file that is not ours is refused */
static ridge_status read_version(int64_t *version, ridge_sql *sql, ridge_err *err)
{
    int64_t id, tables;
    ridge_status st = ridge_sql_integer(&id, sql, "PRAGMA application_id", err);
    if (!st)
        st = ridge_sql_integer(version, sql, "PRAGMA user_version", err);
    if (!st)
        st = ridge_sql_integer(&tables, sql, "SELECT count(*) FROM sqlite_master", err);
    if (st)
        return st;
    if (id != APPLICATION_ID && (id != 0 || *version != 0 || tables != 0))
        return ridge_fail(err, RIDGE_VALUE, "%s is a database of another program, not of Ridge's measurements", ridge_sql_path(sql));
    if (*version < 0 || *version > SCHEMA)
        return ridge_fail(err, RIDGE_VALUE, "%s was written by a newer ridge: it has schema %lld, this ridge knows schemas up to %d",
                          ridge_sql_path(sql), (long long)*version, (int)SCHEMA);
    return RIDGE_OK;
}

/* Rows come from tables, and nothing runs when they are written: a view could be a query without an end. */
static ridge_status check_tables(ridge_sql *sql, int64_t version, ridge_err *err)
{
    ridge_query query;
    bool found = false;
    int64_t tables = 0;
    ridge_status st = ridge_query_open(&query, sql,
                                       "SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger') OR"
                                       " (type = 'table' AND sql NOT LIKE 'CREATE TABLE%') LIMIT 1",
                                       err);
    if (!st && !(st = ridge_query_step(&found, &query, err)) && found) {
        const ridge_str type = ridge_query_text(&query, 0), name = ridge_query_text(&query, 1);
        st = query.failed
                 ? ridge_no_memory(err)
                 : ridge_fail(err, RIDGE_VALUE, "%s is no store of Ridge's measurements: it has a %.20s '%.60s', which Ridge does not make",
                              ridge_sql_path(sql), type.p ? type.p : "", name.p ? name.p : "");
    }
    ridge_query_close(&query);
    if (!st)
        st = ridge_sql_integer(&tables, sql,
                               "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('runs', 'rows', 'baselines')", err);
    if (!st && tables < (version > 1 ? 3 : 2))
        st = ridge_fail(err, RIDGE_VALUE, "%s is no store of Ridge's measurements: tables are missing", ridge_sql_path(sql));
    return st;
}

/* inside the transaction, since another process may have been faster */
static ridge_status apply(ridge_sql *sql, ridge_err *err)
{
    int64_t version;
    ridge_buf text = {0};
    ridge_status st = read_version(&version, sql, err);
    for (int64_t v = version; v < SCHEMA && !st; v++)
        st = ridge_sql_run(sql, migrations[v], err);
    ridge_buf_addf(&text, "PRAGMA application_id = %d; PRAGMA user_version = %d", (int)APPLICATION_ID, (int)SCHEMA);
    if (!st && text.failed)
        st = ridge_no_memory(err);
    if (!st && version < SCHEMA)
        st = ridge_sql_run(sql, text.p, err);
    ridge_buf_free(&text);
    return st;
}

/* read_version looks three times, and another process may make the schema in between: a verdict counts that a second look confirms */
static ridge_status look_at_version(int64_t *version, ridge_sql *sql, ridge_err *err)
{
    ridge_err first = {0};
    ridge_status st = read_version(version, sql, &first);
    if (st != RIDGE_VALUE)
        return !st ? RIDGE_OK : ridge_fail(err, st, "%s", first.msg);
    (void)nanosleep(&(struct timespec){0, RETRY_NS}, NULL);
    return read_version(version, sql, err);
}

static ridge_status migrate(ridge_sql *sql, ridge_err *err)
{
    int64_t version;
    ridge_status st = ridge_sql_run(sql, "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL", err);
    if (!st)
        st = look_at_version(&version, sql, err);
    if (!st && version > 0)
        st = check_tables(sql, version, err);
    if (st || version == SCHEMA)
        return st;
    if (version == 0 && (st = ridge_sql_run(sql, "PRAGMA journal_mode = WAL", err)))
        return st;
    if ((st = ridge_sql_run(sql, "BEGIN IMMEDIATE", err)))
        return st;
    if (!(st = apply(sql, err)))
        st = ridge_sql_run(sql, "COMMIT", err);
    if (st)
        (void)ridge_sql_run(sql, "ROLLBACK", NULL);
    return st;
}

/* Two processes that make a file at once can meet where SQLite does not wait: the switch to WAL. */
ridge_status ridge_store_migrate(ridge_sql *sql, ridge_err *err)
{
    ridge_err first = {0};
    time_t deadline = time(NULL) + WAIT_S;
    ridge_status st = migrate(sql, &first);
    while (st == RIDGE_IO && ridge_sql_was_busy(sql) && time(NULL) < deadline) {
        (void)nanosleep(&(struct timespec){0, RETRY_NS}, NULL);
        ridge_err_clear(&first);
        st = migrate(sql, &first);
    }
    return !st ? RIDGE_OK : ridge_fail(err, st, "%s", first.msg);
}
