/* Arithmetic and conditions over symbolic numbers. */
#include "formula/poly_terms.h"

#define POWER_LIMIT  64
#define DEGREE_LIMIT 4096 /* of one name in one term */

/* ---- arithmetic ---- */

static ridge_status add(ridge_value *out, ridge_value a, ridge_value b, bool negate, const ridge_calc *calc)
{
    ridge_poly_operand x, y;
    ridge_poly_operand_of(&x, a);
    ridge_poly_operand_of(&y, b);
    ridge_term *t = ridge_poly_new_terms(calc, x.count + y.count);
    if (!t)
        return ridge_no_memory(calc->err);
    for (size_t i = 0; i < x.count; i++)
        t[i] = x.terms[i];
    for (size_t i = 0; i < y.count; i++) {
        t[x.count + i] = y.terms[i];
        if (negate && !ridge_int_sub(&t[x.count + i].coefficient.num, 0, y.terms[i].coefficient.num))
            return ridge_overflow(calc->err, "a coefficient");
    }
    return ridge_poly_build(out, t, x.count + y.count, calc);
}

/* factors of both, merged by atom; an indicator squared is itself */
static ridge_status multiply_terms(ridge_term *out, const ridge_term *a, const ridge_term *b, const ridge_calc *calc)
{
    ridge_factor *f = ridge_arena_array(calc->arena, (size_t)a->count + b->count + 1, sizeof *f);
    uint32_t i = 0, k = 0, n = 0;
    if (!f)
        return ridge_no_memory(calc->err);
    while (i < a->count || k < b->count) {
        bool from_a = k >= b->count || (i < a->count && a->factors[i].atom->id <= b->factors[k].atom->id);
        ridge_factor next = from_a ? a->factors[i++] : b->factors[k++];
        if (n && f[n - 1].atom == next.atom)
            f[n - 1].power = ridge_atom_is_indicator(next.atom) ? 1 : f[n - 1].power + next.power;
        else
            f[n++] = next;
        if (f[n - 1].power > DEGREE_LIMIT)
            return ridge_fail(calc->err, RIDGE_LIMIT, "a closed form of a degree above %d", DEGREE_LIMIT);
    }
    *out = (ridge_term){{0, 1}, n, f};
    return ridge_rational_mul(&out->coefficient, a->coefficient, b->coefficient) ? RIDGE_OK : ridge_overflow(calc->err, "a coefficient");
}

/* a = c * p for some constant c */
static bool is_multiple(ridge_value a, const ridge_poly *p)
{
    ridge_rational ratio, c;
    if (a.type != RIDGE_V_SYM || a.u.sym->count != p->count)
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        const ridge_term *x = &a.u.sym->terms[i], *y = &p->terms[i];
        bool same = x->count == y->count;
        for (uint32_t k = 0; same && k < x->count; k++)
            same = x->factors[k].atom == y->factors[k].atom && x->factors[k].power == y->factors[k].power;
        if (!same || !ridge_rational_div(&c, x->coefficient, y->coefficient) || (i && ridge_rational_compare(c, ratio) != 0))
            return false;
        ratio = c;
    }
    return true;
}

/* b = constant + k * (p == 0), and a vanishes with p: the product is constant * a */
static bool vanishes(ridge_rational *constant, ridge_value a, ridge_value b)
{
    *constant = ridge_rational_of(0);
    bool zero = false;
    for (uint32_t i = 0; b.type == RIDGE_V_SYM && i < b.u.sym->count; i++) {
        const ridge_term *t = &b.u.sym->terms[i];
        if (t->count == 0)
            *constant = t->coefficient;
        else if (zero || t->count != 1 || t->factors[0].atom->kind != RIDGE_ATOM_ZERO || !is_multiple(a, t->factors[0].atom->p))
            return false;
        else
            zero = true;
    }
    return zero;
}

static ridge_status expand(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc);

static ridge_status multiply(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_rational constant;
    ridge_value c;
    ridge_status st;
    if (!vanishes(&constant, a, b)) {
        if (!vanishes(&constant, b, a))
            return expand(out, a, b, calc);
        a = b;
    }
    st = ridge_value_rational(&c, constant, calc);
    return st ? st : expand(out, a, c, calc);
}

