/* number.h - numbers with symbols beside them; private to src/learn.
 * A number's `sym` is an exact polynomial. What arithmetic cannot say (roots, logarithms, powers of symbols) is a FUNCTION of polynomials:
 * a FLOAT that scales numbers carries it along; where it would reach an int, a shape or a branch, it is pinned: conditions are written down
 * that the symbols it was made of have their concrete values, and the number is a constant from there on. */
#ifndef RIDGE_LEARN_PYTHON_NUMBER_H
#define RIDGE_LEARN_PYTHON_NUMBER_H

#include "learn/python/operate.h"

static inline double ridge_py_double(ridge_py v)
{
    return v.type == RIDGE_PY_T_FLOAT ? v.u.f : v.type == RIDGE_PY_T_BOOL ? v.u.b : (double)v.u.i;
}
static inline int64_t ridge_py_integer(ridge_py v) /* BOOL, INT */
{
    return v.type == RIDGE_PY_T_BOOL ? v.u.b : v.u.i;
}
static inline bool ridge_py_has_sym(ridge_py v)
{
    return ridge_py_is_number(v) && v.by.sym;
}
static inline const char *ridge_py_origin(ridge_py v) /* NULL: a constant */
{
    switch (v.type) {
    case RIDGE_PY_T_NONE:
    case RIDGE_PY_T_STR:
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
    case RIDGE_PY_T_DICT:
        return v.by.origin;
    default:
        return NULL;
    }
}
/* a number for the algebra; *exact false: it has none (infinite, not a number) */
ridge_status ridge_py_exact(ridge_value *out, bool *exact, ridge_py v, ridge_py_interp *in);
/* the exact value of a polynomial in this run; false: it has none (a function in it, overflow) */
bool ridge_py_evaluate(ridge_rational *out, const ridge_poly *poly, ridge_py_interp *in);
bool ridge_py_has_function(const ridge_poly *poly);
/* conditions that the symbols of v (the condition of a derived text) are what they are */
ridge_status ridge_py_pin(ridge_py v, ridge_py_interp *in);
ridge_status ridge_py_pin_poly(const ridge_poly *poly, ridge_py_interp *in);
/* that v, which was read as a whole, is what it is: of numbers, and of values with an origin */
ridge_status ridge_py_ask_value(ridge_py v, ridge_py_interp *in);
/* what was withheld is asked now */
ridge_status ridge_py_ask_withheld(const ridge_py_asks *asks, ridge_py_interp *in);
ridge_status ridge_py_ask_loop(ridge_py count, ridge_py_interp *in);
/* a BOOL that a formula gives, which is True or False here */
ridge_status ridge_py_asked_bool(ridge_py *out, bool value, const char *formula, ridge_py_interp *in);
/* out, a FLOAT: name(a, b) of symbols; b UNSET: of one */
ridge_status ridge_py_set_function(ridge_py *out, const char *name, ridge_py a, ridge_py b, ridge_py_interp *in);
/* out: `concrete` with this symbol; pinned to a constant where the two disagree */
ridge_status ridge_py_settle(ridge_py *out, ridge_py concrete, ridge_value sym, ridge_py_interp *in);

ridge_status ridge_py_number_binary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, ridge_py_interp *in);
ridge_status ridge_py_number_unary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in);
typedef enum ridge_py_rounding { RIDGE_PY_FLOOR, RIDGE_PY_CEIL, RIDGE_PY_TRUNCATE, RIDGE_PY_ROUND } ridge_py_rounding;
ridge_status ridge_py_to_integer(ridge_py *out, ridge_py v, ridge_py_rounding how, ridge_py_interp *in);
ridge_status ridge_py_to_float(ridge_py *out, ridge_py v, ridge_py_interp *in);
ridge_status ridge_py_min_max(ridge_py *out, bool maximum, ridge_py a, ridge_py b, ridge_py_interp *in); /* of numbers */

#endif
