/* What is asked of symbols: conditions, written down at once or, while contents of tensors are computed, withheld until somebody reads
 * them. */
#include "learn/python/number.h"

static ridge_calc calc_of(ridge_py_interp *in, ridge_err *err)
{
    return (ridge_calc){in->arena, &in->algebra, err};
}

/* ---- writing down, or not yet ---- */

static bool is_same(const ridge_condition *a, const ridge_condition *b)
{
    if (a->holds != b->holds || a->sym != b->sym)
        return false;
    return a->sym || strcmp(a->text, b->text) == 0;
}

static ridge_status withhold(const ridge_condition *c, ridge_py_interp *in)
{
    ridge_py_asks *asks = in->withheld;
    for (size_t i = asks->count; i-- > 0;) /* what is asked again was mostly asked just now */
        if (is_same(&asks->p[i], c))
            return RIDGE_OK;
    if (!ridge_arena_more(in->arena, &asks->p, asks->count, &asks->cap, sizeof *asks->p))
        return ridge_no_memory(in->err);
    asks->p[asks->count++] = *c;
    return RIDGE_OK;
}

/* c's text is the caller's: it is copied where it is kept */
static ridge_status write_down(const ridge_condition *c, ridge_py_interp *in)
{
    if (!in->asked) {
        in->asked = ridge_arena_alloc(in->arena, sizeof *in->asked);
        if (!in->asked || !ridge_symtab_init(in->asked, in->arena))
            return ridge_no_memory(in->err);
    }
    if (ridge_intern_find(in->asked, ridge_str_of(c->text)))
        return RIDGE_OK;
    const ridge_symbol *kept = ridge_intern(in->asked, ridge_str_of(c->text));
    if (!kept || !ridge_arena_more(in->arena, &in->conditions, in->condition_count, &in->condition_cap, sizeof *in->conditions))
        return ridge_no_memory(in->err);
    in->conditions[in->condition_count] = *c;
    in->conditions[in->condition_count++].text = kept->text;
    return RIDGE_OK;
}

static ridge_condition asked_here(bool holds, bool loop, const ridge_poly *sym, ridge_py_interp *in)
{
    return (ridge_condition){.sym = sym,
                             .holds = holds,
                             .loop = loop,
                             .file = in->frame && in->frame->module ? in->frame->module->path : NULL,
                             .line = in->frame ? in->frame->line : 0};
}

static ridge_status ask_text(const char *text, bool holds, ridge_py_interp *in)
{
    ridge_condition c = asked_here(holds, false, NULL, in);
    if (in->withheld && !(text = ridge_arena_strdup(in->arena, ridge_str_of(text))))
        return ridge_no_memory(in->err);
    c.text = text;
    return in->withheld ? withhold(&c, in) : write_down(&c, in);
}

/* ---- as text ---- */

/* the terms with one sign, without it */
static ridge_status print_side(ridge_buf *buf, const ridge_poly *p, bool negative, ridge_py_interp *in)
{
    ridge_poly side = {0};
    ridge_term *terms = ridge_arena_array(in->arena, (size_t)p->count + 1, sizeof *terms);
    if (!terms)
        return ridge_no_memory(in->err);
    for (uint32_t i = 0; i < p->count; i++)
        if ((p->terms[i].coefficient.num < 0) == negative) {
            terms[side.count] = p->terms[i];
            if (negative)
                terms[side.count].coefficient.num = -terms[side.count].coefficient.num;
            side.count++;
        }
    side.terms = terms;
    if (side.count)
        ridge_poly_print(buf, &side);
    else
        ridge_buf_addc(buf, '0');
    return RIDGE_OK;
}

static bool names_on_side(const ridge_poly *p, bool negative)
{
    for (uint32_t i = 0; i < p->count; i++)
        if ((p->terms[i].coefficient.num < 0) == negative && p->terms[i].count)
            return true;
    return false;
}

