/* split.h - private to split.c and check.c: the refusals of ridge_split_make.
 * In: a split, its rows' places known. Out: nothing. Fails (UNKNOWN) on parts that no rule splits, (USAGE) on numbers that do not divide.
 */
#ifndef RIDGE_PREDICT_PARALLEL_SPLIT_H
#define RIDGE_PREDICT_PARALLEL_SPLIT_H

#include "predict/parallel/parallel.h"

/* needs cores and places: attention where a layer wants some, weights that are matrices */
ridge_status ridge_split_check_known(const ridge_split *split, ridge_err *err);
/* needs the kinds of all rows */
ridge_status ridge_split_check_numbers(const ridge_split *split, ridge_err *err);

#endif
