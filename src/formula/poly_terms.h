/* poly_terms.h - how polynomials are built and what is known of their values; private to the formula folder.
 * In: terms in the run's arena. Out: interned polynomials, or plain numbers where they are constants. */
#ifndef RIDGE_FORMULA_POLY_TERMS_H
#define RIDGE_FORMULA_POLY_TERMS_H

#include "formula/poly.h"

#define RIDGE_TERM_LIMIT 20000

/* a number as terms: a constant is one term, 0 is none */
typedef struct ridge_poly_operand {
    const ridge_term *terms;
    size_t count;
    ridge_term one;
} ridge_poly_operand;

/* what lower bounds of names say about a value */
typedef struct ridge_poly_range {
    bool has_low, has_high;
    ridge_rational low, high;
} ridge_poly_range;

void ridge_poly_operand_of(ridge_poly_operand *operand, ridge_value v);
/* NULL when memory runs out */
ridge_term *ridge_poly_new_terms(const ridge_calc *calc, size_t count);
/* sorts, merges and interns; a constant comes back as a plain number */
ridge_status ridge_poly_build(ridge_value *out, ridge_term *terms, size_t count, const ridge_calc *calc);
/* the value of an opaque term over a and (unless NONE) b */
ridge_status ridge_poly_opaque(ridge_value *out, ridge_atom_kind kind, ridge_value a, ridge_value b, const ridge_calc *calc);

ridge_poly_range ridge_poly_bounds(const ridge_poly *poly);
ridge_poly_range ridge_atom_bounds(const ridge_atom *atom);
bool ridge_poly_is_integral(const ridge_poly *poly);
bool ridge_atom_is_indicator(const ridge_atom *atom);

#endif
