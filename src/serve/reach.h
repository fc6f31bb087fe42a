/* reach.h - what a value from outside may reach: names yes, files of this computer only below one folder, programs never.
 * In: a value's reach (base/option.h), its text, the policy of the server. Out: nothing, or why not.
 * Fails (USAGE) with *refused true where the server does not allow it.
 * The process stands in the folder (ridge_reach_enter), or in one that is gone, so that no relative path leads anywhere. */
#ifndef RIDGE_SERVE_REACH_H
#define RIDGE_SERVE_REACH_H

#include "base/option.h"

typedef struct ridge_reach_policy {
    const char *folder; /* real path; NULL: no file may be named */
    int fd;             /* of the folder; -1 */
} ridge_reach_policy;

/* Changes the working folder. `folder` NULL: to one that is removed at once. */
ridge_status ridge_reach_enter(ridge_reach_policy *out, const char *folder, ridge_arena *arena, ridge_err *err);

/* name: of the option, for the message. A path is followed (openat2) and must end below the folder; of a folder, links in it too. */
ridge_status ridge_reach_check(bool *refused, const ridge_reach_policy *policy, ridge_reach reach, const char *name, const char *text,
                               ridge_err *err);

#endif
