/* store_test.h - what the tests of the store share: a file in a folder of its own, a run, a row; for one test program each. */
#ifndef RIDGE_TESTS_STORE_TEST_H
#define RIDGE_TESTS_STORE_TEST_H

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "measure/store.h"
#include "measure/store_sql.h"

#define MACHINE "00112233445566ff"
#define OTHER   "ffeeddccbbaa9900"

static char folder[64];
static const char *path;
static ridge_arena arena;
static ridge_err err;

static inline int setup(void **state)
{
    (void)state;
    (void)umask(022);
    (void)snprintf(folder, sizeof folder, "/tmp/ridge-store-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return 1;
    ridge_arena_init(&arena);
    ridge_err_clear(&err);
    path = ridge_arena_printf(&arena, "%s/a/b/m.db", folder);
    return path == NULL;
}

static inline int teardown(void **state)
{
    (void)state;
    char command[256];
    (void)snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
    ridge_arena_free(&arena);
    return system(command);
}

static inline ridge_store_run a_run(const char *machine)
{
    return (ridge_store_run){.machine = machine, .machine_text = "cpu: a CPU\ncores: 2\n", .command = "ridge bench \"gemv\", twice"};
}

static inline ridge_measured_row a_row(unsigned threads)
{
    return (ridge_measured_row){
        .kernel = "gemv",
        .variant = "avx512",
        .provider = "ridge",
        .shape = "{\"n\":14336,\"k\": 4096, \"causal\": true}",
        .format = "q4_K",
        .activations = "fp32",
        .threads = threads,
        .cache = RIDGE_CACHE_COLD,
        .time = {.median_s = 0.1 + 0.2,
                 .low_s = 0.1,
                 .high_s = 1.0 / 3,
                 .mad_s = 1e-300,
                 .minimum_s = 5e-7,
                 .kept = 98,
                 .tried = 100,
                 .calls_per_sample = 3,
                 .stopped = true},
        .flops = 117440512,
        .bytes = (ridge_int)INT64_MAX * 1000,
        .flops_per_s = 1.5e12,
        .bytes_per_s = RIDGE_MEASURE_UNKNOWN,
        .percent_of_ceiling = 99.9,
        .predicted_s = NAN,
        .error = 0.25,
        .bound = RIDGE_SIDE_MEMORY,
        .max_relative_error = 0,
        .beats_roofline = true,
        .machine = MACHINE,
    };
}

static inline ridge_store *open_store(void)
{
    ridge_store *store;
    if (ridge_store_open(&store, path, true, &err) != RIDGE_OK)
        fail_msg("%s", err.msg);
    return store;
}

/* a finished run of `rows` rows with 1, 2, ... threads; its number */
static inline int64_t put_run(ridge_store *store, const ridge_store_run *what, unsigned rows)
{
    int64_t run = 0;
    assert_int_equal(ridge_store_begin(&run, store, what, &err), RIDGE_OK);
    for (unsigned i = 0; i < rows; i++) {
        ridge_measured_row row = a_row(i + 1);
        row.machine = NULL;
        assert_int_equal(ridge_store_add(store, run, &row, &err), RIDGE_OK);
    }
    assert_int_equal(ridge_store_end(store, run, &err), RIDGE_OK);
    return run;
}

static inline ridge_measurements query(ridge_store *store, ridge_store_filter filter)
{
    ridge_measurements m;
    if (ridge_store_query(&m, store, &filter, &arena, &err) != RIDGE_OK)
        fail_msg("%s", err.msg);
    return m;
}

static inline void assert_says(ridge_status status, ridge_status wanted, const char *part)
{
    assert_int_equal(status, wanted);
    if (strstr(err.msg, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.msg, part);
    ridge_err_clear(&err);
}

static inline void sql(const char *text)
{
    ridge_sql *s;
    assert_int_equal(ridge_sql_open(&s, path, RIDGE_SQL_CREATE, &err), RIDGE_OK);
    if (ridge_sql_run(s, text, &err) != RIDGE_OK)
        fail_msg("%s", err.msg);
    ridge_sql_close(s);
}

static inline int64_t number(const char *text)
{
    ridge_sql *s;
    int64_t value;
    assert_int_equal(ridge_sql_open(&s, path, RIDGE_SQL_CREATE, &err), RIDGE_OK);
    if (ridge_sql_integer(&value, s, text, &err) != RIDGE_OK)
        fail_msg("%s", err.msg);
    ridge_sql_close(s);
    return value;
}

/* a main() that skips where there is no SQLite */
#define STORE_TESTS(tests)                                                                                                                 \
    int main(void)                                                                                                                         \
    {                                                                                                                                      \
        ridge_store *store;                                                                                                                \
        if (ridge_store_open(&store, ":memory:", true, &err) == RIDGE_UNKNOWN) {                                                           \
            printf("1..0 # SKIP %s\n", err.msg);                                                                                           \
            return 0;                                                                                                                      \
        }                                                                                                                                  \
        ridge_store_close(store);                                                                                                          \
        return RUN_TESTS(tests);                                                                                                           \
    }
#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
