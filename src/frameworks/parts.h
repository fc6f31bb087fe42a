/* parts.h - what the files of this folder share beside tasks and helpers.
 * In: rows with the times of their rounds. Out: the answer's numbers, verdicts and sentences. Internal to src/frameworks. Fails: NOMEM. */
#ifndef RIDGE_FRAMEWORKS_PARTS_H
#define RIDGE_FRAMEWORKS_PARTS_H

#include "frameworks/helper.h"

enum { RIDGE_FRAMEWORKS_ROUNDS = 5 };

/* Rounds become one time; ratios, winners and the reasons follow. */
ridge_status ridge_frameworks_conclude(ridge_frameworks *answer, ridge_arena *arena, ridge_err *err);

#endif
