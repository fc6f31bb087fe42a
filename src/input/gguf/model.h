/* model.h - what model a GGUF holds: its config as Hugging Face has it, and which of its tensors each weight of that model is.
 * In: a GGUF, the entries of gguf/ (docs/gguf.md). Out: the text of a config.json; format and bytes of weights by their paths.
 * Fails (UNKNOWN) on an architecture without an entry, (VALUE) on keys and tensors that are missing or not of the shape wanted. */
#ifndef RIDGE_INPUT_GGUF_MODEL_H
#define RIDGE_INPUT_GGUF_MODEL_H

#include "base/json.h"
#include "input/gguf/gguf.h"

enum { RIDGE_GGUF_ENTRIES = 8 }; /* an entry and what it inherits, one from the other */

typedef struct ridge_gguf_model {
    ridge_gguf gguf;
    const char *architecture;
    const ridge_json *entries[RIDGE_GGUF_ENTRIES]; /* the entry of the architecture, then what it inherits */
    unsigned entry_count;
    ridge_symtab paths;        /* the paths of entries: "model.layers.{}.mlp.up_proj" */
    const ridge_str *names;    /* [symbol]: the tensor's name there */
    ridge_int *used;           /* [tensor]: elements that weights of the model are */
    const ridge_format *most;  /* the format of most elements */
    const ridge_format *plain; /* the one format of all matrices where that has no blocks; NULL: they are quantised, or in several */
    ridge_arena *arena;
} ridge_gguf_model;

/* reads the file; no entry is looked for */
ridge_status ridge_gguf_model_read(ridge_gguf_model *out, const char *path, ridge_arena *arena, ridge_err *err);
/* the text of a config.json */
ridge_status ridge_gguf_config(ridge_str *text, ridge_gguf_model *model, ridge_err *err);

/* how a weight of the model is stored */
typedef struct ridge_gguf_weight {
    const ridge_format *format;
    ridge_int bytes;
} ridge_gguf_weight;
/* path: as graph/stored.h has it; elements of the weight. What is found counts as used, a tied weight but once. */
ridge_status ridge_gguf_weight_find(ridge_gguf_weight *out, ridge_gguf_model *model, ridge_str path, ridge_int elements, ridge_err *err);
/* After all weights of a model were found: bytes of the tensors that are none of them, and the names of those that its entry does not
 * expect, NULL-terminated and at most `cap` - 1; VALUE where a tensor is used in part. */
ridge_status ridge_gguf_rest(ridge_int *bytes, const char **names, size_t cap, const ridge_gguf_model *model, ridge_err *err);

/* ---- private to the folder ---- */
/* the entry of an architecture, its variant for this file, and what they inherit */
ridge_status ridge_gguf_entry(ridge_gguf_model *model, ridge_err *err);
/* the first value of a key, by inheritance; NULL: none */
const ridge_json *ridge_gguf_field(const ridge_gguf_model *model, const char *key);

typedef enum ridge_gguf_kind {
    RIDGE_GGUF_NONE, /* an optional key that is not there */
    RIDGE_GGUF_WHOLE,
    RIDGE_GGUF_REAL,
    RIDGE_GGUF_TRUTH,
    RIDGE_GGUF_WORD,
    RIDGE_GGUF_LIST, /* of whole numbers */
    RIDGE_GGUF_JSON  /* as the entry has it */
} ridge_gguf_kind;
typedef struct ridge_gguf_value {
    ridge_gguf_kind kind;
    ridge_int whole; /* TRUTH: 0 or 1 */
    double real;
    ridge_str text;        /* WORD; JSON */
    const ridge_int *list; /* LIST */
    size_t count;
} ridge_gguf_value;
/* a rule of an entry, evaluated */
ridge_status ridge_gguf_eval(ridge_gguf_value *out, const ridge_gguf_model *model, const ridge_json *rule, ridge_err *err);

#endif
