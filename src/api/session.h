/* session.h - what every call of the public interface goes through; private to the api folder. */
#ifndef RIDGE_API_SESSION_H
#define RIDGE_API_SESSION_H

#include "catalog/registry.h"
#include "ridge.h"

struct ridge_session {
    ridge_registry *registry; /* NULL: opening failed */
    ridge_err open_error, err;
    char message[1600];
};

/* clears the last error; the error of opening, where that failed */
ridge_status ridge_session_begin(ridge_session *session);
/* writes the message; the exit status */
int ridge_session_finish(ridge_session *session, ridge_status status);
/* ends a call that answers text: the text, or NULL and the session's error */
char *ridge_session_text(ridge_session *session, ridge_buf *text, ridge_status status);

static inline ridge_count ridge_session_count(ridge_int v)
{
    return (ridge_count){(uint64_t)v, (int64_t)(v >> 64)};
}

#endif
