/* The kernels of a model as benchmark cases: distinct products with weights, and attentions, of one pass (cases.h). */
#include <math.h>

#include "model/analysis.h"
#include "bench/cases.h"
#include "predict/experts.h"
#include "predict/plan_parts.h"

typedef struct gathering {
    ridge_bench_case *cases;
    size_t count, cap;
    const ridge_analysis *model;
    const ridge_format *weights, *kv, *activations;
    ridge_graph *graph;
    bool layer; /* only of one of the layers that repeat */
    ridge_arena *arena;
    ridge_err *err;
} gathering;

static bool same_problem(const ridge_problem *a, const ridge_problem *b)
{
    return a->kind == b->kind && a->m == b->m && a->n == b->n && a->k == b->k && a->batch == b->batch && a->seq == b->seq &&
           a->past == b->past && a->heads == b->heads && a->kv_heads == b->kv_heads && a->head_dim == b->head_dim &&
           a->causal == b->causal && a->weights == b->weights;
}

/* once per problem: counts add up, names are listed */
static ridge_status add(gathering *g, const ridge_problem *p, ridge_int calls, ridge_str path)
{
    for (size_t i = 0; i < g->count; i++)
        if (same_problem(&g->cases[i].problem, p)) {
            ridge_bench_case *c = &g->cases[i];
            c->count += calls;
            c->where = ridge_arena_printf(g->arena, "%s, %.*s", c->where, RIDGE_STR_ARG(path));
            return c->where ? RIDGE_OK : ridge_no_memory(g->err);
        }
    if (!(g->cases = ridge_arena_grow(g->arena, g->cases, g->count, &g->cap, g->count + 1, sizeof *g->cases)))
        return ridge_no_memory(g->err);
    const char *where = ridge_arena_strdup(g->arena, path);
    g->cases[g->count++] = (ridge_bench_case){*p, calls, where, RIDGE_BENCH_USUAL};
    return where ? RIDGE_OK : ridge_no_memory(g->err);
}

static ridge_problem product_of(const gathering *g, const ridge_kernel *k, int64_t rows, const plan_shape *s)
{
    return (ridge_problem){.kind = rows == 1 ? RIDGE_KERNEL_KIND_GEMV : RIDGE_KERNEL_KIND_GEMM,
                           .m = rows == 1 ? 0 : rows,
                           .n = s->n,
                           .k = s->k,
                           .weights = ridge_kernel_format(k, g->weights),
                           .activations = g->activations};
}

/* m rows of activations: the FLOPs are 2 m n k. The rows of a mixture are dealt to its experts: one product each, with its weights. */
static ridge_status add_products(gathering *g, const ridge_kernel *k, const plan_shape *s, ridge_int calls)
{
    ridge_int flops;
    ridge_experts_share shares[2];
    ridge_status st = RIDGE_OK;
    if (!ridge_value_as_int(&flops, k->cost.flops[RIDGE_FLOP_MATMUL]) || s->n < 1 || s->k < 1)
        return RIDGE_OK;
    ridge_int m = flops / 2 / s->n / s->k;
    if (m < 1 || m > INT32_MAX)
        return RIDGE_OK;
    size_t count = k->experts > 0 ? ridge_experts_split(shares, g->model, k, m, calls) : 1;
    if (k->experts <= 0)
        shares[0] = (ridge_experts_share){(int64_t)m, calls};
    for (size_t i = 0; i < count && !st; i++) {
        const ridge_problem p = product_of(g, k, shares[i].rows, s);
        st = add(g, &p, shares[i].calls, g->model->rows.p[k->row].path);
    }
    return st;
}

static bool attention_of(ridge_problem *out, const gathering *g, const plan_shape *s, ridge_value queries, ridge_value keys)
{
    ridge_int q, k;
    const ridge_workload *w = &g->model->workload;
    if (!ridge_value_as_int(&q, queries) || !ridge_value_as_int(&k, keys) || q < 1 || k < q || k > INT32_MAX)
        return false;
    *out = (ridge_problem){.kind = RIDGE_KERNEL_KIND_ATTENTION,
                           .batch = w->batch,
                           .seq = (int64_t)q,
                           .past = (int64_t)(k - q),
                           .heads = s->heads,
                           .kv_heads = s->kv_heads,
                           .head_dim = s->head_dim,
                           .causal = s->causal && w->attention == RIDGE_PAIRS_CAUSAL,
                           .weights = g->kv,
                           .activations = g->activations};
    return true;
}

/* how many layers the row is folded from; 0: it is no layer's */
static ridge_int layers_of(const ridge_rows *rows, uint32_t row)
{
    uint32_t layer = ridge_rows_layer(rows, row);
    return layer == UINT32_MAX ? 0 : rows->p[layer].count;
}

static ridge_status gather(gathering *g)
{
    const ridge_kernels *kernels = &g->model->kernels;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < kernels->n && !st; i++) {
        const ridge_kernel *k = &kernels->p[i];
        ridge_value queries = {0}, keys = {0};
        ridge_problem p;
        plan_shape shape;
        ridge_int calls;
        if ((st = ridge_plan_shape_of(&shape, &queries, &keys, g->graph, k)) || !ridge_value_as_int(&calls, k->calls))
            continue;
        ridge_int layers = g->layer ? layers_of(&g->model->rows, k->row) : 1;
        if (layers < 1)
            continue;
        if (shape.kind == SHAPE_GEMM)
            st = add_products(g, k, &shape, calls / layers);
        else if (shape.kind == SHAPE_ATTENTION && attention_of(&p, g, &shape, queries, keys))
            st = add(g, &p, calls / layers, g->model->rows.p[k->row].path);
    }
    return st;
}

ridge_status ridge_bench_model(ridge_bench_cases *out, const ridge_model_request *model, bool layer, const ridge_format *activations,
                               ridge_registry *registry, ridge_arena *arena, ridge_err *err)
{
    ridge_analysis *exact = NULL, *timed = NULL;
    gathering g = {.layer = layer, .activations = activations, .arena = arena, .err = err};
    ridge_status st = ridge_analysis_exact(&exact, registry, model, RIDGE_ROWS_NONE, err);
    if (st)
        goto done;
    if ((st = ridge_analysis_kernels(&timed, registry, model, exact, RIDGE_ROWS_FOLDED, false, err)))
        goto done;
    g.model = timed;
    g.graph = &timed->graph;
    g.weights = timed->workload.weights;
    g.kv = timed->workload.kv;
    st = gather(&g);
    *out = (ridge_bench_cases){.items = g.cases, .count = g.count, .some = true};
    for (size_t i = 0; i < exact->warnings.count && !st; i++) {
        const char *copy = ridge_arena_strdup(arena, ridge_str_of(exact->warnings.items[i]));
        st = copy ? ridge_words_add(&out->warnings, copy, arena, err) : ridge_no_memory(err);
    }
    if (!st && g.count == 0)
        st = ridge_fail(err, RIDGE_UNKNOWN, "%s: no product with weights and no attention to measure", model->model);
done:
    ridge_analysis_free(timed);
    ridge_analysis_free(exact);
    return st;
}