static ridge_status expand(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_poly_operand x, y;
    ridge_poly_operand_of(&x, a);
    ridge_poly_operand_of(&y, b);
    if (x.count && y.count > RIDGE_TERM_LIMIT / x.count)
        return ridge_fail(calc->err, RIDGE_LIMIT, "a closed form of more than %d terms", RIDGE_TERM_LIMIT);
    ridge_term *t = ridge_poly_new_terms(calc, x.count * y.count);
    if (!t)
        return ridge_no_memory(calc->err);
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < x.count && !st; i++)
        for (size_t k = 0; k < y.count && !st; k++)
            st = multiply_terms(&t[i * y.count + k], &x.terms[i], &y.terms[k], calc);
    return st ? st : ridge_poly_build(out, t, x.count * y.count, calc);
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
    ridge_poly_operand x, y;
    ridge_poly_operand_of(&x, a);
    ridge_poly_operand_of(&y, b);
    *done = false;
    if (y.count != 1)
        return RIDGE_OK;
    for (uint32_t k = 0; k < y.terms[0].count && !calc->algebra->divisors_hold; k++)
        if (ridge_atom_bounds(y.terms[0].factors[k].atom).low.num <= 0)
            return RIDGE_OK; /* might be zero */
    ridge_term *t = ridge_poly_new_terms(calc, x.count);
    if (!t)
        return ridge_no_memory(calc->err);
    for (size_t i = 0; i < x.count; i++)
        if (!divide_term(&t[i], &x.terms[i], &y.terms[0], calc->arena))
            return calc->arena->failed ? ridge_no_memory(calc->err) : RIDGE_OK;
    *done = true;
    return ridge_poly_build(out, t, x.count, calc);
}

static ridge_status divide(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    bool done;
    ridge_value r;
    ridge_status st = divide_exact(out, &done, a, b, calc);
    if (st || done)
        return st;
    if ((st = ridge_poly_opaque(&r, RIDGE_ATOM_RECIPROCAL, b, ridge_value_none(), calc)))
        return st;
    return multiply(out, a, r, calc);
}

/* least common denominator of a polynomial's coefficients */
static ridge_status common_denominator(ridge_int *out, ridge_value v, const ridge_calc *calc)
{
    ridge_poly_operand o;
    ridge_poly_operand_of(&o, v);
    *out = 1;
    for (size_t i = 0; i < o.count; i++) {
        ridge_int d = o.terms[i].coefficient.den;
        if (!ridge_int_mul(out, *out, d / ridge_int_gcd(*out, d)))
            return ridge_overflow(calc->err, "a coefficient");
    }
    return RIDGE_OK;
}

/* p // q for an integer q > 0 and integer coefficients: what q divides comes out, the rest stays inside, its coefficients in [0, q) */
static ridge_status floor_by_integer(ridge_value *out, ridge_value p, ridge_int q, const ridge_calc *calc)
{
    ridge_poly_operand x;
    ridge_poly_operand_of(&x, p);
    ridge_term *whole = ridge_poly_new_terms(calc, x.count), *rest = ridge_poly_new_terms(calc, x.count);
    ridge_value w, r;
    ridge_status st;
    if (!whole || !rest)
        return ridge_no_memory(calc->err);
    for (size_t i = 0; i < x.count; i++) {
        whole[i] = rest[i] = x.terms[i];
        if (!ridge_int_floordiv(&whole[i].coefficient.num, &rest[i].coefficient.num, x.terms[i].coefficient.num, q))
            return ridge_overflow(calc->err, "a coefficient");
    }
    if ((st = ridge_poly_build(&w, whole, x.count, calc)) || (st = ridge_poly_build(&r, rest, x.count, calc)))
        return st;
    if (r.type == RIDGE_V_INT) { /* 0 <= r < q */
        *out = w;
        return RIDGE_OK;
    }
    if ((st = ridge_poly_opaque(&r, RIDGE_ATOM_FLOORDIV, r, ridge_value_int(q), calc)))
        return st;
    return ridge_value_binary(out, RIDGE_OP_ADD, w, r, calc);
}

