#include "base/number.h"

#include <math.h>
#include <stdlib.h>

/* Products go through unsigned 64-bit halves: clang compiles __builtin_mul_overflow on __int128 to __muloti4,
 * which only compiler-rt has. */

typedef struct wide { /* 256 bits */
    ridge_uint hi, lo;
} wide;

static ridge_uint magnitude(ridge_int a)
{
    return a < 0 ? -(ridge_uint)a : (ridge_uint)a;
}

/* -|m| or |m| where it fits */
static bool with_sign(ridge_int *out, bool negative, ridge_uint m)
{
    if (m > (ridge_uint)RIDGE_INT_MAX + negative)
        return false;
    *out = negative ? (ridge_int)-m : (ridge_int)m;
    return true;
}

static uint64_t low64(ridge_uint a)
{
    return (uint64_t)a;
}

static uint64_t high64(ridge_uint a)
{
    return (uint64_t)(a >> 64);
}

/* schoolbook, base 2^64 */
static wide wide_mul(ridge_uint a, ridge_uint b)
{
    ridge_uint ll = (ridge_uint)low64(a) * low64(b), lh = (ridge_uint)low64(a) * high64(b);
    ridge_uint hl = (ridge_uint)high64(a) * low64(b), hh = (ridge_uint)high64(a) * high64(b);
    ridge_uint middle = (ridge_uint)high64(ll) + low64(lh) + low64(hl);
    return (wide){hh + high64(lh) + high64(hl) + high64(middle), middle << 64 | low64(ll)};
}

static int wide_compare(wide a, wide b)
{
    if (a.hi != b.hi)
        return a.hi < b.hi ? -1 : 1;
    return (a.lo > b.lo) - (a.lo < b.lo);
}

static wide wide_add(wide a, wide b)
{
    wide sum = {a.hi + b.hi, a.lo + b.lo};
    sum.hi += sum.lo < a.lo;
    return sum;
}

static wide wide_sub(wide a, wide b)
{
    return (wide){a.hi - b.hi - (a.lo < b.lo), a.lo - b.lo};
}

/* a / b and the remainder, one bit at a time; 0 < b < 2^127, so the remainder never outgrows 128 bits. Rare: only past 128 bits. */
static wide wide_div(ridge_uint *remainder, wide a, ridge_uint b)
{
    wide quotient = {0, 0};
    ridge_uint rest = 0;
    for (int bit = 255; bit >= 0; bit--) {
        ridge_uint half = bit >= 128 ? a.hi : a.lo;
        rest = rest << 1 | (half >> (bit & 127) & 1);
        quotient.hi = quotient.hi << 1 | quotient.lo >> 127;
        quotient.lo <<= 1;
        if (rest >= b) {
            rest -= b;
            quotient.lo |= 1;
        }
    }
    *remainder = rest;
    return quotient;
}

/* ---- integers ---- */
static bool mul_magnitude(ridge_uint *out, ridge_uint a, ridge_uint b)
{
    wide product = wide_mul(a, b);
    *out = product.lo;
    return product.hi == 0;
}

bool ridge_int_mul_slow(ridge_int *out, ridge_int a, ridge_int b)
{
    ridge_uint m;
    return mul_magnitude(&m, magnitude(a), magnitude(b)) && with_sign(out, (a < 0) != (b < 0), m);
}

bool ridge_int_floordiv(ridge_int *quotient, ridge_int *remainder, ridge_int a, ridge_int b)
{
    if (b == 0 || (a == RIDGE_INT_MIN && b == -1))
        return false;
    ridge_int q, r;
    if (a == (int64_t)a && b == (int64_t)b && a != INT64_MIN) { /* the hardware's division */
        q = (int64_t)a / (int64_t)b;
        r = (int64_t)a % (int64_t)b;
    } else {
        q = a / b;
        r = a % b;
    }
    if (r != 0 && (r < 0) != (b < 0)) {
        q -= 1;
        r += b;
    }
    *quotient = q;
    *remainder = r;
    return true;
}

