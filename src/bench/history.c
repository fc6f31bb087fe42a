#include "bench/history.h"

#include "measure/statistics.h"

/* ---- runs ---- */

#define RUN ridge_store_run

static const char *started_text(ridge_arena *arena, const void *run)
{
    const char *started = ((const RUN *)run)->started;
    return ridge_arena_printf(arena, "%.10s %.8s", started, started + 11);
}

/* machines are told apart by eight digits */
static const char *machine_text(ridge_arena *arena, const void *run)
{
    return ridge_arena_printf(arena, "%.8s", ((const RUN *)run)->machine);
}

static const char *state_text(ridge_arena *arena, const void *row)
{
    const RUN *run = row;
    (void)arena;
    return run->interrupted ? "interrupted" : run->finished ? "finished" : "unfinished";
}

static const char *command_text(ridge_arena *arena, const void *row)
{
    const char *command = ((const RUN *)row)->command;
    (void)arena;
    return command ? command : "";
}

/* a number to be typed again: "ridge history show 12345" */
static const char *id_text(ridge_arena *arena, const void *run)
{
    return ridge_arena_printf(arena, "%lld", (long long)((const RUN *)run)->id);
}

enum { LINES = RIDGE_IN_CSV | RIDGE_IN_TABLES };
static const ridge_record_field run_fields[] = {
    RIDGE_R_WHOLE(RUN, id, "run", NULL, RIDGE_IN_TABLES, "its number", .text = id_text),
    RIDGE_R_TEXT(RUN, command, "command", NULL, LINES, "the command line", .text = command_text, .shortened = true),
    RIDGE_R_WHOLE(RUN, id, "run", NULL, RIDGE_IN_CSV, "its number"),
    RIDGE_R_TEXT(RUN, started, "started", "started (UTC)", LINES, "when", .text = started_text),
    RIDGE_R_TEXT(RUN, machine, "machine", NULL, LINES, "where", .text = machine_text),
    RIDGE_R_SIZE(RUN, row_count, "rows", NULL, LINES, "how many rows"),
    RIDGE_R_TEXT(RUN, finished, "finished", "state", LINES, "when it ended", .text = state_text),
    RIDGE_R_BOOL(RUN, interrupted, "interrupted", NULL, RIDGE_IN_CSV, "Ctrl-C ended it"),
};
const ridge_record ridge_history_run_record = RIDGE_RECORD(RUN, "run", run_fields, "a command that measured");

/* ---- rows ---- */

#define ROW ridge_measured_row
/* half of the interval, relative; where too few samples were kept there is none */
static const char *spread_text(ridge_arena *arena, const void *row)
{
    const ridge_sample_statistics *time = &((const ROW *)row)->time;
    return time->median_s > 0 && time->kept >= RIDGE_SAMPLES_OF_INTERVAL ? ridge_units_percent(arena, 100 * ridge_sample_half_width(time))
                                                                         : "-";
}

static const char *ceiling_text(ridge_arena *arena, const void *row)
{
    const ROW *r = row;
    return ridge_arena_printf(arena, "%s%s", ridge_units_percent(arena, r->percent_of_ceiling),
                              r->percent_of_ceiling >= 0 && r->beats_roofline ? "!" : "");
}

/* what the bound counts: bytes where memory is in the way, else FLOPs; what is known where only one is */
static const char *rate_text(ridge_arena *arena, const void *row)
{
    const ROW *r = row;
    bool memory = r->bound >= 0 ? r->bound == RIDGE_SIDE_MEMORY : r->flops_per_s < 0;
    if ((memory || r->flops_per_s < 0) && r->bytes_per_s >= 0)
        return ridge_unit_text(arena, RIDGE_UNIT_BYTES_PER_S, r->bytes_per_s);
    return r->flops_per_s < 0 ? "-" : ridge_unit_text(arena, RIDGE_UNIT_FLOPS_PER_S, r->flops_per_s);
}

static const char *run_text(ridge_arena *arena, const void *row)
{
    return ridge_arena_printf(arena, "%lld", (long long)((const ROW *)row)->run);
}

static const ridge_record_field row_fields[] = {
    RIDGE_R_WHOLE(ROW, run, "run", NULL, RIDGE_IN_TABLES, "number of its run", .text = run_text),
    RIDGE_R_ALSO(&ridge_measured_problem_record),
    RIDGE_R_ALSO(&ridge_measured_how_record),
    RIDGE_R_REAL(ROW, time.median_s, "time", NULL, RIDGE_IN_TABLES, "the median", .unit = RIDGE_UNIT_SECONDS),
    RIDGE_R_REAL(ROW, time.high_s, "spread", "+-%", RIDGE_IN_TABLES, "half the 95 % interval", .text = spread_text),
    RIDGE_R_REAL(ROW, percent_of_ceiling, "percent_of_ceiling", "% of", RIDGE_IN_TABLES, "of its ceiling", .text = ceiling_text),
    RIDGE_R_REAL(ROW, bytes_per_s, "rate", NULL, RIDGE_IN_TABLES, "bytes or FLOPs over the time", .text = rate_text, .minor = true),
};
static const ridge_record row_record = RIDGE_RECORD(ROW, "row", row_fields, "a kernel that was timed");

ridge_status ridge_history_rows(ridge_buf *out, const ridge_measurements *m, ridge_form form, int width, ridge_arena *arena, ridge_err *err)
{
    ridge_record_columns columns;
    ridge_table table;
    ridge_status st = ridge_record_columns_make(&columns, &row_record, form, arena, err);
    if (st)
        return st;
    st = ridge_record_columns_table(&table, &columns, m->rows, m->row_count, sizeof *m->rows, arena, err);
    if (!st)
        ridge_table_render(out, &table, form, width);
    return st;
}

/* ---- one run ---- */

/* "machine   4f1d...": further lines of a text stand under its first */
static void fact(ridge_buf *out, const char *name, const char *text)
{
    ridge_buf_addf(out, "%-10s", name);
    for (; *text != '\0'; text++) {
        if (*text != '\n')
            ridge_buf_addc(out, *text);
        else if (text[1] != '\0')
            ridge_buf_addf(out, "\n%-10s", "");
    }
    ridge_buf_addc(out, '\n');
}

static void run_facts(ridge_buf *out, const RUN *run)
{
    ridge_buf_addf(out, "%-10s%lld (%s)\n", "run", (long long)run->id, run->uuid);
    fact(out, "command", run->command ? run->command : "unknown");
    fact(out, "started", run->started);
    fact(out, "finished", run->finished ? run->finished : "never: it was killed, or is still running");
    if (run->interrupted)
        fact(out, "", "interrupted: rows it was to have may be missing");
    fact(out, "ridge", run->ridge);
    fact(out, "build", run->build);
    ridge_buf_addf(out, "%-10s%s\n", "machine", run->machine);
    fact(out, "", run->machine_text);
    fact(out, "settings", run->settings ? run->settings : "{}");
}

ridge_status ridge_history_show(ridge_buf *out, const ridge_measurements *m, int width, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < m->run_count && !st; i++) {
        const ridge_measurements one = {.rows = m->rows + m->runs[i].first, .row_count = m->runs[i].rows};
        if (i > 0)
            ridge_buf_addc(out, '\n');
        run_facts(out, &m->runs[i]);
        ridge_buf_addc(out, '\n');
        if (one.row_count == 0)
            ridge_buf_addz(out, "no rows\n");
        else
            st = ridge_history_rows(out, &one, RIDGE_FORM_TEXT, width, arena, err);
    }
    return st;
}
