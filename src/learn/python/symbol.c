/* Symbols: what they stand for in this run, and formulas as text. */
#include "learn/python/number.h"

#include "base/double.h"

#include <math.h>

/* What every atom of the algebra is here, by its id. */
struct ridge_py_symbols {
    struct known {
        bool tried, exact;
        ridge_rational value;
    } * atoms;
    size_t cap;
};

static ridge_status symbols_of(struct ridge_py_symbols **out, ridge_py_interp *in)
{
    if (!in->symbols) {
        struct ridge_py_symbols *made = ridge_arena_alloc(in->arena, sizeof *made);
        if (!made)
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
                     ridge_atom_value(&p, a->kind, p, q);
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
