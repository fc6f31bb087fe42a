#include "graph/stored.h"

#include "base/str.h"

/* Most weights of unlike shape or storage below a module that functions of its own may read; a module of more has none that do. */
enum { SET_LIMIT = 256, FEW = 8 };

/* What was made, by all that tells two of a kind apart: nodes by the node that they stand for, sets of weights by these. */
typedef struct made {
    uint64_t hash;
    const ridge_node *from;      /* NULL: a set */
    ridge_node *node;            /* of `from` */
    const ridge_tensors *stored; /* the set; of a node, node->stored */
    struct made *next;
} made;

struct ridge_store {
    made **buckets;
    size_t bucket_count, count;
    bool experts_unlike;
};

/* a tied weight, by full paths */
typedef struct tied_path {
    const char *weight, *target;
} tied_path;

typedef struct storer {
    ridge_graph *g;
    const ridge_storing *storing;
    ridge_buf path;
    tied_path *ties;
    size_t tie_count, tie_cap;
} storer;

/* a subtree: its new node, and the distinct weights of it */
typedef struct subtree {
    ridge_node *node;
    const ridge_tensors *weights; /* never NULL */
} subtree;

static const ridge_tensors no_weights;

ridge_int ridge_stored_bytes(const ridge_node_tensor *t, const ridge_format *format)
{
    const ridge_int rows = t->rank > 1 ? t->dims[0] : 1;
    ridge_int bytes;
    if (t->stored.bytes > 0)
        return t->stored.bytes;
    if (t->stored.format)
        format = t->stored.format;
    return ridge_format_bytes(&bytes, format, rows, rows ? t->elements / rows : 0) ? bytes : -1;
}

ridge_stored ridge_stored_format(const ridge_node *n)
{
    const ridge_node_tensor *most = NULL;
    for (size_t i = 0; n->stored && i < n->stored->n; i++)
        if (!most || n->stored->p[i].elements > most->elements)
            most = &n->stored->p[i];
    return most ? most->stored : (ridge_stored){NULL, 0, NULL};
}

bool ridge_stored_experts_unlike(const ridge_graph *g)
{
    return g->store && g->store->experts_unlike;
}

/* ---- the memo ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * 0x9E3779B97F4A7C15u ^ hash >> 29;
}

static uint64_t hash_of_pointer(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static uint64_t hash_of_weights(uint64_t hash, const ridge_tensors *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const ridge_node_tensor *w = &t->p[i];
        hash = mix(mix(mix(hash, hash_of_pointer(w->stored.format)), (uint64_t)w->stored.bytes), (uint64_t)w->elements);
    }
    return hash;
}

static bool same_shape(const ridge_node_tensor *a, const ridge_node_tensor *b)
{
    return a->rank == b->rank && a->elements == b->elements && (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

static bool same_weight(const ridge_node_tensor *a, const ridge_node_tensor *b)
{
    return a->stored.format == b->stored.format && a->stored.bytes == b->stored.bytes && a->stored.activations == b->stored.activations &&
           same_shape(a, b);
}

static bool same_weights(const ridge_tensors *a, const ridge_tensors *b)
{
    size_t i = 0;
    while (a->n == b->n && i < a->n && same_weight(&a->p[i], &b->p[i]))
        i++;
    return a->n == b->n && i == a->n;
}

static bool grow(ridge_graph *g)
{
    struct ridge_store *s = g->store;
    const size_t count = s->bucket_count ? s->bucket_count * 4 : 1024;
    made **buckets = ridge_arena_array(g->arena, count, sizeof *buckets);
    if (!buckets)
        return false;
    for (size_t i = 0; i < s->bucket_count; i++)
        for (made *m = s->buckets[i], *next; m; m = next) {
            made **to = &buckets[m->hash & (count - 1)];
            next = m->next;
            m->next = *to;
            *to = m;
        }
    s->buckets = buckets;
    s->bucket_count = count;
    return true;
}

static made *first_of(const ridge_graph *g, uint64_t hash)
{
    return g->store && g->store->bucket_count ? g->store->buckets[hash & (g->store->bucket_count - 1)] : NULL;
}

static ridge_status remember(ridge_graph *g, made one)
{
    if (!g->store && !(g->store = ridge_arena_alloc(g->arena, sizeof *g->store)))
        return ridge_no_memory(g->err);
    struct ridge_store *s = g->store;
    made *m = ridge_arena_alloc(g->arena, sizeof *m);
    if (!m || (s->count >= s->bucket_count && !grow(g)))
        return ridge_no_memory(g->err);
    made **to = &s->buckets[one.hash & (s->bucket_count - 1)];
    *m = one;
    m->next = *to;
    *to = m;
    s->count++;
    return RIDGE_OK;
}

/* the one list of these weights */
static ridge_status intern_set(const ridge_tensors **out, ridge_graph *g, const ridge_tensors *set)
{
    const uint64_t hash = hash_of_weights(1, set);
    for (const made *m = first_of(g, hash); m; m = m->next)
        if (m->hash == hash && !m->from && same_weights(m->stored, set)) {
            *out = m->stored;
            return RIDGE_OK;
        }
    ridge_tensors *kept = ridge_arena_alloc(g->arena, sizeof *kept);
    if (!kept || !(kept->p = ridge_arena_array(g->arena, set->n + 1, sizeof *kept->p)))
        return ridge_no_memory(g->err);
    if (set->n)
        memcpy(kept->p, set->p, set->n * sizeof *kept->p);
    kept->n = set->n;
    *out = kept;
    return remember(g, (made){.hash = hash, .stored = kept});
}

