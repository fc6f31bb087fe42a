/* What is run for a whole model: its rows (those of `ridge predict`), each as a kernel; distinct layers once (plan.h). */
#include <string.h>

#include "predict/experts.h"
#include "predict/predict.h"
#include "profile/plan.h"

/* ---- a row as a kernel ---- */

typedef struct placing {
    ridge_profile_plan *plan;
    const ridge_row *row;
    const ridge_analysis *analysis;
    const ridge_kernel *mixture; /* of a mixture's experts; NULL: none */
    ridge_int calls;             /* of the row in one pass; a mixture's: each runs all its rows */
    const char *name;
    bool placed;
} placing;

/* argument `i` of the row's node as a positive size */
static bool size_at(int64_t *out, const ridge_row *row, size_t i)
{
    ridge_int v;
    if (!row->node->args || !row->node->entry || i >= row->node->entry->parameter_count || !ridge_value_as_int(&v, row->node->args[i]) ||
        v <= 0 || v > INT32_MAX)
        return false;
    *out = (int64_t)v;
    return true;
}

static ridge_status place(placing *at, ridge_profile_role role, const char *step, const ridge_problem *problem)
{
    size_t index;
    ridge_status st = ridge_profile_add_component(&index, at->plan, at->name, role, at->calls);
    at->placed = true;
    return st ? st : ridge_profile_add_step(at->plan, step, problem, 1, at->calls);
}

static ridge_problem table_problem(const placing *at, ridge_kernel_kind kind, int64_t rows, int64_t cols)
{
    const ridge_format *a = at->plan->profile->activations;
    return (ridge_problem){.kind = kind, .rows = rows, .cols = cols, .weights = a, .activations = a};
}

/* one layer's experts after the other, each with its weights; the shares are of all layers */
static ridge_status place_experts(placing *at, int64_t rows, int64_t n, int64_t k)
{
    ridge_experts_share shares[2];
    size_t index, count = ridge_experts_split(shares, at->analysis, at->mixture, rows, at->calls);
    if (count == 0)
        return RIDGE_OK;
    ridge_status st =
        ridge_profile_add_component(&index, at->plan, at->name, RIDGE_PROFILE_WEIGHTS, shares[0].calls + (count > 1 ? shares[1].calls : 0));
    at->placed = true;
    for (size_t i = 0; i < count && !st; i++) {
        ridge_int in_layer = (2 * shares[i].calls + at->calls) / (2 * at->calls);
        if (in_layer > INT32_MAX)
            return ridge_fail(at->plan->err, RIDGE_LIMIT, "%s: too many experts to run", at->name);
        if (!(st = ridge_profile_add_product(at->plan, at->name, shares[i].rows, n, k, 1))) {
            ridge_profile_step *s = &at->plan->steps[at->plan->count - 1];
            s->step.repeat = in_layer > 0 ? (unsigned)in_layer : 1;
            s->calls = shares[i].calls;
        }
    }
    return st;
}

static ridge_status place_linear(placing *at)
{
    int64_t rows, k, n;
    size_t index;
    if (!size_at(&rows, at->row, 0) || !size_at(&k, at->row, 1) || !size_at(&n, at->row, 2))
        return RIDGE_OK;
    if (at->mixture)
        return place_experts(at, rows, n, k);
    ridge_status st = ridge_profile_add_component(&index, at->plan, at->name, RIDGE_PROFILE_WEIGHTS, at->calls);
    at->placed = true;
    return st ? st : ridge_profile_add_product(at->plan, at->name, rows, n, k, at->calls);
}

/* torch.nn.LayerNorm(rows, dim), RMSNorms alike */
static ridge_status place_norm(placing *at)
{
    int64_t rows, cols;
    if (!size_at(&rows, at->row, 0) || !size_at(&cols, at->row, 1))
        return RIDGE_OK;
    bool rms = strstr(at->row->class_name, "RMSNorm");
    const ridge_problem p = table_problem(at, rms ? RIDGE_KERNEL_KIND_RMSNORM : RIDGE_KERNEL_KIND_LAYERNORM, rows, cols);
    return place(at, RIDGE_PROFILE_SMALL, at->name, &p);
}

