/* What a training step adds to a forward pass, and the memory of both. docs/numbers.md has the rules and their sources. */
#include "model/analysis.h"

typedef struct factors {
    /* of the forward's FLOPs: matmul, attention, all other classes; attention in halves (a fused backward is 2.5 forwards) */
    ridge_int matmul, attention_halves, other;
    ridge_int bytes;
} factors;

/* forward + 2 x forward for the matmul classes' backward (fused attention 2.5 x), + 1 x forward where activations are recomputed */
static factors factors_of(const ridge_workload *w)
{
    factors f = {.matmul = 3, .attention_halves = w->kernel == RIDGE_KERNEL_FUSED ? 7 : 6, .other = 1, .bytes = 3};
    if (w->recompute == RIDGE_RECOMPUTE_FULL) {
        f.matmul++;
        f.attention_halves += 2;
        f.other++;
        f.bytes++;
    } else if (w->recompute == RIDGE_RECOMPUTE_SELECTIVE) {
        f.attention_halves += 2;
    }
    return f;
}

static ridge_status scale(ridge_value *v, ridge_int times, ridge_int halves, const ridge_calc *calc)
{
    ridge_status st = ridge_value_binary(v, RIDGE_OP_MUL, *v, ridge_value_int(times), calc);
    return st || halves == 1 ? st : ridge_value_binary(v, RIDGE_OP_DIV, *v, ridge_value_int(halves), calc);
}

static ridge_status train_cost(ridge_cost *c, const factors *f, const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    for (int i = 0; i < RIDGE_FLOP_COUNT && !st; i++) {
        if (i == RIDGE_FLOP_ATTENTION)
            st = scale(&c->flops[i], f->attention_halves, 2, calc);
        else
            st = scale(&c->flops[i], i == RIDGE_FLOP_MATMUL ? f->matmul : f->other, 1, calc);
    }
    for (int i = 0; i < RIDGE_BYTE_SCORES && !st; i++)
        if (!(st = scale(&c->reads[i], f->bytes, 1, calc)))
            st = scale(&c->writes[i], f->bytes, 1, calc);
    return st;
}

/* bytes per parameter of gradients, and of the optimiser's own state: an fp32 master copy beside low-precision weights, Adam's two fp32
 * moments */
static void state_bytes(const ridge_analysis *a, ridge_int *gradient, ridge_int *optimizer)
{
    bool wide = ridge_rational_compare(a->coster.weights->bits, ridge_rational_of(32)) >= 0;
    *gradient = wide ? 4 : 2;
    *optimizer = 0;
    if (a->workload.optimizer == RIDGE_OPTIMIZER_NONE)
        return;
    *optimizer = (wide ? 0 : 4) + (a->workload.optimizer == RIDGE_OPTIMIZER_ADAM ? 8 : 0);
}

/* gradients are written by the backward pass and read by the optimiser, whose state is read and written once */
static ridge_status add_optimizer(ridge_analysis *a, ridge_cost *c)
{
    const ridge_calc *calc = &a->graph.run.calc;
    ridge_value *reads = &c->reads[RIDGE_BYTE_INTERMEDIATES], *writes = &c->writes[RIDGE_BYTE_INTERMEDIATES], traffic;
    ridge_int gradient, optimizer;
    ridge_status st;
    state_bytes(a, &gradient, &optimizer);
    if ((st = ridge_value_binary(&traffic, RIDGE_OP_MUL, ridge_value_int(a->parameters.total), ridge_value_int(gradient + optimizer),
                                 calc)) ||
        (st = ridge_value_binary(reads, RIDGE_OP_ADD, *reads, traffic, calc)))
        return st;
    return ridge_value_binary(writes, RIDGE_OP_ADD, *writes, traffic, calc);
}

/* the kernels of the forward pass stand for those of the whole step; the optimiser is one more, in a row of its own */
static ridge_status train_kernels(ridge_analysis *a, const factors *f)
{
    const ridge_calc *calc = &a->graph.run.calc;
    ridge_status st = RIDGE_OK;
    ridge_cost step;
    for (size_t i = 0; i < a->kernels.n && !st; i++) {
        st = train_cost(&a->kernels.p[i].cost, f, calc);
        a->kernels.p[i].launches *= f->bytes; /* as often as its operands pass */
    }
    ridge_cost_zero(&step);
    if (!st && !(st = add_optimizer(a, &step)))
        st = ridge_kernels_add(&a->rows, &a->kernels, &a->coster, "(optimizer)", ridge_optimizer_names[a->workload.optimizer], &step);
    return st;
}

ridge_status ridge_analysis_training(ridge_analysis *a)
{
    const ridge_calc *calc = &a->graph.run.calc;
    factors f = factors_of(&a->workload);
    ridge_status st = train_cost(&a->total, &f, calc);
    if (!st)
        st = add_optimizer(a, &a->total);
    for (size_t i = 0; i < a->rows.n && !st; i++)
        if (!(st = train_cost(&a->rows.p[i].cost, &f, calc)) && i == 0)
            st = add_optimizer(a, &a->rows.p[i].cost);
    if (!st && a->kernels.n)
        st = train_kernels(a, &f);
    return st;
}

/* ---- memory ---- */

typedef struct saved_memory {
    ridge_value kept;    /* over the whole forward pass */
    ridge_value largest; /* recomputed at once: the largest layer */
} saved_memory;

