/* session.h - what every call of the public interface goes through; private to the api folder. */
#ifndef RIDGE_API_SESSION_H
#define RIDGE_API_SESSION_H

#include <pthread.h>

#include "command/command.h"
#include "ridge.h"

struct ridge_session {
    const char **catalogs; /* as they were given */
    size_t catalog_count;
    ridge_registry *registry; /* NULL: opening failed */
    ridge_machines *machines;
    uint64_t state; /* of what the user keeps, when these were opened */
    ridge_err open_error, err;
    char message[1600], said[640]; /* the error: with its place, and alone */
    ridge_buf warnings;            /* of the last call, a line each */
    bool draws;
    ridge_buf picture; /* of the last call, SVG */
    ridge_progress_fn *progress;
    void *progress_data;
    pthread_mutex_t lock; /* of what ridge_session_cancel looks at */
    ridge_stop *stop;     /* of the command that runs; NULL: none that listens */
    bool cancelled;
};

/* A new call in the session, its error and its warnings forgotten. After an error too: ridge_session_end. */
ridge_status ridge_session_begin(ridge_call *call, ridge_session *session);
/* Ends the call, writes the session's message; the exit status. */
int ridge_session_end(ridge_call *call, ridge_session *session, ridge_status status);
/* a request of these tables, of the call's arena, set by "name=value" words; `defaults` as a command has them */
ridge_status ridge_session_options(ridge_call *call, ridge_session *session, void *request, const ridge_option_table *tables,
                                   const char *const *defaults, const char *const *options, size_t count);

static inline ridge_count ridge_session_count(ridge_int v)
{
    return (ridge_count){(uint64_t)v, (int64_t)(v >> 64)};
}

#endif
