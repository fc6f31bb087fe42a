/* binary.h - a file of foreign bytes, and the one bounded cursor that its readers go by.
 * In: the path of a regular file of any size. Out: little-endian numbers and texts, copied; never more of the file in memory than was asked
 * for. Fails with path and byte offset where the file ends early. Read with pread(2), not mapped: a file that shrinks while it is read ends
 * in an error and not in SIGBUS. */
#ifndef RIDGE_INPUT_BINARY_H
#define RIDGE_INPUT_BINARY_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { RIDGE_BINARY_WINDOW = 1 << 16 };

typedef struct ridge_binary ridge_binary;
struct ridge_binary {
    const char *path;
    int fd;           /* -1: closed, or memory_bytes is read */
    uint64_t size;    /* bytes of the file when it was opened */
    uint64_t here;    /* how many of them are here, from the first on; the rest is elsewhere */
    uint64_t base;    /* where the first one is in the file that is open */
    uint64_t read_to; /* behind the last one that was asked for */
    const unsigned char *memory_bytes;
    /* brings more of a file whose rest is elsewhere, at least the first `wanted` bytes; NULL: nothing can */
    ridge_status (*more)(ridge_binary *file, uint64_t wanted, ridge_err *err);
    unsigned char *window; /* of the arena; what was read last, for many small reads */
    uint64_t window_at;
    size_t window_size;
};

/* A regular file, read-only; IO with the reason where it is none. The one who opens closes. */
ridge_status ridge_binary_open(ridge_binary *out, const char *path, ridge_arena *arena, ridge_err *err);
/* bytes in memory as if they were a file: tests, fuzzers, what was downloaded */
void ridge_binary_memory(ridge_binary *out, const char *path, ridge_str bytes);
/* the beginning of a file of `size` bytes, whose rest is elsewhere; what is asked of that is an error */
void ridge_binary_head(ridge_binary *out, const char *path, ridge_str bytes, uint64_t size);
typedef struct ridge_cursor ridge_cursor;
/* What is left of a cursor as a file of its own, for an archive in an archive; its path is for messages. It is not closed, and may not
 * be read once the one it is of is. */
ridge_status ridge_binary_part(ridge_binary *out, const ridge_cursor *of, const char *path, ridge_arena *arena, ridge_err *err);
void ridge_binary_close(ridge_binary *file);

/* n bytes from `offset` into `to`; IO with the offset where the file has fewer */
ridge_status ridge_binary_read(ridge_binary *file, void *to, uint64_t offset, size_t n, ridge_err *err);

/* A place in a file and the end of what may be read from there. */
struct ridge_cursor {
    ridge_binary *file;
    uint64_t at, end;
};

ridge_cursor ridge_cursor_all(ridge_binary *file);
/* bytes left */
uint64_t ridge_cursor_left(const ridge_cursor *c);
/* `what` names what is read, for "PATH: ends at byte N inside WHAT" */
ridge_status ridge_cursor_u8(uint8_t *out, ridge_cursor *c, const char *what, ridge_err *err);
ridge_status ridge_cursor_u16(uint16_t *out, ridge_cursor *c, const char *what, ridge_err *err);
ridge_status ridge_cursor_u32(uint32_t *out, ridge_cursor *c, const char *what, ridge_err *err);
ridge_status ridge_cursor_u64(uint64_t *out, ridge_cursor *c, const char *what, ridge_err *err);
/* n bytes, copied, NUL-terminated; nothing is allocated before it is known that the file has them. LIMIT: n is above `limit` */
ridge_status ridge_cursor_text(ridge_str *out, ridge_cursor *c, uint64_t n, size_t limit, const char *what, ridge_arena *arena,
                               ridge_err *err);
ridge_status ridge_cursor_skip(ridge_cursor *c, uint64_t n, const char *what, ridge_err *err);
/* the next n bytes as a cursor of their own; *c goes behind them */
ridge_status ridge_cursor_part(ridge_cursor *out, ridge_cursor *c, uint64_t n, const char *what, ridge_err *err);

#endif