static ridge_status place_embedding(placing *at)
{
    int64_t rows, n, cols;
    if (!size_at(&rows, at->row, 0) || !size_at(&n, at->row, 1) || !size_at(&cols, at->row, 2))
        return RIDGE_OK;
    ridge_problem p = table_problem(at, RIDGE_KERNEL_KIND_EMBEDDING, rows, cols);
    p.n = n;
    /* a gather copies rows: in a weight-only format the table stands in the activations' */
    p.weights = ridge_format_is_weight_only(at->plan->profile->weights) ? p.activations : at->plan->profile->weights;
    return place(at, RIDGE_PROFILE_SMALL, at->name, &p);
}

/* kernel.attention(H, K, s, t, d, dv=d) */
static ridge_status place_attention(placing *at)
{
    const ridge_profile *p = at->plan->profile;
    int64_t heads, kv_heads, s, t, d, dv;
    if (!size_at(&heads, at->row, 0) || !size_at(&kv_heads, at->row, 1) || !size_at(&s, at->row, 2) || !size_at(&t, at->row, 3) ||
        !size_at(&d, at->row, 4) || t < s)
        return RIDGE_OK;
    if (size_at(&dv, at->row, 5) && dv != d)
        return RIDGE_OK;
    const ridge_problem problem = {.kind = RIDGE_KERNEL_KIND_ATTENTION,
                                   .batch = p->batch,
                                   .seq = s,
                                   .past = t - s,
                                   .heads = heads,
                                   .kv_heads = kv_heads,
                                   .head_dim = d,
                                   .causal = true,
                                   .weights = p->activations,
                                   .activations = p->activations};
    return place(at, RIDGE_PROFILE_CORE, at->name, &problem);
}

/* what moves data and hardly calculates, by its bytes: as the sum of two tables that moves as much */
static ridge_status place_moved(placing *at)
{
    const ridge_calc *calc = &at->analysis->graph.run.calc;
    ridge_value reads, writes;
    ridge_int read, written;
    if (ridge_cost_bytes_total(&reads, at->row->cost.reads, calc) || ridge_cost_bytes_total(&writes, at->row->cost.writes, calc) ||
        !ridge_value_as_int(&read, reads) || !ridge_value_as_int(&written, writes))
        return RIDGE_OK;
    int64_t rows = at->plan->profile->batch * at->plan->profile->seq;
    double element = ridge_rational_double(at->plan->profile->activations->bits) / 8;
    double cols = (double)(read + written) / (double)at->calls / element / 3 / (double)rows;
    if (!(cols > 0 && cols < INT32_MAX))
        return RIDGE_OK;
    const ridge_problem p = table_problem(at, RIDGE_KERNEL_KIND_ADD, rows, cols < 1 ? 1 : (int64_t)cols);
    return place(at, RIDGE_PROFILE_SMALL, at->name, &p);
}

/* kernel.cache_append(K, s, d), with the rotation in front of it: Q and K are turned; alone it copies */
static ridge_status place_rope(placing *at)
{
    const ridge_profile *p = at->plan->profile;
    int64_t kv_heads, s, d;
    if (!strstr(at->name, "rope"))
        return place_moved(at);
    if (!size_at(&kv_heads, at->row, 0) || !size_at(&s, at->row, 1) || !size_at(&d, at->row, 2) || d % 2 != 0)
        return RIDGE_OK;
    ridge_problem problem = {.kind = RIDGE_KERNEL_KIND_ROPE,
                             .rows = p->batch * s,
                             .past = p->past,
                             .heads = p->shape.heads > 0 ? p->shape.heads : kv_heads,
                             .head_dim = d,
                             .weights = p->activations,
                             .activations = p->activations};
    ridge_status st = place(at, RIDGE_PROFILE_SMALL, "rope_q", &problem);
    problem.heads = kv_heads;
    return st ? st : ridge_profile_add_step(at->plan, "rope_k", &problem, 1, at->calls);
}

