#include "graph/tree.h"

#include <stdio.h>

#include "base/format.h"

#define MODULE_LIMIT 500000u /* with what is made of them, some 300 MB; a model of 75,000 modules is large */

typedef struct maker {
    ridge_tree *t;
    ridge_graph *g;
    struct alias {
        uint32_t parent;
        ridge_str name, target;
    } * aliases;
    size_t alias_count, alias_cap;
    struct open_tie {
        uint32_t module;
        const ridge_tie *tie;
    } * open;
    size_t open_count, open_cap;
} maker;

static ridge_str join(maker *m, ridge_str path, ridge_str name)
{
    if (!path.n)
        return name;
    char *p = ridge_arena_alloc(m->g->arena, path.n + name.n + 2);
    if (!p)
        return (ridge_str){NULL, 0};
    memcpy(p, path.p, path.n);
    p[path.n] = '.';
    memcpy(p + path.n + 1, name.p, name.n);
    return (ridge_str){p, path.n + 1 + name.n};
}

static ridge_status buffer_bytes(maker *m, const ridge_node *n)
{
    for (size_t i = 0; i < n->buffers.n; i++) {
        const ridge_format *f = ridge_format_find(ridge_str_of(n->buffers.p[i].format ? n->buffers.p[i].format : "fp32"));
        ridge_int bytes;
        if (!f || !ridge_format_bytes(&bytes, f, 1, n->buffers.p[i].elements) ||
            !ridge_int_add(&m->t->buffer_bytes, m->t->buffer_bytes, bytes))
            return ridge_fail(m->g->err, RIDGE_VALUE, "%s: buffer '%s' has no size", n->class_name, n->buffers.p[i].name->text);
    }
    return RIDGE_OK;
}

static ridge_status note_ties(maker *m, uint32_t at, const ridge_node *n)
{
    for (size_t i = 0; i < n->tie_count; i++) {
        if (!ridge_arena_more(m->g->arena, &m->open, m->open_count, &m->open_cap, sizeof *m->open))
            return ridge_no_memory(m->g->err);
        m->open[m->open_count].module = at;
        m->open[m->open_count++].tie = &n->ties[i];
    }
    return RIDGE_OK;
}

static ridge_status note_alias(maker *m, uint32_t at, ridge_str name, ridge_str target)
{
    if (!ridge_arena_more(m->g->arena, &m->aliases, m->alias_count, &m->alias_cap, sizeof *m->aliases))
        return ridge_no_memory(m->g->err);
    m->aliases[m->alias_count].parent = at;
    m->aliases[m->alias_count].name = name;
    m->aliases[m->alias_count++].target = target;
    return RIDGE_OK;
}

static ridge_status walk(maker *m, const ridge_node *n, ridge_str path, ridge_str name, uint32_t parent, uint32_t depth)
{
    ridge_tree *t = m->t;
    uint32_t at = t->count;
    ridge_int own = 0;
    ridge_status st;
    if (at >= MODULE_LIMIT)
        return ridge_fail(m->g->err, RIDGE_LIMIT, "a tree of more than %u modules", MODULE_LIMIT);
    if ((name.n && !path.p) || !ridge_arena_more(m->g->arena, &t->modules, t->count, &t->cap, sizeof *t->modules))
        return ridge_no_memory(m->g->err);
    t->count++;
    for (size_t i = 0; i < n->weights.n; i++)
        if (!ridge_int_add(&own, own, n->weights.p[i].elements))
            return ridge_overflow(m->g->err, "the number of parameters");
    t->modules[at] = (ridge_tree_module){path, name, n, parent, 0, depth, own, own};
    if ((st = buffer_bytes(m, n)) || (st = note_ties(m, at, n)))
        return st;
    for (size_t i = 0; i < n->child_count && !st; i++) {
        const ridge_child *c = &n->children[i];
        if (!c->node)
            st = note_alias(m, at, c->name, c->alias);
        else if (c->node->kind == RIDGE_KIND_MODULE)
            st = walk(m, c->node, join(m, path, c->name), c->name, at, depth + 1);
    }
    t->modules[at].end = t->count;
    if (!st && parent != UINT32_MAX &&
        !ridge_int_add(&t->modules[parent].parameters_total, t->modules[parent].parameters_total, t->modules[at].parameters_total))
        st = ridge_overflow(m->g->err, "the number of parameters");
    return st;
}

/* ---- paths ---- */

