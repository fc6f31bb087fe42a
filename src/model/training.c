/* What a training step adds to a forward pass, and the memory of both. docs/numbers.md has the rules and their sources. */
#include "model/training.h"

/* Full recomputation repeats the forward pass, selective recomputation that of attention alone (Korthikanti 2022, section 5). */
ridge_training_factors ridge_training_factors_of(const ridge_workload *w)
{
    ridge_training_factors f = {
        .matmul = 3, .attention_halves = w->kernel == RIDGE_KERNEL_FUSED ? 7 : 6, .other = 1, .passes = 3, .exchanges = 2};
    if (w->recompute != RIDGE_RECOMPUTE_NONE)
        f.attention_halves += 2;
    if (w->recompute == RIDGE_RECOMPUTE_FULL) {
        f.matmul++;
        f.other++;
        f.passes++;
        f.exchanges++;
    }
    return f;
}

ridge_training_state ridge_training_state_of(const ridge_workload *w)
{
    const bool wide = ridge_rational_compare(w->weights->bits, ridge_rational_of(32)) >= 0;
    ridge_training_state s = {.gradient = wide ? 4 : 2};
    if (w->optimizer != RIDGE_OPTIMIZER_NONE)
        s.optimizer = (wide ? 0 : 4) + (w->optimizer == RIDGE_OPTIMIZER_ADAM ? 8 : 0);
    return s;
}

static ridge_status scale(ridge_value *v, ridge_int times, ridge_int halves, const ridge_calc *calc)
{
    ridge_status st = ridge_value_binary(v, RIDGE_OP_MUL, *v, ridge_value_int(times), calc);
    return st || halves == 1 ? st : ridge_value_binary(v, RIDGE_OP_DIV, *v, ridge_value_int(halves), calc);
}

static ridge_status train_cost(ridge_cost *c, const ridge_training_factors *f, const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    for (int i = 0; i < RIDGE_FLOP_COUNT && !st; i++) {
        if (i == RIDGE_FLOP_ATTENTION)
            st = scale(&c->flops[i], f->attention_halves, 2, calc);
        else
            st = scale(&c->flops[i], i == RIDGE_FLOP_MATMUL ? f->matmul : f->other, 1, calc);
    }
    for (int i = 0; i < RIDGE_BYTE_SCORES && !st; i++)
        if (!(st = scale(&c->reads[i], f->passes, 1, calc)))
            st = scale(&c->writes[i], f->passes, 1, calc);
    return st;
}

/* gradients are written by the backward pass and read by the optimiser, whose state is read and written once */
static ridge_status add_optimizer(ridge_analysis *a, ridge_cost *c)
{
    const ridge_calc *calc = &a->graph.run.calc;
    ridge_value *reads = &c->reads[RIDGE_BYTE_INTERMEDIATES], *writes = &c->writes[RIDGE_BYTE_INTERMEDIATES], traffic;
    const ridge_training_state state = ridge_training_state_of(&a->workload);
    ridge_status st;
    if ((st = ridge_value_binary(&traffic, RIDGE_OP_MUL, ridge_value_int(a->parameters.total),
                                 ridge_value_int(state.gradient + state.optimizer), calc)) ||
        (st = ridge_value_binary(reads, RIDGE_OP_ADD, *reads, traffic, calc)))
        return st;
    return ridge_value_binary(writes, RIDGE_OP_ADD, *writes, traffic, calc);
}

/* the kernels of the forward pass stand for those of the whole step; the optimiser is one more, in a row of its own */
static ridge_status train_kernels(ridge_analysis *a, const ridge_training_factors *f)
{
    const ridge_calc *calc = &a->graph.run.calc;
    ridge_status st = RIDGE_OK;
    ridge_cost step;
    for (size_t i = 0; i < a->kernels.n && !st; i++) {
        st = train_cost(&a->kernels.p[i].cost, f, calc);
        a->kernels.p[i].launches *= f->passes; /* as often as its operands pass */
    }
    ridge_cost_zero(&step);
    if (!st && !(st = add_optimizer(a, &step)))
        st = ridge_kernels_add(&a->rows, &a->kernels, &a->coster, "(optimizer)", ridge_optimizer_names[a->workload.optimizer], &step);
    return st;
}

ridge_status ridge_analysis_training(ridge_analysis *a)
{
    const ridge_calc *calc = &a->graph.run.calc;
    const ridge_training_factors f = ridge_training_factors_of(&a->workload);
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
    for (size_t i = 0; i < n->child_count && !st; i++)
        if (n->children[i].node)
            st = checkpointed(m, c, n->children[i].node, n->list, scores);
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
    ridge_int weights;
    const ridge_cost *cost;
    ridge_status st;
    *m = (ridge_memory_forms){none, none, none, none, none, none};
    if ((st = ridge_graph_parameters(&weights, &a->graph, a->root, a->coster.weights, false)) ||
        (st = ridge_cost_of(&cost, &a->coster, a->root)))
        return st;
    if (a->workload.stored && a->file.gguf && (st = ridge_analysis_file_bytes(&weights, a, weights)))
        return st;
    m->weights = ridge_value_int(weights);
    m->activations_peak = cost->peak;
    if (a->workload.phase == RIDGE_PHASE_TRAIN) {
        const ridge_value parameters = ridge_value_int(a->parameters.total);
        const ridge_training_state state = ridge_training_state_of(&a->workload);
        if ((st = ridge_value_binary(&m->gradients, RIDGE_OP_MUL, parameters, ridge_value_int(state.gradient), calc)) ||
            (st = ridge_value_binary(&m->optimizer, RIDGE_OP_MUL, parameters, ridge_value_int(state.optimizer), calc)) ||
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
            return ridge_overflow(err, "the memory");
    return RIDGE_OK;
}
