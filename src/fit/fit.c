#include "fit/fit.h"

enum { USUAL_CONTEXT = 8192 };
static const int64_t WHOLE = (int64_t)1 << 40; /* tokens of a piece: any number */

/* ---- options ---- */

static ridge_status read_memory(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    int64_t bytes;
    (void)arena;
    if (!ridge_bytes_parse(&bytes, text) || bytes == 0)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": '%s' is no size of memory (80GiB, 24GB, 512MB)", option->name, text);
    *(int64_t *)at = bytes;
    return RIDGE_OK;
}

#define OF ridge_fits_request
/* clang-format off */
#define HERE_OPTIONS \
    RIDGE_STRING(OF, predict.machine, "on", 0, "MACHINE", "a machine of 'ridge machine list', or a machine file (default: this one)", .reach = RIDGE_REACH_MACHINE), \
    RIDGE_OTHER(OF, memory_bytes, int64_t, "memory", 0, "SIZE", read_memory, "memory of the device; without " RIDGE_OPT("on") ", no times are told"), \
    RIDGE_INT(OF, context, "context", 0, "N", 1, (int64_t)1 << 40, "tokens of a sequence (default: 8192, or the model's maximum)", .unit = "tokens")
/* clang-format on */
const ridge_option ridge_options_fits_here[] = {HERE_OPTIONS, RIDGE_OPTION_END};
const ridge_option ridge_options_fits[] = {
    HERE_OPTIONS,
    RIDGE_FORMATS(OF, weights, "weights", 'w', "formats of the weights (default: the model's own, then the usual narrower ones)"),
    RIDGE_FORMATS(OF, kv, "kv", 0, "formats of the KV cache (default: the model's own)"),
    RIDGE_OPTION_END,
};

const char *const ridge_fits_of_class[] = {"class", NULL}, *const ridge_fits_of_workload[] = {"bind", NULL};

void ridge_fits_complete(ridge_fits_request *r)
{
    const ridge_predict_request given = r->predict;
    ridge_predict_default(&r->predict);
    r->predict.machine = given.machine;
    r->predict.reserve = given.reserve;
    r->predict.model.model = given.model.model;
    r->predict.model.config_text = given.model.config_text;
    r->predict.model.config_length = given.model.config_length;
    r->predict.model.head_class = given.model.head_class;
    r->predict.model.bind = given.model.bind;
}

/* ---- the model and the machine ---- */

/* Of an encoder-decoder, and of a model without a cache, a sequence runs as a whole. */
static bool in_pieces(const ridge_workload *w)
{
    return w->takes.cache && !w->encoder_decoder;
}

ridge_model_request ridge_fits_piece(const ridge_fits_answer *a, const ridge_model_request *model)
{
    ridge_model_request r = *model;
    if (!a->model->workload.takes.tokens)
        return r;
    r.seq = a->piece < a->context ? a->piece : a->context;
    if (a->generates && a->context > r.seq)
        r.past = a->context - r.seq;
    return r;
}

static ridge_status set_lengths(ridge_fits_answer *a, const ridge_fits_request *r)
{
    const ridge_entry *config = a->model->config_entry;
    ridge_status st = ridge_analysis_size(&a->model_context, a->model, config ? config->config->positions_max : NULL);
    if (a->model_context == RIDGE_UNSET)
        a->model_context = RIDGE_FIT_UNKNOWN;
    a->context = r->context != RIDGE_UNSET                                  ? r->context
                 : a->model_context > 0 && a->model_context < USUAL_CONTEXT ? a->model_context
                                                                            : USUAL_CONTEXT;
    a->piece = a->generates && in_pieces(&a->model->workload) ? RIDGE_FIT_PIECE : WHOLE;
    return st;
}

/* The model at the context: its prompt in pieces; whole where the model takes no piece after others; at its usual length where it takes no
 * such context, and nobody asked for one. */
static ridge_status open_at_context(ridge_fits_answer *out, ridge_registry *registry, const ridge_fits_request *r, ridge_err *err)
{
    ridge_analysis *made = NULL;
    ridge_status st = RIDGE_OK;
    for (int attempt = 0; attempt < 3; attempt++) {
        const bool pieces = out->piece < out->context;
        const ridge_model_request piece = ridge_fits_piece(out, &r->predict.model);
        ridge_err_clear(err);
        st = ridge_analysis_exact(&made, registry, &piece, RIDGE_ROWS_NONE, err);
        if (!st || st == RIDGE_NOMEM || attempt == 2 || (!pieces && r->context != RIDGE_UNSET))
            break;
        ridge_analysis_free(made);
        if (!pieces)
            out->context = out->model->workload.seq;
        out->piece = WHOLE;
    }
    ridge_analysis_free(out->model);
    out->model = made;
    return st;
}

