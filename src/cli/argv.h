/* argv.h - the command line's spelling of a request: `--name value`, `--name=value`, `-n value`; `--` ends options; options and operands
 * mix; the last of two equal ones counts.
 * In: a command, argc, argv. Out: its request, filled; strings point into argv.
 * Fails (USAGE) on an unknown option (with "did you mean"), a missing, malformed or out-of-range value, too few or many operands. */
#ifndef RIDGE_CLI_ARGV_H
#define RIDGE_CLI_ARGV_H

#include "command/command.h"

/* Fills `request` (ridge_command_request) from argv[0..argc). *help: --help or -h was found; parsing stops there. */
ridge_status ridge_argv_read(void *request, bool *help, ridge_call *call, const ridge_command *command, int argc, char **argv,
                             ridge_err *err);

#endif
