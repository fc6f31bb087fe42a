#include "cli/store.h"

#include "base/file.h"
#include "measure/fingerprint.h"

enum { HASH_DIGITS = 16, HASH_LEAST = 4 };

const ridge_option ridge_options_store[] = {
    RIDGE_STRING(ridge_store_args, db, "db", 0, "FILE", "the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db"),
    RIDGE_OPTION_END,
};

static ridge_status open_default(ridge_store **out, bool write, ridge_err *err)
{
    ridge_arena arena;
    ridge_arena_init(&arena);
    const char *path = ridge_store_default_path(&arena);
    ridge_status status;
    if (path == NULL)
        status = ridge_fail(err, RIDGE_IO, "no place for measurements: neither XDG_DATA_HOME nor HOME is set; name one with --db");
    else if (!write && !ridge_file_exists(path))
        status = ridge_store_open(out, ":memory:", true, err);
    else
        status = ridge_store_open(out, path, write, err);
    ridge_arena_free(&arena);
    return status;
}

ridge_status ridge_store_args_open(ridge_store **out, const ridge_store_args *args, bool write, ridge_err *err)
{
    *out = NULL;
    return args->db != NULL ? ridge_store_open(out, args->db, write, err) : open_default(out, write, err);
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
    ridge_status status = ridge_store_query(m, store, &filter, arena, err);
    if (status == RIDGE_OK && m->run_count == 0)
        status = ridge_fail(err, RIDGE_NAME, "there is no run %lld (ridge history --runs lists them)", (long long)run);
    return status;
}

static ridge_status this_machine(const char **out, ridge_arena *arena, ridge_err *err)
{
    ridge_fingerprint *print = ridge_arena_alloc(arena, sizeof *print);
    ridge_status status = print != NULL ? ridge_fingerprint_read(print, arena, err) : ridge_fail(err, RIDGE_NOMEM, "out of memory");
    *out = status == RIDGE_OK ? print->digits : NULL;
    return status;
}

ridge_status ridge_machine_filter(const char **out, const char *word, ridge_arena *arena, ridge_err *err)
{
    size_t n = word != NULL ? strlen(word) : 0;
    *out = NULL;
    if (word == NULL || strcmp(word, "all") == 0)
        return RIDGE_OK;
    if (strcmp(word, "this") == 0)
        return this_machine(out, arena, err);
    if (n < HASH_LEAST || n > HASH_DIGITS || word[strspn(word, "0123456789abcdef")] != '\0')
        return ridge_fail(err, RIDGE_USAGE,
                          "--machine: this, all, or the first 4 to 16 digits of a fingerprint (ridge history --runs), not '%s'", word);
    *out = word;
    return RIDGE_OK;
}
