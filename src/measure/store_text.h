/* store_text.h - measurements as a file that another ridge reads: CSV, JSON, and back.
 * In: runs and rows. Out: CSV with one line a row, the run's columns first; or JSON by a record.
 * Reading is strict: every column, every key, every value; a run whose rows are not all there is refused. Errors: SYNTAX, TYPE, NAME,
 * VALUE with file, line, column and excerpt. Results live in the arena; nothing points into the text. */
#ifndef RIDGE_MEASURE_STORE_TEXT_H
#define RIDGE_MEASURE_STORE_TEXT_H

#include "base/json.h"
#include "measure/store.h"
#include "report/record_read.h"

/* a run without rows is a line whose row columns are empty */
void ridge_measurements_csv(ridge_buf *out, const ridge_measurements *m);
/* of ridge_measurements: {"runs": [..], "rows": [..]}; without rows */
extern const ridge_record ridge_measurements_record, ridge_runs_record;

/* what begins with '{' or '[' */
bool ridge_measurements_is_json(ridge_str text);
/* Either form. Runs are numbered 1, 2, ... */
ridge_status ridge_measurements_read(ridge_measurements *out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err);
ridge_status ridge_measurements_read_csv(ridge_measurements *out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err);
ridge_status ridge_measurements_read_json(ridge_measurements *out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err);
/* of JSON that is parsed */
ridge_status ridge_measurements_read_root(ridge_measurements *out, const ridge_json *root, const ridge_record_source *source);

/* ---- for the readers: measurements that grow ---- */
typedef struct ridge_collection {
    ridge_measurements *m;
    size_t run_cap, row_cap;
    ridge_arena *arena;
    void *uuids; /* of the runs so far, a tree of search.h */
} ridge_collection;
/* a new last run or row of the last run, all zero; NULL when memory runs out */
ridge_store_run *ridge_collection_run(ridge_collection *c);
ridge_measured_row *ridge_collection_row(ridge_collection *c);
/* VALUE where a run of this uuid stands before the last one */
ridge_status ridge_collection_check_uuid(ridge_collection *c, ridge_err *err);
void ridge_collection_end(ridge_collection *c);
/* VALUE where the last run has not as many rows as it says */
ridge_status ridge_collection_check_count(const ridge_collection *c, ridge_err *err);

#endif
