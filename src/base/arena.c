#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ALIGNMENT = 16, FIRST_BLOCK = 16 * 1024, LARGEST_BLOCK = 1024 * 1024 };

struct ridge_arena_block {
    struct ridge_arena_block *next;
    size_t bytes; /* of data */
    _Alignas(ALIGNMENT) char data[];
};

void ridge_arena_init(ridge_arena *arena)
{
    *arena = (ridge_arena){0};
}

void ridge_arena_free(ridge_arena *arena)
{
    struct ridge_arena_block *block = arena->blocks;
    while (block) {
        struct ridge_arena_block *next = block->next;
        free(block);
        block = next;
    }
    ridge_arena_init(arena);
}

static struct ridge_arena_block *new_block(size_t bytes)
{
    if (bytes > PTRDIFF_MAX - sizeof(struct ridge_arena_block))
        return NULL;
    struct ridge_arena_block *block = calloc(1, sizeof *block + bytes);
    if (block)
        block->bytes = bytes;
    return block;
}

/* an object with a block of its own, linked behind the newest one so that block's free room stays in use */
static void *alloc_alone(ridge_arena *arena, size_t bytes)
{
    struct ridge_arena_block *block = new_block(bytes);
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    struct ridge_arena_block **place = arena->blocks ? &arena->blocks->next : &arena->blocks;
    block->next = *place;
    *place = block;
    arena->total += bytes;
    if (arena->blocks == block)
        arena->at = arena->end = block->data + bytes;
    return block->data;
}

#ifdef RIDGE_ARENA_MALLOC

void *ridge_arena_alloc(ridge_arena *arena, size_t bytes)
{
    return alloc_alone(arena, bytes);
}

#else

static bool add_block(ridge_arena *arena)
{
    size_t bytes = FIRST_BLOCK;
    if (arena->blocks) {
        bytes = arena->blocks->bytes * 2;
        if (bytes < FIRST_BLOCK)
            bytes = FIRST_BLOCK;
        if (bytes > LARGEST_BLOCK)
            bytes = LARGEST_BLOCK;
    }
    struct ridge_arena_block *block = new_block(bytes);
    if (!block) {
        arena->failed = true;
        return false;
    }
    block->next = arena->blocks;
    arena->blocks = block;
    arena->at = block->data;
    arena->end = block->data + bytes;
    return true;
}

void *ridge_arena_alloc(ridge_arena *arena, size_t bytes)
{
    if (bytes > PTRDIFF_MAX - ALIGNMENT)
        return NULL;
    size_t room = bytes == 0 ? ALIGNMENT : (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if ((size_t)(arena->end - arena->at) < room) {
        if (room > FIRST_BLOCK / 2)
            return alloc_alone(arena, room);
        if (!add_block(arena))
            return NULL;
    }
    void *object = arena->at;
    arena->at += room;
    arena->total += room;
    return object;
}

#endif

ridge_arena_mark ridge_arena_here(const ridge_arena *arena)
{
    return (ridge_arena_mark){arena->at, arena->blocks};
}

void ridge_arena_back(ridge_arena *arena, ridge_arena_mark mark)
{
#ifdef RIDGE_ARENA_MALLOC
    (void)arena, (void)mark; /* each object is found by the sanitizer: none is let go early */
#else
    if (!mark.block || arena->blocks != mark.block || arena->at <= mark.at) /* another block was begun: its start is lost, no more */
        return;
    size_t bytes = (size_t)(arena->at - mark.at);
    memset(mark.at, 0, bytes); /* memory is handed out zeroed */
    arena->at = mark.at;
    arena->total -= bytes;
#endif
}

void *ridge_arena_array(ridge_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return ridge_arena_alloc(arena, bytes);
}

char *ridge_arena_strdup(ridge_arena *arena, ridge_str text)
{
    char *copy = text.n < SIZE_MAX ? ridge_arena_alloc(arena, text.n + 1) : NULL;
    if (copy && text.n != 0)
        memcpy(copy, text.p, text.n);
    return copy;
}

char *ridge_arena_printf(ridge_arena *arena, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    char *text = NULL;
    int n = vsnprintf(NULL, 0, fmt, args);
    if (n >= 0)
        text = ridge_arena_alloc(arena, (size_t)n + 1);
    if (text)
        (void)vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

char *ridge_arena_take(ridge_arena *arena, ridge_buf *buf)
{
    char *text = buf->failed ? NULL : ridge_arena_strdup(arena, (ridge_str){buf->p, buf->n});
    arena->failed = arena->failed || buf->failed;
    ridge_buf_free(buf);
    return text;
}

void *ridge_arena_grow(ridge_arena *arena, void *old, size_t count, size_t *cap, size_t want, size_t size)
{
    if (old && want <= *cap)
        return old;
    size_t grown = *cap < 8 ? 8 : *cap;
    while (grown < want) {
        if (grown > SIZE_MAX / 2)
            return NULL;
        grown *= 2;
    }
    void *array = ridge_arena_array(arena, grown, size);
    if (!array)
        return NULL;
    if (count != 0)
        memcpy(array, old, count * size);
    *cap = grown;
    return array;
}

bool ridge_arena_more(ridge_arena *arena, void *array, size_t count, size_t *cap, size_t size)
{
    void *old, *more;
    memcpy(&old, array, sizeof old); /* a pointer to any type */
    if (!(more = ridge_arena_grow(arena, old, count, cap, count + 1, size)))
        return false;
    memcpy(array, &more, sizeof more);
    return true;
}
