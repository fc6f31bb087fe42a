/* Fills a workload's defaults from the model, checks it against the model's limits and hands it to the graph. */
#include <stdio.h>

#include "model/analysis.h"

#define DEFAULT_SEQ 2048

ridge_status ridge_analysis_size(int64_t *out, ridge_analysis *a, const ridge_expr *expr)
{
    ridge_value v;
    ridge_int i;
    *out = RIDGE_UNSET;
    if (!expr)
        return RIDGE_OK;
    a->graph.run.config = a->config;
    ridge_status st = ridge_expr_eval(&v, expr, &a->graph.run);
    if (!st && ridge_value_as_int(&i, v) && i > 0 && i < INT64_MAX)
        *out = (int64_t)i;
    return st;
}

static ridge_status learned_positions(bool *out, ridge_analysis *a)
{
    const ridge_expr *expr = a->config_entry->config->positions_learned;
    ridge_value v;
    bool unknown;
    *out = false;
    if (!expr)
        return RIDGE_OK;
    ridge_status st = ridge_expr_eval(&v, expr, &a->graph.run);
    if (!st && !(st = ridge_value_truth(&v, &unknown, v, &a->graph.run.calc)))
        *out = v.u.b;
    return st;
}

static ridge_status format_name(const char **out, const char *name, const char *fallback, const char *option, ridge_err *err)
{
    const ridge_format *f = ridge_format_find(ridge_str_of(name ? name : fallback));
    if (!f || f->integer)
        return ridge_fail(err, RIDGE_USAGE, "%s: unknown number format '%s'; 'ridge formats' lists them", option, name);
    *out = f->name;
    return RIDGE_OK;
}

static ridge_status formats(ridge_workload *w, const ridge_analysis *a, const ridge_request *r, ridge_err *err)
{
    ridge_status st;
    if ((st = format_name(&w->weights, r->weights, a->dtype, "--weights", err)) ||
        (st = format_name(&w->activations, r->activations, a->dtype, "--activations", err)))
        return st;
    return format_name(&w->kv, r->kv, w->activations, "--kv", err);
}

static int64_t given(int64_t value, int64_t fallback)
{
    return value == RIDGE_UNSET ? fallback : value;
}

/* prefill and training: --seq is the encoder's where there is one (the decoder's where audio goes in); decode: the new tokens */
static void lengths(ridge_workload *w, const ridge_request *r, int64_t most)
{
    int64_t usual = most > 0 && most < DEFAULT_SEQ ? most : DEFAULT_SEQ;
    bool audio = r->frames != RIDGE_UNSET || r->samples != RIDGE_UNSET;
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
    w->decoder_seq = audio || !w->encoder_decoder ? w->seq : given(r->decoder_seq, w->seq);
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

static ridge_status check_range(const char *option, int64_t value, int64_t least, ridge_err *err)
{
    if (value == RIDGE_UNSET || (value >= least && value <= (int64_t)1 << 40))
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_USAGE, "%s: %lld is out of range (%lld to 2^40)", option, (long long)value, (long long)least);
}

static ridge_status check_request(const ridge_request *r, ridge_err *err)
{
    ridge_status st;
    if ((st = check_range("--batch", r->batch, 1, err)) || (st = check_range("--seq", r->seq, 1, err)) ||
        (st = check_range("--past", r->past, 0, err)) || (st = check_range("--decoder-seq", r->decoder_seq, 1, err)) ||
        (st = check_range("--encoder-len", r->encoder_len, 1, err)) || (st = check_range("--image-size", r->image, 1, err)) ||
        (st = check_range("--frames", r->frames, 1, err)))
        return st;
    return check_range("--samples", r->samples, 1, err);
}

/* ---- the names formulas see ---- */

static void set(ridge_analysis *a, ridge_global which, int64_t value)
{
    if (value != RIDGE_UNSET)
        a->graph.globals[which] = ridge_value_int(value);
}

