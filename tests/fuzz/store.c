/* store.c - fuzzes the file of measurements. Input: the bytes of a SQLite file; or SQL that changes a new store, a statement a line.
 * A damaged or hostile file (views and triggers in place of tables, values of other types, Infinity) is an error or an answer that prints
 * as JSON and CSV; no query hangs. */
#include "fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "measure/store_fields.h"
#include "measure/store_sql.h"
#include "measure/store_text.h"

enum { SIZE_LIMIT = 1 << 20 };

static char path[64];

static void remove_file(void)
{
    char journal[80];
    (void)unlink(path);
    (void)snprintf(journal, sizeof journal, "%s-journal", path);
    (void)unlink(journal);
}

/* in memory where there is such a folder */
static void choose_path(void)
{
    (void)snprintf(path, sizeof path, "%s/ridge-fuzz-%ld.db", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    (void)atexit(remove_file);
}

static void write_file(const uint8_t *data, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FUZZ_CHECK(fd >= 0);
    FUZZ_CHECK(write(fd, data, size) == (ssize_t)size);
    FUZZ_CHECK(close(fd) == 0);
}

/* what changes the file, stays in it and ends */
static bool is_run(const char *statement)
{
    static const char *const verbs[] = {"create ", "insert ", "update ", "delete ", "drop ", "alter "};
    bool known = false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        known = known || strncasecmp(statement, verbs[i], strlen(verbs[i])) == 0;
    return known && (strcasestr(statement, "recursive") == NULL || strncasecmp(statement, "create view ", 12) == 0);
}

/* a new store, changed; statements that fail change nothing */
static void write_sql(const uint8_t *data, size_t size)
{
    ridge_store *store;
    ridge_sql *sql;
    char *text = malloc(size + 1), *rest = text;
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (ridge_store_open(&store, path, true, NULL) == RIDGE_OK)
        ridge_store_close(store);
    if (ridge_sql_open(&sql, path, true, NULL) == RIDGE_OK) {
        for (char *line = strtok_r(rest, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
            if (is_run(line))
                (void)ridge_sql_run(sql, line, NULL);
        ridge_sql_close(sql);
    }
    free(text);
}

static void print(const ridge_measurements *m)
{
    ridge_buf csv = {0};
    fuzz_check_json(&ridge_measurements_record, m);
    ridge_measurements_csv(&csv, m);
    FUZZ_CHECK(!csv.failed);
    ridge_buf_free(&csv);
}

static void query(ridge_store *store, const ridge_store_filter *filter, ridge_arena *arena)
{
    ridge_measurements m;
    ridge_err err = {0};
    const ridge_status st = ridge_store_query(&m, store, filter, arena, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK)
        print(&m);
}

static void use(ridge_store *store, ridge_arena *arena)
{
    static const char *size[] = {"n=64"};
    const ridge_store_filter filters[] = {
        {.last = RIDGE_UNSET},
        {.last = RIDGE_UNSET, .runs_only = true},
        {.last = 2, .kernel = "gemv", .format = "fp32", .sizes = {size, 1}, .since = "2026-01-01", .finished = true},
    };
    ridge_baseline *baselines;
    size_t count;
    ridge_err err = {0};
    int64_t run;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        query(store, &filters[i], arena);
    fuzz_check_err(ridge_store_baseline_list(&baselines, &count, store, arena, &err), &err);
    err = (ridge_err){0};
    fuzz_check_err(ridge_store_begin(&run, store, &(ridge_store_run){.machine = "0123456789abcdef", .machine_text = "a machine"}, &err),
                   &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_arena arena;
    ridge_store *store;
    ridge_err err = {0};
    if (size > SIZE_LIMIT)
        return 0;
    if (path[0] == '\0')
        choose_path();
    if (size >= 15 && memcmp(data, "SQLite format 3", 15) == 0)
        write_file(data, size);
    else
        write_sql(data, size);
    ridge_arena_init(&arena);
    const ridge_status st = ridge_store_open(&store, path, false, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK)
        use(store, &arena);
    ridge_store_close(store);
    ridge_arena_free(&arena);
    remove_file();
    return 0;
}
