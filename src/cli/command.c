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
    const char *before = group ? group->name : "", *space = group ? " " : "";
    for (; *commands != NULL; commands++)
        ridge_nearest_offer(&nearest, ridge_str_of(name), (*commands)->name);
    if (nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "unknown command '%s%s%s'; did you mean '%s%s%s'?", before, space, name, before, space,
                          nearest.best);
    return ridge_fail(err, RIDGE_USAGE, "unknown command '%s%s%s'", before, space, name);
}

static ridge_status unknown_option(const char *word, ridge_err *err)
{
    ridge_nearest nearest = {0};
    ridge_nearest_offer(&nearest, ridge_str_of(word), "--help");
    ridge_nearest_offer(&nearest, ridge_str_of(word), "--version");
    if (nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "unknown option '%s'; did you mean '%s'?", word, nearest.best);
    return ridge_fail(err, RIDGE_USAGE, "unknown option '%s'; a command comes first", word);
}

ridge_status ridge_command_find(const ridge_command **command, const char **path, size_t *used, size_t count, const char *const *words,
                                ridge_arena *arena, ridge_err *err)
{
    const ridge_command *const *commands = ridge_commands;
    *command = NULL;
    *path = "";
    if (words[0][0] == '-')
        return unknown_option(words[0], err);
    for (*used = 0; commands && *used < count && words[*used][0] != '-'; ++*used) {
        const ridge_command *next = find_in(commands, words[*used]);
        if (!next)
            return unknown_command(*command, commands, words[*used], err);
        *path = ridge_arena_printf(arena, "%s%s%s", *path, *used > 0 ? " " : "", next->name);
        if (!*path)
            return ridge_no_memory(err);
        *command = next;
        commands = next->commands;
    }
    return RIDGE_OK;
}

/* ---- running ---- */
static ridge_status name_a_command(const ridge_command *group, ridge_err *err)
{
    ridge_buf names = {0};
    for (const ridge_command *const *command = group->commands; *command != NULL; command++)
        ridge_buf_addf(&names, "%s%s", names.n > 0 ? ", " : "", (*command)->name);
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "'%s' needs a command: %s", group->name, names.n > 0 ? names.p : "");
    ridge_buf_free(&names);
    return st;
}

/* the command's struct, with its defaults; aligned for any type */
static void *make_args(ridge_io *io, const ridge_command *command)
{
    void *args = ridge_arena_alloc(&io->arena, command->args_size > 0 ? command->args_size : 1);
    if (args && command->defaults)
        memcpy(args, command->defaults, command->args_size);
    return args;
}

static ridge_status run(ridge_io *io, const ridge_command *command, const char *path, int argc, char **argv, ridge_err *err)
{
    static const ridge_option_table no_options = {NULL, 0, NULL};
    static const ridge_operands no_operands = {NULL, NULL, 0, 0, 0, false};
    bool is_group = command->commands && !command->run, help = false;
    void *args = make_args(io, command);
    if (!args)
        return ridge_no_memory(err);
    ridge_status st = ridge_options_parse(args, &help, is_group ? &no_options : command->tables,
                                          is_group ? &no_operands : &command->operands, argc, argv, &io->arena, err);
    if (!st && help)
        ridge_help_command(io, command, path);
    else if (!st)
        st = is_group ? name_a_command(command, err) : command->run(io, args, err);
    if (st) /* a command that forgot to say why */
        st = ridge_fail(err, st, NULL);
    return st;
}

/* What a command that failed had prepared is dropped; what a check found is an answer. */
static ridge_status write_answer(ridge_io *io, ridge_status st, ridge_err *err)
{
    ridge_err write_err = {0};
    bool answers = !st || st == RIDGE_CHECK;
    if (!answers)
        io->data.n = 0;
    else if (ridge_io_flush(io, &write_err) != RIDGE_OK)
        *err = write_err;
    return err->code;
}

int ridge_command_main(ridge_io *io, int argc, char **argv)
{
    ridge_err err = {0};
    const ridge_command *command;
    const char *path = "";
    size_t used;
    ridge_status st = ridge_command_find(&command, &path, &used, (size_t)argc, (const char *const *)argv, &io->arena, &err);
    if (!st)
        st = run(io, command, path, argc - (int)used, argv + used, &err);
    st = write_answer(io, st, &err);
    ridge_io_error(io, &err);
    if (st == RIDGE_USAGE)
        (void)fprintf(io->err, "Try 'ridge %s%s--help'.\n", path, path[0] != '\0' ? " " : "");
    return ridge_exit_status(st);
}
