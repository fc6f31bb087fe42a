#include "model/inventory.h"

#include <stdlib.h>

enum {
    SIGHTINGS_MOST = 8000000, /* of tensors, those below aliases included */
    STEPS_MOST = 50000000     /* modules looked through for aliases */
};

/* a tensor seen in a module: held there, or below an alias that it has */
typedef struct sighting {
    uint32_t tensor, module;
} sighting;

typedef struct maker {
    ridge_tree *tree;
    const ridge_inventory *from;
    ridge_arena *arena;
    ridge_err *err;
    ridge_symtab names, descriptions;
    ridge_node **nodes; /* by a description's number */
    size_t node_cap;
    sighting *seen;
    size_t seen_count, seen_cap;
    size_t steps;
    uint32_t *mark; /* of the modules: 1 + the alias for which they were looked through last */
} maker;

/* ---- nodes: equal modules are one ---- */

/* with its length before it: no text can look like two */
static void add_text(ridge_buf *text, ridge_str s)
{
    ridge_buf_addf(text, "%zu:", s.n);
    ridge_buf_add(text, s);
}

static void describe_tensor(ridge_buf *text, const ridge_weights *all, const ridge_weight *w)
{
    const char *dot = w->name.n ? memrchr(w->name.p, '.', w->name.n) : NULL;
    const char *own = dot ? dot + 1 : w->name.p;
    add_text(text, (ridge_str){own, (size_t)(w->name.p + w->name.n - own)});
    ridge_buf_addf(text, "%s %u ", w->format->name, w->rank);
    for (uint32_t i = 0; i < w->rank; i++)
        ridge_buf_addf(text, "%llu,", (unsigned long long)w->shape[i]);
    if (w->tied)
        add_text(text, all->tensors[w->tied - 1].name);
    ridge_buf_addc(text, '\n');
}

/* class, tensors, and the names and nodes of what is below; `below`: of all modules, the number of the description */
static void describe(ridge_buf *text, const maker *m, uint32_t at, const uint32_t *below)
{
    const ridge_inventory_module *one = &m->from->modules[at];
    text->n = 0;
    add_text(text, one->class_name);
    ridge_buf_addf(text, "%u %u\n", one->parameters, one->buffers);
    for (uint32_t i = 0; i < one->parameters + one->buffers; i++)
        describe_tensor(text, &m->from->weights, &m->from->weights.tensors[one->first + i]);
    for (uint32_t c = at + 1; c < one->end; c = m->from->modules[c].end) {
        ridge_buf_addf(text, "%u ", below[c]);
        add_text(text, m->from->modules[c].name);
    }
}

static ridge_status make_tensor(ridge_node_tensor *out, maker *m, const ridge_weight *w)
{
    const char *dot = w->name.n ? memrchr(w->name.p, '.', w->name.n) : NULL;
    const char *own = dot ? dot + 1 : w->name.p;
    ridge_int *dims = ridge_arena_array(m->arena, w->rank + 1u, sizeof *dims);
    out->name = ridge_intern(&m->names, (ridge_str){own, (size_t)(w->name.p + w->name.n - own)});
    if (!out->name || !dims)
        return ridge_no_memory(m->err);
    for (uint32_t i = 0; i < w->rank; i++)
        dims[i] = (ridge_int)w->shape[i];
    out->dims = dims;
    out->rank = w->rank;
    out->elements = w->elements;
    out->format = w->format->name;
    return RIDGE_OK;
}

static ridge_status make_tensors(ridge_tensors *out, maker *m, uint32_t first, uint32_t count)
{
    ridge_status st = RIDGE_OK;
    if (!(out->p = ridge_arena_array(m->arena, count + 1u, sizeof *out->p)))
        return ridge_no_memory(m->err);
    for (uint32_t i = 0; i < count && !st; i++)
        st = make_tensor(&out->p[out->n++], m, &m->from->weights.tensors[first + i]);
    return st;
}

static ridge_status make_node(ridge_node **out, maker *m, const ridge_inventory_module *one)
{
    ridge_node *n = ridge_arena_alloc(m->arena, sizeof *n);
    if (!n || !(n->class_name = ridge_arena_strdup(m->arena, one->class_name)))
        return ridge_no_memory(m->err);
    n->kind = RIDGE_KIND_MODULE;
    *out = n;
    const ridge_status st = make_tensors(&n->weights, m, one->first, one->parameters);
    return st ? st : make_tensors(&n->buffers, m, one->first + one->parameters, one->buffers);
}

static ridge_status make_nodes(maker *m, uint32_t *description)
{
    ridge_buf text = {0};
    ridge_status st = RIDGE_OK;
    for (uint32_t i = m->from->count; i-- > 0 && !st;) { /* what is below comes behind */
        const uint32_t before = m->descriptions.count;
        describe(&text, m, i, description);
        const ridge_symbol *s = text.failed ? NULL : ridge_intern(&m->descriptions, (ridge_str){text.p, text.n});
        if (!s || !ridge_arena_more(m->arena, &m->nodes, before, &m->node_cap, sizeof(ridge_node *))) {
            st = ridge_no_memory(m->err);
            break;
        }
        description[i] = s->id;
        if (m->descriptions.count > before)
            st = make_node(&m->nodes[s->id], m, &m->from->modules[i]);
    }
    ridge_buf_free(&text);
    return st;
}

