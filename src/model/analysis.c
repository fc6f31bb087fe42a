#include "model/analysis.h"

#include <stdio.h>
#include <stdlib.h>

#include "graph/config.h"
#include "graph/stored.h"
#include "opgraph/entries.h"

/* ---- the graph and its totals ---- */

ridge_status ridge_analysis_note_unknown(ridge_analysis *a, const char *module, const char *needed_by, const char *why, ridge_err *err)
{
    for (size_t i = 0; i < a->unknown_count; i++)
        if (strcmp(a->unknown[i].module, module) == 0)
            return RIDGE_OK;
    if (!ridge_arena_more(&a->arena, &a->unknown, a->unknown_count, &a->unknown_cap, sizeof *a->unknown))
        return ridge_no_memory(err);
    a->unknown[a->unknown_count++] = (ridge_unknown){module, needed_by, why};
    return RIDGE_OK;
}

/* an unknown module under --partial: noted, not counted, and every output says so */
static ridge_status refuse(ridge_graph *g, ridge_value *out, const ridge_symbol *module)
{
    ridge_analysis *a = g->refuse_data;
    const char *path = ridge_registry_path(a->registry, module);
    *out = ridge_value_none();
    if (!path || ridge_registry_failed(a->registry))
        return ridge_no_memory(g->err);
    return ridge_analysis_note_unknown(a, path, g->building ? g->building->class_name : "", NULL, g->err);
}

static ridge_status build(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    ridge_value v;
    ridge_graph *g = &a->graph;
    ridge_status st;
    if (r->partial) {
        g->refuse = refuse;
        g->refuse_data = a;
    }
    g->run.config = a->config;
    if ((st = ridge_graph_invoke(&v, g, a->head->entry, NULL, 0)))
        return st;
    if (v.type != RIDGE_V_NODE)
        return ridge_fail(err, RIDGE_TYPE, "%s is not a module", a->architecture);
    a->root = v.u.node;
    a->class_name = a->root->class_name;
    return ridge_analysis_store(a, err);
}

/* parameters a token runs: those of a forward pass over one token, whose idle experts are left out */
static ridge_status count_active(ridge_analysis *a, ridge_err *err)
{
    if (!a->head) /* parts of an unknown architecture */
        return RIDGE_OK;
    ridge_graph one;
    ridge_value v;
    ridge_status st = ridge_graph_init(&one, a->registry, &a->arena, NULL, err);
    if (st)
        return st;
    memcpy(one.globals, a->graph.globals, sizeof one.globals);
    static const ridge_global ones[] = {RIDGE_GLOBAL_B, RIDGE_GLOBAL_S, RIDGE_GLOBAL_T, RIDGE_GLOBAL_head_rows};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        one.globals[ones[i]] = ridge_value_int(1);
    one.globals[RIDGE_GLOBAL_past] = ridge_value_int(0);
    if (!ridge_value_is_zero(one.globals[RIDGE_GLOBAL_enc]))
        one.globals[RIDGE_GLOBAL_enc] = ridge_value_int(1);
    one.run.config = a->config;
    one.refuse = a->graph.refuse;
    one.refuse_data = a;
    if ((st = ridge_graph_invoke(&v, &one, a->head->entry, NULL, 0)))
        return st;
    return ridge_graph_parameters(&a->parameters.active, &one, v.u.node, NULL, true);
}

static ridge_status count_parameters(ridge_analysis *a, ridge_err *err)
{
    ridge_status st;
    if ((st = ridge_graph_parameters(&a->parameters.total, &a->graph, a->root, NULL, false)))
        return st;
    a->parameters.embedding = ridge_graph_embedding(a->root);
    a->parameters.active = a->parameters.total;
    return ridge_graph_has_experts(a->root) ? count_active(a, err) : RIDGE_OK;
}

/* ---- the three ways ---- */

/* what is told of a dtype that the config does not give, as torch names it */
static ridge_str assumed_dtype(const ridge_analysis *a)
{
    if (a->file.gguf || strcmp(a->dtype->name, "bf16") == 0)
        return RIDGE_STR("bfloat16");
    return strcmp(a->dtype->name, "fp16") == 0 ? RIDGE_STR("float16") : RIDGE_STR("float32");
}

