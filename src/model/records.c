#include "model/records.h"

/* ---- the workload ---- */

ridge_workload_told ridge_workload_tell(const ridge_workload *w)
{
    bool train = w->phase == RIDGE_PHASE_TRAIN;
    return (ridge_workload_told){.phase = w->phase,
                                 .batch = w->bound ? w->bound_batch : w->batch,
                                 .seq = w->seq,
                                 .past = w->past,
                                 .decoder_seq = w->encoder_decoder ? w->decoder_seq : RIDGE_UNSET,
                                 .encoder_len = w->encoder_decoder || w->encoder_len ? w->encoder_len : RIDGE_UNSET,
                                 .images = w->takes.images ? w->images : RIDGE_UNSET,
                                 .image = ridge_image_size_given(&w->image) ? w->image.height : RIDGE_UNSET,
                                 .image_width = w->image.width != w->image.height ? w->image.width : RIDGE_UNSET,
                                 .video_frames = w->video_frames,
                                 .frames = w->frames,
                                 .samples = w->samples,
                                 .weights = w->weights,
                                 .stored = w->stored ? *w->stored : (ridge_words){0},
                                 .activations = w->activations,
                                 .kv = w->takes.cache ? w->kv : NULL,
                                 .attention = w->takes.pairs ? (int)w->attention : -1,
                                 .kernel = w->kernel,
                                 .lm_head = w->takes.head ? (int)w->lm_head : -1,
                                 .optimizer = train ? (int)w->optimizer : -1,
                                 .recompute = train ? (int)w->recompute : -1,
                                 .bound = w->bound};
}

/* as run: `needed` is one of the two */
static const char *const heads_run[] = {"all", "last", NULL};

#define TOLD ridge_workload_told
static const ridge_record_field workload_fields[] = {
    RIDGE_R_WORD(TOLD, phase, ridge_phase_names, "phase", NULL, RIDGE_IN_JSON, "what is run"),
    RIDGE_R_WHOLE(TOLD, batch, "batch", NULL, RIDGE_IN_JSON, "sequences at once"),
    RIDGE_R_WHOLE(TOLD, seq, "seq", NULL, RIDGE_IN_JSON, "new tokens per sequence"),
    RIDGE_R_WHOLE(TOLD, past, "past", NULL, RIDGE_IN_JSON, "tokens in the cache before them"),
    RIDGE_R_WHOLE(TOLD, decoder_seq, "decoder_seq", NULL, RIDGE_IN_JSON, "of an encoder-decoder, the decoder's tokens"),
    RIDGE_R_WHOLE(TOLD, encoder_len, "encoder_len", NULL, RIDGE_IN_JSON, "length of the encoder's output that the decoder attends"),
    RIDGE_R_WHOLE(TOLD, images, "images", NULL, RIDGE_IN_JSON, "images per sequence of text"),
    RIDGE_R_WHOLE(TOLD, image, "image_size", NULL, RIDGE_IN_JSON, "pixels of an image's height"),
    RIDGE_R_WHOLE(TOLD, image_width, "image_width", NULL, RIDGE_IN_JSON, "pixels of its width, where that is another number"),
    RIDGE_R_WHOLE(TOLD, video_frames, "video_frames", NULL, RIDGE_IN_JSON, "pictures of a film"),
    RIDGE_R_WHOLE(TOLD, frames, "frames", NULL, RIDGE_IN_JSON, "spectrogram frames"),
    RIDGE_R_WHOLE(TOLD, samples, "samples", NULL, RIDGE_IN_JSON, "audio samples"),
    RIDGE_R_FORMAT(TOLD, weights, "weights", NULL, RIDGE_IN_JSON, "number format of the weights; of those of a file, that of most bytes"),
    RIDGE_R_TEXTS(TOLD, stored, "weights_stored", NULL, RIDGE_IN_JSON, "of a file that says how its weights are stored, their formats"),
    RIDGE_R_FORMAT(TOLD, activations, "activations", NULL, RIDGE_IN_JSON, "number format of the activations"),
    RIDGE_R_FORMAT(TOLD, kv, "kv", NULL, RIDGE_IN_JSON, "number format of the KV cache"),
    RIDGE_R_WORD(TOLD, attention, ridge_pairs_names, "attention", NULL, RIDGE_IN_JSON, "pairs of queries and keys that count"),
    RIDGE_R_WORD(TOLD, kernel, ridge_kernel_names, "kernel", NULL, RIDGE_IN_JSON,
                 "whose traffic counts: every operator's, or that of fused chains"),
    RIDGE_R_WORD(TOLD, lm_head, heads_run, "lm_head", NULL, RIDGE_IN_JSON, "positions that the output head runs on"),
    RIDGE_R_WORD(TOLD, optimizer, ridge_optimizer_names, "optimizer", NULL, RIDGE_IN_JSON, "of a training step, the optimiser"),
    RIDGE_R_WORD(TOLD, recompute, ridge_recompute_names, "recompute", NULL, RIDGE_IN_JSON,
                 "of a training step, the activations computed again"),
    RIDGE_R_TEXT(TOLD, bound, "bind", NULL, RIDGE_IN_JSON, "of a graph of operators, the sizes that its file leaves open",
                 RIDGE_WHERE(TOLD, bound)),
};
const ridge_record ridge_workload_record = RIDGE_RECORD(TOLD, "workload", workload_fields, "the workload as run, every default filled in");

