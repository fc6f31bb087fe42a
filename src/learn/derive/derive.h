/* derive.h - a model built and run on symbols.
 * In: a class or a config.json, where the source is, workloads. Out: the model's modules and, per workload, the trace of its run
 * (learn/torch/run.h), its conditions and its holes. Owned by the derivation's arena.
 * What cannot be derived is a hole; fails where there is no class, no source, or a limit is reached. */
#ifndef RIDGE_LEARN_DERIVE_DERIVE_H
#define RIDGE_LEARN_DERIVE_DERIVE_H

#include "base/json.h"
#include "base/option.h"
#include "learn/package/config.h"
#include "learn/package/package.h"
#include "learn/torch/run.h"

typedef enum ridge_derive_phase { RIDGE_DERIVE_PREFILL, RIDGE_DERIVE_DECODE } ridge_derive_phase;

/* numbers may be RIDGE_UNSET: the model's own, or a small one that no other number equals */
typedef struct ridge_derive_workload {
    ridge_derive_phase phase;
    int64_t batch, seq, past, decoder_seq, encoder_len;
    int64_t image_height, image_width, images, video_frames, frames, samples;
} ridge_derive_workload;
#define RIDGE_DERIVE_WORKLOAD                                                                                                              \
    ((ridge_derive_workload){RIDGE_DERIVE_PREFILL, RIDGE_UNSET, RIDGE_UNSET, RIDGE_UNSET, RIDGE_UNSET, RIDGE_UNSET, RIDGE_UNSET,           \
                             RIDGE_UNSET, RIDGE_UNSET, RIDGE_UNSET, RIDGE_UNSET, RIDGE_UNSET})

typedef struct ridge_derive_request {
    const char *what;         /* a folder, a config.json, an id of a model, or a class: LlamaForCausalLM,
                                 transformers.models.llama.modeling_llama.LlamaModel */
    const char *class;        /* --class, or NULL: the config's architecture */
    const char *source;       /* --source, or NULL */
    const ridge_json *config; /* instead of reading a file: the fields of the config, or NULL */
    const ridge_json *inputs; /* of forward, as ridge_given_inputs reads them; NULL: chosen by what forward takes and the config says */
    const char *operators;    /* a catalog file: its operators instead of the built-in ones of the same names; or NULL */
    const char *dtype;        /* "bfloat16": instead of the config's; or NULL */
    const struct ridge_answers *answers; /* who fills holes (learn/python/question.h), or NULL */
    const char *answered;     /* those answers as JSON, for the entries that rest on them; NULL: there are none */
    bool square_images;       /* of entries: one name for both sides of an image, where two make formulas too long */
    bool sdpa;                /* attention by torch's scaled_dot_product_attention instead of eagerly */
} ridge_derive_request;

typedef struct ridge_derive_run {
    ridge_derive_workload workload; /* as run */
    ridge_run_call *root;           /* what ran; in decode the one step alone */
    size_t first_hole, last_hole;   /* of in.holes */
    size_t first_condition, last_condition;
    const char *failed; /* why it ended early, or NULL */
    ridge_py result;
    bool decodes;   /* the cache can be given to another step */
    ridge_py cache; /* past_key_values after it, or UNSET */
} ridge_derive_run;

typedef struct ridge_derivation {
    ridge_arena *arena;
    ridge_err *err;
    ridge_py_interp in;
    ridge_package package;
    const ridge_json *inputs; /* the request's */
    const ridge_json *json;   /* config.json; NULL: the class's defaults */
    const char *model_type;   /* or NULL */
    const char *class_path;   /* of the model's class */
    ridge_py_class *class;
    ridge_learn_config config;
    ridge_py model; /* an INSTANCE */
    ridge_run_module *root;
    const char *dtype;
    const char *library, *version; /* "transformers", "4.57.0.dev0"; NULL: none, not told */
} ridge_derivation;

/* finds the class, makes the config, builds the model */
ridge_status ridge_derive_open(ridge_derivation *out, const ridge_derive_request *request, ridge_arena *arena, ridge_err *err);
/* the exception on its way, in words ("ValueError: ..."), which is then no longer */
const char *ridge_derive_raised(ridge_derivation *d);
/* runs it once; an exception of the model's code is told in run->failed, not as a status */
ridge_status ridge_derive_run_once(ridge_derive_run *out, ridge_derivation *d, const ridge_derive_workload *workload);

#endif
