/* model.h - finds a model's config.json and reads it.
 * In: a folder, a file (a GGUF says its config itself, as a folder's only GGUF does), or an id (org/name, org/name@revision): shipped
 * examples first, then the local Hugging Face cache, then the hub. Out: the parsed JSON with its path, owned by the arena. Fails with what
 * was looked at where nothing is found. */
#ifndef RIDGE_INPUT_MODEL_H
#define RIDGE_INPUT_MODEL_H

#include "base/json.h"

struct ridge_gguf_model;
struct ridge_opgraph;
struct ridge_inventory;

typedef struct ridge_model_file {
    const char *name; /* as the user gave it */
    const char *path; /* of the config.json; "examples/..." for a shipped one */
    ridge_str text;
    const ridge_json *json;            /* an object */
    struct ridge_gguf_model *gguf;     /* the file that the config was made of (input/gguf/model.h); NULL: it was none */
    struct ridge_opgraph *opgraph;     /* of a graph of operators, which has no config (json is NULL until one is made of it); else NULL */
    struct ridge_inventory *inventory; /* of an inventory of a module: json is the config that it keeps, or NULL; else NULL */
} ridge_model_file;

ridge_status ridge_model_read(ridge_model_file *out, const char *spec, ridge_arena *arena, ridge_err *err);
/* config text already in memory; path for messages */
ridge_status ridge_model_parse(ridge_model_file *out, const char *name, const char *path, ridge_str text, ridge_arena *arena,
                               ridge_err *err);

#endif
