/* run.h - finds the command of a command line, reads its options, runs it and writes its answer.
 * In: argc, argv without the program's name. Out: the exit status. */
#ifndef RIDGE_CLI_RUN_H
#define RIDGE_CLI_RUN_H

#include "cli/terminal.h"

int ridge_run_line(ridge_terminal *terminal, int argc, char **argv);

/* ---- made from the tables of all commands ---- */
void ridge_complete_bash(ridge_call *call); /* a bash completion script */
void ridge_man_page(ridge_call *call);      /* ridge.1 */

#endif
