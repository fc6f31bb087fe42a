/* What one device holds: its part of weights, cache, gradients and optimiser states. */
#include "graph/stored.h"
#include "model/training.h"
#include "predict/parallel/parallel.h"

/* of the busiest stage */
typedef struct sums {
    ridge_int layers, before, after; /* of one device, all stages together */
    ridge_int experts;               /* in `layers` */
    ridge_int whole;                 /* of the model */
} sums;

static ridge_int ceil_div(ridge_int a, ridge_int b)
{
    return a / b + (a % b != 0);
}

/* elements, or bytes in a format; -1: overflow */
static ridge_int measure(const ridge_node_tensor *t, const ridge_format *format)
{
    return format ? ridge_stored_bytes(t, format) : t->elements;
}

/* biases of a row-split matrix, and norms, are whole */
static bool is_split(const ridge_part *p, const ridge_node_tensor *t)
{
    return p->kind == RIDGE_PART_COLUMN || p->kind == RIDGE_PART_TABLE ||
           ((p->kind == RIDGE_PART_ROW || p->kind == RIDGE_PART_SHARE) && t->rank > 1);
}

static ridge_status add_row(sums *s, const ridge_split *split, uint32_t i, const ridge_format *format, ridge_err *err)
{
    const ridge_row *row = &split->rows->p[i];
    const ridge_part *p = &split->parts[i];
    const bool slices = row->node->experts > 0; /* this module holds all experts, and is as often on each device */
    ridge_int all = 0, mine = 0, of_experts = 0, places = p->experts && !slices ? row->count / split->parallel->expert : row->count, whole;
    for (size_t k = 0; k < row->node->weights.n; k++) {
        const ridge_node_tensor *t = &row->node->weights.p[k];
        ridge_int one = measure(t, format), scaled;
        if (one < 0 || !ridge_int_mul(&scaled, one, p->num) || !ridge_int_add(&all, all, one))
            return ridge_overflow(err, "the memory of a device");
        ridge_int part = is_split(p, t) ? ceil_div(scaled, p->den) : one;
        if (ridge_graph_holds_experts(row->node, t))
            part = ceil_div(part, split->parallel->expert);
        mine += part;
        of_experts += p->experts && (!slices || ridge_graph_holds_experts(row->node, t)) ? part : 0;
    }
    if (!ridge_int_mul(&whole, all, row->count) || !ridge_int_mul(&mine, mine, places) || !ridge_int_mul(&of_experts, of_experts, places) ||
        !ridge_int_add(&s->whole, s->whole, whole))
        return ridge_overflow(err, "the memory of a device");
    *(p->layer != RIDGE_NO_ROW ? &s->layers : p->after ? &s->after : &s->before) += mine;
    s->experts += of_experts;
    return RIDGE_OK;
}

/* exact: of the model, ties counted once */
static ridge_status device_sum(ridge_int *out, ridge_int *experts, const ridge_split *split, const ridge_format *format, ridge_int exact,
                               ridge_err *err)
{
    const int64_t stages = split->parallel->pipeline;
    ridge_status st = RIDGE_OK;
    sums s = {0};
    for (uint32_t i = 0; i < split->rows->n && !st; i++)
        if (split->rows->p[i].module)
            st = add_row(&s, split, i, format, err);
    ridge_int tied = s.whole - exact; /* negative: modules that a pass does not call */
    if (tied < 0)
        s.after -= tied;
    else if (stages == 1)
        s.after -= split->vocabulary ? tied / split->parallel->tensor : tied;
    *out = stages == 1 ? s.before + s.layers + s.after : ceil_div(s.layers, stages) + (s.before > s.after ? s.before : s.after);
    *experts = ceil_div(s.experts, stages);
    return st;
}

ridge_status ridge_split_parameters(ridge_device_parameters *out, const ridge_split *split, ridge_analysis *a, ridge_err *err)
{
    return device_sum(&out->all, &out->experts, split, NULL, a->parameters.total, err);
}

/* ---- cache ---- */

