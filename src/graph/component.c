/* Components of a breakdown become children: single modules, lists in a container, loops with carried values, mixtures. */
#include "graph/build.h"

typedef struct children {
    ridge_child *p;
    size_t n, cap;
} children;

typedef struct builder {
    ridge_graph *g;
    ridge_node *node;
    ridge_value *frame; /* the breakdown's names: loops and carried values change it */
    uint32_t component;
    const ridge_component *c;
} builder;

static ridge_status place(const builder *b, ridge_status st)
{
    if (st)
        ridge_err_place(b->g->err, b->c->file, b->c->line, b->c->col);
    return st;
}

static ridge_status push(const builder *b, children *list, ridge_child child)
{
    if (!ridge_arena_more(b->g->arena, &list->p, list->n, &list->cap, sizeof *list->p))
        return ridge_no_memory(b->g->err);
    child.component = b->component;
    child.role = b->c->role;
    child.split = b->c->split;
    list->p[list->n++] = child;
    return RIDGE_OK;
}

static ridge_status eval(const builder *b, ridge_value *out, const ridge_expr *expr)
{
    b->g->run.slots = b->frame;
    return ridge_expr_eval(out, expr, &b->g->run);
}

/* of the component's elements, which are alike where they have no names of their own */
static ridge_node *container(const builder *b, const char *class_name, bool called)
{
    ridge_node *n = ridge_arena_alloc(b->g->arena, sizeof *n);
    if (n) {
        n->class_name = class_name ? class_name : "torch.nn.modules.container.ModuleList";
        n->called = called;
        n->list = !class_name || b->c->prefix;
        n->config = b->g->run.config;
        n->id = b->g->node_count++;
    }
    return n;
}

/* The flat form says nothing of weights, caches and parts: an entry of it cannot stand for a built-in one that has some. */
static ridge_status check_flat(const builder *b, const ridge_entry *e)
{
    ridge_source *builtin = e && e->flat ? ridge_source_replaced(e->source) : NULL;
    ridge_entry *was;
    ridge_status st = builtin ? ridge_entry_compile(&was, b->g->registry, builtin, b->g->err) : RIDGE_OK;
    if (st || !builtin || (!was->weights.n && !was->cache.n && !was->breakdown_count))
        return st;
    return ridge_fail_at(
        b->g->err, RIDGE_UNKNOWN, e->source->file, e->source->line, e->source->col,
        "%s: this entry of the flat form says no weights and parts, which the built-in one has: a model cannot be made of it",
        ridge_registry_path(b->g->registry, e->key));
}

/* What an element of a component turned out to be: a module, none, a list of functions, or one of two. `like` has its name and calls. */
static ridge_status add_value(const builder *b, children *list, ridge_child like, ridge_value v)
{
    const ridge_calc *calc = &b->g->run.calc;
    ridge_status st;
    ridge_value other;
    if (v.type == RIDGE_V_NONE)
        return RIDGE_OK;
    if (v.type == RIDGE_V_NODE) {
        like.node = v.u.node;
        if ((st = check_flat(b, like.node->entry)))
            return st;
        like.flop_class = b->c->flop_class;
        like.not_called = b->c->not_called;
        like.spread = b->c->spread.n > 0;
        return push(b, list, like);
    }
    if (v.type == RIDGE_V_LIST && b->g->algebra) { /* functions that run under a condition on the workload */
        for (size_t i = 0; i < v.u.list->count; i++)
            if ((st = add_value(b, list, like, v.u.list->items[i])))
                return st;
        return RIDGE_OK;
    }
    if (v.type != RIDGE_V_GUARDED)
        return place(b, ridge_fail(b->g->err, RIDGE_TYPE, "component '%s' is %s: want a module, a list of modules or None",
                                   b->c->name->text, ridge_value_type_name(v.type)));
    const ridge_guarded *guard = v.u.guarded;
    if ((st = ridge_value_binary(&other, RIDGE_OP_SUB, ridge_value_int(1), guard->condition, calc)) ||
        (st = ridge_value_binary(&other, RIDGE_OP_MUL, other, like.calls, calc)) ||
        (st = ridge_value_binary(&like.calls, RIDGE_OP_MUL, guard->condition, like.calls, calc)))
        return st;
    if ((st = add_value(b, list, like, guard->then)))
        return st;
    like.calls = other;
    return add_value(b, list, like, guard->otherwise);
}

/* "core[1]" for functions that stand beside the other parts, "1" or "expert_1" in a container */
static ridge_str index_name(const builder *b, bool function, size_t i)
{
    char *text = function ? ridge_arena_printf(b->g->arena, "%s[%zu]", b->c->name->text, i)
                          : ridge_arena_printf(b->g->arena, "%s%zu", b->c->prefix ? b->c->prefix : "", i);
    return text ? ridge_str_of(text) : (ridge_str){"", 0};
}

