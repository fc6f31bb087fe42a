/* The public interface: strings in, exact numbers or JSON out, over the same calls as the command line. */
#include "ridge.h"

#include <stdlib.h>

#include "app/formula.h"
#include "app/output.h"
#include "app/request.h"

struct ridge_session {
    ridge_registry *registry; /* NULL: opening failed */
    ridge_err open_error, err;
    char message[1600];
};

const char *ridge_version(void)
{
    return RIDGE_VERSION;
}

void ridge_free(char *text)
{
    free(text);
}

static int finish(ridge_session *s, ridge_status st)
{
    s->message[0] = 0;
    if (st)
        (void)ridge_err_format(s->message, sizeof s->message, &s->err);
    return st == RIDGE_OK ? 0 : st == RIDGE_USAGE ? 2 : st == RIDGE_CHECK ? 3 : 1;
}

ridge_session *ridge_session_open(const char *const *catalogs, size_t count)
{
    ridge_session *s = calloc(1, sizeof *s);
    if (s && ridge_registry_open(&s->registry, catalogs, count, true, &s->open_error)) {
        s->err = s->open_error;
        (void)finish(s, s->err.code);
    }
    return s;
}

void ridge_session_close(ridge_session *s)
{
    if (!s)
        return;
    ridge_registry_close(s->registry);
    free(s);
}

const char *ridge_session_error(const ridge_session *s)
{
    return s->message;
}

/* ready for a call: the old error forgotten, a failed opening repeated */
static ridge_status begin(ridge_session *s)
{
    s->err = s->open_error;
    return s->registry ? RIDGE_OK : s->err.code;
}

static ridge_count count_of(ridge_int v)
{
    return (ridge_count){(uint64_t)v, (int64_t)(v >> 64)};
}

/* ---- models ---- */

static ridge_status analyse(ridge_session *s, ridge_analysis **a, ridge_request *r, const char *const *options, size_t count)
{
    ridge_status st = begin(s);
    *a = NULL;
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_request_set(r, options[i], &s->err);
    return st ? st : ridge_analysis_make(a, s->registry, r, &s->err);
}

static ridge_status fill_totals(ridge_cost_totals *out, ridge_analysis *a, ridge_err *err)
{
    ridge_flop_sums f;
    ridge_byte_sums b;
    const ridge_memory *m = &a->memory;
    ridge_status st = ridge_output_sums(&f, &b, &a->total, err);
    if (st)
        return st;
    out->parameters = count_of(a->parameters.total);
    out->parameters_active = count_of(a->parameters.active);
    out->parameters_embedding = count_of(a->parameters.embedding);
    out->flops = (ridge_cost_flops){count_of(f.total),
                                    count_of(f.by_class[RIDGE_FLOP_MATMUL]),
                                    count_of(f.by_class[RIDGE_FLOP_ATTENTION]),
                                    count_of(f.by_class[RIDGE_FLOP_ACTIVATION]),
                                    count_of(f.by_class[RIDGE_FLOP_EMBEDDING]),
                                    count_of(f.by_class[RIDGE_FLOP_OTHER]),
                                    count_of(f.torch)};
    out->bytes = (ridge_cost_bytes){count_of(b.total),
                                    count_of(b.reads[RIDGE_BYTE_WEIGHTS]),
                                    count_of(b.reads[RIDGE_BYTE_ACTIVATIONS]),
                                    count_of(b.reads[RIDGE_BYTE_KV]),
                                    count_of(b.reads[RIDGE_BYTE_INTERMEDIATES]),
                                    count_of(b.writes[RIDGE_BYTE_ACTIVATIONS]),
                                    count_of(b.writes[RIDGE_BYTE_KV]),
                                    count_of(b.writes[RIDGE_BYTE_INTERMEDIATES])};
    out->memory = (ridge_cost_memory){count_of(m->total),     count_of(m->weights),  count_of(m->kv_cache), count_of(m->activations_peak),
                                      count_of(m->gradients), count_of(m->optimizer)};
    return RIDGE_OK;
}

static int totals(ridge_session *s, ridge_cost_totals *out, ridge_request *r, const char *const *options, size_t count)
{
    ridge_analysis *a;
    r->no_rows = true;
    ridge_status st = analyse(s, &a, r, options, count);
    if (!st)
        st = fill_totals(out, a, &s->err);
    ridge_analysis_free(a);
    return finish(s, st);
}

