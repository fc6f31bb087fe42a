/* Options that have no effect on this model or this phase: unset, each with a warning. What a model uses is what its formulas read: those
 * that decide lengths by what stands in the catalog, before there is a graph; the others by what was asked for, once costs are counted. */
#include <stdarg.h>
#include <stdio.h>

#include "model/analysis.h"
#include "catalog/uses.h"

ridge_status ridge_analysis_warn(ridge_analysis *a, ridge_err *err, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char *kept = ridge_arena_strdup(&a->arena, ridge_str_of(text));
    return kept ? ridge_words_add(&a->warnings, kept, &a->arena, err) : ridge_no_memory(err);
}

/* ---- which names of the workload a model's formulas read ---- */

typedef struct reader {
    ridge_analysis *a;
    const char *name;
    bool found;
    const ridge_symbol **seen; /* modules: those before `next` are looked at */
    size_t count, cap, next;
} reader;

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* the name as a word of its own, no field (config.image) */
static ridge_status look(void *data, const ridge_expr *expr, ridge_context context)
{
    reader *r = data;
    size_t n = strlen(r->name);
    const char *text = expr->text.p, *end = text + expr->text.n;
    (void)context;
    for (const char *at = text; !r->found && (at = memmem(at, (size_t)(end - at), r->name, n)); at++)
        r->found = (at == text || (!is_word(at[-1]) && at[-1] != '.')) && (at + n == end || !is_word(at[n]));
    return RIDGE_OK;
}

static ridge_status add_module(reader *r, const ridge_symbol *module, ridge_err *err)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->seen[i] == module)
            return RIDGE_OK;
    if (!ridge_arena_more(&r->a->arena, &r->seen, r->count, &r->cap, sizeof *r->seen))
        return ridge_no_memory(err);
    r->seen[r->count++] = module;
    return RIDGE_OK;
}

static ridge_status read_entry(reader *r, const ridge_symbol *key, ridge_err *err)
{
    ridge_entry *entry;
    ridge_use *uses;
    size_t count;
    ridge_status st;
    if (!ridge_registry_find(r->a->registry, key)) /* --partial counts without it */
        return RIDGE_OK;
    if ((st = ridge_registry_entry(&entry, r->a->registry, key, err)) || (st = ridge_entry_expressions(entry, look, r)) ||
        (st = ridge_entry_calls(&uses, &count, entry, &r->a->arena, err)))
        return st;
    for (size_t i = 0; i < count && !st; i++)
        st = add_module(r, uses[i].call.module, err);
    return st;
}

/* does anything below the head class read this name? An architecture that is not in the catalog may read all. */
ridge_status ridge_analysis_reads(bool *out, ridge_analysis *a, const char *name, ridge_err *err)
{
    reader r = {.a = a, .name = name};
    *out = true;
    if (!a->head)
        return RIDGE_OK;
    ridge_status st = add_module(&r, a->head->entry, err);
    while (!st && !r.found && r.next < r.count)
        st = read_entry(&r, r.seen[r.next++], err);
    *out = r.found;
    return st;
}

ridge_status ridge_analysis_reads_image(bool *out, ridge_analysis *a, ridge_err *err)
{
    static const char *const names[] = {"image", "image_height", "image_width"};
    ridge_status st = RIDGE_OK;
    *out = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !*out && !st; i++)
        st = ridge_analysis_reads(out, a, names[i], err);
    return st;
}

/* attention over an encoder's output: what the config says, and where it says nothing, what the formulas could do */
static ridge_status reads_encoder(bool *out, ridge_analysis *a, ridge_err *err)
{
    const ridge_symbol *name = ridge_intern_find(&a->registry->symbols, RIDGE_STR("add_cross_attention"));
    const ridge_field *f = name && a->config ? ridge_object_find(a->config, name) : NULL;
    *out = !f || f->value.type != RIDGE_V_BOOL || f->value.u.b || (a->head && a->head->encoder_decoder);
    return *out ? ridge_analysis_reads(out, a, "enc", err) : RIDGE_OK;
}

/* ---- the options ---- */

static ridge_status drop(ridge_analysis *a, int64_t *option, bool used, const char *name, const char *why, ridge_err *err)
{
    if (*option == RIDGE_UNSET || used)
        return RIDGE_OK;
    *option = RIDGE_UNSET;
    return ridge_analysis_warn(a, err, RIDGE_OPT("%s") ": %s %s; ignored", name, a->architecture, why);
}

static ridge_status drop_unread(ridge_analysis *a, int64_t *option, const char *global, const char *name, const char *why, ridge_err *err)
{
    bool used = true;
    ridge_status st = *option == RIDGE_UNSET ? RIDGE_OK : ridge_analysis_reads(&used, a, global, err);
    return st ? st : drop(a, option, used, name, why, err);
}

/* what was learned with images of one size has that size in its numbers, and no name for it */
static ridge_status has_one_size(bool *out, const ridge_analysis *a, ridge_err *err)
{
    ridge_entry *entry = NULL;
    *out = false;
    if (!a->head || !a->config_entry || !a->config_entry->config->image)
        return RIDGE_OK;
    ridge_status st = ridge_registry_entry(&entry, a->registry, a->head->entry, err);
    *out = !st && entry->learned;
    return st;
}

