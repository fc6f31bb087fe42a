/* Polynomials: terms, interning, what is known of their range, opaque terms. */
#include "formula/poly_terms.h"

#include <stdlib.h>

bool ridge_algebra_init(ridge_algebra *algebra, ridge_arena *arena)
{
    *algebra = (ridge_algebra){.arena = arena, .poly_cap = 64, .atom_index_cap = 64, .key = ridge_hash_key_make()};
    algebra->polys = ridge_arena_array(arena, algebra->poly_cap, sizeof *algebra->polys);
    algebra->atom_index = ridge_arena_array(arena, algebra->atom_index_cap, sizeof *algebra->atom_index);
    return algebra->polys && algebra->atom_index;
}

/* ---- terms and interning ---- */

bool ridge_atom_is_indicator(const ridge_atom *a)
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

static uint32_t hash_terms(const ridge_term *terms, uint32_t count, ridge_hash_key key)
{
    uint64_t h = key.start;
    for (uint32_t i = 0; i < count; i++) {
        h = ridge_hash_word(h, (uint64_t)terms[i].coefficient.num, key);
        h = ridge_hash_word(h, (uint64_t)(terms[i].coefficient.num >> 64), key);
        h = ridge_hash_word(h, (uint64_t)terms[i].coefficient.den, key);
        for (uint32_t k = 0; k < terms[i].count; k++)
            h = ridge_hash_word(h, (uint64_t)terms[i].factors[k].atom->id << 32 | terms[i].factors[k].power, key);
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
    uint32_t h = hash_terms(terms, count, al->key), at = h & (al->poly_cap - 1);
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
ridge_status ridge_poly_build(ridge_value *out, ridge_term *terms, size_t count, const ridge_calc *calc)
{
    size_t n = 0;
    if (count > RIDGE_TERM_LIMIT)
        return ridge_fail(calc->err, RIDGE_LIMIT, "a closed form of more than %d terms", RIDGE_TERM_LIMIT);
    const ridge_status st = ridge_calc_room(calc);
    if (st)
        return st;
    qsort(terms, count, sizeof *terms, compare_terms_qsort);
    for (size_t i = 0; i < count; i++) {
        if (n && compare_terms(&terms[n - 1], &terms[i]) == 0) {
            if (!ridge_rational_add(&terms[n - 1].coefficient, terms[n - 1].coefficient, terms[i].coefficient))
                return ridge_overflow(calc->err, "a coefficient");
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
        return ridge_no_memory(calc->err);
    out->type = RIDGE_V_SYM;
    out->u.sym = p;
    return RIDGE_OK;
}

void ridge_poly_operand_of(ridge_poly_operand *o, ridge_value v)
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

ridge_term *ridge_poly_new_terms(const ridge_calc *calc, size_t count)
{
    return ridge_arena_array(calc->arena, count ? count : 1, sizeof(ridge_term));
}

/* ---- bounds: what a name's lower bound says about a polynomial ---- */

ridge_poly_range ridge_atom_bounds(const ridge_atom *a)
{
    return (ridge_poly_range){a->has_low, a->has_high, a->low, a->high};
}

/* bounds of coefficient * product of atoms whose lower bounds are not negative */
static ridge_poly_range term_bounds(const ridge_term *t)
{
    ridge_poly_range b = {true, true, t->coefficient, t->coefficient};
    for (uint32_t i = 0; i < t->count; i++) {
        ridge_poly_range a = ridge_atom_bounds(t->factors[i].atom);
        if (!a.has_low || a.low.num < 0)
            return (ridge_poly_range){0};
        bool negative = t->coefficient.num < 0;
        bool low_known = negative ? a.has_high : a.has_low, high_known = negative ? a.has_low : a.has_high;
        for (uint32_t k = 0; k < t->factors[i].power; k++) {
            b.has_low = b.has_low && low_known && ridge_rational_mul(&b.low, b.low, negative ? a.high : a.low);
            b.has_high = b.has_high && high_known && ridge_rational_mul(&b.high, b.high, negative ? a.low : a.high);
        }
    }
    return b;
}

ridge_poly_range ridge_poly_bounds(const ridge_poly *p)
{
    ridge_poly_range b = {true, true, {0, 1}, {0, 1}};
    for (uint32_t i = 0; i < p->count; i++) {
        ridge_poly_range t = term_bounds(&p->terms[i]);
        b.has_low = b.has_low && t.has_low && ridge_rational_add(&b.low, b.low, t.low);
        b.has_high = b.has_high && t.has_high && ridge_rational_add(&b.high, b.high, t.high);
    }
    return b;
}

bool ridge_poly_is_integral(const ridge_poly *p)
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

static ridge_poly_range find_bounds(const ridge_atom *a)
{
    ridge_poly_range b = {0}, p = {0}, q = {0};
    if (a->any_rational)
        return b;
    if (a->kind == RIDGE_ATOM_NAME)
        return (ridge_poly_range){true, false, ridge_rational_of(a->least), {0, 1}};
    if (ridge_atom_is_indicator(a))
        return (ridge_poly_range){true, true, {0, 1}, {1, 1}};
    p = ridge_poly_bounds(a->p);
    if (a->q)
        q = ridge_poly_bounds(a->q);
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

bool ridge_atom_value(ridge_rational *out, ridge_atom_kind kind, ridge_rational p, ridge_rational q)
{
    ridge_int whole;
    switch (kind) {
    case RIDGE_ATOM_FLOORDIV:
        if (!ridge_rational_div(&p, p, q) || !ridge_rational_floor(&whole, p))
            return false;
        *out = ridge_rational_of(whole);
        return true;
    case RIDGE_ATOM_MIN:
        *out = ridge_rational_compare(p, q) < 0 ? p : q;
        return true;
    case RIDGE_ATOM_MAX:
        *out = ridge_rational_compare(p, q) < 0 ? q : p;
        return true;
    case RIDGE_ATOM_NOT_NEGATIVE:
        *out = ridge_rational_of(p.num >= 0);
        return true;
    case RIDGE_ATOM_ZERO:
        *out = ridge_rational_of(p.num == 0);
        return true;
    case RIDGE_ATOM_RECIPROCAL:
        return ridge_rational_div(out, ridge_rational_of(1), p);
    default:
        return false;
    }
}

static bool is_integral(const ridge_atom *a)
{
    if (a->kind == RIDGE_ATOM_MIN || a->kind == RIDGE_ATOM_MAX)
        return ridge_poly_is_integral(a->p) && ridge_poly_is_integral(a->q);
    return a->kind != RIDGE_ATOM_RECIPROCAL && !a->any_rational;
}

/* ---- atoms ---- */

static ridge_status atom_value(ridge_value *out, const ridge_atom *atom, const ridge_calc *calc)
{
    ridge_term *t = ridge_poly_new_terms(calc, 1);
    ridge_factor *f = ridge_arena_alloc(calc->arena, sizeof *f);
    if (!t || !f)
        return ridge_no_memory(calc->err);
    *f = (ridge_factor){atom, 1};
    *t = (ridge_term){{1, 1}, 1, f};
    return ridge_poly_build(out, t, 1, calc);
}

static bool same_atom(const ridge_atom *a, const ridge_atom *b)
{
    return a->kind == b->kind && a->p == b->p && a->q == b->q && a->any_rational == b->any_rational &&
           (a->kind != RIDGE_ATOM_NAME || strcmp(a->name, b->name) == 0);
}

/* where an atom like this is in the index, or would be */
static uint32_t *place_of(const ridge_algebra *al, const ridge_atom *like)
{
    uint64_t h = ridge_hash_word(al->key.start, like->kind, al->key);
    if (like->kind == RIDGE_ATOM_NAME)
        h ^= ridge_hash_text(ridge_str_of(like->name), al->key);
    else
        h = ridge_hash_word(h, (uint64_t)like->p->id << 32 | (like->q ? like->q->id + 1u : 0u), al->key);
    uint32_t at = (uint32_t)(h ^ h >> 32) & (al->atom_index_cap - 1);
    while (al->atom_index[at] && !same_atom(al->atoms[al->atom_index[at] - 1], like))
        at = (at + 1) & (al->atom_index_cap - 1);
    return &al->atom_index[at];
}

/* at most half full */
static bool grow_atoms(ridge_algebra *al)
{
    if (!ridge_arena_more(al->arena, &al->atoms, al->atom_count, &al->atom_cap, sizeof *al->atoms))
        return false;
    if ((al->atom_count + 1) * 2 <= al->atom_index_cap)
        return true;
    uint32_t *index = ridge_arena_array(al->arena, al->atom_index_cap * 2, sizeof *index);
    if (!index)
        return false;
    al->atom_index = index;
    al->atom_index_cap *= 2;
    for (uint32_t i = 0; i < al->atom_count; i++)
        *place_of(al, al->atoms[i]) = i + 1;
    return true;
}

static ridge_status find_atom(ridge_atom **out, ridge_atom like, const ridge_calc *calc)
{
    ridge_algebra *al = calc->algebra;
    uint32_t found = *place_of(al, &like);
    if (found) {
        *out = al->atoms[found - 1];
        return RIDGE_OK;
    }
    ridge_atom *a = ridge_arena_alloc(al->arena, sizeof *a);
    if (!a || !grow_atoms(al))
        return ridge_no_memory(calc->err);
    *a = like;
    *place_of(al, &like) = al->atom_count + 1; /* read again only once the atom is there */
    a->id = al->atom_count;
    a->integral = is_integral(a);
    ridge_poly_range b = find_bounds(a);
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
    ridge_atom *a = NULL;
    ridge_status st = find_atom(&a, like, calc);
    return st ? st : atom_value(out, a, calc);
}

ridge_status ridge_sym_name(ridge_value *out, const char *name, ridge_int least, const ridge_calc *calc)
{
    return new_atom(out, (ridge_atom){.kind = RIDGE_ATOM_NAME, .name = name, .least = least}, calc);
}

ridge_status ridge_sym_rational(ridge_value *out, const char *name, const ridge_calc *calc)
{
    return new_atom(out, (ridge_atom){.kind = RIDGE_ATOM_NAME, .name = name, .any_rational = true}, calc);
}

ridge_status ridge_sym_function(ridge_value *out, const char *name, const ridge_poly *p, const ridge_poly *q, const ridge_calc *calc)
{
    return new_atom(out, (ridge_atom){.kind = RIDGE_ATOM_NAME, .name = name, .any_rational = true, .p = p, .q = q}, calc);
}

/* a value as an interned polynomial, constants too */
ridge_status ridge_poly_of(const ridge_poly **out, ridge_value v, const ridge_calc *calc)
{
    if (v.type == RIDGE_V_SYM) {
        *out = v.u.sym;
        return RIDGE_OK;
    }
    ridge_term *t = ridge_poly_new_terms(calc, 1);
    if (!t)
        return ridge_no_memory(calc->err);
    ridge_poly_operand o;
    ridge_poly_operand_of(&o, v);
    *t = o.one;
    *out = intern(calc->algebra, t, (uint32_t)o.count);
    return *out ? RIDGE_OK : ridge_no_memory(calc->err);
}

ridge_status ridge_poly_opaque(ridge_value *out, ridge_atom_kind kind, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_atom like = {.kind = kind};
    ridge_status st;
    if ((st = ridge_poly_of(&like.p, a, calc)) || (b.type != RIDGE_V_NONE && (st = ridge_poly_of(&like.q, b, calc))))
        return st;
    return new_atom(out, like, calc);
}
