#include "graph/build.h"

#include <stdio.h>

#define BUCKETS           1024
#define SMALL_FRAME       64
#define TENSOR_RANK_LIMIT 16

static ridge_status invoke_hook(ridge_value *out, ridge_evaluation *run, const ridge_symbol *module, void **cache,
                                const ridge_argument *args, size_t count);

ridge_status ridge_graph_init(ridge_graph *g, ridge_registry *registry, ridge_arena *arena, ridge_algebra *algebra, ridge_err *err)
{
    *g = (ridge_graph){.registry = registry, .arena = arena, .err = err, .algebra = algebra, .bucket_count = BUCKETS};
    g->buckets = ridge_arena_array(arena, BUCKETS, sizeof *g->buckets);
    if (!g->buckets)
        return ridge_no_memory(err);
    g->run = (ridge_evaluation){
        .calc = {arena, algebra, err}, .globals = g->globals, .invoke = invoke_hook, .data = g, .steps_left = RIDGE_STEP_LIMIT};
    return RIDGE_OK;
}

void ridge_graph_enter(ridge_graph *g, const ridge_node *node)
{
    g->run.slots = node->slots;
    g->run.config = node->config;
}

/* ---- arguments ---- */

static ridge_status arity_error(ridge_graph *g, const ridge_entry *e, const ridge_parameter *p, size_t n, const ridge_symbol *name,
                                size_t given)
{
    const char *path = ridge_registry_path(g->registry, e->key);
    ridge_buf want = {0};
    ridge_parameters_print(&want, p, n);
    ridge_status st =
        name ? ridge_fail(g->err, RIDGE_ARITY, "%s has no parameter '%s': it takes (%s)", path, name->text, want.p ? want.p : "")
             : ridge_fail(g->err, RIDGE_ARITY, "%s takes (%s), not %zu arguments", path, want.p ? want.p : "", given);
    ridge_buf_free(&want);
    return st;
}

static ridge_status missing_error(ridge_graph *g, const ridge_entry *e, const ridge_parameter *p, size_t n, size_t which)
{
    ridge_buf want = {0};
    ridge_parameters_print(&want, p, n);
    ridge_status st = ridge_fail(g->err, RIDGE_ARITY, "%s misses its argument '%s': it takes (%s)",
                                 ridge_registry_path(g->registry, e->key), p[which].names[0]->text, want.p ? want.p : "");
    ridge_buf_free(&want);
    return st;
}

/* positional, then named; what is missing takes its default, which may use the parameters before it */
ridge_status ridge_graph_bind(ridge_graph *g, const ridge_entry *e, const ridge_parameter *p, size_t n, ridge_value *frame,
                              const ridge_argument *args, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int at = args[i].name ? ridge_parameter_named(p, n, args[i].name) : (int)i;
        if (at < 0 || (size_t)at >= n)
            return arity_error(g, e, p, n, args[i].name, count);
        if (frame[at].type != RIDGE_V_UNSET)
            return ridge_fail(g->err, RIDGE_ARITY, "%s gets '%s' twice", ridge_registry_path(g->registry, e->key), p[at].names[0]->text);
        frame[at] = args[i].value;
    }
    g->run.slots = frame;
    for (size_t i = 0; i < n; i++) {
        if (frame[i].type != RIDGE_V_UNSET)
            continue;
        if (!p[i].fallback)
            return missing_error(g, e, p, n, i);
        ridge_status st = ridge_expr_eval(&frame[i], p[i].fallback, &g->run);
        if (st)
            return st;
    }
    return RIDGE_OK;
}

static ridge_status run_lets(ridge_graph *g, const ridge_entry *e, ridge_value *frame)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < e->lets.n && !st; i++) {
        ridge_value v;
        if (!(st = ridge_expr_eval(&v, e->lets.p[i].expr, &g->run)))
            frame[e->lets.p[i].slot] = v;
    }
    return st;
}

/* ---- tensors ---- */

static ridge_status fail_shape(ridge_graph *g, const ridge_expr *expr, const ridge_symbol *name, const char *what)
{
    ridge_status st = ridge_fail(g->err, RIDGE_VALUE, "shape of '%s': %s", name->text, what);
    ridge_expr_blame(g->err, expr);
    return st;
}

