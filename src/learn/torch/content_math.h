/* content_math.h - arithmetic of elements that are known: one number and another, with their symbols.
 * In: numbers of Python. Out: a number, or UNSET where it is not known. */
#ifndef RIDGE_LEARN_TORCH_CONTENT_MATH_H
#define RIDGE_LEARN_TORCH_CONTENT_MATH_H

#include "learn/torch/content.h"

typedef enum ridge_math {
    RIDGE_MATH_ADD,
    RIDGE_MATH_SUB,
    RIDGE_MATH_RSUB,
    RIDGE_MATH_MUL,
    RIDGE_MATH_DIV,
    RIDGE_MATH_DIV_TRUNC,
    RIDGE_MATH_FLOORDIV,
    RIDGE_MATH_REM,
    RIDGE_MATH_POW,
    RIDGE_MATH_EQ,
    RIDGE_MATH_NE,
    RIDGE_MATH_LT,
    RIDGE_MATH_LE,
    RIDGE_MATH_GT,
    RIDGE_MATH_GE,
    RIDGE_MATH_AND,
    RIDGE_MATH_OR,
    RIDGE_MATH_XOR,
    RIDGE_MATH_BITAND,
    RIDGE_MATH_BITOR,
    RIDGE_MATH_BITXOR,
    RIDGE_MATH_MIN,
    RIDGE_MATH_MAX,
    RIDGE_MATH_NEG,
    RIDGE_MATH_ABS,
    RIDGE_MATH_NOT,
    RIDGE_MATH_BITNOT,
    RIDGE_MATH_FLOOR,
    RIDGE_MATH_CEIL,
    RIDGE_MATH_ROUND,
    RIDGE_MATH_TRUNC,
    RIDGE_MATH_SQRT,
    RIDGE_MATH_EXP,
    RIDGE_MATH_LOG,
    RIDGE_MATH_LOG2,
    RIDGE_MATH_ISNAN,
    RIDGE_MATH_ISINF,
    RIDGE_MATH_ISFINITE,
    RIDGE_MATH_SAME,
    RIDGE_MATH_WHERE,
    RIDGE_MATH_CLAMP,
    RIDGE_MATH_NO_OP
} ridge_math;

ridge_math ridge_math_of(const char *name); /* of an operator without its namespace: "add", "bitwise_and" */
ridge_status ridge_math_apply(ridge_py *out, ridge_math op, const ridge_py *args, size_t count, ridge_py_interp *in);
ridge_status ridge_math_unary(ridge_py *out, ridge_math op, ridge_py a, ridge_py_interp *in);
ridge_status ridge_math_binary(ridge_py *out, ridge_math op, ridge_py a, ridge_py b, ridge_py_interp *in);
bool ridge_math_truth(ridge_py number);
double ridge_math_real(ridge_py number);
ridge_py ridge_math_counted(ridge_py number); /* a BOOL as the INT that it counts as */

#endif
