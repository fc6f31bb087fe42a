/* --learn: a model whose class the catalog does not know, or whose source changed, is learned before it is counted. */
#include "command/model.h"
#include "learn/keep/keep.h"

#include <stdlib.h>

const ridge_option ridge_options_learn[] = {
    RIDGE_FLAG(ridge_learn_options, learn, "learn", 0, "a class that the catalog does not know is read from its Python source, and kept",
               .reach = RIDGE_REACH_PROGRAM),
    RIDGE_STRING(
        ridge_learn_options, source, "source", 0, "DIR",
        "a folder that is or holds the package with the source, or a file (default: beside the config, else what the user's Python has)",
        .needs = "learn", .reach = RIDGE_REACH_FILE),
    RIDGE_OPTION_END,
};

/* was it learned of what --source names now? */
static bool is_same_source(const ridge_learned_told *told, const char *source)
{
    char *real = source ? realpath(source, NULL) : NULL;
    const bool same = !source || (real && told->from && strcmp(real, told->from) == 0);
    free(real);
    return same;
}

/* *old: what is known already, and *wanted: is there anything to learn? An answer that the catalog has stands. */
static ridge_status probe(bool *wanted, ridge_analysis **old, ridge_registry *registry, const ridge_learn_options *o,
                          const ridge_model_request *request, ridge_err *why)
{
    ridge_model_request whole = *request;
    whole.partial = false;
    const ridge_status st = ridge_analysis_exact(old, registry, &whole, RIDGE_ROWS_NONE, why);
    const ridge_analysis *a = *old;
    *wanted = st == RIDGE_UNKNOWN || (a && a->learned && st && st != RIDGE_NOMEM && st != RIDGE_USAGE);
    if (!st && a->learned)
        *wanted = a->learned_told.state == RIDGE_LEARNED_CHANGED || !is_same_source(&a->learned_told, o->source);
    return st;
}

static void tell(ridge_call *call, const ridge_kept *kept, const ridge_analysis *old)
{
    if (old->learned && old->learned_told.state == RIDGE_LEARNED_CHANGED)
        ridge_call_warn(call, "%s changed: %s is learned anew", old->learned_told.file, kept->class_path);
    ridge_call_warn(call, "learned %s%s%s%s%s", kept->class_path, kept->version ? " from " : "",
                    kept->version && kept->library ? kept->library : "", kept->version ? " " : "", kept->version ? kept->version : "");
    if (kept->unkept)
        ridge_call_warn(call, "what was learned is not kept: %s", kept->unkept);
}

static ridge_status add(ridge_registry *registry, const ridge_kept *kept, ridge_err *err)
{
    const char *text = ridge_arena_strdup(&registry->arena, ridge_str_of(kept->text));
    const char *path = ridge_arena_strdup(&registry->arena, ridge_str_of(kept->path));
    return text && path ? ridge_registry_add(registry, ridge_str_of(text), path, err) : ridge_no_memory(err);
}

static ridge_status learn(ridge_call *call, ridge_registry *registry, const ridge_learn_options *o, const ridge_model_request *request,
                          ridge_analysis *old, ridge_err *err)
{
    const char *from = !o->source && old->learned ? old->learned_told.from : o->source;
    const ridge_derive_request wanted = {.what = request->model, .class = request->head_class, .source = from};
    ridge_learned_key key;
    ridge_kept kept;
    ridge_arena arena;
    ridge_arena_init(&arena);
    ridge_call_progress(call, "reading the source of %s", request->model);
    ridge_status st = ridge_analysis_learned_key(&key, old, request, err);
    if (!st)
        st = ridge_keep_learn(&kept, registry, &key, &wanted, &arena, err);
    if (!st)
        st = add(registry, &kept, err);
    if (!st && !(st = ridge_keep_check(registry, &wanted, request, err)))
        st = ridge_keep_write(&kept, &key, &arena, err);
    ridge_call_progress_end(call);
    if (!st)
        tell(call, &kept, old);
    ridge_arena_free(&arena);
    return st;
}

ridge_status ridge_call_learn(ridge_call *call, ridge_registry *registry, const ridge_learn_options *o, const ridge_model_request *request,
                              ridge_err *err)
{
    ridge_analysis *old = NULL;
    ridge_err why = {0};
    bool wanted;
    if (!o->learn)
        return RIDGE_OK;
    ridge_status st = probe(&wanted, &old, registry, o, request, &why);
    st = wanted && old && old->file.json ? learn(call, registry, o, request, old, err)
         : st == RIDGE_NOMEM             ? ridge_no_memory(err)
                                         : RIDGE_OK;
    if (!wanted && !why.code)
        ridge_call_warn(call, RIDGE_OPT("learn") ": %s is in the catalog: nothing is read", old->architecture);
    ridge_analysis_free(old);
    return st;
}
