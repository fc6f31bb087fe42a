#include "cost/kernels.h"

#include "cost/fold.h"
#include "formula/poly.h"

/* one part of a module that is no module: what it does itself, a function, a fused kernel */
typedef enum part_kind { PART_OWN, PART_FUNCTION, PART_RULE } part_kind;
typedef struct part {
    part_kind kind;
    size_t index; /* of the child, of the rule */
} part;

/* where the kernels of a group's parts go */
typedef struct target {
    ridge_folder *f;
    ridge_str path;
    uint32_t row;   /* UINT32_MAX: made with the part's first kernel */
    uint32_t above; /* the module's row */
    uint32_t depth; /* of a row below it */
} target;

static bool moves_bytes(const ridge_cost *c)
{
    for (int i = 0; i < RIDGE_BYTE_SCORES; i++)
        if (!ridge_value_is_zero(c->reads[i]) || !ridge_value_is_zero(c->writes[i]))
            return true;
    return false;
}

static bool is_empty(const ridge_cost *c)
{
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        if (!ridge_value_is_zero(c->flops[i]))
            return false;
    return !moves_bytes(c);
}

static const ridge_calc *calc_of(const ridge_folder *f)
{
    return &f->coster->graph->run.calc;
}

/* calls of a child in all calls of its parent; symbolic runs: where it runs at all */
static ridge_status calls_below(ridge_value *out, const ridge_folder *f, ridge_value calls, const ridge_child *c)
{
    ridge_status st = ridge_value_binary(out, RIDGE_OP_MUL, calls, c->calls, calc_of(f));
    if (st || c->node->runs.type == RIDGE_V_UNSET)
        return st;
    return ridge_value_binary(out, RIDGE_OP_MUL, *out, c->node->runs, calc_of(f));
}

bool ridge_fold_is_replaced(const ridge_folder *f, const ridge_node *parent, const ridge_child *child)
{
    return f->coster->kernel == RIDGE_KERNEL_FUSED && ridge_cost_is_replaced(parent, child);
}

/* ---- names ---- */

ridge_str ridge_fusion_name(ridge_arena *arena, const ridge_node *n, size_t rule)
{
    const ridge_entry *e = n->entry;
    ridge_buf text = {0};
    size_t count = 0, last = 0;
    for (size_t i = 0; i < e->breakdown_count; i++)
        if (e->fused[rule].replaces[i]) {
            if (count++ < 3)
                ridge_buf_addf(&text, "%s%s", count > 1 ? "+" : "", e->breakdown[i].name->text);
            last = i;
        }
    if (count > 3)
        ridge_buf_addf(&text, "+..+%s", e->breakdown[last].name->text);
    char *name = ridge_arena_take(arena, &text);
    return name ? ridge_str_of(name) : (ridge_str){NULL, 0};
}

static ridge_str part_name(const ridge_folder *f, const ridge_node *n, part p)
{
    if (p.kind == PART_FUNCTION)
        return n->children[p.index].name;
    if (p.kind == PART_RULE)
        return ridge_fusion_name(f->arena, n, p.index);
    return f->coster->kernel == RIDGE_KERNEL_FUSED ? RIDGE_STR("(fused)") : RIDGE_STR("(own)");
}

/* ---- one kernel ---- */

static bool replaces(const ridge_node *n, size_t rule, const ridge_child *c)
{
    return c->node && n->entry->fused[rule].replaces[c->component];
}

/* role and split of a part: a function's own, else the module's; of a rule, those of the first component that it replaces */
static void set_purpose(ridge_row *row, const ridge_fold_member *m, part p)
{
    row->role = m->role;
    row->split = m->node->entry && m->node->entry->split != RIDGE_SPLIT_WAY_UNKNOWN ? m->node->entry->split : m->split;
    for (size_t i = 0; i < m->node->child_count; i++) {
        const ridge_child *c = &m->node->children[i];
        if (p.kind == PART_FUNCTION ? i != p.index : p.kind == PART_OWN || !replaces(m->node, p.index, c))
            continue;
        row->role = p.kind == PART_FUNCTION ? ridge_fold_role(m, c) : m->role;
        row->split = ridge_fold_split(m, c);
        return;
    }
}

static ridge_status row_of(target *t, const ridge_fold_member *m, part p, const ridge_node *node)
{
    ridge_row *row;
    if (t->row != UINT32_MAX)
        return RIDGE_OK;
    ridge_str path = ridge_fold_join(t->f, t->path, part_name(t->f, m->node, p));
    ridge_status st =
        ridge_fold_row(&row, t->f, path, node, p.kind == PART_OWN ? m->node->class_name : node->class_name, t->above, t->depth);
    if (st)
        return st;
    t->row = (uint32_t)(t->f->rows->n - 1);
    set_purpose(row, m, p);
    return RIDGE_OK;
}

