/* The list of commands, made of commands.def. */
#include "command/command.h"

const ridge_command *const ridge_commands[] = {
#define COMMAND(name) &ridge_cmd_##name,
#include "command/commands.def"
#undef COMMAND
    NULL,
};