/* by heads, each device its own; a head that several devices need, and a cache for all heads, on each of them */
static ridge_status device_cache(ridge_int *out, const ridge_split *split, ridge_int exact, ridge_err *err)
{
    const int64_t n = split->parallel->tensor;
    ridge_int all = 0, mine = 0, scaled;
    for (uint32_t i = 0; i < split->rows->n; i++) {
        const ridge_part *p = &split->parts[i];
        ridge_int share = p->core && p->kv_heads ? (p->kv_heads > n ? n : p->kv_heads) : 1;
        for (size_t k = 0; split->rows->p[i].module && k < split->rows->p[i].node->cache.n; k++) {
            ridge_int elements = split->rows->p[i].node->cache.p[k].elements * split->rows->p[i].count;
            all += elements;
            mine += ceil_div(elements, share);
        }
    }
    *out = exact;
    if (all == 0)
        return RIDGE_OK;
    if (!ridge_int_mul(&scaled, exact, mine))
        return ridge_overflow(err, "the memory of a device");
    *out = ceil_div(ceil_div(scaled, all), split->parallel->pipeline);
    return RIDGE_OK;
}

/* ---- training ---- */

/* a module between a column and a row matrix, not the layer around them: its products are split */
static bool is_mlp(const ridge_split *split, uint32_t i)
{
    bool column = false, row = false;
    if (split->parts[i].block == RIDGE_NO_ROW || split->parts[i].block == i || split->parts[i].scope != RIDGE_NO_ROW)
        return false;
    for (uint32_t k = i + 1; k < split->parts[i].end; k++) {
        column = column || (split->rows->p[k].parent == i && split->parts[k].kind == RIDGE_PART_COLUMN);
        row = row || (split->rows->p[k].parent == i && split->parts[k].kind == RIDGE_PART_ROW);
    }
    return column && row;
}

static ridge_int saved_of(const ridge_split *split, uint32_t i)
{
    ridge_int bytes = 0;
    (void)ridge_value_as_int(&bytes, split->rows->p[i].cost.saved);
    return bytes;
}

/* the input that the column matrices of a module share, which every device has whole; the kernels stand for all passes of a step */
static ridge_int whole_input(const ridge_split *split, ridge_int passes, uint32_t i)
{
    for (uint32_t k = i; k < split->parts[i].end; k++) {
        const ridge_part *p = &split->parts[k];
        ridge_int bytes, calls;
        if (p->kind != RIDGE_PART_COLUMN || p->kernel == RIDGE_NO_ROW)
            continue;
        const ridge_kernel *kernel = &split->kernels->p[p->kernel];
        if (ridge_value_as_int(&bytes, kernel->cost.reads[RIDGE_BYTE_ACTIVATIONS]) && ridge_value_as_int(&calls, kernel->calls))
            return bytes / passes * calls;
    }
    return 0;
}

/* What one device keeps for the backward pass: of attention and MLPs their input whole and a share of the rest, the stream and its
 * norms whole (Korthikanti 2022, section 4.2: s b h (10 + 24 / t) of s b h 34) */
static ridge_int device_saved(const ridge_split *split, ridge_int passes, uint32_t i)
{
    const ridge_part *p = &split->parts[i];
    const ridge_int all = saved_of(split, i), n = split->parallel->tensor;
    if ((p->core && p->block != i) || is_mlp(split, i)) {
        ridge_int whole = whole_input(split, passes, i);
        whole = whole < all ? whole : all;
        return whole + ceil_div(all - whole, n);
    }
    if (p->kind == RIDGE_PART_ROW || p->kind == RIDGE_PART_SHARE)
        return ceil_div(all, n);
    ridge_int mine = 0, below = 0;
    for (uint32_t k = i + 1; k < p->end; k = split->parts[k].end)
        if (split->rows->p[k].module) {
            mine += device_saved(split, passes, k);
            below += saved_of(split, k);
        }
    return below <= all ? mine + all - below : all;
}

