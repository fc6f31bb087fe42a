#if __has_include("ridge_build.h") /* made by meson: RIDGE_LEARN */
#include "ridge_build.h"
#endif

#include "learn/python/syntax_memory.h"

#ifdef RIDGE_LEARN
#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

typedef struct ridge_syntax_block {
    struct ridge_syntax_block *next, **link; /* in the guard's list; NULL: of no guard */
    size_t bytes;
    alignas(max_align_t) char payload[];
} block;

/* The library's allocator has no argument for a state of ours: the guard is the thread's. */
static _Thread_local ridge_syntax_guard *current;

static void attach(block *b, ridge_syntax_guard *guard)
{
    b->next = guard->blocks;
    b->link = &guard->blocks;
    if (b->next)
        b->next->link = &b->next;
    guard->blocks = b;
    guard->bytes += b->bytes;
}

static void detach(block *b)
{
    if (!b->link)
        return;
    *b->link = b->next;
    if (b->next)
        b->next->link = b->link;
    if (current)
        current->bytes -= b->bytes;
}

_Noreturn static void give_up(bool over_limit)
{
    if (!current)
        abort(); /* nothing is parsed outside of a guard */
    current->over_limit = over_limit;
    longjmp(current->out, 1);
}

/* Version 0.20 counts a node's children in 16 bits, and frees what is not there where 65,536 of them are put into one node. */
enum { LARGEST = UINT16_MAX * (int)sizeof(void *) };

static void *resize(void *old, size_t bytes)
{
    block *b = old ? (block *)(void *)((char *)old - offsetof(block, payload)) : NULL;
    if (bytes > LARGEST || (current && bytes > current->limit - current->bytes))
        give_up(true);
    block *grown = malloc(offsetof(block, payload) + bytes);
    if (!grown)
        give_up(false);
    *grown = (block){.bytes = bytes};
    if (b) {
        memcpy(grown->payload, b->payload, bytes < b->bytes ? bytes : b->bytes);
        detach(b);
        free(b);
    }
    if (current)
        attach(grown, current);
    return grown->payload;
}

static void *allocate(size_t bytes)
{
    return resize(NULL, bytes);
}

static void *allocate_zeroed(size_t count, size_t size)
{
    if (size != 0 && count > LARGEST / size)
        give_up(true);
    void *p = resize(NULL, count * size);
    return memset(p, 0, count * size);
}

static void release(void *p)
{
    if (!p)
        return;
    block *b = (block *)(void *)((char *)p - offsetof(block, payload));
    detach(b);
    free(b);
}

static void use_it(void)
{
    ts_set_allocator(allocate, allocate_zeroed, resize, release);
}

void ridge_syntax_guard_begin(ridge_syntax_guard *guard, size_t limit)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, use_it);
    guard->blocks = NULL;
    guard->bytes = 0;
    guard->limit = limit;
    guard->over_limit = false;
    current = guard;
}

void ridge_syntax_guard_end(ridge_syntax_guard *guard)
{
    for (block *b = guard->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    guard->blocks = NULL;
    current = NULL;
}
#endif