static void add_lengths(ridge_buf *out, const ridge_workload *w)
{
    const bool decode = w->phase == RIDGE_PHASE_DECODE;
    if (w->encoder_decoder && !decode)
        ridge_buf_addf(out, "  encoder %lld  decoder %lld", (long long)w->encoder_len, (long long)w->decoder_seq);
    else if (w->takes.tokens)
        ridge_buf_addf(out, "  seq %lld", (long long)w->decoder_seq);
    if (w->past > 0)
        ridge_buf_addf(out, "  past %lld", (long long)w->past);
    if (w->encoder_decoder && decode)
        ridge_buf_addf(out, "  encoder %lld", (long long)w->encoder_len);
    ridge_workload_add_media(out, w);
}

void ridge_workload_add_weights(ridge_buf *out, const ridge_workload *w)
{
    if (!w->stored)
        ridge_buf_addz(out, w->weights->name);
    for (size_t i = 0; w->stored && i < w->stored->count; i++)
        ridge_buf_addf(out, "%s%s", i ? " + " : "", w->stored->items[i]);
}

void ridge_workload_line(ridge_buf *out, const ridge_workload *w)
{
    if (w->bound)
        ridge_buf_addf(out, "one run%s%s", w->bound[0] ? "  " : "", w->bound);
    else
        ridge_buf_addf(out, "%s  batch %lld", ridge_phase_names[w->phase], (long long)w->batch);
    add_lengths(out, w);
    ridge_buf_addz(out, "   weights ");
    ridge_workload_add_weights(out, w);
    ridge_buf_addf(out, ", activations %s", w->activations->name);
    if (w->takes.cache)
        ridge_buf_addf(out, ", KV %s", w->kv->name);
    ridge_buf_addf(out, "   %s kernels", ridge_kernel_names[w->kernel]);
    if (w->takes.pairs)
        ridge_buf_addf(out, ", %s attention", ridge_pairs_names[w->attention]);
    ridge_buf_addz(out, w->takes.head && w->lm_head == RIDGE_HEAD_LAST ? ", head on the last position\n" : "\n");
}

/* ---- the model ---- */

void ridge_model_tell(ridge_model_told *out, const ridge_analysis *a)
{
    *out = (ridge_model_told){.model = a->file.name, .architecture = a->architecture, .workload_told = ridge_workload_tell(&a->workload)};
    out->workload = a->nothing_known ? NULL : &out->workload_told;
    out->parameters = a->nothing_known ? NULL : &a->parameters;
}

