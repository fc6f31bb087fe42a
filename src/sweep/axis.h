/* axis.h - the values an option of a sweep takes: ranges and lists. No value is stored: an axis may have 10^12 of them.
 * In: "128:4096:*2" (geometric), "1:64:+8" (arithmetic), "1,2,8", mixtures "1,2,8:64:*2"; numbers as options have them (2k, 4Ki).
 * Out: an axis in the arena; its values in the order they were written. A range's end is a value where the steps meet it.
 * Fails (USAGE) naming the option and the piece that is wrong. */
#ifndef RIDGE_SWEEP_AXIS_H
#define RIDGE_SWEEP_AXIS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

typedef struct ridge_sweep_piece {
    int64_t first, step; /* step: what is added, or the factor */
    bool geometric;
    int64_t before, count; /* values in earlier pieces, in this one */
} ridge_sweep_piece;

typedef struct ridge_sweep_axis {
    ridge_sweep_piece *pieces;
    size_t n;
    int64_t count; /* of all values; 0: not given */
    int64_t most;  /* the largest value */
} ridge_sweep_axis;

/* values are in least .. most */
ridge_status ridge_sweep_axis_read(ridge_sweep_axis *out, const char *text, const char *option, int64_t least, int64_t most,
                                   ridge_arena *arena, ridge_err *err);
/* the axis of one value */
ridge_status ridge_sweep_axis_of(ridge_sweep_axis *out, int64_t value, ridge_arena *arena, ridge_err *err);
/* value i, 0 <= i < count */
int64_t ridge_sweep_axis_at(const ridge_sweep_axis *axis, int64_t i);

#endif
