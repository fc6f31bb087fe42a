#include "cli/run.h"

#include "cli/argv.h"
#include "cli/remote.h"
#include "command/help.h"

/* what there is beside the command: where it runs */
static ridge_status run(ridge_terminal *t, const char *url, const ridge_command *command, const char *path, int argc, char **argv,
                        ridge_err *err)
{
    void *request;
    ridge_call *call = &t->call;
    bool help = false;
    ridge_status st = ridge_command_request(&request, call, command, err);
    if (!st)
        st = ridge_argv_read(request, &help, call, command, argc, argv, err);
    if (!st && help)
        ridge_help_command(call, command, path);
    else if (!st)
        st = url && command->run ? ridge_remote_run(t, url, command, path, request, err) : ridge_command_run(call, command, request, err);
    return st;
}

/* the words as they were typed, on one line; NULL without memory */
static const char *typed(ridge_arena *arena, int argc, char **argv)
{
    ridge_buf text = {0};
    ridge_buf_addz(&text, "ridge");
    for (int i = 0; i < argc; i++)
        ridge_buf_addf(&text, " %s", argv[i]);
    for (size_t i = 0; i < text.n; i++)
        text.p[i] = (unsigned char)text.p[i] < 0x20 ? ' ' : text.p[i];
    return ridge_arena_take(arena, &text);
}

/* What a command that failed had prepared is dropped; what a check found is an answer. */
static ridge_status write_answer(ridge_terminal *t, ridge_status st, ridge_err *err)
{
    ridge_err write_err = {0};
    bool answers = !st || st == RIDGE_CHECK;
    if (!answers)
        t->call.data.n = 0;
    else if (ridge_terminal_flush(t, &write_err))
        *err = write_err;
    return err->code;
}

int ridge_run_line(ridge_terminal *t, int argc, char **argv)
{
    ridge_err err = {0};
    const ridge_command *command;
    const char *path = "", *url;
    size_t used;
    ridge_status st = ridge_remote_take(&url, &argc, argv, &err);
    if (!st && argc == 0)
        st = ridge_fail(&err, RIDGE_USAGE, "a command comes after " RIDGE_OPT("remote") " URL");
    if (!st)
        st = ridge_command_find(&command, &path, &used, (size_t)argc, (const char *const *)argv, &t->call.arena, &err);
    t->call.typed = typed(&t->call.arena, argc, argv);
    if (!st)
        st = run(t, url, command, path, argc - (int)used, argv + used, &err);
    st = write_answer(t, st, &err);
    ridge_terminal_error(t, &err);
    if (st == RIDGE_USAGE)
        (void)fprintf(t->err, "Try 'ridge %s%s--help'.\n", path, path[0] != '\0' ? " " : "");
    return ridge_exit_status(st);
}
