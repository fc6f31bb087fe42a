/* records.h - machines as answers tell them: one with its sources, a list, several side by side.
 * In: machines, which outlive the answers. Out: plain structs and how they are written (report/record.h); the rest lies in the arena.
 * Fails with NOMEM only, and where the list meets a file that cannot be read (file, line and column). */
#ifndef RIDGE_MACHINE_RECORDS_H
#define RIDGE_MACHINE_RECORDS_H

#include "machine/fields.h"

/* ---- a machine ---- */

/* A machine's file reads by these too: a level and a link begin with the key that names them. */
extern const ridge_record ridge_rates_record; /* of int64_t[RIDGE_PRECISION_COUNT] */
extern const ridge_record ridge_level_record, ridge_link_record, ridge_achieved_record;
/* id, name, vendor, kind, arch: of a ridge_machine, for tables and CSV too */
extern const ridge_record ridge_machine_head_record;
extern const ridge_record ridge_machine_record;

/* ---- its numbers ---- */

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
/* "no units for: fp8 ..." wrapped to lines of `width`; nothing where none is lacked */
void ridge_machine_lacks_text(ridge_buf *out, const ridge_machine *machine, size_t width);
/* "not known: ..." wrapped to lines of `width`; nothing where all are known */
void ridge_machine_unknown_text(ridge_buf *out, const ridge_words *unknown, size_t width);

/* ---- the list ---- */

typedef struct ridge_machine_list_request {
    int kind; /* of ridge_machine_kinds; 0: any */
    bool own; /* only those that are in a file */
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

/* ---- one machine: its JSON is ridge_machine_record ---- */

typedef struct ridge_machine_show_answer {
    const ridge_machine *machine;
    ridge_machine_number numbers[RIDGE_FIELD_COUNT]; /* the known ones */
    size_t number_count;
    const char *sources[RIDGE_FIELD_COUNT]; /* each once, as the numbers name them */
    size_t source_count;
    ridge_words unknown;
} ridge_machine_show_answer;
extern const ridge_record ridge_machine_number_record; /* of a row */
ridge_status ridge_machine_show_make(ridge_machine_show_answer *out, const ridge_machine *machine, ridge_arena *arena, ridge_err *err);
/* what stands above the table of numbers, and below it, "not known" wrapped to lines of `width` */
void ridge_machine_show_head(ridge_buf *out, const ridge_machine_show_answer *answer, ridge_arena *arena);
void ridge_machine_show_rest(ridge_buf *out, const ridge_machine_show_answer *answer, size_t width, ridge_arena *arena);

/* ---- several ---- */

/* a number that one of them knows */
typedef struct ridge_machine_compare_row {
    const char *name;
    ridge_machine_number *machines; /* one each */
    size_t count;
} ridge_machine_compare_row;

typedef struct ridge_machine_compare_answer {
    ridge_words machines; /* ids */
    ridge_machine_compare_row *rows;
    size_t row_count;
    ridge_machine_number *numbers; /* of the rows, one behind the other */
    ridge_record table;            /* of a row's numbers: a column for each machine */
} ridge_machine_compare_answer;
extern const ridge_record ridge_machine_compare_record;
/* ratios are to the first machine */
ridge_status ridge_machine_compare_make(ridge_machine_compare_answer *out, const ridge_machine *const *machines, size_t count,
                                        ridge_arena *arena, ridge_err *err);

#endif
