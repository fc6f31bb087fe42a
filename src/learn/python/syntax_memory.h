/* syntax_memory.h - memory for a library that ends the process where there is none: here it ends the work instead.
 * Between ridge_syntax_guard_begin and _end everything that tree-sitter allocates on this thread belongs to the guard; what does not fit
 * jumps back to where the guard began. */
#ifndef RIDGE_LEARN_PYTHON_SYNTAX_MEMORY_H
#define RIDGE_LEARN_PYTHON_SYNTAX_MEMORY_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ridge_syntax_guard {
    jmp_buf out;
    struct ridge_syntax_block *blocks;
    size_t bytes, limit;
    bool over_limit; /* why it jumped: the limit, or no memory */
} ridge_syntax_guard;

/* The caller calls setjmp(guard->out) right after it. */
void ridge_syntax_guard_begin(ridge_syntax_guard *guard, size_t limit);
void ridge_syntax_guard_end(ridge_syntax_guard *guard); /* frees what is left */

#endif
