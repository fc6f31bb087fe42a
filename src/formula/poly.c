#include "formula/poly.h"

#include <stdlib.h>

#define TERM_LIMIT 20000
#define POWER_LIMIT 64
#define DEGREE_LIMIT 4096 /* of one name in one term */

bool ridge_algebra_init(ridge_algebra *algebra, ridge_arena *arena)
{
    *algebra = (ridge_algebra){.arena = arena, .poly_cap = 64};
    algebra->polys = ridge_arena_array(arena, algebra->poly_cap, sizeof *algebra->polys);
    return algebra->polys != NULL;
}

static ridge_status nomem(const ridge_calc *calc)
{
    return ridge_fail(calc->err, RIDGE_NOMEM, "out of memory");
}

static ridge_status overflow(const ridge_calc *calc)
{
    return ridge_fail(calc->err, RIDGE_OVERFLOW, "overflow: a coefficient does not fit in 128 bits");
}

/* ---- terms and interning ---- */

static bool is_indicator_atom(const ridge_atom *a)
{
    return a->kind == RIDGE_ATOM_NOT_NEGATIVE || a->kind == RIDGE_ATOM_ZERO;
}

static uint32_t degree(const ridge_term *t)
{
    uint32_t d = 0;
    for (uint32_t i = 0; i < t->count; i++)
        d += t->factors[i].power;
    return d;
}

/* higher degree first, then by atoms */
static int compare_terms(const ridge_term *a, const ridge_term *b)
{
    uint32_t da = degree(a), db = degree(b);
    if (da != db)
        return da > db ? -1 : 1;
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        if (a->factors[i].atom != b->factors[i].atom)
            return a->factors[i].atom->id < b->factors[i].atom->id ? -1 : 1;
        if (a->factors[i].power != b->factors[i].power)
            return a->factors[i].power > b->factors[i].power ? -1 : 1;
    }
    return a->count == b->count ? 0 : a->count > b->count ? -1 : 1;
}

static int compare_terms_qsort(const void *a, const void *b)
{
    return compare_terms(a, b);
}

static uint32_t hash_terms(const ridge_term *terms, uint32_t count)
{
    uint64_t h = 1469598103934665603u;
    for (uint32_t i = 0; i < count; i++) {
        h = (h ^ (uint64_t)terms[i].coefficient.num) * 1099511628211u;
        h = (h ^ (uint64_t)terms[i].coefficient.den) * 1099511628211u;
        for (uint32_t k = 0; k < terms[i].count; k++)
            h = (h ^ (terms[i].factors[k].atom->id * 131u + terms[i].factors[k].power)) * 1099511628211u;
    }
    return (uint32_t)(h ^ (h >> 32));
}

