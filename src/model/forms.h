/* forms.h - a model's cost as closed forms in B, S, past, ...
 * In: a model and a workload whose lengths stay names. Out: one struct that owns its analysis.
 * Fails as the analysis does; (UNKNOWN) where --partial knows nothing; (VALUE) where a cost has no closed form. */
#ifndef RIDGE_MODEL_FORMS_H
#define RIDGE_MODEL_FORMS_H

#include "model/records.h"

typedef struct ridge_closed_form {
    ridge_value value;
    bool polynomial; /* without opaque terms (minima, floors) */
} ridge_closed_form;

typedef struct ridge_forms_answer {
    ridge_analysis *analysis;
    const char *model, *architecture;
    ridge_phase phase;
    ridge_words symbols;
    ridge_closed_form flops, torch, matmul, attention, activation, other, read_bytes, written_bytes;
} ridge_forms_answer;

/* free with ridge_forms_answer_free also after an error */
ridge_status ridge_forms_answer_make(ridge_forms_answer *out, ridge_registry *registry, const ridge_model_request *request, ridge_err *err);
void ridge_forms_answer_free(ridge_forms_answer *answer);

extern const ridge_record ridge_forms_record;
void ridge_forms_text(ridge_buf *out, const ridge_forms_answer *answer);

#endif
