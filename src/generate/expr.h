/* expr.h - formulas as expressions of Python and of C, which give the same exact values.
 * In: a formula, the local names of its entry. Out: text with the marks of code.h. What the text needs (functions, classes) is noted.
 * Fails only for memory (out->failed). */
#ifndef RIDGE_GENERATE_EXPR_H
#define RIDGE_GENERATE_EXPR_H

#include "generate/names.h"

/* What the code of one entry uses beside its own names. */
typedef struct ridge_code_uses {
    const char *functions[32]; /* of functions.py */
    size_t function_count;
    const ridge_generated **modules; /* entries that are called, each once */
    size_t module_count, module_cap;
    const ridge_symbol **missing; /* called, and not in the catalog */
    size_t missing_count, missing_cap;
    bool config, workload, fraction, unset;
} ridge_code_uses;

typedef struct ridge_coder {
    ridge_buf *out;
    const ridge_generated_list *list;
    const ridge_locals *locals;
    const ridge_expr *expr; /* what is being written */
    const char *config;     /* what the config is called here */
    ridge_code_uses *uses;
    ridge_buf *helpers;     /* C: functions that go before the one that is being written */
    const char *owner;      /* C: the name of the entry */
    unsigned *helper_count; /* C */
    ridge_arena *arena;
} ridge_coder;

/* how tightly what stands around a Python expression binds */
enum { RIDGE_BINDS_NOT = 0, RIDGE_BINDS_ARGUMENT = 1 };
void ridge_python_expr(ridge_coder *coder, const ridge_expr *expr, unsigned level);
/* a name in Python that stands for a module; noted as used */
const char *ridge_code_class(ridge_coder *coder, const ridge_symbol *key);
/* is the formula a constant, so that its code can be a default in a signature? */
bool ridge_code_is_constant(const ridge_expr *expr);
/* notes a function of functions.py */
void ridge_code_use(ridge_coder *coder, const char *function);

/* C: the expression; comprehensions become functions of their own among `helpers` */
void ridge_c_expr(ridge_coder *coder, const ridge_expr *expr);
void ridge_c_truth(ridge_coder *coder, const ridge_expr *expr); /* a bool of C */

#endif