/* one microbatch's activations on one device, and as many of them as a stage has in flight (1F1B: at most one per stage) */
static ridge_int device_activations(const ridge_split *split, const ridge_analysis *a)
{
    const ridge_parallel *p = split->parallel;
    const int64_t flight = p->microbatches < p->pipeline ? p->microbatches : p->pipeline;
    ridge_int whole = a->memory.activations_peak, saved, mine, scores;
    if (a->workload.phase != RIDGE_PHASE_TRAIN)
        return whole;
    saved = saved_of(split, 0);
    mine = device_saved(split, ridge_training_factors_of(&a->workload).passes, 0);
    if (a->workload.recompute == RIDGE_RECOMPUTE_FULL || saved > whole)
        return ceil_div(whole * flight, p->pipeline);
    if (a->workload.kernel == RIDGE_KERNEL_EAGER && a->workload.recompute == RIDGE_RECOMPUTE_NONE &&
        ridge_value_as_int(&scores, split->rows->p[0].cost.saved_scores)) { /* kept by heads */
        saved += scores;
        mine += ceil_div(scores, p->tensor);
    }
    return whole - saved + ceil_div(mine * flight, p->pipeline);
}

/* what replicas share of `all`: of experts, which are spread over replicas already, the replicas that have the same ones */
static ridge_int shared(ridge_int all, ridge_int experts, const ridge_parallel *p)
{
    const int64_t replicas = ridge_parallel_replicas(p);
    return ceil_div(all - experts, replicas) + ceil_div(experts, replicas / p->expert);
}

static void set_states(ridge_memory *m, ridge_int gradient, ridge_int state, const ridge_device_parameters *d, ridge_int expert_weights,
                       const ridge_parallel *p)
{
    const ridge_int part = shared(d->all, d->experts, p);
    m->optimizer = state * (p->zero >= 1 ? part : d->all);
    m->gradients = gradient * (p->zero >= 2 ? part : d->all);
    if (p->zero >= 3)
        m->weights = shared(m->weights, expert_weights, p);
}

/* ---- all of it ---- */

static ridge_status of_device(ridge_memory *out, const ridge_analysis *replica, const ridge_analysis *micro, ridge_analysis *rows,
                              const ridge_parallel *parallel, ridge_err *err)
{
    const ridge_memory *m = &replica->memory;
    ridge_device_parameters d;
    ridge_split split;
    ridge_int expert_weights;
    ridge_status st;
    if ((st = ridge_split_make(&split, rows, parallel, err)) ||
        (st = device_sum(&out->weights, &expert_weights, &split, rows->coster.weights, m->weights, err)) ||
        (st = device_sum(&d.all, &d.experts, &split, NULL, replica->parameters.total, err)) ||
        (st = device_cache(&out->kv_cache, &split, m->kv_cache, err)))
        return st;
    const ridge_int all = replica->parameters.total;
    if (all > 0)
        set_states(out, m->gradients / all, m->optimizer / all, &d, expert_weights, parallel);
    out->activations_peak = device_activations(&split, micro);
    out->total = out->weights + out->kv_cache + out->activations_peak + out->gradients + out->optimizer;
    return RIDGE_OK;
}

ridge_status ridge_parallel_memory(ridge_memory *out, ridge_registry *registry, const ridge_model_request *request,
                                   const ridge_parallel *parallel, ridge_err *err)
{
    ridge_analysis *replica = NULL, *micro = NULL, *rows = NULL;
    ridge_model_request r = *request;
    int64_t batch = request->batch == RIDGE_UNSET ? 1 : request->batch;
    ridge_status st;
    *out = (ridge_memory){0};
    if ((st = ridge_parallel_batch(&batch, parallel, batch, err)))
        return st;
    r.batch = batch * parallel->microbatches;
    if ((st = ridge_analysis_exact(&replica, registry, &r, RIDGE_ROWS_NONE, err)))
        goto done;
    *out = replica->memory;
    if (!ridge_parallel_is_on(parallel))
        goto done;
    r.batch = batch;
    if (parallel->microbatches > 1 && (st = ridge_analysis_exact(&micro, registry, &r, RIDGE_ROWS_NONE, err)))
        goto done;
    r.kernel = RIDGE_KERNEL_EAGER; /* every module has a row then */
    if (!(st = ridge_analysis_kernels(&rows, registry, &r, replica, RIDGE_ROWS_FOLDED, false, err)))
        st = of_device(out, replica, micro ? micro : replica, rows, parallel, err);
done:
    ridge_analysis_free(rows);
    ridge_analysis_free(micro);
    ridge_analysis_free(replica);
    return st;
}
