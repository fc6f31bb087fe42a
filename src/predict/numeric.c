#include "predict/numeric.h"

#include <math.h>
#include <stdlib.h>

typedef enum operation {
    DO_CONSTANT,
    DO_INPUT,
    DO_PRODUCT,
    DO_SUM,
    DO_FLOORDIV,
    DO_MIN,
    DO_MAX,
    DO_NOT_NEGATIVE,
    DO_ZERO,
    DO_RECIPROCAL
} operation;

/* instruction i writes slot i */
typedef struct instruction {
    operation op;
    uint32_t a, b;          /* slots; INPUT: a is the input; SUM: terms a .. a + b */
    double constant;        /* CONSTANT, SUM */
    const ridge_poly *poly; /* what a SUM is, to find it again */
} instruction;

typedef struct term {
    double coefficient;
    uint32_t slot;
} term;

struct ridge_numeric {
    instruction *code;
    size_t code_count, code_cap;
    term *terms;
    size_t term_count, term_cap;
    uint32_t *outputs;
    size_t output_count;
    uint32_t *slot_of; /* [atom id] + 1; 0: none yet */
};

typedef struct maker {
    ridge_numeric *n;
    const ridge_calc *calc;
} maker;

static ridge_status emit(uint32_t *slot, maker *m, instruction i)
{
    ridge_numeric *n = m->n;
    if (!ridge_arena_more(m->calc->arena, &n->code, n->code_count, &n->code_cap, sizeof *n->code))
        return ridge_no_memory(m->calc->err);
    *slot = (uint32_t)n->code_count;
    n->code[n->code_count++] = i;
    return RIDGE_OK;
}

static ridge_status emit_product(uint32_t *slot, maker *m, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < m->n->code_count; i++)
        if (m->n->code[i].op == DO_PRODUCT && m->n->code[i].a == a && m->n->code[i].b == b) {
            *slot = (uint32_t)i;
            return RIDGE_OK;
        }
    return emit(slot, m, (instruction){.op = DO_PRODUCT, .a = a, .b = b});
}

static ridge_status emit_poly(uint32_t *slot, maker *m, const ridge_poly *poly);

static ridge_status emit_atom(uint32_t *slot, maker *m, const ridge_atom *atom)
{
    static const operation of[] = {[RIDGE_ATOM_NAME] = DO_INPUT,
                                   [RIDGE_ATOM_FLOORDIV] = DO_FLOORDIV,
                                   [RIDGE_ATOM_MIN] = DO_MIN,
                                   [RIDGE_ATOM_MAX] = DO_MAX,
                                   [RIDGE_ATOM_NOT_NEGATIVE] = DO_NOT_NEGATIVE,
                                   [RIDGE_ATOM_ZERO] = DO_ZERO,
                                   [RIDGE_ATOM_RECIPROCAL] = DO_RECIPROCAL};
    instruction i = {.op = of[atom->kind], .a = atom->input};
    ridge_status st;
    if (m->n->slot_of[atom->id]) {
        *slot = m->n->slot_of[atom->id] - 1;
        return RIDGE_OK;
    }
    if ((atom->p && (st = emit_poly(&i.a, m, atom->p))) || (atom->q && (st = emit_poly(&i.b, m, atom->q))) || (st = emit(slot, m, i)))
        return st;
    m->n->slot_of[atom->id] = *slot + 1;
    return RIDGE_OK;
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
                st = emit_product(slot, m, *slot, factor);
            first = false;
        }
        if (st)
            return st;
    }
    return RIDGE_OK;
}

/* the terms of nested polynomials come first, so that a sum's own stand together */
static ridge_status emit_terms(instruction *sum, maker *m, const ridge_poly *poly)
{
    ridge_numeric *n = m->n;
    term *own = ridge_arena_array(m->calc->arena, poly->count + 1u, sizeof *own);
    if (!own)
        return ridge_no_memory(m->calc->err);
    for (uint32_t i = 0; i < poly->count; i++) {
        ridge_status st;
        double c = ridge_rational_double(poly->terms[i].coefficient);
        if (poly->terms[i].count == 0) {
            sum->constant = c;
            continue;
        }
        own[sum->b].coefficient = c;
        if ((st = emit_term(&own[sum->b++].slot, m, &poly->terms[i])))
            return st;
    }
    n->terms = ridge_arena_grow(m->calc->arena, n->terms, n->term_count, &n->term_cap, n->term_count + sum->b, sizeof *n->terms);
    if (!n->terms && sum->b)
        return ridge_no_memory(m->calc->err);
    sum->a = (uint32_t)n->term_count;
    for (uint32_t i = 0; i < sum->b; i++)
        n->terms[n->term_count++] = own[i];
    return RIDGE_OK;
}

