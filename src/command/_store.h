/* store.h - the options of commands that keep or read measurements (measure/store.h). */
#ifndef RIDGE_CLI_STORE_H
#define RIDGE_CLI_STORE_H

#include "cli/command.h"
#include "measure/store.h"

typedef struct ridge_store_args {
    const char *db;
} ridge_store_args;
extern const ridge_option ridge_options_store[]; /* --db; for a ridge_store_args */

/* Opens it. Where there is no file of that name: write makes it; else the default one counts as empty, and --db FILE is an error (IO). */
ridge_status ridge_store_args_open(ridge_store **out, const ridge_store_args *args, bool write, ridge_err *err);
/* an operand: the number of a run. USAGE */
ridge_status ridge_run_parse(int64_t *run, const char *word, ridge_err *err);
/* one run with its rows. NAME where there is none of that number */
ridge_status ridge_store_run_read(ridge_measurements *out, ridge_store *store, int64_t run, ridge_arena *arena, ridge_err *err);
/* "this", "all" or the first digits of a fingerprint, as a filter's machine. USAGE; errors of the fingerprint */
ridge_status ridge_machine_filter(const char **out, const char *word, ridge_arena *arena, ridge_err *err);

/* ---- keeping a run ---- */
typedef struct ridge_keep_args {
    const char *db;
    bool no_store;
} ridge_keep_args;
extern const ridge_option ridge_options_keep[]; /* --db, --no-store; for a ridge_keep_args */

/* Keeps what was measured as one run (db NULL: in the default file); the command line is added. *run: its number; 0: there are no rows, or
 * they cannot be kept, and a warning says why: measuring took time, so the answer is shown all the same. */
void ridge_store_keep(int64_t *run, ridge_io *io, const char *db, const ridge_store_run *what, const ridge_measured_row *rows,
                      size_t count);
/* Below a finished answer in io->data: the line "kept as run 3: ridge history" of text; of JSON the last member "run", null where it is 0.
 */
void ridge_store_tell(ridge_io *io, ridge_output as, int64_t run);

#endif
