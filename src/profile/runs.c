/* The catalog's steps as problems (runs.h): one function for each kind of step. */
#include "profile/runs.h"

typedef struct converting {
    const ridge_profile *p;
    int64_t batch; /* that the sizes are of */
    const ridge_run_step *step;
    ridge_problem *out;
    unsigned *repeat;
} converting;

/* the size as it stands, 0 included; -1: not given, symbolic or too large */
static int64_t number(const ridge_run_step *step, ridge_run_size size)
{
    ridge_int v;
    return ridge_value_as_int(&v, step->sizes[size]) && v >= 0 && v <= INT32_MAX ? (int64_t)v : -1;
}

static bool linear(const converting *c)
{
    int64_t rows, n, k;
    if (!ridge_run_size_of(&rows, c->step, RIDGE_RUN_SIZE_ROWS) || !ridge_run_size_of(&n, c->step, RIDGE_RUN_SIZE_N) ||
        !ridge_run_size_of(&k, c->step, RIDGE_RUN_SIZE_K))
        return false;
    *c->out = ridge_profile_product(c->p, rows, n, k, c->p->request.weights);
    return true;
}

/* Values as long as keys; a window is no kernel's, but decode has cut the keys to it already. */
static bool attention(const converting *c)
{
    const ridge_profile_request *q = &c->p->request;
    int64_t heads, kv_heads, queries, keys, head_dim, value_dim, window = number(c->step, RIDGE_RUN_SIZE_WINDOW);
    if (!ridge_run_size_of(&heads, c->step, RIDGE_RUN_SIZE_HEADS) || !ridge_run_size_of(&kv_heads, c->step, RIDGE_RUN_SIZE_KV_HEADS) ||
        !ridge_run_size_of(&queries, c->step, RIDGE_RUN_SIZE_QUERIES) || !ridge_run_size_of(&keys, c->step, RIDGE_RUN_SIZE_KEYS) ||
        !ridge_run_size_of(&head_dim, c->step, RIDGE_RUN_SIZE_HEAD_DIM))
        return false;
    if (keys < queries || (ridge_run_size_of(&value_dim, c->step, RIDGE_RUN_SIZE_VALUE_DIM) && value_dim != head_dim) ||
        (window > 0 && window < keys && queries > 1))
        return false;
    *c->out = (ridge_problem){.kind = RIDGE_KERNEL_KIND_ATTENTION,
                              .batch = c->batch,
                              .seq = queries,
                              .past = keys - queries,
                              .heads = heads,
                              .kv_heads = kv_heads,
                              .head_dim = head_dim,
                              .causal = number(c->step, RIDGE_RUN_SIZE_CAUSAL) != 0,
                              .weights = q->activations,
                              .activations = q->activations};
    return true;
}

static bool norm(const converting *c)
{
    ridge_kernel_kind kind = c->step->what == RIDGE_RUNNABLE_RMSNORM ? RIDGE_KERNEL_KIND_RMSNORM : RIDGE_KERNEL_KIND_LAYERNORM;
    int64_t rows, cols;
    if (!ridge_run_size_of(&rows, c->step, RIDGE_RUN_SIZE_ROWS) || !ridge_run_size_of(&cols, c->step, RIDGE_RUN_SIZE_COLS))
        return false;
    *c->out = ridge_profile_table(c->p, kind, rows, cols);
    return true;
}

/* a gather copies rows: in a weight-only format the table stands in the activations' */
static bool embedding(const converting *c)
{
    const ridge_profile_request *q = &c->p->request;
    int64_t rows, n, cols;
    if (!ridge_run_size_of(&rows, c->step, RIDGE_RUN_SIZE_ROWS) || !ridge_run_size_of(&n, c->step, RIDGE_RUN_SIZE_N) ||
        !ridge_run_size_of(&cols, c->step, RIDGE_RUN_SIZE_COLS))
        return false;
    *c->out = ridge_profile_table(c->p, RIDGE_KERNEL_KIND_EMBEDDING, rows, cols);
    c->out->n = n;
    c->out->weights = ridge_format_is_weight_only(q->weights) ? q->activations : q->weights;
    return true;
}

