/* terminal.h - the front end that is a command line: answers on stdout, words on stderr, Ctrl-C.
 * In: the environment, the terminal. Out: a call (command/call.h) that commands write into; what it holds reaches stdout by flush.
 * Fails (IO) where stdout cannot be written; a reader that went away (EPIPE) is not worth a message. */
#ifndef RIDGE_CLI_TERMINAL_H
#define RIDGE_CLI_TERMINAL_H

#include <signal.h>
#include <stdio.h>

#include "command/call.h"

typedef struct ridge_terminal {
    FILE *out, *err;
    ridge_call call;
    bool watched;            /* a person looks at err: progress is shown */
    bool ascii;              /* the locale has no UTF-8: words and answers for people are ASCII */
    bool shown;              /* a line of progress stands there */
    struct sigaction before; /* of SIGINT, while a command listens */
    bool listens;
} ridge_terminal;

void ridge_terminal_init(ridge_terminal *terminal); /* on stdout and stderr; looks at the terminal and the environment */
void ridge_terminal_free(ridge_terminal *terminal);

/* Writes the answer to out and empties it, options spelled with their dashes. */
ridge_status ridge_terminal_flush(ridge_terminal *terminal, ridge_err *err);
/* As ridge_terminal_flush, then closes out: a full disk may show only now. */
ridge_status ridge_terminal_close(ridge_terminal *terminal, ridge_err *err);
/* "ridge: file:line:col: message" and the excerpt on stderr; nothing for an error without a message */
void ridge_terminal_error(ridge_terminal *terminal, const ridge_err *err);

#endif
