/* exact.c - exact values: numbers, their order, truth, equality. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 magnitude;

#define LARGEST  ((gm_int)(((magnitude)1 << 127) - 1))
#define SMALLEST (-LARGEST - 1)

/* ---- errors, memory ---- */

gm_value gm_fail(gm_run *r, const char *format, ...)
{
    va_list list;
    if (!r->failed) {
        va_start(list, format);
        (void)vsnprintf(r->error, sizeof r->error, format, list);
        va_end(list);
    }
    r->failed = true;
    return gm_none();
}

bool gm_failed(const gm_run *r)
{
    return r->failed;
}

/* Memory in blocks that a run frees at its end; when there is no more, the run fails, and what it writes goes into a small spare room. */
void *gm_room(gm_run *r, size_t bytes)
{
    enum { BLOCK = 1 << 16 };
    const size_t limit = (size_t)1 << 29;
    bytes = (bytes + 15) / 16 * 16;
    if ((size_t)(r->end - r->at) < bytes) {
        size_t size = bytes > BLOCK ? bytes : BLOCK;
        r->total += size;
        char *block = r->total > limit ? NULL : calloc(1, size + 16);
        if (!block) {
            (void)gm_fail(r, "memory ran out");
            return NULL;
        }
        *(void **)(void *)block = r->blocks;
        r->blocks = block;
        r->at = block + 16;
        r->end = r->at + size;
    }
    void *p = r->at;
    r->at += bytes;
    return p;
}

/* ---- integers ---- */

static magnitude size_of(gm_int a)
{
    return a < 0 ? (magnitude)0 - (magnitude)a : (magnitude)a;
}

bool gm_int_add(gm_int *out, gm_int a, gm_int b)
{
    if ((b > 0 && a > LARGEST - b) || (b < 0 && a < SMALLEST - b))
        return false;
    *out = a + b;
    return true;
}

static bool times(magnitude *out, magnitude a, magnitude b)
{
    if (a != 0 && b > ~(magnitude)0 / a)
        return false;
    *out = a * b;
    return true;
}

static bool with_sign(gm_int *out, bool negative, magnitude m)
{
    if (m > (magnitude)LARGEST + negative)
        return false;
    *out = negative ? (gm_int)((magnitude)0 - m) : (gm_int)m;
    return true;
}

bool gm_int_mul(gm_int *out, gm_int a, gm_int b)
{
    magnitude m;
    return times(&m, size_of(a), size_of(b)) && with_sign(out, (a < 0) != (b < 0), m);
}

static gm_int floor_of(gm_int a, gm_int b) /* b > 0 */
{
    return a / b - (a % b < 0);
}

void gm_print(char out[41], gm_int value)
{
    char digits[41];
    size_t n = 0, at = 0;
    magnitude m = size_of(value);
    do
        digits[n++] = (char)('0' + (int)(m % 10));
    while ((m /= 10) != 0);
    if (value < 0)
        out[at++] = '-';
    while (n > 0)
        out[at++] = digits[--n];
    out[at] = '\0';
}

gm_value gm_digits(gm_run *r, const char *digits)
{
    gm_int n = 0;
    const bool negative = *digits == '-';
    for (const char *p = digits + negative; *p; p++)
        if (*p < '0' || *p > '9' || !gm_int_mul(&n, n, 10) || !gm_int_add(&n, n, negative ? '0' - *p : *p - '0'))
            return gm_fail(r, "overflow: %s does not fit in 128 bits", digits);
    return gm_number(n);
}

/* ---- numbers ---- */

bool gm_is_number(gm_value v)
{
    return v.type == GM_INT || v.type == GM_BOOL || v.type == GM_RATIO;
}

bool gm_as_int(gm_int *out, gm_value v)
{
    *out = v.type == GM_BOOL ? v.u.truth : v.type == GM_INT ? v.u.number : 0;
    return v.type == GM_BOOL || v.type == GM_INT;
}

static gm_ratio ratio_of(gm_value v)
{
    gm_ratio q = {0, 1};
    if (v.type == GM_RATIO)
        return *v.u.ratio;
    (void)gm_as_int(&q.above, v);
    return q;
}