ridge_status ridge_fits_open(ridge_fits_answer *out, ridge_registry *registry, ridge_machines *machines, const ridge_fits_request *r,
                             ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_fits_answer){.name = r->predict.model.model};
    ridge_status st = ridge_here_find(&out->here, machines, r->predict.machine, r->memory_bytes, arena, err);
    if (st || (st = ridge_analysis_exact(&out->model, registry, &r->predict.model, RIDGE_ROWS_NONE, err)))
        return st;
    out->machine = out->here.machine ? out->here.machine->id : NULL;
    out->generates = out->model->workload.takes.cache;
    if ((st = set_lengths(out, r)) || !out->model->workload.takes.tokens)
        return st;
    return open_at_context(out, registry, r, err);
}

/* ---- one row ---- */

static ridge_status find_largest(ridge_fits_row *row, const ridge_fits_answer *a, const ridge_model_request *model, ridge_int bytes,
                                 ridge_registry *registry, ridge_err *err)
{
    ridge_parallel one;
    ridge_model_request step = *model, whole = *model;
    ridge_status st;
    ridge_parallel_default(&one);
    if (a->generates && !a->model->workload.encoder_decoder) {
        step.phase = RIDGE_PHASE_DECODE;
        step.seq = 1;
        step.past = a->context - 1;
    } else {
        step = ridge_fits_piece(a, model);
    }
    if (a->model->batch_fixed)
        return RIDGE_OK;
    if ((st = ridge_fit_batch(&row->max_batch, registry, &step, &one, bytes, err)) || !a->model->workload.takes.tokens)
        return st;
    whole.seq = whole.past = RIDGE_UNSET;
    ridge_err refused = {0};
    st = ridge_fit_context(&row->max_context, registry, &whole, &one, a->piece, bytes, &refused);
    if (st == RIDGE_NOMEM)
        return ridge_no_memory(err);
    if (st) /* what the model does not take is no length that fits, and how far it goes is not known */
        row->max_context = RIDGE_FIT_UNKNOWN;
    if (a->model_context > 0 && (row->max_context > a->model_context || row->max_context == RIDGE_FIT_UNKNOWN))
        row->max_context = a->model_context;
    return RIDGE_OK;
}

static ridge_status predict(double *tokens_per_s, const char **bound, ridge_predict_request *r, ridge_registry *registry,
                            ridge_machines *machines, ridge_err *err)
{
    ridge_prediction *p;
    ridge_status st = ridge_prediction_make(&p, registry, machines, r, err);
    if (!st && !ridge_prediction_is_least(p)) {
        *tokens_per_s = p->tokens_per_s >= 0 ? p->tokens_per_s : p->images_per_s;
        if (*tokens_per_s < 0 && p->model->ops && p->time_s > 0)
            *tokens_per_s = 1 / p->time_s; /* runs of a graph */
        *bound = ridge_bound_names[p->bound];
    }
    ridge_prediction_free(p);
    return st;
}

/* of one sequence: its first piece, then a step at the end of the context */
static ridge_status find_times(ridge_fits_row *row, const ridge_fits_answer *a, const ridge_predict_request *request,
                               ridge_registry *registry, ridge_machines *machines, ridge_err *err)
{
    ridge_predict_request r = *request;
    r.machine = a->machine;
    if (a->model->workload.takes.tokens)
        r.model.seq = a->piece < a->context ? a->piece : a->context;
    ridge_status st = predict(&row->prompt_tokens_per_s, &row->prompt_bound, &r, registry, machines, err);
    row->bound = row->prompt_bound;
    if (st || !a->generates)
        return st;
    r.model.phase = RIDGE_PHASE_DECODE;
    r.model.seq = 1;
    if (a->model->workload.encoder_decoder)
        r.model.past = r.model.encoder_len = RIDGE_UNSET;
    else
        r.model.past = a->context - 1;
    return predict(&row->generate_tokens_per_s, &row->bound, &r, registry, machines, err);
}

