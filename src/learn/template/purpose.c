/* A layer's products in the order in which they ran: matrices before the core of attention, the core, the one after it; then matrices from
 * the stream to a wider one and one back. */
#include "learn/template/purpose.h"

enum { ITEMS = 64, DEPTH_LIMIT = 400 };

/* a product of a module's forward */
typedef struct item {
    ridge_sketch *matrix; /* a module that is one matrix; NULL: the core of attention */
    ridge_sketch *of;     /* in whose forward it ran */
    ridge_value in, out;  /* features of the matrix, as numbers: the same size is written in two ways where heads are cut and joined */
} item;

typedef struct scan {
    const ridge_calc *calc;
    ridge_translation numbers; /* every name as the number that it was in the run */
    ridge_sketch **by_id;      /* [cap] by the module's id */
    size_t cap, count;
    item items[ITEMS];
    bool unclear; /* a product that is neither, or too many */
    unsigned depth;
} scan;

/* ---- numbers ---- */

static bool is_known(ridge_value v)
{
    return v.type == RIDGE_V_INT || v.type == RIDGE_V_SYM;
}

static bool equal(ridge_value a, ridge_value b)
{
    return is_known(a) && is_known(b) && ridge_value_equal(a, b);
}

/* the number that a value was in the run */
static ridge_value number(scan *c, ridge_value v)
{
    ridge_value out = {.type = RIDGE_V_UNSET};
    if (v.type != RIDGE_V_SYM)
        return v;
    if (ridge_translate(&out, v.u.sym, &c->numbers))
        out.type = RIDGE_V_UNSET;
    ridge_err_clear(c->calc->err);
    return out;
}

/* UNSET where one of them is not known or the product fails */
static ridge_value times(ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value out = {.type = RIDGE_V_UNSET};
    if (is_known(a) && is_known(b) && ridge_value_binary(&out, RIDGE_OP_MUL, a, b, calc))
        out.type = RIDGE_V_UNSET;
    return out;
}

static ridge_value plus(ridge_value a, ridge_value b, const ridge_calc *calc)
{
    ridge_value out = {.type = RIDGE_V_UNSET};
    if (is_known(a) && is_known(b) && ridge_value_binary(&out, RIDGE_OP_ADD, a, b, calc))
        out.type = RIDGE_V_UNSET;
    return out;
}

static ridge_value argument(const ridge_sketch *s, const char *name)
{
    for (size_t i = 0; i < s->argument_count; i++)
        if (strcmp(s->arguments[i].name, name) == 0)
            return s->arguments[i].value;
    return (ridge_value){.type = RIDGE_V_UNSET};
}

static bool computes(const ridge_sketch *s, unsigned class)
{
    for (size_t i = 0; i < s->flops.n; i++)
        if (s->flops.p[i].what == class)
            return true;
    return false;
}

/* ---- products in order ---- */

/* Is the module one matrix of two dimensions, applied to rows of its input? */
static bool is_matrix(item *out, ridge_sketch *s, scan *c)
{
    const ridge_sketch_tensor *w = NULL;
    for (size_t i = 0; i < s->weight_count; i++)
        if (!s->weights[i].absent && s->weights[i].rank == 2) {
            if (w)
                return false;
            w = &s->weights[i];
        }
    if (!w || s->child_count > 0 || !computes(s, RIDGE_FLOP_MATMUL) || computes(s, RIDGE_FLOP_ATTENTION))
        return false;
    ridge_value n = number(c, argument(s, "n")), rows = number(c, argument(s, "rows"));
    ridge_value first = number(c, w->dims[0]), second = number(c, w->dims[1]);
    bool usual = equal(times(rows, second, c->calc), n); /* [out, in] */
    *out = (item){.matrix = s, .of = s->parent, .in = usual ? second : first, .out = usual ? first : second};
    return usual || equal(times(rows, first, c->calc), n);
}

static bool is_product(const ridge_run_operator *op)
{
    return ridge_operator_does(op->operator, ridge_flop_names[RIDGE_FLOP_MATMUL]) ||
           ridge_operator_does(op->operator, ridge_flop_names[RIDGE_FLOP_ATTENTION]);
}

static void add(scan *c, item it)
{
    if (c->count == ITEMS)
        c->unclear = true;
    else
        c->items[c->count++] = it;
}

static void products(const ridge_run_call *call, ridge_sketch *around, scan *c)
{
    const ridge_run_module *module = call->module;
    ridge_sketch *s = module && module->id < c->cap && c->by_id[module->id] ? c->by_id[module->id] : around;
    item it;
    if (s != around && is_matrix(&it, s, c)) {
        add(c, it);
        return;
    }
    if (++c->depth <= DEPTH_LIMIT)
        for (size_t i = 0; i < call->count && !c->unclear; i++) {
            if (call->events[i].call)
                products(call->events[i].call, s, c);
            else if (is_product(call->events[i].operator)) {
                const item *last = c->count > 0 ? &c->items[c->count - 1] : NULL;
                if (!s || !computes(s, RIDGE_FLOP_ATTENTION) || computes(s, RIDGE_FLOP_MATMUL))
                    c->unclear = true;
                else if (!last || last->matrix || last->of != s) /* both products are one core */
                    add(c, (item){.of = s});
            }
        }
    c->depth--;
}

