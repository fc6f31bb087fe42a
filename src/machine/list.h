/* list.h - the machines there are, for `ridge machine list`.
 * In: opened machines, a request. Out: an answer whose rows lie in the arena and point into the machines.
 * Fails where a machine's file cannot be read (file, line and column), and with NOMEM. */
#ifndef RIDGE_MACHINE_LIST_H
#define RIDGE_MACHINE_LIST_H

#include "machine/fields.h"

typedef struct ridge_machine_list_request {
    int kind; /* of ridge_machine_kinds; 0: any */
} ridge_machine_list_request;
extern const ridge_option ridge_options_machine_list[];

typedef struct ridge_machine_row {
    const ridge_machine *machine;
    ridge_machine spread;   /* the columns of CSV (fields.h) */
    const char *unverified; /* names of numbers, a space between */
} ridge_machine_row;

typedef struct ridge_machine_list_answer {
    ridge_machine_row *rows;
    size_t count;
} ridge_machine_list_answer;
extern const ridge_record ridge_machine_row_record, ridge_machine_list_record;

ridge_status ridge_machine_list_make(ridge_machine_list_answer *out, ridge_machines *machines, const ridge_machine_list_request *request,
                                     ridge_arena *arena, ridge_err *err);

#endif
