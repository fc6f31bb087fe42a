/* command.h - the commands: one ridge_command each, listed in commands.c; sub-commands (ridge db list) are commands of a command.
 * A command needs no code for options, help or errors: its `run` gets its struct filled, adds the answer to io->data and returns.
 * On RIDGE_OK (and RIDGE_CHECK) the answer is written; otherwise `err` is printed. USAGE exits with 2, CHECK with 3, the rest with 1. */
#ifndef RIDGE_CLI_COMMAND_H
#define RIDGE_CLI_COMMAND_H

#include "cli/io.h"
#include "cli/option.h"
#include "machine/machine.h"
#include "report/table.h"

enum { RIDGE_COMMAND_TABLES = 9 };

typedef struct ridge_command ridge_command;
struct ridge_command {
    const char *name;
    const char *group;   /* heading in `ridge --help`; NULL for a sub-command */
    const char *summary; /* one line, no capital, no full stop */
    const char *example; /* a command line to copy */
    const char *details; /* further text for the help, wrapped; '\n' ends a paragraph; or NULL */
    ridge_operands operands;
    ridge_option_table tables[RIDGE_COMMAND_TABLES]; /* ends at options == NULL */
    size_t args_size;                                /* of the command's struct; 0 where it takes nothing */
    const void *defaults;                            /* a struct to start from; NULL: all zero */
    ridge_status (*run)(ridge_io *io, const void *args, ridge_err *err);
    /* sub-commands, NULL-terminated; a group without `run` needs one of them, and its tables and operands are not used */
    const ridge_command *const *commands;
};

/* all of them, in the order of the help; NULL-terminated (commands.c) */
extern const ridge_command *const ridge_commands[];

/* Finds the command of argv[0..argc) (with its sub-command), parses, runs and prints; returns the exit status. */
int ridge_command_main(ridge_io *io, int argc, char **argv);

/* The command that the first words name: *path gets its full name ("db list"), its words are *used. A group (`db`) is found too.
 * USAGE with "did you mean" where there is none. */
ridge_status ridge_command_find(const ridge_command **command, const char **path, size_t *used, size_t count, const char *const *words,
                                ridge_arena *arena, ridge_err *err);

/* ---- generated from the tables; `path` is the full name ("db list") ---- */
void ridge_help_overview(ridge_io *io);
void ridge_help_command(ridge_io *io, const ridge_command *command, const char *path);
void ridge_complete_bash(ridge_io *io); /* a bash completion script */
void ridge_man_page(ridge_io *io);      /* ridge.1 */

/* ---- option tables that commands share (shared.c) ---- */
typedef struct ridge_machines_args {
    ridge_words files;
} ridge_machines_args;
extern const ridge_option ridge_options_machines[]; /* --machines; for a ridge_machines_args */
/* the built-in machines, the user's, those of --machines; to be closed */
ridge_status ridge_machines_args_open(ridge_machines **out, const ridge_machines_args *args, ridge_err *err);

typedef enum ridge_output { RIDGE_OUTPUT_TEXT, RIDGE_OUTPUT_JSON, RIDGE_OUTPUT_CSV, RIDGE_OUTPUT_MARKDOWN } ridge_output;
typedef struct ridge_output_args {
    ridge_output as;
} ridge_output_args;
/* of what is not JSON */
ridge_table_style ridge_output_style(ridge_output as);
/* a table as text, CSV or Markdown */
void ridge_output_table(ridge_io *io, const ridge_table *table, ridge_output as);
extern const ridge_option ridge_options_output[]; /* --json, --csv, --markdown; for a ridge_output_args */
extern const ridge_option ridge_options_json[];   /* --json alone; for a ridge_output_args */

#endif
