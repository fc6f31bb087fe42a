/* program.h - closed forms as straight-line integer code, exact: what the tests hold closed forms against.
 * In: values, symbolic or not. Out: their numbers for inputs, in 128 bits. Everything lives in the arena of the calc. */
#ifndef TESTS_FORMULA_PROGRAM_H
#define TESTS_FORMULA_PROGRAM_H

#include "formula/poly.h"

typedef struct ridge_program ridge_program;
/* inputs are the algebra's names by `input` */
ridge_status ridge_program_make(ridge_program **out, const ridge_value *values, size_t count, const ridge_calc *calc);
/* inputs[ridge_algebra.input_count] -> outputs[count]; OVERFLOW, or VALUE where a result is not an integer */
ridge_status ridge_program_run(ridge_int *outputs, ridge_program *program, const ridge_int *inputs);

#endif
