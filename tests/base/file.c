#include "nobody.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

/* each test works in a fresh folder */
typedef struct fixture {
    ridge_arena arena;
    ridge_err err;
    char folder[64];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return 1;
    *state = f;
    ridge_arena_init(&f->arena);
    memcpy(f->folder, "/tmp/ridge-test-XXXXXX", sizeof "/tmp/ridge-test-XXXXXX");
    return mkdtemp(f->folder) == NULL;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[100];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    int status = system(command);
    ridge_arena_free(&f->arena);
    free(f);
    return status != 0;
}

static char *path_of(fixture *f, const char *name)
{
    return ridge_arena_printf(&f->arena, "%s/%s", f->folder, name);
}

static void write_file(fixture *f, const char *path, const char *text)
{
    assert_int_equal(ridge_file_write_atomic(path, ridge_str_of(text), &f->err), RIDGE_OK);
}

static void read_is(fixture *f, const char *path, const char *expected)
{
    ridge_str text;
    assert_int_equal(ridge_file_read(&text, path, 1 << 20, &f->arena, &f->err), RIDGE_OK);
    assert_int_equal(text.n, strlen(expected));
    assert_memory_equal(text.p, expected, text.n);
    assert_int_equal(text.p[text.n], 0);
}

static void read_fails(fixture *f, const char *path, size_t limit, ridge_status status, const char *message)
{
    ridge_str text;
    assert_int_equal(ridge_file_read(&text, path, limit, &f->arena, &f->err), status);
    assert_string_equal(message_of(&f->err), message);
    ridge_err_clear(&f->err);
}

static void test_write_then_read(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a");
    write_file(f, path, "first");
    read_is(f, path, "first");
    write_file(f, path, "");
    read_is(f, path, "");
    write_file(f, path, "second, longer");
    read_is(f, path, "second, longer");
}

static void test_read_refuses(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a");
    write_file(f, path, "12345");
    read_fails(f, path, 4, RIDGE_LIMIT, ridge_arena_printf(&f->arena, "cannot read %s: larger than 4 bytes", path));
    read_fails(f, path_of(f, "b"), 9, RIDGE_IO, ridge_arena_printf(&f->arena, "cannot read %s/b: No such file or directory", f->folder));
    read_fails(f, f->folder, 9, RIDGE_IO, ridge_arena_printf(&f->arena, "cannot read %s: Is a directory", f->folder));
    read_fails(f, "/dev/zero", 100000, RIDGE_LIMIT, "cannot read /dev/zero: larger than 100000 bytes");
    if (geteuid() != 0) { /* root may read everything */
        assert_int_equal(chmod(path, 0), 0);
        read_fails(f, path, 9, RIDGE_IO, ridge_arena_printf(&f->arena, "cannot read %s: Permission denied", path));
    }
}

static void test_read_at_the_limit(void **state)
{
    fixture *f = *state;
    ridge_str text;
    write_file(f, path_of(f, "a"), "12345");
    assert_int_equal(ridge_file_read(&text, path_of(f, "a"), 5, &f->arena, &f->err), RIDGE_OK);
    assert_str(text, "12345");
}

static void test_read_a_device_and_proc(void **state)
{
    fixture *f = *state;
    ridge_str text;
    read_is(f, "/dev/null", "");
    if (!ridge_file_exists("/proc/self/status")) /* a container without it */
        return;
    assert_int_equal(ridge_file_read(&text, "/proc/self/status", 1 << 20, &f->arena, &f->err), RIDGE_OK); /* claims to be empty */
    assert_true(ridge_str_starts(text, RIDGE_STR("Name:")));
}

