/* Numbers of a run's algebra in the algebra of the templates. */
#include "formula/poly_terms.h"
#include "learn/template/sketch.h"

enum { DEPTH_LIMIT = 200 };

static ridge_status operand(ridge_value *out, const ridge_poly *p, ridge_translation *t)
{
    *out = ridge_value_int(0);
    return p ? ridge_translate(out, p, t) : RIDGE_OK;
}

static ridge_status name(ridge_value *out, const ridge_atom *a, ridge_value p, ridge_value q, ridge_translation *t)
{
    const ridge_calc *calc = t->calc;
    const ridge_poly *x = NULL, *y = NULL;
    const char *text = ridge_arena_strdup(calc->arena, ridge_str_of(a->name));
    ridge_status st = RIDGE_OK;
    if (!text)
        return ridge_no_memory(calc->err);
    for (size_t i = 0; i < t->fixed_count && !a->p; i++)
        if (strcmp(t->fixed[i].name, a->name) == 0) {
            *out = t->fixed[i].value;
            return RIDGE_OK;
        }
    if (!a->p)
        return a->any_rational ? ridge_sym_rational(out, text, calc) : ridge_sym_name(out, text, a->least, calc);
    if ((st = ridge_poly_of(&x, p, calc)) || (a->q && (st = ridge_poly_of(&y, q, calc))))
        return st;
    return ridge_sym_function(out, text, x, y, calc);
}

/* Do the facts say that v is not negative? */
static ridge_status is_sure(bool *yes, ridge_value v, const ridge_translation *t)
{
    ridge_value rest;
    ridge_rational r;
    *yes = false;
    for (size_t i = 0; i < t->fact_count && !*yes; i++) {
        ridge_status st = ridge_value_binary(&rest, RIDGE_OP_SUB, v, t->facts[i], t->calc);
        if (st)
            return st;
        if (ridge_value_as_rational(&r, rest))
            *yes = r.num >= 0;
        else if (rest.type == RIDGE_V_SYM) {
            ridge_poly_range range = ridge_poly_bounds(rest.u.sym);
            *yes = range.has_low && range.low.num >= 0;
        }
    }
    return RIDGE_OK;
}

/* the smaller or larger one of two, where the facts tell which */
static ridge_status decided(bool *yes, ridge_value *out, bool maximum, ridge_value p, ridge_value q, const ridge_translation *t)
{
    ridge_value d;
    ridge_status st;
    *out = maximum ? q : p;
    *yes = false;
    if (t->fact_count == 0)
        return RIDGE_OK;
    if ((st = ridge_value_binary(&d, RIDGE_OP_SUB, q, p, t->calc)) || (st = is_sure(yes, d, t)) || *yes)
        return st;
    *out = maximum ? p : q;
    return (st = ridge_value_binary(&d, RIDGE_OP_SUB, p, q, t->calc)) ? st : is_sure(yes, d, t);
}

static ridge_status atom(ridge_value *out, const ridge_atom *a, ridge_translation *t)
{
    const ridge_calc *calc = t->calc;
    ridge_value p, q;
    ridge_status st;
    bool sure = false;
    if ((st = operand(&p, a->p, t)) || (st = operand(&q, a->q, t)))
        return st;
    if (a->kind == RIDGE_ATOM_MIN || a->kind == RIDGE_ATOM_MAX)
        st = decided(&sure, out, a->kind == RIDGE_ATOM_MAX, p, q, t);
    else if (a->kind == RIDGE_ATOM_NOT_NEGATIVE) {
        *out = ridge_value_int(1);
        st = is_sure(&sure, p, t);
    }
    if (st || sure)
        return st;
    switch (a->kind) {
    case RIDGE_ATOM_FLOORDIV:
        return ridge_value_binary(out, RIDGE_OP_FLOORDIV, p, q, calc);
    case RIDGE_ATOM_MIN:
    case RIDGE_ATOM_MAX:
        return ridge_sym_min_max(out, a->kind == RIDGE_ATOM_MAX, p, q, calc);
    case RIDGE_ATOM_NOT_NEGATIVE:
        return ridge_value_binary(out, RIDGE_OP_GE, p, ridge_value_int(0), calc);
    case RIDGE_ATOM_ZERO:
        return ridge_value_binary(out, RIDGE_OP_EQ, p, ridge_value_int(0), calc);
    case RIDGE_ATOM_RECIPROCAL:
        return ridge_value_binary(out, RIDGE_OP_DIV, ridge_value_int(1), p, calc);
    default:
        return name(out, a, p, q, t);
    }
}

