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
    RIDGE_STREAM_LIST(X)
#undef X
};
/* clang-format on */
static const ridge_record bandwidth_record = RIDGE_RECORD(BANDWIDTH, "bandwidth", bandwidth_fields, "bandwidth of a memory level");

/* ---- CSV, which has one header: every ceiling is a row ---- */

typedef struct ceiling_row {
    const char *kind, *name, *variant, *unit;
    unsigned threads, kept, tried;
    double value, low, high;
} ceiling_row;

static const ridge_record_field ceiling_fields[] = {
    RIDGE_R_TEXT(ceiling_row, kind, "kind", NULL, RIDGE_IN_CSV, "bandwidth, rate or overhead"),
    RIDGE_R_TEXT(ceiling_row, name, "name", NULL, RIDGE_IN_CSV, "level of memory, precision, or what threads do"),
    RIDGE_R_TEXT(ceiling_row, variant, "variant", NULL, RIDGE_IN_CSV, "way to use the memory, instructions"),
    RIDGE_R_UNSIGNED(ceiling_row, threads, "threads", NULL, RIDGE_IN_CSV, "threads"),
    RIDGE_R_REAL(ceiling_row, value, "value", NULL, RIDGE_IN_CSV, "the median, of all threads together"),
    RIDGE_R_TEXT(ceiling_row, unit, "unit", NULL, RIDGE_IN_CSV, "its unit"),
    RIDGE_R_REAL(ceiling_row, low, "low", NULL, RIDGE_IN_CSV, "where its 95 % interval begins"),
    RIDGE_R_REAL(ceiling_row, high, "high", NULL, RIDGE_IN_CSV, "where that ends"),
    RIDGE_R_UNSIGNED(ceiling_row, kept, "kept", NULL, RIDGE_IN_CSV, "samples that nothing disturbed"),
    RIDGE_R_UNSIGNED(ceiling_row, tried, "tried", NULL, RIDGE_IN_CSV, "samples taken"),
};
static const ridge_record ceiling_record = RIDGE_RECORD(ceiling_row, "ceiling", ceiling_fields, "a ceiling of any kind");

static ridge_status print_csv(ridge_buf *out, const ridge_ceilings *c, ridge_arena *arena, ridge_err *err)
{
    const ridge_record_style style = {.form = RIDGE_FORM_CSV};
    ceiling_row *rows = ridge_arena_array(arena, c->stream_count + c->peak_count + 3 * c->overhead_count + 1, sizeof *rows), *at = rows;
    if (!rows)
        return ridge_no_memory(err);
    for (const ridge_ceiling_stream *s = c->streams; s < c->streams + c->stream_count; s++)
        *at++ = (ceiling_row){"bandwidth",
                              ridge_ceiling_level_names[s->level],
                              ridge_stream_names[s->stream->kind],
                              "B/s",
                              s->threads,
                              s->time.kept,
                              s->time.tried,
                              s->bytes_per_s,
                              s->low_bytes_per_s,
                              s->high_bytes_per_s};
    for (const ridge_ceiling_peak *p = c->peaks; p < c->peaks + c->peak_count; p++)
        *at++ = (ceiling_row){"rate",       p->peak->precision, p->peak->name,  "FLOP/s",           p->threads,
                              p->time.kept, p->time.tried,      p->flops_per_s, p->low_flops_per_s, p->high_flops_per_s};
    for (const ridge_ceiling_overhead *o = c->overheads; o < c->overheads + c->overhead_count; o++) {
        *at++ = (ceiling_row){"overhead", "barrier", NULL, "s", o->threads, 0, 0, o->threads > 1 ? o->barrier_s : -1, -1, -1};
        *at++ = (ceiling_row){"overhead", "region", NULL, "s", o->threads, 0, 0, o->region_s, -1, -1};
        *at++ = (ceiling_row){"overhead", "wake", NULL, "s", o->threads, 0, 0, o->wake_s, -1, -1};
    }
    return ridge_record_print(out, &ceiling_record, &style, rows, (size_t)(at - rows), err);
}

/* ---- tables ---- */

static ridge_status add_table(ridge_buf *out, const ridge_record *record, const void *rows, size_t count, const ridge_record_style *style,
                              const char *legend, ridge_err *err)
{
    ridge_status st = count > 0 ? ridge_record_print(out, record, style, rows, count, err) : RIDGE_OK;
    if (style->form == RIDGE_FORM_TEXT && count > 0)
        ridge_buf_addf(out, "%s\n", legend);
    ridge_buf_addc(out, '\n');
    return st;
}

static void add_end(ridge_buf *out, const ridge_calibrate_answer *answer, ridge_arena *arena)
{
    const ridge_ceilings *c = answer->ceilings;
    ridge_buf_addf(out, "clock resolution %s; %s%s\n", ridge_units_seconds(arena, c->clock_resolution_s),
                   c->huge_pages ? "huge pages" : "no huge pages", c->interrupted ? "; interrupted: not all was measured" : "");
    if (answer->saved)
        ridge_buf_addf(out, "saved as %s: " RIDGE_OPT("on") " this\n", answer->saved);
    else if (c->interrupted)
        ridge_buf_addz(out, "not saved\n");
}

ridge_status ridge_calibrate_print(ridge_buf *out, const ridge_calibrate_answer *answer, const ridge_record_style *style,
                                   ridge_arena *arena, ridge_err *err)
{
    const ridge_ceilings *c = answer->ceilings;
    ridge_status st;
    if (style->form == RIDGE_FORM_CSV)
        return print_csv(out, c, arena, err);
    if ((st = add_table(out, &bandwidth_record, answer->bandwidths, answer->bandwidth_count, style,
                        "bandwidth in B/s, all threads together; -nt: non-temporal stores", err)) ||
        (st = add_table(out, &ridge_ceiling_peak_record, c->peaks, c->peak_count, style,
                        "FLOP/s of all threads together (int8: operations); per cycle: of one thread, at the clock measured beside it;\n"
                        "kept: samples without preemption / taken",
                        err)) ||
        (st = add_table(out, &ridge_ceiling_overhead_record, c->overheads, c->overhead_count, style,
                        "an empty parallel region of waiting threads, and of sleeping ones", err)))
        return st;
    if (style->form == RIDGE_FORM_TEXT)
        add_end(out, answer, arena);
    return RIDGE_OK;
}

/* ---- JSON ---- */

static const ridge_record_field machine_fields[] = {
    RIDGE_R_IN(ridge_detected, machine, &ridge_machine_record, "machine", RIDGE_IN_JSON, "the machine, as of ridge machine"),
};
static const ridge_record machine_record = RIDGE_RECORD(ridge_detected, "calibrated", machine_fields, "the machine as measured");

#define ANSWER ridge_calibrate_answer
static const ridge_record_field fields[] = {
    RIDGE_R_THROUGH(ANSWER, detected, &machine_record, RIDGE_IN_ALL),
    RIDGE_R_AT(ANSWER, ceilings, &ridge_ceilings_record, "ceilings", RIDGE_IN_JSON, "what was measured"),
    RIDGE_R_UNSIGNED(ANSWER, cpus, "cpus", NULL, RIDGE_IN_JSON, "CPUs that the process may use"),
    RIDGE_R_TEXT(ANSWER, saved, "saved", NULL, RIDGE_IN_JSON, "file of the machine 'this'"),
};
const ridge_record ridge_calibrate_record = RIDGE_RECORD(ANSWER, "ridge machine calibrate", fields, "this machine's ceilings");
