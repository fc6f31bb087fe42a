/* counts_code.h - the program of predict/counts.h; private to counts*.c. Instruction i writes slot i.
 * Every slot is an integer: a polynomial with fractions is held as its numerator over one denominator. */
#ifndef RIDGE_PREDICT_COUNTS_CODE_H
#define RIDGE_PREDICT_COUNTS_CODE_H

#include "predict/counts.h"

typedef enum ridge_count_op {
    RIDGE_COUNT_INPUT,
    RIDGE_COUNT_PRODUCT,
    RIDGE_COUNT_SUM,
    RIDGE_COUNT_EXACT, /* a / scale_a, which leaves no rest */
    RIDGE_COUNT_FLOORDIV,
    RIDGE_COUNT_MIN,
    RIDGE_COUNT_MAX,
    RIDGE_COUNT_NOT_NEGATIVE,
    RIDGE_COUNT_ZERO,
} ridge_count_op;

typedef struct ridge_count_step {
    ridge_count_op op;
    uint32_t a, b;              /* slots; INPUT: a is the input; SUM: terms a .. a + b */
    ridge_int scale_a, scale_b; /* FLOORDIV, MIN, MAX: a * scale_a and b * scale_b are over one denominator; EXACT: see there */
    ridge_int constant;         /* SUM */
} ridge_count_step;

typedef struct ridge_count_term {
    ridge_int coefficient;
    uint32_t slot;
} ridge_count_term;

struct ridge_counts {
    ridge_count_step *steps;
    size_t step_count, step_cap;
    ridge_count_term *terms;
    size_t term_count, term_cap;
    uint32_t *outputs;
    size_t output_count;
};

void ridge_counts_run_narrow(const ridge_counts *counts, ridge_counts_room *room, const int64_t (*inputs)[RIDGE_LANES]);
void ridge_counts_run_wide(const ridge_counts *counts, ridge_counts_room *room, const int64_t (*inputs)[RIDGE_LANES]);

#endif
