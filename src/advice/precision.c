/* --recommend: which formats each kind of operator is fastest in, for decode, prefill and a full context. The whole model is predicted in
 * one choice of formats after the other; the rows of each prediction give each kind's time. Times only: nothing is said of quality. */
#include <stdlib.h>

#include "advice/trial.h"

const char *const ridge_operator_names[] = {
#define X(code, name, title) #name,
    RIDGE_OPERATOR_LIST(X)
#undef X
        NULL};
const char *const ridge_operator_titles[] = {
#define X(code, name, title) title,
    RIDGE_OPERATOR_LIST(X)
#undef X
        NULL};
const char *const ridge_situation_names[] = {
#define X(code, name) #name,
    RIDGE_SITUATION_LIST(X)
#undef X
        NULL};

/* a kind keeps its formats where all of it saves less than this part of the pass */
#define LEAST_GAIN 1e-3
/* of trials this close the earlier counts: weights alone before activations too */
#define CLOSE 0.01

/* ---- kinds ---- */

static bool contains(ridge_str text, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= text.n; i++)
        if (memcmp(text.p + i, word, n) == 0)
            return true;
    return false;
}

static bool contains_any(ridge_str text, const char *const *words)
{
    while (*words && !contains(text, *words))
        words++;
    return *words;
}

static bool has(ridge_value v)
{
    ridge_int i;
    return ridge_value_as_int(&i, v) && i > 0;
}

/* names as transformers gives them to modules; a matrix of no such name is an "other matrix" */
static ridge_operator matrix_kind(const ridge_kernel *k, ridge_str path)
{
    static const char *const attention[] = {"attn", "attention", "Attention", NULL};
    static const char *const mlp[] = {"mlp", "ffn", "feed_forward", "fc", "ff.", "dense", "Dense", "intermediate", "output", NULL};
    static const char *const repeated[] = {"*", "{", NULL};
    static const char *const heads[] = {"lm_head", "embed_out", "output_projection", "predictions", "vocab_", "cls.", "classifier",
                                        "score",   NULL};
    if (k->experts || contains(path, "experts"))
        return RIDGE_OPERATOR_EXPERTS;
    if (contains_any(path, heads) && !contains_any(path, repeated))
        return RIDGE_OPERATOR_LM_HEAD;
    if (contains_any(path, attention))
        return RIDGE_OPERATOR_ATTENTION_PROJECTIONS;
    return contains_any(path, mlp) ? RIDGE_OPERATOR_MLP : RIDGE_OPERATOR_OTHER_MATRICES;
}

static ridge_operator kind_of(const ridge_kernel *k, const ridge_row *row)
{
    const ridge_cost *c = &k->cost;
    if (has(c->flops[RIDGE_FLOP_ATTENTION]) || has(c->reads[RIDGE_BYTE_KV]) || has(c->writes[RIDGE_BYTE_KV]))
        return RIDGE_OPERATOR_ATTENTION;
    if (has(c->flops[RIDGE_FLOP_MATMUL]) && has(c->reads[RIDGE_BYTE_WEIGHTS]))
        return matrix_kind(k, row->path);
    return contains(ridge_str_of(row->class_name), "Norm") ? RIDGE_OPERATOR_NORMS : RIDGE_OPERATOR_REST;
}

/* ---- trials ---- */

static void add_trial(ridge_precision_advice *a, const ridge_format *weights, const ridge_format *activations, const ridge_format *kv,
                      bool uniform)
{
    if (a->trial_count < RIDGE_PRECISION_TRIALS)
        a->trials[a->trial_count++] = (ridge_precision_trial){weights, activations, kv, uniform};
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
    add_trial(a, w->weights, w->activations, fp8, false);
    add_trial(a, w->weights, w->activations, format_named("int8"), false);
    for (size_t i = 0; i < n; i++)
        if (!formats[i].needs_rate || peak[formats[i].rate] > 0)
            add_trial(a, format_named(formats[i].format), w->activations, w->kv, false);
    for (size_t i = 0; i < n; i++)
        if (formats[i].rate != RIDGE_PRECISION_COUNT && peak[formats[i].rate] > 0) {
            const ridge_format *format = format_named(formats[i].format);
            add_trial(a, format, format, formats[i].narrow ? fp8 : format, true);
        }
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
        ridge_operator kind = kind_of(k, &p->timed->rows.p[k->row]);
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
    ridge_err *err;
} maker;

