#include "cost/cost.h"

#include "cost/flat.h"
#include "cost/stored.h"
#include "formula/poly.h"

static const ridge_format *format_of(const ridge_graph *g, ridge_global which)
{
    return g->globals[which].type == RIDGE_V_STRING ? ridge_format_find(g->globals[which].u.s) : NULL;
}

ridge_status ridge_coster_init(ridge_coster *c, ridge_graph *g, ridge_kernel_mode kernel)
{
    *c = (ridge_coster){.graph = g, .kernel = kernel};
    c->weights = format_of(g, RIDGE_GLOBAL_weights_format);
    c->activations = format_of(g, RIDGE_GLOBAL_act);
    c->kv = format_of(g, RIDGE_GLOBAL_kv);
    if (!c->weights || !c->activations || !c->kv)
        return ridge_fail(g->err, RIDGE_VALUE, "the workload gives no number formats");
    return RIDGE_OK;
}

void ridge_cost_zero(ridge_cost *cost)
{
    const ridge_value none = ridge_value_int(0);
    *cost = (ridge_cost){.saved = none, .saved_scores = none, .peak = none, .held = none};
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        cost->flops[i] = ridge_value_int(0);
    for (int i = 0; i < RIDGE_BYTE_SCORES; i++)
        cost->reads[i] = cost->writes[i] = ridge_value_int(0);
}

static ridge_status add_times(ridge_value *out, ridge_value a, ridge_value times, const ridge_calc *calc)
{
    ridge_value v = a;
    ridge_status st = RIDGE_OK;
    if (ridge_value_is_zero(a))
        return RIDGE_OK;
    if (times.type != RIDGE_V_INT || times.u.i != 1)
        st = ridge_value_binary(&v, RIDGE_OP_MUL, a, times, calc);
    return st ? st : ridge_value_binary(out, RIDGE_OP_ADD, *out, v, calc);
}

ridge_status ridge_cost_add(ridge_cost *out, const ridge_cost *a, ridge_value times, int flop_class, bool without_bytes,
                            const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    for (int i = 0; i < RIDGE_FLOP_COUNT && !st; i++)
        st = add_times(&out->flops[i == RIDGE_FLOP_MATMUL && flop_class >= 0 ? flop_class : i], a->flops[i], times, calc);
    for (int i = 0; i < RIDGE_BYTE_SCORES && !st && !without_bytes; i++)
        if (!(st = add_times(&out->reads[i], a->reads[i], times, calc)))
            st = add_times(&out->writes[i], a->writes[i], times, calc);
    if (!st && !(st = add_times(&out->saved, a->saved, times, calc)))
        st = add_times(&out->saved_scores, a->saved_scores, times, calc);
    return st;
}

ridge_status ridge_cost_flops_total(ridge_value *out, const ridge_cost *cost, const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    *out = ridge_value_int(0);
    for (int i = 0; i < RIDGE_FLOP_COUNT && !st; i++)
        st = ridge_value_binary(out, RIDGE_OP_ADD, *out, cost->flops[i], calc);
    return st;
}

ridge_status ridge_cost_bytes_total(ridge_value *out, const ridge_value *kinds, const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    *out = ridge_value_int(0);
    for (int i = 0; i < RIDGE_BYTE_SCORES && !st; i++)
        st = ridge_value_binary(out, RIDGE_OP_ADD, *out, kinds[i], calc);
    return st;
}

/* ---- elements to bytes ---- */

static ridge_status bad_count(ridge_coster *c, const ridge_amount *a, const char *what)
{
    ridge_status st = ridge_fail(c->graph->err, RIDGE_VALUE, "%s", what);
    ridge_expr_blame(c->graph->err, a->expr);
    return st;
}

/* what a format keeps once per tensor; an empty tensor has none. `bits` is negative where it is not */
static ridge_status add_tensor_bytes(ridge_value *out, const ridge_format *f, ridge_value bits, const ridge_calc *calc)
{
    ridge_value there;
    ridge_status st;
    if ((st = ridge_value_binary(&there, RIDGE_OP_LT, bits, ridge_value_int(0), calc)))
        return st;
    if (there.type == RIDGE_V_BOOL)
        there = ridge_value_int(there.u.b);
    st = ridge_value_binary(&there, RIDGE_OP_MUL, there, ridge_value_int(f->tensor_bytes), calc);
    return st ? st : ridge_value_binary(out, RIDGE_OP_ADD, *out, there, calc);
}

