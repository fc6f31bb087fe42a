/* rows.h - a finished profile as measured rows (measure/row.h), for the store.
 * In: a profile, the catalog. Out: a row for each component and each level of --optimize that was timed; strings in the arena.
 * A component's row is of all its modules together and has the component's name as its kernel. Fails (NOMEM), and as ridge_ops_count. */
#ifndef RIDGE_PROFILE_ROWS_H
#define RIDGE_PROFILE_ROWS_H

#include "profile/profile.h"

/* (*out)[*count]; none where Ctrl-C came before a component was measured */
ridge_status ridge_profile_rows(ridge_measured_row **out, size_t *count, const ridge_profile *profile, ridge_ops *ops, ridge_arena *arena,
                                ridge_err *err);

#endif
