/* serve.h - the front end that is a server: the commands over HTTP, jobs, streams, the page.
 * In: what was asked for on the command line. Out: replies, until SIGINT or SIGTERM; then what runs ends, or is cancelled.
 * Fails (USAGE, IO, UNKNOWN) before it listens; `say` gets the few words that it has for people. */
#ifndef RIDGE_SERVE_SERVE_H
#define RIDGE_SERVE_SERVE_H

#include "command/serve.h"

ridge_status ridge_serve(const ridge_serve_request *request, void (*say)(void *data, const char *line), void *data, ridge_err *err);

#endif
