/* ridge help [COMMAND...] */
#include "cli/commands.h"

typedef struct help_args {
    ridge_words command;
} help_args;

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const help_args *args = values;
    const char *path = "";
    const ridge_command *command = NULL;
    if (args->command.count == 0) {
        ridge_help_overview(io);
        return RIDGE_OK;
    }
    size_t used;
    ridge_status st = ridge_command_find(&command, &path, &used, args->command.count, args->command.items, &io->arena, err);
    if (!st && used < args->command.count)
        return ridge_fail(err, RIDGE_USAGE, "'%s' has no command '%s'", path, args->command.items[used]);
    if (!st)
        ridge_help_command(io, command, path);
    return st;
}

const ridge_command ridge_cmd_help = {
    .name = "help",
    .group = "About",
    .summary = "what a command does and which options it has",
    .example = "ridge help formats",
    .operands = RIDGE_OPERANDS(help_args, command, "[COMMAND...]", 0, 2, "a command, or a command and its sub-command"),
    .args_size = sizeof(help_args),
    .run = run,
};