/* ---- modules and ties ---- */

static ridge_status add_modules(maker *m, const uint32_t *description)
{
    ridge_tree *t = m->tree;
    if (!(t->modules = ridge_arena_array(m->arena, m->from->count, sizeof *t->modules)))
        return ridge_no_memory(m->err);
    t->count = m->from->count;
    for (uint32_t i = 0; i < t->count; i++) {
        const ridge_inventory_module *one = &m->from->modules[i];
        ridge_int own = 0;
        for (uint32_t k = 0; k < one->parameters; k++)
            if (!ridge_int_add(&own, own, m->from->weights.tensors[one->first + k].elements))
                return ridge_overflow(m->err, "the number of parameters");
        t->modules[i] = (ridge_tree_module){one->path, one->name, m->nodes[description[i]], one->parent, one->end, one->depth, own, 0};
    }
    return RIDGE_OK;
}

static ridge_status add_ties(maker *m)
{
    ridge_tree *t = m->tree;
    for (uint32_t i = 0; i < t->count; i++) {
        const ridge_inventory_module *one = &m->from->modules[i];
        for (uint32_t k = 0; k < one->parameters; k++) {
            const ridge_weight *w = &m->from->weights.tensors[one->first + k];
            if (!w->tied)
                continue;
            if (!ridge_arena_more(m->arena, &t->ties, t->tie_count, &t->tie_cap, sizeof *t->ties))
                return ridge_no_memory(m->err);
            t->ties[t->tie_count++] =
                (ridge_tree_tie){i, t->modules[i].node->weights.p[k].name, m->from->weights.tensors[w->tied - 1].name};
        }
    }
    t->ties_in_order = true;
    return RIDGE_OK;
}

static ridge_status add_aliases(maker *m)
{
    ridge_tree *t = m->tree;
    t->alias_count = m->from->alias_count;
    if (!(t->aliases = ridge_arena_array(m->arena, t->alias_count + 1, sizeof *t->aliases)))
        return ridge_no_memory(m->err);
    for (size_t i = 0; i < t->alias_count; i++)
        t->aliases[i] = (ridge_tree_alias){m->from->aliases[i].path, m->from->aliases[i].of};
    return RIDGE_OK;
}

static ridge_status add_buffers(maker *m)
{
    for (uint32_t i = 0; i < m->from->count; i++) {
        const ridge_inventory_module *one = &m->from->modules[i];
        for (uint32_t k = one->parameters; k < one->parameters + one->buffers; k++) {
            const ridge_weight *w = &m->from->weights.tensors[one->first + k];
            if (!w->tied && !ridge_int_add(&m->tree->buffer_bytes, m->tree->buffer_bytes, w->bytes))
                return ridge_overflow(m->err, "the bytes of the buffers");
        }
    }
    return RIDGE_OK;
}

/* ---- parameters_total: each tensor once in every module above a place where it is seen ---- */

static ridge_status see(maker *m, uint32_t module, uint32_t at)
{
    const ridge_inventory_module *one = &m->from->modules[at];
    for (uint32_t k = 0; k < one->parameters; k++) {
        const uint32_t tied = m->from->weights.tensors[one->first + k].tied;
        if (m->seen_count >= SIGHTINGS_MOST)
            return ridge_fail(m->err, RIDGE_LIMIT, "%s: modules that are seen again have more than %d tensors", m->from->path,
                              SIGHTINGS_MOST);
        if (!ridge_arena_more(m->arena, &m->seen, m->seen_count, &m->seen_cap, sizeof *m->seen))
            return ridge_no_memory(m->err);
        m->seen[m->seen_count++] = (sighting){tied ? tied - 1 : one->first + k, module};
    }
    return RIDGE_OK;
}