/* transformers.models.rwkv.kernel_wkv(n, x, a): n = batch * seq * a elements, one sequence after the other */
static ridge_status place_wkv(placing *at)
{
    const ridge_profile *p = at->plan->profile;
    int64_t n, a;
    size_t index;
    if (!size_at(&n, at->row, 0) || !size_at(&a, at->row, 2) || n % a != 0 || n / a != p->batch * p->seq)
        return RIDGE_OK;
    const ridge_problem problem = {
        .kind = RIDGE_KERNEL_KIND_WKV, .seq = p->seq, .cols = a, .weights = p->activations, .activations = p->activations};
    ridge_status st = ridge_profile_add_component(&index, at->plan, at->name, RIDGE_PROFILE_CORE, at->calls);
    at->placed = true;
    return st ? st : ridge_profile_add_step(at->plan, "wkv", &problem, (unsigned)p->batch, at->calls);
}

/* kernel.map(reads, writes): an activation with its gate, a residual; others as the sum that moves as much */
static ridge_status place_map(placing *at)
{
    int64_t reads, rows = at->plan->profile->batch * at->plan->profile->seq;
    if (!size_at(&reads, at->row, 0))
        return RIDGE_OK;
    int64_t each = reads / 2 >= rows ? reads / 2 / rows : 1;
    bool acts = strstr(at->name, "act");
    const ridge_problem add = table_problem(at, RIDGE_KERNEL_KIND_ADD, rows, each);
    const ridge_problem act = table_problem(at, RIDGE_KERNEL_KIND_SILU, rows, each);
    ridge_status st = place(at, RIDGE_PROFILE_SMALL, acts ? "activation" : at->name, acts ? &act : &add);
    return st || !acts ? st : ridge_profile_add_step(at->plan, "gate_product", &add, 1, at->calls);
}

/* an activation class: elements alone */
static ridge_status place_activation(placing *at)
{
    int64_t elements, rows = at->plan->profile->batch * at->plan->profile->seq;
    if (!size_at(&elements, at->row, 0) || elements < rows)
        return RIDGE_OK;
    bool silu = strstr(at->row->class_name, "SiLU");
    const ridge_problem p = table_problem(at, silu ? RIDGE_KERNEL_KIND_SILU : RIDGE_KERNEL_KIND_GELU, rows, elements / rows);
    return place(at, RIDGE_PROFILE_SMALL, at->name, &p);
}

/* which rows run as what: the end of their class */
static const struct {
    const char *class_end;
    ridge_status (*place)(placing *at);
} classes[] = {
    {".Linear", place_linear},
    {".Conv1D", place_linear},
    {"Norm", place_norm},
    {".Embedding", place_embedding},
    {"kernel.attention", place_attention},
    {"kernel.cache_append", place_rope},
    {".kernel_wkv", place_wkv},
    {"kernel.map", place_map},
    {"RotaryEmbedding", place_moved},
    {"kernel.norm", place_norm},
    {"Activation", place_activation},
    {"SiLU", place_activation},
};

static bool ends_with(const char *text, const char *end)
{
    return ridge_str_ends(ridge_str_of(text), ridge_str_of(end));
}

/* ---- rows ---- */

/* the kernel of a row that stands for all experts of a mixture; NULL: there is none */
static const ridge_kernel *mixture_of(const ridge_analysis *a, size_t row)
{
    for (size_t i = 0; i < a->kernels.n; i++)
        if (a->kernels.p[i].row == row && a->kernels.p[i].experts != 0)
            return &a->kernels.p[i];
    return NULL;
}

/* rows that move nothing and calculate nothing: dropout in inference */
static bool is_nothing(const ridge_analysis *a, size_t row)
{
    for (size_t i = 0; i < a->kernels.n; i++) {
        const ridge_kernel *k = &a->kernels.p[i];
        if (k->row == row && k->launches != 0)
            return false;
    }
    return true;
}