/* the module at a path below `from`; UINT32_MAX: none */
static uint32_t below(const ridge_tree *t, uint32_t from, ridge_str path)
{
    while (path.n) {
        const char *dot = memchr(path.p, '.', path.n);
        ridge_str head = {path.p, dot ? (size_t)(dot - path.p) : path.n};
        uint32_t at = from + 1, end = t->modules[from].end;
        while (at < end && !ridge_str_eq(t->modules[at].name, head))
            at = t->modules[at].end;
        if (at >= end)
            return UINT32_MAX;
        from = at;
        path = dot ? (ridge_str){dot + 1, path.n - head.n - 1} : (ridge_str){NULL, 0};
    }
    return from;
}

uint32_t ridge_tree_find(const ridge_tree *t, ridge_str path)
{
    return below(t, 0, path);
}

static const ridge_node_tensor *tensor_of(const ridge_tree *t, uint32_t module, ridge_str name)
{
    const ridge_tensors *w = &t->modules[module].node->weights;
    for (size_t i = 0; i < w->n; i++)
        if (ridge_str_is(name, w->p[i].name->text))
            return &w->p[i];
    return NULL;
}

/* "a.b.weight" seen from a module: the module that holds it, and the tensor */
static uint32_t holder(const ridge_tree *t, uint32_t from, ridge_str path, const ridge_node_tensor **tensor)
{
    size_t n = path.n;
    while (n > 0 && path.p[n - 1] != '.')
        n--;
    ridge_str name = {path.p + n, path.n - n};
    uint32_t at = n ? below(t, from, (ridge_str){path.p, n - 1}) : from;
    *tensor = at == UINT32_MAX ? NULL : tensor_of(t, at, name);
    return *tensor ? at : UINT32_MAX;
}

/* ---- shared tensors ---- */

/* one place where a shared tensor is seen: really held there, or through an alias */
typedef struct sighting {
    uint32_t canonical_module, module;
    const ridge_node_tensor *canonical;
    bool real;
} sighting;

typedef struct sightings {
    sighting *p;
    size_t n, cap;
} sightings;

static ridge_status see(maker *m, sightings *s, sighting one)
{
    if (!ridge_arena_more(m->g->arena, &s->p, s->n, &s->cap, sizeof *s->p))
        return ridge_no_memory(m->g->err);
    s->p[s->n++] = one;
    return RIDGE_OK;
}

static ridge_status resolve_tie(maker *m, uint32_t module, const ridge_tie *tie)
{
    ridge_tree *t = m->t;
    const ridge_node_tensor *from, *to = NULL;
    uint32_t at = holder(t, module, tie->weight, &from), target = UINT32_MAX;
    if (at == UINT32_MAX)
        return ridge_fail(m->g->err, RIDGE_NAME, "%s ties '%.*s', which does not exist", t->modules[module].node->class_name,
                          RIDGE_STR_ARG(tie->weight));
    for (uint32_t scope = module; target == UINT32_MAX && scope != UINT32_MAX; scope = t->modules[scope].parent)
        target = holder(t, scope, tie->target, &to);
    if (target == UINT32_MAX)
        return ridge_fail(m->g->err, RIDGE_NAME, "%s ties a weight to '%.*s', which does not exist", t->modules[module].node->class_name,
                          RIDGE_STR_ARG(tie->target));
    if (from->elements != to->elements)
        return ridge_fail(m->g->err, RIDGE_VALUE, "%s ties '%.*s' to '%.*s', which has another size", t->modules[module].node->class_name,
                          RIDGE_STR_ARG(tie->weight), RIDGE_STR_ARG(tie->target));
    ridge_str path = join(m, t->modules[target].path, ridge_str_of(to->name->text));
    if (!path.p || !ridge_arena_more(m->g->arena, &t->ties, t->tie_count, &t->tie_cap, sizeof *t->ties))
        return ridge_no_memory(m->g->err);
    t->ties[t->tie_count++] = (ridge_tree_tie){at, from->name, path};
    return RIDGE_OK;
}

/* the first tie that may be one of a module */
static size_t first_tie(const ridge_tree *t, uint32_t module)
{
    size_t low = 0, high = t->ties_in_order ? t->tie_count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->ties[middle].module < module)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

ridge_str ridge_tree_tied_to(const ridge_tree *t, uint32_t module, const ridge_symbol *tensor)
{
    for (size_t i = first_tie(t, module); i < t->tie_count && !(t->ties_in_order && t->ties[i].module > module); i++)
        if (t->ties[i].module == module && t->ties[i].tensor == tensor)
            return t->ties[i].target;
    return (ridge_str){NULL, 0};
}

/* follows ties to the tensor that is really there */
static void canonical(const ridge_tree *t, uint32_t *module, const ridge_node_tensor **tensor)
{
    for (size_t hops = 0; hops <= t->tie_count; hops++) {
        ridge_str to = ridge_tree_tied_to(t, *module, (*tensor)->name);
        if (!to.p)
            return;
        const ridge_node_tensor *next;
        uint32_t at = holder(t, 0, to, &next);
        if (at == UINT32_MAX)
            return;
        *module = at;
        *tensor = next;
    }
}