static ridge_status print_condition(ridge_buf *buf, const ridge_poly *sym, const ridge_atom *alone, ridge_py_interp *in)
{
    if (!alone || (alone->kind != RIDGE_ATOM_ZERO && alone->kind != RIDGE_ATOM_NOT_NEGATIVE)) {
        if (alone && alone->kind == RIDGE_ATOM_NAME && alone->name[0] == '(')
            ridge_buf_add(buf, (ridge_str){alone->name + 1, strlen(alone->name) - 2});
        else
            ridge_poly_print(buf, sym);
        return RIDGE_OK;
    }
    bool swap = alone->kind == RIDGE_ATOM_ZERO && !names_on_side(alone->p, false);
    ridge_status st = print_side(buf, alone->p, swap, in);
    ridge_buf_addz(buf, alone->kind == RIDGE_ATOM_ZERO ? " == " : " >= ");
    return st ? st : print_side(buf, alone->p, !swap, in);
}

/* the indicator that a 0/1 polynomial is, or one minus it is; NULL: neither */
static const ridge_atom *indicator(bool *negated, const ridge_poly *sym)
{
    const ridge_term *t = sym->terms;
    uint32_t at = 0;
    *negated = false;
    if (sym->count == 2) {
        at = t[0].count == 0 ? 1 : 0;
        *negated = t[1 - at].count == 0 && t[1 - at].coefficient.num == 1 && t[1 - at].coefficient.den == 1;
    }
    if ((sym->count != 1 && !*negated) || t[at].count != 1 || t[at].factors[0].power != 1 || t[at].coefficient.den != 1 ||
        t[at].coefficient.num != (*negated ? -1 : 1))
        return NULL;
    return t[at].factors[0].atom;
}

/* a 0/1 polynomial that is a condition, not its opposite */
static ridge_status upright(ridge_condition *c, ridge_py_interp *in)
{
    bool negated;
    ridge_err err = {0};
    ridge_calc calc = calc_of(in, &err);
    ridge_value v = {.type = RIDGE_V_SYM};
    if (!indicator(&negated, c->sym) || !negated)
        return RIDGE_OK;
    v.u.sym = c->sym;
    if (ridge_sym_binary(&v, RIDGE_OP_SUB, ridge_value_int(1), v, &calc) || v.type != RIDGE_V_SYM)
        return ridge_no_memory(in->err);
    c->sym = v.u.sym;
    c->holds = !c->holds;
    return RIDGE_OK;
}

static ridge_status print_and_write_down(const ridge_condition *c, ridge_py_interp *in)
{
    bool negated;
    ridge_buf buf = {0};
    ridge_condition printed = *c;
    ridge_status st = print_condition(&buf, c->sym, indicator(&negated, c->sym), in);
    if (!st && buf.failed)
        st = ridge_no_memory(in->err);
    printed.text = buf.p ? buf.p : "";
    if (!st)
        st = write_down(&printed, in);
    ridge_buf_free(&buf);
    return st;
}

static ridge_status ask(bool holds, bool loop, const ridge_poly *sym, ridge_py_interp *in)
{
    ridge_condition c = asked_here(holds, loop, sym, in);
    if (sym->count == 0 || (sym->count == 1 && sym->terms[0].count == 0))
        return RIDGE_OK; /* a constant */
    ridge_status st = upright(&c, in);
    if (st)
        return st;
    return in->withheld ? withhold(&c, in) : print_and_write_down(&c, in);
}

ridge_status ridge_py_ask_withheld(const ridge_py_asks *asks, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; asks && asks != in->withheld && i < asks->count && !st; i++)
        if (in->withheld)
            st = withhold(&asks->p[i], in);
        else
            st = asks->p[i].sym ? print_and_write_down(&asks->p[i], in) : write_down(&asks->p[i], in);
    return st;
}

ridge_status ridge_py_ask(bool holds, const ridge_poly *sym, const char *text, ridge_py_interp *in)
{
    if (sym)
        return ask(holds, false, sym, in);
    return text ? ask_text(text, holds, in) : RIDGE_OK;
}

