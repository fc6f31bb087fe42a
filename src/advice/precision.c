/* --recommend: which formats each kind of operator is fastest in, for decode, prefill and a full context. The whole model is predicted in
 * one choice of formats after the other; the rows of each prediction give each kind's time. Times only: nothing is said of quality. */
#include "advice/trial.h"

/* a kind keeps its formats where all of it saves less than this part of the pass */
#define LEAST_GAIN 1e-3
/* of trials this close the earlier counts: weights alone before activations too */
#define CLOSE 0.01

/* ---- kinds ---- */

static bool has(ridge_value v)
{
    ridge_int i;
    return ridge_value_as_int(&i, v) && i > 0;
}

/* a matrix of the weights, by what its module is for */
static ridge_precision_kind matrix_kind(const ridge_kernel *k, const ridge_row *row)
{
    if (k->experts)
        return RIDGE_OPERATOR_EXPERTS;
    switch (row->role) {
    case RIDGE_ROLE_HEAD:
        return RIDGE_OPERATOR_LM_HEAD;
    case RIDGE_ROLE_ATTENTION:
        return RIDGE_OPERATOR_ATTENTION_PROJECTIONS;
    case RIDGE_ROLE_MLP:
        return RIDGE_OPERATOR_MLP;
    default:
        return RIDGE_OPERATOR_OTHER_MATRICES;
    }
}

static ridge_precision_kind kind_of(const ridge_kernel *k, const ridge_row *row)
{
    const ridge_cost *c = &k->cost;
    if (has(c->flops[RIDGE_FLOP_ATTENTION]) || has(c->reads[RIDGE_BYTE_KV]) || has(c->writes[RIDGE_BYTE_KV]))
        return RIDGE_OPERATOR_ATTENTION;
    if (has(c->flops[RIDGE_FLOP_MATMUL]) && has(c->reads[RIDGE_BYTE_WEIGHTS]))
        return matrix_kind(k, row);
    return row->role == RIDGE_ROLE_NORM ? RIDGE_OPERATOR_NORMS : RIDGE_OPERATOR_REST;
}

/* ---- trials ---- */

static void add_trial(ridge_precision_advice *a, const ridge_format *weights, const ridge_format *activations, const ridge_format *kv,
                      bool uniform)
{
    if (a->trial_count < RIDGE_PRECISION_TRIALS)
        a->trials[a->trial_count++] = (ridge_precision_trial){{weights, activations, kv}, uniform};
}

static const ridge_format *format_named(const char *name)
{
    return ridge_format_find(ridge_str_of(name));
}

/* as it is; narrower caches; narrower weights, wide first; then everything, where the machine has the rate */
static void list_trials(ridge_precision_advice *a, const ridge_prediction *now)
{
    static const struct {
        const char *format;
        ridge_precision rate;
        bool needs_rate, narrow; /* narrow: too narrow for a cache */
    } formats[] = {{"q8_0", RIDGE_PRECISION_COUNT, false, false}, {"fp8_e4m3", RIDGE_PRECISION_FP8, false, false},
                   {"int8", RIDGE_PRECISION_INT8, false, false},  {"nvfp4", RIDGE_PRECISION_NVFP4, true, true},
                   {"q4_K", RIDGE_PRECISION_COUNT, false, true},  {"mxfp4", RIDGE_PRECISION_MXFP4, true, true}};
    const int64_t *peak = now->machine->peak_flops_per_s;
    const ridge_workload *w = &now->model->workload;
    const size_t n = sizeof formats / sizeof *formats;
    const ridge_format *half = format_named(peak[RIDGE_PRECISION_BF16] > 0 || peak[RIDGE_PRECISION_FP16] <= 0 ? "bf16" : "fp16"),
                       *fp8 = format_named("fp8_e4m3");
    add_trial(a, w->weights, w->activations, w->kv, false);
    if (ridge_advice_is_wide(w))
        add_trial(a, half, half, half, true);
    if (w->takes.cache) {
        add_trial(a, w->weights, w->activations, fp8, false);
        add_trial(a, w->weights, w->activations, format_named("int8"), false);
    }
    for (size_t i = 0; i < n; i++)
        if (!formats[i].needs_rate || peak[formats[i].rate] > 0)
            add_trial(a, format_named(formats[i].format), w->activations, w->kv, false);
    for (size_t i = 0; i < n; i++)
        if (formats[i].rate != RIDGE_PRECISION_COUNT && peak[formats[i].rate] > 0) {
            const ridge_format *format = format_named(formats[i].format);
            add_trial(a, format, format, formats[i].narrow ? fp8 : format, true);
        }
    for (size_t i = 0; i < a->trial_count && !w->takes.cache; i++)
        a->trials[i].formats.kv = NULL;
}