/* "model.layers.*" of "model.layers.*.mlp.up_proj"; "" outside of layers */
static ridge_str group_of(ridge_str path)
{
    size_t i = 0;
    while (i < path.n && path.p[i] != '*' && path.p[i] != '{')
        i++;
    if (i == path.n)
        return (ridge_str){path.p, 0};
    while (i < path.n && path.p[i] != '.') /* the whole part: "{0-2}" has no dot in it */
        i++;
    return (ridge_str){path.p, i};
}

static ridge_int count_of(const ridge_analysis *a, ridge_str group)
{
    for (size_t i = 0; i < a->rows.n && group.n > 0; i++)
        if (ridge_str_eq(a->rows.p[i].path, group))
            return a->rows.p[i].count;
    return 1;
}

static ridge_status leave_out(ridge_profile_plan *plan, ridge_profile_model *m, const char *name)
{
    ridge_profile *p = plan->profile;
    if (!p->left_out && !(p->left_out = ridge_arena_array(plan->arena, m->timed->rows.n + 1, sizeof *p->left_out)))
        return ridge_no_memory(plan->err);
    p->left_out[p->left_out_count++] = name;
    return RIDGE_OK;
}

static ridge_status place_row(ridge_profile_plan *plan, ridge_profile_model *m, size_t i)
{
    const ridge_row *row = &m->timed->rows.p[i];
    placing at = {.plan = plan,
                  .row = row,
                  .analysis = m->timed,
                  .mixture = mixture_of(m->timed, i),
                  .calls = row->calls,
                  .name = ridge_arena_strdup(plan->arena, row->path)};
    size_t before = plan->profile->component_count;
    ridge_status st = at.name ? RIDGE_OK : ridge_no_memory(plan->err);
    if (at.mixture && (!ridge_value_as_int(&at.calls, at.mixture->calls) || at.calls < 1))
        return leave_out(plan, m, at.name);
    for (size_t k = 0; k < sizeof classes / sizeof *classes && !st && !at.placed; k++)
        if (ends_with(row->class_name, classes[k].class_end))
            st = classes[k].place(&at);
    if (st)
        return st;
    if (!at.placed)
        return leave_out(plan, m, at.name);
    m->row_of[before] = i;
    return RIDGE_OK;
}

static ridge_status place_group(ridge_profile_plan *plan, ridge_profile_model *m, ridge_str group)
{
    ridge_profile *p = plan->profile;
    size_t first = p->component_count;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < m->timed->rows.n && !st; i++) {
        const ridge_row *row = &m->timed->rows.p[i];
        if (row->leaf && !is_nothing(m->timed, i) && ridge_str_eq(group_of(row->path), group))
            st = place_row(plan, m, i);
    }
    if (st || p->component_count == first)
        return st;
    const char *name = ridge_arena_strdup(plan->arena, group);
    if (!name)
        return ridge_no_memory(plan->err);
    p->groups[p->group_count++] =
        (ridge_profile_group){.name = name, .count = count_of(m->timed, group), .first = first, .components = p->component_count - first};
    plan->group_first[p->group_count] = plan->count;
    return RIDGE_OK;
}

static bool is_new_group(const ridge_analysis *a, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (a->rows.p[i].leaf && ridge_str_eq(group_of(a->rows.p[i].path), group_of(a->rows.p[row].path)))
            return false;
    return a->rows.p[row].leaf;
}

static ridge_status place_rows(ridge_profile_plan *plan, ridge_profile_model *m)
{
    size_t n = m->timed->rows.n;
    ridge_status st = RIDGE_OK;
    plan->profile->groups = ridge_arena_array(plan->arena, n + 1, sizeof *plan->profile->groups);
    plan->group_first = ridge_arena_array(plan->arena, n + 2, sizeof *plan->group_first);
    m->row_of = ridge_arena_array(plan->arena, n + 1, sizeof *m->row_of);
    if (!plan->profile->groups || !plan->group_first || !m->row_of)
        return ridge_no_memory(plan->err);
    for (size_t i = 0; i < n && !st; i++)
        if (is_new_group(m->timed, i))
            st = place_group(plan, m, group_of(m->timed->rows.p[i].path));
    if (!st && plan->count == 0)
        st = ridge_fail(plan->err, RIDGE_UNKNOWN, "no kernel here runs any part of %s", m->exact->architecture);
    return st;
}

