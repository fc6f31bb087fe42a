/* store_fields.h - what a run and a row are made of in the store: their records (report/record.h) are columns of SQL and CSV and members of
 * JSON, so that the three never differ. Rows: ridge_measured_record (measure/row.h).
 * In: records. Out: their columns, in the arena. Fails with NOMEM, VALUE. */
#ifndef RIDGE_MEASURE_STORE_FIELDS_H
#define RIDGE_MEASURE_STORE_FIELDS_H

#include "measure/store.h"
#include "report/record_read.h"

/* what of a run travels from one file to another; the same with its number here and its number of rows */
extern const ridge_record ridge_store_run_record, ridge_stored_run_record;

typedef struct ridge_store_columns {
    ridge_record_columns run, row;
} ridge_store_columns;
ridge_status ridge_store_columns_make(ridge_store_columns *out, ridge_arena *arena, ridge_err *err);

/* VALUE where the median is not in its own interval */
ridge_status ridge_row_check(const ridge_measured_row *row, ridge_err *err);

#endif
