/* number.h - exact arithmetic: checked 128-bit integers and rationals in lowest terms.
 * Every operation answers false instead of wrapping; rational operations reduce before they multiply, so they
 * fail only where the reduced result does not fit. Works with gcc and clang without compiler-rt. */
#ifndef RIDGE_BASE_NUMBER_H
#define RIDGE_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

__extension__ typedef __int128 ridge_int;
__extension__ typedef unsigned __int128 ridge_uint;

#define RIDGE_INT_MAX ((ridge_int)(~(ridge_uint)0 >> 1))
#define RIDGE_INT_MIN (-RIDGE_INT_MAX - 1)

bool ridge_int_mul_slow(ridge_int *out, ridge_int a, ridge_int b);

static inline bool ridge_int_add(ridge_int *out, ridge_int a, ridge_int b)
{
    return !__builtin_add_overflow(a, b, out);
}
static inline bool ridge_int_sub(ridge_int *out, ridge_int a, ridge_int b)
{
    return !__builtin_sub_overflow(a, b, out);
}
static inline bool ridge_int_mul(ridge_int *out, ridge_int a, ridge_int b)
{
    if (a == (int64_t)a && b == (int64_t)b) {
        *out = a * b;
        return true;
    }
    return ridge_int_mul_slow(out, a, b);
}
/* floor division and its remainder as Python has them: the remainder has the divisor's sign. false: b == 0 or overflow */
bool ridge_int_floordiv(ridge_int *quotient, ridge_int *remainder, ridge_int a, ridge_int b);
ridge_int ridge_int_gcd(ridge_int a, ridge_int b); /* of absolute values; a, b > RIDGE_INT_MIN */

/* decimal text; out holds at least RIDGE_INT_CHARS. Returns the length. */
#define RIDGE_INT_CHARS 42
size_t ridge_int_print(char *out, ridge_int value);
/* with thousands separators: 12,345 */
#define RIDGE_INT_COMMA_CHARS 56
size_t ridge_int_print_comma(char *out, ridge_int value);
/* [+-]digits, nothing else; false on overflow or other text */
bool ridge_int_parse(ridge_int *out, ridge_str text);
void ridge_buf_add_int(ridge_buf *buf, ridge_int value);
/* [+-]digits[k|M|G|Ki|Mi|Gi]: "2k" = 2000, "2Ki" = 2048; false: not that. *overflow: it is, but does not fit in 64 bits */
bool ridge_count_parse(int64_t *out, bool *overflow, ridge_str text);

/* ---- what people type for measured and wanted quantities; no exact number comes of them ---- */
/* "2.5", "1e3": a finite number of at least 0 */
bool ridge_real_parse(double *value, const char *text);
/* "80GiB", "1.5 GB", "800M", "1000000": a size of at least 0 in bytes, rounded up; units B, k to T (1e3 to 1e12), Ki to Ti */
bool ridge_bytes_parse(int64_t *bytes, const char *text);
/* "2.5us", "3 ms", "1e-6": a time of at least 0, in seconds; units s, ms, us, ns; none is seconds */
bool ridge_seconds_parse(double *seconds, const char *text);

typedef struct ridge_rational {
    ridge_int num, den; /* den > 0, lowest terms */
} ridge_rational;

static inline ridge_rational ridge_rational_of(ridge_int n)
{
    return (ridge_rational){n, 1};
}
bool ridge_rational_make(ridge_rational *out, ridge_int num, ridge_int den); /* den != 0 */
bool ridge_rational_add(ridge_rational *out, ridge_rational a, ridge_rational b);
bool ridge_rational_sub(ridge_rational *out, ridge_rational a, ridge_rational b);
bool ridge_rational_mul(ridge_rational *out, ridge_rational a, ridge_rational b);
bool ridge_rational_div(ridge_rational *out, ridge_rational a, ridge_rational b); /* false also where b == 0 */
bool ridge_rational_pow(ridge_rational *out, ridge_rational base, ridge_int exponent);
bool ridge_rational_floor(ridge_int *out, ridge_rational a);
bool ridge_rational_ceil(ridge_int *out, ridge_rational a);
/* -1, 0, 1, exact for every pair (no overflow) */
int ridge_rational_compare(ridge_rational a, ridge_rational b);
/* decimal text with optional fraction and exponent ("0.1", "1e-05", "3") to its exact value; false: not a number, or too large */
bool ridge_rational_parse(ridge_rational *out, ridge_str text);
/* "3" or "9/2" */
#define RIDGE_RATIONAL_CHARS 84
size_t ridge_rational_print(char *out, ridge_rational value);
double ridge_rational_double(ridge_rational value); /* for people's eyes only */

#endif