static bool only_functions(const ridge_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        ridge_value v = list->items[i];
        if (v.type == RIDGE_V_GUARDED)
            v = v.u.guarded->then.type == RIDGE_V_NONE ? v.u.guarded->otherwise : v.u.guarded->then;
        if (v.type == RIDGE_V_NODE && ((const ridge_node *)v.u.node)->kind == RIDGE_KIND_MODULE)
            return false;
    }
    return list->count > 0;
}

typedef struct loop {
    ridge_value items;   /* what is looped over */
    ridge_value results; /* list */
    ridge_value *calls;
    bool *idle;
    ridge_node **without;  /* [items]: child.without */
    ridge_value totals[4]; /* of the spread names */
} loop;

/* the component's modules in a container of its name */
static ridge_status push_box(const builder *b, children *list, const children *inner)
{
    const ridge_component *c = b->c;
    ridge_node *box = container(b, c->container, c->called);
    if (!box)
        return ridge_no_memory(b->g->err);
    box->children = inner->p;
    box->child_count = inner->n;
    return push(
        b, list,
        (ridge_child){.name = {c->name->text, c->name->len}, .node = box, .calls = ridge_value_int(1), .flop_class = c->flop_class});
}

/* a list: functions stand beside the other parts, modules get a container. loop: NULL where there is none */
static ridge_status add_list(const builder *b, children *list, const ridge_list *items, const loop *l)
{
    bool functions = only_functions(items) && !b->c->container;
    children inner = {NULL, 0, 0}, *into = functions ? list : &inner;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < items->count && !st; i++) {
        ridge_child like = {.name = index_name(b, functions, i), .calls = ridge_value_int(1)};
        if (l) {
            like.calls = l->calls[i];
            like.idle = l->idle[i];
            like.without = l->without[i];
        }
        st = add_value(b, into, like, items->items[i]);
    }
    if (st || functions)
        return st;
    return push_box(b, list, &inner);
}

/* the share of element i of n: (i+1)*total//n - i*total//n */
static ridge_status share(const builder *b, ridge_value *out, ridge_value total, size_t i, size_t n)
{
    const ridge_calc *calc = &b->g->run.calc;
    ridge_value low, high;
    ridge_status st;
    if ((st = ridge_value_binary(&low, RIDGE_OP_MUL, total, ridge_value_int((ridge_int)i), calc)) ||
        (st = ridge_value_binary(&low, RIDGE_OP_FLOORDIV, low, ridge_value_int((ridge_int)n), calc)) ||
        (st = ridge_value_binary(&high, RIDGE_OP_MUL, total, ridge_value_int((ridge_int)i + 1), calc)) ||
        (st = ridge_value_binary(&high, RIDGE_OP_FLOORDIV, high, ridge_value_int((ridge_int)n), calc)))
        return st;
    return ridge_value_binary(out, RIDGE_OP_SUB, high, low, calc);
}

/* how often a part is called, how many experts a token runs: a count */
static ridge_status eval_count(const builder *b, ridge_value *out, const ridge_expr *expr, const char *key)
{
    ridge_status st = eval(b, out, expr);
    if (st || out->type == RIDGE_V_SYM)
        return st;
    if (out->type == RIDGE_V_BOOL)
        *out = ridge_value_int(out->u.b);
    if (out->type == RIDGE_V_INT && out->u.i >= 0)
        return RIDGE_OK;
    st = ridge_fail(b->g->err, RIDGE_VALUE, "'%s' of '%s' must be an integer of at least 0", key, b->c->name->text);
    ridge_expr_blame(b->g->err, expr);
    return st;
}

static ridge_status eval_calls(const builder *b, ridge_value *calls)
{
    return eval_count(b, calls, b->c->calls, "calls");
}

/* an expert with a share of 0: in a closed form what vanishes with the share needs no "where it has tokens" in a closed form */
static ridge_status evaluate_without(const builder *b, ridge_node **out)
{
    const ridge_component *c = b->c;
    ridge_value v;
    for (size_t k = 0; k < c->spread.n; k++)
        b->frame[c->spread.p[k].slot] = ridge_value_int(0);
    ridge_status st = eval(b, &v, c->use);
    if (!st && v.type == RIDGE_V_NODE)
        *out = v.u.node;
    return st;
}