static bool same_terms(const ridge_poly *p, const ridge_term *terms, uint32_t count)
{
    if (p->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (compare_terms(&p->terms[i], &terms[i]) != 0 || p->terms[i].coefficient.num != terms[i].coefficient.num ||
            p->terms[i].coefficient.den != terms[i].coefficient.den)
            return false;
    return true;
}

static bool grow_set(ridge_algebra *al)
{
    uint32_t cap = al->poly_cap * 2;
    const ridge_poly **slots = ridge_arena_array(al->arena, cap, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < al->poly_cap; i++)
        if (al->polys[i]) {
            uint32_t at = al->polys[i]->hash & (cap - 1);
            while (slots[at])
                at = (at + 1) & (cap - 1);
            slots[at] = al->polys[i];
        }
    al->polys = slots;
    al->poly_cap = cap;
    return true;
}

/* terms: in the arena, sorted, merged, no zeros */
static const ridge_poly *intern(ridge_algebra *al, const ridge_term *terms, uint32_t count)
{
    if (al->poly_count * 2 >= al->poly_cap && !grow_set(al))
        return NULL;
    uint32_t h = hash_terms(terms, count), at = h & (al->poly_cap - 1);
    for (; al->polys[at]; at = (at + 1) & (al->poly_cap - 1))
        if (al->polys[at]->hash == h && same_terms(al->polys[at], terms, count))
            return al->polys[at];
    ridge_poly *p = ridge_arena_alloc(al->arena, sizeof *p);
    if (!p)
        return NULL;
    *p = (ridge_poly){h, al->poly_count++, count, terms};
    al->polys[at] = p;
    return p;
}

/* sorts, merges and interns; a constant comes back as a plain number */
static ridge_status build(ridge_value *out, ridge_term *terms, size_t count, const ridge_calc *calc)
{
    size_t n = 0;
    if (count > TERM_LIMIT)
        return ridge_fail(calc->err, RIDGE_LIMIT, "a closed form of more than %d terms", TERM_LIMIT);
    qsort(terms, count, sizeof *terms, compare_terms_qsort);
    for (size_t i = 0; i < count; i++) {
        if (n && compare_terms(&terms[n - 1], &terms[i]) == 0) {
            if (!ridge_rational_add(&terms[n - 1].coefficient, terms[n - 1].coefficient, terms[i].coefficient))
                return overflow(calc);
        } else {
            terms[n++] = terms[i];
        }
        if (terms[n - 1].coefficient.num == 0)
            n--;
    }
    if (n == 0 || (n == 1 && terms[0].count == 0))
        return ridge_value_rational(out, n ? terms[0].coefficient : ridge_rational_of(0), calc);
    const ridge_poly *p = intern(calc->algebra, terms, (uint32_t)n);
    if (!p)
        return nomem(calc);
    out->type = RIDGE_V_SYM;
    out->u.sym = p;
    return RIDGE_OK;
}

typedef struct operand {
    const ridge_term *terms;
    size_t count;
    ridge_term one;
} operand;

static void as_operand(operand *o, ridge_value v)
{
    if (v.type == RIDGE_V_SYM) {
        o->terms = v.u.sym->terms;
        o->count = v.u.sym->count;
        return;
    }
    o->one = (ridge_term){{0, 1}, 0, NULL};
    ridge_value_as_rational(&o->one.coefficient, v);
    o->terms = &o->one;
    o->count = o->one.coefficient.num ? 1 : 0;
}

static ridge_term *new_terms(const ridge_calc *calc, size_t count)
{
    return ridge_arena_array(calc->arena, count ? count : 1, sizeof(ridge_term));
}

/* ---- bounds: what a name's lower bound says about a polynomial ---- */

typedef struct bounds {
    bool has_low, has_high;
    ridge_rational low, high;
} bounds;

static bounds atom_bounds(const ridge_atom *a)
{
    return (bounds){a->has_low, a->has_high, a->low, a->high};
}

/* bounds of coefficient * product of atoms whose lower bounds are not negative */
static bounds term_bounds(const ridge_term *t)
{
    bounds b = {true, true, t->coefficient, t->coefficient};
    for (uint32_t i = 0; i < t->count; i++) {
        bounds a = atom_bounds(t->factors[i].atom);
        if (!a.has_low || a.low.num < 0)
            return (bounds){0};
        bool negative = t->coefficient.num < 0;
        bool low_known = negative ? a.has_high : a.has_low, high_known = negative ? a.has_low : a.has_high;
        for (uint32_t k = 0; k < t->factors[i].power; k++) {
            b.has_low = b.has_low && low_known && ridge_rational_mul(&b.low, b.low, negative ? a.high : a.low);
            b.has_high = b.has_high && high_known && ridge_rational_mul(&b.high, b.high, negative ? a.low : a.high);
        }
    }
    return b;
}

static bounds poly_bounds(const ridge_poly *p)
{
    bounds b = {true, true, {0, 1}, {0, 1}};
    for (uint32_t i = 0; i < p->count; i++) {
        bounds t = term_bounds(&p->terms[i]);
        b.has_low = b.has_low && t.has_low && ridge_rational_add(&b.low, b.low, t.low);
        b.has_high = b.has_high && t.has_high && ridge_rational_add(&b.high, b.high, t.high);
    }
    return b;
}

static bool integral_terms(const ridge_poly *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->terms[i].coefficient.den != 1)
            return false;
        for (uint32_t k = 0; k < p->terms[i].count; k++)
            if (!p->terms[i].factors[k].atom->integral)
                return false;
    }
    return true;
}