/* times of the kinds in one trial */
typedef struct kind_times {
    double time_s[RIDGE_OPERATOR_COUNT], memory_bound_s[RIDGE_OPERATOR_COUNT];
    bool there[RIDGE_OPERATOR_COUNT];
} kind_times;

static ridge_status read_kinds(kind_times *out, const ridge_prediction *p, ridge_err *err)
{
    ridge_plan_room room;
    ridge_plan_times *times;
    ridge_status st = ridge_prediction_run(&times, &room, p, err);
    *out = (kind_times){0};
    if (st)
        return st;
    for (size_t i = 0; i < p->timed->kernels.n; i++) {
        const ridge_kernel *k = &p->timed->kernels.p[i];
        ridge_plan_kernel_times t = ridge_plan_kernel_at(p->plan, &room, i, 0);
        ridge_precision_kind kind = kind_of(k, &p->timed->rows.p[k->row]);
        out->there[kind] = true;
        out->time_s[kind] += t.time_s;
        out->memory_bound_s[kind] += t.memory_s >= t.compute_s ? t.memory_s : 0;
    }
    ridge_plan_room_free(&room);
    return RIDGE_OK;
}

/* ---- one situation ---- */

typedef struct maker {
    ridge_precision_advice *advice;
    const ridge_prediction *now;
    ridge_precision_table *table;
    ridge_predict_request request; /* of the situation */
    kind_times trials[RIDGE_PRECISION_TRIALS];
    ridge_err *err;
} maker;

static ridge_status run_trial(maker *m, size_t trial)
{
    ridge_precision_table *t = m->table;
    ridge_predict_request r = m->request;
    const ridge_precision_formats *formats = &m->advice->trials[trial].formats;
    ridge_changes none = {0};
    ridge_prediction *p;
    const ridge_workload *now = &m->now->model->workload;
    r.model.weights = now->stored && formats->weights == now->weights ? m->request.model.weights : formats->weights; /* as they are */
    r.model.activations = formats->activations;
    r.model.kv = formats->kv;
    ridge_status st = ridge_trial_predict(&p, &r, m->now, &none, m->advice->arena, m->err);
    if (!st && !(st = read_kinds(&m->trials[trial], p, m->err)) && trial == 0) {
        t->batch = p->model->workload.batch;
        t->seq = p->model->workload.seq;
        t->past = p->model->workload.past;
        t->now_s = p->time_s;
    }
    ridge_prediction_free(p);
    return st;
}

/* ---- the choice of one kind ---- */

/* what of the formats concerns a kind */
static ridge_precision_formats formats_of(ridge_precision_kind kind, ridge_precision_formats f)
{
    const bool attends = kind == RIDGE_OPERATOR_ATTENTION, light = kind == RIDGE_OPERATOR_NORMS || kind == RIDGE_OPERATOR_REST;
    return (ridge_precision_formats){attends || light ? NULL : f.weights, f.activations, attends ? f.kv : NULL};
}

