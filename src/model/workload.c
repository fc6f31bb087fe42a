/* Fills a workload's defaults from the model, checks it against the model's limits and hands it to the graph. */
#include <stdio.h>

#include "graph/config.h"
#include "model/analysis.h"

#define DEFAULT_SEQ 2048
#define MOST        ((int64_t)1 << 40)

/* ---- the options ---- */

const char *const ridge_phase_names[] = {RIDGE_PHASE_LIST(RIDGE_WORD_NAME) NULL};
const char *const ridge_optimizer_names[] = {RIDGE_OPTIMIZER_LIST(RIDGE_WORD_NAME) NULL};
const char *const ridge_recompute_names[] = {RIDGE_RECOMPUTE_LIST(RIDGE_WORD_NAME) NULL};
const char *const ridge_kernel_names[] = {RIDGE_KERNEL_LIST(RIDGE_WORD_NAME) NULL};
const char *const ridge_pairs_names[] = {RIDGE_PAIRS_LIST(RIDGE_WORD_NAME) NULL};
const char *const ridge_head_names[] = {RIDGE_HEAD_LIST(RIDGE_WORD_NAME) NULL};

#define OF ridge_model_request
const ridge_option ridge_options_workload[] = {
    RIDGE_CHOICE(OF, phase, "phase", 0, ridge_phase_names, "what is run"),
    RIDGE_INT(OF, batch, "batch", 'b', "N", 1, MOST, "sequences at once (default 1)", .unit = "sequences"),
    RIDGE_INT(OF, seq, "seq", 's', "N", 1, MOST,
              "new tokens per sequence, placeholders of images included (default: the model's maximum, at most 2048; 1 in decode)",
              .unit = "tokens"),
    RIDGE_INT(OF, past, "past", 0, "N", 0, MOST, "tokens already in the cache (default 0; in decode what the maximum leaves)",
              .unit = "tokens"),
    RIDGE_INT(OF, decoder_seq, "decoder-seq", 0, "N", 1, MOST,
              "encoder-decoder models: tokens of the decoder; " RIDGE_OPT("seq") " is the encoder's", .unit = "tokens"),
    RIDGE_INT(OF, encoder_len, "encoder-len", 0, "N", 1, MOST, "decode: length of the encoder's output", .unit = "tokens"),
    RIDGE_MEDIA_OPTIONS(OF),
    RIDGE_STRING(OF, bind, "bind", 0, "NAME=N,...", "ONNX, torch.export: sizes of the dimensions that the file leaves open"),
    RIDGE_FORMAT(OF, dtype, "dtype", 0, "number format of weights, activations and KV cache; a weight-only one is of the weights alone"),
    RIDGE_FORMAT(OF, weights, "weights", 0, "number format of the weights (default: the config's), or of some: experts=mxfp4,*=bf16",
                 .max = 1),
    RIDGE_FORMAT(OF, activations, "activations", 0, "number format of the activations"),
    RIDGE_FORMAT(OF, kv, "kv", 0, "number format of the KV cache (default: the activations')"),
    RIDGE_CHOICE(OF, attention, "attention", 0, ridge_pairs_names, "S x T pairs as executed, or exactly the causal ones"),
    RIDGE_CHOICE(OF, kernel, "kernel", 0, ridge_kernel_names, "every operator's traffic, or the least with chains fused"),
    RIDGE_CHOICE(OF, lm_head, "lm-head", 0, ridge_head_names, "positions the output head runs on; needed: the last, in training all"),
    RIDGE_CHOICE(OF, optimizer, "optimizer", 0, ridge_optimizer_names, "train: the optimiser's state"),
    RIDGE_CHOICE(OF, recompute, "recompute", 0, ridge_recompute_names, "train: activations computed again in the backward pass"),
    RIDGE_OPTION_END,
};

const ridge_option ridge_options_class[] = {
    RIDGE_STRING(OF, head_class, "class", 0, "NAME", "another class of the family than the config's (LlamaModel, ...)"),
    RIDGE_FLAG(OF, partial, "partial", 0, "count what the catalog knows and list what it does not"),
    RIDGE_OPTION_END,
};

