/* What is run of a model: its rows (those of `ridge predict`) as the kernels that the catalog has for them; equal layers once (plan.h). */
#include "predict/experts.h"
#include "predict/predict.h"
#include "profile/runs.h"

typedef struct placing {
    ridge_profile_plan *plan;
    ridge_profile_model *model;
    ridge_int layers; /* that calls are divided by */
    size_t prefix;    /* of a row's path, that is no part of its component's name */
} placing;

static bool runs_something(const ridge_kernel *k, uint32_t row)
{
    return k->row == row && k->launches != 0;
}

static bool is_in(const ridge_rows *rows, uint32_t row, uint32_t above)
{
    while (row != UINT32_MAX && row != above)
        row = rows->p[row].parent;
    return row == above;
}

/* ---- a row ---- */

static ridge_status leave_out(placing *at, const ridge_row *row)
{
    ridge_profile_plan *plan = at->plan;
    ridge_str name = {row->path.p + at->prefix, row->path.n - at->prefix};
    const char *copy = ridge_arena_strdup(plan->arena, name);
    return copy ? ridge_words_add(&plan->profile->left_out, copy, plan->arena, plan->err) : ridge_no_memory(plan->err);
}

/* the experts of one layer after the other, each with its weights; the shares are of all layers */
static ridge_status place_experts(placing *at, const ridge_kernel *k, const ridge_problem *p, const char *name, ridge_int calls)
{
    ridge_experts_share shares[2];
    const int64_t rows = p->kind == RIDGE_KERNEL_KIND_GEMV ? 1 : p->m;
    ridge_profile_plan *plan = at->plan;
    size_t count = ridge_experts_split(shares, at->model->timed, k, rows, calls);
    if (count == 0)
        return RIDGE_OK;
    ridge_int experts = shares[0].calls + (count > 1 ? shares[1].calls : 0);
    ridge_status st = ridge_profile_add_component(plan, name, RIDGE_PROFILE_WEIGHTS, experts);
    for (size_t i = 0; i < count && !st; i++) {
        const ridge_problem one = ridge_profile_product(plan->profile, shares[i].rows, p->n, p->k, p->weights);
        ridge_int in_layer = (2 * shares[i].calls + calls) / (2 * calls);
        if (in_layer > INT32_MAX)
            return ridge_fail(plan->err, RIDGE_LIMIT, "%s: too many experts to run", name);
        if (!(st = ridge_profile_add_step(plan, name, &one, in_layer > 0 ? (unsigned)in_layer : 1, 1)))
            plan->steps[plan->count - 1].calls = shares[i].calls;
    }
    return st;
}

/* its kernels' steps; the first makes the component */
static ridge_status place_kernel(placing *at, const ridge_kernel *k, const ridge_profile_runs *runs, const char *name, bool first)
{
    ridge_profile_plan *plan = at->plan;
    ridge_int calls;
    ridge_status st = RIDGE_OK;
    if (!ridge_value_as_int(&calls, k->calls) || calls < at->layers)
        return RIDGE_OK;
    calls /= at->layers;
    if (k->experts != 0 && runs->steps[0].what == RIDGE_RUNNABLE_LINEAR)
        return place_experts(at, k, &runs->steps[0].problem, name, calls);
    if (first)
        st = ridge_profile_add_component(plan, name, runs->steps[0].role, calls);
    for (size_t i = 0; i < runs->count && !st; i++) {
        const char *what = ridge_runnable_names[runs->steps[i].what];
        const char *step = runs->count == 1 ? name : ridge_arena_printf(plan->arena, "%s %s", name, what);
        st = step ? ridge_profile_add_step(plan, step, &runs->steps[i].problem, runs->steps[i].repeat, calls) : ridge_no_memory(plan->err);
    }
    return st;
}

/* does a kernel here run all of the row? */
static ridge_status can_run(bool *out, const placing *at, uint32_t row)
{
    ridge_analysis *a = at->model->timed;
    ridge_profile_runs runs;
    ridge_status st = RIDGE_OK;
    *out = true;
    for (size_t i = 0; i < a->kernels.n && !st && *out; i++)
        if (runs_something(&a->kernels.p[i], row) && !(st = ridge_profile_runs_of(&runs, at->plan->profile, a, &a->kernels.p[i])))
            *out = runs.count > 0;
    return st;
}