/* file, config, workload, graph */
static ridge_status begin(ridge_analysis *a, const ridge_model_request *r, ridge_symbols symbols, bool pooled, ridge_err *err)
{
    ridge_status st;
    ridge_algebra *algebra = symbols ? &a->algebra : NULL;
    if ((st = ridge_analysis_open(a, r, err)))
        return st;
    if (symbols && a->ops && a->ops->run.graph->symbol_count)
        return ridge_fail(err, RIDGE_VALUE, "%s: a graph is counted with numbers for the sizes that it leaves open: no closed form",
                          a->file.name);
    if (algebra && !ridge_algebra_init(algebra, &a->arena))
        return ridge_no_memory(err);
    if ((st = ridge_graph_init(&a->graph, a->registry, &a->arena, algebra, err)))
        return st;
    a->graph.pool_experts = pooled;
    if (a->config_entry && (st = ridge_config_bind(&a->config, a->registry, a->config_entry, a->file.json, a->file.path, &a->graph.run)))
        return st;
    if ((st = ridge_analysis_workload(a, r, symbols, err)) || (st = a->config_entry ? build(a, r, err) : ridge_analysis_partial(a, err)) ||
        a->nothing_known || (st = ridge_analysis_check_phase(a, err)))
        return st;
    if (a->dtype_assumed)
        st = ridge_config_assume(a->config, a->registry, "torch_dtype", ridge_value_str(assumed_dtype(a)), &a->graph.run.calc);
    return st ? st : ridge_coster_init(&a->coster, &a->graph, r->kernel);
}

static ridge_status count_total(ridge_analysis *a)
{
    const ridge_cost *cost;
    ridge_status st = ridge_cost_of(&cost, &a->coster, a->root);
    if (!st)
        a->total = *cost;
    return st;
}

static ridge_status finish(ridge_analysis *a)
{
    return a->workload.phase == RIDGE_PHASE_TRAIN ? ridge_analysis_training(a) : RIDGE_OK;
}

static ridge_status make_exact(ridge_analysis *a, const ridge_model_request *r, ridge_row_detail rows, ridge_err *err)
{
    ridge_status st = begin(a, r, RIDGE_SYMBOLS_NONE, false, err);
    if (st || a->nothing_known)
        return st;
    if ((st = count_parameters(a, err)) || (st = count_total(a)))
        return st;
    if (rows != RIDGE_ROWS_NONE && (st = ridge_rows_make(&a->rows, &a->coster, a->root, rows == RIDGE_ROWS_ALL)))
        return st;
    if ((st = finish(a)) || (st = ridge_analysis_memory(a, err)))
        return st;
    if ((st = ridge_analysis_check_cache(a, err)))
        return st;
    return ridge_analysis_find_takes(a, r, err);
}

static ridge_status make_forms(ridge_analysis *a, const ridge_model_request *r, ridge_symbols symbols, bool memory, ridge_err *err)
{
    ridge_status st = begin(a, r, symbols, false, err);
    if (st || a->nothing_known)
        return st;
    a->coster.memory = memory;
    if ((st = count_parameters(a, err)) || (st = count_total(a)) || (st = finish(a)) ||
        (memory && (st = ridge_analysis_memory_forms(&a->memory_forms, a))))
        return st;
    return ridge_analysis_find_takes(a, r, err);
}

static ridge_status make_kernels(ridge_analysis *a, const ridge_model_request *r, const ridge_analysis *exact, ridge_row_detail rows,
                                 bool symbolic, ridge_err *err)
{
    if (ridge_stored_experts_unlike(&exact->graph))
        return ridge_fail(err, RIDGE_UNKNOWN,
                          "experts of one mixture are stored in unlike formats: the time of a token depends on which it reaches");
    ridge_status st = begin(a, r, symbolic ? RIDGE_SYMBOLS_ALL : RIDGE_SYMBOLS_NONE, true, err);
    if (st || a->nothing_known)
        return st;
    a->parameters = exact->parameters;
    if ((st = count_total(a)) || (st = ridge_kernels_make(&a->rows, &a->kernels, &a->coster, a->root, rows == RIDGE_ROWS_ALL)))
        return st;
    return finish(a);
}