static ridge_status shape(ridge_graph *g, ridge_node_tensor *out, const ridge_amount *a, ridge_value v)
{
    if (v.type != RIDGE_V_LIST || v.u.list->count > TENSOR_RANK_LIMIT)
        return fail_shape(g, a->expr, a->name, "want a list of dimensions");
    ridge_int *dims = ridge_arena_array(g->arena, v.u.list->count + 1, sizeof *dims);
    if (!dims)
        return ridge_no_memory(g->err);
    out->dims = dims;
    out->rank = v.u.list->count;
    out->elements = 1;
    for (size_t i = 0; i < out->rank; i++) {
        if (!ridge_value_as_int(&dims[i], v.u.list->items[i]))
            return fail_shape(g, a->expr, a->name, g->algebra ? "depends on the workload" : "a dimension is not an integer");
        if (dims[i] < 0)
            return fail_shape(g, a->expr, a->name, "a dimension is negative");
        if (!ridge_int_mul(&out->elements, out->elements, dims[i]))
            return fail_shape(g, a->expr, a->name, "its number of elements does not fit in 128 bits");
    }
    return RIDGE_OK;
}

/* no dimension depends on a name */
static bool is_fixed(ridge_value v)
{
    for (size_t i = 0; v.type == RIDGE_V_LIST && i < v.u.list->count; i++)
        if (v.u.list->items[i].type == RIDGE_V_SYM)
            return false;
    return v.type != RIDGE_V_GUARDED;
}

static ridge_status tensors(ridge_graph *g, ridge_tensors *out, const ridge_amounts *from, ridge_value *frame, bool symbolic_ok)
{
    if (!from->n)
        return RIDGE_OK;
    if (!(out->p = ridge_arena_array(g->arena, from->n, sizeof *out->p)))
        return ridge_no_memory(g->err);
    for (size_t i = 0; i < from->n; i++) {
        const ridge_amount *a = &from->p[i];
        ridge_node_tensor *t = &out->p[out->n];
        ridge_value v, format;
        ridge_status st = ridge_expr_eval(&v, a->expr, &g->run);
        if (st)
            return st;
        if (a->slot != UINT32_MAX)
            frame[a->slot] = v;
        if (v.type == RIDGE_V_NONE || (!symbolic_ok && g->free_shapes && !is_fixed(v)))
            continue;
        t->name = a->name;
        if (symbolic_ok && g->algebra)
            t->shape = v;
        else if ((st = shape(g, t, a, v)))
            return st;
        if (a->format) {
            if ((st = ridge_expr_eval(&format, a->format, &g->run)))
                return st;
            if (format.type != RIDGE_V_STRING && symbolic_ok && g->algebra)
                t->shape = ridge_value_none(); /* depends on the workload */
            else if (format.type != RIDGE_V_STRING)
                return fail_shape(g, a->expr, a->name, "its format is not a format's name");
            else if (!(t->format = ridge_arena_strdup(g->arena, format.u.s)))
                return ridge_no_memory(g->run.calc.err);
        }
        out->n++;
    }
    return RIDGE_OK;
}

/* ---- nodes ---- */

/* An entry that was derived under conditions counts only where they hold. */
static ridge_status check_needs(ridge_graph *g, const ridge_node *n)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < n->entry->need_count && !st; i++) {
        const ridge_need *need = &n->entry->needs[i];
        ridge_value v;
        bool unknown;
        if ((st = ridge_expr_eval(&v, need->that, &g->run)) || (st = ridge_value_truth(&v, &unknown, v, &g->run.calc)))
            return st;
        if (unknown || !v.u.b)
            st = ridge_fail(g->err, RIDGE_UNKNOWN, "%s is known only where %s%s: %s", ridge_registry_path(g->registry, n->entry->key),
                            need->text, unknown ? ", which depends on the workload" : "", need->why);
    }
    return st;
}