/* pairs are turned: as many rows of heads as there are tokens */
static bool rope(const converting *c)
{
    const ridge_profile_request *q = &c->p->request;
    int64_t rows, heads, head_dim;
    if (!ridge_run_size_of(&rows, c->step, RIDGE_RUN_SIZE_ROWS) || !ridge_run_size_of(&heads, c->step, RIDGE_RUN_SIZE_HEADS) ||
        !ridge_run_size_of(&head_dim, c->step, RIDGE_RUN_SIZE_HEAD_DIM) || head_dim % 2 != 0)
        return false;
    *c->out = (ridge_problem){.kind = RIDGE_KERNEL_KIND_ROPE,
                              .rows = rows,
                              .past = q->past,
                              .heads = heads,
                              .head_dim = head_dim,
                              .weights = q->activations,
                              .activations = q->activations};
    return true;
}

/* so many elements, over the tokens of the pass */
static bool elements(const converting *c)
{
    static const ridge_kernel_kind kinds[RIDGE_RUNNABLE_COUNT] = {
        [RIDGE_RUNNABLE_SILU] = RIDGE_KERNEL_KIND_SILU,
        [RIDGE_RUNNABLE_GELU] = RIDGE_KERNEL_KIND_GELU,
        [RIDGE_RUNNABLE_ADD] = RIDGE_KERNEL_KIND_ADD,
    };
    int64_t count, tokens = c->p->request.batch * c->p->request.seq;
    if (!ridge_run_size_of(&count, c->step, RIDGE_RUN_SIZE_ELEMENTS))
        return false;
    *c->out = ridge_profile_table(c->p, kinds[c->step->what], tokens, count > tokens ? count / tokens : 1);
    return true;
}

/* one sequence after the other */
static bool wkv(const converting *c)
{
    const ridge_profile_request *q = &c->p->request;
    int64_t rows, cols;
    if (!ridge_run_size_of(&rows, c->step, RIDGE_RUN_SIZE_ROWS) || !ridge_run_size_of(&cols, c->step, RIDGE_RUN_SIZE_COLS) ||
        rows % c->batch != 0)
        return false;
    *c->out = (ridge_problem){
        .kind = RIDGE_KERNEL_KIND_WKV, .seq = rows / c->batch, .cols = cols, .weights = q->activations, .activations = q->activations};
    *c->repeat = (unsigned)c->batch;
    return true;
}

/* by what the catalog calls it */
static const struct {
    bool (*convert)(const converting *c); /* false: no kernel here takes these sizes */
    ridge_profile_role role;
} runnables[RIDGE_RUNNABLE_COUNT] = {
    [RIDGE_RUNNABLE_LINEAR] = {linear, RIDGE_PROFILE_WEIGHTS},     [RIDGE_RUNNABLE_ATTENTION] = {attention, RIDGE_PROFILE_CORE},
    [RIDGE_RUNNABLE_RMSNORM] = {norm, RIDGE_PROFILE_SMALL},        [RIDGE_RUNNABLE_LAYERNORM] = {norm, RIDGE_PROFILE_SMALL},
    [RIDGE_RUNNABLE_EMBEDDING] = {embedding, RIDGE_PROFILE_SMALL}, [RIDGE_RUNNABLE_ROPE] = {rope, RIDGE_PROFILE_SMALL},
    [RIDGE_RUNNABLE_SILU] = {elements, RIDGE_PROFILE_SMALL},       [RIDGE_RUNNABLE_GELU] = {elements, RIDGE_PROFILE_SMALL},
    [RIDGE_RUNNABLE_ADD] = {elements, RIDGE_PROFILE_SMALL},        [RIDGE_RUNNABLE_WKV] = {wkv, RIDGE_PROFILE_CORE},
};

ridge_status ridge_profile_runs_of(ridge_profile_runs *out, const ridge_profile *p, ridge_analysis *a, const ridge_kernel *kernel)
{
    ridge_run_step steps[RIDGE_RUN_STEPS];
    size_t count;
    ridge_status st = ridge_kernel_runs(steps, &count, &a->graph, &a->rows, kernel);
    *out = (ridge_profile_runs){.count = 0};
    for (size_t i = 0; i < count && !st; i++) {
        ridge_profile_run_step *s = &out->steps[i];
        *s = (ridge_profile_run_step){.what = steps[i].what, .role = runnables[steps[i].what].role, .repeat = 1};
        const converting c = {p, a->workload.batch, &steps[i], &s->problem, &s->repeat};
        if (!runnables[steps[i].what].convert(&c))
            return RIDGE_OK;
    }
    out->count = st ? 0 : count;
    return st;
}
