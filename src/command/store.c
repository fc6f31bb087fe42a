#include "command/store.h"

#include "base/file.h"

const ridge_option ridge_options_store[] = {
    RIDGE_STRING(ridge_store_options, db, "db", 0, "FILE", "the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db",
                 .reach = RIDGE_REACH_FILE),
    RIDGE_FLAG(ridge_store_options, no_store, "no-store", 0, "do not keep the rows"),
    RIDGE_OPTION_END,
};
const char *const ridge_store_reading[] = {"db", NULL};

ridge_status ridge_store_options_path(const char **out, const ridge_store_options *options, ridge_arena *arena, ridge_err *err)
{
    *out = options->db ? options->db : ridge_store_default_path(arena);
    if (*out)
        return RIDGE_OK;
    if (arena->failed)
        return ridge_no_memory(err);
    return ridge_fail(err, RIDGE_IO, "no place for measurements: neither XDG_DATA_HOME nor HOME is set; name one with " RIDGE_OPT("db"));
}

static ridge_status open_default(ridge_store **out, bool write, ridge_err *err)
{
    static const ridge_store_options none = {0};
    ridge_arena arena;
    const char *path;
    ridge_arena_init(&arena);
    ridge_status st = ridge_store_options_path(&path, &none, &arena, err);
    const bool empty = !st && !write && !ridge_file_exists(path);
    if (!st)
        st = ridge_store_open(out, empty ? ":memory:" : path, empty || write, err);
    ridge_arena_free(&arena);
    return st;
}

ridge_status ridge_store_options_open(ridge_store **out, const ridge_store_options *options, bool write, ridge_err *err)
{
    *out = NULL;
    return options->db ? ridge_store_open(out, options->db, write, err) : open_default(out, write, err);
}

ridge_status ridge_run_parse(int64_t *run, const char *word, ridge_err *err)
{
    ridge_int value;
    if (!ridge_int_parse(&value, ridge_str_of(word)) || value < 1 || value > INT64_MAX)
        return ridge_fail(err, RIDGE_USAGE, "a run is a number from 1 on (ridge history --runs), not '%s'", word);
    *run = (int64_t)value;
    return RIDGE_OK;
}

ridge_status ridge_store_run_read(ridge_measurements *m, ridge_store *store, int64_t run, ridge_arena *arena, ridge_err *err)
{
    ridge_store_filter filter = {.run = run};
    ridge_status st = ridge_store_query(m, store, &filter, arena, err);
    if (!st && m->run_count == 0)
        st = ridge_fail(err, RIDGE_NAME, "there is no run %lld (ridge history --runs lists them)", (long long)run);
    return st;
}

/* ---- keeping a run ---- */

void ridge_store_keep(int64_t *run, ridge_call *call, const ridge_store_options *options, const ridge_store_run *what,
                      const ridge_measured_row *rows, size_t count)
{
    ridge_err err = {0};
    ridge_store_run full = *what;
    *run = RIDGE_UNSET;
    if (count == 0 || options->no_store)
        return;
    full.command = call->typed;
    if (ridge_store_record(run, options->db, &full, rows, count, &err)) {
        *run = RIDGE_UNSET;
        ridge_call_warn(call, "these rows are not stored: %s", err.msg);
    }
}

void ridge_store_tell(ridge_call *call, int64_t run)
{
    if (run > 0)
        ridge_buf_addf(&call->data, "kept as run %lld: ridge history\n", (long long)run);
}