/* ---- nodes anew ---- */

static bool same_children(const ridge_node *a, const ridge_child *children)
{
    for (size_t i = 0; i < a->child_count; i++)
        if (a->children[i].node != children[i].node || a->children[i].without != children[i].without)
            return false;
    return true;
}

/* The node of these weights, children and readable weights that stands for n: n itself where nothing is new. */
static ridge_status intern_node(ridge_node **out, ridge_graph *g, const ridge_node *n, const ridge_tensors *own, ridge_child *children,
                                const ridge_tensors *stored)
{
    if (n->stored == stored && own->p == n->weights.p && same_children(n, children)) {
        *out = (ridge_node *)n;
        return RIDGE_OK;
    }
    uint64_t hash = mix(mix(hash_of_weights(2, own), hash_of_pointer(n)), hash_of_pointer(stored));
    for (size_t i = 0; i < n->child_count; i++)
        hash = mix(hash, hash_of_pointer(children[i].node));
    for (const made *m = first_of(g, hash); m; m = m->next)
        if (m->hash == hash && m->from == n && m->stored == stored && same_weights(&m->node->weights, own) &&
            same_children(m->node, children)) {
            *out = m->node;
            return RIDGE_OK;
        }
    ridge_node *node = ridge_arena_alloc(g->arena, sizeof *node);
    if (!node)
        return ridge_no_memory(g->err);
    *node = *n;
    node->weights = *own;
    node->children = children;
    node->stored = stored;
    node->id = g->node_count++;
    node->next = NULL;
    *out = node;
    return remember(g, (made){.hash = hash, .from = n, .node = node, .stored = stored});
}

static bool reads_weights(const ridge_amounts *amounts)
{
    for (size_t i = 0; i < amounts->n; i++)
        if (amounts->p[i].what == RIDGE_BYTE_WEIGHTS)
            return true;
    return false;
}

static bool is_reader(const ridge_node *n)
{
    const ridge_entry *e = n->entry;
    return e && (reads_weights(&e->reads) || reads_weights(&e->writes) || reads_weights(&e->holds) || reads_weights(&e->saved));
}

/* a function, or a kernel: where it or a part of it reads weights, these are `stored` */
static ridge_status store_function(ridge_node **out, ridge_graph *g, const ridge_node *n, const ridge_tensors *stored)
{
    ridge_child *children = n->children;
    bool changed = is_reader(n);
    for (size_t i = 0; i < n->child_count; i++) {
        ridge_node *part;
        if (!n->children[i].node)
            continue;
        ridge_status st = store_function(&part, g, n->children[i].node, stored);
        if (st)
            return st;
        if (part == n->children[i].node)
            continue;
        if (children == n->children) {
            if (!(children = ridge_arena_array(g->arena, n->child_count, sizeof *children)))
                return ridge_no_memory(g->err);
            memcpy(children, n->children, n->child_count * sizeof *children);
        }
        children[i].node = part;
        changed = true;
    }
    *out = (ridge_node *)n;
    return changed ? intern_node(out, g, n, &n->weights, children, stored) : RIDGE_OK;
}

