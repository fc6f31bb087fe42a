/* config.c - fuzzes a model's config.json through the whole analysis, with the built-in catalog: what is accepted has a tree and costs that
 * print as JSON and agree with each other. */
#include "model.h"

#include "model/forms.h"

enum { SIZE_LIMIT = 1 << 20, REUSE = 500 };
enum { FORMS = RIDGE_PHASE_TRAIN + 1, QUESTIONS };

static void run_forms(ridge_registry *registry, const ridge_model_request *model)
{
    ridge_forms_answer forms;
    ridge_err err = {0};
    fuzz_check_err(ridge_forms_answer_make(&forms, registry, model, &err), &err);
    ridge_forms_answer_free(&forms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ridge_registry *registry;
    static unsigned used;
    ridge_str text = {(const char *)data, size};
    if (size > SIZE_LIMIT)
        return 0;
    if (registry != NULL && ++used % REUSE == 0) { /* names are kept as long as the registry */
        ridge_registry_close(registry);
        registry = NULL;
    }
    if (registry == NULL && ridge_registry_open(&registry, NULL, 0, false, NULL) != RIDGE_OK)
        return 0;
    ridge_model_request r;
    ridge_model_request_default(&r);
    r.model = "config.json";
    r.config_text = text.p;
    r.config_length = text.n;
    const uint32_t chosen = fuzz_digest(text) % QUESTIONS;
    if (FUZZ_REPLAYS || chosen == FORMS)
        run_forms(registry, &r);
    for (int phase = RIDGE_PHASE_PREFILL; phase <= RIDGE_PHASE_TRAIN; phase++) {
        r.phase = (ridge_phase)phase;
        if (FUZZ_REPLAYS || chosen == (uint32_t)phase)
            fuzz_model(registry, &r);
    }
    return 0;
}