void ridge_model_request_default(ridge_model_request *r)
{
    *r = (ridge_model_request){.batch = RIDGE_UNSET,
                               .seq = RIDGE_UNSET,
                               .past = RIDGE_UNSET,
                               .decoder_seq = RIDGE_UNSET,
                               .encoder_len = RIDGE_UNSET,
                               .images = RIDGE_UNSET,
                               .image = RIDGE_IMAGE_SIZE_UNSET,
                               .video_frames = RIDGE_UNSET,
                               .frames = RIDGE_UNSET,
                               .samples = RIDGE_UNSET};
}

/* ---- sizes that the config gives ---- */

ridge_status ridge_analysis_size(int64_t *out, ridge_analysis *a, const ridge_expr *expr)
{
    ridge_value v;
    ridge_int i;
    *out = RIDGE_UNSET;
    if (!expr)
        return RIDGE_OK;
    a->graph.run.config = a->config;
    ridge_status st = ridge_config_eval(&v, expr, &a->graph.run);
    if (!st && ridge_value_as_int(&i, v) && i > 0 && i < INT64_MAX)
        *out = (int64_t)i;
    return st;
}

static ridge_status learned_positions(bool *out, ridge_analysis *a, const ridge_expr *expr)
{
    ridge_value v;
    bool unknown;
    *out = false;
    if (!expr)
        return RIDGE_OK;
    ridge_status st = ridge_config_eval(&v, expr, &a->graph.run);
    if (!st && !(st = ridge_value_truth(&v, &unknown, v, &a->graph.run.calc)))
        *out = v.u.b;
    return st;
}

ridge_status ridge_analysis_positions(int64_t *most, bool *learned, ridge_analysis *a, const ridge_config_spec *spec)
{
    ridge_status st = ridge_analysis_size(most, a, spec->positions_max);
    return st ? st : learned_positions(learned, a, spec->positions_learned);
}

static void formats(ridge_workload *w, const ridge_analysis *a, const ridge_model_request *r)
{
    const ridge_format *mix = r->weights && r->weights->rules ? r->weights : NULL;
    const ridge_format *file = a->stored.count ? a->stored.shares[0].format : a->quant ? a->quant->schemes[0]->format : NULL;
    const ridge_format *all = r->dtype && !ridge_format_is_weight_only(r->dtype) ? r->dtype : a->dtype;
    w->weights = mix ? mix->rules[mix->rule_count - 1].format : r->weights ? r->weights : r->dtype ? r->dtype : file ? file : a->dtype;
    w->stored = a->stored.names.count ? &a->stored.names : NULL;
    w->activations = r->activations ? r->activations : all;
    w->kv = r->kv ? r->kv : w->activations;
}

static ridge_head_positions head_positions(const ridge_model_request *r)
{
    if (r->lm_head != RIDGE_HEAD_NEEDED)
        return r->lm_head;
    return r->phase == RIDGE_PHASE_TRAIN ? RIDGE_HEAD_ALL : RIDGE_HEAD_LAST;
}

static int64_t given(int64_t value, int64_t fallback)
{
    return value == RIDGE_UNSET ? fallback : value;
}

/* the sequence where nobody says a length */
static ridge_status usual_length(int64_t *out, ridge_analysis *a, const ridge_config_spec *spec, int64_t most)
{
    ridge_status st = spec ? ridge_analysis_size(out, a, spec->seq) : RIDGE_OK;
    if (!spec || *out == RIDGE_UNSET)
        *out = most > 0 && most < DEFAULT_SEQ ? most : DEFAULT_SEQ;
    return st;
}

