/* Predictions, operators and machines of the public interface. */
#include "api/session.h"
#include "operator/request.h"
#include "model/output.h"
#include "predict/request.h"
#include "machine/fields.h"

/* the prediction and what it needs open */
typedef struct predicted {
    ridge_predict_request request;
    ridge_machines *machines;
    ridge_prediction *prediction;
} predicted;

static ridge_status predict(predicted *p, ridge_session *s, const char *model, const char *const *options, size_t count)
{
    ridge_status st = ridge_session_begin(s);
    *p = (predicted){0};
    ridge_predict_default(&p->request);
    p->request.model.model = model;
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_predict_request_set(&p->request, options[i], &s->err);
    if (!st)
        st = ridge_predict_request_check(&p->request, &s->err);
    if (!st)
        st = ridge_machines_open(&p->machines, NULL, 0, &s->err);
    return st ? st : ridge_prediction_make(&p->prediction, s->registry, p->machines, &p->request, &s->err);
}

static void predicted_free(predicted *p)
{
    ridge_prediction_free(p->prediction);
    ridge_machines_close(p->machines);
}

static void fill_prediction(ridge_predict_totals *out, const ridge_prediction *p)
{
    const ridge_generation *g = &p->generation;
    const bool request = g->generate > 0;
    *out = (ridge_predict_totals){.time_s = p->time_s,
                                  .tokens_per_s = p->tokens_per_s,
                                  .mfu = p->mfu,
                                  .bandwidth_utilisation = p->bandwidth_utilisation,
                                  .ttft_s = request ? g->ttft_s : RIDGE_PREDICT_UNKNOWN,
                                  .tpot_s = request ? g->tpot_s : RIDGE_PREDICT_UNKNOWN,
                                  .generation_s = request ? g->generation_s : RIDGE_PREDICT_UNKNOWN,
                                  .requests_per_s = request ? g->requests_per_s : RIDGE_PREDICT_UNKNOWN,
                                  .flops = ridge_session_count(p->rows[0].flops),
                                  .bytes = ridge_session_count(p->rows[0].bytes),
                                  .memory = ridge_session_count(p->model->memory.total),
                                  .capacity = ridge_session_count(p->capacity_bytes < 0 ? 0 : p->capacity_bytes),
                                  .fits = p->fits,
                                  .memory_bound = p->bound == RIDGE_BOUND_MEMORY};
}

int ridge_model_predict(ridge_session *s, ridge_predict_totals *out, const char *model, const char *const *options, size_t count)
{
    predicted p;
    ridge_status st = predict(&p, s, model, options, count);
    if (!st)
        fill_prediction(out, p.prediction);
    predicted_free(&p);
    return ridge_session_finish(s, st);
}

char *ridge_model_predict_json(ridge_session *s, const char *model, const char *const *options, size_t count)
{
    predicted p;
    ridge_buf out = {0};
    ridge_status st = predict(&p, s, model, options, count);
    if (!st && !(st = ridge_prediction_fit(p.prediction, s->registry, &s->err)))
        st = ridge_output_predict_json(&out, p.prediction, &s->err);
    predicted_free(&p);
    return ridge_session_text(s, &out, st);
}

/* ---- operators, machines ---- */

static ridge_status ask(ridge_buf *out, ridge_session *s, const char *kind, const char *const *options, size_t count, ridge_arena *arena,
                        ridge_machines *machines)
{
    ridge_op_question question = {0};
    ridge_op_answer answer;
    ridge_ops ops;
    ridge_status st = ridge_op_read_kind(&question.kind, kind, &s->err);
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_op_request_set(&question, options[i], machines, arena, &s->err);
    if (st || (st = ridge_ops_open(&ops, &s->err)))
        return st;
    if (!(st = ridge_op_ask(&answer, &question, &ops, arena, &s->err)))
        ridge_op_json(out, &answer);
    ridge_ops_close(&ops);
    return st;
}

char *ridge_op_json_text(ridge_session *s, const char *kind, const char *const *options, size_t count)
{
    ridge_machines *machines = NULL;
    ridge_arena arena;
    ridge_buf out = {0};
    ridge_status st = ridge_session_begin(s);
    ridge_arena_init(&arena);
    if (!st && !(st = ridge_machines_open(&machines, NULL, 0, &s->err)))
        st = ask(&out, s, kind, options, count, &arena, machines);
    ridge_machines_close(machines);
    ridge_arena_free(&arena);
    return ridge_session_text(s, &out, st);
}

char *ridge_machine_json_text(ridge_session *s, const char *id)
{
    ridge_machines *machines = NULL;
    const ridge_machine *machine;
    ridge_json_writer w;
    ridge_buf out = {0};
    ridge_status st = ridge_session_begin(s);
    if (!st && !(st = ridge_machines_open(&machines, NULL, 0, &s->err)) && !(st = ridge_machines_find(&machine, machines, id, &s->err))) {
        ridge_jw_answer(&w, &out);
        ridge_machine_json_members(&w, machine);
        ridge_jw_end_object(&w);
        ridge_buf_addc(&out, '\n');
    }
    ridge_machines_close(machines);
    return ridge_session_text(s, &out, st);
}