static bool pow_magnitude(ridge_uint *out, ridge_uint base, ridge_uint exponent)
{
    *out = exponent == 0 ? 1 : base;
    if (exponent == 0 || base <= 1)
        return true;
    if (exponent > 127)
        return false;
    ridge_uint result = 1;
    for (;;) {
        if ((exponent & 1) != 0 && !mul_magnitude(&result, result, base))
            return false;
        exponent >>= 1;
        if (exponent == 0)
            break;
        if (!mul_magnitude(&base, base, base))
            return false;
    }
    *out = result;
    return true;
}

static ridge_uint gcd(ridge_uint a, ridge_uint b)
{
    while (b != 0) {
        if (high64(a) == 0 && high64(b) == 0) {
            uint64_t x = low64(a), y = low64(b);
            while (y != 0) {
                uint64_t rest = x % y;
                x = y;
                y = rest;
            }
            return x;
        }
        ridge_uint rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

ridge_int ridge_int_gcd(ridge_int a, ridge_int b)
{
    return (ridge_int)gcd(magnitude(a), magnitude(b));
}

/* ---- text of integers ---- */
/* two digits at a time */
static char *print_64(char *end, uint64_t m, int at_least)
{
    static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
                                "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    char *begin = end;
    for (; m >= 10; m /= 100)
        memcpy(begin -= 2, pairs + 2 * (m % 100), 2);
    if (m > 0 || begin == end)
        *--begin = (char)('0' + m);
    while (end - begin < at_least)
        *--begin = '0';
    return begin;
}

/* digits right-aligned before `end`; returns where they start */
static char *print_magnitude(char *end, ridge_uint m)
{
    const uint64_t chunk = 10000000000000000000u; /* 10^19, the largest power of ten in 64 bits */
    while (high64(m) != 0) {
        end = print_64(end, (uint64_t)(m % chunk), 19);
        m /= chunk;
    }
    return print_64(end, low64(m), 1);
}

size_t ridge_int_print(char *out, ridge_int value)
{
    char digits[RIDGE_INT_CHARS], *end = digits + sizeof digits;
    char *begin = print_magnitude(end, magnitude(value));
    if (value < 0)
        *--begin = '-';
    size_t n = (size_t)(end - begin);
    memcpy(out, begin, n);
    out[n] = '\0';
    return n;
}

size_t ridge_int_print_comma(char *out, ridge_int value)
{
    char plain[RIDGE_INT_CHARS];
    size_t n = ridge_int_print(plain, value), used = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0 && plain[i - 1] != '-')
            out[used++] = ',';
        out[used++] = plain[i];
    }
    out[used] = '\0';
    return used;
}

void ridge_buf_add_int(ridge_buf *buf, ridge_int value)
{
    char *at = ridge_buf_room(buf, RIDGE_INT_CHARS);
    if (at)
        buf->n += ridge_int_print(at, value);
}

/* m * 10 + digit */
static bool push_digit(ridge_uint *m, char digit)
{
    if (high64(*m) != 0) {
        const ridge_uint limit = ~(ridge_uint)0 / 10;
        if (*m >= limit) /* the last few values are past 2^127 anyway */
            return false;
    }
    *m = *m * 10 + (unsigned)(digit - '0');
    return true;
}

bool ridge_int_parse(ridge_int *out, ridge_str text)
{
    size_t i = text.n > 0 && (text.p[0] == '-' || text.p[0] == '+');
    if (i == text.n)
        return false;
    ridge_uint m = 0;
    for (; i < text.n; i++)
        if (!ridge_is_digit(text.p[i]) || !push_digit(&m, text.p[i]))
            return false;
    return with_sign(out, text.p[0] == '-', m);
}

/* ---- rationals ---- */
static bool make_fraction(ridge_rational *out, bool negative, ridge_uint num, ridge_uint den)
{
    ridge_rational r;
    if (!with_sign(&r.num, negative, num) || !with_sign(&r.den, false, den))
        return false;
    *out = r;
    return true;
}