#define COUNTS ridge_parameter_counts
static const ridge_record_field parameters_fields[] = {
    RIDGE_R_COUNT(COUNTS, total, "total", NULL, RIDGE_IN_JSON, "parameters, tied ones once"),
    RIDGE_R_COUNT(COUNTS, active, "active", NULL, RIDGE_IN_JSON, "those a token runs: the total less the experts that it does not reach"),
    RIDGE_R_COUNT(COUNTS, embedding, "embedding", NULL, RIDGE_IN_JSON, "those of the input embedding tables"),
};
const ridge_record ridge_parameters_record = RIDGE_RECORD(COUNTS, "parameters", parameters_fields, "numbers of parameters");

#define MEMORY ridge_memory
static const ridge_record_field memory_fields[] = {
    RIDGE_R_COUNT(MEMORY, weights, "weights", NULL, RIDGE_IN_JSON, "the weights", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(MEMORY, kv_cache, "kv_cache", NULL, RIDGE_IN_JSON, "the KV cache, or a recurrent state", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(MEMORY, activations_peak, "activations_peak", NULL, RIDGE_IN_JSON,
                  "the most that activations take at once, the KV cache left out", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(MEMORY, gradients, "gradients", NULL, RIDGE_IN_JSON, "the gradients of a training step", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(MEMORY, optimizer, "optimizer", NULL, RIDGE_IN_JSON, "the optimiser's state and master weights",
                  .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(MEMORY, total, "total", NULL, RIDGE_IN_JSON, "the sum of the parts", .unit = RIDGE_UNIT_BYTES),
};
const ridge_record ridge_memory_record = RIDGE_RECORD(MEMORY, "memory", memory_fields, "bytes of memory held");

void ridge_memory_parts(ridge_buf *out, const ridge_memory *m, ridge_arena *arena)
{
    ridge_buf_addf(out, "weights %s", ridge_units_bytes(arena, m->weights));
    if (m->kv_cache)
        ridge_buf_addf(out, ", KV cache %s", ridge_units_bytes(arena, m->kv_cache));
    ridge_buf_addf(out, ", activations peak %s", ridge_units_bytes(arena, m->activations_peak));
    if (m->gradients)
        ridge_buf_addf(out, ", gradients %s, optimizer %s", ridge_units_bytes(arena, m->gradients), ridge_units_bytes(arena, m->optimizer));
    ridge_buf_addc(out, '\n');
}

#define SHARE ridge_stored_share
static const ridge_record_field share_fields[] = {
    RIDGE_R_FORMAT(SHARE, format, "format", NULL, RIDGE_IN_JSON, "a number format"),
    RIDGE_R_COUNT(SHARE, tensors, "tensors", NULL, RIDGE_IN_JSON, "tensors of the file in it"),
    RIDGE_R_COUNT(SHARE, elements, "elements", NULL, RIDGE_IN_JSON, "their elements"),
    RIDGE_R_COUNT(SHARE, bytes, "bytes", NULL, RIDGE_IN_JSON, "their bytes in the file", .unit = RIDGE_UNIT_BYTES),
};
const ridge_record ridge_share_record = RIDGE_RECORD(SHARE, "stored", share_fields, "what a file stores in one number format");

#define UNKNOWN ridge_unknown
static const ridge_record_field unknown_fields[] = {
    RIDGE_R_TEXT(UNKNOWN, module, "module", NULL, RIDGE_IN_JSON, "a class that the catalog does not have"),
    RIDGE_R_TEXT(UNKNOWN, needed_by, "needed_by", NULL, RIDGE_IN_JSON, "what uses it"),
    RIDGE_R_TEXT(UNKNOWN, why, "why", NULL, RIDGE_IN_JSON, "why it is not counted, where it is not that the catalog lacks it",
                 RIDGE_WHERE(UNKNOWN, why)),
};
const ridge_record ridge_unknown_record = RIDGE_RECORD(UNKNOWN, "unknown module", unknown_fields, "what was not counted");

void ridge_unknown_lines(ridge_buf *out, const ridge_unknown *unknown, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ridge_buf_addf(out, "not counted %s (needed by %s): %s\n", unknown[i].module, unknown[i].needed_by,
                       unknown[i].why ? unknown[i].why : "not in the catalog");
}
