/* The decoder layer that all frameworks run: RMSNorm, Q, K, V, RoPE, causal attention over the cache, O, residual, RMSNorm, MLP with a SiLU
 * gate, residual; no biases. What runs in it, what it costs, whether a model's layer is this one (task.h). */
#include "frameworks/task.h"

#include "predict/predict.h"

/* ---- its kernels ---- */

static ridge_problem product(const ridge_format *f, int64_t rows, int64_t n, int64_t k)
{
    return (ridge_problem){.kind = rows == 1 ? RIDGE_KERNEL_KIND_GEMV : RIDGE_KERNEL_KIND_GEMM,
                           .m = rows == 1 ? 0 : rows,
                           .n = n,
                           .k = k,
                           .weights = f,
                           .activations = f};
}

static ridge_problem table(const ridge_format *f, ridge_kernel_kind kind, int64_t rows, int64_t cols)
{
    return (ridge_problem){.kind = kind, .rows = rows, .cols = cols, .weights = f, .activations = f};
}

static ridge_problem rope(const ridge_format *f, const ridge_problem *p, int64_t heads)
{
    return (ridge_problem){.kind = RIDGE_KERNEL_KIND_ROPE,
                           .rows = p->batch * p->seq,
                           .past = p->past,
                           .heads = heads,
                           .head_dim = p->head_dim,
                           .weights = f,
                           .activations = f};
}

size_t ridge_framework_layer_problems(ridge_problem out[RIDGE_LAYER_PROBLEMS], const ridge_framework_task *t, const ridge_format *f)
{
    const ridge_problem *p = &t->problem;
    const int64_t rows = p->batch * p->seq, h = t->hidden, i = t->intermediate, q = p->heads * p->head_dim, kv = p->kv_heads * p->head_dim;
    size_t n = 0;
    out[n++] = table(f, RIDGE_KERNEL_KIND_RMSNORM, rows, h);
    out[n++] = product(f, rows, q, h);
    out[n++] = product(f, rows, kv, h);
    out[n++] = product(f, rows, kv, h);
    out[n++] = rope(f, p, p->heads);
    out[n++] = rope(f, p, p->kv_heads);
    out[n] = *p;
    out[n].weights = out[n].activations = f;
    n++;
    out[n++] = product(f, rows, h, q);
    out[n++] = table(f, RIDGE_KERNEL_KIND_ADD, rows, h);
    out[n++] = table(f, RIDGE_KERNEL_KIND_RMSNORM, rows, h);
    out[n++] = product(f, rows, i, h);
    out[n++] = product(f, rows, i, h);
    out[n++] = table(f, RIDGE_KERNEL_KIND_SILU, rows, i);
    out[n++] = table(f, RIDGE_KERNEL_KIND_ADD, rows, i); /* gate times up: as many operations as a sum has */
    out[n++] = product(f, rows, h, i);
    out[n++] = table(f, RIDGE_KERNEL_KIND_ADD, rows, h);
    return n;
}

/* ---- what it costs ---- */

/* every operand once, what passes between its kernels not at all: nobody can move less */
static ridge_int least_bytes(const ridge_framework_task *t, const ridge_format *f)
{
    ridge_int elements = (ridge_int)t->output_rows * t->output_cols;
    const ridge_problem *p = &t->problem;
    for (size_t i = 0; i < t->tensor_count; i++)
        elements += (ridge_int)t->tensors[i].rows * t->tensors[i].cols;
    elements += 2 * (ridge_int)p->batch * p->seq * p->kv_heads * p->head_dim; /* new keys and values */
    return elements * (f->block_bits / 8) / f->block_elements;
}