ridge_status ridge_cost_block_bytes(ridge_value *out, ridge_coster *c, const ridge_format *f, ridge_value rows, ridge_value columns)
{
    const ridge_calc *calc = &c->graph->run.calc;
    ridge_int r, k, bytes;
    ridge_status st;
    if (ridge_value_as_int(&r, rows) && ridge_value_as_int(&k, columns)) {
        if (!ridge_format_bytes(&bytes, f, r, k))
            return ridge_overflow(c->graph->err, "a number of bytes");
        *out = ridge_value_int(bytes);
        return RIDGE_OK;
    }
    ridge_value bits; /* negative: (-columns // block_elements) * rows * block_bits */
    if ((st = ridge_value_binary(&bits, RIDGE_OP_MUL, columns, ridge_value_int(-1), calc)) ||
        (st = ridge_value_binary(&bits, RIDGE_OP_FLOORDIV, bits, ridge_value_int(f->block_elements), calc)) ||
        (st = ridge_value_binary(&bits, RIDGE_OP_MUL, bits, ridge_value_int(f->block_bits), calc)) ||
        (st = ridge_value_binary(&bits, RIDGE_OP_MUL, bits, rows, calc)) ||
        (st = ridge_value_binary(out, f->block_bits % 8 ? RIDGE_OP_FLOORDIV : RIDGE_OP_DIV, bits, ridge_value_int(8), calc)) ||
        (st = ridge_value_binary(out, RIDGE_OP_MUL, *out, ridge_value_int(-1), calc)))
        return st;
    return f->tensor_bytes ? add_tensor_bytes(out, f, bits, calc) : RIDGE_OK;
}

static ridge_status add_bytes(ridge_value *sum, ridge_coster *c, const ridge_amount *a, const ridge_format *f, ridge_value v);

/* symbolic runs: one of two amounts, by a condition on the workload */
static ridge_status add_guarded_bytes(ridge_value *sum, ridge_coster *c, const ridge_amount *a, const ridge_format *f,
                                      const ridge_guarded *g)
{
    ridge_value then = ridge_value_int(0), otherwise = ridge_value_int(0), bytes;
    ridge_status st;
    if ((st = add_bytes(&then, c, a, f, g->then)) || (st = add_bytes(&otherwise, c, a, f, g->otherwise)) ||
        (st = ridge_sym_select(&bytes, g->condition, then, otherwise, &c->graph->run.calc)))
        return st;
    return ridge_value_binary(sum, RIDGE_OP_ADD, *sum, bytes, &c->graph->run.calc);
}

/* one of a list of shapes */
static ridge_status add_item(ridge_value *sum, ridge_coster *c, const ridge_amount *a, const ridge_format *f, const ridge_list *l, size_t i)
{
    ridge_value bytes;
    bool found = false;
    ridge_status st = f ? RIDGE_OK : ridge_cost_stored_in_order(&bytes, &found, c, l, i);
    if (st || !found)
        return st ? st : add_bytes(sum, c, a, f, l->items[i]);
    return ridge_value_binary(sum, RIDGE_OP_ADD, *sum, bytes, &c->graph->run.calc);
}

/* a number of elements, a shape, or a list of shapes; added to *sum */
static ridge_status add_bytes(ridge_value *sum, ridge_coster *c, const ridge_amount *a, const ridge_format *f, ridge_value v)
{
    const ridge_calc *calc = &c->graph->run.calc;
    ridge_value bytes, rows = ridge_value_int(1), columns = v;
    ridge_status st = RIDGE_OK;
    if (v.type == RIDGE_V_NONE)
        return RIDGE_OK;
    if (v.type == RIDGE_V_GUARDED)
        return add_guarded_bytes(sum, c, a, f, v.u.guarded);
    if (v.type == RIDGE_V_LIST) {
        const ridge_list *l = v.u.list;
        bool nested = l->count == 0;
        for (size_t i = 0; i < l->count; i++)
            nested = nested || l->items[i].type == RIDGE_V_LIST || l->items[i].type == RIDGE_V_NONE;
        for (size_t i = 0; i < l->count && nested && !st; i++)
            st = add_item(sum, c, a, f, l, i);
        if (st || (nested && l->count))
            return st;
        columns = ridge_value_int(1);
        if (l->count > 1)
            rows = l->items[0];
        for (size_t i = l->count > 1; i < l->count && !st; i++)
            st = ridge_value_binary(&columns, RIDGE_OP_MUL, columns, l->items[i], calc);
    }
    if (st)
        return st;
    if (!ridge_value_is_number(columns) || !ridge_value_is_number(rows))
        return bad_count(c, a, "want a number of elements, a shape or a list of shapes");
    if (columns.type == RIDGE_V_RATIONAL || (columns.type == RIDGE_V_INT && columns.u.i < 0) || (rows.type == RIDGE_V_INT && rows.u.i < 0))
        return bad_count(c, a, columns.type == RIDGE_V_RATIONAL ? "a fractional number of elements" : "a negative number of elements");
    if (!f)
        st = ridge_cost_stored_bytes(&bytes, c, a, v, rows, columns);
    else
        st = ridge_cost_block_bytes(&bytes, c, f, rows, columns);
    return st ? st : ridge_value_binary(sum, RIDGE_OP_ADD, *sum, bytes, calc);
}

