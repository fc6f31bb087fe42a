/* A plan's kernels as estimates (predict/estimate.h): their shapes found in the module graph, operands cold. */
#include <math.h>

#include "predict/plan_parts.h"

/* ---- shapes ---- */

/* y = x W where the catalog gives no kernel: a convolution, whose weight is [n, k / groups, ...] */
static bool convolution_shape(plan_shape *out, const ridge_node *n)
{
    ridge_int rest = 1;
    if (!n || n->weights.n == 0 || n->weights.p[0].rank < 2)
        return false;
    const ridge_node_tensor *w = &n->weights.p[0];
    for (size_t i = 1; i < w->rank; i++)
        rest *= w->dims[i];
    *out = (plan_shape){.kind = SHAPE_GEMM, .n = (int64_t)w->dims[0], .k = (int64_t)rest};
    return out->n > 0 && out->k > 0;
}

static bool attention_shape(plan_shape *out, ridge_value *queries, ridge_value *keys, const ridge_run_step *step)
{
    *out = (plan_shape){.kind = SHAPE_ATTENTION};
    int64_t causal;
    out->causal = ridge_run_size_of(&causal, step, RIDGE_RUN_SIZE_CAUSAL) && causal == 1;
    *queries = step->sizes[RIDGE_RUN_SIZE_QUERIES];
    *keys = step->sizes[RIDGE_RUN_SIZE_KEYS];
    return ridge_run_size_of(&out->heads, step, RIDGE_RUN_SIZE_HEADS) && ridge_run_size_of(&out->kv_heads, step, RIDGE_RUN_SIZE_KV_HEADS) &&
           ridge_run_size_of(&out->head_dim, step, RIDGE_RUN_SIZE_HEAD_DIM);
}

static bool linear_shape(plan_shape *out, const ridge_run_step *step)
{
    *out = (plan_shape){.kind = SHAPE_GEMM};
    return ridge_run_size_of(&out->n, step, RIDGE_RUN_SIZE_N) && ridge_run_size_of(&out->k, step, RIDGE_RUN_SIZE_K);
}

ridge_status ridge_plan_pairs_of(ridge_value *out, const ridge_plan_options *o, bool causal_kernel, ridge_value queries, ridge_value keys)
{
    ridge_value causal = ridge_value_bool(false);
    ridge_status st = o->causal && causal_kernel ? ridge_value_binary(&causal, RIDGE_OP_GE, keys, queries, &o->graph->run.calc) : RIDGE_OK;
    return st ? st : ridge_attention_pairs(out, o->graph, queries, keys, causal, 0);
}

ridge_status ridge_plan_shape_of(plan_shape *out, ridge_value *queries, ridge_value *keys, ridge_graph *g, const ridge_kernel *k)
{
    const ridge_value products = k->cost.flops[RIDGE_FLOP_MATMUL];
    ridge_run_step steps[RIDGE_RUN_STEPS];
    size_t count;
    ridge_status st = ridge_node_runs(steps, &count, g, k->node);
    if (st)
        return st;
    if (count == 1 && steps[0].what == RIDGE_RUNNABLE_ATTENTION && attention_shape(out, queries, keys, &steps[0]))
        return RIDGE_OK;
    const bool multiplies = !(products.type == RIDGE_V_INT && products.u.i == 0);
    const bool linear = count == 1 && steps[0].what == RIDGE_RUNNABLE_LINEAR;
    if (!multiplies || !(linear ? linear_shape(out, &steps[0]) : convolution_shape(out, k->node)))
        *out = (plan_shape){.kind = SHAPE_STREAM};
    return RIDGE_OK;
}

/* ---- one lane ---- */

typedef struct lane {
    const ridge_plan *plan;
    const plan_kernel *kernel;
    double flops[3]; /* MATMUL, ATTENTION, VECTOR */
    double weights, read, written;
    double queries, keys, pairs;
    double products; /* GEMMs of equal shape: experts */
} lane;

static bool computes_in(const ridge_format *format, ridge_precision precision)
{
    return ridge_precision_find(ridge_str_of(format->compute)) == precision;
}

static int64_t whole(double x)
{
    return x < 1 ? 1 : x > 0x1p40 ? (int64_t)1 << 40 : (int64_t)ceil(x);
}

/* What comes before a product in fp8: the other kernels of a model have their results in 16 bits. A grouped product's rows are cast
 * together. */
static ridge_status add_cast(ridge_estimate *out, const lane *l, const ridge_gemm *g)
{
    const ridge_cast_kernel cast = {.rows = whole((double)g->m * (l->plan->grouped ? l->products : 1)),
                                    .columns = g->k,
                                    .from = ridge_format_find(RIDGE_STR("bf16")),
                                    .to = g->a};
    ridge_estimate e;
    if (out->at.used != RIDGE_PRECISION_FP8 || !computes_in(g->a, RIDGE_PRECISION_FP8))
        return RIDGE_OK;
    ridge_status st = ridge_estimate_cast(&e, l->plan->machine, &cast, NULL);
    out->latency_s += st ? 0 : e.time_s;
    return st;
}

