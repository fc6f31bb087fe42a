/* err.h - status codes and the error a caller gets: what, where, and the place underlined.
 * In: a code, a position, a printf message. Out: the caller's ridge_err; the first cause is kept.
 * No allocation, no thread-local state. */
#ifndef RIDGE_BASE_ERR_H
#define RIDGE_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* code, what it says where no message was given */
#define RIDGE_STATUS_LIST(X)                                                                                                               \
    X(OK, "fine")                                                                                                                          \
    X(NOMEM, "out of memory")                                                                                                              \
    X(IO, "cannot read or write")                                                                                                          \
    X(SYNTAX, "not well-formed")                                                                                                           \
    X(TYPE, "wrong type")                                                                                                                  \
    X(NAME, "unknown name")                                                                                                                \
    X(ARITY, "wrong arguments")                                                                                                            \
    X(VALUE, "bad value")                                                                                                                  \
    X(OVERFLOW, "does not fit in 128 bits")                                                                                                \
    X(LIMIT, "limit exceeded")                                                                                                             \
    X(CYCLE, "dependency cycle")                                                                                                           \
    X(UNKNOWN, "not in the catalog")                                                                                                       \
    X(USAGE, "wrong use")                                                                                                                  \
    X(CHECK, "a check failed")

typedef enum ridge_status {
#define X(code, text) RIDGE_##code,
    RIDGE_STATUS_LIST(X)
#undef X
} ridge_status;

typedef struct ridge_err {
    ridge_status code;
    char msg[512];
    char file[256];    /* "" where the text has no file */
    unsigned line;     /* 1-based, 0 = unknown */
    unsigned col;      /* 1-based byte column */
    char excerpt[320]; /* the source line, newline, spaces and ^~~~; "" where there is none */
} ridge_err;

/* The name of an option in a message: the library marks it, and the front end writes "--batch" or
 * "batch". */
#define RIDGE_OPT(name) "\376" name
enum { RIDGE_OPT_MARK = '\376' }; /* no byte of UTF-8 */

/* Copies a text with `dashes` ("--", "") in place of the marks; NUL-terminated, cut to cap. Returns the length of the whole. */
size_t ridge_spell(char *out, size_t cap, const char *text, const char *dashes);

/* "VALUE", "SYNTAX", ... */
const char *ridge_status_name(ridge_status code);

/* of the program, and of functions that return int: 0 fine, 1 bad model or data, 2 usage, 3 a check failed */
int ridge_exit_status(ridge_status code);

/* Sets *err unless it already holds an error; returns `code` (or the code already held). err may be NULL. */
ridge_status ridge_fail(ridge_err *err, ridge_status code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* what every allocation that fails answers: "out of memory" */
ridge_status ridge_no_memory(ridge_err *err);
/* "overflow: WHAT does not fit in 128 bits" */
ridge_status ridge_overflow(ridge_err *err, const char *what);

/* As ridge_fail, with a place. file may be NULL. */
ridge_status ridge_fail_at(ridge_err *err, ridge_status code, const char *file, unsigned line, unsigned col, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* Adds the source line holding byte `offset` of text (underlined for `span` bytes) to an error that has no excerpt yet.
 * Long lines are cut to a window round the place; control characters are shown as spaces. */
void ridge_err_excerpt(ridge_err *err, const char *text, size_t text_len, size_t offset, size_t span);

/* Adds to the message of an error. */
void ridge_err_append(ridge_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Fills file/line/col of an error that has no place yet. */
void ridge_err_place(ridge_err *err, const char *file, unsigned line, unsigned col);

void ridge_err_clear(ridge_err *err);

/* "file:line:col: msg\n    excerpt\n    ^~~~" as printed for people, options spelled with `dashes` ("--", "") before them; returns what
 * snprintf would. */
int ridge_err_format(char *out, size_t cap, const ridge_err *err, const char *dashes);

#endif