const char *gm_type_name(gm_value v)
{
    static const char *const names[] = {"nothing", "None",   "a boolean", "an integer", "a fraction",
                                        "a text",  "a list", "an object", "a module"};
    return names[v.type];
}

static gm_value overflow(gm_run *r, const char *what)
{
    return gm_fail(r, "overflow: the result of '%s' does not fit in 128 bits", what);
}

static gm_value wrong(gm_run *r, const char *what, gm_value a, gm_value b)
{
    return gm_fail(r, "'%s' does not work on %s and %s", what, gm_type_name(a), gm_type_name(b));
}

/* above / below in lowest terms; below != 0 */
static gm_value lowest(gm_run *r, gm_int above, gm_int below, const char *what)
{
    magnitude a = size_of(above), b = size_of(below), rest;
    while (b != 0) {
        rest = a % b;
        a = b;
        b = rest;
    }
    gm_int up, down;
    if (!with_sign(&up, (above < 0) != (below < 0), size_of(above) / a) || !with_sign(&down, false, size_of(below) / a))
        return overflow(r, what);
    if (down == 1)
        return gm_number(up);
    gm_ratio *q = gm_room(r, sizeof *q);
    if (!q)
        return gm_none();
    *q = (gm_ratio){up, down};
    gm_value v = {.type = GM_RATIO};
    v.u.ratio = q;
    return v;
}

/* both as numbers; false after an error */
static bool numbers(gm_run *r, const char *what, gm_value *a, gm_value *b)
{
    *a = gm_operand(r, *a);
    *b = gm_operand(r, *b);
    if (r->failed)
        return false;
    if (gm_is_number(*a) && gm_is_number(*b))
        return true;
    (void)wrong(r, what, *a, *b);
    return false;
}

static gm_value joined(gm_run *r, gm_value a, gm_value b)
{
    const size_t n = a.u.list->count, m = b.u.list->count;
    gm_value *items = gm_room(r, (n + m + 1) * sizeof *items);
    for (size_t i = 0; items && i < n + m; i++)
        items[i] = i < n ? a.u.list->items[i] : b.u.list->items[i - n];
    return items ? gm_list_of(r, items, n + m) : gm_none();
}

static gm_value repeated(gm_run *r, gm_value list, gm_value times_)
{
    gm_int n;
    const size_t count = list.u.list->count;
    if (!gm_as_int(&n, times_))
        return wrong(r, "*", list, times_);
    if (n > 1000000 || (count && n > 1000000 / (gm_int)count))
        return gm_fail(r, "a list of more than 1,000,000 items");
    const size_t all = n > 0 ? count * (size_t)n : 0;
    gm_value *items = gm_room(r, (all + 1) * sizeof *items);
    for (size_t i = 0; items && i < all; i++)
        items[i] = list.u.list->items[i % count];
    return items ? gm_list_of(r, items, all) : gm_none();
}

static gm_value sum_of(gm_run *r, gm_value a, gm_value b, bool minus)
{
    const char *what = minus ? "-" : "+";
    gm_int x, y, up, down, left, right;
    if (!numbers(r, what, &a, &b))
        return gm_none();
    if (gm_as_int(&x, a) && gm_as_int(&y, b)) {
        if (minus ? y == SMALLEST || !gm_int_add(&up, x, -y) : !gm_int_add(&up, x, y))
            return overflow(r, what);
        return gm_number(up);
    }
    const gm_ratio p = ratio_of(a), q = ratio_of(b);
    if (!gm_int_mul(&left, p.above, q.below) || !gm_int_mul(&right, q.above, p.below) || !gm_int_mul(&down, p.below, q.below) ||
        right == SMALLEST || !gm_int_add(&up, left, minus ? -right : right))
        return overflow(r, what);
    return lowest(r, up, down, what);
}

gm_value gm_add(gm_run *r, gm_value a, gm_value b)
{
    return !r->failed && a.type == GM_LIST && b.type == GM_LIST ? joined(r, a, b) : sum_of(r, a, b, false);
}

gm_value gm_sub(gm_run *r, gm_value a, gm_value b)
{
    return sum_of(r, a, b, true);
}

