#include "cli/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/shown.h"
#include "serve/serve.h"

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

/* Writes words to err: `text` holds no line break but this program's own. False when memory runs out. */
static bool say(ridge_terminal *t, const char *before, const char *text, unsigned how)
{
    ridge_buf shown = {0};
    ridge_buf_add_shown(&shown, ridge_str_of(text), how | RIDGE_SHOWN_DASHES | (t->ascii ? RIDGE_SHOWN_ASCII : 0u));
    (void)fprintf(t->err, "%s%s", before, shown.failed ? "out of memory" : shown.n > 0 ? shown.p : "");
    const bool said = !shown.failed;
    ridge_buf_free(&shown);
    return said;
}

static void warn(void *data, const char *text)
{
    ridge_terminal *t = data;
    clear_progress(t);
    if (!say(t, "ridge: warning: ", text, 0))
        t->call.data.failed = true; /* an answer without what a reader must know of it is none */
    (void)fputc('\n', t->err);
}

/* the bytes of a line that fit in `columns` */
static size_t fitting(const char *line, size_t columns)
{
    size_t n = strlen(line);
    while (n > 0 && ridge_shown_columns(line, n) > columns)
        n--;
    return n;
}

static void progress(void *data, const char *line)
{
    ridge_terminal *t = data;
    char shown[256];
    if (!line || !(t->watched || t->call.progress)) {
        clear_progress(t);
        return;
    }
    t->shown = true;
    ridge_shown_copy(shown, sizeof shown, line);
    shown[fitting(shown, (size_t)t->call.line)] = '\0';
    (void)say(t, "\r\033[K", shown, 0);
    (void)fflush(t->err);
}

void ridge_terminal_error(ridge_terminal *t, const ridge_err *err)
{
    char text[2 * sizeof *err];
    if (err->msg[0] == '\0')
        return;
    clear_progress(t);
    (void)ridge_err_format(text, sizeof text, err, "--");
    (void)say(t, "ridge: ", text, RIDGE_SHOWN_LINES);
    (void)fputc('\n', t->err);
}

/* ---- Ctrl-C ---- */

static ridge_stop *stop_flag;

static void on_interrupt(int number)
{
    (void)number;
    if (stop_flag)
        *stop_flag = 1;
}

/* the first Ctrl-C asks the command to end, the second ends the program */
static void listen(void *data, ridge_stop *stop)
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

/* ---- the server ---- */

static void say_line(void *data, const char *line)
{
    ridge_terminal *t = data;
    (void)say(t, "ridge: ", line, 0);
    (void)fputc('\n', t->err);
    (void)fflush(t->err);
}

static ridge_status serve(void *data, const ridge_serve_request *request, ridge_err *err)
{
    return ridge_serve(request, say_line, data, err);
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

/* How an answer is shown. CSV is data and goes as it is where no terminal obeys it; JSON is the same JSON with escapes. */
static unsigned way_of(const ridge_terminal *t)
{
    unsigned how = RIDGE_SHOWN_LINES | RIDGE_SHOWN_DASHES | (t->call.color ? RIDGE_SHOWN_COLOURS : 0u);
    if (t->call.form == RIDGE_FORM_CSV && !t->call.terminal)
        return how | RIDGE_SHOWN_AS_IS;
    return how | (t->call.form == RIDGE_FORM_JSON ? RIDGE_SHOWN_JSON : 0u) | (t->ascii ? RIDGE_SHOWN_ASCII : 0u);
}

static ridge_status flush(void *data, ridge_buf *text, ridge_err *err)
{
    ridge_terminal *t = data;
    ridge_buf shown = {0};
    ridge_buf_add_shown(&shown, (ridge_str){text->p, text->n}, way_of(t));
    text->n = 0;
    ridge_status st = RIDGE_OK;
    if (shown.failed)
        st = ridge_no_memory(err);
    else if ((shown.n > 0 && fwrite(shown.p, 1, shown.n, t->out) != shown.n) || fflush(t->out) != 0)
        st = write_failed(err);
    ridge_buf_free(&shown);
    return st;
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
    static const ridge_front front = {warn, progress, flush, listen, serve};
    *t = (ridge_terminal){.out = stdout, .err = stderr, .watched = isatty(STDERR_FILENO) == 1};
    ridge_call_init(&t->call, &front, t);
    t->call.line = terminal_width();
    t->call.terminal = isatty(STDOUT_FILENO) == 1;
    t->call.width = t->call.terminal ? t->call.line : 0;
    t->call.color = t->call.terminal && !color_refused();
    t->ascii = !speaks_utf8();
    t->call.ascii = t->ascii;
}

void ridge_terminal_free(ridge_terminal *t)
{
    ridge_call_free(&t->call);
}
