/* The memory of measurements: what is put in comes out; files and values that are not as wanted are told. */
#include "measure/store_test.h"

#include "measure/store_parts.h"

/* ---- in and out ---- */

static void check_round_trip(const ridge_measured_row *r)
{
    assert_string_equal(r->kernel, "gemv");
    assert_string_equal(r->variant, "avx512");
    assert_string_equal(r->provider, "ridge");
    assert_string_equal(r->shape, "{\"n\": 14336, \"k\": 4096, \"causal\": true}");
    assert_string_equal(r->format, "q4_K");
    assert_string_equal(r->activations, "fp32");
    assert_int_equal(r->threads, 7);
    assert_int_equal(r->cache, RIDGE_CACHE_COLD);
    /* to the last bit */
    assert_true(r->time.median_s == 0.1 + 0.2 && r->time.low_s == 0.1 && r->time.high_s == 1.0 / 3 && r->time.mad_s == 1e-300);
    assert_true(r->time.minimum_s == 5e-7 && r->time.stopped);
    assert_int_equal(r->time.kept, 98);
    assert_int_equal(r->time.tried, 100);
    assert_int_equal(r->time.calls_per_sample, 3);
    assert_true(r->flops == 117440512 && r->bytes == (ridge_int)INT64_MAX * 1000);
    assert_true(r->flops_per_s == 1.5e12 && r->bytes_per_s < 0 && r->percent_of_ceiling == 99.9 && r->predicted_s < 0);
    assert_true(r->error == 0.25 && r->max_relative_error == 0 && r->beats_roofline);
    assert_int_equal(r->bound, RIDGE_SIDE_MEMORY);
    assert_string_equal(r->machine, MACHINE);
}

static void comes_out_as_it_went_in(void **state)
{
    (void)state;
    int64_t run;
    ridge_measured_row row = a_row(7);
    ridge_store_run what = a_run(MACHINE);
    what.settings = "{\"budget_s\": 1.5, \"pinned\":true, \"list\": [1, null]}";
    assert_int_equal(ridge_store_record(&run, path, &what, &row, 1, &err), RIDGE_OK);
    ridge_store *store = open_store();
    ridge_measurements m = query(store, (ridge_store_filter){0});
    assert_int_equal(m.run_count, 1);
    assert_int_equal(m.row_count, 1);
    assert_int_equal(m.runs[0].id, run);
    assert_int_equal(m.runs[0].rows, 1);
    assert_int_equal(m.runs[0].row_count, 1);
    assert_int_equal(strlen(m.runs[0].uuid), 32);
    assert_true(ridge_store_is_date(ridge_str_of(m.runs[0].started)) && ridge_store_is_date(ridge_str_of(m.runs[0].finished)));
    assert_string_equal(m.runs[0].command, what.command);
    assert_string_equal(m.runs[0].machine_text, what.machine_text);
    assert_string_equal(m.runs[0].settings, "{\"budget_s\": 1.5, \"pinned\": true, \"list\": [1, null]}");
    assert_string_equal(m.runs[0].build, ridge_store_build());
    assert_int_equal(m.rows[0].run, run);
    check_round_trip(&m.rows[0]);
    ridge_store_close(store);
}

/* the caller's time, since it is from before measuring; the end is now */
static void starts_when_it_is_told(void **state)
{
    (void)state;
    int64_t run;
    ridge_measured_row row = a_row(7);
    ridge_store_run what = a_run(MACHINE);
    what.started = "2026-01-02T03:04:05Z";
    assert_int_equal(ridge_store_record(&run, path, &what, &row, 1, &err), RIDGE_OK);
    ridge_store *store = open_store();
    ridge_measurements m = query(store, (ridge_store_filter){.run = run});
    assert_string_equal(m.runs[0].started, "2026-01-02T03:04:05Z");
    assert_true(strcmp(m.runs[0].finished, m.runs[0].started) > 0);
    ridge_store_close(store);
}

