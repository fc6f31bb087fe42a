/* names.h - the shipped examples by name, and what a name that is none may have meant.
 * In: a model as it was named. Out: an example, or the message that there is none. */
#ifndef RIDGE_INPUT_NAMES_H
#define RIDGE_INPUT_NAMES_H

#include "base/arena.h"
#include "base/err.h"
#include "input/embedded.h"

/* by id, or by the name after the slash where that is unambiguous; upper and lower case are the same. NULL: there is none. */
const ridge_embedded_model *ridge_example_find(const char *name);
/* Offline. Fails with what to do instead: the examples that contain the name, the one whose fine-tuned or quantised form it is, the
 * nearest; where there is none, where a model may come from. `cache`: the folder of the Hugging Face cache, NULL: none. */
ridge_status ridge_example_unknown(const char *name, const char *cache, ridge_arena *arena, ridge_err *err);
/* "; did you mean 'org/name'?", or "" where nothing like it is shipped */
const char *ridge_example_meant(const char *name, ridge_arena *arena);
/* "org/name" of an address at huggingface.co or hf.co, "org/name@revision/file.gguf" of a GGUF's; the same text where it is none */
const char *ridge_id_of_address(const char *text, ridge_arena *arena);

#endif
