/* talk.h - a program that stays and is asked: a line goes to its standard input, a line comes back on its standard output.
 * In: its name or path, arguments, descriptors it gets as 3, 4, ... Out: lines, in the caller's arena. What it says on its standard error
 * is read all the while; its last words are kept for messages. It has a process group of its own, which ends with it. Fails with UNKNOWN
 * where it is not there, LIMIT where it takes too long or says too much, IO where it ended or was interrupted. */
#ifndef RIDGE_BASE_TALK_H
#define RIDGE_BASE_TALK_H

#include "base/arena.h"
#include "base/err.h"
#include "base/stop.h"
#include "base/str.h"

typedef struct ridge_talk ridge_talk;

typedef struct ridge_talk_limits {
    size_t line;      /* bytes of an answer */
    ridge_stop *stop; /* becomes 1 where nobody wants the answer any more; or NULL */
} ridge_talk_limits;

/* fds[fd_count] become its descriptors 3, 4, ...; `name` is what messages call it, and outlives it. *out is NULL where this fails. */
ridge_status ridge_talk_start(ridge_talk **out, char *const argv[], const int *fds, size_t fd_count, const char *name,
                              const ridge_talk_limits *limits, ridge_arena *arena, ridge_err *err);
/* Writes a question (without its line end; empty: none is asked) and waits at most so long for one line, given without its end. After a
 * failure the program is of no use any more. */
ridge_status ridge_talk_ask(ridge_str *answer, ridge_talk *talk, ridge_str question, double seconds, ridge_arena *arena, ridge_err *err);
/* ends it and all it started; NULL is fine */
void ridge_talk_end(ridge_talk *talk);

#endif
