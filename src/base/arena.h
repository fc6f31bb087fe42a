/* arena.h - memory that lives and dies together.
 * In: sizes. Out: zeroed, 16-byte aligned memory valid until ridge_arena_free; NULL when memory runs out, which the arena remembers: who
 * writes an answer of many texts asks once at the end.
 * Under sanitizers (RIDGE_ARENA_MALLOC) every object is its own malloc, so overruns are found. */
#ifndef RIDGE_BASE_ARENA_H
#define RIDGE_BASE_ARENA_H

#include <stddef.h>

#include "base/str.h"

typedef struct ridge_arena ridge_arena;
struct ridge_arena {
    struct ridge_arena_block *blocks; /* newest first */
    char *at, *end;                   /* free room in the newest block */
    size_t total;                     /* bytes handed out */
    bool failed;                      /* memory ran out once: what was made since may have blanks where text should be */
};

void ridge_arena_init(ridge_arena *arena); /* allocates nothing */
void ridge_arena_free(ridge_arena *arena); /* leaves it usable again */

void *ridge_arena_alloc(ridge_arena *arena, size_t bytes);
/* count * size, overflow-checked */
void *ridge_arena_array(ridge_arena *arena, size_t count, size_t size);
/* NUL-terminated copy */
char *ridge_arena_strdup(ridge_arena *arena, ridge_str text);
char *ridge_arena_printf(ridge_arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The text of a buffer, which is empty then; NULL also where the buffer has failed. */
char *ridge_arena_take(ridge_arena *arena, ridge_buf *buf);

/* Room for one more element of a growing arena array: `array` is the address of its pointer, `count` what it holds. False when memory runs
 * out: array and *cap then stay as they were. */
bool ridge_arena_more(ridge_arena *arena, void *array, size_t count, size_t *cap, size_t size);
/* Grows an arena array: new room for at least `want` elements, the old ones copied; *cap is updated. NULL when memory runs out. */
void *ridge_arena_grow(ridge_arena *arena, void *old, size_t count, size_t *cap, size_t want, size_t size);

/* A place to come back to: what was made since is let go and may not be used any more. Larger objects made since stay until the arena's
 * end. */
typedef struct ridge_arena_mark {
    char *at;
    const struct ridge_arena_block *block;
} ridge_arena_mark;
ridge_arena_mark ridge_arena_here(const ridge_arena *arena);
void ridge_arena_back(ridge_arena *arena, ridge_arena_mark mark);

#endif
