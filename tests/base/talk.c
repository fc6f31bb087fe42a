/* talk.c - a program that is asked: its answers, its end, its silence. */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/talk.h"

static ridge_stop stop;

/* the answer to a question, or the message of what went wrong, of a script of the shell */
typedef struct said {
    ridge_status status;
    char text[400];
} said;

static said ask(const char *script, const char *question, double seconds, size_t line)
{
    ridge_arena arena;
    ridge_err err = {0};
    ridge_talk *talk;
    ridge_str answer = {"", 0};
    said out;
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(script), NULL};
    const ridge_talk_limits limits = {.line = line, .stop = &stop};
    ridge_arena_init(&arena);
    out.status = ridge_talk_start(&talk, argv, NULL, 0, "it", &limits, &arena, &err);
    if (!out.status)
        out.status = ridge_talk_ask(&answer, talk, ridge_str_of(question), seconds, &arena, &err);
    (void)snprintf(out.text, sizeof out.text, "%.*s", out.status ? (int)strlen(message_of(&err)) : (int)answer.n,
                   out.status ? message_of(&err) : answer.p);
    ridge_talk_end(talk);
    ridge_arena_free(&arena);
    free(argv[2]);
    return out;
}

static void test_answers(void **state)
{
    (void)state;
    assert_string_equal(ask("read x; echo \"got $x\"", "hello", 20, 100).text, "got hello");
    assert_string_equal(ask("echo first; echo second", "", 20, 100).text, "first");
    assert_string_equal(ask("printf 'in '; sleep 0.1; printf 'pieces\\n'", "", 20, 100).text, "in pieces");
    /* much is said on standard error, more than a pipe holds, before the answer */
    assert_string_equal(ask("head -c 300000 /dev/zero | tr '\\0' x >&2; echo done", "", 20, 100).text, "done");
}

static void test_ends(void **state)
{
    (void)state;
    said s = ask("echo 'a reason' >&2; exit 3", "hello", 20, 100);
    assert_int_equal(s.status, RIDGE_IO);
    assert_string_equal(s.text, "it ended: a reason");
    assert_string_equal(ask("exit 0", "", 20, 100).text, "it ended: it gave no reason");
    assert_string_equal(ask("echo half >&2; printf 'no line end'", "", 20, 100).text, "it ended: half");
    s = ask("kill -SEGV $$", "", 20, 100);
    assert_int_equal(s.status, RIDGE_IO);
    assert_string_equal(s.text, "it ended by signal 11");
}

static void test_silence(void **state)
{
    (void)state;
    said s = ask("exec sleep 100", "hello", 0.3, 100);
    assert_int_equal(s.status, RIDGE_LIMIT);
    assert_string_equal(s.text, "it did not answer within 0.3 s");
    s = ask("yes no", "", 20, 1 << 20);
    assert_string_equal(s.text, "no"); /* lines that nobody asked for */
    s = ask("head -c 100000 /dev/zero | tr '\\0' x; exec sleep 100", "", 20, 1000);
    assert_int_equal(s.status, RIDGE_LIMIT);
    assert_string_equal(s.text, "it answered more than 1000 bytes");
    stop = 1;
    s = ask("exec sleep 100", "", 20, 100);
    stop = 0;
    assert_int_equal(s.status, RIDGE_IO);
    assert_string_equal(s.text, "it was interrupted");
}

static void test_no_program(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_err err = {0};
    ridge_talk *talk;
    const ridge_talk_limits limits = {.line = 100};
    char *missing[] = {(char[]){"no-such-program-of-ridge"}, NULL}, *path[] = {(char[]){"/no/such/program"}, NULL};
    ridge_arena_init(&arena);
    assert_int_equal(ridge_talk_start(&talk, missing, NULL, 0, "it", &limits, &arena, &err), RIDGE_UNKNOWN);
    assert_string_equal(message_of(&err), "no-such-program-of-ridge is not on PATH");
    assert_null(talk);
    ridge_err_clear(&err);
    assert_int_equal(ridge_talk_start(&talk, path, NULL, 0, "it", &limits, &arena, &err), RIDGE_UNKNOWN);
    assert_string_equal(message_of(&err), "/no/such/program is no program that can be run");
    ridge_arena_free(&arena);
}

/* what it was given is its descriptor 3 */
static void test_descriptors(void **state)
{
    (void)state;
    ridge_arena arena;
    ridge_err err = {0};
    ridge_talk *talk;
    ridge_str answer;
    const ridge_talk_limits limits = {.line = 100};
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"cat <&3"}, NULL};
    const int fd = memfd_create("numbers", MFD_CLOEXEC);
    ridge_arena_init(&arena);
    assert_true(fd >= 0 && pwrite(fd, "from the file\n", 14, 0) == 14);
    assert_int_equal(ridge_talk_start(&talk, argv, &fd, 1, "it", &limits, &arena, &err), RIDGE_OK);
    assert_int_equal(ridge_talk_ask(&answer, talk, (ridge_str){"", 0}, 20, &arena, &err), RIDGE_OK);
    assert_str(answer, "from the file");
    ridge_talk_end(talk);
    (void)close(fd);
    ridge_arena_free(&arena);
}

/* what it started ends with it */
static void test_family(void **state)
{
    (void)state;
    const said s = ask("sleep 100 & echo $!; wait", "", 20, 100);
    assert_int_equal(s.status, RIDGE_OK);
    const pid_t child = (pid_t)strtol(s.text, NULL, 10);
    assert_true(child > 1);
    bool gone = false;
    for (int i = 0; i < 200 && !gone; i++) { /* it is killed; whoever inherits it sees it off */
        char path[64], state_of[64] = "";
        (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
        FILE *in = fopen(path, "re");
        gone = !in || (fscanf(in, "%*d (%*[^)]) %1s", state_of) == 1 && state_of[0] == 'Z');
        if (in)
            (void)fclose(in);
        (void)usleep(10000);
    }
    assert_true(gone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),    cmocka_unit_test(test_ends),        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_no_program), cmocka_unit_test(test_descriptors), cmocka_unit_test(test_family),
    };
    return RUN_TESTS(tests);
}