static void refuses_what_is_wrong(void **state)
{
    (void)state;
    ridge_store *store = open_store();
    ridge_store_run what = a_run(MACHINE);
    int64_t run = put_run(store, &what, 1);
    ridge_measured_row row = a_row(1);
    row.machine = OTHER;
    assert_says(ridge_store_add(store, run, &row, &err), RIDGE_VALUE, "a row of machine " OTHER " cannot join run 1, which is of machine");
    row = a_row(1);
    row.time.median_s = NAN;
    assert_says(ridge_store_add(store, run, &row, &err), RIDGE_VALUE, "the median nan s is not in its interval");
    row = a_row(1);
    row.time.minimum_s = -1;
    assert_says(ridge_store_add(store, run, &row, &err), RIDGE_VALUE, "minimum_s: missing; wanted a number of at least 0");
    row = a_row(1);
    row.shape = "{\"n\": 1.5}";
    assert_says(ridge_store_add(store, run, &row, &err), RIDGE_VALUE, "shape: wanted a JSON object of sizes, found '{\"n\": 1.5}'");
    row = a_row(1);
    row.kernel = NULL;
    assert_says(ridge_store_add(store, run, &row, &err), RIDGE_VALUE, "kernel: missing");
    row = a_row(1);
    assert_says(ridge_store_add(store, 99, &row, &err), RIDGE_NAME, "has no run 99");
    what.machine = "no hash";
    assert_says(ridge_store_begin(&run, store, &what, &err), RIDGE_VALUE, "machine: wanted 16 hexadecimal digits, found 'no hash'");
    what = a_run(MACHINE);
    what.settings = "[1]";
    assert_says(ridge_store_begin(&run, store, &what, &err), RIDGE_VALUE, "settings: wanted a JSON object");
    ridge_measurements m = query(store, (ridge_store_filter){0});
    assert_int_equal(m.run_count, 1);
    assert_int_equal(m.row_count, 1);
    ridge_store_close(store);
}

/* record is all or nothing */
static void a_bad_row_leaves_no_run(void **state)
{
    (void)state;
    int64_t run;
    ridge_measured_row rows[2] = {a_row(1), a_row(2)};
    ridge_store_run what = a_run(MACHINE);
    rows[1].format = "";
    assert_says(ridge_store_record(&run, path, &what, rows, 2, &err), RIDGE_VALUE, "format: missing");
    ridge_store *store = open_store();
    assert_int_equal(query(store, (ridge_store_filter){0}).run_count, 0);
    ridge_store_close(store);
}

/* ---- filters ---- */

