/* trial.h - a changed prediction, tried and let go; where the time of a prediction goes. For this folder.
 * In: the prediction of now, changes. Out: the figures that advice compares, by value. */
#ifndef RIDGE_ADVICE_TRIAL_H
#define RIDGE_ADVICE_TRIAL_H

#include "advice/advice.h"

typedef struct ridge_trial {
    ridge_changes changes;
    bool possible; /* false: the machine or the model cannot do it; the rest is empty */
    bool fits;
    double total_s, tokens_per_s, images_per_s;
    double flops;   /* of the pass */
    double balance; /* seconds that the matrix products with weights compute longer than they move bytes; < 0: memory-bound */
    ridge_int memory_bytes;
} ridge_trial;

/* `base`: the request that is changed, now->request or a step of it; fails only where memory runs out */
ridge_status ridge_trial_run(ridge_trial *out, const ridge_prediction *now, const ridge_predict_request *base, const ridge_changes *changes,
                             ridge_arena *arena, ridge_err *err);
/* The prediction itself, to be freed also after an error; *request becomes the changed one and must outlive it. */
ridge_status ridge_trial_predict(ridge_prediction **out, ridge_predict_request *request, const ridge_prediction *now,
                                 const ridge_changes *changes, ridge_arena *arena, ridge_err *err);
/* of a request: the decode step in its middle, the request itself else; or, of a request, its prefill */
ridge_predict_request ridge_trial_step(const ridge_prediction *now);
ridge_predict_request ridge_trial_prefill(const ridge_prediction *now);

/* Where a prediction's time goes; shares of 1. Memory-bound kernels' time is split by the bytes they move. */
typedef struct ridge_shares {
    double weights, kv, activations; /* read or written, in memory-bound kernels */
    double compute;                  /* in compute-bound kernels */
    double attention;                /* in kernels with attention scores */
} ridge_shares;
/* of the pass; of a request: prefill and the step in the middle, by their parts of the latency */
ridge_status ridge_shares_of(ridge_shares *out, const ridge_prediction *p, ridge_err *err);

/* Adds the item of a larger batch: up to where the matrix products stop waiting for weights, or to what fits. `helps`: changes that
 * save memory, to say what would make room. */
ridge_status ridge_advice_batch(ridge_advice *a, const ridge_prediction *now, const ridge_shares *shares, const ridge_changes *helps,
                                size_t help_count, ridge_err *err);
/* what is needed for the trial to fit, in words; *out is NULL where no format does */
ridge_status ridge_advice_to_fit(const char **out, const ridge_prediction *now, const ridge_trial *trial, const ridge_changes *helps,
                                 size_t help_count, ridge_arena *arena, ridge_err *err);
/* more than 16 bits: the format of old configs, or of those that name no dtype */
bool ridge_advice_is_wide(const ridge_workload *w);
/* A new item with the figures of its trial; NULL when memory runs out. Action, why and the like are the caller's. */
ridge_advice_item *ridge_advice_add(ridge_advice *a, const ridge_prediction *now, const ridge_trial *trial, double gain_s);

#endif