/* prefill and training: --seq is the encoder's where there is one (the decoder's where audio goes in); decode: the new tokens */
static void lengths(ridge_workload *w, const ridge_model_request *r, int64_t usual)
{
    bool audio = ridge_workload_hears(w);
    w->batch = given(r->batch, 1);
    if (w->phase == RIDGE_PHASE_DECODE) {
        w->seq = given(r->seq, given(r->decoder_seq, 1));
        w->past = given(r->past, usual > w->seq ? usual - w->seq : 0);
        w->encoder_len = w->encoder_decoder ? given(r->encoder_len, usual) : given(r->encoder_len, 0);
        w->decoder_seq = w->seq;
        return;
    }
    w->seq = given(r->seq, usual);
    w->past = given(r->past, 0);
    w->decoder_seq = w->encoder_decoder ? given(r->decoder_seq, w->seq) : w->seq;
    if (audio)
        w->seq = w->decoder_seq;
    w->encoder_len = w->encoder_decoder ? given(r->encoder_len, w->seq) : given(r->encoder_len, 0);
}

static ridge_status too_long(ridge_analysis *a, const char *what, int64_t have, int64_t most, bool learned, ridge_err *err)
{
    if (most <= 0 || have <= most)
        return RIDGE_OK;
    if (learned)
        return ridge_fail(err, RIDGE_VALUE, "%s of %lld positions: the model's learned position table ends at %lld", what, (long long)have,
                          (long long)most);
    return ridge_analysis_warn(a, err, "%s of %lld positions is above the model's maximum of %lld", what, (long long)have, (long long)most);
}

/* what the options' own ranges say, for requests that were not made of options */
static ridge_status check_request(const ridge_model_request *r, ridge_err *err)
{
    for (const ridge_option *option = ridge_options_workload; option->name; option++) {
        const int64_t *value = (const void *)((const char *)r + option->offset);
        if (option->kind == RIDGE_OPTION_INT && *value != RIDGE_UNSET && (*value < option->min || *value > option->max))
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": %lld is out of range: it must be from %lld to %lld", option->name,
                              (long long)*value, (long long)option->min, (long long)option->max);
    }
    return RIDGE_OK;
}

/* ---- the names formulas see ---- */

static void set(ridge_analysis *a, ridge_global which, int64_t value)
{
    if (value != RIDGE_UNSET)
        a->graph.globals[which] = ridge_value_int(value);
}

/* a name in the place of a number, where it is to stay one */
static ridge_status symbol(ridge_analysis *a, ridge_global which, int64_t given_value, ridge_symbols symbols)
{
    if (symbols == RIDGE_SYMBOLS_REST && given_value != RIDGE_UNSET)
        return RIDGE_OK;
    return ridge_sym_name(&a->graph.globals[which], ridge_globals[which].name, ridge_globals[which].least, &a->graph.run.calc);
}

/* B, S or past, and enc: then what follows from them. --seq is the encoder's where there is one. */
static ridge_status set_symbols(ridge_analysis *a, const ridge_model_request *r, ridge_symbols symbols)
{
    ridge_value *g = a->graph.globals;
    const ridge_calc *calc = &a->graph.run.calc;
    const ridge_workload *w = &a->workload;
    const bool decode = w->phase == RIDGE_PHASE_DECODE;
    const int64_t seq = w->encoder_decoder ? r->decoder_seq : r->seq, enc = decode ? r->encoder_len : given(r->encoder_len, r->seq);
    ridge_status st = symbol(a, RIDGE_GLOBAL_B, r->batch, symbols);
    if (!st)
        st = decode ? symbol(a, RIDGE_GLOBAL_past, r->past, symbols) : symbol(a, RIDGE_GLOBAL_S, seq, symbols);
    if (!st && w->encoder_decoder)
        st = symbol(a, RIDGE_GLOBAL_enc, enc, symbols);
    if (st || (st = ridge_value_binary(&g[RIDGE_GLOBAL_T], RIDGE_OP_ADD, g[RIDGE_GLOBAL_past], g[RIDGE_GLOBAL_S], calc)))
        return st;
    if (w->lm_head == RIDGE_HEAD_LAST) {
        g[RIDGE_GLOBAL_head_rows] = g[RIDGE_GLOBAL_B];
        return RIDGE_OK;
    }
    return ridge_value_binary(&g[RIDGE_GLOBAL_head_rows], RIDGE_OP_MUL, g[RIDGE_GLOBAL_B], g[RIDGE_GLOBAL_S], calc);
}