int ridge_model_cost(ridge_session *s, ridge_cost_totals *out, const char *model, const char *const *options, size_t count)
{
    ridge_request r;
    ridge_request_default(&r);
    r.model = model;
    return totals(s, out, &r, options, count);
}

int ridge_config_cost(ridge_session *s, ridge_cost_totals *out, const char *name, const char *config, size_t length,
                      const char *const *options, size_t count)
{
    ridge_request r;
    ridge_request_default(&r);
    r.model = name;
    r.config_text = config;
    r.config_length = length;
    return totals(s, out, &r, options, count);
}

typedef ridge_status print_json(ridge_buf *out, ridge_analysis *a, ridge_err *err);

static char *json(ridge_session *s, const char *model, const char *const *options, size_t count, print_json *print)
{
    ridge_request r;
    ridge_analysis *a;
    ridge_buf out = {0};
    ridge_request_default(&r);
    r.model = model;
    ridge_status st = analyse(s, &a, &r, options, count);
    if (!st)
        st = print(&out, a, &s->err);
    if (!st && out.failed)
        st = ridge_fail(&s->err, RIDGE_NOMEM, "out of memory");
    ridge_analysis_free(a);
    if (finish(s, st) == 0)
        return out.p;
    ridge_buf_free(&out);
    return NULL;
}

char *ridge_model_cost_json(ridge_session *s, const char *model, const char *const *options, size_t count)
{
    return json(s, model, options, count, ridge_output_cost_json);
}

char *ridge_model_inspect_json(ridge_session *s, const char *model, const char *const *options, size_t count)
{
    return json(s, model, options, count, ridge_output_inspect_json);
}

/* ---- predictions ---- */

/* the prediction and what it needs open */
typedef struct predicted {
    ridge_predict_request request;
    ridge_machines *machines;
    ridge_prediction *prediction;
} predicted;

static ridge_status predict(predicted *p, ridge_session *s, const char *model, const char *const *options, size_t count)
{
    ridge_status st = begin(s);
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
                                  .flops = count_of(p->rows[0].flops),
                                  .bytes = count_of(p->rows[0].bytes),
                                  .memory = count_of(p->model->memory.total),
                                  .capacity = count_of(p->capacity_bytes < 0 ? 0 : p->capacity_bytes),
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
    return finish(s, st);
}

char *ridge_model_predict_json(ridge_session *s, const char *model, const char *const *options, size_t count)
{
    predicted p;
    ridge_buf out = {0};
    ridge_status st = predict(&p, s, model, options, count);
    if (!st)
        st = ridge_output_predict_json(&out, p.prediction, &s->err);
    if (!st && out.failed)
        st = ridge_fail(&s->err, RIDGE_NOMEM, "out of memory");
    predicted_free(&p);
    if (finish(s, st) == 0)
        return out.p;
    ridge_buf_free(&out);
    return NULL;
}

/* ---- formulas ---- */

static ridge_status context_of(ridge_context *out, const char *name, ridge_err *err)
{
    for (unsigned i = 0; i < RIDGE_CONTEXT_COUNT; i++)
        if (strcmp(name, ridge_context_names[i]) == 0) {
            *out = (ridge_context)i;
            return RIDGE_OK;
        }
    return ridge_fail(err, RIDGE_USAGE, "unknown context '%s': want flops, reads, writes, intermediates or params", name);
}

int ridge_compute(ridge_session *s, ridge_count *out, const char *context, const char *path, const char *const *arguments, size_t count)
{
    ridge_formula *f = NULL;
    ridge_context which = RIDGE_CONTEXT_FLOPS;
    ridge_int n = 0;
    ridge_status st = begin(s);
    if (!st && !(st = context_of(&which, context, &s->err)))
        st = ridge_formula_make(&f, s->registry, path, arguments, count, which, false, false, &s->err);
    if (!st && !ridge_value_as_int(&n, f->value))
        st = ridge_fail(&s->err, RIDGE_VALUE, "%s is %s here, not an integer", path, ridge_value_type_name(f->value.type));
    if (!st)
        *out = count_of(n);
    ridge_formula_free(f);
    return finish(s, st);
}

int ridge_compute_flops(ridge_session *s, ridge_count *out, const char *path, const char *const *arguments, size_t count)
{
    return ridge_compute(s, out, "flops", path, arguments, count);
}
