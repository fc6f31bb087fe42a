/* pickle_stack.h - the stack, the marks and the memo that a pickle's opcodes work on. Used by pickle.c alone.
 * In: values. Out: values put together; all in the arena, all counted, so that no pickle takes more than its limits. */
#ifndef RIDGE_INPUT_PICKLE_STACK_H
#define RIDGE_INPUT_PICKLE_STACK_H

#include "input/pickle.h"

typedef struct ridge_unpickler {
    ridge_cursor *c;
    ridge_arena *arena;
    ridge_err *err;
    uint64_t at; /* of the opcode */
    ridge_pickle_value **stack;
    size_t depth, stack_cap;
    size_t *marks;
    size_t mark_count, mark_cap;
    ridge_pickle_value **memo;
    size_t memo_count, memo_cap;
    size_t values, pushed;
} ridge_unpickler;

/* "PATH: the pickle at byte N: WHAT" */
ridge_status ridge_unpickler_bad(const ridge_unpickler *m, ridge_status code, const char *what);
ridge_status ridge_unpickler_push(ridge_unpickler *m, ridge_pickle_value *v);
ridge_status ridge_unpickler_push_new(ridge_unpickler *m, ridge_pickle_value value);
ridge_status ridge_unpickler_push_whole(ridge_unpickler *m, ridge_pickle_kind kind, int64_t whole);
/* no deeper than the last mark */
ridge_status ridge_unpickler_pop(ridge_pickle_value **out, ridge_unpickler *m);
/* the value below what was put after the last mark is what it is put into */
ridge_status ridge_unpickler_top(ridge_pickle_value **out, const ridge_unpickler *m);
ridge_status ridge_unpickler_mark(ridge_unpickler *m);
/* What was put on the stack since the last mark; it stays there for the caller, and the depth goes back to the mark. items NULL: nothing */
ridge_status ridge_unpickler_pop_mark(ridge_pickle_value ***items, size_t *count, ridge_unpickler *m);
/* items into a list, a dict or an object */
ridge_status ridge_unpickler_put(ridge_unpickler *m, ridge_pickle_value *into, ridge_pickle_value *const *items, size_t count, bool pairs);
ridge_status ridge_unpickler_push_of(ridge_unpickler *m, ridge_pickle_kind kind, ridge_pickle_value *const *items, size_t count);
/* all since the last mark as one value */
ridge_status ridge_unpickler_collect(ridge_unpickler *m, ridge_pickle_kind kind);
ridge_status ridge_unpickler_small_tuple(ridge_unpickler *m, size_t count);
ridge_status ridge_unpickler_remember(ridge_unpickler *m, uint64_t number);
ridge_status ridge_unpickler_recall(ridge_unpickler *m, uint64_t number);
/* a value, or a mark that nothing lies on */
ridge_status ridge_unpickler_pop_one(ridge_unpickler *m);

#endif