/* p // q for a q of one term: terms that are whole multiples of q come out, (x*q + r) // q is x + r // q. *done false: there are none. */
static ridge_status floor_by_term(ridge_value *out, bool *done, ridge_value p, ridge_value q, const ridge_calc *calc)
{
    ridge_poly_operand x, y;
    ridge_poly_operand_of(&x, p);
    ridge_poly_operand_of(&y, q);
    *done = false;
    for (uint32_t k = 0; y.count == 1 && k < y.terms[0].count && !calc->algebra->divisors_hold; k++)
        if (ridge_atom_bounds(y.terms[0].factors[k].atom).low.num <= 0)
            return RIDGE_OK; /* might be zero */
    ridge_term *whole = ridge_poly_new_terms(calc, x.count), *rest = ridge_poly_new_terms(calc, x.count);
    size_t wholes = 0, rests = 0;
    ridge_value w, r, one;
    ridge_status st;
    if (!whole || !rest)
        return ridge_no_memory(calc->err);
    for (size_t i = 0; i < x.count && y.count == 1; i++) {
        bool divides = divide_term(&whole[wholes], &x.terms[i], &y.terms[0], calc->arena);
        if (divides && (st = ridge_poly_build(&one, &whole[wholes], 1, calc)))
            return st;
        if (divides && (one.type == RIDGE_V_INT || (one.type == RIDGE_V_SYM && ridge_poly_is_integral(one.u.sym)))) {
            if (!divide_term(&whole[wholes++], &x.terms[i], &y.terms[0], calc->arena))
                return ridge_no_memory(calc->err);
        } else
            rest[rests++] = x.terms[i];
    }
    if (calc->arena->failed)
        return ridge_no_memory(calc->err);
    if (wholes == 0)
        return RIDGE_OK;
    *done = true;
    if ((st = ridge_poly_build(&w, whole, wholes, calc)) || (st = ridge_poly_build(&r, rest, rests, calc)) ||
        (st = ridge_value_binary(&r, RIDGE_OP_FLOORDIV, r, q, calc)))
        return st;
    return ridge_value_binary(out, RIDGE_OP_ADD, w, r, calc);
}

/* x as n/d, where every term of x has the factor 1/d: int(hidden/heads). *done false: they have none in common. */
static ridge_status as_quotient(ridge_value *n, ridge_value *d, bool *done, ridge_value x, const ridge_calc *calc)
{
    const ridge_poly *p = x.u.sym;
    const ridge_atom *common = NULL;
    *done = false;
    for (uint32_t k = 0; k < p->terms[0].count && !common; k++)
        if (p->terms[0].factors[k].atom->kind == RIDGE_ATOM_RECIPROCAL && p->terms[0].factors[k].power == 1)
            common = p->terms[0].factors[k].atom;
    ridge_term *terms = common ? ridge_poly_new_terms(calc, p->count) : NULL;
    if (common && !terms)
        return ridge_no_memory(calc->err);
    for (uint32_t i = 0; i < p->count && common; i++) {
        ridge_factor *factors = ridge_arena_array(calc->arena, p->terms[i].count + 1u, sizeof *factors);
        if (!factors)
            return ridge_no_memory(calc->err);
        terms[i] = (ridge_term){p->terms[i].coefficient, 0, factors};
        for (uint32_t k = 0; k < p->terms[i].count; k++)
            if (p->terms[i].factors[k].atom != common || p->terms[i].factors[k].power != 1)
                factors[terms[i].count++] = p->terms[i].factors[k];
        if (terms[i].count + 1 != p->terms[i].count)
            return RIDGE_OK;
    }
    if (!common)
        return RIDGE_OK;
    *done = true;
    d->type = RIDGE_V_SYM;
    d->u.sym = common->p;
    return ridge_poly_build(n, terms, p->count, calc);
}

