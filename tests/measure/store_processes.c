/* The memory of measurements, whoever kills, fills the disk, forbids writing, or writes at the same time. */
#include "measure/store_test.h"
#include "nobody.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* runs `body` in another process; its exit status */
static int in_child(int (*body)(void))
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(body());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* 0: refused, with the path and a reason; the message goes to stderr where it is not */
static int refused(ridge_status status, const char *reason)
{
    bool good = status == RIDGE_IO && strstr(err.msg, path) != NULL && strstr(err.msg, reason) != NULL;
    if (!good)
        (void)fprintf(stderr, "# %d %s\n", (int)status, err.msg);
    return good ? 0 : 1;
}

static int write_as_nobody(void)
{
    ridge_store *store;
    int64_t run;
    ridge_store_run what = a_run(MACHINE);
    if (!become_nobody())
        return 2;
    ridge_status status = ridge_store_open(&store, path, true, &err);
    if (status == RIDGE_OK)
        status = ridge_store_begin(&run, store, &what, &err);
    ridge_store_close(store);
    return refused(status, "readonly database");
}

static void a_read_only_file_is_told(void **state)
{
    (void)state;
    ridge_store *store = open_store();
    ridge_store_close(store);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(in_child(write_as_nobody), 0);
}

/* a file that cannot be written, in a folder that cannot be written, has rows to read */
static int read_as_nobody(void)
{
    ridge_store *store;
    ridge_measurements m;
    if (!become_nobody())
        return 2;
    ridge_status status = ridge_store_open(&store, path, false, &err);
    if (!status)
        status = ridge_store_query(&m, store, &(ridge_store_filter){0}, &arena, &err);
    if (status)
        (void)fprintf(stderr, "# %s\n", err.msg);
    return status || m.row_count != 3;
}

static void a_read_only_file_is_read(void **state)
{
    (void)state;
    path = ridge_arena_printf(&arena, "%s/a b/100%% m?.db", folder);
    ridge_store *store = open_store();
    ridge_store_run what = a_run(MACHINE);
    put_run(store, &what, 3);
    ridge_store_close(store);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chmod(ridge_arena_printf(&arena, "%s/a b", folder), 0555), 0);
    assert_int_equal(in_child(read_as_nobody), 0);
}

/* The file may not grow: as on a full disk, writing fails in the middle. What is there stays whole. */
static int write_until_full(void)
{
    ridge_store *store;
    int64_t run;
    ridge_store_run what = a_run(MACHINE);
    ridge_measured_row row = a_row(1);
    struct rlimit limit = {200000, 200000};
    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || ridge_store_open(&store, path, true, &err) != RIDGE_OK)
        return 2;
    ridge_status status = ridge_store_begin(&run, store, &what, &err);
    for (unsigned i = 0; i < 10000 && status == RIDGE_OK; i++)
        status = ridge_store_add(store, run, &row, &err);
    ridge_store_close(store);
    return refused(status, "(File too large)");
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    ridge_store_run what = a_run(MACHINE);
    ridge_store *store = open_store();
    put_run(store, &what, 5);
    ridge_store_close(store);
    assert_int_equal(in_child(write_until_full), 0);
    assert_int_equal(number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    store = open_store();
    assert_int_equal(query(store, (ridge_store_filter){.finished = true}).row_count, 5);
    ridge_store_close(store);
}

/* ---- several processes, and kills ---- */

enum { WRITERS = 4, RUNS = 10, ROWS = 5, KILLS = 25 };

static int write_runs(void)
{
    ridge_store *store;
    ridge_store_run what = a_run(MACHINE);
    if (ridge_store_open(&store, path, true, &err) != RIDGE_OK) {
        (void)fprintf(stderr, "# %s\n", err.msg);
        return 1;
    }
    for (unsigned i = 0; i < RUNS; i++)
        put_run(store, &what, ROWS);
    ridge_store_close(store);
    return 0;
}

/* the file itself is made by whoever comes first */
static void writers_at_once_all_land(void **state)
{
    (void)state;
    pid_t pids[WRITERS];
    for (size_t i = 0; i < WRITERS; i++)
        if ((pids[i] = fork()) == 0)
            _exit(write_runs());
    for (size_t i = 0; i < WRITERS; i++) {
        int status = -1;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    ridge_store *store = open_store();
    ridge_measurements m = query(store, (ridge_store_filter){.finished = true});
    assert_int_equal(m.run_count, WRITERS * RUNS);
    assert_int_equal(m.row_count, WRITERS * RUNS * ROWS);
    ridge_store_close(store);
}

/* writes a number after each finished run, until it is killed */
static void write_for_ever(int to)
{
    ridge_store *store;
    ridge_store_run what = a_run(MACHINE);
    if (ridge_store_open(&store, path, true, &err) != RIDGE_OK)
        _exit(1);
    for (;;) {
        int64_t run = put_run(store, &what, ROWS);
        if (write(to, &run, sizeof run) != (ssize_t)sizeof run)
            _exit(1);
    }
}

/* The runs that the child said were finished, before it was killed after `ns`: from its start, or from its first run. */
static size_t kill_a_writer(long ns, bool from_first)
{
    int ends[2], status = 0;
    size_t finished = 0;
    int64_t run;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0)
        write_for_ever(ends[1]);
    (void)close(ends[1]);
    if (from_first)
        finished += read(ends[0], &run, sizeof run) == (ssize_t)sizeof run;
    (void)nanosleep(&(struct timespec){0, ns}, NULL);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    while (read(ends[0], &run, sizeof run) == (ssize_t)sizeof run)
        finished++;
    (void)close(ends[0]);
    return finished;
}

static void a_kill_loses_at_most_the_run_in_flight(void **state)
{
    (void)state;
    size_t said = 0;
    unsigned seed = 1;
    for (size_t i = 0; i < KILLS; i++)
        said += kill_a_writer(1000000L + rand_r(&seed) % 40000000L, i % 2 == 0);
    assert_int_equal(number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    ridge_store *store = open_store();
    ridge_measurements m = query(store, (ridge_store_filter){0});
    size_t finished = 0, unfinished = 0;
    for (size_t i = 0; i < m.run_count; i++) {
        finished += m.runs[i].finished != NULL;
        unfinished += m.runs[i].finished == NULL;
        if (m.runs[i].finished != NULL)
            assert_int_equal(m.runs[i].rows, ROWS);
        assert_true(m.runs[i].rows <= ROWS);
    }
    print_message("# %d kills: %zu runs told, %zu there, %zu cut\n", (int)KILLS, said, finished, unfinished);
    assert_true(said >= KILLS / 2);
    assert_true(finished >= said && finished <= said + KILLS); /* killed between the commit and telling */
    assert_true(unfinished <= KILLS);
    ridge_store_close(store);
}

static const struct CMUnitTest tests[] = {
    STORE_TEST(a_read_only_file_is_told),
    STORE_TEST(a_read_only_file_is_read),
    STORE_TEST(a_full_disk_is_told),
    STORE_TEST(writers_at_once_all_land),
    STORE_TEST(a_kill_loses_at_most_the_run_in_flight),
};

STORE_TESTS(tests)