static void test_read_a_pipe(void **state)
{
    fixture *f = *state;
    int status;
    char *path = path_of(f, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(ridge_file_write_atomic(path, RIDGE_STR("through"), NULL) != RIDGE_OK);
    read_is(f, path, "through");
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static void test_modes(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a");
    mode_t old = umask(027);
    write_file(f, path, "x");
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(chmod(path, 0604), 0);
    write_file(f, path, "y");
    assert_int_equal(mode_of(path), 0604);
    (void)umask(old);
}

static void test_write_leaves_nothing_behind(void **state)
{
    fixture *f = *state;
    char **paths;
    size_t count;
    write_file(f, path_of(f, "a"), "x");
    write_file(f, path_of(f, "a"), "y");
    assert_int_equal(mkdir(path_of(f, "folder"), 0777), 0);
    assert_int_equal(ridge_file_write_atomic(path_of(f, "folder"), RIDGE_STR("z"), &f->err), RIDGE_IO);
    assert_string_equal(message_of(&f->err), ridge_arena_printf(&f->arena, "cannot write %s/folder: Is a directory", f->folder));
    ridge_err_clear(&f->err);
    assert_int_equal(ridge_file_write_atomic(path_of(f, "none/b"), RIDGE_STR("z"), &f->err), RIDGE_IO);
    ridge_err_clear(&f->err);
    assert_int_equal(ridge_file_list(&paths, &count, f->folder, "", &f->arena, &f->err), RIDGE_OK);
    assert_int_equal(count, 1);
    assert_string_equal(paths[0], path_of(f, "a"));
}

static void make_all(fixture *f, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_file(f, path_of(f, names[i]), "");
}

/* the next writer of the same name removes them; a lock tells that a writer lives */
static void test_leftovers_of_killed_writers(void **state)
{
    fixture *f = *state;
    static const char *const stale[] = {".a.json.123-0.tmp", ".a.json.9-15.tmp"};
    static const char *const others[] = {".b.json.123-0.tmp", ".a.jsonx.1-0.tmp", ".a.json",           ".a.json.tm",
                                         "a.json.1-0.tmp",    ".a.json.1-0.new",  ".a.json.1-0-2.tmp", ".a.json.-0.tmp"};
    const size_t stale_count = sizeof stale / sizeof *stale, other_count = sizeof others / sizeof *others;
    int lock;
    make_all(f, stale, stale_count);
    make_all(f, others, other_count);
    write_file(f, path_of(f, ".a.json.77-0.tmp"), "");
    assert_int_equal(ridge_file_lock(&lock, path_of(f, ".a.json.77-0.tmp"), 1, &f->err), RIDGE_OK);
    write_file(f, path_of(f, "a.json"), "x");
    for (size_t i = 0; i < stale_count; i++)
        assert_false(ridge_file_exists(path_of(f, stale[i])));
    for (size_t i = 0; i < other_count; i++)
        assert_true(ridge_file_exists(path_of(f, others[i])));
    assert_true(ridge_file_exists(path_of(f, ".a.json.77-0.tmp")));
    ridge_file_unlock(lock);
    /* in a folder of Ridge's own those of any name, and those of a journal that never was */
    ridge_file_remove_leftovers(f->folder);
    ridge_file_remove_leftovers(path_of(f, "missing"));
    assert_false(ridge_file_exists(path_of(f, ".a.json.77-0.tmp")));
    assert_false(ridge_file_exists(path_of(f, ".b.json.123-0.tmp")));
    assert_false(ridge_file_exists(path_of(f, ".a.json.1-0.new")));
    assert_true(ridge_file_exists(path_of(f, ".a.json")) && ridge_file_exists(path_of(f, "a.json.1-0.tmp")));
}

static void test_write_new(void **state)
{
    fixture *f = *state;
    bool there = true;
    assert_int_equal(ridge_file_write_new(&there, path_of(f, "a"), RIDGE_STR("x"), &f->err), RIDGE_OK);
    assert_false(there);
    assert_int_equal(ridge_file_write_new(&there, path_of(f, "a"), RIDGE_STR("y"), &f->err), RIDGE_OK);
    assert_true(there);
    read_is(f, path_of(f, "a"), "x");
    char **paths;
    size_t count;
    assert_int_equal(ridge_file_list(&paths, &count, f->folder, "", &f->arena, &f->err), RIDGE_OK);
    assert_int_equal(count, 1);
}

/* eight at once, of which one makes the file */
static void test_one_of_many_makes_a_file(void **state)
{
    fixture *f = *state;
    const char *path = path_of(f, "a");
    enum { MANY = 8 };
    pid_t children[MANY];
    int made = 0, status;
    for (int i = 0; i < MANY; i++)
        if ((children[i] = fork()) == 0) {
            bool there = false;
            _exit(ridge_file_write_new(&there, path, RIDGE_STR("x"), NULL) != RIDGE_OK ? 2 : there);
        }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
        made += WEXITSTATUS(status) == 0;
    }
    assert_int_equal(made, 1);
}

static void test_write_together(void **state)
{
    fixture *f = *state;
    write_file(f, path_of(f, "a"), "old a");
    const ridge_file_text files[] = {{path_of(f, "a"), RIDGE_STR("new a")}, {path_of(f, "b"), RIDGE_STR("new b")}};
    assert_int_equal(ridge_file_write_together(files, 2, path_of(f, ".journal"), &f->err), RIDGE_OK);
    read_is(f, path_of(f, "a"), "new a");
    read_is(f, path_of(f, "b"), "new b");
    char **paths;
    size_t count;
    assert_int_equal(ridge_file_list(&paths, &count, f->folder, "", &f->arena, &f->err), RIDGE_OK);
    assert_int_equal(count, 2);
    /* one of them cannot be written: nothing has changed, and nothing is left */
    const ridge_file_text bad[] = {{path_of(f, "a"), RIDGE_STR("newer")}, {path_of(f, "none/b"), RIDGE_STR("newer")}};
    assert_int_equal(ridge_file_write_together(bad, 2, path_of(f, ".journal"), &f->err), RIDGE_IO);
    ridge_err_clear(&f->err);
    read_is(f, path_of(f, "a"), "new a");
    assert_int_equal(ridge_file_list(&paths, &count, f->folder, "", &f->arena, &f->err), RIDGE_OK);
    assert_int_equal(count, 2);
}

/* killed after the first rename: the journal says what is left to do */
static void test_complete_what_was_begun(void **state)
{
    fixture *f = *state;
    ridge_buf list = {0};
    write_file(f, path_of(f, "a"), "new a");
    write_file(f, path_of(f, "b"), "old b");
    write_file(f, path_of(f, ".b.1-0.new"), "new b");
    const char *const names[] = {".a.1-0.new", "a", ".b.1-0.new", "b"};
    for (size_t i = 0; i < 4; i++)
        ridge_buf_add(&list, (ridge_str){path_of(f, names[i]), strlen(path_of(f, names[i])) + 1});
    const char *journal = path_of(f, ".journal");
    assert_int_equal(ridge_file_write_atomic(journal, (ridge_str){list.p, list.n}, &f->err), RIDGE_OK);
    assert_int_equal(ridge_file_complete(journal, &f->err), RIDGE_OK);
    read_is(f, path_of(f, "b"), "new b");
    assert_false(ridge_file_exists(journal));
    assert_int_equal(ridge_file_complete(journal, &f->err), RIDGE_OK);
    ridge_buf_free(&list);
    write_file(f, journal, "no list");
    assert_int_equal(ridge_file_complete(journal, &f->err), RIDGE_SYNTAX);
}

/* the reason is mkdir's, not that of a look afterwards */
static void test_a_folder_that_cannot_be_made(void **state)
{
    fixture *f = *state;
    write_file(f, path_of(f, "a"), "x");
    assert_int_equal(ridge_file_make_folders(path_of(f, "a/b"), &f->err), RIDGE_IO);
    assert_non_null(strstr(message_of(&f->err), "File exists"));
    ridge_err_clear(&f->err);
    assert_int_equal(ridge_file_make_folders("/proc/ridge/b", &f->err), RIDGE_IO);
    assert_non_null(strstr(message_of(&f->err), "/proc/ridge: No such file or directory")); /* what mkdir says there */
    ridge_err_clear(&f->err);
    int status;
    assert_int_equal(chmod(f->folder, 0555), 0);
    pid_t child = fork();
    if (child == 0) {
        ridge_err err = {0};
        bool nobody = become_nobody();
        (void)ridge_file_make_folders(path_of(f, "c/d"), &err);
        _exit(nobody && strstr(err.msg, "Permission denied") ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(f->folder, 0755), 0);
}

static void test_write_through_a_link(void **state)
{
    fixture *f = *state;
    write_file(f, path_of(f, "a"), "x");
    assert_int_equal(symlink("a", path_of(f, "link")), 0);
    write_file(f, path_of(f, "link"), "y");
    read_is(f, path_of(f, "a"), "y");
    struct stat st;
    assert_int_equal(lstat(path_of(f, "link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

static void test_write_to_a_device(void **state)
{
    fixture *f = *state;
    write_file(f, "/dev/null", "x");
    assert_true(ridge_file_exists("/dev/null"));
}

static void test_make_folders(void **state)
{
    fixture *f = *state;
    assert_int_equal(ridge_file_make_folders(path_of(f, "a/b//c/"), &f->err), RIDGE_OK);
    assert_true(ridge_file_is_folder(path_of(f, "a/b/c")));
    assert_int_equal(ridge_file_make_folders(path_of(f, "a/b/c"), &f->err), RIDGE_OK);
    write_file(f, path_of(f, "file"), "x");
    assert_int_equal(ridge_file_make_folders(path_of(f, "file/d"), &f->err), RIDGE_IO);
    assert_string_equal(message_of(&f->err), ridge_arena_printf(&f->arena, "cannot make folder %s/file: File exists", f->folder));
    assert_false(ridge_file_is_folder(path_of(f, "file")));
    assert_true(ridge_file_exists(path_of(f, "file")));
}

static void test_list(void **state)
{
    fixture *f = *state;
    char **paths;
    size_t count;
    static const char *const names[] = {"z.json", "a.json", "a.txt", "sub/b.json", "sub/deep/c.json", "sub.json"};
    assert_int_equal(ridge_file_make_folders(path_of(f, "sub/deep"), &f->err), RIDGE_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        write_file(f, path_of(f, names[i]), "x");
    assert_int_equal(symlink("..", path_of(f, "sub/loop")), 0);
    assert_int_equal(mkdir(path_of(f, "folder.json"), 0777), 0);
    assert_int_equal(ridge_file_list(&paths, &count, f->folder, ".json", &f->arena, &f->err), RIDGE_OK);
    static const char *const sorted[] = {"a.json", "sub.json", "sub/b.json", "sub/deep/c.json", "z.json"}; /* '.' sorts before '/' */
    assert_int_equal(count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(paths[i], path_of(f, sorted[i]));
    assert_int_equal(ridge_file_list(&paths, &count, path_of(f, "none"), ".json", &f->arena, &f->err), RIDGE_OK);
    assert_int_equal(count, 0);
}

static void test_list_depth(void **state)
{
    fixture *f = *state;
    char **paths;
    size_t count;
    assert_int_equal(ridge_file_make_folders(path_of(f, "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16"), &f->err), RIDGE_OK);
    assert_int_equal(ridge_file_list(&paths, &count, f->folder, "", &f->arena, &f->err), RIDGE_OK);
    assert_int_equal(ridge_file_make_folders(path_of(f, "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17"), &f->err), RIDGE_OK);
    assert_int_equal(ridge_file_list(&paths, &count, f->folder, "", &f->arena, &f->err), RIDGE_LIMIT);
}

static void test_lock(void **state)
{
    fixture *f = *state;
    int first = -1, second = -1;
    char *path = path_of(f, "lock");
    assert_int_equal(ridge_file_lock(&first, path, 0, &f->err), RIDGE_OK);
    assert_int_equal(ridge_file_lock(&second, path, 0, &f->err), RIDGE_IO);
    assert_string_equal(message_of(&f->err), ridge_arena_printf(&f->arena, "cannot lock %s: held by another process for 0 s", path));
    ridge_err_clear(&f->err);
    ridge_file_unlock(first);
    assert_int_equal(ridge_file_lock(&second, path, 0, &f->err), RIDGE_OK);
    ridge_file_unlock(second);
    assert_true(ridge_file_exists(path));
}

/* a process that dies gives its lock back */
static void test_lock_outlives_no_process(void **state)
{
    fixture *f = *state;
    int fd = -1, status;
    char *path = path_of(f, "lock");
    pid_t child = fork();
    if (child == 0)
        _exit(ridge_file_lock(&fd, path, 0, NULL) != RIDGE_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(ridge_file_lock(&fd, path, 1, &f->err), RIDGE_OK);
    ridge_file_unlock(fd);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_write_then_read),
        TEST(test_read_refuses),
        TEST(test_read_at_the_limit),
        TEST(test_read_a_device_and_proc),
        TEST(test_read_a_pipe),
        TEST(test_modes),
        TEST(test_write_leaves_nothing_behind),
        TEST(test_leftovers_of_killed_writers),
        TEST(test_write_new),
        TEST(test_one_of_many_makes_a_file),
        TEST(test_write_together),
        TEST(test_complete_what_was_begun),
        TEST(test_a_folder_that_cannot_be_made),
        TEST(test_write_through_a_link),
        TEST(test_write_to_a_device),
        TEST(test_make_folders),
        TEST(test_list),
        TEST(test_list_depth),
        TEST(test_lock),
        TEST(test_lock_outlives_no_process),
    };
    return RUN_TESTS(tests);
}