/* the field of the file, nested ones included, whose string an error says it found */
static const ridge_field *find_culprit(const ridge_object *config, const char *msg)
{
    const ridge_field *found = NULL;
    for (size_t i = 0; i < config->count && !found; i++) {
        const ridge_field *f = &config->fields[i];
        ridge_buf text = {0};
        if (f->value.type == RIDGE_V_OBJECT)
            found = find_culprit(f->value.u.object, msg);
        if (f->value.type != RIDGE_V_STRING || !f->line)
            continue;
        ridge_buf_addz(&text, "; found ");
        ridge_value_print(&text, f->value);
        if (text.p && !text.failed && strstr(msg, text.p))
            found = f;
        ridge_buf_free(&text);
    }
    return found;
}

/* a choice that has no such case stands in the catalog; the value came from the config */
static void add_culprit(const ridge_analysis *a, ridge_err *err)
{
    if (!err || !a->config || !err->line || strcmp(err->file, a->file.path) == 0)
        return;
    const ridge_field *f = find_culprit(a->config, err->msg);
    if (f)
        ridge_err_append(err, " (%s = '%.*s' at %s:%u:%u)", f->name->text, RIDGE_STR_ARG(f->value.u.s), a->file.path, f->line, f->col);
}

static ridge_analysis *new_analysis(ridge_registry *registry)
{
    ridge_analysis *a = calloc(1, sizeof *a);
    if (a) {
        ridge_arena_init(&a->arena);
        a->registry = registry;
    }
    return a;
}

/* numbers that rest on the user's own entries say so, wherever they are shown */
static ridge_status tell_overrides(ridge_analysis *a, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < a->graph.override_count && !st; i++) {
        const char *text = ridge_source_told(a->graph.overrides[i], a->registry, &a->arena);
        st = text ? ridge_words_add(&a->warnings, text, &a->arena, err) : ridge_no_memory(err);
    }
    return st;
}

/* learned entries count what separate operators do: what else is asked of them is told from one side, or estimated */
static ridge_status tell_one_sided(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    if (!a->root || !a->root->entry || !a->root->entry->learned)
        return RIDGE_OK;
    return ridge_analysis_warn(
        a, err, "%s is learned from its source, which does not say what is held at once: the activations peak is an estimate%s%s",
        a->architecture,
        r->kernel == RIDGE_KERNEL_FUSED ? "; nor what kernels fuse: bytes, and times by them, are of separate operators, an upper bound"
                                        : "",
        r->phase == RIDGE_PHASE_TRAIN ? "; nor what the backward pass keeps: its memory is a lower bound" : "");
}

static ridge_status ended(ridge_analysis *a, const ridge_model_request *r, ridge_status st, ridge_err *err)
{
    if (st)
        add_culprit(a, err);
    if (!st && a->arena.failed) /* a name, a label: whoever asked for it went on without */
        st = ridge_no_memory(err);
    return st || (st = tell_one_sided(a, r, err)) ? st : tell_overrides(a, err);
}

ridge_status ridge_analysis_exact(ridge_analysis **out, ridge_registry *registry, const ridge_model_request *request, ridge_row_detail rows,
                                  ridge_err *err)
{
    *out = new_analysis(registry);
    return *out ? ended(*out, request, make_exact(*out, request, rows, err), err) : ridge_no_memory(err);
}

ridge_status ridge_analysis_forms(ridge_analysis **out, ridge_registry *registry, const ridge_model_request *request, ridge_symbols symbols,
                                  bool memory, ridge_err *err)
{
    *out = new_analysis(registry);
    return *out ? ended(*out, request, make_forms(*out, request, symbols, memory, err), err) : ridge_no_memory(err);
}

ridge_status ridge_analysis_kernels(ridge_analysis **out, ridge_registry *registry, const ridge_model_request *request,
                                    const ridge_analysis *exact, ridge_row_detail rows, bool symbolic, ridge_err *err)
{
    *out = new_analysis(registry);
    return *out ? ended(*out, request, make_kernels(*out, request, exact, rows, symbolic, err), err) : ridge_no_memory(err);
}

void ridge_analysis_free(ridge_analysis *a)
{
    if (!a)
        return;
    ridge_quant_free(a->quant);
    ridge_arena_free(&a->arena);
    free(a);
}