/* a number is what it is here */
static ridge_status ask_equal(ridge_value sym, ridge_rational value, bool loop, ridge_py_interp *in)
{
    ridge_err err = {0};
    ridge_calc calc = calc_of(in, &err);
    ridge_value constant, zero;
    ridge_status st;
    if ((st = ridge_value_rational(&constant, value, &calc)) || (st = ridge_sym_binary(&zero, RIDGE_OP_EQ, sym, constant, &calc)))
        return ridge_fail(in->err, st, "%s", err.msg);
    return zero.type == RIDGE_V_SYM ? ask(true, loop, zero.u.sym, in) : RIDGE_OK;
}

static ridge_status pin_atom(const ridge_atom *a, unsigned depth, ridge_py_interp *in);

static ridge_status pin_poly(const ridge_poly *poly, unsigned depth, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (depth > 100)
        return ridge_fail(in->err, RIDGE_LIMIT, "a closed form nested deeper than 100");
    for (uint32_t i = 0; i < poly->count && !st; i++)
        for (uint32_t k = 0; k < poly->terms[i].count && !st; k++)
            st = pin_atom(poly->terms[i].factors[k].atom, depth, in);
    return st;
}

static ridge_status pin_atom(const ridge_atom *a, unsigned depth, ridge_py_interp *in)
{
    ridge_err err = {0};
    ridge_calc calc = calc_of(in, &err);
    ridge_value sym;
    ridge_rational value;
    ridge_status st;
    if (a->p) {
        st = pin_poly(a->p, depth + 1, in);
        return st || !a->q ? st : pin_poly(a->q, depth + 1, in);
    }
    st = a->any_rational ? ridge_sym_rational(&sym, a->name, &calc) : ridge_sym_name(&sym, a->name, a->least, &calc);
    if (st)
        return ridge_fail(in->err, st, "%s", err.msg);
    if (!ridge_py_evaluate(&value, sym.u.sym, in))
        return RIDGE_OK;   /* a name without a value stands for itself: nobody named it here */
    if (a->name[0] == '(') /* a condition by itself */
        return ask(value.num != 0, false, sym.u.sym, in);
    return ask_equal(sym, value, false, in);
}

ridge_status ridge_py_pin_poly(const ridge_poly *poly, ridge_py_interp *in)
{
    return pin_poly(poly, 0, in);
}

ridge_status ridge_py_pin(ridge_py v, ridge_py_interp *in)
{
    return ridge_py_has_sym(v) ? pin_poly(v.by.sym, 0, in) : RIDGE_OK;
}

static ridge_status ask_number(ridge_py v, bool loop, ridge_py_interp *in)
{
    ridge_value sym = {.type = RIDGE_V_SYM};
    ridge_rational value;
    if (!ridge_py_has_sym(v))
        return RIDGE_OK;
    if (v.type == RIDGE_PY_T_BOOL)
        return ask(v.u.b, loop, v.by.sym, in);
    sym.u.sym = v.by.sym;
    if (ridge_py_has_function(v.by.sym) || !ridge_py_evaluate(&value, v.by.sym, in))
        return pin_poly(v.by.sym, 0, in);
    return ask_equal(sym, value, loop, in);
}

ridge_status ridge_py_ask_loop(ridge_py count, ridge_py_interp *in)
{
    return ask_number(count, true, in);
}

/* Texts that were made of others have the conditions under which they are what they are as their origin: "=config.hidden_act == 'silu'" */
ridge_status ridge_py_ask_value(ridge_py v, ridge_py_interp *in)
{
    const char *origin;
    if (ridge_py_is_number(v))
        return ask_number(v, false, in);
    if (!(origin = ridge_py_origin(v)))
        return RIDGE_OK;
    if (origin[0] == '=')
        return ask_text(origin + 1, true, in);
    v.by.origin = NULL;
    const char *literal = ridge_py_formula(v, in);
    if (!literal)
        return RIDGE_OK;
    const char *text = ridge_arena_printf(in->arena, "%s == %s", origin, literal);
    return text ? ask_text(text, true, in) : ridge_no_memory(in->err);
}
