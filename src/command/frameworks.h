/* frameworks.h - `ridge compare --frameworks` (frameworks/frameworks.h): measure, keep, draw, tell.
 * In: what compare was asked for. Out: the answer in the call. Fails as ridge_frameworks_run does; CHECK where a framework is wrong. */
#ifndef RIDGE_COMMAND_FRAMEWORKS_H
#define RIDGE_COMMAND_FRAMEWORKS_H

#include "command/picture.h"
#include "command/store.h"
#include "frameworks/frameworks.h"

typedef struct ridge_compare_frameworks {
    const ridge_bench_request *bench;
    const ridge_frameworks_options *options;
    const ridge_store_options *store;
    const ridge_picture_options *pictures;
} ridge_compare_frameworks;
ridge_status ridge_call_frameworks(ridge_call *call, const ridge_compare_frameworks *asked, ridge_err *err);

#endif
