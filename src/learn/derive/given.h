/* given.h - what a person gives a class that no config.json describes: arguments of __init__ and inputs of forward, as words.
 * In: "dim=64 act=gelu bias=True", "pixels=B,3,32,32 mask=B,S:bool". Out: JSON objects in the arena, which the derivation and the user's
 * PyTorch are asked with. Fails with USAGE, naming the word. */
#ifndef RIDGE_LEARN_DERIVE_GIVEN_H
#define RIDGE_LEARN_DERIVE_GIVEN_H

#include "base/json.h"
#include "learn/python/value.h"

/* {"dim": 64, "act": "gelu", "bias": true, "parts": [2, 2]} */
ridge_status ridge_given_arguments(const ridge_json **out, const char *text, ridge_arena *arena, ridge_err *err);
/* {"pixels": {"shape": ["B", 3, 32, 32]}, "mask": {"shape": ["B", "S"], "dtype": "bool"}}; sizes are numbers, B, S or past */
ridge_status ridge_given_inputs(const ridge_json **out, const char *text, ridge_arena *arena, ridge_err *err);
/* inputs as the interpreter has them: constants, without symbols */
ridge_status ridge_given_value(ridge_py *out, const ridge_json *inputs, ridge_py_interp *in);

#endif
