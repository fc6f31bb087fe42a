/* entries.c - fuzzes a user's catalog together with a config that uses it: what `ridge db list | show | check | add` and `ridge cost
 * --catalog` do with it. Input (files.h): two catalog files, a config.json, a file to be added. Whatever the check lets pass may be refused
 * later, but nothing crashes, hangs or answers with text that is no JSON. */
#include "model.h"

#include "entries/db.h"
#include "files.h"

enum { SIZE_LIMIT = 1 << 20, ENTRIES = 8 };
/* half of the inputs are checked, half costed; few are listed and shown, which reads the whole catalog */
enum { SHOW = 1, QUESTIONS = 32 };

static const char *const paths[] = {"catalog/a.json", /* a */ "catalog/b.json", "config.json", "add.json"};
static const char *const folders[] = {FUZZ_FOLDER "/catalog"};

/* ---- the database ---- */

static void show(ridge_registry *registry, const char *name, ridge_arena *arena)
{
    ridge_db_show_answer answer;
    ridge_err err = {0};
    const ridge_db_show_request request = {.name = name, .recursive = true};
    const ridge_status st = ridge_db_show_answer_make(&answer, registry, &request, arena, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK)
        fuzz_check_json(&ridge_db_show_record, &answer);
}

static void list(ridge_registry *registry, ridge_arena *arena)
{
    ridge_db_list_answer answer;
    ridge_err err = {0};
    const ridge_db_list_request request = {0};
    const ridge_status st = ridge_db_list_answer_make(&answer, registry, &request, arena, &err);
    fuzz_check_err(st, &err);
    for (size_t i = 0, shown = 0; st == RIDGE_OK && i < answer.count && shown < ENTRIES; i++)
        if (answer.rows[i].entry.origin == RIDGE_ORIGIN_USER) {
            show(registry, answer.rows[i].entry.key, arena);
            shown++;
        }
}

static void check(ridge_registry *registry, ridge_arena *arena, const char *path)
{
    ridge_check work;
    ridge_db_check_answer answer;
    ridge_err err = {0};
    ridge_check_init(&work, registry, arena, &err);
    work.only_user = true;
    ridge_status st = ridge_check_load(&work, path);
    if (st == RIDGE_OK)
        st = ridge_db_check(&answer, &work);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK)
        fuzz_check_json(&ridge_db_check_record, &answer);
}

static void check_all(void)
{
    ridge_arena arena;
    ridge_registry *registry;
    ridge_arena_init(&arena);
    if (ridge_registry_open(&registry, NULL, 0, false, NULL) == RIDGE_OK)
        check(registry, &arena, FUZZ_FOLDER "/catalog");
    if (registry != NULL && fuzz_file(3).p != NULL)
        check(registry, &arena, FUZZ_FOLDER "/add.json");
    ridge_registry_close(registry);
    ridge_arena_free(&arena);
}

/* ---- a model made of the entries ---- */

static void cost(ridge_registry *registry, ridge_str config)
{
    ridge_model_request model;
    ridge_model_request_default(&model);
    model.model = "config.json";
    model.config_text = config.p;
    model.config_length = config.n;
    fuzz_model(registry, &model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_registry *registry;
    ridge_arena arena;
    ridge_err err = {0};
    if (size > SIZE_LIMIT)
        return 0;
    const ridge_str input = {(const char *)data, size};
    const uint32_t chosen = fuzz_digest(input) % QUESTIONS;
    fuzz_files_set(paths, sizeof paths / sizeof *paths, input);
    if (FUZZ_REPLAYS || chosen % 2 == 0)
        check_all();
    ridge_arena_init(&arena);
    const ridge_status st = ridge_registry_open(&registry, folders, 1, false, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK) {
        if (FUZZ_REPLAYS || chosen == SHOW)
            list(registry, &arena);
        if ((FUZZ_REPLAYS || chosen % 2 == 1) && fuzz_file(2).p != NULL)
            cost(registry, fuzz_file(2));
    }
    ridge_registry_close(registry);
    ridge_arena_free(&arena);
    return 0;
}
