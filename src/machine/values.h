/* values.h - the values of a machine's file: texts, names out of a list, exact numbers in base units.
 * In: JSON values. Out: C values, texts in the arena; null is "unknown". For read.c and machine.c.
 * Fails at the value, underlined: wrong type, a name that is none (with the nearest), a number that is not whole, not finite, negative. */
#ifndef RIDGE_MACHINE_VALUES_H
#define RIDGE_MACHINE_VALUES_H

#include "machine/read.h"

/* `what` is the key of the value */
ridge_status ridge_read_fail(const ridge_reader *r, ridge_status code, const ridge_json *at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* TYPE where the value is of another type; `wanted`: "an object" */
ridge_status ridge_read_type(const ridge_reader *r, const ridge_json *v, ridge_json_type type, const char *what, const char *wanted);
/* a member's key as the place of an error */
ridge_json ridge_read_key(const ridge_reader *r, const ridge_json_member *m);
/* A key that nobody knows, with the nearest that somebody does (NULL: none is near); "where" is what the key stands in. */
ridge_status ridge_read_unknown_key(const ridge_reader *r, const ridge_json_member *m, const char *where, const char *nearest);

/* the index of a string among names */
ridge_status ridge_read_word(const ridge_reader *r, size_t *out, const ridge_json *v, const char *what, const char *const *names);
/* a string that is not empty; NULL for null */
ridge_status ridge_read_text(const ridge_reader *r, const char **out, const ridge_json *v, const char *what);
/* a positive whole number, decimals and exponents taken exactly; RIDGE_MACHINE_UNKNOWN for null */
ridge_status ridge_read_whole(const ridge_reader *r, int64_t *out, const ridge_json *v, const char *what, ridge_unit unit);
/* 0 or more, less than a second; RIDGE_MACHINE_UNKNOWN for null */
ridge_status ridge_read_seconds(const ridge_reader *r, double *out, const ridge_json *v, const char *what);

#endif
