/* check.h - what is implausible about a machine that reads well: units slipped, sparse rates taken for dense, numbers without a source.
 * In: a machine. Out: findings in the arena, none where all is well. Only rules that every known machine keeps are rules here. */
#ifndef RIDGE_MACHINE_CHECK_H
#define RIDGE_MACHINE_CHECK_H

#include "machine/fields.h"

typedef struct ridge_machine_findings {
    const char **texts; /* "clock_hz: 1830 Hz is outside 1e+08 to 1e+10" */
    size_t count, cap;
} ridge_machine_findings;

/* NOMEM only */
ridge_status ridge_machine_check(ridge_machine_findings *out, const ridge_machine *machine, ridge_arena *arena, ridge_err *err);

#endif
