#include "base/double.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* ---- the plain way ---- */

static size_t print_by_library(char *out, double value)
{
    int n = 0;
    for (int digits = 15; digits <= 17; digits++) {
        n = snprintf(out, RIDGE_DOUBLE_CHARS, "%.*g", digits, value);
        double back = strtod(out, NULL);
        if (!(back < value || back > value))
            break;
    }
    for (int i = 0; i < n; i++) /* a host program's locale may have another decimal point */
        if (!strchr("0123456789+-e", out[i]))
            out[i] = '.';
    return (size_t)n;
}

/* ---- the fast way ----
 * value = m 2^e, m of 53 bits. With k such that 10^16 <= value 10^k < 10^17 and k in 0..38, m 10^k is an exact integer of at most 180
 * bits; x is value 10^k in fixed point, 64 bits after the point, cut off: less than one unit too small. Whatever is nearer to a tie than
 * a few units goes the plain way. */

enum { UNSURE = 8, POWER_MOST = 38 };

typedef struct scaled {
    ridge_uint x, half; /* value 10^k; half the distance to the next double, also times 10^k */
    int exponent;       /* decimal: value = d.ddd 10^exponent */
} scaled;

static ridge_uint power_of_10(int k)
{
    ridge_uint p = 1;
    static const uint64_t small[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
    for (; k > 9; k -= 9)
        p *= small[9];
    return p * small[k];
}

/* floor(a * m * 2^shift); a < 2^127, m <= 2^53; the result must fit in 128 bits */
static ridge_uint multiply_shift(ridge_uint a, uint64_t m, int shift)
{
    ridge_uint low = (ridge_uint)(uint64_t)a * m, high = (a >> 64) * m + (low >> 64);
    low &= ~(uint64_t)0;
    if (shift >= 0)
        return ((high << 64) | low) << shift;
    if (shift > -64)
        return (high << (64 + shift)) | (low >> -shift);
    return shift > -192 ? high >> (-shift - 64) : 0;
}

static bool scale(scaled *s, double value)
{
    static const ridge_uint least = (ridge_uint)UINT64_C(10000000000000000) << 64;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    const int e = (int)(bits >> 52) - 1075, top = e + 52; /* 2^top <= value, which is normal and positive */
    const int guess = top * 78913 / 262144 - (top < 0);   /* floor(top log10(2)) */
    for (int exponent = guess; exponent <= guess + 1; exponent++) {
        const int k = 16 - exponent;
        if (k < 0 || k > POWER_MOST)
            return false;
        s->x = multiply_shift(power_of_10(k), m, e + 64);
        s->half = multiply_shift(power_of_10(k), 1, e + 63);
        s->exponent = exponent;
        if (s->x >= least && s->x < least * 10)
            return m != (uint64_t)1 << 52; /* below a power of 2 doubles lie closer */
    }
    return false;
}

typedef enum fit { FITS, TOO_FAR, TOO_CLOSE_TO_CALL } fit;

/* x rounded to `unit` = 1, 10 or 100; does the result read back? */
static fit round_to(uint64_t *digits, const scaled *s, unsigned unit)
{
    const ridge_uint whole = (ridge_uint)unit << 64, rest = s->x % whole, up = whole - rest;
    const ridge_uint off = rest < up ? rest : up, other = rest < up ? up : rest;
    if (other - off <= 2 * UNSURE || (off > s->half ? off - s->half : s->half - off) <= UNSURE)
        return TOO_CLOSE_TO_CALL;
    *digits = (uint64_t)(s->x / whole) + (rest > up);
    return off < s->half ? FITS : TOO_FAR;
}

static char *put_exponent(char *at, int exponent)
{
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    exponent = abs(exponent);
    *at++ = (char)('0' + exponent / 10); /* below 100 here */
    *at++ = (char)('0' + exponent % 10);
    return at;
}

/* as %.<count>g lays out the digits: without trailing zeros */
static size_t lay_out(char *out, bool negative, uint64_t digits, int count, int exponent)
{
    char text[24], *at = out;
    int n = count;
    for (int i = count; i-- > 0; digits /= 10)
        text[i] = (char)('0' + digits % 10);
    while (n > 1 && text[n - 1] == '0')
        n--;
    if (negative)
        *at++ = '-';
    const bool scientific = exponent < -4 || exponent >= count;
    const int before = scientific ? 1 : exponent + 1; /* digits before the point */
    if (before <= 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = before; i < 0; i++)
            *at++ = '0';
    }
    for (int i = 0; i < n || i < before; i++) {
        if (i == before && before > 0)
            *at++ = '.';
        *at++ = i < n ? text[i] : '0';
    }
    if (scientific)
        at = put_exponent(at, exponent);
    *at = '\0';
    return (size_t)(at - out);
}

size_t ridge_double_print(char out[RIDGE_DOUBLE_CHARS], double value)
{
    static const uint64_t limits[] = {UINT64_C(1000000000000000), UINT64_C(10000000000000000), UINT64_C(100000000000000000)};
    scaled s;
    uint64_t digits = 0;
    unsigned unit = 100;
    const double size = value < 0 ? -value : value;
    if (!(size > 1e-22 && size < 1e16) || !scale(&s, size))
        return print_by_library(out, value);
    for (int count = 15; count <= 17; count++, unit /= 10) {
        fit f = round_to(&digits, &s, unit);
        if (f == TOO_CLOSE_TO_CALL)
            break;
        if (f == TOO_FAR)
            continue;
        if (digits == limits[count - 15]) { /* 9.99... became 10 */
            digits /= 10;
            s.exponent++;
        }
        return lay_out(out, value < 0, digits, count, s.exponent);
    }
    return print_by_library(out, value);
}
