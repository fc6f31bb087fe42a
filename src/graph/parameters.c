/* Parameter counts over the graph: a node that stands in many places is summed once and multiplied by its uses. */
#include "graph/graph.h"
#include "graph/stored.h"

typedef struct sums {
    ridge_graph *g;
    ridge_int *of;              /* [node id]; -1: not yet */
    const ridge_format *format; /* NULL: elements */
    bool without_idle;
} sums;

/* a tensor's elements, or its bytes; -1 on overflow */
static ridge_int measure(const sums *s, const ridge_node_tensor *t)
{
    return s->format ? ridge_stored_bytes(t, s->format) : t->elements;
}

bool ridge_graph_holds_experts(const ridge_node *n, const ridge_node_tensor *t)
{
    return n->experts > 0 && t->rank > 1 && t->dims[0] % n->experts == 0;
}

/* what a token leaves idle of a tensor that holds all experts */
static ridge_int idle(const sums *s, const ridge_node *n, const ridge_node_tensor *t, ridge_int measured)
{
    const bool sliced = s->without_idle && ridge_graph_holds_experts(n, t);
    return sliced && measured > 0 ? measured / n->experts * (n->experts - n->run) : 0;
}

static const ridge_child *child_named(const ridge_node *n, ridge_str name)
{
    for (size_t i = 0; i < n->child_count; i++)
        if (n->children[i].node && ridge_str_eq(n->children[i].name, name))
            return &n->children[i];
    return NULL;
}

/* size of the tensor at a path below a node; -1: none */
static ridge_int size_at(const sums *s, const ridge_node *n, ridge_str path)
{
    const char *dot;
    while (n && (dot = memchr(path.p, '.', path.n))) {
        ridge_str head = {path.p, (size_t)(dot - path.p)};
        const ridge_child *c = child_named(n, head);
        n = c ? c->node : NULL;
        path = (ridge_str){dot + 1, path.n - head.n - 1};
    }
    for (size_t i = 0; n && i < n->weights.n; i++)
        if (ridge_str_is(path, n->weights.p[i].name->text))
            return measure(s, &n->weights.p[i]);
    return -1;
}

static ridge_status sum(ridge_int *out, const sums *s, const ridge_node *n)
{
    ridge_int total = 0, part;
    ridge_status st;
    if (s->of[n->id] >= 0) {
        *out = s->of[n->id];
        return RIDGE_OK;
    }
    for (size_t i = 0; i < n->weights.n; i++)
        if ((part = measure(s, &n->weights.p[i])) < 0 || !ridge_int_add(&total, total, part - idle(s, n, &n->weights.p[i], part)))
            return ridge_overflow(s->g->err, "the number of parameters");
    for (size_t i = 0; i < n->child_count; i++) {
        const ridge_child *c = &n->children[i];
        if (!c->node || (s->without_idle && c->idle))
            continue;
        if ((st = sum(&part, s, c->node)))
            return st;
        if (!ridge_int_add(&total, total, part))
            return ridge_overflow(s->g->err, "the number of parameters");
    }
    for (size_t i = 0; i < n->tie_count; i++) {
        if ((part = size_at(s, n, n->ties[i].weight)) < 0)
            return ridge_fail(s->g->err, RIDGE_NAME, "%s ties '%.*s', which does not exist", n->class_name,
                              RIDGE_STR_ARG(n->ties[i].weight));
        total -= part;
    }
    *out = s->of[n->id] = total;
    return RIDGE_OK;
}

ridge_status ridge_graph_parameters(ridge_int *out, ridge_graph *g, const ridge_node *root, const ridge_format *format, bool without_idle)
{
    sums s = {g, ridge_arena_array(g->arena, g->node_count + 1u, sizeof *s.of), format, without_idle};
    if (!s.of)
        return ridge_no_memory(g->err);
    for (uint32_t i = 0; i < g->node_count; i++)
        s.of[i] = -1;
    return sum(out, &s, root);
}

bool ridge_graph_has_experts(const ridge_node *n)
{
    if (n->experts > 0)
        return true;
    for (size_t i = 0; i < n->child_count; i++) {
        const ridge_child *c = &n->children[i];
        if (c->spread || (c->node && (i == 0 || c->node != n->children[i - 1].node) && ridge_graph_has_experts(c->node)))
            return true;
    }
    return false;
}

bool ridge_graph_has_cache(const ridge_node *n)
{
    for (size_t i = 0; i < n->child_count; i++) {
        const ridge_node *c = n->children[i].node;
        if (c && (i == 0 || c != n->children[i - 1].node) && ridge_graph_has_cache(c))
            return true;
    }
    return n->cache.n > 0;
}

static bool is_vocabulary(const ridge_child *c)
{
    const ridge_entry *e = c->node->entry;
    return c->split == RIDGE_SPLIT_WAY_VOCABULARY && e && c->node->weights.n > 0 &&
           (c->role == RIDGE_ROLE_NONE ? e->role : c->role) == RIDGE_ROLE_EMBEDDING;
}

/* the first table of a vocabulary; of positions and the like (`any`) where there is none */
static ridge_int first_table(const ridge_node *n, bool any)
{
    if (any && n->entry && ridge_entry_runs(n->entry, RIDGE_RUNNABLE_EMBEDDING))
        return n->weights.n ? n->weights.p[0].elements : 0;
    for (size_t i = 0; i < n->child_count && !n->list; i++) {
        const ridge_child *c = &n->children[i];
        if (!c->node || c->node->kind != RIDGE_KIND_MODULE)
            continue;
        const ridge_int found = !any && is_vocabulary(c) ? c->node->weights.p[0].elements : first_table(c->node, any);
        if (found)
            return found;
    }
    return 0;
}

ridge_int ridge_graph_embedding(const ridge_node *root)
{
    const ridge_int vocabulary = first_table(root, false);
    return vocabulary ? vocabulary : first_table(root, true);
}