static ridge_status of_gemm(ridge_estimate *out, const lane *l)
{
    const plan_shape *s = &l->kernel->shape;
    const ridge_plan_split *part = &l->kernel->split;
    ridge_gemm g = {.n = part->rows ? s->n : whole((double)s->n * part->compute),
                    .k = part->rows ? whole((double)s->k * part->compute) : s->k,
                    .m = whole(l->flops[MATMUL] / l->products / (2.0 * (double)s->n * (double)s->k)),
                    .a = l->plan->activations_format,
                    .w = l->kernel->weights,
                    .c = l->plan->activations_format};
    ridge_status st = ridge_estimate_gemm(out, l->plan->machine, &g, NULL);
    out->compute_s *= l->products;
    out->memory_s *= l->products;
    return st ? st : add_cast(out, l, &g);
}

static ridge_status of_attention(ridge_estimate *out, const lane *l)
{
    const plan_shape *s = &l->kernel->shape;
    double of_one = 4 * (double)s->heads * (double)s->head_dim * l->pairs; /* FLOPs of a sequence */
    ridge_attention_work a = {.batch = whole(nearbyint(l->flops[ATTENTION] / of_one)),
                              .seq = whole(l->queries),
                              .past = l->keys > l->queries ? (int64_t)(l->keys - l->queries) : 0,
                              .heads = whole((double)s->heads / l->kernel->shared),
                              .kv_heads = whole((double)s->kv_heads / l->kernel->shared),
                              .head_dim = s->head_dim,
                              .causal = l->plan->causal && s->causal && l->keys >= l->queries,
                              .pairs = l->pairs,
                              .q = l->plan->activations_format,
                              .kv = l->plan->kv};
    return ridge_estimate_attention(out, l->plan->machine, &a, NULL);
}

static ridge_status of_stream(ridge_estimate *out, const lane *l)
{
    ridge_stream_kernel s = {.read_bytes = l->read, .written_bytes = l->written, .flops = l->flops[VECTOR] / l->kernel->shared};
    return ridge_estimate_stream(out, l->plan->machine, &s, NULL);
}

static ridge_status estimate(ridge_estimate *out, const lane *l)
{
    switch (l->kernel->shape.kind) {
    case SHAPE_GEMM:
        return of_gemm(out, l);
    case SHAPE_ATTENTION:
        return of_attention(out, l);
    default:
        return of_stream(out, l);
    }
}

static bool recall(ridge_estimate *out, plan_memo *memo, const lane *l)
{
    const double key[PLAN_MEMO_KEY] = {l->flops[MATMUL], l->flops[ATTENTION], l->flops[VECTOR], l->weights, l->read,
                                       l->written,       l->queries,          l->keys,          l->products};
    if (memo->known && memcmp(key, memo->key, sizeof key) == 0) {
        *out = memo->estimate;
        return true;
    }
    if (estimate(out, l))
        return false;
    memcpy(memo->key, key, sizeof key);
    memo->estimate = *out;
    return memo->known = true;
}

/* the bound stays a lower limit: an estimate knows the kernel's shape, the bound every byte of it */
static void raise(lanes *l, int i, const ridge_estimate *e, const ridge_plan *p)
{
    l->compute_s[i] = e->compute_s > l->compute_s[i] ? e->compute_s : l->compute_s[i];
    l->memory_s[i] = e->memory_s > l->memory_s[i] ? e->memory_s : l->memory_s[i];
    l->waits_s[i] = e->latency_s * l->launches[i];
    if (!p->launch_given)
        l->launch_s[i] = e->kernel_s * l->launches[i];
}

void ridge_plan_estimate(lanes *l, const ridge_plan *p, ridge_plan_room *room, const plan_kernel *k)
{
    const double *q[QUANTITIES];
    plan_memo *memo = &room->memo[k - p->kernels];
    if (k->launches <= 0)
        return; /* runs inside a neighbour */
    for (int i = 0; i < QUANTITIES; i++)
        q[i] = ridge_plan_quantity(p, room, k, (quantity)i);
    for (int i = 0; i < RIDGE_LANES; i++) {
        if (l->launches[i] <= 0)
            continue; /* not at this point */
        double activations = q[ACTIVATIONS][i] * k->split.activations, kv = q[KV][i] * k->split.kv,
               weights = l->weights[i] * k->split.weights;
        lane one = {.plan = p,
                    .kernel = k,
                    .flops = {q[MATMUL][i], q[ATTENTION][i], q[VECTOR][i]},
                    .weights = weights,
                    .written = q[WRITTEN][i] * k->split.activations,
                    .queries = q[QUERIES][i],
                    .keys = q[KEYS][i],
                    .pairs = q[PAIRS][i],
                    .products = 1};
        ridge_estimate e;
        one.read = activations + kv + weights - one.written;
        if (k->experts > 0)
            one.products = ridge_plan_reached(p, room, k, i) / k->split.tokens;
        if (recall(&e, memo, &one))
            raise(l, i, &e, p);
    }
}