static void filters(void **state)
{
    (void)state;
    static const char *n[] = {"n=14336"}, *both[] = {"n=14336", "k=4096"}, *cut[] = {"n=1433"}, *flag[] = {"causal=true"};
    ridge_store *store = open_store();
    ridge_store_run early = a_run(MACHINE), late = a_run(OTHER), middle = a_run(MACHINE);
    late.started = "2026-11-21T10:00:00Z";
    early.started = "2026-11-19T10:00:00Z";
    middle.started = "2026-11-20T10:00:00Z";
    put_run(store, &late, 2);
    put_run(store, &early, 3);
    put_run(store, &middle, 0);
    ridge_measurements m = query(store, (ridge_store_filter){0});
    assert_int_equal(m.run_count, 3); /* by time, not by number */
    assert_int_equal(m.runs[0].id, 2);
    assert_int_equal(m.runs[1].id, 3);
    assert_int_equal(m.runs[2].id, 1);
    assert_int_equal(m.runs[2].first, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(m.rows[i].threads, i + 1); /* in the order they were added */
    assert_int_equal(query(store, (ridge_store_filter){.machine = MACHINE}).run_count, 2);
    assert_int_equal(query(store, (ridge_store_filter){.machine = "ffee"}).run_count, 1);
    assert_int_equal(query(store, (ridge_store_filter){.since = "2026-11-20"}).run_count, 2);
    assert_int_equal(query(store, (ridge_store_filter){.since = "2026-11-20T10:00:01Z"}).run_count, 1);
    assert_int_equal(query(store, (ridge_store_filter){.kernel = "gemv"}).run_count, 2);
    assert_int_equal(query(store, (ridge_store_filter){.kernel = "gem"}).run_count, 0);
    assert_int_equal(query(store, (ridge_store_filter){.format = "q4_K", .last = 1}).runs[0].id, 1);
    m = query(store, (ridge_store_filter){.last = 2});
    assert_int_equal(m.run_count, 2);
    assert_int_equal(m.runs[0].id, 3);
    assert_int_equal(query(store, (ridge_store_filter){.sizes = {n, 1}}).row_count, 5);
    assert_int_equal(query(store, (ridge_store_filter){.sizes = {both, 2}}).row_count, 5);
    assert_int_equal(query(store, (ridge_store_filter){.sizes = {cut, 1}}).row_count, 0);
    assert_int_equal(query(store, (ridge_store_filter){.sizes = {flag, 1}}).row_count, 5);
    m = query(store, (ridge_store_filter){.run = 2, .runs_only = true});
    assert_int_equal(m.runs[0].row_count, 3);
    assert_int_equal(m.row_count, 0);
    assert_says(ridge_store_check_name(store, "kernel", "gemw", &err), RIDGE_NAME,
                "no measurement has the kernel 'gemw'; did you mean 'gemv'?");
    assert_int_equal(ridge_store_check_name(store, "format", "q4_K", &err), RIDGE_OK);
    ridge_store_close(store);
}

static void dates(void **state)
{
    (void)state;
    static const char *const good[] = {"2026-11-21", "2026-01-31T23:59:60Z"};
    static const char *const bad[] = {"",
                                      "2026-13-01",
                                      "2026-00-01",
                                      "2026-01-32",
                                      "2026-1-1",
                                      "2026-11-21T",
                                      "2026-11-21 10:00:00Z",
                                      "2026-11-21T24:00:00Z",
                                      "2026-11-21T10:60:00Z",
                                      "2026-11-21T10:00:00"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(ridge_store_is_date(ridge_str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ridge_store_is_date(ridge_str_of(bad[i])));
}

/* ---- files that are not as wanted ---- */

static void an_older_schema_is_migrated(void **state)
{
    (void)state;
    ridge_store_run what = a_run(MACHINE);
    ridge_store *store = open_store();
    put_run(store, &what, 2);
    ridge_store_close(store);
    sql("DROP TABLE baselines; ALTER TABLE runs DROP COLUMN interrupted; PRAGMA user_version = 1"); /* as schema 1 was */
    store = open_store();
    ridge_measurements m = query(store, (ridge_store_filter){.finished = true});
    assert_int_equal(m.row_count, 2);
    assert_false(m.runs[0].interrupted);
    assert_int_equal(ridge_store_baseline_set(store, "now", 1, &err), RIDGE_OK);
    ridge_store_close(store);
    assert_int_equal(number("PRAGMA user_version"), 3);
}

/* its rows stay, and it is none of the finished ones, though it ended */
static void an_interrupted_run_is_told(void **state)
{
    (void)state;
    int64_t run;
    ridge_measured_row row = a_row(7);
    ridge_store_run what = a_run(MACHINE);
    what.interrupted = true;
    assert_int_equal(ridge_store_record(&run, path, &what, &row, 1, &err), RIDGE_OK);
    ridge_store *store = open_store();
    ridge_measurements m = query(store, (ridge_store_filter){0});
    assert_int_equal(m.row_count, 1);
    assert_true(m.runs[0].interrupted && m.runs[0].finished != NULL && ridge_store_run_is_cut(&m.runs[0]));
    assert_int_equal(query(store, (ridge_store_filter){.finished = true}).run_count, 0);
    what.interrupted = false;
    put_run(store, &what, 1);
    m = query(store, (ridge_store_filter){.finished = true});
    assert_int_equal(m.run_count, 1);
    assert_false(ridge_store_run_is_cut(&m.runs[0]));
    int64_t open; /* killed, or still running */
    assert_int_equal(ridge_store_begin(&open, store, &what, &err), RIDGE_OK);
    m = query(store, (ridge_store_filter){.run = open});
    assert_true(!m.runs[0].interrupted && ridge_store_run_is_cut(&m.runs[0]));
    ridge_store_close(store);
}

static void foreign_files_are_refused(void **state)
{
    (void)state;
    ridge_store *store = open_store();
    ridge_store_close(store);
    sql("PRAGMA user_version = 4");
    assert_says(ridge_store_open(&store, path, true, &err), RIDGE_VALUE,
                "m.db was written by a newer ridge: it has schema 4, this ridge knows");
    assert_null(store);
    path = ridge_arena_printf(&arena, "%s/other.db", folder);
    sql("CREATE TABLE songs (title)");
    assert_says(ridge_store_open(&store, path, true, &err), RIDGE_VALUE, "other.db is a database of another program");
    path = ridge_arena_printf(&arena, "%s/text.db", folder);
    assert_int_equal(ridge_file_write_atomic(path, RIDGE_STR("this is no database, however long it may be"), &err), RIDGE_OK);
    assert_says(ridge_store_open(&store, path, true, &err), RIDGE_SYNTAX, "text.db: file is not a database");
    assert_says(ridge_store_open(&store, folder, true, &err), RIDGE_IO, folder);
    path = ridge_arena_printf(&arena, "%s/text.db/m.db", folder);
    assert_says(ridge_store_open(&store, path, true, &err), RIDGE_IO, "text.db: ");
    path = ridge_arena_printf(&arena, "%s/nowhere.db", folder);
    assert_says(ridge_store_open(&store, path, false, &err), RIDGE_IO, "nowhere.db: unable to open database file");
    assert_false(ridge_file_exists(path));
}

/* what a ridge never wrote is not read as something else */
static void a_damaged_row_is_told(void **state)
{
    (void)state;
    ridge_measurements m;
    ridge_store_run what = a_run(MACHINE);
    ridge_store *store = open_store();
    put_run(store, &what, 1);
    ridge_store_close(store);
    sql("UPDATE rows SET cache = 'warm'");
    store = open_store();
    assert_says(ridge_store_query(&m, store, &(ridge_store_filter){0}, &arena, &err), RIDGE_VALUE,
                "m.db: rows.cache of rows 1: wanted hot or cold, found 'warm'");
    ridge_store_close(store);
}

/* infinity and what is no number: JSON has neither */
static void numbers_that_are_none_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *change, *says;
    } cases[] = {
        {"UPDATE rows SET time_high_s = 9e999", "m.db: rows.time_high_s of rows 1: wanted a number of at least 0"},
        {"UPDATE rows SET time_high_s = 1, flops_per_s = 9e999", "rows.flops_per_s of rows 1: wanted a number"},
        {"UPDATE rows SET flops_per_s = -9e999", "rows.flops_per_s of rows 1: wanted a number"},
        {"UPDATE rows SET flops_per_s = NULL, mad_s = -1", "rows.mad_s of rows 1: wanted a number"},
        {"UPDATE rows SET mad_s = 0, time_low_s = 1, time_median_s = 0.5, time_high_s = 2", "is not in its interval"},
        {"UPDATE runs SET settings = '{\"a\": Infinity}'; UPDATE rows SET time_low_s = 0", "runs.settings of runs 1"},
    };
    ridge_measurements m;
    ridge_store_run what = a_run(MACHINE);
    ridge_store *store = open_store();
    put_run(store, &what, 1);
    ridge_store_close(store);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sql(cases[i].change);
        store = open_store();
        assert_says(ridge_store_query(&m, store, &(ridge_store_filter){0}, &arena, &err), RIDGE_VALUE, cases[i].says);
        ridge_store_close(store);
    }
}

