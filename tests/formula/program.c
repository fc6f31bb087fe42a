/* The residual program: every polynomial a sum of integer products over registers, registers for names and opaque terms. */
#include "formula/program.h"

typedef struct product {
    ridge_int coefficient;
    uint32_t first, count; /* in program.factors: a register once per power */
} product;

typedef struct line {
    uint32_t first, count; /* in program.products */
    ridge_int den;
} line;

typedef struct step {
    ridge_atom_kind kind;
    uint32_t input;
    uint32_t p, q; /* lines */
} step;

struct ridge_program {
    line *lines;
    product *products;
    uint32_t *factors;
    step *steps; /* one a register, in order of evaluation */
    ridge_int *registers;
    uint32_t *outputs; /* lines */
    size_t line_count, line_cap, product_count, product_cap, factor_count, factor_cap, step_count, step_cap, output_count;
    uint32_t *register_of; /* [atom id] + 1; 0: none yet */
};

typedef struct maker {
    ridge_program *p;
    const ridge_calc *calc;
} maker;

static ridge_status add_line(uint32_t *out, maker *m, const ridge_poly *poly);

static ridge_status add_register(uint32_t *out, maker *m, const ridge_atom *atom)
{
    ridge_program *p = m->p;
    step s = {.kind = atom->kind, .input = atom->input};
    ridge_status st;
    if (p->register_of[atom->id]) {
        *out = p->register_of[atom->id] - 1;
        return RIDGE_OK;
    }
    if ((atom->p && (st = add_line(&s.p, m, atom->p))) || (atom->q && (st = add_line(&s.q, m, atom->q))))
        return st;
    p->steps = ridge_arena_grow(m->calc->arena, p->steps, p->step_count, &p->step_cap, p->step_count + 1, sizeof *p->steps);
    if (!p->steps)
        return ridge_no_memory(m->calc->err);
    *out = (uint32_t)p->step_count;
    p->steps[p->step_count++] = s;
    p->register_of[atom->id] = *out + 1;
    return RIDGE_OK;
}

static ridge_status add_product(maker *m, const ridge_term *t, ridge_int den)
{
    ridge_program *p = m->p;
    product pr = {.first = (uint32_t)p->factor_count};
    for (uint32_t i = 0; i < t->count; i++)
        for (uint32_t k = 0; k < t->factors[i].power; k++) {
            p->factors =
                ridge_arena_grow(m->calc->arena, p->factors, p->factor_count, &p->factor_cap, p->factor_count + 1, sizeof *p->factors);
            if (!p->factors)
                return ridge_no_memory(m->calc->err);
            p->factors[p->factor_count++] = p->register_of[t->factors[i].atom->id] - 1;
            pr.count++;
        }
    if (!ridge_int_mul(&pr.coefficient, t->coefficient.num, den / t->coefficient.den))
        return ridge_fail(m->calc->err, RIDGE_OVERFLOW, "overflow: a coefficient does not fit in 128 bits");
    p->products =
        ridge_arena_grow(m->calc->arena, p->products, p->product_count, &p->product_cap, p->product_count + 1, sizeof *p->products);
    if (!p->products)
        return ridge_no_memory(m->calc->err);
    p->products[p->product_count++] = pr;
    return RIDGE_OK;
}

static ridge_status add_line(uint32_t *out, maker *m, const ridge_poly *poly)
{
    ridge_program *p = m->p;
    line l = {.den = 1, .count = poly->count};
    uint32_t reg;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < poly->count; i++) {
        ridge_int d = poly->terms[i].coefficient.den;
        if (!ridge_int_mul(&l.den, l.den, d / ridge_int_gcd(l.den, d)))
            return ridge_fail(m->calc->err, RIDGE_OVERFLOW, "overflow: a denominator does not fit in 128 bits");
        for (uint32_t k = 0; k < poly->terms[i].count; k++)
            if ((st = add_register(&reg, m, poly->terms[i].factors[k].atom)))
                return st;
    }
    l.first = (uint32_t)p->product_count;
    for (uint32_t i = 0; i < poly->count && !st; i++)
        st = add_product(m, &poly->terms[i], l.den);
    if (st)
        return st;
    p->lines = ridge_arena_grow(m->calc->arena, p->lines, p->line_count, &p->line_cap, p->line_count + 1, sizeof *p->lines);
    if (!p->lines)
        return ridge_no_memory(m->calc->err);
    *out = (uint32_t)p->line_count;
    p->lines[p->line_count++] = l;
    return RIDGE_OK;
}

