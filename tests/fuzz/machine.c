/* machine.c - fuzzes the reader of machines' files. What is accepted has no number that a machine cannot have, is checked, and prints as
 * JSON that reads as the same machine again. */
#include "fuzz.h"

#include "machine/check.h"
#include "machine/read.h"
#include "machine/records.h"

enum { SIZE_LIMIT = 65536 };

/* bytes to a machine, as a file named m.json over one that knows nothing */
static ridge_status read_machine(ridge_machine **out, ridge_str text, ridge_arena *arena, ridge_err *err)
{
    ridge_machine_draft draft;
    ridge_reader reader = {&draft, text, "m.json", arena, err};
    ridge_json *json;
    ridge_machine_draft_init(&draft);
    ridge_status status = ridge_machine_parse(&json, &reader);
    if (status == RIDGE_OK)
        status = ridge_machine_read(&reader, json, "m");
    return status == RIDGE_OK ? ridge_machine_finish(out, &draft, NULL, arena, err) : status;
}

static void print(ridge_buf *out, const ridge_machine *machine)
{
    ridge_json_writer w;
    ridge_jw_init(&w, out);
    ridge_record_object(&w, &ridge_machine_record, machine, false);
    FUZZ_CHECK(!out->failed);
}

static void check_numbers(const ridge_machine *machine)
{
    FUZZ_CHECK(machine->level_count >= 1 && strcmp(machine->levels[0].name, "dram") == 0);
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        ridge_field_value v = ridge_field_get(machine, f);
        FUZZ_CHECK(!v.known || v.whole > 0 || (ridge_machine_fields[f].unit == RIDGE_UNIT_SECONDS && v.seconds >= 0 && v.seconds < 1));
        FUZZ_CHECK(v.known || (ridge_field_source(machine, f) == NULL && !ridge_field_unverified(machine, f)));
    }
}

static void check_round_trip(const ridge_machine *machine, ridge_arena *arena)
{
    ridge_buf first = {0}, second = {0};
    ridge_machine *again;
    ridge_err err = {0};
    print(&first, machine);
    FUZZ_CHECK(read_machine(&again, (ridge_str){first.p, first.n}, arena, &err) == RIDGE_OK);
    print(&second, again);
    FUZZ_CHECK(first.n == second.n && memcmp(first.p, second.p, first.n) == 0);
    ridge_buf_free(&first);
    ridge_buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_arena arena;
    ridge_machine *machine;
    ridge_words findings, gaps;
    ridge_err err = {0};
    if (size > SIZE_LIMIT)
        return 0;
    ridge_arena_init(&arena);
    ridge_status status = read_machine(&machine, (ridge_str){(const char *)data, size}, &arena, &err);
    fuzz_check_err(status, &err);
    FUZZ_CHECK(status == RIDGE_OK || status == RIDGE_NOMEM || err.line >= 1);
    if (status == RIDGE_OK) {
        check_numbers(machine);
        check_round_trip(machine, &arena);
        FUZZ_CHECK(ridge_machine_check(&findings, &gaps, machine, &arena, &err) == RIDGE_OK);
    }
    ridge_arena_free(&arena);
    return 0;
}
