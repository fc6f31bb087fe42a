/* Symbols: what they stand for in this run, what was asked of them, and formulas as text. */
#include "learn/python/number.h"

#include "base/double.h"

#include <math.h>

/* What every atom of the algebra is here, by its id, and which conditions were written down. */
struct ridge_py_symbols {
    struct known {
        bool tried, exact;
        ridge_rational value;
    } * atoms;
    size_t cap;
    ridge_symtab asked; /* texts of conditions */
};

static ridge_status symbols_of(struct ridge_py_symbols **out, ridge_py_interp *in)
{
    if (!in->symbols) {
        struct ridge_py_symbols *made = ridge_arena_alloc(in->arena, sizeof *made);
        if (!made || !ridge_symtab_init(&made->asked, in->arena))
            return ridge_no_memory(in->err);
        in->symbols = made;
    }
    *out = in->symbols;
    if ((*out)->cap < in->algebra.atom_count) {
        size_t cap = (*out)->cap;
        struct known *more = ridge_arena_grow(in->arena, (*out)->atoms, cap, &cap, in->algebra.atom_count, sizeof *more);
        if (!more)
            return ridge_no_memory(in->err);
        (*out)->atoms = more;
        (*out)->cap = cap;
    }
    return RIDGE_OK;
}

static ridge_calc calc_of(ridge_py_interp *in, ridge_err *err)
{
    return (ridge_calc){in->arena, &in->algebra, err};
}

/* ---- names ---- */

static ridge_status know(ridge_value sym, bool exact, ridge_rational value, ridge_py_interp *in)
{
    struct ridge_py_symbols *s;
    ridge_status st = symbols_of(&s, in);
    if (st)
        return st;
    struct known *name = &s->atoms[sym.u.sym->terms[0].factors[0].atom->id];
    if (name->tried && ridge_rational_compare(name->value, value) != 0) /* another workload: what was made of the name is other, too */
        for (uint32_t i = 0; i < in->algebra.atom_count; i++)
            s->atoms[i].tried = s->atoms[i].tried && in->algebra.atoms[i]->kind == RIDGE_ATOM_NAME && !in->algebra.atoms[i]->p;
    *name = (struct known){true, exact, value};
    return RIDGE_OK;
}

ridge_status ridge_py_named_int(ridge_py *out, int64_t value, const char *name, int64_t least, ridge_py_interp *in)
{
    ridge_calc calc = calc_of(in, in->err);
    ridge_value sym;
    const ridge_symbol *text = ridge_py_symbol(in, name);
    ridge_status st = text ? ridge_sym_name(&sym, text->text, least, &calc) : ridge_no_memory(in->err);
    *out = ridge_py_int(value);
    if (st)
        return st;
    out->by.sym = sym.u.sym;
    return know(sym, true, ridge_rational_of(value), in);
}

static bool rational_of_double(ridge_rational *out, double value)
{
    char text[RIDGE_DOUBLE_CHARS];
    if (!isfinite(value))
        return false;
    size_t n = ridge_double_print(text, value);
    return ridge_rational_parse(out, (ridge_str){text, n});
}

ridge_status ridge_py_named_float(ridge_py *out, double value, const char *name, ridge_py_interp *in)
{
    ridge_calc calc = calc_of(in, in->err);
    ridge_value sym;
    ridge_rational r = {0, 1};
    const ridge_symbol *text = ridge_py_symbol(in, name);
    *out = ridge_py_float(value);
    if (!rational_of_double(&r, value)) /* a number that no formula can hold is a constant */
        return RIDGE_OK;
    ridge_status st = text ? ridge_sym_rational(&sym, text->text, &calc) : ridge_no_memory(in->err);
    if (st)
        return st;
    out->by.sym = sym.u.sym;
    return know(sym, true, r, in);
}

ridge_status ridge_py_named_bool(ridge_py *out, bool value, const char *name, ridge_py_interp *in)
{
    ridge_status st = ridge_py_named_int(out, value, name, 0, in);
    const ridge_poly *sym = out->by.sym;
    *out = ridge_py_bool(value);
    out->by.sym = st ? NULL : sym;
    return st;
}

ridge_status ridge_py_asked_bool(ridge_py *out, bool value, const char *formula, ridge_py_interp *in)
{
    const char *name = ridge_arena_printf(in->arena, "(%s)", formula);
    return name ? ridge_py_named_bool(out, value, name, in) : ridge_no_memory(in->err);
}

/* ---- what polynomials are here ---- */

static bool evaluate_atom(ridge_rational *out, const ridge_atom *a, ridge_py_interp *in);

static bool power(ridge_rational *out, ridge_rational base, uint32_t n)
{
    *out = ridge_rational_of(1);
    while (n-- > 0)
        if (!ridge_rational_mul(out, *out, base))
            return false;
    return true;
}