static bounds find_bounds(const ridge_atom *a)
{
    bounds b = {0}, p = {0}, q = {0};
    if (a->kind == RIDGE_ATOM_NAME)
        return (bounds){true, false, ridge_rational_of(a->least), {0, 1}};
    if (is_indicator_atom(a))
        return (bounds){true, true, {0, 1}, {1, 1}};
    p = poly_bounds(a->p);
    if (a->q)
        q = poly_bounds(a->q);
    switch (a->kind) {
    case RIDGE_ATOM_FLOORDIV:
        b.has_low = p.has_low && p.low.num >= 0 && q.has_low && q.low.num > 0;
        b.low = ridge_rational_of(0);
        break;
    case RIDGE_ATOM_MIN:
        b.has_low = p.has_low && q.has_low;
        b.low = b.has_low && ridge_rational_compare(p.low, q.low) > 0 ? q.low : p.low;
        b.has_high = p.has_high || q.has_high;
        b.high = !p.has_high || (q.has_high && ridge_rational_compare(q.high, p.high) < 0) ? q.high : p.high;
        break;
    case RIDGE_ATOM_MAX:
        b.has_low = p.has_low || q.has_low;
        b.low = !p.has_low || (q.has_low && ridge_rational_compare(q.low, p.low) > 0) ? q.low : p.low;
        b.has_high = p.has_high && q.has_high;
        b.high = b.has_high && ridge_rational_compare(p.high, q.high) < 0 ? q.high : p.high;
        break;
    case RIDGE_ATOM_RECIPROCAL:
        b.has_low = p.has_low && p.low.num > 0;
        b.low = ridge_rational_of(0);
        break;
    default:
        break;
    }
    return b;
}

static bool is_integral(const ridge_atom *a)
{
    if (a->kind == RIDGE_ATOM_MIN || a->kind == RIDGE_ATOM_MAX)
        return integral_terms(a->p) && integral_terms(a->q);
    return a->kind != RIDGE_ATOM_RECIPROCAL;
}

/* ---- atoms ---- */

static ridge_status atom_value(ridge_value *out, const ridge_atom *atom, const ridge_calc *calc)
{
    ridge_term *t = new_terms(calc, 1);
    ridge_factor *f = ridge_arena_alloc(calc->arena, sizeof *f);
    if (!t || !f)
        return nomem(calc);
    *f = (ridge_factor){atom, 1};
    *t = (ridge_term){{1, 1}, 1, f};
    return build(out, t, 1, calc);
}

static ridge_status find_atom(ridge_atom **out, ridge_atom like, const ridge_calc *calc)
{
    ridge_algebra *al = calc->algebra;
    for (uint32_t i = 0; i < al->atom_count; i++) {
        const ridge_atom *a = al->atoms[i];
        if (a->kind == like.kind && a->p == like.p && a->q == like.q && (like.kind != RIDGE_ATOM_NAME || strcmp(a->name, like.name) == 0)) {
            *out = al->atoms[i];
            return RIDGE_OK;
        }
    }
    al->atoms = ridge_arena_grow(al->arena, al->atoms, al->atom_count, &al->atom_cap, al->atom_count + 1u, sizeof *al->atoms);
    ridge_atom *a = ridge_arena_alloc(al->arena, sizeof *a);
    if (!al->atoms || !a)
        return nomem(calc);
    *a = like;
    a->id = al->atom_count;
    a->integral = is_integral(a);
    bounds b = find_bounds(a);
    a->has_low = b.has_low;
    a->has_high = b.has_high;
    a->low = b.low;
    a->high = b.high;
    if (like.kind == RIDGE_ATOM_NAME)
        a->input = al->input_count++;
    al->atoms[al->atom_count++] = a;
    *out = a;
    return RIDGE_OK;
}

static ridge_status new_atom(ridge_value *out, ridge_atom like, const ridge_calc *calc)
{
    ridge_atom *a;
    ridge_status st = find_atom(&a, like, calc);
    return st ? st : atom_value(out, a, calc);
}

ridge_status ridge_sym_name(ridge_value *out, const char *name, ridge_int least, const ridge_calc *calc)
{
    return new_atom(out, (ridge_atom){.kind = RIDGE_ATOM_NAME, .name = name, .least = least}, calc);
}

