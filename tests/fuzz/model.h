/* model.h - a fuzzer's model through the whole analysis.
 * In: a registry and a request. What is accepted prints as JSON: its costs, and its tree where that is small. */
#ifndef RIDGE_TESTS_FUZZ_MODEL_H
#define RIDGE_TESTS_FUZZ_MODEL_H

#include "fuzz.h"
#include "model/cost.h"
#include "model/inspect.h"

enum { FUZZ_MODULES = 300 }; /* of a tree that is unfolded */

static inline bool fuzz_is_small(const ridge_cost_answer *answer)
{
    ridge_int modules = 0;
    for (size_t i = 0; i < answer->row_count; i++)
        if (!ridge_int_add(&modules, modules, answer->rows[i].count))
            return false;
    return modules <= FUZZ_MODULES;
}

static inline void fuzz_model(ridge_registry *registry, const ridge_model_request *model)
{
    const ridge_cost_request request = {.model = *model, .depth = RIDGE_UNSET};
    const ridge_inspect_request tree = {.model = *model, .depth = RIDGE_UNSET};
    ridge_cost_answer cost;
    ridge_inspect_answer modules;
    ridge_err err = {0};
    ridge_status st = ridge_cost_answer_make(&cost, registry, &request, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK)
        fuzz_check_json(&ridge_cost_record, &cost);
    if (st == RIDGE_OK && fuzz_is_small(&cost)) {
        st = ridge_inspect_answer_make(&modules, registry, &tree, &err);
        fuzz_check_err(st, &err);
        if (st == RIDGE_OK)
            fuzz_check_json(&ridge_inspect_record, &modules);
        ridge_inspect_answer_free(&modules);
    }
    ridge_cost_answer_free(&cost);
}

#endif