/* the row of a part counts what its kernels do; a module's row has its cost already */
static ridge_status count_in_row(const target *t, const ridge_kernel *k)
{
    ridge_row *row = &t->f->rows->p[t->row];
    return t->row == t->above ? RIDGE_OK : ridge_cost_add(&row->cost, &k->cost, k->calls, -1, false, calc_of(t->f));
}

static ridge_status least(ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    if (a.type != RIDGE_V_INT || b.type != RIDGE_V_INT)
        return ridge_sym_min_max(out, false, a, b, calc);
    *out = a.u.i < b.u.i ? a : b;
    return RIDGE_OK;
}

/* eager classes that call all experts read those, too, that have no rows */
static ridge_status set_pooled(ridge_kernel *k, const target *t, const ridge_fold_member *m)
{
    const ridge_cost *rowless;
    ridge_status st;
    k->mixture = RIDGE_MIXTURE_POOLED;
    k->experts = m->experts;
    k->routed = m->routed;
    (void)ridge_value_as_int(&k->per_token, m->per_token);
    if (!m->rowless || t->f->coster->kernel != RIDGE_KERNEL_EAGER)
        return RIDGE_OK;
    if ((st = ridge_cost_of(&rowless, t->f->coster, m->rowless)))
        return st;
    k->all_run = !ridge_value_is_zero(rowless->reads[RIDGE_BYTE_WEIGHTS]);
    return RIDGE_OK;
}

/* Experts in one tensor: what the module and its fused kernels do is for all of them, functions that run one by one are spread. Other
 * functions read what they say whatever the tokens are. */
static ridge_status set_mixture(ridge_kernel *k, const target *t, const ridge_fold_member *m, part p)
{
    const ridge_value *globals = t->f->coster->graph->globals;
    const ridge_node *n = m->node;
    ridge_status st;
    if (m->experts)
        return set_pooled(k, t, m);
    if (n->experts == 0 || (p.kind == PART_FUNCTION && !n->children[p.index].spread))
        return RIDGE_OK;
    k->mixture = p.kind == PART_FUNCTION ? RIDGE_MIXTURE_SPREAD : RIDGE_MIXTURE_WHOLE;
    k->experts = n->experts;
    k->per_token = n->run;
    if ((st = ridge_value_binary(&k->routed, RIDGE_OP_MUL, globals[RIDGE_GLOBAL_B], globals[RIDGE_GLOBAL_S], calc_of(t->f))) ||
        (st = ridge_value_binary(&k->routed, RIDGE_OP_MUL, k->routed, ridge_value_int(n->run), calc_of(t->f))))
        return st;
    return least(&k->hit, ridge_value_int(n->experts), k->routed, calc_of(t->f));
}

/* cost is that of one call; FLOPs of matrix products count as flop_class where that is >= 0 */
static ridge_status add_kernel(target *t, const ridge_fold_member *m, part p, const ridge_node *node, const ridge_cost *cost,
                               ridge_value calls, int flop_class)
{
    ridge_kernels *list = t->f->kernels;
    ridge_status st;
    if (is_empty(cost) || ridge_value_is_zero(calls))
        return RIDGE_OK;
    if ((st = row_of(t, m, p, node)))
        return st;
    if (!ridge_arena_more(t->f->arena, &list->p, list->n, &list->cap, sizeof *list->p))
        return ridge_no_memory(t->f->err);
    ridge_kernel *k = &list->p[list->n++];
    *k = (ridge_kernel){.row = t->row, .node = node, .of = m->node, .rule = p.kind == PART_RULE ? (int)p.index : -1, .calls = calls};
    ridge_cost_zero(&k->cost);
    k->launches = moves_bytes(cost);
    if ((st = set_mixture(k, t, m, p)) || (st = ridge_cost_add(&k->cost, cost, ridge_value_int(1), flop_class, false, calc_of(t->f))))
        return st;
    return count_in_row(t, k);
}

/* ---- parts ---- */

static int class_below(int outer, const ridge_child *c)
{
    return c->flop_class >= 0 ? c->flop_class : outer;
}

/* eager: every operator of a function is a kernel, equal neighbours in one step */
static ridge_status add_operators(target *t, const ridge_fold_member *m, part p, const ridge_node *n, ridge_value calls, int flop_class)
{
    ridge_cost own;
    ridge_status st;
    if (n->skipped)
        return RIDGE_OK;
    if ((st = ridge_cost_own(&own, t->f->coster, n)) || (st = add_kernel(t, m, p, n, &own, calls, flop_class)))
        return st;
    for (size_t i = 0, next; i < n->child_count && !st; i = next) {
        const ridge_child *c = &n->children[i];
        ridge_value below;
        next = i + 1;
        if (!c->node)
            continue;
        while (next < n->child_count && n->children[next].node == c->node && ridge_value_equal(n->children[next].calls, c->calls) &&
               n->children[next].flop_class == c->flop_class)
            next++;
        if (!(st = calls_below(&below, t->f, calls, c)) &&
            !(st = ridge_value_binary(&below, RIDGE_OP_MUL, below, ridge_value_int((ridge_int)(next - i)), calc_of(t->f))))
            st = add_operators(t, m, p, c->node, below, class_below(flop_class, c));
    }
    return st;
}

