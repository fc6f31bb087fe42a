/* remote.h - a command that runs on another computer, where `ridge serve` is: its words go there, its answer comes back as if it were
 * made here.
 * In: the server's address, RIDGE_TOKEN, a request that was read. Out: the answer in the terminal's call, warnings, progress.
 * A measurement is a job there: when the link drops, it goes on, and is asked for again; Ctrl-C cancels it.
 * Fails (USAGE) where the server has another version, naming both; (IO) where it cannot be reached for long, naming the job. */
#ifndef RIDGE_CLI_REMOTE_H
#define RIDGE_CLI_REMOTE_H

#include "cli/terminal.h"
#include "command/command.h"

/* Takes --remote URL (or --remote=URL) out of the words; *url NULL: it is not there. USAGE where the URL is missing. */
ridge_status ridge_remote_take(const char **url, int *argc, char **argv, ridge_err *err);

/* path: the command's full name */
ridge_status ridge_remote_run(ridge_terminal *terminal, const char *url, const ridge_command *command, const char *path,
                              const void *request, ridge_err *err);

#endif
