/* The formula of an operator's FLOPs, evaluated with its names bound to polynomials. */
#include "learn/torch/flops.h"

#include "formula/expr.h"
#include "formula/poly_terms.h"

#define STEPS 100000

/* a formula and the names that it may use, each with a slot */
struct ridge_operator_formula {
    ridge_expr *expr;
    ridge_scope scope;
};

static ridge_calc calc_of(ridge_py_interp *in)
{
    return (ridge_calc){.arena = in->arena, .algebra = &in->algebra, .err = in->err};
}

/* a polynomial as a value of the formula language: a number where it is one */
ridge_status ridge_flops_value(ridge_value *out, ridge_py v, ridge_py_interp *in)
{
    if ((v.type == RIDGE_PY_T_INT || v.type == RIDGE_PY_T_BOOL) && !v.by.sym) {
        *out = ridge_value_int(v.type == RIDGE_PY_T_INT ? v.u.i : v.u.b);
        return RIDGE_OK;
    }
    const ridge_poly *poly = ridge_py_poly(v, in);
    if (!poly)
        return ridge_fail(in->err, RIDGE_TYPE, "a size of an operator is %s", ridge_py_type_text(v));
    *out = (ridge_value){.type = RIDGE_V_SYM, .u.sym = poly};
    const ridge_calc calc = calc_of(in);
    return ridge_value_binary(out, RIDGE_OP_ADD, *out, ridge_value_int(0), &calc); /* a constant becomes a plain number */
}

static ridge_status compile(const ridge_operator *op, ridge_py_interp *in)
{
    struct ridge_operator_formula *f = ridge_arena_alloc(in->arena, sizeof *f);
    if (!f)
        return ridge_no_memory(in->err);
    f->scope = (ridge_scope){.arena = in->arena, .symbols = &in->names};
    ((ridge_operator *)(uintptr_t)op)->formula = f;
    return RIDGE_OK;
}

/* The slots are made of the first call's sizes: a rule gives the same names each time. */
static ridge_status formula_of(struct ridge_operator_formula **out, const ridge_operator *op, const ridge_operator_size *sizes,
                               size_t count, ridge_py_interp *in)
{
    ridge_status st = op->formula ? RIDGE_OK : compile(op, in);
    if (st)
        return st;
    struct ridge_operator_formula *f = *out = op->formula;
    if (f->expr)
        return RIDGE_OK;
    for (size_t i = 0; i < count; i++) {
        const ridge_symbol *name = ridge_py_symbol(in, sizes[i].name);
        if (!name || ridge_scope_add(&f->scope, name) == UINT32_MAX)
            return ridge_no_memory(in->err);
    }
    return ridge_expr_parse(&f->expr, ridge_str_of(op->flops), op->name, 1, 1, &f->scope, in->err);
}

ridge_status ridge_flops_evaluate(const ridge_poly **out, const ridge_operator *op, const ridge_operator_size *sizes, size_t count,
                                  ridge_py_interp *in)
{
    ridge_value slots[RIDGE_FLOPS_SIZES] = {0};
    struct ridge_operator_formula *f;
    ridge_status st = formula_of(&f, op, sizes, count, in);
    for (size_t i = 0; !st && i < count; i++)
        st = ridge_flops_value(&slots[i], sizes[i].value, in);
    ridge_evaluation run = {.calc = calc_of(in), .slots = slots, .steps_left = STEPS};
    ridge_value value;
    if (!st)
        st = ridge_expr_eval(&value, f->expr, &run);
    return st ? st : ridge_poly_of(out, value, &run.calc);
}
