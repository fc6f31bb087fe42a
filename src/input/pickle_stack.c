#include "input/pickle_stack.h"

#include <inttypes.h>

enum { VALUES_MOST = 4000000, MEMO_SLACK = 1024 };

ridge_status ridge_unpickler_bad(const ridge_unpickler *m, ridge_status code, const char *what)
{
    return ridge_fail(m->err, code, "%s: the pickle at byte %" PRIu64 ": %s", m->c->file->path, m->at, what);
}

/* ---- values and the stack ---- */

ridge_status ridge_unpickler_push(ridge_unpickler *m, ridge_pickle_value *v)
{
    if (m->depth >= VALUES_MOST)
        return ridge_unpickler_bad(m, RIDGE_LIMIT, "too many values on the stack");
    if (!ridge_arena_more(m->arena, &m->stack, m->depth, &m->stack_cap, sizeof *m->stack))
        return ridge_no_memory(m->err);
    m->stack[m->depth++] = v;
    return RIDGE_OK;
}

ridge_status ridge_unpickler_push_new(ridge_unpickler *m, ridge_pickle_value value)
{
    if (++m->values > VALUES_MOST)
        return ridge_unpickler_bad(m, RIDGE_LIMIT, "more than 4,000,000 values");
    ridge_pickle_value *v = ridge_arena_alloc(m->arena, sizeof *v);
    if (!v)
        return ridge_no_memory(m->err);
    *v = value;
    return ridge_unpickler_push(m, v);
}

ridge_status ridge_unpickler_push_whole(ridge_unpickler *m, ridge_pickle_kind kind, int64_t whole)
{
    return ridge_unpickler_push_new(m, (ridge_pickle_value){.kind = kind, .u.whole = whole});
}

/* no deeper than the last mark */
static size_t floor_of(const ridge_unpickler *m)
{
    return m->mark_count ? m->marks[m->mark_count - 1] : 0;
}

ridge_status ridge_unpickler_pop(ridge_pickle_value **out, ridge_unpickler *m)
{
    if (m->depth <= floor_of(m))
        return ridge_unpickler_bad(m, RIDGE_SYNTAX, "a value is wanted, and the stack has none");
    *out = m->stack[--m->depth];
    return RIDGE_OK;
}

/* the value below what was put after the last mark is what it is put into */
ridge_status ridge_unpickler_top(ridge_pickle_value **out, const ridge_unpickler *m)
{
    if (m->depth <= floor_of(m))
        return ridge_unpickler_bad(m, RIDGE_SYNTAX, "a value is wanted, and the stack has none");
    *out = m->stack[m->depth - 1];
    return RIDGE_OK;
}

ridge_status ridge_unpickler_mark(ridge_unpickler *m)
{
    if (m->mark_count >= VALUES_MOST)
        return ridge_unpickler_bad(m, RIDGE_LIMIT, "too many marks");
    if (!ridge_arena_more(m->arena, &m->marks, m->mark_count, &m->mark_cap, sizeof *m->marks))
        return ridge_no_memory(m->err);
    m->marks[m->mark_count++] = m->depth;
    return RIDGE_OK;
}

/* what was put on the stack since the last mark; it stays there for the caller, and the depth goes back to the mark */
ridge_status ridge_unpickler_pop_mark(ridge_pickle_value ***items, size_t *count, ridge_unpickler *m)
{
    if (!m->mark_count)
        return ridge_unpickler_bad(m, RIDGE_SYNTAX, "a mark is wanted, and there is none");
    const size_t from = m->marks[--m->mark_count];
    *items = m->depth > from ? m->stack + from : NULL;
    *count = m->depth - from;
    m->depth = from;
    return RIDGE_OK;
}

/* items into a list, a dict or an object */
ridge_status ridge_unpickler_put(ridge_unpickler *m, ridge_pickle_value *into, ridge_pickle_value *const *items, size_t count, bool pairs)
{
    const bool fits = into->kind == RIDGE_PICKLE_OBJECT || into->kind == (pairs ? RIDGE_PICKLE_DICT : RIDGE_PICKLE_LIST);
    if (!fits || (into->kind == RIDGE_PICKLE_OBJECT && into->count && into->pairs != pairs))
        return ridge_unpickler_bad(m, RIDGE_TYPE, pairs ? "items go into what is no dict" : "items go into what is no list");
    if (pairs && count % 2)
        return ridge_unpickler_bad(m, RIDGE_SYNTAX, "a key without a value");
    if (count > VALUES_MOST - m->pushed)
        return ridge_unpickler_bad(m, RIDGE_LIMIT, "too many items");
    m->pushed += count;
    into->pairs = pairs;
    for (size_t i = 0; i < count; i++) {
        if (!ridge_arena_more(m->arena, &into->items, into->count, &into->cap, sizeof *into->items))
            return ridge_no_memory(m->err);
        into->items[into->count++] = items[i];
    }
    return RIDGE_OK;
}