/* the arithmetic of a child, added to that of the kernel that does it */
static ridge_status add_arithmetic(ridge_cost *out, const ridge_folder *f, const ridge_child *c, int flop_class)
{
    const ridge_cost *cost;
    ridge_status st = ridge_cost_of(&cost, f->coster, c->node);
    return st ? st : ridge_cost_add(out, cost, c->calls, class_below(flop_class, c), true, calc_of(f));
}

static ridge_status add_rule(target *t, const ridge_fold_member *m, part p)
{
    const ridge_node *n = m->node, *kernel;
    const ridge_cost *traffic;
    ridge_cost cost;
    ridge_status st = ridge_cost_fused(&traffic, &kernel, t->f->coster, n, p.index);
    if (st || !kernel)
        return st;
    cost = *traffic;
    for (int i = 0; i < RIDGE_FLOP_COUNT && !n->entry->fused[p.index].computes; i++)
        cost.flops[i] = ridge_value_int(0);
    for (size_t i = 0; i < n->child_count && !st && !n->entry->fused[p.index].computes; i++)
        if (replaces(n, p.index, &n->children[i]))
            st = add_arithmetic(&cost, t->f, &n->children[i], m->flop_class);
    return st ? st : add_kernel(t, m, p, kernel, &cost, m->calls, -1);
}

/* fused: a function that moves bytes is a kernel; one that moves none runs inside the others (add_own) */
static ridge_status add_function(target *t, const ridge_fold_member *m, part p)
{
    const ridge_child *c = &m->node->children[p.index];
    const ridge_cost *cost;
    ridge_value calls;
    ridge_status st = calls_below(&calls, t->f, m->calls, c);
    if (st || t->f->coster->kernel == RIDGE_KERNEL_EAGER)
        return st ? st : add_operators(t, m, p, c->node, calls, class_below(m->flop_class, c));
    if ((st = ridge_cost_of(&cost, t->f->coster, c->node)) || !moves_bytes(cost))
        return st;
    return add_kernel(t, m, p, c->node, cost, calls, class_below(m->flop_class, c));
}

/* is the child's work done by a rule that names a kernel for these values? */
static ridge_status has_kernel(bool *out, const ridge_folder *f, const ridge_node *n, const ridge_child *c)
{
    ridge_status st = RIDGE_OK;
    *out = false;
    for (size_t r = 0; r < n->entry->fused_count && !*out && !st; r++) {
        const ridge_cost *cost;
        const ridge_node *kernel = NULL;
        if (replaces(n, r, c) && !(st = ridge_cost_fused(&cost, &kernel, f->coster, n, r)))
            *out = kernel;
    }
    return st;
}

/* The kernel of a leaf module that does the module's own arithmetic beside its traffic: the first of all its calls that moves bytes and
 * has none of it yet; NULL where there is none. *alone: the module has no other. */
static ridge_kernel *kernel_of(bool *alone, const target *t, const ridge_fold_member *m)
{
    const ridge_kernels *list = t->f->kernels;
    ridge_kernel *found = NULL;
    for (size_t i = list->n; i > 0 && t->row == t->above && list->p[i - 1].row == t->row; i--) {
        ridge_kernel *k = &list->p[i - 1];
        if (k->of != m->node || k->launches == 0 || k->whole || !ridge_value_equal(k->calls, m->calls))
            continue;
        *alone = !found;
        found = k;
    }
    return found;
}

/* What a module does itself. Fused, the one kernel of a leaf module does that too; arithmetic alone runs inside the first of several. */
static ridge_status add_own_kernel(target *t, const ridge_fold_member *m, part p, const ridge_cost *own)
{
    bool alone = false;
    ridge_kernel *host = is_empty(own) ? NULL : kernel_of(&alone, t, m);
    alone = alone && t->f->coster->kernel == RIDGE_KERNEL_FUSED;
    if (!host || (!alone && moves_bytes(own)))
        return add_kernel(t, m, p, m->node, own, m->calls, m->flop_class);
    host->whole = true;
    if (moves_bytes(own))
        host->node = m->node;
    return ridge_cost_add(&host->cost, own, ridge_value_int(1), m->flop_class, !alone, calc_of(t->f));
}

