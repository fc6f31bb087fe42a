/* double.h - a double as the shortest decimal text that reads back as the same one.
 * In: a finite number. Out: what the first of "%.15g", "%.16g", "%.17g" prints that strtod() reads back, with '.' in every locale.
 * Fails never. Common magnitudes take no library call: exact integer arithmetic, some 20 times as fast as snprintf and strtod. */
#ifndef RIDGE_BASE_DOUBLE_H
#define RIDGE_BASE_DOUBLE_H

#include <stddef.h>

enum { RIDGE_DOUBLE_CHARS = 40 };
/* NUL-terminated; returns the length */
size_t ridge_double_print(char out[RIDGE_DOUBLE_CHARS], double value);

#endif
