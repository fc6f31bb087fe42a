/* How one device's part of every row is found: the catalog says how parts split, and what is an attention (docs/catalog.md). */
#include "predict/parallel/split.h"

/* ---- where a row is ---- */

static void find_ends(ridge_split *s)
{
    for (size_t i = 0; i < s->rows->n; i++)
        s->parts[i].end = (uint32_t)i + 1;
    for (size_t i = s->rows->n; i-- > 0;) {
        uint32_t up = s->rows->p[i].parent;
        if (up != RIDGE_NO_ROW && s->parts[up].end < s->parts[i].end)
            s->parts[up].end = s->parts[i].end;
    }
}

/* an attention's heads: [of Q, of K and V] */
static ridge_status read_heads(ridge_part *p, ridge_graph *g, const ridge_node *n)
{
    const ridge_expr *heads = n->entry->heads;
    ridge_value v;
    ridge_graph_enter(g, n);
    ridge_status st = ridge_expr_eval(&v, heads, &g->run);
    if (st)
        return st;
    if (v.type != RIDGE_V_LIST || v.u.list->count != 2 || !ridge_value_as_int(&p->heads, v.u.list->items[0]) ||
        !ridge_value_as_int(&p->kv_heads, v.u.list->items[1]) || p->heads < 1 || p->kv_heads < 0) {
        st = ridge_fail(g->err, RIDGE_TYPE, "'heads' must be [heads of Q, heads of K and V]");
        ridge_expr_blame(g->err, heads);
    }
    return st;
}

static ridge_status find_cores(ridge_split *s, ridge_graph *g)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < s->rows->n && !st; i++) {
        const ridge_row *row = &s->rows->p[i];
        s->parts[i].core = row->module && row->node->entry && row->node->entry->heads;
        if (s->parts[i].core)
            st = read_heads(&s->parts[i], g, row->node);
    }
    for (size_t i = s->rows->n; i-- > 0 && !st;) {
        s->parts[i].has_core = s->parts[i].has_core || s->parts[i].core;
        if (s->parts[i].has_core && s->rows->p[i].parent != RIDGE_NO_ROW)
            s->parts[s->rows->p[i].parent].has_core = true;
    }
    return st;
}

static bool is_scope(const ridge_row *row)
{
    return row->role == RIDGE_ROLE_ATTENTION || row->role == RIDGE_ROLE_MIXER;
}

/* Layers have an attention; those of a model whose layers differ may have a mixer alone, or an MLP, which may be a mixture. */
static bool is_layer(const ridge_split *s, uint32_t i, const ridge_part *up)
{
    const ridge_row *row = &s->rows->p[i];
    bool found = s->parts[i].has_core;
    if (!row->element || row->leaf)
        return false;
    for (uint32_t k = i + 1; k < s->parts[i].end && !found && !(up && up->block != RIDGE_NO_ROW); k++)
        found = is_scope(&s->rows->p[k]) || s->rows->p[k].role == RIDGE_ROLE_MLP;
    return found;
}

static void find_place(ridge_split *s, uint32_t i)
{
    const ridge_row *row = &s->rows->p[i];
    ridge_part *p = &s->parts[i];
    const ridge_part *up = row->parent == RIDGE_NO_ROW ? NULL : &s->parts[row->parent];
    const bool layer = is_layer(s, i, up);
    p->layer = up && up->layer != RIDGE_NO_ROW ? up->layer : layer ? i : RIDGE_NO_ROW;
    p->block = layer ? i : up ? up->block : RIDGE_NO_ROW;
    p->scope = layer || !up ? RIDGE_NO_ROW : up->scope;
    if (p->scope == RIDGE_NO_ROW && p->block != RIDGE_NO_ROW && (p->core || !layer) && is_scope(row))
        p->scope = i; /* a layer that is an attention itself, with its MLP, too */
    if (p->layer == i) {
        s->layers += row->count;
        if (s->first_layer == RIDGE_NO_ROW)
            s->first_layer = i;
    }
    p->after = s->first_layer != RIDGE_NO_ROW;
}

static void set_mixture(ridge_split *s, uint32_t at, ridge_int experts)
{
    for (uint32_t r = at; r < s->parts[at].end && s->rows->p[at].parent != RIDGE_NO_ROW; r++) {
        s->parts[r].mixture = s->rows->p[at].parent;
        s->parts[r].experts = experts;
    }
}

