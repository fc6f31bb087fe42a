/* show.h - the numbers of one machine with their sources, and those of several side by side.
 * In: machines. Out: answers, which point into the machines; the rest lies in the arena. Fails with NOMEM only. */
#ifndef RIDGE_MACHINE_SHOW_H
#define RIDGE_MACHINE_SHOW_H

#include "machine/records.h"

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
void ridge_machine_show_head(ridge_buf *out, const ridge_machine_show_answer *answer);
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