/* the first alias that a module or a later one has */
static size_t first_alias(const ridge_inventory *from, uint32_t module)
{
    size_t low = 0, high = from->alias_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (from->aliases[middle].parent < module)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What an alias shows is seen in the module that has it: all below the module meant, and below the aliases there; each module once. */
static ridge_status see_alias(maker *m, uint32_t module, uint32_t of, uint32_t mark)
{
    uint32_t *open = NULL;
    size_t count = 0, cap = 0;
    if (!ridge_arena_more(m->arena, &open, count, &cap, sizeof *open))
        return ridge_no_memory(m->err);
    open[count++] = of;
    while (count) {
        const uint32_t top = open[--count], end = m->from->modules[top].end;
        if ((m->steps += end - top) > STEPS_MOST)
            return ridge_fail(m->err, RIDGE_LIMIT, "%s: modules that are seen again have too much below them", m->from->path);
        for (uint32_t i = top; i < end; i++) {
            if (m->mark[i] == mark)
                continue;
            m->mark[i] = mark;
            const ridge_status st = see(m, module, i);
            if (st)
                return st;
        }
        for (size_t k = first_alias(m->from, top); k < m->from->alias_count && m->from->aliases[k].parent < end; k++) {
            if (m->mark[m->from->aliases[k].of] == mark)
                continue;
            if (!ridge_arena_more(m->arena, &open, count, &cap, sizeof *open))
                return ridge_no_memory(m->err);
            open[count++] = m->from->aliases[k].of;
        }
    }
    return RIDGE_OK;
}

static int by_tensor(const void *a, const void *b)
{
    const sighting *x = a, *y = b;
    if (x->tensor != y->tensor)
        return x->tensor < y->tensor ? -1 : 1;
    return x->module < y->module ? -1 : x->module > y->module;
}

static ridge_status see_all(maker *m)
{
    ridge_status st = RIDGE_OK;
    if (!(m->mark = ridge_arena_array(m->arena, m->from->count, sizeof *m->mark)))
        return ridge_no_memory(m->err);
    for (uint32_t i = 0; i < m->from->count && !st; i++)
        st = see(m, i, i);
    for (size_t i = 0; i < m->from->alias_count && !st; i++)
        st = see_alias(m, m->from->aliases[i].parent, m->from->aliases[i].of, (uint32_t)i + 1);
    if (!st && m->seen_count)
        qsort(m->seen, m->seen_count, sizeof *m->seen, by_tensor);
    return st;
}

/* the lowest module that has both */
static uint32_t meeting(const ridge_tree *t, uint32_t a, uint32_t b)
{
    while (!(a <= b && b < t->modules[a].end))
        a = t->modules[a].parent;
    return a;
}

/* Each sighting adds the tensor to all above it; where two neighbours in the order of the modules meet, it was added twice. The modules
 * then sum what is below them. */
static ridge_status add_totals(maker *m)
{
    ridge_tree *t = m->tree;
    ridge_status st = see_all(m);
    for (size_t i = 0; i < m->seen_count && !st; i++) {
        const sighting *s = &m->seen[i];
        const ridge_int elements = m->from->weights.tensors[s->tensor].elements;
        ridge_int *total = &t->modules[s->module].parameters_total;
        if (!ridge_int_add(total, *total, elements))
            return ridge_overflow(m->err, "the number of parameters");
        if (i && s[-1].tensor == s->tensor)
            t->modules[meeting(t, s[-1].module, s->module)].parameters_total -= elements;
    }
    for (uint32_t i = t->count; i-- > 1 && !st;) {
        ridge_int *above = &t->modules[t->modules[i].parent].parameters_total;
        if (!ridge_int_add(above, *above, t->modules[i].parameters_total))
            return ridge_overflow(m->err, "the number of parameters");
    }
    return st;
}

ridge_status ridge_inventory_tree(ridge_tree *out, const ridge_inventory *inventory, ridge_arena *arena, ridge_err *err)
{
    maker m = {.tree = out, .from = inventory, .arena = arena, .err = err};
    uint32_t *description = ridge_arena_array(arena, inventory->count, sizeof *description);
    *out = (ridge_tree){0};
    if (!description || !ridge_symtab_init(&m.names, arena) || !ridge_symtab_init(&m.descriptions, arena))
        return ridge_no_memory(err);
    ridge_status st = make_nodes(&m, description);
    if (st || (st = add_modules(&m, description)) || (st = add_ties(&m)) || (st = add_aliases(&m)) || (st = add_buffers(&m)))
        return st;
    return add_totals(&m);
}

/* ---- formats ---- */

static int by_bytes(const void *a, const void *b)
{
    const ridge_stored_share *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->format->name, y->format->name);
}

static ridge_status add_share(ridge_stored_weights *out, size_t *cap, const ridge_weight *w, ridge_arena *arena, ridge_err *err)
{
    size_t k = 0;
    while (k < out->count && out->shares[k].format != w->format)
        k++;
    if (k == out->count) {
        if (!ridge_arena_more(arena, &out->shares, k, cap, sizeof *out->shares))
            return ridge_no_memory(err);
        out->shares[out->count++] = (ridge_stored_share){.format = w->format};
    }
    out->shares[k].tensors++;
    out->shares[k].elements += w->elements; /* no more than the table's sum */
    out->shares[k].bytes += w->bytes;
    return RIDGE_OK;
}

ridge_status ridge_inventory_shares(ridge_stored_weights *out, const ridge_inventory *inventory, ridge_arena *arena, ridge_err *err)
{
    size_t cap = 0;
    ridge_status st = RIDGE_OK;
    *out = (ridge_stored_weights){0};
    for (uint32_t i = 0; i < inventory->count; i++)
        for (uint32_t k = 0; k < inventory->modules[i].parameters && !st; k++) {
            const ridge_weight *w = &inventory->weights.tensors[inventory->modules[i].first + k];
            st = w->tied ? RIDGE_OK : add_share(out, &cap, w, arena, err);
        }
    if (out->count)
        qsort(out->shares, out->count, sizeof *out->shares, by_bytes);
    for (size_t i = 0; i < out->count && !st; i++)
        st = ridge_words_add(&out->names, out->shares[i].format->name, arena, err);
    return st;
}
