/* words.h - the arguments of `ridge formula` as people type them; private to entries/.
 * In: words like "2048", "rows=2k", "attention=causal". Out: a module's arguments; the workload and the config in the graph.
 * Fails (USAGE) on a word that is no value of what it is given for, a name nothing has, and names given twice. */
#ifndef RIDGE_ENTRIES_WORDS_H
#define RIDGE_ENTRIES_WORDS_H

#include "cost/cost.h"
#include "entries/formula.h"
#include "formula/poly.h"

enum { RIDGE_FORMULA_ARGUMENTS = 64 };

/* a formula on its way to an answer; everything lives in the arena */
typedef struct ridge_formula_work {
    ridge_formula_answer *out;
    const ridge_formula_request *request;
    ridge_registry *registry;
    ridge_entry *entry;
    ridge_algebra algebra;
    ridge_graph graph;
    ridge_coster coster;
    struct given_word *words; /* as they were read */
    size_t word_count;
    const ridge_entry *family; /* the config of the module's own; NULL: not known */
    ridge_object *config;      /* what the words say of it; NULL: none */
    ridge_arena *arena;
    ridge_err *err;
} ridge_formula_work;

/* what an entry takes; each analysis of a flat one has parameters of its own */
typedef struct ridge_formula_parameters {
    const ridge_parameter *items;
    size_t count;
} ridge_formula_parameters;
ridge_formula_parameters ridge_formula_parameters_of(const ridge_entry *entry, ridge_context context);

/* Once the work is done: USAGE where a workload symbol or a config field was given that no formula has read. */
ridge_status ridge_formula_check_read(const ridge_formula_work *work);

ridge_status ridge_formula_read(ridge_argument args[RIDGE_FORMULA_ARGUMENTS], size_t *count, ridge_formula_work *work);

#endif
