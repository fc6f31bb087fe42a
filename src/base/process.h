/* process.h - run a program on a text and take what it answers.
 * In: a program's name (looked for in the absolute folders of PATH; no shell) or path, its arguments, its standard input. Out: its
 * standard output, in the arena. Fails with UNKNOWN where it is not on PATH, IO with the first of its own words where it ends
 * badly, LIMIT where it takes too long (it is killed) or answers too much. */
#ifndef RIDGE_BASE_PROCESS_H
#define RIDGE_BASE_PROCESS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/stop.h"
#include "base/str.h"

/* "/usr/bin/gnuplot"; folders of PATH that are not absolute are left out. A name with a slash is a path already. NULL: not there */
const char *ridge_process_find(const char *name, ridge_arena *arena);

/* argv[0] is the program's name; `seconds` is how long it may take */
ridge_status ridge_process_run(ridge_str *output, char *const argv[], ridge_str input, unsigned seconds, ridge_arena *arena,
                               ridge_err *err);

typedef struct ridge_process_limits {
    unsigned seconds; /* that it may take */
    size_t output;    /* bytes that it may answer */
    const char *name; /* in messages */
    ridge_stop *stop; /* becomes 1 where it is to be killed at once; or NULL */
} ridge_process_limits;
/* The same for a program that a user names, in a process group of its own: whatever it started ends with it. It may say much on its
 * standard error, of which the first words are kept for a message. */
ridge_status ridge_process_ask(ridge_str *output, char *const argv[], ridge_str input, const ridge_process_limits *limits,
                               ridge_arena *arena, ridge_err *err);

#endif
