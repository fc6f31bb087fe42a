/* The public interface's functions that answer numbers: models, predictions, single formulas. */
#include "api/session.h"
#include "command/model.h"
#include "cost/sums.h"
#include "entries/formula.h"
#include "predict/predict.h"

/* ---- models ---- */

static ridge_status fill_cost(ridge_cost_totals *out, const ridge_analysis *a, ridge_err *err)
{
    ridge_flop_sums f;
    ridge_byte_sums b;
    const ridge_memory *m = &a->memory;
    ridge_status st = ridge_cost_sums(&f, &b, &a->total, err);
    if (st)
        return st;
    out->parameters = ridge_session_count(a->parameters.total);
    out->parameters_active = ridge_session_count(a->parameters.active);
    out->parameters_embedding = ridge_session_count(a->parameters.embedding);
    out->flops = (ridge_cost_flops){
        .total = ridge_session_count(f.total),
#define X(code, name) .name = ridge_session_count(f.by_class[RIDGE_FLOP_##code]),
        RIDGE_FLOP_LIST(X)
#undef X
            .torch = ridge_session_count(f.torch),
    };
    out->bytes = (ridge_cost_bytes){.total = ridge_session_count(b.total),
                                    .read_weights = ridge_session_count(b.reads[RIDGE_BYTE_WEIGHTS]),
                                    .read_activations = ridge_session_count(b.reads[RIDGE_BYTE_ACTIVATIONS]),
                                    .read_kv = ridge_session_count(b.reads[RIDGE_BYTE_KV]),
                                    .read_intermediates = ridge_session_count(b.reads[RIDGE_BYTE_INTERMEDIATES]),
                                    .written_activations = ridge_session_count(b.writes[RIDGE_BYTE_ACTIVATIONS]),
                                    .written_kv = ridge_session_count(b.writes[RIDGE_BYTE_KV]),
                                    .written_intermediates = ridge_session_count(b.writes[RIDGE_BYTE_INTERMEDIATES])};
    out->memory = (ridge_cost_memory){.total = ridge_session_count(m->total),
                                      .weights = ridge_session_count(m->weights),
                                      .kv_cache = ridge_session_count(m->kv_cache),
                                      .activations_peak = ridge_session_count(m->activations_peak),
                                      .gradients = ridge_session_count(m->gradients),
                                      .optimizer = ridge_session_count(m->optimizer)};
    return RIDGE_OK;
}

/* config NULL: the model is read from where `name` says */
static int cost(ridge_session *s, ridge_cost_totals *out, const char *name, const char *config, size_t length, const char *const *options,
                size_t count)
{
    static const ridge_option_table tables[] = {{.options = ridge_options_workload}, {.options = ridge_options_class}, {.options = NULL}};
    ridge_model_request request = {.model = name, .config_text = config, .config_length = length};
    ridge_analysis *a = NULL;
    ridge_call call;
    ridge_status st = ridge_session_begin(&call, s);
    if (!st && !(st = ridge_session_options(&call, s, &request, tables, NULL, options, count)) &&
        !(st = ridge_analysis_exact(&a, s->registry, &request, RIDGE_ROWS_NONE, &s->err)))
        st = fill_cost(out, a, &s->err);
    if (!st)
        ridge_call_warn_model(&call, a);
    ridge_analysis_free(a);
    return ridge_session_end(&call, s, st);
}

int ridge_model_cost(ridge_session *s, ridge_cost_totals *out, const char *model, const char *const *options, size_t count)
{
    return cost(s, out, model, NULL, 0, options, count);
}

int ridge_config_cost(ridge_session *s, ridge_cost_totals *out, const char *name, const char *config, size_t length,
                      const char *const *options, size_t count)
{
    return cost(s, out, name, config, length, options, count);
}

/* ---- predictions ---- */

static void fill_prediction(ridge_predict_totals *out, const ridge_prediction *p)
{
    const ridge_generation *g = &p->generation;
    const bool asked = g->generate > 0;
    *out = (ridge_predict_totals){.time_s = p->time_s,
                                  .tokens_per_s = p->tokens_per_s,
                                  .mfu = p->mfu,
                                  .bandwidth_utilisation = p->bandwidth_utilisation,
                                  .ttft_s = asked ? g->ttft_s : RIDGE_PREDICT_UNKNOWN,
                                  .tpot_s = asked ? g->tpot_s : RIDGE_PREDICT_UNKNOWN,
                                  .generation_s = asked ? g->generation_s : RIDGE_PREDICT_UNKNOWN,
                                  .requests_per_s = asked ? g->requests_per_s : RIDGE_PREDICT_UNKNOWN,
                                  .flops = ridge_session_count(p->rows[0].flops),
                                  .bytes = ridge_session_count(p->rows[0].bytes),
                                  .memory = ridge_session_count(p->model->memory.total),
                                  .capacity = ridge_session_count(p->capacity_bytes < 0 ? 0 : p->capacity_bytes),
                                  .fits = p->fits,
                                  .memory_bound = p->bound == RIDGE_BOUND_MEMORY,
                                  .images_per_s = p->images_per_s};
}

int ridge_model_predict(ridge_session *s, ridge_predict_totals *out, const char *model, const char *const *options, size_t count)
{
    ridge_predict_request request = {.model.model = model};
    ridge_prediction *p = NULL;
    ridge_call call;
    ridge_status st = ridge_session_begin(&call, s);
    if (!st && !(st = ridge_session_options(&call, s, &request, ridge_predict_tables, ridge_predict_defaults, options, count)))
        st = ridge_predict_request_check(&request, &s->err);
    if (!st && !(st = ridge_prediction_make(&p, s->registry, s->machines, &request, &s->err))) {
        fill_prediction(out, p);
        ridge_call_warn_model(&call, p->model);
    }
    ridge_prediction_free(p);
    return ridge_session_end(&call, s, st);
}

/* ---- formulas ---- */

static ridge_status compute(ridge_count *out, ridge_call *call, ridge_session *s, const char *context, const char *path,
                            const char *const *arguments, size_t count)
{
    ridge_formula_request request = {0};
    ridge_formula_answer answer;
    ridge_int n = 0;
    int which = RIDGE_CONTEXT_FLOPS;
    ridge_status st = ridge_words_add(&request.words, path, &call->arena, &s->err);
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_words_add(&request.words, arguments[i], &call->arena, &s->err);
    if (st ||
        (st = ridge_choice_read(&which, ridge_context_names, (ridge_str){context, strlen(context)}, "context", &call->arena, &s->err)))
        return st;
    request.context = (ridge_context)which;
    if ((st = ridge_formula_answer_make(&answer, s->registry, &request, &call->arena, &s->err)))
        return st;
    if (!ridge_value_as_int(&n, answer.whole.result.value))
        return ridge_fail(&s->err, RIDGE_VALUE, "%s is %s here, not an integer", path,
                          ridge_value_type_name(answer.whole.result.value.type));
    *out = ridge_session_count(n);
    return RIDGE_OK;
}

int ridge_compute(ridge_session *s, ridge_count *out, const char *context, const char *path, const char *const *arguments, size_t count)
{
    ridge_call call;
    ridge_status st = ridge_session_begin(&call, s);
    return ridge_session_end(&call, s, st ? st : compute(out, &call, s, context, path, arguments, count));
}

int ridge_compute_flops(ridge_session *s, ridge_count *out, const char *path, const char *const *arguments, size_t count)
{
    return ridge_compute(s, out, "flops", path, arguments, count);
}