/* a mixture whose experts are slices of its weights: [how many, how many a token runs] */
static ridge_status experts(ridge_graph *g, ridge_node *n)
{
    ridge_value v;
    ridge_status st = n->entry->experts ? ridge_expr_eval(&v, n->entry->experts, &g->run) : RIDGE_OK;
    if (st || !n->entry->experts)
        return st;
    const bool two = v.type == RIDGE_V_LIST && v.u.list->count == 2;
    if (!two || !ridge_value_as_int(&n->experts, v.u.list->items[0]) || !ridge_value_as_int(&n->run, v.u.list->items[1]) || n->run < 0 ||
        n->run > n->experts)
        return ridge_fail(g->err, RIDGE_VALUE, "%s: 'experts' is [how many there are, how many of them a token runs]",
                          ridge_registry_path(g->registry, n->entry->key));
    return RIDGE_OK;
}

static ridge_status build(ridge_graph *g, ridge_node *n)
{
    const ridge_entry *e = n->entry;
    ridge_value v;
    bool unknown;
    ridge_status st;
    g->run.slots = n->slots;
    if ((st = run_lets(g, e, n->slots)) || (st = check_needs(g, n)))
        return st;
    if (e->skip) {
        if ((st = ridge_expr_eval(&v, e->skip, &g->run)) || (st = ridge_value_truth(&v, &unknown, v, &g->run.calc)))
            return st;
        if (!unknown && v.u.b) {
            n->skipped = true;
            return RIDGE_OK;
        }
        if (unknown && (st = ridge_value_binary(&n->runs, RIDGE_OP_SUB, ridge_value_int(1), v, &g->run.calc)))
            return st;
    }
    if ((st = experts(g, n)) || (st = tensors(g, &n->weights, &e->weights, n->slots, false)) ||
        (st = tensors(g, &n->buffers, &e->buffers, n->slots, false)) || (st = tensors(g, &n->cache, &e->cache, n->slots, true)))
        return st;
    return ridge_graph_build_parts(g, n);
}

ridge_status ridge_graph_cycle(ridge_graph *g, const ridge_graph_call *again)
{
    size_t n = 1;
    ridge_buf text = {0};
    for (const ridge_graph_call *at = g->calls; at != again; at = at->up)
        n++;
    for (; n > 0; n--) { /* the innermost stands last */
        const ridge_graph_call *at = g->calls;
        for (size_t i = 1; i < n; i++)
            at = at->up;
        ridge_buf_addf(&text, "%s -> ", ridge_registry_path(g->registry, at->entry->key));
    }
    ridge_status st = ridge_fail(g->err, RIDGE_CYCLE, "dependency cycle: %s%s", text.p ? text.p : "",
                                 ridge_registry_path(g->registry, again->entry->key));
    ridge_buf_free(&text);
    return st;
}

ridge_status ridge_graph_cycle_of(ridge_graph *g, const ridge_node *again)
{
    const ridge_graph_call *at = g->calls;
    while (at && at->node != again)
        at = at->up;
    return at ? ridge_graph_cycle(g, at)
              : ridge_fail(g->err, RIDGE_CYCLE, "dependency cycle: %s", ridge_registry_path(g->registry, again->entry->key));
}

static ridge_node **bucket_of(ridge_node **buckets, size_t count, uint32_t hash)
{
    return &buckets[(hash ^ hash >> 16) & (count - 1)];
}

ridge_node **ridge_graph_bucket(ridge_graph *g, uint32_t *hash, const ridge_value *values, size_t value_count)
{
    const ridge_hash_key key = g->registry->symbols.key;
    uint64_t h = *hash;
    for (size_t i = 0; i < value_count; i++)
        h = ridge_hash_word(h, ridge_value_hash(values[i], key), key);
    *hash = (uint32_t)(h ^ h >> 32);
    if (g->node_count <= g->bucket_count * 2)
        return bucket_of(g->buckets, g->bucket_count, *hash);
    size_t count = g->bucket_count * 8;
    ridge_node **buckets = ridge_arena_array(g->arena, count, sizeof *buckets);
    if (!buckets)
        return NULL;
    for (size_t i = 0; i < g->bucket_count; i++)
        for (ridge_node *n = g->buckets[i], *next; n; n = next) {
            ridge_node **to = bucket_of(buckets, count, n->hash);
            next = n->next;
            n->next = *to;
            *to = n;
        }
    g->buckets = buckets;
    g->bucket_count = count;
    return bucket_of(buckets, count, *hash);
}

