/* task.h - one command asked for over HTTP: found by its path, its request filled from names and texts, run, its answer as bytes.
 * In: a path below /api/v1/, what was asked (asked.h), the policy of the server. Out: the bytes that the command line prints, warnings.
 * It owns all that it points to and is run by one thread at a time.
 * Fails as the command does; http then has the status of HTTP that says so. */
#ifndef RIDGE_SERVE_TASK_H
#define RIDGE_SERVE_TASK_H

#include "command/command.h"
#include "serve/asked.h"
#include "serve/reach.h"

enum { RIDGE_TASK_WARNINGS = 64 };

/* where the words and pieces of a running task go; every member may be NULL */
typedef struct ridge_task_ears {
    void (*warn)(void *data, const char *text);
    void (*progress)(void *data, const char *line);                     /* NULL: it went away */
    ridge_status (*take)(void *data, ridge_buf *piece, ridge_err *err); /* a piece of the answer: bytes to send, which it may keep */
    void (*listen)(void *data, ridge_stop *stop);
    void *data;
} ridge_task_ears;

typedef struct ridge_task {
    ridge_arena arena;
    ridge_asked asked;
    ridge_buf body; /* what `asked` points into */
    const ridge_command *command;
    const char *path; /* "machine show" */
    void *request;
    ridge_call call;
    ridge_task_ears ears;
    ridge_words warnings; /* spelled, at most RIDGE_TASK_WARNINGS */
    bool own_catalog;     /* a catalog of its own is asked for */
    bool keep_marks;      /* for a command line elsewhere, which spells them */
    const char *format;   /* "json", "csv", "markdown", "text", or of a picture "svg", "html" */
    const char *folder;   /* of files that were posted or are drawn; NULL: none was made */
    const char *drawn;    /* the file in it that is the answer */
    ridge_err err;
    unsigned http;
} ridge_task;

ridge_task *ridge_task_new(void); /* NULL without memory */
void ridge_task_free(ridge_task *task);

/* the command of "machine/show", and its full name; NULL: there is none */
const ridge_command *ridge_task_command(const char **path, const char *route, ridge_arena *arena);
/* the name by which a value of an operand is given: the n-th of "ID|FILE..." or "NAME [ARGUMENT...]"; NULL after the last */
const char *ridge_task_operand(const ridge_command *command, size_t n, ridge_arena *arena);

/* Fills the request. */
ridge_status ridge_task_read(ridge_task *task, const ridge_reach_policy *policy, bool may_change, const char *accept);
/* Runs the command; the answer is in task->call.data, ready to be sent. `registry` may be NULL, as where it wants its own. */
ridge_status ridge_task_run(ridge_task *task, ridge_registry *registry);
/* its type, for Content-Type */
const char *ridge_task_type(const ridge_task *task);

/* {"ridge", "error": {"code", "message", "file", "line", "col"}} */
void ridge_error_json(ridge_buf *out, const ridge_err *err, const char *dashes); /* before the names of options */
/* the status of HTTP that says what a command's error says */
unsigned ridge_error_http(ridge_status code, ridge_effect effect);

#endif