static ridge_status place_row(placing *at, uint32_t row)
{
    ridge_analysis *a = at->model->timed;
    ridge_profile *p = at->plan->profile;
    ridge_str path = a->rows.p[row].path;
    size_t before = p->component_count;
    bool can;
    ridge_status st = can_run(&can, at, row);
    const char *name = ridge_arena_strdup(at->plan->arena, (ridge_str){path.p + at->prefix, path.n - at->prefix});
    if (!st && !name)
        return ridge_no_memory(at->plan->err);
    for (size_t i = 0; i < a->kernels.n && !st && can; i++) {
        ridge_profile_runs runs;
        if (!runs_something(&a->kernels.p[i], row) || (st = ridge_profile_runs_of(&runs, p, a, &a->kernels.p[i])))
            continue;
        st = place_kernel(at, &a->kernels.p[i], &runs, name, p->component_count == before);
    }
    if (!st && p->component_count == before)
        st = leave_out(at, &a->rows.p[row]);
    else if (!st)
        at->model->row_of[before] = row;
    return st;
}

/* rows that move nothing and calculate nothing have no kernel: dropout in inference */
static bool has_kernels(const ridge_analysis *a, uint32_t row)
{
    for (size_t i = 0; i < a->kernels.n; i++)
        if (runs_something(&a->kernels.p[i], row))
            return true;
    return false;
}

/* ---- groups of rows: a layer, or what is outside of layers (UINT32_MAX) ---- */

static ridge_status place_group(placing *at, uint32_t layer)
{
    const ridge_analysis *a = at->model->timed;
    const ridge_row *top = layer == UINT32_MAX ? NULL : &a->rows.p[layer];
    ridge_profile *p = at->plan->profile;
    size_t first = p->component_count;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < a->rows.n && !st; i++)
        if (a->rows.p[i].leaf && has_kernels(a, i) && ridge_rows_layer(&a->rows, i) == layer)
            st = place_row(at, i);
    if (st || p->component_count == first)
        return st;
    const char *name = top ? ridge_arena_strdup(at->plan->arena, top->path) : "";
    if (!name)
        return ridge_no_memory(at->plan->err);
    ridge_profile_end_group(at->plan, name, top ? top->count : 1);
    return RIDGE_OK;
}

static bool is_new_group(const ridge_rows *rows, uint32_t row)
{
    for (uint32_t i = 0; i < row; i++)
        if (rows->p[i].leaf && ridge_rows_layer(rows, i) == ridge_rows_layer(rows, row))
            return false;
    return rows->p[row].leaf;
}

static ridge_status make_room(ridge_profile_model *m, ridge_profile_plan *plan)
{
    m->row_of = ridge_arena_array(plan->arena, m->timed->rows.n + 1, sizeof *m->row_of);
    return m->row_of ? ridge_profile_make_groups(plan, m->timed->rows.n) : ridge_no_memory(plan->err);
}

ridge_status ridge_profile_plan_model(ridge_profile_model *m, ridge_profile_plan *plan)
{
    const ridge_rows *rows = &m->timed->rows;
    placing at = {.plan = plan, .model = m, .layers = 1};
    ridge_status st = make_room(m, plan);
    for (uint32_t i = 0; i < rows->n && !st; i++)
        if (is_new_group(rows, i))
            st = place_group(&at, ridge_rows_layer(rows, i));
    if (!st && plan->count == 0)
        st = ridge_fail(plan->err, RIDGE_UNKNOWN, "no kernel here runs any part of %s", m->exact->architecture);
    return st;
}

/* ---- one layer ---- */

static bool mixes_tokens(ridge_role role)
{
    return role == RIDGE_ROLE_ATTENTION || role == RIDGE_ROLE_MIXER;
}

