/* Whether the rows of a model's cache fill the blocks of the cache's number format. */
#include "model/analysis.h"

/* a row is what an attention kernel unpacks at once: a head of a token's keys or values, a token's latent, a channel's state */
static ridge_int row_elements(const ridge_node_tensor *t)
{
    return t->rank > 0 ? t->dims[t->rank - 1] : 1;
}

static const ridge_node_tensor *unfilled_of(const ridge_node *n, const ridge_format *format)
{
    for (size_t i = 0; i < n->cache.n; i++) {
        const ridge_node_tensor *t = &n->cache.p[i];
        if (!t->format && t->elements > 0 && row_elements(t) % format->block_elements != 0)
            return t;
    }
    return NULL;
}

/* the first tensor whose rows end inside a block, and the module that keeps it; NULL: none; seen: [node id] */
static const ridge_node_tensor *find_unfilled(const ridge_node **at, const ridge_node *n, const ridge_format *format, bool *seen)
{
    const ridge_node_tensor *found = unfilled_of(n, format);
    seen[n->id] = true;
    *at = n;
    for (size_t i = 0; i < n->child_count && !found; i++)
        if (n->children[i].node && !seen[n->children[i].node->id])
            found = find_unfilled(at, n->children[i].node, format, seen);
    return found;
}

ridge_status ridge_analysis_check_cache(ridge_analysis *a, ridge_err *err)
{
    const ridge_format *kv = a->workload.kv;
    const ridge_node *at;
    bool *seen = ridge_arena_array(&a->arena, a->graph.node_count + 1u, sizeof *seen);
    if (!seen)
        return ridge_no_memory(err);
    const ridge_node_tensor *t = a->memory.kv_cache > 0 ? find_unfilled(&at, a->root, kv, seen) : NULL;
    if (!t)
        return RIDGE_OK;
    const char *dot = strrchr(at->class_name, '.');
    return ridge_analysis_warn(a, err,
                               "KV cache in %s: %s's %s has %lld elements a row, which blocks of %u do not divide; each row is counted in "
                               "whole blocks, and llama.cpp refuses such a cache",
                               kv->name, dot ? dot + 1 : at->class_name, t->name->text, (long long)row_elements(t), kv->block_elements);
}
