#include "cli/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 40, WIDTH_MOST = 1000 };

/* ---- looks ---- */

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

/* the character set of the locale, as the C library would find it */
static bool speaks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && value[0] != '\0')
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") || strstr(value, "utf-8");
    }
    return false;
}

/* ---- words ---- */

static void clear_progress(ridge_terminal *t)
{
    if (t->shown)
        (void)fputs("\r\033[K", t->err);
    t->shown = false;
}

static void warn(void *data, const char *text)
{
    ridge_terminal *t = data;
    char spelled[1024];
    clear_progress(t);
    (void)ridge_spell(spelled, sizeof spelled, text, "--");
    (void)fprintf(t->err, "ridge: warning: %s\n", spelled);
}

static void progress(void *data, const char *line)
{
    ridge_terminal *t = data;
    if (!line || !(t->watched || t->call.progress)) {
        clear_progress(t);
        return;
    }
    t->shown = true;
    (void)fprintf(t->err, "\r\033[K%.*s", t->call.line, line);
    (void)fflush(t->err);
}

void ridge_terminal_error(ridge_terminal *t, const ridge_err *err)
{
    char text[2 * sizeof *err];
    if (err->msg[0] == '\0')
        return;
    clear_progress(t);
    (void)ridge_err_format(text, sizeof text, err, "--");
    (void)fprintf(t->err, "ridge: %s\n", text);
}

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t *stop_flag;

static void on_interrupt(int number)
{
    (void)number;
    if (stop_flag)
        *stop_flag = 1;
}

/* the first Ctrl-C asks the command to end, the second ends the program */
static void listen(void *data, volatile sig_atomic_t *stop)
{
    ridge_terminal *t = data;
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESETHAND | (unsigned)SA_RESTART)};
    if (stop) {
        *stop = 0;
        stop_flag = stop;
        (void)sigemptyset(&action.sa_mask);
        (void)sigaction(SIGINT, &action, t->listens ? NULL : &t->before);
        t->listens = true;
    } else if (t->listens) {
        (void)sigaction(SIGINT, &t->before, NULL);
        t->listens = false;
    }
}

/* ---- the answer ---- */

/* The message is empty where the reader went away: `ridge ... | head` is no error worth a line. */
static ridge_status write_failed(ridge_err *err)
{
    int cause = errno;
    ridge_status st = ridge_fail(err, RIDGE_IO, "cannot write the output: %s", strerror(cause));
    if (cause == EPIPE && err)
        err->msg[0] = '\0';
    return st;
}

/* with "--" in place of the marks */
static bool write_spelled(FILE *out, const char *p, size_t n)
{
    for (const char *mark; n > 0 && (mark = memchr(p, RIDGE_OPT_MARK, n)); n -= (size_t)(mark + 1 - p), p = mark + 1)
        if (fwrite(p, 1, (size_t)(mark - p), out) != (size_t)(mark - p) || fputs("--", out) == EOF)
            return false;
    return n == 0 || fwrite(p, 1, n, out) == n;
}

static ridge_status flush(void *data, ridge_buf *text, ridge_err *err)
{
    ridge_terminal *t = data;
    size_t n = text->n;
    text->n = 0;
    return write_spelled(t->out, text->p, n) && fflush(t->out) == 0 ? RIDGE_OK : write_failed(err);
}

ridge_status ridge_terminal_flush(ridge_terminal *t, ridge_err *err)
{
    return ridge_call_flush(&t->call, err);
}

ridge_status ridge_terminal_close(ridge_terminal *t, ridge_err *err)
{
    ridge_status st = ridge_terminal_flush(t, err);
    FILE *out = t->out;
    t->out = NULL;
    if (out && fclose(out) != 0 && !st)
        st = write_failed(err);
    return st;
}

/* ---- the whole ---- */

void ridge_terminal_init(ridge_terminal *t)
{
    static const ridge_front front = {warn, progress, flush, listen};
    *t = (ridge_terminal){.out = stdout, .err = stderr, .watched = isatty(STDERR_FILENO) == 1};
    ridge_call_init(&t->call, &front, t);
    t->call.line = terminal_width();
    t->call.terminal = isatty(STDOUT_FILENO) == 1;
    t->call.width = t->call.terminal ? t->call.line : 0;
    t->call.color = t->call.terminal && !color_refused();
    t->call.ascii = t->call.terminal && !speaks_utf8();
}

void ridge_terminal_free(ridge_terminal *t)
{
    ridge_call_free(&t->call);
}
