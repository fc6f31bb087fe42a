/* numeric.h - symbolic numbers in double precision, for many workloads at once: what a sweep runs.
 * In: numbers of one algebra (INT, RATIONAL or SYM). Out: a program whose instructions each run over a batch of points, equal
 * polynomials, terms and products computed once. Owned by the arena; a `room` is one thread's working memory.
 * Fails on values that are no numbers. Results are those of exact arithmetic (tests/formula/program.h), rounded as doubles round. */
#ifndef RIDGE_PREDICT_NUMERIC_H
#define RIDGE_PREDICT_NUMERIC_H

#include "formula/poly.h"

enum { RIDGE_LANES = 64 }; /* points of a batch */

typedef struct ridge_numeric ridge_numeric;

/* outputs keep the order of `values`; the arena of `calc` owns the program */
ridge_status ridge_numeric_make(ridge_numeric **out, const ridge_value *values, size_t count, const ridge_calc *calc);

typedef struct ridge_numeric_room {
    double (*slots)[RIDGE_LANES];
} ridge_numeric_room;
/* free with ridge_numeric_room_free; false when memory runs out */
bool ridge_numeric_room_make(ridge_numeric_room *room, const ridge_numeric *numeric);
void ridge_numeric_room_free(ridge_numeric_room *room);

/* inputs[input][lane]; every lane is computed, so unused ones need some number (any workload's) */
void ridge_numeric_run(const ridge_numeric *numeric, ridge_numeric_room *room, const double (*inputs)[RIDGE_LANES]);
/* output i of the last run, one number per lane */
const double *ridge_numeric_output(const ridge_numeric *numeric, const ridge_numeric_room *room, size_t i);

#endif
