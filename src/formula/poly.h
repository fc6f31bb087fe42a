/* poly.h - symbolic numbers: polynomials with exact rational coefficients over the workload's names and over opaque
 * integer terms (floor division, remainder, minimum, maximum, 0/1 indicators).
 * In: operands of one ridge_algebra. Out: interned polynomials: equal ones are the same pointer. Overflow is an error.
 * Names stand for integers with a known lower bound (B, S >= 1, past >= 0), which decides many conditions, or for any rational. */
#ifndef RIDGE_FORMULA_POLY_H
#define RIDGE_FORMULA_POLY_H

#include "formula/value.h"

typedef enum ridge_atom_kind {
    RIDGE_ATOM_NAME,     /* with p (and q): what the function of this name makes of them, of which nothing else is known */
    RIDGE_ATOM_FLOORDIV, /* p // q */
    RIDGE_ATOM_MIN,
    RIDGE_ATOM_MAX,
    RIDGE_ATOM_NOT_NEGATIVE, /* 1 where p >= 0, else 0 */
    RIDGE_ATOM_ZERO,         /* 1 where p == 0, else 0 */
    RIDGE_ATOM_RECIPROCAL,   /* 1 / p */
} ridge_atom_kind;

typedef struct ridge_atom {
    ridge_atom_kind kind;
    uint32_t id;
    uint32_t input; /* NAME: which of the algebra's inputs */
    const char *name;
    ridge_int least;   /* NAME: lower bound */
    bool any_rational; /* NAME: may be a fraction and below `least`: nothing bounds it */
    const ridge_poly *p, *q;
    /* what its parts say of it, worked out once: terms stand in terms, so looking again each time would take 2^depth steps */
    bool integral, has_low, has_high;
    ridge_rational low, high;
} ridge_atom;

typedef struct ridge_factor {
    const ridge_atom *atom;
    uint32_t power;
} ridge_factor;

typedef struct ridge_term {
    ridge_rational coefficient;
    uint32_t count;
    const ridge_factor *factors; /* by atom id */
} ridge_term;

struct ridge_poly {
    uint32_t hash;
    uint32_t id; /* in order of creation: a stable order */
    uint32_t count;
    const ridge_term *terms; /* ordered; no zero coefficients */
};

struct ridge_algebra {
    ridge_arena *arena;
    size_t memory; /* what the arena may hold; 0: RIDGE_MEMORY_LIMIT */
    const ridge_poly **polys; /* hash set */
    uint32_t poly_cap, poly_count;
    ridge_atom **atoms; /* in order of creation */
    size_t atom_cap;
    uint32_t atom_count, input_count;
    uint32_t *atom_index; /* [atom_index_cap], hash set: 1 + the atom's place */
    uint32_t atom_index_cap;
    ridge_hash_key key;
    struct ridge_memo *memo; /* what was calculated lately; NULL until much was */
    uint32_t operations;
    bool divisors_hold; /* what was divided by is not 0: where it is, whoever asked has failed before (learned from source) */
};

bool ridge_algebra_init(ridge_algebra *algebra, ridge_arena *arena);

/* The value of a free name: an integer of at least `least`. Inputs are numbered in order of their first use here. */
ridge_status ridge_sym_name(ridge_value *out, const char *name, ridge_int least, const ridge_calc *calc);
/* a free name that may be any rational number */
ridge_status ridge_sym_rational(ridge_value *out, const char *name, const ridge_calc *calc);
/* name(p, q), q NULL: of one operand: some number that arithmetic cannot say (a root, a logarithm); the same for the same operands */
ridge_status ridge_sym_function(ridge_value *out, const char *name, const ridge_poly *p, const ridge_poly *q, const ridge_calc *calc);
/* a op b where one side at least is symbolic; comparisons give a 0/1 indicator (or a BOOL where bounds decide) */
ridge_status ridge_sym_binary(ridge_value *out, ridge_op op, ridge_value a, ridge_value b, const ridge_calc *calc);
ridge_status ridge_sym_min_max(ridge_value *out, bool maximum, ridge_value a, ridge_value b, const ridge_calc *calc);
ridge_status ridge_sym_floor(ridge_value *out, ridge_value a, const ridge_calc *calc);
/* condition*then + (1 - condition)*otherwise */
ridge_status ridge_sym_select(ridge_value *out, ridge_value condition, ridge_value then, ridge_value otherwise, const ridge_calc *calc);

void ridge_poly_print(ridge_buf *buf, const ridge_poly *poly);
/* a number as an interned polynomial, constants too */
ridge_status ridge_poly_of(const ridge_poly **out, ridge_value v, const ridge_calc *calc);
/* what an atom of this kind is where its parts are p and q; false: a division by zero, a number beyond 128 bits, or a name */
bool ridge_atom_value(ridge_rational *out, ridge_atom_kind kind, ridge_rational p, ridge_rational q);
/* true where every atom is a name: a polynomial in the proper sense */
bool ridge_poly_is_plain(const ridge_poly *poly);

#endif