ridge_status ridge_graph_reads_stored(const ridge_node **kernel, ridge_graph *g, const ridge_tensors *stored)
{
    ridge_node *node;
    ridge_status st = stored ? store_function(&node, g, *kernel, stored) : RIDGE_OK;
    if (stored && !st)
        *kernel = node;
    return st;
}

/* ---- modules ---- */

/* a set that grows, each weight once */
typedef struct gathering {
    ridge_tensors set;
    size_t cap;
} gathering;

static ridge_status gather(gathering *to, ridge_graph *g, const ridge_tensors *more)
{
    for (size_t i = 0; i < more->n && to->set.n < SET_LIMIT; i++) {
        size_t k = 0;
        while (k < to->set.n && !same_weight(&to->set.p[k], &more->p[i]))
            k++;
        if (k < to->set.n)
            continue;
        if (!ridge_arena_more(g->arena, &to->set.p, to->set.n, &to->cap, sizeof *to->set.p))
            return ridge_no_memory(g->err);
        to->set.p[to->set.n++] = more->p[i];
    }
    return RIDGE_OK;
}

static void add_part(ridge_buf *path, ridge_str name)
{
    if (path->n)
        ridge_buf_addc(path, '.');
    ridge_buf_add(path, name);
}

static const char *join(storer *s, ridge_str below)
{
    return ridge_arena_printf(s->g->arena, "%.*s%s%.*s", (int)s->path.n, s->path.n ? s->path.p : "", s->path.n ? "." : "",
                              RIDGE_STR_ARG(below));
}

static ridge_status note_ties(storer *s, const ridge_node *n)
{
    for (size_t i = 0; i < n->tie_count && s->storing->ties; i++) {
        const tied_path one = {join(s, n->ties[i].weight), join(s, n->ties[i].target)};
        if (!one.weight || !one.target || !ridge_arena_more(s->g->arena, &s->ties, s->tie_count, &s->tie_cap, sizeof *s->ties))
            return ridge_no_memory(s->g->err);
        s->ties[s->tie_count++] = one;
    }
    return RIDGE_OK;
}

/* the path that a weight is asked for by */
static ridge_str asked_path(const storer *s)
{
    const ridge_str path = {s->path.p, s->path.n};
    for (size_t i = 0; i < s->tie_count; i++)
        if (ridge_str_is(path, s->ties[i].weight))
            return ridge_str_of(s->ties[i].target);
    return path;
}

/* the node's weights as they are stored, into `room` where that is large enough */
static ridge_status own_weights(ridge_tensors *out, storer *s, const ridge_node *n, ridge_node_tensor *room)
{
    *out = n->weights;
    if (!n->weights.n)
        return RIDGE_OK;
    out->p = n->weights.n <= FEW ? room : ridge_arena_array(s->g->arena, n->weights.n, sizeof *out->p);
    if (!out->p)
        return ridge_no_memory(s->g->err);
    memcpy(out->p, n->weights.p, n->weights.n * sizeof *out->p);
    const size_t before = s->path.n;
    for (size_t i = 0; i < out->n; i++) {
        add_part(&s->path, (ridge_str){out->p[i].name->text, out->p[i].name->len});
        if (s->path.failed)
            return ridge_no_memory(s->g->err);
        ridge_status st = s->storing->of(&out->p[i].stored, s->storing->data, asked_path(s), n, &out->p[i], s->g->err);
        if (st)
            return st;
        s->path.n = before;
    }
    return RIDGE_OK;
}

static ridge_status store_module(subtree *out, storer *s, const ridge_node *n);

/* a child that is a module, or a container of some: anew, at its path */
static ridge_status store_child(ridge_child *child, gathering *below, const ridge_tensors **weights, storer *s)
{
    const size_t before = s->path.n;
    subtree part, without;
    add_part(&s->path, child->name);
    if (s->path.failed)
        return ridge_no_memory(s->g->err);
    ridge_status st = store_module(&part, s, child->node);
    if (!st && child->without)
        st = store_module(&without, s, child->without);
    s->path.n = before;
    if (st)
        return st;
    child->node = part.node;
    if (child->without)
        child->without = without.node;
    *weights = part.weights;
    return gather(below, s->g, part.weights);
}