static const char *formats_text(const ridge_precision_choice *c, bool uniform, ridge_arena *arena)
{
    const ridge_precision_formats *f = &c->formats;
    if (!c->changed)
        return "as it is";
    if (f->weights)
        return ridge_arena_printf(arena, uniform ? "weights, activations %s" : "weights %s", f->weights->name);
    if (f->kv && uniform)
        return ridge_arena_printf(arena, "activations %s, KV %s", f->activations->name, f->kv->name);
    return ridge_arena_printf(arena, f->kv ? "KV %s" : "activations %s", f->kv ? f->kv->name : f->activations->name);
}

static const char *why(const maker *m, const ridge_precision_choice *c)
{
    const char *cache = m->now->model->workload.takes.cache ? "the KV cache" : "activations";
    const char *unit = c->kind == RIDGE_OPERATOR_ATTENTION ? cache : c->kind == RIDGE_OPERATOR_NORMS ? "activations" : "weights";
    ridge_arena *arena = m->advice->arena;
    if (c->kind == RIDGE_OPERATOR_REST)
        return "runs in the formats around it";
    if (!c->changed)
        return c->now_s <= LEAST_GAIN * m->table->now_s ? "under 0.1 % of the time" : "no format saves 0.1 % of the time";
    if (c->bound == RIDGE_BOUND_MEMORY)
        return ridge_arena_printf(arena, "memory-bound: it waits for %s", unit);
    return ridge_arena_printf(arena, "compute-bound: %.3g times as fast in %s", c->speedup, c->formats.activations->name);
}

static size_t best_trial(const maker *m, const ridge_precision_choice *c)
{
    size_t best = 0;
    double least = c->now_s;
    if (c->kind == RIDGE_OPERATOR_REST)
        return 0;
    for (size_t i = 1; i < c->candidate_count; i++)
        least = c->candidates[i].time_s < least ? c->candidates[i].time_s : least;
    if (c->now_s - least <= LEAST_GAIN * m->table->now_s)
        return 0;
    while (best < c->candidate_count && c->candidates[best].time_s > least * (1 + CLOSE))
        best++;
    return best;
}

static double speedup(double now, double then)
{
    return then > 0 ? now / then : 1;
}

static ridge_status choose(ridge_precision_choice *c, maker *m, ridge_precision_kind kind, ridge_err *err)
{
    ridge_precision_advice *a = m->advice;
    *c = (ridge_precision_choice){.situation = m->table->situation, .kind = kind, .candidate_count = a->trial_count};
    if (!(c->candidates = ridge_arena_array(a->arena, a->trial_count, sizeof *c->candidates)))
        return ridge_no_memory(err);
    for (size_t i = 0; i < a->trial_count; i++)
        c->candidates[i] = (ridge_precision_candidate){formats_of(kind, a->trials[i].formats), m->trials[i].time_s[kind]};
    c->now_s = c->candidates[0].time_s;
    c->bound = 2 * m->trials[0].memory_bound_s[kind] >= c->now_s ? RIDGE_BOUND_MEMORY : RIDGE_BOUND_COMPUTE;
    c->share = c->now_s / m->table->now_s;
    c->percent = 100 * c->share;
    c->best = best_trial(m, c);
    c->changed = c->best != 0;
    c->formats = c->candidates[c->best].formats;
    c->time_s = c->candidates[c->best].time_s;
    c->gain_s = c->now_s - c->time_s;
    c->speedup = speedup(c->now_s, c->time_s);
    c->text = formats_text(c, a->trials[c->best].uniform, a->arena);
    c->why = why(m, c);
    return c->text && c->why ? RIDGE_OK : ridge_no_memory(err);
}

static ridge_status choose_all(maker *m, ridge_err *err)
{
    ridge_precision_advice *a = m->advice;
    ridge_precision_table *t = m->table;
    ridge_status st = RIDGE_OK;
    t->choices = &a->choices[a->choice_count];
    for (int kind = 0; kind < RIDGE_OPERATOR_COUNT && !st; kind++) {
        ridge_precision_choice *c = &a->choices[a->choice_count];
        if (!m->trials[0].there[kind])
            continue;
        st = choose(c, m, (ridge_precision_kind)kind, err);
        t->of_kind[kind] = c;
        t->time_s += c->time_s;
        t->count++;
        a->choice_count++;
    }
    t->speedup = speedup(t->now_s, t->time_s);
    a->found[t->situation] = t;
    return st;
}

