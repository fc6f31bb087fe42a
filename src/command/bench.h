/* bench.h - what `ridge bench` and `ridge compare` do alike: measure, keep, judge. */
#ifndef RIDGE_COMMAND_BENCH_H
#define RIDGE_COMMAND_BENCH_H

#include "bench/bench.h"
#include "command/command.h"
#include "command/measuring.h"
#include "command/store.h"

/* Measures and keeps; the answer lives in the call's arena. */
ridge_status ridge_call_bench(ridge_bench *out, ridge_call *call, const ridge_bench_request *request, const ridge_store_options *store,
                              ridge_err *err);
/* When the answer is written: hands it out and fails where a variant was wrong or a case could not be measured. */
ridge_status ridge_call_bench_end(ridge_call *call, const ridge_bench *bench, ridge_err *err);

#endif