/* a value as an interned polynomial, constants too */
static ridge_status as_poly(const ridge_poly **out, ridge_value v, const ridge_calc *calc)
{
    if (v.type == RIDGE_V_SYM) {
        *out = v.u.sym;
        return RIDGE_OK;
    }
    ridge_term *t = new_terms(calc, 1);
    if (!t)
        return nomem(calc);
    operand o;
    as_operand(&o, v);
    *t = o.one;
    *out = intern(calc->algebra, t, (uint32_t)o.count);
    return *out ? RIDGE_OK : nomem(calc);
}

static ridge_status opaque(ridge_value *out, ridge_atom_kind kind, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_atom like = {.kind = kind};
    ridge_status st;
    if ((st = as_poly(&like.p, a, calc)) || (b.type != RIDGE_V_NONE && (st = as_poly(&like.q, b, calc))))
        return st;
    return new_atom(out, like, calc);
}

/* ---- arithmetic ---- */

static ridge_status add(ridge_value *out, ridge_value a, ridge_value b, bool negate, const ridge_calc *calc)
{
    operand x, y;
    as_operand(&x, a);
    as_operand(&y, b);
    ridge_term *t = new_terms(calc, x.count + y.count);
    if (!t)
        return nomem(calc);
    for (size_t i = 0; i < x.count; i++)
        t[i] = x.terms[i];
    for (size_t i = 0; i < y.count; i++) {
        t[x.count + i] = y.terms[i];
        if (negate && !ridge_int_sub(&t[x.count + i].coefficient.num, 0, y.terms[i].coefficient.num))
            return overflow(calc);
    }
    return build(out, t, x.count + y.count, calc);
}

/* factors of both, merged by atom; an indicator squared is itself */
static ridge_status multiply_terms(ridge_term *out, const ridge_term *a, const ridge_term *b, const ridge_calc *calc)
{
    ridge_factor *f = ridge_arena_array(calc->arena, (size_t)a->count + b->count + 1, sizeof *f);
    uint32_t i = 0, k = 0, n = 0;
    if (!f)
        return nomem(calc);
    while (i < a->count || k < b->count) {
        bool from_a = k >= b->count || (i < a->count && a->factors[i].atom->id <= b->factors[k].atom->id);
        ridge_factor next = from_a ? a->factors[i++] : b->factors[k++];
        if (n && f[n - 1].atom == next.atom)
            f[n - 1].power = is_indicator_atom(next.atom) ? 1 : f[n - 1].power + next.power;
        else
            f[n++] = next;
        if (f[n - 1].power > DEGREE_LIMIT)
            return ridge_fail(calc->err, RIDGE_LIMIT, "a closed form of a degree above %d", DEGREE_LIMIT);
    }
    *out = (ridge_term){{0, 1}, n, f};
    return ridge_rational_mul(&out->coefficient, a->coefficient, b->coefficient) ? RIDGE_OK : overflow(calc);
}

static ridge_status multiply(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    operand x, y;
    as_operand(&x, a);
    as_operand(&y, b);
    if (x.count && y.count > TERM_LIMIT / x.count)
        return ridge_fail(calc->err, RIDGE_LIMIT, "a closed form of more than %d terms", TERM_LIMIT);
    ridge_term *t = new_terms(calc, x.count * y.count);
    if (!t)
        return nomem(calc);
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < x.count && !st; i++)
        for (size_t k = 0; k < y.count && !st; k++)
            st = multiply_terms(&t[i * y.count + k], &x.terms[i], &y.terms[k], calc);
    return st ? st : build(out, t, x.count * y.count, calc);
}

/* t / by, where by's factors are all in t */
static bool divide_term(ridge_term *out, const ridge_term *t, const ridge_term *by, ridge_arena *arena)
{
    ridge_factor *f = ridge_arena_array(arena, (size_t)t->count + 1, sizeof *f);
    uint32_t n = 0, k = 0;
    if (!f || !ridge_rational_div(&out->coefficient, t->coefficient, by->coefficient))
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        f[n] = t->factors[i];
        if (k < by->count && by->factors[k].atom == f[n].atom) {
            if (by->factors[k].power > f[n].power)
                return false;
            f[n].power -= by->factors[k++].power;
        }
        if (f[n].power)
            n++;
    }
    out->count = n;
    out->factors = f;
    return k == by->count;
}

