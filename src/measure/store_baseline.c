/* Names for runs. A run that has a name cannot be deleted; its rows are the baseline. */
#include "measure/store_parts.h"

static ridge_status check_baseline_name(const char *name, ridge_err *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (name[0] == '\0' || name[strspn(name, letters)] != '\0')
        return ridge_fail(err, RIDGE_VALUE, "a baseline's name is letters, digits, '-', '_' and '.', not '%s'", name);
    return RIDGE_OK;
}

ridge_status ridge_store_baseline_set(ridge_store *store, const char *name, int64_t run, ridge_err *err)
{
    char now[RIDGE_STORE_DATE_CHARS];
    ridge_query query = {0};
    ridge_status st = check_baseline_name(name, err);
    if (st || (st = ridge_store_transaction(store, err)))
        return st;
    ridge_store_now(now);
    if (!(st = ridge_store_need_run(store, run, err)) &&
        !(st = ridge_query_open(&query, store->sql, "INSERT OR REPLACE INTO baselines (name, run, made) VALUES (?, ?, ?)", err))) {
        ridge_query_bind_text(&query, 1, name);
        ridge_query_bind_integer(&query, 2, run);
        ridge_query_bind_text(&query, 3, now);
        st = ridge_query_run(&query, err);
    }
    ridge_query_close(&query);
    return ridge_store_settle(store, st, err);
}

ridge_status ridge_store_baseline_list(ridge_baseline **out, size_t *count, ridge_store *store, ridge_arena *arena, ridge_err *err)
{
    ridge_query query;
    size_t cap = 0;
    bool more = true;
    *out = NULL;
    *count = 0;
    ridge_status st = ridge_query_open(&query, store->sql, "SELECT name, run, made FROM baselines ORDER BY name", err);
    while (!st && !(st = ridge_query_step(&more, &query, err)) && more) {
        *out = ridge_arena_grow(arena, *out, *count, &cap, *count + 1, sizeof **out);
        const char *name = ridge_arena_strdup(arena, ridge_query_text(&query, 0));
        const char *set = ridge_arena_strdup(arena, ridge_query_text(&query, 2));
        if (!*out || !name || !set)
            st = ridge_no_memory(err);
        else
            (*out)[(*count)++] = (ridge_baseline){name, ridge_query_integer(&query, 1), set};
    }
    ridge_query_close(&query);
    return st;
}

ridge_status ridge_store_baseline_find(int64_t *run, ridge_store *store, const char *name, ridge_err *err)
{
    ridge_arena arena;
    ridge_baseline *list;
    ridge_nearest nearest = {0};
    size_t count;
    ridge_arena_init(&arena);
    ridge_status st = ridge_store_baseline_list(&list, &count, store, &arena, err);
    *run = 0;
    for (size_t i = 0; !st && i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            *run = list[i].run;
        ridge_nearest_offer(&nearest, ridge_str_of(name), list[i].name);
    }
    if (!st && *run == 0)
        st = ridge_fail(err, RIDGE_NAME, "there is no baseline '%s'%s%s%s", name, RIDGE_MEANT(nearest.best));
    ridge_arena_free(&arena);
    return st;
}

ridge_status ridge_store_baseline_delete(ridge_store *store, const char *name, ridge_err *err)
{
    int64_t run;
    ridge_query query;
    ridge_status st = ridge_store_baseline_find(&run, store, name, err);
    if (!st)
        st = ridge_query_open(&query, store->sql, "DELETE FROM baselines WHERE name = ?", err);
    if (st)
        return st;
    ridge_query_bind_text(&query, 1, name);
    st = ridge_query_run(&query, err);
    ridge_query_close(&query);
    return st;
}