static ridge_status floor_divide(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_rational q;
    ridge_value x;
    ridge_int scale;
    bool done = false;
    ridge_status st = RIDGE_OK;
    if (ridge_value_as_rational(&q, b)) {
        if (q.num == 0)
            return ridge_fail(calc->err, RIDGE_VALUE, "floor division of a symbolic value by 0");
        if (q.num < 0) /* a // -b == -a // b */
            return (st = multiply(&x, a, ridge_value_int(-1), calc)) || (st = multiply(&b, b, ridge_value_int(-1), calc))
                       ? st
                       : ridge_value_binary(out, RIDGE_OP_FLOORDIV, x, b, calc);
        if ((st = multiply(&x, a, ridge_value_int(q.den), calc)) || (st = common_denominator(&scale, x, calc)) ||
            (st = multiply(&x, x, ridge_value_int(scale), calc)))
            return st;
        ridge_int divisor;
        if (!ridge_int_mul(&divisor, q.num, scale))
            return ridge_overflow(calc->err, "a coefficient");
        if (x.type != RIDGE_V_SYM || ridge_poly_is_integral(x.u.sym))
            return floor_by_integer(out, x, divisor, calc);
        ridge_value n, d;
        if (divisor == 1 && ((st = as_quotient(&n, &d, &done, x, calc)) || done))
            return st ? st : ridge_value_binary(out, RIDGE_OP_FLOORDIV, n, d, calc);
    } else if ((st = divide_exact(&x, &done, a, b, calc)) || done) {
        if (!st && (x.type != RIDGE_V_SYM || !ridge_poly_is_integral(x.u.sym)))
            done = x.type == RIDGE_V_INT;
        if (st || done) {
            *out = x;
            return st;
        }
    }
    if (b.type == RIDGE_V_SYM && ((st = floor_by_term(out, &done, a, b, calc)) || done))
        return st;
    return ridge_poly_opaque(out, RIDGE_ATOM_FLOORDIV, a, b, calc);
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
    ridge_poly_range b = ridge_poly_bounds(v.u.sym);
    if ((b.has_low && b.low.num >= 0) || (b.has_high && b.high.num < 0)) {
        *out = ridge_value_bool(b.has_low && b.low.num >= 0);
        return RIDGE_OK;
    }
    return ridge_poly_opaque(out, RIDGE_ATOM_NOT_NEGATIVE, v, ridge_value_none(), calc);
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
    if ((st = add(&d, b, a, true, calc)) || (st = common_denominator(&scale, d, calc)) ||
        (st = multiply(&d, d, ridge_value_int(scale), calc)))
        return st;
    if (d.type == RIDGE_V_SYM && !ridge_poly_is_integral(d.u.sym)) {
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
            if (!ridge_atom_is_indicator(a) || (at == n && n == 6))
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
    ridge_poly_range bd = ridge_poly_bounds(d.u.sym);
    if ((bd.has_low && bd.low.num > 0) || (bd.has_high && bd.high.num < 0)) {
        *out = ridge_value_bool(false);
        return RIDGE_OK;
    }
    return ridge_poly_opaque(out, RIDGE_ATOM_ZERO, d, ridge_value_none(), calc);
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

static ridge_status binary(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value q;
    ridge_status st;
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

/* ---- what was calculated lately: the same sums come again for every layer ---- */

enum { MEMO = 4096, MEMO_AFTER = 4096 };

struct ridge_memo {
    ridge_op op;
    ridge_value a, b, out; /* a UNSET: empty */
};

static bool is_simple(ridge_value v)
{
    return v.type == RIDGE_V_SYM || v.type == RIDGE_V_INT;
}

static bool is_same(ridge_value a, ridge_value b)
{
    return a.type == b.type && (a.type == RIDGE_V_SYM ? a.u.sym == b.u.sym : a.u.i == b.u.i);
}

static uint32_t word_of(ridge_value v)
{
    return v.type == RIDGE_V_SYM ? v.u.sym->hash : (uint32_t)(uint64_t)v.u.i * 2654435769u + 1;
}

/* NULL: not remembered */
static struct ridge_memo *memo_of(ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_algebra *al = calc->algebra;
    if (!is_simple(a) || !is_simple(b) || ++al->operations < MEMO_AFTER)
        return NULL;
    if (!al->memo && !(al->memo = ridge_arena_array(al->arena, MEMO, sizeof *al->memo)))
        return NULL;
    uint32_t h = (word_of(a) * 31 + word_of(b)) * 31 + (uint32_t)op;
    return &al->memo[(h ^ h >> 16) & (MEMO - 1)];
}

ridge_status ridge_sym_binary(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    if (!calc->algebra)
        return ridge_fail(calc->err, RIDGE_TYPE, "no symbolic values here");
    struct ridge_memo *memo = memo_of(op, a, b, calc);
    if (memo && memo->a.type != RIDGE_V_UNSET && memo->op == op && is_same(memo->a, a) && is_same(memo->b, b)) {
        *out = memo->out;
        return RIDGE_OK;
    }
    ridge_status st = binary(out, op, a, b, calc);
    if (!st && memo)
        *memo = (struct ridge_memo){op, a, b, *out};
    return st;
}

ridge_status ridge_sym_min_max(ridge_value *out, bool maximum, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value d;
    ridge_rational r;
    const ridge_poly *p, *q;
    ridge_status st = add(&d, a, b, true, calc);
    if (st)
        return st;
    ridge_poly_range bd = {0};
    if (ridge_value_as_rational(&r, d))
        bd = (ridge_poly_range){true, true, r, r};
    else
        bd = ridge_poly_bounds(d.u.sym);
    if (bd.has_low && bd.low.num >= 0) {
        *out = maximum ? a : b;
        return RIDGE_OK;
    }
    if (bd.has_high && bd.high.num <= 0) {
        *out = maximum ? b : a;
        return RIDGE_OK;
    }
    if ((st = ridge_poly_of(&p, a, calc)) || (st = ridge_poly_of(&q, b, calc)))
        return st;
    return ridge_poly_opaque(out, maximum ? RIDGE_ATOM_MAX : RIDGE_ATOM_MIN, p->id < q->id ? a : b, p->id < q->id ? b : a, calc);
}

ridge_status ridge_sym_floor(ridge_value *out, ridge_value a, const ridge_calc *calc)
{
    if (ridge_poly_is_integral(a.u.sym)) {
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
            if (poly->terms[i].factors[k].atom->kind != RIDGE_ATOM_NAME || poly->terms[i].factors[k].atom->p)
                return false;
    return true;
}