/* exact division by a single term; *done false where some term does not divide */
static ridge_status divide_exact(ridge_value *out, bool *done, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    operand x, y;
    as_operand(&x, a);
    as_operand(&y, b);
    *done = false;
    if (y.count != 1)
        return RIDGE_OK;
    for (uint32_t k = 0; k < y.terms[0].count; k++)
        if (atom_bounds(y.terms[0].factors[k].atom).low.num <= 0)
            return RIDGE_OK; /* might be zero */
    ridge_term *t = new_terms(calc, x.count);
    if (!t)
        return nomem(calc);
    for (size_t i = 0; i < x.count; i++)
        if (!divide_term(&t[i], &x.terms[i], &y.terms[0], calc->arena))
            return RIDGE_OK;
    *done = true;
    return build(out, t, x.count, calc);
}

static ridge_status divide(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    bool done;
    ridge_value r;
    ridge_status st = divide_exact(out, &done, a, b, calc);
    if (st || done)
        return st;
    if ((st = opaque(&r, RIDGE_ATOM_RECIPROCAL, b, ridge_value_none(), calc)))
        return st;
    return multiply(out, a, r, calc);
}

/* least common denominator of a polynomial's coefficients */
static ridge_status common_denominator(ridge_int *out, ridge_value v, const ridge_calc *calc)
{
    operand o;
    as_operand(&o, v);
    *out = 1;
    for (size_t i = 0; i < o.count; i++) {
        ridge_int d = o.terms[i].coefficient.den;
        if (!ridge_int_mul(out, *out, d / ridge_int_gcd(*out, d)))
            return overflow(calc);
    }
    return RIDGE_OK;
}

/* p // q for an integer q > 0 and integer coefficients: what q divides comes out, the rest stays inside, its coefficients in [0, q) */
static ridge_status floor_by_integer(ridge_value *out, ridge_value p, ridge_int q, const ridge_calc *calc)
{
    operand x;
    as_operand(&x, p);
    ridge_term *whole = new_terms(calc, x.count), *rest = new_terms(calc, x.count);
    ridge_value w, r;
    ridge_status st;
    if (!whole || !rest)
        return nomem(calc);
    for (size_t i = 0; i < x.count; i++) {
        whole[i] = rest[i] = x.terms[i];
        if (!ridge_int_floordiv(&whole[i].coefficient.num, &rest[i].coefficient.num, x.terms[i].coefficient.num, q))
            return overflow(calc);
    }
    if ((st = build(&w, whole, x.count, calc)) || (st = build(&r, rest, x.count, calc)))
        return st;
    if (r.type == RIDGE_V_INT) { /* 0 <= r < q */
        *out = w;
        return RIDGE_OK;
    }
    if ((st = opaque(&r, RIDGE_ATOM_FLOORDIV, r, ridge_value_int(q), calc)))
        return st;
    return ridge_value_binary(out, RIDGE_OP_ADD, w, r, calc);
}

static ridge_status floor_divide(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_rational q;
    ridge_value x;
    ridge_int scale;
    bool done = false;
    ridge_status st = RIDGE_OK;
    if (ridge_value_as_rational(&q, b)) {
        if (q.num <= 0)
            return ridge_fail(calc->err, RIDGE_VALUE, "floor division of a symbolic value by a number that is not positive");
        if ((st = multiply(&x, a, ridge_value_int(q.den), calc)) ||
            (st = common_denominator(&scale, x, calc)) || (st = multiply(&x, x, ridge_value_int(scale), calc)))
            return st;
        ridge_int divisor;
        if (!ridge_int_mul(&divisor, q.num, scale))
            return overflow(calc);
        if (x.type != RIDGE_V_SYM || integral_terms(x.u.sym))
            return floor_by_integer(out, x, divisor, calc);
    } else if ((st = divide_exact(&x, &done, a, b, calc)) || done) {
        if (!st && (x.type != RIDGE_V_SYM || !integral_terms(x.u.sym)))
            done = x.type == RIDGE_V_INT;
        if (st || done) {
            *out = x;
            return st;
        }
    }
    return opaque(out, RIDGE_ATOM_FLOORDIV, a, b, calc);
}

