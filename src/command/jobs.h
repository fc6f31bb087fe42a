/* jobs.h - what is asked of `ridge jobs`; the front end that has a server at the other end answers it (cli/remote.h). */
#ifndef RIDGE_COMMAND_JOBS_H
#define RIDGE_COMMAND_JOBS_H

#include <stdbool.h>

typedef struct ridge_jobs_request {
    const char *id; /* NULL: all */
    bool cancel;
} ridge_jobs_request;

#endif
