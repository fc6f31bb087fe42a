/* What a training step adds to a forward pass, and the memory of both. docs/numbers.md has the rules and their sources. */
#include "app/analysis.h"

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
    return st;
}

/* ---- memory ---- */

typedef struct saved_memory {
    ridge_int kept;    /* over the whole forward pass */
    ridge_int largest; /* recomputed at once: the largest layer */
} saved_memory;

static ridge_int saved_of(const ridge_cost *c, bool scores)
{
    ridge_int a = 0, b = 0;
    ridge_value_as_int(&a, c->saved);
    ridge_value_as_int(&b, c->saved_scores);
    return a + (scores ? b : 0);
}

/* full recomputation keeps each repeated layer's input (what it holds: the residual stream) and one layer at work */
static ridge_status checkpointed(saved_memory *m, ridge_coster *c, const ridge_node *n, bool repeated, bool scores)
{
    const ridge_cost *cost;
    ridge_status st = ridge_cost_of(&cost, c, n);
    if (st)
        return st;
    if (repeated && cost->held > 0) {
        ridge_int all = saved_of(cost, scores);
        m->kept += cost->held;
        m->largest = all > m->largest ? all : m->largest;
        return RIDGE_OK;
    }
    if (n->child_count == 0 || (n->entry && n->entry->saved.n)) {
        m->kept += saved_of(cost, scores);
        return RIDGE_OK;
    }
    bool list = !n->entry && strstr(n->class_name, "ModuleList");
    for (size_t i = 0; i < n->child_count && !st; i++)
        if (n->children[i].node)
            st = checkpointed(m, c, n->children[i].node, list, scores);
    return st;
}

static ridge_status training_activations(ridge_int *out, ridge_analysis *a)
{
    bool scores = a->workload.kernel == RIDGE_KERNEL_EAGER && a->workload.recompute != RIDGE_RECOMPUTE_SELECTIVE;
    const ridge_cost *cost;
    saved_memory m = {0, 0};
    ridge_status st = ridge_cost_of(&cost, &a->coster, a->root);
    if (st)
        return st;
    if (a->workload.recompute == RIDGE_RECOMPUTE_FULL)
        st = checkpointed(&m, &a->coster, a->root, false, scores);
    else
        m.kept = saved_of(cost, scores);
    *out = m.kept + m.largest + cost->peak;
    return st;
}

ridge_status ridge_analysis_memory(ridge_analysis *a, ridge_err *err)
{
    ridge_memory *m = &a->memory;
    ridge_int gradient, optimizer;
    bool train = a->workload.phase == RIDGE_PHASE_TRAIN;
    ridge_status st = ridge_graph_parameters(&m->weights, &a->graph, a->root, a->coster.weights, false);
    const ridge_cost *cost;
    if (st || (st = ridge_cost_of(&cost, &a->coster, a->root)))
        return st;
    m->activations_peak = cost->peak;
    if (!train && (st = ridge_cost_cache(&m->kv_cache, &a->coster, a->root)))
        return st;
    if (train) {
        state_bytes(a, &gradient, &optimizer);
        if (!ridge_int_mul(&m->gradients, a->parameters.total, gradient) || !ridge_int_mul(&m->optimizer, a->parameters.total, optimizer))
            return ridge_fail(err, RIDGE_OVERFLOW, "overflow: the training memory does not fit in 128 bits");
        if ((st = training_activations(&m->activations_peak, a)))
            return st;
    }
    const ridge_int parts[] = {m->weights, m->kv_cache, m->activations_peak, m->gradients, m->optimizer};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!ridge_int_add(&m->total, m->total, parts[i]))
            return ridge_fail(err, RIDGE_OVERFLOW, "overflow: the memory does not fit in 128 bits");
    return RIDGE_OK;
}