/* the element of a list around it: the layer, or where none is folded the outermost */
static uint32_t element_of(const ridge_rows *rows, uint32_t row)
{
    uint32_t layer = ridge_rows_layer(rows, row);
    for (uint32_t i = row; i != UINT32_MAX && ridge_rows_layer(rows, row) == UINT32_MAX; i = rows->p[i].parent)
        if (rows->p[i].element)
            layer = i;
    return layer;
}

/* the layer that there are most of, the first of equals: around a module in which tokens look at each other. UINT32_MAX: there is none */
static uint32_t find_layer(const ridge_rows *rows)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < rows->n; i++) {
        uint32_t layer = mixes_tokens(rows->p[i].role) ? element_of(rows, i) : UINT32_MAX;
        if (layer != UINT32_MAX && (best == UINT32_MAX || rows->p[layer].count > rows->p[best].count))
            best = layer;
    }
    return best;
}

static ridge_status need_layer(uint32_t *layer, const ridge_profile_model *m, ridge_err *err)
{
    *layer = find_layer(&m->timed->rows);
    if (*layer == UINT32_MAX)
        return ridge_fail(err, RIDGE_UNKNOWN, "%s has no layers with attention or another mixer of tokens", m->exact->architecture);
    return RIDGE_OK;
}

/* "no kernel here runs self_attn.core, mlp.gate of a layer of MODEL" */
static ridge_status refuse(const ridge_profile *p, const char *of, ridge_err *err)
{
    ridge_buf names = {0};
    for (size_t i = 0; i < p->left_out.count; i++)
        ridge_buf_addf(&names, "%s%s", i == 0 ? "" : ", ", p->left_out.items[i]);
    ridge_buf_addc(&names, '\0');
    ridge_status st = names.failed ? ridge_no_memory(err)
                                   : ridge_fail(err, RIDGE_UNKNOWN, "no kernel here runs %s of %s of %s", names.p, of, p->request.model);
    ridge_buf_free(&names);
    return st;
}

static void take(int64_t *size, int64_t value)
{
    if (*size < 1)
        *size = value;
}

/* of the kernel of attention, and of the products around it */
static void take_sizes(ridge_profile_shape *s, ridge_role role, const ridge_profile_run_step *step)
{
    const ridge_problem *q = &step->problem;
    switch (step->what) {
    case RIDGE_RUNNABLE_LINEAR:
        if (mixes_tokens(role))
            take(&s->hidden, q->k);
        else if (role == RIDGE_ROLE_MLP && q->n == s->hidden && q->k > s->intermediate) /* what goes back to the residual stream */
            s->intermediate = q->k;
        break;
    case RIDGE_RUNNABLE_ATTENTION:
        take(&s->heads, q->heads);
        take(&s->kv_heads, q->kv_heads);
        take(&s->head_dim, q->head_dim);
        break;
    case RIDGE_RUNNABLE_WKV:
        s->rwkv = true;
        break;
    default:
        break;
    }
}

static ridge_status take_row(ridge_profile_shape *s, bool *core, placing *at, uint32_t row)
{
    ridge_analysis *a = at->model->timed;
    ridge_role role = a->rows.p[row].role;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < a->kernels.n && !st; i++) {
        ridge_profile_runs runs;
        if (!runs_something(&a->kernels.p[i], row) || (st = ridge_profile_runs_of(&runs, at->plan->profile, a, &a->kernels.p[i])))
            continue;
        if (runs.count == 0 && mixes_tokens(role))
            st = leave_out(at, &a->rows.p[row]);
        for (size_t k = 0; k < runs.count; k++) {
            *core = *core || runs.steps[k].role == RIDGE_PROFILE_CORE;
            take_sizes(s, role, &runs.steps[k]);
        }
    }
    return st;
}

static ridge_status take_layer(ridge_profile_shape *s, bool *core, ridge_profile_model *m, ridge_profile_plan *plan, uint32_t layer)
{
    const ridge_rows *rows = &m->timed->rows;
    placing at = {.plan = plan, .model = m, .layers = 1, .prefix = rows->p[layer].path.n + 1};
    ridge_status st = RIDGE_OK;
    for (uint32_t i = layer + 1; i < rows->n && !st; i++)
        if (rows->p[i].leaf && is_in(rows, i, layer))
            st = take_row(s, core, &at, i);
    return st;
}

