/* A model that is a graph of operators (ONNX, torch.export): sizes bound, then a config and entries of the catalog made of it, which go the
 * way of every config and entry. */
#include "model/analysis.h"

#include "base/units.h"
#include "graph/stored.h"
#include "opgraph/entries.h"

/* ---- sizes ---- */

/* what exporters call the first dimension */
static bool is_batch(ridge_str name)
{
    static const char *const names[] = {"batch", "batch_size", "batchsize", "batch_dim", "batch_axis", "N", "B", "bs", "n", "b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ridge_str_is(name, names[i]))
            return true;
    return false;
}

static bool is_bound(const ridge_opgraph_bind *binds, size_t count, ridge_str name)
{
    for (size_t i = 0; i < count; i++)
        if (ridge_str_eq(binds[i].name, name))
            return true;
    return false;
}

/* a dimension that is called batch and has no number yet; NULL: there is none */
static const ridge_opgraph_symbol *open_batch(const ridge_opgraph *g, const ridge_opgraph_bind *binds, size_t count)
{
    for (size_t i = 0; i < g->symbol_count; i++)
        if (is_batch(g->symbols[i].name) && !is_bound(binds, count, g->symbols[i].name))
            return &g->symbols[i];
    return NULL;
}

/* --batch is the size of that dimension; commands whose batch is 1 unless told say nothing by it */
static ridge_status bind_batch(ridge_opgraph_bind *binds, size_t *count, ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    const ridge_opgraph_symbol *batch = open_batch(a->file.opgraph, binds, *count);
    a->batch_fixed = !batch;
    if (r->batch == RIDGE_UNSET || (!batch && r->batch == 1))
        return RIDGE_OK;
    if (batch) {
        binds[(*count)++] = (ridge_opgraph_bind){batch->name, r->batch};
        return RIDGE_OK;
    }
    return ridge_fail(err, RIDGE_USAGE,
                      RIDGE_OPT("batch") ": the inputs of %s have no dimension called batch that is not bound; " RIDGE_OPT(
                          "bind") " NAME=N gives a dimension its size",
                      a->file.name);
}

static ridge_status warn_assumed(ridge_analysis *a, const ridge_opgraph_run *run, ridge_err *err)
{
    ridge_buf text = {0};
    if (!run->assumed.count)
        return RIDGE_OK;
    for (size_t i = 0; i < run->assumed.count && i < 8; i++)
        ridge_buf_addf(&text, "%s%s", i ? "," : "", run->assumed.items[i]);
    const char *list = ridge_arena_take(&a->arena, &text);
    if (!list)
        return ridge_no_memory(err);
    return ridge_analysis_warn(a, err, "sizes that the file leaves open are taken as %s%s; " RIDGE_OPT("bind") " gives others", list,
                               run->assumed.count > 8 ? ", ..." : "");
}

/* ---- what is not counted ---- */

static ridge_status list_open(ridge_analysis *a, const ridge_opgraph_model *m, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < m->open_count && !st; i++)
        st = ridge_analysis_note_unknown(a, m->open[i].what, m->open[i].where, m->open[i].why, err);
    if (st || !m->uncounted)
        return st;
    return ridge_analysis_warn(a, err, "%s of %s nodes %s not counted: the totals are lower bounds",
                               ridge_units_exact(&a->arena, (ridge_int)m->uncounted),
                               ridge_units_exact(&a->arena, (ridge_int)m->run.step_count), m->uncounted == 1 ? "is" : "are");
}

/* ---- the model ---- */

/* the entries live as long as the registry, which may have them from before */
static ridge_status add_entries(ridge_analysis *a, const ridge_opgraph_model *m, ridge_err *err)
{
    const char *config = ridge_arena_printf(&a->arena, "%s__Config", m->type);
    const ridge_symbol *key = config ? ridge_registry_key(a->registry, ridge_str_of(config)) : NULL;
    if (!key)
        return ridge_no_memory(err);
    if (ridge_registry_find(a->registry, key))
        return RIDGE_OK;
    char *text = ridge_arena_strdup(&a->registry->arena, m->entries);
    char *file = ridge_arena_printf(&a->registry->arena, "%s (its graph as entries)", a->file.name);
    if (!text || !file || ridge_registry_failed(a->registry))
        return ridge_no_memory(err);
    return ridge_registry_add(a->registry, (ridge_str){text, m->entries.n}, file, err);
}