static ridge_status symbols(ridge_analysis *a)
{
    ridge_value *g = a->graph.globals;
    const ridge_calc *calc = &a->graph.run.calc;
    const ridge_workload *w = &a->workload;
    ridge_status st;
    if ((st = ridge_sym_name(&g[RIDGE_GLOBAL_B], "B", 1, calc)))
        return st;
    if (w->phase == RIDGE_PHASE_DECODE)
        st = ridge_sym_name(&g[RIDGE_GLOBAL_past], "past", 0, calc);
    else
        st = ridge_sym_name(&g[RIDGE_GLOBAL_S], "S", 1, calc);
    if (!st && w->encoder_decoder)
        st = ridge_sym_name(&g[RIDGE_GLOBAL_enc], "enc", 1, calc);
    if (st || (st = ridge_value_binary(&g[RIDGE_GLOBAL_T], RIDGE_OP_ADD, g[RIDGE_GLOBAL_past], g[RIDGE_GLOBAL_S], calc)))
        return st;
    if (w->lm_head_last) {
        g[RIDGE_GLOBAL_head_rows] = g[RIDGE_GLOBAL_B];
        return RIDGE_OK;
    }
    return ridge_value_binary(&g[RIDGE_GLOBAL_head_rows], RIDGE_OP_MUL, g[RIDGE_GLOBAL_B], g[RIDGE_GLOBAL_S], calc);
}

static ridge_status set_globals(ridge_analysis *a, const ridge_request *r)
{
    const ridge_workload *w = &a->workload;
    ridge_value *g = a->graph.globals;
    int64_t s = w->decoder_seq;
    set(a, RIDGE_GLOBAL_B, w->batch);
    set(a, RIDGE_GLOBAL_S, s);
    set(a, RIDGE_GLOBAL_past, w->past);
    set(a, RIDGE_GLOBAL_T, w->past + s);
    set(a, RIDGE_GLOBAL_enc, w->encoder_len);
    set(a, RIDGE_GLOBAL_image, w->image);
    set(a, RIDGE_GLOBAL_frames, w->frames);
    set(a, RIDGE_GLOBAL_samples, w->samples);
    g[RIDGE_GLOBAL_head_rows] = ridge_value_int(w->lm_head_last ? (ridge_int)w->batch : (ridge_int)w->batch * s);
    g[RIDGE_GLOBAL_phase] = ridge_value_str(ridge_str_of(ridge_phase_names[w->phase]));
    g[RIDGE_GLOBAL_attention] = ridge_value_str(ridge_str_of(ridge_attention_names[w->causal]));
    g[RIDGE_GLOBAL_act] = ridge_value_str(ridge_str_of(w->activations));
    g[RIDGE_GLOBAL_kv] = ridge_value_str(ridge_str_of(w->kv));
    g[RIDGE_GLOBAL_weights_format] = ridge_value_str(ridge_str_of(w->weights));
    return r->symbolic ? symbols(a) : RIDGE_OK;
}

ridge_status ridge_analysis_workload(ridge_analysis *a, const ridge_request *request, ridge_err *err)
{
    ridge_workload *w = &a->workload;
    ridge_request used = *request, *r = &used;
    int64_t most = RIDGE_UNSET;
    bool learned = false;
    ridge_status st;
    const ridge_config_spec *spec = a->config_entry ? a->config_entry->config : NULL; /* NULL: --partial of an unknown architecture */
    if ((st = check_request(r, err)) || (st = ridge_analysis_drop_unused(a, r, err)))
        return st;
    *w = (ridge_workload){.phase = r->phase,
                          .image = RIDGE_UNSET,
                          .encoder_decoder = a->head && a->head->encoder_decoder,
                          .causal = r->causal,
                          .kernel = r->kernel,
                          .lm_head_last = r->lm_head_last,
                          .optimizer = r->optimizer,
                          .recompute = r->recompute,
                          .frames = r->frames,
                          .samples = r->samples};
    if ((st = formats(w, a, r, err)))
        return st;
    if (spec && ((st = ridge_analysis_size(&most, a, spec->positions_max)) || (st = learned_positions(&learned, a)) ||
                 (st = ridge_analysis_size(&w->image, a, spec->image))))
        return st;
    if (r->image != RIDGE_UNSET)
        w->image = r->image;
    lengths(w, r, most);
    if ((st = too_long(a, "a sequence", w->past + w->decoder_seq, most, learned, err)) ||
        (w->encoder_decoder && (st = too_long(a, "an encoder input", w->encoder_len, most, learned, err))))
        return st;
    return set_globals(a, r);
}
