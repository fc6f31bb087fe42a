/* request.h - a sweep's grid from words: the command line's names, for it, the C API and HTTP.
 * In: text of each axis, or "name=value" options. Out: a request, its names and axes in the arena.
 * Fails (USAGE) naming the piece that is wrong and the nearest name. */
#ifndef RIDGE_SWEEP_REQUEST_H
#define RIDGE_SWEEP_REQUEST_H

#include "sweep/sweep.h"

/* what varies, as written; NULL: not given */
typedef struct ridge_sweep_words {
    const char *on, *batch, *seq, *past, *phase, *weights, *activations, *kv;
} ridge_sweep_words;

ridge_status ridge_sweep_request_grid(ridge_sweep_request *request, const ridge_sweep_words *words, ridge_arena *arena, ridge_err *err);
/* "on=a,b", "batch=1:256:*2", "weights=bf16,q4_K" go into the words; any other option of a prediction into the request */
ridge_status ridge_sweep_request_set(ridge_sweep_request *request, ridge_sweep_words *words, const char *option, ridge_err *err);

#endif