static ridge_status gather_ties(maker *m, sightings *s)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < m->t->tie_count && !st; i++) {
        uint32_t at = m->t->ties[i].module;
        const ridge_node_tensor *tensor = tensor_of(m->t, at, ridge_str_of(m->t->ties[i].tensor->text));
        uint32_t real = at;
        canonical(m->t, &real, &tensor);
        if (!(st = see(m, s, (sighting){real, real, tensor, true})))
            st = see(m, s, (sighting){real, at, tensor, true});
    }
    return st;
}

static ridge_status keep_alias(maker *m, uint32_t parent, ridge_str name, uint32_t target)
{
    ridge_tree *t = m->t;
    const ridge_str path = join(m, t->modules[parent].path, name);
    if (!path.p || !ridge_arena_more(m->g->arena, &t->aliases, t->alias_count, &t->alias_cap, sizeof *t->aliases))
        return ridge_no_memory(m->g->err);
    t->aliases[t->alias_count++] = (ridge_tree_alias){path, target};
    return RIDGE_OK;
}

static ridge_status gather_alias(maker *m, sightings *s, uint32_t parent, ridge_str name, ridge_str path)
{
    ridge_tree *t = m->t;
    uint32_t target = UINT32_MAX;
    ridge_status st = RIDGE_OK;
    for (uint32_t scope = parent; target == UINT32_MAX && scope != UINT32_MAX; scope = t->modules[scope].parent)
        target = below(t, scope, path);
    if (target == UINT32_MAX)
        return ridge_fail(m->g->err, RIDGE_NAME, "%s has an alias of '%.*s', which does not exist", t->modules[parent].node->class_name,
                          RIDGE_STR_ARG(path));
    st = keep_alias(m, parent, name, target);
    for (uint32_t i = target; i < t->modules[target].end && !st; i++)
        for (size_t k = 0; k < t->modules[i].node->weights.n && !st; k++) {
            const ridge_node_tensor *tensor = &t->modules[i].node->weights.p[k];
            uint32_t real = i;
            canonical(t, &real, &tensor);
            if (!(st = see(m, s, (sighting){real, real, tensor, true})) && !(st = see(m, s, (sighting){real, i, tensor, true})))
                st = see(m, s, (sighting){real, parent, tensor, false});
        }
    return st;
}

static bool seen_before(const sightings *s, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (s->p[k].canonical == s->p[i].canonical && s->p[k].canonical_module == s->p[i].canonical_module &&
            s->p[k].module == s->p[i].module && s->p[k].real == s->p[i].real)
            return true;
    return false;
}

static bool same_tensor(const sighting *a, const sighting *b)
{
    return a->canonical == b->canonical && a->canonical_module == b->canonical_module;
}

/* In every module above a sighting the tensor counts once: the sum had it once per real sighting below. */
static void count_once(maker *m, const sightings *s, size_t first)
{
    ridge_tree *t = m->t;
    for (size_t i = first; i < s->n; i++) {
        if (!same_tensor(&s->p[i], &s->p[first]))
            continue;
        for (uint32_t a = s->p[i].module; a != UINT32_MAX; a = t->modules[a].parent) {
            ridge_int real = 0;
            bool earlier = false; /* this ancestor was corrected for an earlier sighting */
            for (size_t k = first; k < s->n; k++) {
                if (!same_tensor(&s->p[k], &s->p[first]) || s->p[k].module < a || s->p[k].module >= t->modules[a].end || seen_before(s, k))
                    continue;
                real += s->p[k].real;
                earlier = earlier || k < i;
            }
            if (!earlier)
                t->modules[a].parameters_total += s->p[i].canonical->elements * (1 - real);
        }
    }
}

ridge_status ridge_tree_make(ridge_tree *out, ridge_graph *g, const ridge_node *root)
{
    maker m = {.t = out, .g = g};
    sightings s = {NULL, 0, 0};
    *out = (ridge_tree){0};
    ridge_status st = walk(&m, root, (ridge_str){"", 0}, (ridge_str){"", 0}, UINT32_MAX, 0);
    for (size_t i = 0; i < m.open_count && !st; i++)
        st = resolve_tie(&m, m.open[i].module, m.open[i].tie);
    if (!st)
        st = gather_ties(&m, &s);
    for (size_t i = 0; i < m.alias_count && !st; i++)
        st = gather_alias(&m, &s, m.aliases[i].parent, m.aliases[i].name, m.aliases[i].target);
    for (size_t i = 0; i < s.n && !st; i++) {
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = !same_tensor(&s.p[k], &s.p[i]);
        if (first)
            count_once(&m, &s, i);
    }
    return st;
}