/* tables that are views are queries, and may have no end; a trigger runs when a row is written */
static void views_and_triggers_are_refused(void **state)
{
    (void)state;
    ridge_store *store = open_store();
    ridge_store_close(store);
    sql("CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM runs; END");
    assert_says(ridge_store_open(&store, path, true, &err), RIDGE_VALUE, "m.db is no store of Ridge's measurements: it has a trigger 't'");
    sql("DROP TRIGGER t; DROP TABLE rows; CREATE VIEW rows AS WITH RECURSIVE r (run) AS (SELECT 1 UNION ALL SELECT run + 1 FROM r) "
        "SELECT run, run AS id FROM r");
    assert_says(ridge_store_open(&store, path, false, &err), RIDGE_VALUE, "it has a view 'rows'");
    sql("DROP VIEW rows");
    assert_says(ridge_store_open(&store, path, false, &err), RIDGE_VALUE, "tables are missing");
}

/* a query that has no end: without its index every run looks at all rows */
static void steps_are_limited(void **state)
{
    (void)state;
    enum { RUNS = 300, MOST = 200000 };
    ridge_measurements m;
    ridge_store_run what = a_run(MACHINE);
    ridge_store *store = open_store();
    for (int i = 0; i < RUNS; i++)
        put_run(store, &what, 1);
    ridge_sql_limit(store->sql, MOST);
    assert_int_equal(ridge_store_query(&m, store, &(ridge_store_filter){0}, &arena, &err), RIDGE_OK);
    assert_int_equal(m.run_count, RUNS);
    ridge_store_close(store);
    sql("DROP INDEX rows_of_run");
    store = open_store();
    ridge_sql_limit(store->sql, MOST);
    assert_says(ridge_store_query(&m, store, &(ridge_store_filter){0}, &arena, &err), RIDGE_LIMIT,
                "m.db: it takes SQLite more than 200000 steps to read, which no store of Ridge's does");
    ridge_store_close(store);
}