ridge_status ridge_fits_row_make(ridge_fits_row *out, const ridge_fits_answer *a, const ridge_fits_request *request,
                                 const ridge_format *weights, const ridge_format *kv, unsigned wanted, ridge_registry *registry,
                                 ridge_machines *machines, ridge_err *err)
{
    ridge_predict_request r = request->predict;
    const ridge_int bytes = ridge_reserve_left(&r.reserve, a->here.memory_bytes);
    ridge_analysis *own = NULL;
    r.model.weights = weights;
    r.model.kv = kv;
    ridge_model_request piece = ridge_fits_piece(a, &r.model);
    ridge_status st = weights || kv ? ridge_analysis_exact(&own, registry, &piece, RIDGE_ROWS_NONE, err) : RIDGE_OK;
    const ridge_analysis *m = own ? own : a->model;
    if (!st)
        *out = (ridge_fits_row){.weights = m->workload.weights,
                                .kv = a->generates ? m->workload.kv : NULL,
                                .own = !weights,
                                .weights_bytes = m->memory.weights,
                                .kv_bytes = m->memory.kv_cache,
                                .memory_bytes = m->memory.total,
                                .max_context = RIDGE_FIT_UNKNOWN,
                                .max_batch = RIDGE_FIT_UNKNOWN,
                                .fits = bytes < 0 ? -1 : m->memory.total <= bytes,
                                .prompt_tokens_per_s = RIDGE_PREDICT_UNKNOWN,
                                .generate_tokens_per_s = RIDGE_PREDICT_UNKNOWN};
    ridge_analysis_free(own);
    if (!st && (wanted & RIDGE_FIT_LARGEST) && bytes >= 0)
        st = find_largest(out, a, &r.model, bytes, registry, err);
    if (!st && (wanted & RIDGE_FIT_TIMES) && a->here.timed)
        st = find_times(out, a, &r, registry, machines, err);
    return st;
}

/* ---- the table ---- */

/* the usual ones, wide first: eight bits, then what llama.cpp, GPTQ and AWQ, bitsandbytes and NVIDIA's and OCP's 4-bit files hold */
static const char *const usual_formats[] = {"fp8_e4m3", "int8", "q8_0",  "q6_K",      "q5_K", "nvfp4",
                                            "q4_K",     "nf4",  "mxfp4", "int4_g128", "q3_K", "q2_K"};

/* The formats of a list; `own` first (NULL) where none was given, then the usual ones that are narrower. */
static ridge_status list_formats(ridge_formats *out, const ridge_formats *given, const ridge_format *own, bool usual, ridge_arena *arena,
                                 ridge_err *err)
{
    const size_t most = sizeof usual_formats / sizeof *usual_formats + 1;
    *out = *given;
    if (given->n > 0)
        return RIDGE_OK;
    if (!(out->items = ridge_arena_array(arena, most, sizeof *out->items)))
        return ridge_no_memory(err);
    out->items[out->n++] = NULL;
    for (size_t i = 0; usual && i + 1 < most; i++) {
        const ridge_format *f = ridge_format_find(ridge_str_of(usual_formats[i]));
        if (f->bits.num * own->bits.den < own->bits.num * f->bits.den)
            out->items[out->n++] = f;
    }
    return RIDGE_OK;
}

ridge_status ridge_fits_make(ridge_fits_answer *out, ridge_registry *registry, ridge_machines *machines, const ridge_fits_request *request,
                             ridge_arena *arena, ridge_err *err)
{
    ridge_formats weights, kv;
    ridge_status st = ridge_fits_open(out, registry, machines, request, arena, err);
    if (!st && out->here.note)
        st = ridge_words_add(&out->notes, out->here.note, arena, err);
    if (st || (st = list_formats(&weights, &request->weights, out->model->workload.weights, true, arena, err)) ||
        (st = list_formats(&kv, &request->kv, NULL, false, arena, err)))
        return st;
    if (!(out->rows = ridge_arena_array(arena, weights.n * kv.n, sizeof *out->rows)))
        return ridge_no_memory(err);
    for (size_t i = 0; i < weights.n * kv.n && !st; i++)
        st = ridge_fits_row_make(&out->rows[out->row_count++], out, request, weights.items[i / kv.n], kv.items[i % kv.n],
                                 RIDGE_FIT_TIMES | RIDGE_FIT_LARGEST, registry, machines, err);
    return st;
}

void ridge_fits_free(ridge_fits_answer *a)
{
    ridge_analysis_free(a->model);
    a->model = NULL;
}