/* NULL: of weights that are stored each in its way */
static ridge_status amount_format(const ridge_format **out, ridge_coster *c, const ridge_amount *a)
{
    ridge_value v;
    *out = a->what == RIDGE_BYTE_WEIGHTS ? c->weights : a->what == RIDGE_BYTE_KV ? c->kv : c->activations;
    if (!a->format && a->what == RIDGE_BYTE_WEIGHTS && c->stored && !c->elements)
        *out = NULL;
    if (!a->format || c->elements)
        return RIDGE_OK;
    ridge_status st = ridge_expr_eval(&v, a->format, &c->graph->run);
    if (st)
        return st;
    *out = v.type == RIDGE_V_STRING ? ridge_format_find(v.u.s) : NULL;
    return *out ? RIDGE_OK : bad_count(c, a, "not a number format");
}

static ridge_status bytes_of(ridge_value *kinds, ridge_coster *c, const ridge_amounts *amounts)
{
    for (size_t i = 0; i < amounts->n; i++) {
        const ridge_amount *a = &amounts->p[i];
        const ridge_format *f;
        ridge_value v;
        ridge_status st;
        if ((st = amount_format(&f, c, a)) || (st = ridge_expr_eval(&v, a->expr, &c->graph->run)) ||
            (st = add_bytes(&kinds[a->what], c, a, f, v)))
            return st;
    }
    return RIDGE_OK;
}

static ridge_status flops_of(ridge_cost *out, ridge_coster *c, const ridge_amounts *amounts)
{
    for (size_t i = 0; i < amounts->n; i++) {
        const ridge_amount *a = &amounts->p[i];
        ridge_value v;
        ridge_int n;
        ridge_context before = ridge_flat_enter(c, RIDGE_CONTEXT_FLOPS); /* {Module}(args) is its FLOPs here */
        ridge_status st = ridge_expr_eval(&v, a->expr, &c->graph->run);
        if (!st)
            st = ridge_expr_operand(&v, &c->graph->run);
        c->graph->context = before;
        if (st)
            return st;
        if (v.type != RIDGE_V_SYM && !ridge_value_as_int(&n, v))
            return bad_count(c, a, v.type == RIDGE_V_RATIONAL ? "a fractional number of FLOPs" : "FLOPs must be a number");
        if (v.type == RIDGE_V_INT && v.u.i < 0)
            return bad_count(c, a, "a negative number of FLOPs");
        if (v.type == RIDGE_V_BOOL)
            v = ridge_value_int(v.u.b);
        if ((st = ridge_value_binary(&out->flops[a->what], RIDGE_OP_ADD, out->flops[a->what], v, &c->graph->run.calc)))
            return st;
    }
    return RIDGE_OK;
}

/* ---- activation memory ---- */

static bool counts_memory(const ridge_coster *c)
{
    return !c->graph->algebra || c->memory;
}

/* *sum += activations and intermediates */
static ridge_status add_activations(ridge_value *sum, ridge_coster *c, const ridge_value *kinds)
{
    const ridge_calc *calc = &c->graph->run.calc;
    ridge_status st = add_times(sum, kinds[RIDGE_BYTE_ACTIVATIONS], ridge_value_int(1), calc);
    return st ? st : add_times(sum, kinds[RIDGE_BYTE_INTERMEDIATES], ridge_value_int(1), calc);
}

static ridge_status raise_to(ridge_value *peak, ridge_value other, const ridge_calc *calc)
{
    if (peak->type != RIDGE_V_INT || other.type != RIDGE_V_INT)
        return ridge_sym_min_max(peak, true, *peak, other, calc);
    if (other.u.i > peak->u.i)
        *peak = other;
    return RIDGE_OK;
}