/* ---- deleting, baselines, merging ---- */

static void deletes_all_or_none(void **state)
{
    (void)state;
    ridge_store *store = open_store();
    ridge_store_run what = a_run(MACHINE);
    for (unsigned i = 0; i < 3; i++)
        put_run(store, &what, 2);
    assert_says(ridge_store_delete(store, (int64_t[]){1, 7}, 2, &err), RIDGE_NAME, "has no run 7");
    assert_int_equal(query(store, (ridge_store_filter){0}).run_count, 3);
    assert_int_equal(ridge_store_baseline_set(store, "base", 2, &err), RIDGE_OK);
    assert_says(ridge_store_delete(store, (int64_t[]){1, 2}, 2, &err), RIDGE_VALUE, "run 2 is the baseline 'base'");
    assert_int_equal(ridge_store_delete(store, (int64_t[]){1, 3}, 2, &err), RIDGE_OK);
    assert_int_equal(query(store, (ridge_store_filter){0}).row_count, 2);
    assert_int_equal(put_run(store, &what, 1), 4); /* a number never means another run */
    assert_int_equal(number("SELECT count(*) FROM rows"), 3);
    ridge_store_close(store);
}

static void baselines(void **state)
{
    (void)state;
    int64_t run;
    size_t count;
    ridge_baseline *list;
    ridge_store *store = open_store();
    ridge_store_run what = a_run(MACHINE);
    put_run(store, &what, 1);
    put_run(store, &what, 1);
    assert_says(ridge_store_baseline_set(store, "no such run", 1, &err), RIDGE_VALUE, "a baseline's name is letters");
    assert_says(ridge_store_baseline_set(store, "b", 5, &err), RIDGE_NAME, "has no run 5");
    assert_int_equal(ridge_store_baseline_set(store, "before", 1, &err), RIDGE_OK);
    assert_int_equal(ridge_store_baseline_set(store, "before", 2, &err), RIDGE_OK);
    assert_int_equal(ridge_store_baseline_find(&run, store, "before", &err), RIDGE_OK);
    assert_int_equal(run, 2);
    assert_says(ridge_store_baseline_find(&run, store, "befor", &err), RIDGE_NAME, "there is no baseline 'befor'; did you mean 'before'?");
    assert_int_equal(ridge_store_baseline_list(&list, &count, store, &arena, &err), RIDGE_OK);
    assert_int_equal(count, 1);
    assert_int_equal(ridge_store_baseline_delete(store, "before", &err), RIDGE_OK);
    assert_says(ridge_store_baseline_delete(store, "before", &err), RIDGE_NAME, "there is no baseline 'before'");
    ridge_store_close(store);
}

