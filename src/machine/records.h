/* records.h - a machine, and single numbers of it, as every answer tells them.
 * In: machines. Out: plain structs and how they are written (report/record.h). Fails with NOMEM only. */
#ifndef RIDGE_MACHINE_RECORDS_H
#define RIDGE_MACHINE_RECORDS_H

#include "machine/fields.h"

/* A machine's file reads by these too: a level and a link begin with the key that names them. */
extern const ridge_record ridge_rates_record; /* of int64_t[RIDGE_PRECISION_COUNT] */
extern const ridge_record ridge_level_record, ridge_link_record, ridge_achieved_record;
/* id, name, vendor, kind, arch: of a ridge_machine, for tables and CSV too */
extern const ridge_record ridge_machine_head_record;
extern const ridge_record ridge_machine_record;

/* one number of one machine, ready to be told */
typedef struct ridge_machine_number {
    const char *name, *unit; /* "power_w", "W" */
    ridge_machine_field field;
    ridge_field_value value;
    const char *exact; /* every digit; NULL: not known */
    bool unverified;
    const char *source;   /* NULL: nobody says */
    size_t source_number; /* in the answer's list of sources, from 1; 0: none */
    double ratio;         /* to the number of the first machine; negative: not known */
} ridge_machine_number;
ridge_status ridge_machine_number_make(ridge_machine_number *out, const ridge_machine *machine, ridge_machine_field field,
                                       ridge_arena *arena, ridge_err *err);
/* "989.5 TFLOP/s*" with the mark of a number that was not verified, `otherwise` in its place */
const char *ridge_machine_number_text(ridge_arena *arena, const ridge_machine_number *number, const char *otherwise);

/* the names of the numbers that nobody gives */
ridge_status ridge_machine_unknown(ridge_words *out, const ridge_machine *machine, ridge_arena *arena, ridge_err *err);
/* "not known: ..." wrapped to lines of `width`; nothing where all are known */
void ridge_machine_unknown_text(ridge_buf *out, const ridge_words *unknown, size_t width);

#endif
