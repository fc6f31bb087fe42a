/* config.c - fuzzes a model's config.json through the whole analysis, with the built-in catalog: what is accepted has a tree and costs that
 * print as JSON and agree with each other. */
#include "fuzz.h"

#include "model/cost.h"
#include "model/forms.h"
#include "model/inspect.h"

enum { SIZE_LIMIT = 16384, MODULES = 5000, REUSE = 500 };

static void check_json(ridge_buf *buf)
{
    ridge_arena arena;
    ridge_json *json;
    ridge_arena_init(&arena);
    FUZZ_CHECK(!buf->failed);
    FUZZ_CHECK(ridge_json_parse(&json, (ridge_str){buf->p, buf->n}, "", (ridge_json_options){.unique_keys = true}, &arena, NULL) ==
               RIDGE_OK);
    ridge_arena_free(&arena);
    buf->n = 0;
}

static bool is_small(const ridge_cost_answer *answer)
{
    ridge_int modules = 0;
    for (size_t i = 0; i < answer->row_count; i++)
        if (!ridge_int_add(&modules, modules, answer->rows[i].count))
            return false;
    return modules <= MODULES;
}

static void write_json(const ridge_record *record, const void *answer)
{
    ridge_buf buf = {0};
    ridge_record_answer(&buf, record, answer);
    check_json(&buf);
    ridge_buf_free(&buf);
}

static void run(ridge_registry *registry, const ridge_model_request *model)
{
    const ridge_cost_request request = {.model = *model, .depth = RIDGE_UNSET};
    const ridge_inspect_request tree = {.model = *model, .depth = RIDGE_UNSET};
    ridge_cost_answer cost;
    ridge_inspect_answer modules;
    ridge_err err = {0};
    ridge_status st = ridge_cost_answer_make(&cost, registry, &request, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK)
        write_json(&ridge_cost_record, &cost);
    if (st == RIDGE_OK && is_small(&cost)) {
        st = ridge_inspect_answer_make(&modules, registry, &tree, &err);
        fuzz_check_err(st, &err);
        if (st == RIDGE_OK)
            write_json(&ridge_inspect_record, &modules);
        ridge_inspect_answer_free(&modules);
    }
    ridge_cost_answer_free(&cost);
}

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
    run_forms(registry, &r);
    for (int phase = RIDGE_PHASE_PREFILL; phase <= RIDGE_PHASE_TRAIN; phase++) {
        r.phase = (ridge_phase)phase;
        run(registry, &r);
    }
    return 0;
}