gm_value gm_mul(gm_run *r, gm_value a, gm_value b)
{
    gm_int x, y, up, down;
    if (!r->failed && a.type == GM_LIST)
        return repeated(r, a, gm_operand(r, b));
    if (!numbers(r, "*", &a, &b))
        return gm_none();
    if (gm_as_int(&x, a) && gm_as_int(&y, b))
        return gm_int_mul(&up, x, y) ? gm_number(up) : overflow(r, "*");
    const gm_ratio p = ratio_of(a), q = ratio_of(b);
    if (!gm_int_mul(&up, p.above, q.above) || !gm_int_mul(&down, p.below, q.below))
        return overflow(r, "*");
    return lowest(r, up, down, "*");
}

gm_value gm_div(gm_run *r, gm_value a, gm_value b)
{
    gm_int up, down;
    if (!numbers(r, "/", &a, &b))
        return gm_none();
    const gm_ratio p = ratio_of(a), q = ratio_of(b);
    if (q.above == 0)
        return gm_fail(r, "division by zero");
    if (!gm_int_mul(&up, p.above, q.below) || !gm_int_mul(&down, p.below, q.above))
        return overflow(r, "/");
    return lowest(r, up, down, "/");
}

gm_value gm_fraction(gm_run *r, gm_value above, gm_value below)
{
    return gm_div(r, above, below);
}

gm_value gm_floor(gm_run *r, gm_value v)
{
    v = gm_operand(r, v);
    if (r->failed || !gm_is_number(v))
        return gm_fail(r, "floor does not work on %s", gm_type_name(v));
    const gm_ratio q = ratio_of(v);
    return gm_number(floor_of(q.above, q.below));
}

gm_value gm_floor_div(gm_run *r, gm_value a, gm_value b)
{
    gm_int x, y;
    if (!numbers(r, "//", &a, &b))
        return gm_none();
    if (gm_as_int(&x, a) && gm_as_int(&y, b) && y > 0)
        return gm_number(floor_of(x, y));
    return gm_floor(r, gm_div(r, a, b));
}

gm_value gm_mod(gm_run *r, gm_value a, gm_value b)
{
    if (!numbers(r, "%", &a, &b))
        return gm_none();
    return gm_sub(r, a, gm_mul(r, b, gm_floor_div(r, a, b)));
}

gm_value gm_pow(gm_run *r, gm_value a, gm_value b)
{
    gm_int n;
    gm_value result = gm_number(1);
    if (!numbers(r, "**", &a, &b))
        return gm_none();
    if (!gm_as_int(&n, b))
        return gm_fail(r, "an exponent must be an integer: roots are not exact");
    const gm_ratio base = ratio_of(a);
    if (base.above == 0 && n < 0)
        return gm_fail(r, "0 to a negative power");
    if (base.below == 1 && (base.above == 0 || base.above == 1 || base.above == -1)) /* of these any power fits */
        return gm_number(n == 0 ? 1 : base.above == -1 && n % 2 == 0 ? 1 : base.above);
    for (gm_int i = n < 0 ? -n : n; i > 0 && !r->failed; i--)
        result = gm_mul(r, result, a);
    return n < 0 ? gm_div(r, gm_number(1), result) : result;
}

gm_value gm_negative(gm_run *r, gm_value a)
{
    return gm_sub(r, gm_number(0), a);
}

gm_value gm_positive(gm_run *r, gm_value a)
{
    return gm_add(r, gm_number(0), a);
}

gm_value gm_sum(gm_run *r, const gm_value *items, size_t count)
{
    gm_value sum = items[0];
    for (size_t i = 1; i < count; i++)
        sum = gm_add(r, sum, items[i]);
    return sum;
}

gm_value gm_product(gm_run *r, const gm_value *items, size_t count)
{
    gm_value product = items[0];
    for (size_t i = 1; i < count; i++)
        product = gm_mul(r, product, items[i]);
    return product;
}

/* ---- truth, order ---- */

bool gm_is_unset(gm_value v)
{
    return v.type == GM_UNSET;
}

bool gm_is_none(gm_value v)
{
    return v.type == GM_NONE;
}