/* the peak of a part, where it is called at all. A part that has none without its rows (an expert's) needs no condition. */
static ridge_status raise_to_part(ridge_value *peak, ridge_coster *c, const ridge_child *child, const ridge_cost *part)
{
    const ridge_calc *calc = &c->graph->run.calc;
    const ridge_cost *without;
    ridge_value called, bytes = part->peak;
    ridge_status st;
    if (child->calls.type == RIDGE_V_SYM && !ridge_value_is_zero(bytes)) {
        if (child->without && (st = ridge_cost_of(&without, c, child->without)))
            return st;
        if (!child->without || !ridge_value_is_zero(without->peak)) {
            if ((st = ridge_value_binary(&called, RIDGE_OP_GT, child->calls, ridge_value_int(0), calc)) ||
                (st = ridge_value_binary(&bytes, RIDGE_OP_MUL, bytes, called, calc)))
                return st;
        }
    }
    return raise_to(peak, bytes, calc);
}

static ridge_status held_bytes(ridge_value *out, ridge_coster *c, const ridge_entry *e)
{
    ridge_value kinds[RIDGE_BYTE_COUNT];
    for (int i = 0; i < RIDGE_BYTE_COUNT; i++)
        kinds[i] = ridge_value_int(0);
    ridge_status st = bytes_of(kinds, c, &e->holds);
    if (c->kernel == RIDGE_KERNEL_FUSED) /* scores and masks do not exist there */
        kinds[RIDGE_BYTE_INTERMEDIATES] = ridge_value_int(0);
    *out = ridge_value_int(0);
    return st ? st : add_activations(out, c, kinds);
}

static ridge_status saved_bytes(ridge_cost *out, ridge_coster *c, const ridge_entry *e)
{
    ridge_value kinds[RIDGE_BYTE_COUNT];
    for (int i = 0; i < RIDGE_BYTE_COUNT; i++)
        kinds[i] = ridge_value_int(0);
    ridge_status st = bytes_of(kinds, c, &e->saved);
    out->saved_scores = kinds[RIDGE_BYTE_SCORES];
    out->saved = ridge_value_int(0);
    for (int i = 0; i < RIDGE_BYTE_SCORES && !st; i++)
        st = ridge_value_binary(&out->saved, RIDGE_OP_ADD, out->saved, kinds[i], &c->graph->run.calc);
    return st;
}

/* ---- nodes ---- */

static void enter(ridge_coster *c, const ridge_node *n)
{
    ridge_graph_enter(c->graph, n);
    c->stored = n->stored;
}

bool ridge_cost_is_replaced(const ridge_node *parent, const ridge_child *child)
{
    for (size_t i = 0; parent->entry && i < parent->entry->fused_count; i++)
        if (parent->entry->fused[i].replaces[child->component])
            return true;
    return false;
}

bool ridge_cost_is_recomputed(const ridge_node *parent, const ridge_child *child)
{
    for (size_t i = 0; parent->entry && i < parent->entry->fused_count; i++)
        if (parent->entry->fused[i].replaces[child->component] && parent->entry->fused[i].computes)
            return true;
    return false;
}

ridge_status ridge_cost_fused(const ridge_cost **out, const ridge_node **kernel, ridge_coster *c, const ridge_node *n, size_t rule)
{
    const ridge_expr *by = n->entry->fused[rule].by;
    ridge_value v;
    ridge_status st;
    *kernel = NULL;
    if (!by)
        return RIDGE_OK;
    ridge_graph_enter(c->graph, n);
    if ((st = ridge_expr_eval(&v, by, &c->graph->run)) || v.type == RIDGE_V_NONE)
        return st;
    if (v.type != RIDGE_V_NODE) {
        st = ridge_fail(c->graph->err, RIDGE_TYPE, "'by' must be one kernel");
        ridge_expr_blame(c->graph->err, by);
        return st;
    }
    *kernel = v.u.node;
    if ((st = ridge_graph_reads_stored(kernel, c->graph, n->stored)))
        return st;
    ridge_kernel_mode mode = c->kernel; /* a kernel's own bytes are what it reads and writes */
    c->kernel = RIDGE_KERNEL_EAGER;
    st = ridge_cost_of(out, c, *kernel);
    c->kernel = mode;
    return st;
}