/* arithmetic: the sum of its kernels'; memory: all bytes from the innermost level that holds them */
static ridge_status layer_cost(ridge_framework_cost *out, const ridge_framework_task *t, const ridge_format *f, const ridge_machine *m,
                               ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    ridge_problem problems[RIDGE_LAYER_PROBLEMS];
    const ridge_machine_level *level;
    const size_t n = ridge_framework_layer_problems(problems, t, f);
    double bytes_per_s;
    *out = (ridge_framework_cost){.bytes = least_bytes(t, f)};
    for (size_t i = 0; i < n; i++) {
        ridge_bench_cost cost;
        ridge_status st = ridge_bench_cost_of(&cost, &problems[i], ops, arena, err);
        if (st)
            return st;
        const ridge_bench_least least = ridge_bench_least_of(&cost, m, 0, false);
        out->flops += cost.record.flops.total;
        out->least.compute_s += least.sides.compute_s > 0 ? least.sides.compute_s : 0;
    }
    const double bytes = ridge_rational_double(ridge_rational_of(out->bytes));
    ridge_bandwidth_find(&bytes_per_s, &level, m, bytes);
    out->least.memory_s = bytes_per_s > 0 ? bytes / bytes_per_s : RIDGE_MEASURE_UNKNOWN;
    return RIDGE_OK;
}

ridge_status ridge_framework_cost_of(ridge_framework_cost *out, const ridge_framework_task *t, const ridge_format *f,
                                     const ridge_machine *m, ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    ridge_bench_cost cost;
    ridge_problem p = t->problem;
    if (t->what == RIDGE_FRAMEWORK_LAYER)
        return layer_cost(out, t, f, m, ops, arena, err);
    p.weights = p.activations = f;
    ridge_status st = ridge_bench_cost_of(&cost, &p, ops, arena, err);
    if (!st)
        *out = (ridge_framework_cost){cost.record.flops.total, cost.record.bytes, ridge_bench_least_of(&cost, m, 0, false).sides};
    return st;
}

/* ---- a model's layer ---- */

/* what was found in it */
typedef struct found {
    unsigned kinds[RIDGE_RUNNABLE_COUNT];
    int64_t linears[16][2]; /* n, k */
    size_t linear_count;
    int64_t heads, kv_heads, head_dim;
    bool causal;
    int64_t window;      /* 0: none */
    const char *foreign; /* a row that nothing here runs; NULL */
} found;

static bool mixes_tokens(ridge_role role)
{
    return role == RIDGE_ROLE_ATTENTION || role == RIDGE_ROLE_MIXER;
}

/* the layer that there are most of, around attention; UINT32_MAX: there is none. As `ridge profile layer` takes it. */
static uint32_t find_layer(const ridge_rows *rows)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < rows->n; i++) {
        uint32_t layer = mixes_tokens(rows->p[i].role) ? ridge_rows_layer(rows, i) : UINT32_MAX;
        for (uint32_t at = i; layer == UINT32_MAX && mixes_tokens(rows->p[i].role) && at != UINT32_MAX; at = rows->p[at].parent)
            if (rows->p[at].element)
                layer = at;
        if (layer != UINT32_MAX && (best == UINT32_MAX || rows->p[layer].count > rows->p[best].count))
            best = layer;
    }
    return best;
}

static bool is_in(const ridge_rows *rows, uint32_t row, uint32_t above)
{
    while (row != UINT32_MAX && row != above)
        row = rows->p[row].parent;
    return row == above;
}

static void take_step(found *f, const ridge_run_step *step)
{
    f->kinds[step->what]++;
    if (step->what == RIDGE_RUNNABLE_LINEAR && f->linear_count < 16) {
        int64_t *pair = f->linears[f->linear_count++];
        if (!ridge_run_size_of(&pair[0], step, RIDGE_RUN_SIZE_N) || !ridge_run_size_of(&pair[1], step, RIDGE_RUN_SIZE_K))
            pair[0] = pair[1] = 0;
    } else if (step->what == RIDGE_RUNNABLE_ATTENTION) {
        int64_t causal;
        if (!ridge_run_size_of(&f->heads, step, RIDGE_RUN_SIZE_HEADS) || !ridge_run_size_of(&f->kv_heads, step, RIDGE_RUN_SIZE_KV_HEADS) ||
            !ridge_run_size_of(&f->head_dim, step, RIDGE_RUN_SIZE_HEAD_DIM))
            f->heads = 0;
        if (!ridge_run_size_of(&f->window, step, RIDGE_RUN_SIZE_WINDOW))
            f->window = 0;
        f->causal = ridge_run_size_of(&causal, step, RIDGE_RUN_SIZE_CAUSAL) && causal != 0;
    }
}

