/* history.h - stored measurements for people.
 * In: runs and rows (measure/store.h). Out: tables as text, CSV or Markdown, what is known of a run, appended to a buffer; NOMEM otherwise.
 * As JSON and whole as CSV: measure/store_text.h. */
#ifndef RIDGE_BENCH_HISTORY_H
#define RIDGE_BENCH_HISTORY_H

#include "measure/store.h"
#include "report/record.h"

/* one line a run: of ridge_store_run */
extern const ridge_record ridge_history_run_record;
/* one line a row; text and Markdown */
ridge_status ridge_history_rows(ridge_buf *out, const ridge_measurements *m, ridge_form form, int width, ridge_arena *arena,
                                ridge_err *err);
/* what is known about each run, its rows below */
ridge_status ridge_history_show(ridge_buf *out, const ridge_measurements *m, int width, ridge_arena *arena, ridge_err *err);

#endif
