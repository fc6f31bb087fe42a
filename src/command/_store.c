#include "cli/store.h"

#include "base/file.h"
#include "measure/fingerprint.h"

enum { HASH_DIGITS = 16, HASH_LEAST = 4, COMMAND_MOST = 4096 };

#define DB(type) RIDGE_STRING(type, db, "db", 0, "FILE", "the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db")

const ridge_option ridge_options_store[] = {
    DB(ridge_store_args),
    RIDGE_OPTION_END,
};
const ridge_option ridge_options_keep[] = {
    DB(ridge_keep_args),
    RIDGE_FLAG(ridge_keep_args, no_store, "no-store", 0, "do not keep the rows"),
    RIDGE_OPTION_END,
};

static ridge_status open_default(ridge_store **out, bool write, ridge_err *err)
{
    ridge_arena arena;
    ridge_arena_init(&arena);
    const char *path = ridge_store_default_path(&arena);
    ridge_status st;
    if (!path)
        st = ridge_fail(err, RIDGE_IO, "no place for measurements: neither XDG_DATA_HOME nor HOME is set; name one with --db");
    else if (!write && !ridge_file_exists(path))
        st = ridge_store_open(out, ":memory:", true, err);
    else
        st = ridge_store_open(out, path, write, err);
    ridge_arena_free(&arena);
    return st;
}

ridge_status ridge_store_args_open(ridge_store **out, const ridge_store_args *args, bool write, ridge_err *err)
{
    *out = NULL;
    return args->db ? ridge_store_open(out, args->db, write, err) : open_default(out, write, err);
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

static ridge_status this_machine(const char **out, ridge_arena *arena, ridge_err *err)
{
    ridge_fingerprint *print = ridge_arena_alloc(arena, sizeof *print);
    ridge_status st = print ? ridge_fingerprint_read(print, arena, err) : ridge_no_memory(err);
    *out = !st ? print->digits : NULL;
    return st;
}

ridge_status ridge_machine_filter(const char **out, const char *word, ridge_arena *arena, ridge_err *err)
{
    size_t n = word ? strlen(word) : 0;
    *out = NULL;
    if (!word || strcmp(word, "all") == 0)
        return RIDGE_OK;
    if (strcmp(word, "this") == 0)
        return this_machine(out, arena, err);
    if (n < HASH_LEAST || n > HASH_DIGITS || word[strspn(word, "0123456789abcdef")] != '\0')
        return ridge_fail(err, RIDGE_USAGE,
                          "--machine: this, all, or the first 4 to 16 digits of a fingerprint (ridge history --runs), not '%s'", word);
    *out = word;
    return RIDGE_OK;
}

/* ---- keeping a run ---- */

/* as it was typed, words joined by spaces; NULL where the system does not tell */
static const char *command_line(ridge_arena *arena)
{
    char text[COMMAND_MOST];
    FILE *f = fopen("/proc/self/cmdline", "rb");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        (void)fclose(f);
    while (n > 0 && text[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        text[i] = (unsigned char)text[i] < 0x20 ? ' ' : text[i];
    return n > 0 ? ridge_arena_strdup(arena, (ridge_str){text, n}) : NULL;
}

void ridge_store_keep(int64_t *run, ridge_io *io, const char *db, const ridge_store_run *what, const ridge_measured_row *rows, size_t count)
{
    ridge_err err = {0};
    ridge_store_run full = *what;
    *run = 0;
    if (count == 0)
        return;
    full.command = command_line(&io->arena);
    if (ridge_store_record(run, db, &full, rows, count, &err)) {
        *run = 0;
        ridge_io_warn(io, "these rows are not stored: %s", err.msg);
    }
}

/* an answer of ridge_jw_answer ends in "\n}\n" */
static void tell_json(ridge_buf *answer, int64_t run)
{
    if (answer->n < 3)
        return;
    answer->n -= 3;
    if (run > 0)
        ridge_buf_addf(answer, ",\n  \"run\": %lld\n}\n", (long long)run);
    else
        ridge_buf_addz(answer, ",\n  \"run\": null\n}\n");
}

void ridge_store_tell(ridge_io *io, ridge_output as, int64_t run)
{
    if (as == RIDGE_OUTPUT_JSON)
        tell_json(&io->data, run);
    else if (as == RIDGE_OUTPUT_TEXT && run > 0)
        ridge_buf_addf(&io->data, "kept as run %lld: ridge history\n", (long long)run);
}
