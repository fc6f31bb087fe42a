/* help.h - what the tables of commands tell people: the overview, a page per command.
 * In: commands, the width of the call. Out: text added to the call's answer. */
#ifndef RIDGE_COMMAND_HELP_H
#define RIDGE_COMMAND_HELP_H

#include "command/command.h"

/* every command line has these, no table lists them: help, color, remote */
extern const ridge_option ridge_help_option, ridge_color_option, ridge_remote_option;
typedef enum ridge_when { RIDGE_WHEN_AUTO, RIDGE_WHEN_ALWAYS, RIDGE_WHEN_NEVER } ridge_when; /* of color */

void ridge_help_overview(ridge_call *call);
/* path: the full name ("db list") */
void ridge_help_command(ridge_call *call, const ridge_command *command, const char *path);
/* names, options, operands and effects as JSON: of a command and what is in it, of all where it is NULL */
void ridge_help_options(ridge_call *call, const ridge_command *command, const char *path);
/* what is said of an option, with its default */
const char *ridge_help_text(const ridge_option *option, ridge_arena *arena);

#endif
