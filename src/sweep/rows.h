/* rows.h - a sweep's points as rows (INTERFACE: `ridge sweep`), and what they come to: the summary.
 * In: blocks, on several threads at once. Out: text appended to the caller's buffers; the summary owns its points.
 * Fails when memory runs out (the buffers say so; ridge_sweep_summary.failed). */
#ifndef RIDGE_SWEEP_ROWS_H
#define RIDGE_SWEEP_ROWS_H

#include "report/record.h"
#include "sweep/sweep.h"

/* a point with what its block knows */
typedef struct ridge_sweep_entry {
    ridge_sweep_shared shared;
    ridge_sweep_point point;
    int64_t index; /* in the sweep; of equal ones the first counts */
    int pareto;    /* negative: not known, while rows stream */
} ridge_sweep_entry;
/* what a point does per second: its tokens, else its images; negative: not known */
static inline double ridge_sweep_rate(const ridge_sweep_point *p)
{
    if (p->tokens_per_s >= 0 || p->images_per_s >= 0)
        return p->tokens_per_s >= 0 ? p->tokens_per_s : p->images_per_s;
    return p->time_s > 0 ? (double)p->batch / p->time_s : -1;
}
ridge_sweep_entry ridge_sweep_entry_of(const ridge_sweep_block *block, size_t i);
extern const ridge_record ridge_sweep_record;

/* The answer as JSON. It streams: no struct of it is ever filled. */
typedef struct ridge_sweep_streamed {
    int64_t points;
    const ridge_sweep_entry *rows;
    size_t row_count;
    bool complete;
    ridge_words notes;
} ridge_sweep_streamed;
extern const ridge_record ridge_sweep_streamed_record;

/* rows of a block as CSV; columns: ridge_sweep_record's for CSV */
void ridge_sweep_csv(ridge_buf *out, const ridge_record_columns *columns, const ridge_sweep_block *block);
/* one object a line, each after a comma except the first point of the sweep */
void ridge_sweep_json(ridge_buf *out, const ridge_sweep_block *block);

/* for people: a line of what all entries share, then a table of the rest; in Markdown the table alone */
ridge_status ridge_sweep_table(ridge_buf *out, const ridge_sweep_entry *entries, size_t n, ridge_form form, int width, ridge_err *err);

/* ---- summary ---- */

/* of the points that fit, of one machine and phase */
typedef struct ridge_sweep_best {
    const char *machine;
    ridge_phase phase;
    const ridge_sweep_entry *throughput, *latency; /* most tokens per second, least time; NULL: none fits */
} ridge_sweep_best;

/* Pareto front of a phase: no other point that fits is as short and as fast, and better in one of them. By rising time, so by rising
 * tokens per second. */
typedef struct ridge_sweep_front {
    ridge_sweep_entry *p;
    size_t n, cap;
} ridge_sweep_front;

typedef struct ridge_sweep_summary {
    const ridge_sweep *sweep;
    ridge_sweep_entry *fastest, *shortest; /* [machine * RIDGE_PHASES + phase]; index < 0: none fits */
    ridge_sweep_front fronts[RIDGE_PHASES];
    int64_t fit; /* points that do */
    bool failed; /* memory ran out, or it is full: it is incomplete */
    bool full;   /* a front has more points than are kept */
} ridge_sweep_summary;

/* one per thread */
ridge_status ridge_sweep_summary_init(ridge_sweep_summary *summary, const ridge_sweep *sweep, ridge_err *err);
void ridge_sweep_summary_free(ridge_sweep_summary *summary);
void ridge_sweep_summary_add(ridge_sweep_summary *summary, const ridge_sweep_block *block);
/* LIMIT, in place of the error that there was: what a summary that is full says */
ridge_status ridge_sweep_summary_refuse(ridge_err *err);
/* the result does not depend on which summary saw which block */
void ridge_sweep_summary_merge(ridge_sweep_summary *summary, const ridge_sweep_summary *other);

/* the summary as it is told; points into the summary, lists in the arena */
typedef struct ridge_sweep_told {
    const ridge_sweep *sweep;
    const ridge_sweep_summary *summary;
    const char *model;
    int64_t points, fit;
    bool complete;
    ridge_words notes;
    unsigned threads;
    double elapsed_s, points_per_s;
    ridge_sweep_best *best;
    size_t best_count;
    ridge_sweep_entry *pareto; /* of all phases, one after the other */
    size_t pareto_count;
} ridge_sweep_told;
ridge_status ridge_sweep_tell(ridge_sweep_told *out, const ridge_sweep_summary *summary, double elapsed_s, ridge_arena *arena,
                              ridge_err *err);
extern const ridge_record ridge_sweep_summary_record;
ridge_status ridge_sweep_told_text(ridge_buf *out, const ridge_sweep_told *told, int width, ridge_err *err);

#endif
