#include "advice/trial.h"

/* ---- what one kernel moves ---- */

/* INT values as doubles; a symbolic one is none here */
static double plain(ridge_value v)
{
    ridge_int i;
    return ridge_value_as_int(&i, v) ? (double)i : 0;
}

static bool has_attention(const ridge_kernel *k)
{
    return plain(k->cost.flops[RIDGE_FLOP_ATTENTION]) > 0;
}

static double kv_bytes(const ridge_kernel *k)
{
    return plain(k->calls) * (plain(k->cost.reads[RIDGE_BYTE_KV]) + plain(k->cost.writes[RIDGE_BYTE_KV]));
}

static bool is_weighted_matrix(const ridge_kernel *k)
{
    return plain(k->cost.flops[RIDGE_FLOP_MATMUL]) > 0 && plain(k->cost.reads[RIDGE_BYTE_WEIGHTS]) > 0;
}

/* ---- where the time goes ---- */

static void add_kernel(ridge_shares *s, const ridge_kernel *k, const ridge_plan_kernel_times *t)
{
    if (has_attention(k))
        s->attention += t->time_s;
    if (t->compute_s > t->memory_s) {
        s->compute += t->compute_s;
    } else if (t->bytes > 0) {
        double kv = kv_bytes(k);
        s->weights += t->memory_s * t->weight_bytes / t->bytes;
        s->kv += t->memory_s * kv / t->bytes;
        s->activations += t->memory_s * (t->bytes - t->weight_bytes - kv) / t->bytes;
    }
}

static void scale(ridge_shares *s, double factor)
{
    s->weights *= factor;
    s->kv *= factor;
    s->activations *= factor;
    s->compute *= factor;
    s->attention *= factor;
}

/* seconds by part of one pass; *balance as in ridge_trial */
static ridge_status seconds_of(ridge_shares *s, double *balance, const ridge_prediction *p, ridge_err *err)
{
    ridge_plan_room room;
    ridge_plan_times *times;
    ridge_status st = ridge_prediction_run(&times, &room, p, err);
    *s = (ridge_shares){0};
    *balance = 0;
    if (st)
        return st;
    for (size_t i = 0; i < p->timed->kernels.n; i++) {
        ridge_plan_kernel_times t = ridge_plan_kernel_at(p->plan, &room, i, 0);
        add_kernel(s, &p->timed->kernels.p[i], &t);
        if (is_weighted_matrix(&p->timed->kernels.p[i]))
            *balance += t.compute_s - t.memory_s;
    }
    ridge_plan_room_free(&room);
    return RIDGE_OK;
}

/* adds the seconds of a pass of a request, which takes `seconds` of its latency */
static ridge_status add_pass(ridge_shares *s, ridge_predict_request request, double seconds, const ridge_prediction *now, ridge_err *err)
{
    ridge_prediction *p;
    ridge_shares one;
    double unused;
    ridge_status st = ridge_prediction_make(&p, now->model->registry, now->machines, &request, err);
    if (!st && !(st = seconds_of(&one, &unused, p, err)) && p->time_s > 0) {
        scale(&one, seconds / p->time_s);
        s->weights += one.weights;
        s->kv += one.kv;
        s->activations += one.activations;
        s->compute += one.compute;
        s->attention += one.attention;
    }
    ridge_prediction_free(p);
    return st;
}

ridge_status ridge_shares_of(ridge_shares *out, const ridge_prediction *p, ridge_err *err)
{
    const ridge_generation *g = &p->generation;
    double balance, total = ridge_prediction_total_s(p);
    ridge_status st;
    *out = (ridge_shares){0};
    if (g->generate == 0)
        st = seconds_of(out, &balance, p, err);
    else if (!(st = add_pass(out, ridge_trial_prefill(p), g->ttft_s, p, err)) && g->generation_s > 0)
        st = add_pass(out, ridge_trial_step(p), g->generation_s, p, err);
    scale(out, total > 0 ? 1 / total : 0);
    return st;
}

/* ---- requests ---- */

static ridge_predict_request without_extras(const ridge_prediction *now)
{
    ridge_predict_request r = now->request;
    r.all = false;
    return r;
}

ridge_predict_request ridge_trial_step(const ridge_prediction *now)
{
    ridge_predict_request r = without_extras(now);
    if (r.generate == 0)
        return r;
    r.model.phase = RIDGE_PHASE_DECODE;
    r.model.seq = 1;
    r.model.decoder_seq = RIDGE_UNSET;
    r.model.past = now->model->workload.encoder_decoder ? 1 + r.generate / 2 : r.prompt + r.generate / 2;
    if (now->model->workload.encoder_decoder)
        r.model.encoder_len = r.prompt;
    r.prompt = r.generate = 0;
    return r;
}

ridge_predict_request ridge_trial_prefill(const ridge_prediction *now)
{
    ridge_predict_request r = without_extras(now);
    r.model.phase = RIDGE_PHASE_PREFILL;
    r.model.seq = r.prompt;
    r.model.past = RIDGE_UNSET;
    if (now->model->workload.encoder_decoder)
        r.model.decoder_seq = 1;
    r.prompt = r.generate = 0;
    return r;
}

/* ---- trials ---- */

ridge_status ridge_trial_predict(ridge_prediction **out, ridge_predict_request *request, const ridge_prediction *now,
                                 const ridge_changes *changes, ridge_arena *arena, ridge_err *err)
{
    *out = NULL;
    request->all = false;
    ridge_status st = ridge_changes_apply(request, changes, arena, err);
    return st ? st : ridge_prediction_make(out, now->model->registry, now->machines, request, err);
}

static ridge_status read_trial(ridge_trial *t, const ridge_prediction *p, ridge_err *err)
{
    ridge_shares unused;
    ridge_status st = seconds_of(&unused, &t->balance, p, err);
    t->possible = true;
    t->fits = p->fits;
    t->total_s = ridge_prediction_total_s(p);
    t->tokens_per_s = ridge_prediction_tokens_per_s(p);
    t->images_per_s = p->images_per_s;
    t->memory_bytes = ridge_prediction_memory(p);
    t->flops = (double)p->rows[0].flops;
    return st;
}

ridge_status ridge_trial_run(ridge_trial *out, const ridge_prediction *now, const ridge_predict_request *base, const ridge_changes *changes,
                             ridge_arena *arena, ridge_err *err)
{
    ridge_predict_request request = *base;
    ridge_prediction *p;
    ridge_err failed = {0};
    *out = (ridge_trial){.changes = *changes};
    ridge_status st = ridge_trial_predict(&p, &request, now, changes, arena, &failed);
    if (!st)
        st = read_trial(out, p, &failed);
    ridge_prediction_free(p);
    return st == RIDGE_NOMEM ? ridge_no_memory(err) : RIDGE_OK;
}