ridge_status ridge_unpickler_push_of(ridge_unpickler *m, ridge_pickle_kind kind, ridge_pickle_value *const *items, size_t count)
{
    ridge_status st = ridge_unpickler_push_new(m, (ridge_pickle_value){.kind = kind, .pairs = kind == RIDGE_PICKLE_DICT});
    ridge_pickle_value *v = st ? NULL : m->stack[m->depth - 1];
    if (st || !count)
        return st;
    if (kind != RIDGE_PICKLE_TUPLE)
        return ridge_unpickler_put(m, v, items, count, kind == RIDGE_PICKLE_DICT);
    if (count > VALUES_MOST - m->pushed)
        return ridge_unpickler_bad(m, RIDGE_LIMIT, "too many items");
    m->pushed += count;
    if (!(v->items = ridge_arena_array(m->arena, count, sizeof *v->items)))
        return ridge_no_memory(m->err);
    memcpy(v->items, items, count * sizeof *items);
    v->count = (uint32_t)count;
    v->cap = count;
    return RIDGE_OK;
}

/* All since the last mark as one value. They lie on the stack where the new value goes: they are copied first. */
ridge_status ridge_unpickler_collect(ridge_unpickler *m, ridge_pickle_kind kind)
{
    ridge_pickle_value **items = NULL;
    size_t count = 0;
    ridge_status st = ridge_unpickler_pop_mark(&items, &count, m);
    if (st || !count)
        return st ? st : ridge_unpickler_push_of(m, kind, NULL, 0);
    ridge_pickle_value *first = items[0];
    if ((st = ridge_unpickler_push_of(m, kind, NULL, 0))) /* overwrites items[0] */
        return st;
    ridge_pickle_value *v = m->stack[m->depth - 1];
    items = m->stack + m->depth - 1;
    items[0] = first;
    const ridge_pickle_kind as = kind;
    v->kind = kind == RIDGE_PICKLE_TUPLE ? RIDGE_PICKLE_LIST : kind; /* ridge_unpickler_put() fills lists and dicts */
    st = ridge_unpickler_put(m, v, items, count, as == RIDGE_PICKLE_DICT);
    v->kind = as;
    m->stack[m->depth - 1] = v;
    return st;
}

ridge_status ridge_unpickler_small_tuple(ridge_unpickler *m, size_t count)
{
    ridge_pickle_value *items[3] = {NULL};
    ridge_status st = RIDGE_OK;
    for (size_t i = count; i-- > 0 && !st;)
        st = ridge_unpickler_pop(&items[i], m);
    return st ? st : ridge_unpickler_push_of(m, RIDGE_PICKLE_TUPLE, items, count);
}

ridge_status ridge_unpickler_pop_one(ridge_unpickler *m)
{
    ridge_pickle_value *v;
    if (m->mark_count && m->depth == floor_of(m)) { /* POP of a mark */
        m->mark_count--;
        return RIDGE_OK;
    }
    return ridge_unpickler_pop(&v, m);
}

/* ---- the memo ---- */

ridge_status ridge_unpickler_remember(ridge_unpickler *m, uint64_t number)
{
    ridge_pickle_value *v = NULL;
    ridge_status st = ridge_unpickler_top(&v, m);
    if (st)
        return st;
    if (number > m->values + MEMO_SLACK)
        return ridge_unpickler_bad(m, RIDGE_LIMIT, "a memo number far above what was read");
    if (number >= m->memo_cap) {
        ridge_pickle_value **memo = ridge_arena_grow(m->arena, m->memo, m->memo_count, &m->memo_cap, (size_t)number + 1, sizeof *memo);
        if (!memo)
            return ridge_no_memory(m->err);
        m->memo = memo;
    }
    for (; m->memo_count <= number; m->memo_count++)
        m->memo[m->memo_count] = NULL;
    m->memo[number] = v;
    return RIDGE_OK;
}

ridge_status ridge_unpickler_recall(ridge_unpickler *m, uint64_t number)
{
    if (number >= m->memo_count || !m->memo[number])
        return ridge_unpickler_bad(m, RIDGE_SYNTAX, "a memo number that nothing was put at");
    return ridge_unpickler_push(m, m->memo[number]);
}
