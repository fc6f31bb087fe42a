/* store_schema.h - the tables of a store, and how an older file becomes a current one.
 * In: an open file. Out: the same, with all tables; a new file gets WAL, so that readers and a writer do not wait for each other.
 * VALUE: another program's file, a newer schema; errors of store_sql.h. */
#ifndef RIDGE_MEASURE_STORE_SCHEMA_H
#define RIDGE_MEASURE_STORE_SCHEMA_H

#include "measure/store_sql.h"

ridge_status ridge_store_migrate(ridge_sql *sql, ridge_err *err);

#endif
