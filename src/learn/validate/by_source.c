/* What the source says of a case. */
#include "learn/derive/count.h"
#include "learn/derive/derive.h"
#include "learn/validate/validate.h"

static ridge_status copy_count(ridge_validate_side *out, const ridge_counted *count, ridge_arena *arena, ridge_err *err)
{
    out->count = count->count;
    out->modules = ridge_arena_array(arena, out->count + 1, sizeof *out->modules);
    if (!out->modules)
        return ridge_no_memory(err);
    for (size_t i = 0; i < out->count; i++) {
        const ridge_count_module *m = &count->modules[i];
        out->modules[i] = (ridge_validate_module){ridge_arena_strdup(arena, ridge_str_of(m->path)),
                                                  ridge_arena_strdup(arena, ridge_str_of(m->module->class_path)), m->parameters,
                                                  m->calls > 0 ? ridge_count_torch(&m->sums) : -1};
    }
    return arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}

static ridge_status run_once(ridge_validate_side *out, ridge_derivation *d, const ridge_json *of, ridge_arena *arena, ridge_err *err)
{
    ridge_derive_workload workload = RIDGE_DERIVE_WORKLOAD;
    ridge_derive_run run;
    ridge_counted count = {0};
    workload.batch = ridge_validate_length(of, "B");
    workload.seq = ridge_validate_length(of, "S");
    workload.decoder_seq = ridge_validate_length(of, "D");
    ridge_status st = ridge_derive_run_once(&run, d, &workload);
    if (!st && run.failed)
        return ridge_fail(err, RIDGE_VALUE, "%s", run.failed);
    if (st || (st = ridge_count_tree(&count, d->root, &d->in)) || (st = ridge_count_run(&count, run.root, &d->in)))
        return st;
    return copy_count(out, &count, arena, err);
}

ridge_status ridge_validate_from_source(ridge_validate_side *out, const ridge_validate_request *request, const ridge_json *of, const ridge_json *inputs,
                                        ridge_arena *arena, ridge_err *err)
{
    const ridge_json *config = ridge_json_get(of, "config");
    const ridge_derive_request ask_for = {.what = request->what,
                                          .class = request->class_name,
                                          .source = request->source,
                                          .config = config && config->type == RIDGE_JSON_OBJECT ? config : ridge_json_get(of, "arguments"),
                                          .inputs = inputs};
    ridge_derivation *d = ridge_arena_alloc(arena, sizeof *d);
    ridge_arena own;
    if (!d)
        return ridge_no_memory(err);
    ridge_arena_init(&own);
    ridge_status st = ridge_derive_open(d, &ask_for, &own, err);
    if (!st)
        st = run_once(out, d, of, arena, err);
    ridge_arena_free(&own);
    return st;
}
