/* io.h - where a command's answer and its words go.
 * A command adds its answer to `data`; it reaches stdout in one piece when the command ended well (or failed a check), so an error
 * never leaves half an answer. Words (warnings, progress, errors) go to stderr at once.
 * Fails (IO) where stdout cannot be written; a reader that went away (EPIPE) is not worth a message. */
#ifndef RIDGE_CLI_IO_H
#define RIDGE_CLI_IO_H

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

typedef struct ridge_io {
    FILE *out, *err;
    ridge_buf data;    /* the answer */
    ridge_arena arena; /* lives as long as the run */
    bool terminal;     /* out is a terminal: box drawing is welcome */
    bool color;        /* ... and colour too (NO_COLOR, TERM=dumb) */
    int width;         /* columns: COLUMNS, else the terminal's, else 80 */
    bool interrupted;  /* Ctrl-C ended the command early: its answer is what was done, the program's status 130 */
} ridge_io;

void ridge_io_init(ridge_io *io); /* on stdout and stderr; looks at the terminal and the environment */
void ridge_io_free(ridge_io *io);
/* columns that a text may take: the terminal's; 0, any number, where it goes elsewhere */
int ridge_io_width(const ridge_io *io);

/* Writes `data` to out and empties it. Commands need it only for answers too long to keep (a sweep's rows). */
ridge_status ridge_io_flush(ridge_io *io, ridge_err *err);
/* As ridge_io_flush, then closes out: a full disk may show only now. */
ridge_status ridge_io_close(ridge_io *io, ridge_err *err);

/* "ridge: warning: ..." on stderr */
void ridge_io_warn(ridge_io *io, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "ridge: file:line:col: message" and the excerpt on stderr; nothing for an error without a message */
void ridge_io_error(ridge_io *io, const ridge_err *err);

/* 0 fine, 1 bad model or data, 2 usage, 3 a check failed */
int ridge_exit_status(ridge_status code);

#endif
