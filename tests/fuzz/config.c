/* config.c - fuzzes a model's config.json through the whole analysis, with the built-in catalog: what is accepted has a tree and costs that
 * print as JSON and agree with each other. */
#include "fuzz.h"

#include "model/output.h"

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

static bool is_small(const ridge_rows *rows)
{
    ridge_int modules = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (!ridge_int_add(&modules, modules, rows->p[i].count))
            return false;
    return modules <= MODULES;
}

static ridge_status print(ridge_analysis *a, ridge_err *err)
{
    ridge_buf buf = {0};
    ridge_status st = ridge_output_cost_json(&buf, a, err);
    if (st == RIDGE_OK)
        check_json(&buf);
    if (st == RIDGE_OK && is_small(&a->rows) && (st = ridge_output_inspect_json(&buf, a, err)) == RIDGE_OK)
        check_json(&buf);
    ridge_buf_free(&buf);
    return st;
}

static void run(ridge_registry *registry, ridge_str text, ridge_phase phase, bool symbolic)
{
    ridge_request r;
    ridge_analysis *a;
    ridge_err err = {0};
    ridge_request_default(&r);
    r.model = "config.json";
    r.config_text = text.p;
    r.config_length = text.n;
    r.phase = phase;
    r.symbolic = symbolic;
    ridge_status st = ridge_analysis_make(&a, registry, &r, &err);
    if (st == RIDGE_OK && !symbolic)
        st = print(a, &err);
    fuzz_check_err(st, &err);
    ridge_analysis_free(a);
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
    run(registry, text, RIDGE_PHASE_PREFILL, false);
    run(registry, text, RIDGE_PHASE_DECODE, false);
    run(registry, text, RIDGE_PHASE_TRAIN, false);
    run(registry, text, RIDGE_PHASE_PREFILL, true);
    return 0;
}