bool gm_truth(gm_run *r, gm_value v)
{
    (void)r;
    switch (v.type) {
    case GM_UNSET:
    case GM_NONE:
        return false;
    case GM_TEXT:
        return v.length > 0;
    case GM_LIST:
        return v.u.list->count > 0;
    case GM_OBJECT:
        return v.u.object->count > 0;
    case GM_MODULE:
        return true;
    default:
        return ratio_of(v).above != 0;
    }
}

int gm_compare(gm_run *r, gm_value a, gm_value b)
{
    gm_int x, y, left, right;
    if (gm_as_int(&x, a) && gm_as_int(&y, b))
        return (x > y) - (x < y);
    const gm_ratio p = ratio_of(a), q = ratio_of(b);
    if (!gm_int_mul(&left, p.above, q.below) || !gm_int_mul(&right, q.above, p.below)) {
        (void)overflow(r, "<");
        return 0;
    }
    return (left > right) - (left < right);
}

static int compare_texts(gm_value a, gm_value b)
{
    const int order = memcmp(a.u.text, b.u.text, a.length < b.length ? a.length : b.length);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

bool gm_equal(gm_run *r, gm_value a, gm_value b)
{
    if (gm_is_number(a) && gm_is_number(b))
        return gm_compare(r, a, b) == 0;
    if (a.type == GM_MODULE || b.type == GM_MODULE) { /* in a comparison, too, a module is its number */
        a = gm_operand(r, a);
        b = gm_operand(r, b);
        return gm_is_number(a) && gm_is_number(b) && gm_compare(r, a, b) == 0;
    }
    if (a.type != b.type)
        return false;
    if (a.type == GM_TEXT)
        return compare_texts(a, b) == 0;
    if (a.type == GM_OBJECT)
        return a.u.object == b.u.object;
    if (a.type != GM_LIST)
        return true;
    bool same = a.u.list->count == b.u.list->count;
    for (size_t i = 0; same && i < a.u.list->count; i++)
        same = gm_equal(r, a.u.list->items[i], b.u.list->items[i]);
    return same;
}

static int order(gm_run *r, const char *what, gm_value a, gm_value b)
{
    if (a.type == GM_TEXT && b.type == GM_TEXT)
        return compare_texts(a, b);
    return numbers(r, what, &a, &b) ? gm_compare(r, a, b) : 0;
}

bool gm_less(gm_run *r, gm_value a, gm_value b)
{
    return order(r, "<", a, b) < 0;
}

bool gm_at_most(gm_run *r, gm_value a, gm_value b)
{
    return order(r, "<=", a, b) <= 0;
}

static bool has_text(gm_value part, gm_value whole)
{
    for (size_t i = 0; i + part.length <= whole.length; i++)
        if (memcmp(whole.u.text + i, part.u.text, part.length) == 0)
            return true;
    return false;
}

bool gm_in(gm_run *r, gm_value a, gm_value b)
{
    bool found = false;
    if (r->failed)
        return false;
    if (b.type == GM_LIST)
        for (size_t i = 0; i < b.u.list->count && !found; i++)
            found = gm_equal(r, a, b.u.list->items[i]);
    else if (a.type == GM_TEXT && b.type == GM_TEXT)
        found = has_text(a, b);
    else if (a.type == GM_TEXT && b.type == GM_OBJECT)
        found = gm_find(b.u.object, a.u.text) != NULL;
    else
        (void)wrong(r, "in", a, b);
    return found;
}

bool gm_same(gm_value a, gm_value b)
{
    if (a.type != b.type)
        return false;
    switch (a.type) {
    case GM_INT:
        return a.u.number == b.u.number;
    case GM_BOOL:
        return a.u.truth == b.u.truth;
    case GM_RATIO:
        return a.u.ratio->above == b.u.ratio->above && a.u.ratio->below == b.u.ratio->below;
    case GM_TEXT:
        return compare_texts(a, b) == 0;
    case GM_OBJECT:
        return a.u.object == b.u.object;
    case GM_MODULE:
        return a.u.module == b.u.module;
    case GM_LIST:
        if (a.u.list->count != b.u.list->count)
            return false;
        for (size_t i = 0; i < a.u.list->count; i++)
            if (!gm_same(a.u.list->items[i], b.u.list->items[i]))
                return false;
        return true;
    default:
        return true;
    }
}