static bool same_invocation(const ridge_node *n, const ridge_entry *e, const ridge_object *config, const ridge_value *frame)
{
    if (n->entry != e || n->config != config)
        return false;
    for (size_t i = 0; i < e->parameter_count; i++)
        if (n->args[i].type != frame[i].type || !ridge_value_equal(n->args[i], frame[i]))
            return false;
    return true;
}

static ridge_status module(ridge_graph *g, ridge_value *out, const ridge_entry *e, const ridge_value *frame)
{
    uint32_t hash = e->key->hash ^ (uint32_t)((uintptr_t)g->run.config >> 4);
    ridge_node **bucket = ridge_graph_bucket(g, &hash, frame, e->parameter_count);
    if (!bucket)
        return ridge_no_memory(g->err);
    out->type = RIDGE_V_NODE;
    for (ridge_node *n = *bucket; n; n = n->next)
        if (n->hash == hash && same_invocation(n, e, g->run.config, frame)) {
            out->u.node = n;
            return n->building ? ridge_graph_cycle_of(g, n) : RIDGE_OK;
        }
    ridge_node *n = ridge_arena_alloc(g->arena, sizeof *n);
    if (!n || !(n->slots = ridge_arena_array(g->arena, e->slots + e->parameter_count + 1u, sizeof *n->slots)))
        return ridge_no_memory(g->err);
    n->args = n->slots + e->slots;
    memcpy(n->slots, frame, e->parameter_count * sizeof *frame);
    memcpy(n->args, frame, e->parameter_count * sizeof *frame);
    n->entry = e;
    n->class_name = e->class_name;
    n->kind = e->kind;
    n->config = g->run.config;
    n->called = true;
    n->id = g->node_count++;
    n->hash = hash;
    n->next = *bucket;
    *bucket = n;
    ridge_node *outer = g->building;
    ridge_graph_call call = {e, n, n->args, n->config, g->calls};
    g->building = n;
    g->calls = &call;
    n->building = true;
    ridge_context context = g->context; /* what a module is made of does not depend on what is asked about it */
    g->context = RIDGE_CONTEXT_FLOPS;
    ridge_status st = build(g, n);
    g->context = context;
    n->building = false;
    g->building = outer;
    g->calls = call.up;
    out->u.node = n;
    return st;
}

static ridge_status choose(ridge_graph *g, ridge_value *out, const ridge_entry *e, ridge_value *frame)
{
    ridge_value on = frame[e->on];
    ridge_nearest nearest = {0};
    ridge_buf known = {0};
    for (size_t i = 0; i < e->case_count && on.type == RIDGE_V_STRING; i++)
        if (ridge_str_eq(e->cases[i].name, on.u.s)) {
            g->run.slots = frame;
            return ridge_expr_eval(out, e->cases[i].expr, &g->run);
        }
    for (size_t i = 0; i < e->case_count; i++) {
        const char *name = ridge_arena_strdup(g->arena, e->cases[i].name);
        ridge_buf_addf(&known, "%s%s", i ? ", " : "", name ? name : "");
        if (name && on.type == RIDGE_V_STRING)
            ridge_nearest_offer(&nearest, on.u.s, name);
    }
    ridge_buf_addz(&known, "; found ");
    ridge_value_print(&known, on);
    if (nearest.best)
        ridge_buf_addf(&known, "; did you mean '%s'?", nearest.best);
    ridge_status st = ridge_fail(g->err, RIDGE_VALUE, "%s: %s is one of %s", ridge_registry_path(g->registry, e->key),
                                 e->parameters[e->on].names[0]->text, known.p ? known.p : "");
    ridge_buf_free(&known);
    return st;
}

/* Formulas and choices are no nodes: the same one with the same arguments, not answered yet, is a cycle. */
static const ridge_graph_call *pending(const ridge_graph *g, const ridge_entry *e, const ridge_value *frame)
{
    for (const ridge_graph_call *at = g->calls; at; at = at->up) {
        size_t i = 0;
        if (at->entry != e || at->node || at->config != g->run.config)
            continue;
        while (i < e->parameter_count && at->args[i].type == frame[i].type && ridge_value_equal(at->args[i], frame[i]))
            i++;
        if (i == e->parameter_count)
            return at;
    }
    return NULL;
}

