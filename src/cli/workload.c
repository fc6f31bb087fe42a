#include "cli/workload.h"

#define MOST ((int64_t)1 << 40)

const ridge_option ridge_options_catalog[] = {
    RIDGE_LIST(ridge_catalog_args, folders, "catalog", 0, "PATH",
               "a catalog folder or file that adds to and overrides the built-in one (repeatable)"),
    RIDGE_FLAG(ridge_catalog_args, builtin_only, "builtin-only", 0, "leave the user's own catalog folder out"),
    RIDGE_OPTION_END,
};

const ridge_option ridge_options_workload[] = {
    RIDGE_CHOICE(ridge_workload_args, phase, "phase", 0, ridge_phase_names, "what is run"),
    RIDGE_INT(ridge_workload_args, batch, "batch", 'b', "N", 1, MOST, "sequences at once (default 1)"),
    RIDGE_INT(ridge_workload_args, seq, "seq", 's', "N", 1, MOST,
              "new tokens per sequence (default: the model's maximum, at most 2048; 1 in decode)"),
    RIDGE_INT(ridge_workload_args, past, "past", 0, "N", 0, MOST,
              "tokens already in the cache (default 0; in decode what the maximum leaves)"),
    RIDGE_INT(ridge_workload_args, decoder_seq, "decoder-seq", 0, "N", 1, MOST,
              "encoder-decoder models: tokens of the decoder; --seq is the encoder's"),
    RIDGE_INT(ridge_workload_args, encoder_len, "encoder-len", 0, "N", 1, MOST, "decode: length of the encoder's output"),
    RIDGE_INT(ridge_workload_args, image, "image-size", 0, "N", 1, 1 << 20, "pixels of a square image's side (default: the config's)"),
    RIDGE_INT(ridge_workload_args, frames, "frames", 0, "N", 1, MOST, "spectrogram frames"),
    RIDGE_INT(ridge_workload_args, samples, "samples", 0, "N", 1, MOST, "audio samples"),
    RIDGE_FORMAT(ridge_workload_args, weights, "weights", 0, "number format of the weights (default: the config's dtype)"),
    RIDGE_FORMAT(ridge_workload_args, activations, "activations", 0, "number format of the activations"),
    RIDGE_FORMAT(ridge_workload_args, kv, "kv", 0, "number format of the KV cache (default: the activations')"),
    RIDGE_CHOICE(ridge_workload_args, attention, "attention", 0, ridge_attention_names,
                 "S x T pairs as executed, or exactly the causal ones"),
    RIDGE_CHOICE(ridge_workload_args, kernel, "kernel", 0, ridge_kernel_names, "every operator's traffic, or the least with chains fused"),
    RIDGE_CHOICE(ridge_workload_args, lm_head, "lm-head", 0, ridge_lm_head_names, "positions the output head runs on"),
    RIDGE_CHOICE(ridge_workload_args, optimizer, "optimizer", 0, ridge_optimizer_names, "train: the optimiser's state"),
    RIDGE_CHOICE(ridge_workload_args, recompute, "recompute", 0, ridge_recompute_names,
                 "train: activations computed again in the backward pass"),
    RIDGE_STRING(ridge_workload_args, head_class, "class", 0, "NAME", "another class of the family than the config's (LlamaModel, ...)"),
    RIDGE_FLAG(ridge_workload_args, partial, "partial", 0, "count what the catalog knows and list what it does not"),
    RIDGE_OPTION_END,
};

ridge_status ridge_catalog_open(ridge_registry **out, const ridge_catalog_args *args, ridge_err *err)
{
    return ridge_registry_open(out, args->folders.items, args->folders.count, !args->builtin_only, err);
}

static const char *name_of(const ridge_format *format)
{
    return format ? format->name : NULL;
}

void ridge_workload_request(ridge_request *r, const ridge_workload_args *a, const char *model)
{
    ridge_request_default(r);
    r->model = model;
    r->head_class = a->head_class;
    r->phase = a->phase;
    r->batch = a->batch;
    r->seq = a->seq;
    r->past = a->past;
    r->decoder_seq = a->decoder_seq;
    r->encoder_len = a->encoder_len;
    r->image = a->image;
    r->frames = a->frames;
    r->samples = a->samples;
    r->weights = name_of(a->weights);
    r->activations = name_of(a->activations);
    r->kv = name_of(a->kv);
    r->causal = a->attention == 1;
    r->kernel = a->kernel;
    r->lm_head_last = a->lm_head == 1;
    r->optimizer = a->optimizer;
    r->recompute = a->recompute;
    r->partial = a->partial;
}

void ridge_workload_warn(ridge_io *io, const ridge_analysis *a)
{
    for (size_t i = 0; i < a->warning_count; i++)
        ridge_io_warn(io, "%s", a->warnings[i]);
    for (size_t i = 0; i < a->unknown_count; i++)
        ridge_io_warn(io, "not counted: '%s' (needed by %s) is not in the catalog; 'ridge db add FILE' adds it", a->unknown[i].module,
                      a->unknown[i].needed_by);
}

ridge_status ridge_workload_run(ridge_io *io, const ridge_catalog_args *catalog, const ridge_request *request, ridge_workload_print *print,
                                const void *args, ridge_err *err)
{
    ridge_registry *registry;
    ridge_analysis *a = NULL;
    ridge_status st = ridge_catalog_open(&registry, catalog, err);
    if (st)
        return st;
    st = ridge_analysis_make(&a, registry, request, err);
    if (!st) {
        ridge_workload_warn(io, a);
        st = print(io, args, a, err);
    }
    ridge_analysis_free(a);
    ridge_registry_close(registry);
    return st;
}
