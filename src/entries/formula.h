/* formula.h - one catalog entry evaluated alone: its value, the resolution tree, its closed form.
 * In: an entry's name and arguments as people type them. Out: the exact value in one context and the steps that led there, in the arena.
 * Fails on unknown names, wrong arity, missing arguments, overflow. */
#ifndef RIDGE_ENTRIES_FORMULA_H
#define RIDGE_ENTRIES_FORMULA_H

#include "catalog/entry.h"
#include "report/record.h"

typedef struct ridge_formula_request {
    /* an entry's name, then arguments: "2048" by position, "rows=2048" for a parameter, else a workload symbol, else a config field */
    ridge_words words;
    ridge_context context; /* reads, writes and intermediates are elements */
    bool trace, symbolic;
} ridge_formula_request;
extern const ridge_option ridge_options_formula[];

typedef struct ridge_formula_result {
    ridge_value value;
    const char *text; /* as a formula writes it */
} ridge_formula_result;

typedef struct ridge_formula_step {
    unsigned depth;
    const char *name;       /* "q_proj: torch.nn.Linear(rows=2048, ...)", "flops.matmul" */
    const char *expression; /* the template's text; NULL: none of its own */
    ridge_formula_result result;
} ridge_formula_step;

typedef struct ridge_formula_argument {
    const char *name;
    ridge_value value;
} ridge_formula_argument;

typedef struct ridge_formula_answer {
    ridge_formula_step whole; /* its name is the module's dotted path */
    ridge_context context;
    ridge_formula_argument *arguments; /* that were given, or stay names */
    size_t argument_count, argument_cap;
    ridge_formula_step *steps; /* with `trace` */
    size_t step_count, step_cap;
} ridge_formula_answer;

ridge_status ridge_formula_answer_make(ridge_formula_answer *out, ridge_registry *registry, const ridge_formula_request *request,
                                       ridge_arena *arena, ridge_err *err);
extern const ridge_record ridge_formula_record, ridge_formula_step_record;
void ridge_formula_text(ridge_buf *out, const ridge_formula_answer *answer, ridge_arena *arena);

#endif