bool ridge_rational_make(ridge_rational *out, ridge_int num, ridge_int den)
{
    if (den == 0)
        return false;
    ridge_uint n = magnitude(num), d = magnitude(den), g = gcd(n, d);
    return make_fraction(out, (num < 0) != (den < 0) && num != 0, n / g, d / g);
}

/* (an/ad) * (bn/bd), both in lowest terms: crossing factors are removed first, so the product is in lowest terms too */
static bool mul_fractions(ridge_rational *out, bool negative, ridge_uint an, ridge_uint ad, ridge_uint bn, ridge_uint bd)
{
    ridge_uint g = gcd(an, bd), h = gcd(bn, ad), num, den;
    return mul_magnitude(&num, an / g, bn / h) && mul_magnitude(&den, ad / h, bd / g) && make_fraction(out, negative && num != 0, num, den);
}

bool ridge_rational_mul(ridge_rational *out, ridge_rational a, ridge_rational b)
{
    if (a.den == 1 && b.den == 1) {
        out->den = 1;
        return ridge_int_mul(&out->num, a.num, b.num);
    }
    return mul_fractions(out, (a.num < 0) != (b.num < 0), magnitude(a.num), (ridge_uint)a.den, magnitude(b.num), (ridge_uint)b.den);
}

bool ridge_rational_div(ridge_rational *out, ridge_rational a, ridge_rational b)
{
    if (b.num == 0)
        return false;
    return mul_fractions(out, (a.num < 0) != (b.num < 0), magnitude(a.num), (ridge_uint)a.den, (ridge_uint)b.den, magnitude(b.num));
}

/* (+-x) + (+-y): the magnitude, and its sign */
static wide wide_sum(bool *negative, bool x_negative, wide x, bool y_negative, wide y)
{
    *negative = x_negative;
    if (x_negative == y_negative)
        return wide_add(x, y);
    if (wide_compare(x, y) >= 0)
        return wide_sub(x, y);
    *negative = y_negative;
    return wide_sub(y, x);
}

/* Knuth, The Art of Computer Programming 2, 4.5.1: with g = gcd(ad, bd) and t = an*(bd/g) + bn*(ad/g), the sum is
 * (t / gcd(t, g)) / ((ad/g) * (bd / gcd(t, g))). t is kept in 256 bits, since terms may cancel. */
static bool add_fractions(ridge_rational *out, ridge_rational a, ridge_rational b, bool subtract)
{
    ridge_uint g = gcd((ridge_uint)a.den, (ridge_uint)b.den), rest, den;
    bool negative;
    wide x = wide_mul(magnitude(a.num), (ridge_uint)b.den / g), y = wide_mul(magnitude(b.num), (ridge_uint)a.den / g);
    wide t = wide_sum(&negative, a.num < 0, x, (b.num < 0) != subtract, y);
    if (t.hi == 0 && t.lo == 0) {
        *out = ridge_rational_of(0);
        return true;
    }
    ridge_uint common = g;
    if (g != 1) {
        if (t.hi == 0)
            rest = t.lo % g;
        else
            (void)wide_div(&rest, t, g);
        common = gcd(rest, g);
    }
    wide num = t;
    if (t.hi != 0 && common != 1)
        num = wide_div(&rest, t, common);
    else if (common != 1)
        num.lo = t.lo / common;
    return num.hi == 0 && mul_magnitude(&den, (ridge_uint)a.den / g, (ridge_uint)b.den / common) &&
           make_fraction(out, negative, num.lo, den);
}

bool ridge_rational_add(ridge_rational *out, ridge_rational a, ridge_rational b)
{
    if (a.den == 1 && b.den == 1) {
        out->den = 1;
        return ridge_int_add(&out->num, a.num, b.num);
    }
    return add_fractions(out, a, b, false);
}