/* positions, the model's maximum; 0: it gives none */
static int64_t longest(const ridge_prediction *now)
{
    const ridge_config_spec *spec = now->model->config_entry ? now->model->config_entry->config : NULL;
    ridge_value v;
    ridge_int i;
    if (!spec || !spec->positions_max)
        return 0;
    now->model->graph.run.config = now->model->config;
    if (ridge_expr_eval(&v, spec->positions_max, &now->model->graph.run) || !ridge_value_as_int(&i, v) || i < 2 || i > (ridge_int)1 << 40)
        return 0;
    return (int64_t)i;
}

/* false: there is no such situation */
static bool set_situation(maker *m, ridge_situation s)
{
    const ridge_workload *w = &m->now->model->workload;
    ridge_predict_request *r = &m->request;
    int64_t most = longest(m->now);
    bool decoding = w->phase == RIDGE_PHASE_DECODE;
    r->prompt = r->generate = 0;
    r->model.phase = s == RIDGE_SITUATION_PREFILL ? RIDGE_PHASE_PREFILL : RIDGE_PHASE_DECODE;
    if (s == RIDGE_SITUATION_PREFILL) {
        r->model.seq = m->now->request.prompt > 0 ? m->now->request.prompt : decoding ? RIDGE_UNSET : m->now->request.model.seq;
        r->model.past = decoding ? RIDGE_UNSET : m->now->request.model.past;
        return true;
    }
    r->model.seq = decoding ? m->now->request.model.seq : 1;
    r->model.past = decoding ? m->now->request.model.past : RIDGE_UNSET;
    if (m->now->request.prompt > 0)
        r->model.past = ridge_trial_step(m->now).model.past;
    else if (!decoding && m->now->request.model.seq != RIDGE_UNSET)
        r->model.past = m->now->request.model.seq;
    if (s == RIDGE_SITUATION_LONG_CONTEXT)
        r->model.past = most - 1;
    return s != RIDGE_SITUATION_LONG_CONTEXT || most > 0;
}

static ridge_status make_table(maker *m, ridge_situation s)
{
    ridge_err failed = {0}, *err = m->err;
    ridge_status st = RIDGE_OK;
    m->table = &m->advice->tables[s];
    m->table->situation = s;
    m->request = m->now->request;
    if (s != RIDGE_SITUATION_PREFILL && !m->now->model->workload.takes.cache) {
        m->table->absent = "the model keeps nothing from step to step";
        return RIDGE_OK;
    }
    if (!set_situation(m, s)) {
        m->table->absent = "the model gives no maximum";
        return RIDGE_OK;
    }
    m->err = &failed;
    for (size_t i = 0; i < m->advice->trial_count && !st && !m->table->absent; i++)
        st = run_trial(m, i);
    m->err = err;
    if (st == RIDGE_NOMEM)
        return ridge_no_memory(err);
    if (!st && !m->table->absent)
        return choose_all(m, err);
    if (st && !(m->table->absent = ridge_arena_strdup(m->advice->arena, ridge_str_of(failed.msg))))
        return ridge_no_memory(err);
    return RIDGE_OK;
}

ridge_status ridge_precision_advice_make(ridge_precision_advice *out, const ridge_prediction *now, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    *out = (ridge_precision_advice){.arena = &now->timed->arena};
    list_trials(out, now);
    maker m = {.advice = out, .now = now, .err = err};
    for (int s = 0; s < RIDGE_SITUATION_COUNT && !st; s++)
        st = make_table(&m, (ridge_situation)s);
    return st;
}