/* the mixture of a row: the module above the list its expert stands in, or above the module that holds all experts */
static void find_mixtures(ridge_split *s)
{
    for (uint32_t i = 0; i < s->rows->n; i++)
        if (s->rows->p[i].module && s->rows->p[i].node->experts > 0)
            set_mixture(s, i, s->rows->p[i].node->experts);
    for (size_t i = 0; i < s->kernels->n; i++) {
        const ridge_kernel *k = &s->kernels->p[i];
        uint32_t at = k->row;
        if (k->mixture != RIDGE_MIXTURE_POOLED)
            continue;
        while (at != RIDGE_NO_ROW && !s->rows->p[at].element)
            at = s->rows->p[at].parent;
        if (at != RIDGE_NO_ROW)
            set_mixture(s, at, k->experts);
    }
}

/* the attention that a row of a scope belongs to */
static const ridge_part *core_of(const ridge_split *s, uint32_t scope)
{
    for (uint32_t i = scope; scope != RIDGE_NO_ROW && i < s->parts[scope].end; i++)
        if (s->parts[i].core)
            return &s->parts[i];
    return NULL;
}

/* ---- matrices ---- */

/* y = x W of a leaf module */
static ridge_status find_kernels(ridge_split *s, ridge_graph *g)
{
    ridge_run_step steps[RIDGE_RUN_STEPS];
    ridge_status st = RIDGE_OK;
    for (size_t i = s->kernels->n; i-- > 0 && !st;) {
        const ridge_kernel *k = &s->kernels->p[i];
        ridge_part *p = &s->parts[k->row];
        int64_t n, in;
        size_t count;
        p->kernel = (uint32_t)i;
        if (!s->rows->p[k->row].module || (st = ridge_kernel_runs(steps, &count, g, s->rows, k)) || count != 1 ||
            steps[0].what != RIDGE_RUNNABLE_LINEAR || !ridge_run_size_of(&n, &steps[0], RIDGE_RUN_SIZE_N) ||
            !ridge_run_size_of(&in, &steps[0], RIDGE_RUN_SIZE_K))
            continue;
        p->out = n;
        p->in = in;
    }
    return st;
}

/* one device's part of K and V: its own heads, or one head that several devices keep */
static ridge_int kv_devices(ridge_int kv_heads, ridge_int n)
{
    return kv_heads == 0 ? 1 : kv_heads > n ? n : kv_heads;
}

static void split(ridge_part *p, ridge_part_kind kind, ridge_int num, ridge_int den)
{
    p->kind = kind;
    p->num = num;
    p->den = den;
}

/* columns of K and V, or of Q, K and V in one matrix */
static void split_heads(ridge_part *p, const ridge_split *s, bool has_q)
{
    const ridge_part *core = core_of(s, p->scope);
    const ridge_int n = s->parallel->tensor, h = core ? core->heads : 0, k = core ? core->kv_heads : 0;
    const ridge_int den = kv_devices(k, n);
    if (k == 0 || k == h)
        split(p, RIDGE_PART_COLUMN, 1, n);
    else if (has_q)
        split(p, RIDGE_PART_COLUMN, h * den + 2 * k * n, (h + 2 * k) * n * den);
    else
        split(p, RIDGE_PART_COLUMN, 1, den);
}

static void split_vocabulary(ridge_split *s, uint32_t i)
{
    ridge_part *p = &s->parts[i];
    if (s->vocabulary == 0 || p->layer != RIDGE_NO_ROW)
        return;
    if (p->in > 0) {
        s->head = i;
        split(p, RIDGE_PART_COLUMN, 1, s->parallel->tensor);
    } else if (s->table == RIDGE_NO_ROW && s->rows->p[i].module) {
        s->table = i;
        split(p, RIDGE_PART_TABLE, 1, s->parallel->tensor);
    }
}

static void split_row(ridge_split *s, uint32_t i)
{
    const ridge_int n = s->parallel->tensor;
    ridge_part *p = &s->parts[i];
    const ridge_split_way way = s->rows->p[i].split;
    const bool inside = p->block != RIDGE_NO_ROW;
    if (way == RIDGE_SPLIT_WAY_VOCABULARY)
        split_vocabulary(s, i);
    else if (inside && way == RIDGE_SPLIT_WAY_SHARE && p->in == 0)
        split(p, RIDGE_PART_SHARE, 1, n);
    else if (inside && way == RIDGE_SPLIT_WAY_COLUMNS)
        split(p, RIDGE_PART_COLUMN, 1, n);
    else if (inside && way == RIDGE_SPLIT_WAY_ROWS)
        split(p, RIDGE_PART_ROW, 1, n);
    else if (inside && (way == RIDGE_SPLIT_WAY_KV || way == RIDGE_SPLIT_WAY_QKV))
        split_heads(p, s, way == RIDGE_SPLIT_WAY_QKV);
}

