/* fit.h - does a workload fit into a device's memory, and how much more would: the largest batch, the largest context.
 * In: a request, how many devices share it, the bytes a device has. Out: numbers found with exact memory at each probe, so the largest
 * fits and one more does not. Fails as the analysis does; a workload that the model cannot run (past a learned position table) ends
 * the search. */
#ifndef RIDGE_PREDICT_FIT_H
#define RIDGE_PREDICT_FIT_H

#include "predict/parallel/parallel.h"

/* of a device's memory, what something else keeps */
typedef struct ridge_reserve {
    int64_t bytes;
    double percent; /* of the capacity; one of the two is 0 */
} ridge_reserve;
/* "2GB", "1.5GiB", "512MB", "10%", "1000000"; USAGE else */
ridge_option_read ridge_reserve_read;
/* what is left; negative capacity (unknown) stays */
ridge_int ridge_reserve_left(const ridge_reserve *reserve, ridge_int capacity);

#define RIDGE_FIT_UNKNOWN (-1)

typedef struct ridge_fit {
    int64_t max_batch;     /* of all devices, at this context; 0: not one; RIDGE_FIT_UNKNOWN: nothing limits it, or not asked */
    int64_t max_context;   /* past + seq (decode), else seq; 0: not one; RIDGE_FIT_UNKNOWN: the model's memory does not depend on it */
    int64_t model_context; /* the model's own largest number of positions; RIDGE_FIT_UNKNOWN: none */
    bool ends;             /* a learned position table ends at max_context, not the memory */
    const ridge_format *weights; /* max_batch is 0: the widest narrower format of the weights that makes room; NULL: none does */
} ridge_fit;
/* bytes: of one device, reserve left out. */
ridge_status ridge_fit_find(ridge_fit *out, ridge_registry *registry, const ridge_model_request *request, const ridge_parallel *parallel,
                            ridge_int bytes, ridge_err *err);
/* the largest context of a prompt (prefill) that runs in pieces of so many tokens, the ones before in the cache; RIDGE_FIT_UNKNOWN:
 * memory does not depend on it */
ridge_status ridge_fit_context(int64_t *out, ridge_registry *registry, const ridge_model_request *request, const ridge_parallel *parallel,
                               int64_t piece, ridge_int bytes, ridge_err *err);
/* Looks for ridge_fit.weights; of inference. */
ridge_status ridge_fit_weights(const ridge_format **out, ridge_registry *registry, const ridge_model_request *request,
                               const ridge_parallel *parallel, ridge_int bytes, ridge_err *err);
/* the largest batch alone */
ridge_status ridge_fit_batch(int64_t *out, ridge_registry *registry, const ridge_model_request *request, const ridge_parallel *parallel,
                             ridge_int bytes, ridge_err *err);

#endif
