/* check.h - what is implausible about a machine that reads well: units slipped, sparse rates taken for dense, numbers without a source,
 * measurements that beat a bound; and what is missing for predictions.
 * In: machines. Out: findings and gaps in the arena, none where all is well. Only rules that every known machine keeps are rules here.
 * Fails with NOMEM only: a file that cannot be read is a finding. */
#ifndef RIDGE_MACHINE_CHECK_H
#define RIDGE_MACHINE_CHECK_H

#include "machine/records.h"

/* findings: "clock_hz: 1830 Hz is outside 1e+08 to 1e+10; is the unit right?"; gaps: "no compute_units: estimates cut no tiles and no
 * waves" (NULL: not asked) */
ridge_status ridge_machine_check(ridge_words *findings, ridge_words *gaps, const ridge_machine *machine, ridge_arena *arena,
                                 ridge_err *err);

typedef struct ridge_checked_machine {
    const char *id;
    const ridge_machine *machine; /* NULL: it cannot be read, and the one finding says why */
    ridge_words findings, gaps, unknown, unverified;
} ridge_checked_machine;

typedef struct ridge_machine_check_answer {
    ridge_checked_machine *machines;
    size_t count, wrong;
} ridge_machine_check_answer;
extern const ridge_record ridge_machine_check_record;

/* names: ids and paths of files; none: every machine. They outlive the answer. */
ridge_status ridge_machine_check_make(ridge_machine_check_answer *out, ridge_machines *machines, const ridge_words *names,
                                      ridge_arena *arena, ridge_err *err);
void ridge_machine_check_text(ridge_buf *out, const ridge_machine_check_answer *answer, size_t width);

#endif