bool ridge_rational_sub(ridge_rational *out, ridge_rational a, ridge_rational b)
{
    if (a.den == 1 && b.den == 1) {
        out->den = 1;
        return ridge_int_sub(&out->num, a.num, b.num);
    }
    return add_fractions(out, a, b, true);
}

bool ridge_rational_pow(ridge_rational *out, ridge_rational base, ridge_int exponent)
{
    if (base.num == 0 && exponent < 0)
        return false;
    ridge_uint num, den, times = magnitude(exponent);
    if (!pow_magnitude(&num, magnitude(base.num), times) || !pow_magnitude(&den, (ridge_uint)base.den, times))
        return false;
    bool negative = base.num < 0 && (times & 1) != 0;
    return exponent < 0 ? make_fraction(out, negative, den, num) : make_fraction(out, negative, num, den);
}

bool ridge_rational_floor(ridge_int *out, ridge_rational a)
{
    ridge_int rest;
    return ridge_int_floordiv(out, &rest, a.num, a.den);
}

bool ridge_rational_ceil(ridge_int *out, ridge_rational a)
{
    ridge_int floor, rest;
    if (!ridge_int_floordiv(&floor, &rest, a.num, a.den))
        return false;
    *out = floor + (rest != 0); /* rest != 0 means den > 1, so there is room */
    return true;
}

int ridge_rational_compare(ridge_rational a, ridge_rational b)
{
    if (a.den == b.den)
        return (a.num > b.num) - (a.num < b.num);
    if ((a.num < 0) != (b.num < 0))
        return a.num < 0 ? -1 : 1;
    int order = wide_compare(wide_mul(magnitude(a.num), (ridge_uint)b.den), wide_mul(magnitude(b.num), (ridge_uint)a.den));
    return a.num < 0 ? -order : order;
}

/* ---- text of rationals ---- */
typedef struct decimal { /* mantissa * 10^exponent */
    ridge_uint mantissa;
    int64_t exponent;
    bool negative;
} decimal;

/* digits ["." digits]: zeros are held back until another digit follows, so trailing ones cannot overflow */
static bool scan_mantissa(decimal *d, const char **at, const char *end)
{
    const char *p = *at;
    bool any = false, fraction = false;
    int64_t zeros = 0;
    for (; p < end; p++) {
        if (*p == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!ridge_is_digit(*p))
            break;
        any = true;
        d->exponent -= fraction;
        if (*p == '0') {
            zeros += d->mantissa != 0;
            continue;
        }
        for (; zeros > 0; zeros--)
            if (!push_digit(&d->mantissa, '0'))
                return false;
        if (!push_digit(&d->mantissa, *p))
            return false;
    }
    d->exponent += zeros;
    *at = p;
    return any;
}

/* [("e" | "E") ["+" | "-"] digits], saturating: past a few hundred nothing fits */
static bool scan_exponent(decimal *d, const char **at, const char *end)
{
    const char *p = *at;
    if (p == end || (*p != 'e' && *p != 'E'))
        return true;
    p++;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end)
        return false;
    int64_t value = 0;
    for (; p < end && ridge_is_digit(*p); p++)
        if (value < INT64_MAX / 100)
            value = value * 10 + (*p - '0');
    d->exponent += negative ? -value : value;
    *at = p;
    return true;
}

static bool decimal_to_rational(ridge_rational *out, const decimal *d)
{
    if (d->mantissa == 0) {
        *out = ridge_rational_of(0);
        return true;
    }
    ridge_uint num = d->mantissa, power, twos, fives;
    if (d->exponent >= 0)
        return pow_magnitude(&power, 10, (ridge_uint)d->exponent) && mul_magnitude(&num, num, power) &&
               make_fraction(out, d->negative, num, 1);
    int64_t two = -d->exponent, five = -d->exponent; /* 10^n = 2^n * 5^n, each cancelled as far as it goes */
    for (; two > 0 && num % 2 == 0; two--)
        num /= 2;
    for (; five > 0 && num % 5 == 0; five--)
        num /= 5;
    return pow_magnitude(&twos, 2, (ridge_uint)two) && pow_magnitude(&fives, 5, (ridge_uint)five) && mul_magnitude(&power, twos, fives) &&
           make_fraction(out, d->negative, num, power);
}