static ridge_status drop_image(ridge_analysis *a, ridge_model_request *r, ridge_err *err)
{
    bool used = false, counted = false, one_size = false;
    if (!ridge_image_size_given(&r->image))
        return RIDGE_OK;
    ridge_status st = ridge_analysis_reads_image(&used, a, err);
    if (!st)
        st = ridge_analysis_reads(&counted, a, "images", err);
    if (!st)
        st = has_one_size(&one_size, a, err);
    if (!st && !used && one_size)
        return RIDGE_OK; /* another is refused */
    if (st || (used && (!counted || !a->head || r->images > 0)))
        return st;
    r->image = RIDGE_IMAGE_SIZE_UNSET;
    if (used)
        return ridge_analysis_warn(a, err, RIDGE_OPT("image-size") ": there is no image without " RIDGE_OPT("images") "; ignored");
    return ridge_analysis_warn(a, err, RIDGE_OPT("image-size") ": %s takes no image; ignored", a->architecture);
}

static ridge_status drop_encoder(ridge_analysis *a, ridge_model_request *r, ridge_err *err)
{
    bool both = !a->head || a->head->encoder_decoder, encoder = true;
    ridge_status st = r->encoder_len == RIDGE_UNSET ? RIDGE_OK : reads_encoder(&encoder, a, err);
    if (st || (st = drop(a, &r->encoder_len, encoder, "encoder-len", "has no encoder and no cross-attention", err)))
        return st;
    return drop(a, &r->decoder_seq, both, "decoder-seq", "is no encoder-decoder", err);
}

static ridge_status warn_training(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if (r->phase == RIDGE_PHASE_TRAIN)
        return RIDGE_OK;
    if (r->optimizer != RIDGE_OPTIMIZER_ADAM)
        st = ridge_analysis_warn(a, err, RIDGE_OPT("optimizer") ": only " RIDGE_OPT("phase") " train has an optimizer; ignored");
    if (!st && r->recompute != RIDGE_RECOMPUTE_NONE)
        st = ridge_analysis_warn(a, err, RIDGE_OPT("recompute") ": only " RIDGE_OPT("phase") " train recomputes activations; ignored");
    return st;
}

ridge_status ridge_analysis_drop_unused(ridge_analysis *a, ridge_model_request *r, ridge_err *err)
{
    ridge_status st;
    if ((st = drop_image(a, r, err)) || (st = drop_unread(a, &r->video_frames, "video_frames", "video-frames", "takes no film", err)) ||
        (st = drop_unread(a, &r->frames, "frames", "frames", "takes no audio", err)) ||
        (st = drop_unread(a, &r->samples, "samples", "samples", "takes no audio", err)) || (st = drop_encoder(a, r, err)))
        return st;
    return warn_training(a, r, err);
}

/* ---- what was asked for ---- */

static bool asked(const ridge_analysis *a, ridge_global which)
{
    return a->graph.run.globals_read & 1u << which;
}

ridge_status ridge_analysis_check_phase(ridge_analysis *a, ridge_err *err)
{
    ridge_takes *t = &a->workload.takes;
    t->cache = (a->unknown_count > 0 && !a->ops) || (a->root && ridge_graph_has_cache(a->root)); /* what a graph keeps are its inputs */
    if (a->workload.phase != RIDGE_PHASE_DECODE || t->cache || a->nothing_known)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_USAGE,
                      RIDGE_OPT("phase") " decode: %s keeps no KV cache and no state: it has no decode step, only " RIDGE_OPT(
                          "phase") " prefill and train",
                      a->architecture);
}

static void find_takes(ridge_takes *t, const ridge_analysis *a)
{
    t->image = asked(a, RIDGE_GLOBAL_image) || asked(a, RIDGE_GLOBAL_image_height) || asked(a, RIDGE_GLOBAL_image_width);
    t->images = asked(a, RIDGE_GLOBAL_images);
    t->video_frames = asked(a, RIDGE_GLOBAL_video_frames);
    t->frames = asked(a, RIDGE_GLOBAL_frames);
    t->samples = asked(a, RIDGE_GLOBAL_samples);
    t->encoder = asked(a, RIDGE_GLOBAL_enc);
    t->head = asked(a, RIDGE_GLOBAL_head_rows);
    t->pairs = asked(a, RIDGE_GLOBAL_attention);
    t->tokens = t->encoder || t->head || t->cache || asked(a, RIDGE_GLOBAL_S) || asked(a, RIDGE_GLOBAL_T);
}

static ridge_status warn_unasked(ridge_analysis *a, bool given, bool taken, const char *name, const char *why, ridge_err *err)
{
    return given && !taken && (a->unknown_count == 0 || a->ops)
               ? ridge_analysis_warn(a, err, RIDGE_OPT("%s") ": %s %s; ignored", name, a->architecture, why)
               : RIDGE_OK;
}

ridge_status ridge_analysis_find_takes(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    ridge_workload *w = &a->workload;
    ridge_takes *t = &w->takes;
    ridge_status st;
    find_takes(t, a);
    if ((st = warn_unasked(a, r->seq != RIDGE_UNSET, t->tokens, "seq", "takes no tokens", err)) ||
        (st = warn_unasked(a, r->past > 0, t->cache, "past", "keeps no cache", err)) ||
        (st = warn_unasked(a, r->kv != NULL, t->cache, "kv", "keeps no cache", err)))
        return st;
    if (!t->tokens)
        w->seq = RIDGE_UNSET;
    if (!t->cache)
        w->past = RIDGE_UNSET;
    if (!t->image || (t->images && w->images == 0))
        w->image = RIDGE_IMAGE_SIZE_UNSET;
    if (!t->video_frames)
        w->video_frames = RIDGE_UNSET;
    if (!t->frames)
        w->frames = RIDGE_UNSET;
    if (!t->samples)
        w->samples = RIDGE_UNSET;
    return RIDGE_OK;
}
