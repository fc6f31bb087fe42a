/* serve.h - what is asked of `ridge serve`: where it listens, whom it lets in, what it may reach.
 * The server itself is a front end like the command line (serve/serve.h) and is started by the one that runs the command. */
#ifndef RIDGE_COMMAND_SERVE_H
#define RIDGE_COMMAND_SERVE_H

#include "base/option.h"

typedef struct ridge_serve_request {
    const char *listen; /* an address, no name */
    int64_t port;       /* 0: any that is free */
    const char *token, *token_file;
    bool insecure;       /* whoever reaches the address is let in */
    ridge_words hosts;   /* other names by which it may be called */
    const char *files;   /* the folder below which requests may name files; NULL: none */
    bool hub;            /* models may be downloaded */
    const char *log;     /* a file, "-": standard error; NULL: none is written */
    int64_t connections; /* at most, at once */
    double grace_s;      /* for what is measured when the server is to end */
} ridge_serve_request;

#endif
