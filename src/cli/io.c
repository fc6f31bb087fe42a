#include "cli/io.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 40, WIDTH_MOST = 1000 };

static int terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long width = columns ? strtol(columns, NULL, 10) : 0;
    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        return WIDTH_DEFAULT;
    return width < WIDTH_LEAST ? WIDTH_LEAST : width > WIDTH_MOST ? WIDTH_MOST : (int)width;
}

/* https://no-color.org: set and not empty */
static bool color_refused(void)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return (no_color && no_color[0] != '\0') || !term || strcmp(term, "dumb") == 0;
}

void ridge_io_init(ridge_io *io)
{
    *io = (ridge_io){.out = stdout, .err = stderr, .width = terminal_width()};
    io->terminal = isatty(STDOUT_FILENO) == 1;
    io->color = io->terminal && !color_refused();
    ridge_arena_init(&io->arena);
}

void ridge_io_free(ridge_io *io)
{
    ridge_buf_free(&io->data);
    ridge_arena_free(&io->arena);
}

int ridge_io_width(const ridge_io *io)
{
    return io->terminal ? io->width : 0;
}

/* The message is empty where the reader went away: `ridge ... | head` is no error worth a line. */
static ridge_status write_failed(ridge_err *err)
{
    int cause = errno;
    ridge_status st = ridge_fail(err, RIDGE_IO, "cannot write the output: %s", strerror(cause));
    if (cause == EPIPE && err)
        err->msg[0] = '\0';
    return st;
}

ridge_status ridge_io_flush(ridge_io *io, ridge_err *err)
{
    if (io->data.failed)
        return ridge_no_memory(err);
    size_t n = io->data.n;
    io->data.n = 0;
    if ((n > 0 && fwrite(io->data.p, 1, n, io->out) != n) || fflush(io->out) != 0)
        return write_failed(err);
    return RIDGE_OK;
}

ridge_status ridge_io_close(ridge_io *io, ridge_err *err)
{
    ridge_status st = ridge_io_flush(io, err);
    FILE *out = io->out;
    io->out = NULL;
    if (out && fclose(out) != 0 && !st)
        st = write_failed(err);
    return st;
}

void ridge_io_warn(ridge_io *io, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)fputs("ridge: warning: ", io->err);
    (void)vfprintf(io->err, fmt, args);
    (void)fputc('\n', io->err);
    va_end(args);
}

void ridge_io_error(ridge_io *io, const ridge_err *err)
{
    char text[sizeof *err + 64];
    if (err->msg[0] == '\0')
        return;
    (void)ridge_err_format(text, sizeof text, err);
    (void)fprintf(io->err, "ridge: %s\n", text);
}

int ridge_exit_status(ridge_status code)
{
    return code == RIDGE_OK ? 0 : code == RIDGE_USAGE ? 2 : code == RIDGE_CHECK ? 3 : 1;
}
