/* Polynomials as a person writes them: 2*B*S**2 + 3*(S//2) - min(S, 4096). */
#include "formula/poly.h"

#define PRINT_LIMIT 100000 /* bytes; terms stand in terms: written out, they can be 2^depth long */

static void print_sum(ridge_buf *buf, const ridge_poly *poly);

static void print_inner(ridge_buf *buf, const ridge_poly *p)
{
    if (p->count == 0)
        ridge_buf_addc(buf, '0');
    else
        print_sum(buf, p);
}

static void print_wrapped(ridge_buf *buf, const ridge_poly *p)
{
    bool wrap = p->count > 1 || (p->count == 1 && p->terms[0].count + (p->terms[0].coefficient.num != 1 && p->terms[0].count) > 1);
    if (wrap)
        ridge_buf_addc(buf, '(');
    print_inner(buf, p);
    if (wrap)
        ridge_buf_addc(buf, ')');
}

static void print_operands(ridge_buf *buf, const ridge_atom *a)
{
    ridge_buf_addc(buf, '(');
    print_inner(buf, a->p);
    if (a->q) {
        ridge_buf_addz(buf, ", ");
        print_inner(buf, a->q);
    }
    ridge_buf_addc(buf, ')');
}

static void print_pair(ridge_buf *buf, const char *name, const ridge_atom *a)
{
    ridge_buf_addz(buf, name);
    print_operands(buf, a);
}

static void print_atom(ridge_buf *buf, const ridge_atom *a)
{
    switch (a->kind) {
    case RIDGE_ATOM_NAME:
        ridge_buf_addz(buf, a->name);
        if (a->p)
            print_operands(buf, a);
        break;
    case RIDGE_ATOM_FLOORDIV:
        ridge_buf_addc(buf, '(');
        print_wrapped(buf, a->p);
        ridge_buf_addz(buf, "//");
        print_wrapped(buf, a->q);
        ridge_buf_addc(buf, ')');
        break;
    case RIDGE_ATOM_MIN:
        print_pair(buf, "min", a);
        break;
    case RIDGE_ATOM_MAX:
        print_pair(buf, "max", a);
        break;
    case RIDGE_ATOM_NOT_NEGATIVE:
    case RIDGE_ATOM_ZERO:
        ridge_buf_addz(buf, "(");
        print_inner(buf, a->p);
        ridge_buf_addz(buf, a->kind == RIDGE_ATOM_ZERO ? " == 0)" : " >= 0)");
        break;
    case RIDGE_ATOM_RECIPROCAL:
        ridge_buf_addz(buf, "(1/");
        print_wrapped(buf, a->p);
        ridge_buf_addc(buf, ')');
        break;
    }
}

static void print_term(ridge_buf *buf, const ridge_term *t, bool first)
{
    char text[RIDGE_RATIONAL_CHARS];
    ridge_rational c = t->coefficient;
    if (!first)
        ridge_buf_addz(buf, c.num < 0 ? " - " : " + ");
    else if (c.num < 0)
        ridge_buf_addc(buf, '-');
    bool unit = (c.num == 1 || c.num == -1) && c.den == 1;
    size_t n = ridge_rational_print(text, c), sign = c.num < 0;
    if (!unit || t->count == 0)
        ridge_buf_add(buf, (ridge_str){text + sign, n - sign});
    for (uint32_t i = 0; i < t->count; i++) {
        if (i || !unit)
            ridge_buf_addc(buf, '*');
        print_atom(buf, t->factors[i].atom);
        if (t->factors[i].power > 1)
            ridge_buf_addf(buf, "**%u", t->factors[i].power);
    }
}

/* buf: of one closed form */
static void print_sum(ridge_buf *buf, const ridge_poly *poly)
{
    for (uint32_t i = 0; i < poly->count && buf->n <= PRINT_LIMIT; i++)
        print_term(buf, &poly->terms[i], i == 0);
    if (buf->n > PRINT_LIMIT && !ridge_str_ends((ridge_str){buf->p, buf->n}, RIDGE_STR(" ...")))
        ridge_buf_addz(buf, " ...");
}

void ridge_poly_print(ridge_buf *buf, const ridge_poly *poly)
{
    ridge_buf own = {0};
    print_sum(&own, poly);
    ridge_buf_add(buf, (ridge_str){own.p, own.n});
    buf->failed |= own.failed;
    ridge_buf_free(&own);
}
