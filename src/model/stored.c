/* Weights as a file stores them: the formats of the tensors of a GGUF or a graph, given to the weights of its model. */
#include <stdlib.h>

#include "base/units.h"
#include "graph/stored.h"
#include "input/gguf/model.h"
#include "model/analysis.h"
#include "opgraph/entries.h"

enum { NAMED = 5 }; /* tensors in a warning */

static int by_bytes(const void *a, const void *b)
{
    const ridge_stored_share *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : strcmp(x->format->name, y->format->name);
}

static ridge_status add_share(ridge_analysis *a, size_t *cap, const ridge_weight *w, ridge_err *err)
{
    ridge_stored_weights *s = &a->stored;
    size_t i = 0;
    while (i < s->count && s->shares[i].format != w->format)
        i++;
    if (i == s->count) {
        if (!ridge_arena_more(&a->arena, &s->shares, s->count, cap, sizeof *s->shares))
            return ridge_no_memory(err);
        s->shares[s->count++] = (ridge_stored_share){.format = w->format};
    }
    s->shares[i].tensors++;
    if (!ridge_int_add(&s->shares[i].elements, s->shares[i].elements, w->elements) ||
        !ridge_int_add(&s->shares[i].bytes, s->shares[i].bytes, w->bytes))
        return ridge_overflow(err, "the size of the weights");
    return RIDGE_OK;
}

ridge_status ridge_analysis_shares(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    size_t cap = 0;
    if (r->weights && r->weights->rules)
        return ridge_analysis_read_mix(a, r->weights, err);
    if (!a->file.gguf && !a->ops)
        return ridge_analysis_read_quant(a, r, err);
    if (r->weights || r->dtype || (a->ops && !ridge_analysis_opgraph_mixed(a)))
        return RIDGE_OK;
    for (size_t i = 0; a->file.gguf && i < a->file.gguf->gguf.weights.count && !st; i++)
        st = add_share(a, &cap, &a->file.gguf->gguf.weights.tensors[i], err);
    for (size_t i = 0; a->ops && i < a->ops->placed_count && !st; i++)
        if (!a->ops->placed[i].buffer)
            st = add_share(a, &cap, a->ops->placed[i].weight, err);
    if (a->stored.count)
        qsort(a->stored.shares, a->stored.count, sizeof *a->stored.shares, by_bytes);
    for (size_t i = 0; i < a->stored.count && !st; i++)
        st = ridge_words_add(&a->stored.names, a->stored.shares[i].format->name, &a->arena, err);
    return st;
}

static ridge_status of_gguf(ridge_stored *out, void *data, ridge_str path, const ridge_node *module, const ridge_node_tensor *weight,
                            ridge_err *err)
{
    (void)module;
    ridge_gguf_weight found;
    ridge_status st = ridge_gguf_weight_find(&found, data, path, weight->elements, err);
    *out = (ridge_stored){st ? NULL : found.format, st ? 0 : found.bytes, NULL};
    return st;
}

/* tensors that are no weight of the model: their bytes count, and are told */
static ridge_status add_rest(ridge_analysis *a, ridge_err *err)
{
    const char *names[NAMED + 1] = {NULL};
    ridge_buf text = {0};
    ridge_status st = ridge_gguf_rest(&a->stored.other_bytes, names, NAMED + 1, a->file.gguf, err);
    if (st || !names[0]) /* such as tables of rotary frequencies, which are no surprise */
        return st;
    for (size_t i = 0; names[i]; i++)
        ridge_buf_addf(&text, "%s%s", i ? ", " : "", names[i]);
    char *list = ridge_arena_take(&a->arena, &text);
    if (!list)
        return ridge_no_memory(err);
    return ridge_analysis_warn(a, err, "the file has tensors that are no weights of its model, and count as memory alone: %s%s", list,
                               names[NAMED - 1] ? ", ..." : "");
}

ridge_status ridge_analysis_store(ridge_analysis *a, ridge_err *err)
{
    ridge_gguf_model *gguf = a->file.gguf;
    const ridge_storing storing = {of_gguf, gguf, false};
    const ridge_node *stored = a->root;
    if (a->quant || a->mix)
        return ridge_analysis_quantize(a, err);
    if (a->ops)
        return a->workload.stored ? ridge_analysis_opgraph_store(a, err) : RIDGE_OK;
    if (!gguf)
        return RIDGE_OK;
    memset(gguf->used, 0, (gguf->gguf.weights.count + 1) * sizeof *gguf->used);
    ridge_status st = ridge_graph_store(&stored, &a->graph, &storing);
    if (a->workload.stored) /* else the request says the format, and the file only that the model is the one it has */
        a->root = stored;
    /* experts that stand for all of a mixture, and what closed forms leave out, are not all weights */
    return st || a->graph.pool_experts || a->graph.algebra ? st : add_rest(a, err);
}

ridge_status ridge_analysis_file_bytes(ridge_int *out, ridge_analysis *a, ridge_int model_bytes)
{
    const ridge_int bytes = a->file.gguf->gguf.weights.bytes;
    *out = bytes;
    if (a->graph.algebra || a->graph.pool_experts || model_bytes + a->stored.other_bytes == bytes)
        return RIDGE_OK;
    return ridge_fail(a->graph.err, RIDGE_CHECK, "%s: the weights of its model have %lld bytes, others %lld, and all tensors %lld",
                      a->file.name, (long long)model_bytes, (long long)a->stored.other_bytes, (long long)bytes);
}
