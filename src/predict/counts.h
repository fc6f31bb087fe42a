/* counts.h - exact integers of a closed form for many workloads at once: FLOPs, bytes, memory of a sweep's points.
 * In: numbers of one algebra (INT or SYM). Out: a program that runs over a batch of points, equal parts computed once; owned by the
 * arena; a `room` is one thread's working memory. Results are those of formula/poly.h's exact program: 64-bit arithmetic where bounds
 * of the batch show that nothing can overflow, else 128-bit.
 * Fails (VALUE) on a closed form with reciprocals, and on values that are no numbers. */
#ifndef RIDGE_PREDICT_COUNTS_H
#define RIDGE_PREDICT_COUNTS_H

#include "predict/numeric.h"

typedef struct ridge_counts ridge_counts;

ridge_status ridge_counts_make(ridge_counts **out, const ridge_value *values, size_t count, const ridge_calc *calc);

typedef struct ridge_counts_room {
    ridge_int (*slots)[RIDGE_LANES]; /* 64-bit runs use the first half of each */
    double *bounds;                  /* [slot] of absolute values, over the batch */
    bool good[RIDGE_LANES];          /* false: this lane has no exact integer (a fraction, a division by 0, beyond 128 bits) */
    bool wide;                       /* the last run was 128-bit */
} ridge_counts_room;
/* free with ridge_counts_room_free; false when memory runs out */
bool ridge_counts_room_make(ridge_counts_room *room, const ridge_counts *counts);
void ridge_counts_room_free(ridge_counts_room *room);

/* inputs[input][lane], by ridge_atom.input; 0 <= input <= 2^62 */
void ridge_counts_run(const ridge_counts *counts, ridge_counts_room *room, const int64_t (*inputs)[RIDGE_LANES]);
/* output i of the last run; only where room->good[lane] */
void ridge_counts_output(ridge_int out[RIDGE_LANES], const ridge_counts *counts, const ridge_counts_room *room, size_t i);

#endif
