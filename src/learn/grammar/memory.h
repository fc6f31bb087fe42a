/* memory.h - put before the grammar's scanner, so that it takes all its memory from where the library does. */
#ifndef RIDGE_LEARN_GRAMMAR_MEMORY_H
#define RIDGE_LEARN_GRAMMAR_MEMORY_H

#include <stdlib.h>

extern void *(*ts_current_calloc)(size_t count, size_t size);
extern void (*ts_current_free)(void *memory);
#define calloc ts_current_calloc
#define free   ts_current_free

#endif
