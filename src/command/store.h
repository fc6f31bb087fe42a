/* store.h - the options of commands that keep or read measurements (measure/store.h). */
#ifndef RIDGE_COMMAND_STORE_H
#define RIDGE_COMMAND_STORE_H

#include "command/call.h"
#include "measure/store.h"

typedef struct ridge_store_options {
    const char *db;
    bool no_store;
} ridge_store_options;
extern const ridge_option ridge_options_store[];
extern const char *const ridge_store_reading[]; /* a table's `only` where nothing is kept: db */
/* clang-format off */
#define RIDGE_TABLE_STORE_READ(type, member) \
    {.options = ridge_options_store, .offset = offsetof(type, member), .only = ridge_store_reading}
/* clang-format on */

/* the file that they name, or the default one; IO */
ridge_status ridge_store_options_path(const char **out, const ridge_store_options *options, ridge_arena *arena, ridge_err *err);
/* Opens it. Where there is no file of that name: `write` makes it; else the default one counts as empty, and one that was named is an
 * error (IO). */
ridge_status ridge_store_options_open(ridge_store **out, const ridge_store_options *options, bool write, ridge_err *err);
/* an operand: the number of a run. USAGE */
ridge_status ridge_run_parse(int64_t *run, const char *word, ridge_err *err);
/* one run with its rows. NAME where there is none of that number */
ridge_status ridge_store_run_read(ridge_measurements *out, ridge_store *store, int64_t run, ridge_arena *arena, ridge_err *err);

/* ---- keeping a run ---- */

/* Keeps what was measured as one run, unless that was not wanted; the command line is added. *run: its number, RIDGE_UNSET: there are no
 * rows, or they cannot be kept, and a warning says why: measuring took time, so the answer is shown all the same. */
void ridge_store_keep(int64_t *run, ridge_call *call, const ridge_store_options *options, const ridge_store_run *what,
                      const ridge_measured_row *rows, size_t count);
/* below a finished text: "kept as run 3: ridge history" */
void ridge_store_tell(ridge_call *call, int64_t run);

#endif