static ridge_status evaluate(ridge_graph *g, ridge_value *out, const ridge_entry *e, ridge_value *frame)
{
    const ridge_graph_call *again = pending(g, e, frame);
    if (again)
        return ridge_graph_cycle(g, again);
    ridge_graph_call call = {e, NULL, frame, g->run.config, g->calls};
    ridge_status st = RIDGE_OK;
    g->calls = &call;
    if (e->kind == RIDGE_KIND_CHOICE)
        st = choose(g, out, e, frame);
    else if (!(st = run_lets(g, e, frame)))
        st = ridge_expr_eval(out, e->value, &g->run);
    g->calls = call.up;
    return st;
}

static ridge_status invoke_entry(ridge_graph *g, ridge_value *out, const ridge_entry *e, const ridge_argument *args, size_t count)
{
    ridge_value small[SMALL_FRAME], *frame = small;
    ridge_status st;
    if (e->flat)
        return ridge_graph_flat(out, g, e, args, count);
    bool keeps = e->kind == RIDGE_KIND_CHOICE || e->kind == RIDGE_KIND_FORMULA;
    size_t room = (keeps ? e->slots : e->parameter_count) + 1u;
    if (room > SMALL_FRAME && !(frame = ridge_arena_array(g->arena, room, sizeof *frame)))
        return ridge_no_memory(g->err);
    for (size_t i = 0; i < room; i++)
        frame[i].type = RIDGE_V_UNSET;
    if ((st = ridge_graph_bind(g, e, e->parameters, e->parameter_count, frame, args, count)))
        return st;
    switch (e->kind) {
    case RIDGE_KIND_CHOICE:
    case RIDGE_KIND_FORMULA:
        return evaluate(g, out, e, frame);
    case RIDGE_KIND_OPERATOR:
        return ridge_fail(g->err, RIDGE_TYPE, "%s is an operator, not a module", ridge_registry_path(g->registry, e->key));
    case RIDGE_KIND_CONFIG:
        return ridge_fail(g->err, RIDGE_TYPE, "%s is a config, not a module", ridge_registry_path(g->registry, e->key));
    default:
        return module(g, out, e, frame);
    }
}

ridge_status ridge_graph_note_use(ridge_graph *g, const ridge_entry *e)
{
    for (size_t i = 0; i < e->override_count; i++) {
        size_t k = 0;
        while (k < g->override_count && g->overrides[k] != e->overrides[i])
            k++;
        if (k < g->override_count)
            continue;
        if (!ridge_arena_more(g->arena, &g->overrides, g->override_count, &g->override_cap, sizeof *g->overrides))
            return ridge_no_memory(g->err);
        g->overrides[g->override_count++] = e->overrides[i];
        e->overrides[i]->used = true;
    }
    return RIDGE_OK;
}

static ridge_status invoke_hook(ridge_value *out, ridge_evaluation *run, const ridge_symbol *name, void **cache, const ridge_argument *args,
                                size_t count)
{
    ridge_graph *g = run->data;
    ridge_entry *e = cache ? *cache : NULL;
    ridge_status st = RIDGE_OK;
    if (!e) {
        if (g->refuse && !ridge_registry_find(g->registry, name))
            return g->refuse(g, out, name);
        if ((st = ridge_registry_entry(&e, g->registry, name, g->err)))
            return st;
        if (cache)
            *cache = e;
    }
    if (e->override_count && (st = ridge_graph_note_use(g, e)))
        return st;
    return invoke_entry(g, out, e, args, count);
}

ridge_status ridge_graph_invoke(ridge_value *out, ridge_graph *g, const ridge_symbol *name, const ridge_argument *args, size_t count)
{
    ridge_value *slots = g->run.slots;
    const ridge_object *config = g->run.config;
    ridge_status st = invoke_hook(out, &g->run, name, NULL, args, count);
    g->run.slots = slots;
    g->run.config = config;
    return st;
}
