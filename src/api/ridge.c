/* The public interface: strings in, exact numbers or JSON out, over the same calls as the command line. */
#include "ridge.h"

#include <stdlib.h>

#include "api/session.h"
#include "entries/formula.h"
#include "model/output.h"
#include "predict/request.h"

const char *ridge_version(void)
{
    return RIDGE_VERSION;
}

void ridge_free(char *text)
{
    free(text);
}

int ridge_session_finish(ridge_session *s, ridge_status st)
{
    s->message[0] = 0;
    if (st)
        (void)ridge_err_format(s->message, sizeof s->message, &s->err);
    return !st ? 0 : st == RIDGE_USAGE ? 2 : st == RIDGE_CHECK ? 3 : 1;
}

ridge_session *ridge_session_open(const char *const *catalogs, size_t count)
{
    ridge_session *s = calloc(1, sizeof *s);
    if (s && ridge_registry_open(&s->registry, catalogs, count, true, &s->open_error)) {
        s->err = s->open_error;
        (void)ridge_session_finish(s, s->err.code);
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
ridge_status ridge_session_begin(ridge_session *s)
{
    s->err = s->open_error;
    return s->registry ? RIDGE_OK : s->err.code;
}

char *ridge_session_text(ridge_session *s, ridge_buf *text, ridge_status st)
{
    if (!st && text->failed)
        st = ridge_no_memory(&s->err);
    if (ridge_session_finish(s, st) == 0)
        return text->p;
    ridge_buf_free(text);
    return NULL;
}

/* ---- models ---- */

static ridge_status analyse(ridge_session *s, ridge_analysis **a, ridge_request *r, const char *const *options, size_t count)
{
    ridge_status st = ridge_session_begin(s);
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
    out->parameters = ridge_session_count(a->parameters.total);
    out->parameters_active = ridge_session_count(a->parameters.active);
    out->parameters_embedding = ridge_session_count(a->parameters.embedding);
    out->flops = (ridge_cost_flops){ridge_session_count(f.total),
                                    ridge_session_count(f.by_class[RIDGE_FLOP_MATMUL]),
                                    ridge_session_count(f.by_class[RIDGE_FLOP_ATTENTION]),
                                    ridge_session_count(f.by_class[RIDGE_FLOP_ACTIVATION]),
                                    ridge_session_count(f.by_class[RIDGE_FLOP_EMBEDDING]),
                                    ridge_session_count(f.by_class[RIDGE_FLOP_OTHER]),
                                    ridge_session_count(f.torch)};
    out->bytes = (ridge_cost_bytes){ridge_session_count(b.total),
                                    ridge_session_count(b.reads[RIDGE_BYTE_WEIGHTS]),
                                    ridge_session_count(b.reads[RIDGE_BYTE_ACTIVATIONS]),
                                    ridge_session_count(b.reads[RIDGE_BYTE_KV]),
                                    ridge_session_count(b.reads[RIDGE_BYTE_INTERMEDIATES]),
                                    ridge_session_count(b.writes[RIDGE_BYTE_ACTIVATIONS]),
                                    ridge_session_count(b.writes[RIDGE_BYTE_KV]),
                                    ridge_session_count(b.writes[RIDGE_BYTE_INTERMEDIATES])};
    out->memory = (ridge_cost_memory){ridge_session_count(m->total),     ridge_session_count(m->weights),
                                      ridge_session_count(m->kv_cache),  ridge_session_count(m->activations_peak),
                                      ridge_session_count(m->gradients), ridge_session_count(m->optimizer)};
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
    return ridge_session_finish(s, st);
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
    ridge_analysis_free(a);
    return ridge_session_text(s, &out, st);
}

char *ridge_model_cost_json(ridge_session *s, const char *model, const char *const *options, size_t count)
{
    return json(s, model, options, count, ridge_output_cost_json);
}

char *ridge_model_inspect_json(ridge_session *s, const char *model, const char *const *options, size_t count)
{
    return json(s, model, options, count, ridge_output_inspect_json);
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
    ridge_status st = ridge_session_begin(s);
    if (!st && !(st = context_of(&which, context, &s->err)))
        st = ridge_formula_make(&f, s->registry, path, arguments, count, which, false, false, &s->err);
    if (!st && !ridge_value_as_int(&n, f->value))
        st = ridge_fail(&s->err, RIDGE_VALUE, "%s is %s here, not an integer", path, ridge_value_type_name(f->value.type));
    if (!st)
        *out = ridge_session_count(n);
    ridge_formula_free(f);
    return ridge_session_finish(s, st);
}

int ridge_compute_flops(ridge_session *s, ridge_count *out, const char *path, const char *const *arguments, size_t count)
{
    return ridge_compute(s, out, "flops", path, arguments, count);
}
