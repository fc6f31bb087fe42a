#include "cli/command.h"

/* ---- finding ---- */
static const ridge_command *find_in(const ridge_command *const *commands, const char *name)
{
    for (; *commands != NULL; commands++)
        if (strcmp((*commands)->name, name) == 0)
            return *commands;
    return NULL;
}

/* group is NULL for the program's own commands */
static ridge_status unknown_command(const ridge_command *group, const ridge_command *const *commands, const char *name, ridge_err *err)
{
    ridge_nearest nearest = {0};
    const char *before = group != NULL ? group->name : "", *space = group != NULL ? " " : "";
    for (; *commands != NULL; commands++)
        ridge_nearest_offer(&nearest, ridge_str_of(name), (*commands)->name);
    if (nearest.best != NULL)
        return ridge_fail(err, RIDGE_USAGE, "unknown command '%s%s%s'; did you mean '%s%s%s'?", before, space, name, before, space,
                          nearest.best);
    return ridge_fail(err, RIDGE_USAGE, "unknown command '%s%s%s'", before, space, name);
}

ridge_status ridge_command_find(const ridge_command **command, int *used, int argc, char **argv, ridge_err *err)
{
    const ridge_command *const *commands = ridge_commands;
    *command = NULL;
    *used = 0;
    while (commands != NULL && *used < argc && (argv[*used][0] != '-' || *command == NULL)) {
        const ridge_command *next = find_in(commands, argv[*used]);
        if (next == NULL)
            return unknown_command(*command, commands, argv[*used], err);
        *command = next;
        commands = next->commands;
        ++*used;
    }
    return RIDGE_OK;
}

/* "db list": the words that name the command */
static const char *path_of(ridge_io *io, int used, char **argv)
{
    const char *path = "";
    for (int i = 0; i < used && path != NULL; i++)
        path = ridge_arena_printf(&io->arena, "%s%s%s", path, i > 0 ? " " : "", argv[i]);
    return path != NULL ? path : argv[0];
}

/* ---- running ---- */
static ridge_status name_a_command(const ridge_command *group, ridge_err *err)
{
    ridge_buf names = {0};
    for (const ridge_command *const *command = group->commands; *command != NULL; command++)
        ridge_buf_addf(&names, "%s%s", names.n > 0 ? ", " : "", (*command)->name);
    ridge_status status = ridge_fail(err, RIDGE_USAGE, "'%s' needs a command: %s", group->name, names.n > 0 ? names.p : "");
    ridge_buf_free(&names);
    return status;
}

/* the command's struct, with its defaults; aligned for any type */
static void *make_args(ridge_io *io, const ridge_command *command)
{
    void *args = ridge_arena_alloc(&io->arena, command->args_size > 0 ? command->args_size : 1);
    if (args != NULL && command->defaults != NULL)
        memcpy(args, command->defaults, command->args_size);
    return args;
}

static ridge_status run(ridge_io *io, const ridge_command *command, const char *path, int argc, char **argv, ridge_err *err)
{
    static const ridge_option_table no_options = {NULL, 0, NULL};
    static const ridge_operands no_operands = {NULL, NULL, 0, 0, 0};
    bool is_group = command->commands != NULL, help = false;
    void *args = make_args(io, command);
    if (args == NULL)
        return ridge_fail(err, RIDGE_NOMEM, NULL);
    ridge_status status = ridge_options_parse(args, &help, is_group ? &no_options : command->tables,
                                              is_group ? &no_operands : &command->operands, argc, argv, &io->arena, err);
    if (status == RIDGE_OK && help)
        ridge_help_command(io, command, path);
    else if (status == RIDGE_OK)
        status = is_group ? name_a_command(command, err) : command->run(io, args, err);
    if (status != RIDGE_OK) /* a command that forgot to say why */
        status = ridge_fail(err, status, NULL);
    return status;
}

int ridge_command_main(ridge_io *io, int argc, char **argv)
{
    ridge_err err = {0};
    const ridge_command *command;
    const char *path = "";
    int used;
    ridge_status status = ridge_command_find(&command, &used, argc, argv, &err);
    if (status == RIDGE_OK) {
        path = path_of(io, used, argv);
        status = run(io, command, path, argc - used, argv + used, &err);
    }
    if (status == RIDGE_OK || status == RIDGE_CHECK) { /* what a check found is an answer */
        ridge_err write_err = {0};
        if (ridge_io_flush(io, &write_err) != RIDGE_OK) {
            err = write_err;
            status = err.code;
        }
    }
    ridge_io_error(io, &err);
    if (status == RIDGE_USAGE)
        (void)fprintf(io->err, "Try 'ridge %s%s--help'.\n", path, path[0] != '\0' ? " " : "");
    return ridge_exit_status(status);
}