static ridge_status loop_element(const builder *b, loop *l, size_t i)
{
    const ridge_component *c = b->c;
    ridge_status st;
    b->frame[c->for_slot] = l->items.u.list->items[i];
    for (size_t k = 0; k < c->spread.n; k++) {
        ridge_value *slot = &b->frame[c->spread.p[k].slot];
        ridge_int n;
        if ((st = share(b, slot, l->totals[k], i, l->items.u.list->count)))
            return st;
        l->idle[i] = ridge_value_as_int(&n, *slot) && n == 0;
    }
    if ((st = eval(b, &l->results.u.list->items[i], c->use)))
        return st;
    l->calls[i] = ridge_value_int(1);
    if (c->calls && (st = eval_calls(b, &l->calls[i])))
        return st;
    if (c->spread.n && l->calls[i].type == RIDGE_V_SYM && (st = evaluate_without(b, &l->without[i])))
        return st;
    ridge_value carried[16];
    for (size_t k = 0; k < c->carry.n; k++)
        if ((st = eval(b, &carried[k], c->carry.p[k].expr)))
            return st;
    for (size_t k = 0; k < c->carry.n; k++)
        b->frame[c->carry.p[k].slot] = carried[k];
    return RIDGE_OK;
}

/* graph.pool_experts: the experts as one module on all their rows; functions beside them stay as they are (*done false) */
static ridge_status add_pooled(const builder *b, children *list, const loop *l, bool *done)
{
    const ridge_component *c = b->c;
    char *name = ridge_arena_printf(b->g->arena, "%s*", c->prefix ? c->prefix : "");
    ridge_child all = {.calls = ridge_value_int(1), .routed = l->totals[0]};
    children inner = {NULL, 0, 0};
    ridge_value v;
    ridge_status st;
    if (!name)
        return ridge_no_memory(b->g->err);
    all.name = ridge_str_of(name);
    b->frame[c->for_slot] = l->items.u.list->items[0];
    if ((st = evaluate_without(b, &all.rowless)))
        return st;
    for (size_t k = 0; k < c->spread.n; k++)
        b->frame[c->spread.p[k].slot] = l->totals[k];
    if ((st = eval(b, &v, c->use)) || v.type != RIDGE_V_NODE || ((const ridge_node *)v.u.node)->kind != RIDGE_KIND_MODULE)
        return st;
    all.experts = (ridge_int)l->items.u.list->count;
    if (c->per_token && (st = eval_count(b, &all.per_token, c->per_token, "per_token")))
        return st;
    if ((c->calls && (st = eval_calls(b, &all.calls))) || (st = add_value(b, &inner, all, v)))
        return st;
    *done = true;
    return push_box(b, list, &inner);
}

static ridge_status add_loop(const builder *b, children *list)
{
    const ridge_component *c = b->c;
    bool done = false;
    loop l;
    ridge_status st = RIDGE_OK;
    if (c->spread.n > 4 || c->carry.n > 16)
        return place(b, ridge_fail(b->g->err, RIDGE_LIMIT, "at most 4 spread and 16 carried names"));
    for (size_t k = 0; k < c->start.n && !st; k++)
        st = eval(b, &b->frame[c->start.p[k].slot], c->start.p[k].expr);
    if (st || (st = eval(b, &l.items, c->source)))
        return st;
    if (l.items.type != RIDGE_V_LIST)
        return place(b, ridge_fail(b->g->err, RIDGE_TYPE, "'for' wants a list, not %s", ridge_value_type_name(l.items.type)));
    for (size_t k = 0; k < c->spread.n && !st; k++)
        st = eval(b, &l.totals[k], c->spread.p[k].expr);
    size_t n = l.items.u.list->count;
    if (!st && b->g->pool_experts && c->spread.n && n > 0)
        st = add_pooled(b, list, &l, &done);
    if (st || done)
        return st;
    if ((st = ridge_value_list(&l.results, n, &b->g->run.calc)))
        return st;
    if (!(l.calls = ridge_arena_array(b->g->arena, n + 1, sizeof *l.calls)) ||
        !(l.idle = ridge_arena_array(b->g->arena, n + 1, sizeof *l.idle)) ||
        !(l.without = ridge_arena_array(b->g->arena, n + 1, sizeof(ridge_node *))))
        return ridge_no_memory(b->g->err);
    for (size_t i = 0; i < n && !st; i++)
        st = loop_element(b, &l, i);
    return st ? st : add_list(b, list, l.results.u.list, &l);
}

static ridge_status add_component(const builder *b, children *list);

