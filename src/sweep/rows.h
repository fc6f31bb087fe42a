/* rows.h - a sweep's points as rows (INTERFACE: `ridge sweep`), and what they come to: `--summary`.
 * In: blocks, on several threads at once. Out: text appended to the caller's buffers; the summary owns its points.
 * Fails when memory runs out (the buffers say so; ridge_sweep_summary.failed). */
#ifndef RIDGE_SWEEP_ROWS_H
#define RIDGE_SWEEP_ROWS_H

#include "sweep/sweep.h"
#include "base/json.h"
#include "report/table.h"

/* the header line */
void ridge_sweep_csv_head(ridge_buf *out);
/* the last column, whether the point is on a Pareto front, is not known while rows stream: empty */
void ridge_sweep_csv(ridge_buf *out, const ridge_sweep_block *block);
/* one object a line, each after a comma except the first point of the sweep */
void ridge_sweep_json(ridge_buf *out, const ridge_sweep_block *block);
/* the members of such an object from "phase" to "fits" */
void ridge_sweep_json_members(ridge_json_writer *w, ridge_phase phase, const char *const formats[3], const ridge_sweep_point *point);

/* a point with what its block knows */
typedef struct ridge_sweep_entry {
    int64_t index; /* in the sweep; of equal ones the first counts */
    size_t machine;
    ridge_phase phase;
    const char *weights, *activations, *kv;
    ridge_sweep_point point;
} ridge_sweep_entry;

/* for people: a line of what all entries share, then a table of the rest; in Markdown the table alone, with every column that varies */
ridge_status ridge_sweep_table(ridge_buf *out, const ridge_sweep *sweep, const ridge_sweep_entry *entries, size_t n,
                               ridge_table_style style, int width, ridge_err *err);

/* ---- summary ---- */

/* of the points that fit, of one machine and phase; index < 0: none fits */
typedef struct ridge_sweep_best {
    ridge_sweep_entry fastest, shortest; /* most tokens per second, least time */
} ridge_sweep_best;

/* Pareto front of a phase: no other point that fits is as short and as fast, and better in one of them. By rising time, so by rising
 * tokens per second. */
typedef struct ridge_sweep_front {
    ridge_sweep_entry *p;
    size_t n, cap;
} ridge_sweep_front;

typedef struct ridge_sweep_summary {
    const ridge_sweep *sweep;
    ridge_sweep_best *best;      /* [machine * 3 + phase] */
    ridge_sweep_front fronts[3]; /* [phase] */
    int64_t fit;                 /* points that do */
    bool failed;                 /* memory ran out: it is incomplete */
} ridge_sweep_summary;

/* one per thread */
ridge_status ridge_sweep_summary_init(ridge_sweep_summary *summary, const ridge_sweep *sweep, ridge_err *err);
void ridge_sweep_summary_free(ridge_sweep_summary *summary);
void ridge_sweep_summary_add(ridge_sweep_summary *summary, const ridge_sweep_block *block);
/* the result does not depend on which summary saw which block */
void ridge_sweep_summary_merge(ridge_sweep_summary *summary, const ridge_sweep_summary *other);

/* the fronts' points as rows, pareto true */
ridge_status ridge_sweep_summary_csv(ridge_buf *out, const ridge_sweep_summary *summary, ridge_err *err);
ridge_status ridge_sweep_summary_json(ridge_buf *out, const ridge_sweep_summary *summary, double elapsed_s, ridge_err *err);
ridge_status ridge_sweep_summary_text(ridge_buf *out, const ridge_sweep_summary *summary, double elapsed_s, int width, ridge_err *err);

#endif
