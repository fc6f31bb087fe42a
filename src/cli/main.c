/* The program: options of ridge itself, then a command. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "cli/run.h"
#include "command/help.h"

static void print_version(ridge_call *call)
{
    ridge_buf_addz(&call->data, "ridge " RIDGE_VERSION "\n");
}

/* the last ones serve the build, which writes the completion scripts and ridge.1 with them */
static const struct {
    const char *name;
    void (*print)(ridge_call *call);
} own_options[] = {
    {"--help", ridge_help_overview},
    {"-h", ridge_help_overview},
    {"--version", print_version},
    {"version", print_version},
    {"-V", print_version},
    {"--complete-bash", ridge_complete_bash},
    {"--complete-zsh", ridge_complete_zsh},
    {"--complete-fish", ridge_complete_fish},
    {"--man", ridge_man_page},
};

static bool own_option(ridge_call *call, int argc, char **argv)
{
    static char help[] = "help";
    if (argc > 1 && strcmp(argv[0], "--help") == 0) { /* ridge --help cost */
        argv[0] = help;
        return false;
    }
    if (strcmp(argv[0], "--complete") == 0) {
        ridge_complete(call, argc - 1, argv + 1);
        return true;
    }
    for (size_t i = 0; i < sizeof own_options / sizeof *own_options; i++)
        if (strcmp(argv[0], own_options[i].name) == 0) {
            own_options[i].print(call);
            return true;
        }
    return false;
}

/* A standard stream that is closed would be replaced by the next file opened, and answers would go into it. */
static void fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1)
            (void)open("/dev/null", O_RDONLY); /* takes the lowest number free: fd; writing to it fails */
}

int main(int argc, char **argv)
{
    ridge_terminal terminal;
    ridge_err err = {0};
    int exit_status = 0;
    fill_standard_streams();
    (void)signal(SIGPIPE, SIG_IGN); /* a write that fails says so */
    ridge_terminal_init(&terminal);
    if (argc <= 1)
        ridge_help_overview(&terminal.call);
    else if (!own_option(&terminal.call, argc - 1, argv + 1))
        exit_status = ridge_run_line(&terminal, argc - 1, argv + 1);
    if (ridge_terminal_close(&terminal, &err) && exit_status == 0) {
        ridge_terminal_error(&terminal, &err);
        exit_status = ridge_exit_status(err.code);
    }
    if (exit_status == 0 && terminal.call.interrupted)
        exit_status = 128 + SIGINT; /* as a shell has it */
    ridge_terminal_free(&terminal);
    return exit_status;
}