static ridge_status add_fixed(const builder *b, children *list)
{
    const ridge_component *c = b->c;
    children inner = {NULL, 0, 0};
    ridge_status st = RIDGE_OK;
    ridge_node *box = container(b, c->container, c->called);
    if (!box)
        return ridge_no_memory(b->g->err);
    if ((st = ridge_run_deeper(&b->g->run)))
        return place(b, st);
    for (size_t i = 0; i < c->child_count && !st; i++) {
        builder sub = *b;
        sub.c = &c->children[i];
        st = add_component(&sub, &inner);
    }
    b->g->run.depth--;
    box->children = inner.p;
    box->child_count = inner.n;
    return st ? st
              : push(b, list,
                     (ridge_child){
                         .name = {c->name->text, c->name->len}, .node = box, .calls = ridge_value_int(1), .flop_class = c->flop_class});
}

static ridge_status add_ties(const builder *b, const ridge_named_list *named, const char *prefix);

static ridge_status add_use(const builder *b, children *list)
{
    const ridge_component *c = b->c;
    ridge_value v, calls = ridge_value_int(1);
    ridge_status st = eval(b, &v, c->use);
    if (st)
        return st;
    if (v.type == RIDGE_V_LIST)
        return add_list(b, list, v.u.list, NULL);
    if (c->calls && (st = eval_calls(b, &calls)))
        return st;
    if (v.type != RIDGE_V_NONE && c->tied.n && (st = add_ties(b, &c->tied, c->name->text)))
        return st;
    return add_value(b, list, (ridge_child){.name = {c->name->text, c->name->len}, .calls = calls}, v);
}

static ridge_status add_component(const builder *b, children *list)
{
    const ridge_object *outer = b->g->run.config;
    ridge_status st = RIDGE_OK;
    if (b->c->alias.n)
        return push(b, list,
                    (ridge_child){
                        .name = {b->c->name->text, b->c->name->len}, .alias = b->c->alias, .calls = ridge_value_int(1), .flop_class = -1});
    if (b->c->config) {
        ridge_value v;
        if ((st = eval(b, &v, b->c->config)))
            return st;
        if (v.type != RIDGE_V_OBJECT)
            return place(b, ridge_fail(b->g->err, RIDGE_TYPE, "'config' must give a nested config, not %s", ridge_value_type_name(v.type)));
        b->g->run.config = v.u.object;
    }
    if (b->c->children)
        st = add_fixed(b, list);
    else if (b->c->source)
        st = add_loop(b, list);
    else
        st = add_use(b, list);
    b->g->run.config = outer;
    return st;
}

/* ---- ties ---- */

static ridge_status add_tie(const builder *b, ridge_str weight, ridge_str target)
{
    ridge_node *n = b->node;
    size_t cap = n->tie_count;
    if (!ridge_arena_more(b->g->arena, &n->ties, n->tie_count, &cap, sizeof *n->ties))
        return ridge_no_memory(b->g->err);
    n->ties[n->tie_count++] = (ridge_tie){weight, target};
    return RIDGE_OK;
}

static ridge_status add_ties(const builder *b, const ridge_named_list *named, const char *prefix)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < named->n && !st; i++) {
        ridge_value v;
        if ((st = eval(b, &v, named->p[i].expr)))
            break;
        if (v.type == RIDGE_V_NONE || (v.type == RIDGE_V_BOOL && !v.u.b))
            continue;
        if (v.type != RIDGE_V_STRING) {
            st = ridge_fail(b->g->err, RIDGE_TYPE, "a tie names a path, not %s", ridge_value_type_name(v.type));
            ridge_expr_blame(b->g->err, named->p[i].expr);
            break;
        }
        char *weight = prefix ? ridge_arena_printf(b->g->arena, "%s.%s", prefix, named->p[i].name->text)
                              : ridge_arena_strdup(b->g->arena, ridge_str_of(named->p[i].name->text));
        st = weight ? add_tie(b, ridge_str_of(weight), v.u.s) : ridge_no_memory(b->g->err);
    }
    return st;
}

ridge_status ridge_graph_build_parts(ridge_graph *g, ridge_node *n)
{
    const ridge_entry *e = n->entry;
    ridge_status st = RIDGE_OK;
    builder b = {.g = g, .node = n, .frame = n->slots};
    if (e->breakdown_count) {
        b.frame = ridge_arena_array(g->arena, e->slots + 1u, sizeof *b.frame);
        if (!b.frame)
            return ridge_no_memory(g->err);
        memcpy(b.frame, n->slots, e->slots * sizeof *b.frame);
    }
    children list = {NULL, 0, 0};
    for (size_t i = 0; i < e->breakdown_count && !st; i++) {
        b.c = &e->breakdown[i];
        b.component = (uint32_t)i;
        st = add_component(&b, &list);
    }
    n->children = list.p;
    n->child_count = list.n;
    return st ? st : add_ties(&b, &e->tied, NULL);
}