static ridge_status take_kernels(found *f, ridge_analysis *a, uint32_t layer, ridge_arena *arena, ridge_err *err)
{
    for (size_t i = 0; i < a->kernels.n; i++) {
        const ridge_kernel *k = &a->kernels.p[i];
        ridge_run_step steps[RIDGE_RUN_STEPS];
        size_t count;
        if (k->launches == 0 || !is_in(&a->rows, k->row, layer))
            continue;
        ridge_status st = ridge_kernel_runs(steps, &count, &a->graph, &a->rows, k);
        if (st)
            return st;
        for (size_t s = 0; s < count; s++)
            take_step(f, &steps[s]);
        if (count == 0 || k->experts != 0)
            f->foreign = ridge_arena_strdup(arena, a->rows.p[k->row].path);
        if (f->foreign == NULL && arena->failed)
            return ridge_no_memory(err);
    }
    return RIDGE_OK;
}

/* takes one product of these sizes out of those that were found */
static bool take_product(found *f, int64_t n, int64_t k)
{
    for (size_t i = 0; i < f->linear_count; i++)
        if (f->linears[i][0] == n && f->linears[i][1] == k) {
            memcpy(f->linears[i], f->linears[--f->linear_count], sizeof f->linears[i]);
            return true;
        }
    return false;
}

/* what stands in the way of the layer being ours; NULL: nothing */
static const char *difference(ridge_framework_task *t, found *f)
{
    const int64_t q = f->heads * f->head_dim, kv = f->kv_heads * f->head_dim;
    if (f->kinds[RIDGE_RUNNABLE_ATTENTION] != 1 || f->heads < 1)
        return "its attention is another";
    if (!f->causal && t->problem.seq > 1)
        return "its attention is not causal";
    if (f->window > 0 && f->window < t->problem.past + t->problem.seq)
        return "its attention sees a window that is shorter than the context";
    if (f->kinds[RIDGE_RUNNABLE_RMSNORM] != 2 || f->kinds[RIDGE_RUNNABLE_LAYERNORM] != 0)
        return "its norms are others than two RMSNorms";
    if (f->kinds[RIDGE_RUNNABLE_SILU] != 1 || f->kinds[RIDGE_RUNNABLE_GELU] != 0)
        return "its activation is not one SiLU";
    if (f->kinds[RIDGE_RUNNABLE_ROPE] == 0 || f->head_dim % 2 != 0)
        return "it has no rotary positions";
    if (f->linear_count != 7)
        return "it has other products than Q, K, V, O, gate, up and down";
    t->hidden = f->linears[0][1];
    for (size_t i = 0; i < f->linear_count; i++)
        if (f->linears[i][0] == t->hidden && f->linears[i][1] != q)
            t->intermediate = f->linears[i][1];
    if (t->intermediate == 0)
        t->intermediate = q;
    if (!take_product(f, q, t->hidden) || !take_product(f, kv, t->hidden) || !take_product(f, kv, t->hidden) ||
        !take_product(f, t->hidden, q) || !take_product(f, t->intermediate, t->hidden) || !take_product(f, t->intermediate, t->hidden) ||
        !take_product(f, t->hidden, t->intermediate))
        return "its products have other sizes";
    return NULL;
}