bool ridge_rational_parse(ridge_rational *out, ridge_str text)
{
    const char *p = text.n > 0 ? text.p : "", *end = p + text.n; /* NULL is no start of an array */
    decimal d = {0, 0, false};
    if (p < end && (*p == '-' || *p == '+'))
        d.negative = *p++ == '-';
    return scan_mantissa(&d, &p, end) && scan_exponent(&d, &p, end) && p == end && decimal_to_rational(out, &d);
}

size_t ridge_rational_print(char *out, ridge_rational value)
{
    size_t n = ridge_int_print(out, value.num);
    if (value.den != 1) {
        out[n++] = '/';
        n += ridge_int_print(out + n, value.den);
    }
    return n;
}

double ridge_rational_double(ridge_rational value)
{
    return (double)((long double)value.num / (long double)value.den);
}

/* ---- counts as people write them ---- */

/* what the suffix multiplies by, 0 where there is no such suffix */
static int64_t suffix_factor(ridge_str suffix)
{
    static const struct {
        const char *text;
        int64_t factor;
    } suffixes[] = {
        {"", 1}, {"k", 1000}, {"M", 1000000}, {"G", 1000000000}, {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},
    };
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ridge_str_is(suffix, suffixes[i].text))
            return suffixes[i].factor;
    return 0;
}

bool ridge_count_parse(int64_t *out, bool *overflow, ridge_str text)
{
    size_t i = 0;
    bool negative = text.n > 0 && text.p[0] == '-';
    if (text.n > 0 && (text.p[0] == '-' || text.p[0] == '+'))
        i++;
    size_t digits_at = i;
    int64_t value = 0;
    *overflow = false;
    for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++) {
        int digit = text.p[i] - '0';
        *overflow |= __builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, negative ? -digit : digit, &value);
    }
    int64_t factor = suffix_factor((ridge_str){text.p + i, text.n - i});
    if (i == digits_at || factor == 0)
        return false;
    *overflow |= __builtin_mul_overflow(value, factor, out);
    return true;
}

/* ---- quantities ---- */

static bool real_and_rest(double *value, const char **rest, const char *text)
{
    char *end;
    if (strspn(text, "0123456789.") == 0)
        return false;
    *value = strtod(text, &end);
    *rest = end + (*end == ' ');
    return isfinite(*value);
}

bool ridge_real_parse(double *value, const char *text)
{
    const char *rest;
    double v;
    if (!real_and_rest(&v, &rest, text) || *rest != '\0')
        return false;
    *value = v;
    return true;
}

bool ridge_bytes_parse(int64_t *bytes, const char *text)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {
        {"B", 1},       {"", 1},         {"kB", 1e3},    {"KB", 1e3},     {"k", 1e3},     {"MB", 1e6},  {"M", 1e6},
        {"GB", 1e9},    {"G", 1e9},      {"TB", 1e12},   {"T", 1e12},     {"KiB", 1024},  {"Ki", 1024}, {"MiB", 0x1p20},
        {"Mi", 0x1p20}, {"GiB", 0x1p30}, {"Gi", 0x1p30}, {"TiB", 0x1p40}, {"Ti", 0x1p40},
    };
    const char *rest;
    double value;
    if (!real_and_rest(&value, &rest, text))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(rest, units[i].name) == 0 && value * units[i].bytes <= 0x1p62) {
            *bytes = (int64_t)ceil(value * units[i].bytes);
            return true;
        }
    return false;
}

bool ridge_seconds_parse(double *seconds, const char *text)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"\u00b5s", 1e-6}, {"ns", 1e-9}};
    const char *rest;
    double value;
    if (!real_and_rest(&value, &rest, text))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(rest, units[i].name) == 0) {
            *seconds = value * units[i].seconds;
            return true;
        }
    return false;
}