ridge_status ridge_profile_model_shape(ridge_profile_shape *s, ridge_profile_model *m, ridge_profile_plan *plan)
{
    bool core = false;
    uint32_t layer;
    ridge_status st = need_layer(&layer, m, plan->err);
    if (!st && !(st = take_layer(s, &core, m, plan, layer)) && !core)
        st = refuse(plan->profile, "the attention", plan->err);
    plan->profile->left_out.count = 0; /* a mask, a shift: not what is asked for */
    return st;
}

ridge_status ridge_profile_plan_layer(ridge_profile_model *m, ridge_profile_plan *plan)
{
    const ridge_analysis *a = m->timed;
    ridge_profile *p = plan->profile;
    bool core = false;
    uint32_t layer;
    ridge_status st = need_layer(&layer, m, plan->err);
    if (st || (st = make_room(m, plan)))
        return st;
    const ridge_row *top = &a->rows.p[layer];
    placing at = {.plan = plan, .model = m, .layers = top->calls, .prefix = top->path.n + 1};
    for (uint32_t i = layer + 1; i < a->rows.n && !st; i++)
        if (a->rows.p[i].leaf && has_kernels(a, i) && is_in(&a->rows, i, layer))
            st = place_row(&at, i);
    if (st)
        return st;
    if (p->left_out.count > 0 && (st = refuse(p, "a layer", plan->err))) {
        ridge_err_append(plan->err, "; 'ridge profile model' runs the rest");
        return st;
    }
    if ((st = take_layer(&p->request.shape, &core, m, plan, layer)))
        return st;
    const char *name = ridge_arena_strdup(plan->arena, top->path);
    if (!name)
        return ridge_no_memory(plan->err);
    ridge_profile_end_group(plan, name, 1);
    return RIDGE_OK;
}

/* ---- the analyses ---- */

ridge_status ridge_profile_model_open(ridge_profile_model *m, const ridge_profile_request *request, ridge_registry *registry,
                                      ridge_arena *arena, ridge_err *err)
{
    ridge_predict_request *q = m->request = ridge_arena_alloc(arena, sizeof *q);
    if (!q)
        return ridge_no_memory(err);
    ridge_predict_default(q);
    q->model.model = request->model;
    q->model.phase = request->phase;
    q->model.batch = request->batch;
    q->model.seq = request->seq;
    q->model.past = request->past == 0 && request->phase != RIDGE_PHASE_DECODE ? RIDGE_UNSET : request->past; /* encoders have none */
    q->model.weights = request->weights;
    q->model.activations = request->activations; /* of K and V too */
    ridge_status st = ridge_analysis_exact(&m->exact, registry, &q->model, RIDGE_ROWS_NONE, err);
    return st ? st : ridge_analysis_kernels(&m->timed, registry, &q->model, m->exact, RIDGE_ROWS_FOLDED, false, err);
}

void ridge_profile_model_free(ridge_profile_model *m)
{
    ridge_analysis_free(m->timed);
    ridge_analysis_free(m->exact);
    *m = (ridge_profile_model){0};
}

/* ---- predicted ---- */

static bool is_left_out(const ridge_profile *p, ridge_str path)
{
    for (size_t i = 0; i < p->left_out.count; i++)
        if (ridge_str_eq(path, ridge_str_of(p->left_out.items[i])))
            return true;
    return false;
}

static void predict_rows(ridge_profile *p, ridge_profile_model *m, ridge_plan_room *room)
{
    p->left_out_predicted_s = 0;
    for (size_t c = 0; c < p->component_count; c++)
        p->components[c].predicted_s = 0;
    for (size_t i = 0; i < m->timed->kernels.n; i++) {
        double time_s = ridge_plan_kernel_at(m->times, room, i, 0).time_s;
        uint32_t row = m->timed->kernels.p[i].row;
        size_t c = 0;
        while (c < p->component_count && m->row_of[c] != row)
            c++;
        if (c < p->component_count)
            p->components[c].predicted_s += time_s;
        else if (is_left_out(p, m->timed->rows.p[row].path))
            p->left_out_predicted_s += time_s;
    }
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