static ridge_status run_trial(maker *m, size_t trial)
{
    ridge_precision_table *t = m->table;
    ridge_predict_request r = m->request;
    const ridge_precision_trial *formats = &m->advice->trials[trial];
    ridge_changes none = {0};
    ridge_prediction *p;
    kind_times kinds;
    r.model.weights = formats->weights;
    r.model.activations = formats->activations;
    r.model.kv = formats->kv;
    ridge_status st = ridge_trial_predict(&p, &r, m->now, &none, &m->advice->arena, m->err);
    if (!st && !(st = read_kinds(&kinds, p, m->err))) {
        for (size_t i = 0; i < RIDGE_OPERATOR_COUNT; i++)
            t->kinds[i].times[trial] = kinds.time_s[i];
        for (size_t i = 0; i < RIDGE_OPERATOR_COUNT && trial == 0; i++)
            t->kinds[i].memory_bound_s = kinds.there[i] ? kinds.memory_bound_s[i] : -1;
        if (trial == 0) {
            t->batch = p->model->workload.batch;
            t->seq = p->model->workload.seq;
            t->past = p->model->workload.past;
            t->now_s = p->time_s;
            if (t->situation != RIDGE_SITUATION_PREFILL && p->model->memory.kv_cache == 0)
                t->absent = "the model keeps nothing from step to step";
        }
    }
    ridge_prediction_free(p);
    return st;
}

static const char *why(const maker *m, const ridge_precision_choice *c)
{
    double now = c->times[0], then = c->times[c->best];
    const char *unit = c->kind == RIDGE_OPERATOR_ATTENTION ? "the KV cache" : c->kind == RIDGE_OPERATOR_NORMS ? "activations" : "weights";
    ridge_arena *arena = &m->advice->arena;
    if (c->best == 0)
        return now <= LEAST_GAIN * m->table->now_s ? "under 0.1 % of the time" : "no format saves 0.1 % of the time";
    if (2 * c->memory_bound_s >= now)
        return ridge_arena_printf(arena, "memory-bound: it waits for %s", unit);
    return ridge_arena_printf(arena, "compute-bound: %.3g times as fast in %s", now / then, m->advice->trials[c->best].activations->name);
}

static size_t best_trial(const maker *m, const ridge_precision_choice *c)
{
    size_t best = 0;
    double least = c->times[0];
    for (size_t i = 1; i < m->advice->trial_count; i++)
        least = c->times[i] < least ? c->times[i] : least;
    if (c->times[0] - least <= LEAST_GAIN * m->table->now_s)
        return 0;
    while (best < m->advice->trial_count && c->times[best] > least * (1 + CLOSE))
        best++;
    return best;
}

static void choose(maker *m)
{
    ridge_precision_table *t = m->table;
    size_t n = 0;
    for (size_t i = 0; i < RIDGE_OPERATOR_COUNT; i++) {
        ridge_precision_choice c = t->kinds[i];
        if (c.memory_bound_s < 0)
            continue;
        c.kind = (ridge_operator)i;
        c.best = i == RIDGE_OPERATOR_REST ? 0 : best_trial(m, &c);
        c.why = i == RIDGE_OPERATOR_REST ? "runs in the formats around it" : why(m, &c);
        t->then_s += c.times[c.best];
        t->kinds[n++] = c;
    }
    t->kind_count = n;
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
    if (!set_situation(m, s)) {
        m->table->absent = "the model gives no maximum";
        return RIDGE_OK;
    }
    m->err = &failed;
    for (size_t i = 0; i < m->advice->trial_count && !st && !m->table->absent; i++)
        st = run_trial(m, i);
    m->err = err;
    if (st == RIDGE_NOMEM)
        return ridge_fail(err, st, "out of memory");
    if (!st && !m->table->absent)
        choose(m);
    else if (st && !(m->table->absent = ridge_arena_strdup(&m->advice->arena, ridge_str_of(failed.msg))))
        return ridge_no_memory(err);
    return RIDGE_OK;
}

ridge_status ridge_precision_advice_make(ridge_precision_advice **out, const ridge_prediction *now, ridge_err *err)
{
    ridge_precision_advice *a = *out = calloc(1, sizeof *a);
    ridge_status st = RIDGE_OK;
    if (!a)
        return ridge_no_memory(err);
    ridge_arena_init(&a->arena);
    list_trials(a, now);
    maker m = {.advice = a, .now = now, .err = err};
    for (int s = 0; s < RIDGE_SITUATION_COUNT && !st; s++)
        st = make_table(&m, (ridge_situation)s);
    return st;
}

void ridge_precision_advice_free(ridge_precision_advice *a)
{
    if (!a)
        return;
    ridge_arena_free(&a->arena);
    free(a);
}