static ridge_status check_request(const ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    if (r->phase == RIDGE_PHASE_PREFILL)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("phase") " %s: %s is a graph that runs as it was exported", ridge_phase_names[r->phase],
                      a->file.name);
}

ridge_status ridge_analysis_read_opgraph(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    const ridge_opgraph *graph = a->file.opgraph;
    ridge_opgraph_model *m = ridge_arena_alloc(&a->arena, sizeof *m);
    ridge_opgraph_bind *binds;
    size_t count;
    if (!graph) {
        if (r->bind && r->bind[0])
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("bind") ": %s is no graph with sizes left open (ONNX, torch.export)",
                              a->file.name);
        return RIDGE_OK;
    }
    ridge_status st = m ? check_request(a, r, err) : ridge_no_memory(err);
    if (st || (st = ridge_opgraph_binds_read(&binds, &count, r->bind, &a->arena, err)) || (st = bind_batch(binds, &count, a, r, err)) ||
        (st = ridge_opgraph_model_make(m, graph, binds, count, a->registry, &a->arena, err)) || (st = add_entries(a, m, err)))
        return st;
    const char *path = ridge_arena_printf(&a->arena, "%s (its graph as config.json)", a->file.name);
    ridge_model_file file;
    if (!path)
        return ridge_no_memory(err);
    if ((st = ridge_model_parse(&file, a->file.name, path, m->config, &a->arena, err)))
        return st;
    file.opgraph = a->file.opgraph;
    a->file = file;
    a->ops = m;
    return (st = warn_assumed(a, &m->run, err)) ? st : list_open(a, m, err);
}

ridge_status ridge_analysis_tell_bound(ridge_analysis *a, ridge_err *err)
{
    ridge_buf text = {0};
    if (!a->ops)
        return RIDGE_OK;
    const ridge_opgraph *g = a->file.opgraph;
    a->workload.bound_batch = RIDGE_UNSET;
    for (size_t i = 0; i < g->symbol_count; i++) {
        const int64_t size = a->ops->run.bound[i];
        ridge_buf_addf(&text, "%s%s=%lld", i ? "," : "", ridge_weight_shown(&a->arena, g->symbols[i].name), (long long)size);
        if (a->workload.bound_batch == RIDGE_UNSET && is_batch(g->symbols[i].name))
            a->workload.bound_batch = size;
    }
    ridge_buf_addz(&text, "");
    a->workload.bound = ridge_arena_take(&a->arena, &text);
    return a->workload.bound ? RIDGE_OK : ridge_no_memory(err);
}

/* ---- weights as the file stores them ---- */

static ridge_status placed(ridge_stored *out, void *data, ridge_str path, const ridge_node *module, const ridge_node_tensor *weight,
                           ridge_err *err)
{
    const ridge_opgraph_model *m = data;
    (void)module;
    (void)weight;
    (void)err;
    const ridge_symbol *symbol = ridge_intern_find(&m->paths, path);
    const ridge_weight *stored = symbol ? m->placed[m->placed_of[symbol->id]].weight : NULL;
    *out = (ridge_stored){stored ? stored->format : NULL, stored ? stored->bytes : 0, NULL};
    return RIDGE_OK;
}

ridge_status ridge_analysis_opgraph_store(ridge_analysis *a, ridge_err *err)
{
    (void)err;
    const ridge_storing storing = {placed, a->ops, false};
    return ridge_graph_store(&a->root, &a->graph, &storing);
}

/* in formats that are not the activations' */
bool ridge_analysis_opgraph_mixed(const ridge_analysis *a)
{
    for (size_t i = 0; i < a->ops->placed_count; i++)
        if (!a->ops->placed[i].buffer && a->ops->placed[i].weight->format != a->ops->activations)
            return true;
    return false;
}