static ridge_status set_globals(ridge_analysis *a, const ridge_model_request *r, ridge_symbols symbols)
{
    const ridge_workload *w = &a->workload;
    ridge_value *g = a->graph.globals;
    int64_t s = w->decoder_seq;
    set(a, RIDGE_GLOBAL_B, w->batch);
    set(a, RIDGE_GLOBAL_S, s);
    set(a, RIDGE_GLOBAL_past, w->past);
    set(a, RIDGE_GLOBAL_T, w->past + s);
    set(a, RIDGE_GLOBAL_enc, w->encoder_len);
    ridge_analysis_set_image(a);
    set(a, RIDGE_GLOBAL_images, w->images);
    set(a, RIDGE_GLOBAL_video_frames, w->video_frames);
    set(a, RIDGE_GLOBAL_frames, w->frames);
    set(a, RIDGE_GLOBAL_samples, w->samples);
    g[RIDGE_GLOBAL_head_rows] = ridge_value_int(w->lm_head == RIDGE_HEAD_LAST ? (ridge_int)w->batch : (ridge_int)w->batch * s);
    g[RIDGE_GLOBAL_phase] = ridge_value_str(ridge_str_of(ridge_phase_names[w->phase]));
    g[RIDGE_GLOBAL_attention] = ridge_value_str(ridge_str_of(ridge_pairs_names[w->attention]));
    g[RIDGE_GLOBAL_act] = ridge_value_str(ridge_str_of(w->activations->name));
    g[RIDGE_GLOBAL_kv] = ridge_value_str(ridge_str_of(w->kv->name));
    g[RIDGE_GLOBAL_weights_format] = ridge_value_str(ridge_str_of(w->weights->name));
    return symbols ? set_symbols(a, r, symbols) : RIDGE_OK;
}

ridge_status ridge_analysis_workload(ridge_analysis *a, const ridge_model_request *request, ridge_symbols symbols, ridge_err *err)
{
    ridge_workload *w = &a->workload;
    ridge_model_request used = *request, *r = &used;
    int64_t most = RIDGE_UNSET, usual = RIDGE_UNSET;
    bool learned = false;
    ridge_status st;
    const ridge_config_spec *spec = a->config_entry ? a->config_entry->config : NULL; /* NULL: --partial of an unknown architecture */
    if ((st = check_request(r, err)) || (st = ridge_analysis_drop_unused(a, r, err)))
        return st;
    *w = (ridge_workload){.phase = r->phase,
                          .encoder_decoder = a->head && a->head->encoder_decoder,
                          .attention = r->attention,
                          .kernel = r->kernel,
                          .lm_head = head_positions(r),
                          .optimizer = r->optimizer,
                          .recompute = r->recompute};
    if ((st = ridge_analysis_tell_bound(a, err)))
        return st;
    if ((st = ridge_analysis_shares(a, r, err)))
        return st;
    formats(w, a, r);
    if ((spec && (st = ridge_analysis_positions(&most, &learned, a, spec))) || (st = ridge_analysis_media(a, r, err)))
        return st;
    if (!spec && (st = ridge_analysis_partial_positions(&most, &learned, a, err)))
        return st;
    if ((st = usual_length(&usual, a, spec, most)))
        return st;
    lengths(w, r, usual);
    const char *what =
        w->past > 0 && r->past != RIDGE_UNSET ? "a sequence (" RIDGE_OPT("seq") " after " RIDGE_OPT("past") ")" : "a sequence";
    if ((st = too_long(a, what, w->past + w->decoder_seq, most, learned, err)) ||
        (w->encoder_decoder && !ridge_workload_hears(w) && (st = too_long(a, "an encoder input", w->encoder_len, most, learned, err))))
        return st;
    return set_globals(a, r, symbols);
}
