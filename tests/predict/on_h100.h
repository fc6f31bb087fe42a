/* on_h100.h - what the tests of memory and of several devices share: models of known shapes, requests on H100s, comparisons. */
#ifndef RIDGE_TESTS_APP_ON_H100_H
#define RIDGE_TESTS_APP_ON_H100_H

#include "predict/predicting.h"

/* LLAMA: h 4096, 32 layers, 32 heads of 128, f 11008, vocabulary 32000 */
#define LLAMA_3 "meta-llama/Meta-Llama-3-8B"
#define MIXTRAL "mistralai/Mixtral-8x7B-v0.1"

/* 3.35e12 B/s, NVLink 450e9 B/s */
static inline ridge_predict_request on_h100(const char *model, ridge_phase phase, int64_t batch)
{
    ridge_predict_request r = request_of(model, "h100-sxm-80", phase);
    r.model.batch = batch;
    return r;
}

static inline bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

#define assert_bytes(value, want) assert_true((value) == (ridge_int)(want))

#endif