static ridge_status term(ridge_value *out, const ridge_term *from, ridge_translation *t)
{
    ridge_value product, factor;
    ridge_status st = ridge_value_rational(&product, from->coefficient, t->calc);
    for (uint32_t i = 0; i < from->count && !st; i++) {
        st = atom(&factor, from->factors[i].atom, t);
        for (uint32_t k = 0; k < from->factors[i].power && !st; k++)
            st = ridge_value_binary(&product, RIDGE_OP_MUL, product, factor, t->calc);
    }
    *out = product;
    return st;
}

/* the place of a polynomial: its own, or the free one where it would stand */
static struct ridge_translated *place(uint32_t id, struct ridge_translated *memo, size_t cap)
{
    size_t at = (size_t)id * 2654435769u >> 7;
    for (at &= cap - 1; memo[at].value.type != RIDGE_V_UNSET && memo[at].id != id;)
        at = (at + 1) & (cap - 1);
    return &memo[at];
}

static ridge_status remember(uint32_t id, ridge_value value, ridge_translation *t)
{
    if (value.type == RIDGE_V_UNSET)
        return RIDGE_OK;
    if (2 * (t->count + 1) > t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 16;
        struct ridge_translated *grown = ridge_arena_array(t->calc->arena, cap, sizeof *grown);
        if (!grown)
            return ridge_no_memory(t->calc->err);
        for (size_t i = 0; i < cap; i++)
            grown[i].value.type = RIDGE_V_UNSET;
        for (size_t i = 0; i < t->cap; i++)
            if (t->memo[i].value.type != RIDGE_V_UNSET)
                *place(t->memo[i].id, grown, cap) = t->memo[i];
        t->memo = grown;
        t->cap = cap;
    }
    *place(id, t->memo, t->cap) = (struct ridge_translated){id, value};
    t->count++;
    return RIDGE_OK;
}

ridge_status ridge_translate(ridge_value *out, const ridge_poly *poly, ridge_translation *t)
{
    ridge_value sum = ridge_value_int(0), one;
    ridge_status st = RIDGE_OK;
    out->type = RIDGE_V_UNSET;
    if (!poly)
        return RIDGE_OK;
    if (t->cap) {
        *out = place(poly->id, t->memo, t->cap)->value;
        if (out->type != RIDGE_V_UNSET)
            return RIDGE_OK;
    }
    if (++t->depth > DEPTH_LIMIT)
        return ridge_fail(t->calc->err, RIDGE_LIMIT, "a number's terms are nested more than %d deep", DEPTH_LIMIT);
    for (uint32_t i = 0; i < poly->count && !st; i++)
        if (!(st = term(&one, &poly->terms[i], t)))
            st = ridge_value_binary(&sum, RIDGE_OP_ADD, sum, one, t->calc);
    t->depth--;
    *out = sum;
    return st ? st : remember(poly->id, sum, t);
}

ridge_status ridge_translate_value(ridge_value *out, ridge_py v, ridge_translation *t)
{
    out->type = RIDGE_V_UNSET;
    if ((v.type == RIDGE_PY_T_INT || v.type == RIDGE_PY_T_BOOL) && v.by.sym)
        return ridge_translate(out, v.by.sym, t);
    switch (v.type) {
    case RIDGE_PY_T_NONE:
        *out = ridge_value_none();
        break;
    case RIDGE_PY_T_BOOL:
        *out = ridge_value_bool(v.u.b);
        break;
    case RIDGE_PY_T_INT:
        *out = ridge_value_int(v.u.i);
        break;
    case RIDGE_PY_T_STR:
        *out = ridge_value_str(v.u.s->text);
        break;
    default:
        break;
    }
    return RIDGE_OK;
}

ridge_status ridge_value_of_term(ridge_value *out, const ridge_term *term, const ridge_calc *calc)
{
    ridge_term *copy = ridge_poly_new_terms(calc, 1);
    if (!copy)
        return ridge_no_memory(calc->err);
    *copy = *term;
    return ridge_poly_build(out, copy, 1, calc);
}
