/* Experts of a mixture: the run gave each of them its share of the tokens, an even one; a component says so with `spread`. */
#include "learn/template/spread.h"

/* the floor division of a number, the first one that is met; NULL: there is none */
static const ridge_atom *quotient(ridge_value v)
{
    const ridge_poly *p = v.type == RIDGE_V_SYM ? v.u.sym : NULL;
    for (uint32_t i = 0; p && i < p->count; i++)
        for (uint32_t k = 0; k < p->terms[i].count; k++)
            if (p->terms[i].factors[k].atom->kind == RIDGE_ATOM_FLOORDIV)
                return p->terms[i].factors[k].atom;
    return NULL;
}

static ridge_value value_of(const ridge_poly *p)
{
    ridge_value v = {.type = RIDGE_V_SYM};
    v.u.sym = p;
    if (p->count == 0)
        return ridge_value_int(0);
    if (p->count == 1 && p->terms[0].count == 0 && p->terms[0].coefficient.den == 1)
        return ridge_value_int(p->terms[0].coefficient.num);
    return v;
}

/* e*rows // E */
static ridge_status part(ridge_value *out, size_t e, ridge_value rows, ridge_value count, const ridge_calc *calc)
{
    ridge_status st = ridge_value_binary(out, RIDGE_OP_MUL, rows, ridge_value_int((ridge_int)e), calc);
    return st ? st : ridge_value_binary(out, RIDGE_OP_FLOORDIV, *out, count, calc);
}

/* Is every module's argument k the factor times its share? */
static ridge_status holds(bool *yes, ridge_value factor, size_t k, ridge_value rows, ridge_value count, const ridge_sketch *list,
                          const ridge_calc *calc)
{
    ridge_value before = ridge_value_int(0), after, share, product;
    ridge_status st = RIDGE_OK;
    *yes = true;
    for (size_t e = 0; e < list->child_count && *yes && !st; e++) {
        if ((st = part(&after, e + 1, rows, count, calc)) || (st = ridge_value_binary(&share, RIDGE_OP_SUB, after, before, calc)) ||
            (st = ridge_value_binary(&product, RIDGE_OP_MUL, factor, share, calc)))
            return st;
        *yes = ridge_value_equal(product, list->children[e].module->values[k]);
        before = after;
    }
    return st;
}

static bool same_in_all(const ridge_sketch *list, size_t k)
{
    for (size_t e = 1; e < list->child_count; e++)
        if (!ridge_value_equal(list->children[e].module->values[k], list->children[0].module->values[k]))
            return false;
    return true;
}

ridge_status ridge_draft_spread(bool *spreads, ridge_value **values, ridge_value *rows, const ridge_sketch *list, const ridge_calc *calc)
{
    const ridge_sketch *first = list->children[0].module;
    const ridge_atom *share = NULL;
    ridge_value name;
    ridge_status st = RIDGE_OK;
    *spreads = false;
    for (size_t k = 0; k < first->draft->parameter_count && !share; k++)
        if (!same_in_all(list, k))
            share = quotient(first->values[k]);
    if (!share || list->child_count < 2)
        return RIDGE_OK;
    ridge_value count = value_of(share->q), least;
    *rows = value_of(share->p);
    if (!(*values = ridge_arena_array(calc->arena, first->draft->parameter_count + 1, sizeof **values)))
        return ridge_no_memory(calc->err);
    if ((st = part(&least, 1, *rows, count, calc)) || (st = ridge_sym_name(&name, "share", 0, calc)))
        return st;
    for (size_t k = 0; k < first->draft->parameter_count; k++) {
        ridge_value factor;
        bool yes = true;
        (*values)[k] = first->values[k];
        if (same_in_all(list, k))
            continue;
        if ((st = ridge_value_binary(&factor, RIDGE_OP_DIV, first->values[k], least, calc)) ||
            (st = holds(&yes, factor, k, *rows, count, list, calc)) || !yes)
            return st;
        if ((st = ridge_value_binary(&(*values)[k], RIDGE_OP_MUL, factor, name, calc)))
            return st;
    }
    *spreads = true;
    return RIDGE_OK;
}

/* ---- what must hold ---- */

/* how many experts there are, in symbols: what the rows are divided by */
static const ridge_atom *divisor(const ridge_sketch *list)
{
    const ridge_sketch *first = list->children[0].module;
    const ridge_atom *share = NULL;
    for (size_t k = 0; k < first->draft->parameter_count && !share; k++)
        if (!same_in_all(list, k))
            share = quotient(first->values[k]);
    return share;
}

static bool is_mixture(const ridge_sketch *list)
{
    for (size_t i = 0; i < list->child_count; i++)
        if (!list->children[i].module->draft || list->children[i].module->draft != list->children[0].module->draft)
            return false;
    return list->child_count > 1;
}

static ridge_status needs_of_list(ridge_draft *draft, const ridge_sketch *list, const ridge_calc *calc)
{
    ridge_value *values, rows, count;
    bool spreads = false;
    ridge_status st = is_mixture(list) ? ridge_draft_spread(&spreads, &values, &rows, list, calc) : RIDGE_OK;
    if (st || !spreads)
        return st;
    count = value_of(divisor(list)->q);
    const char *experts = ridge_draft_formula(count, calc), *shared = ridge_draft_formula(rows, calc);
    if (!experts || !shared)
        return ridge_no_memory(calc->err);
    if (count.type == RIDGE_V_SYM &&
        (st = ridge_draft_need_add(draft, ridge_arena_printf(calc->arena, "%s == %zu", experts, list->child_count),
                                   "the runs had so many experts, and what the loop over them costs was counted with these", calc)))
        return st;
    return ridge_draft_need_add(draft, ridge_arena_printf(calc->arena, "%s >= %s", shared, experts),
                                "every expert got rows in the runs, and what one without rows costs is not known", calc);
}

ridge_status ridge_spread_needs(ridge_draft *draft, const ridge_sketch *s, const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < s->child_count && !st; i++) {
        const ridge_sketch *list = s->children[i].module;
        if (s->children[i].alias || !ridge_draft_folds(list))
            continue;
        if (!(st = needs_of_list(draft, list, calc)))
            st = ridge_spread_needs(draft, list, calc);
    }
    return st;
}