/* what a node does itself; fused: with the arithmetic of the functions that move no bytes */
static ridge_status add_own(target *t, const ridge_fold_member *m, part p)
{
    const ridge_node *n = m->node;
    ridge_cost own;
    ridge_status st = ridge_cost_own(&own, t->f->coster, n);
    for (size_t i = 0; i < n->child_count && !st && t->f->coster->kernel == RIDGE_KERNEL_FUSED; i++) {
        const ridge_child *c = &n->children[i];
        const ridge_cost *cost;
        bool elsewhere = false, replaced = c->node && ridge_cost_is_replaced(n, c);
        if (!c->node || ridge_value_is_zero(c->calls) || (!replaced && c->node->kind == RIDGE_KIND_MODULE))
            continue;
        if (replaced)
            st = has_kernel(&elsewhere, t->f, n, c);
        else if (!(st = ridge_cost_of(&cost, t->f->coster, c->node)))
            elsewhere = moves_bytes(cost);
        if (!st && !elsewhere)
            st = add_arithmetic(&own, t->f, c, -1);
    }
    return st ? st : add_own_kernel(t, m, p, &own);
}

static ridge_status add_part(target *t, const ridge_fold_member *m, part p)
{
    switch (p.kind) {
    case PART_OWN:
        return add_own(t, m, p);
    case PART_FUNCTION:
        return add_function(t, m, p);
    default:
        return add_rule(t, m, p);
    }
}

static ridge_status fold_part(target *t, const ridge_fold_group *g, part p, bool leaf)
{
    ridge_status st = RIDGE_OK;
    t->row = leaf ? t->above : UINT32_MAX;
    for (size_t i = 0; i < g->n && !st; i++) {
        ridge_row *row;
        size_t before = t->f->kernels->n;
        if (g->p[i].node->skipped)
            continue;
        if ((st = add_part(t, &g->p[i], p)) || leaf || t->f->kernels->n == before)
            continue;
        row = &t->f->rows->p[t->row];
        row->count += g->p[i].places;
        row->calls += g->p[i].calls.type == RIDGE_V_INT ? g->p[i].calls.u.i : 0;
    }
    return st;
}

static bool has_modules(const ridge_folder *f, const ridge_node *n)
{
    for (size_t i = 0; i < n->child_count; i++) {
        const ridge_child *c = &n->children[i];
        if (c->node && c->node->kind == RIDGE_KIND_MODULE && !ridge_value_is_zero(c->calls) && !ridge_fold_is_replaced(f, n, c))
            return true;
    }
    return false;
}

ridge_status ridge_fold_kernels(ridge_folder *f, const ridge_fold_group *g, ridge_str path, uint32_t at, uint32_t depth)
{
    const ridge_node *like = g->p[0].node;
    target t = {.f = f, .path = path, .above = at, .depth = depth};
    bool leaf = g->p[0].called && !has_modules(f, like);
    ridge_status st = RIDGE_OK;
    if (!like->entry)
        return RIDGE_OK;
    for (size_t r = 0; r < like->entry->fused_count && !st && f->coster->kernel == RIDGE_KERNEL_FUSED; r++)
        st = fold_part(&t, g, (part){PART_RULE, r}, leaf);
    for (size_t i = 0; i < like->child_count && !st; i++) {
        const ridge_child *c = &like->children[i];
        if (c->node && c->node->kind != RIDGE_KIND_MODULE && !ridge_fold_is_replaced(f, like, c))
            st = fold_part(&t, g, (part){PART_FUNCTION, i}, leaf);
    }
    return st ? st : fold_part(&t, g, (part){PART_OWN, 0}, leaf);
}

ridge_status ridge_kernels_make(ridge_rows *rows, ridge_kernels *kernels, ridge_coster *coster, const ridge_node *root, bool all)
{
    *kernels = (ridge_kernels){NULL, 0, 0};
    return ridge_rows_fold(rows, kernels, coster, root, all);
}

ridge_status ridge_kernels_add(ridge_rows *rows, ridge_kernels *kernels, ridge_coster *coster, const char *path, const char *class_name,
                               const ridge_cost *cost)
{
    ridge_folder f = {rows, kernels, coster, coster->graph->arena, coster->graph->err, false};
    ridge_fold_member m = {.node = rows->p[0].node, .places = 1, .calls = ridge_value_int(1), .flop_class = -1};
    target t = {.f = &f, .path = ridge_str_of(path), .row = (uint32_t)rows->n};
    ridge_row *row;
    ridge_status st = ridge_fold_row(&row, &f, t.path, NULL, class_name, 0, 1);
    if (st)
        return st;
    row->count = row->calls = 1;
    return add_kernel(&t, &m, (part){PART_OWN, 0}, NULL, cost, m.calls, -1);
}
