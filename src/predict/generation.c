/* A request: the prompt's prefill, then one decode step per token. The steps are summed one by one, the cache growing; a closed form
 * of the step (symbolic past) makes each a few arithmetic operations. */
#include "predict/predict.h"

typedef struct steps {
    ridge_analysis *timed;
    ridge_plan *plan;
    ridge_plan_room room;
    int batch_input, past_input; /* of the algebra; -1: not used */
    int encoder_input;
    int64_t batch; /* of a microbatch */
} steps;

static int input_named(const ridge_algebra *g, const char *name)
{
    for (uint32_t i = 0; i < g->atom_count; i++)
        if (g->atoms[i]->kind == RIDGE_ATOM_NAME && strcmp(g->atoms[i]->name, name) == 0)
            return (int)g->atoms[i]->input;
    return -1;
}

static ridge_predict_request decode_request(const ridge_prediction *p, int64_t past)
{
    ridge_predict_request r = p->request;
    r.generate = 0;
    r.model.phase = RIDGE_PHASE_DECODE;
    r.model.past = past;
    r.model.seq = 1;
    r.model.decoder_seq = RIDGE_UNSET;
    if (p->model->workload.encoder_decoder)
        r.model.encoder_len = p->generation.prompt;
    return r;
}

/* the context when token `step` of the steps runs; encoder-decoders began with one token */
static int64_t past_at(const ridge_prediction *p, int64_t step)
{
    return (p->model->workload.encoder_decoder ? 1 : p->generation.prompt) + step;
}

/* ---- closed form ---- */

static void run_batch(steps *s, ridge_plan_times *times, double (*inputs)[RIDGE_LANES], const ridge_prediction *p, int64_t first)
{
    for (int k = 0; k < RIDGE_LANES; k++) {
        if (s->batch_input >= 0)
            inputs[s->batch_input][k] = (double)s->batch;
        if (s->past_input >= 0)
            inputs[s->past_input][k] = (double)past_at(p, first + k);
        if (s->encoder_input >= 0)
            inputs[s->encoder_input][k] = (double)p->generation.prompt;
    }
    ridge_plan_run(s->plan, &s->room, times, (const double(*)[RIDGE_LANES])inputs);
}

static ridge_status sum_closed_form(double *seconds, steps *s, const ridge_prediction *p, int64_t count, ridge_err *err)
{
    ridge_plan_times *times = ridge_arena_alloc(&s->timed->arena, sizeof *times);
    double(*inputs)[RIDGE_LANES] = ridge_arena_array(&s->timed->arena, s->timed->algebra.input_count + 1u, sizeof *inputs);
    if (!times || !inputs || !ridge_plan_room_make(&s->room, s->plan))
        return ridge_no_memory(err);
    for (int64_t at = 0; at < count; at += RIDGE_LANES) {
        run_batch(s, times, inputs, p, at);
        for (int64_t k = 0; k < RIDGE_LANES && at + k < count; k++)
            *seconds += times->time_s[k];
    }
    ridge_plan_room_free(&s->room);
    return RIDGE_OK;
}

static ridge_status closed_form(double *seconds, const ridge_prediction *p, ridge_registry *registry, int64_t count, ridge_err *err)
{
    ridge_predict_request r = decode_request(p, past_at(p, 0));
    steps s = {0};
    ridge_status st = ridge_parallel_batch(&s.batch, &r.parallel, p->model->workload.batch, err);
    if (st)
        return st;
    st = ridge_predict_plan(&s.timed, &s.plan, registry, p->machine, &r, p->model, true, err);
    if (!st) {
        s.batch_input = input_named(&s.timed->algebra, "B");
        s.past_input = input_named(&s.timed->algebra, "past");
        s.encoder_input = input_named(&s.timed->algebra, "enc");
        st = sum_closed_form(seconds, &s, p, count, err);
    }
    ridge_analysis_free(s.timed);
    return st;
}

/* ---- step by step, for a model without a closed form ---- */

static ridge_status one_by_one(double *seconds, const ridge_prediction *p, ridge_registry *registry, int64_t count, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    *seconds = 0;
    for (int64_t i = 0; i < count && !st; i++) {
        ridge_predict_request r = decode_request(p, past_at(p, i));
        ridge_prediction *step;
        if (!(st = ridge_prediction_make(&step, registry, p->machines, &r, err)))
            *seconds += step->time_s;
        ridge_prediction_free(step);
    }
    return st;
}

/* ---- the request ---- */

static ridge_status prefill(double *seconds, const ridge_prediction *p, ridge_registry *registry, ridge_err *err)
{
    ridge_predict_request r = p->request;
    ridge_prediction *first;
    r.generate = 0;
    r.model.phase = RIDGE_PHASE_PREFILL;
    r.model.seq = p->generation.prompt;
    r.model.past = RIDGE_UNSET;
    if (p->model->workload.encoder_decoder)
        r.model.decoder_seq = 1;
    ridge_status st = ridge_prediction_make(&first, registry, p->machines, &r, err);
    if (!st)
        *seconds = first->time_s;
    ridge_prediction_free(first);
    return st;
}

ridge_model_request ridge_prediction_last_step(const ridge_prediction *p)
{
    const int64_t generate = p->generation.generate;
    return decode_request(p, past_at(p, generate > 1 ? generate - 2 : 0)).model;
}

/* the cache when the last token is made, and whether the model still fits then */
static ridge_status at_the_end(ridge_prediction *p, ridge_registry *registry, ridge_err *err)
{
    ridge_generation *g = &p->generation;
    const ridge_model_request r = ridge_prediction_last_step(p);
    ridge_memory last;
    ridge_status st = ridge_parallel_memory(&last, registry, &r, &p->request.parallel, err);
    if (st)
        return st;
    g->kv_bytes = last.kv_cache;
    g->memory_bytes = last.total;
    g->max_batch = RIDGE_FIT_UNKNOWN;
    p->fits = p->fits && (p->capacity_bytes < 0 || g->memory_bytes <= ridge_reserve_left(&p->request.reserve, p->capacity_bytes));
    return RIDGE_OK;
}

ridge_status ridge_prediction_generation(ridge_prediction *p, ridge_registry *registry, ridge_err *err)
{
    ridge_generation *g = &p->generation;
    const int64_t count = p->request.generate - 1; /* steps */
    ridge_status st;
    g->generate = p->request.generate;
    g->prompt = p->request.prompt;
    if ((st = prefill(&g->ttft_s, p, registry, err)) || (st = at_the_end(p, registry, err)))
        return st;
    if (count > 0 && closed_form(&g->generation_s, p, registry, count, err)) {
        ridge_err_clear(err);
        if ((st = one_by_one(&g->generation_s, p, registry, count, err)))
            return st;
    }
    double batch = (double)p->model->workload.batch;
    g->tpot_s = count > 0 ? g->generation_s / (double)count : RIDGE_PREDICT_UNKNOWN;
    g->latency_s = g->ttft_s + g->generation_s;
    g->requests_per_s = batch / g->latency_s;
    ridge_prediction_price(p, g->latency_s, batch * (double)g->generate, RIDGE_PREDICT_UNKNOWN);
    g->tokens_per_s = batch * (double)g->generate / g->latency_s;
    return RIDGE_OK;
}