static bool is_module(const ridge_node *n)
{
    return n->kind == RIDGE_KIND_MODULE;
}

static bool is_leaf(const ridge_node *n)
{
    for (size_t i = 0; i < n->child_count; i++)
        if (n->children[i].node && is_module(n->children[i].node))
            return false;
    return n->weights.n > 0;
}

/* Thousands of equal leaves stand in a model: what one of these weights became is known without a look at its parts. */
static uint64_t leaf_hash(const ridge_node *n, const ridge_tensors *own)
{
    return mix(hash_of_weights(3, own), hash_of_pointer(n));
}

static bool find_leaf(subtree *out, const ridge_graph *g, const ridge_node *n, const ridge_tensors *own)
{
    const uint64_t hash = leaf_hash(n, own);
    for (const made *m = first_of(g, hash); m; m = m->next)
        if (m->hash == hash && m->from == n && same_weights(&m->node->weights, own)) {
            *out = (subtree){m->node, m->stored};
            return true;
        }
    return false;
}

/* what stands below the node, anew; *below: its distinct weights */
static ridge_status store_below(ridge_child **out, gathering *below, storer *s, const ridge_node *n)
{
    ridge_child *children = ridge_arena_array(s->g->arena, n->child_count + 1, sizeof *children);
    ridge_status st = RIDGE_OK;
    if (!children)
        return ridge_no_memory(s->g->err);
    if (n->child_count)
        memcpy(children, n->children, n->child_count * sizeof *children);
    const ridge_tensors *expert = NULL, *weights = NULL;
    for (size_t i = 0; i < n->child_count && !st; i++) {
        if (!children[i].node || !is_module(children[i].node))
            continue;
        st = store_child(&children[i], below, &weights, s);
        if (!st && children[i].spread && expert && weights != expert)
            s->g->store->experts_unlike = true;
        expert = children[i].spread ? weights : NULL;
    }
    *out = children;
    return st;
}

/* the node, its own weights on the heap of the graph */
static ridge_status keep_weights(ridge_tensors *own, ridge_graph *g, const ridge_node_tensor *room)
{
    if (own->n == 0 || own->p != room)
        return RIDGE_OK;
    ridge_node_tensor *kept = ridge_arena_array(g->arena, own->n, sizeof *kept);
    if (!kept)
        return ridge_no_memory(g->err);
    memcpy(kept, own->p, own->n * sizeof *kept);
    own->p = kept;
    return RIDGE_OK;
}

static ridge_status store_module(subtree *out, storer *s, const ridge_node *n)
{
    ridge_graph *g = s->g;
    ridge_node_tensor room[FEW];
    gathering below = {{NULL, 0}, 0};
    ridge_tensors own;
    const ridge_tensors *all = &no_weights, *mine = NULL;
    ridge_child *children = NULL;
    ridge_status st = note_ties(s, n);
    if (!st)
        st = own_weights(&own, s, n, room);
    const bool leaf = is_leaf(n);
    if (st || (leaf && find_leaf(out, g, n, &own)))
        return st;
    if ((st = keep_weights(&own, g, room)) || (st = gather(&below, g, &own)) || (st = store_below(&children, &below, s, n)) ||
        (below.set.n && (st = intern_set(&all, g, &below.set))))
        return st;
    if (below.set.n && below.set.n < SET_LIMIT)
        mine = all;
    else if (own.n)
        st = intern_set(&mine, g, &own);
    for (size_t i = 0; i < n->child_count && !st && mine; i++)
        if (children[i].node && !is_module(children[i].node))
            st = store_function(&children[i].node, g, children[i].node, mine);
    *out = (subtree){.weights = all};
    if (st || (st = intern_node(&out->node, g, n, &own, children, n->entry ? mine : NULL)) || !leaf)
        return st;
    return remember(g, (made){.hash = leaf_hash(n, &own), .from = n, .node = out->node, .stored = all});
}

ridge_status ridge_graph_store(const ridge_node **root, ridge_graph *g, const ridge_storing *storing)
{
    storer s = {.g = g, .storing = storing};
    subtree out;
    if (!storing || !storing->of || !*root)
        return RIDGE_OK;
    ridge_status st = store_module(&out, &s, *root);
    ridge_buf_free(&s.path);
    if (!st)
        *root = out.node;
    return st;
}
