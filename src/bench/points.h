/* points.h - points that somebody measured elsewhere: {"shape", "format", "time"} and what else is known of them.
 * In: JSON (an array of points, or {"points": [..], "machine", "source"}) or CSV with a line a point. Out: one run whose rows have FLOPs
 * and bytes by the catalog, in the arena. The same text is the same run. docs/history.md Fails (SYNTAX, TYPE, NAME, VALUE) with file, line,
 * column and excerpt. */
#ifndef RIDGE_BENCH_POINTS_H
#define RIDGE_BENCH_POINTS_H

#include "measure/store.h"
#include "operator/ops.h"

/* machine: where they were measured, "this" being here; NULL: as the text says, else not known */
typedef struct ridge_points_asked {
    const char *machine;
    ridge_ops *ops;
    ridge_arena *arena;
    ridge_err *err;
} ridge_points_asked;

/* An export of `ridge history` (measure/store_text.h) or points, whichever the text is. */
ridge_status ridge_points_or_runs_read(ridge_measurements *out, ridge_str text, const char *file, const ridge_points_asked *asked);

#endif
