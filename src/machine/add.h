/* add.h - a machine's file among the user's own machines.
 * In: opened machines, a request. Out: what was done; texts in the arena. The file is read first, and copied as it stands.
 * Fails on a file that cannot be read (file, line and column), on an id that is taken (NAME), and with IO and NOMEM. */
#ifndef RIDGE_MACHINE_ADD_H
#define RIDGE_MACHINE_ADD_H

#include "machine/records.h"

typedef struct ridge_machine_add_request {
    const char *path; /* named <id>.json */
    bool force;
} ridge_machine_add_request;
extern const ridge_option ridge_options_machine_add[];

typedef struct ridge_machine_add_answer {
    const char *id, *file; /* file: where it lies now */
    bool overrides;        /* a machine that is built in */
    ridge_words findings;  /* what is implausible about it (check.h); there also where the rest failed */
} ridge_machine_add_answer;
extern const ridge_record ridge_machine_add_record;

ridge_status ridge_machine_add(ridge_machine_add_answer *out, ridge_machines *machines, const ridge_machine_add_request *request,
                               ridge_arena *arena, ridge_err *err);

#endif
