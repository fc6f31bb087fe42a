/* store_sql.h - SQLite, opened when it is needed: what the store does with it, and nothing else knows it.
 * In: a path, SQL. Out: a connection and queries, owned by the caller; texts of a result live until the next step.
 * Fails with the path and SQLite's reason: IO (cannot open, read-only, full, held by others for WAIT_MS), SYNTAX (not a database),
 * VALUE (a constraint), LIMIT (too many steps), UNKNOWN (built without SQLite's headers, or libsqlite3.so.0 is not there). */
#ifndef RIDGE_MEASURE_STORE_SQL_H
#define RIDGE_MEASURE_STORE_SQL_H

#include "base/arena.h"
#include "base/err.h"

typedef struct ridge_sql ridge_sql;
typedef struct ridge_query {
    ridge_sql *sql;
    void *statement; /* NULL: not open */
    bool failed;     /* a value could not be bound, or read for want of memory */
} ridge_query;

/* How it is opened. READ: as it lies on a medium that cannot be written, where SQLite has no place for its index of the write-ahead log;
 * refused where such a log holds more than the file. */
typedef enum ridge_sql_mode { RIDGE_SQL_WRITE, RIDGE_SQL_CREATE, RIDGE_SQL_READ } ridge_sql_mode;
ridge_status ridge_sql_open(ridge_sql **out, const char *path, ridge_sql_mode mode, ridge_err *err);
void ridge_sql_close(ridge_sql *sql); /* NULL is fine; queries are closed before */
/* How many steps of SQLite's virtual machine all statements of it may take together before they end with LIMIT; many, unless given. A file
 * may be made so that a query has no end. */
void ridge_sql_limit(ridge_sql *sql, int64_t steps);
const char *ridge_sql_path(const ridge_sql *sql);
/* the last failure was another process's lock */
bool ridge_sql_was_busy(const ridge_sql *sql);
/* The whole database as a file has it. UNKNOWN where this SQLite cannot tell. */
ridge_status ridge_sql_image(ridge_buf *out, ridge_sql *sql, ridge_err *err);
/* number of the row that was inserted last */
int64_t ridge_sql_last_id(const ridge_sql *sql);
/* rows that the last statement inserted, changed or deleted */
int64_t ridge_sql_changes(const ridge_sql *sql);
/* statements whose rows are not wanted */
ridge_status ridge_sql_run(ridge_sql *sql, const char *text, ridge_err *err);
/* the one integer that a query answers */
ridge_status ridge_sql_integer(int64_t *out, ridge_sql *sql, const char *text, ridge_err *err);

ridge_status ridge_query_open(ridge_query *query, ridge_sql *sql, const char *text, ridge_err *err);
void ridge_query_close(ridge_query *query);
/* ready to be bound and stepped again */
void ridge_query_reset(ridge_query *query);
/* Parameters count from 1. Texts are not copied: they live until the next reset. NULL binds NULL. */
void ridge_query_bind_text(ridge_query *query, int at, const char *text);
void ridge_query_bind_integer(ridge_query *query, int at, int64_t value);
void ridge_query_bind_double(ridge_query *query, int at, double value);
/* *row: there is one */
ridge_status ridge_query_step(bool *row, ridge_query *query, ridge_err *err);
/* steps a statement that answers nothing, and resets it */
ridge_status ridge_query_run(ridge_query *query, ridge_err *err);
/* Columns count from 0. Integers have a text too; NULL is "" with p == NULL. */
ridge_str ridge_query_text(ridge_query *query, int column);
int64_t ridge_query_integer(ridge_query *query, int column);
double ridge_query_double(ridge_query *query, int column);

#endif
