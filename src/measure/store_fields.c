#include "measure/store_fields.h"

enum { HASH_DIGITS = 16, UUID_DIGITS = 32 };

/* ---- what may stand in a run ---- */

static bool is_hex(ridge_str text, size_t digits)
{
    for (size_t i = 0; i < text.n; i++)
        if (!strchr("0123456789abcdef", text.p[i]) || text.p[i] == '\0')
            return false;
    return text.n == digits;
}

static bool is_hash(ridge_str text)
{
    return is_hex(text, HASH_DIGITS);
}

static bool is_uuid(ridge_str text)
{
    return is_hex(text, UUID_DIGITS);
}

static bool is_time(ridge_str text)
{
    return text.n == strlen("2026-11-21T16:12:27Z") && ridge_store_is_date(text);
}

#define A_TIME .is = is_time, .wanted = "a time like 2026-11-21T16:12:27Z"
static const ridge_record_rule needed = {.needed = true}, start = {.needed = true, A_TIME}, end = {A_TIME},
                               uuid = {.needed = true, .is = is_uuid, .wanted = "32 hexadecimal digits"},
                               hash = {.needed = true, .is = is_hash, .wanted = "16 hexadecimal digits"};

/* ---- records ---- */

#define RUN ridge_store_run
static const ridge_record_field run_fields[] = {
    RIDGE_R_TEXT(RUN, uuid, "uuid", NULL, RIDGE_IN_JSON, "its name, the same in every store", .rule = &uuid),
    RIDGE_R_TEXT(RUN, started, "started", NULL, RIDGE_IN_JSON, "when, before anything was measured; UTC", .rule = &start),
    RIDGE_R_TEXT(RUN, finished, "finished", NULL, RIDGE_IN_JSON, "when it ended; not known where it was killed or still runs",
                 .rule = &end),
    RIDGE_R_TEXT(RUN, ridge, "ridge", NULL, RIDGE_IN_JSON, "version of Ridge", .rule = &needed),
    RIDGE_R_TEXT(RUN, build, "build", NULL, RIDGE_IN_JSON, "how that was built: compiler, flags, commit", .rule = &needed),
    RIDGE_R_TEXT(RUN, machine, "machine", NULL, RIDGE_IN_JSON, "fingerprint of the machine", .rule = &hash),
    RIDGE_R_TEXT(RUN, machine_text, "machine_text", NULL, RIDGE_IN_JSON, "what the fingerprint is of", .rule = &needed),
    RIDGE_R_TEXT(RUN, command, "command", NULL, RIDGE_IN_JSON, "the command line"),
    RIDGE_R_RAW(RUN, settings, "settings", NULL, RIDGE_IN_JSON, "budget, rounds and the like"),
    /* the last: CSV of before has no such column */
    RIDGE_R_BOOL(RUN, interrupted, "interrupted", NULL, RIDGE_IN_JSON, "Ctrl-C ended it: rows it was to have may be missing"),
};
const ridge_record ridge_store_run_record = RIDGE_RECORD(RUN, "run", run_fields, "a command that measured");

static const ridge_record_field stored_fields[] = {
    RIDGE_R_WHOLE(RUN, id, "run", NULL, RIDGE_IN_JSON, "its number in this store"),
    RIDGE_R_ALSO(&ridge_store_run_record),
    RIDGE_R_SIZE(RUN, row_count, "row_count", NULL, RIDGE_IN_JSON, "rows it has, shown or not"),
};
const ridge_record ridge_stored_run_record = RIDGE_RECORD(RUN, "stored run", stored_fields, "a command that measured");

ridge_status ridge_store_columns_make(ridge_store_columns *out, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = ridge_record_columns_make(&out->run, &ridge_store_run_record, RIDGE_FORM_JSON, arena, err);
    return st ? st : ridge_record_columns_make(&out->row, &ridge_measured_record, RIDGE_FORM_JSON, arena, err);
}

ridge_status ridge_row_check(const ridge_measured_row *row, ridge_err *err)
{
    if (row->time.low_s <= row->time.median_s && row->time.median_s <= row->time.high_s)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_VALUE, "the median %g s is not in its interval, %g to %g s", row->time.median_s, row->time.low_s,
                      row->time.high_s);
}