static ridge_status add(ridge_value *sum, ridge_value v, const ridge_calc *calc)
{
    return ridge_value_binary(sum, RIDGE_OP_ADD, *sum, v, calc);
}

static ridge_status add_saved(ridge_value *sum, const ridge_cost *c, bool scores, const ridge_calc *calc)
{
    ridge_status st = add(sum, c->saved, calc);
    return st || !scores ? st : add(sum, c->saved_scores, calc);
}

static ridge_status raise_to(ridge_value *largest, ridge_value v, const ridge_calc *calc)
{
    if (largest->type != RIDGE_V_INT || v.type != RIDGE_V_INT)
        return ridge_sym_min_max(largest, true, *largest, v, calc);
    if (v.u.i > largest->u.i)
        *largest = v;
    return RIDGE_OK;
}

/* full recomputation keeps each repeated layer's input (what it holds: the residual stream) and one layer at work */
static ridge_status checkpointed(saved_memory *m, ridge_coster *c, const ridge_node *n, bool repeated, bool scores)
{
    const ridge_calc *calc = &c->graph->run.calc;
    const ridge_cost *cost;
    ridge_status st = ridge_cost_of(&cost, c, n);
    if (st)
        return st;
    if (repeated && (cost->held.type != RIDGE_V_INT || cost->held.u.i > 0)) {
        ridge_value all = ridge_value_int(0);
        if ((st = add_saved(&all, cost, scores, calc)) || (st = add(&m->kept, cost->held, calc)))
            return st;
        return raise_to(&m->largest, all, calc);
    }
    if (n->child_count == 0 || (n->entry && n->entry->saved.n))
        return add_saved(&m->kept, cost, scores, calc);
    bool list = !n->entry && strstr(n->class_name, "ModuleList");
    for (size_t i = 0; i < n->child_count && !st; i++)
        if (n->children[i].node)
            st = checkpointed(m, c, n->children[i].node, list, scores);
    return st;
}

static ridge_status training_activations(ridge_value *out, ridge_analysis *a)
{
    const ridge_calc *calc = &a->graph.run.calc;
    bool scores = a->workload.kernel == RIDGE_KERNEL_EAGER && a->workload.recompute != RIDGE_RECOMPUTE_SELECTIVE;
    bool full = a->workload.recompute == RIDGE_RECOMPUTE_FULL;
    const ridge_cost *cost;
    saved_memory m = {ridge_value_int(0), ridge_value_int(0)};
    ridge_status st = ridge_cost_of(&cost, &a->coster, a->root);
    if (st)
        return st;
    if (full && a->graph.algebra) /* which layers are there may depend on the workload */
        return ridge_fail(a->graph.err, RIDGE_VALUE, "full recomputation has no closed form of its memory");
    if ((st = full ? checkpointed(&m, &a->coster, a->root, false, scores) : add_saved(&m.kept, cost, scores, calc)))
        return st;
    *out = cost->peak;
    st = add(out, m.kept, calc);
    return st ? st : add(out, m.largest, calc);
}

ridge_status ridge_analysis_memory_forms(ridge_memory_forms *m, ridge_analysis *a)
{
    const ridge_value none = ridge_value_int(0);
    const ridge_calc *calc = &a->graph.run.calc;
    ridge_int gradient, optimizer, weights;
    const ridge_cost *cost;
    ridge_status st;
    *m = (ridge_memory_forms){none, none, none, none, none, none};
    if ((st = ridge_graph_parameters(&weights, &a->graph, a->root, a->coster.weights, false)) ||
        (st = ridge_cost_of(&cost, &a->coster, a->root)))
        return st;
    m->weights = ridge_value_int(weights);
    m->activations_peak = cost->peak;
    if (a->workload.phase == RIDGE_PHASE_TRAIN) {
        const ridge_value parameters = ridge_value_int(a->parameters.total);
        state_bytes(a, &gradient, &optimizer);
        if ((st = ridge_value_binary(&m->gradients, RIDGE_OP_MUL, parameters, ridge_value_int(gradient), calc)) ||
            (st = ridge_value_binary(&m->optimizer, RIDGE_OP_MUL, parameters, ridge_value_int(optimizer), calc)) ||
            (st = training_activations(&m->activations_peak, a)))
            return st;
    } else if ((st = ridge_cost_cache(&m->kv_cache, &a->coster, a->root))) {
        return st;
    }
    const ridge_value parts[] = {m->weights, m->kv_cache, m->activations_peak, m->gradients, m->optimizer};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !st; i++)
        st = add(&m->total, parts[i], calc);
    return st;
}

ridge_status ridge_analysis_memory(ridge_analysis *a, ridge_err *err)
{
    ridge_memory *m = &a->memory;
    ridge_memory_forms f;
    ridge_status st = ridge_analysis_memory_forms(&f, a);
    if (st)
        return st;
    const ridge_value forms[] = {f.weights, f.kv_cache, f.activations_peak, f.gradients, f.optimizer, f.total};
    ridge_int *const numbers[] = {&m->weights, &m->kv_cache, &m->activations_peak, &m->gradients, &m->optimizer, &m->total};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!ridge_value_as_int(numbers[i], forms[i]))
            return ridge_fail(err, RIDGE_OVERFLOW, "overflow: the memory does not fit in 128 bits");
    return RIDGE_OK;
}
