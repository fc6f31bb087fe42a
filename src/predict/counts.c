#include "predict/counts.h"

#include <stdlib.h>

#include "predict/counts_code.h"
#include "predict/seconds.h"

typedef struct maker {
    ridge_counts *c;
    const ridge_calc *calc;
    uint32_t *slot_of; /* [atom id] + 1; 0: none yet */
} maker;

/* a polynomial's slot, and what it is to be divided by */
typedef struct line {
    uint32_t slot;
    ridge_int den;
} line;

/* ---- making ---- */

static ridge_status emit(uint32_t *slot, maker *m, ridge_count_step s)
{
    ridge_counts *c = m->c;
    for (size_t i = 0; i < c->step_count && s.op != RIDGE_COUNT_SUM; i++) { /* programs are short */
        const ridge_count_step *o = &c->steps[i];
        if (o->op == s.op && o->a == s.a && o->b == s.b && o->scale_a == s.scale_a && o->scale_b == s.scale_b) {
            *slot = (uint32_t)i;
            return RIDGE_OK;
        }
    }
    if (!ridge_arena_more(m->calc->arena, &c->steps, c->step_count, &c->step_cap, sizeof *c->steps))
        return ridge_no_memory(m->calc->err);
    *slot = (uint32_t)c->step_count;
    c->steps[c->step_count++] = s;
    return RIDGE_OK;
}

static ridge_status emit_poly(line *out, maker *m, const ridge_poly *poly);

static ridge_status emit_two(uint32_t *slot, maker *m, ridge_count_op op, const ridge_atom *atom)
{
    line p, q;
    ridge_int scale;
    ridge_status st;
    if ((st = emit_poly(&p, m, atom->p)) || (st = emit_poly(&q, m, atom->q)))
        return st;
    if (!ridge_int_mul(&scale, p.den, q.den) || scale > INT64_MAX)
        return ridge_overflow(m->calc->err, "a coefficient");
    return emit(slot, m, (ridge_count_step){.op = op, .a = p.slot, .b = q.slot, .scale_a = q.den, .scale_b = p.den});
}

static ridge_status emit_atom(uint32_t *slot, maker *m, const ridge_atom *atom)
{
    line p;
    ridge_status st;
    if (m->slot_of[atom->id]) {
        *slot = m->slot_of[atom->id] - 1;
        return RIDGE_OK;
    }
    switch (atom->kind) {
    case RIDGE_ATOM_NAME:
        st = emit(slot, m, (ridge_count_step){.op = RIDGE_COUNT_INPUT, .a = atom->input});
        break;
    case RIDGE_ATOM_FLOORDIV:
        st = emit_two(slot, m, RIDGE_COUNT_FLOORDIV, atom);
        break;
    case RIDGE_ATOM_MIN:
        st = emit_two(slot, m, RIDGE_COUNT_MIN, atom);
        break;
    case RIDGE_ATOM_MAX:
        st = emit_two(slot, m, RIDGE_COUNT_MAX, atom);
        break;
    case RIDGE_ATOM_NOT_NEGATIVE:
    case RIDGE_ATOM_ZERO:
        if (!(st = emit_poly(&p, m, atom->p)))
            st = emit(slot, m,
                      (ridge_count_step){.op = atom->kind == RIDGE_ATOM_ZERO ? RIDGE_COUNT_ZERO : RIDGE_COUNT_NOT_NEGATIVE, .a = p.slot});
        break;
    default:
        return ridge_fail(m->calc->err, RIDGE_VALUE, "a closed form with a reciprocal has no exact integers");
    }
    m->slot_of[atom->id] = *slot + 1;
    return st;
}

/* the product of a term's factors; terms share the products they begin with */
static ridge_status emit_term(uint32_t *slot, maker *m, const ridge_term *t)
{
    bool first = true;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t factor;
        ridge_status st = emit_atom(&factor, m, t->factors[i].atom);
        for (uint32_t k = 0; k < t->factors[i].power && !st; k++) {
            if (first)
                *slot = factor;
            else
                st = emit(slot, m, (ridge_count_step){.op = RIDGE_COUNT_PRODUCT, .a = *slot, .b = factor});
            first = false;
        }
        if (st)
            return st;
    }
    return RIDGE_OK;
}

static ridge_status denominator(ridge_int *den, maker *m, const ridge_poly *poly)
{
    *den = 1;
    for (uint32_t i = 0; i < poly->count; i++) {
        ridge_int d = poly->terms[i].coefficient.den;
        if (!ridge_int_mul(den, *den, d / ridge_int_gcd(*den, d)) || *den > INT64_MAX)
            return ridge_overflow(m->calc->err, "a coefficient");
    }
    return RIDGE_OK;
}

/* the terms of nested polynomials come first, so that a sum's own stand together */
static ridge_status emit_poly(line *out, maker *m, const ridge_poly *poly)
{
    ridge_counts *c = m->c;
    ridge_count_step sum = {.op = RIDGE_COUNT_SUM};
    ridge_count_term *own = ridge_arena_array(m->calc->arena, poly->count + 1u, sizeof *own);
    ridge_status st = own ? denominator(&out->den, m, poly) : ridge_no_memory(m->calc->err);
    for (uint32_t i = 0; i < poly->count && !st; i++) {
        ridge_rational r = poly->terms[i].coefficient;
        ridge_int scaled;
        if (!ridge_int_mul(&scaled, r.num, out->den / r.den))
            return ridge_overflow(m->calc->err, "a coefficient");
        if (poly->terms[i].count == 0) {
            sum.constant = scaled;
            continue;
        }
        own[sum.b].coefficient = scaled;
        st = emit_term(&own[sum.b++].slot, m, &poly->terms[i]);
    }
    if (st)
        return st;
    c->terms = ridge_arena_grow(m->calc->arena, c->terms, c->term_count, &c->term_cap, c->term_count + sum.b + 1, sizeof *c->terms);
    if (!c->terms)
        return ridge_no_memory(m->calc->err);
    sum.a = (uint32_t)c->term_count;
    for (uint32_t i = 0; i < sum.b; i++)
        c->terms[c->term_count++] = own[i];
    return emit(&out->slot, m, sum);
}