static ridge_status power(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_int n;
    if (!ridge_value_as_int(&n, b) || n < 0 || n > POWER_LIMIT)
        return ridge_fail(calc->err, RIDGE_VALUE, "a symbolic value can be raised to 0..%d only", POWER_LIMIT);
    ridge_status st = RIDGE_OK;
    *out = ridge_value_int(1);
    while (n-- > 0 && !st)
        st = multiply(out, *out, a, calc);
    return st;
}

/* ---- conditions ---- */

/* 1 where v >= 0; v is scaled to integers first */
static ridge_status not_negative(ridge_value *out, ridge_value v, const ridge_calc *calc)
{
    ridge_int scale;
    ridge_rational r;
    ridge_status st;
    if (ridge_value_as_rational(&r, v)) {
        *out = ridge_value_bool(r.num >= 0);
        return RIDGE_OK;
    }
    if ((st = common_denominator(&scale, v, calc)) || (st = multiply(&v, v, ridge_value_int(scale), calc)))
        return st;
    bounds b = poly_bounds(v.u.sym);
    if ((b.has_low && b.low.num >= 0) || (b.has_high && b.high.num < 0)) {
        *out = ridge_value_bool(b.has_low && b.low.num >= 0);
        return RIDGE_OK;
    }
    return opaque(out, RIDGE_ATOM_NOT_NEGATIVE, v, ridge_value_none(), calc);
}

static ridge_status complement(ridge_value *out, ridge_value v, const ridge_calc *calc)
{
    if (v.type == RIDGE_V_BOOL) {
        *out = ridge_value_bool(!v.u.b);
        return RIDGE_OK;
    }
    return add(out, ridge_value_int(1), v, true, calc);
}

/* 1 where a < b: b - a - 1 >= 0 over integers, else not a - b >= 0 */
static ridge_status less(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value d;
    ridge_int scale;
    ridge_status st;
    if ((st = add(&d, b, a, true, calc)) || (st = common_denominator(&scale, d, calc)) || (st = multiply(&d, d, ridge_value_int(scale), calc)))
        return st;
    if (d.type == RIDGE_V_SYM && !integral_terms(d.u.sym)) {
        if ((st = add(&d, ridge_value_int(0), d, true, calc)) || (st = not_negative(out, d, calc)))
            return st;
        return complement(out, *out, calc);
    }
    return (st = add(&d, d, ridge_value_int(1), true, calc)) ? st : not_negative(out, d, calc);
}

static bool evaluate_bits(ridge_rational *out, const ridge_poly *p, const ridge_atom **atoms, uint32_t count, uint32_t bits)
{
    *out = ridge_rational_of(0);
    for (uint32_t i = 0; i < p->count; i++) {
        bool on = true;
        for (uint32_t k = 0; k < p->terms[i].count; k++)
            for (uint32_t a = 0; a < count; a++)
                if (atoms[a] == p->terms[i].factors[k].atom && !(bits >> a & 1))
                    on = false;
        if (on && !ridge_rational_add(out, *out, p->terms[i].coefficient))
            return false;
    }
    return true;
}

/* Is this polynomial of indicators 0 or 1 for every combination of them? */
static bool is_indicator(const ridge_poly *p)
{
    const ridge_atom *atoms[6];
    uint32_t n = 0;
    ridge_rational r;
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->terms[i].count; k++) {
            const ridge_atom *a = p->terms[i].factors[k].atom;
            uint32_t at = 0;
            while (at < n && atoms[at] != a)
                at++;
            if (!is_indicator_atom(a) || (at == n && n == 6))
                return false;
            if (at == n)
                atoms[n++] = a;
        }
    for (uint32_t bits = 0; bits < 1u << n; bits++)
        if (!evaluate_bits(&r, p, atoms, n, bits) || r.den != 1 || r.num < 0 || r.num > 1)
            return false;
    return true;
}

