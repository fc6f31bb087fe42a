/* Finding a model: folder, file, shipped id, Hugging Face cache (its layout: huggingface_hub's documentation of the cache system). */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "input/model.h"

typedef struct place {
    char folder[64];
    ridge_arena arena;
    ridge_err err;
} place;

static const char config_a[] = "{\"model_type\": \"gpt2\", \"n_layer\": 1}", config_b[] = "{\"model_type\": \"gpt2\", \"n_layer\": 2}";

static void clear_environment(void)
{
    static const char *const names[] = {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HOME"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    if (!p)
        return 1;
    snprintf(p->folder, sizeof p->folder, "/tmp/ridge-model-XXXXXX");
    ridge_arena_init(&p->arena);
    clear_environment();
    *state = p;
    return mkdtemp(p->folder) == NULL;
}

static int close_place(void **state)
{
    place *p = *state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", p->folder);
    ridge_arena_free(&p->arena);
    int failed = system(command);
    free(p);
    return failed;
}

static char *below(place *p, const char *path)
{
    return ridge_arena_printf(&p->arena, "%s/%s", p->folder, path);
}

static void write_file(place *p, const char *path, const char *text)
{
    char *full = below(p, path), *slash = strrchr(full, '/');
    *slash = '\0';
    assert_int_equal(ridge_file_make_folders(full, NULL), RIDGE_OK);
    *slash = '/';
    assert_int_equal(ridge_file_write_atomic(full, ridge_str_of(text), NULL), RIDGE_OK);
}

static ridge_status read_model(place *p, ridge_model_file *file, const char *spec)
{
    ridge_err_clear(&p->err);
    return ridge_model_read(file, spec, &p->arena, &p->err);
}

static void assert_layers(place *p, const char *spec, const char *layers)
{
    ridge_model_file file;
    assert_int_equal(read_model(p, &file, spec), RIDGE_OK);
    assert_true(ridge_str_is(ridge_json_get(file.json, "n_layer")->u.text, layers));
}

static void test_folder_and_file(void **state)
{
    place *p = *state;
    write_file(p, "m/config.json", config_a);
    assert_layers(p, below(p, "m"), "1");
    assert_layers(p, below(p, "m/"), "1");
    assert_layers(p, below(p, "m/config.json"), "1");
}

static void test_cache_by_refs(void **state)
{
    place *p = *state;
    write_file(p, "hub/models--acme--tiny/refs/main", "abc\n");
    write_file(p, "hub/models--acme--tiny/snapshots/abc/config.json", config_a);
    write_file(p, "hub/models--acme--tiny/snapshots/def/config.json", config_b); /* newer, but not main */
    setenv("HF_HUB_CACHE", below(p, "hub"), 1);
    assert_layers(p, "acme/tiny", "1");
    write_file(p, "hub/models--acme--tiny/refs/main", "def");
    assert_layers(p, "acme/tiny", "2");
}

static void test_cache_without_refs_takes_the_newest(void **state)
{
    place *p = *state;
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    write_file(p, "hub/models--acme--tiny/snapshots/abc/config.json", config_a);
    write_file(p, "hub/models--acme--tiny/snapshots/def/config.json", config_b);
    assert_int_equal(utimensat(AT_FDCWD, below(p, "hub/models--acme--tiny/snapshots/def/config.json"), old, 0), 0);
    setenv("HF_HUB_CACHE", below(p, "hub"), 1);
    assert_layers(p, "acme/tiny", "1");
}

static void test_where_the_cache_is(void **state)
{
    place *p = *state;
    write_file(p, "home/.cache/huggingface/hub/models--acme--tiny/snapshots/a/config.json", config_a);
    write_file(p, "hf/hub/models--acme--tiny/snapshots/a/config.json", config_b);
    setenv("HOME", below(p, "home"), 1);
    assert_layers(p, "acme/tiny", "1");
    setenv("HF_HOME", below(p, "hf"), 1); /* before HOME */
    assert_layers(p, "acme/tiny", "2");
    setenv("HF_HUB_CACHE", below(p, "home/.cache/huggingface/hub"), 1); /* before HF_HOME */
    assert_layers(p, "acme/tiny", "1");
}

static void test_shipped_before_the_cache(void **state)
{
    place *p = *state;
    ridge_model_file file;
    write_file(p, "hub/models--openai-community--gpt2/snapshots/a/config.json", config_a);
    setenv("HF_HUB_CACHE", below(p, "hub"), 1);
    assert_int_equal(read_model(p, &file, "openai-community/gpt2"), RIDGE_OK);
    assert_string_equal(file.path, "examples/openai-community--gpt2/config.json");
    assert_int_equal(read_model(p, &file, "gpt2"), RIDGE_OK); /* the name alone, where it is unambiguous */
    assert_string_equal(file.path, "examples/openai-community--gpt2/config.json");
}

static void test_nothing_there(void **state)
{
    place *p = *state;
    ridge_model_file file;
    setenv("HF_HUB_CACHE", below(p, "hub"), 1);
    assert_int_equal(read_model(p, &file, "acme/tiny"), RIDGE_IO);
    assert_non_null(strstr(p->err.msg, p->folder)); /* says which cache it looked into */
    write_file(p, "empty/readme.txt", "");
    assert_int_equal(read_model(p, &file, below(p, "empty")), RIDGE_IO);
    assert_non_null(strstr(p->err.msg, "config.json"));
}

static void test_an_id_cannot_leave_the_cache(void **state)
{
    place *p = *state;
    ridge_model_file file;
    write_file(p, "hub/models--..--x/snapshots/a/config.json", config_a);
    write_file(p, "hub/models--acme--tiny/refs/main", "../../evil");
    write_file(p, "hub/evil/config.json", config_a);
    setenv("HF_HUB_CACHE", below(p, "hub"), 1);
    assert_int_equal(read_model(p, &file, "../x"), RIDGE_IO);
    assert_int_equal(read_model(p, &file, "acme/tiny"), RIDGE_IO);
}

int main(void)
{
#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, open_place, close_place)
    const struct CMUnitTest tests[] = {
        IN_PLACE(test_folder_and_file),
        IN_PLACE(test_cache_by_refs),
        IN_PLACE(test_cache_without_refs_takes_the_newest),
        IN_PLACE(test_where_the_cache_is),
        IN_PLACE(test_shipped_before_the_cache),
        IN_PLACE(test_nothing_there),
        IN_PLACE(test_an_id_cannot_leave_the_cache),
    };
    return RUN_TESTS(tests);
}
