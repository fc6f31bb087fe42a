/* How `ridge machine calibrate` is told (calibrate.h). */
#include "bench/calibrate.h"

#include "machine/records.h"

/* ---- bandwidths, a column for each way to use memory ---- */

#define BANDWIDTH ridge_calibrate_bandwidth
/* clang-format off */
static const ridge_record_field bandwidth_fields[] = {
    RIDGE_R_WORD(BANDWIDTH, level, ridge_ceiling_level_names, "level", NULL, RIDGE_IN_TABLES, "level of memory"),
    RIDGE_R_UNSIGNED(BANDWIDTH, threads, "threads", NULL, RIDGE_IN_TABLES, "threads"),
#define X(code, name, ...) \
    RIDGE_R_REAL(BANDWIDTH, bytes_per_s[RIDGE_STREAM_##code], name, NULL, RIDGE_IN_TABLES, "bandwidth", .unit = RIDGE_UNIT_COUNT),
    RIDGE_STREAM_LIST(X) RIDGE_R_END
#undef X
};
/* clang-format on */
static const ridge_record bandwidth_record = RIDGE_RECORD(BANDWIDTH, "bandwidth", bandwidth_fields, "bandwidth of a memory level");

/* ---- text ---- */

static ridge_status add_table(ridge_buf *out, const ridge_record *record, const void *rows, size_t count, int width, const char *legend,
                              ridge_err *err)
{
    const ridge_record_style style = {.form = RIDGE_FORM_TEXT, .width = width};
    ridge_status st = count > 0 ? ridge_record_print(out, record, &style, rows, count, err) : RIDGE_OK;
    ridge_buf_addf(out, "%s%s\n", count > 0 ? legend : "", count > 0 ? "\n" : "");
    return st;
}

ridge_status ridge_calibrate_text(ridge_buf *out, const ridge_calibrate_answer *answer, int width, ridge_arena *arena, ridge_err *err)
{
    const ridge_ceilings *c = answer->ceilings;
    ridge_status st;
    if ((st = add_table(out, &bandwidth_record, answer->bandwidths, answer->bandwidth_count, width,
                        "bandwidth in B/s, all threads together; -nt: non-temporal stores", err)) ||
        (st = add_table(out, &ridge_ceiling_peak_record, c->peaks, c->peak_count, width,
                        "FLOP/s of all threads together (int8: operations); per cycle: of one thread, at the clock measured beside it;\n"
                        "kept: samples without preemption / taken",
                        err)) ||
        (st = add_table(out, &ridge_ceiling_overhead_record, c->overheads, c->overhead_count, width,
                        "an empty parallel region of waiting threads, and of sleeping ones", err)))
        return st;
    ridge_buf_addf(out, "clock resolution %s; %s%s\n", ridge_units_seconds(arena, c->clock_resolution_s),
                   c->huge_pages ? "huge pages" : "no huge pages", c->interrupted ? "; interrupted: not all was measured" : "");
    if (answer->saved)
        ridge_buf_addf(out, "saved as %s: " RIDGE_OPT("on") " this\n", answer->saved);
    else if (c->interrupted)
        ridge_buf_addz(out, "not saved\n");
    return RIDGE_OK;
}

/* ---- JSON ---- */

static const ridge_record_field machine_fields[] = {
    RIDGE_R_IN(ridge_detected, machine, &ridge_machine_record, "machine", RIDGE_IN_JSON, "the machine, as of ridge machine"),
    RIDGE_R_END,
};
static const ridge_record machine_record = RIDGE_RECORD(ridge_detected, "calibrated", machine_fields, "the machine as measured");

#define ANSWER ridge_calibrate_answer
static const ridge_record_field fields[] = {
    RIDGE_R_THROUGH(ANSWER, detected, &machine_record, RIDGE_IN_ALL),
    RIDGE_R_AT(ANSWER, ceilings, &ridge_ceilings_record, "ceilings", RIDGE_IN_JSON, "what was measured"),
    RIDGE_R_UNSIGNED(ANSWER, cpus, "cpus", NULL, RIDGE_IN_JSON, "CPUs that the process may use"),
    RIDGE_R_TEXT(ANSWER, saved, "saved", NULL, RIDGE_IN_JSON, "file of the machine 'this'"),
    RIDGE_R_END,
};
const ridge_record ridge_calibrate_record = RIDGE_RECORD(ANSWER, "ridge machine calibrate", fields, "this machine's ceilings");