static void scan_module(scan *c, ridge_sketch *s)
{
    c->count = c->depth = 0;
    c->unclear = !s->first;
    if (s->first)
        products(s->first, NULL, c);
}

static bool is_below(const ridge_sketch *s, const ridge_sketch *above)
{
    while (s && s != above)
        s = s->parent;
    return s != NULL;
}

/* ---- attention ---- */

static const ridge_sketch *core_of(const scan *c, size_t *at)
{
    const ridge_sketch *core = NULL;
    for (size_t i = 0; i < c->count; i++)
        if (!c->items[i].matrix) {
            if (core)
                return NULL; /* several */
            core = c->items[i].of;
            *at = i;
        }
    return core;
}

/* Q, K and V as three matrices or as one, as wide as the heads are; the matrix back takes what the heads of Q give. */
static bool ways_onto_heads(scan *c, size_t at, ridge_value heads, ridge_value kv_heads, ridge_value back)
{
    item *m = c->items;
    const bool same = equal(heads, kv_heads); /* in every configuration */
    const ridge_value H = number(c, heads), K = number(c, kv_heads);
    for (size_t i = 0; i < at; i++)
        if (m[i].of != c->items[at].of || !equal(m[i].in, m[0].in))
            return false;
    if (at == 3 && equal(m[0].out, back) && equal(m[1].out, m[2].out) && equal(times(m[1].out, H, c->calc), times(m[0].out, K, c->calc))) {
        m[0].matrix->way = "columns";
        m[1].matrix->way = m[2].matrix->way = same ? "columns" : "kv";
        return true;
    }
    ridge_value all = plus(H, plus(K, K, c->calc), c->calc);
    if (at != 1 || !equal(times(m[0].out, H, c->calc), times(back, all, c->calc)))
        return false;
    m[0].matrix->way = same ? "columns" : "qkv";
    return true;
}

/* the module whose products are those of one attention, from Q, K, V to the matrix back onto the stream */
static void attention(scan *c, ridge_sketch *s)
{
    size_t at = 0;
    scan_module(c, s);
    ridge_sketch *core = c->unclear ? NULL : (ridge_sketch *)core_of(c, &at);
    if (!core || core->role_parts_known || at + 2 != c->count || !equal(c->items[at + 1].out, c->items[0].in))
        return;
    ridge_sketch *back = c->items[at + 1].matrix;
    ridge_value H = core->heads, K = core->cache_count > 0 && core->cache[0].rank == 4 ? core->cache[0].dims[1] : H;
    core->role_parts_known = true;
    for (ridge_sketch *p = core; p && is_below(p, s); p = p->parent)
        p->role = "attention";
    s->role = "attention";
    if (!is_known(H) || !is_known(K) || at == 0 || !ways_onto_heads(c, at, H, K, c->items[at + 1].in))
        return;
    back->way = "rows";
    core->kv_heads = K;
    core->splits = true;
}

/* ---- the wide part of a layer ---- */

/* matrices from `first` on: all but the last from one width to another, the last back */
static bool widens(const scan *c, size_t first)
{
    const item *last = &c->items[c->count - 1], *one = &c->items[first];
    if (c->count < first + 2 || !last->matrix || !equal(last->out, one->in) || equal(one->in, one->out))
        return false;
    if (c->count == first + 2 && one->matrix && equal(one->out, times(last->in, ridge_value_int(2), c->calc)))
        return true; /* gate and up in one matrix */
    if (!equal(last->in, one->out))
        return false;
    for (size_t i = first; i + 1 < c->count; i++)
        if (!c->items[i].matrix || !equal(c->items[i].in, one->in) || !equal(c->items[i].out, one->out))
            return false;
    return true;
}

static bool has_norm(const ridge_sketch *s)
{
    for (size_t i = 0; i < s->child_count; i++)
        if ((s->children[i].module->role && strcmp(s->children[i].module->role, "norm") == 0) || has_norm(s->children[i].module))
            return true;
    return false;
}

static void wide_part(scan *c, ridge_sketch *s)
{
    size_t at = 0, first = 0;
    scan_module(c, s);
    if (c->unclear || c->count == 0)
        return;
    const ridge_sketch *core = core_of(c, &at);
    if (core)
        first = at + 2; /* after the matrix back */
    if ((!core && has_norm(s)) || (core && (at + 1 >= c->count || !c->items[at + 1].matrix)) || !widens(c, first))
        return;
    for (size_t i = first; i < c->count; i++) {
        if (c->items[i].matrix->way)
            return;
        c->items[i].matrix->way = i + 1 < c->count ? "columns" : "rows";
        if (c->items[i].of == s && core) {
            c->items[i].matrix->role = "mlp";
            continue;
        }
        c->items[i].of->role = "mlp";
        c->items[i].of->splits |= i + 1 < c->count; /* what follows the columns in it */
    }
}