static ridge_status emit_poly(uint32_t *slot, maker *m, const ridge_poly *poly)
{
    instruction sum = {.op = DO_SUM, .poly = poly};
    for (size_t i = 0; i < m->n->code_count; i++)
        if (m->n->code[i].poly == poly) {
            *slot = (uint32_t)i;
            return RIDGE_OK;
        }
    ridge_status st = emit_terms(&sum, m, poly);
    if (sum.b == 0)
        sum.op = DO_CONSTANT;
    return st ? st : emit(slot, m, sum);
}

static ridge_status emit_output(uint32_t *slot, maker *m, ridge_value v)
{
    ridge_rational r;
    if (v.type == RIDGE_V_SYM)
        return emit_poly(slot, m, v.u.sym);
    if (!ridge_value_as_rational(&r, v))
        return ridge_fail(m->calc->err, RIDGE_TYPE, "a prediction computes numbers, not %s", ridge_value_type_name(v.type));
    return emit(slot, m, (instruction){.op = DO_CONSTANT, .constant = ridge_rational_double(r)});
}

ridge_status ridge_numeric_make(ridge_numeric **out, const ridge_value *values, size_t count, const ridge_calc *calc)
{
    ridge_numeric *n = *out = ridge_arena_alloc(calc->arena, sizeof *n);
    maker m = {n, calc};
    uint32_t atoms = calc->algebra ? calc->algebra->atom_count : 0;
    ridge_status st = RIDGE_OK;
    if (!n || !(n->outputs = ridge_arena_array(calc->arena, count + 1, sizeof *n->outputs)) ||
        !(n->slot_of = ridge_arena_array(calc->arena, atoms + 1u, sizeof *n->slot_of)))
        return ridge_no_memory(m.calc->err);
    n->output_count = count;
    for (size_t i = 0; i < count && !st; i++)
        st = emit_output(&n->outputs[i], &m, values[i]);
    return st;
}

/* ---- running ---- */

bool ridge_numeric_room_make(ridge_numeric_room *room, const ridge_numeric *n)
{
    room->slots = calloc(n->code_count + 1, sizeof *room->slots);
    for (size_t i = 0; room->slots && i < n->code_count; i++)
        for (int k = 0; k < RIDGE_LANES && n->code[i].op == DO_CONSTANT; k++)
            room->slots[i][k] = n->code[i].constant;
    return room->slots;
}

void ridge_numeric_room_free(ridge_numeric_room *room)
{
    free(room->slots);
    room->slots = NULL;
}

static void run_sum(double *restrict out, const ridge_numeric *n, const instruction *i, const double (*slots)[RIDGE_LANES])
{
    for (int k = 0; k < RIDGE_LANES; k++)
        out[k] = i->constant;
    for (uint32_t t = 0; t < i->b; t++) {
        const double c = n->terms[i->a + t].coefficient, *restrict x = slots[n->terms[i->a + t].slot];
        for (int k = 0; k < RIDGE_LANES; k++)
            out[k] += c * x[k];
    }
}

#define EACH(expression)                                                                                                                   \
    for (int k = 0; k < RIDGE_LANES; k++)                                                                                                  \
        out[k] = (expression);                                                                                                             \
    break

static void run_one(double *restrict out, const instruction *i, const double *restrict a, const double *restrict b)
{
    switch (i->op) {
    case DO_PRODUCT:
        EACH(a[k] * b[k]);
    case DO_FLOORDIV:
        EACH(floor(a[k] / b[k]));
    case DO_MIN:
        EACH(a[k] < b[k] ? a[k] : b[k]);
    case DO_MAX:
        EACH(a[k] > b[k] ? a[k] : b[k]);
    case DO_NOT_NEGATIVE:
        EACH(a[k] >= 0 ? 1.0 : 0.0);
    case DO_ZERO:
        EACH(a[k] == 0 ? 1.0 : 0.0);
    case DO_RECIPROCAL:
        EACH(1.0 / a[k]);
    default:
        break;
    }
}

void ridge_numeric_run(const ridge_numeric *n, ridge_numeric_room *room, const double (*inputs)[RIDGE_LANES])
{
    for (size_t s = 0; s < n->code_count; s++) {
        const instruction *i = &n->code[s];
        double *out = room->slots[s];
        if (i->op == DO_SUM)
            run_sum(out, n, i, (const double(*)[RIDGE_LANES])room->slots);
        else if (i->op == DO_INPUT)
            memcpy(out, inputs[i->a], sizeof *inputs);
        else if (i->op != DO_CONSTANT)
            run_one(out, i, room->slots[i->a], room->slots[i->b]);
    }
}

const double *ridge_numeric_output(const ridge_numeric *n, const ridge_numeric_room *room, size_t i)
{
    return room->slots[n->outputs[i]];
}