/* The model's first table that splits by vocabulary; a fused embedding has it without a row of its own. */
static const ridge_node *table_of(const ridge_node *n)
{
    for (size_t i = 0; i < n->child_count && !n->list; i++) {
        const ridge_child *c = &n->children[i];
        if (!c->node || c->node->kind != RIDGE_KIND_MODULE)
            continue;
        if (c->split == RIDGE_SPLIT_WAY_VOCABULARY && c->node->entry && ridge_entry_runs(c->node->entry, RIDGE_RUNNABLE_EMBEDDING))
            return c->node;
        const ridge_node *found = table_of(c->node);
        if (found)
            return found;
    }
    return NULL;
}

/* ---- all of it ---- */

static ridge_status find_all(ridge_split *s, ridge_graph *g)
{
    ridge_status st;
    for (size_t i = 0; i < s->rows->n; i++)
        s->parts[i] = (ridge_part){.num = 1,
                                   .den = 1,
                                   .layer = RIDGE_NO_ROW,
                                   .block = RIDGE_NO_ROW,
                                   .scope = RIDGE_NO_ROW,
                                   .mixture = RIDGE_NO_ROW,
                                   .kernel = RIDGE_NO_ROW};
    find_ends(s);
    if ((st = find_cores(s, g)))
        return st;
    for (uint32_t i = 0; i < s->rows->n; i++)
        find_place(s, i);
    find_mixtures(s);
    return find_kernels(s, g);
}

ridge_status ridge_split_make(ridge_split *s, ridge_analysis *a, const ridge_parallel *parallel, ridge_err *err)
{
    ridge_status st;
    *s = (ridge_split){.rows = &a->rows,
                       .kernels = &a->kernels,
                       .parallel = parallel,
                       .first_layer = RIDGE_NO_ROW,
                       .head = RIDGE_NO_ROW,
                       .table = RIDGE_NO_ROW};
    if (!(s->parts = ridge_arena_array(a->graph.arena, a->rows.n + 1, sizeof *s->parts)))
        return ridge_no_memory(err);
    if ((st = find_all(s, &a->graph)) || (st = ridge_split_check_known(s, err)))
        return st;
    const ridge_node *table = s->layers > 0 ? table_of(a->root) : NULL;
    if (table)
        s->vocabulary = table->weights.p[0].dims[0];
    for (uint32_t i = 0; i < s->rows->n; i++)
        split_row(s, i);
    return ridge_split_check_numbers(s, err);
}

double ridge_split_calls(const ridge_split *s, uint32_t row)
{
    const ridge_part *p = &s->parts[row];
    const double stages = (double)s->parallel->pipeline, m = (double)s->parallel->microbatches;
    if (s->parallel->pipeline == 1)
        return m;
    if (p->layer != RIDGE_NO_ROW)
        return 1 + (m - 1) / stages;
    return p->after ? m : 1;
}

ridge_plan_split ridge_split_of(const ridge_split *s, size_t kernel)
{
    const ridge_kernel *k = &s->kernels->p[kernel];
    const ridge_part *p = &s->parts[k->row];
    ridge_plan_split out = {.compute = 1, .weights = 1, .activations = 1, .kv = 1, .calls = ridge_split_calls(s, k->row), .tokens = 1};
    out.device_calls = (double)s->parallel->microbatches / (double)s->parallel->pipeline;
    const double share = (double)p->num / (double)p->den;
    if (p->kind == RIDGE_PART_COLUMN || p->kind == RIDGE_PART_ROW) {
        double in = (double)p->in, o = (double)p->out;
        out.compute = out.weights = share;
        out.rows = p->kind == RIDGE_PART_ROW;
        out.activations = (out.rows ? in * share + o : in + o * share) / (in + o);
    } else if (p->kind == RIDGE_PART_SHARE) {
        const ridge_part *core = core_of(s, p->scope);
        out.compute = out.activations = share;
        out.kv = core ? 1 / (double)kv_devices(core->kv_heads, s->parallel->tensor) : 1;
        if (p->experts) /* operators of experts in one tensor */
            out.weights = share;
    } else if (p->kind == RIDGE_PART_TABLE) {
        out.weights = share;
    }
    if (k->experts)
        out.tokens = (double)s->parallel->expert;
    if (p->experts)
        out.weights /= (double)s->parallel->expert;
    return out;
}
