/* store_parts.h - what the files of the store share. */
#ifndef RIDGE_MEASURE_STORE_PARTS_H
#define RIDGE_MEASURE_STORE_PARTS_H

#include "measure/store_fields.h"
#include "measure/store_sql.h"

struct ridge_store {
    ridge_sql *sql;
    /* opened by the first that needs it: a row into rows, a run into runs, a run by its uuid */
    ridge_query insert, insert_run, find;
    ridge_arena scratch; /* emptied row by row */
    ridge_arena arena;   /* of the columns */
    ridge_store_columns columns;
    int64_t run;      /* the run that rows were last added to ... */
    char machine[17]; /* ... and its machine */
};

/* "uuid, started, ..." */
void ridge_store_names(ridge_buf *out, const ridge_record_columns *columns);
/* BEGIN IMMEDIATE; then COMMIT where status is OK, else ROLLBACK, and status again */
ridge_status ridge_store_transaction(ridge_store *store, ridge_err *err);
ridge_status ridge_store_settle(ridge_store *store, ridge_status status, ridge_err *err);
/* NAME where there is no such run */
ridge_status ridge_store_need_run(ridge_store *store, int64_t run, ridge_err *err);

#endif