static void merging(void **state)
{
    (void)state;
    size_t added, known;
    ridge_store_run what = a_run(OTHER);
    ridge_store *store = open_store();
    put_run(store, &what, 2);
    put_run(store, &what, 0);
    ridge_measurements m = query(store, (ridge_store_filter){0});
    ridge_store_close(store);
    path = ridge_arena_printf(&arena, "%s/second.db", folder);
    store = open_store();
    assert_int_equal(ridge_store_merge(&added, &known, store, &m, 1, &err), RIDGE_OK);
    assert_int_equal(added, 2);
    assert_int_equal(known, 0);
    assert_int_equal(ridge_store_merge(&added, &known, store, &m, 1, &err), RIDGE_OK);
    assert_int_equal(added, 0);
    assert_int_equal(known, 2);
    assert_int_equal(query(store, (ridge_store_filter){.machine = OTHER}).row_count, 2);
    /* a bad row in the second of two: neither comes in */
    ridge_measurements two[2] = {m, m};
    ridge_store_run fresh[2] = {m.runs[0], m.runs[0]};
    fresh[0].uuid = "0123456789abcdef0123456789abcdef";
    fresh[1].uuid = "0123456789abcdef0123456789abcde0";
    fresh[1].machine = MACHINE; /* its rows are of OTHER */
    two[0].runs = &fresh[0];
    two[1].runs = &fresh[1];
    two[0].run_count = two[1].run_count = 1;
    assert_says(ridge_store_merge(&added, &known, store, two, 2, &err), RIDGE_VALUE, "cannot join run");
    assert_int_equal(query(store, (ridge_store_filter){0}).run_count, 2);
    ridge_store_close(store);
}

/* a first import that fails leaves no file; one that does not leaves a store like any other */
static void importing_into_a_new_file(void **state)
{
    (void)state;
    size_t added, known;
    ridge_store_run what = a_run(OTHER);
    ridge_store *store = open_store();
    put_run(store, &what, 2);
    ridge_measurements m = query(store, (ridge_store_filter){0}), bad = m;
    ridge_store_close(store);
    ridge_store_run wrong = m.runs[0];
    wrong.machine = MACHINE; /* its rows are of OTHER */
    bad.runs = &wrong;
    path = ridge_arena_printf(&arena, "%s/new/second.db", folder);
    assert_says(ridge_store_import(&added, &known, path, &bad, 1, &err), RIDGE_VALUE, "cannot join run");
    assert_false(ridge_file_exists(path));
    assert_int_equal(ridge_store_import(&added, &known, path, &m, 1, &err), RIDGE_OK);
    assert_int_equal(added, 1);
    assert_int_equal(ridge_store_import(&added, &known, path, &m, 1, &err), RIDGE_OK);
    assert_int_equal(known, 1);
    assert_int_equal(number("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1);
    assert_int_equal(number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    store = open_store();
    assert_int_equal(query(store, (ridge_store_filter){0}).row_count, 2);
    ridge_store_close(store);
}

static const struct CMUnitTest tests[] = {
    STORE_TEST(comes_out_as_it_went_in),
    STORE_TEST(starts_when_it_is_told),
    STORE_TEST(refuses_what_is_wrong),
    STORE_TEST(a_bad_row_leaves_no_run),
    STORE_TEST(filters),
    STORE_TEST(dates),
    STORE_TEST(an_older_schema_is_migrated),
    STORE_TEST(an_interrupted_run_is_told),
    STORE_TEST(foreign_files_are_refused),
    STORE_TEST(a_damaged_row_is_told),
    STORE_TEST(numbers_that_are_none_are_told),
    STORE_TEST(views_and_triggers_are_refused),
    STORE_TEST(steps_are_limited),
    STORE_TEST(importing_into_a_new_file),
    STORE_TEST(deletes_all_or_none),
    STORE_TEST(baselines),
    STORE_TEST(merging),
};

STORE_TESTS(tests)