static ridge_status add_output(maker *m, size_t i, ridge_value v)
{
    ridge_poly constant = {0};
    ridge_term term = {{0, 1}, 0, NULL};
    if (v.type == RIDGE_V_SYM)
        return add_line(&m->p->outputs[i], m, v.u.sym);
    if (!ridge_value_as_rational(&term.coefficient, v))
        return ridge_fail(m->calc->err, RIDGE_TYPE, "a residual program computes numbers, not %s", ridge_value_type_name(v.type));
    constant.count = 1;
    constant.terms = &term;
    return add_line(&m->p->outputs[i], m, &constant);
}

ridge_status ridge_program_make(ridge_program **out, const ridge_value *values, size_t count, const ridge_calc *calc)
{
    ridge_program *p = ridge_arena_alloc(calc->arena, sizeof *p);
    maker m = {p, calc};
    ridge_status st = RIDGE_OK;
    if (!p || !(p->outputs = ridge_arena_array(calc->arena, count + 1, sizeof *p->outputs)) ||
        !(p->register_of = ridge_arena_array(calc->arena, calc->algebra->atom_count + 1u, sizeof *p->register_of)))
        return ridge_no_memory(m.calc->err);
    p->output_count = count;
    for (size_t i = 0; i < count && !st; i++)
        st = add_output(&m, i, values[i]);
    if (!st && !(p->registers = ridge_arena_array(calc->arena, p->step_count + 1, sizeof *p->registers)))
        st = ridge_no_memory(m.calc->err);
    *out = p;
    return st;
}

/* numerator of a line */
static bool run_line(ridge_int *out, const ridge_program *p, uint32_t at)
{
    const line *l = &p->lines[at];
    *out = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const product *pr = &p->products[l->first + i];
        ridge_int v = pr->coefficient;
        for (uint32_t k = 0; k < pr->count; k++)
            if (!ridge_int_mul(&v, v, p->registers[p->factors[pr->first + k]]))
                return false;
        if (!ridge_int_add(out, *out, v))
            return false;
    }
    return true;
}

static ridge_status run_step(ridge_int *out, const ridge_program *p, const step *s, const ridge_int *inputs)
{
    ridge_int a = 0, b = 0, rest, scale;
    if (s->kind == RIDGE_ATOM_NAME) {
        *out = inputs[s->input];
        return RIDGE_OK;
    }
    bool two = s->kind == RIDGE_ATOM_FLOORDIV || s->kind == RIDGE_ATOM_MIN || s->kind == RIDGE_ATOM_MAX;
    if (!run_line(&a, p, s->p) || (two && !run_line(&b, p, s->q)))
        return RIDGE_OVERFLOW;
    if (two && (!ridge_int_mul(&a, a, p->lines[s->q].den) || !ridge_int_mul(&b, b, p->lines[s->p].den)))
        return RIDGE_OVERFLOW;
    switch (s->kind) {
    case RIDGE_ATOM_FLOORDIV:
        return ridge_int_floordiv(out, &rest, a, b) ? RIDGE_OK : RIDGE_VALUE;
    case RIDGE_ATOM_MIN:
    case RIDGE_ATOM_MAX:
        *out = (s->kind == RIDGE_ATOM_MIN) == (a < b) ? a : b;
        /* both were scaled by both denominators */
        if (!ridge_int_mul(&scale, p->lines[s->p].den, p->lines[s->q].den))
            return RIDGE_OVERFLOW;
        if (*out % scale != 0)
            return RIDGE_VALUE;
        *out /= scale;
        return RIDGE_OK;
    case RIDGE_ATOM_NOT_NEGATIVE:
        *out = a >= 0;
        return RIDGE_OK;
    case RIDGE_ATOM_ZERO:
        *out = a == 0;
        return RIDGE_OK;
    default:
        return RIDGE_VALUE; /* a reciprocal is no integer */
    }
}

ridge_status ridge_program_run(ridge_int *outputs, ridge_program *p, const ridge_int *inputs)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < p->step_count && !st; i++)
        st = run_step(&p->registers[i], p, &p->steps[i], inputs);
    for (size_t i = 0; i < p->output_count && !st; i++) {
        const line *l = &p->lines[p->outputs[i]];
        if (!run_line(&outputs[i], p, p->outputs[i]))
            return RIDGE_OVERFLOW;
        if (outputs[i] % l->den != 0)
            return RIDGE_VALUE;
        outputs[i] /= l->den;
    }
    return st;
}
