/* What a binding needs of a session: errors in parts, a config in memory, pictures, progress and cancelling, what the user keeps.
 * Expected: GPT-2's class defaults (124,439,808 parameters, as PyTorch counts), arithmetic by hand. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ridge.h"

static char folder[] = "/tmp/ridge-session-XXXXXX";
static ridge_session *session;

static int open_session(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || setenv("XDG_DATA_HOME", folder, 1))
        return 1;
    session = ridge_session_open(NULL, 0);
    return session == NULL;
}

static int close_session(void **state)
{
    (void)state;
    char command[128];
    ridge_session_close(session);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void test_errors_in_parts(void **state)
{
    (void)state;
    static const char broken[] = "{\"model_type\": \"gpt2\",\n \"n_head\": }";
    const char *json[] = {"json=true"}, *typo[] = {"btch=8"}, *model[] = {"openai-community/gpt2"};
    ridge_error_place place;
    char *out = NULL;
    assert_int_equal(ridge_run_config(session, &out, "cost", "mine.json", broken, sizeof broken - 1, json, 1), 1);
    assert_null(out);
    ridge_session_error_place(&place, session);
    assert_string_equal(place.code, "SYNTAX");
    assert_string_equal(place.file, "mine.json");
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 12);
    assert_non_null(strstr(place.excerpt, "\"n_head\": }\n"));
    assert_int_equal(ridge_run(session, &out, "cost", model, 1, typo, 1), 2);
    ridge_session_error_place(&place, session);
    assert_string_equal(place.message, "unknown option 'btch'; did you mean 'batch'?");
    assert_string_equal(place.file, "");
    assert_int_equal(place.line, 0);
}

static void test_a_config_in_memory(void **state)
{
    (void)state;
    static const char config[] = "{\"model_type\": \"gpt2\", \"architectures\": [\"GPT2LMHeadModel\"]}";
    const char *json[] = {"json=true"};
    char *out = NULL;
    assert_int_equal(ridge_run_config(session, &out, "cost", "mine", config, sizeof config - 1, json, 1), 0);
    assert_non_null(strstr(out, "\"total\": 124439808"));
    ridge_free(out);
    assert_int_equal(ridge_run_config(session, &out, "formats", "mine", config, sizeof config - 1, json, 1), 2);
}

static void test_pictures(void **state)
{
    (void)state;
    const char *model[] = {"openai-community/gpt2"}, *options[] = {"on=h100-sxm-80"}, *gemv[] = {"n=64", "k=64"};
    char *out = NULL;
    assert_int_equal(ridge_run(session, &out, "predict", model, 1, options, 1), 0);
    assert_string_equal(ridge_session_picture(session), "");
    ridge_free(out);
    ridge_session_draw(session, 1);
    assert_int_equal(ridge_run(session, &out, "predict", model, 1, options, 1), 0);
    assert_memory_equal(ridge_session_picture(session), "<svg", 4);
    ridge_free(out);
    /* an operator without a machine has no roofline: the answer is there, the picture is not */
    assert_int_equal(ridge_run(session, &out, "op gemv", NULL, 0, gemv, 2), 0);
    assert_string_equal(ridge_session_picture(session), "");
    ridge_free(out);
    ridge_session_draw(session, 0);
}

static void cancel_at_once(void *data, const char *line)
{
    unsigned *lines = data;
    *lines += line != NULL;
    ridge_session_cancel(session);
}

static void test_cancelling(void **state)
{
    (void)state;
    const char *kind[] = {"gemv"},
               *options[] = {"n=256", "k=256", "budget=30s", "ceilings-budget=10ms", "rounds=5", "no-store=true", "json=true"};
    unsigned lines = 0;
    char *out = NULL;
    ridge_session_listen(session, cancel_at_once, &lines);
    assert_int_equal(ridge_run(session, &out, "bench", kind, 1, options, sizeof options / sizeof *options), 0);
    ridge_session_listen(session, NULL, NULL);
    assert_non_null(strstr(out, "\"interrupted\": true"));
    assert_true(lines > 0);
    ridge_free(out);
    ridge_session_cancel(session); /* nothing runs: nothing happens */
}

static void write_entry(const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/ridge", folder);
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof path, "%s/ridge/catalog", folder);
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof path, "%s/ridge/catalog/user.json", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_flops(const char *path, uint64_t expected)
{
    const char *arguments[] = {"5"};
    ridge_count n = {0};
    assert_int_equal(ridge_compute_flops(session, &n, path, arguments, 1), 0);
    assert_int_equal(n.lo, expected);
}

/* an open session sees what another program adds and changes; a catalog that a call names is used, by that call alone */
static void test_what_the_user_keeps(void **state)
{
    (void)state;
    const char *arguments[] = {"my.A", "5"}, *catalog[] = {"json=true", "builtin-only=true"};
    ridge_count n;
    char *out = NULL;
    assert_int_equal(ridge_compute_flops(session, &n, "my.A", arguments + 1, 1), 1);
    write_entry("{\"my.A\": {\"parameters\": [\"n\"], \"flops\": {\"other\": \"3 * n\"}}}");
    assert_flops("my.A", 15);
    write_entry("{\"my.A\": {\"parameters\": [\"n\"], \"flops\": {\"other\": \"7 * n + 1\"}}}");
    assert_flops("my.A", 36);
    assert_int_equal(ridge_run(session, &out, "formula", arguments, 2, catalog, 1), 0);
    ridge_free(out);
    assert_int_equal(ridge_run(session, &out, "formula", arguments, 2, catalog, 2), 1);
    assert_flops("my.A", 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_in_parts), cmocka_unit_test(test_a_config_in_memory),  cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_cancelling),      cmocka_unit_test(test_what_the_user_keeps),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}