static ridge_status equal(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value d;
    ridge_rational r;
    ridge_status st = add(&d, a, b, true, calc);
    if (st)
        return st;
    if (ridge_value_as_rational(&r, d)) {
        *out = ridge_value_bool(r.num == 0);
        return RIDGE_OK;
    }
    if (is_indicator(d.u.sym)) /* [x] == 0 is 1 - [x] */
        return add(out, ridge_value_int(1), d, true, calc);
    bounds bd = poly_bounds(d.u.sym);
    if ((bd.has_low && bd.low.num > 0) || (bd.has_high && bd.high.num < 0)) {
        *out = ridge_value_bool(false);
        return RIDGE_OK;
    }
    return opaque(out, RIDGE_ATOM_ZERO, d, ridge_value_none(), calc);
}

static ridge_status compare(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_status st;
    switch (op) {
    case RIDGE_OP_LT:
        return less(out, a, b, calc);
    case RIDGE_OP_GT:
        return less(out, b, a, calc);
    case RIDGE_OP_LE:
        return (st = less(out, b, a, calc)) ? st : complement(out, *out, calc);
    case RIDGE_OP_GE:
        return (st = less(out, a, b, calc)) ? st : complement(out, *out, calc);
    case RIDGE_OP_EQ:
        return equal(out, a, b, calc);
    default:
        return (st = equal(out, a, b, calc)) ? st : complement(out, *out, calc);
    }
}

ridge_status ridge_sym_binary(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value q;
    ridge_status st;
    if (!calc->algebra)
        return ridge_fail(calc->err, RIDGE_TYPE, "no symbolic values here");
    switch (op) {
    case RIDGE_OP_ADD:
    case RIDGE_OP_SUB:
        return add(out, a, b, op == RIDGE_OP_SUB, calc);
    case RIDGE_OP_MUL:
        return multiply(out, a, b, calc);
    case RIDGE_OP_DIV:
        return divide(out, a, b, calc);
    case RIDGE_OP_FLOORDIV:
        return floor_divide(out, a, b, calc);
    case RIDGE_OP_MOD:
        if ((st = floor_divide(&q, a, b, calc)) || (st = ridge_value_binary(&q, RIDGE_OP_MUL, q, b, calc)))
            return st;
        return ridge_value_binary(out, RIDGE_OP_SUB, a, q, calc);
    case RIDGE_OP_POW:
        return power(out, a, b, calc);
    default:
        return compare(out, op, a, b, calc);
    }
}

ridge_status ridge_sym_min_max(ridge_value *out, bool maximum, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value d;
    ridge_rational r;
    const ridge_poly *p, *q;
    ridge_status st = add(&d, a, b, true, calc);
    if (st)
        return st;
    bounds bd = {0};
    if (ridge_value_as_rational(&r, d))
        bd = (bounds){true, true, r, r};
    else
        bd = poly_bounds(d.u.sym);
    if (bd.has_low && bd.low.num >= 0) {
        *out = maximum ? a : b;
        return RIDGE_OK;
    }
    if (bd.has_high && bd.high.num <= 0) {
        *out = maximum ? b : a;
        return RIDGE_OK;
    }
    if ((st = as_poly(&p, a, calc)) || (st = as_poly(&q, b, calc)))
        return st;
    return opaque(out, maximum ? RIDGE_ATOM_MAX : RIDGE_ATOM_MIN, p->id < q->id ? a : b, p->id < q->id ? b : a, calc);
}

ridge_status ridge_sym_floor(ridge_value *out, ridge_value a, const ridge_calc *calc)
{
    if (integral_terms(a.u.sym)) {
        *out = a;
        return RIDGE_OK;
    }
    return floor_divide(out, a, ridge_value_int(1), calc);
}

ridge_status ridge_sym_select(ridge_value *out, ridge_value condition, ridge_value then, ridge_value otherwise, const ridge_calc *calc)
{
    ridge_value d;
    ridge_status st;
    if ((st = ridge_value_binary(&d, RIDGE_OP_SUB, then, otherwise, calc)) ||
        (st = ridge_value_binary(&d, RIDGE_OP_MUL, condition, d, calc)))
        return st;
    return ridge_value_binary(out, RIDGE_OP_ADD, otherwise, d, calc);
}

bool ridge_poly_is_plain(const ridge_poly *poly)
{
    for (uint32_t i = 0; i < poly->count; i++)
        for (uint32_t k = 0; k < poly->terms[i].count; k++)
            if (poly->terms[i].factors[k].atom->kind != RIDGE_ATOM_NAME)
                return false;
    return true;
}
