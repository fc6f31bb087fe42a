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

#endif
