/* view.h - machines for people and for programs: the list, one machine with its sources, several side by side.
 * In: machines (machine/machine.h). Out: text, CSV, Markdown or JSON appended to a buffer; what it needs on the way lies in `arena`.
 * Unknown prints as '-' (JSON null, CSV nothing), a number that was not verified at its source with a '*'. NOMEM only. */
#ifndef RIDGE_MACHINE_VIEW_H
#define RIDGE_MACHINE_VIEW_H

#include "machine/fields.h"
#include "report/table.h"

/* "989.5 TFLOP/s", "3350 GB/s", "80 GiB", "4 us", "700 W"; "-" where unknown; in the arena */
const char *ridge_field_text(ridge_arena *arena, ridge_machine_field field, ridge_field_value value);

/* width: of the terminal, 0: unlimited */
ridge_status ridge_output_machine_list(ridge_buf *out, const ridge_machine *const *machines, size_t count, ridge_form style,
                                       int width, ridge_arena *arena, ridge_err *err);
/* every number with its source and mark, what is not known, notes */
ridge_status ridge_output_machine(ridge_buf *out, const ridge_machine *machine, int width, ridge_arena *arena, ridge_err *err);
/* "not known: ..." with the names of the numbers that nobody gives, wrapped (width 0: at 80); nothing where all are known */
void ridge_output_machine_unknown(ridge_buf *out, const ridge_machine *machine, int width);
/* one row per number that one of them knows, with its ratio to that of the first machine */
ridge_status ridge_output_machine_compare(ridge_buf *out, const ridge_machine *const *machines, size_t count, ridge_form style,
                                          int width, ridge_arena *arena, ridge_err *err);
void ridge_output_machine_compare_json(ridge_json_writer *w, const ridge_machine *const *machines, size_t count);

#endif
