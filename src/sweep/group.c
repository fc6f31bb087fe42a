#include "sweep/group.h"

#include <math.h>
#include <stdlib.h>

/* ---- which group ---- */

static int64_t at_least_1(int64_t n)
{
    return n > 0 ? n : 1;
}

/* a phase's axis of fixed lengths: the past in prefill, the new tokens in decode */
static const ridge_sweep_axis *fixed_axis(const ridge_sweep_request *r, ridge_phase phase)
{
    return phase == RIDGE_PHASE_DECODE ? &r->seq : &r->past;
}

static int64_t groups_of_phase(const ridge_sweep_request *r, ridge_phase phase)
{
    return at_least_1((int64_t)r->weights.n) * at_least_1((int64_t)r->activations.n) * at_least_1((int64_t)r->kv.n) *
           at_least_1(fixed_axis(r, phase)->count);
}

int64_t ridge_sweep_group_count(const ridge_sweep_request *r)
{
    int64_t n = 0;
    for (size_t i = 0; i < r->phases.n; i++)
        n += groups_of_phase(r, r->phases.items[i]);
    return n;
}

/* the next digit of a number whose digits have the sizes of the axes, the last axis first */
static int64_t digit(int64_t *number, int64_t size)
{
    int64_t d = *number % at_least_1(size);
    *number /= at_least_1(size);
    return d;
}

static void set_format(const ridge_format **format, const ridge_formats *formats, int64_t *number)
{
    int64_t i = digit(number, (int64_t)formats->n);
    if (formats->n)
        *format = formats->items[i];
}

/* the request of group `number`, whose batch and varying length are the axes' largest */
static void choose(ridge_sweep_group *g, int64_t number)
{
    const ridge_sweep_request *r = g->sweep->request;
    ridge_model_request *m = &g->request.model;
    size_t phase = 0;
    g->request = r->predict;
    while (number >= groups_of_phase(r, r->phases.items[phase]))
        number -= groups_of_phase(r, r->phases.items[phase++]);
    m->phase = r->phases.items[phase];
    if (r->batch.count)
        m->batch = r->batch.most;
    if (r->seq.count)
        m->seq = r->seq.most;
    if (r->past.count)
        m->past = r->past.most;
    const ridge_sweep_axis *fixed = fixed_axis(r, m->phase);
    int64_t at = digit(&number, fixed->count);
    if (fixed->count)
        *(m->phase == RIDGE_PHASE_DECODE ? &m->seq : &m->past) = ridge_sweep_axis_at(fixed, at);
    set_format(&m->kv, &r->kv, &number);
    set_format(&m->activations, &r->activations, &number);
    set_format(&m->weights, &r->weights, &number);
}

/* an axis of several values that the model does not take would give equal points */
static ridge_status check_axes(const ridge_sweep_group *g, ridge_err *err)
{
    const ridge_sweep_request *r = g->sweep->request;
    const ridge_takes *t = &g->exact->workload.takes;
    if (!t->tokens && r->seq.count > 1)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("seq") ": %s takes no tokens: all points would be equal", g->exact->architecture);
    if (!t->cache && (r->past.count > 1 || r->kv.n > 1))
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": %s keeps no cache: all points would be equal", r->kv.n > 1 ? "kv" : "past",
                          g->exact->architecture);
    return RIDGE_OK;
}

/* axes that were not given, or not taken, have the one value that the analysis chose */
static ridge_status find_axes(ridge_sweep_group *g, ridge_err *err)
{
    const ridge_sweep_request *r = g->sweep->request;
    const ridge_workload *w = &g->exact->workload;
    bool decode = w->phase == RIDGE_PHASE_DECODE, audio = ridge_workload_hears(w);
    ridge_status st = check_axes(g, err);
    g->batch = r->batch;
    if (w->takes.tokens)
        g->length = decode ? r->past : r->seq;
    g->fixed = decode ? w->seq : w->past;
    g->encoder_decoder = w->encoder_decoder;
    g->decoder_seq = audio ? RIDGE_UNSET : g->request.model.decoder_seq;
    g->encoder_len = decode ? w->encoder_len : g->request.model.encoder_len;
    if (!st && !g->batch.count)
        st = ridge_sweep_axis_of(&g->batch, w->batch, &g->exact->arena, err);
    if (!st && !g->length.count)
        st = ridge_sweep_axis_of(&g->length, decode ? w->past : w->seq, &g->exact->arena, err);
    g->count = g->batch.count * g->length.count;
    return st;
}

/* ---- closed forms ---- */

static int input_named(const ridge_algebra *algebra, const char *name)
{
    for (uint32_t i = 0; i < algebra->atom_count; i++)
        if (algebra->atoms[i]->kind == RIDGE_ATOM_NAME && strcmp(algebra->atoms[i]->name, name) == 0)
            return (int)algebra->atoms[i]->input;
    return -1;
}

static void find_inputs(ridge_sweep_inputs *in, const ridge_analysis *a)
{
    in->batch = input_named(&a->algebra, "B");
    in->seq = input_named(&a->algebra, "S");
    in->past = input_named(&a->algebra, "past");
    in->encoder = input_named(&a->algebra, "enc");
    in->count = a->algebra.input_count;
}