bool ridge_py_evaluate(ridge_rational *out, const ridge_poly *poly, ridge_py_interp *in)
{
    ridge_rational sum = ridge_rational_of(0);
    for (uint32_t i = 0; i < poly->count; i++) {
        ridge_rational product = poly->terms[i].coefficient, value;
        for (uint32_t k = 0; k < poly->terms[i].count; k++) {
            const ridge_factor *f = &poly->terms[i].factors[k];
            if (!evaluate_atom(&value, f->atom, in) || !power(&value, value, f->power) || !ridge_rational_mul(&product, product, value))
                return false;
        }
        if (!ridge_rational_add(&sum, sum, product))
            return false;
    }
    *out = sum;
    return true;
}

static bool evaluate_parts(ridge_rational *out, const ridge_atom *a, ridge_rational p, ridge_rational q)
{
    ridge_int whole;
    switch (a->kind) {
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

/* Terms stand in terms: each is worked out once. Parts are older than the whole, so this ends. */
static bool evaluate_atom(ridge_rational *out, const ridge_atom *a, ridge_py_interp *in)
{
    struct ridge_py_symbols *s;
    ridge_rational p = {0, 1}, q = {0, 1};
    if (symbols_of(&s, in))
        return false;
    if (!s->atoms[a->id].tried) {
        s->atoms[a->id].tried = true;
        bool exact = a->kind != RIDGE_ATOM_NAME && ridge_py_evaluate(&p, a->p, in) && (!a->q || ridge_py_evaluate(&q, a->q, in)) &&
                     evaluate_parts(&p, a, p, q);
        in->symbols->atoms[a->id] = (struct known){true, exact, p};
    }
    *out = in->symbols->atoms[a->id].value;
    return in->symbols->atoms[a->id].exact;
}

bool ridge_py_has_function(const ridge_poly *poly)
{
    for (uint32_t i = 0; i < poly->count; i++)
        for (uint32_t k = 0; k < poly->terms[i].count; k++)
            if (poly->terms[i].factors[k].atom->kind == RIDGE_ATOM_NAME && poly->terms[i].factors[k].atom->p)
                return true;
    return false;
}

ridge_status ridge_py_exact(ridge_value *out, bool *exact, ridge_py v, ridge_py_interp *in)
{
    ridge_calc calc = calc_of(in, in->err);
    ridge_rational r;
    *exact = true;
    *out = ridge_value_none();
    if (v.by.sym) {
        out->type = RIDGE_V_SYM;
        out->u.sym = v.by.sym;
        return RIDGE_OK;
    }
    if (v.type != RIDGE_PY_T_FLOAT) {
        *out = ridge_value_int(ridge_py_integer(v));
        return RIDGE_OK;
    }
    *exact = rational_of_double(&r, v.u.f);
    return *exact ? ridge_value_rational(out, r, &calc) : RIDGE_OK;
}

const ridge_poly *ridge_py_poly(ridge_py v, ridge_py_interp *in)
{
    ridge_err err = {0};
    ridge_calc calc = calc_of(in, &err);
    ridge_value exact;
    bool known;
    const ridge_poly *p;
    v = ridge_py_base(v);
    if (!ridge_py_is_number(v) || ridge_py_exact(&exact, &known, v, in) || !known || ridge_poly_of(&p, exact, &calc))
        return NULL;
    return p;
}

ridge_status ridge_py_set_function(ridge_py *out, const char *name, ridge_py a, ridge_py b, ridge_py_interp *in)
{
    ridge_calc calc = calc_of(in, in->err);
    const ridge_poly *p, *q;
    const ridge_symbol *text = ridge_py_symbol(in, name);
    ridge_value sym;
    ridge_status st;
    if (!ridge_py_has_sym(a) && (b.type == RIDGE_PY_T_UNSET || !ridge_py_has_sym(b)))
        return RIDGE_OK;
    p = ridge_py_poly(a, in);
    q = b.type == RIDGE_PY_T_UNSET ? NULL : ridge_py_poly(b, in);
    if (!p) { /* what is left when one of two is no finite number */
        p = q;
        q = NULL;
    }
    if (!text || !p)
        return ridge_no_memory(in->err);
    if ((st = ridge_sym_function(&sym, text->text, p, q, &calc)))
        return st;
    out->by.sym = sym.u.sym;
    return RIDGE_OK;
}

/* ---- conditions ---- */

static ridge_status write_down(bool holds, bool loop, const ridge_poly *sym, const char *text, ridge_py_interp *in)
{
    struct ridge_py_symbols *s;
    ridge_status st = symbols_of(&s, in);
    if (st)
        return st;
    if (ridge_intern_find(&s->asked, ridge_str_of(text)))
        return RIDGE_OK;
    const ridge_symbol *kept = ridge_intern(&s->asked, ridge_str_of(text));
    if (!kept || !ridge_arena_more(in->arena, &in->conditions, in->condition_count, &in->condition_cap, sizeof *in->conditions))
        return ridge_no_memory(in->err);
    in->conditions[in->condition_count++] = (ridge_condition){
        .text = kept->text,
        .sym = sym,
        .holds = holds,
        .loop = loop,
        .file = in->frame && in->frame->module ? in->frame->module->path : NULL,
        .line = in->frame ? in->frame->line : 0,
    };
    return RIDGE_OK;
}

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

static ridge_status ask(bool holds, bool loop, const ridge_poly *sym, ridge_py_interp *in)
{
    bool negated;
    ridge_buf buf = {0};
    if (sym->count == 0 || (sym->count == 1 && sym->terms[0].count == 0))
        return RIDGE_OK; /* a constant */
    const ridge_atom *alone = indicator(&negated, sym);
    if (alone && negated) {
        ridge_err err = {0};
        ridge_calc calc = calc_of(in, &err);
        ridge_value v = {.type = RIDGE_V_SYM};
        v.u.sym = sym;
        if (ridge_sym_binary(&v, RIDGE_OP_SUB, ridge_value_int(1), v, &calc) || v.type != RIDGE_V_SYM)
            return ridge_no_memory(in->err);
        sym = v.u.sym;
        holds = !holds;
    }
    ridge_status st = print_condition(&buf, sym, alone, in);
    if (!st && buf.failed)
        st = ridge_no_memory(in->err);
    if (!st)
        st = write_down(holds, loop, sym, buf.p ? buf.p : "", in);
    ridge_buf_free(&buf);
    return st;
}

ridge_status ridge_py_ask(bool holds, const ridge_poly *sym, const char *text, ridge_py_interp *in)
{
    if (sym)
        return ask(holds, false, sym, in);
    return text ? write_down(holds, false, NULL, text, in) : RIDGE_OK;
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
    if (!evaluate_atom(&value, a, in))
        return RIDGE_OK; /* a name without a value stands for itself: nobody named it here */
    st = a->any_rational ? ridge_sym_rational(&sym, a->name, &calc) : ridge_sym_name(&sym, a->name, a->least, &calc);
    if (st)
        return ridge_fail(in->err, st, "%s", err.msg);
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
        return write_down(true, false, NULL, origin + 1, in);
    v.by.origin = NULL;
    const char *literal = ridge_py_formula(v, in);
    if (!literal)
        return RIDGE_OK;
    const char *text = ridge_arena_printf(in->arena, "%s == %s", origin, literal);
    return text ? write_down(true, false, NULL, text, in) : ridge_no_memory(in->err);
}

/* ---- formulas ---- */

static bool print_formula(ridge_buf *buf, ridge_py v, unsigned depth, ridge_py_interp *in);

static bool print_items(ridge_buf *buf, const ridge_py_list *list, unsigned depth, ridge_py_interp *in)
{
    if (depth > 20 || list->count > 1000)
        return false;
    ridge_buf_addc(buf, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (i)
            ridge_buf_addz(buf, ", ");
        if (!print_formula(buf, list->items[i], depth + 1, in))
            return false;
    }
    ridge_buf_addc(buf, ']');
    return true;
}

static bool print_text(ridge_buf *buf, ridge_str text)
{
    char quote = text.n && memchr(text.p, '\'', text.n) ? '"' : '\'';
    if (text.n && (memchr(text.p, quote, text.n) || memchr(text.p, '\n', text.n)))
        return false;
    ridge_buf_addc(buf, quote);
    ridge_buf_add(buf, text);
    ridge_buf_addc(buf, quote);
    return true;
}

static bool print_formula(ridge_buf *buf, ridge_py v, unsigned depth, ridge_py_interp *in)
{
    char text[RIDGE_DOUBLE_CHARS];
    v = ridge_py_base(v);
    const char *origin = ridge_py_origin(v);
    if (origin && origin[0] != '=') {
        ridge_buf_addz(buf, origin);
        return true;
    }
    if (ridge_py_has_sym(v)) {
        if (ridge_py_has_function(v.by.sym))
            return false;
        ridge_poly_print(buf, v.by.sym);
        return !ridge_str_ends((ridge_str){buf->p, buf->n}, RIDGE_STR(" ..."));
    }
    switch (v.type) {
    case RIDGE_PY_T_NONE:
        ridge_buf_addz(buf, "None");
        return true;
    case RIDGE_PY_T_BOOL:
        ridge_buf_addz(buf, v.u.b ? "True" : "False");
        return true;
    case RIDGE_PY_T_INT:
        ridge_buf_addf(buf, "%lld", (long long)v.u.i);
        return true;
    case RIDGE_PY_T_FLOAT:
        if (!isfinite(v.u.f))
            return false;
        ridge_buf_add(buf, (ridge_str){text, ridge_double_print(text, v.u.f)});
        return true;
    case RIDGE_PY_T_STR:
        return print_text(buf, v.u.s->text);
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
        return print_items(buf, v.u.list, depth, in);
    default:
        return false;
    }
}

const char *ridge_py_formula(ridge_py v, ridge_py_interp *in)
{
    ridge_buf buf = {0};
    char *text = NULL;
    if (print_formula(&buf, v, 0, in))
        text = ridge_arena_take(in->arena, &buf);
    ridge_buf_free(&buf);
    return text;
}