/* ---- norms, tables, heads ---- */

/* a leaf with vectors for weights that reduces its input */
static bool is_norm(const ridge_sketch *s)
{
    bool reduces = false;
    for (size_t i = 0; i < s->weight_count; i++)
        if (!s->weights[i].absent && s->weights[i].rank != 1)
            return false;
    for (size_t i = 0; s->first && i < s->first->count; i++) {
        const ridge_run_operator *op = s->first->events[i].operator;
        if (!op || is_product(op))
            return false;
        reduces |= op->operator->fuses && strcmp(op->operator->fuses, "reduction") == 0;
    }
    return reduces && s->weight_count > 0 && s->child_count == 0;
}

/* the table that the model's own input is looked up in */
static ridge_sketch *vocabulary(const ridge_sketches *sketches)
{
    for (size_t i = 0; i < sketches->count; i++) {
        ridge_sketch *s = sketches->p[i];
        const ridge_py arguments = s->first ? s->first->arguments : (ridge_py){0};
        if (s->child_count > 0 || s->weight_count != 1 || s->weights[0].absent || s->weights[0].rank != 2 || s->flops.n > 0 ||
            arguments.type != RIDGE_PY_T_TUPLE || arguments.u.list->count == 0 || arguments.u.list->items[0].type != RIDGE_PY_T_TENSOR)
            continue;
        const ridge_tensor *t = arguments.u.list->items[0].u.tensor;
        if (t->storage->kind == RIDGE_STORAGE_INPUT && t->dtype == RIDGE_DTYPE_I64)
            return s;
    }
    return NULL;
}

/* The last product of a call: a module that is one matrix, or else NULL. *any: there is a product. */
static ridge_sketch *last_matrix(bool *any, const ridge_run_call *call, scan *c)
{
    ridge_sketch *found = NULL;
    *any = false;
    if (++c->depth <= DEPTH_LIMIT)
        for (size_t i = call->count; i-- > 0 && !*any;) {
            const ridge_run_call *below = call->events[i].call;
            const ridge_run_module *m = below ? below->module : NULL;
            item it;
            if (!below)
                *any = is_product(call->events[i].operator);
            else if (m && m->id < c->cap && c->by_id[m->id] && is_matrix(&it, c->by_id[m->id], c)) {
                found = c->by_id[m->id];
                *any = true;
            } else
                found = last_matrix(any, below, c);
        }
    c->depth--;
    return found;
}

/* The matrix that runs last gives scores: of every word of the table or, as a part of the model itself, of classes. */
static void head(scan *c, const ridge_sketches *sketches)
{
    const ridge_sketch *root = sketches->root;
    ridge_sketch *table = vocabulary(sketches);
    bool any;
    item it;
    c->depth = 0;
    ridge_sketch *last = root->first ? last_matrix(&any, root->first, c) : NULL;
    if (table)
        table->way = "vocabulary";
    if (!last || last->way || !is_matrix(&it, last, c))
        return;
    if (table && equal(it.out, number(c, table->weights[0].dims[0])))
        last->way = "vocabulary";
    if (last->way || last->parent == root)
        last->role = "head";
}

ridge_status ridge_purposes_find(const ridge_sketch_run *run, const ridge_calc *calc)
{
    const ridge_sketches *sketches = &run->sketches;
    scan *c = ridge_arena_alloc(calc->arena, sizeof *c);
    if (!c)
        return ridge_no_memory(calc->err);
    *c = (scan){.calc = calc, .numbers = {.calc = calc, .fixed = run->names, .fixed_count = run->name_count}};
    for (size_t i = 0; i < sketches->count; i++)
        if (sketches->p[i]->module->id >= c->cap)
            c->cap = sketches->p[i]->module->id + 1;
    if (!(c->by_id = ridge_arena_array(calc->arena, c->cap + 1, sizeof *c->by_id)))
        return ridge_no_memory(calc->err);
    for (size_t i = sketches->count; i-- > 0;) {
        c->by_id[sketches->p[i]->module->id] = sketches->p[i];
        if (is_norm(sketches->p[i]))
            sketches->p[i]->role = "norm";
    }
    for (size_t i = sketches->count; i-- > 1;) /* the smallest modules first */
        if (!sketches->p[i]->container)
            attention(c, sketches->p[i]);
    for (size_t i = sketches->count; i-- > 1;)
        if (!sketches->p[i]->container && !sketches->p[i]->role)
            wide_part(c, sketches->p[i]);
    head(c, sketches);
    return RIDGE_OK;
}