/* FLOPs and bytes of the pass; a mixture's weights are left out: their number is expected, no integer */
static ridge_status add_costs(ridge_value totals[2], const ridge_kernel *k, const ridge_calc *calc)
{
    ridge_value flops, reads, writes;
    ridge_cost cost = k->cost;
    ridge_status st;
    if (k->experts)
        cost.reads[RIDGE_BYTE_WEIGHTS] = ridge_value_int(0);
    if ((st = ridge_cost_flops_total(&flops, &cost, calc)) || (st = ridge_cost_bytes_total(&reads, cost.reads, calc)) ||
        (st = ridge_cost_bytes_total(&writes, cost.writes, calc)) || (st = ridge_value_binary(&reads, RIDGE_OP_ADD, reads, writes, calc)) ||
        (st = ridge_value_binary(&flops, RIDGE_OP_MUL, flops, k->calls, calc)) ||
        (st = ridge_value_binary(&reads, RIDGE_OP_MUL, reads, k->calls, calc)) ||
        (st = ridge_value_binary(&totals[0], RIDGE_OP_ADD, totals[0], flops, calc)))
        return st;
    return ridge_value_binary(&totals[1], RIDGE_OP_ADD, totals[1], reads, calc);
}

static ridge_status make_timed(ridge_sweep_group *g, ridge_err *err)
{
    const ridge_sweep *s = g->sweep;
    ridge_value totals[2] = {ridge_value_int(0), ridge_value_int(0)};
    ridge_status st = ridge_analysis_kernels(&g->timed, s->registry, &g->request.model, g->exact, RIDGE_ROWS_FOLDED, true, err);
    if (st)
        return st;
    const ridge_calc *calc = &g->timed->graph.run.calc;
    for (size_t i = 0; i < g->timed->kernels.n && !st; i++)
        st = add_costs(totals, &g->timed->kernels.p[i], calc);
    if (st || (st = ridge_counts_make(&g->costs, totals, 2, calc)))
        return st;
    find_inputs(&g->timed_inputs, g->timed);
    if (!(g->plans = ridge_arena_array(&g->timed->arena, s->request->machines.count + 1, sizeof(ridge_plan *))))
        return ridge_no_memory(err);
    for (size_t i = 0; i < s->request->machines.count && !st; i++)
        st = ridge_predict_plan_on(&g->plans[i], g->timed, s->machines[i], &g->request, g->exact->memory.weights);
    return st;
}

static ridge_status make_forms(ridge_sweep_group *g, ridge_err *err)
{
    ridge_status st = ridge_analysis_forms(&g->forms, g->sweep->registry, &g->request.model, RIDGE_SYMBOLS_ALL, true, err);
    if (st || (st = ridge_counts_make(&g->memory, &g->forms->memory_forms.total, 1, &g->forms->graph.run.calc)))
        return st;
    find_inputs(&g->forms_inputs, g->forms);
    return RIDGE_OK;
}

static bool is_lack_of_a_form(ridge_status st)
{
    return st && st != RIDGE_NOMEM;
}

/* Out of several machines one may lack a rate: that is an error of its own, which the slow way would meet again. */
static ridge_status make_closed_forms(ridge_sweep_group *g, ridge_err *err)
{
    ridge_err why = {0};
    ridge_status st = make_timed(g, &why);
    if (st && (st == RIDGE_NOMEM || g->costs)) {
        if (err)
            *err = why;
        return st;
    }
    if (is_lack_of_a_form(st)) {
        ridge_analysis_free(g->timed);
        g->timed = NULL;
        return RIDGE_OK;
    }
    st = make_forms(g, &why);
    if (!is_lack_of_a_form(st))
        return st ? ridge_fail(err, st, "out of memory") : RIDGE_OK;
    ridge_analysis_free(g->forms);
    g->forms = NULL;
    return RIDGE_OK;
}

ridge_status ridge_sweep_group_make(ridge_sweep_group **out, ridge_sweep *s, int64_t number, ridge_err *err)
{
    ridge_sweep_group *g = *out = calloc(1, sizeof *g);
    ridge_status st;
    if (!g)
        return ridge_no_memory(err);
    (void)pthread_mutex_init(&g->slow, NULL);
    g->sweep = s;
    choose(g, number);
    if ((st = ridge_analysis_exact(&g->exact, s->registry, &g->request.model, RIDGE_ROWS_NONE, err)))
        return st;
    if (g->exact->nothing_known)
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to predict", g->exact->architecture);
    if ((st = find_axes(g, err)))
        return st;
    return make_closed_forms(g, err);
}

void ridge_sweep_group_free(ridge_sweep_group *g)
{
    if (!g)
        return;
    ridge_analysis_free(g->exact);
    ridge_analysis_free(g->timed);
    ridge_analysis_free(g->forms);
    (void)pthread_mutex_destroy(&g->slow);
    free(g->memo);
    free(g);
}