static void set_workload(ridge_model_request *m, const ridge_bench_request *r)
{
    m->model = r->model ? r->model : r->kind;
    m->phase = r->phase;
    m->batch = r->sizes[RIDGE_BENCH_batch] > 0 ? r->sizes[RIDGE_BENCH_batch] : 1;
    m->seq = r->sizes[RIDGE_BENCH_seq] > 0 ? r->sizes[RIDGE_BENCH_seq] : r->phase == RIDGE_PHASE_DECODE ? 1 : 512;
    m->past = r->sizes[RIDGE_BENCH_past] > 0 ? r->sizes[RIDGE_BENCH_past] : r->phase == RIDGE_PHASE_DECODE ? 512 : RIDGE_UNSET;
    m->weights = m->activations = ridge_format_find(ridge_str_of("fp32"));
}

/* does the catalog's layer read as many weights as ours? */
static bool same_parameters(const ridge_analysis *a, uint32_t layer, const ridge_framework_task *t)
{
    const ridge_row *row = &a->rows.p[layer];
    ridge_int mine = 0, reads = 0; /* bytes of weights as fp32, which all formats of this analysis are */
    for (size_t i = 0; i < t->tensor_count; i++)
        if (t->tensors[i].name >= RIDGE_TENSOR_NORM1)
            mine += (ridge_int)t->tensors[i].rows * t->tensors[i].cols;
    return ridge_value_as_int(&reads, row->cost.reads[RIDGE_BYTE_WEIGHTS]) && reads == 4 * mine * row->calls;
}

static ridge_status read_layer(ridge_framework_task *t, int64_t *layers, ridge_analysis *a, const ridge_model_request *m,
                               ridge_arena *arena, ridge_err *err)
{
    const uint32_t layer = find_layer(&a->rows);
    found f = {.causal = false};
    if (layer == UINT32_MAX)
        return ridge_fail(err, RIDGE_UNKNOWN, "%s has no layers with attention", a->architecture);
    ridge_status st = take_kernels(&f, a, layer, arena, err);
    if (st)
        return st;
    t->problem = (ridge_problem){.kind = RIDGE_KERNEL_KIND_ATTENTION,
                                 .batch = m->batch,
                                 .seq = m->seq,
                                 .past = m->past > 0 ? m->past : 0,
                                 .heads = f.heads,
                                 .kv_heads = f.kv_heads,
                                 .head_dim = f.head_dim,
                                 .causal = true};
    const char *other = f.foreign ? NULL : difference(t, &f);
    if (!f.foreign && !other && !(st = ridge_framework_task_tensors(t, err)) && !same_parameters(a, layer, t))
        other = "it has more weights than theirs, as biases";
    *layers = (int64_t)a->rows.p[layer].count;
    if (st || (!f.foreign && !other))
        return st;
    return ridge_fail(err, RIDGE_UNKNOWN,
                      "a layer of %s is not the one that runs in all frameworks here (two RMSNorms, Q K V O, RoPE, a SiLU-gated MLP, no "
                      "biases): %s%s",
                      a->architecture, f.foreign ? "no single kernel runs " : other, f.foreign ? f.foreign : "");
}

ridge_status ridge_framework_task_model(ridge_framework_task *t, int64_t *layers, const ridge_frameworks_request *q,
                                        ridge_registry *registry, ridge_arena *arena, ridge_err *err)
{
    const ridge_bench_request *r = q->bench;
    ridge_predict_request p;
    ridge_analysis *exact = NULL, *timed = NULL;
    *t = (ridge_framework_task){.what = RIDGE_FRAMEWORK_LAYER};
    ridge_predict_default(&p);
    set_workload(&p.model, r);
    ridge_status st = ridge_analysis_exact(&exact, registry, &p.model, RIDGE_ROWS_NONE, err);
    if (!st)
        st = ridge_analysis_kernels(&timed, registry, &p.model, exact, RIDGE_ROWS_FOLDED, false, err);
    if (!st)
        st = read_layer(t, layers, timed, &p.model, arena, err);
    ridge_analysis_free(timed);
    ridge_analysis_free(exact);
    return st;
}