static ridge_status emit_output(uint32_t *slot, maker *m, ridge_value v)
{
    ridge_int i;
    line l;
    ridge_status st;
    if (v.type != RIDGE_V_SYM) {
        if (!ridge_value_as_int(&i, v))
            return ridge_fail(m->calc->err, RIDGE_TYPE, "a sweep counts integers, not %s", ridge_value_type_name(v.type));
        return emit(slot, m, (ridge_count_step){.op = RIDGE_COUNT_SUM, .constant = i});
    }
    if ((st = emit_poly(&l, m, v.u.sym)))
        return st;
    *slot = l.slot;
    return l.den == 1 ? RIDGE_OK : emit(slot, m, (ridge_count_step){.op = RIDGE_COUNT_EXACT, .a = l.slot, .scale_a = l.den});
}

ridge_status ridge_counts_make(ridge_counts **out, const ridge_value *values, size_t count, const ridge_calc *calc)
{
    ridge_counts *c = *out = ridge_arena_alloc(calc->arena, sizeof *c);
    maker m = {.c = c, .calc = calc};
    ridge_status st = RIDGE_OK;
    if (!c || !(c->outputs = ridge_arena_array(calc->arena, count + 1, sizeof *c->outputs)) ||
        !(m.slot_of = ridge_arena_array(calc->arena, (calc->algebra ? calc->algebra->atom_count : 0u) + 1u, sizeof *m.slot_of)))
        return ridge_no_memory(m.calc->err);
    c->output_count = count;
    for (size_t i = 0; i < count && !st; i++)
        st = emit_output(&c->outputs[i], &m, values[i]);
    return st;
}

bool ridge_counts_room_make(ridge_counts_room *room, const ridge_counts *c)
{
    *room = (ridge_counts_room){.slots = calloc(c->step_count + 1, sizeof *room->slots),
                                .bounds = calloc(c->step_count + 1, sizeof *room->bounds)};
    if (room->slots && room->bounds)
        return true;
    ridge_counts_room_free(room);
    return false;
}

void ridge_counts_room_free(ridge_counts_room *room)
{
    free(room->slots);
    free(room->bounds);
    room->slots = NULL;
    room->bounds = NULL;
}

/* ---- running ---- */

static double magnitude(ridge_int i)
{
    return i < 0 ? -(double)i : (double)i;
}

static double bound_of_sum(const ridge_counts *c, const ridge_count_step *s, const double *bounds)
{
    double sum = magnitude(s->constant);
    for (uint32_t t = 0; t < s->b; t++)
        sum += magnitude(c->terms[s->a + t].coefficient) * bounds[c->terms[s->a + t].slot];
    return sum;
}

static double bound_of_input(const int64_t *input)
{
    int64_t most = 0;
    for (int k = 0; k < RIDGE_LANES; k++)
        most = input[k] > most ? input[k] : most;
    return (double)most;
}

/* fills bounds; the largest number that appears on the way */
static double bound_all(const ridge_counts *c, double *bounds, const int64_t (*inputs)[RIDGE_LANES])
{
    double most = 0;
    for (size_t i = 0; i < c->step_count; i++) {
        const ridge_count_step *s = &c->steps[i];
        switch (s->op) {
        case RIDGE_COUNT_INPUT:
            bounds[i] = bound_of_input(inputs[s->a]);
            break;
        case RIDGE_COUNT_PRODUCT:
            bounds[i] = bounds[s->a] * bounds[s->b];
            break;
        case RIDGE_COUNT_SUM:
            bounds[i] = bound_of_sum(c, s, bounds);
            break;
        case RIDGE_COUNT_EXACT:
            bounds[i] = bounds[s->a];
            break;
        case RIDGE_COUNT_FLOORDIV:
        case RIDGE_COUNT_MIN:
        case RIDGE_COUNT_MAX:
            bounds[i] = larger(bounds[s->a] * (double)s->scale_a, bounds[s->b] * (double)s->scale_b) + 1;
            break;
        case RIDGE_COUNT_NOT_NEGATIVE:
        case RIDGE_COUNT_ZERO:
            bounds[i] = 1;
            break;
        }
        most = larger(most, bounds[i]);
    }
    return most;
}

void ridge_counts_run(const ridge_counts *c, ridge_counts_room *room, const int64_t (*inputs)[RIDGE_LANES])
{
    const double most = bound_all(c, room->bounds, inputs);
    room->wide = most >= 0x1p62;
    for (int k = 0; k < RIDGE_LANES; k++)
        room->good[k] = most < 0x1p126;
    if (!room->wide)
        ridge_counts_run_narrow(c, room, inputs);
    else if (most < 0x1p126)
        ridge_counts_run_wide(c, room, inputs);
}

void ridge_counts_output(ridge_int out[RIDGE_LANES], const ridge_counts *c, const ridge_counts_room *room, size_t i)
{
    const ridge_int *wide = room->slots[c->outputs[i]];
    const int64_t *narrow = (const int64_t *)wide;
    for (int k = 0; k < RIDGE_LANES; k++)
        out[k] = room->wide ? wide[k] : narrow[k];
}