/* the traffic of the kernels that replace parts of this node */
static ridge_status add_kernels(ridge_cost *out, ridge_coster *c, const ridge_node *n)
{
    for (size_t i = 0; i < n->entry->fused_count; i++) {
        const ridge_cost *k;
        const ridge_node *kernel;
        ridge_status st = ridge_cost_fused(&k, &kernel, c, n, i);
        if (st)
            return st;
        if (!kernel)
            continue;
        for (int kind = 0; kind < RIDGE_BYTE_SCORES && !st; kind++)
            if (!(st = add_times(&out->reads[kind], k->reads[kind], ridge_value_int(1), &c->graph->run.calc)))
                st = add_times(&out->writes[kind], k->writes[kind], ridge_value_int(1), &c->graph->run.calc);
        for (int class = 0; class < RIDGE_FLOP_COUNT && !st && n->entry->fused[i].computes; class ++)
            st = add_times(&out->flops[class], k->flops[class], ridge_value_int(1), &c->graph->run.calc);
        if (st)
            return st;
        if ((st = raise_to(&out->peak, k->peak, &c->graph->run.calc)))
            return st;
    }
    return RIDGE_OK;
}

static bool has_traffic(const ridge_coster *c, const ridge_node *n)
{
    return c->kernel == RIDGE_KERNEL_EAGER || n->kind == RIDGE_KIND_MODULE;
}

ridge_status ridge_cost_own(ridge_cost *out, ridge_coster *c, const ridge_node *n)
{
    ridge_status st;
    ridge_cost_zero(out);
    if (!n->entry || n->skipped)
        return RIDGE_OK;
    if (n->entry->flat)
        return ridge_flat_cost(out, c, n);
    enter(c, n);
    if ((st = flops_of(out, c, &n->entry->flops)))
        return st;
    if (has_traffic(c, n) && ((st = bytes_of(out->reads, c, &n->entry->reads)) || (st = bytes_of(out->writes, c, &n->entry->writes))))
        return st;
    if (!counts_memory(c))
        return RIDGE_OK;
    st = add_activations(&out->peak, c, out->reads);
    return st ? st : add_activations(&out->peak, c, out->writes);
}

static ridge_status own_cost(ridge_cost *out, ridge_coster *c, const ridge_node *n)
{
    const ridge_entry *e = n->entry;
    ridge_status st = ridge_cost_own(out, c, n);
    if (st)
        return st;
    if (c->kernel == RIDGE_KERNEL_FUSED && (st = add_kernels(out, c, n)))
        return st;
    if (!counts_memory(c))
        return RIDGE_OK;
    enter(c, n);
    return has_traffic(c, n) && e->holds.n ? held_bytes(&out->held, c, e) : RIDGE_OK;
}

/* what a leaf with weights keeps for its weights' gradient: its input */
static void default_saved(ridge_cost *out, const ridge_node *n)
{
    if (n->kind == RIDGE_KIND_MODULE && n->child_count == 0 && n->weights.n)
        out->saved = out->reads[RIDGE_BYTE_ACTIVATIONS];
}

/* An expert whose calls depend on the workload: only what it costs without tokens too needs the condition. */
static ridge_status where_called(ridge_cost *out, const ridge_cost *part, const ridge_cost *without, ridge_value calls,
                                 const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    *out = *part;
    for (int i = 0; i < RIDGE_FLOP_COUNT && !st; i++)
        if (!ridge_value_is_zero(without->flops[i]))
            st = ridge_value_binary(&out->flops[i], RIDGE_OP_MUL, part->flops[i], calls, calc);
    for (int i = 0; i < RIDGE_BYTE_SCORES && !st; i++) {
        if (!ridge_value_is_zero(without->reads[i]))
            st = ridge_value_binary(&out->reads[i], RIDGE_OP_MUL, part->reads[i], calls, calc);
        if (!st && !ridge_value_is_zero(without->writes[i]))
            st = ridge_value_binary(&out->writes[i], RIDGE_OP_MUL, part->writes[i], calls, calc);
    }
    return st;
}

static ridge_status child_cost(const ridge_cost **out, ridge_cost *room, ridge_value *times, ridge_coster *c, const ridge_child *child)
{
    const ridge_cost *without;
    ridge_status st = ridge_cost_of(out, c, child->node);
    if (st || !child->without)
        return st;
    if ((st = ridge_cost_of(&without, c, child->without)) || (st = where_called(room, *out, without, *times, &c->graph->run.calc)))
        return st;
    *out = room;
    *times = ridge_value_int(1);
    return RIDGE_OK;
}

static const ridge_cost *without_flops(ridge_cost *room, const ridge_cost *part)
{
    *room = *part;
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        room->flops[i] = ridge_value_int(0);
    return room;
}

