/* formula.h - one catalog entry evaluated alone: its value, the resolution tree, its closed form.
 * In: an entry's name and arguments as people type them. Out: the exact value in one context and the steps that led there.
 * Fails on unknown names, wrong arity, missing arguments, overflow. */
#ifndef RIDGE_ENTRIES_FORMULA_H
#define RIDGE_ENTRIES_FORMULA_H

#include "cost/cost.h"
#include "formula/poly.h"

typedef struct ridge_formula_step {
    unsigned depth;
    const char *name;       /* "q_proj: torch.nn.Linear(rows = 2048, ...)", "flops.matmul" */
    const char *expression; /* the template's text; NULL: none of its own */
    ridge_value value;
} ridge_formula_step;

typedef struct ridge_formula_argument {
    const char *name;
    ridge_value value;
} ridge_formula_argument;

typedef struct ridge_formula {
    ridge_arena arena;
    ridge_registry *registry; /* the caller's */
    ridge_algebra algebra;
    ridge_graph graph;
    ridge_coster coster;
    const char *module; /* dotted path */
    ridge_context context;
    ridge_formula_argument *arguments;
    size_t argument_count, argument_cap;
    ridge_value value; /* reads and writes in elements */
    ridge_formula_step *steps;
    size_t step_count, step_cap;
} ridge_formula;

/* words: "2048" (positional), "rows=2048"; a name sets a parameter, else a workload symbol, else a config field.
 * symbolic: what is missing stays a name. trace: fill `steps`. Free with ridge_formula_free also after an error. */
ridge_status ridge_formula_make(ridge_formula **out, ridge_registry *registry, const char *name, const char *const *words, size_t count,
                                ridge_context context, bool symbolic, bool trace, ridge_err *err);
void ridge_formula_free(ridge_formula *formula);

#endif
