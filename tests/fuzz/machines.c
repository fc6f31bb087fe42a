/* machines.c - fuzzes folders of machines' files that inherit from each other and from those built in.
 * Input (files.h): files of two folders; a later one of the same name overrides.
 * What is found is checked and printed; a chain that never ends is an error, and one bad file leaves the others usable. */
#include "fuzz.h"

#include "files.h"
#include "machine/check.h"
#include "machine/records.h"

enum { SIZE_LIMIT = 1 << 20 };

static const char *const paths[] = {
    "one/a.json",                                                    /* a */
    "one/b.json",         "one/c.json", "one/l4.json", "two/a.json", /* e */
    "two/h100-pcie.json", "two/d.json",
};
static const char *const folders[] = {FUZZ_FOLDER "/one", FUZZ_FOLDER "/two"};
static const char *const ids[] = {"a", "b", "c", "d", "l4", "h100-pcie", "A", ""};

static void look(const ridge_machine *machine, ridge_arena *arena)
{
    ridge_words findings, gaps;
    ridge_err err = {0};
    fuzz_check_json(&ridge_machine_record, machine);
    FUZZ_CHECK(ridge_machine_check(&findings, &gaps, machine, arena, &err) == RIDGE_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_machines *machines;
    ridge_arena arena;
    ridge_err err = {0};
    if (size > SIZE_LIMIT)
        return 0;
    fuzz_files_set(paths, sizeof paths / sizeof *paths, (ridge_str){(const char *)data, size});
    ridge_arena_init(&arena);
    const ridge_status st = ridge_machines_open(&machines, folders, 2, &err);
    fuzz_check_err(st, &err);
    for (size_t i = 0; st == RIDGE_OK && i < sizeof ids / sizeof *ids; i++) {
        const ridge_machine *machine;
        ridge_err one = {0};
        const ridge_status found = ridge_machines_find(&machine, machines, ids[i], &one);
        fuzz_check_err(found, &one);
        if (found == RIDGE_OK)
            look(machine, &arena);
    }
    ridge_machines_close(machines);
    ridge_arena_free(&arena);
    return 0;
}