static int64_t config_int(const ridge_analysis *a, const char *name)
{
    ridge_int v;
    for (size_t i = 0; i < a->config->count; i++)
        if (strcmp(a->config->fields[i].name->text, name) == 0 && ridge_value_as_int(&v, a->config->fields[i].value) && v > 0 &&
            v < INT32_MAX)
            return (int64_t)v;
    return 0;
}

ridge_status ridge_profile_plan_model(ridge_profile_model *m, ridge_profile_plan *plan, ridge_registry *registry)
{
    ridge_profile *p = plan->profile;
    ridge_predict_request *q = m->request = ridge_arena_alloc(plan->arena, sizeof *q);
    if (!q)
        return ridge_no_memory(plan->err);
    ridge_predict_default(q);
    q->model.model = p->request->model;
    q->model.phase = p->request->phase;
    q->model.batch = p->batch;
    q->model.seq = p->seq;
    q->model.past = p->past > 0 ? p->past : RIDGE_UNSET;
    q->model.weights = p->weights;
    q->model.activations = q->model.kv = p->activations;
    ridge_status st = ridge_analysis_exact(&m->exact, registry, &q->model, RIDGE_ROWS_NONE, plan->err);
    if (st)
        return st;
    if ((st = ridge_analysis_kernels(&m->timed, registry, &q->model, m->exact, RIDGE_ROWS_FOLDED, false, plan->err)))
        return st;
    p->shape.heads = config_int(m->exact, "num_attention_heads");
    return place_rows(plan, m);
}

/* ---- predicted ---- */

static bool is_left_out(const ridge_profile *p, ridge_str path)
{
    for (size_t i = 0; i < p->left_out_count; i++)
        if (ridge_str_eq(path, ridge_str_of(p->left_out[i])))
            return true;
    return false;
}

static void predict_rows(ridge_profile *p, ridge_profile_model *m, ridge_plan_room *room)
{
    double left = 0;
    for (size_t c = 0; c < p->component_count; c++)
        p->components[c].predicted_s = 0;
    for (size_t i = 0; i < m->timed->kernels.n; i++) {
        double time_s = ridge_plan_kernel_at(m->times, room, i, 0).time_s;
        size_t c = 0;
        while (c < p->component_count && m->row_of[c] != m->timed->kernels.p[i].row)
            c++;
        if (c < p->component_count)
            p->components[c].predicted_s += time_s;
        else if (is_left_out(p, m->timed->rows.p[m->timed->kernels.p[i].row].path))
            left += time_s;
    }
    p->left_out_predicted_s = left;
}

ridge_status ridge_profile_predict_model(ridge_profile *p, ridge_profile_model *m, const ridge_machine *machine, ridge_err *err)
{
    ridge_plan_room room;
    ridge_status st = ridge_predict_plan_on(&m->times, m->timed, machine, m->request, m->exact->memory.weights);
    if (st)
        return st;
    ridge_plan_times *times = ridge_arena_alloc(&m->timed->arena, sizeof *times);
    if (!times || !ridge_plan_room_make(&room, m->times))
        return ridge_no_memory(err);
    ridge_plan_run(m->times, &room, times, NULL);
    predict_rows(p, m, &room);
    p->predicted_s = times->time_s[0] - p->left_out_predicted_s;
    ridge_plan_room_free(&room);
    return RIDGE_OK;
}

void ridge_profile_model_free(ridge_profile_model *m)
{
    ridge_analysis_free(m->timed);
    ridge_analysis_free(m->exact);
    *m = (ridge_profile_model){0};
}