static ridge_status add_children(ridge_cost *out, ridge_coster *c, const ridge_node *n)
{
    const ridge_calc *calc = &c->graph->run.calc;
    for (size_t i = 0; i < n->child_count;) {
        const ridge_child *child = &n->children[i];
        const ridge_cost *part;
        ridge_cost room;
        ridge_value times = child->calls;
        ridge_status st;
        size_t next = i + 1;
        if (!child->node || ridge_value_is_zero(child->calls)) {
            i = next;
            continue;
        }
        /* equal neighbours (32 layers) in one step */
        while (next < n->child_count && n->children[next].node == child->node && ridge_value_equal(n->children[next].calls, child->calls) &&
               n->children[next].component == child->component && n->children[next].flop_class == child->flop_class)
            next++;
        if ((st = child_cost(&part, &room, &times, c, child)) ||
            (next > i + 1 && (st = ridge_value_binary(&times, RIDGE_OP_MUL, times, ridge_value_int((ridge_int)(next - i)), calc))))
            return st;
        bool dropped = c->kernel == RIDGE_KERNEL_FUSED && ridge_cost_is_replaced(n, child);
        if (dropped && ridge_cost_is_recomputed(n, child))
            part = without_flops(&room, part);
        if ((st = ridge_cost_add(out, part, times, child->flop_class, dropped, calc)))
            return st;
        if (!dropped && (st = raise_to_part(&out->peak, c, child, part)))
            return st;
        i = next;
    }
    return RIDGE_OK;
}

static ridge_status compute(ridge_cost *out, ridge_coster *c, const ridge_node *n)
{
    ridge_status st;
    ridge_cost_zero(out);
    if (n->skipped)
        return RIDGE_OK;
    if (n->entry && n->entry->flat)
        return ridge_flat_cost(out, c, n);
    if (n->entry && (st = own_cost(out, c, n)))
        return st;
    default_saved(out, n);
    if ((st = add_children(out, c, n)))
        return st;
    if ((st = add_times(&out->peak, out->held, ridge_value_int(1), &c->graph->run.calc)))
        return st;
    if (n->entry && n->entry->saved.n) {
        enter(c, n);
        return saved_bytes(out, c, n->entry);
    }
    return RIDGE_OK;
}

/* as computed, times the 0/1 indicator of the workloads for which the node runs at all */
static ridge_status compute_where_it_runs(ridge_cost *out, ridge_coster *c, const ridge_node *n)
{
    ridge_cost whole;
    ridge_status st;
    if (n->runs.type == RIDGE_V_UNSET)
        return compute(out, c, n);
    if ((st = compute(&whole, c, n)))
        return st;
    ridge_cost_zero(out);
    if ((st = add_times(&out->peak, whole.peak, n->runs, &c->graph->run.calc)) ||
        (st = add_times(&out->held, whole.held, n->runs, &c->graph->run.calc)))
        return st;
    return ridge_cost_add(out, &whole, n->runs, -1, false, &c->graph->run.calc);
}

static const ridge_cost being_computed;

ridge_status ridge_cost_of(const ridge_cost **out, ridge_coster *c, const ridge_node *n)
{
    if (n->id >= c->cap) {
        size_t old = c->cap;
        c->of = ridge_arena_grow(c->graph->arena, c->of, old, &c->cap, c->graph->node_count + 1u, sizeof *c->of);
        if (!c->of)
            return ridge_no_memory(c->graph->err);
        memset(c->of + old, 0, (c->cap - old) * sizeof *c->of);
    }
    ridge_status st = RIDGE_OK;
    if (!c->of[n->id]) {
        ridge_cost *cost = ridge_arena_alloc(c->graph->arena, sizeof *cost);
        if (!cost)
            return ridge_no_memory(c->graph->err);
        c->of[n->id] = (ridge_cost *)&being_computed; /* a formula that invokes its own entry comes here again */
        ridge_value *slots = c->graph->run.slots;     /* a formula that asked for this cost goes on in its own frame */
        const ridge_object *config = c->graph->run.config;
        const ridge_tensors *stored = c->stored;
        st = compute_where_it_runs(cost, c, n);
        c->graph->run.slots = slots;
        c->graph->run.config = config;
        c->stored = stored;
        c->of[n->id] = st ? NULL : cost;
        *out = cost;
        return st;
    }
    *out = c->of[n->id];
    return *out != &being_computed ? st : ridge_fail(c->graph->err, RIDGE_CYCLE, "the cost of %s needs itself", n->class_name);
}
