/* history.c - fuzzes the readers of exported measurements and of points, CSV and JSON: what was read is written in both forms, read again
 * and compared. */
#include "fuzz.h"

#include "bench/points.h"
#include "measure/store_fields.h"
#include "measure/store_text.h"

static void write_form(ridge_buf *out, const ridge_measurements *m, bool json)
{
    if (json)
        ridge_record_answer(out, &ridge_measurements_record, m);
    else
        ridge_measurements_csv(out, m);
}

/* every count and every text of a run and a row, by way of CSV: equal text is equal values */
static void check_same(const ridge_measurements *a, const ridge_measurements *b)
{
    ridge_buf first = {0}, second = {0};
    write_form(&first, a, false);
    write_form(&second, b, false);
    FUZZ_CHECK(a->run_count == b->run_count && a->row_count == b->row_count);
    FUZZ_CHECK(first.n == second.n && memcmp(first.p, second.p, first.n) == 0);
    ridge_buf_free(&first);
    ridge_buf_free(&second);
}

/* rows lie where their runs say, and are all that a run says it has */
static void check_places(const ridge_measurements *m)
{
    size_t rows = 0;
    for (size_t i = 0; i < m->run_count; i++) {
        FUZZ_CHECK(m->runs[i].rows == m->runs[i].row_count);
        FUZZ_CHECK(m->runs[i].rows == 0 || m->runs[i].first == rows);
        rows += m->runs[i].rows;
    }
    FUZZ_CHECK(rows == m->row_count);
}

static void round_trip(const ridge_measurements *m, ridge_arena *arena)
{
    for (int json = 0; json < 2; json++) {
        ridge_measurements again;
        ridge_err err = {0};
        ridge_buf text = {0};
        write_form(&text, m, json != 0);
        FUZZ_CHECK(!text.failed);
        ridge_status st = ridge_measurements_read(&again, (ridge_str){text.p, text.n}, "again", arena, &err);
        FUZZ_CHECK(st == RIDGE_OK);
        check_same(m, &again);
        ridge_buf_free(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ridge_ops ops;
    ridge_str text = {(const char *)data, size};
    ridge_arena arena;
    ridge_measurements m;
    ridge_err err = {0};
    if (!ops.registry && ridge_ops_open(&ops, NULL) != RIDGE_OK)
        return 0;
    ridge_arena_init(&arena);
    const ridge_points_asked asked = {.machine = size % 2 ? "a machine" : NULL, .ops = &ops, .arena = &arena, .err = &err};
    ridge_status st = ridge_points_or_runs_read(&m, text, "input", &asked);
    fuzz_check_err(st, &err);
    FUZZ_CHECK(st == RIDGE_OK || st == RIDGE_NOMEM || st == RIDGE_LIMIT || err.line >= 1);
    if (st == RIDGE_OK) {
        check_places(&m);
        round_trip(&m, &arena);
    }
    ridge_arena_free(&arena);
    return 0;
}
