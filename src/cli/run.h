/* run.h - finds the command of a command line, reads its options, runs it and writes its answer.
 * In: argc, argv without the program's name. Out: the exit status. */
#ifndef RIDGE_CLI_RUN_H
#define RIDGE_CLI_RUN_H

#include "cli/terminal.h"

int ridge_run_line(ridge_terminal *terminal, int argc, char **argv);

/* ---- made from the tables of all commands ---- */
void ridge_complete(ridge_call *call, int argc, char **argv); /* what the last of the words may become, a line each */
void ridge_complete_bash(ridge_call *call);                   /* the script with which a shell asks that */
void ridge_complete_zsh(ridge_call *call);
void ridge_complete_fish(ridge_call *call);
void ridge_man_page(ridge_call *call); /* ridge.1 */

#endif
